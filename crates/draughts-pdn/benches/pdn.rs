//! Speed of reading PDN: the syntax level compared with a plain tokenizer, and the checked level in plies.
//!
//! ```text
//! cargo bench -p draughts-pdn
//! cargo bench -p draughts-pdn -- checked                 that level alone
//! DAMCAST_CORPUS=FOLDER cargo bench -p draughts-pdn      FOLDER/pdn/suite/succeed: the files of the standard's test suite
//! ```
//!
//! | | does |
//! |---|---|
//! | the tokenizer | cuts bytes into tags, comments, numbers, moves, words and signs, each with kind and span; no lines, no meaning, no window |
//! | syntax | bytes in pieces of 64 kB to events: decoding, all dialects, games, every event with line and column |
//! | checked | the syntax level, plus every move of every game resolved by the rules |
//!
//! The tokenizer is minimal code for the tokens of PDN and nothing else. It runs in the same process over the same bytes, alternating with
//! the syntax level, so the ratio is meaningful on a busy machine; absolute figures are less so. Times are processor time of one thread;
//! the best of several rounds counts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use draughts::{Position, Variant};
use draughts_pdn::checked::Checker;
use draughts_pdn::encoding::Encoding;
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber};
use draughts_pdn::notation;
use draughts_pdn::problem::Level;
use draughts_pdn::replay::Replay;
use draughts_pdn::scan;
use draughts_pdn::syntax::Event;
use draughts_pdn::writer::{self, Style};

const ROUNDS: usize = 7;

/// Number of bytes read in one round.
const VOLUME: usize = 30_000_000;

fn main() {
    let games = games_as_pdn();
    let suite = suite();
    if !std::env::args().any(|argument| argument == "checked") {
        println!("{:<34} {:>10} {:>10} {:>7}", "syntax", "tokenizer", "syntax", "ratio");
        println!("{:<34} {:>10} {:>10}", "", "MB/s", "MB/s");
        syntax("games of tests/data, compact", &writer::write(&games, Style::Compact).into_bytes());
        syntax("games of tests/data, live", &writer::write(&games, Style::Live).into_bytes());
        if let Some(suite) = &suite {
            syntax("the standard's suite, UTF-8", suite);
        }
        println!();
    }
    println!("{:<34} {:>10} {:>10} {:>7}", "checked, International", "plies", "million/s", "MB/s");
    let international: Vec<Game> = games.into_iter().filter(|game| game.tags.get("GameType") == Some("20")).collect();
    checked("games of tests/data, compact", &writer::write(&international, Style::Compact).into_bytes());
    if let Some(suite) = &suite {
        checked("the standard's suite", &international_games(suite));
    }
}

fn syntax(name: &str, text: &[u8]) {
    let bytes = text.repeat(VOLUME / text.len() + 1);
    let (mut plain, mut ours) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        plain = plain.min(timed(|| {
            let mut sums = [0_usize; 8];
            tokenizer::tokens(&bytes, &mut |token| sums[token.kind as usize] += token.end - token.start);
            std::hint::black_box(sums);
        }));
        ours = ours.min(timed(|| {
            let (mut events, mut columns) = (0_u64, 0_u64);
            let sink = &mut |place: draughts_pdn::problem::Location, event: Event<'_>| {
                events += match event {
                    Event::Move(written) => written.text.len() as u64,
                    Event::Tag { name, value } => (name.len() + value.len()) as u64,
                    Event::Comment(text) => text.len() as u64,
                    _ => 1,
                };
                columns += place.line ^ place.column;
            };
            scan::scan(&bytes[..], Encoding::Detect, sink).expect("memory can be read");
            std::hint::black_box((events, columns));
        }));
    }
    let rate = |time: Duration| bytes.len() as f64 / time.as_secs_f64() / 1e6;
    println!("{name:<34} {:>10.0} {:>10.0} {:>7.2}", rate(plain), rate(ours), rate(ours) / rate(plain));
}

fn checked(name: &str, text: &[u8]) {
    let bytes = text.repeat(VOLUME / 3 / text.len() + 1);
    let (mut best, mut plies) = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        best = best.min(timed(|| {
            plies = 0;
            let mut checker = Checker::new(Encoding::Detect, None);
            for piece in bytes.chunks(64 * 1024) {
                checker.feed(piece, &mut |game| plies += game.plies);
            }
            checker.finish(&mut |game| plies += game.plies);
            let problems = checker.take_problems();
            assert_eq!(problems.count(Level::Error), 0, "{:?}", problems.list());
        }));
    }
    let seconds = best.as_secs_f64();
    let (rate, megabytes) = (plies as f64 / seconds / 1e6, bytes.len() as f64 / seconds / 1e6);
    println!("{name:<34} {plies:>10} {rate:>10.1} {megabytes:>7.0}");
}

/// Returns the processor time of this thread.
fn timed(work: impl FnOnce()) -> Duration {
    let on_processor = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let start = on_processor();
    work();
    on_processor().saturating_sub(start)
}

/// Returns the games of `tests/data/games` as PDN games with the usual tags.
fn games_as_pdn() -> Vec<Game> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("games").map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    let mut games = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "txt")) {
        let text = std::fs::read_to_string(path).expect("a file of games");
        let (mut game_type, mut fen) = ("", None);
        for line in text.lines() {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "game" => fen = None,
                "game-type" => game_type = value,
                "fen" => fen = Some(value),
                "moves" => games.push(game(game_type, fen, value, games.len())),
                _ => {}
            }
        }
    }
    games
}

