//! Assigns times to events that are reported after the fact.
//!
//! A memory has no times except those of the chess clock. Its plies happened between the time up to which everything is
//! known and the time of the report. They are spread over this period according to their clock times, or evenly without a
//! clock. The recogniser then sees them one after the other, with quiet between them.
//!
//! ```text
//!   reported    32:- 28:man P │ 19:- 23:man P │ 37:-
//!               from ─────────▴───────────────▴──────── to      events without a press happened just now
//! ```
//!
//! | reported | group |
//! |---|---|
//! | events up to a press; without a clock, events of one scan and of a hand that continues from where it put the piece down | own group |
//! | contents of a board after power-up | start of a group: the side to move is unknown until the next press |
//! | last piece of a start position | end of a group: players rest before they begin |
//!
//! Invariants: the order never changes; times lie within the period, or after its end if it is too short.

use super::memory;
use crate::millis::Millis;
use crate::protocol::Field;
use crate::protocol::changes::{MemoryEvent, ScanGap, TimeSide};
use crate::session::delayed_event::DelayedEvent;
use crate::session::table::PendingPly;

/// Length up to which all events of a period get the time of its end: they became known then, and quiet counts from there.
const MAX_UNSPREAD_SPAN: Millis = Millis(2_000);
/// Maximum interval between two reports that the board marks as one scan.
const SAME_SCAN: Millis = Millis(250);
/// Limit of presses that may share one time.
const MAX_PRESSES_AT_ONCE: usize = 2;
/// Minimum quiet of each group: the recogniser needs a third of a second after a press, and three seconds without a clock.
const MIN_GROUP_QUIET: Millis = Millis(3_500);
/// Maximum gain of one ply in seconds; a larger gain means that the clock was reset.
const MAX_CLOCK_GAIN: i64 = 120;

/// Converts changes to events. `count`: fields of the board. The piece list after power-up becomes a single event.
pub fn to_delayed_events(changes: &[MemoryEvent], count: usize) -> Vec<DelayedEvent> {
    let mut reported = Vec::with_capacity(changes.len());
    let mut rest = changes;
    while let Some((change, after)) = rest.split_first() {
        if *change == MemoryEvent::PowerUp {
            let (fields, after) = memory::piece_list(after, count);
            reported.push(DelayedEvent::FullBoard(fields));
            rest = after;
        } else {
            reported.push(DelayedEvent::Memory(*change));
            rest = after;
        }
    }
    reported
}

/// Period whose events a board reports after the fact.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Time up to which everything is known.
    pub from: Millis,
    /// Time of the report.
    pub to: Millis,
    /// Times of the left and right side of the clock at `from`, in seconds, if known.
    pub sides: Option<[u32; 2]>,
    /// State of the ply at `from`.
    pub pending_ply: PendingPly,
    /// Last field reported before the period, with the latest possible time.
    pub previous_report: Option<(Millis, Field)>,
}

