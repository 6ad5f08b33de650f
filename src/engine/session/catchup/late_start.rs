//! A game that began while nobody listened, as the board's memory has it; or without a memory, from what stands on the board.
//!
//! ```text
//!   the board ──32-28 19-23 37-32──▸ its memory        nobody listens
//!   link up ── no start position ──▸ memory ──▸ a table that lives through it, beside the one that waits
//!                                                 │ play goes on, or the operator takes the offer
//!                                                 ▾
//!                                    is it known? ──no──▸ published, and the game goes on from there
//! ```
//!
//! | the memory | what is done |
//! |---|---|
//! | has a start position, and leads from it to what is shown | what came after it is offered |
//! | has none, does not lead there, or does not come | while the clock runs, a game from what stands there is offered |
//!
//! A memory has no date: what stands in it may be yesterday's game. So it is published only when somebody plays on, and never if the
//! station finds a game of this board that begins with the same moves: it is asked before, and its answer stands in the log.
//!
//! Of a game from what stands on the board nobody knows who is to move, nor how the board lies. So it is played on a table for each
//! case, and the first on which a legal ply is pressed for is right. Pieces that stand around, or are moved while the clock
//! stands, are no game.
//!
//! Invariant: until then nothing of it is published, and the table that waits knows nothing of it.

use super::memory;
use super::timeline::to_delayed_events;
use crate::engine::livefile::Entry;
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::MemoryEvent;
use crate::engine::session::delayed_event::DelayedEvent;
use crate::engine::session::request::{GameLookup, OperatorCommand};
use crate::engine::session::table::Table;
use crate::engine::session::{Condition, Effect};
use draughts::Color;

/// A memory is asked for once more if it does not come: one byte may have been lost.
const MAX_MEMORY_REQUESTS: u32 = 2;

/// What is known of a game that may have begun while nobody listened.
#[derive(Clone, Debug, Default)]
pub enum LateStart {
    /// Nothing: what stands on the board has yet to be shown.
    #[default]
    Unknown,
    /// The memory is to be asked for when the line has time for it, after so many times in vain.
    MemoryNeeded(u32),
    /// It has been asked for so often.
    MemoryRequested(u32),
    /// It has one.
    GameOffered(Box<MemoryGameOffer>),
    /// It has none: there may be one from what stands on the board.
    FromPosition(PositionCandidates),
    /// There is none, or nobody wants it.
    None,
}

/// What is due.
#[derive(Debug)]
pub enum LateStartAction {
    /// Nothing.
    Nothing,
    /// This is to be told, or the station to be asked.
    Emit(Effect),
    /// The game is published, and goes on.
    StartGame(Box<CandidateGame>),
}

impl LateStart {
    /// The memory has no game: a game from what stands there is waited for.
    pub fn without_memory() -> LateStart {
        LateStart::FromPosition(PositionCandidates::default())
    }

    /// Something reaches every table beside the one that waits.
    pub fn for_each_table(&mut self, mut reach: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        self.games_mut().iter_mut().for_each(|game| reach(&mut game.table, &mut game.effects));
    }

    fn games_mut(&mut self) -> &mut [CandidateGame] {
        match self {
            LateStart::GameOffered(offer) => std::slice::from_mut(&mut offer.game),
            LateStart::FromPosition(standing) => &mut standing.candidates,
            LateStart::Unknown | LateStart::MemoryNeeded(_) | LateStart::MemoryRequested(_) | LateStart::None => {
                &mut []
            }
        }
    }

