//! Contents of the squares of a board at one time.

use draughts::{Color, Piece, PieceKind, Placement, Square, SquareSet};

/// Piece as reported by a sensor. Its colour is reliable, its kind is a hint (a stacked second disk may read as a man).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SensedPiece {
    /// Color of the piece.
    pub color: Color,
    /// Whether its code says king.
    pub is_king: bool,
}

/// Colors on the playing squares, and squares with a king's code.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Occupancy {
    by_color: [SquareSet; 2],
    kings: SquareSet,
}

/// The contents that a placement has.
impl From<&Placement> for Occupancy {
    fn from(placement: &Placement) -> Occupancy {
        Occupancy { by_color: Color::BOTH.map(|color| placement.pieces_of(color)), kings: placement.kings() }
    }
}

impl Occupancy {
    /// Sets the contents of a square.
    pub fn put(&mut self, square: Square, seen: Option<SensedPiece>) {
        for set in &mut self.by_color {
            set.remove(square);
        }
        self.kings.remove(square);
        if let Some(seen) = seen {
            self.by_color[seen.color.index()].insert(square);
            if seen.is_king {
                self.kings.insert(square);
            }
        }
    }

    /// Returns the contents of a square.
    pub fn get(&self, square: Square) -> Option<SensedPiece> {
        let color = self.color(square)?;
        Some(SensedPiece { color, is_king: self.kings.contains(square) })
    }

    /// Returns the colour on a square.
    pub fn color(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.squares_of(color).contains(square))
    }

    /// Returns the squares of a colour.
    pub fn squares_of(&self, color: Color) -> SquareSet {
        self.by_color[color.index()]
    }

    /// Returns the squares with a king's code.
    pub fn kings(&self) -> SquareSet {
        self.kings
    }

    /// Returns the pieces on their squares; those on `crowned` squares of their colour are kings, too.
    pub fn placement(&self, crowned: impl Fn(Color) -> SquareSet) -> Placement {
        let mut placement = Placement::EMPTY;
        for color in Color::BOTH {
            let kings = self.kings | crowned(color);
            for square in self.squares_of(color) {
                let kind = if kings.contains(square) { PieceKind::King } else { PieceKind::Man };
                placement.put(square, Some(Piece { color, kind }));
            }
        }
        placement
    }

    /// Returns the squares whose colour differs between two occupancies.
    pub fn differs_from(&self, other: &Occupancy) -> SquareSet {
        (self.by_color[0] ^ other.by_color[0]) | (self.by_color[1] ^ other.by_color[1])
    }

    /// Returns the squares whose colour differs from a placement.
    pub fn differs_from_placement(&self, placement: &Placement) -> SquareSet {
        let [white, black] = self.by_color;
        (placement.pieces_of(Color::White) ^ white) | (placement.pieces_of(Color::Black) ^ black)
    }
}
