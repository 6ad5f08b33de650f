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
mod missed_events;
mod occupancy;
mod presses;
mod published;
mod squares;

pub use chronology::Chronology;
pub use facts::{Facts, FactsVersion};
pub use missed_events::MissedEvents;
pub use occupancy::{Occupancy, SensedPiece};
pub use presses::{Press, Presses};
pub use published::{BasePosition, PreviousPly, PublishedState, RemainingPlies, SetupDifference};
pub use squares::{ChangeSource, Evidence, PieceTransfers, SeqNo, SquareChange};

#[cfg(test)]
pub(in crate::engine::recognition) use chronology::tests;
