//! Checked level for streams: plays every game of a file by the rules while it is read.
//!
//! ```text
//!             ┌─▸ tape, and each move played at once ──▸ end of a plain game: no problems
//! events ─────┤                    │ first event that is not plain: play back the tape
//!             └────────────────────┴───▸ builder ──▸ LocatedGame ──▸ infer, replay ──▸ problems
//! ```
//!
//! A game is plain if its rules are known from its tag or the caller, no tag is duplicated, each move has one meaning, and its FEN, if any,
//! can be played from. Comments and glyphs may occur anywhere, variations where they replace the move before them. Nearly every game is
//! plain. [`super::replay`] reports nothing about such a game, and [`super::infer`] accepts its tag, so it needs neither a
//! [`crate::game::Game`] nor paths of captures. Those two modules handle all other games; nothing is reported here.
//!
//! Games without a GameType tag wait, at most [`infer::SAMPLE`] of them, until their moves show the variant.

use std::collections::{BTreeSet, VecDeque};

use super::game_form;
use super::infer;
use super::replay::{self, WalkEvent, parse_two_squares, read_setup};
use super::tape::Tape;
use crate::encoding::Encoding;
use crate::lexer::Token;
use crate::notation;
use crate::problem::{Location, Problem, Problems};
use crate::reader::{Builder, LocatedGame};
use crate::scan::{Scanner, TokenHandler};
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
/// assert_eq!((checker.game_count(), plies), (2, 4));
/// assert_eq!(checker.take_problems().count(Level::Error), 1);
/// ```
#[derive(Debug)]
pub struct Checker {
    scanner: Scanner,
    games: Games<false>,
}

/// A game after its replay.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckedGame {
    /// Variant of the game.
    pub variant: &'static Variant,
    /// Number of moves of the main line that could be played.
    pub plies: usize,
    /// Position at the end of the main line; `None` if unknown.
    pub final_position: Option<Position>,
}

impl Checker {
    /// Creates a checker at the start of a file. `known_variant`: the variant of games without a GameType tag; `None` infers it from the moves.
    pub fn new(encoding: Encoding, known_variant: Option<&'static Variant>) -> Checker {
        Checker { scanner: Scanner::new(encoding), games: Games::new(known_variant, true) }
    }

    /// Reads more bytes; shows each game as soon as it is played. Chunks of some tens of kilobytes are best.
    pub fn feed(&mut self, bytes: &[u8], show: &mut dyn FnMut(CheckedGame)) {
        self.scanner.feed(bytes, &mut |place, event| self.games.event(place, event, show));
    }

    /// Ends the stream; shows the last games.
    pub fn finish(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        self.scanner.finish(&mut |place, event| self.games.event(place, event, show));
        self.games.finish(show);
    }

    /// Creates the checker of a later part of the file, which begins at this line with a game.
    pub(super) fn for_part(&self, line: u64) -> Checker {
        Checker { scanner: self.scanner.for_part(line), games: self.games.for_part() }
    }

    /// Ends a part as [`super::parts::PartChecker::end_part`] requires.
    pub(super) fn end_part(&mut self, ahead: &[u8]) -> Result<(), usize> {
        self.scanner.end_part(ahead, &mut self.games)?;
        self.games.take_syntax_problems();
        Ok(())
    }

    /// Appends the checker of the next part. Returns `false`, without any change, if that assumed another variant.
    pub(super) fn join(&mut self, next: Checker) -> bool {
        let can_join = self.scanner.can_join(&next.scanner) && self.games.can_join(&next.games);
        if can_join {
            self.scanner.join(next.scanner);
            self.games.join(next.games);
        }
        can_join
    }

    /// Returns the number of games so far, including those that wait.
    pub fn game_count(&self) -> u64 {
        self.games.count
    }

    /// Returns the problems since the last call, including the count of those beyond the bound.
    pub fn take_problems(&mut self) -> Problems {
        std::mem::take(&mut self.games.problems)
    }
}

/// Games of a file. `STRICT`: checks them by the letter of the standard.
#[derive(Debug)]
pub(super) struct Games<const STRICT: bool> {
    known_variant: Option<&'static Variant>,
    /// The known variant at the start of this part of the file.
    assumed_variant: Option<&'static Variant>,
    /// Events of the current game, as long as it is plain.
    tape: Tape,
    state: State,
    /// Lines around the current one, the main line first.
    outer_lines: Vec<PlayLine>,
    /// Builder of the current game, if it is not plain.
    builder: Builder,
    /// Last GameType tag and its variant: most files have the same tag in every game.
    last_game_type: Option<(String, &'static Variant)>,
    /// Games whose variant is not known yet, each with the places that [`Games::refused`] has for it.
    untyped_games: VecDeque<(LocatedGame, BTreeSet<Location>)>,
    /// Problems of the syntax that follow those of the waiting games.
    held_problems: Problems,
    count: u64,
    /// Whether moves must be legal.
    checks_rules: bool,
    /// Places in the current game with a problem of the grammar: one problem per place.
    pub(super) refused: BTreeSet<Location>,
    pub(super) problems: Problems,
}

/// State of the current game.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Plain so far, before its first move.
    Header,
    /// Plain so far.
    Play { line: PlayLine, plies: usize },
    /// Not plain: the builder receives all events.
    Built,
}

