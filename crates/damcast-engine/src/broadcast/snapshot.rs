//! The files that are replaced as a whole: all boards of a round, each with its current game.
//!
//! | file | boards in it |
//! |---|---|
//! | `games.pdn` | all, in the order of the configuration; one that has not begun has its tags and `*` |
//! | `started.pdn` | those with a move; for readers that stop at a game without moves |
//!
//! | profile | a game with a setup |
//! |---|---|
//! | standard | shown as it was recorded |
//! | lidraughts, pydraughts | ends at its last certain move until the operator releases it: these readers drop the moves before a setup, or the setup |
//!
//! For pydraughts a game that begins with Black to move from a set-up position is left out, released or not: pydraughts reads the first
//! move of such a game twice.
//!
//! A setup before the first move is no break: it is the start, and becomes the FEN tag.
//!
//! No value of a tag blocks a file: brackets in it are written as `(` and `)`, for pydraughts quotes as `'`.
//!
//! Readers of the profile lidraughts take 64 games of a file and ignore the rest. `games.pdn` has all boards nevertheless; the outlet
//! also writes its parts, each with as many games as these readers take.
//!
//! The result is in the tag only, and is `*` until it is certain; every game ends with `*`. The writer of the file checks
//! [`Snapshot::first_problem`] first: a file that would break its readers is not published.

use std::borrow::Cow;
use std::io;

use draughts_pdn::clock::Clocks;
use draughts_pdn::fen;
use draughts_pdn::game::{Entry as PdnEntry, Game, MoveEntry, Tags, Termination};
use draughts_pdn::problem::{Level, Problem, ProblemKind};
use draughts_pdn::reader;
use draughts_pdn::writer::{self, Style};

use super::record::{GameRecord, RecordedEntry, RecordedEntryKind};
use super::{Board, Delay, PartlyVisibleGame, VisibleGame, WallTime, insertions};
use crate::livefile;
use draughts_pdn::profile::{self, ReaderProfile};

/// Comment before the moves that a board missed.
const SCORE_SHEET_COMMENT: &str = "from the score sheet";

/// Selection of the boards in a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BoardSelection {
    /// All boards.
    #[default]
    All,
    /// Boards with a move.
    Started,
}

/// A file that is replaced as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Text of the file: UTF-8 with LF.
    pub text: String,
    /// Boards whose game is not shown, or not to its last move, because of a setup.
    pub truncated_boards: Vec<String>,
    profile: ReaderProfile,
}

/// An entry of a file: a board with its visible game.
#[derive(Clone, Debug)]
pub struct SnapshotEntry<'b> {
    /// The board.
    pub board: Cow<'b, Board>,
    /// The game with its visible part.
    pub visible_game: Option<PartlyVisibleGame<'b>>,
    /// Result of a pairing without a game.
    pub result: Option<String>,
}

impl<'b> SnapshotEntry<'b> {
    /// Returns the entry of a board with its current game.
    ///
    /// # Errors
    ///
    /// Returns errors as [`super::StoredGame::load`] does.
    pub fn from_board(board: &'b Board, delay: Delay, now: WallTime) -> io::Result<SnapshotEntry<'b>> {
        let visible_game = board.visible_game(delay, now)?;
        Ok(SnapshotEntry { board: Cow::Borrowed(board), visible_game, result: None })
    }
}

/// Text of an entry in the files of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryText {
    /// Text of the game; empty if the profile leaves it out.
    text: String,
    /// Name of the board.
    board: String,
    /// Whether the game has a move.
    is_started: bool,
    /// Whether the game is not shown, or not to its last move, because of a setup.
    is_truncated: bool,
}

