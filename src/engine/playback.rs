//! Logs played into the core, and the live files they make, in memory.
//!
//! What the station does with a port and a disk, this does with neither; `damcast replay`, `damcast line` and the start
//! of a station after a crash all go through it, so none of them can see another game than the others.
//!
//! ```text
//!   log 1   opened 09:30   0 ......... 5000 (crash)
//!   log 2   opened 09:31                          0 ........ 7000 = down
//!                                                 │
//!   line    0 ............ 5000  link down        60000 .... 67000           shift = difference of "opened"
//! ```
//!
//! Logs of one line form *chains*. A log whose head says `# continues: no` begins one: a new [`Line`], with the settings
//! of that head. The others go on with the line of the log before them, whatever their heads say. `# games-before: N`
//! tells how many games the line had when the log was opened, so that a chain can be played without those before it.
//!
//! `# clock: RFC3339` tells what the clock of the machine showed when the log was opened, where that is not `opened`: logs are in the
//! order of `opened`, and a clock can be set back. `# dates-from: RFC3339` says which moments are none, because that clock has
//! plainly not been set.
//!
//! Invariants: the same logs give the same bytes; a log that was not closed ends with its link down at its last record;
//! times of a chain never decrease; a log is read one record at a time, so that what is in memory is what the games need and not
//! the log. Absent on purpose: files, clocks, and any judgement of what was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Cursor};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::engine::bytelog::{BoardHeader, Header, Kind, Records, Summary};
use crate::engine::calendar::Calendar;
use crate::engine::livefile::{Contents, Entry, Opening};
use crate::engine::millis::Millis;
use crate::engine::session::request::RequestError;
use crate::engine::session::{Aside, BusAddress, Effect, Input, Line, LineSettings, Output, SettingError};
use draughts::{GameTypeError, Variant};

/// The key of a log's head that says whether its line goes on from the log before: `yes` or `no`.
pub const CONTINUES: &str = "continues";
/// The key of a log's head that says how many games its line had before it.
pub const GAMES_BEFORE: &str = "games-before";
/// The key of a log's head that says what the clock of the machine showed when it was opened, where that is not `opened`.
pub const CLOCK: &str = "clock";
/// The key of a log's head that says before which moment a clock has plainly not been set.
pub const DATES_FROM: &str = "dates-from";
/// The key of a log's head that says `yes` where a board is asked for a game that began while nobody listened.
pub const LATE_START: &str = "late-start";
/// The game that is played when nothing says which.
pub const DEFAULT_GAME_TYPE: &str = "20";

/// A log is opened at least this long after the end of the one before it. One that was opened no later than that does not tell
/// how long nobody listened: the clock of the machine was set back meanwhile, as on one that keeps no time without power.
pub const SHORTEST_PAUSE: Millis = Millis(1);

/// A line lives through every deadline between two records, and a board that is up is asked something every few seconds.
/// A time that is damaged or made up must not make that last for ever.
const LONGEST_PAUSE: Millis = Millis::seconds(31 * 24 * 3600);

/// Why logs cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// The game is not known.
    #[error("game type: {0}")]
    GameType(#[from] GameTypeError),
    /// A setting has a value it cannot have.
    #[error("setting {0}")]
    Setting(SettingError),
    /// The settings of one board of a bus are not possible.
    #[error("board {0}: {1}")]
    Board(u16, Box<PlaybackError>),
    /// A time that can hardly be right.
    #[error("{name}: {0}", name = .1)]
    Pause(Pause, String),
    /// A log cannot be read to its end.
    #[error("{name}: {error}")]
    Unreadable {
        /// The name of the log.
        name: String,
        /// What kind of fault it is.
        kind: io::ErrorKind,
        /// Why.
        error: String,
    },
    /// Several logs, and one that cannot be put in order.
    #[error("{0}: a log without \"# opened:\" cannot be put in order with others; replay it alone")]
    NoOpening(String),
    /// Logs of different lines.
    #[error("{first} is of line {first_line:?} but {other} of line {other_line:?}; replay one line at a time")]
    OtherLine {
        /// The name of a log.
        first: String,
        /// Its line.
        first_line: String,
        /// The name of another log.
        other: String,
        /// Its line.
        other_line: String,
    },
}

/// More time between two records of a line that is up than can be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the time goes from {from} to {to}, more than 31 days at once; is the log damaged?")]
pub struct Pause {
    /// The time of the record before.
    pub from: Millis,
    /// The time of the record.
    pub to: Millis,
}

