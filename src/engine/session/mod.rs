//! The recorder of one line: bytes and times in, lines of PDN and bytes for the board out.
//!
//! ```text
//!            Input                                          Output
//!   bytes, link up/down ─▸┌──────────────────────────────┐─▸ bytes for the board
//!   operator's request  ─▸│ Line                         │─▸ a game opens; a line of its file; its result
//!                         │  framer ▸ sensors, lever     │─▸ a notice for the operator
//!   time ────────────────▸│        ▸ table ▸ recogniser  │
//!                         └──────────────────────────────┘─▸ deadline: call me again then
//! ```
//!
//! What is on the wire is one board that speaks when it has something to say (`single`), or a bus with many that speak
//! when they are spoken to (`bus`). A board and its games are a `table` in both.
//!
//! # Invariants
//!
//! - [`Line::handle`] first lives through every deadline that has passed, each at its own time, and only then takes the
//!   input. What comes out depends on the inputs and their times alone, never on how often or how late it was called, nor
//!   on how the bytes were cut into reads. That is why a log replays to the same file, byte for byte.
//! - Nothing from outside is an error here: it becomes noise, an unknown, or a notice.
//! - No clock, no file, no port, no randomness.

mod bus;
mod catchup;
mod clock_filter;
mod codes;
mod delayed_event;
mod endings;
mod from_header;
mod game;
mod hold;
mod identity;
mod lever;
pub mod notes;
mod question_queue;
mod record;
pub mod request;
mod result_piece;
mod sensors;
mod settings;
mod single_board;
mod table;
pub mod wait;

pub use crate::engine::protocol::BusAddress;
pub use codes::CodeMap;
pub use from_header::{DEFAULT_GAME_TYPE, HeaderSettingsError};
pub use settings::{BusSettings, LineSettings, OrientationSetting, Preset, SettingError, UnknownBoards};

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

pub use crate::engine::bytelog::Mode;
use crate::engine::calendar;
use crate::engine::livefile::{self, Entry, GameHeader};
use crate::engine::millis::Millis;
use crate::engine::recognition::{self, Rationale, Reason};
use bus::Bus;
use draughts::{Placement, Setup, Variant};
use draughts_pdn::clock::Clocks;
use request::{BoardPairing, Request, Target};
use single_board::SingleBoard;
use table::{Attention, Table};
use wait::LineWait;

/// What can happen to a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The port is open.
    LinkUp,
    /// The port is gone, or the station stops, or a log ends.
    LinkDown,
    /// Bytes from the board, as one read returned them.
    Bytes(Vec<u8>),
    /// A request of an operator, or the station's answer to what a board's memory has.
    Request(Request),
    /// Nothing but time.
    Tick,
    /// The clock of the machine was set, or the machine slept: from now on it shows this.
    ClockSet(DateTime<FixedOffset>),
}

/// What a line wants done, in order, each with the time it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// When.
    pub at: Millis,
    /// For which board of a bus; `None` for the line as a whole, and for a board that is alone on it.
    pub board: Option<BusAddress>,
    /// What.
    pub effect: Effect,
}

/// What a line wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Send these bytes to the board.
    Send(Vec<u8>),
    /// A game has its first entry, which follows: its file begins.
    GameOpened(Box<GameHeader>),
    /// A ply or a setup of the game opened last.
    Entry {
        /// What was done, and what the clocks showed.
        entry: Box<Entry>,
        /// Why it is published; `None` for the position in which a game begins whose first entry is a setup.
        reason: Option<Box<PublicationReason>>,
    },
    /// The game opened last is over.
    GameEnded {
        /// Its result, if there is one. It is written over that of the Result tag ([`livefile::result_patch`]).
        result: Option<String>,
        /// The operator gave it; the board has not shown it.
        is_given: bool,
    },
    /// Close the link and open it again, or another port where the address leaves a choice: nothing answers, or a board that
    /// is not the one expected. Until the link is up again everything goes on as if it were refused.
    Reopen {
        /// Who answers that should not; `None`: nobody.
        board: Option<String>,
    },
    /// Tell the operator: he may have to do something.
    Notice(String),
    /// Tell the operator: something is as it should be, or as he wanted it.
    Info(String),
    /// Tell the operator that a request cannot be done, and why. Nothing has changed.
    Refused(String),
    /// A board's memory has a game that nobody saw begin, and it is played on: these are its plies and setups. Has this board
    /// a file that begins with the same? The answer is a request, [`request::OperatorCommand::GameLookup`].
    LookUpGame(Vec<Entry>),
    /// Keep this in the log: why something was published.
    Note(String),
    /// Tell those who listen, beside the file of the game that is going on.
    LiveUpdate(LiveUpdate),
}

