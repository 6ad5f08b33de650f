//! Moves that only later moves make clear: a short capture that fits several, a capture written leg by leg.

use draughts::{Move, Position, Square};

use super::resolve::{Unresolved, parse_squares, resolve};
use crate::game::{Entry, MoveEntry};
use crate::notation;

/// A resolved move, and the number of following entries that belong to it.
pub(super) struct ResolvedMove {
    pub ply: Move,
    pub legs: usize,
}

/// Returns the number of moves after an entry that can be played from a position.
pub(super) fn count_playable(entries: &[Entry], index: usize, mut position: Position) -> usize {
    let mut reach = 0;
    for ply in following_moves(entries, index) {
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

/// Joins the legs of a capture that were written as separate moves. Returns the capture with the squares of its legs.
pub(super) fn join_legs(
    entries: &[Entry],
    index: usize,
    position: &Position,
    ply: &MoveEntry,
) -> Option<(ResolvedMove, Vec<Square>)> {
    let mut path = parse_squares(position.variant(), &ply.text)?.pop()?;
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
    for (before, next) in following_moves(entries, index).enumerate() {
        let more = parse_squares(position.variant(), &next.text)?.pop()?;
        if more[0] != *path.last()? {
            return None;
        }
        path.extend(&more[1..]);
        if begins(&path).is_empty() {
            return None;
        }
        let whole: Vec<Move> = begins(&path).into_iter().filter(|ply| ply.jumps().len() == path.len() - 1).collect();
        if let [found] = &whole[..] {
            return Some((ResolvedMove { ply: found.clone(), legs: before + 1 }, path));
        }
    }
    None
}

/// Maximum number of entries searched after a move: more than the longest game has.
const MAX_LOOK_AHEAD: usize = 2_000;

/// Returns the moves of the same line after an entry, up to a setup.
pub(super) fn following_moves(entries: &[Entry], index: usize) -> impl Iterator<Item = &MoveEntry> {
    let mut depth = 0_usize;
    let mut is_over = false;
    entries[index + 1..]
        .iter()
        .take(MAX_LOOK_AHEAD)
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

pub(super) fn candidates_text(position: &Position, candidates: &[Move]) -> String {
    let long = |ply: &Move| notation::write_long(position.variant(), ply);
    candidates.iter().map(long).collect::<Vec<_>>().join(" or ")
}
