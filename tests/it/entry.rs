//! Games that people enter, on boards without electronics: the core against a plain model.

use damcast::engine::bytelog::Mode;
use damcast::engine::livefile::{EntryKind, GameHeader};
use damcast::engine::millis::Millis;
use damcast::engine::session::{Condition, Effect, EntryStatus, Input, Line, LineSettings, LiveUpdate, Output};
use draughts::{Position, Variant};
use draughts_pdn::{fen, notation};
use proptest::prelude::*;

/// Time after which an entered ply is published.
const PUBLICATION_DELAY: u64 = 8_000;

/// A table and everything that its line has emitted.
pub struct Table {
    pub line: Line,
    now: u64,
    pub outputs: Vec<Output>,
}

/// Kind of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Done,
    AlreadyDone,
    Refused,
}

impl Table {
    pub fn new() -> Table {
        let mut settings = LineSettings::new(Variant::international());
        settings.mode = Mode::Entry;
        Table { line: Line::new(settings), now: 0, outputs: Vec::new() }
    }

    pub fn wait(&mut self, millis: u64) -> Vec<Effect> {
        self.now += millis;
        self.handle(Input::Tick)
    }

    pub fn handle(&mut self, input: Input) -> Vec<Effect> {
        let outputs = self.line.handle(Millis(self.now), input);
        self.outputs.extend(outputs.iter().cloned());
        outputs.into_iter().map(|output| output.effect).collect()
    }

    pub fn request(&mut self, text: &str) -> (Answer, String) {
        let effects = self.handle(Input::Request(text.parse().unwrap()));
        for effect in &effects {
            match effect {
                Effect::Refused(why) => return (Answer::Refused, why.clone()),
                Effect::AlreadyDone(message) => return (Answer::AlreadyDone, message.clone()),
                _ => {}
            }
        }
        (Answer::Done, String::new())
    }

    #[track_caller]
    pub fn done(&mut self, text: &str) {
        let (answer, message) = self.request(text);
        assert_eq!(answer, Answer::Done, "{text}: {message}");
    }

    #[track_caller]
    pub fn refused(&mut self, text: &str, expected: &str) {
        let (answer, why) = self.request(text);
        assert!(answer == Answer::Refused && why.contains(expected), "{text}: {answer:?} {why}");
    }

    pub fn status(&self) -> EntryStatus {
        self.line.status().entry.unwrap()
    }

    /// Returns the lines of the live files so far, without their tags.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.outputs.iter().flat_map(|output| output.effect.lines());
        lines.filter(|line| !line.starts_with('[') && !line.is_empty()).collect()
    }

    /// Returns the headers of the games that were opened.
    pub fn opened(&self) -> Vec<GameHeader> {
        let opened = |output: &Output| match &output.effect {
            Effect::GameOpened(header) => Some(GameHeader::clone(header)),
            _ => None,
        };
        self.outputs.iter().filter_map(opened).collect()
    }

    /// Returns the last likely moves that listeners received.
    pub fn likely(&self) -> Vec<String> {
        let likely = |output: &Output| match &output.effect {
            Effect::LiveUpdate(LiveUpdate::LikelyMoves(moves)) => Some(moves.clone()),
            _ => None,
        };
        self.outputs.iter().rev().find_map(likely).unwrap_or_default()
    }
}

#[test]
fn ply_is_published_with_next_ply_or_after_delay() {
    let mut table = Table::new();
    assert_eq!(table.line.status().condition, Condition::Ready);
    assert_eq!(table.line.status().state, "ready, entered by hand");
    table.done("enter 1 1 3228");
    assert_eq!((table.lines(), table.likely()), (vec![], vec!["32-28".to_owned()]));
    table.done("enter 1 2 19-23 w=1:20:11 b=1:18:02");
    assert_eq!((table.lines(), table.likely()), (vec!["1. 32-28".to_owned()], vec!["19-23".to_owned()]));
    table.wait(PUBLICATION_DELAY - 1);
    assert_eq!(table.lines().len(), 1);
    table.wait(1);
    let expected = ["1. 32-28", "19-23 {[%clock w1:20:11 b1:18:02]}"];
    assert_eq!((table.lines(), table.likely()), (expected.map(str::to_owned).to_vec(), vec![]));
    let status = table.line.status();
    assert_eq!((status.condition, status.plies, status.clocks), (Condition::Playing, 2, Some([4811, 4682])));
    assert_eq!(status.state, "playing, entered by hand");
}

