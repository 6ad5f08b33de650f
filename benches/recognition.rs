//! Measures the highest cost of an event for the recorder, with boards that no game shows.
//!
//! ```text
//! cargo bench --bench recognition [-- GAME-TYPE...]
//! ```
//!
//! Every message of a board and every deadline is one event, which may cost at most [`MAX_EVENT_TIME`]. The boards are made to be hard.
//! They are full of kings, and captures branch at every landing. Hands sweep over every square, so that no move can be excluded. Several
//! plies are made at once, and the clock is pressed all the time.
//!
//! | board | difficulty |
//! |---|---|
//! | `chaos` | dumps show random placements far from the position, again and again |
//! | `kings` | several plies at once from a position full of kings, with every square touched |
//! | `lattice` | kings before isolated men: captures with more routes than can be counted |
//! | `sweep` | every piece is taken up and put somewhere else |
//! | `dumps` | dumps of any pieces on any squares, more than a game can have and on unused squares, as fast as a wire carries them |
//! | `crowd` | more pieces than a game can have, or thirty kings, stand for minutes while the lever is pressed |
//! | `play` | for comparison: a game as it is played, ply by ply |
//!
//! The measure is processor time, the minimum per event over several rounds of the same events, so that other load does not count.

use std::time::Duration;

use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Field, Message, PieceCode};
use damcast::engine::session::request::{OperatorCommand, Request, Target};
use damcast::engine::session::{Input, Line, LineSettings};
use damcast::simulation::script;
use draughts::{Color, Piece, PieceKind, Placement, Position, Setup, Square, Variant};
use draughts_pdn::fen;
use hardware_sim::random::Rng;
use rustix::time::{ClockId, clock_gettime};

/// Returns the operator's request to start a game from this position.
fn start_request(fen: String) -> Input {
    Input::Request(Request { target: Target::OnlyBoard, command: OperatorCommand::Start(Some(fen)) })
}

/// Maximum time of an event.
const MAX_EVENT_TIME: Duration = Duration::from_millis(5);
const KINDS: [&str; 7] = ["play", "chaos", "kings", "lattice", "sweep", "dumps", "crowd"];
/// Number of rounds of the same events.
const ROUNDS: usize = 3;
/// Maximum number of rounds if an event seems too slow.
const MAX_ROUNDS: usize = 12;
/// Codes of a draughts set: men, kings; White, Black.
const PIECES: [u8; 4] = [1, 4, 7, 10];
/// Boards of each kind per variant.
const BOARDS: u64 = 12;

fn main() {
    println!("{:<24} {:<8} {:>8} {:>10} {:>10} {:>10}", "", "board", "events", "mean us", "p99 us", "worst us");
    let mut worst = Duration::ZERO;
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |variant: &&'static Variant| {
        wanted.is_empty() || wanted.iter().any(|number| *number == variant.game_type.number().to_string())
    };
    for variant in Variant::all().filter(is_wanted) {
        for kind in KINDS {
            let mut times: Vec<Duration> = (0..BOARDS).flat_map(|seed| min_times(variant, kind, seed)).collect();
            times.sort_unstable();
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
            let mean = times.iter().sum::<Duration>().as_secs_f64() * 1e6 / times.len() as f64;
            println!(
                "{:<24} {kind:<8} {:>8} {mean:>10.1} {:>10.1} {:>10.1}",
                variant.name,
                times.len(),
                at(0.99),
                at(1.0)
            );
            worst = worst.max(times[times.len() - 1]);
        }
    }
    println!("the worst event took {:.3} ms of {} ms", worst.as_secs_f64() * 1e3, MAX_EVENT_TIME.as_millis());
    assert!(worst <= MAX_EVENT_TIME, "an event costs too much");
}

/// Returns the minimum time of each event over several rounds, and over more if one seems too slow.
fn min_times(variant: &'static Variant, kind: &str, seed: u64) -> Vec<Duration> {
    let mut least = play(variant, kind, seed);
    for round in 1..MAX_ROUNDS {
        if round >= ROUNDS && least.iter().all(|time| *time <= MAX_EVENT_TIME) {
            break;
        }
        for (least, time) in least.iter_mut().zip(play(variant, kind, seed)) {
            *least = time.min(*least);
        }
    }
    if let Some((index, time)) =
        least.iter().enumerate().max_by_key(|(_, time)| **time).filter(|(_, time)| **time > MAX_EVENT_TIME)
    {
        println!("{} {kind} {seed}: event {index} takes {:.1} ms", variant.name, time.as_secs_f64() * 1e3);
    }
    least
}

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("a clock that does not run backwards from zero")
}

