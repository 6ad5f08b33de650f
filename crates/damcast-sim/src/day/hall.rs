//! A hall of simulated boards with its station, in virtual time.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::TimeDelta;
use damcast_control::tournament::TournamentRequest;
use damcast_engine::broadcast::WallTime;
use damcast_engine::bytelog::{Header, KEY_CONTINUES, KEY_GAMES_BEFORE, Record, RecordKind};
use damcast_engine::calendar;
use damcast_engine::livefile;
use damcast_engine::millis::Millis;
use damcast_engine::playback::{self, PlayedGame};
use damcast_engine::session::request::{BoardPairing, OperatorCommand, Request, Target};
use damcast_engine::session::{Condition, Effect, Input, Line, LineSettings, Status};
use damcast_station::config::{Config, LineConfig};
use damcast_station::disk::{Disk, RealDisk};
use damcast_station::journal::chain::{KEY_PREVIOUS_LOG, PreviousLog};
use damcast_station::journal::history::{self, LogHistory};
use damcast_station::operate::tournament_actor;
use damcast_station::outlets::{GameLifecycle, OpenedGames, Outlets};
use damcast_station::tournament_service::{SERIAL, StationBoard, TournamentService};
use hardware_sim::board::BoardOptions;
use hardware_sim::faults::Fault;
use hardware_sim::random::Rng;
use hardware_sim::world::{SeatConfig, World};

use super::super::games::SourceGame;
use super::super::script;
use super::{Day, DayReport};

/// Time that a board stays after its game, with the pieces put back: its file is closed meanwhile.
const REMAIN_MS: u64 = 60_000;
/// Minimum pause between two games of a board.
const PAUSE_MS: u64 = 120_000;
/// Interval at which the tournament service checks the boards.
const CHECK_INTERVAL_MS: u64 = 500;

pub(crate) struct Hall<'d> {
    day: &'d Day,
    config: Config,
    outlets: Outlets,
    tables: Vec<SimulatedTable>,
    /// Time of the next event of each table.
    next: Vec<u64>,
    base: WallTime,
    rng: Rng,
    report: DayReport,
    now: u64,
    next_kill: u64,
    next_write: u64,
    /// Tournament service, if a tournament is played.
    office: Option<SimulatedOffice>,
    /// Board at the cable of each line.
    cables: Vec<usize>,
}

/// Tournament service of a hall.
struct SimulatedOffice {
    service: TournamentService,
    has_pending_work: bool,
    /// Time of the next check of the boards.
    next_check: u64,
}

/// Board with its remaining games and its recorder.
struct SimulatedTable {
    config: LineConfig,
    games: Vec<SourceGame>,
    world: World,
    /// Start time of the simulated world.
    started_at: u64,
    /// Time until which the board is unplugged.
    down_until: Option<u64>,
    next_outage: u64,
    recorder: Option<SimulatedRecorder>,
    is_done: bool,
    seed: u64,
}

struct SimulatedRecorder {
    line: Line,
    log: File,
    log_opened: u64,
    chain_opened: u64,
    epoch: WallTime,
    live: Option<File>,
    live_path: PathBuf,
}

