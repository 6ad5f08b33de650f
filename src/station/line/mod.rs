//! One line at work: port, core, log and files, in one task.
//!
//! ```text
//!   link ──▸ bytes ──▸ Recorder::take ──▸ outputs ──▸ link (bytes for the board)
//!   deadline ─▸ tick ─────┘      │            └─────▸ log (notes), operator (notices)
//!   shutdown ─▸ link down        └─▸ what is published: the thread that writes ─▸ WriterReport ─▸ operator, public files
//! ```
//!
//! Stopping is a link that goes down. A disk that fails stops nothing: what happens waits in memory, and only when there is
//! too much of it are no more bytes taken from the port.

mod allowance;
mod clock;
mod effects;
pub mod opening;
mod order;
mod report;
mod tidy;
mod underway;
mod uptime;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{Local, SubsecRound};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{error, info, warn};

use crate::engine::bytelog::{Mode, RecordKind};
use crate::engine::calendar::Calendar;
use crate::engine::millis::Millis;
use crate::engine::session::request::{Request, Wish};
use crate::engine::session::{BusAddress, Damage, Effect, Input};
use crate::station::config::LineConfig;
use crate::station::counters::LineCounters;
use crate::station::disk::{Disk, Durability};
use crate::station::feed;

use crate::station::link::{Link, LinkEvent, Ports};
use crate::station::outlets::Teller;
use crate::station::pulse::Pulse;
use crate::station::recorder::{Committer, Gone, Recorder, Unfinished, WriterReport};
use crate::station::trouble::{self, Finding, Troubles, Watch};
use allowance::Allowance;
use clock::{LogClock, Wall};
use effects::count;
use opening::Opened;
use tidy::Keeping;
use underway::Underway;

pub use clock::dates_from;
pub use opening::{Folders, OpeningError};
pub use order::{Answer, Asked, Inbox, Order, orders};
pub use report::{BoardReport, LeftToWait, LineReport, Reporter};
pub use uptime::Uptime;

/// Between two ticks passes at least this, whatever the core asks for: the shell never spins.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// A line that ends waits so long for a disk that fails, and then gives up what is only in memory.
const LONGEST_FINISH: Duration = Duration::from_secs(10);
/// A line for whose bytes there is no memory left looks again after this whether there is.
const MEMORY_AGAIN: Duration = Duration::from_millis(100);

/// A port that never rests is left for a moment after so many reads, for whatever else the line has to do.
const MOST_HEARD_IN_A_ROW: u32 = 64;

/// A lazy line is in its file at once. Who waits for it is not kept from reading it: nothing else is done for so long.
const READERS_FIRST: Duration = Duration::from_millis(1);

/// What the lines of a station share.
#[derive(Clone)]
pub struct Storage {
    /// Where everything is.
    pub disk: Arc<dyn Disk>,
    /// The folders.
    pub folders: Folders,
    /// Who makes logs durable and writes live files.
    pub committer: Committer,
    /// Whether a line of a live file is durable before anybody sees it.
    pub durability: Durability,
}

/// A line shows at least so often that it goes on.
const BEAT: Duration = Duration::from_secs(1);
/// What a board said and no file shows is seen in the status within this: telling it at each byte would keep the next board
/// waiting.
const REPORT: Duration = Duration::from_millis(100);

/// How a line ended.
#[derive(Clone, PartialEq, Debug)]
pub enum LineEnd {
    /// It was told to stop.
    Stopped,
    /// The configuration has it no more, and no game is going on.
    Retired,
    /// It is to be opened again at once: the game is over that had to be played with older settings, or there are new ones.
    Reopen(Option<Box<LineConfig>>),
}

