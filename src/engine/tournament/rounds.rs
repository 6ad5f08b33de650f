//! Rounds as the station plays them: which are published, which is open, who sits where, and what a game of a pairing is called.
//!
//! ```text
//!   prepared ──publish──▸ published ──open──▸ open ──close──▸ closed
//!       └───────────────────open────────────────┘  ▴             │
//!                                                   └────open─────┘      a game is played on, or played again
//! ```
//!
//! A game is tied to its pairing by the word that stands in its line's log before its first move: `17`, or `17.rapid` for a game of a
//! micro-match. What the tags of the game are to be follows from the pairing, whenever it is asked; what they became is an
//! [`CorrectedGame`].

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use draughts::ResultFormat;
use draughts_pdn::tag_values;

use super::csv::split_result;
use super::merge::{MAIN, micro_match_result};
use super::pdn::result_of;
use super::points::Points;
use super::scoring::{MicroMatchStage, Scoring};
use super::{Deferral, Id, OfficialResult, Pairing, ResultReason, Tournament, TournamentSection};

/// How far a round is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum RoundState {
    /// Its pairings are known here alone.
    #[default]
    Prepared,
    /// Everybody may see its pairings; their order stays.
    Published,
    /// Games that begin now are games of it.
    Open,
    /// It is over.
    Closed,
}

impl RoundState {
    /// All of them.
    pub const ALL: [RoundState; 4] =
        [RoundState::Prepared, RoundState::Published, RoundState::Open, RoundState::Closed];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            RoundState::Prepared => "prepared",
            RoundState::Published => "published",
            RoundState::Open => "open",
            RoundState::Closed => "closed",
        }
    }
}

impl FromStr for RoundState {
    type Err = String;

    fn from_str(text: &str) -> Result<RoundState, String> {
        let found = RoundState::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| format!("`{text}` is no state of a round"))
    }
}

/// A round of a section that was published.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SectionRound {
    /// Its number among all rounds of all sections.
    pub id: Id,
    /// The round, from 1.
    pub number: u32,
    /// How far it is.
    pub state: RoundState,
    /// The how manieth it was to be opened; 0: it was not.
    pub open_seq: u32,
}

/// What is corrected of a game that a board has recorded.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CorrectedGame {
    /// Its number among all amended games.
    pub id: Id,
    /// The board: what the names of its files begin with.
    pub board: String,
    /// The number of the game on the board.
    pub number: u32,
    /// The pairing that it is a game of, where it was told none before its first move, or another one.
    pub pairing: Option<PairingKey>,
    /// The tags that are others now, `Result` among them; and [`MOVES`], the moves that the board missed.
    pub tags: BTreeMap<String, CorrectedTag>,
}

impl CorrectedGame {
    /// Does another game count in its place?
    fn is_replayed(&self) -> bool {
        self.tags.get(REPLAYED).is_some_and(|tag| !tag.value.is_empty())
    }
}

/// What the moves that a board missed are called among what is corrected of a game; the other names there are tags, which begin with a
/// capital letter.
pub const MOVES: &str = "moves";

/// The tag of a game in whose place another one counts.
pub const REPLAYED: &str = "Replayed";

/// A tag of a recorded game that is another now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CorrectedTag {
    /// As it is to be shown; empty: it is left out.
    pub value: String,
    /// With which the game began, or that its live file ended with; empty: it had none.
    pub original: String,
}

/// A game that a board has recorded, as far as a tournament is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardGame {
    /// The board.
    pub board: String,
    /// Its number on the board.
    pub number: u32,
    /// The pairing that it was told before its first move.
    pub pairing: Option<String>,
    /// The game that was ended by mistake and goes on in this one, by its number.
    pub continues: Option<u32>,
    /// The tags with which it began.
    pub tags: Vec<(String, String)>,
    /// Which results it may have; `None`: any text.
    pub format: Option<ResultFormat>,
    /// The result that its live file has.
    pub result: Option<String>,
    /// The operator gave that result; the board has not shown it.
    pub is_result_given: bool,
    /// Has its live file ended?
    pub is_over: bool,
    /// How many entries it has.
    pub entries: u32,
}

