//! Commands of arbiters, with serde.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Id, ScheduledMoment};

/// A further file of an import.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportFile {
    /// Name of the file, for messages.
    pub name: String,
    /// Content of the file.
    pub text: String,
    /// Whether each character of the text is one byte of the file, which is not UTF-8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bytes: bool,
}

/// A command of an arbiter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum TournamentCommand {
    /// Imports a file.
    Import {
        /// Name of the file, for messages.
        name: String,
        /// Content of the file.
        text: String,
        /// Whether each character of the text is one byte of the file, which is not UTF-8.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bytes: bool,
        /// Further files of the same tournament, such as the pairings beside a list of players.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<ImportFile>,
        /// `pdn`, `csv` or `trf` for all files; `None` to detect the formats.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        /// Names of the columns of a CSV.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        columns: String,
        /// Scoring of a new section; empty for that in the file.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        scoring: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Describes the event: name, place, days, schedule and other facts for readers.
    DescribeEvent {
        /// New values by the name of the fact, as in [`EventInfo`](crate::EventInfo), with `-` in place of `_`; an empty value removes the
        /// fact, and facts that are not named stay.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        facts: BTreeMap<String, String>,
        /// The whole schedule; `None` if it stays as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schedule: Option<Vec<ScheduledMoment>>,
    },
    /// Pairs a round robin.
    RoundRobin {
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// Whether all players meet twice.
        #[serde(default)]
        double: bool,
    },
    /// Pairs a round: the next one, or anew the last one while it is prepared.
    PairRound {
        /// Number of the round.
        round: u32,
        /// Pairs of players by their ids, White first, in the order of the boards.
        pairs: Vec<[Id; 2]>,
        /// Players for whom no opponent was left. All others without a pair are absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        byes: Vec<Id>,
        /// Number of rounds of the tournament; `None` if it stays as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rounds: Option<u32>,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Publishes, opens or closes a round.
    SetRoundState {
        /// Number of the round.
        round: u32,
        /// `published`, `open`, `closed`; `prepared` withdraws a publication.
        to: String,
        /// Name of the section; `None` for all sections with this round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Closes the open round, and opens the next one.
    NextRound {
        /// Name of the section; `None` for all sections.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Undoes an action on the tournament.
    Undo {
        /// Version that the action made; `None` for the last action that is not undone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
        /// Whether the last action that changed the state of a round is meant.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        round: bool,
    },
    /// Sets the official result of a game or a pairing.
    Result {
        /// Name of the board; without `game`, its last game without a result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
        /// Number of the game on the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// The pairing instead of a board: `3.2` is board 2 of round 3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pairing: Option<String>,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// `2-0`, `1-1`, `0-2`, `1+-1-` for a draw with a plus, points such as `12-0`; `*` withdraws a result.
        result: String,
        /// Reason, as in [`ResultReason`](crate::ResultReason); `None` for a game that was played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// Whether to replace another result.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correct: bool,
    },
    /// Sets the results of the open round from lines `board;result`, all of them or none.
    Results {
        /// Name of the file, for messages.
        name: String,
        /// The lines; `board` is the board's number in the round, or the name of the board.
        text: String,
        /// Name of the section; `None` for all sections with an open round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// Whether to replace other results.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        correct: bool,
    },
    /// Sets the players of a game that has begun.
    SetPlayers {
        /// Name of the board.
        board: String,
        /// Number of the game; `None` for the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// Name of the player of White.
        white: String,
        /// Name of the player of Black.
        black: String,
    },
    /// Replaces a player of a pairing.
    Substitute {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Replaced player: name, or number in the files of the pairing program.
        player: String,
        /// Substitute: name or number; once confirmed, also the name of a new player.
        substitute: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Assigns a game that has begun to a pairing, whatever pairing its line had.
    Adopt {
        /// Name of the board.
        board: String,
        /// Number of the game; `None` for the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// The pairing, `3.2` is board 2 of round 3; `None` for the board's pairing in the open round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pairing: Option<String>,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Adds the moves that a board missed to a finished game; its live file stays unchanged.
    AddMoves {
        /// Name of the board.
        board: String,
        /// Number of the game; `None` for the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u32>,
        /// Name of the file, for messages.
        name: String,
        /// The whole game or the missing moves, in any dialect of PDN; without moves, removes those added earlier.
        text: String,
    },
    /// Postpones a pairing: it is not played with its round.
    Postpone {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
        /// Whether to undo the postponement.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        undo: bool,
    },
    /// Moves a pairing to a board, from the board's next game on, in any round.
    PlayOnBoard {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Name of the board.
        board: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Discards the last game of a pairing so that it can be replayed.
    Replay {
        /// The pairing: `3.2` is board 2 of round 3.
        pairing: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// Chooses the featured board; without boards and `most_moves`, none.
    Feature {
        /// Names or numbers of boards; several are featured in turn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        boards: Vec<String>,
        /// Time for each of several boards, in seconds; `None` for 20.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        every: Option<u32>,
        /// Whether to feature the board with the most moves in the last minute.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        most_moves: bool,
    },
    /// Renames a player in everything that is shown.
    RenamePlayer {
        /// Name of the player, or number in the files of the pairing program.
        player: String,
        /// The new name.
        name: String,
        /// Name of the section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
}

impl TournamentCommand {
    /// Creates the import of a UTF-8 file with default options, into the only section or a new one.
    pub fn import_of(name: &str, text: String) -> TournamentCommand {
        let (name, columns, scoring) = (name.to_owned(), String::new(), String::new());
        let (others, format, section) = (Vec::new(), None, None);
        TournamentCommand::Import { name, text, bytes: false, others, format, columns, scoring, section }
    }

    /// Creates the command that sets the result of a board's last game without one.
    pub fn result_of(board: String, result: String) -> TournamentCommand {
        let (game, pairing, section, kind) = (None, None, None, None);
        TournamentCommand::Result { board: Some(board), game, pairing, section, result, kind, correct: false }
    }

    /// Returns the subject of messages about the changes of the command.
    pub(super) fn subject(&self) -> String {
        match self {
            TournamentCommand::Import { name, others, .. } => {
                [name].into_iter().chain(others.iter().map(|file| &file.name)).cloned().collect::<Vec<_>>().join(", ")
            }
            TournamentCommand::Results { name, .. } => name.clone(),
            _ => self.describe(),
        }
    }

    /// Whether the command replaces a result: its requester has confirmed that.
    pub(super) fn is_correction(&self) -> bool {
        matches!(
            self,
            TournamentCommand::Result { correct: true, .. } | TournamentCommand::Results { correct: true, .. }
        )
    }

    /// Returns a short description for the record.
    pub fn describe(&self) -> String {
        let of = |section: &Option<String>| section.as_ref().map_or(String::new(), |name| format!(" of {name}"));
        let number = |game: &Option<u32>| game.map_or(String::new(), |game| format!(", game {game}"));
        match self {
            TournamentCommand::Import { name, others, .. } => {
                let names = [name].into_iter().chain(others.iter().map(|file| &file.name));
                format!("import {}", names.map(|name| file_name(name)).collect::<Vec<_>>().join(", "))
            }
            TournamentCommand::DescribeEvent { facts, schedule } => {
                let schedule = schedule.as_ref().map(|_| "schedule");
                let facts: Vec<&str> = facts.keys().map(String::as_str).chain(schedule).collect();
                format!("facts of the event: {}", facts.join(", ").escape_debug())
            }
            TournamentCommand::RoundRobin { double: true, .. } => "double round robin".to_owned(),
            TournamentCommand::RoundRobin { .. } => "round robin".to_owned(),
            TournamentCommand::PairRound { round, section, .. } => format!("pairings of round {round}{}", of(section)),
            TournamentCommand::SetRoundState { round, to, section } => format!("round {round}{}: {to}", of(section)),
            TournamentCommand::NextRound { section } => format!("next round{}", of(section)),
            TournamentCommand::Undo { version: Some(version), .. } => format!("undo of version {version}"),
            TournamentCommand::Undo { round: true, .. } => "undo of the last action on a round".to_owned(),
            TournamentCommand::Undo { .. } => "undo of the last action".to_owned(),
            TournamentCommand::Result { board, game, pairing, result, .. } => {
                let what = pairing.as_ref().map(|name| format!("pairing {name}"));
                let what = what.or_else(|| board.clone()).unwrap_or_default();
                format!("result of {what}{}: {result}", number(game))
            }
            TournamentCommand::Results { name, .. } => format!("results of {}", file_name(name)),
            TournamentCommand::SetPlayers { board, .. } => format!("names of {board}"),
            TournamentCommand::Adopt { board, game, pairing, .. } => {
                let pairing = pairing.as_ref().map_or(String::new(), |pairing| format!(" {pairing}"));
                format!("{board}{} plays pairing{pairing}", number(game))
            }
            TournamentCommand::Substitute { pairing, player, substitute: by, .. } => {
                format!("pairing {pairing}: {by} for {player}")
            }
            TournamentCommand::Postpone { pairing, undo: false, .. } => format!("pairing {pairing} is played later"),
            TournamentCommand::Postpone { pairing, .. } => format!("pairing {pairing} is played with its round"),
            TournamentCommand::PlayOnBoard { pairing, board, .. } => format!("pairing {pairing} is played on {board}"),
            TournamentCommand::Replay { pairing, .. } => format!("pairing {pairing} is played again"),
            TournamentCommand::Feature { most_moves: true, .. } => "featured board: most moves".to_owned(),
            TournamentCommand::Feature { boards, .. } if boards.is_empty() => "featured board: none".to_owned(),
            TournamentCommand::Feature { boards, .. } => format!("featured board: {}", boards.join(", ")),
            TournamentCommand::RenamePlayer { player, name, .. } => format!("player {player}: {name}"),
            TournamentCommand::AddMoves { board, game, .. } => format!("missing moves of {board}{}", number(game)),
        }
    }
}

/// Returns the last part of a path, on one line.
fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().escape_debug().to_string()
}
