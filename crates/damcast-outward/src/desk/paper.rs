//! Sheets of the tournament for the printer: the page puts them beside its own content, and prints them alone.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use damcast_control::ClientRequest;
use serde::Deserialize;
use serde_json::json;

use super::routes::{LoggedInUser, MAX_REQUEST_LEN, SharedSite, body, error_response, object, reply_response};
use super::viewers::viewer_address;
use crate::paper::{SheetKind, SheetOptions, sheets};
use crate::web::Language;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperForm {
    /// Names of [`SheetKind`]s.
    sheets: Vec<String>,
    #[serde(default)]
    section: Option<String>,
    #[serde(default)]
    round: Option<u64>,
    lang: String,
}

/// Makes sheets: `html`, the content of a page.
pub(super) async fn paper(State(desk): SharedSite, _: LoggedInUser, request: Request) -> Response {
    let form: PaperForm = match body(request, MAX_REQUEST_LEN).await {
        Ok(form) => form,
        Err(answer) => return answer,
    };
    let kinds = match form.sheets.iter().map(|name| SheetKind::parse(name)).collect::<Result<Vec<_>, String>>() {
        Ok(kinds) => kinds,
        Err(why) => return error_response(StatusCode::BAD_REQUEST, &why),
    };
    let reply = desk.tournament.answer(&desk.station, ClientRequest::ShowTournament {}).await;
    let Some(shown) = &reply.tournament else { return reply_response(&reply) };
    let viewers = viewer_address(desk.viewers.as_deref(), desk.viewers_file.as_deref());
    let today = chrono::Local::now().format("%Y-%m-%d").to_string();
    let options = SheetOptions {
        kinds: &kinds,
        section: form.section.as_deref(),
        round: form.round,
        language: Language::from_code(&form.lang).unwrap_or(Language::En),
        // An address of this machine alone helps nobody who reads paper.
        address: viewers["address"].as_str().filter(|_| viewers["reach"] == "hall"),
        today: &today,
    };
    object(
        StatusCode::OK,
        &json!({"ok": true, "html": sheets(&shown.tournament, &shown.standings, &options).into_string()}),
    )
}
