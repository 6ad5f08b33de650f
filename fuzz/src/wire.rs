//! Fuzz targets for messages of boards and for byte logs.

use damcast_engine::bytelog;
use damcast_engine::protocol::changes::{self, DecodedMemory};
use damcast_engine::protocol::{
    BusAnswer, BusDecoder, BusItem, Command, Decoded, DecodedItem, Decoder, FrameCounts, Framed, Framer, Message,
};

use super::pieces;

/// Decodes the bytes of a single board and of its event memory, and the same bytes from a bus and as commands.
pub fn framer(data: &[u8]) {
    let mut whole = Decoder::new();
    let items = whole.feed(data);
    let mut cut = Decoder::new();
    let found: Vec<DecodedItem> = pieces(data).flat_map(|piece| cut.feed(piece)).collect();
    assert_eq!(found, items, "however bytes are cut into reads");
    assert_eq!(cut.counts(), whole.counts());

    // Every byte is in a frame, in counted noise, or in an incomplete message.
    let mut framer = Framer::new();
    let mut framed_bytes = 0;
    for framed in framer.feed(data) {
        if let Framed::Frame(frame) = framed {
            framed_bytes += frame.encode().len();
            let message = Message::decode(&frame);
            assert_eq!(Message::decode(&message.encode_frame()), message);
            let _ = DecodedMemory::decode(frame.data());
        }
    }
    framer.reset();
    let FrameCounts { noise_bytes, .. } = framer.counts();
    assert_eq!(framed_bytes + noise_bytes as usize, data.len());

    bus(data);

    // A host sends seven bits.
    let sent: Vec<u8> = data.iter().map(|byte| byte & 0x7f).collect();
    let mut rest = sent.as_slice();
    loop {
        let used = match Command::decode(rest) {
            Decoded::Incomplete => break,
            Decoded::Unknown { used } => used,
            Decoded::Command { command, used } => {
                let redecoded = Command::decode(&command.encode());
                assert!(
                    matches!(&redecoded, Decoded::Command { command: redecoded, .. } if *redecoded == command),
                    "{redecoded:?}"
                );
                used
            }
        };
        assert!(used > 0);
        rest = rest.get(used..).unwrap_or_default();
    }
}

/// Decodes the bytes as answers on a bus.
fn bus(data: &[u8]) {
    let items = BusDecoder::new().feed(data);
    let mut cut = BusDecoder::new();
    let found: Vec<BusItem> = pieces(data).flat_map(|piece| cut.feed(piece)).collect();
    assert_eq!(found, items, "however bytes are cut into reads");
    for item in items {
        let BusItem::Message(message) = item else { continue };
        if let BusAnswer::Changes(data) | BusAnswer::FromStart(data) = &message.answer {
            assert!(changes::decode(data).len() <= data.len());
        }
        assert_eq!(BusDecoder::new().feed(&message.encode()), [BusItem::Message(message)]);
    }
}

/// Reads a byte log.
pub fn log(data: &[u8]) {
    let mut reader = bytelog::LogReader::new();
    let mut faults = 0;
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        faults += usize::from(reader.push_bytes(line).is_err());
    }
    match bytelog::read(data) {
        Ok(log) => {
            assert!(faults <= 1, "only a torn end is overlooked");
            let text = log.to_text();
            let reread = bytelog::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!((reread.records.len(), &reread.problems[..]), (log.records.len(), &[][..]));
            // Only a damaged log has control characters, which are written as blanks; the opening time is written in milliseconds.
            if String::from_utf8_lossy(data).chars().all(|c| c == '\n' || !c.is_control()) {
                assert_eq!(reread.records, log.records);
                assert_eq!(reread.to_text(), text);
            }
        }
        Err(error) => assert!(faults > 0 && error.line > 0 && error.column > 0, "{error}"),
    }
}
