//! Clock readings through the whole core: effects of damaged or invented readings on a recorded game.

use std::sync::OnceLock;

use damcast::engine::bytelog::{self, RecordKind};
use damcast::engine::millis::Millis;
use damcast::engine::playback::Playback;
use damcast::engine::session::{Input, LineSettings};
use proptest::prelude::*;

/// Returns the header and the first half of the records; the flag is set if no message is unfinished after the record.
fn records() -> (bytelog::Header, Vec<(u64, Input, bool)>) {
    let log = bytelog::read(&std::fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let mut open: Vec<u8> = Vec::new();
    let half = log.records.len() / 2;
    let records = log.records.iter().take(half).filter_map(|record| {
        if let RecordKind::FromBoard(bytes) = &record.kind {
            open.extend(bytes);
            while let [_, high, low, ..] = *open.as_slice() {
                let length = usize::from(high) << 7 | usize::from(low);
                if open.len() < length {
                    break;
                }
                open.drain(..length);
            }
        }
        Some((record.at, Input::from_record(&record.kind).unwrap()?, open.is_empty()))
    });
    (log.header.clone(), records.collect())
}

/// The live file of the undamaged recording.
static EXPECTED: OnceLock<Vec<String>> = OnceLock::new();

/// Plays the recording with additional clock messages. Returns the live file and the notices.
fn play(garbage: &[(usize, [u8; 7])]) -> (Vec<String>, Vec<String>) {
    let (header, records) = records();
    let mut playback = Playback::new(LineSettings::from_header(&header, None).unwrap().0);
    for (index, (at, input, is_boundary)) in records.iter().enumerate() {
        playback.apply(Millis(*at), input.clone());
        for (_, data) in garbage.iter().filter(|(after, _)| 30 + after % (records.len() - 30) == index && *is_boundary)
        {
            let message = [&[0x8d, 0x00, 0x0a], data.as_slice()].concat();
            playback.apply(Millis(*at), Input::Bytes(message));
        }
    }
    let file = playback.games.iter().map(|game| String::from_utf8(game.file.bytes()).unwrap()).collect::<String>();
    let notices = playback.notices.into_iter().map(|(_, notice)| notice).collect();
    (file.lines().map(str::to_owned).collect(), notices)
}

/// Clock data that are invalid times or impossible in a game of eighty minutes.
fn garbage() -> impl Strategy<Value = [u8; 7]> {
    let bcd = || (0u8..6, 0u8..10).prop_map(|(tens, ones)| tens << 4 | ones);
    let times = (5u8..10, bcd(), bcd(), 5u8..10, bcd(), bcd(), 0u8..32);
    prop_oneof![
        4 => times.prop_map(|(a, b, c, d, e, f, status)| [a, b, c, d, e, f, status]),
        1 => Just([0; 7]),
        1 => (0u8..32).prop_map(|status| [0, 0, 0, 0, 0, 0, status]),
        1 => any::<[u8; 6]>().prop_map(|[a, b, c, d, e, f]| [0x0a, a & 0x7f, b & 0x7f, c & 0x7f, d & 0x7f, e & 0x7f, f & 0x1f]),
        1 => (bcd(), bcd()).prop_map(|(a, b)| [0x0c, a, b, 0x01, 0x7f, b, 0x01]),
    ]
}

#[test]
fn recording_alone_shows_clocks() {
    let (lines, notices) = play(&[]);
    assert!(lines.iter().filter(|line| line.contains("[%clock")).count() > 20, "{lines:#?}");
    assert!(notices.iter().all(|notice| !notice.contains("clock")), "{notices:?}");
}

#[test]
fn clock_notices() {
    // Data bytes as on the protocol page: right, left, status; no clock (bit 5), then battery low (bit 2) and back.
    let (_, notices) = play(&[(10, [0, 0, 0, 0, 0, 0, 0x20]), (15, [0, 0, 0, 0, 0, 0, 0x20])]);
    let count_notices = |words: &str| notices.iter().filter(|notice| notice.contains(words)).count();
    assert_eq!(count_notices("the clock is no longer connected"), 2, "{notices:?}");
    let (_, times, _) = records()
        .1
        .into_iter()
        .find_map(|(at, input, whole)| {
            let Input::Bytes(bytes) = &input else { return None };
            let at_clock = bytes.windows(3).position(|three| three == [0x8d, 0x00, 0x0a])?;
            let data: [u8; 7] = bytes.get(at_clock + 3..at_clock + 10)?.try_into().ok()?;
            (data[6] & 0x20 == 0).then_some((at, data, whole))
        })
        .unwrap();
    let mut low = times;
    low[6] |= 0x04;
    low[0] |= 0x10;
    let (_, notices) = play(&[(0, low), (1, low), (2, low)]);
    let count_notices = |words: &str| notices.iter().filter(|notice| notice.contains(words)).count();
    assert_eq!(count_notices("flag"), 1, "{notices:?}");
    assert!(count_notices("battery is low") >= 1, "{notices:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Every line of the file equals the line without the garbage, or has no clock.
    #[test]
    fn no_garbage_between_good_readings_is_published(
        garbage in prop::collection::vec((0usize..100_000, garbage()), 1..200),
    ) {
        let expected = EXPECTED.get_or_init(|| play(&[]).0);
        let (lines, _) = play(&garbage);
        let bare = |line: &str| line.split(" {").next().unwrap().to_owned();
        prop_assert_eq!(lines.iter().map(|line| bare(line)).collect::<Vec<_>>(),
            expected.iter().map(|line| bare(line)).collect::<Vec<_>>());
        for (line, expected) in lines.iter().zip(expected) {
            prop_assert!(line == expected || *line == bare(expected), "{} instead of {}", line, expected);
        }
        let clocks = |lines: &[String]| lines.iter().filter(|line| line.contains("[%clock")).count();
        prop_assert!(clocks(&lines) * 10 >= clocks(expected) * 8, "{} of {}", clocks(&lines), clocks(expected));
    }
}
