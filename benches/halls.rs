//! Measures the station with growing numbers of boards: processor, memory, and how late lines are.
//!
//! ```text
//! cargo bench --bench halls                    64 and 256 boards, 40 s each
//! cargo bench --bench halls -- 60 64 256 1024  60 s each of these
//! ```
//!
//! With `DAMCAST_GROUP`, folders of control groups separated by `:`, the station runs in these groups together with its pages, which have twenty
//! viewers, and its desk: `scripts/smallest-machine` makes such groups.
//!
//! Each board is a simulated one at a pseudo-terminal: calm hands that play a ply in about ten seconds, and a clock that reports once a
//! second. The boards play an open round of a tournament. The simulation runs in this process; only the station is measured.
//!
//! | column | meaning |
//! |---|---|
//! | processor | time of the station after all games have begun, in percent of a core |
//! | memory | largest resident memory of the station (`VmHWM`) |
//! | p50, p99, longest | from the press of a clock to the line in the live file, as inotify reports it |

#![allow(clippy::unwrap_used, reason = "a measurement that meets what it did not expect should stop there")]

use std::collections::BTreeMap;
use std::fs;
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use damcast::simulation::games::{self, DEMONSTRATION, SourceGame};
use damcast::simulation::port::{Port, play};
use damcast::simulation::script;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::truth::Event;
use hardware_sim::world::{SeatConfig, World};
use rustix::fs::inotify;

#[allow(dead_code, reason = "each benchmark uses a part of it")]
#[path = "common/watchers.rs"]
mod watchers;

/// Time for the first moves of all boards, before the processor is measured.
const WARM_UP: Duration = Duration::from_secs(15);
/// Unit of times in `/proc/PID/stat`, which Linux shows in hundredths of a second on every machine.
const MILLIS_A_TICK: u64 = 10;
/// Time control of the games: base and increment in seconds.
const TIME_CONTROL: &str = "300+6";
/// Number of viewers of the pages in a control group.
const VIEWERS: usize = 20;

fn main() {
    let arguments: Vec<u64> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").map(|text| text.parse().unwrap()).collect();
    let span = Duration::from_secs(arguments.first().copied().unwrap_or(40));
    let counts = arguments.get(1..).filter(|counts| !counts.is_empty()).unwrap_or(&[64, 256]);
    println!("boards  processor  a board  memory  a board   lines   p50 ms   p99 ms  longest ms");
    let mut first: Option<(u64, f64)> = None;
    for &boards in counts {
        let hall = measure(boards as usize, span);
        let (before, processor) = *first.get_or_insert((boards, hall.processor));
        println!(
            "{boards:>6} {:>8.1} % {:>6.3} % {:>4} MB {:>5} kB {:>7} {:>8.1} {:>8.1} {:>11.1}   {:.2} x that of {before}",
            hall.processor,
            hall.processor / boards as f64,
            hall.memory / 1024,
            hall.memory / boards,
            hall.delays.len(),
            hall.delay(0.5),
            hall.delay(0.99),
            hall.delay(1.0),
            hall.processor / processor,
        );
    }
}

/// Figures of one run.
struct Figures {
    /// Percent of a core.
    processor: f64,
    /// In kB.
    memory: u64,
    /// From a press to its line, in ms, in ascending order.
    delays: Vec<f64>,
}

impl Figures {
    fn delay(&self, share: f64) -> f64 {
        let last = self.delays.len().saturating_sub(1);
        self.delays.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN)
    }
}

/// Process that is killed when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// Starts a command of damcast with the configuration of a folder, in the control groups of `DAMCAST_GROUP`.
    fn start(folder: &Path, name: &str) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
        command.args([name, "--config", "damcast.toml"]).current_dir(folder);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        for group in groups() {
            fs::write(Path::new(&group).join("cgroup.procs"), process.id().to_string()).unwrap();
        }
        Process(process)
    }

    /// Returns the processor time so far.
    fn processor(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * MILLIS_A_TICK)
    }

    /// Returns the largest resident memory, in kB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }
}

/// Returns the folders of the control groups in `DAMCAST_GROUP`.
fn groups() -> Vec<String> {
    let groups = std::env::var("DAMCAST_GROUP").unwrap_or_default();
    groups.split(':').filter(|group| !group.is_empty()).map(str::to_owned).collect()
}

/// Pages with viewers, and a desk.
struct Pages {
    _servers: [Process; 2],
    stop: Arc<AtomicBool>,
    viewers: Option<std::thread::JoinHandle<()>>,
}

