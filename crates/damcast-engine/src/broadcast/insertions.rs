//! The entries of a game with the moves that were added in place of its setups.

use std::borrow::Cow;

use draughts::Position;
use draughts_pdn::game::MoveNumber;

use super::VisibleGame;
use super::record::{GameRecord, Insertion, RecordedEntry, RecordedEntryKind};

/// Returns a move number changed by a shift.
pub(super) fn shifted_number(number: MoveNumber, shift: i64) -> MoveNumber {
    let value = (i64::from(number.value) + shift).clamp(1, u32::MAX.into());
    MoveNumber { value: u32::try_from(value).unwrap_or(u32::MAX), ..number }
}

/// Returns the visible entries of a game, with added moves in place of setups.
pub fn visible_entries<'game>(game: &GameRecord, view: VisibleGame<'game>) -> Cow<'game, [RecordedEntry]> {
    complete_entries(game.first_header().start(), view.entries, view.insertions)
}

/// Returns all entries of a game, with added moves in place of setups.
pub fn all_entries(game: &GameRecord) -> Cow<'_, [RecordedEntry]> {
    complete_entries(game.first_header().start(), game.entries(), game.insertions())
}

/// Returns the entries of a game that begins at `start`, with added moves in place of the setups, numbered as played.
fn complete_entries<'game>(
    start: Position,
    entries: &'game [RecordedEntry],
    insertions: &[Insertion],
) -> Cow<'game, [RecordedEntry]> {
    if insertions.is_empty() {
        return Cow::Borrowed(entries);
    }
    let mut ordered: Vec<&Insertion> = insertions.iter().collect();
    ordered.sort_by_key(|insertion| insertion.moves.after);
    let mut complete = CompleteGame::new(start);
    let (mut shift, mut next) = (0, 0);
    for insertion in ordered {
        let moves = &insertion.moves;
        let (after, until) = (moves.after as usize, moves.until as usize);
        complete.copy(entries.get(next..after).unwrap_or_default(), shift);
        complete.insert(insertion, shift, entries.get(..until).and_then(<[_]>::last));
        shift += moves.number_shift();
        next = until.max(next);
    }
    complete.copy(entries.get(next..).unwrap_or_default(), shift);
    Cow::Owned(complete.entries)
}

/// Entries so far, and the position after them.
struct CompleteGame {
    start: Position,
    position: Position,
    entries: Vec<RecordedEntry>,
}

impl CompleteGame {
    fn new(start: Position) -> CompleteGame {
        CompleteGame { start, position: start, entries: Vec::new() }
    }

    /// Whether the next ply of the side that does not start needs a number.
    fn needs_number(&self) -> bool {
        self.entries.last().is_none_or(|last| !last.is_ply())
    }

    fn copy(&mut self, entries: &[RecordedEntry], shift: i64) {
        for entry in entries {
            let mut entry = entry.clone();
            let is_needed = entry.number.is_none_or(|number| !number.ellipsis) || self.needs_number();
            entry.number = entry.number.filter(|_| is_needed).map(|number| shifted_number(number, shift));
            self.push(entry);
        }
    }

    /// Adds the moves. `replaced`: last of the entries in whose place they stand, whose clocks belong to the last move.
    fn insert(&mut self, insertion: &Insertion, shift: i64, replaced: Option<&RecordedEntry>) {
        let moves = &insertion.moves;
        let starter = self.start.variant().game_type.starter();
        let begun = u32::from(self.start.turn() != starter);
        for (index, ply) in (0..).zip(&moves.plies) {
            let mover = self.position.turn();
            let value = (moves.ply + begun + index) / 2 + 1;
            let number = (mover == starter || self.needs_number())
                .then(|| shifted_number(MoveNumber { value, ellipsis: mover != starter }, shift));
            let is_last = index as usize + 1 == moves.plies.len();
            let clocks = replaced.filter(|_| is_last).and_then(|replaced| replaced.clocks);
            let kind = RecordedEntryKind::Ply(ply.clone());
            self.push(RecordedEntry { at: insertion.at, number, kind, clocks });
        }
    }

