//! A single board on its wire: commands and answers as bytes.

use hardware_sim::board::{BoardOptions, Mode, Numbering, SimBoard};
use hardware_sim::clock::{ClockSide, SimClock, TimeControl};
use hardware_sim::random::{Rng, Span};
use hardware_sim::scanner::SensorState;
use hardware_sim::wire;

fn clock() -> SimClock {
    SimClock::new(TimeControl { base_s: 5400, increment_s: 0 }, ClockSide::Left, Span::just(200), Rng::new(2))
}

fn board(options: BoardOptions) -> SimBoard {
    let mut board = SimBoard::new(options, Some(clock()), Rng::new(1));
    board.power_on(0);
    board
}

/// Sends bytes at a time and returns every message that starts from then until `until_ms`.
fn talk(board: &mut SimBoard, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<Vec<u8>> {
    let mut sent = Vec::new();
    board.advance(now_ms * 1000, &mut sent);
    sent.clear();
    board.receive(now_ms * 1000, bytes);
    board.advance(until_ms * 1000, &mut sent);
    sent.into_iter().map(|message| message.bytes).collect()
}

#[test]
fn every_query_has_answer() {
    let cases: [(&[u8], &[u8]); 9] = [
        (&[0x41], &[0x8d, 0, 0x0a, 1, 0x30, 0, 1, 0x30, 0, 0x08]),
        (&[0x45], &[0x91, 0, 8, b'0', b'1', b'0', b'2', b'5']),
        (&[0x46], &[0x90, 0, 5, 8, 1]),
        (&[0x4c], &[0xa0, 0, 12, 87, 9, 30, 2, 15, 0, 0, 0, 0]),
        (&[0x4d], &[0x93, 0, 5, 1, 11]),
        (&[0x55], &[0xa2, 0, 13, b'3', b'0', b'0', b'0', b'0', b'0', b'1', b'0', b'2', b'5']),
        (&[0x49], &[0x8f, 0, 8, 0x7f, 0x7f, 0x7f, 0x6a, 0x6b]),
        (&[0x60, 4, 1, 2, 3, 0], &[]),
        (&[0x61], &[]),
    ];
    for (question, answer) in cases {
        let expected: Vec<Vec<u8>> = if answer.is_empty() { vec![] } else { vec![answer.to_vec()] };
        assert_eq!(talk(&mut board(BoardOptions::new(10, 10)), 0, question, 500), expected, "{question:02x?}");
    }
    let trademark = talk(&mut board(BoardOptions::new(10, 10)), 0, &[0x47], 500).concat();
    assert_eq!(trademark[0], 0x92);
    assert!(String::from_utf8_lossy(&trademark[3..]).contains("simulated"));
}

#[test]
fn dumps_go_row_by_row_in_every_size() {
    for (rows, cols, header) in
        [(8, 8, [0x86, 0, 67]), (10, 10, [0x86, 0, 103]), (10, 8, [0x86, 0, 83]), (12, 12, [0x86, 1, 19])]
    {
        let mut board = board(BoardOptions::new(rows, cols));
        board.set(0, cols + 2, SensorState::steady(7));
        let dump = talk(&mut board, 1000, &[0x42], 1500).concat();
        assert_eq!(dump[..3], header);
        assert_eq!(dump.iter().position(|byte| *byte == 7), Some(3 + usize::from(cols) + 2));
    }
}

#[test]
fn fifty_squares_of_one_colour() {
    let mut board = board(BoardOptions::new(10, 10));
    board.set(0, 1, SensorState::steady(4)); // dark: square 1
    board.set(0, 99, SensorState::steady(1)); // light corner
    let dark = talk(&mut board, 1000, &[0x50], 1500).concat();
    assert_eq!(dark[..4], [0x94, 0, 53, 4]);
    assert_eq!(dark.len(), 53);
    let light = talk(&mut board, 2000, &[0x52], 2500).concat();
    assert_eq!((light[0], light[52], light.len()), (0x95, 1, 53));
}

#[test]
fn turned_board_rotates_all_messages() {
    let mut board = board(BoardOptions { is_turned: true, ..BoardOptions::new(10, 10) });
    talk(&mut board, 0, &[0x44], 100);
    board.set(100_000, 63, SensorState::steady(1));
    assert_eq!(talk(&mut board, 100, &[], 1000), [[0x8e, 0, 5, 36, 1]]);
    board.set_turned(1_000_000, false);
    let updates = talk(&mut board, 1000, &[], 2000);
    assert!(updates.contains(&vec![0x8e, 0, 5, 63, 1]) && updates.contains(&vec![0x8e, 0, 5, 36, 0]));
}

#[test]
fn modes_send_documented_updates() {
    for (code, updates, times) in [(0x40, 0, 0), (0x43, 1, 10), (0x44, 1, 0), (0x4b, 1, 1), (0x4a, 0, 0)] {
        let mut board = board(BoardOptions { tick_us: 30_000, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[code], 20);
        board.set(20_000, 0, SensorState::steady(4));
        let sent = talk(&mut board, 20, &[], 10_020);
        assert_eq!(sent.iter().filter(|message| message[0] == 0x8e).count(), updates, "mode {code:02x}");
        assert_eq!(sent.iter().filter(|message| message[0] == 0x8d).count(), times, "mode {code:02x}");
    }
}

#[test]
fn update_nice_follows_running_clock() {
    let mut board = board(BoardOptions { tick_us: 10_000, ..BoardOptions::new(10, 10) });
    talk(&mut board, 0, &[0x4b], 2000);
    board.clock_mut().unwrap().start(2_000);
    let sent = talk(&mut board, 2000, &[], 4_900);
    assert_eq!(
        sent.iter().map(|message| message[7..].to_vec()).collect::<Vec<_>>(),
        [[0x30, 0x00, 0x09], [0x29, 0x59, 0x09], [0x29, 0x58, 0x09]].map(|end| end.to_vec()),
    );
}

#[test]
fn power_up_is_bus_mode_and_first_command_works() {
    let mut board = board(BoardOptions::new(10, 10));
    assert_eq!(board.mode(), Mode::Bus);
    assert_eq!(talk(&mut board, 0, &[0x4d], 100).len(), 1);
    assert_eq!(board.mode(), Mode::Idle);
    // A bus command (send version to 08 01) switches back and is not obeyed; its address bytes are not read as commands.
    assert_eq!(talk(&mut board, 200, &[0x8b, 0x08, 0x41, 0x54], 300), Vec::<Vec<u8>>::new());
    assert_eq!(board.mode(), Mode::Bus);
}

#[test]
fn buffers_ten_bytes_and_loses_more() {
    let mut board = board(BoardOptions::new(10, 10));
    // Twenty more commands arrive during a dump of 107 ms.
    let mut bytes = vec![0x42];
    bytes.extend([0x4d; 20]);
    let sent = talk(&mut board, 0, &bytes, 2000);
    assert_eq!((sent.len(), board.dropped_bytes()), (11, 10));
}

#[test]
fn messages_never_interleave() {
    let mut board = board(BoardOptions::new(10, 10));
    let mut sent = Vec::new();
    board.receive(0, &[0x43]);
    for field in 0..100 {
        board.set(5_000, field, SensorState::steady(1));
    }
    board.receive(6_000, &[0x42, 0x47, 0x42]);
    board.advance(5_000_000, &mut sent);
    assert!(sent.len() > 103);
    assert!(sent.windows(2).all(|pair| pair[0].start_us + wire::line_us(pair[0].bytes.len()) <= pair[1].start_us));
}

#[test]
fn dump_shows_state_at_dump_start() {
    let mut board = board(BoardOptions::new(10, 10));
    let mut sent = Vec::new();
    board.receive(0, &[0x47, 0x42]); // the trademark takes some 60 ms first
    board.set(0, 3, SensorState::steady(1)); // scanned at 3 % of 225 ms
    board.advance(1_000_000, &mut sent);
    assert_eq!(sent[1].bytes[3 + 3], 1);
}

#[test]
fn clock_acks_replace_clock_messages() {
    let version = [0x2b, 3, 3, 9, 0];
    for (mode, acks) in [(0x40, 0), (0x44, 0), (0x43, 1), (0x4b, 1)] {
        let mut board = board(BoardOptions::new(10, 10));
        talk(&mut board, 0, &[mode], 100);
        let sent = talk(&mut board, 100, &version, 900);
        let got: Vec<_> = sent.iter().filter(|message| message[3] & 0x0f == 0x0a).collect();
        assert_eq!(got.len(), acks, "mode {mode:02x}");
        assert!(got.iter().all(|ack| ack[4..9] == [0x10, 0x09, 0x0a, 0x22, 0]));
    }
}

#[test]
fn set_and_run_sets_clock() {
    let mut board = board(BoardOptions { zero_after_command: 1.0, ..BoardOptions::new(10, 10) });
    talk(&mut board, 0, &[0x43], 100);
    // Left 1:02:03, right 0:59:59, left runs. The message alone is longer than the command buffer.
    let sent = talk(&mut board, 1100, &[0x2b, 0x0a, 3, 0x0a, 1, 2, 3, 0, 59, 59, 1, 0], 4_000);
    assert!(sent.contains(&vec![0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0]), "all zero right after a command");
    let last = sent.last().unwrap();
    assert_eq!(last[3..6], [0, 0x59, 0x59]);
    assert_eq!(last[6], 1);
    assert_eq!(last[9], 0x09);
    let bad = talk(&mut board, 4_000, &[0x2b, 3, 3, 0x55, 0], 4_500);
    assert!(bad.iter().any(|message| message[3..6] == [0x0a, 0x40, 0x55]));
}

#[test]
fn every_clock_command_has_ack_and_effect() {
    // Commands and acks in bytes: ack0 done (10) or error (40), ack1 the command.
    let cases: [(&[u8], [u8; 2]); 12] = [
        (&[0x2b, 0x0b, 3, 0x01, 1, 2, 3, 4, 5, 6, 0, 0, 0], [0x10, 0x01]),
        (&[0x2b, 0x04, 3, 0x02, 1, 0], [0x10, 0x02]),
        (&[0x2b, 0x03, 3, 0x03, 0], [0x10, 0x03]),
        (&[0x2b, 0x03, 3, 0x08, 0], [0x10, 0x08]),
        (&[0x2b, 0x03, 3, 0x09, 0], [0x10, 0x09]),
        (&[0x2b, 0x0a, 3, 0x0a, 0, 5, 0, 0, 5, 0, 1, 0], [0x10, 0x0a]),
        (&[0x2b, 0x04, 3, 0x0b, 8, 0], [0x10, 0x0b]),
        (&[0x2b, 0x0c, 3, 0x0c, b'D', b'A', b'M', b' ', b'1', b'0', b'x', b'8', 2, 0], [0x10, 0x0c]),
        // A minute out of range, a text that is too short, a beep of length zero, an unknown command.
        (&[0x2b, 0x0a, 3, 0x0a, 0, 75, 0, 0, 5, 0, 1, 0], [0x40, 0x0a]),
        (&[0x2b, 0x05, 3, 0x0c, b'D', 0, 0], [0x40, 0x0c]),
        (&[0x2b, 0x03, 3, 0x0b, 0], [0x40, 0x0b]),
        (&[0x2b, 0x03, 3, 0x55, 0], [0x40, 0x55]),
    ];
    let mut board = board(BoardOptions::new(10, 10));
    talk(&mut board, 0, &[0x43], 100);
    for (k, (command, ack)) in cases.into_iter().enumerate() {
        let at = 1_000 + 1_000 * k as u64;
        let sent = talk(&mut board, at, command, at + 600);
        let acks: Vec<_> = sent.iter().filter(|message| message[3] & 0x0f == 0x0a).collect();
        assert_eq!(acks.len(), 1, "{command:02x?}");
        assert_eq!(acks[0][4..6], ack, "{command:02x?}");
        let clock = board.clock().unwrap();
        match command[3] {
            0x01 => assert_eq!(clock.text(), Some("segments")),
            0x03 => assert_eq!(clock.text(), None),
            0x0b if ack[0] == 0x10 => {
                assert!(clock.is_beeping(at + 500) && !clock.is_beeping(at + 530), "8 units of 64 ms")
            }
            0x0c if ack[0] == 0x10 => assert_eq!(clock.text(), Some("DAM 10x8")),
            _ => {}
        }
    }
    // Not in the mode for setting: 90 with its top bit in bit 5 of the left hours, and the times are unchanged.
    let mut board = self::board(BoardOptions { is_clock_in_mode_23: false, ..BoardOptions::new(10, 10) });
    talk(&mut board, 0, &[0x43], 100);
    let sent = talk(&mut board, 1_000, &[0x2b, 0x0a, 3, 0x0a, 0, 5, 0, 0, 5, 0, 1, 0], 1_600);
    assert!(sent.iter().any(|message| message[3..8] == [0x0a, 0x10, 0x10, 0x2a, 0]), "{sent:02x?}");
    assert_eq!(board.clock().unwrap().reading(1_600).left_s, 5_400);
}

#[test]
fn reading_full_memory_takes_8_s_and_delays_updates() {
    let mut board = board(BoardOptions { old_events: 4_000, ..BoardOptions::new(10, 10) });
    let mut sent = Vec::new();
    board.receive(0, &[0x44, 0x49]);
    board.advance(1_000_000, &mut sent);
    board.set(1_000_000, 63, SensorState::steady(1));
    board.receive(2_000_000, &[0x42]);
    board.advance(20_000_000, &mut sent);
    assert_eq!(sent.iter().map(|message| message.bytes[0]).collect::<Vec<_>>(), [0x8f, 0x8e, 0x86]);
    assert_eq!(sent[0].bytes[..3], [0x8f, 0x3e, 0x03], "0x1f00 bytes and the header");
    assert_eq!(sent[0].bytes.last(), Some(&0x6b));
    let after_us = sent[1].start_us - sent[0].start_us;
    assert!((8_260_000..8_280_000).contains(&after_us), "{after_us} us");
    assert_eq!(sent[1].bytes, [0x8e, 0, 5, 63, 1]);
    assert_eq!(sent[2].bytes[3 + 63], 1, "the dump that was asked for meanwhile says what stands now");
}

#[test]
fn full_memory_is_reported_on_bus() {
    let mut board = board(BoardOptions { old_events: 4_000, ..BoardOptions::new(10, 10) });
    board.set(1_000_000, 63, SensorState::steady(1));
    // The ring's contents without pending bytes: four bytes of the power-up and one event are pending.
    let sent = talk(&mut board, 2_000, &[0x86, 0x08, 0x01, 0x0f], 12_000).concat();
    assert_eq!((sent.len(), &sent[..5]), (6 + 0x1eff - 6, [0x86, 0x3d, 0x7f, 0x08, 0x01].as_slice()));
}

#[test]
fn query_without_clock_reports_no_clock() {
    let mut board = SimBoard::new(BoardOptions::new(10, 10), None, Rng::new(1));
    board.power_on(0);
    assert_eq!(talk(&mut board, 0, &[0x41], 100), [[0x8d, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x20]]);
    assert_eq!(talk(&mut board, 200, &[0x4b], 5000), Vec::<Vec<u8>>::new());
}

#[test]
fn half_scans_count_either_way() {
    for (numbering, field) in [(Numbering::AllFields, 63), (Numbering::ScannedFields, 31)] {
        let mut board = board(BoardOptions { numbering, ..BoardOptions::new(10, 10) });
        talk(&mut board, 0, &[0x51, 0x44], 500);
        board.set(500_000, 63, SensorState::steady(1));
        board.set(500_000, 64, SensorState::steady(1));
        assert_eq!(talk(&mut board, 500, &[], 1000), [[0x8e, 0, 5, field, 1]]);
    }
}

#[test]
fn oversized_board_counts_dark_squares() {
    let mut board = board(BoardOptions::new(12, 12));
    talk(&mut board, 0, &[0x44], 500);
    board.set(500_000, 132, SensorState::steady(1)); // the lower left corner, square 67 of 72
    board.set(500_000, 143, SensorState::steady(1)); // a light corner
    assert_eq!(talk(&mut board, 500, &[], 1000), [[0x8e, 0, 5, 66, 1]]);
}

#[test]
fn half_command_expires() {
    let mut board = board(BoardOptions::new(10, 10));
    assert!(talk(&mut board, 0, &[0x2b, 0x0c], 1000).is_empty());
    assert_eq!(talk(&mut board, 1000, &[0x4d], 1100).len(), 1);
}

#[test]
fn boot_loader_runs_until_power_cut() {
    let mut board = board(BoardOptions::new(10, 10));
    assert!(talk(&mut board, 0, &[0x4e, 0x4d, 0x42, 0x87, 0, 0, 7], 1000).is_empty());
    board.power_off(1_000_000);
    board.power_on(2_000_000);
    assert_eq!(talk(&mut board, 2_000, &[0x4d], 2_100).len(), 1);
}

#[test]
fn memory_records_without_host() {
    let mut board = board(BoardOptions::new(10, 10));
    board.set(1_000_000, 63, SensorState::steady(1));
    board.clock_mut().unwrap().start(1_500);
    board.advance(2_000_000, &mut Vec::new());
    board.clock_mut().unwrap().press(4_000, ClockSide::Left);
    board.set(4_500_000, 63, SensorState::steady(0));
    let memory = talk(&mut board, 6000, &[0x49], 7000).concat();
    assert_eq!(memory[7..], [0x41, 63, 0x71, 0x29, 0x58, 0x40, 63, 0x6d, 0x6b]);
}

proptest::proptest! {
    #[test]
    fn survives_arbitrary_host_bytes(bytes in proptest::collection::vec(0u8..=255, 0..400)) {
        let mut board = board(BoardOptions::new(10, 10));
        talk(&mut board, 0, &bytes, 20_000);
        board.power_off(20_000_000);
        board.power_on(20_000_000);
        proptest::prop_assert_eq!(talk(&mut board, 20_000, &[0x4d], 20_100).len(), 1);
    }
}
