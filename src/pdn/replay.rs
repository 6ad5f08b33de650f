//! The checked level: the moves of a game resolved against the rules.
//!
//! ```text
//! Located game + variant ──▸ walk ──▸ every move that could be resolved, with the position before it
//!                               └───▸ problems: illegal, ambiguous, a setup that cannot be, with the FEN
//! ```
//!
//! A line that meets a move it cannot play is *lost*: what follows is left alone until a setup gives a position again. A
//! variation begins at the position before the last move of the line around it, and its loss is its own.
//!
//! | dialect | reading |
//! |---|---|
//! | `x` on a quiet move, `-` on a capture | legality decides what it is |
//! | a short capture that fits several moves | the one under which the following moves go on; if that does not tell, an error |
//! | a capture written leg by leg (`e1xc3 c3xe5`) | one move, the other entries continue it |
//! | the first move is the other side's | the turn of the position gives way |
//! | a variation that continues instead of replacing | read as that |
//! | an unknown move | the line is lost without an error |
//!
//! Which game it is, is found out in [`super::infer`].

use super::game::{Entry, Game, MoveEntry};
use super::problem::{Level, Place, Problem, quoted};
use super::reader::{Located, Places};
use super::{fen, infer, notation};
use crate::rules::{Color, Move, NotationKind, Position, Setup, Square, Variant};

/// A game's main line, played.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The game that is played.
    pub variant: &'static Variant,
    /// How that is known.
    pub known_by: KnownBy,
    /// The position before the first move.
    pub start: Position,
    /// The main line as far as it could be played, setups included.
    pub steps: Vec<Step>,
    /// Could every move of the main line be played?
    pub is_complete: bool,
    /// Everything that is wrong, in order.
    pub problems: Vec<Problem>,
}

/// How the variant of a game is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownBy {
    /// The GameType tag says so.
    Tag,
    /// The GameType tag is a number of lidraughts' own; its moves are those of this game.
    ForeignTag,
    /// The GameType tag says something else, but the moves fit this.
    MovesAgainstTag,
    /// The caller said so.
    Caller,
    /// Its rules make the moves legal.
    Moves,
}

/// A step of the main line.
#[derive(Clone, Debug)]
pub enum Step {
    /// A move.
    Move {
        /// Its index in the entries of the game.
        entry: usize,
        /// The move.
        ply: Move,
    },
    /// A new position.
    Setup {
        /// Its index in the entries of the game.
        entry: usize,
        /// The position.
        position: Position,
    },
}

impl Replay {
    /// Plays a game. `told`: the variant for a game without a GameType tag; `None`: it is inferred from the moves.
    pub fn of(located: &Located, told: Option<&'static Variant>) -> Replay {
        let found = infer::variant_of(located, told);
        let mut replay = Replay::under(located, found.variant);
        replay.known_by = found.known_by;
        replay.problems.splice(0..0, found.problems);
        replay
    }

    /// Plays a game for its problems only: those of [`Replay::of`].
    pub fn problems_of(located: &Located, told: Option<&'static Variant>) -> Vec<Problem> {
        let found = infer::variant_of(located, told);
        let mut problems = found.problems;
        problems.append(&mut walk(located, found.variant, &mut |_| {}).problems);
        problems
    }

    /// Plays a game under a variant, whatever its tags say.
    pub fn under(located: &Located, variant: &'static Variant) -> Replay {
        let mut start = None;
        let mut steps = Vec::new();
        let walked = walk(located, variant, &mut |seen| match seen {
            Seen::Move { entry, depth: 0, before, ply } => {
                // The first move may have shown that it is the other side's turn.
                match steps.last_mut() {
                    None => start = Some(*before),
                    Some(Step::Setup { position, .. }) => *position = *before,
                    Some(Step::Move { .. }) => {}
                }
                steps.push(Step::Move { entry, ply: ply.clone() });
            }
            Seen::Setup { entry, depth: 0, position } => steps.push(Step::Setup { entry, position: *position }),
            _ => {}
        });
        Replay {
            variant,
            known_by: KnownBy::Caller,
            start: start.unwrap_or(walked.start),
            steps,
            is_complete: walked.is_complete,
            problems: walked.problems,
        }
    }

