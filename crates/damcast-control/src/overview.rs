//! State of a station as a document, for `damcast status --json`, `/metrics` and alarms.
//!
//! Invariant: members are added, never renamed. The types mirror those of the core, which do not support JSON.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use damcast_engine::session::request::BoardPairing;
use damcast_engine::session::{BoardSquares, notes};
use draughts_pdn::fen;
use serde::{Deserialize, Serialize};

/// Date and time.
pub type WallTime = DateTime<FixedOffset>;

/// State of a station.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BoardView {
    /// Prefix of its file names.
    pub name: String,
    /// Line.
    pub line: String,
    /// Address on a bus.
    pub address: Option<u16>,
    /// Serial number, if known.
    pub serial: Option<String>,
    /// State by [`Condition::as_str`](damcast_engine::session::Condition::as_str); `broken` if its line is not running.
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
    /// Place of the next ply of a board without electronics, and the claimed result; `None` on a board that reports its moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// Places of its game at which moves are missing: number of entries before each, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_moves: Vec<u32>,
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
    /// Whether the game that goes on on the board is of this pairing.
    #[serde(default)]
    pub is_playing: bool,
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
    /// Reason by [`Wait::as_str`](damcast_engine::recognition::Wait::as_str).
    #[serde(rename = "for")]
    pub what: String,
    /// Longest remaining time in seconds; then the entry is published regardless.
    pub seconds: u64,
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

/// Place of the next ply of a board without electronics.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EntryView {
    /// Number of the game.
    pub game: u32,
    /// Number of the ply.
    pub ply: u32,
    /// Result that the players claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
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
    /// `silent`, `unexplained`, `wrong-start`, `clock-missing`, `broken`, `babble`, `disk-fault`, `publication`, `disk-low`,
    /// `reader-gone`, `hall-away`, `hall`.
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
