//! Pages after events that are rare: another generation, micro-matches, boards that are unplugged, sections with the same players.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::{Browser, HAS_KEYS, LIVE, MOVES};
use crate::program::assert_contains;
use crate::pty::wait_until;
use crate::serve::{OutletFixture, Server, tournament};

/// Returns what stands between two texts, for each place.
fn all_between<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

/// Returns a tournament document with one open round in each of these sections. Each has the same two players, its own board, and a
/// deferral of its pairing.
fn sections(names: &[&str], later: &Value) -> String {
    let section = |(name, id): (&&str, usize)| {
        let players = json!([{"id": 1, "name": "Jansen"}, {"id": 2, "name": "Ba"}]);
        let pairing =
            json!({"id": id, "table": id, "board": format!("board-{id}"), "white": 1, "black": 2, "later": later});
        let rounds = json!([{"round": 1, "state": "open", "byes": [], "matches": [], "pairings": [pairing]}]);
        json!({"id": id, "name": name, "scoring": "2-1-0", "open_round": 1, "players": players, "teams": [], "rounds": rounds})
    };
    let sections: Vec<Value> = names.iter().zip(1..).map(section).collect();
    json!({"event": {}, "sections": sections}).to_string()
}

/// Serves a game of four plies on board-1, and opens one of its pages in a browser.
fn open_game(browser: &mut Browser, path: &str) -> (OutletFixture, Server) {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    (1..=4).for_each(|ply| outlet.play("board-1", ply));
    let server = outlet.serve();
    browser.visit(&format!("http://{}{path}?lang=en", server.address));
    browser.wait(&format!("{HAS_KEYS} && {LIVE}"), &"Live".into());
    (outlet, server)
}

/// Lines that are read again are not new: a clock that has run for a while must not jump back.
#[test]
fn another_generation_sets_no_clock_back() {
    for delay in [0, 900] {
        generation_sets_no_clock_back(Duration::from_secs(delay));
    }
}

/// The server starts before the first line, so it learns the delay of the outlet from the lines that come.
fn generation_sets_no_clock_back(delay: Duration) {
    let mut outlet = OutletFixture::new();
    outlet.set_delay(delay);
    let server = outlet.serve();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    server.wait_for(&outlet);
    let heard = || -> i64 {
        let page = server.get("/board/1").text();
        let clock =
            all_between(&page, "<span class=\"ck", ">").into_iter().find(|clock| clock.contains("data-running"));
        all_between(clock.unwrap(), "data-heard=\"", "\"")[0].parse().unwrap()
    };
    let before = heard();
    std::thread::sleep(Duration::from_secs(1));
    outlet.begin_anew(|text| text.replace("Jansen", "N. N."));
    wait_until("the new lines", || server.get("/board/1").text().contains("N. N."));
    let after = heard();
    assert!((before - 2000..=before).contains(&after), "{after} instead of {before}, delay {delay:?}");
}

/// The events name the game of a micro-match by pairing and stage.
#[test]
fn micro_match_is_game_of_its_pairing() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let names = json!({"White": "Ba", "Black": "Jansen", "Event": "Open", "Round": "6", "Board": "1"});
    outlet.append_line(json!({"board": "board-1", "game": 2, "n": 1, "type": "game", "gametype": "20,W,10,10,N2,0", "tags": names, "pairing": "3.rapid"}));
    let server = outlet.serve();
    let row = |page: &str| {
        let rows = all_between(page, "<tr data-part=\"pairing-", "</tr>");
        rows.into_iter().find(|row| row.contains("/game/board-1-2")).map(str::to_owned)
    };
    let page = server.get("/round/6?lang=en").text();
    assert!(row(&page).is_some_and(|row| !row.contains("Not started")), "{page}");
    // The players have changed colours; each name leads to its own page.
    let board = server.get("/board/1?lang=en").text();
    let white = all_between(&board, "plb wh", "</a>")[0];
    assert_contains(white, &["/player/Open-2", "Ba"]);
    assert_contains(&server.get("/player/Open-1?lang=en").text(), &["/game/board-1-2"]);
}

