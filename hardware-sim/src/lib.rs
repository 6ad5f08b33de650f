//! Simulated electronic draughts boards.
//!
//! Boards, clocks, cables and hands on a virtual clock: what a recording station reads when people play, without people. The
//! library knows fields, pieces and bytes, and no rule of any game: it plays *motions* that a caller wrote down.
//!
//! ```text
//!  script ──▸ director ──▸ hand ──▸ table          people: planned ahead, drawn from a seed
//!                │  motions
//!                ▼
//!  world ──▸ board ──▸ scanner, clock, memory      things: driven by events on a virtual clock
//!                │  messages (wire)
//!                ▼
//!              cable ──▸ bytes with their times    beside them: truth, what really happened
//! ```
//!
//! | to | use |
//! |---|---|
//! | play a game and read its bytes | [`World`](world::World), [`Setting`](world::Setting), [`Game`](script::Game), [`Ply`](script::Ply) |
//! | choose how people play | [`Profile`](profile::Profile), [`Fault`](faults::Fault) |
//! | have a board alone | [`SimBoard`](board::SimBoard), [`SimClock`](clock::SimClock) |
//! | know what was really played | [`Truth`](truth::Truth), [`PlyTimes`](truth::PlyTimes) |
//!
//! Invariants: pure (no clock, file, thread or randomness from outside); the same seed gives the same bytes; depends on
//! nothing, least of all on the recorder that is tried out with it: a page of the protocol that one of them misread is
//! caught by the other.

pub mod board;
pub mod cable;
pub mod clock;
pub mod director;
pub mod faults;
pub mod hand;
pub mod memory;
pub mod motion;
pub mod profile;
pub mod random;
pub mod scanner;
pub mod script;
pub mod table;
pub mod truth;
pub mod wire;
pub mod world;
