//! One game on a board: the recogniser's verdicts as entries of its file.
//!
//! The file appears with the first entry. Plies of the side that starts carry their number, the other side's do not, but
//! for the first ply after a setup or a FEN tag.

use std::collections::VecDeque;

use super::endings::EndWatch;
use super::{Effect, LineSettings, Why};
use crate::engine::livefile::{Entry, Opening, Step};
use crate::engine::millis::Millis;
use crate::engine::recognition::{Recogniser, Verdict};
use crate::engine::roster;
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
    begins: Position,
    ends: EndWatch,
    started_at: Millis,
    /// The number of its file, once it has one.
    number: Option<u32>,
    /// How its file begins, once it has one.
    opening: Option<Box<Opening>>,
    /// How the file of it began that was ended by mistake.
    earlier: Option<Box<Opening>>,
    /// Who has White and who Black in its file.
    players: Option<[Option<String>; 2]>,
    /// The next ply of the side that does not start needs its number.
    number_next: bool,
    /// The result that the operator gave, and when, while the last plies are still being recognised.
    pub result: Option<(String, Millis)>,
    last: Option<String>,
    /// Where the game stood before each entry, the latest last.
    past: VecDeque<Standpoint>,
    standing: Standpoint,
}

/// A position, and how many plies of the game lead to it, hidden ones included.
#[derive(Clone, Copy, Debug)]
pub struct Standpoint {
    /// The position.
    pub position: Position,
    /// The plies.
    pub plies: u32,
}

/// So many entries can be taken back. A mistake further back is told by the position.
const MOST_TAKEN_BACK: usize = 64;

impl LiveGame {
    /// A game that starts from a position.
    pub fn new(start: Position, recogniser: Recogniser, now: Millis) -> LiveGame {
        let ends = EndWatch::new(start);
        LiveGame {
            recogniser,
            start,
            begins: start,
            ends,
            started_at: now,
            number: None,
            opening: None,
            earlier: None,
            players: None,
            number_next: true,
            result: None,
            last: None,
            past: VecDeque::new(),
            standing: Standpoint { position: start, plies: 0 },
        }
    }

    /// The game that is over goes on, seen by this eye, in another file: that begins where the last one ended, and with its tags.
    pub fn go_on(&self, recogniser: Recogniser) -> LiveGame {
        LiveGame {
            begins: *recogniser.position(),
            recogniser,
            number: None,
            opening: None,
            earlier: self.opening.clone(),
            players: None,
            number_next: true,
            result: None,
            ..self.clone()
        }
    }

    /// The number of its file, if it has one yet.
    pub fn number(&self) -> Option<u32> {
        self.number
    }

    /// Who has White and who Black, where its file says so; `None` while it has none.
    pub fn players(&self) -> Option<[Option<String>; 2]> {
        self.players.clone()
    }

    /// The last line of movetext, without its clock comment.
    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// A verdict as an entry of the file. `clocks`: what belongs to it.
    pub fn publish(
        &mut self,
        verdict: &Verdict,
        clocks: Option<Clocks>,
        settings: &LineSettings,
        pairing: Option<&str>,
        games: &mut u32,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        let opens = self.number.is_none();
        if opens {
            *games += 1;
            self.number = Some(*games);
            let tags = self.tags(settings);
            self.players = Some(roster::players(&tags));
            let (pairing, continues) = match &self.earlier {
                Some(earlier) => (earlier.pairing.clone(), Some(earlier.game)),
                None => (pairing.map(str::to_owned), None),
            };
            let opening = Box::new(Opening { game: *games, variant: settings.variant, tags, pairing, continues });
            self.opening = Some(opening.clone());
            effects.push(Effect::Opened(opening));
        }
        let (number, step, reason) = match verdict {
            Verdict::Ply { before, ply, .. } => {
                let number = self.number_before(self.recogniser.plies() - 1, before.turn());
                self.number_next = false;
                (number, Step::Ply { before: *before, ply: ply.clone() }, None)
            }
            Verdict::Setup { position, reason, .. } => {
                if opens && !self.has_fen_tag() {
                    // The first setup of a game without a FEN tag would be read as its start.
                    let start = Box::new(Entry::new(Step::Setup(self.begins)));
                    effects.push(Effect::Entry { entry: start, why: None });
                }
                self.number_next = true;
                (None, Step::Setup(*position), Some(*reason))
            }
        };
        let entry = Entry { number, step, clocks };
        if self.past.len() == MOST_TAKEN_BACK {
            self.past.pop_front();
        }
        self.past.push_back(self.standing);
        self.standing = Standpoint { position: *self.recogniser.position(), plies: self.recogniser.plies() };
        self.last = Some(entry.text());
        let why = Why { reason, grounds: self.recogniser.grounds().cloned() };
        effects.push(Effect::Entry { entry: Box::new(entry), why: Some(Box::new(why)) });
        effects
    }

    /// Where the game stood before its last `count` entries. `None`: it has not so many, or they are too long ago.
    pub fn before(&self, count: usize) -> Option<Standpoint> {
        let index = self.past.len().checked_sub(count).filter(|_| count > 0)?;
        self.past.get(index).copied()
    }

    /// How many entries can be taken back.
    pub fn can_take_back(&self) -> usize {
        self.past.len()
    }

    /// The last entry says where the game stood `count` entries before it: neither these nor it can be taken back any more.
    pub fn has_taken_back(&mut self, count: usize) {
        self.past.truncate(self.past.len().saturating_sub(count + 1));
    }

    /// Thinks about what a verdict means for the end of the game, once its entry has been told.
    pub fn follow(&mut self, verdict: &Verdict) {
        self.ends.follow(verdict);
    }

    /// What the operator is to know about draws, and about a side that cannot move, after the last entry.
    pub fn news(&mut self) -> Vec<Effect> {
        let after = self.last.as_ref().map_or(String::new(), |last| format!("after {last}: "));
        self.ends.news().into_iter().map(|news| Effect::Notice(format!("{after}{news}"))).collect()
    }

    /// The end of the file, if there is one.
    pub fn close(&self, result: Option<&str>, is_given: bool) -> Option<Effect> {
        let result = result.filter(|&result| result != "*").map(str::to_owned);
        self.number.map(|_| Effect::Ended { result, is_given })
    }

    fn has_fen_tag(&self) -> bool {
        self.begins != Position::start(self.begins.variant())
    }

    /// The tags with which its file begins.
    pub fn tags(&self, settings: &LineSettings) -> Vec<(String, String)> {
        let mut tags = self.earlier.as_ref().map_or_else(|| settings.tags.clone(), |earlier| earlier.tags.clone());
        let has = |tags: &[(String, String)], name: &str| tags.iter().any(|(known, _)| known == name);
        if let Some(date) = settings.date(self.started_at).filter(|_| !has(&tags, "Date")) {
            tags.push(("Date".to_owned(), date));
        }
        if self.has_fen_tag() || self.earlier.is_some() {
            tags.retain(|(name, _)| name != "FEN");
        }
        if self.has_fen_tag() {
            tags.push(("FEN".to_owned(), fen::write(self.begins.variant(), &self.begins.setup())));
        }
        roster::tags(settings.variant, &tags)
    }

    fn number_before(&self, plies: u32, mover: Color) -> Option<MoveNumber> {
        let starter = self.start.variant().game_type.starter();
        let begun = u32::from(self.start.turn() != starter);
        let value = (plies + begun) / 2 + 1;
        (mover == starter || self.number_next).then(|| MoveNumber { value, ellipsis: mover != starter })
    }
}
