//! Finds a game that began unrecorded, in the board's memory or, without a memory, from the position on the board.
//!
//! ```text
//!   the board ──32-28 19-23 37-32──▸ its memory        no station records
//!   link up ── no start position ──▸ memory ──▸ a table that replays it, beside the waiting one
//!                                                 │ play continues, or the operator accepts the offer
//!                                                 ▾
//!                                    is it known? ──no──▸ published, and the game continues
//! ```
//!
//! | memory | reaction |
//! |---|---|
//! | has a start position and leads from it to the shown contents | the moves after it are offered as a game |
//! | has none, does not lead there, or is missing | while the clock runs, a game from the current position is offered |
//!
//! A memory has no date; its content may be a game of the day before. Therefore an offered game is published only when the
//! players continue it or the operator accepts it. First the station looks for a game of this board with the same beginning; if there is one, the
//! offer is dropped. The log records the answer.
//!
//! In a game from the current position, the side to move and the orientation of the board are unknown. One table plays each
//! combination; the first on which a legal ply is pressed is right. Pieces that stand around, or move while the clock is
//! stopped, are no game.
//!
//! Invariant: until then nothing of an offered game is published, and the waiting table is unaffected.

use draughts::Color;

use super::memory;
use super::timeline::to_delayed_events;
use crate::livefile::Entry;
use crate::millis::Millis;
use crate::protocol::changes::MemoryEvent;
use crate::session::delayed_event::DelayedEvent;
use crate::session::request::{GameLookup, OperatorCommand};
use crate::session::table::Table;
use crate::session::{Condition, Effect};

/// Limit of memory requests: one byte may have been lost.
const MAX_MEMORY_REQUESTS: u32 = 2;

/// State of the search for an unrecorded game.
#[derive(Clone, Debug, Default)]
pub enum LateStart {
    /// The contents of the board are still unknown.
    #[default]
    Unknown,
    /// The memory must be read when the line has time; holds the number of fruitless requests.
    MemoryNeeded(u32),
    /// The memory was requested; holds the number of requests.
    MemoryRequested(u32),
    /// The memory contains a game.
    GameOffered(Box<MemoryGameOffer>),
    /// The memory contains no game; the players may have begun one from the current position.
    FromPosition(PositionCandidates),
    /// There is no unrecorded game, or it is not wanted.
    None,
}

/// Action due in the search.
#[derive(Debug)]
pub enum LateStartAction {
    /// No action.
    Nothing,
    /// Effect to emit: a message, or a lookup by the station.
    Emit(Effect),
    /// Publish the game and continue it.
    StartGame(Box<CandidateGame>),
}

impl LateStart {
    /// Waits for a game from the current position, without a game in the memory.
    pub fn without_memory() -> LateStart {
        LateStart::FromPosition(PositionCandidates::default())
    }

    /// Calls `reach` for every table beside the waiting one.
    pub fn for_each_table(&mut self, mut reach: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        self.games_mut().iter_mut().for_each(|game| reach(&mut game.table, &mut game.effects));
    }

    fn games_mut(&mut self) -> &mut [CandidateGame] {
        match self {
            LateStart::GameOffered(offer) => std::slice::from_mut(&mut offer.game),
            LateStart::FromPosition(standing) => &mut standing.candidates,
            _ => &mut [],
        }
    }

