//! The state of a station as a document: what `damcast status --json` prints, what `/metrics` counts, and what alarms judge.
//!
//! ```text
//!   rows of the lines ─┐
//!   counters ──────────┤──▸ Overview ──▸ JSON, a table for people, Prometheus text, alarms
//!   the disk ──────────┘
//! ```
//!
//! Invariants: making one asks no line and no disk anything, so it works while they are busy or hang. Members are added, never renamed.
//! These are twins of the core's types, which know nothing of JSON.

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

/// A moment on the wall.
type WallTime = DateTime<FixedOffset>;

/// The state of a station.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Overview {
    /// The version of damcast.
    pub version: String,
    /// The process.
    pub pid: u32,
    /// When it was started.
    pub started: WallTime,
    /// For how long it has run.
    pub uptime_s: u64,
    /// Where it records.
    pub directory: PathBuf,
    /// The disk under that folder.
    pub disk: Option<DiskView>,
    /// All boards, in the order of the configuration, those of a bus by address.
    pub boards: Vec<BoardView>,
    /// The pairings that wait for a result: those of the open rounds whose games are over or show one, and of earlier rounds all that
    /// have none and are not played later.
    #[serde(default)]
    pub results_awaited: Vec<AwaitedView>,
    /// The pairings of the open rounds on whose boards a game goes on that is one of no pairing: it may have begun before its round.
    #[serde(default)]
    pub unassigned_games: Vec<AwaitedView>,
    /// All lines, in the order of the configuration.
    pub lines: Vec<LineView>,
    /// The outlets, in the order of the configuration, `public` first; those that are held back last.
    #[serde(default)]
    pub outlets: Vec<OutletView>,
    /// What needs the operator now.
    pub alarms: Vec<AlarmView>,
    /// What became of the last reload of the configuration.
    pub reload: Option<ReloadView>,
}

/// How much space a disk has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiskView {
    /// What this process may still use.
    pub free_bytes: u64,
    /// All of it.
    pub total_bytes: u64,
}

/// A board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BoardView {
    /// What the names of its files begin with.
    pub name: String,
    /// Its line.
    pub line: String,
    /// Its address on a bus.
    pub address: Option<u16>,
    /// Its serial number, if it has said one.
    pub serial: Option<String>,
    /// What is going on, in one word of [`Condition::as_str`]; `broken` when its line is not running.
    pub state: String,
    /// The same in words for people.
    pub text: String,
    /// Since when.
    pub since: Option<WallTime>,
    /// For how long.
    pub since_s: Option<u64>,
    /// Whether the operator holds back what would be published.
    pub held: bool,
    /// The number of the game that is going on or was the last.
    pub game: Option<u32>,
    /// It goes on, whether the board is heard or not.
    #[serde(default)]
    pub is_ongoing: bool,
    /// Who has White in that game, or in the next; `None`: nobody has said.
    #[serde(default)]
    pub white: Option<String>,
    /// Who has Black.
    #[serde(default)]
    pub black: Option<String>,
    /// Plies of that game.
    pub plies: u32,
    /// The last entry.
    pub last: Option<String>,
    /// What the clock shows, in seconds.
    pub clocks: Option<ClocksView>,
    /// Whether the clock of the game is missing.
    pub clock_missing: bool,
    /// Moves that are likely but not final.
    pub provisional: Vec<String>,
    /// What the next entry waits for.
    #[serde(default)]
    pub waits: Option<WaitView>,
    /// What is known of a board that nothing explains.
    pub unexplained: Option<UnexplainedView>,
    /// What stands on its squares, beside what is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squares: Option<SquaresView>,
    /// What is wrong with a start position that is nearly complete.
    pub wrong_start: Option<String>,
    /// Why what everybody sees of its game stands still.
    #[serde(default)]
    pub publication: Option<String>,
    /// The file of the game that was opened last.
    pub file: Option<PathBuf>,
    /// Which pairing of a tournament it plays in the open round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing: Option<PairingView>,
    /// The result that a sign on the board offers; readers have it as `proposed` of its pairing.
    #[serde(skip)]
    pub proposed_result: Option<String>,
    /// What games play that begin from now on, as its line was told; not for readers.
    #[serde(skip)]
    pub assigned_pairing: Option<Arc<BoardPairing>>,
}

impl BoardView {
    /// Takes what the office says of it: its pairing, and names that were corrected since its game began.
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

/// A pairing of an open round.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PairingView {
    /// The section.
    pub section: String,
    /// The round.
    pub round: u32,
    /// The number of the board in it.
    pub board_number: Option<u32>,
    /// Who has White.
    pub white: String,
    /// Who has Black.
    pub black: String,
    /// The official result.
    pub result: Option<String>,
    /// Its game is over, or its board shows a result: an arbiter has to say it.
    pub waits_for_result: bool,
    /// The result that the board has shown.
    pub proposed: Option<String>,
}

/// A pairing that waits for a result, or for its game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AwaitedView {
    /// The board that it is played on; `None`: the boards have gone on to another round, or it has none.
    pub board: Option<String>,
    /// The pairing.
    #[serde(flatten)]
    pub pairing: PairingView,
}

/// What the tournament office says of boards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TournamentStatus {
    /// The pairings of the open rounds, by boards.
    pub pairings: BTreeMap<String, PairingView>,
    /// Those that wait for a result, in their order.
    pub awaited: Vec<AwaitedView>,
    /// Those on whose boards a game goes on that is one of no pairing.
    pub begun_before: Vec<AwaitedView>,
    /// Who plays a game that goes on, where that was corrected since it began: by boards, with its number.
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

