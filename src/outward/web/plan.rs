//! What the outlet says of games whose moves nobody has seen yet: who plays whom, from `tournament.json` and from the games without
//! moves in `games.pdn`. Files in, values out; what cannot be read is not there.

use std::collections::BTreeMap;

use draughts::Variant;
use draughts_pdn::reader;
use serde::Deserialize;

use super::state::ViewerGame;

/// Who plays.
#[derive(Clone, Debug, Default)]
pub struct ViewerPlan {
    /// What the tournament is called.
    pub event: Option<String>,
    /// Sections with players and rounds.
    pub sections: Vec<PlannedSection>,
    /// Games that have no move yet, in the order of the boards.
    pub unstarted: Vec<ViewerGame>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    event: PlannedEvent,
    sections: Vec<PlannedSection>,
}

#[derive(Default, Deserialize)]
struct PlannedEvent {
    name: Option<String>,
}

/// What a section is called that nobody named.
const DEFAULT_SECTION_NAME: &str = "main";

/// What a section is called, as people are told it; `None`: it has no name.
pub fn title(section: &str) -> Option<&str> {
    Some(section).filter(|name| !name.is_empty() && *name != DEFAULT_SECTION_NAME)
}

/// A section of a tournament.
#[derive(Clone, Debug, Deserialize)]
pub struct PlannedSection {
    /// Its name; empty if there is but one.
    pub name: String,
    players: Vec<NamedEntry>,
    teams: Vec<NamedEntry>,
    /// Its public rounds.
    pub rounds: Vec<PlannedRound>,
}

#[derive(Clone, Debug, Deserialize)]
struct NamedEntry {
    id: u64,
    name: String,
    team: Option<u64>,
}

/// A round.
#[derive(Clone, Debug, Deserialize)]
pub struct PlannedRound {
    /// Its number.
    #[serde(rename = "round")]
    pub number: u64,
    /// Who plays whom.
    pub pairings: Vec<PlannedPairing>,
    matches: Vec<PlannedMatch>,
    #[serde(default)]
    byes: Vec<PlannedBye>,
}

/// Who has no opponent in a round.
#[derive(Clone, Debug, Deserialize)]
struct PlannedBye {
    player: u64,
}

/// Who plays whom.
#[derive(Clone, Debug, Deserialize)]
pub struct PlannedPairing {
    /// The number of the table.
    pub table: Option<u64>,
    #[serde(rename = "match")]
    match_id: Option<u64>,
    /// White; `None`: nobody.
    pub white: Option<u64>,
    /// Black.
    pub black: Option<u64>,
    /// The official points of White and Black.
    pub points: Option<[String; 2]>,
    /// Why it is not played with its round.
    #[serde(default)]
    pub later: ViewerDeferral,
}

/// Why a pairing is not played with its round.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewerDeferral {
    /// It begins later.
    Postponed,
    /// It was begun, and goes on later.
    Adjourned,
    /// It is played with its round, as far as is known.
    #[default]
    #[serde(other)]
    No,
}

#[derive(Clone, Debug, Deserialize)]
struct PlannedMatch {
    id: u64,
    home: u64,
    away: u64,
}

/// What a player did in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundCell<'a> {
    /// Against whom.
    pub opponent: u64,
    /// With White.
    pub is_white: bool,
    /// His official points.
    pub points: Option<&'a str>,
}

impl ViewerPlan {
    /// From `tournament.json` and `games.pdn` of an outlet; each may be missing.
    pub fn read(tournament: Option<&[u8]>, games: Option<&[u8]>) -> ViewerPlan {
        let document = tournament.and_then(|bytes| serde_json::from_slice::<Document>(bytes).ok());
        let games = games.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let games = games.map_or_else(Vec::new, |text| reader::read(text).0);
        let waiting = games.into_iter().filter(|game| game.entries.is_empty()).map(|game| {
            let tags: BTreeMap<String, String> =
                game.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
            let variant = tags.get("GameType").and_then(|tag| Variant::from_tag(tag).ok());
            ViewerGame::unstarted(variant, tags)
        });
        // A game that is over without a move does not wait.
        let unstarted = waiting.filter(|game| game.result.is_none()).collect();
        let (event, sections) =
            document.map_or_else(Default::default, |document| (document.event.name, document.sections));
        ViewerPlan { event: event.filter(|name| !name.is_empty()), sections, unstarted }
    }
}

impl PlannedSection {
    /// The name of a player.
    pub fn player(&self, id: Option<u64>) -> Option<&str> {
        self.players.iter().find(|player| Some(player.id) == id).map(|player| player.name.as_str())
    }

    /// The names of those who have no opponent in a round.
    pub fn byes(&self, round: &PlannedRound) -> Vec<&str> {
        round.byes.iter().filter_map(|bye| self.player(Some(bye.player))).collect()
    }

    fn team(&self, id: u64) -> &str {
        self.teams.iter().find(|team| team.id == id).map_or("", |team| &team.name)
    }

