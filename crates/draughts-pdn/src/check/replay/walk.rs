//! Walks through a game, including variations: every line has a position or is lost.

use draughts::{Move, Position, Square, Variant};

use super::following::{ResolvedMove, candidates_text, count_playable, following_moves, join_legs};
use super::resolve::{Unresolved, is_capture, parse_two_squares, resolve};
use super::setup::{PositionDoubt, has_unknown_pieces, null_move, read_setup};
use crate::fen;
use crate::game::{Entry, Game, MoveEntry};
use crate::notation;
use crate::problem::{Level, Location, Problem, quote};
use crate::reader::{LocatedGame, Locations};

/// Event of a [`walk`].
#[derive(Debug)]
#[non_exhaustive]
pub enum WalkEvent<'a> {
    /// A resolved move.
    Move {
        /// Index in the entries.
        entry: usize,
        /// 0 for the main line.
        depth: usize,
        /// Position before the move.
        before: &'a Position,
        /// The move.
        ply: WalkedMove<'a>,
    },
    /// A move entry that is a further leg of the capture before it.
    Leg {
        /// Index in the entries.
        entry: usize,
    },
    /// A move that fits several legal moves without a way to decide.
    Ambiguous {
        /// Index in the entries.
        entry: usize,
        /// Position before the move.
        before: &'a Position,
        /// Possible moves.
        candidates: &'a [Move],
    },
    /// A move that the rules do not allow, or that names no squares of the board.
    Illegal {
        /// Index in the entries.
        entry: usize,
    },
    /// A move of the side that is not to move; also reported as a move.
    OutOfTurn {
        /// Index in the entries.
        entry: usize,
    },
    /// A setup.
    Setup {
        /// Index in the entries.
        entry: usize,
        /// 0 for the main line.
        depth: usize,
        /// The new position.
        position: &'a Position,
    },
}

/// A move as a walk finds it.
#[derive(Clone, Copy, Debug)]
pub enum WalkedMove<'a> {
    /// The only legal move from one square to another, which its text names.
    Only {
        /// Start.
        from: Square,
        /// End.
        to: Square,
        /// Whether it captures anything.
        is_capture: bool,
    },
    /// Any other move.
    Full(&'a Move),
}

impl WalkedMove<'_> {
    /// Returns the move, which was found in this position; `None` for any other position.
    pub fn ply(self, before: &Position) -> Option<Move> {
        match self {
            WalkedMove::Only { from, to, .. } => before.only_move(from, to),
            WalkedMove::Full(ply) => Some(ply.clone()),
        }
    }
}

/// The outcome of a walk.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WalkResult {
    /// Position before the first move.
    pub start: Position,
    /// Position at the end of the main line; `None` if the line is lost there.
    pub final_position: Option<Position>,
    /// Whether every move of the main line could be played.
    pub is_complete: bool,
    /// All problems, in order.
    pub problems: Vec<Problem>,
}

/// Maximum depth of variations played; the standard has no bound, and people stay below ten.
const MAX_VARIATION_DEPTH: usize = 200;

/// Plays the whole game, including variations, and reports every event to `visit`.
pub fn walk(located: &LocatedGame, variant: &'static Variant, visit: &mut dyn FnMut(WalkEvent<'_>)) -> WalkResult {
    let mut walk = Walk {
        entries: &located.game.entries,
        locations: &located.locations,
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
    let last = walk.lines.first().and_then(|line| line.position);
    WalkResult { start, final_position: last, is_complete: walk.is_complete, problems: walk.problems }
}

/// Returns the start from a setup before all moves.
fn first_setup(game: &Game, variant: &'static Variant) -> Option<Position> {
    let entry = game.entries.iter().find(|entry| !matches!(entry, Entry::Comment(_) | Entry::Nag(_)))?;
    let Entry::Setup(text) = entry else { return None };
    if null_move(text).is_some() {
        return None;
    }
    read_setup(variant, text).ok().and_then(|(setup, _)| Position::new(variant, setup).ok())
}

/// State of a walk.
pub(super) struct Walk<'a> {
    pub(super) entries: &'a [Entry],
    locations: &'a Locations,
    variant: &'static Variant,
    /// The main line and the open variations.
    lines: Vec<PlayLine>,
    /// Number of open variations deeper than [`MAX_VARIATION_DEPTH`].
    skipped_depth: usize,
    /// Number of following move entries that are legs of the last capture.
    legs: usize,
    is_complete: bool,
    pub(super) problems: Vec<Problem>,
}

