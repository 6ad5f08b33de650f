//! The boards of the station: their games and their numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    BoardAssignment, BoardGame, Pairing, PairingKey, RoundState, Tournament, TournamentSection, format_pairing_key,
};

/// State of the station that decisions depend on.
#[derive(Clone, Copy, Debug)]
pub struct Boards<'a> {
    /// Recorded games.
    pub games: &'a BoardGames,
    /// Names of all boards; if empty, no boards are known, and pairings keep theirs.
    pub names: &'a [String],
    /// Board of each number, from 1; `None` if there is no such board at present.
    pub by_number: &'a [Option<String>],
    /// Whether the configuration lists the boards; otherwise they have numbers in the order of the lines.
    pub are_listed: bool,
    /// Results that boards show during running games, by board.
    pub proposed: &'a BTreeMap<String, String>,
    /// Boards without a connection.
    pub unheard: &'a [String],
}

/// Value of [`Boards::proposed`] while no board shows a result.
static NOTHING_PROPOSED: BTreeMap<String, String> = BTreeMap::new();

impl<'a> Boards<'a> {
    /// Creates the state of a station without known boards: pairings keep theirs.
    ///
    /// # Examples
    ///
    /// ```
    /// use draughts_tournament::{BoardGames, Boards};
    ///
    /// let games = BoardGames::default();
    /// assert_eq!(Boards::unknown(&games).numbered(1), None);
    /// ```
    pub fn unknown(games: &'a BoardGames) -> Boards<'a> {
        Boards { games, names: &[], by_number: &[], are_listed: false, proposed: &NOTHING_PROPOSED, unheard: &[] }
    }

    /// Returns the name of the board with this number.
    pub fn numbered(&self, number: u32) -> Option<String> {
        self.by_number.get(usize::try_from(number).ok()?.checked_sub(1)?)?.clone()
    }
}

/// Games that boards have recorded, by board and number.
///
/// # Examples
///
/// ```
/// use draughts_tournament::BoardGames;
///
/// assert!(BoardGames::default().last("board-1").is_none());
/// ```
#[derive(Clone, Default, Debug)]
pub struct BoardGames {
    games: BTreeMap<(String, u32), BoardGame>,
    /// Games whose lines had a pairing, by its id.
    by_pairing: BTreeMap<String, BTreeSet<(String, u32)>>,
}

impl BoardGames {
    /// Adds a game, or replaces it. Removes it if it counts for nothing.
    pub fn insert(&mut self, game: BoardGame) {
        let place = (game.board.clone(), game.number);
        if game.is_void() {
            self.games.remove(&place);
            return;
        }
        if let Some(pairing) = &game.pairing {
            self.by_pairing.entry(pairing.clone()).or_default().insert(place.clone());
        }
        self.games.insert(place, game);
    }

    /// Adds a game unless it is known.
    pub fn insert_if_new(&mut self, game: BoardGame) {
        if self.get(&game.board, game.number).is_none() {
            self.insert(game);
        }
    }

    /// Returns all games, by board and number.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &BoardGame> + Clone {
        self.games.values()
    }

    /// Returns a game by its number.
    pub fn get(&self, board: &str, number: u32) -> Option<&BoardGame> {
        self.games.get(&(board.to_owned(), number))
    }

    /// Returns the games of a board in their order.
    pub fn of_board(&self, board: &str) -> impl DoubleEndedIterator<Item = &BoardGame> {
        self.games.range((board.to_owned(), 0)..=(board.to_owned(), u32::MAX)).map(|(_, game)| game)
    }

    /// Returns the last game of a board.
    pub fn last(&self, board: &str) -> Option<&BoardGame> {
        self.of_board(board).next_back()
    }

    /// Mutable access to the last game of a board.
    pub fn last_mut(&mut self, board: &str) -> Option<&mut BoardGame> {
        let of_board = (board.to_owned(), 0)..=(board.to_owned(), u32::MAX);
        self.games.range_mut(of_board).next_back().map(|(_, game)| game)
    }

