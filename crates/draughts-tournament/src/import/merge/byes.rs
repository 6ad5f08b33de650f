//! Byes that a program writes as an opponent with such a name.

use draughts_pdn::problem::quote;

use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, TournamentFile, is_bye_name,
};
use crate::{ByeKind, Points, ResultReason, TournamentSection};

/// Returns the file with byes, or in team matches empty boards, in place of opponents whose name means a bye. Players in a list keep such a
/// name.
pub(super) fn told_as_players(
    section: &TournamentSection,
    sheet: &TournamentFile,
    complaints: &mut ImportDiagnostics,
) -> TournamentFile {
    let is_known = |name: &str| {
        sheet.players.iter().any(|player| player.name == name)
            || section.players.iter().any(|player| player.is_known_as(name))
    };
    let is_bye = |who: &Option<PlayerRef>| {
        let mut of = who.iter();
        of.any(|who| who.number.is_none() && is_bye_name(&who.name) && !is_known(&who.name))
    };
    let mut sheet = sheet.clone();
    for mut drawn in std::mem::take(&mut sheet.pairings) {
        let (is_white_bye, is_black_bye) = (is_bye(&drawn.white), is_bye(&drawn.black));
        if !is_white_bye && !is_black_bye {
            sheet.pairings.push(drawn);
            continue;
        }
        let is_white = is_black_bye;
        let (own, other) =
            if is_white { (&mut drawn.white, &mut drawn.black) } else { (&mut drawn.black, &mut drawn.white) };
        let (Some(nobody), Some(player)) = (other.take(), own.clone().filter(|_| is_white_bye != is_black_bye)) else {
            complaints.error(drawn.place, "this pairing has neither white nor black");
            continue;
        };
        let name =
            if player.name.is_empty() { format!("number {}", player.number.unwrap_or(0)) } else { player.name.clone() };
        let of_team = !nobody.team.is_empty() || !player.team.is_empty();
        let what = if of_team { "sits at an empty board" } else { "has a bye" };
        let what = format!(
            "{} is no player here: {name} {what} in round {}; add the player to a list of players first",
            quote(&nobody.name),
            drawn.round
        );
        complaints.note(nobody.place, what);
        if of_team {
            drawn.outcome = forfeited(drawn.outcome);
            sheet.pairings.push(drawn);
        } else {
            let (why, points) = worth(&drawn, is_white);
            sheet.byes.push(ListedBye { round: drawn.round, who: player, why, points });
        }
    }
    sheet
}

/// Returns the kind and the points of a bye, from the result against the absent opponent.
fn worth(drawn: &ListedPairing, is_white: bool) -> (ByeKind, Option<Points>) {
    match drawn.outcome {
        ListedResult::Open => (ByeKind::NoOpponent, None),
        ListedResult::Letters(white, black, _) => match if is_white { white } else { black } {
            SideResult::Win => (ByeKind::NoOpponent, None),
            SideResult::Draw => (ByeKind::Half, None),
            SideResult::Loss => (ByeKind::Absent, None),
        },
        ListedResult::Points(white, black, _) => match if is_white { white } else { black } {
            Points::ZERO => (ByeKind::Absent, None),
            own => (ByeKind::NoOpponent, Some(own)),
        },
        ListedResult::OnePlayer { why, points, .. } => (why, points),
    }
}

/// A player whose opponent's team leaves the board empty wins by forfeit.
fn forfeited(outcome: ListedResult) -> ListedResult {
    match outcome {
        ListedResult::Letters(white, black, _) => ListedResult::Letters(white, black, ResultReason::Forfeit),
        ListedResult::Points(white, black, _) => ListedResult::Points(white, black, Some(ResultReason::Forfeit)),
        other => other,
    }
}
