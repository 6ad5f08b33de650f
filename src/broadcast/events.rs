//! The events of a round as lines of JSON, for programs: `events.ndjson` grows, one event a line.
//!
//! ```text
//! {"seq":7,"at":"2026-11-21T09:31:02.120+01:00","board":"hall-1","game":1,"n":2,"type":"move","ply":1,
//!  "number":1,"side":"white","move":"32-28","clock":{"white":1789,"black":1800,"running":"black"},"fen":"B:W..."}
//! ```
//!
//! (on one line). Every event has `seq`, which counts the lines of the file from 1; `at`, when it was recorded; `board` and
//! `game`; `n`, which counts the events of this game from 1; and `type`:
//!
//! | type | more members |
//! |---|---|
//! | `game` | `gametype`, `tags`, `fen`: a game has begun |
//! | `move` | `ply`, `number`, `side`, `move`, `clock` if known, `fen` of the position after it |
//! | `setup` | `fen`, `clock` if known: the board could not be explained; play goes on from here |
//! | `end` | nothing follows in this game but its result |
//! | `result` | `result` |
//!
//! Times of clocks are whole seconds; `running` is left out when both stand. A reader that meets a type it does not know
//! passes over it.
//!
//! The events of a game are a function of what may be seen of it, and those of a later moment begin with those of an earlier
//! one. So after a crash the file is completed game by game: what `n` says is there is not written again. Games stand in
//! the order in which their events were written.

use super::json::Object;
use super::record::{Entry, GameRecord, Step};
use super::{Board, Moment, View};
use crate::pdn::clock::Clocks;
use crate::pdn::{fen, notation};
use crate::rules::{Color, Position};

/// An event of a game, but for its place in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    at: Moment,
    board: String,
    game: u32,
    n: u64,
    body: Object,
}

impl Event {
    /// The line of the event that is the `seq`th of its file, without the LF.
    pub fn line(&self, seq: u64) -> String {
        let at = self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, false);
        let head = Object::new().number("seq", seq).text("at", &at).text("board", &self.board);
        head.number("game", self.game.into()).number("n", self.n).and(&self.body).finish()
    }
}

/// The events of as much of a game as may be seen. None while none of its entries may.
pub fn events(board: &Board, game: &GameRecord, view: View<'_>) -> Vec<Event> {
    let mut bodies = Vec::new();
    if let Some(first) = view.entries.first() {
        bodies.push((first.at, opening(board, game)));
    }
    let mut teller = Teller { position: Some(start(board, game)), ply: 0, number: 1 };
    bodies.extend(view.entries.iter().map(|entry| (entry.at, teller.tell(board, entry))));
    let kind = |kind: &str| Object::new().text("type", kind);
    bodies.extend(game.closed().filter(|_| view.is_closed).map(|at| (at, kind("end"))));
    let result = game.result().zip(view.result);
    bodies.extend(result.map(|((at, _), result)| (at, kind("result").text("result", result))));
    let event = |((at, body), n)| Event { at, board: board.name.clone(), game: game.number, n, body };
    bodies.into_iter().zip(1..).map(event).collect()
}

fn opening(board: &Board, game: &GameRecord) -> Object {
    let tags = game.tags().iter().filter(|(name, _)| name != "Result" && name != "GameType");
    let tags = tags.fold(Object::new(), |tags, (name, value)| tags.text(name, value));
    let start = fen::write(board.variant, &start(board, game).setup());
    let body = Object::new().text("type", "game").text("gametype", &board.variant.game_type.tag_value());
    body.object("tags", tags).text("fen", &start)
}

/// Follows a game, so that every move gets its number, its side and the position after it.
struct Teller {
    /// The position on the board, as long as every move is known.
    position: Option<Position>,
    ply: u64,
    number: u64,
}

impl Teller {
    fn tell(&mut self, board: &Board, entry: &Entry) -> Object {
        let body = match &entry.step {
            Step::Setup { fen } => {
                let setup = fen::read(board.variant, fen).ok();
                self.position = setup.and_then(|setup| Position::new(board.variant, setup).ok());
                Object::new().text("type", "setup").text("fen", fen)
            }
            Step::Ply { number, text } => self.ply(*number, text),
        };
        with_clock(body, entry.clocks)
    }

    fn ply(&mut self, number: Option<(u32, bool)>, text: &str) -> Object {
        self.ply += 1;
        if let Some((number, _)) = number {
            self.number = number.into();
        }
        let body = Object::new().text("type", "move").number("ply", self.ply).number("number", self.number);
        let Some(before) = self.position.take() else { return body.text("move", text) };
        let body = body.text("side", side(before.turn())).text("move", text);
        let Ok(ply) = notation::read(&before, text) else { return body };
        let after = before.play(&ply);
        self.position = Some(after);
        body.text("fen", &fen::write(after.variant(), &after.setup()))
    }
}

/// The position that a game starts from.
fn start(board: &Board, game: &GameRecord) -> Position {
    let given = game.tag("FEN").and_then(|text| fen::read(board.variant, text).ok());
    let given = given.and_then(|setup| Position::new(board.variant, setup).ok());
    given.unwrap_or_else(|| Position::start(board.variant))
}

fn with_clock(body: Object, clocks: Option<Clocks>) -> Object {
    let Some(clocks) = clocks else { return body };
    let mut clock = Object::new();
    for (name, time) in [("white", clocks.white), ("black", clocks.black)] {
        if let Some(time) = time {
            clock = clock.number(name, time.0.into());
        }
    }
    if let Some(running) = clocks.running {
        clock = clock.text("running", side(running));
    }
    body.object("clock", clock)
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Change;
    use super::super::record::tests::{game, moment};
    use super::super::{Board, Delay};
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn a_game_is_told_move_by_move() {
        let lines = ["1. 32-28 {[%clock w0:29:55 B0:30:00]}", "19-23", "/FEN \"W:W28:B23\"/", "2. 28x19", "*"];
        let mut game = game(&["[White \"a\"]", "[Result \"*\"]"], &lines);
        game.take(moment(6), Change::Result("2-0".into()));
        let board = Board::new("hall-1", Variant::international(), Vec::new());
        let all = events(&board, &game, Delay::NONE.view(&game, moment(9)));
        let read = |(event, seq): (&Event, u64)| serde_json::from_str(&event.line(seq)).unwrap();
        let events: Vec<serde_json::Value> = all.iter().zip(1..).map(read).collect();
        let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["game", "move", "move", "setup", "move", "end", "result"]);
        assert_eq!(events[0]["tags"], serde_json::json!({"White": "a"}));
        let first = &events[1];
        assert_eq!((&first["seq"], &first["n"], &first["game"]), (&2.into(), &2.into(), &1.into()));
        assert_eq!(first["at"], "2026-11-21T09:30:01.000+01:00");
        assert_eq!(first["clock"], serde_json::json!({"white": 1795, "black": 1800, "running": "black"}));
        assert!(first["fen"].as_str().unwrap().starts_with("B:W28,31,33"), "{first}");
        assert_eq!((&events[2]["side"], &events[2]["number"]), (&"black".into(), &1.into()));
        assert_eq!((&events[4]["move"], &events[4]["fen"]), (&"28x19".into(), &"B:W19:B".into()));
        assert_eq!(events[6]["result"], "2-0");
        for seconds in 0..9 {
            let earlier = super::events(&board, &game, Delay { seconds: 3, plies: 1 }.view(&game, moment(seconds)));
            assert!(all.starts_with(&earlier), "{seconds}");
        }
    }
}
