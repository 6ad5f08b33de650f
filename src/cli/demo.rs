//! `damcast demo`: simulated boards on real pseudo-terminals, recorded by the real station, shown in the terminal and on its pages.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use damcast::control::logins::LoginCodes;
use damcast::control::overview::BoardView;
use damcast::control::{DeskUser, Role, SOCKET_NAME};
use damcast::engine::bytelog::Mode;
use damcast::outward::desk::DeskOptions;
use damcast::outward::state_file::StateFiles;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::simulation::port::{Port, play};
use damcast::simulation::script;
use damcast::station::config::{
    AlarmConfig, Config, ControlConfig, EntryConfig, LineConfig, LogConfig, OutletConfig, TournamentConfig,
};
use damcast::station::disk::Durability;
use damcast::station::line::LineReport;
use damcast::station::link::PortAddress;
use damcast::station::operate::observer;
use damcast::station::operate::supervisor;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::truth::Event;
use hardware_sim::world::{SeatConfig, World};
use tokio::sync::{Notify, watch};

use super::boards::{BoardTable, time};
use super::demo_event;
use super::output::{self, print_line};
use super::screen::{Screen, ScreenCommand, TerminalSignals};
use super::serve;

/// Time that a board stays after its game, on its own clock: its file is closed meanwhile.
const STAYS_MS: u64 = 20_000;
/// Numbers of rounds that few boards play, and many.
const ROUNDS: [usize; 2] = [6, 3];
/// Largest number of boards that play many rounds.
const FEW_BOARDS: usize = 8;
/// Time from the end of the last game of a round, and from the start position of the last board, to the next games: the arbiter enters
/// results meanwhile.
const BREAK_MS: u64 = 120_000;
/// Lifetime of the login code for the operator's page: longer than that of a station, for people who look around.
const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Interval at which a board that has not begun looks for its pairing.
const PAIRING_INTERVAL: Duration = Duration::from_millis(20);
/// Interval at which the table is redrawn.
const REFRESH_INTERVAL: Duration = Duration::from_millis(200);

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 ended; 1 it could not be shown; 2 a wrong argument.

Examples:
  damcast demo                              four boards play some rounds, twenty times as fast as life; Ctrl-C ends it
  damcast demo --boards 8 --exit-when-done  one round, until the last game is over")]
pub struct Arguments {
    /// Number of boards.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    boards: u16,
    /// Speed of play, as a multiple of real time.
    #[arg(long, default_value_t = 20.0)]
    speed: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder to record into; a new one if omitted.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Play one round, and end when all games are over; otherwise Ctrl-C ends the demonstration.
    #[arg(long)]
    exit_when_done: bool,
}

