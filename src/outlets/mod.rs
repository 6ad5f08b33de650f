//! The public files of a round, kept up to date by one thread for all lines.
//!
//! ```text
//!   station ── published, with its moment ──┐
//!   station ── published ...................┤──▸ boards ──▸ delay ──▸ public/games.pdn, started.pdn   replaced
//!   station ── opened again: all its games ─┘                  └────▸ public/events.ndjson            grows
//!                                                              └────▸ public/archive/NAME-G.pdn       once
//! ```
//!
//! The recording never waits for it: lines tell what they have published and go on. What is told is in the logs already,
//! so whatever happens here, the next start makes the same files; and what happens at about the same time goes into them
//! together, however many boards moved: each file is made durable, and a disk that does that all the time has none left for
//! the logs.
//!
//! Invariants: a file that its readers would stumble over is not published, the last good one stays and the operator is
//! told; events are never taken back; nothing is shown before its delay is over.

mod boards;
mod events_file;
mod live_files;
mod order;
mod outputs;
mod plan;
mod streams;

use std::collections::BTreeSet;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::{Local, SubsecRound};
use tokio::task::JoinHandle;
use tracing::{error, warn};

use crate::broadcast::{Change, Moment};
use crate::bytelog::Header;
use crate::config::{Config, PublicConfig};
use crate::disk::RealDisk;
use crate::journal::logs;
use crate::playback::{self, Game, Played};
use crate::pulse::Pulse;
use crate::session::{BusAddress, Effect};
use crate::trouble::{self, Finding, Troubles, Watch};

use live_files::LiveFiles;

pub use boards::{Seating, record};
pub use events_file::{EVENTS, EVENTS_ORDER, Lack, NotItsOwn, compare};
pub use order::Places;
pub use outputs::{Outputs, archived};
pub use plan::{Plan, Plans};
pub use streams::{Streams, Untold};

/// So long all lines of a station have to be opened.
pub const OPENING: Duration = Duration::from_secs(10);
/// What happens within this is written together. Nobody wakes the thread meanwhile either.
const GATHER: Duration = Duration::from_millis(200);
/// A disk that failed is tried again after this.
const AGAIN: Duration = Duration::from_secs(2);
/// So often it is looked whether everything that should be public is there.
const LOOK: Duration = Duration::from_secs(1);
/// Nothing is waited for longer than this, so that a clock that is set does not matter.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What a line tells.
#[derive(Debug)]
enum Told {
    /// It was opened, with a log of this head: these are its games so far.
    Opened { line: String, header: Box<Header>, games: Vec<Game> },
    /// The configuration was read again.
    Configured { config: Box<Config> },
    /// It has published this.
    Published { line: String, board: Option<BusAddress>, at: Moment, effect: Effect },
}

/// Where lines tell what they have published.
#[derive(Clone)]
pub struct Teller(mpsc::Sender<Told>);

impl Teller {
    /// A line was opened, with a log of this head, and these games so far.
    pub fn opened(&self, line: &str, header: Header, games: Vec<Game>) {
        // Without a listener the station stops; the next start knows all of it from the logs.
        let _ = self.0.send(Told::Opened { line: line.to_owned(), header: Box::new(header), games });
    }

    /// The configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.0.send(Told::Configured { config: Box::new(config.clone()) });
    }

    /// A line has published something of a board.
    pub fn published(&self, line: &str, board: Option<BusAddress>, at: Moment, effect: Effect) {
        let _ = self.0.send(Told::Published { line: line.to_owned(), board, at, effect });
    }
}

