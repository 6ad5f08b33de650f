//! Finds messages in a stream of bytes that may be damaged anywhere.
//!
//! A serial line starts in the middle of a message, loses bytes when a buffer runs over, and brings noise when a plug is
//! moved. The board's framing makes recovery simple, and this file leans on nothing else: **only the first byte of a
//! message has its top bit set**. So such a byte always starts a message, whatever was expected, and a message it
//! interrupts is dropped and counted, not waited for.
//!
//! ```text
//!   1iiiiiii  0hhhhhhh  0lllllll  0ddddddd ...        length = h·128 + l, the three header bytes included
//!
//!            top bit set                   third byte, length >= 3
//!   Outside ─────────────▸ Header ────────────────────────────────▸ Data ──▸ Frame, Outside
//!    │ ▴ other bytes         │ ▴ top bit set: noise (cut)            │
//!    └─┘ stray, counted      └─┴────────────────────────────────────┘
//! ```
//!
//! Invariants: one byte gives at most one [`Framed`]; how bytes are cut into reads never changes what comes out, nor
//! its order; every byte ends in a frame or is counted as noise; at most [`MAX_MESSAGE`] bytes are held. Absent on
//! purpose: a time-out. A cut message costs nothing while the line is silent, and the next start byte clears it.
//!
//! Source: protocol header, "message format".

use super::message::MessageId;

/// The bit that marks the first byte of a message.
pub const START_BIT: u8 = 0x80;
/// Bytes before the data: id and two length bytes.
pub const HEADER_LEN: usize = 3;
/// The largest message that two length bytes of seven bits can announce, its header included.
pub const MAX_MESSAGE: usize = 0x3fff;
/// The most data bytes a message can carry.
pub const MAX_DATA: usize = MAX_MESSAGE - HEADER_LEN;

/// One message as it stood on the wire, not yet understood.
///
/// Every data byte is 0x00..=0x7f and there are at most [`MAX_DATA`] of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    id: MessageId,
    data: Vec<u8>,
}

impl Frame {
    /// A frame to be sent, for tests and simulated boards. What the wire cannot carry is left out: the top bit of data
    /// bytes, and data beyond [`MAX_DATA`].
    pub fn new(id: MessageId, data: impl IntoIterator<Item = u8>) -> Frame {
        Frame { id, data: data.into_iter().take(MAX_DATA).map(|byte| byte & !START_BIT).collect() }
    }

    /// What kind of message it is.
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// The bytes after the header.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes of the wire, header included.
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

/// Bytes that belong to no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Noise {
    /// How many bytes were dropped.
    pub bytes: usize,
    /// Why they are no message.
    pub kind: NoiseKind,
}

/// Why bytes were dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    /// Bytes without the top bit where a message had to start. Reported as one run, when the next message starts.
    Stray,
    /// A message that another start byte interrupted.
    Interrupted,
    /// A header that announces fewer bytes than a header has.
    BadLength,
}

/// What the framer found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Framed {
    /// A whole message.
    Frame(Frame),
    /// Bytes that are none.
    Noise(Noise),
}

/// What went by since the framer was made. Counted at once, also while a run of stray bytes is still going on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameCounts {
    /// Whole messages.
    pub frames: u64,
    /// Bytes that belonged to no message. Those of a message still under way are in neither count.
    pub noise_bytes: u64,
    /// Messages that were interrupted.
    pub interrupted: u64,
}

/// Bytes in, frames and noise out.
#[derive(Clone, Debug, Default)]
pub struct Framer {
    /// The message under way, from its start byte; empty outside of messages. At most [`MAX_MESSAGE`] bytes.
    partial: Vec<u8>,
    /// Stray bytes since the last message; more than zero only while `partial` is empty.
    stray_bytes: usize,
    counts: FrameCounts,
}

impl Framer {
    /// A framer that is outside of any message.
    pub fn new() -> Framer {
        Framer::default()
    }

    /// Takes one byte. It may end a message, or show that earlier bytes were none.
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

    /// Takes what one read brought. Equal to [`push`](Self::push) for each byte.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Framed> {
        bytes.iter().filter_map(|&byte| self.push(byte)).collect()
    }

    /// Forgets the message under way: the link was lost, what follows does not continue it. Returns what was dropped.
    pub fn reset(&mut self) -> Option<Noise> {
        self.abandon()
    }

    /// How many bytes of the message under way are still to come, as far as that is known; `None` outside of any.
    pub fn missing_bytes(&self) -> Option<usize> {
        match *self.partial.as_slice() {
            [] => None,
            [_, high, low, ..] => Some((usize::from(high) << 7 | usize::from(low)).saturating_sub(self.partial.len())),
            [..] => Some(HEADER_LEN - self.partial.len()),
        }
    }

    /// What went by so far.
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

    fn noise(bytes: usize, why: NoiseKind) -> Framed {
        Framed::Noise(Noise { bytes, kind: why })
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
        // A lost byte: the message is cut by the next.
        check(&[0x8e, 0x00, 0x05, 0x1f, 0x93, 0x00, 0x05, 1, 2], &[noise(4, Interrupted), frame(0x13, &[1, 2])]);
        check(&[0x8e, 0x93, 0x00, 0x05, 1, 2], &[noise(1, Interrupted), frame(0x13, &[1, 2])]);
        check(&[0x8e, 0x00, 0x93, 0x00, 0x05, 1, 2], &[noise(2, Interrupted), frame(0x13, &[1, 2])]);
        // A doubled byte: one is left over.
        check(
            &[0x8e, 0x00, 0x05, 0x1f, 0x1f, 0x00, 0x93, 0, 5, 1, 2],
            &[frame(0x0e, &[0x1f, 0x1f]), noise(1, Stray), frame(0x13, &[1, 2])],
        );
        // Lengths that cannot be.
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

    /// xorshift64*: random enough to disturb a framer, and the same bytes in every run.
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
        let (mut frames, mut dropped, mut kept) = (0, 0, 0);
        let mut tally = |framed: Framed| match framed {
            Framed::Frame(frame) => {
                frames += 1;
                kept += HEADER_LEN + frame.data().len();
            }
            Framed::Noise(noise) => dropped += noise.bytes,
        };
        let mut random = random_bytes(20);
        let mut taken = 0;
        // Bursts of every length up to 8 KiB, a good message after each.
        for burst in (1..=8192).cycle().step_by(61) {
            if taken >= 10_000_000 {
                break;
            }
            taken += burst + good.len();
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
        // Every byte is accounted for, and the two books agree.
        assert_eq!(kept + dropped, taken);
        let counts = framer.counts();
        assert_eq!((counts.frames, counts.noise_bytes), (frames, dropped as u64));
    }

    /// Noise, cut messages and whole ones, mixed.
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