impl Effect {
    /// Is it seen by others, in a live file or in the events?
    pub fn is_publication(&self) -> bool {
        self.changes_file() || matches!(self, Effect::LiveUpdate(_))
    }

    /// Does it change a live file?
    pub fn changes_file(&self) -> bool {
        matches!(self, Effect::GameOpened(_) | Effect::Entry { .. } | Effect::GameEnded { .. })
    }

    /// The lines that it adds to a live file, without their LF.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Effect::GameOpened(opening) => opening.header_lines(),
            Effect::Entry { entry, .. } => vec![entry.line()],
            Effect::GameEnded { .. } => vec![livefile::TERMINATOR.to_owned()],
            _ => Vec::new(),
        }
    }
}

/// Why an entry was published.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicationReason {
    /// Why a position had to be set up; `None` for a ply.
    pub setup_reason: Option<Reason>,
    /// What was known when it was decided; `None` where the operator decided it.
    pub rationale: Option<Rationale>,
}

/// What is told beside the file of a game, for listeners, never for the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiveUpdate {
    /// Moves that are likely but not final: what will be published next if nothing changes, as it would be written. Each
    /// replaces the one before; an empty one takes it back, or the moves are in the file now.
    LikelyMoves(Vec<String>),
    /// The clock shows something else than a listener knows who counts on from what he was told last.
    Clock(Clocks),
    /// What is going on on the board is something else. A game begins with [`Condition::Playing`], which is not told.
    State(Condition),
    /// Why the setup that was just published was needed: in one word, as in the notes of the log.
    SetupReason(&'static str),
}

/// One line: what is on a wire, and the games on it.
#[derive(Clone, Debug)]
pub struct Line {
    now: Millis,
    wire: Wire,
    /// Bytes still unread: [`Line::handle_until_publication`] stopped behind a publication; [`Line::finish_handling`] goes on with them.
    unread: Option<std::vec::IntoIter<u8>>,
}

/// What a byte has told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByteOutcome {
    /// It neither ended a message nor showed that earlier bytes were none.
    NoChange,
    /// It did.
    Handled,
    /// It did, and something is published because of it. What follows from that is still to be decided.
    Published,
}

#[derive(Clone, Debug)]
enum Wire {
    Single(Box<SingleBoard>),
    Bus(Box<Bus>),
}

impl Line {
    /// A line that has not been opened yet.
    pub fn new(settings: LineSettings) -> Line {
        let wire = match settings.mode {
            Mode::Single => Wire::Single(Box::new(SingleBoard::new(settings))),
            Mode::Bus => Wire::Bus(Box::new(Bus::new(settings))),
        };
        Line { now: Millis::ZERO, wire, unread: None }
    }

