//! The world: one board, its clock, two players and a cable on a virtual clock.
//!
//! ```text
//!   script ─▸ director ─▸ motions ─▸ ┌──────────────────────┐ ─▸ cable ─▸ advance(): bytes with their times
//!                                    │ SimBoard   SimClock  │
//!   host(): bytes ─▸ cable ───────── └──────────────────────┘ ─▸ truth(): what really happened
//! ```
//!
//! A driver asks [`World::next_time`], lets the world live until then with [`World::advance`], and gives it the host's bytes with
//! [`World::host`]. Between two events nothing costs anything, so a game of an hour takes a few milliseconds. A driver
//! that wants real time, or any multiple of it, maps its own clock to the virtual one.
//!
//! Invariants: the same script, options and host bytes give the same bytes at the same times; times never decrease; nothing a
//! host sends changes what people do.

use crate::board::{BoardOptions, Mode, Sent, SimBoard};
use crate::cable::{Cable, Read};
use crate::clock::{ClockSide, SimClock, TimeControl};
use crate::director::{self, Outage};
use crate::faults::Fault;
use crate::hand::Crown;
use crate::motion::{Deed, Motion};
use crate::profile::Profile;
use crate::random::Rng;
use crate::scanner::Contact;
use crate::script::{self, Game, Player, ScriptError};
use crate::truth::{self, Clocks, Event, PlyTimes, Truth};
use std::collections::{BTreeMap, VecDeque};

/// What is to be played, on what, and how well.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Rows of the board, 2 to 12.
    pub rows: u8,
    /// Columns of the board, 2 to 12.
    pub cols: u8,
    /// The games, one after another on the same board.
    pub games: Vec<Game>,
    /// Hands and wires.
    pub profile: Profile,
    /// From which everything that is not fixed is drawn.
    pub seed: u64,
    /// The board; drawn from the seed when none is given. Its size and the way it lies are those of the script.
    pub board: Option<BoardOptions>,
    /// Times without a link, besides those that the profile draws.
    pub outages: Vec<Outage>,
}

impl Setting {
    /// One game on a board of the given size.
    pub fn new(rows: u8, cols: u8, game: Game, profile: Profile, seed: u64) -> Setting {
        Setting { rows, cols, games: vec![game], profile, seed, board: None, outages: Vec::new() }
    }
}

/// A board being played on.
#[derive(Debug, Clone)]
pub struct World {
    setting: Setting,
    board: SimBoard,
    cable: Cable,
    motions: VecDeque<Motion>,
    reads: VecDeque<Read>,
    sent: Vec<Sent>,
    truth: Vec<Truth>,
    drawn: BTreeMap<Fault, usize>,
    crown: Crown,
    white_side: ClockSide,
    now_ms: u64,
    end_ms: u64,
}

impl World {
    /// Draws everything and gives the board power at time 0. The script is checked first.
    pub fn new(setting: Setting) -> Result<World, ScriptError> {
        let size_fits = [setting.rows, setting.cols].iter().all(|size| (2..=12).contains(size));
        let fields = usize::from(setting.rows) * usize::from(setting.cols);
        if !size_fits || setting.games.is_empty() {
            let what = "a board has 2 to 12 rows and columns, a script at least one game".to_string();
            return Err(ScriptError { game: 0, ply: None, what });
        }
        script::check(fields, &setting.games)?;

        let plan = director::plan(setting.cols, &setting.games, &setting.profile, setting.seed);
        let first = &setting.games[0];
        let mut rng = Rng::stream(setting.seed, "board");
        let drawn = draw_board(&setting, &mut rng);
        let options = setting.board.clone().unwrap_or(drawn);
        let options = BoardOptions { rows: setting.rows, cols: setting.cols, turned: first.turned, ..options };
        // A clock hangs on the cable when any of the games is played with one.
        let control = setting.games.iter().find_map(|game| game.control);
        let clock = control.map(|control| {
            SimClock::new(control, plan.first_high, setting.profile.lever_ms, Rng::stream(setting.seed, "clock"))
        });
        let mut board = SimBoard::new(options, clock, rng);
        for (field, code) in plan.standing.iter().enumerate() {
            board.set(0, field as u8, Contact::steady(*code));
        }
        board.power_on(0);

        let mut outages = plan.outages;
        outages.extend(&setting.outages);
        outages.sort_by_key(|outage| outage.from_ms);
        let cable = Cable::new(setting.profile.clone(), outages, Rng::stream(setting.seed, "cable"));
        let mut irregular = BTreeMap::new();
        for motion in &plan.motions {
            if let Deed::Note(Event::Irregular { fault, .. }) = motion.deed {
                *irregular.entry(fault).or_insert(0) += 1;
            }
        }
        Ok(World {
            white_side: first.white_side,
            board,
            cable,
            motions: plan.motions.into(),
            reads: VecDeque::new(),
            sent: Vec::new(),
            truth: Vec::new(),
            drawn: irregular,
            crown: plan.crown,
            now_ms: 0,
            end_ms: plan.end_ms,
            setting,
        })
    }

