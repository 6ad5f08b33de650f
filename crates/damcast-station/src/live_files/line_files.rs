//! Live files of a line: of its board, or of each board of its bus.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use damcast_engine::livefile::LiveFileContents;
use damcast_engine::session::{BusAddress, Effect};

use super::LiveFileWriter;
use crate::disk::Disk;

/// Returns the prefix of a board's file names: the configured name, or the line's name with the address on a bus.
pub fn file_prefix(line: &str, board: Option<BusAddress>, name: Option<&str>) -> String {
    match (board, name) {
        (_, Some(name)) => name.to_owned(),
        (Some(address), None) => format!("{line}-{address}"),
        (None, None) => line.to_owned(),
    }
}

/// Live files of all boards of a line.
pub struct LineFiles {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    line: String,
    names: BTreeMap<BusAddress, String>,
    /// Boxed, because a map reserves memory for several entries.
    feeds: BTreeMap<Option<BusAddress>, Box<LiveFileWriter>>,
    /// Disk fault while work waits for it.
    fault: Option<String>,
}

impl LineFiles {
    /// Creates the live files of a line in a folder. `names`: boards of a bus that have their own names.
    pub fn new(disk: Arc<dyn Disk>, folder: PathBuf, line: String, names: BTreeMap<BusAddress, String>) -> LineFiles {
        LineFiles { disk, folder, line, names, feeds: BTreeMap::new(), fault: None }
    }

    /// Brings the file of a game up to its log, as [`LiveFileWriter::repair`] does. Work refused by the disk waits; see
    /// [`LineFiles::fault`].
    pub fn repair(&mut self, board: Option<BusAddress>, name: Option<&str>, game: &LiveFileContents, goes_on: bool) {
        let prefix = file_prefix(&self.line, board, name);
        let mended = self.board_files(board).repair(&prefix, game.clone(), goes_on);
        self.note(mended);
    }

    /// Applies an effect of a board to its files. Work refused by the disk waits; see [`LineFiles::fault`].
    pub fn write(&mut self, board: Option<BusAddress>, effect: &Effect) {
        let published = self.board_files(board).write(effect);
        self.note(published);
    }

    /// Retries the waiting work.
    pub fn flush(&mut self) {
        self.fault = None;
        let results: Vec<_> = self.writers().map(LiveFileWriter::flush).collect();
        results.into_iter().for_each(|result| self.note(result));
    }

    /// Checks that the last written data is in files that still have their names; see [`LiveFileWriter::verify`].
    pub fn verify(&mut self) {
        let results: Vec<_> = self.writers().map(LiveFileWriter::verify).collect();
        results.into_iter().for_each(|result| self.note(result));
    }

    /// Marks all files for verification; see [`LineFiles::verify`].
    pub fn mark_unverified(&mut self) {
        self.writers().for_each(LiveFileWriter::mark_unverified);
    }

    /// Returns the files found removed, changed or replaced since the last call.
    pub fn take_replaced(&mut self) -> Vec<PathBuf> {
        self.writers().flat_map(LiveFileWriter::take_replaced).collect()
    }

    /// Returns the disk fault while work waits for it.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Returns the notices for the operator since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        self.writers().flat_map(LiveFileWriter::take_notices).collect()
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.fault = Some(error.to_string());
        }
    }

    /// Returns the files of the most recently opened games.
    pub fn paths(&self) -> Vec<(Option<BusAddress>, PathBuf)> {
        self.feeds.iter().filter_map(|(board, feed)| Some((*board, feed.path()?.to_owned()))).collect()
    }

    fn writers(&mut self) -> impl Iterator<Item = &mut LiveFileWriter> {
        self.feeds.values_mut().map(Box::as_mut)
    }

    fn board_files(&mut self, board: Option<BusAddress>) -> &mut LiveFileWriter {
        let name = board.and_then(|board| self.names.get(&board));
        let prefix = file_prefix(&self.line, board, name.map(String::as_str));
        let new = || Box::new(LiveFileWriter::new(Arc::clone(&self.disk), self.folder.clone(), prefix));
        self.feeds.entry(board).or_insert_with(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;
    use damcast_engine::livefile::GameHeader;
    use draughts::Variant;

    #[test]
    fn each_board_has_separate_files() {
        let folder = tempfile::tempdir().unwrap();
        let board = |number| BusAddress::new(number);
        let names = BTreeMap::from([(BusAddress::new(7).unwrap(), "table-1".to_owned())]);
        let mut files = LineFiles::new(Arc::new(RealDisk), folder.path().into(), "hall".into(), names);
        let (variant, ended) = (Variant::international(), || Effect::GameEnded { result: None, is_given: false });
        for (address, name) in [(board(7), "seven"), (board(1025), "a thousand"), (None, "alone")] {
            let tags = vec![("White".to_owned(), name.to_owned())];
            files.write(
                address,
                &Effect::GameOpened(Box::new(GameHeader {
                    game: 2,
                    variant,
                    tags,
                    pairing_id: None,
                    continued_game: None,
                    is_entered: false,
                })),
            );
        }
        files.write(board(7), &ended());
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("table-1-2.pdn"), "[White \"seven\"]\n[Result \"*\"]\n\n\n\n*\n");
        assert_eq!(read("hall-1025-2.pdn"), "[White \"a thousand\"]\n[Result \"*\"]\n\n\n\n");
        assert_eq!(read("hall-2.pdn"), "[White \"alone\"]\n[Result \"*\"]\n\n\n\n");
        let names = ["hall-2.pdn", "table-1-2.pdn", "hall-1025-2.pdn"].map(|name| folder.path().join(name));
        assert_eq!(files.paths(), [None, board(7), board(1025)].into_iter().zip(names).collect::<Vec<_>>());
        files.write(board(8), &ended());
        assert_eq!((files.take_notices().len(), files.fault()), (1, None));
    }
}
