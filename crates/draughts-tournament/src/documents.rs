//! A tournament as documents for programs and pages: `tournament.json` and `standings.json`.
//!
//! Points and tie-breaks are decimal texts, so that no reader rounds them. Members are added, never renamed. The JSON Schemas are beside
//! this file.

use crate::json::Object;
use crate::{
    Id, Pairing, Player, PlayerStanding, RoundState, ScheduledMoment, Standings, TeamStanding, TieBreakValue,
    Tournament, TournamentSection, standings, team_standings,
};

/// The JSON Schema of `tournament.json`.
pub const TOURNAMENT_SCHEMA: &str = include_str!("tournament.schema.json");
/// The JSON Schema of `standings.json`.
pub const STANDINGS_SCHEMA: &str = include_str!("standings.schema.json");

/// Returns `tournament.json`, on one line with its LF.
pub fn tournament_document(tournament: &Tournament) -> String {
    sections_json(tournament, |_| true, None) + "\n"
}

/// Returns the members of `tournament.json` for these sections, and for all rounds or one, as `damcast tournament show --json` prints them.
pub fn sections_json(
    tournament: &Tournament,
    is_shown: impl Fn(&TournamentSection) -> bool,
    of_round: Option<u32>,
) -> String {
    let event = &tournament.event;
    let facts = [
        ("name", &event.name),
        ("site", &event.site),
        ("federation", &event.federation),
        ("start", &event.start),
        ("end", &event.end),
        ("arbiter", &event.arbiter),
        ("time_control", &event.time_control),
        ("organiser", &event.organiser),
        ("format", &event.format),
        ("stream", &event.stream),
        ("regulations", &event.regulations),
        ("website", &event.website),
        ("report", &event.report),
    ];
    let moment = |moment: &ScheduledMoment| Object::new().text("at", &moment.at.to_string()).text("name", &moment.name);
    let schedule: Vec<Object> = event.schedule.iter().map(moment).collect();
    let event = with_texts(Object::new(), facts);
    let event = if schedule.is_empty() { event } else { event.objects("schedule", schedule) };
    let sections = tournament.sections.iter().filter(|section| is_shown(section));
    let sections = sections.map(|shown| section(tournament, shown, of_round)).collect();
    Object::new().object("event", event).objects("sections", sections).finish()
}

/// Returns `standings.json`: the ranking of each section after the last round with a result, on one line with its LF.
pub fn standings_document(tournament: &Tournament) -> String {
    let of = |section: &TournamentSection| {
        let round = section.last_round_with_result();
        standings_of(section, &standings(section, round, &section.tie_breaks, section.unplayed))
    };
    Object::new().objects("sections", tournament.sections.iter().map(of).collect()).finish() + "\n"
}

/// Returns the standings of a section as one object, as `damcast tournament standings --json` prints it.
pub fn standings_json(section: &TournamentSection, standings: &Standings) -> String {
    standings_of(section, standings).finish()
}

