//! Pairings, next games and standings of the outlet, as pages show them: made from the published tournament in the events, by way of the
//! documents that are `tournament.json` and `standings.json`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use draughts::Color;
use draughts_tournament::{HIDDEN_NAME, Points, Tournament, documents};
use serde::Deserialize;
use serde_json::Value;

use super::event_facts::ViewerEvent;
use super::next_games::{NextGame, next_games};
use super::state::{HallPlan, ViewerGame, ViewerHall};
use crate::joined_sections::JoinedSections;

/// Sections and pairings of a tournament, and the next games of the boards.
#[derive(Clone, Debug, Default)]
pub struct ViewerPlan {
    /// Facts of the event.
    pub event: ViewerEvent,
    /// Sections with players and rounds.
    pub sections: Vec<PlannedSection>,
    /// Next game of each board, hall by hall. A pairing without a game may have a result.
    pub next_games: Vec<Arc<NextGame>>,
    /// Standings of each section; none without a tournament.
    pub standings: Vec<SectionStandings>,
    /// Places of the pairings by their ids: section, round, pairing. A section that several halls have has an id of each hall.
    pairings: HashMap<String, [usize; 3]>,
}

#[derive(Default, Deserialize)]
struct Document {
    #[serde(default)]
    event: ViewerEvent,
    sections: Vec<PlannedSection>,
}

/// Default name of a section; pages omit it.
const DEFAULT_SECTION_NAME: &str = "main";

/// Points that a page does not show.
pub const HIDDEN_POINTS: &str = "?";

/// Returns the title of a section for people; `None` if it has no name of its own.
pub fn title(section: &str) -> Option<&str> {
    Some(section).filter(|name| !name.is_empty() && *name != DEFAULT_SECTION_NAME)
}

/// Section of a tournament.
#[derive(Clone, Debug, Deserialize)]
pub struct PlannedSection {
    /// Name; see [`title`].
    pub name: String,
    /// Players, in the order of the tournament.
    pub players: Vec<PlannedPlayer>,
    teams: Vec<PlannedTeam>,
    /// Points of a win, a draw and a loss, as `2-1-0`.
    #[serde(default)]
    pub scoring: String,
    /// Number of rounds of the whole tournament.
    pub planned_rounds: Option<u64>,
    /// Number of the open round.
    pub open_round: Option<u64>,
    /// Published rounds.
    pub rounds: Vec<PlannedRound>,
}

/// Player of a section.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Deserialize)]
pub struct PlannedPlayer {
    /// Identifies the player for ever.
    pub id: u64,
    /// Name; [`HIDDEN_NAME`] for a player who wants to stay anonymous.
    pub name: String,
    /// Title, as `GMI`.
    pub title: Option<String>,
    /// Rating.
    pub rating: Option<u64>,
    /// Federation, as `NED`.
    pub federation: Option<String>,
    /// Number at the FMJD.
    pub fmjd_id: Option<String>,
    team: Option<u64>,
}

impl PlannedPlayer {
    /// Whether the player wants to stay anonymous.
    pub fn is_hidden(&self) -> bool {
        self.name == HIDDEN_NAME
    }
}

#[derive(Clone, Debug, Deserialize)]
struct PlannedTeam {
    id: u64,
    name: String,
}

/// Round of a section.
#[derive(Clone, Debug, Deserialize)]
pub struct PlannedRound {
    /// Number of the round.
    #[serde(rename = "round")]
    pub number: u64,
    #[serde(default)]
    state: String,
    /// Day of the round.
    pub date: Option<String>,
    /// Pairings of the round.
    pub pairings: Vec<PlannedPairing>,
    pub(super) matches: Vec<PlannedMatch>,
    #[serde(default)]
    byes: Vec<PlannedBye>,
}

/// Player without an opponent in a round.
#[derive(Clone, Debug, Deserialize)]
struct PlannedBye {
    player: u64,
    #[serde(default)]
    why: String,
    #[serde(default)]
    points: String,
}

impl PlannedBye {
    /// Whether the player was absent, and has no points.
    fn is_absence(&self) -> bool {
        matches!(self.why.as_str(), "absent" | "lost without opponent")
    }
}

