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
//! # Invariants
//!
//! - [`Line::handle`] first lives through every deadline that has passed, each at its own time, and only then takes the
//!   input. What comes out depends on the inputs and their times alone, never on how often or how late it was called, nor
//!   on how the bytes were cut into reads. That is why a log replays to the same file, byte for byte.
//! - Nothing from outside is an error here: it becomes noise, an unknown, or a notice.
//! - No clock, no file, no port, no randomness.

pub mod account;
mod clock_truth;
mod codes;
mod dialogue;
mod endings;
mod game;
mod identity;
mod lever;
mod result_piece;
mod sensors;
mod settings;
mod table;

pub use codes::CodeMap;
pub use settings::{LineSettings, OrientationSetting, Preset, SettingError};

use crate::millis::Millis;
use crate::protocol::{Command, Decoder, Item, Message};
use dialogue::{Dialogue, Turn};
use identity::Identity;
use table::Table;

/// What can happen to a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// The port is open.
    LinkUp,
    /// The port is gone, or the station stops, or a log ends.
    LinkDown,
    /// Bytes from the board, as one read returned them.
    Bytes(Vec<u8>),
    /// An operator's request, as on the command line: `result 2-0`, `start`, `start W:W31:B1`, `setup W:W31:B1`, `flip`,
    /// `names Sijbrands, T. / Wiersma, H.`, `hold`, `release`.
    Operator(String),
    /// Nothing but time.
    Tick,
}

/// What a line wants done, in order, each with the time it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// When.
    pub at: Millis,
    /// What.
    pub effect: Effect,
}

/// What a line wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Send these bytes to the board.
    Send(Vec<u8>),
    /// A game has its first move: its file begins. Games of a line count from 1.
    Open {
        /// The number of the game on this line.
        game: u32,
    },
    /// Append one line, given without its LF, to the file of the game opened last.
    Append(String),
    /// Overwrite the value of the Result tag of the game opened last, at equal length
    /// ([`crate::pdn::live::overwrite_result`]).
    Result(String),
    /// Close the link and open it again, or another port where the address leaves a choice: nothing answers, or a board that
    /// is not the one expected. Until the link is up again everything goes on as if it were refused.
    Reopen {
        /// Who answers that should not; `None`: nobody.
        board: Option<String>,
    },
    /// Tell the operator.
    Notice(String),
    /// Keep this in the log: why something was published.
    Note(String),
    /// Moves that are likely but not final: what will be published next if nothing changes, as it would be written. Each
    /// replaces the one before; an empty one takes it back, or the moves are in the file now. For listeners, never for the
    /// file.
    Provisional(Vec<String>),
}

/// One line: a board on a wire, and the game on it.
#[derive(Debug)]
pub struct Line {
    now: Millis,
    decoder: Decoder,
    dialogue: Dialogue,
    identity: Identity,
    table: Table,
    /// What would have been published since the operator asked to hold back.
    held: Option<Vec<Effect>>,
    told_unknown: Vec<u8>,
}

impl Line {
    /// A line that has not been opened yet.
    pub fn new(settings: LineSettings) -> Line {
        let identity = Identity::new(settings.board.clone());
        let opening = [&[Command::SendBoard], settings.connect.as_slice()].concat();
        Line {
            now: Millis::ZERO,
            decoder: Decoder::new(),
            dialogue: Dialogue::new(opening, identity.question()),
            identity,
            table: Table::new(settings),
            held: None,
            told_unknown: Vec::new(),
        }
    }