    /// The moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.steps.iter().filter_map(|step| match step {
            Step::Move { ply, .. } => Some(ply),
            Step::Setup { .. } => None,
        })
    }

    /// The position after so many steps of the main line; after the last one if there are fewer.
    pub fn position_after(&self, steps: usize) -> Position {
        self.steps.iter().take(steps).fold(self.start, |position, step| match step {
            Step::Move { ply, .. } => position.play(ply),
            Step::Setup { position, .. } => *position,
        })
    }
}

impl From<Game> for Located {
    /// A game without places.
    fn from(game: Game) -> Located {
        Located { game, places: Places::default() }
    }
}

/// What [`walk`] has met.
#[derive(Debug)]
pub enum Seen<'a> {
    /// A move that could be resolved.
    Move {
        /// Its index in the entries.
        entry: usize,
        /// 0 for the main line.
        depth: usize,
        /// The position before it.
        before: &'a Position,
        /// The move.
        ply: &'a Move,
    },
    /// A move entry that is a further leg of the capture before it.
    Leg {
        /// Its index in the entries.
        entry: usize,
    },
    /// A move that fits several legal ones, and nothing tells which.
    Ambiguous {
        /// Its index in the entries.
        entry: usize,
        /// The position before it.
        before: &'a Position,
        /// What it may mean.
        candidates: &'a [Move],
    },
    /// A setup.
    Setup {
        /// Its index in the entries.
        entry: usize,
        /// 0 for the main line.
        depth: usize,
        /// The new position.
        position: &'a Position,
    },
}

/// The outcome of a walk.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The position before the first move.
    pub start: Position,
    /// The position at the end of the main line; `None` if the line is lost there.
    pub last: Option<Position>,
    /// Could every move of the main line be played?
    pub is_complete: bool,
    /// Everything that is wrong, in order.
    pub problems: Vec<Problem>,
}

/// The deepest variation that is played; the standard has no bound, people stay below ten.
const DEEPEST: usize = 200;

/// Plays the whole game, variations included, and shows every move that could be resolved.
pub fn walk(located: &Located, variant: &'static Variant, visit: &mut dyn FnMut(Seen<'_>)) -> Walked {
    let mut walk = Walk {
        entries: &located.game.entries,
        places: &located.places,
        variant,
        lines: Vec::new(),
        skipped_depth: 0,
        legs: 0,
        is_complete: true,
        problems: Vec::new(),
    };
    let (start, line) = walk.start(&located.game);
    walk.lines.push(line);
    let start = walk.entries.first().and_then(|_| first_setup(&located.game, variant)).unwrap_or(start);
    for index in 0..walk.entries.len() {
        walk.entry(index, visit);
    }
    let last = walk.lines.first().and_then(|line| line.now);
    Walked { start, last, is_complete: walk.is_complete, problems: walk.problems }
}

/// The setup that stands before every move gives the start.
fn first_setup(game: &Game, variant: &'static Variant) -> Option<Position> {
    let entry = game.entries.iter().find(|entry| !matches!(entry, Entry::Comment(_) | Entry::Nag(_)))?;
    let Entry::Setup(text) = entry else { return None };
    read_setup(variant, text).ok().and_then(|(setup, _)| Position::new(variant, setup).ok())
}

struct Walk<'a> {
    entries: &'a [Entry],
    places: &'a Places,
    variant: &'static Variant,
    /// The main line and the variations we are in.
    lines: Vec<Line>,
    /// How many variations deeper than [`DEEPEST`] we are.
    skipped_depth: usize,
    /// How many of the move entries that come are legs of the last capture.
    legs: usize,
    is_complete: bool,
    problems: Vec<Problem>,
}

/// One line of play.
#[derive(Clone, Debug)]
struct Line {
    /// The position now; `None` when the line is lost.
    now: Option<Position>,
    /// The position before the last move: where a variation begins.
    before: Option<Position>,
    /// What else the position may be, until the first move has shown it.
    instead: Option<(Position, Doubt)>,
    /// Was it said that the line is lost?
    reported: bool,
}