    /// Returns a game by its number, or the last game of a board.
    ///
    /// # Errors
    ///
    /// Returns a message if there is no such game.
    pub fn find(&self, board: &str, number: Option<u32>) -> Result<&BoardGame, String> {
        match number {
            Some(number) => self.get(board, number).ok_or_else(|| format!("there is no game {number} of {board}")),
            None => self.last(board).ok_or_else(|| format!("{board} has no game yet")),
        }
    }

    /// Returns the game that this one continues.
    pub fn earlier_part(&self, game: &BoardGame) -> Option<&BoardGame> {
        self.get(&game.board, game.continues?)
    }

    /// Returns the game that continues this one.
    pub fn later_part(&self, game: &BoardGame) -> Option<&BoardGame> {
        self.of_board(&game.board).find(|later| later.continues == Some(game.number))
    }

    /// Returns all parts of a game that was ended by mistake and continued, in their order.
    pub fn parts_of<'g>(&'g self, game: &'g BoardGame) -> Vec<&'g BoardGame> {
        let mut parts: Vec<&BoardGame> = std::iter::successors(Some(game), |part| self.earlier_part(part)).collect();
        parts.reverse();
        parts.extend(std::iter::successors(self.later_part(game), |part| self.later_part(part)));
        parts
    }

    /// Returns the games of a pairing, by board and number, also replayed ones.
    fn of_pairing(&self, tournament: &Tournament, key: PairingKey) -> Vec<&BoardGame> {
        let sent = self.by_pairing.get(&format_pairing_key(key)).into_iter().flatten().cloned();
        let assigned = tournament.games.iter().filter(|game| game.pairing == Some(key));
        let places: BTreeSet<_> = sent.chain(assigned.map(|game| (game.board.clone(), game.number))).collect();
        let games = places.iter().filter_map(|place| self.games.get(place));
        games.filter(|game| tournament.pairing_of(game) == Some(key)).collect()
    }

    /// Returns the latest game that counts for a pairing.
    pub fn latest_of(&self, tournament: &Tournament, key: PairingKey) -> Option<&BoardGame> {
        self.of_pairing(tournament, key).into_iter().rfind(|game| !tournament.is_replayed(game))
    }

    /// Returns the lowest number of the game that a board is to play for its pairing. `None` if the pairing has a result, or its game
    /// already: a pairing has one game, and another one after [`TournamentCommand::Replay`](crate::TournamentCommand::Replay) or
    /// [`TournamentCommand::PlayOnBoard`](crate::TournamentCommand::PlayOnBoard).
    pub fn next_number(&self, tournament: &Tournament, assignment: &BoardAssignment) -> Option<u32> {
        let (key, board) = (assignment.pairing, assignment.board.as_str());
        let (_, pairing) = tournament.pairing(key.0).filter(|(_, pairing)| pairing.result.is_none())?;
        let is_moved = !pairing.board_override.is_empty();
        let first = pairing.override_from.unwrap_or(1);
        let games = self.of_pairing(tournament, key);
        let is_its_game = |game: &&&BoardGame| match (is_moved, pairing.override_from) {
            (true, None) => false,
            (true, Some(first)) => game.board == board && game.number >= first,
            // A game that goes on at another board was interrupted by swapped cables.
            (false, _) => {
                let is_assigned = || tournament.assigned_pairing(&game.board, game.number).is_some();
                game.board == board || game.is_over || is_assigned()
            }
        };
        if games.iter().filter(is_its_game).any(|game| !tournament.is_replayed(game)) {
            return None;
        }
        let here = games.iter().filter(|game| game.board == board).filter(is_its_game);
        Some(here.map(|game| game.number + 1).max().unwrap_or(first).max(first))
    }