/// Board, its recorder, and the cost of each event.
struct Bench {
    line: Line,
    now: u64,
    codes: Vec<u8>,
    lever: bool,
    times: Vec<Duration>,
}

fn play(variant: &'static Variant, kind: &str, seed: u64) -> Vec<Duration> {
    let mut rng = Rng::stream(seed, kind);
    let start = match kind {
        "kings" => random(variant, &mut rng, 0.9, 0.8),
        "lattice" => lattice(variant, &mut rng),
        "play" => Position::start(variant),
        _ => random(variant, &mut rng, 0.5, 0.3),
    };
    let mut bench = Bench::new(variant, &start);
    match kind {
        "play" => bench.game(start, &mut rng, 60),
        "chaos" => (0..40).for_each(|_| {
            let (crowd, kings) = (rng.unit(), rng.unit());
            let next = random(variant, &mut rng, crowd, kings);
            bench.set_position(&script::codes(&next), 150);
            bench.press();
            bench.wait(400);
        }),
        "sweep" => bench.sweep(variant, &mut rng),
        "dumps" => (0..60).for_each(|step| {
            let crowd = rng.unit();
            for code in &mut bench.codes {
                *code = if rng.chance(crowd) { *rng.pick(&PIECES).expect("four of them") } else { 0 };
            }
            bench.dump();
            bench.press();
            bench.wait([0, 40, 400, 3_000][step % 4]);
        }),
        "crowd" => bench.crowd(variant, &start, &mut rng),
        _ => (0..6).for_each(|_| {
            bench.touch_all(variant);
            let mut position = start;
            for _ in 0..6 {
                let legal = position.legal_moves();
                let Some(ply) = rng.pick(&legal) else { break };
                position = position.play(ply);
            }
            bench.set_position(&script::codes(&position), 20);
            bench.press();
            bench.wait(3_000);
        }),
    }
    bench.times
}

impl Bench {
    fn new(variant: &'static Variant, start: &Position) -> Bench {
        let line = Line::new(LineSettings::new(variant));
        let codes = script::codes(start);
        let mut bench = Bench { line, now: 0, codes, lever: false, times: Vec::new() };
        bench.event(Input::LinkUp);
        bench.dump();
        bench.clock();
        bench.event(start_request(fen::write(variant, &start.setup())));
        bench.wait(2_000);
        bench
    }

    fn event(&mut self, input: Input) {
        let begun = processor_time();
        std::hint::black_box(self.line.handle(Millis(self.now), input));
        self.times.push(processor_time().saturating_sub(begun));
    }

