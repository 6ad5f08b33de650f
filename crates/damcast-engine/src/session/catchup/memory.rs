//! Finds the missed events of an outage in a board's memory.
//!
//! A board writes every change of a field and every press of the clock into its memory, in order. After an outage this
//! contains the missed events, but also known events, older games, and possibly half an event at its beginning.
//!
//! **Where does the new part begin?** At the point where the memory passes the last known position. Positions recur in king
//! endings; then the point with the longest match of preceding reports counts. While no piece moves, the clock shows which
//! presses were known.
//!
//! ```text
//!   memory   ... 38:man 43:- P 24:- 2d:man P │ 2f:- 29:man P 3e:- 37:man P ... 6b
//!   known        43:-   24:- 2d:man  ────────┘ known position here, and matching reports before it
//!   shown                                                   the position on the board ─────────────────┘
//! ```
//!
//! [`super::timeline`] assigns times to the events.
//!
//! Invariants: a memory that does not lead from the known to the shown contents is rejected as a whole; the order of events
//! never changes. This module does not depend on the board or the command that delivered the memory.

use crate::protocol::changes::{MemoryEvent, ScanGap, TimeSide};
use crate::protocol::{Field, PieceCode};

/// Number of reports stored to find their place in a memory, enough to distinguish repeated positions.
pub const MAX_RECENT: usize = 32;
/// State known before the outage.
#[derive(Clone, Copy, Debug)]
pub struct KnownState<'known> {
    /// Contents of all fields, by number.
    pub fields: &'known [PieceCode],
    /// The last reports, oldest first, at most [`MAX_RECENT`].
    pub recent: &'known [(Field, PieceCode)],
    /// Side of the clock pressed last.
    pub last_pressed: Option<TimeSide>,
}

/// Reason why a memory cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryMismatch {
    /// The memory does not end with the position on the board: it is damaged or belongs to another board.
    #[error("it does not end with the position on the board")]
    WrongEnd,
    /// The memory does not pass the known position: it belongs to another game, or the ring was overwritten.
    #[error("it does not pass the position that was known last")]
    KnownStateMissing,
}

/// Returns the new part of a memory. `shown`: current contents of the board.
///
/// # Errors
///
/// Returns an error if the memory does not lead from the known to the shown contents.
pub fn missed_events(
    known: KnownState,
    shown: &[PieceCode],
    memory: &[MemoryEvent],
) -> Result<Vec<MemoryEvent>, MemoryMismatch> {
    let count = known.fields.len().min(shown.len());
    // Final contents of the fields by the memory, if it mentions them.
    let mut last = vec![None; count];
    for change in memory {
        apply_events(&mut last, change);
    }
    if last.iter().zip(shown).any(|(said, shown)| said.is_some_and(|said| said != *shown)) {
        return Err(MemoryMismatch::WrongEnd);
    }
    // Events before the start tag belong to another game.
    let start = memory.iter().rposition(|change| *change == MemoryEvent::StartTag).map_or(0, |tag| tag + 1);
    let mut state = vec![None; count];
    let mut best: Option<(usize, usize)> = None;
    let mut reports: Vec<(Field, PieceCode)> = Vec::new();
    // Index after the last moved piece, and the last press since then.
    let (mut unmoved, mut pressed) = (0, None);
    for at in 0..=memory.len() {
        let fits = state.iter().zip(known.fields).zip(shown).zip(&last).all(|(((said, known), shown), last)| {
            // A field without an earlier event may hold anything if a later event sets it; otherwise it holds its final contents.
            said.map_or(last.is_some() || known == shown, |said: PieceCode| said == *known)
        });
        if fits && at >= start {
            let same = reports.iter().rev().zip(known.recent.iter().rev()).take_while(|(a, b)| a == b).count();
            // Without earlier reports every position fits.
            let is_located = same > 0 || known.recent.is_empty();
            // While no piece moves, the known part ends with the last known press.
            let is_better = match best {
                Some((_, before)) if before >= unmoved => pressed.is_some() && pressed == known.last_pressed,
                _ => best.is_none_or(|(best_match, _)| same >= best_match),
            };
            if is_located && is_better {
                best = Some((same, at));
            }
        }
        let Some(change) = memory.get(at) else { break };
        apply_events(&mut state, change);
        match *change {
            MemoryEvent::Piece { field, piece, .. } => {
                reports.push((field, piece));
                (unmoved, pressed) = (at + 1, None);
            }
            MemoryEvent::PowerUp | MemoryEvent::StartTag | MemoryEvent::EmptyBoard => {
                (unmoved, pressed) = (at + 1, None)
            }
            MemoryEvent::Time { side, .. } => pressed = Some(side),
            _ => {}
        }
    }
    let (_, at) = best.ok_or(MemoryMismatch::KnownStateMissing)?;
    Ok(memory.get(at..).unwrap_or_default().to_vec())
}

