//! The events of a round as lines of JSON, for programs: `events.ndjson` grows, one event per line.
//!
//! ```text
//! {"seq":7,"gen":"8f3c2a9be01d44c7","station":"hall-a","at":"2026-11-21T09:31:02.120+01:00","board":"hall-1","game":1,
//!  "n":2,"type":"move","ply":1,"number":1,"side":"white","move":"32-28",
//!  "clock":{"white":1789,"black":1800,"running":"black"},"fen":"B:W..."}
//! ```
//!
//! (on one line). Every event has `seq`, which counts the lines of the file from 1; `gen` and `station`, the generation of the file and its
//! station; `at`, the time of the recording; `board` and `game`; `n`, which counts the events of this game from 1; and `type`:
//!
//! | type | more members |
//! |---|---|
//! | `game` | `gametype`, `tags`, `fen`: a game has begun; `source`: `entry` if people enter the moves of a board without electronics; `continues`: number of the game that was ended by mistake and continues as this one |
//! | `move` | `ply`, `number`, `side`, `move`, `clock` if known, `fen` of the position after it |
//! | `setup` | `fen`, `clock` if known: the board could not be explained; play continues from here |
//! | `moves-inserted` | `after`, `until`, `moves`, `fen`: these moves stand after the event `n` = `after`, in place of the setups up to `n` = `until`; position after the last of them |
//! | `end` | only the result may follow in this game |
//! | `result` | `result` |
//! | `provisional` | `moves`: likely next moves, not final; each event replaces the previous one; an empty list withdraws them or precedes the final moves |
//! | `clock` | `clock`: differs by more than two seconds from the last `clock` counted on, or the other side's time runs |
//! | `state` | `state`: `playing`, as a game begins; `clock-stopped`; `unexplained`, for some seconds already; `no-connection` |
//! | `correction` | `reason` of the `setup` before it: `taken-back`, `illegal-move`, `unexplained`, `anomaly`, `corrected`, `operator` |
//! | `round`, `pairing`, `official-result`, `featured`, `tag-correction` | of a tournament ([`super::tournament_history`]), with `t` instead of `n`, `board` and `game` |
//! | `tournament` | `parts`: parts of the published tournament that have changed, each with its new value; with `c` instead of `n`, `board` and `game` |
//! | `boards` | `list`: all boards in their order, with the type and the tags of the next game of each; with `b` instead of `n`, `board` and `game` |
//!
//! `provisional`, `clock`, `state` and `correction` have `p` instead of `n`: they have their own count per game, because a delay in plies
//! omits them. A correction retracts nothing: events before the `setup` stay, and play continues from there.
//!
//! `events.schema.json` beside this file is the JSON Schema of a line.
//!
//! Times of clocks are whole seconds; `running` is left out when both clocks are stopped. A reader skips types that it does not know.
//!
//! The events of a game are a function of its visible part, and those of a later moment begin with those of an earlier one. The order among
//! several games is stored beside the logs, so that the whole file can be made again.

use std::cmp::Ordering;

use draughts::{Color, Position};
use draughts_pdn::clock::Clocks;
use draughts_pdn::fen;
use draughts_tournament::json::Object;

use super::insertions::{self, shifted_number};
use super::record::{GameRecord, Insertion, LiveUpdateContent, RecordedUpdate};
use super::{Board, Delay, HiddenNames, VisibleGame, WallTime};
use crate::livefile::{self, EntryKind};

/// An event of a game, without its place in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEvent {
    at: WallTime,
    board: String,
    game: u32,
    stream: Stream,
    n: u64,
    body: Object,
}

/// Origin of the lines of a file of events. With the number of a line it identifies that line for ever.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Generation {
    /// Identifier: random, of one outlet of one station.
    pub id: String,
    /// Name of the station: a plain word.
    pub station: String,
    /// Version of the tournament whose hidden names are hidden in all lines; 0 if none are hidden.
    pub names: u64,
}

/// The JSON Schema of an event.
pub const SCHEMA: &str = include_str!("events.schema.json");

/// Events with their own count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stream {
    /// Events that are in the files of a game as well, counted by `n`.
    Game,
    /// Live updates, counted by `p`.
    LiveUpdate,
    /// Events of a tournament, without board and game, counted by `t`.
    Tournament,
    /// Changes of the published tournament, without board and game, counted by `c`.
    Change,
    /// Lists of all boards, without board and game, counted by `b`.
    Boards,
}

impl Stream {
    /// Whether the events are of a board.
    pub fn is_of_board(self) -> bool {
        matches!(self, Stream::Game | Stream::LiveUpdate)
    }
}

