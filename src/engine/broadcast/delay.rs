//! How much of a game may be seen at a moment: a delay against those who would be told moves while they play.
//!
//! | delay | an entry may be seen |
//! |---|---|
//! | seconds | so long after it was recorded |
//! | plies | when so many plies have been recorded after it, or the game is over |
//! | both | when both allow it |
//!
//! The end may be seen when all entries may, and its own seconds have passed; the result with it or after it. What may be seen once may be seen always:
//! the view of a later moment begins with that of an earlier one. It needs no memory, so it survives a restart.
//!
//! Of a machine whose clock was set back what was recorded before that is later than what follows: it may be seen with it.

use chrono::TimeDelta;

use super::WallTime;
use super::record::{Correction, GameRecord, RecordedEntry};
use draughts_pdn::game::Tags;
use draughts_pdn::tag;
use draughts_tournament::MOVES;

/// The tag that stands apart: the game may not be over for everybody yet.
const RESULT_TAG: &str = "Result";

/// A delay of an output.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Delay {
    /// Seconds between the record and the public.
    pub seconds: u32,
    /// Plies that are kept back while the game goes on.
    pub plies: u32,
}

/// What may be seen of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleGame<'game> {
    /// Its plies and setups, from the first.
    pub entries: &'game [RecordedEntry],
    /// So many of them stand in files of it that were ended by mistake.
    pub prior_entries: usize,
    /// Is it over?
    pub is_closed: bool,
    /// The result that its live file has.
    pub result: Option<&'game str>,
    /// What was corrected of it.
    pub corrections: &'game [Correction],
}

impl<'game> VisibleGame<'game> {
    /// The entries of its live file.
    pub fn own_entries(&self) -> &'game [RecordedEntry] {
        self.entries.get(self.prior_entries..).unwrap_or_default()
    }

    /// Its result as it is shown: the last one that was given.
    pub fn visible_result(&self) -> Option<&'game str> {
        let last_correction = self.corrections.iter().rev().find(|correction| correction.tag == RESULT_TAG);
        // No result before the last move.
        last_correction.filter(|_| self.is_closed).map(|correction| correction.value.as_str()).or(self.result)
    }

    /// The moves that its board missed, once it is over, as PDN has them; empty: none.
    pub fn score_sheet_moves(&self) -> &'game str {
        let typed = self.corrections.iter().rev().find(|correction| correction.tag == MOVES);
        typed.filter(|_| self.is_closed).map_or("", |correction| correction.value.as_str())
    }

    /// Lays what was corrected over the tags of the game, as readers of PDN are shown it.
    pub fn apply_corrections(&self, tags: &mut Tags) {
        let is_tag = |correction: &&Correction| ![RESULT_TAG, MOVES].contains(&correction.tag.as_str());
        for Correction { tag: name, value, .. } in self.corrections.iter().filter(is_tag) {
            if value.is_empty() {
                tags.remove(name);
            } else {
                tags.set(name, tag::reader_safe(value));
            }
        }
    }
}

impl Delay {
    /// Everything at once.
    pub const NO_DELAY: Delay = Delay { seconds: 0, plies: 0 };

