//! The outlets of a station: folders for readers, updated by one thread for all lines.
//!
//! ```text
//!   line ── published, with its moment ─────┐             ┌─ its delay ─▸ public/       games.pdn, started.pdn   replaced
//!   line ── published ......................┤──▸ boards ──┤                             events.ndjson            grows
//!   line ── opened again: all its games ────┘             │                             archive/NAME-G.pdn       once
//!                                                         └─ its delay ─▸ public-hall/  the same, for others
//! ```
//!
//! The recording never waits for this thread: lines send what they have published and continue. All of it is in the logs already, so the
//! next start makes identical files. Changes of several boards at about the same time are written together: each file is made durable, and
//! constant syncs would slow down the logs.
//!
//! Invariants: a file that its readers cannot parse is not published, the last good one stays and the operator gets a message; events are
//! never retracted; nothing is visible until its delay is over; a problem of one outlet, or of its configuration, does not affect another.

mod alive;
mod boards;
mod events_file;
mod files;
mod finished_files;
mod order;
mod outlet;
mod plan;
pub mod published;
mod rounds;
mod shelf_file;
mod start_guard;
mod streams;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::{Local, SubsecRound};
use damcast_engine::broadcast::{Delay, GameChange, Shelf, StoredGame, TournamentHistory, WallTime};
use damcast_engine::bytelog::Header;
use damcast_engine::playback::{self, PlaybackResult, PlayedGame};
use damcast_engine::session::{BusAddress, Effect};
use draughts_tournament::{BoardGame, TournamentRecord};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{error, info, warn};

use crate::config::{Config, PUBLIC};
use crate::disk::RealDisk;
use crate::file_problems::{self, FileProblems, ProblemReport, ProblemReporter};
use crate::heartbeat::Heartbeat;
use crate::journal::logs;
use crate::journal::witness::Witnesses;
use crate::live_files;
use crate::tournament_log::{TOURNAMENT_FILE, TournamentLog};
use finished_files::FinishedLiveFiles;
use published::{PublishedFolders, PublishedGames};
use start_guard::StartGuard;

pub use alive::ALIVE_FILE;
pub use boards::{OpenedGames, RoundBoards, StoredGames, add_stored, recorded_game};
pub use events_file::{Comparison, EVENTS_FILE, EventsFile, compare};
pub use files::{PARTS_FOLDER, PublicFile, ROUNDS_FOLDER, files};
pub use order::{EventOrder, first_record, is_order_file, order_file, random_name, witness_name};
pub use outlet::{ArchivedGame, Outlet, archived_games};
pub use plan::{BoardList, Plan, PlannedOutlet, Plans};
pub use shelf_file::ShelfFile;
pub use streams::{EventStreams, PendingEvents};

/// Time within which the next line of a station has to be opened.
pub const MAX_OPENING_TIME: Duration = Duration::from_secs(10);
/// Changes within this time are written together, without waking the thread.
const BATCH_WINDOW: Duration = Duration::from_millis(200);
/// Time after which a failed write is repeated.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Interval of the checks that all public files are there.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Place of problems with the plans.
const PLANS_PLACE: &str = "log/round-K.plan";
/// Maximum wait of the thread, so that it notices when the clock is set.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Message of a line to the thread of the outlets.
#[derive(Debug)]
enum OutletMessage {
    /// The line was opened with a log of this head and these games so far.
    Opened { line: String, header: Box<Header>, games: StoredGames },
    /// The configuration was read again.
    Configured { config: Box<Config> },
    /// The tournament has a new record.
    Tournament { record: Box<TournamentRecord> },
    /// The line has published an effect.
    Published { line: String, board: Option<BusAddress>, at: WallTime, effect: Effect },
}

/// Change of the games of a line, for a listener such as the tournament service.
#[derive(Debug)]
pub struct GameLifecycle {
    /// The line.
    pub line: String,
    /// The address on a bus.
    pub board: Option<BusAddress>,
    /// The change.
    pub change: LifecycleChange,
}

