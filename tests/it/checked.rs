//! The quick way to check a file finds what the long one finds: the same games, the same end positions, the same problems;
//! whatever the text, and however it is cut into pieces.

use damcast::pdn::checked::{Checker, Played};
use damcast::pdn::encoding::Encoding;
use damcast::pdn::game::Entry;
use damcast::pdn::infer;
use damcast::pdn::problem::Problem;
use damcast::pdn::reader::{self, Located};
use damcast::pdn::replay::{self, Replay};
use damcast::pdn::writer::{self, Style};
use damcast::rules::{Position, Variant};
use proptest::prelude::*;

use crate::pdn::{DIALECTS, Dice, SOUP, game, variants};
use crate::pdn_corpus::files;

/// Variant, plies and last position of a game.
type Outcome = (String, usize, Option<Position>);

fn quick(bytes: &[u8], size: usize, told: Option<&'static Variant>) -> (Vec<Outcome>, Vec<Problem>) {
    let mut checker = Checker::new(Encoding::Detect, told);
    let mut games = Vec::new();
    let mut show = |game: Played| games.push((game.variant.game_type.to_string(), game.plies, game.last));
    for piece in bytes.chunks(size) {
        checker.feed(piece, &mut show);
    }
    checker.finish(&mut show);
    assert_eq!(games.len() as u64, checker.games());
    (games, checker.take_problems().into_sorted())
}

/// The same by reading all games and playing each by itself.
fn long(bytes: &[u8], mut told: Option<&'static Variant>) -> (Vec<Outcome>, Vec<Problem>) {
    let (games, syntax) = reader::read_bytes(bytes, Encoding::Detect);
    let (mut outcomes, mut problems) = (Vec::new(), Vec::new());
    let mut play = |located: &Located, told| {
        let replay = Replay::of(located, told);
        let last = replay::walk(located, replay.variant, &mut |_| {}).last;
        let is_plain = replay.problems.is_empty() && located.game.entries.iter().all(|entry| !is_unusual(entry));
        assert!(!is_plain || last == Some(replay.position_after(usize::MAX)));
        outcomes.push((replay.variant.game_type.to_string(), replay.moves().count(), last));
        problems.extend(replay.problems);
    };
    let mut waiting: Vec<&Located> = Vec::new();
    for (index, located) in games.iter().enumerate() {
        if told.is_some() || located.game.tags.get("GameType").is_some() {
            play(located, told);
        } else {
            waiting.push(located);
        }
        if waiting.len() >= infer::SAMPLE || index + 1 == games.len() && !waiting.is_empty() {
            told = Some(infer::from_moves(&waiting, told));
            waiting.drain(..).for_each(|located| play(located, told));
        }
    }
    problems.extend(syntax);
    problems.sort_by_key(|problem| problem.place);
    (outcomes, problems)
}

/// Setups and unknown moves.
fn is_unusual(entry: &Entry) -> bool {
    match entry {
        Entry::Move(ply) => ply.is_unknown(),
        Entry::Setup(_) => true,
        _ => false,
    }
}

/// Compares both ways; returns how many games there are.
fn compare(bytes: &[u8], size: usize, told: Option<&'static Variant>) -> usize {
    let ((quick, mut quick_problems), (long, mut long_problems)) = (quick(bytes, size, told), long(bytes, told));
    // Two problems of one place have no order.
    for problems in [&mut quick_problems, &mut long_problems] {
        problems.sort_by_cached_key(|problem| (problem.place, problem.to_string()));
    }
    let text = || String::from_utf8_lossy(&bytes[..bytes.len().min(5_000)]).into_owned();
    assert_eq!(quick.len(), long.len(), "{}", text());
    for (number, (quick, long)) in quick.iter().zip(&long).enumerate() {
        assert_eq!(quick, long, "game {number} of {}", text());
    }
    assert_eq!(quick_problems, long_problems, "{}", text());
    quick.len()
}

/// Games as programs write them, and what happens to files: pieces that do not belong, characters that are others, lines
/// that are lost.
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
    fn the_quick_way_finds_what_the_long_one_finds(seed in 1_u64.., size in 1_usize..3_000, told in 0_usize..4) {
        let text = damaged(&mut Dice(seed));
        let told = [None, None, Some(Variant::international()), variants().last().copied()][told];
        compare(text.as_bytes(), size, told);
    }

    #[test]
    fn also_in_any_soup(pieces in prop::collection::vec(0_usize..SOUP.len(), 0..80), size in 1_usize..200) {
        let text: Vec<&str> = pieces.iter().map(|piece| SOUP[*piece]).collect();
        compare(text.join(" ").as_bytes(), size, None);
    }
}

#[test]
fn also_in_every_dialect() {
    let games = compare(DIALECTS.as_bytes(), 1 << 16, None);
    assert!(games > 1);
    compare(DIALECTS.as_bytes(), 7, Some(Variant::international()));
}

/// More than a tape holds is checked all the same.
#[test]
fn also_in_a_game_beyond_all_bounds() {
    let remarks = "{a remark} $1 ".repeat(8_000);
    let long = format!("{{{}}}", "x".repeat(60_000)).repeat(20);
    for filler in [remarks, long] {
        let text = format!("[GameType \"20\"] 1. 32-28 {filler} 19-23 2. 28x19 14x23 {filler} 3. 1-2 * 1. 31-27 *");
        compare(text.as_bytes(), 1 << 16, None);
    }
}

#[test]
fn also_in_the_files_at_large() {
    for path in files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]) {
        compare(&std::fs::read(path).unwrap(), 1 << 16, None);
    }
}
