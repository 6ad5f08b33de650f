//! Boards that are switched to entry for the rest of a game, and back: the core against a plain model, and a running station.

use std::fs;

use damcast::control::entry::{EntryRequest, EntryState};
use damcast::engine::livefile::EntryKind;
use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Field, Message, PieceCode};
use damcast::engine::session::{BusAddress, Condition, Effect, Input, Line, LineSettings, LiveUpdate, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus};
use draughts::{Color, Position, Variant};
use draughts_pdn::notation;
use hardware_sim::incident::{Incident, IncidentKind};
use proptest::prelude::*;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::bus::{Bus, BusRecording, assert_all_recorded};
use crate::control::{playing, run_ctl, status};
use crate::daemon::{StationFolder, bytes_from_board, truth};
use crate::entry_station::{Phone, code, enter, events};
use crate::games::playable;
use crate::hall::assert_clean;
use crate::program::run;
use crate::pty::{Pty, wait_until};

/// Time after which an entered ply is published.
const PUBLICATION_DELAY: u64 = 8_000;

/// An international board with a running clock, its line, and everything that they have said.
struct Board {
    line: Line,
    now: u64,
    inputs: Vec<(u64, Input)>,
    outputs: Vec<Output>,
    /// Position that stands on the board.
    shown: Position,
    lever: u8,
    is_linked: bool,
}

/// Returns the fields of a board that does not tell kings from men.
fn codes(position: &Position) -> Vec<u8> {
    let geometry = &position.variant().geometry;
    let mut codes = vec![0; 100];
    for color in [Color::White, Color::Black] {
        for square in position.placement().pieces_of(color) {
            let (row, column) = geometry.row_and_column(square);
            codes[10 * row + column] = if color == Color::White { 1 } else { 4 };
        }
    }
    codes
}

impl Board {
    fn new() -> Board {
        let variant = Variant::international();
        let line = Line::new(LineSettings::new(variant));
        let shown = Position::start(variant);
        let (inputs, outputs) = (Vec::new(), Vec::new());
        let mut board = Board { line, now: 0, inputs, outputs, shown, lever: 0, is_linked: false };
        board.link(true);
        board.advance(3_000);
        board
    }

    fn handle(&mut self, input: Input) -> Vec<Effect> {
        self.inputs.push((self.now, input.clone()));
        let outputs = self.line.handle(Millis(self.now), input);
        self.outputs.extend(outputs.iter().cloned());
        outputs.into_iter().map(|output| output.effect).collect()
    }

    fn link(&mut self, up: bool) {
        if std::mem::replace(&mut self.is_linked, up) != up {
            self.handle(if up { Input::LinkUp } else { Input::LinkDown });
        }
    }

    /// Advances the time; a connected board sends its contents and its clock every half second.
    fn advance(&mut self, ms: u64) {
        let until = self.now + ms;
        while self.now < until {
            self.now = (self.now + 500).min(until);
            if self.is_linked {
                let dump = codes(&self.shown).into_iter().map(PieceCode).collect();
                self.handle(Input::Bytes(Message::BoardDump(dump).encode()));
                self.handle(Input::Bytes(vec![0x8d, 0, 10, 1, 0x20, 0, 1, 0x20, 0, 1 | self.lever]));
            } else {
                self.handle(Input::Tick);
            }
        }
    }

    /// Moves pieces of the board to a position, with reports if it is connected.
    fn show(&mut self, position: Position) {
        let (before, after) = (codes(&self.shown), codes(&position));
        self.shown = position;
        let changed = (0..100).filter(|&at| before[at] != after[at]);
        let mut changed: Vec<usize> = changed.collect();
        // Pieces are lifted before they are put down.
        changed.sort_by_key(|&at| after[at] != 0);
        for at in changed {
            self.now += 100;
            if self.is_linked {
                let message = Message::FieldUpdate { field: Field(at as u8), piece: PieceCode(after[at]) };
                self.handle(Input::Bytes(message.encode()));
            }
        }
    }

    /// Plays a move on the board and presses the clock.
    fn play(&mut self, text: &str) {
        let ply = notation::read(&self.shown, text).unwrap();
        self.show(self.shown.play(&ply));
        self.advance(1_000);
        self.lever ^= 2;
        self.advance(2_000);
    }

    /// Returns the refusal of a request, or the text of a repetition; `Ok` if it was done.
    fn request(&mut self, text: &str) -> Result<(), String> {
        for effect in self.handle(Input::Request(text.parse().unwrap())) {
            if let Effect::Refused(why) | Effect::AlreadyDone(why) = effect {
                return Err(why);
            }
        }
        Ok(())
    }

