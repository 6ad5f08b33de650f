//! Problems of known readers, and texts that the standard's own grammar refuses: `check` against second implementations.
//!
//! `docs/readers.md` and the grammar of the standard are implemented here once more, differently from the program: texts are rewritten,
//! matched from their beginning, and every alternative is tried. Thousands of small texts with a few changes are judged by both.
//! `READERS_SEED` and `READERS_MUTANTS` select another or a longer search.

use draughts::{Position, Variant};
use draughts_pdn::problem::{Level, Problem};
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::{fen, replay, strict};

use crate::random::Random;

const SEED: u64 = 20_261_122;

const TEXTS: [&str; 16] = [
    "[Event \"x\"]\n[Result \"*\"]\n[GameType \"20\"]\n\n1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:19:50 b1:19:41]}\n2. 28x19 *\n",
    "[White \"A\"]\n[Black \"B\"]\n\n1. 32-28 19-23 2. 28x19 14x23 2-0\n\n[White \"C\"]\n\n1. 31-27 *\n\n[White \"D\"]\n\n*\n",
    "1. 32-28 19-23 *",
    "1.32-28! 19-23?! (1... 18-23 {a} $1 2. 38-32) 2. 28x19 $5 {b} 14x23 (13x24) 1-1\n",
    "[GameType \"25\"]\n\n1. c3-d4 b6-a5 2. d4-c5 d6:b4 3. a3:c5 1-0\n",
    "[GameType \"26\"]\r\n[FEN \"W:W21,22,K10:B1,2\"]\r\n\r\n1. 21-17 *\r\n",
    "[Event \"x\"]\n\n/FEN \"W:W31,32,K40:B1,2\"/ 1. 32-28 ; so\n1-6 *\n",
    "% one\n[Event \"x\"]\n% two\n1. 32-28\n%three\n19-23 *",
    "[Event \"x\"] [Site \"y\"]\n[Round \"1\"] 1. 32-28 *\n[FILENAME \"x\"]",
    "19-23 *",
    "[Board \"1\"]\n\n1. 32-28",
    "(1. 32-28) {c} 1. 32-28 ((19-23)) * {d}",
    "[A \"b]c\"]\n[Event \"d\"]\n\n1. 28x19x10 01-07 1-1 *",
    "1. 32-28 19-23 2. 37-32 0.5-0.5<br>[Event \"x\"]<br>½-½",
    "[Event \"x\"]\n\n1. 32-28 1/2-1/2\n\n\n[Event \"y\"]\n\n{[x]} 1. 31-26!? $12$3 {a} $4 (31-27 (31-26) (33-28)) {b} 1... 20-25 0-2",
    "[pgn]1. 32\u{2013}28 19\u{2011}23[/pgn] *",
];

#[rustfmt::skip]
const PARTS: [&str; 66] = [
    "*", "2-0", "1-1", "0-0", "½-½", "1/2-1/2", " ", "\n", "\n\n", "\n\n[", "[", "]", "\"", "{", "}", "(", ")", ";", ";\n", "%",
    "\n%", "!", "?", " !", "$1", "$", "1.", "2...", "01.", ".", "32-28", "19-23", "28x19", "32-28-23", "28:19:10", "-", "x",
    ":", "0", "5", "50", "51-46", "a3-b4", "c3:e5", "a2-b3", "/FEN \"W:W28:B19\"/", "/FEN \"W:W28-30:B1\"/", "/FEN \"B::\"/",
    "[Event \"x\"]", "[Result \"?\"]", "[Board2 \"1\"]", "[Empty]", "[GameType \"25\"]", "[Variant \"Russian\"]", "\u{feff}",
    "\u{a0}", "\t", "\r", "\u{c}", "<br>", "[pdn]", "[FILENAME \"x\"]", "\u{2013}", "\u{2028}", "\\\"", "32-28*",
];

