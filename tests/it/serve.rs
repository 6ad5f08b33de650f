//! `damcast serve`: the pages of an outlet, with real processes over real sockets. Input is hostile; output contains the events of the
//! outlet and nothing else.

mod earlier_games;
mod event_pages;
mod hidden_results;
mod hostile;
pub mod hub;
mod lines;
mod overlays;
mod pages;
mod plan_lines;
mod players;
mod previews;
mod process;
mod streams;
mod trial;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast::tournament::Tournament;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::program::{assert_contains, damcast, run};
use crate::pty::wait_until;

/// Maximum time that a test waits; every expected event takes less.
const TIMEOUT: Duration = Duration::from_secs(20);
pub const GENERATION: &str = "8f3c2a9be01d44c7";
const START: &str = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";

/// An outlet that a test writes.
pub struct OutletFixture {
    folder: tempfile::TempDir,
    generation: String,
    seq: Cell<u64>,
    /// The tournament in the events.
    published: RefCell<Tournament>,
    /// Number of the current game of each board; 1 if it has none here.
    games: BTreeMap<String, u32>,
    /// Delay of the outlet; `None`: all events have one fixed time.
    delay: Option<Duration>,
    recorder: Recorder,
}

/// Writes the sign of life of a recorder, from the start of the first server on, as long as it exists.
struct Recorder {
    sign: PathBuf,
    is_silent: Arc<Mutex<bool>>,
    is_started: Cell<bool>,
}

impl Recorder {
    fn new(sign: PathBuf) -> Recorder {
        Recorder { sign, is_silent: Arc::default(), is_started: Cell::new(false) }
    }

    fn start(&self) {
        if self.is_started.replace(true) {
            return;
        }
        let (sign, silent) = (self.sign.clone(), self.is_silent.clone());
        std::thread::spawn(move || {
            for count in 0.. {
                let silent = silent.lock().unwrap();
                if *silent || fs::write(&sign, format!("{{\"at\":{count}}}\n")).is_err() {
                    return;
                }
                drop(silent);
                std::thread::sleep(Duration::from_secs(2));
            }
        });
    }

    fn silence(&self) {
        *self.is_silent.lock().unwrap() = true;
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.silence();
    }
}

