//! Identity of a board by its own report; the port does not reveal it.
//!
//! ```text
//!   link up ──▸ unknown ── no board is configured ────────────────▸ admitted
//!                  │ ───── it reports the expected serial number ─▸ admitted
//!                  └────── it reports another one twice ──────────▸ unexpected: reported, and the link is reopened
//! ```
//!
//! Invariant: nothing is recorded from a board that is not admitted, because its moves would appear under the names of two
//! other players. The log still contains its bytes.
//!
//! Sources: protocol header, "serial number", "long serial number", "bus address", "trade mark", "version".

use super::Effect;
use crate::protocol::{Command, Message};

/// Maximum digits of a short serial number; more digits are a long one.
const MAX_SHORT_SERIAL: usize = 5;

/// Reported and expected identity of a board.
#[derive(Clone, Debug, Default)]
pub struct BoardIdentity {
    expected: Option<String>,
    is_admitted: bool,
    /// Serial number reported since the link came up.
    serial: Option<String>,
    /// Serial number of the previously connected board.
    previous_serial: Option<String>,
    /// Wrong serial number in the last answer; a second one excludes a damaged byte.
    suspect_serial: Option<String>,
    notified_serial: Option<String>,
    /// Bus address reported since the link came up.
    address: Option<u16>,
}

impl BoardIdentity {
    /// Creates the identity check for a serial number, or for any board.
    pub fn new(expected: Option<String>) -> BoardIdentity {
        BoardIdentity { is_admitted: expected.is_none(), expected, ..BoardIdentity::default() }
    }

    /// Whether the board may be recorded.
    pub fn is_admitted(&self) -> bool {
        self.is_admitted
    }

    /// Returns the first question to the board if its identity matters.
    pub fn question(&self) -> Option<Command> {
        let expected = self.expected.as_ref()?;
        Some(if expected.len() > MAX_SHORT_SERIAL {
            Command::ReturnLongSerialNumber
        } else {
            Command::ReturnSerialNumber
        })
    }

    /// Returns the serial number, if reported since the link came up.
    pub fn serial(&self) -> Option<&str> {
        self.serial.as_deref()
    }

    /// Forgets the identity after a change of the link, since another board may be connected.
    pub fn reset(&mut self) {
        self.is_admitted = self.expected.is_none();
        (self.suspect_serial, self.address) = (None, None);
        self.previous_serial = self.serial.take().or(self.previous_serial.take());
    }

    /// Whether the board reports an address that contradicts its serial number, as several boards answering at once do.
    pub fn has_address_mismatch(&self) -> bool {
        let number = self.serial.as_deref().and_then(|serial| serial.trim().parse::<u64>().ok());
        number.zip(self.address).is_some_and(|(number, address)| number & 0x3fff != u64::from(address))
    }

    /// Handles a message and stores the identity that it reports.
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

/// Whether two serial numbers are equal; leading zeros only exist on the wire.
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
        let notices = identity.on_message(&serial("01026"));
        assert_eq!(notices[1], Effect::Notice("board 01026 is at this port, where board 01025 was before".into()));
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
            // One damaged answer is requested again.
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