/// Begins to keep the public files of a station. It ends when the last teller is gone, after everything was written that
/// may be seen then. `pulse`: that it goes on; `troubles`: where it says what of them is not as it should be; `opening`: how long all lines have to be opened. Of one that takes longer, or
/// cannot be opened, is shown what its logs say.
pub fn begin(config: &Config, pulse: Pulse, troubles: &Troubles, opening: Duration) -> (Teller, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel();
    let config = config.clone();
    let watches = ["public", "live"].map(|folder| troubles.watch(trouble::PUBLICATION, folder));
    let run = move || {
        let work = || Round::new(&config).run(&receiver, &pulse, &watches, opening);
        if let Err(bug) = std::panic::catch_unwind(AssertUnwindSafe(work)) {
            let what =
                "a bug has ended the thread that writes it: recording goes on; start damcast again when no game is on";
            error!("the public files: {what}");
            watches[0].tell([Finding { board: None, file: "public".to_owned(), what: what.to_owned() }]);
            std::panic::resume_unwind(bug);
        }
    };
    (Teller(sender), tokio::task::spawn_blocking(run))
}

/// The public files of a station that runs.
pub struct Round {
    seating: Seating,
    /// Lines that have not been opened yet.
    awaited: BTreeSet<String>,
    /// They took too long.
    is_late: bool,
    public: PublicConfig,
    directory: PathBuf,
    live: LiveFiles,
    outputs: Outputs,
}

/// What the logs of a line say, all chains: `each` gets every game.
fn what_logs_say(folder: &Path, line: &str, each: impl FnMut(Game)) -> io::Result<Played> {
    let mut named = Vec::new();
    for file in logs::list(folder)?.into_iter().filter(|file| file.line == line) {
        let log = logs::named(&file)?;
        if log.header.opened.is_some() {
            named.push(log);
        }
    }
    playback::play_each(named, each).map_err(io::Error::other)
}

/// Takes from the logs the games that the boards played before the chains which are shown. They are over; so what lines tell
/// meanwhile is about others.
fn add_earlier_games(seating: &mut Seating, folder: &Path) {
    for line in seating.lines() {
        if seating.lacks_earlier(&line) {
            add_earlier_games_of(seating, folder, &line);
        }
    }
}

fn add_earlier_games_of(seating: &mut Seating, folder: &Path, line: &str) {
    if let Err(error) = what_logs_say(folder, line, |game| seating.add_earlier(line, &game)) {
        warn!(line, "the games of earlier chains cannot be read: {error}");
    }
}

impl Round {
    /// The public files of a configuration.
    pub fn new(config: &Config) -> Round {
        let log: PathBuf = config.directory.join("log");
        let mut plans = Plans::read(&RealDisk, &log).unwrap_or_default();
        plans.problems.drain(..).for_each(|problem| warn!("{problem}"));
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        plans.add(Plan::new(config, now, plans.current()));
        Round {
            seating: Seating::new(plans),
            awaited: config.lines.iter().map(|line| line.name.clone()).collect(),
            is_late: false,
            public: config.public.clone(),
            directory: config.directory.clone(),
            live: LiveFiles::new(&config.directory),
            outputs: Outputs::new(Box::new(RealDisk), &config.directory, config.public.clone()),
        }
    }

    fn run(mut self, told: &mpsc::Receiver<Told>, pulse: &Pulse, watches: &[Watch; 2], opening: Duration) {
        let opening = Instant::now() + opening;
        let (mut next, mut look) = (opening, Instant::now() + LOOK);
        let mut of_live = Vec::new();
        loop {
            let wait = next.min(look).saturating_duration_since(Instant::now());
            pulse.rest();
            let next_told = told.recv_timeout(wait);
            pulse.beat();
            let mut is_due = Instant::now() >= next;
            match next_told {
                Ok(first) => {
                    is_due = true;
                    self.take(first);
                    std::thread::sleep(GATHER);
                    told.try_iter().for_each(|told| self.take(told));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if self.awaited.is_empty() {
                        self.outputs.look_after(&mut self.seating);
                        self.write(Local::now().fixed_offset());
                    }
                    return;
                }
            }
            if !self.awaited.is_empty() && Instant::now() >= opening && !self.is_late {
                self.is_late = true;
                self.show_what_logs_say();
            }
            if Instant::now() >= look {
                look = Instant::now() + LOOK;
                of_live = self.live.look_after(&self.seating);
                is_due |= self.outputs.look_after(&mut self.seating);
            }
            if is_due && (self.awaited.is_empty() || Instant::now() >= opening) {
                next = Instant::now() + self.write(Local::now().fixed_offset());
            }
            watches[0].tell(self.outputs.findings());
            watches[1].tell(of_live.iter().cloned());
        }
    }