impl BoardGame {
    /// The value of a tag with which it began.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The tags that say more of White and of Black than their names.
const PLAYER_TAG_SUFFIXES: [[&str; 4]; 2] = [
    ["WhiteTitle", "WhiteRating", "WhiteTeam", "WhiteFederation"],
    ["BlackTitle", "BlackRating", "BlackTeam", "BlackFederation"],
];

/// A pairing, and its game if there are several.
pub type PairingKey = (Id, Option<MicroMatchStage>);

/// What a game is told that belongs to a pairing: `17`, `17.rapid`.
pub fn format_pairing_key((id, stage): PairingKey) -> String {
    match stage {
        None => id.to_string(),
        Some(stage) => format!("{id}.{}", stage.name()),
    }
}

/// The pairing of such a word.
pub fn parse_pairing_key(word: &str) -> Option<PairingKey> {
    let (id, stage) = match word.split_once('.') {
        None => (word, None),
        Some((id, stage)) => (id, Some(MicroMatchStage::ALL.into_iter().find(|known| known.name() == stage)?)),
    };
    Some((Id(id.parse().ok()?), stage))
}

/// Who sits at a board of the station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardAssignment {
    /// The board: what the names of its files begin with.
    pub board: String,
    /// The pairing.
    pub pairing: PairingKey,
    /// The tags of the game.
    pub tags: Vec<(String, String)>,
}

impl TournamentSection {
    /// How far a round is.
    pub fn state_of(&self, round: u32) -> RoundState {
        self.rounds.iter().find(|known| known.number == round).map_or(RoundState::Prepared, |known| known.state)
    }

    /// The round that was opened last, if it is open still.
    pub fn open_round(&self) -> Option<u32> {
        let last = self.rounds.iter().max_by_key(|round| round.open_seq)?;
        (last.state == RoundState::Open).then_some(last.number)
    }
}

impl Tournament {
    /// A pairing and its section.
    pub fn pairing(&self, id: Id) -> Option<(&TournamentSection, &Pairing)> {
        let of = |section: &TournamentSection| section.pairings.iter().position(|pairing| pairing.id == id);
        self.sections.iter().find_map(|section| Some((section, &section.pairings[of(section)?])))
    }

    fn pairing_mut(&mut self, id: Id) -> Option<(Scoring, &mut Pairing)> {
        self.sections.iter_mut().find_map(|section| {
            let scoring = section.scoring;
            let found = section.pairings.iter_mut().find(|pairing| pairing.id == id)?;
            Some((scoring, found))
        })
    }

    /// The pairing that people call `3.2`: round 3, board 2.
    ///
    /// # Errors
    ///
    /// When there is none, or one in several sections.
    pub fn find_pairing(&self, name: &str, section: Option<&str>) -> Result<Id, String> {
        let numbers = name.split_once('.').and_then(|(round, board)| Some((round.parse().ok()?, board.parse().ok()?)));
        let Some((round, board)) = numbers else {
            return Err(format!("`{name}` is no pairing: 3.2 is board 2 of round 3"));
        };
        let is_asked = |of: &&TournamentSection| section.is_none_or(|name| of.name == name);
        let found: Vec<(&TournamentSection, Id)> = self
            .sections
            .iter()
            .filter(is_asked)
            .flat_map(|section| section.round(round).into_iter().map(move |pairing| (section, pairing)))
            .filter(|(_, pairing)| pairing.board == Some(board))
            .map(|(section, pairing)| (section, pairing.id))
            .collect();
        match found.as_slice() {
            [(_, id)] => Ok(*id),
            [] => Err(format!("there is no board {board} in round {round}")),
            several => {
                let names: Vec<&str> = several.iter().map(|(section, _)| section.name.as_str()).collect();
                Err(format!("there is a pairing {name} in several sections: say which, {}", names.join(", ")))
            }
        }
    }

