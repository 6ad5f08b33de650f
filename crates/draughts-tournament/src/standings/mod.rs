//! Standings: a function of official results, the scoring, the tie-breaks and the policy for unplayed games.
//!
//! ```text
//!   rounds of a player      ─▸ a value for each: the opponent's points, a dummy's, 0, or nothing       one policy a row of `PlayedRound::value`
//!   sorted, what is dropped first before  ─▸ sums: all, less the lowest, less the highest and the lowest, the list, weighted
//! ```
//!
//! Sources: FMJD annexes and the table of Ouagadougou 2022 (`fmjd`); FIDE Handbook C.07 of 2024 and 2026, article 16; its exercises.

pub(crate) mod teams;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::{
    AdjustmentTarget, ByeKind, Fraction, Id, Pairing, Points, ResultReason, Scoring, TieBreak, TournamentSection,
    UnplayedPolicy,
};

/// Standings of a section after a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    /// Last round that counts.
    pub after_round: u32,
    /// Number of pairings up to that round with an official result.
    pub results: usize,
    /// Number of pairings up to that round. With fewer results the standings are provisional.
    pub pairings: usize,
    /// Tie-breaks in their order.
    pub tie_breaks: Vec<TieBreak>,
    /// Players, best first.
    pub rows: Vec<PlayerStanding>,
}

/// A player in the standings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerStanding {
    /// Rank from 1. Equal rows share it; the next rank counts all of them.
    pub rank: usize,
    /// Id of the player.
    pub player: Id,
    /// Points of the player.
    pub points: Points,
    /// Number of games played on the board.
    pub games: usize,
    /// Tie-breaks, in the order of [`Standings::tie_breaks`].
    pub tie_breaks: Vec<TieBreakValue>,
}

/// Value of a tie-break.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TieBreakValue {
    /// The tie-break does not decide.
    Undecided,
    /// A number.
    Number(Fraction),
    /// Numbers that are compared one after the other.
    List(Vec<Fraction>),
}

/// A round of a player.
#[derive(Clone, Copy, Debug)]
struct PlayedRound {
    kind: RoundKind,
    /// Points of the player in this round.
    own: Points,
    /// Opponent by index in the list of players, even if the game was not played.
    opponent: Option<usize>,
    is_win_on_the_board: bool,
    /// 1 for a draw with a plus, -1 for a draw with a minus.
    plus: i32,
}

impl PlayedRound {
    /// Creates a round without a game.
    fn without_game(kind: RoundKind, own: Points, opponent: Option<usize>) -> PlayedRound {
        PlayedRound { kind, own, opponent, is_win_on_the_board: false, plus: 0 }
    }

