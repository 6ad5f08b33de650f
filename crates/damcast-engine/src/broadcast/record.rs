//! The record of one game: the content of its live file, each entry with the time of its writing.

use chrono::{DateTime, FixedOffset};
use draughts::{Color, Move, Position, Variant};
use draughts_pdn::clock::{ClockTime, Clocks};
use draughts_pdn::game::MoveNumber;

use super::WallTime;
use crate::inserted_moves::InsertedMoves;
use crate::livefile::{self, GameHeader};

/// A change of the games of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameChange {
    /// A game has its first entry, which follows.
    Opened(GameHeader),
    /// A ply or a setup.
    Entry(livefile::Entry),
    /// A person has added moves in place of setups.
    MovesInserted(InsertedMoves),
    /// The game is over, with this result in the format of the game type.
    Ended(Option<String>),
    /// A live update, which none of the game's files has.
    LiveUpdate(LiveUpdateContent),
    /// The operator has released the whole game, including its setups.
    Released,
}

/// A ply or a setup of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEntry {
    /// Time of publication by the recorder.
    pub at: WallTime,
    /// Move number before the entry.
    pub number: Option<MoveNumber>,
    /// Ply or setup.
    pub kind: RecordedEntryKind,
    /// Clocks after the entry.
    pub clocks: Option<Clocks>,
}

/// A change of the position. Positions after plies are not stored: days of play have many entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedEntryKind {
    /// A move.
    Ply(Move),
    /// A position that had to be set up.
    Setup(Box<Position>),
}

impl RecordedEntry {
    /// Whether the entry is a move.
    pub fn is_ply(&self) -> bool {
        matches!(self.kind, RecordedEntryKind::Ply(_))
    }
}

/// Moves added to a game, with their time. Numbers of entries count those of earlier files of the game, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insertion {
    /// Time of the insertion.
    pub at: WallTime,
    /// The moves and their place.
    pub moves: InsertedMoves,
}

impl Insertion {
    /// Returns the insertion after `count` more entries at the beginning of the game.
    pub(super) fn shifted(&self, count: usize) -> Insertion {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let mut moved = self.clone();
        for number in [&mut moved.moves.recorded, &mut moved.moves.after, &mut moved.moves.until] {
            *number = number.saturating_add(count);
        }
        moved
    }
}

/// A live update with its time; in none of the game's files, and replaceable by the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedUpdate {
    /// Time of the update.
    pub at: WallTime,
    /// Content of the update.
    pub content: LiveUpdateContent,
}

/// A live update of a game, not written to its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiveUpdateContent {
    /// Likely next moves, separated by spaces, not final; empty if there are none. This is the most frequent update.
    LikelyMoves(Box<str>),
    /// Clocks that viewers could not compute.
    Clock(Clocks),
    /// State of the board, in one word.
    State(&'static str),
    /// Reason for the last setup, in one word.
    SetupReason(&'static str),
}

/// Live updates of a game, in order. Days of play have far more of them than moves, so they are packed:
///
/// ```text
///   milliseconds since the one before │ 0 │ length of the moves │ the moves          likely moves
///   milliseconds since the one before │ 1                                            anything else: the next of `others`
///   milliseconds since the one before │ 2 │ which clocks │ White's │ Black's seconds  clocks
/// ```
///
/// Numbers have seven bits per byte; the highest bit is set in all bytes but the last.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LiveUpdateLog {
    packed: Vec<u8>,
    others: Vec<LiveUpdateContent>,
    count: usize,
    last_at: Option<WallTime>,
    /// Changes of the offset from UTC: index of the first update, and the offset.
    offsets: Vec<(usize, FixedOffset)>,
}

