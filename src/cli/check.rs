//! `damcast check`: reports problems of PDN files.
//!
//! ```text
//! games.pdn:12:7: error: `24-20` is not legal (12. in W:W25:B20)
//! ```
//!
//! Exit codes: 0: no errors; 1: errors; 2: a file could not be read.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use draughts::Variant;
use draughts_pdn::checked::Checker;
use draughts_pdn::problem::{Level, Location, Problem, Problems};
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::scan::Scanner;
use draughts_pdn::strict;
use draughts_pdn::syntax::Event;

use super::input::{self, ReadingArguments, json_text};
use super::{output, parts};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 no error; 1 there are errors; 2 a file cannot be read, or a wrong argument.

Examples:
  damcast check games.pdn
  damcast check --strict --profile lidraughts games.pdn")]
pub struct Arguments {
    /// Files to check; `-` is the standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Check PDN 3.0 to the letter. That is the standard's writing grammar, its restrictions, and legal moves, also in variations.
    #[arg(long)]
    strict: bool,
    /// Report what a known reader would lose or misread. Values: standard (same as --strict), lidraughts, pydraughts. Combine with
    /// --strict for both.
    #[arg(long)]
    profile: Option<ReaderProfile>,
    /// Check the syntax only; do not play the moves.
    #[arg(long)]
    syntax: bool,
    /// Print notes: clear text that differs from the standard's form.
    #[arg(long)]
    notes: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// Prints the problems of all files, in their order. Files are checked side by side, as many as the machine has cores; the parts of few
/// large files are, too.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let known_variant = arguments.reading.variant()?;
    let files = &arguments.files;
    let mut worst = ExitCode::SUCCESS;
    let mut is_unreadable = false;
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = (cores / files.len()).max(1);
    std::thread::scope(|scope| {
        // The channel has little room: a thread far ahead waits.
        let (sender, summaries) = mpsc::sync_channel(cores);
        for _ in 0..cores.min(files.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(index) else { return };
                    // The other end leaves if nothing can be printed.
                    if sender.send((index, summarize(path, arguments, known_variant, threads))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for (index, path) in files.iter().enumerate() {
            while !early.contains_key(&index)
                && let Ok((other, summary)) = summaries.recv()
            {
                early.insert(other, summary);
            }
            let Some(summary) = early.remove(&index) else { break };
            match summary.and_then(|summary| report(path, arguments, summary)) {
                Ok(true) => {}
                Ok(false) => worst = ExitCode::FAILURE,
                Err(error) => {
                    if output::is_output_error(&error) {
                        return Err(error);
                    }
                    output::print_error(format_args!("damcast: {error:#}"));
                    is_unreadable = true;
                }
            }
        }
        Ok(if is_unreadable { ExitCode::from(2) } else { worst })
    })
}

/// Checks a file on this many threads.
fn summarize(
    path: &Path,
    arguments: &Arguments,
    known_variant: Option<&'static Variant>,
    threads: usize,
) -> anyhow::Result<Summary> {
    let read = |take: &mut dyn FnMut(&[u8])| input::read_chunks(path, take);
    let reader = arguments.profile.filter(|profile| *profile != ReaderProfile::Standard);
    let is_strict = arguments.strict || arguments.profile == Some(ReaderProfile::Standard);
    match reader {
        Some(reader) => {
            // A pipe can be read only once.
            let bytes = input::read_whole(path)?;
            let mut problems = profile::count_problems(reader, &bytes, known_variant);
            if is_strict {
                problems.merge(profile::count_problems(ReaderProfile::Standard, &bytes, known_variant));
            }
            Ok(Summary { games: None, problems })
        }
        None if is_strict => {
            let mut checker = strict::StrictChecker::new(known_variant);
            read(&mut |bytes| checker.feed(bytes))?;
            Ok(Summary { games: None, problems: checker.finish() })
        }
        None if arguments.syntax => check_syntax(path, arguments),
        None => {
            let checker = Checker::new(arguments.reading.encoding, known_variant);
            let mut checker = parts::check(checker, threads, read)?;
            checker.finish(&mut |_| {});
            Ok(Summary { games: Some(checker.game_count()), problems: checker.take_problems() })
        }
    }
}

/// Prints the problems of a file. Returns whether it is free of errors.
fn report(path: &Path, arguments: &Arguments, summary: Summary) -> anyhow::Result<bool> {
    let errors = summary.problems.count(Level::Error);
    let (dropped, warnings) = (summary.problems.dropped_count(), summary.problems.count(Level::Warning));
    let mut output = output::buffered_stdout();
    for problem in summary.problems.into_sorted() {
        if arguments.notes || problem.level > Level::Note {
            print(&mut output, path, &problem, arguments.json)?;
        }
    }
    output.flush()?;
    if dropped > 0 {
        output::print_error(format_args!("{}: {dropped} more problems", path.display()));
    }
    if !arguments.json {
        let games = summary.games.map_or(String::new(), |games| format!("{games} games, "));
        output::print_error(format_args!("{}: {games}{errors} errors, {warnings} warnings", path.display()));
    }
    Ok(errors == 0)
}

struct Summary {
    games: Option<u64>,
    problems: Problems,
}

/// Checks the syntax of a file in constant memory.
fn check_syntax(path: &Path, arguments: &Arguments) -> anyhow::Result<Summary> {
    let mut scanner = Scanner::new(arguments.reading.encoding);
    let (mut games, mut problems) = (0, Problems::default());
    let mut sink = |_: Location, event: Event<'_>| match event {
        Event::GameEnd(_) => games += 1,
        Event::Problem(problem) => problems.push(problem),
        _ => {}
    };
    input::read_chunks(path, |piece| scanner.feed(piece, &mut sink))?;
    scanner.finish(&mut sink);
    Ok(Summary { games: Some(games), problems })
}

fn print(output: &mut impl Write, path: &Path, problem: &Problem, json: bool) -> std::io::Result<()> {
    if json {
        let hint = problem.hint.as_deref().map_or_else(|| "null".to_owned(), json_text);
        writeln!(
            output,
            "{{\"file\":{},\"line\":{},\"column\":{},\"level\":\"{}\",\"what\":{},\"hint\":{hint}}}",
            json_text(&path.display().to_string()),
            problem.location.line,
            problem.location.column,
            problem.level,
            json_text(&problem.message),
        )
    } else {
        writeln!(output, "{}:{problem}", path.display())
    }
}
