//! Many boards on one line: answers, collisions, losses and incidents.

use hardware_sim::board::{BoardOptions, Mode};
use hardware_sim::bus::{BusConfig, BusWorld, HostEvent};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::line_faults::{LineFault, LineFaults};
use hardware_sim::profile::NoiseProfile;
use hardware_sim::script::{Game, Player, Ply};
use hardware_sim::seat::SeatConfig;
use hardware_sim::wire;

/// Configures a board of a size with one white man that moves for forty plies.
fn seat(rows: u8, cols: u8, serial: u32, seed: u64) -> SeatConfig {
    let fields = usize::from(rows) * usize::from(cols);
    let mut start = vec![0; fields];
    start[fields - 2] = 1;
    let (low, high) = (fields as u8 - 2, fields as u8 - 4);
    let plies = (0..40).map(|k| if k % 2 == 0 { (low, high) } else { (high, low) });
    let plies = plies.map(|(from, to)| Ply::quiet(Player::White, from, to)).collect();
    let game = Game::new(start, plies, "4800+60".parse().ok());
    let board = Some(BoardOptions { serial, ..BoardOptions::new(rows, cols) });
    SeatConfig { board, ..SeatConfig::new(rows, cols, game, NoiseProfile::ideal(), seed) }
}

fn bus(setting: impl FnOnce(&mut BusConfig)) -> BusWorld {
    let seats = vec![seat(10, 10, 1025, 1), seat(8, 8, 1026, 2), seat(12, 12, 2054, 3), seat(10, 8, 16_383, 4)];
    let mut bus = BusConfig::new(seats, 9);
    setting(&mut bus);
    BusWorld::new(bus).expect("the scripts can be played")
}

/// Creates the same bus with these incidents.
fn bus_with(incidents: &[(u64, IncidentKind)]) -> BusWorld {
    bus(|bus| bus.incidents = incidents.iter().map(|&(at_ms, kind)| Incident::new(at_ms, kind)).collect())
}

/// Returns a command to a board, with its checksum.
fn command(code: u8, address: u16) -> [u8; 4] {
    let [high, low] = wire::address_bytes(address);
    [code, high, low, wire::checksum(&[code, high, low])]
}

