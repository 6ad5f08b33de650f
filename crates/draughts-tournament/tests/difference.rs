//! The difference of two tournaments turns one into the other, also through JSON.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{Event, Tournament, difference, merge, read};
use proptest::prelude::*;

const RESULTS: [&str; 6] = ["*", "2-0", "1-1", "0-2", "1+-1-", ""];

/// Generates a file with two rounds of up to eight players: pairings, results, and absent players.
fn file() -> impl Strategy<Value = String> {
    let order = Just((0..8).collect::<Vec<u8>>()).prop_shuffle();
    let round = (order, prop::collection::vec(0..RESULTS.len(), 4), 0..3_usize);
    prop::collection::vec(round, 1..3).prop_map(|rounds| {
        let mut text = String::from("Round;Board;White;Black;Result;Reason\n");
        for ((players, results, missing), round) in rounds.into_iter().zip(1..) {
            for (board, (pair, result)) in players.chunks(2).zip(results).enumerate().skip(missing) {
                let (white, black, result) = (pair[0], pair[1], RESULTS[result]);
                text += &match result {
                    "" => format!("{round};;Player {white};;;bye\n"),
                    result => format!("{round};{};Player {white};Player {black};{result};\n", board + 1),
                };
            }
        }
        text
    })
}

fn with_file(tournament: &Tournament, file: &str) -> Option<Tournament> {
    Some(merge(tournament, None, &read(file.as_bytes(), None, "").ok()?).ok()?.tournament)
}

/// Generates the merges of two files, the second only if it fits.
fn pair() -> impl Strategy<Value = (Tournament, Tournament)> {
    (file(), file(), any::<bool>()).prop_filter_map("the files contradict each other", |(first, second, over)| {
        let before = with_file(&Tournament::default(), &first)?;
        let after = if over { with_file(&before, &second)? } else { before.clone() };
        Some(if over { (before, after) } else { (Tournament::default(), after) })
    })
}

/// The players of a team meet several teams in the second round, so the teams are clubs.
#[test]
fn clubs_taken_for_teams_play_no_matches() {
    let first = "Round;Board;White;Team White;Black;Team Black\n1;1;Ann;A;Bob;B\n1;2;Cor;A;Dirk;B\n1;3;Eva;C;Fay;D\n";
    let second = "Round;Board;White;Black\n2;1;Ann;Eva\n2;2;Bob;Cor\n2;3;Fay;Dirk\n";
    let before = with_file(&Tournament::default(), first).unwrap();
    assert!(!before.sections[0].matches.is_empty());
    let after = with_file(&before, second).unwrap();
    assert!(after.sections[0].matches.is_empty());
    let mut made = before.clone();
    for event in difference(&before, &after) {
        assert_eq!(made.apply(&event), Ok(true));
    }
    assert_eq!(made, after);
}

proptest! {
    #[test]
    fn difference_makes_one_tournament_of_the_other((before, after) in pair()) {
        let events = difference(&before, &after);
        let text = serde_json::to_string(&events).unwrap();
        let read: Vec<Event> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &events);
        let mut made = before;
        for event in &read {
            prop_assert_eq!(made.apply(event), Ok(true));
        }
        prop_assert_eq!(&made, &after);
        prop_assert_eq!(difference(&after, &after), []);
    }
}
