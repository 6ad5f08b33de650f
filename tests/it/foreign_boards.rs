//! Boards of other makers, which know fewer commands: their recordings, the queries sent, and the notices.

use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Field, Message, PieceCode};
use damcast::engine::session::{Effect, Input, Line, LineSettings, Mode, Output};
use damcast::simulation::drive::{Record, drive, drive_bus};
use damcast::simulation::games;
use damcast::simulation::scenario::{BoardPlan, LinePlan, Scenario};
use damcast::simulation::script::{self, codes, field};
use draughts::{Move, Position, Variant};
use hardware_sim::board::{BoardOptions, PieceSet};
use hardware_sim::profile::NoiseProfile;
use hardware_sim::world::SeatConfig;

use crate::operator::line_with;

/// When the board sends dumps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dumps {
    Always,
    /// Once, before any query.
    Once,
    Never,
}

/// Behaviour of a board: its plies and its answers.
#[derive(Clone, Copy, Debug)]
pub struct BoardBehaviour {
    pub dumps: Dumps,
    pub has_clock: bool,
    /// Times between plies, in milliseconds, used in turn.
    pub gaps: &'static [u64],
    /// Queries that it answers besides the one for a dump.
    pub answers: &'static [u8],
    pub turned: bool,
    /// Index of the game played, from 0.
    pub game: usize,
}

pub const PLIES: usize = 64;
pub const QUIET: usize = 3;

/// A game, the messages of its board with their times, and the line that records it.
pub struct Recording {
    line: Line,
    now: u64,
    behaviour: BoardBehaviour,
    pub fields: Vec<u8>,
    /// Unrequested messages of the board, with their times.
    pub messages: Vec<(u64, Vec<u8>)>,
    outputs: Vec<Output>,
    /// Time left on the clock, on the left and on the right.
    left_ms: [u64; 2],
    left_runs: bool,
    read_at: u64,
}

/// Returns a game of the demonstration; the index after them is one with as few captures as possible.
fn game(number: usize) -> (Position, Vec<Move>) {
    if number == QUIET {
        return quiet_game();
    }
    let all = games::from_pdn("demo", games::DEMONSTRATION, None, None).unwrap();
    let game = all.into_iter().filter(|game| game.moves.len() >= PLIES).nth(number).unwrap();
    (game.start, game.moves[..PLIES].to_vec())
}

fn quiet_game() -> (Position, Vec<Move>) {
    let start = Position::start(Variant::from_tag("20").unwrap());
    let (mut position, mut moves) = (start, Vec::new());
    while moves.len() < PLIES {
        let captures = |ply: &Move| position.play(ply).legal_moves().iter().filter(|reply| reply.is_capture()).count();
        // The rearmost man moves, so that few men face each other.
        let ply = position.legal_moves().into_iter().min_by_key(|ply| (captures(ply), ply.is_capture()));
        let ply = ply.expect("there is a move");
        position = position.play(&ply);
        moves.push(ply);
    }
    (start, moves)
}

impl Recording {
    pub fn new(behaviour: BoardBehaviour) -> Recording {
        let (start, _) = game(behaviour.game);
        let mut fields = codes(&start);
        if behaviour.turned {
            fields.reverse();
        }
        let line = Line::new(LineSettings::new(start.variant()));
        Recording {
            line,
            now: 0,
            behaviour,
            fields,
            messages: Vec::new(),
            outputs: Vec::new(),
            left_ms: [4_800_000; 2],
            left_runs: true,
            read_at: 0,
        }
    }

    pub fn dump(&self) -> Vec<u8> {
        [vec![0x86, 0x00, 0x67], self.fields.clone()].concat()
    }

    /// Returns the answer to a command.
    pub fn answer(&self, command: u8) -> Vec<u8> {
        match command {
            0x42 if self.behaviour.dumps == Dumps::Always => self.dump(),
            0x45 if self.behaviour.answers.contains(&0x45) => Message::SerialNumber("00042".into()).encode(),
            0x4d if self.behaviour.answers.contains(&0x4d) => vec![0x93, 0x00, 0x05, 1, 2],
            _ => Vec::new(),
        }
    }

