//! PDN by examples: every dialect is read, written in the standard's form, replayed, and checked against its restrictions.

use draughts::{Position, Variant};
use draughts_pdn::game::{Entry, Game, MoveNumber, Termination};
use draughts_pdn::problem::Level;
use draughts_pdn::reader::{self, LocatedGame};
use draughts_pdn::renumber::renumber;
use draughts_pdn::replay::{KnownBy, Replay, ReplayStep};
use draughts_pdn::standard::{AmbiguousCaptures, convert, standard};
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{infer, strict};

pub(crate) const DIALECTS: &str = include_str!("../data/pdn/dialects.pdn");

pub(crate) fn moves(game: &Game) -> Vec<&str> {
    game.moves().map(|ply| ply.text.as_str()).collect()
}

/// Returns the games in the standard's form, as text.
pub(crate) fn standardised(games: &[LocatedGame], style: Style) -> String {
    let untagged: Vec<&LocatedGame> =
        games.iter().filter(|located| located.game.tags.get("GameType").is_none()).collect();
    let known_variant = (!untagged.is_empty()).then(|| infer::infer_from_moves(&untagged, None));
    let games: Vec<Game> = games.iter().map(|located| standard(located, known_variant).0).collect();
    writer::write(&games, style)
}

#[test]
fn reads_every_dialect() {
    let (games, problems) = reader::read(DIALECTS);
    assert_eq!(problems.iter().filter(|problem| problem.level == Level::Error).count(), 0, "{problems:#?}");
    assert_eq!(games.len(), 6);

    let game = &games[0];
    assert_eq!(game.tags.get("Event"), Some("twice"));
    assert_eq!(game.tags.get("White"), Some("Jansen, \"Jan\""));
    assert_eq!(game.tags.get("Black"), Some("with \"escapes\""));
    assert_eq!(game.tags.get("Heure blanche"), Some("0:10:00"));
    assert_eq!(moves(game), ["32-28", "19-23", "28:19", "14X23", "3732", "10-14", "41-37", "05-10", "46-41"]);
    let strengths: Vec<_> = game.moves().filter_map(|ply| ply.strength.as_deref()).collect();
    assert_eq!(strengths, ["!", "(!?)", "*"]);
    assert!(game.entries.contains(&Entry::Comment("to the end of the line".into())));
    assert!(game.entries.contains(&Entry::Comment("forced before".into())));
    assert_eq!(game.end, Termination::Result("1/2-1/2".into()));

    assert_eq!(
        (moves(&games[1]), &games[1].end),
        (vec!["34-29", "18-22", "29-24"], &Termination::Result("4-6".into()))
    );
    let first = games[2].moves().next().unwrap();
    assert_eq!(first.number, Some(MoveNumber { value: 1, ellipsis: true }));
    assert_eq!(games[2].moves().nth(1).unwrap().captured.as_deref(), Some("17"));
    assert_eq!(moves(&games[3]), ["c3d4", "F6-G5", "b2-c3", "g5-h4", "c3xe5xg7", "-", "-"]);
    assert_eq!(moves(&games[4]), ["-", "-"]);
    assert_eq!(moves(&games[5]), ["32-28"]);
}

