//! One board on a line of its own: it reports what changes by itself, and is asked for the rest.

use super::dialogue::{Dialogue, Turn};
use super::table::Table;
use super::{Effect, LineSettings, Output};
use crate::millis::Millis;
use crate::protocol::{Decoder, Item, Message};

/// A board, what it is asked, and its table.
#[derive(Debug)]
pub struct Single {
    decoder: Decoder,
    dialogue: Dialogue,
    table: Table,
    told_unknown: Vec<u8>,
}

impl Single {
    /// A board that has not been heard of yet.
    pub fn new(settings: LineSettings) -> Single {
        Single {
            decoder: Decoder::new(),
            dialogue: Dialogue::default(),
            table: Table::new(settings),
            told_unknown: Vec::new(),
        }
    }

    /// The board and its games.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The port is open.
    pub fn link_up(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        self.decoder = Decoder::new();
        self.table.link(true);
        let turns = self.dialogue.link_up(now);
        say(now, turns, outputs);
    }

    /// The port is gone.
    pub fn link_down(&mut self) {
        self.decoder = Decoder::new();
        self.dialogue.link_down();
        self.table.link(false);
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
            put(now, vec![Effect::Notice("the board answers again".to_owned())], outputs);
        }
        let effects = match message {
            Message::BoardDump(codes) | Message::BoardDump50Black(codes) => self.table.dump(now, codes),
            Message::FieldUpdate { field, piece } => self.table.field_update(now, *field, *piece),
            Message::Clock(report) => self.table.clock(now, report),
            Message::SerialNumber(number) => vec![Effect::Note(format!("serial number {number}"))],
            Message::LongSerialNumber(number) => vec![Effect::Note(format!("long serial number {number}"))],
            Message::Version(version) => vec![Effect::Note(format!("version {}.{}", version.main, version.sub))],
            Message::Trademark(text) => vec![Effect::Note(format!("trade mark {text}"))],
            Message::Unknown { id, data, why } if !self.told_unknown.contains(&id.0) => {
                self.told_unknown.push(id.0);
                vec![Effect::Note(format!("unknown message {:#04x} of {} bytes: {why:?}", id.0, data.len()))]
            }
            _ => Vec::new(),
        };
        put(now, effects, outputs);
        self.decide(now, outputs);
    }

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: &str, outputs: &mut Vec<Output>) {
        put(now, self.table.request(now, request), outputs);
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
        say(now, turns, outputs);
        self.decide(now, outputs);
    }

    /// Decides what is due.
    pub fn decide(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        put(now, self.table.decide(now), outputs);
    }
}

fn say(now: Millis, turns: Vec<Turn>, outputs: &mut Vec<Output>) {
    let effect = |turn| match turn {
        Turn::Send(command) => Effect::Send(command.encode()),
        Turn::Silent => Effect::Notice("the board does not answer; is it switched on and plugged in?".to_owned()),
    };
    put(now, turns.into_iter().map(effect).collect(), outputs);
}

fn put(at: Millis, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
    outputs.extend(effects.into_iter().map(|effect| Output { at, board: None, effect }));
}
