//! Measures the cost of many viewers.
//!
//! ```text
//! cargo bench --bench viewers                 100, 1,000 and 5,000 viewers; and 1,000 that come back at once
//! cargo bench --bench viewers -- 100 1000     so many viewers alone
//! cargo bench --bench viewers -- return       those that come back alone
//! cargo bench --bench viewers -- poll         those that poll alone
//! ```
//!
//! | | measurement |
//! |---|---|
//! | `serve`, `nchan` | events to N viewers, by `damcast serve` and by nginx with nchan (Debian: nginx-light, libnginx-mod-nchan), in
//! turn: processor time per delivery, memory per viewer (above that of the server with one), the time from the write of the event until a
//! viewer has read it. Both send as many bytes: nchan gets the bytes that `serve` sent |
//! | `poll` | pages that poll (`live = "poll"`): requests a second of `serve` and of nginx with the shipped cache in front of it, in turn, and processor time per
//! request; and the requests that reach `serve` behind that cache |
//! | `return` | the server is killed and started, and all viewers reconnect at once: until the last of them is up to date |
//!
//! One thread plays the viewers, on the same machine. The ratios of one run are what counts. The bench `latency` measures the effect of
//! viewers on the recorder.

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use draughts::{Color, Position, Variant};
use draughts_pdn::{fen, notation};
use serde_json::{Value, json};

#[path = "common/polls.rs"]
mod polls;
#[path = "common/watchers.rs"]
mod watchers;
use polls::{Cache, Pollers};
use watchers::Watchers;

/// Default numbers of viewers.
const VIEWERS: [usize; 3] = [100, 1_000, 5_000];
/// Number of boards of the hall.
const BOARDS: usize = 40;
/// Number of measured events per run and their interval, which is longer than that of writes to a viewer.
const EVENTS: usize = 20;
const EVENT_INTERVAL: Duration = Duration::from_millis(500);
/// Number of runs of each server.
const ROUNDS: usize = 2;
/// Number of viewers that reconnect at once.
const RETURNING_VIEWERS: usize = 1_000;
/// Number of connections that poll at once, and for how long.
const POLLING_CONNECTIONS: usize = 64;
const POLLING_TIME: Duration = Duration::from_secs(5);
/// Pages that are polled behind the cache at the same time.
const POLLED_PAGES: [&str; 5] = ["/", "/board/1", "/board/2", "/board/3", "/?wall"];
const GENERATION: &str = "8f3c2a9be01d44c7";
const NCHAN: &str = "/usr/lib/nginx/modules/ngx_nchan_module.so";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut counts: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if arguments.is_empty() {
        counts.extend(VIEWERS);
    }
    let has_nchan = Path::new(NCHAN).exists();
    if !counts.is_empty() {
        if !has_nchan {
            println!(
                "nginx with nchan is not here (apt install nginx-light libnginx-mod-nchan): nothing beside `serve`"
            );
        }
        println!(
            "{:<8} {:>8} {:>7} {:>13} {:>11} {:>8} {:>8}",
            "", "viewers", "bytes", "us/delivery", "kB/viewer", "p50 ms", "p99 ms"
        );
    }
    let mut ratios = Vec::new();
    for &count in &counts {
        let (mut of_serve, mut of_nchan) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut serve = Serve::start();
            of_serve.push(fan_out("serve", count, &mut serve));
            if has_nchan {
                of_nchan.push(fan_out("nchan", count, &mut Nchan::start(serve.sent)));
            }
        }
        if has_nchan {
            let mean = |found: &[Cost], of: fn(&Cost) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
            let ratio = |of: fn(&Cost) -> f64| mean(&of_serve, of) / mean(&of_nchan, of);
            let (processor, memory) = (ratio(|cost| cost.processor), ratio(|cost| cost.memory));
            ratios.push(format!("{count} viewers, serve / nchan: processor {processor:.2}, memory {memory:.2}"));
        }
    }
    println!("{}", ratios.join("\n"));
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "return") {
        measure_reconnect();
    }
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "poll") {
        measure_polls();
    }
}

/// Plays a move every 250 ms while something is measured.
fn while_playing<R>(outlet: &mut Outlet, measure: impl FnOnce() -> R + Send) -> R
where
    R: Send,
{
    std::thread::scope(|scope| {
        let measuring = scope.spawn(measure);
        while !measuring.is_finished() {
            std::thread::sleep(Duration::from_millis(250));
            outlet.play();
        }
        measuring.join().unwrap()
    })
}

