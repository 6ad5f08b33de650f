//! Runs the commands of `docs/arbiter.md`, as printed, on a copy of the sample tournament with a station and simulated boards.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::Signal;

use crate::daemon::Station;
use crate::program::damcast;
use crate::pty::wait_until;

const PAGE: &str = "docs/arbiter.md";
const SAMPLE: &str = "config/examples/tournament";
/// How many times faster than people the players of this test are.
const SPEED: &str = "200";

/// Simulated boards. Dropping them stops the program.
struct Boards(Child);

impl Drop for Boards {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A copy of the sample tournament, and what runs in it.
struct Sample {
    folder: tempfile::TempDir,
    /// The shell function of the page that adds the configuration to each command; empty outside its validity.
    function: String,
    station: Option<Station>,
    boards: Option<Boards>,
}

impl Sample {
    fn copy() -> Sample {
        let folder = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(SAMPLE).unwrap().map(Result::unwrap) {
            let text = fs::read_to_string(entry.path()).unwrap();
            let text = text.replace("time-scale = 20\n", &format!("time-scale = {SPEED}\n"));
            fs::write(folder.path().join(entry.file_name()), text).unwrap();
        }
        Sample { folder, function: String::new(), station: None, boards: None }
    }

    /// Runs a command in the shell, with the programs under test.
    fn shell(&self, command: &str) -> Output {
        let programs = Path::new(env!("CARGO_BIN_EXE_damcast")).parent().unwrap().display().to_string();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        let script = format!("{}\n{command}", self.function);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).current_dir(self.folder.path()).env("PATH", path).stdin(Stdio::null());
        shell.output().unwrap()
    }

    fn start_station(&mut self) {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        command.current_dir(self.folder.path());
        command.env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC").env_remove("RUNTIME_DIRECTORY");
        self.station = Some(Station::spawn(command));
        wait_until("the station answers", || self.shell("damcast status").status.success());
    }

    fn start_boards(&mut self, arguments: &str) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boardsim"));
        command.args(arguments.split_whitespace()).args(["--speed", SPEED]).current_dir(self.folder.path());
        self.boards = Some(Boards(command.stdout(Stdio::null()).spawn().unwrap()));
        // Before its first move a board's clock is stopped too.
        wait_until("both games are over", || {
            let status = self.shell("damcast status --json").stdout;
            let status: serde_json::Value = serde_json::from_slice(&status).unwrap_or_default();
            let boards = status["boards"].as_array().into_iter().flatten();
            boards.filter(|board| board["plies"] == 10 && board["state"] == "clock-stopped").count() == 2
        });
    }

    /// Runs a line of the page; returns what it printed if it fails.
    fn run_line(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("damcast() ") {
            self.function = line.to_owned();
        } else if line.starts_with("unset -f damcast") {
            self.function.clear();
        } else if line.starts_with("damcast run ") {
            self.start_station();
        } else if let Some(arguments) = line.strip_prefix("boardsim ") {
            self.start_boards(arguments.trim_end_matches('&'));
        } else if !line.starts_with("cp ") {
            let output = self.shell(line);
            if !output.status.success() {
                let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                return Err(format!("$ {line}\n{out}{err}"));
            }
        }
        Ok(())
    }
}

/// The commands of the `sh` blocks.
fn blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect()
}

/// The requests to a station that the text and the tables name.
fn inline_requests(page: &str) -> Vec<String> {
    let text = page.split("```").step_by(2).collect::<String>();
    let code = text.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "));
    code.filter(|code| code.starts_with("damcast ctl ") && code.split_whitespace().count() > 3).collect()
}

#[test]
fn arbiter_page_commands_run_on_sample() {
    let page = fs::read_to_string(PAGE).unwrap();
    let mut sample = Sample::copy();
    let commands = blocks(&page);
    assert!(commands.len() > 30, "only {} commands were found", commands.len());
    let mut function = String::new();
    for line in commands {
        if let Err(error) = sample.run_line(line) {
            panic!("{PAGE}: {error}");
        }
        if !sample.function.is_empty() {
            function.clone_from(&sample.function);
        }
    }
    sample.function = function;
    let requests = inline_requests(&page);
    assert!(requests.len() > 15, "only {} requests were found", requests.len());
    for request in requests {
        // Some need another state of the tournament and are refused (1), but all are understood.
        let output = sample.shell(&format!("{request} --dry-run"));
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{PAGE}: $ {request}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut station = sample.station.take().expect("the page starts a station");
    assert!(station.signal(Signal::TERM).success());
}
