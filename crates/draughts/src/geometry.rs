//! Positions, connections and names of the playing squares of a board.
//!
//! ```text
//!        White's view, row 0 on top            the eight directions, as White sees them
//!        . 1 . 2 . 3 . 4 . 5   row 0                 NW  N  NE
//!        6 . 7 . 8 . 9 . 10    row 1                   \ | /
//!        ...                                         W --+-- E
//!        . 41 . 42 . 43 ...    row 8                   / | \
//!        46 . 47 . 48 ...      row 9                 SW  S  SE
//! ```
//!
//! On a chequered board N, E, S and W lead to the next square *of the played colour*, two rows or columns away: the lines of the orthogonal
//! captures of Frisian draughts. Where all squares are played (Turkish) they lead to the adjacent square.
//!
//! Source: PDN 3.0, chapter "GameType tag". All attributes are read from the seat of the side that starts, so a board
//! on which Black starts is numbered as seen from Black's seat.

use super::game_type::{GameType, NotationKind};
use super::piece::Color;
use super::square::{Square, SquareSet};

/// Direction on the board as White sees it; N leads to Black's home row.
///
/// # Examples
///
/// ```
/// use draughts::{Direction, Variant};
///
/// let geometry = &Variant::international().geometry;
/// let square = geometry.square("32").unwrap();
/// let ahead = geometry.next(square, Direction::NorthWest).unwrap();
/// assert_eq!(geometry.name(ahead), "27");
/// assert_eq!(geometry.next(ahead, Direction::NorthWest.reverse()), Some(square));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    North,
    NorthEast,
    East,
    SouthEast,
    South,
    SouthWest,
    West,
    NorthWest,
}

impl Direction {
    /// All eight directions, clockwise from north.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];

    /// Returns the opposite direction.
    pub const fn reverse(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::NorthEast => Direction::SouthWest,
            Direction::East => Direction::West,
            Direction::SouthEast => Direction::NorthWest,
            Direction::South => Direction::North,
            Direction::SouthWest => Direction::NorthEast,
            Direction::West => Direction::East,
            Direction::NorthWest => Direction::SouthEast,
        }
    }

    /// Returns the direction for `color` that corresponds to this direction for White: Black's is turned by 180 degrees.
    #[inline]
    pub(crate) const fn seen_by(self, color: Color) -> Direction {
        match color {
            Color::White => self,
            Color::Black => self.reverse(),
        }
    }

    /// Whether squares in this direction have higher indices.
    const fn counts_up(self) -> bool {
        matches!(self, Direction::East | Direction::SouthEast | Direction::South | Direction::SouthWest)
    }

    /// Returns the rows and columns of one step; rows grow southward.
    const fn vector(self) -> (i8, i8) {
        match self {
            Direction::North => (-1, 0),
            Direction::NorthEast => (-1, 1),
            Direction::East => (0, 1),
            Direction::SouthEast => (1, 1),
            Direction::South => (1, 0),
            Direction::SouthWest => (1, -1),
            Direction::West => (0, -1),
            Direction::NorthWest => (-1, -1),
        }
    }
}

/// Marks a missing square in tables of squares.
const NO_SQUARE: u8 = u8::MAX;

/// Step in one direction for many squares at once. Squares are numbered in reading order, so a step adds a fixed number to the index. On a
/// chequered board it adds one of two numbers, because every other row is indented.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Shift {
    /// Squares whose step adds this number.
    squares: SquareSet,
    by: i8,
}

impl Shift {
    #[inline]
    fn in_128(&self, squares: SquareSet) -> SquareSet {
        (squares & self.squares).shifted(self.by)
    }

    /// Shifts squares on a board of at most 64 squares, which is much faster.
    #[inline]
    fn in_64(&self, squares: SquareSet) -> SquareSet {
        (squares & self.squares).shifted_in_64(self.by)
    }
}

