//! State of a station as a document, for `damcast status --json`, `/metrics` and alarms.
//!
//! ```text
//!   rows of the lines ─┐
//!   counters ──────────┤──▸ Overview ──▸ JSON, a table for people, Prometheus text, alarms
//!   the disk ──────────┘
//! ```
//!
//! Invariants: an overview needs neither a line nor the disk, so it works while they are busy or hang. Members are added, never
//! renamed. The types mirror those of the core, which do not support JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Local, SubsecRound};
use draughts_pdn::fen;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::engine::session::request::BoardPairing;
use crate::engine::session::{BoardSquares, Condition, Status, notes};
use crate::station::counters::Counters;
use crate::station::file_problems::{self, FileProblems};
use crate::station::line::{LineReport, WaitStatus};

/// Date and time.
type WallTime = DateTime<FixedOffset>;

/// State of a station.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Overview {
    /// Version of damcast.
    pub version: String,
    /// Process id.
    pub pid: u32,
    /// Start time.
    pub started: WallTime,
    /// Time since the start, in seconds.
    pub uptime_s: u64,
    /// Folder of the recordings.
    pub directory: PathBuf,
    /// Disk of that folder.
    pub disk: Option<DiskView>,
    /// All boards, in the order of the configuration, those of a bus by address.
    pub boards: Vec<BoardView>,
    /// Pairings that wait for a result: of open rounds, those whose games are over or show a result; of earlier rounds, those without a
    /// result that are not postponed.
    #[serde(default)]
    pub results_awaited: Vec<AwaitedView>,
    /// Pairings of the open rounds on whose boards an unassigned game is running: it may have begun before its round.
    #[serde(default)]
    pub unassigned_games: Vec<AwaitedView>,
    /// All lines, in the order of the configuration.
    pub lines: Vec<LineView>,
    /// Outlets, in the order of the configuration, `public` first, suspended ones last.
    #[serde(default)]
    pub outlets: Vec<OutletView>,
    /// Raised alarms.
    pub alarms: Vec<AlarmView>,
    /// Outcome of the last reload of the configuration.
    pub reload: Option<ReloadView>,
}

/// Space on a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiskView {
    /// Space available to this process.
    pub free_bytes: u64,
    /// Total space.
    pub total_bytes: u64,
}

/// State of a board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BoardView {
    /// Prefix of its file names.
    pub name: String,
    /// Line.
    pub line: String,
    /// Address on a bus.
    pub address: Option<u16>,
    /// Serial number, if known.
    pub serial: Option<String>,
    /// State by [`Condition::as_str`]; `broken` if its line is not running.
    pub state: String,
    /// State in words.
    pub text: String,
    /// Start of the state.
    pub since: Option<WallTime>,
    /// Duration of the state in seconds.
    pub since_s: Option<u64>,
    /// Whether the operator holds its publication.
    pub held: bool,
    /// Number of the running or last game.
    pub game: Option<u32>,
    /// Whether the game is running, even without a link to the board.
    #[serde(default)]
    pub is_ongoing: bool,
    /// White player of that game or the next; `None` if unknown.
    #[serde(default)]
    pub white: Option<String>,
    /// Black player.
    #[serde(default)]
    pub black: Option<String>,
    /// Plies of that game.
    pub plies: u32,
    /// Last entry.
    pub last: Option<String>,
    /// Clock display, in seconds.
    pub clocks: Option<ClocksView>,
    /// Whether the clock of the game is missing.
    pub clock_missing: bool,
    /// Moves that are likely but not final.
    pub provisional: Vec<String>,
    /// Reason and remaining time of the pending entry.
    #[serde(default)]
    pub waits: Option<WaitView>,
    /// Unexplained position.
    pub unexplained: Option<UnexplainedView>,
    /// Pieces on its squares and the published position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squares: Option<SquaresView>,
    /// Problem of a nearly complete start position.
    pub wrong_start: Option<String>,
    /// Reason why the publication of its game is paused.
    #[serde(default)]
    pub publication: Option<String>,
    /// File of the most recently opened game.
    pub file: Option<PathBuf>,
    /// Pairing of a tournament in the open round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing: Option<PairingView>,
    /// Result proposed by a sign on the board; readers see it as `proposed` of the pairing.
    #[serde(skip)]
    pub proposed_result: Option<String>,
    /// Pairing of the next games, as assigned to the line; not for readers.
    #[serde(skip)]
    pub assigned_pairing: Option<Arc<BoardPairing>>,
}

