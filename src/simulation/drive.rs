//! A simulated board against the recorder, in virtual time, within one process.

use hardware_sim::world::World;

use crate::millis::Millis;
use crate::session::{Effect, Input, Line, Output};

/// Whoever records what a board says: this program, or a simple rule to compare it with.
pub trait Recorder {
    /// Takes an input; says what is to be done.
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output>;
    /// When to be called again though nothing happens.
    fn deadline(&self) -> Option<Millis>;
}

impl Recorder for Line {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        Line::handle(self, now, input)
    }

    fn deadline(&self) -> Option<Millis> {
        Line::deadline(self)
    }
}

/// Everything a recorder heard and said while a board was played.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// What came from the board, in order.
    pub inputs: Vec<(Millis, Input)>,
    /// All outputs in order.
    pub outputs: Vec<Output>,
}

impl Record {
    /// The lines of the live files, in order.
    pub fn lines(&self) -> impl Iterator<Item = (Millis, &str)> {
        self.outputs.iter().filter_map(|output| match &output.effect {
            Effect::Append(text) => Some((output.at, text.as_str())),
            _ => None,
        })
    }

    /// The lines of movetext, without the number and the clock comment: moves and setups.
    pub fn entries(&self) -> Vec<(Millis, String)> {
        let movetext = self.lines().filter(|(_, line)| !line.is_empty() && !line.starts_with('[') && *line != "*");
        movetext.map(|(at, line)| (at, bare_entry(line).to_owned())).collect()
    }
}

/// A line of movetext without its number and its comment.
pub fn bare_entry(line: &str) -> &str {
    let line = line.split(" {").next().unwrap_or_default();
    if line.starts_with('/') { line } else { line.rsplit(' ').next().unwrap_or_default() }
}

/// Plays a world to its end against a recorder, and `after_ms` longer. `request`: what an operator asks for at the start.
pub fn drive(world: &mut World, recorder: &mut dyn Recorder, request: Option<String>, after_ms: u64) -> Record {
    let mut record = Record::default();
    let mut inputs = vec![(0, Input::LinkUp)];
    inputs.extend(request.map(|request| (0, Input::Operator(request))));
    loop {
        for (at, input) in inputs.drain(..) {
            record.inputs.push((Millis(at), input.clone()));
            for output in recorder.handle(Millis(at), input) {
                if let Effect::Send(bytes) = &output.effect {
                    world.host(output.at.0, bytes);
                }
                record.outputs.push(output);
            }
        }
        let end = world.end_ms() + after_ms;
        let next = [world.next_time(), recorder.deadline().map(|at| at.0)].into_iter().flatten().min();
        let Some(next) = next.filter(|&next| next <= end) else { return record };
        inputs.extend(world.advance(next).into_iter().map(|(at, bytes)| (at, Input::Bytes(bytes))));
        if recorder.deadline().is_some_and(|at| at.0 <= next) {
            inputs.push((next, Input::Tick));
        }
    }
}
