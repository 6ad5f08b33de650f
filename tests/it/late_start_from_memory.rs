//! Games that began without a listener: the board's memory has them. They are published when play goes on, or when the operator accepts the
//! offer; never a game that the folder already has.

use std::collections::BTreeMap;

use damcast::engine::livefile::Entry;
use damcast::engine::millis::Millis;
use damcast::engine::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{Record, RecorderDriver, drive_bus, strip_entry};
use damcast::simulation::score::over_all_cores;
use draughts::Color;
use hardware_sim::bus::{BusWorld, HostEvent};

use crate::bus::Bus;
use crate::games::playable;
use crate::outages::{BoardSetup, Case, pool};

/// A line that starts to listen in the middle of a game, and a station that knows the games of its folder.
struct LateLine {
    line: Line,
    has_game: bool,
    /// Games looked up in the folder, as plies and setups.
    requested: Vec<Vec<Entry>>,
    published_unrequested: usize,
}

impl LateLine {
    fn new(case: &Case, has_game: bool) -> LateLine {
        let mut settings = LineSettings { finds_late_start: true, ..LineSettings::new(case.games[0].start.variant()) };
        settings.mode = case.mode();
        LateLine { line: Line::new(settings), has_game, requested: Vec::new(), published_unrequested: 0 }
    }
}

