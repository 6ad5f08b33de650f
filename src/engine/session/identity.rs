//! Who the board is, by its own word: the port it is plugged into says nothing about that.
//!
//! ```text
//!   link up ──▸ unknown ── no board is configured ───────────────▸ admitted
//!                  │ ───── it says the serial number expected ───▸ admitted
//!                  └────── it says another, and says so again ───▸ a stranger: named, and the link is given up
//! ```
//!
//! Invariant: of a board that is not admitted nothing is recorded: its moves would stand under the names of two other
//! players. What it said is in the log all the same.
//!
//! Sources: protocol header, "serial number", "long serial number", "bus address", "trade mark", "version".

use super::Effect;
use crate::engine::protocol::{Command, Message};

/// The most digits of a short serial number; a longer one is a long one.
const MAX_SHORT_SERIAL: usize = 5;

/// What the board says of itself, and what is expected of it.
#[derive(Clone, Debug, Default)]
pub struct BoardIdentity {
    expected: Option<String>,
    is_admitted: bool,
    /// What the board has answered since the link came up.
    serial: Option<String>,
    /// The board that answered before that.
    previous_serial: Option<String>,
    /// The last answer was a wrong one; a second is no damaged byte.
    suspect_serial: Option<String>,
    notified_serial: Option<String>,
    /// The address on a bus that it has said since the link came up.
    address: Option<u16>,
}

impl BoardIdentity {
    /// A line for the board with this serial number, or for any.
    pub fn new(expected: Option<String>) -> BoardIdentity {
        BoardIdentity { is_admitted: expected.is_none(), expected, ..BoardIdentity::default() }
    }

    /// Whether what the board says may be recorded.
    pub fn is_admitted(&self) -> bool {
        self.is_admitted
    }

    /// What to ask before anything else, if who the board is matters.
    pub fn question(&self) -> Option<Command> {
        let expected = self.expected.as_ref()?;
        Some(if expected.len() > MAX_SHORT_SERIAL {
            Command::ReturnLongSerialNumber
        } else {
            Command::ReturnSerialNumber
        })
    }

    /// The serial number of the board, if it has said it since the link came up.
    pub fn serial(&self) -> Option<&str> {
        self.serial.as_deref()
    }

    /// The link came up, or went away: it may be another board.
    pub fn reset(&mut self) {
        self.is_admitted = self.expected.is_none();
        (self.suspect_serial, self.address) = (None, None);
        self.previous_serial = self.serial.take().or(self.previous_serial.take());
    }

    /// Does it name an address that does not belong to its serial number? So do several boards that answer at once.
    pub fn has_address_mismatch(&self) -> bool {
        let number = self.serial.as_deref().and_then(|serial| serial.trim().parse::<u64>().ok());
        number.zip(self.address).is_some_and(|(number, address)| number & 0x3fff != u64::from(address))
    }

    /// A message has come. What the board says of itself is noted.
    pub fn on_message(&mut self, message: &Message) -> Vec<Effect> {
        let note = match message {
            Message::SerialNumber(number) => format!("serial number {number}"),
            Message::LongSerialNumber(number) => format!("long serial number {number}"),
            Message::Version(version) => format!("version {}.{}", version.main, version.sub),
            Message::Trademark(text) => format!("trade mark {text}"),
            Message::BusAddress(address) => {
                self.address = Some(address.number());
                format!("bus address {address}")
            }
            _ => return Vec::new(),
        };
        let mut effects = vec![Effect::Note(note)];
        match (message, self.question()) {
            (Message::SerialNumber(number), None) => effects.extend(self.compare_with_previous(number)),
            (Message::SerialNumber(number), Some(Command::ReturnSerialNumber))
            | (Message::LongSerialNumber(number), Some(Command::ReturnLongSerialNumber)) => {
                effects.extend(self.compare_with_expected(number));
            }
            _ => {}
        }
        effects
    }