    #[track_caller]
    fn done(&mut self, text: &str) {
        assert_eq!(self.request(text), Ok(()), "{text}");
    }

    #[track_caller]
    fn refused(&mut self, text: &str, expected: &str) {
        let answer = self.request(text);
        assert!(answer.as_ref().is_err_and(|why| why.contains(expected)), "{text}: {answer:?}");
    }

    /// Returns the lines of the live files, without tags.
    fn lines(&self) -> Vec<String> {
        let lines = self.outputs.iter().flat_map(|output| output.effect.lines());
        let lines = lines.filter(|line| !line.starts_with('[') && !line.is_empty());
        lines.map(|line| line.split(" {").next().unwrap().to_owned()).collect()
    }

    fn states(&self) -> Vec<Condition> {
        let state = |output: &Output| match output.effect {
            Effect::LiveUpdate(LiveUpdate::State(state)) => Some(state),
            _ => None,
        };
        self.outputs.iter().filter_map(state).collect()
    }

    /// Returns the position after the last entry.
    fn published(&self) -> Option<Position> {
        let position = |output: &Output| match &output.effect {
            Effect::Entry { entry, .. } => Some(match &entry.kind {
                EntryKind::Ply { position, ply } => position.play(ply),
                EntryKind::Setup(position) => *position,
            }),
            _ => None,
        };
        self.outputs.iter().filter_map(position).next_back()
    }

    /// Whether the same records give the same outputs.
    fn replays_equally(&self) -> bool {
        let mut again = Line::new(LineSettings::new(Variant::international()));
        let replayed: Vec<Output> =
            self.inputs.iter().flat_map(|(at, input)| again.handle(Millis(*at), input.clone())).collect();
        replayed == self.outputs
    }
}

/// Returns a board whose cable failed after two moves, and whose game is entered from there.
fn failed_board() -> Board {
    let mut board = Board::new();
    board.play("32-28");
    board.play("19-23");
    assert_eq!(board.lines(), ["1. 32-28", "19-23"]);
    board.link(false);
    board.advance(20_000);
    assert_eq!(board.line.status().condition, Condition::NoConnection);
    board.done("entry on");
    board
}

#[test]
fn game_of_failed_board_is_entered_and_returns_to_it() {
    let mut board = failed_board();
    let status = board.line.status();
    assert_eq!((status.condition, status.state.as_str()), (Condition::Playing, "playing, entered by hand"));
    let entry = status.entry.unwrap();
    assert_eq!((entry.is_on, entry.game, entry.plies.len()), (true, 1, 2));
    assert_eq!(board.states(), [Condition::NoConnection, Condition::Playing]);
    board.refused("enter 1 4 14x23", "ply 3 of game 1 is missing: 2 plies");
    board.refused("enter-undo 1 2", "was not entered");
    board.done("enter 1 3 28x19");
    assert_eq!(board.line.status().likely_moves, ["28x19"]);
    board.refused("entry off", "the board is not heard");
    board.advance(PUBLICATION_DELAY);
    // The board comes back with an old position; its pieces are put in order.
    board.link(true);
    board.advance(5_000);
    board.done("enter 1 4 14x23");
    board.refused("resync", "`entry off` returns it");
    let ply = notation::read(&board.shown, "28x19").unwrap();
    let third = board.shown.play(&ply);
    let reply = notation::read(&third, "14x23").unwrap();
    board.show(third.play(&reply));
    board.advance(3_000);
    assert_eq!(board.lines(), ["1. 32-28", "19-23", "2. 28x19"]);
    board.done("entry off");
    assert_eq!(board.lines().last().unwrap(), "14x23");
    board.advance(3_000);
    assert!(board.line.status().entry.is_none());
    board.play("33-29");
    assert_eq!(board.lines(), ["1. 32-28", "19-23", "2. 28x19", "14x23", "3. 33-29"]);
    board.refused("enter 1 6 23x34", "reports its moves itself");
    assert!(board.replays_equally());
}

#[test]
fn entered_game_ignores_its_board() {
    let mut board = failed_board();
    board.link(true);
    let start = Position::start(Variant::international());
    // A new start position, moves and result pieces of a board that people repair.
    board.show(start);
    board.advance(20_000);
    board.play("32-28");
    board.play("20-25");
    assert_eq!((board.lines().len(), board.line.status().game), (2, Some(1)));
    assert_eq!(board.line.status().condition, Condition::Playing);
    board.done("enter 1 3 28x19");
    board.done("enter 1 4 14x23");
    board.done("undo 2");
    assert_eq!(board.line.status().entry.unwrap().plies.len(), 2);
    assert!(board.replays_equally());
}

