//! Result pieces: three pieces of a set that say how a game ended when they are put on the board.
//!
//! A piece is a hint and no verdict: hands put it down to try it, on any field, or next to another. So it is offered to the
//! operator once it has been let lie, and it is never a move: for the squares it is nothing.
//!
//! Source: protocol header, piece codes 13 to 15.

use crate::engine::millis::Millis;
use crate::engine::protocol::PieceCode;
use draughts::Color;
use draughts::ResultFormat;

/// How long the board must be quiet before the operator is told.
const LET_LIE: Millis = Millis::seconds(2);

/// Is this a result piece?
pub fn is_result_piece(code: PieceCode) -> bool {
    (13..=15).contains(&code.0)
}

/// What the operator was told of the result pieces of one board.
#[derive(Clone, Debug, Default)]
pub struct ResultPieces {
    notified: Vec<PieceCode>,
}

impl ResultPieces {
    /// When the operator is to be told. `lying`: the kinds of result pieces on the board, each once.
    pub fn tells_at(&self, lying: &[PieceCode], last_change: Millis) -> Option<Millis> {
        (*lying != self.notified).then_some(last_change + LET_LIE)
    }

    /// Tells, if there is something to tell. `is_playing`: there is a game that could end.
    pub fn tell(&mut self, lying: Vec<PieceCode>, format: ResultFormat, is_playing: bool) -> Option<String> {
        self.notified = lying;
        let value = match self.notified.as_slice() {
            [PieceCode::DRAW] => format.draw(),
            [PieceCode::WHITE_WINS] => format.win(Color::White),
            [PieceCode::BLACK_WINS] => format.win(Color::Black),
            [] => return None,
            _ => return Some("result pieces that contradict each other lie on the board".to_owned()),
        };
        is_playing
            .then(|| format!("a result piece lies on the board: {value}; the request `result {value}` records it"))
    }
}
