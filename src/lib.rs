//! damcast.
#![doc = ""]
pub mod pdn;
pub mod rules;
