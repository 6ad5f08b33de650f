//! PDN as a whole: what is written is read, what is read can be written, and no text does harm.

use damcast::pdn::clock::{ClockTime, Clocks};
use damcast::pdn::encoding::Encoding;
use damcast::pdn::game::{End, Entry, Game, MoveEntry, MoveNumber, Tags};
use damcast::pdn::problem::Level;
use damcast::pdn::reader::{self, Located, Reader};
use damcast::pdn::renumber::renumber;
use damcast::pdn::replay::{KnownBy, Replay, Step};
use damcast::pdn::standard::{Ambiguous, converted, standard};
use damcast::pdn::writer::{self, Style};
use damcast::pdn::{fen, infer, live, notation, strict};
use damcast::rules::{Color, Kind, Piece, Placement, Position, Setup, Square, Variant};
use proptest::prelude::*;

pub(crate) const DIALECTS: &str = include_str!("../data/pdn/dialects.pdn");

fn moves(game: &Game) -> Vec<&str> {
    game.moves().map(|ply| ply.text.as_str()).collect()
}

/// The games in the standard's form, as text.
fn standardised(games: &[Located], style: Style) -> String {
    let untagged: Vec<&Located> = games.iter().filter(|located| located.game.tags.get("GameType").is_none()).collect();
    let told = (!untagged.is_empty()).then(|| infer::from_moves(&untagged, None));
    let games: Vec<Game> = games.iter().map(|located| standard(located, told).0).collect();
    writer::write(&games, style)
}

#[test]
fn every_dialect_is_read() {
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
    assert_eq!(game.end, End::Result("1/2-1/2".into()));

    assert_eq!((moves(&games[1]), &games[1].end), (vec!["34-29", "18-22", "29-24"], &End::Result("4-6".into())));
    let first = games[2].moves().next().unwrap();
    assert_eq!(first.number, Some(MoveNumber { value: 1, ellipsis: true }));
    assert_eq!(games[2].moves().nth(1).unwrap().captured.as_deref(), Some("17"));
    assert_eq!(moves(&games[3]), ["c3d4", "F6-G5", "b2-c3", "g5-h4", "c3xe5xg7", "-", "-"]);
    assert_eq!(moves(&games[4]), ["-", "-"]);
    assert_eq!(moves(&games[5]), ["32-28"]);
}

#[test]
fn every_dialect_is_written_as_the_standard_wants_it() {
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
    assert_eq!(strict::check(&text, None), []);
}

#[test]
fn a_replay_knows_variant_start_and_moves() {
    let located = Located::from(reader::read("1.c3-b4 f6-g5 2.b4-c5 d6xb4 3.a3xc5 *").0.remove(0));
    let replay = Replay::of(&located, None);
    assert_eq!((replay.variant.game_type.number, replay.known_by), (25, KnownBy::Moves));
    assert_eq!(replay.start, Position::start(replay.variant));
    assert!(replay.is_complete && replay.problems.is_empty());
    assert_eq!(replay.moves().filter(|ply| ply.is_capture()).count(), 2);
    assert!(matches!(replay.steps[0], Step::Move { entry: 0, .. }));
}

/// Where the first move is the other side's, the position before it is that side's as well.
#[test]
fn a_replay_begins_where_its_first_move_shows() {
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
        let replay = Replay::of(located, None);
        let walked = damcast::pdn::replay::walk(located, replay.variant, &mut |_| {});
        assert!(replay.is_complete, "{moves}");
        assert_eq!(Some(replay.position_after(usize::MAX)), walked.last, "{moves}");
        let Step::Move { ply, .. } = replay.steps.last().unwrap() else { panic!("{moves}") };
        assert!(replay.position_after(replay.steps.len() - 1).legal_moves().contains(ply), "{moves}");
    }
}

#[test]
fn a_move_that_is_not_legal_is_told_with_its_place_and_position() {
    let text = "[GameType \"20\"]\n\n1. 32-28 19-23\n2. 28x20 14x23 (2... 1-2) *";
    let (games, _) = reader::read_located(text);
    let replay = Replay::of(&games[0], None);
    assert!(!replay.is_complete);
    assert_eq!(replay.moves().count(), 2);
    let told: Vec<String> = replay.problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("4:4: error: `28x20` is not legal (2. in W:W28,31,33"), "{}", told[0]);
}

