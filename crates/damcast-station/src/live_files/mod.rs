//! Live files: one for each game, growing line by line while broadcasters read it.
//!
//! | event | on disk |
//! |---|---|
//! | game opens | creates `live/NAME-G.pdn`, or `live/NAME-ADDRESS-G.pdn` for a board of a bus; leaves an existing file alone |
//! | line | one write at the end: text and LF |
//! | station starts | brings the files of the games so far up to their logs; an unwritable file is retried later |
//! | result | overwrites the Result tag in place, at equal length, once the lines before it are durable |
//! | another program replaced, removed or extended the file | leaves that file alone; the whole game continues in the next free file |
//! | another program truncated the file | completes it |
//!
//! Work refused by the disk waits, in order, until the fault is over: a partial line is completed. Only the lines before a result are
//! synced: a live file is made from its log, which completes it after a loss of power.
//!
//! Invariants: written bytes never change, the Result tag excepted; a file keeps its inode and never gets shorter. [`reconcile`] brings a
//! file and its log together after a crash.

mod line_files;
mod live_file;
pub mod reconcile;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use damcast_engine::livefile::{self, Entry, LiveFileContents};
use damcast_engine::session::Effect;
use draughts_pdn::clock::ClockTime;

use crate::disk::Disk;

pub use line_files::{LineFiles, file_prefix};
pub use live_file::{LiveFile, current_path, is_recovered};

/// Writer of the live files of one board.
pub struct LiveFileWriter {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    line: String,
    current: Option<LiveFile>,
    /// Actions that the disk has not accepted.
    pending: VecDeque<FileAction>,
    /// Files of finished games that wait for the disk. No other work waits for them.
    backlog: Vec<PendingRepair>,
    /// Whether a line was written since the last check of the file.
    needs_check: bool,
    notices: Vec<String>,
    /// Files found removed, changed or replaced.
    replaced: Vec<PathBuf>,
}

/// Game whose file must be brought up to its log.
struct PendingRepair {
    /// Prefix of the file's name.
    line: String,
    game: LiveFileContents,
}

/// Action on the files.
enum FileAction {
    /// Repairs the file of the running game.
    Repair(Box<PendingRepair>),
    Create(u32),
    Append(Vec<u8>),
    SetResult(String),
    /// Writes the Result tag at an offset.
    Overwrite(usize, Vec<u8>),
}

