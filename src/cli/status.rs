//! `damcast status`: shows a running station and the problems that need the operator.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use damcast::control::client::{Client, ClientError};
use damcast::control::overview::{AwaitedView, Overview, PairingView};
use damcast::control::{ClientRequest, Reply};
use damcast::outward::deliver::report::DeliveriesState;
use damcast::outward::state_file::{PagesState, STATE_FILE_PATH, StateFiles, read_state};
use draughts_tournament::MAIN;
use tokio::sync::mpsc;

use super::boards::{BoardTable, span};
use super::output::{self, print_error};
use super::screen::{Screen, ScreenCommand, TerminalSignals};
use super::station::{StationOptions, explain};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 a station answered, 1 the connection broke, 2 wrong arguments, 3 no station answers, 4 not \
                  allowed.\n\nExamples:\n  damcast status\n  damcast status --watch\n  \
                  damcast status --json | jq '.boards[] | select(.state == \"unexplained\") | .name'"
)]
pub struct Arguments {
    #[command(flatten)]
    station: StationOptions,
    /// Print JSON; with --watch one line per update.
    #[arg(long)]
    json: bool,
    /// Keep running, and show every change.
    #[arg(long)]
    watch: bool,
    /// State file of the viewers' pages.
    #[arg(long, value_name = "FILE", default_value = STATE_FILE_PATH, hide = true)]
    viewers: PathBuf,
}

/// Requests the status and shows it.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut client = match arguments.station.connect() {
        Ok(client) => client,
        Err(code) => return Ok(code),
    };
    let request = match arguments.watch {
        true => ClientRequest::Watch { interval_ms: Some(200), desk: None },
        false => ClientRequest::Status {},
    };
    let mut screen = Screen::standard();
    let (path, patience) = (client.path().display().to_string(), request.timeout());
    let mut heard = fetch_overview(client.request(request, patience, |left| {
        let left = left.as_secs_f64().ceil();
        print_error(format_args!("damcast: no answer yet from the station at {path}; waiting {left} s more"));
    }));
    if arguments.watch && !arguments.json && screen.is_terminal() {
        return match heard {
            Ok(first) => watch(client, first, &mut screen, arguments),
            Err(end) => Ok(end.print(false)),
        };
    }
    loop {
        let status = match heard {
            Ok(status) => status,
            Err(end) => return Ok(end.print(arguments.watch)),
        };
        let status = with_alarms(*status, &arguments.state_files());
        match arguments.json {
            true => output::print_line(to_json(&status, arguments)?)?,
            false => output::print(status_text(&status, Surroundings::read(arguments)).text(screen.width()))?,
        }
        if !arguments.watch {
            return Ok(ExitCode::SUCCESS);
        }
        heard = fetch_overview(client.next_reply());
    }
}

/// Reason for a missing status.
enum StatusError {
    /// The station refused the request.
    Refused(String),
    /// The connection broke, or there was none.
    Lost(ClientError),
}

impl StatusError {
    /// Prints the reason. While a station is watched, its end closes the connection.
    fn print(&self, is_watched: bool) -> ExitCode {
        match self {
            StatusError::Refused(error) => print_error(format_args!("damcast: {error}")),
            StatusError::Lost(ClientError::Broken { .. }) if is_watched => {
                print_error("damcast: the station has ended")
            }
            StatusError::Lost(error) => return explain(error),
        }
        ExitCode::FAILURE
    }
}

fn fetch_overview(reply: Result<Reply, ClientError>) -> Result<Box<Overview>, StatusError> {
    let reply = reply.map_err(StatusError::Lost)?;
    let refused = || StatusError::Refused(reply.error.unwrap_or_else(|| "this station tells no status".to_owned()));
    reply.status.ok_or_else(refused)
}

