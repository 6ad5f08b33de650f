//! The archive file of a finished game: everything in its live file, and the tags that are known at the end only.
//!
//! | tag | value |
//! |---|---|
//! | WhiteTime, BlackTime | the time used, from the last clock and the time control; left out if either is not known |
//! | PlyCount | recorded plies, if no setup interrupts them, and plies added from the score sheet |
//! | Termination | `normal`, or `unterminated` without a result |
//! | Result | last, as in all files |
//!
//! Source: PDN 3.0, chapter "PDN Tags": PlyCount, Termination (as in PGN), section "WhiteTime/BlackTime Tag".

use draughts::Color;
use draughts_pdn::game::{Entry, Game, Tags, Termination};
use draughts_pdn::time_control::{Period, TimeControl};
use draughts_pdn::writer::{self, Style};

use super::record::{GameRecord, RecordedEntry};
use super::{Board, VisibleGame};
use super::{insertions, snapshot};

/// Returns the text of the archive file of a finished game, with the visible part of its result and corrections.
pub fn archive_text(board: &Board, game: &GameRecord, view: VisibleGame<'_>) -> String {
    let mut tags = board.tags_of(Some(game));
    view.apply_corrections(&mut tags);
    let result = view.visible_result().unwrap_or("*");
    for (name, color) in [("WhiteTime", Color::White), ("BlackTime", Color::Black)] {
        if let Some(seconds) = time_used(&tags, game, color) {
            tags.set(name, format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
        }
    }
    let missed = snapshot::with_score_sheet_comment(view.score_sheet_moves());
    let recorded = insertions::all_entries(game);
    if recorded.iter().all(RecordedEntry::is_ply) {
        let missed = missed.iter().filter(|entry| matches!(entry, Entry::Move(_)));
        tags.set("PlyCount", (recorded.len() + missed.count()).to_string());
    }
    tags.set("Termination", if result == "*" { "unterminated" } else { "normal" });
    tags.set("Result", result);
    let mut entries = snapshot::movetext(game.to_file_entries(&recorded));
    entries.extend(missed);
    writer::write(&[Game { tags, entries, end: Termination::Star }], Style::Compact)
}

/// Returns an archive text in its form without a result.
pub fn before_result(text: &str) -> String {
    let before = |line: &str| match line.split_once(" \"") {
        Some(("[Result", _)) => "[Result \"*\"]\n".to_owned(),
        Some(("[Termination", _)) => "[Termination \"unterminated\"]\n".to_owned(),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(before).collect()
}

/// Returns the time a player used, in seconds: the time control's allowance for their moves, minus the time left on their clock.
fn time_used(tags: &Tags, game: &GameRecord, color: Color) -> Option<u32> {
    let own = if color == Color::White { "TimeControlWhite" } else { "TimeControlBlack" };
    let control: TimeControl = tags.get(own).or(tags.get("TimeControl"))?.parse().ok()?;
    let clocks = insertions::all_entries(game).iter().rev().find_map(|entry| entry.clocks)?;
    let left = if color == Color::White { clocks.white } else { clocks.black }?;
    let allowance = total_allowance(&control, moves_of(tags, game, color)?)?;
    allowance.checked_sub(left.0)
}

/// Returns the number of moves of a side; `None` if a setup hides it.
fn moves_of(tags: &Tags, game: &GameRecord, color: Color) -> Option<u32> {
    let mut plies = 0;
    for entry in insertions::all_entries(game).iter() {
        if !entry.is_ply() {
            return None;
        }
        plies += 1;
    }
    let white_first = match tags.get("FEN") {
        Some(fen) => fen.starts_with(['W', 'w']),
        None => game.tag("GameType").is_none_or(|value| starts(value) == Some(Color::White)),
    };
    let first = plies / 2 + plies % 2;
    Some(if white_first == (color == Color::White) { first } else { plies / 2 })
}

fn starts(game_type: &str) -> Option<Color> {
    draughts::Variant::from_tag(game_type).ok().map(|variant| variant.game_type.starter())
}

/// Returns the time that a time control allows for `moves` moves of a side, in seconds.
fn total_allowance(control: &TimeControl, moves: u32) -> Option<u32> {
    let TimeControl::Periods(periods) = control else { return None };
    let (mut allowance, mut left) = (0_u32, moves);
    for period in periods {
        match *period {
            Period::Moves { moves, seconds } => {
                allowance = allowance.checked_add(seconds)?;
                if left < moves {
                    return Some(allowance);
                }
                left -= moves;
            }
            Period::SuddenDeath { seconds } => return allowance.checked_add(seconds),
            Period::Increment { seconds, increment } => {
                return allowance.checked_add(seconds)?.checked_add(left.checked_mul(increment)?);
            }
            // Time used by one side is added to the other: the clock alone does not show it.
            Period::Hourglass { .. } => return None,
        }
    }
    Some(allowance)
}

#[cfg(test)]
mod tests {
    use super::super::Delay;
    use super::super::record::GameChange;
    use super::super::record::tests::{game, moment};
    use super::*;
    use draughts::Variant;
    use draughts_pdn::profile::{self, ReaderProfile};

    fn check(tags: &[(&str, &str)], lines: &[&str], expected: &str) {
        let board = Board::new("a", Variant::international(), Vec::new());
        let mut game = game(&[tags, &[("Date", "2026.11.21")]].concat(), lines);
        game.apply(moment(60), GameChange::Ended(Some("1-1".into())));
        let text = archive_text(&board, &game, Delay::NO_DELAY.view(&game, game.last_change_at()));
        assert_eq!(text, expected);
        assert_eq!(profile::check(ReaderProfile::Standard, text.as_bytes(), None), []);
    }

    #[test]
    fn ended_game_gets_final_tags() {
        check(
            &[("TimeControl", "4800+60")],
            &["1. 32-28 {[%clock w1:19:50 B1:20:00]}", "19-23 {[%clock W1:20:50 b1:19:00]}", "2. 28x19"],
            "[Date \"2026.11.21\"]\n[GameType \"20\"]\n[TimeControl \"4800+60\"]\n[WhiteTime \"0:01:10\"]\n\
             [BlackTime \"0:02:00\"]\n[PlyCount \"3\"]\n[Termination \"normal\"]\n[Result \"1-1\"]\n\n\
             1. 32-28 {[%clock w1:19:50 B1:20:00]} 19-23 {[%clock W1:20:50 b1:19:00]}\n2. 28x19 *\n",
        );
    }

    #[test]
    fn omits_unknown_values() {
        check(
            &[],
            &["1. 32-28 {[%clock w1:19:50 B1:20:00]}"],
            "[Date \"2026.11.21\"]\n[GameType \"20\"]\n[PlyCount \"1\"]\n[Termination \"normal\"]\n[Result \"1-1\"]\n\n\
             1. 32-28 {[%clock w1:19:50 B1:20:00]} *\n",
        );
    }

    #[test]
    fn splits_time_by_periods() {
        let allowance = |control: &str, moves| total_allowance(&control.parse().unwrap(), moves);
        assert_eq!(allowance("40/7200:3600", 39), Some(7200));
        assert_eq!(allowance("40/7200:3600", 40), Some(10_800));
        assert_eq!(allowance("40/7200:3600+60", 42), Some(10_920));
        assert_eq!(allowance("4800+60", 10), Some(5400));
        assert_eq!(allowance("*120", 3), None);
        assert_eq!(allowance("?", 3), None);
    }
}
