//! Runs a command that an operator configured: the alarm command, the command of a delivery.
//!
//! Invariants: no shell reads the arguments; the command ends within its time limit or is killed with all its child processes; its output
//! takes a bounded amount of memory; dropping the call kills the command.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Number of bytes kept of the end of the output.
const MAX_OUTPUT_LEN: usize = 4096;
/// Maximum number of bytes read after the end of the command: the capacity of a pipe. A child process may write on for ever.
const PIPE_CAPACITY: usize = 64 << 10;
/// Longest message that is shown, in characters.
const MAX_MESSAGE_LEN: usize = 300;
/// Time in which a killed process ends.
const REAP_TIMEOUT: Duration = Duration::from_secs(1);

/// Treatment of the output, and of child processes that outlive the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HookKind {
    /// Discards the output and lets child processes live on, such as a player of a sound.
    Detached,
    /// Captures the end of the output and kills child processes.
    Contained,
}

/// Call of a command.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'c> {
    /// Program and its arguments; an empty list does nothing.
    pub command: &'c [String],
    /// Environment variables to set.
    pub variables: &'c [(&'c str, &'c OsStr)],
    /// Standard input.
    pub input: &'c [u8],
    /// Time limit.
    pub time_limit: Duration,
    /// Treatment of output and child processes.
    pub kind: HookKind,
}

/// Failure of a command.
#[derive(Debug)]
pub enum HookError {
    /// The command cannot be started or awaited.
    Io(io::Error),
    /// The command failed; its last line of output, if there is any.
    Failed(ExitStatus, Option<String>),
    /// The command was killed at its time limit; its last line of output, if there is any.
    TookTooLong(Duration, Option<String>),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            HookError::Io(error) => return write!(f, "{error}"),
            HookError::Failed(status, words) => {
                write!(f, "it ended with {status}")?;
                words
            }
            HookError::TookTooLong(limit, words) => {
                write!(f, "it took longer than {} s and was killed", limit.as_secs())?;
                words
            }
        };
        words.as_ref().map_or(Ok(()), |words| write!(f, ": {words}"))
    }
}

impl std::error::Error for HookError {}

impl From<io::Error> for HookError {
    fn from(error: io::Error) -> HookError {
        HookError::Io(error)
    }
}

/// Kills a process group when it is dropped.
struct GroupKiller(Option<Pid>);

impl Drop for GroupKiller {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// End of an output.
#[derive(Default)]
struct OutputEnd(Vec<u8>);

impl OutputEnd {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let excess = self.0.len().saturating_sub(MAX_OUTPUT_LEN);
        self.0.drain(..excess);
    }

    /// Reads until the writers close the pipe.
    async fn read(&mut self, output: &pipe::Receiver) -> io::Result<()> {
        let mut buffer = [0; 4096];
        loop {
            output.readable().await?;
            match output.try_read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.push(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads the rest that the pipe has.
    fn drain(&mut self, output: &pipe::Receiver) {
        let mut buffer = [0; 4096];
        for _ in 0..PIPE_CAPACITY / buffer.len() {
            match output.try_read(&mut buffer) {
                Ok(count) if count > 0 => self.push(&buffer[..count]),
                _ => return,
            }
        }
    }
}

impl HookCall<'_> {
    /// Runs the command. Returns its last line of output, if there is any.
    ///
    /// # Errors
    ///
    /// Returns an error if the command cannot be started, fails or takes too long.
    pub async fn run(&self) -> Result<Option<String>, HookError> {
        let Some((program, arguments)) = self.command.split_first() else { return Ok(None) };
        let mut command = Command::new(program);
        command.args(arguments).envs(self.variables.iter().copied()).stdin(Stdio::piped());
        // The command is not part of the service and must not send notifications for it.
        command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
        command.process_group(0).kill_on_drop(true);
        let output = match self.kind {
            HookKind::Detached => {
                command.stdout(Stdio::null()).stderr(Stdio::null());
                None
            }
            HookKind::Contained => {
                let (reader, writer) = io::pipe()?;
                command.stdout(writer.try_clone()?).stderr(writer);
                Some(pipe::Receiver::from_owned_fd(reader.into())?)
            }
        };
        let mut child = command.spawn()?;
        // Closes the writing end of the pipe here, so that the end of the output is seen.
        drop(command);
        let mut killer = GroupKiller(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw));
        let mut end = OutputEnd::default();
        let ended = timeout(self.time_limit, finish(&mut child, self.input, output.as_ref(), &mut end)).await;
        if let (Some(output), Ok(_)) = (&output, &ended) {
            end.drain(output);
        }
        let words = last_line(&end.0);
        match ended {
            Ok(status) => {
                let status = status?;
                if self.kind == HookKind::Detached {
                    killer.0 = None;
                }
                if status.success() { Ok(words) } else { Err(HookError::Failed(status, words)) }
            }
            Err(_) => {
                drop(killer);
                // Reap the killed process, so that it does not stay a zombie.
                let _ = timeout(REAP_TIMEOUT, child.wait()).await;
                Err(HookError::TookTooLong(self.time_limit, words))
            }
        }
    }
}

/// Writes the input and reads the output until the command ends.
async fn finish(
    child: &mut Child,
    input: &[u8],
    output: Option<&pipe::Receiver>,
    end: &mut OutputEnd,
) -> io::Result<ExitStatus> {
    let stdin = child.stdin.take();
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command need not read its input.
            let _ = stdin.write_all(input).await;
        }
    };
    let read = async {
        if let Some(output) = output {
            let _ = end.read(output).await;
        }
    };
    tokio::select! {
        status = child.wait() => status,
        // A command may close its pipes and go on.
        status = async { tokio::join!(write, read); std::future::pending().await } => status,
    }
}

