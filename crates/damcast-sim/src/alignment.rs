//! Aligns played and published plies: pairs entries that match and classifies the rest.
//!
//! ```text
//!   played      32-28   19-23   (28-22 pressed, and taken back)   28x19   illegal, stood   20-25
//!   published   32-28     -      28-22   setup of the position before   28x19   setup      20-25
//!                       missing   └─────── not false, not needless ──────┘        right
//! ```
//!
//! The alignment is the longest common subsequence. An unmatched entry of the file is a false ply or a needless setup, or counts as an
//! entry after the end of the game.

use super::game_score::{Difference, Score};

/// Entry that the file must or may contain.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Ply: its index in the script, its text.
    Ply(usize, String),
    /// Ply that was pressed and taken back: the file may contain it.
    TakenBack(usize, String),
    /// Setup that must follow. Always after a [`Expected::TakenBack`].
    Restored(usize, String),
    /// Setup of an earlier position to which the arbiter went back: the file may contain it.
    Corrected(usize, String),
    /// Illegal ply that stood: the setup of the position after it.
    Illegal(usize, String),
}

impl Expected {
    /// Index of the ply in the script.
    pub fn ply(&self) -> usize {
        let (Expected::Ply(ply, _)
        | Expected::TakenBack(ply, _)
        | Expected::Restored(ply, _)
        | Expected::Corrected(ply, _)
        | Expected::Illegal(ply, _)) = self;
        *ply
    }

    fn text(&self) -> &str {
        let (Expected::Ply(_, text)
        | Expected::TakenBack(_, text)
        | Expected::Restored(_, text)
        | Expected::Corrected(_, text)
        | Expected::Illegal(_, text)) = self;
        text
    }

    /// Weight of a match: required entries outweigh optional ones.
    fn weight(&self, entry: &str) -> u32 {
        match self {
            _ if self.text() != entry => 0,
            Expected::Ply(..) | Expected::Illegal(..) => 10,
            Expected::TakenBack(..) | Expected::Restored(..) | Expected::Corrected(..) => 5,
        }
    }
}

/// Entry of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Published {
    /// Time at which the entry was written.
    pub at_ms: u64,
    /// Time since which the entry had been announced as provisional.
    pub announced_ms: Option<u64>,
    /// Text without number and comment.
    pub entry: String,
}

/// Compares the expected with the published entries and counts. `over`: time at which the game ended.
pub fn compare(
    expected: &[Expected],
    published: &[Published],
    over: u64,
    complete: impl Fn(usize) -> Option<u64>,
) -> Score {
    let matches = align(expected, published);
    let mut score = Score { games: 1, ..Score::default() };
    let is_matched = |row: usize| matches.iter().any(|&(matched, _)| matched == row);
    for (row, expected_entry) in expected.iter().enumerate() {
        let found = is_matched(row);
        let missing = |score: &mut Score, what: &str| {
            let what = format!("{what} {} missing", expected_entry.text());
            score.differences.push(Difference { ply: Some(expected_entry.ply()), at_ms: None, description: what });
        };
        match expected_entry {
            Expected::Ply(..) => {
                score.plies += 1;
                score.recalled += usize::from(found);
                if !found {
                    missing(&mut score, "ply");
                }
            }
            Expected::Illegal(..) => {
                score.illegal += 1;
                score.illegal_right += usize::from(found);
                if !found {
                    missing(&mut score, "illegal move's setup");
                }
            }
            Expected::TakenBack(..) => {
                score.taken_back += 1;
                let next_is_there = expected.len() <= row + 2 || is_matched(row + 2);
                let is_right = is_matched(row + 1) == found && next_is_there;
                score.taken_back_right += usize::from(is_right);
            }
            // A setup for a move that was not published is needless.
            Expected::Restored(_, text) if found && !is_matched(row - 1) => {
                score.needless_setups += 1;
                let what = format!("setup {text} though the move it takes back was not published");
                score.differences.push(Difference { ply: Some(expected_entry.ply()), at_ms: None, description: what });
            }
            Expected::Restored(..) | Expected::Corrected(..) => {}
        }
    }
    for &(row, column) in &matches {
        if let Expected::Ply(ply, _) = expected[row] {
            let Published { at_ms, announced_ms, .. } = published[column];
            let Some(done) = complete(ply) else { continue };
            score.delays.push(at_ms as i64 - done as i64);
            score.provisional_delays.push(announced_ms.unwrap_or(at_ms) as i64 - done as i64);
        }
    }
    let mut after_end = Vec::new();
    for (column, Published { at_ms: at, entry, .. }) in published.iter().enumerate() {
        if matches.iter().any(|&(_, matched)| matched == column) {
            continue;
        }
        let count = if *at > over {
            let what = format!("after the end {entry}");
            after_end.push(Difference { ply: None, at_ms: Some(*at), description: what });
            continue;
        } else if entry.starts_with('/') {
            &mut score.needless_setups
        } else {
            &mut score.false_plies
        };
        *count += 1;
        let kind = if entry.starts_with('/') { "needless setup" } else { "false ply" };
        score.differences.push(Difference { ply: None, at_ms: Some(*at), description: format!("{kind} {entry}") });
    }
    score.perfect = usize::from(score.differences.is_empty());
    score.after_end = after_end.len();
    score.differences.append(&mut after_end);
    score
}

