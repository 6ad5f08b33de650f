//! Hands and levers on a bus: reports arrive later than on a single-board line, but must have the same meaning.

use std::collections::VecDeque;

use damcast::engine::bytelog::Mode;
use damcast::engine::millis::Millis;
use damcast::engine::protocol::changes::{self, MemoryEvent};
use damcast::engine::protocol::{
    BusAddress, BusAnswer, BusCommand, BusMessage, ClockReport, ClockSide, ClockStatus, ClockTimes, PieceCode, Version,
};
use damcast::engine::session::{Effect, Input, Line, LineSettings};
use damcast::simulation::benchmark::{Benchmark, PlayStyle};
use damcast::simulation::drive::strip_entry;
use damcast::simulation::game_score::Score;
use damcast::simulation::hall;
use damcast::simulation::score::RecorderKind;
use draughts::Variant;
use hardware_sim::faults::Fault;

use crate::games::playable;
use crate::operator::start_code;

/// Returns the first plies of games, eight boards per line.
fn benchmark(plies: usize, seeds: u64) -> Benchmark {
    let mut games = playable("international");
    games.iter_mut().for_each(|game| game.moves.truncate(plies));
    let control = Some("1200+60".parse().unwrap());
    Benchmark { games, seeds, first_seed: 1, control, settings: Vec::new(), on_bus: Some(8) }
}

fn score(benchmark: &Benchmark, hands: &PlayStyle) -> Score {
    let rows = benchmark.rows(hands, RecorderKind::Damcast).unwrap();
    let score = rows.into_iter().next().unwrap().score;
    println!("{}: {score}", hands.name);
    score
}

/// Before half of the games the lever is on the wrong side, and the second player corrects it.
#[test]
fn no_ply_is_published_before_press() {
    let score = score(&benchmark(10, 6), &PlayStyle::single_fault(Fault::OpponentStarts, 1.0));
    assert_eq!(score.perfect, score.games, "{:#?}", score.imperfect_games);
    let earliest = score.delays.iter().min().unwrap();
    assert!(*earliest >= 0, "a ply was published {} ms before it was complete", -earliest);
}

#[test]
fn hand_resting_on_other_legal_square_is_ignored() {
    let mut hands = PlayStyle::single_fault(Fault::Hesitation, 0.3);
    hands.profile.set_rate(Fault::OpponentStarts, 1.0);
    let score = score(&benchmark(24, 2), &hands);
    assert_eq!((score.false_plies, score.needless_setups), (0, 0), "{:#?}", score.imperfect_games);
    assert_eq!(score.recalled, score.plies, "{:#?}", score.imperfect_games);
}

#[test]
fn bus_game_is_reported_in_time_order() {
    let benchmark = benchmark(6, 2);
    let hands = PlayStyle::list("ideal").unwrap().remove(0);
    let name = benchmark.games[1].name.clone();
    let with_seed = format!("{name}@{}", 2 * 1_000_003 + 1);
    for wanted in ["2", &name, &with_seed] {
        let found = benchmark.find(&wanted.parse().unwrap(), &hands).unwrap().unwrap();
        let (game, conditions) = &found.batch[found.index];
        assert_eq!((&game.name, conditions.seed > 2_000_000), (&name, wanted == with_seed));
        let trace = hall::explain(&found.batch, found.index).unwrap();
        let line = |words: &str| trace.iter().position(|line| line.contains(words)).unwrap_or(usize::MAX);
        let order =
            ["ply 3 ", "is touched", "no changes", "? SendClock", "< pressed on the ", "rule=pressed"].map(line);
        assert!(order.iter().all(|&at| at < trace.len()), "{order:?} in {trace:#?}");
        let seconds = |line: &String| line.trim_start().split(' ').next().unwrap().parse::<f64>().unwrap();
        assert!(trace.is_sorted_by_key(|line| (seconds(line) * 1_000.0) as u64));
    }
    assert!(benchmark.find(&"none@1".parse().unwrap(), &hands).unwrap().is_none());
}

const LEFT_SIDE: &[u8] = &[0x70, 0x20, 0x00];
const RIGHT_SIDE: &[u8] = &[0x60, 0x20, 0x00];
/// White plays 32-28, Black 19-23, on the fields of a board whose connector is at White's left.
const WHITE_MOVES: &[u8] = &[0x40, 63, 0x51, 54];
const BLACK_MOVES: &[u8] = &[0x40, 36, 0x54, 45];

fn address() -> BusAddress {
    BusAddress::new(1025).unwrap()
}

/// A board with a clock on a bus that answers exactly by the protocol; White sits at the left.
struct BusBoardFixture {
    line: Line,
    now: u64,
    pending: VecDeque<(u64, Vec<u8>)>,
    /// Events for the next answer.
    events: Vec<u8>,
    /// Fields after these events.
    fields: Vec<PieceCode>,
    /// Position of the lever, and whether the clock runs.
    status: u8,
    /// Change that the next reading of the clock reports; the lever has already moved by then.
    pressed_at_reading: Option<(u8, &'static [u8])>,
    entries: Vec<(u64, String)>,
}

impl BusBoardFixture {
    /// Returns a board in the start position.
    fn set_up() -> BusBoardFixture {
        let mut settings = LineSettings::new(Variant::from_tag("20").unwrap());
        settings.mode = Mode::Bus;
        let of_board = settings.clone();
        settings.boards.insert(address(), of_board);
        let mut desk = BusBoardFixture {
            line: Line::new(settings),
            now: 0,
            pending: VecDeque::new(),
            events: Vec::new(),
            fields: start(),
            status: 0,
            pressed_at_reading: None,
            entries: Vec::new(),
        };
        desk.receive(Input::LinkUp);
        desk
    }

