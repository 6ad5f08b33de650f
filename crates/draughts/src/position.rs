//! Pieces on squares, in three degrees of trust.
//!
//! | type | what it claims |
//! |---|---|
//! | [`Placement`] | these pieces stand here; nothing about sense |
//! | [`Setup`] | a placement and whose turn it is |
//! | [`Position`] | a setup that can be played from, with the counters that the rules need |

use super::moves::{Effect, Move};
use super::piece::{Color, Piece, PieceKind};
use super::square::{Square, SquareSet};
use super::variant::Variant;

/// Which pieces stand where. No square holds two.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Square, SquareSet};
///
/// let mut placement = Placement::of_men(SquareSet::EMPTY.with(Square::new(31)), SquareSet::EMPTY);
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

    /// Men of both colours; the sets must not overlap.
    pub fn from_men(white: SquareSet, black: SquareSet) -> Placement {
        debug_assert!((white & black).is_empty());
        Placement { by_color: [white, black], kings: SquareSet::EMPTY }
    }

    /// Puts a piece on a square, in the place of what stood there.
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

    /// Moves a piece of this colour, takes what it captures and crowns it if it is to be crowned.
    #[inline(always)]
    fn play(&mut self, us: Color, ply: &Effect) {
        let is_king = ply.promotes || self.kings.contains(ply.from);
        // The order matters: a capture may end where it began, and, where pieces leave at once, on the square of one that
        // it took.
        let [ours, theirs] = [us, !us].map(Color::index);
        self.by_color[theirs] = self.by_color[theirs] - ply.captured;
        self.by_color[ours] = self.by_color[ours].without(ply.from).with(ply.to);
        let kings = (self.kings - ply.captured).without(ply.from);
        self.kings = if is_king { kings.with(ply.to) } else { kings };
    }

    /// The piece on a square.
    pub fn get(&self, square: Square) -> Option<Piece> {
        let color = self.color(square)?;
        let kind = if self.kings.contains(square) { PieceKind::King } else { PieceKind::Man };
        Some(Piece { color, kind })
    }

    /// The colour of the piece on a square.
    pub fn color(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.pieces_of(color).contains(square))
    }

    /// The squares of a colour's pieces.
    pub fn pieces_of(&self, color: Color) -> SquareSet {
        self.by_color[color.index()]
    }

    /// The squares of a colour's kings.
    pub fn kings_of(&self, color: Color) -> SquareSet {
        self.kings & self.pieces_of(color)
    }

    /// The squares of a colour's men.
    pub fn men_of(&self, color: Color) -> SquareSet {
        self.pieces_of(color) - self.kings
    }

    /// The squares of all kings.
    pub fn kings(&self) -> SquareSet {
        self.kings
    }

    /// All squares with a piece.
    pub fn occupied(&self) -> SquareSet {
        self.by_color[0] | self.by_color[1]
    }
}

/// A placement and the side to move: what a FEN says.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Position, Setup, SquareSet, Variant};
///
/// let geometry = &Variant::international().geometry;
/// let squares = |names: [&str; 2]| -> SquareSet { names.iter().filter_map(|name| geometry.square(name)).collect() };
/// let placement = Placement::of_men(squares(["32", "33"]), squares(["23", "24"]));
/// let position = Position::new(Variant::international(), Setup { placement, turn: Color::White })?;
/// assert_eq!(position.legal_moves().len(), 4);
/// # Ok::<(), draughts::PositionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The pieces.
    pub placement: Placement,
    /// The side to move.
    pub turn: Color,
}

/// Why a setup cannot be played from.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Placement, Position, PositionError, Setup, Square, SquareSet, Variant};
///
/// let placement = Placement::of_men(SquareSet::EMPTY.with(Square::new(0)), SquareSet::EMPTY);
/// let setup = Setup { placement, turn: Color::White };
/// assert_eq!(Position::new(Variant::international(), setup), Err(PositionError::UncrownedMan(Color::White)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A man on the row where it would have been crowned.
    #[error("a {0} man stands on its crowning row; it should be a king")]
    UncrownedMan(Color),
    /// More pieces than the side starts the game with (or twelve, if that is more). It bounds the work of the generator as well: the orders in which
    /// forty kings can be taken are beyond counting.
    #[error("{0} has {1} pieces, more than a side can have")]
    TooManyPieces(Color, usize),
}

/// The most pieces a side can have: what it starts with; but Thai draughts, which starts with eight, is composed and taught
/// with the twelve of the other games on its board.
fn max_pieces(variant: &Variant, color: Color) -> usize {
    variant.start[color.index()].len().max(12)
}

/// A position of a game: a setup in which every man may stand where it stands and no side has more pieces than it started
/// with, and the counters of the rules.
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
    /// Per colour: the king that moved last without capturing, and how often in a row.
    king_runs: [Option<(Square, u8)>; 2],
}

impl Position {
    /// The position at the start of a game.
    pub fn start(variant: &'static Variant) -> Position {
        let [white, black] = variant.start;
        let setup = Setup { placement: Placement::from_men(white, black), turn: variant.game_type.starter };
        Position { variant, setup, king_runs: [None; 2] }
    }

    /// The position of a setup.
    ///
    /// # Errors
    ///
    /// When a man stands uncrowned on its last row, or a side has more pieces than it starts the game with (or twelve, if
    /// that is more).
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

    /// The game that is played.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// Pieces and turn.
    pub fn setup(&self) -> Setup {
        self.setup
    }

    /// The pieces.
    pub fn placement(&self) -> &Placement {
        &self.setup.placement
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.setup.turn
    }

    /// The same pieces with the other side to move; counters of the rules start anew.
    pub fn with_turn(&self, turn: Color) -> Position {
        Position { setup: Setup { turn, ..self.setup }, king_runs: [None; 2], ..*self }
    }

    /// The king of the side to move that may not move again without capturing, for the variants that limit it.
    pub fn exhausted_king(&self) -> Option<Square> {
        let limit = self.variant.rules.same_king_limit?;
        let (square, times) = self.king_runs[self.turn().index()]?;
        let has_men = !self.placement().men_of(self.turn()).is_empty();
        (has_men && times >= limit).then_some(square)
    }

    /// The position after a move that was generated for this position.
    pub fn play(&self, ply: &Move) -> Position {
        self.after(&ply.effect)
    }

    #[inline]
    pub(super) fn after(&self, ply: &Effect) -> Position {
        let mut next = *self;
        next.advance(ply);
        next
    }

    /// The same in place.
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

    /// Counts quiet moves of one king in a row: anything else that this side plays, the capture of that king, and the
    /// loss of this side's last man start the count anew.
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