/// Kind of a change of the games of a line.
#[derive(Debug)]
pub enum LifecycleChange {
    /// The line was opened with these games, each with its address on a bus and without the name of its board.
    LineOpened(Vec<(Option<BusAddress>, BoardGame)>),
    /// A game has begun; its first entry follows, at once or when the first entered ply is published.
    Started(Box<BoardGame>),
    /// A game has one more entry.
    EntryAdded,
    /// A game is over.
    Ended {
        /// Result of the game.
        result: Option<String>,
        /// Whether the operator entered the result.
        is_operator_result: bool,
    },
}

impl GameLifecycle {
    /// Returns the change of a game that an effect of a line stands for, if any.
    pub fn from_effect(line: &str, board: Option<BusAddress>, effect: &Effect) -> Option<GameLifecycle> {
        let change = match effect {
            Effect::GameOpened(opening) => LifecycleChange::Started(Box::new(boards::started_game(opening))),
            Effect::Entry { .. } => LifecycleChange::EntryAdded,
            Effect::GameEnded { result, is_given } => {
                LifecycleChange::Ended { result: result.clone(), is_operator_result: *is_given }
            }
            _ => return None,
        };
        Some(GameLifecycle { line: line.to_owned(), board, change })
    }

    /// Returns the message for a line that was opened with these games.
    pub fn opened(line: &str, games: Vec<(Option<BusAddress>, BoardGame)>) -> GameLifecycle {
        GameLifecycle { line: line.to_owned(), board: None, change: LifecycleChange::LineOpened(games) }
    }
}

/// Sends published effects of lines to the outlets.
#[derive(Clone)]
pub struct OutletHandle {
    outlets: mpsc::Sender<OutletMessage>,
    listener: Option<Arc<dyn Fn(GameLifecycle) + Send + Sync>>,
    shelf: Option<Arc<dyn Shelf>>,
}

impl OutletHandle {
    /// Returns the storage of games that are over, if there is one.
    pub fn shelf(&self) -> Option<Arc<dyn Shelf>> {
        self.shelf.clone()
    }

    /// Adds a listener for changes of games.
    #[must_use]
    pub fn with_listener(mut self, listener: Arc<dyn Fn(GameLifecycle) + Send + Sync>) -> OutletHandle {
        self.listener = Some(listener);
        self
    }

    /// Reports that a line was opened, with a log of this head and these games so far.
    pub fn line_opened(&self, line: &str, header: Header, games: OpenedGames) {
        if let Some(listener) = &self.listener {
            listener(GameLifecycle::opened(line, games.facts));
        }
        let games = games.stored;
        // Without a receiver the station is stopping; the next start reads everything from the logs.
        let _ = self.outlets.send(OutletMessage::Opened { line: line.to_owned(), header: Box::new(header), games });
    }

    /// Reports that the configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.outlets.send(OutletMessage::Configured { config: Box::new(config.clone()) });
    }

    /// Reports a new durable record of the tournament.
    pub fn tournament_record(&self, record: TournamentRecord) {
        let _ = self.outlets.send(OutletMessage::Tournament { record: Box::new(record) });
    }

    /// Reports an effect that a line has published for a board.
    pub fn published(&self, line: &str, board: Option<BusAddress>, at: WallTime, effect: Effect) {
        if let Some(listener) = &self.listener {
            GameLifecycle::from_effect(line, board, &effect).into_iter().for_each(|news| listener(news));
        }
        let _ = self.outlets.send(OutletMessage::Published { line: line.to_owned(), board, at, effect });
    }
}

