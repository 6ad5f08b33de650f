//! The table as the players know it: the piece on each field, and the time at which hands have finished with the field.
//!
//! Hands are planned ply by ply, ahead of the virtual clock. `ready_ms` is the time from which a field may be touched again: a nudged piece
//! must be back before the next hand lifts it, and no piece lands on a field that is still being cleared.

/// Planned contents of all fields.
#[derive(Debug, Clone)]
pub struct PlannedBoard {
    cols: usize,
    codes: Vec<u8>,
    ready_ms: Vec<u64>,
    flaky: Vec<bool>,
}

impl PlannedBoard {
    /// Creates a table with these codes, row by row; it has `codes.len() / cols` rows.
    pub fn new(cols: u8, codes: Vec<u8>) -> PlannedBoard {
        let fields = codes.len();
        PlannedBoard { cols: usize::from(cols).max(1), codes, ready_ms: vec![0; fields], flaky: vec![false; fields] }
    }

    /// Returns all codes, row by row.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Returns the piece on a field; 0 for an empty field and for fields outside the table.
    pub fn code(&self, field: u8) -> u8 {
        self.codes.get(usize::from(field)).copied().unwrap_or(0)
    }

    /// Whether the piece on a field flickers on every field (a stacked king of a bad set).
    pub fn is_flaky(&self, field: u8) -> bool {
        self.flaky.get(usize::from(field)).copied().unwrap_or(false)
    }

    /// Returns the time from which the field may be touched again.
    pub fn ready_ms(&self, field: u8) -> u64 {
        self.ready_ms.get(usize::from(field)).copied().unwrap_or(0)
    }

    /// Changes a field at a time and reserves it until then.
    pub fn set(&mut self, at_ms: u64, field: u8, code: u8, flaky: bool) {
        if let Some(place) = self.codes.get_mut(usize::from(field)) {
            *place = code;
            self.flaky[usize::from(field)] = flaky;
            self.reserve(field, at_ms);
        }
    }

    /// Reserves the field until a time.
    pub fn reserve(&mut self, field: u8, until_ms: u64) {
        if let Some(ready) = self.ready_ms.get_mut(usize::from(field)) {
            *ready = until_ms.max(*ready);
        }
    }

    /// Returns the fields with a piece that are not reserved.
    pub fn occupied(&self, now_ms: u64) -> Vec<u8> {
        self.select(|table, field| table.code(field) != 0 && table.ready_ms(field) <= now_ms)
    }

    /// Returns the empty adjacent fields that are not reserved.
    pub fn room_around(&self, now_ms: u64, field: u8) -> Vec<u8> {
        self.select(|table, other| {
            table.code(other) == 0 && table.ready_ms(other) <= now_ms && table.distance(field, other) == 1
        })
    }

    /// Returns the number of king's steps (as in chess) from one field to another.
    pub fn distance(&self, a: u8, b: u8) -> usize {
        let ((ar, ac), (br, bc)) = (self.place(a), self.place(b));
        ar.abs_diff(br).max(ac.abs_diff(bc))
    }

    /// Whether the square under a field is dark: dark squares have the colour of the lower left corner.
    pub fn is_dark(&self, field: u8) -> bool {
        let (row, col) = self.place(field);
        (row + col) % 2 == 1
    }

    /// Whether any piece stands on the colour of this field. Most games use only one of the two colours.
    pub fn is_played_on(&self, field: u8) -> bool {
        let dark = self.is_dark(field);
        (0..self.codes.len() as u8).any(|other| self.code(other) != 0 && self.is_dark(other) == dark)
    }

    /// Returns the fields strictly between two fields of one row, column or diagonal, in order; empty for any other pair.
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

    fn select(&self, is_selected: impl Fn(&PlannedBoard, u8) -> bool) -> Vec<u8> {
        (0..self.codes.len() as u8).filter(|field| is_selected(self, *field)).collect()
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
