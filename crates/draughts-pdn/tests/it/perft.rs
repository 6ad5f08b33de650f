//! Moves of the perft positions, in the notation of PDN.

use draughts::Move;
use draughts_pdn::notation;

use crate::records::{Record, files, records};

/// Returns all positions, with the file that contains each.
fn positions() -> Vec<Record> {
    files("tests/data/perft").iter().flat_map(|file| records(&std::fs::read_to_string(file).unwrap())).collect()
}

/// Writes and reads each move in the notation of PDN; all long notations of a move are read as that move.
#[test]
fn writes_moves_of_each_position_as_listed() {
    for record in positions().iter().filter(|record| record.get("moves").is_some()) {
        let position = record.position();
        let legal = position.legal_moves();
        let written = |ply: &Move| notation::write(position.variant(), ply, &legal);
        let mut moves: Vec<String> = legal.iter().map(written).collect();
        moves.sort();
        let mut listed: Vec<&str> =
            record.words("moves").map(|names| names.split('=').next().expect("split yields a part")).collect();
        listed.sort_unstable();
        let id = record.require("position");
        assert_eq!(moves, listed, "{id}");
        for names in record.words("moves") {
            let means: Vec<Move> = names.split('=').map(|name| notation::read(&position, name).unwrap()).collect();
            assert!(means.iter().all(|ply| *ply == means[0]), "{id}: {names}");
        }
    }
}