#[test]
fn first_entered_ply_opens_game_at_once() {
    let mut table = Table::new();
    table.done("pairing 1.1 {[White \"Ann\"][Black \"Ben\"]} once 1");
    let before = table.outputs.len();
    table.done("enter 1 1 32-28");
    let opens = |output: &Output| matches!(output.effect, Effect::GameOpened(_));
    let shows = |output: &Output| matches!(output.effect, Effect::LiveUpdate(LiveUpdate::LikelyMoves(_)));
    let order = [table.outputs[before..].iter().position(opens), table.outputs[before..].iter().position(shows)];
    assert!(order[0].is_some() && order[0] < order[1], "{:?}", &table.outputs[before..]);
    assert_eq!(table.opened()[0].pairing_id.as_deref(), Some("1.1"));
    // Taking the only ply back leaves the game open and empty; the next ply becomes its first.
    table.done("enter-undo 1 1");
    assert_eq!((table.lines(), table.likely(), table.status().game), (vec![], vec![], 1));
    table.done("enter 1 1 31-27");
    table.wait(PUBLICATION_DELAY);
    assert_eq!((table.lines(), table.opened().len()), (vec!["1. 31-27".to_owned()], 1));
}

#[test]
fn setup_in_empty_game_follows_its_start() {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done("enter-undo 1 1");
    table.done("setup W:W31,32:B1,2");
    let lines = table.lines();
    assert!(
        lines.len() == 2 && lines[0].starts_with("/FEN \"W:W31,32,33,") && lines[1].contains("W:W31,32"),
        "{lines:?}"
    );
}

#[test]
fn empty_game_leaves_pairing_its_game() {
    let mut table = Table::new();
    let first = "pairing 1.1 {[White \"Ann\"][Black \"Ben\"]} once 1";
    table.done(first);
    table.done("enter 1 1 32-28");
    table.done("enter-undo 1 1");
    table.done("pairing 2.1 {[White \"Cas\"][Black \"Dan\"]} once 1");
    table.done("enter 2 1 31-27");
    table.done("result 2-0");
    table.done(first);
    table.done("enter 3 1 33-29");
    let pairings: Vec<Option<String>> = table.opened().into_iter().map(|header| header.pairing_id).collect();
    assert_eq!(pairings, ["1.1", "2.1", "1.1"].map(|id| Some(id.to_owned())));
    assert_eq!(table.lines(), ["*", "1. 31-27", "*"]);
    table.done("result 1-1");
    // A continuation without a move leaves the pairing the game before it.
    table.done("continue");
    table.done("enter 4 2 19-23");
    table.done("enter-undo 4 2");
    table.done("start");
    table.done("enter 5 1 33-29");
    assert_eq!(table.opened().last().unwrap().pairing_id, None);
}

#[test]
fn empty_game_ends_with_result() {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done("enter-undo 1 1");
    table.done("result 2-0");
    assert_eq!((table.lines(), table.status().result.as_deref()), (vec!["*".to_owned()], Some("2-0")));
    table.done("enter 2 1 32-28");
}

#[test]
fn refusals_say_what_stands_or_is_missing() {
    let mut table = Table::new();
    table.refused("enter 1 2 19-23", "ply 1 of game 1 is missing");
    table.refused("enter 2 1 32-28", "game 2 cannot begin; the next is game 1");
    table.refused("enter 1 1 19-23", "ply 1 is White's: 19-23 is not legal here");
    table.refused("enter-undo 1 1", "the next is game 1");
    table.refused("claim 1 2-0", "the next is game 1");
    table.done("enter 1 1 32-28");
    table.refused("enter 1 1 31-27", "ply 1 of game 1 is 32-28");
    table.refused("enter 1 3 28x19", "ply 2 of game 1 is missing: 1 plies were entered");
    table.refused("enter 1 2 31-27", "ply 2 is Black's: 31-27 is not legal here");
    table.refused("enter 2 1 32-28", "game 1 is still going on: its result ends it");
    assert_eq!(table.request("enter 1 1 3228").0, Answer::AlreadyDone);
    table.refused("flip", "no electronics");
    table.refused("resync", "no electronics");
    table.done("enter 1 2 19-23");
    table.done("enter 1 3 28x19");
    table.refused("enter-undo 1 2", "only the last ply can be taken back, which is ply 3");
    table.refused("enter 1 4 13x23", "is not legal here; legal are");
}