#[test]
fn section_has_its_boards_before_their_first_moves() {
    let mut outlet = OutletFixture::new();
    let boards = (1..=2).map(|board| json!({"board": format!("board-{board}"), "gametype": "20", "tags": {}}));
    outlet.append_line(json!({"b": 1, "type": "boards", "list": boards.collect::<Vec<_>>()}));
    outlet.write("tournament.json", &sections(&["Rapid", "Blitz"], &Value::Null));
    // Boards have names already when their round is published, as on the page of all boards.
    let opened = sections(&["Rapid", "Blitz"], &Value::Null);
    let published =
        opened.replacen("\"state\":\"open\"", "\"state\":\"published\"", 2).replace("\"open_round\":1,", "");
    let (before, blitz) = opened.split_at(opened.find("\"Blitz\"").unwrap_or_default());
    let (_, published_blitz) = published.split_at(published.find("\"Blitz\"").unwrap_or_default());
    assert_ne!(blitz, published_blitz);
    outlet.write("tournament.json", &format!("{before}{published_blitz}"));
    let server = outlet.serve();
    let page = server.get("/?section=Blitz&lang=en").text();
    assert_contains(&server.get("/?lang=en").text(), &["/player/Blitz-1"]);
    assert!(page.contains("/player/Blitz-1") && !page.contains("No board fits"), "{page}");
    outlet.write("tournament.json", &opened);
    server.wait_for(&outlet);
    let page = server.get("/?section=Blitz&lang=en").text();
    assert_contains(&page, &["/player/Blitz-1", "/player/Blitz-2"]);
    assert!(!page.contains("/player/Rapid-1\"") && !page.contains("No board fits"), "{page}");
    // Other languages keep the choice.
    assert_contains(&page, &["/?section=Blitz&amp;lang=nl"]);
}

#[test]
fn adjourned_game_is_not_missed() {
    let mut outlet = OutletFixture::new();
    outlet.begin_paired_game("board-1", 1, json!({"White": "Jansen", "Black": "Ba"}), Some(1));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"p": 1, "type": "state", "state": "no-connection"}));
    outlet.write("tournament.json", &sections(&["Open"], &Value::Null));
    let server = outlet.serve();
    let main = |path: &str| all_between(&server.get(path).text(), "data-part=\"main\"", "</main>")[0].to_owned();
    assert_contains(&main("/board/1?lang=en"), &["data-silent-since", "s-off"]);
    outlet.write("tournament.json", &sections(&["Open"], &"adjourned".into()));
    server.wait_for(&outlet);
    for path in ["/board/1?lang=en", "/?lang=en", "/?wall"] {
        let page = main(path);
        assert!(page.contains("Adjourned") && !page.contains("data-silent-since") && !page.contains("s-off"), "{page}");
    }
    assert_contains(&server.get("/?wall").text(), &["0 games are being played"]);
    // The last move before the interruption was confirmed late, when the clocks stood.
    outlet.play("board-1", 2);
    outlet.append_event("board-1", json!({"p": 2, "type": "clock", "clock": {"white": 500, "black": 700}}));
    server.wait_for(&outlet);
    assert!(main("/board/1?lang=en").contains("Adjourned"));
    // It continues on its board, and is interrupted once more.
    outlet.append_event("board-1", json!({"p": 1, "type": "state", "state": "playing"}));
    outlet.play("board-1", 3);
    server.wait_for(&outlet);
    for path in ["/board/1?lang=en", "/?lang=en", "/?wall"] {
        assert!(!main(path).contains("Adjourned"), "{path}");
    }
    assert_contains(&server.get("/?wall").text(), &["1 game is being played"]);
    outlet.write("tournament.json", &sections(&["Open"], &Value::Null));
    outlet.write("tournament.json", &sections(&["Open"], &"adjourned".into()));
    server.wait_for(&outlet);
    assert!(main("/board/1?lang=en").contains("Adjourned"));
    // It is resumed on another board.
    let resumed = sections(&["Open"], &"adjourned".into()).replace("\"board\":\"board-1\"", "\"board\":\"board-2\"");
    outlet.begin_paired_game("board-2", 1, json!({"White": "Jansen", "Black": "Ba"}), Some(1));
    outlet.play("board-2", 1);
    outlet.write("tournament.json", &resumed);
    server.wait_for(&outlet);
    assert!(main("/board/1?lang=en").contains("Adjourned"));
    assert!(!main("/board/board-2?lang=en").contains("Adjourned"));
    assert_contains(&server.get("/?wall").text(), &["1 game is being played"]);
    // Its board ends it, and plays the next game.
    outlet.append_event("board-1", json!({"n": 9, "type": "end"}));
    outlet.begin_game("board-1", 2, json!({"White": "X", "Black": "Y"}));
    server.wait_for(&outlet);
    let page = main("/game/board-1-1?lang=en");
    assert!(page.contains("Adjourned") && !page.contains("waits for its result"), "{page}");
}

