//! Moves that only later moves make clear: a short capture that fits several, a capture written leg by leg.

use super::resolve::{Unresolved, parse_squares, resolve};
use super::walk::Walk;
use crate::game::{Entry, MoveEntry};
use crate::notation;
use crate::problem::Problem;
use draughts::{Move, Position, Square};

/// A resolved move, and the number of following entries that belong to it.
pub(super) struct ResolvedMove {
    pub ply: Move,
    pub legs: usize,
}

impl Walk<'_> {
    /// Resolves the move of an entry, using the following moves if needed.
    pub(super) fn resolve(
        &mut self,
        index: usize,
        position: &Position,
        ply: &MoveEntry,
    ) -> Result<ResolvedMove, Unresolved> {
        match resolve(position, &ply.text, ply.captured.as_deref()) {
            Ok(ply) => Ok(ResolvedMove { ply, legs: 0 }),
            Err(Unresolved::Ambiguous(candidates)) => {
                let ahead: Vec<usize> =
                    candidates.iter().map(|candidate| self.count_playable(index, position.play(candidate))).collect();
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
            Err(Unresolved::Illegal) => self.join_legs(index, position, ply).ok_or(Unresolved::Illegal),
            Err(Unresolved::Malformed) => Err(Unresolved::Malformed),
        }
    }

    /// Returns the number of moves after an entry that can be played from a position.
    fn count_playable(&self, index: usize, mut position: Position) -> usize {
        let mut reach = 0;
        for ply in following_moves(self.entries, index) {
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

    /// Joins the legs of a capture that were written as separate moves.
    fn join_legs(&mut self, index: usize, position: &Position, ply: &MoveEntry) -> Option<ResolvedMove> {
        let geometry = &position.variant().geometry;
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
        for (before, next) in following_moves(self.entries, index).enumerate() {
            let more = parse_squares(position.variant(), &next.text)?.pop()?;
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
                let message = format!("the capture {} is written leg by leg", names.join("x"));
                self.problems.push(Problem::warning(self.location(index), message).with_hint("it is one move"));
                return Some(ResolvedMove { ply: found.clone(), legs: before + 1 });
            }
        }
        None
    }
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