impl RecorderDriver for LateLine {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.line.handle(now, input);
        let asked: Vec<_> = outputs
            .iter()
            .filter_map(|output| match &output.effect {
                Effect::LookUpGame(entries) => Some((output.board, entries.clone())),
                _ => None,
            })
            .collect();
        // The first lookup decides about the offer, the second about the publication.
        if self.requested.len() < 2 {
            self.published_unrequested +=
                outputs.iter().filter(|output| matches!(output.effect, Effect::Entry { .. })).count();
        }
        for (board, entries) in asked {
            self.requested.push(entries);
            let answer = if self.has_game { "remembered known live/a-1.pdn" } else { "remembered new" };
            outputs.extend(self.line.handle(now, Input::Request(board_request(board, answer).parse().unwrap())));
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Returns a request about a board; on a bus it includes the address.
fn board_request(board: Option<BusAddress>, request: &str) -> String {
    board.map_or_else(|| request.to_owned(), |board| format!("{board} {request}"))
}

/// Returns a case in which the first third of the game, or half of it, has no listener.
fn case(kind: BoardSetup, seed: u64) -> Case {
    let mut case = Case::draw(&pool(), kind.into(), seed);
    (case.outage_start, case.outage_end) = (0, 0);
    case
}

fn listen(case: &Case, recorder: &mut LateLine) -> Record {
    let mut world = case.world();
    let listens_at = world.end_ms() / (2 + case.seed % 2);
    let _ = world.advance(listens_at);
    listen_to(world, recorder)
}

/// Listens after another station that recorded the beginning and is lost with all its files.
fn listen_after(case: &Case, lost: LineSettings, recorder: &mut LateLine) -> Record {
    let mut world = case.world();
    let listens_at = world.end_ms() / (2 + case.seed % 2);
    drive_until(&mut world, &mut Line::new(lost), |world, _| world.now_ms() >= listens_at);
    listen_to(world, recorder)
}

/// Drives a world until a condition holds.
fn drive_until(
    world: &mut BusWorld,
    recorder: &mut impl RecorderDriver,
    mut is_over: impl FnMut(&BusWorld, &[Output]) -> bool,
) {
    let mut inputs = vec![(world.now_ms(), Input::LinkUp)];
    loop {
        for (at, input) in std::mem::take(&mut inputs) {
            let outputs = recorder.handle(Millis(at), input);
            for output in &outputs {
                if let Effect::Send(bytes) = &output.effect {
                    world.receive(output.at.0, bytes);
                }
            }
            if is_over(world, &outputs) {
                return;
            }
        }
        assert!(!world.is_over(), "it has not happened");
        let next = [world.next_time(), recorder.deadline().map(|at| at.0)].into_iter().flatten().min().unwrap();
        inputs.extend(world.advance(next).into_iter().filter_map(|(at, happening)| match happening {
            HostEvent::Bytes(bytes) => Some((at, Input::Bytes(bytes))),
            HostEvent::Unplugged | HostEvent::Plugged => None,
        }));
        inputs.push((next, Input::Tick));
    }
}

fn listen_to(mut world: BusWorld, recorder: &mut LateLine) -> Record {
    let mut record = Record::default();
    drive_bus(&mut world, recorder, 40_000, |_, output| record.outputs.push(output));
    record
}

/// Returns the lines whose clock shows the time of the player who has just moved as running.
fn wrong_clocks(case: &Case, record: &Record) -> Vec<String> {
    let starter = case.games[0].start.variant().game_type.starter();
    let lines = record.lines().map(|(_, line)| line.to_owned());
    let is_wrong = |line: &String| {
        let is_of_starter = line.starts_with(|first: char| first.is_ascii_digit()) && line.contains(". ");
        let is_white = is_of_starter == (starter == Color::White);
        line.contains(if is_white { "[%clock W" } else { " B" })
    };
    lines.filter(|line| line.contains("[%clock")).filter(is_wrong).collect()
}

/// Asserts that every game is recorded from its first move, without a setup and with true clocks, after a request to the station.
fn check_recorded(kind: BoardSetup, listen: impl Fn(&Case, &mut LateLine) -> Record + Sync) {
    let cases: Vec<Case> = (0..24).map(|seed| case(kind, seed)).collect();
    let outcomes = over_all_cores(&cases, |case| {
        let mut recorder = LateLine::new(case, false);
        let record = listen(case, &mut recorder);
        (case.check(&record), recorder.requested.len(), recorder.published_unrequested, wrong_clocks(case, &record))
    });
    for (case, (outcome, asked, unasked, wrong)) in cases.iter().zip(&outcomes) {
        let story = outcome.story.join("\n");
        assert_eq!((outcome.files, outcome.lost, outcome.setups), (1, 0, 0), "{case}: {story}");
        assert!(outcome.untrue.is_empty(), "{case}: {:?}: {story}", outcome.untrue);
        assert_eq!((*asked, *unasked), (2, 0), "{case}: {story}");
        assert!(wrong.is_empty(), "{case}: {wrong:?}: {story}");
    }
}

#[test]
fn unseen_start_is_recorded_from_first_move() {
    check_recorded(BoardSetup::Single, listen);
}

#[test]
fn bus_start_is_in_unread_changes() {
    check_recorded(BoardSetup::Bus, listen);
}

/// A station lost its disk and logs: boards do not repeat reports, but the memory has them.
#[test]
fn bus_start_is_in_memory_if_changes_were_read() {
    for start_tag in ["true", "false"] {
        check_recorded(BoardSetup::Bus, |case, recorder| {
            let mut lost = LineSettings::new(case.games[0].start.variant());
            lost.mode = case.mode();
            lost.set("bus-start-tag", start_tag).unwrap();
            listen_after(case, lost, recorder)
        });
    }
}

/// The memories of many boards are read one after the other; in between the line polls all boards.
#[test]
fn bus_memories_are_read_singly_behind_polls() {
    let bus = Bus::new(&playable("international"), 8, 40);
    let mut world = bus.world();
    let half = world.end_ms() / 2;
    drive_until(&mut world, &mut Line::new(bus.settings()), |world, _| world.now_ms() >= half);
    let mut settings = bus.settings();
    settings.finds_late_start = true;
    settings.boards.values_mut().for_each(|board| board.finds_late_start = true);
    let mut recorder =
        LateLine { line: Line::new(settings), has_game: false, requested: Vec::new(), published_unrequested: 0 };
    let mut entries: BTreeMap<BusAddress, Vec<String>> = BTreeMap::new();
    let (mut sent, mut messages) = (Vec::new(), Vec::new());
    drive_bus(&mut world, &mut recorder, 40_000, |_, output| match (&output.effect, output.board) {
        (Effect::Entry { entry, .. }, Some(board)) => entries.entry(board).or_default().push(strip_entry(entry)),
        (Effect::Send(bytes), _) => sent.push((output.at.0, bytes[0])),
        (Effect::Notice(text), _) => messages.push(text.clone()),
        _ => {}
    });
    assert_eq!(entries, bus.moves(), "{messages:#?}");
    let read: Vec<usize> = (0..sent.len()).filter(|&index| sent[index].1 == 0x86).collect();
    assert_eq!(read.len(), 8);
    for pair in read.windows(2) {
        let took = sent[pair[0] + 1].0 - sent[pair[0]].0;
        let between = sent[pair[1]].0 - sent[pair[0] + 1].0;
        let polls = sent[pair[0]..pair[1]].iter().filter(|(_, command)| *command == 0x83).count();
        println!("a memory took {took} ms, then {polls} polls in {between} ms");
        assert!(between >= 2 * took && polls >= 8, "{took} ms, then {polls} polls in {between} ms");
    }
}

#[test]
fn game_in_folder_is_not_published_again() {
    let case = case(BoardSetup::Single, 3);
    let mut recorder = LateLine::new(&case, true);
    let record = listen(&case, &mut recorder);
    assert!(!recorder.requested.is_empty());
    assert!(record.outputs.iter().all(|output| !output.effect.changes_file()));
}

#[test]
fn recorded_game_that_still_stands_is_not_offered() {
    let case = case(BoardSetup::Single, 3);
    let mut world = case.world();
    let mut recorder = LateLine::new(&case, true);
    let _ = world.advance(world.end_ms() / 2);
    let mut messages = Vec::new();
    drive_until(&mut world, &mut recorder, |_, outputs| {
        messages.extend(notices(outputs));
        outputs.iter().any(|output| matches!(output.effect, Effect::LookUpGame(_)))
    });
    assert_eq!((recorder.requested.len(), messages), (1, Vec::new()), "one lookup, no word to the operator");
    assert_eq!(recorder.line.status().state, "waiting for the start position");
}

#[test]
fn without_log_entry_no_memory_is_read() {
    let case = case(BoardSetup::Single, 3);
    let mut recorder = LateLine { line: case.line(), has_game: false, requested: Vec::new(), published_unrequested: 0 };
    let record = listen(&case, &mut recorder);
    let asks = |output: &&Output| output.effect == Effect::Send(vec![0x49]);
    assert_eq!((recorder.requested.len(), record.outputs.iter().filter(asks).count()), (0, 0));
}

fn notices(outputs: &[Output]) -> impl Iterator<Item = String> {
    outputs.iter().filter_map(|output| match &output.effect {
        Effect::Notice(text) => Some(text.clone()),
        _ => None,
    })
}

#[test]
fn operator_accepts_offer() {
    let case = case(BoardSetup::Single, 5);
    let mut world = case.world();
    let mut recorder = LateLine::new(&case, false);
    let _ = world.advance(world.end_ms() / 2);
    let mut messages = Vec::new();
    // Up to the offer, before play goes on.
    drive_until(&mut world, &mut recorder, |_, outputs| {
        messages.extend(notices(outputs));
        messages.iter().any(|text: &String| text.contains("the board's memory has"))
    });
    assert!(messages.last().unwrap().contains("`start --from-memory`"), "{messages:?}");
    assert_eq!(recorder.line.status().state, "offers a game from its memory");
    assert_eq!((recorder.requested.len(), recorder.published_unrequested), (1, 0));
    let now = Millis(world.now_ms());
    let outputs = recorder.handle(now, Input::Request("start from-memory".parse().unwrap()));
    let lines = outputs.iter().filter(|output| matches!(output.effect, Effect::Entry { .. })).count();
    assert!(lines > 10, "{outputs:?}");
    assert_eq!(recorder.line.status().game, Some(1));
    let refused = recorder.handle(now, Input::Request("start from-memory".parse().unwrap()));
    assert!(refused.iter().any(|output| matches!(output.effect, Effect::Refused(_))), "{refused:?}");
}