    /// What may be seen of a game at a moment.
    pub fn view(self, game: &GameRecord, now: WallTime) -> VisibleGame<'_> {
        let is_closed = game.closed_at().is_some_and(|at| self.visible_at(at) <= now);
        let own = game.current_file_entries();
        let due = own.iter().rposition(|entry| self.visible_at(entry.at) <= now);
        let by_time = if is_closed { own.len() } else { due.map_or(0, |last| last + 1) };
        let by_plies = if is_closed { own.len() } else { self.visible_by_plies(own) };
        let count = by_time.min(by_plies);
        let is_closed = is_closed && count == own.len();
        // Before its first own entry nobody knows that the game before it goes on.
        let before = if count == 0 { 0 } else { game.entries().len() - own.len() };
        let result = game.result().filter(|(at, _)| is_closed && self.visible_at(*at) <= now).map(|(_, result)| result);
        let corrections = game.corrections();
        let seen = corrections.iter().take_while(|correction| self.visible_at(correction.at) <= now).count();
        VisibleGame {
            entries: &game.entries()[..before + count],
            prior_entries: before,
            is_closed,
            result,
            corrections: &corrections[..seen],
        }
    }

    /// The next moment at which more may be seen because time passed.
    pub fn next_change(self, game: &GameRecord, now: WallTime) -> Option<WallTime> {
        let ends = game.closed_at().into_iter().chain(game.result().map(|(at, _)| at));
        let moments = game.entries().iter().rev().map(|entry| entry.at).take_while(|&at| self.visible_at(at) > now);
        // Nearly always all of them may be seen.
        let asides =
            Some(game.live_updates()).filter(|asides| asides.last_at().is_some_and(|last| self.visible_at(last) > now));
        let asides = asides.into_iter().flat_map(|asides| asides.iter()).map(|update| update.at);
        let corrections = game.corrections().iter().map(|correction| correction.at);
        moments.chain(asides).chain(ends).chain(corrections).map(|at| self.visible_at(at)).filter(|&at| at > now).min()
    }

    /// When what was recorded at a moment may be seen.
    pub fn visible_at(self, at: WallTime) -> WallTime {
        at.checked_add_signed(TimeDelta::seconds(self.seconds.into())).unwrap_or(at)
    }

    /// The entries before the last so many plies. A setup among them is kept back with them.
    fn visible_by_plies(self, entries: &[RecordedEntry]) -> usize {
        let Some(last) = self.plies.checked_sub(1) else { return entries.len() };
        let plies = entries.iter().enumerate().rev().filter(|(_, entry)| entry.is_ply()).map(|(index, _)| index);
        plies.into_iter().nth(last as usize).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::GameChange;
    use super::super::record::tests::{changes, game, moment};
    use super::*;

    const LINES: [&str; 5] = ["1. 32-28", "19-23", "/FEN \"W:W28:B10,14,23\"/", "2. 28x19", "14x23"];

    fn seen(delay: Delay, game: &GameRecord, now: u32) -> usize {
        delay.view(game, moment(now)).entries.len()
    }

    #[test]
    fn seconds_hold_back_recent_entries() {
        let game = game(&[], &LINES);
        let delay = Delay { seconds: 10, plies: 0 };
        let counts: Vec<usize> = [0, 10, 11, 13, 14, 15, 99].map(|now| seen(delay, &game, now)).into();
        assert_eq!(counts, [0, 0, 1, 3, 4, 5, 5]);
        assert_eq!(delay.next_change(&game, moment(12)), Some(moment(13)));
        assert_eq!(delay.next_change(&game, moment(15)), None);
        assert_eq!(seen(Delay::NO_DELAY, &game, 5), 5);
    }

    #[test]
    fn plies_are_held_back_until_game_ends() {
        let mut game = game(&[], &LINES);
        let counts: Vec<usize> = [0, 1, 2, 3, 4, 9].map(|plies| seen(Delay { seconds: 0, plies }, &game, 9)).into();
        assert_eq!(counts, [5, 4, 3, 1, 0, 0]);
        game.apply(moment(20), GameChange::Ended(Some("2-0".into())));
        let delay = Delay { seconds: 10, plies: 2 };
        let view = delay.view(&game, moment(29));
        assert_eq!((view.entries.len(), view.is_closed, view.result), (3, false, None));
        let view = delay.view(&game, moment(30));
        assert_eq!((view.entries.len(), view.is_closed, view.result), (5, true, Some("2-0")));
        assert_eq!(delay.next_change(&game, moment(29)), Some(moment(30)));
        assert_eq!(delay.next_change(&game, moment(30)), None);
    }

    #[test]
    fn visible_entries_stay_visible() {
        let mut growing = game(&[], &[]);
        let delay = Delay { seconds: 3, plies: 1 };
        let mut last = 0;
        for (change, at) in changes(1, &[], &LINES).1.into_iter().zip(1..) {
            growing.apply(moment(at), change);
            let count = seen(delay, &growing, at);
            assert!(count >= last, "{at}");
            last = count;
        }
    }
}
