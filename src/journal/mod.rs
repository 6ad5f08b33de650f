//! The byte log on disk: what happened on a line stands there before anything is made of it.
//!
//! | order of events for one read | who |
//! |---|---|
//! | 1 the record is written, in one piece | [`Journal::write`] |
//! | 2 the core takes the bytes | station |
//! | 3 the log is made durable, if a line is to be published | [`Journal::file`], `sync_data` |
//! | 4 the line is published | feed |
//!
//! So a published ply always has its reason on the disk, and a crash between any two steps is mended by playing the log
//! again ([`history`]). A log is never written to again after the station has stopped: each start opens the next one.

pub mod history;
pub mod logs;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytelog::{Header, Record};

/// A log that is being written.
pub struct Journal {
    path: PathBuf,
    file: Arc<File>,
}

impl Journal {
    /// Begins a log with its head. The file must not exist yet.
    ///
    /// # Errors
    ///
    /// When it exists, or cannot be written.
    pub fn create(path: &Path, header: &Header) -> io::Result<Journal> {
        let mut file = OpenOptions::new().append(true).create_new(true).open(path)?;
        file.write_all(header.to_text().as_bytes())?;
        file.sync_all()?;
        sync_folder_of(path)?;
        Ok(Journal { path: path.to_owned(), file: Arc::new(file) })
    }

    /// Adds a record, as one write of one line.
    ///
    /// # Errors
    ///
    /// When the disk does not take it. The log may then end in the middle of the record; nothing may follow it.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        (&*self.file).write_all(record.to_line().as_bytes())
    }

    /// The file, for whoever makes it durable elsewhere.
    pub fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The name of a file stands in its folder: a new file is durable only when its folder is.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
