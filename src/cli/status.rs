//! `damcast status`: how a running station is, and what needs the operator.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use damcast::control::Request;
use damcast::control::client::ClientError;
use damcast::overview::{BoardView, Overview};

use super::station::{Where, explain};

/// What is asked.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 a station answered, 1 the connection broke, 2 wrong arguments, 3 no station answers, 4 not \
                  allowed.\n\nExamples:\n  damcast status\n  damcast status --watch\n  \
                  damcast status --json | jq '.boards[] | select(.state == \"unexplained\") | .name'"
)]
pub struct Arguments {
    #[command(flatten)]
    station: Where,
    /// Print it as JSON; with --watch one line each time.
    #[arg(long)]
    json: bool,
    /// Show it again and again, whenever something changes.
    #[arg(long)]
    watch: bool,
}

/// Asks, and shows it.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut client = match arguments.station.connect() {
        Ok(client) => client,
        Err(code) => return Ok(code),
    };
    let request = match arguments.watch {
        true => Request::Watch { interval_ms: Some(200) },
        false => Request::Status {},
    };
    let (path, patience) = (client.path().display().to_string(), request.patience());
    let mut reply = client.ask(request, patience, |left| {
        let left = left.as_secs_f64().ceil();
        eprintln!("damcast: no answer yet from the station at {path}; waiting {left} s more");
    });
    let in_place = arguments.watch && !arguments.json && io::stdout().is_terminal();
    loop {
        let status = match reply {
            Ok(reply) => match reply.status {
                Some(status) => status,
                None => {
                    eprintln!("damcast: {}", reply.error.unwrap_or_else(|| "this station tells no status".to_owned()));
                    return Ok(ExitCode::FAILURE);
                }
            },
            // While it is watched, the end of the station is the end of the connection.
            Err(ClientError::Broken { .. }) if arguments.watch => {
                eprintln!("damcast: the station has ended");
                return Ok(ExitCode::FAILURE);
            }
            Err(error) => return Ok(explain(&error)),
        };
        let mut text = match arguments.json {
            true => serde_json::to_string(&status)? + "\n",
            false => table(&status),
        };
        if in_place {
            // From the upper left corner, and nothing below.
            text = format!("\x1b[H\x1b[2J{text}");
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // Who reads it has seen enough.
            return if error.kind() == io::ErrorKind::BrokenPipe { Ok(ExitCode::SUCCESS) } else { Err(error.into()) };
        }
        if !arguments.watch {
            return Ok(ExitCode::SUCCESS);
        }
        reply = client.hear();
    }
}

/// For people: the boards, then what needs them.
fn table(status: &Overview) -> String {
    let width = |of: fn(&BoardView) -> usize, least: usize| status.boards.iter().map(of).max().unwrap_or(0).max(least);
    let name = width(|board| board.name.chars().count(), 5);
    let state = width(|board| state(board).chars().count(), 5).min(40);
    let mut text = format!(
        "{:<name$}  {:<state$}  {:>6}  {:>4}  {:>5}  {:<16}  {:>8}  {:>8}\n",
        "board", "state", "since", "game", "plies", "last", "White", "Black"
    );
    for board in &status.boards {
        let clock = |seconds: Option<u32>| {
            seconds.map_or("-".to_owned(), |s| format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60))
        };
        text += &format!(
            "{:<name$}  {:<state$}  {:>6}  {:>4}  {:>5}  {:<16}  {:>8}  {:>8}\n",
            board.name,
            cut(&self::state(board), state),
            board.since_s.map_or("-".to_owned(), span),
            board.game.map_or("-".to_owned(), |game| game.to_string()),
            board.plies,
            cut(board.last.as_deref().unwrap_or("-"), 16),
            clock(board.clocks.map(|clocks| clocks.white)),
            clock(board.clocks.map(|clocks| clocks.black)),
        );
        if let Some(doubt) = &board.doubt {
            text += &format!("  differs on {}\n", doubt.squares.join(", "));
            for reading in &doubt.readings {
                text += &format!("  perhaps {reading}\n");
            }
        }
        if let Some(wrong) = &board.wrong_start {
            text += &format!("  not set up: {wrong}\n");
        }
    }
    for line in status.lines.iter().filter_map(|line| Some((line, line.pending.as_ref()?))) {
        text += &format!("{}: {}\n", line.0.name, line.1);
    }
    for line in status.lines.iter().filter_map(|line| Some((line, line.fault.as_ref()?))) {
        text += &format!("{}: {}\n", line.0.name, line.1);
    }
    for alarm in &status.alarms {
        let of = alarm.board.as_deref().unwrap_or("station");
        text += &format!("ALARM {of}: {} since {}: {}\n", alarm.kind, alarm.since.format("%H:%M:%S"), alarm.text);
    }
    if let Some(reload) = status.reload.as_ref().filter(|reload| !reload.ok) {
        text += &format!("the configuration of {} is wrong, the old one counts:\n", reload.at.format("%H:%M:%S"));
        text += &format!("{}\n", reload.text.join("\n"));
    }
    let disk = status.disk.map_or("unknown".to_owned(), |disk| {
        format!("{:.1} of {:.1} GB free", disk.free_bytes as f64 / 1e9, disk.total_bytes as f64 / 1e9)
    });
    let (version, directory) = (&status.version, status.directory.display());
    text + &format!("damcast {version}, running for {}, records into {directory}, disk {disk}\n", span(status.uptime_s))
}

fn state(board: &BoardView) -> String {
    let text = if board.text.is_empty() { &board.state } else { &board.text };
    if board.state == "broken" { format!("broken: {text}") } else { text.clone() }
}

/// `12 s`, `5 min`, `3 h`, `2 d`.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
