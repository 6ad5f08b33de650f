//! `damcast ctl enter`: enters plies of a board without electronics, each with its place in the game.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use damcast::control::client::Client;
use damcast::control::overview::{BoardView, EntryView, Overview};
use damcast::control::{ClientRequest, Reply};
use damcast::engine::session::request::{EnteredPly, OperatorCommand};

use super::super::output;
use super::super::station::EXIT_OUTCOME_UNKNOWN;

/// Enters the plies after those that stand, or takes back the last one. Stops at the first ply that is refused.
pub(super) fn run(
    client: &mut Client,
    board: &str,
    moves: &[String],
    take_back: bool,
    patience: Option<Duration>,
    is_json: bool,
) -> anyhow::Result<ExitCode> {
    let EntryView { game, ply, .. } = next_place(client, board)?;
    let commands: Vec<OperatorCommand> = if take_back {
        let last = ply.checked_sub(1).filter(|&last| last > 0);
        let Some(last) = last else { bail!("{board} has no ply to take back") };
        vec![OperatorCommand::TakeBack { game, ply: last }]
    } else {
        let place = |(notation, ply): (&String, u32)| {
            OperatorCommand::Enter(EnteredPly { game, ply, notation: notation.clone(), clocks: [None; 2] })
        };
        moves.iter().zip(ply..).map(place).collect()
    };
    for command in commands {
        let request = ClientRequest::Request {
            board: board.to_owned(),
            request: command.to_string(),
            confirm: false,
            reason: String::new(),
            if_seen: None,
            dry_run: false,
            until: None,
        };
        let patience = patience.unwrap_or(request.timeout());
        let reply = client.request(request, patience, |_| {}).unwrap_or_else(|error| {
            Reply::unknown(format!(
                "{error}\nIt is not known whether this was done; ask again, which enters nothing twice."
            ))
        });
        if is_json {
            output::print_line(serde_json::to_string(&reply)?)?;
        } else {
            reply.messages.iter().try_for_each(output::print_line)?;
        }
        if !reply.ok {
            let why = reply.error.unwrap_or_default();
            output::print_error(format_args!("damcast: {board}: {why}"));
            return Ok(if reply.outcome_unknown { ExitCode::from(EXIT_OUTCOME_UNKNOWN) } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the place of the next ply of a board.
fn next_place(client: &mut Client, board: &str) -> anyhow::Result<EntryView> {
    let (overview, view) = overview(client, board)?;
    let is_entered = overview.lines.iter().any(|known| known.name == view.line && known.mode == "entry");
    view.entry.with_context(|| match is_entered {
        true => format!("{board} is being opened; try again in a moment"),
        false => format!("{board} reports its moves itself; nothing can be entered"),
    })
}

/// Returns the state of a board.
pub(super) fn view(client: &mut Client, board: &str) -> anyhow::Result<BoardView> {
    Ok(overview(client, board)?.1)
}

/// Returns the state of the station, and of a board.
fn overview(client: &mut Client, board: &str) -> anyhow::Result<(Overview, BoardView)> {
    let request = ClientRequest::Status {};
    let patience = request.timeout();
    let reply = client.request(request, patience, |_| {})?;
    let overview = reply.status.context("the station does not report its boards")?;
    let boards = &overview.boards;
    let Some(view) = boards.iter().find(|view| view.name == board) else {
        let known: Vec<&str> = boards.iter().map(|view| view.name.as_str()).collect();
        bail!("there is no board `{board}`; there are {}", known.join(", "));
    };
    let view = view.clone();
    Ok((*overview, view))
}
