//! Result signs: what players set up on the board to say how a game ended.
//!
//! | stands on the board | says |
//! |---|---|
//! | one of the three result pieces of a set, on any field | the result that it means |
//! | while the clock does not run, two pieces alone, on squares of the centre, both white | White has won |
//! | both black | Black has won |
//! | one of each | draw |
//!
//! A sign is a hint and no verdict: hands put a piece down to try it, or next to another. So it is offered to the operator once it has been
//! let lie, and it is never a move: for the squares a result piece is nothing, and with the clock stopped nothing is recorded.
//!
//! Source: protocol header, piece codes 13 to 15. Of kings in the centre no page says how draughts players set them up: chess boards take
//! the colour of the squares, and boards for draughts feel one colour only. So here the colour of the pieces says it. Whether they are
//! crowned is not asked, for boards feel that with some sets only.

use crate::engine::millis::Millis;
use crate::engine::protocol::PieceCode;
use draughts::Color;
use draughts::ResultFormat;

/// How long the board must be quiet before the operator is told of result pieces.
const RESULT_PIECE_DELAY: Millis = Millis::seconds(2);
/// And of pieces in the centre: who sweeps the board for the next game leaves any two for a moment.
const CENTRE_PIECES_DELAY: Millis = Millis::seconds(5);

/// Is this a result piece?
pub fn is_result_piece(code: PieceCode) -> bool {
    (13..=15).contains(&code.0)
}

/// What stands on a board that may be a sign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResultSigns {
    /// The kinds of result pieces on it, each once.
    pub result_pieces: Vec<PieceCode>,
    /// The colours of two pieces that stand in the centre and are all that there is.
    pub centre: Option<[Color; 2]>,
}

/// What the operator was told of the result signs of one board.
#[derive(Clone, Debug, Default)]
pub struct ProposedResult {
    notified_signs: ResultSigns,
    /// The result that was offered, as long as its sign stands.
    proposed: Option<String>,
}

impl ProposedResult {
    /// When the operator is to be told.
    pub fn notice_due(&self, signs: &ResultSigns, last_change: Millis) -> Option<Millis> {
        if signs.result_pieces != self.notified_signs.result_pieces {
            return Some(last_change + RESULT_PIECE_DELAY);
        }
        (signs.centre != self.notified_signs.centre).then_some(last_change + CENTRE_PIECES_DELAY)
    }

    /// Tells, if there is something to tell. `is_playing`: there is a game that could end.
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

    /// The result that a sign on the board offers.
    pub fn proposed(&self) -> Option<&str> {
        self.proposed.as_deref()
    }
}
