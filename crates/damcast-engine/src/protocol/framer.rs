//! Finds messages in a byte stream that may be damaged anywhere.
//!
//! Reading starts in the middle of a message, loses bytes when a buffer overflows, and receives noise when a plug
//! moves. Recovery relies only on one property of the framing: **only the first byte of a message has its top bit
//! set**. Such a byte always starts a message. An interrupted message is dropped and counted.
//!
//! ```text
//!   1iiiiiii  0hhhhhhh  0lllllll  0ddddddd ...        length = h·128 + l, including the three header bytes
//!
//!            top bit set                   third byte, length >= 3
//!   Outside ─────────────▸ Header ────────────────────────────────▸ Data ──▸ Frame, Outside
//!    │ ▴ other bytes         │ ▴ top bit set: noise (cut)            │
//!    └─┘ stray, counted      └─┴────────────────────────────────────┘
//! ```
//!
//! Invariants: one byte causes at most one [`Framed`]; the division into reads never affects the output or its order;
//! every byte becomes part of a frame or counts as noise; the buffer holds at most [`MAX_MESSAGE`] bytes. Out of scope:
//! a timeout. An incomplete message costs nothing while the line is silent, and the next start byte drops it.
//!
//! Source: protocol header, "message format".

use super::message_id::MessageId;

/// Bit that marks the first byte of a message.
pub const START_BIT: u8 = 0x80;
/// Length of the header in bytes: id and two length bytes.
pub const HEADER_LEN: usize = 3;
/// Maximum length of a message in bytes, including its header: two length bytes of seven bits.
pub const MAX_MESSAGE: usize = 0x3fff;
/// Maximum number of data bytes in a message.
pub const MAX_DATA: usize = MAX_MESSAGE - HEADER_LEN;

/// Message in wire form, not decoded yet.
///
/// Every data byte is 0x00..=0x7f, and there are at most [`MAX_DATA`] of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    id: MessageId,
    data: Vec<u8>,
}

impl Frame {
    /// Creates a frame for sending, for tests and simulated boards. Drops anything the wire cannot carry: the top bit
    /// of data bytes, and data beyond [`MAX_DATA`].
    pub fn new(id: MessageId, data: impl IntoIterator<Item = u8>) -> Frame {
        Frame { id, data: data.into_iter().take(MAX_DATA).map(|byte| byte & !START_BIT).collect() }
    }

    /// Returns the message id.
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// Returns the bytes after the header.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the bytes on the wire, including the header.
    pub fn encode(&self) -> Vec<u8> {
        let length = HEADER_LEN + self.data.len();
        let mut bytes = Vec::with_capacity(length);
        bytes.push(self.id.0 | START_BIT);
        bytes.push((length >> 7 & 0x7f) as u8);
        bytes.push((length & 0x7f) as u8);
        bytes.extend_from_slice(&self.data);
        bytes
    }
}

/// Bytes outside any message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Noise {
    /// Number of dropped bytes.
    pub bytes: usize,
    /// Reason for dropping them.
    pub kind: NoiseKind,
}

/// Reason for dropping bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    /// Bytes without the top bit where a message should start. Reported as one run when the next message starts.
    Stray,
    /// Message interrupted by another start byte.
    Interrupted,
    /// Header with a length shorter than the header itself.
    BadLength,
}

/// Result of the framer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Framed {
    /// Complete message.
    Frame(Frame),
    /// Bytes outside any message.
    Noise(Noise),
}

/// Totals since the creation of the framer. Updated with every byte, even during a run of stray bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameCounts {
    /// Number of complete messages.
    pub frames: u64,
    /// Number of bytes outside any message, not counting those of a partial message.
    pub noise_bytes: u64,
    /// Number of interrupted messages.
    pub interrupted: u64,
}

/// Framer from bytes to frames and noise.
#[derive(Clone, Debug, Default)]
pub struct Framer {
    /// Partial message from its start byte; empty outside messages. At most [`MAX_MESSAGE`] bytes.
    partial: Vec<u8>,
    /// Stray bytes since the last message; nonzero only if `partial` is empty.
    stray_bytes: usize,
    counts: FrameCounts,
}

impl Framer {
    /// Creates a framer that expects the start of a message.
    pub fn new() -> Framer {
        Framer::default()
    }

    /// Processes one byte. It may complete a message, or show that earlier bytes belong to none.
    pub fn push(&mut self, byte: u8) -> Option<Framed> {
        if byte & START_BIT != 0 {
            let noise = self.abandon();
            self.partial.push(byte);
            return noise.map(Framed::Noise);
        }
        if self.partial.is_empty() {
            self.stray_bytes = self.stray_bytes.saturating_add(1);
            self.counts.noise_bytes += 1;
            return None;
        }
        self.partial.push(byte);
        self.finish()
    }