impl LiveFileWriter {
    /// Creates the writer for files with the prefix `line` in a folder.
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf, line: String) -> LiveFileWriter {
        LiveFileWriter {
            disk,
            folder,
            line,
            current: None,
            pending: VecDeque::new(),
            backlog: Vec::new(),
            needs_check: false,
            notices: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Brings the file of a game up to its log, as [`reconcile`] does. `line`: prefix of its name; `goes_on`: the next lines belong to this
    /// game. A file that cannot be written delays none of the others.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; the repair waits then.
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

    /// Applies an effect to the files; ignores effects that do not concern them.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; the work and everything after it waits then.
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

    /// Retries the waiting work.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; the rest keeps waiting.
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

    /// Runs the waiting actions on the files.
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

    /// Marks the file for verification.
    pub fn mark_unverified(&mut self) {
        self.needs_check |= self.pending.is_empty() && self.current.is_some();
    }

    /// Checks that the file with the last line still has its name; otherwise the game continues in another file. Runs only after all lines
    /// are written, so that it delays none.
    ///
    /// # Errors
    ///
    /// Returns any I/O error; the work waits then.
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

    /// Returns the notices for the operator since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Returns the files found removed, changed or replaced since the last call.
    pub fn take_replaced(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.replaced)
    }

    /// Returns the file of the most recently opened game.
    pub fn path(&self) -> Option<&Path> {
        self.current.as_ref().map(|file| file.path.as_path())
    }

    /// Runs one action. An error includes the part that is left to do.
    fn apply_actions(&mut self, step: FileAction) -> Result<(), (FileAction, io::Error)> {
        if let FileAction::Repair(unmended) = step {
            let mended = self.complete(&unmended);
            self.current = Some(mended.map_err(|error| (FileAction::Repair(unmended), error))?);
            return Ok(());
        }
        let Some(file) = &mut self.current else { return self.apply_first_action(step) };
        // If another file has the name, readers do not see this one; see `verify`.
        let is_left = match step {
            // Last check: the file is not verified once the next one exists.
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
                // Space that stays reserved does no harm.
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

    /// Leaves the changed file alone and continues in another with the same content.
    fn move_to_new_file(&mut self) -> Result<(), (FileAction, io::Error)> {
        let Some(file) = &mut self.current else { return Ok(()) };
        self.notices.push(format!(
            "{} was changed or removed outside damcast while it was written; the game is written again, or continues under another name",
            file.path.display()
        ));
        self.replaced.push(file.path.clone());
        // A file that was cut contains nothing wrong: complete it for its readers.
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

/// Returns the name of the board's live file that begins with these plies and setups. If the file has at least `MIN_DISTINCTIVE_PLIES`, or
/// its clocks identify the game, it may also be their beginning. Ignores numbers, and files that cannot be read.
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
        let is_distinctive =
            found.entries.len() >= MIN_DISTINCTIVE_PLIES || clocks_identify_game(&found.entries, entries);
        let found = steps(&found.entries);
        found.starts_with(&wanted) || is_distinctive && wanted.starts_with(&found)
    };
    let mut known: Vec<String> = names.filter(is_of_board).filter(is_known).collect();
    known.sort();
    known.pop()
}

/// Number of plies that two different games never share, unless players repeat a game on purpose.
const MIN_DISTINCTIVE_PLIES: usize = 12;
/// Number of different times that two different games never share to the second.
const MIN_DISTINCTIVE_TIMES: usize = 6;

/// Whether the clocks show that two games with the same plies are one game. Readings of the clock may be a second old. Clocks that stand
/// still show nothing.
fn clocks_identify_game(found: &[Entry], wanted: &[Entry]) -> bool {
    let is_near = |one: Option<ClockTime>, other: Option<ClockTime>| {
        one.zip(other).is_some_and(|(one, other)| one.0.abs_diff(other.0) <= 1)
    };
    let pairs =
        found.iter().zip(wanted).filter_map(|(found, wanted)| found.clocks.as_ref().zip(wanted.clocks.as_ref()));
    let pairs: Vec<_> = pairs.collect();
    let mut times: Vec<_> = pairs.iter().map(|(found, _)| (found.white, found.black)).collect();
    times.dedup();
    times.len() >= MIN_DISTINCTIVE_TIMES
        && pairs.iter().all(|(one, other)| is_near(one.white, other.white) && is_near(one.black, other.black))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::disk::RealDisk;
    use damcast_engine::livefile::GameHeader;
    use draughts::Variant;

    fn feed(folder: &Path) -> LiveFileWriter {
        LiveFileWriter::new(Arc::new(RealDisk), folder.into(), "a".into())
    }

    fn is_flushed(live_files: &LiveFileWriter) -> bool {
        live_files.pending.is_empty() && live_files.backlog.is_empty()
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
            is_entered: false,
        }))
    }

    fn read(lines: &[&str]) -> Vec<Entry> {
        livefile::LiveFileContents::parse(1, &format!("{HEADER}{}", lines.join("\n"))).unwrap().entries
    }

    /// First plies of a game.
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
        // An editor writes a new file and renames it.
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
        // The end of a game and the next game arrive together.
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
        // The clocks identify a short game, unless they stand still.
        let plies = ["33-28", "18-23", "39-33", "12-18", "44-39", "7-12", "50-44"];
        let with_clocks = |used: usize, faster: usize| -> Vec<String> {
            let left = |ply: usize| 50 - used * ply + faster;
            let times = |(ply, text)| format!("{text} {{[%clock w1:19:{0:02} b1:18:{0:02}]}}", left(ply));
            plies.into_iter().enumerate().map(times).collect()
        };
        let remembered = |used, faster| {
            let recorded = with_clocks(used, 0);
            write("a-6.pdn", &recorded[..6].iter().map(String::as_str).collect::<Vec<_>>());
            known(&with_clocks(used, faster).iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!((remembered(4, 1), remembered(4, 2), remembered(0, 0)), (is("a-6.pdn"), None, None));
        assert_eq!(
            known(&["1. 31-27"]),
            is("a-3.recovered-1.pdn"),
            "where the game went on after its file was changed"
        );
        assert_eq!(known(&["1. 34-30"]), None, "another board's");
        assert_eq!(super::find_game(&folder.path().join("none"), "a", &read(&["1. 33-29"])), None);
    }

    #[test]
    fn line_without_game_is_reported_without_panic() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = feed(folder.path());
        let notices = publish(&mut feed, &[ended(Some("2-0"))]);
        assert!(notices.len() == 2 && is_flushed(&feed) && feed.path().is_none(), "{notices:?}");
    }

    #[test]
    fn refused_bytes_follow_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("not-yet");
        let mut feed = feed(&inner);
        let [first, second, _] = plies();
        let effects = [opened(1), first, second];
        assert!(effects.iter().all(|effect| feed.write(effect).is_err()) && !is_flushed(&feed));
        fs::create_dir(&inner).unwrap();
        feed.flush().unwrap();
        assert_eq!(fs::read_to_string(inner.join("a-1.pdn")).unwrap(), format!("{HEADER}1. 32-28\n19-23\n"));
    }
}
