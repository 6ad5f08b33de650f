//! One board on a line of its own: it reports what changes by itself, and is asked for the rest.

use super::dialogue::{Dialogue, Turn};
use super::held::Held;
use super::identity::Identity;
use super::table::Table;
use super::{Effect, LineSettings, Output, Status};
use crate::millis::Millis;
use crate::protocol::{Command, Decoder, Item, Message};

/// A board, what it is asked, and its table.
#[derive(Debug)]
pub struct Single {
    decoder: Decoder,
    dialogue: Dialogue,
    identity: Identity,
    table: Table,
    held: Held,
    told_unknown: Vec<u8>,
}

impl Single {
    /// A board that has not been heard of yet.
    pub fn new(settings: LineSettings) -> Single {
        let identity = Identity::new(settings.board.clone());
        let opening = [&[Command::SendBoard], settings.connect.as_slice()].concat();
        Single {
            decoder: Decoder::new(),
            dialogue: Dialogue::new(opening, identity.question()),
            identity,
            table: Table::new(settings),
            held: Held::default(),
            told_unknown: Vec::new(),
        }
    }

    /// The board and its games.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let status = self.table.status();
        let board = self.identity.serial().map(str::to_owned);
        let state = match (self.identity.is_admitted(), self.dialogue.is_silent()) {
            _ if self.held.is_holding() => format!("held back: {}", status.state),
            (_, true) => "no answer".to_owned(),
            (false, _) if self.dialogue.is_up() => "not the board expected".to_owned(),
            _ => status.state,
        };
        Status { state, board, is_admitted: self.identity.is_admitted(), ..status }
    }

    /// The port is open.
    pub fn link_up(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        self.decoder = Decoder::new();
        self.identity.forget();
        self.table.link(now, self.identity.is_admitted());
        let turns = self.dialogue.link_up(now);
        self.say(now, turns, outputs);
    }

    /// The port is gone.
    pub fn link_down(&mut self, now: Millis) {
        self.decoder = Decoder::new();
        self.dialogue.link_down();
        self.table.link(now, false);
    }

    /// Takes one byte. Returns whether it ended a message or showed that earlier bytes were none.
    pub fn hear(&mut self, now: Millis, byte: u8, outputs: &mut Vec<Output>) -> bool {
        let Some(item) = self.decoder.push(byte) else { return false };
        // Noise is counted by the decoder; there is nothing else to do about it.
        if let Item::Message(message) = item {
            self.take(now, &message, outputs);
        }
        true
    }

    fn take(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) {
        if self.dialogue.hear(now, message) {
            self.put(now, vec![Effect::Notice("the board answers again".to_owned())], outputs);
        }
        let was_admitted = self.identity.is_admitted();
        let effects = self.identity.hear(message);
        self.put(now, effects, outputs);
        if self.identity.is_admitted() != was_admitted {
            self.table.link(now, !was_admitted);
            let turns = if was_admitted { Vec::new() } else { self.dialogue.admit(now) };
            self.say(now, turns, outputs);
        }
        if !self.identity.is_admitted() {
            return;
        }
        self.table.hear(now);
        let effects = match message {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) => self.table.dump(now, codes),
            Message::FieldUpdate { field, piece } => self.table.field_update(now, *field, *piece),
            Message::Clock(report) => self.table.clock(now, report),
            Message::Unknown { id, data, why } if !self.told_unknown.contains(&id.0) => {
                self.told_unknown.push(id.0);
                vec![Effect::Note(format!("unknown message {:#04x} of {} bytes: {why:?}", id.0, data.len()))]
            }
            _ => Vec::new(),
        };
        self.put(now, effects, outputs);
        self.decide(now, outputs);
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: &str, outputs: &mut Vec<Output>) {
        let effects = match request.trim() {
            "hold" => self.held.hold(),
            "release" => self.held.release(),
            request => self.table.request(now, request),
        };
        self.put(now, effects, outputs);
    }

    /// When [`Single::tick`] has something to do.
    pub fn deadline(&self) -> Option<Millis> {
        let asks = self.dialogue.deadline(self.table.wants_dump_at());
        let decides = self.table.deadline();
        asks.into_iter().chain(decides).min()
    }

    /// Asks and decides what is due.
    pub fn tick(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let turns = self.dialogue.tick(now, self.table.wants_dump_at());
        self.say(now, turns, outputs);
        self.decide(now, outputs);
    }

    /// Decides what is due.
    pub fn decide(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let effects = self.table.decide(now);
        self.put(now, effects, outputs);
    }

    fn say(&mut self, now: Millis, turns: Vec<Turn>, outputs: &mut Vec<Output>) {
        let effect = |turn| match turn {
            Turn::Send(command) => Effect::Send(command.encode()),
            Turn::Silent => Effect::Notice("the board does not answer; is it switched on and plugged in?".to_owned()),
            Turn::Reopen => Effect::Reopen { board: None },
        };
        self.put(now, turns.into_iter().map(effect).collect(), outputs);
    }

    fn put(&mut self, at: Millis, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
        let passed = self.held.pass(effects);
        outputs.extend(passed.into_iter().map(|effect| Output { at, board: None, effect }));
    }
}