    /// Lines that are not open yet are shown as their logs have them: a game that was published does not vanish.
    fn show_what_logs_say(&mut self) {
        for line in &self.awaited {
            let mut games = Vec::new();
            let add = |game: Game| games.extend(record(&game).map(|record| (game.board, record)));
            match what_logs_say(&self.directory.join("log"), line, add) {
                Ok(Played { last: Some(chain), .. }) => self.seating.opened(line, &chain.header, games),
                Ok(_) => {}
                Err(error) => warn!(line, "the logs of this line cannot be read: {error}"),
            }
        }
    }

    /// Writes what may be seen now. Returns how long that holds if nobody tells anything.
    pub fn write(&mut self, now: Moment) -> Duration {
        let now = now.max(self.seating.latest.unwrap_or_default());
        if !self.outputs.write(&mut self.seating, now) {
            return AGAIN;
        }
        let PublicConfig { games, started, events, archive, .. } = &self.public;
        let delays = [games, started, events, archive].map(|output| output.delay);
        let changes = self.seating.games().flat_map(|(_, game)| delays.map(|delay| delay.next_change(game, now)));
        let next = changes.flatten().min();
        let wait = next.and_then(|next| (next - now).to_std().ok()).unwrap_or(LONGEST_WAIT);
        wait.clamp(Duration::from_millis(1), LONGEST_WAIT)
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Opened { line, header, games } => self.opened(&line, &header, games),
            Told::Configured { config } => self.configure(&config),
            Told::Published { line, board, at, effect } => self.published(&line, board, at, effect),
        }
    }

    /// Boards keep their games. Those that the configuration has no more come last, as long as there is something to show.
    fn configure(&mut self, config: &Config) {
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        self.seating.configure(Plan::new(config, now, self.seating.plans.current()));
        self.outputs.configure(config.public.clone());
        self.public = config.public.clone();
    }

    /// A line was opened, with a log of this head, and these games so far.
    pub fn opened(&mut self, line: &str, header: &Header, games: Vec<Game>) {
        self.awaited.remove(line);
        self.seating.opened(line, header, boards::records(games));
        if self.is_behind(line) {
            // Off the way of the recording; and only until the last game of the round before is shown in full.
            add_earlier_games_of(&mut self.seating, &self.directory.join("log"), line);
        }
    }

    /// May games of earlier chains not be shown in full yet? A station that went on with a new configuration may have been
    /// killed before their delay was over.
    fn is_behind(&self, line: &str) -> bool {
        self.seating.boards_of(line).any(|board| {
            let is_known = board.games.iter().any(|game| game.number() == board.hidden);
            let last = format!("public/archive/{}-{}.pdn", board.name, board.hidden);
            let is_shown = !self.public.has_delay() && self.directory.join(last).exists();
            board.hidden > 0 && !is_known && !is_shown
        })
    }

    /// A line has published something of a board.
    pub fn published(&mut self, line: &str, board: Option<BusAddress>, at: Moment, effect: Effect) {
        let change = match effect {
            Effect::Opened(opening) => Change::Opened(*opening),
            Effect::Entry { entry, .. } => Change::Entry(*entry),
            Effect::Ended { result } => Change::Ended(result),
            Effect::Aside(aside) => Change::Aside(boards::told(&aside)),
            _ => return,
        };
        self.seating.take(line, board, at, change);
    }
}