impl BoardView {
    /// Adds its pairing, and names corrected since its game began.
    fn apply_tournament(&mut self, office: &TournamentStatus) {
        self.pairing = office.pairings.get(&self.name).cloned();
        if let Some((game, [white, black])) = office.players.get(&self.name)
            && self.game == Some(*game)
        {
            self.white = white.clone().or(self.white.take());
            self.black = black.clone().or(self.black.take());
        }
    }
}

/// Pairing of an open round.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PairingView {
    /// Section.
    pub section: String,
    /// Round.
    pub round: u32,
    /// Number of the board in the round.
    pub board_number: Option<u32>,
    /// White player.
    pub white: String,
    /// Black player.
    pub black: String,
    /// Official result.
    pub result: Option<String>,
    /// Whether an arbiter must enter the result, because the game is over or the board shows a result.
    pub waits_for_result: bool,
    /// Result shown on the board.
    pub proposed: Option<String>,
}

/// Pairing that waits for a result or for its game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AwaitedView {
    /// Board; `None` if the boards play another round or the pairing has no board.
    pub board: Option<String>,
    /// Pairing.
    #[serde(flatten)]
    pub pairing: PairingView,
}

/// Tournament status of the boards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentStatus {
    /// Pairings of the open rounds, by board.
    pub pairings: BTreeMap<String, PairingView>,
    /// Pairings that wait for a result, in order.
    pub awaited: Vec<AwaitedView>,
    /// Pairings on whose boards an unassigned game is running.
    pub begun_before: Vec<AwaitedView>,
    /// Number and players of running games whose players were corrected since their start, by board.
    pub players: BTreeMap<String, (u32, [Option<String>; 2])>,
}

/// Remaining times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClocksView {
    /// White's seconds.
    pub white: u32,
    /// Black's seconds.
    pub black: u32,
}

/// Reason and remaining time of a pending entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WaitView {
    /// Reason by [`Wait::as_str`](crate::engine::recognition::Wait::as_str).
    #[serde(rename = "for")]
    pub what: String,
    /// Longest remaining time in seconds; then the entry is published regardless.
    pub seconds: u64,
}

impl From<WaitStatus> for WaitView {
    fn from(left: WaitStatus) -> WaitView {
        WaitView { what: left.reason.to_owned(), seconds: left.seconds }
    }
}

/// Unexplained position of a board.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UnexplainedView {
    /// Squares that differ from the published position.
    pub squares: Vec<String>,
    /// Closest interpretations.
    pub interpretations: Vec<String>,
}

impl UnexplainedView {
    /// Describes the position in one sentence.
    pub fn describe(&self) -> String {
        notes::describe(&self.squares, &self.interpretations)
    }
}

/// Pieces on a board and its published position.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SquaresView {
    /// Value of the tag `GameType` of its game.
    pub game_type: String,
    /// Sensed pieces, as a FEN without the side to move.
    pub shown: String,
    /// Last published position of the running game, as a FEN; `None` if none is running.
    pub published: Option<String>,
}

impl From<&BoardSquares> for SquaresView {
    fn from(squares: &BoardSquares) -> SquaresView {
        let BoardSquares { variant, sensed: shown, published } = squares;
        SquaresView {
            game_type: variant.game_type.tag_value(),
            shown: fen::write_with_turn(variant, shown, None),
            published: published.as_ref().map(|setup| fen::write(variant, setup)),
        }
    }
}

/// State of a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LineView {
    /// Name.
    pub name: String,
    /// Port.
    pub port: String,
    /// `single` or `bus`.
    pub mode: String,
    /// `open`, or the reason why it is not.
    pub link: String,
    /// Changes that wait for the end of its games.
    pub pending: Option<String>,
    /// Disk fault.
    #[serde(default)]
    pub fault: Option<String>,
    /// State in words.
    pub text: String,
    /// Bytes received from its boards since the start.
    pub bytes_in: u64,
    /// Bytes sent to its boards.
    pub bytes_out: u64,
    /// Bytes that belong to no message.
    pub noise_bytes: u64,
    /// Answers with a wrong checksum.
    pub bad_checksums: u64,
    /// Number of times the port was opened.
    pub connects: u64,
    /// Published plies.
    pub plies: u64,
    /// Published setups.
    pub setups: u64,
}

/// Folder for readers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OutletView {
    /// Name.
    pub name: String,
    /// Folder, relative to that of the station.
    pub directory: PathBuf,
    /// Reader profile; `None` if suspended, like the following fields.
    pub profile: Option<String>,
    /// Delay in seconds.
    pub delay_s: Option<u32>,
    /// Delay in plies of a running game.
    pub delay_plies: Option<u32>,
    /// Group that may read it.
    pub group: Option<String>,
    /// Reason of the suspension.
    pub held: Option<String>,
}