/// Spawns the thread that updates the public files of a station. The thread ends when the last handle is dropped, after it has written
/// everything that may be visible then, or when `stop` is true before it has begun. `troubles`: receiver of problems with its files;
/// `opening`: time within which the next line has to be opened. Lines that take longer, or cannot be opened, are shown from their logs.
pub fn spawn(
    config: &Config,
    heartbeat: Heartbeat,
    troubles: &FileProblems,
    (opening, witnesses, stop): (Duration, Witnesses, watch::Receiver<bool>),
) -> (OutletHandle, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel();
    let config = config.clone();
    let watches = OutletReporters::new(troubles);
    let shelf = ShelfFile::create(&[&config.directory]);
    let handle = OutletHandle { outlets: sender, listener: None, shelf: shelf.clone() };
    let run = move || {
        let work = || {
            let guard = StartGuard::begin(&config.directory);
            let reporter = watches.problems.reporter(file_problems::PUBLICATION_ALARM, PUBLIC);
            if !guard.wait(&reporter, &heartbeat, &stop) {
                return guard.finish();
            }
            let outlets = Outlets::with_witnesses(&config, witnesses.clone(), shelf.clone());
            outlets.run(&receiver, &heartbeat, watches.clone(), (opening, guard));
        };
        if let Err(bug) = std::panic::catch_unwind(AssertUnwindSafe(work)) {
            let problem =
                "a bug has ended the thread that writes it: recording goes on; start damcast again when no game is on";
            error!("the public files: {problem}");
            let finding = ProblemReport::new(PUBLIC, problem);
            watches.problems.reporter(file_problems::PUBLICATION_ALARM, PUBLIC).report([finding]);
            std::panic::resume_unwind(bug);
        }
    };
    (handle, tokio::task::spawn_blocking(run))
}

/// Reporters of problems.
#[derive(Clone)]
struct OutletReporters {
    problems: FileProblems,
    /// Problems of files in `log/` that all outlets need.
    log: ProblemReporter,
    live: ProblemReporter,
}

impl OutletReporters {
    fn new(troubles: &FileProblems) -> OutletReporters {
        let [log, live] = [PLANS_PLACE, "live"].map(|place| troubles.reporter(file_problems::PUBLICATION_ALARM, place));
        OutletReporters { problems: troubles.clone(), log, live }
    }
}

/// An outlet of the configuration.
struct OutletSlot {
    /// Name of the outlet.
    name: String,
    /// Folder of the outlet, relative to the station's directory.
    directory: PathBuf,
    state: OutletState,
    /// Reporter of problems of the outlet.
    reporter: Option<ProblemReporter>,
}

enum OutletState {
    /// The outlet shows everything that may be visible.
    Shown(Box<Outlet>),
    /// The files of the outlet stay as they are, for this reason.
    Suspended(String),
}

impl OutletSlot {
    fn shown(&self) -> Option<&Outlet> {
        if let OutletState::Shown(outlet) = &self.state { Some(outlet) } else { None }
    }

    fn shown_mut(&mut self) -> Option<&mut Outlet> {
        if let OutletState::Shown(outlet) = &mut self.state { Some(outlet) } else { None }
    }

    /// Reports the problems of the outlet.
    fn report(&mut self, problems: &FileProblems) {
        let directory = self.directory.display().to_string();
        let watch =
            self.reporter.get_or_insert_with(|| problems.reporter(file_problems::PUBLICATION_ALARM, &directory));
        match &mut self.state {
            OutletState::Shown(outlet) => watch.report(outlet.findings()),
            OutletState::Suspended(problem) => watch.report([ProblemReport::new(directory, problem.as_str())]),
        }
    }
}

/// Suspends an outlet, and logs the reason and the remedy.
fn suspend(name: &str, why: &str, remedy: &str) -> OutletState {
    let message = format!(
        "the outlet {name} is held back, its files stay as they are and nothing new is shown in it: {why}; {remedy}; recording goes on"
    );
    error!("{message}");
    OutletState::Suspended(message)
}

/// Remedy for an invalid configuration.
const CONFIG_REMEDY: &str = "mend the configuration, then `damcast ctl reload`";
/// Remedy for a damaged record of the tournament.
const RESTORE_REMEDY: &str = "put a copy of log/tournament.ndjson there and start the station again (without a copy: take that line and those \
                       behind it out of the file, and give again what they say)";

