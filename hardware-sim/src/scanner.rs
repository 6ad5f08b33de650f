//! The scanner: detects which pieces stand on the board.
//!
//! The board samples its fields one by one, all of them once per cycle of 200 to 250 ms. It reports a field if the sample differs from the
//! previous one. So a moved piece may appear on its new field before its old one reads empty, and a quick touch may be missed. The order of
//! two changes inside one cycle is the scan's order, not the hand's.
//!
//! ```text
//! cycle   |0 1 2 3 ... 99|0 1 2 3 ... 99|         field f is sampled at phase + k * period + f * period / fields
//! ```
//!
//! Only fields changed since their last sample are queued: a board without changes costs nothing.

use crate::random::Rng;

/// State of a field, as its sensor detects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SensorState {
    /// Piece code; 0 for an empty field.
    pub code: u8,
    /// Percentage of scans that find the field empty, for a badly placed piece ...
    pub flicker_percent: u8,
    /// ... until this time, in milliseconds; after it the piece is steady.
    pub flicker_until_ms: u64,
}

impl SensorState {
    /// Creates the state of a well-placed piece (code 0: an empty field).
    pub fn steady(code: u8) -> SensorState {
        SensorState { code, ..SensorState::default() }
    }
}

/// Fields that the board scans; boards store this setting in their memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScanMode {
    /// All fields (0x54).
    #[default]
    All,
    /// Dark fields only (0x51).
    Dark,
    /// Light fields only (0x53).
    Light,
}

/// Sensors of a board in their own numbering, and the board's image.
#[derive(Debug, Clone)]
pub struct Scanner {
    cols: usize,
    period_us: u64,
    phase_us: u64,
    mode: ScanMode,
    sensor_states: Vec<SensorState>,
    image: Vec<u8>,
    due: Vec<(u64, usize)>,
}

impl Scanner {
    /// Creates an empty board of `rows` by `cols` fields. The first cycle starts at `phase_us`.
    pub fn new(rows: usize, cols: usize, period_us: u64, phase_us: u64) -> Scanner {
        let fields = rows * cols;
        Scanner {
            cols,
            period_us: period_us.max(1),
            phase_us,
            mode: ScanMode::All,
            sensor_states: vec![SensorState::default(); fields],
            image: vec![0; fields],
            due: Vec::new(),
        }
    }

    /// Sets the state of a field; the scanner detects it at its next sample.
    pub fn set(&mut self, now_us: u64, sensor: usize, contact: SensorState) {
        if let Some(place) = self.sensor_states.get_mut(sensor) {
            *place = contact;
            self.watch(now_us, sensor);
        }
    }

    /// Returns the physical state of a field, even if the board has not detected it yet.
    pub fn sensor_state(&self, sensor: usize) -> SensorState {
        self.sensor_states.get(sensor).copied().unwrap_or_default()
    }

    /// Returns the board's image, field by field; fields outside the scan mode read empty.
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    /// Sets the fields to scan. The image follows in the next cycle.
    pub fn set_mode(&mut self, now_us: u64, mode: ScanMode) {
        if self.mode != mode {
            self.mode = mode;
            (0..self.sensor_states.len()).for_each(|sensor| self.watch(now_us, sensor));
        }
    }

    /// Returns the fields to scan.
    pub fn mode(&self) -> ScanMode {
        self.mode
    }

    /// Whether the scan mode covers this field.
    pub fn covers(&self, sensor: usize) -> bool {
        match self.mode {
            ScanMode::All => true,
            ScanMode::Dark => self.is_dark(sensor),
            ScanMode::Light => !self.is_dark(sensor),
        }
    }

    /// Whether the square is dark: the lower left corner of a board is dark in either orientation, for boards with an even number of rows
    /// and columns.
    pub fn is_dark(&self, sensor: usize) -> bool {
        (sensor / self.cols + sensor % self.cols) % 2 == 1
    }

    /// Returns the time of the next sample that can matter.
    pub fn next_time(&self) -> Option<u64> {
        self.due.iter().map(|(time, _)| *time).min()
    }

    /// Takes the next sample due by `now_us`: `None` if none is due, otherwise the detected change, if any, as (field, code).
    pub fn scan_next(&mut self, now_us: u64, rng: &mut Rng) -> Option<Option<(usize, u8)>> {
        let (index, &(time, sensor)) =
            self.due.iter().enumerate().filter(|(_, (time, _))| *time <= now_us).min_by_key(|(_, look)| **look)?;
        self.due.swap_remove(index);
        let contact = self.sensor_state(sensor);
        let flickers = contact.flicker_percent > 0 && time < contact.flicker_until_ms * 1000 && contact.code != 0;
        let missed = flickers && rng.below(100) < u64::from(contact.flicker_percent);
        if flickers {
            self.watch(time + 1, sensor);
        }
        let code = if missed || !self.covers(sensor) { 0 } else { contact.code };
        let seen = self.image.get_mut(sensor)?;
        Some((*seen != code).then(|| {
            *seen = code;
            (sensor, code)
        }))
    }