/// One line of play.
#[derive(Clone, Debug)]
struct PlayLine {
    /// Current position; `None` if the line is lost.
    position: Option<Position>,
    /// Position before the last move, where a variation begins.
    position_before: Option<Position>,
    /// Alternative to the position, until the first move decides.
    alternative: Option<(Position, PositionDoubt)>,
    /// Whether the loss of the line was reported.
    is_loss_reported: bool,
}

impl PlayLine {
    fn at(position: Position, doubt: PositionDoubt) -> PlayLine {
        let alternative = Some((position.with_turn(!position.turn()), doubt));
        PlayLine { position: Some(position), position_before: None, alternative, is_loss_reported: false }
    }

    fn lost() -> PlayLine {
        PlayLine { position: None, position_before: None, alternative: None, is_loss_reported: true }
    }
}

impl Walk<'_> {
    /// Resolves the move of an entry, using the following moves if needed.
    fn resolve(&mut self, index: usize, position: &Position, ply: &MoveEntry) -> Result<ResolvedMove, Unresolved> {
        match resolve(position, &ply.text, ply.captured.as_deref()) {
            Ok(ply) => Ok(ResolvedMove { ply, legs: 0 }),
            Err(Unresolved::Ambiguous(candidates)) => {
                let ahead: Vec<usize> = candidates
                    .iter()
                    .map(|candidate| count_playable(self.entries, index, position.play(candidate)))
                    .collect();
                let farthest = ahead.iter().copied().max().unwrap_or(0);
                let mut best = candidates.iter().zip(&ahead).filter(|(_, reach)| **reach == farthest);
                let chosen = best.next().map(|(candidate, _)| candidate.clone());
                match chosen {
                    Some(ply) if best.next().is_none() => {
                        let message = format!("{} is ambiguous", candidates_text(position, &candidates));
                        let text = notation::write_long(position.variant(), &ply);
                        let hint = format!("only {text} lets the following moves go on");
                        self.problems.push(Problem::note(self.location(index), message).with_hint(hint));
                        Ok(ResolvedMove { ply, legs: 0 })
                    }
                    _ => Err(Unresolved::Ambiguous(candidates)),
                }
            }
            Err(Unresolved::Illegal) => {
                let (joined, path) = join_legs(self.entries, index, position, ply).ok_or(Unresolved::Illegal)?;
                let names: Vec<&str> = path.iter().map(|square| position.variant().geometry.name(*square)).collect();
                let message = format!("the capture {} is written leg by leg", names.join("x"));
                self.problems.push(Problem::warning(self.location(index), message).with_hint("it is one move"));
                Ok(joined)
            }
            Err(Unresolved::Malformed) => Err(Unresolved::Malformed),
        }
    }

    /// Returns the start position and the main line.
    fn start(&mut self, game: &Game) -> (Position, PlayLine) {
        let normal = Position::start(self.variant);
        let Some(at) = game.tags.iter().position(|tag| tag.name == "FEN") else {
            return (normal, PlayLine::at(normal, PositionDoubt::Turn));
        };
        let text = game.tags.get("FEN").unwrap_or_default();
        if text.trim().is_empty() {
            return (normal, PlayLine::at(normal, PositionDoubt::Turn));
        }
        let place = self.locations.tags.get(at).copied().unwrap_or(Location::START);
        if let Some(turn) = null_move(text) {
            let start = turn.map_or(normal, |turn| normal.with_turn(turn));
            return (start, PlayLine::at(start, PositionDoubt::Turn));
        }
        match self.position(text, place) {
            Some((position, doubt)) => (position, PlayLine::at(position, doubt)),
            None => {
                self.is_complete = false;
                (normal, PlayLine::lost())
            }
        }
    }

    /// Returns the position of a FEN; reports the reason if there is none.
    fn position(&mut self, text: &str, place: Location) -> Option<(Position, PositionDoubt)> {
        let (setup, doubt) = match read_setup(self.variant, text) {
            Ok(read) => read,
            Err(error) if has_unknown_pieces(self.variant, text) => {
                let hint = "the standard allows it; what follows cannot be checked";
                self.problems.push(Problem::warning(place, error.to_string()).with_hint(hint));
                return None;
            }
            Err(error) => {
                self.problems.push(Problem::error(place, error.to_string()));
                return None;
            }
        };
        match Position::new(self.variant, setup) {
            Ok(position) => Some((position, doubt)),
            Err(error) => {
                // Without moves the position is a diagram, and diagrams need not be legal positions.
                let is_played = self.entries.iter().any(|entry| matches!(entry, Entry::Move(_)));
                let level = if is_played { Level::Error } else { Level::Warning };
                let hint = Some(fen::write(self.variant, &setup));
                self.problems.push(Problem { location: place, level, message: error.to_string(), hint, kind: None });
                None
            }
        }
    }

    pub(super) fn location(&self, index: usize) -> Location {
        self.locations.entries.get(index).copied().unwrap_or(Location::START)
    }

    fn entry(&mut self, index: usize, visit: &mut dyn FnMut(WalkEvent<'_>)) {
        let entries = self.entries;
        match &entries[index] {
            Entry::Comment(_) | Entry::Nag(_) => {}
            Entry::Open => self.open(index),
            Entry::Close if self.skipped_depth > 0 => self.skipped_depth -= 1,
            Entry::Close => {
                // The main line remains even if the entries do not balance.
                if self.lines.len() > 1 {
                    self.lines.pop();
                }
            }
            _ if self.skipped_depth > 0 => {}
            Entry::Setup(text) => self.setup(index, text, visit),
            Entry::Move(_) if self.legs > 0 => {
                self.legs -= 1;
                visit(WalkEvent::Leg { entry: index });
            }
            Entry::Move(ply) => self.ply(index, ply, visit),
        }
    }

    fn open(&mut self, index: usize) {
        if self.lines.len() > MAX_VARIATION_DEPTH {
            if self.skipped_depth == 0 {
                let message = format!("variations more than {MAX_VARIATION_DEPTH} deep are not checked");
                self.problems.push(Problem::warning(self.location(index), message));
            }
            self.skipped_depth += 1;
            return;
        }
        let Some(line) = self.lines.last() else { return };
        let inner = match (line.position_before, line.position) {
            (Some(before), now) => {
                let instead = now.map(|now| (now, PositionDoubt::Continuation));
                PlayLine {
                    position: Some(before),
                    position_before: None,
                    alternative: instead,
                    is_loss_reported: false,
                }
            }
            (None, Some(now)) => PlayLine {
                position: Some(now),
                position_before: None,
                alternative: line.alternative,
                is_loss_reported: false,
            },
            (None, None) => PlayLine::lost(),
        };
        self.lines.push(inner);
    }

    fn setup(&mut self, index: usize, text: &str, visit: &mut dyn FnMut(WalkEvent<'_>)) {
        let place = self.location(index);
        let depth = self.lines.len() - 1;
        let now = self.lines.last().and_then(|line| line.position);
        let line = match (null_move(text), now) {
            (Some(turn), Some(now)) => {
                let turn = turn.unwrap_or(!now.turn());
                PlayLine {
                    position: Some(now.with_turn(turn)),
                    position_before: Some(now),
                    alternative: None,
                    is_loss_reported: false,
                }
            }
            (Some(_), None) => return,
            (None, _) => match self.position(text, place) {
                Some((position, doubt)) => PlayLine::at(position, doubt),
                None => {
                    self.lose_main_line();
                    PlayLine::lost()
                }
            },
        };
        if let Some(position) = &line.position {
            visit(WalkEvent::Setup { entry: index, depth, position });
        }
        if let Some(last) = self.lines.last_mut() {
            *last = line;
        }
    }

    fn lose_main_line(&mut self) {
        self.is_complete &= self.lines.len() > 1;
    }

    fn ply(&mut self, index: usize, ply: &MoveEntry, visit: &mut dyn FnMut(WalkEvent<'_>)) {
        let depth = self.lines.len() - 1;
        let Some(line) = self.lines.last_mut() else { return };
        // Nearly every move of nearly every game.
        if let (Some(now), None) = (&mut line.position, &ply.captured)
            && let Some((from, to)) = parse_two_squares(self.variant, ply.text.as_bytes())
        {
            let before = *now;
            if now.play_only_move(from, to) {
                let ply = WalkedMove::Only { from, to, is_capture: is_capture(&before, now) };
                visit(WalkEvent::Move { entry: index, depth, before: &before, ply });
                line.position_before = Some(before);
                line.alternative = None;
                line.is_loss_reported = false;
                return;
            }
        }
        let instead = line.alternative;
        let Some(now) = line.position else {
            self.lose_main_line();
            self.report_lost(index, ply);
            self.lines[depth].position_before = None;
            return;
        };
        if ply.is_unknown() {
            self.lines[depth] =
                PlayLine { position: None, position_before: Some(now), alternative: None, is_loss_reported: false };
            return;
        }
        let (before, found) = match self.resolve(index, &now, ply) {
            Err(error) => match instead {
                Some((other, doubt)) => match self.resolve(index, &other, ply) {
                    Ok(found) => {
                        if doubt == PositionDoubt::Turn {
                            visit(WalkEvent::OutOfTurn { entry: index });
                        }
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
            Ok(ResolvedMove { ply, legs }) => {
                visit(WalkEvent::Move { entry: index, depth, before: &before, ply: WalkedMove::Full(&ply) });
                self.legs = legs;
                let now = Some(before.play(&ply));
                self.lines[depth] = PlayLine {
                    position: now,
                    position_before: Some(before),
                    alternative: None,
                    is_loss_reported: false,
                };
            }
            Err(unresolved) => {
                visit(match &unresolved {
                    Unresolved::Ambiguous(candidates) => {
                        WalkEvent::Ambiguous { entry: index, before: &before, candidates }
                    }
                    Unresolved::Malformed | Unresolved::Illegal => WalkEvent::Illegal { entry: index },
                });
                self.report(index, unresolved, &before, ply);
                self.lose_main_line();
                self.lines[depth] = PlayLine { position_before: Some(before), ..PlayLine::lost() };
            }
        }
    }

    fn report_doubt(&mut self, index: usize, doubt: PositionDoubt, position: &Position) {
        let place = self.location(index);
        match doubt {
            PositionDoubt::TurnUnknown => {}
            PositionDoubt::Turn => {
                let message = format!("{} moves, though it is not {0}'s turn", position.turn());
                self.problems.push(Problem::warning(place, message));
            }
            PositionDoubt::Continuation => {
                let message = "the variation continues the line instead of replacing its last move";
                self.problems.push(Problem::note(place, message));
            }
        }
    }

    fn report(&mut self, index: usize, unresolved: Unresolved, position: &Position, ply: &MoveEntry) {
        // An ambiguous move at the end of its line lacks only its path.
        let is_last =
            matches!(unresolved, Unresolved::Ambiguous(_)) && following_moves(self.entries, index).next().is_none();
        let level = if self.lines.len() > 1 || is_last { Level::Warning } else { Level::Error };
        let message = match &unresolved {
            Unresolved::Malformed => format!("{} names squares that this board does not have", quote(&ply.text)),
            Unresolved::Illegal => format!("{} is not legal", quote(&ply.text)),
            Unresolved::Ambiguous(candidates) => {
                format!("{} is ambiguous: {}", quote(&ply.text), candidates_text(position, candidates))
            }
        };
        let number = ply.number.map_or(String::new(), |number| format!("{number} "));
        let hint = format!("{number}in {}", fen::write(position.variant(), &position.setup()));
        self.problems.push(Problem { location: self.location(index), level, message, hint: Some(hint), kind: None });
    }

    /// Reports a move after an unknown one.
    fn report_lost(&mut self, index: usize, ply: &MoveEntry) {
        let place = self.location(index);
        let Some(line) = self.lines.last_mut() else { return };
        if !ply.is_unknown() && !std::mem::replace(&mut line.is_loss_reported, true) {
            let message = "behind an unknown move nothing can be checked";
            self.problems.push(Problem::warning(place, message).with_hint("a setup would give the position"));
        }
    }
}
