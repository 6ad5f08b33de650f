//! `damcast perft`: prints leaf counts, to check the move generator.

use std::io::Write;
use std::process::ExitCode;

use draughts::perft;
use draughts_pdn::notation;

use super::output;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 counted; 1 the position is not understood; 2 a wrong argument.

Example:
  damcast perft 9")]
pub struct Arguments {
    #[command(flatten)]
    asked: super::moves::PositionArguments,
    /// Show the count after each move.
    #[arg(long)]
    divide: bool,
    /// Depth in plies.
    depth: u32,
}

/// Prints the count.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let position = arguments.asked.position()?;
    let mut output = output::buffered_stdout();
    if arguments.divide && arguments.depth > 0 {
        let legal = position.legal_moves();
        for ply in &legal {
            let leaves = perft(&position.play(ply), arguments.depth - 1);
            writeln!(output, "{} {leaves}", notation::write(position.variant(), ply, &legal))?;
        }
    }
    writeln!(output, "{}", perft(&position, arguments.depth))?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
