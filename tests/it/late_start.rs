//! Games that began while nobody listened: the board's memory has them, and they are published when play goes on, or when the
//! operator takes the offer; never what the folder has already.

use damcast::millis::Millis;
use damcast::rules::Color;
use damcast::session::{Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{Record, Recorder, drive_bus};
use damcast::simulation::score::over_all_cores;
use hardware_sim::bus::Happening;

use crate::outages::{Case, Kind, pool};

/// A line that begins to listen in the middle of a game, and a station that knows which games its folder has.
struct Late {
    line: Line,
    has_it: bool,
    /// What was asked: the lines of a game.
    asked: Vec<Vec<String>>,
    published_unasked: usize,
}

impl Late {
    fn new(case: &Case, has_it: bool) -> Late {
        let settings = LineSettings { late_start: true, ..LineSettings::new(case.games[0].start.variant()) };
        Late { line: Line::new(settings), has_it, asked: Vec::new(), published_unasked: 0 }
    }
}

impl Recorder for Late {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.line.handle(now, input);
        let asked = outputs.iter().rev().find_map(|output| match &output.effect {
            Effect::Remembered(lines) => Some(lines.clone()),
            _ => None,
        });
        if self.asked.is_empty() {
            self.published_unasked +=
                outputs.iter().filter(|output| matches!(output.effect, Effect::Append(_))).count();
        }
        if let Some(lines) = asked {
            self.asked.push(lines);
            let answer = if self.has_it { "remembered known live/a-1.pdn" } else { "remembered new" };
            outputs.extend(self.line.handle(now, Input::Operator(answer.to_owned())));
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Nobody listens to the first third of the game, or to half of it.
fn case(seed: u64) -> Case {
    let mut case = Case::draw(&pool(), Kind::Single.into(), seed);
    (case.out, case.back) = (0, 0);
    case
}

fn listen(case: &Case, recorder: &mut Late) -> Record {
    let mut world = case.world();
    let listens_at = world.end_ms() / (2 + case.seed % 2);
    let _ = world.advance(listens_at);
    let mut record = Record::default();
    drive_bus(&mut world, recorder, 40_000, |_, output| record.outputs.push(output));
    record
}

/// The lines of which the clock says that the time of who has just moved goes on.
fn wrong_clocks(case: &Case, record: &Record) -> Vec<String> {
    let starter = case.games[0].start.variant().game_type.starter;
    let lines = record.lines().map(|(_, line)| line.to_owned());
    let is_wrong = |line: &String| {
        let is_of_starter = line.starts_with(|first: char| first.is_ascii_digit()) && line.contains(". ");
        let is_white = is_of_starter == (starter == Color::White);
        line.contains(if is_white { "[%clock W" } else { " B" })
    };
    lines.filter(|line| line.contains("[%clock")).filter(is_wrong).collect()
}

#[test]
fn a_game_that_began_while_nobody_listened_is_recorded_from_its_first_move() {
    let cases: Vec<Case> = (0..24).map(case).collect();
    let outcomes = over_all_cores(&cases, |case| {
        let mut recorder = Late::new(case, false);
        let record = listen(case, &mut recorder);
        (case.judge(&record), recorder.asked.len(), recorder.published_unasked, wrong_clocks(case, &record))
    });
    for (case, (outcome, asked, unasked, wrong)) in cases.iter().zip(&outcomes) {
        let story = outcome.story.join("\n");
        assert_eq!((outcome.files, outcome.lost, outcome.setups), (1, 0, 0), "{case}: {story}");
        assert!(outcome.untrue.is_empty(), "{case}: {:?}: {story}", outcome.untrue);
        assert_eq!((*asked, *unasked), (1, 0), "{case}: {story}");
        assert!(wrong.is_empty(), "{case}: {wrong:?}: {story}");
    }
}

#[test]
fn a_game_that_the_folder_has_is_not_published_again() {
    let case = case(3);
    let mut recorder = Late::new(&case, true);
    let record = listen(&case, &mut recorder);
    assert!(!recorder.asked.is_empty());
    assert!(record.outputs.iter().all(|output| !matches!(output.effect, Effect::Open { .. } | Effect::Append(_))));
}

#[test]
fn without_the_word_of_the_log_nobody_is_asked() {
    let case = case(3);
    let mut recorder = Late { line: case.line(), has_it: false, asked: Vec::new(), published_unasked: 0 };
    let record = listen(&case, &mut recorder);
    let asks = |output: &&Output| output.effect == Effect::Send(vec![0x49]);
    assert_eq!((recorder.asked.len(), record.outputs.iter().filter(asks).count()), (0, 0));
}

#[test]
fn an_operator_takes_the_offer() {
    let case = case(5);
    let mut world = case.world();
    let mut recorder = Late::new(&case, false);
    let _ = world.advance(world.end_ms() / 2);
    let mut inputs = vec![(world.now_ms(), Input::LinkUp)];
    let mut told = Vec::new();
    // As far as the offer, before anybody plays on.
    while !told.iter().any(|text: &String| text.contains("the board's memory has")) {
        assert!(world.now_ms() < world.end_ms(), "{told:?}");
        for (at, input) in inputs.drain(..) {
            for output in recorder.handle(Millis(at), input) {
                match &output.effect {
                    Effect::Send(bytes) => world.host(output.at.0, bytes),
                    Effect::Notice(text) => told.push(text.clone()),
                    _ => {}
                }
            }
        }
        let next = [world.next_time(), recorder.deadline().map(|at| at.0)].into_iter().flatten().min().unwrap();
        inputs.extend(world.advance(next).into_iter().filter_map(|(at, happening)| match happening {
            Happening::Bytes(bytes) => Some((at, Input::Bytes(bytes))),
            Happening::Unplugged | Happening::Plugged => None,
        }));
        inputs.push((next, Input::Tick));
    }
    assert!(told.last().unwrap().contains("`start --from-memory`"), "{told:?}");
    assert_eq!(recorder.line.status().state, "offers a game from its memory");
    assert!(recorder.asked.is_empty() && recorder.published_unasked == 0);
    let now = Millis(world.now_ms());
    let outputs = recorder.handle(now, Input::Operator("start from-memory".to_owned()));
    let lines = outputs.iter().filter(|output| matches!(output.effect, Effect::Append(_))).count();
    assert!(lines > 10, "{outputs:?}");
    assert_eq!(recorder.line.status().game, Some(1));
    let refused = recorder.handle(now, Input::Operator("start from-memory".to_owned()));
    assert!(refused.iter().any(|output| matches!(output.effect, Effect::Refused(_))), "{refused:?}");
}
