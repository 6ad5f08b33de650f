//! What was seen on the squares and heard of the lever.
//!
//! | file | subject |
//! |---|---|
//! | [`sight`] | what the squares show, by colour |
//! | [`squares`] | what happened on the squares since the last settled position |
//! | [`chronology`] | the order of what happened on them |
//! | [`presses`] | the lever since the published position |

pub mod chronology;
pub mod presses;
pub mod sight;
pub mod squares;