/// Creates a game from moves in the format of the files of `tests/data/games`.
fn game(game_type: &str, fen: Option<&str>, moves: &str, index: usize) -> Game {
    let variant = Variant::from_tag(game_type).expect("a game type");
    let setup = fen.map(|fen| draughts_pdn::fen::read(variant, fen).expect("a FEN"));
    let start = setup.map_or(Position::start(variant), |setup| Position::new(variant, setup).expect("a position"));
    let tags = [
        ("Event", Some("The open championship".to_owned())),
        ("Site", Some("Huissen".to_owned())),
        ("Date", Some("2026.11.21".to_owned())),
        ("Round", Some((index % 9 + 1).to_string())),
        ("White", Some(format!("Player, White {index}"))),
        ("Black", Some(format!("Player, Black {index}"))),
        ("Result", Some("*".to_owned())),
        ("GameType", Some(game_type.to_owned())),
        ("FEN", fen.map(str::to_owned)),
    ];
    let tags = tags.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut game = Game { tags: tags.collect(), ..Game::default() };
    let mut position = start;
    for (at, text) in moves.split(' ').enumerate() {
        let ply = notation::read(&position, text.trim_end_matches(['K', '!', '~'])).expect("a legal move");
        let is_first = position.turn() == start.turn();
        let number = is_first.then_some(MoveNumber { value: at as u32 / 2 + 1, ellipsis: false });
        let text = notation::write(variant, &ply, &position.legal_moves());
        game.entries.push(Entry::Move(MoveEntry { number, ..MoveEntry::new(text) }));
        position = position.play(&ply);
    }
    game
}

/// Returns the files of the standard's test suite, concatenated.
fn suite() -> Option<Vec<u8>> {
    let folder = Path::new(&std::env::var_os("DAMCAST_CORPUS")?).join("pdn/suite/succeed");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut bytes = Vec::new();
    for path in files {
        bytes.extend(std::fs::read(path).ok()?);
        bytes.extend(b"\n\n");
    }
    Some(bytes)
}

/// Returns the International games of the suite that can be played to their end.
fn international_games(suite: &[u8]) -> Vec<u8> {
    let (games, _) = draughts_pdn::reader::read_bytes(suite, Encoding::Detect);
    let is_wanted = |located: &draughts_pdn::reader::LocatedGame| {
        let tag = located.game.tags.get("GameType");
        tag.is_some_and(|tag| tag.split(',').next() == Some("20"))
            && Replay::infer(located, None).problems.iter().all(|problem| problem.level < Level::Error)
    };
    let games: Vec<Game> = games.into_iter().filter(is_wanted).map(|located| located.game).collect();
    writer::write(&games, Style::Compact).into_bytes()
}

/// The tokens of PDN, and nothing else.
mod tokenizer {
    #[derive(Clone, Copy)]
    pub enum Kind {
        Tag,
        Comment,
        Setup,
        Number,
        Move,
        Word,
        Nag,
        Sign,
    }

    pub struct Token {
        pub kind: Kind,
        pub start: usize,
        pub end: usize,
    }

    pub fn tokens(bytes: &[u8], emit: &mut impl FnMut(Token)) {
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            let start = at;
            let kind = match first {
                b' ' | b'\n' | b'\r' | b'\t' => {
                    at += 1;
                    continue;
                }
                b'[' => {
                    at = tag_end(bytes, at);
                    Kind::Tag
                }
                b'{' => {
                    at = behind(bytes, at, b'}');
                    Kind::Comment
                }
                b';' => {
                    at = behind(bytes, at, b'\n');
                    Kind::Comment
                }
                b'/' => {
                    at = behind(bytes, at + 1, b'/');
                    Kind::Setup
                }
                b'$' => {
                    at += 1;
                    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    Kind::Nag
                }
                b'(' | b')' | b'*' | b'!' | b'?' => {
                    at += 1;
                    Kind::Sign
                }
                _ => {
                    let mut separators = 0;
                    let mut dots = 0;
                    while let Some(byte) = bytes.get(at) {
                        match byte {
                            b'0'..=b'9' | b'a'..=b'l' if dots == 0 => {}
                            b'-' | b'x' | b':' if dots == 0 => separators += 1,
                            b'.' => dots += 1,
                            b' ' | b'\n' | b'\r' | b'\t' | b'(' | b')' | b'{' | b'[' | b'!' | b'?' | b'*' | b'$' => {
                                break;
                            }
                            _ if dots > 0 => break,
                            _ => {}
                        }
                        at += 1;
                    }
                    match (separators, dots) {
                        (_, 1..) => Kind::Number,
                        (1.., _) => Kind::Move,
                        _ => Kind::Word,
                    }
                }
            };
            emit(Token { kind, start, end: at });
        }
    }

    /// Returns the index after the next byte of this value, or the end.
    fn behind(bytes: &[u8], from: usize, needle: u8) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().position(|byte| *byte == needle).map_or(bytes.len(), |at| from + at + 1)
    }

    /// Returns the index after the bracket that ends a tag; a quoted value may contain anything.
    fn tag_end(bytes: &[u8], from: usize) -> usize {
        let mut at = from + 1;
        let mut is_quoted = false;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'\\' if is_quoted => at += 1,
                b']' if !is_quoted => return at,
                _ => {}
            }
        }
        bytes.len()
    }
}