#[test]
fn writes_every_dialect_by_standard() {
    let (games, _) = reader::read_located(DIALECTS);
    let expected = "\
[Event \"twice\"]
[Site \"two on a line\"]
[White \"Jansen, \\\"Jan\\\"\"]
[Black \"with \\\"escapes\\\"\"]
[Empty \"\"]
[WhiteTime \"0:10:00\"]
[GameType \"20\"]
[Result \"1-1\"]

1. 32-28! 19-23(!?) {[%clk 0:01:00]} 2. 28x19 14x23 {to the end of the line}
3. 37-32 $1 10-14 ( 3... 10-15? {[%eval 3]} ( 3... 9-14 ) ) 4. 41-37 5-10 $7
5. 46-41 {forced before} *

[Result \"4-6\"]
[GameType \"20\"]
[ResultFormat \"Points\"]

1. 34-29 18-22 2. 29-24 *

[SetUp \"1\"]
[FEN \"B:WK3:B12,42\"]
[GameType \"20\"]
[Result \"0-2\"]

1... 12-17 2. 3x26 *

[GameType \"25\"]

1. c3-d4 f6-g5 2. b2-c3 g5-h4 /FEN \"W:Wc3:Bd4,f6\"/ 8. c3:g7 /FEN \"B::\"/ {- -} *

[GameType \"20\"]

{1. - -} *

[GameType \"20\"]

1. 32-28 *
";
    let text = standardised(&games, Style::Compact);
    assert_eq!(text, expected);
    assert_eq!(strict::check_form(&text, None), []);
}

#[test]
fn replay_knows_variant_start_and_moves() {
    let located = LocatedGame::from(reader::read("1.c3-b4 f6-g5 2.b4-c5 d6xb4 3.a3xc5 *").0.remove(0));
    let replay = Replay::infer(&located, None);
    assert_eq!((replay.variant.game_type.number(), replay.known_by), (25, KnownBy::Moves));
    assert_eq!(replay.start, Position::start(replay.variant));
    assert!(replay.is_complete && replay.problems.is_empty());
    assert_eq!(replay.moves().filter(|ply| ply.is_capture()).count(), 2);
    assert!(matches!(replay.steps[0], ReplayStep::Move { entry: 0, .. }));
}

/// If the other side moves first, the position before the move is also that side's.
#[test]
fn replay_starts_at_position_of_first_move() {
    for moves in [
        "1. 19-23 32-28 *",
        "1. 32-28 19-23 *",
        "/FEN \"W:W31:B20\"/ 1. 20-24 31-27 *",
        "1. 32-28 /FEN \"W:W31:B20\"/ 20-24 31-27 *",
        "1. 32-28 /FEN \"?:W31:B20\"/ 20-24 31-27 *",
        "1. 32-28 /FEN \"B::\"/ 19-23 *",
    ] {
        let text = format!("[GameType \"20\"] {moves}");
        let located = &reader::read_located(&text).0[0];
        let replay = Replay::infer(located, None);
        let walked = draughts_pdn::replay::walk(located, replay.variant, &mut |_| {});
        assert!(replay.is_complete, "{moves}");
        assert_eq!(Some(replay.position_after(usize::MAX)), walked.final_position, "{moves}");
        let ReplayStep::Move { ply, .. } = replay.steps.last().unwrap() else { panic!("{moves}") };
        assert!(replay.position_after(replay.steps.len() - 1).legal_moves().contains(ply), "{moves}");
    }
}

#[test]
fn illegal_move_is_reported_with_place_and_position() {
    let text = "[GameType \"20\"]\n\n1. 32-28 19-23\n2. 28x20 14x23 (2... 1-2) *";
    let (games, _) = reader::read_located(text);
    let replay = Replay::infer(&games[0], None);
    assert!(!replay.is_complete);
    assert_eq!(replay.moves().count(), 2);
    let problem_texts: Vec<String> = replay.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problem_texts.len(), 1, "{problem_texts:?}");
    assert!(
        problem_texts[0].starts_with("4:4: error: `28x20` is not legal (2. in W:W28,31,33"),
        "{}",
        problem_texts[0]
    );
}

#[test]
fn diagram_of_standard() {
    let text = "[GameType \"20\"][FEN \"W:WK47:B14,19,29,31,42\"]";
    for (ply, is_right) in [
        ("47x38x24x13x36", true),
        ("47x38x20x9x36", true),
        ("47x24x36", false),
        ("47x33x24x13x36", false),
        ("47x36", false),
    ] {
        let problems = strict::check(&format!("{text} 1. {ply} *"), None);
        assert_eq!(problems.is_empty(), is_right, "{ply}: {problems:?}");
    }
    let proposal = reader::read_located(&format!("{text} 1. 47x36 <42, 29, 14, 31> *")).0;
    assert!(writer::write(&[standard(&proposal[0], None).0], Style::Compact).contains("47x38x20x9x36"));
}

/// On request an ambiguous capture is written with the captured pieces, and reads back as that move.
#[test]
fn writes_proposal_for_3_1_on_request() {
    let text = "[GameType \"20\"][FEN \"W:WK47:B14,19,29,31,42\"] 1. 47x38x24x13x36! (1. 47x38x20x9x36) *";
    let located = reader::read_located(text).0.remove(0);
    let (game, _) = convert(located.clone(), None, AmbiguousCaptures::Captured);
    let written = writer::write(std::slice::from_ref(&game), Style::Compact);
    let expected = "1. 47x36! <42,29,19,31> ( 1. 47x36 <42,29,14,31> ) *\n";
    assert!(written.ends_with(expected), "{written}");
    let again = reader::read_located(&written).0.remove(0);
    assert_eq!(again.game, game);
    assert!(Replay::infer(&again, None).problems.is_empty());
    assert_eq!(standard(&again, None).0, standard(&located, None).0);
    let letters = Variant::from_tag("20,W,10,10,A0,0").unwrap();
    let (renamed, problems) = renumber(&game, letters);
    assert_eq!(problems, []);
    let renamed = writer::write(&[renamed], Style::Compact);
    assert!(renamed.ends_with("1. c1xa3! <d2,g5,g7,b4> ( 1. c1xa3 <d2,g5,h8,b4> ) *\n"), "{renamed}");
}

#[test]
fn mistake_is_reported_with_restriction() {
    for (text, place, part) in [
        ("1. 1 - 7 *", "1:4", "restriction 1"),
        ("1. 32-28 ! *", "1:10", "restriction 2"),
        ("1. 32-28* 19-23 *", "1:9", "restriction 3"),
        ("1. 32-28 1-1", "1:10", "restriction 4"),
        ("1. 34-29 18-22 2. 29-24 11-17 3. 31-27 22x31 4. 36x27 06-11 *", "1:55", "restriction 5"),
        ("[GameType \"20\"] 1. c3-d4 c6-d5 *", "1:1", "restriction 6"),
        ("[GameType \"20\"] 1. 32-28 19-23 2. 28:19 *", "1:35", "restriction 7"),
        ("[FEN \"W:W28:B23,13\"] [GameType \"20\"] 1. 28x19x8 *", "1:41", "restriction 8"),
        ("1. 32-28 [Event \"x\"]", "1:10", "separated by *"),
        ("1. 32-28 (18-23 *", "1:17", "not closed"),
        ("1. 32-28 ) *", "1:10", "without `(`"),
        ("1. 32-28 () *", "1:11", "nothing in it"),
        ("1. 32-28 ; x\n*", "1:10", "braces"),
        ("1. 32-28 2. *", "1:10", "without a move"),
        ("1. - *", "1:4", "unknown move"),
        ("*", "1:1", "without a game"),
        ("[event \"x\"] *", "1:1", "name"),
        ("[Event \"a \"b\"\"] *", "1:1", "quote"),
        ("[Date \"1.1.1965\"] *", "1:1", "YYYY.MM.DD"),
        ("[TimeControl \"1 h\"] *", "1:1", "seconds"),
        ("[GameType \"20\"] [Result \"1-0\"] *", "1:17", "no result"),
        ("[ResultFormat \"Plus draw\"] [Result \"1-0\"] *", "1:28", "no result"),
        ("[FEN \"W:W31:B2.\"] *", "1:1", "no dot"),
        ("1. 32-28 /FEN \"W: W31:B2\"/ *", "1:10", "no blanks"),
        ("1. 32-28 {open", "1:10", "not closed"),
        ("1. 32-28 Ronde *", "1:10", "not PDN"),
        ("1. 47x36 <42,29> *", "1:10", "3.1"),
    ] {
        let problems = strict::check(text, None);
        let fits =
            problems.iter().any(|problem| problem.location.to_string() == place && problem.to_string().contains(part));
        assert!(fits, "{text}: {problems:#?}");
    }
}

#[test]
fn valid_files_pass() {
    for text in [
        "",
        "[Event \"x\"]",
        "[Event \"x\"] *",
        "1. 32-28 19-23",
        "% line\n[Date \"2012.02.01\"]\r\n1. 32-28 19-23",
        "{ Start of the game } 1. 33-28 18-22 2. 39-33? { a classical mistake } *",
        "1. 32-28 19-23 (1... 18-23 2. 38-32 (2. 37-32? 23-29! { Black wins }) 12-18) 2. 28x19 14x23 *",
        "1. 32-28!? 19-23(!?!!!) 2. 28x19 $1 *",
        "[FEN \"W:W31,29,K15:B14,13,12,9\"] *\n[FEN \"W:W:B1\"] *",
        "[GameType \"20\"][ResultFormat \"Plus draw\"][Result \"1+ - 1-\"] *",
        "[GameType \"20\"] /FEN \"W:W31-50:B1-20\"/ /FEN \"B:W28,31,33-50:B1-18,20\"/ 1... 14-19 *",
        "[TimeControl \"40/7200:3600+60\"] [WhiteTime \"1:36\"] [BlackTime \"2.40\"] [Date \"2007.??.??\"] [Time \"\"] *",
    ] {
        assert_eq!(strict::check(text, None), [], "{text}");
    }
}

/// The feed of a game with a gap, as it grows line by line.
#[test]
fn feed_is_strict_after_every_line() {
    let feed = "[Date \"2026.11.21\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n\n\n\
        1. 32-28 {[%clock w1:29:49 B1:30:00]}\n19-23 {[%clock W1:29:49 b1:29:53]}\n\
        /FEN \"W:W32,33,35:B1,3,24\"/ {[%clock W0:05:40 b0:05:45]}\n19. 33-28 {[%clock w0:05:50 B0:05:55]}\n*\n";
    for (at, _) in feed.match_indices('\n') {
        assert_eq!(strict::check(&feed[..=at], None), [], "{}", &feed[..=at]);
    }
    let finished = feed.replace("\"*\"]\n\n\n", "\"2-0\"]\n");
    assert_eq!(strict::check(&finished, None), []);
}
