//! Verbs of the program, one per file: arguments in, exit code out.

mod boards;
pub mod check;
mod columns;
pub mod config;
pub mod convert;
pub mod ctl;
pub mod deliver;
pub mod demo;
mod demo_event;
pub mod desk;
pub mod doctor;
pub mod entry;
pub mod fsck;
pub mod hub;
pub mod init;
mod input;
pub mod line;
pub mod log;
pub mod moves;
pub mod pages;
mod parent;
mod parts;
pub mod perft;
pub mod ports;
mod probe;
pub mod rebuild;
pub mod replay;
pub mod run;
mod screen;
pub mod serve;
pub mod show;
pub mod start;
mod station;
pub mod status;
pub mod takeover;
pub mod test_board;
pub mod tournament;

use std::fmt::Display;
use std::process::ExitCode;

use damcast::station::output;

/// Exit code for wrong arguments or a wrong configuration, the same as clap's.
pub const EXIT_USAGE: u8 = 2;

/// Prints the message and returns [`EXIT_USAGE`].
fn usage_error(message: impl Display) -> ExitCode {
    output::print_error(format_args!("damcast: {message}"));
    ExitCode::from(EXIT_USAGE)
}
