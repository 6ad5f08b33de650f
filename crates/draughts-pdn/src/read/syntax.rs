//! Turns tokens into events of a file of games, by the reading grammar of the standard and of every known dialect, in constant memory.
//!
//! ```text
//! bytes ──▸ encoding ──┬─▸ lexer ──▸ Syntax ──▸ Tag Tag Move Comment Open Move Close Move GameEnd  Tag Tag ...
//!                      └──▸ plain ─────┘└────▸ Problem
//! ```
//!
//! Decisions of the grammar:
//!
//! | question | answer |
//! |---|---|
//! | end of a game? | at a terminator; at a tag after movetext; at the end of the text |
//! | end of a game without movetext or terminator? | where, after an empty line, a tag of its header is repeated |
//! | `32-28*` | a forced move, unless only a tag or the end follows: then the `*` ends the game |
//! | `4-6` before a tag | a result if the game's Result tag says the same |
//! | `1. ... 7-12` | `1... 7-12` |
//! | a terminator inside a variation | ignored if the variation continues to its end, otherwise the end of the game |
//! | `)` without `(` | ignored; a `(` without `)` is closed by the end of the game |
//!
//! Nothing recurses: the depth of variations is a number. [`crate::replay`] checks whether moves are legal.
//!
//! Sources: PDN 3.0, chapters "PDN Grammars" (reading grammar) and "PDN parsing issues"; PDN 2.0 draft, chapter 6.

use std::borrow::Cow;

use memchr::{memchr2, memchr2_iter};

use super::lexer::{MAX_TOKEN_LEN, Token, TokenFlaw, TokenKind};
use super::problem::{Location, Problem, ProblemKind, quote};
use super::words::Word;
use crate::game::{MoveEntry, MoveNumber, MoveText, Termination, UNKNOWN};
use crate::tag::{self, TagFlaw};
use crate::tag_values::Outcome;

/// Element of a text.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A tag of the game that follows.
    Tag {
        /// Name, as written.
        name: &'a str,
        /// Value, escapes resolved.
        value: &'a str,
    },
    /// A move.
    Move(WrittenMove<'a>),
    /// The FEN of a setup.
    Setup(&'a str),
    /// A comment, as stored in [`crate::game::Entry::Comment`].
    Comment(&'a str),
    /// A numeric annotation glyph.
    Nag(u32),
    /// Start of a variation.
    Open,
    /// End of a variation. Starts and ends balance.
    Close,
    /// End of a game.
    GameEnd(Termination),
    /// A problem. The place of the event is the problem's.
    Problem(Problem),
}

/// A move as written, with the fields of [`MoveEntry`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenMove<'a> {
    /// Number before the move.
    pub number: Option<MoveNumber>,
    /// The move, or [`UNKNOWN`]; without blanks.
    pub text: &'a str,
    /// Strength after the move.
    pub strength: Option<&'a str>,
    /// Captured squares that the 3.1 proposal adds.
    pub captured: Option<&'a str>,
}

impl From<WrittenMove<'_>> for MoveEntry {
    #[inline]
    fn from(written: WrittenMove<'_>) -> MoveEntry {
        let WrittenMove { number, text, strength, captured } = written;
        MoveEntry { number, text: text.into(), strength: strength.map(Into::into), captured: captured.map(Into::into) }
    }
}

/// State of the grammar between two tokens.
#[derive(Clone, Debug, Default)]
pub struct Syntax {
    pub(super) game: GameState,
    pub(super) depth: u64,
    pub(super) number: Option<(MoveNumber, Location)>,
    /// Last move, as long as following text may belong to it.
    pending_move: PendingMove,
    /// Terminator inside a variation, ignored if the variation ends next.
    pending_end: Option<(Termination, Location)>,
    /// Last line that contained an escape for a line break as text.
    escape_line: Option<u64>,
}

/// The game as read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct GameState {
    pub tags: bool,
    /// Whether there were moves, setups or variations, after which no tag can follow in the same game.
    pub body: bool,
    pub comments: bool,
    result: Option<String>,
    names: Names,
    /// Buffer of an earlier result, reused for its allocation.
    spare_buffer: String,
}

/// Names of the tags of a header, up to a length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(String);

impl Names {
    /// Longer than the tag names of any real header.
    const MAX_NAMES_LEN: usize = 4096;

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.split_terminator('\n').any(|known| known == name)
    }

    pub(crate) fn push(&mut self, name: &str) {
        if self.0.len() + name.len() < Names::MAX_NAMES_LEN {
            self.0.push_str(name);
            self.0.push('\n');
        }
    }
}

