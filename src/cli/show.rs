//! `damcast show`: draws one position of a game in the terminal.
//!
//! ```text
//!   1    b   b   .   b   b  5      w white man   W white king
//!   6  b   .   w   b   .    10     b black man   B black king   . an empty square
//! ```

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use draughts::{Color, PieceKind, Position};
use draughts_pdn::replay::{Replay, ReplayStep};
use draughts_pdn::{fen, infer, notation};

use super::input::{self, ReadingArguments};
use super::output;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 drawn; 1 the file cannot be read, or there is no such game or ply; 2 a wrong argument.

Example:
  damcast show --ply 4 evening.pdn"
)]
pub struct Arguments {
    /// File to read; `-` is the standard input.
    file: PathBuf,
    /// Number of the game in the file, from 1.
    #[arg(long, short, default_value_t = 1)]
    game: usize,
    /// Number of steps of the main line to play; default: all. A setup counts as a step.
    #[arg(long, short)]
    ply: Option<usize>,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// Draws the position.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (games, _) = input::games(&arguments.file, arguments.reading.encoding)?;
    let count = games.len();
    let Some(located) = arguments.game.checked_sub(1).and_then(|index| games.get(index)) else {
        anyhow::bail!("{}: there is no game {}; it has {count}", arguments.file.display(), arguments.game);
    };
    let untagged: Vec<_> =
        games.iter().filter(|located| located.game.tags.get("GameType").is_none()).take(infer::SAMPLE).collect();
    let known_variant = arguments
        .reading
        .variant()?
        .or_else(|| (!untagged.is_empty()).then(|| infer::infer_from_moves(&untagged, None)));
    let replay = Replay::infer(located, known_variant);
    let steps = arguments.ply.unwrap_or(replay.steps.len());
    if steps > replay.steps.len() {
        anyhow::bail!("game {} can be played for {} steps only", arguments.game, replay.steps.len());
    }
    let mut output = output::buffered_stdout();
    for tag in
        located.game.tags.iter().filter(|tag| matches!(tag.name.as_str(), "Event" | "White" | "Black" | "Result"))
    {
        writeln!(output, "{:<8}{}", tag.name, sanitised(&tag.value))?;
    }
    writeln!(output, "{:<8}{} ({})", "Game", replay.variant.name, replay.variant.game_type)?;
    writeln!(output, "{:<8}{}", "Moves", moves(&replay, steps))?;
    let position = replay.position_after(steps);
    writeln!(output, "\n{}", drawing(&position))?;
    writeln!(output, "{}", fen::write(position.variant(), &position.setup()))?;
    output.flush()?;
    for problem in &replay.problems {
        output::print_error(format_args!("{}:{problem}", arguments.file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Replaces control characters, which could steer the terminal.
fn sanitised(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

/// Formats the moves before the position, each in the notation of its own position.
fn moves(replay: &Replay, steps: usize) -> String {
    let mut position = replay.start;
    let mut words = Vec::new();
    for step in replay.steps.iter().take(steps) {
        match step {
            ReplayStep::Move { ply, .. } => {
                words.push(notation::write(replay.variant, ply, &position.legal_moves()));
                position = position.play(ply);
            }
            ReplayStep::Setup { position: next, .. } => {
                words.push(format!("/FEN \"{}\"/", fen::write(replay.variant, &next.setup())));
                position = *next;
            }
        }
    }
    words.join(" ")
}

/// Draws the board as White sees it, with the names of the squares on both sides.
fn drawing(position: &Position) -> String {
    let geometry = &position.variant().geometry;
    let mut text = String::new();
    for row in 0..geometry.height() {
        let squares: Vec<_> = (0..geometry.width()).map(|column| geometry.square_at(row, column)).collect();
        let mut named = squares.iter().flatten();
        let (first, last) = (named.next(), named.next_back());
        text.push_str(&format!("{:>4} ", first.map_or("", |square| geometry.name(*square))));
        for square in squares.iter().copied() {
            let piece = square.map(|square| position.placement().get(square));
            text.push(' ');
            text.push(match piece {
                None => ' ',
                Some(None) => '.',
                Some(Some(piece)) => match (piece.color, piece.kind) {
                    (Color::White, PieceKind::Man) => 'w',
                    (Color::White, PieceKind::King) => 'W',
                    (Color::Black, PieceKind::Man) => 'b',
                    (Color::Black, PieceKind::King) => 'B',
                },
            });
        }
        text.push_str(&format!("  {}\n", last.map_or("", |square| geometry.name(*square))));
    }
    text.push_str(&format!("{} to move\n", position.turn()));
    text
}
