//! A part of what was recorded, as a log of its own: a board, a span of time, a game.
//!
//! ```text
//!   board-1-1.log  0 = up ...... 5000 (crash)
//!   board-1-2.log                              0 = up ............ 7000 = down
//!   the part           4000 = up ... 5000 = down  60000 = up .. 63000 = down
//! ```
//!
//! Times count from the opening of the first log of the part, as they did there. Where the part begins while the link was up,
//! and where a log ended without a word, the records that say so are put in; nothing else is changed. So the part can be
//! played like any log, and a game begins in it as it began on the board.

use std::io;

use chrono::TimeDelta;

use super::LineOfLogs;
use crate::engine::broadcast::Moment;
use crate::engine::bytelog::{CONTINUES, GAMES_BEFORE, Header, Record, RecordKind};
use crate::engine::calendar::Calendar;
use crate::engine::millis::Millis;
use crate::engine::playback::{self, PlayedGame, PublishedPart};
use crate::engine::protocol::{BusCommand, BusDecoder, BusItem};
use crate::engine::session::BusAddress;
use crate::engine::session::request::Request;

/// From when to when; both belong to it.
pub type TimeSpan = (Moment, Moment);

/// What came after a game is part of it for so long: the result, the pieces put back.
const AFTER: TimeDelta = TimeDelta::seconds(60);

/// When a game was recorded: its first line and its last. `None` when its logs do not say.
pub fn span(game: &PlayedGame) -> Option<TimeSpan> {
    let history = game.history();
    Some((history.first()?.0, history.iter().map(|(at, _)| *at).max()?))
}

/// The plies and setups of a game.
pub fn entries(game: &PlayedGame) -> usize {
    game.history().iter().filter(|(_, published)| matches!(published, PublishedPart::Entry(_))).count()
}

/// All the time that belongs to a game of a board: since the game before it ended, until it was over.
pub fn span_of_game(line: &LineOfLogs, board: Option<BusAddress>, number: u32) -> Option<TimeSpan> {
    let games = || line.played.iter().flat_map(|played| &played.games).filter(|game| game.board == board);
    let (_, end) = span(games().find(|game| game.number() == number)?)?;
    let before = games().filter(|game| game.number() < number).filter_map(span).map(|(_, end)| end).max();
    Some((before.unwrap_or_default(), end + AFTER))
}

/// Hands on the head and the records of a line in a span of time, one at a time, as those of one log. Returns whether there are any.
///
/// # Errors
///
/// As the disk says, or whoever takes them.
pub fn extract(
    line: &LineOfLogs,
    span: TimeSpan,
    games_before: Option<(Option<BusAddress>, u32)>,
    mut take: impl FnMut(LogPart) -> io::Result<()>,
) -> io::Result<bool> {
    let mut start: Option<Millis> = None;
    let mut end = Millis::ZERO;
    let mut calendar: Option<Calendar> = None;
    for log in &line.logs {
        let Some(shown) = log.header.shown() else { continue };
        let shift = calendar.as_ref().map_or(Millis::ZERO, |calendar| playback::shift(calendar, end, &log.header));
        let calendar = calendar.get_or_insert_with(|| Calendar::new(shown));
        calendar.set(shift, shown);
        let mut is_up = false;
        let mut last = None;
        let mut records = log.named()?.records()?;
        while let Some(record) = records.next_record()? {
            let time = shift + Millis(record.at);
            end = shift + Millis(record.end());
            if let RecordKind::ClockSet(shown) = record.kind {
                calendar.set(time, shown);
            }
            let at = calendar.moment(time);
            if at > span.1 {
                break;
            }
            if at >= span.0 {
                if start.is_none() {
                    take(LogPart::Head(head(&log.header, games_before)))?;
                    if calendar.since() > shift && calendar.since() < time {
                        take(LogPart::Record(Record::new(record.at, RecordKind::ClockSet(at))))?;
                    }
                }
                let ms = (time - *start.get_or_insert(shift)).0;
                if last.is_none() && is_up {
                    take(LogPart::Record(Record::new(ms, RecordKind::LinkUp)))?;
                }
                last = Some(ms + (record.end() - record.at));
                take(LogPart::Record(Record::new(ms, record.kind.clone())))?;
            }
            match record.kind {
                RecordKind::LinkUp | RecordKind::FromBoard(_) | RecordKind::Unchanged(_) => is_up = true,
                RecordKind::LinkDown => is_up = false,
                _ => {}
            }
        }
        // A log that ended without a word, or a part that does.
        if let Some(last) = last.filter(|_| is_up) {
            take(LogPart::Record(Record::new(last, RecordKind::LinkDown)))?;
        }
    }
    Ok(start.is_some())
}