    /// Creates the round of one side of a pairing.
    fn of_pairing(pairing: &Pairing, is_white: bool, opponent: Option<usize>, scoring: &Scoring) -> PlayedRound {
        let Some(result) = pairing.result else {
            return PlayedRound::without_game(RoundKind::Pending, Points::ZERO, opponent);
        };
        let (own, others) = (result.points_of(is_white), result.points_of(!is_white));
        let kind = match result.reason {
            ResultReason::Forfeit if own > others => RoundKind::Available,
            ResultReason::Forfeit => RoundKind::Lost,
            ResultReason::Bye if own > scoring.draw => RoundKind::Available,
            ResultReason::NotPlayed | ResultReason::Bye => RoundKind::Requested,
            _ => RoundKind::Played,
        };
        let plus = match result.reason {
            ResultReason::WhitePlus | ResultReason::BlackPlus => {
                if is_white == (result.reason == ResultReason::WhitePlus) { 1 } else { -1 }
            }
            _ => 0,
        };
        let is_win_on_the_board = kind == RoundKind::Played && own >= scoring.win;
        PlayedRound { kind, own, opponent, is_win_on_the_board, plus }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RoundKind {
    /// A game on the board.
    Played,
    /// The opponent was absent, or there was none left.
    Available,
    /// The player was absent without a bye.
    Lost,
    /// The player asked for a bye, or was absent.
    Requested,
    /// There is no result yet.
    Pending,
}

/// A value in the list of opponents.
#[derive(Clone, Copy, Debug)]
struct OpponentScore {
    points: Points,
    own: Points,
    /// Whether the player was absent voluntarily: such values are dropped first.
    is_voluntary: bool,
}

struct Contestant<'s> {
    id: Id,
    number: u32,
    points: Points,
    rounds: Vec<PlayedRound>,
    adjusted: Points,
    section: &'s TournamentSection,
}

/// Returns the standings of a section after a round, with these tie-breaks and this policy. Equal rows are in the order of the players'
/// numbers.
pub fn standings(
    section: &TournamentSection,
    after_round: u32,
    tie_breaks: &[TieBreak],
    unplayed: UnplayedPolicy,
) -> Standings {
    let places: BTreeMap<Id, usize> = section.players.iter().enumerate().map(|(at, player)| (player.id, at)).collect();
    let mut people = people(section, after_round, &places);
    for person in &mut people {
        person.adjusted = person.adjusted_points(unplayed);
    }
    let values: Vec<Vec<OpponentScore>> = people.iter().map(|person| person.values(&people, unplayed)).collect();
    let sums: Vec<Points> = values.iter().map(|values| values.iter().map(|value| value.points).sum()).collect();
    let broken = |at: usize, tie: TieBreak| -> TieBreakValue {
        let person: &Contestant = &people[at];
        let values: &[OpponentScore] = &values[at];
        let sum_of = |values: &[OpponentScore]| {
            TieBreakValue::Number(values.iter().map(|value| value.points).sum::<Points>().into())
        };
        match tie {
            TieBreak::Solkoff => sum_of(values),
            TieBreak::ShortTruncated => sum_of(values.get(1..).unwrap_or_default()),
            TieBreak::FullTruncated => {
                let sum = |from: usize| {
                    values.get(from..).unwrap_or_default().iter().map(|value| value.points).sum::<Points>()
                };
                TieBreakValue::List((1..after_round.max(1) as usize).map(|from| sum(from).into()).collect())
            }
            TieBreak::Median => TieBreakValue::Number(median(values).into()),
            TieBreak::SolkoffPlus => {
                let opponents = person.rounds.iter().filter(|round| counts_as_met(round, unplayed));
                let sum: Points = opponents.filter_map(|round| round.opponent).map(|opponent| sums[opponent]).sum();
                TieBreakValue::Number(sum.into())
            }
            TieBreak::SonnebornBerger => {
                let products = values.iter().map(|value| value.own.in_hundredths() * value.points.in_hundredths());
                let win = section.scoring.win.in_hundredths();
                TieBreakValue::Number(Fraction { numerator: products.sum(), denominator: win * 100 })
            }
            TieBreak::Wins => count(person.rounds.iter().filter(|round| round.own >= section.scoring.win)),
            TieBreak::WinsPlayed => count(person.rounds.iter().filter(|round| round.is_win_on_the_board)),
            TieBreak::PlusDraws => {
                TieBreakValue::Number(Points::whole(person.rounds.iter().map(|round| round.plus).sum()).into())
            }
            // Depends on the players with equal values so far.
            TieBreak::DirectEncounter => TieBreakValue::Undecided,
        }
    };
    let mut rows: Vec<(usize, PlayerStanding)> = people
        .iter()
        .enumerate()
        .map(|(at, person)| {
            let broken = tie_breaks.iter().map(|&tie| broken(at, tie)).collect();
            let games = person.rounds.iter().filter(|round| round.kind == RoundKind::Played).count();
            (at, PlayerStanding { rank: 0, player: person.id, points: person.points, games, tie_breaks: broken })
        })
        .collect();
    for (column, _) in tie_breaks.iter().enumerate().filter(|(_, tie)| **tie == TieBreak::DirectEncounter) {
        rows.sort_by(|(_, a), (_, b)| order(a, b, column));
        for tied in rows.chunk_by_mut(|(_, a), (_, b)| order(a, b, column).is_eq()) {
            direct(tied, column, &people);
        }
    }
    let all = tie_breaks.len();
    rows.sort_by(|(a, first), (b, second)| {
        order(first, second, all).then(people[*a].number.cmp(&people[*b].number)).then(a.cmp(b))
    });
    let mut rows: Vec<PlayerStanding> = rows.into_iter().map(|(_, row)| row).collect();
    for at in 0..rows.len() {
        let is_equal = at > 0 && order(&rows[at - 1], &rows[at], all).is_eq();
        rows[at].rank = if is_equal { rows[at - 1].rank } else { at + 1 };
    }
    let counting = || section.pairings.iter().filter(|pairing| pairing.round <= after_round);
    let (results, pairings) = (counting().filter(|pairing| pairing.result.is_some()).count(), counting().count());
    Standings { after_round, results, pairings, tie_breaks: tie_breaks.to_vec(), rows }
}

/// Orders rows by points and the first `tie_breaks` tie-breaks, better rows first.
fn order(a: &PlayerStanding, b: &PlayerStanding, tie_breaks: usize) -> Ordering {
    b.points.cmp(&a.points).then_with(|| b.tie_breaks[..tie_breaks].cmp(&a.tie_breaks[..tie_breaks]))
}

fn count<'r>(rounds: impl Iterator<Item = &'r PlayedRound>) -> TieBreakValue {
    TieBreakValue::Number(Fraction::whole(rounds.count() as i64))
}