/// Remedy for a file that lacks its end.
const COPY: &str = "put such a copy there and start the station again (without a copy: stop the station, put `commits` elsewhere, start it, \
                    and give again what is missing)";

/// The outlets of a running station.
pub struct Outlets {
    round_boards: RoundBoards,
    /// Lines that have not been opened yet.
    unopened_lines: BTreeSet<String>,
    /// Whether opening the lines took too long.
    is_opening_overdue: bool,
    directory: PathBuf,
    live: FinishedLiveFiles,
    slots: Vec<OutletSlot>,
    /// Damage of the tournament's record. Without it players and results are unknown, so nothing is shown.
    tournament_damage: Option<(String, &'static str)>,
    /// Repaired problems of files in `log/` that all outlets need.
    repaired: Vec<ProblemReport>,
    /// Games that stand still, by line.
    standing: BTreeMap<String, Vec<ProblemReport>>,
    witnesses: Witnesses,
}

/// Plays back the logs of a line, all chains; calls `each` with every game, as it was published.
///
/// # Errors
///
/// Returns any I/O error, and an error if the logs have no clear order.
pub fn read_line_logs(folder: &Path, line: &str, mut each: impl FnMut(PlayedGame)) -> io::Result<PlaybackResult> {
    let (mut named, mut is_incomplete) = (Vec::new(), false);
    for file in logs::list(folder)?.into_iter().filter(|file| file.line == line) {
        let log = logs::named(&file)?;
        match log.header.opened {
            Some(_) => named.push(log),
            None => is_incomplete |= file.path.metadata()?.len() > 0,
        }
    }
    published::mend_heads(&mut named, Plans::read(&RealDisk, folder)?.head(line));
    let live = folder.with_file_name("live");
    let folders = PublishedFolders { disk: &RealDisk, log: folder, live: &live };
    let mut games = PublishedGames::new(folders, line, &named);
    games.is_incomplete |= is_incomplete;
    let played = playback::play_each_game(named, |game| each(games.settle(game))).map_err(io::Error::other)?;
    games.missing().into_iter().for_each(each);
    Ok(played)
}

/// Adds the games that the boards played before their current chains, from the logs. Those games are over, so messages from lines never
/// concern them.
fn add_earlier_games(round_boards: &mut RoundBoards, folder: &Path) {
    for line in round_boards.lines() {
        if round_boards.is_missing_earlier_games(&line) {
            add_earlier_games_of(round_boards, folder, &line);
        }
    }
}

fn add_earlier_games_of(round_boards: &mut RoundBoards, folder: &Path, line: &str) {
    if let Err(error) = read_line_logs(folder, line, |game| round_boards.add_earlier(line, &game)) {
        warn!(line, "the games of earlier chains cannot be read: {error}");
    }
}

impl Outlets {
    /// Returns the outlets of a configuration.
    pub fn new(config: &Config) -> Outlets {
        Outlets::with_witnesses(config, Witnesses::default(), ShelfFile::create(&[&config.directory]))
    }

    /// Returns the outlets of a configuration whose files in `log/` have these witnesses. `shelf`: storage of games that are over.
    pub fn with_witnesses(config: &Config, witnesses: Witnesses, shelf: Option<Arc<dyn Shelf>>) -> Outlets {
        let log: PathBuf = config.directory.join("log");
        let mut plans = Plans::read(&RealDisk, &log).unwrap_or_default();
        plans.problems.drain(..).for_each(|problem| warn!("{problem}"));
        let missing = plans.set_witnesses(witnesses.clone());
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        plans.add(Plan::new(config, now, plans.current()));
        let mut seating = RoundBoards::new(plans).with_shelf(shelf);
        seating.station.clone_from(&config.name);
        let damage = match TournamentLog::read_witnessed(&RealDisk, &log, witnesses.clone()) {
            Ok(record) => {
                seating.set_history(TournamentHistory::from_records(record.records()));
                let remedy = if record.is_cut() { COPY } else { RESTORE_REMEDY };
                let damage = record.damage().map(|damage| format!("the record of the tournament is damaged: {damage}"));
                damage.map(|damage| (damage, remedy))
            }
            Err(error) => Some((format!("log/{TOURNAMENT_FILE}: {error}"), RESTORE_REMEDY)),
        };
        let damage = missing.map(|missing| (missing, COPY)).or(damage);
        let mut outlets = Outlets {
            round_boards: seating,
            unopened_lines: config.lines.iter().map(|line| line.name.clone()).collect(),
            is_opening_overdue: false,
            directory: config.directory.clone(),
            live: FinishedLiveFiles::new(&config.directory),
            slots: Vec::new(),
            tournament_damage: damage,
            repaired: Vec::new(),
            standing: BTreeMap::new(),
            witnesses,
        };
        outlets.set_outlets(config);
        outlets
    }