/// Identifies one stream of events: board, game, stream.
pub type StreamKey = (String, u32, Stream);

/// Identifies an event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventId {
    /// Name of the board.
    pub board: String,
    /// Number of the game on the board.
    pub game: u32,
    /// Stream of the event.
    pub stream: Stream,
    /// Number of the event in its stream, from 1.
    pub n: u64,
}

impl EventId {
    /// Returns the stream that counts the event.
    pub fn key(&self) -> StreamKey {
        (self.board.clone(), self.game, self.stream)
    }
}

impl GameEvent {
    /// Creates the `n`th event of a stream without a board.
    pub(super) fn without_board(stream: Stream, n: u64, at: WallTime, body: Object) -> GameEvent {
        GameEvent { at, board: String::new(), game: 0, stream, n, body }
    }

    /// Returns the identity of the event.
    pub fn id(&self) -> EventId {
        EventId { board: self.board.clone(), game: self.game, stream: self.stream, n: self.n }
    }

    /// Returns the time of the recording.
    pub fn at(&self) -> WallTime {
        self.at
    }

    /// Returns the line of the event as the `seq`th of its file, without the LF.
    pub fn line(&self, seq: u64, generation: &Generation) -> String {
        let at = self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, false);
        let head = Object::new().number("seq", seq);
        let head = head.text("gen", &generation.id).text("station", &generation.station);
        let head = head.text("at", &at);
        let of_game = |head: Object| head.text("board", &self.board).number("game", self.game.into());
        let head = match self.stream {
            Stream::Game => of_game(head).number("n", self.n),
            Stream::LiveUpdate => of_game(head).number("p", self.n),
            Stream::Tournament => head.number("t", self.n),
            Stream::Change => head.number("c", self.n),
            Stream::Boards => head.number("b", self.n),
        };
        head.merge(&self.body).finish()
    }
}

/// Returns the number of events of the visible part of a game.
pub fn visible_event_count(view: VisibleGame<'_>) -> u64 {
    let own = view.own_entries().len();
    (usize::from(view.is_begun) + own + own_insertions(view).len()) as u64
        + u64::from(view.is_closed)
        + u64::from(view.result.is_some())
}

/// Returns the visible insertions of the live file.
fn own_insertions<'game>(view: VisibleGame<'game>) -> &'game [Insertion] {
    let is_prior = |insertion: &Insertion| insertion.moves.recorded as usize <= view.prior_entries;
    &view.insertions[view.insertions.partition_point(is_prior)..]
}

/// Returns the number of live updates that are visible at a moment. With a delay in plies there are none: they would reveal the withheld
/// moves.
pub fn count_live_updates(game: &GameRecord, delay: Delay, now: WallTime) -> u64 {
    let is_due = |at| delay.visible_at(at) <= now;
    let asides = game.live_updates();
    match asides.last_at() {
        Some(_) if delay.plies > 0 => 0,
        Some(last) if is_due(last) => asides.len() as u64,
        _ => asides.iter().take_while(|update| is_due(update.at)).count() as u64,
    }
}

/// Returns the time at which the `n`th event of a game's stream was recorded.
pub fn event_time(game: &GameRecord, stream: Stream, n: u64) -> Option<WallTime> {
    let index = usize::try_from(n).ok()?.checked_sub(1)?;
    if stream != Stream::Game {
        return game.live_updates().iter().nth(index).map(|update| update.at);
    }
    // The first event is the beginning of the game.
    let entries = game.current_file_entries();
    let Some(mut after) = index.checked_sub(1) else { return begun_at(game) };
    let prior = game.entries().len() - entries.len();
    for insertion in game.insertions().iter().filter(|insertion| insertion.moves.recorded as usize > prior) {
        let recorded = insertion.moves.recorded as usize - prior;
        match after.cmp(&recorded) {
            Ordering::Less => break,
            Ordering::Equal => return Some(insertion.at),
            Ordering::Greater => after -= 1,
        }
    }
    let mut ends = game.closed_at().into_iter().chain(game.result().map(|(at, _)| at));
    match after.checked_sub(entries.len()) {
        None => entries.get(after).map(|entry| entry.at),
        Some(after) => ends.nth(after),
    }
}

/// Returns the time at which a game began for readers: that of its first entry, for an entered game that of its file.
fn begun_at(game: &GameRecord) -> Option<WallTime> {
    let first = game.current_file_entries().first().map(|entry| entry.at);
    if game.header.is_entered { Some(game.opened_at) } else { first }
}

