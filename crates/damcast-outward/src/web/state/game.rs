//! Published state of a game, built from the events of its board.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use draughts::{Color, Move, PieceKind, Placement, Position, Square, Variant};
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber};
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{fen, notation, tag};
use serde::Deserialize;

use super::lines::GameLines;
use super::{ParsedEvent, time_of};

/// Published state of a game. A stored game has its entries and the rest of its tags in the file of events only: memory keeps what
/// pages show of it without its moves.
#[derive(Clone, Debug, Default)]
pub struct ViewerGame {
    /// Number on the board.
    pub number: u32,
    /// Earlier numbers of a continued game, one for each time it was ended by mistake.
    pub prior_numbers: Vec<u32>,
    /// Rules; `None` if the game type is unknown.
    pub variant: Option<&'static Variant>,
    /// Tags of the game's file; a stored game has those that pages show without its moves, and `FEN`.
    pub tags: BTreeMap<String, String>,
    /// Id of the pairing of the tournament; `None` without one.
    pub pairing: Option<String>,
    /// Id of the pairing with which the game began.
    first_pairing: Option<String>,
    /// Position before the first entry.
    pub start_position: Option<Diagram>,
    /// Summary of the moves and setups.
    pub summary: EntrySummary,
    /// Summary of the entries that were not typed.
    recorded: EntrySummary,
    /// Moves and setups; `None` if the game is stored.
    entries: Option<Vec<Arc<ViewerEntry>>>,
    /// Time at which the game began, in ms since 1970; 0 if it is unknown.
    pub began_at: i64,
    /// Lines of the game in the file of events.
    pub lines: GameLines,
    /// Number (`seq`) of the line of the last move; 0 without a move.
    pub moved_in: u64,
    /// Last reading of the clock.
    pub clock: Option<ViewerClock>,
    /// State reported by the station.
    pub state: PlayState,
    /// Time since which the station receives nothing from the board, in ms since 1970.
    silent_since: Option<i64>,
    /// Time since which nothing is heard of the hall of the board, in ms since 1970.
    pub away_since: Option<i64>,
    /// Whether the board's part of the game has ended; the result and corrections may follow.
    pub is_ended: bool,
    /// Whether the board had ended the game before the official result did; `None` if no official result has ended it.
    pub ended_before_decision: Option<bool>,
    /// Result, once certain.
    pub result: Option<String>,
    /// Likely next moves, not yet final.
    pub likely_moves: Vec<String>,
    /// Position in which the next move is read; `None` if the rules or the position are unknown.
    position: Option<Position>,
}

/// Summary of a list of entries.
#[derive(Clone, Debug, Default)]
pub struct EntrySummary {
    /// Number of entries.
    pub count: usize,
    /// Last entry.
    pub last: Option<Arc<ViewerEntry>>,
    /// Move number of the last move; `None` if there are only setups.
    pub last_number: Option<u64>,
    /// Highest move number; 0 if there are only setups.
    pub highest_number: u64,
}

impl EntrySummary {
    fn add(&mut self, entry: &Arc<ViewerEntry>) {
        self.count += 1;
        self.last = Some(entry.clone());
        if let Some(ply) = &entry.ply {
            self.last_number = Some(ply.number);
            self.highest_number = self.highest_number.max(ply.number);
        }
    }

    /// Returns the last entry if it is a move.
    pub fn last_ply(&self) -> Option<&ViewerPly> {
        self.last.as_ref()?.ply.as_ref()
    }
}

/// Game in memory with all its entries.
#[derive(Clone, Copy, Debug)]
pub struct WholeGame<'a> {
    /// The game.
    pub game: &'a ViewerGame,
    /// Moves and setups.
    pub entries: &'a [Arc<ViewerEntry>],
}

/// State of a board during its game, as reported by the station.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub enum PlayState {
    /// Both clocks are stopped.
    #[serde(rename = "clock-stopped")]
    ClockStopped,
    /// No legal move explains the position of the pieces.
    #[serde(rename = "unexplained")]
    Unclear,
    /// The station receives nothing from the board.
    #[serde(rename = "no-connection")]
    Silent,
    /// The game is being played.
    #[default]
    #[serde(other)]
    Playing,
}

