//! What a decision waits for: the names of deadlines.

use crate::engine::millis::Millis;

/// What a decision waits for. When the time is over it falls without it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wait {
    /// The next millisecond: in this one enough has been looked at.
    NextTick,
    /// The hands: a span of quiet on the board.
    Quiet,
    /// The clock to be pressed for a ply that stands complete.
    Press,
    /// Captured pieces to be taken off, or a square to be put right.
    Cleanup,
    /// The next move: it tells which of two was played.
    NextMove,
    /// The board to show in a dump what its reports say.
    Dump,
    /// The lever to be seen again after the board was not heard.
    Lever,
    /// A move that explains the board; without one it is set up.
    Explanation,
    /// A piece that flickers to come to rest.
    Flicker,
}

impl Wait {
    /// All of them.
    pub const ALL: [Wait; 9] = [
        Wait::NextTick,
        Wait::Quiet,
        Wait::Press,
        Wait::Cleanup,
        Wait::NextMove,
        Wait::Dump,
        Wait::Lever,
        Wait::Explanation,
        Wait::Flicker,
    ];

    /// One word for it: small letters and `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Wait::NextTick => "next-tick",
            Wait::Quiet => "quiet",
            Wait::Press => "press",
            Wait::Cleanup => "cleanup",
            Wait::NextMove => "next-move",
            Wait::Dump => "dump",
            Wait::Lever => "lever",
            Wait::Explanation => "explanation",
            Wait::Flicker => "flicker",
        }
    }
}

/// When something is to be judged again if nothing happens before, and what is waited for until then.
#[derive(Clone, Copy, Default, Debug)]
pub struct Deadline(Option<(Millis, Wait)>);

impl Deadline {
    /// The time and what is waited for; `None`: nothing is.
    pub fn get(self) -> Option<(Millis, Wait)> {
        self.0
    }

    /// Nothing is waited for.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Something is to be judged again at a time, if that is to come and before all others.
    pub fn set_earliest(&mut self, now: Millis, at: Option<Millis>, wait: Wait) {
        if let Some(at) = at.filter(|&at| at > now && self.0.is_none_or(|(next, _)| at < next)) {
            self.0 = Some((at, wait));
        }
    }
}