impl Pages {
    fn start(folder: &Path) -> Pages {
        let [pages, desk] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
        let config = folder.join("damcast.toml");
        let mut text = fs::read_to_string(&config).unwrap();
        text += &format!("[serve]\naddress = \"{pages}\"\n[desk]\naddress = \"{desk}\"\n");
        fs::write(config, text).unwrap();
        let servers = ["serve", "desk"].map(|name| Process::start(folder, name));
        for address in [pages, desk] {
            wait_until(|| std::net::TcpStream::connect(address).is_ok());
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let viewers = std::thread::spawn(move || {
            let mut watchers = watchers::Watchers::connect(&pages.to_string(), "/events", VIEWERS, 0);
            while !stopped.load(Ordering::Relaxed) {
                watchers.read(|_, _| ());
            }
        });
        Pages { _servers: servers, stop, viewers: Some(viewers) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A viewer without its stream panics.
        self.viewers.take().into_iter().for_each(|viewers| viewers.join().unwrap());
    }
}

fn damcast(folder: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

/// Writes the configuration, and a tournament whose first round has a pairing for each board.
fn set_up(folder: &Path, boards: usize) {
    let mut config = "[station]\ndirectory = \"recordings\"\n[public]\nprofile = \"standard\"\n".to_owned();
    let mut pairings = "Round;Board;White;Black;Result\n".to_owned();
    for board in 1..=boards {
        config += &format!("[[line]]\nname = \"board-{board}\"\nport = \"ports/board-{board}\"\ngame-type = \"20\"\n");
        pairings += &format!("1;{board};\"White, {board}\";\"Black, {board}\";*\n");
    }
    fs::write(folder.join("damcast.toml"), config).unwrap();
    fs::write(folder.join("pairings.csv"), pairings).unwrap();
    fs::create_dir(folder.join("ports")).unwrap();
    assert!(damcast(folder, &["tournament", "import", "pairings.csv", "--confirm", "--config", "damcast.toml"]));
}

fn world(games: &[SourceGame], index: usize) -> World {
    let profile = NoiseProfile::ideal();
    let game = &games[index % games.len()];
    let script = script::game(&game.start, &game.moves, TIME_CONTROL.parse().ok(), &profile, index as u64);
    World::new(SeatConfig::new(10, 10, script, profile, index as u64)).unwrap()
}

fn measure(boards: usize, span: Duration) -> Figures {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path();
    set_up(folder, boards);
    let games = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    let (may_start, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let hall: Vec<_> = (0..boards)
        .map(|index| {
            let port = Port::open(&folder.join(format!("ports/board-{}", index + 1))).unwrap();
            let (mut world, may_start, stop) = (world(&games, index), may_start.clone(), stop.clone());
            std::thread::spawn(move || {
                while !may_start.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                let mut start: Option<Instant> = None;
                play(&mut world, &port, 1.0, |world| {
                    // The clock of the world is exact just after it was set; a later look finds it behind.
                    if world.now_ms() > 0 {
                        let seen = Instant::now() - Duration::from_millis(world.now_ms());
                        start = Some(start.map_or(seen, |start| start.min(seen)));
                    }
                    stop.load(Ordering::Relaxed)
                })
                .unwrap();
                presses(&world, start.unwrap())
            })
        })
        .collect();
    let station = Process::start(folder, "run");
    let live = folder.join("recordings/live");
    wait_until(|| {
        live.is_dir() && damcast(folder, &["ctl", "round", "open", "1", "--confirm", "--config", "damcast.toml"])
    });
    let pages = (!groups().is_empty()).then(|| Pages::start(folder));
    let watcher = watch(&live, stop.clone());
    may_start.store(true, Ordering::Relaxed);
    std::thread::sleep(WARM_UP);
    let (before, began) = (station.processor(), Instant::now());
    std::thread::sleep(span);
    let processor = (station.processor() - before).as_secs_f64() / began.elapsed().as_secs_f64() * 100.0;
    // Lines of the last presses are still on their way.
    let end = Instant::now();
    std::thread::sleep(Duration::from_secs(2));
    let memory = station.memory();
    stop.store(true, Ordering::Relaxed);
    drop(pages);
    let presses: Vec<Vec<Instant>> = hall.into_iter().map(|board| board.join().unwrap()).collect();
    let seen = watcher.join().unwrap();
    let mut delays = Vec::new();
    for (index, presses) in presses.iter().enumerate() {
        let lines = seen.get(&format!("board-{}-1.pdn", index + 1)).map_or(&[][..], Vec::as_slice);
        let due = presses.iter().filter(|press| **press < end).count();
        assert!(lines.len() >= due, "board {}: {} lines for {due} presses", index + 1, lines.len());
        delays.extend(presses.iter().zip(lines).map(|(press, line)| (*line - *press).as_secs_f64() * 1000.0));
    }
    delays.sort_by(f64::total_cmp);
    Figures { processor, memory, delays }
}

/// Returns the times of all presses so far.
fn presses(world: &World, start: Instant) -> Vec<Instant> {
    let presses = world.truth().iter().filter(|entry| matches!(entry.event, Event::Pressed { .. }));
    presses.map(|entry| start + Duration::from_millis(entry.at_ms)).collect()
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "the station does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Notes when each line with a ply appeared, by file.
fn watch(live: &Path, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<BTreeMap<String, Vec<Instant>>> {
    let watcher = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watcher, live, inotify::WatchFlags::MODIFY).unwrap();
    let live = live.to_owned();
    std::thread::spawn(move || {
        let mut seen: BTreeMap<String, Vec<Instant>> = BTreeMap::new();
        let mut buffer = [MaybeUninit::uninit(); 65_536];
        while !stop.load(Ordering::Relaxed) {
            let mut reader = inotify::Reader::new(&watcher, &mut buffer);
            while let Ok(event) = reader.next() {
                let now = Instant::now();
                let Some(name) = event.file_name().and_then(|name| name.to_str().ok()) else { continue };
                let text = fs::read_to_string(live.join(name)).unwrap_or_default();
                let lines = text.lines().filter(|line| line.contains("[%clock")).count();
                let times = seen.entry(name.to_owned()).or_default();
                times.resize(times.len().max(lines), now);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        seen
    })
}
