//! Decides when to reopen a silent line, which may be dead although the link reports no error.
//!
//! A serial-port server keeps the port open when its converter is removed or when it forwards nothing. All questions then
//! remain unanswered. A single silent board was switched off; if all boards are silent, the line is reopened.
//!
//! | line | reopened |
//! |---|---|
//! | has answered since it came up | ten seconds after the last answer, enough to plug a cable back in |
//! | has not answered yet | after 15 s, then after 30 s, then every 60 s |

use crate::millis::Millis;

/// Wait after the last answer; within the 15 s in which a dead connection must be noticed.
const REOPEN_AFTER_ANSWERS: Millis = Millis::seconds(10);
/// First wait after a link came up without any answer.
const FIRST_REOPEN_WAIT: Millis = Millis::seconds(15);
/// Maximum number of doublings of that wait.
const MAX_DOUBLINGS: u32 = 2;

/// Timer that reopens a silent line.
#[derive(Clone, Debug, Default)]
pub struct ReopenTimer {
    reopen_at: Millis,
    reopen_count: u32,
}

impl ReopenTimer {
    /// Starts the timer when the link comes up.
    pub fn link_up(&mut self, now: Millis) {
        self.reopen_at = now + self.reopen_wait();
    }

    /// Restarts the timer after an answer.
    pub fn on_answer(&mut self, now: Millis) {
        self.reopen_at = now + REOPEN_AFTER_ANSWERS;
        self.reopen_count = 0;
    }

    /// Returns the time of reopening if no answer arrives.
    pub fn reopen_at(&self) -> Millis {
        self.reopen_at
    }

    /// Records that the link is being reopened.
    pub fn on_reopen(&mut self, now: Millis) {
        self.reopen_at = now + self.reopen_wait();
        self.reopen_count = self.reopen_count.saturating_add(1);
    }

    fn reopen_wait(&self) -> Millis {
        Millis(FIRST_REOPEN_WAIT.0 << self.reopen_count.min(MAX_DOUBLINGS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reopens_ever_more_rarely_until_answer() {
        let mut silence = ReopenTimer::default();
        silence.link_up(Millis::ZERO);
        let mut times = Vec::new();
        for _ in 0..5 {
            let at = silence.reopen_at();
            times.push(at.0 / 1_000);
            silence.on_reopen(at);
            silence.link_up(at);
        }
        assert_eq!(times, [15, 45, 105, 165, 225]);
        silence.on_answer(Millis::seconds(300));
        assert_eq!(silence.reopen_at(), Millis::seconds(310));
        silence.link_up(Millis::seconds(311));
        assert_eq!(silence.reopen_at(), Millis::seconds(326));
    }
}
