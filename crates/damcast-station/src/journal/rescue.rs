//! Rescue of a log that loses its file while it is written: the content of the open file is saved under its name.
//!
//! ```text
//!   NAME-K.log    removed, renamed, replaced, truncated or changed by another program
//!        │
//!        ├─ what stands there now        ─▸ NAME-K.log.aside-1
//!        └─ all that was recorded        ─▸ NAME-K.log.new, synced ─▸ NAME-K.log, and the line goes on in it
//! ```
//!
//! A file without a name is readable through the open descriptor only, and is gone when the station ends: so it is saved within seconds,
//! with an alarm until then. Every byte keeps its position, so the fragments in the commits stay valid. Bytes that were cut off come from
//! memory, which has the head and the last 512 kB, and from the commits. Bytes in neither are replaced by lines of equal length that report
//! the loss ([`bytelog::filler`]).

use std::io;
use std::path::Path;
use std::sync::Arc;

use damcast_engine::bytelog;

use super::commits::Fragment;
use super::{Journal, JournalState};
use crate::disk::{self, Disk, File, append_all, parent_folder};
use crate::locks::lock;

/// Number of bytes copied at once.
const CHUNK_SIZE: usize = 1 << 20;
/// Upper limit for the length of a line of a log.
const MAX_LINE_LEN: u64 = 64 << 10;

impl Journal {
    /// Checks that the log has its name and its length; if not, saves it. Returns a message for the operator. `known`: returns the log's
    /// fragments in the commits, called only if the file has changed. Only the syncing thread may call this.
    ///
    /// # Errors
    ///
    /// Returns any I/O error. Nothing is lost while the station runs; retry later.
    pub fn verify_file(&self, disk: &dyn Disk, known: impl FnOnce() -> Vec<Fragment>) -> io::Result<Option<String>> {
        let (file, synced, good) = {
            let _access = lock(&self.file_access);
            if lock(&self.state).is_name_unsynced {
                disk.sync_folder(parent_folder(&self.path))?;
                lock(&self.state).is_name_unsynced = false;
            }
            let (file, written) = self.file();
            if file.is_at(&self.path, written) {
                lock(&self.state).last_length = written;
                return Ok(None);
            }
            let length = file.length()?;
            let state = lock(&self.state);
            (file, state.synced, state.intact_length(length))
        };
        let new = self.path.with_file_name(format!("{}.new", self.name));
        disk::if_found(disk.remove(&new))?;
        disk.make_folder(parent_folder(&self.path))?;
        let copy = disk.create(&new)?;
        let saved = self.save_synced(&*file, &*copy, synced, good, known).and_then(|lost| {
            let description = self.replace_file(disk, copy, &new)?;
            let lost = if lost > 0 { format!("; {lost} bytes of it are lost") } else { String::new() };
            Ok(Some(format!("{}: {description}{lost}", self.path.display())))
        });
        if saved.is_err() {
            // The old copy may occupy the space that is missing.
            let _ = disk.remove(&new);
        }
        saved
    }

    /// Copies the log up to the part in memory, durably. Returns the number of lost bytes.
    fn save_synced(
        &self,
        file: &dyn File,
        copy: &dyn File,
        synced: u64,
        good: u64,
        known: impl FnOnce() -> Vec<Fragment>,
    ) -> io::Result<u64> {
        let mut saved = RescueCopy { copy, end: 0, last_line: Vec::new(), zeroed: 0 };
        if good >= synced {
            copy_piecewise(file, synced, |bytes| saved.append(bytes))?;
        } else {
            let end = end_of_line(file, good)?;
            copy_piecewise(file, end, |bytes| saved.append(bytes))?;
            saved.last_line = last_line(file, end)?;
            let head = Fragment { log: self.name.clone(), offset: 0, bytes: self.header.clone() };
            let memory = {
                let state = lock(&self.state);
                let (at, bytes) = (state.tail_from, state.between(state.tail_from, synced).to_vec());
                Fragment { log: self.name.clone(), offset: at, bytes }
            };
            let is_older = |fragment: &Fragment| fragment.log == self.name && fragment.offset < memory.offset;
            let known: Vec<Fragment> = known().into_iter().filter(is_older).collect();
            for fragment in [head].into_iter().chain(known).chain([memory]) {
                saved.add(&fragment, synced)?;
            }
            saved.fill_until(synced)?;
        }
        copy.sync()?;
        Ok(saved.zeroed)
    }

