//! Three halls play as one event, with real stations, pages, a hub, its pages and nginx in front of them. Any of them is killed or stopped at
//! any time, and the way to one hall is cut or slow.
//!
//! | it is | expectation at the end |
//! |---|---|
//! | the copy of a hall | equal to the file of the hall |
//! | the joined file | each line of each hall once, in the order of the hall, under one generation |
//! | a program that follows the hub's lines through nginx | has the joined file, without a hole |
//! | a browser at the hub's pages through nginx | showed only moves of the live files, took none back, and shows all of them |

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::browser::Browser;
use crate::hall_in_browser::{Viewers, check_notes};
use crate::nginx::Nginx;
use crate::playing_hall::Hall;
use crate::program::free_address;
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

/// Program that follows the lines of the hub's pages, and connects again after each interruption.
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
        format!("GET /events?{generation}from={from}&follow HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes(),
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
            Ok(_) if line.ends_with('\n') => lines.lock().unwrap().push(std::mem::take(&mut line)),
            // The connection has ended within the line.
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// An event: halls, their hub, its pages behind a proxy, and viewers.
struct Event {
    halls: Vec<Hall>,
    way: Way,
    hub: HubFixture,
    config: PathBuf,
    pages: Option<Server>,
    proxy: Option<Nginx>,
    viewers: Option<Viewers>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Event {
    fn begin(boards: usize) -> Event {
        let halls: Vec<Hall> = NAMES.iter().map(|_| Hall::begin(boards)).collect();
        let way = Way::to(&halls[2].address);
        let places = [
            format!("folder = {:?}", halls[0].path("public")),
            format!("url = \"http://{}\"", halls[1].address),
            format!("url = \"http://{}\"", way.address),
        ];
        let places = NAMES.into_iter().zip(places.iter().map(String::as_str)).collect::<Vec<_>>();
        let hub = HubFixture::new(&places);
        let address = free_address();
        let config = hub.path("").with_file_name("pages.toml");
        fs::write(&config, format!("[serve]\naddress = {address:?}\noutlet = {:?}\n", hub.path(""))).unwrap();
        wait_long("lines of all halls", || {
            let joined = hub.joined();
            NAMES.iter().all(|name| joined.iter().any(|(hall, ..)| hall == name))
        });
        let (pages, proxy) = (Some(serve(&config)), Nginx::cache_of(&address));
        let mut event = Event { halls, way, hub, config, pages, proxy, viewers: None };
        event.viewers = Browser::open()
            .map(|browser| Viewers::open(browser, &event.address(), &["/".to_owned(), "/board/b.board-1".to_owned()]));
        event
    }

    /// Returns the address for viewers.
    fn address(&self) -> String {
        let pages = || self.pages.as_ref().unwrap().address.clone();
        self.proxy.as_ref().map_or_else(pages, |proxy| proxy.address.clone())
    }

    /// Lets something fail.
    fn strike(&mut self, what: usize, random: &mut Random) {
        let mut pause = |most: usize| std::thread::sleep(Duration::from_millis(random.below(most) as u64));
        let hall = what % self.halls.len();
        match what / self.halls.len() {
            0 => self.halls[hall].restart(),
            1 => {
                self.halls[hall].server = None;
                pause(1000);
                self.halls[hall].serve();
            }
            2 => {
                self.hub.kill();
                pause(1000);
                self.hub.start();
            }
            3 => {
                drop(self.pages.take());
                pause(1000);
                self.pages = Some(serve(&self.config));
            }
            4 => {
                self.way.is_cut.store(true, Ordering::Relaxed);
                pause(3000);
                self.way.is_cut.store(false, Ordering::Relaxed);
            }
            5 => {
                self.way.delay.store(2000, Ordering::Relaxed);
                pause(4000);
                self.way.delay.store(0, Ordering::Relaxed);
            }
            6 => {
                let Some(proxy) = &mut self.proxy else { return };
                proxy.kill();
                pause(1000);
                proxy.restart();
            }
            _ => {
                let process = match hall {
                    0 => self.hub.hub.as_ref().map(Pid::from_child),
                    1 => self.pages.as_ref().map(|pages| Pid::from_child(&pages.process)),
                    _ => self.halls[1].server.as_ref().map(|server| Pid::from_child(&server.process)),
                };
                if let Some(process) = process {
                    kill_process(process, Signal::STOP).unwrap();
                    pause(3000);
                    kill_process(process, Signal::CONT).unwrap();
                }
            }
        }
    }

    /// Waits until the copies and the joined file have all lines of the halls, each once.
    fn check_lines(&self) {
        for (hall, name) in self.halls.iter().zip(NAMES) {
            let (hub, events) = (&self.hub, hall.read("public/events.ndjson"));
            wait_long(&format!("the copy of {name}"), || hub.read(&format!("hall/{name}/events.ndjson")) == events);
            let count = events.lines().count();
            let numbers = || {
                let of_hall = hub.joined().into_iter().filter(|(hall, ..)| hall == name);
                of_hall.map(|(_, seq, _)| seq).collect::<Vec<_>>()
            };
            wait_long(&format!("the lines of {name}"), || numbers().len() >= count);
            assert_eq!(numbers(), (1..=count as u64).collect::<Vec<_>>(), "{name}");
            println!("hall {name}: {count} lines");
        }
    }

    /// Asserts that everything the browser ever showed is in the live files, and that at the end it shows all of them.
    fn check_viewers(&mut self) {
        let Some(viewers) = &mut self.viewers else { return };
        let prefixes = NAMES.map(|name| format!("{name}."));
        let halls: Vec<(&str, &Hall)> = prefixes.iter().map(String::as_str).zip(&self.halls).collect();
        viewers.wait_for_all_moves(&halls);
        viewers.collect_notes();
        for (path, notes) in &viewers.notes {
            let compared = check_notes(&halls, notes, path);
            println!("{path}: {compared} states compared");
            assert!(compared > 10, "{path}: {compared} states");
        }
        let complaints = viewers.browser.page_errors();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// Lets three halls play for a time, while anything fails.
fn storm(boards: usize, time: Duration, seed: u64) {
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut event = Event::begin(boards);
    let mut follower = Follower::of(&event.address());
    let generation = event.hub.generation();
    let end = Instant::now() + time;
    let mut done = [0; 8 * NAMES.len()];
    while Instant::now() < end {
        let what = random.below(done.len());
        done[what] += 1;
        event.strike(what, &mut random);
        std::thread::sleep(Duration::from_millis(random.below(800) as u64));
        event.viewers.iter_mut().for_each(Viewers::collect_notes);
    }
    let done: Vec<i32> = done.chunks(NAMES.len()).map(|halls| halls.iter().sum()).collect();
    println!("kills of stations, their pages, hub, its pages; cuts, delays; kills of the proxy; stops: {done:?}");
    // Quiet: the stations end, and write no more.
    for hall in &mut event.halls {
        hall.station.signal(Signal::TERM);
    }
    event.check_lines();
    assert_eq!(event.hub.generation(), generation, "the joined file kept its generation");
    // The hub may still add lines about halls: it stops too.
    event.hub.kill();
    let joined = event.hub.read("events.ndjson");
    wait_long("the follower", || follower.lines.lock().unwrap().len() >= joined.lines().count());
    follower.stop.store(true, Ordering::Relaxed);
    follower.thread.take().unwrap().join().unwrap();
    assert!(*follower.lines.lock().unwrap().concat() == *joined, "the follower has other lines than the file");
    event.check_viewers();
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