impl Pause {
    /// Whether a line can go from one time to the next.
    ///
    /// # Errors
    ///
    /// When that is too far.
    pub fn check(from: Millis, to: Millis) -> Result<(), Pause> {
        if to - from > LONGEST_PAUSE { Err(Pause { from, to }) } else { Ok(()) }
    }
}

/// Where the text of a log is read from.
pub type Source<'a> = Box<dyn BufRead + 'a>;

/// A log that can be read, and what to call it in messages.
pub struct NamedLog<'a> {
    /// A path, usually.
    pub name: String,
    /// Its head.
    pub header: Header,
    open: Box<dyn Fn() -> io::Result<Source<'a>> + 'a>,
}

impl<'a> NamedLog<'a> {
    /// A log with this head that is opened like this, whenever it is read.
    pub fn new(name: String, header: Header, open: impl Fn() -> io::Result<Source<'a>> + 'a) -> NamedLog<'a> {
        NamedLog { name, header, open: Box::new(open) }
    }

    /// The same; its head is read now.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn open(name: String, open: impl Fn() -> io::Result<Source<'a>> + 'a) -> io::Result<NamedLog<'a>> {
        let header = Records::new(open()?)?.header().clone();
        Ok(NamedLog::new(name, header, open))
    }

    /// A log in memory.
    pub fn from_text(name: String, text: impl Into<Arc<[u8]>>) -> NamedLog<'a> {
        let text = text.into();
        let header = Records::new(&*text).map(|records| records.header().clone()).unwrap_or_default();
        let open = move || -> io::Result<Source<'a>> { Ok(Box::new(Cursor::new(Arc::clone(&text)))) };
        NamedLog::new(name, header, open)
    }

    /// Its records, from the first on.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn records(&self) -> io::Result<Records<Source<'a>>> {
        Records::new((self.open)()?)
    }
}

/// A game, and what its live file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// On which board of a bus; `None` where one board has the line for itself.
    pub board: Option<BusAddress>,
    /// What the settings of its board call its files, if anything.
    pub name: Option<String>,
    /// What its live file holds.
    pub file: Contents,
    /// What was told beside its file, each with its time.
    asides: Vec<(Millis, Aside)>,
    times: Times,
}

/// When a game was published, piece by piece.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Times {
    /// Which moments the others are; `None` for logs that do not say when they were opened.
    calendar: Option<Arc<Calendar>>,
    opened: Millis,
    /// Of each entry.
    entries: Vec<Millis>,
    ended: Millis,
}

