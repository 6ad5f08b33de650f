//! The table `[public]`: what everybody may see, for whose readers, and how much later than it was recorded.
//!
//! ```toml
//! [public]
//! delay = 900               # all files, fifteen minutes
//! [public.events]
//! delay = 0                 # but for this one
//! ```

use super::document::{ConfigError, Table};
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
    let mut profile = Profile::Lidraughts;
    if let Some(value) = table.take("profile") {
        profile = value.string()?.parse().map_err(|error| value.error(error))?;
    }
    let of_all = read_output(&mut table, OutputConfig::default())?;
    let mut public = PublicConfig::all(profile, of_all);
    for (key, title, output) in [
        ("games", "[public.games]", &mut public.games),
        ("started", "[public.started]", &mut public.started),
        ("events", "[public.events]", &mut public.events),
        ("archive", "[public.archive]", &mut public.archive),
    ] {
        if let Some(own) = table.take(key) {
            let mut own = own.table(title)?;
            *output = read_output(&mut own, of_all)?;
            own.finish()?;
        }
    }
    table.finish()?;
    Ok(public)
}

/// Reads what a table says of an output; what it does not say is as in `otherwise`.
fn read_output(table: &mut Table, otherwise: OutputConfig) -> Result<OutputConfig, ConfigError> {
    /// A day: more is a mistake.
    const LONGEST_DELAY: f64 = 86_400.0;
    /// More plies than a game has.
    const MOST_PLIES: f64 = 1000.0;
    let mut whole = |key: &str, most: f64, otherwise: u32| {
        let Some(value) = table.take(key) else { return Ok(otherwise) };
        let number = value.number()?;
        let is_possible = number.fract() == 0.0 && (0.0..=most).contains(&number);
        if is_possible {
            Ok(number as u32)
        } else {
            Err(value.error(format!("`{key}` is a whole number from 0 to {most}")))
        }
    };
    let seconds = whole("delay", LONGEST_DELAY, otherwise.delay.seconds)?;
    let plies = whole("delay-plies", MOST_PLIES, otherwise.delay.plies)?;
    let durability = match table.take("sync") {
        None => otherwise.durability,
        Some(value) => match value.string()? {
            "safe" => Durability::Safe,
            "lazy" => Durability::Lazy,
            _ => return Err(value.error("`sync` is \"safe\" or \"lazy\"")),
        },
    };
    Ok(OutputConfig { delay: Delay { seconds, plies }, durability })
}
