//! Checked level: resolves the moves of a game by the rules.
//!
//! ```text
//! LocatedGame + variant ───▸ walk ──▸ every move that could be resolved, with the position before it
//!                               └───▸ problems: illegal, ambiguous, a setup that cannot be, with the FEN
//! ```
//!
//! A line that contains a move it cannot play is *lost*: later moves are skipped until a setup gives a position again. A variation begins
//! at the position before the last move of the enclosing line, and is lost independently.
//!
//! | dialect | reading |
//! |---|---|
//! | `x` on a quiet move, `-` on a capture | the legal moves decide |
//! | a short capture that fits several moves | the one after which the following moves are legal; otherwise an error |
//! | a capture written leg by leg (`e1xc3 c3xe5`) | one move; the other entries continue it |
//! | the first move is the other side's | the turn of the position is corrected |
//! | a variation that continues instead of replacing | read as a continuation |
//! | an unknown move | the line is lost without an error |
//! | a FEN with pieces of unknown colour (`?`) | the line is lost with a warning: the standard allows it |
//! | a FEN tag that is a null move (`B::`) | the normal start with that turn |
//!
//! | file | subject |
//! |---|---|
//! | this one | main line of a game after replay |
//! | `walk` | walk through all lines, with their problems |
//! | `following` | moves that only later moves make clear |
//! | `resolve` | the legal move that a text means |
//! | `setup` | positions given in the text |
//!
//! [`super::infer`] finds the variant.

mod following;
mod resolve;
mod setup;
mod walk;

pub use resolve::{Unresolved, resolve};
pub(crate) use resolve::{is_capture, parse_two_squares, split_at_letters};
pub(crate) use setup::{canonical_fen, null_move, other_numbering, read_setup};
pub use walk::{WalkEvent, WalkResult, WalkedMove, walk};

use crate::game::Game;
use crate::problem::Problem;
use crate::reader::{LocatedGame, Locations};
use draughts::{Move, Position, Variant};

/// The main line of a game after its replay.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Replay, reader};
///
/// let (games, _) = reader::read_located("[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14-23 3. 37-31 *");
/// let replay = Replay::infer(&games[0], None);
/// assert_eq!((replay.moves().count(), replay.is_complete), (4, false));
/// assert_eq!(replay.problems[0].location.to_string(), "1:50"); // 37-31 is not legal: a man stands there
/// assert_eq!(replay.position_after(4).legal_moves().len(), 9);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replay {
    /// Variant of the game.
    pub variant: &'static Variant,
    /// Source of the variant.
    pub known_by: KnownBy,
    /// Position before the first move.
    pub start: Position,
    /// Main line as far as it could be played, including setups.
    pub steps: Vec<ReplayStep>,
    /// Whether every move of the main line could be played.
    pub is_complete: bool,
    /// All problems, in order.
    pub problems: Vec<Problem>,
}

/// Source of a game's variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KnownBy {
    /// The GameType tag.
    Tag,
    /// A GameType number that lidraughts added; its moves are those of this game.
    ForeignTag,
    /// The moves, which contradict the GameType tag.
    MovesAgainstTag,
    /// A guess from the moves: the GameType tag is not one of the standard's.
    UnknownTag,
    /// The caller.
    Caller,
    /// The moves, which are legal under its rules.
    Moves,
}

/// A step of the main line.
#[derive(Clone, Debug)]
pub enum ReplayStep {
    /// A played move.
    Move {
        /// Index of the move in the entries of the game.
        entry: usize,
        /// The move.
        ply: Move,
    },
    /// A new position.
    Setup {
        /// Index of the setup in the entries of the game.
        entry: usize,
        /// The position.
        position: Position,
    },
}

impl Replay {
    /// Plays a game under a variant, ignoring its tags.
    pub fn with_variant(located: &LocatedGame, variant: &'static Variant) -> Replay {
        let mut start = None;
        let mut steps = Vec::new();
        let walked = walk(located, variant, &mut |seen| match seen {
            WalkEvent::Move { entry, depth: 0, before, ply } => {
                // The first move may have corrected the side to move.
                match steps.last_mut() {
                    None => start = Some(*before),
                    Some(ReplayStep::Setup { position, .. }) => *position = *before,
                    Some(ReplayStep::Move { .. }) => {}
                }
                steps.extend(ply.ply(before).map(|ply| ReplayStep::Move { entry, ply }));
            }
            WalkEvent::Setup { entry, depth: 0, position } => {
                steps.push(ReplayStep::Setup { entry, position: *position })
            }
            _ => {}
        });
        Replay {
            variant,
            known_by: KnownBy::Caller,
            start: start.unwrap_or(walked.start),
            steps,
            is_complete: walked.is_complete,
            problems: walked.problems,
        }
    }

    /// Returns the moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.steps.iter().filter_map(|step| match step {
            ReplayStep::Move { ply, .. } => Some(ply),
            ReplayStep::Setup { .. } => None,
        })
    }

    /// Returns the position after this many steps of the main line, or after the last one.
    pub fn position_after(&self, steps: usize) -> Position {
        self.steps.iter().take(steps).fold(self.start, |position, step| match step {
            ReplayStep::Move { ply, .. } => position.play(ply),
            ReplayStep::Setup { position, .. } => *position,
        })
    }
}

impl From<Game> for LocatedGame {
    /// Creates a game without places.
    fn from(game: Game) -> LocatedGame {
        LocatedGame { game, locations: Locations::default() }
    }
}
