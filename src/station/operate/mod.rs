//! A station under an operator's hand: all lines together, what is seen of them, what can be asked, and who is called.
//!
//! Modules stand in the order of their dependencies; none names a later one.

pub mod overview;

pub mod logging;

pub mod notify;

pub mod limits;

pub mod alarm;

pub mod metrics;

pub mod tournament_actor;

pub mod control;

pub mod supervisor;
