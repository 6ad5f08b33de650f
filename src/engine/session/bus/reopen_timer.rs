//! When nothing on the line answers any more: it may be dead though the link does not say so.
//!
//! A converter that was taken away behind a serial-port server, a server that passes nothing on: the port stays open, and
//! every question goes unanswered. One board that is silent was switched off; when all are, the line is opened again.
//!
//! | the line | is opened again |
//! |---|---|
//! | has answered since it came up | ten seconds after the last answer: time enough to plug a cable in again |
//! | has not answered yet | after 15 s, and if that does not help after 30, then every 60 |

use crate::engine::millis::Millis;

/// After the last answer; within the 15 s in which a dead connection is to be noticed.
const REOPEN_AFTER_ANSWERS: Millis = Millis::seconds(10);
/// After a link came up on which nothing answers, the first time.
const FIRST_REOPEN_WAIT: Millis = Millis::seconds(15);
/// How often that wait is doubled at most.
const MAX_DOUBLINGS: u32 = 2;

/// The silence of a line.
#[derive(Clone, Debug, Default)]
pub struct ReopenTimer {
    reopen_at: Millis,
    /// How often the link was opened again in vain.
    reopen_count: u32,
}

impl ReopenTimer {
    /// The link came up.
    pub fn link_up(&mut self, now: Millis) {
        self.reopen_at = now + self.reopen_wait();
    }

    /// Somebody answered.
    pub fn on_answer(&mut self, now: Millis) {
        self.reopen_at = now + REOPEN_AFTER_ANSWERS;
        self.reopen_count = 0;
    }

    /// When the link is to be opened again if nobody answers until then.
    pub fn reopen_at(&self) -> Millis {
        self.reopen_at
    }

    /// It is to be opened again now.
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
