//! The recogniser's times and limits, with the reason of each.

use crate::millis::Millis;

/// How long the recogniser waits, and for what. All spans in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How long the board must be quiet before it is believed: more than one scan of 200 to 250 ms.
    pub settle_ms: u64,
    /// A complete move that nobody has pressed for, with a clock that shows the lever.
    pub unpressed_ms: u64,
    /// A complete move on a board without a clock.
    pub no_clock_ms: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { settle_ms: 300, unpressed_ms: 8_000, no_clock_ms: 3_000 }
    }
}

impl Settings {
    /// The names of all settings, as in the configuration.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        ["settle-ms", "unpressed-ms", "no-clock-ms"].into_iter()
    }

    /// Sets one of [`Settings::keys`].
    ///
    /// # Errors
    ///
    /// What is expected, when the value does not fit.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        const LONGEST: Millis = Millis::seconds(600);
        let expected = "a whole number of milliseconds from 50 to 600000";
        let span: u64 = value.parse().map_err(|_| expected)?;
        if !(50..=LONGEST.0).contains(&span) {
            return Err(expected);
        }
        match key {
            "settle-ms" => self.settle_ms = span,
            "unpressed-ms" => self.unpressed_ms = span,
            "no-clock-ms" => self.no_clock_ms = span,
            _ => {}
        }
        Ok(())
    }
}
