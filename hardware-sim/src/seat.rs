//! A seat: one board, its clock, and its two players.
//!
//! ```text
//!  script ─▸ planner ─▸ motions ──▸ ┌───────────────────┐ ─▸ messages, as they leave the board
//!                                   │ SimBoard SimClock │
//!  bytes of a host ───────────────▸ └───────────────────┘ ─▸ truth: what really happened
//! ```
//!
//! A [`World`](crate::world::World) is one seat on its own cable; a [`BusWorld`](crate::bus::BusWorld) has many seats on one wire.
//!
//! Invariants: nothing a host sends changes what people do; times never decrease.

use crate::board::{BoardOptions, SimBoard, TimedMessage};
use crate::clock::{ClockSide, SimClock, TimeControl};
use crate::faults::Fault;
use crate::hand::Crown;
use crate::motion::{Action, Motion};
use crate::planner::{self, Outage};
use crate::profile::NoiseProfile;
use crate::random::Rng;
use crate::scanner::SensorState;
use crate::script::{self, Game, Player, ScriptError};
use crate::truth::{self, Clocks, Event, PlyTimes, TruthEntry};
use std::collections::{BTreeMap, VecDeque};

/// Games, hardware and noise of a seat.
#[derive(Debug, Clone)]
pub struct SeatConfig {
    /// Rows of the board, 2 to 12.
    pub rows: u8,
    /// Columns of the board, 2 to 12.
    pub cols: u8,
    /// Games, one after another on the same board.
    pub games: Vec<Game>,
    /// Noise of hands and wires.
    pub profile: NoiseProfile,
    /// Seed for everything that is not fixed.
    pub seed: u64,
    /// The board; drawn from the seed if `None`. Its size and orientation are those of the script.
    pub board: Option<BoardOptions>,
    /// Periods without a link, in addition to those that the profile draws.
    pub outages: Vec<Outage>,
}

impl SeatConfig {
    /// Creates a seat for one game on a board of the given size.
    pub fn new(rows: u8, cols: u8, game: Game, profile: NoiseProfile, seed: u64) -> SeatConfig {
        SeatConfig { rows, cols, games: vec![game], profile, seed, board: None, outages: Vec::new() }
    }

    /// Returns the board that is drawn if none is given.
    pub fn draw_board(&self) -> BoardOptions {
        self.draw(&mut Rng::stream(self.seed, "board"))
    }

    fn draw(&self, rng: &mut Rng) -> BoardOptions {
        let scan_us = rng.span(self.profile.scan_ms) * 1000 + rng.below(1000);
        let serial = rng.between(1, 16_000) as u32;
        BoardOptions {
            scan_us,
            phase_us: rng.below(scan_us),
            tick_us: rng.below(1_000_000),
            serial,
            long_serial: 3_000_000_000 + u64::from(serial),
            zero_after_command: self.profile.rate(Fault::ZeroTime),
            ..BoardOptions::new(self.rows, self.cols)
        }
    }
}

/// A board in play.
#[derive(Debug, Clone)]
pub struct Seat {
    config: SeatConfig,
    board: SimBoard,
    motions: VecDeque<Motion>,
    truth: Vec<TruthEntry>,
    drawn_board: BTreeMap<Fault, usize>,
    drawn_outages: Vec<Outage>,
    crown: Crown,
    white_side: ClockSide,
    end_ms: u64,
}

