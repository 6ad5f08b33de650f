//! What was seen on the squares and heard of the lever since the published position, and what may have been missed.
//!
//! | file | subject |
//! |---|---|
//! | [`sight`] | what the squares show, by colour |
//! | [`squares`] | what happened on the squares since the last settled position |
//! | [`chronology`] | the order of what happened on them |
//! | [`presses`] | the lever since the published position |
//! | [`unheard`] | what may have been missed while the board was not heard |
//! | [`anomalies`] | squares that differ from the published position for a known reason |
//! | [`published`] | what is published, and from when on evidence counts for the next ply |
//! | [`facts`] | all of this together: what is known when something is decided |

pub mod anomalies;
pub mod chronology;
pub mod facts;
pub mod presses;
pub mod published;
pub mod sight;
pub mod squares;
pub mod unheard;
