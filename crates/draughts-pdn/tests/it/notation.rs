//! Notation of a move: the standard's examples, and all forms found in files.

use draughts::{Position, Variant};
use draughts_pdn::fen;
use draughts_pdn::notation::{self, MoveError};
use proptest::prelude::*;

fn position(tag: &str, text: &str) -> Position {
    let variant = Variant::from_tag(tag).unwrap();
    if text == "start" {
        return Position::start(variant);
    }
    Position::new(variant, fen::read(variant, text).unwrap()).unwrap()
}

/// The diagram of PDN 3.0, restriction 8: a white king on 47 can capture four pieces in two ways.
const DIAGRAM: &str = "W:WK47:B14,19,29,31,42";

#[test]
fn ambiguous_capture_of_standard() {
    let position = position("20", DIAGRAM);
    let legal = position.legal_moves();
    let mut long: Vec<String> = legal.iter().map(|ply| notation::write(position.variant(), ply, &legal)).collect();
    long.sort();
    assert_eq!(long, ["47x38x20x9x36", "47x38x24x13x36"]);
    let mut proposed: Vec<String> =
        legal.iter().map(|ply| notation::write_with_captured(position.variant(), ply, &legal)).collect();
    proposed.sort();
    assert_eq!(proposed, ["47x36 <42,29,14,31>", "47x36 <42,29,19,31>"]);
}

/// A king that can capture around a circle.
const CIRCULAR: &str = "W:W13,K17:B3,9,10,19,20,22,39,40,41";

/// Game type, position, text, and the meaning in long notation or a part of the error.
const MEANINGS: &[(&str, &str, &str, &str)] = &[
    // Separators, blanks, zeros.
    ("20", "start", "32-28", "32-28"),
    ("20", "start", "32x28", "32-28"),
    ("20", "start", "32X28", "32-28"),
    ("20", "start", "32:28", "32-28"),
    ("20", "start", "32–28", "32-28"),
    ("20", "start", "32 - 28", "32-28"),
    ("20", "start", "32- 28", "32-28"),
    ("20", "start", "  32 -28 ", "32-28"),
    ("20", "start", "32 28", "32-28"),
    ("20", "start", "3228", "32-28"),
    ("20", "start", "032-0028", "32-28"),
    ("27", "start", "4337", "43-37"),
    ("21", "start", "09-14", "9-14"),
    ("21", "start", "0914", "9-14"),
    ("25", "start", "c3-b4", "c3-b4"),
    ("25", "start", "c3b4", "c3-b4"),
    ("25", "start", "c3 b4", "c3-b4"),
    ("25", "start", "C3-B4", "c3-b4"),
    ("25", "start", "c3:b4", "c3-b4"),
    ("41", "start", "i3-j4", "i3-j4"),
    ("41", "start", "i3j4", "i3-j4"),
    ("31", "start", "25-21", "25-21"),
    // Without a separator, on boards of every kind.
    ("20", "W:W32:B28", "3223", "32x23"),
    ("20,W,10,10,N1,0", "start", "2024", "20-24"),
    ("21", "start", "1116", "11-16"),
    ("23,B,8,8,A1,1", "start", "a3b4", "a3-b4"),
    ("23,W,8,8,A1,1", "start", "A3B4", "a3-b4"),
    ("24", "start", "1013", "10-13"),
    ("30", "start", "a3a4", "a3-a4"),
    ("30", "W:Wd3:Bd4,d6", "d3d7", "d3xd5xd7"),
    ("31", "B:W22,14:B25", "2509", "25-18-9"),
    ("41", "W:Wi3:Bh4,f6", "i3e7", "i3:g5:e7"),
    ("41", "W:Wi3:Bh4,f6", "i3g5e7", "i3:g5:e7"),
    ("41", "W:Wi3:Bh4,f6", "i3xE7", "i3:g5:e7"),
    // Captures, with the separator of their game in the answer.
    ("25", "W:Wc3:Bd4,f6", "c3xg7", "c3:e5:g7"),
    ("25", "W:Wc3:Bd4,f6", "c3e5g7", "c3:e5:g7"),
    ("25", "W:Wc3:Bd4,f6", "c3:e5:g7", "c3:e5:g7"),
    ("31", "B:W22,14:B25", "25-18-9", "25-18-9"),
    ("31", "B:W22,14:B25", "25x9", "25-18-9"),
    // If start and end fit only one move, the text in between is ignored.
    ("20", "W:W32:B28,19", "32x14", "32x23x14"),
    ("20", "W:W32:B28,19", "32x23x14", "32x23x14"),
    ("20", "W:W32:B28,19", "32x1x14", "32x23x14"),
    // The diagram: whole paths, parts of a path, squares that the king only flies over, captured pieces.
    ("20", DIAGRAM, "47x38x24x13x36", "47x38x24x13x36"),
    ("20", DIAGRAM, "47 x 38 x 20 x 9 x 36", "47x38x20x9x36"),
    ("20", DIAGRAM, "47x24x36", "47x38x24x13x36"),
    ("20", DIAGRAM, "47x33x24x13x36", "47x38x24x13x36"),
    ("20", DIAGRAM, "47x36 <42,29,14,31>", "47x38x20x9x36"),
    ("20", DIAGRAM, "47x36<31, 19,29,42>", "47x38x24x13x36"),
    ("20", DIAGRAM, "47x36", "ambiguous here; it may mean 47x38x"),
    ("20", DIAGRAM, "47x38x36", "ambiguous"),
    ("20", DIAGRAM, "47x36 <42>", "not legal"),
    // From a square to itself.
    ("20", CIRCULAR, "13x13", "13x24x15x4x13"),
    // Not legal, not a move.
    ("20", "start", "32-27x", "not a move"),
    ("20", "start", "31-28", "31-28 is not legal here; legal are 31-26"),
    ("20", "start", "47x36", "not legal"),
    ("20", "W:W32:B28", "32-27", "not legal here; legal are 32x23"),
    ("20", "W:W:B28", "32-27", "legal are none"),
    ("20", "start", "", "not a move"),
    ("20", "start", "32", "not a move"),
    ("20", "start", "32-", "not a move"),
    ("20", "start", "-28", "not a move"),
    ("20", "start", "32--28", "not a move"),
    ("20", "start", "- -", "not a move"),
    ("20", "start", "322", "not a move"),
    ("20", "start", "32281", "not a move"),
    ("20", "start", "00-28", "not a move"),
    ("20", "start", "51-46", "not a move"),
    ("20", "start", "c3-d4", "not a move"),
    ("20", "start", "32-28 <", "not a move"),
    ("20", "start", "32-28 <>", "not a move"),
    ("20", "start", "32-28é", "not a move"),
    ("20", "start", "é", "not a move"),
    ("25", "start", "c3-i4", "not a move"),
];

