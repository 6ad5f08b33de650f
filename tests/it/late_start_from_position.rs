//! Boards on which a game goes on whose start was not received and is in no memory. It is recorded from the present position as soon as
//! play goes on, or when the operator requests it; from no other position.

use damcast::engine::millis::Millis;
use damcast::engine::protocol::{Field, Message, PieceCode};
use damcast::engine::session::{Condition, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::games;
use damcast::simulation::script::{codes, field};
use draughts::{Color, Move, Position};
use draughts_pdn::{fen, notation};

/// The middle of a game, on a board that is plugged in at that time.
struct Table {
    line: Line,
    now: u64,
    position: Position,
    moves: std::vec::IntoIter<Move>,
    fields: Vec<u8>,
    turned: bool,
    /// Whether its clock runs.
    is_clock_running: bool,
    has_clock: bool,
    outputs: Vec<Output>,
}

impl Table {
    /// Creates a board after this many plies. `runs`: its clock runs.
    fn after_plies(plies: usize, turned: bool, runs: bool, has_clock: bool) -> Table {
        let mut table = Table::unconnected(plies, turned, runs, has_clock);
        table.handle(Input::LinkUp);
        table.wait(10_000);
        table
    }

    fn unconnected(plies: usize, turned: bool, is_clock_running: bool, has_clock: bool) -> Table {
        let game = games::from_pdn("demo", games::DEMONSTRATION, None, None).unwrap().swap_remove(0);
        let mut moves = game.moves.into_iter();
        let position = moves.by_ref().take(plies).fold(game.start, |position, ply| position.play(&ply));
        let mut fields = codes(&position);
        if turned {
            fields.reverse();
        }
        let settings = LineSettings { finds_late_start: true, ..LineSettings::new(position.variant()) };
        let line = Line::new(settings);
        Table { line, now: 0, position, moves, fields, turned, is_clock_running, has_clock, outputs: Vec::new() }
    }

    fn handle(&mut self, input: Input) {
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let outputs = self.line.handle(Millis(self.now), input);
            for output in &outputs {
                let answer = match &output.effect {
                    Effect::Send(bytes) if bytes[..] == [0x42] => [&[0x86, 0x00, 0x67], &self.fields[..]].concat(),
                    // The board knows no start position.
                    Effect::Send(bytes) if bytes[..] == [0x49] => {
                        Message::EepromMoves(vec![0x41, 3, 0x40, 3, 0x6b]).encode()
                    }
                    _ => continue,
                };
                inputs.push(Input::Bytes(answer));
            }
            self.outputs.extend(outputs);
        }
    }

    /// Sends the clock, once a second; the lever is up on the side to move, White's on the left.
    fn clock(&mut self) {
        if self.has_clock {
            let lever = if self.position.turn() == Color::White { 0x00 } else { 0x02 };
            let gone = u8::try_from(self.now / 60_000).unwrap();
            let status = lever | u8::from(self.is_clock_running);
            let minutes = 0x59 - gone;
            self.handle(Input::Bytes(vec![0x8d, 0x00, 0x0a, 0x01, minutes, 0x00, 0x01, minutes, 0x00, status]));
        }
    }

    fn run_until(&mut self, end: u64) {
        while let Some(at) = self.line.deadline().map(|at| at.0).filter(|&at| at <= end) {
            self.now = at.max(self.now);
            self.handle(Input::Tick);
        }
        self.now = end.max(self.now);
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now + ms;
        while self.now < end {
            let next = ((self.now / 1_000 + 1) * 1_000).min(end);
            self.run_until(next);
            if self.now.is_multiple_of(1_000) {
                self.clock();
            }
        }
    }

    fn put(&mut self, at: u8, code: u8) {
        let number = if self.turned { 99 - at } else { at };
        self.fields[usize::from(number)] = code;
        self.handle(Input::Bytes(Message::FieldUpdate { field: Field(number), piece: PieceCode(code) }.encode()));
        self.wait(200);
    }

    /// Plays the next ply; `presses`: its player presses. Returns its notation.
    fn play(&mut self, presses: bool) -> String {
        let before = self.position;
        let ply = self.moves.next().unwrap();
        let code = codes(&before)[usize::from(field(&before, ply.from()))];
        self.put(field(&before, ply.from()), 0);
        self.put(field(&before, ply.to()), code);
        for jump in ply.jumps() {
            self.put(field(&before, jump.over), 0);
        }
        self.wait(700);
        if presses {
            self.position = before.play(&ply);
            self.clock();
        }
        self.wait(4_000);
        notation::write(before.variant(), &ply, &before.legal_moves())
    }

    fn lines(&self) -> Vec<String> {
        self.outputs.iter().flat_map(|output| output.effect.lines()).filter(|line| !line.is_empty()).collect()
    }

    fn entries(&self) -> Vec<String> {
        let bare = |line: String| line.split(" {").next().unwrap().rsplit(' ').next().unwrap().to_owned();
        self.lines().into_iter().filter(|line| !line.starts_with('[')).map(bare).collect()
    }

    fn fen_tag(&self) -> Option<String> {
        self.lines().into_iter().find(|line| line.starts_with("[FEN "))
    }

    fn request(&mut self, request: &str) -> Vec<Output> {
        let before = self.outputs.len();
        self.handle(Input::Request(request.parse().unwrap()));
        self.outputs[before..].to_vec()
    }
}