/// Move or setup.
#[derive(Clone, Debug)]
pub struct ViewerEntry {
    /// Move; `None` for a setup.
    pub ply: Option<ViewerPly>,
    /// Position after the entry.
    pub position_after: Option<Diagram>,
    /// Position after the entry as FEN; empty if unknown.
    pub fen: String,
    /// Reading of the clock at the entry.
    pub clock: Option<ViewerClock>,
    /// Whether the move was typed from the score sheet because the board missed it.
    pub is_typed: bool,
    /// Number of its event; `None` for moves that were added.
    pub(super) event: Option<EventNumber>,
}

/// Number of a game on its board, and of an event in it.
type EventNumber = (u32, u64);

/// Move of one side.
#[derive(Clone, Debug)]
pub struct ViewerPly {
    /// Move number as written: both sides share one.
    pub number: u64,
    /// Side that moved.
    pub side: Color,
    /// Move text.
    pub text: String,
    /// Fields of the moving piece from start to end, as indices into [`Diagram::pieces`]. Empty if the move cannot be read.
    pub path: Vec<usize>,
    /// Fields of the captured pieces, in the order of capture.
    pub captured: Vec<usize>,
}

/// Pieces on all fields of the board, including unplayable ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// One letter for each field, row by row from White's far left: `.` empty, `w`, `b` men, `W`, `B` kings.
    pub pieces: String,
    /// Side to move.
    pub turn: Option<Color>,
}

/// Reading of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewerClock {
    /// White's time in seconds.
    pub white: Option<u32>,
    /// Black's time in seconds.
    pub black: Option<u32>,
    /// Side whose clock is running.
    pub running: Option<Color>,
    /// Time of publication, in ms since 1970.
    pub heard: i64,
}

impl ViewerClock {
    /// Returns the time of a side in seconds.
    pub fn seconds(&self, color: Color) -> Option<u32> {
        if color == Color::White { self.white } else { self.black }
    }
}

impl ViewerGame {
    pub(super) fn new(number: u32) -> ViewerGame {
        ViewerGame { number, entries: Some(Vec::new()), ..ViewerGame::default() }
    }

    /// Creates a game without moves, with the rules of its tag `GameType` and the start position of its tag `FEN` or of its rules.
    pub fn unstarted(tags: BTreeMap<String, String>) -> ViewerGame {
        let variant = tags.get("GameType").and_then(|tag| Variant::from_tag(tag).ok());
        let result = tags.get("Result").filter(|result| *result != "*").cloned();
        let mut game = ViewerGame { variant, tags, result, ..ViewerGame::new(0) };
        game.start_position = game.set_position(game.start_position_fen().as_deref());
        game
    }

    /// Continues this game, which was ended by mistake, under another number. Drops the moves that were typed after that end.
    pub(super) fn continue_as(&self, number: u32) -> ViewerGame {
        let recorded =
            |entries: &Vec<Arc<ViewerEntry>>| entries.iter().filter(|entry| !entry.is_typed).cloned().collect();
        let before = self.prior_numbers.iter().copied().chain([self.number]).collect();
        ViewerGame {
            prior_numbers: before,
            // The continued game keeps the start position.
            tags: self.tags.clone().into_iter().filter(|(name, _)| name == "FEN").collect(),
            variant: self.variant,
            start_position: self.start_position.clone(),
            summary: self.recorded.clone(),
            recorded: self.recorded.clone(),
            entries: self.entries.as_ref().map(recorded),
            lines: self.lines.clone(),
            clock: self.clock,
            ..ViewerGame::new(number)
        }
    }

    /// Whether `number` is the number of this game or one of its earlier numbers.
    pub(super) fn has_number(&self, number: u32) -> bool {
        self.number == number || self.prior_numbers.contains(&number)
    }

    /// Takes from the stored game what none of its lines has: times of publication, the official result, the silence of its hall.
    pub fn complete_from(&mut self, stored: &ViewerGame) {
        self.clock = stored.clock;
        self.moved_in = stored.moved_in;
        self.is_ended = stored.is_ended;
        self.result.clone_from(&stored.result);
        self.ended_before_decision = stored.ended_before_decision;
        self.silent_since = stored.silent_since;
        self.away_since = stored.away_since;
    }

    /// Drops the entries and most tags from memory; [`GameReplay`](super::GameReplay) reads them again.
    pub(super) fn store(&mut self) {
        self.entries = None;
        self.tags.retain(|name, _| is_kept(name));
        self.lines.ranges.shrink_to_fit();
    }

