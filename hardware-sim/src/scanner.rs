//! The scanner: how a board comes to know what stands on it.
//!
//! The board looks at its fields one by one, all of them once per cycle of 200 to 250 ms. It tells of a field when the sample
//! differs from what it saw there before. So a moved piece may appear on its new field before its old one is seen empty, a
//! quick touch may be missed, and the order of two changes inside one cycle is the scan's order and not the hand's.
//!
//! ```text
//! cycle   |0 1 2 3 ... 99|0 1 2 3 ... 99|         field f is sampled at phase + k * period + f * period / fields
//! ```
//!
//! Only fields that changed since their last look are kept in the agenda: a board where nothing happens costs nothing.

use crate::random::Rng;

/// What stands on a field, as its sensor feels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SensorState {
    /// Piece code; 0 when nothing stands here.
    pub code: u8,
    /// A badly placed piece: this share of the scans (in percent) finds the field empty ...
    pub flicker_percent: u8,
    /// ... until this time, in milliseconds; from then on the piece stands well.
    pub flicker_until_ms: u64,
}

impl SensorState {
    /// A piece that stands well (code 0: an empty field).
    pub fn steady(code: u8) -> SensorState {
        SensorState { code, ..SensorState::default() }
    }
}

/// Which fields the board looks at; boards keep this setting in their memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScanMode {
    /// All fields (0x54).
    #[default]
    All,
    /// The dark ones only (0x51).
    Dark,
    /// The light ones only (0x53).
    Light,
}

/// The sensors of a board in their own numbering, and what the board believes.
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
    /// An empty board of `rows` by `cols` fields. The first cycle starts at `phase_us`.
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

    /// Puts something on a field, or takes it away; the scanner will see it when it next comes by.
    pub fn set(&mut self, now_us: u64, sensor: usize, contact: SensorState) {
        if let Some(place) = self.sensor_states.get_mut(sensor) {
            *place = contact;
            self.watch(now_us, sensor);
        }
    }

    /// What stands there, whether the board has seen it or not.
    pub fn sensor_state(&self, sensor: usize) -> SensorState {
        self.sensor_states.get(sensor).copied().unwrap_or_default()
    }

    /// What the board believes, field by field; fields outside the scan mode read empty.
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    /// Chooses which fields are looked at. The image follows with the next cycle.
    pub fn set_mode(&mut self, now_us: u64, mode: ScanMode) {
        if self.mode != mode {
            self.mode = mode;
            (0..self.sensor_states.len()).for_each(|sensor| self.watch(now_us, sensor));
        }
    }

    /// Which fields are looked at.
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

    /// Dark squares: the lower left corner of a board is dark, on either way round (for boards with an even number of rows
    /// and columns).
    pub fn is_dark(&self, sensor: usize) -> bool {
        (sensor / self.cols + sensor % self.cols) % 2 == 1
    }

    /// When the next look that can matter happens.
    pub fn next_time(&self) -> Option<u64> {
        self.due.iter().map(|(time, _)| *time).min()
    }

    /// Takes the next look that is due by `now_us`: `None` when none is due, otherwise whether the board noticed a change, as (field, code).
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

    /// Reads the whole board at once without telling of anything: what a board does when it gets power.
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
        // A board that scans half of its fields comes round in half the time [a guess of the field, not in any document].
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
        // Lifted from 63 first, put on 54 a moment later: told the other way round.
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