impl<'d> Hall<'d> {
    pub(super) fn new(day: &'d Day, pool: &[SourceGame]) -> io::Result<Hall<'d>> {
        let config = day.config();
        for folder in ["log", "live", "public"] {
            fs::create_dir_all(day.directory.join(folder))?;
        }
        let mut rng = Rng::stream(day.seed, "day");
        let mut tables = Vec::new();
        for (index, line) in config.lines.iter().enumerate() {
            let pick = |game: usize| pool[(index * day.games + game) % pool.len()].clone();
            let mut games: Vec<SourceGame> = (0..day.games).map(pick).collect();
            games.reverse();
            let first = games.pop().ok_or_else(|| io::Error::other("no game to play"))?;
            let seed = day.seed.wrapping_mul(1000).wrapping_add(index as u64);
            let world = world(day, &first, seed, None)?;
            // Stagger the starts of the boards.
            let began = rng.below(20_000);
            let next_outage = exponential_wait(&mut rng, day.outage_every_ms);
            tables.push(SimulatedTable {
                config: line.clone(),
                games,
                world,
                started_at: began,
                down_until: Some(began),
                next_outage,
                recorder: None,
                is_done: false,
                seed,
            });
        }
        let base = WallTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap_or_default();
        let next = vec![0; tables.len()];
        let outlets = Outlets::new(&config);
        let recorded = DayReport::default();
        let (next_kill, next_write) = (exponential_wait(&mut rng, day.kill_every_ms), day.write_every_ms);
        let (desk, cables) = (None, (0..tables.len()).collect());
        Ok(Hall {
            day,
            config,
            outlets,
            tables,
            next,
            base,
            rng,
            report: recorded,
            now: 0,
            next_kill,
            next_write,
            office: desk,
            cables,
        })
    }

    /// Creates a hall without games, with a tournament service: boards are identified by their serial numbers.
    pub(crate) fn for_tournament(day: &'d Day, pool: &[SourceGame]) -> io::Result<Hall<'d>> {
        let mut hall = Hall::new(day, pool)?;
        for table in &mut hall.tables {
            table.games.clear();
            (table.is_done, table.started_at) = (true, u64::MAX);
        }
        hall.open_office()?;
        hall.open_all(0)?;
        Ok(hall)
    }

    fn open_office(&mut self) -> io::Result<()> {
        let mut office = TournamentService::open(Arc::new(RealDisk), &self.day.directory.join("log"))?;
        let tables = (0..self.tables.len()).map(|board| format!("{SERIAL}{:05}", serial(board))).collect();
        office.configure(tables, 1);
        self.office = Some(SimulatedOffice { service: office, has_pending_work: true, next_check: 0 });
        Ok(())
    }

    fn moment(&self) -> WallTime {
        self.base + TimeDelta::milliseconds(self.now as i64)
    }

    /// Sends an arbiter's request, a second later.
    pub(crate) fn request(&mut self, request: impl Into<TournamentRequest>) -> io::Result<()> {
        self.now += 1000;
        let now = self.moment();
        let Some(desk) = &mut self.office else { return Ok(()) };
        desk.service.set_now(now);
        desk.has_pending_work = true;
        let done = desk.service.execute(&request.into(), "arbiter").map_err(io::Error::other)?;
        done.record.iter().for_each(|record| self.outlets.recorded(record));
        self.check_boards()
    }

    /// Runs one check of the tournament service: games get their names, boards their pairings.
    fn check_boards(&mut self) -> io::Result<()> {
        let now = self.moment();
        let Some(desk) = self.office.as_mut().filter(|desk| desk.has_pending_work || desk.next_check <= self.now)
        else {
            return Ok(());
        };
        desk.next_check = self.now + CHECK_INTERVAL_MS;
        let status =
            |table: &SimulatedTable| table.recorder.as_ref().map(|recorder| recorder.line.status()).unwrap_or_default();
        let board = |table: &SimulatedTable| {
            let Status { board: serial, condition, .. } = status(table);
            let is_connected = condition != Condition::NoConnection;
            StationBoard { name: table.config.name.clone(), serial, is_connected, is_known: true }
        };
        desk.has_pending_work |= desk.service.set_boards(self.tables.iter().map(board).collect());
        if !std::mem::take(&mut desk.has_pending_work) {
            return Ok(());
        }
        desk.service.set_now(now);
        let done = desk.service.apply_board_results(&BTreeMap::new()).map_err(io::Error::other)?;
        done.record.iter().for_each(|record| self.outlets.recorded(record));
        let tournament = desk.service.tournament();
        let plays: Vec<Option<Arc<BoardPairing>>> = self.tables.iter().map(|table| status(table).pairing).collect();
        let known = self.tables.iter().zip(&plays).map(|(table, plays)| (table.config.name.as_str(), plays.as_deref()));
        for (board, pairing) in tournament_actor::pairings_due(tournament, desk.service.games(), known) {
            let Some(index) = self.tables.iter().position(|table| table.config.name == board) else { continue };
            let request = Request { target: Target::OnlyBoard, command: OperatorCommand::SetPairing(pairing) };
            self.apply_event(index, self.now, Input::Request(request))?;
            self.next[index] = self.tables[index].next(self.day);
        }
        Ok(())
    }

    /// Swaps the cables of two boards.
    pub(crate) fn swap(&mut self, one: usize, other: usize) {
        self.cables.swap(one, other);
    }

    /// Kills and restarts the station.
    pub(crate) fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        self.now += 500 + self.rng.below(10_000);
        self.outlets = Outlets::new(&self.config);
        if self.office.is_some() {
            self.open_office()?;
        }
        self.report.kills += 1;
        self.open_all(self.now)?;
        self.check_boards()
    }

    /// Starts a game on each board, after a random delay.
    pub(crate) fn begin(&mut self, games: Vec<Option<SourceGame>>) -> io::Result<()> {
        for index in 0..self.tables.len() {
            let board = self.cables[index];
            let Some(Some(game)) = games.get(board) else { continue };
            let began = self.now + 20_000 + self.rng.below(20_000);
            let table = &mut self.tables[index];
            table.seed = table.seed.wrapping_add(500);
            table.world = world(self.day, game, table.seed, Some(serial(board)))?;
            (table.started_at, table.down_until, table.is_done) = (began, Some(began), false);
            table.next_outage = began + exponential_wait(&mut self.rng, self.day.outage_every_ms);
            self.next[index] = began;
        }
        Ok(())
    }

    pub(super) fn play(mut self, mut watch: impl FnMut(u64)) -> io::Result<DayReport> {
        self.open_all(0)?;
        self.play_until_idle(|hall| {
            watch(hall.now);
            Ok(())
        })?;
        let recorded = self.end()?;
        watch(recorded.ms);
        Ok(recorded)
    }

    /// Runs until no board has a game, or the day ends. Calls `written` whenever the public files are written.
    pub(crate) fn play_until_idle(&mut self, mut written: impl FnMut(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let is_over = |hall: &Self| hall.day.until_ms > 0 && hall.now >= hall.day.until_ms;
        while self.tables.iter().any(|table| !table.is_done) && !is_over(self) {
            let (index, next) =
                self.next.iter().copied().enumerate().min_by_key(|(_, next)| *next).unwrap_or((0, u64::MAX));
            if self.next_write <= next && self.next_write <= self.next_kill {
                self.now = self.now.max(self.next_write);
                self.next_write = self.now + self.day.write_every_ms;
                self.write(self.now);
                written(self)?;
            } else if self.next_kill <= next {
                self.now = self.now.max(self.next_kill);
                self.restart()?;
                self.next_kill = self.now + exponential_wait(&mut self.rng, self.day.kill_every_ms);
            } else {
                self.now = self.now.max(next);
                self.step(index, self.now)?;
                self.next[index] = self.tables[index].next(self.day);
                self.check_boards()?;
            }
        }
        Ok(())
    }

    /// Stops the station, and writes the public files after the delays of all outlets.
    pub(crate) fn end(mut self) -> io::Result<DayReport> {
        let mut now = self.now;
        self.stop(now)?;
        for outlet in &self.day.outlets {
            now = now.max(self.report.ms) + u64::from(outlet.delay.seconds) * 1000;
        }
        self.write(now);
        self.report.ms = now;
        Ok(self.report)
    }

    fn write(&mut self, now: u64) {
        self.outlets.write(self.base + TimeDelta::milliseconds(now as i64));
        self.report.writes += 1;
    }

    fn open_all(&mut self, now: u64) -> io::Result<()> {
        for index in 0..self.tables.len() {
            self.tables[index].advance_world(now);
            self.open(index, now)?;
            if !self.tables[index].is_done
                && self.tables[index].down_until.is_none()
                && self.tables[index].started_at <= now
            {
                self.apply_event(index, now, Input::LinkUp)?;
            }
            self.next[index] = self.tables[index].next(self.day);
        }
        Ok(())
    }

    /// Opens a line as a station does.
    fn open(&mut self, index: usize, now: u64) -> io::Result<()> {
        let (log, live) = (self.day.directory.join("log"), self.day.directory.join("live"));
        let config = &self.tables[index].config;
        let history = LogHistory::read(&RealDisk, &log, &config.name)?;
        let played = playback::play(history.logs, None).map_err(io::Error::other)?;
        let mut path = PathBuf::new();
        for game in &played.games {
            path = live.join(format!("{}-{}.pdn", config.name, game.number()));
            complete_live_file(&path, game)?;
        }
        let opened = self.base + TimeDelta::milliseconds(now as i64);
        let (line, chain, continues) = match played.last_chain {
            Some(chain) => (Some(chain.line), chain.header, "yes"),
            None => (None, config.header(), "no"),
        };
        let mut header = Header { opened: Some(opened), ..chain.clone() };
        header.other.retain(|(key, _)| key != KEY_CONTINUES && key != KEY_GAMES_BEFORE && key != KEY_PREVIOUS_LOG);
        if let Some(last) = history.last {
            let before = PreviousLog::from_log(&*RealDisk.open(&history::path(&log, &config.name, last))?, last)?;
            header.other.push((KEY_PREVIOUS_LOG.to_owned(), before.to_string()));
        }
        header.other.push((KEY_CONTINUES.to_owned(), continues.to_owned()));
        header
            .other
            .push((KEY_GAMES_BEFORE.to_owned(), played.games.last().map_or(0, |game| game.number()).to_string()));
        let chain = if line.is_some() { chain } else { header.clone() };
        let line = match line {
            Some(line) => line,
            None => Line::new(LineSettings::from_header(&header, None).map_err(io::Error::other)?.0),
        };
        let mut file =
            OpenOptions::new().append(true).create_new(true).open(history::path(&log, &config.name, history.next))?;
        file.write_all(header.to_sealed_text().as_bytes())?;
        let mut games = OpenedGames::default();
        played.games.iter().for_each(|game| games.add(game, None));
        if let Some(desk) = &mut self.office {
            desk.service.on_game_event(GameLifecycle::opened(&config.name, games.facts), |line, _| line.to_owned());
        }
        self.outlets.opened(&config.name.clone(), &chain, games.stored);
        let epoch = chain.opened.unwrap_or(opened);
        let live = if path.exists() { Some(OpenOptions::new().append(true).open(&path)?) } else { None };
        let chain_opened = u64::try_from((epoch - self.base).num_milliseconds()).unwrap_or(0);
        self.tables[index].recorder =
            Some(SimulatedRecorder { line, log: file, log_opened: now, chain_opened, epoch, live, live_path: path });
        Ok(())
    }

    /// Kills the station: writes in progress may be torn.
    fn kill(&mut self) -> io::Result<()> {
        for table in &mut self.tables {
            let Some(mut recorder) = table.recorder.take() else { continue };
            if self.rng.below(2) == 0 {
                recorder.log.write_all(b"999999999 < 8e00")?;
            }
            if self.rng.below(3) == 0 {
                truncate_file(&recorder.live_path, self.rng.below(60))?;
            }
        }
        if self.rng.below(2) == 0 {
            for outlet in &self.day.outlets {
                truncate_file(&self.day.directory.join(&outlet.directory).join("events.ndjson"), self.rng.below(900))?;
            }
        }
        if self.rng.below(2) == 0 {
            fs::write(self.day.directory.join("public/games.pdn.new"), "[Event \"torn")?;
        }
        Ok(())
    }

    /// Stops the station: runs what is due, then closes the links.
    fn stop(&mut self, now: u64) -> io::Result<()> {
        for index in 0..self.tables.len() {
            if !self.tables[index].is_done && self.tables[index].down_until.is_none() {
                self.apply_event(index, now, Input::Tick)?;
                self.apply_event(index, now, Input::LinkDown)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, index: usize, now: u64) -> io::Result<()> {
        let table = &mut self.tables[index];
        if let Some(until) = table.down_until {
            if now < until {
                return Ok(());
            }
            table.down_until = None;
            table.advance_world(now);
            return self.apply_event(index, now, Input::LinkUp);
        }
        if self.day.outage_every_ms > 0 && now >= table.next_outage {
            let length = 300 + self.rng.below(40_000);
            table.next_outage = now + length + exponential_wait(&mut self.rng, self.day.outage_every_ms);
            table.down_until = Some(now + length);
            self.report.outages += 1;
            return self.apply_event(index, now, Input::LinkDown);
        }
        if table.is_over(now) {
            let down = self.apply_event(index, now, Input::LinkDown);
            let pause = PAUSE_MS + self.rng.below(60_000);
            let table = &mut self.tables[index];
            match table.games.pop() {
                Some(game) => {
                    table.seed = table.seed.wrapping_add(500);
                    table.world = world(self.day, &game, table.seed, None)?;
                    table.started_at = now + pause;
                    table.down_until = Some(now + pause);
                }
                None => table.is_done = true,
            }
            return down;
        }
        let reads = table.world.advance(now - table.started_at);
        for (_, bytes) in reads {
            self.apply_event(index, now, Input::Bytes(bytes))?;
        }
        let recorder = self.tables[index].recorder.as_ref();
        if recorder.is_some_and(|recorder| recorder.deadline().is_some_and(|deadline| deadline <= now)) {
            self.apply_event(index, now, Input::Tick)?;
        }
        Ok(())
    }

    /// Applies one input as the station does.
    fn apply_event(&mut self, index: usize, now: u64, input: Input) -> io::Result<()> {
        let table = &mut self.tables[index];
        let Some(recorder) = &mut table.recorder else { return Ok(()) };
        let at = now - recorder.log_opened;
        let mut log = |log: &mut File, kind: RecordKind| {
            self.report.records += 1;
            log.write_all(Record::new(at, kind).to_line().as_bytes())
        };
        let time = Millis(now - recorder.chain_opened);
        let mut outputs = if input == Input::Tick { recorder.line.advance_to(time) } else { Vec::new() };
        // A tick is logged only if it led to a publication.
        if input != Input::Tick || outputs.iter().any(|output| output.effect.is_publication()) {
            log(&mut recorder.log, input.to_record())?;
            outputs.extend(recorder.line.handle(time, input));
        }
        for output in outputs {
            match &output.effect {
                Effect::Send(bytes) => {
                    log(&mut recorder.log, RecordKind::ToBoard(bytes.clone()))?;
                    table.world.receive(now - table.started_at, bytes);
                }
                Effect::Notice(text)
                | Effect::Info(text)
                | Effect::Refused(text)
                | Effect::AlreadyDone(text)
                | Effect::Note(text) => log(&mut recorder.log, RecordKind::Note(text.clone()))?,
                Effect::GameOpened(opening) => {
                    let name = format!("{}-{}.pdn", table.config.name, opening.game);
                    recorder.live_path = self.day.directory.join("live").join(name);
                    recorder.live = Some(OpenOptions::new().append(true).create_new(true).open(&recorder.live_path)?);
                }
                _ => {}
            }
            for line in output.effect.lines() {
                self.report.lines += 1;
                if let Some(file) = &mut recorder.live {
                    file.write_all(format!("{line}\n").as_bytes())?;
                }
            }
            if let Effect::GameEnded { result: Some(result), .. } = &output.effect {
                set_result(&recorder.live_path, result)?;
            }
            if let (Some(desk), Some(news)) =
                (&mut self.office, GameLifecycle::from_effect(&table.config.name, None, &output.effect))
            {
                desk.has_pending_work |= desk.service.on_game_event(news, |line, _| line.to_owned());
            }
            let moment = calendar::moment(recorder.epoch, output.at);
            self.outlets.published(&table.config.name, None, moment, output.effect);
        }
        Ok(())
    }
}

impl SimulatedTable {
    /// Returns the time of the table's next event.
    fn next(&self, day: &Day) -> u64 {
        if self.is_done {
            return u64::MAX;
        }
        if let Some(until) = self.down_until {
            return until;
        }
        let world = self.world.next_time().map(|next| self.started_at + next);
        let deadline = self.recorder.as_ref().and_then(SimulatedRecorder::deadline);
        let over = self.started_at + self.world.end_ms() + REMAIN_MS;
        let outage = if day.outage_every_ms > 0 { self.next_outage } else { u64::MAX };
        let soonest = world.into_iter().chain(deadline).chain([over, outage]).min();
        soonest.unwrap_or(over).max(self.started_at)
    }

    fn is_over(&self, now: u64) -> bool {
        now >= self.started_at + self.world.end_ms() + REMAIN_MS
    }

    /// Advances the board's world without recording it.
    fn advance_world(&mut self, now: u64) {
        if let Some(since) = now.checked_sub(self.started_at) {
            self.world.advance(since);
        }
    }
}

impl SimulatedRecorder {
    fn deadline(&self) -> Option<u64> {
        self.line.deadline().map(|at| at.0.saturating_add(self.chain_opened))
    }
}

fn serial(board: usize) -> u32 {
    1001 + board as u32
}

fn world(day: &Day, game: &SourceGame, seed: u64, serial: Option<u32>) -> io::Result<World> {
    let mut profile = day.profile.clone();
    profile.set_rate(Fault::Reset, 1.0);
    let script = script::game(&game.start, &game.moves, day.control, &profile, seed).rotated(seed % 2 == 1);
    let geometry = &game.start.variant().geometry;
    let mut setting = SeatConfig::new(geometry.height() as u8, geometry.width() as u8, script, profile, seed);
    if let Some(serial) = serial {
        setting.board = Some(BoardOptions { serial, ..setting.draw_board() });
    }
    World::new(setting).map_err(io::Error::other)
}

/// Draws a random time with this mean; practically infinite for 0.
fn exponential_wait(rng: &mut Rng, mean_ms: u64) -> u64 {
    if mean_ms == 0 { u64::MAX / 2 } else { mean_ms / 2 + rng.below(mean_ms.max(1)) }
}

/// Removes the last bytes of a file, as a lost write would.
fn truncate_file(path: &Path, bytes: u64) -> io::Result<()> {
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return Ok(()) };
    file.set_len(file.metadata()?.len().saturating_sub(bytes))
}

fn complete_live_file(path: &Path, game: &PlayedGame) -> io::Result<()> {
    let found = fs::read(path).unwrap_or_default();
    let whole = game.file.bytes();
    if whole.starts_with(&found) || game.file.body_bytes().starts_with(&found) {
        return fs::write(path, whole);
    }
    Err(io::Error::other(format!("{} is not what its log says", path.display())))
}

fn set_result(path: &Path, result: &str) -> io::Result<()> {
    let mut bytes = fs::read(path)?;
    if let Some((at, tag)) = livefile::result_patch(&bytes, result) {
        bytes.splice(at..at + tag.len(), tag);
    }
    fs::write(path, bytes)
}
