//! Many boards on one line: each board's moves are recorded completely, and the line is well used.
//!
//! In virtual time, against a simulated bus that shares no code with the recorder.

use std::collections::BTreeMap;

use damcast::engine::bytelog::Mode;
use damcast::engine::millis::Millis;
use damcast::engine::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus, strip_entry};
use damcast::simulation::games::SourceGame;
use damcast::simulation::script;
use draughts::{Position, Variant};
use hardware_sim::board::BoardOptions;
use hardware_sim::bus::{BusConfig, BusWorld};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::line_faults::{LineFault, LineFaults};
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Span;
use hardware_sim::seat::SeatConfig;

use crate::boards::moves;
use crate::games::playable;

/// A bus on which these games are played, one per board; every second board is turned round.
pub struct Bus {
    games: Vec<SourceGame>,
    profile: NoiseProfile,
    clock: bool,
    seed: u64,
    /// Time that boards take to answer, in microseconds.
    answer_us: Span,
    incidents: Vec<Incident>,
    to_host: LineFaults,
    to_boards: LineFaults,
}

impl Bus {
    /// Creates a bus with this many boards and ideal hands; each game has at most `plies` plies.
    pub fn new(games: &[SourceGame], boards: usize, plies: usize) -> Bus {
        let from_the_start = games.iter().filter(|game| game.start == Position::start(game.start.variant()));
        let mut games: Vec<SourceGame> = from_the_start.cycle().take(boards).cloned().collect();
        for game in &mut games {
            game.moves.truncate(plies);
        }
        Bus {
            games,
            profile: NoiseProfile::ideal(),
            clock: true,
            seed: 1,
            answer_us: Span::new(1_000, 1_000),
            incidents: Vec::new(),
            to_host: LineFaults::none(),
            to_boards: LineFaults::none(),
        }
    }

    /// Adds incidents to the bus.
    pub fn with(self, incidents: Vec<Incident>) -> Bus {
        Bus { incidents, ..self }
    }

    /// Sets the hands that play, and the faults of the line.
    pub fn played(self, profile: NoiseProfile, seed: u64, to_host: LineFaults) -> Bus {
        Bus { profile, seed, to_host, ..self }
    }

    /// Returns the address of a board.
    pub fn address(index: usize) -> BusAddress {
        BusAddress::new(1025 + 7 * index as u16).unwrap()
    }

    /// Returns the boards in their initial state.
    pub fn world(&self) -> BusWorld {
        self.world_with(|_, _| ())
    }

    /// Returns the boards in their initial state, with changed options.
    pub fn world_with(&self, make: impl Fn(usize, &mut BoardOptions)) -> BusWorld {
        let seats = self.games.iter().enumerate().map(|(index, game)| {
            let seed = self.seed + index as u64;
            let control = self.clock.then(|| "4800+60".parse().unwrap());
            let script = script::game(&game.start, &game.moves, control, &self.profile, seed).rotated(index % 2 == 1);
            let geometry = &game.start.variant().geometry;
            let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
            let seat = SeatConfig::new(rows, columns, script, self.profile.clone(), seed);
            let serial = u32::from(Bus::address(index).number());
            let mut board = BoardOptions { serial, answer_us: self.answer_us, ..seat.draw_board() };
            make(index, &mut board);
            SeatConfig { board: Some(board), ..seat }
        });
        let mut setting = BusConfig::new(seats.collect(), self.seed);
        setting.incidents = self.incidents.clone();
        setting.faults_to_host = self.to_host.clone();
        setting.faults_to_boards = self.to_boards.clone();
        BusWorld::new(setting).unwrap()
    }

    /// Returns the settings of a line that expects these boards.
    pub fn settings(&self) -> LineSettings {
        let mut settings = LineSettings::new(Variant::from_tag("20").unwrap());
        settings.mode = Mode::Bus;
        let of_line = settings.clone();
        for (index, game) in self.games.iter().enumerate() {
            let board = LineSettings { variant: game.start.variant(), ..of_line.clone() };
            settings.boards.insert(Bus::address(index), board);
        }
        settings
    }

    fn line(&self) -> Line {
        Line::new(self.settings())
    }

