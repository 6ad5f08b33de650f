//! `boardsim day`: a day of a hall in virtual time, and whether its files are what its logs say.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use damcast::engine::broadcast::Delay;
use damcast::simulation::day::Day;
use damcast::simulation::games;
use damcast::station::config::OutletConfig;
use damcast::station::disk::{Disk, Durability, RealDisk};
use damcast::station::line::{Folders, opening};
use damcast::station::output::say;

/// What is asked.
#[derive(clap::Args)]
pub struct Arguments {
    /// The directory to record into; it must not exist, or be empty. What is made again stands in DIR/rebuilt then.
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// How many boards.
    #[arg(long, default_value_t = 64)]
    boards: usize,
    /// How many games each of them plays.
    #[arg(long, default_value_t = 4)]
    games: usize,
    /// How people play: ideal, calm, club or blitz.
    #[arg(long, default_value = "club")]
    hands: String,
    /// Base time and increment in seconds; `none`: no clock.
    #[arg(long, default_value = "4800+60")]
    clock: String,
    /// The seed of all that is random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// After how many minutes the link of a board is lost, on average; 0 for never.
    #[arg(long, default_value_t = 120)]
    outage_minutes: u64,
    /// After how many minutes the station is killed, on average; 0 for never.
    #[arg(long, default_value_t = 60)]
    kill_minutes: u64,
    /// End after so many minutes, though games go on; 0 for never. Then the time is told in which a station starts there.
    #[arg(long, default_value_t = 0)]
    until_minutes: u64,
    /// How many seconds later than the recording the public files show something.
    #[arg(long, default_value_t = 0)]
    delay: u32,
}

/// A day of a hall, recorded, checked and made again.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let directory = &arguments.dir;
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let is_empty = std::fs::read_dir(directory)?.next().is_none();
    anyhow::ensure!(is_empty, "{}: this directory is not empty", directory.display());
    let delay = Delay { seconds: arguments.delay, plies: 0 };
    let public = OutletConfig { delay, durability: Durability::Lazy, ..OutletConfig::default() };
    let day = Day {
        directory: directory.clone(),
        boards: arguments.boards,
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
    let pool = games::from_pdn("the demonstration", games::DEMONSTRATION, None, None)?;
    let recorded = day.record(&pool, |_| {})?;
    say(format_args!(
        "{} boards, {:.1} hours: {} records of logs, {} lines of live files, {} links lost, {} times killed, public files \
         written {} times",
        arguments.boards,
        recorded.ms as f64 / 3.6e6,
        recorded.records,
        recorded.lines,
        recorded.outages,
        recorded.kills,
        recorded.writes,
    ))?;
    let report = day.verify(&directory.join("rebuilt")).context("the check")?;
    say(format_args!(
        "{} games, {} events, {:.1} MB of logs: the folder is clean, and all files are made again byte for byte",
        report.games,
        report.events,
        report.bytes as f64 / 1e6
    ))?;
    if arguments.until_minutes > 0 {
        start(&day)?;
    }
    Ok(())
}

/// Opens all lines as a station does when it starts, one after the other, and tells how long that took.
fn start(day: &Day) -> anyhow::Result<()> {
    let config = day.config();
    let folders = Folders { log: config.directory.join("log"), live: config.directory.join("live") };
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (mut open_games, mut games) = (0, 0);
    let begun = Instant::now();
    for line in &config.lines {
        let opened = opening::open(line, &folders, &disk, chrono::Local::now().fixed_offset())?;
        games += opened.games.len();
        open_games += usize::from(opened.line.has_open_game());
    }
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    let count = config.lines.len();
    say(format_args!(
        "start: {count} lines with {games} games, {open_games} of them unfinished, are open after {took:.0} ms on one core, \
         {:.2} ms a line",
        took / count.max(1) as f64
    ))?;
    Ok(())
}
