//! `damcast serve`: the pages of an outlet, with real processes over real sockets. Input is hostile; output contains the events of the
//! outlet and nothing else.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{damcast, run};
use crate::pty::wait_until;

/// Maximum time that a test waits; every expected event takes less.
const TIMEOUT: Duration = Duration::from_secs(20);
pub const GENERATION: &str = "8f3c2a9be01d44c7";
const START: &str = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";

/// An outlet that a test writes.
pub struct OutletFixture {
    folder: tempfile::TempDir,
    generation: String,
    seq: u64,
}

impl OutletFixture {
    pub fn new() -> OutletFixture {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("public/archive")).unwrap();
        OutletFixture { folder, generation: GENERATION.to_owned(), seq: 0 }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("public").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Appends an event.
    pub fn append_event(&mut self, board: &str, more: Value) {
        self.seq += 1;
        let mut event = json!({"seq": self.seq, "gen": self.generation, "station": "hall", "at": "2026-11-21T09:31:02.120+01:00",
            "board": board, "game": 1});
        more.as_object().unwrap().iter().for_each(|(name, value)| event[name] = value.clone());
        let mut file = OpenOptions::new().append(true).create(true).open(self.path("events.ndjson")).unwrap();
        file.write_all(format!("{event}\n").as_bytes()).unwrap();
    }

    pub fn begin(&mut self, board: &str, tags: Value) {
        self.append_event(
            board,
            json!({"n": 1, "type": "game", "gametype": "20,W,10,10,N2,0", "tags": tags, "fen": START}),
        );
    }

    /// Appends a move of the game 1. 32-28 19-23 2. 28x19 14x23.
    pub fn play(&mut self, board: &str, ply: usize) {
        let plies = [("white", "32-28"), ("black", "19-23"), ("white", "28x19"), ("black", "14x23")];
        let variant = draughts::Variant::international();
        let mut position = draughts::Position::start(variant);
        for (_, text) in &plies[..ply] {
            position = position.play(&draughts_pdn::notation::read(&position, text).unwrap());
        }
        let fen = draughts_pdn::fen::write(variant, &position.setup());
        let (side, text) = plies[ply - 1];
        let running = if side == "white" { "black" } else { "white" };
        let clock = json!({"white": 1800 - 10 * ply, "black": 1800, "running": running});
        let number = ply.div_ceil(2);
        self.append_event(board, json!({"n": ply + 1, "type": "move", "ply": ply, "number": number, "side": side, "move": text, "clock": clock, "fen": fen}));
    }

    pub fn events(&self) -> String {
        fs::read_to_string(self.path("events.ndjson")).unwrap()
    }

    pub fn serve(&self) -> Server {
        self.serve_with("")
    }

    /// Serves the outlet at an address that was used earlier.
    pub fn serve_at(&self, address: &str) -> Server {
        self.start(address, "")
    }

    /// Serves the outlet with additional keys.
    pub fn serve_with(&self, keys: &str) -> Server {
        self.start("127.0.0.1:0", keys)
    }

    fn start(&self, address: &str, keys: &str) -> Server {
        let config = self.folder.path().join("serve.toml");
        let folder = self.folder.path().join("public");
        fs::write(&config, format!("[serve]\naddress = {address:?}\noutlet = {folder:?}\n{keys}")).unwrap();
        serve(&config)
    }
}

/// Starts the server of a configuration, and waits until there are pages.
pub fn serve(config: &Path) -> Server {
    serve_by(damcast(&[]), config)
}

/// Starts a server by a command that runs the program.
pub fn serve_by(mut command: Command, config: &Path) -> Server {
    command.args(["serve", "--config", config.to_str().unwrap()]);
    // The state file is beside the configuration.
    command.env("RUNTIME_DIRECTORY", config.parent().unwrap());
    command.env_remove("NOTIFY_SOCKET").env_remove("LISTEN_FDS");
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut first_line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut first_line).unwrap();
    let address =
        first_line.trim().strip_prefix("viewers: http://").and_then(|rest| rest.strip_suffix('/')).expect("an address");
    let server = Server { process, address: address.to_owned() };
    wait_until("pages", || server.try_get("/", &[]).is_ok());
    server
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Sends these bytes, and reads until the server closes the connection.
pub fn raw(address: &str, bytes: &[u8]) -> io::Result<HttpAnswer> {
    let mut stream = connect(address);
    stream.write_all(bytes)?;
    let mut all = Vec::new();
    // A reset connection counts as closed.
    if let Err(error) = stream.read_to_end(&mut all)
        && (error.kind() != io::ErrorKind::ConnectionReset || all.is_empty())
    {
        return Err(error);
    }
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
    Ok(HttpAnswer { status, headers: head, body: all[end + 4..].to_vec() })
}

