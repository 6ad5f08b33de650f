//! Maps fields to squares; the only place where wire and game meet.
//!
//! A board numbers its fields row by row from the top left, seen with its connector on the left, White's usual side. The
//! numbering never changes: with the connector on White's right, all fields are turned by 180 degrees.

use draughts::{Color, Geometry, Placement, Square};

use super::codes::CodeMap;
use super::result_piece::is_result_piece;
use crate::protocol::{Field, PieceCode};
use crate::recognition::{Occupancy, SensedPiece};

/// Orientation of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// The connector is on White's left.
    Normal,
    /// The connector is on White's right.
    Turned,
}

impl Orientation {
    /// Returns the opposite orientation.
    pub fn other(self) -> Orientation {
        match self {
            Orientation::Normal => Orientation::Turned,
            Orientation::Turned => Orientation::Normal,
        }
    }
}

/// Meaning of field numbers in updates. The protocol page leaves it open for boards that scan one colour only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbering {
    /// All fields, row by row.
    AllFields,
    /// Only the playing squares, row by row.
    PlayingSquares,
}

/// Limit of field numbers, which have seven bits; a board with more fields can number only its playing squares.
const MAX_FIELD_NUMBERS: usize = 128;
/// Updates between two dumps that are stored to derive the numbering.
const MAX_REPORTS: usize = 32;

/// Last known contents of all fields of a board.
#[derive(Clone, Debug)]
pub struct Sensors {
    geometry: &'static Geometry,
    codes: CodeMap,
    orientation: Orientation,
    numbering: Numbering,
    /// Square of each field of a board in normal orientation.
    squares: Vec<Option<Square>>,
    /// Fields of the playing squares, in field order.
    playing: Vec<usize>,
    /// Last reported contents of fields since the last dump, by number.
    reports: Vec<(Field, PieceCode)>,
    fields: Vec<PieceCode>,
    /// Kinds of result pieces on the board, each once.
    result_pieces: Vec<PieceCode>,
    /// Whether a dump has shown all fields.
    is_known: bool,
}

impl Sensors {
    /// Creates the fields of a board without any report yet.
    pub fn new(geometry: &'static Geometry, codes: CodeMap, orientation: Orientation) -> Sensors {
        let fields = vec![PieceCode::EMPTY; geometry.width() * geometry.height()];
        let numbering = if fields.len() > MAX_FIELD_NUMBERS { Numbering::PlayingSquares } else { Numbering::AllFields };
        // Turning a board of even size by 180 degrees maps playing squares to playing squares.
        let at = |field: usize| geometry.square_at(field / geometry.width(), field % geometry.width());
        let squares: Vec<Option<Square>> = (0..fields.len()).map(at).collect();
        let playing = (0..fields.len()).filter(|&field| squares[field].is_some()).collect();
        let (reports, result_pieces) = (Vec::new(), Vec::new());
        Sensors {
            geometry,
            codes,
            orientation,
            numbering,
            squares,
            playing,
            reports,
            fields,
            result_pieces,
            is_known: false,
        }
    }

