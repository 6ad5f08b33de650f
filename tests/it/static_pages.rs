//! `damcast pages`: the pages as plain files in a subfolder of a web space, where open pages follow them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::browser::{Browser, LIVE};
use crate::nginx::Nginx;
use crate::program::{assert_contains, damcast, run};
use crate::pty::wait_until;
use crate::serve::{GENERATION, OutletFixture, tournament};

/// Longest time from the change of an outlet to the open page.
const PATIENCE: Duration = Duration::from_secs(25);
const STATES: &str = "[...document.querySelectorAll('.g .st')].map(state => state.textContent).join('; ')";
const MOVES: &str = "[...document.querySelectorAll('#moves a')].map(link => link.firstChild.textContent).join(' ')";
const BANNER: &str = "document.querySelector('#banner').hidden ? '' : document.querySelector('#banner').textContent";

/// A running `damcast pages`. Dropping it stops it.
struct Exporter {
    process: Child,
    folder: PathBuf,
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn config(outlet: &OutletFixture) -> PathBuf {
    let config = outlet.path("../serve.toml");
    fs::write(&config, format!("[serve]\noutlet = {:?}\n", outlet.path("").canonicalize().unwrap())).unwrap();
    config
}

impl Exporter {
    fn start(outlet: &OutletFixture) -> Exporter {
        outlet.start_recorder();
        let (config, folder) = (config(outlet), outlet.path("../web/club/live"));
        let mut command = damcast(&["pages", "--config", config.to_str().unwrap(), "--into", folder.to_str().unwrap()]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut first_line).unwrap();
        assert!(first_line.starts_with("pages: ") && first_line.contains("is renewed"), "{first_line}");
        Exporter { process, folder }
    }
}

/// Starts a web server for a folder; `None` without nginx.
fn nginx(root: &Path) -> Option<Nginx> {
    let root = root.canonicalize().unwrap();
    Nginx::start(|address, _| {
        format!(
            "types {{ text/html html; text/css css; text/javascript js; application/json json; }} charset utf-8;\nserver {{ listen {address}; root {}; }}",
            root.display()
        )
    })
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Returns the links of a page.
fn links(html: &str) -> Vec<String> {
    let attributes =
        [" href=\"", " src=\"", " action=\"", " data-more=\"", " data-address=\"", " data-live=\"", " data-player=\""];
    let of = |attribute: &&str| {
        html.split(*attribute).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    attributes
        .iter()
        .flat_map(of)
        .filter(|link| !link.starts_with('#') && !link.starts_with("data:") && link != "poll")
        .collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    let (config, folder) = (config(&outlet), outlet.path("../pages"));
    let arguments = ["pages", "--once", "--config", config.to_str().unwrap(), "--into", folder.to_str().unwrap()];
    let first = run(&arguments).done();
    let all = names(&folder);
    assert_contains(&first, &[&format!("has {} files: {} new or changed, 0 removed", all.len() - 1, all.len() - 1)]);
    for expected in [
        "index.html",
        "board-board-1.html",
        "game-board-1-1.html",
        "game-board-1-1.pdn",
        "round-6.html",
        "standings.html",
        "players.html",
        "player-Open-1.html",
        "wall.html",
        "archive.html",
        "games.pdn",
    ] {
        assert!(all.contains(expected), "{expected}: {all:?}");
    }
    let mut count = 0;
    for name in all.iter().filter(|name| name.ends_with(".html")) {
        let html = fs::read_to_string(folder.join(name)).unwrap();
        for link in links(&html) {
            let file = link.strip_prefix("./").unwrap_or_else(|| panic!("{name}: {link} is not relative"));
            let file = file.split('?').next().unwrap();
            // Files of the outlet that are not there have no copy.
            assert!(all.contains(file) || file == "started.pdn", "{name}: {link} leads nowhere");
            count += 1;
        }
        assert!(!html.contains("?lang=") && !html.contains("hide=results") && !html.contains("/studio"), "{name}");
    }
    assert!(count > 100, "{count}");
    // Nothing has changed, but for the sign of life.
    assert_contains(&run(&arguments).done(), &["files: 1 new or changed, 0 removed"]);
    // A game that vanishes takes its files with it, and those of others stay.
    fs::write(folder.join("logo.png"), "of the club").unwrap();
    outlet.begin_anew(|text| text.replace("\"board-1\"", "\"board-7\""));
    assert!(run(&arguments).done().contains("3 removed"));
    assert!(!folder.join("game-board-1-1.pdn").exists() && folder.join("logo.png").exists());
}

/// The page of an event that has not begun, or is over, has no links to the filters.
#[test]
fn files_of_filters_stay_without_links() {
    let outlet = OutletFixture::new();
    let section = |id: u32, name: &str| json!({"id": id, "name": name, "scoring": "2-1-0", "players": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}], "teams": [], "rounds": []});
    let sections = json!([section(1, "Open"), section(2, "Ladies")]);
    outlet.write("tournament.json", &json!({"event": {"name": "NK"}, "sections": sections}).to_string());
    let (config, folder) = (config(&outlet), outlet.path("../pages"));
    run(&["pages", "--once", "--config", config.to_str().unwrap(), "--into", folder.to_str().unwrap()]).done();
    assert!(!fs::read_to_string(folder.join("index.html")).unwrap().contains("playing.html"));
    let all = names(&folder);
    for expected in ["playing.html", "section-Open.html", "section-Ladies.html"] {
        assert!(all.contains(expected), "{expected}: {all:?}");
    }
}

/// Keeps the pages of games if the outlet is missing, as before its disk is mounted.
#[test]
fn missing_outlet_removes_no_page() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    let (config, folder) = (config(&outlet), outlet.path("../pages"));
    let pages = || run(&["pages", "--once", "--config", config.to_str().unwrap(), "--into", folder.to_str().unwrap()]);
    pages().done();
    let before = names(&folder);
    assert!(before.contains("game-board-1-1.html"), "{before:?}");
    fs::rename(outlet.path("events.ndjson"), outlet.path("away")).unwrap();
    pages().fails(1, "the pages of its games stay");
    assert_eq!(names(&folder), before);
    fs::rename(outlet.path("away"), outlet.path("events.ndjson")).unwrap();
    pages().done();
}

