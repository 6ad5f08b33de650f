//! Makes the [`Overview`] of a station.
//!
//! ```text
//!   rows of the lines ─┐
//!   counters ──────────┤──▸ Overview ──▸ JSON, a table for people, Prometheus text, alarms
//!   the disk ──────────┘
//! ```
//!
//! Invariant: an overview needs neither a line nor the disk, so it works while they are busy or hang.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Local, SubsecRound};
use damcast_control::overview::{
    AlarmView, AwaitedView, BoardView, ClocksView, DiskView, EntryView, LineView, OutletView, Overview, PairingView,
    ReloadView, SquaresView, UnexplainedView, WaitView, WallTime,
};
use damcast_engine::session::{BusAddress, Condition, EntryStatus, Status};
use tokio::sync::watch;

use crate::counters::{Counters, LineCounters};
use crate::file_problems::{self, FileProblems};
use crate::line::{BoardReport, LineReport, WaitStatus};

/// Tournament status of the boards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentStatus {
    /// Open round of each board that plays in one; `None` until the record of the tournament has been read.
    pub open_rounds: Option<BTreeMap<String, u32>>,
    /// Pairings of the open rounds, by board.
    pub pairings: BTreeMap<String, PairingView>,
    /// Pairings that wait for a result, in order.
    pub awaited: Vec<AwaitedView>,
    /// Pairings on whose boards an unassigned game is running.
    pub begun_before: Vec<AwaitedView>,
    /// Number and players of running games whose players were corrected since their start, by board.
    pub players: BTreeMap<String, (u32, [Option<String>; 2])>,
}

/// Sources of overviews.
#[derive(Clone)]
pub struct Observer {
    /// Folder of the recordings.
    pub directory: PathBuf,
    /// Latest state of all lines.
    pub rows: watch::Receiver<Vec<LineReport>>,
    /// Counters of all lines.
    pub counters: Counters,
    /// Problems with the station's files.
    pub problems: FileProblems,
    /// Latest state of the disk.
    pub disk: watch::Receiver<Option<DiskView>>,
    /// Raised alarms.
    pub alarms: watch::Receiver<Vec<AlarmView>>,
    /// Last reload.
    pub reload: watch::Receiver<Option<ReloadView>>,
    /// Outlets.
    pub outlets: watch::Receiver<Vec<OutletView>>,
    /// Tournament status.
    pub office: watch::Receiver<TournamentStatus>,
    /// Start of the station.
    pub started: StartTime,
}

/// Start time, as a date and on a clock that cannot be set.
#[derive(Clone, Copy)]
pub struct StartTime {
    at: WallTime,
    instant: std::time::Instant,
}

impl StartTime {
    /// Returns the current time.
    pub fn now() -> StartTime {
        StartTime { at: now(), instant: std::time::Instant::now() }
    }
}

/// Returns the current time in whole milliseconds.
pub fn now() -> WallTime {
    Local::now().fixed_offset().trunc_subsecs(3)
}

impl Observer {
    /// Returns the current state of the station.
    pub fn overview(&self) -> Overview {
        let rows = self.rows.borrow().clone();
        let counters = self.counters.all();
        Overview {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            started: self.started.at,
            uptime_s: self.started.instant.elapsed().as_secs(),
            directory: self.directory.clone(),
            disk: *self.disk.borrow(),
            boards: self.boards(&rows),
            results_awaited: self.office.borrow().awaited.clone(),
            unassigned_games: self.office.borrow().begun_before.clone(),
            lines: rows.iter().map(|row| line(row, counters.iter().find(|(name, _)| *name == row.name))).collect(),
            outlets: self.outlets.borrow().clone(),
            alarms: self.alarms.borrow().clone(),
            reload: self.reload.borrow().clone(),
        }
    }

    /// Returns the file prefix of a board that an operator names by that prefix or as LINE/ADDRESS.
    pub fn find_board(&self, name: &str) -> Option<String> {
        let is_it = |board: &BoardView| {
            board.name == name || board.address.is_some_and(|address| format!("{}/{address}", board.line) == name)
        };
        boards(&self.rows.borrow(), now()).into_iter().find(is_it).map(|board| board.name)
    }