/// Returns the events of the visible part of a game after the first `skip`; none until its beginning is visible.
pub fn events(board: &Board, game: &GameRecord, view: VisibleGame<'_>, skip: u64) -> Vec<GameEvent> {
    events_without(board, game, view, skip, &HiddenNames::default())
}

/// Returns the events of [`events`] without the hidden names.
pub fn events_without(
    board: &Board,
    game: &GameRecord,
    view: VisibleGame<'_>,
    skip: u64,
    withheld: &HiddenNames,
) -> Vec<GameEvent> {
    let mut bodies = Vec::new();
    let own = view.own_entries();
    if let Some(at) = begun_at(game).filter(|_| view.is_begun) {
        bodies.push((at, if skip == 0 { game_opened_event(board, game, withheld) } else { Object::new() }));
    }
    let mut numberer = MoveNumberer { ply: 0, number: 1, shift: 0 };
    let known = usize::try_from(skip).unwrap_or(usize::MAX);
    let mut inserted = own_insertions(view).iter().peekable();
    for (index, (entry, written)) in own.iter().zip(game.to_current_file_entries(own)).enumerate() {
        let body = numberer.entry_event(&written, bodies.len() >= known);
        bodies.push((entry.at, body));
        let recorded = view.prior_entries + index + 1;
        while let Some(insertion) = inserted.next_if(|insertion| insertion.moves.recorded as usize <= recorded) {
            let body = moves_inserted_event(game, view, insertion);
            numberer.on_insertion(insertion);
            bodies.push((insertion.at, body));
        }
    }
    let kind = |kind: &str| Object::new().text("type", kind);
    bodies.extend(game.closed_at().filter(|_| view.is_closed).map(|at| (at, kind("end"))));
    let result = game.result().zip(view.result);
    bodies.extend(result.map(|((at, _), result)| (at, kind("result").text("result", result))));
    let (name, game) = (&board.name, game.number());
    let event = |((at, body), n)| GameEvent { at, board: name.clone(), game, stream: Stream::Game, n, body };
    bodies.into_iter().zip(1..).skip(known).map(event).collect()
}

/// Returns at most `max_count` live updates of a game after the first `skip`.
pub fn live_update_events(board: &Board, game: &GameRecord, skip: u64, max_count: usize) -> Vec<GameEvent> {
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    let numbered = game.live_updates().iter().zip(1..).skip(skip).take(max_count);
    let kind = |kind| Object::new().text("type", kind);
    let body = |aside: &RecordedUpdate| match &aside.content {
        LiveUpdateContent::LikelyMoves(moves) => kind("provisional").texts("moves", moves.split_whitespace()),
        LiveUpdateContent::Clock(clocks) => with_clock(kind("clock"), Some(*clocks)),
        LiveUpdateContent::State(state) => kind("state").text("state", state),
        LiveUpdateContent::SetupReason(reason) => kind("correction").text("reason", reason),
    };
    let event = |(aside, n): (RecordedUpdate, u64)| GameEvent {
        at: aside.at,
        board: board.name.clone(),
        game: game.number(),
        stream: Stream::LiveUpdate,
        n,
        body: body(&aside),
    };
    numbered.map(event).collect()
}

/// Returns the `n`th list of all boards, without the hidden names.
pub fn board_list_event(n: u64, at: WallTime, boards: &[Board], hidden: &HiddenNames) -> GameEvent {
    let board = |board: &Board| {
        // No game of the board has the number 0.
        let tags = shown_tags((&board.name, 0), board.tags.iter(), hidden);
        let object = Object::new().text("board", &board.name);
        object.text("gametype", &board.variant.game_type.tag_value()).object("tags", tags)
    };
    let body = Object::new().text("type", "boards").objects("list", boards.iter().map(board).collect());
    GameEvent::without_board(Stream::Boards, n, at, body)
}

/// Returns the tags of a game without hidden names and their FMJD numbers.
fn shown_tags<'t>(
    (board, game): (&str, u32),
    tags: impl Iterator<Item = &'t (String, String)> + Clone,
    hidden: &HiddenNames,
) -> Object {
    let value_of = |wanted: &str| tags.clone().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let is_hidden = |tag: &str| hidden.hides_number(board, game, tag, tag.strip_suffix("FmjdId").and_then(value_of));
    tags.clone()
        .filter(|(name, _)| !is_hidden(name))
        .fold(Object::new(), |all, (name, value)| all.text(name, hidden.mask(board, game, name, value)))
}

