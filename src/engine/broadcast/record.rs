//! The record of one game: what its live file holds, each entry with the moment at which it was written.

use chrono::{DateTime, FixedOffset};

use super::Moment;
use crate::engine::livefile::{self, Opening};
use draughts::{Color, Move, Position, Variant};
use draughts_pdn::clock::{ClockTime, Clocks};
use draughts_pdn::game::MoveNumber;

/// What happens to the games of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameChange {
    /// A game has its first entry, which follows.
    Opened(Opening),
    /// A ply or a setup.
    Entry(livefile::Entry),
    /// It is over, with this result in the format of the game type.
    Ended(Option<String>),
    /// Something that stands in none of its files.
    Aside(AsideContent),
    /// The operator says that everybody may see it, the setups in it too.
    Released,
}

/// A ply or a setup of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedEntry {
    /// When it was published by the recorder.
    pub at: Moment,
    /// What stands before it.
    pub number: Option<MoveNumber>,
    /// What was done.
    pub step: RecordedStep,
    /// What the clocks showed behind it.
    pub clocks: Option<Clocks>,
}

/// What changes a position. Records of a hall that plays for days are many, so positions that plies lead to are not in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedStep {
    /// A move.
    Ply(Move),
    /// The position had to be set up.
    Setup(Box<Position>),
}

impl RecordedEntry {
    /// Is it a move?
    pub fn is_ply(&self) -> bool {
        matches!(self.step, RecordedStep::Ply(_))
    }
}

/// Something about a game that stands in none of its files, and may be taken back by the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedAside {
    /// When it was told.
    pub at: Moment,
    /// What.
    pub content: AsideContent,
}

/// What is told about a game beside its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AsideContent {
    /// These moves, with a space between two, are likely to be next, and not final; none are any more. Nothing is told more often.
    Provisional(Box<str>),
    /// What the clock shows, where nobody could know it.
    Clock(Clocks),
    /// What is going on on the board, in one word.
    State(&'static str),
    /// Why the last setup was needed, in one word.
    Correction(&'static str),
}

/// What was told beside a game, in order. Of a hall that plays for days it is far more than the moves, so it is kept in few bytes:
///
/// ```text
///   milliseconds since the one before │ 0 │ length of the moves │ the moves          likely moves
///   milliseconds since the one before │ 1                                            anything else: the next of `others`
///   milliseconds since the one before │ 2 │ which clocks │ White's │ Black's seconds  clocks
/// ```
///
/// Numbers have seven bits a byte, the highest bit of all but the last is set.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Asides {
    packed: Vec<u8>,
    others: Vec<AsideContent>,
    count: usize,
    last: Option<Moment>,
    /// From which on times are told otherwise than in UTC, and how.
    offsets: Vec<(usize, FixedOffset)>,
}

impl Asides {
    fn push(&mut self, at: Moment, content: AsideContent) {
        if self.offsets.last().map(|(_, offset)| offset) != Some(at.offset()) {
            self.offsets.push((self.count, *at.offset()));
        }
        let since = at.timestamp_millis().wrapping_sub(self.last.map_or(0, |last| last.timestamp_millis()));
        // A clock may be set back.
        self.number(((since << 1) ^ (since >> 63)) as u64);
        match content {
            AsideContent::Provisional(moves) => {
                self.number(0);
                self.number(moves.len() as u64);
                self.packed.extend_from_slice(moves.as_bytes());
            }
            AsideContent::Clock(clocks) => {
                self.number(2);
                self.clocks(clocks);
            }
            other => {
                self.number(1);
                self.others.push(other);
            }
        }
        self.count += 1;
        self.last = Some(at);
    }

    fn clocks(&mut self, Clocks { white, black, running }: Clocks) {
        let running = running.map_or(0, |side| if side == Color::White { WHITE_RUNS } else { BLACK_RUNS });
        let shown = [(white, WHITE_SHOWN), (black, BLACK_SHOWN)];
        self.number(shown.iter().filter(|(time, _)| time.is_some()).fold(running, |sum, (_, bit)| sum | bit));
        shown.iter().filter_map(|(time, _)| *time).for_each(|time| self.number(time.0.into()));
    }

    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.packed.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.packed.push(value as u8);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// When the last was told.
    pub fn last_at(&self) -> Option<Moment> {
        self.last
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = RecordedAside> + '_ {
        let (mut rest, mut others, mut index, mut at) = (self.packed.as_slice(), self.others.iter(), 0, 0_i64);
        let mut offsets = self.offsets.iter().peekable();
        let mut offset = None;
        std::iter::from_fn(move || {
            if let Some((_, next)) = offsets.next_if(|(from, _)| *from == index) {
                offset = Some(*next);
            }
            let since = take_number(&mut rest)?;
            at = at.wrapping_add((since >> 1) as i64 ^ -((since & 1) as i64));
            index += 1;
            let content = match take_number(&mut rest)? {
                0 => {
                    let length = usize::try_from(take_number(&mut rest)?).ok()?;
                    let (moves, after) = rest.split_at_checked(length)?;
                    rest = after;
                    AsideContent::Provisional(std::str::from_utf8(moves).ok()?.into())
                }
                2 => AsideContent::Clock(take_clocks(&mut rest)?),
                _ => others.next()?.clone(),
            };
            let at = DateTime::from_timestamp_millis(at)?.with_timezone(&offset?);
            Some(RecordedAside { at, content })
        })
    }

