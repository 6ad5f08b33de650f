//! The featured board: the last choice among the events, and the board that it means at a time. Every reader of the same events at the same
//! time finds the same board.

use std::sync::Arc;

use serde::Deserialize;

use super::{ViewerBoard, ViewerGame, ViewerHall, time_of};

/// Largest number of moves of a board whose times are remembered.
const MAX_RECENT_MOVES: usize = 64;
/// Time over which the moves of a board are counted, in ms.
const COUNTED_MS: i64 = 60_000;
/// Interval between counts of the moves, in ms: a board stays featured for at least this time.
const COUNT_INTERVAL_MS: i64 = 15_000;

/// Event `featured`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FeaturedEvent {
    mode: String,
    #[serde(default)]
    boards: Vec<String>,
    every: Option<u32>,
    /// Hall of the choice, if a hub joins several.
    hall: Option<String>,
    at: Option<String>,
}

/// Last choice of the featured board.
#[derive(Clone, Debug, Default)]
pub struct FeaturedState {
    mode: FeaturedMode,
    /// Time of publication of the choice, in ms since 1970.
    since: i64,
    hall: Option<String>,
    /// Time of the choice itself, in ms since 1970: a hall that was away publishes late.
    at: i64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum FeaturedMode {
    /// No board, or a mode that this version does not know.
    #[default]
    Off,
    /// Boards in turn, each for a time in ms; a single board has any time.
    InTurn(Vec<String>, i64),
    /// The board with the most moves.
    MostMoves,
}

/// Times of the last moves of a board, in ms since 1970, oldest first.
#[derive(Clone, Debug, Default)]
pub struct RecentMoves(Vec<i64>);

impl RecentMoves {
    pub(super) fn add(&mut self, heard: i64) {
        if self.0.len() == MAX_RECENT_MOVES {
            self.0.remove(0);
        }
        self.0.push(heard);
    }

    /// Returns the number of moves in the minute before a time, and the time of the last one before it.
    fn count(&self, until: i64) -> (usize, Option<i64>) {
        let before = &self.0[..self.0.partition_point(|at| *at <= until)];
        let first = before.partition_point(|at| *at <= until - COUNTED_MS);
        (before.len() - first, before.last().copied())
    }
}

impl FeaturedState {
    /// Takes over the choice of an event, heard at a time; ignores earlier choices of another hall.
    pub(super) fn apply(&mut self, event: FeaturedEvent, heard: i64) {
        let at = event.at.as_deref().and_then(time_of).unwrap_or(heard);
        if event.hall != self.hall && at < self.at {
            return;
        }
        let every = i64::from(event.every.unwrap_or(1).max(1)) * 1000;
        let mode = match event.mode.as_str() {
            "board" | "in-turn" if !event.boards.is_empty() => FeaturedMode::InTurn(event.boards, every),
            "most-moves" => FeaturedMode::MostMoves,
            _ => FeaturedMode::Off,
        };
        *self = FeaturedState { mode, since: heard, hall: event.hall, at };
    }
}

impl ViewerHall {
    /// Returns the name or number of the board that is featured at a time, in ms since 1970. `is_there`: whether a board can be shown.
    pub fn featured(&self, now: i64, is_there: impl Fn(&str) -> bool) -> Option<&str> {
        match &self.featured.mode {
            FeaturedMode::Off => None,
            FeaturedMode::InTurn(boards, every) => {
                let shown: Vec<&String> = boards.iter().filter(|board| is_there(board)).collect();
                let turn = usize::try_from((now - self.featured.since) / every).unwrap_or(0);
                shown.get(turn.checked_rem(shown.len())?).map(|board| board.as_str())
            }
            FeaturedMode::MostMoves => self.busiest(now.div_euclid(COUNT_INTERVAL_MS) * COUNT_INTERVAL_MS),
        }
    }