fn game_opened_event(board: &Board, game: &GameRecord, withheld: &HiddenNames) -> Object {
    let tags = game.header.tags.iter().filter(|(name, _)| name != "GameType");
    let tags = shown_tags((&board.name, game.number()), tags, withheld);
    let body = Object::new().text("type", "game").text("gametype", &game.variant().game_type.tag_value());
    let body = body.object("tags", tags).text("fen", &fen_of(&game.header.start()));
    let body = if game.header.is_entered { body.text("source", "entry") } else { body };
    let body = match &game.header.pairing_id {
        Some(pairing) => body.text("pairing", pairing),
        None => body,
    };
    match game.header.continued_game {
        Some(number) => body.number("continues", number.into()),
        None => body,
    }
}

/// Returns the event of moves that were added in place of setups.
fn moves_inserted_event(game: &GameRecord, view: VisibleGame<'_>, insertion: &Insertion) -> Object {
    let moves = &insertion.moves;
    let is_earlier = |other: &&Insertion| *other != insertion;
    let earlier = own_insertions(view).iter().take_while(is_earlier);
    // Number of the event of an entry, given by its number in the game; the event of the game's beginning comes first.
    let n = |entry: u32| {
        let inserted = earlier.clone().filter(|other| other.moves.recorded < entry).count();
        ((entry as usize).saturating_sub(view.prior_entries) + 1 + inserted) as u64
    };
    let before = view.insertions.iter().take_while(is_earlier).filter(|other| other.moves.until <= moves.after);
    let before: Vec<Insertion> = before.cloned().collect();
    let entries = view.entries.get(..moves.after as usize).unwrap_or_default();
    let complete = insertions::visible_entries(game, VisibleGame { entries, insertions: &before, ..view });
    let last = game.to_file_entries(&complete).last().map(|last| last.kind.position_after());
    let mut position = last.unwrap_or_else(|| game.first_header().start());
    let mut texts = Vec::with_capacity(moves.plies.len());
    for ply in &moves.plies {
        texts.push(EntryKind::Ply { position, ply: ply.clone() }.text());
        position = position.play(ply);
    }
    let body = Object::new().text("type", "moves-inserted").number("after", n(moves.after));
    let body = body.number("until", n(moves.until)).texts("moves", texts.iter().map(String::as_str));
    body.text("fen", &fen_of(&position))
}

/// Follows a game, so that every move gets its number.
struct MoveNumberer {
    ply: u64,
    number: u64,
    /// Amount by which inserted moves change all later numbers.
    shift: i64,
}

impl MoveNumberer {
    /// Follows moves that were added in place of setups.
    fn on_insertion(&mut self, insertion: &Insertion) {
        let shift = insertion.moves.number_shift();
        self.ply += insertion.moves.plies.len() as u64;
        self.number = self.number.saturating_add_signed(shift);
        self.shift += shift;
    }

    /// Follows an entry; makes the body of its event only if requested.
    fn entry_event(&mut self, entry: &livefile::Entry, is_requested: bool) -> Object {
        if let EntryKind::Ply { .. } = entry.kind {
            self.ply += 1;
            self.number = entry.number.map_or(self.number, |number| shifted_number(number, self.shift).value.into());
        }
        if !is_requested {
            return Object::new();
        }
        let body = match &entry.kind {
            step @ EntryKind::Setup(_) => Object::new().text("type", "setup").text("fen", &step.text()),
            step @ EntryKind::Ply { position: before, .. } => {
                let body = Object::new().text("type", "move").number("ply", self.ply).number("number", self.number);
                let body = body.text("side", side(before.turn())).text("move", &step.text());
                body.text("fen", &fen_of(&step.position_after()))
            }
        };
        with_clock(body, entry.clocks)
    }
}

