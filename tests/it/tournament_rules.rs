//! The standings once more, from the text of the rules: small, slow and obvious. Both implementations must agree on any Swiss.

use std::cmp::Reverse;

use damcast::tournament::{
    Fraction, Standings, TieBreak, TieBreakValue, Tournament, TournamentSection, UnplayedPolicy, standings,
};
use proptest::prelude::*;

use super::tournament::import_over;

/// Outcome of a round for a player. Points count in halves, so that half points are possible: 2-1-0 is 4-2-0 here.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Round {
    /// Played against this player, for this many halves.
    Game(usize, i64),
    /// Won by forfeit: this player did not come.
    Won(usize),
    /// Lost by forfeit against this player, who may be absent as well.
    Lost(usize),
    /// No opponent was left.
    Bye,
    /// A requested half-point bye.
    HalfBye,
    /// The player was absent.
    Absent,
}

use Round::{Absent, Bye, Game, HalfBye, Lost, Won};

const WIN: i64 = 4;
const DRAW: i64 = 2;

fn points(round: Round) -> i64 {
    match round {
        Game(_, points) => points,
        Won(_) | Bye => WIN,
        HalfBye => DRAW,
        Lost(_) | Absent => 0,
    }
}

#[derive(Debug)]
pub(super) struct Swiss {
    pub(super) players: Vec<Vec<Round>>,
}

impl Swiss {
    fn total(&self, player: usize) -> i64 {
        self.players[player].iter().map(|round| points(*round)).sum()
    }

    /// Returns "the points of an opponent", adjusted by the policy.
    fn as_opponent(&self, player: usize, policy: UnplayedPolicy) -> i64 {
        let rounds = &self.players[player];
        match policy {
            // Requested byes after a player's last game count as draws.
            UnplayedPolicy::Fide24 | UnplayedPolicy::Fide26 => {
                let is_requested = |round: &Round| matches!(round, HalfBye | Absent);
                (0..rounds.len())
                    .map(|at| if rounds[at..].iter().all(is_requested) { DRAW } else { points(rounds[at]) })
                    .sum()
            }
            // Unplayed rounds of opponents count as draws.
            UnplayedPolicy::Virtual => {
                rounds.iter().map(|round| if let Game(_, points) = round { *points } else { DRAW }).sum()
            }
            _ => self.total(player),
        }
    }

    /// Returns the values of a player's rounds, each with the own points and whether it is dropped first.
    fn values(&self, player: usize, policy: UnplayedPolicy) -> Vec<(i64, i64, bool)> {
        let rounds = &self.players[player];
        let count = rounds.len() as i64;
        let mut values = Vec::new();
        for (at, &round) in rounds.iter().enumerate() {
            let own = points(round);
            let opponent = match round {
                Game(opponent, _) | Won(opponent) | Lost(opponent) => Some(opponent),
                _ => None,
            };
            if let Game(opponent, _) = round {
                values.push((self.as_opponent(opponent, policy), own, false));
                continue;
            }
            match policy {
                UnplayedPolicy::Fmjd => {
                    values.push(opponent.map_or((0, 0, false), |opponent| (self.total(opponent), own, false)))
                }
                UnplayedPolicy::FmjdPlayed => values.push((0, 0, false)),
                UnplayedPolicy::FmjdNoBye => values.extend(opponent.map(|opponent| (self.total(opponent), own, false))),
                UnplayedPolicy::Simple => values.push((self.total(player), own, false)),
                UnplayedPolicy::Fide24 | UnplayedPolicy::Fide26 => {
                    let mut dummy = self.total(player);
                    if policy == UnplayedPolicy::Fide26 {
                        dummy = dummy.min(count * DRAW);
                        if let Some(opponent) = opponent {
                            dummy = dummy.min(self.as_opponent(opponent, policy));
                        }
                    }
                    values.push((dummy, own, matches!(round, HalfBye | Absent | Lost(_))));
                }
                UnplayedPolicy::Virtual => {
                    let before: i64 = rounds[..at].iter().map(|round| points(*round)).sum();
                    values.push((before + (WIN - own) + DRAW * (count - at as i64 - 1), own, false));
                }
            }
        }
        // First the rounds missed voluntarily, the lowest first; then the others, the lowest first.
        let (mut first, mut then): (Vec<_>, Vec<_>) = values.into_iter().partition(|value| value.2);
        first.sort();
        then.sort();
        first.into_iter().chain(then).collect()
    }

