//! State of an outlet: boards, their games, and the entries of each. Lines of `events.ndjson` in, views out.
//!
//! ```text
//!   line of events.ndjson ─▸ ViewerHall::apply ─▸ boards ─▸ pages (HTML)
//!                                              └▸ frames ─▸ GET /events (states of boards, for programs)
//! ```
//!
//! Pure: no clock, no file. `heard` is the time at which the outlet published a line, in ms since 1970. Displayed clocks count from
//! `heard` instead of `at`, so an outlet with a delay shows the clock times of its own position.
//!
//! A copy is cheap, because long parts are shared: readers own one and never block the writer.
//!
//! Memory has the entries of the last game of each board. Of an earlier game it has what pages show without its moves, and the places of its
//! lines in the file; [`GameReplay`] makes the whole game from them.

mod featured;
mod game;
mod hall_plan;
mod halls;
mod lines;

use std::collections::{BTreeMap, VecDeque, vec_deque};
use std::sync::Arc;

use axum::body::Bytes;
use draughts::Color;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;

pub use featured::{FeaturedState, RecentMoves};
pub use game::{Diagram, EntrySummary, PlayState, ViewerClock, ViewerEntry, ViewerGame, ViewerPly, WholeGame};
pub(crate) use game::{fields_of_move, letters};
pub use hall_plan::{HallPlan, PlannedBoard};
pub use halls::BoardNumber;
pub use lines::{GameLines, GameReplay};

/// Number of frames kept for programs that reconnect. A program that missed more gets a snapshot.
const MAX_FRAMES: usize = 2048;
/// Largest sum of the lines kept for games that have not begun, in bytes: those of some thousand games.
const MAX_HELD_BYTES: usize = 8 << 20;
/// Number of lines between marks.
pub const LINES_PER_MARK: u64 = 256;

/// State of all boards of an outlet.
#[derive(Clone, Debug, Default)]
pub struct ViewerHall {
    /// Generation of the file; empty until a line has one.
    pub generation: String,
    /// Number of the last line.
    pub seq: u64,
    /// Length of all lines up to `seq`, in bytes.
    pub bytes: u64,
    /// Time of publication of the last line, in ms since 1970.
    pub heard: i64,
    /// Marks of the lines 1, 257, 513, ...
    marks: Arc<Vec<LineMark>>,
    /// SHA-256 of all lines up to `seq`.
    hash: Sha256,
    /// Number of times that the events began anew, in any generation.
    pub restarts: u64,
    /// Boards, ordered by [`natural_order`] of their names.
    boards: Vec<Arc<ViewerBoard>>,
    /// Names of the halls of a joined outlet in their order, each the first part of the names of its boards; empty in an outlet of one hall.
    pub halls: Arc<Vec<String>>,
    /// Times since which halls are away, also those inside a hall, in ms since 1970, by the first part of the names of their boards.
    away: Arc<BTreeMap<String, i64>>,
    /// Tournament and boards of each hall, by its name; empty in an outlet of one hall.
    plans: Arc<BTreeMap<String, Arc<HallPlan>>>,
    /// Number of the last line about a tournament or the boards; 0 without one.
    planned_seq: u64,
    featured: FeaturedState,
    /// Lines of games that have not begun.
    held: Vec<HeldLine>,
    frames: VecDeque<Arc<BoardFrame>>,
    /// Number of the event after which `frames` is complete.
    frames_from: u64,
}

/// Place of a line in the file, from which later lines are found.
#[derive(Clone, Debug)]
pub struct LineMark {
    /// Number of the line.
    pub line: u64,
    /// Byte offset of the line.
    pub begin: u64,
    /// SHA-256 of the lines before it.
    pub hash: Sha256,
}

/// Line of a game that has not begun.
#[derive(Clone, Debug)]
struct HeldLine {
    board: String,
    game: u32,
    /// Field that the line corrects.
    field: Option<String>,
    /// Byte offset of the line.
    begin: u64,
    line: Arc<str>,
    /// Time of publication, in ms since 1970.
    heard: i64,
}

/// Board with all its games.
#[derive(Clone, Debug, Default)]
pub struct ViewerBoard {
    /// Name in the events.
    pub name: String,
    /// Games in the order of their start; never empty.
    pub games: Vec<Arc<ViewerGame>>,
    recent_moves: RecentMoves,
}