/// Pairing of a round.
#[derive(Clone, Hash, Debug, Deserialize)]
pub struct PlannedPairing {
    /// Identifies the pairing in all sections, as `pairing` in the events: a number, after the name of its hall in a joined outlet.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// Board number in the round.
    pub table: Option<u64>,
    /// Name of the board on which it is played.
    pub board: Option<String>,
    #[serde(rename = "match")]
    match_id: Option<u64>,
    /// Id of the player with White; `None` if there is none.
    pub white: Option<u64>,
    /// Id of the player with Black; `None` if there is none.
    pub black: Option<u64>,
    /// Official points of White and Black.
    pub points: Option<[String; 2]>,
    /// Reason of the official points.
    #[serde(default)]
    pub reason: ViewerReason,
    /// Whether the game is postponed or adjourned.
    #[serde(default)]
    pub later: ViewerDeferral,
}

/// Reads a text, or a number as text.
fn text_or_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Reason of official points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewerReason {
    /// A player, or both, were absent.
    Forfeit,
    /// The game will not be played.
    #[serde(rename = "not played")]
    NotPlayed,
    /// The player has no opponent.
    Bye,
    /// The game on the board, or any other reason.
    #[default]
    #[serde(other)]
    Played,
}

/// Deferral of a pairing to a time outside its round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewerDeferral {
    /// The game begins later.
    Postponed,
    /// The game has begun and continues later.
    Adjourned,
    /// No deferral, or one of an unknown kind.
    #[default]
    #[serde(other)]
    No,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct PlannedMatch {
    id: u64,
    home: u64,
    away: u64,
}

/// Game or bye of a player in a round, for a cell of the standings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundCell<'a> {
    /// Id of the pairing; empty for a bye without one.
    pub pairing: &'a str,
    /// Number of the round.
    pub round: u64,
    /// Id of the opponent; `None` for a bye and for an empty board.
    pub opponent: Option<u64>,
    /// Whether the player has White.
    pub is_white: bool,
    /// Official points of the player.
    pub points: Option<&'a str>,
    /// Reason of the points.
    pub reason: ViewerReason,
}

impl ViewerPlan {
    /// Parses `tournament.json`; a document that cannot be parsed counts as an empty one.
    pub fn read(tournament: &str) -> ViewerPlan {
        let Document { event, sections } = serde_json::from_str(tournament).unwrap_or_default();
        let pairings = places_of_pairings(&sections);
        ViewerPlan { event, sections, pairings, ..ViewerPlan::default() }
    }

    /// Returns the plan of all halls.
    pub fn of_halls(games: &ViewerHall) -> ViewerPlan {
        let plans = games.plans();
        let of_halls = || plans.iter().filter(|(_, plan)| plan.tournament != Tournament::default());
        let document = documents::tournament_document;
        let mut sections = JoinedSections::default();
        let tournament = match of_halls().next() {
            Some(("", plan)) => document(&plan.tournament),
            _ => {
                // `documents` writes valid JSON.
                let value = |plan: &HallPlan| serde_json::from_str(&document(&plan.tournament)).unwrap_or_default();
                let all: Vec<(&str, Value)> = of_halls().map(|(hall, plan)| (*hall, value(plan))).collect();
                sections = JoinedSections::new(&all);
                sections.tournament.as_ref().map(Value::to_string).unwrap_or_default()
            }
        };
        let mut plan = ViewerPlan::read(&tournament);
        for (id, first) in sections.shared_pairings() {
            plan.pairings.extend(plan.pairings.get(first).copied().map(|place| (id, place)));
        }
        // A hall may have no plan, and a hall may have halls inside it.
        let place = |name: &str| games.halls.iter().position(|hall| name.split('/').next() == Some(hall));
        let next =
            |(hall, of_hall): &(&str, &HallPlan)| next_games((place(hall).unwrap_or(0), *hall), of_hall, &sections);
        plan.next_games = plans.iter().flat_map(next).collect();
        for (hall, of_hall) in of_halls() {
            let own = serde_json::from_str::<StandingsDocument>(&documents::standings_document(&of_hall.tournament));
            for mut section in own.unwrap_or_default().sections {
                section.rows.iter_mut().chain(&mut section.teams).for_each(|row| {
                    row.name = sections.shown_name(hall, &row.name).to_owned();
                });
                // A section that several halls have is that of the first one.
                if plan.standings.iter().all(|known| known.name != section.name) {
                    plan.standings.push(section);
                }
            }
        }
        plan
    }

