//! The fast check of a file finds the same games, end positions and problems as the full one, for any text in pieces of any size.

use draughts::Variant;
use draughts_pdn::writer::{self, Style};
use proptest::prelude::*;

use crate::fuzz::targets::compare_checking;
use crate::generated_games::{Dice, SOUP, game, variants};
use crate::pdn::DIALECTS;
use crate::pdn_corpus::files;

/// Compares both checks in pieces of this size; returns the number of games.
fn compare(bytes: &[u8], size: usize, known_variant: Option<&'static Variant>) -> usize {
    compare_checking(bytes, bytes.chunks(size), known_variant)
}

/// Returns games as programs write them, with damage: foreign pieces, changed characters, lost lines.
fn damaged(dice: &mut Dice) -> String {
    let variants = variants();
    let mut text = String::new();
    for _ in 0..=dice.roll(4) {
        let with_variations = dice.roll(2) == 0;
        let variant = variants[dice.roll(variants.len())];
        let plies = dice.roll(60);
        let mut game = game(variant, dice, plies, with_variations);
        if dice.roll(5) == 0 {
            game.tags.remove("GameType");
        }
        let style = [Style::Compact, Style::Live][dice.roll(2)];
        text += &writer::write(&[game], style);
    }
    for _ in 0..dice.roll(4) {
        let mut at = dice.roll(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match dice.roll(4) {
            0 => text.insert_str(at, SOUP[dice.roll(SOUP.len())]),
            1 => text.insert(at, char::from(b'0' + dice.roll(10) as u8)),
            2 => drop(text.remove(at)),
            _ => {
                let line = text[at..].find('\n').map_or(text.len(), |end| at + end);
                text.replace_range(at..line, "");
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64)))]

    #[test]
    fn fast_path_matches_slow_path(seed in 1_u64.., size in 1_usize..3_000, variant_index in 0_usize..4) {
        let text = damaged(&mut Dice(seed));
        let variant_index = [None, None, Some(Variant::international()), variants().last().copied()][variant_index];
        compare(text.as_bytes(), size, variant_index);
    }

    #[test]
    fn fast_path_matches_in_random_text(pieces in prop::collection::vec(0_usize..SOUP.len(), 0..80), size in 1_usize..200) {
        let text: Vec<&str> = pieces.iter().map(|piece| SOUP[*piece]).collect();
        compare(text.join(" ").as_bytes(), size, None);
    }
}

#[test]
fn fast_path_matches_in_every_dialect() {
    let games = compare(DIALECTS.as_bytes(), 1 << 16, None);
    assert!(games > 1);
    compare(DIALECTS.as_bytes(), 7, Some(Variant::international()));
}

/// Games longer than the tape are checked completely.
#[test]
fn fast_path_matches_in_oversized_game() {
    let remarks = "{a remark} $1 ".repeat(8_000);
    let long = format!("{{{}}}", "x".repeat(60_000)).repeat(20);
    for filler in [remarks, long] {
        let text = format!("[GameType \"20\"] 1. 32-28 {filler} 19-23 2. 28x19 14x23 {filler} 3. 1-2 * 1. 31-27 *");
        compare(text.as_bytes(), 1 << 16, None);
    }
}

#[test]
fn fast_path_matches_in_corpus() {
    for path in files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]) {
        compare(&std::fs::read(path).unwrap(), 1 << 16, None);
    }
}

/// Variations, a capture with its path, and terminators in the middle of a variation.
#[test]
fn fast_path_matches_in_variations() {
    for text in [
        "1. 32-28 (1. 31-27 (1. 33-29 19-24) 19-24 2. 27-22) 19-23 (18-23 2. 38-32) 2. 28x19 14x23 *",
        "1. 32-28 (1. 31-27 19-24 (18-22)) 19-23 2. 28x19x0 *",
        "1. 32-28 19-23 (2. 28x19 14x23) 2. 28x19 (2. 37-32) 14x23 *",
        "( 1. 32-28 ) 1. 31-27 *",
        "1. 32-28 ( 1. 31-27 19-24",
        "1. 32-28 (1. 31-27 2-0) 19-23 *",
        "1. 32-28 ) 19-23 *",
        "1. 32-28 (1. 31-27 /FEN \"W:W31:B1\"/ 31-26) 19-23 *",
    ] {
        let text = format!("[GameType \"20\"] {text} [GameType \"20\"] 1. 31-27 *");
        compare(text.as_bytes(), 1 << 16, None);
        compare(text.as_bytes(), 3, None);
    }
    let deep = format!("[GameType \"20\"] 1. 32-28 {} 19-23 *", "(1. 31-27 ".repeat(300) + &")".repeat(300));
    compare(deep.as_bytes(), 1 << 16, None);
}

/// A capture written with all its squares because its ends are ambiguous.
#[test]
fn fast_path_matches_for_capture_with_path() {
    let head = "[GameType \"20\"][FEN \"W:WK48:B37,38,26,21,28,19,18,9,13\"]";
    let variant = Variant::international();
    let setup = draughts_pdn::fen::read(variant, "W:WK48:B37,38,26,21,28,19,18,9,13").unwrap();
    let position = draughts::Position::new(variant, setup).unwrap();
    for ply in position.legal_moves() {
        let text = format!("{head} 1. {} *", draughts_pdn::notation::write_long(variant, &ply));
        compare(text.as_bytes(), 1 << 16, None);
    }
}
