//! Searches for legal plies that explain the evidence, and for the closest interpretations without one.
//!
//! | file | subject |
//! |---|---|
//! | `budget` | search limit per millisecond |
//! | `explain` | legal plies that explain the board |
//! | `interpretations` | closest interpretations of an unexplained board |
//! | `searcher` | cache of the last results |

mod budget;
mod explain;
mod interpretations;
mod missing_moves;
mod searcher;

pub use budget::SearchBudget;
pub use explain::{Explanation, SearchQuery, explain};
pub use interpretations::Interpretation;
pub use missing_moves::{MissingMovesEnd, MissingMovesQuery};
pub use searcher::Searcher;
