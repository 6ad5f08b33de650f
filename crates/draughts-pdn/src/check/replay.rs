//! The checked level: the moves of a game resolved against the rules.
//!
//! ```text
//! Located game + variant ──▸ walk ──▸ every move that could be resolved, with the position before it
//!                               └───▸ problems: illegal, ambiguous, a setup that cannot be, with the FEN
//! ```
//!
//! A line that meets a move it cannot play is *lost*: what follows is left alone until a setup gives a position again. A
//! variation begins at the position before the last move of the line around it, and its loss is its own.
//!
//! | dialect | reading |
//! |---|---|
//! | `x` on a quiet move, `-` on a capture | legality decides what it is |
//! | a short capture that fits several moves | the one under which the following moves go on; if that does not tell, an error |
//! | a capture written leg by leg (`e1xc3 c3xe5`) | one move, the other entries continue it |
//! | the first move is the other side's | the turn of the position gives way |
//! | a variation that continues instead of replacing | read as that |
//! | an unknown move | the line is lost without an error |
//! | a FEN with pieces of unknown colour (`?`) | the line is lost with a warning: the standard allows it |
//! | a FEN tag that is a null move (`B::`) | the normal start, with that turn |
//!
//! | file | subject |
//! |---|---|
//! | this one | a game's main line, played |
//! | `walk` | the walk through all its lines, and what is said of them |
//! | `following` | moves that only those behind them make clear |
//! | `resolve` | the legal move that a text means |
//! | `setup` | the positions that a text gives |
//!
//! Which game it is, is found out in [`super::infer`].

mod following;
mod resolve;
mod setup;
mod walk;

pub use resolve::{Unresolved, resolve};
pub(crate) use resolve::{parse_two_squares, split_at_letters};
pub(crate) use setup::{canonical_fen, null_move, other_numbering, read_setup};
pub use walk::{WalkEvent, WalkResult, walk};

use crate::game::Game;
use crate::problem::Problem;
use crate::reader::{LocatedGame, Locations};
use draughts::{Move, Position, Variant};

/// A game's main line, played.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Replay, reader};
///
/// let (games, _) = reader::read_located("[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14-23 3. 37-31 *");
/// let replay = Replay::of(&games[0], None);
/// assert_eq!((replay.moves().count(), replay.is_complete), (4, false));
/// assert_eq!(replay.problems[0].place.to_string(), "1:50"); // 37-31 is not legal: a man stands there
/// assert_eq!(replay.position_after(4).legal_moves().len(), 9);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The game that is played.
    pub variant: &'static Variant,
    /// How that is known.
    pub known_by: KnownBy,
    /// The position before the first move.
    pub start: Position,
    /// The main line as far as it could be played, setups included.
    pub steps: Vec<ReplayStep>,
    /// Could every move of the main line be played?
    pub is_complete: bool,
    /// Everything that is wrong, in order.
    pub problems: Vec<Problem>,
}

/// How the variant of a game is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KnownBy {
    /// The GameType tag says so.
    Tag,
    /// The GameType tag is a number of lidraughts' own; its moves are those of this game.
    ForeignTag,
    /// The GameType tag says something else, but the moves fit this.
    MovesAgainstTag,
    /// It is not: the GameType tag is none of the standard's, and what the moves fit is a guess.
    UnknownTag,
    /// The caller said so.
    Caller,
    /// Its rules make the moves legal.
    Moves,
}

/// A step of the main line.
#[derive(Clone, Debug)]
pub enum ReplayStep {
    /// A move.
    Move {
        /// Its index in the entries of the game.
        entry: usize,
        /// The move.
        ply: Move,
    },
    /// A new position.
    Setup {
        /// Its index in the entries of the game.
        entry: usize,
        /// The position.
        position: Position,
    },
}

impl Replay {
    /// Plays a game under a variant, whatever its tags say.
    pub fn with_variant(located: &LocatedGame, variant: &'static Variant) -> Replay {
        let mut start = None;
        let mut steps = Vec::new();
        let walked = walk(located, variant, &mut |seen| match seen {
            WalkEvent::Move { entry, depth: 0, before, ply } => {
                // The first move may have shown that it is the other side's turn.
                match steps.last_mut() {
                    None => start = Some(*before),
                    Some(ReplayStep::Setup { position, .. }) => *position = *before,
                    Some(ReplayStep::Move { .. }) => {}
                }
                steps.push(ReplayStep::Move { entry, ply: ply.clone() });
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

    /// The moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.steps.iter().filter_map(|step| match step {
            ReplayStep::Move { ply, .. } => Some(ply),
            ReplayStep::Setup { .. } => None,
        })
    }

    /// The position after so many steps of the main line; after the last one if there are fewer.
    pub fn position_after(&self, steps: usize) -> Position {
        self.steps.iter().take(steps).fold(self.start, |position, step| match step {
            ReplayStep::Move { ply, .. } => position.play(ply),
            ReplayStep::Setup { position, .. } => *position,
        })
    }
}

impl From<Game> for LocatedGame {
    /// A game without places.
    fn from(game: Game) -> LocatedGame {
        LocatedGame { game, locations: Locations::default() }
    }
}
