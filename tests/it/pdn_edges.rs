//! Edge cases of PDN that the references mention in passing.

use draughts::{Color, Variant};
use draughts_pdn::encoding::Encoding;
use draughts_pdn::problem::{Level, Problem};
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::replay::Replay;
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{checked, clock, pdn2, reader, standard, strict};

use crate::program::assert_contains;

/// Returns the text in the standard's form, and the notes about the change.
fn converted(text: &str) -> (String, Vec<Problem>) {
    let (games, mut problems) = reader::read_located(text);
    let mut written = Vec::new();
    for located in &games {
        let (game, mut changes) = standard::standard(located, None);
        written.push(game);
        problems.append(&mut changes);
    }
    (writer::write(&written, Style::Compact), problems)
}

/// Returns the movetext of one converted game.
fn movetext_of(text: &str) -> String {
    let written = converted(text).0;
    written.split_once("\n\n").map_or(written.as_str(), |(_, moves)| moves).trim_end().to_owned()
}

fn messages_of(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

fn check(text: &str) -> Vec<Problem> {
    checked::check_bytes(text.as_bytes(), Encoding::Detect, None)
}

#[test]
fn percent_sign_starts_comment_at_token_position() {
    let text = "[GameType \"20\"]\n\n1. 32-28 19-23 % drawn 1-1\n  % 5-5\n2. 28x19 14x23 *\n";
    let (games, problems) = reader::read(text);
    assert_eq!((games.len(), games[0].moves().count()), (1, 4));
    assert!(problems.iter().all(|problem| problem.level == Level::Note), "{}", messages_of(&problems));
    assert_eq!(strict::check(text, None), []);
    assert!(messages_of(&profile::check(ReaderProfile::Lidraughts, text.as_bytes(), None)).contains("3:16: error"));
}

#[test]
fn glyph_has_any_number_of_digits() {
    let text = "[GameType \"20\"]\n\n1. 32-28 19-23 $12345 2. 28x19 *\n";
    assert_eq!(reader::read(text).1, []);
    assert_eq!((strict::check(text, None), converted(text).0.as_str()), (vec![], text));
}

#[test]
fn setup_may_lack_word_and_quotes() {
    let text = "[GameType \"20\"] 1. 32-28 /W:W31:B1/ 31-27 *";
    assert_eq!(check(text), []);
    assert_eq!(movetext_of(text), "1. 32-28 /FEN \"W:W31:B1\"/ 2. 31-27 *");
    assert!(messages_of(&strict::check(text, None)).contains("the setup"));
}

#[test]
fn strict_checker_knows_squares_of_board() {
    for (fen, why) in [
        ("W:W31-35:B1,73", "no such square"),
        ("W:W31-35:B1,1", "named twice"),
        ("W:W31-35:B31", "named twice"),
        ("W:W35-31:B1", "backwards"),
    ] {
        let tag = format!("[GameType \"20\"]\n[FEN \"{fen}\"]\n\n1. 31-27 *\n");
        let setup = format!("[GameType \"20\"]\n\n1. 32-28 /FEN \"{fen}\"/ 31-27 *\n");
        for text in [tag, setup] {
            let found = strict::check(&text, None);
            assert!(found.len() == 1 && found[0].message.contains(why), "{text}: {}", messages_of(&found));
        }
    }
    for fen in ["W:W:B1,2", "?:W31-35:B1", "W:?31-35:B1", "B::"] {
        let text = format!("[GameType \"20\"]\n[FEN \"{fen}\"]\n\n*\n");
        assert_eq!(strict::check(&text, None), [], "{fen}");
    }
}

#[test]
fn times_used_have_two_digits_of_minutes() {
    let with = |time: &str| format!("[GameType \"20\"]\n[WhiteTime \"{time}\"]\n\n1. 32-28 *\n");
    for (time, errors) in [("1:36", 0), ("2.23", 0), ("01:17:28", 0), ("1:5", 1), ("1:59:2", 1)] {
        assert_eq!(strict::check(&with(time), None).len(), errors, "{time}");
    }
}

#[test]
fn result_against_tag_is_reported() {
    let found = check("[GameType \"20\"]\n[Result \"2-0\"]\n\n1. 32-28 19-23 0-2\n");
    assert_eq!(
        messages_of(&found),
        "4:16: warning: the Result tag says `2-0`, the end of the game `0-2` (the tag counts)\n"
    );
    for (tag, end) in [("1-0", "2-0"), ("*", "2-0"), ("2-0", "*"), ("1/2-1/2", "1-1")] {
        assert_eq!(
            check(&format!("[GameType \"20\"]\n[Result \"{tag}\"]\n\n1. 32-28 19-23 {end}\n")),
            [],
            "{tag} {end}"
        );
    }
}

#[test]
fn null_move_at_start_leaves_pieces() {
    for text in
        ["[GameType \"20\"] /FEN \"B::\"/ 1... 18-22 32-28 *", "[GameType \"20\"] [FEN \"B::\"] 1... 18-22 32-28 *"]
    {
        assert_eq!(check(text), [], "{text}");
        let replay = Replay::infer(&reader::read_located(text).0[0], None);
        assert_eq!((replay.start.placement().pieces_of(Color::White).len(), replay.moves().count()), (20, 2), "{text}");
        let again = converted(text).0;
        assert_eq!((check(&again), converted(&again).0.as_str()), (vec![], again.as_str()));
    }
    assert_eq!(movetext_of("[GameType \"20\"] 1. 32-28 /FEN \"W::\"/ 31-27 *"), "1. 32-28 /FEN \"W::\"/ 2. 31-27 *");
}

#[test]
fn keeps_pieces_of_unknown_colour() {
    let text = "[GameType \"20\"]\n[FEN \"W:W31,32:B5:?20,K21\"]\n\n1. 31-27 *\n";
    let found = check(text);
    assert!(found.len() == 1 && found[0].level == Level::Warning, "{}", messages_of(&found));
    assert_eq!((strict::check(text, None), converted(text).0.as_str()), (vec![], text));
}

#[test]
fn moves_turned_into_comment_are_reported() {
    let (text, problems) = converted("[GameType \"20\"]\n\n1. 32-28 - 2. 31-27 17-21 /FEN \"W:W31:B1\"/ 3. 31-27 *\n");
    assert_contains(&text, &["{- 2. 31-27 17-21}", "3. 31-27 *"]);
    assert!(
        messages_of(&problems).contains("3:10: warning: the moves from here on become comments"),
        "{}",
        messages_of(&problems)
    );
}

#[test]
fn game_started_by_other_side_gets_warning() {
    for text in [
        "[GameType \"21\"]\n\n1. 23-18 11-15 *\n",
        "[GameType \"20\"]\n[FEN \"W:W31-50:B1-20\"]\n\n1... 19-23 2. 32-28 *\n",
    ] {
        let (written, problems) = converted(text);
        assert!(messages_of(&problems).contains("begins, though it is not"), "{}", messages_of(&problems));
        assert_eq!((check(&written), converted(&written).0.as_str()), (vec![], written.as_str()), "{written}");
    }
    let (written, _) = converted("[GameType \"20\"] 1. 32-28 /FEN \"W:W31:B10\"/ 1... 10-14 *");
    assert!(written.contains("/FEN \"B:W31:B10\"/ 1... 10-14"), "{written}");
}

#[test]
fn numbers_in_lettered_game_stay_in_game() {
    // lidraughts and most programs number the squares of Russian and Brazilian draughts.
    for tag in ["25", "26"] {
        let (text, problems) = converted(&format!("[GameType \"{tag}\"]\n\n1. 22-18 9-13 2. 18-14 10x17 3. 21x14 *\n"));
        assert!(text.starts_with(&format!("[GameType \"{tag},W,8,8,N2,0\"]")), "{text}{}", messages_of(&problems));
        assert_eq!(check(&text), []);
    }
    let (text, _) = converted("[GameType \"20\"]\n\n1. d4-e5 *\n");
    assert!(text.starts_with("[GameType \"20,W,10,10,A0,0\"]"), "{text}");
}

#[test]
fn empty_game_type_is_absent() {
    let (text, problems) = converted("[GameType \"\"]\n\n1. 32-28 *\n");
    assert_eq!(text, "[GameType \"20\"]\n\n1. 32-28 *\n");
    assert!(messages_of(&problems).contains("no GameType"));
}

#[test]
fn first_player_is_black_if_black_starts() {
    // The server's own result names the first player first: the second has won here.
    let text = "[GameType \"21\"]\n[P1 \"first\"]\n[P2 \"second\"]\n[P2Elo \"1564\"]\n[Result \"0-1\"]\n\n1. c3-d4 b6-c5 2. d4xb6 a7xc5 0-1\n";
    let (written, _) = converted(text);
    assert_contains(
        &written,
        &["[Black \"first\"]", "[White \"second\"]", "[WhiteRating \"1564\"]", "[Result \"1-0\"]"],
    );
    assert_eq!(converted(&written).0, written);
}

#[test]
fn value_ends_only_at_quote() {
    let (written, _) = converted("[GameType \"20\"]\n[White \"a\\\\\"b\\\\\"]\n\n1. 32-28 *\n");
    assert!(written.contains("[White \"a\\\"b\"]"), "{written}");
    assert_eq!(strict::check(&written, None), []);
}

#[test]
fn draft_2_0_wraps_no_command() {
    let comment = format!("{{{} [%clock w1:19:50 B1:20:00] end}}", "word ".repeat(12));
    let (games, _) = reader::read(&format!("1. 32-28 {comment} 19-23 *"));
    let text = String::from_utf8(pdn2::write(&games).0).expect("it is ASCII");
    assert!(text.contains("[%clock w1:19:50 B1:20:00]"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn clock_needs_no_blank_after_name() {
    let clocks = clock::Clocks::from_comment("[%clockw0:00:10 B0:00:03]", Color::White).expect("as the pattern has it");
    assert_eq!(clocks.to_string(), "[%clock w0:00:10 B0:00:03]");
}

#[test]
fn unsplittable_lidraughts_text_is_reported() {
    for bad in ["32 - 28", "3228", "1. 32-28 19-23 1.02-0.98", "1. 32-28 19-23 1 1/2 - 1/2"] {
        let text = format!("[GameType \"20\"]\n[Result \"*\"]\n\n{bad} *\n");
        let found = profile::check(ReaderProfile::Lidraughts, text.as_bytes(), None);
        assert!(messages_of(&found).contains("fails the file"), "{bad}: {}", messages_of(&found));
    }
}

#[test]
fn problems_of_noise_profile_need_no_memory() {
    for (profile, noise) in [(ReaderProfile::Lidraughts, ")"), (ReaderProfile::Pydraughts, "[")] {
        let found = profile::count_problems(profile, noise.repeat(100_000).as_bytes(), None);
        assert!(found.dropped_count() > 0 && found.list().len() <= 10_000, "{profile}");
    }
}

/// A comment before the tags hid them when the requested game type differed from theirs.
#[test]
fn comment_before_tags_hides_no_tag() {
    for comment in ["; of the club\n", "{of the club}\n", "% of the club\n"] {
        let text = format!("{comment}[Event \"x\"]\n{comment}[GameType \"25\"]\n\n1. c3-d4 *\n");
        let mut variants = Vec::new();
        let mut checker = checked::Checker::new(Encoding::Detect, Some(Variant::international()));
        checker
            .feed(text.as_bytes(), &mut |played| variants.push((played.variant.game_type.to_string(), played.plies)));
        checker.finish(&mut |played| variants.push((played.variant.game_type.to_string(), played.plies)));
        assert_eq!(variants, [("25,W,8,8,A0,0".to_owned(), 1)], "{text}");
    }
}
