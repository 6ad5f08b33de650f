//! Whole games on a simulated board: compares the bytes with the plies played.

use hardware_sim::clock::{ClockSide, TimeControl};
use hardware_sim::faults::Fault;
use hardware_sim::motion::Action;
use hardware_sim::planner;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Rng;
use hardware_sim::script::{Game, InitialBoard, Player, Ply};
use hardware_sim::truth::{Event, TruthEntry};
use hardware_sim::world::{SeatConfig, World};
use proptest::prelude::*;

/// The start position of 10x10 draughts: twenty men each on the dark squares.
fn start() -> Vec<u8> {
    (0..100)
        .map(|field| match (field / 10, (field / 10 + field % 10) % 2) {
            (0..=3, 1) => 4,
            (6..=9, 1) => 1,
            _ => 0,
        })
        .collect()
}

/// Creates plies without any rules: pieces move to empty squares, some capture, some pass over several landings, some are crowned.
fn wild_plies(count: usize, seed: u64) -> Vec<Ply> {
    let mut rng = Rng::new(seed);
    let mut codes = start();
    let mut plies: Vec<Ply> = Vec::new();
    for number in 0..count {
        let by = if number % 2 == 0 { Player::White } else { Player::Black };
        let is_white = |code: u8| matches!(code, 1 | 7);
        let own: Vec<u8> = fields(&codes, |code| code != 0 && is_white(code) == (by == Player::White));
        let other: Vec<u8> = fields(&codes, |code| code != 0 && is_white(code) != (by == Player::White));
        let mut empty: Vec<u8> = fields(&codes, |code| code == 0);
        empty.retain(|field| (field / 10 + field % 10) % 2 == 1);
        rng.shuffle(&mut empty);
        let Some(from) = rng.pick(&own).copied() else { break };
        let capture_count = if rng.chance(0.25) && other.len() > 6 { rng.between(1, 3) as usize } else { 0 };
        let mut captured = other.clone();
        rng.shuffle(&mut captured);
        captured.truncate(capture_count);
        let landings = capture_count.max(1);
        let mut path = vec![from];
        path.extend(empty.iter().take(landings));
        let mut ply = Ply::capture(by, &path, &captured);
        if rng.chance(0.05) && codes[usize::from(from)] < 5 {
            ply.crown = Some(if by == Player::White { 7 } else { 10 });
        }
        ply.hesitate_on = empty.iter().copied().skip(landings).take(2).collect();
        ply.wrong_first = empty
            .get(landings + 3)
            .map(|to| Box::new(Ply { crown: None, ..Ply::capture(by, &[from, *to], &captured) }));
        play(&mut codes, &ply);
        plies.push(ply);
    }
    plies
}

fn fields(codes: &[u8], is_selected: impl Fn(u8) -> bool) -> Vec<u8> {
    (0..codes.len() as u8).filter(|field| is_selected(codes[usize::from(*field)])).collect()
}

fn play(codes: &mut [u8], ply: &Ply) {
    let piece = codes[usize::from(ply.from)];
    codes[usize::from(ply.from)] = 0;
    ply.captured.iter().for_each(|field| codes[usize::from(*field)] = 0);
    codes[usize::from(ply.to)] = ply.crown.unwrap_or(piece);
}

fn after(plies: &[Ply]) -> Vec<u8> {
    let mut codes = start();
    plies.iter().for_each(|ply| play(&mut codes, ply));
    codes
}

fn game(plies: Vec<Ply>) -> Game {
    Game::new(start(), plies, Some(TimeControl { base_s: 4800, increment_s: 60 }))
}

fn world(game: Game, profile: NoiseProfile, seed: u64) -> World {
    World::new(SeatConfig::new(10, 10, game, profile, seed)).expect("the script can be played")
}

/// Plays to the end with a host that sends these bytes first; returns all reads with their times.
fn run(world: &mut World, opening: &[u8]) -> Vec<(u64, Vec<u8>)> {
    world.receive(0, opening);
    let mut reads = Vec::new();
    while !world.is_over() {
        let next = world.next_time().unwrap_or(u64::MAX).min(world.end_ms());
        reads.extend(world.advance(next));
    }
    reads
}

/// Decodes the bytes: every message, as long as nothing is damaged.
fn messages(reads: &[(u64, Vec<u8>)]) -> Vec<(u64, Vec<u8>)> {
    let mut found: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    for (at, bytes) in reads {
        for byte in bytes {
            if byte & 0x80 != 0 {
                open.clear();
            }
            open.push(*byte);
            if let [_, high, low, ..] = open[..]
                && open.len() == usize::from(high) * 128 + usize::from(low)
            {
                found.push((*at, std::mem::take(&mut open)));
            }
        }
    }
    found
}

