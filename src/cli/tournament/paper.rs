//! `damcast tournament export --format html`: sheets of A4 to be printed.

use damcast::outward::paper::{self, SheetKind, SheetOptions};
use damcast::outward::web::Language;
use draughts_tournament::documents;
use draughts_tournament::{Tournament, TournamentSection};

use super::{StandingsOptions, TournamentLocation};

/// Options of the sheets.
#[derive(clap::Args)]
pub struct PaperOptions {
    /// For html: pairings, results, standings, crosstable, score-sheets.
    #[arg(
        long,
        value_name = "A,B,..",
        value_delimiter = ',',
        value_parser = SheetKind::parse,
        default_value = "pairings,results,standings,crosstable"
    )]
    sheets: Vec<SheetKind>,
    /// For html: language of the sheets, en, nl, fr or ru.
    #[arg(long, value_name = "CODE", value_parser = language, default_value = "en")]
    lang: Language,
    /// For html: address in the QR code; by default `viewers` of [desk].
    #[arg(long, value_name = "URL")]
    address: Option<String>,
}

fn language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| format!("invalid language `{code}`: expected en, nl, fr or ru"))
}

/// Returns the sheets of a section as one page.
pub(super) fn sheets(
    place: &TournamentLocation,
    tournament: &Tournament,
    section: &TournamentSection,
    ask: &StandingsOptions,
    options: &PaperOptions,
) -> anyhow::Result<String> {
    let standings = ask.standings(section)?;
    let shown = documents::sections_json(tournament, |of| of.id == section.id, None);
    let standings = format!("{{\"sections\":[{}]}}", documents::standings_json(section, &standings));
    let today = chrono::Local::now().format("%Y-%m-%d").to_string();
    let options = SheetOptions {
        kinds: &options.sheets,
        section: None,
        round: ask.round.map(u64::from),
        language: options.lang,
        address: options.address.as_deref().or(place.viewers.as_deref()),
        today: &today,
    };
    Ok(paper::document(&shown, &standings, &options))
}
