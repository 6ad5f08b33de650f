//! damcast.
#![doc = ""]
pub mod rules;