    fn shrink_to_fit(&mut self) {
        self.packed.shrink_to_fit();
    }
}

const WHITE_SHOWN: u64 = 1;
const BLACK_SHOWN: u64 = 2;
const WHITE_RUNS: u64 = 4;
const BLACK_RUNS: u64 = 8;

fn take_clocks(rest: &mut &[u8]) -> Option<Clocks> {
    let which = take_number(rest)?;
    let mut time = |bit: u64| -> Option<Option<ClockTime>> {
        if which & bit == 0 { Some(None) } else { Some(Some(ClockTime(take_number(rest)?.try_into().ok()?))) }
    };
    let (white, black) = (time(WHITE_SHOWN)?, time(BLACK_SHOWN)?);
    let running = match which {
        _ if which & WHITE_RUNS != 0 => Some(Color::White),
        _ if which & BLACK_RUNS != 0 => Some(Color::Black),
        _ => None,
    };
    Some(Clocks { white, black, running })
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
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

/// A tag of a game that was corrected after it was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Correction {
    /// When.
    pub at: Moment,
    /// Its name; `Result` among them.
    pub tag: String,
    /// As it is to be shown from then on; empty: it is left out.
    pub value: String,
}

/// The record of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// How its live file begins.
    pub opening: Opening,
    /// When its file was begun.
    pub opened: Moment,
    entries: Vec<RecordedEntry>,
    /// So many of the entries stand in files of it that were ended by mistake.
    before: usize,
    /// How the first of these begins.
    first: Option<Box<Opening>>,
    asides: Asides,
    closed: Option<Moment>,
    result: Option<String>,
    released: bool,
    corrections: Vec<Correction>,
}

impl GameRecord {
    /// A game of which nothing is known but how it begins.
    pub fn new(opening: Opening, opened: Moment) -> GameRecord {
        GameRecord {
            opening,
            opened,
            entries: Vec::new(),
            before: 0,
            first: None,
            asides: Asides::default(),
            closed: None,
            result: None,
            released: false,
            corrections: Vec::new(),
        }
    }

    /// It goes on from this one, and is one game with it.
    pub fn join(&mut self, earlier: &GameRecord) {
        let own = std::mem::replace(&mut self.entries, earlier.entries.clone());
        self.before = self.entries.len();
        self.entries.extend(own);
        self.first = Some(earlier.first.clone().unwrap_or_else(|| Box::new(earlier.opening.clone())));
    }

    /// How the game begins: as its live file, or as the first of its files if one was ended by mistake.
    pub fn beginning(&self) -> &Opening {
        self.first.as_deref().unwrap_or(&self.opening)
    }

    /// Takes what happened to it.
    pub fn take(&mut self, at: Moment, change: GameChange) {
        match change {
            GameChange::Entry(livefile::Entry { number, step, clocks }) => {
                let step = match step {
                    livefile::Step::Ply { ply, .. } => RecordedStep::Ply(ply),
                    livefile::Step::Setup(position) => RecordedStep::Setup(Box::new(position)),
                };
                self.entries.push(RecordedEntry { at, number, step, clocks });
            }
            GameChange::Ended(result) => {
                (self.closed, self.result) = (Some(at), result);
                // Games of a hall that plays for days are many.
                self.entries.shrink_to_fit();
                self.asides.shrink_to_fit();
            }
            GameChange::Aside(content) => self.asides.push(at, content),
            GameChange::Released => self.released = true,
            GameChange::Opened(_) => {}
        }
    }

    /// Its number on its board.
    pub fn number(&self) -> u32 {
        self.opening.game
    }