    /// Returns the tables beside the waiting one.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let games = match self {
            LateStart::GameOffered(offer) => std::slice::from_ref(&offer.game),
            LateStart::FromPosition(standing) => &standing.candidates,
            _ => &[],
        };
        games.iter().map(|game| &game.table)
    }

    /// Returns a description of the offer for the operator. `waiting`: the waiting table.
    pub fn describe_offer(&self, waiting: &Table) -> Option<&'static str> {
        match self {
            LateStart::GameOffered(offer) if offer.is_known || offer.awaits_first_lookup => None,
            LateStart::GameOffered(_) => Some("offers a game from its memory"),
            LateStart::FromPosition(standing) if !standing.candidates.is_empty() && waiting.is_clock_running() => {
                Some("offers a game from what stands on it")
            }
            _ => None,
        }
    }

    /// Returns the due action. A game that begins on the `waiting` table ends the search.
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
            _ => LateStartAction::Nothing,
        }
    }

    /// Whether the memory must be requested; counts the request.
    pub fn take_memory_request(&mut self) -> bool {
        let LateStart::MemoryNeeded(tries) = *self else { return false };
        *self = LateStart::MemoryRequested(tries + 1);
        true
    }

    /// Handles a memory timeout: requests it again or continues without.
    pub fn on_memory_timeout(&mut self) {
        if let LateStart::MemoryRequested(tries) = *self {
            *self =
                if tries < MAX_MEMORY_REQUESTS { LateStart::MemoryNeeded(tries) } else { LateStart::without_memory() };
        }
    }

    /// Applies requests about the names, the pairing and the orientation to the offered games.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand) {
        match wish {
            OperatorCommand::Names { .. } | OperatorCommand::SetPairing(_) => {
                self.for_each_table(|table, _| drop(table.request(now, wish)))
            }
            OperatorCommand::Flip if matches!(self, LateStart::FromPosition(_)) => *self = LateStart::without_memory(),
            _ => {}
        }
    }

    /// Accepts the game in the memory for the operator; the station must look it up first.
    pub fn accept_offer(&mut self) -> Effect {
        let question = if let LateStart::GameOffered(offer) = self { offer.repeat_lookup() } else { None };
        question.unwrap_or_else(refusal)
    }

    /// Handles the lookup result of the station. Returns the game to publish.
    ///
    /// # Errors
    ///
    /// Returns a message if the game must not be published, or not yet.
    pub fn on_lookup(&mut self, answer: &GameLookup) -> Result<CandidateGame, Effect> {
        if let LateStart::GameOffered(offer) = self
            && offer.awaits_first_lookup
        {
            return Err(offer.on_first_lookup(answer));
        }
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

/// Returns a table at the last start position of the memory with the events after it. `None` if there is none, or if the
/// memory does not lead to the contents of `table`.
pub fn replay_last_start(table: &Table, memory: &[MemoryEvent]) -> Option<(Table, Vec<DelayedEvent>)> {
    if table.is_playing() || !ends_at(table, memory) {
        return None;
    }
    table.at_last_start(&to_delayed_events(memory, table.number_count()))
}

/// Whether the memory ends with the contents of `table`.
pub fn ends_at(table: &Table, memory: &[MemoryEvent]) -> bool {
    memory::apply_last_values(&mut table.sensors().by_number(), memory) == 0
}

/// Game on a table beside the waiting one.
#[derive(Clone, Debug)]
pub struct CandidateGame {
    /// Table of the game.
    pub table: Table,
    /// Unpublished effects of the game.
    pub effects: Vec<Effect>,
}

impl CandidateGame {
    fn with_current_tags(self) -> CandidateGame {
        let CandidateGame { mut table, mut effects } = self;
        let openings = effects.iter_mut().filter_map(|effect| match effect {
            Effect::GameOpened(opening) => Some(opening),
            _ => None,
        });
        for opening in openings {
            opening.tags = table.game_tags().unwrap_or_else(|| std::mem::take(&mut opening.tags));
            opening.pairing_id = table.claim_pairing();
        }
        CandidateGame { table, effects }
    }

    /// Returns the plies and setups of the game.
    fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Entry { entry, .. } => Some(&**entry),
            _ => None,
        })
    }
}

/// Game in the memory, offered for publication.
#[derive(Clone, Debug)]
pub struct MemoryGameOffer {
    game: CandidateGame,
    entries_at_last_lookup: Option<usize>,
    /// Whether the first lookup is unanswered. It decides whether the operator hears of the game.
    awaits_first_lookup: bool,
    /// Whether the folder contains the game by the last lookup. Such a game is not offered until it has more entries.
    is_known: bool,
    /// Number of entries in the memory, including complete but uncertain plies, and number of presses.
    memory_counts: (usize, u32),
    /// Time of the table up to which the memory reports.
    known_until: Millis,
}