    /// Returns the expected moves in each board's file.
    pub fn moves(&self) -> BTreeMap<BusAddress, Vec<String>> {
        self.games.iter().enumerate().map(|(index, game)| (Bus::address(index), moves(game))).collect()
    }
}

/// Everything a recorder did on a bus.
#[derive(Default)]
pub struct BusRecording {
    pub entries: BTreeMap<BusAddress, Vec<String>>,
    pub notices: Vec<String>,
    /// Polls for changes, with their times.
    polls: Vec<(u64, BusAddress)>,
    /// Bytes sent to the boards, with their times.
    sent: Vec<(u64, Vec<u8>)>,
}

impl BusRecording {
    /// Handles an effect of the line.
    pub fn apply_effects(&mut self, Output { at, board, effect }: Output) {
        match effect {
            Effect::Entry { entry, .. } => self.entries.entry(board.unwrap()).or_default().push(strip_entry(&entry)),
            Effect::Send(bytes) => {
                if let [0x83 | 0x84, high, low, _] = *bytes {
                    self.polls.push((at.0, BusAddress::from_wire([high, low])));
                }
                self.sent.push((at.0, bytes));
            }
            Effect::Info(text) | Effect::Notice(text) => {
                self.notices.push(damcast::engine::playback::prefix_board(board, &format!("{at} {text}")))
            }
            _ => {}
        }
    }

    /// Returns the polls for changes per second between two times.
    fn polls_per_second(&self, from_ms: u64, to_ms: u64) -> f64 {
        let polls = self.polls.iter().filter(|(at, _)| (from_ms..to_ms).contains(at)).count();
        polls as f64 * 1_000.0 / (to_ms - from_ms) as f64
    }
}

fn play(bus: &Bus) -> BusRecording {
    play_in(&mut bus.world(), &mut bus.line())
}

fn play_in(world: &mut BusWorld, line: &mut Line) -> BusRecording {
    let mut recorded = BusRecording::default();
    drive_bus(world, line, 20_000, |_, output| recorded.apply_effects(output));
    recorded
}

#[track_caller]
pub fn assert_all_recorded(bus: &Bus, recorded: &BusRecording) {
    for (board, moves) in bus.moves() {
        let entries = recorded.entries.get(&board).cloned().unwrap_or_default();
        assert_eq!(entries, moves, "board {board}; notices: {:#?}", recorded.notices);
    }
}

/// 9600 baud, a command of four bytes and an answer of six, one millisecond until the board answers.
const POLLS_PER_SECOND: f64 = 1_000.0 / (10.0 * 1_000.0 / 960.0 + 1.0);

fn check_bus(boards: usize, plies: usize) {
    let bus = Bus::new(&playable("international"), boards, plies);
    let mut world = bus.world();
    let end = world.end_ms();
    let recorded = play_in(&mut world, &mut bus.line());
    assert_all_recorded(&bus, &recorded);
    let rate = recorded.polls_per_second(20_000, end);
    let mut commands: BTreeMap<u8, usize> = BTreeMap::new();
    for (_, bytes) in recorded.sent.iter().filter(|(at, _)| (20_000..end).contains(at)) {
        *commands.entry(bytes[0]).or_default() += 1;
    }
    println!("{boards} boards: {rate:.1} polls a second of {POLLS_PER_SECOND:.1} in {end} ms, {commands:02x?}");
    // Changes take time on the wire; a query or an answer was under way for this much of it.
    let (to_host, heard) = world.traffic();
    let busy = ((to_host + heard) as f64 / 0.96 + recorded.sent.len() as f64) / world.now_ms() as f64;
    println!("{boards} boards: {:.1} % of the time", 100.0 * busy);
    assert!(busy >= 0.9, "{busy:.3}");
}

#[test]
fn bus_of_8_boards_is_recorded_move_for_move() {
    check_bus(8, 40);
}

#[test]
fn bus_of_32_boards_is_recorded_move_for_move() {
    check_bus(32, 16);
}

#[test]
fn bus_of_64_boards_is_recorded_move_for_move() {
    check_bus(64, 10);
}

#[test]
fn boards_of_many_games_and_sizes_share_line() {
    let games = playable("");
    let mut by_type = BTreeMap::new();
    for game in games.iter().filter(|game| game.start == Position::start(game.start.variant())) {
        by_type.entry(game.start.variant().game_type.number()).or_insert_with(|| game.clone());
    }
    let games: Vec<SourceGame> = by_type.into_values().collect();
    let bus = Bus::new(&games, games.len(), 16);
    assert_all_recorded(&bus, &play(&bus));
}