#[test]
fn ambiguous_capture_lists_its_ways() {
    let mut table = Table::new();
    let position = Position::new(
        Variant::international(),
        fen::read(Variant::international(), "W:WK36:B24,27,9,30,23,5").unwrap(),
    )
    .unwrap();
    let all = position.legal_moves();
    let ambiguous = all.iter().find(|ply| notation::is_ambiguous(ply, &all));
    let Some(ply) = ambiguous else { panic!("no ambiguous capture: {all:?}") };
    let short = notation::write_short(Variant::international(), ply);
    table.done("start W:WK36:B24,27,9,30,23,5");
    table.refused(&format!("enter 1 1 {short}"), "is ambiguous here; it may mean");
    table.done(&format!("enter 1 1 {}", notation::write_long(Variant::international(), ply)));
    table.refused(&format!("enter 1 1 {short}"), "is ambiguous here; it may mean");
}

#[test]
fn unpublished_ply_is_taken_back_without_trace() {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done("enter 1 2 19-23");
    table.done("enter-undo 1 2");
    assert_eq!((table.lines(), table.likely()), (vec!["1. 32-28".to_owned()], vec![]));
    assert_eq!(table.request("enter-undo 1 2").0, Answer::AlreadyDone);
    table.done("enter 1 2 20-25");
    table.wait(PUBLICATION_DELAY);
    assert_eq!(table.lines(), ["1. 32-28", "20-25"]);
    // A published ply is followed by a setup.
    table.done("enter-undo 1 2");
    let lines = table.lines();
    assert!(lines.len() == 3 && lines[2].starts_with("/FEN \"B:W28,31"), "{lines:?}");
    assert_eq!(table.status().plies, ["32-28"]);
    table.done("enter 1 2 19-23");
    table.done("enter 1 3 28x19");
    table.done("undo 2");
    assert_eq!(table.status().plies, ["32-28"]);
    table.done("enter 1 2 17-22");
    table.wait(PUBLICATION_DELAY);
    assert_eq!(table.lines().last().unwrap(), "1... 17-22");
}

#[test]
fn result_publishes_last_ply_and_next_game_begins() {
    let mut table = Table::new();
    table.done("pairing 1.1 {[White \"Ann\"][Black \"Ben\"]}");
    table.done("enter 1 1 32-28");
    table.done("claim 1 1-1");
    assert_eq!(table.line.status().proposed_result.as_deref(), Some("1-1"));
    assert_eq!(table.request("claim 1 1-1").0, Answer::AlreadyDone);
    table.done("enter 1 2 19-23");
    assert_eq!(table.line.status().proposed_result, None, "play goes on");
    table.done("claim 1 2-0");
    table.done("result 2-0");
    assert_eq!(table.lines(), ["1. 32-28", "19-23", "*"]);
    let status = table.status();
    assert_eq!((status.game, status.plies.len(), status.result.as_deref()), (1, 2, Some("2-0")));
    assert_eq!(table.request("enter 1 2 19-23").0, Answer::AlreadyDone, "a late repetition");
    table.refused("enter 1 3 28x19", "game 1 is over, after 2 plies");
    table.refused("enter-undo 1 2", "game 1 is over");
    table.done("enter 2 1 33-29");
    assert_eq!((table.status().game, table.status().result), (2, None));
    table.refused("enter 1 2 19-23", "game 1 is over; game 2 is going on");
    // The next pairing leaves the game without a result.
    table.done("enter 2 2 19-23");
    table.done("pairing 2.1 {[White \"Cas\"][Black \"Dan\"]}");
    table.done("enter 3 1 31-27");
    assert_eq!(table.lines(), ["1. 32-28", "19-23", "*", "1. 33-29", "19-23", "*"]);
    assert_eq!(table.line.status().players, [Some("Cas".to_owned()), Some("Dan".to_owned())]);
}

