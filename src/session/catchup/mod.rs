//! Living through what is known only afterwards: a table hears what happened, each thing at its own time.
//!
//! A table decides by quiet, and quiet is time. So between two things that are told it lives through every deadline on the way,
//! and where it would have asked for a dump it learns that nothing had changed: what is told is all that happened.
//!
//! Absent on purpose: where the telling comes from.

pub mod event_clock;
pub mod gap;
pub mod late;
pub mod memory;
pub mod timeline;

use super::Effect;
use super::table::Table;
use crate::millis::Millis;

/// Lives through every deadline up to a time of the table, each at its own time. `lived`: up to when it has lived.
pub fn live_until(table: &mut Table, lived: &mut Millis, until: Millis, effects: &mut Vec<Effect>) {
    /// A table that is asked again and again at one moment has nothing more to say.
    const MOST_AT_ONCE: u32 = 100;
    let mut at_once = 0;
    while let Some(at) = table.deadline().map(|at| at.max(*lived)).filter(|&at| at <= until) {
        at_once = if at > *lived { 0 } else { at_once + 1 };
        if at_once > MOST_AT_ONCE {
            return;
        }
        *lived = at;
        table.is_known_until(at);
        effects.extend(table.decide(at));
    }
}

/// The same up to the next thing that is told: until then nothing has changed, which is as good as a dump. Returns whether a game
/// has begun meanwhile.
pub fn live_until_next(table: &mut Table, lived: &mut Millis, at: Millis, effects: &mut Vec<Effect>) -> bool {
    let begun = table.begun();
    if let Some(wanted) = table.wants_dump_at().map(|wanted| wanted.max(*lived)).filter(|&wanted| wanted < at) {
        live_until(table, lived, wanted, effects);
        *lived = wanted;
        table.is_known_until(wanted);
        table.unchanged(wanted);
        effects.extend(table.decide(wanted));
    }
    live_until(table, lived, at, effects);
    table.begun() > begun
}
