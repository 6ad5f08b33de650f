//! Rates and times of human play and of the wires: all numbers of the noise model, as four named profiles.
//!
//! | profile | situation |
//! |---|---|
//! | `ideal` | perfect hands: nothing but scan, lag and human speed |
//! | `calm` | a classical tournament game |
//! | `club` | an ordinary evening |
//! | `blitz` | time trouble with all its faults |
//!
//! Rates and times are those of a noise model compiled from recordings of real board-and-clock games (M), from statements of the protocol
//! (P), from the rules on irregularities (R), and from guesses to be replaced by data (G).

use crate::faults::Fault;
use crate::random::Span;

/// Times of the hands and rates of the faults. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseProfile {
    /// Name of the profile.
    pub name: String,
    /// Duration of one scan of the whole board (P).
    pub scan_ms: Span,
    /// Thinking time before the first touch; compressed, because long silences add nothing (G).
    pub think_ms: Span,
    /// Median time from lifting a piece to putting it down (M: 0.25 s mean in blitz).
    pub move_ms: u32,
    /// Median time to remove one captured piece: one hand only, one after another (R).
    pub remove_ms: u32,
    /// Time that a capturing piece rests on an intermediate landing (G).
    pub dwell_ms: Span,
    /// Median time from the last touch to the press (G).
    pub press_ms: u32,
    /// Lag from the lever to the host (P: polled two or three times a second, up to 1 s).
    pub lever_ms: Span,
    /// Delay of a crowning (G).
    pub crown_ms: Span,
    /// Spread of all hand times around their medians: standard deviation of the logarithm, 0 for always the median.
    pub spread: f64,
    rates: [f64; Fault::COUNT],
}

/// An unknown profile name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownProfile(pub String);

impl std::fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no profile is called {:?}; there are ideal, calm, club, blitz", self.0)
    }
}

impl std::error::Error for UnknownProfile {}

impl NoiseProfile {
    /// Returns perfect hands: no faults, captured pieces removed afterwards in ascending order, a lever lag of at most 0.45 s.
    pub fn ideal() -> NoiseProfile {
        NoiseProfile {
            name: "ideal".to_string(),
            scan_ms: Span::new(200, 250),
            think_ms: Span::new(6_000, 16_000),
            move_ms: 400,
            remove_ms: 450,
            dwell_ms: Span::new(250, 400),
            press_ms: 600,
            lever_ms: Span::new(150, 450),
            crown_ms: Span::new(300, 600),
            spread: 0.4,
            rates: [0.0; Fault::COUNT],
        }
    }

    /// Returns a classical tournament game.
    pub fn calm() -> NoiseProfile {
        let hands = NoiseProfile { name: "calm".to_string(), ..NoiseProfile::ideal() };
        hands.human().with_rates(0)
    }

    /// Returns an ordinary club game.
    pub fn club() -> NoiseProfile {
        NoiseProfile {
            name: "club".to_string(),
            think_ms: Span::new(2_500, 9_000),
            move_ms: 300,
            remove_ms: 350,
            press_ms: 400,
            ..NoiseProfile::ideal()
        }
        .human()
        .with_rates(1)
    }

    /// Returns blitz, with all faults of time trouble.
    pub fn blitz() -> NoiseProfile {
        NoiseProfile {
            name: "blitz".to_string(),
            think_ms: Span::new(350, 4_000),
            move_ms: 180,
            remove_ms: 180,
            press_ms: 200,
            ..NoiseProfile::ideal()
        }
        .human()
        .with_rates(2)
    }

    /// Returns ideal hands with one fault at the given rate.
    pub fn only(fault: Fault, rate: f64) -> NoiseProfile {
        let mut profile = NoiseProfile::ideal();
        profile.name = format!("only {fault} {rate}");
        profile.set_rate(fault, rate);
        profile
    }

    /// Returns the rate of a fault, as a probability per the unit in its description.
    pub fn rate(&self, fault: Fault) -> f64 {
        self.rates[fault as usize]
    }

    /// Sets the rate of a fault, clamped to 0..=1.
    pub fn set_rate(&mut self, fault: Fault, rate: f64) {
        self.rates[fault as usize] = rate.clamp(0.0, 1.0);
    }

    /// Returns the faults with a rate above zero, in their order.
    pub fn faults(&self) -> impl Iterator<Item = (Fault, f64)> {
        Fault::all().map(|fault| (fault, self.rate(fault))).filter(|(_, rate)| *rate > 0.0)
    }

    /// Adds the habits that no named profile has, at rates of an ordinary event.
    pub fn with_habits(mut self) -> NoiseProfile {
        for (fault, rate) in HABITS {
            self.set_rate(*fault, *rate);
        }
        self
    }

    /// Adds the properties that real hardware and real hands share in every profile.
    fn human(self) -> NoiseProfile {
        NoiseProfile {
            dwell_ms: Span::new(100, 400),
            lever_ms: Span::new(150, 950),
            crown_ms: Span::new(300, 2_500),
            ..self
        }
    }

    fn with_rates(mut self, column: usize) -> NoiseProfile {
        for (fault, rates) in RATES {
            self.set_rate(*fault, rates[column]);
        }
        self
    }
}