    fn run(&mut self, seconds: u64) {
        let until = self.now + seconds * 1_000;
        loop {
            let answer = self.pending.front().map(|(at, _)| *at);
            let deadline = self.line.deadline().map(|at| at.0.max(self.now));
            let Some(next) = answer.into_iter().chain(deadline).min().filter(|&next| next <= until) else { break };
            self.now = next;
            if answer.is_some_and(|at| at <= next) {
                let (_, bytes) = self.pending.pop_front().unwrap();
                self.receive(Input::Bytes(bytes));
            } else {
                self.receive(Input::Tick);
            }
        }
        self.now = until;
    }

    fn receive(&mut self, input: Input) {
        for output in self.line.handle(Millis(self.now), input) {
            match output.effect {
                Effect::Send(bytes) => self.answer(&bytes),
                Effect::Entry { entry, .. } => self.entries.push((output.at.0, strip_entry(&entry))),
                _ => {}
            }
        }
    }

    fn answer(&mut self, bytes: &[u8]) {
        let Some((command, to)) = bytes.try_into().ok().and_then(BusCommand::decode) else { return };
        if to != address() {
            return;
        }
        let answer = match command {
            BusCommand::SendChanges => {
                let new_events = std::mem::take(&mut self.events);
                for change in changes::decode(&new_events) {
                    if let MemoryEvent::Piece { field, piece, .. } = change {
                        self.fields[usize::from(field.0)] = piece;
                    }
                }
                BusAnswer::Changes(new_events)
            }
            BusCommand::SendBoard => BusAnswer::Board(self.fields.clone()),
            BusCommand::SendClock => {
                if let Some((status, event)) = self.pressed_at_reading.take() {
                    self.status = status;
                    self.events.extend(event);
                }
                let side = |minutes| ClockSide { minutes, ..ClockSide::default() };
                let (left, right, status) = (side(20), side(20), ClockStatus(self.status));
                BusAnswer::Clock(ClockReport::Times(ClockTimes { left, right, status }))
            }
            BusCommand::SetStartGame => BusAnswer::StartWritten,
            BusCommand::SendVersion => BusAnswer::Version(Version { main: 1, sub: 11 }),
            _ => BusAnswer::Ping,
        };
        self.pending.push_back((self.now + 12, BusMessage { from: address(), answer }.encode()));
    }

    fn texts(&self) -> Vec<&str> {
        self.entries.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// Returns the start position of a 10x10 board, field by field.
fn start() -> Vec<PieceCode> {
    (0..100).map(|field| PieceCode(start_code(field))).collect()
}

/// Once the position of the lever is known, a ply is published when its player presses, not earlier.
#[track_caller]
fn check_the_lever(desk: &mut BusBoardFixture) {
    desk.run(3);
    assert_eq!(desk.texts(), ["32-28"], "it was pressed for");
    desk.events.extend(BLACK_MOVES);
    desk.run(4);
    assert_eq!(desk.texts(), ["32-28"], "nobody has pressed for 19-23");
    desk.events.extend(RIGHT_SIDE);
    desk.status = ClockStatus::RUNNING;
    desk.run(1);
    assert_eq!(desk.texts(), ["32-28", "19-23"]);
}

#[test]
fn lever_before_first_ply_completes_no_ply() {
    let mut desk = BusBoardFixture::set_up();
    desk.status = ClockStatus::RIGHT_HIGH;
    desk.run(5);
    desk.events.extend(RIGHT_SIDE);
    desk.status = 0;
    desk.run(5);
    desk.events.extend([WHITE_MOVES, LEFT_SIDE].concat());
    desk.status = ClockStatus::RIGHT_HIGH | ClockStatus::RUNNING;
    check_the_lever(&mut desk);
}

/// A station that starts late receives the start and the first ply before it can read the clock.
#[test]
fn follows_lever_before_clock_reading() {
    let mut desk = BusBoardFixture::set_up();
    let pieces = start();
    let list = pieces.iter().enumerate().filter(|(_, code)| !code.is_empty());
    desk.events.extend([0x7f, 0x7f, 0x7f, 0x6a]);
    desk.events.extend(list.flat_map(|(field, code)| [0x50 | code.0, field as u8]));
    desk.events.extend([RIGHT_SIDE, WHITE_MOVES, LEFT_SIDE].concat());
    desk.status = ClockStatus::RIGHT_HIGH | ClockStatus::RUNNING;
    check_the_lever(&mut desk);
}

/// The clock was started by hand, which no board reports; at its next reading the first ply has been pressed.
#[test]
fn reading_does_not_overtake_press_report() {
    let mut desk = BusBoardFixture::set_up();
    desk.run(5);
    desk.events.extend(WHITE_MOVES);
    desk.pressed_at_reading = Some((ClockStatus::RIGHT_HIGH | ClockStatus::RUNNING, LEFT_SIDE));
    desk.run(25);
    assert_eq!(desk.pressed_at_reading, None, "the clock was read");
    check_the_lever(&mut desk);
}
