//! All pages show the same official results, byes and forfeits. Views of an outlet with other content have other ids.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::browser::{Browser, LIVE};
use crate::serve::{OutletFixture, Server};

/// Writes a section of twelve players with two rounds. The first is closed, and has a bye, a half bye and an absence. The second is open, and has
/// an official result, a forfeit, an adjourned game, a running game, and a game that has not begun.
fn write_tournament(outlet: &OutletFixture) {
    let players: Vec<Value> =
        "ABCDEFGHIJKL".chars().zip(1..).map(|(name, id)| json!({"id": id, "name": name})).collect();
    let pairing = |id: u64, white: Option<u64>, black: Option<u64>, more: Value| {
        let mut pairing = json!({"id": id, "table": id % 10, "white": white, "black": black});
        more.as_object().unwrap().iter().for_each(|(name, value)| pairing[name] = value.clone());
        pairing
    };
    let first = json!({"round": 1, "state": "closed", "matches": [], "pairings": [
        pairing(1, Some(1), Some(2), json!({"points": ["2", "0"], "reason": "played"})),
        pairing(2, Some(3), None, json!({"points": ["2", "0"], "reason": "bye"}))],
        "byes": [{"player": 4, "why": "half bye", "points": "1"}, {"player": 5, "why": "absent", "points": "0"}]});
    let second = json!({"round": 2, "state": "open", "matches": [], "byes": [], "pairings": [
        pairing(11, Some(2), Some(1), json!({"points": ["0", "2"], "reason": "played"})),
        pairing(12, Some(3), Some(4), json!({"points": ["0", "2"], "reason": "forfeit"})),
        pairing(13, Some(5), Some(6), json!({"later": "adjourned"})),
        pairing(14, Some(7), Some(8), json!({"later": "postponed"})),
        pairing(15, Some(9), Some(10), json!({}))]});
    let section = json!({"id": 1, "name": "Open", "open_round": 2, "tie_breaks": ["solkoff", "wins"], "players": players, "teams": [],
        "rounds": [first, second]});
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section]}).to_string());
}

/// Returns an outlet of this tournament, whose boards have moves and other results than the official ones.
fn outlet() -> OutletFixture {
    let mut outlet = OutletFixture::new();
    for board in [1, 3, 4] {
        let name = format!("board-{board}");
        let tags = json!({"Round": "2", "Board": board.to_string(), "White": "x", "Black": "y"});
        outlet.begin_paired_game(&name, 1, tags, Some(10 + board));
        outlet.play(&name, 1);
    }
    outlet.append_event("board-1", json!({"n": 3, "type": "result", "result": "1-1"}));
    // The third game was interrupted after its move.
    write_tournament(&outlet);
    outlet
}

/// Changes the official result of a table in the second round.
fn set_official_result(outlet: &OutletFixture, table: usize, points: [&str; 2], reason: &str) {
    let text = std::fs::read_to_string(outlet.path("tournament.json")).unwrap();
    let mut tournament: Value = serde_json::from_str(&text).unwrap();
    let pairing = &mut tournament["sections"][0]["rounds"][1]["pairings"][table - 1];
    (pairing["points"], pairing["reason"]) = (json!(points), json!(reason));
    outlet.write("tournament.json", &tournament.to_string());
}

/// Returns the rows of all tables of a page, each as the texts of its cells.
fn rows(server: &Server, path: &str) -> Vec<String> {
    let html = server.get(path).text();
    html.split("<tr").skip(1).map(|row| text(row.split_once('>').unwrap().1.split("</tr>").next().unwrap())).collect()
}

