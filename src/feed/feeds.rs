//! The live files of a line: of its board, or of each board of its bus.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::{Feed, LiveFile};
use crate::session::{BusAddress, Effect};

/// What the names of a board's files begin with: the name that the configuration gives it, or that of the line, with the
/// address on a bus.
pub fn prefix(line: &str, board: Option<BusAddress>, name: Option<&str>) -> String {
    match (board, name) {
        (_, Some(name)) => name.to_owned(),
        (Some(address), None) => format!("{line}-{address}"),
        (None, None) => line.to_owned(),
    }
}

/// The live files of all boards of a line.
pub struct Feeds {
    folder: PathBuf,
    line: String,
    names: BTreeMap<BusAddress, String>,
    feeds: BTreeMap<Option<BusAddress>, Feed>,
    /// Whose files have been written to and are not yet known to be on the disk.
    unsynced: BTreeSet<Option<BusAddress>>,
}

impl Feeds {
    /// The files of a line in a folder. `names`: of the boards of a bus that have names of their own; `current`: the files
    /// of the games that were opened last.
    pub fn new(
        folder: PathBuf,
        line: String,
        names: BTreeMap<BusAddress, String>,
        current: BTreeMap<Option<BusAddress>, LiveFile>,
    ) -> Feeds {
        let mut feeds = Feeds { folder, line, names, feeds: BTreeMap::new(), unsynced: BTreeSet::new() };
        for (board, file) in current {
            let feed = feeds.new_feed(board, Some(file));
            feeds.feeds.insert(board, feed);
        }
        feeds
    }

    /// Does what a board wants done to its files. Returns what the operator should know.
    ///
    /// # Errors
    ///
    /// When the disk does not do it.
    pub fn publish(&mut self, board: Option<BusAddress>, effect: &Effect) -> io::Result<Option<String>> {
        let new = self.new_feed(board, None);
        self.unsynced.insert(board);
        self.feeds.entry(board).or_insert(new).publish(effect)
    }

    /// Makes durable what was published.
    ///
    /// # Errors
    ///
    /// When the disk does not do it.
    pub fn sync(&mut self) -> io::Result<()> {
        while let Some(board) = self.unsynced.pop_first() {
            if let Some(feed) = self.feeds.get(&board) {
                feed.sync()?;
            }
        }
        Ok(())
    }

    /// The file of the game that was opened last on a board.
    pub fn path(&self, board: Option<BusAddress>) -> Option<&Path> {
        self.feeds.get(&board)?.path()
    }

    fn new_feed(&self, board: Option<BusAddress>, current: Option<LiveFile>) -> Feed {
        let name = board.and_then(|board| self.names.get(&board));
        Feed::new(self.folder.clone(), prefix(&self.line, board, name.map(String::as_str)), current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_board_has_files_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let board = |number| BusAddress::new(number);
        let names = BTreeMap::from([(BusAddress::new(7).unwrap(), "table-1".to_owned())]);
        let mut feeds = Feeds::new(folder.path().into(), "hall".into(), names, BTreeMap::new());
        for (address, line) in [(board(7), "seven"), (board(1025), "a thousand"), (None, "alone")] {
            feeds.publish(address, &Effect::Open { game: 2 }).unwrap();
            feeds.publish(address, &Effect::Append(line.into())).unwrap();
        }
        feeds.publish(board(7), &Effect::Append("again".into())).unwrap();
        feeds.sync().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("table-1-2.pdn"), "seven\nagain\n");
        assert_eq!(read("hall-1025-2.pdn"), "a thousand\n");
        assert_eq!(read("hall-2.pdn"), "alone\n");
        assert_eq!(feeds.path(board(7)), Some(folder.path().join("table-1-2.pdn").as_path()));
        assert_eq!(feeds.path(board(8)), None);
        assert!(feeds.publish(board(8), &Effect::Append("no game".into())).is_err());
    }
}
