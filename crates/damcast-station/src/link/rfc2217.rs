//! Byte protocol of serial-port servers: telnet with RFC 2217, RFC 854 and RFC 856.
//!
//! ```text
//!   here                                        the server
//!   IAC WILL COM-PORT, WILL BINARY, DO BINARY ─▸
//!                                             ◂─ IAC DO COM-PORT, DO BINARY, WILL BINARY
//!   IAC SB COM-PORT SET-BAUDRATE 0 0 37 128 IAC SE, and size, parity, stop bits, control, purge ─▸
//!                                             ◂─ IAC SB COM-PORT 101 0 0 37 128 IAC SE ...
//!   bytes of the board, each 255 doubled      ◂─▸
//! ```
//!
//! A filter: takes network bytes in any pieces, returns board bytes and replies. It uses no socket and no time. Invariants: replies are
//! never longer than the request, except for one settings block; buffered parts of a message are bounded; a request is answered only
//! once, so that two sides never loop; no input causes a panic.
//!
//! Absent on purpose: line and modem states, and flow control by the server: commands are few and short.

/// First byte of every telnet command (Interpret As Command).
const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const SE: u8 = 240;

const BINARY: u8 = 0;
const SUPPRESS_GO_AHEAD: u8 = 3;
const COM_PORT: u8 = 44;

const SET_BAUDRATE: u8 = 1;
const SET_DATASIZE: u8 = 2;
const SET_PARITY: u8 = 3;
const SET_STOPSIZE: u8 = 4;
const SET_CONTROL: u8 = 5;
const PURGE_DATA: u8 = 12;
/// Offset of the server's message numbers from the client's.
const SERVER_OFFSET: u8 = 100;

/// Maximum length of a block that is parsed; the expected answers have six bytes.
const MAX_BLOCK_LEN: usize = 32;

/// Reason why a server cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The server does not support the COM-PORT-OPTION.
    #[error("the server speaks telnet but lets nobody set up its port; set the speed there, and use tcp://")]
    NoComPort,
    /// The server may change bytes.
    #[error("the server does not pass all bytes on as they are (it refuses telnet's binary mode)")]
    NotBinary,
    /// The server uses another speed.
    #[error("the server runs its port at {0} baud and not at the speed that was asked for")]
    Baud(u32),
}

/// State of an option on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum OptionState {
    #[default]
    Open,
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Data,
    Command,
    Option(u8),
    Block,
    BlockCommand,
}

/// State of one connection to a server.
#[derive(Clone, Debug)]
pub struct Rfc2217 {
    baud: u32,
    state: State,
    block: Vec<u8>,
    /// Server's answer to the options offered here.
    com_port: OptionState,
    binary_out: OptionState,
    /// Server's answer to binary mode in its own direction.
    binary_in: OptionState,
    granted_baud: Option<u32>,
    /// Requests of the server that were answered.
    answered_options: Vec<(u8, u8)>,
    replies: Vec<u8>,
}

impl Rfc2217 {
    /// Starts a connection to a port with this speed. [`Rfc2217::take_replies`] returns the first bytes to send.
    pub fn new(baud: u32) -> Rfc2217 {
        Rfc2217 {
            baud,
            state: State::Data,
            block: Vec::new(),
            com_port: OptionState::Open,
            binary_out: OptionState::Open,
            binary_in: OptionState::Open,
            granted_baud: None,
            answered_options: Vec::new(),
            replies: vec![IAC, WILL, COM_PORT, IAC, WILL, BINARY, IAC, DO, BINARY],
        }
    }

    /// Returns the bytes to send to the server.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    /// Whether the port is set up.
    ///
    /// # Errors
    ///
    /// Returns the refusal if it never will be.
    pub fn is_ready(&self) -> Result<bool, Refusal> {
        if self.com_port == OptionState::No {
            return Err(Refusal::NoComPort);
        }
        if self.binary_in == OptionState::No || self.binary_out == OptionState::No {
            return Err(Refusal::NotBinary);
        }
        match self.granted_baud {
            Some(baud) if baud != self.baud => Err(Refusal::Baud(baud)),
            granted => Ok(granted.is_some()),
        }
    }

