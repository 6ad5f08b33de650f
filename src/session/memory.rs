//! What a board remembers of the time in which nobody listened.
//!
//! A board writes every change of a field and every press of the clock into its memory, in order. Read back after an
//! outage, that is what the host has missed, and more than that: what it knew before, older games, a beginning in the
//! middle of an event. Two questions have to be answered before the recogniser may see any of it.
//!
//! **Where does the part begin that is new?** Where the memory passes the position that was known last. Positions come
//! back in a game of kings; then that place counts before which the memory tells the same reports, in the same order, that
//! the host got before the link went.
//!
//! ```text
//!   memory   ... 38:man 43:- P 24:- 2d:man P │ 2f:- 29:man P 3e:- 37:man P ... 6b
//!   known        43:-   24:- 2d:man  ────────┘ known position here, and the same reports before it
//!   shown                                                   the position that the board shows now ─────┘
//! ```
//!
//! **When did it happen?** The memory has no times but those of the chess clock. Play went on between the moment the
//! link went and the moment it came back. By what each ply cost on the clock the plies are laid over that span, evenly where no
//! clock tells: the recogniser then sees them one after the other, with quiet between them, as it would have.
//!
//! Invariants: a memory that does not lead from what was known to what is shown is refused whole; the order of events is
//! never changed; times are within the span. Absent on purpose: which board or command it came from.

use crate::millis::Millis;
use crate::protocol::changes::{Change, Pace, TimeSide};
use crate::protocol::{Field, PieceCode};

/// Reports that are remembered to find their place in a memory again: the plies of a player's longest thought repeated.
pub const MOST_RECENT: usize = 32;
/// Events of a shorter span are taken to have happened at its end: that is when they became known, and quiet counts from
/// there.
const AT_ONCE: Millis = Millis(2_000);
/// More presses than this are never laid into one moment.
const PRESSES_AT_ONCE: u64 = 2;
/// The quiet that each ply gets at least: the recogniser needs a third of a second after a press, and three without a clock.
const PLY: Millis = Millis(3_500);

/// What was known before the outage.
#[derive(Clone, Copy, Debug)]
pub struct Known<'known> {
    /// What every field held, by its number.
    pub fields: &'known [PieceCode],
    /// The last reports, oldest first, at most [`MOST_RECENT`].
    pub recent: &'known [(Field, PieceCode)],
}

/// Why a memory is of no use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// It does not end with the position on the board: it is damaged, or of another board.
    #[error("it does not end with the position on the board")]
    OtherEnd,
    /// It does not pass the known position: another game, or the ring has been written over.
    #[error("it does not pass the position that was known last")]
    NoBeginning,
}

/// The part of a memory that is new. `shown`: what the board shows now.
///
/// # Errors
///
/// When the memory does not lead from what was known to what is shown.
pub fn unseen(known: Known, shown: &[PieceCode], memory: &[Change]) -> Result<Vec<Change>, Misfit> {
    let count = known.fields.len().min(shown.len());
    // What the memory says a field holds at the end, where it says anything.
    let mut last = vec![None; count];
    for change in memory {
        take(&mut last, change);
    }
    if last.iter().zip(shown).any(|(said, shown)| said.is_some_and(|said| said != *shown)) {
        return Err(Misfit::OtherEnd);
    }
    // What happened before the start of the game belongs to another one.
    let start = memory.iter().rposition(|change| *change == Change::StartTag).map_or(0, |tag| tag + 1);
    let mut state = vec![None; count];
    let mut best: Option<(usize, usize)> = None;
    let mut reports: Vec<(Field, PieceCode)> = Vec::new();
    for at in 0..=memory.len() {
        let fits = state.iter().zip(known.fields).zip(shown).zip(&last).all(|(((said, known), shown), last)| {
            // A field of which nothing was said before holds what it holds in the end, unless something is said later.
            said.map_or(last.is_some() || known == shown, |said: PieceCode| said == *known)
        });
        if fits && at >= start {
            let same = reports.iter().rev().zip(known.recent.iter().rev()).take_while(|(a, b)| a == b).count();
            // Where nothing was reported before, every position fits.
            let is_told = same > 0 || known.recent.is_empty();
            if is_told && best.is_none_or(|(most, _)| same >= most) {
                best = Some((same, at));
            }
        }
        let Some(change) = memory.get(at) else { break };
        take(&mut state, change);
        if let Change::Piece { field, piece, .. } = *change {
            reports.push((field, piece));
        }
    }
    let (_, at) = best.ok_or(Misfit::NoBeginning)?;
    Ok(memory.get(at..).unwrap_or_default().to_vec())
}

