//! The recogniser's times, with the reason of each. All are spans of quiet on the board, in milliseconds.

/// How long the recogniser waits, and for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Before the board is believed at all: more than one scan of 200 to 250 ms.
    pub settle_ms: u64,
    /// Two or more complete plies without any press. Players who forgot to press go on playing, and the next press tells;
    /// players who analyse after the game while the clock runs move faster than this and never press.
    pub replied_ms: u64,
    /// A complete ply that nobody has pressed for: a hand may be resting on a legal square. Not where pieces have fallen: one
    /// in twenty knocks leaves a piece beside its square for 4 to 15 s, which may look like a legal ply.
    pub unpressed_ms: u64,
    /// The same when an earlier press is missing, so that this ply cannot show one.
    pub out_of_step_ms: u64,
    /// A complete ply on a board without a clock: players waver up to 2.5 s with a man on another legal square. Who has taken
    /// captured pieces off wavers less, and who takes up another piece has let go of this one.
    pub no_clock_ms: u64,
    /// A complete ply and its reply on a board without a clock.
    pub no_clock_answered_ms: u64,
    /// A pressed ply whose captured pieces are not all off.
    pub leftover_ms: u64,
    /// A pressed ply with one square wrong.
    pub mismatch_ms: u64,
    /// Two first plies that explain the board about as well.
    pub ambiguous_ms: u64,
    /// After the clock stopped, for the ply that was complete before.
    pub stopped_ms: u64,
    /// An unexplained position after a press, before it becomes a setup. Fallen pieces stand again after 7 to 20 s, the first
    /// of them well before that.
    pub unexplained_ms: u64,
    /// An unexplained position without any press.
    pub unexplained_unpressed_ms: u64,
    /// An unexplained position on a board without a clock. If play goes on from it, two legal plies will show that much
    /// sooner; if not, it is analysis, which never ends in a position of the game.
    pub unexplained_no_clock_ms: u64,
    /// A board in chaos: pieces knocked over, or set up anew. Without a clock also a ply of a piece that was put back among
    /// others: fallen pieces stand again after 10 to 20 s, and what was put up wrongly is seen 4 to 15 s later.
    pub chaos_ms: u64,
    /// How much longer to wait when the board does not answer the request for a dump.
    pub unconfirmed_ms: u64,
}

/// How fast a game is played. The times of [`Settings::default`] are those of a standard game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// A quarter of an hour a player, or more.
    #[default]
    Standard,
    /// Less than that.
    Blitz,
}

/// What is shorter in blitz. Players answer within seconds, so whatever waits for longer than a reply takes waits for
/// nothing; what waits for a scan or a press stays as it is. `replied-ms` stays too: shorter, it publishes what was never played.
const BLITZ: [(&str, u64); 4] = [
    // A hand that rests this long in blitz has let go.
    ("unpressed-ms", 4_000),
    // Captured pieces are swept off, or not at all.
    ("leftover-ms", 1_500),
    // The next ply decides between two readings sooner.
    ("ambiguous-ms", 2_500),
    // Nobody stops a blitz game to argue: what stands is played on.
    ("unexplained-ms", 4_000),
];

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            settle_ms: 300,
            replied_ms: 6_000,
            unpressed_ms: 8_000,
            out_of_step_ms: 3_000,
            no_clock_ms: 2_700,
            no_clock_answered_ms: 500,
            leftover_ms: 2_500,
            mismatch_ms: 1_500,
            ambiguous_ms: 5_000,
            stopped_ms: 4_000,
            unexplained_ms: 15_000,
            unexplained_unpressed_ms: 25_000,
            unexplained_no_clock_ms: 600_000,
            chaos_ms: 40_000,
            unconfirmed_ms: 4_000,
        }
    }
}

impl Settings {
    /// Each setting by its name in the configuration.
    fn fields(&mut self) -> [(&'static str, &mut u64); 15] {
        [
            ("settle-ms", &mut self.settle_ms),
            ("replied-ms", &mut self.replied_ms),
            ("unpressed-ms", &mut self.unpressed_ms),
            ("out-of-step-ms", &mut self.out_of_step_ms),
            ("no-clock-ms", &mut self.no_clock_ms),
            ("no-clock-replied-ms", &mut self.no_clock_answered_ms),
            ("leftover-ms", &mut self.leftover_ms),
            ("mismatch-ms", &mut self.mismatch_ms),
            ("ambiguous-ms", &mut self.ambiguous_ms),
            ("stopped-ms", &mut self.stopped_ms),
            ("unexplained-ms", &mut self.unexplained_ms),
            ("unexplained-unpressed-ms", &mut self.unexplained_unpressed_ms),
            ("unexplained-no-clock-ms", &mut self.unexplained_no_clock_ms),
            ("chaos-ms", &mut self.chaos_ms),
            ("unconfirmed-ms", &mut self.unconfirmed_ms),
        ]
    }

    /// The times of a pace, but for those that were told.
    #[must_use]
    pub fn at_pace(mut self, pace: Pace, is_told: impl Fn(&str) -> bool) -> Settings {
        for (key, field) in self.fields() {
            let blitz = BLITZ.iter().find(|(known, _)| *known == key).filter(|_| pace == Pace::Blitz && !is_told(key));
            if let Some((_, value)) = blitz {
                *field = *value;
            }
        }
        self
    }

    /// All times longer or shorter, as a curve of delay against errors needs it.
    #[must_use]
    pub fn scaled(mut self, percent: u64) -> Settings {
        for (_, field) in self.fields() {
            *field = *field * percent / 100;
        }
        self
    }

    /// The names of all settings, as in the configuration.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        let mut settings = *self;
        settings.fields().map(|(key, _)| key).into_iter()
    }

    /// All settings, by their names in the configuration.
    pub fn values(mut self) -> [(&'static str, u64); 15] {
        self.fields().map(|(key, value)| (key, *value))
    }

    /// Sets one of [`Settings::keys`].
    ///
    /// # Errors
    ///
    /// What is expected, when the key or the value does not fit.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        const EXPECTED: &str = "a whole number of milliseconds from 50 to 600000";
        let span: u64 = value.parse().map_err(|_| EXPECTED)?;
        if !(50..=600_000).contains(&span) {
            return Err(EXPECTED);
        }
        let mut fields = self.fields();
        let (_, field) = fields.iter_mut().find(|(known, _)| *known == key).ok_or("a known setting")?;
        **field = span;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blitz_is_never_slower_and_keeps_explicit_values() {
        let standard = Settings::default();
        let mut blitz = standard.at_pace(Pace::Blitz, |key| key == "unpressed-ms");
        assert_eq!(blitz.unpressed_ms, standard.unpressed_ms);
        let mut defaults = standard;
        for ((key, blitz), (_, standard)) in blitz.fields().into_iter().zip(defaults.fields()) {
            assert!(*blitz <= *standard, "{key}");
        }
        assert!(BLITZ.iter().all(|(key, value)| blitz.keys().any(|known| known == *key) && *value >= 1_000));
        assert_eq!(standard.at_pace(Pace::Standard, |_| false), standard);
    }
}
