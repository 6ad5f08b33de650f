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
use super::timeline::happened;
use crate::engine::livefile::Entry;
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::MemoryEvent;
use crate::engine::session::happened::Happened;
use crate::engine::session::request::{Remembered, Wish};
use crate::engine::session::table::Table;
use crate::engine::session::{Condition, Effect};
use draughts::Color;

/// A memory is asked for once more if it does not come: one byte may have been lost.
const TRIES: u32 = 2;

/// What is known of a game that may have begun while nobody listened.
#[derive(Clone, Debug, Default)]
pub enum Late {
    /// Nothing: what stands on the board has yet to be shown.
    #[default]
    Unknown,
    /// The memory is to be asked for when the line has time for it, after so many times in vain.
    Wanted(u32),
    /// It has been asked for so often.
    Asked(u32),
    /// It has one.
    Offered(Box<Offer>),
    /// It has none: there may be one from what stands on the board.
    Standing(FromStanding),
    /// There is none, or nobody wants it.
    None,
}

/// What is due.
#[derive(Debug)]
pub enum Decision {
    /// Nothing.
    Nothing,
    /// This is to be told, or the station to be asked.
    Tell(Effect),
    /// The game is published, and goes on.
    Begin(Box<Beside>),
}

impl Late {
    /// The memory has no game: a game from what stands there is waited for.
    pub fn without_memory() -> Late {
        Late::Standing(FromStanding::default())
    }

    /// Something reaches every table beside the one that waits.
    pub fn each(&mut self, mut reach: impl FnMut(&mut Table, &mut Vec<Effect>)) {
        self.games_mut().iter_mut().for_each(|game| reach(&mut game.table, &mut game.effects));
    }

    fn games_mut(&mut self) -> &mut [Beside] {
        match self {
            Late::Offered(offer) => std::slice::from_mut(&mut offer.game),
            Late::Standing(standing) => &mut standing.games,
            Late::Unknown | Late::Wanted(_) | Late::Asked(_) | Late::None => &mut [],
        }
    }

    /// These tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let games = match self {
            Late::Offered(offer) => std::slice::from_ref(&offer.game),
            Late::Standing(standing) => &standing.games,
            Late::Unknown | Late::Wanted(_) | Late::Asked(_) | Late::None => &[],
        };
        games.iter().map(|game| &game.table)
    }

    /// What is offered, in words for the operator. `waiting`: the table that waits.
    pub fn in_words(&self, waiting: &Table) -> Option<&'static str> {
        match self {
            Late::Offered(offer) if offer.is_known => None,
            Late::Offered(_) => Some("offers a game from its memory"),
            Late::Standing(standing) if !standing.games.is_empty() && waiting.runs_clock() => {
                Some("offers a game from what stands on it")
            }
            _ => None,
        }
    }

    /// Decides what is due. `waiting`: the table that waits; a game that begins there ends this.
    pub fn decide(&mut self, now: Millis, waiting: &Table) -> Decision {
        if waiting.is_playing() {
            *self = Late::None;
            return Decision::Nothing;
        }
        match self {
            Late::Offered(offer) => {
                let question = offer.decide(now);
                if !offer.goes_on() {
                    *self = Late::None;
                }
                question.map_or(Decision::Nothing, Decision::Tell)
            }
            Late::Standing(standing) => {
                let decision = standing.decide(now, waiting);
                if matches!(decision, Decision::Begin(_)) {
                    *self = Late::None;
                }
                decision
            }
            Late::Unknown | Late::Wanted(_) | Late::Asked(_) | Late::None => Decision::Nothing,
        }
    }

    /// Is the memory to be asked for? Then it is being asked for now.
    pub fn ask(&mut self) -> bool {
        let Late::Wanted(tries) = *self else { return false };
        *self = Late::Asked(tries + 1);
        true
    }

    /// The memory has not come: it is to be asked for again, or is given up.
    pub fn miss_memory(&mut self) {
        if let Late::Asked(tries) = *self {
            *self = if tries < TRIES { Late::Wanted(tries) } else { Late::without_memory() };
        }
    }

    /// What an operator says of the players and of how the board lies holds for these games, too.
    pub fn request(&mut self, now: Millis, wish: &Wish) {
        match wish {
            Wish::Names { .. } | Wish::Pairing(_) => self.each(|table, _| drop(table.request(now, wish))),
            Wish::Flip if matches!(self, Late::Standing(_)) => *self = Late::without_memory(),
            _ => {}
        }
    }

    /// The operator wants the game that the memory has.
    pub fn take_offer(&mut self) -> Effect {
        let question = if let Late::Offered(offer) = self { offer.ask_again() } else { None };
        question.unwrap_or_else(refuse)
    }

    /// The station says whether the folder has it: the game as it is to be published.
    ///
    /// # Errors
    ///
    /// What the operator is told if it is not to be.
    pub fn remembered(&mut self, answer: &Remembered) -> Result<Beside, Effect> {
        if let Remembered::Known(name) = answer {
            if let Late::Offered(offer) = self {
                offer.is_known = true;
            }
            return Err(Effect::Refused(format!(
                "the game in the board's memory is that of {name}, and is not published again"
            )));
        }
        match std::mem::replace(self, Late::None) {
            Late::Offered(offer) => Ok(offer.game.with_tags_of_now()),
            other => {
                *self = other;
                Err(refuse())
            }
        }
    }
}

