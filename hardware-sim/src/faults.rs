//! Deviations of hands, boards, clocks and cables from an ideal game: one name per row of the noise model.
//!
//! A [`Fault`] is only a name. Its rate is in a [`NoiseProfile`](crate::profile::NoiseProfile), its effect in the hand, the planner or the
//! cable. Each fault can be enabled alone, at any rate, to measure its cost.
//!
//! Sources: measured recordings of real board-and-clock games, the official rules on irregularities (FMJD annex 4 and 5), and guesses where
//! neither applies; profile.rs marks the source of each.

/// A deviation from an ideal game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Per capture: the captured pieces are removed before the capturing piece is touched.
    CapturedFirst,
    /// Per capture: each captured piece is removed while the capturing piece is still moving.
    CapturedDuring,
    /// Per capture of several: the captured pieces are removed in descending order.
    RemovalReversed,
    /// Per intermediate landing: the piece is not put down there.
    LandingMissed,
    /// Per step over empty fields: the piece slides and touches them.
    Slide,
    /// Per captured piece: seen for a moment on an adjacent field during its removal.
    Blink,
    /// Per captured piece: put down on an adjacent field for 2 to 20 s.
    PutAside,
    /// Per capture: the lever is pressed before the captured pieces are removed.
    EarlyPress,
    /// Per capture: pressed early, and the opponent touches a piece before the captured pieces are removed.
    Overlap,
    /// Per ply: one to three pieces are adjusted before the move.
    Adjust,
    /// Per ply with a square to hesitate on: the piece is first put down there.
    Hesitation,
    /// Per ply: the moved piece is touched again after the press.
    Nudge,
    /// Per ply with an alternative: the alternative is played, pressed and taken back.
    TakenBack,
    /// An illegal ply that stands. Only the caller can write one into the script; the profile only stores the rate for the caller.
    IllegalStands,
    /// Per capture: one captured piece stays on the board for up to four plies.
    Forgotten,
    /// Per capture: a piece that was not captured is removed and put back 1.5 to 8 s later.
    ExtraRemoved,
    /// Per ply: four to seven pieces are knocked over and put back within 10 to 20 s, without a press in between.
    Knocked,
    /// Per knock: one piece is first put back on an adjacent field and corrected 4 to 15 s after the others.
    KnockedWrongly,
    /// Per placing: the piece is badly placed and flickers for 3 to 60 s.
    Flicker,
    /// Per set: a king is a second disc on top; the board still detects a man.
    CrownStacked,
    /// Per set: a king is a second disc on top and flickers on every field.
    CrownFlaky,
    /// Per crowning: happens only after the press.
    CrownAfterPress,
    /// Per crowning: never happens.
    CrownNever,
    /// Per ply: the press is forgotten; half of these presses follow 2 to 8 s later.
    PressForgotten,
    /// Per ply: the lever is pressed by mistake and pressed back 0.8 to 3 s later.
    PressMistaken,
    /// Per game: the last ply is not pressed.
    LastPressMissing,
    /// Per game: the opponent of the starting side starts the clock by pressing, instead of the arbiter.
    OpponentStarts,
    /// Per game: the clock is not stopped at the end.
    ClockLeftRunning,
    /// Per game: the players analyse on the board after the game.
    PostMortem,
    /// Per game: the pieces are put back to the start position.
    Reset,
    /// Per message: lost.
    MessageLost,
    /// Per message: sent twice.
    MessageDoubled,
    /// Per message: its end is missing.
    MessageCut,
    /// Per message: one bit is wrong.
    MessageFlipped,
    /// Per message: up to twenty foreign bytes precede it.
    Garbage,
    /// Per message: it arrives in several reads.
    SplitRead,
    /// Per ply: the link is dead for 3 to 15 s.
    Outage,
    /// Per ply: the board loses its power for 1 to 5 s and restarts in bus mode.
    PowerCut,
    /// Per ply: the clock's cable is out for 5 to 60 s.
    ClockUnplugged,
    /// Per clock command: an all-zero time follows.
    ZeroTime,
    /// Per ply: a button of the clock is pressed, which sends an unsolicited ack.
    ClockButton,
}

/// Every fault with the name used on command lines and in summaries, in the order of declaration.
const NAMES: &[(Fault, &str)] = &[
    (Fault::CapturedFirst, "captured-first"),
    (Fault::CapturedDuring, "captured-during"),
    (Fault::RemovalReversed, "removal-reversed"),
    (Fault::LandingMissed, "landing-missed"),
    (Fault::Slide, "slide"),
    (Fault::Blink, "blink"),
    (Fault::PutAside, "put-aside"),
    (Fault::EarlyPress, "early-press"),
    (Fault::Overlap, "overlap"),
    (Fault::Adjust, "adjust"),
    (Fault::Hesitation, "hesitation"),
    (Fault::Nudge, "nudge"),
    (Fault::TakenBack, "taken-back"),
    (Fault::IllegalStands, "illegal-stands"),
    (Fault::Forgotten, "forgotten"),
    (Fault::ExtraRemoved, "extra-removed"),
    (Fault::Knocked, "knocked"),
    (Fault::KnockedWrongly, "knocked-wrongly"),
    (Fault::Flicker, "flicker"),
    (Fault::CrownStacked, "crown-stacked"),
    (Fault::CrownFlaky, "crown-flaky"),
    (Fault::CrownAfterPress, "crown-after-press"),
    (Fault::CrownNever, "crown-never"),
    (Fault::PressForgotten, "press-forgotten"),
    (Fault::PressMistaken, "press-mistaken"),
    (Fault::LastPressMissing, "last-press-missing"),
    (Fault::OpponentStarts, "opponent-starts"),
    (Fault::ClockLeftRunning, "clock-left-running"),
    (Fault::PostMortem, "post-mortem"),
    (Fault::Reset, "reset"),
    (Fault::MessageLost, "message-lost"),
    (Fault::MessageDoubled, "message-doubled"),
    (Fault::MessageCut, "message-cut"),
    (Fault::MessageFlipped, "message-flipped"),
    (Fault::Garbage, "garbage"),
    (Fault::SplitRead, "split-read"),
    (Fault::Outage, "outage"),
    (Fault::PowerCut, "power-cut"),
    (Fault::ClockUnplugged, "clock-unplugged"),
    (Fault::ZeroTime, "zero-time"),
    (Fault::ClockButton, "clock-button"),
];

impl Fault {
    /// Number of faults.
    pub const COUNT: usize = NAMES.len();

    /// Returns all faults, in the order of declaration.
    pub fn all() -> impl Iterator<Item = Fault> {
        NAMES.iter().map(|(fault, _)| *fault)
    }

    /// Returns the name used on command lines and in summaries.
    pub fn as_str(self) -> &'static str {
        NAMES[self as usize].1
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An unknown fault name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFault(pub String);

impl std::fmt::Display for UnknownFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = Fault::all().map(Fault::as_str).collect();
        write!(f, "no fault is called {:?}; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownFault {}

impl std::str::FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Fault, UnknownFault> {
        Fault::all().find(|fault| fault.as_str() == text).ok_or_else(|| UnknownFault(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_names_roundtrip() {
        for (index, fault) in Fault::all().enumerate() {
            assert_eq!(fault as usize, index, "the list of names is in the order of the declaration");
            assert_eq!(fault.as_str().parse(), Ok(fault));
        }
        assert!("earthquake".parse::<Fault>().unwrap_err().to_string().contains("slide"));
    }
}