impl MemoryGameOffer {
    /// Creates an offer from a game that has reached the shown contents. `None` if the game is over or has no moves.
    pub fn new(table: Table, effects: Vec<Effect>, now: Millis) -> Option<MemoryGameOffer> {
        let game = CandidateGame { table, effects };
        let memory_counts = (0, game.table.presses());
        let offer = MemoryGameOffer {
            game,
            entries_at_last_lookup: None,
            awaits_first_lookup: false,
            is_known: false,
            memory_counts,
            known_until: now,
        };
        offer.is_ongoing().then_some(offer)
    }

    /// Returns the lookup of a new offer; its answer decides whether the operator hears of the game. Without an entry to look up,
    /// returns the notice of the offer.
    pub fn first_lookup(&mut self) -> Effect {
        let entries: Vec<Entry> = self.game.entries().cloned().collect();
        self.awaits_first_lookup = !entries.is_empty();
        if self.awaits_first_lookup { Effect::LookUpGame(entries) } else { self.notice() }
    }

    /// Handles the answer to the first lookup. Returns the notice of the offer, or a note that the game was recorded before.
    fn on_first_lookup(&mut self, answer: &GameLookup) -> Effect {
        self.awaits_first_lookup = false;
        match answer {
            GameLookup::NotFound => self.notice(),
            GameLookup::Found(name) => {
                self.is_known = true;
                Effect::Note(format!("the game in the board's memory is that of {name}"))
            }
        }
    }

    /// Returns the notice of the offer for the operator.
    fn notice(&self) -> Effect {
        let description = match self.game.entries().next_back() {
            Some(last) => format!("a game of {} plies, the last {}", self.game.table.status().plies, last.text()),
            None => "the beginning of a game".to_owned(),
        };
        Effect::Notice(format!(
            "the board's memory has {description}, which began before the station received anything: it is published as soon as play goes on, or with \
             `start --from-memory`"
        ))
    }

    /// Runs due decisions. Returns a lookup if the players continue the game.
    fn decide(&mut self, now: Millis) -> Option<Effect> {
        self.game.effects.extend(self.game.table.decide(now));
        let (table, entries) = (&self.game.table, self.game.entries().count());
        // A ply in the memory may become certain only later, or when a piece is removed; this does not continue the game.
        if table.last_change() <= self.known_until {
            self.memory_counts.0 = entries + table.complete_plies();
        }
        let (count, presses) = self.memory_counts;
        let plays_on = entries > count || table.presses() > presses && table.is_running();
        if plays_on { self.lookup_request() } else { None }
    }

    /// Returns a lookup of the game, unless the last lookup had as many entries.
    fn lookup_request(&mut self) -> Option<Effect> {
        let entries: Vec<Entry> = self.game.entries().cloned().collect();
        if entries.is_empty() || self.entries_at_last_lookup == Some(entries.len()) {
            return None;
        }
        self.entries_at_last_lookup = Some(entries.len());
        self.awaits_first_lookup = false;
        self.is_known = false;
        Some(Effect::LookUpGame(entries))
    }

    /// Returns another lookup of the game for the operator.
    fn repeat_lookup(&mut self) -> Option<Effect> {
        self.entries_at_last_lookup = None;
        self.lookup_request()
    }

    /// Whether the effects belong to a single unfinished game.
    fn is_ongoing(&self) -> bool {
        let opened = |effect: &&Effect| matches!(effect, Effect::GameOpened(_));
        self.game.table.is_playing() && self.game.effects.iter().filter(opened).count() <= 1
    }
}

/// Games from the current position: one per side to move and orientation.
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
            "the clock runs, but neither the board nor its memory has a start position: a game from the position on the board \
             is recorded after the next move with a press, or at once with `resync white` or `resync black`, for the side to move"
                .to_owned(),
        ))
    }
}

/// Whether a legal ply was played and pressed from the initial position.
fn is_played(game: &CandidateGame) -> bool {
    let is_ply = game.entries().next().is_some_and(|entry| entry.kind.is_ply());
    is_ply && game.table.presses() > 0 && game.table.is_running()
}

/// Whether no legal move leads from the initial position to the shown contents.
fn is_lost(game: &CandidateGame) -> bool {
    !game.table.is_playing()
        || game.table.condition() == Condition::Unexplained
        || game.entries().next().is_some_and(|entry| !entry.kind.is_ply())
}
