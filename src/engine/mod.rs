//! The core: pure and deterministic. It makes games of what boards said, and knows no clock, file, socket or thread.
//!
//! Modules stand in the order of their dependencies; none names a later one.

pub mod millis;

pub mod calendar;

pub mod protocol;

pub mod bytelog;

pub mod profile;

pub use draughts_tournament as tournament;

pub mod game_tags;

pub mod recognition;

pub mod livefile;

pub mod score_sheet;

pub mod session;

pub mod playback;

pub mod broadcast;
