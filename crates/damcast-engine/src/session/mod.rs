//! Core of one line: turns bytes and times into entries of games and bytes for the board.
//!
//! ```text
//!            Input                                          Output
//!   bytes, link up/down ─▸┌──────────────────────────────┐─▸ bytes for the board
//!   operator's request  ─▸│ Line                         │─▸ a game opens; an entry in it; its result
//!                         │  decoder ▸ single or bus     │─▸ a notice for the operator
//!   time ────────────────▸│        ▸ table ▸ recogniser  │
//!                         └──────────────────────────────┘─▸ deadline: call me again then
//! ```
//!
//! A line carries a single board that reports by itself (`single_board`), or a bus of boards that answer polls (`bus`), or
//! nothing: people enter the moves of a board without electronics (`entry_board`). A `table` holds one board and its games.
//!
//! # Calls
//!
//! | call | when |
//! |---|---|
//! | [`Line::handle`] | something happened; its outputs are carried out in their order |
//! | [`Line::deadline`] | after each call: when to call `handle` with [`Input::Tick`] if nothing happens |
//!
//! A station publishes a ply before the core works out its consequences, because a reader waits for the line. It therefore makes one
//! `handle` out of two calls: [`Line::handle_until_publication`] returns as soon as something is published, and
//! [`Line::finish_handling`] does the rest, before the next input or query. At a deadline it first calls [`Line::advance_to`], and logs and
//! handles a tick only if that published something.
//!
//! The lower decile of the time from a press to the visible line shows the gain (`cargo bench --bench latency -- lazy safe`, 64 boards):
//! 69 us (lazy) and 307 us (safe) with two calls, 100 us and 417 us if the recorder calls [`Line::handle`] in place of the first.
//!
//! # Invariants
//!
//! - [`Line::handle`] first runs every deadline that has passed, each at its own time, and then handles the input. The
//!   outputs depend only on the inputs and their times. The number and delay of calls and the cutting of bytes into reads
//!   have no effect. Therefore a log replays to the same file, byte for byte.
//! - Outside data never causes an error here: it becomes noise, an unknown message, or a notice.
//! - No clock, no file, no port, no randomness.

mod bus;
mod catchup;
mod clock_filter;
mod codes;
mod delayed_event;
mod endings;
mod entry_board;
mod from_header;
mod game;
mod gaps;
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
mod status;
mod table;
pub mod wait;

pub use crate::protocol::BusAddress;
pub use codes::CodeMap;
pub use from_header::{DEFAULT_GAME_TYPE, HeaderSettingsError};
pub use settings::{BusSettings, LineSettings, OrientationSetting, Preset, SettingError, UnknownBoards};
pub use status::{
    BoardSquares, Condition, EntryStatus, LineErrors, MissingMovesPlace, PendingEntry, Status, UnexplainedStatus,
};

use chrono::{DateTime, FixedOffset};

pub use crate::bytelog::Mode;
use crate::calendar;
use crate::inserted_moves::InsertedMoves;
use crate::livefile::{self, Entry, GameHeader};
use crate::millis::Millis;
use crate::recognition::{Rationale, Reason};
use bus::Bus;
use draughts_pdn::clock::Clocks;
use entry_board::EntryBoard;
use request::{Request, Target};
use single_board::SingleBoard;
use table::{Attention, Table};
use wait::LineWait;

/// Input of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The port was opened.
    LinkUp,
    /// The port was closed, the station stops, or a log ends.
    LinkDown,
    /// Bytes from the board, as one read returned them.
    Bytes(Vec<u8>),
    /// Operator's request, or the station's answer to a game lookup.
    Request(Request),
    /// Only time has passed.
    Tick,
    /// The machine clock was set, or the machine slept; the clock shows this time from here on.
    ClockSet(DateTime<FixedOffset>),
}

/// Effect of a line with its time, in the order of execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Time of the effect.
    pub at: Millis,
    /// Address of the board on a bus; `None` for the line as a whole and for a single board.
    pub board: Option<BusAddress>,
    /// Effect to carry out.
    pub effect: Effect,
}

