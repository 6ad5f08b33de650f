//! Checks a file against the behaviour of known readers, which differs from the standard.
//!
//! | profile | reader | strictest rules |
//! |---|---|---|
//! | [`ReaderProfile::Standard`] | the standard itself | [`crate::strict`] |
//! | [`ReaderProfile::Lidraughts`] | the relay of lidraughts.org | one game that does not parse fails all; `]` in a value loses the later tags; a setup drops the moves before it |
//! | [`ReaderProfile::Pydraughts`] | pydraughts 0.6.7, `PDNReader` | LF only; every game needs a terminator; a game without moves ends the reading |
//!
//! An error means that the reader loses or misreads something; a warning means that it ignores something.
//! `docs/readers.md` lists the behaviour of each reader.
//!
//! ```
//! use draughts_pdn::profile::{self, ReaderProfile};
//!
//! let text = "[Event \"Club\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n";
//! assert!(profile::check(ReaderProfile::Lidraughts, text.as_bytes(), None).is_empty());
//! let unreadable = text.replace("19-23", "19-24-30");
//! assert!(!profile::check(ReaderProfile::Lidraughts, unreadable.as_bytes(), None).is_empty());
//! ```
//!
//! Sources: the readers' own code and behaviour, versions as above; lidraughts of August 2026.

mod lidraughts;
pub mod polls;
mod pydraughts;

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use crate::encoding::{self, Encoding};
use crate::lexer::{InputState, Lexer, Token};
use crate::problem::{Location, Problem, Problems};
use crate::reader::{LocatedGame, Reader};
use crate::scan;
use crate::strict;
use draughts::Variant;

/// Known reader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum ReaderProfile {
    /// Writing grammar and restrictions of the standard.
    #[default]
    Standard,
    /// Broadcast relay of lidraughts.org.
    Lidraughts,
    /// Python package pydraughts.
    Pydraughts,
}

impl ReaderProfile {
    /// All profiles.
    pub const ALL: [ReaderProfile; 3] = [ReaderProfile::Standard, ReaderProfile::Lidraughts, ReaderProfile::Pydraughts];

    /// Returns the maximum number of games read per file; `None` if unlimited.
    pub fn max_games(self) -> Option<usize> {
        (self == ReaderProfile::Lidraughts).then_some(lidraughts::MAX_GAMES)
    }
}

impl fmt::Display for ReaderProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReaderProfile::Standard => "standard",
            ReaderProfile::Lidraughts => "lidraughts",
            ReaderProfile::Pydraughts => "pydraughts",
        })
    }
}

/// Unknown profile name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no profile; there are standard, lidraughts and pydraughts")]
pub struct UnknownProfile(pub String);

impl FromStr for ReaderProfile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<ReaderProfile, UnknownProfile> {
        let found = ReaderProfile::ALL.into_iter().find(|profile| profile.to_string() == text);
        found.ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// Returns the problems of this reader with a file, in file order.
pub fn check(profile: ReaderProfile, bytes: &[u8], known_variant: Option<&'static Variant>) -> Vec<Problem> {
    count_problems(profile, bytes, known_variant).into_sorted()
}

/// Returns the same problems as [`check`], with a count of those beyond the limit.
pub fn count_problems(profile: ReaderProfile, bytes: &[u8], known_variant: Option<&'static Variant>) -> Problems {
    match profile {
        ReaderProfile::Standard => {
            let mut checker = strict::StrictChecker::new(known_variant);
            checker.feed(bytes);
            checker.finish()
        }
        ReaderProfile::Lidraughts => lidraughts(bytes, known_variant),
        ReaderProfile::Pydraughts => pydraughts(bytes),
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let (mut lexer, mut window) = (Lexer::default(), text);
    std::iter::from_fn(move || lexer.next(&mut window, InputState::Complete))
}

/// Games of a text, read one after the other: memory holds few of them.
struct Games<'t> {
    /// `None` after the last game.
    reader: Option<Reader>,
    pieces: std::slice::Chunks<'t, u8>,
    ready: VecDeque<LocatedGame>,
}

impl<'t> Games<'t> {
    fn of(text: &'t str) -> Games<'t> {
        let pieces = text.as_bytes().chunks(scan::CHUNK_SIZE);
        Games { reader: Some(Reader::new(Encoding::Utf8)), pieces, ready: VecDeque::new() }
    }
}

impl Iterator for Games<'_> {
    type Item = LocatedGame;