    /// These tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let games = match self {
            LateStart::GameOffered(offer) => std::slice::from_ref(&offer.game),
            LateStart::FromPosition(standing) => &standing.candidates,
            LateStart::Unknown | LateStart::MemoryNeeded(_) | LateStart::MemoryRequested(_) | LateStart::None => &[],
        };
        games.iter().map(|game| &game.table)
    }

    /// What is offered, in words for the operator. `waiting`: the table that waits.
    pub fn describe_offer(&self, waiting: &Table) -> Option<&'static str> {
        match self {
            LateStart::GameOffered(offer) if offer.is_known => None,
            LateStart::GameOffered(_) => Some("offers a game from its memory"),
            LateStart::FromPosition(standing) if !standing.candidates.is_empty() && waiting.is_clock_running() => {
                Some("offers a game from what stands on it")
            }
            _ => None,
        }
    }

    /// Decides what is due. `waiting`: the table that waits; a game that begins there ends this.
    pub fn decide(&mut self, now: Millis, waiting: &Table) -> LateStartAction {
        if waiting.is_playing() {
            *self = LateStart::None;
            return LateStartAction::Nothing;
        }
        match self {
            LateStart::GameOffered(offer) => {
                let question = offer.decide(now);
                if !offer.is_ongoing() {
                    *self = LateStart::None;
                }
                question.map_or(LateStartAction::Nothing, LateStartAction::Emit)
            }
            LateStart::FromPosition(standing) => {
                let decision = standing.decide(now, waiting);
                if matches!(decision, LateStartAction::StartGame(_)) {
                    *self = LateStart::None;
                }
                decision
            }
            LateStart::Unknown | LateStart::MemoryNeeded(_) | LateStart::MemoryRequested(_) | LateStart::None => {
                LateStartAction::Nothing
            }
        }
    }

    /// Is the memory to be asked for? Then it is being asked for now.
    pub fn take_memory_request(&mut self) -> bool {
        let LateStart::MemoryNeeded(tries) = *self else { return false };
        *self = LateStart::MemoryRequested(tries + 1);
        true
    }

    /// The memory has not come: it is to be asked for again, or is given up.
    pub fn on_memory_timeout(&mut self) {
        if let LateStart::MemoryRequested(tries) = *self {
            *self =
                if tries < MAX_MEMORY_REQUESTS { LateStart::MemoryNeeded(tries) } else { LateStart::without_memory() };
        }
    }

    /// What an operator says of the players and of how the board lies holds for these games, too.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand) {
        match wish {
            OperatorCommand::Names { .. } | OperatorCommand::SetPairing(_) => {
                self.for_each_table(|table, _| drop(table.request(now, wish)))
            }
            OperatorCommand::Flip if matches!(self, LateStart::FromPosition(_)) => *self = LateStart::without_memory(),
            _ => {}
        }
    }

    /// The operator wants the game that the memory has.
    pub fn accept_offer(&mut self) -> Effect {
        let question = if let LateStart::GameOffered(offer) = self { offer.repeat_lookup() } else { None };
        question.unwrap_or_else(refusal)
    }

    /// The station says whether the folder has it: the game as it is to be published.
    ///
    /// # Errors
    ///
    /// What the operator is told if it is not to be.
    pub fn on_lookup(&mut self, answer: &GameLookup) -> Result<CandidateGame, Effect> {
        if let GameLookup::Found(name) = answer {
            if let LateStart::GameOffered(offer) = self {
                offer.is_known = true;
            }
            return Err(Effect::Refused(format!(
                "the game in the board's memory is that of {name}, and is not published again"
            )));
        }
        match std::mem::replace(self, LateStart::None) {
            LateStart::GameOffered(offer) => Ok(offer.game.with_current_tags()),
            other => {
                *self = other;
                Err(refusal())
            }
        }
    }
}

fn refusal() -> Effect {
    Effect::Refused("the board's memory has no game to be published".to_owned())
}

/// What a memory tells after its last start position, on a table that stands there; `None` if it has none, or does not lead from it to
/// what the table shows.
pub fn replay_last_start(table: &Table, memory: &[MemoryEvent]) -> Option<(Table, Vec<DelayedEvent>)> {
    if table.is_playing() || !ends_at(table, memory) {
        return None;
    }
    table.at_last_start(&to_delayed_events(memory, table.number_count()))
}

/// Does it end with what the table shows?
pub fn ends_at(table: &Table, memory: &[MemoryEvent]) -> bool {
    memory::apply_last_values(&mut table.sensors().by_number(), memory) == 0
}

/// A game on a table beside the one that waits.
#[derive(Clone, Debug)]
pub struct CandidateGame {
    /// Where it is played.
    pub table: Table,
    /// What it would publish, and say.
    pub effects: Vec<Effect>,
}

impl CandidateGame {
    /// The same with the tags that are known now.
    fn with_current_tags(self) -> CandidateGame {
        let CandidateGame { table, mut effects } = self;
        let openings = effects.iter_mut().filter_map(|effect| match effect {
            Effect::GameOpened(opening) => Some(opening),
            _ => None,
        });
        for opening in openings {
            opening.tags = table.game_tags().unwrap_or_else(|| std::mem::take(&mut opening.tags));
            opening.pairing_id = table.pairing().map(str::to_owned);
        }
        CandidateGame { table, effects }
    }

    /// Its plies and setups.
    fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Entry { entry, .. } => Some(&**entry),
            _ => None,
        })
    }
}

/// A game that a memory has, and that would be published.
#[derive(Clone, Debug)]
pub struct MemoryGameOffer {
    game: CandidateGame,
    /// How many entries it had when the station was last asked.
    entries_at_last_lookup: Option<usize>,
    /// The folder has it, by the last answer: it is not offered, unless more is played than the folder has.
    is_known: bool,
    /// How many entries the memory has, with plies that stand there and are not sure yet, and how many presses.
    memory_counts: (usize, u32),
    /// Up to when it tells, in the time of the table.
    known_until: Millis,
}

