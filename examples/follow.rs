//! Follows the events of an outlet and prints each line; changes of the file are reported on standard error.
//!
//! `cargo run --example follow -- recordings/public/events.ndjson`

use std::io::{self, Write};
use std::time::Duration;

use damcast::outward::follow::{FollowEvent, Follower, Progress};

fn main() -> io::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("which file? cargo run --example follow -- recordings/public/events.ndjson"));
    };
    let mut follower = Follower::new(path, Progress::default());
    loop {
        match follower.next(Duration::from_secs(60))? {
            Some(FollowEvent::Line(line)) => io::stdout().lock().write_all(line.text.as_bytes())?,
            Some(FollowEvent::FileMissing) => eprintln!("there is no file; waiting for it"),
            Some(FollowEvent::Truncated { lines }) => {
                eprintln!("it has only {lines} lines now; waiting for the others")
            }
            Some(FollowEvent::Resumed) => eprintln!("it is as it was"),
            Some(FollowEvent::Restarted { generation, reason: why }) => {
                eprintln!("it begins anew ({why:?}): {generation:?}")
            }
            Some(FollowEvent::Damaged { seq, problem: damage }) => eprintln!("line {seq} is no event: {damage}"),
            None => {}
        }
    }
}
