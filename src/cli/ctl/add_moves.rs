//! `damcast ctl add-moves` for a running game: finds the place at which moves are missing.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use damcast::control::ClientRequest;
use damcast::control::client::Client;
use damcast::engine::session::request::{AddedMoves, OperatorCommand};

use super::{Arguments, Subcommand, send};

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

/// Adds the moves at the first place at which moves are missing, or at the given one.
pub(super) fn run(client: &mut Client, arguments: &Arguments, typed: &TypedMoves<'_>) -> anyhow::Result<ExitCode> {
    let board = typed.board;
    let view = super::enter::view(client, board)?;
    let Some(game) = view.game.filter(|_| view.is_ongoing) else {
        bail!("{board}: no game is going on; for a finished game name a file with its moves, or `-`");
    };
    let Some(after) = typed.after.or(view.missing_moves.first().copied()) else {
        bail!("{board}: no move is missing in game {game}: it has no setup, and legal moves explain the board");
    };
    let added = AddedMoves { game, after, moves: typed.moves.clone(), anyway: false };
    let request = ClientRequest::Request {
        board: board.to_owned(),
        request: OperatorCommand::AddMoves(added).to_string(),
        confirm: typed.confirm,
        reason: String::new(),
        if_seen: None,
        dry_run: arguments.dry_run,
        until: None,
    };
    send(client, request, arguments)
}
