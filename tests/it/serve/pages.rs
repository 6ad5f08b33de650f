//! The content of the pages, and when they change.

use super::*;
use crate::program::assert_contains;

#[test]
fn every_page_is_complete_without_script() {
    let mut outlet = game();
    outlet.begin("board-2", json!({"White": "Wit", "Black": "Zwart", "Event": "Open", "Round": "5"}));
    outlet.write("games.pdn", "[White \"Jansen\"]\n1. 32-28 *\n");
    let section = json!({"name": "Open group", "players": [{"id": 7, "name": "Sijbrands"}]});
    outlet.write("tournament.json", &json!({"sections": [section]}).to_string());
    fs::create_dir_all(outlet.path("round/5")).unwrap();
    outlet.write("round/5/games.pdn", "five *\n");
    outlet.append_event(
        "board-2",
        json!({"n": 2, "type": "tag-correction", "field": "White", "old": "Wit", "new": "De Wit"}),
    );
    let server = outlet.serve();
    for (path, words) in [
        ("/", "Jansen|Ba|Zwart|2200|Open|Round 5|1. … 19-23|0:29:40|href=\"#w\"|/board/board-2"),
        ("/board/1", "Jansen|32-28|19-23|White to move|men 28, 31, 33|/game/board-1-1/1\"|data-names|>46</text>"),
        ("/board/board-1", "Jansen"),
        ("/game/board-1-1/1", "Black to move|men 28, 31"),
        ("/board/2", "Zwart|De Wit"),
        ("/game/board-1-1", "Jansen|19-23"),
        ("/embed/board/1", "Jansen|<svg"),
        ("/round/5", "Jansen|Zwart"),
        ("/standings", "Jansen|Provisional, 2 games|Open group|Sijbrands"),
        ("/archive", "No game is over yet|games.pdn"),
        ("/?wall", "Jansen|data-theme=\"dark\""),
        ("/?wall=light", "data-theme=\"light\""),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        let text = page.text();
        for word in words.split('|').chain(["<!DOCTYPE html>", "lang=\"en\"", "<noscript>"]) {
            assert!(text.contains(word), "{path} does not have {word}: {text}");
        }
        // The content security policy forbids both.
        assert!(!text.contains("style=") && !text.contains("<script>") && !text.contains(" onclick"), "{path}");
    }
    let position = server.get("/board/1?ply=1&lang=nl&hide=results");
    assert_eq!((position.status, position.header("location")), (303, Some("/game/board-1-1/1?lang=nl&hide=results")));
    let hidden = server.get("/board/1?hide=results").text();
    assert!(!hidden.contains("id=\"pdn\"") && server.get("/board/1").text().contains("id=\"pdn\""), "{hidden}");
    let paths = "/board/3 /board/nobody /round/6 /game/board-1-2 /game/board-1 /nothing /board/ /assets/x.js";
    for path in paths.split(' ') {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/games.pdn").text(), "[White \"Jansen\"]\n1. 32-28 *\n");
    assert_eq!(server.get("/started.pdn").status, 404);
    assert_eq!(server.get("/round/5/games.pdn").text(), "five *\n");
    for path in ["/round/5/started.pdn", "/round/5/standings.json", "/round/..%2f5/games.pdn", "/round/x/games.pdn"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert!(server.get("/game/board-1-1.pdn").text().ends_with("1. 32-28 19-23 *\n"));
    // The list of games has the game when it is over.
    outlet.append_event("board-1", json!({"n": 4, "type": "end"}));
    server.wait_for(&outlet);
    assert_contains(&server.get("/archive").text(), &["/game/board-1-1.pdn", "Jansen"]);
}

#[test]
fn pages_show_open_round_before_first_move() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba", "Event": "NK", "Round": "1", "Board": "1"}));
    outlet.play("board-1", 1);
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    outlet.write(
        "games.pdn",
        "[Event \"NK\"]\n[White \"Clerc\"]\n[GameType \"20\"]\n[Round \"2\"]\n[Board \"1\"]\n[Result \"*\"]\n\n*\n",
    );
    let players = json!([{"id": 1, "name": "Jansen"}, {"id": 2, "name": "Clerc"}, {"id": 3, "name": "Gantwarg <b>"}]);
    let round = |number: u32, byes: Value| json!({"round": number, "state": "published", "byes": byes, "matches": [], "pairings": [{"id": number, "table": 1, "white": 2, "black": 1}, {"id": 90 + number, "table": 2, "white": 1, "black": 3, "later": "postponed"}]});
    let rounds = [round(2, json!([])), round(3, json!([{"player": 3, "why": "bye", "points": "2"}]))];
    let section = json!({"id": 1, "name": "main", "players": players, "teams": [], "rounds": rounds});
    outlet.write("tournament.json", &json!({"event": {"name": "NK"}, "sections": [section]}).to_string());
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (path, words) in [
        ("/", "Round 2</bdi></span></h1>|Clerc|Not started"),
        ("/standings", "Round 2</bdi></span></h1>|Provisional, 1 result is missing"),
        ("/standings?lang=ru", "не хватает 1 результата"),
        ("/board/1", "Round 2</bdi></span></h1>|Clerc|Not started"),
        ("/embed/board/1", "Clerc|Not started"),
        ("/board/board-1", "Round 1</bdi></span></h1>|Jansen"),
        ("/round/2", "Not started|Postponed"),
        ("/round/2?lang=nl", "Uitgesteld"),
        ("/round/3", ">Round 3 · NK</title>|Round 3</bdi></span></h1>|Without opponent: |Gantwarg &lt;b&gt;"),
    ] {
        let page = server.get(path).text();
        for word in words.split('|') {
            assert!(page.contains(word), "{path} does not have {word}: {page}");
        }
    }
    assert!(!server.get("/standings").text().contains("still open"));
    // Before the first game the tournament file lists the pairings.
    let empty = OutletFixture::new();
    empty.write("tournament.json", &fs::read_to_string(outlet.path("tournament.json")).unwrap());
    let server = empty.serve();
    assert_contains(&server.get("/round/3").text(), &[">Round 3 · NK</title>"]);
}

#[test]
fn shows_unstarted_boards_and_empty_rounds() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (path, words) in [
        // Board 3 in its place, with its players, its board of 64 squares, and its state.
        (
            "/",
            "href=\"/board/3\"|Clerc, R.|Gantwarg|class=\"st\">Not started|data-w=\"8\"|\
             href=\"/round/5\"|href=\"/round/6\"",
        ),
        ("/board/3", "Clerc, R.|class=\"st\">Not started|http-equiv=\"refresh\""),
        (
            "/embed/board/3",
            "Clerc, R.|class=\"st\">Not started|http-equiv=\"refresh\"|<base target=\"_blank\">|href=\"/board/3\">To the full page",
        ),
        ("/round/5", "<h1><bdi>Open</bdi>|Clerc, R.|1–1|2–0|Huissen|3–1"),
        ("/round/6", "Jansen|Gantwarg|class=\"nw\">Not started"),
        // The cross table: the first won with White against the fourth.
        ("/standings", "<span>4<i class=\"dw\">|<b>2</b>|<span>1<i class=\"db\">|Huissen|3–1"),
        ("/?wall", "Clerc<span class=\"gn\">, R.</span>|class=\"st\">Not started"),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        for word in words.split('|') {
            assert!(page.text().contains(word), "{path} does not have {word}: {}", page.text());
        }
    }
    assert_eq!(["/board/4", "/embed/board/4", "/round/7"].map(|path| server.get(path).status), [404; 3]);
    // Other players are to play at the board.
    let before = server.get("/").header("etag").unwrap().to_owned();
    outlet.write("games.pdn", "[White \"Sijbrands\"]\n[Board \"3\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n");
    wait_until("the page of the new file", || {
        let page = server.get_with("/", &[("If-None-Match", &before)]);
        page.status == 200 && page.text().contains("Sijbrands") && !page.text().contains("Clerc")
    });
    // Players with equal rank are identified by row number; an unnamed section has no title.
    let text = fs::read_to_string(outlet.path("tournament.json")).unwrap();
    outlet.write("tournament.json", &text.replace("\"Open\"", "\"main\""));
    wait_until("the new ranks", || server.get("/standings").text().contains("№"));
    let page = server.get("/standings").text();
    let cells = ["№", ">4<i class=\"dw\">", ">3<i class=\"dw\">", ">2<i class=\"db\">", ">1<i class=\"db\">"];
    assert_contains(&page, &cells);
    assert!(!page.contains(">main<") && !server.get("/round/5").text().contains(">main"), "{page}");
    // Opening a round is sent to programs.
    server.wait_for(&outlet);
    let mut stream = server.watch("", Some(&format!("{GENERATION}.{}", outlet.seq.get())));
    assert_eq!(stream.next().kind, "hello");
    outlet.seq.set(outlet.seq.get() + 1);
    let event = json!({"seq": outlet.seq, "gen": GENERATION, "station": "hall", "at": "2026-11-21T09:31:02.120+01:00", "t": 1, "type": "round", "section": "Open", "round": 7, "state": "open"});
    OpenOptions::new()
        .append(true)
        .open(outlet.path("events.ndjson"))
        .unwrap()
        .write_all(format!("{event}\n").as_bytes())
        .unwrap();
    let next_event = stream.next();
    assert_eq!(
        (next_event.kind.as_str(), next_event.id),
        ("round", Some(format!("{GENERATION}.{}", outlet.seq.get())))
    );
    // The game begins: the card shows the live board.
    outlet.begin("board-3", json!({"White": "Sijbrands", "Black": "Wiersma", "Round": "6", "Board": "3"}));
    outlet.write("games.pdn", "[White \"Sijbrands\"]\n[Board \"3\"]\n[Result \"*\"]\n\n1. 32-28 *\n");
    wait_until("the game", || {
        let page = server.get("/board/3").text();
        page.contains("Wiersma") && !page.contains("class=\"st\">Not started")
    });
}

