//! The visible part of a game at a moment: a delay prevents players from receiving moves during the game.
//!
//! | delay | an entry is visible |
//! |---|---|
//! | seconds | that many seconds after it was recorded |
//! | plies | when that many plies were recorded after it, or the game is over |
//! | both | when both allow it |
//!
//! The end is visible when all entries are, and its own seconds have passed; the result with it or after it. Visible parts stay visible:
//! the view of a later moment begins with that of an earlier one. The view needs no memory, so it survives a restart.
//!
//! If the clock of the machine was set back, earlier records have later times than those that follow: they become visible together; without
//! a delay in seconds all are visible at once.

use chrono::{DateTime, TimeDelta, Utc};
use draughts_pdn::game::Tags;
use draughts_pdn::tag;
use draughts_tournament::MOVES;

use super::WallTime;
use super::record::{Correction, GameRecord, Insertion, RecordedEntry};

/// The tag with its own delay: the game may not be over for all viewers yet.
const RESULT_TAG: &str = "Result";

/// Delay of an outlet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Delay {
    /// Seconds between recording and publication.
    pub seconds: u32,
    /// Number of last plies that are withheld during the game.
    pub plies: u32,
}

/// Visible part of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleGame<'game> {
    /// Whether the beginning of the game is visible: with its first entry, that of an entered game before it.
    pub is_begun: bool,
    /// Visible plies and setups, from the first.
    pub entries: &'game [RecordedEntry],
    /// Number of `entries` in earlier files of the game, which were ended by mistake.
    pub prior_entries: usize,
    /// Visible moves added in place of setups.
    pub insertions: &'game [Insertion],
    /// Whether the end of the game is visible.
    pub is_closed: bool,
    /// Visible result of the live file.
    pub result: Option<&'game str>,
    /// Visible corrections.
    pub corrections: &'game [Correction],
}

