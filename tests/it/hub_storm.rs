//! Three halls play as one event, with real stations, pages, a hub and its pages. Any of them is killed or stopped at any time, and the way to
//! one hall is cut or slow.
//!
//! | it is | expectation at the end |
//! |---|---|
//! | the copy of a hall | equal to the file of the hall |
//! | the joined file | each line of each hall once, in the order of the hall, under one generation |
//! | a viewer who follows the hub's pages | has the joined file, without a hole |

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::playing_hall::Hall;
use crate::random::Random;
use crate::serve::hub::{HubFixture, wait_long};
use crate::serve::{Server, serve};

/// Network between a hall and the hub.
struct Way {
    address: String,
    is_cut: Arc<AtomicBool>,
    /// Delay of each piece, in ms.
    delay: Arc<AtomicU64>,
}

impl Way {
    fn to(server: &str) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (is_cut, delay) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let way = Way { address, is_cut: is_cut.clone(), delay: delay.clone() };
        let server = server.to_owned();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&server) else { continue };
                for (from, to) in [(near.try_clone(), far.try_clone()), (far.try_clone(), near.try_clone())] {
                    let (Ok(from), Ok(to)) = (from, to) else { continue };
                    let (is_cut, delay) = (is_cut.clone(), delay.clone());
                    std::thread::spawn(move || forward(from, to, &is_cut, &delay));
                }
            }
        });
        way
    }
}

/// Forwards bytes until the way is cut or one side closes.
fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool, delay: &AtomicU64) {
    let _ = from.set_read_timeout(Some(Duration::from_millis(50)));
    let mut bytes = [0; 4096];
    while !is_cut.load(Ordering::Relaxed) {
        match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => {
                std::thread::sleep(Duration::from_millis(delay.load(Ordering::Relaxed)));
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
}

/// Viewer who follows the lines of the hub's pages, and connects again after each interruption.
struct Follower {
    lines: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Follower {
    fn of(address: &str) -> Follower {
        let (lines, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (address, seen, stopped) = (address.to_owned(), lines.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let _ = follow(&address, &seen, &stopped);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Follower { lines, stop, thread: Some(thread) }
    }
}

fn follow(address: &str, lines: &Mutex<Vec<String>>, stop: &AtomicBool) -> std::io::Result<()> {
    let (from, generation) = {
        let lines = lines.lock().unwrap();
        let generation =
            lines.first().map(|line| serde_json::from_str::<Value>(line).unwrap()["gen"].as_str().unwrap().to_owned());
        (lines.len() + 1, generation.map_or(String::new(), |generation| format!("gen={generation}&")))
    };
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(
        format!("GET /events?{generation}from={from}&follow HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes(),
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    assert!(!line.contains(" 404 "), "another generation: {line}");
    if !line.contains(" 200 ") {
        return Ok(());
    }
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line)?;
    }
    line.clear();
    while !stop.load(Ordering::Relaxed) {
        match reader.read_line(&mut line) {
            Ok(0) => return Ok(()),
            Ok(_) if line.starts_with("{\"alive\"") => line.clear(),
            Ok(_) => lines.lock().unwrap().push(std::mem::take(&mut line)),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Lets three halls play for a time, while anything fails.
fn storm(boards: usize, time: Duration, seed: u64) {
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut halls: Vec<Hall> = (0..3).map(|_| Hall::begin(boards)).collect();
    let way = Way::to(&halls[2].address);
    let places = [
        format!("folder = {:?}", halls[0].path("public")),
        format!("url = \"http://{}\"", halls[1].address),
        format!("url = \"http://{}\"", way.address),
    ];
    let names = ["a", "b", "c"];
    let mut hub = HubFixture::new(&[(names[0], &places[0]), (names[1], &places[1]), (names[2], &places[2])]);
    let pages_address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let config = hub.path("").with_file_name("pages.toml");
    fs::write(&config, format!("[serve]\naddress = {pages_address:?}\noutlet = {:?}\n", hub.path(""))).unwrap();
    wait_long("the first joined line", || !hub.read("events.ndjson").is_empty());
    let mut pages: Option<Server> = Some(serve(&config));
    let mut viewer = Follower::of(&pages_address);
    wait_long("lines of all halls", || names.iter().all(|name| hub.joined().iter().any(|(hall, ..)| hall == name)));
    let generation = hub.generation();
    let end = Instant::now() + time;
    let mut done = [0; 7];
    while Instant::now() < end {
        let hall = random.below(3);
        let what = random.below(done.len());
        done[what] += 1;
        match what {
            0 => halls[hall].restart(),
            1 => {
                halls[hall].server = None;
                std::thread::sleep(Duration::from_millis(random.below(1000) as u64));
                halls[hall].serve();
            }
            2 => {
                hub.kill();
                std::thread::sleep(Duration::from_millis(random.below(1000) as u64));
                hub.start();
            }
            3 => {
                drop(pages.take());
                pages = Some(serve(&config));
            }
            4 => {
                way.is_cut.store(true, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(random.below(3000) as u64));
                way.is_cut.store(false, Ordering::Relaxed);
            }
            5 => {
                way.delay.store(2000, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(random.below(4000) as u64));
                way.delay.store(0, Ordering::Relaxed);
            }
            _ => {
                let process = match random.below(2) {
                    0 => hub.hub.as_ref().map(Pid::from_child),
                    _ => halls[hall].server.as_ref().map(|server| Pid::from_child(&server.process)),
                };
                if let Some(process) = process {
                    kill_process(process, Signal::STOP).unwrap();
                    std::thread::sleep(Duration::from_millis(random.below(3000) as u64));
                    kill_process(process, Signal::CONT).unwrap();
                }
            }
        }
        std::thread::sleep(Duration::from_millis(random.below(800) as u64));
    }
    println!("kills of stations, pages, hub, its pages; cuts, delays, stops: {done:?}");
    // Quiet: the stations end, and write no more.
    for hall in &mut halls {
        hall.station.signal(Signal::TERM);
    }
    for (hall, name) in halls.iter().zip(names) {
        let events = hall.read("public/events.ndjson");
        wait_long(&format!("the copy of {name}"), || hub.read(&format!("hall/{name}/events.ndjson")) == events);
        let count = events.lines().count();
        let numbers =
            || hub.joined().into_iter().filter(|(hall, ..)| hall == name).map(|(_, seq, _)| seq).collect::<Vec<_>>();
        wait_long(&format!("the lines of {name}"), || numbers().len() >= count);
        assert_eq!(numbers(), (1..=count as u64).collect::<Vec<_>>(), "{name}");
        println!("hall {name}: {count} lines");
    }
    assert_eq!(hub.generation(), generation, "the joined file kept its generation");
    // The hub may still add lines about halls: it stops too.
    hub.kill();
    let joined = hub.read("events.ndjson");
    wait_long("the viewer", || viewer.lines.lock().unwrap().len() >= joined.lines().count());
    viewer.stop.store(true, Ordering::Relaxed);
    viewer.thread.take().unwrap().join().unwrap();
    assert!(*viewer.lines.lock().unwrap().concat() == *joined, "the viewer has other lines than the file");
}

#[test]
fn halls_stay_whole_while_anything_fails() {
    storm(2, Duration::from_secs(20), 34);
}

/// `scripts/halls` runs it.
#[test]
#[ignore = "takes the minutes of DAMCAST_MINUTES"]
fn large_halls_stay_whole_for_minutes() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    storm(16, Duration::from_secs(60 * number("DAMCAST_MINUTES", 10)), number("DAMCAST_SEED", 34));
}