/// What a line works with, and where it tells and is told things. It is the same each time the line is opened.
#[derive(Clone)]
pub struct Surroundings {
    /// Where its files are, and who writes them.
    pub storage: Storage,
    /// Which ports other lines have.
    pub ports: Ports,
    /// True when it is to stop.
    pub stop: watch::Receiver<bool>,
    /// What is known about it.
    pub reporter: Reporter,
    /// Who makes the public files.
    pub teller: Teller,
    /// What it is told by operators.
    pub orders: Inbox,
    /// What it counts.
    pub counters: Arc<LineCounters>,
    /// Where it says what is the matter with its files.
    pub troubles: Troubles,
    /// That it goes on.
    pub pulse: Pulse,
}

/// Why a line cannot go on. It is opened again then.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// It could not be opened.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Its log could not be ended.
    #[error(transparent)]
    Unfinished(#[from] Unfinished),
    /// A bug.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// A bug.
    #[error("a thread of the line broke: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// Runs a line until `shutdown` is true.
///
/// # Errors
///
/// When it cannot be opened or ended. What was published stays right: opening the line again completes it from the log.
pub async fn run(config: LineConfig, surroundings: Surroundings) -> Result<LineEnd, StationError> {
    let mut stop = surroundings.stop.clone();
    let orders = surroundings.orders.clone();
    let pulse = surroundings.pulse.clone();
    pulse.beat();
    let mut station = LineTask::open(config, surroundings).await?;
    station.ask_again().await?;
    let mut beats = tokio::time::interval(BEAT);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut heard_in_a_row = 0;
    loop {
        pulse.beat();
        station.look_at_wall().await?;
        let reports_at = station.report_if_due();
        if let Some(ending) = station.ending() {
            station.stop().await?;
            return Ok(ending);
        }
        let deadline = station.next_tick();
        let held_until = station.write_what_is_due();
        let is_full = station.recorder.is_full();
        let quiet_until = station.allowance.again_at(Instant::now());
        let listens = !is_full && heard_in_a_row < MOST_HEARD_IN_A_ROW && quiet_until.is_none();
        heard_in_a_row += 1;
        tokio::select! {
            // A press is not kept waiting by what would have nothing to say.
            biased;
            event = station.link.next(), if listens => {
                station.on_link(event).await?;
                continue;
            }
            () = told_to_stop(&mut stop) => {
                station.stop().await?;
                return Ok(LineEnd::Stopped);
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => station.on_tick().await?,
            Some(report) = station.from_writer.recv() => station.on_writer(report),
            order = orders.next() => station.on_order(order).await?,
            () = sleep_until(reports_at.unwrap_or_else(Instant::now)), if reports_at.is_some() => {}
            () = sleep_until(held_until.unwrap_or_else(Instant::now)), if held_until.is_some() => {}
            _ = beats.tick() => {}
            () = sleep(MEMORY_AGAIN), if is_full => {}
            () = sleep_until(quiet_until.unwrap_or_else(Instant::now)), if quiet_until.is_some() => {}
            () = std::future::ready(()), if !is_full && !listens && quiet_until.is_none() => {}
        }
        heard_in_a_row = 0;
    }
}

fn keeping(config: &LineConfig) -> Keeping {
    Keeping { compress: config.logs.compress, keep_days: config.logs.keep_days }
}

/// Compresses and removes logs that are not needed any more, while the line records. A fault of the disk is no reason to stop.
fn tidy_logs(line: String, logs: PathBuf, keeping: Keeping) {
    tokio::task::spawn_blocking(move || match tidy::tidy(&logs, &line, keeping, Local::now().fixed_offset()) {
        Ok(done) => done.iter().for_each(|done| info!(line, "{done}")),
        Err(error) => warn!(line, "the logs are not compressed or removed: {error}"),
    });
}

/// Done when the station is to stop, or nobody is left who could tell it so.
pub async fn told_to_stop(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|&stop| stop).await;
}

struct LineTask {
    config: LineConfig,
    /// Where the live files are.
    live: PathBuf,
    /// What the configuration says of it now, if that waits for the end of its games.
    next: Option<Box<LineConfig>>,
    /// The configuration has it no more.
    is_retiring: bool,
    name: String,
    recorder: Recorder,
    committer: Committer,
    link: Link,
    /// The board that is known to be at the open port.
    board: Option<String>,
    clock: LogClock,
    /// How much its port may say.
    allowance: Allowance,
    wall: Wall,
    /// Which moments the times of the line are: the thread that writes asks, too.
    calendar: Arc<Mutex<Calendar>>,
    /// The time of the line when its log was opened.
    shift: Millis,
    is_outdated: bool,
    /// What operators asked of the chain before that this one has not heard yet.
    carried: Vec<Request>,
    /// When its chain of logs has become old.
    rotate_at: Option<Instant>,
    last_tick: Option<Instant>,
    reporter: Reporter,
    /// When it is to be told again how the line is.
    reports_at: Instant,
    /// What the thread that writes has to say.
    from_writer: mpsc::UnboundedReceiver<WriterReport>,
    underway: Arc<Underway>,
    /// Whether a line is durable before anybody sees it.
    durability: Durability,
    /// The files of the games that were opened last.
    live_files: BTreeMap<Option<BusAddress>, PathBuf>,
    /// Who hears of it when they are not where they should be.
    watch: Watch,
    counters: Arc<LineCounters>,
    /// What of the core's counts has been counted.
    damage: Damage,
}

impl LineTask {
    async fn open(config: LineConfig, surroundings: Surroundings) -> Result<LineTask, StationError> {
        let Surroundings { storage, ports, reporter, teller, counters, troubles, .. } = surroundings;
        let Storage { disk, folders, committer, durability } = storage;
        let (name, address) = (config.name.clone(), config.port.clone());
        let board = config.board().map(str::to_owned);
        let (wanted, earlier) = (config.clone(), (committer.clone(), folders.log.join(&name)));
        let live = folders.live.clone();
        let (rotation, keeping, logs) = (opening::rotation(&config), keeping(&config), folders.log.clone());
        // A clock that is set while old logs are played has been set since this log was opened.
        let (wall, opened_at) = (Wall::watch(), Local::now().fixed_offset());
        let open = move || -> Result<Opened, StationError> {
            // A recording that a bug has ended may still be written.
            earlier.0.finish(&earlier.1, LONGEST_FINISH)?;
            Ok(opening::open(&wanted, &folders, &disk, opened_at)?)
        };
        let Opened { line, shift, journal, feeds, is_outdated, notices, calendar, games, header, carried } =
            tokio::task::spawn_blocking(open).await??;
        let clock = LogClock::start(config.time_scale, shift);
        let allowance = Allowance::new(config.time_scale, Instant::now());
        let age = opened_at - calendar.epoch();
        let rotate_at = rotation.map(|longest| Instant::now() + (longest - age).to_std().unwrap_or_default());
        tidy_logs(name.clone(), logs, keeping);
        teller.opened(&name, header, games);
        info!(line = name, log = %journal.path().display(), port = %address, "recording");
        let (live_files, damage) = (feeds.paths().into_iter().collect(), line.damage());
        let underway = Arc::new(Underway::default());
        let calendar = Arc::new(Mutex::new(calendar));
        let moments = Arc::clone(&calendar);
        let (to_line, from_writer) = mpsc::unbounded_channel();
        let (line_name, begun, counted) = (name.clone(), Arc::clone(&underway), Arc::clone(&counters));
        let tell = move |report| match report {
            WriterReport::Published(publications, published_at) => {
                for publication in publications {
                    let begun = begun.arrive();
                    // What is told beside the files waits for company, and a lazy line for nothing.
                    let waited = durability == Durability::Safe && !matches!(publication.effect, Effect::Aside(_));
                    if let Some(begun) = begun.filter(|_| waited) {
                        counted.publishing.count(published_at.saturating_duration_since(begun));
                    }
                    let at = moments.lock().unwrap_or_else(PoisonError::into_inner).moment(publication.at);
                    teller.published(&line_name, publication.board, at, publication.effect);
                }
            }
            // A station that has ended does not want to know.
            other => drop(to_line.send(other)),
        };
        let recorder = Recorder::new(line, shift, journal, feeds, durability, committer.clone(), tell)?;
        let watch = troubles.watch(trouble::PUBLICATION, &format!("live/{name}"));
        let link = Link::new(address, board, ports);
        let mut station = LineTask {
            config,
            live,
            next: None,
            is_retiring: false,
            name,
            recorder,
            committer,
            link,
            board: None,
            clock,
            allowance,
            wall,
            calendar,
            shift,
            is_outdated,
            carried,
            rotate_at,
            last_tick: None,
            reporter,
            reports_at: Instant::now(),
            from_writer,
            underway,
            durability,
            live_files,
            watch,
            counters,
            damage,
        };
        let (port, is_bus) = (station.config.port.to_string(), station.config.mode == Mode::Bus);
        // What its log says is known before anybody sees that it is open.
        station.report();
        station.reporter.update(|row| {
            (row.port, row.is_bus) = (port, is_bus);
            row.is_broken = false;
            row.is_opened = true;
            row.no_link = Some("not opened yet".to_owned());
        });
        station.report_pending();
        station.tell_of_files(&[]);
        notices.iter().for_each(|notice| station.tell(0, notice));
        Ok(station)
    }

    /// A clock that was set has its record, and what follows from it: nobody waits for that.
    async fn look_at_wall(&mut self) -> Result<(), StationError> {
        let Some(jump) = self.wall.jump() else { return Ok(()) };
        let at = self.shift + Millis(self.clock.now());
        let expected = self.calendar.lock().unwrap_or_else(PoisonError::into_inner).moment(at);
        let shown = (expected + jump).with_timezone(&Local).fixed_offset().trunc_subsecs(3);
        self.take(Input::ClockSet(shown)).await
    }

    /// What the thread that writes says.
    fn on_writer(&mut self, report: WriterReport) {
        let now = self.clock.now();
        match report {
            WriterReport::Notice(notice) => self.tell(now, &notice),
            WriterReport::Fault(fault) => {
                error!(line = self.name, "{fault}");
                self.recorder.write(now, RecordKind::Note(fault.clone()));
                self.reporter.update(|row| row.fault = Some(fault));
            }
            WriterReport::Healed => {
                let healed = "the disk is in order again";
                self.tell_news(now, healed);
                self.reporter.update(|row| row.fault = None);
            }
            WriterReport::LiveFiles(files) => {
                self.live_files = files.into_iter().collect();
                self.tell_of_files(&[]);
            }
            WriterReport::Lost(files) => self.tell_of_files(&files),
            WriterReport::Published(..) => {}
        }
    }

    /// What is the matter with the live files: these were lost just now, and games stand elsewhere than readers look for them.
    fn tell_of_files(&self, lost: &[PathBuf]) {
        let finding = |path: &PathBuf, what: String| {
            let file = format!("live/{}", path.file_name().unwrap_or_default().to_string_lossy());
            Finding { board: None, file, what }
        };
        let elsewhere = self.live_files.values().filter(|path| feed::is_recovered(path)).map(|path| {
            let what = "the game stands in this file, for the one with its own name was changed by somebody: readers of that \
                        one see nothing of it";
            finding(path, what.to_owned())
        });
        let elsewhere: Vec<Finding> = elsewhere.collect();
        let lost =
            lost.iter().map(|path| finding(path, "it was taken away, changed or replaced by somebody".to_owned()));
        self.watch.tell(elsewhere.iter().cloned().chain(lost));
        // What was lost is over: the game is in another file, or in one of the same name.
        self.watch.tell(elsewhere);
    }

    fn next_tick(&self) -> Option<Instant> {
        let wanted = self.clock.instant(self.recorder.line().deadline()?);
        Some(self.last_tick.map_or(wanted, |last| wanted.max(last + SHORTEST_TICK)))
    }

    /// Writes what of the log is held back and has to be written; when that has to be done otherwise.
    fn write_what_is_due(&mut self) -> Option<Instant> {
        let due = self.recorder.write_what_is_due(self.clock.now())?;
        Some(self.clock.instant_of(due))
    }

    async fn on_tick(&mut self) -> Result<(), StationError> {
        self.last_tick = Some(Instant::now());
        self.take(Input::Tick).await
    }

    /// How it ends, if it is time for that: new settings are taken when nothing of a game can be lost by it. A new port alone
    /// is taken as soon as nobody answers at the old one.
    fn ending(&mut self) -> Option<LineEnd> {
        if self.is_retiring && !self.recorder.line().has_open_game() {
            return Some(LineEnd::Retired);
        }
        let line = self.recorder.line();
        let is_old = self.rotate_at.is_some_and(|at| Instant::now() >= at) || line.wants_rotation();
        if (self.is_outdated || is_old) && line.may_begin_anew() {
            return Some(LineEnd::Reopen(self.next.take()));
        }
        let next = self.next.as_ref()?;
        let only_port = **next == LineConfig { port: next.port.clone(), ..self.config.clone() };
        let may_begin = self.recorder.line().may_begin_anew() || only_port && !self.link.is_up();
        if may_begin { Some(LineEnd::Reopen(self.next.take())) } else { None }
    }

    async fn on_order(&mut self, order: Order) -> Result<(), StationError> {
        // Who asked for it looks whether it was done.
        self.reports_at = Instant::now();
        match order {
            Order::Request { request, asked, answer } => {
                let done = self.on_request(request, &asked).await?;
                // Who asked may have gone.
                let _ = answer.send(done);
            }
            Order::Configure { config, answer } => {
                let _ = answer.send(self.configure(config));
            }
            Order::Retire { answer } => {
                self.is_retiring = true;
                let ends = if self.recorder.line().has_open_game() { "ends when its game is over" } else { "ends" };
                let _ = answer.send(Some(ends.to_owned()));
            }
        }
        self.report_pending();
        Ok(())
    }

    /// Who asks for what stands in the log before it is done. What comes too late is not done, and that stands there, too.
    async fn on_request(&mut self, mut request: Request, asked: &Asked) -> Result<Answer, StationError> {
        if let Wish::Continue(anyway) = &mut request.wish {
            *anyway |= asked.is_sure;
        }
        let now = self.clock.now();
        let asker = &asked.by;
        let game = ended_by(&request).and_then(|end| Some((self.game_in_words(request.to.address())?, end)));
        let unsure = game.as_ref().filter(|(game, _)| game.runs && !asked.is_sure).map(|(game, _)| game.still_runs());
        let objection = asked.until.too_late().or(unsure);
        if asked.is_trial {
            return Ok(objection.map_or_else(|| self.try_out(now, request, game), Answer::refused));
        }
        if let Some(why) = objection {
            let note = format!("request of {asker}: {request}: {why}");
            warn!(line = self.name, "{note}");
            self.recorder.write(now, RecordKind::Note(note));
            return Ok(Answer::refused(why));
        }
        info!(line = self.name, "request of {asker}: {request}");
        self.counters.requests.add(1);
        self.recorder.write(now, RecordKind::Note(format!("request of {asker}")));
        let mut answer = Answer::default();
        self.take_and_tell(Input::Request(request), |effect| answer.hear(effect)).await?;
        if let Some((game, end)) = game {
            answer.ends(&game.words, &end);
        }
        Ok(answer)
    }

    /// What would come of a request. Nobody is told, and nothing is done.
    fn try_out(&self, now: u64, request: Request, game: Option<(GameInWords, String)>) -> Answer {
        let mut answer = Answer::default();
        self.recorder.foresee(now, request).iter().for_each(|output| answer.hear(&output.effect));
        if let Some((game, end)) = game {
            answer.ends(&game.words, &end);
        }
        answer
    }

    /// What a board of this line is called.
    fn board_name(&self, address: Option<BusAddress>) -> String {
        let named = self.config.boards.iter().find(|board| Some(board.address) == address);
        feed::prefix(&self.name, address, named.map(|board| board.name.as_str()))
    }

    /// The game that is going on at an address of this line; `None`: none is.
    fn game_in_words(&self, address: Option<BusAddress>) -> Option<GameInWords> {
        let line = self.recorder.line();
        let status = match address {
            None => line.status(),
            Some(address) => line.boards().into_iter().find(|(other, _)| *other == address)?.1,
        };
        let game = status.game.filter(|_| status.has_open_game)?;
        let mut words = format!("{}, game {game}", self.board_name(address));
        if let [Some(white), Some(black)] = &status.players {
            write!(words, ", {white} - {black}").ok()?;
        }
        write!(words, ", {} plies", status.plies).ok()?;
        Some(GameInWords { words, runs: status.runs_clock })
    }

    /// Asks for what operators asked for before the settings changed: from then on it stands in this log.
    async fn ask_again(&mut self) -> Result<(), StationError> {
        for request in std::mem::take(&mut self.carried) {
            info!(line = self.name, "as asked before the settings changed: {request}");
            self.recorder.write(self.clock.now(), RecordKind::Note("asked before the settings changed".to_owned()));
            self.take(Input::Request(request)).await?;
        }
        Ok(())
    }

    /// The configuration was read again. What becomes of it, in words.
    fn configure(&mut self, config: Box<LineConfig>) -> Option<String> {
        let was_retiring = std::mem::take(&mut self.is_retiring);
        if *config == self.config {
            let took_back = self.next.take().is_some() || was_retiring;
            return took_back.then(|| "stays as it is".to_owned());
        }
        self.next = Some(config);
        let waits = "new settings, from its next game on";
        Some(if self.recorder.line().may_begin_anew() { "new settings".to_owned() } else { waits.to_owned() })
    }

    fn report_pending(&self) {
        let pending = match (self.is_retiring, self.is_outdated || self.next.is_some()) {
            (true, _) => Some("ends when its game is over"),
            (false, true) => Some("new settings hold from the next game on"),
            (false, false) => None,
        };
        self.reporter.update(|row| row.pending = pending.map(str::to_owned));
    }

    async fn on_link(&mut self, event: LinkEvent) -> Result<(), StationError> {
        if !matches!(event, LinkEvent::Bytes(_)) {
            self.reports_at = Instant::now();
        }
        match event {
            LinkEvent::Up => {
                info!(line = self.name, "the port is open ({})", self.link.place());
                self.counters.connects.add(1);
                self.board = None;
                self.reporter.update(|row| row.no_link = None);
                self.take(Input::LinkUp).await
            }
            LinkEvent::Bytes(bytes) => {
                self.counters.bytes_in.add(bytes.len() as u64);
                self.allowance.spend(bytes.len(), Instant::now());
                self.take(Input::Bytes(bytes)).await
            }
            LinkEvent::Waiting(reason) => {
                warn!(line = self.name, "waiting for the port: {reason}");
                self.reporter.update(|row| row.no_link = Some(reason));
                Ok(())
            }
            LinkEvent::Down(reason) => {
                self.tell_link_is_down(reason);
                self.take(Input::LinkDown).await
            }
        }
    }

    /// Ends the recording. Nothing is published but what was due.
    async fn stop(&mut self) -> Result<(), StationError> {
        if self.link.is_up() {
            // What was due before the end is asked before it: the log ends with the end.
            self.take(Input::Tick).await?;
            self.take(Input::LinkDown).await?;
        }
        let committer = self.committer.clone();
        let log = self.recorder.log().with_file_name(&self.name);
        let finished = tokio::task::spawn_blocking(move || committer.finish(&log, LONGEST_FINISH)).await?;
        while let Ok(report) = self.from_writer.try_recv() {
            if let WriterReport::Notice(text) | WriterReport::Fault(text) = report {
                warn!(line = self.name, "{text}");
            }
        }
        Ok(finished?)
    }

    /// One thing that happened: to the recorder, and what it wants done to where it belongs.
    async fn take(&mut self, input: Input) -> Result<(), StationError> {
        self.take_and_tell(input, |_| {}).await
    }

    /// The same; `on_effect` hears of everything that the core wants done.
    async fn take_and_tell(&mut self, input: Input, mut on_effect: impl FnMut(&Effect)) -> Result<(), StationError> {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let now = match input {
                Input::ClockSet(shown) => {
                    // What is told of earlier times keeps the moments that they had.
                    let now = self.clock.later();
                    self.calendar.lock().unwrap_or_else(PoisonError::into_inner).set(self.shift + Millis(now), shown);
                    now
                }
                _ => self.clock.now(),
            };
            let (counters, underway, reports_at) = (&self.counters, &self.underway, &mut self.reports_at);
            let mut hear_of = |effect: &Effect| {
                count(counters, underway, effect);
                if effect.is_of_file() {
                    // Whoever sees it in the file finds it in the status a moment later.
                    *reports_at = Instant::now();
                }
                on_effect(effect);
            };
            let mut outputs = self.recorder.begin(now, input, &mut hear_of)?;
            if self.recorder.is_unfinished() {
                match self.durability {
                    Durability::Safe => underway.have_arrived().await,
                    Durability::Lazy => sleep(READERS_FIRST).await,
                }
                outputs.extend(self.recorder.finish(&mut hear_of)?);
            }
            let was_up = self.link.is_up();
            next = self.carry_out(now, outputs).await;
            if was_up && !self.link.is_up() {
                next = Some(Input::LinkDown);
            }
        }
        Ok(())
    }

    /// Tells how the line is, unless that was told a moment ago: when it is to be told again.
    fn report_if_due(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if self.reports_at > now {
            return Some(self.reports_at);
        }
        self.reports_at = now + REPORT;
        self.report();
        None
    }

    fn report(&mut self) {
        let now = self.shift + Millis(self.clock.now());
        let line = self.recorder.line();
        let (status, damage) = (line.status(), line.damage());
        self.counters.noise_bytes.add(damage.noise_bytes - self.damage.noise_bytes);
        self.counters.bad_checksums.add(damage.bad_checksums - self.damage.bad_checksums);
        self.damage = damage;
        if status.board.is_some() && status.board != self.board {
            self.board.clone_from(&status.board);
            status.board.iter().filter(|_| status.is_admitted).for_each(|board| self.link.carries(board));
        }
        let live_file = |board: Option<BusAddress>| self.live_files.get(&board).cloned();
        let boards = line.boards().into_iter();
        let boards = boards.map(|(address, status)| BoardReport {
            address,
            name: self.board_name(Some(address)),
            waits: LeftToWait::at(now, &status),
            status,
            since: None,
            live_file: live_file(Some(address)),
        });
        let (boards, live_file) = (boards.collect(), live_file(None));
        let babbles = self.allowance.is_exceeded(Instant::now());
        self.reporter.update(|row| {
            row.babbles = babbles;
            row.waits = LeftToWait::at(now, &status);
            row.status = status;
            row.live_file = live_file;
            row.boards = boards;
        });
    }
}

/// A game that is going on, as an operator is told of it.
struct GameInWords {
    /// Its board, number, players and plies.
    words: String,
    /// Its clock runs.
    runs: bool,
}

impl GameInWords {
    fn still_runs(&self) -> String {
        format!(
            "{}: its clock runs, so it is still being played; with `--sure` the result counts all the same",
            self.words
        )
    }
}

/// How a game ends by a request, in words; `None`: it ends none.
fn ended_by(request: &Request) -> Option<String> {
    match &request.wish {
        Wish::Result(result) => Some(result.clone()),
        Wish::Resign(side) => Some(format!("{side} resigns")),
        _ => None,
    }
}
