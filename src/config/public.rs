//! The table `[public]`: what everybody may see, for whose readers, and how much later than it was recorded.
//!
//! ```toml
//! [public]
//! delay = 900               # all files, fifteen minutes
//! events-delay = 0          # but for this one
//! ```

use super::document::ConfigError;
use super::operation::whole;
use super::read_durability;
use super::value::Table;
use crate::broadcast::Delay;
use crate::disk::Durability;
use crate::pdn::profile::Profile;

/// The public files of a station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicConfig {
    /// Whose readers `games.pdn` and `started.pdn` are written for.
    pub profile: Profile,
    /// `games.pdn`.
    pub games: OutputConfig,
    /// `started.pdn`.
    pub started: OutputConfig,
    /// `events.ndjson`.
    pub events: OutputConfig,
    /// The files in `archive/`.
    pub archive: OutputConfig,
}

/// One of the public files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OutputConfig {
    /// How much later than the recording it shows something.
    pub delay: Delay,
    /// Whether it is made durable at once.
    pub durability: Durability,
}

impl Default for PublicConfig {
    fn default() -> PublicConfig {
        PublicConfig::all(Profile::Lidraughts, OutputConfig::default())
    }
}

impl PublicConfig {
    /// All files alike.
    pub fn all(profile: Profile, output: OutputConfig) -> PublicConfig {
        PublicConfig { profile, games: output, started: output, events: output, archive: output }
    }

    /// Is anything shown later than it was recorded? Then what is not is nobody's business.
    pub fn has_delay(&self) -> bool {
        [self.games, self.started, self.events, self.archive].iter().any(|output| output.delay != Delay::NONE)
    }
}

/// Reads the table.
pub(super) fn read(mut table: Table) -> Result<PublicConfig, ConfigError> {
    let profile = table.read("profile", |value| value.string()?.parse().map_err(|error| value.error(error)));
    let of_all = read_output(&mut table, "", OutputConfig::default());
    let mut public = PublicConfig::all(profile.unwrap_or(Profile::Lidraughts), of_all);
    public.games = read_output(&mut table, "games-", of_all);
    public.started = read_output(&mut table, "started-", of_all);
    public.events = read_output(&mut table, "events-", of_all);
    public.archive = read_output(&mut table, "archive-", of_all);
    table.finish()?;
    Ok(public)
}

/// Reads what the keys with a prefix say of an output; what they do not say is as in `otherwise`.
fn read_output(table: &mut Table, prefix: &str, otherwise: OutputConfig) -> OutputConfig {
    /// A day: more is a mistake.
    const LONGEST_DELAY: u64 = 86_400;
    /// More plies than a game has.
    const MOST_PLIES: u64 = 1000;
    let seconds = table.read(&format!("{prefix}delay"), |value| whole(value, 0, LONGEST_DELAY));
    let plies = table.read(&format!("{prefix}delay-plies"), |value| whole(value, 0, MOST_PLIES));
    let durability = table.read(&format!("{prefix}sync"), read_durability);
    OutputConfig {
        delay: Delay {
            seconds: seconds.map_or(otherwise.delay.seconds, |seconds| seconds as u32),
            plies: plies.map_or(otherwise.delay.plies, |plies| plies as u32),
        },
        durability: durability.unwrap_or(otherwise.durability),
    }
}