/// A piece of a game that was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Published<'game> {
    /// Its file was begun.
    Opened(&'game Opening),
    /// A ply or a setup.
    Entry(&'game Entry),
    /// It was over, with this result.
    Ended(Option<&'game str>),
    /// This was told beside its file.
    Aside(&'game Aside),
}

impl Game {
    /// A game with this file.
    pub fn new(file: Contents) -> Game {
        Game { board: None, name: None, file, asides: Vec::new(), times: Times::default() }
    }

    /// Its number on its board, from 1.
    pub fn number(&self) -> u32 {
        self.file.opening.game
    }

    /// What was published of it and when, in order; behind that what was told beside it, in order. Empty when the logs do not
    /// say when that was.
    pub fn history(&self) -> Vec<(DateTime<FixedOffset>, Published<'_>)> {
        let Some(calendar) = &self.times.calendar else { return Vec::new() };
        let Contents { opening, entries, is_ended, result } = &self.file;
        let opened = [(self.times.opened, Published::Opened(opening))];
        let entries = self.times.entries.iter().zip(entries).map(|(at, entry)| (*at, Published::Entry(entry)));
        let ended = is_ended.then(|| (self.times.ended, Published::Ended(result.as_deref())));
        let asides = self.asides.iter().map(|(at, aside)| (*at, Published::Aside(aside)));
        let all = opened.into_iter().chain(entries).chain(ended).chain(asides);
        all.map(|(at, published)| (calendar.moment(at), published)).collect()
    }
}

/// A line being played, and the files it has made.
pub struct Playback {
    line: Line,
    /// What the settings call the files of boards.
    names: BTreeMap<BusAddress, String>,
    /// Which moments its times are, as far as its log says it.
    calendar: Option<Calendar>,
    /// All games, in the order of their opening.
    pub games: Vec<Game>,
    /// What the operator was told, and when.
    pub notices: Vec<(Millis, String)>,
}

impl Playback {
    /// A line that has not been opened.
    pub fn new(settings: LineSettings) -> Playback {
        let name = |(&address, board): (&BusAddress, &LineSettings)| Some((address, board.name.clone()?));
        let names = settings.boards.iter().filter_map(name).collect();
        let calendar = settings.opened.map(Calendar::new);
        Playback { line: Line::new(settings), names, calendar, games: Vec::new(), notices: Vec::new() }
    }

    /// Hands one input to the line and does to the files in memory what the line wants done to those on disk.
    pub fn take(&mut self, at: Millis, input: Input) {
        if let Input::ClockSet(shown) = input {
            self.calendar.get_or_insert_with(|| Calendar::new(shown)).set(at, shown);
        }
        for Output { at, board, effect } in self.line.handle(at, input) {
            match effect {
                Effect::Opened(opening) => {
                    let name = board.and_then(|board| self.names.get(&board).cloned());
                    let times = Times { opened: at, ..Times::default() };
                    self.games.push(Game { board, name, times, ..Game::new(Contents::new(*opening)) });
                }
                Effect::Entry { entry, .. } => {
                    if let Some(game) = self.last_game(board) {
                        game.file.entries.push(*entry);
                        game.times.entries.push(at);
                    }
                }
                Effect::Ended { result } => {
                    if let Some(game) = self.last_game(board) {
                        (game.file.is_ended, game.file.result, game.times.ended) = (true, result, at);
                    }
                }
                Effect::Notice(text) | Effect::News(text) | Effect::Refused(text) => {
                    self.notices.push((at, about(board, &text)))
                }
                Effect::Aside(aside) => {
                    if let Some(game) = self.last_game(board).filter(|game| !game.file.is_ended) {
                        game.asides.push((at, aside));
                    }
                }
                Effect::Send(_) | Effect::Note(_) | Effect::Remembered(_) | Effect::Reopen { .. } => {}
            }
        }
    }

    fn last_game(&mut self, board: Option<BusAddress>) -> Option<&mut Game> {
        self.games.iter_mut().rev().find(|game| game.board == board)
    }

    /// Takes the games that nothing can happen to any more, because their boards have begun another.
    fn take_past(&mut self) -> Vec<Game> {
        let games = std::mem::take(&mut self.games);
        let mut later = BTreeSet::new();
        let is_past: Vec<bool> = games.iter().rev().map(|game| !later.insert(game.board)).collect();
        let (past, last): (Vec<_>, Vec<_>) =
            games.into_iter().zip(is_past.into_iter().rev()).partition(|(_, is_past)| *is_past);
        self.games.extend(last.into_iter().map(|(game, _)| game));
        past.into_iter().map(|(game, _)| game).collect()
    }

    /// The line as it is now.
    pub fn into_line(self) -> Line {
        self.line
    }
}

/// A text about a board, or about the line as a whole.
pub fn about(board: Option<BusAddress>, text: &str) -> String {
    board.map_or_else(|| text.to_owned(), |board| format!("board {board}: {text}"))
}

/// Logs that were played.
#[derive(Default)]
pub struct Played {
    /// The games of all chains, in order.
    pub games: Vec<Game>,
    /// What the logs were found to be, by their names, in the order in which they were played.
    pub logs: Vec<(String, Summary)>,
    /// The last chain. `None` without a log.
    pub last: Option<Chain>,
}

/// The last chain of logs that were played: what a station needs to go on with it.
pub struct Chain {
    /// The line after the last record.
    pub line: Line,
    /// The head of the log that began the chain; the line obeys it.
    pub header: Header,
    /// Which moments its times are, where it says when it was opened.
    pub calendar: Option<Calendar>,
    /// The time of its last record.
    pub end: Millis,
}

/// Plays all logs of one line, in the order in which they were opened. `game_type` overrides what their heads say.
///
/// # Errors
///
/// As [`play_and_tell`].
pub fn play(logs: Vec<NamedLog>, game_type: Option<&str>) -> Result<Played, PlaybackError> {
    play_and_tell(logs, game_type, |_| {})
}

/// The same; `tell` hears what is worth knowing about the logs themselves, and what the operator was told while they were recorded.
///
/// # Errors
///
/// When the logs cannot belong together, a head asks for what cannot be done, or a log cannot be read. What a log says cannot fail.
pub fn play_and_tell(
    logs: Vec<NamedLog>,
    game_type: Option<&str>,
    tell: impl FnMut(String),
) -> Result<Played, PlaybackError> {
    let mut games = Vec::new();
    let mut played = play_logs(logs, game_type, tell, |chain, game| games.push((chain, game)))?;
    // One that was opened later may have been over earlier.
    games.sort_by_key(|(chain, game)| (*chain, game.times.opened));
    played.games = games.into_iter().map(|(_, game)| game).collect();
    Ok(played)
}

/// The same as [`play`], for logs of more games than memory is kept for: `each` gets every game as soon as nothing can happen to
/// it any more, those of a board in their order, and [`Played::games`] is empty.
///
/// # Errors
///
/// As [`play_and_tell`].
pub fn play_each(logs: Vec<NamedLog>, mut each: impl FnMut(Game)) -> Result<Played, PlaybackError> {
    play_logs(logs, None, |_| {}, |_, game| each(game))
}

/// `each` gets the number of the chain, too.
fn play_logs(
    mut logs: Vec<NamedLog>,
    game_type: Option<&str>,
    mut tell: impl FnMut(String),
    mut each: impl FnMut(usize, Game),
) -> Result<Played, PlaybackError> {
    in_order(&mut logs)?;
    let mut played = Played::default();
    let mut last_numbers = BTreeMap::new();
    let mut rest = logs.as_slice();
    for number in 0.. {
        let Some(first) = rest.first() else { break };
        let length = 1 + rest[1..].iter().take_while(|next| !begins_chain(&next.header, first, game_type)).count();
        let (chain, after) = rest.split_at(length);
        let is_cut = played.last.is_none() && key(&first.header, CONTINUES) == Some("yes");
        if is_cut {
            tell(format!("{}: goes on from an earlier log, which was not given", first.name));
        }
        let (mut settings, unknown) = settings(&first.header, game_type)?;
        unknown.into_iter().for_each(|notice| tell(format!("{}: {notice}", first.name)));
        count_on(&mut settings, &last_numbers);
        let mut each = |game: Game| {
            let last = last_numbers.entry(game.board).or_insert(0);
            *last = game.number().max(*last);
            each(number, game);
        };
        play_chain(chain, settings, &mut played, &mut tell, &mut each)?;
        rest = after;
    }
    Ok(played)
}

fn play_chain(
    logs: &[NamedLog],
    settings: LineSettings,
    played: &mut Played,
    tell: &mut impl FnMut(String),
    each: &mut impl FnMut(Game),
) -> Result<(), PlaybackError> {
    let Some(head) = logs.first().map(|first| &first.header) else { return Ok(()) };
    let mut playback = Playback::new(settings);
    let mut last = Millis::ZERO;
    let mut earlier_end = None;
    let mut hand_over = |games: Vec<Game>, calendar: &Option<Calendar>| {
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
            (Some(end), Some(calendar)) => go_on(&mut playback.line, calendar, end, &log.header),
            _ => Millis::ZERO,
        };
        let mut is_up = false;
        let mut records = log.records().map_err(unreadable)?;
        while let Some(packed) = records.next_record().map_err(unreadable)? {
            let known = playback.games.len();
            for record in packed.unpacked() {
                let at = shift + Millis(record.at);
                if is_up {
                    Pause::check(last, at).map_err(|pause| PlaybackError::Pause(pause, log.name.clone()))?;
                }
                last = at;
                match record.kind {
                    Kind::LinkUp | Kind::FromBoard(_) => is_up = true,
                    Kind::LinkDown => is_up = false,
                    _ => {}
                }
                match input(&record.kind) {
                    Ok(Some(input)) => playback.take(last, input),
                    Ok(None) => {}
                    Err(error) => {
                        playback.take(last, Input::Tick);
                        playback.notices.push((last, error.to_string()));
                    }
                }
            }
            if playback.games.len() > known {
                hand_over(playback.take_past(), &playback.calendar);
            }
            playback.notices.drain(..).for_each(|(at, text)| tell(format!("{at} ms: {text}")));
        }
        if is_up {
            playback.take(last, Input::LinkDown);
        }
        earlier_end = Some(last.max(shift));
        played.logs.push((log.name.clone(), records.summary().clone()));
    }
    playback.notices.drain(..).for_each(|(at, text)| tell(format!("{at} ms: {text}")));
    hand_over(std::mem::take(&mut playback.games), &playback.calendar);
    let calendar = playback.calendar.take().filter(|_| head.opened.is_some());
    let end = earlier_end.unwrap_or(last);
    played.last = Some(Chain { line: playback.into_line(), header: head.clone(), calendar, end });
    Ok(())
}

/// Games of the chains before are counted, whatever the head says of them.
fn count_on(settings: &mut LineSettings, last_numbers: &BTreeMap<Option<BusAddress>, u32>) {
    for (board, number) in last_numbers {
        let of_board = match *board {
            None => &mut *settings,
            Some(board) => {
                let of_line = settings.of_board(board);
                settings.boards.entry(board).or_insert(of_line)
            }
        };
        of_board.games_before = of_board.games_before.max(*number);
    }
}

/// What the line is told by a record that has nothing packed into it ([`crate::engine::bytelog::Record::unpacked`]); `None` for those that
/// a replay passes over.
///
/// # Errors
///
/// A request that cannot be read. A station refuses it before it logs it; in other logs it counts as nothing but time.
pub fn input(kind: &Kind) -> Result<Option<Input>, RequestError> {
    Ok(match kind {
        Kind::FromBoard(bytes) => Some(Input::Bytes(bytes.clone())),
        Kind::LinkUp => Some(Input::LinkUp),
        Kind::LinkDown => Some(Input::LinkDown),
        Kind::Operator(request) => Some(Input::Request(request.parse()?)),
        Kind::Tick => Some(Input::Tick),
        Kind::ClockSet(shown) => Some(Input::ClockSet(*shown)),
        Kind::ToBoard(_) | Kind::Note(_) | Kind::Unchanged(_) | Kind::Other(..) => None,
    })
}

/// The record of an input, from which [`input`] makes it again.
pub fn kind(input: &Input) -> Kind {
    match input {
        Input::Bytes(bytes) => Kind::FromBoard(bytes.clone()),
        Input::LinkUp => Kind::LinkUp,
        Input::LinkDown => Kind::LinkDown,
        Input::Request(request) => Kind::Operator(request.to_string()),
        Input::Tick => Kind::Tick,
        Input::ClockSet(shown) => Kind::ClockSet(*shown),
    }
}

/// Which moments the times of one log are. `None`: it does not say when it was opened.
pub fn calendar(header: &Header, summary: &Summary) -> Option<Calendar> {
    let mut calendar = Calendar::new(shown(header)?);
    summary.clock_set.iter().for_each(|&(at, shown)| calendar.set(Millis(at), shown));
    Some(calendar)
}

/// What a log's head tells its line, and which of its settings are not known here. `game_type` overrides the head's.
///
/// # Errors
///
/// When the game or the value of a setting is not possible.
pub fn settings(header: &Header, game_type: Option<&str>) -> Result<(LineSettings, Vec<String>), PlaybackError> {
    let of_line = game_type.or(header.game_type.as_deref()).unwrap_or(DEFAULT_GAME_TYPE);
    let mut settings = LineSettings::new(Variant::from_tag(of_line)?);
    settings.mode = header.mode.unwrap_or_default();
    settings.opened = shown(header);
    settings.dates_from = moment(header, DATES_FROM);
    settings.late_start = key(header, LATE_START) == Some("yes");
    settings.games_before = number(&header.other);
    settings.tags = header.tags.clone();
    let mut unknown = set_all(&mut settings, "", &header.settings)?;
    let mut boards = BTreeMap::new();
    for (&address, head) in &header.boards {
        let Some(board) = BusAddress::new(address) else { continue };
        let (of_board, passed_over) = board_settings(&settings, head, address, game_type)
            .map_err(|error| PlaybackError::Board(address, Box::new(error)))?;
        boards.insert(board, of_board);
        unknown.extend(passed_over);
    }
    settings.boards = boards;
    Ok((settings, unknown))
}

/// The settings of a board of a bus: those of the line, but for what the head says of it.
fn board_settings(
    line: &LineSettings,
    head: &BoardHeader,
    address: u16,
    game_type: Option<&str>,
) -> Result<(LineSettings, Vec<String>), PlaybackError> {
    let mut settings = line.clone();
    if let (Some(of_board), None) = (&head.game_type, game_type) {
        let game_type = Variant::from_tag(of_board)?.game_type;
        settings.variant = Variant::new(game_type, line.variant.choices);
    }
    settings.name = head.name.clone();
    settings.games_before = number(&head.other);
    settings.tags.retain(|(tag, _)| head.tags.iter().all(|(own, _)| own != tag));
    settings.tags.extend(head.tags.iter().filter(|(_, value)| !value.is_empty()).cloned());
    let unknown = set_all(&mut settings, &format!("board-{address}-"), &head.settings)?;
    Ok((settings, unknown))
}

/// How many games a head says there were before.
fn number(other: &[(String, String)]) -> u32 {
    let number = other.iter().find(|(key, _)| key == GAMES_BEFORE).and_then(|(_, value)| value.parse().ok());
    number.unwrap_or(0)
}

fn set_all(
    settings: &mut LineSettings,
    prefix: &str,
    pairs: &[(String, String)],
) -> Result<Vec<String>, PlaybackError> {
    let mut unknown = Vec::new();
    for (key, value) in pairs {
        match settings.set(key, value) {
            Ok(()) => {}
            Err(SettingError::UnknownKey { .. }) => {
                let line = format!("# {prefix}set-{key}: {value}");
                unknown.push(format!("the setting \"{line}\" is not known here and was passed over"));
            }
            Err(error) => return Err(PlaybackError::Setting(error)),
        }
    }
    Ok(unknown)
}

/// The time at which a log was opened that goes on from one whose last record was made at `end`.
pub fn shift(calendar: &Calendar, end: Millis, header: &Header) -> Millis {
    let Some(shown) = shown(header) else { return end };
    let since_epoch = (shown - calendar.epoch()).num_milliseconds();
    let by_clock = Millis(u64::try_from(since_epoch).unwrap_or(0));
    if is_date(header, shown) != is_date(header, calendar.moment(end)) {
        // The clock was set while nobody looked, so it does not tell for how long.
        end + SHORTEST_PAUSE
    } else if key(header, CLOCK).is_some() {
        by_clock.max(end + SHORTEST_PAUSE)
    } else {
        by_clock
    }
}

/// A log goes on with a line whose last record was made at `end`. Returns the time of the line at which it was opened.
pub fn go_on(line: &mut Line, calendar: &mut Calendar, end: Millis, header: &Header) -> Millis {
    let shift = shift(calendar, end, header);
    if shift <= end + SHORTEST_PAUSE {
        line.away_for_unknown_time();
    }
    if let Some(shown) = shown(header).filter(|shown| calendar.moment(shift) != *shown) {
        calendar.set(shift, shown);
        line.set_clock(shift, shown);
    }
    shift
}

/// Is this moment one that only a clock shows which was set, as far as the head of a log says?
pub fn is_date(header: &Header, moment: DateTime<FixedOffset>) -> bool {
    self::moment(header, DATES_FROM).is_none_or(|from| moment >= from)
}

/// What the clock of the machine showed when a log was opened.
pub fn shown(header: &Header) -> Option<DateTime<FixedOffset>> {
    moment(header, CLOCK).or(header.opened)
}

/// The moment that a head says under a key of its own.
fn moment(header: &Header, name: &str) -> Option<DateTime<FixedOffset>> {
    key(header, name).and_then(|text| DateTime::parse_from_rfc3339(text).ok())
}

/// What a head says under a key of its own.
pub fn key<'head>(header: &'head Header, key: &str) -> Option<&'head str> {
    header.other.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

fn in_order(logs: &mut [NamedLog]) -> Result<(), PlaybackError> {
    if let Some((first, others)) = logs.split_first() {
        let named = |log: &NamedLog| log.header.line.clone();
        for other in others {
            if let (Some(first_line), Some(other_line)) = (named(first), named(other))
                && first_line != other_line
            {
                let (first, other) = (first.name.clone(), other.name.clone());
                return Err(PlaybackError::OtherLine { first, first_line, other, other_line });
            }
        }
        let unknown = logs.iter().find(|log| log.header.opened.is_none());
        if let (false, Some(log)) = (others.is_empty(), unknown) {
            return Err(PlaybackError::NoOpening(log.name.clone()));
        }
    }
    logs.sort_by_key(|log| log.header.opened);
    Ok(())
}

/// Does this head begin a chain of its own, after a chain that `first` began? It says so, or plays another game.
fn begins_chain(header: &Header, first: &NamedLog, game_type: Option<&str>) -> bool {
    match key(header, CONTINUES) {
        Some("no") => true,
        Some("yes") => false,
        _ => game_type.is_none() && header.game_type != first.header.game_type,
    }
}
