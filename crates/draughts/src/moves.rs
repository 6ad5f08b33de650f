//! A legal move.

use super::square::{Square, SquareSet};

/// One ply. Made by the generator only, for the position it was asked for.
///
/// # Equality
///
/// Two moves are the same when they start and end on the same squares, take the same pieces and crown or do not crown:
/// the order of the jumps does not matter (PDN 3.0, restriction 8). The generator gives each such move once.
///
/// # Examples
///
/// ```
/// use draughts::{Position, Variant};
///
/// let variant = Variant::international();
/// let start = Position::start(variant);
/// let name = |square| variant.geometry.name(square);
/// let moves: Vec<String> =
///     start.legal_moves().iter().map(|ply| format!("{}-{}", name(ply.from()), name(ply.to()))).collect();
/// assert_eq!(moves.len(), 9);
/// assert!(moves.contains(&"32-28".to_owned()));
/// ```
#[derive(Clone, Debug)]
pub struct Move {
    pub(super) effect: Effect,
    pub(super) path: Path,
}

/// What a move does to a position: all of it but its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effect {
    pub from: Square,
    pub to: Square,
    pub captured: SquareSet,
    pub promotes: bool,
}

impl Effect {
    pub const fn quiet(from: Square, to: Square, promotes: bool) -> Effect {
        Effect { from, to, captured: SquareSet::EMPTY, promotes }
    }
}

/// The jumps of a move. Most moves have at most one: they are kept without memory of their own.
#[derive(Clone, Debug)]
pub(super) enum Path {
    Quiet,
    Single([Jump; 1]),
    Multiple(Box<[Jump]>),
}

/// One jump of a capture.
///
/// # Examples
///
/// ```
/// use draughts::{Jump, Position, Variant};
///
/// let variant = Variant::international();
/// let square = |name| variant.geometry.square(name).unwrap();
/// let mut position = Position::start(variant);
/// assert!(position.play_only_move(square("32"), square("28")));
/// assert!(position.play_only_move(square("19"), square("23")));
/// let capture = &position.legal_moves()[0];
/// assert_eq!(capture.jumps(), [Jump { over: square("23"), to: square("19") }]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The piece that is taken.
    pub over: Square,
    /// Where the piece comes down, as the long notation names it: where the direction turns, the square of the turn,
    /// else the square next to the piece that was taken; for the last jump, the end of the move.
    pub to: Square,
}

impl Move {
    /// Where the piece starts.
    pub fn from(&self) -> Square {
        self.effect.from
    }

    /// Where the piece ends; a circular capture ends where it began.
    pub fn to(&self) -> Square {
        self.effect.to
    }

    /// The pieces it takes; none for a quiet move.
    pub fn captured(&self) -> SquareSet {
        self.effect.captured
    }

    /// All squares on which its piece comes down or is lifted, and those of the pieces it takes.
    pub fn squares(&self) -> SquareSet {
        let landings: SquareSet = self.jumps().iter().map(|jump| jump.to).collect();
        landings | self.captured() | SquareSet::from_iter([self.from(), self.to()])
    }

    /// Does it take anything?
    pub fn is_capture(&self) -> bool {
        !self.effect.captured.is_empty()
    }

    /// Is a man crowned by it?
    pub fn promotes(&self) -> bool {
        self.effect.promotes
    }

    /// The jumps of a capture in order; of several orders that mean the same move, the one whose long notation comes
    /// first as text. Empty for a quiet move.
    pub fn jumps(&self) -> &[Jump] {
        match &self.path {
            Path::Quiet => &[],
            Path::Single(jump) => jump,
            Path::Multiple(jumps) => jumps,
        }
    }
}

impl PartialEq for Move {
    fn eq(&self, other: &Move) -> bool {
        self.effect == other.effect
    }
}

impl Eq for Move {}
