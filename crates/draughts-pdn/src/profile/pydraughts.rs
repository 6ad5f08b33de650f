//! Models pydraughts 0.6.7 by the rules of `docs/readers.md`: follows its parser step by step and compares each game
//! with the actual game.
//!
//! ```text
//! lines ──▸ tag lines ──▸ tags
//!       └─▸ lines up to a result ──▸ without brackets, glyphs, strengths ──▸ two words behind each number: moves
//! ```

use std::borrow::Cow;

use crate::game::{Entry, Termination};
use crate::lexer::TokenKind;
use crate::problem::{Location, Problem, Problems, quote};
use crate::reader::LocatedGame;
use crate::tag;
use crate::words::{self, Word};

use super::{Games, entry_place, tag_place, tokens};

/// Reports everything that pydraughts cannot read or misreads in a text.
pub(super) fn check_text(text: &str, problems: &mut Problems) {
    if let Some(line) = text.split('\n').position(|line| line.contains('\r')) {
        let place = Location { line: line as u64 + 1, column: 1 };
        problems.push(Problem::error(place, "a carriage return: the reader raises an error").with_hint("write LF"));
    }
    check_tokens(text, problems);
    let mut games = Games::of(text).peekable();
    let mut end = Location::START;
    let mut reading = GameParser::parse(text);
    let mut is_right = true;
    while let Some(located) = games.next() {
        let start = located.locations.start();
        end = located.locations.end.unwrap_or(Location::START);
        let game = &located.game;
        if game.end == Termination::Open {
            let message = "the game has no terminator: the tags of the next become moves";
            problems.push(Problem::error(located.locations.end.unwrap_or(start), message));
        }
        if game.moves().next().is_none() && games.peek().is_some() {
            problems.push(Problem::error(start, "a game without moves ends the reading: all later games are lost"));
        }
        check_start(&located, problems);
        if is_right {
            let read = reading.next();
            is_right = read.as_ref().is_some_and(Result::is_ok) || game.moves().next().is_none();
            if let Some(problem) = first_difference(&located, read) {
                problems.push(problem);
            }
        }
    }
    // Text after the last game, or text without a game.
    while is_right && let Some(read) = reading.next() {
        let message = match read {
            Ok(read) if read.moves.is_empty() => continue,
            Ok(read) => format!("{} is read as a move of another game", quote(&read.moves[0])),
            Err(cause) => format!("behind the last game the reader raises an error: {cause}"),
        };
        problems.push(Problem::error(end, message));
        is_right = false;
    }
}

/// Checks the start of a game: the side to move determines how pydraughts reads the first moves.
fn check_start(located: &LocatedGame, problems: &mut Problems) {
    let game = &located.game;
    let Some(first) = game.moves().next() else { return };
    match game.tags.get("FEN") {
        Some(fen) if !fen.starts_with('W') => {
            let message = "with Black to move the first move is read twice";
            problems.push(Problem::error(tag_place(located, "FEN"), message).with_hint("it cannot read such a game"));
        }
        _ if first.number.is_some_and(|number| number.ellipsis) => {
            let message = "the first move is numbered as the second player's: it is taken for the first player's";
            problems.push(Problem::error(located.locations.start(), message).with_hint("it knows no such number"));
        }
        _ => {}
    }
}

fn check_tokens(text: &str, problems: &mut Problems) {
    let mut lines = text.split('\n').enumerate();
    let mut at = (0, "");
    for token in tokens(text) {
        match token.kind {
            TokenKind::Tag => {
                while at.0 as u64 + 1 < token.location.line || at.1.is_empty() {
                    let Some(next) = lines.next() else { break };
                    at = next;
                }
                let line = at.1;
                let parts = tag::parts(token.text);
                let plain = format!("[{} \"{}\"]", parts.name, parts.value);
                if line != plain && line != tag::write(&parts.name, &parts.value) {
                    let message = format!("the tag {} is not alone in its line in the plain form", quote(&parts.name));
                    problems.push(
                        Problem::error(token.location, message)
                            .with_hint("[Name \"value\"] from column 1, nothing behind it"),
                    );
                }
            }
            TokenKind::Comment => {
                let found = token.text.trim_matches(['{', '}']).split_whitespace();
                if token.flaw.is_some() {
                    problems.push(Problem::error(token.location, "a comment without its end becomes a move"));
                }
                for word in found.filter(|word| *word == "*" || words::word(word) == (Word::Result, word.len())) {
                    let message = format!("{} inside a comment cuts the game in two", quote(word));
                    problems.push(Problem::error(token.location, message));
                }
            }
            TokenKind::Setup => {
                problems.push(Problem::warning(token.location, "the setup is skipped, or taken for a move"));
            }
            TokenKind::PercentLine | TokenKind::LineComment => {
                let message = format!("the words of the comment {} may be taken for moves", quote(token.text));
                problems.push(Problem::warning(token.location, message).with_hint("it knows comments in braces only"));
            }
            TokenKind::Word(Word::Move) if !token.text.contains(['-', 'x', ':']) => {
                let message = format!("{} is no move there", quote(token.text));
                problems.push(Problem::error(token.location, message).with_hint("a sign stands between the squares"));
            }
            _ => {}
        }
    }
}

