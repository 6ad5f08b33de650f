//! Movetext of a game, parsed like the relay's parser.

use crate::problem::quote;
use draughts::Variant;

use super::{MAX_VARIATION_DEPTH, RawProblem, SourceChar, blanks, ends_line, fatal_problem, starts, string};

/// Parser for the movetext of a game that follows the relay.
pub(super) struct Movetext<'a> {
    text: &'a [SourceChar],
    offset: usize,
    variant: &'static Variant,
    /// First move of the main line.
    pub(super) first: Option<String>,
    /// Last move of the main line, with its strength sign.
    last: Option<String>,
    pub(super) has_result: bool,
    problems: &'a mut Vec<RawProblem>,
}

/// Progress within a line of moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MovetextState {
    /// Comments only.
    Start,
    /// Move number at this byte offset; a move must follow.
    Number(usize),
    /// Move with optional glyphs.
    Move,
    /// Comments after the move.
    Comment,
    /// Glyphs after the comments.
    Glyph,
    /// Variations of the move.
    Varied,
    /// Comments after the variations or after the second glyphs.
    Closed,
    /// Result.
    Over,
}

impl<'a> Movetext<'a> {
    pub(super) fn new(
        text: &'a [SourceChar],
        variant: &'static Variant,
        problems: &'a mut Vec<RawProblem>,
    ) -> Movetext<'a> {
        Movetext { text, offset: 0, variant, first: None, last: None, has_result: false, problems }
    }

    pub(super) fn read(&mut self) {
        let mut state = MovetextState::Start;
        let mut outer: Vec<(MovetextState, usize)> = Vec::new();
        loop {
            self.offset = blanks(self.text, self.offset);
            let Some(&(offset, c)) = self.text.get(self.offset) else { break };
            let is_over = state == MovetextState::Over;
            if let Some(length) = self.comment(c) {
                state = match state {
                    MovetextState::Move | MovetextState::Comment => MovetextState::Comment,
                    MovetextState::Glyph | MovetextState::Varied | MovetextState::Closed => MovetextState::Closed,
                    other => other,
                };
                self.offset += length;
                continue;
            }
            if let Some(length) = self.number().filter(|_| !is_over) {
                state = MovetextState::Number(offset);
                self.offset += length;
                continue;
            }
            if let Some((length, squares)) = self.ply().filter(|_| !is_over) {
                if outer.is_empty() {
                    self.check_ply(length, &squares);
                }
                state = MovetextState::Move;
                self.offset += length;
                continue;
            }
            if let MovetextState::Number(at) = state {
                self.report_number_alone(at);
                state = MovetextState::Closed;
                continue;
            }
            if let Some(length) =
                RESULTS.iter().find(|result| starts(&self.text[self.offset..], result)).filter(|_| !is_over)
            {
                self.has_result |= outer.is_empty();
                state = MovetextState::Over;
                self.offset += length.chars().count();
                continue;
            }
            match (c, state) {
                ('$', MovetextState::Move | MovetextState::Comment | MovetextState::Glyph) if self.glyph() > 1 => {
                    state = if state == MovetextState::Move { MovetextState::Move } else { MovetextState::Glyph };
                    self.offset += self.glyph();
                }
                ('(', MovetextState::Move | MovetextState::Comment | MovetextState::Glyph | MovetextState::Varied) => {
                    if outer.len() == MAX_VARIATION_DEPTH {
                        let message = format!("a variation more than {MAX_VARIATION_DEPTH} deep fails the file");
                        fatal_problem(self.problems, offset, message, "it ends the reader's stack");
                    }
                    outer.push((state, offset));
                    state = MovetextState::Start;
                    self.offset += 1;
                }
                (')', _) if !outer.is_empty() => {
                    outer.pop();
                    state = MovetextState::Varied;
                    self.offset += 1;
                }
                _ => state = self.push_problem(state, offset, c),
            }
        }
        self.finish(state, outer.last().map(|(_, at)| *at));
    }

    fn report_number_alone(&mut self, at: usize) {
        let message = "a move number without a move fails the file".to_owned();
        fatal_problem(self.problems, at, message, "numbers stand before moves only");
    }

    fn finish(&mut self, state: MovetextState, open_variation: Option<usize>) {
        if let MovetextState::Number(at) = state {
            self.report_number_alone(at);
        }
        if let Some(at) = open_variation {
            fatal_problem(
                self.problems,
                at,
                "a variation that is not closed fails the file".to_owned(),
                "it ends with )",
            );
        }
        // `1-1` is a move if it stands alone, and a result if it comes last.
        if !self.has_result && self.last.as_deref() == Some("1-1") {
            self.has_result = true;
            self.first = self.first.take().filter(|first| first != "1-1");
        }
    }

    /// Reports unexpected text, skips it, and returns the state to continue with.
    fn push_problem(&mut self, state: MovetextState, offset: usize, c: char) -> MovetextState {
        let rest = &self.text[self.offset..];
        let is_in_word = |(_, c): &&SourceChar| !c.is_whitespace() && !"(){};".contains(*c);
        let length = rest.iter().take_while(is_in_word).count().max(1);
        let word = string(&rest[..length]);
        let is_line_start = self.offset == 0 || self.text[self.offset - 1].1 == '\n';
        let fail = |what: &str| format!("{} {what}fails the file", quote(&word));
        let (what, hint) = match c {
            '[' if is_line_start => (
                format!(
                    "{}: no empty line before this game, it is taken for a part of the one before; that fails the file",
                    quote(&word)
                ),
                "the line between games is truly empty",
            ),
            '[' => (fail("in the movetext "), "tags stand in lines of their own, before the moves"),
            '{' => ("a comment that is not closed fails the file".to_owned(), "it ends with }"),
            ';' => ("`;` without a comment fails the file".to_owned(), "comments stand in braces"),
            '/' => (fail("as a setup "), "explicit squares, no -, ?, dots or blanks: /FEN \"W:W31,K40:B1,2\"/"),
            ')' => ("`)` without `(` fails the file".to_owned(), ""),
            '(' => ("a variation here fails the file".to_owned(), "it follows its move, its glyphs and comments"),
            '!' | '?' => (fail("on its own "), "a strength stands right behind its move, two signs at most"),
            '$' => (fail("here "), "a glyph follows its move, before any variation"),
            _ if state == MovetextState::Over => {
                (fail("behind the end of the game "), "write one terminator, at the very end")
            }
            '-' | '\u{feff}' => (fail(""), "each game is squares with - x or : between them"),
            _ if word == "0-0" => (fail("in the movetext "), "write *; the tag may say 0-0"),
            _ => (fail(""), "moves are written 32-28, 28x19 or 19:28, the end of a game *"),
        };
        fatal_problem(self.problems, offset, what, hint);
        // An unclosed comment or a game inside this one takes the rest of the text; a setup ends at its slash.
        self.offset = match c {
            '{' => self.text.len(),
            '[' if is_line_start => self.text.len(),
            '/' => self.offset + rest.iter().skip(1).take(400).position(|(_, c)| *c == '/').map_or(length, |at| at + 2),
            _ => self.offset + length,
        };
        if state == MovetextState::Over { MovetextState::Closed } else { state }
    }

    /// Returns the length of the comment at the current offset.
    fn comment(&self, c: char) -> Option<usize> {
        let rest = &self.text[self.offset..];
        match c {
            '{' => rest.iter().position(|(_, c)| *c == '}').map(|at| at + 1),
            ';' => {
                // The text of the comment may start on the next line.
                let begins = blanks(rest, 1);
                let length = rest[begins..].iter().take_while(|(_, c)| !ends_line(*c)).count();
                (length > 0).then_some(begins + length)
            }
            '/' if starts(rest, "/FEN \"") => {
                let begins = blanks(rest, "/FEN \"".len());
                let is_part = |(_, c): &&SourceChar| c.is_ascii_alphanumeric() || "_:,".contains(*c);
                let ends = blanks(rest, begins + rest[begins..].iter().take_while(is_part).count());
                starts(&rest[ends..], "\"/").then_some(ends + 2)
            }
            _ => None,
        }
    }

    /// Returns the length of the move number at the current offset: `12.`, `12...`, without a leading zero.
    fn number(&self) -> Option<usize> {
        let rest = &self.text[self.offset..];
        let digits = rest.iter().take_while(|(_, c)| c.is_ascii_digit()).count();
        let dots = rest[digits..].iter().take_while(|(_, c)| *c == '.').count();
        (digits > 0 && dots > 0 && rest[0].1 != '0').then_some(digits + dots)
    }

    /// Returns the length of the glyph at the current offset, including its `$`.
    fn glyph(&self) -> usize {
        1 + self.text[self.offset + 1..].iter().take_while(|(_, c)| c.is_ascii_digit()).count()
    }

    /// Returns the length of the move at the current offset, and its squares. No separator between moves is necessary.
    fn ply(&self) -> Option<(usize, Vec<String>)> {
        let rest = &self.text[self.offset..];
        let char_at = |at: usize| rest.get(at).map(|(_, c)| *c);
        let square_at = |at: usize| {
            let length = square(char_at(at)?, char_at(at + 1))?;
            Some((at + length, string(&rest[at..at + length])))
        };
        let (mut end, first) = square_at(0)?;
        let mut squares = vec![first];
        while let Some('-' | 'x' | ':') = char_at(end).filter(|c| *c != '-' || squares.len() == 1)
            && let Some((after, square)) = square_at(end + 1)
        {
            squares.push(square);
            end = after;
        }
        let strength = rest[end..].iter().take(2).take_while(|(_, c)| "?!\u{25a1}\u{2a00}".contains(*c)).count();
        (squares.len() > 1).then_some((end + strength, squares))
    }

    /// Checks that a move of the main line is complete and fits the board of its game.
    fn check_ply(&mut self, length: usize, squares: &[String]) {
        let word = string(&self.text[self.offset..self.offset + length]);
        let offset = self.text[self.offset].0;
        let is_step = self.text[self.offset + squares[0].chars().count()].1 == '-';
        let is_on_board = |square: &String| match square.parse::<usize>() {
            Ok(number) => number <= self.variant.geometry.count(),
            Err(_) => {
                let dark = square.bytes().fold(0, |sum, byte| sum + u32::from(byte)) % 2 == 0;
                dark && self.variant.geometry.count() == 32
            }
        };
        if is_step && squares.len() > 2 {
            fatal_problem(
                self.problems,
                offset,
                format!("{} fails the file", quote(&word)),
                "only captures have more than two squares",
            );
        } else if !squares.iter().all(is_on_board) {
            let message = format!("{} names squares that the board does not have; that fails the file", quote(&word));
            fatal_problem(
                self.problems,
                offset,
                message,
                "its boards have the squares 1 to 50, or 1 to 32 and a1 to h8",
            );
        } else if self.first.is_none() {
            self.first = Some(word.trim_end_matches(['?', '!', '\u{25a1}', '\u{2a00}']).to_owned());
        }
        self.last = Some(word);
    }
}

/// Results that end a game for the relay.
const RESULTS: [&str; 9] = ["*", "1/2-1/2", "½-½", "0.5-0.5", "1-1", "0-1", "0-2", "1-0", "2-0"];

/// Returns the length of a square that starts with these characters.
fn square(first: char, second: Option<char>) -> Option<usize> {
    match (first, second) {
        ('5', Some('0')) | ('1'..='4', Some('0'..='9')) | ('0', Some('1'..='9')) | ('a'..='h', Some('1'..='8')) => {
            Some(2)
        }
        ('1'..='9', _) => Some(1),
        _ => None,
    }
}