    fn push(&mut self, entry: RecordedEntry) {
        self.position = match &entry.kind {
            RecordedEntryKind::Ply(ply) => self.position.play(ply),
            RecordedEntryKind::Setup(position) => **position,
        };
        self.entries.push(entry);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use draughts::Variant;
    use draughts_pdn::notation;
    use serde_json::Value;

    use super::super::events::{self, Generation, Stream};
    use super::super::record::GameChange;
    use super::super::record::tests::{changes, game, moment};
    use super::super::snapshot::{BoardSelection, Snapshot, SnapshotEntry};
    use super::super::{Board, Delay, archive};
    use super::*;
    use crate::inserted_moves::InsertedMoves;
    use draughts_pdn::profile::ReaderProfile;

    /// Returns an insertion between these numbers of entries (recorded, after, until); `counted`: plies that the file counts for the
    /// setups.
    pub fn inserted(
        (recorded, after, until): (u32, u32, u32),
        counted: u32,
        moves: &[&str],
        game: &GameRecord,
    ) -> InsertedMoves {
        let before = complete_entries(game.header.start(), &game.entries()[..after as usize], &[]).into_owned();
        let last = game.to_file_entries(&before).last().map(|last| last.kind.position_after());
        let mut position = last.unwrap_or_else(|| game.header.start());
        let mut plies = Vec::new();
        for text in moves {
            let ply = notation::read(&position, text).unwrap();
            position = position.play(&ply);
            plies.push(ply);
        }
        InsertedMoves { recorded, after, until, ply: after, counted, plies }
    }

    const SETUP: &str = "/FEN \"B:W28,31,33-50:B1-13,15-18,20,23\"/ {[%clock w0:29:00 B0:29:30]}";
    /// The setup hides 19-23 28x19 14x23 37-32, and the file counts two plies for it.
    const LINES: [&str; 4] = ["1. 32-28", "/FEN \"B:W31-36,38-50:B1-13,15-18,20,23\"/", "2... 10-14", "3. 41-37"];

    fn repaired() -> GameRecord {
        let mut game = game(&[], &LINES[..3]);
        let moves = inserted((3, 1, 2), 2, &["19-23", "28x19", "14x23", "37-32"], &game);
        game.apply(moment(4), GameChange::MovesInserted(moves));
        game
    }

    fn text(game: &GameRecord, profile: ReaderProfile) -> (String, bool) {
        let mut board = Board::new("a", Variant::international(), Vec::new());
        board.push(game.clone());
        let entry = SnapshotEntry::from_board(&board, Delay::NO_DELAY, moment(99)).unwrap();
        let snapshot = Snapshot::from_entries(&[entry], BoardSelection::All, profile).unwrap();
        assert_eq!(snapshot.first_problem(), None, "{}", snapshot.text);
        let moves = snapshot.text.split_once("\n\n").unwrap().1.trim().to_owned();
        (moves, !snapshot.truncated_boards.is_empty())
    }

    fn lines(game: &GameRecord) -> Vec<Value> {
        let board = Board::new("a", Variant::international(), Vec::new());
        let all = events::events(&board, game, Delay::NO_DELAY.view(game, moment(99)), 0);
        let generation = Generation { id: "x".into(), station: "s".into(), names: 0 };
        all.iter().zip(1..).map(|(event, seq)| serde_json::from_str(&event.line(seq, &generation)).unwrap()).collect()
    }

    #[test]
    fn added_moves_replace_setup_for_all_profiles() {
        let game = game(&[], &["1. 32-28", SETUP]);
        assert_eq!(text(&game, ReaderProfile::Lidraughts), ("1. 32-28 *".to_owned(), true));
        let mut game = repaired();
        let read = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14";
        for profile in [ReaderProfile::Standard, ReaderProfile::Lidraughts, ReaderProfile::Pydraughts] {
            assert_eq!(text(&game, profile), (format!("{read} *"), false), "{profile:?}");
        }
        let later = changes(1, &[], &LINES).1.pop().unwrap();
        game.apply(moment(5), later);
        assert_eq!(text(&game, ReaderProfile::Lidraughts).0, format!("{read} 4. 41-37 *"));
        game.apply(moment(9), GameChange::Ended(Some("1-1".into())));
        let board = Board::new("a", Variant::international(), Vec::new());
        let archived = archive::archive_text(&board, &game, Delay::NO_DELAY.view(&game, moment(99)));
        assert!(
            archived.contains(&format!("{read} 4. 41-37 *")) && archived.contains("[PlyCount \"7\"]"),
            "{archived}"
        );
    }

    #[test]
    fn event_names_its_place_and_later_moves_count_on() {
        let mut game = repaired();
        game.apply(moment(5), changes(1, &[], &LINES).1.pop().unwrap());
        let events = lines(&game);
        let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["game", "move", "setup", "move", "moves-inserted", "move"]);
        let inserted = &events[4];
        assert_eq!((&inserted["n"], &inserted["after"], &inserted["until"]), (&5.into(), &2.into(), &3.into()));
        assert_eq!(inserted["moves"], serde_json::json!(["19-23", "28x19", "14x23", "37-32"]));
        assert!(inserted["fen"].as_str().unwrap().starts_with("B:W31,32,33,34,35,36,38"), "{inserted}");
        assert_eq!((&events[5]["n"], &events[5]["number"], &events[5]["ply"]), (&6.into(), &4.into(), &7.into()));
        let times: Vec<_> = (1..).map_while(|n| events::event_time(&game, Stream::Game, n)).collect();
        assert_eq!(times, [1, 1, 2, 3, 4, 5].map(moment));
        game.apply(moment(6), GameChange::Ended(Some("1-1".into())));
        let times: Vec<_> = (1..).map_while(|n| events::event_time(&game, Stream::Game, n)).collect();
        assert_eq!(times, [1, 1, 2, 3, 4, 5, 6, 6].map(moment));
    }