impl LiveUpdateLog {
    fn push(&mut self, at: WallTime, content: LiveUpdateContent) {
        if self.offsets.last().map(|(_, offset)| offset) != Some(at.offset()) {
            self.offsets.push((self.count, *at.offset()));
        }
        let since = at.timestamp_millis().wrapping_sub(self.last_at.map_or(0, |last| last.timestamp_millis()));
        // Signed, because a clock may be set back.
        encode_signed(&mut self.packed, since);
        match content {
            LiveUpdateContent::LikelyMoves(moves) => {
                self.number(0);
                self.number(moves.len() as u64);
                self.packed.extend_from_slice(moves.as_bytes());
            }
            LiveUpdateContent::Clock(clocks) => {
                self.number(2);
                self.clocks(clocks);
            }
            other => {
                self.number(1);
                self.others.push(other);
            }
        }
        self.count += 1;
        self.last_at = Some(at);
    }

    fn clocks(&mut self, Clocks { white, black, running }: Clocks) {
        let running = running.map_or(0, |side| if side == Color::White { IS_WHITE_RUNNING } else { IS_BLACK_RUNNING });
        let shown = [(white, HAS_WHITE), (black, HAS_BLACK)];
        self.number(shown.iter().filter(|(time, _)| time.is_some()).fold(running, |sum, (_, bit)| sum | bit));
        shown.iter().filter_map(|(time, _)| *time).for_each(|time| self.number(time.0.into()));
    }

    fn number(&mut self, value: u64) {
        encode_number(&mut self.packed, value);
    }

    /// Returns the packed updates.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.packed
    }

    /// Returns the log without its packed updates, which [`LiveUpdateLog::with_bytes`] adds again.
    pub(super) fn without_bytes(&self) -> LiveUpdateLog {
        LiveUpdateLog { packed: Vec::new(), others: self.others.clone(), offsets: self.offsets.clone(), ..*self }
    }

    /// Returns the log with these packed updates.
    pub(super) fn with_bytes(&self, packed: &[u8]) -> LiveUpdateLog {
        LiveUpdateLog { packed: packed.to_vec(), ..self.clone() }
    }

    /// Returns the number of updates.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns `true` if there are no updates.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the time of the last update.
    pub fn last_at(&self) -> Option<WallTime> {
        self.last_at
    }

    /// Returns an iterator over all updates.
    pub fn iter(&self) -> impl Iterator<Item = RecordedUpdate> + '_ {
        let (mut rest, mut others, mut index, mut at) = (self.packed.as_slice(), self.others.iter(), 0, 0_i64);
        let mut offsets = self.offsets.iter().peekable();
        let mut offset = None;
        std::iter::from_fn(move || {
            if let Some((_, next)) = offsets.next_if(|(from, _)| *from == index) {
                offset = Some(*next);
            }
            at = at.wrapping_add(decode_signed(&mut rest)?);
            index += 1;
            let content = match decode_number(&mut rest)? {
                0 => {
                    let length = usize::try_from(decode_number(&mut rest)?).ok()?;
                    let (moves, after) = rest.split_at_checked(length)?;
                    rest = after;
                    LiveUpdateContent::LikelyMoves(std::str::from_utf8(moves).ok()?.into())
                }
                2 => LiveUpdateContent::Clock(decode_clocks(&mut rest)?),
                _ => others.next()?.clone(),
            };
            let at = DateTime::from_timestamp_millis(at)?.with_timezone(&offset?);
            Some(RecordedUpdate { at, content })
        })
    }

    fn shrink_to_fit(&mut self) {
        self.packed.shrink_to_fit();
    }
}

const HAS_WHITE: u64 = 1;
const HAS_BLACK: u64 = 2;
const IS_WHITE_RUNNING: u64 = 4;
const IS_BLACK_RUNNING: u64 = 8;

fn decode_clocks(rest: &mut &[u8]) -> Option<Clocks> {
    let which = decode_number(rest)?;
    let mut time = |bit: u64| -> Option<Option<ClockTime>> {
        if which & bit == 0 { Some(None) } else { Some(Some(ClockTime(decode_number(rest)?.try_into().ok()?))) }
    };
    let (white, black) = (time(HAS_WHITE)?, time(HAS_BLACK)?);
    let running = match which {
        _ if which & IS_WHITE_RUNNING != 0 => Some(Color::White),
        _ if which & IS_BLACK_RUNNING != 0 => Some(Color::Black),
        _ => None,
    };
    Some(Clocks { white, black, running })
}

