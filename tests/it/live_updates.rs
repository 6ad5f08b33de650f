//! Live updates besides the lines: likely moves, an unexplained board, the reason of a line.

use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Field, Message, PieceCode};
use damcast::engine::session::{Condition, Effect, Input, Line, LineSettings, LiveUpdate, Status};
use draughts::{Color, Position, Variant};

use crate::program::assert_contains;

const WHITE: u8 = 1;
const BLACK: u8 = 4;
const WHITE_KING: u8 = 7;

/// An international board in the start position with a running clock, and the effects of its recorder.
struct Board {
    line: Line,
    variant: &'static Variant,
    codes: Vec<u8>,
    lever: u8,
    /// Whether its clock runs.
    is_clock_running: bool,
    now: u64,
    effects: Vec<Effect>,
}

impl Board {
    fn new() -> Board {
        let variant = Variant::from_tag("20").unwrap();
        let start = Position::start(variant);
        let mut codes = vec![0; 100];
        for (color, code) in [(Color::White, WHITE), (Color::Black, BLACK)] {
            for square in start.placement().pieces_of(color) {
                let (row, column) = variant.geometry.row_and_column(square);
                codes[10 * row + column] = code;
            }
        }
        let line = Line::new(LineSettings::new(variant));
        let mut board = Board { line, variant, codes, lever: 0, is_clock_running: true, now: 0, effects: Vec::new() };
        board.send(Input::LinkUp);
        board.advance(3_000);
        board
    }

    /// Creates a board on which White has played 32-28 and pressed the clock.
    fn after_first_move() -> Board {
        let mut board = Board::new();
        board.play("32", "28", WHITE);
        board.press();
        board.advance(1_000);
        board
    }

    fn send(&mut self, input: Input) {
        let outputs = self.line.handle(Millis(self.now), input);
        self.effects.extend(outputs.into_iter().map(|output| output.effect));
    }

    /// Advances the time; the board sends a dump and the clock every half second.
    fn advance(&mut self, ms: u64) {
        let until = self.now + ms;
        while self.now < until {
            self.now = (self.now + 500).min(until);
            let codes = self.codes.iter().copied().map(PieceCode).collect();
            self.send(Input::Bytes(Message::BoardDump(codes).encode()));
            let clock_state = u8::from(self.is_clock_running) | self.lever;
            self.send(Input::Bytes(vec![0x8d, 0, 10, 1, 0x20, 0, 1, 0x20, 0, clock_state]));
        }
    }

    fn press(&mut self) {
        self.lever ^= 2;
        self.advance(500);
    }

    fn put(&mut self, name: &str, code: u8) {
        let (row, column) = self.variant.geometry.row_and_column(self.variant.geometry.square(name).unwrap());
        let field = 10 * row + column;
        self.codes[field] = code;
        self.now += 100;
        self.send(Input::Bytes(Message::FieldUpdate { field: Field(field as u8), piece: PieceCode(code) }.encode()));
    }

    fn play(&mut self, from: &str, to: &str, code: u8) {
        self.put(from, 0);
        self.put(to, code);
        self.advance(1_000);
    }

    fn provisional(&self) -> Vec<Vec<String>> {
        let moves = |effect: &Effect| match effect {
            Effect::LiveUpdate(LiveUpdate::LikelyMoves(moves)) => Some(moves.clone()),
            _ => None,
        };
        self.effects.iter().filter_map(moves).collect()
    }

    /// Returns the note that starts with these words.
    fn note(&self, words: &str) -> String {
        let note = self.effects.iter().find_map(|effect| match effect {
            Effect::Note(text) if text.starts_with(words) => Some(text.clone()),
            _ => None,
        });
        note.expect("a note for the entry")
    }

    fn notices(&self, part: &str) -> usize {
        self.effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Info(text) | Effect::Notice(text) if text.contains(part)))
            .count()
    }

    fn status(&self) -> Status {
        self.line.status()
    }
}

#[test]
fn move_is_provisional_until_pressed_or_retracted() {
    let mut board = Board::new();
    board.play("32", "28", WHITE);
    assert_eq!(board.status().likely_moves, ["32-28"]);
    board.play("28", "32", WHITE);
    assert!(board.status().likely_moves.is_empty(), "put back");
    board.play("32", "27", WHITE);
    board.press();
    board.advance(1_000);
    assert_eq!(board.status().last_line.as_deref(), Some("1. 32-27"));
    let provisional_moves: Vec<String> = board.provisional().iter().map(|moves| moves.join(" ")).collect();
    assert_eq!(provisional_moves, ["32-28", "", "32-27", ""]);
}

