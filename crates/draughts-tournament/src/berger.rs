//! Round robins by the Berger tables.
//!
//! Sources: FIDE Handbook C.05, annex 1; Johann Berger, Schach-Jahrbuch 1893.

use crate::value::numbered::next_number;
use crate::{Bye, ByeKind, Id, Pairing, Tournament};

/// Pairs a round robin of all players of a section, in the order of their numbers.
///
/// # Errors
///
/// Returns a message if the section is unknown, has pairings already, or has fewer than two or more than 100 players.
pub fn pair_round_robin(tournament: &Tournament, name: &str, is_double: bool) -> Result<Tournament, String> {
    let mut tournament = tournament.clone();
    let mut next = next_number(&tournament, |section| &section.pairings);
    let mut next_bye = next_number(&tournament, |section| &section.byes);
    let section = tournament.sections.iter_mut().find(|section| section.name == name);
    let section = section.ok_or_else(|| format!("there is no section {name}"))?;
    if section.last_round() > 0 {
        return Err(format!("section {name} has pairings already: a round robin begins without any"));
    }
    let mut players: Vec<(Option<u32>, Id)> = section.players.iter().map(|player| (player.number, player.id)).collect();
    players.sort_by_key(|(number, id)| (number.unwrap_or(u32::MAX), *id));
    let count = players.len() as u32;
    if !(2..=MOST_PLAYERS).contains(&count) {
        return Err(format!("section {name} has {count} players; a round robin has 2 to {MOST_PLAYERS}"));
    }
    let player = |place: u32| players.get(place as usize - 1).map(|(_, id)| *id);
    let rounds = round_robin(count, is_double);
    section.planned = Some(rounds.len() as u32);
    for (pairs, round) in rounds.into_iter().zip(1..) {
        let mut board = 0;
        for (white, black) in pairs {
            match (player(white), player(black)) {
                (Some(white), Some(black)) => {
                    board += 1;
                    let (white, black, board) = (Some(white), Some(black), Some(board));
                    section.pairings.push(Pairing { id: Id(next), round, board, white, black, ..Pairing::default() });
                    next += 1;
                }
                // No partner: the other player has no opponent.
                (one, other) => {
                    let points = section.scoring.absence;
                    for player in one.into_iter().chain(other) {
                        section.byes.push(Bye { id: Id(next_bye), round, player, kind: ByeKind::Absent, points });
                        next_bye += 1;
                    }
                }
            }
        }
    }
    Ok(tournament)
}

/// Maximum number of players; a round robin of more is a mistake.
const MOST_PLAYERS: u32 = 100;

/// Returns the pairings of a round robin: for each round pairs of places from 1, White first. With an odd number of players, the place
/// after the last one is a bye. In a double round robin the second half has the colours exchanged.
///
/// # Examples
///
/// ```
/// let rounds = draughts_tournament::round_robin(4, false);
/// assert_eq!(rounds[0], [(1, 4), (2, 3)]);
/// assert_eq!(rounds[1], [(4, 3), (1, 2)]);
/// assert_eq!(rounds[2], [(2, 4), (3, 1)]);
/// ```
pub fn round_robin(players: u32, is_double: bool) -> Vec<Vec<(u32, u32)>> {
    let even = players.max(2).next_multiple_of(2);
    let circle = even - 1;
    let mut rounds = Vec::with_capacity(circle as usize * if is_double { 2 } else { 1 });
    for round in 0..circle {
        // The places rotate by half a circle each round; the last place is fixed and alternates its colour.
        let start = round * (even / 2) % circle;
        let place = |steps: u32| (start + steps) % circle + 1;
        let back = |steps: u32| (start + circle - steps) % circle + 1;
        let first = if round % 2 == 0 { (place(0), even) } else { (even, place(0)) };
        let others = (1..even / 2).map(|steps| (place(steps), back(steps)));
        rounds.push(std::iter::once(first).chain(others).collect());
    }
    if is_double {
        let again: Vec<Vec<(u32, u32)>> = rounds
            .iter()
            .map(|round: &Vec<(u32, u32)>| round.iter().map(|&(white, black)| (black, white)).collect())
            .collect();
        rounds.extend(again);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn table_of_six_matches_handbook() {
        let expected = [
            [(1, 6), (2, 5), (3, 4)],
            [(6, 4), (5, 3), (1, 2)],
            [(2, 6), (3, 1), (4, 5)],
            [(6, 5), (1, 4), (2, 3)],
            [(3, 6), (4, 2), (5, 1)],
        ];
        assert_eq!(round_robin(6, false), expected);
        assert_eq!(round_robin(5, false), expected);
    }

    #[test]
    fn all_meet_once_with_balanced_colours() {
        for players in 2..=40 {
            let rounds = round_robin(players, false);
            let even = players.next_multiple_of(2);
            let pairs: BTreeSet<(u32, u32)> =
                rounds.iter().flatten().map(|&(white, black)| (white.min(black), white.max(black))).collect();
            assert_eq!(pairs.len() as u32, even * (even - 1) / 2);
            for player in 1..=players {
                let whites = rounds.iter().flatten().filter(|(white, _)| *white == player).count() as i64;
                let blacks = rounds.iter().flatten().filter(|(_, black)| *black == player).count() as i64;
                assert_eq!(whites + blacks, i64::from(even) - 1);
                assert!((whites - blacks).abs() == 1, "{players}: {player} has {whites} and {blacks}");
            }
            let double = round_robin(players, true);
            for player in 1..=players {
                let whites = double.iter().flatten().filter(|(white, _)| *white == player).count();
                assert_eq!(whites as u32, even - 1);
            }
        }
    }
}
