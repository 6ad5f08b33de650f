//! The byte log: what a serial line said, and when. The ground truth from which everything else can be made again.
//!
//! One text file is the crash journal, the regression test, the bug report and the demonstration. It holds what came
//! from the board, what an operator asked for, and every moment at which the recorder acted because time had passed;
//! so whoever feeds it to the same core gets the same PDN, byte for byte. It is text, so that a person can read it,
//! shorten it and write one by hand; each record may carry a checksum, so that nobody has to wonder whether it is whole.
//!
//! ```text
//! # damcast byte log 1
//! # line: hall-a-3                        "# key: value" lines, provenance first
//! # opened: 2026-11-21T09:30:00.000+01:00
//! # game-type: 20
//! # mode: single
//! 0 = up
//! 12 > 4d
//! 25 < 930005010b
//! 1040 < 8e00051f00 ;12efc721             CRC-32C of everything before " ;"
//! 2000 ! result 2-0
//! 5300 .
//! 6000 @ 2026-11-21T09:30:06.000+01:00
//! ```
//!
//! | kind | meaning | replayed |
//! |---|---|---|
//! | `<` | bytes from the board, as one read brought them; boundaries mean nothing | yes |
//! | `>` | bytes to the board | no: the core makes its own |
//! | `=` | the link went `up` or `down` | yes |
//! | `!` | an operator's request | yes |
//! | `?` | a note of the recorder | no |
//! | `.` | time is now this; nothing else happened | yes |
//! | `~` | boards of a bus were asked and had nothing to tell, several in one record ([`Unchanged`]) | yes, each at its time |
//! | `@` | the machine's clock was set, and shows this | yes |
//! | other | of a later version | no |
//!
//! Where something was lost, by a cut or a loss of power, stands `# lost: BYTES bytes`, with as many bytes of such lines as are
//! missing.
//!
//! `.` is an extension of format 1. The recorder writes it before it publishes something because time passed rather
//! than because bytes came; without it a replay would have to guess how far time went before the next bytes. `~` is another:
//! it says in few bytes what `<` and `>` would say in many, and a reader that does not know it takes the boards for silent. Logs
//! of earlier versions have `-` for it, written in another way.
//!
//! `@` is one as well: the times of the records do not jump when somebody sets the machine's clock, so it says which moment a
//! time is from then on. A reader that does not know it counts from `opened`.
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
pub use line::{Fault, Line, LineError, parse_line};
pub use named::{NamedLog, Source};
pub use packing::Packing;
pub use reader::{ByteLog, LogError, Problem, Reader, Records, Summary, read, read_longest};
pub use record::{Kind, Record};
pub use unchanged::{Piece, Unchanged};