/// Measures requests a second of `serve` and of the cache in front of it, with pages and with answers that nothing has changed.
fn measure_polls() {
    let Serve { mut outlet, pages, .. } = Serve::start_with("live = \"poll\"\n");
    let Some(cache) = Cache::start(&pages.address) else {
        println!("nginx is not here: nothing beside `serve`");
        return;
    };
    println!("{:<8} {:>22} {:>8} {:>11} {:>11}", "", "answer", "bytes", "requests/s", "us/request");
    for (what, path) in [("a page", "/"), ("nothing new", "/board/1")] {
        let mut rates = Vec::new();
        for round in 0..2 * ROUNDS {
            let (name, address, processes) = match round % 2 {
                0 => ("serve", &pages.address, vec![pages.process.id()]),
                _ => ("nginx", &cache.address, cache.worker()),
            };
            let known = Pollers::connect(address, path, None, 1).poll();
            let tag = (path != "/").then_some(known.tag.as_str());
            let (before, began) = (processor_time(&processes), Instant::now());
            // The page of a board without moves stays as it is.
            let measure = || {
                let mut pollers = Pollers::connect(address, path, tag, POLLING_CONNECTIONS);
                (pollers.poll_for(POLLING_TIME), pollers.poll())
            };
            let (count, last) = if tag.is_some() { measure() } else { while_playing(&mut outlet, measure) };
            assert_eq!(last.status, if tag.is_some() { 304 } else { 200 });
            let (rate, cost) = (count as f64 / began.elapsed().as_secs_f64(), processor_time(&processes) - before);
            println!("{name:<8} {what:>22} {:>8} {rate:>11.0} {:>11.1}", last.size, cost as f64 / 1e3 / count as f64);
            rates.push(rate);
        }
        let of = |server: usize| rates.iter().skip(server).step_by(2).sum::<f64>();
        println!("{what}, serve / nginx: {:.2}", of(0) / of(1));
    }
    let (before, began) = (cache.behind(), Instant::now());
    let count = while_playing(&mut outlet, || {
        std::thread::scope(|scope| {
            let poll = |path| Pollers::connect(&cache.address, path, None, 8).poll_for(POLLING_TIME * 2);
            let all: Vec<_> = POLLED_PAGES.into_iter().map(|path| scope.spawn(move || poll(path))).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum::<usize>()
        })
    });
    let (behind, seconds) = (cache.behind() - before, began.elapsed().as_secs_f64());
    println!(
        "{count} requests for {} pages in {seconds:.0} s: {behind} reached `serve`, one in {:.1} s a page",
        POLLED_PAGES.len(),
        seconds * POLLED_PAGES.len() as f64 / behind as f64
    );
}

/// Server that sends events to viewers.
trait Server {
    fn address(&self) -> String;
    fn path(&self) -> String;
    /// Returns the processes of the server.
    fn processes(&self) -> Vec<u32>;
    /// Sends the next event.
    fn send_next(&mut self);
    /// Receives the bytes that a viewer was sent.
    fn sent_events(&mut self, bytes: Vec<u8>);
}

/// Cost of a run.
struct Cost {
    /// Processor time per delivery, in microseconds.
    processor: f64,
    /// Memory per viewer, in kB.
    memory: f64,
}

fn fan_out(name: &str, count: usize, server: &mut dyn Server) -> Cost {
    let mut one = Watchers::connect(&server.address(), &server.path(), 1, 0);
    one.read_until_quiet();
    server.send_next();
    one.wait_for_all();
    drop(one);
    let memory_before = memory(&server.processes());
    let mut watchers = Watchers::connect(&server.address(), &server.path(), count, 0);
    watchers.read_until_quiet();
    // The first event allocates buffers and is not measured.
    server.send_next();
    watchers.wait_for_all();
    let (mut processor, mut latencies, mut bytes) = (0, Vec::new(), 0);
    for _ in 0..EVENTS {
        std::thread::sleep(EVENT_INTERVAL);
        let before = processor_time(&server.processes());
        let written = Instant::now();
        server.send_next();
        let (read, sent) = watchers.wait_for_all();
        latencies.extend(read.into_iter().map(|at| (at - written).as_secs_f64() * 1e3));
        processor += processor_time(&server.processes()) - before;
        bytes += sent.len();
        server.sent_events(sent);
    }
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    let cost = Cost {
        processor: processor as f64 / 1e3 / (EVENTS * count) as f64,
        memory: memory(&server.processes()).saturating_sub(memory_before) as f64 / count as f64,
    };
    println!(
        "{name:<8} {count:>8} {:>7} {:>13.1} {:>11.1} {:>8.1} {:>8.1}",
        bytes / EVENTS,
        cost.processor,
        cost.memory,
        at(0.5),
        at(0.99)
    );
    cost
}