fn first_difference(located: &LocatedGame, read: Option<Result<ParsedGame, String>>) -> Option<Problem> {
    let tags = &located.game.tags;
    let start = located.locations.start();
    let moves: Vec<(usize, &str)> = located
        .game
        .main_line()
        .filter_map(|(index, entry)| match entry {
            Entry::Move(ply) => Some((index, ply.text.as_str())),
            _ => None,
        })
        .collect();
    let read = match read {
        Some(Ok(read)) => read,
        Some(Err(cause)) => return Some(Problem::error(start, format!("the reader raises an error: {cause}"))),
        None if moves.is_empty() => return None,
        None => return Some(Problem::error(start, "this game is lost: the reading ended before it")),
    };
    if let Some(tag) =
        tags.iter().find(|tag| !read.tags.iter().any(|(name, value)| *name == tag.name && *value == tag.value))
    {
        let message = format!("the tag {} is lost, or read otherwise", quote(&tag.name));
        return Some(Problem::error(tag_place(located, &tag.name), message));
    }
    // `check_start` has already reported the doubled first move.
    let doubled = usize::from(tags.get("FEN").is_some_and(|fen| !fen.starts_with('W')) && !read.moves.is_empty());
    let mut theirs = read.moves[doubled..].iter();
    for &(index, ours) in &moves {
        let place = entry_place(located, index);
        match theirs.next() {
            Some(theirs) if theirs == ours => {}
            Some(theirs) => {
                let message = format!("the move {} is read as {}", quote(ours), quote(theirs));
                return Some(Problem::error(place, message));
            }
            None => return Some(Problem::error(place, format!("the move {} is lost", quote(ours)))),
        }
    }
    let place = located.locations.end.unwrap_or(start);
    theirs.next().map(|more| Problem::error(place, format!("{} is read as a move", quote(more))))
}

struct ParsedGame {
    tags: Vec<(String, String)>,
    moves: Vec<String>,
}

/// Parser of pydraughts with its progress through a text.
struct GameParser<'t> {
    lines: Vec<&'t str>,
    /// Index of the next line; `None` after the end of reading.
    line_index: Option<usize>,
}

impl<'t> GameParser<'t> {
    fn parse(text: &'t str) -> GameParser<'t> {
        let mut lines: Vec<&str> = text.split('\n').collect();
        // pydraughts strips blanks at the start of every line but the first.
        lines.iter_mut().skip(1).for_each(|line| *line = line.trim_start_matches(' '));
        GameParser { lines, line_index: Some(0) }
    }

    /// Returns the next game, or the Python exception that prevents it.
    fn next(&mut self) -> Option<Result<ParsedGame, String>> {
        let begin = self.line_index?;
        let is_blank = |line: &&str| line.chars().all(char::is_whitespace);
        if begin > 0 && self.lines[begin..].iter().all(is_blank) {
            return None;
        }
        let read = self.read(begin);
        if read.is_err() {
            self.line_index = None;
        }
        Some(read)
    }

    fn read(&mut self, begin: usize) -> Result<ParsedGame, String> {
        self.line_index = None;
        let mut body = begin;
        let mut tags: Vec<(String, String)> = Vec::new();
        for (index, line) in self.lines.iter().enumerate().skip(begin) {
            if line.starts_with('[') {
                let (name, value) = parse_tag(line).ok_or("a tag without a quote")?;
                tags.retain(|(known, _)| *known != name);
                tags.push((name, value));
                body = index + 1;
            } else if !line.chars().all(char::is_whitespace) {
                break;
            }
        }
        let mut text = String::new();
        let mut rest = self.lines.len();
        for index in body..self.lines.len() {
            let line = self.lines[index];
            let cut = cut_at_result(line);
            text.push_str(cut.map_or(line, |(before, _)| before));
            text.push(' ');
            if let Some((_, after)) = cut {
                self.lines[index] = after;
                rest = index;
                break;
            }
        }
        let moves = parse_moves(&text, &tags)?;
        let Some(moves) = moves else { return Ok(ParsedGame { tags, moves: Vec::new() }) };
        if let Some((_, game_type)) = tags.iter().find(|(name, _)| name == "GameType") {
            let number = game_type.split(',').next().unwrap_or_default().trim();
            let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(format!("the game type {} is no number", quote(game_type)));
            }
        }
        self.line_index = (rest < self.lines.len()).then_some(rest);
        Ok(ParsedGame { tags, moves })
    }
}

