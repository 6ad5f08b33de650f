//! Evidence since the published position: squares, lever, and possibly missed events.
//!
//! | file | subject |
//! |---|---|
//! | `occupancy` | contents of the squares, by colour |
//! | `squares` | changes of the squares since the last settled position |
//! | `chronology` | order of these changes |
//! | `presses` | lever presses since the published position |
//! | `missed_events` | events possibly missed during an outage |
//! | `anomalies` | squares that differ from the published position for a known reason |
//! | `published` | published position, and the start of evidence for the next ply |
//! | `facts` | all of these together, as the basis of decisions |

mod anomalies;
mod chronology;
mod facts;
mod gap_evidence;
mod missed_events;
mod occupancy;
mod presses;
mod published;
mod squares;

pub use chronology::Chronology;
pub use facts::{Facts, FactsVersion, RestartedBoard};
pub use gap_evidence::GapEvidence;
pub use missed_events::MissedEvents;
pub use occupancy::{Occupancy, SensedPiece};
pub use presses::{Press, Presses};
pub use published::{BasePosition, PreviousPly, PublishedState, RemainingPlies, SetupDifference};
pub use squares::{ChangeSource, Evidence, PieceTransfers, SeqNo, SquareChange};

#[cfg(test)]
pub(in crate::recognition) use chronology::tests;
