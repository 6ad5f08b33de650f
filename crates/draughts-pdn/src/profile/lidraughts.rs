//! Models the relay of lidraughts.org by the rules of `docs/readers.md`, in the order of its processing.
//!
//! ```text
//! file ──▸ games: cut at empty line + `[` ──▸ lines: trimmed, `%` lines gone ──▸ tag lines ──▸ tags
//!                                                                          └──▸ the rest ──▸ movetext
//! ```
//!
//! Each character keeps its offset in the file ([`SourceChar`]), so problems point at the visible place. Messages say
//! "fails the file" where one such game fails the poll of all boards; other errors lose something.

mod movetext;

use std::ops::Range;

use crate::clock;
use crate::fen;
use crate::game::Entry;
use crate::lexer::Locator;
use crate::problem::{Level, Location, Problem, ProblemKind, Problems, quote};
use crate::reader::LocatedGame;
use crate::replay::{self, Replay};
use crate::strict;
use crate::tag_values::Outcome;
use draughts::{Position, Variant};

use super::{entry_place, tag_place};
use movetext::Movetext;

const MAX_PLIES: usize = 500;

/// Maximum number of games per file; official broadcasts allow twice as many.
pub(super) const MAX_GAMES: usize = 64;

/// Deepest nesting of variations that is certain to fit the relay's stack.
const MAX_VARIATION_DEPTH: usize = 50;

/// Character seen by the relay, after its byte offset in the file.
type SourceChar = (usize, char);

/// Checks a text for anything that fails the file or is lost when it is cut into games, tags and moves.
pub(super) fn check_text(text: &str, problems: &mut Problems) {
    // The poll fails until there is a game; before the round that is no fault of the file.
    if text.trim().is_empty() {
        return;
    }
    let mut places = Locator::new(text);
    for (index, piece) in pieces(text).enumerate() {
        if index == MAX_GAMES {
            let message = format!("more than {MAX_GAMES} games: this one and those behind it are not read");
            problems.push(Problem::error(places.at(piece.start), message).with_kind(ProblemKind::TooManyGames));
        }
        let mut found = Vec::new();
        if piece.len() > MAX_PIECE_LEN {
            // Each character of a game takes many bytes of memory here.
            let message =
                format!("{} kB without an empty line before `[`: they are read as one game", piece.len() >> 10);
            fatal_problem(&mut found, piece.start, message, "put an empty line between games");
        } else {
            check_piece(text, piece, &mut found);
        }
        found.sort_by_key(|found| found.offset);
        for RawProblem { offset: at, level, message, hint } in found {
            let hint = hint.filter(|hint| !hint.is_empty());
            problems.push(Problem { location: places.at(at), level, message, hint, kind: None });
        }
    }
}

/// Largest game that is checked, in bytes.
const MAX_PIECE_LEN: usize = 1 << 20;

/// Returns the games of a text, in order: each with its tags as the relay reads them.
pub(super) fn games(text: &str) -> Vec<(&str, Tags)> {
    let game = |piece: Range<usize>| {
        let mut ignored = Vec::new();
        let lines = own_lines(&kept_lines(text, piece.clone(), &mut ignored));
        let tag_count = lines.iter().take_while(|line| line[0].1 == '[').count();
        (text[piece].trim(), tags(&joined(&lines[..tag_count]), &mut ignored))
    };
    pieces(text).map(game).filter(|(text, _)| !text.is_empty()).collect()
}

/// Problem whose offset is not converted to line and column yet.
struct RawProblem {
    offset: usize,
    level: Level,
    message: String,
    hint: Option<String>,
}

/// Returns the byte ranges of the games: the relay cuts where `[` follows two line breaks. Carriage returns are
/// ignored, and `<br>` counts as two line breaks.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let (mut start, mut at, mut is_over) = (0, 0, false);
    std::iter::from_fn(move || {
        let mut breaks = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte == b'[' && breaks >= 2 {
                let piece = start..at;
                (start, at) = (at, at + 1);
                return Some(piece);
            }
            let is_br = bytes[at..].starts_with(BR.as_bytes());
            breaks = match byte {
                b'\n' => breaks + 1,
                b'\r' => breaks,
                _ if is_br => breaks + 2,
                _ => 0,
            };
            at += if is_br { BR.len() } else { 1 };
        }
        (!std::mem::replace(&mut is_over, true)).then_some(start..bytes.len())
    })
}

const BR: &str = "<br>";