#[test]
fn log_states_reason_of_published_entry() {
    let board = Board::after_first_move();
    let note = board.note("1. 32-28: ");
    let words: Vec<&str> = note.trim_start_matches("1. 32-28: ").split(' ').collect();
    let keys: Vec<&str> = words.iter().map(|word| word.split('=').next().unwrap()).collect();
    let expected = "rule plies touched lever presses quiet dump leftover mismatch alternatives waited";
    assert_eq!(keys.join(" "), expected, "{note}");
    for word in ["rule=pressed", "plies=1", "touched=28,32", "lever=black", "presses=1", "dump=yes", "leftover=-"] {
        assert!(words.contains(&word), "{word} in {note}");
    }
}

#[test]
fn ambiguous_press_does_not_turn_clock() {
    // White forgets the first press, so Black's has no effect: the first press received is the one for the third ply.
    let mut board = Board::new();
    board.play("32", "28", WHITE);
    board.advance(9_000);
    board.play("17", "21", BLACK);
    board.play("37", "32", WHITE);
    board.press();
    board.advance(3_000);
    assert_contains(&board.note("2. 37-32: "), &["rule=pressed", "lever=black"]);
}

#[test]
fn late_press_of_answered_ply_keeps_sides_of_clock() {
    // Black answers before White's first press, which the clock reports when both plies stand.
    let mut board = Board::new();
    board.play("32", "28", WHITE);
    board.play("17", "21", BLACK);
    board.advance(1_000);
    board.press();
    board.advance(1_000);
    board.press();
    board.play("37", "32", WHITE);
    board.press();
    board.advance(3_000);
    assert_contains(&board.note("1. 32-28: "), &["rule=replied", "lever=black"]);
    assert_contains(&board.note("17-21: "), &["rule=pressed", "lever=white"]);
    assert_contains(&board.note("2. 37-32: "), &["rule=pressed", "lever=black"]);
}

#[test]
fn press_without_report_of_start_keeps_sides_of_clock() {
    // The first reading of the running clock follows White's press.
    let mut board = Board::new();
    board.is_clock_running = false;
    board.send(Input::Request("start W:W31-50:B1-20".parse().unwrap()));
    board.advance(1_000);
    board.put("32", 0);
    board.put("28", WHITE);
    (board.is_clock_running, board.lever) = (true, 2);
    board.advance(1_000);
    board.play("17", "21", BLACK);
    board.press();
    board.advance(2_000);
    assert_contains(&board.note("17-21: "), &["rule=pressed", "lever=white"]);
}

#[test]
fn unexplained_board_is_reported_once_with_closest_reading() {
    let mut board = Board::after_first_move();
    let since = board.now;
    // Black answers, and a white and a black piece vanish as well.
    board.play("19", "23", BLACK);
    board.put("45", 0);
    board.put("5", 0);
    board.advance(1_500);
    let status = board.status();
    assert_eq!((status.condition, status.unexplained), (Condition::Playing, None), "a hand may be at work");
    board.advance(5_000);
    let doubt = board.status().unexplained.expect("nothing explains this");
    assert!(doubt.since >= Millis(since) && doubt.since <= Millis(board.now));
    assert_eq!(doubt.squares, ["5", "19", "23", "45"]);
    assert_eq!(doubt.interpretations, ["19-23 (5, 45 wrong)", "no move (5, 19, 23, 45 wrong)", "setup"]);
    board.put("44", 0);
    board.advance(6_000);
    assert_eq!(board.notices("no legal move explains the board"), 1);
    for (name, code) in [("45", WHITE), ("5", BLACK), ("44", WHITE)] {
        board.put(name, code);
    }
    board.advance(2_000);
    assert_eq!(board.status().unexplained, None);
}

