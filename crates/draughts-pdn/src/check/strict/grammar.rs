//! The writing grammar of PDN 3.0, token by token, with restrictions 1 to 5.

use std::collections::BTreeSet;

use super::super::fen_form::{check_fen, is_fen};
use crate::lexer::{Token, TokenFlaw, TokenKind};
use crate::notation;
use crate::problem::{Location, Problem, Problems, quote};
use crate::syntax::{Event, Names};
use crate::tag::{self, TagFlaw};
use crate::words::Word;

/// Checker for the writing grammar.
#[derive(Default, Debug)]
pub(super) struct Grammar {
    pub(super) problems: Problems,
    /// Places of problems in the current game, as many as are stored.
    problem_locations: BTreeSet<Location>,
    part: Part,
    /// Names of the tags of the header.
    names: Names,
    /// For each open variation: whether it contains anything.
    variations: Vec<bool>,
    /// Number of variations deeper than [`MAX_VARIATION_DEPTH`].
    excess_depth: u64,
    number: Option<Location>,
    /// Kind of the last token: whether it was a move or its strength.
    is_after_move: PrecedingToken,
}

/// Maximum depth of variations checked for emptiness; one byte each.
const MAX_VARIATION_DEPTH: usize = 1_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Part {
    /// Before the first tag or move of a game.
    #[default]
    Nothing,
    Tags,
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum PrecedingToken {
    #[default]
    Other,
    Move,
    Strength,
}

impl Grammar {
    pub(super) fn error(&mut self, place: Location, message: impl Into<String>, hint: impl Into<String>) {
        self.refuse(place);
        self.problems.push(Problem::error(place, message).with_hint(hint));
    }

    /// Returns the places of problems up to this end of a game, and forgets those before it.
    pub(super) fn take_refused(&mut self, end: Location) -> BTreeSet<Location> {
        if self.problem_locations.is_empty() {
            return BTreeSet::new();
        }
        let later = self.problem_locations.split_off(&end);
        let mut refused = std::mem::replace(&mut self.problem_locations, later);
        if self.problem_locations.contains(&end) {
            refused.insert(end);
        }
        refused
    }

    /// Handles what a tag at this place ends. Another call at the same place has no effect.
    pub(super) fn before_tag(&mut self, place: Location) {
        if let Some(number) = self.number.take() {
            self.error(number, "a move number without a move", "MOVENUMBER stands before a move only");
        }
        if self.part == Part::Body {
            self.error(place, "a tag behind movetext", "games are separated by *");
            self.end_game(place);
        }
    }

    fn refuse(&mut self, place: Location) {
        if self.problem_locations.len() < Problems::MAX_COUNT {
            self.problem_locations.insert(place);
        }
    }

    pub(super) fn token(&mut self, token: &Token<'_>) {
        let place = token.location;
        let after = std::mem::take(&mut self.is_after_move);
        if token.flaw == Some(TokenFlaw::TooLong) {
            self.error(place, "a token without measure", "longer than any reader takes");
        }
        // An ellipsis or an unknown move after a number has its own problem message.
        let may_follow_number = matches!(token.kind, TokenKind::Word(Word::Move | Word::Ellipsis | Word::Unknown));
        if !may_follow_number
            && token.kind != TokenKind::PercentLine
            && let Some(number) = self.number.take()
        {
            self.error(number, "a move number without a move", "MOVENUMBER stands before a move only");
        }
        match token.kind {
            TokenKind::PercentLine => self.is_after_move = after,
            TokenKind::Tag => self.tag(token),
            TokenKind::Comment => {
                if token.flaw == Some(TokenFlaw::Unclosed) {
                    self.error(place, "the comment is not closed", "it ends with }");
                }
                self.entry();
            }
            TokenKind::LineComment => {
                self.error(place, "a comment that begins with ;", "comments stand in braces");
                self.entry();
            }
            TokenKind::Setup => {
                self.setup(token);
                self.entry();
            }
            TokenKind::Open => self.open(),
            TokenKind::Close => self.close(place),
            TokenKind::Word(word) => self.word(word, token, after),
        }
    }

    /// Handles a token in plain form by its event.
    #[inline]
    pub(super) fn plain(&mut self, place: Location, event: &Event<'_>) {
        self.is_after_move = PrecedingToken::Other;
        match event {
            Event::Move(written) => {
                let is_separator = |byte: &u8| matches!(byte, b'-' | b'x' | b':');
                if written.text.bytes().filter(is_separator).count() > 1 {
                    self.move_text(place, written.text);
                }
                self.entry();
                let is_strong = written.strength.is_some();
                self.is_after_move = if is_strong { PrecedingToken::Strength } else { PrecedingToken::Move };
            }
            Event::Tag { name, .. } => {
                self.before_tag(place);
                self.tag_name(name);
            }
            Event::Open => self.open(),
            Event::Close => self.close(place),
            Event::GameEnd(_) => self.separator(place),
            Event::Problem(_) => {}
            _ => self.entry(),
        }
    }

    fn open(&mut self) {
        self.entry();
        if self.variations.len() < MAX_VARIATION_DEPTH {
            self.variations.push(false);
        } else {
            self.excess_depth += 1;
        }
    }

    fn close(&mut self, place: Location) {
        if self.excess_depth > 0 {
            self.excess_depth -= 1;
            return;
        }
        match self.variations.pop() {
            None => self.error(place, "`)` without `(`", "variations are balanced"),
            Some(false) => self.error(place, "a variation with nothing in it", "GameBody is not empty"),
            Some(true) => {}
        }
    }

    fn tag_name(&mut self, name: &str) {
        if self.part == Part::Nothing {
            self.names.clear();
        }
        self.names.push(name);
        self.part = Part::Tags;
    }

    fn word(&mut self, word: Word, token: &Token<'_>, after: PrecedingToken) {
        let (place, text) = (token.location, token.text);
        match word {
            Word::Number => {
                if !matches!(text.trim_start_matches(|c: char| c.is_ascii_digit()), "." | "...") {
                    self.error(place, format!("the number {}", quote(text)), "a number has one dot or three");
                }
                self.number = Some(place);
            }
            Word::Move => {
                self.number = None;
                self.move_text(place, text);
                self.entry();
                self.is_after_move = PrecedingToken::Move;
            }
            Word::Strength => match after {
                PrecedingToken::Move if !token.has_space_before => self.is_after_move = PrecedingToken::Strength,
                PrecedingToken::Move => {
                    let message = format!("a blank before the strength {}", quote(text));
                    self.error(place, message, "restriction 2: no spaces between a move and its strength");
                }
                PrecedingToken::Other | PrecedingToken::Strength => {
                    self.error(place, format!("the strength {} behind no move", quote(text)), "use a glyph, $1 to $6");
                }
            },
            Word::Nag => self.entry(),
            Word::Star if after != PrecedingToken::Other && !token.has_space_before => {
                self.error(place, "`*` as a strength", "restriction 3: write $7");
                self.is_after_move = PrecedingToken::Strength;
            }
            Word::Star => self.separator(place),
            Word::Result => {
                let message = format!("the result {} ends the game", quote(text));
                self.error(place, message, "restriction 4: only * does; the result stands in its tag");
                self.separator(place);
            }
            Word::Ellipsis => {
                self.number = None;
                self.error(place, "an ellipsis", "three dots follow a number without a blank: 1... 7-12");
            }
            Word::Unknown => {
                self.number = None;
                self.error(place, "an unknown move", "a null move is written /FEN \"B::\"/");
                self.entry();
            }
            Word::Captured => {
                self.error(place, format!("captured squares {}", quote(text)), "a proposal for 3.1, not in 3.0");
            }
            Word::Junk => {
                let hint = match text {
                    "}" => "comments do not nest: the first `}` ends the comment",
                    "." => "a dot stands behind a number only",
                    _ => "no token begins so",
                };
                self.error(place, format!("{} is not PDN", quote(text)), hint);
            }
        }
    }

    /// Checks restrictions 1 and 5, and the form of a move.
    fn move_text(&mut self, place: Location, text: &str) {
        let what = |what: &str| format!("{what} in {}", quote(text));
        if text.contains(char::is_whitespace) {
            self.error(place, what("a blank"), "restriction 1: no spaces in a move");
        }
        let mut squares = text.split(|c: char| !c.is_ascii_alphanumeric() || matches!(c, 'x' | 'X'));
        if squares.any(|square| square.starts_with('0')) {
            self.error(place, what("a leading zero"), "restriction 5: no leading zeros");
        }
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let without_zeros: Vec<&str> =
            compact.split_inclusive(['-', 'x', ':', 'X']).map(|part| part.trim_start_matches('0')).collect();
        if !notation::is_move(without_zeros.concat().as_bytes()) {
            self.error(
                place,
                format!("{} is no move of the standard", quote(text)),
                "squares with one kind of separator: 32-28, 28x19, c3-d4",
            );
        }
    }

    fn tag(&mut self, token: &Token<'_>) {
        let place = token.location;
        self.before_tag(place);
        let parts = tag::parts(token.text);
        if self.part == Part::Tags && token.is_after_empty_line && self.names.contains(&parts.name) {
            self.error(place, "a second header", "games are separated by *");
        }
        self.tag_name(&parts.name);
        let name = quote(&parts.name);
        if token.text.trim_end_matches(']').trim_end().ends_with("\\\"") {
            self.error(
                place,
                format!("a backslash ends the value of {name}"),
                "it makes the quote behind it a part of the value",
            );
        }
        for flaw in parts.flaws {
            match flaw {
                TagFlaw::Name => {
                    self.error(place, format!("the tag's name {name}"), "letters, digits and _, a capital first")
                }
                TagFlaw::NoValue => self.error(place, format!("the tag {name} has no value"), "[Name \"value\"]"),
                TagFlaw::BareQuote => {
                    self.error(place, format!("a quote in the value of {name}"), "it is written \\\"")
                }
                TagFlaw::Unclosed => self.error(place, format!("the tag {name} is not closed"), "[Name \"value\"]"),
                TagFlaw::Unopened => self.error(place, format!("the tag {name} has lost its `[`"), "[Name \"value\"]"),
                TagFlaw::LineBreak => {
                    let message = format!("the value of {name} has a line break");
                    self.refuse(place);
                    self.problems.push(Problem::warning(place, message).with_hint("no reader expects that"));
                }
            }
        }
    }

    fn setup(&mut self, token: &Token<'_>) {
        let inner = token.text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
        let fen = inner
            .and_then(|inner| inner.strip_prefix("FEN "))
            .and_then(|value| value.trim().strip_prefix('"'))
            .and_then(|value| value.strip_suffix('"'));
        match fen {
            None => self.error(token.location, format!("the setup {}", quote(token.text)), "/FEN \"...\"/"),
            Some(fen) if !is_fen(fen) => {
                self.refuse(token.location);
                check_fen(fen, token.location, &mut self.problems);
            }
            Some(_) => {}
        }
    }

    /// Handles an element of the body.
    fn entry(&mut self) {
        self.part = Part::Body;
        if let Some(holds) = self.variations.last_mut() {
            *holds = true;
        }
    }

    fn separator(&mut self, place: Location) {
        if self.part == Part::Nothing {
            self.error(place, "a separator without a game before it", "a game is not empty");
        }
        self.end_game(place);
    }

    fn end_game(&mut self, place: Location) {
        if !self.variations.is_empty() {
            self.error(place, "a variation is not closed", "variations are balanced");
        }
        self.variations.clear();
        self.excess_depth = 0;
        self.part = Part::Nothing;
    }

    pub(super) fn finish(&mut self, place: Location) {
        if let Some(number) = self.number.take() {
            self.error(number, "a move number without a move", "MOVENUMBER stands before a move only");
        }
        self.end_game(place);
    }
}