/// Games without players do not count: one is played before the event, another one after its last round.
#[test]
fn games_without_players_do_not_count() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({}));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    let published = sections(&["Open"], &Value::Null).replace("\"open_round\":1,", "\"planned_rounds\":1,");
    outlet.write("tournament.json", &published.replace("\"state\":\"open\"", "\"state\":\"published\""));
    let server = outlet.serve();
    assert!(!server.get("/?lang=en").text().contains("being played"));
    let standings = server.get("/standings?lang=en").text();
    assert!(!standings.contains("Provisional"), "{standings}");
    outlet.begin_paired_game("board-1", 2, json!({"White": "Jansen", "Black": "Ba", "Round": "1"}), Some(1));
    outlet.play("board-1", 1);
    // Another board is tried meanwhile.
    outlet.begin("board-2", json!({}));
    outlet.play("board-2", 1);
    server.wait_for(&outlet);
    assert_contains(&server.get("/?lang=en").text(), &["1 game is being played · 0 are over"]);
    assert!(!server.get("/?playing&lang=en").text().contains("data-board=\"board-2\""));
    outlet.append_event("board-2", json!({"n": 3, "type": "end"}));
    server.wait_for(&outlet);
    assert_contains(&server.get("/?lang=en").text(), &["1 game is being played · 0 are over"]);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    outlet.begin_game("board-1", 3, json!({}));
    outlet.play("board-1", 1);
    let result = "\"black\":2,\"points\":[\"2\",\"0\"],\"reason\":\"played\"";
    let closed = published.replace("\"state\":\"open\"", "\"state\":\"closed\"").replace("\"black\":2", result);
    outlet.write("tournament.json", &closed);
    server.wait_for(&outlet);
    assert_contains(&server.get("/?lang=en").text(), &["data-over", "Final standings"]);
    // They are not among the results, and the last ones of the archive.
    let standings = server.get("/standings?lang=en").text();
    for game in ["board-1-1", "board-1-3", "board-2-1"] {
        assert!(!standings.contains(&format!("/game/{game}")), "{game}: {standings}");
    }
    assert!(standings.contains("/game/board-1-2"));
    let archive = server.get("/archive?lang=en").text();
    let places = ["board-1-2", "board-1-1", "board-2-1"].map(|game| archive.find(&format!(">{game}.pdn</a>")));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
}

/// The operator corrects the place while the games that are over still stand on the boards.
#[test]
fn corrected_tag_of_station_starts_no_round() {
    let mut outlet = OutletFixture::new();
    let boards = |hour: usize, tags: Value| {
        let list = json!([{"board": "board-1", "gametype": "20", "tags": tags}]);
        json!({"at": format!("2026-11-21T{:02}:00:00+01:00", 9 + hour), "b": 1, "type": "boards", "list": list})
    };
    outlet.append_line(boards(0, json!({"Site": "Amsterdm", "Round": "1"})));
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba", "Round": "1"}));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    let server = outlet.serve();
    for (hour, round, is_shown) in [(1, "1", true), (2, "2", false)] {
        outlet.append_line(boards(hour, json!({"Site": "Amsterdam", "Round": round})));
        server.wait_for(&outlet);
        assert_eq!(server.get("/").text().contains("data-board=\"board-1\""), is_shown, "{round}");
    }
}