    /// Advances the time; each deadline is an event, with a reading of the clock every second.
    fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some(at) = self.line.deadline().map(|at| at.0).filter(|&at| at <= until) {
            self.now = self.now.max(at);
            self.event(Input::Tick);
        }
        self.now = until;
        self.clock();
        self.dump();
    }

    fn dump(&mut self) {
        let codes = self.codes.iter().copied().map(PieceCode).collect();
        self.event(Input::Bytes(Message::BoardDump(codes).encode()));
    }

    fn clock(&mut self) {
        let lever = if self.lever { 2 } else { 0 };
        self.event(Input::Bytes(vec![0x8d, 0, 10, 1, 0x20, 0, 1, 0x20, 0, 1 | lever]));
    }

    fn press(&mut self) {
        self.lever = !self.lever;
        self.clock();
    }

    /// Sends field updates for all differences.
    fn set_position(&mut self, codes: &[u8], ms: u64) {
        for (field, &code) in codes.iter().enumerate() {
            if code != self.codes[field] {
                self.put(field, code);
                self.now += ms / 10;
            }
        }
        self.wait(ms);
    }

    fn put(&mut self, field: usize, code: u8) {
        self.codes[field] = code;
        if field < 128 && self.codes.len() <= 128 {
            self.event(Input::Bytes(
                Message::FieldUpdate { field: Field(field as u8), piece: PieceCode(code) }.encode(),
            ));
        } else {
            self.dump();
        }
    }

    /// Takes up every piece and puts it back.
    fn touch_all(&mut self, variant: &Variant) {
        let before = self.codes.clone();
        for square in variant.geometry.all() {
            let (row, column) = variant.geometry.row_and_column(square);
            let field = row * variant.geometry.width() + column;
            self.put(field, if before[field] == 0 { 1 } else { 0 });
            self.now += 5;
        }
        self.set_position(&before, 10);
    }

    /// Moves every piece elsewhere, with an occasional press.
    fn sweep(&mut self, variant: &Variant, rng: &mut Rng) {
        let fields: Vec<usize> = (variant.geometry.all().into_iter())
            .map(|square| variant.geometry.row_and_column(square))
            .map(|(row, column)| row * variant.geometry.width() + column)
            .collect();
        for step in 0..60 {
            let from = fields[rng.below(fields.len() as u64) as usize];
            let to = fields[rng.below(fields.len() as u64) as usize];
            let code = std::mem::take(&mut self.codes[from]);
            self.put(from, 0);
            self.put(to, code);
            self.now += 100;
            if step % 4 == 0 {
                self.press();
                self.wait(700);
            }
        }
        self.wait(60_000);
    }

    /// Sets up growing crowds of pieces, each for minutes, from a position after some play.
    fn crowd(&mut self, variant: &'static Variant, start: &Position, rng: &mut Rng) {
        for kings in [false, true] {
            let text = fen::write(variant, &start.setup());
            self.event(start_request(text));
            self.set_position(&script::codes(start), 1_000);
            self.game(*start, rng, 4);
            for share in [0.4, 0.7, 1.0] {
                for square in variant.geometry.all() {
                    let (row, column) = variant.geometry.row_and_column(square);
                    let field = row * variant.geometry.width() + column;
                    let (color, kind) = (usize::from(rng.chance(0.4)), usize::from(kings));
                    self.put(field, if rng.chance(share) { PIECES[2 * kind + color] } else { 0 });
                }
                for _ in 0..6 {
                    self.press();
                    self.wait(20_000);
                }
            }
        }
    }

    fn game(&mut self, start: Position, rng: &mut Rng, plies: usize) {
        let mut position = start;
        for _ in 0..plies {
            let legal = position.legal_moves();
            let Some(ply) = rng.pick(&legal) else { break };
            position = position.play(ply);
            self.wait(1_000);
            self.set_position(&script::codes(&position), 300);
            self.press();
            self.wait(700);
        }
    }
}

/// Returns a random placement: `crowd` is the share of the maximum number of pieces, `kings` the share of kings.
fn random(variant: &'static Variant, rng: &mut Rng, crowd: f64, kings: f64) -> Position {
    let mut squares: Vec<Square> = variant.geometry.all().into_iter().collect();
    for index in (1..squares.len()).rev() {
        squares.swap(index, rng.below(index as u64 + 1) as usize);
    }
    let mut squares = squares.into_iter();
    let mut placement = Placement::EMPTY;
    for color in Color::BOTH {
        let max_pieces = variant.start[color.index()].len();
        for square in squares.by_ref().take(((max_pieces as f64 * crowd) as usize).max(1)) {
            let crowned = variant.geometry.home_row(!color).contains(square) || rng.chance(kings);
            let kind = if crowned { PieceKind::King } else { PieceKind::Man };
            placement.put(square, Some(Piece { color, kind }));
        }
    }
    let turn = if rng.chance(0.5) { Color::White } else { Color::Black };
    Position::new(variant, Setup { placement, turn }).unwrap_or_else(|_| Position::start(variant))
}

/// Returns white kings at the edge and black pieces inside with an empty square behind each, so that captures can continue in every
/// direction.
fn lattice(variant: &'static Variant, rng: &mut Rng) -> Position {
    let geometry = &variant.geometry;
    let mut placement = Placement::EMPTY;
    let (mut kings, mut preys) = (0, 0);
    for square in geometry.all() {
        let (row, column) = geometry.row_and_column(square);
        let inside = (1..geometry.height() - 1).contains(&row) && (1..geometry.width() - 1).contains(&column);
        let max_pieces = variant.start[Color::Black.index()].len();
        if inside && row % 2 == 1 && preys < max_pieces && rng.chance(0.85) {
            let crowned = geometry.home_row(Color::White).contains(square) || rng.chance(0.2);
            let kind = if crowned { PieceKind::King } else { PieceKind::Man };
            placement.put(square, Some(Piece { color: Color::Black, kind }));
            preys += 1;
        } else if !inside && kings < 4 && rng.chance(0.2) {
            placement.put(square, Some(Piece { color: Color::White, kind: PieceKind::King }));
            kings += 1;
        }
    }
    Position::new(variant, Setup { placement, turn: Color::White }).unwrap_or_else(|_| Position::start(variant))
}