/// Returns the contents of a board with `count` fields by the last piece list among the changes, and the changes after the
/// list. Boards write such a list at power-up and at the start of a game.
pub fn fields_from_list(changes: &[MemoryEvent], count: usize) -> Option<(Vec<PieceCode>, &[MemoryEvent])> {
    let is_head = |change: &MemoryEvent| matches!(change, MemoryEvent::PowerUp | MemoryEvent::StartTag);
    let begins = changes.iter().rposition(is_head)? + 1;
    Some(piece_list(changes.get(begins..)?, count))
}

/// Returns the contents by the piece list at the beginning of the changes, and the changes after it.
pub fn piece_list(changes: &[MemoryEvent], count: usize) -> (Vec<PieceCode>, &[MemoryEvent]) {
    let mut fields = vec![PieceCode::EMPTY; count];
    let mut after = changes;
    // The list has each piece once, in one scan. An emptied, repeated or later field is the first event after it.
    while let Some((&MemoryEvent::Piece { field, piece, gap: pace }, rest)) = after.split_first() {
        let is_first = after.len() == changes.len();
        match fields.get_mut(usize::from(field.0)) {
            Some(code) if code.is_empty() && !piece.is_empty() && (is_first || pace == ScanGap::SameScan) => {
                *code = piece
            }
            _ => break,
        }
        after = rest;
    }
    (fields, after)
}

/// Applies an event to the fields. A mark followed by a piece list empties all fields.
fn apply_events(fields: &mut [Option<PieceCode>], change: &MemoryEvent) {
    match change {
        MemoryEvent::Piece { field, piece, .. } => {
            if let Some(value) = fields.get_mut(usize::from(field.0)) {
                *value = Some(*piece);
            }
        }
        MemoryEvent::PowerUp | MemoryEvent::StartTag | MemoryEvent::EmptyBoard => fields.fill(Some(PieceCode::EMPTY)),
        _ => {}
    }
}

