//! One game on a board: converts the recogniser's verdicts to entries of its file.
//!
//! The file begins with the first entry, that of an entered game with its first entered ply, which is published later. Plies of the side that starts have a move number. Plies of the other side have one
//! only directly after a setup or a FEN tag.

use std::collections::VecDeque;

use draughts::{Color, Position};
use draughts_pdn::clock::Clocks;
use draughts_pdn::fen;
use draughts_pdn::game::MoveNumber;

use super::endings::DrawWatcher;
use super::gaps::{MissingMoves, PositionAtPly};
use super::{Effect, LineSettings, PublicationReason};
use crate::bytelog::Mode;
use crate::game_tags;
use crate::livefile::{Entry, EntryKind, GameHeader};
use crate::millis::Millis;
use crate::recognition::{Reason, Recogniser, Verdict};

/// Running game.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// Recogniser of the game.
    pub recogniser: Recogniser,
    start: Position,
    /// Position at the start of its file: the start of the game, or the end of an earlier file of the same game.
    file_start: Position,
    draw_watcher: DrawWatcher,
    started_at: Millis,
    /// Number of its file, if it has one.
    file_number: Option<u32>,
    /// Header of its file, if it has one.
    header: Option<Box<GameHeader>>,
    /// Header of the earlier file of a continued game.
    prior_header: Option<Box<GameHeader>>,
    /// Players of White and Black in its file.
    players: Option<[Option<String>; 2]>,
    /// Whether its file has no entry.
    is_empty: bool,
    /// Whether the next ply of the side that does not start needs a move number.
    needs_number: bool,
    /// Result entered by the operator, with its time, while the last plies are still being recognised.
    pub result: Option<(String, Millis)>,
    last_line: Option<String>,
    /// Position before each entry, oldest first.
    history: VecDeque<PositionAtPly>,
    current: PositionAtPly,
    /// Setups of its file, and moves added in their place.
    pub missing_moves: MissingMoves,
}

/// Limit of entries that can be undone; earlier mistakes need a setup.
const MAX_UNDO: usize = 64;

impl LiveGame {
    /// Creates a game that starts from a position.
    pub fn new(start: Position, recogniser: Recogniser, now: Millis) -> LiveGame {
        let draw_watcher = DrawWatcher::new(start);
        LiveGame {
            recogniser,
            start,
            file_start: start,
            draw_watcher,
            started_at: now,
            file_number: None,
            header: None,
            prior_header: None,
            players: None,
            is_empty: true,
            needs_number: true,
            result: None,
            last_line: None,
            history: VecDeque::new(),
            current: PositionAtPly { position: start, plies: 0 },
            missing_moves: MissingMoves::default(),
        }
    }

    /// Creates the continuation of a finished game in another file, which begins at its final position with its tags.
    pub fn continue_from(&self, recogniser: Recogniser) -> LiveGame {
        LiveGame {
            file_start: *recogniser.position(),
            recogniser,
            file_number: None,
            header: None,
            prior_header: self.header.clone(),
            players: None,
            is_empty: true,
            needs_number: true,
            result: None,
            missing_moves: MissingMoves::default(),
            ..self.clone()
        }
    }

    /// Returns the number of its file, if it has one.
    pub fn file_number(&self) -> Option<u32> {
        self.file_number
    }

    /// Returns the header of its file, if it has one.
    pub fn header(&self) -> Option<&GameHeader> {
        self.header.as_deref()
    }

    /// Returns the id of the pairing by its file; `None` without a pairing or a file.
    pub fn pairing(&self) -> Option<&str> {
        self.header.as_ref()?.pairing_id.as_deref()
    }

    /// Returns the players of White and Black by its file; `None` without a file.
    pub fn players(&self) -> Option<[Option<String>; 2]> {
        self.players.clone()
    }

    /// Returns the last line of movetext, without its clock comment.
    pub fn last_line(&self) -> Option<&str> {
        self.last_line.as_deref()
    }

    /// Whether its file ended without an entry and without a result, so that the game counts for nothing.
    pub fn is_void(&self) -> bool {
        self.file_number.is_some() && self.is_empty && self.result.as_ref().is_none_or(|(result, _)| result == "*")
    }

    /// Opens the file with this number. `pairing`: pairing of the game, unless it continues an earlier one.
    pub fn open_file(&mut self, number: u32, settings: &LineSettings, pairing: Option<&str>) -> Effect {
        self.file_number = Some(number);
        let tags = self.tags(settings);
        self.players = Some(game_tags::player_names(&tags));
        let (pairing, continues) = match &self.prior_header {
            Some(earlier) => (earlier.pairing_id.clone(), Some(earlier.game)),
            None => (pairing.map(str::to_owned), None),
        };
        let opening = Box::new(GameHeader {
            game: number,
            variant: settings.variant,
            tags,
            pairing_id: pairing,
            continued_game: continues,
            is_entered: settings.mode == Mode::Entry,
        });
        self.header = Some(opening.clone());
        Effect::GameOpened(opening)
    }

