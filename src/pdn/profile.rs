//! What a known reader would make of a file: rules learnt from its behaviour, not from the standard.
//!
//! | profile | reader | its hardest rules |
//! |---|---|---|
//! | [`Profile::Standard`] | the standard itself | [`super::strict`] |
//! | [`Profile::Lidraughts`] | the relay of lidraughts.org | one game that does not parse fails all; `]` in a value loses the later tags; a setup drops the moves before it |
//! | [`Profile::Pydraughts`] | pydraughts 0.6.7, `PDNReader` | LF only; every game needs a terminator; a game without moves ends the reading |
//!
//! An error here means that the reader loses or misreads something; a warning, that it ignores something.
//!
//! Sources: the readers' own code and behaviour, versions as above; lidraughts of August 2026.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::clock;
use super::encoding::{self, Encoding};
use super::game::{End, Entry};
use super::lexer::{Input, Kind, Lexer, Token};
use super::problem::{Level, Place, Problem, Problems, quoted};
use super::reader::{self, Located};
use super::replay::Replay;
use super::strict;
use super::tag::{self, TagFlaw};
use super::values::Outcome;
use super::words::Word;
use crate::rules::Variant;

/// A known reader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Profile {
    /// The standard's writing grammar and restrictions.
    #[default]
    Standard,
    /// The broadcast relay of lidraughts.org.
    Lidraughts,
    /// The Python package pydraughts.
    Pydraughts,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 3] = [Profile::Standard, Profile::Lidraughts, Profile::Pydraughts];
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Profile::Standard => "standard",
            Profile::Lidraughts => "lidraughts",
            Profile::Pydraughts => "pydraughts",
        })
    }
}