impl GameState {
    /// Handles a tag of the game.
    pub fn on_tag(&mut self, name: &str, value: &str) {
        self.tags = true;
        self.names.push(name);
        if name == "Result" {
            // Longer than any result.
            let end = value.char_indices().nth(32).map_or(value.len(), |(at, _)| at);
            let mut previous = self.result.take().unwrap_or_else(|| std::mem::take(&mut self.spare_buffer));
            previous.clear();
            previous.push_str(&value[..end]);
            self.result = Some(previous);
        }
    }

    /// Whether the header has a tag with this name.
    pub fn has_tag(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn is_empty(&self) -> bool {
        !self.tags && !self.body && !self.comments
    }

    fn clear(&mut self) {
        let (mut names, spare) = (std::mem::take(&mut self.names), std::mem::take(&mut self.spare_buffer));
        names.clear();
        let spare = self.result.take().unwrap_or(spare);
        *self = GameState { names, spare_buffer: spare, ..GameState::default() };
    }
}

#[derive(Clone, Debug)]
struct PendingMove {
    is_held: bool,
    location: Location,
    ply: MoveEntry,
    /// Place of a `*` that directly follows the move as its strength.
    star: Option<Location>,
}

impl Default for PendingMove {
    fn default() -> PendingMove {
        PendingMove { is_held: false, location: Location::START, ply: MoveEntry::new(""), star: None }
    }
}

/// Receiver of the events.
pub type Sink<'s> = dyn FnMut(Location, Event<'_>) + 's;

impl Syntax {
    /// Handles the next token.
    pub fn token(&mut self, token: &Token<'_>, sink: &mut Sink<'_>) {
        self.report_flaw(token, sink);
        if let Some((end, place)) = self.pending_end.take() {
            if token.kind == TokenKind::Close {
                let message = "a terminator inside a variation is ignored";
                problem(sink, Problem::warning(place, message).with_hint("a variation ends with its parenthesis"));
            } else {
                self.end_game(end, place, sink);
            }
        }
        match token.kind {
            TokenKind::PercentLine => {
                let found = if token.location.column > 1 {
                    Problem::note(token.location, "a comment that begins with % behind the start of its line")
                } else {
                    let message = format!("the line {}", quote(token.text));
                    Problem::note(token.location, message)
                        .with_hint("a remark for programs, no part of a game: it is not kept")
                };
                problem(sink, found);
            }
            TokenKind::Tag => self.tag(token, sink),
            TokenKind::Comment => {
                self.flush(sink);
                self.game.comments = true;
                let inner = token.text.strip_prefix('{').unwrap_or(token.text);
                sink(token.location, Event::Comment(&one_line(inner.strip_suffix('}').unwrap_or(inner))));
            }
            TokenKind::LineComment => {
                self.flush(sink);
                self.game.comments = true;
                sink(token.location, Event::Comment(&one_line(token.text.trim_start_matches(';'))));
            }
            TokenKind::Setup => {
                self.begin_entry(sink);
                sink(token.location, Event::Setup(setup_fen(token.text)));
            }
            TokenKind::Open => {
                self.drop_number(sink);
                self.begin_entry(sink);
                self.depth += 1;
                sink(token.location, Event::Open);
            }
            TokenKind::Close => {
                self.flush(sink);
                self.drop_number(sink);
                if self.depth == 0 {
                    problem(sink, Problem::warning(token.location, "`)` without `(` is ignored"));
                } else {
                    self.depth -= 1;
                    sink(token.location, Event::Close);
                }
            }
            TokenKind::Word(word) => self.word(word, token, sink),
        }
    }

    /// Whether no pending element could be changed by the next token.
    pub(super) fn is_settled(&self) -> bool {
        !self.pending_move.is_held && self.pending_end.is_none()
    }

    /// Ends the text at this place.
    pub fn finish(&mut self, place: Location, sink: &mut Sink<'_>) {
        if let Some((end, place)) = self.pending_end.take() {
            self.end_game(end, place, sink);
        }
        self.end_of_text(place, sink);
    }