fn fen_of(position: &Position) -> String {
    fen::write(position.variant(), &position.setup())
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
    use super::super::insertions::tests::inserted;
    use super::super::record::GameChange;
    use super::super::record::tests::{changes, game, moment};
    use super::*;
    use draughts::Variant;

    fn generation() -> Generation {
        Generation { id: "8f3c2a9be01d44c7".to_owned(), station: "hall-a".to_owned(), names: 0 }
    }

    #[test]
    fn reports_game_move_by_move() {
        let lines = ["1. 32-28 {[%clock w0:29:55 B0:30:00]}", "19-23", "/FEN \"W:W28:B23\"/", "2. 28x19"];
        let mut game = game(&[("White", "a")], &lines);
        game.apply(moment(6), GameChange::Ended(Some("2-0".into())));
        let board = Board::new("hall-1", Variant::international(), Vec::new());
        let all = events(&board, &game, Delay::NO_DELAY.view(&game, moment(9)), 0);
        let read = |(event, seq): (&GameEvent, u64)| serde_json::from_str(&event.line(seq, &generation())).unwrap();
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
            let view = Delay { seconds: 3, plies: 1 }.view(&game, moment(seconds));
            let earlier = super::events(&board, &game, view, 0);
            assert!(all.starts_with(&earlier), "{seconds}");
            assert_eq!(super::visible_event_count(view), earlier.len() as u64);
        }
        let at: Vec<WallTime> = (1..).map_while(|n| super::event_time(&game, Stream::Game, n)).collect();
        assert_eq!(at, all.iter().map(GameEvent::at).collect::<Vec<_>>());
        for skip in 0..9 {
            let later = super::events(&board, &game, Delay::NO_DELAY.view(&game, moment(9)), skip);
            assert_eq!(later, all[(skip as usize).min(all.len())..]);
        }
    }

    #[test]
    fn reports_likely_moves_beside_game() {
        let mut board = Board::new("a", Variant::international(), Vec::new());
        let likely = |moves: &[&str]| GameChange::LiveUpdate(LiveUpdateContent::LikelyMoves(moves.join(" ").into()));
        board.apply(moment(0), likely(&["32-28"]));
        let (opening, changes) = changes(1, &[], &["1. 32-28"]);
        board.apply(moment(1), GameChange::Opened(opening));
        changes.into_iter().for_each(|change| board.apply(moment(1), change));
        board.apply(moment(2), likely(&["19-23", "28x19"]));
        board.apply(moment(4), likely(&[]));
        board.apply(moment(5), GameChange::Ended(None));
        board.apply(moment(6), likely(&["1-2"]));
        let game = &*board.games[0].load().unwrap();
        let lines: Vec<String> =
            live_update_events(&board, game, 0, 9).iter().map(|event| event.line(7, &generation())).collect();
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0].ends_with(r#""game":1,"p":1,"type":"provisional","moves":["19-23","28x19"]}"#),
            "{}",
            lines[0]
        );
        assert!(lines[1].ends_with(r#""p":2,"type":"provisional","moves":[]}"#), "{}", lines[1]);
        assert_eq!(
            (live_update_events(&board, game, 1, 9).len(), live_update_events(&board, game, 0, 1).len()),
            (1, 1)
        );
        let count = |delay, now| count_live_updates(game, delay, moment(now));
        assert_eq!(count(Delay::NO_DELAY, 9), 2);
        assert_eq!(count(Delay { seconds: 3, plies: 0 }, 5), 1);
        assert_eq!(count(Delay { seconds: 0, plies: 1 }, 9), 0);
    }

    #[test]
    fn schema_lists_every_member() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let mut game = game(&[("White", "a")], &["1. 32-28 {[%clock w0:29:55 B0:30:00]}"]);
        let contents = [
            LiveUpdateContent::LikelyMoves("19-23".into()),
            LiveUpdateContent::Clock(Clocks { running: Some(Color::White), ..Clocks::default() }),
            LiveUpdateContent::State("unexplained"),
            LiveUpdateContent::SetupReason("taken-back"),
        ];
        for contents in contents {
            game.apply(moment(3), GameChange::LiveUpdate(contents));
        }
        game.apply(moment(4), GameChange::MovesInserted(inserted((1, 1, 1), 1, &["19-23"], &game)));
        game.apply(moment(6), GameChange::Ended(Some("2-0".into())));
        let board = Board::new("a", Variant::international(), Vec::new());
        let mut all = events(&board, &game, Delay::NO_DELAY.view(&game, moment(9)), 0);
        all.extend(live_update_events(&board, &game, 0, 9));
        for event in &all {
            let event: serde_json::Value = serde_json::from_str(&event.line(1, &generation())).unwrap();
            for (member, value) in event.as_object().unwrap() {
                let contents = &schema["properties"][member];
                let kind = match value {
                    serde_json::Value::String(_) => "string",
                    serde_json::Value::Number(_) => "integer",
                    serde_json::Value::Array(_) => "array",
                    _ => "object",
                };
                assert_eq!(contents["type"], kind, "{member}");
            }
            assert!(schema["required"].as_array().unwrap().iter().all(|name| !event[name.as_str().unwrap()].is_null()));
            assert!(schema["properties"]["type"]["enum"].as_array().unwrap().contains(&event["type"]));
        }
    }
}
