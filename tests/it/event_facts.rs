//! Facts of the event: described by requests, in the tournament's record, in files for readers. Real processes.

use std::fs;

use serde_json::{Value, json};

use crate::hall::Hall;
use crate::program::assert_contains;
use crate::pty::wait_until;
use crate::rounds::import;

const SCHEDULE: [&str; 4] =
    ["--schedule", "2027-07-11T17:00+02:00 Prize giving", "--schedule", "2027-07-10T14:00+02:00 Round 1"];

fn event(hall: &Hall, outlet: &str) -> Value {
    let text = fs::read_to_string(hall.file(outlet).join("tournament.json")).unwrap_or_default();
    serde_json::from_str::<Value>(&text).unwrap_or_default()["event"].take()
}

#[test]
fn described_event_reaches_outlets_and_games() {
    let mut hall = Hall::start(
        "[station.tags]\nEvent = \"Evening\"\nSite = \"Club\"\n[[outlet]]\nname = \"late\"\ndelay = 3600\n",
    );
    hall.ctl(&["describe-event", "--show"]).prints("nothing is known of the event");
    let facts = [
        "--name",
        "Open <b>\"2027\"</b>",
        "--start",
        "2027-07-10",
        "--end",
        "2027-07-11",
        "--website",
        "https://example.org/",
    ];
    let answer = hall.done(&[&["describe-event"], &facts[..], &SCHEDULE[..], &["--organiser", "Club"]].concat());
    assert_contains(
        &answer,
        &[
            "event: end 2027-07-11, name Open",
            "organiser Club",
            "2027-07-10T14:00:00+02:00 Round 1; 2027-07-11T17:00:00+02:00 Prize",
        ],
    );
    let expected = json!({
        "name": "Open <b>\"2027\"</b>", "start": "2027-07-10", "end": "2027-07-11", "organiser": "Club", "website": "https://example.org/",
        "schedule": [{"at": "2027-07-10T14:00:00+02:00", "name": "Round 1"}, {"at": "2027-07-11T17:00:00+02:00", "name": "Prize giving"}],
    });
    wait_until("the facts", || event(&hall, "public") == expected);
    // An outlet with a delay learns nothing before its time.
    assert_eq!(event(&hall, "public-late").get("name"), None);
    hall.ctl(&["describe-event", "--show"]).prints("schedule: 2027-07-10T14:00:00+02:00 Round 1\n");
    let shown: Value = serde_json::from_str(&hall.done(&["describe-event", "--show", "--json"])).unwrap();
    assert_eq!(shown, expected);
    // A game that begins has the name of the event, and the place of the configuration, because the record has none.
    import(&hall.place, "pairings.csv", crate::rounds::ROUNDS).done();
    hall.done(&["round", "open", "3"]);
    wait_until("the pairing", || hall.read("log/a-1.log").contains("! pairing 1 {"));
    hall.play(4);
    assert_contains(&hall.live(1), &["[Event \"Open <b>\\\"2027\\\"</b>\"]", "[Site \"Club\"]"]);
    let (written, announced) = (hall.live(1), "--site");
    hall.ctl(&["describe-event", announced, "Huissen"]).prints("site Huissen (was nothing)");
    wait_until("the place", || event(&hall, "public")["site"] == "Huissen");
    hall.done(&["undo-last"]);
    wait_until("the undo", || event(&hall, "public") == expected);
    // An empty fact is removed.
    hall.done(&["describe-event", "--organiser", "", "--schedule", ""]);
    wait_until("the removal", || event(&hall, "public")["schedule"].is_null());
    assert_eq!(event(&hall, "public").get("organiser"), None);
    assert!(hall.live(1).starts_with(&written), "the live file stays: {}", hall.live(1));
    let before = event(&hall, "public");
    let place = hall.ends_clean();
    place.rebuild_public();
    let rebuilt: Value = serde_json::from_str(&place.public("tournament.json")).unwrap();
    assert_eq!(rebuilt["event"], before);
    place.assert_clean();
}

#[test]
fn wrong_facts_change_nothing_and_say_why() {
    let hall = Hall::start("");
    let long = "x".repeat(10_000);
    let moments: Vec<String> =
        (0..65).map(|minute| format!("2027-07-10 10:{:02} Moment {minute}", minute % 60)).collect();
    let many: Vec<&str> = moments.iter().flat_map(|moment| ["--schedule", moment]).collect();
    let report = hall.place.path("report");
    fs::write(&report, &long).unwrap();
    for (facts, reason) in [
        (
            vec!["--start", "2027-07-10", "--end", "2027-07-09"],
            "the end 2027-07-09 is before the start 2027-07-10: correct one of them",
        ),
        (vec!["--start", "10 July"], "invalid start `10 July`: expected a day, as in 2027-07-10"),
        (vec!["--start", "2027-02-29"], "invalid start"),
        (
            vec!["--stream", "javascript:alert(1)"],
            "invalid stream `javascript:alert(1)`: expected a web address that begins with https://",
        ),
        (vec!["--website", "example.org"], "invalid website"),
        (vec!["--name", &long], "the name has 10000 characters; 200 are the most: shorten it"),
        (vec!["--format", &long], "the format has 10000 characters; 500 are the most"),
        (vec!["--report", report.to_str().unwrap()], "the report has 10000 characters; 4000 are the most"),
        (vec!["--name", "a\u{7}b"], "the name has the invisible character U+0007: remove it"),
        (vec!["--site", "a\nb"], "the site has the invisible character U+000A"),
        (vec!["--organiser", "a\u{202e}b"], "the organiser has the invisible character U+202E"),
        (vec!["--schedule", "2027-07-10 14:00 a\u{7}"], "U+0007"),
        (many, "the schedule has 65 moments; 64 are the most: leave out some"),
    ] {
        hall.ctl(&[&["describe-event"], &facts[..]].concat()).fails(1, reason);
    }
    hall.ctl(&["describe-event", "--schedule", "Round 1"]).fails(1, "invalid moment `Round 1`: expected time and name");
    hall.ctl(&["describe-event", "--show", "--name", "x"]).fails(1, "--show changes nothing");
    // Two faults are both named.
    hall.ctl(&["describe-event", "--stream", "x", "--start", "y"]).fails(1, "invalid start");
    hall.ctl(&["describe-event", "--show"]).prints("nothing is known of the event");
    hall.ends_clean();
}