/// Sends a request to a server, with its address as `Host` unless one is given.
pub fn http_get(address: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<HttpAnswer> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text += &format!("Host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
    raw(address, (text + "\r\n").as_bytes())
}

/// A running server. Dropping it kills it.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An HTTP answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl HttpAnswer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// Returns the body as text; `None` for binary or compressed bodies.
    pub fn text_if_any(&self) -> Option<String> {
        String::from_utf8(self.body.clone()).ok()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Server {
    pub fn connect(&self) -> TcpStream {
        connect(&self.address)
    }

    /// Sends these bytes, and reads until the server closes the connection.
    fn raw(&self, bytes: &[u8]) -> io::Result<HttpAnswer> {
        raw(&self.address, bytes)
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<HttpAnswer> {
        http_get(&self.address, method, path, headers)
    }

    fn try_get(&self, path: &str, headers: &[(&str, &str)]) -> io::Result<HttpAnswer> {
        self.request("GET", path, headers)
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> HttpAnswer {
        self.try_get(path, &[]).unwrap()
    }

    #[track_caller]
    fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        self.try_get(path, headers).unwrap()
    }

    /// Opens a stream of events.
    pub fn watch(&self, query: &str, last: Option<&str>) -> Stream {
        let mut stream = self.connect();
        let last = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        let head =
            format!("GET /events{query} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{last}\r\n", self.address);
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0);
        }
        assert!(head.contains("text/event-stream") && head.contains("no-store"), "{head}");
        let names = head.to_ascii_lowercase();
        assert!(names.contains("x-accel-buffering: no"), "{head}");
        assert_eq!(names.matches("\r\ndate: ").count(), 1, "{head}");
        // The stream has no length, and ends with its connection.
        assert!(names.contains("connection: close"), "{head}");
        assert!(!names.contains("content-length") && !names.contains("transfer-encoding"), "{head}");
        Stream { reader }
    }

    /// Waits until the server knows the last line of its outlet.
    pub fn wait_for(&self, outlet: &OutletFixture) {
        let tag = format!("{}.{}-", outlet.generation, outlet.seq);
        wait_until("the last event", || self.get("/").header("etag").is_some_and(|etag| etag.contains(&tag)));
    }
}

/// A stream of events, as a browser reads it.
pub struct Stream {
    reader: BufReader<TcpStream>,
}

/// An event of a stream.
pub struct StreamEvent {
    id: Option<String>,
    kind: String,
    data: Value,
}

impl Stream {
    /// Returns the next event.
    fn next(&mut self) -> StreamEvent {
        let (mut id, mut kind, mut data) = (None, String::new(), None);
        loop {
            let mut line = String::new();
            assert_ne!(self.reader.read_line(&mut line).unwrap(), 0, "the stream ended");
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = Some(value.to_owned()),
                Some(("event", value)) => kind = value.to_owned(),
                Some(("data", value)) => data = serde_json::from_str(value).ok(),
                _ => {}
            }
            if let Some(data) = data.take() {
                return StreamEvent { id, kind, data };
            }
        }
    }

    /// Returns the next event about boards.
    fn next_of_boards(&mut self) -> StreamEvent {
        loop {
            let event = self.next();
            if ["board", "snapshot"].contains(&event.kind.as_str()) {
                return event;
            }
        }
    }
}

fn game() -> OutletFixture {
    let mut outlet = OutletFixture::new();
    outlet.begin(
        "board-1",
        json!({"White": "Jansen", "Black": "Ba", "Event": "Open", "Round": "5", "WhiteRating": "2200"}),
    );
    outlet.play("board-1", 1);
    outlet.play("board-1", 2);
    outlet
}