#[test]
fn withdrawn_name_is_in_no_file() {
    let mut outlet = OutletFixture::new();
    // Two games of a board: only the moves of the last one are in memory.
    for game in 1..=2 {
        outlet.begin_game("a", game, json!({"White": "Hidden, P.", "Black": "Ba"}));
        outlet.play("a", 1);
    }
    let exporter = Exporter::start(&outlet);
    // The exporter replaces and removes files meanwhile: a listed one may be gone.
    let has_name = || {
        let files = names(&exporter.folder).into_iter().map(|name| fs::read_to_string(exporter.folder.join(name)));
        let texts = files.filter_map(|file| match file {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            file => Some(file.unwrap()),
        });
        texts.filter(|text| text.contains("Hidden, P.")).count()
    };
    assert!(has_name() >= 6, "{}", has_name());
    // The station writes the events anew, under another generation.
    let events = outlet.events().replace("Hidden, P.", "N. N.").replace(GENERATION, "0123456789abcdef");
    fs::write(outlet.path("events.new"), events).unwrap();
    fs::rename(outlet.path("events.new"), outlet.path("events.ndjson")).unwrap();
    wait_until("no file with the name", || has_name() == 0);
    assert!(exporter.folder.join("game-a-1.pdn").exists());
}

#[test]
fn folder_of_others_is_refused() {
    let mut outlet = OutletFixture::new();
    outlet.begin("a", json!({}));
    let folder = outlet.path("../thesis");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("chapter-1.doc"), "").unwrap();
    let arguments =
        ["pages", "--once", "--config", config(&outlet).to_str().unwrap(), "--into", folder.to_str().unwrap()]
            .map(str::to_owned);
    run(&arguments.each_ref().map(String::as_str))
        .fails(1, "has files of others, such as \"chapter-1.doc\"; give a new or an empty folder");
    assert_eq!(names(&folder).len(), 1);
}