    /// Returns the last finished game of a board whose pairing waits for its result.
    pub fn awaiting_official_result(&self, tournament: &Tournament, board: &str) -> Option<&BoardGame> {
        let waits = |game: &&BoardGame| {
            let key = tournament.pairing_of(game).filter(|_| game.is_over && !tournament.is_replayed(game));
            let Some((id, stage)) = key else { return false };
            // A game that is adjourned continues later.
            let is_played = |pairing: &Pairing| pairing.deferral.is_none() || pairing.board_override == board;
            let waits = |pairing: &Pairing| is_played(pairing) && !pairing.has_result(stage);
            tournament.pairing(id).is_some_and(|(_, pairing)| waits(pairing)) && self.later_part(game).is_none()
        };
        self.of_board(board).rev().find(waits)
    }

    /// Returns the game of a board that a result is for: the last finished one whose pairing waits for its result, else the last finished
    /// one without a result, else the last finished one.
    pub(crate) fn awaiting_result(&self, tournament: &Tournament, board: &str) -> Result<&BoardGame, String> {
        let over = || self.of_board(board).rev().filter(|game| game.is_over);
        let last = over().next().ok_or_else(|| format!("{board} has no game that is over"))?;
        if let Some(waiting) = self.awaiting_official_result(tournament, board) {
            return Ok(waiting);
        }
        // An older game that was broken off is no candidate, nor is one that was replayed.
        let waits = |game: &&BoardGame| tournament.shown_result(game) == "*" && !tournament.is_replayed(game);
        Ok(over().take(2).find(waits).unwrap_or(last))
    }

    /// Returns the pairing that a board of an open round shows: that of its latest game, else the next one. `None` while a game without a
    /// pairing is running there.
    pub fn shown_pairing(
        &self,
        tournament: &Tournament,
        assignments: &[BoardAssignment],
        assignment: &BoardAssignment,
    ) -> Option<PairingKey> {
        let Some(game) = self.last(&assignment.board).filter(|game| game.entries > 0) else {
            return Some(assignment.pairing);
        };
        let is_assigned = |key: &PairingKey| assignments.iter().any(|other| other.pairing.0 == key.0);
        match tournament.pairing_of(game).filter(|key| tournament.pairing(key.0).is_some()) {
            None => game.is_over.then_some(assignment.pairing),
            Some(key) if key.0 != assignment.pairing.0 && is_assigned(&key) && !tournament.is_replayed(game) => {
                Some(key)
            }
            Some(_) => Some(assignment.pairing),
        }
    }

    /// Returns the running game without a pairing at a board of a round whose pairing has no result: it may be the game of the pairing.
    pub fn unassigned_game(&self, tournament: &Tournament, assignment: &BoardAssignment) -> Option<&BoardGame> {
        let game = self.last(&assignment.board).filter(|game| !game.is_over)?;
        let (_, pairing) = tournament.pairing(assignment.pairing.0)?;
        let is_unassigned = tournament.pairing_of(game).is_none_or(|key| tournament.pairing(key.0).is_none());
        (is_unassigned && pairing.result.is_none()).then_some(game)
    }
}

/// The next round of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NextRound {
    /// Name of the section.
    pub section: String,
    /// Number of the round.
    pub round: u32,
    /// Boards of its pairings.
    pub boards: Vec<String>,
}

/// Returns the next round of each section whose open round has all its results. Leaves out a round with a pairing without a board.
pub fn next_rounds(tournament: &Tournament, boards: &Boards) -> Vec<NextRound> {
    let next = |section: &TournamentSection| {
        let lacks_results = |round: u32| section.round(round).iter().any(|pairing| pairing.is_awaited());
        if section.open_round().is_some_and(lacks_results) {
            return None;
        }
        let has_begun = |round: u32| section.state_of(round) >= RoundState::Open || !lacks_results(round);
        let mut rounds = 1..=section.last_round();
        let round = rounds.find(|round| !has_begun(*round) && !section.round(*round).is_empty())?;
        let pairings = section.round(round).into_iter().zip(1..).filter(|(pairing, _)| !pairing.has_one_player());
        let names = pairings.map(|(pairing, place)| boards.numbered(pairing.board.unwrap_or(place)));
        Some(NextRound { section: section.name.clone(), round, boards: names.collect::<Option<Vec<String>>>()? })
    };
    tournament.sections.iter().filter_map(next).collect()
}
