//! A log that can be read again and again, wherever it is kept.

use std::io::{self, BufRead, Cursor};
use std::sync::Arc;

use super::{Header, LogRecords};

/// Where the text of a log is read from.
pub type LogSource<'a> = Box<dyn BufRead + 'a>;

/// A log that can be read, and what to call it in messages.
pub struct LogInput<'a> {
    /// A path, usually.
    pub name: String,
    /// Its head.
    pub header: Header,
    open: Box<dyn Fn() -> io::Result<LogSource<'a>> + 'a>,
}

impl<'a> LogInput<'a> {
    /// A log with this head that is opened like this, whenever it is read.
    pub fn new(name: String, header: Header, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> LogInput<'a> {
        LogInput { name, header, open: Box::new(open) }
    }

    /// The same; its head is read now.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn open(name: String, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> io::Result<LogInput<'a>> {
        let header = LogRecords::new(open()?)?.header().clone();
        Ok(LogInput::new(name, header, open))
    }

    /// A log in memory.
    pub fn from_text(name: String, text: impl Into<Arc<[u8]>>) -> LogInput<'a> {
        let text = text.into();
        let header = LogRecords::new(&*text).map(|records| records.header().clone()).unwrap_or_default();
        let open = move || -> io::Result<LogSource<'a>> { Ok(Box::new(Cursor::new(Arc::clone(&text)))) };
        LogInput::new(name, header, open)
    }

    /// Its records, from the first on.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn records(&self) -> io::Result<LogRecords<LogSource<'a>>> {
        LogRecords::new((self.open)()?)
    }
}
