//! The only access to standard output and standard error; handles full disks and closed pipes.
//!
//! The macros of the standard library panic when they cannot write. Here that is an ordinary error: the program ends with a message and
//! exit code 1. If only the reader went away (`damcast check games.pdn | head -1`), it ends without a message, with the exit code that a
//! shell reports for the signal SIGPIPE.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::ExitCode;

use damcast_control::escape;

/// Exit code for a broken pipe: 128 plus the number of SIGPIPE.
const EXIT_BROKEN_PIPE: u8 = 141;

/// Standard output; its errors name standard output.
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
        // The caller retries the write.
        ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, OutputError(error)),
    }
}

/// Error: standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
struct OutputError(io::Error);

/// Whether the error is about standard output, not about an input.
pub fn is_output_error(error: &anyhow::Error) -> bool {
    let is_it = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<OutputError>());
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_it))
}

/// Returns buffered standard output; call [`Write::flush`] at the end.
pub fn buffered_stdout() -> BufWriter<StandardOutput> {
    BufWriter::new(StandardOutput(io::stdout().lock()))
}

/// Writes text, JSON or TOML to standard output and flushes it. Terminal control characters are escaped: see [`escape`].
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub fn print(text: impl Display) -> io::Result<()> {
    let mut output = buffered_stdout();
    output.write_all(escape::escape_text(&text.to_string()).as_bytes())?;
    output.flush()
}

/// Writes terminal control sequences of this program; the caller must escape outside text in them.
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub fn write_control(text: &str) -> io::Result<()> {
    let mut output = buffered_stdout();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Writes a line to standard output and flushes it.
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub fn print_line(line: impl Display) -> io::Result<()> {
    print(format_args!("{line}\n"))
}

/// Writes a line to standard error. Ignores write errors: there is nobody to read it.
pub fn print_error(message: impl Display) {
    let _ = writeln!(io::stderr(), "{}", escape::escape_text(&message.to_string()));
}

/// Whether the reader of the output has gone away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_broken))
}

/// Prints an error of this program. Returns its exit code.
pub fn exit_with_error(program: &str, error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::from(EXIT_BROKEN_PIPE);
    }
    print_error(format_args!("{program}: {error:#}"));
    ExitCode::FAILURE
}

/// Parses the command line. Prints the help or the error otherwise.
///
/// # Errors
///
/// Returns the exit code if there is nothing to run: help was requested, or the command line is wrong.
pub fn parse_arguments<A: clap::Parser>(program: &str) -> Result<A, ExitCode> {
    A::try_parse().map_err(|explanation| {
        // clap prints help to standard output and errors to standard error, coloured on a terminal.
        match explanation.print().map_err(with_output_name) {
            Err(error) if !explanation.use_stderr() => exit_with_error(program, &error.into()),
            _ => ExitCode::from(u8::try_from(explanation.exit_code()).unwrap_or(1)),
        }
    })
}