    fn compare_with_previous(&mut self, number: &str) -> Vec<Effect> {
        let before = self.serial.replace(number.to_owned()).or(self.previous_serial.take());
        match before.filter(|before| !is_same(before, number)) {
            Some(before) => {
                vec![Effect::Notice(format!("board {number} is at this port, where board {before} was before"))]
            }
            None => Vec::new(),
        }
    }

    fn compare_with_expected(&mut self, number: &str) -> Vec<Effect> {
        let expected = self.expected.clone().unwrap_or_default();
        if is_same(&expected, number) {
            (self.is_admitted, self.suspect_serial, self.notified_serial) = (true, None, None);
            self.serial = Some(number.to_owned());
            return Vec::new();
        }
        if self.suspect_serial.as_deref() != Some(number) {
            self.suspect_serial = Some(number.to_owned());
            return self.question().map(|question| Effect::Send(question.encode())).into_iter().collect();
        }
        self.is_admitted = false;
        self.serial = Some(number.to_owned());
        let mut effects = Vec::new();
        if self.notified_serial.as_deref() != Some(number) {
            self.notified_serial = Some(number.to_owned());
            effects.push(Effect::Notice(format!(
                "this port carries board {number}, expected {expected}; nothing of it is recorded, and board {expected} is \
                 looked for"
            )));
        }
        effects.push(Effect::Reopen { board: Some(number.to_owned()) });
        effects
    }
}

/// Two ways to write one number: leading zeros are of the wire.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().trim_start_matches('0') == other.trim().trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serial(number: &str) -> Message {
        Message::SerialNumber(number.to_owned())
    }

    #[test]
    fn admits_any_board_unless_one_is_expected() {
        let mut identity = BoardIdentity::new(None);
        assert!(identity.is_admitted() && identity.question().is_none());
        assert_eq!(identity.on_message(&serial("01025")), [Effect::Note("serial number 01025".into())]);
        identity.reset();
        assert!(identity.is_admitted());
        let told = identity.on_message(&serial("01026"));
        assert_eq!(told[1], Effect::Notice("board 01026 is at this port, where board 01025 was before".into()));
    }

    #[test]
    fn admitted_board_stays_until_link_loss() {
        let mut identity = BoardIdentity::new(Some("1025".into()));
        assert!(!identity.is_admitted());
        assert_eq!(identity.question(), Some(Command::ReturnSerialNumber));
        identity.on_message(&serial("01025"));
        assert!(identity.is_admitted());
        identity.reset();
        assert!(!identity.is_admitted());
    }

    #[test]
    fn reports_stranger_once_and_closes_link_each_time() {
        let mut identity = BoardIdentity::new(Some("01025".into()));
        for round in 0..3 {
            identity.reset();
            // One damaged answer is asked for again.
            assert_eq!(identity.on_message(&serial("01026"))[1..], [Effect::Send(vec![0x45])]);
            let effects = identity.on_message(&serial("01026"));
            assert_eq!(effects.last(), Some(&Effect::Reopen { board: Some("01026".into()) }));
            let notices = effects.iter().filter(|effect| matches!(effect, Effect::Notice(_))).count();
            assert_eq!(notices, usize::from(round == 0), "{effects:?}");
            assert!(!identity.is_admitted());
        }
        assert_eq!(identity.serial(), Some("01026"));
        identity.reset();
        assert_eq!(identity.serial(), None);
    }

    #[test]
    fn damaged_answer_does_not_exclude_board() {
        let mut identity = BoardIdentity::new(Some("01025".into()));
        identity.on_message(&serial("01025"));
        identity.on_message(&serial("01027"));
        assert!(identity.is_admitted());
        identity.on_message(&serial("01025"));
        identity.on_message(&serial("01027"));
        assert!(identity.is_admitted());
    }

    #[test]
    fn compares_long_numbers_with_long_numbers() {
        let mut identity = BoardIdentity::new(Some("3000001025".into()));
        assert_eq!(identity.question(), Some(Command::ReturnLongSerialNumber));
        identity.on_message(&serial("01025"));
        assert!(!identity.is_admitted());
        identity.on_message(&Message::LongSerialNumber("3000001025".into()));
        assert!(identity.is_admitted());
    }
}
