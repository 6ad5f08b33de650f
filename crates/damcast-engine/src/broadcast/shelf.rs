//! Stores the games of a board. Days of play have thousands of games, so a finished game can leave memory: its content is written to a
//! [`Shelf`], and a summary stays in memory. The files of a round ask each game for its summary at every change.
//!
//! Invariant: [`StoredGame::load`] returns a game that equals the written one in every field. If a game cannot be stored, it stays in memory.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use draughts::Variant;

use super::events::{count_live_updates, visible_event_count};
use super::hidden_names::PLAYER_TAGS;
use super::record::{self, Correction, GameChange, GameRecord, Insertion, LiveUpdateLog};
use super::{Delay, WallTime};
use crate::livefile::{GameHeader, LiveFileContents};

/// Storage outside memory for the content of games that are over.
pub trait Shelf: Debug + Send + Sync {
    /// Stores bytes. Returns `None` if that fails; the game stays in memory then.
    fn put(&self, bytes: &[u8]) -> Option<ShelfPlace>;

    /// Returns the bytes of a place.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    fn get(&self, place: ShelfPlace) -> io::Result<Vec<u8>>;
}

/// Place of stored bytes on a [`Shelf`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShelfPlace {
    /// Position of the first byte.
    pub at: u64,
    /// Number of bytes.
    pub length: usize,
}

/// A game of a board. A finished game may be on a [`Shelf`] instead of in memory.
#[derive(Clone, Debug)]
pub struct StoredGame(Storage);

#[derive(Clone, Debug)]
enum Storage {
    InMemory(Box<GameRecord>),
    OnShelf(Box<ShelvedGame>),
}

/// Summary of a game on a shelf, kept in memory.
#[derive(Clone, Debug)]
struct ShelvedGame {
    number: u32,
    variant: &'static Variant,
    pairing_id: Option<String>,
    is_entered: bool,
    player_tags: Vec<(&'static str, String)>,
    opened_at: WallTime,
    closed_at: WallTime,
    last_change_at: WallTime,
    entries: usize,
    insertions: Vec<Insertion>,
    /// Live updates without their packed bytes.
    live_updates: LiveUpdateLog,
    result: Option<String>,
    is_released: bool,
    corrections: Vec<Correction>,
    shelf: Arc<dyn Shelf>,
    place: ShelfPlace,
}

/// Extent of the visible part of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleExtent {
    /// Number of visible entries, including those in earlier files of the game.
    pub entries: usize,
    /// Number of visible insertions of moves in place of setups.
    pub insertions: usize,
    /// Number of visible events.
    pub events: u64,
    /// Number of visible live updates.
    pub live_updates: u64,
    /// Whether the end is visible.
    pub is_closed: bool,
    /// Whether the result of the live file is visible.
    pub has_result: bool,
    /// Number of visible corrections.
    pub corrections: usize,
}

impl From<GameRecord> for StoredGame {
    fn from(record: GameRecord) -> StoredGame {
        StoredGame(Storage::InMemory(Box::new(record)))
    }
}

impl StoredGame {
    /// Returns the number of the game on its board.
    pub fn number(&self) -> u32 {
        match &self.0 {
            Storage::InMemory(record) => record.number(),
            Storage::OnShelf(game) => game.number,
        }
    }

    /// Returns the pairing of the game, if its board had one.
    pub fn pairing_id(&self) -> Option<&str> {
        match &self.0 {
            Storage::InMemory(record) => record.header.pairing_id.as_deref(),
            Storage::OnShelf(game) => game.pairing_id.as_deref(),
        }
    }

    /// Returns the number of the game, ended by mistake, that this one continues. Such a game never leaves memory.
    pub fn continued_game(&self) -> Option<u32> {
        match &self.0 {
            Storage::InMemory(record) => record.header.continued_game,
            Storage::OnShelf(_) => None,
        }
    }

    /// Returns the value of a tag with which the live file began, if it is about a player.
    pub fn player_tag(&self, name: &str) -> Option<&str> {
        match &self.0 {
            Storage::InMemory(record) => record.tag(name).filter(|_| PLAYER_TAGS.contains(&name)),
            Storage::OnShelf(game) => {
                game.player_tags.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
            }
        }
    }

    /// Returns the time at which the live file was opened.
    pub fn opened_at(&self) -> WallTime {
        match &self.0 {
            Storage::InMemory(record) => record.opened_at,
            Storage::OnShelf(game) => game.opened_at,
        }
    }

    /// Returns the time at which the live file was closed.
    pub fn closed_at(&self) -> Option<WallTime> {
        match &self.0 {
            Storage::InMemory(record) => record.closed_at(),
            Storage::OnShelf(game) => Some(game.closed_at),
        }
    }

