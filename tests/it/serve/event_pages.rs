//! The event on the pages: before, during and after its games.

use super::*;
use crate::program::assert_contains;

/// Writes a tournament of two rounds, the second of them in a state.
fn write(outlet: &OutletFixture, event: &Value, rounds: &[(&str, Option<[&str; 2]>)]) {
    let round = |((state, points), number): (&(&str, Option<[&str; 2]>), u32)| {
        let pairing = json!({"id": number, "table": 1, "white": 1, "black": 2, "match": 1, "points": points});
        json!({"round": number, "state": state, "byes": [], "matches": [{"id": 1, "home": 1, "away": 2}], "pairings": [pairing]})
    };
    let open = rounds.iter().position(|(state, _)| *state == "open").map(|at| at + 1);
    let rounds: Vec<Value> = rounds.iter().zip(1..).map(round).collect();
    let mut players =
        vec![json!({"id": 1, "name": "Jansen", "team": 1}), json!({"id": 2, "name": "Ba <i>", "team": 2})];
    players.extend((3..=12).map(|id| json!({"id": id, "name": format!("Player {id}.")})));
    let teams = json!([{"id": 1, "number": 1, "name": "Huissen"}, {"id": 2, "number": 2, "name": "Hijken"}]);
    let section = json!({"id": 1, "name": "main", "scoring": "2-1-0", "planned_rounds": 2, "open_round": open, "players": players, "teams": teams, "rounds": rounds});
    outlet.write("tournament.json", &json!({"event": event, "sections": [section]}).to_string());
}

fn facts(end: &str, report: &str) -> Value {
    json!({
        "name": "Open <b>", "site": "Huissen \"<i>\"", "start": "2001-07-10", "end": end, "organiser": "Club </main>", "format": "Swiss, 2 rounds",
        "stream": "https://example.org/live?a=b&c", "regulations": "javascript:alert(1)", "report": report,
        "schedule": [{"at": "2199-07-10T14:00:00+02:00", "name": "Round 1 <i>"}, {"at": "never", "name": "Party"}],
    })
}

#[track_caller]
fn assert_page(server: &Server, path: &str, has: &[&str], has_not: &[&str]) {
    let page = server.get(path).text();
    assert_contains(&page, has);
    for words in has_not {
        assert!(!page.contains(words), "{path} has {words}: {page}");
    }
}

#[test]
fn cover_shows_facts_before_first_game() {
    let outlet = OutletFixture::new();
    write(&outlet, &facts("2199-07-12", ""), &[("published", None)]);
    let server = outlet.serve();
    let shown = [
        "<h1><bdi>Open &lt;b&gt;</bdi>",
        "data-days=\"2001-07-10/2199-07-12\">2001-07-10 – 2199-07-12<",
        "<bdi>Huissen &quot;&lt;i&gt;&quot;</bdi>",
        "<dt>Organiser</dt><dd><bdi>Club &lt;/main&gt;</bdi>",
        "<time datetime=\"2199-07-10T12:00:00Z\" data-moment>2199-07-10 14:00 (UTC+2)</time>",
        "Round 1 &lt;i&gt;",
        "href=\"https://example.org/live?a=b&amp;c\" rel=\"noopener noreferrer\">Video stream<",
        "<a href=\"/event\"",
    ];
    for path in ["/", "/event"] {
        assert_page(&server, path, &shown, &["javascript:", "Party", "Regulations"]);
    }
    assert_page(&server, "/", &["Ba &lt;i&gt;", "Not started"], &["No game has started yet"]);
    assert_page(&server, "/?lang=ru", &["Расписание", "Организатор"], &[]);
    let two = OutletFixture::new();
    write(&two, &facts("2199-07-12", ""), &[("published", None), ("published", None)]);
    assert_page(&two.serve(), "/", &["<bdi>Round 1</bdi></a></h2>"], &["<bdi>Round 2</bdi></h2>"]);
    // Boards without players say nothing about a round that is not open yet.
    let empty = "[GameType \"20\"]\n[Board \"1\"]\n[Result \"*\"]\n\n*\n";
    let boards = OutletFixture::new();
    write(&boards, &facts("2199-07-12", ""), &[("published", None)]);
    boards.write("games.pdn", empty);
    assert_page(&boards.serve(), "/", &["Schedule", "Ba &lt;i&gt;"], &["href=\"/board/1\""]);
    boards.write("games.pdn", &empty.replace("[Board", "[White \"Clerc\"]\n[Board"));
    // There may be more pairings than boards.
    assert_page(&boards.serve(), "/", &["Schedule", "href=\"/board/1\"", "Clerc", "Ba &lt;i&gt;"], &[]);
    // Without facts the pages are those of a club evening.
    let plain = OutletFixture::new();
    write(&plain, &json!({"name": "Open"}), &[]);
    let server = plain.serve();
    assert_page(&server, "/", &["No game has started yet"], &["class=\"ev\"", "href=\"/event\""]);
    assert_eq!(server.get("/event").status, 404);
}

