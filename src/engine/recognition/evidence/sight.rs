//! What the squares of a board show at one moment.

use draughts::{Color, Placement, Square, SquareSet};

/// A piece as a sensor reports it: its colour is evidence, its kind is advice (a stacked second disk may read as a man).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The colour of the piece.
    pub color: Color,
    /// Does its code say king?
    pub crowned: bool,
}

/// The colours on the playing squares, and where a king's code was read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sight {
    by_color: [SquareSet; 2],
    crowned: SquareSet,
}

impl Sight {
    /// Sets what is seen on a square.
    pub fn put(&mut self, square: Square, seen: Option<Seen>) {
        for set in &mut self.by_color {
            set.remove(square);
        }
        self.crowned.remove(square);
        if let Some(seen) = seen {
            self.by_color[seen.color.index()].insert(square);
            if seen.crowned {
                self.crowned.insert(square);
            }
        }
    }

    /// What is seen on a square.
    pub fn get(&self, square: Square) -> Option<Seen> {
        let color = self.color(square)?;
        Some(Seen { color, crowned: self.crowned.contains(square) })
    }

    /// The colour on a square.
    pub fn color(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.of(color).contains(square))
    }

    /// The squares that show a colour.
    pub fn of(&self, color: Color) -> SquareSet {
        self.by_color[color.index()]
    }

    /// The squares where a king's code was read.
    pub fn crowned(&self) -> SquareSet {
        self.crowned
    }

    /// The squares whose colour differs between two sights.
    pub fn differs_from(&self, other: &Sight) -> SquareSet {
        (self.by_color[0] ^ other.by_color[0]) | (self.by_color[1] ^ other.by_color[1])
    }

    /// The squares whose colour differs from a placement.
    pub fn differs_from_placement(&self, placement: &Placement) -> SquareSet {
        let [white, black] = self.by_color;
        (placement.of(Color::White) ^ white) | (placement.of(Color::Black) ^ black)
    }
}