fn mutated(random: &mut Random) -> String {
    let mut text: Vec<char> = TEXTS[random.below(TEXTS.len())].chars().collect();
    for _ in 0..random.below(4) {
        let at = random.below(text.len() + 1);
        let to = (at + 1 + random.below(6)).min(text.len());
        match random.below(5) {
            0 if at < to => drop(text.drain(at..to)),
            1 if at < to => {
                let part = text[at..to].to_vec();
                let into = random.below(text.len() + 1);
                text.splice(into..into, part);
            }
            2 if at + 1 < text.len() => text.swap(at, at + 1),
            _ => drop(text.splice(at..at, PARTS[random.below(PARTS.len())].chars())),
        }
    }
    text.into_iter().collect()
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn mutants() -> impl Iterator<Item = String> {
    let (seed, count) = (from_env("READERS_SEED", SEED), from_env("READERS_MUTANTS", 6000));
    println!("READERS_SEED={seed} READERS_MUTANTS={count}");
    let mut random = Random(seed);
    TEXTS.iter().map(|text| (*text).to_owned()).chain((0..count).map(move |_| mutated(&mut random)))
}

fn errors(problems: &[Problem]) -> Vec<String> {
    problems.iter().filter(|problem| problem.level == Level::Error).map(ToString::to_string).collect()
}

fn check(profile: ReaderProfile, text: &str) -> Vec<String> {
    errors(&profile::check(profile, text.as_bytes(), None))
}

/// The rules of lidraughts, a second implementation: each function returns the rest of a text after the part it matches.
mod lidraughts {
    use super::*;

    pub fn fails(file: &str) -> bool {
        let file = file.replace("<br>", "\n\n").replace('\r', "");
        let mut games: Vec<String> = file.split("\n\n[").map(|game| format!("[{game}")).collect();
        games[0].remove(0);
        games.iter().any(|game| game_fails(game))
    }

    fn lines(text: &str) -> Vec<String> {
        text.split(['\n', '\u{c}']).map(|line| line.trim_matches(|c| c <= ' ').to_owned()).collect()
    }

    fn game_fails(game: &str) -> bool {
        let mut text = lines(game).into_iter().filter(|line| !line.starts_with('%')).collect::<Vec<_>>().join("\n");
        for gone in ["[pgn]", "[pdn]", "[/pgn]", "[/pdn]"] {
            text = text.replace(gone, "");
        }
        text = text.replace(['\u{2011}', '\u{2013}'], "-");
        let mut parted = String::new();
        while let Some(c) = text.chars().next() {
            let saved = text.strip_prefix("\"]").map(skip).filter(|rest| {
                rest.starts_with('{')
                    || rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.') && !rest.starts_with('.')
            });
            let is_name =
                text.strip_prefix("[FILENAME").is_some_and(|rest| skip(rest) != rest && skip(rest).starts_with('"'));
            if let Some(saved) = saved {
                parted.push_str("\"]\n");
                text = saved.to_owned();
                continue;
            }
            if is_name {
                parted.push('\n');
            }
            parted.push(c);
            text = text[c.len_utf8()..].to_owned();
        }
        let all: Vec<String> = lines(&parted).into_iter().filter(|line| !line.is_empty()).collect();
        let count = all.iter().take_while(|line| line.starts_with('[')).count();
        let mut movetext = all[count..].to_vec();
        if movetext.last().is_some_and(|line| line.starts_with('[') && line.ends_with(']')) {
            movetext.pop();
        }
        let header = all[..count].join("\n");
        let (tags, lost) = tags(&header);
        let movetext = movetext.join("\n");
        let variant = variant(&tags);
        let mut main = Vec::new();
        let Some((rest, mut result)) = moves(&movetext, 0, &mut main) else { return true };
        if !skip(rest).is_empty() || lost.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
            return true;
        }
        if result.is_none() && main.last().is_some_and(|ply| ply == "1-1") {
            main.pop();
            result = Some("1-1");
        }
        main.iter().any(|ply| !is_ply(ply, variant)) || is_nothing(&tags, result, main.first(), variant)
    }

    fn skip(text: &str) -> &str {
        text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r'])
    }

    fn tags(header: &str) -> (Vec<(String, String)>, &str) {
        let (mut found, mut rest) = (Vec::new(), skip(header));
        while let Some(inner) = rest.strip_prefix('[') {
            let inner = skip(inner);
            let behind = inner.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let name = &inner[..inner.len() - behind.len()];
            let Some((value, after)) = skip(behind).split_once(']') else { break };
            if name.is_empty() || value.is_empty() {
                break;
            }
            found.push((name.to_lowercase(), value.replace('"', "")));
            rest = skip(after);
        }
        (found, rest)
    }

    fn get<'t>(tags: &'t [(String, String)], name: &str) -> Option<&'t String> {
        tags.iter().find(|tag| tag.0 == name).map(|tag| &tag.1)
    }

    fn variant(tags: &[(String, String)]) -> &'static Variant {
        let tag =
            match (get(tags, "gametype").map(String::as_str), get(tags, "variant").map(|name| name.to_lowercase())) {
                (None, Some(name)) if name == "russian" => "25",
                (None, Some(name)) if name == "brazilian" => "26",
                (Some(value), _) if value.parse::<u32>().is_ok() || has_attributes(value) => {
                    match value.split(',').next() {
                        Some("25") => "25",
                        Some("26") => "26",
                        Some("40" | "97") => "40",
                        _ => "20",
                    }
                }
                _ => "20",
            };
        Variant::from_tag(tag).unwrap()
    }

    fn has_attributes(value: &str) -> bool {
        let parts: Vec<&str> = value.split(',').collect();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match parts[..] {
            [number, side, columns, rows, notation, ref invert @ ..] => {
                [number, columns, rows].into_iter().all(is_number)
                    && ["W", "B"].contains(&side)
                    && matches!(notation.as_bytes(), [b'A' | b'N' | b'S', b'0'..=b'3'])
                    && matches!(invert, [] | ["0" | "1"])
            }
            _ => false,
        }
    }

    /// Matches a line of moves at the beginning of a text. Returns the rest and its result; `None` if the text is no line of moves.
    fn moves<'t>(text: &'t str, depth: usize, main: &mut Vec<String>) -> Option<(&'t str, Option<&'static str>)> {
        if depth > 50 {
            return None;
        }
        let mut rest = comments(text);
        loop {
            let mut begin = rest;
            while let Some(behind) = number(begin).or_else(|| comment(begin)) {
                begin = behind;
            }
            let Some((ply, behind)) = ply(begin) else { break };
            main.push(ply);
            rest = glyphs(comments(glyphs(behind)));
            while let Some(inner) = skip(rest).strip_prefix('(') {
                let (behind, _) = moves(inner, depth + 1, &mut Vec::new())?;
                rest = skip(behind).strip_prefix(')')?;
            }
            rest = comments(rest);
        }
        let results = ["*", "1/2-1/2", "½-½", "0.5-0.5", "1-1", "0-1", "0-2", "1-0", "2-0"];
        let result = results.into_iter().find(|result| skip(rest).starts_with(result));
        let rest = result.map_or(rest, |result| &skip(rest)[result.len()..]);
        Some((comments(rest), result))
    }

    fn comments(mut text: &str) -> &str {
        while let Some(rest) = comment(text) {
            text = rest;
        }
        text
    }

    fn comment(text: &str) -> Option<&str> {
        let text = skip(text);
        if let Some(inner) = text.strip_prefix('{') {
            return inner.split_once('}').map(|(_, rest)| rest);
        }
        if let Some(inner) = text.strip_prefix(';') {
            let inner = skip(inner);
            let end = inner.find(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).unwrap_or(inner.len());
            return (end > 0).then(|| &inner[end..]);
        }
        let inner = skip(text.strip_prefix("/FEN \"")?);
        let behind = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | ','));
        skip(behind).strip_prefix("\"/")
    }

    fn number(text: &str) -> Option<&str> {
        let text = skip(text);
        let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = behind.len() < text.len() && !text.starts_with('0') && behind.starts_with('.');
        is_number.then(|| behind.trim_start_matches('.'))
    }

    fn glyphs(mut text: &str) -> &str {
        while let Some(inner) = skip(text).strip_prefix('$') {
            let behind = inner.trim_start_matches(|c: char| c.is_ascii_digit());
            if behind.len() == inner.len() {
                break;
            }
            text = behind;
        }
        text
    }

    fn square(text: &str) -> Option<&str> {
        let two = text.get(..2).filter(|two| match two.parse::<u32>() {
            Ok(number) => two.bytes().all(|byte| byte.is_ascii_digit()) && (1..=50).contains(&number),
            Err(_) => matches!(two.as_bytes(), [b'a'..=b'h', b'1'..=b'8']),
        });
        let one = text.get(..1).filter(|one| matches!(one.as_bytes(), [b'1'..=b'9']));
        two.or(one)
    }

    fn ply(text: &str) -> Option<(String, &str)> {
        let text = skip(text);
        let first = square(text)?;
        let rest = text[first.len()..].strip_prefix(['-', 'x', ':'])?;
        let mut rest = &rest[square(rest)?.len()..];
        while let Some(inner) = rest.strip_prefix(['x', ':'])
            && let Some(next) = square(inner)
        {
            rest = &inner[next.len()..];
        }
        for _ in 0..2 {
            rest = rest.strip_prefix(['?', '!', '□', '⨀']).unwrap_or(rest);
        }
        Some((text[..text.len() - rest.len()].to_owned(), rest))
    }

    fn is_ply(ply: &str, variant: &Variant) -> bool {
        let bare = ply.trim_end_matches(['?', '!', '□', '⨀']);
        let squares: Vec<&str> = bare.split(['-', 'x', ':']).collect();
        let is_small = variant.geometry.count() == 32;
        let is_there = |square: &&str| match square.parse::<usize>() {
            Ok(number) => number >= 1 && number <= variant.geometry.count(),
            Err(_) => is_small && variant.geometry.square(square).is_some(),
        };
        (squares.len() == 2 || !bare.contains('-')) && squares.iter().all(is_there)
    }

    fn is_nothing(
        tags: &[(String, String)],
        result: Option<&str>,
        first: Option<&String>,
        variant: &'static Variant,
    ) -> bool {
        let mut kept: Vec<String> =
            ["timecontrol", "date", "result", "termination", "site", "event", "round", "annotator"]
                .map(str::to_owned)
                .into();
        for side in ["white", "black"] {
            kept.extend(["", "elo", "rating", "title", "team"].map(|more| format!("{side}{more}")));
        }
        let says = |value: &str| !["", "?", "unknown"].contains(&value);
        let has_tag = tags.iter().any(|(name, value)| kept.contains(name) && says(value));
        let has_result = result.is_some() && get(tags, "result").is_none();
        let start = get(tags, "fen").and_then(|text| Position::new(variant, fen::read(variant, text).ok()?).ok());
        let start = start.unwrap_or_else(|| Position::start(variant));
        let plays =
            first.is_some_and(|ply| replay::resolve(&start, ply.trim_end_matches(['?', '!', '□', '⨀']), None).is_ok());
        !has_tag && !has_result && !plays
    }
}

