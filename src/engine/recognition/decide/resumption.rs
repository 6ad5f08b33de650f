//! A move against the rules that was let stand: play went on from the position after it.
//!
//! ```text
//!   published ──▸ legal plies, not published yet ──▸ against the rules ──▸ stands ──▸ a legal reply
//!       └────────────────────── lineage ───────────────────┘                  what is seen now ─┘
//! ```
//!
//! Nothing shows a move against the rules but that no legal one explains the board. So the position after it is sought among
//! those that [stood](super::standing), and the legal reply to it is what proves it. Of several the likeliest counts: how it
//! [came about](super::lineage) says most.
//!
//! | lineage | what is published |
//! |---|---|
//! | one ply against the rules | the setup |
//! | a legal ply that nobody pressed for | that ply; the rest is judged anew |
//! | legal plies before it that nobody has confirmed yet | the first of them; the rest is judged anew |
//! | two plies against the rules | the setup after the first; the rest is judged anew |
//! | the last published ply was taken back | the position before it, as a setup; the rest is judged anew |
//! | nobody can tell | the setup |

use super::belief::longer;
use super::lineage::Lineage;
use super::standing::{Snapshot, Witness};
use super::{Clock, Decision, Draft, Recogniser, Rule};
use crate::engine::recognition::Wait;
use crate::engine::recognition::evidence::chronology::Chronology;
use crate::engine::recognition::measures::{counts, times, weights, work};
use crate::engine::recognition::search::explain::{Explanation, Question, explain};
use draughts::{Position, SquareSet};

/// A legal reply to a position that was not explained.
struct Resumption {
    score: i32,
    position: Position,
    snapshot: Snapshot,
    lineage: Lineage,
    reply: Explanation,
}

impl Recogniser {
    /// A legal reply to a position that was not explained: what went before stands.
    pub(super) fn resumption(&self, work: &mut u32) -> Option<(i32, Draft)> {
        let mut candidates = self.standing_at_presses();
        candidates.extend(self.snapshots.iter().cloned());
        candidates.extend(self.standing_unpressed());
        if candidates.is_empty() {
            return None;
        }
        let chronology = Chronology::new(&self.evidence, self.since);
        let legal = self.possible_before(&chronology);
        let resumptions = candidates.iter().filter_map(|snapshot| {
            let lineage = self.lineage(snapshot, &candidates, &legal, &chronology);
            self.reply_to(snapshot, lineage, work)
        });
        // Of positions that explain as well the earliest: it hides least.
        let best = resumptions.max_by_key(|found| (found.score, std::cmp::Reverse(found.snapshot.at)))?;
        let Resumption { score, position, snapshot, lineage, reply } = best;
        let pressed = self.presses.len() > snapshot.presses;
        let answered = reply.plies.len() >= 2;
        let mut wait = match self.clock {
            // A single move that happens to be legal may be analysis, which is faster.
            Clock::None if !answered && lineage.plies().is_none() => return None,
            Clock::None if !answered => (self.settings.answered_ms, Wait::NextMove),
            Clock::None => (self.settings.no_clock_answered_ms, Wait::Quiet),
            _ if pressed || answered => (self.settings.settle_ms, Wait::Quiet),
            _ => (self.settings.answered_ms, Wait::Press),
        };
        if !reply.left.is_empty() {
            let blemish = if answered { times::BLEMISH_ANSWERED_MS } else { self.settings.left_ms };
            wait = longer(wait, (blemish, Wait::Blemish));
        }
        if matches!(lineage, Lineage::Unknown) {
            wait = longer(wait, (times::UNKNOWN_MS, Wait::Quiet));
        }
        let decision = match lineage {
            Lineage::Direct | Lineage::Unknown => Decision::Resume(snapshot, position),
            Lineage::Lawful(ply, _) => Decision::Ply(Explanation { behind: reply.plies.len(), ..ply }, Rule::Answered),
            Lineage::Back(previous) => Decision::Back(previous, self.presses.len().saturating_sub(snapshot.presses)),
            Lineage::Twice(first, after_first) => Decision::Resume(first, after_first),
            Lineage::Legal(legal, _) => {
                let behind = 1 + reply.plies.len();
                Decision::Ply(Explanation { behind, ..legal }, Rule::Answered)
            }
        };
        Some((score, self.ready_after(wait, decision)))
    }