    /// Returns the id under which the plan has a pairing; the id itself for an unknown one.
    pub fn id_of<'p>(&'p self, id: &'p str) -> &'p str {
        self.pairing(id).map_or(id, |(_, pairing)| &pairing.id)
    }

    fn place(&self, id: &str) -> Option<(&PlannedSection, &PlannedRound, &PlannedPairing)> {
        let [section, round, pairing] = *self.pairings.get(without_stage(id).0)?;
        let section = self.sections.get(section)?;
        let round = section.rounds.get(round)?;
        Some((section, round, round.pairings.get(pairing)?))
    }

    /// Returns a pairing with its section, by its id.
    pub fn pairing(&self, id: &str) -> Option<(&PlannedSection, &PlannedPairing)> {
        self.place(id).map(|(section, _, pairing)| (section, pairing))
    }

    /// Whether a pairing is of the open round of its section.
    pub fn is_in_open_round(&self, id: &str) -> bool {
        self.place(id).is_some_and(|(section, round, _)| section.open_round == Some(round.number))
    }

    /// Returns the plan without official points and their reasons, but with the games that have them; the standings are in the order of names,
    /// without ranks and points.
    pub fn without_points(&self) -> ViewerPlan {
        let mut plan = self.clone();
        for round in plan.sections.iter_mut().flat_map(|section| &mut section.rounds) {
            for pairing in &mut round.pairings {
                pairing.points = pairing.points.take().map(|points| points.map(|_| HIDDEN_POINTS.to_owned()));
                pairing.reason = ViewerReason::default();
            }
            round.byes.iter_mut().for_each(|bye| HIDDEN_POINTS.clone_into(&mut bye.points));
        }
        for rows in plan.standings.iter_mut().flat_map(|section| [&mut section.rows, &mut section.teams]) {
            for row in rows.iter_mut() {
                row.tie_breaks.clear();
                row.board_points.clear();
                for text in [&mut row.rank, &mut row.points].into_iter().filter(|text| !text.is_empty()) {
                    HIDDEN_POINTS.clone_into(text);
                }
            }
            rows.sort_by(|one, other| one.name.cmp(&other.name));
        }
        plan
    }

    /// Whether a board waits for `next`. With a pairing: no game that counts for the pairing has begun there, and no game of another pairing
    /// goes on. Without a pairing: before the first game, and after a game if the tags have changed since it began.
    pub fn is_awaited(&self, next: &NextGame, games: &ViewerHall) -> bool {
        let Some(board) = games.find(&next.board) else { return true };
        let last = board.current();
        let Some(id) = &next.game.pairing else {
            // In a tournament, a change of the station's tags announces no game.
            let is_game = |game: &ViewerGame| !game.is_on() && game.began_at <= next.since;
            return last.is_none_or(|game| is_game(game) && (self.sections.is_empty() || next.game.has_player()));
        };
        let is_its = |game: &ViewerGame| {
            game.counts() && game.pairing.as_deref().is_some_and(|own| self.key_of(own) == self.key_of(id))
        };
        let goes_on = |game: &ViewerGame| game.is_on() && game.pairing.is_some() && !self.is_adjourned(game, games);
        !board.games.iter().any(|game| is_its(game)) && !last.is_some_and(goes_on)
    }

    /// Whether a game was interrupted, and continues on another day.
    pub fn is_adjourned(&self, game: &ViewerGame, games: &ViewerHall) -> bool {
        let pairing = game.pairing.as_deref().and_then(|id| self.pairing(id)).map(|(_, pairing)| pairing);
        let is_again = |of: &PlannedPairing| games.is_played_again(game, &of.id, of.board.as_deref());
        pairing.is_some_and(|of| of.later == ViewerDeferral::Adjourned && !is_again(of))
    }

