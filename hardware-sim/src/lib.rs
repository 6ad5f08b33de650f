//! Simulated electronic draughts boards.
//!
//! Boards, clocks, cables and hands on a virtual clock: the input of a recording station, without people. The library knows fields, pieces
//! and bytes, but no rules of any game: it plays *motions* that the caller supplies.
//!
//! ```text
//!  script ──▸ planner ───▸ hand ──▸ table          people: planned ahead, drawn from a seed
//!                │  motions
//!                ▼
//!   seat ──▸ board ──▸ scanner, clock, memory      things: driven by events on a virtual clock
//!                │  messages (wire)
//!        ┌───────┴────────┐
//!        ▼                ▼
//!  cable (world)     line (bus) ──▸ bytes with their times    beside them: truth
//! ```
//!
//! A [`World`](world::World) is a single board on its cable: hands and hardware at the rates of a profile. A [`BusWorld`](bus::BusWorld)
//! has many boards on one wire, or one board with all faults of a line: collisions, faults of single bytes, ports that disappear and
//! return.
//!
//! | to | use |
//! |---|---|
//! | play a game and read its bytes | [`World`](world::World), [`SeatConfig`](seat::SeatConfig), [`Game`](script::Game), [`Ply`](script::Ply) |
//! | simulate many boards on one wire | [`BusWorld`](bus::BusWorld), [`BusConfig`](bus::BusConfig) |
//! | add faults to the wire | [`LineFaults`](line_faults::LineFaults), [`Incident`](incident::Incident) |
//! | choose how people play | [`NoiseProfile`](profile::NoiseProfile), [`Fault`](faults::Fault) |
//! | simulate only a board | [`SimBoard`](board::SimBoard), [`SimClock`](clock::SimClock) |
//! | compare with the real course of play | [`TruthEntry`](truth::TruthEntry), [`PlyTimes`](truth::PlyTimes) |
//!
//! ```
//! use hardware_sim::{profile::NoiseProfile, script::{Game, Ply, Player}, world::{SeatConfig, World}};
//!
//! let mut start = vec![0; 100];
//! (start[63], start[54]) = (1, 4); // a white man and a black one
//! let plies = vec![Ply::capture(Player::White, &[63, 45], &[54])];
//! let game = Game::new(start, plies, "4800+60".parse().ok());
//! let mut world = World::new(SeatConfig::new(10, 10, game, NoiseProfile::club(), 7))?;
//!
//! world.receive(0, &[0x42, 0x4b]); // send the board, then every change
//! let mut bytes = Vec::new();
//! while !world.is_over() {
//!     let next = world.next_time().unwrap_or(world.end_ms()).min(world.end_ms());
//!     for (_at_ms, read) in world.advance(next) {
//!         bytes.extend(read);
//!     }
//! }
//! assert_eq!(bytes[..3], [0x86, 0, 103]);
//! assert_eq!(world.ply_times().len(), 1);
//! # Ok::<(), hardware_sim::script::ScriptError>(())
//! ```
//!
//! Invariants: pure (no clock, file, thread or randomness from outside); the same seed gives the same bytes; no dependencies. In particular
//! it shares nothing with the recorder tested with it: if one of them misreads a page of the protocol, the other exposes the error.

#[macro_use]
mod named;

pub mod board;
pub mod bus;
pub mod cable;
pub mod clock;
pub mod faults;
pub mod hand;
pub mod incident;
pub mod line;
pub mod line_faults;
pub mod memory;
pub mod motion;
pub mod planner;
pub mod profile;
pub mod random;
pub mod scanner;
pub mod script;
pub mod seat;
pub mod table;
pub mod truth;
pub mod wire;
pub mod world;
