//! `boardsim day`: records a day of a hall in virtual time, and checks its files against its logs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use damcast::engine::broadcast::Delay;
use damcast::simulation::day::Day;
use damcast::simulation::games;
use damcast::simulation::tournament::{TournamentForm, run_tournament};
use damcast::station::config::OutletConfig;
use damcast::station::disk::{Disk, Durability, RealDisk};
use damcast::station::line::{Folders, opening};
use damcast::station::outlets::ShelfFile;
use damcast::station::output::print_line;

/// Maximum number of rounds of a Swiss; with fewer boards as many as boards, so that no two players meet twice.
const ROUNDS: u32 = 9;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Arguments {
    /// Directory for the recording; must be empty or missing. Rebuilt files go to DIR/rebuilt.
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Number of boards; default: 64, 32 for a Swiss, 20 for a league.
    #[arg(long)]
    boards: Option<usize>,
    /// Play a tournament with an arbiter who makes and corrects mistakes. A Swiss has 9 rounds, or as many as boards if they are fewer,
    /// with two players a board; a league has four teams, each against each. The arbiter imports the pairings, opens and closes the
    /// rounds, and enters results.
    #[arg(long, value_enum, conflicts_with_all = ["games", "until_minutes", "delay"])]
    tournament: Option<Tournament>,
    /// Number of games per board.
    #[arg(long, default_value_t = 4)]
    games: usize,
    /// Maximum number of plies per game; all if omitted.
    #[arg(long)]
    plies: Option<usize>,
    /// Way of playing: ideal, calm, club or blitz.
    #[arg(long, default_value = "club")]
    hands: String,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Mean time between outages of a board's link, in minutes; 0 for never.
    #[arg(long, default_value_t = 120)]
    outage_minutes: u64,
    /// Mean time between kills of the station, in minutes; 0 for never.
    #[arg(long, default_value_t = 60)]
    kill_minutes: u64,
    /// End after this many minutes even if games are running; 0 for never. Then measures how long a station takes to start there.
    #[arg(long, default_value_t = 0)]
    until_minutes: u64,
    /// Delay of the public files, in seconds.
    #[arg(long, default_value_t = 0)]
    delay: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tournament {
    /// Nine rounds, two players a board.
    Swiss,
    /// Four teams, each against each.
    League,
}

/// Records a day of a hall, checks it and rebuilds its files.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let directory = &arguments.dir;
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let is_empty = std::fs::read_dir(directory)?.next().is_none();
    anyhow::ensure!(is_empty, "{}: this directory is not empty", directory.display());
    let delay = Delay { seconds: arguments.delay, plies: 0 };
    let public = OutletConfig { delay, durability: Durability::Lazy, ..OutletConfig::default() };
    let boards = arguments.boards.unwrap_or(match arguments.tournament {
        None => 64,
        Some(Tournament::Swiss) => 32,
        Some(Tournament::League) => 20,
    });
    let is_league = arguments.tournament == Some(Tournament::League);
    anyhow::ensure!(
        !is_league || boards.is_multiple_of(2) && boards > 0,
        "--boards: two matches have {boards} boards; give an even number"
    );
    let day = Day {
        directory: directory.clone(),
        boards,
        games: arguments.games,
        profile: arguments.hands.parse().context("--hands")?,
        control: super::time_control(&arguments.clock)?,
        seed: arguments.seed,
        outage_every_ms: arguments.outage_minutes * 60_000,
        kill_every_ms: arguments.kill_minutes * 60_000,
        until_ms: arguments.until_minutes * 60_000,
        write_every_ms: 20_000,
        outlets: vec![public],
    };
    let mut pool = games::from_pdn("the demonstration", games::DEMONSTRATION, None, None)?;
    pool.iter_mut().for_each(|game| game.moves.truncate(arguments.plies.unwrap_or(usize::MAX)));
    let held = match arguments.tournament {
        None => None,
        Some(Tournament::Swiss) => Some(run_tournament(&day, TournamentForm::Swiss(ROUNDS.min(boards as u32)), &pool)?),
        Some(Tournament::League) => Some(run_tournament(&day, TournamentForm::League, &pool)?),
    };
    let recorded = match &held {
        Some(held) => held.day_report.clone(),
        None => day.record(&pool, |_| {})?,
    };
    print_line(format_args!(
        "{} boards, {:.1} hours: {} records of logs, {} lines of live files, {} links lost, {} times killed, public files \
         written {} times",
        boards,
        recorded.ms as f64 / 3.6e6,
        recorded.records,
        recorded.lines,
        recorded.outages,
        recorded.kills,
        recorded.writes,
    ))?;
    let report = day.verify(&directory.join("rebuilt")).context("the check")?;
    print_line(format_args!(
        "{} games, {} events, {:.1} MB of logs: the folder is clean, and all files are made again byte for byte",
        report.games,
        report.events,
        report.bytes as f64 / 1e6
    ))?;
    if let Some(held) = held {
        held.verify(directory).context("the tournament")?;
        print_line(format_args!(
            "{} players, {} pairings and byes: {} results were wrong at first, {} names came during games, {} times two cables were \
             swapped; standings, archive and the files of all rounds are those of what was played",
            held.names.len(),
            held.results.len(),
            held.corrections,
            held.late_names,
            held.swaps,
        ))?;
    }
    if arguments.until_minutes > 0 {
        start(&day)?;
    }
    Ok(())
}

/// Opens all lines one after the other, as a starting station does, and prints how long that took.
fn start(day: &Day) -> anyhow::Result<()> {
    let config = day.config();
    let folders = Folders { log: config.directory.join("log"), live: config.directory.join("live") };
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let shelf = ShelfFile::create(&[&config.directory]);
    let (mut open_games, mut games) = (0, 0);
    let started_at = Instant::now();
    for line in &config.lines {
        let opened = opening::open(line, &folders, &disk, shelf.as_ref(), chrono::Local::now().fixed_offset())?;
        games += opened.games.facts.len();
        open_games += usize::from(opened.line.has_open_game());
    }
    let took = started_at.elapsed().as_secs_f64() * 1000.0;
    let count = config.lines.len();
    print_line(format_args!(
        "start: {count} lines with {games} games, {open_games} of them unfinished, are open after {took:.0} ms on one core, \
         {:.2} ms a line",
        took / count.max(1) as f64
    ))?;
    Ok(())
}