impl Seat {
    /// Draws all random properties and powers the board on at time 0, after checking the script.
    pub fn new(setting: SeatConfig) -> Result<Seat, ScriptError> {
        let size_fits = [setting.rows, setting.cols].iter().all(|size| (2..=12).contains(size));
        let fields = usize::from(setting.rows) * usize::from(setting.cols);
        if !size_fits || setting.games.is_empty() {
            let error_text = "a board has 2 to 12 rows and columns, a script at least one game".to_string();
            return Err(ScriptError { game: 0, ply: None, message: error_text });
        }
        script::check(fields, &setting.games)?;

        let plan = planner::plan(setting.cols, &setting.games, &setting.profile, setting.seed);
        let first = &setting.games[0];
        let mut rng = Rng::stream(setting.seed, "board");
        let drawn = setting.draw(&mut rng);
        let options = setting.board.clone().unwrap_or(drawn);
        let options = BoardOptions { rows: setting.rows, cols: setting.cols, is_turned: first.is_turned, ..options };
        // A clock is connected if any of the games has one.
        let control = setting.games.iter().find_map(|game| game.control);
        let clock = control.map(|control| {
            SimClock::new(control, plan.first_high, setting.profile.lever_ms, Rng::stream(setting.seed, "clock"))
        });
        let mut board = SimBoard::new(options, clock, rng);
        for (field, code) in plan.initial_codes.iter().enumerate() {
            board.set(0, field as u8, SensorState::steady(*code));
        }
        board.power_on(0);

        let mut irregular = BTreeMap::new();
        for motion in &plan.motions {
            if let Action::Note(Event::Irregular { fault, .. }) = motion.action {
                *irregular.entry(fault).or_insert(0) += 1;
            }
        }
        Ok(Seat {
            white_side: first.white_side,
            board,
            motions: plan.motions.into(),
            truth: Vec::new(),
            drawn_board: irregular,
            drawn_outages: plan.outages,
            crown: plan.crown,
            end_ms: plan.end_ms,
            config: setting,
        })
    }

    /// Returns the board, with its clock.
    pub fn board(&self) -> &SimBoard {
        &self.board
    }

    /// Returns the board for mutation, to send it bytes or to cut its power.
    pub fn board_mut(&mut self) -> &mut SimBoard {
        &mut self.board
    }

    /// Returns the time of the next event here, in milliseconds.
    pub fn next_time(&self) -> Option<u64> {
        let board = self.board.next_time().map(|us| us.div_ceil(1000));
        [self.next_motion(), board].into_iter().flatten().min()
    }

    /// Returns the time of the next action of people.
    pub fn next_motion(&self) -> Option<u64> {
        self.motions.front().map(|motion| motion.at_ms)
    }

    /// Advances to `to_ms`; adds the messages that leave the board by then to `sent`.
    pub fn run_until(&mut self, to_ms: u64, sent: &mut Vec<TimedMessage>) {
        while let Some(at_ms) = self.next_motion().filter(|at_ms| *at_ms <= to_ms) {
            self.board.advance(at_ms * 1000, sent);
            self.carry_out_next();
        }
        self.board.advance(to_ms * 1000, sent);
    }

    /// Carries out the next action of people; the board must have advanced to its time.
    pub(crate) fn carry_out_next(&mut self) {
        if let Some(motion) = self.motions.pop_front() {
            self.carry_out(motion);
        }
    }

    /// Returns the time at which people have finished everything.
    pub fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// Returns the truth up to now.
    pub fn truth(&self) -> &[TruthEntry] {
        &self.truth
    }

    pub(crate) fn truth_mut(&mut self) -> &mut Vec<TruthEntry> {
        &mut self.truth
    }

    /// Returns the times of every ply touched so far.
    pub fn ply_times(&self) -> Vec<PlyTimes> {
        truth::ply_times(&self.truth)
    }

    /// Returns the pieces that physically stand on the fields, seen by White.
    pub fn standing(&self) -> Vec<u8> {
        let fields = u32::from(self.config.rows) * u32::from(self.config.cols);
        (0..fields).map(|field| self.board.contact(field as u8).code).collect()
    }

    /// Returns the configuration.
    pub fn config(&self) -> &SeatConfig {
        &self.config
    }

    /// Returns the number of irregularities of people in the whole script, by fault.
    pub fn irregularities(&self) -> &BTreeMap<Fault, usize> {
        &self.drawn_board
    }