    /// Adds the part in memory, and continues in this file under the name of the log.
    fn replace_file(&self, disk: &dyn Disk, copy: Arc<dyn File>, new: &Path) -> io::Result<String> {
        let _access = lock(&self.file_access);
        let (file, unsynced) = {
            let state = lock(&self.state);
            (Arc::clone(&state.file), state.between(state.synced, state.written).to_vec())
        };
        append_all(&*copy, &unsynced).map_err(|(_, error)| error)?;
        let is_own = file.is_at(&self.path, file.length()?);
        let aside = disk::if_found(disk::move_aside(disk, &self.path))?;
        disk.rename(new, &self.path)?;
        let is_name_unsynced = disk.sync_folder(parent_folder(&self.path)).is_err();
        {
            let mut state = lock(&self.state);
            state.file = copy;
            state.is_name_unsynced = is_name_unsynced;
            state.last_length = state.written;
            state.is_unconfirmed = false;
            state.fault = None;
        }
        self.reserve();
        Ok(match aside {
            None => {
                "it was removed or given another name while it was recorded; all of it stands there again".to_owned()
            }
            Some(aside) if is_own => {
                format!(
                    "it was cut or changed outside damcast while it was recorded; the changed file is {aside}, and the log is restored"
                )
            }
            Some(aside) => {
                format!(
                    "it was replaced while it was recorded; what stood there is {aside}, and all of it stands there again"
                )
            }
        })
    }
}

/// Completes a rescue that a killed station has left: the copy becomes the log if the name is free, and is moved aside otherwise. Returns
/// messages for the operator.
///
/// # Errors
///
/// Returns any I/O error.
pub fn finish_rescue(disk: &dyn Disk, folder: &Path) -> io::Result<Vec<String>> {
    let (names, mut messages) = (disk.list(folder)?, Vec::new());
    for new in names.iter().filter(|name| name.ends_with(".log.new")) {
        let name = new.trim_end_matches(".new");
        let path = folder.join(new);
        if names.iter().any(|other| other == name) {
            let aside = disk::move_aside(disk, &path)?;
            messages.push(format!("{name} was being saved when the station was killed; the copy is kept as {aside}"));
        } else {
            disk.rename(&path, &folder.join(name))?;
            disk.sync_folder(folder)?;
            messages.push(format!(
                "{name} was removed, and was being saved when the station was killed; what was saved is used"
            ));
        }
    }
    Ok(messages)
}

/// The copy of a cut log, as far as it is written.
struct RescueCopy<'c> {
    copy: &'c dyn File,
    end: u64,
    /// Last line of the copy: filler lines use its time.
    last_line: Vec<u8>,
    zeroed: u64,
}

impl RescueCopy<'_> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        append_all(self.copy, bytes).map_err(|(_, error)| error)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Adds known bytes of the log up to a position: whole lines. Fills the gap before them.
    fn add(&mut self, known: &Fragment, until: u64) -> io::Result<()> {
        let until = until.min(known.offset + known.bytes.len() as u64);
        if until <= self.end {
            return Ok(());
        }
        self.fill_until(known.offset)?;
        let index = |place: u64| (place - known.offset) as usize;
        let lines = known.bytes.get(index(self.end)..index(until)).unwrap_or_default();
        self.append(lines)?;
        self.last_line = last_line_of(lines).to_vec();
        Ok(())
    }

    fn fill_until(&mut self, until: u64) -> io::Result<()> {
        self.zeroed += until.saturating_sub(self.end);
        let mut before = std::mem::take(&mut self.last_line);
        while self.end < until {
            let length = usize::try_from(until - self.end).unwrap_or(CHUNK_SIZE).min(CHUNK_SIZE);
            self.append(&bytelog::filler(&before, length))?;
            // The record that nothing was received is written once.
            before.clear();
        }
        self.last_line = before;
        Ok(())
    }
}

impl JournalState {
    /// Returns the length of the intact start of the file, from its current length. Since the last check, `written - seen` bytes were
    /// appended after a cut, or after bytes added from outside.
    fn intact_length(&self, length: u64) -> u64 {
        if length == self.written {
            self.written
        } else {
            self.synced.min((length + self.last_length).saturating_sub(self.written))
        }
    }
}

/// Passes the first `length` bytes of a file to a function, in order. They must be there.
fn copy_piecewise(file: &dyn File, length: u64, mut to: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let (mut piece, mut at) = (vec![0; CHUNK_SIZE], 0);
    while at < length {
        let wanted = piece.len().min(usize::try_from(length - at).unwrap_or(CHUNK_SIZE));
        let count = file.read_at(&mut piece[..wanted], at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        to(&piece[..count])?;
        at += count as u64;
    }
    Ok(())
}

/// Returns the last end of a line up to this position.
fn end_of_line(file: &dyn File, place: u64) -> io::Result<u64> {
    let before = bytes_before(file, place)?;
    Ok(place - before.len() as u64 + before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1))
}

/// Returns the line that ends at this position.
fn last_line(file: &dyn File, end: u64) -> io::Result<Vec<u8>> {
    let before = bytes_before(file, end)?;
    Ok(last_line_of(&before).to_vec())
}

fn last_line_of(lines: &[u8]) -> &[u8] {
    lines.strip_suffix(b"\n").unwrap_or(lines).rsplit(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// Returns the bytes before a position, as many as a line can have.
fn bytes_before(file: &dyn File, place: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; place.min(MAX_LINE_LEN) as usize];
    let (from, mut count) = (place - bytes.len() as u64, 0);
    while count < bytes.len() {
        match file.read_at(&mut bytes[count..], from + count as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => count += read,
        }
    }
    Ok(bytes)
}
