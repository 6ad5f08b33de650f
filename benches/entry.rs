//! Measures tables without electronic boards: the time from a tap to the answer, and to the pages of viewers.
//!
//! ```text
//! cargo bench --bench entry            64 tables, a ply each five seconds at each, for a minute
//! cargo bench --bench entry -- 16 20   16 tables for 20 s
//! ```
//!
//! `damcast start` runs all processes. Each table's phone sends what the page sends, over HTTP. One viewer reads the stream that the
//! pages for viewers read.

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast::control::ClientRequest;
use damcast::control::client::Client;
use draughts::{Position, Variant};
use draughts_pdn::notation;
use serde_json::{Value, json};

const PLY_INTERVAL: Duration = Duration::from_secs(5);
/// Longest time that is waited for a ply on the page.
const PATIENCE: Duration = Duration::from_secs(4);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |index: usize, default: u64| arguments.get(index).map_or(default, |text| text.parse().unwrap());
    let (count, span) = (number(0, 64), Duration::from_secs(number(1, 60)));
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let evening = Evening::start(folder.path(), count);
    let seen = follow(&evening.pages);
    let phones: Vec<_> = (0..count)
        .map(|index| {
            let (tables, seen) = (evening.tables.clone(), seen.clone());
            let code = code(folder.path(), index);
            std::thread::spawn(move || play(&tables, &code, index, count, span, &seen))
        })
        .collect();
    let (mut answered, mut shown) = (Vec::new(), Vec::new());
    for phone in phones {
        let (of_answers, of_page) = phone.join().unwrap();
        answered.extend(of_answers);
        shown.extend(of_page);
    }
    println!("{count} tables, {} plies in {} s, from the tap", answered.len(), span.as_secs());
    for (what, mut times) in [("until the phone has the answer", answered), ("until a viewer's page has it", shown)] {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!("{what:<32} p50 {:>4.0} ms   p95 {:>4.0} ms   most {:>4.0} ms", at(0.5), at(0.95), at(1.0));
    }
}

/// Running `damcast start`.
struct Evening {
    child: Child,
    pages: String,
    tables: String,
}

impl Evening {
    fn start(folder: &Path, count: u64) -> Evening {
        let table = |index| format!("[[line]]\nname = \"table-{index}\"\nmode = \"entry\"\ngame-type = \"20\"\n");
        fs::create_dir_all(folder.join("recordings")).unwrap();
        fs::write(folder.join("recordings/setup.toml"), (0..count).map(table).collect::<String>()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
        command
            .current_dir(folder)
            .arg("start")
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut address = |word: &str| {
            let line = lines.next().unwrap();
            line.strip_prefix(&format!("{word} http://")).unwrap_or_else(|| panic!("{line}")).to_owned()
        };
        let [pages, _, tables] = ["pages", "desk", "tables without boards"].map(&mut address);
        lines.find(|line| line.starts_with("Ctrl-C")).unwrap();
        Evening { child, pages, tables }
    }
}

impl Drop for Evening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn code(folder: &Path, index: u64) -> String {
    let mut client = Client::connect(vec![folder.join("recordings/control.sock")]).unwrap();
    let request = ClientRequest::EntryCode { board: format!("table-{index}"), round: None };
    let patience = request.timeout();
    client.request(request, patience, |_| {}).unwrap().code.unwrap()
}

/// When the page first showed each ply: by board and text of the move.
type SeenPlies = Arc<Mutex<HashMap<(String, String), Instant>>>;

/// Reads the stream of the viewers' pages.
fn follow(pages: &str) -> SeenPlies {
    let seen = SeenPlies::default();
    let mut stream = TcpStream::connect(pages).unwrap();
    write!(stream, "GET /events HTTP/1.1\r\nHost: {pages}\r\nAccept: text/event-stream\r\n\r\n").unwrap();
    let into = seen.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let Some(event) = line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok()) else {
                continue;
            };
            let now = Instant::now();
            let mut seen = into.lock().unwrap();
            for (board, text) in plies(&event) {
                seen.entry((board, text)).or_insert(now);
            }
        }
    });
    seen
}

/// Returns board and text of the moves in a message to the page.
fn plies(message: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inner = vec![message];
    while let Some(value) = inner.pop() {
        if let Some(board) = value["board"].as_str() {
            let texts = value["likely"].as_array().into_iter().flatten().chain([&value["last"]["text"]]);
            found.extend(texts.filter_map(Value::as_str).map(|text| (board.to_owned(), text.to_owned())));
        }
        inner.extend(value.as_object().into_iter().flat_map(|members| members.values()));
        inner.extend(value.as_array().into_iter().flatten());
    }
    found
}

/// Plays a game on a phone. Returns the times from each tap until the answer, and until the page, in milliseconds.
fn play(tables: &str, code: &str, index: u64, count: u64, span: Duration, seen: &SeenPlies) -> (Vec<f64>, Vec<f64>) {
    let (_, head, answer) = send(tables, "/open", "", &json!({ "code": code }));
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
    let path = format!("/table/{}", answer["key"].as_str().unwrap());
    let (mut position, mut texts) = (Position::start(Variant::international()), Vec::new());
    let (mut answered, mut shown) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    // The tables' taps are spread over the interval.
    std::thread::sleep(PLY_INTERVAL.mul_f64(index as f64 / count as f64));
    for ply in 1.. {
        let tap = Instant::now();
        if tap.duration_since(begin) > span {
            break;
        }
        // A text that this game has not had, so that the page's text is known to be of this ply.
        let legal = position.legal_moves();
        let clear = legal.iter().filter(|one| !notation::is_ambiguous(one, &legal));
        let mut fresh = clear.map(|one| (one, notation::write(position.variant(), one, &legal)));
        let Some((played, text)) = fresh.find(|(_, text)| !texts.contains(text)) else { break };
        let (status, _, answer) =
            send(tables, &path, cookie, &json!({"act": "enter", "game": 1, "ply": ply, "move": text}));
        assert_eq!(status, 200, "{answer}");
        answered.push(tap.elapsed().as_secs_f64() * 1e3);
        let key = (format!("table-{index}"), text.clone());
        let at = loop {
            if let Some(at) = seen.lock().unwrap().get(&key) {
                break *at;
            }
            if tap.elapsed() > PATIENCE {
                println!("{}: {} is not on the page after {} s", key.0, key.1, PATIENCE.as_secs());
                break Instant::now();
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        shown.push(at.duration_since(tap).as_secs_f64() * 1e3);
        texts.push(text);
        position = position.play(played);
        std::thread::sleep((tap + PLY_INTERVAL).saturating_duration_since(Instant::now()));
    }
    (answered, shown)
}

/// Posts JSON. Returns status, head and body.
fn send(address: &str, path: &str, cookie: &str, body: &Value) -> (u16, String, Value) {
    let (mut stream, body) = (TcpStream::connect(address).unwrap(), body.to_string());
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (
        head.split(' ').nth(1).unwrap().parse().unwrap(),
        head.to_owned(),
        serde_json::from_str(body).unwrap_or(Value::Null),
    )
}