/// Event for programs after a line: the whole state of its board, or the notice that pairings may have changed.
#[derive(Debug)]
pub struct BoardFrame {
    /// Number of the event.
    pub seq: u64,
    /// Name of the board; empty for pairings.
    pub board: String,
    /// Event in the format of `text/event-stream`.
    pub bytes: Bytes,
}

/// Frames that a viewer has missed, oldest first.
pub type MissedFrames<'a> = vec_deque::Iter<'a, Arc<BoardFrame>>;

/// Line of the file about a board.
#[derive(Deserialize)]
struct ParsedEvent {
    at: Option<String>,
    board: String,
    game: u32,
    n: Option<u64>,
    r#type: String,
    gametype: Option<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    fen: Option<String>,
    number: Option<u64>,
    side: Option<String>,
    r#move: Option<String>,
    clock: Option<EventClock>,
    result: Option<String>,
    moves: Option<Vec<String>>,
    state: Option<PlayState>,
    field: Option<String>,
    new: Option<String>,
    continues: Option<u32>,
    pairing: Option<String>,
    after: Option<u64>,
    until: Option<u64>,
}

#[derive(Deserialize)]
struct EventClock {
    white: Option<u32>,
    black: Option<u32>,
    running: Option<String>,
}

impl ViewerHall {
    /// Applies line `seq` of the file, including its LF. Lines of unknown types only count.
    pub fn apply(&mut self, seq: u64, generation: Option<&str>, line: &str, heard: i64) {
        if (seq - 1).is_multiple_of(LINES_PER_MARK) {
            Arc::make_mut(&mut self.marks).push(LineMark { line: seq, begin: self.bytes, hash: self.hash.clone() });
        }
        self.hash.update(line);
        self.seq = seq;
        self.heard = heard;
        if let Some(generation) = generation {
            generation.clone_into(&mut self.generation);
        }
        match serde_json::from_str::<ParsedEvent>(line) {
            Ok(event) => {
                let event_kind = event.r#type.clone();
                if let Some(board) = self.update(event, line, heard) {
                    let (name, summary) = (board.name.clone(), board.summary(&event_kind));
                    self.push_frame("board", name, &summary);
                }
            }
            Err(_) => self.apply_without_board(line, heard),
        }
        self.bytes += line.len() as u64;
    }

    /// Applies a line without a board. A line that cannot be read changes nothing.
    fn apply_without_board(&mut self, line: &str, heard: i64) {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        if ["round", "pairing", "official-result", "tournament", "boards"].contains(&kind.as_str()) {
            // Pairings may have changed.
            self.push_frame("round", String::new(), &json!({}));
        }
        match kind.as_str() {
            "tournament" => drop(serde_json::from_value(event).map(|event| self.apply_tournament(event))),
            "boards" => drop(serde_json::from_value(event).map(|event| self.apply_boards(event))),
            "featured" => drop(serde_json::from_value(event).map(|event| self.featured.apply(event, heard))),
            _ => drop(serde_json::from_value(event).map(|event| self.apply_hall(event, heard))),
        }
    }

    /// Returns the hall without lines, after the events began anew.
    pub fn begun_anew(&self) -> ViewerHall {
        ViewerHall { restarts: self.restarts + 1, ..ViewerHall::default() }
    }

    /// Adds a frame for the last line.
    fn push_frame(&mut self, event_kind: &str, board: String, data: &Value) {
        let bytes = format!("id: {}\nevent: {event_kind}\ndata: {data}\n\n", self.id()).into_bytes();
        self.frames.push_back(Arc::new(BoardFrame { seq: self.seq, board, bytes: bytes.into() }));
        if self.frames.len() > MAX_FRAMES {
            self.frames_from = self.frames.pop_front().map_or(self.seq, |frame| frame.seq);
        }
    }