    /// What a player did, round by round.
    pub fn player_rounds(&self, player: u64) -> Vec<Option<RoundCell<'_>>> {
        let cell = |pairing: &'_ PlannedPairing| -> Option<(u64, bool)> {
            let (white, black) = (pairing.white?, pairing.black?);
            let is_white = white == player;
            (is_white || black == player).then_some((if is_white { black } else { white }, is_white))
        };
        let in_round = |round: &'_ PlannedRound| round.pairings.iter().position(|pairing| cell(pairing).is_some());
        let mut course = Vec::new();
        for round in &self.rounds {
            course.push(in_round(round).and_then(|index| round.pairings.get(index)).and_then(|pairing| {
                let (opponent, is_white) = cell(pairing)?;
                let points = pairing.points.as_ref().map(|points| points[usize::from(!is_white)].as_str());
                Some(RoundCell { opponent, is_white, points })
            }));
        }
        course
    }

    /// The matches of a round: home and away with their official points so far.
    pub fn matches(&self, round: &PlannedRound) -> Vec<[(String, String); 2]> {
        let of_home = |pairing: &PlannedPairing, home: u64| {
            self.players.iter().any(|player| Some(player.id) == pairing.white && player.team == Some(home))
        };
        let score = |one: &PlannedMatch| {
            let mut sums = [0; 2];
            for pairing in round.pairings.iter().filter(|pairing| pairing.match_id == Some(one.id)) {
                let Some([white, black]) =
                    pairing.points.as_ref().map(|points| points.each_ref().map(|text| hundredths(text)))
                else {
                    continue;
                };
                let both = if of_home(pairing, one.home) { [white, black] } else { [black, white] };
                sums = [sums[0] + both[0], sums[1] + both[1]];
            }
            [(one.home, sums[0]), (one.away, sums[1])]
                .map(|(team, sum)| (self.team(team).to_owned(), format_decimal(sum)))
        };
        round.matches.iter().map(score).collect()
    }
}

/// A decimal text in hundredths; 0 for what is none.
fn hundredths(text: &str) -> u32 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: String = part.chars().chain("00".chars()).take(2).collect();
    whole.parse::<u32>().unwrap_or(0).saturating_mul(100).saturating_add(part.parse().unwrap_or(0))
}

fn format_decimal(hundredths: u32) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_waiting_players_and_past_opponents() {
        let tournament = r#"{"event":{"name":"NK"},"sections":[{"id":1,"name":"Open","scoring":"2-1-0",
            "players":[{"id":7,"name":"A","team":1},{"id":8,"name":"B","team":2},{"id":9,"name":"C","team":2},{"id":10,"name":"D","team":1}],
            "teams":[{"id":1,"number":1,"name":"Huissen"},{"id":2,"number":2,"name":"Hijken"}],
            "rounds":[{"round":1,"state":"closed","matches":[{"id":3,"home":1,"away":2}],"byes":[],"pairings":[
            {"id":1,"table":1,"white":7,"black":8,"match":3,"points":["1.5","0.5"]},{"id":2,"table":2,"white":9,"black":10,"match":3,"points":["0","2"]}]},
            {"round":2,"state":"open","matches":[],"byes":[{"player":10,"why":"bye","points":"1"}],"pairings":[{"id":3,"white":8,"black":7}]}]}]}"#;
        let games = "[White \"A\"]\n[GameType \"25\"]\n[Board \"4\"]\n[Result \"*\"]\n\n*\n\n[White \"B\"]\n[Result \"2-0\"]\n\n1. 32-28 2-0\n";
        let plan = ViewerPlan::read(Some(tournament.as_bytes()), Some(games.as_bytes()));
        let section = &plan.sections[0];
        assert_eq!((section.player(Some(8)), section.player(None)), (Some("B"), None));
        assert_eq!((plan.event.as_deref(), section.byes(&section.rounds[1])), (Some("NK"), vec!["D"]));
        let course = section.player_rounds(7);
        assert_eq!(course[0], Some(RoundCell { opponent: 8, is_white: true, points: Some("1.5") }));
        assert_eq!(course[1], Some(RoundCell { opponent: 8, is_white: false, points: None }));
        let score = [("Huissen".to_owned(), "3.5".to_owned()), ("Hijken".to_owned(), "0.5".to_owned())];
        assert_eq!(section.matches(&section.rounds[0]), [score]);
        assert_eq!(plan.unstarted.len(), 1);
        assert_eq!(
            (plan.unstarted[0].tag("White"), plan.unstarted[0].variant.unwrap().geometry.width()),
            (Some("A"), 8)
        );
        assert!(plan.unstarted[0].diagram(0).is_some());
        for bad in [&b"{"[..], b"{\"sections\":7}", b"\xff"] {
            assert!(ViewerPlan::read(Some(bad), Some(bad)).sections.is_empty());
        }
    }
}