/// The key L leads from an old move to the game that the board plays now.
#[test]
fn live_leads_to_the_next_game_of_the_board() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, _server) = open_game(&mut browser, "/game/board-1-1/2");
    outlet.append_event("board-1", json!({"n": 6, "type": "end", "result": "2-0"}));
    outlet.begin_game("board-1", 2, json!({"White": "Clerc", "Black": "Gantwarg"}));
    outlet.play("board-1", 1);
    browser.wait("document.querySelector('#golive').getAttribute('href')", &"/board/board-1?lang=en".into());
    assert_eq!(browser.evaluate("document.querySelector('svg.bd.big').ariaLabel"), "1. … 19-23");
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'l', bubbles: true}))");
    browser.wait("location.pathname", &"/board/board-1".into());
    browser.wait(MOVES, &"32-28".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// A club describes its evening without a tournament.
#[test]
fn described_event_is_no_tournament() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    outlet.write("tournament.json", &json!({"event": {"name": "Club evening"}, "sections": []}).to_string());
    let server = outlet.serve();
    assert_contains(&server.get("/standings?lang=en").text(), &["There are no tournament standings"]);
    assert_contains(&server.get("/?lang=en").text(), &["Over, waits for its result"]);
}

/// A board that is free in this round shows its game of the last one.
#[test]
fn games_of_last_round_do_not_count() {
    let mut outlet = OutletFixture::new();
    let tags = |round: &str| json!({"White": "Jansen", "Black": "Ba", "Round": round});
    for board in ["board-1", "board-2"] {
        outlet.begin(board, tags("1"));
        outlet.play(board, 1);
        outlet.append_event(board, json!({"n": 3, "type": "end"}));
        outlet.append_event(board, json!({"n": 4, "type": "result", "result": "2-0"}));
    }
    outlet.write(
        "tournament.json",
        &sections(&["Open"], &Value::Null)
            .replace("\"round\":1", "\"round\":2")
            .replace("\"open_round\":1", "\"open_round\":2"),
    );
    outlet.begin_paired_game("board-2", 2, tags("2"), Some(1));
    let server = outlet.serve();
    for path in ["/?lang=en", "/?wall&lang=en"] {
        assert_contains(&server.get(path).text(), &["1 game is being played", "0 are over"]);
    }
}

#[test]
fn pdn_numbers_moves_from_starting_side() {
    let mut outlet = OutletFixture::new();
    let begin = json!({"board": "board-1", "game": 1, "n": 1, "type": "game", "gametype": "21,B,8,8,N2,0", "tags": {"White": "Jansen", "Black": "Ba"}});
    outlet.append_line(begin);
    for (ply, number, side, text) in [(1, 1, "black", "9-13"), (2, 1, "white", "22-18"), (3, 2, "black", "5-9")] {
        outlet.append_event("board-1", json!({"n": ply + 1, "type": "move", "ply": ply, "number": number, "side": side, "move": text, "fen": "W:W18:B9"}));
    }
    let text = outlet.serve().get("/game/board-1-1.pdn").text();
    assert_contains(&text, &["1. 9-13 22-18 2. 5-9"]);
}

/// An address with two slashes names another site.
#[test]
fn no_address_leads_to_another_site() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    let page = outlet.serve().get("//evil.example/x").text();
    assert!(page.contains("/evil.example/x?lang=nl") && !page.contains("\"//"), "{page}");
}

#[test]
fn game_names_its_own_page_alone() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.write("tournament.json", &sections(&["Open"], &Value::Null));
    let server = outlet.serve();
    for (path, is_game) in [("/board/1", true), ("/standings", false), ("/player/Open-1", false)] {
        let page = server.get(&format!("{path}?lang=en")).text();
        let title = all_between(&page, "property=\"og:title\" content=\"", "\"")[0];
        assert_eq!(title == "Jansen – Ba", is_game, "{path}: {title}");
    }
}