    /// Takes an input that happened at `now`. Times never decrease; an earlier one counts as the latest.
    pub fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.handle_until_publication(now, input);
        outputs.extend(self.finish_handling());
        outputs
    }

    /// The same as far as lines that are published because of a board's bytes. What follows from them is left to
    /// [`Line::finish_handling`], which comes before the next input and before anything that is asked of the line.
    pub fn handle_until_publication(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.finish_handling();
        let now = now.max(self.now);
        self.run_deadlines_until(now, &mut outputs);
        self.now = now;
        match input {
            Input::Tick => {}
            Input::ClockSet(shown) => {
                let was = self.moment(now).map_or_else(String::new, |was| format!(" from {}", format_time(was)));
                self.set_clock(now, shown);
                let notice = format!(
                    "the clock of this machine was set{was} to {}: games whose file begins from now on have their date \
                     from it",
                    format_time(shown)
                );
                outputs.push(Output { at: now, board: None, effect: Effect::Notice(notice) });
            }
            Input::LinkUp => match &mut self.wire {
                Wire::Single(single) => single.link_up(now, &mut outputs),
                Wire::Bus(bus) => bus.link_up(now),
            },
            Input::LinkDown => match &mut self.wire {
                Wire::Single(single) => single.link_down(now),
                Wire::Bus(bus) => bus.link_down(now),
            },
            Input::Request(request) => match &mut self.wire {
                Wire::Single(single) => single.request(now, &request, &mut outputs),
                Wire::Bus(bus) => bus.request(now, request, &mut outputs),
            },
            Input::Bytes(bytes) => {
                self.process_bytes(bytes.into_iter(), &mut outputs);
                return outputs;
            }
        }
        self.finish_input(&mut outputs);
        outputs
    }

    /// Time has passed and nothing has happened: lives through what was due until now, each at its own time. What comes later is the same
    /// whether this was asked or not, so it needs no record; [`Input::Tick`] also looks at this very moment, and does.
    pub fn advance_to(&mut self, now: Millis) -> Vec<Output> {
        let mut outputs = self.finish_handling();
        let now = now.max(self.now);
        self.run_deadlines_until(now, &mut outputs);
        self.now = now;
        outputs
    }

    /// Has [`Line::handle_until_publication`] stopped behind a publication, so that [`Line::finish_handling`] has to go on?
    pub fn is_unfinished(&self) -> bool {
        self.unread.is_some()
    }

    /// What [`Line::handle_until_publication`] has left of the last input.
    pub fn finish_handling(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        while let Some(bytes) = self.unread.take() {
            if let Wire::Single(single) = &mut self.wire {
                single.decide(self.now, &mut outputs);
            }
            self.run_deadlines_until(self.now, &mut outputs);
            self.process_bytes(bytes, &mut outputs);
        }
        outputs
    }

    /// Hears bytes, up to the first of them that has something published.
    fn process_bytes(&mut self, mut bytes: std::vec::IntoIter<u8>, outputs: &mut Vec<Output>) {
        let now = self.now;
        while let Some(byte) = bytes.next() {
            let heard = match &mut self.wire {
                Wire::Single(single) => single.push_byte(now, byte, outputs),
                Wire::Bus(bus) => bus.push_byte(now, byte, outputs),
            };
            match heard {
                ByteOutcome::NoChange => {}
                ByteOutcome::Handled => self.run_deadlines_until(now, outputs),
                ByteOutcome::Published => {
                    self.unread = Some(bytes);
                    return;
                }
            }
        }
        self.finish_input(outputs);
    }

    /// An input is over.
    fn finish_input(&mut self, outputs: &mut Vec<Output>) {
        if let Wire::Single(single) = &mut self.wire {
            single.decide(self.now, outputs);
        }
        self.run_deadlines_until(self.now, outputs);
    }

    /// Nobody listened since the last input, and the time of the next does not tell for how long: the clock of the machine was
    /// set back meanwhile, or stood.
    pub fn note_unknown_gap(&mut self) {
        match &mut self.wire {
            Wire::Single(single) => single.note_unknown_gap(),
            // The boards of a bus keep what they have to tell until they are asked, however long that is.
            Wire::Bus(_) => {}
        }
    }

    /// From a time on the clock of the machine shows this: games whose file begins later have their date from it.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        match &mut self.wire {
            Wire::Single(single) => single.set_clock(at, shown),
            Wire::Bus(bus) => bus.set_clock(at, shown),
        }
    }

    /// What the clock of the machine shows at a time, as far as is known.
    fn moment(&self, at: Millis) -> Option<DateTime<FixedOffset>> {
        let settings = match &self.wire {
            Wire::Single(single) => single.table().settings(),
            Wire::Bus(bus) => bus.settings(),
        };
        settings.opened.map(|opened| calendar::moment(opened, at))
    }

    /// When this line wants to be called again even if nothing happens.
    pub fn deadline(&self) -> Option<Millis> {
        self.deadline_with_wait().map(|(at, _)| at)
    }

    /// The same, with what it waits for until then.
    pub fn deadline_with_wait(&self) -> Option<(Millis, LineWait)> {
        let wanted = match &self.wire {
            Wire::Single(single) => single.deadline(),
            Wire::Bus(bus) => bus.deadline(),
        };
        wanted.map(|(at, wait)| (at.max(self.now), wait))
    }

    /// Is a game going on whose file is not complete?
    pub fn has_open_game(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().has_open_game(),
            Wire::Bus(bus) => bus.has_open_game(),
        }
    }

    /// Does a ply stand complete on a board, so that what it says next may publish it? Never of a bus, on which much is said
    /// and little happens.
    pub fn has_complete_ply(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().attention() == Attention::PlyComplete,
            Wire::Bus(_) => false,
        }
    }

    /// The state of the line for people: one row of a table.
    pub fn status(&self) -> Status {
        match &self.wire {
            Wire::Single(single) => single.status(),
            Wire::Bus(bus) => bus.status(self.now),
        }
    }

    /// The states of the boards of a bus, by ascending address. Empty for a board that is alone on its line.
    pub fn boards(&self) -> Vec<(BusAddress, Status)> {
        match &self.wire {
            Wire::Single(_) => Vec::new(),
            Wire::Bus(bus) => bus.boards(),
        }
    }

    /// What of its bytes told nothing.
    pub fn line_errors(&self) -> LineErrors {
        match &self.wire {
            Wire::Single(single) => single.line_errors(),
            Wire::Bus(bus) => bus.line_errors(),
        }
    }

    /// Did an operator ask for a new chain of logs?
    pub fn rotation_requested(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.rotation_requested(),
            Wire::Bus(bus) => bus.rotation_requested(),
        }
    }

    /// Could the line begin anew, with other settings, without losing anything of a game? Not while a file grows, a hand is
    /// on a board, a clock runs for a first move, or an operator holds back what would be published.
    pub fn can_restart(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().attention() == Attention::Idle && !single.status().is_held,
            Wire::Bus(bus) => bus.can_restart(),
        }
    }

    /// What operators asked for that still matters to games that are to come: a line that begins anew has to be asked again. Boards
    /// of a bus that it has not found yet hear of it when they are found.
    pub fn pending_requests(&self) -> Vec<Request> {
        let of = |to, table: &Table| {
            table.standing_requests().into_iter().map(move |wish| Request { target: to, command: wish })
        };
        match &self.wire {
            Wire::Single(single) => of(Target::OnlyBoard, single.table()).collect(),
            Wire::Bus(bus) => {
                let to_come = bus.pending_requests().iter().cloned();
                let to_come =
                    to_come.map(|(address, wish)| Request { target: Target::BoardOnceFound(address), command: wish });
                let tables = bus.tables();
                tables.flat_map(|(address, table)| of(Target::BoardOnceFound(address), table)).chain(to_come).collect()
            }
        }
    }

    /// Lives through every deadline up to `now`, each at its own time.
    fn run_deadlines_until(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        /// More at one moment would be a deadline that does not move on: then the input goes first.
        const MAX_STEPS_AT_ONCE: u32 = 100;
        let mut at_once = 0;
        while let Some((at, wait)) = self.deadline_with_wait().filter(|&(at, _)| at <= now) {
            at_once = if at > self.now { 0 } else { at_once + 1 };
            debug_assert!(at_once < MAX_STEPS_AT_ONCE, "what waits for {wait:?} at {at} does not move on");
            if at_once >= MAX_STEPS_AT_ONCE {
                return;
            }
            self.now = at;
            match &mut self.wire {
                Wire::Single(single) => single.tick(at, outputs),
                Wire::Bus(bus) => bus.tick(at, outputs),
            }
        }
    }
}