    fn word(&mut self, word: Word, token: &Token<'_>, sink: &mut Sink<'_>) {
        let place = token.location;
        match word {
            Word::Number => {
                self.flush(sink);
                self.drop_number(sink);
                self.number = Some((number(token.text), place));
            }
            Word::Ellipsis => {
                self.flush(sink);
                match &mut self.number {
                    Some((number, _)) if !number.ellipsis => number.ellipsis = true,
                    _ => self.set_pending(UNKNOWN, place, sink),
                }
            }
            Word::Move => self.set_pending(token.text, place, sink),
            Word::Unknown => self.set_pending(UNKNOWN, place, sink),
            Word::Strength => self.strength(token, sink),
            Word::Captured => {
                if self.pending_move.is_held {
                    let inner = token.text.trim_matches(['<', '>']);
                    self.pending_move.ply.captured = Some(without_blanks(inner));
                } else {
                    let message = format!("{} stands behind no move and is ignored", quote(token.text));
                    problem(sink, Problem::warning(place, message));
                }
            }
            Word::Nag => {
                self.begin_entry(sink);
                sink(place, Event::Nag(token.text[1..].parse().unwrap_or(0)));
            }
            Word::Star if self.pending_move.is_held && !token.has_space_before => {
                self.add_strength("*");
                self.pending_move.star = Some(place);
            }
            Word::Star => self.terminator(Termination::Star, place, sink),
            Word::Result => {
                self.terminator(
                    Termination::Result(token.text.split_whitespace().collect::<Vec<_>>().join(" ")),
                    place,
                    sink,
                );
            }
            Word::Junk => self.junk(token, sink),
        }
    }

    /// Completes the text before a tag; ends the game if it has begun. Another call at the same place has no effect.
    pub(super) fn before_tag(&mut self, place: Location, sink: &mut Sink<'_>) {
        if let Some((end, place)) = self.pending_end.take() {
            self.end_game(end, place, sink);
        }
        self.resolve_result();
        self.flush(sink);
        if self.game.body {
            self.end_game(Termination::Open, place, sink);
        }
        self.drop_number(sink);
    }

    /// Whether nothing of a game was read since the end of the last one.
    pub(super) fn is_between_games(&self) -> bool {
        self.is_settled() && self.game.is_empty() && self.depth == 0 && self.number.is_none()
    }

    fn tag(&mut self, token: &Token<'_>, sink: &mut Sink<'_>) {
        if let Some(inner) = token.text.strip_prefix("[%") {
            let message = format!("the command {} stands outside a comment", quote(token.text));
            problem(sink, Problem::warning(token.location, message).with_hint("read as a comment"));
            self.flush(sink);
            self.game.comments = true;
            sink(token.location, Event::Comment(&format!("[%{}", one_line(inner))));
            return;
        }
        self.before_tag(token.location, sink);
        let parts = tag::parts(token.text);
        if token.is_after_empty_line && self.game.has_tag(&parts.name) {
            self.end_game(Termination::Open, token.location, sink);
        }
        if parts.name.is_empty() && parts.value.is_empty() {
            problem(sink, Problem::error(token.location, format!("{} is not a tag", quote(token.text))));
            return;
        }
        for flaw in &parts.flaws {
            if let Some(found) = tag_problem(*flaw, token, &parts.name) {
                problem(sink, found);
            }
        }
        self.game.on_tag(&parts.name, &parts.value);
        sink(token.location, Event::Tag { name: &parts.name, value: &parts.value });
    }

    /// Stores a move until it is clear which text belongs to it.
    fn set_pending(&mut self, text: &str, place: Location, sink: &mut Sink<'_>) {
        self.begin_entry(sink);
        let number = self.number.take().map(|(number, _)| number);
        let is_tight = text.bytes().all(|byte| byte.is_ascii_graphic());
        let text = if is_tight { text.into() } else { without_blanks(text) };
        let ply = MoveEntry { number, ..MoveEntry::new(text) };
        self.pending_move = PendingMove { is_held: true, location: place, ply, star: None };
    }

    fn add_strength(&mut self, strength: &str) {
        let ply = &mut self.pending_move.ply;
        match &mut ply.strength {
            Some(known) if known.len() < 16 => *known = MoveText::concat(&[known, strength]),
            Some(_) => {}
            None => ply.strength = Some(strength.into()),
        }
    }

    fn strength(&mut self, token: &Token<'_>, sink: &mut Sink<'_>) {
        if self.pending_move.is_held && self.pending_move.ply.strength.is_none() {
            self.add_strength(&token.text[..token.text.len().min(16)]);
        } else if let Some(nag) = nag_of(token.text) {
            self.begin_entry(sink);
            sink(token.location, Event::Nag(nag));
        } else {
            let message = format!("the strength {} stands behind no move and is ignored", quote(token.text));
            problem(sink, Problem::warning(token.location, message));
        }
    }

