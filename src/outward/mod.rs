//! What faces outward: programs beside the recorder, under users of their own. They read outlets or speak with the control
//! socket, and cannot hold the recorder up. Who follows an outlet sees no more than it has, and names nothing of `station`; the desk names
//! what an operator can ask.

pub mod follow;
pub mod state_file;
#[cfg(feature = "web")]
pub mod web;

#[cfg(feature = "web")]
pub mod desk;