#[test]
fn ended_game_continues_in_new_file() {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done("result 1-1");
    table.done("continue");
    assert_eq!((table.status().game, table.status().plies), (2, vec!["32-28".to_owned()]));
    table.done("enter 2 2 19-23");
    table.done("result 0-2");
    assert_eq!(table.lines(), ["1. 32-28", "*", "1... 19-23", "*"]);
}

#[test]
fn game_ends_when_no_move_is_left() {
    let mut table = Table::new();
    table.done("start W:W48,23:B18");
    table.done("enter 1 1 23x12");
    table.wait(60_000);
    assert_eq!(table.status().result.as_deref(), Some("2-0"));
    assert_eq!(table.lines().last().unwrap(), "*");
}

#[test]
fn pending_ply_keeps_line_from_restart() {
    let mut table = Table::new();
    assert!(table.line.can_restart() && !table.line.has_open_game());
    table.done("enter 1 1 32-28");
    assert!(!table.line.can_restart() && table.line.has_open_game());
    // The open game is kept for the next ply.
    table.done("enter-undo 1 1");
    assert!(!table.line.can_restart() && table.line.has_open_game());
    table.done("result *");
    assert!(table.line.can_restart() && !table.line.has_open_game());
}

#[test]
fn boards_with_electronics_refuse_entered_plies() {
    let mut line = Line::new(LineSettings::new(Variant::international()));
    for text in ["enter 1 1 32-28", "enter-undo 1 1", "claim 1 2-0"] {
        let outputs = line.handle(Millis::ZERO, Input::Request(text.parse().unwrap()));
        let is_refused = |output: &Output| matches!(&output.effect, Effect::Refused(why) if why.contains("itself"));
        assert!(outputs.iter().any(is_refused), "{text}: {outputs:?}");
    }
}

/// Action of a person, or of the network between.
#[derive(Clone, Debug)]
enum Action {
    /// Enters the next ply: the nth legal one.
    Enter(usize),
    /// Enters a legal ply at another place, relative to the next one.
    EnterAt(i64, usize),
    /// Takes back the ply at a place relative to the last one.
    TakeBack(i64),
    /// An earlier request arrives again.
    Repeat(usize),
    Wait(u64),
    Result,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => any::<usize>().prop_map(Action::Enter),
        2 => (-3_i64..3, any::<usize>()).prop_map(|(offset, nth)| Action::EnterAt(offset, nth)),
        3 => (-2_i64..2).prop_map(Action::TakeBack),
        4 => any::<usize>().prop_map(Action::Repeat),
        3 => (0_u64..12_000).prop_map(Action::Wait),
        1 => Just(Action::Result),
    ]
}

/// What people have entered, without any notion of publication.
#[derive(Default)]
struct Model {
    finished: u32,
    plies: Vec<(Position, String)>,
    is_playing: bool,
}

impl Model {
    fn game(&self) -> u32 {
        self.finished + u32::from(self.is_playing)
    }

    fn position(&self) -> Position {
        let start = Position::start(Variant::international());
        self.plies
            .last()
            .filter(|_| self.is_playing)
            .map_or(start, |(before, text)| before.play(&notation::read(before, text).unwrap()))
    }

    /// Returns the answer to a request, and applies it.
    fn handle(&mut self, text: &str) -> Answer {
        let words: Vec<&str> = text.split(' ').collect();
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        match words[0] {
            "enter" => {
                let (game, ply, text) = (number(1), number(2) as usize, words[3]);
                let begins = !self.is_playing && game == self.finished + 1;
                if !begins && (game != self.game() || game == 0) {
                    return Answer::Refused;
                }
                let stands = if begins { 0 } else { self.plies.len() };
                if ply <= stands {
                    return if self.plies[ply - 1].1 == text { Answer::AlreadyDone } else { Answer::Refused };
                }
                let is_legal =
                    ply == stands + 1 && (begins || self.is_playing) && notation::read(&self.position(), text).is_ok();
                if !is_legal {
                    return Answer::Refused;
                }
                if begins {
                    self.plies.clear();
                }
                self.plies.push((
                    if begins { Position::start(Variant::international()) } else { self.position_of(ply) },
                    text.to_owned(),
                ));
                self.is_playing = true;
                Answer::Done
            }
            "enter-undo" => {
                let (game, ply) = (number(1), number(2) as usize);
                if game != self.game() || game == 0 {
                    return Answer::Refused;
                }
                if ply > self.plies.len() {
                    return Answer::AlreadyDone;
                }
                if !self.is_playing || ply < self.plies.len() {
                    return Answer::Refused;
                }
                self.plies.pop();
                Answer::Done
            }
            _ => {
                if !self.is_playing {
                    return Answer::Refused;
                }
                (self.finished, self.is_playing) = (self.finished + 1, false);
                Answer::Done
            }
        }
    }

