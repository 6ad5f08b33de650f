//! The table as the players know it: which piece stands where, and when the hands are done with a field.
//!
//! Hands are planned ply by ply, ahead of the virtual clock. `ready` tells from when on a field may be touched again: a nudged
//! piece must be back before the next hand takes it, and no piece lands where another is still being taken away.

/// Planned contents of all fields.
#[derive(Debug, Clone)]
pub struct PlannedBoard {
    cols: usize,
    codes: Vec<u8>,
    ready_ms: Vec<u64>,
    flaky: Vec<bool>,
}

impl PlannedBoard {
    /// A table with these codes, row by row; it has `codes.len() / cols` rows.
    pub fn new(cols: u8, codes: Vec<u8>) -> PlannedBoard {
        let fields = codes.len();
        PlannedBoard { cols: usize::from(cols).max(1), codes, ready_ms: vec![0; fields], flaky: vec![false; fields] }
    }

    /// All codes, row by row.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// What stands on a field; 0 for nothing and for fields outside.
    pub fn code(&self, field: u8) -> u8 {
        self.codes.get(usize::from(field)).copied().unwrap_or(0)
    }

    /// Whether the piece on a field wobbles wherever it stands (a stacked king of a bad set).
    pub fn is_flaky(&self, field: u8) -> bool {
        self.flaky.get(usize::from(field)).copied().unwrap_or(false)
    }

    /// From when on the field may be touched again.
    pub fn ready_ms(&self, field: u8) -> u64 {
        self.ready_ms.get(usize::from(field)).copied().unwrap_or(0)
    }

    /// Changes a field at a time; nobody else touches it before.
    pub fn set(&mut self, at_ms: u64, field: u8, code: u8, flaky: bool) {
        if let Some(place) = self.codes.get_mut(usize::from(field)) {
            *place = code;
            self.flaky[usize::from(field)] = flaky;
            self.reserve(field, at_ms);
        }
    }

    /// Keeps hands off the field until a time.
    pub fn reserve(&mut self, field: u8, until_ms: u64) {
        if let Some(ready) = self.ready_ms.get_mut(usize::from(field)) {
            *ready = until_ms.max(*ready);
        }
    }

    /// Fields with a piece that nobody is busy with.
    pub fn occupied(&self, now_ms: u64) -> Vec<u8> {
        self.select(|table, field| table.code(field) != 0 && table.ready_ms(field) <= now_ms)
    }

    /// Empty fields around a field that nobody is busy with.
    pub fn room_around(&self, now_ms: u64, field: u8) -> Vec<u8> {
        self.select(|table, other| {
            table.code(other) == 0 && table.ready_ms(other) <= now_ms && table.distance(field, other) == 1
        })
    }

    /// King's steps from one field to another on the board as a plain grid.
    pub fn distance(&self, a: u8, b: u8) -> usize {
        let ((ar, ac), (br, bc)) = (self.place(a), self.place(b));
        ar.abs_diff(br).max(ac.abs_diff(bc))
    }

    /// The colour of the square under a field: dark squares are those of the lower left corner's colour.
    pub fn is_dark(&self, field: u8) -> bool {
        let (row, col) = self.place(field);
        (row + col) % 2 == 1
    }

    /// Does any piece stand on the colour of this field? In most games only one of the two colours is played on.
    pub fn is_played_on(&self, field: u8) -> bool {
        let dark = self.is_dark(field);
        (0..self.codes.len() as u8).any(|other| self.code(other) != 0 && self.is_dark(other) == dark)
    }

    /// The fields strictly between two fields of one row, column or diagonal, in order; none for any other pair.
    pub fn between(&self, a: u8, b: u8) -> Vec<u8> {
        let ((ar, ac), (br, bc)) = (self.place(a), self.place(b));
        let (rows, cols) = (ar.abs_diff(br), ac.abs_diff(bc));
        if rows != cols && rows != 0 && cols != 0 {
            return Vec::new();
        }
        let step = |from: usize, to: usize, n: usize| match from.cmp(&to) {
            std::cmp::Ordering::Less => from + n,
            std::cmp::Ordering::Equal => from,
            std::cmp::Ordering::Greater => from - n,
        };
        (1..rows.max(cols)).map(|n| (step(ar, br, n) * self.cols + step(ac, bc, n)) as u8).collect()
    }

    fn place(&self, field: u8) -> (usize, usize) {
        (usize::from(field) / self.cols, usize::from(field) % self.cols)
    }

    fn select(&self, wanted: impl Fn(&PlannedBoard, u8) -> bool) -> Vec<u8> {
        (0..self.codes.len() as u8).filter(|field| wanted(self, *field)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_between() {
        let table = PlannedBoard::new(10, vec![0; 100]);
        assert_eq!(table.between(0, 33), [11, 22]);
        assert_eq!(table.between(33, 0), [22, 11]);
        assert_eq!(table.between(9, 36), [18, 27]);
        assert_eq!(table.between(5, 35), [15, 25]);
        assert_eq!(table.between(0, 12), []);
        assert_eq!(table.between(4, 4), []);
        assert_eq!(table.between(4, 5), []);
    }

    #[test]
    fn room_is_empty_and_free_of_hands() {
        let mut table = PlannedBoard::new(8, vec![0; 64]);
        table.set(100, 0, 1, false);
        table.set(900, 8, 0, false);
        assert_eq!(table.room_around(500, 1), [2, 9, 10]);
        assert_eq!(table.occupied(50), []);
        assert_eq!(table.occupied(100), [0]);
    }
}