    /// Returns the game with its entries; `None` if it is stored.
    pub fn whole(&self) -> Option<WholeGame<'_>> {
        self.entries.as_ref().map(|entries| WholeGame { game: self, entries })
    }

    /// Returns the position after the last entry.
    pub fn diagram(&self) -> Option<&Diagram> {
        match &self.summary.last {
            None => self.start_position.as_ref(),
            Some(last) => last.position_after.as_ref(),
        }
    }

    /// Returns the state for programs: `playing`, `stopped`, `unclear`, `silent`, `ended` (no result yet), `over`; `waiting` before the game
    /// begins.
    pub fn state_str(&self) -> &'static str {
        match self.state {
            _ if self.result.is_some() => "over",
            _ if self.is_unstarted() => "waiting",
            _ if self.is_ended => "ended",
            _ if self.away_since.is_some() => "silent",
            PlayState::Playing => "playing",
            PlayState::ClockStopped => "stopped",
            PlayState::Unclear => "unclear",
            PlayState::Silent => "silent",
        }
    }

    /// Whether the game has not begun, and only its players or its position are known.
    pub fn is_unstarted(&self) -> bool {
        self.number == 0
    }

    /// Returns the side that begins.
    pub fn starter(&self) -> Color {
        self.variant.map_or(Color::White, |variant| variant.game_type.starter())
    }

    /// Whether the game has ended, on its board or by its result.
    pub fn has_ended(&self) -> bool {
        self.is_ended || self.result.is_some()
    }

    /// Whether the game ended without a move and without a result, so that it counts for nothing.
    pub fn is_void(&self) -> bool {
        self.is_ended && self.summary.count == 0 && self.result.is_none()
    }

    /// Whether the game counts for its pairing: it is not played again, and not void.
    pub fn counts(&self) -> bool {
        self.tag("Replayed").is_none() && !self.is_void()
    }

    /// Returns the position of the game's first line in the file of events, in bytes: a later game has a larger one.
    pub fn first_line(&self) -> Option<u64> {
        self.lines.ranges.first().map(|range| range.start)
    }

    /// Whether the game goes on.
    pub fn is_on(&self) -> bool {
        !self.is_unstarted() && !self.has_ended()
    }

    /// Returns the time since which nothing is heard of the board, in ms since 1970, while its game goes on.
    pub fn silent_since(&self) -> Option<i64> {
        self.silent_since.into_iter().chain(self.away_since).min().filter(|_| self.is_on())
    }

    /// Returns the time on a clock in seconds: its last reading. If the board is not heard, the running clock has counted on from the reading
    /// until the board was last heard.
    pub fn clock_seconds(&self, color: Color) -> Option<u32> {
        let clock = self.clock?;
        let since = self.silent_since().filter(|_| clock.running == Some(color) && !self.is_ended);
        let counted = since.map_or(0, |since| (since - clock.heard).max(0) / 1000);
        Some(clock.seconds(color)?.saturating_sub(u32::try_from(counted).unwrap_or(u32::MAX)))
    }

    /// Whether the game has the name of a player.
    pub fn has_player(&self) -> bool {
        self.tag("White").or(self.tag("Black")).is_some()
    }

    /// Returns the value of a tag; `None` if absent, empty or unknown (`?`, `-`, `*`).
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(|value| value.trim()).filter(|value| !matches!(*value, "" | "?" | "-" | "*"))
    }

    pub(super) fn apply(&mut self, event: ParsedEvent, heard: i64) {
        let clock = event.clock.map(|clock| ViewerClock {
            white: clock.white,
            black: clock.black,
            running: clock.running.as_deref().and_then(color),
            heard,
        });
        self.clock = clock.or(self.clock);
        match event.r#type.as_str() {
            "game" => {
                self.variant = event.gametype.as_deref().and_then(|tag| Variant::from_tag(tag).ok());
                let first = std::mem::replace(&mut self.tags, event.tags).remove("FEN");
                self.began_at = event.at.as_deref().and_then(time_of).unwrap_or_default();
                self.pairing.clone_from(&event.pairing);
                self.first_pairing = event.pairing;
                let start = self.set_position(event.fen.as_deref());
                if self.prior_numbers.is_empty() {
                    self.start_position = start;
                } else {
                    self.set_tag("FEN", first);
                }
            }
            "move" => {
                let text = event.r#move.unwrap_or_default();
                let before = self.position.take();
                let fields =
                    |before: Position| Some(fields_of_move(before.variant(), &notation::read(&before, &text).ok()?));
                let (path, captured) = before.and_then(fields).unwrap_or_default();
                let number = event.number.unwrap_or_default().min(u32::MAX.into());
                let side = event.side.as_deref().and_then(color).unwrap_or(Color::White);
                let ply = ViewerPly { number, side, text, path, captured };
                self.add_entry(event.n, Some(ply), event.fen, clock);
            }
            "setup" => self.add_entry(event.n, None, event.fen, clock),
            "moves-inserted" => {
                if let (Some(after), Some(until)) = (event.after, event.until) {
                    self.insert_moves(after, until, &event.moves.unwrap_or_default());
                }
            }
            "end" => (self.is_ended, self.silent_since) = (true, None),
            "result" => (self.result, self.silent_since) = (event.result, None),
            "provisional" => self.likely_moves = event.moves.unwrap_or_default(),
            // Changes a tag, the result, or the moves from the score sheet.
            "tag-correction" => {
                let (field, new) = (event.field.unwrap_or_default(), event.new.filter(|new| !new.is_empty()));
                match (field.as_str(), new) {
                    ("Result", new) => self.result = new.filter(|new| new != "*"),
                    ("moves", moves) => self.add_typed(&moves.unwrap_or_default()),
                    // The pairing's names and round follow as corrections of tags.
                    ("pairing", new) => {
                        self.pairing = new.or_else(|| self.first_pairing.clone()).filter(|id| id != "none");
                    }
                    (field, new) => self.set_tag(field, new),
                }
            }
            "state" => {
                self.state = event.state.unwrap_or_default();
                let is_silent = self.state == PlayState::Silent && self.is_on();
                self.silent_since = is_silent.then(|| self.silent_since.unwrap_or(heard));
            }
            _ => {}
        }
        if self.entries.is_none() {
            self.tags.retain(|name, _| is_kept(name));
        }
    }

    /// Changes a tag; removes it without a value.
    fn set_tag(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => self.tags.insert(name.to_owned(), value),
            None => self.tags.remove(name),
        };
    }

    /// Adds a ply, or a setup, and the position after it.
    fn add_entry(&mut self, n: Option<u64>, ply: Option<ViewerPly>, fen: Option<String>, clock: Option<ViewerClock>) {
        let position_after = self.set_position(fen.as_deref());
        self.likely_moves.clear();
        let (fen, event) = (fen.unwrap_or_default(), n.map(|n| (self.number, n)));
        self.push_entry(Arc::new(ViewerEntry { ply, position_after, fen, clock, is_typed: false, event }));
    }

    /// Inserts moves after the event with the number `after`, in place of those up to `until`, and numbers later moves anew. The last
    /// inserted move has the clock of the last one in its place.
    fn insert_moves(&mut self, after: u64, until: u64, moves: &[String]) {
        let Some(entries) = self.entries.take() else { return };
        let is_until = |entry: &Arc<ViewerEntry>, n: u64| match entry.event {
            Some((game, known)) => game != self.number || known <= n,
            None => false,
        };
        // Moves that were inserted between two events belong to the one before them.
        let place = |n: u64| entries.iter().rposition(|entry| is_until(entry, n)).map_or(0, |last| last + 1);
        let (begin, end) = (place(after), place(until));
        let begin = begin + entries[begin..].iter().take_while(|entry| entry.event.is_none()).count();
        let (kept, later) = (&entries[..begin], &entries[end.max(begin)..]);
        let clock = entries[begin..end.max(begin)].last().and_then(|replaced| replaced.clock);
        let current = self.position.take();
        (self.entries, self.summary) = (Some(Vec::new()), EntrySummary::default());
        self.recorded = EntrySummary::default();
        kept.iter().for_each(|entry| self.push_entry(Arc::clone(entry)));
        let start = self.start_position_fen();
        self.set_position(kept.last().map(|entry| entry.fen.as_str()).or(start.as_deref()));
        for (index, text) in moves.iter().enumerate() {
            let clock = clock.filter(|_| index + 1 == moves.len());
            let number = self.next_number().unwrap_or(1);
            if self.play(text, number, clock, false).is_none() {
                break;
            }
        }
        let next = self.next_number();
        let first = later.first().and_then(|entry| entry.ply.as_ref());
        // Shift the numbers after later setups too: the station numbers them the same way.
        let shift =
            |number: u64| first.zip(next).map_or(number, |(ply, next)| (number + next).saturating_sub(ply.number));
        for entry in later {
            let mut entry = ViewerEntry::clone(entry);
            if let Some(ply) = &mut entry.ply {
                ply.number = shift(ply.number);
            }
            self.push_entry(Arc::new(entry));
        }
        if !later.is_empty() {
            self.position = current;
        }
    }

    /// Plays a move from the current position and adds it, without an event of its own; `None` if it cannot be read.
    fn play(&mut self, text: &str, number: u64, clock: Option<ViewerClock>, is_typed: bool) -> Option<()> {
        let before = self.position.take()?;
        let played = notation::read(&before, text).ok()?;
        let fen = fen::write(before.variant(), &before.play(&played).setup());
        let (path, captured) = fields_of_move(before.variant(), &played);
        let ply = Some(ViewerPly { number, side: before.turn(), text: text.to_owned(), path, captured });
        let position_after = self.set_position(Some(&fen));
        self.push_entry(Arc::new(ViewerEntry { ply, position_after, fen, clock, is_typed, event: None }));
        Some(())
    }

    /// Returns the number of the next move; `None` directly after a setup.
    fn next_number(&self) -> Option<u64> {
        match &self.summary.last {
            None => Some(1),
            Some(last) => last.ply.as_ref().map(|ply| ply.number + u64::from(ply.side != self.starter())),
        }
    }

    fn start_position_fen(&self) -> Option<String> {
        let start = || self.variant.map(|variant| fen::write(variant, &Position::start(variant).setup()));
        self.tags.get("FEN").cloned().or_else(start)
    }

    fn push_entry(&mut self, entry: Arc<ViewerEntry>) {
        self.summary.add(&entry);
        if !entry.is_typed {
            self.recorded.add(&entry);
        }
        if let Some(entries) = &mut self.entries {
            entries.push(entry);
        }
    }

    /// Adds these moves after the recorded ones, in place of all added earlier.
    fn add_typed(&mut self, moves: &str) {
        if let Some(entries) = &mut self.entries {
            entries.retain(|entry| !entry.is_typed);
        }
        self.summary = self.recorded.clone();
        let last = self.summary.last.as_ref().map(|entry| entry.fen.clone()).filter(|fen| !fen.is_empty());
        let last = last.or_else(|| self.start_position_fen());
        self.set_position(last.as_deref());
        for ply in draughts_pdn::reader::read(moves).0.iter().flat_map(Game::moves) {
            let written = ply.number.map(|number| number.value.into());
            let number = written.or(self.summary.last_number).unwrap_or(1);
            if self.play(&ply.text, number, None, true).is_none() {
                return;
            }
        }
    }

    /// Returns the diagram of a FEN, and sets the position in which the next move is read.
    fn set_position(&mut self, text: Option<&str>) -> Option<Diagram> {
        let variant = self.variant?;
        let text = bare_fen(text?);
        let read = fen::read_any(variant, text).ok()?;
        self.position = fen::read(variant, text).ok().and_then(|setup| Position::new(variant, setup).ok());
        Some(Diagram { pieces: letters(variant, &read.placement), turn: read.turn })
    }
}