/// Raised alarm.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AlarmView {
    /// `silent`, `unexplained`, `wrong-start`, `clock-missing`, `broken`, `babble`, `disk-fault`, `publication`, `disk-low`.
    pub kind: String,
    /// Board; `None` for the station.
    pub board: Option<String>,
    /// Folder or file, relative to the station's folder; `None` for the whole board or station.
    #[serde(default)]
    pub place: Option<String>,
    /// Start.
    pub since: WallTime,
    /// Problem and remedy.
    pub text: String,
}

/// Reload of the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReloadView {
    /// Time.
    pub at: WallTime,
    /// Whether the new configuration is in use.
    pub ok: bool,
    /// Changes or errors.
    pub text: Vec<String>,
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
}

impl Observer {
    /// Returns the file prefix of a board that an operator names by that prefix or as LINE/ADDRESS.
    pub fn find_board(&self, name: &str) -> Option<String> {
        let is_it = |board: &BoardView| {
            board.name == name || board.address.is_some_and(|address| format!("{}/{address}", board.line) == name)
        };
        boards(&self.rows.borrow(), now()).into_iter().find(is_it).map(|board| board.name)
    }

    fn boards(&self, rows: &[LineReport]) -> Vec<BoardView> {
        let mut boards = boards(rows, now());
        boards.iter_mut().for_each(|board| board.apply_tournament(&self.office.borrow()));
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

/// Returns the space on the disk of a folder; `None` if unknown.
pub fn disk(folder: &Path) -> Option<DiskView> {
    let stats = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stats.f_frsize);
    // Some file systems report zero blocks, which is no full disk.
    (stats.f_blocks > 0).then(|| DiskView { free_bytes: bytes(stats.f_bavail), total_bytes: bytes(stats.f_blocks) })
}

/// Returns all boards of some lines. A bus without known boards is shown as one board.
pub fn boards(rows: &[LineReport], now: WallTime) -> Vec<BoardView> {
    let of_line = |row: &LineReport| match row.boards.as_slice() {
        [] => {
            let view = board(row, None, &row.name, &row.status, row.since, row.live_file.as_ref(), now);
            vec![BoardView { waits: row.wait_status.map(WaitView::from), ..view }]
        }
        boards => {
            let of_bus = |of_bus: &crate::station::line::BoardReport| {
                let since = if row.no_link.is_some() { row.since } else { of_bus.since };
                let address = Some(of_bus.address.number());
                let view = board(row, address, &of_bus.name, &of_bus.status, since, of_bus.live_file.as_ref(), now);
                BoardView { waits: of_bus.wait_status.map(WaitView::from), ..view }
            };
            boards.iter().map(of_bus).collect()
        }
    };
    rows.iter().flat_map(of_line).collect()
}

fn board(
    row: &LineReport,
    address: Option<u16>,
    name: &str,
    status: &Status,
    since: Option<WallTime>,
    file: Option<&PathBuf>,
    now: WallTime,
) -> BoardView {
    let condition = if row.no_link.is_some() { Condition::NoConnection } else { status.condition };
    BoardView {
        name: name.to_owned(),
        line: row.name.clone(),
        address,
        serial: status.board.clone(),
        state: if row.is_broken { "broken".to_owned() } else { condition.as_str().to_owned() },
        text: row.no_link.clone().unwrap_or_else(|| status.state.clone()),
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
        waits: None,
        unexplained: status.unexplained.as_ref().map(|doubt| UnexplainedView {
            squares: doubt.squares.clone(),
            interpretations: doubt.interpretations.clone(),
        }),
        squares: status.squares.as_ref().map(SquaresView::from),
        wrong_start: status.start_problem.clone(),
        publication: None,
        file: file.cloned(),
        pairing: None,
        proposed_result: status.proposed_result.clone(),
        assigned_pairing: status.pairing.clone(),
    }
}

fn line(row: &LineReport, counters: Option<&(String, Arc<crate::station::counters::LineCounters>)>) -> LineView {
    let count =
        |of: fn(&crate::station::counters::LineCounters) -> u64| counters.map_or(0, |(_, counters)| of(counters));
    LineView {
        name: row.name.clone(),
        port: row.port.clone(),
        mode: if row.is_bus { "bus" } else { "single" }.to_owned(),
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