#[test]
fn pages_use_language_of_reader() {
    let mut outlet = game();
    outlet.append_event("board-1", json!({"n": 4, "type": "end"}));
    outlet.append_event("board-1", json!({"n": 5, "type": "result", "result": "1-1"}));
    let server = outlet.serve();
    for (asked, code, words) in [
        ("nl-NL,en;q=0.5", "nl", "Afgelopen na 1 zet"),
        ("fr", "fr", "Terminée après 1 coup"),
        ("ru", "ru", "Окончена после 1 хода"),
        ("de", "en", "Over after 1 move"),
    ] {
        let page = server.get_with("/", &[("Accept-Language", asked)]).text();
        assert!(page.contains(&format!("lang=\"{code}\"")) && page.contains(words), "{asked}: {page}");
    }
    let page = server.get_with("/board/1?lang=ru", &[("Accept-Language", "nl")]).text();
    assert_contains(&page, &["lang=\"ru\"", "/standings?lang=ru"]);
}

#[test]
fn first_view_is_small_and_needs_three_requests() {
    let mut outlet = OutletFixture::new();
    for board in 1..=16 {
        let name = format!("board-{board}");
        outlet
            .begin(&name, json!({"White": format!("Player number {board}"), "Black": "Another one", "Event": "Open"}));
        (1..=4).for_each(|ply| outlet.play(&name, ply));
    }
    let server = outlet.serve();
    let gzip = [("Accept-Encoding", "gzip, br")];
    let page = server.get("/").text();
    let parts: Vec<&str> = page.split('"').collect();
    let linked: Vec<&str> = parts.iter().copied().filter(|part| part.starts_with("/assets/")).collect();
    // The script asks for another one after the first view; its bytes count all the same.
    let later = parts.windows(2).filter(|pair| pair[0].ends_with("data-more=") && pair[1].starts_with("/assets/more-"));
    assert_eq!((linked.len(), later.count()), (3, 1), "{linked:?}");
    let mut bytes = 0;
    for path in ["/"].iter().chain(&linked) {
        let answer = server.get_with(path, &gzip);
        assert_eq!(answer.header("content-encoding"), Some("gzip"));
        bytes += answer.headers.len() + answer.body.len();
    }
    assert!(bytes <= 30_000, "{bytes} bytes");
    for path in linked {
        assert!(server.get(path).header("cache-control").unwrap().contains("immutable"));
    }
}

