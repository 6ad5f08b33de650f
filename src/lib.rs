#![doc = include_str!("../ARCHITECTURE.md")]

pub use damcast_control as control;
pub use damcast_engine as engine;
pub use damcast_outward as outward;
pub use damcast_sim as simulation;
pub use damcast_station as station;
pub use draughts_tournament as tournament;