/// A game that does not parse fails the poll of all boards: exactly such texts are reported.
#[test]
fn exactly_failures_of_lidraughts_are_errors() {
    let mut failing = 0;
    for text in mutants() {
        let found = check(ReaderProfile::Lidraughts, &text);
        let says_so = found.iter().any(|problem| problem.contains("fails the file"));
        // A file without games fails the poll, but is no fault before the round.
        let fails = lidraughts::fails(&text) && !text.trim().is_empty();
        failing += usize::from(fails);
        assert_eq!(says_so, fails, "{text:?}: {found:#?}");
    }
    assert!(failing > 1000, "{failing}");
}

#[test]
fn texts_once_missed_by_lidraughts_profile() {
    for text in [
        "1. 32-28 * 19-23 *",
        "1. 32-28 2-0 19-23 *",
        "1. 32-28 *\n\n*",
        "1. 32-28 *\n\n1. 31-27 *",
        "19-23 ! 2. 28x19",
        "32-28 ) 19-23",
        "1. 32-28 19-23 2. *",
        "32-28-23",
        "1. 32-28 [Event \"x\"] 19-23 *",
        "1. 32-28 \u{feff}19-23 *",
        "\u{feff}[Event \"x\"]\n\n1. 32-28 *",
        "\n\n[Event \"x\"]\n\n1. 32-28 *",
    ] {
        let found = check(ReaderProfile::Lidraughts, text);
        assert!(found.iter().any(|problem| problem.contains("fails the file")), "{text:?}: {found:?}");
    }
    // Text that only looks odd is read.
    for text in ["1. 32-28 ; a comment\n19-23 *", "1. 32-28! $1 {a} (1. 31-27) {b} 19-23 1-1", "1.32-28 19:23? *"] {
        assert_eq!(check(ReaderProfile::Lidraughts, text), [""; 0], "{text:?}");
    }
}