    fn position_of(&self, ply: usize) -> Position {
        assert_eq!(ply, self.plies.len() + 1);
        self.position()
    }
}

/// Returns the moves that a reader of the last live file knows: a setup takes back what followed its position.
fn readers_position(outputs: &[Output]) -> Option<Position> {
    let position = |output: &Output| match &output.effect {
        Effect::GameOpened(header) => Some(header.start()),
        Effect::Entry { entry, .. } => Some(match &entry.kind {
            EntryKind::Ply { position, ply } => position.play(ply),
            EntryKind::Setup(position) => *position,
        }),
        _ => None,
    };
    outputs.iter().filter_map(position).next_back()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn entered_games_equal_plain_model(actions in prop::collection::vec(action(), 1..60)) {
        let (mut table, mut model) = (Table::new(), Model::default());
        let mut sent: Vec<String> = Vec::new();
        let mut inputs: Vec<(u64, Input)> = Vec::new();
        for action in actions {
            let next_game = if model.is_playing { model.game() } else { model.finished + 1 };
            let count = if model.is_playing { model.plies.len() } else { 0 } as i64;
            let legal = |nth: usize| {
                let position = model.position();
                let moves = position.legal_moves();
                let clear: Vec<String> = moves
                    .iter()
                    .filter(|ply| !notation::is_ambiguous(ply, &moves))
                    .map(|ply| notation::write(position.variant(), ply, &moves))
                    .collect();
                clear.get(nth % clear.len().max(1)).cloned().unwrap_or_else(|| "1-50".to_owned())
            };
            let request = match action {
                Action::Enter(nth) => format!("enter {next_game} {} {}", count + 1, legal(nth)),
                Action::EnterAt(offset, nth) => format!("enter {next_game} {} {}", (count + 1 + offset).max(1), legal(nth)),
                Action::TakeBack(offset) => format!("enter-undo {} {}", model.game().max(1), (count + offset).max(1)),
                Action::Repeat(index) => match sent.get(index % sent.len().max(1)) {
                    Some(earlier) => earlier.clone(),
                    None => continue,
                },
                Action::Wait(millis) => {
                    table.wait(millis);
                    inputs.push((table.now, Input::Tick));
                    continue;
                }
                Action::Result => "result 1-1".to_owned(),
            };
            table.now += 1;
            let (answer, message) = table.request(&request);
            inputs.push((table.now, Input::Request(request.parse().unwrap())));
            prop_assert_eq!(answer, model.handle(&request), "{}: {}", request, message);
            sent.push(request);
            let status = table.status();
            if model.is_playing || !model.plies.is_empty() && model.finished > 0 {
                let plies: Vec<&String> = model.plies.iter().map(|(_, text)| text).collect();
                prop_assert_eq!(status.plies.iter().collect::<Vec<_>>(), plies);
            }
            prop_assert_eq!(table.line.has_open_game(), model.is_playing);
            if model.is_playing {
                prop_assert_eq!(status.game, model.game());
                prop_assert_eq!(status.fen, fen::write(Variant::international(), &model.position().setup()));
            }
        }
        // In the end readers see the position of the model.
        table.wait(PUBLICATION_DELAY);
        inputs.push((table.now, Input::Tick));
        if model.is_playing {
            prop_assert_eq!(readers_position(&table.outputs), Some(model.position()));
        }
        // The same records give the same files, however late each deadline was run.
        let mut again = Line::new(table.line_settings());
        let replayed: Vec<Output> =
            inputs.into_iter().flat_map(|(at, input)| again.handle(Millis(at), input)).collect();
        prop_assert_eq!(replayed, table.outputs);
    }
}

impl Table {
    fn line_settings(&self) -> LineSettings {
        let mut settings = LineSettings::new(Variant::international());
        settings.mode = Mode::Entry;
        settings
    }
}
