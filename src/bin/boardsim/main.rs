//! The program `boardsim`: simulated boards, to test programs that read electronic boards.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod day;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::Parser;
use damcast::engine::session::LineSettings;
use damcast::simulation::benchmark::{
    Benchmark, CaseSelector, PlayStyle, TABLE_HEADER, counts_with_bounds, provisional, suspects,
};
use damcast::simulation::faults::usual_rate;
use damcast::simulation::game_score::Score;
use damcast::simulation::games::SourceGame;
use damcast::simulation::port::{Port, play};
use damcast::simulation::score::{RecorderKind, run};
use damcast::simulation::soak::soak;
use damcast::simulation::trace::chronicle;
use damcast::simulation::{collection, games, goals, hall, script};
use damcast::station::output::{self, print_line};
use draughts::Variant;
use hardware_sim::board::BoardOptions;
use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::world::{SeatConfig, World};

const NAME: &str = "boardsim";

/// Simulated electronic draughts boards, clocks and hands. Not made by, and not connected with, the makers of real ones.
#[derive(Parser)]
#[command(name = "boardsim", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Play a game of a PDN file on a board at a pseudo-terminal.
    Play(Play),
    /// Serve boards on a bus, on separate ports or over TCP, with faults and incidents.
    Serve(serve::Arguments),
    /// Play games under faults in virtual time and score the recorder.
    Score(ScoreArguments),
    /// Play many games of mixed hands and faults and check every file at every moment.
    Soak(SoakArguments),
    /// Record a day of a hall in virtual time, check it, and rebuild its files.
    Day(day::Arguments),
}

#[derive(clap::Args)]
struct Play {
    /// File with the game.
    #[arg(long)]
    pdn: PathBuf,
    /// Number of the game in the file, from 1.
    #[arg(long, default_value_t = 1)]
    game: usize,
    /// Game type of a file without one.
    #[arg(long)]
    game_type: Option<String>,
    /// Name of the port: a symlink to the pseudo-terminal.
    #[arg(long)]
    link: PathBuf,
    /// Speed, as a multiple of real time.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// Way of playing: ideal, calm, club or blitz.
    #[arg(long, default_value = "ideal")]
    hands: String,
    /// Set if the connector is on White's right.
    #[arg(long)]
    turned: bool,
    /// Piece codes: draughts, draughts-old or chess. draughts-old is older firmware; in chess pawns are men and queens are kings.
    #[arg(long, default_value = "draughts")]
    set: String,
    /// End some seconds after the game; otherwise the board stays until it is stopped.
    #[arg(long)]
    exit_when_done: bool,
}

#[derive(clap::Args)]
struct ScoreArguments {
    /// Files with games, PDN or JSON lines; the demonstration's if omitted.
    #[arg(long = "games", alias = "pdn", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
    /// Kind of games to take from JSON lines: real, generated, engine match.
    #[arg(long)]
    kind: Option<String>,
    /// Maximum number of games per file, spread over it.
    #[arg(long)]
    limit: Option<usize>,
    /// Game type of a file without one.
    #[arg(long)]
    game_type: Option<String>,
    /// Way of playing: ideal, calm, club or blitz, each also with -without-clock. Separate several by commas; `all`: every row of the
    /// goals.
    #[arg(long, default_value = "club")]
    hands: String,
    /// Play ideally except for this fault, as NAME or NAME=RATE. `all`: every fault in turn, at blitz rate, rare ones at five times that.
    #[arg(long, conflicts_with = "hands")]
    fault: Option<String>,
    /// Add this fault to the hands, as NAME=RATE, to test coinciding faults.
    #[arg(long = "with", value_name = "FAULT=RATE")]
    with: Vec<String>,
    /// Add every habit that no named way of playing has, such as held pieces and swapped seats, at small rates.
    #[arg(long)]
    habits: bool,
    /// Number of seeds per game.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// Setting of `[[line]]` or `[recognition]`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Number of boards that share one line; default: each has its own.
    #[arg(long, value_name = "BOARDS", conflicts_with = "peers", value_parser = clap::value_parser!(u16).range(1..=256))]
    bus: Option<u16>,
    /// Add two baselines: naive, and 250 ms of quiet with a dump.
    #[arg(long)]
    peers: bool,
    /// Compare the figures with the goals.
    #[arg(long)]
    goals: bool,
    /// Scale the recogniser's times by several factors: delay against false plies.
    #[arg(long)]
    curve: bool,
    /// List the imperfect games with the faults shortly before each difference. An imperfect game has a difference, or entries after its
    /// end.
    #[arg(long)]
    list_imperfect: bool,
    /// Explain one game instead of scoring: its number, from 1, or its name. The game is played with the first seed, or as GAME@SEED with
    /// a seed that --list-imperfect shows. With --bus it is played among the others of its line.
    #[arg(long, value_name = "GAME")]
    explain: Option<CaseSelector>,
}

