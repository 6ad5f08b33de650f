//! Core of damcast: pure and deterministic. Derives games from board messages, without access to clocks, files, sockets
//! or threads.
//!
//! Modules are listed in dependency order: each one uses only those above it.

pub mod millis;

pub mod calendar;

pub mod protocol;

pub mod bytelog;

pub mod game_tags;

pub mod inserted_moves;

pub mod recognition;

pub mod livefile;

pub mod score_sheet;

pub mod session;

pub mod playback;

pub mod broadcast;