    /// Returns what identifies a game of a pairing: the pairing, and the stage of a micro-match.
    pub fn key_of<'a>(&'a self, id: &'a str) -> (&'a str, &'a str) {
        (self.id_of(id), without_stage(id).1)
    }

    /// Returns a section by its name.
    pub fn section(&self, name: &str) -> Option<&PlannedSection> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// Splits the id of a pairing from the stage of its micro-match: `17` and `.standard` of `17.standard`; in a joined outlet `a/17` and `.rapid`.
fn without_stage(id: &str) -> (&str, &str) {
    let own = id.rfind('/').map_or(0, |slash| slash + 1);
    id.split_at(id[own..].find('.').map_or(id.len(), |dot| own + dot))
}

/// Whether a game with this id of its pairing is one of a micro-match.
pub fn has_stage(id: &str) -> bool {
    !without_stage(id).1.is_empty()
}

fn places_of_pairings(sections: &[PlannedSection]) -> HashMap<String, [usize; 3]> {
    let mut places = HashMap::new();
    for (at, section) in sections.iter().enumerate() {
        for (round, PlannedRound { pairings, .. }) in section.rounds.iter().enumerate() {
            places.extend(pairings.iter().enumerate().map(|(index, one)| (one.id.clone(), [at, round, index])));
        }
    }
    places
}

impl PlannedRound {
    /// Whether the arbiter has closed the round.
    pub fn is_closed(&self) -> bool {
        self.state == "closed"
    }

    /// Returns the game or bye of a player.
    fn cell(&self, player: u64) -> Option<RoundCell<'_>> {
        let bye = self.byes.iter().find(|bye| bye.player == player && !bye.is_absence()).map(|bye| RoundCell {
            pairing: "",
            round: self.number,
            opponent: None,
            is_white: false,
            points: Some(&bye.points),
            reason: ViewerReason::Bye,
        });
        self.pairings.iter().find_map(|pairing| pairing.cell(self, player)).or(bye)
    }

    /// Whether the arbiter has opened the round, and perhaps closed it.
    pub fn has_begun(&self) -> bool {
        self.is_closed() || self.state == "open"
    }
}

impl PlannedPairing {
    /// Returns the id of the player with a colour; `None` if there is none.
    pub fn player(&self, color: Color) -> Option<u64> {
        if color == Color::White { self.white } else { self.black }
    }

    /// Returns the game or bye in the row of a player; `None` if it is of others.
    fn cell(&self, round: &PlannedRound, player: u64) -> Option<RoundCell<'_>> {
        let is_white = self.white == Some(player);
        if !is_white && self.black != Some(player) {
            return None;
        }
        let opponent = if is_white { self.black } else { self.white };
        let points = self.points.as_ref().map(|points| points[usize::from(!is_white)].as_str());
        // A player whom the other team leaves without an opponent wins by forfeit.
        // Without a result, the player waits for an opponent.
        let is_bye = opponent.is_none() && points.is_some() && self.reason != ViewerReason::Forfeit;
        let reason = if is_bye { ViewerReason::Bye } else { self.reason };
        Some(RoundCell { pairing: &self.id, round: round.number, opponent, is_white, points, reason })
    }
}

impl PlannedSection {
    /// Returns a player.
    pub fn player(&self, id: Option<u64>) -> Option<&PlannedPlayer> {
        self.players.iter().find(|player| Some(player.id) == id)
    }

    /// Returns the name of a player's team.
    pub fn team_of(&self, player: &PlannedPlayer) -> Option<&str> {
        player.team.map(|team| self.team(team)).filter(|name| !name.is_empty())
    }

    /// Returns the players with a bye in a round; absent players are left out.
    pub fn byes(&self, round: &PlannedRound) -> Vec<&PlannedPlayer> {
        let present = round.byes.iter().filter(|bye| !bye.is_absence());
        present.filter_map(|bye| self.player(Some(bye.player))).collect()
    }

    fn team(&self, id: u64) -> &str {
        self.teams.iter().find(|team| team.id == id).map_or("", |team| &team.name)
    }