impl<'a> WholeGame<'a> {
    /// Returns the position after the first `entries` entries.
    pub fn diagram(self, entries: usize) -> Option<&'a Diagram> {
        match entries.checked_sub(1) {
            None => self.game.start_position.as_ref(),
            Some(index) => self.entries.get(index)?.position_after.as_ref(),
        }
    }

    /// Returns the FEN of the position after the first `entries` entries; `None` if it, or the rules, are unknown.
    pub fn fen(self, entries: usize) -> Option<Cow<'a, str>> {
        match entries.checked_sub(1) {
            Some(index) => Some(self.entries.get(index)?.fen.as_str()).filter(|fen| !fen.is_empty()).map(Cow::Borrowed),
            None => self.game.start_position_fen().map(Cow::Owned),
        }
    }

    /// Returns the position after the first `entries` entries for play by the rules; `None` if it, or the rules, are unknown.
    pub fn position(self, entries: usize) -> Option<Position> {
        let variant = self.game.variant?;
        let at = |entries| Position::new(variant, fen::read(variant, bare_fen(&self.fen(entries)?)).ok()?).ok();
        let position = at(entries)?;
        // A king may have to rest after its last moves, which a FEN does not have.
        let Some(limit) = variant.rules.same_king_limit else { return Some(position) };
        let last = self.entries.get(..entries)?.iter().rev().take(2 * usize::from(limit));
        let moves: Vec<&str> = last.map_while(|entry| Some(entry.ply.as_ref()?.text.as_str())).collect();
        let play = |before: Position, text: &&str| Some(before.play(&notation::read(&before, text).ok()?));
        let played = moves.iter().rev().try_fold(at(entries - moves.len())?, play);
        Some(played.filter(|played| played.setup() == position.setup()).unwrap_or(position))
    }

    /// Writes the published part of the game as PDN.
    pub fn pdn(self) -> String {
        let mut game = Game::default();
        if let Some(variant) = self.game.variant {
            game.tags.set("GameType", variant.game_type.tag_value());
        }
        for (name, value) in &self.game.tags {
            game.tags.set(name, tag::reader_safe(value));
        }
        game.tags.set("Result", self.game.result.as_deref().unwrap_or("*"));
        let number = |ply: &ViewerPly| MoveNumber {
            value: u32::try_from(ply.number).unwrap_or(u32::MAX),
            ellipsis: ply.side != self.game.starter(),
        };
        let (mut is_first, mut is_typed) = (true, false);
        for entry in self.entries {
            if entry.is_typed && !std::mem::replace(&mut is_typed, true) {
                game.entries.push(Entry::Comment("from the score sheet".to_owned()));
            }
            game.entries.push(match &entry.ply {
                None => Entry::Setup(entry.fen.clone()),
                Some(ply) => Entry::Move(MoveEntry {
                    number: (is_first || ply.side == self.game.starter()).then(|| number(ply)),
                    text: ply.text.as_str().into(),
                    strength: None,
                    captured: None,
                }),
            });
            is_first = entry.ply.is_none();
        }
        writer::write(&[game], Style::Compact)
    }
}

