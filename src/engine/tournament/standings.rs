//! Who stands where: a function of official results, the scoring, the tie-breaks and the policy for unplayed games.
//!
//! ```text
//!   rounds of a player      ─▸ a value for each: the opponent's points, a dummy's, 0, or nothing       one policy a row of `Round::value`
//!   sorted, what is dropped first before  ─▸ sums: all, less the lowest, less the highest and the lowest, the list, weighted
//! ```
//!
//! Sources: FMJD annexes and the table of Ouagadougou 2022 (`fmjd`); FIDE Handbook C.07 of 2024 and 2026, article 16; its exercises.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::points::{Exact, Points};
use super::scoring::{TieBreak, Unplayed};
use super::{ByeKind, Id, ResultReason, TournamentSection, Whose};

/// The order of the players of a section after a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    /// The last round that counts.
    pub after_round: u32,
    /// How many pairings up to then have an official result.
    pub results: usize,
    /// How many pairings there are up to then. With fewer results the standings are provisional.
    pub pairings: usize,
    /// What orders those with equal points.
    pub tie_breaks: Vec<TieBreak>,
    /// The players, the first first.
    pub rows: Vec<Row>,
}

/// A player in the standings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// From 1. Equal rows share it, and the next one is so much later.
    pub rank: usize,
    /// Who.
    pub player: Id,
    /// His points.
    pub points: Points,
    /// How many games he has played on the board.
    pub games: usize,
    /// The tie-breaks, in the order of [`Standings::tie_breaks`].
    pub broken: Vec<Broken>,
}

/// What a tie-break says of a player.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Broken {
    /// It does not decide.
    Undecided,
    /// A number.
    Number(Exact),
    /// Numbers that are compared one after the other.
    List(Vec<Exact>),
}

/// What a round was for a player.
#[derive(Clone, Copy, Debug)]
struct Round {
    kind: Kind,
    /// His points of it.
    own: Points,
    /// Whom he met or should have met, as a place in the list of players.
    opponent: Option<usize>,
    is_win_on_the_board: bool,
    /// 1: he had an advantage in a draw; -1: his opponent had it.
    plus: i32,
}

impl Round {
    /// One without a game.
    fn without_game(kind: Kind, own: Points, opponent: Option<usize>) -> Round {
        Round { kind, own, opponent, is_win_on_the_board: false, plus: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A game on the board.
    Played,
    /// The opponent did not come, or there was none left.
    Available,
    /// He did not come.
    Lost,
    /// He asked for a bye, or was absent.
    Requested,
    /// It is not known yet.
    Pending,
}

/// A value in the list of opponents.
#[derive(Clone, Copy, Debug)]
struct Value {
    points: Points,
    own: Points,
    /// He was not there of his own will: it is dropped before others.
    is_voluntary: bool,
}

struct Person<'s> {
    id: Id,
    number: u32,
    points: Points,
    rounds: Vec<Round>,
    adjusted: Points,
    section: &'s TournamentSection,
}

/// The standings of a section after a round, by these tie-breaks and this policy. Equal rows stand in the order of their numbers.
pub fn standings(
    section: &TournamentSection,
    after_round: u32,
    tie_breaks: &[TieBreak],
    unplayed: Unplayed,
) -> Standings {
    let places: BTreeMap<Id, usize> = section.players.iter().enumerate().map(|(at, player)| (player.id, at)).collect();
    let mut people = people(section, after_round, &places);
    for person in &mut people {
        person.adjusted = person.adjusted_points(unplayed);
    }
    let values: Vec<Vec<Value>> = people.iter().map(|person| person.values(&people, unplayed)).collect();
    let sums: Vec<Points> = values.iter().map(|values| values.iter().map(|value| value.points).sum()).collect();
    let broken = |at: usize, tie: TieBreak| -> Broken {
        let person: &Person = &people[at];
        let values: &[Value] = &values[at];
        let sum_of = |values: &[Value]| Broken::Number(values.iter().map(|value| value.points).sum::<Points>().into());
        match tie {
            TieBreak::Solkoff => sum_of(values),
            TieBreak::ShortTruncated => sum_of(values.get(1..).unwrap_or_default()),
            TieBreak::FullTruncated => {
                let sum = |from: usize| {
                    values.get(from..).unwrap_or_default().iter().map(|value| value.points).sum::<Points>()
                };
                Broken::List((1..after_round.max(1) as usize).map(|from| sum(from).into()).collect())
            }
            TieBreak::Median => Broken::Number(median(values).into()),
            TieBreak::SolkoffPlus => {
                let opponents = person.rounds.iter().filter(|round| counts_as_met(round, unplayed));
                let sum: Points = opponents.filter_map(|round| round.opponent).map(|opponent| sums[opponent]).sum();
                Broken::Number(sum.into())
            }
            TieBreak::SonnebornBerger => {
                let products = values.iter().map(|value| value.own.in_hundredths() * value.points.in_hundredths());
                let win = section.scoring.win.in_hundredths();
                Broken::Number(Exact { numerator: products.sum(), denominator: win * 100 })
            }
            TieBreak::Wins => count(person.rounds.iter().filter(|round| round.own >= section.scoring.win)),
            TieBreak::WinsPlayed => count(person.rounds.iter().filter(|round| round.is_win_on_the_board)),
            TieBreak::Plus => Broken::Number(Points::whole(person.rounds.iter().map(|round| round.plus).sum()).into()),
            // It depends on who is equal so far.
            TieBreak::Direct => Broken::Undecided,
        }
    };
    let mut rows: Vec<(usize, Row)> = people
        .iter()
        .enumerate()
        .map(|(at, person)| {
            let broken = tie_breaks.iter().map(|&tie| broken(at, tie)).collect();
            let games = person.rounds.iter().filter(|round| round.kind == Kind::Played).count();
            (at, Row { rank: 0, player: person.id, points: person.points, games, broken })
        })
        .collect();
    for (column, _) in tie_breaks.iter().enumerate().filter(|(_, tie)| **tie == TieBreak::Direct) {
        rows.sort_by(|(_, a), (_, b)| order(a, b, column));
        for tied in rows.chunk_by_mut(|(_, a), (_, b)| order(a, b, column).is_eq()) {
            direct(tied, column, &people);
        }
    }
    let all = tie_breaks.len();
    rows.sort_by(|(a, first), (b, second)| {
        order(first, second, all).then(people[*a].number.cmp(&people[*b].number)).then(a.cmp(b))
    });
    let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    for at in 0..rows.len() {
        let is_equal = at > 0 && order(&rows[at - 1], &rows[at], all).is_eq();
        rows[at].rank = if is_equal { rows[at - 1].rank } else { at + 1 };
    }
    let counting = || section.pairings.iter().filter(|pairing| pairing.round <= after_round);
    let (results, pairings) = (counting().filter(|pairing| pairing.result.is_some()).count(), counting().count());
    Standings { after_round, results, pairings, tie_breaks: tie_breaks.to_vec(), rows }
}

/// The better row first, by points and so many tie-breaks.
fn order(a: &Row, b: &Row, tie_breaks: usize) -> Ordering {
    b.points.cmp(&a.points).then_with(|| b.broken[..tie_breaks].cmp(&a.broken[..tie_breaks]))
}

fn count<'r>(rounds: impl Iterator<Item = &'r Round>) -> Broken {
    Broken::Number(Exact::whole(rounds.count() as i64))
}