/// Shows the status in place until a signal arrives or the station ends. The last table stays on the terminal.
fn watch(
    mut client: Client,
    first: Box<Overview>,
    screen: &mut Screen,
    arguments: &Arguments,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    let (sender, mut replies) = mpsc::channel(1);
    // The thread ends with the process: a blocking read cannot be cancelled.
    std::thread::spawn(move || {
        loop {
            let heard = fetch_overview(client.next_reply());
            let is_over = heard.is_err();
            if sender.blocking_send(heard).is_err() || is_over {
                return;
            }
        }
    });
    let mut last = first;
    let outcome: io::Result<Option<StatusError>> = runtime.block_on(async {
        let mut wishes = TerminalSignals::listen()?;
        loop {
            let shown = with_alarms(Overview::clone(&last), &arguments.state_files());
            screen.draw(|columns, rows| status_text(&shown, Surroundings::read(arguments)).page(columns, rows))?;
            tokio::select! {
                heard = replies.recv() => match heard {
                    Some(Ok(status)) => last = status,
                    Some(Err(end)) => return Ok(Some(end)),
                    None => return Ok(None),
                },
                signal = wishes.next() => match signal {
                    ScreenCommand::Draw => {}
                    ScreenCommand::Pause => screen.pause(),
                    ScreenCommand::End => return Ok(None),
                },
            }
        }
    });
    screen.leave();
    let end = outcome?;
    let shown = with_alarms(*last, &arguments.state_files());
    output::print(status_text(&shown, Surroundings::read(arguments)).text(screen.width()))?;
    Ok(end.map_or(ExitCode::SUCCESS, |end| end.print(true)))
}

impl Arguments {
    /// Returns the state files of the processes whose alarms are shown.
    fn state_files(&self) -> StateFiles {
        StateFiles { viewers: Some(self.viewers.clone()), hub: self.station.hub_file(), ..StateFiles::default() }
    }
}

/// Adds the alarms of the pages and the hub to a status.
fn with_alarms(mut status: Overview, state_files: &StateFiles) -> Overview {
    status.alarms.extend(state_files.alarms());
    status
}

/// Returns the status as JSON for programs, with the states of the pages and the deliveries, if they run.
fn to_json(status: &Overview, arguments: &Arguments) -> serde_json::Result<String> {
    let mut value = serde_json::to_value(status)?;
    if let Some(state) = arguments.station.deliveries() {
        value["deliveries"] = match state {
            DeliveriesState::Running(reports) => serde_json::to_value(reports)?,
            DeliveriesState::Silent(span) => serde_json::json!({ "silent_s": span.as_secs() }),
        };
    }
    if let Some(state) = read_state(&arguments.viewers) {
        value["viewers"] = match state {
            PagesState::Running(state) => state,
            PagesState::Silent(span) => serde_json::json!({ "silent_s": span.as_secs() }),
        };
    }
    serde_json::to_string(&value)
}

/// Summarises the state of the pages, if they run.
fn viewers_summary(viewers: &Path) -> Option<String> {
    Some(match read_state(viewers)? {
        PagesState::Silent(silent) => format!("the pages have been silent for {}", span(silent.as_secs())),
        state => format!("viewers {}", state.viewers().unwrap_or(0)),
    })
}

/// Processes beside the station, for people.
#[derive(Default)]
struct Surroundings {
    /// Summary of each process, for the last line.
    summaries: Vec<String>,
    problems: Vec<String>,
}

impl Surroundings {
    fn read(arguments: &Arguments) -> Surroundings {
        let deliveries = arguments.station.deliveries();
        let reports = match &deliveries {
            Some(DeliveriesState::Running(reports)) => &reports[..],
            _ => &[],
        };
        let delivered = reports.iter().filter(|report| !report.is_failing());
        let delivered = delivered.map(|report| format!("delivery {} {}", report.name, report.describe()));
        Surroundings {
            summaries: viewers_summary(&arguments.viewers).into_iter().chain(delivered).collect(),
            problems: deliveries.map_or(Vec::new(), |state| state.problems()),
        }
    }
}

