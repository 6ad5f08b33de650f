//! What the squares of a board show at one moment.

use draughts::{Color, Placement, Square, SquareSet};

/// A piece as a sensor reports it: its colour is evidence, its kind is advice (a stacked second disk may read as a man).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SensedPiece {
    /// The colour of the piece.
    pub color: Color,
    /// Does its code say king?
    pub is_king: bool,
}

/// The colours on the playing squares, and where a king's code was read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Occupancy {
    by_color: [SquareSet; 2],
    kings: SquareSet,
}

impl Occupancy {
    /// Sets what is seen on a square.
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

    /// What is seen on a square.
    pub fn get(&self, square: Square) -> Option<SensedPiece> {
        let color = self.color(square)?;
        Some(SensedPiece { color, is_king: self.kings.contains(square) })
    }

    /// The colour on a square.
    pub fn color(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.squares_of(color).contains(square))
    }

    /// The squares that show a colour.
    pub fn squares_of(&self, color: Color) -> SquareSet {
        self.by_color[color.index()]
    }

    /// The squares where a king's code was read.
    pub fn kings(&self) -> SquareSet {
        self.kings
    }

    /// The squares whose colour differs between two sights.
    pub fn differs_from(&self, other: &Occupancy) -> SquareSet {
        (self.by_color[0] ^ other.by_color[0]) | (self.by_color[1] ^ other.by_color[1])
    }

    /// The squares whose colour differs from a placement.
    pub fn differs_from_placement(&self, placement: &Placement) -> SquareSet {
        let [white, black] = self.by_color;
        (placement.pieces_of(Color::White) ^ white) | (placement.pieces_of(Color::Black) ^ black)
    }
}