/// Without the first, which is dropped first, and the highest of the others.
fn median(values: &[Value]) -> Points {
    let rest = values.get(1..).unwrap_or_default();
    let highest = rest.iter().map(|value| value.points).max().unwrap_or_default();
    rest.iter().map(|value| value.points).sum::<Points>() - highest
}

/// The points from the games between those who are equal, if all of them have met on the board and it decides something.
fn direct(tied: &mut [(usize, Row)], column: usize, people: &[Person]) {
    let among: Vec<usize> = tied.iter().map(|(at, _)| *at).collect();
    let mut scores = Vec::with_capacity(among.len());
    for &at in &among {
        let games = || people[at].rounds.iter().filter(|round| round.kind == Kind::Played);
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
        row.broken[column] = Broken::Number(score.into());
    }
}

/// The players, in the order of the section, with all rounds up to this one.
fn people<'s>(section: &'s TournamentSection, after_round: u32, places: &BTreeMap<Id, usize>) -> Vec<Person<'s>> {
    let rounds = after_round as usize;
    let absent = Round::without_game(Kind::Requested, section.scoring.absence, None);
    let mut people: Vec<Person> = section
        .players
        .iter()
        .map(|player| Person {
            id: player.id,
            number: player.number.unwrap_or(u32::MAX),
            points: Points::ZERO,
            rounds: vec![absent; rounds],
            adjusted: Points::ZERO,
            section,
        })
        .collect();
    let mut set = |id: Option<Id>, round: u32, what: Round| {
        if let Some(&at) = id.as_ref().and_then(|id| places.get(id))
            && let Some(there) = (round as usize).checked_sub(1).and_then(|round| people[at].rounds.get_mut(round))
        {
            *there = what;
        }
    };
    for pairing in &section.pairings {
        let place = |id: Option<Id>| id.and_then(|id| places.get(&id).copied());
        for (me, other, is_white) in [(pairing.white, pairing.black, true), (pairing.black, pairing.white, false)] {
            let opponent = place(other);
            let what = match pairing.result {
                None => Round::without_game(Kind::Pending, Points::ZERO, opponent),
                Some(result) => {
                    let (own, others) =
                        if is_white { (result.white, result.black) } else { (result.black, result.white) };
                    let kind = match result.reason {
                        ResultReason::Forfeit if own > others => Kind::Available,
                        ResultReason::Forfeit => Kind::Lost,
                        ResultReason::Bye if own > section.scoring.draw => Kind::Available,
                        ResultReason::NotPlayed | ResultReason::Bye => Kind::Requested,
                        _ => Kind::Played,
                    };
                    let is_win_on_the_board = kind == Kind::Played && own >= section.scoring.win;
                    let plus = match result.reason {
                        ResultReason::WhitePlus if is_white => 1,
                        ResultReason::BlackPlus if !is_white => 1,
                        ResultReason::WhitePlus | ResultReason::BlackPlus => -1,
                        _ => 0,
                    };
                    Round { kind, own, opponent, is_win_on_the_board, plus }
                }
            };
            set(me, pairing.round, what);
        }
    }
    for bye in &section.byes {
        let kind = match bye.why {
            ByeKind::NoOpponent | ByeKind::Full | ByeKind::Won => Kind::Available,
            ByeKind::Half | ByeKind::Absent => Kind::Requested,
            ByeKind::Lost => Kind::Lost,
        };
        set(Some(bye.player), bye.round, Round::without_game(kind, bye.points, None));
    }
    for person in &mut people {
        person.points = person.rounds.iter().map(|round| round.own).sum();
    }
    for adjustment in &section.adjustments {
        if let Whose::Player(id) = adjustment.whose
            && let Some(&at) = places.get(&id)
        {
            people[at].points += adjustment.points;
        }
    }
    people
}