    /// When something happens next; a driver need not call before.
    pub fn next_time(&self) -> Option<u64> {
        let read = self.reads.front().map(|read| read.0);
        let motion = self.motions.front().map(|motion| motion.at_ms);
        let board = self.board.next_time().map(|us| us.div_ceil(1000));
        [read, motion, board].into_iter().flatten().min().map(|time| time.max(self.now_ms))
    }

    /// Lives until `to_ms` and returns what the host reads by then, each read with the time of its last byte. A time in the past
    /// counts as now.
    pub fn advance(&mut self, to_ms: u64) -> Vec<Read> {
        self.live(to_ms);
        let due = self.reads.iter().take_while(|read| read.0 <= self.now_ms).count();
        self.reads.drain(..due).collect()
    }

    /// Bytes from the host at a time, not before the last [`World::advance`]. What the board said until then is kept for
    /// the next call of that. On a dead link they are lost.
    pub fn host(&mut self, now_ms: u64, bytes: &[u8]) {
        self.live(now_ms);
        if !self.cable.is_dead(self.now_ms) {
            self.board.receive(self.now_ms * 1000, bytes);
        }
    }

    /// The virtual time up to which the world has lived.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// When people are done with everything. The board may go on talking.
    pub fn end_ms(&self) -> u64 {
        self.end_ms
    }

    /// Whether people are done with everything.
    pub fn is_over(&self) -> bool {
        self.now_ms >= self.end_ms
    }

    /// What really happened until now.
    pub fn truth(&self) -> &[Truth] {
        &self.truth
    }

    /// The times of every ply touched until now.
    pub fn ply_times(&self) -> Vec<PlyTimes> {
        truth::ply_times(&self.truth)
    }

    /// Times without a link, all of them, also those to come: a driver may show them to the host as a port that goes away.
    pub fn outages(&self) -> &[Outage] {
        self.cable.outages()
    }

    /// What the board does by itself at the moment.
    pub fn mode(&self) -> Mode {
        self.board.mode()
    }

    /// What physically stands on the fields, seen by White.
    pub fn standing(&self) -> Vec<u8> {
        let fields = u32::from(self.setting.rows) * u32::from(self.setting.cols);
        (0..fields).map(|field| self.board.contact(field as u8).code).collect()
    }

    /// What was asked for.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// How often each fault strikes: people's for the whole script, the cable's until now.
    pub fn irregularities(&self) -> BTreeMap<Fault, usize> {
        let mut counts = self.drawn.clone();
        for truth in &self.truth {
            if let Event::Irregular { fault, .. } = truth.event
                && fault >= Fault::MessageLost
                && fault < Fault::Outage
            {
                *counts.entry(fault).or_insert(0) += 1;
            }
        }
        counts
    }

