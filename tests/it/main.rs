//! End-to-end tests, in one binary, which links once.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

mod arbiter_docs;
mod arbiter_kills;
mod architecture;
mod boards;
#[cfg(feature = "web")]
mod browser;
mod bus;
mod bus_boards;
mod bus_faults;
mod bus_hands;
mod chains_of_logs;
mod checked;
mod clock;
mod config;
mod config_cmd;
mod config_keys;
mod config_mutations;
mod config_sources;
mod control;
mod daemon;
mod damaged_bytes;
mod damaged_files;
#[cfg(feature = "web")]
mod delayed_pages;
mod dependencies;
#[cfg(feature = "web")]
mod desk;
#[cfg(feature = "web")]
mod desk_in_browser;
mod dialogue;
mod disk_faults;
mod doctor;
mod draws;
mod endings;
mod endurance;
mod extract;
mod folder;
mod folders;
mod follow;
mod foreign_boards;
mod foreign_ports;
mod fuzz;
mod games;
mod generated_games;
mod guards;
#[cfg(feature = "web")]
mod hall_in_browser;
mod hidden_names;
mod init;
mod kill_at_syscall;
mod kill_during_play;
mod late_start_from_memory;
mod late_start_from_position;
mod late_start_processes;
mod late_ticks;
mod line_cmd;
mod line_program;
mod live_updates;
mod mistaken_identity;
mod model_disk;
mod network;
mod odd_files;
mod office;
mod operation;
mod operator;
mod outages;
mod outlets;
mod packed_log;
mod pages;
#[cfg(feature = "web")]
mod pages_apart;
mod pdn;
mod pdn_bad_input;
mod pdn_commands;
mod pdn_corpus;
mod pdn_edges;
mod pdn_properties;
mod pdn_readers;
#[cfg(feature = "web")]
mod playing_hall;
mod power_loss;
mod program;
mod pty;
mod public_files;
mod publication;
mod publication_soak;
mod recognition;
mod recorded_session;
mod recordings;
#[path = "../../crates/draughts/tests/it/records.rs"]
mod records;
mod reload;
mod replay_cmd;
mod replug;
mod rotation;
mod rounds;
#[cfg(feature = "web")]
mod serve;
mod service;
mod simulated;
mod simulated_lines;
mod simulation;
mod standard_output;
mod storm;
mod terminal;
mod test_board;
mod tournament;
mod tournament_day;
mod tournament_kills;
mod tournament_log;
mod tournament_rules;
mod unwritable;
mod vanished_files;
mod wall_clock;

/// The reading of a FEN in [`records`].
mod setups {
    pub use draughts_pdn::fen::read;
}
