//! Rule book: for each game the positions decided by its own rules, with all legal moves and the article. The positions are in
//! `tests/data/rules`; most are the same for all games, so that the answers can be compared.

use std::collections::BTreeSet;

use draughts::{Move, Position, Variant};
use draughts_pdn::{fen, notation};

use crate::records::{files, records};

#[test]
fn every_article_holds() {
    let mut games = BTreeSet::new();
    for file in files("tests/data/rules") {
        let records = records(&std::fs::read_to_string(&file).unwrap());
        assert!(records.len() >= 10, "{}: only {} positions", file.display(), records.len());
        for record in records {
            let position = record.position();
            games.insert(position.variant().game_type.number());
            // All squares of the path, and a K where a man is crowned.
            let written = |ply: &Move| {
                let crowned = if ply.promotes() { "K" } else { "" };
                notation::write_long(position.variant(), ply) + crowned
            };
            let mut moves: Vec<String> = position.legal_moves().iter().map(written).collect();
            moves.sort();
            let mut expected: Vec<&str> = record.words("moves").collect();
            expected.sort_unstable();
            let name = file.file_stem().unwrap().display();
            assert_eq!(moves, expected, "{name}: {}: {}", record.require("position"), record.require("article"));
        }
    }
    assert_eq!(games.len(), 14);
}

/// Whether the king on this square may move after these moves.
fn king_is_free(text: &str, moves: &str, king: &str) -> bool {
    let variant = Variant::from_tag("40").unwrap();
    let mut position = Position::new(variant, fen::read(variant, text).unwrap()).unwrap();
    for text in moves.split_whitespace() {
        let ply = notation::read(&position, text).unwrap_or_else(|error| panic!("{error}"));
        position = position.play(&ply);
    }
    let square = variant.geometry.square(king).unwrap();
    position.legal_moves().iter().any(|ply| ply.from() == square)
}

/// WFD: a side that has a man may move the same king three times in a row without capturing; then another piece must move.
#[test]
fn frisian_kings_move_three_times_in_row() {
    let with_a_man = "W:WK46,K47,35:BK1,K6";
    let three = "46-41 1-7 41-46 7-1 46-41 1-7";
    assert!(king_is_free(with_a_man, "46-41 1-7 41-46 7-1", "46"));
    assert!(!king_is_free(with_a_man, three, "41"));
    assert!(king_is_free(with_a_man, three, "47"), "another king may move");
    assert!(king_is_free(with_a_man, three, "35"), "a man may move");
    // A move of another man or king resets the limit.
    assert!(king_is_free(with_a_man, &format!("{three} 35-30 7-1"), "41"));
    assert!(king_is_free(with_a_man, &format!("{three} 47-42 7-1"), "41"));
    // Without a man there is no limit, as for Black above.
    assert!(king_is_free("W:WK46,K47:BK1,K6", three, "41"));
}

/// WFD: the limit is on quiet moves; a king that has moved three times must still capture.
#[test]
fn frisian_captures_are_unlimited() {
    let text = "W:WK46,35:BK1,K6";
    let three = "46-41 1-7 41-46 7-1 46-41";
    assert!(!king_is_free(text, &format!("{three} 1-7"), "41"));
    assert!(king_is_free(text, &format!("{three} 6-28"), "41"));
}
