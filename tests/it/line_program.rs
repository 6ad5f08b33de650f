//! The program `damcast line`, driven through its standard input and output as by any simulator.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use hardware_sim::world::World;

use crate::program::damcast;

/// The running program.
pub struct LineProgram {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    deadline: Option<u64>,
    /// The lines of the live file, with their times.
    pub lines: Vec<(u64, String)>,
    /// Notices to the operator, each with the number of lines before it.
    pub notices: Vec<(usize, String)>,
    /// Value that overwrote the Result tag.
    pub result: Option<String>,
}

impl LineProgram {
    /// Starts `damcast line` with these arguments.
    pub fn start(arguments: &[&str]) -> LineProgram {
        let arguments: Vec<&str> = ["line"].iter().chain(arguments).copied().collect();
        let mut child = damcast(&arguments).stdin(Stdio::piped()).spawn().expect("damcast starts");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        LineProgram { child, input, output, deadline: None, lines: Vec::new(), notices: Vec::new(), result: None }
    }

    /// Sends a record and handles the answers; bytes for the board go to it.
    pub fn send(&mut self, record: &str, world: &mut World) {
        writeln!(self.input, "{record}").unwrap();
        let mut answer = String::new();
        loop {
            answer.clear();
            assert!(self.output.read_line(&mut answer).unwrap() > 0, "no answer to {record}");
            let mut parts = answer.trim_end_matches('\n').splitn(3, ' ');
            let at: u64 = parts.next().unwrap().parse().unwrap();
            let (kind, rest) = (parts.next().unwrap(), parts.next().unwrap_or(""));
            match kind {
                ">" => {
                    let byte = |index: usize| u8::from_str_radix(&rest[index..index + 2], 16).unwrap();
                    let bytes: Vec<u8> = (0..rest.len()).step_by(2).map(byte).collect();
                    world.receive(at, &bytes);
                }
                "+" => self.lines.push((at, rest.to_owned())),
                "." => {
                    self.deadline = rest.parse().ok();
                    return;
                }
                "?" => self.notices.push((self.lines.len(), rest.to_owned())),
                "=" => self.result = Some(rest.to_owned()),
                other => panic!("`{other}` in {answer}"),
            }
        }
    }

    /// Plays a board to its end, and some seconds longer.
    pub fn play(&mut self, world: &mut World) {
        self.send("0 = up", world);
        self.continue_play(world);
    }

    /// Plays on a line that is already up.
    pub fn continue_play(&mut self, world: &mut World) {
        loop {
            let next = [world.next_time(), self.deadline].into_iter().flatten().min();
            let Some(next) = next.filter(|&next| next <= world.end_ms() + 20_000) else { return };
            for (at, bytes) in world.advance(next) {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                self.send(&format!("{at} < {hex}"), world);
            }
            if self.deadline.is_some_and(|deadline| deadline <= next) {
                self.send(&format!("{next} ."), world);
            }
        }
    }

    /// Returns the moves and setups of the live file, with their clocks.
    pub fn movetext(&self) -> Vec<&str> {
        let lines = self.lines.iter().map(|(_, line)| line.as_str());
        lines.filter(|line| !line.is_empty() && !line.starts_with('[') && *line != "*").collect()
    }

    /// Ends the input; the program must succeed.
    pub fn end(self) {
        let LineProgram { mut child, input, .. } = self;
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}
