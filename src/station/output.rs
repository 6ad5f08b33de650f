//! The only way to standard output and standard error; handles full disks and closed pipes.
//!
//! The macros of the standard library panic when nothing can be written. Here that is an error like any other: it ends the
//! program with a message and exit code 1, and without a word when only its reader went away (`damcast check games.pdn | head
//! -1`), with the exit code that a shell gives to a program which the signal for it has ended.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::ExitCode;

use crate::station::escape;

/// The exit code when nobody reads any more: 128 and the number of the signal for a broken pipe.
const EXIT_BROKEN_PIPE: u8 = 141;

/// Standard output; its errors say that it is this which cannot be written.
pub struct StandardOutput(StdoutLock<'static>);

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(with_output_name)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(with_output_name)
    }
}

fn with_output_name(error: io::Error) -> io::Error {
    match error.kind() {
        // Tried again by whoever writes.
        ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, OutputError(error)),
    }
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
struct OutputError(io::Error);

/// Is it the output of the program that cannot be written, and not something that it reads?
pub fn is_output_error(error: &anyhow::Error) -> bool {
    let is_it = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<OutputError>());
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_it))
}

/// Standard output, for much of it. What is left is written by [`Write::flush`].
pub fn buffered_stdout() -> BufWriter<StandardOutput> {
    BufWriter::new(StandardOutput(io::stdout().lock()))
}

/// Writes a text for people, or of JSON or TOML, to standard output, at once. Nothing in it steers a terminal: see [`escape`].
///
/// # Errors
///
/// When it cannot be written.
pub fn print(text: impl Display) -> io::Result<()> {
    let mut output = buffered_stdout();
    output.write_all(escape::escape_text(&text.to_string()).as_bytes())?;
    output.flush()
}

/// Writes to a terminal what steers it, made by this program alone; texts of others in it have to be harmless already.
///
/// # Errors
///
/// When it cannot be written.
pub fn write_control(text: &str) -> io::Result<()> {
    let mut output = buffered_stdout();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Writes a line to standard output, at once.
///
/// # Errors
///
/// When it cannot be written.
pub fn print_line(line: impl Display) -> io::Result<()> {
    print(format_args!("{line}\n"))
}

/// Writes a line to standard error, for the person at the terminal. If nobody can read it, nobody misses it.
pub fn print_error(message: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escape::escape_text(&message.to_string()));
}

/// Has the reader of the output gone away?
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_broken))
}

/// How a program of this name ends with an error.
pub fn exit_with_error(program: &str, error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::from(EXIT_BROKEN_PIPE);
    }
    print_error(format_args!("{program}: {error:#}"));
    ExitCode::FAILURE
}

/// What is asked of a program, by its command line: otherwise it is explained, and the program is to end with this exit code.
///
/// # Errors
///
/// When there is nothing to run: an explanation was asked for, or the command line is wrong.
pub fn parse_arguments<A: clap::Parser>(program: &str) -> Result<A, ExitCode> {
    A::try_parse().map_err(|explanation| {
        // What is asked for goes to standard output, what is wrong to standard error; clap does both, coloured on a terminal.
        match explanation.print().map_err(with_output_name) {
            Err(error) if !explanation.use_stderr() => exit_with_error(program, &error.into()),
            _ => ExitCode::from(u8::try_from(explanation.exit_code()).unwrap_or(1)),
        }
    })
}
