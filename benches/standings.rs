//! Measures standings: 500 players, 11 rounds, each list of tie-breaks, each policy for unplayed games.
//!
//! ```text
//! cargo bench --bench standings
//! ```
//!
//! The minimum of several rounds counts, so that other load does not. The limit is [`MAX_TIME`].

use std::time::{Duration, Instant};

use damcast::tournament::{TieBreak, Tournament, UnplayedPolicy, merge, read, standings};

/// Maximum time to compute the standings.
const MAX_TIME: Duration = Duration::from_millis(5);
const PLAYERS: u32 = 500;
const ROUNDS: u32 = 11;

fn main() {
    let mut text = "Round;White-number;White;Black-number;Black;Result;ResultReason\n".to_owned();
    for round in 1..=ROUNDS {
        for board in 0..PLAYERS / 2 {
            // Each round shifts the lower half by 7 places.
            let white = board + 1;
            let black = PLAYERS / 2 + (board + round * 7) % (PLAYERS / 2) + 1;
            let (result, reason) = match (board * 7 + round * 13) % 11 {
                0..4 => ("2-0", ""),
                4..8 => ("1-1", ""),
                8..10 => ("0-2", ""),
                _ => ("2-0", "forfeit"),
            };
            text += &format!("{round};{white};P{white};{black};P{black};{result};{reason}\n");
        }
    }
    let sheet = read(text.as_bytes(), None, "").unwrap_or_else(|problems| panic!("{problems:?}"));
    let merged = merge(&Tournament::default(), None, &sheet).unwrap_or_else(|problems| panic!("{problems:?}"));
    let section = &merged.tournament.sections[0];
    for unplayed in UnplayedPolicy::ALL {
        let least = (0..10).map(|_| {
            let start = Instant::now();
            let rows = standings(section, ROUNDS, &TieBreak::ALL, unplayed).rows;
            assert_eq!(rows.len(), PLAYERS as usize);
            start.elapsed()
        });
        let least = least.min().unwrap_or_default();
        let verdict = if least <= MAX_TIME { "" } else { "  TOO SLOW" };
        println!("{unplayed:<12} {least:>10.2?}{verdict}");
    }
}
