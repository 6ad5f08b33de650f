//! Plays the logs of a line one after the other.
//!
//! ```text
//!   log 1   opened 09:30   0 ......... 5000 (crash)
//!   log 2   opened 09:31                          0 ........ 7000 = down
//!                                                 │
//!   line    0 ............ 5000  link down        60000 .... 67000           shift = difference of "opened"
//! ```
//!
//! Logs of one line form *chains*. A log whose header has `# continues: no` starts a chain: a new [`Line`] with the
//! settings of that header. Other logs continue the line of the previous log, whatever settings their headers have.
//! `# games-before: N` is the number of games on the line before the log was opened, so a chain can be played without
//! earlier chains.
//!
//! `# clock: RFC3339` is the machine clock when the log was opened, if it differs from `opened`: logs are sorted by
//! `opened`, and a clock can be set back. `# dates-from: RFC3339` is the earliest plausible date, because a clock that
//! shows less was not set.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::{Playback, PlaybackError, PlayedGame};
use crate::bytelog::{Header, KEY_CLOCK, LogInput, LogSummary, RecordKind};
use crate::calendar::Calendar;
use crate::millis::Millis;
use crate::session::{BusAddress, Input, Line, LineSettings};

/// Minimum time between the end of a log and the opening of the next. If a log was opened no later than that, the
/// length of the gap is unknown: the clock was set back, as on a machine without a battery-backed clock.
pub const MIN_LOG_GAP: Millis = Millis(1);

/// Longest time between two records while the link is up. A line runs every deadline in between, and a present board is
/// polled every few seconds. Without this limit a damaged or invented time could make that last for ever.
const MAX_TIME_JUMP: Millis = Millis::seconds(31 * 24 * 3600);

/// Result of playing logs.
#[derive(Default)]
pub struct PlaybackResult {
    /// Games of all chains, in order.
    pub games: Vec<PlayedGame>,
    /// Summary of each log after its name, in the order of playing.
    pub logs: Vec<(String, LogSummary)>,
    /// Last chain; `None` without a log.
    pub last_chain: Option<LogChain>,
}

/// Last chain of the played logs, with the state that a station needs to continue it.
pub struct LogChain {
    /// Line after the last record.
    pub line: Line,
    /// Header of the log that started the chain and supplied its settings.
    pub header: Header,
    /// Wall-clock times of the line, if the opening time is known.
    pub calendar: Option<Calendar>,
    /// Time of the last record.
    pub end_time: Millis,
}

/// Implausibly long time between two records while the link is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the time goes from {from} to {to}, more than 31 days at once; is the log damaged?")]
pub struct TimeJump {
    /// Time of the previous record.
    pub from: Millis,
    /// Time of this record.
    pub to: Millis,
}

impl TimeJump {
    /// Checks the time between two records.
    ///
    /// # Errors
    ///
    /// Returns [`TimeJump`] if it exceeds the limit.
    pub fn check(from: Millis, to: Millis) -> Result<(), TimeJump> {
        if to - from > MAX_TIME_JUMP { Err(TimeJump { from, to }) } else { Ok(()) }
    }
}

/// Plays all logs of one line, in the order of their opening. `game_type` overrides the headers.
///
/// # Errors
///
/// Returns the errors of [`play_with_notices`].
pub fn play(logs: Vec<LogInput>, game_type: Option<&str>) -> Result<PlaybackResult, PlaybackError> {
    play_with_notices(logs, game_type, |_| {})
}

/// Plays logs like [`play`]. `tell` receives notices about the logs, and the messages for the operator during the
/// recording.
///
/// # Errors
///
/// Returns an error if the logs do not belong together, if a header has impossible settings, or if a log cannot be
/// read. The content of records never causes an error, except a [`TimeJump`].
pub fn play_with_notices(
    logs: Vec<LogInput>,
    game_type: Option<&str>,
    on_notice: impl FnMut(String),
) -> Result<PlaybackResult, PlaybackError> {
    let mut games = Vec::new();
    let mut played = play_logs(logs, game_type, on_notice, |chain, game| games.push((chain, game)))?;
    // A game that was opened later may have finished earlier.
    games.sort_by_key(|(chain, game)| (*chain, game.times.opened_at));
    played.games = games.into_iter().map(|(_, game)| game).collect();
    Ok(played)
}