/// Action that a line requests from its caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Send these bytes to the board.
    Send(Vec<u8>),
    /// Start the file of a game; its first entry follows.
    GameOpened(Box<GameHeader>),
    /// Ply or setup of the game opened last.
    Entry {
        /// The ply or setup, with the clock readings.
        entry: Box<Entry>,
        /// Reason of the publication; `None` for the start position of a game whose first entry is a setup.
        reason: Option<Box<PublicationReason>>,
    },
    /// Moves that a person added to the game opened last, in place of setups; its file keeps those.
    MovesInserted(Box<InsertedMoves>),
    /// End of the game opened last.
    GameEnded {
        /// Result, if there is one; overwrites the value of the Result tag ([`livefile::result_patch`]).
        result: Option<String>,
        /// Whether the operator entered the result and the board has not shown it.
        is_given: bool,
    },
    /// Close the link and open it again, or open another port if the address allows several. Emitted when no board answers or
    /// the wrong one does. Until the link is up again the line behaves as if reopening had failed.
    Reopen {
        /// Serial number of the unexpected board; `None` if no board answers.
        board: Option<String>,
    },
    /// Notice for the operator, who may have to act.
    Notice(String),
    /// Confirmation or good news for the operator; needs no action.
    Info(String),
    /// Reason why a request is refused; nothing has changed.
    Refused(String),
    /// Message that a request changes nothing, because it was carried out earlier.
    AlreadyDone(String),
    /// Look up whether this board has a file that begins with these plies and setups of a running game whose start was not
    /// recorded, read from the board's memory. The station answers with [`request::OperatorCommand::GameLookup`].
    LookUpGame(Vec<Entry>),
    /// Note for the log: the reason of a publication.
    Note(String),
    /// Update for event listeners about the running game; never written to its file.
    LiveUpdate(LiveUpdate),
}

impl Effect {
    /// Whether others see the effect, in a live file or in the events.
    pub fn is_publication(&self) -> bool {
        self.changes_file() || matches!(self, Effect::MovesInserted(_) | Effect::LiveUpdate(_))
    }

    /// Whether the effect changes a live file.
    pub fn changes_file(&self) -> bool {
        matches!(self, Effect::GameOpened(_) | Effect::Entry { .. } | Effect::GameEnded { .. })
    }

    /// Returns the lines that the effect adds to a live file, without LF.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Effect::GameOpened(opening) => opening.header_lines(),
            Effect::Entry { entry, .. } => vec![entry.line()],
            Effect::GameEnded { .. } => vec![livefile::TERMINATOR.to_owned()],
            _ => Vec::new(),
        }
    }
}

/// Reason why an entry was published.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicationReason {
    /// Reason for setting up a position; `None` for a ply.
    pub setup_reason: Option<Reason>,
    /// Facts behind the decision; `None` if the operator decided.
    pub rationale: Option<Rationale>,
}

/// Update for event listeners, never written to the file of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiveUpdate {
    /// Likely but not final moves, in the notation of the file: published next if nothing changes. Each list replaces the
    /// previous one. An empty list retracts it, or its moves are in the file.
    LikelyMoves(Vec<String>),
    /// Clock state, when it differs from the countdown that a listener derives from the last update.
    Clock(Clocks),
    /// New condition of the board. A game begins as [`Condition::Playing`], which is not reported.
    State(Condition),
    /// Reason of the setup just published: one word, as in the notes of the log.
    SetupReason(&'static str),
}

/// One line: the boards on a wire and their games.
#[derive(Clone, Debug)]
pub struct Line {
    now: Millis,
    wire: Wire,
    /// Unread bytes, when [`Line::handle_until_publication`] stopped after a publication; [`Line::finish_handling`] processes
    /// them.
    unread: Option<std::vec::IntoIter<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByteOutcome {
    /// The byte neither completed a message nor showed that earlier bytes were noise.
    NoChange,
    /// The byte completed a message or showed noise.
    Handled,
    /// As `Handled`, and something was published. The consequences are still to be decided.
    Published,
}

#[derive(Clone, Debug)]
enum Wire {
    Single(Box<SingleBoard>),
    Bus(Box<Bus>),
    Entry(Box<EntryBoard>),
}

impl Line {
    /// Creates a line that has not been opened yet.
    pub fn new(settings: LineSettings) -> Line {
        let wire = match settings.mode {
            Mode::Single => Wire::Single(Box::new(SingleBoard::new(settings))),
            Mode::Bus => Wire::Bus(Box::new(Bus::new(settings))),
            Mode::Entry => Wire::Entry(Box::new(EntryBoard::new(settings))),
        };
        Line { now: Millis::ZERO, wire, unread: None }
    }

