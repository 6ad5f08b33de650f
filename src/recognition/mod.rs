//! The eye: which move, or which position, do the squares and the lever show? Names [`crate::rules`] only.

mod settings;

pub use settings::Settings;
