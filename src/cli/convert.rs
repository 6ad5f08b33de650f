//! `damcast convert`: converts PDN files of any dialect to the standard, game by game.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use draughts::Variant;
use draughts_pdn::infer;
use draughts_pdn::pdn2;
use draughts_pdn::problem::{Level, Problem};
use draughts_pdn::reader::{LocatedGame, Reader};
use draughts_pdn::renumber;
use draughts_pdn::standard::{self, AmbiguousCaptures};
use draughts_pdn::writer::{self, Style};

use super::input::{self, ReadingArguments};
use super::output;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 converted; 1 a file has errors or cannot be read; 2 a wrong argument.
A move that is not legal is an error: convert says so, and leaves it as it stood.

Example:
  damcast convert evening.pdn > standard.pdn")]
pub struct Arguments {
    /// Files to convert, in order; `-` is the standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Output file, none of the inputs; standard output if omitted.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Layout of the movetext.
    #[arg(long, value_enum, default_value = "compact")]
    style: StyleName,
    /// Name the squares as on this board, such as 25,W,8,8,N2,0. The game stays the same.
    #[arg(long)]
    board: Option<String>,
    /// Write PDN 2.0: ISO-8859-1, results as terminators, no setups.
    #[arg(long)]
    pdn2: bool,
    /// Write ambiguous captures with the captured pieces: 47x36 <42,29,14,31>. This is a proposal for PDN 3.1 that few programs read.
    #[arg(long, conflicts_with = "pdn2")]
    pdn31: bool,
    /// Report only losses, not changes.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    reading: ReadingArguments,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StyleName {
    /// Wrapped before column 80.
    Compact,
    /// One move per line.
    Live,
}