    /// Returns the open round of each board that plays in one; `None` until the record of the tournament has been read.
    pub fn open_rounds(&self) -> Option<BTreeMap<String, u32>> {
        self.office.borrow().open_rounds.clone()
    }

    /// Whether people enter the moves of the board of this name: always, or for the rest of its game.
    pub fn is_entry_board(&self, name: &str) -> bool {
        let is_on = |row: &LineReport| {
            let entry = status_of(row, name).and_then(|status| status.entry.as_ref());
            row.name == name && row.is_entry || entry.is_some_and(|entry| entry.is_on)
        };
        self.rows.borrow().iter().any(is_on)
    }

    /// Returns a board whose moves people enter and the state of its game; `None` if there is none of this name, or its line is not open.
    pub fn entry_board(&self, name: &str) -> Option<(BoardView, EntryStatus)> {
        let is_its = |row: &&LineReport| !row.is_broken && status_of(row, name).is_some();
        let row = self.rows.borrow().iter().find(is_its).cloned()?;
        let entry = status_of(&row, name)?.entry.clone()?;
        let mut view = boards(std::slice::from_ref(&row), now()).into_iter().find(|view| view.name == name)?;
        apply_tournament(&mut view, &self.office.borrow());
        Some((view, entry))
    }

    fn boards(&self, rows: &[LineReport]) -> Vec<BoardView> {
        let mut boards = boards(rows, now());
        boards.iter_mut().for_each(|board| apply_tournament(board, &self.office.borrow()));
        for problem in
            self.problems.current().into_iter().filter(|problem| problem.kind == file_problems::PUBLICATION_ALARM)
        {
            if let Some(board) = boards.iter_mut().find(|board| Some(&board.name) == problem.board.as_ref()) {
                // Publication may be paused in several outlets.
                let before = board.publication.take().map(|text| text + "; ").unwrap_or_default();
                board.publication = Some(before + &problem.text);
            }
        }
        boards
    }
}

/// Returns the status of the board of this name, if the line has it.
fn status_of<'row>(row: &'row LineReport, name: &str) -> Option<&'row Status> {
    match row.boards.as_slice() {
        [] => Some(&row.status).filter(|_| row.name == name),
        boards => boards.iter().find(|board| board.name == name).map(|board| &board.status),
    }
}

/// Returns the space on the disk of a folder; `None` if unknown.
pub fn disk(folder: &Path) -> Option<DiskView> {
    let stats = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stats.f_frsize);
    // Some file systems report zero blocks, which is no full disk.
    (stats.f_blocks > 0).then(|| DiskView { free_bytes: bytes(stats.f_bavail), total_bytes: bytes(stats.f_blocks) })
}

/// A board as its line reports it. A bus without known boards counts as one board.
pub struct BoardRow<'r> {
    /// Report of the line.
    pub line: &'r LineReport,
    /// Address on a bus.
    pub address: Option<BusAddress>,
    /// Prefix of the names of its files.
    pub name: &'r str,
    /// Status of the core.
    pub status: &'r Status,
    since: Option<WallTime>,
    waits: Option<WaitStatus>,
    live_file: Option<&'r PathBuf>,
}

impl<'r> BoardRow<'r> {
    /// Returns the state of the game that people enter, if they do at present.
    pub fn entry(&self) -> Option<&'r EntryStatus> {
        self.status.entry.as_ref().filter(|entry| entry.is_on)
    }

    /// Returns the name of the board's condition.
    pub fn state(&self) -> &'static str {
        match (self.line.is_broken, self.missing_link()) {
            (true, _) => "broken",
            (false, Some(_)) => Condition::NoConnection.as_str(),
            (false, None) => self.status.condition.as_str(),
        }
    }

    /// Returns why the board is not heard. While people enter the moves, the link does not matter.
    fn missing_link(&self) -> Option<&'r String> {
        self.line.no_link.as_ref().filter(|_| self.line.is_entry || self.entry().is_none())
    }
}

/// Returns all boards of some lines, in their order.
pub fn board_rows(rows: &[LineReport]) -> impl Iterator<Item = BoardRow<'_>> {
    rows.iter().flat_map(|line| {
        let alone = line.boards.is_empty().then(|| BoardRow {
            line,
            address: None,
            name: &line.name,
            status: &line.status,
            since: line.since,
            waits: line.wait_status,
            live_file: line.live_file.as_ref(),
        });
        let of_bus = line.boards.iter().map(move |board: &BoardReport| BoardRow {
            line,
            address: Some(board.address),
            name: &board.name,
            status: &board.status,
            since: if line.no_link.is_some() { line.since } else { board.since },
            waits: board.wait_status,
            live_file: board.live_file.as_ref(),
        });
        alone.into_iter().chain(of_bus)
    })
}

