//! Copy of a hall's events on the hub's disk: whole lines, in their order, equal byte for byte to the hall's file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::line::PlacedLine;
use crate::follow::MAX_LINE_LEN;
use crate::web::files::EVENTS_FILE;

/// End of a copy: where the next line belongs.
#[derive(Clone, Default, Debug)]
pub(super) struct CopyPosition {
    /// Generation of the lines; `None` without lines.
    pub generation: Option<String>,
    /// Number of the last line.
    pub seq: u64,
    /// Length of all lines in bytes.
    pub bytes: u64,
    /// SHA-256 of all lines.
    pub hash: Sha256,
}

impl CopyPosition {
    /// Adds the next line, with its LF, and returns its place.
    ///
    /// # Errors
    ///
    /// Returns the reason why it is not the next line.
    pub fn add(&mut self, line: &[u8]) -> Result<PlacedLine, String> {
        let placed: PlacedLine =
            serde_json::from_slice(line).map_err(|error| format!("line {}: {error}", self.seq + 1))?;
        if placed.seq != self.seq + 1 {
            return Err(format!("line {} has the number {}", self.seq + 1, placed.seq));
        }
        if self.generation.as_ref().is_some_and(|known| *known != placed.r#gen) {
            return Err(format!("line {} is of another generation", placed.seq));
        }
        self.generation = Some(placed.r#gen.clone());
        self.seq = placed.seq;
        self.bytes += line.len() as u64;
        self.hash.update(line);
        Ok(placed)
    }
}

/// File with the copied lines of a hall.
#[derive(Debug)]
pub(super) struct HallCopy {
    path: PathBuf,
    file: Option<File>,
    /// End of the lines.
    pub position: CopyPosition,
    /// Number of the last line that was read, and the offset after it.
    read: (u64, u64),
    is_durable: bool,
}

impl HallCopy {
    /// Opens the copy in a folder. Removes an incomplete last line; a file with other mistakes is moved to `aside`.
    pub fn open(folder: &Path, aside: &Path) -> io::Result<HallCopy> {
        fs::create_dir_all(folder)?;
        let path = folder.join(EVENTS_FILE);
        let mut copy =
            HallCopy { path, file: None, position: CopyPosition::default(), read: (0, 0), is_durable: false };
        let Some(file) = if_found(File::open(&copy.path))? else { return Ok(copy) };
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
                break;
            }
            if let Err(problem) = copy.position.add(&line) {
                tracing::error!(file = %copy.path.display(), problem, "a copy is damaged; it is put aside and begun anew");
                copy.put_aside(aside)?;
                return Ok(copy);
            }
        }
        let file = OpenOptions::new().read(true).append(true).open(&copy.path)?;
        file.set_len(copy.position.bytes)?;
        copy.file = Some(file);
        Ok(copy)
    }

    /// Appends lines that follow line `after`, up to a position; [`HallCopy::sync`] makes them durable. Lines that do not follow the last one are
    /// refused. After an error the copy is as before.
    pub fn append(&mut self, after: u64, lines: &[u8], position: CopyPosition) -> io::Result<()> {
        if after != self.position.seq {
            return Err(io::Error::other("lines before them could not be written"));
        }
        if self.file.is_none() {
            self.file = Some(OpenOptions::new().read(true).append(true).create(true).open(&self.path)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Err(error) = file.write_all(lines) {
            file.set_len(self.position.bytes)?;
            return Err(error);
        }
        (self.position, self.is_durable) = (position, false);
        Ok(())
    }

    /// Makes all lines durable.
    pub fn sync(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| !self.is_durable) {
            file.sync_data()?;
        }
        self.is_durable = true;
        Ok(())
    }

    /// Removes all lines.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file = None;
        if_found(fs::remove_file(&self.path))?;
        (self.position, self.read) = (CopyPosition::default(), (0, 0));
        Ok(())
    }

    /// Moves the lines to a folder that only the hub may read, and begins anew.
    pub fn put_aside(&mut self, aside: &Path) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(aside)?;
        let hall = self.path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let free = (1..).map(|n| aside.join(format!("{hall}-{n}.ndjson"))).find(|path| !path.exists());
        if let Some(free) = free {
            if_found(fs::rename(&self.path, free))?;
        }
        self.file = None;
        (self.position, self.read) = (CopyPosition::default(), (0, 0));
        Ok(())
    }

    /// Passes each line after number `after` to `take`, with its number. The search for a line begins at the last one that was read.
    pub fn read_after(&mut self, after: u64, mut take: impl FnMut(u64, &str)) -> io::Result<()> {
        if after >= self.position.seq {
            return Ok(());
        }
        if self.read.0 > after {
            self.read = (0, 0);
        }
        let mut file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(self.read.1))?;
        let mut lines = BufReader::new(file);
        let mut line = String::new();
        while self.read.0 < self.position.seq {
            line.clear();
            let length = lines.read_line(&mut line)? as u64;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.read = (self.read.0 + 1, self.read.1 + length);
            if self.read.0 > after {
                take(self.read.0, &line);
            }
        }
        Ok(())
    }
}

