//! The byte log: what a serial line said, and when. The ground truth from which everything else can be made again.
//!
//! The format stands in `docs/bytelog.md`; `~` records are [`IdleAnswer`].
//!
//! Invariants: `read(log.to_text())` gives the log back; a record is written with its checksum and one LF, and nothing
//! in it can break the line; a log that was torn by a crash loses its torn last line and nothing else; any other damage
//! is an error that names line and column. Absent on purpose: files, and what the bytes mean.

mod checksum;
mod gap_filler;
mod header;
mod hex;
mod idle_answer;
mod idle_packer;
mod line;
mod named;
mod reader;
mod record;

pub use gap_filler::filler;
pub use header::{
    BoardHeader, FORMAT_VERSION, Header, HeaderError, KEY_CLOCK, KEY_CONTINUES, KEY_DATES_FROM, KEY_GAMES_BEFORE,
    KEY_LATE_START, Mode,
};
pub use idle_answer::{AnswerPart, IdleAnswer};
pub use idle_packer::IdlePacker;
pub use line::{LineError, LogFault, LogLine, parse_line};
pub use named::{LogInput, LogSource};
pub use reader::{ByteLog, LogError, LogProblem, LogReader, LogRecords, LogSummary, read, read_valid_prefix};
pub use record::{Record, RecordKind};