impl<'game> VisibleGame<'game> {
    /// Returns the visible entries of the live file.
    pub fn own_entries(&self) -> &'game [RecordedEntry] {
        self.entries.get(self.prior_entries..).unwrap_or_default()
    }

    /// Returns the visible result: the last one that was entered.
    pub fn visible_result(&self) -> Option<&'game str> {
        let last_correction = self.corrections.iter().rev().find(|correction| correction.tag == RESULT_TAG);
        // A result never appears before the last move.
        last_correction.filter(|_| self.is_closed).map(|correction| correction.value.as_str()).or(self.result)
    }

    /// Returns the moves that the board missed, as PDN, once the game is over; empty if there are none.
    pub fn score_sheet_moves(&self) -> &'game str {
        let typed = self.corrections.iter().rev().find(|correction| correction.tag == MOVES);
        typed.filter(|_| self.is_closed).map_or("", |correction| correction.value.as_str())
    }

    /// Applies the corrections to the tags of the game, in the form for readers of PDN.
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
    /// No delay.
    pub const NO_DELAY: Delay = Delay { seconds: 0, plies: 0 };

    /// Returns the visible part of a game at a moment.
    pub fn view(self, game: &GameRecord, now: WallTime) -> VisibleGame<'_> {
        let is_closed = game.closed_at().is_some_and(|at| self.visible_at(at) <= now);
        let own = game.current_file_entries();
        let due = own.iter().rposition(|entry| self.visible_at(entry.at) <= now);
        let by_time = if is_closed { own.len() } else { due.map_or(0, |last| last + 1) };
        let by_plies = if is_closed { own.len() } else { self.visible_by_plies(own) };
        let count = by_time.min(by_plies);
        let is_closed = is_closed && count == own.len();
        let is_begun = count > 0 || self.shows_beginning(game, is_closed, now);
        // Before its beginning, viewers cannot know that the earlier game continues. If no entry followed, it did not.
        let continues = count > 0 || is_begun && !is_closed;
        let before = if continues { game.entries().len() - own.len() } else { 0 };
        let result = game.result().filter(|(at, _)| is_closed && self.visible_at(*at) <= now).map(|(_, result)| result);
        let corrections = game.corrections();
        let seen = corrections.iter().take_while(|correction| self.visible_at(correction.at) <= now).count();
        VisibleGame {
            is_begun,
            entries: &game.entries()[..before + count],
            prior_entries: before,
            insertions: self.visible_insertions(game, before + count, is_closed && before + count > 0, now),
            is_closed,
            result,
            corrections: &corrections[..seen],
        }
    }

    /// Returns the next moment at which more becomes visible by time alone.
    pub fn next_change(self, game: &GameRecord, now: WallTime) -> Option<WallTime> {
        let ends = game.closed_at().into_iter().chain(game.result().map(|(at, _)| at));
        let ends = ends.chain(Some(game.opened_at).filter(|_| game.header.is_entered));
        let moments = game.entries().iter().rev().map(|entry| entry.at).take_while(|&at| self.visible_at(at) > now);
        // Usually all of them are visible.
        let asides =
            Some(game.live_updates()).filter(|asides| asides.last_at().is_some_and(|last| self.visible_at(last) > now));
        let asides = asides.into_iter().flat_map(|asides| asides.iter()).map(|update| update.at);
        let corrections = game.corrections().iter().map(|correction| correction.at);
        let corrections = corrections.chain(game.insertions().iter().map(|insertion| insertion.at));
        moments.chain(asides).chain(ends).chain(corrections).map(|at| self.visible_at(at)).filter(|&at| at > now).min()
    }

    /// Whether the beginning of a game is visible without an entry. The delay in plies withholds it like the first ply.
    fn shows_beginning(self, game: &GameRecord, is_closed: bool, now: WallTime) -> bool {
        game.header.is_entered && (is_closed || self.plies == 0 && self.visible_at(game.opened_at) <= now)
    }

    /// Returns the moment at which something recorded at `at` becomes visible; without a delay it always is, also if the clock of the
    /// machine was set back after it.
    pub fn visible_at(self, at: WallTime) -> WallTime {
        if self.seconds == 0 {
            return DateTime::<Utc>::MIN_UTC.fixed_offset();
        }
        at.checked_add_signed(TimeDelta::seconds(self.seconds.into())).unwrap_or(at)
    }

    /// Returns the insertions before an entry that is not visible: they follow the entries that were recorded before them.
    fn visible_insertions(self, game: &GameRecord, visible: usize, is_closed: bool, now: WallTime) -> &[Insertion] {
        let insertions = game.insertions();
        let is_visible = |insertion: &&Insertion| {
            let recorded = insertion.moves.recorded as usize;
            is_closed || recorded < visible || recorded == visible && self.visible_at(insertion.at) <= now
        };
        &insertions[..insertions.iter().take_while(is_visible).count()]
    }

    /// Returns the number of entries before the last plies that the delay withholds. Setups among those plies are withheld as well.
    fn visible_by_plies(self, entries: &[RecordedEntry]) -> usize {
        let Some(last) = self.plies.checked_sub(1) else { return entries.len() };
        let plies = entries.iter().enumerate().rev().filter(|(_, entry)| entry.is_ply()).map(|(index, _)| index);
        plies.into_iter().nth(last as usize).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::visible_event_count;
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
    fn entered_game_begins_before_its_first_entry() {
        let (header, mut entries) = changes(1, &[], &LINES);
        let header = crate::livefile::GameHeader { is_entered: true, ..header };
        let mut game = GameRecord::new(header, moment(5));
        let begins = |game: &GameRecord, delay: Delay, now| {
            let view = delay.view(game, moment(now));
            (view.is_begun, visible_event_count(view))
        };
        let (seconds, plies) = (Delay { seconds: 10, plies: 0 }, Delay { seconds: 0, plies: 1 });
        // The clock of the machine may have been set back since.
        assert_eq!([4, 5].map(|now| begins(&game, Delay::NO_DELAY, now)), [(true, 1); 2]);
        assert_eq!([14, 15].map(|now| begins(&game, seconds, now)), [(false, 0), (true, 1)]);
        assert_eq!(seconds.next_change(&game, moment(6)), Some(moment(15)));
        assert_eq!(begins(&game, plies, 99), (false, 0));
        game.apply(moment(13), entries.remove(0));
        assert_eq!((begins(&game, seconds, 15), begins(&game, plies, 99)), ((true, 1), (false, 0)));
        game.apply(moment(20), GameChange::Ended(None));
        assert_eq!((begins(&game, seconds, 30), begins(&game, plies, 20)), ((true, 3), (true, 3)));
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