/// Sends bytes at a time and returns the bytes read until then.
fn ask(world: &mut BusWorld, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<(u64, Vec<u8>)> {
    world.advance(now_ms);
    world.receive(now_ms, bytes);
    let reads = world.advance(until_ms).into_iter().map(|(at_ms, happening)| match happening {
        HostEvent::Bytes(bytes) => (at_ms, bytes),
        other => panic!("{other:?} at {at_ms}"),
    });
    reads.collect()
}

fn bytes(world: &mut BusWorld, now_ms: u64, bytes: &[u8], until_ms: u64) -> Vec<u8> {
    ask(world, now_ms, bytes, until_ms).into_iter().flat_map(|(_, bytes)| bytes).collect()
}

#[test]
fn boards_answer_by_address() {
    let mut world = bus(|_| {});
    assert_eq!(world.addresses(), [1025, 1026, 2054, 16_383]);
    let cases: [([u8; 4], [u8; 6]); 4] = [
        ([0x87, 0x08, 0x01, 0x10], [0x87, 0x00, 0x06, 0x08, 0x01, 0x16]),
        ([0x87, 0x08, 0x02, 0x11], [0x87, 0x00, 0x06, 0x08, 0x02, 0x17]),
        ([0x87, 0x10, 0x06, 0x1d], [0x87, 0x00, 0x06, 0x10, 0x06, 0x23]),
        ([0x87, 0x7f, 0x7f, 0x05], [0x87, 0x00, 0x06, 0x7f, 0x7f, 0x0b]),
    ];
    for (k, (command, answer)) in cases.into_iter().enumerate() {
        let at = 1_000 + 100 * k as u64;
        let reads = ask(&mut world, at, &command, at + 80);
        assert_eq!(reads.len(), 1);
        assert_eq!(reads[0].1, answer);
        assert!((at + 10..=at + 35).contains(&reads[0].0), "4.2 ms there, 6.3 ms back, up to 20 ms between");
    }
    assert_eq!(world.traffic(), (16, 24));
    let sizes: Vec<usize> =
        [[0x82, 0x08, 0x01, 0x0b], [0x82, 0x08, 0x02, 0x0c], [0x82, 0x10, 0x06, 0x18], [0x82, 0x7f, 0x7f, 0x00]]
            .into_iter()
            .enumerate()
            .map(|(k, command)| {
                let at = 2_000 + 300 * k as u64;
                bytes(&mut world, at, &command, at + 300).len()
            })
            .collect();
    assert_eq!(sizes, [106, 70, 150, 86]);
}

#[test]
fn repeated_pings_find_every_board() {
    let seats = (0..12).map(|k| seat(8, 8, 1025 + 37 * k, u64::from(k))).collect();
    let mut world = BusWorld::new(BusConfig::new(seats, 4)).unwrap();
    let mut found: Vec<u16> = Vec::new();
    let (mut now, mut quiet) = (0, 0);
    while quiet < 3 {
        for address in found.clone() {
            bytes(&mut world, now, &command(0x8a, address), now + 80);
            now += 80;
        }
        let answers = ask(&mut world, now, &[0x87, 0x00, 0x00, 0x07], now + 1_150);
        now += 1_150;
        quiet += 1;
        for (_, answer) in answers {
            if let [0x87, 0x00, 0x06, high, low, sum] = answer[..]
                && sum == wire::checksum(&answer[..5])
                && let address = u16::from(high) * 128 + u16::from(low)
                && !found.contains(&address)
            {
                found.push(address);
                quiet = 0;
            }
        }
    }
    found.sort_unstable();
    assert_eq!(found, world.addresses());
    assert!(now < 15_000, "{now} ms");
}

#[test]
fn ping_answers_collide_sometimes() {
    let seats = (0..32).map(|k| seat(8, 8, 1025 + k, u64::from(k))).collect();
    let mut world = BusWorld::new(BusConfig::new(seats, 4)).unwrap();
    let answers = ask(&mut world, 0, &[0x87, 0x00, 0x00, 0x07], 1_150);
    assert!(world.collided_bytes() > 5, "{}", world.collided_bytes());
    let whole = answers.iter().filter(|(_, answer)| answer.len() == 6 && answer[0] == 0x87);
    let right = whole.filter(|(_, answer)| wire::checksum(&answer[..5]) == answer[5]);
    assert!((8..32).contains(&right.count()), "{answers:02x?}");
}

#[test]
fn boards_with_equal_number_never_dump_cleanly() {
    let seats = vec![seat(8, 8, 1025, 1), seat(10, 10, 1025, 2)];
    let mut world = BusWorld::new(BusConfig::new(seats, 4)).unwrap();
    let answer = bytes(&mut world, 1_000, &[0x82, 0x08, 0x01, 0x0b], 1_300);
    assert!(world.collided_bytes() > 30 && answer.len() < 176, "{answer:02x?}");
}

#[test]
fn single_board_command_ends_bus_mode_of_all() {
    let mut world = bus(|_| {});
    bytes(&mut world, 0, &[0x44], 100);
    assert!(world.seats().iter().all(|seat| seat.board().mode() == Mode::UpdateBoard));
    // The first bus command, whatever its address, switches all boards back to bus mode, and none obeys it.
    assert!(bytes(&mut world, 100, &[0x8b, 0x08, 0x02, 0x15], 200).is_empty());
    assert!(world.seats().iter().all(|seat| seat.board().mode() == Mode::Bus));
    assert_eq!(
        bytes(&mut world, 200, &[0x8b, 0x08, 0x02, 0x15], 300),
        [0x89, 0x00, 0x08, 0x08, 0x02, 0x01, 0x0b, 0x27]
    );
}

#[test]
fn changes_alone_carry_whole_games() {
    let mut world = bus(|_| {});
    let mut events = vec![Vec::new(); 4];
    let addresses = world.addresses();
    let mut now = 0;
    while !world.is_over() {
        for (index, &address) in addresses.iter().enumerate() {
            let answer = bytes(&mut world, now, &command(0x83, address), now + 80);
            now += 80;
            events[index].extend_from_slice(&answer[5..answer.len() - 1]);
        }
    }
    for (index, events) in events.iter().enumerate() {
        let (mut updates, mut times, mut rest) = (0, 0, events.as_slice());
        while let Some(first) = rest.first() {
            let length = match first {
                0x40..=0x5f => 2,
                0x60..=0x69 | 0x70..=0x79 => 3,
                _ => 1,
            };
            updates += usize::from(length == 2);
            times += usize::from(length == 3);
            rest = &rest[length..];
        }
        // The piece found at power-up, then two updates per ply. White plays alone, so only White's first press counts.
        assert_eq!((updates, times), (1 + 80, 1), "board {index}");
    }
}

#[test]
fn only_host_sees_bad_checksums_and_lost_bytes() {
    let mut world = bus(|bus| bus.faults_to_host = LineFaults::none().with_rate(LineFault::WrongChecksum, 1.0));
    let answer = bytes(&mut world, 0, &[0x87, 0x08, 0x01, 0x10], 80);
    assert_eq!(answer[..5], [0x87, 0x00, 0x06, 0x08, 0x01]);
    assert_ne!(answer[5], 0x16);
    let mut world = bus(|bus| {
        bus.faults_to_host =
            LineFaults::none().with_scripted(1, LineFault::Lose, None).with_scripted(8, LineFault::Double, None)
    });
    assert_eq!(bytes(&mut world, 0, &[0x87, 0x08, 0x01, 0x10], 80), [0x87, 0x06, 0x08, 0x01, 0x16]);
    assert_eq!(bytes(&mut world, 80, &[0x87, 0x08, 0x01, 0x10], 160), [0x87, 0x00, 0x06, 0x06, 0x08, 0x01, 0x16]);
    assert_eq!(world.to_host().injected_faults().len(), 2);
    // In the direction of the boards: the command is damaged, and no board answers.
    let mut world = bus(|bus| bus.faults_to_boards = LineFaults::none().with_scripted(3, LineFault::Flip, Some(0)));
    assert!(bytes(&mut world, 0, &[0x87, 0x08, 0x01, 0x10], 80).is_empty());
    assert_eq!(bytes(&mut world, 80, &[0x87, 0x08, 0x01, 0x10], 160).len(), 6);
}

#[test]
fn garbage_may_precede_first_answer() {
    let mut world = bus(|bus| bus.faults_to_host = LineFaults::none().with_rate(LineFault::GarbageAtOpen, 1.0));
    let answer = bytes(&mut world, 0, &[0x87, 0x08, 0x01, 0x10], 80);
    assert!(answer.len() > 6 && answer.ends_with(&[0x87, 0x00, 0x06, 0x08, 0x01, 0x16]), "{answer:02x?}");
    assert_eq!(bytes(&mut world, 80, &[0x87, 0x08, 0x01, 0x10], 160).len(), 6, "once for each opening");
}

#[test]
fn absent_board_is_silent_and_remembers() {
    let mut world = bus_with(&[(500, IncidentKind::BoardDisconnected(1)), (100_000, IncidentKind::BoardConnected(1))]);
    bytes(&mut world, 0, &[0x83, 0x08, 0x02, 0x0d], 80);
    assert!(bytes(&mut world, 1_000, &[0x83, 0x08, 0x02, 0x0d], 1_080).is_empty());
    assert_eq!(bytes(&mut world, 1_100, &[0x87, 0x08, 0x01, 0x10], 1_180).len(), 6, "the others do not notice");
    let changes = bytes(&mut world, 101_000, &[0x83, 0x08, 0x02, 0x0d], 101_500);
    assert!(changes.len() > 20, "all that was played meanwhile: {changes:02x?}");
    assert_eq!(world.incidents().len(), 2);
}

#[test]
fn port_disappears_and_returns() {
    let mut world = bus_with(&[(1_005, IncidentKind::Unplug), (3_000, IncidentKind::Plug)]);
    world.receive(1_000, &[0x82, 0x08, 0x01, 0x0b]);
    let noticed = world.advance(2_000);
    assert_eq!(noticed.last(), Some(&(1_005, HostEvent::Unplugged)));
    world.receive(2_500, &[0x87, 0x08, 0x01, 0x10]);
    assert_eq!(world.advance(4_000), [(3_000, HostEvent::Plugged)]);
    assert_eq!(bytes(&mut world, 4_000, &[0x87, 0x08, 0x01, 0x10], 4_080).len(), 6);
}

#[test]
fn silent_cable_loses_answers() {
    let mut world = bus_with(&[(1_000, IncidentKind::LinkDead), (3_000, IncidentKind::LinkRestored)]);
    assert!(bytes(&mut world, 2_000, &[0x87, 0x08, 0x01, 0x10], 3_500).is_empty());
    assert_eq!(bytes(&mut world, 4_000, &[0x87, 0x08, 0x01, 0x10], 4_080).len(), 6);
}

#[test]
fn babbling_or_held_line_silences_all_boards() {
    let mut world = bus_with(&[(1_000, IncidentKind::NoiseBurst(2_000))]);
    let noise = bytes(&mut world, 1_500, &[0x87, 0x08, 0x01, 0x10], 3_100);
    assert!((1_400..1_500).contains(&noise.len()), "{} bytes of noise in a second and a half", noise.len());
    assert!(!noise.windows(6).any(|part| part == [0x87, 0x00, 0x06, 0x08, 0x01, 0x16]));
    assert_eq!(bytes(&mut world, 3_100, &[0x87, 0x08, 0x01, 0x10], 3_180).len(), 6);
    let mut world = bus_with(&[(1_000, IncidentKind::LineHeldLow), (3_000, IncidentKind::LineReleased)]);
    assert_eq!(
        world.advance(1_400),
        [(1_002, HostEvent::Bytes(vec![0x00]))],
        "a line that goes down reads as one zero"
    );
    assert!(bytes(&mut world, 1_500, &[0x87, 0x08, 0x01, 0x10], 3_100).is_empty());
    assert_eq!(bytes(&mut world, 3_100, &[0x87, 0x08, 0x01, 0x10], 3_180).len(), 6);
}

#[test]
fn deaf_line_receives_nothing_but_sends() {
    let mut world = bus_with(&[(1_000, IncidentKind::HostBlocked), (9_000, IncidentKind::HostUnblocked)]);
    bytes(&mut world, 0, &[0x44], 100);
    assert!(bytes(&mut world, 1_500, &[0x46], 1_600).is_empty() && world.is_deaf());
    let sent = bytes(&mut world, 1_600, &[], 60_000);
    assert!(sent.contains(&0x8e), "the boards are in update mode and go on: {sent:02x?}");
    assert!(!world.is_deaf() && !bytes(&mut world, 60_000, &[0x46], 60_100).is_empty());
}

#[test]
fn board_absent_at_start_joins_later() {
    let mut world = bus_with(&[(0, IncidentKind::BoardDisconnected(2)), (5_000, IncidentKind::BoardConnected(2))]);
    assert!(!world.is_on_line(2) && world.to_string().contains("board 3 (not on the line)"));
    assert!(bytes(&mut world, 1_000, &[0x87, 0x10, 0x06, 0x1d], 1_100).is_empty());
    assert_eq!(bytes(&mut world, 6_000, &[0x87, 0x10, 0x06, 0x1d], 6_100), [0x87, 0x00, 0x06, 0x10, 0x06, 0x23]);
}

#[test]
fn power_cut_breaks_message_off() {
    let mut world = bus_with(&[(1_050, IncidentKind::PowerOff(0)), (1_500, IncidentKind::PowerOn(0))]);
    let dump = bytes(&mut world, 1_000, &[0x82, 0x08, 0x01, 0x0b], 1_400);
    assert!((20..48).contains(&dump.len()), "{} bytes of 106", dump.len());
    assert_eq!(bytes(&mut world, 1_500, &[0x87, 0x08, 0x01, 0x10], 1_600).len(), 6);
}

#[test]
fn equal_settings_give_equal_bytes_for_any_steps() {
    let run = |step_ms: u64| {
        let mut world = bus(|bus| {
            bus.faults_to_host = LineFaults::none().with_rate(LineFault::Flip, 0.01).with_rate(LineFault::Delay, 0.001);
            bus.faults_to_boards = LineFaults::none().with_rate(LineFault::Lose, 0.01);
            bus.incidents = vec![
                Incident::new(4_000, IncidentKind::NoiseBurst(500)),
                Incident::new(6_000, IncidentKind::Unplug),
                Incident::new(7_000, IncidentKind::Plug),
            ];
        });
        let (mut noticed, mut next_ask) = (Vec::new(), 0);
        for now in 0..20_000 {
            if now % 100 == 0 {
                let command =
                    [[0x8d, 0x08, 0x01, 0x16], [0x83, 0x08, 0x02, 0x0d], [0x87, 0x00, 0x00, 0x07]][next_ask % 3];
                world.receive(now, &command);
                next_ask += 1;
            }
            if now % step_ms == 0 {
                noticed.extend(world.advance(now));
            }
        }
        noticed.extend(world.advance(20_000));
        noticed
    };
    let (fine, coarse) = (run(1), run(700));
    assert!(fine.len() > 100);
    assert_eq!(fine, coarse);
}

#[test]
fn sixty_four_boards_cost_little() {
    let seats = (0..64).map(|k| seat(10, 10, 1025 + k, u64::from(k))).collect();
    let mut world = BusWorld::new(BusConfig::new(seats, 1)).unwrap();
    let addresses = world.addresses();
    let mut now = 0;
    for k in 0..10_000 {
        world.receive(now, &command(0x83, addresses[k % 64]));
        now += 25;
        world.advance(now);
    }
    // Half of a line's maximum load, for four minutes. The test has no clock of its own; a slow world shows in the run time of the suite.
    assert!(world.traffic().0 == 40_000 && world.traffic().1 > 60_000, "{:?}", world.traffic());
}