/// Returns the rows and columns matched by the weighted longest common subsequence.
fn align(expected: &[Expected], published: &[Published]) -> Vec<(usize, usize)> {
    let (rows, columns) = (expected.len(), published.len());
    let mut best = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let both = match expected[row].weight(&published[column].entry) {
                0 => 0,
                weight => weight + best[row + 1][column + 1],
            };
            best[row][column] = both.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < rows && column < columns {
        let weight = expected[row].weight(&published[column].entry);
        if weight > 0 && best[row][column] == weight + best[row + 1][column + 1] {
            pairs.push((row, column));
            row += 1;
            column += 1;
        } else if best[row][column] == best[row + 1][column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(entries: &[&str]) -> Vec<Published> {
        let published = |(index, entry): (usize, &&str)| Published {
            at_ms: 1000 * index as u64,
            announced_ms: None,
            entry: (*entry).to_owned(),
        };
        entries.iter().enumerate().map(published).collect()
    }

    fn ply(index: usize, text: &str) -> Expected {
        Expected::Ply(index, text.to_owned())
    }

    fn check(expected: &[Expected], entries: &[&str], over: u64) -> Score {
        compare(expected, &published(entries), over, |ply| Some(1000 * ply as u64))
    }

    #[test]
    fn extra_ply_is_false_and_lost_ply_is_missing() {
        let expected = [ply(0, "32-28"), ply(1, "19-23"), ply(2, "28x19")];
        let score = check(&expected, &["32-28", "17-22", "28x19"], u64::MAX);
        assert_eq!((score.plies, score.recalled, score.false_plies, score.perfect), (3, 2, 1, 0));
        assert_eq!(score.delays, [0, 0]);
    }

    #[test]
    fn entries_after_end_are_no_false_plies() {
        let score = check(&[ply(0, "32-28")], &["32-28", "19-23"], 500);
        assert_eq!((score.after_end, score.false_plies, score.perfect), (1, 0, 1));
    }

    #[test]
    fn retracted_move_may_appear_with_setup_or_not_at_all() {
        let expected = [
            Expected::TakenBack(0, "31-27".to_owned()),
            Expected::Restored(0, "/before/".to_owned()),
            ply(0, "32-28"),
            ply(1, "19-23"),
        ];
        for (entries, right, needless, false_plies) in [
            (&["31-27", "/before/", "32-28", "19-23"][..], 1, 0, 0),
            (&["32-28", "19-23"], 1, 0, 0),
            (&["/before/", "32-28", "19-23"], 0, 1, 0),
            (&["31-27", "/other/", "19-23"], 0, 1, 0),
        ] {
            let score = check(&expected, entries, u64::MAX);
            assert_eq!(
                (score.taken_back_right, score.needless_setups, score.false_plies),
                (right, needless, false_plies),
                "{entries:?}"
            );
        }
    }
}
