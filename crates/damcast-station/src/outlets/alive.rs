//! `alive.json` of an outlet: a sign that the recorder writes it, and the delay of the outlet, which pages tell their viewers.
//!
//! The file is overwritten in place every [`INTERVAL`], always with the same length, and never synced. It is no event, because nothing of
//! it is in a log. Readers judge by when it last changed, not by the time in it: clocks of machines differ.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use damcast_engine::broadcast::Delay;

use crate::disk::{self, Disk, RealDisk};

/// Name of the file.
pub const ALIVE_FILE: &str = "alive.json";
/// Interval between two signs.
const INTERVAL: Duration = Duration::from_secs(5);
/// Length of a sign without its line feed, in bytes: more than the longest one has.
const LEN: usize = 71;

/// Signs of all outlets.
#[derive(Debug, Default)]
pub struct SignsOfLife {
    next: Option<Instant>,
}

impl SignsOfLife {
    /// Writes a sign into the folder of each outlet, if the last one is [`INTERVAL`] ago.
    pub fn write<'f>(&mut self, outlets: impl Iterator<Item = (&'f Path, Delay)>) {
        if self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        self.next = Some(Instant::now() + INTERVAL);
        for (folder, delay) in outlets {
            // The files of the outlet report problems of their folder.
            if let Err(error) = write_sign(folder, delay, Utc::now()) {
                tracing::debug!(folder = %folder.display(), %error, "no sign of life can be written");
            }
        }
    }
}

fn write_sign(folder: &Path, delay: Delay, now: DateTime<Utc>) -> io::Result<()> {
    let path = folder.join(ALIVE_FILE);
    let file = match disk::if_found(RealDisk.open(&path))? {
        Some(file) => file,
        None => RealDisk.create(&path)?,
    };
    let (alive, Delay { seconds, plies }) = (now.timestamp_millis(), delay);
    let sign = format!("{{\"alive\":{alive},\"delay_s\":{seconds},\"delay_plies\":{plies}}}");
    file.write_at(format!("{sign:LEN$}\n").as_bytes(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_replaces_earlier_one_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let text = |seconds: i64, delay: Delay| {
            write_sign(folder.path(), delay, DateTime::from_timestamp(seconds, 0).unwrap()).unwrap();
            let text = std::fs::read_to_string(folder.path().join(ALIVE_FILE)).unwrap();
            assert_eq!(text.len(), LEN + 1);
            text.trim_end().to_owned()
        };
        let most = Delay { seconds: 86_400, plies: 1000 };
        assert_eq!(text(1_795_651_982, most), r#"{"alive":1795651982000,"delay_s":86400,"delay_plies":1000}"#);
        let least = Delay::NO_DELAY;
        assert_eq!(text(1_795_651_900, least), r#"{"alive":1795651900000,"delay_s":0,"delay_plies":0}"#);
        assert!(write_sign(&folder.path().join("gone"), least, Utc::now()).is_err());
    }
}
