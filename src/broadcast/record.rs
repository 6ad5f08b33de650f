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
    /// These moves are likely to be next, and not final; none are any more.
    Provisional(Vec<String>),
    /// What the clock shows, where nobody could know it.
    Clock(Clocks),
    /// What is going on on the board, in one word.
    State(&'static str),
    /// Why the last setup was needed, in one word.
    Correction(&'static str),
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
    asides: Vec<Aside>,
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
            asides: Vec::new(),
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
            Change::Aside(told) => self.asides.push(Aside { at, told }),
            Change::Released => self.released = true,
            Change::Opened { .. } => {}
        }
    }

    fn line(&mut self, at: Moment, line: &str) {
        if line == "*" {
            self.closed = Some(at);
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
    pub fn asides(&self) -> &[Aside] {
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
        let last = last.into_iter().chain(self.asides.last().map(|aside| aside.at));
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