#[test]
fn the_diagram_of_the_standard() {
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

/// On request a capture that two moves share is written with the pieces it takes; it reads back as that move.
#[test]
fn the_proposal_for_3_1_is_written_on_request() {
    let text = "[GameType \"20\"][FEN \"W:WK47:B14,19,29,31,42\"] 1. 47x38x24x13x36! (1. 47x38x20x9x36) *";
    let located = reader::read_located(text).0.remove(0);
    let (game, _) = converted(&located, None, Ambiguous::Captured);
    let written = writer::write(std::slice::from_ref(&game), Style::Compact);
    let expected = "1. 47x36! <42,29,19,31> ( 1. 47x36 <42,29,14,31> ) *\n";
    assert!(written.ends_with(expected), "{written}");
    let again = reader::read_located(&written).0.remove(0);
    assert_eq!(again.game, game);
    assert!(Replay::of(&again, None).problems.is_empty());
    assert_eq!(standard(&again, None).0, standard(&located, None).0);
    let letters = Variant::from_tag("20,W,10,10,A0,0").unwrap();
    let (renamed, problems) = renumber(&game, letters);
    assert_eq!(problems, []);
    let renamed = writer::write(&[renamed], Style::Compact);
    assert!(renamed.ends_with("1. c1xa3! <d2,g5,g7,b4> ( 1. c1xa3 <d2,g5,h8,b4> ) *\n"), "{renamed}");
}

#[test]
fn what_is_wrong_is_told_with_its_restriction() {
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
            problems.iter().any(|problem| problem.place.to_string() == place && problem.to_string().contains(part));
        assert!(fits, "{text}: {problems:#?}");
    }
}

#[test]
fn what_the_standard_allows_passes() {
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
fn the_feed_is_strict_after_every_line() {
    let feed = "[Date \"2026.11.21\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n\n\n\
        1. 32-28 {[%clock w1:29:49 B1:30:00]}\n19-23 {[%clock W1:29:49 b1:29:53]}\n\
        /FEN \"W:W32,33,35:B1,3,24\"/ {[%clock W0:05:40 b0:05:45]}\n19. 33-28 {[%clock w0:05:50 B0:05:55]}\n*\n";
    for (at, _) in feed.match_indices('\n') {
        assert_eq!(strict::check(&feed[..=at], None), [], "{}", &feed[..=at]);
    }
    let finished = feed.replace("\"*\"]\n\n\n", "\"2-0\"]\n");
    assert_eq!(strict::check(&finished, None), []);
}

/// A small generator of our own, so that a game is a function of one number.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }
}

const NAMES: [&str; 8] =
    ["Wiersma, Harm", "Сергей Фадеев", "高文龙", "O\"Neill", "a\\b", "", "Groenendijk, Jan (NED)", "é{}%;*"];
const REMARKS: [&str; 7] = [
    "a classical mistake",
    "",
    "[%csl Rd4 Gb2] beside",
    "русский  two blanks",
    "a rather long remark that will not fit into the rest of a line and so must be wrapped somewhere between its words",
    "% ; * 1-0 (",
    "[%eval -0.048][%egt 0:0:9.56]",
];

const VALUES: [(&str, &[&str]); 5] = [
    ("Date", &["2026.11.21", "2007.??.??", "????.??.??", ""]),
    ("TimeControl", &["4800+60", "40/7200:20/2400:600+5", "*120", "?", "-", ""]),
    ("WhiteTime", &["1:59:20", "1:17", "?"]),
    ("UTCTime", &["23:59:11", "?"]),
    ("WhiteType", &["human", "program", "?"]),
];

/// A game in the standard's form: random legal moves with everything that may stand between them.
pub(crate) fn game(variant: &'static Variant, dice: &mut Dice, plies: usize, with_variations: bool) -> Game {
    let mut tags: Tags =
        [("Event", NAMES[dice.roll(8)]), ("White", NAMES[dice.roll(8)]), ("Black", NAMES[dice.roll(8)])]
            .into_iter()
            .collect();
    for (name, values) in VALUES {
        if dice.roll(3) == 0 {
            tags.set(name, values[dice.roll(values.len())]);
        }
    }
    tags.set("GameType", variant.game_type.tag_value());
    let mut line = Line { variant, dice, entries: Vec::new(), clock: 4800 };
    let mut position = Position::start(variant);
    if line.dice.roll(4) == 0 {
        for _ in 0..line.dice.roll(30) {
            let legal = position.legal_moves();
            let Some(count) = Some(legal.len()).filter(|&count| count > 0) else { break };
            position = position.play(&legal[line.dice.roll(count)]);
        }
        tags.set("FEN", fen::write(variant, &position.setup()));
    } else if line.dice.roll(3) == 0
        && let Some(rich) = with_ambiguous_captures(variant, line.dice)
    {
        position = rich;
        tags.set("FEN", fen::write(variant, &position.setup()));
    }
    tags.set("Result", variant.result_format.values()[line.dice.roll(5)]);
    line.play(position, 1, plies, with_variations);
    Game { tags, entries: line.entries, end: End::Star }
}

