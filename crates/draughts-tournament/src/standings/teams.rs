//! The standings of teams: match points, then board points.

use crate::{AdjustmentTarget, Id, Pairing, Points, TournamentSection};

/// A team in the standings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TeamStanding {
    /// Rank from 1. Equal rows share it.
    pub rank: usize,
    /// Id of the team.
    pub team: Id,
    /// Number of matches with all their results.
    pub played: usize,
    /// Number of matches won.
    pub won: usize,
    /// Number of matches drawn.
    pub drawn: usize,
    /// Number of matches lost.
    pub lost: usize,
    /// Match points without deducted ones.
    pub match_points: Points,
    /// Board points of all boards with a result.
    pub board_points: Points,
    /// Deducted match points.
    pub penalty: Points,
}

impl TournamentSection {
    /// Returns the board points of home and away team of a match, and whether all its boards have results. A player of another team, a
    /// substitute, plays for the team that is not the opponent's.
    pub fn board_points(&self, of: Id) -> (Points, Points, bool) {
        let boards: Vec<&Pairing> = self.pairings.iter().filter(|pairing| pairing.match_id == Some(of)).collect();
        let mut points = (Points::ZERO, Points::ZERO, !boards.is_empty());
        let Some(this) = self.matches.iter().find(|this| this.id == of) else { return points };
        let plays = |team: &Id| [this.home, this.away].contains(team);
        let is_home = |id: Option<Id>| self.team_of(id).filter(plays).map(|team| team == this.home);
        for pairing in boards {
            // The side of an empty board follows from the opponent's team.
            let white_is_home = is_home(pairing.white).or(is_home(pairing.black).map(|home| !home)).unwrap_or(true);
            match pairing.result {
                None => points.2 = false,
                Some(result) => {
                    points.0 += result.points_of(white_is_home);
                    points.1 += result.points_of(!white_is_home);
                }
            }
        }
        points
    }
}

/// Returns the standings of the teams of a section after a round, best first. A match counts when all its boards have results.
pub fn team_standings(section: &TournamentSection, after_round: u32) -> Vec<TeamStanding> {
    let scoring = &section.scoring;
    let mut rows: Vec<TeamStanding> = Vec::with_capacity(section.teams.len());
    for team in section.teams.iter().filter(|_| section.has_matches()) {
        let mut row = TeamStanding { team: team.id, ..TeamStanding::default() };
        let of_team =
            |this: &&crate::Match| this.round <= after_round && (this.home == team.id || this.away == team.id);
        for this in section.matches.iter().filter(of_team) {
            let (home, away, is_complete) = section.board_points(this.id);
            let (own, others) = if this.home == team.id { (home, away) } else { (away, home) };
            row.board_points += own;
            if is_complete {
                row.played += 1;
                let (count, points) = match own.cmp(&others) {
                    std::cmp::Ordering::Greater => (&mut row.won, scoring.match_win),
                    std::cmp::Ordering::Equal => (&mut row.drawn, scoring.match_draw),
                    std::cmp::Ordering::Less => (&mut row.lost, scoring.match_loss),
                };
                *count += 1;
                row.match_points += points;
            }
        }
        for adjustment in
            section.adjustments.iter().filter(|adjustment| adjustment.target == AdjustmentTarget::Team(team.id))
        {
            row.match_points += adjustment.match_points;
            row.board_points += adjustment.points;
            row.penalty += (Points::ZERO - adjustment.match_points).max(Points::ZERO);
        }
        rows.push(row);
    }
    let order = |row: &TeamStanding| (row.match_points, row.board_points);
    rows.sort_by_key(|row| (std::cmp::Reverse(order(row)), section.team(row.team).map(|team| team.number)));
    for at in 0..rows.len() {
        let is_equal = at > 0 && order(&rows[at - 1]) == order(&rows[at]);
        rows[at].rank = if is_equal { rows[at - 1].rank } else { at + 1 };
    }
    rows
}
