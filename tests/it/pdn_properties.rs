//! PDN as a whole, by games of every variant: written text reads back, is strict after every line, and is written identically again.

use crate::generated_games::{Dice, SOUP, game, variants, with_ambiguous_captures};
use crate::pdn::{DIALECTS, standardised};
use damcast::engine::game_tags;
use damcast::engine::livefile::{self, GameHeader};
use draughts::Variant;
use draughts_pdn::encoding::Encoding;
use draughts_pdn::game::{Entry, Game, Tags};
use draughts_pdn::reader::{self, LocatedGame, Reader};
use draughts_pdn::replay::Replay;
use draughts_pdn::standard::{AmbiguousCaptures, convert, standard};
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{notation, strict};
use proptest::prelude::*;

/// Asserts that the text reads as exactly these games, without any problem.
fn reads_back(text: &str, games: &[Game]) {
    let (read, problems) = reader::read(text);
    assert_eq!(problems, [], "{text}");
    assert_eq!(read, games, "{text}");
}

/// Asserts for games in the standard's form: each style is strict, reads back without a problem and is rewritten byte for byte; the moves
/// are legal; the standard's form is stable.
fn survive_writing(games: &[Game]) {
    for style in [Style::Compact, Style::Live] {
        let text = writer::write(games, style);
        reads_back(&text, games);
        assert_eq!(strict::check(&text, None), [], "{text}");
        let (located, _) = reader::read_located(&text);
        for (located, game) in located.iter().zip(games) {
            assert_eq!(
                writer::write(std::slice::from_ref(&located.game), style),
                writer::write(std::slice::from_ref(game), style)
            );
            let replay = Replay::infer(located, None);
            assert!(replay.is_complete && replay.problems.is_empty(), "{:?} {text}", replay.problems);
            let (again, changes) = standard(located, None);
            assert_eq!(&again, game, "{text}");
            assert_eq!(changes, []);
            as_proposed_for_3_1(located, game, style);
        }
        assert_eq!(standardised(&located, style), text);
    }
    let compact = writer::write(games, Style::Compact);
    let tags = |line: &str| line.starts_with('[');
    let is_short = |line: &str| line.chars().count() < 80 || !line.contains(' ') || line.contains("/FEN");
    assert!(compact.lines().all(|line| tags(line) || is_short(line)), "{compact}");
}

/// Asserts that the proposal for 3.1 reads back as the same game.
fn as_proposed_for_3_1(located: &LocatedGame, game: &Game, style: Style) {
    let (proposed, _) = convert(located.clone(), None, AmbiguousCaptures::Captured);
    let text = writer::write(std::slice::from_ref(&proposed), style);
    let again = reader::read_located(&text).0.remove(0);
    assert_eq!(again.game, proposed, "{text}");
    assert_eq!(&standard(&again, None).0, game, "{text}");
}

/// Asserts that a game's file in the form of the feed is strict after every line, and after its result overwrites the `*`.
fn is_strict_after_every_line(game: Game) {
    let variant = Variant::from_tag(game.tags.get("GameType").unwrap()).unwrap();
    let tags: Vec<_> = game.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
    let opening = GameHeader {
        game: 1,
        variant,
        tags: game_tags::ordered_tags(variant, &tags),
        pairing_id: None,
        continued_game: None,
        is_entered: false,
    };
    let head: String = opening.header_lines().iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    let text = head + &writer::write(&[Game { tags: Tags::default(), ..game }], Style::Live);
    for (at, _) in text.match_indices('\n') {
        assert_eq!(strict::check(&text[..=at], None), [], "{}", &text[..=at]);
    }
    for result in variant.result_format.values() {
        let (offset, bytes) = livefile::result_patch(text.as_bytes(), result).unwrap();
        let mut finished = text.clone().into_bytes();
        finished[offset..offset + bytes.len()].copy_from_slice(&bytes);
        assert_eq!(strict::check_bytes(&finished, None), []);
    }
}

