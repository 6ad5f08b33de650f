//! Detects draws and blocked sides. The operator receives a notice; the arbiter decides.
//!
//! ```text
//! verdict ──▸ DrawHistory (counts of the variant's draw rules) ──▸ reached now, not one entry ago ──▸ one notice
//! ```
//!
//! | entry | counts |
//! |---|---|
//! | ply | continue |
//! | setup because a ply was taken back | return to their state before that ply; notices are not repeated |
//! | any other setup | restart: unobserved moves cannot be counted |
//!
//! A rule causes a notice when it is first reached, and again only after it has ceased to apply. Notices never affect the
//! game. The only end that the recorder detects by itself, a ply after which no legal move is left, belongs to the table.

use draughts::Position;
use draughts::draws::{Claim, DrawHistory, DrawRule};

use crate::recognition::{Reason, Verdict};

/// Draw rules of one running game.
#[derive(Clone, Debug)]
pub struct DrawWatcher {
    history: DrawHistory,
    /// History before the last ply, which may be taken back.
    previous_history: Option<DrawHistory>,
    /// Rules reached after the last entry.
    notified_rules: Vec<&'static DrawRule>,
}

impl DrawWatcher {
    /// Creates the history of a game that begins at `start`.
    pub fn new(start: Position) -> DrawWatcher {
        DrawWatcher { history: DrawHistory::new(start), previous_history: None, notified_rules: Vec::new() }
    }

    /// Records an entry of the game.
    pub fn on_verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Ply { before, ply, .. } => {
                debug_assert_eq!(self.history.position().setup(), before.setup());
                self.previous_history = Some(self.history.clone());
                self.history.play(ply);
            }
            Verdict::Setup { position, reason, .. } => {
                let is_back = |history: &DrawHistory| {
                    *reason == Reason::TakenBack && history.position().setup() == position.setup()
                };
                match self.previous_history.take().filter(is_back) {
                    Some(before) => self.history = before,
                    None => *self = DrawWatcher::new(*position),
                }
            }
        }
    }

    /// Takes the notices for the current position, each once.
    pub fn take_notices(&mut self) -> Vec<String> {
        let position = self.history.position();
        if !position.has_legal_move() {
            return vec![cannot_move(position)];
        }
        let reached = self.history.draws();
        let news = reached
            .iter()
            .filter(|rule| !self.notified_rules.contains(rule))
            .map(|rule| describe_draws(rule))
            .collect();
        // Notices of a ply that is taken back stay recorded until the next ply, which may be the same.
        if self.previous_history.is_some() {
            self.notified_rules.clear();
        }
        self.notified_rules.extend(reached);
        news
    }
}

fn describe_draws(rule: &DrawRule) -> String {
    let (source, words) = (rule.source(), rule.text());
    match rule.claim {
        Claim::Needed => format!("a draw can be claimed: {words} ({source}); the game goes on until a result is given"),
        Claim::AtOnce => format!("by the rules the game is drawn: {words} ({source}); give the result to end it"),
    }
}

