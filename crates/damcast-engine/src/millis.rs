//! Core time in milliseconds since the line was opened, supplied by the caller.

use std::fmt;
use std::ops::{Add, Sub};

/// Point in time or duration in milliseconds. Points count from the opening of the line (of the first line if several
/// logs are joined). Subtraction saturates at zero, because core time never decreases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

impl Millis {
    /// Opening of the line.
    pub const ZERO: Millis = Millis(0);

    /// Returns a duration of whole seconds.
    pub const fn seconds(seconds: u64) -> Millis {
        Millis(seconds * 1000)
    }
}

impl Add for Millis {
    type Output = Millis;
    fn add(self, span: Millis) -> Millis {
        Millis(self.0.saturating_add(span.0))
    }
}

impl Sub for Millis {
    type Output = Millis;
    fn sub(self, earlier: Millis) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