/// Returns the views of all boards of some lines.
pub fn boards(rows: &[LineReport], now: WallTime) -> Vec<BoardView> {
    board_rows(rows).map(|row| board(&row, now)).collect()
}

fn board(row: &BoardRow<'_>, now: WallTime) -> BoardView {
    let BoardRow { line, status, since, .. } = *row;
    let entry = row.entry();
    BoardView {
        name: row.name.to_owned(),
        line: line.name.clone(),
        address: row.address.map(BusAddress::number),
        serial: status.board.clone(),
        state: row.state().to_owned(),
        text: row.missing_link().cloned().unwrap_or_else(|| status.state.clone()),
        since,
        since_s: since.map(|since| u64::try_from((now - since).num_seconds()).unwrap_or(0)),
        held: status.is_held,
        game: status.game,
        is_ongoing: status.has_open_game,
        white: status.players[0].clone(),
        black: status.players[1].clone(),
        plies: status.plies,
        last: status.last_line.clone(),
        clocks: status.clocks.map(|[white, black]| ClocksView { white, black }),
        clock_missing: status.clock_missing,
        provisional: status.likely_moves.clone(),
        waits: row.waits.map(WaitView::from),
        unexplained: status.unexplained.as_ref().map(|doubt| UnexplainedView {
            squares: doubt.squares.clone(),
            interpretations: doubt.interpretations.clone(),
        }),
        squares: status.squares.as_ref().map(SquaresView::from),
        entry: entry.map(|entry| entry_view(status, entry)),
        missing_moves: status.missing_moves.clone(),
        wrong_start: status.start_problem.clone(),
        publication: None,
        file: row.live_file.cloned(),
        pairing: None,
        proposed_result: status.proposed_result.clone(),
        assigned_pairing: status.pairing.clone(),
    }
}

/// Returns the place of the next ply. After a game it is that of the next game.
fn entry_view(status: &Status, entry: &EntryStatus) -> EntryView {
    let (game, ply) = match status.condition {
        Condition::Over => (status.game.unwrap_or(entry.game) + 1, 1),
        _ => (entry.game, entry.plies.len() as u32 + 1),
    };
    EntryView { game, ply, claim: entry.claim.clone() }
}

fn line(row: &LineReport, counters: Option<&(String, Arc<LineCounters>)>) -> LineView {
    let count = |of: fn(&LineCounters) -> u64| counters.map_or(0, |(_, counters)| of(counters));
    LineView {
        name: row.name.clone(),
        port: row.port.clone(),
        mode: match (row.is_entry, row.is_bus) {
            (true, _) => "entry",
            (false, true) => "bus",
            (false, false) => "single",
        }
        .to_owned(),
        link: row.no_link.clone().unwrap_or_else(|| "open".to_owned()),
        pending: row.pending.clone(),
        fault: row.fault.clone(),
        text: row.status.state.clone(),
        bytes_in: count(|counters| counters.bytes_in.get()),
        bytes_out: count(|counters| counters.bytes_out.get()),
        noise_bytes: count(|counters| counters.noise_bytes.get()),
        bad_checksums: count(|counters| counters.bad_checksums.get()),
        connects: count(|counters| counters.connects.get()),
        plies: count(|counters| counters.plies.get()),
        setups: count(|counters| counters.setups.get()),
    }
}

impl From<WaitStatus> for WaitView {
    fn from(left: WaitStatus) -> WaitView {
        WaitView { what: left.reason.to_owned(), seconds: left.seconds }
    }
}

/// Adds the pairing of a board, and names corrected since its game began.
fn apply_tournament(board: &mut BoardView, office: &TournamentStatus) {
    board.pairing = office.pairings.get(&board.name).cloned();
    if let Some((game, [white, black])) = office.players.get(&board.name)
        && board.game == Some(*game)
    {
        board.white = white.clone().or(board.white.take());
        board.black = black.clone().or(board.black.take());
    }
}
