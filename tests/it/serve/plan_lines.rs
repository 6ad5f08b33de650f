//! Lines of type `tournament` and `boards` for outlets that a test writes, from the documents that stand beside them.

use std::str::FromStr;

use damcast::tournament::{
    Bye, ByeKind, Deferral, Event, EventInfo, Id, Match, OfficialResult, Pairing, Player, Points, ResultReason,
    RoundState, ScheduledMoment, SectionRound, Team, TieBreak, Tournament, TournamentSection,
};
use serde_json::{Value, json};

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn id(value: &Value) -> Option<Id> {
    number(value).map(Id)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn points(value: &Value) -> Points {
    value.as_str().and_then(Points::parse).unwrap_or_default()
}

/// Returns the tournament of a document; its sections have the default scoring.
fn tournament(document: &Value) -> Tournament {
    let event = &document["event"];
    let moment = |moment: &Value| {
        let at = moment["at"].as_str().and_then(|at| FromStr::from_str(at).ok())?;
        Some(ScheduledMoment { at, name: text(&moment["name"]) })
    };
    let event = EventInfo {
        name: text(&event["name"]),
        site: text(&event["site"]),
        federation: text(&event["federation"]),
        start: text(&event["start"]),
        end: text(&event["end"]),
        arbiter: text(&event["arbiter"]),
        time_control: text(&event["time_control"]),
        organiser: text(&event["organiser"]),
        format: text(&event["format"]),
        stream: text(&event["stream"]),
        regulations: text(&event["regulations"]),
        website: text(&event["website"]),
        schedule: list(&event["schedule"]).filter_map(moment).collect(),
        report: text(&event["report"]),
    };
    let sections = list(&document["sections"]).zip(1..).map(|(section, at)| self::section(section, at)).collect();
    Tournament { event, sections, ..Tournament::default() }
}

fn section(section: &Value, at: u32) -> TournamentSection {
    let player = |player: &Value| Player {
        id: id(&player["id"]).unwrap_or_default(),
        number: number(&player["number"]),
        name: text(&player["name"]),
        title: text(&player["title"]),
        rating: number(&player["rating"]),
        federation: text(&player["federation"]),
        licence: text(&player["fmjd_id"]),
        team: id(&player["team"]),
        ..Player::default()
    };
    let team = |team: &Value| Team {
        id: id(&team["id"]).unwrap_or_default(),
        number: number(&team["number"]).unwrap_or_default(),
        name: text(&team["name"]),
        ..Team::default()
    };
    let mut made = TournamentSection {
        id: Id(at),
        name: text(&section["name"]),
        planned: number(&section["planned_rounds"]),
        tie_breaks: list(&section["tie_breaks"]).filter_map(|name| TieBreak::from_name(name.as_str()?)).collect(),
        players: list(&section["players"]).map(player).collect(),
        teams: list(&section["teams"]).map(team).collect(),
        ..TournamentSection::default()
    };
    made.players.sort_by_key(|player| player.id);
    for round in list(&section["rounds"]) {
        let round_number = number(&round["round"]).unwrap_or_default();
        let mut state = RoundState::from_name(round["state"].as_str().unwrap_or_default()).unwrap_or_default();
        if number(&section["open_round"]) == Some(round_number) && state < RoundState::Closed {
            state = RoundState::Open;
        }
        let (id, open_seq) = (Id(100 * at + round_number), if state >= RoundState::Open { round_number } else { 0 });
        made.rounds.push(SectionRound { id, number: round_number, state, open_seq });
        made.dates.extend(round["date"].as_str().map(|date| (round_number, date.to_owned())));
        add_round(&mut made, round, round_number);
    }
    made.pairings.sort_by_key(|pairing| pairing.id);
    made
}

fn add_round(section: &mut TournamentSection, round: &Value, number_of_round: u32) {
    // Documents of tests number the matches of each round from 1.
    let match_id = |Id(number): Id| Id(100 * number_of_round + number);
    section.pairings.extend(list(&round["pairings"]).map(|pairing| Pairing {
        id: id(&pairing["id"]).unwrap_or_default(),
        round: number_of_round,
        board: number(&pairing["table"]),
        match_id: id(&pairing["match"]).map(match_id),
        white: id(&pairing["white"]),
        black: id(&pairing["black"]),
        board_name: text(&pairing["board"]),
        deferral: pairing["later"].as_str().and_then(Deferral::from_name),
        result: pairing["points"].as_array().map(|both| OfficialResult {
            white: points(&both[0]),
            black: points(&both[1]),
            reason: pairing["reason"].as_str().and_then(ResultReason::from_name).unwrap_or_default(),
        }),
        ..Pairing::default()
    }));
    for bye in list(&round["byes"]) {
        section.byes.push(Bye {
            id: Id(section.byes.len() as u32 + 1),
            round: number_of_round,
            player: id(&bye["player"]).unwrap_or_default(),
            kind: bye["why"].as_str().and_then(ByeKind::from_name).unwrap_or(ByeKind::NoOpponent),
            points: points(&bye["points"]),
        });
    }
    section.matches.extend(list(&round["matches"]).map(|one| Match {
        id: match_id(id(&one["id"]).unwrap_or_default()),
        round: number_of_round,
        home: id(&one["home"]).unwrap_or_default(),
        away: id(&one["away"]).unwrap_or_default(),
    }));
}

/// Returns the members of the line that makes one document of the other; `None` if they are equal.
pub fn tournament_line(before: &mut Tournament, document: &Value) -> Option<Value> {
    let after = tournament(document);
    let parts: Vec<Value> = before.changed_parts(&after).into_iter().map(|(_, part)| json!(part)).collect();
    for part in &parts {
        before.apply(&Event::Restored(serde_json::from_value(part.clone()).unwrap())).unwrap();
    }
    assert_eq!(*before, after);
    (!parts.is_empty()).then(|| json!({"c": 1, "type": "tournament", "parts": parts}))
}

/// Returns the members of the line that lists the boards of a file of games without moves. A board has the name `board-N`, with its tag `Board`
/// or its place.
pub fn boards_line(games: &str) -> Value {
    let games = draughts_pdn::reader::read(games).0;
    let boards = (1..).zip(games).filter(|(_, game)| game.entries.is_empty()).map(|(place, game): (u64, _)| {
        let tags: serde_json::Map<String, Value> =
            game.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone().into())).collect();
        let number = tags.get("Board").and_then(|number| number.as_str()?.parse().ok()).unwrap_or(place);
        let game_type = tags.get("GameType").cloned().unwrap_or_else(|| "20".into());
        json!({"board": format!("board-{number}"), "gametype": game_type, "tags": tags})
    });
    json!({"b": 1, "type": "boards", "list": boards.collect::<Vec<Value>>()})
}
