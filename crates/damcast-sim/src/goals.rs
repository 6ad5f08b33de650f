//! Target figures of the recorder, compared with measured ones.
//!
//! International draughts is measured on real games; the other variants may err twice as often. Rates count per 100,000 plies: one error
//! in 30,000 plies is a rate of 3.3, so a row needs many plies to be reliable.

use std::fmt;

use super::benchmark::Row;
use super::game_score::percent;
use super::score::RecorderKind;

/// Goals of one way of playing.
struct Goal {
    hands: &'static str,
    /// Minimum recall in percent.
    recall: f64,
    /// Maximum number of false plies per 100,000.
    false_plies: f64,
    /// Maximum number of needless setups per 100,000 plies.
    needless_setups: f64,
    /// Maximum delay of 95 % of the plies, in seconds.
    delay: f64,
    /// Minimum share of illegal moves with the right setup, in percent.
    illegal: f64,
    /// Maximum number of entries after the end, per 100 games.
    after_end: f64,
}

/// Minimum share of correctly recorded take-backs, in percent.
const MIN_TAKEN_BACK_PERCENT: f64 = 98.0;

#[rustfmt::skip]
const GOALS: [Goal; 6] = [
    Goal { hands: "ideal", recall: 100.0, false_plies: 0.0, needless_setups: 0.0, delay: 0.8, illegal: 98.0, after_end: 2.0 },
    Goal { hands: "calm", recall: 99.99, false_plies: 1.0, needless_setups: 5.0, delay: 1.1, illegal: 98.0, after_end: 2.0 },
    Goal { hands: "club", recall: 99.97, false_plies: 2.0, needless_setups: 10.0, delay: 1.1, illegal: 98.0, after_end: 2.0 },
    Goal { hands: "blitz", recall: 99.3, false_plies: 40.0, needless_setups: 120.0, delay: 2.0, illegal: 85.0, after_end: 2.0 },
    Goal { hands: "calm-without-clock", recall: 99.95, false_plies: 5.0, needless_setups: 20.0, delay: 3.0, illegal: 98.0, after_end: 30.0 },
    Goal { hands: "club-without-clock", recall: 99.95, false_plies: 5.0, needless_setups: 20.0, delay: 3.0, illegal: 98.0, after_end: 30.0 },
];

/// Measured figure and its goal.
#[derive(Clone, PartialEq, Debug)]
pub struct GoalResult {
    /// Variant and hands.
    pub row: String,
    /// Measured quantity.
    pub figure: &'static str,
    /// Description of the goal.
    pub goal: String,
    /// Measured value.
    pub measured: f64,
    /// Whether the goal is reached.
    pub is_reached: bool,
}

impl fmt::Display for GoalResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GoalResult { row, figure, goal, measured, is_reached } = self;
        let verdict = if *is_reached { "reached" } else { "NOT REACHED" };
        write!(f, "{row:<36} {figure:<26} {goal:>14} {measured:>10.3}  {verdict}")
    }
}

/// Compares a row with its goals; returns nothing for hands without goals, and for baselines.
pub fn lines(row: &Row) -> Vec<GoalResult> {
    let Some(goal) = GOALS.iter().find(|goal| goal.hands == row.hands && row.recorder == RecorderKind::Damcast) else {
        return Vec::new();
    };
    let score = &row.score;
    let errors = if row.variant.game_type.number() == 20 { 1.0 } else { 2.0 };
    let name = format!("{} {}", row.variant.name, row.hands);
    let line = |figure, at_least: bool, goal: f64, measured: f64| GoalResult {
        row: name.clone(),
        figure,
        goal: format!("{} {goal:.2}", if at_least { ">=" } else { "<=" }),
        measured,
        is_reached: if at_least { measured >= goal } else { measured <= goal },
    };
    let recall = 100.0 - errors * (100.0 - goal.recall);
    let after_end = 100.0 * score.after_end as f64 / score.games.max(1) as f64;
    let mut lines = vec![
        line("recall %", true, recall, score.recall()),
        line("false plies of 100,000", false, errors * goal.false_plies, score.per_100k(score.false_plies)),
        line("needless setups of 100,000", false, errors * goal.needless_setups, score.per_100k(score.needless_setups)),
        line("delay p95 s", false, goal.delay, score.delay(0.95) as f64 / 1000.0),
        line("after the end, 100 games", false, goal.after_end, after_end),
    ];
    if score.illegal > 0 {
        lines.push(line("illegal moves right %", true, goal.illegal, percent(score.illegal_right, score.illegal)));
    }
    if score.taken_back > 0 {
        lines.push(line(
            "taken back right %",
            true,
            MIN_TAKEN_BACK_PERCENT,
            percent(score.taken_back_right, score.taken_back),
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_score::Score;
    use draughts::Variant;

    fn row(variant: &str, recalled: usize) -> Row {
        let score = Score { games: 10, plies: 100_000, recalled, perfect: 10, ..Score::default() };
        let variant = Variant::from_tag(variant).unwrap();
        Row { variant, hands: "calm".to_owned(), clock: true, recorder: RecorderKind::Damcast, score }
    }

    #[test]
    fn other_variants_may_err_twice_as_often() {
        let recall = |row: &Row| lines(row)[0].is_reached;
        assert!(recall(&row("20", 99_990)) && !recall(&row("20", 99_985)));
        assert!(recall(&row("25", 99_985)) && !recall(&row("25", 99_975)));
    }

    #[test]
    fn other_recorders_and_hands_have_no_goals() {
        let peer = Row { recorder: RecorderKind::Peer(crate::baselines::BaselineRule::Naive), ..row("20", 0) };
        let other = Row { hands: "slide 0.4".to_owned(), ..row("20", 0) };
        assert!(lines(&peer).is_empty() && lines(&other).is_empty());
    }
}