/// The board of one [`GameType`]. Every [`Square`] below [`Geometry::count`] has a row, a column and a unique name.
///
/// # Examples
///
/// ```
/// use draughts::{Color, Variant};
///
/// let geometry = &Variant::from_tag("27").unwrap().geometry; // Canadian draughts
/// assert_eq!((geometry.width(), geometry.height(), geometry.count()), (12, 12, 72));
/// let crowning: Vec<&str> = geometry.home_row(Color::Black).into_iter().map(|square| geometry.name(square)).collect();
/// assert_eq!(crowning, ["1", "2", "3", "4", "5", "6"]); // where White's men are crowned
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geometry {
    width: usize,
    height: usize,
    /// Row and column in White's view, by square.
    cells: Vec<(u8, u8)>,
    /// Square at index row * width + column.
    squares: Vec<Option<Square>>,
    /// Adjacent square, by square and direction.
    neighbours: [[u8; 8]; Square::MAX_COUNT],
    /// Adjacent square and the one behind it, by square and direction; twice the square itself unless both exist.
    hops: [[(u8, u8); 8]; Square::MAX_COUNT],
    /// All squares of the line, by square and direction.
    rays: [[SquareSet; 8]; Square::MAX_COUNT],
    /// Steps for many squares at once, by direction.
    shifts: [[Shift; 2]; 8],
    /// Two steps at once, by direction: both row parities add the same number.
    double_shifts: [Shift; 8],
    fits_64: bool,
    all: SquareSet,
    /// Names, by square.
    names: Vec<String>,
    /// Square by [`name_key`].
    named: [u8; NAME_KEYS],
    /// All squares in the order of their names.
    name_order: Vec<Square>,
    home_rows: [SquareSet; 2],
}

impl Geometry {
    /// Builds the board of a game type. `all_squares`: the squares of both colours are played.
    pub(crate) fn new(game_type: &GameType, all_squares: bool) -> Geometry {
        let (width, height) = (game_type.width as usize, game_type.height as usize);
        // The starter's view is White's view, or White's view turned by 180 degrees.
        let turn = |row: usize, column: usize| match game_type.starter {
            Color::White => (row, column),
            Color::Black => (height - 1 - row, width - 1 - column),
        };
        let played = |row: usize, column: usize| {
            let (row, column) = turn(row, column);
            let like_bottom_left = (row + column) % 2 == (height - 1) % 2;
            all_squares || like_bottom_left != game_type.inverted
        };
        let mut cells = Vec::new();
        let mut squares = vec![None; width * height];
        for row in 0..height {
            for column in 0..width {
                if played(row, column) {
                    squares[row * width + column] = Some(Square::new(cells.len() as u8));
                    cells.push((row as u8, column as u8));
                }
            }
        }
        let mut geometry = Geometry {
            width,
            height,
            neighbours: [[NO_SQUARE; 8]; Square::MAX_COUNT],
            hops: [[(NO_SQUARE, NO_SQUARE); 8]; Square::MAX_COUNT],
            rays: [[SquareSet::EMPTY; 8]; Square::MAX_COUNT],
            shifts: Default::default(),
            double_shifts: Default::default(),
            fits_64: cells.len() <= 64,
            all: SquareSet::first(cells.len()),
            names: Vec::new(),
            named: [NO_SQUARE; NAME_KEYS],
            name_order: Vec::new(),
            home_rows: [SquareSet::EMPTY; 2],
            cells,
            squares,
        };
        geometry.connect(all_squares);
        geometry.draw_lines();
        geometry.names = geometry
            .cells
            .iter()
            .map(|&(row, column)| {
                let (row, column) = turn(row as usize, column as usize);
                let notation = game_type.notation;
                let row = if notation.from_bottom { height - 1 - row } else { row };
                let column = if notation.from_left { column } else { width - 1 - column };
                match notation.kind {
                    NotationKind::Algebraic => format!("{}{}", (b'a' + column as u8) as char, row + 1),
                    NotationKind::Numeric if all_squares => (1 + row * width + column).to_string(),
                    NotationKind::Numeric => (1 + row * (width / 2) + column / 2).to_string(),
                }
            })
            .collect();
        geometry.index_names();
        geometry
    }

    fn index_names(&mut self) {
        let mut keys: Vec<(usize, Square)> = Vec::with_capacity(self.count());
        for square in self.all() {
            let key = name_key(self.name(square).as_bytes()).expect("the names made here have a key");
            self.named[key] = square.index() as u8;
            keys.push((key, square));
        }
        keys.sort_unstable();
        self.name_order = keys.into_iter().map(|(_, square)| square).collect();
    }

