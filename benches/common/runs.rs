//! Times of several runs of a program, and their ratios to those of another one.

/// Times in each run of a program, in microseconds.
#[derive(Default)]
pub struct Runs(Vec<Vec<f64>>);

impl Runs {
    /// Adds the times of a run.
    pub fn push(&mut self, run: Vec<f64>) {
        self.0.push(run);
    }

    /// Returns the number of times in all runs.
    pub fn count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Returns the time within which this share of all presses was seen.
    pub fn at(&self, share: f64) -> f64 {
        time_at(&self.0.concat(), share)
    }

    /// Prints the ratios to the times of another program, each with its least and its largest value in one run.
    pub fn print_ratios(&self, name: &str, other: &Runs) {
        for (label, share) in [("p50", 0.5), ("p99", 0.99)] {
            let (ours, theirs) = (self.at(share), other.at(share));
            let ratios = self.0.iter().zip(&other.0).map(|(one, other)| time_at(one, share) / time_at(other, share));
            let (least, most) =
                ratios.fold((f64::INFINITY, 0.0_f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
            println!("{name}, {label}: {ours:.1} / {theirs:.1} us = {:.2} ({least:.2} to {most:.2})", ours / theirs);
        }
    }
}

/// Returns the time that a share of these times do not exceed.
fn time_at(times: &[f64], share: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get((times.len().saturating_sub(1) as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