/// Why another position is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doubt {
    /// The FEN does not say whose turn it is.
    TurnUnknown,
    /// The FEN, or the rules of the game, may have the turn wrong.
    Turn,
    /// The variation may continue the line instead of replacing its last move.
    Continuation,
}

impl Line {
    fn at(position: Position, doubt: Doubt) -> Line {
        let instead = Some((position.with_turn(!position.turn()), doubt));
        Line { now: Some(position), before: None, instead, reported: false }
    }

    fn lost() -> Line {
        Line { now: None, before: None, instead: None, reported: true }
    }
}

impl Walk<'_> {
    /// Where the game begins.
    fn start(&mut self, game: &Game) -> (Position, Line) {
        let normal = Position::start(self.variant);
        let Some(at) = game.tags.iter().position(|tag| tag.name == "FEN") else {
            return (normal, Line::at(normal, Doubt::Turn));
        };
        let text = game.tags.get("FEN").unwrap_or_default();
        if text.trim().is_empty() {
            return (normal, Line::at(normal, Doubt::Turn));
        }
        let place = self.places.tags.get(at).copied().unwrap_or(Place::START);
        match self.position(text, place) {
            Some((position, doubt)) => (position, Line::at(position, doubt)),
            None => {
                self.is_complete = false;
                (normal, Line::lost())
            }
        }
    }

    /// The position of a FEN; reports why there is none.
    fn position(&mut self, text: &str, place: Place) -> Option<(Position, Doubt)> {
        let (setup, doubt) = match read_setup(self.variant, text) {
            Ok(read) => read,
            Err(error) => {
                self.problems.push(Problem::error(place, error.to_string()));
                return None;
            }
        };
        match Position::new(self.variant, setup) {
            Ok(position) => Some((position, doubt)),
            Err(error) => {
                // Without a move behind it the position is a picture, and pictures may be anything.
                let is_played = self.entries.iter().any(|entry| matches!(entry, Entry::Move(_)));
                let level = if is_played { Level::Error } else { Level::Warning };
                let hint = Some(fen::write(self.variant, &setup));
                self.problems.push(Problem { place, level, what: error.to_string(), hint });
                None
            }
        }
    }

    fn place(&self, index: usize) -> Place {
        self.places.entries.get(index).copied().unwrap_or(Place::START)
    }

    fn entry(&mut self, index: usize, visit: &mut dyn FnMut(Seen<'_>)) {
        let entries = self.entries;
        match &entries[index] {
            Entry::Comment(_) | Entry::Nag(_) => {}
            Entry::Open => self.open(index),
            Entry::Close if self.skipped_depth > 0 => self.skipped_depth -= 1,
            Entry::Close => {
                // The main line stays, whatever the entries say.
                if self.lines.len() > 1 {
                    self.lines.pop();
                }
            }
            _ if self.skipped_depth > 0 => {}
            Entry::Setup(text) => self.setup(index, text, visit),
            Entry::Move(_) if self.legs > 0 => {
                self.legs -= 1;
                visit(Seen::Leg { entry: index });
            }
            Entry::Move(ply) => self.ply(index, ply, visit),
        }
    }

    fn open(&mut self, index: usize) {
        if self.lines.len() > DEEPEST {
            if self.skipped_depth == 0 {
                let what = format!("variations more than {DEEPEST} deep are not checked");
                self.problems.push(Problem::warning(self.place(index), what));
            }
            self.skipped_depth += 1;
            return;
        }
        let Some(line) = self.lines.last() else { return };
        let inner = match (line.before, line.now) {
            (Some(before), now) => {
                let instead = now.map(|now| (now, Doubt::Continuation));
                Line { now: Some(before), before: None, instead, reported: false }
            }
            (None, Some(now)) => Line { now: Some(now), before: None, instead: line.instead, reported: false },
            (None, None) => Line::lost(),
        };
        self.lines.push(inner);
    }

    fn setup(&mut self, index: usize, text: &str, visit: &mut dyn FnMut(Seen<'_>)) {
        let place = self.place(index);
        let depth = self.lines.len() - 1;
        let now = self.lines.last().and_then(|line| line.now);
        let line = match (null_move(text), now) {
            (Some(turn), Some(now)) => {
                let turn = turn.unwrap_or(!now.turn());
                Line { now: Some(now.with_turn(turn)), before: Some(now), instead: None, reported: false }
            }
            (Some(_), None) => return,
            (None, _) => match self.position(text, place) {
                Some((position, doubt)) => Line::at(position, doubt),
                None => {
                    self.lose_main_line();
                    Line::lost()
                }
            },
        };
        if let Some(position) = &line.now {
            visit(Seen::Setup { entry: index, depth, position });
        }
        if let Some(last) = self.lines.last_mut() {
            *last = line;
        }
    }

    fn lose_main_line(&mut self) {
        self.is_complete &= self.lines.len() > 1;
    }

    fn ply(&mut self, index: usize, ply: &MoveEntry, visit: &mut dyn FnMut(Seen<'_>)) {
        let depth = self.lines.len() - 1;
        let Some(line) = self.lines.last_mut() else { return };
        // Nearly every move of nearly every game.
        if let (Some(now), None) = (&line.now, &ply.captured)
            && let Some((from, to)) = two_squares(self.variant, &ply.text)
            && let Some(found) = now.only_move(from, to)
        {
            visit(Seen::Move { entry: index, depth, before: now, ply: &found });
            let next = now.play(&found);
            line.before = line.now.replace(next);
            line.instead = None;
            line.reported = false;
            return;
        }
        let instead = line.instead;
        let Some(now) = line.now else {
            self.lose_main_line();
            self.report_lost(index, ply);
            self.lines[depth].before = None;
            return;
        };
        if ply.is_unknown() {
            self.lines[depth] = Line { now: None, before: Some(now), instead: None, reported: false };
            return;
        }
        let (before, found) = match self.resolve(index, &now, ply) {
            Err(error) => match instead {
                Some((other, doubt)) => match self.resolve(index, &other, ply) {
                    Ok(found) => {
                        self.report_doubt(index, doubt, &other);
                        (other, Ok(found))
                    }
                    Err(_) => (now, Err(error)),
                },
                None => (now, Err(error)),
            },
            Ok(found) => (now, Ok(found)),
        };
        match found {
            Ok(Found { ply, legs }) => {
                visit(Seen::Move { entry: index, depth, before: &before, ply: &ply });
                self.legs = legs;
                let now = Some(before.play(&ply));
                self.lines[depth] = Line { now, before: Some(before), instead: None, reported: false };
            }
            Err(unresolved) => {
                if let Unresolved::Ambiguous(candidates) = &unresolved {
                    visit(Seen::Ambiguous { entry: index, before: &before, candidates });
                }
                self.report(index, unresolved, &before, ply);
                self.lose_main_line();
                self.lines[depth] = Line { before: Some(before), ..Line::lost() };
            }
        }
    }

    /// The move that an entry means, with the help of what follows.
    fn resolve(&mut self, index: usize, position: &Position, ply: &MoveEntry) -> Result<Found, Unresolved> {
        match resolve(position, &ply.text, ply.captured.as_deref()) {
            Ok(ply) => Ok(Found { ply, legs: 0 }),
            Err(Unresolved::Ambiguous(candidates)) => {
                let ahead: Vec<usize> =
                    candidates.iter().map(|candidate| self.reach(index, position.play(candidate))).collect();
                let farthest = ahead.iter().copied().max().unwrap_or(0);
                let mut best = candidates.iter().zip(&ahead).filter(|(_, reach)| **reach == farthest);
                let chosen = best.next().map(|(candidate, _)| candidate.clone());
                match chosen {
                    Some(ply) if best.next().is_none() => {
                        let what = format!("{} is ambiguous", candidates_text(position, &candidates));
                        let text = notation::write_long(position.variant(), &ply);
                        let hint = format!("only {text} lets the following moves go on");
                        self.problems.push(Problem::note(self.place(index), what).hint(hint));
                        Ok(Found { ply, legs: 0 })
                    }
                    _ => Err(Unresolved::Ambiguous(candidates)),
                }
            }
            Err(Unresolved::Illegal) => self.leg_by_leg(index, position, ply).ok_or(Unresolved::Illegal),
            Err(Unresolved::Malformed) => Err(Unresolved::Malformed),
        }
    }

    /// How many of the moves behind an entry can be played on from a position.
    fn reach(&self, index: usize, mut position: Position) -> usize {
        let mut reach = 0;
        for ply in following(self.entries, index) {
            let next = match resolve(&position, &ply.text, ply.captured.as_deref()) {
                Ok(next) => next,
                Err(Unresolved::Ambiguous(mut candidates)) if !candidates.is_empty() => candidates.swap_remove(0),
                Err(_) => return reach,
            };
            position = position.play(&next);
            reach += 1;
        }
        reach
    }

    /// A capture whose legs were written as moves of their own.
    fn leg_by_leg(&mut self, index: usize, position: &Position, ply: &MoveEntry) -> Option<Found> {
        let geometry = &position.variant().geometry;
        let mut path = squares_of(position.variant(), &ply.text)?.pop()?;
        let legal = position.legal_moves();
        let begins = |path: &[Square]| {
            let fits = |ply: &&Move| {
                ply.from() == path[0]
                    && ply.jumps().len() >= path.len() - 1
                    && ply.jumps().iter().zip(&path[1..]).all(|(jump, square)| jump.to == *square)
            };
            legal.iter().filter(|ply| ply.is_capture()).filter(fits).cloned().collect::<Vec<Move>>()
        };
        if begins(&path).is_empty() {
            return None;
        }
        for (before, next) in following(self.entries, index).enumerate() {
            let more = squares_of(position.variant(), &next.text)?.pop()?;
            if more[0] != *path.last()? {
                return None;
            }
            path.extend(&more[1..]);
            if begins(&path).is_empty() {
                return None;
            }
            let whole: Vec<Move> =
                begins(&path).into_iter().filter(|ply| ply.jumps().len() == path.len() - 1).collect();
            if let [found] = &whole[..] {
                let names: Vec<&str> = path.iter().map(|square| geometry.name(*square)).collect();
                let what = format!("the capture {} is written leg by leg", names.join("x"));
                self.problems.push(Problem::warning(self.place(index), what).hint("it is one move"));
                return Some(Found { ply: found.clone(), legs: before + 1 });
            }
        }
        None
    }

    fn report_doubt(&mut self, index: usize, doubt: Doubt, position: &Position) {
        let place = self.place(index);
        match doubt {
            Doubt::TurnUnknown => {}
            Doubt::Turn => {
                let what = format!("{} moves, though it is not {0}'s turn", position.turn());
                self.problems.push(Problem::warning(place, what));
            }
            Doubt::Continuation => {
                let what = "the variation continues the line instead of replacing its last move";
                self.problems.push(Problem::note(place, what));
            }
        }
    }

    fn report(&mut self, index: usize, unresolved: Unresolved, position: &Position, ply: &MoveEntry) {
        // Of an ambiguous move with nothing behind it only its own path is missing.
        let is_last = matches!(unresolved, Unresolved::Ambiguous(_)) && following(self.entries, index).next().is_none();
        let level = if self.lines.len() > 1 || is_last { Level::Warning } else { Level::Error };
        let what = match &unresolved {
            Unresolved::Malformed => format!("{} names squares that this board does not have", quoted(&ply.text)),
            Unresolved::Illegal => format!("{} is not legal", quoted(&ply.text)),
            Unresolved::Ambiguous(candidates) => {
                format!("{} is ambiguous: {}", quoted(&ply.text), candidates_text(position, candidates))
            }
        };
        let number = ply.number.map_or(String::new(), |number| format!("{number} "));
        let hint = format!("{number}in {}", fen::write(position.variant(), &position.setup()));
        self.problems.push(Problem { place: self.place(index), level, what, hint: Some(hint) });
    }

    /// A move behind an unknown one.
    fn report_lost(&mut self, index: usize, ply: &MoveEntry) {
        let place = self.place(index);
        let Some(line) = self.lines.last_mut() else { return };
        if !ply.is_unknown() && !std::mem::replace(&mut line.reported, true) {
            let what = "behind an unknown move nothing can be checked";
            self.problems.push(Problem::warning(place, what).hint("a setup would give the position"));
        }
    }
}

/// A move that was found, and how many of the entries behind it belong to it.
struct Found {
    ply: Move,
    legs: usize,
}

/// How many entries behind a move are looked at to understand it: more than the longest game has.
const LOOK_AHEAD: usize = 2_000;

/// The moves of the same line behind an entry, up to a setup.
fn following(entries: &[Entry], index: usize) -> impl Iterator<Item = &MoveEntry> {
    let mut depth = 0_usize;
    let mut is_over = false;
    entries[index + 1..]
        .iter()
        .take(LOOK_AHEAD)
        .take_while(move |entry| {
            match entry {
                Entry::Open => depth += 1,
                Entry::Close if depth == 0 => is_over = true,
                Entry::Close => depth -= 1,
                Entry::Setup(_) if depth == 0 => is_over = true,
                _ => {}
            }
            !is_over
        })
        .scan(0_usize, |depth, entry| {
            match entry {
                Entry::Open => *depth += 1,
                Entry::Close => *depth = depth.saturating_sub(1),
                Entry::Move(ply) if *depth == 0 => return Some(Some(ply)),
                _ => {}
            }
            Some(None)
        })
        .flatten()
}

fn candidates_text(position: &Position, candidates: &[Move]) -> String {
    let long = |ply: &Move| notation::write_long(position.variant(), ply);
    candidates.iter().map(long).collect::<Vec<_>>().join(" or ")
}

/// Is this the FEN of a null move? The turn it gives, if it names one.
pub(super) fn null_move(text: &str) -> Option<Option<Color>> {
    let (turn, rest) = text.trim().split_once(':')?;
    if rest.is_empty() || !rest.chars().all(|c| c == ':') {
        return None;
    }
    match turn {
        "W" | "w" => Some(Some(Color::White)),
        "B" | "b" => Some(Some(Color::Black)),
        "?" => Some(None),
        _ => None,
    }
}

/// Reads a FEN whose turn may be unknown, and whose squares may be called in the other way: numbers from the top left on
/// a board of letters (the old Russian and Brazilian files), or letters on a board of numbers.
pub(super) fn read_setup(variant: &Variant, text: &str) -> Result<(Setup, Doubt), fen::FenError> {
    let text = text.trim();
    let (text, doubt) = match text.strip_prefix('?') {
        None => (text.to_owned(), Doubt::Turn),
        Some(rest) => (format!("{}{rest}", variant.game_type.starter.letter()), Doubt::TurnUnknown),
    };
    let read = fen::read(variant, &text).or_else(|error| fen::read(twin(variant), &text).map_err(|_| error));
    read.map(|setup| (setup, doubt))
}

/// A FEN in the form that the standard writes; a turn that is not known stays unknown. `None` if it cannot be read.
pub(super) fn canonical_fen(variant: &Variant, text: &str) -> Option<String> {
    if let Some(turn) = null_move(text) {
        return Some(format!("{}::", turn.map_or('?', Color::letter)));
    }
    let (setup, doubt) = read_setup(variant, text).ok()?;
    let fen = fen::write(variant, &setup);
    Some(if doubt == Doubt::TurnUnknown { format!("?{}", &fen[1..]) } else { fen })
}

/// The same board with the squares called in the other way. Squares themselves are the same.
fn twin(variant: &Variant) -> &'static Variant {
    let mut game_type = variant.game_type;
    let notation = &mut game_type.notation;
    notation.kind = match notation.kind {
        NotationKind::Algebraic => NotationKind::Numeric,
        NotationKind::Numeric => NotationKind::Algebraic,
    };
    // Letters count from the bottom left, numbers from the top left, for White.
    let from_white = game_type.starter == Color::White;
    notation.from_left = from_white;
    notation.from_bottom = (notation.kind == NotationKind::Algebraic) == from_white;
    Variant::new(game_type, variant.choices)
}

/// Why a text is not a legal move.
#[derive(Clone, Debug)]
pub enum Unresolved {
    /// It names no squares of this board.
    Malformed,
    /// It is no legal move.
    Illegal,
    /// It fits all of these.
    Ambiguous(Vec<Move>),
}

/// The legal move that a text means. `captured`: the squares that the 3.1 proposal adds.
///
/// # Errors
///
/// When the text is no move, not a legal one, or more than one.
pub fn resolve(position: &Position, text: &str, captured: Option<&str>) -> Result<Move, Unresolved> {
    let variant = position.variant();
    if let (Some((from, to)), None) = (two_squares(variant, text), captured)
        && let Some(ply) = position.only_move(from, to)
    {
        return Ok(ply);
    }
    let readings = squares_of(variant, text).ok_or(Unresolved::Malformed)?;
    let legal = position.legal_moves();
    let mut fitting = fitting(&legal, &readings);
    if let Some(captured) = captured {
        let squares = captured.split(',').filter_map(|name| square(variant, name)).collect();
        // Squares that fit no move tell nothing.
        if fitting.iter().any(|ply| ply.captured() == squares) {
            fitting.retain(|ply| ply.captured() == squares);
        }
    }
    match fitting[..] {
        [ply] => Ok(ply.clone()),
        [] => Err(Unresolved::Illegal),
        _ => match notation::read(position, text) {
            Ok(ply) => Ok(ply),
            Err(_) => {
                let mut candidates: Vec<Move> = fitting.into_iter().cloned().collect();
                candidates.sort_by_key(|ply| notation::write_long(variant, ply));
                Err(Unresolved::Ambiguous(candidates))
            }
        },
    }
}

/// The squares of a text that names two of them.
#[inline(always)]
pub(super) fn two_squares(variant: &Variant, text: &str) -> Option<(Square, Square)> {
    let square_of = |name: &[u8]| variant.geometry.square_of(name);
    let ends = match text.as_bytes() {
        [a, b, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a, *b]), square_of(to)),
        [a, b'-' | b'x' | b':', to @ ..] => (square_of(&[*a]), square_of(to)),
        _ => (None, None),
    };
    if let (Some(from), Some(to)) = ends { Some((from, to)) } else { two_squares_in_full(variant, text) }
}

