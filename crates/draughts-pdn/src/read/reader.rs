//! Reads files of games. Never fails as a whole: returns the games found, and the problems with their places.
//!
//! [`read`] reads a complete text. [`Reader`] reads a stream of bytes: it returns each game as soon as it is complete and holds at most one
//! game and one token.
//!
//! Legality of moves is not checked here but in [`crate::replay`].

use super::encoding::Encoding;
use super::problem::{Level, Location, Problem, Problems, quote};
use super::scan::Scanner;
use super::syntax::Event;
use crate::game::{Entry, Game};

/// A game with the places of its parts in the text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LocatedGame {
    /// The game.
    pub game: Game,
    /// Places of its parts.
    pub locations: Locations,
}

/// Places of the parts of a game in its text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Locations {
    /// Place of each tag; for a duplicated one, of the last.
    pub tags: Vec<Location>,
    /// Place of each entry; for a move, of its squares, not its number.
    pub entries: Vec<Location>,
    /// Place of the terminator, or where it is missing.
    pub end: Option<Location>,
}

impl Locations {
    /// Returns the place where the game begins.
    pub fn start(&self) -> Location {
        let first = self.tags.iter().chain(&self.entries).chain(&self.end).min();
        first.copied().unwrap_or(Location::START)
    }
}

/// Reads all games of a text, with all problems.
///
/// # Examples
///
/// ```
/// let (games, problems) = draughts_pdn::reader::read("[GameType \"25\"] 1. c3-d4 b6-a5 2. d4-c5 d6:b4 *");
/// assert_eq!((games.len(), problems.len()), (1, 0));
/// assert_eq!(games[0].moves().map(|ply| ply.text.as_str()).collect::<Vec<_>>(), ["c3-d4", "b6-a5", "d4-c5", "d6:b4"]);
/// ```
pub fn read(text: &str) -> (Vec<Game>, Vec<Problem>) {
    let (games, problems) = read_located(text);
    (games.into_iter().map(|located| located.game).collect(), problems)
}

/// Reads all games of a text as [`read`] does, with the places of all parts.
pub fn read_located(text: &str) -> (Vec<LocatedGame>, Vec<Problem>) {
    // In chunks, as a file is read: a window up to the end of a large text would make some lookahead long.
    read_bytes(text.as_bytes(), Encoding::Utf8)
}

/// Reads a stream of bytes. Holds one game, one token and the problems (bounded) at a time.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Encoding, Reader};
///
/// let mut reader = Reader::new(Encoding::Detect);
/// assert!(reader.feed(b"1. 32-28 19").is_empty());
/// assert_eq!(reader.feed(b"-23 * 1. 33-28 ").len(), 1); // the first game is complete
/// assert_eq!(reader.finish().len(), 1);
/// assert!(reader.take_problems().list().is_empty());
/// ```
#[derive(Debug)]
pub struct Reader {
    scanner: Scanner,
    builder: Builder,
}

impl Reader {
    /// Creates a reader at the start of a file.
    pub fn new(encoding: Encoding) -> Reader {
        Reader { scanner: Scanner::new(encoding), builder: Builder::default() }
    }

    /// Reads more bytes; returns the games completed so far. Chunks of some tens of kilobytes are best.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<LocatedGame> {
        self.scanner.feed(bytes, &mut |place, event| self.builder.event(place, event));
        self.builder.take_completed()
    }

    /// Ends the stream; returns the last game.
    pub fn finish(&mut self) -> Vec<LocatedGame> {
        self.scanner.finish(&mut |place, event| self.builder.event(place, event));
        self.builder.take_completed()
    }

    /// Returns the problems since the last call, including the count of those beyond the bound.
    pub fn take_problems(&mut self) -> Problems {
        self.builder.take_problems()
    }
}

/// Reads all games in the bytes of a file, with all problems.
pub fn read_bytes(bytes: &[u8], encoding: Encoding) -> (Vec<LocatedGame>, Vec<Problem>) {
    let mut reader = Reader::new(encoding);
    let mut games = reader.feed(bytes);
    games.append(&mut reader.finish());
    (games, reader.take_problems().into_sorted())
}