    /// Returns a tie-break in sixteenths of a point; lists as lists.
    fn tie(&self, player: usize, tie: TieBreak, policy: UnplayedPolicy) -> Vec<i64> {
        let values = self.values(player, policy);
        let sum = |values: &[(i64, i64, bool)]| values.iter().map(|value| value.0).sum::<i64>() * 8;
        let behind = |drop: usize| values.get(drop..).unwrap_or(&[]);
        match tie {
            TieBreak::Solkoff => vec![sum(&values)],
            TieBreak::ShortTruncated => vec![sum(behind(1))],
            TieBreak::FullTruncated => (1..self.players[player].len()).map(|drop| sum(behind(drop))).collect(),
            TieBreak::Median => {
                let highest = behind(1).iter().map(|value| value.0).max().unwrap_or(0);
                vec![sum(behind(1)) - highest * 8]
            }
            // Own points / points of a win x the opponent's points: 16 x (value / 2) x own / 4.
            TieBreak::SonnebornBerger => vec![values.iter().map(|value| value.0 * value.1 * 2).sum()],
            TieBreak::Wins => {
                vec![16 * self.players[player].iter().filter(|round| points(**round) >= WIN).count() as i64]
            }
            TieBreak::WinsPlayed => {
                let is_won = |round: &&Round| matches!(round, Game(_, points) if *points >= WIN);
                vec![16 * self.players[player].iter().filter(is_won).count() as i64]
            }
            TieBreak::SolkoffPlus => {
                let opponents = self.players[player].iter().filter_map(|round| match (round, policy) {
                    (Game(opponent, _), _) => Some(*opponent),
                    (Won(opponent) | Lost(opponent), UnplayedPolicy::Fmjd | UnplayedPolicy::FmjdNoBye) => {
                        Some(*opponent)
                    }
                    _ => None,
                });
                vec![opponents.map(|opponent| self.tie(opponent, TieBreak::Solkoff, policy)[0]).sum()]
            }
            // No draw of these tournaments has a plus.
            TieBreak::PlusDraws => vec![0],
            TieBreak::DirectEncounter => unreachable!("it depends on others"),
        }
    }

    /// Returns the first `rounds` rounds.
    pub(super) fn after(&self, rounds: usize) -> Swiss {
        Swiss { players: self.players.iter().map(|of| of[..rounds].to_vec()).collect() }
    }

    /// Asserts that these standings are right by these tie-breaks. Players have their numbers.
    pub(super) fn compare(
        &self,
        section: &TournamentSection,
        found: &Standings,
        ties: &[TieBreak],
        unplayed: UnplayedPolicy,
    ) -> Result<(), String> {
        let number = |id| section.player(id).unwrap().number.unwrap() as usize - 1;
        let check = |is_so: bool, message: String| if is_so { Ok(()) } else { Err(message) };
        for row in &found.rows {
            let player = number(row.player);
            let points = (row.points.in_hundredths(), self.total(player) * 50);
            check(points.0 == points.1, format!("points of {}: {points:?}", player + 1))?;
            for (tie, broken) in ties.iter().zip(&row.tie_breaks) {
                let numbers: Vec<i64> = match broken {
                    TieBreakValue::Undecided => Vec::new(),
                    TieBreakValue::Number(number) => vec![sixteenths(number)],
                    TieBreakValue::List(numbers) => numbers.iter().map(sixteenths).collect(),
                };
                let expected = self.tie(player, *tie, unplayed);
                let message = format!("{unplayed} {tie} of {}: {numbers:?}, and by the rules {expected:?}", player + 1);
                check(numbers == expected, message)?;
            }
        }
        // The order: points, then the tie-breaks one after the other, then the number; equal ones share the rank.
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        let key = |player: usize| {
            let values: Vec<Vec<i64>> = ties.iter().map(|tie| self.tie(player, *tie, unplayed)).collect();
            (self.total(player), values)
        };
        order.sort_by_cached_key(|player| (Reverse(key(*player)), *player));
        let players: Vec<usize> = found.rows.iter().map(|row| number(row.player)).collect();
        check(players == order, format!("{unplayed}: the order is {players:?}, and by the rules {order:?}"))?;
        let keys: Vec<_> = order.iter().map(|player| key(*player)).collect();
        for (at, row) in found.rows.iter().enumerate() {
            let better = keys.iter().filter(|other| **other > keys[at]).count();
            check(row.rank == better + 1, format!("{unplayed}: rank {} of {}", row.rank, order[at] + 1))?;
        }
        Ok(())
    }

