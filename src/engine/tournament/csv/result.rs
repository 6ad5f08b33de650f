//! What the result and the reason of a row say, in four languages.

use crate::engine::tournament::points::Points;
use crate::engine::tournament::sheet::{Letter, Outcome, folded, is_word_for_bye};
use crate::engine::tournament::{ByeKind, ResultReason};

/// A reason in one of four languages. `Some(None)`: none is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Nothing,
    Played,
    Of(ResultReason),
    Bye(ByeKind),
}

pub(super) fn reason(text: &str) -> Option<Told> {
    Some(match folded(text).as_str() {
        "" => Told::Nothing,
        "played" | "gespeeld" | "jouee" | "сыграно" => Told::Played,
        "unrated" => Told::Of(ResultReason::Unrated),
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
        | "double forfait" => Told::Of(ResultReason::Forfeit),
        "white plus" => Told::Of(ResultReason::WhitePlus),
        "black plus" => Told::Of(ResultReason::BlackPlus),
        "both lost" | "beiden verloren" | "double defaite" | "оба проиграли" => {
            Told::Of(ResultReason::BothLost)
        }
        "arbiter" | "arbiter decision" | "arbitrage" | "arbitre" | "судья" => Told::Of(ResultReason::Arbiter),
        "not played" | "niet gespeeld" | "non jouee" | "не сыграно" => Told::Of(ResultReason::NotPlayed),
        "+" => Told::Bye(ByeKind::NoOpponent),
        word if is_word_for_bye(word) => Told::Bye(ByeKind::NoOpponent),
        "full bye" => Told::Bye(ByeKind::Full),
        "half bye" | "halve bye" => Told::Bye(ByeKind::Half),
        "absent" | "afwezig" | "отсутствует" | "zero bye" => Told::Bye(ByeKind::Absent),
        "won without opponent" => Told::Bye(ByeKind::Won),
        "lost without opponent" => Told::Bye(ByeKind::Lost),
        _ => return None,
    })
}

/// A round without an opponent.
pub(super) fn free(result: &str, reason: Told, is_white: bool) -> Option<(ByeKind, Option<Points>)> {
    let signs = result.replace([' ', ':', '/'], "");
    let points = match signs.as_str() {
        "" | "*" => None,
        "+" | "+-" | "-+" | "-" if reason == Told::Nothing => {
            let is_won = matches!((signs.as_str(), is_white), ("+", _) | ("+-", true) | ("-+", false));
            return Some((if is_won { ByeKind::Won } else { ByeKind::Lost }, None));
        }
        _ => Some(match sides(result) {
            Some((white, black)) => {
                if is_white {
                    white
                } else {
                    black
                }
            }
            None => Points::read(result)?,
        }),
    };
    let why = match reason {
        Told::Bye(why) => why,
        Told::Of(ResultReason::Forfeit) => {
            if points > Some(Points::ZERO) {
                ByeKind::Won
            } else {
                ByeKind::Lost
            }
        }
        Told::Nothing => match points {
            Some(points) if points > Points::ZERO => ByeKind::NoOpponent,
            _ => ByeKind::Absent,
        },
        // Nobody plays alone.
        Told::Played | Told::Of(_) => return None,
    };
    Some((why, points))
}

/// A result in points of 1-½-0, where the points of draughts are 2-1-0?
pub(super) fn is_in_chess_points(result: &str) -> bool {
    sides(result).is_some_and(|(white, black)| white + black == Points::whole(1))
}

/// The two sides of a result such as `2-0`, `12:0`, `½-½`, `1/2-1/2`, `1 1/2 - 1/2`.
pub(in crate::engine::tournament) fn sides(result: &str) -> Option<(Points, Points)> {
    let result = result.replace("1/2", "½").replace(' ', "").replace(['–', '—', '−', ':'], "-");
    let (white, black) = result.split_once('-')?;
    let read = |side: &str| Points::read(side.trim()).filter(|points| *points >= Points::ZERO);
    Some((read(white)?, read(black)?))
}

pub(super) fn outcome(result: &str, reason: Told) -> Option<Outcome> {
    use Letter::{Draw, Loss, Win};
    let forfeit = |white, black| Some(Outcome::Letters(white, black, ResultReason::Forfeit));
    match result.replace([' ', ':', '/'], "").as_str() {
        "" | "*" | "?" => return Some(Outcome::Open),
        "+" | "+-" | "+--" => return forfeit(Win, Loss),
        "-+" | "--+" => return forfeit(Loss, Win),
        "-" | "--" | "---" => return forfeit(Loss, Loss),
        _ => {}
    }
    if let Some(reason) = ResultReason::of_draw(result) {
        return Some(Outcome::Letters(Draw, Draw, reason));
    }
    let told = match reason {
        Told::Of(reason) => Some(reason),
        Told::Played => Some(ResultReason::Played),
        Told::Nothing | Told::Bye(_) => None,
    };
    let (white, black) = sides(result)?;
    let letters = |white, black, or: ResultReason| Outcome::Letters(white, black, told.unwrap_or(or));
    // By his decision each side may have points of its own.
    if let Some(reason @ (ResultReason::Arbiter | ResultReason::NotPlayed)) = told {
        return Some(Outcome::Points(white, black, Some(reason)));
    }
    let sum = white + black;
    let is_of_chess = sum == Points::whole(1);
    let is_of_draughts = sum == Points::whole(2);
    Some(match white.cmp(&black) {
        _ if sum == Points::ZERO && told == Some(ResultReason::Played) => {
            Outcome::Letters(Loss, Loss, ResultReason::BothLost)
        }
        _ if sum == Points::ZERO => letters(Loss, Loss, ResultReason::BothLost),
        std::cmp::Ordering::Equal if is_of_chess || is_of_draughts => letters(Draw, Draw, ResultReason::Played),
        std::cmp::Ordering::Greater if black == Points::ZERO && (is_of_chess || is_of_draughts) => {
            letters(Win, Loss, ResultReason::Played)
        }
        std::cmp::Ordering::Less if white == Points::ZERO && (is_of_chess || is_of_draughts) => {
            letters(Loss, Win, ResultReason::Played)
        }
        _ => Outcome::Points(white, black, told),
    })
}
