//! Opponents who are none: some programs write a bye as a player of that name.

use draughts_pdn::problem::quote;

use crate::Points;
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, TournamentFile, is_bye_name,
};
use crate::{ByeKind, ResultReason, TournamentSection};

/// The file with a bye, or in a match of teams an empty board, wherever the opponent is called so and no list has a player of that name.
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
            "{} is no player here: {name} {what} in round {}; whoever is called so stands in a list of players first",
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

/// What the result against nobody says of the bye.
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

/// Whom a team sends nobody against has a forfeit.
fn forfeited(outcome: ListedResult) -> ListedResult {
    match outcome {
        ListedResult::Letters(white, black, _) => ListedResult::Letters(white, black, ResultReason::Forfeit),
        ListedResult::Points(white, black, _) => ListedResult::Points(white, black, Some(ResultReason::Forfeit)),
        other => other,
    }
}
