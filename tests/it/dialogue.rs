//! Queries to a board and the handling of its answers, in virtual time: silence, identity, and commands that are never sent.

use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Command, Decoded, Message, Version};
use damcast::engine::session::{Effect, Input, Line, LineSettings, Output};
use draughts::Variant;
use proptest::prelude::*;

use crate::operator::{line_with, start_code};

/// A board that answers some commands at once and others never.
struct Board {
    serial: &'static str,
    dump: Vec<u8>,
    /// Codes of the commands that it answers.
    answers: &'static [u8],
}

const ALL: &[u8] = &[0x42, 0x45, 0x4d];

/// Returns the start position of international draughts, the connector on White's left.
fn start_dump() -> Vec<u8> {
    [0x86, 0x00, 0x67].into_iter().chain((0..100).map(start_code)).collect()
}

impl Board {
    fn new(serial: &'static str) -> Board {
        Board { serial, dump: start_dump(), answers: ALL }
    }

    fn answer(&self, command: u8) -> Vec<u8> {
        match command {
            _ if !self.answers.contains(&command) => Vec::new(),
            0x42 => self.dump.clone(),
            0x45 => Message::SerialNumber(self.serial.to_owned()).encode(),
            0x4d => Message::Version(Version { main: 1, sub: 11 }).encode(),
            _ => Vec::new(),
        }
    }
}

/// A line with or without a board at its end.
struct Wire {
    line: Line,
    now: u64,
    board: Option<Board>,
    outputs: Vec<Output>,
}

impl Wire {
    fn new(settings: &[(&str, &str)]) -> Wire {
        Wire { line: line_with(settings), now: 0, board: None, outputs: Vec::new() }
    }

    fn link_up(&mut self, board: Option<Board>) {
        self.board = board;
        self.handle(Input::LinkUp);
    }

    fn handle(&mut self, input: Input) {
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let outputs = self.line.handle(Millis(self.now), input);
            for output in &outputs {
                if let (Effect::Send(bytes), Some(board)) = (&output.effect, &self.board) {
                    inputs.extend(bytes.iter().map(|&command| Input::Bytes(board.answer(command))));
                }
            }
            self.outputs.extend(outputs);
        }
    }

    /// Advances the time. The link stays as it is, whatever the line requests.
    fn advance(&mut self, milliseconds: u64) {
        let end = self.now + milliseconds;
        while let Some(at) = self.line.deadline().map(|at| at.0).filter(|&at| at <= end) {
            self.now = at;
            self.handle(Input::Tick);
        }
        self.now = end;
    }

    fn first(&self, fits: impl Fn(&Effect) -> bool) -> Option<u64> {
        self.outputs.iter().find(|output| fits(&output.effect)).map(|output| output.at.0)
    }

    fn times(&self, words: &str) -> usize {
        let matching_times =
            |effect: &Effect| matches!(effect, Effect::Info(text) | Effect::Notice(text) if text.contains(words));
        self.outputs.iter().filter(|output| matching_times(&output.effect)).count()
    }

    fn sent(&self) -> Vec<u8> {
        let sent = self.outputs.iter().filter_map(|output| match &output.effect {
            Effect::Send(bytes) => Some(bytes.clone()),
            _ => None,
        });
        sent.flatten().collect()
    }
}

fn is_reopen(effect: &Effect) -> bool {
    matches!(effect, Effect::Reopen { .. })
}

#[test]
fn silent_board_is_reported_within_15_seconds() {
    // The board falls silent at any time, before any answer.
    for last in (0..30_000).step_by(500) {
        let mut wire = Wire::new(&[]);
        wire.link_up(Some(Board::new("01025")));
        wire.advance(last);
        wire.board = None;
        wire.outputs.clear();
        wire.advance(60_000);
        let notice_time = wire.first(
            |effect| matches!(effect, Effect::Info(text) | Effect::Notice(text) if text.contains("does not answer")),
        );
        assert!(notice_time.is_some_and(|at| at <= last + 15_000), "silent since {last}, reported at {notice_time:?}");
        let reopened = wire.first(is_reopen);
        assert!(reopened.is_some_and(|at| at <= last + 15_000), "silent since {last}, opened again {reopened:?}");
        assert_eq!(wire.times("does not answer"), 1);
    }
}