impl MemoryGameOffer {
    /// A game that has come to what the board shows, at a time of its table. `None`: it is over, or nothing was played.
    pub fn new(table: Table, effects: Vec<Effect>, now: Millis) -> Option<MemoryGameOffer> {
        let game = CandidateGame { table, effects };
        let remembered = (0, game.table.presses());
        let offer = MemoryGameOffer {
            game,
            entries_at_last_lookup: None,
            is_known: false,
            memory_counts: remembered,
            known_until: now,
        };
        offer.is_ongoing().then_some(offer)
    }

    /// What the operator is told of it.
    pub fn offer_notice(&self) -> Effect {
        let what = match self.game.entries().next_back() {
            Some(last) => format!("a game of {} plies, the last {}", self.game.table.status().plies, last.text()),
            None => "the beginning of a game".to_owned(),
        };
        Effect::Notice(format!(
            "the board's memory has {what}, which began while nobody listened: it is published as soon as play goes on, or with \
             `start --from-memory`"
        ))
    }

    /// Decides what is due. Is somebody playing on, so that the station has to be asked?
    fn decide(&mut self, now: Millis) -> Option<Effect> {
        self.game.effects.extend(self.game.table.decide(now));
        let (table, entries) = (&self.game.table, self.game.entries().count());
        // A ply that the memory has may become sure only now, or when a piece is taken off: that is nobody who plays on.
        if table.last_change() <= self.known_until {
            self.memory_counts.0 = entries + table.complete_plies();
        }
        let (count, presses) = self.memory_counts;
        let plays_on = entries > count || table.presses() > presses && table.is_running();
        if plays_on { self.lookup_request() } else { None }
    }

    /// The question whether this game is known, unless it was asked already.
    fn lookup_request(&mut self) -> Option<Effect> {
        let entries: Vec<Entry> = self.game.entries().cloned().collect();
        if entries.is_empty() || self.entries_at_last_lookup == Some(entries.len()) {
            return None;
        }
        self.entries_at_last_lookup = Some(entries.len());
        self.is_known = false;
        Some(Effect::LookUpGame(entries))
    }

    /// The same for an operator who wants it now.
    fn repeat_lookup(&mut self) -> Option<Effect> {
        self.entries_at_last_lookup = None;
        self.lookup_request()
    }

    /// Is it still one game, and not over?
    fn is_ongoing(&self) -> bool {
        let opened = |effect: &&Effect| matches!(effect, Effect::GameOpened(_));
        self.game.table.is_playing() && self.game.effects.iter().filter(opened).count() <= 1
    }
}

/// Games from what stands on a board, one for each way in which it can be meant.
#[derive(Clone, Debug, Default)]
pub struct PositionCandidates {
    candidates: Vec<CandidateGame>,
    is_told: bool,
}

impl PositionCandidates {
    fn decide(&mut self, now: Millis, waiting: &Table) -> LateStartAction {
        for game in &mut self.candidates {
            game.effects.extend(game.table.decide(now));
        }
        if let Some(right) = self.candidates.iter().position(is_played) {
            return LateStartAction::StartGame(Box::new(self.candidates.swap_remove(right).with_current_tags()));
        }
        let is_lost = self.candidates.iter().all(is_lost);
        if !is_lost || !waiting.is_clock_running() || !waiting.is_confirmed() {
            return LateStartAction::Nothing;
        }
        let tables = Color::BOTH.into_iter().flat_map(|turn| waiting.games_from_board(now, turn));
        self.candidates = tables.map(|(table, effects)| CandidateGame { table, effects }).collect();
        if self.candidates.is_empty() || std::mem::replace(&mut self.is_told, true) {
            return LateStartAction::Nothing;
        }
        LateStartAction::Emit(Effect::Notice(
            "the clock runs, and no start position stands on the board, nor does its memory tell of one: a game from what stands \
             there is recorded as soon as a move is made and pressed for, or at once with `resync white` or `resync black`, \
             whoever is to move"
                .to_owned(),
        ))
    }
}

/// Was a legal ply played from what stood there, and pressed for?
fn is_played(game: &CandidateGame) -> bool {
    let is_ply = game.entries().next().is_some_and(|entry| entry.kind.is_ply());
    is_ply && game.table.presses() > 0 && game.table.is_running()
}

/// Does nothing legal lead from what stood there to what is shown?
fn is_lost(game: &CandidateGame) -> bool {
    !game.table.is_playing()
        || game.table.condition() == Condition::Unexplained
        || game.entries().next().is_some_and(|entry| !entry.kind.is_ply())
}
