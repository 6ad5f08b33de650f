//! The program `damcast`. Each verb has its own file in `cli`.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cli;

use std::process::ExitCode;

use clap::Parser;
use damcast::station::output;

const NAME: &str = "damcast";

/// Arguments of the program.
#[derive(Parser)]
#[command(name = "damcast", version, about, max_term_width = 100)]
#[command(
    after_help = "`damcast help COMMAND` explains a command, with examples and its exit codes: 0 done, 1 something is wrong, 2 wrong arguments."
)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Subcommand,
}

/// Command to run.
#[derive(clap::Subcommand)]
pub enum Subcommand {
    /// Record in this folder, with pages and desk, for an evening: needs no configuration.
    Start(cli::start::Arguments),
    /// Record the boards of a configuration.
    Run(cli::run::Arguments),
    /// Serve pages that show the boards of an outlet to viewers. The pages run in a process of their own.
    Serve(cli::serve::Arguments),
    /// Write the same pages as plain files, for any web space.
    Pages(cli::pages::Arguments),
    /// Serve a page for operators and arbiters that does what `ctl` does. The page runs in a process of its own.
    Desk(cli::desk::Arguments),
    /// Serve a page on which people enter the moves of tables without electronic boards. The page runs in a process of its own.
    Entry(cli::entry::Arguments),
    /// Deliver the files of outlets elsewhere, by commands that run when files have changed. Runs in a process of its own.
    Deliver(cli::deliver::Arguments),
    /// Join the halls of an event into one outlet. The hub runs in a process of its own.
    Hub(cli::hub::Arguments),
    /// Show how a running station is.
    Status(cli::status::Arguments),
    /// Send requests to a running station: results, names, corrections, reload.
    Ctl(cli::ctl::Arguments),
    /// Show how damcast works: simulated boards on real ports, recorded live.
    Demo(cli::demo::Arguments),
    /// Write a first configuration for the connected boards.
    Init(cli::init::Arguments),
    /// Check or show the configuration, or print its JSON Schema.
    Config(cli::config::Arguments),
    /// Find problems of this machine before the round, with a remedy for each.
    Doctor(cli::doctor::Arguments),
    /// Show a board live, to try every square and piece.
    TestBoard(cli::test_board::Arguments),
    /// List the serial ports.
    Ports(cli::ports::Arguments),
    /// Print the PDN of logs.
    Replay(cli::replay::Arguments),
    /// Import players, pairings and results; show standings; export files. Formats: TRF, CSV, HTML and PDN.
    Tournament(cli::tournament::Arguments),
    /// List, verify and extract the logs of a station's directory.
    Log(cli::log::Arguments),
    /// Check that a station's directory matches its logs.
    Fsck(cli::fsck::Arguments),
    /// Rebuild all files of a station's directory from its logs.
    Rebuild(cli::rebuild::Arguments),
    /// Take over the games of another machine from a copy of its directory.
    Takeover(cli::takeover::Arguments),
    /// Run one line on standard input and output, in virtual time.
    Line(cli::line::Arguments),
    /// Count the leaves of the tree of legal moves.
    Perft(cli::perft::Arguments),
    /// List the legal moves of a position, one per line.
    Moves(cli::moves::Arguments),
    /// Report problems of PDN files.
    Check(cli::check::Arguments),
    /// Convert PDN files of any dialect to the standard.
    Convert(cli::convert::Arguments),
    /// Draw a position of a game.
    Show(cli::show::Arguments),
}

fn main() -> ExitCode {
    let arguments: Arguments = match output::parse_arguments(NAME) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let outcome = match arguments.verb {
        Subcommand::Start(arguments) => cli::start::run(&arguments),
        Subcommand::Run(arguments) => cli::run::run(&arguments),
        Subcommand::Serve(arguments) => cli::serve::run(&arguments),
        Subcommand::Pages(arguments) => cli::pages::run(&arguments),
        Subcommand::Desk(arguments) => cli::desk::run(&arguments),
        Subcommand::Entry(arguments) => cli::entry::run(&arguments),
        Subcommand::Deliver(arguments) => cli::deliver::run(&arguments),
        Subcommand::Hub(arguments) => cli::hub::run(&arguments),
        Subcommand::Status(arguments) => cli::status::run(&arguments),
        Subcommand::Ctl(arguments) => cli::ctl::run(&arguments),
        Subcommand::Demo(arguments) => cli::demo::run(&arguments),
        Subcommand::Init(arguments) => cli::init::run(&arguments),
        Subcommand::Doctor(arguments) => cli::doctor::run(&arguments),
        Subcommand::TestBoard(arguments) => cli::test_board::run(&arguments),
        Subcommand::Config(arguments) => cli::config::run(&arguments),
        Subcommand::Ports(arguments) => cli::ports::run(&arguments),
        Subcommand::Replay(arguments) => cli::replay::run(&arguments),
        Subcommand::Tournament(arguments) => cli::tournament::run(&arguments),
        Subcommand::Log(arguments) => cli::log::run(&arguments),
        Subcommand::Fsck(arguments) => cli::fsck::run(&arguments),
        Subcommand::Rebuild(arguments) => cli::rebuild::run(&arguments),
        Subcommand::Takeover(arguments) => cli::takeover::run(&arguments),
        Subcommand::Line(arguments) => cli::line::run(&arguments),
        Subcommand::Perft(arguments) => cli::perft::run(&arguments),
        Subcommand::Moves(arguments) => cli::moves::run(&arguments),
        Subcommand::Check(arguments) => cli::check::run(&arguments),
        Subcommand::Convert(arguments) => cli::convert::run(&arguments),
        Subcommand::Show(arguments) => cli::show::run(&arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => output::exit_with_error(NAME, &error),
    }
}
