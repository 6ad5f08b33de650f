//! Next games of the boards: the pairings of the open rounds, and without one the tags that the configuration gives a board.

use std::collections::BTreeMap;
use std::sync::Arc;

use draughts_tournament::{BoardAssignment, format_pairing_key};

use super::state::{BoardNumber, HallPlan, PlannedBoard, ViewerGame, ViewerHall};
use crate::joined_sections::JoinedSections;

/// Next game of a board, as the tournament or the configuration has it. The game may have begun.
#[derive(Clone, Debug)]
pub struct NextGame {
    /// Place of its hall; 0 in an outlet of one hall.
    pub hall: usize,
    /// Place of its board among the boards of the hall, from 1.
    pub place: u64,
    /// Name of its board.
    pub board: String,
    /// Time since which the board has the tags of the configuration, in ms since 1970.
    pub since: i64,
    /// The game, without a move; with the id of its pairing, if it has one.
    pub game: ViewerGame,
}

impl NextGame {
    /// Returns the number that the tag `Board` gives the game.
    pub fn tagged_number(&self) -> Option<BoardNumber> {
        let number = self.game.tag("Board")?.parse().ok()?;
        Some(BoardNumber { hall: self.hall, number })
    }

    /// Returns the number of the game in an address; without a tag it is that of its place.
    pub fn number_in_address(&self, games: &ViewerHall) -> String {
        games.number_in_address(self.tagged_number().unwrap_or(BoardNumber { hall: self.hall, number: self.place }))
    }
}

/// Returns the next games of the boards of a hall, given by its place and its name.
pub(super) fn next_games(
    (index, hall): (usize, &str),
    plan: &HallPlan,
    sections: &JoinedSections,
) -> Vec<Arc<NextGame>> {
    let assignments = plan.board_assignments();
    let mut by_board: BTreeMap<&str, &BoardAssignment> = BTreeMap::new();
    for assignment in &assignments {
        by_board.entry(&assignment.board).or_insert(assignment);
    }
    let id = |assignment: &BoardAssignment| {
        let own = format_pairing_key(assignment.pairing);
        if hall.is_empty() { own } else { sections.pairing(hall, &own) }
    };
    let prefix = if hall.is_empty() { String::new() } else { format!("{}.", hall.replace('/', ".")) };
    let next = |(place, board): (u64, &PlannedBoard)| {
        let assignment = by_board.get(board.name.as_str()).copied();
        let mut tags = board.tags.clone();
        tags.extend(assignment.iter().flat_map(|assignment| assignment.tags.iter().cloned()));
        let mut game = ViewerGame::unstarted(tags);
        game.pairing = assignment.map(id);
        // A forfeit has a result without a game.
        let format = game.variant.map(|variant| variant.result_format);
        let result = assignment.and_then(|assignment| plan.tournament.result_tag(assignment.pairing, format));
        game.result = game.result.or(result);
        Arc::new(NextGame { hall: index, place, board: format!("{prefix}{}", board.name), since: board.since, game })
    };
    (1..).zip(&plan.boards).map(next).collect()
}
