//! `boardsim serve`: serves lines of boards at their ports, and prints the truth about them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use anyhow::Context;
use damcast::simulation::host_port::{Address, HostPort};
use damcast::simulation::report::{Reporter, introduction};
use damcast::simulation::scenario::{BoardPlan, LinePlan, ReadyLine, Scenario};
use damcast::simulation::serve::{KeepGoing, ServeEvent, ServeSettings, serve};
use damcast::station::output::print_line;
use serde_json::Value;

use crate::{STOP_REQUESTED, stop_on_signals};

/// Time that the boards stay after the last game, on their own clock, with `--exit-when-done`.
const STAYS_MS: u64 = 60_000;

#[derive(clap::Args)]
pub struct Arguments {
    /// Number of boards on one line.
    #[arg(long, value_name = "BOARDS", value_parser = clap::value_parser!(u16).range(1..=256))]
    bus: Option<u16>,
    /// Number of boards, each on its own line.
    #[arg(long, value_name = "BOARDS", value_parser = clap::value_parser!(u16).range(1..=256))]
    single: Option<u16>,
    /// Lines, boards, faults and incidents from a TOML file.
    #[arg(long, conflicts_with_all = ["bus", "single", "faults", "pdn", "hands", "clock"])]
    scenario: Option<PathBuf>,
    /// Folder for the ports: symlinks named `bus`, `board-1`, or as in the scenario.
    #[arg(long, default_value = ".")]
    ports: PathBuf,
    /// Serve at this TCP port of the loopback interface. Further lines use the next ports; 0: any free ports.
    #[arg(long)]
    tcp: Option<u16>,
    /// Files with the games, dealt out in turn; the demonstration's if omitted.
    #[arg(long)]
    pdn: Vec<PathBuf>,
    /// Game type of files without one.
    #[arg(long)]
    game_type: Option<String>,
    /// Maximum number of plies per game.
    #[arg(long)]
    plies: Option<usize>,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// Way of playing: ideal, calm, club or blitz.
    #[arg(long, default_value = "ideal")]
    hands: String,
    /// Piece codes: draughts, draughts-old or chess. draughts-old is older firmware; in chess pawns are men and queens are kings.
    #[arg(long, default_value = "draughts")]
    set: String,
    /// Command code that the boards do not answer, such as 0x42; repeatable.
    #[arg(long, value_name = "CODE", value_parser = code)]
    ignore: Vec<u8>,
    /// Fault, as NAME, NAME=RATE or NAME@BYTE; to-boards: before it reverses the way. Names: lose, double, flip, insert, cut, delay,
    /// wrong-checksum, garbage-at-open; `line`: all of these; or a fault of the hands.
    #[arg(long)]
    faults: Vec<String>,
    /// Speed, as a multiple of real time.
    #[arg(long)]
    speed: Option<f64>,
    /// Seed of everything random.
    #[arg(long)]
    seed: Option<u64>,
    /// Start the boards at once instead of with a host's first byte.
    #[arg(long)]
    at_once: bool,
    /// File for the truth, as JSON lines; standard output if omitted.
    #[arg(long)]
    truth: Option<PathBuf>,
    /// End a minute after the games, on the boards' clock. Otherwise the boards stay until they are stopped.
    #[arg(long)]
    exit_when_done: bool,
}

/// Parses the code of a command: 0x42 or 66.
fn code(text: &str) -> Result<u8, String> {
    let read = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u8::from_str_radix(digits, 16));
    read.map_err(|_| format!("`{text}` is not the code of a command, as 0x42 is"))
}

