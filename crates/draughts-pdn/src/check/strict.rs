//! Strict checker: whether a text is PDN 3.0 as the standard requires programs to *write* it.
//!
//! ```text
//! tokens ──▸ writing grammar, restrictions 1 to 5 ─────────┐
//! games  ──▸ values of tags; moves against the position:   ├──▸ problems, each with the restriction it breaks
//!            restrictions 6 to 9 ──────────────────────────┘
//! ```
//!
//! The grammar is that of the standard with these corrections: squares up to l12, the capture separator of the game type, FENs with an
//! empty side. Moves are played, including those of variations; an illegal one is an error. After an illegal move, restrictions 7 to 9 are
//! checked only as far as the text shows them. [`check_form`] checks only how a text is written. A game whose GameType is outside the
//! standard has unknown rules: this is reported, and only its grammar is checked.
//!
//! Every prefix of a live file that ends with a line break passes: a missing terminator at the very end is allowed.
//!
//! Sources: PDN 3.0, chapters "PDN Grammars", "PDN Tags", "FEN tag", "GameType tag".

mod grammar;

use super::checked::Games;
pub(crate) use super::fen_form::is_fen;
pub use super::game_form::is_game_type;
use crate::encoding::Encoding;
use crate::lexer::Token;
use crate::problem::{Location, Problem, Problems};
use crate::scan::{Scanner, TokenHandler};
use crate::syntax::Event;
use draughts::Variant;
use grammar::Grammar;

/// Returns all deviations of a file's bytes from PDN 3.0, by place. `known_variant`: the variant of games without a GameType tag.
pub fn check_bytes(bytes: &[u8], known_variant: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = StrictChecker::new(known_variant);
    checker.feed(bytes);
    checker.finish().into_sorted()
}

/// Checks a text as [`check`] does, except for the rules of the game: moves need not be legal, nor in turn.
pub fn check_form(text: &str, known_variant: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = StrictChecker::with_games(Games::new(known_variant, false));
    checker.feed(text.as_bytes());
    checker.finish().into_sorted()
}

/// Returns all deviations of a text from PDN 3.0, by place.
pub fn check(text: &str, known_variant: Option<&'static Variant>) -> Vec<Problem> {
    check_bytes(text.as_bytes(), known_variant)
}

/// Checks a stream of bytes. Holds one game, games that wait until the variant of the file is known (at most [`crate::infer::SAMPLE`]), and the
/// problems (bounded).
///
/// # Examples
///
/// ```
/// use draughts_pdn::strict::StrictChecker;
///
/// let mut checker = StrictChecker::new(None);
/// checker.feed(b"[GameType \"20\"]\n\n1. 32-28 19-23 2. 28-19 *\n");
/// let problems = checker.finish();
/// assert!(problems.list()[0].to_string().contains("28x19"));
/// ```
#[derive(Debug)]
pub struct StrictChecker {
    scanner: Scanner,
    content: Content,
    /// First bytes of the file, which may be a byte order mark.
    first_bytes: Vec<u8>,
}

/// Both sides of a text: its grammar and its games.
#[derive(Debug)]
struct Content {
    grammar: Grammar,
    games: Games<true>,
}

impl TokenHandler for Content {
    fn token(&mut self, token: &Token<'_>) {
        self.grammar.token(token);
    }

    #[inline(always)]
    fn plain(&mut self, place: Location, event: Event<'_>) {
        self.grammar.plain(place, &event);
        self.event(place, event);
    }

    #[inline(always)]
    fn event(&mut self, place: Location, event: Event<'_>) {
        if matches!(event, Event::GameEnd(_)) {
            self.games.refused = self.grammar.take_refused(place);
        }
        self.games.event(place, event, &mut |_| {});
    }

    fn before_tag(&mut self, place: Location) {
        self.grammar.before_tag(place);
    }
}

impl StrictChecker {
    /// Creates a checker at the start of a file, with the variant of games without a GameType tag.
    pub fn new(known_variant: Option<&'static Variant>) -> StrictChecker {
        StrictChecker::with_games(Games::new(known_variant, true))
    }

    fn with_games(games: Games<true>) -> StrictChecker {
        StrictChecker {
            scanner: Scanner::new(Encoding::Detect),
            content: Content { grammar: Grammar::default(), games },
            first_bytes: Vec::new(),
        }
    }

    /// Reads more bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let missing = BYTE_ORDER_MARK.len() - self.first_bytes.len();
        self.first_bytes.extend(&bytes[..bytes.len().min(missing)]);
        self.scanner.feed_tokens(bytes, &mut self.content);
    }

    /// Ends the stream; returns all problems.
    pub fn finish(mut self) -> Problems {
        self.scanner.finish_tokens(&mut self.content);
        let Content { mut grammar, mut games } = self.content;
        grammar.finish(self.scanner.location());
        games.finish(&mut |_| {});
        let mut all = Problems::default();
        if self.first_bytes == BYTE_ORDER_MARK {
            all.push(Problem::error(Location::START, "the file begins with a byte order mark").with_hint("write none"));
        }
        if let Some((place, c)) = self.scanner.odd_blank() {
            let message = format!("the character U+{:04X} between the words", u32::from(c));
            all.push(
                Problem::error(place, message)
                    .with_hint("blanks are spaces, tabs and line breaks; this is the first other one"),
            );
        }
        if let Some(place) = self.scanner.first_invalid_utf8() {
            all.push(Problem::error(place, "the file is not UTF-8").with_hint("PDN 3.0 is; convert it"));
        }
        all.merge(grammar.problems);
        all.merge(games.problems);
        all
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
