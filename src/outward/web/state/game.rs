//! A game as far as it may be seen: what the events of its board have made of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use draughts::{Color, PieceKind, Placement, Position, Square, Variant};
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber};
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{fen, notation, tag};

use super::ParsedEvent;

/// A game as far as it may be seen.
#[derive(Clone, Debug)]
pub struct ViewerGame {
    /// Its number on the board.
    pub number: u32,
    /// The numbers that it had before it was ended by mistake and went on.
    pub prior_numbers: Vec<u32>,
    /// The tag FEN that it had then.
    first_fen: Option<String>,
    /// Its rules; `None` where the game type is none that is known.
    pub variant: Option<&'static Variant>,
    /// Tags of its file.
    pub tags: BTreeMap<String, String>,
    /// The position before the first entry.
    pub start_position: Option<Diagram>,
    /// Its moves and setups.
    pub entries: Vec<Arc<ViewerEntry>>,
    /// What the clock showed last.
    pub clock: Option<ViewerClock>,
    /// What the station says of the board.
    pub state: PlayState,
    /// Nothing but the result follows.
    pub is_ended: bool,
    /// The result, once it is sure.
    pub result: Option<String>,
    /// Moves that are likely to be next, and not sure.
    pub likely_moves: Vec<String>,
    /// Why the last setup was needed.
    pub correction: Option<String>,
    /// What the next move is read in.
    position: Option<Position>,
}

/// What the station says of a board while its game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlayState {
    /// It is played.
    #[default]
    Playing,
    /// Both clocks stand.
    ClockStopped,
    /// No legal move explains what stands on it.
    Unclear,
    /// It is not heard.
    Silent,
}

/// A move or a setup.
#[derive(Clone, Debug)]
pub struct ViewerEntry {
    /// What was played; `None`: a setup.
    pub ply: Option<ViewerPly>,
    /// What stands on the board after it.
    pub position_after: Option<Diagram>,
    /// The same as text; empty where it is unknown.
    pub fen: String,
    /// What the clock showed.
    pub clock: Option<ViewerClock>,
    /// The board missed it; it was typed from the score sheet.
    pub is_typed: bool,
}

/// A move.
#[derive(Clone, Debug)]
pub struct ViewerPly {
    /// The number of the move in its game, as it is written: both sides share one.
    pub number: u64,
    /// Who played it.
    pub side: Color,
    /// As it is written.
    pub text: String,
    /// Where the piece began, where it came down, what it took: numbers of fields, see [`Diagram`]. Empty where the move
    /// cannot be read.
    pub path: Vec<usize>,
    /// The fields of the pieces that it took, in their order.
    pub captured: Vec<usize>,
}

/// Pieces on fields: all fields of the board, row by row from White's far left; `.` for an empty one, `w`, `b` for men, `W`, `B` for kings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// A letter a field.
    pub pieces: String,
    /// Who is to move.
    pub turn: Option<Color>,
}

/// What a clock showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewerClock {
    /// Seconds of White.
    pub white: Option<u32>,
    /// Seconds of Black.
    pub black: Option<u32>,
    /// Whose time runs.
    pub running: Option<Color>,
    /// When it was told, in ms since 1970.
    pub heard: i64,
}

impl ViewerGame {
    pub(super) fn new(number: u32) -> ViewerGame {
        ViewerGame {
            number,
            prior_numbers: Vec::new(),
            first_fen: None,
            variant: None,
            tags: BTreeMap::new(),
            start_position: None,
            entries: Vec::new(),
            clock: None,
            state: PlayState::default(),
            is_ended: false,
            result: None,
            likely_moves: Vec::new(),
            correction: None,
            position: None,
        }
    }

    /// One that nobody has seen a move of.
    pub fn unstarted(variant: Option<&'static Variant>, tags: BTreeMap<String, String>) -> ViewerGame {
        let mut game = ViewerGame { variant, ..ViewerGame::new(0) };
        let start = variant.map(|variant| fen::write(variant, &Position::start(variant).setup()));
        game.start_position = game.set_position(tags.get("FEN").map(String::as_str).or(start.as_deref()));
        game.result = tags.get("Result").filter(|result| *result != "*").cloned();
        game.tags = tags;
        game
    }