/// A crowd of pieces that is no game position stays for minutes, while the lever is pressed.
fn check_crowd(piece: impl Fn(usize) -> u8) {
    let mut board = Board::new();
    board.play("32", "28", WHITE);
    board.press();
    board.play("19", "23", BLACK);
    board.press();
    board.advance(2_000);
    let played = board.codes.clone();
    for number in 1..=50 {
        board.put(&number.to_string(), piece(number));
    }
    for _ in 0..20 {
        board.press();
        board.advance(30_000);
    }
    let setups = |board: &Board| {
        let is_setup = |effect: &&Effect| matches!(effect, Effect::Entry { entry, .. } if !entry.kind.is_ply());
        board.effects.iter().filter(is_setup).count()
    };
    assert_eq!(setups(&board), 0, "what is no position is not set up, nor anything in its place");
    assert_eq!(board.notices("no legal move explains the board"), 1);
    // The crowd is cleared away, and play goes on.
    for number in 1..=50 {
        let (row, column) =
            board.variant.geometry.row_and_column(board.variant.geometry.square(&number.to_string()).unwrap());
        board.put(&number.to_string(), played[10 * row + column]);
    }
    board.advance(5_000);
    board.play("28", "19", WHITE);
    board.put("23", 0);
    board.press();
    board.advance(2_000);
    let is_capture = |effect: &&Effect| matches!(effect, Effect::Entry { entry, .. } if entry.text() == "2. 28x19");
    assert_eq!(board.effects.iter().filter(is_capture).count(), 1);
    assert_eq!(setups(&board), 0);
}

#[test]
fn full_board_is_never_setup() {
    check_crowd(|number| if number % 2 == 0 { WHITE } else { BLACK });
}

#[test]
fn thirty_kings_are_never_setup() {
    check_crowd(|number| if number <= 30 { WHITE_KING } else { 0 });
}

#[test]
fn board_silent_again_after_gap_has_no_lasting_deadline() {
    for silence in (2_500..5_000).step_by(100) {
        let mut board = Board::after_first_move();
        board.put("19", 0);
        board.put("23", BLACK);
        board.now += silence;
        board.send(Input::Bytes(vec![0x8d, 0, 10, 1, 0x20, 0, 1, 0x20, 0, 1 | board.lever]));
        let until = board.now + 20_000;
        for _ in 0..1_000 {
            board.now = board.line.deadline().expect("a board that is up is asked").0;
            board.send(Input::Tick);
        }
        assert!(board.now > until, "after {silence} ms: a deadline at {} does not move on", board.now);
    }
}

/// Returns the live updates after this many effects, without likely moves.
fn live_updates(board: &Board, since: usize) -> Vec<LiveUpdate> {
    let aside = |effect: &Effect| match effect {
        Effect::LiveUpdate(aside) if !matches!(aside, LiveUpdate::LikelyMoves(_)) => Some(aside.clone()),
        _ => None,
    };
    board.effects[since..].iter().filter_map(aside).collect()
}

#[test]
fn clock_updates_supply_unseen_changes() {
    let mut board = Board::new();
    board.play("32", "28", WHITE);
    assert_eq!(live_updates(&board, 0), [], "there is no game yet");
    board.press();
    board.advance(1_000);
    assert_eq!(live_updates(&board, 0), [], "the entry has the clock");
    // The board reports a running clock, but its time stands still.
    board.advance(4_000);
    let [LiveUpdate::Clock(clocks)] = live_updates(&board, 0)[..] else { panic!("{:?}", live_updates(&board, 0)) };
    assert_eq!(clocks.to_string(), "[%clock w1:20:00 B1:20:00]");
    // A press without a move: the other side's time runs.
    let since = board.effects.len();
    board.press();
    let updates = live_updates(&board, since);
    assert!(matches!(updates[..], [LiveUpdate::Clock(clocks)] if clocks.running == Some(Color::White)), "{updates:?}");
}

#[test]
fn updates_report_loss_and_return_of_board() {
    let mut board = Board::after_first_move();
    let since = board.effects.len();
    board.send(Input::LinkDown);
    board.now += 4_000;
    board.send(Input::Tick);
    assert_eq!(live_updates(&board, since), [], "a cable that is plugged in again is no news");
    let deadline = board.line.deadline().expect("an update is due").0;
    board.now = deadline.max(board.now);
    board.send(Input::Tick);
    assert_eq!(live_updates(&board, since), [LiveUpdate::State(Condition::NoConnection)]);
    board.now += 60_000;
    board.send(Input::LinkUp);
    // The memory is requested, in vain.
    board.advance(60_000);
    let updates = live_updates(&board, since);
    assert!(updates.contains(&LiveUpdate::State(Condition::Playing)), "{updates:?}");
}

