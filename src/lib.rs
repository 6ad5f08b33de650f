#![doc = include_str!("../ARCHITECTURE.md")]
#![warn(missing_docs)]

// The core: pure and deterministic. Modules stand in the order of their dependencies; none names a later one.
pub mod millis;

pub mod calendar;

pub mod protocol;

pub mod bytelog;

pub mod profile;

pub mod roster;

pub mod recognition;

pub mod livefile;

pub mod session;

pub mod playback;

pub mod broadcast;

// The shell: ports, files, clocks, the runtime.
#[cfg(feature = "daemon")]
pub mod link;

#[cfg(feature = "daemon")]
pub mod disk;

#[cfg(feature = "daemon")]
pub mod escape;

#[cfg(feature = "daemon")]
pub mod config;

#[cfg(feature = "daemon")]
pub mod pulse;

#[cfg(feature = "daemon")]
pub mod trouble;

#[cfg(feature = "daemon")]
pub mod counters;

#[cfg(feature = "daemon")]
pub mod journal;

#[cfg(feature = "daemon")]
pub mod feed;

#[cfg(feature = "daemon")]
pub mod recorder;

#[cfg(feature = "daemon")]
pub mod outlets;

#[cfg(feature = "daemon")]
pub mod station;

#[cfg(feature = "daemon")]
pub mod overview;

#[cfg(feature = "daemon")]
pub mod logging;

#[cfg(feature = "daemon")]
pub mod notify;

#[cfg(feature = "daemon")]
pub mod limits;

#[cfg(feature = "daemon")]
pub mod output;

#[cfg(feature = "daemon")]
pub mod alarm;

#[cfg(feature = "daemon")]
pub mod metrics;

#[cfg(feature = "daemon")]
pub mod control;

#[cfg(feature = "daemon")]
pub mod supervisor;

#[cfg(feature = "daemon")]
pub mod folder;

#[cfg(feature = "daemon")]
pub mod follow;

// Simulated boards: the core against `hardware-sim`.
#[cfg(feature = "demo")]
pub mod simulation;
