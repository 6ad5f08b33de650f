//! `damcast test-board`: shows a board live in the terminal, to test every square, every piece, the clock and its lever.
//!
//! ```text
//!       .  w  .  .      a square that has been seen with and without a piece is tried
//!   tried 12 of 50 squares: 1-12                pieces seen: white man (1), black man (4)
//!   clock 1:19:50  0:58:03   lever: right side down, running
//! ```
//!
//! Without a terminal it prints one line per event. The station must not use the port at the same time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use damcast::control::escape;
use damcast::engine::bytelog::Mode;
use damcast::engine::protocol::{ClockReport, ClockTimes, DecodedItem, Lever, Message, PieceCode};
use damcast::engine::session::CodeMap;
use damcast::station::link::PortAddress;
use draughts::{Color, Geometry, Square, Variant};
use tokio::time::Instant;

use super::boards::time;
use super::doctor::machine::Machine;
use super::output;
use super::probe::{BoardProbe, ProbeEvent, block_on, sleep_until_any};
use super::screen::{Screen, ScreenCommand, TerminalSignals};

/// Lowest code of a result piece in every set.
const FIRST_RESULT_PIECE: u8 = 13;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Lift every piece once, and put one on every square; kings too. Every square that was tried stays green.

Exit codes: 0 every square was tried; 1 not all of them, or no board; 2 a wrong argument.

Examples:
  damcast test-board serial:/dev/ttyACM0
  damcast test-board tcp://10.0.0.7:4001 --game-type 25 --codes chess"
)]
pub struct Arguments {
    /// Port of the board, as in the configuration; `damcast ports` lists the ports.
    #[arg(value_name = "PORT")]
    port: String,
    /// Game: a number of PDN's GameType table, or its attributes. It determines the number of squares.
    #[arg(long, default_value = "20")]
    game_type: String,
    /// Set of the piece codes, as in the configuration.
    #[arg(long, default_value = "draughts")]
    codes: String,
    /// Set if the connector is on White's right.
    #[arg(long)]
    turned: bool,
    /// End after this many seconds; otherwise Ctrl-C ends it.
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// End as soon as every square was tried.
    #[arg(long)]
    until_tried: bool,
}