#[test]
fn records_all_moves_without_clocks() {
    let bus = Bus { clock: false, ..Bus::new(&playable("international"), 4, 16) };
    assert_all_recorded(&bus, &play(&bus));
}

#[test]
fn finds_and_records_unnamed_boards() {
    let bus = Bus::new(&playable("international"), 12, 12);
    let mut settings = bus.settings();
    settings.boards.clear();
    let recorded = play_in(&mut bus.world(), &mut Line::new(settings));
    assert_all_recorded(&bus, &recorded);
    let found = recorded.notices.iter().filter(|notice| notice.contains("does not name was found")).count();
    assert_eq!(found, 12, "{:#?}", recorded.notices);
}

#[test]
fn absent_or_silent_boards_cost_others_little() {
    let bus = Bus::new(&playable("international"), 16, 12);
    let end = bus.world().end_ms();
    let alone = play(&bus);
    // Four more are expected and absent, and two fall silent in the middle of their games.
    let mut settings = bus.settings();
    for number in [3, 2000, 3000, 16_383] {
        let absent = settings.for_board(BusAddress::new(number).unwrap());
        settings.boards.insert(BusAddress::new(number).unwrap(), absent);
    }
    let silent = [5, 11];
    let incidents = silent.map(|index| Incident::new(end / 2, IncidentKind::BoardDisconnected(index))).to_vec();
    let bus = Bus { incidents, ..bus };
    let recorded = play_in(&mut bus.world(), &mut Line::new(settings));
    let mut others = bus.moves();
    others.retain(|board, _| silent.iter().all(|&index| Bus::address(index) != *board));
    for (board, moves) in others {
        assert_eq!(recorded.entries.get(&board), Some(&moves), "{board}: {:#?}", recorded.notices);
    }
    for (from, to) in [(20_000, end / 2), (end / 2, end)] {
        let (with, without) = (recorded.polls_per_second(from, to), alone.polls_per_second(from, to));
        println!("{with:.1} polls a second with boards missing, {without:.1} without");
        assert!(with >= 0.9 * without, "{with:.1} of {without:.1}");
    }
    let count_notices = |words: &str| recorded.notices.iter().filter(|notice| notice.contains(words)).count();
    assert_eq!(count_notices("the board does not answer"), 6, "{:#?}", recorded.notices);
}

#[test]
fn boards_remember_moves_played_without_cable() {
    let bus = Bus::new(&playable("international"), 6, 40);
    let end = bus.world().end_ms();
    for (out, back) in [(end / 3, end / 3 + 2_500), (end / 3, end / 3 + 30_000), (end / 4, end / 4 + 120_000)] {
        let incidents = vec![Incident::new(out, IncidentKind::Unplug), Incident::new(back, IncidentKind::Plug)];
        let bus = Bus { incidents, ..Bus::new(&playable("international"), 6, 40) };
        assert_all_recorded(&bus, &play(&bus));
    }
}

/// A board leaves the bus and comes back.
fn board_outage(index: usize, away: u64, back: u64) -> [Incident; 2] {
    [
        Incident::new(away, IncidentKind::BoardDisconnected(index)),
        Incident::new(back, IncidentKind::BoardConnected(index)),
    ]
}

#[test]
fn board_may_leave_bus_and_return() {
    let bus = Bus::new(&playable("international"), 4, 40);
    let end = bus.world().end_ms();
    for (away, back) in [(end / 3, end / 3 + 400), (end / 3, end / 3 + 20_000), (end / 4, end / 4 + 100_000)] {
        let incidents = board_outage(1, away, back).to_vec();
        let bus = Bus { incidents, ..Bus::new(&playable("international"), 4, 40) };
        assert_all_recorded(&bus, &play(&bus));
    }
}

#[test]
fn noisy_line_costs_time_but_no_move() {
    let faults = |rate| {
        let kinds = [LineFault::Flip, LineFault::Lose, LineFault::Double, LineFault::WrongChecksum];
        kinds.into_iter().fold(LineFaults::none(), |faults, kind| faults.with_rate(kind, rate))
    };
    let bus = Bus { to_host: faults(2e-4), to_boards: faults(2e-4), ..Bus::new(&playable("international"), 4, 30) };
    assert_all_recorded(&bus, &play(&bus));
}