    /// Returns the time of the last change, as [`GameRecord::last_change_at`] does.
    pub fn last_change_at(&self) -> WallTime {
        match &self.0 {
            Storage::InMemory(record) => record.last_change_at(),
            Storage::OnShelf(game) => game.last_change_at,
        }
    }

    /// Returns the result of the live file.
    pub fn result(&self) -> Option<&str> {
        match &self.0 {
            Storage::InMemory(record) => record.result().map(|(_, result)| result),
            Storage::OnShelf(game) => game.result.as_deref(),
        }
    }

    /// Whether the game stands still. Such a game never leaves memory.
    pub fn is_standing(&self) -> bool {
        matches!(&self.0, Storage::InMemory(record) if record.is_standing())
    }

    /// Whether the operator has released the setups of the game.
    pub fn is_released(&self) -> bool {
        match &self.0 {
            Storage::InMemory(record) => record.is_released(),
            Storage::OnShelf(game) => game.is_released,
        }
    }

    /// Returns the corrections, in order.
    pub fn corrections(&self) -> &[Correction] {
        match &self.0 {
            Storage::InMemory(record) => record.corrections(),
            Storage::OnShelf(game) => &game.corrections,
        }
    }

    /// Replaces the corrections.
    pub fn set_corrections(&mut self, corrections: Vec<Correction>) {
        match &mut self.0 {
            Storage::InMemory(record) => record.set_corrections(corrections),
            Storage::OnShelf(game) => game.corrections = corrections,
        }
    }

    /// Applies a change. A game on a shelf is over, so nothing changes it.
    pub fn apply(&mut self, at: WallTime, change: GameChange) {
        if let Storage::InMemory(record) = &mut self.0 {
            record.apply(at, change);
        }
    }

    /// Joins the game with an earlier one, as [`GameRecord::continue_from`] does.
    pub(super) fn continue_from(&mut self, earlier: &GameRecord) {
        if let Storage::InMemory(record) = &mut self.0 {
            record.continue_from(earlier);
        }
    }

    /// Returns the whole game.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the shelf, and `InvalidData` if its bytes have changed.
    pub fn load(&self) -> io::Result<Cow<'_, GameRecord>> {
        let game = match &self.0 {
            Storage::InMemory(record) => return Ok(Cow::Borrowed(record)),
            Storage::OnShelf(game) => game,
        };
        let bytes = game.shelf.get(game.place)?;
        let record = game.unpack(&bytes);
        record.map(Cow::Owned).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a stored game was changed"))
    }

    /// Writes a finished game to a shelf. The game stays in memory if it is not over, if it continues another, or if the shelf cannot store
    /// it.
    pub fn shelve(&mut self, shelf: &Arc<dyn Shelf>) {
        let Storage::InMemory(record) = &mut self.0 else { return };
        if record.is_continuation() || record.is_standing() {
            return;
        }
        let Some(closed_at) = record.closed_at() else { return };
        let bytes = pack(record);
        let player_tags = PLAYER_TAGS.iter().filter_map(|name| Some((*name, record.tag(name)?.to_owned())));
        let mut game = ShelvedGame {
            number: record.number(),
            variant: record.variant(),
            pairing_id: record.header.pairing_id.clone(),
            is_entered: record.header.is_entered,
            player_tags: player_tags.collect(),
            opened_at: record.opened_at,
            closed_at,
            last_change_at: record.last_change_at(),
            entries: record.entries().len(),
            insertions: record.insertions().to_vec(),
            live_updates: record.live_updates().without_bytes(),
            result: record.result().map(|(_, result)| result.to_owned()),
            is_released: record.is_released(),
            corrections: record.corrections().to_vec(),
            shelf: Arc::clone(shelf),
            place: ShelfPlace { at: 0, length: 0 },
        };
        if game.unpack(&bytes).as_ref() != Some(&**record) {
            return;
        }
        let Some(place) = shelf.put(&bytes) else { return };
        game.place = place;
        self.0 = Storage::OnShelf(Box::new(game));
    }

    /// Returns the extent of the visible part at a moment.
    ///
    /// # Errors
    ///
    /// Returns errors as [`StoredGame::load`] does, if a part of the game is not visible yet.
    pub fn visible_extent(&self, delay: Delay, now: WallTime) -> io::Result<VisibleExtent> {
        let visible_corrections = |corrections: &[Correction]| {
            corrections.iter().take_while(|correction| delay.visible_at(correction.at) <= now).count()
        };
        if let Storage::OnShelf(game) = &self.0
            && delay.visible_at(game.last_change_at) <= now
        {
            let has_result = game.result.is_some();
            let events = usize::from(game.entries > 0 || game.is_entered)
                + game.entries
                + game.insertions.len()
                + 1
                + usize::from(has_result);
            return Ok(VisibleExtent {
                entries: game.entries,
                insertions: game.insertions.len(),
                events: events as u64,
                live_updates: if delay.plies > 0 { 0 } else { game.live_updates.len() as u64 },
                is_closed: true,
                has_result,
                corrections: visible_corrections(&game.corrections),
            });
        }
        let record = self.load()?;
        let view = delay.view(&record, now);
        Ok(VisibleExtent {
            entries: view.entries.len(),
            insertions: view.insertions.len(),
            events: visible_event_count(view),
            live_updates: count_live_updates(&record, delay, now),
            is_closed: view.is_closed,
            has_result: view.result.is_some(),
            corrections: view.corrections.len(),
        })
    }

    /// Returns the next moment at which more becomes visible by time alone, as [`Delay::next_change`] does.
    ///
    /// # Errors
    ///
    /// Returns errors as [`StoredGame::load`] does, if a part of the game is not visible yet.
    pub fn next_change(&self, delay: Delay, now: WallTime) -> io::Result<Option<WallTime>> {
        if let Storage::OnShelf(game) = &self.0
            && delay.visible_at(game.last_change_at) <= now
        {
            let corrections = game.corrections.iter().map(|correction| delay.visible_at(correction.at));
            return Ok(corrections.filter(|&at| at > now).min());
        }
        Ok(delay.next_change(&*self.load()?, now))
    }
}