/// Appends a number, seven bits per byte; the highest bit is set in all bytes but the last.
pub(super) fn encode_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a signed number; those near zero are short.
pub(super) fn encode_signed(bytes: &mut Vec<u8>, value: i64) {
    encode_number(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

/// Takes a number of [`encode_signed`] from the beginning of `rest`.
pub(super) fn decode_signed(rest: &mut &[u8]) -> Option<i64> {
    let value = decode_number(rest)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

/// Takes a number of [`encode_number`] from the beginning of `rest`.
pub(super) fn decode_number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A correction of a tag after the game was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Correction {
    /// Time of the correction.
    pub at: WallTime,
    /// Name of the tag; `Result` is possible.
    pub tag: String,
    /// Corrected value; empty if the tag is left out.
    pub value: String,
}

/// The record of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Header of the live file.
    pub header: GameHeader,
    /// Time at which the live file was opened.
    pub opened_at: WallTime,
    entries: Vec<RecordedEntry>,
    /// Moves added in place of setups, in the order of their insertion.
    insertions: Vec<Insertion>,
    /// Number of entries in earlier files of the game, which were ended by mistake.
    prior_entries: usize,
    /// Header of the first of those files.
    first_header: Option<Box<GameHeader>>,
    live_updates: LiveUpdateLog,
    closed_at: Option<WallTime>,
    result: Option<String>,
    is_delay_lifted: bool,
    corrections: Vec<Correction>,
    is_standing: bool,
}

impl GameRecord {
    /// Creates the record of a game without entries.
    pub fn new(header: GameHeader, opened_at: WallTime) -> GameRecord {
        GameRecord {
            header,
            opened_at,
            entries: Vec::new(),
            insertions: Vec::new(),
            prior_entries: 0,
            first_header: None,
            live_updates: LiveUpdateLog::default(),
            closed_at: None,
            result: None,
            is_delay_lifted: false,
            corrections: Vec::new(),
            is_standing: false,
        }
    }

    /// Makes the game stand still, because its logs lost a part of it: later changes are ignored.
    pub fn stand_still(&mut self) {
        self.is_standing = true;
    }

    /// Whether the game stands still.
    pub fn is_standing(&self) -> bool {
        self.is_standing
    }

    /// Joins the record with an earlier one of the game, which was ended by mistake.
    pub fn continue_from(&mut self, earlier: &GameRecord) {
        let own = std::mem::replace(&mut self.entries, earlier.entries.clone());
        self.prior_entries = self.entries.len();
        self.entries.extend(own);
        let own = std::mem::replace(&mut self.insertions, earlier.insertions.clone());
        self.insertions.extend(own.iter().map(|insertion| insertion.shifted(self.prior_entries)));
        self.first_header = Some(earlier.first_header.clone().unwrap_or_else(|| Box::new(earlier.header.clone())));
    }

    /// Returns the header of the game: of its live file, or of its first file if one was ended by mistake.
    pub fn first_header(&self) -> &GameHeader {
        self.first_header.as_deref().unwrap_or(&self.header)
    }

    /// Applies a change to the game.
    pub fn apply(&mut self, at: WallTime, change: GameChange) {
        if self.is_standing && change != GameChange::Released {
            return;
        }
        match change {
            GameChange::Entry(livefile::Entry { number, kind: step, clocks }) => {
                let step = match step {
                    livefile::EntryKind::Ply { ply, .. } => RecordedEntryKind::Ply(ply),
                    livefile::EntryKind::Setup(position) => RecordedEntryKind::Setup(Box::new(position)),
                };
                self.entries.push(RecordedEntry { at, number, kind: step, clocks });
            }
            GameChange::MovesInserted(moves) => {
                self.insertions.push(Insertion { at, moves }.shifted(self.prior_entries));
            }
            GameChange::Ended(result) => {
                (self.closed_at, self.result) = (Some(at), result);
                // Days of play have many games.
                self.entries.shrink_to_fit();
                self.live_updates.shrink_to_fit();
            }
            GameChange::LiveUpdate(content) => self.live_updates.push(at, content),
            GameChange::Released => self.is_delay_lifted = true,
            GameChange::Opened(_) => {}
        }
    }

    /// Returns the number of the game on its board.
    pub fn number(&self) -> u32 {
        self.header.game
    }

    /// Returns the variant that is played.
    pub fn variant(&self) -> &'static Variant {
        self.header.variant
    }

    /// Returns the value of a tag of the live file.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.header.tag(name)
    }

    /// Returns all plies and setups, including those in files that were ended by mistake.
    pub fn entries(&self) -> &[RecordedEntry] {
        &self.entries
    }

    /// Returns the entries of the live file.
    pub fn current_file_entries(&self) -> &[RecordedEntry] {
        self.entries.get(self.prior_entries..).unwrap_or_default()
    }

    /// Returns the moves added in place of setups, in the order of their insertion.
    pub fn insertions(&self) -> &[Insertion] {
        &self.insertions
    }

    /// Returns the first entries in the form of the game's files.
    pub fn to_file_entries<'game>(
        &self,
        entries: &'game [RecordedEntry],
    ) -> impl Iterator<Item = livefile::Entry> + use<'game> {
        to_livefile_entries(self.first_header().start(), entries)
    }

    /// Returns the first entries of the live file in their written form.
    pub fn to_current_file_entries<'game>(
        &self,
        entries: &'game [RecordedEntry],
    ) -> impl Iterator<Item = livefile::Entry> + use<'game> {
        to_livefile_entries(self.header.start(), entries)
    }

    /// Returns the live updates of the game.
    pub fn live_updates(&self) -> &LiveUpdateLog {
        &self.live_updates
    }

    /// Replaces the live updates of the game.
    pub(super) fn set_live_updates(&mut self, live_updates: LiveUpdateLog) {
        self.live_updates = live_updates;
    }

    /// Whether the game continues one that was ended by mistake.
    pub(super) fn is_continuation(&self) -> bool {
        self.first_header.is_some() || self.header.continued_game.is_some()
    }

    /// Returns the corrections, in order. The log of the game has none of them.
    pub fn corrections(&self) -> &[Correction] {
        &self.corrections
    }

    /// Replaces the corrections.
    pub fn set_corrections(&mut self, corrections: Vec<Correction>) {
        self.corrections = corrections;
    }

    /// Returns the time at which the live file was closed.
    pub fn closed_at(&self) -> Option<WallTime> {
        self.closed_at
    }

    /// Returns the result and the time at which it was known.
    pub fn result(&self) -> Option<(WallTime, &str)> {
        self.closed_at.zip(self.result.as_deref())
    }

    /// Returns the time of the last change. If the clock of the machine was set back, earlier changes may have later times.
    pub fn last_change_at(&self) -> WallTime {
        let last = self.entries.last().map(|entry| entry.at);
        let last = last.into_iter().chain(self.insertions.last().map(|insertion| insertion.at));
        let last = last.chain(self.live_updates.last_at());
        let times = last.chain(self.closed_at).chain(Some(self.opened_at).filter(|_| self.header.is_entered));
        times.max().unwrap_or(self.opened_at)
    }

    /// Whether the operator has released the setups of the game.
    pub fn is_released(&self) -> bool {
        self.is_delay_lifted
    }
}