    /// What is played.
    pub fn variant(&self) -> &'static Variant {
        self.opening.variant
    }

    /// The value of a tag of its live file.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.opening.tag(name)
    }

    /// Its plies and setups, those of files that were ended by mistake among them.
    pub fn entries(&self) -> &[RecordedEntry] {
        &self.entries
    }

    /// Those of its live file.
    pub fn own_entries(&self) -> &[RecordedEntry] {
        self.entries.get(self.before..).unwrap_or_default()
    }

    /// The first of its entries as they stand in its files.
    pub fn written<'game>(
        &self,
        entries: &'game [RecordedEntry],
    ) -> impl Iterator<Item = livefile::Entry> + use<'game> {
        written(self.beginning().start(), entries)
    }

    /// The first of its own entries as they stand in its live file.
    pub fn own_written<'game>(
        &self,
        entries: &'game [RecordedEntry],
    ) -> impl Iterator<Item = livefile::Entry> + use<'game> {
        written(self.opening.start(), entries)
    }

    /// What was told about it beside its file.
    pub fn asides(&self) -> &Asides {
        &self.asides
    }

    /// What was corrected of it, in order. Nothing of that is in its log.
    pub fn corrections(&self) -> &[Correction] {
        &self.corrections
    }

    /// These are the corrections of it.
    pub fn amend(&mut self, corrections: Vec<Correction>) {
        self.corrections = corrections;
    }

    /// When its live file was ended.
    pub fn closed(&self) -> Option<Moment> {
        self.closed
    }

    /// Its result and when it was known.
    pub fn result(&self) -> Option<(Moment, &str)> {
        self.closed.zip(self.result.as_deref())
    }

    /// When something last happened to it. Of a machine whose clock was set back, what happened last may be of an earlier moment.
    pub fn latest(&self) -> Moment {
        let last = self.entries.last().map(|entry| entry.at);
        let last = last.into_iter().chain(self.asides.last_at());
        let times = last.chain(self.closed);
        times.max().unwrap_or(self.opened)
    }

    /// Did the operator say that its setups may be seen by everybody?
    pub fn is_released(&self) -> bool {
        self.released
    }
}

/// Entries of a game that stands in this position before them.
fn written<'game>(
    mut position: Position,
    entries: &'game [RecordedEntry],
) -> impl Iterator<Item = livefile::Entry> + use<'game> {
    entries.iter().map(move |entry| {
        let step = match &entry.step {
            RecordedStep::Ply(ply) => livefile::Step::Ply { before: position, ply: ply.clone() },
            RecordedStep::Setup(setup) => livefile::Step::Setup(**setup),
        };
        position = step.after();
        livefile::Entry { number: entry.number, step, clocks: entry.clocks }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::engine::livefile::Contents;
    use crate::engine::roster;

    pub fn moment(seconds: u32) -> Moment {
        let start = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        start + chrono::TimeDelta::seconds(seconds.into())
    }

    /// A game with these lines, one a second from the second 1 on; the second 0 has the tags.
    pub fn game(tags: &[(&str, &str)], lines: &[&str]) -> GameRecord {
        let (opening, changes) = changes(1, tags, lines);
        let mut game = GameRecord::new(opening, moment(0));
        changes.into_iter().zip(1..).for_each(|(change, at)| game.take(moment(at), change));
        game
    }

    #[test]
    fn live_updates_roundtrip() {
        let zone = |hours: i32| FixedOffset::east_opt(hours * 3_600).unwrap();
        let at = |millis: i64, hours| {
            DateTime::from_timestamp_millis(1_790_000_000_000 + millis).unwrap().with_timezone(&zone(hours))
        };
        let content = [
            (at(0, 1), AsideContent::Provisional("32-28 19-23".into())),
            (at(0, 1), AsideContent::State("unexplained")),
            (at(129, 1), AsideContent::Provisional("".into())),
            // The clock was set back, and summer time ended.
            (at(-3_600_000, 0), AsideContent::Clock(Clocks { running: Some(Color::White), ..Clocks::default() })),
            (
                at(-3_500_000, 0),
                AsideContent::Clock(Clocks {
                    white: None,
                    black: Some(ClockTime(u32::MAX)),
                    running: Some(Color::Black),
                }),
            ),
            (
                at(-3_499_000, 0),
                AsideContent::Clock(Clocks { white: Some(ClockTime(4_800)), black: Some(ClockTime(0)), running: None }),
            ),
            (at(90_000_000, 0), AsideContent::Provisional("x".repeat(300).into())),
            (at(90_000_001, 2), AsideContent::Correction("taken-back")),
        ];
        let mut asides = Asides::default();
        for (at, content) in &content {
            asides.push(*at, content.clone());
        }
        let read: Vec<(Moment, AsideContent)> = asides.iter().map(|aside| (aside.at, aside.content)).collect();
        assert_eq!(read, content);
        let offsets: Vec<&FixedOffset> = read.iter().map(|(at, _)| at.offset()).collect();
        assert_eq!(offsets, content.iter().map(|(at, _)| at.offset()).collect::<Vec<_>>());
        assert_eq!((asides.len(), asides.last_at()), (content.len(), content.last().map(|(at, _)| *at)));
    }

    /// The game of a live file with these tags and these lines.
    pub fn changes(number: u32, tags: &[(&str, &str)], lines: &[&str]) -> (Opening, Vec<GameChange>) {
        let variant = Variant::international();
        let tags: Vec<(String, String)> =
            tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let opening =
            Opening { game: number, variant, tags: roster::tags(variant, &tags), pairing: None, continues: None };
        let text = opening.lines().join("\n") + "\n" + &lines.join("\n") + "\n";
        let read = Contents::read(number, &text).unwrap_or_else(|| panic!("no live file:\n{text}"));
        let ended = read.is_ended.then_some(GameChange::Ended(None));
        (opening, read.entries.into_iter().map(GameChange::Entry).chain(ended).collect())
    }
}
