//! The events of a round as lines of JSON, for programs: `events.ndjson` grows, one event a line.
//!
//! ```text
//! {"seq":7,"at":"2026-11-21T09:31:02.120+01:00","board":"hall-1","n":3,"type":"move","game":1,"ply":1,
//!  "number":1,"side":"white","move":"32-28","clock":{"white":1789,"black":1800,"running":"black"},"fen":"B:W..."}
//! ```
//!
//! (on one line). Every event has `seq`, which counts the lines of the file from 1; `at`; `board`; `n`, which counts the
//! events of this board from 1; and `type`:
//!
//! | type | more members |
//! |---|---|
//! | `game` | `game`, `gametype`, `tags`, `fen`: a game has begun |
//! | `move` | `game`, `ply`, `number`, `side`, `move`, `clock` if known, `fen` of the position after it |
//! | `setup` | `game`, `fen`, `clock` if known: the board could not be explained; play goes on from here |
//! | `end` | `game`: nothing follows in this game |
//! | `result` | `game`, `result` |
//! | `held`, `released` | `game`: the operator's word on what the public sees |
//! | `tags` | `tags`: new tags of the board |
//!
//! Times of clocks are whole seconds; `running` is left out when both stand. A reader that meets a type it does not know
//! passes over it.
//!
//! The events of one board are a function of its log; those of several boards stand in the order in which they were
//! written. So after a crash a file is completed board by board: what `n` says is there is not written again.

use super::json::Object;
use super::record::{Change, Entry, Step};
use super::{Board, Moment};
use crate::pdn::clock::Clocks;
use crate::pdn::{fen, notation};
use crate::rules::{Color, Position};

/// An event of a board, but for its place in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    at: Moment,
    board: String,
    n: u64,
    body: Object,
}

impl Event {
    /// The line of the event that is the `seq`th of its file, without the LF.
    pub fn line(&self, seq: u64) -> String {
        let at = self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, false);
        let head = Object::new().number("seq", seq).text("at", &at).text("board", &self.board).number("n", self.n);
        head.and(&self.body).finish()
    }

    /// When it happened.
    pub fn at(&self) -> Moment {
        self.at
    }

    /// Which event of its board it is, from 1.
    pub fn n(&self) -> u64 {
        self.n
    }
}

/// Turns what happens to the games of one board into events.
#[derive(Clone, Debug)]
pub struct Teller {
    n: u64,
    ply: u64,
    /// The position on the board, as long as every move is known.
    position: Option<Position>,
    number: u64,
}

impl Default for Teller {
    fn default() -> Teller {
        Teller { n: 0, ply: 0, position: None, number: 1 }
    }
}

impl Teller {
    /// The events of a change that the board has just taken.
    pub fn tell(&mut self, board: &Board, at: Moment, change: &Change) -> Vec<Event> {
        let Some(body) = self.body(board, change) else { return Vec::new() };
        // The game is told of with its first entry: until then its tags are still being written.
        let opening = self.opening(board, change);
        opening.into_iter().chain([body]).map(|body| self.event(board, at, body)).collect()
    }

    fn event(&mut self, board: &Board, at: Moment, body: Object) -> Event {
        self.n += 1;
        Event { at, board: board.name.clone(), n: self.n, body }
    }

    fn opening(&self, board: &Board, change: &Change) -> Option<Object> {
        let game = board.games.last()?;
        let is_first = matches!(change, Change::Line(_)) && game.entries().len() == 1 && game.closed().is_none();
        let tags = || game.tags().iter().filter(|(name, _)| name != "Result" && name != "GameType");
        let tags = tags().fold(Object::new(), |tags, (name, value)| tags.text(name, value));
        is_first.then(|| {
            let body = Object::new().text("type", "game").number("game", game.number.into());
            let start = fen::write(board.variant, &start(board).setup());
            body.text("gametype", &board.variant.game_type.tag_value()).object("tags", tags).text("fen", &start)
        })
    }