    /// Decodes network bytes and appends those of the board to `data`.
    pub fn decode(&mut self, bytes: &[u8], data: &mut Vec<u8>) {
        for &byte in bytes {
            self.state = match (self.state, byte) {
                (State::Data, IAC) => State::Command,
                (State::Data, byte) => {
                    data.push(byte);
                    State::Data
                }
                (State::Command, IAC) => {
                    data.push(IAC);
                    State::Data
                }
                (State::Command, SB) => {
                    self.block.clear();
                    State::Block
                }
                (State::Command, WILL | WONT | DO | DONT) => State::Option(byte),
                // Commands of one byte need no reaction.
                (State::Command, _) => State::Data,
                (State::Option(verb), option) => {
                    self.on_option(verb, option);
                    State::Data
                }
                (State::Block, IAC) => State::BlockCommand,
                (State::BlockCommand, SE) => {
                    self.on_block();
                    State::Data
                }
                (State::Block | State::BlockCommand, byte) => {
                    if self.block.len() < MAX_BLOCK_LEN {
                        self.block.push(byte);
                    }
                    State::Block
                }
            };
        }
    }

    /// Encodes bytes for the board as network bytes.
    pub fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            encoded.push(byte);
            if byte == IAC {
                encoded.push(IAC);
            }
        }
        encoded
    }

    fn on_option(&mut self, verb: u8, option: u8) {
        let answer = if matches!(verb, DO | WILL) { OptionState::Yes } else { OptionState::No };
        match (verb, option) {
            (DO | DONT, COM_PORT) => {
                if answer == OptionState::Yes && self.com_port == OptionState::Open {
                    self.replies.extend(self.settings());
                }
                self.com_port = answer;
            }
            (DO | DONT, BINARY) => self.binary_out = answer,
            (WILL | WONT, BINARY) => self.binary_in = answer,
            (DO, SUPPRESS_GO_AHEAD) => self.answer(WILL, option),
            (WILL, SUPPRESS_GO_AHEAD | COM_PORT) => self.answer(DO, option),
            (DO, _) => self.answer(WONT, option),
            (WILL, _) => self.answer(DONT, option),
            // Other options were not requested, so a refusal changes nothing.
            _ => {}
        }
    }

    fn answer(&mut self, verb: u8, option: u8) {
        if !self.answered_options.contains(&(verb, option)) {
            self.answered_options.push((verb, option));
            self.replies.extend([IAC, verb, option]);
        }
    }

    fn settings(&self) -> Vec<u8> {
        /// Parity 1: none; stop size 1: one; control 1: no flow control; purge 3: both buffers, because older bytes belong to another
        /// session.
        const SETTINGS: [(u8, u8); 5] =
            [(SET_DATASIZE, 8), (SET_PARITY, 1), (SET_STOPSIZE, 1), (SET_CONTROL, 1), (PURGE_DATA, 3)];
        let mut bytes = block(SET_BAUDRATE, &self.baud.to_be_bytes());
        for (setting, value) in SETTINGS {
            bytes.extend(block(setting, &[value]));
        }
        bytes
    }

    fn on_block(&mut self) {
        if let [COM_PORT, command, baud @ ..] = self.block.as_slice()
            && *command == SERVER_OFFSET + SET_BAUDRATE
            && let Ok(baud) = baud.try_into()
        {
            self.granted_baud = Some(u32::from_be_bytes(baud));
        }
    }
}