#[test]
fn every_page_is_complete_without_script() {
    let mut outlet = game();
    outlet.begin("board-2", json!({"White": "Wit", "Black": "Zwart", "Event": "Open", "Round": "5"}));
    outlet.write("archive/board-1-1.pdn", "[White \"Jansen\"]\n*\n");
    outlet.write("games.pdn", "[White \"Jansen\"]\n1. 32-28 *\n");
    let row = json!({"rank": 1, "id": 7, "name": "Sijbrands", "points": "7", "games": 4});
    outlet.write("standings.json", &json!({"sections": [{"section": "Open group", "rows": [row]}]}).to_string());
    fs::create_dir_all(outlet.path("round/5")).unwrap();
    outlet.write("round/5/games.pdn", "five *\n");
    outlet.append_event(
        "board-2",
        json!({"n": 2, "type": "tag-correction", "field": "White", "old": "Wit", "new": "De Wit"}),
    );
    let server = outlet.serve();
    for (path, words) in [
        (
            "/",
            &[
                "Jansen",
                "Ba",
                "Zwart",
                "2200",
                "Open",
                "Round 5",
                "1. … 19-23",
                "0:29:40",
                "href=\"#w\"",
                "/board/board-2",
            ][..],
        ),
        (
            "/board/1",
            &["Jansen", "32-28", "19-23", "White to move", "men 28, 31, 33", "?ply=1", "data-names", ">46</text>"],
        ),
        ("/board/board-1", &["Jansen"]),
        ("/board/board-1?ply=1", &["Black to move", "men 28, 31"]),
        ("/board/2", &["Zwart", "De Wit"]),
        ("/game/board-1-1", &["Jansen", "19-23"]),
        ("/embed/board/1", &["Jansen", "<svg"]),
        ("/round/5", &["Jansen", "Zwart"]),
        ("/standings", &["Jansen", "Provisional, 2 games", "Open group", "Sijbrands"]),
        ("/archive", &["/archive/board-1-1.pdn", "Jansen"]),
        ("/?wall", &["Jansen", "data-theme=\"dark\""]),
        ("/?wall=light", &["data-theme=\"light\""]),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        let text = page.text();
        for word in words.iter().chain(&["<!DOCTYPE html>", "lang=\"en\"", "<noscript>"]) {
            assert!(text.contains(word), "{path} does not have {word}: {text}");
        }
        // The content security policy forbids both.
        assert!(!text.contains("style=") && !text.contains("<script>") && !text.contains(" onclick"), "{path}");
    }
    for path in [
        "/board/3",
        "/board/nobody",
        "/round/6",
        "/game/board-1-2",
        "/game/board-1",
        "/nothing",
        "/board/",
        "/assets/x.js",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/games.pdn").text(), "[White \"Jansen\"]\n1. 32-28 *\n");
    assert_eq!(server.get("/started.pdn").status, 404);
    assert_eq!(server.get("/round/5/games.pdn").text(), "five *\n");
    for path in ["/round/5/started.pdn", "/round/5/standings.json", "/round/..%2f5/games.pdn", "/round/x/games.pdn"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert!(server.get("/game/board-1-1.pdn").text().ends_with("1. 32-28 19-23 *\n"));
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
    let round = |number: u32, byes: Value| json!({"round": number, "state": "published", "byes": byes, "matches": [], "pairings": [{"id": number, "table": 1, "white": 2, "black": 1}, {"id": 9, "table": 2, "white": 1, "black": 3, "later": "postponed"}]});
    let rounds = [round(2, json!([])), round(3, json!([{"player": 3, "why": "bye", "points": "2"}]))];
    let section = json!({"id": 1, "name": "main", "players": players, "teams": [], "rounds": rounds});
    outlet.write("tournament.json", &json!({"event": {"name": "NK"}, "sections": [section]}).to_string());
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (path, words) in [
        ("/", &["Round 2</bdi></span></h1>", "Clerc", "Not started"][..]),
        ("/standings", &["Round 2</bdi></span></h1>", "Provisional, 1 result is missing"]),
        ("/standings?lang=ru", &["не хватает 1 результата"]),
        ("/board/1", &["Round 2</bdi></span></h1>", "Clerc", "Not started"]),
        ("/embed/board/1", &["Clerc", "Not started"]),
        ("/board/board-1", &["Round 1</bdi></span></h1>", "Jansen"]),
        ("/round/2", &["Not started", "Postponed"]),
        ("/round/2?lang=nl", &["Uitgesteld"]),
        (
            "/round/3",
            &["<title>Round 3 · NK</title>", "Round 3</bdi></span></h1>", "Without opponent: ", "Gantwarg &lt;b&gt;"],
        ),
    ] {
        let page = server.get(path).text();
        for word in words {
            assert!(page.contains(word), "{path} does not have {word}: {page}");
        }
    }
    assert!(!server.get("/standings").text().contains("still open"));
    // Before the first game the tournament file lists the pairings.
    let empty = OutletFixture::new();
    empty.write("tournament.json", &fs::read_to_string(outlet.path("tournament.json")).unwrap());
    let server = empty.serve();
    let page = server.get("/round/3").text();
    assert!(page.contains("<title>Round 3 · NK</title>"), "{page}");
}

/// Writes a tournament with one finished round and one open round, two boards of which have begun.
pub fn tournament(outlet: &mut OutletFixture) {
    let tags = |number: &str| json!({"White": "Jansen", "Black": "Ba", "Event": "Open", "Round": "6", "Board": number});
    outlet.begin("board-1", tags("1"));
    outlet.begin("board-2", tags("2"));
    let waiting = "[White \"Clerc, R.\"]\n[Black \"Gantwarg\"]\n[GameType \"25\"]\n[Round \"6\"]\n[Board \"3\"]\n[Result \"*\"]\n\n*\n";
    outlet.write("games.pdn", &format!("[White \"Jansen\"]\n[Board \"1\"]\n[Result \"*\"]\n\n1. 32-28 *\n\n{waiting}"));
    let names = ["Jansen", "Ba", "Clerc, R.", "Gantwarg"];
    let players: Vec<Value> =
        names.iter().zip(1..).map(|(name, id)| json!({"id": id, "name": name, "team": 1 + id % 2})).collect();
    let rounds = json!([
        {"round": 5, "state": "closed", "byes": [], "matches": [{"id": 1, "home": 1, "away": 2}], "pairings": [
            {"id": 1, "table": 1, "white": 2, "black": 1, "match": 1, "points": ["2", "0"], "reason": "played"},
            {"id": 2, "table": 2, "white": 3, "black": 4, "match": 1, "points": ["1", "1"], "reason": "played"}]},
        {"round": 6, "state": "open", "byes": [], "matches": [], "pairings": [
            {"id": 3, "table": 1, "white": 1, "black": 2}, {"id": 4, "table": 3, "white": 3, "black": 4}]}]);
    let teams = json!([{"id": 1, "number": 1, "name": "Huissen"}, {"id": 2, "number": 2, "name": "Hijken"}]);
    let section =
        json!({"id": 1, "name": "Open", "scoring": "2-1-0", "players": players, "teams": teams, "rounds": rounds});
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section]}).to_string());
    let points = ["0", "2", "1", "1"];
    let rows: Vec<Value> = [2, 3, 4, 1].iter().zip(1..).map(|(id, rank)| {
        json!({"rank": rank, "id": id, "number": id, "name": names[id - 1], "points": points[id - 1], "games": 1, "tiebreaks": {}})
    }).collect();
    outlet.write(
        "standings.json",
        &json!({"sections": [{"section": "Open", "after_round": 5, "results": [2, 2], "rows": rows}]}).to_string(),
    );
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
            &[
                "href=\"/board/3\"",
                "Clerc, R.",
                "Gantwarg",
                "class=\"st\">Not started",
                "data-w=\"8\"",
                "href=\"/round/5\"",
                "href=\"/round/6\"",
            ][..],
        ),
        ("/board/3", &["Clerc, R.", "class=\"st\">Not started", "http-equiv=\"refresh\""]),
        (
            "/embed/board/3",
            &["Clerc, R.", "class=\"st\">Not started", "http-equiv=\"refresh\"", "href=\"/board/3\" target"],
        ),
        ("/round/5", &["<h1><bdi>Open</bdi>", "Clerc, R.", "1–1", "2–0", "Huissen", "3–1"]),
        ("/round/6", &["Jansen", "Gantwarg", "class=\"nw\">Not started"]),
        // The cross table: the first won with White against the fourth.
        ("/standings", &["4□", "2<", "1■", "Huissen", "3–1"]),
        ("/?wall", &["Clerc, R.", "class=\"st\">Not started"]),
    ] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        for word in words {
            assert!(page.text().contains(word), "{path} does not have {word}: {}", page.text());
        }
    }
    assert_eq!(["/board/4", "/embed/board/4", "/round/7"].map(|path| server.get(path).status), [404; 3]);
    // The files change without an event: no stale page is served.
    let before = server.get("/").header("etag").unwrap().to_owned();
    outlet.write("games.pdn", "[White \"Sijbrands\"]\n[Board \"3\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n");
    let page = server.get_with("/", &[("If-None-Match", &before)]);
    assert!(page.status == 200 && page.text().contains("Sijbrands") && !page.text().contains("Clerc"), "{page:?}");
    // Players with equal rank are identified by row number; an unnamed section has no title.
    for file in ["tournament.json", "standings.json"] {
        let text = fs::read_to_string(outlet.path(file)).unwrap();
        let text = text.replace("\"rank\":3", "\"rank\":2").replace("\"Open\"", "\"main\"");
        outlet.write(file, &text);
    }
    let page = server.get("/standings").text();
    for word in ["№", "4□", "3□", "2■", "1■"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    assert!(!page.contains(">main<") && !server.get("/round/5").text().contains(">main"), "{page}");
    // Opening a round is sent to pages, which reload.
    let mut stream = server.watch("", Some(&format!("{GENERATION}.2")));
    assert_eq!(stream.next().kind, "hello");
    outlet.seq += 1;
    let event = json!({"seq": outlet.seq, "gen": GENERATION, "station": "hall", "at": "2026-11-21T09:31:02.120+01:00", "t": 1, "type": "round", "section": "Open", "round": 7, "state": "open"});
    OpenOptions::new()
        .append(true)
        .open(outlet.path("events.ndjson"))
        .unwrap()
        .write_all(format!("{event}\n").as_bytes())
        .unwrap();
    let next_event = stream.next();
    assert_eq!((next_event.kind.as_str(), next_event.id), ("round", Some(format!("{GENERATION}.3"))));
    // The game begins: the card shows the live board.
    outlet.begin("board-3", json!({"White": "Sijbrands", "Black": "Wiersma", "Round": "6", "Board": "3"}));
    outlet.write("games.pdn", "[White \"Sijbrands\"]\n[Board \"3\"]\n[Result \"*\"]\n\n1. 32-28 *\n");
    server.wait_for(&outlet);
    let page = server.get("/board/3").text();
    assert!(page.contains("Wiersma") && !page.contains("class=\"st\">Not started"), "{page}");
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
    assert!(page.contains("lang=\"ru\"") && page.contains("/standings?lang=ru"), "{page}");
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
    let linked: Vec<&str> = page.split(['"']).filter(|part| part.starts_with("/assets/")).collect();
    assert_eq!(linked.len(), 2, "{linked:?}");
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
fn stream_resumes_even_after_restart() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("?board=board-1", None);
    assert_eq!(stream.next().kind, "hello");
    let snapshot = stream.next();
    assert_eq!((snapshot.kind.as_str(), snapshot.id.as_deref()), ("snapshot", Some(&*format!("{GENERATION}.3"))));
    assert_eq!(snapshot.data["boards"][0]["count"], 2);
    outlet.play("board-1", 3);
    let event = stream.next_of_boards();
    assert_eq!(
        (&event.data["last"]["text"], &event.data["last"]["captured"], &event.data["count"]),
        (&"28x19".into(), &json!([45]), &3.into())
    );
    assert_eq!(event.data["clock"]["white"], 1770);
    let id = event.id.unwrap();
    drop(stream);
    // Events without a listener, and without a server.
    outlet.play("board-1", 4);
    drop(server);
    outlet.append_event("board-1", json!({"n": 6, "type": "end"}));
    let server = outlet.serve();
    server.wait_for(&outlet);
    let mut stream = server.watch("?board=board-1", Some(&id));
    stream.next();
    let (first, second) = (stream.next(), stream.next());
    assert_eq!((first.id.unwrap(), second.id.unwrap()), (format!("{GENERATION}.5"), format!("{GENERATION}.6")));
    assert_eq!((&first.data["last"]["text"], &second.data["what"]), (&"14x23".into(), &"end".into()));
    for strange in [format!("{GENERATION}.77"), "other.3".into(), "x".into(), ".".into()] {
        let mut stream = server.watch("", Some(&strange));
        stream.next();
        assert_eq!(stream.next().kind, "snapshot", "{strange}");
    }
}

