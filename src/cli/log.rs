//! `damcast log`: lists, verifies and extracts the logs of a station's directory.
//!
//! ```text
//! board-1: 2 games, 3 logs, 1.2 MB
//!     log/board-1-1.log  2026-11-21 09:30:00 to 11:02:10  412 kB, 5120 records
//!     game 1  2026-11-21 09:31:02 to 10:44:01  87 entries  2-0
//! ```
//!
//! Exit codes of `verify`: 0: all logs are complete, or only torn at the end by a crash; 1: a log is damaged, or was cut or changed after
//! the next one was opened; 2: a log cannot be read.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chrono::{DateTime, FixedOffset, NaiveTime, TimeDelta};
use damcast::engine::bytelog::{Header, LogRecords, LogSummary};
use damcast::engine::millis::Millis;
use damcast::engine::playback::{self, PlayedGame};
use damcast::engine::session::BusAddress;
use damcast::station::folder::extract::{self, BoardFilter, TimeSpan};
use damcast::station::folder::{LineLog, LineLogs, StationFolder};
use damcast::station::journal::{chain, logs};
use damcast::station::live_files;

use super::input::json_text;
use super::output::{self, print_error, print_line};
use super::usage_error;

type WallTime = DateTime<FixedOffset>;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 done, for `verify`: all are whole; 1 a log is damaged, or there is nothing to extract; 2 a log cannot be
read.

Examples:
  damcast log list recordings                  games, spans and sizes, line by line
  damcast log verify recordings                are all logs whole?
  damcast log extract --help                   a board, a game or a span of time as a log of its own"
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// List the logs and their games, line by line.
    List(List),
    /// Check whether logs are complete and unchanged.
    Verify(Verify),
    /// Print a part of a line's logs as one log: a span of time, or a game.
    Extract(Extract),
}

#[derive(clap::Args)]
struct List {
    /// Directory of a station.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Verify {
    /// Directories of stations, or logs.
    #[arg(required = true, value_name = "DIR|FILE")]
    paths: Vec<PathBuf>,
    /// Print one JSON object per log.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Extract {
    /// Directory of a station.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Line: the name of its logs without numbers; may be omitted if there is only one.
    #[arg(long)]
    line: Option<String>,
    /// Address of the board on a bus whose game is meant. The extract contains the whole bus and replays as recorded.
    #[arg(long, value_name = "ADDRESS")]
    board: Option<u16>,
    /// Omit the other boards of the bus. The moves stay the same; the time at which each was final may differ.
    #[arg(long, requires = "board")]
    alone: bool,
    /// Number of the game; the extract begins at the end of the game before it.
    #[arg(long, conflicts_with_all = ["from", "to"])]
    game: Option<u32>,
    /// Start: 2026-11-21T14:03:00+01:00, or 14:03 or 14:03:20 on the last log's day.
    #[arg(long)]
    from: Option<String>,
    /// End, in the same form as --from.
    #[arg(long)]
    to: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let outcome = match &arguments.verb {
        Subcommand::List(arguments) => list(arguments),
        Subcommand::Verify(arguments) => verify(arguments),
        Subcommand::Extract(arguments) => extract(arguments),
    };
    match outcome {
        Err(error) if error.is::<UnreadableFolder>() => Ok(usage_error(format_args!("{error:#}"))),
        outcome => outcome,
    }
}

/// Folder that cannot be read.
#[derive(Debug)]
struct UnreadableFolder(PathBuf);

impl fmt::Display for UnreadableFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: is this the directory of a station?", self.0.display())
    }
}

fn read(directory: &Path) -> anyhow::Result<StationFolder> {
    StationFolder::read(directory).with_context(|| UnreadableFolder(directory.to_owned()))
}