/// A page that lacks events loads itself again. It must not take back a viewer who goes on meanwhile.
#[test]
fn lost_events_keep_choice_of_viewer() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, _server) = open_game(&mut browser, "/board/board-1");
    // The first answer waits until it is released; the page loads itself at once after the event `again`.
    browser.evaluate(
        "{ const ask = fetch, add = EventSource.prototype.addEventListener; Math.random = () => 0;
         window.fetch = async (...asked) => { const isFirst = !window.release;
         const wait = isFirst && new Promise((release) => { window.release = release; }); const answer = await ask(...asked); await wait; return answer; };
         EventSource.prototype.addEventListener = function (name, act) {
         add.call(this, name, (message) => { act(message); if (name === 'again') setTimeout(() => { window.asked = true; }); }); }; 0 }",
    );
    // The server does not know this view. The viewer steps back, and to the live game before the page loads itself.
    browser.evaluate(
        "document.body.dataset.id = 'lost', ['#back', '#golive'].forEach((id) => document.querySelector(id).click())",
    );
    browser.wait("window.asked", &true.into());
    browser.evaluate("window.release(), 0");
    browser.wait("location.pathname", &"/board/board-1".into());
    outlet.play("board-1", 5);
    browser.wait(MOVES, &"32-28 19-23 28×19 14×23 33-28".into());
    assert_eq!(browser.evaluate("location.pathname"), "/board/board-1");
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// A page that is on its way must not take a viewer away from a move that was chosen meanwhile.
#[test]
fn load_under_way_moves_nobody() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, _server) = open_game(&mut browser, "/game/board-1-1/2");
    // Answers wait until they are released.
    browser.evaluate(
        "{ const ask = fetch; window.fetch = async (...asked) => {
         const answer = await ask(...asked), text = await answer.text();
         await new Promise((release) => { window.release = release; }); return new Response(text, answer); }; 0 }",
    );
    browser.evaluate("document.querySelector('#golive').click(), 0");
    browser.wait("typeof window.release", &"function".into());
    browser.evaluate("document.querySelector('#back').click(), 0");
    browser.wait("location.pathname", &"/game/board-1-1/1".into());
    browser.evaluate("window.release(), 0");
    // The page follows on: the next move is in its list.
    outlet.play("board-1", 5);
    browser.wait(MOVES, &"32-28 19-23 28×19 14×23 33-28".into());
    assert_eq!(browser.evaluate("location.pathname"), "/game/board-1-1/1");
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Walls and overlays stay open while the server is replaced by another version.
#[test]
fn open_page_loads_scripts_of_another_version() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    let server = outlet.serve();
    browser.visit(&format!("http://{}/?wall&lang=en", server.address));
    browser.wait("document.readyState === 'complete' && !document.body.matches('.quiet')", &true.into());
    // As the script of an earlier version it meets a server that knows its view.
    browser.evaluate(
        "window.isOld = true, document.body.dataset.build = 'earlier', \
         document.body.dataset.stream = document.body.dataset.stream.replace(/build=\\w+/, 'build=earlier'), \
         dispatchEvent(new Event('pagehide')), dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
    );
    browser.wait("[document.readyState, window.isOld === undefined].join()", &"complete,true".into());
    // It loads itself once, and then follows.
    browser.evaluate("window.isNew = true");
    outlet.play("board-1", 1);
    browser.wait("document.querySelector('.g .st').textContent", &"1. 32-28".into());
    assert_eq!(browser.evaluate("window.isNew"), true);
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// At the start position too the FEN is that of the position.
#[test]
fn start_position_has_its_fen() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    let server = outlet.serve();
    let fen = "document.querySelector('#fen').dataset.fen.split(':')[0] + document.querySelector('#fen').hidden";
    browser.visit(&format!("http://{}/board/board-1?lang=en", server.address));
    browser.wait(&format!("{HAS_KEYS} && {fen}"), &"Bfalse".into());
    browser.evaluate("document.querySelector('#first').click()");
    browser.wait(fen, &"Wfalse".into());
}

