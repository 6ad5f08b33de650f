//! Resolves the entries of a game by the rules, before they are written in the standard's form.

use crate::game::{Entry, MoveText};
use crate::problem::{Location, Problem};
use crate::reader::LocatedGame;
use crate::replay::{self, WalkEvent, WalkedMove};
use crate::{fen, notation};
use draughts::{Color, Position, Variant};

/// Notation of a capture that two legal moves share.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum AmbiguousCaptures {
    /// With every square of its path, `47x38x24x13x36`: PDN 3.0.
    #[default]
    Path,
    /// With the captured pieces, `47x36 <42,29,19,9>`: the proposal for PDN 3.1, which no reader of 3.0 accepts.
    Captured,
}

/// Meaning of an entry by the rules.
#[derive(Clone, Default)]
pub(super) enum Meaning {
    /// A move that is not legal or cannot be checked, or no move.
    #[default]
    Unknown,
    /// Move of a side in the standard's notation.
    Move {
        turn: Color,
        /// Text and captured pieces; `None` if they are in the standard's notation already.
        rewritten: Option<Box<(MoveText, Option<MoveText>)>>,
    },
    /// A further leg of the capture before it.
    Leg,
    /// Several moves, so that it cannot be written as any of them.
    Ambiguous,
    /// FEN of a setup, and the side to move.
    Setup(String, Color),
}

/// Resolution of a game by the rules.
pub(super) struct Resolved {
    /// Meaning of each entry.
    pub meanings: Vec<Meaning>,
    pub start: Position,
    pub start_turn: Color,
    /// FEN of the start and place of the first move, if that shows that the other side begins.
    pub start_fen: Option<(String, Location)>,
    /// Problems of moves that are not legal.
    pub illegal: Vec<Problem>,
}

impl Resolved {
    pub fn from_game(located: &LocatedGame, variant: &'static Variant, style: AmbiguousCaptures) -> Resolved {
        let mut meanings = vec![Meaning::Unknown; located.game.entries.len()];
        // For each line: the setup not yet followed by a move.
        let mut fresh: Vec<Option<usize>> = Vec::new();
        let mut begins: Option<Position> = None;
        let mut is_begun = false;
        let mut illegal = Vec::new();
        let written = |index: usize| match &located.game.entries[index] {
            Entry::Move(written) => written.text.as_bytes(),
            _ => &[],
        };
        let walked = replay::walk(located, variant, &mut |seen| match seen {
            WalkEvent::Move { entry, before, ply, depth } => {
                fresh.truncate(depth + 1);
                if let Some(setup) = fresh.get_mut(depth).and_then(Option::take)
                    && let Meaning::Setup(written, turn) = &mut meanings[setup]
                    && *turn != before.turn()
                {
                    (*written, *turn) = (fen::write(variant, &before.setup()), before.turn());
                }
                if depth == 0 && !std::mem::replace(&mut is_begun, true) {
                    begins = Some(*before);
                }
                let rewritten = rewritten(before, ply, written(entry), style).map(Box::new);
                meanings[entry] = Meaning::Move { turn: before.turn(), rewritten };
            }
            WalkEvent::Leg { entry } => meanings[entry] = Meaning::Leg,
            WalkEvent::Ambiguous { entry, .. } => meanings[entry] = Meaning::Ambiguous,
            WalkEvent::Illegal { entry } => {
                illegal.push(entry_location(located, entry));
            }
            WalkEvent::OutOfTurn { .. } => {}
            WalkEvent::Setup { entry, position, depth } => {
                fresh.resize(depth + 1, None);
                fresh[depth] = Some(entry);
                is_begun |= depth == 0;
                meanings[entry] = Meaning::Setup(fen::write(variant, &position.setup()), position.turn());
            }
        });
        let says_unknown = located
            .game
            .tags
            .get("FEN")
            .is_some_and(|fen| fen.trim().starts_with('?') && replay::null_move(fen).is_none());
        let begins = begins.filter(|first| first.turn() != walked.start.turn() && !says_unknown);
        let start_turn = begins.as_ref().unwrap_or(&walked.start).turn();
        let start_fen = begins.map(|first| {
            let index = located.game.entries.iter().position(|entry| matches!(entry, Entry::Move(_)));
            (fen::write(variant, &first.setup()), entry_location(located, index.unwrap_or(0)))
        });
        let illegal = walked.problems.into_iter().filter(|problem| illegal.contains(&problem.location)).collect();
        Resolved { meanings, start: walked.start, start_turn, start_fen, illegal }
    }
}

/// Returns the text of a move and its captured pieces in the standard's notation; `None` if they are in it already.
fn rewritten(
    before: &Position,
    ply: WalkedMove<'_>,
    written: &[u8],
    style: AmbiguousCaptures,
) -> Option<(MoveText, Option<MoveText>)> {
    let variant = before.variant();
    let full = match ply {
        WalkedMove::Only { from, to, is_capture } => {
            let is_short = notation::is_short(variant, (from, to), is_capture, written);
            return (!is_short).then(|| (notation::short_text(variant, (from, to), is_capture), None));
        }
        WalkedMove::Full(full) => full,
    };
    let short = notation::write_short(variant, full).into();
    Some(match style {
        _ if !notation::is_ambiguous_in(before, full) => (short, None),
        AmbiguousCaptures::Path => (notation::write_long(variant, full).into(), None),
        AmbiguousCaptures::Captured => (short, Some(notation::captured_list(variant, full).into())),
    })
}

pub(super) fn entry_location(located: &LocatedGame, index: usize) -> Location {
    located.locations.entries.get(index).copied().unwrap_or(Location::START)
}
