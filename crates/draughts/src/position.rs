//! Pieces on squares, with three levels of validity.
//!
//! | type | content |
//! |---|---|
//! | [`Placement`] | pieces on squares, without any check |
//! | [`Setup`] | a placement and the side to move |
//! | [`Position`] | a setup that can be played from, with the counters that the rules need |

use super::moves::{Effect, Move};
use super::piece::{Color, Piece, PieceKind};
use super::square::{Square, SquareSet};
use super::variant::Variant;

/// Pieces by square. No square holds two.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Square, SquareSet};
///
/// let mut placement = Placement::from_men(SquareSet::EMPTY.with(Square::new(31)), SquareSet::EMPTY);
/// assert_eq!(placement.color(Square::new(31)), Some(Color::White));
/// placement.put(Square::new(31), None);
/// assert_eq!(placement, Placement::EMPTY);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Placement {
    by_color: [SquareSet; 2],
    kings: SquareSet,
}

impl Placement {
    /// An empty board.
    pub const EMPTY: Placement = Placement { by_color: [SquareSet::EMPTY; 2], kings: SquareSet::EMPTY };

    /// Places men of both colours; the sets must not overlap.
    pub fn from_men(white: SquareSet, black: SquareSet) -> Placement {
        debug_assert!((white & black).is_empty());
        Placement { by_color: [white, black], kings: SquareSet::EMPTY }
    }

    /// Puts a piece on a square, replacing any piece there.
    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        for set in &mut self.by_color {
            set.remove(square);
        }
        self.kings.remove(square);
        if let Some(piece) = piece {
            self.by_color[piece.color.index()].insert(square);
            if piece.kind == PieceKind::King {
                self.kings.insert(square);
            }
        }
    }

    /// Plays a ply of `us`: moves the piece, removes captured pieces and crowns if the ply promotes.
    #[inline(always)]
    fn play(&mut self, us: Color, ply: &Effect) {
        let is_king = ply.promotes || self.kings.contains(ply.from);
        // The order matters. A capture may end where it starts, or, where pieces leave at once, on the square of a captured piece.
        let [ours, theirs] = [us, !us].map(Color::index);
        self.by_color[theirs] = self.by_color[theirs] - ply.captured;
        self.by_color[ours] = self.by_color[ours].without(ply.from).with(ply.to);
        let kings = (self.kings - ply.captured).without(ply.from);
        self.kings = if is_king { kings.with(ply.to) } else { kings };
    }

    /// Returns the piece on a square.
    pub fn get(&self, square: Square) -> Option<Piece> {
        let color = self.color(square)?;
        let kind = if self.kings.contains(square) { PieceKind::King } else { PieceKind::Man };
        Some(Piece { color, kind })
    }

    /// Returns the colour of the piece on a square.
    pub fn color(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.pieces_of(color).contains(square))
    }

    /// Returns the squares of a colour's pieces.
    pub fn pieces_of(&self, color: Color) -> SquareSet {
        self.by_color[color.index()]
    }

    /// Returns the squares of a colour's kings.
    pub fn kings_of(&self, color: Color) -> SquareSet {
        self.kings & self.pieces_of(color)
    }

    /// Returns the squares of a colour's men.
    pub fn men_of(&self, color: Color) -> SquareSet {
        self.pieces_of(color) - self.kings
    }

    /// Returns the squares of all kings.
    pub fn kings(&self) -> SquareSet {
        self.kings
    }

    /// Returns all squares with a piece.
    pub fn occupied(&self) -> SquareSet {
        self.by_color[0] | self.by_color[1]
    }
}

/// A placement and the side to move: the content of a FEN.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Position, Setup, SquareSet, Variant};
///
/// let geometry = &Variant::international().geometry;
/// let squares = |names: [&str; 2]| -> SquareSet { names.iter().filter_map(|name| geometry.square(name)).collect() };
/// let placement = Placement::from_men(squares(["32", "33"]), squares(["23", "24"]));
/// let position = Position::new(Variant::international(), Setup { placement, turn: Color::White })?;
/// assert_eq!(position.legal_moves().len(), 4);
/// # Ok::<(), draughts::PositionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// Pieces on the board.
    pub placement: Placement,
    /// Side to move.
    pub turn: Color,
}

/// Reason why a setup cannot be played from.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Position, PositionError, Setup, Square, SquareSet, Variant};
///
/// let placement = Placement::from_men(SquareSet::EMPTY.with(Square::new(0)), SquareSet::EMPTY);
/// let setup = Setup { placement, turn: Color::White };
/// assert_eq!(Position::new(Variant::international(), setup), Err(PositionError::UncrownedMan(Color::White)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A man stands on the row where it would have been crowned.
    #[error("a {0} man stands on its crowning row; it should be a king")]
    UncrownedMan(Color),
    /// More pieces than the side starts the game with (or twelve, if that is more). The limit also bounds the work of the generator: the
    /// orders in which forty kings can be captured are too many to count.
    #[error("{0} has {1} pieces, more than a side can have")]
    TooManyPieces(Color, usize),
}

