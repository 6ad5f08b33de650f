//! Writes games in the PDN 2.0 draft, for programs that support nothing newer.
//!
//! | PDN 3.0 | PDN 2.0 |
//! |---|---|
//! | UTF-8, LF | ISO-8859-1, CR LF, at most 80 characters a line |
//! | any tag | only Event, Site, Date, Round, Black, White, Result, FEN |
//! | `2007.05.19` | `2007-05-19` |
//! | `*` ends a game | the result ends it, equal to the tag, which is always present |
//! | `1-0` or `2-0`, by game type | `1-0 0-1 1/2-1/2 *` |
//! | `12...` before a second player's move | numbers before the first player's moves only |
//! | strengths of any length, glyphs | one of `* ! ?`; other glyphs as annotations |
//! | setups | none: such a game cannot be written |
//!
//! `1-0` means here, as everywhere in this library, that White won. The draft assigns it to the player who moves first.
//!
//! Source: PDN 2.0 draft 0.1 of 2003, chapters 5 and 6.

use super::writer;
use crate::encoding;
use crate::game::{Entry, Game, MoveEntry};
use crate::problem::{Location, Problem, quote};
use crate::tag_values::{Date, Outcome};
use draughts::ResultFormat;

/// Tags of the draft, in its order.
const TAGS: [&str; 8] = ["Event", "Date", "Black", "White", "Site", "Result", "Round", "FEN"];

/// Maximum number of characters in a line.
const MAX_LINE_LEN: usize = 80;

/// Returns the file, and problems for everything that the format cannot express. Games should already be in the standard's form. A problem
/// has the start as its place, and names the game.
///
/// # Examples
///
/// ```
/// let (games, _) = draughts_pdn::reader::read("[Black \"Roozenburg\"] [GameType \"20\"] 1. 32-28 19-23 *");
/// let (bytes, problems) = draughts_pdn::pdn2::write(&games);
/// assert!(bytes.ends_with(b"1. 32-28 19-23 *\r\n") || bytes.ends_with(b"1. 32-28 19-23 *\n"), "{problems:?}");
/// ```
pub fn write(games: &[Game]) -> (Vec<u8>, Vec<Problem>) {
    let mut file = Pdn2Writer::default();
    let bytes = games.iter().flat_map(|game| file.game(game)).collect();
    let mut problems = file.take_problems();
    problems.extend(file.missing_characters());
    (bytes, problems)
}

/// Writes a file game by game.
#[derive(Default, Debug)]
pub struct Pdn2Writer {
    games: usize,
    has_begun: bool,
    missing_characters: Vec<char>,
    problems: Vec<Problem>,
}

impl Pdn2Writer {
    /// Returns the bytes of the next game, preceded by an empty line.
    pub fn game(&mut self, game: &Game) -> Vec<u8> {
        self.games += 1;
        let mut text = String::new();
        let mut writer = Writer {
            number: self.games,
            has_begun: self.has_begun,
            text: &mut text,
            column: 0,
            problems: &mut self.problems,
        };
        writer.game(game);
        self.has_begun |= !text.is_empty();
        let (bytes, missing) = encoding::to_latin1(&text.replace('\n', "\r\n"));
        for c in missing {
            if self.missing_characters.len() < MAX_LISTED_MISSING && !self.missing_characters.contains(&c) {
                self.missing_characters.push(c);
            }
        }
        bytes
    }

    /// Returns the problems since the last call.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// Returns a problem that lists all characters missing in the file's encoding, if there are any.
    pub fn missing_characters(&self) -> Option<Problem> {
        let characters: String = self.missing_characters.iter().collect();
        let message = format!("characters that ISO-8859-1 does not have: {characters}");
        (!characters.is_empty()).then(|| Problem::warning(Location::START, message).with_hint("each is written as ?"))
    }
}

/// Maximum number of missing characters listed.
const MAX_LISTED_MISSING: usize = 40;

struct Writer<'a> {
    number: usize,
    /// Whether a game precedes this one.
    has_begun: bool,
    text: &'a mut String,
    column: usize,
    problems: &'a mut Vec<Problem>,
}

