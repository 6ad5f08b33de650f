//! The live files: one for each game, growing line by line while broadcasters read it.
//!
//! | event | on disk |
//! |---|---|
//! | a game opens | `live/NAME-G.pdn` is created, `live/NAME-ADDRESS-G.pdn` for a board of a bus; a file of that name that exists is left alone |
//! | a line | one write at the end: text and LF |
//! | a result | the Result tag is overwritten in place, at equal length, once the lines before are durable |
//!
//! Invariants: what was written stays as it is, the Result tag excepted; a file keeps its inode and never gets shorter. How
//! a file and its log are brought together after a crash stands in [`reconcile`].

mod feeds;
pub mod reconcile;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::pdn::live;
use crate::session::Effect;

pub use feeds::{Feeds, prefix};

/// How often a name may be taken before somebody has to look at the folder.
const MOST_RECOVERED: u32 = 100;

/// The live files of one board.
pub struct Feed {
    folder: PathBuf,
    line: String,
    current: Option<LiveFile>,
}

impl Feed {
    /// The files in a folder whose names begin like this. `current` is that of the game that was opened last.
    pub fn new(folder: PathBuf, line: String, current: Option<LiveFile>) -> Feed {
        Feed { folder, line, current }
    }

    /// Does what the line wants done to its files, and passes over everything else. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// When the disk does not do it.
    pub fn publish(&mut self, effect: &Effect) -> io::Result<Option<String>> {
        match effect {
            Effect::Open { game } => {
                let (file, notice) = LiveFile::create(&self.folder, &self.line, *game)?;
                if let Some(previous) = self.current.replace(file) {
                    previous.sync()?;
                }
                Ok(notice)
            }
            Effect::Append(text) => {
                let file =
                    self.current.as_mut().ok_or_else(|| io::Error::other("a line before any game was opened"))?;
                file.append(format!("{text}\n").as_bytes())?;
                Ok(None)
            }
            Effect::Result(result) => {
                let file = self.current.as_mut().ok_or_else(|| io::Error::other("a result before any game"))?;
                file.set_result(result)
            }
            Effect::Send(_)
            | Effect::Notice(_)
            | Effect::Refused(_)
            | Effect::Note(_)
            | Effect::Provisional(_)
            | Effect::Reopen { .. } => Ok(None),
        }
    }

    /// Makes durable what was published.
    ///
    /// # Errors
    ///
    /// When the disk does not do it.
    pub fn sync(&self) -> io::Result<()> {
        self.current.as_ref().map_or(Ok(()), LiveFile::sync)
    }

    /// The file of the game that was opened last.
    pub fn path(&self) -> Option<&Path> {
        self.current.as_ref().map(|file| file.path.as_path())
    }
}

/// Does an effect change a live file?
pub fn is_publication(effect: &Effect) -> bool {
    matches!(effect, Effect::Open { .. } | Effect::Append(_) | Effect::Result(_))
}

/// One live file, open at its end.
pub struct LiveFile {
    path: PathBuf,
    file: File,
}

impl LiveFile {
    /// Creates the file of a game under the first name that is free, and says so if that is not its own.
    fn create(folder: &Path, line: &str, number: u32) -> io::Result<(LiveFile, Option<String>)> {
        for path in names(folder, line, number) {
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    crate::journal::sync_folder_of(&path)?;
                    let own = name(folder, line, number);
                    let notice = (path != own)
                        .then(|| format!("{} exists; game {number} goes to {}", own.display(), path.display()));
                    return Ok((LiveFile { path, file }, notice));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(too_many(folder, line, number))
    }

    fn open(path: &Path) -> io::Result<LiveFile> {
        Ok(LiveFile { path: path.to_owned(), file: OpenOptions::new().append(true).open(path)? })
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Overwrites the Result tag. The lines before must not be lost when the tag is there already, so they go first.
    fn set_result(&mut self, result: &str) -> io::Result<Option<String>> {
        self.sync()?;
        let Some((at, tag)) = live::overwrite_result(&fs::read(&self.path)?, result) else {
            return Ok(Some(format!("{}: no Result tag to write {result} into; was it edited?", self.path.display())));
        };
        // A file that is opened for appending writes at its end whatever it is told.
        OpenOptions::new().write(true).open(&self.path)?.write_all_at(&tag, at as u64)?;
        Ok(None)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// The own name of a game's file.
fn name(folder: &Path, line: &str, number: u32) -> PathBuf {
    folder.join(format!("{line}-{number}.pdn"))
}

/// The names that a game's file may have: its own, and those to use when somebody else's file has that.
fn names<'a>(folder: &'a Path, line: &'a str, number: u32) -> impl Iterator<Item = PathBuf> + 'a {
    let recovered = move |count| folder.join(format!("{line}-{number}.recovered-{count}.pdn"));
    std::iter::once(name(folder, line, number)).chain((1..=MOST_RECOVERED).map(recovered))
}

fn too_many(folder: &Path, line: &str, number: u32) -> io::Error {
    let own = name(folder, line, number);
    io::Error::other(format!("{} and {MOST_RECOVERED} recovered files beside it were changed by others", own.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publish(feed: &mut Feed, effects: &[Effect]) -> Vec<String> {
        effects.iter().filter_map(|effect| feed.publish(effect).unwrap()).collect()
    }

    fn line(text: &str) -> Effect {
        Effect::Append(text.to_owned())
    }

    #[test]
    fn a_game_grows_line_by_line_and_gets_its_result() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = Feed::new(folder.path().into(), "a".into(), None);
        let told = publish(
            &mut feed,
            &[
                Effect::Open { game: 3 },
                line("[Result \"*\"]"),
                line(""),
                line(""),
                line(""),
                line("1. 32-28"),
                line("*"),
            ],
        );
        let path = folder.path().join("a-3.pdn");
        assert_eq!((told.as_slice(), feed.path()), ([].as_slice(), Some(path.as_path())));
        assert_eq!(fs::read_to_string(&path).unwrap(), "[Result \"*\"]\n\n\n\n1. 32-28\n*\n");
        publish(&mut feed, &[Effect::Result("2-0".into()), line("; after it")]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "[Result \"2-0\"]\n\n1. 32-28\n*\n; after it\n");
        assert_eq!(publish(&mut feed, &[Effect::Result("0-2".into())]).len(), 1, "a result is written once");
    }

    #[test]
    fn a_file_that_exists_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a-1.pdn"), "somebody's").unwrap();
        let mut feed = Feed::new(folder.path().into(), "a".into(), None);
        let told = publish(&mut feed, &[Effect::Open { game: 1 }, line("[Result \"*\"]")]);
        assert!(told[0].contains("a-1.pdn exists; game 1 goes to"), "{told:?}");
        assert_eq!(fs::read_to_string(folder.path().join("a-1.pdn")).unwrap(), "somebody's");
        assert_eq!(fs::read_to_string(folder.path().join("a-1.recovered-1.pdn")).unwrap(), "[Result \"*\"]\n");
    }

    #[test]
    fn a_line_without_a_game_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let mut feed = Feed::new(folder.path().into(), "a".into(), None);
        assert!(feed.publish(&line("x")).is_err() && feed.publish(&Effect::Result("*".into())).is_err());
        assert!(feed.sync().is_ok() && feed.path().is_none());
    }
}