fn is_refused(outputs: &[Output]) -> bool {
    outputs.iter().any(|output| matches!(output.effect, Effect::Refused(_)))
}

fn tag(position: &Position) -> String {
    format!("[FEN \"{}\"]", fen::write(position.variant(), &position.setup()))
}

#[test]
fn without_memory_game_starts_from_position_when_play_resumes() {
    for (plies, turned) in [(12, false), (12, true), (13, false), (13, true), (40, true), (41, false)] {
        let mut table = Table::after_plies(plies, turned, true, true);
        let case = format!("after {plies} plies, turned {turned}");
        assert_eq!(table.line.status().state, "offers a game from what stands on it", "{case}");
        assert_eq!(table.lines(), Vec::<String>::new(), "{case}: nobody has played on");
        let stood = table.position;
        let played: Vec<String> = (0..6).map(|_| table.play(true)).collect();
        table.wait(5_000);
        assert_eq!(table.entries(), played, "{case}: {:?}", table.outputs);
        assert_eq!(table.fen_tag(), Some(tag(&stood)), "{case}");
        assert_eq!(table.line.status().game, Some(1), "{case}");
        let is_resync_notice =
            |output: &&Output| matches!(&output.effect, Effect::Notice(text) if text.contains("`resync white`"));
        assert_eq!(table.outputs.iter().filter(is_resync_notice).count(), 1, "{case}: reported once");
    }
}

/// A hand holds a piece when the board is plugged in: the first dump is no position of the game.
#[test]
fn ply_in_progress_at_plug_in_costs_no_wrong_position() {
    let mut table = Table::unconnected(12, false, true, true);
    let before = table.position;
    let ply = table.moves.next().unwrap();
    let (from, to) = (field(&before, ply.from()), field(&before, ply.to()));
    let code = std::mem::take(&mut table.fields[usize::from(from)]);
    table.handle(Input::LinkUp);
    table.wait(8_000);
    table.put(to, code);
    table.position = before.play(&ply);
    table.clock();
    table.wait(20_000);
    assert_eq!(table.lines(), Vec::<String>::new(), "nobody knows what was played: {:?}", table.outputs);
    let stood = table.position;
    let played: Vec<String> = (0..4).map(|_| table.play(true)).collect();
    assert_eq!((table.entries(), table.fen_tag()), (played, Some(tag(&stood))), "{:?}", table.outputs);
}

#[test]
fn stray_pieces_with_stopped_clock_are_no_game() {
    // Stopped, without a clock, and with one that is never pressed.
    for (runs, has_clock, presses) in [(false, true, true), (false, false, false), (true, true, false)] {
        let mut table = Table::after_plies(20, false, runs, has_clock);
        for _ in 0..4 {
            table.play(presses);
            table.wait(20_000);
            if !presses {
                // After showing a move the pieces are put back.
                let stood = codes(&table.position);
                for at in
                    (0..100).filter(|&at| table.fields[usize::from(at)] != stood[usize::from(at)]).collect::<Vec<u8>>()
                {
                    table.put(at, stood[usize::from(at)]);
                }
                table.moves = std::iter::once(table.position.legal_moves()[0].clone()).collect::<Vec<_>>().into_iter();
                table.wait(20_000);
            }
        }
        let case = format!("runs {runs}, clock {has_clock}, pressed {presses}");
        assert_eq!(table.lines(), Vec::<String>::new(), "{case}: {:?}", table.outputs);
        assert_eq!(table.line.status().condition, Condition::Waiting, "{case}");
    }
}

#[test]
fn operator_starts_game_from_position() {
    for turned in [false, true] {
        let mut table = Table::after_plies(20, turned, false, false);
        assert!(is_refused(&table.request("resync")), "who is to move?");
        let replies = table.request("resync white");
        let position = fen::write(table.position.variant(), &table.position.setup());
        let is_news = |output: &Output| matches!(&output.effect, Effect::Info(text) if text.contains(&position));
        assert!(!is_refused(&replies) && replies.iter().any(is_news), "{replies:?}");
        let stood = table.position;
        let mut played = Vec::new();
        for _ in 0..6 {
            played.push(table.play(true));
            table.wait(10_000);
        }
        assert!(table.entries().len() >= 5 && played.starts_with(&table.entries()), "{:?}", table.entries());
        assert_eq!(table.fen_tag(), Some(tag(&stood)));
    }
}

#[test]
fn empty_board_and_old_log_start_no_game() {
    let mut table = Table::unconnected(20, false, true, true);
    table.fields.fill(0);
    table.handle(Input::LinkUp);
    table.wait(10_000);
    assert!(is_refused(&table.request("resync white")), "{:?}", table.outputs);
    assert_ne!(table.line.status().state, "offers a game from what stands on it");
    // A log without the setting for late games is replayed as recorded.
    let mut table = Table::unconnected(20, false, true, true);
    table.line = Line::new(LineSettings::new(table.position.variant()));
    table.handle(Input::LinkUp);
    table.wait(10_000);
    (0..6).for_each(|_| drop(table.play(true)));
    assert!(is_refused(&table.request("resync white")) && table.lines().is_empty());
}
