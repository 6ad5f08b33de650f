//! The record of one game: the lines of its live file, taken apart, each with the moment at which it was written.
//!
//! ```text
//!   [White "Wiersma, Harm"]                       tags
//!   [Result "*"]
//!
//!   1. 32-28 {[%clock w1:29:49 B1:30:00]}         Entry { number 1., text 32-28, clocks }
//!   /FEN "B:W28,31-50:B1-20"/                     Entry { setup }
//!   *                                             closed
//! ```
//!
//! The lines are the station's own, so a line that is none of these is not an error of anybody outside: it is kept as it
//! stands in no entry, and the checker before publication has the last word.

use chrono::{DateTime, FixedOffset};

use super::Moment;
use crate::pdn::clock::Clocks;
use crate::pdn::tag;
use crate::rules::{Color, Variant};

/// What happens to the games of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A game has its first entry; its lines follow.
    Opened {
        /// Its number on the board.
        game: u32,
    },
    /// A line of its live file, without the LF.
    Line(String),
    /// Its result, in the format of the game type.
    Result(String),
    /// Something that stands in none of its files.
    Aside(Told),
    /// The operator says that everybody may see it, the setups in it too.
    Released,
}

/// A ply or a setup of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// When it was published by the recorder.
    pub at: Moment,
    /// What it is.
    pub step: Step,
    /// The clocks behind it.
    pub clocks: Option<Clocks>,
}

/// Something about a game that stands in none of its files, and may be taken back by the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aside {
    /// When it was told.
    pub at: Moment,
    /// What.
    pub told: Told,
}

/// What is told about a game beside its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
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
/// ```
///
/// Numbers have seven bits a byte, the highest bit of all but the last is set.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Asides {
    packed: Vec<u8>,
    others: Vec<Told>,
    count: usize,
    last: Option<Moment>,
    /// From which on times are told otherwise than in UTC, and how.
    offsets: Vec<(usize, FixedOffset)>,
}

impl Asides {
    fn push(&mut self, at: Moment, told: Told) {
        if self.offsets.last().map(|(_, offset)| offset) != Some(at.offset()) {
            self.offsets.push((self.count, *at.offset()));
        }
        let since = at.timestamp_millis().wrapping_sub(self.last.map_or(0, |last| last.timestamp_millis()));
        // A clock may be set back.
        self.number(((since << 1) ^ (since >> 63)) as u64);
        match told {
            Told::Provisional(moves) => {
                self.number(0);
                self.number(moves.len() as u64);
                self.packed.extend_from_slice(moves.as_bytes());
            }
            other => {
                self.number(1);
                self.others.push(other);
            }
        }
        self.count += 1;
        self.last = Some(at);
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
    pub fn iter(&self) -> impl Iterator<Item = Aside> + '_ {
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
            let told = match take_number(&mut rest)? {
                0 => {
                    let length = usize::try_from(take_number(&mut rest)?).ok()?;
                    let (moves, after) = rest.split_at_checked(length)?;
                    rest = after;
                    Told::Provisional(std::str::from_utf8(moves).ok()?.into())
                }
                _ => others.next()?.clone(),
            };
            let at = DateTime::from_timestamp_millis(at)?.with_timezone(&offset?);
            Some(Aside { at, told })
        })
    }

    fn shrink_to_fit(&mut self) {
        self.packed.shrink_to_fit();
    }
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

/// A step of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A move.
    Ply {
        /// The number before it: the number of the move, and whether three dots follow it.
        number: Option<(u32, bool)>,
        /// The move in the standard's notation.
        text: String,
    },
    /// The position had to be set up.
    Setup {
        /// The position.
        fen: String,
    },
}

/// The record of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Its number on the board.
    pub number: u32,
    /// When its file was begun.
    pub opened: Moment,
    /// What is played.
    pub variant: &'static Variant,
    tags: Vec<(String, String)>,
    entries: Vec<Entry>,
    asides: Asides,
    closed: Option<Moment>,
    result: Option<(Moment, String)>,
    released: bool,
}

impl GameRecord {
    /// A game of which nothing is known but its number.
    pub fn new(number: u32, opened: Moment, variant: &'static Variant) -> GameRecord {
        GameRecord {
            number,
            opened,
            variant,
            tags: Vec::new(),
            entries: Vec::new(),
            asides: Asides::default(),
            closed: None,
            result: None,
            released: false,
        }
    }

    /// Takes what happened to it.
    pub fn take(&mut self, at: Moment, change: Change) {
        match change {
            Change::Line(line) => self.line(at, &line),
            Change::Result(result) => self.result = Some((at, result)),
            Change::Aside(told) => self.asides.push(at, told),
            Change::Released => self.released = true,
            Change::Opened { .. } => {}
        }
    }

    fn line(&mut self, at: Moment, line: &str) {
        if line == "*" {
            self.closed = Some(at);
            // Games of a hall that plays for days are many.
            self.entries.shrink_to_fit();
            self.asides.shrink_to_fit();
        } else if self.entries.is_empty() && line.starts_with('[') {
            let parts = tag::parts(line);
            self.tags.push((parts.name, parts.value));
        } else if let Some(entry) = entry(at, line) {
            self.entries.push(entry);
        }
    }

    /// The value of a tag of its live file.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The tags of its live file, in order.
    pub fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// Its plies and setups.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was told about it beside its file.
    pub fn asides(&self) -> &Asides {
        &self.asides
    }