/// Plays the games and records them.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let speed = arguments.speed;
    anyhow::ensure!(speed.is_finite() && (0.1..=1000.0).contains(&speed), "--speed {speed}: expected 0.1 to 1000");
    let directory = folder(arguments.dir.as_deref())?;
    let listener = serve::bind((std::net::Ipv4Addr::LOCALHOST, 0).into())?;
    let viewers = serve::viewer_address(&listener)?;
    let logins = LoginCodes::default();
    let desk = super::desk::bind((std::net::Ipv4Addr::LOCALHOST, 0).into())?;
    let person = DeskUser { name: super::tournament::user(), role: Role::Operator };
    let code = logins.issue_for(person, std::time::Instant::now(), CODE_LIFETIME).map_err(anyhow::Error::msg)?;
    let operator = format!("{}?code={code}", serve::viewer_address(&desk)?);
    // The addresses come first, each on its own line, so that programs can read them.
    print_line(format_args!("viewers: {viewers}"))?;
    print_line(format_args!("operator: {operator}"))?;
    print_line(format_args!("recording into {}", directory.display()))?;
    let stop = Arc::new(AtomicBool::new(false));
    let rounds = match arguments {
        Arguments { exit_when_done: true, .. } => 1,
        Arguments { boards, .. } => ROUNDS[usize::from(usize::from(*boards) > FEW_BOARDS)],
    };
    let done: Arc<[AtomicUsize]> = (0..rounds).map(|_| AtomicUsize::new(0)).collect();
    let (reports, rows) = watch::channel(Vec::new());
    let is_new = demo_event::prepare(&directory, usize::from(arguments.boards), rounds)?;
    let (boards, lines) = set_up(arguments, &directory, &stop, &done, is_new.then_some(&rows))?;
    let config = Config {
        directory: directory.clone(),
        lines,
        name: None,
        outlets: vec![OutletConfig::default()],
        suspended_outlets: Vec::new(),
        durability: Durability::default(),
        control: ControlConfig::default(),
        entry: EntryConfig::default(),
        tournament: TournamentConfig::default(),
        alarm: AlarmConfig::default(),
        port_patterns: Vec::new(),
    };

    let runtime = tokio::runtime::Runtime::new().context("the runtime")?;
    let (all, exit_when_done) = (boards.len(), arguments.exit_when_done);
    let (mut screen, mut last) = (Screen::standard(), Vec::new());
    let (has_ended, socket) = (Notify::new(), directory.join(SOCKET_NAME));
    let foot = format!("viewers: {viewers}; operator: {operator}");
    let (outcome, was_shown) = runtime.block_on(async {
        let showing = async {
            let rounds = async {
                match hold_rounds(&done, all, &socket).await {
                    // The last round stays in view until a signal ends the demonstration.
                    Ok(()) if !exit_when_done => std::future::pending().await,
                    ended => ended.map_err(io::Error::other),
                }
            };
            let was_shown = tokio::select! {
                was_shown = show(rows, &foot, &mut screen, &mut last) => was_shown,
                ended = rounds => ended,
            };
            // If the output is gone, end the demonstration.
            has_ended.notify_one();
            was_shown
        };
        let served = serve_pages(listener, desk, &directory, viewers.clone())?;
        let mut outside = supervisor::StationIo::new(reports);
        outside.logins = logins;
        let ended = tokio::join!(supervisor::run(config, outside, has_ended.notified()), showing);
        served.iter().for_each(tokio::task::JoinHandle::abort);
        anyhow::Ok(ended)
    })?;
    screen.leave();
    stop.store(true, Ordering::Relaxed);
    for board in boards {
        match board.join() {
            Ok(ended) => ended?,
            Err(_) => anyhow::bail!("a simulated board panicked"),
        }
    }
    outcome?;
    was_shown?;
    if screen.is_terminal() {
        output::print(shown(&last, foot).text(screen.width()))?;
    }
    print_line(format_args!("the games are in {}", directory.join("live").display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the pages for viewers and for the operator.
fn serve_pages(
    listener: TcpListener,
    desk: TcpListener,
    directory: &Path,
    viewers: String,
) -> anyhow::Result<[tokio::task::JoinHandle<io::Result<()>>; 2]> {
    let for_viewers = serve::options(directory.join("public"), Vec::new(), Vec::new());
    let for_operator = DeskOptions {
        engine: Vec::new(),
        address: serve::viewer_address(&desk)?,
        entry: None,
        sockets: vec![directory.join(SOCKET_NAME)],
        password_file: None,
        hosts: Vec::new(),
        machine: serve::machine(),
        trusted_proxies: Vec::new(),
        is_public: false,
        state_files: StateFiles::default(),
        viewers: Some(viewers),
        metrics: None,
    };
    let (listener, desk) = (serve::open(listener)?, serve::open(desk)?);
    Ok([
        tokio::spawn(damcast::outward::web::serve(listener, for_viewers, std::future::pending())),
        tokio::spawn(damcast::outward::desk::serve(desk, for_operator, std::future::pending())),
    ])
}

/// Returns the folder to record into: the named one, or the first free `demo-recordings-N` in the working directory.
fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let directory = match named {
        Some(named) => named.to_owned(),
        None => (1..10_000)
            .map(|number| PathBuf::from(format!("demo-recordings-{number}")))
            .find(|folder| !folder.exists())
            .context("ten thousand demonstrations are enough; delete some of the folders demo-recordings-N")?,
    };
    std::fs::create_dir_all(directory.join("ports")).with_context(|| directory.display().to_string())?;
    Ok(directory)
}

type Board = JoinHandle<std::io::Result<()>>;

/// Starts the boards, each on its own thread and port, and returns the lines that record them. `done` counts by round the boards whose
/// game is over. With `rows`, each board waits until its line has a pairing: a game that begins earlier would belong to none.
fn set_up(
    arguments: &Arguments,
    directory: &Path,
    stop: &Arc<AtomicBool>,
    done: &Arc<[AtomicUsize]>,
    rows: Option<&watch::Receiver<Vec<LineReport>>>,
) -> anyhow::Result<(Vec<Board>, Vec<LineConfig>)> {
    let (mut boards, mut lines) = (Vec::new(), Vec::new());
    for (index, (mut world, ends)) in worlds(arguments, done.len())?.into_iter().enumerate() {
        let name = demo_event::board_name(index);
        let link = directory.join("ports").join(&name);
        let port = Port::open(&link).with_context(|| link.display().to_string())?;
        let (stop, done, rows, speed) = (stop.clone(), done.clone(), rows.cloned(), arguments.speed);
        boards.push(std::thread::spawn(move || {
            let has_pairing = |rows: &watch::Receiver<Vec<LineReport>>| {
                rows.borrow().get(index).is_some_and(|row| row.status.pairing.is_some())
            };
            while rows.as_ref().is_some_and(|rows| !has_pairing(rows)) && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(PAIRING_INTERVAL);
            }
            let mut over = 0;
            play(&mut world, &port, speed, |world| {
                while ends.get(over).is_some_and(|end| world.now_ms() > end + STAYS_MS) {
                    done[over].fetch_add(1, Ordering::Relaxed);
                    over += 1;
                }
                stop.load(Ordering::Relaxed)
            })
        }));
        lines.push(LineConfig {
            port: Some(PortAddress::Serial(link)),
            mode: Mode::Single,
            boards: Vec::new(),
            logs: LogConfig::default(),
            time_scale: arguments.speed,
            game_type: "20".to_owned(),
            tags: vec![("Event".to_owned(), "Demonstration".to_owned()), ("Board".to_owned(), (index + 1).to_string())],
            settings: Vec::new(),
            name,
        });
    }
    Ok((boards, lines))
}

