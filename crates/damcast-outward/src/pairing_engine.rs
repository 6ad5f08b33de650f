//! Runs a program that pairs Swiss rounds, as bbpPairings is called: `COMMAND --dutch FILE -p FILE`.
//!
//! The program gets no shell, a temporary folder, and limits of time and memory. It is killed with all its child processes if it takes too
//! long.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use damcast_control::hook::last_line;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};

/// Limits of the program.
#[derive(Clone, Copy, Debug)]
struct EngineLimits {
    time: Duration,
    /// Address space in bytes.
    memory: u64,
    /// Longest file in bytes.
    file: u64,
}

const LIMITS: EngineLimits = EngineLimits { time: Duration::from_secs(60), memory: 256 << 20, file: 16 << 20 };
/// Longest list of pairs in bytes: 5,000 players with numbers of four digits.
const MAX_PAIRS_LEN: u64 = 64 << 10;
/// Interval at which the end of the program is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Runs the program with a file, and returns the list of pairs that it writes. Blocks for a minute at most.
///
/// # Errors
///
/// Returns a message if the program cannot be started, fails, takes too long or writes no list.
pub fn run_engine(command: &[String], file: &str) -> Result<String, String> {
    run_within(command, file, LIMITS)
}

fn run_within(command: &[String], file: &str, limits: EngineLimits) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("no pairing program is configured: `engine` of [tournament] names it".to_owned());
    };
    let of_folder = |error: io::Error| format!("the temporary folder of the pairing program: {error}");
    let folder = tempfile::Builder::new().prefix("damcast-pairing-").tempdir().map_err(of_folder)?;
    let [input, output, messages] = ["in.trf", "out", "messages"].map(|name| folder.path().join(name));
    fs::write(&input, file).map_err(of_folder)?;
    let log = File::create(&messages).map_err(of_folder)?;
    let mut call = Command::new(program);
    call.args(arguments).arg("--dutch").arg(&input).arg("-p").arg(&output).current_dir(folder.path());
    call.stdin(Stdio::null()).stdout(log.try_clone().map_err(of_folder)?).stderr(log);
    // The program is not part of a service and must not send notifications for it.
    call.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
    let called = format!("the pairing program {}", program.escape_debug());
    let mut child = call.process_group(0).spawn().map_err(|error| format!("{called} cannot be started: {error}"))?;
    let ended = limit(&child, limits).and_then(|()| wait(&mut child, limits.time));
    if ended.as_ref().ok().is_none_or(Option::is_none) {
        kill(&mut child);
    }
    let status = match ended {
        Ok(Some(status)) => status,
        Ok(None) => return Err(format!("{called} took longer than {} s and was killed", limits.time.as_secs())),
        Err(error) => return Err(format!("{called}: {error}")),
    };
    if !status.success() {
        return Err(format!("{called} failed ({status}){}", last_words(&messages)));
    }
    match read_limited(&output, MAX_PAIRS_LEN) {
        Ok(pairs) => Ok(pairs),
        Err(error) => Err(format!("{called} wrote no pairs: {error}{}", last_words(&messages))),
    }
}

/// Limits memory and files of the program, a moment after its start. Its later child processes inherit the limits.
fn limit(child: &Child, limits: EngineLimits) -> io::Result<()> {
    for (resource, most) in [(Resource::As, limits.memory), (Resource::Fsize, limits.file)] {
        let most = Some(most);
        match prlimit(pid(child), resource, Rlimit { current: most, maximum: most }) {
            // It has ended already.
            Ok(_) | Err(rustix::io::Errno::SRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits for the end of the program; `None` if it takes too long.
fn wait(child: &mut Child, longest: Duration) -> io::Result<Option<ExitStatus>> {
    let begin = Instant::now();
    loop {
        match child.try_wait()? {
            None if begin.elapsed() < longest => sleep(CHECK_INTERVAL),
            ended => return Ok(ended),
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills the program and its child processes.
fn kill(child: &mut Child) {
    if let Some(group) = pid(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // Reap the killed process, so that it does not stay a zombie.
    let _ = child.wait();
}

fn read_limited(path: &std::path::Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    // A named pipe in its place would block.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if File::open(path)?.take(most + 1).read_to_string(&mut text)? as u64 > most {
        return Err(io::Error::other(format!("they have more than {most} bytes")));
    }
    Ok(text)
}

/// Returns the last line that the program wrote for people, after a colon.
fn last_words(messages: &std::path::Path) -> String {
    last_line(&fs::read(messages).unwrap_or_default()).map_or(String::new(), |words| format!(": {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script, "sh"].map(str::to_owned).to_vec()
    }

    /// Waits until the limits are set.
    const LIMITED: &str = "while [ \"$(ulimit -f)\" = unlimited ]; do sleep 0.01; done";

    /// Fills its memory.
    const GREEDY: &str = r#"exec awk 'BEGIN { s = "xxxxxxxx"; while (1) s = s s }'"#;

    #[test]
    fn program_gets_file_and_writes_pairs() {
        let script = r#"[ "$1" = --dutch ] && [ "$3" = -p ] && cat "$2" >"$4" && pwd >>"$4" && ulimit -v >>"$4""#;
        let output = run_engine(&shell(&format!("{LIMITED}; {script}")), "1\n1 2\n").unwrap();
        let mut lines = output.lines();
        assert_eq!((lines.next(), lines.next()), (Some("1"), Some("1 2")));
        let folder = lines.next().unwrap();
        assert_eq!(lines.next(), Some("262144"), "kilobytes");
        assert!(folder.contains("damcast-pairing-") && !std::path::Path::new(folder).exists(), "{folder}");
    }

    #[test]
    fn failures_are_reported() {
        for (script, what) in [
            ("echo 'no pairing\u{1b}[2J' >&2; exit 3", "failed (exit status: 3): no pairing\\u{1b}[2J"),
            ("exit 0", "wrote no pairs: No such file"),
            (r#"mkfifo "$4""#, "wrote no pairs: it is no file"),
            (r#"head -c 100000 /dev/zero >"$4""#, "more than 65536 bytes"),
            (&format!(r#"{LIMITED}; head -c 100000000 /dev/zero >"$4""#), "failed"),
            (&format!(r#"{LIMITED}; {GREEDY}"#), "failed"),
        ] {
            let error = run_engine(&shell(script), "").unwrap_err();
            assert!(error.starts_with("the pairing program sh ") && error.contains(what), "{script}: {error}");
            assert!(!error.contains('\u{1b}'), "{error}");
        }
        let absent = run_engine(&["/nonexistent/engine".to_owned()], "").unwrap_err();
        assert!(absent.contains("cannot be started"), "{absent}");
        assert!(run_engine(&[], "").unwrap_err().contains("no pairing program is configured"));
    }

    #[test]
    fn slow_program_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let script = format!("mkfifo {0}; (exec 3<>{0}; sleep 600) & wait", fifo.display());
        let limits = EngineLimits { time: Duration::from_millis(500), ..LIMITS };
        let begin = Instant::now();
        let error = run_within(&shell(&script), "", limits).unwrap_err();
        assert!(error.contains("took longer than 0 s and was killed"), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(30));
        // Nobody holds the pipe: opening it for writing without waiting fails.
        let open = || {
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            rustix::fs::open(&fifo, flags, rustix::fs::Mode::empty())
        };
        while open().is_ok() {
            assert!(begin.elapsed() < Duration::from_secs(30), "a child process lives on");
            sleep(CHECK_INTERVAL);
        }
    }
}