    /// Handles an input at time `now`. Times never decrease: an earlier time counts as the latest.
    pub fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.handle_until_publication(now, input);
        outputs.extend(self.finish_handling());
        outputs
    }

    /// Handles an input up to the first publication caused by bytes of a board. [`Line::finish_handling`] does the rest and
    /// must run before the next input and before any query of the line.
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
                Wire::Entry(_) => {}
            },
            Input::LinkDown => match &mut self.wire {
                Wire::Single(single) => single.link_down(now),
                Wire::Bus(bus) => bus.link_down(now),
                Wire::Entry(_) => {}
            },
            Input::Request(request) => match &mut self.wire {
                Wire::Single(single) => single.request(now, &request, &mut outputs),
                Wire::Bus(bus) => bus.request(now, request, &mut outputs),
                Wire::Entry(entry) => entry.request(now, &request, &mut outputs),
            },
            Input::Bytes(bytes) => {
                self.process_bytes(bytes.into_iter(), &mut outputs);
                return outputs;
            }
        }
        self.finish_input(&mut outputs);
        outputs
    }

    /// Runs every deadline up to `now`, each at its own time. Later outputs do not depend on this call, so it needs no record.
    /// By contrast, [`Input::Tick`] also decides at `now` itself and needs one.
    pub fn advance_to(&mut self, now: Millis) -> Vec<Output> {
        let mut outputs = self.finish_handling();
        let now = now.max(self.now);
        self.run_deadlines_until(now, &mut outputs);
        self.now = now;
        outputs
    }

    /// Whether [`Line::handle_until_publication`] stopped after a publication and [`Line::finish_handling`] must run.
    pub fn is_unfinished(&self) -> bool {
        self.unread.is_some()
    }

    /// Processes the bytes that [`Line::handle_until_publication`] left unread.
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

    /// Processes bytes up to the first one that causes a publication.
    fn process_bytes(&mut self, mut bytes: std::vec::IntoIter<u8>, outputs: &mut Vec<Output>) {
        let now = self.now;
        while let Some(byte) = bytes.next() {
            let outcome = match &mut self.wire {
                Wire::Single(single) => single.push_byte(now, byte, outputs),
                Wire::Bus(bus) => bus.push_byte(now, byte, outputs),
                Wire::Entry(_) => ByteOutcome::NoChange,
            };
            match outcome {
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

    /// Decides at the end of an input.
    fn finish_input(&mut self, outputs: &mut Vec<Output>) {
        match &mut self.wire {
            Wire::Single(single) => single.decide(self.now, outputs),
            Wire::Entry(entry) => entry.decide(self.now, outputs),
            Wire::Bus(_) => {}
        }
        self.run_deadlines_until(self.now, outputs);
    }

    /// Notes a gap of unknown length since the last input, because the machine clock was set back or stopped in between.
    pub fn note_unknown_gap(&mut self) {
        match &mut self.wire {
            Wire::Single(single) => single.note_unknown_gap(),
            // Boards on a bus store their changes until polled, however long that takes.
            Wire::Bus(_) | Wire::Entry(_) => {}
        }
    }

    /// Sets the machine clock at a time of the line. Games whose file begins later take their date from it.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        match &mut self.wire {
            Wire::Single(single) => single.set_clock(at, shown),
            Wire::Bus(bus) => bus.set_clock(at, shown),
            Wire::Entry(entry) => entry.set_clock(at, shown),
        }
    }

    /// Returns the time of the machine clock at a time of the line, if known.
    fn moment(&self, at: Millis) -> Option<DateTime<FixedOffset>> {
        let settings = match &self.wire {
            Wire::Single(single) => single.table().settings(),
            Wire::Bus(bus) => bus.settings(),
            Wire::Entry(entry) => entry.table().settings(),
        };
        settings.opened.map(|opened| calendar::moment(opened, at))
    }

    /// Returns the time at which the line must be called even without input.
    pub fn deadline(&self) -> Option<Millis> {
        self.deadline_with_wait().map(|(at, _)| at)
    }

    /// Returns the next deadline and the reason for it.
    pub fn deadline_with_wait(&self) -> Option<(Millis, LineWait)> {
        let wanted = match &self.wire {
            Wire::Single(single) => single.deadline(),
            Wire::Bus(bus) => bus.deadline(),
            Wire::Entry(entry) => entry.deadline(),
        };
        wanted.map(|(at, wait)| (at.max(self.now), wait))
    }

    /// Whether a running game has an incomplete file.
    pub fn has_open_game(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().has_open_game(),
            Wire::Bus(bus) => bus.has_open_game(),
            Wire::Entry(entry) => entry.has_open_game(),
        }
    }

    /// Whether a board shows a complete ply, which its next message may publish. Always `false` for a bus, where most messages
    /// report no change.
    pub fn has_complete_ply(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().attention() == Attention::PlyComplete,
            Wire::Bus(_) | Wire::Entry(_) => false,
        }
    }

    /// Returns the state of the line for people: one row of a table.
    pub fn status(&self) -> Status {
        match &self.wire {
            Wire::Single(single) => single.status(),
            Wire::Bus(bus) => bus.status(self.now),
            Wire::Entry(entry) => entry.status(),
        }
    }

    /// Returns the states of the boards of a bus, by ascending address. Empty for a single board.
    pub fn boards(&self) -> Vec<(BusAddress, Status)> {
        match &self.wire {
            Wire::Single(_) | Wire::Entry(_) => Vec::new(),
            Wire::Bus(bus) => bus.boards(),
        }
    }

    /// Returns the places at which moves of the running game of a board are missing, oldest first.
    pub fn missing_moves(&self, board: Option<BusAddress>) -> Vec<MissingMovesPlace> {
        match &self.wire {
            Wire::Single(single) => single.table().missing_moves_queries(),
            Wire::Entry(entry) => entry.table().missing_moves_queries(),
            Wire::Bus(bus) => {
                let table = bus.tables().find(|(address, _)| Some(*address) == board);
                table.map_or(Vec::new(), |(_, table)| table.missing_moves_queries())
            }
        }
    }

    /// Returns the counts of unusable bytes.
    pub fn line_errors(&self) -> LineErrors {
        match &self.wire {
            Wire::Single(single) => single.line_errors(),
            Wire::Bus(bus) => bus.line_errors(),
            Wire::Entry(_) => LineErrors::default(),
        }
    }

    /// Whether an operator requested a new chain of logs.
    pub fn rotation_requested(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.rotation_requested(),
            Wire::Bus(bus) => bus.rotation_requested(),
            Wire::Entry(entry) => entry.rotation_requested(),
        }
    }

    /// Whether the line can restart with other settings without losing any part of a game. `false` while a file is incomplete,
    /// a hand is on a board, a clock runs before the first move, or publication is on hold.
    pub fn can_restart(&self) -> bool {
        match &self.wire {
            Wire::Single(single) => single.table().attention() == Attention::Idle && !single.status().is_held,
            Wire::Bus(bus) => bus.can_restart(),
            Wire::Entry(entry) => entry.can_restart(),
        }
    }

    /// Returns the requests that still apply to future games; a restarted line needs them again. Boards of a bus that are not
    /// found yet receive theirs when found.
    pub fn pending_requests(&self) -> Vec<Request> {
        let of = |to, table: &Table| {
            table.standing_requests().into_iter().map(move |wish| Request { target: to, command: wish })
        };
        match &self.wire {
            Wire::Single(single) => of(Target::OnlyBoard, single.table()).collect(),
            Wire::Entry(entry) => of(Target::OnlyBoard, entry.table()).collect(),
            Wire::Bus(bus) => {
                let to_come = bus.pending_requests().iter().cloned();
                let to_come =
                    to_come.map(|(address, wish)| Request { target: Target::BoardOnceFound(address), command: wish });
                let tables = bus.tables();
                tables.flat_map(|(address, table)| of(Target::BoardOnceFound(address), table)).chain(to_come).collect()
            }
        }
    }

    /// Runs every deadline up to `now`, each at its own time.
    fn run_deadlines_until(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        /// Limit of deadlines at one moment. A deadline that does not advance reaches it; the input is then handled first.
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
                Wire::Entry(entry) => entry.decide(at, outputs),
            }
        }
    }
}

fn format_time(moment: DateTime<FixedOffset>) -> String {
    moment.format("%Y-%m-%d %H:%M:%S").to_string()
}
