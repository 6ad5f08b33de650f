//! Draw counters: which draws are reached, and at which ply.

use std::collections::BTreeMap;

use draughts::draws::{Claim, DrawHistory};
use draughts::{Color, Move, Position, Variant};
use draughts_pdn::{fen, notation};

fn history(tag: &str, text: &str) -> DrawHistory {
    let variant = Variant::from_tag(tag).unwrap();
    let position = match text {
        "start" => Position::start(variant),
        text => Position::new(variant, fen::read(variant, text).unwrap()).unwrap(),
    };
    DrawHistory::new(position)
}

fn play(history: &mut DrawHistory, moves: &str) {
    for text in moves.split_whitespace() {
        let ply = notation::read(history.position(), text).unwrap_or_else(|error| panic!("{error}"));
        history.play(&ply);
    }
}

/// Returns four king moves, each side there and back, without any possible capture.
pub fn shuttle(position: &Position) -> [Move; 4] {
    let kings_move = |position: &Position| {
        let mut moves = position.legal_moves();
        moves.retain(|ply| !ply.is_capture() && position.placement().kings().contains(ply.from()));
        moves
    };
    let back = |position: &Position, ply: &Move| {
        position.legal_moves().into_iter().find(|back| back.from() == ply.to() && back.to() == ply.from())
    };
    for there in kings_move(position) {
        let second = position.play(&there);
        for also_there in kings_move(&second) {
            let third = second.play(&also_there);
            let Some(back_again) = back(&third, &there) else { continue };
            let fourth = third.play(&back_again);
            let Some(also_back) = back(&fourth, &also_there) else { continue };
            if !fourth.play(&also_back).must_capture() {
                return [there, also_there, back_again, also_back];
            }
        }
    }
    panic!("{} has no quiet moves there and back", fen::write(position.variant(), &position.setup()));
}

/// Plays `before`, then `moves` repeatedly, or kings to and fro if there are none. Returns for each article the first ply (counted from the
/// first of `before`) at which it makes a draw.
fn play_repeatedly(tag: &str, text: &str, before: &str, moves: &str) -> BTreeMap<&'static str, usize> {
    const PLIES: usize = 250;
    let mut history = history(tag, text);
    let mut reached = BTreeMap::new();
    play(&mut history, before);
    let start = before.split_whitespace().count();
    let mut cycle: Vec<Move> = Vec::new();
    let mut ahead = *history.position();
    for text in moves.split_whitespace() {
        cycle.push(notation::read(&ahead, text).unwrap_or_else(|error| panic!("{error}")));
        ahead = ahead.play(&cycle[cycle.len() - 1]);
    }
    if cycle.is_empty() {
        cycle.extend(shuttle(&ahead));
    }
    for (ply, next) in (start..PLIES).zip(cycle.iter().cycle()) {
        for rule in history.draws() {
            reached.entry(rule.article).or_insert(ply);
        }
        history.play(next);
    }
    reached
}

/// Each expectation is a part of an article and the ply; no other draw may be reached.
fn check(tag: &str, text: &str, before: &str, moves: &str, expected: &[(&str, usize)]) {
    let reached = play_repeatedly(tag, text, before, moves);
    assert_eq!(reached.len(), expected.len(), "{tag} {text}: {reached:#?}");
    for (article, ply) in expected {
        let found = reached.iter().find(|(known, _)| known.contains(article));
        assert_eq!(found.map(|(_, ply)| ply), Some(ply), "{tag} {text} {article}: {reached:#?}");
    }
}

/// Two kings each go to and fro: a position occurs for the third time after eight plies.
#[test]
fn repetition_and_only_kings() {
    check("20", "W:WK46,K47:BK1,K6", "", "", &[("third time", 8), ("25 moves each", 50)]);
    check("27", "W:WK67,K68:BK1,K2", "", "", &[("third time", 8)]);
    let text = "W:WKc1,Kg5:BKb8,Ka7";
    let material = ("four or five pieces", 60);
    check("25", text, "", "", &[("third time", 8), ("15 moves each", 30), material]);
    check("41", text, "", "", &[("third time", 8), ("15 moves each", 30), material]);
    check("26", text, "", "", &[("third time", 8), ("20 moves each", 40)]);
    check("29", text, "", "", &[("third time", 8), ("15 moves", 30)]);
    check("30", "W:WKc1,Kd1:BKf8,Ka7", "", "", &[("third time", 8)]);
}

