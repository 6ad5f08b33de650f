//! What faces outward: programs beside the recorder, under users of their own. They read outlets or speak with the control
//! socket, can neither hold the recorder up nor see more than an outlet has, and name nothing of `station`.

pub mod follow;
#[cfg(feature = "web")]
pub mod web;
