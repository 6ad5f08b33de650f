//! Operation of a station: all lines together, their state, requests and alarms.
//!
//! Modules are listed in the order of their dependencies; none uses a later one.

pub mod observer;

mod log_escape;
pub mod logging;

pub mod notify;

pub mod limits;

pub mod alarm;

pub mod metrics;

pub mod tournament_actor;

pub mod control;
pub mod entry_codes;
pub mod entry_server;

pub mod setup;

pub mod supervisor;
