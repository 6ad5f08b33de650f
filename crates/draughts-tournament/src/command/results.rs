//! The command that sets the results of a round from lines `board;result`, all of them or none.

use std::collections::BTreeMap;

use draughts_pdn::problem::quote;

use super::result::of_pairing;
use super::{Draft, MAX_REASONS, Messages, Refusal};
use crate::{Id, Pairing, TournamentSection};

/// Separators of the two columns.
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];

/// A cell of the file, with its column from 1.
type Cell<'t> = (usize, &'t str);

/// Sets the results of the open round. `name`: the file, for messages.
pub(super) fn give(draft: &mut Draft, (name, text): (&str, &str), section: Option<&str>, correct: bool) -> Messages {
    let mut messages = Vec::new();
    let mut faults = Vec::new();
    let mut places: BTreeMap<Id, usize> = BTreeMap::new();
    for (line, row) in text.lines().zip(1..).filter_map(|(row, line)| Some((line, cells(row)?))) {
        let mut fault = |column: usize, what: String| faults.push(format!("{name}:{line}:{column}: error: {what}"));
        let ((at, board), result) = row;
        let Some((result_at, result)) = result else {
            fault(at, format!("{} is no line with a result: expected board;result, as 3;2-0", quote(board)));
            continue;
        };
        if line == 1
            && !board.starts_with(|c: char| c.is_ascii_digit())
            && !result.contains(|c: char| c.is_ascii_digit() || c == '*')
        {
            // Headings.
            continue;
        }
        let id = match find(draft, board, section) {
            Ok(id) => id,
            Err(why) => {
                fault(at, why);
                continue;
            }
        };
        if let Some(first) = places.insert(id, line) {
            fault(at, format!("board {} has a result in line {first} already", quote(board)));
            continue;
        }
        match of_pairing(draft, (id, None), None, (result, None), correct) {
            Ok(message) => messages.push(message),
            Err(Refusal::Impossible(reasons) | Refusal::Unconfirmed(reasons, _)) => {
                fault(result_at, reasons.join("; "))
            }
        }
    }
    if faults.is_empty() && places.is_empty() {
        faults.push(format!("{name}: error: it has no results"));
    }
    if faults.is_empty() {
        return Ok(messages);
    }
    let more = faults.len().saturating_sub(MAX_REASONS);
    faults.truncate(MAX_REASONS);
    faults.extend((more > 0).then(|| format!("{name}: and {more} more")));
    faults.push("nothing of the file was taken over".to_owned());
    Err(Refusal::Impossible(faults))
}

/// Splits a line into its two cells. Returns `None` for an empty line or a comment.
fn cells(line: &str) -> Option<(Cell<'_>, Option<Cell<'_>>)> {
    let line = line.trim_start_matches('\u{feff}');
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return None;
    }
    let separator = line.find(SEPARATORS);
    let column = |from: usize, text: &str| {
        let start = from + text.len() - text.trim_start().len();
        line[..start].chars().count() + 1
    };
    let (board, rest) = separator.map_or((line, None), |at| (&line[..at], Some((at + 1, &line[at + 1..]))));
    let result = rest.map(|(from, text)| (column(from, text), plain(text)));
    Some(((column(0, board), plain(board)), result))
}

fn plain(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

/// Finds the pairing of a board in the open rounds, by its number in the round or by the name of the board; `3.2` is board 2 of round 3.
fn find(draft: &Draft, board: &str, section: Option<&str>) -> Result<Id, String> {
    let state = &draft.state;
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    if board.split_once('.').is_some_and(|(round, board)| is_number(round) && is_number(board)) {
        return state.find_pairing(board, section);
    }
    let sections = state.sections.iter().filter(|of| section.is_none_or(|name| of.name == name));
    let open: Vec<(&TournamentSection, u32)> = sections.filter_map(|of| Some((of, of.open_round()?))).collect();
    let number: Option<u32> = board.parse().ok();
    let is_it = |pairing: &&Pairing| match number {
        Some(number) => pairing.board == Some(number),
        None => pairing.board_name == board || pairing.board_override == board,
    };
    let of_round = |(section, round): &(&TournamentSection, u32)| {
        section.round(*round).into_iter().filter(is_it).map(|of| of.id).collect::<Vec<Id>>()
    };
    let found: Vec<Id> = open.iter().flat_map(of_round).collect();
    match (found.as_slice(), open.as_slice()) {
        ([id], _) => Ok(*id),
        (_, []) => Err("no round is open".to_owned()),
        ([], _) => Err(format!("there is no board {} in the open round", quote(board))),
        _ => Err(format!("board {} is in several sections: say with --section which", quote(board))),
    }
}
