//! Simulated electronic draughts boards.
//!
//! Boards, clocks, cables and hands on a virtual clock: what a recording station reads when people play, without people. The
//! library knows fields, pieces and bytes, and no rule of any game: it plays *motions* that a caller wrote down.
//!
//! ```text
//!  script ──▸ director ──▸ hand ──▸ table          people: planned ahead, drawn from a seed
//!                │  motions
//!                ▼
//!   seat ──▸ board ──▸ scanner, clock, memory      things: driven by events on a virtual clock
//!                │  messages (wire)
//!        ┌───────┴────────┐
//!        ▼                ▼
//!  cable (world)     line (bus) ──▸ bytes with their times    beside them: truth, what really happened
//! ```
//!
//! A board alone at its cable is a [`World`](world::World): what hands and hardware do, by the rates of a profile. Many boards on
//! one wire, or one with all that can befall a wire, are a [`BusWorld`](bus::BusWorld): collisions, faults of single bytes, ports that
//! come and go.
//!
//! | to | use |
//! |---|---|
//! | play a game and read its bytes | [`World`](world::World), [`SeatConfig`](seat::SeatConfig), [`Game`](script::Game), [`Ply`](script::Ply) |
//! | have many boards on one wire | [`BusWorld`](bus::BusWorld), [`BusConfig`](bus::BusConfig) |
//! | let the wire go wrong | [`LineFaults`](line_faults::LineFaults), [`Incident`](incident::Incident) |
//! | choose how people play | [`NoiseProfile`](profile::NoiseProfile), [`Fault`](faults::Fault) |
//! | have a board alone | [`SimBoard`](board::SimBoard), [`SimClock`](clock::SimClock) |
//! | know what was really played | [`TruthEntry`](truth::TruthEntry), [`PlyTimes`](truth::PlyTimes) |
//!
//! ```
//! use hardware_sim::{profile::Profile, script::{Game, Ply, Player}, world::{Setting, World}};
//!
//! let mut start = vec![0; 100];
//! (start[63], start[54]) = (1, 4); // a white man and a black one
//! let plies = vec![Ply::capture(Player::White, &[63, 45], &[54])];
//! let game = Game::new(start, plies, "4800+60".parse().ok());
//! let mut world = World::new(Setting::new(10, 10, game, Profile::club(), 7))?;
//!
//! world.host(0, &[0x42, 0x4b]); // send the board, then every change
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
//! Invariants: pure (no clock, file, thread or randomness from outside); the same seed gives the same bytes; depends on
//! nothing, least of all on the recorder that is tried out with it: a page of the protocol that one of them misread is
//! caught by the other.

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