#[test]
fn entry_ends_with_its_game() {
    let mut board = failed_board();
    board.done("enter 1 3 28x19");
    board.done("claim 1 2-0");
    board.done("result 2-0");
    let entry = board.line.status().entry.unwrap();
    assert_eq!((entry.is_on, entry.result.as_deref()), (false, Some("2-0")));
    assert!(board.request("enter 1 3 28x19").unwrap_err().contains("already"), "a late repetition");
    board.refused("enter 2 1 32-28", "reports its moves itself");
    board.link(true);
    board.show(Position::start(Variant::international()));
    board.advance(5_000);
    board.play("31-27");
    assert_eq!(board.lines(), ["1. 32-28", "19-23", "2. 28x19", "*", "1. 31-27"]);
    assert!(board.line.status().entry.is_none());
    assert!(board.replays_equally());
}

#[test]
fn continued_game_is_still_entered() {
    let mut board = failed_board();
    board.done("result 2-0");
    board.done("continue");
    board.done("enter 2 3 28x19");
    board.done("result 1-1");
    assert_eq!(board.lines(), ["1. 32-28", "19-23", "*", "2. 28x19", "*"]);
}

#[test]
fn returning_board_counts_as_after_outage() {
    // It shows one move more: that is published. Then a position that no move explains: the arbiter learns of it.
    let mut board = failed_board();
    board.link(true);
    board.advance(3_000);
    board.play("28x19");
    assert_eq!(board.lines().len(), 2);
    board.done("entry off");
    board.advance(20_000);
    assert_eq!(board.lines(), ["1. 32-28", "19-23", "2. 28x19"]);
    board.done("entry on");
    board.done("enter 1 4 14x23");
    board.done("entry off");
    board.advance(60_000);
    let lines = board.lines();
    assert_eq!(lines[..4], ["1. 32-28", "19-23", "2. 28x19", "14x23"]);
    assert!(lines[4..].iter().all(|line| line.starts_with("/FEN")), "{lines:?}");
    assert_eq!(board.line.status().condition, Condition::Unexplained);
    assert!(board.replays_equally());
}

#[test]
fn switch_needs_running_game_and_answers_repetitions() {
    let mut line = Line::new(LineSettings::new(Variant::international()));
    let refused = |outputs: Vec<Output>, text: &str| {
        outputs.iter().any(|output| matches!(&output.effect, Effect::Refused(why) if why.contains(text)))
    };
    assert!(refused(line.handle(Millis(1), Input::Request("entry on".parse().unwrap())), "no game is going on"));
    let mut board = failed_board();
    board.refused("entry on", "already");
    let mut board = Board::new();
    board.refused("entry off", "reports its moves itself");
    // Before the first move the board stands ready, and its game can be entered.
    board.done("entry on");
    board.done("enter 1 1 32-28");
    board.advance(PUBLICATION_DELAY);
    assert_eq!(board.lines(), ["1. 32-28"]);
    let mut table = crate::entry::Table::new();
    table.refused("entry on", "always entered by hand");
    table.refused("entry off", "no electronics");
}

/// Returns the moves of a live file, with or without clocks.
fn moves(text: &str) -> Vec<String> {
    let movetext = text.rsplit_once("]\n").map_or("", |(_, movetext)| movetext).lines();
    let lines = movetext.map(|line| line.split(" {").next().unwrap()).filter(|line| !["", "*"].contains(line));
    lines.map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect()
}

fn board_state(place: &StationFolder) -> Value {
    let board = status(place)["boards"][0].clone();
    json!([board["state"], board["text"], board["entry"]["ply"]])
}