/// What the next entry of a game waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WaitView {
    /// In one word of [`Wait::as_str`](crate::engine::recognition::Wait::as_str).
    #[serde(rename = "for")]
    pub what: String,
    /// For so many seconds more at the most; then it is published without.
    pub seconds: u64,
}

impl From<WaitStatus> for WaitView {
    fn from(left: WaitStatus) -> WaitView {
        WaitView { what: left.reason.to_owned(), seconds: left.seconds }
    }
}

/// A board that nothing explains.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UnexplainedView {
    /// The squares that differ from the published position.
    pub squares: Vec<String>,
    /// What comes closest.
    pub interpretations: Vec<String>,
}

impl UnexplainedView {
    /// In one sentence.
    pub fn describe(&self) -> String {
        notes::describe(&self.squares, &self.interpretations)
    }
}

/// What stands on the squares of a board, and what is published of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SquaresView {
    /// The game that is played on it, as the tag `GameType` calls it.
    pub game_type: String,
    /// The pieces that it shows, as a FEN without the side to move.
    pub shown: String,
    /// The position that was published last of the game that goes on, as a FEN; `None`: none goes on.
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

/// A line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LineView {
    /// Its name.
    pub name: String,
    /// Its port.
    pub port: String,
    /// `single` or `bus`.
    pub mode: String,
    /// `open`, or why it is not.
    pub link: String,
    /// What will change when its games are over.
    pub pending: Option<String>,
    /// What is wrong with its disk.
    #[serde(default)]
    pub fault: Option<String>,
    /// In words for people.
    pub text: String,
    /// Bytes from its boards since the start.
    pub bytes_in: u64,
    /// Bytes to them.
    pub bytes_out: u64,
    /// Bytes that told nothing.
    pub noise_bytes: u64,
    /// Answers with a wrong checksum.
    pub bad_checksums: u64,
    /// How often the port was opened.
    pub connects: u64,
    /// Plies that were published.
    pub plies: u64,
    /// Setups that were published.
    pub setups: u64,
}

/// A folder for readers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OutletView {
    /// Its name.
    pub name: String,
    /// Its folder, from that of the station on.
    pub directory: PathBuf,
    /// Whose readers its files are for; left out where it is held back, like what follows.
    pub profile: Option<String>,
    /// How many seconds later everything is shown.
    pub delay_s: Option<u32>,
    /// How many plies of a game that goes on are kept back.
    pub delay_plies: Option<u32>,
    /// The group that may read it.
    pub group: Option<String>,
    /// Why it is held back.
    pub held: Option<String>,
}

/// What needs the operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AlarmView {
    /// `silent`, `unexplained`, `wrong-start`, `clock-missing`, `broken`, `babble`, `disk-fault`, `publication`, `disk-low`.
    pub kind: String,
    /// The board; `None`: the station.
    pub board: Option<String>,
    /// The folder or file, from the station's folder on; `None`: the board or the station as a whole.
    #[serde(default)]
    pub place: Option<String>,
    /// Since when.
    pub since: WallTime,
    /// What is the matter, and what to do.
    pub text: String,
}

/// A reload of the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReloadView {
    /// When.
    pub at: WallTime,
    /// Whether the new configuration counts.
    pub ok: bool,
    /// What became of it.
    pub text: Vec<String>,
}

/// Where overviews are made.
#[derive(Clone)]
pub struct Observer {
    /// Where it records.
    pub directory: PathBuf,
    /// The latest state of all lines.
    pub rows: watch::Receiver<Vec<LineReport>>,
    /// What they count.
    pub counters: Counters,
    /// What is the matter with its files.
    pub problems: FileProblems,
    /// The disk, as it was seen last.
    pub disk: watch::Receiver<Option<DiskView>>,
    /// What needs the operator.
    pub alarms: watch::Receiver<Vec<AlarmView>>,
    /// The last reload.
    pub reload: watch::Receiver<Option<ReloadView>>,
    /// The outlets.
    pub outlets: watch::Receiver<Vec<OutletView>>,
    /// What the tournament office says.
    pub office: watch::Receiver<TournamentStatus>,
    /// When the station was started.
    pub started: StartTime,
}

/// A start, on the wall and on a clock that nobody sets.
#[derive(Clone, Copy)]
pub struct StartTime {
    at: WallTime,
    instant: std::time::Instant,
}

impl StartTime {
    /// Now.
    pub fn now() -> StartTime {
        StartTime { at: now(), instant: std::time::Instant::now() }
    }
}

/// Now, to the millisecond.
pub fn now() -> WallTime {
    Local::now().fixed_offset().trunc_subsecs(3)
}

impl Observer {
    /// The state of the station now.
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
    /// What the names of the files of a board begin with that an operator calls so: the name itself, or LINE/ADDRESS.
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
                // It may stand still in several outlets.
                let before = board.publication.take().map(|text| text + "; ").unwrap_or_default();
                board.publication = Some(before + &problem.text);
            }
        }
        boards
    }
}

/// The space on the disk of a folder; `None` where the system does not tell.
pub fn disk(folder: &Path) -> Option<DiskView> {
    let stats = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stats.f_frsize);
    // Some file systems tell of no blocks at all: that is no full disk.
    (stats.f_blocks > 0).then(|| DiskView { free_bytes: bytes(stats.f_bavail), total_bytes: bytes(stats.f_blocks) })
}

/// All boards of some lines. A bus on which none is known is shown as one.
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