/// A piece of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogPart {
    /// What it begins with.
    Head(Header),
    /// One of its records.
    Record(Record),
}

impl LogPart {
    /// As it stands in a log.
    pub fn to_text(&self) -> String {
        match self {
            LogPart::Head(header) => header.to_text(),
            LogPart::Record(record) => record.to_line(),
        }
    }
}

/// What one board of a bus said and was told, and nothing of the others; noise, which nobody can be blamed for, is left out.
///
/// It is played like the log of another program, whose answers nobody asked for: its moves are the same, but when the recorder
/// was sure of one may be another moment, for here it has other questions open.
pub struct OfBoard {
    board: BusAddress,
    decoder: BusDecoder,
}

impl OfBoard {
    /// What is about this board.
    pub fn new(board: BusAddress) -> OfBoard {
        OfBoard { board, decoder: BusDecoder::new() }
    }

    /// What of the next piece of the log of all is about the board.
    pub fn take(&mut self, piece: LogPart) -> Vec<LogPart> {
        match piece {
            LogPart::Head(mut header) => {
                header.boards.retain(|address, _| *address == self.board.number());
                vec![LogPart::Head(header)]
            }
            LogPart::Record(record) => record.unpacked().filter_map(|record| self.record(record)).collect(),
        }
    }

    fn record(&mut self, record: Record) -> Option<LogPart> {
        let board = self.board;
        let others = |text: &str| text.strip_prefix("board ").is_some_and(|rest| !names(rest, board));
        let kind = match record.kind {
            RecordKind::FromBoard(bytes) => RecordKind::FromBoard(said_by(&mut self.decoder, &bytes, board)),
            RecordKind::ToBoard(bytes) => RecordKind::ToBoard(told_to(&bytes, board)),
            RecordKind::Operator(request) if !is_for(&request, board) => return None,
            RecordKind::Note(note) if others(&note) => return None,
            RecordKind::LinkUp => {
                self.decoder.reset();
                RecordKind::LinkUp
            }
            other => other,
        };
        let is_nothing = matches!(&kind, RecordKind::FromBoard(bytes) | RecordKind::ToBoard(bytes) if bytes.is_empty());
        (!is_nothing).then(|| LogPart::Record(Record::new(record.at, kind)))
    }
}

fn is_for(request: &str, board: BusAddress) -> bool {
    request.parse::<Request>().is_ok_and(|request| request.to.address() == Some(board))
}

/// Does this text begin with the address of a board?
fn names(text: &str, board: BusAddress) -> bool {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse() == Ok(board.number())
}

fn said_by(decoder: &mut BusDecoder, bytes: &[u8], board: BusAddress) -> Vec<u8> {
    let own = |item| if let BusItem::Message(message) = item { Some(message) } else { None };
    let own = decoder.feed(bytes).into_iter().filter_map(own).filter(|message| message.from == board);
    own.flat_map(|message| message.encode()).collect()
}

fn told_to(bytes: &[u8], board: BusAddress) -> Vec<u8> {
    let is_own = |command: &&[u8]| {
        let decoded = <[u8; 4]>::try_from(*command).ok().and_then(BusCommand::decode);
        decoded.is_some_and(|(_, to)| to == board || to == BusAddress::ALL)
    };
    bytes.chunks(4).filter(is_own).flatten().copied().collect()
}

/// The head of a part: that of the log it begins in, as if nothing had been before.
fn head(header: &Header, games_before: Option<(Option<BusAddress>, u32)>) -> Header {
    let mut header = header.clone();
    header.other.retain(|(key, _)| key != CONTINUES);
    header.other.push((CONTINUES.to_owned(), "no".to_owned()));
    if let Some((board, number)) = games_before {
        let pair = (GAMES_BEFORE.to_owned(), number.to_string());
        let other = match board {
            None => &mut header.other,
            Some(board) => &mut header.boards.entry(board.number()).or_default().other,
        };
        other.retain(|(key, _)| key != GAMES_BEFORE);
        other.push(pair);
    }
    header
}
