//! Fuzz targets for small readers: positions, moves, tags and their values.

use draughts::{Color, Position, Variant};
use draughts_pdn::clock::{self, Clocks};
use draughts_pdn::tag_values::{self, Date, Outcome, TagTime};
use draughts_pdn::time_control::TimeControl;
use draughts_pdn::{fen as fens, notation, replay, tag};

/// Splits off the first byte as a variant; returns the rest as text.
fn variant_and_text(data: &[u8]) -> (&'static Variant, String) {
    const OTHERS: [&str; 4] = ["23,W,8,8,A0,0", "20,W,10,10,N1,0", "25,W,8,8,N2,0", "27,W,12,12,A0,0"];
    let others = OTHERS.iter().filter_map(|tag| Variant::from_tag(tag).ok());
    let variants: Vec<&'static Variant> = Variant::all().chain(others).collect();
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    (variants[usize::from(*first) % variants.len()], String::from_utf8_lossy(rest).into_owned())
}

/// Reads a FEN on some board.
pub fn fen(data: &[u8]) {
    let (variant, text) = variant_and_text(data);
    let Ok(read) = fens::read_any(variant, &text) else {
        assert!(fens::read(variant, &text).is_err());
        return;
    };
    assert_eq!((read.placement.occupied() & read.unknown).len(), 0, "no square is named twice");
    if read.unknown.is_empty() {
        let written = fens::write_with_turn(variant, &read.placement, read.turn);
        let reread = fens::read_any(variant, &written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((reread.placement, reread.turn), (read.placement, read.turn), "{written}");
    }
    if let Ok(setup) = fens::read(variant, &text) {
        let written = fens::write(variant, &setup);
        assert_eq!(fens::read(variant, &written), Ok(setup));
        if let Ok(position) = Position::new(variant, setup) {
            for ply in position.legal_moves() {
                let _ = position.play(&ply);
            }
        }
    }
}

/// Reads a move in a random position. The first byte selects the variant, the next eight the moves into the position.
pub fn moves(data: &[u8]) {
    let (variant, _) = variant_and_text(data);
    let (way, text) = data.get(1..).unwrap_or_default().split_at(data.len().saturating_sub(1).min(8));
    let mut position = Position::start(variant);
    for choice in way.iter().flat_map(|&byte| [byte & 15, byte >> 4]) {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        position = position.play(&legal[usize::from(choice) % legal.len()]);
    }
    let legal = position.legal_moves();
    for ply in &legal {
        let written = notation::write(variant, ply, &legal);
        let same =
            |read: &draughts::Move| (read.from(), read.to(), read.captured()) == (ply.from(), ply.to(), ply.captured());
        assert!(notation::read(&position, &written).as_ref().is_ok_and(same), "{written}");
        assert!(replay::resolve(&position, &written, None).as_ref().is_ok_and(same), "{written}");
        let proposal = notation::write_with_captured(variant, ply, &legal);
        assert!(notation::read(&position, &proposal).as_ref().is_ok_and(same), "{proposal}");
    }
    let text = String::from_utf8_lossy(text);
    if let Ok(ply) = notation::read(&position, &text) {
        assert!(legal.contains(&ply), "{text}");
    }
    let (path, captured) = text.split_once('<').map_or((&*text, None), |(path, captured)| (path, Some(captured)));
    if let Ok(ply) = replay::resolve(&position, path, captured) {
        assert!(legal.contains(&ply), "{text}");
    }
}

/// Reads a tag, its value as every type of a tag, and the commands of a comment.
pub fn tags(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parts = tag::parts(&text);
    assert!(!parts.value.contains(['\n', '\r']));
    let reparsed = tag::parts(&tag::write("Name", &parts.value));
    assert_eq!(reparsed.flaws, []);
    assert_eq!(reparsed.value.trim_end(), parts.value.trim_end());
    if let Ok(variant) = Variant::from_tag(&parts.value) {
        assert_eq!(Variant::from_tag(&variant.game_type.tag_value()), Ok(variant));
    }
    if let Some(date) = Date::liberal(&parts.value) {
        assert_eq!(Date::strict(&date.to_string()), Some(date));
    }
    if let Some(time) = TagTime::parse(&parts.value) {
        assert_eq!(TagTime::parse(&time.to_string()), Some(time));
    }
    let _ = Outcome::parse(&parts.value);
    let _ = tag_values::standard_name(&parts.name);
    let _ = tag_values::fits_result_format(&parts.name, &parts.value);
    for mover in [Color::White, Color::Black] {
        if let Some(clocks) = Clocks::from_comment(&text, mover) {
            let written = clocks.to_string();
            let reparsed = Clocks::from_comment(&written, mover).unwrap_or_else(|| panic!("{written}"));
            assert_eq!((reparsed.white, reparsed.black), (clocks.white, clocks.black), "{written}");
            // The running clock is marked only if it is written.
            let both = clocks.white.is_some() && clocks.black.is_some();
            assert!(!both || reparsed.running == clocks.running, "{written}");
            assert_eq!(clock::is_plain_clock(&written), both, "{written}");
        }
    }
    assert!(clock::commands(&text).all(|command| text.contains(command.text)));
}

/// Reads the value of a TimeControl tag.
pub fn time_control(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = |text: &str| text.parse::<TimeControl>();
    match parsed(&text) {
        Ok(control) => assert_eq!(parsed(&control.to_string()), Ok(control)),
        Err(error) => assert!(error.0.chars().count() <= 80),
    }
}