fn to_livefile_entries<'game>(
    mut position: Position,
    entries: &'game [RecordedEntry],
) -> impl Iterator<Item = livefile::Entry> + use<'game> {
    entries.iter().map(move |entry| {
        let step = match &entry.kind {
            RecordedEntryKind::Ply(ply) => livefile::EntryKind::Ply { position, ply: ply.clone() },
            RecordedEntryKind::Setup(setup) => livefile::EntryKind::Setup(**setup),
        };
        position = step.position_after();
        livefile::Entry { number: entry.number, kind: step, clocks: entry.clocks }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::game_tags;
    use crate::livefile::LiveFileContents;

    pub fn moment(seconds: u32) -> WallTime {
        let start = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        start + chrono::TimeDelta::seconds(seconds.into())
    }

    /// Returns a game with these lines, one per second from second 1 on; the tags are at second 0.
    pub fn game(tags: &[(&str, &str)], lines: &[&str]) -> GameRecord {
        let (opening, changes) = changes(1, tags, lines);
        let mut game = GameRecord::new(opening, moment(0));
        changes.into_iter().zip(1..).for_each(|(change, at)| game.apply(moment(at), change));
        game
    }

    #[test]
    fn live_updates_roundtrip() {
        let zone = |hours: i32| FixedOffset::east_opt(hours * 3_600).unwrap();
        let at = |millis: i64, hours| {
            DateTime::from_timestamp_millis(1_790_000_000_000 + millis).unwrap().with_timezone(&zone(hours))
        };
        let content = [
            (at(0, 1), LiveUpdateContent::LikelyMoves("32-28 19-23".into())),
            (at(0, 1), LiveUpdateContent::State("unexplained")),
            (at(129, 1), LiveUpdateContent::LikelyMoves("".into())),
            // The clock was set back, and summer time ended.
            (at(-3_600_000, 0), LiveUpdateContent::Clock(Clocks { running: Some(Color::White), ..Clocks::default() })),
            (
                at(-3_500_000, 0),
                LiveUpdateContent::Clock(Clocks {
                    white: None,
                    black: Some(ClockTime(u32::MAX)),
                    running: Some(Color::Black),
                }),
            ),
            (
                at(-3_499_000, 0),
                LiveUpdateContent::Clock(Clocks {
                    white: Some(ClockTime(4_800)),
                    black: Some(ClockTime(0)),
                    running: None,
                }),
            ),
            (at(90_000_000, 0), LiveUpdateContent::LikelyMoves("x".repeat(300).into())),
            (at(90_000_001, 2), LiveUpdateContent::SetupReason("taken-back")),
        ];
        let mut updates = LiveUpdateLog::default();
        for (at, content) in &content {
            updates.push(*at, content.clone());
        }
        let read: Vec<(WallTime, LiveUpdateContent)> =
            updates.iter().map(|recorded_update| (recorded_update.at, recorded_update.content)).collect();
        assert_eq!(read, content);
        let offsets: Vec<&FixedOffset> = read.iter().map(|(at, _)| at.offset()).collect();
        assert_eq!(offsets, content.iter().map(|(at, _)| at.offset()).collect::<Vec<_>>());
        assert_eq!((updates.len(), updates.last_at()), (content.len(), content.last().map(|(at, _)| *at)));
    }

    /// Returns the header and the changes of a live file with these tags and these lines.
    pub fn changes(number: u32, tags: &[(&str, &str)], lines: &[&str]) -> (GameHeader, Vec<GameChange>) {
        let variant = Variant::international();
        let tags: Vec<(String, String)> =
            tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let opening = GameHeader {
            game: number,
            variant,
            tags: game_tags::ordered_tags(variant, &tags),
            pairing_id: None,
            continued_game: None,
            is_entered: false,
        };
        let text = opening.header_lines().join("\n") + "\n" + &lines.join("\n") + "\n";
        let read = LiveFileContents::parse(number, &text).unwrap_or_else(|| panic!("no live file:\n{text}"));
        let ended = read.is_ended.then_some(GameChange::Ended(None));
        (opening, read.entries.into_iter().map(GameChange::Entry).chain(ended).collect())
    }
}
