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
const AFTER_ANSWERS: Millis = Millis::seconds(10);
/// After a link came up on which nothing answers, the first time.
const REOPEN: Millis = Millis::seconds(15);
/// How often that wait is doubled at most.
const MOST_DOUBLED: u32 = 2;

/// The silence of a line.
#[derive(Clone, Debug, Default)]
pub struct Silence {
    reopen_at: Millis,
    /// How often the link was opened again in vain.
    reopened: u32,
}

impl Silence {
    /// The link came up.
    pub fn link_up(&mut self, now: Millis) {
        self.reopen_at = now + self.wait();
    }

    /// Somebody answered.
    pub fn end(&mut self, now: Millis) {
        self.reopen_at = now + AFTER_ANSWERS;
        self.reopened = 0;
    }

    /// When the link is to be opened again if nobody answers until then.
    pub fn reopen_at(&self) -> Millis {
        self.reopen_at
    }

    /// It is to be opened again now.
    pub fn reopen(&mut self, now: Millis) {
        self.reopen_at = now + self.wait();
        self.reopened = self.reopened.saturating_add(1);
    }

    fn wait(&self) -> Millis {
        Millis(REOPEN.0 << self.reopened.min(MOST_DOUBLED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reopens_ever_more_rarely_until_answer() {
        let mut silence = Silence::default();
        silence.link_up(Millis::ZERO);
        let mut times = Vec::new();
        for _ in 0..5 {
            let at = silence.reopen_at();
            times.push(at.0 / 1_000);
            silence.reopen(at);
            silence.link_up(at);
        }
        assert_eq!(times, [15, 45, 105, 165, 225]);
        silence.end(Millis::seconds(300));
        assert_eq!(silence.reopen_at(), Millis::seconds(310));
        silence.link_up(Millis::seconds(311));
        assert_eq!(silence.reopen_at(), Millis::seconds(326));
    }
}