/// Returns the status for people: the boards, then the problems.
fn status_text(status: &Overview, around: Surroundings) -> BoardTable<'_> {
    let mut notes = around.problems;
    for line in &status.lines {
        notes.extend(line.pending.iter().chain(&line.fault).map(|text| format!("{}: {text}", line.name)));
    }
    notes.extend(status.results_awaited.iter().map(waits_for_result));
    notes.extend(status.unassigned_games.iter().filter_map(unassigned_game_line));
    if let Some(reload) = status.reload.as_ref().filter(|reload| !reload.ok) {
        notes.push(format!("the configuration of {} is wrong, the old one counts:", reload.at.format("%H:%M:%S")));
        notes.extend(reload.text.iter().flat_map(|text| text.lines()).map(str::to_owned));
    }
    let disk = status.disk.map_or("unknown".to_owned(), |disk| {
        let [free, total] = [disk.free_bytes, disk.total_bytes].map(|bytes| format_in_unit(disk.total_bytes, bytes));
        format!("{free} of {total} {} free", space_unit(disk.total_bytes))
    });
    let (version, directory) = (&status.version, status.directory.display());
    let uptime = span(status.uptime_s);
    let watching: String = around.summaries.iter().map(|words| format!(", {words}")).collect();
    let foot = format!("damcast {version}, running for {uptime}, records into {directory}, disk {disk}{watching}");
    BoardTable { boards: &status.boards, alarms: &status.alarms, notes, footer: foot, shows_files: false }
}

/// Describes a pairing without an official result, and the command that enters it.
fn waits_for_result(AwaitedView { board, pairing }: &AwaitedView) -> String {
    let PairingView { section, round, board_number: table, white, black, proposed, .. } = pairing;
    let table = table.map_or("-".to_owned(), |table| table.to_string());
    let shown = proposed.as_ref().map_or(String::new(), |result| format!("; the board shows {result}"));
    let result = proposed.as_deref().unwrap_or("RESULT");
    let (place, request) = match board {
        Some(board) => (format!("{board}: round {round}"), format!("{board} {result}")),
        None => {
            let of = if section == MAIN { String::new() } else { format!(" --section \"{section}\"") };
            (format!("board {table} of round {round}"), format!("- {result} --pairing {round}.{table}{of}"))
        }
    };
    format!("{place}, {white} - {black} waits for a result{shown}: `damcast ctl result {request}`")
}

/// Describes a pairing whose board plays an unassigned game, which may have begun before the round.
fn unassigned_game_line(AwaitedView { board, pairing }: &AwaitedView) -> Option<String> {
    let (board, PairingView { round, white, black, .. }) = (board.as_ref()?, pairing);
    Some(format!(
        "{board}: its game is one of no pairing; if it is {white} - {black} of round {round}: `damcast ctl adopt {board}`"
    ))
}

/// Returns the unit for a disk of this size in bytes.
fn space_unit(total: u64) -> &'static str {
    if total < 1_000_000_000 { "MB" } else { "GB" }
}

fn format_in_unit(total: u64, bytes: u64) -> String {
    let one = if space_unit(total) == "MB" { 1e6 } else { 1e9 };
    format!("{:.1}", bytes as f64 / one)
}

#[cfg(test)]
mod tests {
    use damcast::control::overview::{BoardView, ClocksView, DiskView, PairingView, UnexplainedView, WaitView};

    use super::*;

    fn board(name: &str, state: &str, plies: u32, last: &str, players: [&str; 2], clocks: [u32; 2]) -> BoardView {
        let [white, black] = players.map(|name| Some(name.to_owned()));
        BoardView {
            name: name.to_owned(),
            line: name.to_owned(),
            state: state.split(':').next().unwrap().to_owned(),
            text: state.to_owned(),
            since_s: Some(12 * 60),
            game: Some(1),
            white,
            black,
            plies,
            last: Some(last.to_owned()),
            clocks: Some(ClocksView { white: clocks[0], black: clocks[1] }),
            ..BoardView::default()
        }
    }

