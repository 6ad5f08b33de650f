//! The next round of a Swiss by a pairing program: the station writes the file, the desk runs the program, the page shows the pairings
//! and sends them to the station as any other request.

use axum::http::StatusCode;
use damcast_control::tournament::TournamentRequest;
use damcast_control::{ClientRequest, DeskUser};
use draughts_tournament::NextRoundChoices;
use serde::Deserialize;
use serde_json::{Value, json};

use super::site::DeskSite;
use crate::pairing_engine::run_engine;

/// Request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairForm {
    #[serde(default)]
    section: Option<String>,
    choices: NextRoundChoices,
}

/// Pairs the next round. The answer has the `request` that imports it, and `notes` for the arbiter; nothing changes. If the station
/// refuses the file, the answer is its reply.
pub async fn pair(desk: &DeskSite, user: DeskUser, form: PairForm) -> Result<Value, (StatusCode, String)> {
    if desk.engine.is_empty() {
        let message =
            "no pairing program is configured: `engine` of [tournament] names it; docs/arbiter.md says which there are";
        return Err((StatusCode::CONFLICT, message.to_owned()));
    }
    let wanted = ClientRequest::PairingFile { section: form.section, choices: form.choices };
    let reply = desk.station.request(Some(user), wanted).await;
    let (Some(file), Some(version)) = (&reply.pairing_file, reply.version) else { return Ok(json!(reply)) };
    let Ok(_turn) = desk.engine_turn.try_lock() else {
        let message = "the pairing program is at work; try again in a minute";
        return Err((StatusCode::SERVICE_UNAVAILABLE, message.to_owned()));
    };
    let (engine, text) = (desk.engine.clone(), file.text.clone());
    let pairs = tokio::task::spawn_blocking(move || run_engine(&engine, &text)).await;
    let pairs = pairs.unwrap_or_else(|_| Err("the desk failed; try again".to_owned()));
    let command = pairs.and_then(|pairs| file.command(&pairs)).map_err(|why| (StatusCode::CONFLICT, why))?;
    let request = TournamentRequest { if_version: Some(version), ..command.into() };
    Ok(json!({"ok": true, "round": file.round, "notes": file.notes, "request": request}))
}
