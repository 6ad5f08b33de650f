//! Faults of a bus: reports lost for good, a line that dies silently, an operator who holds publication.

use std::collections::BTreeMap;

use damcast::engine::millis::Millis;
use damcast::engine::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus};
use hardware_sim::incident::{Incident, IncidentKind};

use crate::bus::{Bus, BusRecording, assert_all_recorded};
use crate::games::playable;

/// A recorder whose machine loses power: the end of its log was not on the disk yet. The boards never repeat the reports of that time.
struct PowerLossRecorder {
    settings: LineSettings,
    line: Line,
    inputs: Vec<(Millis, Input)>,
    outputs: Vec<Output>,
    /// Inputs received after the first of these times are lost at the second.
    gap: Option<(Millis, Millis)>,
}

impl PowerLossRecorder {
    fn new(settings: LineSettings, from_ms: u64, until_ms: u64) -> PowerLossRecorder {
        let line = Line::new(settings.clone());
        let gap = Some((Millis(from_ms), Millis(until_ms)));
        PowerLossRecorder { settings, line, inputs: Vec::new(), outputs: Vec::new(), gap }
    }

    fn restart(&mut self, known_until: Millis, now: Millis) -> Vec<Output> {
        self.line = Line::new(self.settings.clone());
        self.inputs.retain(|(at, _)| *at <= known_until);
        self.outputs.clear();
        for (at, input) in &self.inputs {
            self.outputs.extend(self.line.handle(*at, input.clone()));
        }
        self.outputs.extend(self.line.handle(known_until, Input::LinkDown));
        self.line.handle(now, Input::LinkUp)
    }
}

impl RecorderDriver for PowerLossRecorder {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        if let Some((from, _)) = self.gap.take_if(|(_, until)| *until <= now) {
            outputs = self.restart(from, now);
        }
        self.inputs.push((now, input.clone()));
        outputs.extend(self.line.handle(now, input));
        self.outputs.extend(outputs.iter().cloned());
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Plays four boards and loses this many milliseconds of their reports in the middle. Returns the recording and the number of memory
/// requests.
fn lose_reports(lost_ms: u64, start_tag: &str) -> (Bus, BusRecording, usize) {
    let bus = Bus::new(&playable("international"), 4, 30);
    let mut world = bus.world();
    let from = world.end_ms() / 2;
    let mut settings = bus.settings();
    settings.set("bus-start-tag", start_tag).unwrap();
    let mut forgetful = PowerLossRecorder::new(settings, from, from + lost_ms);
    drive_bus(&mut world, &mut forgetful, 20_000, |_, _| {});
    let mut recorded = BusRecording::default();
    let asks_for_memory = |output: &&Output| matches!(&output.effect, Effect::Send(bytes) if bytes[0] == 0x86);
    let asked = forgetful.outputs.iter().filter(asks_for_memory).count();
    forgetful.outputs.into_iter().for_each(|output| recorded.apply_effects(output));
    (bus, recorded, asked)
}

#[test]
fn lost_reports_are_read_from_memory() {
    for lost_ms in [5_000, 60_000] {
        let (bus, recorded, asked) = lose_reports(lost_ms, "true");
        assert!(asked > 0, "{lost_ms} ms are lost, and no memory is asked for");
        assert_all_recorded(&bus, &recorded);
    }
}

/// Without our start tag the start of this game in the memory is unknown; a setup continues the game.
#[test]
fn lost_reports_without_start_tag_cost_setup() {
    let (bus, recorded, asked) = lose_reports(60_000, "false");
    assert_eq!(asked, 0);
    for (board, moves) in bus.moves() {
        let entries = &recorded.entries[&board];
        let setups = entries.iter().filter(|entry| entry.starts_with('/')).count();
        assert!(setups <= 1, "board {board}: {entries:?}");
        let mut rest = moves.as_slice();
        for entry in entries.iter().filter(|entry| !entry.starts_with('/')) {
            let at = rest.iter().position(|played| played == entry);
            rest = &rest[1 + at.unwrap_or_else(|| panic!("board {board}: {entry} is false in {entries:?}"))..];
        }
        assert!(rest.is_empty(), "board {board}: the end is missing: {entries:?}");
    }
}

#[test]
fn reopens_line_if_all_boards_fall_silent() {
    let bus = Bus::new(&playable("international"), 4, 24);
    let end = bus.world().end_ms();
    let silent = end / 3;
    let incidents = vec![
        Incident::new(silent, IncidentKind::LinkDead),
        Incident::new(silent + 100_000, IncidentKind::LinkRestored),
    ];
    let bus = bus.with(incidents);
    let (mut reopened, mut recorded) = (Vec::new(), BusRecording::default());
    drive_bus(&mut bus.world(), &mut Line::new(bus.settings()), 20_000, |_, output| {
        if matches!(output.effect, Effect::Reopen { .. }) {
            reopened.push(output.at.0);
        }
        recorded.apply_effects(output);
    });
    let first = reopened[0];
    assert!((silent + 5_000..=silent + 15_000).contains(&first), "silent from {silent} on: {reopened:?}");
    assert!(reopened.len() <= 5, "ever more rarely: {reopened:?}");
    assert_all_recorded(&bus, &recorded);
}

#[test]
fn one_answering_board_keeps_line_open() {
    let bus = Bus::new(&playable("international"), 3, 12);
    let incidents = (0..2).map(|index| Incident::new(20_000, IncidentKind::BoardDisconnected(index))).collect();
    let bus = bus.with(incidents);
    drive_bus(&mut bus.world(), &mut Line::new(bus.settings()), 60_000, |_, output| {
        assert!(!matches!(output.effect, Effect::Reopen { .. }), "at {}", output.at);
    });
}

/// Returns the lines of each board's file with their times.
fn lines(bus: &Bus, requests: &[(u64, String)]) -> BTreeMap<BusAddress, Vec<(u64, String)>> {
    struct RequestLog<'a> {
        line: Line,
        requests: &'a [(u64, String)],
    }
    impl RecorderDriver for RequestLog<'_> {
        fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
            let mut outputs = Vec::new();
            while let Some(((_, request), rest)) = self.requests.split_first().filter(|((at, _), _)| *at <= now.0) {
                outputs.extend(self.line.handle(now, Input::Request(request.parse().unwrap())));
                self.requests = rest;
            }
            outputs.extend(self.line.handle(now, input));
            outputs
        }
        fn deadline(&self) -> Option<Millis> {
            self.line.deadline()
        }
    }
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut asked = RequestLog { line: Line::new(bus.settings()), requests };
    drive_bus(&mut bus.world(), &mut asked, 20_000, |_, output| {
        if let Some(board) = output.board {
            let new = output.effect.lines().into_iter().map(|line| (output.at.0, line));
            lines.entry(board).or_default().extend(new);
        }
    });
    lines
}

