//! One game on a board: the recogniser's verdicts as entries of its file.
//!
//! The file appears with the first entry. Plies of the side that starts carry their number, the other side's do not, but
//! for the first ply after a setup or a FEN tag.

use std::collections::VecDeque;

use super::endings::DrawWatcher;
use super::{Effect, LineSettings, PublicationReason};
use crate::engine::game_tags;
use crate::engine::livefile::{Entry, EntryKind, GameHeader};
use crate::engine::millis::Millis;
use crate::engine::recognition::{Recogniser, Verdict};
use draughts::{Color, Position};
use draughts_pdn::clock::Clocks;
use draughts_pdn::fen;
use draughts_pdn::game::MoveNumber;

/// A game that is going on.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// The eye on its board.
    pub recogniser: Recogniser,
    start: Position,
    /// The position with which its file begins: that of the game, or the one in which an earlier file of it ended.
    file_start: Position,
    draw_watcher: DrawWatcher,
    started_at: Millis,
    /// The number of its file, once it has one.
    file_number: Option<u32>,
    /// How its file begins, once it has one.
    header: Option<Box<GameHeader>>,
    /// How the file of it began that was ended by mistake.
    prior_header: Option<Box<GameHeader>>,
    /// Who has White and who Black in its file.
    players: Option<[Option<String>; 2]>,
    /// The next ply of the side that does not start needs its number.
    needs_number: bool,
    /// The result that the operator gave, and when, while the last plies are still being recognised.
    pub result: Option<(String, Millis)>,
    last_line: Option<String>,
    /// Where the game stood before each entry, the latest last.
    history: VecDeque<PositionAtPly>,
    current: PositionAtPly,
}

/// A position, and how many plies of the game lead to it, hidden ones included.
#[derive(Clone, Copy, Debug)]
pub struct PositionAtPly {
    /// The position.
    pub position: Position,
    /// The plies.
    pub plies: u32,
}

/// So many entries can be taken back. A mistake further back is told by the position.
const MAX_UNDO: usize = 64;

impl LiveGame {
    /// A game that starts from a position.
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
            needs_number: true,
            result: None,
            last_line: None,
            history: VecDeque::new(),
            current: PositionAtPly { position: start, plies: 0 },
        }
    }

    /// The game that is over goes on, seen by this eye, in another file: that begins where the last one ended, and with its tags.
    pub fn continue_from(&self, recogniser: Recogniser) -> LiveGame {
        LiveGame {
            file_start: *recogniser.position(),
            recogniser,
            file_number: None,
            header: None,
            prior_header: self.header.clone(),
            players: None,
            needs_number: true,
            result: None,
            ..self.clone()
        }
    }

    /// The number of its file, if it has one yet.
    pub fn file_number(&self) -> Option<u32> {
        self.file_number
    }

    /// Who has White and who Black, where its file says so; `None` while it has none.
    pub fn players(&self) -> Option<[Option<String>; 2]> {
        self.players.clone()
    }

    /// The last line of movetext, without its clock comment.
    pub fn last_line(&self) -> Option<&str> {
        self.last_line.as_deref()
    }

    /// A verdict as an entry of the file. `clocks`: what belongs to it.
    pub fn entry_for(
        &mut self,
        verdict: &Verdict,
        clocks: Option<Clocks>,
        settings: &LineSettings,
        pairing: Option<&str>,
        games: &mut u32,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        let opens = self.file_number.is_none();
        if opens {
            *games += 1;
            self.file_number = Some(*games);
            let tags = self.tags(settings);
            self.players = Some(game_tags::player_names(&tags));
            let (pairing, continues) = match &self.prior_header {
                Some(earlier) => (earlier.pairing_id.clone(), Some(earlier.game)),
                None => (pairing.map(str::to_owned), None),
            };
            let opening = Box::new(GameHeader {
                game: *games,
                variant: settings.variant,
                tags,
                pairing_id: pairing,
                continued_game: continues,
            });
            self.header = Some(opening.clone());
            effects.push(Effect::GameOpened(opening));
        }
        let (number, step, reason) = match verdict {
            Verdict::Ply { before, ply, .. } => {
                let number = self.number_before(self.recogniser.plies() - 1, before.turn());
                self.needs_number = false;
                (number, EntryKind::Ply { position: *before, ply: ply.clone() }, None)
            }
            Verdict::Setup { position, reason, .. } => {
                if opens && !self.has_fen_tag() {
                    // The first setup of a game without a FEN tag would be read as its start.
                    let start = Box::new(Entry::new(EntryKind::Setup(self.file_start)));
                    effects.push(Effect::Entry { entry: start, reason: None });
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
        self.current = PositionAtPly { position: *self.recogniser.position(), plies: self.recogniser.plies() };
        self.last_line = Some(entry.text());
        let why = PublicationReason { setup_reason: reason, rationale: self.recogniser.rationale().cloned() };
        effects.push(Effect::Entry { entry: Box::new(entry), reason: Some(Box::new(why)) });
        effects
    }

    /// Where the game stood before its last `count` entries. `None`: it has not so many, or they are too long ago.
    pub fn position_before(&self, count: usize) -> Option<PositionAtPly> {
        let index = self.history.len().checked_sub(count).filter(|_| count > 0)?;
        self.history.get(index).copied()
    }

    /// How many entries can be taken back.
    pub fn can_take_back(&self) -> usize {
        self.history.len()
    }

    /// The last entry says where the game stood `count` entries before it: neither these nor it can be taken back any more.
    pub fn on_undo(&mut self, count: usize) {
        self.history.truncate(self.history.len().saturating_sub(count + 1));
    }

    /// Thinks about what a verdict means for the end of the game, once its entry has been told.
    pub fn after_publication(&mut self, verdict: &Verdict) {
        self.draw_watcher.on_verdict(verdict);
    }

    /// What the operator is to know about draws, and about a side that cannot move, after the last entry.
    pub fn take_notices(&mut self) -> Vec<Effect> {
        let after = self.last_line.as_ref().map_or(String::new(), |last| format!("after {last}: "));
        self.draw_watcher.take_notices().into_iter().map(|news| Effect::Notice(format!("{after}{news}"))).collect()
    }

    /// The end of the file, if there is one.
    pub fn end_effect(&self, result: Option<&str>, is_given: bool) -> Option<Effect> {
        let result = result.filter(|&result| result != "*").map(str::to_owned);
        self.file_number.map(|_| Effect::GameEnded { result, is_given })
    }

    fn has_fen_tag(&self) -> bool {
        self.file_start != Position::start(self.file_start.variant())
    }

    /// The tags with which its file begins.
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