/// Whether a stored game keeps a tag.
fn is_kept(tag: &str) -> bool {
    match tag.strip_prefix("White").or(tag.strip_prefix("Black")) {
        Some(of_player) => matches!(of_player, "" | "Title" | "Country" | "Rating" | "Team"),
        None => matches!(tag, "Event" | "Site" | "Round" | "Board" | "FEN" | "Replayed"),
    }
}

fn color(word: &str) -> Option<Color> {
    match word {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    }
}

/// Returns a letter for each field of the board, in the format of [`Diagram::pieces`].
pub(crate) fn letters(variant: &Variant, placement: &Placement) -> String {
    let geometry = &variant.geometry;
    let letter = |square: Option<Square>| match square.and_then(|square| placement.get(square)) {
        None => '.',
        Some(piece) if piece.kind == PieceKind::King => piece.color.letter(),
        Some(piece) => piece.color.letter().to_ascii_lowercase(),
    };
    let fields = (0..geometry.height()).flat_map(|row| (0..geometry.width()).map(move |column| (row, column)));
    fields.map(|(row, column)| letter(geometry.square_at(row, column))).collect()
}

/// Removes the delimiters that a setup of the live file may have: `/FEN "..."/`.
fn bare_fen(text: &str) -> &str {
    text.trim().trim_start_matches("/FEN").trim().trim_matches(['/', '"'])
}

/// Returns the fields on the path of a move, and those of the captured pieces.
pub(crate) fn fields_of_move(variant: &Variant, ply: &Move) -> (Vec<usize>, Vec<usize>) {
    let geometry = &variant.geometry;
    let field = |square: Square| {
        let (row, column) = geometry.row_and_column(square);
        row * geometry.width() + column
    };
    let mut path = vec![field(ply.from())];
    path.extend(ply.jumps().iter().map(|jump| field(jump.to)));
    if !ply.is_capture() {
        path.push(field(ply.to()));
    }
    (path, ply.jumps().iter().map(|jump| field(jump.over)).collect())
}
