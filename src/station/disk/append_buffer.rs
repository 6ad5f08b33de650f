//! A file that grows, and what the disk has not taken yet.
//!
//! ```text
//!   the file      │ what was taken                │
//!   in memory                                     │ what is to follow it │
//! ```
//!
//! A disk that is full, or read-only for a while, costs nothing: what it does not take waits here, in order, and follows
//! when the fault is over. A write that was cut short is completed, so no line is ever torn for good.

use std::io;
use std::sync::Arc;

use super::{File, append_all};

/// Maximum number of bytes that wait in memory: a day of one board has about 4 MB.
const MAX_BUFFERED: usize = 16 << 20;

/// A file that grows.
pub struct AppendBuffer {
    file: Arc<dyn File>,
    buffered: Vec<u8>,
    length: u64,
}

/// More waits for the disk than memory is kept for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {} MB wait for the disk", MAX_BUFFERED >> 20)]
pub struct BufferFull;

impl AppendBuffer {
    /// A file of which everything is on the disk.
    ///
    /// # Errors
    ///
    /// When its length cannot be found out.
    pub fn new(file: Arc<dyn File>) -> io::Result<AppendBuffer> {
        let length = file.length()?;
        Ok(AppendBuffer { file, buffered: Vec::new(), length })
    }

    /// Adds bytes, in one write if nothing waits. Returns the fault of the disk that makes them wait; that is not an error.
    ///
    /// # Errors
    ///
    /// When more waits than there is memory for; nothing has been added then.
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

    /// Adds bytes that are to wait for something else; [`AppendBuffer::flush`] writes them.
    ///
    /// # Errors
    ///
    /// When more waits than there is memory for; nothing has been added then.
    pub fn enqueue(&mut self, bytes: &[u8]) -> Result<(), BufferFull> {
        if self.buffered.len() + bytes.len() > MAX_BUFFERED {
            return Err(BufferFull);
        }
        self.buffered.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what waits.
    ///
    /// # Errors
    ///
    /// When the disk still does not take all of it; the rest goes on waiting.
    pub fn flush(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.buffered);
        self.append(&waiting).map_err(|(taken, error)| {
            self.buffered = waiting[taken..].to_vec();
            error
        })
    }

    /// Writes, and says how far it came if not to the end.
    fn append(&mut self, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
        let result = append_all(&*self.file, bytes);
        let taken = result.as_ref().map_or_else(|(taken, _)| *taken, |()| bytes.len());
        self.length += taken as u64;
        result
    }

    /// Is everything on the disk?
    pub fn is_flushed(&self) -> bool {
        self.buffered.is_empty()
    }

    /// How long it is when everything is on the disk.
    pub fn length(&self) -> u64 {
        self.length + self.buffered.len() as u64
    }

    /// The file.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use super::*;

    /// A file on a disk that has this much space left.
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
