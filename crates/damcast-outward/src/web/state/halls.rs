//! Halls of a joined outlet, from the lines of the hub: their order, and which of them are away.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use super::{ViewerBoard, ViewerGame, ViewerHall};

/// Line of the hub about halls.
#[derive(Deserialize)]
pub(super) struct HallEvent {
    r#type: String,
    /// Names of all halls in their order.
    #[serde(default)]
    halls: Vec<String>,
    hall: Option<String>,
    state: Option<String>,
    /// Time in seconds since the last word of a hall that is away.
    #[serde(default)]
    silent_s: u32,
}

/// Number of a board in its hall.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BoardNumber {
    /// Place of the hall among the halls; 0 in an outlet of one hall.
    pub hall: usize,
    /// Number of the board.
    pub number: u64,
}

impl fmt::Display for BoardNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)
    }
}

impl ViewerHall {
    /// Applies a line of the hub; ignores other lines. The boards of a hall that goes away keep their positions, as those of a silent board.
    pub(super) fn apply_hall(&mut self, event: HallEvent, heard: i64) {
        match (event.r#type.as_str(), event.hall) {
            ("halls", None) => self.halls = Arc::new(event.halls),
            // A hall inside a hall has a slash in its name and a dot in those of its boards.
            ("hall", Some(hall)) => {
                let away_since =
                    (event.state.as_deref() == Some("away")).then_some(heard - 1000 * i64::from(event.silent_s));
                let prefix = format!("{}.", hall.replace('/', "."));
                let away = Arc::make_mut(&mut self.away);
                away.remove(&prefix);
                away.extend(away_since.map(|since| (prefix.clone(), since)));
                for at in 0..self.boards.len() {
                    let board = &self.boards[at];
                    if !board.name.starts_with(&prefix) {
                        continue;
                    }
                    let away_since = self.away_since(&board.name);
                    let games = Arc::make_mut(&mut self.boards[at]).games.iter_mut();
                    for game in games.filter(|game| game.is_on() || game.away_since.is_some()) {
                        Arc::make_mut(game).away_since = away_since;
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the time since which nothing is heard of the hall of a board, or of a hall around it, in ms since 1970. `board`: its name, or the
    /// name of a hall with a dot.
    pub fn away_since(&self, board: &str) -> Option<i64> {
        self.away.iter().filter(|(prefix, _)| board.starts_with(*prefix)).map(|(_, since)| *since).min()
    }

    /// Returns the place of the hall of a board, by the name of the board.
    pub fn hall_of(&self, board: &str) -> usize {
        let is_of = |hall: &String| board.strip_prefix(hall.as_str()).is_some_and(|rest| rest.starts_with('.'));
        self.halls.iter().position(is_of).unwrap_or(0)
    }

    /// Returns the name of the hall of a board; `None` in an outlet of one hall.
    pub fn hall_name(&self, number: BoardNumber) -> Option<&str> {
        self.halls.get(number.hall).map(String::as_str)
    }

    /// Returns the part of an address that means a board by its number: `3`, or `HALL.3`.
    pub fn number_in_address(&self, number: BoardNumber) -> String {
        self.hall_name(number).map_or_else(|| number.to_string(), |hall| format!("{hall}.{number}"))
    }

    /// Returns all boards with their numbers, hall by hall: the tag `Board` of the last game that has one, else the number at the end of the
    /// name, else the next free number in the order of names. If two games have one number, the board with it in its name has it, also while
    /// it waits for its game.
    pub fn boards(&self) -> Vec<(BoardNumber, &ViewerBoard)> {
        let mut all = Vec::new();
        for hall in 0..self.halls.len().max(1) {
            let boards: Vec<&ViewerBoard> =
                self.boards.iter().map(|board| &**board).filter(|board| self.hall_of(&board.name) == hall).collect();
            let name = self.halls.get(hall).map_or("", String::as_str);
            let prefix = if name.is_empty() { String::new() } else { format!("{name}.") };
            let claims = self.plans.get(name).map(|plan| plan.claims());
            // The board that waits for a game with a number.
            let claimant = |number| Some(format!("{prefix}{}", claims?.get(&number)?));
            let numbers = numbers(&boards, claimant);
            all.extend(numbers.into_iter().map(|number| BoardNumber { hall, number }).zip(boards));
        }
        all.sort_by_key(|(number, _)| *number);
        all
    }

    /// Finds a board by its name, else by its number, also after the name of its hall and a dot; returns both.
    pub fn board(&self, which: &str) -> Option<(BoardNumber, &ViewerBoard)> {
        let all = self.boards();
        let by_name = all.iter().find(|(_, board)| board.name == which);
        let by_number =
            || all.iter().find(|(number, _)| self.number_in_address(*number) == which || number.to_string() == which);
        by_name.or_else(by_number).copied()
    }
}

/// Returns the numbers of the boards of a hall: distinct, and the same whichever other boards have begun, if names or tags say them.
fn numbers(boards: &[&ViewerBoard], claimant: impl Fn(u64) -> Option<String>) -> Vec<u64> {
    let tag = |game: &ViewerGame| game.tags.get("Board")?.parse::<u64>().ok();
    let is_claimed =
        |board: &&ViewerBoard, number: &u64| claimant(*number).is_some_and(|claimant| claimant != board.name);
    let own = |board: &&ViewerBoard| tag(board.current()?).filter(|number| !is_claimed(board, number));
    let earlier = |board: &&ViewerBoard| {
        board.games.iter().rev().find_map(|game| tag(game)).filter(|number| !is_claimed(board, number))
    };
    let mut numbers: Vec<Option<u64>> = vec![None; boards.len()];
    // If two games have one number, the board with it in its name keeps it.
    let named = |board: &&ViewerBoard| own(board).filter(|number| number_at_end(&board.name) == Some(*number));
    // A game of no pairing, such as an analysis, has no tag.
    let at_end = |board: &&ViewerBoard| number_at_end(&board.name).filter(|number| !is_claimed(board, number));
    for source in [&named as &dyn Fn(&&ViewerBoard) -> Option<u64>, &own, &earlier, &at_end] {
        for (at, board) in boards.iter().enumerate() {
            if let Some(number) =
                source(board).filter(|number| numbers[at].is_none() && !numbers.contains(&Some(*number)))
            {
                numbers[at] = Some(number);
            }
        }
    }
    let mut last = numbers.iter().flatten().copied().max().unwrap_or(0);
    let mut next = || {
        last = last.saturating_add(1);
        last
    };
    numbers.into_iter().map(|number| number.unwrap_or_else(&mut next)).collect()
}

/// Returns the number with which a name ends, unless it is 0.
pub(super) fn number_at_end(name: &str) -> Option<u64> {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name[rest.len()..].parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use draughts::Color;

    use super::super::hall_of as hall;

    fn game(board: &str, number: u64) -> String {
        format!(
            "{{\"board\":\"{board}\",\"game\":1,\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{\"Board\":\"{number}\"}},\"fen\":\"W:W31:B1\"}}"
        )
    }

    #[test]
    fn halls_have_boards_with_their_own_numbers() {
        let games = [game("b.x-1", 1), game("a.x-2", 2), game("a.x-1", 1)];
        let lines = ["{\"type\":\"halls\",\"halls\":[\"b\",\"a\"]}", &games[0], &games[1], &games[2]];
        let hall = hall(&lines);
        let boards = hall.boards();
        let shown: Vec<(String, &str)> =
            boards.iter().map(|(number, board)| (hall.number_in_address(*number), board.name.as_str())).collect();
        assert_eq!(shown, [("b.1", "b.x-1"), ("a.1", "a.x-1"), ("a.2", "a.x-2")].map(|(n, b)| (n.to_owned(), b)));
        let name = |which: &str| hall.board(which).map(|(_, board)| board.name.as_str());
        assert_eq!(
            [name("a.2"), name("1"), name("2"), name("a.x-1"), name("c.1")],
            [Some("a.x-2"), Some("b.x-1"), Some("a.x-2"), Some("a.x-1"), None]
        );
    }

    #[test]
    fn boards_keep_numbers_whatever_others_play() {
        let numbers = |lines: &[String]| {
            hall(lines).boards().iter().map(|(number, board)| (number.number, board.name.clone())).collect::<Vec<_>>()
        };
        let named =
            |numbers: &[(u64, &str)]| numbers.iter().map(|(n, name)| (*n, (*name).to_owned())).collect::<Vec<_>>();
        let untagged = |board: &str, n: u32| {
            game(board, 0).replace("\"game\":1", &format!("\"game\":{n}")).replace("\"Board\":\"0\"", "")
        };
        // An analysis after the game, and a spare board.
        let mut lines = vec![game("board-1", 1), game("board-5", 5), untagged("board-1", 2), untagged("board-8", 1)];
        assert_eq!(numbers(&lines), named(&[(1, "board-1"), (5, "board-5"), (8, "board-8")]));
        // Without tags the names say the numbers, also before other boards have begun.
        assert_eq!(numbers(&[untagged("board-3", 1)]), named(&[(3, "board-3")]));
        // A game that continues on another board keeps its number there; the other numbers stay distinct.
        lines.push(game("board-9", 5));
        lines.push(untagged("x", 1));
        let expected = [(1, "board-1"), (5, "board-5"), (8, "board-8"), (9, "board-9"), (10, "x")];
        assert_eq!(numbers(&lines), named(&expected));
    }

    #[test]
    fn boards_of_hall_that_is_away_are_silent() {
        let games = [game("a.x", 1), game("ab.x", 1)];
        let away = "{\"type\":\"hall\",\"hall\":\"a\",\"state\":\"away\",\"silent_s\":3}";
        let mut lines = vec!["{\"type\":\"halls\",\"halls\":[\"a\",\"ab\"]}", &games[0], &games[1], away];
        let states = |lines: &[&str]| {
            let hall = hall(lines);
            ["a.x", "ab.x"].map(|board| hall.find(board).unwrap().current().unwrap().state_str())
        };
        assert_eq!(states(&lines), ["silent", "playing"]);
        assert_eq!(["a.", "ab."].map(|name| hall(&lines).away_since(name)), [Some(1000), None]);
        lines.push("{\"type\":\"hall\",\"hall\":\"a\",\"state\":\"here\",\"generation\":\"x\"}");
        assert_eq!(states(&lines), ["playing", "playing"]);
        // A clock that runs has counted on until the last word.
        let clock = "{\"board\":\"a.x\",\"game\":1,\"type\":\"clock\",\"clock\":{\"white\":600,\"black\":300,\"running\":\"white\"}}";
        let lines = [lines[0], lines[1], clock, lines[0], lines[0], lines[0], lines[0], away];
        let silent = hall(&lines[1..]);
        let game = silent.find("a.x").unwrap().current().unwrap();
        assert_eq!(Color::BOTH.map(|color| game.clock_seconds(color)), [Some(598), Some(300)]);
        // An outlet of one hall has no halls.
        assert!(hall(&lines[1..2]).halls.is_empty());
    }
}
