//! `alive.json` of an outlet: a sign that the recorder writes it.
//!
//! The file is overwritten in place every [`INTERVAL`], always with the same length, and never synced. It is no event, because nothing of
//! it is in a log. Readers judge by when it last changed, not by the time in it: clocks of machines differ.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::disk::{self, Disk, RealDisk};

/// Name of the file.
pub const ALIVE_FILE: &str = "alive.json";
/// Interval between two signs.
const INTERVAL: Duration = Duration::from_secs(5);

/// Signs of all outlets.
#[derive(Debug, Default)]
pub struct SignsOfLife {
    next: Option<Instant>,
}

impl SignsOfLife {
    /// Writes a sign into each folder, if the last one is [`INTERVAL`] ago.
    pub fn write<'f>(&mut self, folders: impl Iterator<Item = &'f Path>) {
        if self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        self.next = Some(Instant::now() + INTERVAL);
        for folder in folders {
            // The files of the outlet report problems of their folder.
            if let Err(error) = write_sign(folder, Utc::now()) {
                tracing::debug!(folder = %folder.display(), %error, "no sign of life can be written");
            }
        }
    }
}

fn write_sign(folder: &Path, now: DateTime<Utc>) -> io::Result<()> {
    let path = folder.join(ALIVE_FILE);
    let file = match disk::if_found(RealDisk.open(&path))? {
        Some(file) => file,
        None => RealDisk.create(&path)?,
    };
    // Thirteen digits hold every time until the year 2286, so the length stays the same.
    file.write_at(format!("{{\"alive\":{:013}}}\n", now.timestamp_millis()).as_bytes(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_replaces_earlier_one_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let text = |seconds: i64| {
            write_sign(folder.path(), DateTime::from_timestamp(seconds, 0).unwrap()).unwrap();
            std::fs::read_to_string(folder.path().join(ALIVE_FILE)).unwrap()
        };
        assert_eq!(text(1_795_651_982), "{\"alive\":1795651982000}\n");
        assert_eq!(text(1_795_651_900), "{\"alive\":1795651900000}\n");
        assert!(write_sign(&folder.path().join("gone"), Utc::now()).is_err());
    }
}
