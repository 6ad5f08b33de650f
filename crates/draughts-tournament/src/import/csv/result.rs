//! Parser of the result and the reason of a row, in four languages.

use crate::Points;
use crate::import::import_file::{ListedResult, SideResult, is_bye_name, normalised};
use crate::value::result::split_result;
use crate::{ByeKind, ResultReason};

/// A reason in one of four languages; `Nothing` for an empty cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasonCell {
    Nothing,
    Played,
    Of(ResultReason),
    Bye(ByeKind),
}

pub(super) fn reason(text: &str) -> Option<ReasonCell> {
    Some(match normalised(text).as_str() {
        "" => ReasonCell::Nothing,
        "played" | "gespeeld" | "jouee" | "сыграно" => ReasonCell::Played,
        "unrated" => ReasonCell::Of(ResultReason::Unrated),
        "forfeit"
        | "f"
        | "no show"
        | "reglementair"
        | "reglementair verloren"
        | "verloren verklaard"
        | "niet opgekomen"
        | "forfait"
        | "perdu par forfait"
        | "неявка"
        | "поражение за неявку"
        | "обоюдная неявка"
        | "double forfeit"
        | "dubbel forfait"
        | "beiden niet opgekomen"
        | "double forfait" => ReasonCell::Of(ResultReason::Forfeit),
        "white plus" => ReasonCell::Of(ResultReason::WhitePlus),
        "black plus" => ReasonCell::Of(ResultReason::BlackPlus),
        "both lost" | "beiden verloren" | "double defaite" | "оба проиграли" => {
            ReasonCell::Of(ResultReason::BothLost)
        }
        "arbiter" | "arbiter decision" | "arbitrage" | "arbitre" | "судья" => {
            ReasonCell::Of(ResultReason::Arbiter)
        }
        "not played" | "niet gespeeld" | "non jouee" | "не сыграно" => ReasonCell::Of(ResultReason::NotPlayed),
        "+" => ReasonCell::Bye(ByeKind::NoOpponent),
        word if is_bye_name(word) => ReasonCell::Bye(ByeKind::NoOpponent),
        "full bye" => ReasonCell::Bye(ByeKind::Full),
        "half bye" | "halve bye" => ReasonCell::Bye(ByeKind::Half),
        "absent" | "afwezig" | "отсутствует" | "zero bye" => ReasonCell::Bye(ByeKind::Absent),
        "won without opponent" => ReasonCell::Bye(ByeKind::Won),
        "lost without opponent" => ReasonCell::Bye(ByeKind::Lost),
        _ => return None,
    })
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
        ReasonCell::Of(ResultReason::Forfeit) => {
            if points > Some(Points::ZERO) {
                ByeKind::Won
            } else {
                ByeKind::Lost
            }
        }
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
    let is_of_chess = sum == Points::whole(1);
    let is_of_draughts = sum == Points::whole(2);
    Some(match white.cmp(&black) {
        _ if sum == Points::ZERO && named_reason == Some(ResultReason::Played) => {
            ListedResult::Letters(Loss, Loss, ResultReason::BothLost)
        }
        _ if sum == Points::ZERO => letters(Loss, Loss, ResultReason::BothLost),
        std::cmp::Ordering::Equal if is_of_chess || is_of_draughts => letters(Draw, Draw, ResultReason::Played),
        std::cmp::Ordering::Greater if black == Points::ZERO && (is_of_chess || is_of_draughts) => {
            letters(Win, Loss, ResultReason::Played)
        }
        std::cmp::Ordering::Less if white == Points::ZERO && (is_of_chess || is_of_draughts) => {
            letters(Loss, Win, ResultReason::Played)
        }
        _ => ListedResult::Points(white, black, named_reason),
    })
}
