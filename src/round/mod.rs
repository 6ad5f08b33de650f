//! The public files of a round, kept up to date by one thread for all lines.
//!
//! ```text
//!   station ── published, with its moment ──┐
//!   station ── published ...................┤──▸ boards ──▸ delay ──▸ public/games.pdn, started.pdn   replaced
//!   station ── opened again: all its games ─┘                  └────▸ public/events.ndjson            grows
//!                                                              └────▸ public/archive/NAME-G.pdn       once
//! ```
//!
//! The recording never waits for it: lines tell what they have published and go on. What is told is in the logs already,
//! so whatever happens here, the next start makes the same files; and what happens while a file is written goes into the
//! next one, however many boards moved.
//!
//! Invariants: a file that its readers would stumble over is not published, the last good one stays and the operator is
//! told; events are never taken back; nothing is shown before its delay is over.

mod events_file;
mod outputs;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use chrono::Local;
use tokio::task::JoinHandle;

use crate::broadcast::{Board, Change, GameRecord, Moment};
use crate::config::{Config, PublicConfig};
use crate::disk::RealDisk;
use crate::feed;
use crate::playback::{Game, Published};
use crate::pulse::Pulse;
use crate::rules::Variant;
use crate::session::{BusAddress, Effect};
use outputs::Outputs;

/// So long all lines have to be opened before files are written that would lack their games.
const OPENING: Duration = Duration::from_secs(10);
/// A disk that failed is tried again after this.
const AGAIN: Duration = Duration::from_secs(2);
/// Nothing is waited for longer than this, so that a clock that is set does not matter.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What a line tells.
enum Told {
    /// It was opened: these are its games so far.
    Opened { line: String, games: Vec<Game> },
    /// The configuration was read again: these are the boards now, and what is shown of them.
    Configured { seats: Vec<Seat>, public: PublicConfig },
    /// It has published this.
    Published { line: String, board: Option<BusAddress>, at: Moment, effect: Effect },
}

/// Where lines tell what they have published.
#[derive(Clone)]
pub struct Teller(mpsc::Sender<Told>);

impl Teller {
    /// A line was opened, with these games so far.
    pub fn opened(&self, line: &str, games: Vec<Game>) {
        // Without a listener the station stops; the next start knows all of it from the logs.
        let _ = self.0.send(Told::Opened { line: line.to_owned(), games });
    }

    /// The configuration was read again.
    pub fn configured(&self, config: &Config) {
        let _ = self.0.send(Told::Configured { seats: seats(config), public: config.public.clone() });
    }

    /// A line has published something of a board.
    pub fn published(&self, line: &str, board: Option<BusAddress>, at: Moment, effect: Effect) {
        let _ = self.0.send(Told::Published { line: line.to_owned(), board, at, effect });
    }
}

/// Begins to keep the public files of a station. It ends when the last teller is gone, after everything was written that
/// may be seen then. `pulse`: that it goes on.
pub fn begin(config: &Config, pulse: Pulse) -> (Teller, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel();
    let round = Round::new(config);
    (Teller(sender), tokio::task::spawn_blocking(move || round.run(&receiver, &pulse)))
}

struct Round {
    seats: Vec<Seat>,
    /// Lines that have not been opened yet.
    awaited: BTreeSet<String>,
    public: PublicConfig,
    outputs: Outputs,
    /// The latest moment that a line told of: simulated boards may be ahead of the clock on the wall.
    latest: Option<Moment>,
}

/// A board and where it is.
struct Seat {
    line: String,
    address: Option<BusAddress>,
    board: Board,
}

impl Round {
    fn new(config: &Config) -> Round {
        let directory: PathBuf = config.directory.join("public");
        Round {
            seats: seats(config),
            awaited: config.lines.iter().map(|line| line.name.clone()).collect(),
            public: config.public.clone(),
            outputs: Outputs::new(Box::new(RealDisk), directory, config.public.clone()),
            latest: None,
        }
    }

    fn run(mut self, told: &mpsc::Receiver<Told>, pulse: &Pulse) {
        let opening = Instant::now() + OPENING;
        let mut next = opening;
        loop {
            let wait = next.saturating_duration_since(Instant::now());
            pulse.rest();
            let next_told = told.recv_timeout(wait);
            pulse.beat();
            match next_told {
                Ok(first) => {
                    self.take(first);
                    told.try_iter().for_each(|told| self.take(told));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if self.awaited.is_empty() {
                        self.write();
                    }
                    return;
                }
            }
            if self.awaited.is_empty() || Instant::now() >= opening {
                next = Instant::now() + self.write();
            }
        }
    }