fn check_piece(text: &str, piece: Range<usize>, found: &mut Vec<RawProblem>) {
    let start = piece.start;
    let lines = own_lines(&kept_lines(text, piece, found));
    let tag_count = lines.iter().take_while(|line| line[0].1 == '[').count();
    let (tag_lines, move_lines) = lines.split_at(tag_count);
    let tags = tags(&joined(tag_lines), found);
    let move_lines = match move_lines {
        [before @ .., last] if last[0].1 == '[' && last[last.len() - 1].1 == ']' => {
            let message = format!("the last line {} is deleted", quote(&string(last)));
            let hint = Some("end the game with *".to_owned());
            found.push(RawProblem { offset: last[0].0, level: Level::Error, message, hint });
            before
        }
        all => all,
    };
    let movetext = joined(move_lines);
    let mut reading = Movetext::new(&movetext, game_variant(&tags), found);
    reading.read();
    let Movetext { first, has_result, .. } = reading;
    if !has_content(&tags, first.as_deref(), has_result) {
        fatal_problem(
            found,
            start,
            "a game without anything fails the file".to_owned(),
            "it has neither a tag that is kept nor a legal move",
        );
    }
}

fn fatal_problem(found: &mut Vec<RawProblem>, at: usize, message: String, hint: &str) {
    found.push(RawProblem { offset: at, level: Level::Error, message, hint: Some(hint.to_owned()) });
}

/// Returns the trimmed lines of a game, joined, without lines that start with `%`. Dashes become `-`, and the brackets
/// that forums put around games are dropped.
fn kept_lines(text: &str, piece: Range<usize>, found: &mut Vec<RawProblem>) -> Vec<SourceChar> {
    let mut shown: Vec<SourceChar> = Vec::new();
    let mut in_comment = false;
    let mut keep = |line: &mut Vec<SourceChar>| {
        let trimmed = trim(line);
        if let Some(&(at, '%')) = trimmed.first() {
            let (level, what) = if in_comment {
                (Level::Error, "a line of a comment begins with %; it is deleted")
            } else {
                (Level::Warning, "a line that begins with % is deleted")
            };
            found.push(RawProblem { offset: at, level, message: what.to_owned(), hint: None });
        } else {
            for &(_, c) in trimmed {
                in_comment = if in_comment { c != '}' } else { c == '{' };
            }
            shown.extend_from_slice(trimmed);
            shown.push((trimmed.last().map_or(0, |last| last.0), '\n'));
        }
        line.clear();
    };
    let mut line = Vec::new();
    let mut rest = &text[piece.clone()];
    while let Some(c) = rest.chars().next() {
        let at = piece.end - rest.len();
        if let Some(after) = rest.strip_prefix(BR) {
            keep(&mut line);
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\r' => {}
            '\n' | '\u{c}' => keep(&mut line),
            '\u{2011}' | '\u{2013}' => line.push((at, '-')),
            c => line.push((at, c)),
        }
    }
    keep(&mut line);
    for word in ["[pgn]", "[pdn]", "[/pgn]", "[/pdn]"] {
        if text[piece.clone()].contains(word) {
            shown = without(&shown, word);
        }
    }
    shown
}

fn without(shown: &[SourceChar], word: &str) -> Vec<SourceChar> {
    let (mut remaining, mut at) = (Vec::with_capacity(shown.len()), 0);
    while at < shown.len() {
        if starts(&shown[at..], word) {
            at += word.len();
        } else {
            remaining.push(shown[at]);
            at += 1;
        }
    }
    remaining
}