    /// Returns the permanent identifier of the last line: `generation.seq`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.generation, self.seq)
    }

    /// Returns a digest of all lines.
    pub fn digest(&self) -> String {
        hex(&self.hash.clone().finalize()[..4])
    }

    /// Returns the last mark up to `line`, which may be the one after the last.
    pub fn mark(&self, line: u64) -> LineMark {
        if line == self.seq + 1 {
            return LineMark { line, begin: self.bytes, hash: self.hash.clone() };
        }
        let index = line.saturating_sub(1) / LINES_PER_MARK;
        let mark = usize::try_from(index).ok().and_then(|index| self.marks.get(index));
        mark.cloned().unwrap_or(LineMark { line: 1, begin: 0, hash: Sha256::new() })
    }

    /// Returns the frames after the event `id`, which has the format of [`ViewerHall::id`]; `None` as [`ViewerHall::frames_after`] does.
    pub fn missed(&self, id: &str) -> Option<MissedFrames<'_>> {
        let (generation, seq) = id.rsplit_once('.')?;
        let seq = seq.parse().ok().filter(|_| generation == self.generation)?;
        self.frames_after(seq)
    }

    /// Returns the frames after event `seq` of this generation; `None` if some are unavailable, or the event is unknown.
    pub fn frames_after(&self, seq: u64) -> Option<MissedFrames<'_>> {
        let first = self.frames.partition_point(|frame| frame.seq <= seq);
        (self.frames_from..=self.seq).contains(&seq).then(|| self.frames.range(first..))
    }

    /// Returns the state of all boards as one event of the stream.
    pub fn snapshot(&self) -> Bytes {
        let boards: Vec<Value> = self.boards.iter().map(|board| board.summary("snapshot")).collect();
        format!("id: {}\nevent: snapshot\ndata: {}\n\n", self.id(), json!({ "boards": boards })).into_bytes().into()
    }

    /// Finds a board by name.
    pub fn find(&self, name: &str) -> Option<&ViewerBoard> {
        self.boards.iter().find(|board| board.name == name).map(|board| &**board)
    }

    /// Adds a board, and returns its index in `boards`.
    fn add_board(&mut self, name: &str) -> usize {
        let key = natural_order(name);
        let index = self.boards.partition_point(|board| natural_order(&board.name) < key);
        let board = ViewerBoard { name: name.to_owned(), ..ViewerBoard::default() };
        self.boards.insert(index, Arc::new(board));
        index
    }

    /// Applies the event of the line at `self.bytes`, and returns its board; `None` if the current game is unchanged.
    fn update(&mut self, event: ParsedEvent, line: &str, heard: i64) -> Option<&ViewerBoard> {
        let place = self.boards.iter().position(|board| board.name == event.board);
        let games = place.map_or(&[][..], |place| &self.boards[place].games);
        let known = games.iter().rposition(|game| game.has_number(event.game));
        if known.is_none() && event.r#type != "game" {
            self.hold(&event, line, heard);
            return None;
        }
        // A game may begin while its hall is away: the hub then copies lines that it has stored.
        let (away_since, held) = match known {
            None => (self.away_since(&event.board), self.take_held(&event)),
            Some(_) => (None, Vec::new()),
        };
        let seq = self.seq;
        let index = place.unwrap_or_else(|| self.add_board(&event.board));
        let board = Arc::make_mut(&mut self.boards[index]);
        let at = match known {
            // The game continues under another number: ignore events of the file that was ended by mistake.
            Some(at) if board.games[at].number != event.game => return None,
            Some(at) => at,
            None => board.begin(event.game, event.continues),
        };
        let game = Arc::make_mut(&mut board.games[at]);
        held.iter().for_each(|held| game.lines.add(held.begin, &held.line));
        game.lines.add(self.bytes, line);
        let is_move = event.r#type == "move";
        game.apply(event, heard);
        if known.is_none() {
            game.away_since = away_since;
        }
        for held in held {
            if let Ok(event) = serde_json::from_str(&held.line) {
                game.apply(event, held.heard);
            }
        }
        if is_move {
            game.moved_in = seq;
            board.recent_moves.add(heard);
        }
        // Programs get the state of the last game only.
        (at + 1 == board.games.len()).then_some(&*board)
    }

    /// Keeps a correction until its game begins: with a delay in plies the station corrects a game before it publishes its first line. A later
    /// correction of the same field replaces it.
    fn hold(&mut self, event: &ParsedEvent, line: &str, heard: i64) {
        if event.r#type != "tag-correction" || line.len() > MAX_HELD_BYTES {
            return;
        }
        let (board, game, field) = (event.board.clone(), event.game, event.field.clone());
        self.held.retain(|held| (&held.board, held.game, &held.field) != (&board, game, &field));
        let mut bytes = line.len() + self.held.iter().map(|held| held.line.len()).sum::<usize>();
        while bytes > MAX_HELD_BYTES {
            bytes -= self.held.remove(0).line.len();
        }
        self.held.push(HeldLine { board, game, field, begin: self.bytes, line: line.into(), heard });
    }

    /// Ends a game to which its board gave no result, with its official result if there is one.
    pub fn end_game(&mut self, board: &str, number: u32, result: Option<String>) {
        let board = self.boards.iter_mut().find(|known| known.name == board).map(Arc::make_mut);
        let game = board.and_then(|board| board.games.iter_mut().find(|game| game.number == number));
        if let Some(game) = game.map(Arc::make_mut) {
            game.ended_before_decision = Some(game.is_ended);
            (game.is_ended, game.result) = (true, result);
        }
    }

    /// Takes the lines that were kept for a game, which begins.
    fn take_held(&mut self, event: &ParsedEvent) -> Vec<HeldLine> {
        self.held.extract_if(.., |held| held.board == event.board && held.game == event.game).collect()
    }
}