fn text(html: &str) -> String {
    let words = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    words.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn all_pages_tell_official_results() {
    let outlet = outlet();
    let server = outlet.serve();
    let expected = ["1 B A 0–2", "2 C D 0–2 (forfeit)", "3 E F Adjourned", "4 G H 1. 32-28", "5 I J Not started"];
    for path in ["/standings", "/standings/Open", "/round/2", "/embed/round/2"] {
        let rows = rows(&server, path);
        for row in expected {
            assert_eq!(rows.iter().filter(|found| *found == row).count(), 1, "{path}: {row}: {rows:?}");
        }
    }
    let archive = rows(&server, "/archive");
    assert!(
        archive.iter().any(|row| row.contains("0–2")) && !archive.iter().any(|row| row.contains("1–1")),
        "{archive:?}"
    );
    // The games of pairings 13, 14, which was postponed and is played after all, and 15.
    assert!(text(&server.get("/standings").text()).contains("Provisional, 3 games are still open"));
}

#[test]
fn points_of_byes_and_forfeits_are_seen() {
    let outlet = outlet();
    let server = outlet.serve();
    let standings = rows(&server, "/standings");
    let row =
        |start: &str| standings.iter().find(|row| row.starts_with(start)).unwrap_or_else(|| panic!("{standings:?}"));
    // Number of the row, rank, name, points, games, two tie-breaks, and the rounds.
    assert_eq!(row("3 3 C"), "3 3 C 2 0 3 1 bye 2 2 White 0 f");
    assert_eq!(row("2 2 D"), "2 2 D 3 0 2 1 bye 1 3 Black 2 f");
    assert_eq!(row("5 5 E"), "5 5 E 0 0 0 0 – 6 White ·");
    let of_round = rows(&server, "/round/1");
    assert!(of_round.contains(&"2 C – bye 2".to_owned()), "{of_round:?}");
    let of_player = rows(&server, "/player/Open-4");
    assert!(of_player.contains(&"1 bye 1".to_owned()), "{of_player:?}");
    assert!(of_player.contains(&"2 Black C 2 (forfeit)".to_owned()), "{of_player:?}");
    for path in ["/standings", "/round/1", "/round/2", "/player/Open-4"] {
        let hidden = rows(&server, &format!("{path}?hide=results")).join("\n");
        assert!(
            !hidden.contains("forfeit") && !hidden.contains("bye 2") && !hidden.contains(" 8 0 "),
            "{path}: {hidden}"
        );
    }
}

#[test]
fn open_archive_follows_official_results() {
    let Some(mut browser) = Browser::open() else { return };
    let outlet = outlet();
    let server = outlet.serve();
    browser.visit(&format!("http://{}/archive", server.address));
    browser.wait(&format!("document.readyState === 'complete' && {LIVE}"), &"Live".into());
    let result = "document.querySelector('tbody .nw').textContent";
    assert_eq!(browser.evaluate(result), "0–2");
    set_official_result(&outlet, 1, ["2", "0"], "forfeit");
    browser.wait(result, &"2–0 (forfeit)".into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// The list follows from the events, whatever the folder has.
#[test]
fn archive_lists_games_that_are_over() {
    let mut outlet = outlet();
    outlet.append_event("board-3", json!({"n": 3, "type": "end"}));
    outlet.begin_paired_game("board-3", 2, json!({}), None);
    outlet.append_event("board-3", json!({"n": 4, "type": "end"}));
    outlet.write("archive/board-9-1.pdn", "*\n");
    let server = outlet.serve();
    let page = server.get("/archive").text();
    let files = |board: usize, game: usize| page.matches(&format!("\"/game/board-{board}-{game}.pdn\"")).count();
    // The second game of board 3 has no move, and that of board 4 goes on.
    let listed = [(1, 1), (3, 1), (3, 2), (4, 1), (9, 1)].map(|(board, game)| files(board, game));
    assert_eq!(listed, [1, 1, 0, 0, 0], "{page}");
}

#[test]
fn replayed_pairing_shows_its_last_game() {
    let mut outlet = outlet();
    outlet.append_event("board-4", json!({"n": 3, "type": "result", "result": "1-1"}));
    let tags = json!({"Round": "2", "Board": "4", "White": "x", "Black": "y"});
    outlet.begin_paired_game("board-4", 2, tags, Some(14));
    outlet.play("board-4", 1);
    let server = outlet.serve();
    let round = server.get("/round/2").text();
    assert!(rows(&server, "/round/2").contains(&"4 G H 1. 32-28".to_owned()), "{round}");
    let table = round.rsplit("<tbody>").next().unwrap();
    assert!(table.contains("href=\"/game/board-4-2\"") && !table.contains("href=\"/game/board-4-1\""), "{table}");
    // The other game has its own result, also when the pairing has another one.
    set_official_result(&outlet, 4, ["0", "2"], "played");
    let server = outlet.serve();
    let archive = rows(&server, "/archive");
    assert!(archive.iter().any(|row| row.starts_with("4 ") && row.contains("1–1")), "{archive:?}");
}

/// A game that counts for nothing is not the game of its pairing, which waits for another.
#[test]
fn pairing_that_is_replayed_has_no_game() {
    let mut outlet = outlet();
    let replayed = json!({"type": "tag-correction", "field": "Replayed", "old": "", "new": "yes"});
    outlet.append_event("board-4", replayed);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let of_round = rows(&server, "/round/2");
    assert!(of_round.contains(&"4 G H Postponed".to_owned()), "{of_round:?}");
}

/// The result was entered by the pairing, and the board never ended the game.
#[test]
fn settled_game_does_not_hide_next_round() {
    let mut outlet = OutletFixture::new();
    let tags = |round: &str| json!({"Round": round, "Board": "1", "White": "A", "Black": "B"});
    outlet.begin_paired_game("board-1", 1, tags("1"), Some(1));
    outlet.play("board-1", 1);
    outlet.append_line(json!({"b": 1, "type": "boards", "list": [{"board": "board-1", "gametype": "20", "tags": {}}]}));
    let round = |number: u64, state: &str, points: Option<[&str; 2]>| {
        let pairing = json!({"id": number, "table": 1, "board": "board-1", "white": 1, "black": 2, "points": points, "reason": "forfeit"});
        json!({"round": number, "state": state, "byes": [], "matches": [], "pairings": [pairing]})
    };
    let players = json!([{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]);
    let rounds = [round(1, "closed", Some(["2", "0"])), round(2, "open", None)];
    let section = json!({"id": 1, "name": "Open", "players": players, "teams": [], "open_round": 2, "rounds": rounds});
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section]}).to_string());
    let server = outlet.serve();
    server.wait_for(&outlet);
    let page = server.get("/").text();
    assert!(page.contains("0 games are being played") && page.contains("Not started"), "{page}");
    assert!(!page.contains("data-board=\"board-1\""), "{page}");
    // The event is over although the board never ended its game.
    let mut section =
        json!({"id": 1, "name": "Open", "players": players, "teams": [], "planned_rounds": 1, "rounds": [rounds[0]]});
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section]}).to_string());
    server.wait_for(&outlet);
    let page = server.get("/").text();
    assert!(page.contains("Final standings"), "{page}");
    // Only the first day of an event is known: it goes on while a round is open or planned, whatever the day.
    for (planned, state, is_over) in [(2, "closed", false), (1, "open", false), (1, "closed", true)] {
        section["planned_rounds"] = planned.into();
        section["rounds"][0] = round(1, state, Some(["2", "0"]));
        section["open_round"] = (state == "open").then_some(1).into();
        outlet.write("tournament.json", &json!({"event": {"start": "2001-07-10"}, "sections": [section]}).to_string());
        server.wait_for(&outlet);
        let page = server.get("/").text();
        assert_eq!(page.contains("Final standings"), is_over, "{planned} {state}: {page}");
    }
}