    fn body(&mut self, board: &Board, change: &Change) -> Option<Object> {
        let kind = |kind: &str| Object::new().text("type", kind);
        if let Change::Tags(tags) = change {
            let tags = tags.iter().fold(Object::new(), |all, (name, value)| all.text(name, value));
            return Some(kind("tags").object("tags", tags));
        }
        let game = board.games.last()?;
        let about = |name: &str| kind(name).number("game", game.number.into());
        match change {
            Change::Opened { .. } => {
                *self = Teller { n: self.n, ..Teller::default() };
                None
            }
            Change::Line(line) if line == "*" => Some(about("end")),
            Change::Line(line) if line.is_empty() || line.starts_with('[') => None,
            Change::Line(_) => {
                let entry = game.entries().last()?;
                if game.entries().len() == 1 {
                    self.position = Some(start(board));
                }
                Some(match &entry.step {
                    Step::Ply { number, text } => self.ply(about("move"), entry, *number, text),
                    Step::Setup { fen } => {
                        let setup = fen::read(board.variant, fen).ok();
                        self.position = setup.and_then(|setup| Position::new(board.variant, setup).ok());
                        with_clock(about("setup").text("fen", fen), entry.clocks)
                    }
                })
            }
            Change::Result(result) => Some(about("result").text("result", result)),
            Change::Held => Some(about("held")),
            Change::Released => Some(about("released")),
            Change::Tags(_) => None,
        }
    }

    fn ply(&mut self, body: Object, entry: &Entry, number: Option<(u32, bool)>, text: &str) -> Object {
        self.ply += 1;
        if let Some((number, _)) = number {
            self.number = number.into();
        }
        let mut body = body.number("ply", self.ply).number("number", self.number);
        let before = self.position.take();
        if let Some(before) = &before {
            body = body.text("side", side(before.turn()));
        }
        body = with_clock(body.text("move", text), entry.clocks);
        if let Some(before) = before
            && let Ok(ply) = notation::read(&before, text)
        {
            let after = before.play(&ply);
            body = body.text("fen", &fen::write(after.variant(), &after.setup()));
            self.position = Some(after);
        }
        body
    }
}

/// The position that the current game of a board starts from.
fn start(board: &Board) -> Position {
    let given = board.games.last().and_then(|game| game.tag("FEN"));
    let given = given.and_then(|text| fen::read(board.variant, text).ok());
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
    use super::super::record::tests::moment;
    use super::*;
    use crate::rules::Variant;

    fn events(lines: &[&str]) -> Vec<serde_json::Value> {
        let mut board = Board::new("hall-1", Variant::international(), Vec::new());
        let mut teller = Teller::default();
        let lines = lines.iter().map(|line| Change::Line((*line).to_owned()));
        let changes = [Change::Opened { game: 4 }].into_iter().chain(lines).chain([Change::Result("2-0".into())]);
        let mut events = Vec::new();
        for (at, change) in (0..).zip(changes) {
            board.take(moment(at), change.clone());
            events.extend(teller.tell(&board, moment(at), &change));
        }
        let lines = events.iter().zip(1..).map(|(event, seq)| event.line(seq));
        lines.map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    #[test]
    fn a_game_is_told_move_by_move() {
        let events = events(&[
            "[White \"a\"]",
            "[Result \"*\"]",
            "",
            "1. 32-28 {[%clock w0:29:55 B0:30:00]}",
            "19-23",
            "/FEN \"W:W28:B23\"/",
            "2. 28x19",
            "*",
        ]);
        let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["game", "move", "move", "setup", "move", "end", "result"]);
        assert_eq!(events[0]["tags"], serde_json::json!({"White": "a"}));
        let first = &events[1];
        assert_eq!((&first["seq"], &first["n"], &first["game"]), (&2.into(), &2.into(), &4.into()));
        assert_eq!(first["at"], "2026-11-21T09:30:04.000+01:00");
        assert_eq!(first["clock"], serde_json::json!({"white": 1795, "black": 1800, "running": "black"}));
        assert!(first["fen"].as_str().unwrap().starts_with("B:W28,31,33"), "{first}");
        assert_eq!((&events[2]["side"], &events[2]["number"]), (&"black".into(), &1.into()));
        assert_eq!((&events[4]["move"], &events[4]["fen"]), (&"28x19".into(), &"B:W19:B".into()));
        assert_eq!(events[6]["result"], "2-0");
    }
}
