//! The live files: one for each game, growing line by line while broadcasters read it.
//!
//! | event | on disk |
//! |---|---|
//! | a game opens | `live/NAME-G.pdn` is created, `live/NAME-ADDRESS-G.pdn` for a board of a bus; a file of that name that exists is left alone |
//! | a line | one write at the end: text and LF |
//! | the station starts | the files of the games so far are brought up to their logs; one that cannot be written now waits for it |
//! | a result | the Result tag is overwritten in place, at equal length, once the lines before are durable |
//! | somebody has replaced, removed or continued it | it is left to him; the whole game goes on in the next file that is free |
//! | somebody has cut it | it is completed |
//!
//! What the disk does not take waits, in order, and follows when the fault is over: a line that was cut short is completed.
//! Nothing here is synced but the lines before a result: a live file is made of its log, and after a loss of power it is
//! completed from there.
//!
//! Invariants: what was written stays as it is, the Result tag excepted; a file keeps its inode and never gets shorter. How
//! a file and its log are brought together after a crash stands in [`reconcile`].

mod line_files;
mod live_file;
pub mod reconcile;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::livefile::{self, Entry, LiveFileContents};
use crate::engine::session::Effect;
use crate::station::disk::Disk;

pub use line_files::{LineFiles, file_prefix};
pub use live_file::{LiveFile, current_path, is_recovered};

/// The live files of one board.
pub struct LiveFileWriter {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    line: String,
    current: Option<LiveFile>,
    /// What the disk has not taken yet.
    pending: VecDeque<FileAction>,
    /// The files of games that are over, which it has not taken either. Nothing waits behind them.
    backlog: Vec<PendingRepair>,
    /// A line was written since the file was looked after.
    needs_check: bool,
    notices: Vec<String>,
    /// Files that were found taken away, changed or replaced.
    replaced: Vec<PathBuf>,
}

/// A game whose file is to be brought up to its log.
struct PendingRepair {
    /// What the name of its file begins with.
    line: String,
    game: LiveFileContents,
}

/// Something to be done to the files.
enum FileAction {
    /// The file of the game that goes on.
    Repair(Box<PendingRepair>),
    Create(u32),
    Append(Vec<u8>),
    SetResult(String),
    /// The Result tag, where it stands.
    Overwrite(usize, Vec<u8>),
}

