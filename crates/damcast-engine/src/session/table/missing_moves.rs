//! Moves that a board missed, added by a person while the game goes on.
//!
//! | the moves follow | effect |
//! |---|---|
//! | the last entry | they become entries of the file |
//! | an earlier entry, and setups hide them | they are inserted in place of the setups, for all readers but those of the live file |
//!
//! Game and number of entries name the place, so a request that arrives twice changes nothing.

use std::sync::Arc;

use draughts::{Move, Position};
use draughts_pdn::game::MoveNumber;

use super::{Table, refusal};
use crate::millis::Millis;
use crate::recognition::{MissingMovesEnd, MissingMovesQuery};
use crate::score_sheet;
use crate::session::gaps::{MissingMoves, SetupGap, position_after};
use crate::session::request::AddedMoves;
use crate::session::{Condition, Effect, MissingMovesPlace, notes};

impl Table {
    /// Returns the places of the running game at which moves are missing: number of entries before each, oldest first. An
    /// unexplained board misses moves after the last entry.
    pub(super) fn missing_moves(&self, is_unexplained: bool) -> Vec<u32> {
        let Some(game) = self.games.open_game() else { return Vec::new() };
        let missing = &game.missing_moves;
        let last = is_unexplained.then(|| missing.entries());
        missing.open_gaps().map(|gap| gap.after).chain(last).collect()
    }

    /// Returns the missing moves of each place of the running game, to search for them.
    pub fn missing_moves_queries(&self) -> Vec<MissingMovesPlace> {
        let Some(game) = self.games.open_game() else { return Vec::new() };
        let number = game.file_number().unwrap_or_default();
        let missing = &game.missing_moves;
        let of_gap = |gap: &SetupGap| {
            let end = MissingMovesEnd::Position(gap.end.position);
            let query = MissingMovesQuery { start: gap.start.position, end, evidence: gap.evidence.clone() };
            MissingMovesPlace { game: number, after: gap.after, query }
        };
        let last = || {
            let evidence = Some(Arc::new(game.recogniser.gap_evidence()));
            let end = MissingMovesEnd::Board(self.board.occupancy());
            let query = MissingMovesQuery { start: *game.recogniser.position(), end, evidence };
            MissingMovesPlace { game: number, after: missing.entries(), query }
        };
        let is_unexplained = self.condition() == Condition::Unexplained;
        missing.open_gaps().map(of_gap).chain(is_unexplained.then(last)).collect()
    }

    /// Adds missing moves.
    pub(super) fn add_moves(&mut self, now: Millis, added: &AddedMoves) -> Vec<Effect> {
        let Some(missing) = self.missing_moves_of(added.game) else { return self.refuse_added(added.game) };
        let after = added.after;
        let entries = missing.entries();
        match missing.gap(after) {
            Some(SetupGap { start, added: Some(known), .. }) => compare(added, &start.position, known),
            Some(gap) => {
                let gap = gap.clone();
                match read(&gap.start.position, added) {
                    Ok(moves) => self.fill_gap(now, added, &gap, moves),
                    Err(why) => refusal(why),
                }
            }
            None if after == entries => self.append_moves(now, added),
            None => match missing.appended(after) {
                Some((before, known)) => compare(added, before, known),
                None => self.refuse_place(after),
            },
        }
    }

    fn missing_moves_of(&self, game: u32) -> Option<&MissingMoves> {
        let running = self.games.open_game().filter(|running| running.file_number() == Some(game))?;
        Some(&running.missing_moves)
    }

    /// Inserts moves in place of the setups of a gap.
    fn fill_gap(&mut self, now: Millis, added: &AddedMoves, gap: &SetupGap, moves: Vec<Move>) -> Vec<Effect> {
        let end = position_after(&gap.start.position, &moves);
        let Some(missing) = self.missing_moves_of(added.game) else { return Vec::new() };
        let leads_to = |known: &&SetupGap| known.after >= gap.after && known.end.position.setup() == end.setup();
        let known_end = missing.open_gaps().find(leads_to).map(|known| known.until);
        let mut effects = Vec::new();
        let until = match known_end {
            Some(until) => until,
            None if !missing.is_last(gap) => return self.refuse_end(gap, &end),
            None => {
                if let Some(refused) = self.refuse_board(&end, added.anyway) {
                    return refused;
                }
                // Play goes on from another position than that of the setup, so the file needs another one.
                let plies = gap.start.plies + moves.len() as u32;
                let Some(recogniser) = self.games.recogniser() else { return Vec::new() };
                let verdict = recogniser.go_back(end, plies);
                effects = self.record(now, &verdict);
                gap.until + 1
            }
        };
        let texts = numbered(&gap.start.position, gap.start.plies, &moves);
        let inserted = self.games.game_mut().and_then(|game| game.missing_moves.fill(gap.after, until, moves));
        let Some(inserted) = inserted else { return effects };
        effects.push(Effect::MovesInserted(Box::new(inserted)));
        let what = if texts.is_empty() { "no move was made there".to_owned() } else { format!("{texts} added") };
        effects.push(Effect::Info(format!(
            "{what}: all files but the live file show the game without the setup after entry {}",
            gap.after
        )));
        effects
    }