/// Every variant, and games that together contain every element of a game, so that no property holds for lack of cases.
#[test]
fn full_games_of_every_variant() {
    let mut seen = [0_usize; 12];
    for (index, variant) in variants().into_iter().enumerate() {
        let mut dice = Dice(1 + index as u64);
        let games: Vec<Game> = (0..8).map(|_| game(variant, &mut dice, 50, true)).collect();
        survive_writing(&games);
        let live = game(variant, &mut dice, 40, false);
        seen[0] += live.entries.iter().filter(|entry| matches!(entry, Entry::Setup(_))).count();
        is_strict_after_every_line(live);
        let entries = || games.iter().flat_map(|game| &game.entries);
        let count = |is: &dyn Fn(&Entry) -> bool| entries().filter(|entry| is(entry)).count();
        let own = [
            0,
            count(&|entry| matches!(entry, Entry::Setup(fen) if !fen.ends_with("::"))),
            count(&|entry| matches!(entry, Entry::Setup(fen) if fen.ends_with("::"))),
            count(&|entry| *entry == Entry::Open),
            count(&|entry| matches!(entry, Entry::Comment(text) if text.starts_with("[%clock"))),
            count(&|entry| matches!(entry, Entry::Comment(text) if !text.is_ascii())),
            count(&|entry| matches!(entry, Entry::Nag(_))),
            count(&|entry| matches!(entry, Entry::Move(ply) if ply.strength.is_some())),
            count(&|entry| matches!(entry, Entry::Move(ply) if ply.text.split(['-', 'x', ':']).count() > 2)),
            games.iter().filter(|game| game.tags.get("FEN").is_some()).count(),
            games.iter().filter(|game| game.tags.iter().any(|tag| !tag.value.is_ascii())).count(),
            games.iter().map(deepest).max().unwrap_or(0).saturating_sub(1),
        ];
        for (kind, (seen, own)) in seen.iter_mut().zip(own).enumerate() {
            *seen += own;
            // Rare elements need not occur in every variant.
            let is_rare = matches!(kind, 0 | 2 | 8 | 9 | 11);
            assert!(own > 0 || is_rare, "{}: no game has what stands at {kind}", variant.name);
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    println!("{seen:?}");
}

/// Returns the depth of a game's variations.
fn deepest(game: &Game) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for entry in &game.entries {
        match entry {
            Entry::Open => depth += 1,
            Entry::Close => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64)))]

    #[test]
    fn output_is_strict_and_read_back(seed in 1_u64.., plies in 0_usize..60) {
        let mut dice = Dice(seed);
        let variants = variants();
        let variant = variants[dice.roll(variants.len())];
        let games: Vec<Game> = (0..=dice.roll(3)).map(|_| game(variant, &mut dice, plies, true)).collect();
        survive_writing(&games);
    }

    #[test]
    fn every_prefix_of_live_file_is_strict(seed in 1_u64.., plies in 1_usize..40) {
        let mut dice = Dice(seed);
        let variants = variants();
        let variant = variants[dice.roll(variants.len())];
        is_strict_after_every_line(game(variant, &mut dice, plies, false));
    }

    #[test]
    fn chunking_never_changes_games(seed in 1_u64.., size in 1_usize..200) {
        let mut dice = Dice(seed);
        let variants = variants();
        let generated = game(variants[dice.roll(variants.len())], &mut dice, 40, true);
        let text = DIALECTS.to_owned() + "\n" + &writer::write(&[generated], Style::Compact);
        let (whole, problems) = reader::read_located(&text);
        let mut reader = Reader::new(Encoding::Detect);
        let mut games = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            games.append(&mut reader.feed(piece));
        }
        games.append(&mut reader.finish());
        prop_assert_eq!(games, whole);
        prop_assert_eq!(reader.take_problems().into_sorted(), problems);
    }

    /// Any sequence of PDN pieces and other text is read, and the result is written in the standard's form.
    #[test]
    fn random_text_is_read_and_written_strictly(pieces in prop::collection::vec(0_usize..SOUP.len(), 0..60), blanks in any::<u64>()) {
        let mut text = String::new();
        for (index, piece) in pieces.iter().enumerate() {
            text.push_str(SOUP[*piece]);
            if blanks >> (index % 64) & 1 == 1 {
                text.push(' ');
            }
        }
        let (games, _) = reader::read_located(&text);
        let games: Vec<Game> = games.iter().map(|located| standard(located, None).0).collect();
        let written = writer::write(&games, Style::Compact);
        // An invalid GameType stays unchanged.
        let found = strict::check_form(&written, None).into_iter();
        let problems: Vec<_> = found.filter(|problem| !problem.message.contains("GameType")).collect();
        prop_assert_eq!(problems, [], "{}\n--- written:\n{}", text, written);
        let (again, problems) = reader::read(&written);
        prop_assert_eq!(problems, []);
        prop_assert_eq!(writer::write(&again, Style::Compact), written, "{}", text);
        let _ = strict::check(&text, None);
    }

    #[test]
    fn reads_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for encoding in [Encoding::Detect, Encoding::Utf8, Encoding::Dos866] {
            let (games, _) = reader::read_bytes(&bytes, encoding);
            for located in &games {
                let _ = Replay::infer(located, None);
            }
        }
        let _ = strict::check_bytes(&bytes, None);
    }
}

/// Of several paths of one move the first in text order is written; all of them are read.
#[test]
fn writes_first_of_several_paths() {
    let mut with_choice = 0;
    for variant in Variant::all() {
        let mut dice = Dice(11);
        for position in (0..30).filter_map(|_| with_ambiguous_captures(variant, &mut dice)) {
            let legal = position.legal_moves();
            let routes = position.capture_routes();
            for ply in legal.iter().filter(|ply| notation::is_ambiguous(ply, &legal)) {
                let same = routes.iter().filter(|route| *route == ply);
                let mut paths: Vec<String> = same.map(|route| notation::write_long(variant, route)).collect();
                paths.sort();
                paths.dedup();
                assert_eq!(notation::write(variant, ply, &legal), paths[0], "{paths:?}");
                with_choice += usize::from(paths.len() > 1);
                for path in &paths {
                    let read = notation::read(&position, path).map(|read| read.captured());
                    let also = legal.iter().filter(|other| **other != *ply).any(|other| {
                        routes.iter().any(|route| route == other && notation::write_long(variant, route) == *path)
                    });
                    assert!(read == Ok(ply.captured()) || also, "{path}: {read:?}");
                }
            }
        }
    }
    assert!(with_choice > 0, "no case");
}
