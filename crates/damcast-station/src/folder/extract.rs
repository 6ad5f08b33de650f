//! A part of a recording, as a log of its own: a board, a span of time, a game.
//!
//! ```text
//!   board-1-1.log  0 = up ...... 5000 (crash)
//!   board-1-2.log                              0 = up ............ 7000 = down
//!   the part           4000 = up ... 5000 = down  60000 = up .. 63000 = down
//! ```
//!
//! Times count from the opening of the first log of the part, as in that log. Where the part begins with the link up, and where a log ended
//! without a closing record, the missing records are inserted; nothing else is changed. So the part can be played back like any log, and a
//! game begins in it as it began on the board.

use std::io;

use chrono::TimeDelta;
use damcast_engine::broadcast::WallTime;
use damcast_engine::bytelog::{Header, KEY_CONTINUES, KEY_GAMES_BEFORE, Record, RecordKind};
use damcast_engine::calendar::Calendar;
use damcast_engine::millis::Millis;
use damcast_engine::playback::{self, PlayedGame, PublishedEvent};
use damcast_engine::protocol::{BusCommand, BusDecoder, BusItem};
use damcast_engine::session::BusAddress;
use damcast_engine::session::request::Request;

use super::LineLogs;

/// First and last moment, both included.
pub type TimeSpan = (WallTime, WallTime);

/// Time after a game that belongs to it: for the result, and putting the pieces back.
const TRAILING_TIME: TimeDelta = TimeDelta::seconds(60);

/// Returns the times of a game's first and last line; `None` if its logs do not say.
pub fn recorded_span(game: &PlayedGame) -> Option<TimeSpan> {
    let history = game.published_events();
    Some((history.first()?.0, history.iter().map(|(at, _)| *at).max()?))
}

/// Returns the number of plies and setups of a game.
pub fn entries(game: &PlayedGame) -> usize {
    game.published_events().iter().filter(|(_, published)| matches!(published, PublishedEvent::Entry(_))).count()
}

/// Returns the time that belongs to a game of a board: from the end of the previous game until the game was over.
pub fn span_of_game(line: &LineLogs, board: Option<BusAddress>, number: u32) -> Option<TimeSpan> {
    let games = || line.playback.iter().flat_map(|played| &played.games).filter(|game| game.board == board);
    let (_, end) = recorded_span(games().find(|game| game.number() == number)?)?;
    let before = games().filter(|game| game.number() < number).filter_map(recorded_span).map(|(_, end)| end).max();
    Some((before.unwrap_or_default(), end + TRAILING_TIME))
}

/// Passes the head and the records of a line in a span of time to `take`, one at a time, as those of one log. Returns whether there are
/// any.
///
/// # Errors
///
/// Returns any I/O error, and errors of `take`.
pub fn extract(
    line: &LineLogs,
    span: TimeSpan,
    games_before: Option<(Option<BusAddress>, u32)>,
    mut take: impl FnMut(LogPart) -> io::Result<()>,
) -> io::Result<bool> {
    let mut start: Option<Millis> = None;
    let mut end = Millis::ZERO;
    let mut calendar: Option<Calendar> = None;
    for log in &line.logs {
        let Some(shown) = log.header.machine_clock() else { continue };
        let shift = calendar.as_ref().map_or(Millis::ZERO, |calendar| playback::shift(calendar, end, &log.header));
        let calendar = calendar.get_or_insert_with(|| Calendar::new(shown));
        calendar.set_clock(shift, shown);
        let mut is_up = false;
        let mut last = None;
        let mut records = log.open_input()?.records()?;
        while let Some(record) = records.next_record()? {
            let time = shift + Millis(record.at);
            end = shift + Millis(record.end_time());
            if let RecordKind::ClockSet(shown) = record.kind {
                calendar.set_clock(time, shown);
            }
            let at = calendar.moment(time);
            if at > span.1 {
                break;
            }
            if at >= span.0 {
                if start.is_none() {
                    take(LogPart::Header(part_header(&log.header, games_before)))?;
                    if calendar.epoch_start() > shift && calendar.epoch_start() < time {
                        take(LogPart::Record(Record::new(record.at, RecordKind::ClockSet(at))))?;
                    }
                }
                let ms = (time - *start.get_or_insert(shift)).0;
                if last.is_none() && is_up {
                    take(LogPart::Record(Record::new(ms, RecordKind::LinkUp)))?;
                }
                last = Some(ms + (record.end_time() - record.at));
                take(LogPart::Record(Record::new(ms, record.kind.clone())))?;
            }
            match record.kind {
                RecordKind::LinkUp | RecordKind::FromBoard(_) | RecordKind::IdleAnswers(_) => is_up = true,
                RecordKind::LinkDown => is_up = false,
                _ => {}
            }
        }
        // The log, or the part, ends without a closing record.
        if let Some(last) = last.filter(|_| is_up) {
            take(LogPart::Record(Record::new(last, RecordKind::LinkDown)))?;
        }
    }
    Ok(start.is_some())
}

