//! Configurable times of the recogniser, with their reasons. All are spans of quiet on the board, in milliseconds.

/// Waiting times of the recogniser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Before any evaluation: longer than one scan of 200 to 250 ms.
    pub settle_ms: u64,
    /// Two or more complete plies without a press. Players who forgot to press continue, and the next press reveals it.
    /// Players who analyse after the game while the clock runs move faster than this and never press.
    pub replied_ms: u64,
    /// A complete ply without a press. It must stand for long, because a hand may rest on a legal square. Does not apply to fallen pieces: one in
    /// twenty knocks leaves a piece beside its square for 4 to 15 s, which may look like a legal ply.
    pub unpressed_ms: u64,
    /// A complete ply without a press, when an earlier press is missing and no press can confirm this ply.
    pub out_of_step_ms: u64,
    /// A complete ply on a board without a clock: players hesitate up to 2.5 s with a man on another legal square. A
    /// player who has removed captured pieces hesitates less; a player who lifts another piece has released this one.
    pub no_clock_ms: u64,
    /// A complete ply and its reply on a board without a clock.
    pub no_clock_replied_ms: u64,
    /// A pressed ply with captured pieces still on the board.
    pub leftover_ms: u64,
    /// A pressed ply with one wrong square.
    pub mismatch_ms: u64,
    /// Two first plies that explain the board about equally well.
    pub ambiguous_ms: u64,
    /// After the clock stopped, for a ply that was complete by then.
    pub stopped_ms: u64,
    /// An unexplained position after a press, before it becomes a setup. Fallen pieces stand again after 7 to 20 s, the
    /// first of them well before that.
    pub unexplained_ms: u64,
    /// An unexplained position without a press.
    pub unexplained_unpressed_ms: u64,
    /// An unexplained position on a board without a clock. If play continues from it, two legal plies confirm it much
    /// sooner. If not, it is analysis, which never ends in a position of the game.
    pub unexplained_no_clock_ms: u64,
    /// A board in chaos: pieces knocked over or set up anew. Without a clock also a ply of a piece that was put back
    /// among others: fallen pieces stand again after 10 to 20 s, and errors show 4 to 15 s later.
    pub chaos_ms: u64,
    /// Additional wait if the board does not answer a dump request.
    pub unconfirmed_ms: u64,
}

/// Pace of a game. [`Settings::default`] has the times of a standard game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// At least 15 minutes per player.
    #[default]
    Standard,
    /// Less than 15 minutes per player.
    Blitz,
}

/// Shorter times for blitz. Players reply within seconds, so any wait longer than a reply is useless. Waits for a scan
/// or a press keep their length. So does `replied-ms`: if shorter, it publishes unplayed moves.
const BLITZ: [(&str, u64); 4] = [
    // A hand that rests this long in blitz has released the piece.
    ("unpressed-ms", 4_000),
    // Captured pieces are removed quickly, or not at all.
    ("leftover-ms", 1_500),
    // The next ply decides between two interpretations sooner.
    ("ambiguous-ms", 2_500),
    // Players do not stop a blitz game to argue; they continue from the position on the board.
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
            no_clock_replied_ms: 500,
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
    /// Returns each setting with its name in the configuration.
    fn fields(&mut self) -> [(&'static str, &mut u64); 15] {
        [
            ("settle-ms", &mut self.settle_ms),
            ("replied-ms", &mut self.replied_ms),
            ("unpressed-ms", &mut self.unpressed_ms),
            ("out-of-step-ms", &mut self.out_of_step_ms),
            ("no-clock-ms", &mut self.no_clock_ms),
            ("no-clock-replied-ms", &mut self.no_clock_replied_ms),
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

    /// Returns the times for a pace, without changing explicitly configured ones.
    #[must_use]
    pub fn at_pace(mut self, pace: Pace, is_explicit: impl Fn(&str) -> bool) -> Settings {
        for (key, field) in self.fields() {
            let blitz =
                BLITZ.iter().find(|(known, _)| *known == key).filter(|_| pace == Pace::Blitz && !is_explicit(key));
            if let Some((_, value)) = blitz {
                *field = *value;
            }
        }
        self
    }

    /// Scales all times, to measure delay against errors.
    #[must_use]
    pub fn scaled(mut self, percent: u64) -> Settings {
        for (_, field) in self.fields() {
            *field = *field * percent / 100;
        }
        self
    }

    /// Returns the names of all settings, as in the configuration.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        let mut settings = *self;
        settings.fields().map(|(key, _)| key).into_iter()
    }

    /// Returns all settings with their names in the configuration.
    pub fn values(mut self) -> [(&'static str, u64); 15] {
        self.fields().map(|(key, value)| (key, *value))
    }

    /// Sets one of [`Settings::keys`].
    ///
    /// # Errors
    ///
    /// Returns a description of the expected key or value.
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