/// What stands on a board of so many fields by the last list of all pieces among changes, and the changes after the list. A
/// board makes such a list when it is switched on and when a game starts.
pub fn standing(changes: &[Change], count: usize) -> Option<(Vec<PieceCode>, &[Change])> {
    let is_head = |change: &Change| matches!(change, Change::PowerUp | Change::StartTag);
    let begins = changes.iter().rposition(is_head)? + 1;
    let mut fields = vec![PieceCode::EMPTY; count];
    let list = changes.get(begins..)?;
    let mut after = list;
    // Each piece is listed once, all of them at once. A field that is emptied, that comes twice or that comes later is the
    // first thing that happened.
    while let Some((&Change::Piece { field, piece, pace }, rest)) = after.split_first() {
        let is_first = after.len() == list.len();
        match fields.get_mut(usize::from(field.0)) {
            Some(code) if code.is_empty() && !piece.is_empty() && (is_first || pace == Pace::SameScan) => *code = piece,
            _ => break,
        }
        after = rest;
    }
    Some((fields, after))
}

/// What fields are said to hold after a change. A mark after which all pieces are listed empties the others.
fn take(fields: &mut [Option<PieceCode>], change: &Change) {
    match change {
        Change::Piece { field, piece, .. } => {
            if let Some(said) = fields.get_mut(usize::from(field.0)) {
                *said = Some(*piece);
            }
        }
        Change::PowerUp | Change::StartTag | Change::EmptyBoard => fields.fill(Some(PieceCode::EMPTY)),
        _ => {}
    }
}

/// Puts on each field what a memory says of it last. Returns how many fields that changes.
pub fn end_with(fields: &mut [PieceCode], memory: &[Change]) -> usize {
    let mut last = vec![None; fields.len()];
    for change in memory {
        take(&mut last, change);
    }
    let mut changed = 0;
    for (field, said) in fields.iter_mut().zip(last) {
        if let Some(said) = said.filter(|said| said != field) {
            *field = said;
            changed += 1;
        }
    }
    changed
}

/// The changes of a span, each with the time at which it is taken to have happened. `sides`: what the left and the right side
/// of the clock showed at its beginning, in seconds, where that is known. A span that is too short for all that happened in it
/// is drawn out beyond its end.
pub fn timeline(from: Millis, to: Millis, changes: &[Change], sides: Option<[u32; 2]>) -> Vec<(Millis, Change)> {
    let presses = changes.iter().filter(|change| matches!(change, Change::Time { .. })).count() as u64;
    if to - from <= AT_ONCE && presses <= PRESSES_AT_ONCE {
        return changes.iter().map(|&change| (to, change)).collect();
    }
    let groups = groups(changes, presses > 0);
    let count = groups.last().map_or(0, |last| last + 1);
    let span = (to - from).max(Millis(PLY.0 * (count + 1)));
    let by_clock = sides.map_or(Vec::new(), |sides| thought(changes, sides));
    let mut at = from;
    let times: Vec<Millis> = (0..count)
        .map(|group| {
            let left = PLY.0 * (count - group);
            let latest = Millis((from + span).0.saturating_sub(left));
            let even = from + Millis(span.0 * (group + 1) / (count + 1));
            let thought = by_clock.get(group as usize).map(|&thought| at + thought);
            at = thought.unwrap_or(even).max(at + PLY).min(latest.max(at + PLY));
            at
        })
        .collect();
    let time = |group: u64| times.get(group as usize).copied().unwrap_or(from + span);
    groups.into_iter().zip(changes).map(|(group, &change)| (time(group), change)).collect()
}