/// A board that is polled rarely reports many changes in one answer; a repeated answer would change the game.
#[test]
fn late_answers_count_once() {
    let to_host = LineFaults::none().with_rate(LineFault::Delay, 0.01);
    let bus = Bus { to_host, ..Bus::new(&playable("international"), 2, 30) };
    let mut settings = bus.settings();
    settings.set("bus-poll-ms", "10000").unwrap();
    let recorded = play_in(&mut bus.world(), &mut Line::new(settings));
    let repeated = recorded.sent.iter().filter(|(_, bytes)| bytes[0] == 0x84).count();
    assert!(repeated > 5, "only {repeated} answers were late");
    assert_all_recorded(&bus, &recorded);
}

#[test]
fn reconnected_board_returns_within_seconds() {
    let bus = Bus::new(&playable("international"), 16, 24);
    let end = bus.world().end_ms();
    let (out, back) = (end / 4, end / 4 + 100_000);
    let alone = play(&bus).polls_per_second(out, back);
    for (away, seconds) in [(1, 4), (8, 7)] {
        let incidents = (0..away).flat_map(|index| board_outage(index, out, back));
        let bus = Bus { incidents: incidents.collect(), ..Bus::new(&playable("international"), 16, 24) };
        let (mut recorded, mut returned) = (BusRecording::default(), Vec::new());
        drive_bus(&mut bus.world(), &mut bus.line(), 20_000, |_, output| {
            if matches!(&output.effect, Effect::Info(text) | Effect::Notice(text) if text == "the board answers again")
            {
                returned.push(output.at.0);
            }
            recorded.apply_effects(output);
        });
        assert_all_recorded(&bus, &recorded);
        let polls = recorded.polls_per_second(out, back);
        println!(
            "{away} away: back after {:?} ms; {polls:.1} polls a second of {alone:.1}",
            returned.iter().map(|at| at - back).collect::<Vec<_>>()
        );
        assert_eq!(returned.len(), away);
        assert!(returned.iter().all(|&at| at <= back + seconds * 1_000), "back at {back}, seen at {returned:?}");
        assert!(polls >= 0.9 * alone, "{polls:.1} of {alone:.1}");
    }
}

/// A recorder that stores its inputs.
struct InputRecorder {
    line: Line,
    inputs: Vec<(Millis, Input)>,
}

impl RecorderDriver for InputRecorder {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        if input != Input::Tick {
            self.inputs.push((now, input.clone()));
        }
        self.line.handle(now, input)
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Returns a session of two boards that were polled rarely, with its inputs.
pub fn rare_session(plies: usize) -> (Bus, LineSettings, Vec<(Millis, Input)>) {
    let bus = Bus::new(&playable("international"), 2, plies);
    let mut settings = bus.settings();
    settings.set("bus-poll-ms", "500").unwrap();
    let mut keeping = InputRecorder { line: Line::new(settings.clone()), inputs: Vec::new() };
    let mut recorded = BusRecording::default();
    drive_bus(&mut bus.world(), &mut keeping, 20_000, |_, output| recorded.apply_effects(output));
    assert_all_recorded(&bus, &recorded);
    (bus, settings, keeping.inputs)
}

/// Returns the recording that a new line makes of these inputs.
pub fn replay_inputs(settings: &LineSettings, inputs: impl Iterator<Item = (Millis, Input)>) -> BusRecording {
    let mut line = Line::new(settings.clone());
    let mut recorded = BusRecording::default();
    for (at, input) in inputs {
        line.handle(at, input).into_iter().for_each(|output| recorded.apply_effects(output));
    }
    recorded
}

#[test]
fn chunking_never_changes_record() {
    let (bus, settings, inputs) = rare_session(20);
    for size in [1, 3, 1000] {
        let cut = inputs.iter().flat_map(|(at, input)| match input {
            Input::Bytes(bytes) => bytes.chunks(size).map(|part| (*at, Input::Bytes(part.to_vec()))).collect(),
            other => vec![(*at, other.clone())],
        });
        assert_all_recorded(&bus, &replay_inputs(&settings, cut));
    }
}