    /// Processes the bytes of one read. Equivalent to [`push`](Self::push) for each byte.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Framed> {
        bytes.iter().filter_map(|&byte| self.push(byte)).collect()
    }

    /// Drops the partial message after the link was lost. Returns the dropped bytes.
    pub fn reset(&mut self) -> Option<Noise> {
        self.abandon()
    }

    /// Returns the number of missing bytes of the partial message, as far as known; `None` without a partial message.
    pub fn missing_bytes(&self) -> Option<usize> {
        match *self.partial.as_slice() {
            [] => None,
            [_, high, low, ..] => Some((usize::from(high) << 7 | usize::from(low)).saturating_sub(self.partial.len())),
            [..] => Some(HEADER_LEN - self.partial.len()),
        }
    }

    /// Returns the totals so far.
    pub fn counts(&self) -> FrameCounts {
        self.counts
    }

    fn finish(&mut self) -> Option<Framed> {
        let &[start, high, low, ..] = self.partial.as_slice() else { return None };
        let length = usize::from(high) << 7 | usize::from(low);
        if length < HEADER_LEN {
            self.partial.clear();
            self.counts.noise_bytes += HEADER_LEN as u64;
            return Some(Framed::Noise(Noise { bytes: HEADER_LEN, kind: NoiseKind::BadLength }));
        }
        if self.partial.len() < length {
            return None;
        }
        let data = self.partial.split_off(HEADER_LEN);
        self.partial.clear();
        self.counts.frames += 1;
        Some(Framed::Frame(Frame { id: MessageId(start & !START_BIT), data }))
    }

    fn abandon(&mut self) -> Option<Noise> {
        if !self.partial.is_empty() {
            let bytes = self.partial.len();
            self.partial.clear();
            self.counts.noise_bytes += bytes as u64;
            self.counts.interrupted += 1;
            return Some(Noise { bytes, kind: NoiseKind::Interrupted });
        }
        let bytes = std::mem::take(&mut self.stray_bytes);
        (bytes > 0).then_some(Noise { bytes, kind: NoiseKind::Stray })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(id: u8, data: &[u8]) -> Framed {
        Framed::Frame(Frame { id: MessageId(id), data: data.to_vec() })
    }

    fn noise(bytes: usize, reason: NoiseKind) -> Framed {
        Framed::Noise(Noise { bytes, kind: reason })
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &[Framed]) {
        assert_eq!(Framer::new().feed(bytes), expected, "{bytes:02x?}");
    }

    #[test]
    fn separates_messages_from_noise() {
        use NoiseKind::*;
        check(&[], &[]);
        check(&[0x8e, 0x00, 0x05, 0x1f, 0x00], &[frame(0x0e, &[0x1f, 0x00])]);
        check(&[0x93, 0x00, 0x05, 1, 2, 0x8e, 0, 5, 3, 4], &[frame(0x13, &[1, 2]), frame(0x0e, &[3, 4])]);
        // A message without data.
        check(&[0x86, 0x00, 0x03], &[frame(0x06, &[])]);
        // The line starts in the middle of a message.
        check(&[0x1f, 0x00, 0x93, 0x00, 0x05, 1, 2], &[noise(2, Stray), frame(0x13, &[1, 2])]);
        // A lost byte: the next message interrupts this one.
        check(&[0x8e, 0x00, 0x05, 0x1f, 0x93, 0x00, 0x05, 1, 2], &[noise(4, Interrupted), frame(0x13, &[1, 2])]);
        check(&[0x8e, 0x93, 0x00, 0x05, 1, 2], &[noise(1, Interrupted), frame(0x13, &[1, 2])]);
        check(&[0x8e, 0x00, 0x93, 0x00, 0x05, 1, 2], &[noise(2, Interrupted), frame(0x13, &[1, 2])]);
        // A doubled byte: one is left over.
        check(
            &[0x8e, 0x00, 0x05, 0x1f, 0x1f, 0x00, 0x93, 0, 5, 1, 2],
            &[frame(0x0e, &[0x1f, 0x1f]), noise(1, Stray), frame(0x13, &[1, 2])],
        );
        // Impossible lengths.
        check(&[0x8e, 0x00, 0x02, 0x93, 0, 5, 1, 2], &[noise(3, BadLength), frame(0x13, &[1, 2])]);
        check(&[0x8e, 0x00, 0x00, 0x07], &[noise(3, BadLength)]);
    }

    #[test]
    fn accepts_message_up_to_max_length() {
        let mut bytes = vec![0x8f, 0x7f, 0x7f];
        bytes.extend(std::iter::repeat_n(0x55, MAX_DATA));
        let mut framer = Framer::new();
        assert_eq!(framer.feed(&bytes), [frame(0x0f, &[0x55; MAX_DATA])]);
        assert_eq!(framer.feed(&[0x55; 10]), []);
        assert_eq!(framer.counts(), FrameCounts { frames: 1, noise_bytes: 10, interrupted: 0 });
        assert_eq!(framer.feed(&[0x80]), [noise(10, NoiseKind::Stray)]);
    }

    #[test]
    fn reset_drops_partial_message() {
        let mut framer = Framer::new();
        framer.feed(&[0x8e, 0x00, 0x05, 0x1f]);
        assert_eq!(framer.reset(), Some(Noise { bytes: 4, kind: NoiseKind::Interrupted }));
        assert_eq!(framer.reset(), None);
        assert_eq!(framer.feed(&[0x00, 0x93, 0, 5, 1, 2]), [noise(1, NoiseKind::Stray), frame(0x13, &[1, 2])]);
    }

    #[test]
    fn frame_writes_documented_bytes() {
        assert_eq!(Frame::new(MessageId(0x0e), [0x1f, 0x00]).encode(), [0x8e, 0x00, 0x05, 0x1f, 0x00]);
        let big = Frame::new(MessageId(0x0f), std::iter::repeat_n(0xff, 20_000)).encode();
        assert_eq!((big.len(), &big[..4]), (MAX_MESSAGE, &[0x8f, 0x7f, 0x7f, 0x7f][..]));
    }

    /// Generates pseudorandom bytes (xorshift64*), identical in every run.
    fn random_bytes(seed: u64) -> impl Iterator<Item = u8> {
        let mut state = seed;
        std::iter::from_fn(move || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            Some((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8)
        })
    }

    #[test]
    fn survives_ten_megabytes_of_random_bytes() {
        let good = [0x8e, 0x00, 0x05, 0x1f, 0x01];
        let mut framer = Framer::new();
        let (mut frames, mut dropped, mut frame_bytes) = (0, 0, 0);
        let mut tally = |framed: Framed| match framed {
            Framed::Frame(frame) => {
                frames += 1;
                frame_bytes += HEADER_LEN + frame.data().len();
            }
            Framed::Noise(noise) => dropped += noise.bytes,
        };
        let mut random = random_bytes(20);
        let mut pushed_bytes = 0;
        // Bursts of every length up to 8 KiB, each followed by a valid message.
        for burst in (1..=8192).cycle().step_by(61) {
            if pushed_bytes >= 10_000_000 {
                break;
            }
            pushed_bytes += burst + good.len();
            for byte in random.by_ref().take(burst) {
                if let Some(framed) = framer.push(byte) {
                    tally(framed);
                }
                assert!(framer.partial.len() <= MAX_MESSAGE);
            }
            let mut last = None;
            for byte in good {
                last = framer.push(byte).inspect(|framed| tally(framed.clone()));
            }
            assert_eq!(last, Some(frame(0x0e, &[0x1f, 0x01])));
        }
        // Every byte is accounted for, and both counts agree.
        assert_eq!(frame_bytes + dropped, pushed_bytes);
        let counts = framer.counts();
        assert_eq!((counts.frames, counts.noise_bytes), (frames, dropped as u64));
    }

    /// Generates a mixture of noise, interrupted messages and complete ones.
    fn wire() -> impl Strategy<Value = Vec<u8>> {
        let whole = (0u8..0x80, prop::collection::vec(0u8..0x80, 0..20))
            .prop_map(|(id, d)| Frame::new(MessageId(id), d).encode());
        let cut = (whole.clone(), 0usize..23).prop_map(|(mut bytes, keep)| {
            bytes.truncate(keep);
            bytes
        });
        let part = prop_oneof![whole, cut, prop::collection::vec(any::<u8>(), 0..10)];
        prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn chunking_never_changes_result(bytes in wire(), sizes in prop::collection::vec(1usize..7, 1..10)) {
            let mut whole = Framer::new();
            let expected = whole.feed(&bytes);
            let mut framer = Framer::new();
            let mut found = Vec::new();
            let mut rest = bytes.as_slice();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                found.extend(framer.feed(chunk));
                rest = after;
            }
            prop_assert_eq!(found, expected);
            prop_assert_eq!(framer.counts(), whole.counts());
        }

        #[test]
        fn finds_message_after_any_bytes(
            garbage in prop::collection::vec(any::<u8>(), 0..300),
            id in 0u8..0x80,
            data in prop::collection::vec(0u8..0x80, 0..200),
        ) {
            let mut framer = Framer::new();
            framer.feed(&garbage);
            let message = Frame::new(MessageId(id), data);
            let last = framer.feed(&message.encode()).pop();
            prop_assert_eq!(last, Some(Framed::Frame(message)));
        }
    }
}