/// Returns the nonempty lines. Movetext after a tag on the same line starts a new line, as does a FILENAME tag.
fn own_lines(shown: &[SourceChar]) -> Vec<Vec<SourceChar>> {
    let mut lines: Vec<Vec<SourceChar>> = vec![Vec::new()];
    let mut at = 0;
    while at < shown.len() {
        let after = blanks(shown, at + 2);
        let begins_movetext = starts(&shown[at..], "\"]") && {
            let digits = shown[after..].iter().take_while(|(_, c)| c.is_ascii_digit()).count();
            starts(&shown[after..], "{") || digits > 0 && starts(&shown[after + digits..], ".")
        };
        let begins_filename = starts(&shown[at..], "[FILENAME") && {
            let quote = blanks(shown, at + "[FILENAME".len());
            quote > at + "[FILENAME".len() && starts(&shown[quote..], "\"")
        };
        if begins_filename || shown[at].1 == '\n' {
            lines.push(Vec::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push(shown[at]);
            at += 1;
            if begins_movetext {
                line.push(shown[at]);
                lines.push(Vec::new());
                at = after;
            }
        }
    }
    lines.iter().map(|line| trim(line).to_vec()).filter(|line| !line.is_empty()).collect()
}

fn trim(line: &[SourceChar]) -> &[SourceChar] {
    let start = line.iter().position(|(_, c)| *c > ' ').unwrap_or(line.len());
    let end = line.iter().rposition(|(_, c)| *c > ' ').map_or(start, |at| at + 1);
    &line[start..end]
}

fn joined(lines: &[Vec<SourceChar>]) -> Vec<SourceChar> {
    let mut all: Vec<SourceChar> = Vec::new();
    for line in lines {
        if let Some(last) = all.last() {
            all.push((last.0, '\n'));
        }
        all.extend(line);
    }
    all
}

fn string(shown: &[SourceChar]) -> String {
    shown.iter().map(|(_, c)| c).collect()
}

fn starts(shown: &[SourceChar], word: &str) -> bool {
    word.chars().enumerate().all(|(at, expected)| shown.get(at).is_some_and(|(_, c)| *c == expected))
}

/// Returns the index after any blanks at `at`.
fn blanks(shown: &[SourceChar], at: usize) -> usize {
    let at = at.min(shown.len());
    at + shown[at..].iter().take_while(|(_, c)| matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')).count()
}

/// Whether the character ends a comment that begins with `;`. The relay's patterns for skipped text never match these
/// characters.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Names and values of the tags read so far.
pub(super) type Tags = Vec<(String, String)>;

fn tags(shown: &[SourceChar], found: &mut Vec<RawProblem>) -> Tags {
    let mut tags = Tags::new();
    let mut at = 0;
    loop {
        at = blanks(shown, at);
        let begin = at;
        let Some((name, value_at, end)) = tag(shown, begin) else { break };
        let value = string(&shown[value_at..end]);
        let inner = value.trim_end_matches([' ', '\t']).strip_suffix('"').unwrap_or(&value);
        let mut push_problem = |level, what: String, hint: &str| {
            found.push(RawProblem { offset: shown[begin].0, level, message: what, hint: Some(hint.to_owned()) });
        };
        if value.contains('\n') {
            push_problem(
                Level::Error,
                format!("the tag {} has no `]`: it swallows those behind it", quote(&name)),
                "[Name \"value\"]",
            );
        } else if !value.starts_with('"') {
            let what = format!(
                "the tag's name {} is read as something else",
                quote(string(&shown[begin..end]).trim_start_matches('['))
            );
            push_problem(Level::Warning, what, "names are letters only there");
        } else if inner.strip_prefix('"').is_some_and(|inner| inner.contains('"')) {
            push_problem(Level::Warning, format!("quotes in the value of {} are dropped", quote(&name)), "");
        }
        tags.push((name, value.replace('"', "")));
        at = end + 1;
    }
    let rest = &shown[at..];
    if let Some(&(offset, first)) = rest.first() {
        let line = rest.iter().take_while(|(_, c)| *c != '\n').count();
        let text = string(&rest[..line]);
        let (what, hint) = match tags.last() {
            Some((name, _)) if first != '[' && text.ends_with("\"]") => {
                (format!("`]` in the value of {}: every later tag of the game vanishes", quote(name)), "write )")
            }
            _ if first != '[' => (format!("{} behind a tag is lost", quote(&text)), "moves begin a line of their own"),
            _ => (
                format!("{} is no tag: it and every later tag of the game vanish", quote(&text)),
                "[Name \"value\"], the name in letters",
            ),
        };
        let fails_too = rest.iter().any(|(_, c)| ends_line(*c) && *c != '\n');
        let what = if fails_too { format!("{what}, and a foreign line break in it fails the file") } else { what };
        found.push(RawProblem { offset, level: Level::Error, message: what, hint: Some(hint.to_owned()) });
    }
    tags
}

/// Parses a tag. Returns its name, the index of its value, and the index of its closing bracket.
fn tag(shown: &[SourceChar], at: usize) -> Option<(String, usize, usize)> {
    if !starts(&shown[at..], "[") {
        return None;
    }
    let name_at = blanks(shown, at + 1);
    let letters = shown[name_at..].iter().take_while(|(_, c)| c.is_ascii_alphabetic()).count();
    let value_at = blanks(shown, name_at + letters);
    let end = value_at + shown[value_at..].iter().position(|(_, c)| *c == ']')?;
    (letters > 0 && end > value_at).then(|| (string(&shown[name_at..name_at + letters]), value_at, end))
}

pub(super) fn tag_value<'t>(tags: &'t [(String, String)], name: &str) -> Option<&'t str> {
    tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Returns the variant that determines the board and the first move; unknown types count as International.
fn game_variant(tags: &[(String, String)]) -> &'static Variant {
    let number = match tag_value(tags, "gametype") {
        Some(value) if strict::is_game_type(value) => value.split(',').next(),
        Some(_) => None,
        None => tag_value(tags, "variant").and_then(|name| match name.to_lowercase().as_str() {
            "russian" => Some("25"),
            "brazilian" => Some("26"),
            "frisian" | "frysk!" => Some("40"),
            _ => None,
        }),
    };
    let known = match number {
        Some("97") => "40",
        Some(number @ ("25" | "26" | "40")) => number,
        _ => "20",
    };
    Variant::from_tag(known).unwrap_or_else(|_| Variant::international())
}

