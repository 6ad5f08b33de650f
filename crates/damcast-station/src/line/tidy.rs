//! Compresses and later removes logs that no start reads.
//!
//! ```text
//!   a-1.log  a-2.log │ a-3.log │ a-4.log  a-5.log          chains, divided by `continues: no`
//!   └── compressed, removed when keep-days have passed ──┘ └─ the current one: nothing is touched
//! ```
//!
//! Whole chains are removed, oldest first, and only if all their games have ended. So the remaining logs are contiguous and show how
//! many games preceded them.

use std::fs;
use std::io;
use std::path::Path;

use chrono::{DateTime, FixedOffset, TimeDelta};
use damcast_engine::bytelog::LogInput;
use damcast_engine::playback;

use crate::config::LogConfig;
use crate::journal::logs::{self, LogFile};

/// Compresses and removes logs of a line. Returns descriptions of the changes.
///
/// # Errors
///
/// Returns any I/O error. Changes up to then are complete.
pub fn tidy(folder: &Path, line: &str, config: LogConfig, now: DateTime<FixedOffset>) -> io::Result<Vec<String>> {
    let mut done = Vec::new();
    if !config.compress && config.keep_days == 0 {
        return Ok(done);
    }
    let chains = chains(folder, line)?;
    let opened = |chain: &Chain| {
        let header = &chain.first()?.1.header;
        // If the clock was not set, the age is unknown.
        header.machine_clock().filter(|shown| header.is_plausible_date(*shown))
    };
    let kept = TimeDelta::days(config.keep_days.into());
    let mut is_oldest = true;
    // The last chain is current; each of the others ended when the next began.
    for (chain, next) in chains.iter().zip(chains.iter().skip(1)) {
        let is_old = config.keep_days > 0 && opened(next).is_some_and(|end| now - end > kept);
        is_oldest = is_oldest && is_old && is_finished(chain)?;
        for (file, _) in chain {
            let name = file.path.display();
            if is_oldest {
                fs::remove_file(&file.path)?;
                done.push(format!("{name} was removed: its games ended more than {} days ago", config.keep_days));
            } else if config.compress && !logs::is_compressed(&file.path) {
                logs::compress(&file.path)?;
                done.push(format!("{name} was compressed"));
            }
        }
    }
    Ok(done)
}

type Chain = Vec<(LogFile, LogInput<'static>)>;

/// Returns the chains of a line, in order.
fn chains(folder: &Path, line: &str) -> io::Result<Vec<Chain>> {
    let mut chains: Vec<Chain> = Vec::new();
    for file in logs::list(folder)?.into_iter().filter(|file| file.line == line) {
        let log = logs::named(&file)?;
        match chains.last_mut().filter(|_| log.header.continues() != Some(false)) {
            Some(chain) => chain.push((file, log)),
            None => chains.push(vec![(file, log)]),
        }
    }
    Ok(chains)
}

/// Whether all games of a chain have ended.
fn is_finished(chain: &Chain) -> io::Result<bool> {
    let logs = chain.iter().filter(|(_, log)| log.header.opened.is_some()).map(|(file, _)| logs::named(file));
    let logs = logs.collect::<io::Result<_>>()?;
    let mut is_finished = true;
    let played = playback::play_each_game(logs, |game| is_finished &= game.file.is_ended);
    Ok(played.is_ok() && is_finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn compresses_and_removes_whole_chains() {
        let folder = tempfile::tempdir().unwrap();
        for (number, day, continues) in [(1, 1, "no"), (2, 2, "yes"), (3, 5, "no"), (4, 9, "no"), (5, 10, "yes")] {
            let text = format!(
                "# damcast byte log 1\n# line: a\n# opened: 2026-11-{day:02}T09:00:00.000Z\n# continues: {continues}\n0 = up\n"
            );
            fs::write(folder.path().join(format!("a-{number}.log")), text).unwrap();
        }
        let tidy = |compress, keep_days, day| {
            let now = DateTime::parse_from_rfc3339(&format!("2026-11-{day:02}T09:00:01.000Z")).unwrap();
            tidy(folder.path(), "a", LogConfig { rotate_hours: 0, compress, keep_days }, now).unwrap().len()
        };
        assert_eq!(tidy(false, 0, 30), 0);
        assert_eq!(tidy(true, 7, 11), 3);
        assert_eq!(names(folder.path()), ["a-1.log.gz", "a-2.log.gz", "a-3.log.gz", "a-4.log", "a-5.log"]);
        assert_eq!(tidy(true, 5, 10), 2, "the first chain ended on the 5th");
        assert_eq!(names(folder.path()), ["a-3.log.gz", "a-4.log", "a-5.log"]);
        assert_eq!(tidy(true, 1, 30), 1);
        assert_eq!(names(folder.path()), ["a-4.log", "a-5.log"], "the current chain stays");
    }

    #[test]
    fn unfinished_game_keeps_logs() {
        let folder = tempfile::tempdir().unwrap();
        let recording = fs::read_to_string("../../tests/data/replay/ideal.log").unwrap();
        // Cut in the middle of a game.
        let count = recording.lines().count() / 2;
        let half: String = recording.lines().take(count).map(|line| format!("{line}\n")).collect();
        fs::write(folder.path().join("a-1.log"), half).unwrap();
        let next = "# damcast byte log 1\n# opened: 2026-12-01T09:00:00.000Z\n# continues: no\n0 = up\n";
        fs::write(folder.path().join("a-2.log"), next).unwrap();
        let now = DateTime::parse_from_rfc3339("2027-12-01T09:00:00.000Z").unwrap();
        let keeping = LogConfig { keep_days: 1, ..LogConfig::default() };
        assert_eq!(tidy(folder.path(), "a", keeping, now).unwrap(), [""; 0]);
        assert_eq!(names(folder.path()), ["a-1.log", "a-2.log"]);
    }
}
