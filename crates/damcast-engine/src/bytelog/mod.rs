//! Byte log: the timed traffic of a serial line, from which all other results can be regenerated.
//!
//! `docs/bytelog.md` describes the format; `~` records are [`IdleAnswer`].
//!
//! Invariants: `read(log.to_text())` returns the log; a record has a checksum and one LF, and its content cannot break
//! the line; a log torn by a crash loses only its torn last line; any other damage is an error with line and column.
//! Out of scope: files, and the meaning of the bytes.

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
mod summary;

pub use gap_filler::filler;
pub use header::{
    BoardHeader, FORMAT_VERSION, Header, HeaderError, KEY_CLOCK, KEY_CONTINUES, KEY_DATES_FROM, KEY_GAMES_BEFORE,
    KEY_LATE_START, Mode,
};
pub use idle_answer::{AnswerPart, IdleAnswer};
pub use idle_packer::IdlePacker;
pub use line::{LineError, LogFault, LogLine, parse_line};
pub use named::{LogInput, LogSource};
pub use reader::{ByteLog, LogReader, LogRecords, read, read_valid_prefix};
pub use record::{Record, RecordKind};
pub use summary::{LogError, LogProblem, LogSummary};
