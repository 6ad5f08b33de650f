//! Fields to squares: the only place where the wire and the game meet.
//!
//! A board numbers its fields row by row from the top left as seen with its connector on the left, White's usual side,
//! and never turns its numbering: with the connector on White's right everything arrives turned by 180 degrees.

use super::codes::CodeMap;
use super::result_piece::is_result_piece;
use crate::engine::protocol::{Field, PieceCode};
use crate::engine::recognition::{Occupancy, SensedPiece};
use draughts::{Color, Geometry, Placement, Square};

/// How the board lies on the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orientation {
    /// The connector is on White's left.
    Normal,
    /// The connector is on White's right.
    Turned,
}

impl Orientation {
    /// The other way round.
    pub fn other(self) -> Orientation {
        match self {
            Orientation::Normal => Orientation::Turned,
            Orientation::Turned => Orientation::Normal,
        }
    }
}

/// What the number in a field update counts. The protocol page leaves it open for boards that scan one colour only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbering {
    /// All fields, row by row.
    AllFields,
    /// The playing squares only, row by row.
    PlayingSquares,
}

/// A field number has seven bits; a board with more fields can only count its playing squares.
const MAX_FIELD_NUMBERS: usize = 128;
/// Updates between two dumps that are remembered to find out what their numbers count.
const MAX_REPORTS: usize = 32;

/// What every field of a board was last known to hold.
#[derive(Clone, Debug)]
pub struct Sensors {
    geometry: &'static Geometry,
    codes: CodeMap,
    orientation: Orientation,
    numbering: Numbering,
    /// The squares of all fields of a board that is not turned.
    squares: Vec<Option<Square>>,
    /// The fields of the playing squares, in field order.
    playing: Vec<usize>,
    /// What fields were last reported to hold since the last dump, by number.
    reports: Vec<(Field, PieceCode)>,
    fields: Vec<PieceCode>,
    /// The kinds of result pieces among them, each once.
    result_pieces: Vec<PieceCode>,
    /// Has a dump told of every field?
    is_known: bool,
}

impl Sensors {
    /// A board of which nothing is known yet.
    pub fn new(geometry: &'static Geometry, codes: CodeMap, orientation: Orientation) -> Sensors {
        let fields = vec![PieceCode::EMPTY; geometry.width() * geometry.height()];
        let numbering = if fields.len() > MAX_FIELD_NUMBERS { Numbering::PlayingSquares } else { Numbering::AllFields };
        // Turning an even board by 180 degrees puts playing squares on playing squares.
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

    /// The board was found to lie so.
    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.orientation = orientation;
    }

    /// How the board lies.
    pub fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// The kinds of result pieces on the board, each once, on any field.
    pub fn result_pieces(&self) -> &[PieceCode] {
        &self.result_pieces
    }

    /// The colours of two pieces that stand in the middle of the board, on the four fields around its centre, and are all that there is.
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

    /// How many fields a dump of this board has.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// What every field was last known to hold, field 0 first.
    pub fn fields(&self) -> &[PieceCode] {
        &self.fields
    }

    /// Has a dump told of every field?
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Takes a dump of all fields, or of all playing squares. Returns whether anything differs from what was known, or
    /// `None` when the dump is not of this board.
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

    /// This stands on the playing squares and nothing on the others, as somebody says who is not the board.
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

    /// Can these reports follow what is known: does the first piece that lands have the colour of one that was lifted?
    pub fn accepts_reports(&self, reports: &[(Field, PieceCode)]) -> bool {
        let color = |code: PieceCode| self.codes.piece(code).map(|seen| seen.color);
        let landed = reports.iter().position(|(_, code)| *code != PieceCode::EMPTY).unwrap_or(reports.len());
        let Some(color_landed) = reports.get(landed).and_then(|(_, code)| color(*code)) else { return true };
        let stood = |field: Field| self.fields.get(self.field_at(self.numbering, field)?).copied();
        // A scan may tell of the square where it lands first.
        let mut lifted = reports.iter().filter(|(_, code)| *code == PieceCode::EMPTY).take(landed.max(1));
        lifted.any(|(field, _)| stood(*field).and_then(color) == Some(color_landed))
    }

    /// Takes the report of one field. `None`: not a field of this board, or not a playing square.
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

    /// Does this board have a field of this number?
    pub fn has(&self, field: Field) -> bool {
        self.field_at(self.numbering, field).is_some()
    }

    /// How many fields the numbers of updates can name.
    pub fn number_count(&self) -> usize {
        match self.numbering {
            Numbering::AllFields => self.fields.len(),
            Numbering::PlayingSquares => self.playing.len(),
        }
    }

    /// What the fields that updates can name were last known to hold, by their numbers.
    pub fn by_number(&self) -> Vec<PieceCode> {
        match self.numbering {
            Numbering::AllFields => self.fields.clone(),
            Numbering::PlayingSquares => self.playing.iter().map(|&field| self.fields[field]).collect(),
        }
    }

    /// The fields that updates can name hold these, by their numbers.
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

    /// Do the numbers of updates count all fields, as far as is known?
    pub fn counts_all_fields(&self) -> bool {
        self.numbering == Numbering::AllFields
    }

    /// A dump tells what the numbers of the updates before it counted: if they fit it in the other way only, that is it.
    /// One update may be out of date by the time of the dump; two that fit are no accident.
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

    /// What the playing squares show.
    pub fn occupancy(&self) -> Occupancy {
        self.occupancy_from(self.orientation)
    }

    /// What the playing squares would show if the board lay so.
    pub fn occupancy_from(&self, orientation: Orientation) -> Occupancy {
        let mut sight = Occupancy::default();
        for (index, &code) in self.fields.iter().enumerate() {
            if let Some(square) = self.square_of(index, orientation) {
                sight.put(square, self.codes.piece(code));
            }
        }
        sight
    }

    fn square_of(&self, field: usize, orientation: Orientation) -> Option<Square> {
        let field = match orientation {
            Orientation::Normal => field,
            Orientation::Turned => self.fields.len() - 1 - field,
        };
        self.squares.get(field).copied().flatten()
    }
}