    /// Converts a verdict to an entry of the open file. `clocks`: clock state for the entry.
    pub fn entry_for(&mut self, verdict: &Verdict, clocks: Option<Clocks>) -> Vec<Effect> {
        let mut effects = Vec::new();
        let is_first = std::mem::take(&mut self.is_empty);
        let (number, step, reason) = match verdict {
            Verdict::Ply { before, ply, .. } => {
                let number = self.number_before(self.recogniser.plies() - 1, before.turn());
                self.needs_number = false;
                (number, EntryKind::Ply { position: *before, ply: ply.clone() }, None)
            }
            Verdict::Setup { position, reason, .. } => {
                if is_first && !self.has_fen_tag() {
                    // Readers would take the first setup of a game without a FEN tag for its start.
                    let start = Box::new(Entry::new(EntryKind::Setup(self.file_start)));
                    effects.push(Effect::Entry { entry: start, reason: None });
                    self.missing_moves.on_start_entry();
                }
                self.needs_number = true;
                (None, EntryKind::Setup(*position), Some(*reason))
            }
        };
        let entry = Entry { number, kind: step, clocks };
        if self.history.len() == MAX_UNDO {
            self.history.pop_front();
        }
        self.history.push_back(self.current);
        let before = self.current;
        self.current = PositionAtPly { position: *self.recogniser.position(), plies: self.recogniser.plies() };
        match reason {
            None => self.missing_moves.on_ply(before),
            Some(reason) => {
                let may_lead_back = matches!(reason, Reason::TakenBack | Reason::Operator);
                let evidence = self.recogniser.take_gap_evidence();
                self.missing_moves.on_setup(before, self.current, may_lead_back, evidence);
            }
        }
        self.last_line = Some(entry.text());
        let why = PublicationReason { setup_reason: reason, rationale: self.recogniser.rationale().cloned() };
        effects.push(Effect::Entry { entry: Box::new(entry), reason: Some(Box::new(why)) });
        effects
    }

    /// Returns the position before the last `count` entries. `None`: there are fewer, or they are too old.
    pub fn position_before(&self, count: usize) -> Option<PositionAtPly> {
        let index = self.history.len().checked_sub(count).filter(|_| count > 0)?;
        self.history.get(index).copied()
    }

    /// Returns the number of entries that can be undone.
    pub fn can_take_back(&self) -> usize {
        self.history.len()
    }

    /// Removes `count` entries and the setup that undid them from the history, so that none of them can be undone again.
    pub fn on_undo(&mut self, count: usize) {
        self.history.truncate(self.history.len().saturating_sub(count + 1));
    }

    /// Updates the draw rules after the entry of a verdict was published.
    pub fn after_publication(&mut self, verdict: &Verdict) {
        self.draw_watcher.on_verdict(verdict);
    }

    /// Takes the notices about draws and a blocked side after the last entry.
    pub fn take_notices(&mut self) -> Vec<Effect> {
        let after = self.last_line.as_ref().map_or(String::new(), |last| format!("after {last}: "));
        self.draw_watcher.take_notices().into_iter().map(|news| Effect::Notice(format!("{after}{news}"))).collect()
    }

    /// Returns the effect that ends the file, if there is one.
    pub fn end_effect(&self, result: Option<&str>, is_given: bool) -> Option<Effect> {
        let result = result.filter(|&result| result != "*").map(str::to_owned);
        self.file_number.map(|_| Effect::GameEnded { result, is_given })
    }

    fn has_fen_tag(&self) -> bool {
        self.file_start != Position::start(self.file_start.variant())
    }

    /// Returns the tags at the start of its file.
    pub fn tags(&self, settings: &LineSettings) -> Vec<(String, String)> {
        let mut tags = self.prior_header.as_ref().map_or_else(|| settings.tags.clone(), |earlier| earlier.tags.clone());
        let has = |tags: &[(String, String)], name: &str| tags.iter().any(|(known, _)| known == name);
        if let Some(date) = settings.date(self.started_at).filter(|_| !has(&tags, "Date")) {
            tags.push(("Date".to_owned(), date));
        }
        if self.has_fen_tag() || self.prior_header.is_some() {
            tags.retain(|(name, _)| name != "FEN");
        }
        if self.has_fen_tag() {
            tags.push(("FEN".to_owned(), fen::write(self.file_start.variant(), &self.file_start.setup())));
        }
        game_tags::ordered_tags(settings.variant, &tags)
    }

    fn number_before(&self, plies: u32, mover: Color) -> Option<MoveNumber> {
        let starter = self.start.variant().game_type.starter();
        let begun = u32::from(self.start.turn() != starter);
        let value = (plies + begun) / 2 + 1;
        (mover == starter || self.needs_number).then(|| MoveNumber { value, ellipsis: mover != starter })
    }
}