    /// Reads the whole board at once without reporting changes, as a board does at power-on.
    pub fn read_all(&mut self) {
        self.image = (0..self.sensor_states.len())
            .map(|sensor| if self.covers(sensor) { self.sensor_states[sensor].code } else { 0 })
            .collect();
        self.due.retain(|(_, sensor)| self.sensor_states[*sensor].flicker_percent > 0);
    }

    fn watch(&mut self, now_us: u64, sensor: usize) {
        if self.due.iter().any(|(_, waiting)| *waiting == sensor) {
            return;
        }
        // A board that scans half of its fields needs half the time [a guess from practice, not in any document].
        let period = if self.mode == ScanMode::All { self.period_us } else { (self.period_us / 2).max(1) };
        let first = self.phase_us + sensor as u64 * period / self.sensor_states.len() as u64;
        let cycles = now_us.saturating_sub(first).div_ceil(period);
        self.due.push((first + cycles * period, sensor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(scanner: &mut Scanner, until: u64) -> Vec<(u64, usize, u8)> {
        let mut rng = Rng::new(1);
        let mut seen = Vec::new();
        while let Some(time) = scanner.next_time().filter(|time| *time <= until) {
            if let Some(Some((field, code))) = scanner.scan_next(time, &mut rng) {
                seen.push((time, field, code));
            }
        }
        seen
    }

    #[test]
    fn each_field_is_seen_once_per_cycle() {
        let mut scanner = Scanner::new(10, 10, 200_000, 0);
        scanner.set(1_000, 63, SensorState::steady(1));
        scanner.set(1_000, 0, SensorState::steady(4));
        assert_eq!(run(&mut scanner, 1_000_000), [(126_000, 63, 1), (200_000, 0, 4)]);
        assert_eq!(scanner.next_time(), None, "a quiet board costs nothing");
    }

    #[test]
    fn touch_between_two_scans_is_missed() {
        let mut scanner = Scanner::new(10, 10, 200_000, 0);
        scanner.set(130_000, 63, SensorState::steady(1));
        scanner.set(300_000, 63, SensorState::steady(0));
        assert_eq!(run(&mut scanner, 1_000_000), []);
    }

    #[test]
    fn order_within_cycle_follows_scan() {
        let mut scanner = Scanner::new(10, 10, 200_000, 0);
        scanner.set(0, 63, SensorState::steady(1));
        run(&mut scanner, 400_000);
        // Lifted from 63 first, put on 54 a moment later: reported in reverse order.
        scanner.set(401_000, 63, SensorState::steady(0));
        scanner.set(450_000, 54, SensorState::steady(1));
        assert_eq!(run(&mut scanner, 900_000), [(508_000, 54, 1), (526_000, 63, 0)]);
    }

    #[test]
    fn badly_placed_piece_blinks_until_adjusted() {
        let mut scanner = Scanner::new(10, 10, 200_000, 0);
        scanner.set(0, 5, SensorState { code: 1, flicker_percent: 50, flicker_until_ms: 20_000 });
        let seen = run(&mut scanner, 100_000_000);
        assert!(seen.len() > 20, "only {} changes", seen.len());
        assert_eq!(seen.last().map(|last| last.2), Some(1));
        assert!(seen.last().unwrap().0 < 20_500_000);
    }

    #[test]
    fn half_scan_is_twice_as_fast_and_leaves_rest_empty() {
        let mut scanner = Scanner::new(10, 10, 200_000, 0);
        scanner.set(0, 1, SensorState::steady(4));
        scanner.set(0, 2, SensorState::steady(4));
        run(&mut scanner, 200_000);
        scanner.set_mode(200_000, ScanMode::Dark);
        assert_eq!(run(&mut scanner, 400_000), [(202_000, 2, 0)]);
        assert_eq!(scanner.image()[..3], [0, 4, 0]);
    }

    #[test]
    fn ignores_scans_outside_board() {
        let mut scanner = Scanner::new(8, 8, 200_000, 0);
        scanner.set(0, 64, SensorState::steady(1));
        assert_eq!(scanner.next_time(), None);
    }
}
