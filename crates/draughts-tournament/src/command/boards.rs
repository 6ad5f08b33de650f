//! The boards of the station: their games and their numbers.

use std::collections::BTreeMap;

use crate::{BoardAssignment, BoardGame, PairingKey, RoundState, Tournament, TournamentSection};

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
    /// Maximum number of games in a file for all its readers; `None` for no limit.
    pub max_games: Option<usize>,
}

impl Boards<'_> {
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
pub struct BoardGames(BTreeMap<(String, u32), BoardGame>);

impl BoardGames {
    /// Adds a game, or replaces it.
    pub fn insert(&mut self, game: BoardGame) {
        self.0.insert((game.board.clone(), game.number), game);
    }

    /// Adds a game unless it is known.
    pub fn insert_if_new(&mut self, game: BoardGame) {
        self.0.entry((game.board.clone(), game.number)).or_insert(game);
    }

    /// Returns all games, by board and number.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &BoardGame> + Clone {
        self.0.values()
    }

    /// Returns a game by its number.
    pub fn get(&self, board: &str, number: u32) -> Option<&BoardGame> {
        self.0.get(&(board.to_owned(), number))
    }

    /// Returns the games of a board in their order.
    pub fn of_board(&self, board: &str) -> impl DoubleEndedIterator<Item = &BoardGame> {
        self.0.range((board.to_owned(), 0)..=(board.to_owned(), u32::MAX)).map(|(_, game)| game)
    }

    /// Returns the last game of a board.
    pub fn last(&self, board: &str) -> Option<&BoardGame> {
        self.of_board(board).next_back()
    }

    /// Mutable access to the last game of a board.
    pub fn last_mut(&mut self, board: &str) -> Option<&mut BoardGame> {
        let of_board = (board.to_owned(), 0)..=(board.to_owned(), u32::MAX);
        self.0.range_mut(of_board).next_back().map(|(_, game)| game)
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

    /// Returns the latest game that counts for a pairing.
    pub fn latest_of(&self, tournament: &Tournament, key: PairingKey) -> Option<&BoardGame> {
        self.0.values().rfind(|game| tournament.pairing_of(game) == Some(key) && !tournament.is_replayed(game))
    }

    /// Returns the game of a board that a result is for: the last finished one without a result, else the last finished one.
    pub(crate) fn awaiting_result(&self, tournament: &Tournament, board: &str) -> Result<&BoardGame, String> {
        let over = || self.of_board(board).rev().filter(|game| game.is_over);
        let last = over().next().ok_or_else(|| format!("{board} has no game that is over"))?;
        // An older game that was broken off is not a candidate.
        Ok(over().take(2).find(|game| tournament.shown_result(game) == "*").unwrap_or(last))
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
            Some(key) if is_assigned(&key) && key.0 != assignment.pairing.0 && !tournament.is_replayed(game) => {
                Some(key)
            }
            Some(_) => Some(assignment.pairing),
        }
    }

    /// Returns the running game without a pairing at a board of a round: it may have begun shortly before the round opened.
    pub fn unassigned_game(&self, tournament: &Tournament, assignment: &BoardAssignment) -> Option<&BoardGame> {
        let game = self.last(&assignment.board).filter(|game| !game.is_over)?;
        tournament.pairing_of(game).is_none().then_some(game)
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
