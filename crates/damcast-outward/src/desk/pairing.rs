//! The next round of a Swiss by a pairing program: the station writes the file, the desk runs the program, the page shows the pairings
//! and sends them to the station as any other request.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use damcast_control::ClientRequest;
use damcast_control::tournament::TournamentRequest;
use draughts_tournament::NextRoundChoices;
use serde::Deserialize;
use serde_json::json;

use super::routes::{LoggedInUser, MAX_REQUEST_LEN, SharedSite, body, error_response, object, reply_response};
use crate::pairing_engine::run_engine;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairForm {
    #[serde(default)]
    section: Option<String>,
    choices: NextRoundChoices,
}

/// Pairs the next round. The answer has the `request` that imports it, and `notes` for the arbiter. The program needs a pairing file
/// alone, so nothing changes.
pub(super) async fn pair(State(desk): SharedSite, member: LoggedInUser, request: Request) -> Response {
    let PairForm { section, choices } = match body(request, MAX_REQUEST_LEN).await {
        Ok(form) => form,
        Err(answer) => return answer,
    };
    if desk.engine.is_empty() {
        let message =
            "no pairing program is configured: `engine` of [tournament] names it; docs/arbiter.md says which there are";
        return error_response(StatusCode::CONFLICT, message);
    }
    let wanted = ClientRequest::PairingFile { section, choices };
    let reply = desk.station.request(Some(member.user), wanted).await;
    let (Some(file), Some(version)) = (&reply.pairing_file, reply.version) else { return reply_response(&reply) };
    let Ok(_turn) = desk.engine_turn.try_lock() else {
        return error_response(
            StatusCode::SERVICE_UNAVAILABLE,
            "the pairing program is at work; try again in a minute",
        );
    };
    let (engine, text) = (desk.engine.clone(), file.text.clone());
    let pairs = tokio::task::spawn_blocking(move || run_engine(&engine, &text)).await;
    let paired = match pairs {
        Ok(pairs) => pairs.and_then(|pairs| file.command(&pairs)),
        Err(_) => return error_response(StatusCode::INTERNAL_SERVER_ERROR, "the desk failed; try again"),
    };
    match paired {
        Ok(command) => {
            let request = TournamentRequest { if_version: Some(version), ..command.into() };
            object(StatusCode::OK, &json!({"ok": true, "round": file.round, "notes": file.notes, "request": request}))
        }
        Err(why) => error_response(StatusCode::CONFLICT, &why),
    }
}