#[test]
fn open_pages_follow_files_of_a_subfolder() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let exporter = Exporter::start(&outlet);
    let Some(nginx) = nginx(&outlet.path("../web")) else { return };
    let place = format!("http://{}/club/live/", nginx.address);
    let follows = |browser: &mut Browser, expression: &str, expected: &str| {
        let began = Instant::now();
        browser.wait(expression, &expected.into());
        assert!(began.elapsed() < PATIENCE, "{expression} after {:?}", began.elapsed());
    };
    browser.visit(&place);
    browser.wait(LIVE, &"Live".into());
    outlet.play("board-1", 1);
    follows(&mut browser, STATES, "1. 32-28; Playing; Not started");
    // From the grid to a board, and back through its moves.
    browser.evaluate("document.querySelector('.g a').click()");
    browser.wait("location.pathname", &"/club/live/board-board-1.html".into());
    browser.wait(LIVE, &"Live".into());
    browser.wait(MOVES, &"32-28".into());
    outlet.play("board-1", 2);
    follows(&mut browser, MOVES, "32-28 19-23");
    browser.evaluate("document.querySelector('#back').click()");
    browser.wait("location.pathname + location.search", &"/club/live/game-board-1-1.html?ply=1".into());
    browser.wait("document.querySelector('#moves a[aria-current]').dataset.at", &"1".into());
    outlet.play("board-1", 3);
    follows(&mut browser, MOVES, "32-28 19-23 28×19");
    assert_eq!(browser.evaluate("document.querySelector('#moves a[aria-current]').dataset.at"), "1");
    browser.evaluate("document.querySelector('#golive').click()");
    browser.wait("location.pathname", &"/club/live/board-board-1.html".into());
    // One's own players.
    browser.visit(&format!("{place}players.html"));
    browser.wait("!!document.querySelector('.star:not([hidden])')", &true.into());
    browser.evaluate("document.querySelector('.star').click()");
    browser.wait(
        "document.querySelector('.star').textContent + document.querySelectorAll('a.pn.mine').length",
        &"★1".into(),
    );
    // Standings.
    browser.visit(&format!("{place}standings.html"));
    browser.wait(LIVE, &"Live".into());
    let first = "document.querySelector('.st1:has(.x) tbody th a').textContent";
    assert_eq!(browser.evaluate(first), "Ba");
    // The result of another pairing is corrected.
    let tournament = fs::read_to_string(outlet.path("tournament.json")).unwrap();
    outlet.write("tournament.json", &tournament.replace("[\"2\",\"0\"]", "[\"0\",\"2\"]"));
    follows(&mut browser, first, "Jansen");
    assert_eq!(
        browser.evaluate("performance.getEntriesByType('resource').some(one => one.name.includes('/events'))"),
        false
    );
    // Without the program that renews them, the pages say for how long.
    let folder = exporter.folder.clone();
    drop(exporter);
    browser.wait(&format!("/^No data from the server for \\d+ sec$/.test({BANNER})"), &true.into());
    // After the last day of the event that is no alarm.
    browser.evaluate("document.querySelector('#main').dataset.ends = 1, 0");
    browser.wait("document.querySelector('#banner').hidden && document.querySelector('#live').hidden", &true.into());
    browser.evaluate(
        "delete document.querySelector('#main').dataset.ends, delete document.querySelector('#main').dataset.over",
    );
    // The next one goes on with the folder.
    let _exporter = Exporter::start(&outlet);
    wait_until("the sign", || fs::metadata(folder.join("alive.json")).is_ok());
    browser.wait(LIVE, &"Live".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// After an upgrade a page may be in the folder before its script and style. Pages that are open wait for these.
#[test]
fn open_page_of_another_build_waits_for_its_files() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let exporter = Exporter::start(&outlet);
    let folder = exporter.folder.clone();
    drop(exporter);
    let Some(nginx) = nginx(&folder) else { return };
    browser.visit(&format!("http://{}/index.html", nginx.address));
    browser.wait("document.readyState", &"complete".into());
    browser.evaluate(
        "window.isOld = true; window.asked = []; const ask = fetch; window.fetch = (...all) => { asked.push(String(all[0])); return ask(...all); }; 0",
    );
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let script = links(&page).into_iter().find(|link| link.contains("page-") && link.ends_with(".js")).unwrap();
    let build = page.split("data-build=\"").nth(1).unwrap().split('"').next().unwrap();
    let other = page.replace(&script, "page-later.js").replace(build, "later");
    fs::write(folder.join("index.html"), other).unwrap();
    browser.wait("window.asked.filter((address) => address.includes('page-later.js')).length > 1", &true.into());
    assert_eq!(browser.evaluate("window.isOld"), true);
    fs::copy(folder.join(&script), folder.join("page-later.js")).unwrap();
    browser.wait("[document.readyState, window.isOld === undefined].join()", &"complete,true".into());
    assert_eq!(browser.evaluate("document.body.dataset.build"), "later");
}

/// A player becomes anonymous, and the file of the player is gone: who has it open sees the boards.
#[test]
fn open_page_that_was_withdrawn_leads_to_boards() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let exporter = Exporter::start(&outlet);
    let Some(nginx) = nginx(&exporter.folder) else { return };
    browser.visit(&format!("http://{}/player-Open-1.html", nginx.address));
    browser.wait("document.readyState", &"complete".into());
    let tournament = fs::read_to_string(outlet.path("tournament.json")).unwrap();
    outlet.write("tournament.json", &tournament.replace("\"Jansen\"", "\"N. N.\""));
    wait_until("the file is gone", || !exporter.folder.join("player-Open-1.html").exists());
    browser.wait("location.pathname", &"/index.html".into());
    browser.wait("document.querySelector('#main').dataset.kind", &"grid".into());
}

/// Before a game begins, its card leads to the page of the board's number. Who opened that page stays there.
#[test]
fn page_by_number_stays_when_its_game_begins() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let exporter = Exporter::start(&outlet);
    let page = || fs::read_to_string(exporter.folder.join("board-3.html")).unwrap_or_default();
    wait_until("the page", || page().contains("Clerc"));
    outlet.begin("board-3", json!({"White": "Clerc, R.", "Black": "Gantwarg", "Round": "6", "Board": "3"}));
    outlet.play("board-3", 1);
    wait_until("the first move", || page().contains("32-28"));
    outlet.play("board-3", 2);
    wait_until("the second move", || page().contains("19-23"));
}

/// The station writes the files of games after the event, and an archived game again after a correction.
#[test]
fn copies_follow_their_files() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let exporter = Exporter::start(&outlet);
    let copy = || fs::read_to_string(exporter.folder.join("games.pdn")).unwrap_or_default();
    wait_until("the copy", || copy().contains("32-28"));
    fs::write(outlet.path("games.pdn"), "[Result \"2-0\"]\n\n2-0\n").unwrap();
    wait_until("the new copy", || copy().contains("2-0"));
}