fn refuse() -> Effect {
    Effect::Refused("the board's memory has no game to be published".to_owned())
}

/// What a memory tells after its last start position, on a table that stands there; `None` if it has none, or does not lead from it to
/// what the table shows.
pub fn since_last_start(table: &Table, memory: &[MemoryEvent]) -> Option<(Table, Vec<Happened>)> {
    if table.is_playing() || !leads_to(table, memory) {
        return None;
    }
    table.at_last_start(&happened(memory, table.number_count()))
}

/// Does it end with what the table shows?
pub fn leads_to(table: &Table, memory: &[MemoryEvent]) -> bool {
    memory::end_with(&mut table.sensors().by_number(), memory) == 0
}

/// A game on a table beside the one that waits.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Where it is played.
    pub table: Table,
    /// What it would publish, and say.
    pub effects: Vec<Effect>,
}

impl Beside {
    /// The same with the tags that are known now.
    fn with_tags_of_now(self) -> Beside {
        let Beside { table, mut effects } = self;
        let openings = effects.iter_mut().filter_map(|effect| match effect {
            Effect::Opened(opening) => Some(opening),
            _ => None,
        });
        for opening in openings {
            opening.tags = table.tags_of_game().unwrap_or_else(|| std::mem::take(&mut opening.tags));
            opening.pairing = table.pairing().map(str::to_owned);
        }
        Beside { table, effects }
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
pub struct Offer {
    game: Beside,
    /// How many entries it had when the station was last asked.
    asked_with: Option<usize>,
    /// The folder has it, by the last answer: it is not offered, unless more is played than the folder has.
    is_known: bool,
    /// How many entries the memory has, with plies that stand there and are not sure yet, and how many presses.
    remembered: (usize, u32),
    /// Up to when it tells, in the time of the table.
    until: Millis,
}

impl Offer {
    /// A game that has come to what the board shows, at a time of its table. `None`: it is over, or nothing was played.
    pub fn new(table: Table, effects: Vec<Effect>, now: Millis) -> Option<Offer> {
        let game = Beside { table, effects };
        let remembered = (0, game.table.presses());
        let offer = Offer { game, asked_with: None, is_known: false, remembered, until: now };
        offer.goes_on().then_some(offer)
    }

    /// What the operator is told of it.
    pub fn notice(&self) -> Effect {
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
        if table.last_change() <= self.until {
            self.remembered.0 = entries + table.expected();
        }
        let (count, presses) = self.remembered;
        let plays_on = entries > count || table.presses() > presses && table.is_running();
        if plays_on { self.ask() } else { None }
    }

    /// The question whether this game is known, unless it was asked already.
    fn ask(&mut self) -> Option<Effect> {
        let entries: Vec<Entry> = self.game.entries().cloned().collect();
        if entries.is_empty() || self.asked_with == Some(entries.len()) {
            return None;
        }
        self.asked_with = Some(entries.len());
        self.is_known = false;
        Some(Effect::Remembered(entries))
    }

    /// The same for an operator who wants it now.
    fn ask_again(&mut self) -> Option<Effect> {
        self.asked_with = None;
        self.ask()
    }

    /// Is it still one game, and not over?
    fn goes_on(&self) -> bool {
        let opened = |effect: &&Effect| matches!(effect, Effect::Opened(_));
        self.game.table.is_playing() && self.game.effects.iter().filter(opened).count() <= 1
    }
}

/// Games from what stands on a board, one for each way in which it can be meant.
#[derive(Clone, Debug, Default)]
pub struct FromStanding {
    games: Vec<Beside>,
    is_told: bool,
}

impl FromStanding {
    fn decide(&mut self, now: Millis, waiting: &Table) -> Decision {
        for game in &mut self.games {
            game.effects.extend(game.table.decide(now));
        }
        if let Some(right) = self.games.iter().position(is_played) {
            return Decision::Begin(Box::new(self.games.swap_remove(right).with_tags_of_now()));
        }
        let is_lost = self.games.iter().all(is_lost);
        if !is_lost || !waiting.runs_clock() || !waiting.is_confirmed() {
            return Decision::Nothing;
        }
        let tables = Color::BOTH.into_iter().flat_map(|turn| waiting.games_from_what_stands(now, turn));
        self.games = tables.map(|(table, effects)| Beside { table, effects }).collect();
        if self.games.is_empty() || std::mem::replace(&mut self.is_told, true) {
            return Decision::Nothing;
        }
        Decision::Tell(Effect::Notice(
            "the clock runs, and no start position stands on the board, nor does its memory tell of one: a game from what stands \
             there is recorded as soon as a move is made and pressed for, or at once with `resync white` or `resync black`, \
             whoever is to move"
                .to_owned(),
        ))
    }
}

/// Was a legal ply played from what stood there, and pressed for?
fn is_played(game: &Beside) -> bool {
    let is_ply = game.entries().next().is_some_and(|entry| entry.step.is_ply());
    is_ply && game.table.presses() > 0 && game.table.is_running()
}

/// Does nothing legal lead from what stood there to what is shown?
fn is_lost(game: &Beside) -> bool {
    !game.table.is_playing()
        || game.table.condition() == Condition::Unexplained
        || game.entries().next().is_some_and(|entry| !entry.step.is_ply())
}
