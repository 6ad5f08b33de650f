//! The outlets of a station: folders for readers, kept up to date by one thread for all lines.
//!
//! ```text
//!   line ── published, with its moment ─────┐             ┌─ its delay ─▸ public/       games.pdn, started.pdn   replaced
//!   line ── published ......................┤──▸ boards ──┤                             events.ndjson            grows
//!   line ── opened again: all its games ────┘             │                             archive/NAME-G.pdn       once
//!                                                         └─ its delay ─▸ public-hall/  the same, for others
//! ```
//!
//! The recording never waits for it: lines send what they have published and go on. All of that is in the logs already, so the
//! next start makes the same files, whatever happens here. What several boards publish at about the same time is written
//! together: each file is made durable, and a disk that syncs all the time has no time left for the logs.
//!
//! Invariants: a file that its readers would stumble over is not published, the last good one stays and the operator is
//! told; events are never taken back; nothing is shown before its delay is over; what is wrong with one outlet, or with what
//! the configuration says of it, changes nothing for another.

mod boards;
mod events_file;
mod files;
mod live_files;
mod order;
mod outlet;
mod plan;
mod rounds;
mod streams;
mod withheld;

use std::collections::BTreeSet;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::{Local, SubsecRound};
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use crate::engine::broadcast::{Course, Delay, GameChange, Moment};
use crate::engine::bytelog::Header;
use crate::engine::playback::{self, Played, PlayedGame};
use crate::engine::session::{BusAddress, Effect};
use crate::engine::tournament::{RecordedGame, TournamentRecord};
use crate::station::config::{Config, PUBLIC};
use crate::station::disk::RealDisk;
use crate::station::journal::logs;
use crate::station::journal::witness::Witnesses;
use crate::station::pulse::Pulse;
use crate::station::tournament_log::{TOURNAMENT, TournamentLog};
use crate::station::trouble::{self, Finding, Troubles, Watch};

use live_files::LiveFiles;

pub use boards::{Seating, record, recorded_game};
pub use events_file::{Comparison, EVENTS, EventsFile, compare};
pub use files::{PublicFile, files};
pub use order::{EventOrder, first_record, order_file, random, witness_name};
pub use outlet::{Archived, Outlet, archived};
pub use plan::{Plan, PlannedOutlet, Plans};
pub use streams::{Streams, Unwritten};

/// So long all lines of a station have to be opened.
pub const OPENING: Duration = Duration::from_secs(10);
/// What happens within this is written together. Nobody wakes the thread meanwhile either.
const GATHER: Duration = Duration::from_millis(200);
/// A disk that failed is tried again after this.
const AGAIN: Duration = Duration::from_secs(2);
/// So often it is looked whether everything that should be public is there.
const LOOK: Duration = Duration::from_secs(1);
/// The place of what is wrong with the plans.
const PLANS: &str = "log/round-K.plan";
/// The thread waits no longer than this, so that it notices a clock that was set.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What a line sends.
#[derive(Debug)]
enum Notification {
    /// It was opened, with a log of this head: these are its games so far.
    Opened { line: String, header: Box<Header>, games: Vec<PlayedGame> },
    /// The configuration was read again.
    Configured { config: Box<Config> },
    /// The tournament has one more record.
    Tournament { record: Box<TournamentRecord> },
    /// It has published this.
    Published { line: String, board: Option<BusAddress>, at: Moment, effect: Effect },
}

/// What becomes of the games of a line, for whoever keeps account of them.
#[derive(Debug)]
pub enum GameNews {
    /// It was opened: these are its games so far, without the names of their boards.
    Opened {
        /// The line.
        line: String,
        /// Its games, each with its address on a bus.
        games: Vec<(Option<BusAddress>, RecordedGame)>,
    },
    /// A game has its first entry, which follows.
    Begun {
        /// The line.
        line: String,
        /// The address on a bus.
        board: Option<BusAddress>,
        /// The game.
        game: Box<RecordedGame>,
    },
    /// It has one more.
    Grown {
        /// The line.
        line: String,
        /// The address on a bus.
        board: Option<BusAddress>,
    },
    /// It is over.
    Ended {
        /// The line.
        line: String,
        /// The address on a bus.
        board: Option<BusAddress>,
        /// Its result.
        result: Option<String>,
        /// The operator gave it.
        is_given: bool,
    },
}