impl ViewerBoard {
    /// Adds a game, or continues an earlier one under this number, and stores the game that was the last. Returns the index.
    fn begin(&mut self, number: u32, continues: Option<u32>) -> usize {
        let earlier = |number| self.games.iter().rposition(|game| game.number == number);
        let game = match continues.and_then(earlier) {
            Some(at) => self.games.remove(at).continue_as(number),
            None => ViewerGame::new(number),
        };
        if let Some(before) = self.games.last_mut() {
            Arc::make_mut(before).store();
        }
        self.games.push(Arc::new(game));
        self.games.len() - 1
    }

    /// Returns the current game: the last one that began.
    pub fn current(&self) -> Option<&ViewerGame> {
        self.games.last().map(|game| &**game)
    }

    /// Finds a game by its number, or by a number it had before it was continued.
    pub fn game(&self, number: u32) -> Option<&ViewerGame> {
        self.games.iter().find(|game| game.has_number(number)).map(|game| &**game)
    }

    /// Returns the state of the board for programs. `event_kind`: type of the event that changed it.
    fn summary(&self, event_kind: &str) -> Value {
        let Some(mut game) = self.current() else { return json!({ "board": self.name, "what": event_kind }) };
        // Programs get what the board says; official results are in lines of their own.
        let mut of_board;
        if let Some(is_ended) = game.ended_before_decision {
            of_board = game.clone();
            (of_board.is_ended, of_board.result) = (is_ended, None);
            game = &of_board;
        }
        let (last, ply) = (game.summary.last.as_ref(), game.summary.last_ply());
        let diagram = game.diagram();
        let side = |color: Color| if color == Color::White { "white" } else { "black" };
        json!({
            "board": self.name,
            "what": event_kind,
            "game": game.number,
            "count": game.summary.count,
            "state": game.state_str(),
            "pieces": diagram.map(|diagram| &diagram.pieces),
            "turn": diagram.and_then(|diagram| diagram.turn).map(side),
            "fen": last.map(|entry| &entry.fen),
            "last": ply.map(|ply| json!({
                "text": ply.text,
                "number": ply.number,
                "side": side(ply.side),
                "path": ply.path,
                "captured": ply.captured,
            })),
            "clock": game.clock.map(|clock| json!({
                "white": clock.white,
                "black": clock.black,
                "running": clock.running.map(side),
                "heard": clock.heard,
            })),
            "result": game.result,
            "likely": game.likely_moves,
        })
    }
}

/// Returns a time of an event, in ms since 1970.
pub fn time_of(at: &str) -> Option<i64> {
    Some(chrono::DateTime::parse_from_rfc3339(at).ok()?.timestamp_millis())
}