    fn live(&mut self, to_ms: u64) {
        let to_ms = to_ms.max(self.now_ms);
        while self.motions.front().is_some_and(|motion| motion.at_ms <= to_ms) {
            let Some(motion) = self.motions.pop_front() else { break };
            self.run_board(motion.at_ms);
            self.carry_out(motion);
        }
        self.run_board(to_ms);
        self.now_ms = to_ms;
    }

    fn run_board(&mut self, to_ms: u64) {
        self.board.advance(to_ms * 1000, &mut self.sent);
        for sent in std::mem::take(&mut self.sent) {
            self.reads.extend(self.cable.carry(sent, &mut self.truth));
        }
    }

    fn carry_out(&mut self, Motion { at_ms, deed }: Motion) {
        let now_us = at_ms * 1000;
        match deed {
            Deed::Put { field, contact } => self.board.set(now_us, field, contact),
            Deed::Press { by, ply } => {
                let side = self.side(by);
                let lever_moved = self.board.clock_mut().is_some_and(|clock| clock.press(at_ms, side));
                if let Some(ply) = ply {
                    let clocks = self.clocks(at_ms);
                    self.truth.push(Truth { at_ms, event: Event::Pressed { ply, clocks, lever_moved } });
                }
            }
            Deed::SetClock { control, to_move, white_side } => {
                self.white_side = white_side;
                let high = self.side(to_move);
                self.set_clock(at_ms, control, high);
            }
            Deed::StartClock => self.with_clock(|clock| clock.start(at_ms)),
            Deed::StopClock => self.with_clock(|clock| clock.stop(at_ms)),
            Deed::PlugClock(connected) => self.with_clock(|clock| clock.connect(at_ms, connected)),
            Deed::ClockButton(ack) => self.board.clock_says(now_us, ack),
            Deed::Power(true) => self.board.power_on(now_us),
            Deed::Power(false) => self.board.power_off(),
            Deed::Turn(turned) => self.board.turn(now_us, turned),
            Deed::Note(event) => self.truth.push(Truth { at_ms, event }),
        }
    }

    fn set_clock(&mut self, now_ms: u64, control: Option<TimeControl>, high: ClockSide) {
        let was_connected = self.board.clock().is_some_and(|clock| clock.reading(now_ms).connected);
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
        clock.reading(now_ms).connected.then_some(match self.white_side {
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

/// Everything that was drawn, in one line: print it with every failure.
impl std::fmt::Display for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Setting { rows, cols, games, profile, seed, .. } = &self.setting;
        let options = self.board.options();
        write!(f, "seed {seed}, profile {}, board {rows}x{cols}", profile.name)?;
        for (index, game) in games.iter().enumerate() {
            let clock = game.control.map_or("no clock".to_string(), |control| control.to_string());
            let lies = if game.turned { "turned" } else { "not turned" };
            write!(f, ", game {index}: {} plies, {clock}, {lies}, white {:?}", game.plies.len(), game.white_side)?;
        }
        write!(
            f,
            ", scan {} us from {} us, ticks at {} us, serial {:05}, lever {} ms, kings {:?}",
            options.scan_us, options.phase_us, options.tick_us, options.serial, profile.lever_ms, self.crown
        )?;
        for (fault, count) in self.irregularities() {
            write!(f, ", {fault} {count}")?;
        }
        for outage in self.cable.outages() {
            write!(f, ", dead {}..{} ms", outage.from_ms, outage.to_ms)?;
        }
        Ok(())
    }
}

fn draw_board(setting: &Setting, rng: &mut Rng) -> BoardOptions {
    let scan_us = rng.span(setting.profile.scan_ms) * 1000 + rng.below(1000);
    let serial = rng.between(1, 16_000) as u32;
    BoardOptions {
        scan_us,
        phase_us: rng.below(scan_us),
        tick_us: rng.below(1_000_000),
        serial,
        long_serial: 3_000_000_000 + u64::from(serial),
        zero_after_command: setting.profile.rate(Fault::ZeroTime),
        ..BoardOptions::new(setting.rows, setting.cols)
    }
}