fn block(command: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![IAC, SB, COM_PORT, command];
    bytes.extend(Rfc2217::encode(value));
    bytes.extend([IAC, SE]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes by RFC 2217 for 9600 baud, eight bits, no parity, one stop bit, no handshake, purge of both buffers.
    const SETTINGS: [u8; 45] = [
        0xff, 0xfa, 0x2c, 0x01, 0x00, 0x00, 0x25, 0x80, 0xff, 0xf0, // SET-BAUDRATE 9600
        0xff, 0xfa, 0x2c, 0x02, 0x08, 0xff, 0xf0, // SET-DATASIZE 8
        0xff, 0xfa, 0x2c, 0x03, 0x01, 0xff, 0xf0, // SET-PARITY NONE
        0xff, 0xfa, 0x2c, 0x04, 0x01, 0xff, 0xf0, // SET-STOPSIZE 1
        0xff, 0xfa, 0x2c, 0x05, 0x01, 0xff, 0xf0, // SET-CONTROL no flow control
        0xff, 0xfa, 0x2c, 0x0c, 0x03, 0xff, 0xf0, // PURGE-DATA both
    ];

    fn hear(telnet: &mut Rfc2217, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut data = Vec::new();
        telnet.decode(bytes, &mut data);
        (data, telnet.take_replies())
    }

    #[test]
    fn sets_up_port() {
        let mut telnet = Rfc2217::new(9600);
        assert_eq!(telnet.take_replies(), [0xff, 0xfb, 0x2c, 0xff, 0xfb, 0x00, 0xff, 0xfd, 0x00]);
        assert_eq!(telnet.is_ready(), Ok(false));
        // DO COM-PORT, DO BINARY, WILL BINARY
        let (data, replies) = hear(&mut telnet, &[0xff, 0xfd, 0x2c, 0xff, 0xfd, 0x00, 0xff, 0xfb, 0x00]);
        assert_eq!((data.as_slice(), replies.as_slice()), (&[][..], &SETTINGS[..]));
        assert_eq!(telnet.is_ready(), Ok(false));
        // 101: the speed; 102: the size; 106, 107: states of line and modem.
        let answers = [0xff, 0xfa, 0x2c, 0x65, 0x00, 0x00, 0x25, 0x80, 0xff, 0xf0, 0xff, 0xfa, 0x2c, 0x66, 0x08];
        assert_eq!(hear(&mut telnet, &answers), (vec![], vec![]));
        let states = [0xff, 0xf0, 0xff, 0xfa, 0x2c, 0x6b, 0xb0, 0xff, 0xf0, 0x8e, 0x00, 0x05];
        assert_eq!(hear(&mut telnet, &states), (vec![0x8e, 0x00, 0x05], vec![]));
        assert_eq!(telnet.is_ready(), Ok(true));
    }

    #[test]
    fn doubles_byte_255_both_ways() {
        assert_eq!(Rfc2217::encode(&[0x4b, 0xff, 0x42]), [0x4b, 0xff, 0xff, 0x42]);
        assert_eq!(hear(&mut Rfc2217::new(9600), &[0x01, 0xff, 0xff, 0x02]).0, [0x01, 0xff, 0x02]);
        // A doubled 255 inside a block, in a speed.
        let mut telnet = Rfc2217::new(0xff);
        hear(&mut telnet, &[0xff, 0xfa, 0x2c, 0x65, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xf0]);
        assert_eq!(telnet.is_ready(), Ok(true));
        assert_eq!(block(1, &[0, 0, 0, 0xff]), [0xff, 0xfa, 0x2c, 0x01, 0, 0, 0, 0xff, 0xff, 0xff, 0xf0]);
    }

    #[test]
    fn refuses_unwanted_option_once() {
        let mut telnet = Rfc2217::new(9600);
        telnet.take_replies();
        // WILL ECHO, DO TERMINAL-TYPE, DO SUPPRESS-GO-AHEAD, WILL SUPPRESS-GO-AHEAD, DONT ECHO, NOP
        let asked =
            [0xff, 0xfb, 0x01, 0xff, 0xfd, 0x18, 0xff, 0xfd, 0x03, 0xff, 0xfb, 0x03, 0xff, 0xfe, 0x01, 0xff, 0xf1];
        let (data, replies) = hear(&mut telnet, &asked);
        assert!(data.is_empty());
        assert_eq!(replies, [0xff, 0xfe, 0x01, 0xff, 0xfc, 0x18, 0xff, 0xfb, 0x03, 0xff, 0xfd, 0x03]);
        assert_eq!(hear(&mut telnet, &asked), (vec![], vec![]));
    }

    #[test]
    fn incapable_server_is_reported() {
        for (bytes, refusal) in [
            (&[0xff, 0xfe, 0x2c][..], Refusal::NoComPort),
            (&[0xff, 0xfd, 0x2c, 0xff, 0xfc, 0x00], Refusal::NotBinary),
            (&[0xff, 0xfe, 0x00], Refusal::NotBinary),
            (&[0xff, 0xfa, 0x2c, 0x65, 0x00, 0x00, 0x4b, 0x00, 0xff, 0xf0], Refusal::Baud(19_200)),
        ] {
            let mut telnet = Rfc2217::new(9600);
            hear(&mut telnet, bytes);
            assert_eq!(telnet.is_ready(), Err(refusal));
        }
    }

    proptest! {
        #[test]
        fn bytes_return_for_any_chunks(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 1usize..20) {
            let mut telnet = Rfc2217::new(9600);
            let mut data = Vec::new();
            for piece in Rfc2217::encode(&bytes).chunks(cut) {
                telnet.decode(piece, &mut data);
            }
            prop_assert_eq!(data, bytes);
        }

        #[test]
        fn server_causes_no_panic_or_growth(
            bytes in prop::collection::vec(prop_oneof![Just(IAC), Just(SB), Just(DO), Just(WILL), Just(COM_PORT), any::<u8>()], 0..600),
        ) {
            let mut telnet = Rfc2217::new(9600);
            telnet.take_replies();
            let (data, replies) = hear(&mut telnet, &bytes);
            prop_assert!(data.len() <= bytes.len());
            prop_assert!(replies.len() <= bytes.len() + SETTINGS.len());
            prop_assert!(telnet.block.len() <= MAX_BLOCK_LEN);
            prop_assert!(telnet.answered_options.len() <= 2 * 256);
        }
    }
}