#[test]
fn viewers_count_until_leaving_and_head_requests_never() {
    let outlet = game();
    let server = outlet.serve();
    let counted = |counter: &str| -> Option<u64> {
        let text = fs::read_to_string(outlet.folder.path().join("state.json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()?[counter].as_u64()
    };
    let head = server.request("HEAD", "/events", &[("Accept", "text/event-stream")]).unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    let mut all: Vec<Stream> = (0..5).map(|_| server.watch("", None)).collect();
    all.iter_mut().for_each(|stream| assert_eq!(stream.next().kind, "hello"));
    wait_until("five viewers", || counted("viewers") == Some(5));
    assert_eq!(counted("connections"), Some(5));
    all.truncate(2);
    // A viewer who leaves is noticed at once, not at the next event that cannot be written.
    wait_until("two viewers", || counted("viewers") == Some(2));
    assert_eq!(counted("connections"), Some(2));
}

#[test]
fn stream_needs_acceptable_media_type() {
    let outlet = game();
    let server = outlet.serve();
    for (accept, is_stream) in [
        ("text/event-stream", true),
        ("Text/Event-Stream", true),
        ("application/json, text/event-stream;q=0.5", true),
        ("text/event-stream ; charset=utf-8 ; q=1", true),
        ("text/event-streamx", false),
        ("xtext/event-stream", false),
        ("text/event-stream;q=0", false),
        ("text/event-stream; Q=0.00", false),
        ("*/*", false),
        ("", false),
    ] {
        let head = server.request("HEAD", "/events", &[("Accept", accept)]).unwrap();
        let kind = head.header("content-type").unwrap_or_default();
        assert_eq!(kind.starts_with("text/event-stream"), is_stream, "{accept}: {kind}");
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
fn archive_follows_order_of_boards() {
    let outlet = game();
    let names = ["board-1-1.pdn", "board-1-2.pdn", "board-1-10.pdn", "board-2-1.pdn", "board-10-1.pdn"];
    names.iter().for_each(|name| outlet.write(&format!("archive/{name}"), "*\n"));
    let page = outlet.serve().get("/archive").text();
    let places = names.map(|name| page.find(&format!("/archive/{name}")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn new_generation_is_sent_as_snapshot() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("", Some(&format!("{GENERATION}.3")));
    assert_eq!(stream.next().kind, "hello");
    let other = OutletFixture { folder: tempfile::tempdir().unwrap(), generation: "0000000000000001".into(), seq: 0 };
    fs::create_dir_all(other.path("archive")).unwrap();
    let mut other = other;
    other.begin("elsewhere", json!({}));
    fs::rename(other.path("events.ndjson"), outlet.path("events.new")).unwrap();
    fs::rename(outlet.path("events.new"), outlet.path("events.ndjson")).unwrap();
    let event = stream.next_of_boards();
    assert_eq!((event.kind.as_str(), &event.data["boards"][0]["board"]), ("snapshot", &"elsewhere".into()));
    assert_eq!(server.get(&format!("/events?gen={GENERATION}")).status, 404);
    outlet.generation = other.generation;
}

#[test]
fn unfollowed_boards_send_only_last_state() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut followed = server.watch("?board=board-1", Some(&format!("{GENERATION}.3")));
    let mut other = server.watch("?board=elsewhere", Some(&format!("{GENERATION}.3")));
    assert_eq!((followed.next().kind, other.next().kind), ("hello".into(), "hello".into()));
    // At most four writes per second: these arrive in one or two.
    for seconds in 0..50 {
        outlet.append_event("board-1", json!({"p": seconds, "type": "clock", "clock": {"white": seconds, "black": 5}}));
    }
    let mut seen = Vec::new();
    while seen.last() != Some(&53) {
        let event = followed.next_of_boards();
        seen.push(event.id.unwrap().rsplit_once('.').unwrap().1.parse::<u64>().unwrap());
    }
    assert_eq!(seen, (4..=53).collect::<Vec<_>>());
    let mut count = 0;
    loop {
        count += 1;
        if other.next_of_boards().data["clock"]["white"] == 49 {
            break;
        }
    }
    assert!(count < 25, "{count} of 50 were sent");
}

#[test]
fn event_lines_and_ranges_match_file() {
    let mut outlet = game();
    for seconds in 0..600 {
        outlet.append_event("board-1", json!({"p": seconds, "type": "clock", "clock": {"white": seconds}}));
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    let whole = outlet.events();
    assert_eq!(server.get("/events.ndjson").text(), whole);
    assert_eq!(server.get("/events").text(), whole);
    for from in [1, 2, 256, 257, 258, 513, 603] {
        let expected: String = whole.split_inclusive('\n').skip(from - 1).collect();
        let answer = server.get(&format!("/events?gen={GENERATION}&from={from}"));
        assert_eq!((answer.status, answer.text()), (200, expected), "{from}");
    }
    assert_eq!(server.get(&format!("/events?gen={GENERATION}&from=604")).text(), "");
    assert_eq!(server.get("/events?gen=other&from=1").status, 404);
    for from in ["-1", "0", "x", "", "18446744073709551616"] {
        assert_eq!(server.get(&format!("/events?from={from}")).status, 400, "{from}");
    }
    let length = whole.len();
    for (range, status, from, to) in [
        ("bytes=0-99", 206, 0, 100),
        ("bytes=100-", 206, 100, length),
        ("bytes=-7", 206, length - 7, length),
        ("bytes=0-1,5-6", 200, 0, length),
        ("nonsense", 200, 0, length),
        ("bytes=9999999-", 416, 0, 0),
    ] {
        let answer = server.get_with("/events.ndjson", &[("Range", range)]);
        assert_eq!((answer.status, answer.body.len()), (status, to - from), "{range}");
        assert_eq!(answer.body, whole.as_bytes()[from..to], "{range}");
    }
    let etag = server.get("/events.ndjson").header("etag").unwrap().to_owned();
    assert_eq!(server.get_with("/events.ndjson", &[("If-None-Match", &etag)]).status, 304);
    outlet.play("board-1", 3);
    assert_eq!(server.get_with("/events.ndjson", &[("If-None-Match", &etag)]).status, 200);
    assert_eq!(server.get_with("/events.ndjson", &[("If-Range", &etag), ("Range", "bytes=0-1")]).status, 200);
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
        let paths = [
            "/",
            "/board/1",
            "/standings",
            "/archive",
            "/?wall",
            "/embed/board/1",
            "/games.pdn",
            "/events",
            "/events.ndjson",
            "/started.pdn",
            "/nothing",
            "/../live/board-1-1.pdn",
            "/archive/..%2f..%2flive%2fboard-1-1.pdn",
        ];
        let strip = |answer: HttpAnswer| {
            let head = answer.headers.lines().filter(|line| !line.to_lowercase().starts_with("date:"));
            let text = String::from_utf8_lossy(&answer.body).replace(&server.address, "HERE");
            let head: Vec<_> =
                head.filter(|line| !line.to_lowercase().starts_with("content-length")).map(str::to_owned).collect();
            (head, text)
        };
        paths.map(|path| (path, strip(server.get(path))))
    };
    assert_eq!(answers(false), answers(true));
}

// Invalid requests.

#[test]
fn foreign_host_gets_nothing() {
    let outlet = game();
    let server = outlet.serve_with("hosts = [\"live.example.org\"]\n");
    let port = server.address.rsplit_once(':').unwrap().1;
    for host in
        ["localhost", "live.example.org", "LIVE.example.org:443", "[::1]", "10.1.2.3", &format!("127.0.0.1:{port}")]
    {
        assert_eq!(server.get_with("/", &[("Host", host)]).status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.evil.com",
        "live.example.org.evil.example",
        "user@localhost",
        "",
        "null",
        "[::1",
        "a b",
        "localhost:port",
    ] {
        for path in ["/", "/events", "/games.pdn", "/assets/x", "/nothing"] {
            let answer = server.get_with(path, &[("Host", host)]);
            assert!([421, 400].contains(&answer.status), "{host} {path}: {}", answer.status);
            assert!(!answer.text().contains("Jansen"));
        }
    }
    for request in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n".to_owned(),
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: loc\u{e4}lhost\r\nConnection: close\r\n\r\n".to_owned(),
    ] {
        let answer = server.raw(request.as_bytes()).unwrap();
        assert!([421, 400].contains(&answer.status), "{request}: {}", answer.status);
    }
    // A cross-site request is answered: reading is allowed to all, and only reading is possible.
    let other = server.get_with("/", &[("Origin", "null"), ("Sec-Fetch-Site", "cross-site"), ("Cookie", "a=b")]);
    assert_eq!(
        (other.status, other.header("set-cookie"), other.header("access-control-allow-origin")),
        (200, None, None)
    );
}

#[test]
fn every_answer_forbids_unneeded_features() {
    let server = game().serve();
    for path in ["/", "/board/1", "/events", "/games.pdn", "/nothing", "/archive"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("unsafe") && !policy.contains("frame-ancestors")
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-frame-options"), None, "viewers' pages may be framed");
    }
}

#[test]
fn only_reading_is_possible() {
    let outlet = game();
    let server = outlet.serve();
    let before = fs::read_dir(outlet.path("")).unwrap().count();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
        let answer =
            server.request(method, if method == "CONNECT" { "localhost:80" } else { "/" }, &[("Content-Length", "0")]);
        let answer = answer.unwrap();
        assert!([405, 400, 421].contains(&answer.status), "{method}: {}", answer.status);
    }
    let head = server.request("HEAD", "/", &[]).unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    // A body without an end, and one with an announced length.
    for more in [
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFF\r\nxxxx",
        "Content-Length: 99999999999\r\n\r\nxxxx",
        "Content-Length: 5\r\n\r\nxxxxx",
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{more}");
        assert_eq!(server.raw(request.as_bytes()).unwrap().status, 413, "{more}");
    }
    assert_eq!(fs::read_dir(outlet.path("")).unwrap().count(), before);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn no_path_leaves_outlet() {
    let outlet = game();
    fs::write(outlet.path("../secret.pdn"), "secret").unwrap();
    fs::write(outlet.path("archive/.hidden.pdn"), "secret").unwrap();
    std::os::unix::fs::symlink(outlet.path("../secret.pdn"), outlet.path("archive/link.pdn")).unwrap();
    fs::create_dir(outlet.path("archive/folder.pdn")).unwrap();
    let _ = rustix::fs::mknodat(
        rustix::fs::CWD,
        outlet.path("archive/pipe.pdn"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    );
    let server = outlet.serve();
    for path in [
        "/../secret.pdn",
        "/archive/../secret.pdn",
        "/archive/..%2fsecret.pdn",
        "/archive/%2e%2e/secret.pdn",
        "/archive/..%5csecret.pdn",
        "/archive/%2e%2e%2f%2e%2e%2fsecret.pdn",
        "/archive/.hidden.pdn",
        "/archive/link.pdn",
        "/archive/folder.pdn",
        "/archive/pipe.pdn",
        "/archive/x%00.pdn",
        "/archive//etc/passwd",
        "//etc/passwd",
        "/archive/%ff%fe.pdn",
        "/archive/",
        "/board/..%2f..%2fsecret",
        "/events.ndjson/../secret.pdn",
        "/assets/../secret.pdn",
        "/game/..%2fsecret-1.pdn",
        "/file:%2f%2f/etc/passwd",
    ] {
        let answer = server.get(path);
        assert!([404, 400].contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.text().contains("secret\n") && !answer.text().contains("root:"), "{path}");
    }
    let long = format!("/board/{}", "x".repeat(5000));
    assert_eq!(server.get(&long).status, 414);
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
    for path in [
        "/",
        "/board/b-1",
        "/board/b-2",
        "/board/1",
        "/standings",
        "/archive",
        "/?wall",
        "/embed/board/b-2",
        "/board/a%3Cb%3E%22%27%2F..",
    ] {
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
fn any_input_is_answered_or_closed_and_others_are_served() {
    let server = game().serve();
    let flood = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(100_000));
    let one = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}\r\n\r\n", "b".repeat(1 << 20));
    for request in [
        flood.as_bytes(),
        one.as_bytes(),
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /?ply=99999999999999999999&lang=%00&wall=%3Cscript%3E HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /board/1?ply=-1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ] {
        if let Ok(answer) = server.raw(request) {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(answer.status >= 200 && !text.contains("<script>"), "{}", answer.headers);
        }
        assert_eq!(server.get("/").status, 200);
    }
}

/// 2,000 connections of one address that never finish a request: the oldest are closed, real requests are served at once, and open streams
/// stay open. A claimed other address changes nothing.
#[test]
fn slow_requests_do_not_delay_others() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("?board=board-1", Some(&format!("{GENERATION}.3")));
    assert_eq!(stream.next().kind, "hello");
    let mut held = Vec::new();
    for index in 0..2000 {
        let mut slow = server.connect();
        let head = format!("GET / HTTP/1.1\r\nX-Forwarded-For: 10.0.{}.{}\r\n", index / 250, index % 250);
        // The server may close the connection before the write ends.
        let _ = slow.write_all(head.as_bytes());
        held.push(slow);
        // This process, too, has a limit of open descriptors.
        if held.len() == 200 {
            held.drain(..100);
        }
        if index % 200 == 0 {
            assert_eq!(server.get("/").status, 200);
        }
    }
    outlet.play("board-1", 3);
    assert_eq!(stream.next_of_boards().data["last"]["text"], "28x19");
    // The server closes the oldest when others arrive, long before their time limit.
    let (mut first, started_at) = (held.swap_remove(0), Instant::now());
    first.set_nonblocking(true).unwrap();
    let is_open = |stream: &mut TcpStream| matches!(stream.read(&mut [0; 64]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
    while is_open(&mut first) {
        assert!(started_at.elapsed() < Duration::from_secs(7), "it was held for its whole time");
        held.push(server.connect());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.get("/").status, 200);
}

/// After a break a whole hall reconnects at one time from one address: no viewer is refused.
#[test]
fn whole_hall_may_reconnect_at_once() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut all: Vec<TcpStream> = (0..400).map(|_| server.connect()).collect();
    let head =
        format!("GET /events?after={GENERATION}.3 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    all.iter_mut().for_each(|stream| stream.write_all(head.as_bytes()).unwrap());
    outlet.play("board-1", 3);
    for stream in all {
        let mut lines = BufReader::new(stream).lines();
        assert!(lines.any(|line| line.unwrap().contains("28x19")), "a stream ended");
    }
}

#[test]
fn unfinished_request_is_closed() {
    let server = game().serve();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    let mut rest = Vec::new();
    let ended = slow.read_to_end(&mut rest);
    assert!(ended.is_ok() && !String::from_utf8_lossy(&rest).contains("200 OK"), "{ended:?}");
}

// The process.

#[test]
fn mistake_in_table_stops_only_pages() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("damcast.toml");
    let station =
        "[station]\ndirectory = \"r\"\n[[line]]\nname = \"a\"\nport = \"serial:/nowhere\"\ngame-type = \"20\"\n";
    fs::write(&config, format!("{station}[serve]\naddress = \"here\"\nnonsense = 1\n")).unwrap();
    let path = config.to_str().unwrap();
    let served = run(&["serve", "--config", path]);
    assert_eq!(served.code, 2);
    assert!(served.err.contains("damcast.toml:8") && served.err.contains("unknown key `nonsense`"), "{}", served.err);
    let checked = run(&["config", "check", "--config", path]);
    assert!(
        checked.code != 0 && (checked.out.clone() + &checked.err).contains("`address` is an address"),
        "{}",
        checked.err
    );
    assert!(damcast::station::config::Config::load_for_recording(&config).is_ok(), "the station records all the same");
    fs::write(&config, "[serve]\naddress = \"127.0.0.1:0\"\n").unwrap();
    assert!(damcast::station::config::ServeConfig::load(&config).is_ok());
}

#[test]
fn server_stops_on_request_and_starts_without_outlet() {
    let outlet = OutletFixture::new();
    let mut server = outlet.serve();
    assert!(server.get("/").text().contains("No game has started yet"));
    assert_eq!((server.get("/games.pdn").status, server.get("/events.ndjson").status), (404, 404));
    let _open = server.watch("", None);
    kill_process(Pid::from_child(&server.process), Signal::TERM).unwrap();
    assert!(server.process.wait().unwrap().success());
}

#[test]
fn used_address_is_reported() {
    let outlet = game();
    let server = outlet.serve();
    let config = outlet.path("../other.toml");
    fs::write(&config, format!("[serve]\naddress = \"{}\"\n", server.address)).unwrap();
    let taken = run(&["serve", "--config", config.to_str().unwrap()]);
    assert!(
        taken.code == 1 && taken.err.contains(&server.address) && taken.err.contains("`address` of [serve]"),
        "{}",
        taken.err
    );
}

/// As a service the program gets its socket from systemd, and writes its state into its runtime folder.
#[test]
fn inherited_socket_is_used() {
    let outlet = game();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = outlet.path("../serve.toml");
    fs::write(&config, format!("[serve]\naddress = \"203.0.113.1:1\"\noutlet = {:?}\n", outlet.path(""))).unwrap();
    // As systemd does: the socket is descriptor 3, and the variables name it.
    let mut command = Command::new("sh");
    let script = format!(
        "LISTEN_PID=$$ LISTEN_FDS=1 RUNTIME_DIRECTORY={0:?} exec {1:?} serve --config {2:?} 3<&0 0</dev/null",
        outlet.path(".."),
        env!("CARGO_BIN_EXE_damcast"),
        config
    );
    command.args(["-c", &script]).stdin(Stdio::from(std::os::fd::OwnedFd::from(listener))).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut output = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut output).unwrap();
    assert_eq!(output, format!("viewers: http://{address}/\n"));
    let server = Server { process, address };
    wait_until("pages", || server.try_get("/", &[]).is_ok_and(|page| page.text().contains("Jansen")));
    let state = outlet.path("../state.json");
    wait_until("the state", || fs::read_to_string(&state).is_ok_and(|text| text.contains("\"seq\":3")));
    let output: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(output["address"], server.address, "the desk makes a code of it");
}

/// The demonstration shows its boards from the start.
#[test]
fn demo_prints_page_address_first() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    let mut command = damcast(&["demo", "--boards", "2", "--speed", "100", "--dir", place.to_str().unwrap()]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut first_line = String::new();
    stdout.read_line(&mut first_line).unwrap();
    // Drains the output, so that the pipe does not block the program.
    std::thread::spawn(move || io::copy(&mut stdout, &mut io::sink()));
    let address = first_line
        .strip_prefix("viewers: http://")
        .and_then(|rest| rest.strip_suffix("/\n"))
        .expect("an address")
        .to_owned();
    let server = Server { process, address };
    wait_until("a move", || server.try_get("/board/2", &[]).is_ok_and(|page| page.text().contains("?ply=3")));
    assert!(server.get("/").text().contains("Demonstration"));
}