/// Returns the sum without the value that is dropped first and the highest of the others.
fn median(values: &[OpponentScore]) -> Points {
    let rest = values.get(1..).unwrap_or_default();
    let highest = rest.iter().map(|value| value.points).max().unwrap_or_default();
    rest.iter().map(|value| value.points).sum::<Points>() - highest
}

/// Sets the points from the games between players with equal values, if all of them have met on the board and the points differ.
fn direct(tied: &mut [(usize, PlayerStanding)], column: usize, people: &[Contestant]) {
    let among: Vec<usize> = tied.iter().map(|(at, _)| *at).collect();
    let mut scores = Vec::with_capacity(among.len());
    for &at in &among {
        let games = || people[at].rounds.iter().filter(|round| round.kind == RoundKind::Played);
        let has_met = |other: &usize| *other == at || games().any(|round| round.opponent == Some(*other));
        if among.len() < 2 || !among.iter().all(has_met) {
            return;
        }
        let between = games().filter(|round| round.opponent.is_some_and(|opponent| among.contains(&opponent)));
        scores.push(between.map(|round| round.own).sum::<Points>());
    }
    if scores.windows(2).all(|pair| pair[0] == pair[1]) {
        return;
    }
    for ((_, row), score) in tied.iter_mut().zip(scores) {
        row.tie_breaks[column] = TieBreakValue::Number(score.into());
    }
}

/// Returns the players in the order of the section, with all rounds up to this one.
fn people<'s>(section: &'s TournamentSection, after_round: u32, places: &BTreeMap<Id, usize>) -> Vec<Contestant<'s>> {
    let rounds = after_round as usize;
    let absent = PlayedRound::without_game(RoundKind::Requested, section.scoring.absence, None);
    let mut people: Vec<Contestant> = section
        .players
        .iter()
        .map(|player| Contestant {
            id: player.id,
            number: player.number.unwrap_or(u32::MAX),
            points: Points::ZERO,
            rounds: vec![absent; rounds],
            adjusted: Points::ZERO,
            section,
        })
        .collect();
    let mut set = |id: Option<Id>, round: u32, what: PlayedRound| {
        if let Some(&at) = id.as_ref().and_then(|id| places.get(id))
            && let Some(there) = (round as usize).checked_sub(1).and_then(|round| people[at].rounds.get_mut(round))
        {
            *there = what;
        }
    };
    for pairing in &section.pairings {
        for (me, other, is_white) in pairing.sides() {
            let opponent = other.and_then(|id| places.get(&id).copied());
            set(me, pairing.round, PlayedRound::of_pairing(pairing, is_white, opponent, &section.scoring));
        }
    }
    for bye in &section.byes {
        let kind = match bye.kind {
            ByeKind::NoOpponent | ByeKind::Full | ByeKind::Won => RoundKind::Available,
            ByeKind::Half | ByeKind::Absent => RoundKind::Requested,
            ByeKind::Lost => RoundKind::Lost,
        };
        set(Some(bye.player), bye.round, PlayedRound::without_game(kind, bye.points, None));
    }
    for person in &mut people {
        person.points = person.rounds.iter().map(|round| round.own).sum();
    }
    for adjustment in &section.adjustments {
        if let AdjustmentTarget::Player(id) = adjustment.target
            && let Some(&at) = places.get(&id)
        {
            people[at].points += adjustment.points;
        }
    }
    people
}

