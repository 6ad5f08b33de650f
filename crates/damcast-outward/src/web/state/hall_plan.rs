//! Reads the plan of each hall from its events: the published tournament, and the boards with the tags of their next games.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use draughts_tournament::{BoardAssignment, Deferral, Event, Id, Part, SectionPart, Tournament, parse_pairing_key};
use serde::Deserialize;
use serde_json::Value;

use super::halls::number_at_end;
use super::{ViewerGame, ViewerHall, natural_order, time_of};

/// Tags that announce another game if they change. Others, as `Site`, may be corrected while a game is shown.
const ANNOUNCING_TAGS: [&str; 6] = ["White", "Black", "Round", "Board", "GameType", "FEN"];

/// Published tournament and boards of a hall.
#[derive(Clone, Debug, Default)]
pub struct HallPlan {
    /// The tournament; the default value before its first part.
    pub tournament: Tournament,
    /// Boards in their order.
    pub boards: Vec<PlannedBoard>,
    /// Adjourned pairings, each with the number of the line that adjourned it.
    adjourned_in: BTreeMap<Id, u64>,
    claims: OnceLock<BTreeMap<u64, String>>,
}

impl HallPlan {
    /// Returns the pairings of the open rounds with their boards, without those whose game was played on another board.
    pub fn board_assignments(&self) -> Vec<BoardAssignment> {
        let mut all = self.tournament.board_assignments();
        all.retain(|of| {
            let pairing = self.tournament.pairing(of.pairing.0);
            pairing.is_none_or(|(_, pairing)| self.tournament.board_of(pairing) == of.board)
        });
        all
    }

    /// Returns the boards whose next game has the number at the end of their names, by this number: no other board gets it before they begin.
    pub(super) fn claims(&self) -> &BTreeMap<u64, String> {
        self.claims.get_or_init(|| {
            let mut assigned = self.board_assignments();
            // Of several boards with one number at the end, the first by name keeps it: the last one that is collected.
            assigned.sort_by_cached_key(|of| Reverse(natural_order(&of.board)));
            let claim = |of: BoardAssignment| {
                let tag = of.tags.iter().find(|(name, _)| name == "Board").and_then(|(_, number)| number.parse().ok());
                tag.filter(|number| number_at_end(&of.board) == Some(*number)).map(|number| (number, of.board))
            };
            assigned.into_iter().filter_map(claim).collect()
        })
    }
}

/// Board with the type and the tags of its next game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedBoard {
    /// Name in its hall.
    pub name: String,
    /// Tags, with `GameType`; those of a pairing come first.
    pub tags: BTreeMap<String, String>,
    /// Time since which the board has its tags that announce another game, in ms since 1970.
    pub since: i64,
}

/// Event `tournament`.
#[derive(Deserialize)]
pub(super) struct TournamentEvent {
    #[serde(default)]
    hall: String,
    parts: Vec<Value>,
}

/// Event `boards`.
#[derive(Deserialize)]
pub(super) struct BoardsEvent {
    #[serde(default)]
    hall: String,
    at: String,
    list: Vec<ListedBoard>,
}

#[derive(Deserialize)]
struct ListedBoard {
    board: String,
    gametype: String,
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

impl ViewerHall {
    /// Returns the plans of the halls in their order, each with the name of its hall; that of an outlet of one hall is empty.
    pub fn plans(&self) -> Vec<(&str, &HallPlan)> {
        let place = |name: &str| self.halls.iter().position(|hall| name.split('/').next() == Some(hall));
        let mut plans: Vec<_> = self.plans.iter().map(|(name, plan)| (name.as_str(), &**plan)).collect();
        plans.sort_by_key(|(name, _)| place(name));
        plans
    }

    /// Returns the official result of a game, by the id of its pairing, in the format of the game; `None` without one.
    pub fn official_result(&self, game: &ViewerGame, pairing: &str) -> Option<String> {
        let (hall, own) = pairing.rsplit_once('/').unwrap_or(("", pairing));
        let format = game.variant.map(|variant| variant.result_format);
        self.plans.get(hall)?.tournament.result_tag(parse_pairing_key(own)?, format)
    }

    /// Returns what changes with the plans: the number of restarts, and of the last line about them.
    pub fn plan_key(&self) -> (u64, u64) {
        (self.restarts, self.planned_seq)
    }

    /// Whether a game of an adjourned pairing is played again. `pairing`: its id; `on`: the board where it is played now.
    pub fn is_played_again(&self, game: &ViewerGame, pairing: &str, on: Option<&str>) -> bool {
        self.is_resumption(game, on) || self.is_continued(game, pairing)
    }

    /// Whether a game resumes the interrupted game of its pairing: it began later, on the board where the pairing is played now.
    fn is_resumption(&self, game: &ViewerGame, on: Option<&str>) -> bool {
        let games = self.boards.iter().flat_map(|board| board.games.iter().map(move |other| (&board.name, other)));
        let of_pairing: Vec<_> = games.filter(|(_, other)| other.pairing == game.pairing && other.counts()).collect();
        let is_here =
            |(board, other): &(&String, &Arc<ViewerGame>)| Some(board.as_str()) == on && other.number == game.number;
        of_pairing.iter().any(is_here) && of_pairing.iter().any(|(_, other)| other.first_line() < game.first_line())
    }

    /// Whether an adjourned game is played again: it has moves after the line that adjourned it, and a clock runs. `pairing`: id of its pairing.
    fn is_continued(&self, game: &ViewerGame, pairing: &str) -> bool {
        let (hall, own) = pairing.rsplit_once('/').unwrap_or(("", pairing));
        let since = || self.plans.get(hall)?.adjourned_in.get(&Id(own.parse().ok()?));
        since().is_some_and(|since| game.moved_in > *since) && game.clock.is_some_and(|clock| clock.running.is_some())
    }

    fn plan_mut(&mut self, hall: String) -> &mut HallPlan {
        self.planned_seq = self.seq;
        let plan = Arc::make_mut(Arc::make_mut(&mut self.plans).entry(hall).or_default());
        plan.claims = OnceLock::new();
        plan
    }

    pub(super) fn apply_tournament(&mut self, event: TournamentEvent) {
        let seq = self.seq;
        let plan = self.plan_mut(event.hall);
        // A later version may have parts of other kinds.
        for part in event.parts.into_iter().filter_map(|part| serde_json::from_value::<Part>(part).ok()) {
            if let Part::Pairing(SectionPart { id, value, .. }) = &part {
                if value.as_ref().is_some_and(|pairing| pairing.deferral == Some(Deferral::Adjourned)) {
                    plan.adjourned_in.entry(*id).or_insert(seq);
                } else {
                    plan.adjourned_in.remove(id);
                }
            }
            // Setting a part cannot fail.
            let _ = plan.tournament.apply(&Event::Restored(part));
        }
    }

    pub(super) fn apply_boards(&mut self, event: BoardsEvent) {
        let at = time_of(&event.at).unwrap_or_default();
        let plan = self.plan_mut(event.hall);
        let known = std::mem::take(&mut plan.boards);
        let board = |ListedBoard { board: name, gametype, mut tags }: ListedBoard| {
            tags.insert("GameType".to_owned(), gametype);
            let announced = |tags: &BTreeMap<String, String>| ANNOUNCING_TAGS.map(|tag| tags.get(tag).cloned());
            let same = known.iter().find(|known| known.name == name && announced(&known.tags) == announced(&tags));
            PlannedBoard { since: same.map_or(at, |same| same.since), name, tags }
        };
        plan.boards = event.list.into_iter().map(board).collect();
    }
}