/// The arbiter assigns a game to another pairing, to none, and back to the pairing with which it began.
#[test]
fn empty_pairing_restores_first_pairing() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let names = json!({"White": "Jansen", "Black": "Ba", "Event": "Open", "Round": "6", "Board": "1"});
    outlet.begin_paired_game("board-1", 2, names, Some(3));
    outlet.play("board-1", 1);
    let server = outlet.serve();
    let has_game = |outlet: &OutletFixture| {
        server.wait_for(outlet);
        server.get("/player/Open-1?lang=en").text().contains("/game/board-1-2")
    };
    assert!(has_game(&outlet));
    for (pairing, expected) in [("none", false), ("", true), ("4", false), ("", true)] {
        outlet
            .append_event("board-1", json!({"type": "tag-correction", "field": "pairing", "old": "", "new": pairing}));
        assert_eq!(has_game(&outlet), expected, "{pairing:?}");
    }
}

/// With a delay in plies corrections are published at their time, and the game's first line later.
#[test]
fn early_correction_waits_for_its_game() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    let correction = |game: u32, value: &str| json!({"board": "board-1", "game": game, "type": "tag-correction", "field": "White", "old": "", "new": value});
    outlet.append_line(correction(2, "Clerc"));
    outlet.append_line(
        json!({"board": "board-9", "game": 1, "type": "tag-correction", "field": "White", "old": "", "new": "Visser"}),
    );
    // Other lines of games that never begin push it out of no list.
    for n in 0..300 {
        outlet.append_line(json!({"board": "board-8", "game": 1, "type": "clock", "n": n}));
        outlet.append_line(
            json!({"board": "board-8", "game": 1, "type": "tag-correction", "field": "White", "old": "", "new": "X"}),
        );
    }
    // The players of a game are set twice, with all that is known of them, and the first of all is its pairing.
    outlet.append_line(
        json!({"board": "board-7", "game": 1, "type": "tag-correction", "field": "pairing", "old": "1", "new": "none"}),
    );
    for time in 1..=2 {
        for tag in 0..18 {
            let (field, new) = if tag == 17 {
                ("White".to_owned(), format!("Second {time}"))
            } else {
                (format!("Tag{tag}"), tag.to_string())
            };
            outlet.append_line(
                json!({"board": "board-7", "game": 1, "type": "tag-correction", "field": field, "old": "", "new": new}),
            );
        }
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    outlet.begin_paired_game("board-7", 1, json!({"White": "First", "Black": "Ba"}), Some(1));
    server.wait_for(&outlet);
    let page = server.get("/board/board-7?lang=en").text();
    assert!(page.contains("Second 2") && !page.contains("First"), "{page}");
    let page = server.get("/?lang=en").text();
    assert!(page.contains("Jansen") && !page.contains("Clerc") && !page.contains("Visser"), "{page}");
    outlet.begin_game("board-1", 2, json!({"White": "Smit", "Black": "Ba"}));
    outlet.play("board-1", 1);
    server.wait_for(&outlet);
    let page = server.get("/?lang=en").text();
    assert!(page.contains("Clerc") && !page.contains("Smit"), "{page}");
    // Also as a stored game, whose page is made from its lines.
    outlet.begin_game("board-1", 3, json!({"White": "Dam", "Black": "Ba"}));
    server.wait_for(&outlet);
    let page = server.get("/game/board-1-2?lang=en").text();
    assert!(page.contains("Clerc") && !page.contains("Smit") && page.contains("32-28"), "{page}");
}

