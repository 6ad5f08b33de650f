//! damcast.
#![doc = ""]
pub mod bytelog;
pub mod protocol;
pub mod rules;
