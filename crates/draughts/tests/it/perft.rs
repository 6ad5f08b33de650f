//! Leaf counts of every game of the standard: published tables and the agreement of independent engines
//! (`tests/data/perft/README.md`).

use draughts::{Position, perft};

use crate::records::{Record, files, records};

/// Returns all positions, with the file that contains each.
fn positions() -> Vec<Record> {
    files("tests/data/perft").iter().flat_map(|file| records(&std::fs::read_to_string(file).unwrap())).collect()
}

/// Compares all counts of at most `max_count` leaves. Returns the number of counts and of leaves compared.
fn check_counts(max_count: u64) -> (usize, u64) {
    let (mut counts, mut leaves) = (0, 0);
    let mut wrong = Vec::new();
    for record in positions() {
        let position = record.position();
        for (depth, count) in (1..).zip(record.words("counts")) {
            let expected: u64 = count.parse().unwrap();
            if expected > max_count {
                break;
            }
            let counted = perft(&position, depth);
            if counted != expected {
                wrong.push(format!("{} depth {depth}: {counted}, not {expected}", record.require("position")));
            }
            counts += 1;
            leaves += counted;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    (counts, leaves)
}

#[test]
fn counts_of_up_to_100_000_leaves_agree() {
    let (counts, _) = check_counts(100_000);
    assert!(counts > 700, "only {counts} counts were compared");
}

/// Takes one to two minutes in release:
///
/// ```text
/// cargo test --release -p draughts --test it -- --ignored counts_of_up_to_10_million --nocapture
/// ```
#[test]
#[ignore = "minutes long, and only in release; see its comment"]
fn counts_of_up_to_10_million_leaves_agree() {
    let (counts, leaves) = check_counts(10_000_000);
    println!("{counts} counts agree, {leaves} leaves in all");
}

#[test]
fn counts_start_at_listed_position() {
    for record in positions().iter().filter(|record| record.require("position").ends_with("-start")) {
        assert_eq!(record.position(), Position::start(record.variant()), "{}", record.require("position"));
    }
}