#[test]
fn differences_of_pydraughts_are_errors() {
    for text in [
        "% line\n[Event \"x\"]\n\n1. 32-28 19-23 *\n",
        "1. 32-28\n% 4.a line\n19-23 *",
        "1. 32-28 ; and 19-23\n19-23 *",
        "1. 3228 *",
        "1. 32-28* 19-23 *",
        "1. 32-28 \u{feff}19-23 *",
        "\u{feff}[Event \"x\"]\n\n1. 32-28 19-23 *",
        "[FEN \"W:W32:B19\"]\n\n1... 19-23 *",
        "[FEN \"B:W32:B19\"]\n\n1... 19-23 2. 32-28 *",
        "[Event \"x\"]\n\n1. 32-28 /FEN \"W:W28:B19\"/ 2. 28-22 *",
        "[Event \"x\"]\n\n*\n\n[Event \"y\"]\n\n1. 32-28 *",
        "[GameType \"x\"]\n\n1. 32-28 19-23 *",
        "1. 32-28 {1-1} 19-23 *",
        "1. 32-28 1... 19-23 2. 37-32 11. 18-22 *",
        "1. 32-28 19-23 *\n3...",
        "1. 32-\n% x 1.4.a\n28!",
    ] {
        assert_ne!(check(ReaderProfile::Pydraughts, text), [""; 0], "{text:?}");
    }
    let text = "[Event \"x\"]\n\n1. 32-28! {a} (1. 31-27) 19-23 $1 2. 28x19 14x23 2-0\n\n[Event \"y\"]\n\n1. 32-28 1... 19-23 *\n";
    assert_eq!(check(ReaderProfile::Pydraughts, text), [""; 0]);
}

