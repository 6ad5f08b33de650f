#![doc = include_str!("../ARCHITECTURE.md")]
#![warn(missing_docs)]

pub mod engine;

#[cfg(feature = "daemon")]
pub mod station;

#[cfg(feature = "daemon")]
pub mod outward;

#[cfg(feature = "demo")]
pub mod simulation;