    fn junk(&mut self, token: &Token<'_>, sink: &mut Sink<'_>) {
        let text = token.text;
        if matches!(text, "\\r" | "\\n" | "\\r\\n") {
            // Some programs write such an escape after every tag: report it once per line.
            if self.escape_line.replace(token.location.line) == Some(token.location.line) {
                return;
            }
            let message = format!("{} as text", quote(text));
            problem(
                sink,
                Problem::warning(token.location, message)
                    .with_hint("a program has written an escape for a line break; ignored"),
            );
            return;
        }
        self.flush(sink);
        let found = Problem::error(token.location, format!("{} is not PDN", quote(text)));
        problem(
            sink,
            match text {
                "}" => found.with_hint("comments do not nest: the first `}` ends the comment"),
                "]" => found.with_hint("there is no tag to end"),
                "/" => found.with_hint("a setup is written /FEN \"...\"/"),
                "." => found.with_hint("a dot stands behind a number only"),
                _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    found.with_hint("a move names two squares, and a move number has a dot behind it")
                }
                _ => found,
            },
        );
    }

    fn terminator(&mut self, end: Termination, place: Location, sink: &mut Sink<'_>) {
        self.flush(sink);
        if self.depth > 0 {
            self.pending_end = Some((end, place));
        } else {
            self.end_game(end, place, sink);
        }
    }

    /// Ends the game, if there is one.
    pub(super) fn end_game(&mut self, end: Termination, place: Location, sink: &mut Sink<'_>) {
        self.flush(sink);
        self.number = None;
        if self.depth > 0 {
            let message = match self.depth {
                1 => "a variation is not closed before the end of the game".to_owned(),
                depth => format!("{depth} variations are not closed before the end of the game"),
            };
            problem(sink, Problem::error(place, message));
            // One event for each open variation: each was also an event when it opened.
            for _ in 0..std::mem::take(&mut self.depth) {
                sink(place, Event::Close);
            }
        }
        if let (Termination::Result(ended), Some(tagged)) = (&end, &self.game.result)
            && contradicts(tagged, ended)
        {
            let message = format!("the Result tag says {}, the end of the game {}", quote(tagged), quote(ended));
            problem(sink, Problem::warning(place, message).with_hint("the tag counts"));
        }
        let is_empty = self.game.is_empty();
        self.game.clear();
        if is_empty {
            if end != Termination::Open {
                problem(sink, Problem::note(place, "a terminator without a game is ignored"));
            }
            return;
        }
        sink(place, Event::GameEnd(end));
    }

    fn end_of_text(&mut self, place: Location, sink: &mut Sink<'_>) {
        self.resolve_result();
        self.end_game(Termination::Open, place, sink);
    }

    /// Ends a game without a terminator, whose last word may have been one.
    fn resolve_result(&mut self) {
        if !self.pending_move.is_held || self.depth > 0 {
            return;
        }
        let says_result =
            self.game.result.as_ref().is_some_and(|result| self.pending_move.ply.text == result.replace(' ', ""));
        if says_result && self.pending_move.ply.strength.is_none() {
            self.pending_move.is_held = false;
            self.pending_end =
                Some((Termination::Result(self.pending_move.ply.text.to_string()), self.pending_move.location));
        } else if let Some(place) = self.pending_move.star.take() {
            let strength = self.pending_move.ply.strength.take();
            let rest = strength.as_deref().and_then(|strength| strength.strip_suffix('*'));
            self.pending_move.ply.strength = rest.filter(|rest| !rest.is_empty()).map(Into::into);
            self.pending_end = Some((Termination::Star, place));
        }
    }

    /// Begins an element of the body, which completes the last move.
    fn begin_entry(&mut self, sink: &mut Sink<'_>) {
        self.flush(sink);
        self.game.body = true;
    }

    fn flush(&mut self, sink: &mut Sink<'_>) {
        if std::mem::take(&mut self.pending_move.is_held) {
            let MoveEntry { number, text, strength, captured } = &self.pending_move.ply;
            let (strength, captured) = (strength.as_deref(), captured.as_deref());
            sink(self.pending_move.location, Event::Move(WrittenMove { number: *number, text, strength, captured }));
        }
        if let Some((end, place)) = self.pending_end.take() {
            self.end_game(end, place, sink);
        }
    }

    fn drop_number(&mut self, sink: &mut Sink<'_>) {
        if let Some((number, place)) = self.number.take() {
            problem(sink, Problem::note(place, format!("the number {number} stands before no move")));
        }
    }

    fn report_flaw(&self, token: &Token<'_>, sink: &mut Sink<'_>) {
        let place = token.location;
        let found = match (token.kind, token.flaw) {
            (_, None) => return,
            (TokenKind::Comment, Some(TokenFlaw::Unclosed)) => {
                Problem::error(place, "the comment is not closed").with_hint("the rest of the text is taken as comment")
            }
            (TokenKind::Setup, Some(TokenFlaw::Unclosed)) => {
                Problem::error(place, "the setup is not closed").with_hint("it is written /FEN \"...\"/")
            }
            (TokenKind::Tag, Some(TokenFlaw::Unclosed)) => return,
            (_, Some(TokenFlaw::Unclosed)) => Problem::error(place, "not closed"),
            (kind, Some(TokenFlaw::TooLong)) => {
                let kind_name = if kind == TokenKind::Tag { "tag" } else { "comment" };
                Problem::error(place, format!("the {kind_name} is longer than {} kB", MAX_TOKEN_LEN / 1024))
                    .with_hint("the rest of it is skipped")
            }
        };
        problem(sink, found);
    }
}