/// Returns the last line of an output that is not blank, shortened and escaped.
pub fn last_line(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&output[output.len().saturating_sub(MAX_OUTPUT_LEN)..]).into_owned();
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(last.chars().take(MAX_MESSAGE_LEN).flat_map(char::escape_debug).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    async fn run(script: &str, input: &[u8], time_limit: Duration, kind: HookKind) -> Result<Option<String>, String> {
        let command = ["sh", "-c", script].map(str::to_owned);
        let variables = [("DAMCAST_X", OsStr::new("y"))];
        let call = HookCall { command: &command, variables: &variables, input, time_limit, kind };
        call.run().await.map_err(|error| error.to_string())
    }

    /// Waits until no process holds the pipe open for reading.
    async fn assert_unread(fifo: &std::path::Path, begin: Instant) {
        let open = || {
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            rustix::fs::open(fifo, flags, rustix::fs::Mode::empty())
        };
        while open().is_ok() {
            assert!(begin.elapsed() < LONG, "a child process lives on");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn command_gets_input_and_variables() {
        let all = run("cat; echo; echo $DAMCAST_X >&2", b"abc", LONG, HookKind::Contained).await;
        assert_eq!(all, Ok(Some("y".to_owned())));
        assert_eq!(run("cat", b"abc", LONG, HookKind::Contained).await, Ok(Some("abc".to_owned())));
        assert_eq!(run("echo x", b"", LONG, HookKind::Detached).await, Ok(None));
        let input = vec![b'x'; 1 << 20];
        let count = run("cat | wc -c", &input, LONG, HookKind::Contained).await;
        assert_eq!(count, Ok(Some("1048576".to_owned())));
    }

    #[tokio::test]
    async fn failures_are_reported() {
        for (script, words) in [
            ("echo 'no \u{1b}[2J' >&2; exit 3", "it ended with exit status: 3: no \\u{1b}[2J"),
            ("exit 1", "it ended with exit status: 1"),
            ("kill -9 $$", "it ended with signal: 9 (SIGKILL)"),
        ] {
            assert_eq!(run(script, b"unread", LONG, HookKind::Contained).await, Err(words.to_owned()), "{script}");
        }
        let call = HookCall {
            command: &["/nonexistent/hook".to_owned()],
            variables: &[],
            input: b"",
            time_limit: LONG,
            kind: HookKind::Contained,
        };
        assert!(matches!(call.run().await, Err(HookError::Io(_))));
        assert!(matches!(HookCall { command: &[], ..call }.run().await, Ok(None)));
    }

    #[tokio::test]
    async fn endless_output_is_bounded_and_killed() {
        let error = run("exec yes", b"", Duration::from_secs(1), HookKind::Contained).await;
        assert_eq!(error, Err("it took longer than 1 s and was killed: y".to_owned()));
        let whole =
            run("head -c 100000000 /dev/zero | tr '\\0' 'a'; echo; echo end", b"", LONG, HookKind::Contained).await;
        assert_eq!(whole, Ok(Some("end".to_owned())));
    }

    #[tokio::test]
    async fn slow_command_is_killed_with_its_children() {
        for kind in [HookKind::Contained, HookKind::Detached] {
            let folder = tempfile::tempdir().unwrap();
            let fifo = folder.path().join("fifo");
            let script = format!("mkfifo {0}; (exec 3<>{0}; sleep 600) & wait", fifo.display());
            let begin = Instant::now();
            let error = run(&script, b"", Duration::from_millis(500), kind).await.unwrap_err();
            assert!(error.contains("took longer than 0 s and was killed"), "{error}");
            assert_unread(&fifo, begin).await;
        }
    }

    #[tokio::test]
    async fn contained_command_leaves_no_child() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let script = format!("mkfifo {0}; (exec 3<>{0}; echo x >&3; sleep 600) & read x <{0}", fifo.display());
        let begin = Instant::now();
        assert_eq!(run(&script, b"", LONG, HookKind::Contained).await, Ok(None));
        assert_unread(&fifo, begin).await;
    }

    #[tokio::test]
    async fn dropped_call_kills_command() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let script = format!("mkfifo {0}.new; (exec 3<>{0}.new; mv {0}.new {0}; sleep 600) & wait", fifo.display());
        let begin = Instant::now();
        tokio::select! {
            ended = run(&script, b"", LONG, HookKind::Detached) => panic!("{ended:?}"),
            () = async { while !fifo.exists() { tokio::time::sleep(Duration::from_millis(10)).await } } => {}
        }
        assert_unread(&fifo, begin).await;
    }
}