#[test]
fn station_switches_failed_board_and_back() {
    let (place, pty, mut board, mut station) = playing(4);
    let truth = truth();
    let published = || moves(&place.live("a-1.pdn"));
    drop(pty);
    wait_until("the loss of the cable", || board_state(&place)[0] == "no-connection");
    let is_lost = |event: &Value| event["state"] == "no-connection";
    wait_until("the event of it", || events(&place).iter().any(is_lost));
    run_ctl(&place, &["ctl", "entry-code", "a"]).fails(1, "a is no board whose moves are entered by hand");
    enter(&place, "a", &["32-28"]).fails(1, "reports its moves itself");
    run_ctl(&place, &["ctl", "entry", "a", "on"]).prints("people enter the moves");
    run_ctl(&place, &["ctl", "entry", "a", "on"]).prints("entered by hand already");
    let expected = board_state(&place);
    let count = expected[2].as_u64().unwrap() as usize - 1;
    assert_eq!(expected, json!(["playing", "playing, entered by hand", count + 1]));
    wait_until("the moves of the board", || published().len() == count);
    // The log has the switch, so a start restores it.
    let secret = code(&place, &["a"]);
    assert!(!station.signal(Signal::KILL).success());
    let mut station = place.start();
    station.wait_for("operators reach this station");
    wait_until("the switch after a kill", || board_state(&place) == expected);
    let mut phone = Phone::connect(&place);
    let table = phone.ask(&secret, EntryRequest::Look {}).table.unwrap();
    assert_eq!((table.state, table.plies.len()), (EntryState::Playing, count));
    for (text, ply) in truth.iter().zip(1..).skip(count).take(3) {
        let reply = phone.enter(&secret, 1, ply, text);
        assert!(reply.ok, "{reply:?}");
    }
    enter(&place, "a", &[truth[count + 3].as_str()]).done();
    run_ctl(&place, &["ctl", "entry", "a", "off"]).fails(1, "the board is not heard");
    // The board comes back, and the players bring it up to date: no move is made twice.
    let mut pty = Pty::plug_in(&place.path("a"));
    pty.wait_for_the_station();
    let sent_before = board.sent.len();
    let mut position = Position::start(Variant::international());
    truth[..count + 4].iter().for_each(|text| position = position.play(&notation::read(&position, text).unwrap()));
    let wanted = codes(&position);
    wait_until("the board's last move", || {
        board.run(&mut pty);
        board.fields() == wanted
    });
    wait_until("the typed moves", || published().len() == count + 4);
    wait_until("the board", || {
        board.answer(&mut pty);
        run_ctl(&place, &["ctl", "entry", "a", "off"]).code == 0
    });
    board.play(&mut pty, 900_000, || published().len() >= count + 7);
    assert_eq!(published()[..count + 7], truth[..count + 7]);
    assert_eq!(status(&place)["boards"][0]["entry"], Value::Null);
    assert!(phone.enter(&secret, 1, 99, "32-28").error.unwrap().contains("reports its moves itself"));
    run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]).done();
    assert!(station.signal(Signal::TERM).success());
    let states = events(&place).into_iter().filter(|event| event["type"] == "state");
    let states: Vec<Value> = states.map(|event| event["state"].clone()).collect();
    assert_eq!(states[..2], ["no-connection", "playing"]);
    // Nothing that the board said is lost, and everything can be made again.
    let heard = bytes_from_board(&place.log("a-2.log"));
    assert!(heard.ends_with(&board.sent[sent_before..]), "{} {}", heard.len(), board.sent.len() - sent_before);
    assert!(place.replay(&["a-1.log", "a-2.log"]).contains(&truth[count + 6]));
    assert_clean(&place.path("recordings"), "");
    let live = place.live("a-1.pdn");
    fs::remove_dir_all(place.path("recordings/live")).unwrap();
    run(&["rebuild", &place.path("recordings").display().to_string()]).done();
    assert_eq!(place.live("a-1.pdn"), live);
}

/// Line of a bus, and an arbiter who types the game of one of its boards to its end, and then returns it to the board.
struct Arbiter {
    line: Line,
    board: BusAddress,
    moves: Vec<String>,
    /// Time of the next request, and of the last one.
    due: Millis,
    returns_at: Millis,
}

impl Arbiter {
    fn request(&mut self, now: Millis) -> Vec<Output> {
        let status = self.line.boards().into_iter().find(|(board, _)| *board == self.board).unwrap().1;
        let (text, next) = match status.entry {
            None => ("entry on".to_owned(), now + Millis(2_000)),
            Some(entry) if entry.plies.len() < self.moves.len() => {
                assert_eq!(status.condition, Condition::Playing);
                let ply = entry.plies.len() + 1;
                (format!("enter 1 {ply} {}", self.moves[ply - 1]), now + Millis(2_000))
            }
            Some(_) if now < self.returns_at => {
                self.due = self.returns_at;
                return Vec::new();
            }
            Some(_) => ("entry off".to_owned(), Millis(u64::MAX)),
        };
        self.due = next;
        let outputs = self.line.handle(now, Input::Request(format!("{} {text}", self.board).parse().unwrap()));
        let refused = outputs.iter().find(|output| matches!(output.effect, Effect::Refused(_)));
        assert_eq!(refused, None, "{text}");
        outputs
    }
}

impl RecorderDriver for Arbiter {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.line.handle(now, input);
        if now >= self.due {
            outputs.extend(self.request(now));
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline().into_iter().chain([self.due]).min()
    }
}