/// Whether a known result in a Result tag contradicts the end of the game.
pub(crate) fn contradicts(tagged: &str, ended: &str) -> bool {
    let (tagged, ended) = (Outcome::parse(tagged), Outcome::parse(ended));
    tagged != ended && tagged != Some(Outcome::Open)
}

fn without_blanks(text: &str) -> MoveText {
    text.split_whitespace().collect::<String>().into()
}

fn problem(sink: &mut Sink<'_>, problem: Problem) {
    sink(problem.location, Event::Problem(problem));
}

fn tag_problem(flaw: TagFlaw, token: &Token<'_>, name: &str) -> Option<Problem> {
    let (place, name) = (token.location, quote(name));
    Some(match flaw {
        // The lexer reports this with a better reason.
        TagFlaw::Unclosed if token.flaw == Some(TokenFlaw::TooLong) => return None,
        TagFlaw::Name => Problem::warning(place, format!("the tag's name {name} is not a name"))
            .with_hint("names are letters, digits and `_` and begin with a capital"),
        TagFlaw::NoValue => Problem::warning(place, format!("the tag {name} has no value")),
        TagFlaw::BareQuote => Problem::warning(place, format!("a quote in the value of {name}"))
            .with_hint("inside a value it is written \\\""),
        TagFlaw::Unclosed => Problem::warning(place, format!("the tag {name} is not closed"))
            .with_hint("its end is guessed")
            .with_kind(ProblemKind::Unclosed),
        TagFlaw::Unopened => {
            Problem::error(place, format!("the tag {name} has lost its `[`")).with_hint("read as a tag")
        }
        TagFlaw::LineBreak => {
            Problem::note(place, format!("the value of {name} has a line break")).with_kind(ProblemKind::LineBreak)
        }
    })
}

/// Parses the number before a move.
fn number(text: &str) -> MoveNumber {
    let digits = text.trim_end_matches(['.', '…']);
    let ellipsis = text.len() > digits.len() + 1;
    MoveNumber { value: digits.parse().unwrap_or(0), ellipsis }
}

/// Returns the FEN of `/FEN "..."/`; the word and the quotes are optional.
fn setup_fen(text: &str) -> &str {
    let inner = text.trim_matches('/').trim();
    let value = match inner.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("FEN") => &inner[3..],
        _ => inner,
    };
    value.trim().trim_matches('"').trim()
}

/// Replaces line breaks, with the blanks around them, by one blank, and trims blanks at the ends. Other white space, for example a no-break
/// space, is text.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(is_comment_blank);
    if memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    let mut start = 0;
    for end in memchr2_iter(b'\n', b'\r', text.as_bytes()).chain([text.len()]) {
        let part = text[start..end].trim_matches(is_comment_blank);
        start = end + 1;
        if !part.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(part);
        }
    }
    line.into()
}

/// Whether a comment loses this character at its ends and beside its line breaks.
pub(crate) fn is_comment_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Returns the glyph with the meaning of a strength.
pub(crate) fn nag_of(strength: &str) -> Option<u32> {
    match strength.trim_matches(['(', ')']) {
        "!" => Some(1),
        "?" => Some(2),
        "!!" => Some(3),
        "??" => Some(4),
        "!?" => Some(5),
        "?!" => Some(6),
        "*" => Some(7),
        _ => None,
    }
}