/// A board without power loses its reporting mode, even if it is polled for dumps afterwards.
#[test]
fn board_without_power_is_asked_to_report_again() {
    const UPDATES: u8 = 0x4b;
    for away in [100, 1_000, 5_000, 60_000] {
        let mut wire = Wire::new(&[]);
        wire.link_up(Some(Board::new("01025")));
        wire.advance(20_100);
        wire.board = None;
        wire.advance(away);
        let dump = start_dump();
        // No move explains the position, so the line polls dumps all the time.
        wire.board = Some(Board { dump: [&dump[..20], &[1; 10], &dump[30..]].concat(), ..Board::new("01025") });
        let back = wire.now;
        wire.advance(60_000);
        let sent = |code: u8| {
            let is_it = move |output: &&Output| matches!(&output.effect, Effect::Send(bytes) if bytes[..] == [code]);
            wire.outputs.iter().filter(is_it).map(|output| output.at.0).filter(move |&at| at >= back)
        };
        let answers = sent(0x42).next().unwrap();
        let first_update = sent(UPDATES).next();
        assert!(
            first_update.is_some_and(|at| at <= answers + 8_000),
            "away for {away}: asked at {answers}, reported at {first_update:?}"
        );
        assert!(sent(UPDATES).count() >= 4, "it may be without power again");
    }
}

#[test]
fn idle_board_is_not_silent() {
    let mut wire = Wire::new(&[]);
    wire.link_up(Some(Board { answers: &[0x42], ..Board::new("01025") }));
    wire.advance(3_600_000);
    assert_eq!((wire.first(is_reopen), wire.times("does not answer")), (None, 0), "it answers what matters");
    let asked = wire.sent().len();
    assert!((450..2_000).contains(&asked), "{asked} commands in an hour");
}

#[test]
fn dead_link_is_reopened_ever_more_slowly() {
    let mut wire = Wire::new(&[]);
    let mut spans = Vec::new();
    for _ in 0..5 {
        wire.outputs.clear();
        let up = wire.now;
        wire.link_up(None);
        while wire.first(is_reopen).is_none() {
            wire.advance(1_000);
        }
        spans.push(wire.first(is_reopen).unwrap() - up);
        wire.handle(Input::LinkDown);
    }
    assert_eq!(spans[0], 4_500 + 15_000);
    assert!(spans.is_sorted() && spans[4] <= 90_000, "{spans:?}");
    wire.outputs.clear();
    wire.link_up(Some(Board::new("01025")));
    assert_eq!(wire.times("the board answers again"), 1);
}

#[test]
fn silence_is_reported_once_over_many_reopenings() {
    let mut wire = Wire::new(&[]);
    for _ in 0..10 {
        wire.link_up(None);
        wire.advance(40_000);
        wire.handle(Input::LinkDown);
        wire.advance(1_000);
    }
    assert_eq!(wire.times("does not answer"), 1);
}

#[test]
fn records_nothing_of_other_board() {
    let mut wire = Wire::new(&[("board", "01025")]);
    wire.link_up(Some(Board::new("02048")));
    assert_eq!(wire.times("this port carries board 02048, expected 01025"), 1);
    assert!(wire.first(|effect| *effect == Effect::Reopen { board: Some("02048".into()) }).is_some());
    assert_eq!(wire.sent(), [0x45, 0x45], "asked who it is, twice, and nothing else");
    // Unrequested messages are ignored as well.
    wire.handle(Input::Bytes(start_dump()));
    wire.advance(60_000);
    assert_eq!(wire.times("the start position"), 0);
    assert_eq!(wire.times("this port carries"), 1);
    wire.handle(Input::LinkDown);
    wire.link_up(Some(Board::new("01025")));
    wire.advance(1_000);
    assert_eq!(wire.times("the start position is set up"), 1);
}

#[test]
fn unannounced_replacement_board_is_detected() {
    let mut wire = Wire::new(&[("board", "01025")]);
    wire.link_up(Some(Board::new("01025")));
    wire.advance(1_000);
    wire.board = Some(Board::new("02048"));
    wire.advance(20_000);
    assert_eq!(wire.times("this port carries board 02048, expected 01025"), 1);
    assert!(wire.first(is_reopen).is_some());
}

#[test]
fn unnamed_board_is_recorded_and_noted() {
    let mut wire = Wire::new(&[]);
    wire.link_up(Some(Board::new("01025")));
    wire.advance(10_000);
    assert!(wire.first(|effect| *effect == Effect::Note("serial number 01025".into())).is_some());
    assert!(wire.first(|effect| *effect == Effect::Note("version 1.11".into())).is_some());
    assert_eq!(wire.line.status().board.as_deref(), Some("01025"));
    wire.handle(Input::LinkDown);
    wire.link_up(Some(Board::new("02048")));
    wire.advance(10_000);
    assert_eq!(wire.times("board 02048 is at this port, where board 01025 was before"), 1);
}

