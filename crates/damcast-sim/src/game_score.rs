//! Score of a recording against the truth, of one game or summed over games.

use std::collections::BTreeMap;
use std::fmt;

use hardware_sim::faults::Fault;

/// Difference between a recording and the truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Ply of the script, if known.
    pub ply: Option<usize>,
    /// Time of publication, if published.
    pub at_ms: Option<u64>,
    /// Description of the difference.
    pub description: String,
}

/// Results summed over games.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Games played.
    pub games: usize,
    /// Plies played.
    pub plies: usize,
    /// Plies recorded.
    pub recalled: usize,
    /// Plies published but not played.
    pub false_plies: usize,
    /// Setups published without need.
    pub needless_setups: usize,
    /// Illegal moves that stood.
    pub illegal: usize,
    /// Illegal moves followed by the right setup.
    pub illegal_right: usize,
    /// Moves taken back after the press.
    pub taken_back: usize,
    /// Take-backs recorded correctly: published, set back, and the new move; or the new move alone.
    pub taken_back_right: usize,
    /// Entries published after the game was over.
    pub after_end: usize,
    /// Games recorded without any difference, up to their end.
    pub perfect: usize,
    /// Milliseconds from the completion of each ply to its publication; negative if published earlier.
    pub delays: Vec<i64>,
    /// Milliseconds from the completion of each ply to its announcement as provisional, or to its publication without one.
    pub provisional_delays: Vec<i64>,
    /// Plies announced as provisional and then published.
    pub announced_published: usize,
    /// Plies announced as provisional and withdrawn.
    pub announced_withdrawn: usize,
    /// Differences of one game. Empty in a sum.
    pub differences: Vec<Difference>,
    /// Descriptions of games that were not perfect or continued after their end.
    pub imperfect_games: Vec<String>,
    /// Faults that struck shortly before differences.
    pub suspects: BTreeMap<Fault, usize>,
}

impl Score {
    /// Adds the score of other games.
    pub fn add(&mut self, other: Score) {
        self.games += other.games;
        self.plies += other.plies;
        self.recalled += other.recalled;
        self.false_plies += other.false_plies;
        self.needless_setups += other.needless_setups;
        self.illegal += other.illegal;
        self.illegal_right += other.illegal_right;
        self.taken_back += other.taken_back;
        self.taken_back_right += other.taken_back_right;
        self.after_end += other.after_end;
        self.perfect += other.perfect;
        self.delays.extend(other.delays);
        self.provisional_delays.extend(other.provisional_delays);
        self.announced_published += other.announced_published;
        self.announced_withdrawn += other.announced_withdrawn;
        self.imperfect_games.extend(other.imperfect_games);
        for (fault, count) in other.suspects {
            *self.suspects.entry(fault).or_default() += count;
        }
    }

    /// Returns the delay quantile, in milliseconds; `share` is 0..=1.
    pub fn delay(&self, share: f64) -> i64 {
        quantile(&self.delays, share)
    }

    /// Returns the delay quantile of the provisional plies, in milliseconds.
    pub fn provisional_delay(&self, share: f64) -> i64 {
        quantile(&self.provisional_delays, share)
    }

    /// Returns the share of recorded plies, in percent.
    pub fn recall(&self) -> f64 {
        percent(self.recalled, self.plies)
    }

    /// Returns a count per 100,000 plies played.
    pub fn per_100k(&self, count: usize) -> f64 {
        100_000.0 * count as f64 / self.plies.max(1) as f64
    }
}

/// Returns the bounds of a share that was counted as `part` of `whole`, with 95 % confidence (Wilson's score interval), as 0 to 1.
pub fn bounds(part: usize, whole: usize) -> (f64, f64) {
    /// Quantile of the normal distribution for 95 %.
    const Z: f64 = 1.959_964;
    if whole == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (whole as f64, part.min(whole) as f64 / whole as f64);
    let centre = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

fn quantile(delays: &[i64], share: f64) -> i64 {
    let mut delays = delays.to_vec();
    delays.sort_unstable();
    let index = (delays.len() as f64 * share) as usize;
    delays.get(index.min(delays.len().saturating_sub(1))).copied().unwrap_or(0)
}

/// Returns a share in percent; 100 if `whole` is 0.
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games, {} plies: recall {:.3} %, false {} ({:.1}/100k), needless setups {} ({:.1}/100k), illegal right {}/{}, \
             taken back right {}/{}, after end {}, perfect {}, delay p50 {:.2} p95 {:.2} p99 {:.2} s",
            self.games,
            self.plies,
            self.recall(),
            self.false_plies,
            self.per_100k(self.false_plies),
            self.needless_setups,
            self.per_100k(self.needless_setups),
            self.illegal_right,
            self.illegal,
            self.taken_back_right,
            self.taken_back,
            self.after_end,
            self.perfect,
            self.delay(0.50) as f64 / 1000.0,
            self.delay(0.95) as f64 / 1000.0,
            self.delay(0.99) as f64 / 1000.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_wilson() {
        let rounded = |part, whole| {
            let (low, high) = bounds(part, whole);
            [(1e4 * low).round(), (1e4 * high).round()]
        };
        // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        assert_eq!(rounded(81, 263), [2553.0, 3662.0]);
        assert_eq!(rounded(15, 148), [624.0, 1605.0]);
        assert_eq!(rounded(0, 20), [0.0, 1611.0]);
        assert_eq!(rounded(1, 29), [61.0, 1718.0]);
        assert_eq!(rounded(20, 20), [8389.0, 10_000.0]);
        assert_eq!(bounds(0, 0), (0.0, 1.0));
    }
}