/// Four or five pieces have 30 moves, six or seven have 60.
#[test]
fn unchanged_material() {
    let expected = [("third time", 8), ("15 moves each", 30), ("six or seven pieces", 120)];
    check("25", "W:WKc1,Kg5,h2:BKb8,Ka7,a5", "", "", &expected);
    // No kings on one side, so no count. Black's men move on, so no position repeats either.
    let mut history = history("25", "W:WKa1,Kb2:Bb8,d8,h8");
    play(&mut history, "b2-c1");
    assert!(history.counts().iter().all(|count| !count.rule.article.contains("pieces, nothing taken")));
}

/// A man's move or a capture restarts the count of king moves; a repetition must be the identical position.
#[test]
fn men_and_captures_restart_count() {
    let before = "47-42 6-11 42-47 11-6 36-31";
    check("20", "W:WK46,K47,36:BK1,K6", before, "", &[("third time", 5 + 8), ("25 moves each", 5 + 50)]);
}

/// English: 40 moves of each side, and only on claim.
#[test]
fn english_and_italian_count_to_forty() {
    check("21", "W:WK29,21:BK4,20", "", "", &[("third time", 8), ("40 own moves", 80)]);
    // Italian: repetition is left to the arbiter.
    check("22", "W:WK29,21:BK4,20", "", "", &[("40 moves of each side", 80)]);
    let english = Variant::from_tag("21").unwrap();
    assert!(english.draws.iter().all(|rule| rule.claim == Claim::Needed));
}

/// International: three pieces with a king among them have 16 moves each; two or one have 5.
#[test]
fn international_endings() {
    for white in ["K46,K47,K48", "K46,K47,45", "K46,45,50"] {
        let expected = [("third time", 8), ("16 moves each", 32), ("25 moves each", 50)];
        check("20", &format!("W:W{white}:BK6"), "", "", &expected);
    }
    for white in ["K46,K47", "K46,45", "K46"] {
        let expected = [("third time", 8), (": 5 moves each", 10), ("25 moves each", 50)];
        check("20", &format!("W:W{white}:BK6"), "", "", &expected);
    }
    // Four pieces, or a lone man against a king, are in no list.
    check("20", "W:WK46,K47,K48,45:BK6", "", "", &[("third time", 8), ("25 moves each", 50)]);
    assert_eq!(history("20", "W:W26:BK5").counts().len(), 2);
}

/// After 24 of the 32 plies White sacrifices a man: five moves each start at ply 26 and would end at ply 36, but the sixteen continue and
/// end at ply 32.
#[test]
fn counts_of_international_endings_overlap() {
    let mut history = history("20", "W:WK46,K47,40:BK6");
    let there_and_back = shuttle(history.position());
    for ply in there_and_back.iter().cycle().take(24) {
        history.play(ply);
    }
    let count = |history: &DrawHistory, words: &str| {
        let counts = history.counts();
        let found = counts.iter().find(|count| count.rule.article.contains(words));
        found.map(|count| (count.current, count.limit))
    };
    assert_eq!(count(&history, ": 16 moves each"), Some((12, 16)));
    assert_eq!(count(&history, ": 5 moves each"), None);
    play(&mut history, "40-34 6-1 34-29 1x45");
    assert_eq!(count(&history, ": 16 moves each"), Some((14, 16)));
    assert_eq!(count(&history, ": 5 moves each"), Some((0, 5)));
    for ply in &shuttle(history.position()) {
        history.play(ply);
    }
    assert_eq!(count(&history, ": 16 moves each"), Some((16, 16)));
    assert_eq!(count(&history, ": 5 moves each"), Some((2, 5)));
    assert!(history.draws().iter().any(|rule| rule.article.contains(": 16 moves each")));
}

/// Pool: thirteen moves of the lone king; White moves first here, so the thirteenth is ply 26.
#[test]
fn pool_counts_moves_of_lone_king() {
    check("23", "W:WK29,K30,K31:BK5", "", "", &[("third time", 8), ("survived 13", 26)]);
    // Two kings against one: no count.
    check("23", "W:WK29,K30:BK5", "", "", &[("third time", 8)]);
}

/// Canadian: three kings have 16 moves each, as long as they are three.
#[test]
fn canadian_endings() {
    check("27", "W:WK67,K68,K69:BK7", "", "", &[("third time", 8), ("16 moves each", 32)]);
    check("27", "W:WK67,K68,61:BK7", "", "", &[("third time", 8)]);
}