/// No such profile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no profile; there are standard, lidraughts and pydraughts")]
pub struct UnknownProfile(pub String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Profile, UnknownProfile> {
        let found = Profile::ALL.into_iter().find(|profile| profile.to_string() == text);
        found.ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// What this reader would stumble over in a file's bytes, by place.
pub fn check(profile: Profile, bytes: &[u8], told: Option<&'static Variant>) -> Vec<Problem> {
    problems_of(profile, bytes, told).into_sorted()
}

/// As [`check`], with the count of those that were too many to keep.
pub fn problems_of(profile: Profile, bytes: &[u8], told: Option<&'static Variant>) -> Problems {
    match profile {
        Profile::Standard => {
            let mut checker = strict::Checker::new(told);
            checker.feed(bytes);
            checker.finish()
        }
        Profile::Lidraughts => lidraughts(bytes, told),
        Profile::Pydraughts => pydraughts(bytes),
    }
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let (mut lexer, mut window) = (Lexer::default(), text);
    std::iter::from_fn(move || lexer.next(&mut window, Input::Complete))
}

fn entry_place(located: &Located, index: usize) -> Place {
    located.places.entries.get(index).copied().unwrap_or(Place::START)
}

fn tag_place(located: &Located, name: &str) -> Place {
    let at = located.game.tags.iter().position(|tag| tag.name == name);
    at.and_then(|at| located.places.tags.get(at)).copied().unwrap_or_else(|| located.places.start())
}

/// The most plies of a game that lidraughts takes.
const LIDRAUGHTS_PLIES: usize = 500;

fn lidraughts(bytes: &[u8], told: Option<&'static Variant>) -> Problems {
    let (text, wrong) = encoding::decode(bytes, Encoding::Detect);
    let mut problems = Problems::default();
    if wrong.is_some() {
        problems.push(Problem::error(Place::START, "the file is not UTF-8").hint("serve it as UTF-8"));
    }
    lidraughts_lines(&text, &mut problems);
    for token in tokens(&text) {
        lidraughts_token(&token, &mut problems);
    }
    let (games, found) = reader::read_located(&text);
    problems.extend(found.into_iter().filter(|problem| problem.level == Level::Error).map(|problem| {
        let what = format!("{}; the game does not parse", problem.what);
        Problem::error(problem.place, what).hint("one game that does not parse fails all boards of the round")
    }));
    for located in &games {
        lidraughts_game(located, told, &mut problems);
    }
    problems
}

/// What its splitter does to lines: games are cut at an empty line before a bracket, lines with % are deleted.
fn lidraughts_lines(text: &str, problems: &mut Problems) {
    let mut brace_depth_open = false;
    let mut before: Option<&str> = None;
    let mut in_tags = false;
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    for (index, line) in lines.iter().enumerate() {
        let place = Place { line: index as u64 + 1, column: 1 };
        let starts_tag = line.starts_with('[') && !line.starts_with("[%");
        if line.starts_with('%') {
            if brace_depth_open {
                let what = "a line of a comment begins with %; it is deleted";
                problems.push(Problem::error(place, what).hint("wrap the comment elsewhere"));
            } else {
                problems.push(Problem::warning(place, "a line that begins with % is deleted"));
            }
        }
        if starts_tag && brace_depth_open && before == Some("") {
            let what = "an empty line and a bracket inside a comment cut the game in two";
            problems.push(Problem::error(place, what));
        }
        if starts_tag && !brace_depth_open && !in_tags && before.is_some_and(|before| !before.is_empty()) {
            let what = "no empty line before this game: it is taken for a part of the one before";
            let hint = "the line between games is truly empty";
            problems.push(Problem::error(place, what).hint(hint));
        }
        in_tags = starts_tag && !brace_depth_open;
        for c in line.chars() {
            match c {
                '{' => brace_depth_open = true,
                '}' => brace_depth_open = false,
                _ => {}
            }
        }
        before = Some(line);
    }
    let last = lines.iter().enumerate().rfind(|(_, line)| !line.is_empty());
    if let Some((index, line)) = last.filter(|(_, line)| line.starts_with('[') && line.ends_with(']')) {
        let place = Place { line: index as u64 + 1, column: 1 };
        problems.push(
            Problem::error(place, format!("the last line {} is deleted", quoted(line))).hint("end the game with *"),
        );
    }
}

fn lidraughts_token(token: &Token<'_>, problems: &mut Problems) {
    let (place, text) = (token.place, token.text);
    match token.kind {
        Kind::Tag => {
            let parts = tag::parts(text);
            let name = quoted(&parts.name);
            if parts.value.contains(']') {
                let what = format!("`]` in the value of {name}: every later tag of the game vanishes");
                problems.push(Problem::error(place, what).hint("write )"));
            }
            if parts.value.contains('"') {
                problems.push(Problem::warning(place, format!("quotes in the value of {name} are dropped")));
            }
            if !parts.name.bytes().all(|byte| byte.is_ascii_alphabetic()) || parts.flaws.contains(&TagFlaw::Name) {
                let what = format!("the tag's name {name} is read as something else");
                problems.push(Problem::warning(place, what).hint("names are letters only there"));
            }
        }
        Kind::Setup => {
            let fen = text.trim_matches('/').trim().trim_start_matches("FEN").trim().trim_matches('"');
            if fen.contains(['-', '?', '.', ' ']) {
                let what = format!("the setup {} fails the file", quoted(text));
                problems.push(Problem::error(place, what).hint("explicit squares, no -, ?, dots or blanks"));
            }
        }
        Kind::LineComment => problems.push(Problem::error(place, "a comment that begins with ; fails the file")),
        Kind::Word(Word::Number) if text.starts_with('0') && text.len() > 2 => {
            problems.push(Problem::error(place, format!("the number {} has a leading zero", quoted(text))));
        }
        Kind::Word(Word::Strength) if text.starts_with('(') => {
            problems.push(Problem::error(place, format!("the strength {} in brackets", quoted(text))));
        }
        Kind::Word(Word::Star) if !token.spaced => {
            problems.push(Problem::error(place, "`*` right behind a move").hint("put a blank before the terminator"));
        }
        Kind::PercentLine if place.column > 1 => {
            problems.push(Problem::error(place, "a comment that begins with % within a line fails the file"));
        }
        Kind::Word(Word::Move) if !is_lidraughts_move(text) => {
            let what = format!("the move {} fails the file", quoted(text));
            problems.push(Problem::error(place, what).hint("32-28, 28x19, 19:28: no blanks, one sign between squares"));
        }
        Kind::Word(Word::Result) if text != "0-0" && !LIDRAUGHTS_RESULTS.contains(&text) => {
            problems.push(Problem::error(place, format!("the result {} fails the file", quoted(text))).hint("write *"));
        }
        Kind::Word(Word::Result) if text == "0-0" => {
            problems.push(
                Problem::error(place, "`0-0` in the movetext fails the file").hint("write *; the tag may say 0-0"),
            );
        }
        Kind::Word(Word::Unknown | Word::Captured | Word::Ellipsis) => {
            problems.push(Problem::error(place, format!("{} fails the file", quoted(text))));
        }
        _ => {}
    }
}

/// The results that it takes in the movetext, but for `*`.
const LIDRAUGHTS_RESULTS: [&str; 9] = ["1/2-1/2", "½-½", "0.5-0.5", "1-1", "0-1", "0-2", "1-0", "2-0", "0-0"];

/// Squares with a sign between each two, the forms that it was seen to take.
fn is_lidraughts_move(text: &str) -> bool {
    let is_square = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let parts: Vec<&str> = text.split(['-', 'x', ':']).collect();
    parts.len() >= 2 && parts.into_iter().all(is_square)
}

fn lidraughts_game(located: &Located, told: Option<&'static Variant>, problems: &mut Problems) {
    let game = &located.game;
    if let Some(result) = game.tags.get("Result")
        && Outcome::read(result).is_none_or(|outcome| outcome == Outcome::Open && result != "*")
    {
        let what = format!("the result {} is taken for a draw, the game for over", quoted(result));
        problems.push(Problem::error(tag_place(located, "Result"), what).hint("write * until it is sure"));
    }
    let game_type = game.tags.get("GameType").map(|value| value.split(',').next().unwrap_or("").trim());
    if let Some(number) = game_type
        && !matches!(number, "20" | "25" | "26" | "40" | "96" | "97" | "98" | "99")
    {
        let what = format!("lidraughts does not know the game type {}", quoted(number));
        problems.push(Problem::error(tag_place(located, "GameType"), what));
    }
    let plies = game.moves().count();
    if plies > LIDRAUGHTS_PLIES {
        problems.push(Problem::error(located.places.start(), format!("{plies} plies; it takes {LIDRAUGHTS_PLIES}")));
    }
    let mut has_moved = false;
    for (index, entry) in game.main_line() {
        match entry {
            Entry::Move(ply) => {
                has_moved = true;
                if ply.strength.as_deref().is_some_and(|strength| strength.contains('*')) {
                    let what = "`*` as a strength fails the file";
                    problems.push(Problem::error(entry_place(located, index), what).hint("write $7"));
                }
            }
            Entry::Setup(_) if has_moved => {
                let what = "a setup within the game: the moves before it are dropped";
                let hint = "hold the game at its last sure move instead";
                problems.push(Problem::error(entry_place(located, index), what).hint(hint));
            }
            Entry::Comment(comment) => lidraughts_comment(comment, entry_place(located, index), problems),
            _ => {}
        }
    }
    let replay = Replay::of(located, told);
    problems.extend(replay.problems.into_iter().filter(|problem| problem.level == Level::Error).map(|problem| {
        let what = format!("{}; the game is cut there", problem.what);
        Problem { what, level: Level::Warning, ..problem }
    }));
}

fn lidraughts_comment(comment: &str, place: Place, problems: &mut Problems) {
    let is_fen = comment.split(':').count() == 3
        && matches!(comment.as_bytes(), [b'W' | b'B', b':', ..])
        && !comment.contains(char::is_whitespace);
    if is_fen {
        problems.push(Problem::error(place, "a comment that is a FEN is taken for a setup"));
    }
    for command in clock::commands(comment).filter(|command| command.name == "clock") {
        if !clock::is_plain_clock(command.text) {
            let what = format!("the clocks {} are ignored", quoted(command.text));
            problems
                .push(Problem::warning(place, what).hint("[%clock w1:19:50 B1:20:00], nothing more and nothing less"));
        } else if command.text != comment {
            problems.push(Problem::note(place, "the text beside the clocks is dropped"));
        }
    }
}

fn pydraughts(bytes: &[u8]) -> Problems {
    let (text, _) = encoding::decode(bytes, Encoding::Detect);
    let mut problems = Problems::default();
    if bytes.starts_with("\u{feff}".as_bytes()) {
        let what = "a byte order mark: all tags of the first game are lost";
        problems.push(Problem::error(Place::START, what));
    }
    if let Some(line) = text.split('\n').position(|line| line.contains('\r')) {
        let place = Place { line: line as u64 + 1, column: 1 };
        problems.push(Problem::error(place, "a carriage return: the reader raises an error").hint("write LF"));
    }
    // What stands behind each tag in its line.
    let lines: BTreeMap<u64, &str> = text.lines().enumerate().map(|(index, line)| (index as u64 + 1, line)).collect();
    for token in tokens(&text) {
        match token.kind {
            Kind::Tag => {
                let line = lines.get(&token.place.line).copied().unwrap_or("");
                let parts = tag::parts(token.text);
                let plain = format!("[{} \"{}\"]", parts.name, parts.value);
                if line != plain && line != tag::write(&parts.name, &parts.value) {
                    let what = format!("the tag {} is not alone in its line in the plain form", quoted(&parts.name));
                    problems.push(
                        Problem::error(token.place, what).hint("[Name \"value\"] from column 1, nothing behind it"),
                    );
                }
            }
            Kind::Comment => {
                let words = token.text.trim_matches(['{', '}']).split_whitespace();
                if token.flaw.is_some() {
                    problems.push(Problem::error(token.place, "a comment without its end becomes a move"));
                }
                for word in words.filter(|word| *word == "*" || super::words::word(word) == (Word::Result, word.len()))
                {
                    let what = format!("{} inside a comment cuts the game in two", quoted(word));
                    problems.push(Problem::error(token.place, what));
                }
            }
            Kind::Setup => {
                problems
                    .push(Problem::warning(token.place, "the setup is skipped; the moves behind it are still read"));
            }
            _ => {}
        }
    }
    let (games, _) = reader::read_located(&text);
    let count = games.len();
    for (index, located) in games.iter().enumerate() {
        let start = located.places.start();
        if located.game.end == End::Open {
            let what = "the game has no terminator: the tags of the next become moves";
            problems.push(Problem::error(located.places.end.unwrap_or(start), what));
        }
        if located.game.moves().next().is_none() && index + 1 < count {
            problems.push(Problem::error(start, "a game without moves ends the reading: all later games are lost"));
        }
        if located.game.tags.get("FEN").is_some_and(|fen| fen.starts_with('B')) {
            problems
                .push(Problem::warning(tag_place(located, "FEN"), "with Black to move the first move is read twice"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file that the relay, pydraughts and the standard all take.
    const RECOMMENDED: &str = "[Event \"NK 2026\"]\n[White \"Groenendijk, Jan\"]\n[Result \"*\"]\n[GameType \"20\"]\n\n\
        1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:19:50 b1:19:41]}\n2. 28x19 *\n\n\
        [Event \"NK 2026\"]\n[Result \"2-0\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n";

    fn check_for(profile: Profile, text: &str) -> Vec<String> {
        check(profile, text.as_bytes(), None).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_recommended_bytes_pass_everywhere() {
        for profile in Profile::ALL {
            assert_eq!(check_for(profile, RECOMMENDED), [""; 0], "{profile}");
        }
    }

    #[test]
    fn each_reader_stumbles_over_its_own_stones() {
        for (profile, from, to, expected) in [
            (Profile::Lidraughts, "NK 2026", "NK [2026]", "`]` in the value"),
            (Profile::Lidraughts, "*\n\n[Event", "*\n[Event", "no empty line"),
            (Profile::Lidraughts, "\"*\"]", "\"?\"]", "taken for a draw"),
            (Profile::Lidraughts, "B1:20:00]", "B1:20:00 ]", "are ignored"),
            (Profile::Lidraughts, "2. 28x19 *", "/FEN \"W:W28:B23\"/ 2. 28x19 *", "dropped"),
            (Profile::Lidraughts, "2. 28x19 *", "2. 28x19 0-0", "0-0"),
            (Profile::Lidraughts, "GameType \"20\"", "GameType \"21\"", "does not know"),
            (Profile::Lidraughts, "1. 32-28 {", "1. 32-27 {", "cut there"),
            (Profile::Pydraughts, "\n", "\r\n", "carriage return"),
            (Profile::Pydraughts, "2. 28x19 *", "2. 28x19", "no terminator"),
            (Profile::Pydraughts, "B1:20:00]", "B1:20:00] 1-1", "cuts the game"),
            (Profile::Pydraughts, "[Result \"*\"]", " [Result \"*\"]", "plain form"),
            (
                Profile::Pydraughts,
                "1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:19:50 b1:19:41]}\n2. 28x19 *",
                "*",
                "all later games",
            ),
            (Profile::Standard, "2. 28x19 *", "2. 28x19 2-0", "restriction 4"),
        ] {
            let found = check_for(profile, &RECOMMENDED.replace(from, to));
            assert!(found.iter().any(|problem| problem.contains(expected)), "{profile}, {to}: {found:?}");
        }
    }
}
