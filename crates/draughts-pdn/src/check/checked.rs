//! The checked level on a stream: every game of a file played against the rules while it is read.
//!
//! ```text
//!             ┌─▸ tape, and each move played at once ──▸ the game ends, all was plain: nothing is wrong with it
//! events ─────┤                    │ the first thing that is not plain: the tape is played back
//!             └────────────────────┴───▸ builder ──▸ Located ──▸ infer, replay ──▸ problems
//! ```
//!
//! Plain is a game that says which rules it is played by (or the caller does), without a tag that stands twice, whose
//! moves each have one meaning, and whose FEN, if there is one, can be played from; comments and glyphs may stand anywhere,
//! and variations where they replace the move before them.
//! Nearly every game is. [`super::replay`] has nothing to say about such a game, and [`super::infer`] believes its tag; so
//! it needs neither a [`crate::game::Game`] nor paths of captures. For all others they are the authority: nothing is
//! reported here.
//!
//! Games without a GameType tag wait, [`infer::SAMPLE`] of them at most, until the moves have told what they are.

use std::collections::VecDeque;

use super::infer;
use super::replay::{self, WalkEvent, parse_two_squares, read_setup};
use super::tape::Tape;
use crate::encoding::Encoding;
use crate::problem::{Location, Problem, Problems};
use crate::reader::{Builder, LocatedGame};
use crate::scan::Scanner;
use crate::syntax::Event;
use draughts::{Position, Variant};

/// Checks a stream of bytes. Holds a few games, one token and the problems (bounded) at a time.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Checker, Encoding, Level};
///
/// let mut checker = Checker::new(Encoding::Detect, None);
/// let mut plies = 0;
/// checker.feed(b"[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 * [GameType \"20\"] 1. 32-23 *", &mut |game| plies += game.plies);
/// checker.finish(&mut |game| plies += game.plies);
/// assert_eq!((checker.games(), plies), (2, 4));
/// assert_eq!(checker.take_problems().count(Level::Error), 1);
/// ```
#[derive(Debug)]
pub struct Checker {
    scanner: Scanner,
    games: Games,
}

/// A game that was played.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckedGame {
    /// The game that is played.
    pub variant: &'static Variant,
    /// How many moves of the main line could be played.
    pub plies: usize,
    /// The position at the end of the main line; `None` if it is not known.
    pub final_position: Option<Position>,
}

impl Checker {
    /// A checker at the start of a file. `given`: the variant of games without a GameType tag; `None`: it is inferred
    /// from the moves.
    pub fn new(encoding: Encoding, given: Option<&'static Variant>) -> Checker {
        Checker { scanner: Scanner::new(encoding), games: Games::new(given) }
    }

    /// Takes more bytes. Shows each game as soon as it is played. Pieces of some tens of kilobytes are best.
    pub fn feed(&mut self, bytes: &[u8], show: &mut dyn FnMut(CheckedGame)) {
        self.scanner.feed(bytes, &mut |place, event| self.games.event(place, event, show));
        self.games.end_of_piece();
    }

    /// The stream is over: shows the last games.
    pub fn finish(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        self.scanner.finish(&mut |place, event| self.games.event(place, event, show));
        self.games.play_waiting(show);
        self.games.end_of_piece();
    }

    /// How many games there are so far, those included that still wait.
    pub fn game_count(&self) -> u64 {
        self.games.count
    }

    /// The problems found since this was last asked, with the count of those that were too many to keep.
    pub fn take_problems(&mut self) -> Problems {
        std::mem::take(&mut self.games.problems)
    }
}

#[derive(Debug)]
struct Games {
    known_variant: Option<&'static Variant>,
    /// The game that is read, as long as it is plain.
    tape: Tape,
    state: State,
    /// The lines around the one that is played, the main line first.
    outer_lines: Vec<PlayLine>,
    /// The game that is read, when it is not.
    builder: Builder,
    /// The last GameType tag, and what it means: most files say the same in every game.
    last_game_type: Option<(String, &'static Variant)>,
    /// Games that do not say what they are.
    untyped_games: VecDeque<LocatedGame>,
    count: u64,
    problems: Problems,
}

/// The game that is read.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Plain so far, before its first move.
    Header,
    /// Plain so far.
    Play { line: PlayLine, plies: usize },
    /// Not plain: all is in the builder.
    Built,
}

/// A line of moves: the main line, or a variation.
#[derive(Clone, Copy, Debug)]
struct PlayLine {
    position: Position,
    /// Where a variation begins: before the last move, if there was one.
    position_before: Option<Position>,
}

impl PlayLine {
    fn at(position: Position) -> PlayLine {
        PlayLine { position, position_before: None }
    }

    /// Plays a move with one meaning. Returns whether it has one.
    #[inline(always)]
    fn play(&mut self, text: &str) -> bool {
        let before = self.position;
        let ends = parse_two_squares(before.variant(), text);
        let is_played = ends.is_some_and(|(from, to)| self.position.play_only_move(from, to))
            || play_in_full(&mut self.position, text);
        self.position_before = Some(before);
        is_played
    }
}

/// The deepest variation that is played here.
const MAX_VARIATION_DEPTH: usize = 20;

impl Games {
    fn new(known_variant: Option<&'static Variant>) -> Games {
        Games {
            known_variant,
            tape: Tape::default(),
            state: State::Header,
            outer_lines: Vec::new(),
            builder: Builder::default(),
            last_game_type: None,
            untyped_games: VecDeque::new(),
            count: 0,
            problems: Problems::default(),
        }
    }