#[derive(clap::Args)]
struct SoakArguments {
    /// Files with games to draw from, PDN or JSON lines; default: the demonstration's.
    #[arg(long = "from", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
    /// Number of games; each is played twice.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments: Arguments = match output::parse_arguments(NAME) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let outcome = match arguments.verb {
        Subcommand::Play(arguments) => play_game(&arguments),
        Subcommand::Serve(arguments) => serve::run(&arguments),
        Subcommand::Score(arguments) => score(&arguments),
        Subcommand::Soak(arguments) => soak_games(&arguments),
        Subcommand::Day(arguments) => day::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::exit_with_error(NAME, &error),
    }
}

fn time_control(text: &str) -> anyhow::Result<Option<TimeControl>> {
    if text == "none" { Ok(None) } else { Ok(Some(text.parse().context("--clock")?)) }
}

fn read(path: &std::path::Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect()))
}

fn parse_time_control(game_type: Option<&str>) -> anyhow::Result<Option<&'static Variant>> {
    game_type.map(Variant::from_tag).transpose().context("--game-type")
}

/// Set by SIGINT and SIGTERM.
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

fn stop_on_signals() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! { _ = interrupt.recv() => {} _ = terminate.recv() => {} }
        });
        STOP_REQUESTED.store(true, Ordering::Relaxed);
    });
    Ok(())
}

fn play_game(arguments: &Play) -> anyhow::Result<()> {
    /// Time that the board stays after the game, on its own clock.
    const STAYS_MS: u64 = 60_000;
    let speed = arguments.speed;
    anyhow::ensure!(speed.is_finite() && (0.01..=10_000.0).contains(&speed), "--speed {speed}: expected 0.01 to 10000");
    let text = read(&arguments.pdn)?;
    let file = arguments.pdn.display().to_string();
    let games =
        games::from_pdn(&file, &text, parse_time_control(arguments.game_type.as_deref())?, Some(arguments.game))?;
    let game = games.first().context("no game")?;
    let profile: NoiseProfile = arguments.hands.parse().context("--hands")?;
    let control = time_control(&arguments.clock)?;
    let script = script::game(&game.start, &game.moves, control, &profile, arguments.seed).rotated(arguments.turned);
    let geometry = &game.start.variant().geometry;
    let mut setting = SeatConfig::new(geometry.height() as u8, geometry.width() as u8, script, profile, arguments.seed);
    let set = arguments.set.parse().map_err(anyhow::Error::msg)?;
    setting.board = Some(BoardOptions { set, ..setting.draw_board() });
    let mut world = World::new(setting)?;
    stop_on_signals()?;
    let port = Port::open(&arguments.link).with_context(|| arguments.link.display().to_string())?;
    print_line(format_args!("{}: {} plies on {}; {world}", game.name, game.moves.len(), arguments.link.display()))?;
    let mut told_over = false;
    play(&mut world, &port, speed, |world| {
        if world.is_over() && !told_over {
            told_over = true;
            // The board stays even if standard output is gone.
            let _ = print_line("the game is over");
        }
        let done = arguments.exit_when_done && world.is_over() && world.now_ms() > world.end_ms() + STAYS_MS;
        done || STOP_REQUESTED.load(Ordering::Relaxed)
    })
    .context("the port broke")
}

fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let benchmark = Benchmark {
        games: read_games(
            &arguments.files,
            arguments.game_type.as_deref(),
            arguments.kind.as_deref(),
            arguments.limit.unwrap_or(usize::MAX),
        )?,
        seeds: arguments.seeds,
        first_seed: arguments.seed,
        control: time_control(&arguments.clock)?,
        settings: arguments.settings.iter().map(|text| setting(text)).collect::<anyhow::Result<_>>()?,
        on_bus: arguments.bus.map(usize::from),
    };
    let mut all_hands = match &arguments.fault {
        None => PlayStyle::list(&arguments.hands).context("--hands")?,
        Some(faults) => single_faults(faults)?,
    };
    if arguments.habits {
        all_hands.iter_mut().for_each(|hands| hands.profile = hands.profile.clone().with_habits());
    }
    for text in &arguments.with {
        let (name, rate) = text.split_once('=').with_context(|| format!("--with {text}: expected FAULT=RATE"))?;
        let (fault, rate) = (name.parse::<Fault>().context("--with")?, rate.parse().context("--with")?);
        all_hands.iter_mut().for_each(|hands| hands.profile.set_rate(fault, rate));
    }
    if let Some(wanted) = &arguments.explain {
        return all_hands.iter().try_for_each(|hands| explain(&benchmark, hands, wanted));
    }
    if arguments.curve {
        return all_hands.iter().try_for_each(|hands| curve(&benchmark, hands));
    }
    print_line(TABLE_HEADER)?;
    let mut goal_lines = Vec::new();
    for hands in &all_hands {
        for recorder in Benchmark::recorders(arguments.peers) {
            for row in benchmark.rows(hands, recorder)? {
                print_line(&row)?;
                if recorder == RecorderKind::Damcast {
                    print_line(format_args!("  {}", counts_with_bounds(&row.score)))?;
                    print_line(format_args!("  {}", provisional(&row.score)))?;
                }
                if !row.score.suspects.is_empty() && recorder == RecorderKind::Damcast {
                    print_line(format_args!(
                        "  differences, and faults within 15 s before them: {}",
                        suspects(&row.score)
                    ))?;
                }
                if arguments.list_imperfect && recorder == RecorderKind::Damcast {
                    for blemish in &row.score.imperfect_games {
                        print_line(format_args!("  {blemish}"))?;
                    }
                }
                goal_lines.extend(goals::lines(&row));
            }
        }
    }
    if arguments.goals {
        print_line("")?;
        goal_lines.iter().try_for_each(print_line)?;
        let reached = goal_lines.iter().filter(|line| line.is_reached).count();
        print_line(format_args!("{reached} of {} goals reached", goal_lines.len()))?;
    }
    Ok(())
}

