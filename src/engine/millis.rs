//! Time as the core knows it: milliseconds since a line was opened, given from outside.

use std::fmt;
use std::ops::{Add, Sub};

/// A moment, or a span, in milliseconds. A moment counts from the opening of the line (the first of them, when several
/// logs are joined). Differences saturate at zero: time never runs backwards in the core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(pub u64);

impl Millis {
    /// The opening of the line.
    pub const ZERO: Millis = Millis(0);

    /// A span of seconds.
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