    /// Writes what may be seen now. Returns how long that holds if nobody tells anything.
    fn write(&mut self) -> Duration {
        let now = Local::now().fixed_offset().max(self.latest.unwrap_or_default());
        let boards: Vec<&Board> = self.seats.iter().map(|seat| &seat.board).collect();
        if !self.outputs.write(&boards, now) {
            return AGAIN;
        }
        let games = boards.iter().flat_map(|board| &board.games);
        let next = games.filter_map(|game| self.public.delay.next_change(game, now)).min();
        let wait = next.and_then(|next| (next - now).to_std().ok()).unwrap_or(LONGEST_WAIT);
        wait.clamp(Duration::from_millis(1), LONGEST_WAIT)
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Opened { line, games } => {
                self.awaited.remove(&line);
                for seat in self.seats.iter_mut().filter(|seat| seat.line == line) {
                    seat.board.games.clear();
                }
                for game in &games {
                    let record = record(game);
                    self.latest = self.latest.max(record.as_ref().map(GameRecord::latest));
                    let board = self.board(&line, game.board);
                    board.games.extend(record);
                }
            }
            Told::Configured { seats, public } => self.configure(seats, public),
            Told::Published { line, board, at, effect } => {
                self.latest = self.latest.max(Some(at));
                let change = match effect {
                    Effect::Open { game } => Change::Opened { game },
                    Effect::Append(line) => Change::Line(line),
                    Effect::Result(result) => Change::Result(result),
                    _ => return,
                };
                self.board(&line, board).take(at, change);
            }
        }
    }

    /// Boards keep their games. Those that the configuration has no more come last, as long as there is something to show.
    fn configure(&mut self, seats: Vec<Seat>, public: PublicConfig) {
        let mut old = std::mem::replace(&mut self.seats, seats);
        for seat in &mut self.seats {
            let known = old.iter().position(|old| old.line == seat.line && old.address == seat.address);
            if let Some(known) = known {
                seat.board.games = old.remove(known).board.games;
            }
        }
        self.seats.extend(old.into_iter().filter(|seat| !seat.board.games.is_empty()));
        self.outputs.configure(public.clone());
        self.public = public;
    }

    /// The board at an address of a line. One that nobody knew before is the last of the round.
    fn board(&mut self, line: &str, address: Option<BusAddress>) -> &mut Board {
        let known = self.seats.iter().position(|seat| seat.line == line && seat.address == address);
        let index = known.unwrap_or_else(|| {
            let like = self.seats.iter().find(|seat| seat.line == line).map(|seat| seat.board.clone());
            let (variant, tags) = like.map_or((Variant::international(), Vec::new()), |like| (like.variant, like.tags));
            let board = Board::new(feed::prefix(line, address, None), variant, tags);
            self.seats.push(Seat { line: line.to_owned(), address, board });
            self.seats.len() - 1
        });
        &mut self.seats[index].board
    }
}

/// The boards that the configuration names, in its order.
fn seats(config: &Config) -> Vec<Seat> {
    let mut seats = Vec::new();
    for line in &config.lines {
        // The configuration was read, so its settings are possible.
        let Ok((settings, _)) = crate::playback::settings(&line.header(), None) else { continue };
        let seat = |address, name: &str, of: &crate::session::LineSettings| Seat {
            line: line.name.clone(),
            address,
            board: Board::new(name, of.variant, of.tags.clone()),
        };
        match line.boards.as_slice() {
            [] => seats.push(seat(None, &line.name, &settings)),
            boards => {
                seats.extend(
                    boards
                        .iter()
                        .map(|board| seat(Some(board.address), &board.name, &settings.of_board(board.address))),
                );
            }
        }
    }
    seats
}

/// The record of a game that was played from logs. `None` when the logs do not say when that was.
fn record(game: &Game) -> Option<GameRecord> {
    let mut history = game.history().into_iter();
    let (opened, _) = history.next()?;
    let mut record = GameRecord::new(game.number, opened);
    for (at, published) in history {
        record.take(
            at,
            match published {
                Published::Line(line) => Change::Line(line.to_owned()),
                Published::Result(result) => Change::Result(result.to_owned()),
                Published::Opened => continue,
            },
        );
    }
    Some(record)
}