impl LiveFileWriter {
    /// The files in a folder whose names begin like this. `current` is that of the game that was opened last.
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf, line: String, current: Option<LiveFile>) -> LiveFileWriter {
        LiveFileWriter {
            disk,
            folder,
            line,
            current,
            pending: VecDeque::new(),
            backlog: Vec::new(),
            needs_check: false,
            notices: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Brings the file of a game up to its log, as [`reconcile`] does; `line`: what its name begins with; `goes_on`: the next
    /// lines are of this game. A file that cannot be written keeps none of the others waiting.
    ///
    /// # Errors
    ///
    /// When the disk does not do it. It waits then.
    pub fn repair(&mut self, line: &str, game: LiveFileContents, goes_on: bool) -> io::Result<()> {
        let unmended = PendingRepair { line: line.to_owned(), game };
        if goes_on {
            self.pending.push_back(FileAction::Repair(Box::new(unmended)));
            return self.run_pending();
        }
        match self.complete(&unmended) {
            Ok(_) => Ok(()),
            Err(error) => {
                self.backlog.push(unmended);
                Err(error)
            }
        }
    }

    /// Does what the line wants done to its files, and passes over everything else.
    ///
    /// # Errors
    ///
    /// When the disk does not do it. It waits then, and what follows waits behind it.
    pub fn write(&mut self, effect: &Effect) -> io::Result<()> {
        if let Effect::GameOpened(opening) = effect {
            self.pending.push_back(FileAction::Create(opening.game));
        }
        let lines: String = effect.lines().into_iter().map(|line| line + "\n").collect();
        if lines.is_empty() {
            return Ok(());
        }
        self.pending.push_back(FileAction::Append(lines.into_bytes()));
        if let Effect::GameEnded { result: Some(result), .. } = effect {
            self.pending.push_back(FileAction::SetResult(result.clone()));
        }
        self.run_pending()
    }

    /// Does what waits.
    ///
    /// # Errors
    ///
    /// When the disk still does not do all of it; the rest goes on waiting.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut result = self.run_pending();
        for unmended in std::mem::take(&mut self.backlog) {
            if let Err(error) = self.complete(&unmended) {
                result = result.and(Err(error));
                self.backlog.push(unmended);
            }
        }
        result
    }

    /// Does what the lines want done that wait.
    fn run_pending(&mut self) -> io::Result<()> {
        while let Some(step) = self.pending.pop_front() {
            if let Err((rest, error)) = self.apply_actions(step) {
                let is_named = matches!(rest, FileAction::Repair(_));
                self.pending.push_front(rest);
                if is_named {
                    return Err(error);
                }
                let shown_path = self.path().unwrap_or(&self.folder).display();
                return Err(io::Error::new(error.kind(), format!("{shown_path}: {error}")));
            }
        }
        Ok(())
    }

    fn complete(&mut self, unmended: &PendingRepair) -> io::Result<LiveFile> {
        let PendingRepair { line, game } = unmended;
        let (file, notice) = reconcile::reconcile(&*self.disk, &self.folder, line, game).map_err(|error| {
            let path = live_file::name(&self.folder, line, game.header.game);
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        self.notices.extend(notice);
        Ok(file)
    }

    /// The file is to be looked after, whether a line is written or not.
    pub fn mark_unverified(&mut self) {
        self.needs_check |= self.pending.is_empty() && self.current.is_some();
    }

    /// Looks whether the last line has gone into a file that still has its name; if not, the game goes on in another. Lines
    /// are not kept waiting by it: it is done when all of them have been written.
    ///
    /// # Errors
    ///
    /// When the disk does not do it. It waits then.
    pub fn verify(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() || !std::mem::take(&mut self.needs_check) {
            return Ok(());
        }
        if self.current.as_ref().is_none_or(LiveFile::is_intact) {
            return Ok(());
        }
        if let Err((rest, error)) = self.move_to_new_file() {
            self.pending.push_front(rest);
            return Err(error);
        }
        self.run_pending()
    }

    /// Is everything in the files?
    pub fn is_flushed(&self) -> bool {
        self.pending.is_empty() && self.backlog.is_empty()
    }

    /// What the operator should know, since this was asked last.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// The files that were found taken away, changed or replaced, since this was asked last.
    pub fn take_replaced(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.replaced)
    }

    /// The file of the game that was opened last.
    pub fn path(&self) -> Option<&Path> {
        self.current.as_ref().map(|file| file.path.as_path())
    }

    /// Gives back what is left when it did not work.
    fn apply_actions(&mut self, step: FileAction) -> Result<(), (FileAction, io::Error)> {
        if let FileAction::Repair(unmended) = step {
            let mended = self.complete(&unmended);
            self.current = Some(mended.map_err(|error| (FileAction::Repair(unmended), error))?);
            return Ok(());
        }
        let Some(file) = &mut self.current else { return self.apply_first_action(step) };
        // Should another file have the name, nobody reads this one; see `look_after`.
        let is_left = match step {
            // Nobody looks after it any more when the next is there.
            FileAction::Create(_) => std::mem::take(&mut self.needs_check) && !file.is_intact(),
            FileAction::Append(_) => file.length_changed(),
            FileAction::SetResult(_) | FileAction::Overwrite(..) => !file.is_intact(),
            FileAction::Repair(_) => false,
        };
        if is_left {
            self.pending.push_front(step);
            return self.move_to_new_file();
        }
        match step {
            FileAction::Repair(_) => Ok(()),
            FileAction::Create(_) => {
                // Space that stays taken does no harm.
                let _ = file.file.release();
                self.apply_first_action(step)
            }
            FileAction::Append(mut bytes) => {
                self.needs_check = true;
                file.append(&bytes).map_err(|(taken, error)| {
                    bytes.drain(..taken);
                    (FileAction::Append(bytes), error)
                })
            }
            FileAction::SetResult(result) => match livefile::result_patch(&file.content, &result) {
                Some((at, tag)) => self.apply_actions(FileAction::Overwrite(at, tag)),
                None => {
                    self.notices.push(format!("{}: no Result tag to write {result} into", file.path.display()));
                    Ok(())
                }
            },
            FileAction::Overwrite(at, tag) => {
                file.overwrite(at, &tag).map_err(|error| (FileAction::Overwrite(at, tag), error))
            }
        }
    }

    /// Leaves the file to whoever has changed it, and begins another with what was written into it.
    fn move_to_new_file(&mut self) -> Result<(), (FileAction, io::Error)> {
        let Some(file) = &mut self.current else { return Ok(()) };
        self.notices.push(format!(
            "{} was changed or removed by somebody while it was written; the game is written again, or goes on under another name",
            file.path.display()
        ));
        self.replaced.push(file.path.clone());
        // One that was cut says nothing wrong: it is completed, and its readers go on.
        if let Ok(found) = self.disk.read(&file.path)
            && let Some(rest) = file.content.strip_prefix(found.as_slice()).map(<[u8]>::to_vec)
            && let Ok(opened) = LiveFile::open(&*self.disk, &file.path, file.number, found)
        {
            self.current = Some(opened);
            self.pending.push_front(FileAction::Append(rest));
            return Ok(());
        }
        let (number, content) = (file.number, std::mem::take(&mut file.content));
        self.pending.push_front(FileAction::Append(content));
        self.apply_first_action(FileAction::Create(number))
    }

    fn apply_first_action(&mut self, step: FileAction) -> Result<(), (FileAction, io::Error)> {
        let FileAction::Create(game) = step else {
            self.notices.push(format!("{}: there is no live file to write to", self.line));
            return Ok(());
        };
        match LiveFile::create(&*self.disk, &self.folder, &self.line, game) {
            Ok((file, notice)) => {
                self.current = Some(file);
                self.notices.extend(notice);
                Ok(())
            }
            Err(error) => Err((step, error)),
        }
    }
}

/// The live file of a board, by its name, that begins with these plies and setups or, if it has at least `MANY`, with which they
/// begin. Clocks and numbers do not count. What cannot be read is passed over.
pub fn find_game(live: &Path, prefix: &str, entries: &[Entry]) -> Option<String> {
    let steps = |entries: &[Entry]| entries.iter().map(|entry| entry.kind.clone()).collect::<Vec<_>>();
    let wanted = steps(entries);
    let names = std::fs::read_dir(live).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_of_board = |name: &String| {
        let number = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".pdn"));
        number.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
    };
    let is_known = |name: &String| {
        let Ok(text) = std::fs::read_to_string(live.join(name)) else { return false };
        let Some(found) = livefile::LiveFileContents::parse(0, &text) else { return false };
        let found = steps(&found.entries);
        found.starts_with(&wanted) || found.len() >= MIN_DISTINCTIVE_PLIES && wanted.starts_with(&found)
    };
    let mut known: Vec<String> = names.filter(is_of_board).filter(is_known).collect();
    known.sort();
    known.pop()
}

