//! Games as they were published, where the logs of a line lost them.
//!
//! A line is published after its log is durable, so a log that lacks or contradicts a live file was damaged. The live file is the second
//! copy then:
//!
//! | the live file | the logs | the game |
//! |---|---|---|
//! | equals the game of the logs, or is its beginning | any | is that of the logs |
//! | has other moves, more moves, or a later number than all games of the logs | in doubt | is that of the live file, and stands still |
//! | has the game of the logs and more moves, or a later number | not in doubt | has the moves that an order of events proves, and stands still |
//! | is another | not in doubt | is that of the logs: another program changed the file |
//!
//! A live file counts if it is exactly as a station writes it: each move is legal, and each byte is the only one possible.
//!
//! The logs of a chain are in doubt if one of them is damaged, missing, or not as the next one says. They are read for that only where a live
//! file differs. A start writes `# in-doubt: yes` into the next log if its writing hides what was found.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, FixedOffset, Local};
use damcast_engine::broadcast::events::{Stream, StreamKey};
use damcast_engine::bytelog::{Header, LogInput, LogProblem, LogSummary, Mode};
use damcast_engine::livefile::LiveFileContents;
use damcast_engine::playback::{self, PlayedGame};
use damcast_engine::session::{BusAddress, LineSettings};

use super::order::{EventOrder, is_order_file};
use crate::disk::Disk;
use crate::journal::chain::{Digest, PreviousLog};
use crate::journal::witness::Witnesses;
use crate::live_files::file_prefix;

/// Key in a log's head: a log before it was damaged.
pub const KEY_IN_DOUBT: &str = "in-doubt";

/// Description of a game that stands still, with the remedy.
pub const STANDING: &str = "the logs lost a part of this game, so it stands still as it was published; recording goes on, and the next game \
                            is shown again (put a copy of the log there that `damcast fsck` names, and start the station again)";

/// Returns the damage of a log that was read, if it hides records that were published.
pub fn damage(summary: &LogSummary) -> Option<String> {
    // A cut into the header may have removed records; of a log that had none, nothing was published.
    let is_loss = |problem: &&LogProblem| {
        matches!(problem, LogProblem::BytesLost { .. } | LogProblem::HeaderChanged | LogProblem::HeaderTorn)
    };
    let lost = summary.problems.iter().find(is_loss).map(ToString::to_string);
    summary.damage.as_ref().map(ToString::to_string).or(lost)
}