/// Returns the final placement according to dumps and updates.
fn believed(reads: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut codes = vec![0; 100];
    for (_, message) in messages(reads) {
        match message[0] {
            0x86 => codes = message[3..].to_vec(),
            0x8e => codes[usize::from(message[3])] = message[4],
            _ => {}
        }
    }
    codes
}

fn lever_flips(reads: &[(u64, Vec<u8>)]) -> usize {
    let times = messages(reads).into_iter().filter(|(_, message)| message[0] == 0x8d && message[9] & 0x20 == 0);
    let levers: Vec<u8> = times.map(|(_, message)| message[9] & 2).collect();
    levers.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

const OPENING: &[u8] = &[0x40, 0x42, 0x4b];

#[test]
fn ideal_game_arrives_whole() {
    for seed in 0..20 {
        let plies = wild_plies(60, seed);
        let mut world = world(game(plies.clone()), NoiseProfile::ideal(), seed);
        let reads = run(&mut world, OPENING);
        assert_eq!(believed(&reads), after(&plies), "{world}");
        assert_eq!(world.standing(), after(&plies), "{world}");
        assert_eq!(lever_flips(&reads), 60, "{world}");
        let times = world.ply_times();
        assert_eq!(times.len(), 60);
        assert!(
            times
                .iter()
                .all(|ply| ply.lever_moved && ply.touched_ms < ply.settled_ms && ply.settled_ms < ply.pressed_ms)
        );
        assert!(!world.truth().iter().any(|truth| matches!(truth.event, Event::Irregular { .. })), "{world}");
        assert!(reads.is_sorted_by_key(|read| read.0));
    }
}

#[test]
fn first_ply_of_real_game_in_bytes() {
    // 32-28 of the numbered board: field 63 to 54.
    let plies = vec![Ply::quiet(Player::White, 63, 54)];
    let game = Game::new(start(), plies, Some("5400".parse().unwrap()));
    let mut world = world(game, NoiseProfile::ideal(), 1);
    let sent = messages(&run(&mut world, OPENING));
    let of = |id: u8| sent.iter().filter(move |(_, bytes)| bytes[0] == id).map(|(_, bytes)| bytes.clone());
    assert_eq!(of(0x86).map(|dump| dump.len()).collect::<Vec<_>>(), [103]);
    assert_eq!(of(0x8e).collect::<Vec<_>>(), [[0x8e, 0, 5, 0x3f, 0], [0x8e, 0, 5, 0x36, 1]]);
    let status: Vec<u8> = of(0x8d).map(|time| time[9]).collect();
    let mut changes = status.clone();
    changes.dedup();
    assert_eq!(changes, [0x08, 0x09, 0x13, 0x12], "stopped, running, pressed, stopped with White on the left");
}

#[test]
fn turned_boards_count_from_other_end() {
    let plies = vec![Ply::quiet(Player::White, 63, 54)];
    let game = Game::new(start(), plies, Some("5400".parse().unwrap())).rotated(true);
    let mut world = world(game, NoiseProfile::ideal(), 1);
    let sent = messages(&run(&mut world, OPENING));
    let updates: Vec<_> = sent.iter().filter(|(_, bytes)| bytes[0] == 0x8e).map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(updates, [[0x8e, 0, 5, 36, 0], [0x8e, 0, 5, 45, 1]]);
    let (_, first_time) = sent.iter().find(|(_, bytes)| bytes[0] == 0x8d).unwrap();
    assert_eq!(first_time[9], 0x12, "White on the right side of the clock");
    assert_eq!(sent[0].1[3..8], [0, 1, 0, 1, 0]);
}

#[test]
fn equal_seed_gives_equal_bytes_for_any_steps() {
    let setting = |seed| SeatConfig::new(10, 10, game(wild_plies(40, 5)), NoiseProfile::blitz(), seed);
    let mut a = World::new(setting(9)).unwrap();
    let mut b = World::new(setting(9)).unwrap();
    let reads = run(&mut a, OPENING);
    b.receive(0, OPENING);
    let mut stepped = Vec::new();
    while !b.is_over() {
        stepped.extend(b.advance((b.now_ms() + 7_333).min(b.end_ms())));
    }
    assert_eq!(reads, stepped);
    assert_eq!(a.truth(), b.truth());
    assert_eq!(a.to_string(), b.to_string());
    assert_ne!(reads, run(&mut World::new(setting(10)).unwrap(), OPENING));
}

#[test]
fn true_clock_readings_match_press_messages() {
    let mut world = world(game(wild_plies(10, 3)), NoiseProfile::ideal(), 3);
    let reads = run(&mut world, OPENING);
    let sent = messages(&reads);
    for times in world.ply_times() {
        let pressed = times.pressed_ms.unwrap();
        let white = times.ply.ply % 2 == 0;
        let lever = if white { 2 } else { 0 };
        let (_, message) =
            sent.iter().find(|(at, bytes)| *at > pressed && bytes[0] == 0x8d && bytes[9] & 2 == lever).unwrap();
        let shown = if white { &message[6..9] } else { &message[3..6] };
        let decimal = |byte: u8| u64::from(byte >> 4) * 10 + u64::from(byte & 0x0f);
        let seconds = u64::from(shown[0] & 0x0f) * 3600 + decimal(shown[1]) * 60 + decimal(shown[2]);
        let clocks = times.clocks.unwrap();
        let exact = if white { clocks.white_ms } else { clocks.black_ms };
        assert_eq!(seconds, exact.div_ceil(1000), "ply {:?}", times.ply);
        assert_eq!(shown[0] & 0xf0, 0x20, "played with an increment");
    }
}

/// Faults of hands; except for these, the pieces must be right in the end.
const CHANGES_PLACEMENT: &[Fault] =
    &[Fault::Forgotten, Fault::CrownStacked, Fault::CrownFlaky, Fault::CrownNever, Fault::PostMortem, Fault::Reset];

#[test]
fn each_fault_alone_happens_and_leaves_board_right() {
    let is_scripted =
        |fault: &Fault| [Fault::IllegalStands, Fault::PliesTakenBack, Fault::SeatsSwapped].contains(fault);
    for fault in Fault::all().filter(|fault| !is_scripted(fault)) {
        let mut seen = 0;
        for seed in 0..8 {
            let plies = wild_plies(40, seed);
            let mut profile = NoiseProfile::only(fault, 0.4);
            if fault == Fault::KnockedWrongly {
                profile.set_rate(Fault::Knocked, 0.2);
            }
            let mut world = world(game(plies.clone()), profile, seed);
            run(&mut world, OPENING);
            let happened =
                |truth: &&TruthEntry| matches!(truth.event, Event::Irregular { fault: what, .. } if what == fault);
            seen += world.truth().iter().filter(happened).count();
            if !CHANGES_PLACEMENT.contains(&fault) {
                assert_eq!(world.standing(), after(&plies), "{world}");
            }
            let touched = world.ply_times().len();
            assert_eq!(touched, 40, "{world}");
        }
        let silent = [Fault::SplitRead, Fault::ZeroTime, Fault::Reset].contains(&fault);
        assert!(seen > 0 || silent, "{fault} never happened");
    }
}

/// The arbiter stops the clock, puts an earlier position up, and the plies are played again.
#[test]
fn arbiter_goes_back_while_clock_is_stopped() {
    let plies = wild_plies(6, 3);
    let mut again = plies.clone();
    again.extend_from_slice(&plies[4..]);
    again[6].corrected_to = Some(after(&plies[..4]));
    let mut world = world(game(again), NoiseProfile::ideal(), 3);
    run(&mut world, OPENING);
    assert_eq!(world.standing(), after(&plies), "{world}");
    assert_eq!(world.ply_times().len(), 8, "{world}");
    let is_back = |truth: &&TruthEntry| matches!(truth.event, Event::Irregular { fault: Fault::PliesTakenBack, .. });
    assert_eq!(world.truth().iter().filter(is_back).count(), 1);
}

#[test]
fn no_press_without_clock() {
    let game = Game::new(start(), wild_plies(20, 1), None);
    let mut world = world(game, NoiseProfile::calm(), 1);
    let reads = run(&mut world, &[0x42, 0x43]);
    let times: Vec<_> = messages(&reads).into_iter().filter(|(_, bytes)| bytes[0] == 0x8d).collect();
    assert!(times.len() > 20 && times.iter().all(|(_, bytes)| bytes[3..] == [0, 0, 0, 0, 0, 0, 0x20]));
    assert!(world.ply_times().iter().all(|ply| ply.pressed_ms.is_none() && ply.settled_ms.is_some()));
}

#[test]
fn unready_boards_are_set_up_first() {
    for before in [InitialBoard::Empty, InitialBoard::HalfSetUp, InitialBoard::Codes(vec![1; 100])] {
        let game = Game { initial_board: before.clone(), ..game(wild_plies(4, 1)) };
        let mut world = world(game, NoiseProfile::ideal(), 1);
        let reads = run(&mut world, OPENING);
        assert_eq!(believed(&reads), after(&wild_plies(4, 1)), "{before:?}");
        let ready = world.truth().iter().find(|truth| truth.event == Event::Ready { game: 0 }).unwrap();
        assert!(ready.at_ms > 5_000);
    }
}

#[test]
fn games_follow_each_other_with_turned_board() {
    let plies = wild_plies(10, 1);
    let mut setting = SeatConfig::new(10, 10, game(plies.clone()), NoiseProfile::club(), 4);
    setting.games.push(game(plies.clone()).rotated(true));
    setting.games.push(Game::new(start(), plies.clone(), None));
    for fault in CHANGES_PLACEMENT {
        setting.profile.set_rate(*fault, 0.0);
    }
    let mut world = World::new(setting).unwrap();
    run(&mut world, OPENING);
    assert_eq!(world.ply_times().len(), 30, "{world}");
    assert_eq!(world.standing(), after(&plies));
    let resets = world.truth().iter().filter(|truth| matches!(truth.event, Event::PiecesReset { .. })).count();
    assert_eq!(resets, 2);
}

#[test]
fn outage_loses_bytes_both_ways_but_memory_keeps_all() {
    let plies = wild_plies(10, 2);
    let mut setting = SeatConfig::new(10, 10, game(plies), NoiseProfile::ideal(), 2);
    let outage = planner::Outage { from_ms: 20_000, to_ms: 60_000 };
    setting.outages.push(outage);
    let mut world = World::new(setting).unwrap();
    world.receive(0, OPENING);
    let mut reads = world.advance(30_000);
    world.receive(30_000, &[0x4d]);
    reads.extend(world.advance(61_000));
    assert!(reads.iter().all(|(at, _)| !outage.covers(*at)));
    assert!(messages(&reads).iter().all(|(_, bytes)| bytes[0] != 0x93), "the question got lost");
    world.receive(61_000, &[0x49]);
    let memory = messages(&world.advance(63_000)).into_iter().find(|(_, bytes)| bytes[0] == 0x8f).unwrap().1;
    let levers = memory[3..].iter().filter(|byte| matches!(**byte, 0x60..=0x69 | 0x70..=0x79)).count();
    assert!(levers >= 2, "presses of the time in between stand in the memory");
}

#[test]
fn power_cut_ends_in_bus_mode() {
    let mut world = world(game(wild_plies(30, 2)), NoiseProfile::only(Fault::PowerCut, 0.3), 2);
    let reads = run(&mut world, OPENING);
    let cut = world
        .truth()
        .iter()
        .find(|truth| matches!(truth.event, Event::Irregular { fault: Fault::PowerCut, .. }))
        .unwrap()
        .at_ms;
    assert!(reads.iter().all(|(at, _)| *at < cut + 200));
    assert!(believed(&reads) != world.standing());
    // A single-board command wakes it.
    let now = world.now_ms();
    world.receive(now, &[0x42]);
    assert_eq!(believed(&world.advance(now + 500)), world.standing());
}

#[test]
fn clock_sides_are_distinguishable_from_board() {
    let mut one = game(wild_plies(2, 1));
    one.white_side = ClockSide::Right;
    let mut world = world(one, NoiseProfile::ideal(), 1);
    let sent = messages(&run(&mut world, OPENING));
    let (_, first_time) = sent.iter().find(|(_, bytes)| bytes[0] == 0x8d).unwrap();
    assert_eq!(first_time[9], 0x12);
}

#[test]
fn refuses_wrong_scripts() {
    assert!(World::new(SeatConfig::new(13, 10, game(vec![]), NoiseProfile::ideal(), 1)).is_err());
    assert!(World::new(SeatConfig::new(8, 8, game(vec![]), NoiseProfile::ideal(), 1)).is_err());
    let ply = Ply::quiet(Player::White, 0, 1);
    let error = World::new(SeatConfig::new(10, 10, game(vec![ply]), NoiseProfile::ideal(), 1)).unwrap_err();
    assert_eq!(error.to_string(), "game 0, ply 0: no piece on field 0");
}

#[test]
fn long_game_costs_little() {
    let games = 20;
    let started = std::time::Instant::now();
    let mut seconds = 0;
    for seed in 0..games {
        let mut world = world(game(wild_plies(100, seed)), NoiseProfile::club(), seed);
        run(&mut world, OPENING);
        seconds += world.end_ms() / 1000;
    }
    let each = started.elapsed() / games as u32;
    println!("{} s of play a game, {each:?} of ours", seconds / games);
    // Far above the expected cost, so that a busy machine does not fail it; stepping by milliseconds would.
    assert!(each.as_millis() < 200, "{each:?} a game");
}

#[test]
fn profiles_play_at_stated_rates() {
    // Club: over 40,000 plies, each fault of a ply occurs about as often as its rate.
    let (mut plies, mut counts) = (0, std::collections::BTreeMap::new());
    for seed in 0..400 {
        let script = wild_plies(100, seed);
        plies += script.len();
        let world = world(game(script), NoiseProfile::club(), seed);
        for (fault, count) in world.irregularities() {
            *counts.entry(fault).or_insert(0) += count;
        }
    }
    for fault in
        [Fault::Nudge, Fault::Hesitation, Fault::PressForgotten, Fault::PressMistaken, Fault::TakenBack, Fault::Flicker]
    {
        let expected = NoiseProfile::club().rate(fault) * plies as f64;
        let count = counts.get(&fault).copied().unwrap_or(0) as f64;
        assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{fault}: {count}, expected about {expected}");
    }
    // One to three pieces each time.
    let adjusted = counts[&Fault::Adjust] as f64 / (plies as f64 * 0.02);
    assert!((1.7..2.3).contains(&adjusted), "{adjusted}");
}

#[test]
fn puts_result_pieces_on_board() {
    let mut one = game(vec![Ply::quiet(Player::White, 63, 54)]);
    one.result = vec![(44, 13), (45, 14)];
    let mut world = world(one, NoiseProfile::ideal(), 1);
    let sent = messages(&run(&mut world, OPENING));
    let last: Vec<_> = sent.into_iter().filter(|(_, bytes)| bytes[0] == 0x8e).map(|(_, bytes)| bytes).collect();
    assert_eq!(last[2..], [[0x8e, 0, 5, 44, 13], [0x8e, 0, 5, 45, 14]]);
}

/// Creates a profile in which every fault of hands is frequent.
fn chaos() -> NoiseProfile {
    let mut profile = NoiseProfile::blitz();
    let hands = Fault::all().filter(|fault| *fault < Fault::CrownStacked);
    hands.for_each(|fault| profile.set_rate(fault, 0.25));
    profile
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Hands obey physics: a lifted piece was on its field, and two pieces never share a field.
    #[test]
    fn no_two_pieces_share_field(seed in any::<u64>(), wild in any::<bool>()) {
        let profile = if wild { chaos() } else { NoiseProfile::blitz() };
        let plan = planner::plan(10, &[game(wild_plies(60, seed))], &profile, seed);
        let mut codes = plan.initial_codes.clone();
        for motion in &plan.motions {
            if let Action::Put { field, sensor_state } = motion.action {
                let stands = &mut codes[usize::from(field)];
                if sensor_state.flicker_percent > 0 && *stands == sensor_state.code {
                    continue; // a second disc is put on top
                }
                prop_assert!(*stands == 0 || sensor_state.code == 0, "{} ms: {} put on {} at {}", motion.at_ms, sensor_state.code, stands, field);
                prop_assert!(*stands != 0 || sensor_state.code != 0, "{} ms: nothing to lift at {}", motion.at_ms, field);
                *stands = sensor_state.code;
            }
        }
    }

    /// With any faults, the world ends, the truth is in order, and reads arrive in order.
    #[test]
    fn worlds_end(seed in any::<u64>(), level in 0..4usize, host in proptest::collection::vec(any::<u8>(), 0..30)) {
        let profile = [NoiseProfile::calm(), NoiseProfile::club(), NoiseProfile::blitz(), chaos()][level].clone();
        let mut world = world(game(wild_plies(30, seed)), profile, seed);
        let mut opening = host;
        opening.extend(OPENING);
        let reads = run(&mut world, &opening);
        prop_assert!(reads.is_sorted_by_key(|read| read.0));
        prop_assert!(world.truth().is_sorted_by_key(|truth| truth.at_ms));
        prop_assert_eq!(world.ply_times().len(), 30);
        let over = world.truth().iter().filter(|truth| truth.event == Event::GameOver { game: 0 }).count();
        prop_assert_eq!(over, 1);
    }
}
