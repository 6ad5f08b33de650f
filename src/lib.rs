//! damcast.
#![doc = ""]
pub mod protocol;
pub mod rules;