impl GameNews {
    /// What a line has published, if it is news of a game.
    pub fn of(line: &str, board: Option<BusAddress>, effect: &Effect) -> Option<GameNews> {
        let line = line.to_owned();
        match effect {
            Effect::Opened(opening) => {
                Some(GameNews::Begun { line, board, game: Box::new(boards::begun_game(opening)) })
            }
            Effect::Entry { .. } => Some(GameNews::Grown { line, board }),
            Effect::Ended { result, is_given } => {
                Some(GameNews::Ended { line, board, result: result.clone(), is_given: *is_given })
            }
            _ => None,
        }
    }

    /// A line was opened with these games.
    pub fn opened(line: &str, games: &[PlayedGame]) -> GameNews {
        let games = games.iter().map(|game| (game.board, recorded_game(String::new(), game))).collect();
        GameNews::Opened { line: line.to_owned(), games }
    }
}

/// Where lines send what they have published.
#[derive(Clone)]
pub struct Teller {
    outlets: mpsc::Sender<Notification>,
    listener: Option<Arc<dyn Fn(GameNews) + Send + Sync>>,
}

impl Teller {
    /// The same, and somebody hears what becomes of games.
    #[must_use]
    pub fn with_listener(mut self, listener: Arc<dyn Fn(GameNews) + Send + Sync>) -> Teller {
        self.listener = Some(listener);
        self
    }

    /// A line was opened, with a log of this head, and these games so far.
    pub fn opened(&self, line: &str, header: Header, games: Vec<PlayedGame>) {
        if let Some(listener) = &self.listener {
            listener(GameNews::opened(line, &games));
        }
        // Without a listener the station stops; the next start knows all of it from the logs.
        let _ = self.outlets.send(Notification::Opened { line: line.to_owned(), header: Box::new(header), games });
    }

    /// The configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.outlets.send(Notification::Configured { config: Box::new(config.clone()) });
    }

    /// The tournament has one more record, which is durable.
    pub fn recorded(&self, record: TournamentRecord) {
        let _ = self.outlets.send(Notification::Tournament { record: Box::new(record) });
    }

    /// A line has published something of a board.
    pub fn published(&self, line: &str, board: Option<BusAddress>, at: Moment, effect: Effect) {
        if let Some(listener) = &self.listener {
            GameNews::of(line, board, &effect).into_iter().for_each(|news| listener(news));
        }
        let _ = self.outlets.send(Notification::Published { line: line.to_owned(), board, at, effect });
    }
}

/// Begins to keep the public files of a station. It ends when the last teller is gone, after everything was written that
/// may be seen then. `pulse`: that it goes on; `troubles`: where it says what of them is not as it should be; `opening`: how long all lines have to be opened. Of one that takes longer, or
/// cannot be opened, is shown what its logs say.
pub fn begin(
    config: &Config,
    pulse: Pulse,
    troubles: &Troubles,
    (opening, witnesses): (Duration, Witnesses),
) -> (Teller, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel();
    let config = config.clone();
    let watches = Watches::new(troubles);
    let run = move || {
        let work =
            || Outlets::with_witnesses(&config, witnesses.clone()).run(&receiver, &pulse, watches.clone(), opening);
        if let Err(bug) = std::panic::catch_unwind(AssertUnwindSafe(work)) {
            let what =
                "a bug has ended the thread that writes it: recording goes on; start damcast again when no game is on";
            error!("the public files: {what}");
            let finding = Finding { board: None, file: PUBLIC.to_owned(), what: what.to_owned() };
            watches.troubles.watch(trouble::PUBLICATION, PUBLIC).tell([finding]);
            std::panic::resume_unwind(bug);
        }
    };
    (Teller { outlets: sender, listener: None }, tokio::task::spawn_blocking(run))
}

/// Where it is said what is the matter.
#[derive(Clone)]
struct Watches {
    troubles: Troubles,
    /// What stands in `log/` for all outlets.
    log: Watch,
    live: Watch,
}

impl Watches {
    fn new(troubles: &Troubles) -> Watches {
        let [log, live] = [PLANS, "live"].map(|place| troubles.watch(trouble::PUBLICATION, place));
        Watches { troubles: troubles.clone(), log, live }
    }
}