/// Returns the boards with the ends of their games. All games of a round begin together.
fn worlds(arguments: &Arguments, rounds: usize) -> anyhow::Result<Vec<(World, Vec<u64>)>> {
    let games = games::from_pdn("demo.pdn", DEMONSTRATION, None, None)?;
    let mut profile = NoiseProfile::ideal();
    profile.set_rate(Fault::Reset, 1.0);
    let seats = (0..usize::from(arguments.boards)).map(|index| {
        let seed = arguments.seed.wrapping_add(index as u64);
        let of_round = |round: usize| {
            let game = &games[(index + round * 3) % games.len()];
            let control = "4800+60".parse().ok();
            script::game(&game.start, &game.moves, control, &profile, seed).rotated(index % 2 == 1)
        };
        let seat = SeatConfig::new(10, 10, of_round(0), profile.clone(), seed);
        SeatConfig { games: (0..rounds).map(of_round).collect(), ..seat }
    });
    let mut seats: Vec<SeatConfig> = seats.collect();
    let spans: Vec<Vec<GameSpan>> = seats.iter().map(game_spans).collect::<anyhow::Result<_>>()?;
    // A pause delays everything after it, and changes no draw of the hands.
    let mut delays = vec![0; seats.len()];
    let mut ends: Vec<Vec<u64>> = spans.iter().map(|games| vec![games[0].end_ms]).collect();
    for round in 1..rounds {
        let ready: Vec<u64> = spans.iter().zip(&delays).map(|(games, delay)| games[round].ready_ms + delay).collect();
        let all_ready =
            ready.iter().chain(ends.iter().filter_map(|ends| ends.last())).max().copied().unwrap_or_default();
        for (index, ready) in ready.into_iter().enumerate() {
            let pause = all_ready + BREAK_MS - ready;
            seats[index].games[round].pause_ms = pause;
            delays[index] += pause;
            ends[index].push(spans[index][round].end_ms + delays[index]);
        }
    }
    seats.into_iter().zip(ends).map(|(seat, ends)| Ok((World::new(seat)?, ends))).collect()
}

/// Times of a game on a board.
#[derive(Clone, Copy, Default)]
struct GameSpan {
    /// Time at which the start position is on the board.
    ready_ms: u64,
    /// Time of the last touch or press.
    end_ms: u64,
}

