//! Log that can be read repeatedly, regardless of its storage.

use std::io::{self, BufRead, Cursor};
use std::rc::Rc;
use std::sync::Arc;

use super::{Header, LogRecords};

/// Reader of the text of a log.
pub type LogSource<'a> = Box<dyn BufRead + 'a>;

/// Readable log with a name for messages.
#[derive(Clone)]
pub struct LogInput<'a> {
    /// Name for messages, usually a path.
    pub name: String,
    /// Header of the log.
    pub header: Header,
    open: Rc<dyn Fn() -> io::Result<LogSource<'a>> + 'a>,
}

impl<'a> LogInput<'a> {
    /// Creates an input with a known header. `open` runs for every reading.
    pub fn new(name: String, header: Header, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> LogInput<'a> {
        LogInput { name, header, open: Rc::new(open) }
    }

    /// Creates an input and reads its header.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source.
    pub fn open(name: String, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> io::Result<LogInput<'a>> {
        let header = LogRecords::new(open()?)?.header().clone();
        Ok(LogInput::new(name, header, open))
    }

    /// Creates an input from text in memory.
    pub fn from_text(name: String, text: impl Into<Arc<[u8]>>) -> LogInput<'a> {
        let text = text.into();
        let header = LogRecords::new(&*text).map(|records| records.header().clone()).unwrap_or_default();
        let open = move || -> io::Result<LogSource<'a>> { Ok(Box::new(Cursor::new(Arc::clone(&text)))) };
        LogInput::new(name, header, open)
    }

    /// Returns a reader of the bytes.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source.
    pub fn source(&self) -> io::Result<LogSource<'a>> {
        (self.open)()
    }

    /// Returns a reader of the records, starting at the first.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the source.
    pub fn records(&self) -> io::Result<LogRecords<LogSource<'a>>> {
        LogRecords::new((self.open)()?)
    }
}