/// Moves that fill the first of two gaps move the numbers behind the second one too.
#[test]
fn inserted_moves_move_numbers_behind_another_setup() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    let ply = |n: u32, number: u32, side: &str, text: &str, fen: &str| json!({"n": n, "type": "move", "number": number, "side": side, "move": text, "fen": fen});
    let gap = "B:W31-36,38-50:B1-13,15-18,20,23";
    for event in [
        ply(2, 1, "white", "32-28", "B:W28,31,33-50:B1-20"),
        json!({"n": 3, "type": "setup", "fen": gap}),
        ply(4, 2, "black", "10-14", "W:W31-36,38-50:B1-9,11-18,20,23"),
        json!({"n": 5, "type": "setup", "fen": "W:W31-50:B1-20"}),
        ply(6, 7, "white", "33-28", "B:W28,31,32,34-50:B1-20"),
        json!({"n": 7, "type": "moves-inserted", "after": 2, "until": 3, "moves": ["19-23", "28x19", "14x23", "37-32"]}),
    ] {
        outlet.append_event("board-1", event);
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    let pdn = server.get("/game/board-1-1.pdn").text();
    assert!(pdn.contains("37-32 10-14") && pdn.contains("8. 33-28"), "{pdn}");
}

/// The score sheet of a game that was ended by mistake does not stand in the middle of its continuation.
#[test]
fn continued_game_has_no_typed_moves() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 8, "type": "end"}));
    outlet.append_event(
        "board-1",
        json!({"type": "tag-correction", "field": "moves", "old": "", "new": "19-23 2. 28x19 14x23"}),
    );
    let server = outlet.serve();
    let pdn = |outlet: &OutletFixture, number: u32| {
        server.wait_for(outlet);
        server.get(&format!("/game/board-1-{number}.pdn")).text()
    };
    assert!(pdn(&outlet, 1).contains("19-23"));
    let again = json!({"board": "board-1", "game": 2, "n": 1, "type": "game", "continues": 1, "gametype": "20,W,10,10,N2,0", "tags": {}, "fen": "B:W28,31,33-50:B1-20"});
    outlet.append_line(again);
    let text = pdn(&outlet, 2);
    assert!(text.contains("32-28") && !text.contains("19-23"), "{text}");
}

/// Parts of two sections have different keys, also if the name of one has the end of another.
#[test]
fn sections_with_similar_names_have_own_rows() {
    let outlet = OutletFixture::new();
    let names = ["Groep", "Groep-1", "now-Groep", "teams-Groep"];
    outlet.write("tournament.json", &sections(&names, &Value::Null));
    let server = outlet.serve();
    for (path, key) in [("/players", "player-"), ("/standings", "row-players-")] {
        let page = server.get(path);
        let rows = page.text().matches(&format!("<tr data-part=\"{key}")).count();
        assert_eq!((page.status, rows), (200, 2 * names.len()), "{path}");
    }
}

/// Returns the text of the table of results of a page.
fn last_table(server: &Server, path: &str) -> String {
    server.get(path).text().rsplit("<tbody").next().unwrap().split("</tbody>").next().unwrap().to_owned()
}

/// The board number and the round of a game can be left from a trial before the tournament.
#[test]
fn game_of_other_players_is_not_that_of_pairing() {
    let mut outlet = OutletFixture::new();
    let tags = |white: &str| json!({"White": white, "Black": "Ba", "Round": "1", "Board": "1"});
    outlet.begin("board-1", tags("Someone"));
    outlet.append_event("board-1", json!({"n": 2, "type": "result", "result": "2-0"}));
    outlet.write("tournament.json", &sections(&["Open"], &Value::Null));
    let server = outlet.serve();
    let row = last_table(&server, "/embed/round/1");
    assert!(row.contains("Not started") && !row.contains("2–0") && !row.contains("/game/"), "{row}");
    // Without the id of its pairing, a game is found by its players.
    outlet.begin_game("board-1", 2, tags("Jansen"));
    outlet.append_event("board-1", json!({"n": 2, "type": "result", "result": "1-1"}));
    server.wait_for(&outlet);
    let row = last_table(&server, "/embed/round/1");
    assert!(row.contains("1–1") && row.contains("/game/board-1-2"), "{row}");
}