/// Returns the times of the games of a seat.
fn game_spans(seat: &SeatConfig) -> anyhow::Result<Vec<GameSpan>> {
    let mut world = World::new(seat.clone())?;
    world.advance(world.end_ms());
    let mut spans = vec![GameSpan::default(); seat.games.len()];
    for entry in world.truth() {
        match entry.event {
            Event::Ready { game } => spans[game].ready_ms = entry.at_ms,
            Event::Settled(ply) | Event::Pressed { ply, .. } => spans[ply.game].end_ms = entry.at_ms,
            _ => {}
        }
    }
    Ok(spans)
}

/// Waits for the games of each round, and has the arbiter finish it.
async fn hold_rounds(done: &[AtomicUsize], boards: usize, socket: &Path) -> anyhow::Result<()> {
    for (index, count) in done.iter().enumerate() {
        while count.load(Ordering::Relaxed) < boards {
            tokio::time::sleep(REFRESH_INTERVAL).await;
        }
        let (socket, is_last) = (socket.to_owned(), index + 1 == done.len());
        // Round 1 was over before.
        tokio::task::spawn_blocking(move || demo_event::finish_round(socket, boards, index + 2, is_last)).await??;
    }
    Ok(())
}

/// Shows the boards until the station ends or a signal arrives: in place on a terminal, else one line per move. `boards` receives the
/// boards that were shown last.
async fn show(
    mut rows: watch::Receiver<Vec<LineReport>>,
    foot: &str,
    screen: &mut Screen,
    boards: &mut Vec<BoardView>,
) -> io::Result<()> {
    let mut wishes = TerminalSignals::listen()?;
    let mut last: Vec<Option<String>> = Vec::new();
    loop {
        if screen.is_terminal() {
            *boards = observer::boards(&rows.borrow_and_update(), observer::now());
            screen.draw(|columns, rows| shown(boards, format!("{foot}; Ctrl-C ends it")).page(columns, rows))?;
            tokio::time::sleep(REFRESH_INTERVAL).await;
        } else {
            let now = rows.borrow_and_update().clone();
            last.resize(now.len(), None);
            for (row, last) in now.iter().zip(&mut last) {
                if row.status.last_line != *last {
                    *last = row.status.last_line.clone();
                    print_line(plain(row))?;
                }
            }
        }
        tokio::select! {
            changed = rows.changed() => if changed.is_err() {
                return Ok(());
            },
            signal = wishes.next() => match signal {
                ScreenCommand::Draw => {}
                ScreenCommand::Pause => screen.pause(),
                ScreenCommand::End => return Ok(()),
            },
        }
    }
}

fn shown(boards: &[BoardView], foot: String) -> BoardTable<'_> {
    BoardTable { boards, alarms: &[], notes: Vec::new(), footer: foot, shows_files: true }
}

fn plain(row: &LineReport) -> String {
    let clocks = row.status.clocks.map_or(["-".to_owned(), "-".to_owned()], |clocks| clocks.map(time));
    let last = row.status.last_line.as_deref().unwrap_or("-");
    let state = row.no_link.as_deref().unwrap_or(&row.status.state);
    let file = row.live_file.as_deref().map_or(String::new(), |path| path.display().to_string());
    format!("{}: {last}  White {} Black {}  {state} {file}", row.name, clocks[0], clocks[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_round_begin_together_after_all_of_last_round() {
        let arguments = Arguments { boards: 4, speed: 20.0, seed: 7, dir: None, exit_when_done: false };
        let boards = worlds(&arguments, 3).unwrap();
        let spans: Vec<Vec<GameSpan>> = boards.iter().map(|(world, _)| game_spans(world.config()).unwrap()).collect();
        for (games, (_, ends)) in spans.iter().zip(&boards) {
            assert_eq!(&games.iter().map(|game| game.end_ms).collect::<Vec<_>>(), ends, "as foreseen");
        }
        for round in 1..3 {
            let begins = boards
                .iter()
                .zip(&spans)
                .map(|((world, _), games)| games[round].ready_ms + world.config().games[round].pause_ms);
            let begins: Vec<u64> = begins.collect();
            let last_end = spans.iter().map(|games| games[round - 1].end_ms).max().unwrap();
            assert!(begins.iter().all(|begin| *begin == begins[0] && *begin >= last_end + BREAK_MS), "{begins:?}");
        }
    }
}
