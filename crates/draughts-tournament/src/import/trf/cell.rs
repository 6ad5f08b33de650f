//! A round in a player's line: opponent, colour, result, and the joint meaning of both sides' letters.

use draughts_pdn::problem::quote;
use draughts_pdn::{Location, Problem};

use super::{TrfLine, WIDTH, at_place};
use crate::import::import_file::{ListedResult, SideResult, fault, number};
use crate::{ByeKind, ResultReason};

/// Letters of rounds without an opponent.
pub(crate) const BYE_LETTERS: [(ByeKind, char); 6] = [
    (ByeKind::NoOpponent, 'U'),
    (ByeKind::Full, 'F'),
    (ByeKind::Half, 'H'),
    (ByeKind::Absent, 'Z'),
    (ByeKind::Won, '+'),
    (ByeKind::Lost, '-'),
];

/// A round in a player's line.
#[derive(Clone, Copy)]
pub(super) struct TrfCell {
    pub(super) opponent: u32,
    pub(super) color: char,
    pub(super) result: char,
    pub(super) place: Location,
}

/// Parses a round of a player's line; `None` if it is blank.
pub(super) fn cell(line: &TrfLine, from: usize) -> Result<Option<TrfCell>, Problem> {
    if line.cell(from, from + WIDTH).trim().is_empty() {
        return Ok(None);
    }
    line.check_blanks([0, 1, 6, 8].map(|column| from + column))?;
    let place = line.place(from + 2);
    let opponent = line.trimmed(from + 2, from + 6);
    let opponent = if opponent.is_empty() { Ok(0) } else { number(&opponent) };
    let opponent = at_place(opponent.map_err(|what| format!("{what} of an opponent")), place)?;
    let color = line.at(from + 7).to_ascii_lowercase();
    if !matches!(color, 'w' | 'b' | '-' | ' ') {
        let what = format!("{} is no colour: w, b, - or blank", quote(&line.cell(from + 7, from + 8)));
        return fault(line.place(from + 7), what);
    }
    let result = line.at(from + 9).to_ascii_uppercase();
    if !"10=+-WDLHFUZ* ".contains(result) {
        let what = format!("{} is no result of a TRF", quote(&line.cell(from + 9, from + 10)));
        return fault(line.place(from + 9), what);
    }
    Ok(Some(TrfCell { opponent, color, result, place }))
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