/// Whether the round has an opponent for the sum of Solkoffs.
fn counts_as_met(round: &PlayedRound, unplayed: UnplayedPolicy) -> bool {
    match unplayed {
        UnplayedPolicy::Fmjd | UnplayedPolicy::FmjdNoBye => true,
        _ => round.kind == RoundKind::Played,
    }
}

impl Contestant<'_> {
    /// Returns the points of the player as those of an opponent.
    fn adjusted_points(&self, unplayed: UnplayedPolicy) -> Points {
        let draw = self.section.scoring.draw;
        match unplayed {
            UnplayedPolicy::Fmjd | UnplayedPolicy::FmjdPlayed | UnplayedPolicy::FmjdNoBye | UnplayedPolicy::Simple => {
                self.points
            }
            UnplayedPolicy::Fide24 | UnplayedPolicy::Fide26 => {
                let last =
                    self.rounds.iter().rposition(|round| round.kind != RoundKind::Requested).map_or(0, |at| at + 1);
                let own: Points = self.rounds[last..].iter().map(|round| round.own).sum();
                self.points - own + draw * (self.rounds.len() - last) as i64
            }
            UnplayedPolicy::Virtual => {
                let counted = |round: &PlayedRound| match round.kind {
                    RoundKind::Played | RoundKind::Pending => round.own,
                    _ => draw,
                };
                let own: Points = self.rounds.iter().map(|round| round.own).sum();
                self.points - own + self.rounds.iter().map(counted).sum()
            }
        }
    }

    /// Returns the values of the player's rounds, in the order of dropping.
    fn values(&self, people: &[Contestant], unplayed: UnplayedPolicy) -> Vec<OpponentScore> {
        let mut before = Points::ZERO;
        let mut values = Vec::with_capacity(self.rounds.len());
        for (round, number) in self.rounds.iter().zip(1..) {
            values.extend(self.value(round, number, before, people, unplayed));
            before += round.own;
        }
        values.sort_by_key(|value| (!value.is_voluntary, value.points));
        values
    }

    fn value(
        &self,
        round: &PlayedRound,
        number: i64,
        before: Points,
        people: &[Contestant],
        unplayed: UnplayedPolicy,
    ) -> Option<OpponentScore> {
        let scoring = &self.section.scoring;
        let rounds = self.rounds.len() as i64;
        let own = round.own;
        let met = |opponent: usize| OpponentScore { points: people[opponent].adjusted, own, is_voluntary: false };
        let nothing = OpponentScore { points: Points::ZERO, own: Points::ZERO, is_voluntary: false };
        if round.kind == RoundKind::Pending {
            // An unknown result counts like a round without an opponent, if those are in the list.
            return (unplayed != UnplayedPolicy::FmjdNoBye).then_some(nothing);
        }
        if let (RoundKind::Played, Some(opponent)) = (round.kind, round.opponent) {
            return Some(met(opponent));
        }
        match (unplayed, round.opponent) {
            (UnplayedPolicy::Fmjd | UnplayedPolicy::FmjdNoBye, Some(opponent)) => Some(met(opponent)),
            (UnplayedPolicy::Fmjd | UnplayedPolicy::FmjdPlayed, _) => Some(nothing),
            (UnplayedPolicy::FmjdNoBye, None) => None,
            (UnplayedPolicy::Fide24 | UnplayedPolicy::Fide26 | UnplayedPolicy::Simple, opponent) => {
                let mut points = self.points;
                if unplayed == UnplayedPolicy::Fide26 {
                    points = points.min(scoring.draw * rounds);
                    if let Some(opponent) = opponent {
                        points = points.min(people[opponent].adjusted);
                    }
                }
                let is_voluntary =
                    unplayed != UnplayedPolicy::Simple && matches!(round.kind, RoundKind::Requested | RoundKind::Lost);
                Some(OpponentScore { points, own, is_voluntary })
            }
            (UnplayedPolicy::Virtual, _) => {
                let points = before + (scoring.win - own) + scoring.draw * (rounds - number);
                Some(OpponentScore { points, own, is_voluntary: false })
            }
        }
    }
}