    /// The likeliest reply to a position, if there is one.
    fn reply_to(&self, snapshot: &Snapshot, lineage: Lineage, work: &mut u32) -> Option<Resumption> {
        let clockless = self.clock == Clock::None;
        let unpressed = snapshot.witness == Witness::Hand;
        if unpressed && (lineage.plies().is_none() || self.presses.len() <= snapshot.presses) {
            return None;
        }
        let before = match &lineage {
            Lineage::Direct | Lineage::Lawful(..) | Lineage::Unknown => &self.base,
            Lineage::Back(previous) => &previous.position,
            Lineage::Legal(_, position) | Lineage::Twice(_, position) => position,
        };
        let turn = lineage.plies().map(|_| !before.turn()).or(snapshot.turn);
        // Who has pressed in vain, because the press before was forgotten, misses none.
        let later = self.presses.len().saturating_sub(snapshot.presses);
        let lever_then = self.presses.turn().map(|turn| if later.is_multiple_of(2) { turn } else { !turn });
        let left = if let Lineage::Legal(legal, _) = &lineage { legal.left } else { SquareSet::EMPTY };
        let mut sight = snapshot.sight;
        left.into_iter().for_each(|square| sight.put(square, None));
        let plies = lineage.plies().map_or(self.hidden_plies(), |_| 1);
        let position = match &lineage {
            Lineage::Back(previous) => previous.position,
            Lineage::Lawful(_, position) => *position,
            _ => self.position_of(before.placement(), &sight, turn, plies)?,
        };
        let question = Question {
            base: &position,
            evidence: &self.evidence,
            since: snapshot.at,
            passed: SquareSet::EMPTY,
            anomalies: self.anomalous() | left,
            presses: (!clockless).then_some(later),
            press_missing: unpressed && lever_then == Some(!position.turn()),
            gap: false,
        };
        let share = work::REPLY.min(*work);
        let mut left = share;
        let replies = explain(&question, counts::REPLY_PLIES, &mut left);
        *work -= share - left;
        let reply = replies.into_iter().find(|reply| reply.odd.is_empty() && reply.score >= weights::INCREDIBLE)?;
        let score = self.likelihood_of(snapshot, &lineage, &position) + reply.score;
        (score >= weights::INCONCEIVABLE).then(|| Resumption {
            score,
            position,
            snapshot: snapshot.clone(),
            lineage,
            reply,
        })
    }

    /// How likely it is that a move against the rules brought this position about.
    fn likelihood_of(&self, snapshot: &Snapshot, lineage: &Lineage, position: &Position) -> i32 {
        let came_about = match lineage.plies() {
            None if matches!(lineage, Lineage::Back(_)) => 0,
            None => {
                let mover = !position.turn();
                let lost = snapshot.sight.of(mover).len() < self.base.placement().of(mover).len();
                weights::UNKNOWN + if lost && snapshot.presses <= 1 { weights::LOST } else { 0 }
            }
            Some(_) if snapshot.witness == Witness::Hand => weights::UNPRESSED,
            Some(plies) => {
                let again = if matches!(lineage, Lineage::Twice(..)) { weights::STANDS_AGAIN } else { 0 };
                let needed = plies - usize::from(self.presses.is_missing());
                let pairs = if self.clock == Clock::None { 0 } else { needed.abs_diff(snapshot.presses) / 2 };
                again + weights::PRESSES * pairs as i32
            }
        };
        let briefly = snapshot.witness == Witness::Lever { briefly: true };
        let stands = if matches!(lineage, Lineage::Lawful(..)) { 0 } else { weights::ILLEGAL_STANDS };
        stands + came_about + if briefly { weights::PRESSED_BRIEFLY } else { 0 }
    }
}