fn list(arguments: &List) -> anyhow::Result<ExitCode> {
    for line in &read(&arguments.directory)?.lines {
        if arguments.json {
            print_line(line_as_json(line))?;
            continue;
        }
        let bytes: u64 = line.logs.iter().map(|log| log.summary.bytes).sum();
        let games = line.playback.as_ref().map_or(0, |played| played.games.len());
        print_line(format_args!("{}: {games} games, {} logs, {}", line.name, line.logs.len(), size(bytes)))?;
        for log in &line.logs {
            let (when, size, records) = (time_text(span(log)), size(log.summary.bytes), log.summary.records);
            print_line(format_args!("    {}  {when}  {size}, {records} records{}", file(log), state(log)))?;
        }
        match &line.playback {
            Ok(played) => {
                played.games.iter().try_for_each(|game| print_line(format_args!("    {}", game_as_text(line, game))))?
            }
            Err(error) => print_line(format_args!("    they cannot be played: {error}"))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn file(log: &LineLog) -> String {
    format!("log/{}", log.file.path.file_name().unwrap_or_default().to_string_lossy())
}

/// Returns the time from the opening of a log to its last record.
fn span(log: &LineLog) -> Option<TimeSpan> {
    let calendar = playback::calendar(&log.header, &log.summary)?;
    Some((calendar.moment(Millis::ZERO), calendar.moment(Millis(log.summary.end_time))))
}

fn time_text(span: Option<TimeSpan>) -> String {
    let Some((from, to)) = span else { return "at a time that it does not say".to_owned() };
    let to_form = if from.date_naive() == to.date_naive() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    format!("{} to {}", from.format("%Y-%m-%d %H:%M:%S"), to.format(to_form))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn state(log: &LineLog) -> String {
    let mut words = String::new();
    if log.header.continues() == Some(true) {
        words += ", continues the log before it";
    }
    for problem in &log.summary.problems {
        words += &format!("; {problem}");
    }
    if let Some(damage) = &log.summary.damage {
        words += &format!("; DAMAGED: {damage}");
    }
    words
}

fn name(line: &LineLogs, game: &PlayedGame) -> String {
    live_files::file_prefix(&line.name, game.board, game.name.as_deref())
}

fn game_as_text(line: &LineLogs, game: &PlayedGame) -> String {
    let board = game.board.map_or(String::new(), |_| format!("{}  ", name(line, game)));
    let result = game.file.result.as_deref().unwrap_or("*");
    format!(
        "{board}game {}  {}  {} entries  {result}",
        game.number(),
        time_text(extract::recorded_span(game)),
        extract::entries(game)
    )
}

fn line_as_json(line: &LineLogs) -> String {
    let logs: Vec<String> = line.logs.iter().map(log_as_json).collect();
    let games = line.playback.iter().flat_map(|played| &played.games);
    let games: Vec<String> = games.map(|game| game_as_json(line, game)).collect();
    let error = line.playback.as_ref().err().map_or("null".to_owned(), |error| json_text(&error.to_string()));
    format!(
        "{{\"line\":{},\"logs\":[{}],\"games\":[{}],\"error\":{error}}}",
        json_text(&line.name),
        logs.join(","),
        games.join(",")
    )
}

fn span_as_json(span: Option<TimeSpan>) -> String {
    let moment = |moment: WallTime| json_text(&moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, false));
    let (from, to) = span.map_or(("null".to_owned(), "null".to_owned()), |(from, to)| (moment(from), moment(to)));
    format!("\"from\":{from},\"to\":{to}")
}

fn log_as_json(log: &LineLog) -> String {
    let torn = log.summary.problems.first().map_or("null".to_owned(), |problem| json_text(&problem.to_string()));
    let damage = log.summary.damage.as_ref().map_or("null".to_owned(), |damage| json_text(&damage.to_string()));
    format!(
        "{{\"file\":{},{},\"bytes\":{},\"records\":{},\"continues\":{},\"torn\":{torn},\"damage\":{damage}}}",
        json_text(&file(log)),
        span_as_json(span(log)),
        log.summary.bytes,
        log.summary.records,
        log.header.continues() == Some(true),
    )
}

fn game_as_json(line: &LineLogs, game: &PlayedGame) -> String {
    format!(
        "{{\"board\":{},\"address\":{},\"game\":{},{},\"entries\":{},\"result\":{}}}",
        json_text(&name(line, game)),
        game.board.map_or("null".to_owned(), |board| board.to_string()),
        game.number(),
        span_as_json(extract::recorded_span(game)),
        extract::entries(game),
        game.file.result.as_deref().map_or("null".to_owned(), json_text),
    )
}

fn verify(arguments: &Verify) -> anyhow::Result<ExitCode> {
    let (mut is_damaged, mut is_unreadable) = (false, false);
    for path in &arguments.paths {
        let files = if path.is_dir() {
            let folder = Some(path.join("log")).filter(|log| log.is_dir()).unwrap_or_else(|| path.clone());
            logs::list(&folder).map(|logs| logs.into_iter().map(|log| log.path).collect())
        } else {
            Ok(vec![path.clone()])
        };
        let files: Vec<PathBuf> = files.with_context(|| UnreadableFolder(path.clone()))?;
        let folder = files.first().and_then(|file| file.parent()).unwrap_or(Path::new("."));
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let claims = chain::previous_logs(folder).unwrap_or_default();
        let known = logs::list(folder).unwrap_or_default();
        for file in files {
            let log = known.iter().find(|log| log.path.file_name() == file.file_name());
            let changed = log.and_then(|log| chain::difference(log, None, &claims));
            match read_log(&file) {
                Ok((header, summary)) => {
                    is_damaged |= !verify_log(&file, &header, &summary, changed.as_deref(), arguments.json)?;
                }
                Err(error) => {
                    print_error(format_args!("damcast: {}: {error}", file.display()));
                    is_unreadable = true;
                }
            }
        }
    }
    Ok(match (is_unreadable, is_damaged) {
        (true, _) => ExitCode::from(2),
        (_, true) => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

fn read_log(path: &Path) -> io::Result<(Header, LogSummary)> {
    let records = LogRecords::new(logs::open(path)?)?;
    Ok((records.header().clone(), records.into_summary()?))
}

/// Prints the findings about a log; returns whether it is intact.
fn verify_log(
    path: &Path,
    header: &Header,
    summary: &LogSummary,
    changed: Option<&str>,
    json: bool,
) -> anyhow::Result<bool> {
    let LogSummary { bytes, records, problems, damage, .. } = summary;
    let shown = path.display().to_string();
    let is_headless = header.opened.is_none();
    if json {
        let torn = problems.first().map_or("null".to_owned(), |problem| json_text(&problem.to_string()));
        let damage = damage.as_ref().map_or("null".to_owned(), |damage| json_text(&damage.to_string()));
        print_line(format_args!(
            "{{\"file\":{},\"bytes\":{bytes},\"records\":{records},\"opened\":{},\"torn\":{torn},\"damage\":{damage},\"changed\":{}}}",
            json_text(&shown),
            !is_headless,
            changed.map_or("null".to_owned(), json_text),
        ))?;
    } else {
        let head = if is_headless { "; it does not say when it was opened" } else { "" };
        let problems: String = problems.iter().map(|problem| format!("; {problem}")).collect();
        let verdict = match (damage, changed) {
            (Some(damage), _) => format!("damaged: {damage}"),
            (None, Some(changed)) => format!("not whole: {changed}"),
            (None, None) => "whole".to_owned(),
        };
        print_line(format_args!("{shown}: {verdict}, {records} records{problems}{head}"))?;
    }
    Ok(damage.is_none() && changed.is_none())
}

fn extract(arguments: &Extract) -> anyhow::Result<ExitCode> {
    let folder = read(&arguments.directory)?;
    let line = match (&arguments.line, folder.lines.as_slice()) {
        (Some(name), lines) => lines.iter().find(|line| line.name == *name),
        (None, [line]) => Some(line),
        (None, _) => None,
    };
    let names: Vec<&str> = folder.lines.iter().map(|line| line.name.as_str()).collect();
    let line = line.with_context(|| format!("--line: one of {}", names.join(", ")))?;
    let calendar = |log: &LineLog| playback::calendar(&log.header, &log.summary);
    let last = line.logs.iter().rev().find_map(|log| Some(calendar(log)?.epoch()));
    let last = last.with_context(|| format!("{}: no log says when it was opened", line.name))?;
    let board =
        arguments.board.map(|board| BusAddress::new(board).context("--board: no address of a bus")).transpose()?;
    let (span, before) = match arguments.game {
        Some(game) => {
            let span = extract::span_of_game(line, board, game);
            let span = span.with_context(|| format!("{}: there is no game {game}; see damcast log list", line.name))?;
            (span, Some((board, game.saturating_sub(1))))
        }
        None => {
            let from = arguments.from.as_deref().map(|text| parse_time(text, last).context("--from")).transpose()?;
            let to = arguments.to.as_deref().map(|text| parse_time(text, last).context("--to")).transpose()?;
            let end = last + TimeDelta::days(366);
            ((from.unwrap_or_default(), to.unwrap_or(end)), None)
        }
    };
    let mut alone = board.filter(|_| arguments.alone).map(BoardFilter::new);
    let mut out = output::buffered_stdout();
    let is_any = extract::extract(line, span, before, |piece| {
        let pieces = match &mut alone {
            Some(alone) => alone.push(piece),
            None => vec![piece],
        };
        pieces.iter().try_for_each(|piece| out.write_all(piece.to_text().as_bytes()))
    })?;
    out.flush()?;
    anyhow::ensure!(is_any, "{}: nothing was recorded in that time", line.name);
    Ok(ExitCode::SUCCESS)
}

/// Parses a time, or a time of day on the day of another.
fn parse_time(text: &str, day: WallTime) -> anyhow::Result<WallTime> {
    if let Ok(moment) = WallTime::parse_from_rfc3339(text) {
        return Ok(moment);
    }
    let time = NaiveTime::parse_from_str(text, "%H:%M:%S").or_else(|_| NaiveTime::parse_from_str(text, "%H:%M"));
    let time = time.with_context(|| format!("\"{text}\" is no time: 14:03, 14:03:20 or 2026-11-21T14:03:00+01:00"))?;
    day.with_time(time).single().context("this time did not exist on that day")
}