impl EntryText {
    /// Returns the text of an entry.
    ///
    /// # Errors
    ///
    /// Returns errors as [`super::StoredGame::load`] does.
    pub fn new(entry: &SnapshotEntry, profile: ReaderProfile) -> io::Result<EntryText> {
        let SnapshotEntry { board, visible_game, result } = entry;
        let record = visible_game.map(|visible| visible.game.load()).transpose()?;
        let shown = visible_game.zip(record.as_deref());
        let shown = shown.map(|(visible, record)| (record, visible.delay.view(record, visible.now)));
        let (mut game, is_truncated) = board_text(board, shown, profile);
        if let (Some(game), None, Some(result)) = (&mut game, shown, result) {
            game.tags.set("Result", result.as_str());
        }
        let is_started = game.as_ref().is_some_and(|game| game.moves().next().is_some());
        let text = game.map_or(String::new(), |game| writer::write(&[game], Style::Compact));
        Ok(EntryText { text, board: board.name.clone(), is_started, is_truncated })
    }

    /// Whether readers of this profile can read the text, wherever it stands in a file.
    pub fn is_readable(&self, profile: ReaderProfile) -> bool {
        // For pydraughts a game may hide those behind it, so such a file is checked as a whole.
        profile != ReaderProfile::Pydraughts && first_problem(profile, self.text.as_bytes()).is_none()
    }
}

impl Snapshot {
    /// Returns the snapshot of these entries.
    ///
    /// # Errors
    ///
    /// Returns errors as [`super::StoredGame::load`] does.
    pub fn from_entries(
        entries: &[SnapshotEntry],
        which: BoardSelection,
        profile: ReaderProfile,
    ) -> io::Result<Snapshot> {
        let texts: Vec<EntryText> =
            entries.iter().map(|entry| EntryText::new(entry, profile)).collect::<io::Result<_>>()?;
        Ok(Snapshot::from_texts(texts.iter(), which, profile))
    }

    /// Returns the snapshot of entries with these texts.
    pub fn from_texts<'t>(
        texts: impl Iterator<Item = &'t EntryText>,
        which: BoardSelection,
        profile: ReaderProfile,
    ) -> Snapshot {
        let (mut truncated_boards, mut text) = (Vec::new(), String::new());
        for entry in texts {
            if entry.is_truncated {
                truncated_boards.push(entry.board.clone());
            }
            if entry.text.is_empty() || which == BoardSelection::Started && !entry.is_started {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&entry.text);
        }
        Snapshot { text, truncated_boards, profile }
    }

    /// Returns the first problem that readers of this profile would have; a file with a problem must not be published.
    pub fn first_problem(&self) -> Option<Problem> {
        first_problem(self.profile, self.text.as_bytes())
    }
}

/// Returns the first problem that readers of this profile would have with a file. More games than they read are none: they ignore the rest.
pub fn first_problem(profile: ReaderProfile, bytes: &[u8]) -> Option<Problem> {
    let is_fault = |problem: &Problem| problem.level == Level::Error && problem.kind != Some(ProblemKind::TooManyGames);
    profile::check(profile, bytes, None).into_iter().find(is_fault)
}