fn format_time(moment: DateTime<FixedOffset>) -> String {
    moment.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// What is going on on a board, as a program sees it: one word of a short list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Condition {
    /// The port is not open.
    #[default]
    NoConnection,
    /// The port is open, and the board does not answer.
    NoAnswer,
    /// Another board answers than the one expected.
    OtherBoard,
    /// What was played while the board was not heard is being read.
    CatchingUp,
    /// No game has begun; the start position does not stand on the board.
    Waiting,
    /// The start position stands on the board.
    Ready,
    /// A game is going on.
    Playing,
    /// A game is going on, and its clock stands.
    ClockStopped,
    /// A game is going on or begins, its clock does not stand, and for some seconds nothing legal has explained the board.
    Unexplained,
    /// The game is over.
    Over,
}

impl Condition {
    /// All of them, in the order of a day.
    pub const ALL: [Condition; 10] = [
        Condition::NoConnection,
        Condition::NoAnswer,
        Condition::OtherBoard,
        Condition::CatchingUp,
        Condition::Waiting,
        Condition::Ready,
        Condition::Playing,
        Condition::ClockStopped,
        Condition::Unexplained,
        Condition::Over,
    ];

    /// The word for it: small letters and `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::NoConnection => "no-connection",
            Condition::NoAnswer => "no-answer",
            Condition::OtherBoard => "other-board",
            Condition::CatchingUp => "catching-up",
            Condition::Waiting => "waiting",
            Condition::Ready => "ready",
            Condition::Playing => "playing",
            Condition::ClockStopped => "clock-stopped",
            Condition::Unexplained => "unexplained",
            Condition::Over => "over",
        }
    }

    /// The same for people.
    pub fn describe(self) -> &'static str {
        match self {
            Condition::NoConnection => "no connection",
            Condition::NoAnswer => "no answer",
            Condition::OtherBoard => "not the board expected",
            Condition::CatchingUp => "catching up",
            Condition::Waiting => "waiting for the start position",
            Condition::ClockStopped => "clock stopped",
            Condition::Ready | Condition::Playing | Condition::Unexplained | Condition::Over => self.as_str(),
        }
    }
}

