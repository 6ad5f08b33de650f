//! System limit on open files, the first that a station reaches.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files per board: port, log, live file, and one more while a file is replaced or read.
const FILES_PER_BOARD: u64 = 4;
/// Open files of the rest of a station: standard streams, runtime, sockets, operators, metrics, alarm commands and public files.
const BASE_FILES: u64 = 160;

/// Returns the number of files that a station with so many boards may have open.
pub fn files_needed(boards: usize) -> u64 {
    BASE_FILES + FILES_PER_BOARD * boards as u64
}

/// Raises the limit of open files to `needed` if allowed.
///
/// # Errors
///
/// Returns a remedy if the limit stays lower.
pub fn allow_files(needed: u64) -> Result<(), String> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` means no limit.
    if current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let wanted = maximum.map_or(needed, |maximum| maximum.min(needed));
    if current.is_none_or(|current| current < wanted) {
        let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
        raised.map_err(|error| limit_too_low_message(current.unwrap_or(0), needed, &error.to_string()))?;
    }
    if wanted < needed { Err(limit_too_low_message(wanted, needed, "the hard limit is lower")) } else { Ok(()) }
}

fn limit_too_low_message(limit: u64, needed: u64, why: &str) -> String {
    format!(
        "this process may have {limit} files open, but that many boards need {needed} ({why}); \
         set LimitNOFILE={needed} in the service, or ulimit -n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insufficient_limit_is_reported_with_remedy() {
        assert_eq!(allow_files(files_needed(1)), Ok(()));
        let Some(hard) = getrlimit(Resource::Nofile).maximum else { return };
        let error = allow_files(hard + 1).unwrap_err();
        assert!(error.contains(&format!("LimitNOFILE={}", hard + 1)), "{error}");
    }
}