    /// It was ended by mistake, and goes on as the game of this number.
    pub(super) fn continue_as(&self, number: u32) -> ViewerGame {
        let before = self.prior_numbers.iter().copied().chain([self.number]).collect();
        let (variant, start, entries) = (self.variant, self.start_position.clone(), self.entries.clone());
        ViewerGame {
            prior_numbers: before,
            first_fen: self.tags.get("FEN").cloned(),
            variant,
            start_position: start,
            entries,
            clock: self.clock,
            ..ViewerGame::new(number)
        }
    }

    /// Is it the game of this number, or was it before it went on?
    pub(super) fn has_number(&self, number: u32) -> bool {
        self.number == number || self.prior_numbers.contains(&number)
    }

    /// What stands on the board after so many entries.
    pub fn diagram(&self, entries: usize) -> Option<&Diagram> {
        match entries.checked_sub(1) {
            None => self.start_position.as_ref(),
            Some(index) => self.entries.get(index)?.position_after.as_ref(),
        }
    }

    /// The state that is shown, as a word for programs: `playing`, `stopped`, `unclear`, `silent`, `ended`, `over`.
    pub fn state_str(&self) -> &'static str {
        match self.state {
            _ if self.result.is_some() => "over",
            _ if self.is_ended => "ended",
            PlayState::Playing => "playing",
            PlayState::ClockStopped => "stopped",
            PlayState::Unclear => "unclear",
            PlayState::Silent => "silent",
        }
    }

    /// The value of a tag; `None` also where it says that nobody knows.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(|value| value.trim()).filter(|value| !matches!(*value, "" | "?" | "-" | "*"))
    }

    /// The game as PDN, as far as it may be seen.
    pub fn pdn(&self) -> String {
        let mut game = Game::default();
        if let Some(variant) = self.variant {
            game.tags.set("GameType", variant.game_type.tag_value());
        }
        for (name, value) in &self.tags {
            game.tags.set(name, tag::reader_safe(value));
        }
        game.tags.set("Result", self.result.as_deref().unwrap_or("*"));
        let number = |ply: &ViewerPly| MoveNumber {
            value: u32::try_from(ply.number).unwrap_or(u32::MAX),
            ellipsis: ply.side == Color::Black,
        };
        let mut is_first = true;
        let mut is_typed = false;
        for entry in &self.entries {
            if entry.is_typed && !std::mem::replace(&mut is_typed, true) {
                game.entries.push(Entry::Comment("from the score sheet".to_owned()));
            }
            game.entries.push(match &entry.ply {
                None => Entry::Setup(entry.fen.clone()),
                Some(ply) => Entry::Move(MoveEntry {
                    number: (is_first || ply.side == Color::White).then(|| number(ply)),
                    text: ply.text.clone(),
                    strength: None,
                    captured: None,
                }),
            });
            is_first = entry.ply.is_none();
        }
        writer::write(&[game], Style::Compact)
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
                self.tags = event.tags;
                let first = std::mem::take(&mut self.first_fen);
                let start = self.set_position(event.fen.as_deref());
                if self.prior_numbers.is_empty() {
                    self.start_position = start;
                } else {
                    self.tags.remove("FEN");
                    self.tags.extend(first.map(|fen| ("FEN".to_owned(), fen)));
                }
            }
            "move" => {
                let before = self.position.take();
                let after = self.set_position(event.fen.as_deref());
                let text = event.r#move.unwrap_or_default();
                let (path, captured) = before.and_then(|position| path_of(&position, &text)).unwrap_or_default();
                let ply = ViewerPly {
                    number: event.number.unwrap_or_default(),
                    side: event.side.as_deref().and_then(color).unwrap_or(Color::White),
                    text,
                    path,
                    captured,
                };
                self.likely_moves.clear();
                self.entries.push(Arc::new(ViewerEntry {
                    ply: Some(ply),
                    position_after: after,
                    fen: event.fen.unwrap_or_default(),
                    clock,
                    is_typed: false,
                }));
            }
            "setup" => {
                let after = self.set_position(event.fen.as_deref());
                self.likely_moves.clear();
                self.correction = None;
                let fen = event.fen.unwrap_or_default();
                self.entries.push(Arc::new(ViewerEntry {
                    ply: None,
                    position_after: after,
                    fen,
                    clock,
                    is_typed: false,
                }));
            }
            "end" => self.is_ended = true,
            "result" => self.result = event.result,
            "provisional" => self.likely_moves = event.moves.unwrap_or_default(),
            "correction" => self.correction = event.reason,
            // A tag is another now, the result among them.
            "tag-correction" => {
                let (field, new) = (event.field.unwrap_or_default(), event.new.filter(|new| !new.is_empty()));
                match (field.as_str(), new) {
                    ("Result", new) => self.result = new.filter(|new| new != "*"),
                    ("moves", moves) => self.add_typed(&moves.unwrap_or_default()),
                    // Of which pairing it is; its names and its round follow as tags.
                    ("pairing", _) => {}
                    (_, Some(new)) => drop(self.tags.insert(field, new)),
                    (_, None) => drop(self.tags.remove(&field)),
                }
            }
            "state" => {
                self.state = match event.state.as_deref() {
                    Some("clock-stopped") => PlayState::ClockStopped,
                    Some("unexplained") => PlayState::Unclear,
                    Some("no-connection") => PlayState::Silent,
                    _ => PlayState::Playing,
                }
            }
            _ => {}
        }
    }

    /// These moves, and no others, are added to those that the board recorded.
    fn add_typed(&mut self, moves: &str) {
        self.entries.retain(|entry| !entry.is_typed);
        let last = self.entries.last().map(|entry| entry.fen.clone()).filter(|fen| !fen.is_empty());
        let start = || self.variant.map(|variant| fen::write(variant, &Position::start(variant).setup()));
        let last = last.or_else(|| self.tags.get("FEN").cloned()).or_else(start);
        self.set_position(last.as_deref());
        let mut number = 0;
        for ply in draughts_pdn::reader::read(moves).0.iter().flat_map(Game::moves) {
            let Some(before) = self.position.take() else { return };
            let Ok(played) = notation::read(&before, &ply.text) else { return };
            let behind = before.play(&played);
            let fen = fen::write(before.variant(), &behind.setup());
            let known = self.entries.iter().rev().find_map(|entry| entry.ply.as_ref()).map_or(1, |ply| ply.number);
            number = ply.number.map_or(if number == 0 { known } else { number }, |number| number.value.into());
            let (path, captured) = path_of(&before, &ply.text).unwrap_or_default();
            let (text, side) = (ply.text.clone(), before.turn());
            let after = self.set_position(Some(&fen));
            let ply = Some(ViewerPly { number, side, text, path, captured });
            self.entries.push(Arc::new(ViewerEntry { ply, position_after: after, fen, clock: None, is_typed: true }));
        }
    }

    /// The position of a FEN, for the eye, and to read the next move in.
    fn set_position(&mut self, text: Option<&str>) -> Option<Diagram> {
        let variant = self.variant?;
        // A setup of the live file may carry its quotes.
        let text = text?.trim().trim_start_matches("/FEN").trim().trim_matches(['/', '"']);
        let read = fen::read_any(variant, text).ok()?;
        self.position = fen::read(variant, text).ok().and_then(|setup| Position::new(variant, setup).ok());
        Some(Diagram { pieces: letters(variant, &read.placement), turn: read.turn })
    }
}