impl OutletFixture {
    pub fn new() -> OutletFixture {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("public/archive")).unwrap();
        let (generation, seq, published) = (GENERATION.to_owned(), Cell::new(0), RefCell::default());
        let recorder = Recorder::new(folder.path().join("public/alive.json"));
        OutletFixture { folder, generation, seq, published, games: BTreeMap::new(), delay: None, recorder }
    }

    /// Lets the recorder give signs of life also without a server here.
    pub fn start_recorder(&self) {
        self.recorder.start();
    }

    /// Makes the outlet one without a sign of life.
    pub fn stop_recorder(&self) {
        self.recorder.silence();
        let _ = fs::remove_file(self.path("alive.json"));
    }

    /// Makes the outlet a delayed one: its next events happened this long ago.
    pub fn set_delay(&mut self, delay: Duration) {
        self.delay = Some(delay);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("public").join(name)
    }

    /// Writes a file. The events have the content of the files that say what they plan: the tournament, and the games without a move. A test
    /// that writes the sign of life is the recorder.
    pub fn write(&self, name: &str, text: &str) {
        if name == "alive.json" {
            self.recorder.silence();
        }
        fs::write(self.path(name), text).unwrap();
        let line = match name {
            "tournament.json" => serde_json::from_str(text)
                .ok()
                .and_then(|document| plan_lines::tournament_line(&mut self.published.borrow_mut(), &document)),
            "games.pdn" => Some(plan_lines::boards_line(text)),
            _ => None,
        };
        line.into_iter().for_each(|line| self.add_line(line));
    }

    /// Appends an event of a board's current game.
    pub fn append_event(&mut self, board: &str, more: Value) {
        let mut event = json!({"board": board, "game": self.games.get(board).unwrap_or(&1)});
        more.as_object().unwrap().iter().for_each(|(name, value)| event[name] = value.clone());
        self.append_line(event);
    }

    /// Appends a line.
    pub fn append_line(&mut self, more: Value) {
        self.add_line(more);
    }

    fn add_line(&self, more: Value) {
        self.seq.set(self.seq.get() + 1);
        let at = self.delay.map_or("2026-11-21T09:31:02.120+01:00".to_owned(), |delay| {
            (chrono::Local::now() - delay).to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
        });
        let mut event = json!({"seq": self.seq.get(), "gen": self.generation, "station": "hall", "at": at});
        more.as_object().unwrap().iter().for_each(|(name, value)| event[name] = value.clone());
        let mut file = OpenOptions::new().append(true).create(true).open(self.path("events.ndjson")).unwrap();
        file.write_all(format!("{event}\n").as_bytes()).unwrap();
    }

    /// Replaces the file by one of another generation, with changed lines.
    pub fn begin_anew(&mut self, change: impl Fn(&str) -> String) {
        let before = std::mem::take(&mut self.generation);
        self.generation = format!("{:016x}", u64::from_str_radix(&before, 16).unwrap().wrapping_add(1));
        let text = change(&self.events_if_any().replace(&before, &self.generation));
        self.write("events.new", &text);
        fs::rename(self.path("events.new"), self.path("events.ndjson")).unwrap();
    }

    /// Begins a game with this number.
    pub fn begin_game(&mut self, board: &str, game: u32, tags: Value) {
        self.begin_paired_game(board, game, tags, None);
    }

    /// Begins a game with this number, which is that of a pairing.
    pub fn begin_paired_game(&mut self, board: &str, game: u32, tags: Value, pairing: Option<usize>) {
        self.games.insert(board.to_owned(), game);
        let mut event = json!({"n": 1, "type": "game", "gametype": "20,W,10,10,N2,0", "tags": tags, "fen": START});
        if let Some(pairing) = pairing {
            event["pairing"] = pairing.to_string().into();
        }
        self.append_event(board, event);
    }

    pub fn begin(&mut self, board: &str, tags: Value) {
        let game = self.games.get(board).copied().unwrap_or(1);
        self.begin_game(board, game, tags);
    }

    /// Appends a move of the game 1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32.
    pub fn play(&mut self, board: &str, ply: usize) {
        let moves = ["32-28", "19-23", "28x19", "14x23", "33-28", "23x32"];
        let variant = draughts::Variant::international();
        let mut position = draughts::Position::start(variant);
        for text in &moves[..ply] {
            position = position.play(&draughts_pdn::notation::read(&position, text).unwrap());
        }
        let fen = draughts_pdn::fen::write(variant, &position.setup());
        let [side, running] = if ply % 2 == 1 { ["white", "black"] } else { ["black", "white"] };
        let clock = json!({"white": 1800 - 10 * ply, "black": 1800, "running": running});
        let number = ply.div_ceil(2);
        self.append_event(board, json!({"n": ply + 1, "type": "move", "ply": ply, "number": number, "side": side, "move": moves[ply - 1], "clock": clock, "fen": fen}));
    }

    pub fn events(&self) -> String {
        fs::read_to_string(self.path("events.ndjson")).unwrap()
    }

    /// Returns the events; empty without a file.
    fn events_if_any(&self) -> String {
        fs::read_to_string(self.path("events.ndjson")).unwrap_or_default()
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
        self.recorder.start();
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

/// Opens 2,000 connections that begin like this and never finish, and checks the server among them. Returns the last ones.
pub fn hold_connections(address: &str, head: impl Fn(usize) -> String, check: impl Fn()) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for index in 0..2000 {
        let mut slow = connect(address);
        // The server may close the connection before the write ends.
        let _ = slow.write_all(head(index).as_bytes());
        held.push(slow);
        // This process, too, has a limit of open descriptors.
        if held.len() == 200 {
            held.drain(..100);
        }
        if index % 200 == 0 {
            check();
        }
    }
    held
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

    /// Sends a signal to the process.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
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
        assert_contains(&head, &["text/event-stream", "no-store"]);
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
        let tag = format!("{}.{}-", outlet.generation, outlet.seq.get());
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
}