/// The same with leading zeros and capitals.
#[cold]
fn two_squares_in_full(variant: &Variant, text: &str) -> Option<(Square, Square)> {
    let (from, to) = text.split_once(['-', 'x', ':'])?;
    Some((square(variant, from)?, square(variant, to)?))
}

/// The legal moves that begin and end as one of the readings says.
fn fitting<'m>(legal: &'m [Move], readings: &[Vec<Square>]) -> Vec<&'m Move> {
    let fits =
        |ply: &&Move| readings.iter().any(|path| Some(&ply.from()) == path.first() && Some(&ply.to()) == path.last());
    legal.iter().filter(fits).collect()
}

/// The squares that a move's text names; several readings if the separators are missing. Every reading has two squares
/// or more.
fn squares_of(variant: &Variant, text: &str) -> Option<Vec<Vec<Square>>> {
    let parts: Vec<&str> = text.split(['-', 'x', 'X', ':', '×', '–', '−']).collect();
    if parts.len() >= 2 {
        let squares: Option<Vec<Square>> = parts.iter().map(|name| square(variant, name)).collect();
        return squares.map(|path| vec![path]);
    }
    let splits: Vec<Vec<&str>> = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        (1..text.len()).map(|at| vec![&text[..at], &text[at..]]).collect()
    } else {
        vec![at_letters(text)]
    };
    let path = |parts: Vec<&str>| parts.iter().map(|name| square(variant, name)).collect::<Option<Vec<Square>>>();
    let readings: Vec<_> = splits.into_iter().filter_map(path).filter(|path| path.len() >= 2).collect();
    (!readings.is_empty()).then_some(readings)
}

/// `a3b4c5` cut before each letter.
pub(super) fn at_letters(text: &str) -> Vec<&str> {
    let mut cuts: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_alphabetic()).map(|(at, _)| at).collect();
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// A square by its name, leading zeros and capitals allowed.
fn square(variant: &Variant, name: &str) -> Option<Square> {
    let name = name.trim().trim_start_matches('0');
    match variant.geometry.square(name) {
        None if name.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            variant.geometry.square(&name.to_ascii_lowercase())
        }
        found => found,
    }
}
