//! A legal move.

use super::square::{Square, SquareSet};

/// One ply, made only by the generator, valid for the position it was generated for.
///
/// # Equality
///
/// Two moves are equal if they start and end on the same squares, capture the same pieces and both crown or do not crown. The order of the
/// jumps does not matter (PDN 3.0, restriction 8). The generator returns each such move once.
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

/// Effect of a move on a position, without its path.
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

/// Jumps of a move. Moves with at most one jump, the common case, need no allocation.
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
    /// Square of the captured piece.
    pub over: Square,
    /// Landing square as in long notation: the square of the turn if the direction changes, otherwise the square next to the captured
    /// piece. For the last jump, the end of the move.
    pub to: Square,
}

impl Move {
    /// Returns the start square.
    pub fn from(&self) -> Square {
        self.effect.from
    }

    /// Returns the end square; a circular capture ends where it starts.
    pub fn to(&self) -> Square {
        self.effect.to
    }

    /// Returns the squares of the captured pieces; empty for a quiet move.
    pub fn captured(&self) -> SquareSet {
        self.effect.captured
    }

    /// Returns the start square, all landing squares and the squares of the captured pieces.
    pub fn squares(&self) -> SquareSet {
        let landings: SquareSet = self.jumps().iter().map(|jump| jump.to).collect();
        landings | self.captured() | SquareSet::from_iter([self.from(), self.to()])
    }

    /// Whether the move captures anything.
    pub fn is_capture(&self) -> bool {
        !self.effect.captured.is_empty()
    }

    /// Whether the move crowns a man.
    pub fn promotes(&self) -> bool {
        self.effect.promotes
    }

    /// Returns the jumps of a capture in order; of several orders with the same effect, the one whose long notation sorts first as text.
    /// Empty for a quiet move.
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