/// Splits name and value at the first quote only.
fn parse_tag(line: &str) -> Option<(String, String)> {
    let characters: Vec<char> = line.chars().collect();
    let inner = &characters[1..characters.len().saturating_sub(1).max(1)];
    let quote = inner.iter().position(|c| *c == '"')?;
    // pydraughts drops one character before the quote as a blank. If there is none, Python counts from the end.
    let name_end = quote.checked_sub(1).unwrap_or(inner.len() - 1);
    let value = &inner[quote + 1..];
    let value = &value[..value.len().saturating_sub(1)];
    Some((inner[..name_end].iter().collect(), value.iter().collect()))
}

const RESULTS: [&str; 8] = ["1-0", "1/2-1/2", "0-1", "2-0", "1-1", "0-2", "0-0", "*"];

/// Returns the text before and after the first standalone result of a line.
fn cut_at_result(line: &str) -> Option<(&str, &str)> {
    let opens = |c: char| c.is_whitespace() || c == '|' || c == ']';
    let closes = |c: char| c.is_whitespace() || c == '|' || c == '[';
    let starts = std::iter::once((0, 0))
        .chain(line.char_indices().filter(|(_, c)| opens(*c)).map(|(at, c)| (at, at + c.len_utf8())));
    for (before, at) in starts {
        for result in RESULTS {
            if let Some(after) = line[at..].strip_prefix(result) {
                let mut characters = after.chars();
                match characters.next() {
                    None => return Some((&line[..before], "")),
                    Some(c) if closes(c) => return Some((&line[..before], characters.as_str())),
                    Some(_) => {}
                }
            }
        }
    }
    None
}

/// Returns the moves in the text of a game. `None`, which ends the reading, if no number with a dot is found.
fn parse_moves(text: &str, tags: &[(String, String)]) -> Result<Option<Vec<String>>, String> {
    let text = without_pairs(text, '(', ')');
    let text = without_pairs(&text, '{', '}');
    let mut text = without_glyphs(&text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    for (from, to) in
        [(". ...", "..."), ("...", "."), ("?", ""), ("!", ""), (". ", "."), ("- ", "-"), ("x ", "x"), (": ", ":")]
    {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    // pydraughts deletes repeated numbers everywhere, even inside longer numbers.
    let numbers = numbers(&text);
    let mut doubled: Vec<&String> =
        numbers.iter().filter(|number| numbers.iter().filter(|other| other == number).count() > 1).collect();
    doubled.sort();
    doubled.dedup();
    for number in doubled {
        if let Some(at) = text.find(number.as_str()) {
            let behind = at + number.len();
            text = format!("{}{}", &text[..behind], text[behind..].replace(number.as_str(), ""));
        }
    }
    let mut parts = text.split('.').skip(1).peekable();
    let Some(&first) = parts.peek() else { return Ok(None) };
    let mut moves = Vec::new();
    if tags.iter().any(|(name, value)| name == "FEN" && !value.starts_with('W')) {
        let first = first.split_whitespace().next().ok_or("no move behind the first number")?;
        moves.extend([first.to_owned(), first.to_owned()]);
        parts.next();
    }
    moves.extend(parts.flat_map(|part| part.split_whitespace().take(2)).map(str::to_owned));
    let last = moves.last().ok_or("no move behind a number")?;
    if RESULTS.contains(&last.as_str()) {
        moves.pop();
    }
    if !tags.iter().any(|(name, _)| name == "GameType") && first.is_empty() {
        return Err("nothing behind the first number".to_owned());
    }
    Ok(Some(moves))
}

/// Removes bracketed text, innermost first; unpaired brackets remain.
fn without_pairs(text: &str, open: char, close: char) -> Cow<'_, str> {
    if !text.contains(open) {
        return Cow::Borrowed(text);
    }
    let mut remaining = String::with_capacity(text.len());
    let mut opened = Vec::new();
    for c in text.chars() {
        if c == open {
            opened.push(remaining.len());
            remaining.push(c);
        } else if c == close
            && let Some(at) = opened.pop()
        {
            remaining.truncate(at);
        } else {
            remaining.push(c);
        }
    }
    Cow::Owned(remaining)
}

fn without_glyphs(text: &str) -> String {
    let mut parts = text.split('$');
    let mut remaining = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if after.len() == part.len() {
            remaining.push('$');
        }
        remaining.push_str(after);
    }
    remaining
}

/// Returns every run of digits followed by a dot.
fn numbers(text: &str) -> Vec<String> {
    let dots = text.match_indices('.').map(|(at, _)| at);
    let found = dots.map(|at| {
        let digits = text[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        text[at - digits..=at].to_owned()
    });
    found.filter(|number| number.len() > 1).collect()
}
