//! All logs of a folder, and the one place where the bytes of a log are read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A log by its name, `LINE-NUMBER.log`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LogFile {
    /// The line that its name tells.
    pub line: String,
    /// Its number among the logs of the line, from 1.
    pub number: u32,
    /// Where it is.
    pub path: PathBuf,
}

/// The logs of a folder by line and number.
///
/// # Errors
///
/// When the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<LogFile>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some((line, number)) = name.to_str().and_then(parts) else { continue };
        logs.push(LogFile { line: line.to_owned(), number, path: folder.join(&name) });
    }
    logs.sort();
    Ok(logs)
}

/// Line and number of a log's name.
fn parts(name: &str) -> Option<(&str, u32)> {
    let (line, number) = name.strip_suffix(".log")?.rsplit_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    Some((line, number.parse().ok().filter(|_| is_number && !line.is_empty())?))
}

/// All that a log holds.
///
/// # Errors
///
/// As the disk says.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parts("hall-1-12.log"), Some(("hall-1", 12)));
        for other in ["a.log", "a-01.log", "a-x.log", "-1.log", "a-1.pdn", "a-1.recovered-1.pdn", "a-99999999999.log"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
