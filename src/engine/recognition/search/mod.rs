//! What may have been played: legal plies that explain the evidence, and what comes closest where none do.
//!
//! | file | subject |
//! |---|---|
//! | [`effort`] | how much is searched in one millisecond |
//! | [`explain`] | the search for legal plies that explain a sight |
//! | [`readings`] | what comes closest to a board that nothing explains |
//! | [`searcher`] | what was found last, and for which facts |

pub mod effort;
pub mod explain;
pub mod readings;
pub mod searcher;