/// Replaces the settings in changed heads by those of the next log of the chain, otherwise by those of `known`, the head that the
/// configuration gives.
pub fn mend_heads(logs: &mut [LogInput<'_>], known: Option<&Header>) {
    for index in (0..logs.len()).rev() {
        let next = logs.get(index + 1).map(|log| &log.header).filter(|next| next.continues() == Some(true));
        let Some(right) = next.or(known).cloned() else { continue };
        let Some(log) = logs.get_mut(index).filter(|log| log.header.is_changed) else { continue };
        let own = &mut log.header;
        let mut boards = right.boards;
        for (address, board) in &mut boards {
            board.other = own.boards.remove(address).unwrap_or_default().other;
        }
        let Header { line, game_type, mode, tags, settings, .. } = right;
        *own = Header { line, game_type, mode, tags, settings, boards, ..std::mem::take(own) };
    }
}

/// Whether the logs of a chain are in doubt. `after`: the log that begins the next chain.
fn is_in_doubt<'d>(chain: &[LogInput<'d>], after: Option<&LogInput<'d>>) -> io::Result<bool> {
    if chain.first().is_some_and(|first| first.header.continues() == Some(true)) {
        return Ok(true);
    }
    let flagged = |log: &LogInput<'d>| log.header.get(KEY_IN_DOUBT).is_some();
    if chain.iter().skip(1).chain(after).any(flagged) {
        return Ok(true);
    }
    let nexts = chain.iter().skip(1).chain(after).map(Some).chain([None]);
    for (log, next) in chain.iter().zip(nexts) {
        let is_damaged = match next.and_then(|next| PreviousLog::of(&next.header)) {
            Some(claim) => is_other(log, &claim)?,
            None => damage(&log.records()?.into_summary()?).is_some(),
        };
        if is_damaged {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a log is not as the next log says.
fn is_other(log: &LogInput<'_>, claim: &PreviousLog) -> io::Result<bool> {
    if number(&log.name).is_some_and(|number| number != claim.number) {
        return Ok(true);
    }
    let mut source = log.source()?;
    match Digest::compute(|piece| source.read(piece)) {
        Ok(found) => Ok(claim.content != found),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns the number in the name of a log.
fn number(name: &str) -> Option<u32> {
    let name = Path::new(name).file_name()?.to_str()?;
    name.split(".log").next()?.rsplit_once('-')?.1.parse().ok()
}

/// A game that stands still.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandingGame {
    /// Stem of the names of the board's files.
    pub prefix: String,
    /// Number of the game.
    pub number: u32,
}

impl StandingGame {
    /// Returns the name of its live file.
    pub fn file(&self) -> PathBuf {
        Path::new("live").join(format!("{}-{}.pdn", self.prefix, self.number))
    }
}

/// Folders that have what was published.
#[derive(Clone, Copy)]
pub struct PublishedFolders<'l> {
    /// The disk.
    pub disk: &'l dyn Disk,
    /// Folder of the orders of events.
    pub log: &'l Path,
    /// Folder of the live files.
    pub live: &'l Path,
}

/// Games of a board in the logs.
#[derive(Default)]
struct BoardGames {
    /// Name in the settings.
    name: Option<String>,
    /// Number of games before the first log.
    before: u32,
    /// Numbers of the games in the logs.
    known: BTreeSet<u32>,
}

/// The games of a line, settled one after the other.
pub struct PublishedGames<'l, 'd> {
    folders: PublishedFolders<'l>,
    line: &'l str,
    /// Logs in the order of their opening.
    logs: Vec<LogInput<'d>>,
    /// Whether logs are missing, unreadable or not in their order.
    pub is_incomplete: bool,
    /// Whether each chain is in doubt, as far as it was needed.
    doubts: BTreeMap<usize, bool>,
    /// Time at which the reading of the logs began.
    began: SystemTime,
    /// Number of events of each game in the orders.
    events: OnceCell<BTreeMap<StreamKey, u64>>,
    boards: BTreeMap<Option<BusAddress>, BoardGames>,
    /// Games that stand still.
    pub standing: Vec<StandingGame>,
}

impl<'l, 'd> PublishedGames<'l, 'd> {
    /// Returns the games of a line, whose logs are given in the order of their numbers.
    pub fn new(folders: PublishedFolders<'l>, line: &'l str, logs: &[LogInput<'d>]) -> PublishedGames<'l, 'd> {
        let mut logs = logs.to_vec();
        let is_incomplete =
            !logs.is_sorted_by_key(|log| log.header.opened) || logs.iter().any(|log| log.header.is_changed);
        logs.sort_by_key(|log| log.header.opened);
        let first = logs.first().map(|log| &log.header);
        let boards = first.map(boards).unwrap_or_default();
        PublishedGames {
            folders,
            line,
            logs,
            is_incomplete,
            doubts: BTreeMap::new(),
            began: SystemTime::now(),
            events: OnceCell::new(),
            boards,
            standing: Vec::new(),
        }
    }

    /// Starts again without the logs, because they have no clear order.
    pub fn give_up_logs(&mut self) {
        self.boards = self.logs.first().map(|log| boards(&log.header)).unwrap_or_default();
        self.is_incomplete = true;
        self.standing.clear();
    }

    /// Returns a game of the logs as it was published.
    pub fn settle(&mut self, game: PlayedGame) -> PlayedGame {
        let prefix = file_prefix(self.line, game.board, game.name.as_deref());
        let found = self.read(&prefix, game.number()).filter(|(file, _)| !agrees(&game.file, file));
        let believed = match found {
            Some((file, at)) if self.doubts_chain(game.chain) => Some((file, at)),
            Some((file, at)) if goes_on(&game.file, &file) => {
                let proved = self.proved(&prefix, file).filter(|file| !agrees(&game.file, file));
                proved.map(|file| (file, at))
            }
            _ => None,
        };
        let settled = match believed {
            Some((file, written)) => {
                self.standing.push(StandingGame { prefix, number: game.number() });
                game.as_published(file, written)
            }
            None => game,
        };
        let board = self.boards.entry(settled.board).or_default();
        board.name.clone_from(&settled.name);
        board.known.insert(settled.number());
        settled
    }

    /// Returns the games that have a live file, but none in the logs.
    pub fn missing(&mut self) -> Vec<PlayedGame> {
        let mut missing = Vec::new();
        let last_chain = playback::split_chains(&self.logs, None).len().saturating_sub(1);
        for (board, BoardGames { name, before, known }) in std::mem::take(&mut self.boards) {
            let prefix = file_prefix(self.line, board, name.as_deref());
            for number in (before.saturating_add(1)..).filter(|number| !known.contains(number)) {
                let is_last = known.last().is_none_or(|last| number > *last);
                let believed = match self.read(&prefix, number) {
                    Some((file, written)) if self.doubts_chain(last_chain) => Some((file, written)),
                    Some((file, written)) if is_last => self.proved(&prefix, file).map(|file| (file, written)),
                    _ => None,
                };
                match believed {
                    Some((file, written)) => {
                        self.standing.push(StandingGame { prefix: prefix.clone(), number });
                        let mut game = PlayedGame::published(board, file, written);
                        game.name.clone_from(&name);
                        missing.push(game);
                    }
                    None if is_last => break,
                    None => {}
                }
            }
        }
        missing
    }

    /// Whether the logs of a chain are in doubt. Logs that cannot be read are.
    fn doubts_chain(&mut self, index: usize) -> bool {
        let chains = playback::split_chains(&self.logs, None);
        let doubt = || {
            let after = chains.get(index + 1).and_then(|next| next.first());
            chains.get(index).is_some_and(|chain| is_in_doubt(chain, after).unwrap_or(true))
        };
        self.is_incomplete || *self.doubts.entry(index).or_insert_with(doubt)
    }

    /// Returns the part of a live file that the orders of events prove; `None` if they do not know the game.
    fn proved(&self, prefix: &str, mut file: LiveFileContents) -> Option<LiveFileContents> {
        let events = self.events.get_or_init(|| events(self.folders).unwrap_or_default());
        // The first event is the opening, and the last one may be the end.
        let known = events.get(&(prefix.to_owned(), file.header.game, Stream::Game))?.saturating_sub(1);
        let known = usize::try_from(known).unwrap_or(usize::MAX);
        if known <= file.entries.len() {
            file.entries.truncate(known);
            (file.is_ended, file.result) = (false, None);
        }
        Some(file).filter(|file| !file.entries.is_empty())
    }

    /// Returns the content of a live file and the time of its last line, if a station wrote each of its whole lines.
    fn read(&self, prefix: &str, number: u32) -> Option<(LiveFileContents, DateTime<FixedOffset>)> {
        let path = self.folders.live.join(format!("{prefix}-{number}.pdn"));
        let mut bytes = Vec::new();
        self.folders.disk.reader(&path, 0).ok()?.read_to_end(&mut bytes).ok()?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n')? + 1;
        let file = LiveFileContents::parse(number, std::str::from_utf8(&bytes[..end]).ok()?)?;
        let is_ours = file.bytes() == bytes[..end] && !file.entries.is_empty();
        let (modified, now) = (path.metadata().and_then(|metadata| metadata.modified()).ok(), SystemTime::now());
        // A running station may have written what its log did not have yet when it was read.
        let is_running = modified.is_some_and(|modified| (self.began..=now).contains(&modified));
        let written = DateTime::<Local>::from(modified.unwrap_or(now)).fixed_offset();
        (is_ours && !is_running).then_some((file, written))
    }
}

/// Returns the boards of a line, whose first log has this head.
fn boards(first: &Header) -> BTreeMap<Option<BusAddress>, BoardGames> {
    let mut boards = BTreeMap::new();
    let Ok((settings, _)) = LineSettings::from_header(first, None) else { return boards };
    // A log that goes on counts the games of the missing one as games before.
    let before = |games_before| if first.continues() == Some(true) { 0 } else { games_before };
    let games = |name, before| BoardGames { name, before, known: BTreeSet::new() };
    if first.mode != Some(Mode::Bus) {
        boards.insert(None, games(None, before(settings.games_before)));
    }
    for (address, board) in &settings.boards {
        boards.insert(Some(*address), games(board.name.clone(), before(board.games_before)));
    }
    boards
}

/// Whether a live file equals the game of the logs, or is its beginning.
fn agrees(logged: &LiveFileContents, found: &LiveFileContents) -> bool {
    let is_result_known = found.result.is_none() || found.result == logged.result;
    is_result_known
        && (logged.bytes().starts_with(&found.bytes()) || logged.body_bytes().starts_with(&found.body_bytes()))
}

/// Whether a live file has the game of the logs, which is not over, and more.
fn goes_on(logged: &LiveFileContents, found: &LiveFileContents) -> bool {
    !logged.is_ended && logged.header.tags == found.header.tags && found.entries.starts_with(&logged.entries)
}

/// Returns the number of events of each game in the orders of a folder.
fn events(PublishedFolders { disk, log, .. }: PublishedFolders<'_>) -> io::Result<BTreeMap<StreamKey, u64>> {
    let mut events = BTreeMap::new();
    for name in disk.list(log)?.into_iter().filter(|name| is_order_file(name)) {
        let order = disk.reader(&log.join(&name), 0)?;
        let Some(mut order) = EventOrder::read("", order, Box::new(io::empty()), &Witnesses::default())? else {
            continue;
        };
        while order.next_event()?.is_some() {}
        for (stream, count) in order.written {
            let most = events.entry(stream).or_insert(0);
            *most = count.max(*most);
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use damcast_engine::broadcast::events::{EventId, Generation};
    use tempfile::TempDir;

    use super::*;
    use crate::disk::RealDisk;
    use crate::outlets::order::{first_record, order_file, record};

    const WHOLE: &str =
        "# damcast byte log 1\n# line: a\n# opened: 2026-11-21T09:00:00Z\n# continues: no\n0 = up\n1 .\n";

    fn file(moves: &[&str]) -> LiveFileContents {
        let mut text = "[Result \"*\"]\n\n\n\n".to_owned();
        for (index, ply) in moves.iter().enumerate() {
            text += &if index % 2 == 0 { format!("{}. {ply}\n", index / 2 + 1) } else { format!("{ply}\n") };
        }
        LiveFileContents::parse(1, &text).unwrap()
    }

    /// Returns a folder with this live file, and the order of the first events of its game.
    fn folder(live: &str, events: u64) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.pdn");
        fs::write(&path, live).unwrap();
        fs::File::open(path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let (mut order, mut sum) = first_record(&Generation { id: "0f".into(), station: "s".into(), names: 0 });
        for n in 1..=events {
            let event = EventId { board: "a".into(), game: 1, stream: Stream::Game, n };
            let (text, next) = record(n, &event, Some(7), sum);
            (order, sum) = (order + &text, next);
        }
        fs::write(folder.path().join(order_file("hall")), order).unwrap();
        folder
    }

    /// Returns the moves of a game, and whether it stands still.
    fn settled(folder: &TempDir, log: &str, logged: Option<LiveFileContents>) -> Option<(usize, bool)> {
        let logs = [LogInput::from_text("a-1.log".to_owned(), log.as_bytes())];
        let folders = PublishedFolders { disk: &RealDisk, log: folder.path(), live: folder.path() };
        let mut games = PublishedGames::new(folders, "a", &logs);
        let game = match logged {
            Some(logged) => Some(games.settle(PlayedGame::new(logged))),
            None => games.missing().pop(),
        };
        game.map(|game| (game.file.entries.len(), game.is_standing))
    }

    #[test]
    fn typed_line_is_believed_only_if_published() {
        let live = file(&["32-28", "19-23", "28x19", "14x23"]);
        let text = String::from_utf8(live.bytes()).unwrap();
        let logged = || Some(file(&["32-28", "19-23"]));
        assert_eq!(settled(&folder(&text, 3), WHOLE, logged()), Some((2, false)), "typed");
        assert_eq!(settled(&folder(&text, 4), WHOLE, logged()), Some((3, true)), "one published, one typed");
        assert_eq!(settled(&folder(&text, 5), WHOLE, logged()), Some((4, true)), "published");
        assert_eq!(settled(&folder(&text, 0), &WHOLE.replace("= up", "= x"), logged()), Some((4, true)), "damaged log");
        assert_eq!(settled(&folder(&text, 5), WHOLE, Some(live)), Some((4, false)), "the same");
        let another = Some(file(&["32-28", "18-23"]));
        assert_eq!(settled(&folder(&text, 5), WHOLE, another.clone()), Some((2, false)), "changed by hand");
        assert_eq!(settled(&folder(&text, 0), &WHOLE.replace("= up", "= x"), another), Some((4, true)), "damaged log");
    }

    #[test]
    fn changed_head_gets_settings_of_next_log() {
        let log = |continues: &str, white: &str, is_changed| {
            let text = format!("# continues: {continues}\n# games-before: 4\n# tag-White: {white}\n0 = up\n");
            let mut log = LogInput::from_text("a-1.log".to_owned(), text.into_bytes());
            log.header.is_changed = is_changed;
            log
        };
        let known = Header { tags: vec![("White".to_owned(), "Configured".to_owned())], ..Header::default() };
        let mended = |mut logs: Vec<LogInput<'_>>| {
            mend_heads(&mut logs, Some(&known));
            assert!(logs.iter().all(|log| log.header.get("games-before") == Some("4")));
            logs.into_iter().map(|log| log.header.tags[0].1.clone()).collect::<Vec<_>>()
        };
        assert_eq!(mended(vec![log("no", "A", false), log("yes", "B", false)]), ["A", "B"]);
        assert_eq!(mended(vec![log("no", "X", true), log("yes", "B", false)]), ["B", "B"]);
        assert_eq!(mended(vec![log("no", "X", true), log("no", "B", false)]), ["Configured", "B"]);
        assert_eq!(mended(vec![log("no", "X", true)]), ["Configured"]);
    }

    #[test]
    fn game_without_logs_stands_if_published() {
        let text = String::from_utf8(file(&["32-28", "19-23"]).bytes()).unwrap();
        assert_eq!(settled(&folder(&text, 0), WHOLE, None), None, "a copy of a file");
        assert_eq!(settled(&folder(&text, 2), WHOLE, None), Some((1, true)), "the first move was published");
        let flagged = WHOLE.replace("continues: no", "continues: yes");
        assert_eq!(settled(&folder(&text, 0), &flagged, None), Some((2, true)), "the first log is missing");
        assert_eq!(settled(&folder(&text.replace("19-23", "19-24x"), 9), &flagged, None), None, "no legal move");
    }
}