/// Bytes of a line that told nothing, since the line was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineErrors {
    /// Bytes that belong to no message.
    pub noise_bytes: u64,
    /// Answers of a bus whose checksum is wrong.
    pub bad_checksums: u64,
}

/// The state of a line for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// What is going on, in one word.
    pub condition: Condition,
    /// Whether the operator holds back what would be published.
    pub is_held: bool,
    /// What is wrong with a board that is nearly set up for a game, once it has stood so for a while.
    pub start_problem: Option<String>,
    /// A game is going on and no clock tells its time, though one did or its time control says that there is one.
    pub clock_missing: bool,
    /// The serial number of the board, if it has said one since the link came up.
    pub board: Option<String>,
    /// Whether it is the board expected, or none is.
    pub is_admitted: bool,
    /// In words: `waiting for the start position (missing 31, 32)`, `playing`, `unexplained since 12 s`, `ended`.
    pub state: String,
    /// The number of the game that is going on or was the last.
    pub game: Option<u32>,
    /// That game has a file, and is not over.
    pub has_open_game: bool,
    /// What games play that begin from now on, as the line was told.
    pub pairing: Option<Arc<BoardPairing>>,
    /// The clock says that the time of a side is running.
    pub is_clock_running: bool,
    /// Who has White and who Black, where that is known: in the file of that game, or in the next.
    pub players: [Option<String>; 2],
    /// Plies of that game, hidden ones included.
    pub plies: u32,
    /// The last line of movetext, without its clock comment.
    pub last_line: Option<String>,
    /// White's and Black's remaining time in seconds, where known.
    pub clocks: Option<[u32; 2]>,
    /// Moves that are likely but not final, as in [`LiveUpdate::LikelyMoves`].
    pub likely_moves: Vec<String>,
    /// What the next entry waits for; `None`: none is in sight.
    pub pending_entry: Option<PendingEntry>,
    /// The result that a sign on the board offers, for an operator to confirm.
    pub proposed_result: Option<String>,
    /// What is known of a board that nothing explains: there when it is [`Condition::Unexplained`].
    pub unexplained: Option<UnexplainedStatus>,
    /// What stands on its squares; `None`: nothing is known of them.
    pub squares: Option<BoardSquares>,
}

/// What stands on the squares of a board, and what is published of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardSquares {
    /// The game that is played on it.
    pub variant: &'static Variant,
    /// The pieces that it shows; a king as far as its code tells.
    pub sensed: Placement,
    /// The position that was published last of the game that goes on.
    pub published: Option<Setup>,
}

/// What the next entry of a game waits for, in the time of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingEntry {
    /// For what.
    pub wait: recognition::Wait,
    /// When a hand was last on the board.
    pub quiet_since: Millis,
    /// When it is published if that does not come.
    pub due: Millis,
}

/// A board that nothing explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnexplainedStatus {
    /// Since when, in the time of the line.
    pub since: Millis,
    /// The squares that differ from the published position, as players call them.
    pub squares: Vec<String>,
    /// What comes closest, the closest first: moves (`32-28 19-23`), each with the squares that would still be wrong, and
    /// `setup` last. At most three; empty until the board has been quiet for a moment.
    pub interpretations: Vec<String>,
}
