//! `damcast replay`: prints the PDN of logs, byte for byte as in the live files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use damcast::engine::bytelog::LogInput;
use damcast::engine::playback;
use damcast::station::journal::logs;

use super::input::ProgressNotice;
use super::line::{ModeArgument, ProfileArgument, reject_unsupported_profile};
use super::output::{self, print_error};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 played; 1 a log is damaged and was played up to there, or cannot be read; 2 a wrong argument.

Examples:
  damcast replay recordings/log/board-1-*.log > board-1.pdn
  damcast replay --board 1025 recordings/log/hall-1.log      one board of a bus"
)]
pub struct Arguments {
    /// Logs of one line, in any order; they are replayed in the order of opening.
    #[arg(required = true, value_name = "FILE")]
    logs: Vec<PathBuf>,
    /// Game, overriding the logs: a number of PDN's GameType table, or its attributes.
    #[arg(long)]
    game_type: Option<String>,
    /// One board on the line, or a bus with many.
    #[arg(long, value_enum)]
    mode: Option<ModeArgument>,
    /// Readers that the files are written for.
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArgument,
    /// Print only the board with this bus address; default: all, by ascending address.
    #[arg(long, value_name = "ADDRESS")]
    board: Option<u16>,
}

/// Prints the games, and messages on standard error. A damaged log is replayed up to the damage.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(code) = reject_unsupported_profile(arguments.profile) {
        return Ok(code);
    }
    let mut logs = Vec::new();
    for path in &arguments.logs {
        let mut log = open(path)?;
        log.header.mode = arguments.mode.map(ModeArgument::header_value).or(log.header.mode);
        logs.push(log);
    }
    let waiting = ProgressNotice::with("playing the logs");
    let print = |notice| print_error(format_args!("damcast: {notice}"));
    let mut played = playback::play_with_notices(logs, arguments.game_type.as_deref(), print)?;
    drop(waiting);
    let mut is_damaged = false;
    for (name, summary) in &played.logs {
        summary.problems.iter().for_each(|problem| print_error(format_args!("damcast: {name}: {problem}")));
        summary.damage.iter().for_each(|damage| print_error(format_args!("damcast: {name}: {damage}")));
        is_damaged |= summary.damage.is_some();
    }
    if let Some(wanted) = arguments.board {
        played.games.retain(|game| game.board.is_some_and(|board| board.number() == wanted));
    }
    // The sort is stable, so the games of a board stay in order.
    played.games.sort_by_key(|game| game.board);
    let mut out = output::buffered_stdout();
    for game in &played.games {
        out.write_all(&game.file.bytes())?;
    }
    out.flush()?;
    Ok(if is_damaged { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn open(path: &Path) -> anyhow::Result<LogInput<'_>> {
    anyhow::ensure!(path != Path::new("-"), "replay reads files, not standard input; `damcast line` reads that");
    let name = path.display().to_string();
    LogInput::open(name.clone(), || logs::open(path)).context(name)
}
