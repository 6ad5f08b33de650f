//! Result signs: pieces that players set up on the board to show how a game ended.
//!
//! | on the board | meaning |
//! |---|---|
//! | one of the three result pieces of a set, on any field | the result of that piece |
//! | with the clock stopped, only two pieces, on central squares, both white | White has won |
//! | both black | Black has won |
//! | one of each colour | draw |
//!
//! A sign is only a hint, since players try out pieces or put one down next to another. Once the sign has rested, the
//! operator receives it as a proposal. It never counts as a move: a result piece leaves its square empty, and a stopped
//! clock suspends recording.
//!
//! Source: protocol header, piece codes 13 to 15. No page specifies kings in the centre for draughts. Chess players use the
//! colour of the squares, but draughts boards sense only one colour of square. Therefore the colour of the pieces decides
//! here. Crowning is ignored, because only some sets let the board sense it.

use draughts::Color;
use draughts::ResultFormat;

use crate::millis::Millis;
use crate::protocol::PieceCode;

/// Quiet time before the operator receives a notice of result pieces.
const RESULT_PIECE_DELAY: Millis = Millis::seconds(2);
/// Quiet time for pieces in the centre: clearing the board for the next game briefly leaves any two pieces.
const CENTRE_PIECES_DELAY: Millis = Millis::seconds(5);

/// Whether the code is a result piece.
pub fn is_result_piece(code: PieceCode) -> bool {
    (13..=15).contains(&code.0)
}

/// Pieces on a board that may form a result sign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResultSigns {
    /// Kinds of result pieces, each once.
    pub result_pieces: Vec<PieceCode>,
    /// Colours of two pieces in the centre, if the board holds no others.
    pub centre: Option<[Color; 2]>,
}

/// Last result signs of one board that were reported to the operator.
#[derive(Clone, Debug, Default)]
pub struct ProposedResult {
    notified_signs: ResultSigns,
    /// Proposed result, while its sign stays on the board.
    proposed: Option<String>,
}

impl ProposedResult {
    /// Returns the time of the next notice.
    pub fn notice_due(&self, signs: &ResultSigns, last_change: Millis) -> Option<Millis> {
        if signs.result_pieces != self.notified_signs.result_pieces {
            return Some(last_change + RESULT_PIECE_DELAY);
        }
        (signs.centre != self.notified_signs.centre).then_some(last_change + CENTRE_PIECES_DELAY)
    }

    /// Returns a notice if the signs call for one. `is_playing`: whether a game could end.
    pub fn notice(&mut self, signs: ResultSigns, format: ResultFormat, is_playing: bool) -> Option<String> {
        (self.notified_signs, self.proposed) = (signs, None);
        let win = |color| format.win(color).to_owned();
        let (sign, value) = match (self.notified_signs.result_pieces.as_slice(), self.notified_signs.centre) {
            ([PieceCode::DRAW], _) => ("a result piece lies on the board", format.draw().to_owned()),
            ([PieceCode::WHITE_WINS], _) => ("a result piece lies on the board", win(Color::White)),
            ([PieceCode::BLACK_WINS], _) => ("a result piece lies on the board", win(Color::Black)),
            ([], Some([one, other])) if one == other => ("two pieces stand alone in the centre", win(one)),
            ([], Some(_)) => ("two pieces stand alone in the centre", format.draw().to_owned()),
            ([], None) => return None,
            _ => return Some("result pieces that contradict each other lie on the board".to_owned()),
        };
        self.proposed = Some(value.clone()).filter(|_| is_playing);
        is_playing.then(|| format!("{sign}: {value}; the request `result {value}` records it"))
    }

    /// Returns the result that a sign on the board proposes.
    pub fn proposed(&self) -> Option<&str> {
        self.proposed.as_deref()
    }
}
