//! The shell of the recorder: ports, files, clocks, the runtime.
//!
//! Modules stand in the order of their dependencies; none names a later one.

pub mod link;

pub mod disk;

pub mod escape;

pub mod config;

pub mod pulse;

pub mod trouble;

pub mod counters;

pub mod journal;

pub mod tournament_log;

pub mod feed;

pub mod recorder;

pub mod outlets;

pub mod line;

pub mod office;

pub mod output;

pub mod operate;

pub mod folder;
