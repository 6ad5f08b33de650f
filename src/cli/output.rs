//! What the verbs print, when its reader may have gone away (`damcast check games.pdn | head -1`).
//!
//! The macros of the standard library panic then. Here it ends the program without a word, with the exit code that a shell
//! gives to a program which the signal for it has ended.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::ExitCode;

/// The exit code when nobody reads any more: 128 and the number of the signal for a broken pipe.
const UNREAD: u8 = 141;

/// Standard output, for much of it. What is left is written by [`Write::flush`].
pub fn standard() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// A line for the person at the terminal. If nobody reads it, nobody misses it.
pub fn tell(message: impl Display) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Has the reader of the output gone away?
pub fn is_unread(error: &anyhow::Error) -> bool {
    let is_broken = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_broken))
}

/// How the program ends with an error.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    if is_unread(error) {
        return ExitCode::from(UNREAD);
    }
    tell(format_args!("damcast: {error:#}"));
    ExitCode::FAILURE
}