/// Returns the game of a board as the profile shows it, `None` if it leaves the game out; and whether the game ends at its last certain
/// move.
fn board_text(
    board: &Board,
    shown: Option<(&GameRecord, VisibleGame<'_>)>,
    profile: ReaderProfile,
) -> (Option<Game>, bool) {
    let (mut game, is_held) = match shown {
        Some((record, view)) => game(board, record, view, profile),
        None => (empty_game(board), false),
    };
    if profile == ReaderProfile::Pydraughts {
        without_quotes(&mut game.tags);
    }
    let is_left_out = profile == ReaderProfile::Pydraughts && begins_with_black(&game);
    ((!is_left_out).then_some(game), is_held || is_left_out)
}

/// Replaces quotes for readers that end a value at its first quote.
fn without_quotes(tags: &mut Tags) {
    let quoted = tags.iter().filter(|tag| tag.value.contains('"'));
    let others: Vec<(String, String)> = quoted.map(|tag| (tag.name.clone(), tag.value.replace('"', "'"))).collect();
    others.into_iter().for_each(|(name, value)| drop(tags.set(&name, value)));
}

fn empty_game(board: &Board) -> Game {
    let mut tags = board.tags_of(None);
    tags.set("Result", "*");
    Game { tags, entries: Vec::new(), end: Termination::Star }
}

/// Returns a game in the form of a profile, and whether it is truncated.
fn game(board: &Board, record: &GameRecord, view: VisibleGame<'_>, profile: ReaderProfile) -> (Game, bool) {
    let mut tags = board.tags_of(Some(record));
    let takes_setups = profile == ReaderProfile::Standard || record.is_released();
    let complete = insertions::visible_entries(record, view);
    let mut shown = 0..complete.len();
    if !takes_setups {
        let first_ply = complete.iter().position(RecordedEntry::is_ply).unwrap_or(complete.len());
        if let Some(RecordedEntryKind::Setup(start)) = first_ply.checked_sub(1).map(|before| &complete[before].kind) {
            tags.set("FEN", fen::write(record.variant(), &start.setup()));
            shown.start = first_ply;
        }
        let breaks = complete[shown.start..].iter().position(|entry| !entry.is_ply());
        shown.end = breaks.map_or(shown.end, |sure| shown.start + sure);
    }
    let is_held = shown.end < complete.len() || shown.is_empty() && !complete.is_empty();
    view.apply_corrections(&mut tags);
    tags.set("Result", view.visible_result().unwrap_or("*"));
    let written = record.to_file_entries(&complete).skip(shown.start).take(shown.len());
    let mut entries = movetext(written);
    // A truncated game has no last move that they could follow.
    if !is_held {
        entries.extend(with_score_sheet_comment(view.score_sheet_moves()));
    }
    (Game { tags, entries, end: Termination::Star }, is_held)
}

/// Returns the entries of a game in the form that all known readers accept.
pub(super) fn movetext(entries: impl Iterator<Item = livefile::Entry>) -> Vec<PdnEntry> {
    let mut movetext = Vec::new();
    for livefile::Entry { number, kind: step, clocks } in entries {
        movetext.push(match step {
            livefile::EntryKind::Ply { .. } => PdnEntry::Move(MoveEntry { number, ..MoveEntry::new(step.text()) }),
            livefile::EntryKind::Setup(_) => PdnEntry::Setup(step.text()),
        });
        movetext.extend(clocks.as_ref().map(Clocks::to_string).map(PdnEntry::Comment));
    }
    movetext
}

/// Returns the moves that a board missed, after a comment that names their source.
pub(super) fn with_score_sheet_comment(moves: &str) -> Vec<PdnEntry> {
    if moves.is_empty() {
        return Vec::new();
    }
    let mark = PdnEntry::Comment(SCORE_SHEET_COMMENT.to_owned());
    std::iter::once(mark).chain(reader::read(moves).0.into_iter().flat_map(|game| game.entries)).collect()
}

/// Whether the FEN tag gives a position with Black to move, or with an unknown side to move.
fn begins_with_black(game: &Game) -> bool {
    game.tags.get("FEN").is_some_and(|fen| !fen.starts_with('W'))
}

#[cfg(test)]
mod tests {
    use super::super::record::GameChange;
    use super::super::record::tests::{changes, moment};
    use super::super::{Correction, archive};
    use super::*;
    use draughts::Variant;

    fn board(name: &str) -> Board {
        let white = ("White".to_owned(), format!("White of {name}"));
        let event = ("Event".to_owned(), "NK [open]".to_owned());
        Board::new(name, Variant::international(), vec![event, white])
    }

    fn play(board: &mut Board, lines: &[&str]) {
        let opens = board.games.last().is_none_or(|game| game.closed_at().is_some());
        let mut at = board.games.len() as u32 * 100;
        let date = ("Date".to_owned(), "2026.11.21".to_owned());
        let tags: Vec<(String, String)> = board.tags.iter().cloned().chain([date]).collect();
        let tags: Vec<(&str, &str)> = tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let (opening, changes) = changes(board.games.len() as u32 + 1, &tags, lines);
        if opens {
            board.apply(moment(at), GameChange::Opened(opening));
        }
        for change in changes {
            at += 1;
            board.apply(moment(at), change);
        }
    }

    fn unchecked_snapshot(boards: &[Board], which: BoardSelection, profile: ReaderProfile) -> Snapshot {
        let entry = |board| SnapshotEntry::from_board(board, Delay::NO_DELAY, moment(999)).unwrap();
        let entries: Vec<SnapshotEntry> = boards.iter().map(entry).collect();
        let snapshot = Snapshot::from_entries(&entries, which, profile).unwrap();
        let mut texts = entries.iter().map(|entry| EntryText::new(entry, profile).unwrap());
        if profile != ReaderProfile::Pydraughts && which == BoardSelection::All {
            let is_readable = texts.all(|text| text.is_readable(profile));
            assert_eq!(
                is_readable,
                snapshot.first_problem().is_none(),
                "each alone as all together: {}",
                snapshot.text
            );
        }
        snapshot
    }

    fn snapshot(boards: &[Board], which: BoardSelection, profile: ReaderProfile) -> Snapshot {
        let snapshot = unchecked_snapshot(boards, which, profile);
        assert_eq!(snapshot.first_problem(), None, "{}", snapshot.text);
        snapshot
    }

    const SETUP: &str = "/FEN \"B:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,24\"/";

    #[test]
    fn lists_all_boards_in_order() {
        let mut boards = [board("a"), board("b"), board("c")];
        play(&mut boards[1], &["1. 32-28 {[%clock w0:29:55 B0:30:00]}", "19-23"]);
        boards[1].apply(moment(50), GameChange::Ended(Some("2-0".into())));
        play(&mut boards[2], &["1. 31-27"]);
        let expected = "[Event \"NK (open)\"]\n[White \"White of a\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n\n\
            [Event \"NK (open)\"]\n[Date \"2026.11.21\"]\n[White \"White of b\"]\n[GameType \"20\"]\n[Result \"2-0\"]\n\n\
            1. 32-28 {[%clock w0:29:55 B0:30:00]} 19-23 *\n\n\
            [Event \"NK (open)\"]\n[Date \"2026.11.21\"]\n[White \"White of c\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n1. 31-27 *\n";
        assert_eq!(snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts).text, expected);
        let started = snapshot(&boards, BoardSelection::Started, ReaderProfile::Pydraughts).text;
        assert_eq!(started.matches("[Event").count(), 2);
    }

    #[test]
    fn more_games_than_lidraughts_reads_are_no_problem() {
        let mut boards: Vec<Board> = (0..65).map(|index| board(&format!("b{index}"))).collect();
        play(&mut boards[64], &["1. 32-28"]);
        assert_eq!(
            snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts).text.matches("[Event").count(),
            65
        );
        // A problem behind the games that are read is one for the readers of the part.
        play(&mut boards[64], &[SETUP, "2... 24-30"]);
        boards[64].apply(moment(60), GameChange::Released);
        let released = unchecked_snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts);
        assert!(released.first_problem().is_some(), "{}", released.text);
    }

    #[test]
    fn holds_game_with_setup_until_release() {
        let mut boards = [board("a")];
        play(&mut boards[0], &["1. 32-28", "19-24", SETUP, "2... 24-30", "3. 35x24"]);
        let standard = snapshot(&boards, BoardSelection::All, ReaderProfile::Standard);
        assert!(standard.text.contains("/FEN") && standard.truncated_boards.is_empty(), "{}", standard.text);
        let held = snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts);
        assert!(held.text.ends_with("\n\n1. 32-28 19-24 *\n"), "{}", held.text);
        assert_eq!(held.truncated_boards, ["a"]);
        boards[0].apply(moment(60), GameChange::Released);
        let released = unchecked_snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts);
        assert!(released.text.contains("/FEN") && released.truncated_boards.is_empty());
    }

    #[test]
    fn setup_before_first_move_is_start() {
        let mut boards = [board("a")];
        play(&mut boards[0], &["/FEN \"W:W31-50:B1-20\"/", SETUP, "1... 24-30", "2. 35x24"]);
        let text = snapshot(&boards, BoardSelection::All, ReaderProfile::Lidraughts).text;
        assert!(text.contains("[FEN \"B:W28,31,33,"), "{text}");
        assert!(text.ends_with("\n\n1... 24-30 2. 35x24 *\n"), "{text}");
    }

    #[test]
    fn pydraughts_omits_game_with_black_to_move_first() {
        let mut boards = [board("a"), board("b")];
        play(&mut boards[0], &[SETUP, "1... 24-30", "2. 35x24"]);
        play(&mut boards[1], &["1. 32-28", "19-23"]);
        let shown = snapshot(&boards, BoardSelection::Started, ReaderProfile::Pydraughts);
        assert!(!shown.text.contains("24-30") && shown.text.contains("32-28"), "{}", shown.text);
        assert_eq!(shown.truncated_boards, ["a"]);
        let shown = snapshot(&boards, BoardSelection::Started, ReaderProfile::Lidraughts);
        assert!(shown.text.contains("24-30") && shown.truncated_boards.is_empty(), "{}", shown.text);
    }

    #[test]
    fn shows_last_game_until_next_has_move() {
        let mut boards = [board("a")];
        play(&mut boards[0], &["1. 32-28", "*"]);
        play(&mut boards[0], &[]);
        assert!(snapshot(&boards, BoardSelection::All, ReaderProfile::Standard).text.contains("32-28"));
        play(&mut boards[0], &["1. 31-27"]);
        let text = snapshot(&boards, BoardSelection::All, ReaderProfile::Standard).text;
        assert!(text.contains("31-27") && !text.contains("32-28"), "{text}");
    }

    #[test]
    fn tag_values_never_block_file() {
        let long = "x".repeat(10_000);
        for name in [
            "Bad \"]\" Name",
            "A]",
            "[A",
            "[White \"B\"]",
            "B\"q",
            "\"",
            "B\\",
            "\\\"",
            "{A}",
            "}",
            "; A",
            "% A",
            "A\n%B\r\n\n1. 32-28 *",
            "\u{85}A\u{2028}B\u{2029}",
            "\u{202e}A\u{200f}",
            "<script>",
            "'",
            "*",
            "/FEN",
            "(A)",
            "$1",
            &long,
        ] {
            let mut boards = [board("a"), board("b")];
            boards[1].tags.push(("Black".to_owned(), name.to_owned()));
            play(&mut boards[0], &["1. 32-28", "19-23", "*"]);
            for (tag, at) in ["White", "BlackTitle", "Event"].into_iter().zip(10..) {
                let correction = Correction { at: moment(at), tag: tag.to_owned(), value: name.to_owned() };
                let corrected = boards[0].games[0].corrections().iter().cloned().chain([correction]).collect();
                boards[0].games[0].set_corrections(corrected);
            }
            for profile in [ReaderProfile::Standard, ReaderProfile::Lidraughts, ReaderProfile::Pydraughts] {
                let text = snapshot(&boards, BoardSelection::All, profile).text;
                assert_eq!(reader::read(&text).0.len(), 2, "{name:?}: {text}");
            }
            let game = &*boards[0].games[0].load().unwrap();
            let text = archive::archive_text(&boards[0], game, Delay::NO_DELAY.view(game, moment(99)));
            let problems = profile::check(ReaderProfile::Standard, text.as_bytes(), None);
            assert!(problems.iter().all(|problem| problem.level != Level::Error), "{name:?}: {problems:?}");
        }
    }
}