    fn connect(&mut self, all_squares: bool) {
        for index in 0..self.cells.len() {
            let square = Square::new(index as u8);
            let (row, column) = self.cells[index];
            for direction in Direction::ALL {
                let (down, right) = direction.vector();
                let stride = if !all_squares && (down == 0 || right == 0) { 2 } else { 1 };
                let (row, column) = (row as i8 + down * stride, column as i8 + right * stride);
                if let Some(next) = self.at(row, column) {
                    self.neighbours[index][direction as usize] = next.index() as u8;
                    let by = next.index() as i8 - index as i8;
                    let shift = self.shifts[direction as usize]
                        .iter_mut()
                        .find(|shift| shift.squares.is_empty() || shift.by == by)
                        .expect("a direction has at most two shifts: rows are indented in turn");
                    shift.by = by;
                    shift.squares.insert(square);
                }
            }
            if row == 0 {
                self.home_rows[Color::Black.index()].insert(square);
            }
            if row as usize == self.height - 1 {
                self.home_rows[Color::White.index()].insert(square);
            }
        }
    }

    fn draw_lines(&mut self) {
        for square in self.all {
            for direction in Direction::ALL {
                let mut line = self.line(square, direction);
                let hop = line.next().zip(line.next());
                drop(line);
                if let Some((_, to)) = hop {
                    let shift = &mut self.double_shifts[direction as usize];
                    shift.squares.insert(square);
                    shift.by = to.index() as i8 - square.index() as i8;
                }
                let hop = hop.unwrap_or((square, square));
                let ray = self.line(square, direction).collect();
                self.hops[square.index()][direction as usize] = (hop.0.index() as u8, hop.1.index() as u8);
                self.rays[square.index()][direction as usize] = ray;
            }
        }
    }

