//! Parser of the result and the reason of a row, in four languages.

use crate::import::import_file::{ListedResult, SideResult, is_bye_name, normalised};
use crate::value::result::split_result;
use crate::{ByeKind, Points, ResultReason};

/// A reason in one of four languages; `Nothing` for an empty cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasonCell {
    Nothing,
    Played,
    Of(ResultReason),
    Bye(ByeKind),
}

/// Reasons in normalised form, separated by `|`; beside them stand the names of byes.
const REASONS: [(ReasonCell, &str); 15] = [
    (ReasonCell::Nothing, ""),
    (ReasonCell::Played, "played|gespeeld|jouee|сыграно"),
    (ReasonCell::Of(ResultReason::Unrated), "unrated"),
    (ReasonCell::Of(ResultReason::Forfeit), FORFEITS),
    (ReasonCell::Of(ResultReason::WhitePlus), "white plus"),
    (ReasonCell::Of(ResultReason::BlackPlus), "black plus"),
    (ReasonCell::Of(ResultReason::BothLost), "both lost|beiden verloren|double defaite|оба проиграли"),
    (ReasonCell::Of(ResultReason::Arbiter), "arbiter|arbiter decision|arbitrage|arbitre|судья"),
    (ReasonCell::Of(ResultReason::NotPlayed), "not played|niet gespeeld|non jouee|не сыграно"),
    (ReasonCell::Bye(ByeKind::NoOpponent), "+"),
    (ReasonCell::Bye(ByeKind::Full), "full bye"),
    (ReasonCell::Bye(ByeKind::Half), "half bye|halve bye"),
    (ReasonCell::Bye(ByeKind::Absent), "absent|afwezig|отсутствует|zero bye"),
    (ReasonCell::Bye(ByeKind::Won), "won without opponent"),
    (ReasonCell::Bye(ByeKind::Lost), "lost without opponent"),
];

const FORFEITS: &str = "forfeit|f|no show|reglementair|reglementair verloren|verloren verklaard|niet opgekomen|forfait|\
                        perdu par forfait|неявка|поражение за неявку|обоюдная неявка|double forfeit|dubbel forfait|\
                        beiden niet opgekomen|double forfait";

pub(super) fn reason(text: &str) -> Option<ReasonCell> {
    let word = normalised(text);
    if is_bye_name(&word) {
        return Some(ReasonCell::Bye(ByeKind::NoOpponent));
    }
    REASONS.iter().find(|(_, words)| words.split('|').any(|known| known == word)).map(|(reason, _)| *reason)
}

/// Returns the bye of a round without an opponent.
pub(super) fn bye_from_row(result: &str, reason: ReasonCell, is_white: bool) -> Option<(ByeKind, Option<Points>)> {
    let signs = result.replace([' ', ':', '/'], "");
    let points = match signs.as_str() {
        "" | "*" => None,
        "+" | "+-" | "-+" | "-" if reason == ReasonCell::Nothing => {
            let is_won = matches!((signs.as_str(), is_white), ("+", _) | ("+-", true) | ("-+", false));
            return Some((if is_won { ByeKind::Won } else { ByeKind::Lost }, None));
        }
        _ => Some(match split_result(result) {
            Some((white, black)) => {
                if is_white {
                    white
                } else {
                    black
                }
            }
            None => Points::parse(result)?,
        }),
    };
    let why = match reason {
        ReasonCell::Bye(why) => why,
        ReasonCell::Of(ResultReason::Forfeit) if points > Some(Points::ZERO) => ByeKind::Won,
        ReasonCell::Of(ResultReason::Forfeit) => ByeKind::Lost,
        ReasonCell::Nothing => match points {
            Some(points) if points > Points::ZERO => ByeKind::NoOpponent,
            _ => ByeKind::Absent,
        },
        // A game needs two players.
        ReasonCell::Played | ReasonCell::Of(_) => return None,
    };
    Some((why, points))
}

/// Whether a result is in points of 1-½-0 where draughts has 2-1-0.
pub(super) fn is_in_chess_points(result: &str) -> bool {
    split_result(result).is_some_and(|(white, black)| white + black == Points::whole(1))
}

pub(super) fn outcome(result: &str, reason: ReasonCell) -> Option<ListedResult> {
    use SideResult::{Draw, Loss, Win};
    let forfeit = |white, black| Some(ListedResult::Letters(white, black, ResultReason::Forfeit));
    match result.replace([' ', ':', '/'], "").as_str() {
        "" | "*" | "?" => return Some(ListedResult::Open),
        "+" | "+-" | "+--" => return forfeit(Win, Loss),
        "-+" | "--+" => return forfeit(Loss, Win),
        "-" | "--" | "---" => return forfeit(Loss, Loss),
        _ => {}
    }
    if let Some(reason) = ResultReason::of_draw(result) {
        return Some(ListedResult::Letters(Draw, Draw, reason));
    }
    let named_reason = match reason {
        ReasonCell::Of(reason) => Some(reason),
        ReasonCell::Played => Some(ResultReason::Played),
        ReasonCell::Nothing | ReasonCell::Bye(_) => None,
    };
    let (white, black) = split_result(result)?;
    let letters = |white, black, or: ResultReason| ListedResult::Letters(white, black, named_reason.unwrap_or(or));
    // By decision of the arbiter each side may have its own points.
    if let Some(reason @ (ResultReason::Arbiter | ResultReason::NotPlayed)) = named_reason {
        return Some(ListedResult::Points(white, black, Some(reason)));
    }
    let sum = white + black;
    let is_usual = sum == Points::whole(1) || sum == Points::whole(2);
    Some(match white.cmp(&black) {
        _ if sum == Points::ZERO && named_reason == Some(ResultReason::Played) => {
            ListedResult::Letters(Loss, Loss, ResultReason::BothLost)
        }
        _ if sum == Points::ZERO => letters(Loss, Loss, ResultReason::BothLost),
        std::cmp::Ordering::Equal if is_usual => letters(Draw, Draw, ResultReason::Played),
        std::cmp::Ordering::Greater if black == Points::ZERO && is_usual => letters(Win, Loss, ResultReason::Played),
        std::cmp::Ordering::Less if white == Points::ZERO && is_usual => letters(Loss, Win, ResultReason::Played),
        _ => ListedResult::Points(white, black, named_reason),
    })
}
