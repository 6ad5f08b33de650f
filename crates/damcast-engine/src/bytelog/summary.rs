//! Summary of a log that was read, with its problems and its fault.

use chrono::{DateTime, FixedOffset};

use super::line::LogFault;

/// Problem that does not prevent the reading of a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogProblem {
    /// Incomplete last line.
    #[error("line {line}: the log ends in the middle of a line; its last {bytes} bytes were left out")]
    TornEnd {
        /// Line number, from 1.
        line: usize,
        /// Number of bytes left out.
        bytes: usize,
    },
    /// Loss of bytes, marked by filler lines.
    #[error("line {line}: {bytes} bytes were lost here, by a cut or a loss of power; what stands around them is used")]
    BytesLost {
        /// Line number, from 1.
        line: usize,
        /// Number of lost bytes.
        bytes: u64,
    },
    /// Header that differs from its checksum.
    #[error("the lines above the first record, or their checksum, were changed or damaged")]
    HeaderChanged,
    /// Incomplete header without a record after it.
    #[error(
        "the lines above the first record are incomplete, and no record follows: the start that opened the log was cut off"
    )]
    HeaderTorn,
}

/// Fault in a log, with its line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct LogError {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Fault and its remedy.
    pub fault: LogFault,
}

/// Summary of a log, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSummary {
    /// Number of bytes read.
    pub bytes: u64,
    /// Number of records in these bytes.
    pub records: u64,
    /// Time of the last event, in milliseconds since the log was opened; 0 without records.
    pub end_time: u64,
    /// Clock readings: time in milliseconds since the opening, and wall-clock time.
    pub clock_set: Vec<(u64, DateTime<FixedOffset>)>,
    /// Problems that did not prevent the reading.
    pub problems: Vec<LogProblem>,
    /// Fault that ended the reading; later lines were not read.
    pub damage: Option<LogError>,
}
