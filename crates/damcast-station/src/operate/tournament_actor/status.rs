//! Status of the tournament's boards for `damcast status` and the desk: pairings, results that are awaited, games without a pairing.

use std::collections::BTreeMap;

use damcast_control::overview::{AwaitedView, PairingView};
use damcast_control::tournament::FreeGame;
use draughts_tournament::{BoardAssignment, BoardGame, Id, NO_PAIRING, PairingKey, RoundState, Tournament};

use super::TournamentActor;
use crate::operate::observer::TournamentStatus;

impl TournamentActor {
    /// Publishes the status for `ctl status`.
    pub(super) fn publish_status(&mut self) {
        let tournament = self.service.tournament();
        let seats = tournament.board_assignments();
        let pairing = |seat: &BoardAssignment| {
            let games = self.service.games();
            let key = games.shown_pairing(tournament, &seats, seat)?;
            let running = games.last(&seat.board).filter(|game| !game.is_over && game.entries > 0);
            let is_playing = running.is_some_and(|game| tournament.pairing_of(game) == Some(key));
            Some((seat.board.clone(), PairingView { is_playing, ..self.view(tournament, key)? }))
        };
        let round = |seat: &BoardAssignment| {
            Some((seat.board.clone(), tournament.pairing(seat.pairing.0).map(|(_, pairing)| pairing.round)?))
        };
        let shown = TournamentStatus {
            open_rounds: Some(seats.iter().filter_map(round).collect()),
            pairings: seats.iter().filter_map(pairing).collect(),
            awaited: self.results_awaited(tournament, &seats),
            begun_before: self.unassigned_games(tournament, &seats),
            players: self.players(tournament),
        };
        self.deps.shown.send_if_modified(|known| {
            let is_new = *known != shown;
            *known = shown;
            is_new
        });
    }

    fn view(&self, tournament: &Tournament, key: PairingKey) -> Option<PairingView> {
        let (section, pairing) = tournament.pairing(key.0)?;
        let game = self.service.games().latest_of(tournament, key);
        let over = game.filter(|game| game.is_over);
        let offered = game.filter(|game| !game.is_over).and_then(|game| self.service.proposed(&game.board));
        let is_current = section.open_round() == Some(pairing.round) || !pairing.board_override.is_empty();
        // In a finished round, a game without an electronic board waits as well.
        let is_unseen = game.is_none() && !is_current;
        Some(PairingView {
            section: section.name.clone(),
            round: pairing.round,
            board_number: pairing.board,
            white: section.name_of(pairing.white).to_owned(),
            black: section.name_of(pairing.black).to_owned(),
            result: tournament.result_tag(key, None),
            waits_for_result: pairing.result.is_none() && (is_unseen || over.is_some() || offered.is_some()),
            // A result that the arbiter entered, and took back, is no proposal of the board.
            proposed: over
                .filter(|game| !game.is_result_given)
                .and_then(|game| game.result.clone())
                .or(offered.cloned()),
            is_playing: false,
        })
    }

    /// Returns the pairings that wait for a result, by section and round.
    fn results_awaited(&self, tournament: &Tournament, assignments: &[BoardAssignment]) -> Vec<AwaitedView> {
        let mut awaited = Vec::new();
        let seats: BTreeMap<Id, &BoardAssignment> =
            assignments.iter().rev().map(|seat| (seat.pairing.0, seat)).collect();
        for section in &tournament.sections {
            let begun =
                section.rounds.iter().filter(|round| matches!(round.state, RoundState::Open | RoundState::Closed));
            let mut rounds: Vec<u32> = begun.map(|round| round.number).collect();
            rounds.sort_unstable();
            let pairings = rounds.into_iter().flat_map(|round| section.round(round));
            for pairing in pairings.filter(|pairing| pairing.is_awaited()) {
                let seat = seats.get(&pairing.id);
                let key = (pairing.id, pairing.next_stage());
                let view = self.view(tournament, key).filter(|view| view.waits_for_result);
                // If another game began since, the board shows that one.
                let game = self.service.games().latest_of(tournament, key);
                let is_last = |game: &BoardGame| self.service.games().last(&game.board) == Some(game);
                let board = seat.and_then(|seat| match game {
                    Some(game) => is_last(game).then(|| game.board.clone()),
                    None => Some(seat.board.clone()),
                });
                awaited.extend(view.map(|pairing| AwaitedView { board, pairing }));
            }
        }
        awaited
    }

    /// Returns the pairings on whose boards a game without a pairing is running.
    fn unassigned_games(&self, tournament: &Tournament, assignments: &[BoardAssignment]) -> Vec<AwaitedView> {
        let early = assignments.iter().filter(|seat| self.service.games().unassigned_game(tournament, seat).is_some());
        let view = |seat: &BoardAssignment| {
            let pairing = self.view(tournament, seat.pairing)?;
            Some(AwaitedView { board: Some(seat.board.clone()), pairing })
        };
        early.filter_map(view).collect()
    }

    /// Returns the games that an undo has set free.
    pub(super) fn free_games(&self) -> Vec<FreeGame> {
        let free = self.service.tournament().games.iter().filter(|game| game.pairing == Some(NO_PAIRING));
        let recorded = free.filter_map(|game| self.service.games().get(&game.board, game.number));
        let view = |game: &BoardGame| FreeGame {
            board: game.board.clone(),
            game: game.number,
            white: game.tag("White").unwrap_or("?").to_owned(),
            black: game.tag("Black").unwrap_or("?").to_owned(),
            plies: game.entries,
            result: game.result.clone().filter(|_| game.is_over),
        };
        recorded.map(view).collect()
    }

    /// Returns the players of running games with corrected names.
    fn players(&self, tournament: &Tournament) -> BTreeMap<String, (u32, [Option<String>; 2])> {
        let going = tournament
            .games
            .iter()
            .filter(|game| self.service.games().get(&game.board, game.number).is_some_and(|game| !game.is_over));
        let names = going.map(|game| {
            let name = |tag: &str| game.tags.get(tag).map(|tag| tag.value.clone()).filter(|name| !name.is_empty());
            (game.board.clone(), (game.number, ["White", "Black"].map(name)))
        });
        names.collect()
    }
}