/// Russian: fifteen moves of the stronger side, the last at ply 29; on the main road five, the last at ply 9.
#[test]
fn russian_endings() {
    let off_the_road =
        [("third time", 8), ("three kings or more", 29), ("15 moves each", 30), ("four or five pieces", 60)];
    check("25", "W:WKb8,Kd8,Ka7:BKg1", "", "b8-c7 g1-h2 c7-b8 h2-g1", &off_the_road);
    // From corner to corner of the main road, with White off it.
    let on_the_road = [
        ("third time", 8),
        ("main road", 9),
        ("three kings or more", 29),
        ("15 moves each", 30),
        ("four or five pieces", 60),
    ];
    check("25", "W:WKb8,Kd8,Ka7:BKh8", "", "a7-b6 h8-a1 b6-a7 a1-h8", &on_the_road);
    // The king leaves the road at every other move: it never makes five moves on it in a row.
    let leaves = play_repeatedly("25", "W:WKb8,Kd8,Ka7:BKc3", "", "d8-e7 c3-d2 e7-d8 d2-c3");
    assert!(!leaves.keys().any(|article| article.contains("main road")), "{leaves:#?}");
    let two_pieces = [("third time", 8), ("two pieces", 9), ("15 moves each", 30)];
    check("25", "W:WKb8,Kd8:BKg1", "", "b8-c7 g1-h2 c7-b8 h2-g1", &two_pieces);
}

/// Frisian: two kings have seven moves each to win; one against one is a draw at once, unless a capture is due.
#[test]
fn frisian_endings() {
    check("40", "W:WK46,K47:BK6", "", "", &[("7 moves each", 14)]);
    let drawn = history("40", "W:WK47:BK6");
    assert_eq!(drawn.draws().len(), 1);
    assert_eq!(drawn.draws()[0].claim, Claim::AtOnce);
    // On one line, with room behind: White must capture, and wins.
    let mut due = history("40", "W:WK47:BK20");
    assert!(due.position().must_capture());
    assert!(due.draws().is_empty());
    play(&mut due, "47x15");
    assert_eq!(due.position().winner(), Some(Color::White));
    assert!(due.draws().is_empty());
}

/// Turkish: one piece each is a draw, even a king against a man.
#[test]
fn turkish_one_piece_each() {
    for text in ["W:WKa1:BKh7", "W:WKa1:Bh7", "W:Wa2:Bh7"] {
        let draws = history("30", text).draws();
        assert_eq!(draws.len(), 1, "{text}");
        assert_eq!(draws[0].claim, Claim::AtOnce);
    }
    assert!(history("30", "W:WKa1:Ba7").draws().is_empty(), "the king takes the man");
    assert!(history("30", "W:WKa1,a2:BKh7").draws().is_empty());
}

/// A man in Turkish draughts may step sideways and back: its moves do not end the series of positions.
#[test]
fn sidesteps_repeat() {
    check("30", "W:Wa2,Kd1:Bh7,Ke8", "", "a2-b2 h7-g7 b2-a2 g7-h7", &[("third time", 8)]);
}

/// Thai: no counts, as the row states.
#[test]
fn unregulated_cases_are_left_to_arbiter() {
    check("31", "B:WK1,K2:BK31,K32", "", "31-27 1-5 27-31 5-1", &[]);
    for variant in Variant::all().filter(|variant| variant.draws.is_empty()) {
        assert!(!variant.undefined_rules.is_empty(), "{variant:?}");
    }
}

/// Every rule cites its article in words for an operator.
#[test]
fn every_rule_cites_article() {
    for variant in Variant::all() {
        for rule in variant.draws {
            assert_eq!(format!("{}: {}", rule.source(), rule.text()), rule.article, "{variant:?}");
            assert!(rule.source().len() >= 3 && rule.text().len() >= 10, "{variant:?}: {}", rule.article);
        }
    }
}

/// The arbiter's page states for every game which decisions are left to the arbiter.
#[test]
fn arbiter_docs_list_arbiter_decisions() {
    let page = std::fs::read_to_string("docs/games.md").unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    for variant in Variant::all() {
        let number = format!("({})", variant.game_type.number());
        let row = rows.iter().find(|row| row.contains(&number)).unwrap_or_else(|| panic!("{variant:?} is missing"));
        let left = row.trim_end_matches('|').rsplit('|').next().map(str::trim);
        assert_eq!(left, Some(variant.undefined_rules), "{variant:?}");
    }
}

/// In every game the side to move loses without a legal move: no pieces, or none that can move.
#[test]
fn no_legal_move_is_loss() {
    for variant in Variant::all() {
        let empty = Position::new(variant, fen::read(variant, "B:W:B").unwrap()).unwrap();
        assert_eq!(empty.winner(), Some(Color::White), "{variant:?}");
        assert_eq!(Position::start(variant).winner(), None, "{variant:?}");
    }
    for (tag, blocked) in
        [("20", "W:W6:B1"), ("20", "W:W46:B41,37"), ("21", "W:W29:B25,22"), ("30", "W:Wa2:Ba3,b2,c2,a4")]
    {
        let history = history(tag, blocked);
        assert_eq!(history.position().winner(), Some(Color::Black), "{tag} {blocked}");
        assert!(history.draws().is_empty());
    }
}
