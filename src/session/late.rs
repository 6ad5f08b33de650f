//! A game that began while nobody listened, as the board's memory has it.
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
//! | has none, does not lead there, or does not come | nothing: the line waits for a start position or the operator |
//!
//! A memory has no date: what stands in it may be yesterday's game. So it is published only when somebody plays on, and never if the
//! station finds a game of this board that begins with the same moves: it is asked before, and its answer stands in the log.
//!
//! Invariant: until then nothing of it is published, and the table that waits knows nothing of it.

use super::Effect;
use super::table::Table;
use crate::millis::Millis;

/// A memory is asked for once more if it does not come: one byte may have been lost.
const TRIES: u32 = 2;

/// What is known of a game that may have begun while nobody listened.
#[derive(Debug, Default)]
pub enum Late {
    /// Nothing: what stands on the board has yet to be shown.
    #[default]
    Unknown,
    /// The memory has been asked for so often.
    Asked(u32),
    /// There is one.
    Offered(Box<Offer>),
    /// There is none, or nobody wants it.
    None,
}

impl Late {
    /// The game that is offered.
    pub fn offer(&mut self) -> Option<&mut Offer> {
        if let Late::Offered(offer) = self { Some(offer) } else { None }
    }

    /// The memory has not come. Returns whether it is to be asked for again.
    pub fn miss_memory(&mut self) -> bool {
        let Late::Asked(tries) = self else { return false };
        let again = *tries < TRIES;
        *self = if again { Late::Asked(*tries + 1) } else { Late::None };
        again
    }
}

/// A game that is played on, and would be published.
#[derive(Debug)]
pub struct Offer {
    /// Where it is played.
    pub table: Table,
    /// What it would publish, and say.
    effects: Vec<Effect>,
    /// How many entries it had when the station was last asked.
    asked_with: Option<usize>,
    /// How many entries and presses the memory has.
    remembered: (usize, u32),
}

impl Offer {
    /// A game that has come to what the board shows. `None`: it is over, or nothing was played.
    pub fn new(table: Table, effects: Vec<Effect>) -> Option<Offer> {
        let remembered = (entries(&effects).count(), table.presses());
        let offer = Offer { table, effects, asked_with: None, remembered };
        offer.goes_on().then_some(offer)
    }

    /// In words, for the operator.
    pub fn in_words(&self) -> String {
        match entries(&self.effects).last() {
            Some(last) => {
                let last = last.split(" {").next().unwrap_or_default();
                format!("a game of {} plies, the last {last}", self.table.status().plies)
            }
            None => "the beginning of a game".to_owned(),
        }
    }

    /// Something reached its table.
    pub fn say(&mut self, effects: Vec<Effect>) {
        self.effects.extend(effects);
    }

    /// Decides what is due. Is somebody playing on, so that the station has to be asked?
    pub fn decide(&mut self, now: Millis) -> Option<Effect> {
        let effects = self.table.decide(now);
        self.effects.extend(effects);
        let (count, presses) = self.remembered;
        let plays_on =
            entries(&self.effects).count() > count || self.table.presses() > presses && self.table.is_running();
        if plays_on { self.ask() } else { None }
    }

    /// The question whether this game is known, unless it was asked already.
    pub fn ask(&mut self) -> Option<Effect> {
        let entries: Vec<String> = entries(&self.effects).map(str::to_owned).collect();
        if entries.is_empty() || self.asked_with == Some(entries.len()) {
            return None;
        }
        self.asked_with = Some(entries.len());
        Some(Effect::Remembered(entries))
    }

    /// The same for an operator who wants it now.
    pub fn ask_again(&mut self) -> Option<Effect> {
        self.asked_with = None;
        self.ask()
    }

    /// Is it still one game, and not over?
    pub fn goes_on(&self) -> bool {
        self.table.is_playing()
            && self.effects.iter().filter(|effect| matches!(effect, Effect::Open { .. })).count() <= 1
    }

    /// The game as it is to be published, and its table. Its tags are those of now.
    pub fn take(self) -> (Table, Vec<Effect>) {
        let Offer { table, effects, .. } = self;
        let mut is_head = false;
        let mut published = Vec::with_capacity(effects.len());
        for effect in effects {
            is_head = match &effect {
                Effect::Append(line) => is_head && (line.is_empty() || line.starts_with('[')),
                _ => false,
            };
            if is_head {
                continue;
            }
            let is_open = matches!(effect, Effect::Open { .. });
            published.push(effect);
            if is_open {
                is_head = true;
                published.extend(table.head_of_game().into_iter().map(Effect::Append));
            }
        }
        (table, published)
    }
}

/// The lines of moves and setups among effects.
fn entries(effects: &[Effect]) -> impl Iterator<Item = &str> {
    effects.iter().filter_map(|effect| match effect {
        Effect::Append(line) if !line.is_empty() && !line.starts_with('[') && line != "*" => Some(line.as_str()),
        _ => None,
    })
}
