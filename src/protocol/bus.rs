//! Many boards on one line: the place of bus mode.
//!
//! What will stand here: the bus commands (`code, address high, address low, checksum`), the bus answers
//! (`id, length, length, address, address, data, checksum`), and their checksum, the sum of all bytes before it in
//! seven bits. The [framer](super::framer) already serves both modes, for the framing is the same. The decoder does
//! not: ids of bus answers overlap ids of single-board messages (0x86 is a board dump in one mode and the events since
//! the start tag in the other), so a decoder of its own, chosen by the mode of the line, belongs here. The events
//! inside bus answers are those of the [event memory](super::changes).
