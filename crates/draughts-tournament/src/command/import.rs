//! Commands that add pairings: import of a pairing program's file, and round robin.

use draughts_pdn::{Level, Problem};

use super::lookup::only_section;
use super::request::TournamentCommand;
use super::{Draft, MAX_REASONS, Messages, Refusal};
use crate::import::merge::is_unknown_player;
use crate::import::read_with_faults;
use crate::{Format, Scoring, Tournament, TournamentFile, difference, merge, pair_round_robin};

/// A file as its reader left it.
struct ReadFile<'c> {
    name: &'c str,
    sheet: TournamentFile,
    /// Oddities, or faults.
    problems: Result<Vec<Problem>, Vec<Problem>>,
}

/// Imports one file or several, all of them or none. Returns their oddities.
pub(super) fn import(draft: &mut Draft, command: &TournamentCommand) -> Messages {
    let TournamentCommand::Import { name, text, bytes, others, format, columns, scoring, section } = command else {
        return Ok(Vec::new());
    };
    let given = Some(scoring.as_str()).filter(|scoring| !scoring.is_empty()).map(Scoring::parse).transpose()?;
    let format = format.as_deref().map(str::parse::<Format>).transpose()?;
    if let Some(section) = section {
        check_section(section)?;
    }
    let only = only_section(&draft.state, section.as_deref()).ok().map(|section| section.name.as_str());
    let first = (name.as_str(), text, *bytes);
    let others = others.iter().map(|file| (file.name.as_str(), &file.text, file.bytes));
    let mut files = Vec::new();
    for (name, text, bytes) in [first].into_iter().chain(others) {
        let file = if bytes { bytes_of(text)? } else { text.as_bytes().to_vec() };
        let (mut sheet, problems) = read_with_faults(&file, format, columns, section.as_deref().or(only));
        given.into_iter().for_each(|scoring| sheet.override_scoring(scoring));
        files.push(ReadFile { name, sheet, problems });
    }
    // Pairings name the players of a list, whichever file came first.
    files.sort_by_key(|file| file.sheet.players.is_empty());
    let (merged, notes) = merge_all(&draft.state, section.as_deref(), files, given)?;
    replace_state(draft, &merged)?;
    Ok(notes)
}

/// Merges files in their order. Returns the tournament and the oddities of all files.
fn merge_all(
    state: &Tournament,
    section: Option<&str>,
    files: Vec<ReadFile<'_>>,
    given: Option<Scoring>,
) -> Result<(Tournament, Vec<String>), Refusal> {
    let (mut state, mut notes, mut faults) = (state.clone(), Vec::new(), Vec::new());
    let is_one = files.len() == 1;
    for ReadFile { name, mut sheet, problems } in files {
        let merged = match problems {
            Ok(noted) => {
                sheet.notes = noted;
                merge(&state, section, &sheet)
            }
            Err(problems) => Err(with_conflicts(&state, section, &sheet, problems)),
        };
        let merged = match merged {
            Ok(merged) => merged,
            Err(mut problems) => {
                // The rows of an earlier file that is faulty may have the players that this one names.
                problems.retain(|problem| faults.is_empty() || !is_unknown_player(problem));
                if !problems.is_empty() {
                    faults.extend(describe_problems(name, &problems));
                }
                continue;
            }
        };
        let known = merged.tournament.section(&merged.section).map(|section| section.scoring);
        if let (Some(given), Some(known)) = (given, known)
            && !known.same_game_points(&given)
        {
            let section = &merged.section;
            return Err(format!("the section {section} counts {known} already: --scoring is for a new one").into());
        }
        notes.extend(merged.notes.iter().map(|note| format!("{name}:{note}")));
        state = merged.tournament;
    }
    if faults.is_empty() {
        return Ok((state, notes));
    }
    let all = if is_one { "nothing of the file was taken over" } else { "nothing of the files was taken over" };
    faults.push(all.to_owned());
    Err(Refusal::Impossible(faults))
}

/// Adds the conflicts of the faultless rows to the faults of a file. A list of players may lack those that the others name, so only rows
/// with names have conflicts of their own.
fn with_conflicts(
    state: &Tournament,
    section: Option<&str>,
    sheet: &TournamentFile,
    mut problems: Vec<Problem>,
) -> Vec<Problem> {
    if sheet.players.is_empty()
        && let Err(conflicts) = merge(state, section, sheet)
    {
        problems.extend(conflicts.into_iter().filter(|conflict| conflict.level == Level::Error));
        problems.sort_by_key(|problem| problem.location);
        problems.dedup();
    }
    problems
}

pub(super) fn round_robin(draft: &mut Draft, section: Option<&str>, double: bool) -> Messages {
    let name = only_section(&draft.state, section)?.name.clone();
    let paired = pair_round_robin(&draft.state, &name, double)?;
    replace_state(draft, &paired)?;
    Ok(Vec::new())
}

pub(super) fn replace_state(draft: &mut Draft, wanted: &Tournament) -> Result<(), Refusal> {
    for event in difference(&draft.state, wanted) {
        draft.emit(event)?;
    }
    Ok(())
}

fn check_section(name: &str) -> Result<(), String> {
    let is_readable = !name.is_empty() && name.chars().count() <= 64 && !name.chars().any(char::is_control);
    if is_readable { Ok(()) } else { Err("a section has a name of 1 to 64 characters".to_owned()) }
}

/// Returns the bytes of a file that was sent with one character per byte.
fn bytes_of(text: &str) -> Result<Vec<u8>, String> {
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
    bytes.ok_or_else(|| "a file that is sent as bytes has characters up to U+00FF".to_owned())
}

/// Lists the problems of a file, errors first: they are the reason of the refusal.
fn describe_problems(name: &str, problems: &[Problem]) -> Vec<String> {
    let (errors, others): (Vec<_>, Vec<_>) = problems.iter().partition(|problem| problem.level == Level::Error);
    let shown = errors.into_iter().chain(others).take(MAX_REASONS);
    let mut lines: Vec<String> = shown.map(|problem| format!("{name}:{problem}")).collect();
    if problems.len() > MAX_REASONS {
        lines.push(format!("{name}: and {} more", problems.len() - MAX_REASONS));
    }
    lines
}