impl Writer<'_> {
    fn note(&mut self, message: &str) {
        self.problems.push(Problem::note(Location::START, format!("game {}: {message}", self.number)));
    }

    fn game(&mut self, game: &Game) {
        if game.entries.iter().any(|entry| matches!(entry, Entry::Setup(_))) {
            let message = format!("game {} has a setup and is left out", self.number);
            self.problems.push(Problem::error(Location::START, message).with_hint("PDN 2.0 has no setups"));
            return;
        }
        if self.has_begun {
            self.text.push('\n');
        }
        let result = self.result(game);
        self.tags(game, result);
        self.text.push('\n');
        for (index, entry) in game.entries.iter().enumerate() {
            match entry {
                Entry::Move(ply) => self.ply(ply, game.entries.get(index + 1)),
                // Written as the strength of the move.
                Entry::Nag(nag @ (1 | 2 | 7))
                    if is_strength_glyph(index.checked_sub(1).and_then(|at| game.entries.get(at)), *nag) => {}
                Entry::Nag(nag) => self.token(&format!("{{${nag}}}")),
                Entry::Comment(comment) => self.comment(comment),
                Entry::Open => self.token("("),
                Entry::Close => self.token(")"),
                Entry::Setup(_) => {}
            }
        }
        self.token(result);
        self.text.push('\n');
        self.column = 0;
    }

    fn result(&mut self, game: &Game) -> &'static str {
        match game.outcome() {
            Some(Outcome::BothLose) | None => {
                self.note(&format!("the result {} is written as *", quote(game.result())));
                "*"
            }
            Some(outcome) => outcome.as_result(ResultFormat::Default),
        }
    }

    fn tags(&mut self, game: &Game, result: &str) {
        for name in TAGS {
            // Always write the result: a game without any other tags must not vanish.
            let value = game.tags.get(name).or_else(|| (name == "Result").then_some(result));
            let Some(value) = value else { continue };
            let value = match name {
                "Result" => result.to_owned(),
                "Date" => Date::liberal(value).unwrap_or_default().to_string().replace('.', "-"),
                _ => value.replace('"', "'").replace('[', "(").replace(']', ")"),
            };
            let line = format!("[{name} \"{value}\"]");
            if line.chars().count() > MAX_LINE_LEN {
                self.note(&format!("the line of the tag {name} is longer than {MAX_LINE_LEN} characters"));
            }
            self.text.push_str(&line);
            self.text.push('\n');
        }
        let others: Vec<&str> =
            game.tags.iter().map(|tag| tag.name.as_str()).filter(|name| !TAGS.contains(name)).collect();
        if !others.is_empty() {
            self.note(&format!("PDN 2.0 has no tags {}", others.join(", ")));
        }
    }

    fn ply(&mut self, ply: &MoveEntry, next: Option<&Entry>) {
        let number = ply.number.filter(|number| !number.ellipsis).map_or(String::new(), |number| format!("{number} "));
        let strength = match (ply.strength.as_deref(), next) {
            (Some(strength), _) => match strength.trim_matches(['(', ')']) {
                "*" => "*",
                other if other.starts_with('!') => "!",
                _ => "?",
            },
            (None, Some(Entry::Nag(1))) => "!",
            (None, Some(Entry::Nag(2))) => "?",
            (None, Some(Entry::Nag(7))) => "*",
            (None, _) => "",
        };
        if ply.strength.as_deref().is_some_and(|written| written != strength) {
            self.note(&format!(
                "the strength of {}{} is written as {strength}",
                ply.text,
                ply.strength.as_deref().unwrap_or("")
            ));
        }
        self.token(&format!("{number}{}{strength}", ply.text.replace(':', "x")));
    }

    /// Writes a comment wrapped between its words. Breaks inside a command, or a run of commands, only if it is longer than a line.
    fn comment(&mut self, comment: &str) {
        let line = writer::comment_line(comment);
        let mut words = writer::comment_words(&line).peekable();
        let mut open = "{";
        while let Some(word) = words.next() {
            let close = if words.peek().is_none() { "}" } else { "" };
            let token = format!("{open}{word}{close}");
            open = "";
            if token.chars().count() > MAX_LINE_LEN {
                token.split(' ').for_each(|part| self.token(part));
            } else {
                self.token(&token);
            }
        }
    }

    fn token(&mut self, token: &str) {
        let length = token.chars().count();
        if self.column > 0 {
            if self.column + 1 + length > MAX_LINE_LEN {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(token);
        self.column += length;
    }
}

/// Whether the glyph was written as the strength of the move before it.
fn is_strength_glyph(before: Option<&Entry>, nag: u32) -> bool {
    matches!(before, Some(Entry::Move(ply)) if ply.strength.is_none()) && matches!(nag, 1 | 2 | 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader;

    #[test]
    fn writes_form_of_draft() {
        let text = "[White \"Й [x] é\"] [Result \"2-0\"] [Date \"2007.??.??\"] [GameType \"20\"]\n1. 32-28! 19-23 $7 (1... 18-23?? {\"x\"}) 2. 28x19 $5 *";
        let (games, _) = reader::read(text);
        let (bytes, problems) = write(&games);
        let written: String = bytes.iter().map(|&byte| byte as char).collect();
        let expected = "[Date \"2007-??-??\"]\r\n[White \"? (x) é\"]\r\n[Result \"1-0\"]\r\n\r\n\
            1. 32-28! 19-23* ( 18-23? {\"x\"} ) 2. 28x19 {$5} 1-0\r\n";
        assert_eq!(written, expected);
        assert_eq!(problems.len(), 3, "{problems:?}");
    }

    #[test]
    fn omits_and_reports_game_with_setup() {
        let (games, _) = reader::read("1. 32-28 /FEN \"W:W28:B19\"/ *");
        let (bytes, problems) = write(&games);
        assert!(bytes.is_empty() && problems[0].message.contains("setup"));
    }
}