/// Converts the files and writes their games.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let known_variant = arguments.reading.variant()?;
    let board = arguments.board.as_deref().map(|tag| Variant::from_tag(tag).context("--board")).transpose()?;
    let out: Box<dyn Write> = match &arguments.output {
        None => Box::new(output::buffered_stdout()),
        Some(output) => {
            // Check that the files can be read before the output is truncated.
            for file in arguments.files.iter().filter(|file| **file != Path::new("-")) {
                File::open(file).with_context(|| file.display().to_string())?;
                let is_output =
                    matches!((file.canonicalize(), output.canonicalize()), (Ok(file), Ok(output)) if file == output);
                anyhow::ensure!(!is_output, "{} would be overwritten", output.display());
            }
            Box::new(BufWriter::new(File::create(output).with_context(|| output.display().to_string())?))
        }
    };
    let form = match (arguments.pdn2, arguments.style) {
        (true, _) => OutputFormat::Pdn2(pdn2::Pdn2Writer::default()),
        (false, StyleName::Compact) => OutputFormat::Pdn3(Style::Compact),
        (false, StyleName::Live) => OutputFormat::Pdn3(Style::Live),
    };
    let ambiguous = if arguments.pdn31 { AmbiguousCaptures::Captured } else { AmbiguousCaptures::Path };
    let mut writing =
        OutputWriter { out, form, has_begun: false, ambiguous, board, quiet: arguments.quiet, has_errors: false };
    for path in &arguments.files {
        convert(path, arguments, known_variant, &mut writing)?;
    }
    if let OutputFormat::Pdn2(file) = &writing.form {
        let missing = file.missing_characters();
        writing.report(Path::new(PDN2_SOURCE), missing.as_slice());
    }
    writing.out.flush().context("the output")?;
    Ok(if writing.has_errors { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// File name in problems of the PDN 2.0 output.
const PDN2_SOURCE: &str = "PDN 2.0";

/// Maximum number of entries in games that wait until the variant is known.
const MAX_PENDING: usize = 100_000;

/// Converts one file. Games wait while one of them has no game type and the moves are too few to infer it.
fn convert(
    path: &Path,
    arguments: &Arguments,
    mut known_variant: Option<&'static Variant>,
    writing: &mut OutputWriter,
) -> anyhow::Result<()> {
    let mut reader = Reader::new(arguments.reading.encoding);
    let mut waiting: VecDeque<LocatedGame> = VecDeque::new();
    let (mut untagged, mut size) = (0, 0);
    let mut take = |games: Vec<LocatedGame>, is_end: bool, writing: &mut OutputWriter| -> anyhow::Result<()> {
        for located in games {
            untagged += usize::from(located.game.tags.get("GameType").is_none());
            size += located.game.entries.len();
            waiting.push_back(located);
            let is_clear = known_variant.is_some() || untagged == 0;
            if is_clear || untagged >= infer::SAMPLE || size > MAX_PENDING {
                write_pending(path, &mut waiting, &mut known_variant, writing)?;
                (untagged, size) = (0, 0);
            }
        }
        if is_end { write_pending(path, &mut waiting, &mut known_variant, writing) } else { Ok(()) }
    };
    let mut done = Ok(());
    input::read_chunks(path, |piece| {
        if done.is_ok() {
            let games = reader.feed(piece);
            writing.report(path, &reader.take_problems().into_sorted());
            done = take(games, false, writing);
        }
    })?;
    done?;
    let games = reader.finish();
    writing.report(path, &reader.take_problems().into_sorted());
    take(games, true, writing)
}

/// Infers the variant of the waiting games that state none, and writes all of them.
fn write_pending(
    path: &Path,
    waiting: &mut VecDeque<LocatedGame>,
    known_variant: &mut Option<&'static Variant>,
    writing: &mut OutputWriter,
) -> anyhow::Result<()> {
    let untagged: Vec<&LocatedGame> =
        waiting.iter().filter(|located| located.game.tags.get("GameType").is_none()).take(infer::SAMPLE).collect();
    if known_variant.is_none() && !untagged.is_empty() {
        *known_variant = Some(infer::infer_from_moves(&untagged, None));
    }
    while let Some(located) = waiting.pop_front() {
        writing.game(path, located, *known_variant)?;
    }
    Ok(())
}

enum OutputFormat {
    Pdn3(Style),
    Pdn2(pdn2::Pdn2Writer),
}

/// Output and its settings.
struct OutputWriter {
    out: Box<dyn Write>,
    form: OutputFormat,
    has_begun: bool,
    ambiguous: AmbiguousCaptures,
    board: Option<&'static Variant>,
    quiet: bool,
    has_errors: bool,
}

impl OutputWriter {
    fn game(
        &mut self,
        path: &Path,
        located: LocatedGame,
        known_variant: Option<&'static Variant>,
    ) -> anyhow::Result<()> {
        let (mut game, mut problems) = standard::convert(located, known_variant, self.ambiguous);
        if let Some(board) = self.board {
            let (renumbered, mut changes) = renumber::renumber(&game, board);
            game = renumbered;
            problems.append(&mut changes);
        }
        self.report(path, &problems);
        let bytes = match &mut self.form {
            OutputFormat::Pdn2(file) => {
                let bytes = file.game(&game);
                let problems = file.take_problems();
                self.report(Path::new(PDN2_SOURCE), &problems);
                bytes
            }
            OutputFormat::Pdn3(style) => {
                let text = writer::write(std::slice::from_ref(&game), *style);
                let has_begun = self.has_begun;
                self.has_begun |= !text.is_empty();
                if has_begun && !text.is_empty() { format!("\n{text}").into_bytes() } else { text.into_bytes() }
            }
        };
        self.out.write_all(&bytes).context("the output")
    }

    /// Prints problems and records whether any is an error.
    fn report(&mut self, path: &Path, problems: &[Problem]) {
        for problem in problems {
            self.has_errors |= problem.level == Level::Error;
            if !self.quiet || problem.level == Level::Error {
                output::print_error(format_args!("{}:{problem}", path.display()));
            }
        }
    }
}
