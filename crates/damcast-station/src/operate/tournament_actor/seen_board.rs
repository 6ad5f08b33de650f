//! Boards as the tournament service saw them last: lines report every second, and nearly always the same.

use std::sync::Arc;

use damcast_engine::session::request::BoardPairing;
use damcast_engine::session::{BusAddress, Condition};

use crate::operate::observer::BoardRow;
use crate::tournament_service::StationBoard;

/// A board as its line reports it, as far as the tournament depends on it.
pub(super) struct SeenBoard {
    pub line: String,
    pub address: Option<BusAddress>,
    pub board: StationBoard,
    /// Whether it is set up for its next game.
    pub is_ready: bool,
    pub proposed_result: Option<String>,
    /// Pairing of its next game, once its line has been opened.
    pub pairing: Option<Option<Arc<BoardPairing>>>,
}

impl SeenBoard {
    pub fn new(row: &BoardRow<'_>) -> SeenBoard {
        SeenBoard {
            line: row.line.name.clone(),
            address: row.address,
            board: StationBoard {
                name: row.name.to_owned(),
                serial: row.status.board.clone(),
                is_connected: is_connected(row),
                is_known: is_known(row),
            },
            is_ready: is_ready(row),
            proposed_result: row.status.proposed_result.clone(),
            pairing: row.line.was_opened.then(|| row.status.pairing.clone()),
        }
    }

    /// Whether the board is still the one of a row.
    pub fn is_of(&self, row: &BoardRow<'_>) -> bool {
        let StationBoard { name, serial, is_connected: was_connected, is_known: was_known } = &self.board;
        name == row.name
            && self.line == row.line.name
            && self.address == row.address
            && *serial == row.status.board
            && *was_connected == is_connected(row)
            && *was_known == is_known(row)
            && self.is_ready == is_ready(row)
            && self.proposed_result == row.status.proposed_result
            && self.pairing.as_ref() == row.line.was_opened.then_some(&row.status.pairing)
    }
}

fn is_connected(row: &BoardRow<'_>) -> bool {
    row.state() != Condition::NoConnection.as_str()
}

fn is_known(row: &BoardRow<'_>) -> bool {
    row.address.is_some() || !row.line.is_bus
}

/// Whether a board is set up for its next game. A board without electronics always is.
fn is_ready(row: &BoardRow<'_>) -> bool {
    row.state() == Condition::Ready.as_str() || row.entry().is_some() && !row.status.has_open_game
}