    /// Adds a record of the tournament. Files of rounds need the games of all logs.
    pub fn recorded(&mut self, record: &TournamentRecord) {
        let was_empty = self.round_boards.history().is_empty();
        if let Err(conflict) = self.round_boards.add_record(record) {
            warn!("log/{TOURNAMENT_FILE}: {conflict}");
        }
        if was_empty {
            add_earlier_games(&mut self.round_boards, &self.directory.join("log"));
        }
    }

    /// Replaces the outlets by those of a configuration; outlets in both continue.
    fn set_outlets(&mut self, config: &Config) {
        let mut old = std::mem::take(&mut self.slots);
        let mut take = |name: &str, directory: &Path| {
            let at = old.iter().position(|place| place.name == name && place.directory == directory)?;
            Some(old.swap_remove(at))
        };
        for outlet in &config.outlets {
            let before = take(&outlet.name, &outlet.directory);
            let (state, reporter) = before.map_or((None, None), |slot| (Some(slot.state), slot.reporter));
            let state = match (state, &self.tournament_damage) {
                (_, Some((damage, remedy))) => suspend(&outlet.name, damage, remedy),
                (Some(OutletState::Shown(mut shown)), None) => {
                    shown.configure(outlet);
                    OutletState::Shown(shown)
                }
                (before, None) => {
                    if before.is_some() {
                        info!("the outlet {} is shown again", outlet.name);
                    }
                    let witnesses = self.witnesses.clone();
                    let shown = Outlet::from_config(Box::new(RealDisk), &self.directory, outlet, witnesses);
                    OutletState::Shown(Box::new(shown))
                }
            };
            let (name, directory) = (outlet.name.clone(), outlet.directory.clone());
            self.slots.push(OutletSlot { name, directory, state, reporter });
        }
        for held in &config.suspended_outlets {
            let reporter = take(&held.name, &held.directory).and_then(|slot| slot.reporter);
            let state = suspend(&held.name, &held.reason(), CONFIG_REMEDY);
            let (name, directory) = (held.name.clone(), held.directory.clone());
            self.slots.push(OutletSlot { name, directory, state, reporter });
        }
        old.iter().filter_map(|place| place.reporter.as_ref()).for_each(ProblemReporter::clear);
    }

    fn visible_outlets(&self) -> impl Iterator<Item = &Outlet> {
        self.slots.iter().filter_map(OutletSlot::shown)
    }

