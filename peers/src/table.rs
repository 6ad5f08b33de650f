//! The table: ours and a peer, alternately, and the ratio of each pair.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Number of pairs of a row.
const PAIRS: usize = 9;

/// Quantity of a row.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Time of a call: the ratio is that of times.
    Time,
    /// Speed in a unit, from the amount of work: the ratio is that of speeds.
    Speed(f64, &'static str),
}

/// Limit of the ratio.
#[derive(Clone, Copy)]
pub enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// Rows measured so far.
pub struct Table {
    rows: Vec<String>,
}

impl Table {
    pub fn new() -> Table {
        Table { rows: Vec::new() }
    }

    /// Measures a row in the processor time of this thread.
    pub fn row(&mut self, name: &str, unit: Unit, limit: Limit, ours: impl FnMut(), peer: impl FnMut()) {
        self.measure(name, (unit, unit), limit, ClockId::ThreadCPUTime, ours, peer);
    }

    /// Measures a row in which the peer does another amount of work.
    pub fn row_of_two(
        &mut self,
        name: &str,
        units: (Unit, Unit),
        limit: Limit,
        ours: impl FnMut(),
        peer: impl FnMut(),
    ) {
        self.measure(name, units, limit, ClockId::ThreadCPUTime, ours, peer);
    }

    /// Measures a row on the clock of the wall, for work on several threads: it needs an idle machine.
    pub fn row_on_wall(&mut self, name: &str, unit: Unit, limit: Limit, ours: impl FnMut(), peer: impl FnMut()) {
        self.measure(name, (unit, unit), limit, ClockId::Monotonic, ours, peer);
    }

    /// Adds a row whose peer is missing.
    pub fn skip(&mut self, name: &str, limit: Limit, why: &str) {
        self.rows.push(format!("| {name} | | | skipped: {why} | {} | 0 | |", words(limit)));
    }

    fn measure(
        &mut self,
        name: &str,
        units: (Unit, Unit),
        limit: Limit,
        clock: ClockId,
        mut ours: impl FnMut(),
        mut peer: impl FnMut(),
    ) {
        // The first calls fill caches.
        ours();
        peer();
        let mut pair = || (quantity(units.0, timed(clock, &mut ours)), quantity(units.1, timed(clock, &mut peer)));
        let mut pairs: Vec<(f64, f64)> = (0..PAIRS).map(|_| pair()).collect();
        let median = |values: &mut dyn Iterator<Item = f64>| {
            let mut values: Vec<f64> = values.collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let ours = median(&mut pairs.iter().map(|pair| pair.0));
        let peer = median(&mut pairs.iter().map(|pair| pair.1));
        pairs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let ratio = |index: usize| pairs[index].0 / pairs[index].1;
        let (least, middle, most) = (ratio(0), ratio(PAIRS / 2), ratio(PAIRS - 1));
        let is_met = match limit {
            Limit::AtLeast(least) => middle >= least,
            Limit::AtMost(most) => middle <= most,
        };
        let (unit, missed) =
            (if let Unit::Speed(_, name) = units.0 { name } else { "s" }, if is_met { "" } else { ", missed" });
        self.rows.push(format!(
            "| {name} | {ours:.2} {unit} | {peer:.2} {unit} | {middle:.2} | {}{missed} | {PAIRS} | {least:.2}–{most:.2} |",
            words(limit)
        ));
        eprintln!("{name}: {middle:.2}");
    }

    pub fn print(&self) {
        println!("| measure | ours | peer | ratio | limit | n | spread |");
        println!("|---|---|---|---|---|---|---|");
        self.rows.iter().for_each(|row| println!("{row}"));
    }
}

fn words(limit: Limit) -> String {
    match limit {
        Limit::AtLeast(ratio) => format!("≥ {ratio}"),
        Limit::AtMost(ratio) => format!("≤ {ratio}"),
    }
}

fn quantity(unit: Unit, time: Duration) -> f64 {
    match unit {
        Unit::Time => time.as_secs_f64(),
        Unit::Speed(work, _) => work / time.as_secs_f64(),
    }
}

fn timed(clock: ClockId, work: &mut impl FnMut()) -> Duration {
    let now = || {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let start = now();
    work();
    now().saturating_sub(start)
}