    /// Takes a round of a section, or of all that have it, to another state. Returns what there is to say.
    ///
    /// # Errors
    ///
    /// When there is no such round, or it cannot come from where it is.
    pub fn set_round_state(&mut self, of: Option<&str>, number: u32, to: RoundState) -> Result<Vec<String>, String> {
        if let Some(name) = of.filter(|name| self.section(name).is_none()) {
            let names: Vec<&str> = self.sections.iter().map(|section| section.name.as_str()).collect();
            return Err(format!("there is no section {name}; there are {}", names.join(", ")));
        }
        let mut next = self.sections.iter().flat_map(|section| &section.rounds).map(|round| round.id.0).max();
        let mut said = Vec::new();
        let mut is_found = false;
        let is_nameless = self.sections.len() < 2;
        for section in self.sections.iter_mut().filter(|section| of.is_none_or(|name| section.name == name)) {
            let pairings = section.round(number).len();
            if pairings == 0 {
                continue;
            }
            is_found = true;
            let of = if is_nameless && section.name == MAIN { String::new() } else { format!("{}, ", section.name) };
            let state = section.state_of(number);
            if state == to {
                said.push(format!("{of}round {number} is {} already", to.name()));
                continue;
            }
            let is_way = match to {
                RoundState::Prepared => state == RoundState::Published,
                RoundState::Published => state == RoundState::Prepared,
                RoundState::Open => true,
                RoundState::Closed => state == RoundState::Open,
            };
            if !is_way {
                return Err(format!("{of}round {number} is {}: it cannot be {}", state.name(), to.name()));
            }
            let opened = section.rounds.iter().map(|round| round.open_seq).max().unwrap_or(0) + 1;
            let at = section.rounds.iter().position(|round| round.number == number).unwrap_or_else(|| {
                next = Some(next.unwrap_or(0) + 1);
                let id = Id(next.unwrap_or(1));
                section.rounds.push(SectionRound { id, number, ..SectionRound::default() });
                section.rounds.len() - 1
            });
            let round = &mut section.rounds[at];
            round.state = to;
            if to == RoundState::Open {
                round.open_seq = opened;
            }
            let missing = section.round(number).iter().filter(|pairing| pairing.is_awaited()).count();
            said.push(format!("{of}round {number}: {}, {pairings} pairings, {missing} without a result", to.name()));
        }
        if !is_found {
            return Err(format!("there is no round {number} with pairings"));
        }
        Ok(said)
    }

    /// Who sits where: the pairings of the open rounds that have a board of the station, but for those that are played later; and before
    /// them those that an arbiter has given another board, until they have a result.
    pub fn board_assignments(&self) -> Vec<BoardAssignment> {
        let mut seats: Vec<BoardAssignment> = self
            .elsewhere()
            .map(|(section, pairing)| self.seat_at(section, pairing, &pairing.board_override))
            .collect();
        let rounds = self.sections.iter().filter_map(|section| Some((section, section.open_round()?)));
        for seat in rounds.flat_map(|(section, round)| self.assignments_of_round(section, round)) {
            let pairing = self.pairing(seat.pairing.0).map(|(_, pairing)| pairing);
            let is_here =
                pairing.is_some_and(|pairing| pairing.deferral.is_none() && pairing.board_override.is_empty());
            if is_here && seats.iter().all(|other| other.board != seat.board) {
                seats.push(seat);
            }
        }
        seats
    }

