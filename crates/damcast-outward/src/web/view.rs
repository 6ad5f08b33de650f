//! View of an outlet at one moment, from which all pages are made: a function of its events, the time, and the recorder's signs of life.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use super::next_games::NextGame;
use super::plan::{PlannedPairing, PlannedSection, ViewerPlan};
use super::state::{ViewerBoard, ViewerGame, ViewerHall};

/// How much later than the boards an outlet shows moves, as its sign of life says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct OutletDelay {
    /// Seconds between recording and publication.
    #[serde(rename = "delay_s", default)]
    pub seconds: u32,
    /// Number of last plies that are withheld during the game.
    #[serde(rename = "delay_plies", default)]
    pub plies: u32,
}

/// Content of all pages at one moment.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Boards and their games, from the events.
    pub hall: ViewerHall,
    /// Pairings, next games and standings, from the same events.
    pub plan: Arc<ViewerPlan>,
    /// Games for which boards wait.
    pub awaited: Vec<Arc<NextGame>>,
    /// Time since which the recorder is silent, in ms since 1970; `None` while it gives signs of life.
    pub silent_since: Option<i64>,
    /// Delay of the outlet.
    pub delay: OutletDelay,
    /// Name or number of the featured board: that of a game that has begun, or of one that waits.
    pub featured: Option<String>,
    /// Whether the last day of the event is over.
    pub is_past: bool,
    /// Number of this view: later ones have higher numbers.
    pub step: u64,
    rounds: OnceLock<Vec<String>>,
    without_results: OnceLock<Box<View>>,
}

impl View {
    /// Creates the view of a time, in ms since 1970.
    pub fn new(hall: ViewerHall, plan: Arc<ViewerPlan>, silent_since: Option<i64>, (now, step): (i64, u64)) -> View {
        let hall = with_decided_games(hall, &plan);
        let featured = featured(&hall, &plan, now).map(str::to_owned);
        let is_past = is_past(&plan, now);
        let awaited = plan.next_games.iter().filter(|next| plan.is_awaited(next, &hall)).cloned().collect();
        View { hall, plan, awaited, silent_since, featured, is_past, step, ..View::default() }
    }

    /// Returns the rounds of all games and of the tournament, in order.
    pub fn rounds(&self) -> &[String] {
        self.rounds.get_or_init(|| {
            let boards = self.hall.boards();
            let games = boards.iter().flat_map(|(_, board)| board.games.iter()).filter(|game| !game.is_void());
            let played = games.filter_map(|game| game.tag("Round"));
            let planned = self.plan.sections.iter().flat_map(|section| &section.rounds);
            let mut rounds: BTreeSet<Cow<'_, str>> = played.map(Cow::from).collect();
            rounds.extend(planned.map(|round| Cow::from(round.number.to_string())));
            let mut rounds: Vec<String> = rounds.into_iter().map(Cow::into_owned).collect();
            // Rounds without a number come last, in the order of the set.
            rounds.sort_by_key(|round| round.parse::<u64>().unwrap_or(u64::MAX));
            rounds
        })
    }

    /// Returns what identifies the view, also after a restart of the server: `generation.seq-digest`, `p` if the last day
    /// is over, `s` if the recorder is silent then, the delay if there is one, and the featured board. A restored copy of a folder may have other lines with the
    /// same numbers: the digest tells them apart.
    pub fn id(&self) -> String {
        let featured = self.featured.as_ref().map(|board| format!("-{}", utf8_percent_encode(board, NON_ALPHANUMERIC)));
        let past = match (self.is_past, self.silent_since) {
            (true, Some(_)) => "ps",
            (true, None) => "p",
            (false, _) => "",
        };
        let OutletDelay { seconds, plies } = self.delay;
        let delay = if self.delay == OutletDelay::default() { String::new() } else { format!("d{seconds}.{plies}") };
        let (id, digest) = (self.hall.id(), self.hall.digest());
        format!("{id}-{digest}{past}{delay}{}", featured.unwrap_or_default())
    }

    /// Returns the view for a page; with `hides_results` its tables have no points, and no order that tells them.
    pub fn shown(&self, hides_results: bool) -> &View {
        if !hides_results {
            return self;
        }
        self.without_results.get_or_init(|| {
            let plan = Arc::new(self.plan.without_points());
            Box::new(View { plan, without_results: OnceLock::new(), ..self.clone() })
        })
    }

    /// Whether there is a tournament.
    pub fn has_tournament(&self) -> bool {
        !self.plan.standings.is_empty()
    }

    /// Returns the published pairing of a game, with its section.
    pub fn pairing_of(&self, game: &ViewerGame) -> Option<(&PlannedSection, &PlannedPairing)> {
        self.plan.pairing(game.pairing.as_deref()?)
    }

    /// Returns the games for which boards wait.
    pub fn awaited_games(&self) -> impl Iterator<Item = &ViewerGame> {
        self.awaited.iter().map(|next| &next.game)
    }