/// A piece of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogPart {
    /// Header of the log.
    Header(Header),
    /// A record of the log.
    Record(Record),
}

impl LogPart {
    /// Returns the text of the part as in a log.
    pub fn to_text(&self) -> String {
        match self {
            LogPart::Header(header) => header.to_text(),
            LogPart::Record(record) => record.to_line(),
        }
    }
}

/// Selects the records of one board of a bus: received and sent. Leaves out other boards, and noise, which has no known sender.
///
/// The result is played back like the log of another program, without knowledge of its queries. The moves are equal, but a move may be
/// certain at another time, because other queries are open.
pub struct BoardFilter {
    board: BusAddress,
    decoder: BusDecoder,
}

impl BoardFilter {
    /// Creates the filter for a board.
    pub fn new(board: BusAddress) -> BoardFilter {
        BoardFilter { board, decoder: BusDecoder::new() }
    }

    /// Returns the parts of the next piece of the bus log that concern the board.
    pub fn push(&mut self, piece: LogPart) -> Vec<LogPart> {
        match piece {
            LogPart::Header(mut header) => {
                header.boards.retain(|address, _| *address == self.board.number());
                vec![LogPart::Header(header)]
            }
            LogPart::Record(record) => record.expand().filter_map(|record| self.record(record)).collect(),
        }
    }

    fn record(&mut self, record: Record) -> Option<LogPart> {
        let board = self.board;
        let others = |text: &str| text.strip_prefix("board ").is_some_and(|rest| !names_board(rest, board));
        let kind = match record.kind {
            RecordKind::FromBoard(bytes) => RecordKind::FromBoard(bytes_from(&mut self.decoder, &bytes, board)),
            RecordKind::ToBoard(bytes) => RecordKind::ToBoard(bytes_to(&bytes, board)),
            RecordKind::Operator(request) if !is_for_board(&request, board) => return None,
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

fn is_for_board(request: &str, board: BusAddress) -> bool {
    request.parse::<Request>().is_ok_and(|request| request.target.address() == Some(board))
}

/// Whether this text begins with the address of a board.
fn names_board(text: &str, board: BusAddress) -> bool {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse() == Ok(board.number())
}

/// Returns the bytes of the board's own messages.
fn bytes_from(decoder: &mut BusDecoder, bytes: &[u8], board: BusAddress) -> Vec<u8> {
    let own = |item| if let BusItem::Message(message) = item { Some(message) } else { None };
    let own = decoder.feed(bytes).into_iter().filter_map(own).filter(|message| message.from == board);
    own.flat_map(|message| message.encode()).collect()
}

/// Returns the commands to the board, alone or with all others.
fn bytes_to(bytes: &[u8], board: BusAddress) -> Vec<u8> {
    let is_own = |command: &&[u8]| {
        let decoded = <[u8; 4]>::try_from(*command).ok().and_then(BusCommand::decode);
        decoded.is_some_and(|(_, to)| to == board || to == BusAddress::ALL)
    };
    bytes.chunks(4).filter(is_own).flatten().copied().collect()
}

/// Returns the head of a part: that of its first log, without a previous log.
fn part_header(header: &Header, games_before: Option<(Option<BusAddress>, u32)>) -> Header {
    let mut header = header.clone();
    header.other.retain(|(key, _)| key != KEY_CONTINUES);
    header.other.push((KEY_CONTINUES.to_owned(), "no".to_owned()));
    if let Some((board, number)) = games_before {
        let pair = (KEY_GAMES_BEFORE.to_owned(), number.to_string());
        let other = match board {
            None => &mut header.other,
            Some(board) => &mut header.boards.entry(board.number()).or_default().other,
        };
        other.retain(|(key, _)| key != KEY_GAMES_BEFORE);
        other.push(pair);
    }
    header
}