    /// Returns the board with the most moves in the minute before a time; of several, that with the last move.
    fn busiest(&self, until: i64) -> Option<&str> {
        let is_running = |board: &ViewerBoard| board.current().is_some_and(ViewerGame::is_on);
        // After the last game, the board where it ended stays. The first of equals is the last one of the reversed list.
        let boards = self.boards.iter().rev().map(Arc::as_ref);
        let busiest = boards.max_by_key(|board| (is_running(board), board.recent_moves.count(until)));
        busiest.map(|board| board.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hall(events: &[(i64, String)]) -> ViewerHall {
        let mut hall = ViewerHall::default();
        for ((at, line), seq) in events.iter().zip(1..) {
            hall.apply(seq, Some("g"), line, *at);
        }
        hall
    }

    fn choice(mode: &str, boards: &str, every: u32) -> String {
        format!("{{\"type\":\"featured\",\"mode\":\"{mode}\",\"boards\":{boards},\"every\":{every}}}\n")
    }

    fn event(board: &str, members: &str) -> String {
        format!("{{\"board\":\"{board}\",\"game\":1,{members}}}\n")
    }

    fn ply(board: &str) -> String {
        event(board, "\"type\":\"move\",\"move\":\"32-28\"")
    }

    #[test]
    fn last_choice_counts_and_off_ends_it() {
        let mut events = vec![(0, choice("board", "[\"7\"]", 1)), (5, choice("board", "[\"b-2\"]", 1))];
        assert_eq!(hall(&events).featured(9_999_999, |_| true), Some("b-2"));
        assert_eq!(hall(&events).featured(9_999_999, |_| false), None, "no such board");
        for off in [choice("off", "[]", 1), choice("in-turn", "[]", 5), choice("a mode of later", "[\"1\"]", 5)] {
            events.push((9, off));
            assert_eq!(hall(&events).featured(10, |_| true), None);
            events.pop();
        }
        events.push((9, "{\"type\":\"round\",\"mode\":\"off\"}\n".to_owned()));
        assert_eq!(hall(&events).featured(10, |_| true), Some("b-2"));
    }

    #[test]
    fn choice_of_another_hall_that_was_made_before_changes_nothing() {
        let of_hall =
            |hall: &str, board: &str| choice("board", board, 1).replace("{", &format!("{{\"hall\":\"{hall}\","));
        let featured = |events: &[(i64, String)]| hall(events).featured(9_999, |_| true).map(str::to_owned);
        let mut events = vec![(900, of_hall("a", "[\"a.2\"]")), (500, of_hall("c", "[\"c.1\"]"))];
        assert_eq!(featured(&events).as_deref(), Some("a.2"));
        events.push((800, of_hall("a", "[\"a.3\"]")));
        assert_eq!(featured(&events).as_deref(), Some("a.3"), "the clock of the hall was set back");
        events.push((1000, of_hall("c", "[\"c.1\"]")));
        assert_eq!(featured(&events).as_deref(), Some("c.1"));
    }

    #[test]
    fn boards_in_turn_change_by_time_and_skip_missing_ones() {
        let hall = hall(&[(1000, choice("in-turn", "[\"1\",\"x\",\"3\"]", 20))]);
        let at = |seconds: i64| hall.featured(1000 + seconds * 1000, |board| board != "x");
        assert_eq!([at(-5), at(0), at(19), at(20), at(39), at(40)], ["1", "1", "1", "3", "3", "1"].map(Some));
    }

    #[test]
    fn busiest_board_is_counted_every_quarter_of_a_minute() {
        let game = |board: &str| event(board, "\"type\":\"game\",\"gametype\":\"20\",\"tags\":{},\"fen\":\"W:W31:B1\"");
        let mut events = vec![(0, choice("most-moves", "[]", 1)), (0, game("a")), (0, game("b")), (0, game("c"))];
        let featured = |events: &[(i64, String)], now: i64| hall(events).featured(now, |_| true).map(str::to_owned);
        assert_eq!(featured(&events, 10).as_deref(), Some("a"), "the first of equals");
        events.extend([(16_000, ply("b")), (17_000, ply("c")), (18_000, ply("c"))]);
        assert_eq!(featured(&events, 29_999).as_deref(), Some("a"), "not before the next count");
        assert_eq!(featured(&events, 30_000).as_deref(), Some("c"));
        events.extend([(40_000, ply("b")), (41_000, ply("b"))]);
        assert_eq!(featured(&events, 45_000).as_deref(), Some("b"));
        assert_eq!(featured(&events, 600_000).as_deref(), Some("b"), "the board with the last move stays");
        events.push((50_000, event("b", "\"type\":\"end\"")));
        assert_eq!(featured(&events, 600_000).as_deref(), Some("c"), "games that are over do not count");
        for board in ["a", "c"] {
            events.push((50_000, event(board, "\"type\":\"end\"")));
        }
        assert_eq!(featured(&events, 600_000).as_deref(), Some("b"), "unless all are over");
    }

    #[test]
    fn remembered_moves_are_bounded() {
        let mut moves = RecentMoves::default();
        (0..1000).for_each(|at| moves.add(at));
        assert_eq!((moves.0.len(), moves.count(2000)), (MAX_RECENT_MOVES, (MAX_RECENT_MOVES, Some(999))));
    }
}
