//! The wire: what a DGT-style electronic board and its host say to each other, as bytes and as values.
//!
//! Everything above this module speaks of messages, fields and clock readings; everything below it is a stream of
//! bytes that may begin anywhere, lose some, double some, or be pure noise. This module is the border, and it is pure:
//! it knows no port, no time, and no draughts. A [`Field`] is a sensor, not a square; a [`PieceCode`] is a number, not
//! a man. One file of the session turns the one into the other.
//!
//! ```text
//!   bytes ─▸ Framer ─▸ Frame ─▸ Message                    from the board
//!              └─▸ Noise (counted, never an error)
//!   bytes ◂─ Command                                       to the board
//! ```
//!
//! | file | subject |
//! |---|---|
//! | [`framer`] | where messages begin and end, whatever happened to the bytes |
//! | [`message`] | what the board says |
//! | [`clock`] | one message id, three meanings: times, an acknowledgement, or no clock |
//! | [`command`] | what the host may say; the commands that could hurt a board are absent |
//! | [`changes`] | the board's event memory |
//! | [`bus`] | many boards on one line: commands with an address, answers with a checksum |
//!
//! Invariants: no input makes anything here panic, fail or grow without bound; how the bytes were cut into reads never
//! changes what comes out; `decode(encode(m)) == m`.
//!
//! Source: the public protocol header `dgtbrd.h` (revisions of 1998 to 2017). The protocol is its owner's; see the
//! legal note in the README.

pub mod bus;
pub mod changes;
pub mod clock;
pub mod command;
pub mod framer;
pub mod message;

pub use bus::{BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage};
pub use clock::{
    AckContent, AckOutcome, ClockAck, ClockButton, ClockReport, ClockSide, ClockStatus, ClockTimes, Lever,
};
pub use command::{ClockCommand, Command, Decoded, TimeSetting};
pub use framer::{Frame, FrameCounts, Framed, Framer, Noise, NoiseKind};
pub use message::{
    BatteryStatus, BusAddress, DecodedItem, Decoder, Field, Message, MessageId, PieceCode, UnknownReason, Version,
};