/// Returns the events with their assumed times. `starts`: indexes of the events that completed a start position. If the
/// period is too short for its events, it is extended beyond its end. An incomplete ply gets the time of the end, since a
/// hand may be on the board.
pub fn timeline(span: Span, reported: Vec<DelayedEvent>, starts: &[usize]) -> Vec<(Millis, DelayedEvent)> {
    let Span { from, to, sides, pending_ply: begun, .. } = span;
    let presses = reported.iter().filter(|reported| parse_press(reported).is_some()).count();
    if to - from <= MAX_UNSPREAD_SPAN && presses <= MAX_PRESSES_AT_ONCE {
        let at = end_time(span, &reported);
        return reported.into_iter().map(|reported| (at, reported)).collect();
    }
    let groups = group_by_ply(&reported, presses > 0, starts);
    let complete = match (reported.last(), groups.last()) {
        (Some(DelayedEvent::Memory(MemoryEvent::Time { .. })), Some(last)) => last + 1,
        (_, last) => last.copied().unwrap_or(0),
    };
    let rests = |count: usize| Millis(MIN_GROUP_QUIET.0 * count as u64);
    let span = (to - from).max(rests(complete + 1));
    let thought = sides.map_or(Vec::new(), |sides| thinking_times(&reported, &groups, sides));
    let begun = if matches!(reported.first(), Some(DelayedEvent::FullBoard(_))) { PendingPly::Nothing } else { begun };
    let mut at = from;
    let lay = |group: usize| {
        let latest = Millis((from + span).0.saturating_sub(rests(complete - group).0));
        let even = from + Millis(span.0 * (group as u64 + 1) / (complete as u64 + 1));
        let thought = thought.iter().find(|(of, _)| *of == group).map(|(_, thought)| at + *thought);
        at = match begun {
            PendingPly::Ply if group == 0 => from,
            PendingPly::Pressed if group == 0 => from + MIN_GROUP_QUIET,
            _ => thought.unwrap_or(even).max(at + MIN_GROUP_QUIET).min(latest.max(at + MIN_GROUP_QUIET)),
        };
        at
    };
    let times: Vec<Millis> = (0..complete).map(lay).collect();
    let time = |group: usize| times.get(group).copied().unwrap_or(from + span);
    groups.into_iter().map(time).zip(reported).collect()
}

/// Returns the latest possible time of the last event in a short period. Two answers may split one scan: the landing of a
/// piece in the first, its lifting in the second. The scan mark of the board shows that they belong together. For a field
/// that keeps changing the board reports only the last change, so there the mark has no meaning.
fn end_time(span: Span, reported: &[DelayedEvent]) -> Millis {
    let mut end = span.to;
    let mut before = span.previous_report;
    for reported in reported {
        (end, before) = match (reported, before) {
            (DelayedEvent::Memory(MemoryEvent::Piece { field, gap: ScanGap::SameScan, .. }), Some((at, other)))
                if other != *field =>
            {
                let at = (at + SAME_SCAN).min(span.to).max(span.from);
                (at, Some((at, *field)))
            }
            (DelayedEvent::Memory(MemoryEvent::Piece { field, .. }), _) => (span.to, Some((span.to, *field))),
            _ => (span.to, None),
        };
    }
    end
}

/// Returns the side and its time in seconds if the event is a press.
fn parse_press(reported: &DelayedEvent) -> Option<(TimeSide, u32)> {
    let DelayedEvent::Memory(MemoryEvent::Time { side, hours, minutes, seconds }) = *reported else { return None };
    Some((side, (u32::from(hours) * 60 + u32::from(minutes)) * 60 + u32::from(seconds)))
}

/// Returns the thinking time of each pressed ply with its group, from the time it cost on the clock. The increment is
/// unknown, but thinking gains no time; therefore it is at least the largest gain of a ply.
fn thinking_times(reported: &[DelayedEvent], groups: &[usize], mut sides: [u32; 2]) -> Vec<(usize, Millis)> {
    let cost = |(reported, group): (&DelayedEvent, &usize)| {
        let (side, shown) = parse_press(reported)?;
        let side = match side {
            TimeSide::Left => &mut sides[0],
            TimeSide::Right => &mut sides[1],
        };
        let cost = i64::from(std::mem::replace(side, shown)) - i64::from(shown);
        (cost >= -MAX_CLOCK_GAIN).then_some((*group, cost))
    };
    let costs: Vec<(usize, i64)> = reported.iter().zip(groups).filter_map(cost).collect();
    let brought = costs.iter().map(|(_, cost)| -cost).max().unwrap_or_default().max(0);
    let thought = |(group, cost): (usize, i64)| (group, Millis::seconds(cost.saturating_add(brought).unsigned_abs()));
    costs.into_iter().map(thought).collect()
}