/// The writing grammar of the standard, with its corrections: squares up to l12, the capture signs of all game types.
mod grammar {
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Token {
        Number,
        Capture,
        Step,
        Square,
        Strength,
        Glyph,
        Open,
        Close,
        TagOpen,
        TagClose,
        Star,
        Setup,
        Text,
        Comment,
        Name,
    }

    /// Whether the tokens, the longest at each place, make a file.
    pub fn accepts(text: &str) -> bool {
        let Some(tokens) = tokens(text) else { return false };
        tokens.split(|token| *token == Token::Star).enumerate().all(|(index, game)| {
            let is_last_and_empty =
                game.is_empty() && index > 0 && index == tokens.iter().filter(|token| **token == Token::Star).count();
            is_last_and_empty || is_game(game)
        })
    }

    /// Whether there is no token.
    pub fn is_nothing(text: &str) -> bool {
        tokens(text).is_some_and(|tokens| tokens.is_empty())
    }

    fn is_game(mut game: &[Token]) -> bool {
        let mut has_header = false;
        while let [Token::TagOpen, Token::Name, Token::Text, Token::TagClose, rest @ ..] = game {
            (game, has_header) = (rest, true);
        }
        match body(game) {
            Some([]) => has_header || !game.is_empty(),
            _ => false,
        }
    }