    /// Returns the game that pages show of a board: the last one that began. While a round is open, its game comes before a later game without
    /// a pairing, and before a postponed one that is decided.
    pub fn shown_game<'a>(&self, board: &'a ViewerBoard) -> Option<&'a ViewerGame> {
        let last = board.current()?;
        let is_open = |game: &&Arc<ViewerGame>| game.pairing.as_ref().is_some_and(|id| self.plan.is_in_open_round(id));
        // A postponed game is shown until it is decided.
        let is_decided = |id: &String| self.plan.pairing(id).is_none_or(|(_, pairing)| pairing.points.is_some());
        let yields = last.pairing.as_ref().is_none_or(|id| last.has_ended() && is_decided(id));
        let of_pairing = board.games.iter().rev().find(is_open).filter(|_| yields);
        Some(of_pairing.map_or(last, |game| game))
    }
}

/// Ends the games that have an official result, and none from their boards. If a pairing has several such games, its result is that of the last
/// one.
fn with_decided_games(mut hall: ViewerHall, plan: &ViewerPlan) -> ViewerHall {
    let boards = hall.boards();
    let games = || boards.iter().flat_map(|(_, board)| board.games.iter().map(|game| (&board.name, &**game)));
    let counted = || games().filter(|(_, game)| game.counts());
    let key = |game: &ViewerGame| {
        let (id, stage) = plan.key_of(game.pairing.as_deref()?);
        Some((id.to_owned(), stage.to_owned()))
    };
    let decided = |(board, game): (&String, &ViewerGame)| {
        let id = game.pairing.as_deref().filter(|_| game.result.is_none())?;
        let (own, stage) = plan.key_of(id);
        let result = hall.official_result(game, &format!("{own}{stage}"));
        let is_decided = result.is_some() || plan.pairing(id)?.1.points.is_some();
        is_decided.then(|| (board.clone(), game.number, result.map(|result| (result, key(game), game.first_line()))))
    };
    let mut decided: Vec<_> = counted().filter_map(decided).collect();
    if decided.is_empty() {
        return hall;
    }
    let mut last = HashMap::new();
    counted().for_each(|(_, game)| {
        let line = last.entry(key(game)).or_default();
        *line = game.first_line().max(*line);
    });
    decided.iter_mut().for_each(|(.., result)| {
        *result = result.take().filter(|(_, key, line)| last[key] == *line);
    });
    for (board, number, result) in decided {
        hall.end_game(&board, number, result.map(|(result, ..)| result));
    }
    hall
}

/// Returns the time at which the last day of the event is over everywhere on the earth, in ms since 1970; `None` without a known day. An event
/// of which only the first day is known goes on while a round is open, published or planned.
pub fn ends_at(plan: &ViewerPlan) -> Option<i64> {
    let goes_on = |section: &PlannedSection| {
        let planned = section.planned_rounds.unwrap_or_default();
        section.rounds.iter().any(|round| !round.is_closed()) || (section.rounds.len() as u64) < planned
    };
    plan.event.ends_at().filter(|_| !plan.event.end.is_empty() || !plan.sections.iter().any(goes_on))
}

/// Whether the last day of the event is over at a time, in ms since 1970.
pub fn is_past(plan: &ViewerPlan, now: i64) -> bool {
    ends_at(plan).is_some_and(|end| now >= end)
}

/// Returns the name or number of the board that is featured at a time, in ms since 1970.
pub fn featured<'a>(hall: &'a ViewerHall, plan: &ViewerPlan, now: i64) -> Option<&'a str> {
    let waits =
        |board: &str| plan.next_games.iter().any(|next| next.board == board || next.number_in_address(hall) == board);
    hall.featured(now, |board| hall.board(board).is_some() || waits(board))
}

#[cfg(test)]
mod tests {
    use super::super::state::hall_of;
    use super::*;

    #[test]
    fn view_stands_still_when_busiest_board_is_decided() {
        let line = |board: &str, members: &str| format!("{{\"board\":\"{board}\",\"game\":1,{members}}}");
        let game = |board: &str, pairing: u32| {
            line(
                board,
                &format!(
                    "\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{}},\"pairing\":\"{pairing}\",\"fen\":\"W:W31:B1\""
                ),
            )
        };
        let ply = |board: &str| line(board, "\"type\":\"move\",\"move\":\"31-27\"");
        let choice = "{\"type\":\"featured\",\"mode\":\"most-moves\",\"boards\":[]}".to_owned();
        let hall = hall_of(&[choice, game("a", 1), game("b", 2), ply("a"), ply("a"), ply("b")]);
        let view = |points: &str| {
            let pairing = |id: u32, more: &str| format!("{{\"id\":{id},\"white\":1,\"black\":2{more}}}");
            let pairings = [pairing(1, points), pairing(2, "")].join(",");
            let round = format!("{{\"round\":1,\"matches\":[],\"pairings\":[{pairings}]}}");
            let document =
                format!("{{\"sections\":[{{\"name\":\"A\",\"players\":[],\"teams\":[],\"rounds\":[{round}]}}]}}");
            View::new(hall.clone(), Arc::new(ViewerPlan::read(&document)), None, (30_000, 1))
        };
        for (points, board) in [("", "a"), (",\"points\":[\"2\",\"0\"]", "b")] {
            let view = view(points);
            assert_eq!(view.featured.as_deref(), Some(board), "{points}");
            assert_eq!(featured(&view.hall, &view.plan, 30_000), Some(board), "{points}");
        }
    }
}