#[test]
fn first_page_tells_what_is_on_now() {
    let mut outlet = OutletFixture::new();
    let tags = json!({"White": "Jansen", "Black": "Ba <i>", "Round": "2", "Board": "1", "Event": "Evening"});
    outlet.begin("board-1", tags);
    outlet.play("board-1", 1);
    write(&outlet, &facts("2199-07-12", ""), &[("closed", Some(["2", "0"])), ("open", None)]);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let now = [
        "<a href=\"/round/2\"><bdi>Round 2</bdi></a> · 1 game is being played · 0 are over<span class=\"noprint\"> · <a href=\"/event\">Schedule</a>",
        "Huissen",
        "0–0",
    ];
    assert_page(&server, "/", &now, &["Final standings", "class=\"ev\"", "Evening"]);
    assert_page(&server, "/standings", &[], &["As it stands"]);
    // The result of the board is not official yet.
    outlet.append_event("board-1", json!({"n": 2, "type": "result", "result": "0-2"}));
    server.wait_for(&outlet);
    let teams = ["0 games are being played · 1 is over", "Score now</th>", "0–0</td><td class=\"nw sc\">0–2</td>"];
    assert_page(&server, "/", &teams, &["Final standings"]);
    let now = [
        "As it stands</h3><p>With 1 result that is not official yet",
        "<td class=\"pl1\">1</td><th scope=\"row\"><a class=\"pn\" href=\"/player/main-2\"><bdi>Ba &lt;i&gt;</bdi></a> <span class=\"by s\"><bdi>Hijken</bdi></span></th><td class=\"sc\">2</td><td>2</td>",
    ];
    assert_page(&server, "/standings", &now, &[]);
    write(&outlet, &facts("2199-07-12", ""), &[("closed", Some(["2", "0"])), ("open", Some(["0", "2"]))]);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    server.wait_for(&outlet);
    assert_page(&server, "/standings", &[], &["As it stands"]);
}

#[test]
fn results_lead_after_last_round() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba <i>", "Round": "2", "Board": "1"}));
    // A board that was not used has a game without players.
    outlet.write("games.pdn", "[GameType \"20\"]\n[Board \"2\"]\n[Result \"*\"]\n\n*\n");
    let both = |state| [("closed", Some(["2", "0"])), (state, Some(["0", "2"]))];
    let over = [
        "Final standings",
        "<a class=\"pn\" href=\"/player/main-10\"><bdi>Player 10.</bdi>",
        "href=\"/round/1\"",
        "href=\"/archive\"",
        "href=\"/games.pdn\"",
    ];
    let report = "It was <fun>.\n\nSee you.";
    for (case, end, state, report, has_result, is_over) in [
        ("a game goes on", "2001-07-12", "closed", report, false, false),
        ("all rounds are closed", "2199-07-12", "closed", report, true, true),
        ("a round is open", "2199-07-12", "open", "", true, false),
        ("a round is open after the last day", "2001-07-12", "open", "", true, true),
    ] {
        if has_result {
            outlet.append_event("board-1", json!({"n": 9, "type": "result", "result": "0-2"}));
        }
        write(&outlet, &facts(end, report), &both(state));
        let server = outlet.serve();
        server.wait_for(&outlet);
        println!("{case}");
        let (has, has_not): (&[&str], &[&str]) = if is_over {
            (&over, &["Player 11.", "class=\"ev\""])
        } else {
            (&["/board/board-1"], &["Final standings"])
        };
        assert_page(&server, "/", has, has_not);
        if is_over && !report.is_empty() {
            assert_page(&server, "/", &["<p dir=\"auto\">It was &lt;fun&gt;.</p><p dir=\"auto\">See you.</p>"], &[]);
        }
    }
}

#[test]
fn round_that_is_only_published_has_no_score() {
    let outlet = OutletFixture::new();
    write(&outlet, &json!({"name": "League", "site": "Huissen"}), &[("closed", Some(["2", "0"])), ("published", None)]);
    let server = outlet.serve();
    assert_page(&server, "/standings", &["<td class=\"nw sc\">2–0</td>"], &["0–0"]);
    assert_page(&server, "/round/2", &["<td class=\"nw sc\">–</td>"], &["0–0"]);
    // A place is no description of the event, but the head has it.
    assert_page(&server, "/", &["<p class=\"meta at\"><bdi>Huissen</bdi>"], &[]);
}

#[test]
fn published_pairings_are_shown_before_boards_play() {
    let outlet = OutletFixture::new();
    write(&outlet, &json!({"name": "Open"}), &[("published", None)]);
    assert_page(&outlet.serve(), "/", &["Ba &lt;i&gt;", "<bdi>Round 1</bdi>"], &["No game has started yet"]);
}

/// A recorder that is switched off after the last day never ends a game.
#[test]
fn unfinished_game_of_silent_recorder_ends_with_event() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba <i>", "Round": "2", "Board": "1"}));
    outlet.write("alive.json", "{}");
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let sign = fs::File::options().write(true).open(outlet.path("alive.json")).unwrap();
    sign.set_modified(hour_ago).unwrap();
    for (end, has, has_not) in
        [("2199-07-12", "/board/board-1", "<h2>Results"), ("2001-07-12", "<h2>Results", "/board/board-1")]
    {
        write(&outlet, &facts(end, ""), &[("closed", Some(["2", "0"])), ("open", None)]);
        assert_page(&outlet.serve(), "/", &[has], &[has_not]);
    }
}