    /// The pairings that are played on another board than that of their round.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&TournamentSection, &Pairing)> {
        let all =
            self.sections.iter().flat_map(|section| section.pairings.iter().map(move |pairing| (section, pairing)));
        all.filter(|(_, pairing)| !pairing.board_override.is_empty() && pairing.result.is_none())
    }

    fn seat_at(&self, section: &TournamentSection, pairing: &Pairing, board: &str) -> BoardAssignment {
        let key = (pairing.id, pairing.next_stage());
        BoardAssignment { board: board.to_owned(), pairing: key, tags: self.tags_of(section, pairing, key.1) }
    }

    /// The same of one round, in the order of its boards.
    pub fn assignments_of_round(&self, section: &TournamentSection, round: u32) -> Vec<BoardAssignment> {
        let seated = section.round(round).into_iter().filter(|pairing| !pairing.board_name.is_empty());
        seated.map(|pairing| self.seat_at(section, pairing, &pairing.board_name)).collect()
    }

    /// Sets pairings of these rounds (section, round) to boards of the station. `board`: the name of the board with this number, from 1. Where
    /// two sections count their boards from 1 each, the boards of the second follow those of the first. Who has no opponent
    /// has no board.
    pub fn assign_boards(&mut self, rounds: &[(Id, u32)], board: impl Fn(u32) -> Option<String>) {
        let mut taken: BTreeSet<u32> = BTreeSet::new();
        for section in &mut self.sections {
            let Some((_, round)) = rounds.iter().find(|(of, _)| *of == section.id) else { continue };
            let order: Vec<(Id, u32)> = section
                .round(*round)
                .into_iter()
                .zip(1..)
                .map(|(pairing, place)| (pairing.id, pairing.board.unwrap_or(place)))
                .collect();
            let highest = taken.last().copied().unwrap_or(0);
            let shift = if order.iter().any(|(_, number)| taken.contains(number)) { highest } else { 0 };
            for (id, number) in order {
                taken.insert(number + shift);
                let Some(pairing) = section.pairings.iter_mut().find(|pairing| pairing.id == id) else { continue };
                let is_played = pairing.white.is_some() && pairing.black.is_some();
                pairing.board_name = board(number + shift).filter(|_| is_played).unwrap_or_default();
            }
        }
    }

    /// The tags of a game of a pairing, without its result: what the tournament knows, and nothing else.
    pub fn tags_of(
        &self,
        section: &TournamentSection,
        pairing: &Pairing,
        stage: Option<MicroMatchStage>,
    ) -> Vec<(String, String)> {
        let game = pairing.games.iter().find(|game| Some(game.stage) == stage);
        let is_swapped = game.is_some_and(|game| game.is_swapped);
        let (white, black) = if is_swapped { (pairing.black, pairing.white) } else { (pairing.white, pairing.black) };
        // A section that nobody named says nothing of the event: the configuration does.
        let event = Some(&self.event.name).filter(|name| !name.is_empty());
        let event = event.or(Some(&section.name).filter(|name| *name != MAIN)).cloned().unwrap_or_default();
        let mut tags = vec![
            ("Event", event),
            ("Site", self.event.site.clone()),
            ("Round", pairing.round.to_string()),
            ("White", section.name_of(white).to_owned()),
            ("Black", section.name_of(black).to_owned()),
        ];
        for (id, names) in [white, black].into_iter().zip(PLAYER_TAG_SUFFIXES) {
            let Some(player) = id.and_then(|id| section.player(id)) else { continue };
            let rating = player.rating.map_or(String::new(), |rating| rating.to_string());
            let team = player.team.and_then(|id| section.team(id)).map_or(String::new(), |team| team.name.clone());
            tags.extend(names.into_iter().zip([player.title.clone(), rating, team, player.federation.clone()]));
        }
        tags.push(("Board", pairing.board.map_or(String::new(), |board| board.to_string())));
        if self.sections.len() > 1 {
            tags.push(("Section", section.name.clone()));
        }
        if let Some(game) = game {
            tags.push(("Stage", game.stage.name().to_owned()));
            tags.push(("TimeControl", game.time_control.clone()));
        }
        tags.retain(|(_, value)| !value.is_empty());
        tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Takes over what boards have shown: the result of a game that has ended is the official one of its pairing until somebody gives
    /// another. Returns the pairings that got one.
    pub fn apply_board_results(&mut self, games: &[&BoardGame]) -> Vec<Id> {
        let mut taken = Vec::new();
        for (key, game) in self.latest_games(games) {
            let result = game.result.as_deref().filter(|_| game.is_over).unwrap_or("*");
            if self.set_board_result(key, result) {
                taken.push(key.0);
            }
        }
        taken
    }

    /// Sets the result that a board has shown, where the pairing has none and its section knows it. Returns whether that changes anything.
    fn set_board_result(&mut self, key: PairingKey, result: &str) -> bool {
        if let Some(outcome) = tag_values::Outcome::parse(result) {
            return self.set_outcome(key, outcome, false);
        }
        // A game of a micro-match is won, drawn or lost.
        let (id, None) = key else { return false };
        let Some((scoring, pairing)) = self.pairing_mut(id) else { return false };
        let plus = ResultReason::of_draw(result).map(|reason| (scoring.draw, scoring.draw, reason));
        let points = || {
            split_result(result)
                .filter(|_| scoring.allows_plus_draws)
                .map(|(white, black)| (white, black, ResultReason::Played))
        };
        let Some((white, black, reason)) = plus.or_else(points) else { return false };
        let official = OfficialResult { white, black, reason };
        let is_new = pairing.result.is_none() && scoring.check(&official).is_ok();
        if is_new {
            pairing.result = Some(official);
        }
        is_new
    }

    /// Sets the outcome of a game of a pairing. Returns whether that changes anything; without `anew` one that has a result keeps it.
    pub fn set_outcome(&mut self, (id, stage): PairingKey, outcome: tag_values::Outcome, anew: bool) -> bool {
        let Some((scoring, pairing)) = self.pairing_mut(id) else { return false };
        let row = if stage.is_some() { Scoring::DRAUGHTS } else { scoring };
        let (white, black) = match outcome {
            tag_values::Outcome::WhiteWins => (row.win, row.loss),
            tag_values::Outcome::BlackWins => (row.loss, row.win),
            tag_values::Outcome::Draw => (row.draw, row.draw),
            tag_values::Outcome::BothLose => (row.loss, row.loss),
            tag_values::Outcome::Open => return false,
        };
        let Some(stage) = stage else {
            let reason = match outcome {
                tag_values::Outcome::BothLose => ResultReason::BothLost,
                _ => ResultReason::Played,
            };
            let official = OfficialResult { white, black, reason };
            if pairing.result == Some(official) || pairing.result.is_some() && !anew {
                return false;
            }
            pairing.result = Some(official);
            return true;
        };
        let Some(game) = pairing.games.iter_mut().find(|game| game.stage == stage) else { return false };
        if game.result == Some((white, black)) || game.result.is_some() && !anew {
            return false;
        }
        game.result = Some((white, black));
        pairing.result = micro_match_result(&pairing.games);
        true
    }

    /// Takes the result of a pairing back, or that of one game of a micro-match.
    pub fn clear_result(&mut self, (id, stage): PairingKey) {
        let Some((_, pairing)) = self.pairing_mut(id) else { return };
        let games = pairing.games.iter_mut().filter(|game| stage.is_none_or(|stage| game.stage == stage));
        games.for_each(|game| game.result = None);
        pairing.result = micro_match_result(&pairing.games);
    }

    /// Somebody plays a pairing instead of another. Returns whether that one played it.
    pub fn substitute(&mut self, id: Id, player: Id, by: Id) -> bool {
        let Some((_, pairing)) = self.pairing_mut(id) else { return false };
        let side = [&mut pairing.white, &mut pairing.black].into_iter().find(|side| **side == Some(player));
        side.map(|side| *side = Some(by)).is_some()
    }

    /// A pairing is played later, or not any more; and on this board, if it is not that of its round.
    pub fn set_deferral(&mut self, id: Id, later: Option<Deferral>, elsewhere: &str) {
        if let Some((_, pairing)) = self.pairing_mut(id) {
            (pairing.deferral, pairing.board_override) = (later, elsewhere.to_owned());
        }
    }

    /// What has a result is not played later any more.
    pub fn clear_deferrals(&mut self) {
        let pairings = self.sections.iter_mut().flat_map(|section| &mut section.pairings);
        for pairing in pairings.filter(|pairing| pairing.result.is_some()) {
            (pairing.deferral, pairing.board_override) = (None, String::new());
        }
    }

    /// A game of a pairing does not count any more: it is played again.
    pub fn replay(&mut self, game: &BoardGame, key: PairingKey) {
        self.clear_result(key);
        self.correct(game, [("Result", "*"), (REPLAYED, "yes")].map(|(tag, value)| (tag.to_owned(), value.to_owned())));
    }

    /// A game that was to be played again counts after all, with all its parts in their order; the result that was given on its board is
    /// that of its pairing, if that has none.
    pub fn undo_replay(&mut self, parts: &[&BoardGame], key: PairingKey) {
        for part in parts {
            self.correct(part, [(REPLAYED.to_owned(), String::new())]);
        }
        let Some(last) = parts.last() else { return };
        let shown = last.result.clone().unwrap_or_else(|| "*".to_owned());
        self.correct(last, [("Result".to_owned(), shown)]);
        if let Some(given) = last.result.as_deref().filter(|_| last.is_result_given) {
            self.set_board_result(key, given);
        }
    }

    /// Does another game count in the place of this one?
    pub fn is_replayed(&self, game: &BoardGame) -> bool {
        self.corrected(&game.board, game.number).is_some_and(CorrectedGame::is_replayed)
    }

    /// From now on this is the official result of a pairing; `None`: there is none.
    pub fn set_official(&mut self, id: Id, official: Option<OfficialResult>) {
        if let Some((_, pairing)) = self.pairing_mut(id) {
            pairing.result = official;
        }
    }

    /// Makes of every recorded game of a pairing what the tournament says of it now: names, round, event, and the official result
    /// once it is over. What is so already stays untouched.
    pub fn update_corrections(&mut self, games: &[&BoardGame]) {
        for game in games {
            self.adopt_with_its_beginning(game);
        }
        let last = self.latest_games(games).into_values();
        let last: BTreeSet<(&str, u32)> = last.map(|game| (game.board.as_str(), game.number)).collect();
        for game in games {
            self.correct(game, self.prior_corrections(game));
            let Some(key) = self.pairing_of(game) else { continue };
            let Some((section, pairing)) = self.pairing(key.0) else { continue };
            let mut wanted = self.tags_of(section, pairing, key.1);
            // What was true of another player is not true of whoever took his place.
            let is_missing = |name: &&str| wanted.iter().all(|(known, _)| known != name);
            let of_others: Vec<&str> = PLAYER_TAG_SUFFIXES.into_iter().flatten().filter(is_missing).collect();
            wanted.extend(of_others.into_iter().map(|name| (name.to_owned(), String::new())));
            if game.is_over
                && last.contains(&(game.board.as_str(), game.number))
                && let Some(result) = official_tag(section, pairing, key.1, game.format)
            {
                wanted.push(("Result".to_owned(), result));
            }
            self.correct(game, wanted);
        }
    }

    /// A game that was ended by mistake, and goes on as another, goes on as one of the pairing that it was adopted for.
    fn adopt_with_its_beginning(&mut self, game: &BoardGame) {
        let is_adopted = self.assigned_pairing(&game.board, game.number).is_some();
        let beginning = game.continues.filter(|_| !is_adopted);
        if let Some(key) = beginning.and_then(|number| self.assigned_pairing(&game.board, number)) {
            self.assign_game(game, key);
        }
    }

    /// What was corrected of a game before it was ended by mistake, and went on as another; not its result.
    fn prior_corrections(&self, game: &BoardGame) -> Vec<(String, String)> {
        let earlier = game.continues.and_then(|number| self.corrected(&game.board, number));
        let own = self.corrected(&game.board, game.number);
        let holds = |name: &&String| {
            !["Result", MOVES].contains(&name.as_str()) && own.is_none_or(|own| !own.tags.contains_key(*name))
        };
        let tags = earlier.into_iter().flat_map(|earlier| &earlier.tags).filter(|(name, _)| holds(name));
        tags.map(|(name, tag)| (name.clone(), tag.value.clone())).collect()
    }

    /// From now on these tags of a game are so; one that is empty is left out.
    pub fn correct(&mut self, game: &BoardGame, wanted: impl IntoIterator<Item = (String, String)>) {
        let at = self.games.iter().position(|known| known.board == game.board && known.number == game.number);
        let known = at.map(|at| &self.games[at].tags);
        let was = |name: &str| {
            let begun = if name == "Result" { game.result.as_deref().or(Some("*")) } else { game.tag(name) };
            begun.unwrap_or_default().to_owned()
        };
        let new = |(name, is): (String, String)| {
            let was = was(&name);
            let now = known.and_then(|tags| tags.get(&name)).map_or(was.as_str(), |tag| tag.value.as_str());
            (now != is).then_some((name, CorrectedTag { value: is, original: was }))
        };
        let new: Vec<(String, CorrectedTag)> = wanted.into_iter().filter_map(new).collect();
        if !new.is_empty() {
            self.amended(game).tags.extend(new);
        }
    }

    /// From now on a game is one of this pairing, whatever its line was told before its first move.
    pub fn assign_game(&mut self, game: &BoardGame, key: PairingKey) {
        let told = game.pairing.as_deref().and_then(parse_pairing_key);
        self.amended(game).pairing = Some(key).filter(|_| told != Some(key));
    }

    /// What is corrected of a game, to correct more.
    fn amended(&mut self, game: &BoardGame) -> &mut CorrectedGame {
        let at = self.games.iter().position(|known| known.board == game.board && known.number == game.number);
        let at = at.unwrap_or_else(|| {
            let id = Id(self.games.iter().map(|game| game.id.0).max().unwrap_or(0) + 1);
            let (board, number) = (game.board.clone(), game.number);
            self.games.push(CorrectedGame { id, board, number, ..CorrectedGame::default() });
            self.games.len() - 1
        });
        &mut self.games[at]
    }

    /// The pairing that a game is one of.
    pub fn pairing_of(&self, game: &BoardGame) -> Option<PairingKey> {
        self.assigned_pairing(&game.board, game.number).or_else(|| parse_pairing_key(game.pairing.as_deref()?))
    }

    /// The pairing that a game is one of though its line was not told so before its first move.
    pub fn assigned_pairing(&self, board: &str, number: u32) -> Option<PairingKey> {
        self.corrected(board, number)?.pairing
    }

    /// Of each pairing the game that was begun last: one that was played again takes the place of the one before it.
    fn latest_games<'g>(&self, games: &[&'g BoardGame]) -> BTreeMap<PairingKey, &'g BoardGame> {
        games
            .iter()
            .filter(|game| !self.is_replayed(game))
            .filter_map(|game| Some((self.pairing_of(game)?, *game)))
            .collect()
    }

    /// The board on which a pairing is played, or was played, as far as the tournament knows; empty: none of the station. A game that was
    /// adopted may have been played elsewhere than its round said.
    pub fn board_of<'t>(&'t self, pairing: &'t Pairing) -> &'t str {
        let of_pairing =
            |game: &&CorrectedGame| game.pairing.is_some_and(|key| key.0 == pairing.id) && !game.is_replayed();
        let adopted = self.games.iter().rfind(of_pairing).map(|game| game.board.as_str());
        match pairing.board_override.as_str() {
            "" => adopted.unwrap_or(&pairing.board_name),
            elsewhere => elsewhere,
        }
    }

    /// The official result of a game of a pairing in the words of its tag; `None`: there is none yet. `format`: the results that the
    /// game may have, those of international draughts if that is not known.
    pub fn result_tag(&self, (id, stage): PairingKey, format: Option<ResultFormat>) -> Option<String> {
        let (section, pairing) = self.pairing(id)?;
        official_tag(section, pairing, stage, format)
    }

    /// What is corrected of a game.
    pub fn corrected(&self, board: &str, number: u32) -> Option<&CorrectedGame> {
        self.games.iter().find(|game| game.board == board && game.number == number)
    }
}