    /// Returns the tokens after a body, which may be empty.
    fn body(mut rest: &[Token]) -> Option<&[Token]> {
        loop {
            rest = match rest {
                [Token::Comment | Token::Setup | Token::Glyph, rest @ ..] => rest,
                [Token::Open, inner @ ..] => match body(inner)? {
                    [Token::Close, rest @ ..] if inner.first() != Some(&Token::Close) => rest,
                    _ => return None,
                },
                [Token::Number, Token::Square, rest @ ..] | [Token::Square, rest @ ..] => {
                    let (is_capture, mut rest) = match rest {
                        [sign @ (Token::Step | Token::Capture), Token::Square, rest @ ..] => {
                            (*sign == Token::Capture, rest)
                        }
                        _ => return None,
                    };
                    while let [Token::Capture, Token::Square, behind @ ..] = rest
                        && is_capture
                    {
                        rest = behind;
                    }
                    match rest {
                        [Token::Strength, rest @ ..] => rest,
                        rest => rest,
                    }
                }
                rest => return Some(rest),
            };
        }
    }

    fn tokens(text: &str) -> Option<Vec<Token>> {
        let mut tokens = Vec::new();
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            if rest.starts_with('%') {
                rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..];
                continue;
            }
            if rest.is_empty() {
                return Some(tokens);
            }
            let (token, length) = longest(rest)?;
            tokens.push(token);
            rest = &rest[length..];
        }
    }

    fn longest(text: &str) -> Option<(Token, usize)> {
        let bytes = text.as_bytes();
        let run = |from: usize, is: fn(&u8) -> bool| {
            bytes[from.min(bytes.len())..].iter().take_while(|byte| is(byte)).count()
        };
        let enclosed = |close: char| text[1..].find(close).map(|at| at + 2);
        Some(match bytes[0] {
            b'0'..=b'9' => {
                let digits = run(0, u8::is_ascii_digit);
                match &bytes[digits..] {
                    [b'.', b'.', b'.', ..] => (Token::Number, digits + 3),
                    [b'.', ..] => (Token::Number, digits + 1),
                    _ if bytes[0] == b'0' => return None,
                    _ => (Token::Square, digits.min(2)),
                }
            }
            b'a'..=b'l' => match bytes {
                [_, b'1', b'0'..=b'2', ..] => (Token::Square, 3),
                [_, b'1'..=b'9', ..] => (Token::Square, 2),
                _ => return None,
            },
            b'A'..=b'Z' => (Token::Name, run(0, |byte| byte.is_ascii_alphanumeric() || *byte == b'_')),
            b'!' | b'?' => (Token::Strength, run(0, |byte| matches!(byte, b'!' | b'?'))),
            b'(' => match run(1, |byte| matches!(byte, b'!' | b'?')) {
                signs @ 1.. if bytes.get(1 + signs) == Some(&b')') => (Token::Strength, signs + 2),
                _ => (Token::Open, 1),
            },
            b')' => (Token::Close, 1),
            b'[' => (Token::TagOpen, 1),
            b']' => (Token::TagClose, 1),
            b'*' => (Token::Star, 1),
            b'-' => (Token::Step, 1),
            b'x' | b':' => (Token::Capture, 1),
            b'$' => match run(1, u8::is_ascii_digit) {
                0 => return None,
                digits => (Token::Glyph, 1 + digits),
            },
            b'/' => (Token::Setup, enclosed('/')?),
            b'{' => (Token::Comment, enclosed('}')?),
            b'"' => {
                // A quote after a backslash may be part of the string or its end: the longest match counts.
                let mut end = None;
                for (at, _) in text.match_indices('"').skip(1) {
                    end = Some(at + 1);
                    if bytes[at - 1] != b'\\' {
                        break;
                    }
                }
                (Token::Text, end?)
            }
            _ => return None,
        })
    }
}