fn with_texts<T: AsRef<str>>(object: Object, texts: impl IntoIterator<Item = (&'static str, T)>) -> Object {
    let known = texts.into_iter().filter(|(_, text)| !text.as_ref().is_empty());
    known.fold(object, |object, (name, text)| object.text(name, text.as_ref()))
}

fn with_id(object: Object, name: &str, id: Option<Id>) -> Object {
    with_number(object, name, id.map(|id| id.0))
}

fn with_number(object: Object, name: &str, number: Option<u32>) -> Object {
    match number {
        Some(number) => object.number(name, number.into()),
        None => object,
    }
}

fn section(tournament: &Tournament, section: &TournamentSection, of_round: Option<u32>) -> Object {
    let scoring = &section.scoring;
    let players = section.players.iter().map(player).collect();
    let teams = section.teams.iter().map(|team| {
        let object = Object::new().number("id", team.id.0.into()).number("number", team.number.into());
        with_texts(object.text("name", &team.name), [("federation", &team.federation)])
    });
    let rounds = (1..=section.last_round()).filter(|number| of_round.is_none_or(|of| of == *number));
    let rounds = rounds.map(|number| round(tournament, section, number)).collect();
    let object = Object::new().number("id", section.id.0.into()).text("name", &section.name);
    let object = object.text("scoring", &format!("{}-{}-{}", scoring.win, scoring.draw, scoring.loss));
    let object = with_number(object, "planned_rounds", section.planned);
    let object = with_number(object, "open_round", section.open_round());
    object.objects("players", players).objects("teams", teams.collect()).objects("rounds", rounds)
}

fn player(player: &Player) -> Object {
    let object = with_number(Object::new().number("id", player.id.0.into()), "number", player.number);
    let object = with_texts(object.text("name", &player.name), [("title", &player.title)]);
    let object = with_number(object, "rating", player.rating);
    with_id(
        with_texts(object, [("federation", &*player.federation), ("fmjd_id", player.fmjd_id())]),
        "team",
        player.team,
    )
}

/// Whether a pairing of a round has a result.
fn has_result(section: &TournamentSection, round: u32) -> bool {
    section.round(round).iter().any(|of| of.result.is_some())
}

fn round(tournament: &Tournament, section: &TournamentSection, number: u32) -> Object {
    let state = match section.state_of(number) {
        // A prepared round with results was played without being published here.
        RoundState::Prepared if number <= section.last_round_with_result() && has_result(section, number) => {
            RoundState::Closed
        }
        state => state,
    };
    let object = Object::new().number("round", number.into()).text("state", state.name());
    let object = section.date(number).map_or(object.clone(), |date| object.text("date", date));
    let matches = section.matches.iter().filter(|one| one.round == number);
    let matches = matches.map(|one| {
        let object = Object::new().number("id", one.id.0.into());
        object.number("home", one.home.0.into()).number("away", one.away.0.into())
    });
    let byes = section.byes.iter().filter(|bye| bye.round == number).map(|bye| {
        let object = Object::new().number("player", bye.player.0.into()).text("why", bye.kind.name());
        object.text("points", &bye.points.to_string())
    });
    let pairings = section.round(number).into_iter().map(|of| pairing(tournament, of)).collect();
    let object = object.objects("pairings", pairings).objects("byes", byes.collect());
    object.objects("matches", matches.collect())
}

fn pairing(tournament: &Tournament, pairing: &Pairing) -> Object {
    let object = with_number(Object::new().number("id", pairing.id.0.into()), "table", pairing.board);
    let object = with_texts(object, [("board", tournament.board_of(pairing))]);
    let object = match pairing.deferral {
        Some(later) => object.text("later", later.name()),
        None => object,
    };
    let object = with_id(object, "match", pairing.match_id);
    let object = with_id(with_id(object, "white", pairing.white), "black", pairing.black);
    match pairing.result {
        Some(result) => {
            let points = [result.white, result.black].map(|points| points.to_string());
            object.texts("points", points).text("reason", result.reason.name())
        }
        None => object,
    }
}

fn standings_of(section: &TournamentSection, standings: &Standings) -> Object {
    let row = |row: &PlayerStanding| {
        let own = section.player(row.player).and_then(|player| player.number);
        let ties = standings.tie_breaks.iter().zip(&row.tie_breaks);
        let ties = ties.fold(Object::new(), |object, (tie, value)| match value {
            TieBreakValue::Undecided => object.null(tie.name()),
            TieBreakValue::Number(number) => object.text(tie.name(), &number.to_string()),
            TieBreakValue::List(numbers) => object.texts(tie.name(), numbers.iter().map(ToString::to_string)),
        });
        let object = Object::new().number("rank", row.rank as u64).number("id", row.player.0.into());
        let object = match own {
            Some(number) => object.number("number", number.into()),
            None => object.null("number"),
        };
        let object = object.text("name", section.name_of(Some(row.player))).text("points", &row.points.to_string());
        object.number("games", row.games as u64).object("tiebreaks", ties)
    };
    let team = |row: &TeamStanding| {
        let team = section.team(row.team);
        let object = Object::new().number("rank", row.rank as u64).number("id", row.team.0.into());
        let object = match team {
            Some(team) => object.number("number", team.number.into()),
            None => object.null("number"),
        };
        let object = object.text("name", team.map_or("", |team| &team.name));
        let counts = [("played", row.played), ("won", row.won), ("drawn", row.drawn), ("lost", row.lost)];
        let object = counts.into_iter().fold(object, |object, (name, count)| object.number(name, count as u64));
        let object = object.text("match_points", &row.match_points.to_string());
        object.text("board_points", &row.board_points.to_string()).text("penalty", &row.penalty.to_string())
    };
    let object = Object::new().text("section", &section.name).number("after_round", standings.after_round.into());
    let object = object.numbers("results", [standings.results as u64, standings.pairings as u64]);
    let object = object.objects("rows", standings.rows.iter().map(row).collect());
    let teams: Vec<Object> = team_standings(section, standings.after_round).iter().map(team).collect();
    if teams.is_empty() { object } else { object.objects("teams", teams) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, EventInfo, Format, merge, read};
    use serde_json::Value;

    /// Checks that every member is in the schema, with its type.
    #[track_caller]
    fn check(schema: &Value, value: &Value, at: &str) {
        let kind = match value {
            Value::String(_) => "string",
            Value::Number(_) => "integer",
            Value::Array(_) => "array",
            Value::Null => "null",
            _ => "object",
        };
        let known = &schema["type"];
        let is_known = known == kind || known.as_array().is_some_and(|kinds| kinds.contains(&kind.into()));
        assert!(is_known, "{at} is {value}, and the schema says {known}");
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(!value[required.as_str().unwrap()].is_null() || required == "number", "{at} has no {required}");
        }
        for (name, value) in value.as_object().into_iter().flatten() {
            let schema = if schema["properties"][name].is_null() {
                &schema["additionalProperties"]
            } else {
                &schema["properties"][name]
            };
            check(schema, value, &format!("{at}.{name}"));
        }
        for value in value.as_array().into_iter().flatten() {
            check(&schema["items"], value, &format!("{at}[]"));
        }
    }

    /// A player withdraws from a round robin: the arbiter enters the forfeits of later rounds at once.
    #[test]
    fn early_forfeit_begins_no_round() {
        let csv = "Round;Board;White;Black;Result\n1;1;A;B;2-0\n2;1;B;A;*\n3;1;A;B;*\n";
        let sheet = read(csv.as_bytes(), Some(Format::Csv), "").unwrap();
        let mut tournament = merge(&Tournament::default(), None, &sheet).unwrap().tournament;
        let section = &mut tournament.sections[0];
        let forfeit =
            crate::OfficialResult { reason: crate::ResultReason::Forfeit, ..section.pairings[0].result.unwrap() };
        section.pairings[2].result = Some(forfeit);
        assert_eq!(section.last_round_with_result(), 1);
        let states = |tournament: &Tournament| {
            let document: Value = serde_json::from_str(&tournament_document(tournament)).unwrap();
            let rounds = document["sections"][0]["rounds"].as_array().unwrap().clone();
            rounds.iter().map(|round| round["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(states(&tournament), ["closed", "prepared", "prepared"]);
        // A later game was played: the round of the forfeit is over.
        let section = &mut tournament.sections[0];
        section.pairings[1].result = section.pairings[2].result.take();
        section.pairings[2].result = section.pairings[0].result;
        assert_eq!(states(&tournament), ["closed"; 3]);
    }

    #[test]
    fn schemas_list_every_member_and_names_are_escaped() {
        let csv = "Round;Board;White;Black;Result;White-team;Black-team\n1;1;\"A \"\"x\"\" </script>\";B;2-0;Huissen;Hijken\n1;2;C;D;*;Hijken;Huissen\n";
        let sheet = read(csv.as_bytes(), Some(Format::Csv), "").unwrap();
        let mut tournament = merge(&Tournament::default(), None, &sheet).unwrap().tournament;
        let section = tournament.sections[0].id;
        let at = "2027-07-10T14:00+02:00".parse().unwrap();
        let schedule = vec![ScheduledMoment { at, name: "Round 1".to_owned() }];
        let [organiser, format, report] = ["Club", "Swiss", "All\nwent \"well\""].map(str::to_owned);
        let [stream, regulations, website] = ["s", "r", "w"].map(|path| format!("https://example.org/{path}"));
        let event = tournament.event.clone();
        let event = EventInfo { organiser, format, stream, regulations, website, schedule, report, ..event };
        tournament.apply(&Event::EventDescribed(event)).unwrap();
        let (first, board) = (tournament.sections[0].pairings[0].id, Some("board-1".to_owned()));
        tournament.apply(&Event::RoundSet { section, round: 1, state: RoundState::Open }).unwrap();
        tournament.apply(&Event::BoardAssigned { pairing: first, board }).unwrap();
        let json: Value = serde_json::from_str(&tournament_document(&tournament)).unwrap();
        check(&serde_json::from_str(TOURNAMENT_SCHEMA).unwrap(), &json, "tournament");
        assert_eq!(json["event"]["schedule"][0]["at"], "2027-07-10T14:00:00+02:00");
        assert_eq!(json["event"]["report"], "All\nwent \"well\"");
        let pairing = &json["sections"][0]["rounds"][0]["pairings"][0];
        assert_eq!(
            (&pairing["points"][0], &pairing["board"], &pairing["table"]),
            (&"2".into(), &"board-1".into(), &1.into())
        );
        assert_eq!(json["sections"][0]["players"][0]["name"], "A \"x\" </script>");
        assert_eq!(
            (&json["sections"][0]["open_round"], &json["sections"][0]["rounds"][0]["state"]),
            (&1.into(), &"open".into())
        );
        let json: Value = serde_json::from_str(&standings_document(&tournament)).unwrap();
        check(&serde_json::from_str(STANDINGS_SCHEMA).unwrap(), &json, "standings");
        assert_eq!(json["sections"][0]["results"], serde_json::json!([1, 2]));
    }
}
