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

#[cfg(test)]
mod tests {
    use crate::web::plan::ViewerPlan;
    use crate::web::state::hall_of;

    /// The cables of two boards were swapped, and the arbiter has given each game to its pairing.
    #[test]
    fn board_waits_for_no_game_that_another_one_has() {
        let rules = "W=2 D=1 L=0 P=2 A=0 TW=2 TD=1 TL=0";
        let section = format!(
            r#"{{"section":{{"id":1,"value":{{"id":1,"name":"Open","scoring":"{rules}","unplayed":"fmjd"}}}}}}"#
        );
        let pairing = |id: u32| {
            format!(
                r#"{{"pairing":{{"section":1,"id":{id},"value":{{"id":{id},"round":1,"board":{id},"white":{id},"black":7,"board_name":"x-{id}"}}}}}}"#
            )
        };
        let round = r#"{"round":{"section":1,"id":1,"value":{"id":1,"number":1,"state":"open","open_seq":1}}}"#;
        let parts = [section, pairing(1), pairing(2), round.to_owned()].join(",");
        let boards = r#"{"board":"x-1","gametype":"20"},{"board":"x-2","gametype":"20"}"#;
        let mut lines =
            vec![format!(r#""type":"tournament","parts":[{parts}]"#), format!(r#""type":"boards","list":[{boards}]"#)];
        let awaited = |lines: &[String]| {
            let lines: Vec<String> =
                lines.iter().map(|line| format!("{{\"at\":\"2027-07-10T09:00:00Z\",{line}}}")).collect();
            let hall = hall_of(&lines);
            let plan = ViewerPlan::of_halls(&hall);
            let next = plan.next_games.iter().filter(|next| plan.is_awaited(next, &hall));
            next.filter_map(|next| next.game.pairing.clone()).collect::<Vec<_>>()
        };
        assert_eq!(awaited(&lines), ["1", "2"]);
        for (board, pairing) in [(1, 2), (2, 1)] {
            let game = format!(r#""board":"x-{board}","game":1"#);
            lines.push(format!(r#"{game},"type":"game","gametype":"20","pairing":"{pairing}""#));
            lines.push(format!(
                r#""type":"tournament","parts":[{{"game":{{{game},"value":{{"id":{board},"pairing":"{pairing}"}}}}}}]"#
            ));
        }
        assert!(awaited(&lines).is_empty());
        lines.push(r#""board":"x-1","game":1,"type":"end""#.to_owned());
        lines.push(r#""board":"x-1","game":1,"type":"result","result":"2-0""#.to_owned());
        assert!(awaited(&lines).is_empty());
    }
}