    fn next(&mut self) -> Option<LocatedGame> {
        while self.ready.is_empty() {
            let reader = self.reader.as_mut()?;
            match self.pieces.next() {
                Some(piece) => self.ready.extend(reader.feed(piece)),
                None => self.ready.extend(self.reader.take()?.finish()),
            }
        }
        self.ready.pop_front()
    }
}

fn entry_place(located: &LocatedGame, index: usize) -> Location {
    located.locations.entries.get(index).copied().unwrap_or(Location::START)
}

fn tag_place(located: &LocatedGame, name: &str) -> Location {
    let at = located.game.tags.iter().position(|tag| tag.name == name);
    at.and_then(|at| located.locations.tags.get(at)).copied().unwrap_or_else(|| located.locations.start())
}

fn lidraughts(bytes: &[u8], known_variant: Option<&'static Variant>) -> Problems {
    let (text, wrong) = encoding::decode(bytes, Encoding::Detect);
    let mut problems = Problems::default();
    if wrong.is_some() {
        problems.push(Problem::error(Location::START, "the file is not UTF-8").with_hint("serve it as UTF-8"));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        let note = "a byte order mark before the first tag fails the file";
        problems.push(Problem::error(Location::START, note).with_hint("write none"));
    }
    lidraughts::check_text(&text, &mut problems);
    Games::of(&text).for_each(|located| lidraughts::check_game(&located, known_variant, &mut problems));
    problems
}

fn pydraughts(bytes: &[u8]) -> Problems {
    let (text, _) = encoding::decode(bytes, Encoding::Detect);
    let mut problems = Problems::default();
    if bytes.starts_with(BYTE_ORDER_MARK) {
        let message = "a byte order mark: all tags of the first game are lost";
        problems.push(Problem::error(Location::START, message));
    }
    pydraughts::check_text(&text, &mut problems);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File that the relay, pydraughts and the standard all accept.
    const RECOMMENDED: &str = "[Event \"NK 2026\"]\n[White \"Groenendijk, Jan\"]\n[Result \"*\"]\n[GameType \"20\"]\n\n\
        1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:19:50 b1:19:41]}\n2. 28x19 *\n\n\
        [Event \"NK 2026\"]\n[Result \"2-0\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n";

    fn check_for(profile: ReaderProfile, text: &str) -> Vec<String> {
        check(profile, text.as_bytes(), None).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn recommended_bytes_pass_every_profile() {
        for profile in ReaderProfile::ALL {
            assert_eq!(check_for(profile, RECOMMENDED), [""; 0], "{profile}");
        }
    }

    #[test]
    fn games_without_empty_lines_are_no_endless_game() {
        let text = "[GameType \"20\"]\n1. 32-28 19-23 *\n".repeat(40_000);
        let found = check_for(ReaderProfile::Lidraughts, &text);
        assert!(found.iter().any(|problem| problem.contains("are read as one game")), "{found:?}");
    }

    #[test]
    fn each_profile_reports_its_own_problems() {
        for (profile, from, to, expected) in [
            (ReaderProfile::Lidraughts, "NK 2026", "NK [2026]", "`]` in the value"),
            (ReaderProfile::Lidraughts, "*\n\n[Event", "*\n[Event", "no empty line"),
            (ReaderProfile::Lidraughts, "\"*\"]", "\"?\"]", "taken for a draw"),
            (ReaderProfile::Lidraughts, "B1:20:00]", "B1:20:00 ]", "are ignored"),
            (ReaderProfile::Lidraughts, "2. 28x19 *", "/FEN \"W:W28:B23\"/ 2. 28x19 *", "dropped"),
            (ReaderProfile::Lidraughts, "2. 28x19 *", "2. 28x19 0-0", "0-0"),
            (ReaderProfile::Lidraughts, "GameType \"20\"", "GameType \"21\"", "does not know"),
            (ReaderProfile::Lidraughts, "1. 32-28 {", "1. 32-27 {", "cut there"),
            (ReaderProfile::Pydraughts, "\n", "\r\n", "carriage return"),
            (ReaderProfile::Pydraughts, "2. 28x19 *", "2. 28x19", "no terminator"),
            (ReaderProfile::Pydraughts, "B1:20:00]", "B1:20:00] 1-1", "cuts the game"),
            (ReaderProfile::Pydraughts, "[Result \"*\"]", " [Result \"*\"]", "plain form"),
            (
                ReaderProfile::Pydraughts,
                "1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:19:50 b1:19:41]}\n2. 28x19 *",
                "*",
                "all later games",
            ),
            (ReaderProfile::Standard, "2. 28x19 *", "2. 28x19 2-0", "restriction 4"),
        ] {
            let found = check_for(profile, &RECOMMENDED.replace(from, to));
            assert!(found.iter().any(|problem| problem.contains(expected)), "{profile}, {to}: {found:?}");
        }
    }
}