/// Builds games from events.
#[derive(Default, Debug)]
pub(crate) struct Builder {
    current: LocatedGame,
    completed: Vec<LocatedGame>,
    problems: Problems,
    is_too_large: bool,
}

/// Maximum number of entries of one game. The longest real game has 301 plies and the most annotated one 2,000 entries. A game beyond this
/// bound is a fault of the file; the bound limits the memory of a reader.
pub const MAX_ENTRIES: usize = 4_000_000;

/// Number of entries of a game for which memory is reserved.
const TYPICAL_ENTRIES: usize = 256;

/// Maximum number of tags of one game.
pub const MAX_TAGS: usize = 1_000;

impl Builder {
    /// Returns the completed games.
    pub(crate) fn take_completed(&mut self) -> Vec<LocatedGame> {
        std::mem::take(&mut self.completed)
    }

    /// Returns the problems since the last call.
    pub(crate) fn take_problems(&mut self) -> Problems {
        std::mem::take(&mut self.problems)
    }

    pub(crate) fn event(&mut self, place: Location, event: Event<'_>) {
        match event {
            Event::Tag { name, value } => self.tag(place, name, value),
            Event::Move(ply) => self.entry(place, || Entry::Move(ply.into())),
            Event::Setup(fen) => self.entry(place, || Entry::Setup(fen.to_owned())),
            Event::Comment(text) => self.entry(place, || Entry::Comment(text.to_owned())),
            Event::Nag(nag) => self.entry(place, || Entry::Nag(nag)),
            Event::Open => self.entry(place, || Entry::Open),
            Event::Close => self.entry(place, || Entry::Close),
            Event::Problem(problem) => self.problems.push(problem),
            Event::GameEnd(end) => {
                let mut located = std::mem::take(&mut self.current);
                // The next game is often as long.
                let count = located.game.entries.len().min(TYPICAL_ENTRIES);
                self.current.game.entries.reserve(count);
                self.current.locations.entries.reserve(count);
                located.game.end = end;
                located.locations.end = Some(place);
                if std::mem::take(&mut self.is_too_large) {
                    close_variations(&mut located, place);
                }
                self.completed.push(located);
            }
        }
    }

    fn tag(&mut self, place: Location, name: &str, value: &str) {
        let LocatedGame { game, locations: places } = &mut self.current;
        if game.tags.len() >= MAX_TAGS {
            let message = format!("more than {MAX_TAGS} tags in one game");
            self.problems.push(Problem::error(place, message).with_hint("this one is not read"));
            return;
        }
        let count = game.tags.len();
        let at = game.tags.iter().position(|tag| tag.name == name).unwrap_or(count);
        match game.tags.set(name, value) {
            None => places.tags.push(place),
            Some(before) => {
                let first = std::mem::replace(&mut places.tags[at], place);
                let message = format!("the tag {} stands twice", quote(name));
                let hint = format!("first {} at {first}; the last one counts", quote(&before));
                self.problems.push(Problem::warning(place, message).with_hint(hint));
            }
        }
    }

    fn entry(&mut self, place: Location, entry: impl FnOnce() -> Entry) {
        let LocatedGame { game, locations: places } = &mut self.current;
        if game.entries.len() < MAX_ENTRIES {
            game.entries.push(entry());
            places.entries.push(place);
        } else if !std::mem::replace(&mut self.is_too_large, true) {
            let message = format!("more than {MAX_ENTRIES} moves and comments in one game");
            self.problems.push(Problem::error(place, message).with_hint("the rest of it is not read"));
        }
    }
}

/// Closes the variations of a truncated game.
fn close_variations(located: &mut LocatedGame, place: Location) {
    let mut depth = 0_usize;
    for entry in &located.game.entries {
        match entry {
            Entry::Open => depth += 1,
            Entry::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    for _ in 0..depth {
        located.game.entries.push(Entry::Close);
        located.locations.entries.push(place);
    }
}

/// Whether there are problems of this level or a worse one.
pub fn any_at_least(problems: &[Problem], level: Level) -> bool {
    problems.iter().any(|problem| problem.level >= level)
}