    fn at(&self, row: i8, column: i8) -> Option<Square> {
        let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        self.square_at(row, column)
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of playing squares.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are at most 64 playing squares, so that operations on sets take half the work.
    #[inline]
    pub(super) fn fits_64(&self) -> bool {
        self.fits_64
    }

    /// Returns all playing squares.
    #[inline]
    pub fn all(&self) -> SquareSet {
        self.all
    }

    /// Returns the playing square at a row and a column of White's view; row 0 is Black's home row.
    pub fn square_at(&self, row: usize, column: usize) -> Option<Square> {
        if column >= self.width { None } else { *self.squares.get(row * self.width + column)? }
    }

    /// Returns row and column of a square in White's view.
    ///
    /// # Panics
    ///
    /// Panics if `square` is not on this board but on a larger one.
    pub fn row_and_column(&self, square: Square) -> (usize, usize) {
        let (row, column) = self.cells[square.index()];
        (row as usize, column as usize)
    }

    /// Returns the next playing square in a direction.
    #[inline]
    pub fn next(&self, square: Square, direction: Direction) -> Option<Square> {
        match self.neighbours[square.index()][direction as usize] {
            NO_SQUARE => None,
            index => Some(Square::new(index)),
        }
    }

    /// Returns the next playing squares of all of these squares in a direction.
    #[inline]
    pub fn step(&self, squares: SquareSet, direction: Direction) -> SquareSet {
        if self.fits_64 {
            self.step_sized::<true>(squares, direction)
        } else {
            self.step_sized::<false>(squares, direction)
        }
    }

    /// [`Geometry::step`] for callers that checked [`Geometry::fits_64`] once for many steps.
    #[inline(always)]
    pub(super) fn step_sized<const FITS_64: bool>(&self, squares: SquareSet, direction: Direction) -> SquareSet {
        let [even, odd] = &self.shifts[direction as usize];
        if FITS_64 { even.in_64(squares) | odd.in_64(squares) } else { even.in_128(squares) | odd.in_128(squares) }
    }

    /// Returns the next playing square in a direction, which a piece jumps over, and the square behind it, where the piece lands. Unless
    /// both exist, returns the square itself twice, which is never captured.
    #[inline]
    pub(super) fn hop(&self, from: Square, direction: Direction) -> (Square, Square) {
        let (over, to) = self.hops[from.index()][direction as usize];
        (Square::new(over), Square::new(to))
    }

    /// Returns the squares in a direction, nearest first.
    fn line(&self, from: Square, direction: Direction) -> impl Iterator<Item = Square> {
        std::iter::successors(self.next(from, direction), move |&at| self.next(at, direction))
    }

    /// Returns all squares in a direction.
    #[inline]
    pub(super) fn ray(&self, from: Square, direction: Direction) -> SquareSet {
        self.rays[from.index()][direction as usize]
    }

    /// Returns the nearest of these squares in a direction.
    #[inline]
    pub(super) fn nearest(&self, from: Square, direction: Direction, among: SquareSet) -> Option<Square> {
        let met = self.ray(from, direction) & among;
        if direction.counts_up() { met.lowest() } else { met.highest() }
    }

    /// Returns the squares two steps away from all of these squares, for callers that checked [`Geometry::fits_64`].
    #[inline(always)]
    pub(super) fn double_step_sized<const FITS_64: bool>(&self, squares: SquareSet, direction: Direction) -> SquareSet {
        let shift = &self.double_shifts[direction as usize];
        if FITS_64 { shift.in_64(squares) } else { shift.in_128(squares) }
    }

    /// Returns the direction from one square to another; `None` unless they share a line of the game.
    pub fn direction(&self, from: Square, to: Square) -> Option<Direction> {
        Direction::ALL.into_iter().find(|&way| self.ray(from, way).contains(to))
    }

    /// Returns the row nearest to this colour's own edge; the opponent's men are crowned there.
    pub fn home_row(&self, color: Color) -> SquareSet {
        self.home_rows[color.index()]
    }

    /// Returns the playing squares of the rows `rows`, counted from a colour's own edge of the board; 0 is the home row.
    pub fn rows_of(&self, color: Color, rows: std::ops::Range<usize>) -> SquareSet {
        (0..self.count() as u8)
            .map(Square::new)
            .filter(|&square| {
                let (row, _) = self.row_and_column(square);
                rows.contains(&match color {
                    Color::White => self.height - 1 - row,
                    Color::Black => row,
                })
            })
            .collect()
    }

    /// Returns the name of the square: `32`, `c3`.
    ///
    /// # Panics
    ///
    /// Panics if `square` is not on this board but on a larger one.
    pub fn name(&self, square: Square) -> &str {
        &self.names[square.index()]
    }

    /// Returns the square with this name. Rejects leading zeros; readers may strip them first.
    pub fn square(&self, name: &str) -> Option<Square> {
        self.parse_square_bytes(name.as_bytes())
    }

    /// [`Geometry::square`] for the bytes of a name.
    #[inline]
    pub fn parse_square_bytes(&self, name: &[u8]) -> Option<Square> {
        match self.named[name_key(name)?] {
            NO_SQUARE => None,
            index => Some(Square::new(index)),
        }
    }

    /// Returns the squares in the order of their names: numbers by value, letters by column and then row.
    pub fn sorted_by_name(&self, squares: SquareSet) -> Vec<Square> {
        self.name_order.iter().copied().filter(|&square| squares.contains(square)).collect()
    }
}

/// Number of keys for names.
const NAME_KEYS: usize = 256;

/// Returns a small number for every well-formed name of a square, in the order of names: 1..=99 for a number, from 100 for a letter `a..=l`
/// with a number 1..=12.
#[inline(always)]
fn name_key(name: &[u8]) -> Option<usize> {
    let number = |digits: &[u8]| match *digits {
        [ten @ b'1'..=b'9', one @ b'0'..=b'9'] => Some(10 * usize::from(ten - b'0') + usize::from(one - b'0')),
        [one @ b'1'..=b'9'] => Some(usize::from(one - b'0')),
        _ => None,
    };
    match name {
        [letter @ b'a'..=b'l', rank @ ..] => {
            let rank = number(rank).filter(|&rank| rank <= 12)?;
            Some(100 + 12 * usize::from(letter - b'a') + rank)
        }
        digits => number(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    #[test]
    fn step_of_set_is_step_of_each_square() {
        for variant in Variant::all() {
            let geometry = &variant.geometry;
            for direction in Direction::ALL {
                for square in geometry.all() {
                    let alone = geometry.step(SquareSet::EMPTY.with(square), direction);
                    assert_eq!(
                        alone.lowest(),
                        geometry.next(square, direction),
                        "{variant:?} {square:?} {direction:?}"
                    );
                    assert!(alone.len() < 2);
                    let twice = geometry.next(square, direction).and_then(|next| geometry.next(next, direction));
                    let alone = SquareSet::EMPTY.with(square);
                    let alone = match geometry.fits_64() {
                        true => geometry.double_step_sized::<true>(alone, direction),
                        false => geometry.double_step_sized::<false>(alone, direction),
                    };
                    assert_eq!(alone.lowest(), twice, "{variant:?} {square:?} {direction:?}");
                }
            }
        }
    }

    #[test]
    fn only_valid_names_find_squares() {
        for variant in Variant::all() {
            for square in variant.geometry.all() {
                assert_eq!(variant.geometry.square(variant.geometry.name(square)), Some(square));
            }
            for name in ["", "0", "01", "73", "100", "a0", "a13", "m1", "a", "A1", "é", "1a", "a1b", "99"] {
                assert_eq!(variant.geometry.square(name), None, "{name}");
            }
        }
    }
}
