//! Runs simulated boards against the recorder, in virtual time, within one process.

use damcast_engine::livefile::Entry;
use damcast_engine::millis::Millis;
use damcast_engine::session::request::{OperatorCommand, Request, Target};
use damcast_engine::session::{Effect, Input, Line, LiveUpdate, Output};
use hardware_sim::bus::{BusWorld, HostEvent};
use hardware_sim::world::World;

/// Recorder of a board: this program, or a baseline.
pub trait RecorderDriver {
    /// Handles an input; returns the outputs.
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output>;
    /// Returns the time of the next call without input.
    fn deadline(&self) -> Option<Millis>;
}

impl RecorderDriver for Line {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        Line::handle(self, now, input)
    }

    fn deadline(&self) -> Option<Millis> {
        Line::deadline(self)
    }
}

/// Inputs and outputs of a recorder during a game.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Inputs from the board, in order.
    pub inputs: Vec<(Millis, Input)>,
    /// Outputs, in order.
    pub outputs: Vec<Output>,
}

impl Record {
    /// Returns the record without the outputs of the games before the one with this index.
    pub fn of_game(&self, index: usize) -> Record {
        let is_opened = |output: &Output| matches!(output.effect, Effect::GameOpened(_));
        let mut games = 0;
        let is_later = |output: &&Output| {
            games += usize::from(is_opened(output));
            index == 0 || games > index
        };
        Record { inputs: Vec::new(), outputs: self.outputs.iter().filter(is_later).cloned().collect() }
    }

    /// Returns the lines of the live files, in order.
    pub fn lines(&self) -> impl Iterator<Item = (Millis, String)> {
        self.outputs.iter().flat_map(|output| output.effect.lines().into_iter().map(|line| (output.at, line)))
    }

    /// Returns the moves and setups, without number and clock comment.
    pub fn entries(&self) -> Vec<(Millis, String)> {
        let entries = self.outputs.iter().filter_map(|output| match &output.effect {
            Effect::Entry { entry, .. } => Some((output.at, strip_entry(entry))),
            _ => None,
        });
        entries.collect()
    }
}

/// Counts of announced plies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Announcements {
    /// For each published entry, in order: time since which it had been announced.
    pub announced_at: Vec<Option<Millis>>,
    /// Announced plies that were published.
    pub published: usize,
    /// Announced plies that were withdrawn.
    pub withdrawn: usize,
}

impl Record {
    /// Counts how the entries were announced.
    pub fn announcements(&self) -> Announcements {
        let mut announcements = Announcements::default();
        let mut pending: Vec<(String, Millis)> = Vec::new();
        for Output { at, effect, .. } in &self.outputs {
            match effect {
                Effect::Entry { entry, .. } => {
                    let is_first = pending.first().is_some_and(|(text, _)| *text == strip_entry(entry));
                    announcements.published += usize::from(is_first);
                    announcements.announced_at.push(is_first.then(|| pending.remove(0).1));
                }
                Effect::LiveUpdate(LiveUpdate::LikelyMoves(moves)) => {
                    let mut before = std::mem::take(&mut pending);
                    for text in moves {
                        let known = before.iter().position(|(known, _)| known == text);
                        pending.push(known.map_or((text.clone(), *at), |known| before.remove(known)));
                    }
                    announcements.withdrawn += before.len();
                }
                _ => {}
            }
        }
        announcements
    }
}

/// Returns the text of an entry without number and clocks.
pub fn strip_entry(entry: &Entry) -> String {
    Entry::new(entry.kind.clone()).text()
}

