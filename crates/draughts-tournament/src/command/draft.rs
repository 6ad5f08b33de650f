//! A tournament while a command works on it: every change is an event that is applied immediately.

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::tag_values;

use super::Boards;
use crate::value::result::{official_tag, split_result};
use crate::value::rounds::PLAYER_TAG_SUFFIXES;
use crate::{
    BoardGame, Event, Id, MOVES, MicroMatchStage, Misfit, NO_PAIRING, OfficialResult, Pairing, PairingKey, REPLAYED,
    ResultReason, RoundState, Scoring, Tournament, TournamentSection, parse_pairing_key,
};

/// Tags that a game has from its pairing, beside those of its players.
const PAIRING_TAGS: [&str; 6] = ["White", "Black", "Round", "Board", "Section", "Stage"];

/// The current state, and the events that led to it.
pub(super) struct Draft<'b> {
    pub state: Tournament,
    pub events: Vec<Event>,
    pub boards: Boards<'b>,
    /// Reasons why the change needs a confirmation.
    pub doubts: Vec<String>,
}

impl<'b> Draft<'b> {
    pub fn new(state: &Tournament, boards: &Boards<'b>) -> Draft<'b> {
        Draft { state: state.clone(), events: Vec::new(), boards: *boards, doubts: Vec::new() }
    }

    /// Applies an event and stores it if it changes anything.
    pub fn emit(&mut self, event: Event) -> Result<bool, Misfit> {
        let is_new = self.state.apply(&event)?;
        if is_new {
            self.events.push(event);
        }
        Ok(is_new)
    }

    /// Corrects tags of a recorded game to these values; an empty value leaves the tag out.
    pub fn correct(
        &mut self,
        game: &BoardGame,
        wanted: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), Misfit> {
        let known = self.state.corrected(&game.board, game.number).map(|known| known.tags.clone()).unwrap_or_default();
        for (tag, value) in wanted {
            let recorded = if tag == "Result" { game.result.as_deref().or(Some("*")) } else { game.tag(&tag) };
            let original = recorded.unwrap_or_default().to_owned();
            if known.get(&tag).map_or(&original, |tag| &tag.value) != &value {
                let (board, game) = (game.board.clone(), game.number);
                self.emit(Event::GameCorrected { board, game, tag, original, value })?;
            }
        }
        Ok(())
    }

    /// Corrects one tag of a recorded game.
    pub fn correct_tag(&mut self, game: &BoardGame, tag: &str, value: &str) -> Result<(), Misfit> {
        self.correct(game, [(tag.to_owned(), value.to_owned())])
    }

    /// Assigns a game to a pairing, whatever pairing its line had.
    pub fn assign_game(&mut self, game: &BoardGame, key: PairingKey) -> Result<bool, Misfit> {
        let sent = game.pairing.as_deref().and_then(parse_pairing_key);
        let was_released = self.state.assigned_pairing(&game.board, game.number) == Some(NO_PAIRING);
        let pairing = Some(key).filter(|_| sent != Some(key) || was_released);
        self.emit(Event::GameAssigned { board: game.board.clone(), game: game.number, pairing })
    }

    /// Gives the points of an outcome to a game of a pairing, replacing any result.
    pub fn give_outcome(
        &mut self,
        (pairing, stage): (Id, Option<MicroMatchStage>),
        scoring: &Scoring,
        outcome: tag_values::Outcome,
    ) -> Result<bool, Misfit> {
        let Some((white, black)) = scoring.points_of(outcome) else { return Ok(false) };
        let reason = match (stage, outcome) {
            (None, tag_values::Outcome::BothLose) => ResultReason::BothLost,
            _ => ResultReason::Played,
        };
        self.emit(Event::ResultGiven { pairing, stage, result: OfficialResult { white, black, reason } })
    }

    /// Sets the result that a board has shown, if the pairing has none and its section knows the result. Returns whether that changes
    /// anything.
    pub fn set_board_result(&mut self, key: PairingKey, result: &str) -> Result<bool, Misfit> {
        let (id, stage) = key;
        let Some((section, _)) = self.state.pairing(id).filter(|(_, of)| !of.has_result(stage)) else {
            return Ok(false);
        };
        let scoring = section.scoring;
        if let Some(outcome) = tag_values::Outcome::parse(result) {
            let scoring = if stage.is_some() { Scoring::DRAUGHTS } else { scoring };
            return self.give_outcome(key, &scoring, outcome);
        }
        // A game of a micro-match is won, drawn or lost.
        if stage.is_some() {
            return Ok(false);
        }
        let plus = ResultReason::of_draw(result).map(|reason| (scoring.draw, scoring.draw, reason));
        let points = || split_result(result).filter(|_| scoring.allows_plus_draws);
        let found = plus.or_else(|| points().map(|(white, black)| (white, black, ResultReason::Played)));
        let Some((white, black, reason)) = found else { return Ok(false) };
        let result = OfficialResult { white, black, reason };
        if scoring.check(&result).is_err() {
            return Ok(false);
        }
        self.emit(Event::ResultGiven { pairing: id, stage: None, result })
    }

    /// Adopts the results of finished games. Returns the pairings that got one.
    pub fn apply_board_results(&mut self, games: &[&BoardGame]) -> Result<Vec<Id>, Misfit> {
        let mut taken = Vec::new();
        for (key, game) in self.state.latest_games(games.iter().copied()) {
            let result = game.result.as_deref().filter(|_| game.is_over).unwrap_or("*");
            if self.set_board_result(key, result)? {
                taken.push(key.0);
            }
        }
        Ok(taken)
    }

    /// Clears the results of games that were continued, even if the station was killed before that was recorded.
    pub fn clear_results_of_resumed_games(&mut self) -> Result<(), Misfit> {
        let games = self.boards.games;
        for earlier in games.all().filter_map(|game| games.earlier_part(game)) {
            let shown = self.state.shown_result(earlier);
            if shown == "*" {
                continue;
            }
            // Another result that an arbiter has given since stays.
            let key = self.state.pairing_of(earlier);
            if let Some((pairing, stage)) =
                key.filter(|key| self.state.result_tag(*key, earlier.format).as_ref() == Some(&shown))
            {
                self.emit(Event::ResultTakenBack { pairing, stage })?;
            }
            self.correct_tag(earlier, "Result", "*")?;
        }
        Ok(())
    }

    /// Makes a game that was to be replayed count again, with all its parts. If the pairing has no result, it gets the one that an operator
    /// entered on its board.
    pub fn undo_replay(&mut self, parts: &[&BoardGame], key: PairingKey) -> Result<(), Misfit> {
        for part in parts {
            self.correct_tag(part, REPLAYED, "")?;
        }
        let Some(last) = parts.last() else { return Ok(()) };
        self.correct_tag(last, "Result", last.result.as_deref().unwrap_or("*"))?;
        if let Some(given) = last.result.as_deref().filter(|_| last.is_result_given) {
            self.set_board_result(key, given)?;
        }
        Ok(())
    }

    /// Returns the official result of a pairing as a tag, if a game of it gave it.
    pub fn result_from(&self, game: &BoardGame, key: PairingKey) -> Option<String> {
        let (_, pairing) = self.state.pairing(key.0)?;
        let is_own = |reason: ResultReason| reason.is_played() && reason != ResultReason::Arbiter;
        let is_from_board = pairing.result.is_none_or(|result| is_own(result.reason));
        let result = self.state.result_tag(key, game.format).filter(|_| is_from_board)?;
        (self.state.shown_result(game) == result).then_some(result)
    }

    /// Takes the result of a pairing back. Its other games have their own results again, and the last one gives it to the pairing if an
    /// operator entered it.
    pub fn take_result_back(&mut self, key: PairingKey) -> Result<(), Misfit> {
        self.emit(Event::ResultTakenBack { pairing: key.0, stage: key.1 })?;
        let games = self.boards.games;
        for game in games.all().filter(|game| game.is_over && games.later_part(game).is_none()) {
            if self.state.pairing_of(game) == Some(key) && !self.state.is_replayed(game) {
                self.correct_tag(game, "Result", game.result.as_deref().unwrap_or("*"))?;
            }
        }
        match games.latest_of(&self.state, key) {
            Some(BoardGame { result: Some(result), is_result_given: true, .. }) => {
                self.set_board_result(key, result).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Derives all consequences of the tournament for boards and games.
    pub fn derive_board_changes(&mut self) -> Result<(), Misfit> {
        if !self.boards.names.is_empty() {
            let open = |section: &TournamentSection| section.open_round().map(|round| (section.id, round));
            let open: Vec<(Id, u32)> = self.state.sections.iter().filter_map(open).collect();
            self.assign_boards(&open, &[])?;
            let published = |section: &TournamentSection| {
                let rounds = section.rounds.iter().filter(|round| round.state == RoundState::Published);
                rounds.map(|round| (section.id, round.number)).collect::<Vec<_>>()
            };
            let published: Vec<Vec<(Id, u32)>> = self.state.sections.iter().map(published).collect();
            // Assign the next rounds of all sections together, beside those that are open, if there are boards for all: they are probably
            // played together.
            for ahead in 0..published.iter().map(Vec::len).max().unwrap_or(0) {
                let together: Vec<(Id, u32)> =
                    published.iter().filter_map(|rounds| rounds.get(ahead)).copied().collect();
                let is_beside = |(section, _): &&(Id, u32)| together.iter().all(|(of, _)| of != section);
                let all = together.iter().chain(open.iter().filter(is_beside));
                let count: usize = all.map(|(section, round)| self.count_of_round(*section, *round)).sum();
                if count <= self.boards.names.len() {
                    self.assign_boards(&together, &open)?;
                } else {
                    together.iter().try_for_each(|round| self.assign_boards(std::slice::from_ref(round), &[]))?;
                }
            }
        }
        self.update_corrections()
    }

    /// Returns the number of boards of a round.
    fn count_of_round(&self, section: Id, round: u32) -> usize {
        let section = self.state.sections.iter().find(|known| known.id == section);
        let pairings = section.into_iter().flat_map(|section| section.round(round));
        pairings.filter(|pairing| !pairing.has_one_player()).count()
    }

    /// Assigns boards of the station to the pairings of these rounds (section, round). If two sections count their boards from 1, the
    /// boards of one follow those of the other, also those of an open round among the `others`. A pairing with one player has no board.
    ///
    /// A pairing keeps its board, whatever boards there are at present: a line that ends or is taken out moves no other pairing. Only in
    /// a list of boards by serial number it follows its board, which may be at another line.
    fn assign_boards(&mut self, rounds: &[(Id, u32)], others: &[(Id, u32)]) -> Result<(), Misfit> {
        let boards_of = |others: &[(Id, u32)]| {
            let boards = others.iter().flat_map(|other| self.tables_of(*other));
            boards.map(|(pairing, _)| pairing.board_name.clone()).collect::<BTreeSet<String>>()
        };
        // A round that is only published makes room for one that is open at its boards.
        let keeps = |round: &(Id, u32)| {
            let others: Vec<(Id, u32)> = others.iter().filter(|(of, _)| *of != round.0).copied().collect();
            let mut known = boards_of(std::slice::from_ref(round));
            known.remove("");
            !known.is_empty() && known.is_disjoint(&boards_of(&others))
        };
        let mut all: Vec<((Id, u32), bool, bool)> = others.iter().map(|round| (*round, false, true)).collect();
        let mut assigned: Vec<((Id, u32), bool, bool)> =
            rounds.iter().map(|round| (*round, true, keeps(round))).collect();
        // Sections without boards follow those that keep theirs.
        assigned.sort_by_key(|(_, _, keeps)| !keeps);
        all.extend(assigned);
        let mut numbers: Vec<(Id, u32)> = Vec::new();
        // Boards that are where the list says come first, then those that pairings have, then the others.
        let mut wanted = Vec::new();
        for (round, is_assigned, keeps) in all {
            let section = round.0;
            let tables = self.tables_of(round);
            let taken: BTreeSet<u32> =
                numbers.iter().filter(|(of, _)| *of != section).map(|(_, number)| *number).collect();
            let kept = if keeps { self.kept_numbers(section, &tables) } else { None };
            let own = kept.unwrap_or_else(|| {
                // If another section has the number of a table, this table and the next ones get numbers after the last taken one.
                let first = tables.iter().map(|(_, number)| *number).filter(|number| taken.contains(number)).min();
                let last = taken.last().copied().unwrap_or(0);
                let number = |number: u32| match first {
                    Some(first) if number >= first => number + last + 1 - first,
                    _ => number,
                };
                tables.iter().map(|(_, own)| number(*own)).collect()
            });
            numbers.extend(own.iter().map(|number| (section, *number)));
            for ((pairing, _), number) in tables.into_iter().zip(own).filter(|_| is_assigned) {
                let has_two = !pairing.has_one_player();
                let board = self.boards.numbered(number).filter(|_| has_two);
                let known = Some(&pairing.board_name).filter(|name| keeps && !name.is_empty() && has_two);
                let is_new = board.as_ref() != known;
                wanted.push(match board {
                    Some(board) if self.boards.are_listed => ((0, is_new), pairing.id, Some(board)),
                    board if known.is_none() => ((2, is_new), pairing.id, board),
                    _ => ((1, is_new), pairing.id, known.cloned()),
                });
            }
        }
        wanted.sort_by_key(|(rank, ..)| *rank);
        let mut taken = BTreeSet::new();
        let seats = wanted.into_iter().map(|(_, id, board)| (id, board.filter(|board| taken.insert(board.clone()))));
        let seats: Vec<(Id, Option<String>)> = seats.collect();
        seats.into_iter().try_for_each(|(pairing, board)| self.emit(Event::BoardAssigned { pairing, board }).map(drop))
    }

    /// Returns the pairings of a round with the numbers of their boards.
    fn tables_of(&self, (section, round): (Id, u32)) -> Vec<(&Pairing, u32)> {
        let section = self.state.sections.iter().find(|known| known.id == section);
        let pairings = section.into_iter().flat_map(|section| section.round(round)).zip(1..);
        pairings.map(|(pairing, place)| (pairing, pairing.board.unwrap_or(place))).collect()
    }

    /// Returns the numbers of the boards at which the tables of a section stay: one that has followed others does not move when they end.
    /// `None` if most boards are elsewhere, as after swapped cables or with another list, or if there is no other section.
    fn kept_numbers(&self, section: Id, tables: &[(&Pairing, u32)]) -> Option<Vec<u32>> {
        // Other sections move a section by their numbers of tables.
        let mut shifts = BTreeSet::from([0]);
        for other in self.state.sections.iter().filter(|other| other.id != section) {
            let highest = |round| self.tables_of((other.id, round)).into_iter().map(|(_, number)| number).max();
            let highest: BTreeSet<u32> = (1..=other.last_round()).filter_map(highest).collect();
            let more: Vec<u32> = shifts.iter().flat_map(|shift| highest.iter().map(move |more| shift + more)).collect();
            shifts.extend(more.into_iter().filter(|shift| *shift as usize <= self.boards.by_number.len()));
        }
        let number_of = |name: &String| self.boards.by_number.iter().position(|board| board.as_ref() == Some(name));
        let shift_of = |(pairing, number): &(&Pairing, u32)| {
            let shift = u32::try_from(number_of(&pairing.board_name)? + 1).ok()?.checked_sub(*number)?;
            shifts.contains(&shift).then_some(shift)
        };
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        tables.iter().filter_map(shift_of).for_each(|shift| *counts.entry(shift).or_default() += 1);
        let (shift, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let with_board = tables.iter().filter(|(pairing, _)| !pairing.board_name.is_empty()).count();
        let stays = shifts.len() > 1 && count * 2 > with_board;
        // The last tables may be further away, if only their numbers were taken.
        stays
            .then(|| tables.iter().map(|table| table.1 + shift_of(table).map_or(shift, |own| own.max(shift))).collect())
    }

    /// Takes the boards of a round back: its pairings get others when it is published again.
    pub fn free_boards(&mut self, section: Id, round: u32) -> Result<(), Misfit> {
        let section = self.state.sections.iter().find(|known| known.id == section);
        let pairings: Vec<Id> = section.into_iter().flat_map(|of| of.round(round)).map(|pairing| pairing.id).collect();
        pairings.into_iter().try_for_each(|pairing| self.emit(Event::BoardAssigned { pairing, board: None }).map(drop))
    }

    /// Corrects the tags of every recorded game of a pairing to those of the tournament: names, round, event, and the official result of a
    /// finished game.
    fn update_corrections(&mut self) -> Result<(), Misfit> {
        let games = self.boards.games;
        for game in games.all() {
            self.assign_with_its_beginning(game)?;
        }
        let latest = self.state.latest_games(games.all());
        let latest: BTreeSet<(&str, u32)> = latest.values().map(|game| (game.board.as_str(), game.number)).collect();
        for game in games.all() {
            self.correct(game, self.state.prior_corrections(game))?;
            let Some(key) = self.state.pairing_of(game) else { continue };
            if key == NO_PAIRING {
                let tags = PAIRING_TAGS.into_iter().chain(PLAYER_TAG_SUFFIXES.into_iter().flatten());
                self.correct(game, tags.map(|name| (name.to_owned(), String::new())))?;
                continue;
            }
            let Some((section, pairing)) = self.state.pairing(key.0) else { continue };
            let mut wanted = self.state.tags_of(section, pairing, key.1);
            // Tags of the replaced player do not fit a substitute.
            let is_missing = |name: &&str| wanted.iter().all(|(known, _)| known != name);
            let missing: Vec<&str> = PLAYER_TAG_SUFFIXES.into_iter().flatten().filter(is_missing).collect();
            wanted.extend(missing.into_iter().map(|name| (name.to_owned(), String::new())));
            if game.is_over
                && latest.contains(&(game.board.as_str(), game.number))
                && let Some(result) = official_tag(section, pairing, key.1, game.format)
            {
                wanted.push(("Result".to_owned(), result));
            }
            self.correct(game, wanted)?;
        }
        Ok(())
    }

    /// Assigns the continuation of an assigned game to the same pairing.
    fn assign_with_its_beginning(&mut self, game: &BoardGame) -> Result<(), Misfit> {
        let is_assigned = self.state.assigned_pairing(&game.board, game.number).is_some();
        let beginning = game.continues.filter(|_| !is_assigned);
        if let Some(key) = beginning.and_then(|number| self.state.assigned_pairing(&game.board, number)) {
            self.assign_game(game, key)?;
        }
        Ok(())
    }
}

impl Tournament {
    /// Returns the corrections of the game that this one continues and that are missing here, without its result and its added moves.
    fn prior_corrections(&self, game: &BoardGame) -> Vec<(String, String)> {
        let earlier = game.continues.and_then(|number| self.corrected(&game.board, number));
        let own = self.corrected(&game.board, game.number);
        let is_taken_over = |name: &&String| {
            !["Result", MOVES].contains(&name.as_str()) && own.is_none_or(|own| !own.tags.contains_key(*name))
        };
        let tags = earlier.into_iter().flat_map(|earlier| &earlier.tags).filter(|(name, _)| is_taken_over(name));
        tags.map(|(name, tag)| (name.clone(), tag.value.clone())).collect()
    }

    /// Returns the latest game of each pairing: a replayed game replaces the previous one.
    fn latest_games<'g>(&self, games: impl Iterator<Item = &'g BoardGame>) -> BTreeMap<PairingKey, &'g BoardGame> {
        let counting = games.filter(|game| !self.is_replayed(game));
        counting.filter_map(|game| Some((self.pairing_of(game)?, game))).collect()
    }
}