/// Sets each field to its last value in the memory. Returns the number of changed fields.
pub fn apply_last_values(fields: &mut [PieceCode], memory: &[MemoryEvent]) -> usize {
    let mut last = vec![None; fields.len()];
    for change in memory {
        apply_events(&mut last, change);
    }
    let mut changed = 0;
    for (field, value) in fields.iter_mut().zip(last) {
        if let Some(value) = value.filter(|value| value != field) {
            *field = value;
            changed += 1;
        }
    }
    changed
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
    ) -> Result<usize, MemoryMismatch> {
        let (known, before, memory) = (fields(known), recent(before), changes::decode(memory));
        let unseen =
            missed_events(KnownState { fields: &known, recent: &before, last_pressed: None }, &fields(shown), &memory)?;
        assert!(memory.ends_with(&unseen));
        Ok(memory.len() - unseen.len())
    }

    /// A king goes 10 to 20, 20 to 30, and back to 20.
    const WALK: [u8; 12] = [0x47, 0x14, 0x50, 0x0a, 0x47, 0x1e, 0x50, 0x14, 0x47, 0x14, 0x50, 0x1e];

    #[test]
    fn new_events_start_at_known_position() {
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &WALK), Ok(0));
        assert_eq!(check(&[(30, 7)], &[], &[(20, 7)], &WALK), Ok(4));
        assert_eq!(check(&[(30, 7)], &[(30, 7), (20, 0)], &[(20, 7)], &WALK), Ok(4));
        // In the middle of a ply, the king stands on both squares.
        assert_eq!(check(&[(10, 7), (20, 7)], &[], &[(20, 7)], &WALK), Ok(1));
    }

    #[test]
    fn earlier_reports_locate_recurring_position() {
        assert_eq!(check(&[(20, 7)], &[(20, 7), (10, 0)], &[(20, 7)], &WALK), Ok(2));
        assert_eq!(check(&[(20, 7)], &[(20, 7), (30, 0)], &[(20, 7)], &WALK), Ok(6));
    }

    /// A king goes 10 to 20 and the left side presses; 20 to 30, and the right side.
    #[test]
    fn press_shown_by_clock_is_known() {
        let press = |side| MemoryEvent::Time { side, hours: 0, minutes: 1, seconds: 2 };
        let moves = changes::decode(&WALK[..8]);
        let memory = [&moves[..2], &[press(TimeSide::Left)], &moves[2..], &[press(TimeSide::Right)]].concat();
        let count = |at: usize, pressed| {
            let (known, shown) = (fields(&[(at, 7)]), fields(&[(30, 7)]));
            missed_events(KnownState { fields: &known, recent: &[], last_pressed: pressed }, &shown, &memory)
                .map(|unseen| unseen.len())
        };
        assert_eq!(count(20, Some(TimeSide::Right)), Ok(4), "it was not pressed for yet");
        assert_eq!(count(20, Some(TimeSide::Left)), Ok(3));
        assert_eq!(count(20, None), Ok(4), "without a clock");
        assert_eq!(count(30, Some(TimeSide::Left)), Ok(1));
        assert_eq!(count(30, Some(TimeSide::Right)), Ok(0));
    }

    #[test]
    fn refuses_unrelated_memory() {
        assert_eq!(check(&[(40, 7)], &[], &[(20, 7)], &WALK), Err(MemoryMismatch::KnownStateMissing));
        assert_eq!(check(&[(10, 7)], &[], &[(50, 7)], &WALK), Err(MemoryMismatch::WrongEnd));
        assert_eq!(
            check(&[(10, 7), (99, 1)], &[], &[(20, 7)], &WALK),
            Err(MemoryMismatch::KnownStateMissing),
            "a man more"
        );
        assert_eq!(check(&[(10, 7)], &[], &[(10, 7)], &[]), Ok(0), "nothing happened");
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &[]), Err(MemoryMismatch::KnownStateMissing));
    }

    #[test]
    fn start_tag_empties_board() {
        let memory = [&[0x7b, 0x47, 0x0a][..], &WALK].concat();
        assert_eq!(check(&[(10, 7)], &[], &[(20, 7)], &memory), Ok(2));
        assert_eq!(check(&[(10, 7), (40, 1)], &[], &[(20, 7)], &memory), Err(MemoryMismatch::KnownStateMissing));
    }

    #[test]
    fn list_of_all_pieces_gives_position() {
        let list = [0x41, 0x14, 0x7f, 0x7f, 0x7f, 0x6a, 0x47, 0x0a, 0x54, 0x63];
        let changes = changes::decode(&[&list[..], &WALK].concat());
        let (standing, after) = fields_from_list(&changes, 100).unwrap();
        assert_eq!(standing, fields(&[(10, 7), (99, 4)]));
        assert_eq!(after, changes::decode(&WALK));
        assert_eq!(super::fields_from_list(&changes::decode(&WALK), 100), None);
    }
}