    fn handle(&mut self, input: Input) {
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let outputs = self.line.handle(Millis(self.now), input);
            for output in &outputs {
                if let Effect::Send(bytes) = &output.effect {
                    inputs.extend(bytes.iter().map(|&command| Input::Bytes(self.answer(command))));
                }
            }
            self.outputs.extend(outputs);
        }
    }

    fn send(&mut self, bytes: Vec<u8>) {
        self.messages.push((self.now, bytes.clone()));
        self.handle(Input::Bytes(bytes));
    }

    fn wait_until(&mut self, end: u64) {
        while let Some(at) = self.line.deadline().map(|at| at.0).filter(|&at| at <= end) {
            self.now = at.max(self.now);
            self.handle(Input::Tick);
        }
        self.now = end.max(self.now);
    }

    fn put(&mut self, at: u64, square_field: u8, code: u8) {
        let number = if self.behaviour.turned { 99 - square_field } else { square_field };
        self.fields[usize::from(number)] = code;
        self.wait_until(at);
        let update = Message::FieldUpdate { field: Field(number), piece: PieceCode(code) };
        self.send(update.encode());
    }

    /// Sends a clock message; `left`: the lever is up on the left, whose time runs.
    fn clock(&mut self, at: u64, left: bool) {
        if !self.behaviour.has_clock {
            return;
        }
        self.wait_until(at);
        let gone = at - std::mem::replace(&mut self.read_at, at);
        self.left_ms[usize::from(!self.left_runs)] -= gone;
        self.left_runs = left;
        // The right player's time comes first; minutes and seconds are BCD.
        let bcd = |value: u64| u8::try_from(((value / 10) << 4) | (value % 10)).unwrap();
        let time = |ms: u64| [u8::try_from(ms / 3_600_000).unwrap(), bcd(ms / 60_000 % 60), bcd(ms / 1_000 % 60)];
        let [left_time, right_time] = self.left_ms.map(time);
        let lever = if left { 0x01 } else { 0x03 };
        self.send([&[0x8d, 0x00, 0x0a], &right_time[..], &left_time, &[lever]].concat());
    }

    /// Sends the clock once a second up to a time.
    fn tick_until(&mut self, end: u64, left: bool) {
        let mut at = (self.now / 1000 + 1) * 1000;
        while at < end {
            self.clock(at, left);
            at += 1000;
        }
        self.wait_until(end);
    }

    pub fn play(mut self) -> Recording {
        let (mut position, moves) = game(self.behaviour.game);
        self.handle(Input::LinkUp);
        if self.behaviour.dumps == Dumps::Once {
            let dump = self.dump();
            self.send(dump);
        }
        // White's clock is on the left, and White's time runs.
        self.clock(500, true);
        let mut at = 1_000;
        for (index, ply) in moves.iter().enumerate() {
            let white = index % 2 == 0;
            self.tick_until(at, white);
            let [from, to] = [ply.from(), ply.to()].map(|square| field(&position, square));
            let code = if white { 1 } else { 4 };
            self.put(at, from, 0);
            self.put(at + 200, to, code);
            for (index, jump) in ply.jumps().iter().enumerate() {
                self.put(at + 250 + 20 * index as u64, field(&position, jump.over), 0);
            }
            self.clock(at + 500, !white);
            position = position.play(ply);
            at += self.behaviour.gaps[index % self.behaviour.gaps.len()];
        }
        self.tick_until(at + 10_000, moves.len() % 2 == 0);
        self
    }

    fn published(&self) -> usize {
        self.count(|effect| matches!(effect, Effect::Entry { entry, .. } if entry.kind.is_ply()))
    }

    fn setups(&self) -> usize {
        self.count(|effect| matches!(effect, Effect::Entry { entry, .. } if !entry.kind.is_ply()))
    }

    fn count(&self, fits: impl Fn(&Effect) -> bool) -> usize {
        self.outputs.iter().filter(|output| fits(&output.effect)).count()
    }

    fn notices(&self, words: &str) -> usize {
        self.count(|effect| matches!(effect, Effect::Notice(text) if text.contains(words)))
    }

    fn sent(&self, code: u8) -> usize {
        self.count(|effect| matches!(effect, Effect::Send(bytes) if bytes[..] == [code]))
    }
}