#[test]
fn updates_explain_setup_and_omit_held_entries() {
    let mut board = Board::after_first_move();
    board.send(Input::Request("hold".parse().unwrap()));
    let provisional_moves = board.provisional().len();
    board.play("19", "23", BLACK);
    assert_eq!(board.provisional().len(), provisional_moves);
    board.send(Input::Request("release".parse().unwrap()));
    assert_eq!(board.provisional()[provisional_moves..], [["19-23"]]);
    let since = board.effects.len();
    board.send(Input::Request("undo".parse().unwrap()));
    let updates = live_updates(&board, since);
    assert!(updates.contains(&LiveUpdate::SetupReason("operator")), "{updates:?}");
}

/// Returns the state that a reader of the events knows: a game begins with `playing`.
fn state_for_reader(board: &Board) -> Condition {
    let state =
        |effect: &Effect| if let Effect::LiveUpdate(LiveUpdate::State(state)) = effect { Some(*state) } else { None };
    board.effects.iter().rev().find_map(state).unwrap_or(Condition::Playing)
}

#[test]
fn lifted_piece_raises_no_doubt() {
    let mut board = Board::after_first_move();
    for name in ["19", "14"] {
        board.put(name, 0);
        board.advance(1_000);
        let status = board.status();
        let seen = (status.condition, &*status.state, status.unexplained);
        assert_eq!(seen, (Condition::Playing, "playing", None), "{name}");
        board.put(name, BLACK);
        board.advance(1_000);
    }
    assert_eq!(board.notices("no legal move explains the board"), 0);
}

#[test]
fn analysis_with_stopped_clock_raises_no_doubt() {
    let mut board = Board::after_first_move();
    board.is_clock_running = false;
    board.advance(1_000);
    for (from, to, code) in [("19", "23", BLACK), ("28", "19", WHITE), ("38", "32", WHITE), ("5", "46", WHITE_KING)] {
        board.play(from, to, code);
        board.put("23", 0);
        board.advance(20_000);
        let status = board.status();
        let seen = (status.condition, &*status.state, status.unexplained);
        assert_eq!(seen, (Condition::ClockStopped, "clock stopped", None), "{from}-{to}");
        assert_eq!(state_for_reader(&board), Condition::ClockStopped);
    }
    assert_eq!(board.notices("no legal move explains the board"), 0);
    assert_eq!(board.notices("pieces are moved while the clock stands"), 1);
    // The clock goes on while the analysis is still on the board: all outputs agree.
    board.is_clock_running = true;
    board.advance(1_000);
    assert_eq!((board.status().condition, state_for_reader(&board)), (Condition::Unexplained, Condition::Unexplained));
    assert!(board.status().unexplained.is_some());
    assert_eq!(board.notices("no legal move explains the board"), 1);
}

/// The status (the source of alarms), the events and the notices, while hands do anything, with or without the clock.
#[test]
fn status_events_and_messages_agree_on_board() {
    let mut unexplained = 0;
    for seed in 1..=20_u64 {
        let mut board = Board::after_first_move();
        let mut random = seed;
        for step in 0..60 {
            // Xorshift: any numbers will do.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let square = (1 + random / 7 % 50).to_string();
            match random % 11 {
                0..=3 => board.put(&square, 0),
                4..=5 => board.put(&square, [WHITE, BLACK, WHITE_KING][(random / 1000 % 3) as usize]),
                6 => board.press(),
                7 => board.is_clock_running = !board.is_clock_running,
                _ => board.advance(random / 100 % 12_000),
            }
            let (status, reader_state) = (board.status(), state_for_reader(&board));
            if status.condition == Condition::Over || status.game != Some(1) {
                break;
            }
            assert_eq!(status.condition, reader_state, "seed {seed}, step {step}: {status:?}");
            let is_unexplained = reader_state == Condition::Unexplained;
            assert_eq!(status.unexplained.is_some(), is_unexplained, "seed {seed}, step {step}: {status:?}");
            if is_unexplained {
                unexplained += 1;
                assert!(board.notices("no legal move explains the board") > 0, "seed {seed}, step {step}");
            }
        }
    }
    assert!(unexplained > 20, "{unexplained}");
}
