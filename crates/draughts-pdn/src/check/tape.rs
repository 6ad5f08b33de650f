//! Records the events of one game, in order, in two allocations.
//!
//! A plain game needs no [`crate::game::Game`]: its moves are played while they are read. Only its end shows whether it is plain, so its
//! events are recorded until then: all text in one string, and a small record for each event, where a game needs a string for each move.
//! Playback returns the same events in the same order.
//!
//! Records only events of plain games, and no more than a real game has ([`Tape::MAX_PARTS`], [`Tape::MAX_TEXT_LEN`]).

use crate::game::MoveNumber;
use crate::problem::Location;
use crate::syntax::{Event, WrittenMove};

/// Tags, moves, variations, comments and glyphs.
#[derive(Clone, Default, Debug)]
pub(super) struct Tape {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    location: Location,
    kind: TapeKind,
    /// End of its text, which begins at the end of the previous part's.
    end: u32,
}

/// Kind of a part, and the position at which its text is split in two.
#[derive(Clone, Copy, Debug)]
enum TapeKind {
    Tag { name_begins: u32, name_ends: u32 },
    Move { number: Option<MoveNumber>, strength_begins: Option<u32> },
    Comment,
    Nag(u32),
    Open,
    Close,
}

impl Tape {
    /// Maximum number of parts; the most annotated real game has 2,000 entries.
    pub(super) const MAX_PARTS: usize = 10_000;
    /// Maximum length of the text, in bytes.
    pub(super) const MAX_TEXT_LEN: usize = 1 << 20;

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Records an event. Returns `false`, without recording, if plain games have no such event or the tape is full.
    pub(super) fn record(&mut self, place: Location, event: &Event<'_>) -> bool {
        if self.is_full() {
            return false;
        }
        let kind = match *event {
            Event::Move(ref written) => return self.record_move(place, written),
            Event::Tag { name, value } => {
                let name_begins = self.end();
                self.text.push_str(name);
                let name_ends = self.end();
                self.text.push_str(value);
                TapeKind::Tag { name_begins, name_ends }
            }
            Event::Comment(text) => {
                self.text.push_str(text);
                TapeKind::Comment
            }
            Event::Nag(nag) => TapeKind::Nag(nag),
            Event::Open => TapeKind::Open,
            Event::Close => TapeKind::Close,
            _ => return false,
        };
        self.parts.push(Part { location: place, kind, end: self.end() });
        true
    }

    /// Records a move as [`Tape::record`] does.
    #[inline(always)]
    pub(super) fn record_move(&mut self, place: Location, written: &WrittenMove<'_>) -> bool {
        if self.is_full() || written.captured.is_some() {
            return false;
        }
        // Copying a known number of bytes needs no call.
        match written.text.len() {
            5 => self.text.push_str(&written.text[..5]),
            4 => self.text.push_str(&written.text[..4]),
            _ => self.text.push_str(written.text),
        }
        let strength_begins = written.strength.map(|strength| {
            let begins = self.end();
            self.text.push_str(strength);
            begins
        });
        let kind = TapeKind::Move { number: written.number, strength_begins };
        self.parts.push(Part { location: place, kind, end: self.end() });
        true
    }

    fn is_full(&self) -> bool {
        self.parts.len() >= Tape::MAX_PARTS || self.text.len() >= Tape::MAX_TEXT_LEN
    }

    /// Returns the end of the text, which is only slightly longer than [`Tape::MAX_TEXT_LEN`].
    fn end(&self) -> u32 {
        self.text.len() as u32
    }

    /// Returns the events, in order.
    pub(super) fn events(&self) -> impl Iterator<Item = (Location, Event<'_>)> {
        let starts = std::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        self.parts.iter().zip(starts).map(|(part, start)| {
            let text = |start, end| self.text(start, end);
            let event = match part.kind {
                TapeKind::Tag { name_begins, name_ends } => {
                    Event::Tag { name: text(name_begins, name_ends), value: text(name_ends, part.end) }
                }
                TapeKind::Move { number, strength_begins } => Event::Move(WrittenMove {
                    number,
                    text: text(start, strength_begins.unwrap_or(part.end)),
                    strength: strength_begins.map(|at| text(at, part.end)),
                    captured: None,
                }),
                TapeKind::Comment => Event::Comment(text(start, part.end)),
                TapeKind::Nag(nag) => Event::Nag(nag),
                TapeKind::Open => Event::Open,
                TapeKind::Close => Event::Close,
            };
            (part.location, event)
        })
    }

    /// Returns the tags, in order; comments may precede them and occur between them.
    pub(super) fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| match part.kind {
            TapeKind::Tag { name_begins, name_ends } => {
                Some((self.text(name_begins, name_ends), self.text(name_ends, part.end)))
            }
            _ => None,
        })
    }

    fn text(&self, start: u32, end: u32) -> &str {
        &self.text[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_taped_tokens() {
        let place = |column| Location { line: 3, column };
        let number = Some(MoveNumber { value: 7, ellipsis: true });
        let ply = |text, strength| Event::Move(WrittenMove { number, text, strength, captured: None });
        let events = [
            Event::Tag { name: "White", value: "é" },
            Event::Tag { name: "Empty", value: "" },
            ply("32-28", None),
            ply("19-23", Some("!?")),
            Event::Comment("{"),
            Event::Comment(""),
            Event::Nag(3),
            Event::Open,
            ply("-", Some("")),
            Event::Close,
        ];
        let mut tape = Tape::default();
        for _ in 0..2 {
            tape.clear();
            for (column, event) in (1..).zip(&events) {
                assert!(tape.record(place(column), event));
            }
            let wanted: Vec<_> = (1..).map(place).zip(events.iter().cloned()).collect();
            assert_eq!(tape.events().collect::<Vec<_>>(), wanted);
            assert_eq!(tape.tags().collect::<Vec<_>>(), [("White", "é"), ("Empty", "")]);
        }
    }

    #[test]
    fn tapes_plain_tokens_of_one_game_only() {
        let mut tape = Tape::default();
        for event in [
            Event::Setup("B::"),
            Event::Move(WrittenMove { number: None, text: "47x36", strength: None, captured: Some("42") }),
        ] {
            assert!(!tape.record(Location::START, &event));
        }
        let taped = (0..100_000).take_while(|_| tape.record(Location::START, &Event::Nag(1))).count();
        assert_eq!(taped, Tape::MAX_PARTS);
        assert_eq!(tape.events().count(), Tape::MAX_PARTS);
        tape.clear();
        let long = "x".repeat(100_000);
        let taped = (0..100_000).take_while(|_| tape.record(Location::START, &Event::Comment(&long))).count();
        assert!(taped * long.len() < Tape::MAX_TEXT_LEN + long.len());
    }
}
