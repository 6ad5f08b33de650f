//! Programs beside the recorder, under users of their own. They read outlets or use the control socket, and cannot block the recorder.
//! Readers of an outlet depend on nothing of `station`; the desk depends on the requests of operators.

pub mod follow;
pub mod state_file;
pub mod web;

pub mod desk;
