//! What was seen on the squares and heard of the lever since the published position, and what may have been missed.
//!
//! | file | subject |
//! |---|---|
//! | `sight` | what the squares show, by colour |
//! | `squares` | what happened on the squares since the last settled position |
//! | `chronology` | the order of what happened on them |
//! | `presses` | the lever since the published position |
//! | `unheard` | what may have been missed while the board was not heard |
//! | `anomalies` | squares that differ from the published position for a known reason |
//! | `published` | what is published, and from when on evidence counts for the next ply |
//! | `facts` | all of this together: what is known when something is decided |

mod anomalies;
mod chronology;
mod facts;
mod presses;
mod published;
mod sight;
mod squares;
mod unheard;

pub use chronology::Chronology;
pub use facts::{Facts, FactsVersion};
pub use presses::{Press, Presses};
pub use published::{Base, Doubtful, Previous, Published, Rest};
pub use sight::{Seen, Sight};
pub use squares::{Change, Evidence, Ordinal, Source, Traffic};
pub use unheard::Unheard;

#[cfg(test)]
pub(in crate::engine::recognition) use chronology::tests;
