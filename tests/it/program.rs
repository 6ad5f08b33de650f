//! The program under test: run to its end, or with input and output.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Result of a run.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Asserts success; returns the output.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// Asserts success and that the output contains these words.
    #[track_caller]
    pub fn prints(self, words: &str) {
        assert_contains(&self.done(), &[words]);
    }

    /// Asserts this exit code and that standard error contains these words.
    #[track_caller]
    pub fn fails(self, code: i32, words: &str) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert_contains(&self.err, &[words]);
    }
}

/// Asserts that a text contains all these words.
#[track_caller]
pub fn assert_contains(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

/// Compiles a library of the tests, `tests/it/NAME.c`, for loading into a program; `None` without a compiler.
pub fn preload(name: &str) -> Option<PathBuf> {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.so"));
    let built = library.with_extension(std::process::id().to_string());
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&built)
        .args([&format!("tests/it/{name}.c"), "-ldl"])
        .status();
    if !status.is_ok_and(|status| status.success()) {
        return None;
    }
    std::fs::rename(&built, &library).unwrap();
    Some(library)
}

/// Returns the command of the program with these arguments.
pub fn damcast(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Run {
    run_with_input(arguments, b"")
}

/// Runs the program to its end with this standard input.
pub fn run_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = damcast(arguments).stdin(Stdio::piped()).spawn().expect("damcast starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // A program that ends early closes its input; unread input is no failure.
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().expect("damcast ends");
    writer.join().expect("the writer does not panic");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Returns the peak memory of a running process so far, in KiB.
pub fn peak_memory(process: u32) -> u64 {
    read_peak_memory(process).expect("the process runs")
}

fn read_peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

/// Runs the program to its end, which must succeed. Returns its output and its peak memory in KiB.
pub fn run_measured(arguments: &[&str]) -> (String, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
    let mut child =
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("damcast starts");
    let mut out = child.stdout.take().expect("standard output is a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).expect("UTF-8");
        text
    });
    let mut peak = 0;
    let status = loop {
        peak = read_peak_memory(child.id()).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().expect("damcast ends") {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    let text = reader.join().expect("the reader does not panic");
    assert!(status.success(), "{arguments:?}: {}", &text[..text.len().min(1_000)]);
    (text, peak)
}

/// Returns a free port of this machine that no other test of this process gets, also while the program that listens there is away: the
/// system gives connections ports from 32768 on.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let place = (std::process::id() + NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000;
        let port = 10_000 + u16::try_from(place).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Returns an address with a [`free_port`].
pub fn free_address() -> String {
    format!("127.0.0.1:{}", free_port())
}
