//! `damcast ctl add-moves` for a running game: finds the place at which moves are missing.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use damcast::control::client::Client;
use damcast::control::{ClientRequest, OfferedMoves};
use damcast::engine::session::request::{AddedMoves, OperatorCommand};

use super::super::output;
use super::{Arguments, Subcommand, send};

/// Message about a board without missing moves.
const NOTHING_MISSING: &str = "no move is missing: the game has no setup, and legal moves explain the board";

/// Moves for a running game.
pub(super) struct TypedMoves<'a> {
    board: &'a str,
    moves: String,
    after: Option<u32>,
    confirm: bool,
}

impl Subcommand {
    /// Returns moves for a running game; `None` for other requests, and for moves from a file, which belong to a finished game.
    pub(super) fn moves_of_running_game(&self) -> Option<TypedMoves<'_>> {
        let Subcommand::AddMoves { board, moves, after, confirm, game: None, .. } = self else { return None };
        let is_file = matches!(&moves[..], [file] if file == "-" || Path::new(file).exists());
        (!is_file).then(|| TypedMoves { board, moves: moves.join(" "), after: *after, confirm: *confirm })
    }
}

/// Adds the moves at the first place at which moves are missing, or at the given one; without moves, lists those that may be missing.
pub(super) fn run(client: &mut Client, arguments: &Arguments, typed: &TypedMoves<'_>) -> anyhow::Result<ExitCode> {
    let board = typed.board;
    let nth = typed.moves.parse::<usize>().ok();
    if typed.moves.is_empty() || nth.is_some() {
        let places = offers(client, board)?;
        let Some(nth) = nth else { return list(board, &places, arguments.json) };
        let place = places.iter().find(|place| typed.after.is_none_or(|after| after == place.after));
        let offer = place.and_then(|place| Some((place, place.offers.get(nth.checked_sub(1)?)?)));
        let Some((place, moves)) = offer else {
            bail!("{board}: there is no offer {nth}; see `damcast ctl add-moves {board}`")
        };
        let added = AddedMoves { game: place.game, after: place.after, moves: moves.clone(), anyway: false };
        return add(client, arguments, typed, added);
    }
    let view = super::enter::view(client, board)?;
    let Some(game) = view.game.filter(|_| view.is_ongoing) else {
        bail!("{board}: no game is going on; for a finished game name a file with its moves, or `-`");
    };
    let Some(after) = typed.after.or(view.missing_moves.first().copied()) else { bail!("{board}: {NOTHING_MISSING}") };
    let added = AddedMoves { game, after, moves: typed.moves.clone(), anyway: false };
    add(client, arguments, typed, added)
}

fn add(
    client: &mut Client,
    arguments: &Arguments,
    typed: &TypedMoves<'_>,
    added: AddedMoves,
) -> anyhow::Result<ExitCode> {
    let request = ClientRequest::Request {
        board: typed.board.to_owned(),
        request: OperatorCommand::AddMoves(added).to_string(),
        confirm: typed.confirm,
        reason: String::new(),
        if_seen: None,
        dry_run: arguments.dry_run,
        until: None,
    };
    send(client, request, arguments)
}

/// Returns the moves that may be missing at each place of a board.
fn offers(client: &mut Client, board: &str) -> anyhow::Result<Vec<OfferedMoves>> {
    let request = ClientRequest::OfferMoves { board: board.to_owned() };
    let patience = request.timeout();
    let reply = client.request(request, patience, |_| {})?;
    if let Some(error) = reply.error {
        bail!("{board}: {error}");
    }
    Ok(reply.missing_moves)
}

/// Prints the moves that may be missing.
fn list(board: &str, places: &[OfferedMoves], is_json: bool) -> anyhow::Result<ExitCode> {
    if is_json {
        output::print_line(serde_json::to_string(places)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if places.is_empty() {
        output::print_line(format_args!("{board}: {NOTHING_MISSING}"))?;
    }
    for OfferedMoves { game, after, offers } in places {
        output::print_line(format_args!("game {game}, after entry {after} (--after {after}):"))?;
        if offers.is_empty() {
            output::print_line("  no legal sequence of up to four plies; type the moves")?;
        }
        for (offer, number) in offers.iter().zip(1..) {
            output::print_line(format_args!("  {number}  {offer}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