    /// Sets the orientation.
    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.orientation = orientation;
    }

    /// Returns the orientation.
    pub fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// Returns the kinds of result pieces on any field, each once.
    pub fn result_pieces(&self) -> &[PieceCode] {
        &self.result_pieces
    }

    /// Returns the colours of two pieces on the four central fields, if the board holds no others.
    pub fn centre_pieces(&self) -> Option<[Color; 2]> {
        let pieces = |(field, code): (usize, &PieceCode)| Some((field, self.codes.piece(*code)?.color));
        let mut pieces = self.fields.iter().enumerate().filter_map(pieces);
        let (one, other) = (pieces.next()?, pieces.next()?);
        let (width, height) = (self.geometry.width(), self.geometry.height());
        let is_middle = |at: usize, count: usize| at == count / 2 || at + 1 == count / 2;
        let is_central =
            |(field, _): (usize, Color)| is_middle(field / width, height) && is_middle(field % width, width);
        let is_sign = self.is_known && pieces.next().is_none() && is_central(one) && is_central(other);
        is_sign.then_some([one.1, other.1])
    }

    fn update_result_pieces(&mut self) {
        self.result_pieces.clear();
        self.result_pieces.extend(self.fields.iter().copied().filter(|&code| is_result_piece(code)));
        self.result_pieces.sort_unstable_by_key(|code| code.0);
        self.result_pieces.dedup();
    }

    /// Returns the number of fields in a dump of this board.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Returns the last known contents of all fields, field 0 first.
    pub fn fields(&self) -> &[PieceCode] {
        &self.fields
    }

    /// Whether a dump has shown all fields.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Applies a dump of all fields, or of all playing squares. Returns whether anything changed; `None` if the dump does not
    /// fit this board.
    pub fn dump(&mut self, codes: &[PieceCode]) -> Option<bool> {
        let mut fields = self.fields.clone();
        if codes.len() == fields.len() {
            fields.copy_from_slice(codes);
        } else if codes.len() == self.geometry.count() {
            for (&field, &code) in self.playing.iter().zip(codes) {
                fields[field] = code;
            }
        } else {
            return None;
        }
        self.learn_numbering(&fields);
        let changed = !self.is_known || fields != self.fields;
        self.fields = fields;
        self.is_known = true;
        self.update_result_pieces();
        Some(changed)
    }

    /// Sets the playing squares to a placement from a source other than the board, and empties the other fields.
    pub fn assume_placement(&mut self, placement: &Placement) {
        self.fields.fill(PieceCode::EMPTY);
        for index in 0..self.fields.len() {
            let Some(square) = self.square_of(index, self.orientation) else { continue };
            if let Some(piece) = placement.color(square) {
                let seen = SensedPiece { color: piece, is_king: placement.kings().contains(square) };
                self.fields[index] = self.codes.code(seen);
            }
        }
        self.is_known = true;
        self.reports.clear();
        self.update_result_pieces();
    }

    /// Whether the reports can follow the known contents: the first piece that lands must have the colour of a lifted one.
    pub fn accepts_reports(&self, reports: &[(Field, PieceCode)]) -> bool {
        let color = |code: PieceCode| self.codes.piece(code).map(|seen| seen.color);
        let landed = reports.iter().position(|(_, code)| *code != PieceCode::EMPTY).unwrap_or(reports.len());
        let Some(color_landed) = reports.get(landed).and_then(|(_, code)| color(*code)) else { return true };
        let stood = |field: Field| self.fields.get(self.field_at(self.numbering, field)?).copied();
        // A scan may report the landing square first.
        let mut lifted = reports.iter().filter(|(_, code)| *code == PieceCode::EMPTY).take(landed.max(1));
        lifted.any(|(field, _)| stood(*field).and_then(color) == Some(color_landed))
    }

    /// Applies the report of one field. `None`: the field does not exist or is not a playing square.
    pub fn update(&mut self, field: Field, code: PieceCode) -> Option<(Square, Option<SensedPiece>)> {
        self.reports.retain(|(known, _)| *known != field);
        if self.reports.len() < MAX_REPORTS {
            self.reports.push((field, code));
        }
        let index = self.field_at(self.numbering, field)?;
        let before = std::mem::replace(self.fields.get_mut(index)?, code);
        if is_result_piece(before) || is_result_piece(code) {
            self.update_result_pieces();
        }
        let square = self.square_of(index, self.orientation)?;
        Some((square, self.codes.piece(code)))
    }

    fn field_at(&self, numbering: Numbering, field: Field) -> Option<usize> {
        let number = usize::from(field.0);
        match numbering {
            Numbering::AllFields => (number < self.fields.len()).then_some(number),
            Numbering::PlayingSquares => self.playing.get(number).copied(),
        }
    }

    /// Whether the board has a field of this number.
    pub fn has(&self, field: Field) -> bool {
        self.field_at(self.numbering, field).is_some()
    }

    /// Returns the number of fields that updates can name.
    pub fn number_count(&self) -> usize {
        match self.numbering {
            Numbering::AllFields => self.fields.len(),
            Numbering::PlayingSquares => self.playing.len(),
        }
    }

    /// Returns the last known contents of the fields that updates can name, by number.
    pub fn by_number(&self) -> Vec<PieceCode> {
        match self.numbering {
            Numbering::AllFields => self.fields.clone(),
            Numbering::PlayingSquares => self.playing.iter().map(|&field| self.fields[field]).collect(),
        }
    }

    /// Sets the contents of the fields that updates can name, by number.
    pub fn set_by_number(&mut self, codes: &[PieceCode]) {
        for (number, &code) in codes.iter().enumerate() {
            let index = match self.numbering {
                Numbering::AllFields => Some(number),
                Numbering::PlayingSquares => self.playing.get(number).copied(),
            };
            if let Some(field) = index.and_then(|index| self.fields.get_mut(index)) {
                *field = code;
            }
        }
        self.update_result_pieces();
    }

    /// Whether field numbers in updates count all fields, as far as known.
    pub fn counts_all_fields(&self) -> bool {
        self.numbering == Numbering::AllFields
    }

    /// Derives the numbering from a dump: if the previous updates fit only the other numbering, that one applies. At least two
    /// updates are needed, because a single one may be outdated by the time of the dump.
    fn learn_numbering(&mut self, dump: &[PieceCode]) {
        let reports = std::mem::take(&mut self.reports);
        if reports.len() < 2 || self.fields.len() > MAX_FIELD_NUMBERS {
            return;
        }
        let fits = |numbering: Numbering| {
            reports.iter().all(|(field, code)| {
                self.field_at(numbering, *field).is_some_and(|index| dump.get(index) == Some(code))
            })
        };
        let other = match self.numbering {
            Numbering::AllFields => Numbering::PlayingSquares,
            Numbering::PlayingSquares => Numbering::AllFields,
        };
        let says_something = reports.iter().any(|(_, code)| !code.is_empty());
        if says_something && fits(other) && !fits(self.numbering) {
            self.numbering = other;
        }
    }

    /// Returns the occupancy of the playing squares.
    pub fn occupancy(&self) -> Occupancy {
        self.occupancy_from(self.orientation)
    }

    /// Returns the occupancy of the playing squares in another orientation.
    pub fn occupancy_from(&self, orientation: Orientation) -> Occupancy {
        let mut sight = Occupancy::default();
        for &field in &self.playing {
            if let Some(square) = self.square_of(field, orientation) {
                sight.put(square, self.codes.piece(self.fields[field]));
            }
        }
        sight
    }

    /// Whether the playing squares show the colours of a placement, in an orientation.
    pub fn shows(&self, placement: &Placement, orientation: Orientation) -> bool {
        let color = |field: usize| self.codes.piece(self.fields[field]).map(|piece| piece.color);
        self.playing.iter().all(|&field| {
            self.square_of(field, orientation).is_none_or(|square| color(field) == placement.color(square))
        })
    }

    /// Returns the number of playing squares on which a dump shows another colour than is known; 0 if the dump does not fit this board.
    pub fn count_changes(&self, codes: &[PieceCode]) -> usize {
        let color = |code: PieceCode| self.codes.piece(code).map(|piece| piece.color);
        let has_all_fields = codes.len() == self.fields.len();
        if !has_all_fields && codes.len() != self.playing.len() {
            return 0;
        }
        let is_changed = |&(index, &field): &(usize, &usize)| {
            color(codes[if has_all_fields { field } else { index }]) != color(self.fields[field])
        };
        self.playing.iter().enumerate().filter(is_changed).count()
    }

    fn square_of(&self, field: usize, orientation: Orientation) -> Option<Square> {
        let field = match orientation {
            Orientation::Normal => field,
            Orientation::Turned => self.fields.len() - 1 - field,
        };
        self.squares.get(field).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use draughts::{Position, Variant};

    use super::*;

    /// Boards that differ from the start position on some fields.
    #[test]
    fn counts_and_comparisons_agree_with_occupancy() {
        for variant in Variant::all() {
            let (geometry, start) = (&variant.geometry, Position::start(variant));
            for orientation in [Orientation::Normal, Orientation::Turned] {
                let mut sensors = Sensors::new(geometry, CodeMap::default(), orientation);
                sensors.assume_placement(start.placement());
                assert!(sensors.shows(start.placement(), orientation));
                for step in 1..40 {
                    let mut codes = sensors.fields().to_vec();
                    (0..codes.len())
                        .step_by(step)
                        .for_each(|field| codes[field] = PieceCode([0, 1, 4, 7, 10, 13][step % 6]));
                    let playing: Vec<PieceCode> = sensors.playing.iter().map(|&field| codes[field]).collect();
                    let mut after = sensors.clone();
                    after.dump(&codes).unwrap();
                    let differs = after.occupancy().differs_from(&sensors.occupancy());
                    assert_eq!(sensors.count_changes(&codes), differs.len(), "{} {step}", variant.name);
                    assert_eq!(sensors.count_changes(&playing), differs.len(), "{} {step}", variant.name);
                    let is_start = after.occupancy().differs_from_placement(start.placement()).is_empty();
                    assert_eq!(after.shows(start.placement(), orientation), is_start, "{} {step}", variant.name);
                }
                assert_eq!(sensors.count_changes(&[PieceCode(1); 7]), 0);
            }
        }
    }
}
