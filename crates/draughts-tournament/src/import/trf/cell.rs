//! A round in a player's line: opponent, colour, result, and the joint meaning of both sides' letters.

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use super::{TrfLine, WIDTH};
use crate::ResultReason;
use crate::import::import_file::{ImportDiagnostics, ListedResult, SideResult, number};

/// A round in a player's line.
#[derive(Clone, Copy)]
pub(super) struct TrfCell {
    pub(super) opponent: u32,
    pub(super) color: char,
    pub(super) result: char,
    pub(super) place: Location,
}

/// Parses a round of a player's line; `None` if it is blank.
pub(super) fn cell(line: &TrfLine, from: usize, complaints: &mut ImportDiagnostics) -> Option<TrfCell> {
    let whole = line.cell(from, from + WIDTH);
    if whole.trim().is_empty() {
        return None;
    }
    let place = line.place(from + 2);
    for column in [0, 1, 6, 8] {
        if line.at(from + column) != ' ' {
            let what = format!(
                "{} stands where a blank separates two columns: is the line shifted?",
                quote(&line.cell(from + column, from + column + 1))
            );
            complaints.error(line.place(from + column), what);
            return None;
        }
    }
    let opponent = line.trimmed(from + 2, from + 6);
    let opponent = if opponent.is_empty() { Ok(0) } else { number(&opponent) };
    let opponent = match opponent {
        Ok(opponent) => opponent,
        Err(what) => {
            complaints.error(place, format!("{what} of an opponent"));
            return None;
        }
    };
    let color = line.at(from + 7).to_ascii_lowercase();
    if !matches!(color, 'w' | 'b' | '-' | ' ') {
        complaints.error(
            line.place(from + 7),
            format!("{} is no colour: w, b, - or blank", quote(&line.cell(from + 7, from + 8))),
        );
        return None;
    }
    let result = line.at(from + 9).to_ascii_uppercase();
    if !"10=+-WDLHFUZ* ".contains(result) {
        complaints
            .error(line.place(from + 9), format!("{} is no result of a TRF", quote(&line.cell(from + 9, from + 10))));
        return None;
    }
    Some(TrfCell { opponent, color, result, place: line.place(from + 2) })
}

/// Returns the result of a pairing from both sides, and whether the first player has White. `is_decided`: each side may have its own
/// points.
pub(super) fn outcome(first: TrfCell, second: TrfCell, is_decided: bool) -> Result<(ListedResult, bool), String> {
    let is_white = match (first.color, second.color) {
        ('w', 'b') => true,
        ('b', 'w') => false,
        // A game that was not played may have no colours.
        ('-' | ' ', '-' | ' ') if !is_played(first.result) => true,
        ('w', '-' | ' ') | ('-' | ' ', 'b') if !is_played(first.result) => true,
        ('b', '-' | ' ') | ('-' | ' ', 'w') if !is_played(first.result) => false,
        (one, other) => return Err(format!("their colours `{one}` and `{other}` do not fit")),
    };
    let (white, black) = if is_white { (first.result, second.result) } else { (second.result, first.result) };
    let outcome = match letters(white, black) {
        Some(outcome) => outcome,
        None if is_decided && [white, black].iter().all(|letter| "1=0".contains(*letter)) => {
            let letter = |of: char| match of {
                '1' => SideResult::Win,
                '=' => SideResult::Draw,
                _ => SideResult::Loss,
            };
            ListedResult::Letters(letter(white), letter(black), ResultReason::Arbiter)
        }
        None => return Err(format!("their results `{white}` and `{black}` do not fit")),
    };
    Ok((outcome, is_white))
}

/// Returns the meaning of the letters of White and Black.
pub(crate) fn letters(white: char, black: char) -> Option<ListedResult> {
    use SideResult::{Draw, Loss, Win};
    Some(match (white, black) {
        (' ' | '*', ' ' | '*') => ListedResult::Open,
        ('1', '0') => ListedResult::Letters(Win, Loss, ResultReason::Played),
        ('0', '1') => ListedResult::Letters(Loss, Win, ResultReason::Played),
        ('=', '=') => ListedResult::Letters(Draw, Draw, ResultReason::Played),
        ('0', '0') => ListedResult::Letters(Loss, Loss, ResultReason::BothLost),
        ('=', '0') => ListedResult::Letters(Draw, Loss, ResultReason::Arbiter),
        ('0', '=') => ListedResult::Letters(Loss, Draw, ResultReason::Arbiter),
        ('W', 'L') => ListedResult::Letters(Win, Loss, ResultReason::Unrated),
        ('L', 'W') => ListedResult::Letters(Loss, Win, ResultReason::Unrated),
        ('D', 'D') => ListedResult::Letters(Draw, Draw, ResultReason::Unrated),
        ('+', '-') => ListedResult::Letters(Win, Loss, ResultReason::Forfeit),
        ('-', '+') => ListedResult::Letters(Loss, Win, ResultReason::Forfeit),
        ('-', '-') => ListedResult::Letters(Loss, Loss, ResultReason::Forfeit),
        _ => return None,
    })
}

pub(super) fn is_played(result: char) -> bool {
    "10=WDL".contains(result)
}
