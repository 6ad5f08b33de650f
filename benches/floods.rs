//! Measures the desk and the recorder while strangers flood the desk.
//!
//! ```text
//! cargo bench --bench floods              60 s of each flood, from one address and from 200
//! cargo bench --bench floods -- 5         5 s of each
//! cargo bench --bench floods -- 5 idle    5 s of this one
//! ```
//!
//! | flood | of |
//! |---|---|
//! | `codes` | guesses of login codes |
//! | `passwords` | guesses of a password |
//! | `health` | `/healthz` |
//! | `idle` | connections that ask once and stay |
//! | `bodies` | bodies of 10 MB, announced without a login |
//!
//! Six operators who are logged in ask for their page each half second, and send a request to the station each ten seconds, which is
//! within what the station takes from a user; an operator logs in each twenty seconds. What is refused of it, or fails, counts. From the
//! one address that guesses, logins are refused for a minute, as docs/desk.md says: the operator has the same address there. The
//! recorder's latency runs from a message of a board to the growth of its log. The process that plays the strangers runs only on an idle
//! processor (`chrt --idle`), because they have processors of their own.

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/pty.rs"]
mod pty;
use pty::Pty;

const FLOODS: [&str; 5] = ["codes", "passwords", "health", "idle", "bodies"];
/// Numbers of addresses of the strangers.
const ADDRESSES: [u32; 2] = [1, 200];
/// Number of connections that the strangers keep busy.
const STRANGERS: u32 = 400;
const OPERATORS: usize = 6;
const REQUEST_INTERVAL: Duration = Duration::from_millis(500);
/// Number of pages that an operator loads before each request to the station.
const PAGES_PER_REQUEST: usize = 19;
const LOGIN_INTERVAL: Duration = Duration::from_secs(20);
/// Time for which the page of the desk tries a login again that the desk takes later.
const LOGIN_PATIENCE: Duration = Duration::from_secs(20);
const MESSAGE_INTERVAL: Duration = Duration::from_millis(20);
const CLOCK_MESSAGE: [u8; 10] = [0x8d, 0x00, 0x0a, 0x01, 0x30, 0x00, 0x01, 0x30, 0x00, 0x08];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flood, kind, addresses, desk] = arguments.as_slice()
        && flood == "--flood"
    {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(run_flood(kind, addresses.parse().unwrap(), desk.parse().unwrap()));
    }
    let span = Duration::from_secs(arguments.first().and_then(|text| text.parse().ok()).unwrap_or(60));
    let mut hall = Hall::start();
    println!(
        "{:<24} {:>9} {:>8} {:>8} {:>8} {:>14} {:>14}",
        "flood", "requests", "refused", "p50 ms", "p95 ms", "recorder p50", "ratio to quiet"
    );
    for addresses in ADDRESSES {
        for kind in FLOODS.into_iter().filter(|kind| arguments.get(1).is_none_or(|wanted| wanted == kind)) {
            // Before and after each flood, because a machine changes.
            let before = hall.measure(span / 6);
            let flood = Running(
                Command::new("chrt")
                    .args(["--idle", "0"])
                    .arg(std::env::current_exe().unwrap())
                    .args(["--flood", kind, &addresses.to_string(), &hall.desk.to_string()])
                    .spawn()
                    .unwrap(),
            );
            let during = hall.measure(span);
            drop(flood);
            let after = hall.measure(span / 6);
            let quiet = f64::midpoint(before.recorder, after.recorder);
            println!(
                "{:<24} {:>9} {:>8} {:>8.1} {:>8.1} {:>11.0} us {:>14.2}",
                format!("{kind}, {addresses} addresses"),
                during.requests,
                during.refused + before.refused + after.refused,
                during.p50,
                during.p95,
                during.recorder,
                during.recorder / quiet
            );
        }
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A station with a board, its desk, and operators who are logged in.
struct Hall {
    folder: tempfile::TempDir,
    board: Pty,
    log: PathBuf,
    desk: SocketAddr,
    /// Headers of the operators' sessions.
    operators: Vec<String>,
    _processes: [Running; 2],
}

/// Figures of one span: times of requests in milliseconds, of the recorder in microseconds.
struct Figures {
    requests: usize,
    refused: usize,
    p50: f64,
    p95: f64,
    recorder: f64,
}

impl Hall {
    fn start() -> Hall {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut board = Pty::plug_in(&path("board"));
        let config = format!(
            "[station]\ndirectory = \"recordings\"\n[desk]\naddress = \"127.0.0.1:0\"\npassword-file = {:?}\n\
             [[line]]\nname = \"a\"\nport = {:?}\ngame-type = \"20\"\n",
            path("passwords"),
            path("board")
        );
        fs::write(path("damcast.toml"), config).unwrap();
        let mut hash = damcast(folder.path());
        hash.args(["desk", "hash-password", "M. Bosma"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut hash = hash.spawn().unwrap();
        hash.stdin.take().unwrap().write_all(b"correct horse\n").unwrap();
        fs::write(path("passwords"), hash.wait_with_output().unwrap().stdout).unwrap();
        let mut station = damcast(folder.path());
        station.args(["run", "--config", "damcast.toml"]).stdout(Stdio::null()).stderr(Stdio::null());
        let station = Running(station.spawn().unwrap());
        board.wait_for_the_station();
        // As its unit does.
        let mut desk = damcast_as(&["nice", "-n", "10"], folder.path());
        desk.args(["desk", "--config", "damcast.toml"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut desk = desk.spawn().unwrap();
        let mut said = String::new();
        BufReader::new(desk.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.trim().strip_prefix("operator: http://").and_then(|rest| rest.strip_suffix('/')).unwrap();
        let (address, log) = (address.parse().unwrap(), path("recordings/log/a-1.log"));
        let mut hall =
            Hall { folder, board, log, desk: address, operators: Vec::new(), _processes: [station, Running(desk)] };
        hall.operators = (0..OPERATORS).map(|index| log_in(hall.folder.path(), hall.desk, index).unwrap()).collect();
        hall
    }

    /// Sends the operators' requests and the board's messages for this span.
    fn measure(&mut self, span: Duration) -> Figures {
        let (done, desk, folder) = (AtomicBool::new(false), self.desk, self.folder.path().to_owned());
        let (mut times, mut refused, mut recorder) = (Vec::new(), 0, Vec::new());
        std::thread::scope(|scope| {
            let done = &done;
            let members = self.operators.iter().map(|keys| {
                let mut count = 0;
                let work = move || {
                    count += 1;
                    match count % (PAGES_PER_REQUEST + 1) {
                        0 => send(desk, &post(desk, keys, r#"{"do":"log-level"}"#, "/api/request")).is_some(),
                        _ => send(desk, &get(desk, keys, "/")).is_some(),
                    }
                };
                scope.spawn(move || repeat(done, REQUEST_INTERVAL, work))
            });
            let mut asked: Vec<_> = members.collect();
            let mut index = OPERATORS;
            let folder = &folder;
            asked.push(scope.spawn(move || {
                repeat(done, LOGIN_INTERVAL, || {
                    index += 1;
                    log_in(folder, desk, index).is_some()
                })
            }));
            let end = Instant::now() + span;
            while Instant::now() < end {
                std::thread::sleep(MESSAGE_INTERVAL);
                recorder.push(time_record(&mut self.board, &self.log));
            }
            done.store(true, Ordering::Relaxed);
            for asked in asked {
                let (of_one, failed) = asked.join().unwrap();
                times.extend(of_one);
                refused += failed;
            }
        });
        times.sort_by(f64::total_cmp);
        recorder.sort_by(f64::total_cmp);
        let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Figures {
            requests: times.len(),
            refused,
            p50: at(&times, 0.5),
            p95: at(&times, 0.95),
            recorder: at(&recorder, 0.5),
        }
    }
}

fn damcast(folder: &Path) -> Command {
    damcast_as(&[], folder)
}

/// Returns the command `damcast`, started by another command.
fn damcast_as(starter: &[&str], folder: &Path) -> Command {
    let mut words = starter.iter().chain(&[env!("CARGO_BIN_EXE_damcast")]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    command.current_dir(folder).env_remove("NOTIFY_SOCKET").env_remove("RUNTIME_DIRECTORY");
    command
}

/// Repeats a request until `done`. Returns the times in milliseconds, and the number of failures.
fn repeat(done: &AtomicBool, interval: Duration, mut request: impl FnMut() -> bool) -> (Vec<f64>, usize) {
    let (mut times, mut failed) = (Vec::new(), 0);
    while !done.load(Ordering::Relaxed) {
        let begin = Instant::now();
        failed += usize::from(!request());
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        let until = begin + interval;
        while Instant::now() < until && !done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    (times, failed)
}

/// Returns the time from a message of the board to its record, in microseconds.
fn time_record(board: &mut Pty, log: &Path) -> f64 {
    board.receive();
    let length = || fs::metadata(log).unwrap().len();
    let (before, begin) = (length(), Instant::now());
    board.send(&CLOCK_MESSAGE);
    while length() == before {
        std::thread::sleep(Duration::from_micros(10));
    }
    begin.elapsed().as_secs_f64() * 1e6
}

/// Logs an operator in with a code of the station. Returns the headers of the session.
fn log_in(folder: &Path, desk: SocketAddr, index: usize) -> Option<String> {
    let mut command = damcast(folder);
    command.args(["ctl", "login", "--name", &format!("operator {index}"), "--json", "--config", "damcast.toml"]);
    let output = command.output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if !answer["code"].is_string() {
        println!("no code for a login: {}", String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    let request = post(desk, "", &format!(r#"{{"code":{}}}"#, answer["code"]), "/api/login");
    let until = Instant::now() + LOGIN_PATIENCE;
    let answer = loop {
        match exchange(desk, &request)? {
            // The page of the desk tries again as well.
            busy if busy.starts_with("HTTP/1.1 503") && Instant::now() < until => {
                std::thread::sleep(Duration::from_secs(1))
            }
            answer => break accepted(&request, answer)?,
        }
    };
    let cookie = answer.lines().find_map(|line| line.to_lowercase().starts_with("set-cookie:").then(|| &line[11..]))?;
    let cookie = cookie.trim().split(';').next()?;
    let body: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1)?).ok()?;
    Some(format!("Cookie: {cookie}\r\nX-Damcast-Desk: {}\r\n", body["secret"].as_str()?))
}

/// Sends a request. Returns the answer; `None` if it is refused or does not come.
fn send(desk: SocketAddr, request: &str) -> Option<String> {
    accepted(request, exchange(desk, request)?)
}

/// Sends a request. Returns the answer; `None` if none comes.
fn exchange(desk: SocketAddr, request: &str) -> Option<String> {
    let mut stream = TcpStream::connect_timeout(&desk, Duration::from_secs(10)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Returns the answer, or prints why it is a refusal.
fn accepted(request: &str, answer: String) -> Option<String> {
    if answer.starts_with("HTTP/1.1 200") {
        return Some(answer);
    }
    let [status, reason] = [answer.lines().next(), answer.lines().last()].map(Option::unwrap_or_default);
    println!("{}: {status}: {reason}", request.lines().next().unwrap_or_default());
    None
}

fn post(desk: SocketAddr, headers: &str, body: &str, path: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {desk}\r\nOrigin: http://{desk}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
}

fn get(desk: SocketAddr, headers: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {desk}\r\nConnection: close\r\n{headers}\r\n")
}

/// Plays strangers until the process is killed: from 127.0.0.1, or from as many addresses after 127.0.1.0.
async fn run_flood(kind: &str, addresses: u32, desk: SocketAddr) {
    let mut strangers = tokio::task::JoinSet::new();
    for index in 0..STRANGERS {
        let from = match addresses {
            1 => Ipv4Addr::LOCALHOST,
            _ => Ipv4Addr::from(0x7f00_0100 + index % addresses),
        };
        let kind = kind.to_owned();
        strangers.spawn(async move {
            loop {
                // A stranger who is refused tries again.
                if ask_as_stranger(&kind, from, desk).await.is_err() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        });
    }
    while strangers.join_next().await.is_some() {}
}

async fn ask_as_stranger(kind: &str, from: Ipv4Addr, desk: SocketAddr) -> std::io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    let mut stream = socket.connect(desk).await?;
    let asked = match kind {
        "codes" => post(desk, "", r#"{"code":"000000"}"#, "/api/login"),
        "passwords" => post(desk, "", r#"{"name":"M. Bosma","password":"wrong"}"#, "/api/login"),
        "health" => get(desk, "", "/healthz"),
        "idle" => get(desk, "", "/").replace("Connection: close\r\n", ""),
        _ => post(desk, "", "", "/api/import").replace("Content-Length: 0", "Content-Length: 10000000"),
    };
    stream.write_all(asked.as_bytes()).await?;
    if kind == "bodies" {
        let piece = vec![b'x'; 64 << 10];
        for _ in 0..160 {
            stream.write_all(&piece).await?;
        }
    }
    // Until the desk closes the connection.
    let mut answer = [0; 4096];
    while stream.read(&mut answer).await? > 0 {}
    Ok(())
}