/// Returns a sort key that compares numbers in names by value: board-2 before board-10.
pub fn natural_order(name: &str) -> (Vec<(String, u64)>, String) {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(digits);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(end);
        parts.push((word.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = behind;
    }
    (parts, name.to_owned())
}

/// Returns the hall after these lines, published one a second.
#[cfg(test)]
pub fn hall_of(lines: &[impl AsRef<str>]) -> ViewerHall {
    let mut hall = ViewerHall::default();
    for (line, seq) in lines.iter().zip(1..) {
        hall.apply(seq, Some("g"), &format!("{}\n", line.as_ref().trim_end()), 1000 * seq as i64);
    }
    hall
}

#[cfg(test)]
mod tests {
    use super::hall_of as hall;
    use super::*;

    const START_POSITION: &str = "W:W31-50:B1-20";

    fn line(board: &str, members: &str) -> String {
        format!("{{\"board\":\"{board}\",\"game\":1,{members}}}\n")
    }

    fn game(board: &str) -> String {
        line(board, &format!("\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{}},\"fen\":\"{START_POSITION}\""))
    }

    #[test]
    fn capture_has_path_and_captured_squares() {
        let fen = "\"type\":\"game\",\"gametype\":\"20\",\"fen\":\"W:W28:B22,12\"";
        let ply = "\"type\":\"move\",\"number\":1,\"side\":\"white\",\"move\":\"28x8\",\"fen\":\"B:W8:B\"";
        let hall = hall(&[line("a", fen), line("a", ply)]);
        let (_, board) = hall.board("1").unwrap();
        let ply = board.current().unwrap().whole().unwrap().entries[0].ply.clone().unwrap();
        // Square 28 is in row 6, field 5 from the left.
        assert_eq!((ply.path, ply.captured), (vec![54, 32, 14], vec![43, 23]));
    }

    #[test]
    fn score_sheet_moves_follow_board_moves() {
        let amend = |old: &str, new: &str| {
            line("a", &format!("\"type\":\"tag-correction\",\"field\":\"moves\",\"old\":\"{old}\",\"new\":\"{new}\""))
        };
        let ply =
            "\"type\":\"move\",\"number\":1,\"side\":\"white\",\"move\":\"32-28\",\"fen\":\"B:W28,31,33-50:B1-20\"";
        let end = line("a", "\"type\":\"end\"");
        let mut lines = vec![game("a"), line("a", ply), end, amend("", "19-23 2. 28x19 14x23 3. 37-32")];
        let game_of = |lines: &[String]| hall(lines).board("a").unwrap().1.current().unwrap().clone();
        let shown = game_of(&lines);
        let text =
            |entry: &Arc<ViewerEntry>| entry.ply.as_ref().map(|ply| format!("{}{} {}", ply.number, ply.side, ply.text));
        let whole = shown.whole().unwrap();
        let typed: Vec<String> = whole.entries.iter().filter(|entry| entry.is_typed).filter_map(text).collect();
        assert_eq!(typed, ["1Black 19-23", "2White 28x19", "2Black 14x23", "3White 37-32"]);
        assert_eq!(whole.entries[2].ply.as_ref().map(|ply| ply.captured.len()), Some(1));
        assert!(
            whole.pdn().contains("1. 32-28 {from the score sheet} 19-23 2. 28x19 14x23 3. 37-32"),
            "{}",
            whole.pdn()
        );
        // A list replaces the earlier one; an empty list removes it.
        lines.push(amend("19-23 2. 28x19 14x23 3. 37-32", "18-23"));
        assert_eq!(game_of(&lines).summary.count, 2);
        lines.push(amend("18-23", ""));
        assert_eq!(game_of(&lines).summary.count, 1);
    }

    #[test]
    fn inserted_moves_replace_setup() {
        let ply = |n: u32, number: u32, side: &str, ply: &str, fen: &str| {
            let fen = format!("\"move\":\"{ply}\",\"fen\":\"{fen}\"");
            line("a", &format!("\"n\":{n},\"type\":\"move\",\"number\":{number},\"side\":\"{side}\",{fen}"))
        };
        let set_up = "\"n\":3,\"type\":\"setup\",\"fen\":\"B:W31-36,38-50:B1-13,15-18,20,23\",\"clock\":{\"white\":9,\"black\":8}";
        let inserted = "\"n\":5,\"type\":\"moves-inserted\",\"after\":2,\"until\":3,\"moves\":[\"19-23\",\"28x19\",\"14x23\",\"37-32\"]";
        let mut lines = vec![
            game("a"),
            ply(2, 1, "white", "32-28", "B:W28,31,33-50:B1-20"),
            line("a", set_up),
            ply(4, 2, "black", "10-14", "W:W31-36,38-50:B1-9,11-18,20,23"),
        ];
        let shown = |lines: &[String]| hall(lines).board("a").unwrap().1.current().unwrap().clone();
        assert!(shown(&lines).whole().unwrap().pdn().contains("/FEN"));
        lines.push(line("a", inserted));
        let repaired = shown(&lines);
        let whole = repaired.whole().unwrap();
        assert!(whole.pdn().contains("1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 *"), "{}", whole.pdn());
        assert_eq!((repaired.summary.count, repaired.summary.last_number), (6, Some(3)));
        assert_eq!(whole.entries[4].clock.map(|clock| clock.white), Some(Some(9)));
        // The next move is read in the last position.
        lines.push(ply(6, 4, "white", "41-37", "B:W31-40,42-50:B1-9,11-18,20,23"));
        let repaired = shown(&lines);
        assert_eq!(repaired.summary.last_ply().map(|ply| (ply.number, ply.path.len())), Some((4, 2)));
        let next = "\"board\":\"a\",\"game\":2,\"n\":1,\"type\":\"game\",\"gametype\":\"20\",\"tags\":{}";
        let mut replay = GameReplay::new("a", &repaired);
        lines.iter().for_each(|line| replay.add(line));
        replay.add(&format!("{{{next}}}\n"));
        assert_eq!(replay.finish().map(|game| game.summary.count), Some(7));
    }

    #[test]
    fn continued_game_stays_one_game() {
        let of = |game: u32, members: &str| format!("{{\"board\":\"a\",\"game\":{game},{members}}}\n");
        let after = "B:W28,31,33-50:B1-20";
        let ply = |number: u32, side: &str, ply: &str| {
            format!("\"type\":\"move\",\"number\":{number},\"side\":\"{side}\",\"move\":\"{ply}\",\"fen\":\"{after}\"")
        };
        let again = format!(
            "\"type\":\"game\",\"gametype\":\"20\",\"continues\":1,\"tags\":{{\"White\":\"A\",\"FEN\":\"{after}\"}},\"fen\":\"{after}\""
        );
        let lines = [
            game("a"),
            of(1, &ply(1, "white", "32-28")),
            of(1, "\"type\":\"end\""),
            of(1, "\"type\":\"result\",\"result\":\"2-0\""),
            of(2, &again),
            of(2, &ply(1, "black", "19-23")),
            of(1, "\"type\":\"tag-correction\",\"field\":\"Result\",\"old\":\"2-0\",\"new\":\"0-2\""),
        ];
        let hall = hall(&lines);
        let (_, board) = hall.board("a").unwrap();
        assert_eq!(board.games.len(), 1);
        let game = board.current().unwrap();
        assert_eq!((game.number, game.summary.count, game.state_str()), (2, 2, "playing"));
        assert_eq!((game.result.as_deref(), game.tag("White"), game.tag("FEN")), (None, Some("A"), None));
        assert!(
            game.start_position.as_ref().unwrap().pieces.contains('w')
                && game.whole().unwrap().pdn().contains("1. 32-28 19-23"),
            "{}",
            game.whole().unwrap().pdn()
        );
        assert_eq!(board.game(1).map(|game| game.number), Some(2), "its address stays");
    }

    #[test]
    fn returning_viewer_gets_missed_part_or_all() {
        let mut lines = vec![game("a")];
        lines.extend((0..3000).map(|_| line("a", "\"type\":\"clock\",\"clock\":{\"white\":5}")));
        let hall = hall(&lines);
        assert_eq!(hall.id(), "g.3001");
        let count = |id: &str| {
            let frames: Vec<_> = hall.missed(id)?.collect();
            assert!(frames.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
            Some(frames.len())
        };
        assert_eq!(count("g.3001"), Some(0));
        assert_eq!(count("g.2990"), Some(11));
        assert_eq!(count("g.953"), Some(2048));
        for other in ["g.952", "g.3002", "h.3000", "", "g", "g.-1", ".3000"] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    #[test]
    fn counts_any_line_and_stops_at_none() {
        let odd = ["{}\n", "[]\n", "{\"board\":7}\n"].map(str::to_owned);
        let strange = line("a", "\"type\":\"game\",\"gametype\":\"99\",\"fen\":\"nonsense\"");
        let ply = line("a", "\"type\":\"move\",\"move\":\"77-99\",\"fen\":\"?\"");
        let hall = hall(&[&odd[..], &[strange, ply, line("a", "\"type\":\"what\"")]].concat());
        assert_eq!((hall.seq, hall.boards().len()), (6, 1));
        assert!(String::from_utf8(hall.snapshot().to_vec()).unwrap().contains("\"count\":1"));
    }

    /// Games one after the other on two boards: corrected, typed, continued, and one that begins with a setup.
    fn many_games() -> Vec<String> {
        let of =
            |board: &str, game: u32, members: &str| format!("{{\"board\":\"{board}\",\"game\":{game},{members}}}\n");
        let first = format!(
            "\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{\"White\":\"A\",\"Date\":\"2026.11.21\"}},\"fen\":\"{START_POSITION}\""
        );
        let again = first.replace("\"gametype\"", "\"continues\":2,\"gametype\"");
        let ply = |number: u32, side: &str, text: &str, fen: &str| {
            format!(
                "\"type\":\"move\",\"number\":{number},\"side\":\"{side}\",\"move\":\"{text}\",\"fen\":\"{fen}\",\"clock\":{{\"white\":9}}"
            )
        };
        let white = ply(1, "white", "32-28", "B:W28,31,33-50:B1-20");
        let black = ply(1, "black", "19-23", "W:W28,31,33-50:B1-18,20,23");
        let correct = |field: &str, new: &str| {
            format!("\"type\":\"tag-correction\",\"field\":\"{field}\",\"old\":\"\",\"new\":\"{new}\"")
        };
        let result = "\"type\":\"result\",\"result\":\"2-0\"";
        [
            ("a", 1, &*first),
            ("b", 1, &*first),
            ("a", 1, &*white),
            ("b", 1, &*white),
            ("a", 1, "\"type\":\"end\""),
            ("a", 2, &*first),
            ("a", 2, &*white),
            ("a", 2, result),
            ("a", 1, result),
            ("b", 1, &*black),
            ("a", 3, &*first),
            ("a", 3, "\"type\":\"setup\",\"fen\":\"B:W28:B2\""),
            ("a", 3, "\"type\":\"correction\",\"reason\":\"lost\""),
            ("a", 1, &*correct("moves", "19-23 2. 28x19 14x23")),
            ("a", 4, &*again),
            ("a", 2, &*black),
            ("a", 4, &*black),
            ("b", 2, &*first),
            ("a", 1, &*correct("moves", "18-23")),
            ("a", 1, &*correct("Date", "2026.11.22")),
            ("a", 5, &*first),
            ("a", 4, &*correct("White", "B")),
            ("a", 4, &*correct("moves", "2. 28x19")),
            ("b", 3, &*first),
        ]
        .map(|(board, game, members)| of(board, game, members))
        .to_vec()
    }

    #[test]
    fn stored_game_is_made_again_from_its_lines() {
        let lines = many_games();
        let text = lines.concat();
        let all = hall(&lines);
        let mut stored = 0;
        for (_, board) in all.boards() {
            for game in &board.games[..board.games.len() - 1] {
                assert!(game.whole().is_none() && !game.tags.contains_key("Date"));
                let replay = |text: &str| {
                    let mut replay = GameReplay::new(&board.name, game);
                    for range in &game.lines.ranges {
                        let part = &text[range.start as usize..range.end as usize];
                        part.split_inclusive('\n').for_each(|line| replay.add(line));
                    }
                    replay.finish()
                };
                let again = replay(&text).unwrap();
                // Without the later games of its board, the game never left memory.
                let is_own = |line: &&String| {
                    let event: Value = serde_json::from_str(line).unwrap();
                    event["board"] == board.name && game.has_number(event["game"].as_u64().unwrap() as u32)
                };
                let alone = hall(&lines.iter().filter(is_own).cloned().collect::<Vec<_>>());
                let alone = alone.find(&board.name).unwrap().current().unwrap();
                assert_eq!(again.whole().unwrap().pdn(), alone.whole().unwrap().pdn());
                let shown = |game: &ViewerGame| format!("{:?} {:?} {:?}", game.state_str(), game.tags, game.diagram());
                assert_eq!(shown(&again), shown(alone));
                let summary = |game: &ViewerGame| {
                    let last = game.summary.last.as_ref().map(|last| (last.fen.clone(), last.is_typed));
                    (game.summary.count, last, game.summary.last_number, game.summary.highest_number)
                };
                assert_eq!((summary(game), game.state_str()), (summary(alone), alone.state_str()));
                assert_eq!(game.clock, again.clock);
                assert!(replay(&text.replace("\"A\"", "\"C\"")).is_none(), "other lines");
                stored += 1;
            }
        }
        assert_eq!(stored, 5);
    }
}