#[test]
fn opening_follows_configuration() {
    let mut wire = Wire::new(&[("connect", "")]);
    wire.link_up(Some(Board::new("01025")));
    assert_eq!(wire.sent(), [0x4b, 0x42]);
    let mut wire = Wire::new(&[("connect", "version battery")]);
    wire.link_up(Some(Board::new("01025")));
    wire.advance(200);
    assert_eq!(wire.sent()[..4], [0x4b, 0x42, 0x4d, 0x4c]);
    assert!(LineSettings::new(Variant::from_tag("20").unwrap()).set("connect", "scan").is_err());
}

/// Whether a command leaves the board unchanged: no write to its memory, no change of scanning, no exit from the single-board protocol, no
/// boot loader.
fn is_harmless(command: &Command) -> bool {
    use Command::*;
    matches!(
        command,
        SendClock
            | SendBoard
            | SendUpdate
            | SendUpdateBoard
            | SendUpdateNice
            | ReturnSerialNumber
            | ReturnLongSerialNumber
            | ReturnBusAddress
            | SendTrademark
            | SendVersion
            | SendBatteryStatus
            | SendEepromMoves
    )
}

fn happening() -> impl Strategy<Value = (u64, Input)> {
    let request = prop_oneof!["(start|flip|hold|release|result 2-0|undo 3|names a / b|scan|bootloader)", ".{0,20}"];
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60).boxed(),
        Just(start_dump()).boxed(),
        Just(Message::SerialNumber("01025".into()).encode()).boxed(),
        Just(Message::SerialNumber("02048".into()).encode()).boxed(),
        (0u8..128, 0u8..16).prop_map(|(field, piece)| vec![0x8e, 0x00, 0x05, field, piece]).boxed(),
        prop::collection::vec(0u8..128, 7).prop_map(|data| [vec![0x8d, 0x00, 0x0a], data].concat()).boxed(),
    ];
    let input = prop_oneof![
        1 => Just(Input::LinkUp),
        1 => Just(Input::LinkDown),
        2 => Just(Input::Tick),
        1 => request.prop_map(|text: String| text.parse().map_or(Input::Tick, Input::Request)),
        8 => bytes.prop_map(Input::Bytes),
    ];
    (prop_oneof![0u64..500, 0u64..60_000], input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_command_can_change_board(
        happenings in prop::collection::vec(happening(), 1..60),
        board in prop::option::of(Just("01025")),
    ) {
        let settings: Vec<(&str, &str)> = board.map(|board| ("board", board)).into_iter().collect();
        let mut wire = Wire::new(&settings);
        for (pause, input) in happenings {
            wire.advance(pause);
            wire.handle(input);
        }
        let sent = wire.sent();
        let mut rest = sent.as_slice();
        while !rest.is_empty() {
            let decoded = Command::decode(rest);
            let Decoded::Command { command, used } = decoded else { panic!("{rest:02x?} was sent") };
            prop_assert!(is_harmless(&command), "{:?} was sent", command);
            rest = &rest[used..];
        }
    }
}

#[test]
fn hand_in_air_at_cable_loss_is_no_position() {
    let mut wire = Wire::new(&[("board", "01025")]);
    wire.link_up(Some(Board::new("01025")));
    wire.advance(5_000);
    let man_from_32 = |piece: u8| vec![0x8e, 0x00, 0x05, 63, piece];
    wire.handle(Input::Bytes(man_from_32(0)));
    wire.handle(Input::LinkDown);
    wire.advance(600_000);
    let mut dump = start_dump();
    (dump[3 + 63], dump[3 + 54]) = (0, 1);
    wire.link_up(Some(Board { dump, ..Board::new("01025") }));
    wire.advance(60_000);
    let mut lines = wire.outputs.iter().filter_map(|output| match &output.effect {
        Effect::Entry { entry, .. } => Some(entry.line()),
        _ => None,
    });
    assert_eq!(lines.next_back().as_deref(), Some("1. 32-28"));
    let is_setup = |effect: &Effect| matches!(effect, Effect::Entry { entry, .. } if !entry.kind.is_ply());
    assert!(wire.first(is_setup).is_none());
}