/// Returns the content of a game as bytes:
///
/// ```text
///   length of the text │ text: the live file without its end │ times of the entries │ bytes of the live updates
/// ```
///
/// A time is the difference to the one before, in milliseconds, and that of its offset, in seconds.
fn pack(record: &GameRecord) -> Vec<u8> {
    let entries = record.to_file_entries(record.entries()).collect();
    let file = LiveFileContents { entries, ..LiveFileContents::new(record.header.clone()) };
    let text = file.body_bytes();
    let mut bytes = Vec::with_capacity(text.len() * 2);
    record::encode_number(&mut bytes, text.len() as u64);
    bytes.extend_from_slice(&text);
    let mut last = record.opened_at;
    for entry in record.entries() {
        record::encode_signed(&mut bytes, entry.at.timestamp_millis().wrapping_sub(last.timestamp_millis()));
        record::encode_signed(
            &mut bytes,
            i64::from(entry.at.offset().local_minus_utc() - last.offset().local_minus_utc()),
        );
        last = entry.at;
    }
    bytes.extend_from_slice(record.live_updates().bytes());
    bytes
}

impl ShelvedGame {
    /// Returns the game with the content of [`pack`].
    fn unpack(&self, bytes: &[u8]) -> Option<GameRecord> {
        let mut rest = bytes;
        let length = usize::try_from(record::decode_number(&mut rest)?).ok()?;
        let (text, mut rest) = rest.split_at_checked(length)?;
        let file = LiveFileContents::parse(self.number, std::str::from_utf8(text).ok()?)?;
        let (variant, pairing_id, is_entered) = (self.variant, self.pairing_id.clone(), self.is_entered);
        let header = GameHeader { variant, pairing_id, is_entered, ..file.header };
        let mut record = GameRecord::new(header, self.opened_at);
        let mut last = self.opened_at;
        for entry in file.entries {
            let millis = last.timestamp_millis().wrapping_add(record::decode_signed(&mut rest)?);
            let offset = i64::from(last.offset().local_minus_utc()).wrapping_add(record::decode_signed(&mut rest)?);
            let zone = FixedOffset::east_opt(i32::try_from(offset).ok()?)?;
            last = DateTime::from_timestamp_millis(millis)?.with_timezone(&zone);
            record.apply(last, GameChange::Entry(entry));
        }
        for Insertion { at, moves } in &self.insertions {
            record.apply(*at, GameChange::MovesInserted(moves.clone()));
        }
        record.set_live_updates(self.live_updates.with_bytes(rest));
        if self.is_released {
            record.apply(self.closed_at, GameChange::Released);
        }
        record.apply(self.closed_at, GameChange::Ended(self.result.clone()));
        record.set_corrections(self.corrections.clone());
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use draughts_pdn::clock::{ClockTime, Clocks};

    use super::super::LiveUpdateContent;
    use super::super::insertions::tests::inserted;
    use super::super::record::tests::{game, moment};
    use super::*;

    /// A shelf in memory; one that is full stores nothing.
    #[derive(Debug, Default)]
    struct MemoryShelf {
        bytes: Mutex<Vec<u8>>,
        is_full: bool,
    }

    impl Shelf for MemoryShelf {
        fn put(&self, bytes: &[u8]) -> Option<ShelfPlace> {
            let mut all = self.bytes.lock().unwrap();
            let place = ShelfPlace { at: all.len() as u64, length: bytes.len() };
            all.extend_from_slice(bytes);
            (!self.is_full).then_some(place)
        }

        fn get(&self, place: ShelfPlace) -> io::Result<Vec<u8>> {
            let at = place.at as usize;
            Ok(self.bytes.lock().unwrap()[at..at + place.length].to_vec())
        }
    }

    const LINES: [&str; 6] = [
        "1. 32-28 {[%clock w0:29:55 B0:30:00]}",
        "19-23 {[%clock W0:29:55 b0:29:58]}",
        "/FEN \"W:W28:B10,14,23\"/",
        "2. 28x19 {[%clock w0:29:50 B0:29:58]}",
        "14x23",
        "*",
    ];

    /// Returns a finished game: with odd tags, live updates, a clock that was set back in another offset, a correction.
    fn finished_game() -> GameRecord {
        let mut record =
            game(&[("White", "Müller \"the\\ [fox]\" {é}"), ("Black", ""), ("Event", "a ; b % c")], &LINES[..5]);
        let updates = [
            LiveUpdateContent::LikelyMoves("31-27 24-29".into()),
            LiveUpdateContent::Clock(Clocks { white: Some(ClockTime(7)), ..Clocks::default() }),
            LiveUpdateContent::State("unexplained"),
            LiveUpdateContent::SetupReason("taken-back"),
        ];
        updates.into_iter().zip(3..).for_each(|(update, at)| record.apply(moment(at), GameChange::LiveUpdate(update)));
        let back = moment(2).with_timezone(&FixedOffset::west_opt(1_800).unwrap());
        record.apply(back, GameChange::LiveUpdate(LiveUpdateContent::LikelyMoves("".into())));
        let moves = inserted((5, 2, 3), 1, &["28x19"], &record);
        record.apply(moment(19), GameChange::MovesInserted(moves));
        record.apply(moment(20), GameChange::Released);
        record.apply(moment(21), GameChange::Ended(Some("2-0".to_owned())));
        let correction = Correction { at: moment(60), tag: "White".to_owned(), value: "Muller".to_owned() };
        record.set_corrections(vec![correction]);
        record
    }

    fn shelve(record: GameRecord, shelf: MemoryShelf) -> StoredGame {
        let mut stored = StoredGame::from(record);
        stored.shelve(&(Arc::new(shelf) as Arc<dyn Shelf>));
        stored
    }

    #[test]
    fn game_comes_back_equal_and_shows_the_same() {
        let record = finished_game();
        let (kept, shelved) = (StoredGame::from(record.clone()), shelve(record.clone(), MemoryShelf::default()));
        assert!(matches!(shelved.0, Storage::OnShelf(_)));
        assert_eq!(shelved.load().unwrap().into_owned(), record);
        let facts = |game: &StoredGame| {
            let tags = ["White", "Black", "Event"].map(|name| game.player_tag(name).map(str::to_owned));
            let times = (game.opened_at(), game.closed_at(), game.last_change_at());
            let result = game.result().map(str::to_owned);
            (game.number(), tags, times, result, game.is_released(), game.corrections().to_vec())
        };
        assert_eq!(facts(&shelved), facts(&kept));
        for (seconds, plies) in [(0, 0), (0, 2), (5, 0), (5, 3), (100, 1)] {
            let delay = Delay { seconds, plies };
            for now in 0..200 {
                let seen = |game: &StoredGame| {
                    (game.visible_extent(delay, moment(now)).unwrap(), game.next_change(delay, moment(now)).unwrap())
                };
                assert_eq!(seen(&shelved), seen(&kept), "{delay:?} {now}");
            }
        }
    }

    #[test]
    fn game_that_cannot_leave_memory_stays() {
        let full = MemoryShelf { is_full: true, ..MemoryShelf::default() };
        let playing = game(&[], &LINES[..5]);
        let mut continuation = finished_game();
        continuation.header.continued_game = Some(1);
        // A live file cannot contain a line break in a tag.
        let mut odd = finished_game();
        odd.header.tags.push(("Event".to_owned(), "a\nb".to_owned()));
        for (record, shelf) in
            [(finished_game(), full), (playing, <_>::default()), (continuation, <_>::default()), (odd, <_>::default())]
        {
            let stored = shelve(record.clone(), shelf);
            assert!(matches!(stored.0, Storage::InMemory(_)), "{record:?}");
            assert_eq!(stored.load().unwrap().into_owned(), record);
        }
    }

    #[test]
    fn changed_bytes_are_an_error() {
        let shelf = Arc::new(MemoryShelf::default());
        let mut stored = StoredGame::from(finished_game());
        stored.shelve(&(Arc::clone(&shelf) as Arc<dyn Shelf>));
        shelf.bytes.lock().unwrap().fill(0xff);
        assert!(stored.load().is_err());
    }
}