#[test]
fn board_of_bus_is_switched_while_absent_or_present() {
    let games = playable("international");
    let end = Bus::new(&games, 3, 30).world().end_ms();
    for is_absent in [true, false] {
        let outage = [IncidentKind::BoardDisconnected(1), IncidentKind::BoardConnected(1)];
        let incidents = [end / 3, end / 2].into_iter().zip(outage).map(|(at, kind)| Incident::new(at, kind));
        let bus = Bus::new(&games, 3, 30).with(incidents.take(if is_absent { 2 } else { 0 }).collect());
        let (board, line) = (Bus::address(1), Line::new(bus.settings()));
        let (due, returns_at) = (Millis(end / 3 + 10_000), Millis(end + 10_000));
        let mut arbiter = Arbiter { line, board, moves: bus.moves()[&board].clone(), due, returns_at };
        let mut recorded = BusRecording::default();
        drive_bus(&mut bus.world(), &mut arbiter, 40_000, |_, output| recorded.apply_effects(output));
        assert_eq!(arbiter.due, Millis(u64::MAX), "the game was typed and returned");
        assert_all_recorded(&bus, &recorded);
    }
}

/// Action of players, an arbiter, or a cable.
#[derive(Clone, Debug)]
enum Action {
    /// The nth legal ply is played on the board.
    Board(usize),
    /// The nth legal ply is typed.
    Type(usize),
    TakeBack,
    Cable(bool),
    SwitchOn,
    /// The pieces are put in order before the switch.
    SwitchOff,
    Wait(u64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        5 => any::<usize>().prop_map(Action::Board),
        6 => any::<usize>().prop_map(Action::Type),
        1 => Just(Action::TakeBack),
        2 => any::<bool>().prop_map(Action::Cable),
        2 => Just(Action::SwitchOn),
        2 => Just(Action::SwitchOff),
        2 => (0_u64..12_000).prop_map(Action::Wait),
    ]
}

/// Returns the nth legal ply with an unambiguous short notation, if there is one.
fn text_of(position: &Position, nth: usize) -> Option<String> {
    let moves = position.legal_moves();
    let clear: Vec<_> = moves.iter().filter(|ply| !notation::is_ambiguous(ply, &moves)).collect();
    Some(notation::write(position.variant(), clear.get(nth % clear.len().max(1))?, &moves))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn switched_games_equal_plain_model(actions in prop::collection::vec(action(), 1..40)) {
        let mut board = Board::new();
        board.play("32-28");
        let (mut positions, mut is_on) = (vec![Position::start(Variant::international()), board.shown], false);
        for action in actions {
            let position = *positions.last().unwrap();
            let plies = positions.len() as u32 - 1;
            match action {
                // Without electronics, the pieces on the table do not matter.
                Action::Board(nth) => {
                    let Some(text) = text_of(&board.shown, nth).filter(|_| is_on || board.is_linked) else { continue };
                    board.play(&text);
                    if !is_on {
                        positions.push(board.shown);
                        board.advance(6_000);
                    }
                }
                Action::Type(nth) => {
                    let Some(text) = text_of(&position, nth) else { continue };
                    let answer = board.request(&format!("enter 1 {} {text}", plies + 1));
                    prop_assert_eq!(answer.is_ok(), is_on, "{:?}", answer);
                    if is_on {
                        positions.push(position.play(&notation::read(&position, &text).unwrap()));
                    }
                }
                Action::TakeBack if board.line.status().entry.is_some_and(|entry| entry.is_pending) => {
                    board.done(&format!("enter-undo 1 {plies}"));
                    positions.pop();
                }
                Action::TakeBack => {}
                Action::Cable(up) if is_on => board.link(up),
                Action::Cable(_) => {}
                Action::SwitchOn => prop_assert_eq!(board.request("entry on").is_err(), std::mem::replace(&mut is_on, true)),
                Action::SwitchOff => {
                    board.link(true);
                    board.show(position);
                    board.advance(3_000);
                    prop_assert_eq!(board.request("entry off").is_ok(), std::mem::replace(&mut is_on, false));
                    board.advance(3_000);
                }
                Action::Wait(millis) => board.advance(millis),
            }
            let published = board.lines();
            prop_assert!(published.iter().all(|line| !line.starts_with("/FEN")), "{:?}", published);
            prop_assert!(published.len() + 1 == positions.len() || is_on && published.len() + 2 == positions.len(), "{published:?}");
            prop_assert_eq!(board.line.status().entry.is_some(), is_on);
        }
        board.advance(PUBLICATION_DELAY);
        prop_assert_eq!(board.published(), positions.last().copied());
        prop_assert!(board.replays_equally());
    }
}