#[test]
fn held_board_does_not_hold_others() {
    let bus = Bus::new(&playable("international"), 3, 16);
    let end = bus.world().end_ms();
    let (hold, release) = (end / 4, 3 * end / 4);
    let held = Bus::address(1);
    let free = lines(&bus, &[]);
    let holding = lines(&bus, &[(hold, format!("{held} hold")), (release, format!("{held} release"))]);
    for (board, free) in free {
        let texts = |lines: &[(u64, String)]| lines.iter().map(|(_, line)| line.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&holding[&board]), texts(&free), "board {board}");
        let meanwhile = holding[&board].iter().filter(|(at, _)| (hold + 1_000..release).contains(at)).count();
        assert_eq!(meanwhile == 0, board == held, "{meanwhile} lines of board {board} while {held} was held back");
    }
}

/// Names are set for a board that the new line has not found yet, and the settings change once more before it is found.
#[test]
fn request_for_missing_board_stays_pending() {
    let bus = Bus::new(&playable("international"), 2, 4);
    let mut settings = bus.settings();
    settings.boards.clear();
    let board = Bus::address(1);
    let request = |line: &mut Line, text: &str| line.handle(Millis::ZERO, Input::Request(text.parse().unwrap()));
    let mut line = Line::new(settings.clone());
    let names = "names A / B";
    let when_found = format!("when-found {board} {names}");
    let refused = request(&mut line, &format!("{board} {names}"));
    assert!(matches!(&refused[0].effect, Effect::Refused(why) if why.contains("there is no board")), "{refused:?}");
    for again in 0..3 {
        request(&mut line, &when_found);
        assert_eq!(line.pending_requests(), [when_found.parse().unwrap()], "after {again} more reloads");
        line = Line::new(settings.clone());
    }
    request(&mut line, &when_found);
    let mut heads: BTreeMap<Option<BusAddress>, Vec<String>> = BTreeMap::new();
    let mut line = WatchedLine { line, pending: Vec::new() };
    drive_bus(&mut bus.world(), &mut line, 20_000, |_, output| {
        heads.entry(output.board).or_default().extend(output.effect.lines());
    });
    let has_name_tag = |board: usize| heads[&Some(Bus::address(board))].iter().any(|line| line == "[White \"A\"]");
    assert!(has_name_tag(1) && !has_name_tag(0), "{heads:#?}");
    assert!(line.pending.iter().all(|count| *count <= 1), "reported once");
}

/// A line, and the number of pending requests over time.
struct WatchedLine {
    line: Line,
    pending: Vec<usize>,
}

impl RecorderDriver for WatchedLine {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let outputs = self.line.handle(now, input);
        self.pending.push(self.line.pending_requests().len());
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Returns White's and Black's time of a clock comment, in seconds.
fn clocks(line: &str) -> Option<[u64; 2]> {
    let (_, comment) = line.split_once("[%clock ")?;
    let (times, _) = comment.split_once(']')?;
    let seconds = |time: &str| {
        let parts = time[1..].split(':').map(|part| part.parse::<u64>().unwrap());
        parts.fold(0, |sum, part| sum * 60 + part)
    };
    let (white, black) = times.split_once(' ')?;
    Some([seconds(white), seconds(black)])
}

#[test]
fn clock_times_in_files_match_presses() {
    let bus = Bus::new(&playable("international"), 12, 16);
    let mut world = bus.world();
    let mut lines: BTreeMap<BusAddress, Vec<String>> = BTreeMap::new();
    drive_bus(&mut world, &mut Line::new(bus.settings()), 20_000, |_, output| {
        if let (Some(board), Effect::Entry { entry, .. }) = (output.board, output.effect) {
            lines.entry(board).or_default().push(entry.line());
        }
    });
    let (mut shown, mut plies) = (0, 0);
    for (index, seat) in world.seats().iter().enumerate() {
        let board = Bus::address(index);
        for (line, truth) in lines[&board].iter().zip(seat.ply_times()) {
            plies += 1;
            let Some(file_times) = clocks(line) else { continue };
            let pressed = truth.clocks.unwrap();
            let truth = [pressed.white_ms, pressed.black_ms];
            for (file_times, truth) in file_times.into_iter().zip(truth) {
                // A clock shows whole seconds; some round up, others down.
                assert!((file_times * 1_000).abs_diff(truth) <= 1_000, "board {board}: {line}, in truth {truth} ms");
            }
            shown += 1;
        }
    }
    println!("{shown} of {plies} plies have their clocks");
    assert!(shown * 100 >= plies * 97, "{shown} of {plies}");
}