fn group_by_ply(reported: &[DelayedEvent], has_presses: bool, starts: &[usize]) -> Vec<usize> {
    let (mut group, mut is_begun, mut is_unsure) = (0, false, false);
    let mut groups = Vec::with_capacity(reported.len());
    let mut rests_on = None;
    for (index, reported) in reported.iter().enumerate() {
        let goes_on = match *reported {
            DelayedEvent::Memory(MemoryEvent::Piece { field, piece, .. }) if piece.is_empty() => {
                rests_on.take() == Some(field)
            }
            DelayedEvent::Memory(MemoryEvent::Piece { field, .. }) => {
                rests_on = Some(field);
                false
            }
            _ => false,
        };
        let is_apart = match reported {
            DelayedEvent::FullBoard(_) => true,
            DelayedEvent::Memory(MemoryEvent::Piece { gap: ScanGap::Later, .. }) => {
                !has_presses && !is_unsure && !goes_on
            }
            DelayedEvent::Memory(_) => false,
        };
        group += usize::from(is_apart && is_begun);
        groups.push(group);
        let is_end = parse_press(reported).is_some() || starts.contains(&index);
        group += usize::from(is_end);
        is_begun = !is_end;
        is_unsure = !is_end && (is_unsure || matches!(reported, DelayedEvent::FullBoard(_)));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::PieceCode;
    use crate::protocol::changes;

    /// A king goes 10 to 20, 20 to 30, and back to 20.
    const WALK: [u8; 12] = [0x47, 0x14, 0x50, 0x0a, 0x47, 0x1e, 0x50, 0x14, 0x47, 0x14, 0x50, 0x1e];
    const LEFT: [u8; 3] = [0x70, 0x01, 0x02];
    const RIGHT: [u8; 3] = [0x60, 0x01, 0x02];
    const SPAN: Span = Span {
        from: Millis::ZERO,
        to: Millis::ZERO,
        sides: None,
        pending_ply: PendingPly::Nothing,
        previous_report: None,
    };

    #[track_caller]
    fn check(memory: &[&[u8]], from: u64, to: u64, starts: &[usize], expected: &[u64]) {
        let reported = to_delayed_events(&changes::decode(&memory.concat()), 100);
        let span = Span { from: Millis(from), to: Millis(to), ..SPAN };
        let timed = timeline(span, reported.clone(), starts);
        assert_eq!(timed.iter().map(|(at, _)| at.0).collect::<Vec<_>>(), expected);
        assert!(timed.into_iter().map(|(_, timed)| timed).eq(reported), "in order");
    }

    #[test]
    fn spreads_plies_evenly() {
        let all = [&WALK[..4], &LEFT, &WALK[4..8], &RIGHT];
        check(&all, 1_000, 31_000, &[], &[11_000, 11_000, 11_000, 21_000, 21_000, 21_000]);
        check(&all, 1_000, 2_000, &[], &[2_000; 6]);
        // The period is extended.
        check(&all, 1_000, 4_000, &[], &[4_500, 4_500, 4_500, 8_000, 8_000, 8_000]);
        check(&[&WALK], 0, 40_000, &[], &[13_333, 13_333, 26_666, 26_666, 40_000, 40_000]);
        check(&[], 0, 4_000, &[], &[]);
    }

    /// A hand may be on the board, so unobserved quiet does not count.
    #[test]
    fn unpressed_events_are_recent() {
        check(&[&WALK[..4], &LEFT, &WALK[4..8]], 0, 30_000, &[], &[15_000, 15_000, 15_000, 30_000, 30_000]);
    }

    #[test]
    fn players_rest_before_start() {
        let all = [&WALK[..8], &LEFT];
        check(&all, 0, 30_000, &[1], &[10_000, 10_000, 20_000, 20_000, 20_000]);
    }

    /// A man lands on 30, and in the same scan 20 becomes empty; the first report came at 1000.
    #[test]
    fn scan_split_over_two_answers_is_one() {
        let end = |before: Option<u8>, rest: &[u8]| {
            let reported = to_delayed_events(&changes::decode(rest), 100);
            let before = before.map(|field| (Millis(1_000), Field(field)));
            let span = Span { from: Millis(1_010), to: Millis(1_700), previous_report: before, ..SPAN };
            timeline(span, reported, &[]).last().unwrap().0.0
        };
        assert_eq!(end(Some(30), &[0x50, 20]), 1_250);
        assert_eq!(end(Some(30), &[0x50, 20, 0x54, 25]), 1_500);
        assert_eq!(end(Some(30), &[0x40, 20]), 1_700, "of a later scan");
        assert_eq!(end(Some(30), &[0x40, 20, 0x54, 25]), 1_700);
        assert_eq!(end(Some(30), &[0x50, 20, 0x70, 0x01, 0x02]), 1_700, "nobody knows when was pressed");
        assert_eq!(end(Some(20), &[0x50, 20]), 1_700, "it has changed more often than is reported");
        assert_eq!(end(None, &[0x50, 20]), 1_700);
    }

    #[test]
    fn continuing_hand_gets_no_rest() {
        // The king goes from 10 to 20 and on to 30.
        check(&[&[0x40, 0x0a, 0x47, 0x14, 0x40, 0x14, 0x47, 0x1e]], 0, 40_000, &[], &[13_333, 26_666, 26_666, 40_000]);
    }

    #[test]
    fn list_of_all_pieces_is_one_event() {
        let list = [0x7f, 0x7f, 0x7f, 0x6a, 0x47, 0x0a, 0x54, 0x63];
        let all = [&WALK[..2], &list, &WALK[..4], &LEFT];
        check(&all, 0, 30_000, &[], &[10_000, 20_000, 20_000, 20_000, 20_000]);
        // No press has followed.
        check(&[&list, &WALK[..4]], 0, 30_000, &[], &[30_000; 3]);
        let mut fields = vec![PieceCode::EMPTY; 100];
        (fields[10], fields[99]) = (PieceCode(7), PieceCode(4));
        assert_eq!(to_delayed_events(&changes::decode(&all.concat()), 100)[1], DelayedEvent::FullBoard(fields));
    }

    /// With quiet in between it would count as a ply without a press, and its entry would lack a clock comment.
    #[test]
    fn started_ply_continues_at_once() {
        let reported = to_delayed_events(&changes::decode(&[&WALK[2..4], &LEFT, &WALK[4..8], &RIGHT].concat()), 100);
        let times = |begun| -> Vec<u64> {
            let span = Span { to: Millis(60_000), pending_ply: begun, ..SPAN };
            timeline(span, reported.clone(), &[]).iter().map(|(at, _)| at.0).collect()
        };
        assert_eq!(times(PendingPly::Ply), [0, 0, 40_000, 40_000, 40_000]);
        // The events belong to the next ply, not to the rest of this one.
        assert_eq!(times(PendingPly::Pressed), [3_500, 3_500, 40_000, 40_000, 40_000]);
    }

    #[test]
    fn clock_gives_thinking_time() {
        let times = |left: [u8; 3], right: [u8; 3], sides| {
            let reported = to_delayed_events(
                &changes::decode(&[&WALK[..4], &left, &WALK[4..8], &right, &WALK[8..]].concat()),
                100,
            );
            let span = Span { to: Millis(60_000), sides: Some(sides), ..SPAN };
            timeline(span, reported, &[]).iter().map(|(at, _)| at.0).collect::<Vec<_>>()
        };
        // The left side gained 20 s by its ply, the right side none: it thought for that much longer.
        let known = times([0x70, 0x01, 0x30], RIGHT, [70, 62]);
        assert_eq!(known, [3_500, 3_500, 3_500, 23_500, 23_500, 23_500, 60_000, 60_000]);
        // A reset clock does not reveal the thinking time.
        let reset_times = times([0x70, 0x01, 0x30], [0x61, 0x20, 0x00], [70, 62]);
        assert_eq!(reset_times, [3_500, 3_500, 3_500, 40_000, 40_000, 40_000, 60_000, 60_000]);
    }
}
