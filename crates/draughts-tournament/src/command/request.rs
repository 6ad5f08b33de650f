//! Commands of arbiters, with serde.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum TournamentCommand {
    /// Take over a file.
    Import {
        /// Its name, for messages.
        name: String,
        /// What stands in it.
        text: String,
        /// Each character of the text is one byte of the file, which is no UTF-8.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bytes: bool,
        /// pdn, csv or trf; found out if it is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        /// What the columns of a CSV are called.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        columns: String,
        /// What results are worth in a new section; empty if the file says it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        scoring: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Pair a round robin.
    RoundRobin {
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// Everybody meets everybody twice.
        #[serde(default)]
        double: bool,
    },
    /// Publish, open or close a round.
    SetRoundState {
        /// Which.
        round: u32,
        /// `published`, `open`, `closed`; `prepared` takes a publication back.
        to: String,
        /// Of which section; of all that have it if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Give a game or a pairing its official result.
    Result {
        /// The last game of this board that has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
        /// Its game with this number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// Or the pairing: `3.2` is board 2 of round 3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pairing: Option<String>,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// `2-0`, `1-1`, `0-2`, `1+-1-` for a draw with a plus, points such as `12-0`; `*` takes a result back.
        result: String,
        /// How it came about, in a word of [`ResultReason`](crate::ResultReason); on the board if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// It takes the place of another result.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correct: bool,
    },
    /// Say who plays a game that has begun.
    SetPlayers {
        /// The board.
        board: String,
        /// The game; the last one if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// Who has White.
        white: String,
        /// Who has Black.
        black: String,
    },
    /// Somebody plays a pairing instead of another.
    Substitute {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Who was to play: the name, or his number in the files of the pairing program.
        player: String,
        /// Who plays: likewise; with `sure` also one who is not known yet.
        substitute: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// A game that has begun is one of a pairing, though its line was told none or another one.
    Adopt {
        /// The board.
        board: String,
        /// The game; the last one if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// The pairing, `3.2` is board 2 of round 3; what the board is to play in the open round if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pairing: Option<String>,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Add the moves that a board missed to a game that is over; its live file stays as it is.
    AddMoves {
        /// The board.
        board: String,
        /// The game; the last one if that is not told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// The name of the file, for messages.
        name: String,
        /// The moves, all of the game or those that are missing, in any dialect of PDN; no move at all takes back what was added.
        text: String,
    },
    /// A pairing is not played with its round.
    Postpone {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// It is played with its round after all.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        undo: bool,
    },
    /// A pairing is played on this board, from its next game on, whatever round is open.
    PlayOnBoard {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// The board.
        board: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// The last game of a pairing does not count: it is played again.
    Replay {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Call a player by another name from now on, in all that is shown.
    RenamePlayer {
        /// The name, or his number in the files of the pairing program.
        player: String,
        /// The new name.
        name: String,
        /// Of which section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
}

impl TournamentCommand {
    /// Take over a file of UTF-8 as it is, into the only section or a new one.
    pub fn import_of(name: &str, text: String) -> TournamentCommand {
        let (name, columns, scoring) = (name.to_owned(), String::new(), String::new());
        TournamentCommand::Import { name, text, bytes: false, format: None, columns, scoring, section: None }
    }

    /// The result of the last game of a board that has none.
    pub fn result_of(board: String, result: String) -> TournamentCommand {
        let (game, pairing, section, kind) = (None, None, None, None);
        TournamentCommand::Result { board: Some(board), game, pairing, section, result, kind, correct: false }
    }

    /// Subject of messages about what the command changes.
    pub(super) fn subject(&self) -> String {
        match self {
            TournamentCommand::Import { name, .. } => name.clone(),
            _ => self.describe(),
        }
    }

    /// Whether the command replaces a result: then its requester was asked before.
    pub(super) fn is_correction(&self) -> bool {
        matches!(self, TournamentCommand::Result { correct: true, .. })
    }

    /// In a few words, for the record.
    pub fn describe(&self) -> String {
        let of = |section: &Option<String>| section.as_ref().map_or(String::new(), |name| format!(" of {name}"));
        match self {
            TournamentCommand::Import { name, .. } => {
                let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
                format!("import {}", file.escape_debug())
            }
            TournamentCommand::RoundRobin { double: true, .. } => "double round robin".to_owned(),
            TournamentCommand::RoundRobin { .. } => "round robin".to_owned(),
            TournamentCommand::SetRoundState { round, to, section } => format!("round {round}{}: {to}", of(section)),
            TournamentCommand::Result { board, game, pairing, result, .. } => {
                let game = game.map_or(String::new(), |game| format!(", game {game}"));
                let what = pairing.as_ref().map(|name| format!("pairing {name}"));
                format!("result of {}{game}: {result}", what.or_else(|| board.clone()).unwrap_or_default())
            }
            TournamentCommand::SetPlayers { board, .. } => format!("names of {board}"),
            TournamentCommand::Adopt { board, game, pairing, .. } => {
                let game = game.map_or(String::new(), |game| format!(", game {game}"));
                let pairing = pairing.as_ref().map_or(String::new(), |pairing| format!(" {pairing}"));
                format!("{board}{game} plays pairing{pairing}")
            }
            TournamentCommand::Substitute { pairing, player, substitute: by, .. } => {
                format!("pairing {pairing}: {by} for {player}")
            }
            TournamentCommand::Postpone { pairing, undo: false, .. } => format!("pairing {pairing} is played later"),
            TournamentCommand::Postpone { pairing, .. } => format!("pairing {pairing} is played with its round"),
            TournamentCommand::PlayOnBoard { pairing, board, .. } => format!("pairing {pairing} is played on {board}"),
            TournamentCommand::Replay { pairing, .. } => format!("pairing {pairing} is played again"),
            TournamentCommand::RenamePlayer { player, name, .. } => format!("player {player}: {name}"),
            TournamentCommand::AddMoves { board, game, .. } => {
                let game = game.map_or(String::new(), |game| format!(", game {game}"));
                format!("missing moves of {board}{game}")
            }
        }
    }
}