/// Has this round an opponent, as far as Solkoffs are added up?
fn counts_as_met(round: &Round, unplayed: Unplayed) -> bool {
    match unplayed {
        Unplayed::Fmjd | Unplayed::FmjdNoBye => true,
        _ => round.kind == Kind::Played,
    }
}

impl Person<'_> {
    /// His points as those of an opponent.
    fn adjusted_points(&self, unplayed: Unplayed) -> Points {
        let draw = self.section.scoring.draw;
        match unplayed {
            Unplayed::Fmjd | Unplayed::FmjdPlayed | Unplayed::FmjdNoBye | Unplayed::Simple => self.points,
            Unplayed::Fide24 | Unplayed::Fide26 => {
                let last = self.rounds.iter().rposition(|round| round.kind != Kind::Requested).map_or(0, |at| at + 1);
                let own: Points = self.rounds[last..].iter().map(|round| round.own).sum();
                self.points - own + draw * (self.rounds.len() - last) as i64
            }
            Unplayed::Virtual => {
                let counted = |round: &Round| match round.kind {
                    Kind::Played | Kind::Pending => round.own,
                    _ => draw,
                };
                let own: Points = self.rounds.iter().map(|round| round.own).sum();
                self.points - own + self.rounds.iter().map(counted).sum()
            }
        }
    }

    /// The values of his rounds, what is dropped first first.
    fn values(&self, people: &[Person], unplayed: Unplayed) -> Vec<Value> {
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
        round: &Round,
        number: i64,
        before: Points,
        people: &[Person],
        unplayed: Unplayed,
    ) -> Option<Value> {
        let scoring = &self.section.scoring;
        let rounds = self.rounds.len() as i64;
        let own = round.own;
        let met = |opponent: usize| Value { points: people[opponent].adjusted, own, is_voluntary: false };
        let nothing = Value { points: Points::ZERO, own: Points::ZERO, is_voluntary: false };
        if round.kind == Kind::Pending {
            // Nothing is known of it yet; where rounds without an opponent are in the list, it is one of them.
            return (unplayed != Unplayed::FmjdNoBye).then_some(nothing);
        }
        if let (Kind::Played, Some(opponent)) = (round.kind, round.opponent) {
            return Some(met(opponent));
        }
        match (unplayed, round.opponent) {
            (Unplayed::Fmjd | Unplayed::FmjdNoBye, Some(opponent)) => Some(met(opponent)),
            (Unplayed::Fmjd | Unplayed::FmjdPlayed, _) => Some(nothing),
            (Unplayed::FmjdNoBye, None) => None,
            (Unplayed::Fide24 | Unplayed::Fide26 | Unplayed::Simple, opponent) => {
                let mut points = self.points;
                if unplayed == Unplayed::Fide26 {
                    points = points.min(scoring.draw * rounds);
                    if let Some(opponent) = opponent {
                        points = points.min(people[opponent].adjusted);
                    }
                }
                let is_voluntary = unplayed != Unplayed::Simple && matches!(round.kind, Kind::Requested | Kind::Lost);
                Some(Value { points, own, is_voluntary })
            }
            (Unplayed::Virtual, _) => {
                let points = before + (scoring.win - own) + scoring.draw * (rounds - number);
                Some(Value { points, own, is_voluntary: false })
            }
        }
    }
}
