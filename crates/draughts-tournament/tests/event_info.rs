//! Facts about the event: in the record, in files of every kind, and undone.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use std::collections::BTreeMap;

use draughts_tournament::{
    BoardGames, Boards, Event, EventInfo, Refusal, ScheduledMoment, Tournament, TournamentCommand, decide, merge, read,
    write_csv, write_trf,
};

fn describe(state: &Tournament, facts: &[(&str, &str)], schedule: &[(&str, &str)]) -> Result<Tournament, Vec<String>> {
    let facts: BTreeMap<String, String> =
        facts.iter().map(|(fact, value)| ((*fact).to_owned(), (*value).to_owned())).collect();
    let moment = |(at, name): &(&str, &str)| ScheduledMoment { at: at.parse().unwrap(), name: (*name).to_owned() };
    let schedule = (!schedule.is_empty()).then(|| schedule.iter().map(moment).collect());
    let games = BoardGames::default();
    let command = TournamentCommand::DescribeEvent { facts, schedule };
    let text = serde_json::to_string(&command).unwrap();
    assert_eq!(serde_json::from_str::<TournamentCommand>(&text).unwrap(), command);
    match decide(state, &Boards::unknown(&games), &command, false) {
        Ok(decision) => Ok(decision.after),
        Err(Refusal::Impossible(reasons) | Refusal::Unconfirmed(reasons, _)) => Err(reasons),
    }
}

fn described() -> Tournament {
    let file = read(b"Round;White;Black\n1;Ann;Bob\n", None, "").unwrap();
    let state = merge(&Tournament::default(), None, &file).unwrap().tournament;
    let facts = [
        ("name", "Open 2027"),
        ("site", "Huissen"),
        ("start", "2027-07-10"),
        ("end", "2027-07-11"),
        ("organiser", "Club"),
        ("format", "Swiss system, 9 rounds; no draws # before move 40"),
        ("stream", "https://example.org/live?a=b#c"),
        ("regulations", "http://example.org/rules"),
        ("website", "https://example.org/"),
        ("report", "All went well.\nSee you."),
    ];
    let schedule = [("2027-07-11T17:00+02:00", "Prize giving"), ("2027-07-10T14:00+02:00", " Round 1 ")];
    describe(&state, &facts, &schedule).unwrap()
}

#[test]
fn files_carry_facts_but_not_the_report() {
    let state = described();
    let section = &state.sections[0];
    for file in [write_csv(&state, section), write_trf(&state, section).unwrap().0] {
        let again = merge(&Tournament::default(), None, &read(file.as_bytes(), None, "").unwrap()).unwrap().tournament;
        assert_eq!(again.event, EventInfo { report: String::new(), ..state.event.clone() }, "{file}");
        // Facts of the record win over those of a file.
        let other = describe(&state, &[("organiser", "Others")], &[]).unwrap();
        let merged = merge(&other, None, &read(file.as_bytes(), None, "").unwrap()).unwrap();
        assert_eq!(merged.tournament.event, other.event);
        assert!(merged.notes.iter().any(|note| note.message.contains("organiser")), "{:?}", merged.notes);
    }
}

#[test]
fn hostile_link_of_a_file_is_left_out() {
    let csv = "# damcast website javascript:alert(1)\n# damcast schedule never Round 1\nRound;White;Black\n1;Ann;Bob\n";
    let sheet = read(csv.as_bytes(), None, "").unwrap();
    assert_eq!((sheet.event.website.as_str(), sheet.event.schedule.len(), sheet.notes.len()), ("", 0, 2));
}

#[test]
fn schedule_is_in_the_order_of_time() {
    let names: Vec<String> = described().event.schedule.into_iter().map(|moment| moment.name).collect();
    assert_eq!(names, ["Round 1", "Prize giving"]);
}

#[test]
fn record_of_earlier_facts_is_read_and_written_alike() {
    let text = r#"{"event-described":{"name":"NK","site":"Huissen","start":"2027-07-10"}}"#;
    let event: Event = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
    let unknown = r#"{"event-described":{"name":"NK","colour":"red"}}"#;
    assert!(serde_json::from_str::<Event>(unknown).is_err_and(|error| error.to_string().contains("colour")));
}

#[test]
fn all_faults_are_named_and_nothing_changes() {
    let reasons = describe(&described(), &[("colour", "red"), ("end", "2027-07-09"), ("stream", "ftp://x")], &[]);
    let reasons = reasons.unwrap_err();
    assert!(reasons[0].starts_with("`colour` is no fact of an event; there are name, site,"), "{reasons:?}");
    assert!(reasons[1].starts_with("invalid stream `ftp://x`"), "{reasons:?}");
    assert_eq!(reasons[2], "the end 2027-07-09 is before the start 2027-07-10: correct one of them");
    assert_eq!(reasons.last().unwrap(), "nothing was changed");
}