/// An outlet of the configuration.
struct Place {
    /// Its name.
    name: String,
    /// Its folder, from the station's on.
    directory: PathBuf,
    state: State,
    /// Where it is said what is the matter with it.
    watch: Option<Watch>,
}

enum State {
    /// It shows what may be seen.
    Shown(Box<Outlet>),
    /// Its files stay as they are; this is said of it.
    Held(String),
}

impl Place {
    fn shown(&self) -> Option<&Outlet> {
        if let State::Shown(outlet) = &self.state { Some(outlet) } else { None }
    }

    fn shown_mut(&mut self) -> Option<&mut Outlet> {
        if let State::Shown(outlet) = &mut self.state { Some(outlet) } else { None }
    }

    /// Says what is the matter with it.
    fn tell(&mut self, troubles: &Troubles) {
        let directory = self.directory.display().to_string();
        let watch = self.watch.get_or_insert_with(|| troubles.watch(trouble::PUBLICATION, &directory));
        match &mut self.state {
            State::Shown(outlet) => watch.tell(outlet.findings()),
            State::Held(what) => watch.tell([Finding { board: None, file: directory, what: what.clone() }]),
        }
    }
}

/// What is said of an outlet that stands still, and what to do.
fn held_back(name: &str, why: &str, remedy: &str) -> String {
    format!(
        "the outlet {name} is held back, its files stay as they are and nothing new is shown in it: {why}; {remedy}; recording goes on"
    )
}

/// What to do about a configuration that is wrong.
const MEND: &str = "mend the configuration, then `damcast ctl reload`";
/// What to do about a record of the tournament that is damaged.
const RESTORE: &str = "put a copy of log/tournament.ndjson there and start the station again (without a copy: take that line and those \
                       behind it out of the file, and give again what they say)";

/// What to do about a file that lacks its end.
const COPY: &str = "put such a copy there and start the station again (without a copy: stop the station, put `commits` elsewhere, start it, \
                    and give again what is missing)";