    /// Adds moves after the last entry as entries of the file.
    fn append_moves(&mut self, now: Millis, added: &AddedMoves) -> Vec<Effect> {
        if self.entered.is_some() {
            return refusal(
                "enter the next moves of this board; moves are missing only where a position was set up".to_owned(),
            );
        }
        let Some(game) = self.games.open_game() else { return self.refuse_added(added.game) };
        let (start, plies) = (*game.recogniser.position(), game.recogniser.plies());
        let moves = match read(&start, added) {
            Ok(moves) if moves.is_empty() => return refusal("no setup follows the last entry".to_owned()),
            Ok(moves) => moves,
            Err(why) => return refusal(why),
        };
        if let Some(refused) = self.refuse_board(&position_after(&start, &moves), added.anyway) {
            return refused;
        }
        if let Some(game) = self.games.game_mut() {
            game.missing_moves.note_appended(start, moves.clone());
        }
        let texts = numbered(&start, plies, &moves);
        let (mut effects, last) = (Vec::new(), moves.len());
        for (number, ply) in (1..).zip(moves) {
            let Some(recogniser) = self.games.recogniser() else { break };
            let verdict = recogniser.play_missed(now, ply);
            // The clock shows the times after the last move only.
            let clocks = if number == last { self.clock.clocks_at_press(None, now) } else { None };
            effects.extend(self.publish_at(now, &verdict, clocks));
            effects.extend(self.after_publication(&verdict));
        }
        effects.push(Effect::Info(format!("{texts} added")));
        effects
    }

    /// Refuses moves after which the board does not show the position, unless they count anyway.
    fn refuse_board(&self, end: &Position, anyway: bool) -> Option<Vec<Effect>> {
        if anyway || self.entered.is_some() {
            return None;
        }
        if !self.board.is_link_up() {
            return Some(refusal(
                "the board is not connected, so its position after these moves is not known; repeat with --confirm"
                    .to_owned(),
            ));
        }
        let differs = self.board.occupancy().differs_from_placement(end.placement());
        (!differs.is_empty()).then(|| {
            let squares = notes::square_names(&self.settings.variant.geometry, differs).join(", ");
            refusal(format!(
                "after these moves the board differs on {squares}; correct the moves, or repeat with --confirm"
            ))
        })
    }

    /// Refuses moves that lead to another position than the one from which the game goes on.
    fn refuse_end(&self, gap: &SetupGap, end: &Position) -> Vec<Effect> {
        let wanted = &gap.end.position;
        let variant = self.settings.variant;
        let squares = variant.geometry.all();
        let differs =
            squares.into_iter().filter(|&square| end.placement().get(square) != wanted.placement().get(square));
        let differs = notes::square_names(&variant.geometry, differs.collect()).join(", ");
        let why = match differs.as_str() {
            "" => format!("{} is to move after entry {}, not {}", wanted.turn(), gap.until, end.turn()),
            differs => format!("the position from which the game goes on differs on {differs}"),
        };
        refusal(format!("{why}; type all moves between entries {} and {}", gap.after, gap.until + 1))
    }

    fn refuse_added(&self, game: u32) -> Vec<Effect> {
        refusal(match self.games.open_game().and_then(|running| running.file_number()) {
            Some(running) => format!("game {running} is going on, not game {game}"),
            None if game <= self.games.file_count() => {
                format!("game {game} is over; `moves` adds moves after its last one")
            }
            None => "no game is going on".to_owned(),
        })
    }

    fn refuse_place(&self, after: u32) -> Vec<Effect> {
        let places: Vec<String> = self.missing_moves(false).iter().map(ToString::to_string).collect();
        refusal(match places.is_empty() {
            true => format!("no move is missing after entry {after}: no position was set up there"),
            false => format!("no move is missing after entry {after}; moves are missing after {}", places.join(", ")),
        })
    }
}

/// Returns the typed moves.
fn read(start: &Position, added: &AddedMoves) -> Result<Vec<Move>, String> {
    if added.moves == AddedMoves::NONE {
        return Ok(Vec::new());
    }
    let played = score_sheet::play(*start, &added.moves).map_err(|problem| problem.message)?;
    if played.is_empty() {
        return Err(format!("`{}` has no moves; write `{}` if no move was made", added.moves, AddedMoves::NONE));
    }
    Ok(played.into_iter().map(|(_, ply)| ply).collect())
}

/// Answers a request for moves that were added already.
fn compare(added: &AddedMoves, start: &Position, known: &[Move]) -> Vec<Effect> {
    let stands = notes::line_of_play(start, known).join(" ");
    let stands = if stands.is_empty() { AddedMoves::NONE.to_owned() } else { stands };
    match read(start, added) {
        Ok(moves) if moves == known => {
            vec![Effect::AlreadyDone(format!("{stands} was added after entry {} already", added.after))]
        }
        Ok(_) | Err(_) => refusal(format!("{stands} was added after entry {} already, and stays", added.after)),
    }
}

/// Returns moves with their numbers.
fn numbered(start: &Position, plies: u32, moves: &[Move]) -> String {
    let starter = start.variant().game_type.starter();
    // Half-moves since the first one of the side that starts.
    let first = plies + u32::from(plies.is_multiple_of(2) != (start.turn() == starter));
    let mut words = Vec::new();
    for (half_move, text) in (first..).zip(notes::line_of_play(start, moves)) {
        let is_starter = half_move.is_multiple_of(2);
        if is_starter || words.is_empty() {
            words.push(MoveNumber { value: half_move / 2 + 1, ellipsis: !is_starter }.to_string());
        }
        words.push(text);
    }
    words.join(" ")
}
