//! Offers the moves that a board may have missed.

use damcast_control::{OfferedMoves, Reply, Uptime};
use damcast_engine::session::MissingMovesPlace;

use super::command_sender::send_command;
use super::{Commands, StationCommand};

/// Returns the offers for each place of a board at which moves are missing.
pub async fn offer(commands: &Commands, board: String, until: Uptime) -> Reply {
    let command = |answer| StationCommand::MissingMoves { board, answer };
    let places = match send_command(commands, until, command).await {
        Ok(Ok(places)) => places,
        Ok(Err(why)) => return Reply::error(why),
        Err(reply) => return reply,
    };
    // Beside the recording: it may take a second.
    let search = move || places.iter().map(offered).collect();
    match tokio::task::spawn_blocking(search).await {
        Ok(offers) => Reply { missing_moves: offers, ..Reply::done(Vec::new()) },
        Err(bug) => Reply::error(format!("a bug: {bug}")),
    }
}

fn offered(place: &MissingMovesPlace) -> OfferedMoves {
    OfferedMoves { game: place.game, after: place.after, offers: place.offers() }
}