/// Gaps between plies, in milliseconds, with which a board without dumps is tried.
pub const GAPS: [&[u64]; 7] =
    [&[800], &[2_000], &[3_000], &[4_000], &[5_000], &[12_000], &[800, 12_000, 2_000, 5_000, 1_100, 3_000, 4_000]];

/// Plays a game in each manner on a board that answers dumps, one that sent a dump once, and one that never does. The last two lose at most
/// one ply compared with the first.
fn compare(manner: BoardBehaviour) {
    let played = |dumps: Dumps, answers: &'static [u8], turned: bool| {
        let manner = BoardBehaviour { dumps, answers, turned, ..manner };
        let recording = Recording::new(manner).play();
        let notice_count = recording.notices("does not answer what stands on it");
        let reopened = recording.count(|effect| matches!(effect, Effect::Reopen { .. }));
        println!(
            "{manner:?}: {} plies, {} setups, opened again {reopened} times, reported {notice_count} times, {} questions for a dump",
            recording.published(),
            recording.setups(),
            recording.sent(0x42),
        );
        assert_eq!(recording.setups(), 0, "{manner:?}");
        // A board that sent a dump once, answers nothing and stays silent for long may be gone.
        let may_be_gone = manner.dumps == Dumps::Once && manner.answers.is_empty() && !manner.has_clock;
        let most = usize::from(may_be_gone && manner.gaps.contains(&12_000));
        assert!(reopened <= most && recording.notices("answers again") <= most, "{manner:?}");
        assert_eq!(notice_count, usize::from(dumps != Dumps::Always), "{manner:?}");
        recording.published()
    };
    const SOME: &[u8] = &[0x4d, 0x45];
    assert_eq!(played(Dumps::Always, SOME, false), PLIES, "{manner:?}");
    for dumps in [Dumps::Once, Dumps::Never] {
        for (answers, turned) in [(SOME, false), (&[][..], true)] {
            let recorded = played(dumps, answers, turned);
            assert!(recorded + 1 >= PLIES, "{manner:?}, {dumps:?}: {recorded} plies of {PLIES}");
        }
    }
}

#[test]
fn records_board_without_dumps() {
    for gaps in GAPS {
        for game in 0..=QUIET {
            for has_clock in [true, false] {
                // Three exchanges on one square within six seconds look like a flickering piece unless a clock shows more.
                if !has_clock && gaps.contains(&800) && game != QUIET {
                    continue;
                }
                compare(BoardBehaviour { dumps: Dumps::Always, has_clock, gaps, answers: &[], turned: false, game });
            }
        }
    }
}

/// A board with unusual properties, and its players.
struct UnusualBoard(hardware_sim::world::World);

impl UnusualBoard {
    fn new(change: impl Fn(&mut BoardOptions)) -> UnusualBoard {
        let (start, moves) = game(QUIET);
        let profile = NoiseProfile::ideal();
        let script = script::game(&start, &moves, Some("4800+60".parse().unwrap()), &profile, 5);
        let mut setting = SeatConfig::new(10, 10, script, profile, 5);
        let mut board = setting.draw_board();
        change(&mut board);
        setting.board = Some(board);
        UnusualBoard(hardware_sim::world::World::new(setting).unwrap())
    }

    fn play(mut self, settings: &[(&str, &str)]) -> Record {
        drive(&mut self.0, &mut line_with(settings), None, 30_000)
    }
}

fn notices_of(record: &Record, words: &str) -> usize {
    let is_it = |output: &&Output| matches!(&output.effect, Effect::Notice(text) if text.contains(words));
    record.outputs.iter().filter(is_it).count()
}

