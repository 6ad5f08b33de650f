//! Everything of the recorder around its core: ports, files, clocks, the runtime.
//!
//! Modules are listed in the order of their dependencies; none uses a later one.

pub mod locks;

pub mod link;

pub mod disk;

pub mod config;

pub mod heartbeat;

pub mod file_problems;

pub mod counters;

pub mod journal;

pub mod tournament_log;

pub mod live_files;

pub mod recorder;

pub mod outlets;

pub mod line;

pub mod tournament_service;

pub mod output;

pub mod operate;

pub mod folder;