#[test]
fn only_reachable_wall_shows_qr_code() {
    let outlet = game();
    let server = outlet.serve_with("hosts = [\"live.example.org\"]\n");
    for (host, has_code) in [
        ("localhost:8080", false),
        ("LOCALHOST.", false),
        ("127.0.0.1:8080", false),
        ("[::1]:8080", false),
        ("0.0.0.0:8080", false),
        ("192.168.1.7:8080", true),
        ("live.example.org", true),
    ] {
        let wall = server.get_with("/?wall", &[("Host", host)]);
        assert_eq!((wall.status, wall.text().contains("class=\"qr\"")), (200, has_code), "{host}");
    }
}

#[test]
fn archive_follows_rounds_and_boards() {
    let mut outlet = OutletFixture::new();
    for (round, board, game) in
        [("2", "board-10", 1), ("10", "board-1", 1), ("2", "board-2", 1), ("2", "board-1", 2), ("2", "board-1", 10)]
    {
        outlet.begin_paired_game(board, game, json!({"Round": round}), None);
        outlet.play(board, 1);
        outlet.append_event(board, json!({"n": 3, "type": "end"}));
    }
    let page = outlet.serve().get("/archive").text();
    let names = ["board-1-2", "board-1-10", "board-2-1", "board-10-1", "board-1-1"];
    let places = names.map(|name| page.find(&format!("/game/{name}.pdn")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn answer_is_cacheable_until_next_event() {
    let mut outlet = game();
    outlet.write("games.pdn", "one\n");
    let server = outlet.serve();
    for path in ["/", "/board/1", "/games.pdn", "/round/5"] {
        let etag = server.get(path).header("etag").unwrap().to_owned();
        assert_eq!(server.get(path), server.get(path), "{path}");
        for known in [&etag, "\"other\", W/\"x\"", "*"] {
            let status = if known.contains("other") { 200 } else { 304 };
            assert_eq!(server.get_with(path, &[("If-None-Match", known)]).status, status, "{path}: {known}");
        }
    }
    let page = server.get("/").header("etag").unwrap().to_owned();
    let file = server.get("/games.pdn").header("etag").unwrap().to_owned();
    outlet.play("board-1", 3);
    server.wait_for(&outlet);
    assert_eq!(server.get_with("/", &[("If-None-Match", &page)]).status, 200);
    // The file is unchanged, and so is its tag. Then it changes without an event.
    assert_eq!(server.get_with("/games.pdn", &[("If-None-Match", &file)]).status, 304);
    outlet.write("games.pdn", "two\n");
    let answer = server.get_with("/games.pdn", &[("If-None-Match", &file)]);
    assert_eq!((answer.status, answer.text()), (200, "two\n".into()));
}

/// Pages contain no event that a delayed outlet has not published: two stations that differ only in delayed events write equal outlets, and
/// their pages are equal.
#[test]
fn serves_only_published_events() {
    let answers = |later: bool| {
        let outlet = game();
        outlet.write("games.pdn", "[White \"Jansen\"]\n1. 32-28 19-23 *\n");
        // Recorded events that are not due yet are outside the outlet.
        if later {
            fs::create_dir_all(outlet.path("../live")).unwrap();
            fs::write(outlet.path("../live/board-1-1.pdn"), "1. 32-28 19-23 2. 28x19\n").unwrap();
            fs::write(outlet.path("../events.ndjson"), "{}\n").unwrap();
        }
        let modified = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        fs::File::options().append(true).open(outlet.path("events.ndjson")).unwrap().set_modified(modified).unwrap();
        let server = outlet.serve();
        let paths = "/ /board/1 /standings /archive /?wall /embed/board/1 /games.pdn /events /events.ndjson /started.pdn \
            /nothing /../live/board-1-1.pdn /archive/..%2f..%2flive%2fboard-1-1.pdn";
        let strip = |answer: HttpAnswer| {
            let head = answer.headers.lines().filter(|line| !line.to_lowercase().starts_with("date:"));
            let text = String::from_utf8_lossy(&answer.body).replace(&server.address, "HERE");
            let head: Vec<_> =
                head.filter(|line| !line.to_lowercase().starts_with("content-length")).map(str::to_owned).collect();
            (head, text)
        };
        paths.split(' ').map(|path| (path, strip(server.get(path)))).collect::<Vec<_>>()
    };
    assert_eq!(answers(false), answers(true));
}

#[test]
fn names_are_always_shown_as_text() {
    let mut outlet = OutletFixture::new();
    let hostile = [
        "<script>alert(1)</script>",
        "\"]}'><img src=x onerror=alert(1)>",
        "\u{202e}txet",
        "&amp;<b>",
        "{{7*7}}",
        "javascript:alert(1)",
    ];
    for (name, index) in hostile.iter().zip(1..) {
        let board = format!("b-{index}");
        outlet.begin(&board, json!({"White": name, "Black": "x".repeat(10_000), "Event": name, "Round": name, "WhiteTitle": name, "Site": name}));
        outlet.play(&board, 1);
    }
    outlet.begin("a<b>\"'/..", json!({"White": "odd board"}));
    outlet.append_event("b-1", json!({"p": 1, "type": "provisional", "moves": ["<script>alert(2)</script>"]}));
    outlet.append_event(
        "b-1",
        json!({"n": 3, "type": "move", "ply": 2, "number": 1, "side": "black", "move": "<img src=x>", "fen": "<fen>"}),
    );
    outlet.append_event("b-2", json!({"n": 3, "type": "result", "result": "<i>-\""}));
    let server = outlet.serve();
    let paths =
        "/ /board/b-1 /board/b-2 /board/1 /standings /archive /?wall /embed/board/b-2 /board/a%3Cb%3E%22%27%2F..";
    for path in paths.split(' ') {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let text = answer.text();
        for tag in ["<script>", "<img", "<b>", "<i>", "<fen>", "\"javascript:"] {
            // The number of a board is in <b>.
            let found = text.replace("<b>1</b>", "").matches(tag).count();
            assert!(found == 0 || tag == "<b>" && !text.contains("&amp;<b>"), "{path}: {tag}");
        }
        assert!(!text.contains(&"x".repeat(200)), "{path}");
    }
    // The name is data in the stream, on one line.
    let mut stream = server.watch("", None);
    stream.next();
    assert_eq!(stream.next().data["boards"].as_array().unwrap().len(), 7);
}

#[test]
fn waiting_board_is_not_over_on_any_page() {
    let mut outlet = OutletFixture::new();
    let before = json!({"White": "Ba", "Black": "Jansen", "Round": "5", "Board": "3"});
    outlet.begin_game("board-3", 1, before);
    outlet.play("board-3", 1);
    outlet.append_event("board-3", json!({"n": 3, "type": "end"}));
    outlet.append_event("board-3", json!({"n": 4, "type": "result", "result": "2-0"}));
    tournament(&mut outlet);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let grid = server.get("/?lang=en").text();
    assert_contains(&grid, &["2 games are being played · 0 are over"]);
    for page in [grid, server.get("/round/6?lang=en").text()] {
        let strip = page.split("class=\"men\"").nth(1).and_then(|rest| rest.split("</nav>").next()).unwrap();
        assert_contains(strip, &["class=\"s-wait\" href=\"/board/3?lang=en\"", "<b>3</b>", "Not started"]);
        assert!(!strip.contains("s-over"), "{strip}");
        assert_contains(&page, &["class=\"g s-wait\"", "Clerc, R."]);
    }
    assert_contains(&server.get("/?wall&lang=en").text(), &["2 games are being played · 0 are over"]);
}

#[test]
fn entry_of_game_has_one_spelling() {
    let outlet = game();
    let server = outlet.serve();
    for wrong in ["/game/board-1-1/+0", "/game/board-1-1/00", "/nowhere", "/nowhere/else"] {
        assert_eq!(server.get(wrong).status, 404, "{wrong}");
    }
}