/// Serves until stopped.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (scenario, folder) = scenario(arguments)?;
    let speed = scenario.speed;
    anyhow::ensure!(speed.is_finite() && (0.01..=10_000.0).contains(&speed), "speed {speed}: expected 0.01 to 10000");
    let lines = scenario.lines(&folder)?;
    anyhow::ensure!(!lines.is_empty(), "no board: say --bus, --single or --scenario");
    let output: Box<dyn Write + Send> = match &arguments.truth {
        Some(path) => Box::new(std::fs::File::create(path).with_context(|| path.display().to_string())?),
        None => Box::new(std::io::stdout()),
    };
    let output = Mutex::new(output);
    std::fs::create_dir_all(&arguments.ports).with_context(|| arguments.ports.display().to_string())?;
    stop_on_signals()?;
    let mut doors = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        let tcp = arguments.tcp.map(|first| if first == 0 { 0 } else { first.saturating_add(index as u16) });
        let address = line.tcp.or(tcp).map_or_else(|| Address::Link(arguments.ports.join(&line.name)), Address::Tcp);
        let host_port = HostPort::open(address.clone()).with_context(|| address.to_string())?;
        if arguments.truth.is_some() {
            let (count, plural) = (line.games.len(), if line.games.len() == 1 { "" } else { "s" });
            print_line(format_args!("{}: {count} board{plural} at {}", line.name, host_port.address()))?;
        }
        doors.push((line, host_port));
    }
    if let Some(truth) = &arguments.truth {
        print_line(format_args!("the truth about them goes to {}; Ctrl-C ends it", truth.display()))?;
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = doors
            .into_iter()
            .map(|(line, host_port)| {
                scope.spawn(|| serve_line(line, host_port, &scenario, arguments.exit_when_done, &output))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(_) => anyhow::bail!("a simulated line panicked"),
        })
    })
}

fn serve_line(
    mut line: ReadyLine,
    mut host_port: HostPort,
    scenario: &Scenario,
    exit_when_done: bool,
    output: &Mutex<Box<dyn Write + Send>>,
) -> anyhow::Result<()> {
    let mut reporter = Reporter::new(&line.name);
    // If the reader of the output is gone, the boards continue without it.
    let tell = |values: Vec<Value>| {
        if !values.is_empty() {
            let text: String = values.iter().map(|value| format!("{value}\n")).collect();
            let mut output = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        }
    };
    tell(introduction(&line, scenario.seed, scenario.speed));
    let mut serve_settings = ServeSettings { speed: scenario.speed, at_once: scenario.at_once, names: line.names };
    let served = serve(&mut line.world, &mut host_port, &mut serve_settings, |world, report| {
        match report {
            ServeEvent::Open(address) => tell(vec![reporter.port(world, Some(address.to_string()))]),
            ServeEvent::Closed => tell(vec![reporter.port(world, None)]),
            ServeEvent::Advanced => tell(reporter.take_reports(world)),
        }
        let done = exit_when_done && world.now_ms() > world.end_ms() + STAYS_MS;
        if done || STOP_REQUESTED.load(Ordering::Relaxed) { KeepGoing::Stop } else { KeepGoing::On }
    });
    served.with_context(|| format!("line {}: the port broke", line.name))
}

/// Returns the requested scenario, and the folder of its files.
fn scenario(arguments: &Arguments) -> anyhow::Result<(Scenario, PathBuf)> {
    let (mut scenario, folder) = match &arguments.scenario {
        Some(path) => {
            let file = path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(|| file.clone())?;
            (Scenario::from_toml(&file, &text)?, path.parent().unwrap_or(Path::new("")).to_owned())
        }
        None => (from_arguments(arguments), PathBuf::new()),
    };
    scenario.speed = arguments.speed.unwrap_or(scenario.speed);
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    scenario.at_once |= arguments.at_once;
    Ok((scenario, folder))
}

fn from_arguments(arguments: &Arguments) -> Scenario {
    let files = arguments.pdn.len().max(1);
    // Deal the boards over the files, and the games of each file over its boards.
    let board = |number: usize| BoardPlan {
        pdn: arguments.pdn.get(number % files).cloned(),
        deal: Some(number / files),
        game_type: arguments.game_type.clone(),
        plies: arguments.plies,
        clock: arguments.clock.clone(),
        hands: arguments.hands.clone(),
        turned: number % 2 == 1,
        set: arguments.set.clone(),
        ignores: arguments.ignore.clone(),
        ..BoardPlan::default()
    };
    let line = |name: String, boards: Vec<BoardPlan>| LinePlan {
        name,
        faults: arguments.faults.clone(),
        board: boards,
        ..LinePlan::default()
    };
    let (on_bus, alone) = (usize::from(arguments.bus.unwrap_or(0)), usize::from(arguments.single.unwrap_or(0)));
    let mut lines = Vec::new();
    if on_bus > 0 {
        lines.push(line("bus".to_owned(), (0..on_bus).map(board).collect()));
    }
    lines.extend((0..alone).map(|number| line(format!("board-{}", number + 1), vec![board(on_bus + number)])));
    Scenario { line: lines, ..Scenario::default() }
}
