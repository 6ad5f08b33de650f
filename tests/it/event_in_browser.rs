//! The event in a real browser: its form at the desk, its pages for viewers before, during and after the games.

use serde_json::{Value, json};

use crate::browser::{Browser, axe};
use crate::desk::{DeskProcess, code};
use crate::desk_in_browser::{
    assert_no_page_errors, dialog_text, open_with_code, picture_folder, press, save_screenshots, shown, write,
};
use crate::pairing_engine::{ArbiterHall, list};
use crate::serve::OutletFixture;

/// Enters a moment in the last row of the schedule.
fn enter_moment(browser: &mut Browser, at: &str, name: &str) {
    let script = format!(
        "(() => {{ const row = document.querySelector('dialog[open] .moments li:last-child'); if (!row) return false; \
         const [time, what] = row.querySelectorAll('input'); time.value = {at:?}; what.value = {name:?}; \
         what.dispatchEvent(new Event('input', {{bubbles: true}})); return time.value !== ''; }})()"
    );
    browser.wait(&script, &true.into());
}

#[test]
fn event_is_described_at_desk() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let hall = ArbiterHall::with_script("exit 1");
    let station = hall.place.start();
    station.wait_for("operators reach this station");
    hall.import("players.csv", &list(4));
    let desk = DeskProcess::start(&hall.place, "");
    browser.call("Emulation.setTimezoneOverride", json!({"timezoneId": "Asia/Kolkata"}));
    open_with_code(&mut browser, &desk, "", &code(&hall.place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    browser.evaluate("location.hash = '#tournament'");
    shown(&mut browser, "Name, place, days and schedule");
    press(&mut browser, "Describe the event");
    dialog_text(&mut browser, "nothing is new");
    write(&mut browser, "Name", "Open <b>2027</b>");
    write(&mut browser, "First day", "2027-07-12");
    write(&mut browser, "Last day", "2027-07-11");
    dialog_text(&mut browser, "the end 2027-07-11 is before the start 2027-07-12");
    write(&mut browser, "First day", "2027-07-10");
    press(&mut browser, "Add a time");
    enter_moment(&mut browser, "2027-07-10T14:00", "Round 1");
    write(&mut browser, "Website", "example.org");
    dialog_text(&mut browser, "invalid website");
    write(&mut browser, "Website", "https://example.org/");
    dialog_text(&mut browser, "2027-07-10T14:00:00+05:30 Round 1");
    save_screenshots(&mut browser, &folder, "describe-event");
    press(&mut browser, "Save");
    shown(&mut browser, "Open <b>2027</b>, 2027-07-10 – 2027-07-11");
    save_screenshots(&mut browser, &folder, "described-event");
    // On another device, a moment that is not touched keeps its zone.
    browser.call("Emulation.setTimezoneOverride", json!({"timezoneId": "Europe/Amsterdam"}));
    press(&mut browser, "Describe the event");
    dialog_text(&mut browser, "nothing is new");
    press(&mut browser, "Add a time");
    enter_moment(&mut browser, "2027-07-11T17:00", "Prize giving");
    dialog_text(&mut browser, "2027-07-11T17:00:00+02:00 Prize giving (was 2027-07-10T14:00:00+05:30 Round 1)");
    if let Some(axe) = axe() {
        browser.evaluate(&axe);
        assert_eq!(browser.accessibility_violations(), json!([]), "the dialog");
    }
    press(&mut browser, "Save");
    browser.wait("document.querySelector('dialog').open", &false.into());
    press(&mut browser, "Undo");
    dialog_text(&mut browser, "undone: version 3");
    assert_no_page_errors(&browser, &["409"]);
}

/// Returns a tournament of one round with the facts of its event.
fn tournament(end: &str, state: &str, points: Option<[&str; 2]>) -> Value {
    let names = ["Jansen, Pieter", "Ba, Awa", "Clerc, Rob", "Gantwarg, Anatoli", "Sijbrands, Ton", "Wiersma, Harm"];
    let players: Vec<Value> =
        names.iter().zip(1..).map(|(name, id)| json!({"id": id, "name": name, "team": 2 - id % 2})).collect();
    let pairing = |table: u32| json!({"id": table, "table": table, "white": table * 2 - 1, "black": table * 2, "match": 1, "points": points});
    let round = json!({"round": 1, "state": state, "byes": [], "matches": [{"id": 1, "home": 1, "away": 2}], "pairings": [pairing(1), pairing(2), pairing(3)]});
    let teams = json!([{"id": 1, "number": 1, "name": "Huissen"}, {"id": 2, "number": 2, "name": "Hijken"}]);
    let open = if state == "open" { json!(1) } else { Value::Null };
    let section = json!({"id": 1, "name": "main", "scoring": "2-1-0", "planned_rounds": 1, "open_round": open, "players": players, "teams": teams, "rounds": [round]});
    let moment = |at: &str, name: &str| json!({"at": at, "name": name});
    let schedule = [
        moment("2001-07-10T13:30:00+02:00", "Opening by the mayor"),
        moment("2001-07-10T14:00:00+02:00", "Round 1"),
        moment("2199-07-11T10:00:00+02:00", "Round 2"),
        moment("2199-07-12T17:00:00+02:00", "Prize giving"),
    ];
    let report = if points.is_some() { "A hall full of people saw a short match.\n\nAll games are below." } else { "" };
    json!({"sections": [section], "event": {
        "name": "Open Huissen", "site": "Huissen, NED", "start": "2001-07-10", "end": end, "organiser": "Damclub Huissen",
        "format": "Match of two teams, three boards", "time_control": "80 minutes + 1 minute a move", "arbiter": "R. Faber",
        "stream": "https://example.org/live", "regulations": "https://example.org/rules", "website": "https://example.org/",
        "schedule": schedule, "report": report}})
}

/// Looks at a page, and checks that assistive technology can use it.
fn look(browser: &mut Browser, name: &str) {
    save_screenshots(browser, &picture_folder(), name);
    if let Some(axe) = axe() {
        browser.evaluate(&axe);
        assert_eq!(browser.accessibility_violations(), json!([]), "{name}");
    }
}

#[test]
fn viewer_follows_event_from_cover_to_report() {
    let Some(mut browser) = Browser::open() else { return };
    browser.call("Emulation.setTimezoneOverride", json!({"timezoneId": "America/New_York"}));
    let mut outlet = OutletFixture::new();
    let tell = |outlet: &mut OutletFixture, tournament: Value| outlet.write("tournament.json", &tournament.to_string());
    tell(&mut outlet, tournament("2199-07-12", "published", None));
    let server = outlet.serve();
    browser.visit(&format!("http://{}/?lang=nl", server.address));
    // Days in the words of the language, moments in the zone of the viewer, and how long until the next one.
    browser.wait("document.querySelector('[data-days]')?.textContent.includes('juli 2001')", &true.into());
    browser.wait("document.querySelectorAll('.ev time')[1]?.textContent.includes('08:00')", &true.into());
    assert_eq!(browser.evaluate("document.querySelectorAll('.ev time')[1].title"), "2001-07-10 14:00 (UTC+2)");
    browser.wait("document.querySelector('#zone').textContent.includes('America/New_York')", &true.into());
    let counts = "[...document.querySelectorAll('.ev-left')].map(left => /^over .* dag/.test(left.textContent)).join()";
    browser.wait(counts, &"false,false,true,false".into());
    browser.visit(&format!("http://{}/", server.address));
    browser.wait("document.querySelector('#zone')?.textContent.includes('America')", &true.into());
    look(&mut browser, "event-cover");
    // The open page follows into the round, and to its end.
    tell(&mut outlet, tournament("2199-07-12", "open", None));
    for (board, players) in
        [("board-1", ["Jansen, Pieter", "Ba, Awa"]), ("board-2", ["Clerc, Rob", "Gantwarg, Anatoli"])]
    {
        let number = board.trim_start_matches("board-");
        outlet.begin_game(
            board,
            1,
            json!({"White": players[0], "Black": players[1], "Round": "1", "Board": number, "Event": "Open Huissen"}),
        );
        outlet.play(board, 1);
    }
    browser.wait("document.querySelector('.ev-now')?.textContent.includes('2 games are being played')", &true.into());
    look(&mut browser, "event-now");
    outlet.append_event("board-1", json!({"n": 2, "type": "result", "result": "0-2"}));
    browser.wait("document.querySelector('.ev-now')?.textContent.includes('1 is over')", &true.into());
    browser.visit(&format!("http://{}/standings", server.address));
    browser.wait("document.querySelector('main')?.textContent.includes('As it stands')", &true.into());
    look(&mut browser, "event-standings");
    browser.visit(&format!("http://{}/", server.address));
    browser.wait("document.querySelector('#state')?.textContent", &"Live".into());
    tell(&mut outlet, tournament("2199-07-12", "closed", Some(["2", "0"])));
    outlet.append_event("board-2", json!({"n": 2, "type": "result", "result": "2-0"}));
    browser.wait("document.querySelector('main')?.textContent.includes('Final standings')", &true.into());
    // The page of a finished event raises no alarm about a silent recorder or server.
    let alarm = "[document.querySelector('#banner').hidden, document.querySelector('#live').hidden, document.body.className].join()";
    browser.wait(alarm, &"true,true,".into());
    look(&mut browser, "event-over");
    browser.visit(&format!("http://{}/event", server.address));
    browser.wait("document.querySelector('#zone')?.textContent.includes('America')", &true.into());
    look(&mut browser, "event-page");
    drop(server);
    // The clock leaps, so the page has heard nothing for an hour. It looks at the clock four times a second, and for an alarm once a second.
    browser.evaluate(
        "window.looks = 0; Date.now = ((real) => () => { looks += 1; return real() + 3600e3; })(Date.now); 0",
    );
    browser.wait("looks > 11", &true.into());
    assert_eq!(browser.evaluate(alarm), "true,true,");
    assert_no_page_errors(&browser, &[]);
}