/// A line of moves: the main line or a variation.
#[derive(Clone, Copy, Debug)]
struct PlayLine {
    position: Position,
    /// Position before the last move, if any, where a variation begins.
    position_before: Option<Position>,
}

impl PlayLine {
    fn at(position: Position) -> PlayLine {
        PlayLine { position, position_before: None }
    }

    /// Plays a move with one meaning. Returns whether the move has exactly one.
    #[inline(always)]
    fn play(&mut self, text: &str) -> bool {
        let before = self.position;
        let ends = parse_two_squares(before.variant(), text.as_bytes());
        let is_played = ends.is_some_and(|(from, to)| self.position.play_only_move(from, to))
            || play_in_full(&mut self.position, text);
        self.position_before = Some(before);
        is_played
    }

    /// Plays a move that is written as the standard requires. Returns whether it is.
    #[inline(always)]
    fn play_strictly(&mut self, text: &str) -> bool {
        let before = self.position;
        let variant = before.variant();
        let is_played = match parse_two_squares(variant, text.as_bytes()) {
            Some((from, to)) if self.position.play_only_move(from, to) => {
                let is_capture = replay::is_capture(&before, &self.position);
                notation::is_short(variant, (from, to), is_capture, text.as_bytes())
            }
            _ => play_long(&mut self.position, text),
        };
        self.position_before = Some(before);
        is_played
    }
}

/// Maximum depth of variations played here.
const MAX_VARIATION_DEPTH: usize = 20;

impl<const STRICT: bool> Games<STRICT> {
    pub(super) fn new(known_variant: Option<&'static Variant>, checks_rules: bool) -> Games<STRICT> {
        Games {
            known_variant,
            assumed_variant: known_variant,
            tape: Tape::default(),
            state: State::Header,
            outer_lines: Vec::new(),
            builder: Builder::default(),
            last_game_type: None,
            untyped_games: VecDeque::new(),
            held_problems: Problems::default(),
            count: 0,
            checks_rules,
            refused: BTreeSet::new(),
            problems: Problems::default(),
        }
    }

    /// Creates the games of a later part of the file.
    pub(super) fn for_part(&self) -> Games<STRICT> {
        Games::new(self.known_variant, self.checks_rules)
    }

    #[inline(always)]
    fn play_in(line: &mut PlayLine, text: &str) -> bool {
        if STRICT { line.play_strictly(text) } else { line.play(text) }
    }