/// The arbiter enters a result while the game stands on its board, whose clock still runs.
#[test]
fn official_result_ends_game_that_its_board_has_not_ended() {
    let mut outlet = outlet();
    let server = outlet.serve();
    server.wait_for(&outlet);
    let states = || {
        ["/board/4", "/overlay/board/4", "/embed/board/4", "/?wall"]
            .map(|path| server.get(path).text().contains("s-over"))
    };
    assert_eq!(states(), [false, false, false, true], "only the first board is over");
    assert!(server.get("/").text().contains("1 game is being played"));
    set_official_result(&outlet, 4, ["2", "0"], "played");
    server.wait_for(&outlet);
    assert_eq!(states(), [true; 4]);
    let page = server.get("/board/4").text();
    assert!(
        page.contains("Over after 1 move") && page.contains("data-result=\"2-0\"") && !page.contains("ck run"),
        "{page}"
    );
    assert!(server.get("/").text().contains("0 games are being played"));
    assert!(rows(&server, "/archive").iter().any(|row| row.starts_with("4 ") && row.contains("2–0")));
    let hidden = server.get("/board/4?hide=results").text();
    assert!(hidden.contains("Over") && !hidden.contains("2-0") && !hidden.contains(">2</span>"), "{hidden}");
    // Another result, and none again: the game goes on.
    set_official_result(&outlet, 4, ["1", "1"], "played");
    server.wait_for(&outlet);
    assert!(server.get("/board/4").text().contains("data-result=\"1-1\""));
    write_tournament(&outlet);
    server.wait_for(&outlet);
    assert_eq!(states(), [false, false, false, true]);
    // Nothing is heard of the board; later it ends its game without a result, and plays the next one.
    set_official_result(&outlet, 4, ["2", "0"], "played");
    for event in [json!({"p": 1, "type": "state", "state": "no-connection"}), json!({"n": 3, "type": "end"})] {
        outlet.append_event("board-4", event);
        server.wait_for(&outlet);
        let page = server.get("/board/4").text();
        assert!(page.contains("data-result=\"2-0\"") && !page.contains("data-silent-since"), "{page}");
    }
    outlet.begin_game("board-4", 2, json!({"White": "x", "Black": "y"}));
    server.wait_for(&outlet);
    let page = server.get("/game/board-4-1").text();
    assert!(page.contains("data-result=\"2-0\"") && page.contains("s-over"), "{page}");
}

