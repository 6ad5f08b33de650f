//! A playing square and a set of them.
//!
//! A [`Square`] counts the *playing* squares of a board in reading order as White sees it: 0 is the first playing square
//! of the row farthest from White. It is not what players say ("32", "c3"): that is [`super::Geometry::name`].

use std::fmt;

/// One playing square, `0..count` of the board it belongs to, in reading order from White's side.
///
/// # Examples
///
/// ```
/// use draughts::{Square, Variant};
///
/// let geometry = &Variant::international().geometry;
/// let square = geometry.square("32").unwrap();
/// assert_eq!(square, Square::new(31)); // counted from 0, in reading order as White sees the board
/// assert_eq!(geometry.name(square), "32");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The most playing squares a board of the standard has (Canadian, 12x12).
    pub const MAX_COUNT: usize = 72;

    /// The square with this index; `index` must be below [`Square::MAX_COUNT`].
    ///
    /// # Panics
    ///
    /// Where debug assertions are on and the index is too high; without them such a square is on no board.
    pub const fn new(index: u8) -> Square {
        debug_assert!((index as usize) < Square::MAX_COUNT);
        Square(index)
    }

    /// The index in reading order from White's side.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A set of squares of one board.
///
/// # Examples
///
/// ```
/// use draughts::{Color, SquareSet, Variant};
///
/// let start = draughts::Position::start(Variant::international());
/// let men = start.placement().men_of(Color::White);
/// let front = men - SquareSet::first(35);
/// assert_eq!((men.len(), front.len()), (20, 15));
/// assert!(front.is_subset(men));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SquareSet(u128);

impl SquareSet {
    /// No square.
    pub const EMPTY: SquareSet = SquareSet(0);

    /// The squares `0..count`.
    pub const fn first(count: usize) -> SquareSet {
        if count >= 128 { SquareSet(u128::MAX) } else { SquareSet((1 << count) - 1) }
    }

    /// Is the square in the set?
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        // Generators ask nothing more often, and a choice between two halves is quicker than a shift of the whole.
        let half = if square.0 < 64 { self.0 as u64 } else { (self.0 >> 64) as u64 };
        half >> (square.0 & 63) & 1 != 0
    }

    /// The same on a board of which it is known whether it has at most 64 squares.
    #[inline(always)]
    pub(super) const fn contains_sized<const FITS_64: bool>(self, square: Square) -> bool {
        if FITS_64 { self.0 as u64 >> (square.0 & 63) & 1 != 0 } else { self.contains(square) }
    }

    /// Is there no square in the set?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many squares are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Puts the square into the set.
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.0;
    }

    /// Takes the square out of the set.
    pub const fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square.0);
    }

    /// The set with the square.
    pub const fn with(self, square: Square) -> SquareSet {
        SquareSet(self.0 | 1 << square.0)
    }

    /// The set without the square.
    pub const fn without(self, square: Square) -> SquareSet {
        SquareSet(self.0 & !(1 << square.0))
    }

    /// The square with the lowest index.
    pub const fn lowest(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(self.0.trailing_zeros() as u8)) }
    }

    /// The square with the highest index.
    pub const fn highest(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(127 - self.0.leading_zeros() as u8)) }
    }

    /// Every index plus `by`. The caller sees to it that no square leaves the board.
    #[inline]
    pub(super) const fn shifted(self, by: i8) -> SquareSet {
        SquareSet(self.0.rotate_left(by as u32 & 127))
    }

    /// The same on a board of at most 64 squares, which is much quicker.
    #[inline]
    pub(super) const fn shifted_in_64(self, by: i8) -> SquareSet {
        SquareSet((self.0 as u64).rotate_left(by as u32 & 63) as u128)
    }

    /// Are all squares of `self` in `other`?
    pub const fn is_subset(self, other: SquareSet) -> bool {
        self.0 & !other.0 == 0
    }
}

impl std::ops::BitOr for SquareSet {
    type Output = SquareSet;
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for SquareSet {
    fn bitor_assign(&mut self, other: SquareSet) {
        self.0 |= other.0;
    }
}

impl std::ops::BitAnd for SquareSet {
    type Output = SquareSet;
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

impl std::ops::BitXor for SquareSet {
    type Output = SquareSet;
    fn bitxor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 ^ other.0)
    }
}

/// `a - b`: the squares of `a` that are not in `b`.
impl std::ops::Sub for SquareSet {
    type Output = SquareSet;
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & !other.0)
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        squares.into_iter().fold(SquareSet::EMPTY, SquareSet::with)
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a set, lowest index first.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
///
/// let geometry = &Variant::from_tag("25").unwrap().geometry;
/// let names: Vec<&str> = geometry.all().into_iter().map(|square| geometry.name(square)).collect();
/// assert_eq!(names[..5], ["b8", "d8", "f8", "h8", "a7"]);
/// ```
#[derive(Clone, Debug)]
pub struct Squares(SquareSet);

impl Iterator for Squares {
    type Item = Square;
    fn next(&mut self) -> Option<Square> {
        let square = self.0.lowest()?;
        self.0.remove(square);
        Some(square)
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_yields_squares_in_order() {
        let set: SquareSet = [71, 3, 50].map(Square::new).into_iter().collect();
        assert_eq!(set.into_iter().map(Square::index).collect::<Vec<_>>(), [3, 50, 71]);
        assert_eq!((set - SquareSet::first(51)).len(), 1);
        assert!(set.without(Square::new(3)).is_subset(set));
    }
}