    fn run(
        mut self,
        notifications: &mpsc::Receiver<OutletMessage>,
        heartbeat: &Heartbeat,
        watches: OutletReporters,
        (longest_opening, guard): (Duration, StartGuard),
    ) {
        let mut guard = Some(guard);
        let mut opening = Instant::now() + longest_opening;
        let (mut next, mut look) = (opening, Instant::now() + CHECK_INTERVAL);
        let mut of_live = Vec::new();
        let mut signs = alive::SignsOfLife::default();
        loop {
            // Nothing is written before the lines are open.
            let due = if self.unopened_lines.is_empty() { next } else { next.max(opening) };
            let wait = due.min(look).saturating_duration_since(Instant::now());
            heartbeat.pause();
            let received = notifications.recv_timeout(wait);
            heartbeat.beat();
            let mut is_due = Instant::now() >= due;
            match received {
                Ok(first) => {
                    is_due = true;
                    let unopened = self.unopened_lines.len();
                    self.on_message(first);
                    std::thread::sleep(BATCH_WINDOW);
                    notifications.try_iter().for_each(|notification| self.on_message(notification));
                    if self.unopened_lines.len() < unopened {
                        opening = Instant::now() + longest_opening;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if self.unopened_lines.is_empty() {
                        self.verify();
                        self.write(Local::now().fixed_offset());
                    }
                    return guard.into_iter().for_each(StartGuard::finish);
                }
            }
            if !self.unopened_lines.is_empty() && Instant::now() >= opening && !self.is_opening_overdue {
                self.is_opening_overdue = true;
                self.show_unopened_lines();
            }
            if Instant::now() >= look {
                look = Instant::now() + CHECK_INTERVAL;
                of_live = self.live.verify(&self.round_boards);
                is_due |= self.verify();
            }
            if is_due && (self.unopened_lines.is_empty() || Instant::now() >= opening) {
                next = Instant::now() + self.write(Local::now().fixed_offset());
                guard.take().into_iter().for_each(StartGuard::finish);
            }
            let shown = self.slots.iter().filter_map(OutletSlot::shown);
            signs.write(shown.filter_map(|outlet| Some((outlet.current_folder()?, outlet.plan().delay))));
            self.slots.iter_mut().for_each(|place| place.report(&watches.problems));
            watches.log.report(self.log_problems());
            watches.live.report(of_live.iter().cloned());
        }
    }

    /// Checks that all files are as they were written. Returns whether there is something to write.
    fn verify(&mut self) -> bool {
        let mut is_lost = false;
        for outlet in self.slots.iter_mut().filter_map(OutletSlot::shown_mut) {
            is_lost |= outlet.verify();
        }
        let log = self.log();
        for name in self.round_boards.plans.verify(&RealDisk, &log) {
            let problem = "it was removed or changed; it is written again";
            warn!("log/{name}: {problem}");
            self.repaired.push(ProblemReport::new(format!("log/{name}"), problem));
            is_lost = true;
        }
        is_lost
    }

    /// Returns the problems of files in `log/` that all outlets need.
    fn log_problems(&mut self) -> Vec<ProblemReport> {
        let mut found = std::mem::take(&mut self.repaired);
        found.extend(self.standing.values().flatten().cloned());
        let log = self.log();
        found.extend(self.round_boards.plans.names().filter_map(|name| outlet::unwritable_files(&log, &name)));
        found
    }

    fn log(&self) -> PathBuf {
        self.directory.join("log")
    }

    /// Shows lines that are not open yet from their logs: a published game must not vanish.
    fn show_unopened_lines(&mut self) {
        for line in &self.unopened_lines {
            let mut games = StoredGames::new();
            let add = |game: PlayedGame| add_stored(&mut games, &game, self.round_boards.shelf());
            match read_line_logs(&self.directory.join("log"), line, add) {
                Ok(PlaybackResult { last_chain: Some(chain), .. }) => {
                    self.round_boards.line_opened(line, &chain.header, games)
                }
                Ok(_) => {}
                Err(error) => warn!(line, "the logs of this line cannot be read: {error}"),
            }
        }
    }

    /// Writes everything that may be visible at `now`. Returns how long the files stay right without a message.
    pub fn write(&mut self, now: WallTime) -> Duration {
        let now = now.max(self.round_boards.latest_time.unwrap_or_default());
        let mut is_whole = true;
        for outlet in self.slots.iter_mut().filter_map(OutletSlot::shown_mut) {
            is_whole &= outlet.write(&mut self.round_boards, now);
        }
        // A plan without outlets is saved as well: it is the current plan.
        if self.tournament_damage.is_none()
            && self.visible_outlets().next().is_none()
            && self.round_boards.plans.save(&RealDisk, &self.log()).is_err()
        {
            is_whole = false;
        }
        let mut delays: Vec<Delay> = self.visible_outlets().map(|outlet| outlet.plan().delay).collect();
        delays.dedup();
        // An error was reported above, and the write is repeated soon.
        let changes = self
            .round_boards
            .games()
            .flat_map(|(_, game)| delays.iter().map(|delay| game.next_change(*delay, now).ok().flatten()));
        let tournament_history = self.round_boards.history();
        let next = changes
            .flatten()
            .chain(delays.iter().filter_map(|delay| tournament_history.next_change(*delay, now)))
            .min();
        let wait = next.and_then(|next| (next - now).to_std().ok()).unwrap_or(MAX_WAIT);
        wait.clamp(Duration::from_millis(1), if is_whole { MAX_WAIT } else { RETRY_INTERVAL })
    }

    fn on_message(&mut self, notification: OutletMessage) {
        match notification {
            OutletMessage::Opened { line, header, games } => self.opened(&line, &header, games),
            OutletMessage::Configured { config } => self.configure(&config),
            OutletMessage::Tournament { record } => self.recorded(&record),
            OutletMessage::Published { line, board, at, effect } => self.published(&line, board, at, effect),
        }
    }

    /// Applies the boards of a configuration; boards keep their games. Boards that the configuration lacks come last while they have
    /// something to show.
    fn configure(&mut self, config: &Config) {
        let now = Local::now().fixed_offset().trunc_subsecs(3);
        self.round_boards.configure(Plan::new(config, now, self.round_boards.plans.current()));
        self.round_boards.station.clone_from(&config.name);
        self.set_outlets(config);
    }

    /// Adds a line that was opened, with a log of this head and these games so far.
    pub fn opened(&mut self, line: &str, header: &Header, games: StoredGames) {
        self.unopened_lines.remove(line);
        self.note_standing(line, &games);
        self.round_boards.line_opened(line, header, games);
        if !self.round_boards.history().is_empty() || self.may_withhold_games(line) {
            // Not in the recording's thread; and only until the last game of the previous round is fully visible.
            add_earlier_games_of(&mut self.round_boards, &self.directory.join("log"), line);
        }
    }

    /// Notes the games of a line that stand still.
    fn note_standing(&mut self, line: &str, games: &StoredGames) {
        let name = |address: Option<BusAddress>| {
            let known = self.round_boards.address_board(line, address).map(|board| board.name.clone());
            known.unwrap_or_else(|| live_files::file_prefix(line, address, None))
        };
        let report = |(address, game): &(Option<BusAddress>, StoredGame)| {
            let board = name(*address);
            let file = format!("live/{board}-{}.pdn", game.number());
            ProblemReport { board: Some(board), file, message: published::STANDING.to_owned() }
        };
        let standing = games.iter().filter(|(_, game)| game.is_standing()).map(report).collect();
        self.standing.insert(line.to_owned(), standing);
    }

    /// Whether games of earlier chains may still be delayed: a station that continued with a new configuration may have been killed within
    /// their delay.
    fn may_withhold_games(&self, line: &str) -> bool {
        self.round_boards.line_boards(line).any(|board| {
            let is_known = board.games.iter().any(|game| game.number() == board.hidden_games);
            board.hidden_games > 0
                && !is_known
                && self.visible_outlets().any(|outlet| outlet.is_behind(&board.name, board.hidden_games))
        })
    }

    /// Applies an effect that a line has published for a board.
    pub fn published(&mut self, line: &str, board: Option<BusAddress>, at: WallTime, effect: Effect) {
        let change = match effect {
            Effect::GameOpened(opening) => GameChange::Opened(*opening),
            Effect::Entry { entry, .. } => GameChange::Entry(*entry),
            Effect::MovesInserted(moves) => GameChange::MovesInserted(*moves),
            Effect::GameEnded { result, .. } => GameChange::Ended(result),
            Effect::LiveUpdate(aside) => GameChange::LiveUpdate(boards::update_content(&aside)),
            _ => return,
        };
        self.round_boards.apply(line, board, at, change);
    }
}