/// Shows the board until the test ends.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (port, variant, codes) = match read(arguments) {
        Ok(read) => read,
        Err(error) => return Ok(super::usage_error(error)),
    };
    let mut view = TestBoardState::new(&variant.geometry, codes, arguments.turned);
    let mut screen = Screen::standard();
    let watched = block_on(watch(arguments, port, &mut view, &mut screen));
    screen.leave();
    watched?;
    output::print(view.summary())?;
    Ok(if view.untested_squares().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(arguments: &Arguments) -> anyhow::Result<(PortAddress, &'static Variant, CodeMap)> {
    let variant = Variant::from_tag(&arguments.game_type)?;
    let codes = arguments.codes.parse().map_err(|expected: String| anyhow::anyhow!("--codes: expected {expected}"))?;
    Ok((arguments.port.parse()?, variant, codes))
}

async fn watch(
    arguments: &Arguments,
    port: PortAddress,
    view: &mut TestBoardState,
    screen: &mut Screen,
) -> anyhow::Result<()> {
    let mut inquiry = BoardProbe::new(port.clone(), Mode::Single, &arguments.game_type)?;
    let end = arguments.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut wishes = TerminalSignals::listen()?;
    loop {
        screen.draw(|_, _| view.picture().lines().chain(["", "Ctrl-C ends"]).map(str::to_owned).collect())?;
        if arguments.until_tried && view.untested_squares().is_empty() {
            return Ok(());
        }
        let events = tokio::select! {
            heard = inquiry.next() => view.apply_event(heard, &port),
            () = sleep_until_any(end) => return Ok(()),
            signal = wishes.next() => match signal {
                ScreenCommand::Draw => continue,
                ScreenCommand::Pause => {
                    screen.pause();
                    continue;
                }
                ScreenCommand::End => return Ok(()),
            },
        };
        if !screen.is_terminal() {
            events.iter().try_for_each(output::print_line)?;
        }
    }
}

/// Returns a message if another damcast has the port.
fn station_at(port: &PortAddress) -> Option<String> {
    let PortAddress::Serial(path) = port else { return None };
    let machine = Machine::new(None);
    let holders = machine.holders(&machine.device(path)?);
    let station = holders.into_iter().find(|holder| holder.name == "damcast" && holder.id != std::process::id())?;
    Some(format!(
        "damcast records from this port (process {}): see the board with `damcast status` or at the desk; to test it here, take its \
         line out of the configuration and run `damcast ctl reload`",
        station.id
    ))
}

/// Knowledge about the board.
struct TestBoardState {
    geometry: &'static Geometry,
    codes: CodeMap,
    turned: bool,
    fields: Vec<PieceCode>,
    /// Per field, whether it was seen empty and with a piece.
    seen: Vec<[bool; 2]>,
    pieces: BTreeSet<u8>,
    levers: BTreeSet<&'static str>,
    clock: Option<ClockTimes>,
    state: String,
    is_known: bool,
    /// Whether updates count only the playing squares.
    counts_squares: bool,
    noise: usize,
}

impl TestBoardState {
    fn new(geometry: &'static Geometry, codes: CodeMap, turned: bool) -> TestBoardState {
        let count = geometry.width() * geometry.height();
        TestBoardState {
            geometry,
            codes,
            turned,
            fields: vec![PieceCode::EMPTY; count],
            seen: vec![[false; 2]; count],
            pieces: BTreeSet::new(),
            levers: BTreeSet::new(),
            clock: None,
            state: "opening the port".to_owned(),
            is_known: false,
            // Field numbers have seven bits.
            counts_squares: count > 128,
            noise: 0,
        }
    }

    /// Applies an event; returns the lines to print.
    fn apply_event(&mut self, heard: ProbeEvent, port: &PortAddress) -> Vec<String> {
        match heard {
            ProbeEvent::Up => {
                self.state = "the port is open, no answer yet".to_owned();
                vec![self.state.clone()]
            }
            ProbeEvent::Closed(reason) => {
                self.state = station_at(port).unwrap_or(reason);
                vec![self.state.clone()]
            }
            ProbeEvent::Items(items) => items.iter().flat_map(|item| self.on_message(item)).collect(),
            ProbeEvent::Timeout => Vec::new(),
        }
    }

    fn on_message(&mut self, item: &DecodedItem) -> Vec<String> {
        let message = match item {
            DecodedItem::Message(message) => message,
            DecodedItem::Noise(_) => {
                self.noise += 1;
                return Vec::new();
            }
        };
        match message {
            Message::BoardDump(codes) => self.dump(codes),
            Message::FieldUpdate { field, piece } => {
                let number = usize::from(field.0);
                let field = if self.counts_squares { self.playing().nth(number) } else { Some(number) };
                match field.filter(|&field| field < self.fields.len()) {
                    Some(field) => self.set_field(field, *piece).into_iter().collect(),
                    None => vec![format!("the board tells of field {number}, which this game does not have")],
                }
            }
            Message::Clock(ClockReport::Times(times)) => self.tick(times),
            Message::Clock(ClockReport::NoClock) => {
                let was_there = self.clock.take().is_some();
                if was_there { vec!["the clock was unplugged".to_owned()] } else { Vec::new() }
            }
            Message::SerialNumber(number) => vec![format!("serial number {number}")],
            Message::Version(version) => vec![format!("firmware {version}")],
            _ => Vec::new(),
        }
    }

    fn dump(&mut self, codes: &[PieceCode]) -> Vec<String> {
        let places: Vec<usize> = if codes.len() == self.fields.len() {
            (0..codes.len()).collect()
        } else if codes.len() == self.geometry.count() {
            self.counts_squares = true;
            self.playing().collect()
        } else {
            let needed = self.fields.len();
            self.state = format!("the board has {} fields, this game needs {needed}: see --game-type", codes.len());
            return vec![self.state.clone()];
        };
        let mut events = Vec::new();
        if !self.is_known {
            self.is_known = true;
            self.state = "connected".to_owned();
            let pieces = codes.iter().filter(|code| !code.is_empty()).count();
            events.push(format!("connected: {} fields, {pieces} pieces stand on the board", codes.len()));
        }
        for (field, &code) in places.into_iter().zip(codes) {
            events.extend(self.set_field(field, code));
        }
        events
    }

    fn set_field(&mut self, field: usize, code: PieceCode) -> Option<String> {
        let is_new = self.fields[field] != code;
        self.fields[field] = code;
        self.seen[field][usize::from(!code.is_empty())] = true;
        if !code.is_empty() {
            self.pieces.insert(code.0);
        }
        let place = match self.square(field) {
            Some(square) => format!("square {}", self.geometry.name(square)),
            None => format!("field {field}, which is no playing square"),
        };
        let total = self.geometry.count();
        is_new.then(|| {
            format!("{place}: {}; {} of {total} squares tried", self.name(code), total - self.untested_squares().len())
        })
    }

    fn tick(&mut self, times: &ClockTimes) -> Vec<String> {
        let lever = match times.lever() {
            Lever::LeftHigh => "left side up",
            Lever::RightHigh => "right side up",
        };
        let mut events = Vec::new();
        if self.clock.is_none() {
            events.push(format!("clock {} {}", time(times.left.total_seconds()), time(times.right.total_seconds())));
        }
        if self.clock.as_ref().map(ClockTimes::lever) != Some(times.lever()) {
            self.levers.insert(lever);
            events.push(format!("lever: {lever}"));
        }
        if times.is_battery_low() && !self.clock.as_ref().is_some_and(ClockTimes::is_battery_low) {
            events.push("the clock's battery is low: change it".to_owned());
        }
        self.clock = Some(*times);
        events
    }

    /// Returns the fields of the playing squares, in order.
    fn playing(&self) -> impl Iterator<Item = usize> + use<> {
        let geometry = self.geometry;
        let width = geometry.width();
        let is_square = move |field: &usize| geometry.square_at(field / width, field % width).is_some();
        (0..geometry.width() * geometry.height()).filter(is_square)
    }

    fn square(&self, field: usize) -> Option<Square> {
        let field = if self.turned { self.fields.len() - 1 - field } else { field };
        self.geometry.square_at(field / self.geometry.width(), field % self.geometry.width())
    }

    fn untested_squares(&self) -> Vec<Square> {
        let fields = self.playing().filter(|&field| self.seen[field] != [true; 2]);
        let mut squares: Vec<Square> = fields.filter_map(|field| self.square(field)).collect();
        squares.sort_by_key(|&square| self.geometry.row_and_column(square));
        squares
    }

    fn name(&self, code: PieceCode) -> String {
        let code_number = code.0;
        match self.codes.piece(code) {
            _ if code.is_empty() => "empty".to_owned(),
            _ if code_number >= FIRST_RESULT_PIECE => format!("a result piece (code {code_number})"),
            Some(piece) => {
                let color = if piece.color == Color::White { "white" } else { "black" };
                format!("{color} {} (code {code_number})", if piece.is_king { "king" } else { "man" })
            }
            None => format!("a piece of code {code_number}, which --codes does not know"),
        }
    }

    fn letter(&self, field: usize) -> char {
        let code = self.fields[field];
        match self.codes.piece(code) {
            _ if code.is_empty() => '.',
            Some(piece) => match (piece.color, piece.is_king) {
                (Color::White, false) => 'w',
                (Color::White, true) => 'W',
                (Color::Black, false) => 'b',
                (Color::Black, true) => 'B',
            },
            None => '?',
        }
    }

    /// Draws the board, White below, with the rest of the state.
    fn picture(&self) -> String {
        let (width, height) = (self.geometry.width(), self.geometry.height());
        let mut text = String::new();
        for row in 0..height {
            text.push_str("  ");
            for column in 0..width {
                let at = row * width + column;
                let field = if self.turned { self.fields.len() - 1 - at } else { at };
                let is_square = self.geometry.square_at(row, column).is_some();
                let letter = self.letter(field);
                let _ = match (is_square, self.seen[field]) {
                    (false, _) if letter == '.' => write!(text, "   "),
                    (false, _) => write!(text, "\x1b[41m {letter} \x1b[0m"),
                    (true, [true, true]) => write!(text, "\x1b[42;30m {letter} \x1b[0m"),
                    (true, _) => write!(text, "\x1b[7m {letter} \x1b[0m"),
                };
            }
            text.push('\n');
        }
        text.push('\n');
        text + &self.facts()
    }

    fn facts(&self) -> String {
        let total = self.geometry.count();
        let mut text = format!("{}\n", escape::escape_text(&self.state));
        let _ = writeln!(
            text,
            "tried {} of {total} squares (green: seen empty and with a piece)",
            total - self.untested_squares().len()
        );
        let pieces: Vec<String> = self.pieces.iter().map(|&code| self.name(PieceCode(code))).collect();
        let _ = writeln!(text, "pieces: {}", if pieces.is_empty() { "none yet".to_owned() } else { pieces.join(", ") });
        let clock = self.clock.as_ref().map(|times| {
            let running = if times.is_running() { "running" } else { "stopped" };
            let levers: Vec<&str> = self.levers.iter().copied().collect();
            let sides = [times.left, times.right].map(|side| time(side.total_seconds()));
            format!("left {}, right {}, {running}; lever seen: {}", sides[0], sides[1], levers.join(", "))
        });
        let _ = writeln!(text, "clock: {}", clock.unwrap_or_else(|| "none".to_owned()));
        if self.noise > 0 {
            let _ = writeln!(text, "disturbances on the line: {}", self.noise);
        }
        text
    }

    fn summary(&self) -> String {
        let untried: Vec<&str> = self.untested_squares().into_iter().map(|square| self.geometry.name(square)).collect();
        let untried = if untried.is_empty() { "none".to_owned() } else { untried.join(", ") };
        format!("{}not tried: {untried}\n", self.facts())
    }
}