/// Plays logs like [`play`], for more games than fit in memory. `each` receives every game as soon as nothing can
/// change it, in order per board, and [`PlaybackResult::games`] stays empty.
///
/// # Errors
///
/// Returns the errors of [`play_with_notices`].
pub fn play_each_game(logs: Vec<LogInput>, mut each: impl FnMut(PlayedGame)) -> Result<PlaybackResult, PlaybackError> {
    play_logs(logs, None, |_| {}, |_, game| each(game))
}

/// Plays logs. `each` also receives the index of the chain.
fn play_logs(
    mut logs: Vec<LogInput>,
    game_type: Option<&str>,
    mut on_notice: impl FnMut(String),
    mut each: impl FnMut(usize, PlayedGame),
) -> Result<PlaybackResult, PlaybackError> {
    sort_by_opening(&mut logs)?;
    let mut played = PlaybackResult::default();
    let mut last_numbers = BTreeMap::new();
    for (number, chain) in split_chains(&logs, game_type).into_iter().enumerate() {
        let Some(first) = chain.first() else { continue };
        let is_cut = played.last_chain.is_none() && first.header.continues() == Some(true);
        if is_cut {
            on_notice(format!("{}: goes on from an earlier log, which was not given", first.name));
        }
        let (mut settings, unknown) = LineSettings::from_header(&first.header, game_type)?;
        unknown.into_iter().for_each(|notice| on_notice(format!("{}: {notice}", first.name)));
        continue_numbering(&mut settings, &last_numbers);
        let mut each = |mut game: PlayedGame| {
            let last = last_numbers.entry(game.board).or_insert(0);
            *last = game.number().max(*last);
            game.chain = number;
            each(number, game);
        };
        play_chain(chain, settings, &mut played, &mut on_notice, &mut each)?;
    }
    Ok(played)
}

/// Splits logs, in the order of their opening, into chains. `game_type` overrides the headers.
pub fn split_chains<'l, 'a>(logs: &'l [LogInput<'a>], game_type: Option<&str>) -> Vec<&'l [LogInput<'a>]> {
    let mut chains = Vec::new();
    let mut rest = logs;
    while let Some(first) = rest.first() {
        let length = 1 + rest[1..].iter().take_while(|next| !begins_chain(&next.header, first, game_type)).count();
        let (chain, after) = rest.split_at(length);
        chains.push(chain);
        rest = after;
    }
    chains
}

fn play_chain(
    logs: &[LogInput],
    settings: LineSettings,
    played: &mut PlaybackResult,
    on_notice: &mut impl FnMut(String),
    each: &mut impl FnMut(PlayedGame),
) -> Result<(), PlaybackError> {
    let Some(head) = logs.first().map(|first| &first.header) else { return Ok(()) };
    let mut playback = Playback::new(settings);
    let mut last = Millis::ZERO;
    let mut earlier_end = None;
    let mut hand_over = |games: Vec<PlayedGame>, calendar: &Option<Calendar>| {
        if games.is_empty() {
            return;
        }
        let calendar = calendar.clone().filter(|_| head.opened.is_some()).map(Arc::new);
        for mut game in games {
            game.times.calendar.clone_from(&calendar);
            each(game);
        }
    };
    for log in logs {
        let unreadable = |error: io::Error| PlaybackError::Unreadable {
            name: log.name.clone(),
            kind: error.kind(),
            error: error.to_string(),
        };
        let shift = match (earlier_end, &mut playback.calendar) {
            (Some(end), Some(calendar)) => continue_line(&mut playback.line, calendar, end, &log.header),
            _ => Millis::ZERO,
        };
        let mut is_up = false;
        let mut records = log.records().map_err(unreadable)?;
        while let Some(packed) = records.next_record().map_err(unreadable)? {
            let known = playback.games.len();
            for record in packed.expand() {
                let at = shift + Millis(record.at);
                if is_up {
                    TimeJump::check(last, at).map_err(|pause| PlaybackError::TimeJump(pause, log.name.clone()))?;
                }
                last = at;
                match record.kind {
                    RecordKind::LinkUp | RecordKind::FromBoard(_) => is_up = true,
                    RecordKind::LinkDown => is_up = false,
                    _ => {}
                }
                match Input::from_record(&record.kind) {
                    Ok(Some(input)) => playback.apply(last, input),
                    Ok(None) => {}
                    Err(error) => {
                        playback.apply(last, Input::Tick);
                        playback.notices.push((last, error.to_string()));
                    }
                }
            }
            if playback.games.len() > known {
                hand_over(playback.take_finished(), &playback.calendar);
            }
            playback.notices.drain(..).for_each(|(at, text)| on_notice(format!("{at} ms: {text}")));
        }
        if is_up {
            playback.apply(last, Input::LinkDown);
        }
        earlier_end = Some(last.max(shift));
        played.logs.push((log.name.clone(), records.summary().clone()));
    }
    playback.notices.drain(..).for_each(|(at, text)| on_notice(format!("{at} ms: {text}")));
    hand_over(std::mem::take(&mut playback.games), &playback.calendar);
    let calendar = playback.calendar.take().filter(|_| head.opened.is_some());
    let end = earlier_end.unwrap_or(last);
    played.last_chain = Some(LogChain { line: playback.into_line(), header: head.clone(), calendar, end_time: end });
    Ok(())
}