/// The outlets of a station that runs.
pub struct Outlets {
    seating: Seating,
    /// Lines that have not been opened yet.
    awaited: BTreeSet<String>,
    /// They took too long.
    is_late: bool,
    directory: PathBuf,
    live: LiveFiles,
    places: Vec<Place>,
    /// The record of the tournament is damaged: who plays and what the results are is not known, so nothing is shown.
    damage: Option<(String, &'static str)>,
    /// What was found wrong with files of `log/` that all outlets need, and mended.
    mended: Vec<Finding>,
    witnesses: Witnesses,
}

/// What the logs of a line say, all chains: `each` gets every game.
///
/// # Errors
///
/// As the disk says, or where the logs cannot be put in order.
pub fn what_logs_say(folder: &Path, line: &str, each: impl FnMut(PlayedGame)) -> io::Result<Played> {
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

impl Outlets {
    /// Those of a configuration.
    pub fn new(config: &Config) -> Outlets {
        Outlets::with_witnesses(config, Witnesses::default())
    }

    /// Those of a configuration, whose files in `log/` have these witnesses.
    pub fn with_witnesses(config: &Config, witnesses: Witnesses) -> Outlets {
        let log: PathBuf = config.directory.join("log");
        let mut plans = Plans::read(&RealDisk, &log).unwrap_or_default();
        plans.problems.drain(..).for_each(|problem| warn!("{problem}"));
        let missing = plans.set_witnesses(witnesses.clone());
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        plans.add(Plan::new(config, now, plans.current()));
        let mut seating = Seating::new(plans);
        seating.station.clone_from(&config.name);
        let damage = match TournamentLog::read_witnessed(&RealDisk, &log, witnesses.clone()) {
            Ok(record) => {
                seating.set_course(Course::of(record.records()));
                let remedy = if record.is_cut() { COPY } else { RESTORE };
                let damage = record.damage().map(|damage| format!("the record of the tournament is damaged: {damage}"));
                damage.map(|damage| (damage, remedy))
            }
            Err(error) => Some((format!("log/{TOURNAMENT}: {error}"), RESTORE)),
        };
        let damage = missing.map(|missing| (missing, COPY)).or(damage);
        let mut outlets = Outlets {
            seating,
            awaited: config.lines.iter().map(|line| line.name.clone()).collect(),
            is_late: false,
            directory: config.directory.clone(),
            live: LiveFiles::new(&config.directory),
            places: Vec::new(),
            damage,
            mended: Vec::new(),
            witnesses,
        };
        outlets.place(config);
        outlets
    }

    /// The tournament has one more record. Files of rounds have games of all logs.
    pub fn recorded(&mut self, record: &TournamentRecord) {
        let was_empty = self.seating.course().is_empty();
        if let Err(conflict) = self.seating.add_record(record) {
            warn!("log/{TOURNAMENT}: {conflict}");
        }
        if was_empty {
            add_earlier_games(&mut self.seating, &self.directory.join("log"));
        }
    }

    /// From now on the outlets are these. Those that stay go on as they are.
    fn place(&mut self, config: &Config) {
        let mut old = std::mem::take(&mut self.places);
        let mut take = |name: &str, directory: &Path| {
            let at = old.iter().position(|place| place.name == name && place.directory == directory)?;
            Some(old.swap_remove(at))
        };
        for outlet in &config.outlets {
            let before = take(&outlet.name, &outlet.directory);
            if let Some((damage, remedy)) = &self.damage {
                let what = held_back(&outlet.name, damage, remedy);
                error!("{what}");
                let (name, directory) = (outlet.name.clone(), outlet.directory.clone());
                let watch = before.and_then(|place| place.watch);
                self.places.push(Place { name, directory, state: State::Held(what), watch });
                continue;
            }
            let (state, watch) = before.map_or((None, None), |place| (Some(place.state), place.watch));
            let state = match state {
                Some(State::Shown(mut shown)) => {
                    shown.configure(outlet);
                    State::Shown(shown)
                }
                before => {
                    if before.is_some() {
                        info!("the outlet {} is shown again", outlet.name);
                    }
                    State::Shown(Box::new(Outlet::of_config(
                        Box::new(RealDisk),
                        &self.directory,
                        outlet,
                        self.witnesses.clone(),
                    )))
                }
            };
            self.places.push(Place { name: outlet.name.clone(), directory: outlet.directory.clone(), state, watch });
        }
        for held in &config.held {
            let watch = take(&held.name, &held.directory).and_then(|place| place.watch);
            let what = held_back(&held.name, &held.reason(), MEND);
            error!("{what}");
            let (name, directory, state) = (held.name.clone(), held.directory.clone(), State::Held(what));
            self.places.push(Place { name, directory, state, watch });
        }
        old.iter().filter_map(|place| place.watch.as_ref()).for_each(Watch::end);
    }

    fn shown(&self) -> impl Iterator<Item = &Outlet> {
        self.places.iter().filter_map(Place::shown)
    }

    fn run(mut self, notifications: &mpsc::Receiver<Notification>, pulse: &Pulse, watches: Watches, opening: Duration) {
        let opening = Instant::now() + opening;
        let (mut next, mut look) = (opening, Instant::now() + LOOK);
        let mut of_live = Vec::new();
        loop {
            let wait = next.min(look).saturating_duration_since(Instant::now());
            pulse.rest();
            let received = notifications.recv_timeout(wait);
            pulse.beat();
            let mut is_due = Instant::now() >= next;
            match received {
                Ok(first) => {
                    is_due = true;
                    self.take(first);
                    std::thread::sleep(GATHER);
                    notifications.try_iter().for_each(|notification| self.take(notification));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if self.awaited.is_empty() {
                        self.look_after();
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
                is_due |= self.look_after();
            }
            if is_due && (self.awaited.is_empty() || Instant::now() >= opening) {
                next = Instant::now() + self.write(Local::now().fixed_offset());
            }
            self.places.iter_mut().for_each(|place| place.tell(&watches.troubles));
            watches.log.tell(self.of_log());
            watches.live.tell(of_live.iter().cloned());
        }
    }

    /// Looks whether everything is still as it was left. Returns whether there is something to write.
    fn look_after(&mut self) -> bool {
        let mut is_lost = false;
        for outlet in self.places.iter_mut().filter_map(Place::shown_mut) {
            is_lost |= outlet.look_after();
        }
        let log = self.log();
        for name in self.seating.plans.look_after(&RealDisk, &log) {
            let what = "it was taken away or changed by somebody, and is written again";
            warn!("log/{name}: {what}");
            self.mended.push(Finding { board: None, file: format!("log/{name}"), what: what.to_owned() });
            is_lost = true;
        }
        is_lost
    }

    /// What is the matter with files of `log/` that all outlets need.
    fn of_log(&mut self) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.mended);
        let log = self.log();
        found.extend(self.seating.plans.names().filter_map(|name| outlet::not_to_be_written(&log, &name)));
        found
    }

    fn log(&self) -> PathBuf {
        self.directory.join("log")
    }

    /// Lines that are not open yet are shown as their logs have them: a game that was published does not vanish.
    fn show_what_logs_say(&mut self) {
        for line in &self.awaited {
            let mut games = Vec::new();
            let add = |game: PlayedGame| games.extend(record(&game).map(|record| (game.board, record)));
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
        let mut is_whole = true;
        for outlet in self.places.iter_mut().filter_map(Place::shown_mut) {
            is_whole &= outlet.write(&mut self.seating, now);
        }
        // A plan without any outlet is to be kept, too: it holds from now on.
        if self.damage.is_none()
            && self.shown().next().is_none()
            && self.seating.plans.save(&RealDisk, &self.log()).is_err()
        {
            is_whole = false;
        }
        let mut delays: Vec<Delay> = self.shown().map(|outlet| outlet.planned().delay).collect();
        delays.dedup();
        let changes =
            self.seating.games().flat_map(|(_, game)| delays.iter().map(|delay| delay.next_change(game, now)));
        let course = self.seating.course();
        let next = changes.flatten().chain(delays.iter().filter_map(|delay| course.next_change(*delay, now))).min();
        let wait = next.and_then(|next| (next - now).to_std().ok()).unwrap_or(LONGEST_WAIT);
        wait.clamp(Duration::from_millis(1), if is_whole { LONGEST_WAIT } else { AGAIN })
    }

    fn take(&mut self, notification: Notification) {
        match notification {
            Notification::Opened { line, header, games } => self.opened(&line, &header, games),
            Notification::Configured { config } => self.configure(&config),
            Notification::Tournament { record } => self.recorded(&record),
            Notification::Published { line, board, at, effect } => self.published(&line, board, at, effect),
        }
    }

    /// Boards keep their games. Those that the configuration has no more come last, as long as there is something to show.
    fn configure(&mut self, config: &Config) {
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        self.seating.configure(Plan::new(config, now, self.seating.plans.current()));
        self.seating.station.clone_from(&config.name);
        self.place(config);
    }

    /// A line was opened, with a log of this head, and these games so far.
    pub fn opened(&mut self, line: &str, header: &Header, games: Vec<PlayedGame>) {
        self.awaited.remove(line);
        self.seating.opened(line, header, boards::records(games));
        if !self.seating.course().is_empty() || self.is_behind(line) {
            // Off the way of the recording; and only until the last game of the round before is shown in full.
            add_earlier_games_of(&mut self.seating, &self.directory.join("log"), line);
        }
    }

    /// May games of earlier chains not be shown in full yet? A station that went on with a new configuration may have been
    /// killed before their delay was over.
    fn is_behind(&self, line: &str) -> bool {
        self.seating.boards_of(line).any(|board| {
            let is_known = board.games.iter().any(|game| game.number() == board.hidden);
            board.hidden > 0 && !is_known && self.shown().any(|outlet| outlet.is_behind(&board.name, board.hidden))
        })
    }

    /// A line has published something of a board.
    pub fn published(&mut self, line: &str, board: Option<BusAddress>, at: Moment, effect: Effect) {
        let change = match effect {
            Effect::Opened(opening) => GameChange::Opened(*opening),
            Effect::Entry { entry, .. } => GameChange::Entry(*entry),
            Effect::Ended { result, .. } => GameChange::Ended(result),
            Effect::Aside(aside) => GameChange::Aside(boards::content(&aside)),
            _ => return,
        };
        self.seating.take(line, board, at, change);
    }
}
