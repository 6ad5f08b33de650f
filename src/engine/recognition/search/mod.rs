//! What may have been played: legal plies that explain the evidence, and what comes closest where none do.
//!
//! | file | subject |
//! |---|---|
//! | `effort` | how much is searched in one millisecond |
//! | `explain` | the search for legal plies that explain a sight |
//! | `readings` | what comes closest to a board that nothing explains |
//! | `searcher` | what was found last, and for which facts |

mod effort;
mod explain;
mod readings;
mod searcher;

pub use effort::Effort;
pub use explain::{Explanation, Question, explain};
pub use readings::Reading;
pub use searcher::Searcher;