/// A position in which two moves share their ends and take different pieces; play hardly ever comes to one.
fn with_ambiguous_captures(variant: &'static Variant, dice: &mut Dice) -> Option<Position> {
    let turn = variant.game_type.starter;
    (0..200).find_map(|_| {
        let mut placement = Placement::EMPTY;
        for piece in 0..11 {
            let square = Square::new(dice.roll(variant.geometry.count()) as u8);
            let color = if piece == 0 { turn } else { !turn };
            placement.put(square, Some(Piece { color, kind: Kind::King }));
        }
        let position = Position::new(variant, Setup { placement, turn }).ok()?;
        let legal = position.legal_moves();
        legal.iter().any(|ply| notation::is_ambiguous(ply, &legal)).then_some(position)
    })
}

struct Line<'d> {
    variant: &'static Variant,
    dice: &'d mut Dice,
    entries: Vec<Entry>,
    clock: u32,
}

impl Line<'_> {
    fn play(&mut self, mut position: Position, mut number: u32, plies: usize, with_variations: bool) {
        let mut is_fresh = true;
        for _ in 0..plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                return;
            }
            let is_first = position.turn() == self.variant.game_type.starter;
            let ambiguous = legal.iter().position(|ply| notation::is_ambiguous(ply, &legal));
            let ply = &legal[ambiguous.unwrap_or_else(|| self.dice.roll(legal.len()))];
            let shown = (is_first || is_fresh).then_some(MoveNumber { value: number, ellipsis: !is_first });
            let strength = [None, None, None, Some("!"), Some("(?!)")][self.dice.roll(5)].map(str::to_owned);
            let text = notation::write(self.variant, ply, &legal);
            self.entries.push(Entry::Move(MoveEntry { number: shown, text, strength, captured: None }));
            is_fresh = false;
            self.beside(position.turn());
            if with_variations && self.dice.roll(12) == 0 {
                self.entries.push(Entry::Open);
                let length = 1 + self.dice.roll(4);
                self.play(position, number, length, self.dice.0.is_multiple_of(2));
                self.entries.push(Entry::Close);
                is_fresh = true;
            }
            position = position.play(ply);
            number += u32::from(!is_first);
            if self.dice.roll(40) == 0 {
                // A null move: the other side is to move, nothing else changes.
                position = position.with_turn(!position.turn());
                self.entries.push(Entry::Setup(format!("{}::", position.turn().letter())));
                is_fresh = true;
            }
            if self.dice.roll(25) == 0 {
                // The board lost the thread: some plies passed unseen.
                for _ in 0..self.dice.roll(4) {
                    let legal = position.legal_moves();
                    if legal.is_empty() {
                        return;
                    }
                    let is_first = position.turn() == self.variant.game_type.starter;
                    position = position.play(&legal[self.dice.roll(legal.len())]);
                    number += u32::from(!is_first);
                }
                self.entries.push(Entry::Setup(fen::write(self.variant, &position.setup())));
                self.beside(!position.turn());
                is_fresh = true;
            }
        }
    }

    fn beside(&mut self, mover: Color) {
        if self.dice.roll(3) > 0 {
            self.clock -= 7;
            let running = Some(!mover);
            let clocks = Clocks { white: Some(ClockTime(self.clock)), black: Some(ClockTime(4800)), running };
            self.entries.push(Entry::Comment(clocks.to_string()));
        }
        if self.dice.roll(10) == 0 {
            self.entries.push(Entry::Comment(REMARKS[self.dice.roll(7)].to_owned()));
        }
        if self.dice.roll(10) == 0 {
            self.entries.push(Entry::Nag(self.dice.roll(140) as u32));
        }
    }
}