    /// Returns the game or bye of a player in each round; `None` for a round without the player.
    pub fn player_rounds(&self, player: u64) -> Vec<Option<RoundCell<'_>>> {
        self.rounds.iter().map(|round| round.cell(player)).collect()
    }

    /// Returns the matches of a round: the names of home and away with their sums of points. `unofficial`: points by the id of the pairing,
    /// for pairings without official ones.
    pub fn matches(&self, round: &PlannedRound, unofficial: &HashMap<&str, [Points; 2]>) -> Vec<[(String, String); 2]> {
        let score = |one: &PlannedMatch| {
            let of_match = round.pairings.iter().filter(|pairing| pairing.match_id == Some(one.id));
            let (mut sums, mut is_hidden) = ([Points::ZERO; 2], false);
            for pairing in of_match {
                is_hidden |= pairing.points.as_ref().is_some_and(|points| points[0] == HIDDEN_POINTS);
                let parse = |points: &String| Points::parse(points).unwrap_or_default();
                let official = pairing.points.as_ref().map(|[white, black]| [parse(white), parse(black)]);
                let Some([white, black]) = official.or(unofficial.get(&*pairing.id).copied()) else { continue };
                let plays = |team: &u64| [one.home, one.away].contains(team);
                let is_home = |id| self.player(id)?.team.filter(plays).map(|team| team == one.home);
                // A board may lack one of its players, or have a substitute from another team.
                let is_white_home = is_home(pairing.white).or(is_home(pairing.black).map(|home| !home)).unwrap_or(true);
                for (sum, points) in sums.iter_mut().zip(if is_white_home { [white, black] } else { [black, white] }) {
                    *sum += points;
                }
            }
            let text = |sum: Points| if is_hidden { HIDDEN_POINTS.to_owned() } else { sum.to_string() };
            [(one.home, sums[0]), (one.away, sums[1])].map(|(team, sum)| (self.team(team).to_owned(), text(sum)))
        };
        round.matches.iter().map(score).collect()
    }
}

/// Standings, as in `standings.json`.
#[derive(Default, Deserialize)]
pub struct StandingsDocument {
    /// Standings of each section.
    pub sections: Vec<SectionStandings>,
}

/// Standings of a section.
#[derive(Clone, Debug, Deserialize)]
pub struct SectionStandings {
    /// Name of the section; see [`title`].
    #[serde(default, rename = "section")]
    pub name: String,
    /// Last round that counts.
    #[serde(default)]
    pub after_round: u64,
    /// Number of results of that round, and of its pairings.
    #[serde(default)]
    pub results: [usize; 2],
    /// Players, in their order.
    #[serde(default)]
    pub rows: Vec<StandingsRow>,
    /// Teams, in their order.
    #[serde(default)]
    pub teams: Vec<StandingsRow>,
}

/// Row of a player or a team; an unknown text is empty.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(default)]
pub struct StandingsRow {
    /// Id of the player or the team.
    pub id: Option<u64>,
    /// Rank.
    #[serde(deserialize_with = "text_or_number")]
    pub rank: String,
    /// Name.
    pub name: String,
    /// Points; those of its matches for a team.
    #[serde(alias = "match_points", deserialize_with = "text_or_number")]
    pub points: String,
    /// Points of the boards of a team.
    pub board_points: String,
    /// Number of games, or of matches.
    #[serde(alias = "played", deserialize_with = "text_or_number")]
    pub games: String,
    /// Tie-breaks, with their names in the files.
    #[serde(rename = "tiebreaks", deserialize_with = "texts_of_map")]
    pub tie_breaks: Vec<(String, String)>,
}

/// Reads the members of an object as texts; a list becomes its items with blanks, `null` is empty.
fn texts_of_map<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    deserializer.deserialize_map(TextsInOrder)
}

/// Reads the members of an object in their order.
struct TextsInOrder;