    #[test]
    fn delayed_events_begin_with_earlier_ones() {
        let mut game = repaired();
        game.apply(moment(5), changes(1, &[], &LINES).1.pop().unwrap());
        // The inserted moves follow the last entry that was recorded before them.
        let view = Delay { seconds: 0, plies: 1 }.view(&game, moment(8));
        assert_eq!((view.entries.len(), view.insertions.len()), (3, 1));
        game.apply(moment(9), GameChange::Ended(Some("1-1".into())));
        let board = Board::new("a", Variant::international(), Vec::new());
        for delay in [Delay { seconds: 3, plies: 0 }, Delay { seconds: 0, plies: 1 }, Delay { seconds: 2, plies: 2 }] {
            let mut before = Vec::new();
            for now in 0..20 {
                let view = delay.view(&game, moment(now));
                let seen = events::events(&board, &game, view, 0);
                assert!(seen.starts_with(&before), "{delay:?} {now}");
                assert_eq!(events::visible_event_count(view), seen.len() as u64);
                for skip in 0..seen.len() {
                    assert_eq!(events::events(&board, &game, view, skip as u64), seen[skip..]);
                }
                before = seen;
            }
            assert_eq!(before.len(), 8);
        }
    }

    #[test]
    fn numbers_are_shown_after_setup_and_first_move() {
        // Black begins, and another setup stays.
        let lines = ["/FEN \"B:W28,31,33-50:B1-20\"/", "/FEN \"W:W28,31,33-50:B1-18,20,23\"/", "2. 28x19", SETUP];
        let mut game = game(&[("FEN", "B:W28,31,33-50:B1-20")], &lines);
        let moves = inserted((4, 1, 2), 1, &["19-23"], &game);
        game.apply(moment(4), GameChange::MovesInserted(InsertedMoves { ply: 0, ..moves }));
        let (shown, _) = text(&game, ReaderProfile::Standard);
        assert!(shown.contains("1... 19-23 2. 28x19"), "{shown}");
    }

    #[test]
    fn empty_insertion_removes_wrong_setups() {
        let mut game = game(&[], &["1. 32-28", SETUP, "/FEN \"B:W28,31,33-50:B1-20\"/", "1... 19-23"]);
        game.apply(moment(4), GameChange::MovesInserted(inserted((4, 1, 3), 0, &[], &game)));
        assert_eq!(text(&game, ReaderProfile::Lidraughts), ("1. 32-28 19-23 *".to_owned(), false));
    }

    #[test]
    fn later_place_may_be_filled_first() {
        let second = "/FEN \"W:W31-36,38-50:B1-9,11-18,20,23\"/";
        let lines = ["1. 32-28", "/FEN \"W:W28,31,33-50:B1-18,20,23\"/", "2. 28x19", "14x23", second, "4. 41-37"];
        let mut game = game(&[], &lines);
        let moves = inserted((6, 4, 5), 2, &["37-32", "10-14"], &{
            let mut known = game.clone();
            known.apply(moment(7), GameChange::MovesInserted(inserted((6, 1, 2), 1, &["19-23"], &game)));
            known
        });
        game.apply(moment(7), GameChange::MovesInserted(moves));
        let first = inserted((6, 1, 2), 1, &["19-23"], &game);
        game.apply(moment(8), GameChange::MovesInserted(first));
        let read = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 4. 41-37 *";
        assert_eq!(text(&game, ReaderProfile::Lidraughts), (read.to_owned(), false));
        let places: Vec<(Value, Value)> = places_of(&game);
        assert_eq!(places, [(5.into(), 6.into()), (2.into(), 3.into())]);
    }

    /// Returns the places of all insertions in the events of a game.
    fn places_of(game: &GameRecord) -> Vec<(Value, Value)> {
        let inserted = lines(game).into_iter().filter(|event| event["type"] == "moves-inserted");
        inserted.map(|event| (event["after"].clone(), event["until"].clone())).collect()
    }
}