    /// When its live file was ended.
    pub fn closed(&self) -> Option<Moment> {
        self.closed
    }

    /// Its result and when it was known.
    pub fn result(&self) -> Option<(Moment, &str)> {
        self.result.as_ref().map(|(at, result)| (*at, result.as_str()))
    }

    /// When something last happened to it. Of a machine whose clock was set back, what happened last may be of an earlier moment.
    pub fn latest(&self) -> Moment {
        let last = self.entries.last().map(|entry| entry.at);
        let last = last.into_iter().chain(self.asides.last_at());
        let times = last.chain(self.closed).chain(self.result.as_ref().map(|(at, _)| *at));
        times.max().unwrap_or(self.opened)
    }

    /// Did the operator say that its setups may be seen by everybody?
    pub fn is_released(&self) -> bool {
        self.released
    }
}

/// A line of movetext as an entry.
fn entry(at: Moment, line: &str) -> Option<Entry> {
    let (text, comment) = match line.split_once(" {") {
        Some((text, comment)) => (text, comment.strip_suffix('}').unwrap_or(comment)),
        None => (line, ""),
    };
    // Both letters stand in our own comments; the mover decides only what a comment without letters would mean.
    let clocks = Clocks::of_comment(comment, Color::White);
    if let Some(rest) = text.strip_prefix("/FEN \"") {
        let fen = rest.strip_suffix("\"/")?.to_owned();
        return Some(Entry { at, step: Step::Setup { fen }, clocks });
    }
    let (number, text) = match text.split_once(". ") {
        Some((number, text)) => {
            let digits = number.trim_end_matches('.');
            (Some((digits.parse().ok()?, digits != number)), text)
        }
        None => (None, text),
    };
    (!text.is_empty()).then(|| Entry { at, step: Step::Ply { number, text: text.to_owned() }, clocks })
}

#[cfg(test)]
pub(super) mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::pdn::clock::ClockTime;

    pub fn moment(seconds: u32) -> Moment {
        let start = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
        start + chrono::TimeDelta::seconds(seconds.into())
    }

    /// A game with these lines, one a second from the second 1 on; the second 0 has the tags.
    pub fn game(tags: &[&str], lines: &[&str]) -> GameRecord {
        let mut game = GameRecord::new(1, moment(0), Variant::international());
        tags.iter().for_each(|tag| game.take(moment(0), Change::Line((*tag).to_owned())));
        game.take(moment(0), Change::Line(String::new()));
        lines.iter().zip(1..).for_each(|(line, at)| game.take(moment(at), Change::Line((*line).to_owned())));
        game
    }

    #[test]
    fn what_was_told_beside_a_game_is_kept_as_it_was() {
        let zone = |hours: i32| FixedOffset::east_opt(hours * 3_600).unwrap();
        let at = |millis: i64, hours| {
            DateTime::from_timestamp_millis(1_790_000_000_000 + millis).unwrap().with_timezone(&zone(hours))
        };
        let told = [
            (at(0, 1), Told::Provisional("32-28 19-23".into())),
            (at(0, 1), Told::State("unexplained")),
            (at(129, 1), Told::Provisional("".into())),
            // The clock was set back, and summer time ended.
            (at(-3_600_000, 0), Told::Clock(Clocks { running: Some(Color::White), ..Clocks::default() })),
            (at(90_000_000, 0), Told::Provisional("x".repeat(300).into())),
            (at(90_000_001, 2), Told::Correction("taken-back")),
        ];
        let mut asides = Asides::default();
        for (at, told) in &told {
            asides.push(*at, told.clone());
        }
        let read: Vec<(Moment, Told)> = asides.iter().map(|aside| (aside.at, aside.told)).collect();
        assert_eq!(read, told);
        let offsets: Vec<&FixedOffset> = read.iter().map(|(at, _)| at.offset()).collect();
        assert_eq!(offsets, told.iter().map(|(at, _)| at.offset()).collect::<Vec<_>>());
        assert_eq!((asides.len(), asides.last_at()), (told.len(), Some(told[5].0)));
    }

    #[test]
    fn lines_are_taken_apart() {
        let lines = [
            "1. 32-28 {[%clock w1:29:49 B1:30:00]}",
            "19-23",
            "/FEN \"W:W28:B23\"/ {[%clock W0:00:09 b0:00:10]}",
            "2... 23x32",
            "*",
        ];
        let game = game(&["[White \"a \\\"b\\\"\"]", "[Result \"*\"]", ""], &lines);
        assert_eq!((game.tag("White"), game.tag("Result"), game.tag("Black")), (Some("a \"b\""), Some("*"), None));
        let ply = |number, text: &str| Step::Ply { number, text: text.to_owned() };
        let steps: Vec<&Step> = game.entries().iter().map(|entry| &entry.step).collect();
        let setup = Step::Setup { fen: "W:W28:B23".into() };
        assert_eq!(
            steps,
            [&ply(Some((1, false)), "32-28"), &ply(None, "19-23"), &setup, &ply(Some((2, true)), "23x32")]
        );
        let clocks: Vec<Option<u32>> = game.entries().iter().map(|entry| Some(entry.clocks?.white?.0)).collect();
        assert_eq!(clocks, [Some(ClockTime(5389).0), None, Some(9), None]);
        assert_eq!((game.closed(), game.entries()[2].at), (Some(moment(5)), moment(3)));
    }
}