    fn to_csv(&self) -> String {
        let mut text = "Round;White-number;White;Black-number;Black;Result;Reason\n".to_owned();
        for (player, rounds) in self.players.iter().enumerate() {
            for (round, of) in rounds.iter().enumerate() {
                let (number, round) = (player + 1, round + 1);
                let meets = |opponent: usize, result: String, reason: &str| {
                    let other = opponent + 1;
                    // One of the two writes the game.
                    if player < opponent {
                        format!("{round};{number};P{number};{other};P{other};{result};{reason}\n")
                    } else {
                        String::new()
                    }
                };
                text += &match *of {
                    Game(opponent, own) => {
                        let Game(_, others) = self.players[opponent][round - 1] else {
                            unreachable!("a game has two sides")
                        };
                        meets(opponent, format!("{}-{}", own / 2, others / 2), "played")
                    }
                    Won(opponent) => meets(opponent, "2-0".to_owned(), "forfeit"),
                    Lost(opponent) => {
                        let has_won = matches!(self.players[opponent][round - 1], Won(_));
                        meets(opponent, if has_won { "0-2" } else { "0-0" }.to_owned(), "forfeit")
                    }
                    Bye => format!("{round};{number};P{number};;;2;bye\n"),
                    HalfBye => format!("{round};{number};P{number};;;1;half bye\n"),
                    Absent => format!("{round};{number};P{number};;;0;absent\n"),
                };
            }
        }
        text
    }
}

/// Returns any Swiss: each round pairs a shuffle of the players.
fn swiss() -> impl Strategy<Value = Swiss> {
    (2..12usize, 1..9usize).prop_flat_map(|(players, rounds)| {
        let order = Just((0..players).collect::<Vec<_>>()).prop_shuffle();
        let round = (order, prop::collection::vec(0..20u8, players));
        prop::collection::vec(round, rounds).prop_map(move |rounds| {
            let mut swiss = Swiss { players: vec![Vec::new(); players] };
            for (order, chance) in rounds {
                let mut of_round = vec![Absent; players];
                for (pair, chance) in order.chunks(2).zip(&chance) {
                    let &[one, other] = pair else {
                        of_round[pair[0]] = [Bye, HalfBye, Absent][usize::from(*chance) % 3];
                        continue;
                    };
                    (of_round[one], of_round[other]) = match chance {
                        0..6 => (Game(other, WIN), Game(one, 0)),
                        6..11 => (Game(other, DRAW), Game(one, DRAW)),
                        11..15 => (Game(other, 0), Game(one, WIN)),
                        15 => (Won(other), Lost(one)),
                        16 => (Lost(other), Lost(one)),
                        17 => (Game(other, 0), Game(one, 0)),
                        18 => (HalfBye, Absent),
                        _ => (Absent, Absent),
                    };
                }
                for (player, round) in of_round.into_iter().enumerate() {
                    swiss.players[player].push(round);
                }
            }
            swiss
        })
    })
}

fn sixteenths(number: &Fraction) -> i64 {
    let scaled = number.numerator * 16;
    assert_eq!(scaled % number.denominator, 0, "{number}");
    scaled / number.denominator
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn standings_follow_rules(swiss in swiss()) {
        let merged = import_over(&Tournament::default(), swiss.to_csv().as_bytes()).unwrap();
        let section = &merged.tournament.sections[0];
        let rounds = swiss.players[0].len() as u32;
        for unplayed in UnplayedPolicy::ALL {
            let ties: Vec<TieBreak> = TieBreak::ALL.into_iter().filter(|tie| *tie != TieBreak::DirectEncounter).collect();
            let found = standings(section, rounds, &ties, unplayed);
            if let Err(difference) = swiss.compare(section, &found, &ties, unplayed) {
                prop_assert!(false, "{difference}");
            }
        }
    }

    #[test]
    fn direct_decides_only_if_all_tied_players_have_met(swiss in swiss()) {
        let merged = import_over(&Tournament::default(), swiss.to_csv().as_bytes()).unwrap();
        let section = &merged.tournament.sections[0];
        let found = standings(section, swiss.players[0].len() as u32, &[TieBreak::DirectEncounter], UnplayedPolicy::Fmjd);
        for row in &found.rows {
            let player = section.player(row.player).unwrap().number.unwrap() as usize - 1;
            let equal: Vec<usize> =
                (0..swiss.players.len()).filter(|other| swiss.total(*other) == swiss.total(player)).collect();
            let between = |of: usize| -> Option<i64> {
                let games = |other: usize| swiss.players[of].iter().filter_map(move |round| match round {
                    Game(opponent, points) if *opponent == other => Some(*points),
                    _ => None,
                });
                let others = equal.iter().filter(|other| **other != of);
                others.map(|other| games(*other).next().map(|_| games(*other).sum::<i64>())).sum()
            };
            let scores: Option<Vec<i64>> = equal.iter().map(|of| between(*of)).collect();
            let decides = scores.filter(|scores| scores.iter().any(|score| *score != scores[0]));
            let expected = decides.and_then(|_| between(player));
            let number = match &row.tie_breaks[0] {
                TieBreakValue::Number(number) => Some(sixteenths(number) / 8),
                _ => None,
            };
            prop_assert_eq!(number, expected);
        }
    }
}