/// So many moves are alike in no two games but of one who repeats them on purpose.
const MIN_DISTINCTIVE_PLIES: usize = 12;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::engine::livefile::GameHeader;
    use crate::station::disk::RealDisk;
    use draughts::Variant;

    fn feed(folder: &Path) -> LiveFileWriter {
        LiveFileWriter::new(Arc::new(RealDisk), folder.into(), "a".into(), None)
    }

    fn publish(live_files: &mut LiveFileWriter, effects: &[Effect]) -> Vec<String> {
        effects.iter().for_each(|effect| live_files.write(effect).unwrap());
        live_files.verify().unwrap();
        live_files.take_notices()
    }

    const HEADER: &str = "[Result \"*\"]\n\n\n\n";

    fn opened(game: u32) -> Effect {
        Effect::GameOpened(Box::new(GameHeader {
            game,
            variant: Variant::international(),
            tags: Vec::new(),
            pairing_id: None,
            continued_game: None,
        }))
    }

    fn read(lines: &[&str]) -> Vec<Entry> {
        livefile::LiveFileContents::parse(1, &format!("{HEADER}{}", lines.join("\n"))).unwrap().entries
    }

    /// The first plies of a game.
    fn plies() -> [Effect; 3] {
        let entries = read(&["1. 32-28", "19-23", "2. 28x19"]);
        let effects = entries.into_iter().map(|entry| Effect::Entry { entry: Box::new(entry), reason: None });
        effects.collect::<Vec<_>>().try_into().unwrap()
    }

    fn ended(result: Option<&str>) -> Effect {
        Effect::GameEnded { result: result.map(str::to_owned), is_given: true }
    }

    #[test]
    fn game_grows_by_line_and_gets_result() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = feed(folder.path());
        let [first, second, _] = plies();
        let notices = publish(&mut feed, &[opened(3), first]);
        let path = folder.path().join("a-3.pdn");
        assert_eq!((notices.as_slice(), feed.path()), ([].as_slice(), Some(path.as_path())));
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{HEADER}1. 32-28\n"));
        publish(&mut feed, &[ended(Some("2-0")), second]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "[Result \"2-0\"]\n\n1. 32-28\n*\n19-23\n");
        assert_eq!(publish(&mut feed, &[ended(Some("0-2"))]).len(), 1, "a result is written once");
    }

    #[test]
    fn changed_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.pdn");
        let mut feed = feed(folder.path());
        let [first, second, third] = plies();
        publish(&mut feed, &[opened(1)]);
        fs::remove_file(&path).unwrap();
        assert!(publish(&mut feed, &[first])[0].contains("a-1.pdn was changed or removed"));
        let text = format!("{HEADER}1. 32-28\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        // An editor writes another file and gives it the name.
        fs::write(folder.path().join("new"), text.replace("32-28", "33-28")).unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        publish(&mut feed, &[second, ended(Some("2-0"))]);
        let recovered = folder.path().join("a-1.recovered-1.pdn");
        assert_eq!(fs::read_to_string(&recovered).unwrap(), "[Result \"2-0\"]\n\n1. 32-28\n19-23\n*\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("32-28", "33-28"));
        // Somebody adds a line.
        fs::OpenOptions::new().append(true).open(&recovered).unwrap().write_all(b"a remark").unwrap();
        publish(&mut feed, &[third]);
        assert!(
            fs::read_to_string(folder.path().join("a-1.recovered-2.pdn")).unwrap().ends_with("19-23\n*\n2. 28x19\n")
        );
    }

    #[test]
    fn last_line_is_not_left_in_unnamed_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = feed(folder.path());
        let [first, second, _] = plies();
        publish(&mut feed, &[opened(1), first]);
        fs::remove_file(folder.path().join("a-1.pdn")).unwrap();
        // The end of a game and the next one come in one breath.
        let notices = publish(&mut feed, &[ended(None), opened(2), second]);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("a-1.pdn"), format!("{HEADER}1. 32-28\n*\n"));
        assert_eq!(read("a-2.pdn"), format!("{HEADER}19-23\n"));
        assert!(notices.len() == 1 && notices[0].contains("a-1.pdn was changed or removed"), "{notices:?}");
    }

    #[test]
    fn existing_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a-1.pdn"), "somebody's").unwrap();
        let notices = publish(&mut feed(folder.path()), &[opened(1)]);
        assert!(notices[0].contains("a-1.pdn exists; game 1 goes to"), "{notices:?}");
        assert_eq!(fs::read_to_string(folder.path().join("a-1.pdn")).unwrap(), "somebody's");
        assert_eq!(fs::read_to_string(folder.path().join("a-1.recovered-1.pdn")).unwrap(), HEADER);
    }

    #[test]
    fn first_moves_identify_game() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, moves: &[&str]| {
            let text = format!("[White \"A\"]\n[Result \"*\"]\n\n{}\n*\n", moves.join("\n"));
            fs::write(folder.path().join(name), text).unwrap();
        };
        let long =
            ["31-26", "20-25", "36-31", "15-20", "41-36", "10-15", "46-41", "5-10", "33-28", "18-23", "39-33", "12-18"];
        write("a-1.pdn", &["1. 33-29 {[%clock w1:20:00 B1:20:00]}", "19-23"]);
        write("a-2.pdn", &long);
        write("a-3.recovered-1.pdn", &["1. 31-27", "17-21"]);
        write("a-b-1.pdn", &["1. 34-30"]);
        fs::write(folder.path().join("a-4.pdn"), [0xff, 0xfe]).unwrap();
        fs::create_dir(folder.path().join("a-5.pdn")).unwrap();
        let known = |lines: &[&str]| super::find_game(folder.path(), "a", &read(lines));
        let is = |name: &str| Some(name.to_owned());
        assert_eq!(
            known(&["1. 33-29 {[%clock w1:19:58 B1:20:00]}", "19-23"]),
            is("a-1.pdn"),
            "whatever the clock says"
        );
        assert_eq!(known(&["1. 33-29"]), is("a-1.pdn"), "the beginning of one");
        assert_eq!(known(&["1. 33-29", "19-23", "2. 35-30"]), None, "two moves are alike in many games");
        assert_eq!(known(&["1. 33-29", "20-24"]), None);
        let went_on: Vec<&str> = long.iter().copied().chain(["44-39"]).collect();
        assert_eq!(known(&went_on), is("a-2.pdn"), "a file that ends before the memory does");
        assert_eq!(super::find_game(folder.path(), "a", &read(&went_on)[1..]), None);
        assert_eq!(
            known(&["1. 31-27"]),
            is("a-3.recovered-1.pdn"),
            "where the game went on after somebody changed its file"
        );
        assert_eq!(known(&["1. 34-30"]), None, "another board's");
        assert_eq!(super::find_game(&folder.path().join("none"), "a", &read(&["1. 33-29"])), None);
    }

    #[test]
    fn line_without_game_is_reported_without_panic() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = feed(folder.path());
        let notices = publish(&mut feed, &[ended(Some("2-0"))]);
        assert!(notices.len() == 2 && feed.is_flushed() && feed.path().is_none(), "{notices:?}");
    }

    #[test]
    fn refused_bytes_follow_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("not-yet");
        let mut feed = feed(&inner);
        let [first, second, _] = plies();
        let effects = [opened(1), first, second];
        assert!(effects.iter().all(|effect| feed.write(effect).is_err()) && !feed.is_flushed());
        fs::create_dir(&inner).unwrap();
        feed.flush().unwrap();
        assert_eq!(fs::read_to_string(inner.join("a-1.pdn")).unwrap(), format!("{HEADER}1. 32-28\n19-23\n"));
    }
}
