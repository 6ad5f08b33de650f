//! The featured board: the one that pages and overlays lead with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Largest number of boards that are featured in turn.
pub const MAX_FEATURED_BOARDS: usize = 64;
/// Bounds of the time for which each of several boards is featured, in seconds.
pub const FEATURED_SECONDS: std::ops::RangeInclusive<u32> = 5..=3600;

/// Choice of the featured board.
///
/// # Examples
///
/// ```
/// use draughts_tournament::FeaturedChoice;
///
/// let choice = FeaturedChoice::InTurn { boards: vec!["1".to_owned(), "4".to_owned()], every: 20 };
/// assert_eq!(choice.to_string(), "boards 1, 4 are featured in turn, 20 s each");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FeaturedChoice {
    /// No board.
    #[default]
    Off,
    /// One board.
    Board {
        /// Name of the board, or its number.
        board: String,
    },
    /// Several boards in turn.
    InTurn {
        /// Names or numbers of the boards, in their order.
        boards: Vec<String>,
        /// Time for each of them, in seconds.
        every: u32,
    },
    /// The board with the most moves in the last minute.
    MostMoves,
}

impl FeaturedChoice {
    /// Returns the name of the mode in events.
    pub fn mode(&self) -> &'static str {
        match self {
            FeaturedChoice::Off => "off",
            FeaturedChoice::Board { .. } => "board",
            FeaturedChoice::InTurn { .. } => "in-turn",
            FeaturedChoice::MostMoves => "most-moves",
        }
    }

    /// Returns the names or numbers of the boards; none if events decide, or nothing is featured.
    pub fn boards(&self) -> &[String] {
        match self {
            FeaturedChoice::Board { board } => std::slice::from_ref(board),
            FeaturedChoice::InTurn { boards, .. } => boards,
            FeaturedChoice::Off | FeaturedChoice::MostMoves => &[],
        }
    }

    /// Returns the time for each of several boards, in seconds.
    pub fn every(&self) -> Option<u32> {
        match self {
            FeaturedChoice::InTurn { every, .. } => Some(*every),
            _ => None,
        }
    }
}

impl fmt::Display for FeaturedChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeaturedChoice::Off => f.write_str("no board is featured"),
            FeaturedChoice::Board { board } => write!(f, "board {board} is featured"),
            FeaturedChoice::InTurn { boards, every } => {
                write!(f, "boards {} are featured in turn, {every} s each", boards.join(", "))
            }
            FeaturedChoice::MostMoves => f.write_str("the board with the most moves in the last minute is featured"),
        }
    }
}
