//! `damcast convert`: PDN files of any dialect to the standard.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use damcast::pdn::game::Game;
use damcast::pdn::infer;
use damcast::pdn::pdn2;
use damcast::pdn::problem::{Level, Problem};
use damcast::pdn::reader::Located;
use damcast::pdn::renumber;
use damcast::pdn::standard::{self, Ambiguous};
use damcast::pdn::writer::{self, Style};
use damcast::rules::Variant;

use super::input::{self, Reading};
use super::output;

/// What is asked.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 converted; 1 a file has errors or cannot be read; 2 a wrong argument.

Example:
  damcast convert evening.pdn > standard.pdn")]
pub struct Arguments {
    /// The files; `-` is the standard input. Their games are written one after the other.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where to write; the standard output if left out. Must not be one of the files.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// How the movetext is laid out.
    #[arg(long, value_enum, default_value = "compact")]
    style: StyleName,
    /// Call the squares by the names of this board, such as 25,W,8,8,N2,0. The game itself stays.
    #[arg(long)]
    board: Option<String>,
    /// Write PDN 2.0: ISO-8859-1, results as terminators, no setups.
    #[arg(long)]
    pdn2: bool,
    /// Write ambiguous captures with the pieces they take, as proposed for PDN 3.1: 47x36 <42,29,14,31>. Few can read it.
    #[arg(long, conflicts_with = "pdn2")]
    pdn31: bool,
    /// Say nothing about what was changed, only what was lost.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StyleName {
    /// Wrapped before column 80.
    Compact,
    /// One move a line.
    Live,
}

/// Writes the games.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let told = arguments.reading.variant()?;
    let mut games = Vec::new();
    let mut code = ExitCode::SUCCESS;
    for path in &arguments.files {
        let (found, problems) = input::games(path, arguments.reading.encoding)?;
        let ambiguous = if arguments.pdn31 { Ambiguous::Captured } else { Ambiguous::Path };
        let (converted, changes) = convert(&found, told, arguments.board.as_deref(), ambiguous)?;
        games.extend(converted);
        if report(path, problems.iter().chain(&changes), arguments.quiet) {
            code = ExitCode::FAILURE;
        }
    }
    let bytes = if arguments.pdn2 {
        let (bytes, problems) = pdn2::write(&games);
        if report(Path::new("PDN 2.0"), problems.iter(), arguments.quiet) {
            code = ExitCode::FAILURE;
        }
        bytes
    } else {
        let style = match arguments.style {
            StyleName::Compact => Style::Compact,
            StyleName::Live => Style::Live,
        };
        writer::write(&games, style).into_bytes()
    };
    match &arguments.output {
        Some(output) => {
            let is_input = |file: &PathBuf| match (file.canonicalize(), output.canonicalize()) {
                (Ok(file), Ok(output)) => file == output,
                _ => false,
            };
            anyhow::ensure!(!arguments.files.iter().any(is_input), "{} would be overwritten", output.display());
            std::fs::write(output, bytes).with_context(|| output.display().to_string())?;
        }
        None => std::io::stdout().lock().write_all(&bytes).context("standard output")?,
    }
    Ok(code)
}

/// The games of one file in the standard's form.
fn convert(
    found: &[Located],
    told: Option<&'static Variant>,
    board: Option<&str>,
    ambiguous: Ambiguous,
) -> anyhow::Result<(Vec<Game>, Vec<Problem>)> {
    let untagged: Vec<&Located> =
        found.iter().filter(|located| located.game.tags.get("GameType").is_none()).take(infer::SAMPLE).collect();
    let told = told.or_else(|| (!untagged.is_empty()).then(|| infer::from_moves(&untagged, None)));
    let mut games = Vec::new();
    let mut problems = Vec::new();
    for located in found {
        let (mut game, mut changes) = standard::converted(located, told, ambiguous);
        problems.append(&mut changes);
        if let Some(board) = board {
            let variant = Variant::from_tag(board).context("--board")?;
            let (renumbered, mut changes) = renumber::renumber(&game, variant);
            game = renumbered;
            problems.append(&mut changes);
        }
        games.push(game);
    }
    Ok((games, problems))
}

/// Prints problems; returns whether there are errors among them.
fn report<'p>(path: &Path, problems: impl Iterator<Item = &'p Problem>, quiet: bool) -> bool {
    let mut has_errors = false;
    for problem in problems {
        has_errors |= problem.level == Level::Error;
        if !quiet || problem.level == Level::Error {
            output::tell(format_args!("{}:{problem}", path.display()));
        }
    }
    has_errors
}
