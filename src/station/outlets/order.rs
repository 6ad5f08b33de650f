//! The order in which the events of a round were told: which event of which game each line of `events.ndjson` is.
//!
//! ```text
//!   1 + hall-1 1 1 ;9a0f12c3        line, board, game, number of the event in the game; checksum as in a log
//!   2 + hall-2 1 1 ;...
//! ```
//!
//! What an event says is a function of its line's log. Which of two boards was heard first is not, so it is written down
//! here, `log/events.order`, before the events are told: then the file of events can be completed, and made again, byte for
//! byte. It is a log of the station, not of a line; the records have the form of a byte log's.

use std::io::{self, BufRead, Read};

use crate::engine::broadcast::events::{EventId, Stream};
use crate::engine::bytelog::{self, Record, RecordKind};

/// The mark of its records.
const RECORD_MARK: char = '+';
/// No record is longer.
const MAX_RECORD_LEN: u64 = 4_096;
/// What stands before the number of an event that is told beside a game.
const LIVE_UPDATE_MARK: &str = "~";
/// And before that of an event of a tournament; its board is called so, too, for it has none.
const TOURNAMENT_MARK: &str = "=";

/// The record of the line with this number.
pub fn record(seq: u64, place: &EventId) -> String {
    let EventId { board, game, stream, n } = place;
    let (board, mark) = match stream {
        Stream::Game => (board.as_str(), ""),
        Stream::LiveUpdate => (board.as_str(), LIVE_UPDATE_MARK),
        Stream::Tournament => (TOURNAMENT_MARK, TOURNAMENT_MARK),
    };
    Record::new(seq, RecordKind::Other(RECORD_MARK, format!("{board} {game} {mark}{n}"))).to_line()
}

/// An order that is read place by place, as far as it is right.
pub struct EventIdReader<R> {
    source: R,
    line: Vec<u8>,
    /// How many places were read.
    pub count: u64,
    /// How many bytes tell of them.
    pub valid_bytes: u64,
    is_finished: bool,
}

impl<R: BufRead> EventIdReader<R> {
    /// Reads from a source.
    pub fn new(source: R) -> EventIdReader<R> {
        EventIdReader { source, line: Vec::new(), count: 0, valid_bytes: 0, is_finished: false }
    }

    /// The next place; `None` at the end of what is right.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn next_id(&mut self) -> io::Result<Option<EventId>> {
        if self.is_finished {
            return Ok(None);
        }
        self.line.clear();
        // A line that is longer than any place is none.
        self.source.by_ref().take(MAX_RECORD_LEN).read_until(b'\n', &mut self.line)?;
        // Nothing but the very line that was written counts; so a checksum is there, too.
        let place = parse_event_id(&self.line, self.count + 1);
        let place = place.filter(|place| record(self.count + 1, place).as_bytes() == self.line);
        match &place {
            Some(_) => {
                self.count += 1;
                self.valid_bytes += self.line.len() as u64;
            }
            // What follows is not right either.
            None => self.is_finished = true,
        }
        Ok(place)
    }
}

fn parse_event_id(line: &[u8], seq: u64) -> Option<EventId> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    match bytelog::parse_line(line).ok()? {
        bytelog::LogLine::Record(Record { at, kind: RecordKind::Other(RECORD_MARK, text) }) if at == seq => {
            let mut words = text.split(' ');
            let (board, game, n) = (words.next()?, words.next()?, words.next()?);
            let marked = [(LIVE_UPDATE_MARK, Stream::LiveUpdate), (TOURNAMENT_MARK, Stream::Tournament)];
            let marked = marked.into_iter().find_map(|(mark, stream)| Some((stream, n.strip_prefix(mark)?)));
            let (stream, n) = marked.unwrap_or((Stream::Game, n));
            let board = if stream == Stream::Tournament { "" } else { board };
            Some(EventId { board: board.to_owned(), game: game.parse().ok()?, stream, n: n.parse().ok()? })
        }
        _ => None,
    }
}

/// Which event a line of `events.ndjson` is, by what it says of itself.
pub fn event_id(line: &[u8]) -> Option<EventId> {
    let line = std::str::from_utf8(line).ok()?;
    let number = |name: &str| -> Option<u64> {
        let at = line.find(name)? + name.len();
        let digits = line[at..].split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let first = |name: &str| line.find(name).unwrap_or(usize::MAX);
    let (n, p, t) = (first("\"n\":"), first("\"p\":"), first("\"t\":"));
    if t < n && t < p {
        return Some(EventId { board: String::new(), game: 0, stream: Stream::Tournament, n: number("\"t\":")? });
    }
    // Names of boards need no escapes, and these members stand before all others.
    let board = line.split("\"board\":\"").nth(1)?.split('"').next()?;
    let game = u32::try_from(number("\"game\":")?).ok()?;
    // The first that comes: a tag may be called like another.
    let (stream, name) = if n < p { (Stream::Game, "\"n\":") } else { (Stream::LiveUpdate, "\"p\":") };
    Some(EventId { board: board.to_owned(), game, stream, n: number(name)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Vec<EventId>, usize) {
        let mut places = EventIdReader::new(text);
        let all = std::iter::from_fn(|| places.next_id().unwrap()).collect();
        (all, places.valid_bytes as usize)
    }

    #[test]
    fn reads_order_up_to_first_error() {
        let place = |board: &str, game, stream, n| EventId { board: board.to_owned(), game, stream, n };
        let places = [
            place("hall-1", 1, Stream::Game, 1),
            place("b", 12, Stream::Game, 300),
            place("hall-1", 1, Stream::LiveUpdate, 1),
            place("", 0, Stream::Tournament, 7),
        ];
        let lines: Vec<String> = (1..).zip(&places).map(|(seq, place)| record(seq, place)).collect();
        let text = lines.concat();
        assert_eq!(read(text.as_bytes()), (places.to_vec(), text.len()));
        for cut in 0..text.len() {
            let whole = lines
                .iter()
                .scan(0, |end, line| {
                    *end += line.len();
                    Some(*end)
                })
                .filter(|&end| end <= cut);
            let count = whole.clone().count();
            assert_eq!(read(&text.as_bytes()[..cut]), (places[..count].to_vec(), whole.last().unwrap_or(0)));
        }
        let flipped = text.replacen("12", "13", 1);
        assert!(read(flipped.as_bytes()).0.len() < 4);
    }
}
