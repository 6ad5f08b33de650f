//! Results: parsing, micro-matches, single players, and tags of games.

use draughts::ResultFormat;
use draughts_pdn::tag_values;

use crate::{
    MicroMatchGame, MicroMatchStage, OfficialResult, Pairing, Points, ResultReason, Scoring, TournamentSection,
};

/// Returns both sides of a result as text, `2-0`.
pub(crate) fn result_text(white: Points, black: Points) -> String {
    format!("{white}-{black}")
}

/// Parses both sides of a result such as `2-0`, `12:0`, `½-½`, `1/2-1/2`, `1 1/2 - 1/2`.
pub(crate) fn split_result(result: &str) -> Option<(Points, Points)> {
    let result = result.replace("1/2", "½").replace(' ', "").replace(['–', '—', '−', ':'], "-");
    let (white, black) = result.split_once('-')?;
    let read = |side: &str| Points::parse(side.trim()).filter(|points| *points >= Points::ZERO);
    Some((read(white)?, read(black)?))
}

/// Returns the outcome that these points stand for in a file of games.
pub(crate) fn result_of(scoring: &Scoring, white: Points, black: Points) -> tag_values::Outcome {
    let is_won = |own: Points, other: Points| own > other && (own >= scoring.win || other == Points::ZERO);
    match () {
        () if is_won(white, black) => tag_values::Outcome::WhiteWins,
        () if is_won(black, white) => tag_values::Outcome::BlackWins,
        () if white == black && white == Points::ZERO => tag_values::Outcome::BothLose,
        // PDN has no advantage in drawn games.
        () => tag_values::Outcome::Draw,
    }
}

/// Returns the result of a pairing with one player: the missing side has no points.
pub(crate) fn single_player_result(
    pairing: &Pairing,
    result: OfficialResult,
    scoring: &Scoring,
) -> Result<OfficialResult, String> {
    if result.reason.is_played() && result.reason != ResultReason::Arbiter {
        return Err("this pairing has one player: say whether it is a bye or a forfeit".to_owned());
    }
    let is_white = pairing.white.is_some();
    let own = result.points_of(is_white);
    let is_right = match result.reason {
        ResultReason::Forfeit => own == scoring.win || own == scoring.loss,
        _ => scoring.allows(own) || own == scoring.bye || own == scoring.absence,
    };
    if !is_right {
        return Err(format!(
            "{own} points are none of one player here: a win is {}, a loss {}",
            scoring.win, scoring.loss
        ));
    }
    let (white, black) = if is_white { (own, scoring.loss) } else { (scoring.loss, own) };
    Ok(OfficialResult { white, black, ..result })
}

/// Returns the result of a micro-match: the first game that was won decides.
pub(crate) fn micro_match_result(games: &[MicroMatchGame]) -> Option<OfficialResult> {
    for game in games {
        let (white, black) = game.result?;
        if white != black {
            let (high, low) = Scoring::of_stage(game.stage);
            let is_first = (white > black) != game.is_swapped;
            let (white, black) = if is_first { (high, low) } else { (low, high) };
            return Some(OfficialResult { white, black, reason: ResultReason::Played });
        }
    }
    let is_over = games.last().is_some_and(|game| game.stage == MicroMatchStage::Blitz);
    is_over.then_some(OfficialResult { white: Points::whole(6), black: Points::whole(6), reason: ResultReason::Played })
}

/// Returns the official result of a game as the value of its tag; `None` if there is none yet.
pub(crate) fn official_tag(
    section: &TournamentSection,
    pairing: &Pairing,
    stage: Option<MicroMatchStage>,
    format: Option<ResultFormat>,
) -> Option<String> {
    if let Some(advantage) = pairing.result.zip(format).and_then(|(result, format)| advantage_in(format, &result)) {
        return Some(advantage.to_owned());
    }
    let (white, black, scoring) = match stage {
        None => pairing.result.map(|result| (result.white, result.black, section.scoring))?,
        Some(stage) => {
            let game = pairing.games.iter().find(|game| game.stage == stage)?;
            game.result.map(|(white, black)| (white, black, Scoring::DRAUGHTS))?
        }
    };
    Some(result_of(&scoring, white, black).as_result(format.unwrap_or(ResultFormat::International)).to_owned())
}

/// Returns a draw with an advantage as the value of a tag (PDN 3.0, `ResultFormat`); `None` for another result, or a format without
/// advantages.
pub(crate) fn advantage_in(format: ResultFormat, result: &OfficialResult) -> Option<&'static str> {
    let [white, black] = [result.white, result.black].map(Points::in_hundredths);
    match (format, result.reason) {
        (ResultFormat::PlusDraw, ResultReason::WhitePlus) => Some("1+ - 1-"),
        (ResultFormat::PlusDraw, ResultReason::BlackPlus) => Some("1- - 1+"),
        (ResultFormat::Delfts, _) if (white, black) == (150, 50) => Some("1 1/2 - 1/2"),
        (ResultFormat::Delfts, _) if (white, black) == (50, 150) => Some("1/2 - 1 1/2"),
        _ => None,
    }
}
