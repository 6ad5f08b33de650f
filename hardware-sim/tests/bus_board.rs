//! One board in bus mode: every command and every answer as bytes, typed from the page of the protocol.
//!
//! The board has serial number 01025, so its address is `08 01`; every checksum is the sum of the bytes before it in seven bits.

use hardware_sim::board::{BoardOptions, Mode, Numbering, SimBoard};
use hardware_sim::clock::{ClockSide, SimClock, TimeControl};
use hardware_sim::random::{Rng, Span};
use hardware_sim::scanner::{ScanMode, SensorState};

fn board_with(options: BoardOptions) -> SimBoard {
    let clock =
        SimClock::new(TimeControl { base_s: 5400, increment_s: 0 }, ClockSide::Left, Span::just(200), Rng::new(2));
    let mut board = SimBoard::new(options, Some(clock), Rng::new(1));
    board.power_on(0);
    board
}

fn board() -> SimBoard {
    board_with(BoardOptions::new(10, 10))
}

/// Sends bytes at a time and returns the messages that start from then until `until_ms`, with the times of the first bytes.
fn timed(board: &mut SimBoard, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<(u64, Vec<u8>)> {
    let mut sent = Vec::new();
    board.advance(now_ms * 1000, &mut sent);
    sent.clear();
    board.receive(now_ms * 1000, bytes);
    board.advance(until_ms * 1000, &mut sent);
    sent.into_iter().map(|message| (message.start_us, message.bytes)).collect()
}

fn talk(board: &mut SimBoard, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<Vec<u8>> {
    timed(board, now_ms, bytes, until_ms).into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn every_command_has_answer() {
    let ping = vec![0x87, 0x00, 0x06, 0x08, 0x01, 0x16];
    let clock = vec![0x84, 0x00, 0x0d, 0x08, 0x01, 0x01, 0x30, 0x00, 0x01, 0x30, 0x00, 0x08, 0x04];
    let powered_up = vec![0x85, 0x00, 0x0a, 0x08, 0x01, 0x7f, 0x7f, 0x7f, 0x6a, 0x7f];
    let mut dump = vec![0x83, 0x00, 0x6a, 0x08, 0x01];
    dump.extend([0; 100]);
    dump.push(0x76);
    let mut half = vec![0x8a, 0x00, 0x38, 0x08, 0x01];
    half.extend([0; 50]);
    half.push(0x4b);
    let cases: [([u8; 4], Vec<Vec<u8>>); 13] = [
        ([0x81, 0x08, 0x01, 0x0a], vec![clock.clone()]),
        ([0x82, 0x08, 0x01, 0x0b], vec![dump.clone()]),
        ([0x83, 0x08, 0x01, 0x0c], vec![powered_up.clone()]),
        ([0x84, 0x08, 0x01, 0x0d], vec![vec![0x85, 0x00, 0x06, 0x08, 0x01, 0x14]]),
        ([0x85, 0x08, 0x01, 0x0e], vec![vec![0x88, 0x00, 0x06, 0x08, 0x01, 0x17]]),
        ([0x86, 0x08, 0x01, 0x0f], vec![vec![0x86, 0x00, 0x06, 0x08, 0x01, 0x15]]),
        ([0x87, 0x08, 0x01, 0x10], vec![ping.clone()]),
        ([0x88, 0x08, 0x01, 0x11], vec![]),
        ([0x89, 0x08, 0x01, 0x12], vec![]),
        ([0x8a, 0x08, 0x01, 0x13], vec![ping.clone()]),
        ([0x8b, 0x08, 0x01, 0x14], vec![vec![0x89, 0x00, 0x08, 0x08, 0x01, 0x01, 0x0b, 0x26]]),
        ([0x8c, 0x08, 0x01, 0x15], vec![half]),
        ([0x8d, 0x08, 0x01, 0x16], vec![powered_up, clock, dump]),
    ];
    for (command, answers) in cases {
        assert_eq!(talk(&mut board(), 100, &command, 1500), answers, "{command:02x?}");
    }
    assert_eq!(talk(&mut board(), 100, &[0x87, 0x00, 0x00, 0x07], 1500), [ping]);
}

#[test]
fn ignores_other_addresses_and_bad_checksums() {
    for command in [
        [0x87, 0x08, 0x02, 0x11],
        [0x87, 0x00, 0x01, 0x08],
        [0x87, 0x08, 0x01, 0x11],
        [0x87, 0x00, 0x00, 0x06],
        // Example of the page: a request for the clock of another board.
        [0x81, 0x10, 0x06, 0x17],
        // Unknown command; only pings, ends and resets may address all boards.
        [0x8e, 0x08, 0x01, 0x17],
        [0x82, 0x00, 0x00, 0x02],
        [0x83, 0x00, 0x00, 0x03],
    ] {
        let mut board = board();
        assert!(talk(&mut board, 100, &command, 2000).is_empty(), "{command:02x?}");
        assert_eq!((board.mode(), board.dropped_bytes()), (Mode::Bus, 0));
    }
}

#[test]
fn answers_within_milliseconds_or_20_while_storing() {
    let mut quiet = board();
    for k in 0..50 {
        let at = 1_000 + 100 * k;
        let (start_us, _) = timed(&mut quiet, at, &[0x81, 0x08, 0x01, 0x0a], at + 90)[0].clone();
        let after = start_us - at * 1000 - 4_166;
        assert!((500..=3_000).contains(&after), "{after} us");
    }
    let mut storing = board();
    let mut slowest = 0;
    for k in 0..200 {
        let at = 1_000 + 500 * k;
        storing.set(at * 1000, (k % 100) as u8, SensorState::steady(1 + (k % 2) as u8));
        // Scanned at some moment of the next 225 ms; one of the requests arrives during storing.
        for part in 0..9 {
            let asked_at = at + 25 * part;
            let (start_us, _) = timed(&mut storing, asked_at, &[0x87, 0x08, 0x01, 0x10], asked_at + 25)
                .first()
                .cloned()
                .expect("an answer within 25 ms and 4 ms");
            slowest = slowest.max(start_us - asked_at * 1000 - 4_166);
        }
    }
    assert!((10_000..=20_000).contains(&slowest), "{slowest} us");
}

#[test]
fn changes_are_sent_once_and_can_be_repeated() {
    let mut board = board();
    talk(&mut board, 0, &[0x83, 0x08, 0x01, 0x0c], 100);
    board.set(1_000_000, 63, SensorState::steady(1));
    let changes = [0x85, 0x00, 0x08, 0x08, 0x01, 0x41, 0x3f, 0x16];
    // The board sends nothing unrequested. An empty answer replaces the one that 0x84 repeats.
    assert!(talk(&mut board, 1_000, &[], 2_000).is_empty());
    assert_eq!(talk(&mut board, 2_000, &[0x83, 0x08, 0x01, 0x0c], 2_100), [changes]);
    assert_eq!(talk(&mut board, 2_100, &[0x84, 0x08, 0x01, 0x0d], 2_200), [changes]);
    assert_eq!(talk(&mut board, 2_200, &[0x84, 0x08, 0x01, 0x0d], 2_300), [changes]);
    let nothing = [0x85, 0x00, 0x06, 0x08, 0x01, 0x14];
    assert_eq!(talk(&mut board, 2_300, &[0x83, 0x08, 0x01, 0x0c], 2_400), [nothing]);
    assert_eq!(talk(&mut board, 2_400, &[0x84, 0x08, 0x01, 0x0d], 2_500), [nothing]);
}

#[test]
fn ply_with_press_on_bus() {
    let mut board = board_with(BoardOptions { scan_us: 200_000, ..BoardOptions::new(10, 10) });
    board.set(0, 63, SensorState::steady(1));
    board.clock_mut().unwrap().start(500);
    talk(&mut board, 500, &[0x83, 0x08, 0x01, 0x0c], 600);
    board.set(10_000_000, 63, SensorState::steady(0)); // seen at 10.126 s
    board.set(10_300_000, 54, SensorState::steady(1)); // seen at 10.308 s: less than 250 ms later
    board.advance(10_900_000, &mut Vec::new());
    assert!(board.clock_mut().unwrap().press(10_900, ClockSide::Left)); // 1:29:49.6 left, shown as 1:29:50
    let answer = talk(&mut board, 12_000, &[0x83, 0x08, 0x01, 0x0c], 12_100);
    // The board was also empty for a moment: 6d.
    let expected = [0x85, 0x00, 0x0e, 0x08, 0x01, 0x40, 0x3f, 0x6d, 0x51, 0x36, 0x71, 0x29, 0x50, 0x79];
    assert_eq!(answer, [expected]);
}

#[test]
fn start_of_game_lists_all_pieces() {
    let mut board = board();
    board.set(0, 3, SensorState::steady(4));
    talk(&mut board, 500, &[0x83, 0x08, 0x01, 0x0c], 600);
    let sent = timed(&mut board, 1_000, &[0x85, 0x08, 0x01, 0x0e], 1_200);
    assert_eq!(sent[0].1, [0x88, 0x00, 0x06, 0x08, 0x01, 0x17]);
    let after = sent[0].0 - 1_000_000 - 4_166;
    assert!((65_000..=75_000).contains(&after), "about 70 ms later: {after} us");
    // Changes still waiting for 0x83 are not part of 0x86.
    assert_eq!(talk(&mut board, 1_200, &[0x86, 0x08, 0x01, 0x0f], 1_300), [[0x86, 0x00, 0x06, 0x08, 0x01, 0x15]]);
    let changes = [0x85, 0x00, 0x09, 0x08, 0x01, 0x7b, 0x44, 0x03, 0x59];
    assert_eq!(talk(&mut board, 1_300, &[0x83, 0x08, 0x01, 0x0c], 1_400), [changes]);
    let from_start = [0x86, 0x00, 0x09, 0x08, 0x01, 0x7b, 0x44, 0x03, 0x5a];
    assert_eq!(talk(&mut board, 1_400, &[0x86, 0x08, 0x01, 0x0f], 1_500), [from_start]);
    assert_eq!(talk(&mut board, 1_500, &[0x86, 0x08, 0x01, 0x0f], 1_600), [from_start], "as often as it is asked for");
}

#[test]
fn ping_to_all_is_answered_at_random_moment_unless_skipped() {
    let mut board = board();
    let ping = [0x87, 0x00, 0x06, 0x08, 0x01, 0x16];
    let mut moments = Vec::new();
    for k in 0..40 {
        let at = 2_000 * k;
        let sent = timed(&mut board, at, &[0x87, 0x00, 0x00, 0x07], at + 1_110);
        assert_eq!(sent.len(), 1);
        assert_eq!(sent[0].1, ping);
        moments.push((sent[0].0 - at * 1000) / 1000);
    }
    moments.sort_unstable();
    assert!(moments[0] < 100 && moments[39] > 1_000 && moments[39] < 1_100, "{moments:?}");
    // It answers at once, and ignores exactly one ping to all boards.
    let sent = timed(&mut board, 90_000, &[0x8a, 0x08, 0x01, 0x13], 90_100);
    assert_eq!(sent[0].1, ping);
    assert!(talk(&mut board, 90_100, &[0x87, 0x00, 0x00, 0x07], 92_000).is_empty());
    assert_eq!(talk(&mut board, 92_000, &[0x87, 0x00, 0x00, 0x07], 94_000), [ping]);
    // A ping to this board alone is always answered, and does not count as the skipped one.
    talk(&mut board, 94_000, &[0x8a, 0x08, 0x01, 0x13], 94_100);
    assert_eq!(talk(&mut board, 94_100, &[0x87, 0x08, 0x01, 0x10], 94_200), [ping]);
    assert!(talk(&mut board, 94_200, &[0x87, 0x00, 0x00, 0x07], 96_000).is_empty());
}

#[test]
fn busy_board_loses_command() {
    let mut board = board();
    // The second arrives while the board sends the requested answer (110 ms), the third while it waits to answer a ping.
    let sent = talk(&mut board, 0, &[0x82, 0x08, 0x01, 0x0b, 0x8b, 0x08, 0x01, 0x14], 1_000);
    assert_eq!(sent.iter().map(|message| message[0]).collect::<Vec<_>>(), [0x83]);
    assert_eq!(board.dropped_bytes(), 1);
    board.receive(1_000_000, &[0x87, 0x00, 0x00, 0x07, 0x8b, 0x08, 0x01, 0x14]);
    let sent = talk(&mut board, 1_000, &[], 2_200);
    assert_eq!(sent.iter().map(|message| message[0]).collect::<Vec<_>>(), [0x87]);
    // Commands for other boards are ignored in every state and not counted as lost.
    let sent = talk(&mut board, 3_000, &[0x82, 0x08, 0x01, 0x0b, 0x8b, 0x08, 0x02, 0x15], 4_000);
    assert_eq!((sent.len(), board.dropped_bytes()), (1, 2));
}

#[test]
fn single_board_command_ends_bus_mode_until_bus_command() {
    let mut board = board();
    assert_eq!(talk(&mut board, 0, &[0x46], 100), [[0x90, 0x00, 0x05, 0x08, 0x01]], "obeyed, and the mode is left");
    assert_eq!(board.mode(), Mode::Idle);
    assert!(talk(&mut board, 100, &[0x87, 0x08, 0x01, 0x10], 200).is_empty(), "the command that brings it back");
    assert_eq!(talk(&mut board, 200, &[0x87, 0x08, 0x01, 0x10], 300).len(), 1);
    // A command for another board also switches the mode, and so does 4a; a damaged one does not.
    talk(&mut board, 300, &[0x44], 400);
    talk(&mut board, 400, &[0x87, 0x08, 0x02, 0x12], 500);
    assert_eq!(board.mode(), Mode::UpdateBoard);
    talk(&mut board, 500, &[0x87, 0x08, 0x02, 0x11], 600);
    assert_eq!(board.mode(), Mode::Bus);
    talk(&mut board, 600, &[0x44, 0x4a], 700);
    assert_eq!(board.mode(), Mode::Bus);
    // An address that looks like a command: 41 is read as a command only if the byte before it was lost.
    talk(&mut board, 700, &[0x87, 0x08, 0x41, 0x50], 800);
    assert_eq!(board.mode(), Mode::Bus);
    talk(&mut board, 800, &[0x08, 0x41, 0x50], 900);
    assert_eq!(board.mode(), Mode::Idle);
}

#[test]
fn end_of_bus_mode_and_reset() {
    for command in [[0x88, 0x08, 0x01, 0x11], [0x88, 0x00, 0x00, 0x08]] {
        let mut board = board();
        assert!(talk(&mut board, 0, &command, 100).is_empty());
        assert_eq!(board.mode(), Mode::Idle);
    }
    for command in [[0x89, 0x08, 0x01, 0x12], [0x89, 0x00, 0x00, 0x09]] {
        let mut board = board();
        board.set(0, 3, SensorState::steady(4));
        talk(&mut board, 300, &[0x83, 0x08, 0x01, 0x0c], 400);
        talk(&mut board, 1_000, &command, 1_100);
        assert!(talk(&mut board, 1_100, &[0x87, 0x08, 0x01, 0x10], 2_500).is_empty(), "deaf for some seconds");
        assert_eq!(talk(&mut board, 6_000, &[0x87, 0x08, 0x01, 0x10], 6_100).len(), 1);
        let powered_up = [0x85, 0x00, 0x0c, 0x08, 0x01, 0x7f, 0x7f, 0x7f, 0x6a, 0x44, 0x03, 0x48];
        assert_eq!(talk(&mut board, 6_100, &[0x83, 0x08, 0x01, 0x0c], 6_200), [powered_up]);
    }
}

#[test]
fn memory_survives_power_cut_and_changes_restart() {
    let mut board = board();
    board.set(0, 3, SensorState::steady(4));
    board.advance(500_000, &mut Vec::new());
    talk(&mut board, 500, &[0x85, 0x08, 0x01, 0x0e], 1_000);
    board.set(1_000_000, 12, SensorState::steady(4));
    board.advance(2_000_000, &mut Vec::new());
    board.power_off(2_500_000);
    board.set(3_000_000, 12, SensorState::steady(0));
    board.power_on(4_000_000);
    assert_eq!(board.mode(), Mode::Bus);
    let changes = talk(&mut board, 4_000, &[0x83, 0x08, 0x01, 0x0c], 4_100).concat();
    assert_eq!(changes[5..changes.len() - 1], [0x7f, 0x7f, 0x7f, 0x6a, 0x44, 0x03]);
    let from_start = talk(&mut board, 4_100, &[0x86, 0x08, 0x01, 0x0f], 4_200).concat();
    let events = [0x7b, 0x44, 0x03, 0x44, 0x0c, 0x7f, 0x7f, 0x7f, 0x6a, 0x44, 0x03];
    assert_eq!(from_start[5..from_start.len() - 1], events, "what was never asked for is not lost");
}

#[test]
fn boards_of_every_size_dump_row_by_row() {
    for (rows, cols, header) in [
        (8, 8, [0x83, 0x00, 0x46]),
        (10, 10, [0x83, 0x00, 0x6a]),
        (10, 8, [0x83, 0x00, 0x56]),
        (12, 12, [0x83, 0x01, 0x16]),
    ] {
        let mut board = board_with(BoardOptions::new(rows, cols));
        board.set(0, cols + 2, SensorState::steady(7));
        let dump = talk(&mut board, 1000, &[0x82, 0x08, 0x01, 0x0b], 1500).concat();
        assert_eq!(dump[..3], header);
        assert_eq!(dump.iter().position(|byte| *byte == 7), Some(5 + usize::from(cols) + 2));
    }
}

#[test]
fn board_scanning_fifty_squares_marks_events() {
    for (numbering, field) in [(Numbering::AllFields, 63), (Numbering::ScannedFields, 31)] {
        let mut board = board_with(BoardOptions { numbering, scan: ScanMode::Dark, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[0x83, 0x08, 0x01, 0x0c], 100);
        board.set(500_000, 63, SensorState::steady(1));
        board.set(500_000, 64, SensorState::steady(1));
        let changes = talk(&mut board, 1_000, &[0x83, 0x08, 0x01, 0x0c], 1_100).concat();
        assert_eq!(changes[5..7], [0x41, field]);
        assert_eq!(changes.len(), 8);
        let half = talk(&mut board, 1_100, &[0x8c, 0x08, 0x01, 0x15], 1_300).concat();
        assert_eq!((half[..3].to_vec(), half[5 + 31]), (vec![0x8a, 0x00, 0x38], 1));
    }
}

#[test]
fn memory_marks_are_written_at_right_places() {
    let mut board = board_with(BoardOptions { scan_us: 200_000, ..BoardOptions::new(8, 8) });
    let mut memory = |set: &[(u8, u8)], from_s: u64| {
        for (field, code) in set {
            board.set(from_s * 1_000_000, *field, SensorState::steady(*code));
        }
        let answer = talk(&mut board, from_s * 1_000 + 900, &[0x83, 0x08, 0x01, 0x0c], from_s * 1_000 + 999).concat();
        answer[5..answer.len() - 1].to_vec()
    };
    assert_eq!(memory(&[], 0), [0x7f, 0x7f, 0x7f, 0x6a]);
    let rank = [2, 3, 4, 6, 5, 4, 3, 2];
    let chess: Vec<(u8, u8)> = (0..8)
        .flat_map(|file| {
            let officer = rank[usize::from(file)];
            [(file, officer + 6), (8 + file, 7), (48 + file, 1), (56 + file, officer)]
        })
        .collect();
    assert_eq!(memory(&chess, 1).last(), Some(&0x6f), "the start position of chess");
    // Two pieces change places: four rows are full at each change, but it is no start position of chess.
    assert_eq!(memory(&[(57, 4), (58, 3)], 2), [0x44, 57, 0x6c, 0x53, 58, 0x6c]);
    let rotated: Vec<(u8, u8)> = chess.iter().map(|(field, code)| (63 - field, *code)).collect();
    assert_eq!(memory(&rotated, 3).last(), Some(&0x7a), "the same from the other side");
    let nothing: Vec<(u8, u8)> = (0..64).map(|field| (field, 0)).collect();
    assert_eq!(memory(&nothing, 4).last(), Some(&0x6d));
    board.restart_by_watchdog(6_000_000);
    let whole = talk(&mut board, 6_100, &[0x49], 7_000).concat();
    assert!(whole.ends_with(&[0x6d, 0x7c, 0x7f, 0x7f, 0x7f, 0x6a, 0x6b]), "{whole:02x?}");
    let second_read = talk(&mut board, 8_000, &[0x49], 9_000).concat();
    assert!(second_read.ends_with(&[0x6a, 0x6e, 0x6b]), "it was read here");
}

proptest::proptest! {
    #[test]
    fn survives_arbitrary_host_bytes(bytes in proptest::collection::vec(0u8..=255, 0..400)) {
        let mut board = board();
        talk(&mut board, 0, &bytes, 20_000);
        board.power_off(20_000_000);
        board.power_on(20_000_000);
        proptest::prop_assert_eq!(talk(&mut board, 20_000, &[0x87, 0x08, 0x01, 0x10], 20_100).len(), 1);
    }
}
