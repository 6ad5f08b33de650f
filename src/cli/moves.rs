//! `damcast moves`: prints the legal moves of a position in PDN, one per line.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use draughts::{Position, Variant};
use draughts_pdn::{fen, notation};

use super::output;

/// Position given on the command line.
#[derive(clap::Args)]
pub struct PositionArguments {
    /// Game: a number of PDN's GameType table, or all its attributes.
    #[arg(long, default_value = "20")]
    game_type: String,
    /// Position; the start of the game if omitted.
    #[arg(long)]
    fen: Option<String>,
}

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 listed; 1 the position is not understood; 2 a wrong argument.

Example:
  damcast moves --game-type 25 --fen 'W:Wc3,Kd2:Bd4,f6' --long")]
pub struct Arguments {
    #[command(flatten)]
    asked: PositionArguments,
    /// Name every square of a capture's path, even where it is not needed.
    #[arg(long)]
    long: bool,
}

/// Prints the moves.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let position = arguments.asked.position()?;
    let legal = position.legal_moves();
    let mut output = output::buffered_stdout();
    for ply in &legal {
        let text = if arguments.long {
            notation::write_long(position.variant(), ply)
        } else {
            notation::write(position.variant(), ply, &legal)
        };
        writeln!(output, "{text}")?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl PositionArguments {
    /// Returns the position of the game type and the FEN.
    pub fn position(&self) -> anyhow::Result<Position> {
        let variant = Variant::from_tag(&self.game_type).context("--game-type")?;
        let Some(text) = &self.fen else { return Ok(Position::start(variant)) };
        let setup = fen::read(variant, text).context("--fen")?;
        Position::new(variant, setup).with_context(|| format!("--fen {text}"))
    }
}
