//! Files of pairing programs: reading and merging.

pub(crate) mod csv;
mod difference;
mod encoding;
pub(crate) mod import_file;
pub(crate) mod merge;
pub(crate) mod pdn;
pub(crate) mod trf;

use draughts_pdn::{Location, Problem};

pub use difference::difference;
use encoding::text_of;
use import_file::{ImportDiagnostics, TournamentFile, note_pdn_replacements};

use crate::value::named;

/// Format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Games without moves, as pairing programs export them.
    Pdn,
    /// A table: players, pairings, or a crosstable.
    Csv,
    /// FIDE's report file, of 2006, 2016 or 2026.
    Trf,
}

named!(Format, "format of a tournament" { Pdn = "pdn", Csv = "csv", Trf = "trf" });

/// Maximum number of players in a tournament: comparing all pairs takes seconds there.
const MOST_PLAYERS: usize = 5_000;

/// Maximum number of pairings and byes in a file.
const MOST_PAIRINGS: usize = 50_000;

/// Reads a file. `format`: `None` to detect it. `columns`: names of columns of a CSV, as `Round=Tour,White=Blancs`.
///
/// # Errors
///
/// Returns all problems, each with line and column; then nothing of the file is used.
pub fn read(bytes: &[u8], format: Option<Format>, columns: &str) -> Result<TournamentFile, Vec<Problem>> {
    let (mut sheet, problems) = read_with_faults(bytes, format, columns, None);
    sheet.notes = problems?;
    Ok(sheet)
}

/// Reads a file as [`read`] does, for a section. If it has faults, also returns its faultless rows.
pub(crate) fn read_with_faults(
    bytes: &[u8],
    format: Option<Format>,
    columns: &str,
    section: Option<&str>,
) -> (TournamentFile, Result<Vec<Problem>, Vec<Problem>>) {
    let mut complaints = ImportDiagnostics::new();
    let text = text_of(bytes, &mut complaints);
    if text.trim().is_empty() {
        complaints.error(Location::START, "the file is empty");
    }
    let mut sheet = TournamentFile::default();
    if !complaints.has_error() {
        let format = format.unwrap_or_else(|| format_of(&text));
        sheet = match format {
            Format::Trf => trf::read(&text, &mut complaints),
            Format::Csv => csv::read(&text, columns, &mut complaints),
            Format::Pdn => pdn::read(&text, section, &mut complaints),
        };
        let is_empty = sheet.players.is_empty() && sheet.pairings.is_empty() && sheet.byes.is_empty();
        if !complaints.has_error() && is_empty {
            let what = format!("there is no player and no pairing in this file, read as {format}");
            complaints.error(Location::START, what);
        }
    }
    let counts = [
        (sheet.players.len(), MOST_PLAYERS, "players"),
        (sheet.pairings.len() + sheet.byes.len(), MOST_PAIRINGS, "pairings"),
    ];
    for (count, most, what) in counts {
        if count > most {
            complaints.error(Location::START, format!("{count} {what}; {most} are the most"));
        }
    }
    note_pdn_replacements(&sheet, &mut complaints);
    (sheet, complaints.finish())
}

/// Detects the format of a text.
fn format_of(text: &str) -> Format {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if lines.clone().any(|line| line.starts_with("001 ")) {
        Format::Trf
    } else if lines.any(|line| line.trim_start().starts_with('[') && line.trim_end().ends_with(']')) {
        Format::Pdn
    } else {
        Format::Csv
    }
}