/// Returns `None` if a file is missing.
pub(super) fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the next line, with its LF, into `line`; at the end of the source, or at an incomplete line there, leaves it empty.
///
/// # Errors
///
/// Returns an error if the line is too long, and any I/O error.
pub(super) fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    io::Read::take(from, MAX_LINE_LEN as u64 + 1).read_until(b'\n', line)?;
    if line.len() > MAX_LINE_LEN {
        return Err(io::Error::other(format!("a line is longer than {MAX_LINE_LEN} bytes")));
    }
    if !line.ends_with(b"\n") {
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64) -> String {
        format!("{{\"seq\":{seq},\"gen\":\"g\",\"type\":\"clock\"}}\n")
    }

    fn append(copy: &mut HallCopy, lines: &str) {
        let mut position = copy.position.clone();
        lines.split_inclusive('\n').for_each(|line| drop(position.add(line.as_bytes()).unwrap()));
        // Lines after a gap are refused.
        assert!(copy.append(copy.position.seq + 1, b"x\n", position.clone()).is_err());
        copy.append(copy.position.seq, lines.as_bytes(), position).unwrap();
    }

    #[test]
    fn copy_is_cut_to_whole_lines_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (hall, aside) = (folder.path().join("hall"), folder.path().join("aside"));
        let mut copy = HallCopy::open(&hall, &aside).unwrap();
        append(&mut copy, &[line(1), line(2)].concat());
        let path = hall.join(EVENTS_FILE);
        fs::write(&path, [line(1), line(2), line(3)[..9].to_owned()].concat()).unwrap();
        let mut copy = HallCopy::open(&hall, &aside).unwrap();
        assert_eq!((copy.position.seq, copy.position.generation.as_deref()), (2, Some("g")));
        append(&mut copy, &line(3));
        let expected = [line(1), line(2), line(3)].concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(copy.position.hash.clone().finalize(), Sha256::digest(&expected));
        let mut read = Vec::new();
        for after in [1, 2, 0] {
            copy.read_after(after, |seq, text| read.push((seq, text.to_owned()))).unwrap();
        }
        assert_eq!(read, [2, 3, 3, 1, 2, 3].map(|seq| (seq, line(seq))));
        for wrong in [line(3), line(5), line(4).replace("\"g\"", "\"h\""), "x\n".to_owned(), "{}\n".to_owned()] {
            assert!(copy.position.clone().add(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn damaged_copy_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let (hall, aside) = (folder.path().join("hall"), folder.path().join("aside"));
        for n in 1..=2 {
            fs::create_dir_all(&hall).unwrap();
            fs::write(hall.join(EVENTS_FILE), [line(1), line(7)].concat()).unwrap();
            let copy = HallCopy::open(&hall, &aside).unwrap();
            assert_eq!(copy.position.seq, 0);
            assert!(aside.join(format!("hall-{n}.ndjson")).exists());
        }
        copy_files_are_private(&aside);
    }

    fn copy_files_are_private(aside: &Path) {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(aside).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn long_and_incomplete_lines_are_not_taken() {
        let mut line = Vec::new();
        read_line(&mut &b"{\"a\":1}\n{\"b\""[..], &mut line).unwrap();
        assert_eq!(line, b"{\"a\":1}\n");
        read_line(&mut &b"{\"b\""[..], &mut line).unwrap();
        assert!(line.is_empty());
        assert!(read_line(&mut &vec![b'x'; MAX_LINE_LEN + 2][..], &mut line).is_err());
    }
}