    #[inline(always)]
    fn event(&mut self, place: Location, event: Event<'_>, show: &mut dyn FnMut(CheckedGame)) {
        // Nearly every event.
        if let (Event::Move(written), State::Play { line, plies }) = (&event, &mut self.state)
            && line.play(written.text)
            && self.tape.record_move(place, written)
        {
            *plies += usize::from(self.outer_lines.is_empty());
            return;
        }
        self.process_event(place, event, show);
    }

    #[inline(never)]
    fn process_event(&mut self, place: Location, event: Event<'_>, show: &mut dyn FnMut(CheckedGame)) {
        match event {
            Event::Problem(_) => self.builder.event(place, event),
            Event::GameEnd(_) => {
                self.count += 1;
                if let (State::Play { line: PlayLine { position: now, .. }, plies }, true) =
                    (self.state, self.outer_lines.is_empty())
                {
                    show(CheckedGame { variant: now.variant(), plies, final_position: Some(now) });
                } else {
                    self.build();
                    self.builder.event(place, event);
                    self.play_built_game(show);
                }
                self.tape.clear();
                self.outer_lines.clear();
                self.state = State::Header;
            }
            _ => {
                if !self.is_plain(&event) || !self.tape.record(place, &event) {
                    self.build();
                    self.builder.event(place, event);
                }
            }
        }
    }

    /// Is the game plain with this event as well? A first move is played; that of a game which is played could not be.
    fn is_plain(&mut self, event: &Event<'_>) -> bool {
        match (event, &mut self.state) {
            (_, State::Built) => false,
            (Event::Move(written), State::Header) => {
                let Some(mut line) = self.start().map(PlayLine::at) else { return false };
                let is_played = line.play(written.text);
                if is_played {
                    self.state = State::Play { line, plies: 1 };
                }
                is_played
            }
            (Event::Tag { name, .. }, State::Header) => self.tape.tags().all(|(known, _)| known != *name),
            (Event::Open, State::Play { line, .. }) => {
                let Some(before) = line.position_before.filter(|_| self.outer_lines.len() < MAX_VARIATION_DEPTH) else {
                    return false;
                };
                self.outer_lines.push(std::mem::replace(line, PlayLine::at(before)));
                true
            }
            (Event::Close, State::Play { line, .. }) => {
                let around = self.outer_lines.pop();
                around.inspect(|around| *line = *around).is_some()
            }
            (Event::Comment(_) | Event::Nag(_), _) => true,
            _ => false,
        }
    }

    /// Where the game begins, if its tags say so clearly.
    fn start(&mut self) -> Option<Position> {
        let value = |wanted: &str| {
            let found = self.tape.tags().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value).filter(|value| !value.trim().is_empty())
        };
        let variant = match value("GameType") {
            None => self.known_variant?,
            Some(tag) => match &self.last_game_type {
                Some((last, variant)) if last == tag => variant,
                _ => {
                    let (variant, _) = infer::variant_from_tag(tag).ok()?;
                    self.last_game_type = Some((tag.to_owned(), variant));
                    variant
                }
            },
        };
        match value("FEN") {
            None => Some(Position::start(variant)),
            Some(fen) => Position::new(variant, read_setup(variant, fen).ok()?.0).ok(),
        }
    }

    /// The game is not plain: from here on it is built.
    fn build(&mut self) {
        if !matches!(self.state, State::Built) {
            self.tape.events().for_each(|(place, event)| self.builder.event(place, event));
            self.state = State::Built;
        }
    }

    /// Plays the game that the builder has made, or lets it wait.
    fn play_built_game(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        for located in self.builder.take_completed() {
            if self.known_variant.is_some() || located.game.tags.get("GameType").is_some() {
                self.play(&located, show);
            } else {
                self.untyped_games.push_back(located);
            }
            if self.untyped_games.len() >= infer::SAMPLE {
                self.play_waiting(show);
            }
        }
    }

    /// Tells the variant of the games that wait, and plays them.
    fn play_waiting(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        if !self.untyped_games.is_empty() {
            let sample: Vec<&LocatedGame> = self.untyped_games.iter().collect();
            self.known_variant = Some(infer::infer_from_moves(&sample, self.known_variant));
        }
        while let Some(located) = self.untyped_games.pop_front() {
            self.play(&located, show);
        }
    }

    fn play(&mut self, located: &LocatedGame, show: &mut dyn FnMut(CheckedGame)) {
        let found = infer::game_variant(located, self.known_variant);
        let mut plies = 0;
        let walked = replay::walk(located, found.variant, &mut |seen| {
            plies += usize::from(matches!(seen, WalkEvent::Move { depth: 0, .. }));
        });
        self.problems.extend(found.problems);
        self.problems.extend(walked.problems);
        show(CheckedGame { variant: found.variant, plies, final_position: walked.final_position });
    }

    /// Problems of the syntax go behind those of the moves, piece by piece.
    fn end_of_piece(&mut self) {
        self.problems.merge(self.builder.take_problems());
    }
}

/// Plays a capture that names its path, or another move that is written in a rare way. Returns whether it has one meaning.
#[cold]
fn play_in_full(position: &mut Position, text: &str) -> bool {
    let found = replay::resolve(position, text, None);
    found.inspect(|ply| *position = position.play(ply)).is_ok()
}

/// All that is wrong with a file's bytes, as [`Checker`] finds it.
pub fn check_bytes(bytes: &[u8], encoding: Encoding, given: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = Checker::new(encoding, given);
    checker.feed(bytes, &mut |_| {});
    checker.finish(&mut |_| {});
    checker.take_problems().into_sorted()
}