/// How long was thought about each ply that was pressed for, by what the clock says it cost. What a ply brings is not known;
/// nobody gains by thinking, so that is at least what the quickest gained.
fn thought(changes: &[Change], mut sides: [u32; 2]) -> Vec<Millis> {
    let cost = |change: &Change| {
        let Change::Time { side, hours, minutes, seconds } = *change else { return None };
        let shown = (u32::from(hours) * 60 + u32::from(minutes)) * 60 + u32::from(seconds);
        let side = match side {
            TimeSide::Left => &mut sides[0],
            TimeSide::Right => &mut sides[1],
        };
        Some(i64::from(std::mem::replace(side, shown)) - i64::from(shown))
    };
    let costs: Vec<i64> = changes.iter().filter_map(cost).collect();
    let brought = costs.iter().map(|cost| -cost).max().unwrap_or_default().max(0);
    costs.into_iter().map(|cost| Millis::seconds(cost.saturating_add(brought).unsigned_abs())).collect()
}

/// Which changes belong to one ply: those up to a press, or without a clock those of one scan, and those of a hand that goes on
/// from where it came down.
fn groups(changes: &[Change], has_presses: bool) -> Vec<u64> {
    let mut group = 0;
    let mut is_first = true;
    let mut groups = Vec::with_capacity(changes.len());
    let mut rests_on = None;
    for change in changes {
        let is_later = matches!(change, Change::Piece { pace: Pace::Later, .. });
        let goes_on = match *change {
            Change::Piece { field, piece, .. } if piece.is_empty() => rests_on.take() == Some(field),
            Change::Piece { field, .. } => {
                rests_on = Some(field);
                false
            }
            _ => false,
        };
        if !has_presses && is_later && !is_first && !goes_on {
            group += 1;
        }
        groups.push(group);
        if has_presses && matches!(change, Change::Time { .. }) {
            group += 1;
        }
        is_first = false;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::changes;

    fn fields(pieces: &[(usize, u8)]) -> Vec<PieceCode> {
        let mut fields = vec![PieceCode::EMPTY; 100];
        for &(field, code) in pieces {
            fields[field] = PieceCode(code);
        }
        fields
    }

    fn recent(reports: &[(u8, u8)]) -> Vec<(Field, PieceCode)> {
        reports.iter().map(|&(field, code)| (Field(field), PieceCode(code))).collect()
    }

    #[track_caller]
    fn check(
        known: &[(usize, u8)],
        before: &[(u8, u8)],
        shown: &[(usize, u8)],
        memory: &[u8],
    ) -> Result<usize, Misfit> {
        let (known, before, memory) = (fields(known), recent(before), changes::decode(memory));
        let unseen = unseen(Known { fields: &known, recent: &before }, &fields(shown), &memory)?;
        assert!(memory.ends_with(&unseen));
        Ok(memory.len() - unseen.len())
    }

    /// A king goes 10 to 20, 20 to 30, and back to 20.
    const WALK: [u8; 12] = [0x47, 0x14, 0x50, 0x0a, 0x47, 0x1e, 0x50, 0x14, 0x47, 0x14, 0x50, 0x1e];

    #[test]
    fn what_is_new_begins_at_the_known_position() {
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &WALK), Ok(0));
        assert_eq!(check(&[(30, 7)], &[], &[(20, 7)], &WALK), Ok(4));
        assert_eq!(check(&[(30, 7)], &[(30, 7), (20, 0)], &[(20, 7)], &WALK), Ok(4));
        // In the middle of a ply: the king stands on both squares.
        assert_eq!(check(&[(10, 7), (20, 7)], &[], &[(20, 7)], &WALK), Ok(1));
    }

    #[test]
    fn of_a_position_that_comes_back_the_reports_before_it_tell_the_place() {
        assert_eq!(check(&[(20, 7)], &[(20, 7), (10, 0)], &[(20, 7)], &WALK), Ok(2));
        assert_eq!(check(&[(20, 7)], &[(20, 7), (30, 0)], &[(20, 7)], &WALK), Ok(6));
    }

    #[test]
    fn a_memory_of_something_else_is_refused() {
        assert_eq!(check(&[(40, 7)], &[], &[(20, 7)], &WALK), Err(Misfit::NoBeginning));
        assert_eq!(check(&[(10, 7)], &[], &[(50, 7)], &WALK), Err(Misfit::OtherEnd));
        assert_eq!(check(&[(10, 7), (99, 1)], &[], &[(20, 7)], &WALK), Err(Misfit::NoBeginning), "a man more");
        assert_eq!(check(&[(10, 7)], &[], &[(10, 7)], &[]), Ok(0), "nothing happened");
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &[]), Err(Misfit::NoBeginning));
    }

    #[test]
    fn a_start_tag_empties_the_board() {
        let memory = [&[0x7b, 0x47, 0x0a][..], &WALK].concat();
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &memory), Ok(2));
        assert_eq!(check(&[(10, 7), (40, 1)], &[], &[(20, 7)], &memory), Err(Misfit::NoBeginning));
    }

    #[test]
    fn a_list_of_all_pieces_tells_what_stands_there() {
        let list = [0x41, 0x14, 0x7f, 0x7f, 0x7f, 0x6a, 0x47, 0x0a, 0x54, 0x63];
        let changes = changes::decode(&[&list[..], &WALK].concat());
        let (standing, after) = standing(&changes, 100).unwrap();
        assert_eq!(standing, fields(&[(10, 7), (99, 4)]));
        assert_eq!(after, changes::decode(&WALK));
        assert_eq!(super::standing(&changes::decode(&WALK), 100), None);
    }

    #[test]
    fn a_hand_that_goes_on_from_where_it_came_down_is_given_no_quiet_there() {
        // 10 to 20, and on to 30.
        let wavers = changes::decode(&[0x40, 0x0a, 0x47, 0x14, 0x40, 0x14, 0x47, 0x1e]);
        let times: Vec<u64> = timeline(Millis(0), Millis(40_000), &wavers, None).iter().map(|(at, _)| at.0).collect();
        assert_eq!(times, [10_000, 20_000, 20_000, 30_000]);
    }

    #[test]
    fn plies_are_laid_evenly_over_the_span() {
        let press = |side| Change::Time { side, hours: 0, minutes: 1, seconds: 2 };
        let mut all = changes::decode(&WALK[..4]);
        all.push(press(TimeSide::Left));
        all.extend(changes::decode(&WALK[4..8]));
        all.push(press(TimeSide::Right));
        let times =
            |from, to| timeline(Millis(from), Millis(to), &all, None).iter().map(|(at, _)| at.0).collect::<Vec<_>>();
        assert_eq!(times(1_000, 31_000), [11_000, 11_000, 11_000, 21_000, 21_000, 21_000]);
        assert_eq!(times(1_000, 2_000), [2_000; 6]);
        assert_eq!(times(1_000, 4_000), [4_500, 4_500, 4_500, 8_000, 8_000, 8_000], "drawn out");
        let without = changes::decode(&WALK);
        let times: Vec<u64> = timeline(Millis(0), Millis(40_000), &without, None).iter().map(|(at, _)| at.0).collect();
        assert_eq!(times, [10_000, 10_000, 20_000, 20_000, 30_000, 30_000]);
        assert_eq!(timeline(Millis(0), Millis(4_000), &[], None), []);
    }
}
