//! A log that can be read again and again, wherever it is kept.

use std::io::{self, BufRead, Cursor};
use std::sync::Arc;

use super::{Header, Records};

/// Where the text of a log is read from.
pub type LogSource<'a> = Box<dyn BufRead + 'a>;

/// A log that can be read, and what to call it in messages.
pub struct NamedLog<'a> {
    /// A path, usually.
    pub name: String,
    /// Its head.
    pub header: Header,
    open: Box<dyn Fn() -> io::Result<LogSource<'a>> + 'a>,
}

impl<'a> NamedLog<'a> {
    /// A log with this head that is opened like this, whenever it is read.
    pub fn new(name: String, header: Header, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> NamedLog<'a> {
        NamedLog { name, header, open: Box::new(open) }
    }

    /// The same; its head is read now.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn open(name: String, open: impl Fn() -> io::Result<LogSource<'a>> + 'a) -> io::Result<NamedLog<'a>> {
        let header = Records::new(open()?)?.header().clone();
        Ok(NamedLog::new(name, header, open))
    }

    /// A log in memory.
    pub fn from_text(name: String, text: impl Into<Arc<[u8]>>) -> NamedLog<'a> {
        let text = text.into();
        let header = Records::new(&*text).map(|records| records.header().clone()).unwrap_or_default();
        let open = move || -> io::Result<LogSource<'a>> { Ok(Box::new(Cursor::new(Arc::clone(&text)))) };
        NamedLog::new(name, header, open)
    }

    /// Its records, from the first on.
    ///
    /// # Errors
    ///
    /// As the source says.
    pub fn records(&self) -> io::Result<Records<LogSource<'a>>> {
        Records::new((self.open)()?)
    }
}
