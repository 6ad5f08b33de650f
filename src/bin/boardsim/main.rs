//! The program `boardsim`: simulated boards, for trying out programs that read electronic boards.

mod serve;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::Parser;
use damcast::rules::Variant;
use damcast::session::LineSettings;
use damcast::simulation::faults::usual_rate;
use damcast::simulation::games;
use damcast::simulation::port::{Port, play};
use damcast::simulation::score::{Conditions, Played, Score, play_all};
use damcast::simulation::script;
use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::Profile;
use hardware_sim::world::{Setting, World};

/// Simulated electronic draughts boards, clocks and hands. Not made by, and not connected with, the makers of real ones.
#[derive(Parser)]
#[command(name = "boardsim", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Play a game of a PDN file on a board at a pseudo-terminal.
    Play(Play),
    /// Serve many boards: on a bus, on ports of their own, over TCP, with faults and incidents.
    Serve(serve::Arguments),
    /// Play games under faults in virtual time and count what the recorder makes of them.
    Score(ScoreArguments),
}

#[derive(clap::Args)]
struct Play {
    /// The file with the game.
    #[arg(long)]
    pdn: PathBuf,
    /// Which of its games, from 1.
    #[arg(long, default_value_t = 1)]
    game: usize,
    /// The game type, for a file that does not say.
    #[arg(long)]
    game_type: Option<String>,
    /// The name of the port: a symlink to the pseudo-terminal.
    #[arg(long)]
    link: PathBuf,
    /// How many times as fast as life.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Everything random comes from it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// How people play: ideal, calm, club or blitz.
    #[arg(long, default_value = "ideal")]
    hands: String,
    /// The connector is on White's right.
    #[arg(long)]
    turned: bool,
    /// End some seconds after the game; otherwise the board stays until it is stopped.
    #[arg(long)]
    exit_when_done: bool,
}

#[derive(clap::Args)]
struct ScoreArguments {
    /// A file with games; the demonstration's if left out.
    #[arg(long)]
    pdn: Option<PathBuf>,
    /// The game type, for a file that does not say.
    #[arg(long)]
    game_type: Option<String>,
    /// How people play: ideal, calm, club or blitz.
    #[arg(long, default_value = "club")]
    hands: String,
    /// Ideal hands but for this fault alone, as NAME or NAME=RATE; `all`: every fault in turn, at blitz rate, rare ones at
    /// five times that.
    #[arg(long, conflicts_with = "hands")]
    fault: Option<String>,
    /// How many seeds each game is played with.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// List the games that were not recorded perfectly.
    #[arg(long)]
    blemishes: bool,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().verb {
        Verb::Play(arguments) => play_game(&arguments),
        Verb::Serve(arguments) => serve::run(&arguments),
        Verb::Score(arguments) => score(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("boardsim: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn time_control(text: &str) -> anyhow::Result<Option<TimeControl>> {
    if text == "none" { Ok(None) } else { Ok(Some(text.parse().context("--clock")?)) }
}

fn read(path: &std::path::Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect()))
}

fn told(game_type: Option<&str>) -> anyhow::Result<Option<&'static Variant>> {
    game_type.map(Variant::from_tag).transpose().context("--game-type")
}

/// Set by SIGINT and SIGTERM.
static STOP: AtomicBool = AtomicBool::new(false);

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
        STOP.store(true, Ordering::Relaxed);
    });
    Ok(())
}

fn play_game(arguments: &Play) -> anyhow::Result<()> {
    /// How long after the game the board stays, on its own clock.
    const STAYS_MS: u64 = 60_000;
    let speed = arguments.speed;
    anyhow::ensure!(speed.is_finite() && (0.01..=10_000.0).contains(&speed), "--speed {speed}: expected 0.01 to 10000");
    let text = read(&arguments.pdn)?;
    let file = arguments.pdn.display().to_string();
    let games = games::from_pdn(&file, &text, told(arguments.game_type.as_deref())?, Some(arguments.game))?;
    let game = games.first().context("no game")?;
    let profile: Profile = arguments.hands.parse().context("--hands")?;
    let control = time_control(&arguments.clock)?;
    let script = script::game(&game.start, &game.moves, control, &profile, arguments.seed).turned(arguments.turned);
    let geometry = &game.start.variant().geometry;
    let setting = Setting::new(geometry.height() as u8, geometry.width() as u8, script, profile, arguments.seed);
    let mut world = World::new(setting)?;
    stop_on_signals()?;
    let port = Port::open(&arguments.link).with_context(|| arguments.link.display().to_string())?;
    println!("{}: {} plies on {}; {world}", game.name, game.moves.len(), arguments.link.display());
    let mut told_over = false;
    play(&mut world, &port, speed, |world| {
        if world.is_over() && !told_over {
            told_over = true;
            println!("the game is over");
        }
        let done = arguments.exit_when_done && world.is_over() && world.now_ms() > world.end_ms() + STAYS_MS;
        done || STOP.load(Ordering::Relaxed)
    })
    .context("the port broke")
}

fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let told = told(arguments.game_type.as_deref())?;
    let games = match &arguments.pdn {
        Some(path) => games::from_pdn(&path.display().to_string(), &read(path)?, told, None)?,
        None => games::from_pdn("the demonstration", games::DEMONSTRATION, told, None)?,
    };
    let profiles: Vec<(String, Profile)> = match &arguments.fault {
        None => vec![(arguments.hands.clone(), arguments.hands.parse().context("--hands")?)],
        Some(faults) => single_faults(faults)?,
    };
    let control = time_control(&arguments.clock)?;
    let seeds = arguments.seed..arguments.seed.saturating_add(arguments.seeds);
    for (name, profile) in profiles {
        let conditions = |game: &Played, index: usize, seed: u64| Conditions {
            profile: profile.clone(),
            control,
            seed: seed.wrapping_mul(1_000_003).wrapping_add(index as u64),
            settings: LineSettings::new(game.start.variant()),
        };
        let cases: Vec<_> = games
            .iter()
            .enumerate()
            .flat_map(|(index, game)| seeds.clone().map(move |seed| (game, index, seed)))
            .map(|(game, index, seed)| (game.clone(), conditions(game, index, seed)))
            .collect();
        let score: Score = play_all(&cases);
        println!("{name}, seeds {seeds:?}: {score}");
        if arguments.blemishes {
            for blemish in &score.blemishes {
                println!("  {blemish}");
            }
        }
    }
    Ok(())
}

/// Profiles of single faults: one named, or all.
fn single_faults(text: &str) -> anyhow::Result<Vec<(String, Profile)>> {
    if text == "all" {
        let named = |fault: Fault| {
            (format!("{} {:.4}", fault.name(), usual_rate(fault)), Profile::only(fault, usual_rate(fault)))
        };
        return Ok(Fault::all().map(named).collect());
    }
    let (name, rate) = text.split_once('=').map_or((text, None), |(name, rate)| (name, Some(rate)));
    let fault: Fault = name.parse().context("--fault")?;
    let rate = rate.map_or(Ok(usual_rate(fault)), str::parse).context("--fault")?;
    Ok(vec![(format!("{name} {rate:.4}"), Profile::only(fault, rate))])
}