/// Kills and starts the server; all viewers reconnect at once with their last event id.
fn measure_reconnect() {
    let mut serve = Serve::start();
    let address = serve.pages.address.clone();
    let mut watchers = Watchers::connect(&address, &serve.path(), RETURNING_VIEWERS, 0);
    watchers.read_until_quiet();
    let last = serve.path();
    drop(serve.pages);
    drop(watchers);
    // One event that all of them missed.
    serve.outlet.play();
    serve.pages = Pages::start(serve.outlet.folder.path(), &address, "");
    let begun = Instant::now();
    let mut watchers = Watchers::connect(&address, &last, RETURNING_VIEWERS, 0);
    let (all, _) = watchers.wait_for_all();
    let took = all.into_iter().max().unwrap() - begun;
    println!(
        "{RETURNING_VIEWERS} viewers that come back at once: all are up to date after {:.0} ms",
        took.as_secs_f64() * 1e3
    );
}

/// `damcast serve` of an outlet that this program writes.
struct Serve {
    outlet: Outlet,
    pages: Pages,
    /// Events that a viewer was sent, for nchan.
    sent: Vec<Vec<u8>>,
}

impl Serve {
    fn start() -> Serve {
        Serve::start_with("")
    }

    /// Starts the pages with more keys in their table.
    fn start_with(keys: &str) -> Serve {
        let outlet = Outlet::new();
        let pages = Pages::start(outlet.folder.path(), "127.0.0.1:0", keys);
        Serve { outlet, pages, sent: Vec::new() }
    }
}

impl Server for Serve {
    fn address(&self) -> String {
        self.pages.address.clone()
    }

    fn path(&self) -> String {
        format!("/events?after={GENERATION}.{}", self.outlet.seq)
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.pages.process.id()]
    }

    fn send_next(&mut self) {
        self.outlet.play();
    }

    fn sent_events(&mut self, bytes: Vec<u8>) {
        self.sent.push(bytes);
    }
}

/// Process of the pages, killed when dropped.
struct Pages {
    process: Child,
    address: String,
}