fn cannot_move(position: &Position) -> String {
    let (turn, geometry) = (position.turn(), &position.variant().geometry);
    match position.exhausted_king() {
        Some(king) => format!(
            "{turn} has no legal move but with the king on {}, which may not move again; if the game is over, give the result",
            geometry.name(king)
        ),
        None => format!("{turn} has no legal move; if the game is over, give the result"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognition::Rule;
    use draughts::Variant;
    use draughts_pdn::{fen, notation};

    fn position(tag: &str, text: &str) -> Position {
        let variant = Variant::from_tag(tag).unwrap();
        Position::new(variant, fen::read(variant, text).unwrap()).unwrap()
    }

    /// Plays these moves; returns each notice with the move before it.
    fn play(watch: &mut DrawWatcher, moves: &str) -> Vec<String> {
        let mut notified = Vec::new();
        for text in moves.split_whitespace() {
            let before = *watch.history.position();
            let ply = notation::read(&before, text).unwrap_or_else(|error| panic!("{error}"));
            watch.on_verdict(&Verdict::Ply { before, ply, press: None, rule: Rule::Pressed, explanation_plies: 1 });
            notified.extend(watch.take_notices().into_iter().map(|news| format!("{text}: {news}")));
        }
        notified
    }

    fn set_up(watch: &mut DrawWatcher, position: Position, reason: Reason) -> Vec<String> {
        watch.on_verdict(&Verdict::Setup { position, plies: 0, press: None, reason });
        watch.take_notices()
    }

    const KINGS: &str = "W:WK46,K47:BK1,K6";
    const ROUND: &str = "46-41 1-7 41-46 7-1";

    #[test]
    fn reports_repetition_once() {
        let mut watch = DrawWatcher::new(position("20", KINGS));
        assert!(play(&mut watch, ROUND).is_empty());
        let notified = play(&mut watch, ROUND);
        assert_eq!(notified.len(), 1, "{notified:?}");
        assert!(
            notified[0].starts_with("7-1: a draw can be claimed: the same position for the third time"),
            "{notified:?}"
        );
        assert!(notified[0].contains("(FMJD 6)"), "{notified:?}");
        assert!(play(&mut watch, ROUND).is_empty(), "reported before");
        // A different position, then this one again, causes another notice.
        assert!(play(&mut watch, "47-42 6-11").is_empty());
        let notified = play(&mut watch, "42-47 11-6");
        assert_eq!(notified.len(), 1, "{notified:?}");
    }

    #[test]
    fn retracted_ply_retracts_counts() {
        let mut watch = DrawWatcher::new(position("20", KINGS));
        play(&mut watch, ROUND);
        play(&mut watch, "46-41 1-7 41-46");
        let before = *watch.history.position();
        assert_eq!(play(&mut watch, "7-1").len(), 1);
        assert!(set_up(&mut watch, before, Reason::TakenBack).is_empty());
        assert!(play(&mut watch, "7-1").is_empty(), "the same ply again is no news");
        assert!(set_up(&mut watch, before, Reason::TakenBack).is_empty());
        assert!(play(&mut watch, "7-2 46-41").is_empty());
        assert_eq!(play(&mut watch, "2-7").len(), 1, "another position, for the third time");
    }

    #[test]
    fn setup_restarts_all_counts() {
        let start = position("20", KINGS);
        let mut watch = DrawWatcher::new(start);
        play(&mut watch, ROUND);
        assert!(set_up(&mut watch, start, Reason::Unexplained).is_empty());
        assert!(play(&mut watch, ROUND).is_empty());
        assert_eq!(play(&mut watch, ROUND).len(), 1);
    }

    #[test]
    fn reports_dead_draw_at_once() {
        let mut watch = DrawWatcher::new(position("40", "W:WK47:BK6"));
        let notified = watch.take_notices();
        assert_eq!(notified.len(), 1);
        assert!(notified[0].starts_with("by the rules the game is drawn: one king against one"), "{notified:?}");
        let notified = set_up(&mut watch, position("40", "B:WK47:BK6"), Reason::Operator);
        assert_eq!(notified.len(), 1, "a setup is news");
    }

    #[test]
    fn two_frisian_kings_have_seven_moves_each() {
        let mut watch = DrawWatcher::new(position("40", "W:WK46,K48:BK1"));
        let round = "46-41 1-7 41-46 7-1";
        for _ in 0..3 {
            assert!(play(&mut watch, round).is_empty());
        }
        let notified = play(&mut watch, round);
        assert_eq!(notified.len(), 1, "{notified:?}");
        assert!(
            notified[0].starts_with("1-7: a draw can be claimed: two kings against one: 7 moves each"),
            "{notified:?}"
        );
    }

    #[test]
    fn reports_blocked_side() {
        let mut watch = DrawWatcher::new(position("20", "W:W46:B41,37"));
        assert_eq!(watch.take_notices(), ["White has no legal move; if the game is over, give the result"]);
        // The limit on moves of one Frisian king: the man on 36 is blocked.
        let mut watch = DrawWatcher::new(position("40", "W:W36,K50:B31,27,2"));
        let notified = play(&mut watch, "50-45 2-8 45-50 8-13 50-45 13-19");
        assert_eq!(notified.len(), 1, "{notified:?}");
        assert!(notified[0].contains("White has no legal move but with the king on 45"), "{notified:?}");
    }
}
