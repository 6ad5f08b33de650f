//! Boards that have changed identity: memories of other games or overwritten, a replaced board, two boards with one address, clocks without
//! data. Nothing unplayed is recorded, and one setup continues the game.

use damcast::engine::bytelog::Mode;
use damcast::engine::millis::Millis;
use damcast::engine::protocol::{ClockReport, DecodedItem, Decoder, Message};
use damcast::engine::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus, strip_entry};
use damcast::simulation::games::SourceGame;
use hardware_sim::bus::{BusWorld, HostEvent};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::random::Rng;

use crate::bus::Bus;
use crate::games::playable;
use crate::outages::{BoardSetup, Case, OutageOutcome, pool};

/// A line that receives other bytes than its board sends.
struct DeceivedLine<F> {
    line: Line,
    decoder: Decoder,
    transform: F,
}

impl<F: FnMut(Message) -> Vec<Message>> DeceivedLine<F> {
    fn new(line: Line, transform: F) -> DeceivedLine<F> {
        DeceivedLine { line, decoder: Decoder::new(), transform }
    }
}

impl<F: FnMut(Message) -> Vec<Message>> RecorderDriver for DeceivedLine<F> {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let input = match input {
            Input::Bytes(bytes) => {
                let messages = self.decoder.feed(&bytes).into_iter().filter_map(|item| match item {
                    DecodedItem::Message(message) => Some(message),
                    DecodedItem::Noise(_) => None,
                });
                let heard: Vec<Message> = messages.flat_map(&mut self.transform).collect();
                Input::Bytes(heard.iter().flat_map(Message::encode).collect())
            }
            Input::LinkUp => {
                self.decoder = Decoder::new();
                Input::LinkUp
            }
            other => other,
        };
        self.line.handle(now, input)
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Returns outages of a board on its own line.
fn cases(seeds: std::ops::Range<u64>) -> Vec<Case> {
    let pool = pool();
    seeds.map(|seed| Case::draw(&pool, BoardSetup::Single.into(), seed)).collect()
}

/// Plays a case with a changed memory.
fn play(case: &Case, mut memory: impl FnMut(Vec<u8>) -> Vec<u8>) -> OutageOutcome {
    let deceive = |message| match message {
        Message::EepromMoves(data) => vec![Message::EepromMoves(memory(data))],
        other => vec![other],
    };
    case.play_in(case.world(), &mut DeceivedLine::new(case.line(), deceive))
}

#[track_caller]
fn assert_nothing_invented(case: &Case, outcome: &OutageOutcome) {
    let OutageOutcome { untrue, setups, story, .. } = outcome;
    assert!(untrue.is_empty() && *setups <= 1, "{case}: {setups} setups, not played: {untrue:?}\n{}", story.join("\n"));
}

/// Returns the whole memory of a board at the end of its game.
fn memory_after(case: &Case) -> Vec<u8> {
    let mut world = case.world();
    let end = world.end_ms() + 1_000;
    world.advance(end);
    world.receive(end, &[0x49]);
    let heard = world.advance(end + 10_000).into_iter().flat_map(|(_, happening)| match happening {
        HostEvent::Bytes(bytes) => bytes,
        HostEvent::Plugged | HostEvent::Unplugged => Vec::new(),
    });
    let items = Decoder::new().feed(&heard.collect::<Vec<u8>>());
    let memory = items.into_iter().find_map(|item| match item {
        DecodedItem::Message(Message::EepromMoves(data)) => Some(data),
        _ => None,
    });
    memory.expect("a board that is asked for its memory sends it")
}

#[test]
fn refuses_memory_of_other_game() {
    let cases = cases(0..24);
    for (case, other) in cases.iter().zip(cases.iter().cycle().skip(1)) {
        let memory = memory_after(other);
        assert_nothing_invented(case, &play(case, |_| memory.clone()));
    }
}

#[test]
fn accepts_only_continuing_part_of_overwritten_memory() {
    let mut whole = 0;
    for case in cases(0..40) {
        let share = Rng::stream(case.seed, "share").unit();
        let outcome = play(&case, |data| data[((1.0 - share) * data.len() as f64) as usize..].to_vec());
        whole += usize::from(outcome.lost == 0 && outcome.setups == 0);
        assert_nothing_invented(&case, &outcome);
    }
    assert!(whole > 5, "only {whole} outages were read from what was left");
}

#[test]
fn damaged_memory_makes_no_false_move() {
    for case in cases(0..40) {
        let mut rng = Rng::stream(case.seed, "damage");
        let outcome = play(&case, |mut data| {
            for byte in &mut data {
                *byte ^= if rng.chance(0.01) { 1 << rng.below(7) } else { 0 };
            }
            data
        });
        // Damage in two places may cost two setups.
        assert!(outcome.untrue.is_empty(), "{case}: {:?}\n{}", outcome.untrue, outcome.story.join("\n"));
    }
}

#[test]
fn memory_without_tags_counts_as_empty() {
    for (case, memory) in cases(0..12).iter().zip([&[][..], &[0x6b], &[0x7f; 300], &[0x00; 7]].into_iter().cycle()) {
        assert_nothing_invented(case, &play(case, |_| memory.to_vec()));
    }
}

#[test]
fn zero_clock_readings_change_nothing() {
    for case in cases(0..12) {
        let zero = Message::Clock(ClockReport::decode([0; 7]));
        let deceive = |message: Message| match message {
            Message::Clock(_) => vec![message, zero.clone()],
            other => vec![other],
        };
        let outcome = case.play_in(case.world(), &mut DeceivedLine::new(case.line(), deceive));
        assert_eq!((outcome.lost, outcome.setups, outcome.without_clock, outcome.untrue.len()), (0, 0, 0, 0), "{case}");
    }
}

/// Another board with another game is connected to the cable: with a link report, or without.
#[test]
fn replacement_board_brings_another_game() {
    let pool = pool();
    for seed in 0..16 {
        let mut case = Case::draw(&pool, BoardSetup::Single.into(), seed);
        let mut other = Case::draw(&pool, BoardSetup::Single.into(), seed + 100);
        if other.games[0].start.variant() != case.games[0].start.variant() {
            other.games = case.games.clone();
        }
        let (swap, is_told) = (case.outage_start, seed % 2 == 0);
        (case.outage_end, other.outage_end) = (0, 0);
        let (mut setting, mut second) = (case.setting(), other.setting());
        setting.seats.append(&mut second.seats);
        let mut mishaps = vec![(0, IncidentKind::BoardDisconnected(1)), (swap, IncidentKind::BoardDisconnected(0))];
        mishaps.extend(is_told.then_some((swap, IncidentKind::Unplug)));
        mishaps.extend(is_told.then_some((swap + 3_000, IncidentKind::Plug)));
        mishaps.push((swap + 3_000, IncidentKind::BoardConnected(1)));
        setting.incidents = mishaps.into_iter().map(|(at, incident)| Incident::new(at, incident)).collect();
        let mut line = case.line();
        case.games.append(&mut other.games);
        let outcome = case.play_in(BusWorld::new(setting).unwrap(), &mut line);
        assert_nothing_invented(&case, &outcome);
    }
}

/// Two boards of a bus with one address answer at once. The third is recorded in any case.
#[test]
fn two_boards_with_one_address_harm_no_other() {
    let games: Vec<SourceGame> = playable("international").into_iter().take(3).collect();
    let bus = Bus::new(&games, 3, 20);
    let (same, other) = (Bus::address(1), Bus::address(0));
    let mut settings = LineSettings::new(games[0].start.variant());
    settings.mode = Mode::Bus;
    for board in [same, other] {
        settings.boards.insert(board, settings.clone());
    }
    let mut entries = std::collections::BTreeMap::<BusAddress, Vec<String>>::new();
    let mut notices = Vec::new();
    let mut world = bus.world_with(|index, board| board.serial = u32::from(Bus::address(index.min(1)).number()));
    drive_bus(&mut world, &mut Line::new(settings), 20_000, |_, Output { at, board, effect }| match effect {
        Effect::Entry { entry, .. } => entries.entry(board.unwrap()).or_default().push(strip_entry(&entry)),
        Effect::Info(text) | Effect::Notice(text) => notices.push(format!("{at} {text}")),
        _ => {}
    });
    let moves = bus.moves();
    assert_eq!(entries[&other], moves[&other], "{notices:#?}");
    // The two are indistinguishable; each recorded move was played on one of them.
    let recorded = entries.remove(&same).unwrap_or_default();
    let played = [&moves[&Bus::address(1)], &moves[&Bus::address(2)]];
    let is_true = |entry: &String| entry.starts_with('/') || played.iter().any(|moves| moves.contains(entry));
    assert!(recorded.iter().all(is_true), "{recorded:?}\n{notices:#?}");
    let notice_count = notices.iter().filter(|notice| notice.contains("do two boards go by this address")).count();
    assert_eq!(notice_count, 1, "the operator is warned: {notices:#?}");
}