impl Pages {
    fn start(folder: &Path, address: &str, keys: &str) -> Pages {
        let (config, public) = (folder.join("serve.toml"), folder.join("public"));
        fs::write(&config, format!("[serve]\naddress = {address:?}\noutlet = {public:?}\n{keys}")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
        command.arg("serve").arg("--config").arg(config).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut output = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut output).unwrap();
        let address = output.trim().strip_prefix("viewers: http://").and_then(|rest| rest.strip_suffix('/')).unwrap();
        let pages = Pages { address: address.to_owned(), process };
        while request(&pages.address, b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
            .is_none_or(|page| !page.contains("board-40"))
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        pages
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Folder of boards in play, as a station writes it.
struct Outlet {
    folder: tempfile::TempDir,
    events: File,
    seq: u64,
    positions: Vec<Position>,
    /// Number of plies of each board.
    plies: Vec<usize>,
}

impl Outlet {
    /// Creates the folder, with a game on every board.
    fn new() -> Outlet {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir_all(folder.path().join("public/archive")).unwrap();
        let path = folder.path().join("public/events.ndjson");
        let events = OpenOptions::new().append(true).create(true).open(path).unwrap();
        let start = Position::start(Variant::international());
        let mut outlet = Outlet { folder, events, seq: 0, positions: vec![start; BOARDS], plies: vec![0; BOARDS] };
        for board in 0..BOARDS {
            let tags = json!({"White": format!("Player {board}, W"), "Black": format!("Player {board}, B")});
            outlet.write(
                board,
                json!({"n": 1, "type": "game", "gametype": "20,W,10,10,N2,0", "tags": tags, "fen": outlet.fen(board)}),
            );
        }
        outlet
    }

    /// Plays the first legal move on the next board.
    fn play(&mut self) {
        let board = self.seq as usize % BOARDS;
        let position = &self.positions[board];
        let legal = position.legal_moves();
        let ply = &legal[0];
        let text = notation::write(position.variant(), ply, &legal);
        let (side, running) = if position.turn() == Color::White { ("white", "black") } else { ("black", "white") };
        self.positions[board] = position.play(ply);
        self.plies[board] += 1;
        let plies = self.plies[board];
        let clock = json!({"white": 1800 - 10 * plies, "black": 1800, "running": running});
        self.write(board, json!({"n": plies + 1, "type": "move", "ply": plies, "number": plies.div_ceil(2), "side": side, "move": text, "clock": clock, "fen": self.fen(board)}));
    }

    fn fen(&self, board: usize) -> String {
        fen::write(Variant::international(), &self.positions[board].setup())
    }

    fn write(&mut self, board: usize, more: Value) {
        self.seq += 1;
        let name = format!("board-{}", board + 1);
        let mut event = json!({"seq": self.seq, "gen": GENERATION, "station": "hall", "at": "2026-11-21T09:31:02.120+01:00", "board": name, "game": 1});
        more.as_object().unwrap().iter().for_each(|(name, value)| event[name] = value.clone());
        self.events.write_all(format!("{event}\n").as_bytes()).unwrap();
    }
}

/// nginx with nchan, two workers.
struct Nchan {
    process: Child,
    folder: tempfile::TempDir,
    address: String,
    messages: Vec<Vec<u8>>,
    sent_count: usize,
}

impl Nchan {
    fn start(messages: Vec<Vec<u8>>) -> Nchan {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        let config = format!(
            "load_module {NCHAN};\nuser root;\nworker_processes 2;\ndaemon off;\npid {:?};\nerror_log {:?};\n\
             events {{ worker_connections 12000; }}\n\
             http {{ access_log off; client_body_temp_path {:?}; server {{ listen 127.0.0.1:{port} backlog=8192;\n\
             location = /tell {{ nchan_publisher; nchan_channel_id hall; nchan_message_buffer_length 10; }}\n\
             location = /events {{ nchan_subscriber eventsource; nchan_channel_id hall; nchan_subscriber_first_message newest; }} }} }}\n",
            path("pid"),
            path("errors"),
            path("bodies"),
        );
        fs::write(path("nginx.conf"), config).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-c").arg(path("nginx.conf")).arg("-p").arg(folder.path());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let address = format!("127.0.0.1:{port}");
        while TcpStream::connect(&address).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Nchan { process, folder, address, messages, sent_count: 0 }
    }
}

impl Server for Nchan {
    fn address(&self) -> String {
        self.address.clone()
    }

    fn path(&self) -> String {
        "/events".to_owned()
    }

    fn processes(&self) -> Vec<u32> {
        let master = self.process.id();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
        children.split_whitespace().map(|child| child.parse().unwrap()).collect()
    }

    fn send_next(&mut self) {
        let message = &self.messages[self.sent_count % self.messages.len()];
        self.sent_count += 1;
        // nchan writes `id:` and `data:` itself.
        let data = String::from_utf8_lossy(message);
        let data = data.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        let head = format!("POST /tell HTTP/1.0\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{data}", data.len());
        assert!(request(&self.address, head.as_bytes()).unwrap().contains(" 20"), "nchan takes the message");
    }

    fn sent_events(&mut self, _: Vec<u8>) {}
}

impl Drop for Nchan {
    fn drop(&mut self) {
        // Stop the master process, so that it stops its workers.
        let mut stop = Command::new("nginx");
        stop.arg("-c")
            .arg(self.folder.path().join("nginx.conf"))
            .arg("-p")
            .arg(self.folder.path())
            .args(["-s", "stop"]);
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = self.process.wait();
    }
}

/// Sends a request, and reads until the server closes the connection.
fn request(address: &str, bytes: &[u8]) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(bytes).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Returns the resident memory of processes, in kB.
fn memory(processes: &[u32]) -> u64 {
    let of = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    processes.iter().map(of).sum()
}

/// Returns the processor time of processes, in ns.
fn processor_time(processes: &[u32]) -> u64 {
    let of = |process: &u32| {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
        let of_task = |task: std::io::Result<fs::DirEntry>| {
            let text = fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
            text.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        };
        tasks.map(of_task).sum::<u64>()
    };
    processes.iter().map(of).sum()
}
