//! FEN: strict in writing, liberal in reading, robust against any text.

use draughts::{Color, Position, Setup, Variant};
use draughts_pdn::fen;
use proptest::prelude::*;

fn variant(tag: &str) -> &'static Variant {
    Variant::from_tag(tag).unwrap()
}

fn read(tag: &str, text: &str) -> Setup {
    fen::read(variant(tag), text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn start_of_every_game_roundtrips() {
    for variant in Variant::all() {
        let setup = Position::start(variant).setup();
        assert_eq!(fen::read(variant, &fen::write(variant, &setup)), Ok(setup));
    }
    let thai = variant("31");
    assert_eq!(fen::write(thai, &Position::start(thai).setup()), "B:W1,2,3,4,5,6,7,8:B25,26,27,28,29,30,31,32");
}

/// Each accepted deviation beside the text written for the same position.
#[test]
fn accepts_lenient_forms() {
    for (tag, liberal, strict) in [
        (
            "20",
            "W:W31-50:B1-20",
            "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
        ),
        ("20", "B:B1-3:WK48-50", "B:WK48,K49,K50:B1,2,3"),
        ("20", "B:WK48-K50", "B:WK48,K49,K50:B"),
        ("20", "W:W:B1,2", "W:W:B1,2"),
        ("20", "W:B1,2", "W:W:B1,2"),
        ("20", "W::B1,2", "W:W:B1,2"),
        ("20", "W:W31,K40:B1.", "W:W31,K40:B1"),
        ("20", "W : W 31 , K 40 : B 1 .", "W:W31,K40:B1"),
        ("20", "W:W31 32 33:B1", "W:W31,32,33:B1"),
        ("20", "w:w31,k40:b01,02", "W:W31,K40:B1,2"),
        ("20", "W:W31K40K41,42:B1", "W:W31,K40,K41,42:B1"),
        ("20", "W:W31,,32,:B1", "W:W31,32:B1"),
        ("20", "W:W31:W32:B1", "W:W31,32:B1"),
        ("20", "W:W31:B1:H0:F1", "W:W31:B1"),
        ("40", "W:W31:B1:H0:F1:+0+2", "W:W31:B1"),
        ("25", "W:Wa1,Kc3:Bh8", "W:Wa1,Kc3:Bh8"),
        ("25", "W:Wa1Kc3:BKh8.", "W:Wa1,Kc3:BKh8"),
        ("25", "W:WA1,KC3:BH8", "W:Wa1,Kc3:Bh8"),
        ("41", "W:Wi1,j2:Bi7", "W:Wi1,j2:Bi7"),
        // Numbers on a board with letters, 1 at White's top left; letters on a board with numbers.
        ("25", "W:W21-23:BK1,4", "W:Wa3,c3,e3:BKb8,h8"),
        ("20", "W:Wa1,Kj10:Bb8", "W:WK5,46:B11"),
        // Boards outside the table are read with the names of their tag.
        ("20,W,10,10,N1,0", "W:W1-3:BK50", "W:W1,2,3:BK50"),
        ("23,B,8,8,A1,1", "B:Wb8,KA7:Bh2.", "B:WKa7,b8:Bh2"),
        ("31", "b:w1 2 3,K4:bk29-k30", "B:W1,2,3,K4:BK29,K30"),
        ("41", "W:W36-37:BK1", "W:Wa1,c1:BKb8"),
        ("30", "W:W64:B9", "W:Wh1:Ba7"),
        // A wide board has a file k; a capital K is always a crown.
        ("27,W,12,12,A0,0", "W:Wk1,Kc1:Bb12", "W:WKc1,k1:Bb12"),
    ] {
        let setup = read(tag, liberal);
        assert_eq!(fen::write(variant(tag), &setup), strict, "{liberal}");
        assert_eq!(read(tag, strict), setup);
    }
}

#[test]
fn unknown_colours_and_null_moves() {
    let international = variant("20");
    let fen = fen::read_any(international, "?:W31,K32:B1:?20,K21").unwrap();
    assert_eq!(fen.turn, None);
    let names =
        |squares| international.geometry.sorted_by_name(squares).into_iter().map(|s| international.geometry.name(s));
    assert_eq!(names(fen.unknown).collect::<Vec<_>>(), ["20", "21"]);
    assert_eq!(names(fen.unknown_kings).collect::<Vec<_>>(), ["21"]);
    assert_eq!(fen.placement.pieces_of(Color::White).len(), 2);
    assert!(!fen.is_null_move);
    assert_eq!(fen::write_with_turn(international, &fen.placement, None), "?:W31,K32:B1");

    for text in ["B::", "B", "B:", "B:::", "B::."] {
        let fen = fen::read_any(international, text).unwrap();
        assert!(fen.is_null_move && fen.turn == Some(Color::Black), "{text}");
    }
    assert!(!fen::read_any(international, "B:W:B").unwrap().is_null_move);

    assert_eq!(fen::read(international, "?:W31:B1").unwrap_err().reason, "the side to move is not known");
    assert_eq!(fen::read(international, "W:W31:?1").unwrap_err().reason, "the colour of a piece is not known");
}

#[test]
fn errors_name_problem() {
    let everywhere: Vec<String> = (1..=500).map(|number| (number % 50 + 1).to_string()).collect();
    let too_many = format!("W:W{}", everywhere.join(","));
    let huge = format!("W:W{}", "1".repeat(100_000));
    for (tag, text, why) in [
        ("20", "", "side to move"),
        ("20", "X:W31", "side to move"),
        ("20", "WW31:B1", "side to move"),
        ("20", "é:W31", "side to move"),
        ("20", "W:31-50", "before the squares"),
        ("20", "W:é31", "before the squares"),
        ("20", "W:W0:B1", "no such square"),
        ("20", "W:W51:B1", "no such square"),
        ("27", "W:W73:B1", "no such square"),
        ("20", "W:W31é:B1", "no such square"),
        ("20", "W:Wé", "no such square"),
        ("20", "W:WK:B1", "no such square"),
        ("20", "W:W99999999999999999999:B1", "no such square"),
        ("20", "W:W1-99999999999999:B1", "no such square"),
        ("20", "W:W0-50", "no such square"),
        ("20", "W:W31-", "no such square"),
        ("20", "W:W-31", "no such square"),
        ("20", "W:W50-31", "backwards"),
        ("20", "W:W31,31:B1", "twice"),
        ("20", "W:W31:B31", "twice"),
        ("20", "W:W31-40,35", "twice"),
        ("20", "W:W31:?31", "twice"),
        ("25", "W:Wa1-c3", "only numbers"),
        ("25", "W:Wb1", "no such square"),
        ("25", "W:Wi1", "no such square"),
        ("25", "W:Wa9", "no such square"),
        ("25", "W:W33", "no such square"),
        // Black starts: the orientation of the letters is unknown.
        ("21", "W:Wa1", "no such square"),
        ("20", &too_many, "longer than"),
        ("20", &huge, "longer than"),
    ] {
        let error = fen::read(variant(tag), text).unwrap_err();
        assert!(error.reason.contains(why), "{text}: {error}");
        assert!(error.to_string().len() < 1000);
    }
}

/// 500 pieces that stay within the length of a FEN.
#[test]
fn more_pieces_than_squares_is_error() {
    let text = format!("W:W{}", "1,".repeat(300));
    assert_eq!(fen::read(variant("20"), &text).unwrap_err().reason, "a square is named twice");
}

/// A setup may hold anything; a position may not.
#[test]
fn unplayable_setup_is_no_position() {
    for (tag, text, reason) in [
        ("20", "W:WK1-21:B50", "White has 21 pieces"),
        ("31", "W:WK1:BK17-29", "Black has 13 pieces"),
        ("20", "W:W5:B50", "a White man stands on its crowning row"),
        ("21", "W:W5:B30", "a Black man stands on its crowning row"),
    ] {
        let setup = read(tag, text);
        let error = Position::new(variant(tag), setup).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn any_text_is_fen_or_error(text in "\\PC{0,60}", tag in 0..14_usize) {
        let variant = Variant::all().nth(tag).unwrap();
        let _ = fen::read_any(variant, &text);
    }

    /// Texts made of valid letters get further.
    #[test]
    fn mutated_fen_is_fen_or_error(text in "[WB?]:[WB?K0-9a-k,. :+HF-]{0,40}", tag in 0..14_usize) {
        let variant = Variant::all().nth(tag).unwrap();
        if let Ok(setup) = fen::read(variant, &text) {
            prop_assert_eq!(fen::read(variant, &fen::write(variant, &setup)), Ok(setup));
        }
    }
}
