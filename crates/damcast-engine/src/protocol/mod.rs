//! Wire protocol between a DGT-style electronic board and its host, as bytes and as values.
//!
//! Higher modules use messages, fields and clock readings. Below this module is a byte stream that may start anywhere,
//! lose or double bytes, or be noise. The protocol is pure: without ports, time or draughts rules. A [`Field`] is a
//! sensor, not a square; a [`PieceCode`] is a number, not a man. `session/sensors.rs` converts between them.
//!
//! ```text
//!   bytes ─▸ Framer ─▸ Frame ─▸ Message                    from the board
//!              └─▸ Noise (counted, never an error)
//!   bytes ◂─ Command                                       to the board
//! ```
//!
//! | file | subject |
//! |---|---|
//! | [`framer`] | finds messages in a damaged byte stream |
//! | [`message`] | messages from the board |
//! | [`clock`] | one message id, three meanings: times, an acknowledgement, or no clock |
//! | [`command`] | commands to the board, without those that could damage it |
//! | [`changes`] | the board's event memory |
//! | [`bus`] | several boards on one line: commands with an address, answers with a checksum |
//!
//! Invariants: no input causes a panic, an error or unlimited growth; the division into reads never affects the output;
//! `decode(encode(m)) == m`.
//!
//! Source: the public protocol header `dgtbrd.h` (revisions of 1998 to 2017). The protocol belongs to its owner; see
//! the legal note in the README.

pub mod bus;
pub mod changes;
pub mod clock;
pub mod command;
pub mod framer;
pub mod message;
mod message_id;

pub use bus::{BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage};
pub use clock::{ClockAck, ClockReport, ClockSide, ClockStatus, ClockTimes, Lever};
pub use command::{Command, Decoded};
pub use framer::{Frame, FrameCounts, Framed, Framer, Noise, NoiseKind};
pub use message::{BatteryStatus, BusAddress, DecodedItem, Decoder, Field, Message, PieceCode, UnknownReason, Version};
pub use message_id::MessageId;
