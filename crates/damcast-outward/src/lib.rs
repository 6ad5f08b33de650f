//! Programs beside the recorder, under users of their own. They read outlets or use the control socket, and cannot block the recorder.
//! Nothing here names the recorder. The desk sends the words of `damcast-control` to its socket.

pub mod curl;
pub mod deliver;
pub mod follow;
mod hex;
pub mod hub;
mod joined_sections;
pub mod pairing_engine;
pub mod paper;
pub mod state_file;
pub mod web;

pub mod desk;
pub mod entry;
