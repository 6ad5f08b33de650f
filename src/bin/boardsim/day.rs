//! `boardsim day`: a day of a hall in virtual time, and whether its files are what its logs say.

use std::path::PathBuf;

use anyhow::Context;
use damcast::broadcast::Delay;
use damcast::config::{OutputConfig, PublicConfig};
use damcast::disk::Durability;
use damcast::pdn::profile::Profile;
use damcast::simulation::day::Day;
use damcast::simulation::games;

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
    /// Everything random comes from it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// After how many minutes the link of a board is lost, on average; 0 for never.
    #[arg(long, default_value_t = 120)]
    outage_minutes: u64,
    /// After how many minutes the station is killed, on average; 0 for never.
    #[arg(long, default_value_t = 60)]
    kill_minutes: u64,
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
    let output = OutputConfig { delay: Delay { seconds: arguments.delay, plies: 0 }, durability: Durability::Lazy };
    let day = Day {
        directory: directory.clone(),
        boards: arguments.boards,
        games: arguments.games,
        profile: arguments.hands.parse().context("--hands")?,
        control: super::time_control(&arguments.clock)?,
        seed: arguments.seed,
        outage_every_ms: arguments.outage_minutes * 60_000,
        kill_every_ms: arguments.kill_minutes * 60_000,
        write_every_ms: 20_000,
        public: PublicConfig::all(Profile::Lidraughts, output),
    };
    let pool = games::from_pdn("the demonstration", games::DEMONSTRATION, None, None)?;
    let recorded = day.record(&pool, |_| {})?;
    println!(
        "{} boards, {:.1} hours: {} records of logs, {} lines of live files, {} links lost, {} times killed, public files \
         written {} times",
        arguments.boards,
        recorded.ms as f64 / 3.6e6,
        recorded.records,
        recorded.lines,
        recorded.outages,
        recorded.kills,
        recorded.writes,
    );
    let report = day.verify(&directory.join("rebuilt")).context("the check")?;
    println!(
        "{} games, {} events, {:.1} MB of logs: the folder is clean, and all files are made again byte for byte",
        report.games,
        report.events,
        report.bytes as f64 / 1e6
    );
    Ok(())
}