/// Returns the maximum number of pieces of a side: its number at the start, but at least twelve. Thai draughts starts with eight, but
/// problems and lessons use the twelve of other games on its board.
fn max_pieces(variant: &Variant, color: Color) -> usize {
    variant.start[color.index()].len().max(12)
}

/// A position of a game, with the counters of the rules. No man stands on its crowning row, and no side has more pieces than a game allows.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Position, Variant};
///
/// let variant = Variant::international();
/// let square = |name| variant.geometry.square(name).unwrap();
/// let start = Position::start(variant);
/// let ply = start.only_move(square("32"), square("28")).unwrap();
/// let after = start.play(&ply);
/// assert_eq!((after.turn(), after.winner()), (Color::Black, None));
/// assert!(start.only_move(square("32"), square("23")).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    variant: &'static Variant,
    setup: Setup,
    /// Per colour: the king that made the latest quiet moves, and how many in a row.
    king_runs: [Option<(Square, u8)>; 2],
}

impl Position {
    /// Returns the position at the start of a game.
    pub fn start(variant: &'static Variant) -> Position {
        let [white, black] = variant.start;
        let setup = Setup { placement: Placement::from_men(white, black), turn: variant.game_type.starter };
        Position { variant, setup, king_runs: [None; 2] }
    }

    /// Creates the position of a setup.
    ///
    /// # Errors
    ///
    /// Returns [`PositionError`] if a man stands uncrowned on its last row, or if a side has more pieces than it starts the game with (or
    /// twelve, if that is more).
    pub fn new(variant: &'static Variant, setup: Setup) -> Result<Position, PositionError> {
        for color in Color::BOTH {
            if !(setup.placement.men_of(color) & variant.geometry.home_row(!color)).is_empty() {
                return Err(PositionError::UncrownedMan(color));
            }
            let pieces = setup.placement.pieces_of(color).len();
            if pieces > max_pieces(variant, color) {
                return Err(PositionError::TooManyPieces(color, pieces));
            }
        }
        Ok(Position { variant, setup, king_runs: [None; 2] })
    }

    /// Returns the variant of the game.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// Returns pieces and side to move.
    pub fn setup(&self) -> Setup {
        self.setup
    }

    /// Returns the pieces.
    pub fn placement(&self) -> &Placement {
        &self.setup.placement
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.setup.turn
    }

    /// Returns the same pieces with `turn` to move; the counters of the rules restart.
    pub fn with_turn(&self, turn: Color) -> Position {
        Position { setup: Setup { turn, ..self.setup }, king_runs: [None; 2], ..*self }
    }

    /// Returns the king of the side to move that may not move again without capturing, in variants that limit this.
    pub fn exhausted_king(&self) -> Option<Square> {
        let limit = self.variant.rules.same_king_limit?;
        let (square, times) = self.king_runs[self.turn().index()]?;
        let has_men = !self.placement().men_of(self.turn()).is_empty();
        (has_men && times >= limit).then_some(square)
    }

    /// Returns the position after a move that was generated for this position.
    pub fn play(&self, ply: &Move) -> Position {
        self.after(&ply.effect)
    }

    #[inline]
    pub(super) fn after(&self, ply: &Effect) -> Position {
        let mut next = *self;
        next.advance(ply);
        next
    }

    /// Plays an effect in place.
    #[inline(always)]
    pub(super) fn advance(&mut self, ply: &Effect) {
        let us = self.turn();
        let was_king = self.placement().kings.contains(ply.from);
        self.setup.placement.play(us, ply);
        self.setup.turn = !us;
        if self.variant.rules.same_king_limit.is_some() {
            self.count_king_run(us, ply, was_king);
        }
    }

    /// Counts consecutive quiet moves of one king. The count restarts with any other ply of this side, with the capture of that king, and
    /// with the loss of this side's last man.
    fn count_king_run(&mut self, us: Color, ply: &Effect, was_king: bool) {
        let before = self.king_runs[us.index()];
        self.king_runs[us.index()] = match before {
            _ if !ply.captured.is_empty() || !was_king => None,
            Some((square, times)) if square == ply.from => Some((ply.to, times.saturating_add(1))),
            _ => Some((ply.to, 1)),
        };
        let theirs = &mut self.king_runs[(!us).index()];
        if theirs.is_some_and(|(square, _)| ply.captured.contains(square)) {
            *theirs = None;
        }
        for color in Color::BOTH {
            if self.setup.placement.men_of(color).is_empty() {
                self.king_runs[color.index()] = None;
            }
        }
    }
}