fn color(word: &str) -> Option<Color> {
    match word {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    }
}

/// A letter for each field of the board, row by row.
pub(in crate::outward) fn letters(variant: &Variant, placement: &Placement) -> String {
    let geometry = &variant.geometry;
    let letter = |square: Option<Square>| match square.and_then(|square| placement.get(square)) {
        None => '.',
        Some(piece) => match (piece.color, piece.kind) {
            (Color::White, PieceKind::Man) => 'w',
            (Color::White, PieceKind::King) => 'W',
            (Color::Black, PieceKind::Man) => 'b',
            (Color::Black, PieceKind::King) => 'B',
        },
    };
    let fields = (0..geometry.height()).flat_map(|row| (0..geometry.width()).map(move |column| (row, column)));
    fields.map(|(row, column)| letter(geometry.square_at(row, column))).collect()
}

/// The fields where the piece of a move is, one after the other, and those of the pieces that it takes.
fn path_of(position: &Position, text: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    let ply = notation::read(position, text).ok()?;
    let geometry = &position.variant().geometry;
    let field = |square: Square| {
        let (row, column) = geometry.row_and_column(square);
        row * geometry.width() + column
    };
    let mut path = vec![field(ply.from())];
    path.extend(ply.jumps().iter().map(|jump| field(jump.to)));
    if !ply.is_capture() {
        path.push(field(ply.to()));
    }
    Some((path, ply.jumps().iter().map(|jump| field(jump.over)).collect()))
}
