//! Append-only file with a buffer for bytes that the disk has not accepted.
//!
//! ```text
//!   the file      │ accepted bytes                │
//!   in memory                                     │ bytes to follow them │
//! ```
//!
//! If the disk is full or temporarily read-only, nothing is lost: bytes wait here, in order, until the fault is over. A partial
//! write is completed, so no line stays torn.

use std::io;
use std::sync::Arc;

use super::{File, append_all};

/// Maximum number of buffered bytes: a day of one board has about 4 MB.
const MAX_BUFFERED: usize = 16 << 20;

/// Append-only file with its buffer.
pub struct AppendBuffer {
    file: Arc<dyn File>,
    buffered: Vec<u8>,
    length: u64,
}

/// Error: the buffer is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {} MB wait for the disk", MAX_BUFFERED >> 20)]
pub struct BufferFull;

impl AppendBuffer {
    /// Creates the buffer of a file that is complete on the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if the length of the file cannot be read.
    pub fn new(file: Arc<dyn File>) -> io::Result<AppendBuffer> {
        let length = file.length()?;
        Ok(AppendBuffer { file, buffered: Vec::new(), length })
    }

    /// Appends bytes, in one write if the buffer is empty. Returns the disk fault that makes them wait, which is no error.
    ///
    /// # Errors
    ///
    /// Returns [`BufferFull`] if the bytes do not fit; nothing is added then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<io::Error>, BufferFull> {
        if self.buffered.len() + bytes.len() > MAX_BUFFERED {
            return Err(BufferFull);
        }
        if !self.buffered.is_empty() {
            self.buffered.extend_from_slice(bytes);
            return Ok(self.flush().err());
        }
        match self.append(bytes) {
            Ok(()) => Ok(None),
            Err((taken, error)) => {
                self.buffered.extend_from_slice(&bytes[taken..]);
                Ok(Some(error))
            }
        }
    }

    /// Writes the buffered bytes.
    ///
    /// # Errors
    ///
    /// Returns the I/O error if the disk does not accept all bytes; the rest stays buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.buffered);
        self.append(&waiting).map_err(|(taken, error)| {
            self.buffered = waiting[taken..].to_vec();
            error
        })
    }

    /// Writes bytes; an error includes the number of bytes written.
    fn append(&mut self, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        let result = append_all(&*self.file, bytes);
        let taken = result.as_ref().map_or_else(|(taken, _)| *taken, |()| bytes.len());
        self.length += taken as u64;
        result
    }

    /// Whether all bytes are in the file.
    pub fn is_flushed(&self) -> bool {
        self.buffered.is_empty()
    }

    /// Returns the length of the file with all buffered bytes.
    pub fn length(&self) -> u64 {
        self.length + self.buffered.len() as u64
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use super::*;

    /// File on a disk that has the given number of bytes left.
    #[derive(Default)]
    struct SmallFile(Mutex<(Vec<u8>, usize)>);

    impl File for SmallFile {
        fn append(&self, bytes: &[u8]) -> io::Result<usize> {
            let (content, space) = &mut *self.0.lock().unwrap();
            let taken = bytes.len().min(*space);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            content.extend_from_slice(&bytes[..taken]);
            *space -= taken;
            Ok(taken)
        }

        fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            Ok(())
        }

        fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
            Ok(0)
        }

        fn length(&self) -> io::Result<u64> {
            Ok(self.0.lock().unwrap().0.len() as u64)
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        fn reserve(&self, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn is_at(&self, _: &Path, _: u64) -> bool {
            true
        }

        fn release(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn refused_bytes_follow_in_order() {
        let file = Arc::new(SmallFile::default());
        file.0.lock().unwrap().1 = 7;
        let mut buffer = AppendBuffer::new(file.clone()).unwrap();
        assert!(buffer.push(b"hello\n").unwrap().is_none());
        assert_eq!(buffer.push(b"world\n").unwrap().unwrap().kind(), io::ErrorKind::StorageFull);
        assert!(buffer.push(b"again\n").unwrap().is_some() && !buffer.is_flushed());
        assert_eq!((buffer.length(), file.length().unwrap()), (18, 7));
        file.0.lock().unwrap().1 = 4;
        assert!(buffer.flush().is_err());
        file.0.lock().unwrap().1 = 100;
        buffer.flush().unwrap();
        assert!(buffer.is_flushed() && buffer.length() == 18);
        assert_eq!(file.0.lock().unwrap().0, b"hello\nworld\nagain\n");
    }

    #[test]
    fn memory_is_bounded() {
        let mut buffer = AppendBuffer::new(Arc::new(SmallFile::default())).unwrap();
        assert!(buffer.push(&vec![0; MAX_BUFFERED]).unwrap().is_some());
        assert_eq!(buffer.push(b"x").err(), Some(BufferFull));
    }
}