pub(crate) fn variants() -> Vec<&'static Variant> {
    let others = ["23,W,8,8,A0,0", "23,B,8,8,A1,1", "20,W,10,10,N1,0", "25,W,8,8,N2,0"];
    Variant::all().chain(others.map(|tag| Variant::from_tag(tag).unwrap())).collect()
}

/// What is read from the text is exactly these games, without any problem.
fn reads_back(text: &str, games: &[Game]) {
    let (read, problems) = reader::read(text);
    assert_eq!(problems, [], "{text}");
    assert_eq!(read, games, "{text}");
}

/// Games in the standard's form: each style is strict, is read without a problem as the same games, and is written again
/// byte for byte; the moves are legal; the standard's form is its own.
fn hold_through_writing(games: &[Game]) {
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
            let replay = Replay::of(located, None);
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

/// The proposal for 3.1 reads back as the same game.
fn as_proposed_for_3_1(located: &Located, game: &Game, style: Style) {
    let (proposed, _) = converted(located, None, Ambiguous::Captured);
    let text = writer::write(std::slice::from_ref(&proposed), style);
    let again = reader::read_located(&text).0.remove(0);
    assert_eq!(again.game, proposed, "{text}");
    assert_eq!(&standard(&again, None).0, game, "{text}");
}

/// The file of a game as the feed writes it is strict after every line, and when its result is written over the `*`.
fn is_strict_after_every_line(game: Game) {
    let variant = Variant::from_tag(game.tags.get("GameType").unwrap()).unwrap();
    let tags: Vec<_> = game.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
    let head: String = live::header(variant, &tags).iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    let text = head + &writer::write(&[Game { tags: Tags::default(), ..game }], Style::Live);
    for (at, _) in text.match_indices('\n') {
        assert_eq!(strict::check(&text[..=at], None), [], "{}", &text[..=at]);
    }
    for result in variant.result_format.values() {
        let (offset, bytes) = live::overwrite_result(text.as_bytes(), result).unwrap();
        let mut finished = text.clone().into_bytes();
        finished[offset..offset + bytes.len()].copy_from_slice(&bytes);
        assert_eq!(strict::check_bytes(&finished, None), []);
    }
}

/// Every variant, and games that together hold all that a game may hold: no property is true for want of cases.
#[test]
fn games_of_every_variant_with_everything_in_them() {
    let mut seen = [0_usize; 12];
    for (index, variant) in variants().into_iter().enumerate() {
        let mut dice = Dice(1 + index as u64);
        let games: Vec<Game> = (0..8).map(|_| game(variant, &mut dice, 50, true)).collect();
        hold_through_writing(&games);
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
            // What is rare need not be in the games of every variant.
            let is_rare = matches!(kind, 0 | 2 | 8 | 9 | 11);
            assert!(own > 0 || is_rare, "{}: no game has what stands at {kind}", variant.name);
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    println!("{seen:?}");
}

/// How deep the variations of a game go.
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
    fn what_is_written_is_read_and_strict(seed in 1_u64.., plies in 0_usize..60) {
        let mut dice = Dice(seed);
        let variants = variants();
        let variant = variants[dice.roll(variants.len())];
        let games: Vec<Game> = (0..=dice.roll(3)).map(|_| game(variant, &mut dice, plies, true)).collect();
        hold_through_writing(&games);
    }

    #[test]
    fn every_prefix_of_a_live_file_is_strict(seed in 1_u64.., plies in 1_usize..40) {
        let mut dice = Dice(seed);
        let variants = variants();
        let variant = variants[dice.roll(variants.len())];
        is_strict_after_every_line(game(variant, &mut dice, plies, false));
    }

    #[test]
    fn a_stream_gives_the_same_games_however_it_is_cut(seed in 1_u64.., size in 1_usize..200) {
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

    /// Any order of pieces of PDN, and of pieces of no PDN, is read; what was read is written in the standard's form.
    #[test]
    fn any_soup_is_read_and_written_strictly(pieces in prop::collection::vec(0_usize..SOUP.len(), 0..60), blanks in any::<u64>()) {
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
        let problems: Vec<_> = strict::check(&written, None);
        prop_assert_eq!(problems, [], "{}\n--- written:\n{}", text, written);
        let (again, problems) = reader::read(&written);
        prop_assert_eq!(problems, []);
        prop_assert_eq!(writer::write(&again, Style::Compact), written, "{}", text);
        let _ = strict::check(&text, None);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for encoding in [Encoding::Detect, Encoding::Utf8, Encoding::Dos866] {
            let (games, _) = reader::read_bytes(&bytes, encoding);
            for located in &games {
                let _ = Replay::of(located, None);
            }
        }
        let _ = strict::check_bytes(&bytes, None);
    }
}

pub(crate) const SOUP: &[&str] = &[
    "[Event \"x\"]",
    "[GameType \"20\"]",
    "[GameType \"25\"]",
    "[GameType \"99\"]",
    "[GameType \"x\"]",
    "[Result \"1-1\"]",
    "[Result \"4-6\"]",
    "[FEN \"W:W31-50:B1-20\"]",
    "[FEN \"?:W1:B50.\"]",
    "[FEN \"W:W0:B73\"]",
    "[FEN \"W:W1,1:B2\"]",
    "[A \"",
    "]",
    "\"",
    "[Empty]",
    "[[",
    "[a \"b\"]",
    "[Date \"1.1.1965\"]",
    "[TimeControl \"x\"]",
    "\n",
    "\r\n",
    "\n\n",
    "1.",
    "1...",
    "...",
    "12..",
    "32-28",
    "19-23",
    "28x19",
    "14x23",
    "c3-d4",
    "a3b4",
    "3228",
    "01-07",
    "32 - 28",
    "28:19",
    "47x38x24",
    "4-6",
    "-",
    "--",
    "!",
    "??",
    "(!?)",
    "*",
    "1-0",
    "1-1",
    "½-½",
    "1/2-1/2",
    "1 1/2 - 1/2",
    "$1",
    "$9999",
    "(",
    ")",
    "()",
    "{x}",
    "{",
    "}",
    "{[%clock w0:01:00 B0:01:00]}",
    "; rest\n",
    "%",
    "\n% line\n",
    "<28,29>",
    "<",
    "/FEN \"W:W28:B19\"/",
    "/FEN \"B::\"/",
    "/FEN \"?\"/",
    "/FEN",
    "/",
    "\\n",
    "\0",
    "\u{feff}",
    "é",
    "Ronde",
    "0-0",
    "99-99",
    "[FEN \"W:WK47:B14,19,29,31,42\"]",
    "47x36",
    "47x38x20x9x36",
    "47x36 <42,29,14,31>",
    "47x38x24",
    "24x13x36",
    "36x13",
    "[FEN \"W:W:B\"]",
    "[Result \"x\"]",
    "[ResultFormat \"Plus draw\"]",
    "[Heure blanche \"1\"]",
    "[P1 \"y\"]",
    "[White \"]\"]",
    "00-1",
    "1.c3-b4",
    "11-15",
    "[%clk 0:00:01]",
];

/// Each file cut at every byte: what stands before the cut is read, and the games that were whole stay as they are.
#[test]
fn a_text_cut_at_any_byte_is_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/pdn");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds = paths.iter().map(|path| std::fs::read(path).unwrap());
    let mut dice = Dice(5);
    let generated = writer::write(&[game(Variant::international(), &mut dice, 12, true)], Style::Compact);
    let texts: Vec<Vec<u8>> = seeds.chain([DIALECTS.into(), generated.into()]).collect();
    assert!(texts.len() > 8);
    for text in texts {
        let (whole, _) = reader::read_bytes(&text, Encoding::Detect);
        for at in 0..text.len() {
            let (games, _) = reader::read_bytes(&text[..at], Encoding::Detect);
            assert!(games.len() <= whole.len() + 1);
            let is_the_same = games.iter().zip(&whole).take(games.len().saturating_sub(1));
            // The last whole game may have been cut in its terminator: `1-1` is the beginning of `1-10`.
            let same = is_the_same.filter(|(cut, whole)| cut.game == whole.game).count();
            assert!(same + 2 >= games.len(), "{}", String::from_utf8_lossy(&text[..at]));
            for located in games.iter().skip(same) {
                let _ = standard(located, None);
            }
        }
    }
}

/// What cannot be read is told with its place, and what stands behind it is read.
#[test]
fn bad_input_has_a_place() {
    let crowd = format!("W:W{}:B1", (1..=500).map(|number| number.to_string()).collect::<Vec<_>>().join(","));
    let crowded = format!("[FEN \"{crowd}\"] 1. 32-28 *");
    let crowded_setup = format!("1. 32-28 /FEN \"{crowd}\"/ 19-23 *");
    for (text, place, part) in [
        ("[FEN \"W:W0:B1\"] 1. 32-28 *", "1:1", "no such square"),
        ("[FEN \"W:W73:B1\"] [GameType \"27\"] 1. 32-28 *", "1:1", "no such square"),
        ("[FEN \"W:W31,31:B1\"] 1. 32-28 *", "1:1", "twice"),
        ("[FEN \"W:W31:B31\"] 1. 32-28 *", "1:1", "twice"),
        ("[FEN \"W:WK1-21:B50\"] 1. 32-28 *", "1:1", "21 pieces"),
        ("[FEN \"W:W5:B50\"] 1. 5-10 *", "1:1", "crowning row"),
        ("[FEN \"no FEN\"] 1. 32-28 *", "1:1", "side to move"),
        (&crowded, "1:1", "longer than a FEN can be"),
        (&crowded_setup, "1:10", "longer than a FEN can be"),
        ("1. 32-28 /FEN \"W:W31,31:B1\"/ 19-23 *", "1:10", "twice"),
        ("1. 32-28 /FEN 19-23 *", "1:10", "not closed"),
        ("1. 32-28 \0\0 19-23 *", "1:10", "not PDN"),
        ("\n 1. 32-28 {x\0 19-23", "2:11", "not closed"),
        ("[White \"x\n\n1. 32-28 19-23 *", "1:1", "not closed"),
        ("1. 32-28 19-23 2. 73-0 *", "1:19", "squares that this board does not have"),
        ("1. 32-28 19-23 2. 0-0 *", "1:23", "without a game"),
    ] {
        let text = format!("{text} [Site \"x\"] 1. 31-26 *");
        let (games, mut problems) = reader::read_located(&text);
        problems.extend(games.iter().flat_map(|located| Replay::of(located, Some(Variant::international())).problems));
        let fits =
            problems.iter().any(|problem| problem.place.to_string() == place && problem.to_string().contains(part));
        assert!(fits, "{text}: {problems:#?}");
        assert!(problems.iter().all(|problem| problem.to_string().len() < 2000), "{problems:#?}");
        // A comment without its end takes all the rest; nothing else does.
        let last = games.last().map(|located| moves(&located.game));
        assert!(last == Some(vec!["31-26"]) || text.contains('{'), "{text}: {games:?}");
    }
}

/// Of several paths that mean the same move the first is written, compared as text; all of them are read.
#[test]
fn the_first_of_several_paths_is_written() {
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

#[test]
fn a_million_parentheses() {
    for text in ["(".repeat(1_000_000), ")".repeat(1_000_000), "32-28 (".repeat(200_000) + &")".repeat(200_000)] {
        let (games, problems) = reader::read_located(&text);
        assert!(games.len() <= 1);
        assert!(problems.len() <= damcast::pdn::problem::Problems::MOST);
        for located in &games {
            let _ = Replay::of(located, None);
            let game = standard(located, None).0;
            let _ = writer::write(&[game], Style::Compact);
        }
        let _ = strict::check(&text, None);
    }
}

#[test]
fn one_endless_line_needs_no_memory_and_loses_no_game() {
    for (open, filler, close) in [
        ("{", "x", "}"),
        ("", "9", ""),
        ("[Event \"", "x", "\"]\n"),
        ("%", "x", "\n"),
        ("/FEN \"", "1", ""),
        ("", "\0", ""),
        ("", " ", ""),
    ] {
        let mut reader = Reader::new(Encoding::Detect);
        let mut games = reader.feed(b"1. 32-28 *\n");
        reader.feed(open.as_bytes());
        let piece = filler.repeat(64 * 1024);
        for _ in 0..64 {
            games.append(&mut reader.feed(piece.as_bytes()));
        }
        reader.feed(close.as_bytes());
        games.append(&mut reader.feed(b" [Site \"x\"] 1. 31-26 *"));
        games.append(&mut reader.finish());
        let last = games.last().map(|located| moves(&located.game));
        assert_eq!((moves(&games[0].game), last), (vec!["32-28"], Some(vec!["31-26"])), "{open}{filler}");
        assert!(!reader.take_problems().list().is_empty() || filler == " ", "{open}{filler}");
    }
}
