//! The logs of a line on disk, and the part of them that a start needs.
//!
//! ```text
//!   board-1-1.log   continues: no      ┐
//!   board-1-2.log   continues: yes     ┘ an older chain: its games are complete or given up
//!   board-1-3.log   continues: no      ┐ read: this chain alone
//!   board-1-4.log   continues: yes     ┘
//! ```

use std::io;
use std::path::{Path, PathBuf};

use damcast_engine::bytelog::{LogInput, LogRecords, LogSummary};

use super::chain::PreviousLog;
use crate::disk::{self, Disk};

/// The logs of a line, back to the start of its last chain.
#[derive(Default)]
pub struct LogHistory<'d> {
    /// Logs in the order of their numbers.
    pub logs: Vec<LogInput<'d>>,
    /// Number of the last log.
    pub last: Option<u32>,
    /// Number of the next log.
    pub next: u32,
    /// Messages for the operator about logs that are left out.
    pub problems: Vec<String>,
}

impl<'d> LogHistory<'d> {
    /// Finds the logs of a line and reads their heads.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder or a log cannot be read at all.
    pub fn read(disk: &'d dyn Disk, folder: &Path, line: &str) -> io::Result<LogHistory<'d>> {
        let mut numbers = numbers(&disk.list(folder)?, line, ".log");
        numbers.sort_unstable();
        let mut history =
            LogHistory { next: numbers.last().map_or(1, |last| last.saturating_add(1)), ..LogHistory::default() };
        // Entry of the next log about this one.
        let mut after: Option<PreviousLog> = None;
        for number in numbers.into_iter().rev() {
            let path = path(folder, line, number);
            let name = path.display().to_string();
            let head = match disk.reader(&path, 0) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied || disk::is_not_regular_file(&error) => {
                    history.problems.push(format!("{name}: {error}; it is not used"));
                    continue;
                }
                source => LogRecords::new(source?)?,
            };
            if head.header().opened.is_none() {
                let summary = head.into_summary()?;
                // An empty file comes from a start that was killed before its first write.
                if summary.bytes > 0 {
                    history.problems.extend(problems(&name, &summary));
                    history.problems.push(format!("{name}: it does not say when it was opened, so it is not used"));
                }
                continue;
            }
            if let Some(before) = after.filter(|before| before.number >= number) {
                let gone = self::path(folder, line, before.number);
                history.problems.extend(match before.number > number {
                    true => Some(format!("{}: it is not there any more", gone.display())),
                    false => before.difference(disk.length(&path)?, None).map(|message| format!("{name}: {message}")),
                });
            }
            after = PreviousLog::of(head.header());
            history.last = history.last.or(Some(number));
            let log = LogInput::new(name, head.header().clone(), move || disk.reader(&path, 0));
            let begins_chain = log.header.continues() == Some(false);
            history.logs.insert(0, log);
            if begins_chain {
                break;
            }
        }
        Ok(history)
    }
}

/// Returns the messages for the operator about a log that was read.
pub fn problems(name: &str, summary: &LogSummary) -> Vec<String> {
    let mut problems: Vec<String> = summary.problems.iter().map(|problem| format!("{name}: {problem}")).collect();
    let damage = summary.damage.as_ref();
    problems.extend(damage.map(|damage| format!("{name}: {damage}; what follows it in this log is not used")));
    problems
}

/// Returns the path of a log.
pub fn path(folder: &Path, line: &str, number: u32) -> PathBuf {
    folder.join(format!("{line}-{number}.log"))
}

/// Returns the numbers of all files `LINE-NUMBER` with this suffix among the names, in no order.
pub fn numbers(names: &[String], line: &str, suffix: &str) -> Vec<u32> {
    numbered(names, line, suffix).filter(|number| is_number(number)).filter_map(|number| number.parse().ok()).collect()
}

/// Returns the addresses and numbers of all files `LINE-ADDRESS-NUMBER` with this suffix among the names, in no order.
pub fn board_log_numbers(names: &[String], line: &str, suffix: &str) -> Vec<(u16, u32)> {
    let pair = |rest: &str| {
        let (address, number) = rest.split_once('-').filter(|(a, b)| is_number(a) && is_number(b))?;
        Some((address.parse().ok()?, number.parse().ok()?))
    };
    numbered(names, line, suffix).filter_map(pair).collect()
}

/// Returns the parts between `LINE-` and this suffix of the names that have both.
fn numbered<'n>(names: &'n [String], line: &'n str, suffix: &'n str) -> impl Iterator<Item = &'n str> {
    names.iter().filter_map(move |name| name.strip_prefix(line)?.strip_prefix('-')?.strip_suffix(suffix))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0')
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::RealDisk;

    fn log(opened: &str, continues: &str) -> String {
        format!("# damcast byte log 1\n# line: a\n# opened: {opened}\n# continues: {continues}\n0 = up\n")
    }

    #[test]
    fn reads_back_to_start_of_last_chain() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a-1.log", &log("2026-11-21T09:00:00Z", "no"));
        write("a-2.log", &log("2026-11-21T10:00:00Z", "no"));
        write("a-9.log", &(log("2026-11-21T11:00:00Z", "yes") + "5 < ff"));
        write("a-10.log", "# damcast byte log 1\n# line: a\n");
        write("a-8.log", "");
        for other in ["a-x.log", "a-01.log", "a-1-7.log", "ab-8.log", "a-11.pdn", "a-.log", "a-99999999999.log"] {
            write(other, "what is this?");
        }
        let history = LogHistory::read(&RealDisk, folder.path(), "a").unwrap();
        let names: Vec<&str> = history.logs.iter().map(|log| log.name.rsplit('/').next().unwrap()).collect();
        assert_eq!((names.as_slice(), history.next), (["a-2.log", "a-9.log"].as_slice(), 11));
        assert_eq!(history.problems.len(), 1, "{:?}", history.problems);
        assert!(history.problems[0].contains("a-10.log: it does not say when"), "{:?}", history.problems);
        let torn = &history.logs[1];
        let problems = problems(&torn.name, &torn.records().unwrap().into_summary().unwrap());
        assert!(problems.len() == 1 && problems[0].contains("in the middle of a line"), "{problems:?}");
    }

    #[test]
    fn address_identifies_files_of_boards() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["a-7-1.pdn", "a-1025-12.pdn", "a-3.pdn", "a-x-1.pdn", "a-07-1.pdn", "a-7-1.log", "a-7-.pdn", "ab-7-1.pdn"]
        {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut found = board_log_numbers(&RealDisk.list(folder.path()).unwrap(), "a", ".pdn");
        found.sort_unstable();
        assert_eq!(found, [(7, 1), (1025, 12)]);
    }

    #[test]
    fn new_line_has_no_history() {
        let folder = tempfile::tempdir().unwrap();
        let history = LogHistory::read(&RealDisk, folder.path(), "a").unwrap();
        assert_eq!((history.logs.len(), history.next), (0, 1));
    }
}