impl std::str::FromStr for NoiseProfile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<NoiseProfile, UnknownProfile> {
        match name {
            "ideal" => Ok(NoiseProfile::ideal()),
            "calm" => Ok(NoiseProfile::calm()),
            "club" => Ok(NoiseProfile::club()),
            "blitz" => Ok(NoiseProfile::blitz()),
            _ => Err(UnknownProfile(name.to_string())),
        }
    }
}

/// Rates for calm, club and blitz.
const RATES: &[(Fault, [f64; 3])] = &[
    // M: 7 of 36 real captures removed the piece first; R (FMJD 4.5): after the jump, in either order.
    (Fault::CapturedFirst, [0.05, 0.12, 0.20]),
    (Fault::CapturedDuring, [0.05, 0.18, 0.25]),
    (Fault::RemovalReversed, [0.40, 0.40, 0.40]),
    // R (FMJD 4.4): each jump must be clearly indicated; seen 85, 75 and 50 %.
    (Fault::LandingMissed, [0.15, 0.25, 0.50]),
    // M: 5.2 % over all moves of a chess set, where most are short.
    (Fault::Slide, [0.10, 0.25, 0.40]),
    // M: 14 %.
    (Fault::Blink, [0.08, 0.14, 0.25]),
    // G: forbidden, but a habit in time trouble.
    (Fault::EarlyPress, [0.01, 0.05, 0.20]),
    (Fault::Overlap, [0.002, 0.02, 0.12]),
    (Fault::Adjust, [0.03, 0.02, 0.01]),
    (Fault::Hesitation, [0.01, 0.015, 0.02]),
    (Fault::Nudge, [0.005, 0.015, 0.03]),
    (Fault::TakenBack, [0.0005, 0.002, 0.004]),
    (Fault::IllegalStands, [0.0005, 0.002, 0.006]),
    (Fault::Forgotten, [0.002, 0.006, 0.02]),
    (Fault::ExtraRemoved, [0.001, 0.003, 0.008]),
    (Fault::Knocked, [0.0003, 0.001, 0.004]),
    (Fault::KnockedWrongly, [0.05, 0.05, 0.05]),
    (Fault::Flicker, [0.002, 0.006, 0.015]),
    // G: half of the sets have a separate piece for the king.
    (Fault::CrownStacked, [0.35, 0.35, 0.35]),
    (Fault::CrownFlaky, [0.15, 0.15, 0.15]),
    (Fault::CrownAfterPress, [0.30, 0.30, 0.30]),
    (Fault::CrownNever, [0.10, 0.10, 0.10]),
    (Fault::PressForgotten, [0.003, 0.007, 0.02]),
    (Fault::PressMistaken, [0.001, 0.002, 0.005]),
    (Fault::OpponentStarts, [0.50, 0.50, 0.50]),
    (Fault::ClockLeftRunning, [0.15, 0.15, 0.15]),
    (Fault::PostMortem, [0.50, 0.50, 0.50]),
    (Fault::Reset, [0.80, 0.80, 0.80]),
    // P: no checksum and no handshake in single-board mode.
    (Fault::MessageLost, [1e-5, 1e-4, 1e-3]),
    (Fault::MessageDoubled, [1e-5, 1e-4, 5e-4]),
    (Fault::Outage, [0.0001, 0.0003, 0.001]),
    (Fault::ZeroTime, [0.30, 0.30, 0.30]),
    // A read returns the bytes that have arrived, not messages.
    (Fault::SplitRead, [0.20, 0.20, 0.20]),
];

/// Rates of the habits that no named profile has (G).
const HABITS: &[(Fault, f64)] = &[
    (Fault::HeldPiece, 0.01),
    (Fault::ReplyBeforePress, 0.02),
    (Fault::AdjustMany, 0.005),
    (Fault::CrownLate, 0.1),
    (Fault::BothHands, 0.05),
    (Fault::DrawOffer, 0.003),
    (Fault::Fidget, 0.005),
    (Fault::PushedAbout, 0.002),
    (Fault::PiecesScattered, 0.001),
    (Fault::SeatsSwapped, 0.3),
    (Fault::ClockCorrected, 0.001),
    (Fault::PliesTakenBack, 0.0005),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideal_has_no_fault_and_only_has_one() {
        assert_eq!(NoiseProfile::ideal().faults().count(), 0);
        assert_eq!(NoiseProfile::only(Fault::Slide, 0.4).faults().collect::<Vec<_>>(), [(Fault::Slide, 0.4)]);
    }

    #[test]
    fn habits_are_off_in_all_profiles() {
        for name in ["ideal", "calm", "club", "blitz"] {
            let profile: NoiseProfile = name.parse().unwrap();
            assert!(HABITS.iter().all(|(fault, _)| profile.rate(*fault) == 0.0), "{name}");
            assert!(HABITS.iter().all(|(fault, rate)| profile.clone().with_habits().rate(*fault) == *rate));
        }
    }

    #[test]
    fn rates_rise_with_chaos_except_adjusting() {
        for (fault, rates) in RATES {
            assert!(rates.is_sorted() || *fault == Fault::Adjust, "{fault}");
        }
        assert_eq!(NoiseProfile::blitz().rate(Fault::Hesitation), 0.02);
    }

    #[test]
    fn parses_profile_names() {
        for name in ["ideal", "calm", "club", "blitz"] {
            assert_eq!(name.parse::<NoiseProfile>().map(|profile| profile.name), Ok(name.to_string()));
        }
        assert!("bullet".parse::<NoiseProfile>().is_err());
    }
}
