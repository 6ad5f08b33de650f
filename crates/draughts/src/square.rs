//! A playing square, and a set of them.
//!
//! A [`Square`] numbers the *playing* squares of a board in reading order as White sees it: 0 is the first playing square of the row
//! farthest from White. For names such as "32" or "c3" see [`super::Geometry::name`].

use std::fmt;

/// One playing square, `0..count` of its board, in reading order from White's side.
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
    /// Maximum number of playing squares of a board of the standard (Canadian, 12x12).
    pub const MAX_COUNT: usize = 72;

    /// Creates the square with this index, which must be below [`Square::MAX_COUNT`].
    ///
    /// # Panics
    ///
    /// Panics if the index is too high and debug assertions are on; without them the result is on no board.
    pub const fn new(index: u8) -> Square {
        debug_assert!((index as usize) < Square::MAX_COUNT);
        Square(index)
    }

    /// Returns the index in reading order from White's side.
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
    /// The empty set.
    pub const EMPTY: SquareSet = SquareSet(0);

    /// Returns the squares `0..count`.
    pub const fn first(count: usize) -> SquareSet {
        if count >= 128 { SquareSet(u128::MAX) } else { SquareSet((1 << count) - 1) }
    }

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        // The generator's most frequent operation: choosing a half is faster than shifting all 128 bits.
        let half = if square.0 < 64 { self.0 as u64 } else { (self.0 >> 64) as u64 };
        half >> (square.0 & 63) & 1 != 0
    }

    /// [`SquareSet::contains`] for boards known to have at most 64 squares, or more.
    #[inline(always)]
    pub(super) const fn contains_sized<const FITS_64: bool>(self, square: Square) -> bool {
        if FITS_64 { self.0 as u64 >> (square.0 & 63) & 1 != 0 } else { self.contains(square) }
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of squares in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Adds the square to the set.
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.0;
    }

    /// Removes the square from the set.
    pub const fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square.0);
    }

    /// Returns the set with the square added.
    pub const fn with(self, square: Square) -> SquareSet {
        SquareSet(self.0 | 1 << square.0)
    }

    /// Returns the set with the square removed.
    pub const fn without(self, square: Square) -> SquareSet {
        SquareSet(self.0 & !(1 << square.0))
    }

    /// Returns the square with the lowest index.
    pub const fn lowest(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(self.0.trailing_zeros() as u8)) }
    }

    /// Returns the square with the highest index.
    pub const fn highest(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(127 - self.0.leading_zeros() as u8)) }
    }

    /// Adds `by` to every index. The caller ensures that no square leaves the board.
    #[inline]
    pub(super) const fn shifted(self, by: i8) -> SquareSet {
        SquareSet(self.0.rotate_left(by as u32 & 127))
    }

    /// [`SquareSet::shifted`] for a board of at most 64 squares, which is much faster.
    #[inline]
    pub(super) const fn shifted_in_64(self, by: i8) -> SquareSet {
        SquareSet((self.0 as u64).rotate_left(by as u32 & 63) as u128)
    }

    /// Whether all squares of `self` are in `other`.
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

/// Iterator over the squares of a set, lowest index first.
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