#[test]
fn texts_have_expected_meaning() {
    for &(tag, at, text, expected) in MEANINGS {
        let position = position(tag, at);
        match notation::read(&position, text) {
            Ok(ply) => assert_eq!(notation::write_long(position.variant(), &ply), expected, "{tag} {text}"),
            Err(error) => assert!(error.to_string().contains(expected), "{tag} {text}: {error}"),
        }
    }
}

/// A short text is the whole path of a single jump, even if a longer capture has the same ends.
#[test]
fn single_jump_equals_long_form() {
    let position = position("25", "W:WKc5:Bb4,b2,d2,d4,d6");
    let legal = position.legal_moves();
    let written: Vec<String> = legal.iter().map(|ply| notation::write(position.variant(), ply, &legal)).collect();
    for text in &written {
        let ply = notation::read(&position, text).unwrap();
        assert_eq!(&notation::write(position.variant(), &ply, &legal), text);
    }
}

#[test]
fn long_texts_make_short_messages() {
    let start = position("20", "start");
    for text in ["32-".repeat(100_000), "é".repeat(100_000), format!("32-28 <{}>", "1,".repeat(50_000))] {
        let error = notation::read(&start, &text).unwrap_err();
        assert!(matches!(error, MoveError::Malformed(_)));
        assert!(error.to_string().len() < 1000);
    }
}

proptest! {
    #[test]
    fn any_text_is_move_or_error(text in "\\PC{0,30}", tag in 0..14_usize) {
        let _ = notation::read(&Position::start(Variant::all().nth(tag).unwrap()), &text);
    }

    #[test]
    fn mutated_move_is_move_or_error(text in "[0-9a-kxX:<>, -]{0,20}") {
        let _ = notation::read(&position("20", DIAGRAM), &text);
        let _ = notation::read(&position("25", "W:WKc5:Bb4,b2,d2,d4,d6"), &text);
    }
}