impl<'de> serde::de::Visitor<'de> for TextsInOrder {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut texts = Vec::new();
        while let Some((name, value)) = members.next_entry()? {
            texts.push(match value {
                Value::Null => (name, String::new()),
                Value::Array(items) => (name, items.iter().map(text).collect::<Vec<_>>().join(" ")),
                value => (name, text(&value)),
            });
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::state::hall_of;

    /// Applies lines with these members to a hall.
    fn hall(lines: &[String]) -> ViewerHall {
        hall_of(&lines.iter().map(|line| format!("{{\"at\":\"2027-07-10T09:00:00Z\",{line}}}")).collect::<Vec<_>>())
    }

    /// Returns the lines of a hall with a section of these pairings, each on its board.
    fn section(hall: &str, pairings: &[u32]) -> [String; 2] {
        let player = |id: u32, name: &str| {
            format!(r#"{{"player":{{"section":1,"id":{id},"value":{{"id":{id},"name":"{name}"}}}}}}"#)
        };
        let round = r#"{"round":{"section":1,"id":1,"value":{"id":1,"number":1,"state":"open","open_seq":1}}}"#;
        let pairing = |(board, id): (u32, &u32)| {
            format!(
                r#"{{"pairing":{{"section":1,"id":{id},"value":{{"id":{id},"round":1,"board":{board},"white":7,"black":8,"board_name":"x-{board}"}}}}}}"#
            )
        };
        let of_round: Vec<String> = (1..).zip(pairings).map(pairing).collect();
        let rules = "W=2 D=1 L=0 P=2 A=0 TW=2 TD=1 TL=0";
        let rules = format!(
            r#"{{"section":{{"id":1,"value":{{"id":1,"name":"Open","scoring":"{rules}","unplayed":"fmjd"}}}}}}"#
        );
        let parts = [rules, player(7, "Ada"), player(8, "Bob"), of_round.join(","), round.to_owned()].join(",");
        let board = |board| format!(r#"{{"board":"x-{board}","gametype":"20","tags":{{"Event":"Club","White":"?"}}}}"#);
        let list = (1..=pairings.len()).map(board).collect::<Vec<_>>().join(",");
        [
            format!(r#""hall":"{hall}","type":"tournament","parts":[{parts}]"#),
            format!(r#""hall":"{hall}","type":"boards","list":[{list}]"#),
        ]
    }

    #[test]
    fn shared_section_has_pairings_of_each_hall() {
        let halls = r#""type":"halls","halls":["a","b"]"#.to_owned();
        let mut lines: Vec<String> = [halls].into_iter().chain(section("a", &[1])).chain(section("b", &[4])).collect();
        let plan = ViewerPlan::of_halls(&hall(&lines));
        assert_eq!((plan.sections.len(), plan.standings.len()), (1, 1));
        // The hub may not have known the first hall's id when it joined the line of a game.
        assert_eq!((plan.id_of("a/1"), plan.id_of("b/4"), plan.id_of("b/5")), ("a/1", "a/1", "b/5"));
        let awaited = |lines: &[String]| {
            let hall = hall(lines);
            let next = plan.next_games.iter().filter(|next| plan.is_awaited(next, &hall));
            next.map(|next| (next.board.clone(), next.game.tag("White").map(str::to_owned))).collect::<Vec<_>>()
        };
        let both = ["a.x-1", "b.x-1"].map(|board| (board.to_owned(), Some("Ada".to_owned())));
        assert_eq!(awaited(&lines), both);
        lines.push(r#""hall":"b","board":"b.x-1","game":1,"type":"game","gametype":"20","pairing":"b/4""#.to_owned());
        lines.push(r#""hall":"b","board":"b.x-1","game":1,"type":"end""#.to_owned());
        // It has no move and no result, so it counts for nothing.
        assert_eq!(awaited(&lines), both);
        lines.push(r#""hall":"b","board":"b.x-1","game":1,"type":"result","result":"2-0""#.to_owned());
        assert_eq!(awaited(&lines), both[..1]);
        // A game that is played again is awaited.
        let replayed = r#""hall":"b","board":"b.x-1","game":1,"type":"tag-correction","field":"Replayed","new":"1""#;
        lines.push(replayed.to_owned());
        assert_eq!(awaited(&lines), both);
    }

    /// The cables of two boards were swapped, and the arbiter has given each game to its pairing.
    #[test]
    fn board_waits_for_no_game_that_another_one_has() {
        let mut lines = section("", &[1, 2]).to_vec();
        let awaited = |lines: &[String]| {
            let (plan, hall) = (ViewerPlan::of_halls(&hall(lines)), hall(lines));
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

    #[test]
    fn board_of_no_pairing_waits_before_first_game_and_on_new_tags() {
        let list = |tag: &str| {
            format!(r#""type":"boards","list":[{{"board":"x-1","gametype":"20","tags":{{"Round":"{tag}"}}}}]"#)
        };
        let at = |second: u32, line: &str| format!(r#""at":"2027-07-10T09:00:{second:02}Z",{line}"#);
        let waits = |lines: &[String]| {
            let hall = hall_of(&lines.iter().map(|line| format!("{{{line}}}")).collect::<Vec<_>>());
            let plan = ViewerPlan::of_halls(&hall);
            plan.is_awaited(&plan.next_games[0], &hall)
        };
        let event = |kind: &str| format!(r#""board":"x-1","game":1,"type":"{kind}","gametype":"20""#);
        let mut lines = vec![at(1, &list("1"))];
        assert!(waits(&lines));
        lines.push(at(2, &event("game")));
        // The next list changes nothing, or is for the next game.
        for (line, is_waiting) in [
            (at(3, &list("2")), false),
            (at(4, &event("end")), true),
            (at(5, &list("2")), true),
            (at(6, &list("1")), true),
        ] {
            lines.push(line);
            assert_eq!(waits(&lines), is_waiting, "{lines:?}");
        }
        assert!(!waits(&[lines[0].clone(), lines[1].clone(), at(3, &list("1")), at(4, &event("end"))]));
    }

    #[test]
    fn reads_byes_scores_and_rounds_of_players() {
        let tournament = r#"{"event":{"name":"NK"},"sections":[{"id":1,"name":"Open","scoring":"2-1-0",
            "players":[{"id":7,"name":"A","team":1},{"id":8,"name":"B","team":2},{"id":9,"name":"C","team":2},{"id":10,"name":"D","team":1}],
            "teams":[{"id":1,"number":1,"name":"Huissen"},{"id":2,"number":2,"name":"Hijken"}],
            "rounds":[{"round":1,"state":"closed","matches":[{"id":3,"home":1,"away":2}],"byes":[],"pairings":[
            {"id":1,"table":1,"white":7,"black":8,"match":3,"points":["1.5","0.5"]},{"id":2,"table":2,"white":9,"black":10,"match":3,"points":["0","2"]}]},
            {"round":2,"state":"open","matches":[],"byes":[{"player":10,"why":"bye","points":"1"},{"player":9,"why":"absent","points":"0"}],"pairings":[{"id":3,"white":8,"black":7}]}]}]}"#;
        let plan = ViewerPlan::read(tournament);
        // Nobody sits at White's side of a board: its points are those of the team of Black.
        let empty = tournament.replace(r#""white":9,"black":10,"#, r#""black":10,"#);
        let empty = ViewerPlan::read(&empty);
        assert_eq!(empty.sections[0].matches(&empty.sections[0].rounds[0], &HashMap::new())[0][0].1, "3.5");
        let section = &plan.sections[0];
        let name = |id| section.player(id).map(|player| player.name.as_str());
        assert_eq!((name(Some(8)), name(None)), (Some("B"), None));
        let byes: Vec<&str> = section.byes(&section.rounds[1]).iter().map(|player| player.name.as_str()).collect();
        assert_eq!((plan.event.name(), byes), (Some("NK"), vec!["D"]));
        let (of, pairing) = plan.pairing("2").unwrap();
        assert_eq!(
            (of.name.as_str(), pairing.player(Color::White), plan.pairing("4").is_none()),
            ("Open", Some(9), true)
        );
        assert_eq!(section.player(Some(8)).and_then(|player| section.team_of(player)), Some("Hijken"));
        let course = section.player_rounds(7);
        let cells =
            course.iter().flatten().map(|cell| (cell.pairing, cell.round, cell.opponent, cell.is_white, cell.points));
        assert!(cells.eq([("1", 1, Some(8), true, Some("1.5")), ("3", 2, Some(8), false, None)]), "{course:?}");
        let bye = section.player_rounds(10)[1].unwrap();
        assert_eq!((bye.opponent, bye.points, bye.reason), (None, Some("1"), ViewerReason::Bye));
        let score = [("Huissen".to_owned(), "3.5".to_owned()), ("Hijken".to_owned(), "0.5".to_owned())];
        assert_eq!(section.matches(&section.rounds[0], &HashMap::new()), [score]);
        for bad in ["{", "{\"sections\":7}", ""] {
            assert!(ViewerPlan::read(bad).sections.is_empty());
        }
    }
}