/// No text that the standard's grammar refuses passes `--strict`; an empty file is the beginning of one being written.
#[test]
fn texts_refused_by_standard_grammar_are_errors() {
    let (mut accepted, mut refused) = (0, 0);
    for text in mutants() {
        let found = errors(&strict::check(&text, None));
        if grammar::accepts(&text) {
            accepted += 1;
        } else {
            refused += 1;
            assert!(!found.is_empty() || grammar::is_nothing(&text), "{text:?}");
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1000);
}

/// ANTLR's reading of the grammar, where Java and Debian's package of ANTLR are installed: it accepts the texts accepted above, and no text
/// that it refuses passes `--strict`. `DAMCAST_ANTLR` sets another class path.
#[test]
fn antlr_agrees_with_tests_on_standard_grammar() {
    use std::process::Command;
    let path = std::env::var("DAMCAST_ANTLR").unwrap_or_else(|_| {
        let jars =
            ["antlr4", "antlr4-runtime", "antlr3-runtime", "stringtemplate4", "treelayout", "javax.json", "icu4j"];
        jars.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":")
    });
    let folder = tempfile::tempdir().unwrap();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdn/antlr");
    for file in ["Pdn.g4", "Judge.java"] {
        std::fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    let texts: Vec<String> = mutants().collect();
    for (index, text) in texts.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.pdn")), text).unwrap();
    }
    let run = |program: &str, arguments: &[&str]| {
        let class_path = format!("{path}:.");
        Command::new(program).arg("-cp").arg(class_path).args(arguments).current_dir(folder.path()).output()
    };
    let is_there = std::fs::exists(path.split(':').next().unwrap()).unwrap_or(false)
        && run("java", &["org.antlr.v4.Tool", "Pdn.g4"]).is_ok_and(|made| made.status.success());
    if !is_there {
        eprintln!(
            "Java and ANTLR (Debian: default-jdk-headless antlr4) are not there: the grammar is not asked by ANTLR"
        );
        return;
    }
    let compiled = run("javac", &["Judge.java"]).unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let judged = run("java", &["Judge", "."]).unwrap();
    let verdicts = String::from_utf8(judged.stdout).unwrap();
    assert_eq!(verdicts.lines().count(), texts.len());
    for (text, verdict) in texts.iter().zip(verdicts.lines()) {
        assert_eq!(verdict == "1", grammar::accepts(text), "{text:?}");
    }
}

/// Strict means: every violation of the grammar or of the game's rules is an error.
#[test]
fn strict_plays_moves() {
    for (text, place, expected) in [
        ("1. 32-28 19-10 *", "1:10", "`19-10` is not legal"),
        ("1. 32-28 19-23 (18-10) *", "1:17", "`18-10` is not legal"),
        ("1. 19-23 *", "1:4", "not Black's turn"),
        ("[GameType \"20\"]\n\n1. 32-28-23 *", "3:4", "more than two squares"),
        ("1. 32-28 \u{feff}19-23 *", "1:10", "U+FEFF"),
        ("1. 32-28\u{a0}19-23 *", "1:9", "U+00A0"),
        ("[Event\u{a0}\"x\"]\n\n1. 32-28 *", "1:1", "the tag's name"),
        ("Event \"x\"]\n\n1. 32-28 *", "1:1", "lost its `[`"),
        ("[Site \"C:\\\"]\n\n1. 32-28 *", "1:1", "backslash"),
    ] {
        let found = errors(&strict::check(text, None));
        let is_told = found.iter().any(|problem| problem.starts_with(place) && problem.contains(expected));
        assert!(is_told, "{text:?}: {found:#?}");
    }
    assert_eq!(strict::check_form("1. 32-28 19-10 *", None), []);
}
