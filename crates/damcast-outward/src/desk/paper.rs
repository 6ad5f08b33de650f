//! Sheets of the tournament for the printer: the page puts them beside its own content, and prints them alone.

use axum::http::StatusCode;
use damcast_control::ClientRequest;
use serde::Deserialize;
use serde_json::{Value, json};

use super::site::DeskSite;
use super::viewers::viewer_address;
use crate::paper::{SheetKind, SheetOptions, sheets};
use crate::web::Language;

/// Request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperForm {
    /// Names of [`SheetKind`]s.
    sheets: Vec<String>,
    #[serde(default)]
    section: Option<String>,
    #[serde(default)]
    round: Option<u64>,
    lang: String,
}

/// Makes sheets: `html`, the content of a page. If the station has no tournament to show, the answer is its reply.
pub async fn paper(desk: &DeskSite, form: PaperForm) -> Result<Value, (StatusCode, String)> {
    let kinds = form.sheets.iter().map(|name| SheetKind::parse(name)).collect::<Result<Vec<_>, String>>();
    let kinds = kinds.map_err(|why| (StatusCode::BAD_REQUEST, why))?;
    let reply = desk.tournament.answer(&desk.station, ClientRequest::ShowTournament {}).await;
    let Some(shown) = &reply.tournament else { return Ok(json!(*reply)) };
    let viewers = viewer_address(desk.viewers.as_deref(), desk.state_files.viewers.as_deref());
    let today = chrono::Local::now().format("%Y-%m-%d").to_string();
    let options = SheetOptions {
        kinds: &kinds,
        section: form.section.as_deref(),
        round: form.round,
        language: Language::from_code(&form.lang).unwrap_or(Language::En),
        // Print the address only if other machines can reach it.
        address: viewers["address"].as_str().filter(|_| viewers["reach"] == "hall"),
        today: &today,
    };
    let html = sheets(&shown.tournament, &shown.standings, &options).into_string();
    Ok(json!({"ok": true, "html": html}))
}