    /// Returns the periods without a link that the profile drew.
    pub fn drawn_outages(&self) -> &[Outage] {
        &self.drawn_outages
    }

    fn carry_out(&mut self, Motion { at_ms, action: deed }: Motion) {
        let now_us = at_ms * 1000;
        match deed {
            Action::Put { field, sensor_state: contact } => self.board.set(now_us, field, contact),
            Action::Press { player: by, ply } => {
                let side = self.side(by);
                let lever_moved = self.board.clock_mut().is_some_and(|clock| clock.press(at_ms, side));
                if let Some(ply) = ply {
                    let clocks = self.clocks(at_ms);
                    self.truth.push(TruthEntry { at_ms, event: Event::Pressed { ply, clocks, lever_moved } });
                }
            }
            Action::SetClock { control, to_move, white_side } => {
                self.white_side = white_side;
                let high = self.side(to_move);
                self.set_clock(at_ms, control, high);
            }
            Action::StartClock => self.with_clock(|clock| clock.start(at_ms)),
            Action::StopClock => self.with_clock(|clock| clock.stop(at_ms)),
            Action::AddTime(seconds) => self.with_clock(|clock| {
                let (left_ms, right_ms) = clock.times_ms(at_ms);
                let longer = |ms: u64| ms / 1000 + u64::from(seconds);
                clock.set_times(at_ms, longer(left_ms), longer(right_ms), false);
            }),
            Action::PlugClock(connected) => self.with_clock(|clock| clock.connect(at_ms, connected)),
            Action::ClockButton(ack) => self.board.send_clock_event(now_us, ack),
            Action::Power(true) => self.board.power_on(now_us),
            Action::Power(false) => self.board.power_off(now_us),
            Action::Turn(turned) => self.board.set_turned(now_us, turned),
            Action::Note(event) => self.truth.push(TruthEntry { at_ms, event }),
        }
    }

    fn set_clock(&mut self, now_ms: u64, control: Option<TimeControl>, high: ClockSide) {
        let was_connected = self.board.clock().is_some_and(|clock| clock.reading(now_ms).is_connected);
        self.with_clock(|clock| match control {
            Some(control) => {
                clock.reset(now_ms, control, high);
                if !was_connected {
                    clock.connect(now_ms, true);
                }
            }
            None => clock.connect(now_ms, false),
        });
    }

    fn with_clock(&mut self, act: impl FnOnce(&mut SimClock)) {
        if let Some(clock) = self.board.clock_mut() {
            act(clock);
        }
    }

    fn clocks(&self, now_ms: u64) -> Option<Clocks> {
        let clock = self.board.clock()?;
        let (left_ms, right_ms) = clock.times_ms(now_ms);
        clock.reading(now_ms).is_connected.then_some(match self.white_side {
            ClockSide::Left => Clocks { white_ms: left_ms, black_ms: right_ms },
            ClockSide::Right => Clocks { white_ms: right_ms, black_ms: left_ms },
        })
    }

    fn side(&self, player: Player) -> ClockSide {
        match player {
            Player::White => self.white_side,
            Player::Black => self.white_side.other(),
        }
    }
}

/// All drawn properties, in one line: print it with every failure.
impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SeatConfig { rows, cols, games, profile, seed, .. } = &self.config;
        let options = self.board.options();
        write!(f, "seed {seed}, profile {}, board {rows}x{cols}", profile.name)?;
        for (index, game) in games.iter().enumerate() {
            let clock = game.control.map_or("no clock".to_string(), |control| control.to_string());
            let lies = if game.is_turned { "turned" } else { "not turned" };
            write!(f, ", game {index}: {} plies, {clock}, {lies}, white {:?}", game.plies.len(), game.white_side)?;
        }
        write!(
            f,
            ", scan {} us from {} us, ticks at {} us, serial {:05}, lever {} ms, kings {:?}",
            options.scan_us, options.phase_us, options.tick_us, options.serial, profile.lever_ms, self.crown
        )
    }
}