#[test]
fn adjourned_game_leaves_its_board_to_next_round() {
    let mut outlet = OutletFixture::new();
    outlet.write("games.pdn", "[GameType \"20\"]\n[Board \"1\"]\n[Result \"*\"]\n\n*\n");
    outlet.begin_paired_game("board-1", 1, json!({"White": "Jansen", "Black": "Ba"}), Some(1));
    outlet.play("board-1", 1);
    let mut document: Value = serde_json::from_str(&sections(&["Open"], &"adjourned".into())).unwrap();
    let section = &mut document["sections"][0];
    section["rounds"][0]["state"] = "closed".into();
    let next = json!({"id": 9, "table": 1, "board": "board-1", "white": 2, "black": 1});
    let round = json!({"round": 2, "state": "open", "byes": [], "matches": [], "pairings": [next]});
    section["rounds"].as_array_mut().unwrap().push(round);
    section["open_round"] = 2.into();
    outlet.write("tournament.json", &document.to_string());
    let server = outlet.serve();
    for path in ["/board/1", "/", "/?wall", "/overlay/board/1"] {
        let page = server.get(path).text();
        let main = page.split("<main").nth(1).unwrap();
        assert!(main.contains("Not started") && !main.contains("Adjourned"), "{path}: {main}");
    }
    // It continues before the next game.
    outlet.append_event("board-1", json!({"p": 1, "type": "state", "state": "playing"}));
    outlet.play("board-1", 2);
    server.wait_for(&outlet);
    assert!(server.get("/board/1").text().contains("data-board=\"board-1\" data-game=\"1\""));
}

/// Two sections play their first rounds on different days.
#[test]
fn round_of_other_section_is_not_counted() {
    let mut outlet = OutletFixture::new();
    for (board, id) in [("board-1", 1), ("board-2", 2)] {
        outlet.begin_paired_game(board, 1, json!({"White": "Jansen", "Black": "Ba", "Round": "1"}), Some(id));
        outlet.play(board, 1);
    }
    outlet.append_event("board-1", json!({"n": 3, "type": "result", "result": "2-0"}));
    let mut document: Value = serde_json::from_str(&sections(&["Open", "Youth"], &Value::Null)).unwrap();
    outlet.write("tournament.json", &document.to_string());
    let server = outlet.serve();
    assert_contains(&server.get("/").text(), &["1 game is being played · 1 is over"]);
    let open = &mut document["sections"][0];
    open["open_round"] = Value::Null;
    open["rounds"][0]["state"] = "closed".into();
    open["rounds"][0]["pairings"][0]["points"] = json!(["2", "0"]);
    outlet.write("tournament.json", &document.to_string());
    server.wait_for(&outlet);
    assert_contains(&server.get("/").text(), &["1 game is being played · 0 are over"]);
}

/// All rounds are published together; a board without a pairing in the open one has no players.
#[test]
fn free_board_has_no_players_of_later_round() {
    let outlet = OutletFixture::new();
    outlet.write("games.pdn", "[GameType \"20\"]\n[Board \"2\"]\n[Result \"*\"]\n\n*\n");
    let mut document: Value = serde_json::from_str(&sections(&["Open"], &Value::Null)).unwrap();
    let next = json!({"id": 9, "table": 2, "board": "board-2", "white": 2, "black": 1});
    let round = json!({"round": 2, "state": "published", "byes": [], "matches": [], "pairings": [next]});
    document["sections"][0]["rounds"].as_array_mut().unwrap().push(round);
    outlet.write("tournament.json", &document.to_string());
    let server = outlet.serve();
    let lower_third = |server: &Server| server.get("/overlay/lower-third/board-2").text();
    let page = lower_third(&server);
    assert!(page.contains("Not started") && !page.contains("Jansen"), "{page}");
    let section = &mut document["sections"][0];
    section["open_round"] = Value::Null;
    section["rounds"][0]["state"] = "closed".into();
    outlet.write("tournament.json", &document.to_string());
    server.wait_for(&outlet);
    assert!(lower_third(&server).contains("Jansen"));
}