fn setting(text: &str) -> anyhow::Result<(String, String)> {
    let (key, value) = text.split_once('=').with_context(|| format!("--set {text}: expected KEY=VALUE"))?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Reads the games of files, PDN or JSON lines, at most `limit` of each, spread over it; the demonstration's without files.
fn read_games(
    files: &[PathBuf],
    game_type: Option<&str>,
    kind: Option<&str>,
    limit: usize,
) -> anyhow::Result<Vec<SourceGame>> {
    let known_variant = parse_time_control(game_type)?;
    if files.is_empty() {
        return Ok(games::from_pdn("the demonstration", games::DEMONSTRATION, known_variant, None)?);
    }
    let mut all = Vec::new();
    for path in files {
        let (file, text) = (path.display().to_string(), read(path)?);
        let games = if text.trim_start().starts_with('{') {
            collection::from_json_lines(&file, &text, kind)?
        } else {
            games::from_pdn(&file, &text, known_variant, None)?
        };
        let limit = limit.min(games.len());
        all.extend((0..limit).map(|index| games[index * games.len() / limit].clone()));
    }
    Ok(all)
}

fn soak_games(arguments: &SoakArguments) -> anyhow::Result<()> {
    let pool = read_games(&arguments.files, None, None, usize::MAX)?;
    let findings = soak(&pool, arguments.games, arguments.seed);
    findings.failures.iter().try_for_each(print_line)?;
    print_line(&findings)?;
    anyhow::ensure!(findings.failures.is_empty(), "something broke");
    Ok(())
}

/// Prints the events of one game.
fn explain(benchmark: &Benchmark, hands: &PlayStyle, wanted: &CaseSelector) -> anyhow::Result<()> {
    let found = benchmark.find(wanted, hands)?.context("--explain: there is no such game")?;
    let (game, conditions) = &found.batch[found.index];
    let lines = if benchmark.on_bus.is_some() {
        hall::explain(&found.batch, found.index)
    } else {
        run(game, conditions, RecorderKind::Damcast).map(|case| chronicle(&case))
    };
    let lines = lines.map_err(|error| anyhow::anyhow!("{}: {error}", game.name))?;
    print_line(lines.join("\n"))?;
    Ok(())
}

/// Prints delay and false plies for different scales of the recogniser's times.
fn curve(benchmark: &Benchmark, hands: &PlayStyle) -> anyhow::Result<()> {
    /// Percentages of the configured times.
    const SCALES: [u64; 8] = [25, 50, 75, 100, 125, 150, 200, 300];
    print_line(format_args!("{}, seeds {} from {}", hands.name, benchmark.seeds, benchmark.first_seed))?;
    print_line("  times   recall %  false/100k  needless/100k    p50    p95    p99 s")?;
    for percent in SCALES {
        let scaled = |mut settings: LineSettings| {
            settings.recognition = settings.recognition.scaled(percent);
            settings
        };
        let mut score = Score::default();
        for row in benchmark.rows_with(hands, RecorderKind::Damcast, scaled)? {
            score.add(row.score);
        }
        print_line(format_args!(
            "{percent:>5} % {:>10.3} {:>11.1} {:>14.1} {:>6.2} {:>6.2} {:>6.2}{}",
            score.recall(),
            score.per_100k(score.false_plies),
            score.per_100k(score.needless_setups),
            score.delay(0.50) as f64 / 1000.0,
            score.delay(0.95) as f64 / 1000.0,
            score.delay(0.99) as f64 / 1000.0,
            if percent == 100 { "   <- operating point" } else { "" }
        ))?;
    }
    Ok(())
}

/// Returns hands with single faults: one named, or all.
fn single_faults(text: &str) -> anyhow::Result<Vec<PlayStyle>> {
    if text == "all" {
        return Ok(Fault::all().map(|fault| PlayStyle::single_fault(fault, usual_rate(fault))).collect());
    }
    let (name, rate) = text.split_once('=').map_or((text, None), |(name, rate)| (name, Some(rate)));
    let fault: Fault = name.parse().context("--fault")?;
    let rate = rate.map_or(Ok(usual_rate(fault)), str::parse).context("--fault")?;
    Ok(vec![PlayStyle::single_fault(fault, rate)])
}