/// Raises `games_before` to the number of games in earlier chains, whatever the header has.
fn continue_numbering(settings: &mut LineSettings, last_numbers: &BTreeMap<Option<BusAddress>, u32>) {
    for (board, number) in last_numbers {
        let of_board = match *board {
            None => &mut *settings,
            Some(board) => {
                let of_line = settings.for_board(board);
                settings.boards.entry(board).or_insert(of_line)
            }
        };
        of_board.games_before = of_board.games_before.max(*number);
    }
}

/// Returns the calendar of one log; `None` if the header has no opening time.
pub fn calendar(header: &Header, summary: &LogSummary) -> Option<Calendar> {
    let mut calendar = Calendar::new(header.machine_clock()?);
    summary.clock_set.iter().for_each(|&(at, shown)| calendar.set_clock(Millis(at), shown));
    Some(calendar)
}

/// Returns the line time at which a log was opened, if it continues a line whose last record was made at `end`.
pub fn shift(calendar: &Calendar, end: Millis, header: &Header) -> Millis {
    let Some(shown) = header.machine_clock() else { return end };
    let since_epoch = (shown - calendar.epoch()).num_milliseconds();
    let by_clock = Millis(u64::try_from(since_epoch).unwrap_or(0));
    if header.is_plausible_date(shown) != header.is_plausible_date(calendar.moment(end)) {
        // The clock was set during the gap, so it does not show the length of the gap.
        end + MIN_LOG_GAP
    } else if header.get(KEY_CLOCK).is_some() {
        by_clock.max(end + MIN_LOG_GAP)
    } else {
        by_clock
    }
}

/// Continues a line, whose last record was made at `end`, with another log. Returns the line time at which the log was
/// opened.
pub fn continue_line(line: &mut Line, calendar: &mut Calendar, end: Millis, header: &Header) -> Millis {
    let shift = shift(calendar, end, header);
    if shift <= end + MIN_LOG_GAP {
        line.note_unknown_gap();
    }
    if let Some(shown) = header.machine_clock().filter(|shown| calendar.moment(shift) != *shown) {
        calendar.set_clock(shift, shown);
        line.set_clock(shift, shown);
    }
    shift
}

fn sort_by_opening(logs: &mut [LogInput]) -> Result<(), PlaybackError> {
    if let Some((first, others)) = logs.split_first() {
        let named = |log: &LogInput| log.header.line.clone();
        for other in others {
            if let (Some(first_line), Some(other_line)) = (named(first), named(other))
                && first_line != other_line
            {
                let (first, other) = (first.name.clone(), other.name.clone());
                return Err(PlaybackError::DifferentLines { first, first_line, other, other_line });
            }
        }
        let unknown = logs.iter().find(|log| log.header.opened.is_none());
        if let (false, Some(log)) = (others.is_empty(), unknown) {
            return Err(PlaybackError::MissingOpenTime(log.name.clone()));
        }
    }
    logs.sort_by_key(|log| log.header.opened);
    Ok(())
}

/// Whether the header starts a chain after the chain that `first` started: by `continues`, or else by another game
/// type.
fn begins_chain(header: &Header, first: &LogInput, game_type: Option<&str>) -> bool {
    let plays_another = game_type.is_none() && header.game_type != first.header.game_type;
    header.continues().map_or(plays_another, |continues| !continues)
}