/// A game was interrupted on one board, which never ended it, and was played to its end on another.
#[test]
fn official_result_ends_all_games_of_its_pairing() {
    let mut outlet = outlet();
    let tags = json!({"Round": "2", "Board": "9", "White": "x", "Black": "y"});
    outlet.begin_paired_game("board-9", 1, tags, Some(14));
    outlet.play("board-9", 1);
    set_official_result(&outlet, 4, ["2", "0"], "played");
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (board, result) in [("board-4", "data-word=\"ended\""), ("board-9", "data-result=\"2-0\"")] {
        let page = server.get(&format!("/game/{board}-1")).text();
        assert!(
            page.contains(result) && page.contains("Over after 1 move") && !page.contains("ck run"),
            "{board}: {page}"
        );
    }
    assert!(server.get("/").text().contains("0 games are being played"));
}

/// A game without a move that was ended counts for nothing: no page lists it, and its round does not exist.
#[test]
fn void_game_makes_no_round_and_no_row() {
    let mut outlet = outlet();
    outlet.begin("board-9", json!({"Round": "7", "Board": "9", "White": "Void", "Black": "Void"}));
    outlet.append_event("board-9", json!({"n": 2, "type": "end"}));
    outlet.begin_game("board-9", 2, json!({"Round": "2", "Board": "9", "White": "M", "Black": "N"}));
    let server = outlet.serve();
    server.wait_for(&outlet);
    let page = server.get("/standings").text();
    assert!(!page.contains("/round/7") && !page.contains("Void"), "{page}");
    assert!(page.contains("board-9-2"), "{page}");
}