    fn overview() -> Overview {
        let first = board("board-1", "playing", 39, "20. 40-34", ["Sijbrands, T.", "Wiersma, H."], [5743, 5700]);
        let text = "unexplained: 19, 24";
        let mut second = board("board-2", text, 23, "12. 37-31", ["Jansen, P.", "Pieters, K."], [4811, 4682]);
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        second.since_s = Some(18);
        second.unexplained = Some(UnexplainedView {
            squares: words(&["19", "24"]),
            interpretations: words(&["24x19 (24 wrong)", "setup"]),
        });
        Overview {
            version: "0.1.0".to_owned(),
            uptime_s: 3 * 3600,
            directory: "recordings".into(),
            disk: Some(DiskView { free_bytes: 41_200_000_000, total_bytes: 58_000_000_000 }),
            boards: vec![first, second],
            ..Overview::default()
        }
    }

    #[test]
    fn shows_pending_reason_below_board() {
        let mut overview = overview();
        let waits = |what: &str, seconds| Some(WaitView { what: what.to_owned(), seconds });
        overview.boards[0].waits = waits("press", 6);
        overview.boards[0].provisional = vec!["32-28".to_owned()];
        overview.boards[1].waits = waits("explanation", 12);
        let printed = super::status_text(&overview, Surroundings::default()).text(None);
        assert!(printed.contains("\n  32-28 waits 6 s for a press of the clock\n"), "{printed}");
        assert!(printed.contains("\n  what stands there waits 12 s for a move that explains it\n"), "{printed}");
    }

    #[test]
    fn shows_alarms_of_pages() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let alarm =
            r#"{"kind":"reader-gone","place":"games.pdn","since":"2026-11-26T12:00:00+01:00","text":"it is away"}"#;
        for (alarms, expected) in [(format!("[{alarm}]"), 1), ("[{}]".to_owned(), 0), ("7".to_owned(), 0)] {
            std::fs::write(&file, format!("{{\"written\":{now},\"viewers\":3,\"alarms\":{alarms}}}")).unwrap();
            let before = overview().alarms.len();
            let status =
                super::with_alarms(overview(), &StateFiles { viewers: Some(file.clone()), ..StateFiles::default() });
            assert_eq!(status.alarms.len() - before, expected);
            let printed = super::status_text(&status, Surroundings::default()).text(None);
            let line = "ALARM station: reader-gone since 12:00:00: it is away\n";
            assert_eq!(printed.matches(line).count(), expected, "{printed}");
        }
    }

    #[test]
    fn finished_board_shows_players_and_result() {
        let mut overview = overview();
        let board = &mut overview.boards[0];
        (board.white, board.black, board.last) = (None, None, None);
        board.pairing = Some(PairingView {
            white: "Sijbrands, T.".to_owned(),
            black: "Wiersma, H.".to_owned(),
            result: Some("2-0".to_owned()),
            ..PairingView::default()
        });
        let printed = super::status_text(&overview, Surroundings::default()).text(None);
        let line = printed.lines().find(|line| line.starts_with("board-1")).unwrap();
        assert!(line.contains(" 2-0 ") && line.contains("Sijbrands, T.  Wiersma, H."), "{printed}");
    }

    #[test]
    fn matches_table_of_docs_page() {
        let page = include_str!("../../docs/station.md");
        let (_, rest) = page.split_once("$ damcast status\n").unwrap();
        let (shown, _) = rest.split_once("```").unwrap();
        let printed = super::status_text(&overview(), Surroundings::default()).text(None);
        assert_eq!(printed, shown);
    }

    #[test]
    fn shows_small_disk_in_megabytes() {
        let foot = |free_bytes, total_bytes| {
            let overview = Overview { disk: Some(DiskView { free_bytes, total_bytes }), ..overview() };
            super::status_text(&overview, Surroundings::default()).footer
        };
        assert!(foot(12_345_678, 64_000_000).ends_with("disk 12.3 of 64.0 MB free"));
        assert!(foot(0, 2_000_000_000).ends_with("disk 0.0 of 2.0 GB free"));
        let unknown = Overview { disk: None, ..overview() };
        assert!(super::status_text(&unknown, Surroundings::default()).footer.ends_with("disk unknown"));
    }
}