const IMPORTED_TAGS: [&str; 18] = [
    "white",
    "whiteelo",
    "whiterating",
    "whitetitle",
    "whiteteam",
    "black",
    "blackelo",
    "blackrating",
    "blacktitle",
    "blackteam",
    "timecontrol",
    "date",
    "result",
    "termination",
    "site",
    "event",
    "round",
    "annotator",
];

/// Whether the game keeps any content: an imported tag, or a playable first move.
fn has_content(tags: &[(String, String)], first: Option<&str>, has_result: bool) -> bool {
    let is_kept = |(name, value): &(String, String)| {
        IMPORTED_TAGS.contains(&name.to_ascii_lowercase().as_str()) && !matches!(value.as_str(), "" | "?" | "unknown")
    };
    let adds_result = has_result && tag_value(tags, "result").is_none();
    adds_result
        || tags.iter().any(is_kept)
        || first.is_some_and(|first| {
            let variant = game_variant(tags);
            let setup = tag_value(tags, "fen").and_then(|fen| fen::read(variant, fen).ok());
            let start = setup.and_then(|setup| Position::new(variant, setup).ok());
            let start = start.unwrap_or_else(|| Position::start(variant));
            replay::resolve(&start, first, None).is_ok()
        })
}

/// Reports losses in a game that parses.
pub(super) fn check_game(located: &LocatedGame, known_variant: Option<&'static Variant>, problems: &mut Problems) {
    let game = &located.game;
    if let Some(result) = game.tags.get("Result")
        && Outcome::parse(result).is_none_or(|outcome| outcome == Outcome::Open && result != "*")
    {
        let what = format!("the result {} is taken for a draw, the game for over", quote(result));
        problems.push(Problem::error(tag_place(located, "Result"), what).with_hint("write * until it is sure"));
    }
    let game_type = game.tags.get("GameType").map(|value| value.split(',').next().unwrap_or("").trim());
    if let Some(number) = game_type
        && !matches!(number, "20" | "25" | "26" | "40" | "96" | "97" | "98" | "99")
    {
        let what = format!("lidraughts does not know the game type {}", quote(number));
        problems.push(Problem::error(tag_place(located, "GameType"), what));
    }
    let plies = game.moves().count();
    if plies > MAX_PLIES {
        problems.push(Problem::error(located.locations.start(), format!("{plies} plies; it takes {MAX_PLIES}")));
    }
    let mut has_moved = false;
    for (index, entry) in game.main_line() {
        match entry {
            Entry::Move(_) => has_moved = true,
            Entry::Setup(_) if has_moved => {
                let what = "a setup within the game: the moves before it are dropped";
                let hint = "hold the game at its last sure move instead";
                problems.push(Problem::error(entry_place(located, index), what).with_hint(hint));
            }
            Entry::Comment(comment) => check_comment(comment, entry_place(located, index), problems),
            _ => {}
        }
    }
    let replay = Replay::infer(located, known_variant);
    problems.extend(replay.problems.into_iter().filter(|problem| problem.level == Level::Error).map(|problem| {
        let what = format!("{}; the game is cut there", problem.message);
        Problem { message: what, level: Level::Warning, ..problem }
    }));
}

fn check_comment(comment: &str, place: Location, problems: &mut Problems) {
    let is_fen = comment.split(':').count() == 3
        && matches!(comment.as_bytes(), [b'W' | b'B', b':', ..])
        && !comment.contains(char::is_whitespace);
    if is_fen {
        problems.push(Problem::error(place, "a comment that is a FEN is taken for a setup"));
    }
    for command in clock::commands(comment).filter(|command| command.name == "clock") {
        if !clock::is_plain_clock(command.text) {
            let message = format!("the clocks {} are ignored", quote(command.text));
            problems.push(
                Problem::warning(place, message).with_hint("[%clock w1:19:50 B1:20:00], nothing more and nothing less"),
            );
        } else if command.text != comment {
            problems.push(Problem::note(place, "the text beside the clocks is dropped"));
        }
    }
}