/// A team leaves a board empty: that is no bye.
#[test]
fn board_left_empty_is_forfeit() {
    let outlet = outlet();
    let text = std::fs::read_to_string(outlet.path("tournament.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    let pairing = json!({"id": 77, "table": 9, "white": 1, "points": ["2", "0"], "reason": "forfeit"});
    document["sections"][0]["rounds"][0]["pairings"].as_array_mut().unwrap().push(pairing);
    outlet.write("tournament.json", &document.to_string());
    let server = outlet.serve();
    let of_round = rows(&server, "/round/1");
    assert!(of_round.contains(&"9 A – 2–0 (forfeit)".to_owned()), "{of_round:?}");
}

#[test]
fn postponed_game_hides_no_game_of_open_round() {
    let mut outlet = outlet();
    let board = |name: &str, white: &str, black: &str| json!({"board": name, "gametype": "20", "tags": {"Board": "4", "Round": "1", "White": white, "Black": black}});
    let list = [board("spare-1", "Postponed", "Adjourned"), board("spare-2", "Third", "Fourth")];
    outlet.append_line(json!({"b": 1, "type": "boards", "list": list}));
    let server = outlet.serve();
    let page = server.get("/").text();
    assert!(page.contains("data-board=\"board-4\""), "{page}");
    for player in ["Postponed", "Third"] {
        assert_eq!(page.matches(&format!("White: </span><bdi>{player}</bdi>")).count(), 1, "{player}: {page}");
    }
    assert!(server.get("/board/4").text().contains("data-board=\"board-4\""));
}

#[test]
fn moves_stand_in_pairs_of_side_that_begins() {
    let mut outlet = OutletFixture::new();
    let fen = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    outlet
        .append_event("board-1", json!({"n": 1, "type": "game", "gametype": "21,B,8,8,N1,0", "tags": {}, "fen": fen}));
    for (ply, side, text) in [(1, "black", "9-13"), (2, "white", "22-17"), (3, "black", "13x22")] {
        let number = (ply + 1) / 2;
        outlet.append_event(
            "board-1",
            json!({"n": ply + 1, "type": "move", "ply": ply, "number": number, "side": side, "move": text, "fen": fen}),
        );
    }
    let server = outlet.serve();
    let rows = rows(&server, "/board/board-1");
    assert_eq!(rows, ["Move Black White", "1 9-13 22-17", "2 13×22"]);
    let page = server.get("/board/board-1").text();
    assert!(page.contains("data-said=\"2. 13×22\"") && page.contains("data-said=\"1. … 22-17\""), "{page}");
}

/// The pairing is published, and its board has no names yet.
#[test]
fn board_has_names_of_published_pairing() {
    let outlet = OutletFixture::new();
    write_tournament(&outlet);
    let text_of = |name: &str| std::fs::read_to_string(outlet.path(name)).unwrap();
    let published = text_of("tournament.json").replace("\"open\"", "\"published\"").replace("\"open_round\":2,", "");
    outlet.write("tournament.json", &published.replace("\"table\":4", "\"board\":\"board-4\",\"table\":4"));
    outlet.write("games.pdn", "[Board \"4\"]\n[Result \"*\"]\n\n*\n");
    let server = outlet.serve();
    for path in ["/board/4", "/embed/board/4", "/overlay/board/4", "/overlay/lower-third/4"] {
        let page = text(&server.get(path).text());
        assert!(page.contains("White: G") && page.contains("Black: H"), "{path}: {page}");
    }
}

fn view_id(server: &Server) -> String {
    let page = server.get("/").text();
    page.split_once("data-id=\"").unwrap().1.split('"').next().unwrap().to_owned()
}

/// A page asks for the changes since its view. Another view with the same numbers would give it none.
#[test]
fn views_of_other_content_have_other_ids() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({}));
    outlet.play("board-1", 1);
    let before = view_id(&outlet.serve());
    assert_eq!(before, view_id(&outlet.serve()));
    // A copy of the folder was restored, and another move was played.
    outlet.write("events.ndjson", &outlet.events().replace("32-28", "33-28"));
    assert_ne!(before, view_id(&outlet.serve()));
    // After the last day the first page depends on whether the recorder lives.
    outlet.write("tournament.json", r#"{"event":{"start":"2020-01-01","end":"2020-01-02"},"sections":[]}"#);
    outlet.write("alive.json", "{\"at\":0}\n");
    let living = view_id(&outlet.serve());
    let file = std::fs::File::options().append(true).open(outlet.path("alive.json")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert_ne!(living, view_id(&outlet.serve()));
}
