//! The byte log: what a serial line said, and when. The ground truth from which everything else can be made again.
//!
//! The format stands in `docs/bytelog.md`; `~` records are [`Unchanged`].
//!
//! Invariants: `read(log.to_text())` gives the log back; a record is written with its checksum and one LF, and nothing
//! in it can break the line; a log that was torn by a crash loses its torn last line and nothing else; any other damage
//! is an error that names line and column. Absent on purpose: files, and what the bytes mean.

mod checksum;
mod filler;
mod header;
mod hex;
mod line;
mod named;
mod packing;
mod reader;
mod record;
mod unchanged;

pub use filler::filler;
pub use header::{
    BoardHeader, CLOCK, CONTINUES, DATES_FROM, FORMAT, GAMES_BEFORE, Header, HeaderError, LATE_START, Mode,
};
pub use line::{Fault, LineError, LogLine, parse_line};
pub use named::{LogSource, NamedLog};
pub use packing::Packing;
pub use reader::{ByteLog, LogError, LogProblem, LogReader, Records, Summary, read, read_longest};
pub use record::{Record, RecordKind};
pub use unchanged::{AnswerPart, Unchanged};