    /// Takes an input that happened at `now`. Times never decrease; an earlier one counts as the latest.
    pub fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let now = now.max(self.now);
        let mut outputs = Vec::new();
        self.live_until(now, &mut outputs);
        self.now = now;
        match input {
            Input::Tick => {}
            Input::LinkUp => {
                self.decoder = Decoder::new();
                self.identity.forget();
                self.table.link(now, self.identity.is_admitted());
                let turns = self.dialogue.link_up(now);
                self.say(turns, &mut outputs);
            }
            Input::LinkDown => {
                self.decoder = Decoder::new();
                self.dialogue.link_down();
                self.table.link(now, false);
            }
            Input::Operator(request) => {
                let effects = self.request(&request);
                self.put(effects, &mut outputs);
            }
            Input::Bytes(bytes) => {
                for byte in bytes {
                    if let Some(item) = self.decoder.push(byte) {
                        self.hear(item, &mut outputs);
                        self.live_until(now, &mut outputs);
                    }
                }
            }
        }
        self.decide(&mut outputs);
        self.live_until(now, &mut outputs);
        outputs
    }

    /// When this line wants to be called again even if nothing happens.
    pub fn deadline(&self) -> Option<Millis> {
        let asks = self.dialogue.deadline(self.table.wants_dump_at());
        let decides = self.table.deadline();
        asks.into_iter().chain(decides).min().map(|at| at.max(self.now))
    }

    /// Is a game going on whose file is not complete?
    pub fn has_open_game(&self) -> bool {
        self.table.has_open_game()
    }

    /// How many games have been opened so far, those before this log included.
    pub fn games_opened(&self) -> u32 {
        self.table.games()
    }

    /// The state of the line for people: one row of a table.
    pub fn status(&self) -> Status {
        let status = self.table.status();
        let board = self.identity.serial().map(str::to_owned);
        let state = match (self.identity.is_admitted(), self.dialogue.is_silent()) {
            _ if self.held.is_some() => format!("held back: {}", status.state),
            (_, true) => "no answer".to_owned(),
            (false, _) if self.dialogue.is_up() => "not the board expected".to_owned(),
            _ => status.state,
        };
        Status { state, board, is_admitted: self.identity.is_admitted(), ..status }
    }

    /// Lives through every deadline up to `now`, each at its own time.
    fn live_until(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        /// More at one moment would be a deadline that does not move on: then the input goes first.
        const MOST_AT_ONCE: u32 = 100;
        let mut at_once = 0;
        while let Some(at) = self.deadline().filter(|&at| at <= now) {
            at_once = if at > self.now { 0 } else { at_once + 1 };
            debug_assert!(at_once < MOST_AT_ONCE, "a deadline at {at} does not move on");
            if at_once >= MOST_AT_ONCE {
                return;
            }
            self.now = at;
            let turns = self.dialogue.tick(at, self.table.wants_dump_at());
            self.say(turns, outputs);
            self.decide(outputs);
        }
    }

    fn hear(&mut self, item: Item, outputs: &mut Vec<Output>) {
        // Noise is counted by the decoder; there is nothing else to do about it.
        let Item::Message(message) = item else { return };
        if self.dialogue.hear(self.now, &message) {
            self.put(vec![Effect::Notice("the board answers again".to_owned())], outputs);
        }
        let was_admitted = self.identity.is_admitted();
        let effects = self.identity.hear(&message);
        self.put(effects, outputs);
        if self.identity.is_admitted() != was_admitted {
            self.table.link(self.now, !was_admitted);
            let turns = if was_admitted { Vec::new() } else { self.dialogue.admit(self.now) };
            self.say(turns, outputs);
        }
        if !self.identity.is_admitted() {
            return;
        }
        self.table.hear(self.now);
        let effects = match &message {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) => self.table.dump(self.now, codes),
            Message::FieldUpdate { field, piece } => self.table.field_update(self.now, *field, *piece),
            Message::Clock(report) => self.table.clock(self.now, report),
            Message::Unknown { id, data, why } if !self.told_unknown.contains(&id.0) => {
                self.told_unknown.push(id.0);
                vec![Effect::Note(format!("unknown message {:#04x} of {} bytes: {why:?}", id.0, data.len()))]
            }
            _ => Vec::new(),
        };
        self.put(effects, outputs);
        self.decide(outputs);
    }

    fn request(&mut self, request: &str) -> Vec<Effect> {
        let (verb, rest) = request.trim().split_once(' ').unwrap_or((request.trim(), ""));
        match verb {
            "result" => self.table.result(self.now, rest.trim()),
            "start" => self.table.start_on_request(self.now, rest.trim()),
            "setup" => self.table.set_up_on_request(self.now, rest.trim()),
            "flip" => self.table.flip(self.now),
            "names" => self.table.name_players(rest.trim()),
            "hold" => self.hold(),
            "release" => self.release(),
            "undo" => vec![Effect::Notice("`undo` is not built yet; `setup FEN` says where play goes on".to_owned())],
            _ => vec![Effect::Notice(format!(
                "request `{request}` is not known; known are result, start, setup, flip, names, hold and release"
            ))],
        }
    }

    /// From now on nothing is published; what would be waits.
    fn hold(&mut self) -> Vec<Effect> {
        self.held.get_or_insert_default();
        vec![Effect::Notice("nothing is published until `release`".to_owned())]
    }

    fn release(&mut self) -> Vec<Effect> {
        let Some(held) = self.held.take() else {
            return vec![Effect::Notice("nothing is held back".to_owned())];
        };
        let lines = held.iter().filter(|effect| matches!(effect, Effect::Append(_))).count();
        let mut effects = vec![Effect::Notice(format!("published again; {lines} lines were held back"))];
        effects.extend(held);
        effects
    }

    fn decide(&mut self, outputs: &mut Vec<Output>) {
        let effects = self.table.decide(self.now);
        self.put(effects, outputs);
    }

    fn say(&mut self, turns: Vec<Turn>, outputs: &mut Vec<Output>) {
        for turn in turns {
            let effect = match turn {
                Turn::Send(command) => Effect::Send(command.encode()),
                Turn::Silent => {
                    Effect::Notice("the board does not answer; is it switched on and plugged in?".to_owned())
                }
                Turn::Reopen => Effect::Reopen { board: None },
            };
            outputs.push(Output { at: self.now, effect });
        }
    }

    fn put(&mut self, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
        for effect in effects {
            let is_publication = matches!(effect, Effect::Open { .. } | Effect::Append(_) | Effect::Result(_));
            match &mut self.held {
                Some(held) if is_publication => held.push(effect),
                _ => outputs.push(Output { at: self.now, effect }),
            }
        }
    }
}

/// The state of a line for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// The serial number of the board, if it has said one since the link came up.
    pub board: Option<String>,
    /// Whether it is the board expected, or none is.
    pub is_admitted: bool,
    /// In words: `waiting for the start position (missing 31, 32)`, `playing`, `unexplained since 12 s`, `ended`.
    pub state: String,
    /// The number of the game that is going on or was the last.
    pub game: Option<u32>,
    /// Plies of that game, hidden ones included.
    pub plies: u32,
    /// The last line of movetext, without its clock comment.
    pub last: Option<String>,
    /// White's and Black's remaining time in seconds, where known.
    pub clocks: Option<[u32; 2]>,
    /// Moves that are likely but not final, as in [`Effect::Provisional`].
    pub provisional: Vec<String>,
    /// What is known of a board that nothing explains.
    pub doubt: Option<Doubt>,
}

/// A board that nothing explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// Since when, in the time of the line.
    pub since: Millis,
    /// The squares that differ from the published position, as players call them.
    pub squares: Vec<String>,
    /// What comes closest, the closest first: moves (`32-28 19-23`), each with the squares that would still be wrong, and
    /// `setup` last. At most three; empty until the board has been quiet for a moment.
    pub readings: Vec<String>,
}