/// Runs a world to its end against a recorder, and `after_ms` longer. `request`: the operator's request at the start.
pub fn drive(
    world: &mut World,
    recorder: &mut dyn RecorderDriver,
    request: Option<OperatorCommand>,
    after_ms: u64,
) -> Record {
    let mut record = Record::default();
    let mut inputs = vec![(0, Input::LinkUp)];
    inputs.extend(
        request.map(|board_command| (0, Input::Request(Request { target: Target::OnlyBoard, command: board_command }))),
    );
    loop {
        for (at, input) in inputs.drain(..) {
            record.inputs.push((Millis(at), input.clone()));
            for output in recorder.handle(Millis(at), input) {
                if let Effect::Send(bytes) = &output.effect {
                    world.receive(output.at.0, bytes);
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

/// Runs the boards of one line to their end against a recorder, and `after_ms` longer. Every output goes to `hear`, after its bytes were
/// sent.
pub fn drive_bus(
    world: &mut BusWorld,
    recorder: &mut impl RecorderDriver,
    after_ms: u64,
    mut hear: impl FnMut(&BusWorld, Output),
) {
    let mut inputs = vec![(world.now_ms(), Input::LinkUp)];
    loop {
        for (at, input) in inputs.drain(..) {
            for output in recorder.handle(Millis(at), input) {
                if let Effect::Send(bytes) = &output.effect {
                    world.receive(output.at.0, bytes);
                }
                hear(world, output);
            }
        }
        let end = world.end_ms() + after_ms;
        let next = [world.next_time(), recorder.deadline().map(|at| at.0)].into_iter().flatten().min();
        let Some(next) = next.filter(|&next| next <= end) else { return };
        inputs.extend(world.advance(next).into_iter().map(|(at, happening)| (at, input(happening))));
        if recorder.deadline().is_some_and(|at| at.0 <= next) {
            inputs.push((next, Input::Tick));
        }
    }
}

fn input(happening: HostEvent) -> Input {
    match happening {
        HostEvent::Bytes(bytes) => Input::Bytes(bytes),
        HostEvent::Unplugged => Input::LinkDown,
        HostEvent::Plugged => Input::LinkUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use crate::scenario::{BoardPlan, LinePlan, Scenario};
    use damcast_engine::livefile::LiveFileContents;
    use damcast_engine::session::LineSettings;

    /// Records the first plies of a game, on a board alone on a line with these faults.
    fn recorded(faults: &[&str]) -> (Vec<String>, usize) {
        let board = BoardPlan { games: vec![1], plies: Some(12), ..BoardPlan::default() };
        let faults = faults.iter().map(|fault| (*fault).to_owned()).collect();
        let line = LinePlan { faults, board: vec![board], ..LinePlan::default() };
        let scenario = Scenario { line: vec![line], ..Scenario::default() };
        let mut ready = scenario.lines(std::path::Path::new(".")).unwrap();
        let world = &mut ready[0].world;
        let variant = games::from_pdn("demo", games::DEMONSTRATION, None, Some(1)).unwrap()[0].start.variant();
        let mut record = Record::default();
        let mut recorder = Line::new(LineSettings::new(variant));
        drive_bus(world, &mut recorder, 30_000, |_, output| record.outputs.push(output));
        (record.entries().into_iter().map(|(_, entry)| entry).collect(), world.to_host().injected_faults().len())
    }

    #[test]
    fn board_alone_on_bus_matches_single_board() {
        let (entries, strikes) = recorded(&[]);
        assert_eq!((entries.len(), strikes), (12, 0), "{entries:?}");
        assert_eq!(entries[..3], ["32-28", "16-21", "31-26"]);
        // Also with late bytes, and with a byte lost in the middle.
        let (late, strikes) = recorded(&["delay=0.002", "lose@700"]);
        assert!(strikes > 1);
        assert_eq!(late, entries);
    }

    #[test]
    fn announcement_is_kept_or_withdrawn() {
        let texts = |moves: &[&str]| moves.iter().map(|&text| text.to_owned()).collect();
        let provisional = |moves: &[&str]| Effect::LiveUpdate(LiveUpdate::LikelyMoves(texts(moves)));
        let text = "[Result \"*\"]\n\n\n\n1. 32-28 {[%clock w0:10:00 B0:10:00]}\n19-23\n2. 28x19\n";
        let mut entries = LiveFileContents::parse(1, text).unwrap().entries.into_iter();
        let mut publish = || Effect::Entry { entry: Box::new(entries.next().unwrap()), reason: None };
        let effects = [
            provisional(&["31-27"]),
            provisional(&["32-28"]),
            provisional(&["32-28", "19-23"]),
            publish(),
            provisional(&["19-23"]),
            publish(),
            provisional(&[]),
            publish(),
        ];
        let outputs =
            effects.into_iter().zip(0..).map(|(effect, at)| Output { at: Millis(at), board: None, effect }).collect();
        let announcements = Record { inputs: Vec::new(), outputs }.announcements();
        assert_eq!(announcements.announced_at, [Some(Millis(1)), Some(Millis(2)), None]);
        assert_eq!((announcements.published, announcements.withdrawn), (2, 1));
    }
}