    #[inline(always)]
    pub(super) fn event(&mut self, place: Location, event: Event<'_>, show: &mut dyn FnMut(CheckedGame)) {
        // Nearly every event.
        if let (Event::Move(written), State::Play { line, plies }) = (&event, &mut self.state)
            && Self::play_in(line, written.text)
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
            Event::Tag { .. } if matches!(self.state, State::Header) && self.tape.is_empty() => {
                self.take_syntax_problems();
                self.tape_or_build(place, event);
            }
            Event::GameEnd(_) => {
                self.count += 1;
                if let (State::Play { line: PlayLine { position: now, .. }, plies }, true) =
                    (self.state, self.outer_lines.is_empty() && (!STRICT || self.has_strict_header()))
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
                self.take_syntax_problems();
            }
            _ => self.tape_or_build(place, event),
        }
    }

    fn tape_or_build(&mut self, place: Location, event: Event<'_>) {
        if !self.is_plain(&event) || !self.tape.record(place, &event) {
            self.build();
            self.builder.event(place, event);
        }
    }

    /// Whether the game is still plain with this event. Plays a first move; any other move that arrives here could not be played.
    fn is_plain(&mut self, event: &Event<'_>) -> bool {
        match (event, &mut self.state) {
            (_, State::Built) => false,
            (Event::Move(written), State::Header) => {
                let Some(mut line) = self.start().map(PlayLine::at) else { return false };
                let is_played = Self::play_in(&mut line, written.text);
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

    /// Returns the start position, if the tags define it clearly.
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

    /// Whether the tags of a plain game are as the standard requires.
    fn has_strict_header(&self) -> bool {
        let State::Play { line, .. } = self.state else { return false };
        let mut problems = Problems::default();
        for (name, value) in self.tape.tags() {
            game_form::check_value(name, value, Location::START, &mut problems);
        }
        let value = |wanted: &str| self.tape.tags().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        game_form::check_result(&value, Location::START, line.position.variant(), &mut problems);
        problems.list().is_empty()
    }

    /// Switches to the builder: the game is not plain.
    fn build(&mut self) {
        if !matches!(self.state, State::Built) {
            self.tape.events().for_each(|(place, event)| self.builder.event(place, event));
            self.state = State::Built;
        }
    }

    /// Plays the game in the builder, or lets it wait.
    fn play_built_game(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        let refused = std::mem::take(&mut self.refused);
        for located in self.builder.take_completed() {
            if self.known_variant.is_some() || located.game.tags.get("GameType").is_some() {
                self.play(&located, &refused, show);
            } else {
                self.untyped_games.push_back((located, refused.clone()));
            }
            if self.untyped_games.len() >= infer::SAMPLE {
                self.play_waiting(show);
                self.problems.merge(std::mem::take(&mut self.held_problems));
            }
        }
    }

    /// Plays the waiting games at the end of the file.
    pub(super) fn finish(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        self.take_syntax_problems();
        self.problems.merge(std::mem::take(&mut self.held_problems));
        self.play_waiting(show);
    }

    /// Infers the variant of the waiting games, and plays them.
    fn play_waiting(&mut self, show: &mut dyn FnMut(CheckedGame)) {
        if !self.untyped_games.is_empty() {
            let sample: Vec<&LocatedGame> = self.untyped_games.iter().map(|(located, _)| located).collect();
            self.known_variant = Some(infer::infer_from_moves(&sample, self.known_variant));
        }
        while let Some((located, refused)) = self.untyped_games.pop_front() {
            self.play(&located, &refused, show);
        }
    }

    fn play(&mut self, located: &LocatedGame, refused: &BTreeSet<Location>, show: &mut dyn FnMut(CheckedGame)) {
        if STRICT {
            let found = game_form::check_game(located, self.known_variant, self.checks_rules);
            self.problems.extend(found.into_iter().filter(|problem| !refused.contains(&problem.location)));
            return;
        }
        let found = infer::game_variant(located, self.known_variant);
        let mut plies = 0;
        let walked = replay::walk(located, found.variant, &mut |seen| {
            plies += usize::from(matches!(seen, WalkEvent::Move { depth: 0, .. }));
        });
        self.problems.extend(found.problems);
        self.problems.extend(walked.problems);
        show(CheckedGame { variant: found.variant, plies, final_position: walked.final_position });
    }

    /// Appends the problems of the syntax after those of the moves: at the end of each game, and those between two games before the first
    /// tag. Where the bytes were cut does not matter.
    fn take_syntax_problems(&mut self) {
        let found = self.builder.take_problems();
        match self.untyped_games.is_empty() {
            // The strict grammar reports them more precisely.
            _ if STRICT => {}
            true => self.problems.merge(found),
            false => self.held_problems.merge(found),
        }
    }

    /// Whether the next part was read as it would be read here.
    pub(super) fn can_join(&self, next: &Games<STRICT>) -> bool {
        let waiting = self.untyped_games.len() + next.untyped_games.len();
        let keep_waiting = next.known_variant.is_none() && waiting < infer::SAMPLE;
        next.assumed_variant == self.known_variant && (self.untyped_games.is_empty() || keep_waiting)
    }

    pub(super) fn join(&mut self, mut next: Games<STRICT>) {
        self.problems.merge(std::mem::take(&mut next.problems));
        self.held_problems.merge(std::mem::take(&mut next.held_problems));
        self.untyped_games.append(&mut next.untyped_games);
        self.count += next.count;
        next.count = self.count;
        std::mem::swap(&mut next.problems, &mut self.problems);
        std::mem::swap(&mut next.held_problems, &mut self.held_problems);
        std::mem::swap(&mut next.untyped_games, &mut self.untyped_games);
        *self = next;
    }
}

impl TokenHandler for Games<false> {
    fn token(&mut self, _: &Token<'_>) {}

    fn plain(&mut self, place: Location, event: Event<'_>) {
        Games::event(self, place, event, &mut |_| {});
    }

    fn event(&mut self, place: Location, event: Event<'_>) {
        Games::event(self, place, event, &mut |_| {});
    }

    fn before_tag(&mut self, _: Location) {}
}

/// Plays a capture that must be written in full. Returns whether it is, by the standard.
#[cold]
fn play_long(position: &mut Position, text: &str) -> bool {
    let Ok(ply) = replay::resolve(position, text, None) else { return false };
    let is_strict = notation::write_in(position, &ply) == text;
    *position = position.play(&ply);
    is_strict
}

/// Plays a move in a rare notation, such as a capture with its path. Returns whether the move has exactly one meaning.
#[cold]
fn play_in_full(position: &mut Position, text: &str) -> bool {
    let found = replay::resolve(position, text, None);
    found.inspect(|ply| *position = position.play(ply)).is_ok()
}

/// Returns all problems in the bytes of a file, as [`Checker`] finds them.
pub fn check_bytes(bytes: &[u8], encoding: Encoding, known_variant: Option<&'static Variant>) -> Vec<Problem> {
    let mut checker = Checker::new(encoding, known_variant);
    checker.feed(bytes, &mut |_| {});
    checker.finish(&mut |_| {});
    checker.take_problems().into_sorted()
}