impl Pairing {
    /// Which game of a micro-match is to be played now: the first without a result, else the last.
    pub fn next_stage(&self) -> Option<MicroMatchStage> {
        let open = self.games.iter().find(|game| game.result.is_none());
        open.or(self.games.last()).map(|game| game.stage)
    }
}

/// The official result of a game in the words of its tag; `None`: there is none yet.
fn official_tag(
    section: &TournamentSection,
    pairing: &Pairing,
    stage: Option<MicroMatchStage>,
    format: Option<ResultFormat>,
) -> Option<String> {
    if let Some(advantage) = pairing.result.zip(format).and_then(|(result, format)| advantage_in(format, &result)) {
        return Some(advantage.to_owned());
    }
    let (white, black, scoring) = match stage {
        None => pairing.result.map(|result| (result.white, result.black, section.scoring))?,
        Some(stage) => {
            let game = pairing.games.iter().find(|game| game.stage == stage)?;
            game.result.map(|(white, black)| (white, black, Scoring::DRAUGHTS))?
        }
    };
    Some(result_of(&scoring, white, black).as_result(format.unwrap_or(ResultFormat::International)).to_owned())
}

/// A draw with an advantage, as games write it whose results know that (PDN 3.0, `ResultFormat`); `None`: it is none, or they do not.
fn advantage_in(format: ResultFormat, result: &OfficialResult) -> Option<&'static str> {
    let [white, black] = [result.white, result.black].map(Points::in_hundredths);
    match (format, result.reason) {
        (ResultFormat::PlusDraw, ResultReason::WhitePlus) => Some("1+ - 1-"),
        (ResultFormat::PlusDraw, ResultReason::BlackPlus) => Some("1- - 1+"),
        (ResultFormat::Delfts, _) if (white, black) == (150, 50) => Some("1 1/2 - 1/2"),
        (ResultFormat::Delfts, _) if (white, black) == (50, 150) => Some("1/2 - 1 1/2"),
        _ => None,
    }
}
