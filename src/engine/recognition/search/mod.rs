//! What may have been played: legal plies that explain the evidence, and what comes closest where none do.
//!
//! | file | subject |
//! |---|---|
//! | `effort` | how much is searched in one millisecond |
//! | `explain` | the search for legal plies that explain a sight |
//! | `readings` | what comes closest to a board that nothing explains |
//! | `searcher` | what was found last, and for which facts |

mod budget;
mod explain;
mod interpretations;
mod searcher;

pub use budget::SearchBudget;
pub use explain::{Explanation, SearchQuery, explain};
pub use interpretations::Interpretation;
pub use searcher::Searcher;