#[test]
fn uses_and_reports_alternative_update_command() {
    for (ignores, least) in [(vec![0x4b], PLIES - 2), (vec![0x4b, 0x43], PLIES - 4)] {
        let record = UnusualBoard::new(|board| board.ignored_commands.clone_from(&ignores)).play(&[]);
        let plies = record.entries().iter().filter(|(_, entry)| !entry.starts_with('/')).count();
        assert!(plies >= least, "{ignores:02x?}: {plies} plies");
        assert_eq!(notices_of(&record, "does not report what changes"), ignores.len(), "{ignores:02x?}");
    }
    let all = UnusualBoard::new(|board| board.ignored_commands = vec![0x4b, 0x43, 0x44]).play(&[]);
    assert_eq!(notices_of(&all, "does not report what changes"), 2, "each is tried once");
}

#[test]
fn records_chess_set_with_codes() {
    let record = UnusualBoard::new(|board| board.set = PieceSet::Chess).play(&[("codes", "chess")]);
    assert_eq!(record.entries().len(), PLIES);
}

#[test]
fn bus_on_single_board_line_is_reported() {
    let board = BoardPlan { plies: Some(4), ..BoardPlan::default() };
    let line = LinePlan { board: vec![board; 4], ..LinePlan::default() };
    let scenario = Scenario { line: vec![line], ..Scenario::default() };
    let mut ready = scenario.lines(std::path::Path::new(".")).unwrap();
    let mut record = Record::default();
    let mut line = Line::new(LineSettings::new(Variant::from_tag("20").unwrap()));
    drive_bus(&mut ready[0].world, &mut line, 30_000, |_, output| record.outputs.push(output));
    assert_eq!(notices_of(&record, "mode = \"bus\""), 1, "{:?}", notices(&record));
}

fn notices(record: &Record) -> Vec<&Effect> {
    let effects = record.outputs.iter().map(|output| &output.effect);
    effects.filter(|effect| matches!(effect, Effect::Notice(_))).collect()
}

/// Returns a line that expects boards on a bus.
fn bus_line() -> Line {
    let mut settings = LineSettings::new(Variant::from_tag("20").unwrap());
    settings.mode = Mode::Bus;
    Line::new(settings)
}

/// A single board without bus protocol at the port of a bus: it sees single bytes, and answers some.
#[test]
fn single_board_on_bus_line_is_reported() {
    let mut line = bus_line();
    let dump = [vec![0x86, 0x00, 0x67], codes(&game(QUIET).0)].concat();
    let (mut now, mut record, mut inputs) = (0, Record::default(), vec![Input::LinkUp]);
    while now < 60_000 {
        while let Some(input) = inputs.pop() {
            for output in line.handle(Millis(now), input) {
                if let Effect::Send(bytes) = &output.effect
                    && bytes[..] == [0x42]
                {
                    inputs.push(Input::Bytes(dump.clone()));
                }
                record.outputs.push(output);
            }
        }
        now = line.deadline().map_or(60_000, |at| at.0.max(now));
        inputs.push(Input::Tick);
    }
    assert_eq!(notices_of(&record, "mode = \"single\""), 1, "{:?}", notices(&record));
}

#[test]
fn bus_board_without_position_is_reported() {
    let board = BoardPlan { plies: Some(4), ignores: vec![0x82], serial: Some(1025), ..BoardPlan::default() };
    let line = LinePlan { board: vec![board, BoardPlan::default()], ..LinePlan::default() };
    let scenario = Scenario { line: vec![line], ..Scenario::default() };
    let mut ready = scenario.lines(std::path::Path::new(".")).unwrap();
    let mut record = Record::default();
    drive_bus(&mut ready[0].world, &mut bus_line(), 30_000, |_, output| record.outputs.push(output));
    assert_eq!(notices_of(&record, "never what stands on it (0x82)"), 1, "{:?}", notices(&record));
}
