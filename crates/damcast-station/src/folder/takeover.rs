//! Takes over a copy of a station's folder on another machine: the spare begins new generations of events.
//!
//! ```text
//!   commits ──▸ ends of logs restored, witnesses of orders struck
//!   log/events*.order ──▸ events.order.aside-1
//!   public/events.ndjson and those of other outlets ──▸ removed; the next start makes them from the logs
//! ```
//!
//! A copy may lack the last events of its station, and a station that continues an order gives their numbers again. A viewer would miss
//! the new lines. So a copy never continues an order; a start cannot know that a folder is a copy.
//!
//! Each step may be repeated: a takeover that is killed is run again.

use std::io;
use std::path::Path;

use super::outlets as planned_outlets;
use crate::disk::{self, Disk, RealDisk};
use crate::journal::commits::{self, COMMITS_SIZE, Commits};
use crate::outlets::{self, Plans};
use crate::recorder::COMMITS_FILE;

/// Takes over a folder. No station may run there. Returns messages for the operator.
///
/// # Errors
///
/// Returns any I/O error. `NotFound`: the folder has no logs.
pub fn take_over(directory: &Path) -> io::Result<Vec<String>> {
    let log = directory.join("log");
    let names = RealDisk.list(&log)?;
    let mut messages = Vec::new();
    for name in names.iter().filter(|name| outlets::is_order_file(name)) {
        let aside = disk::move_aside(&RealDisk, &log.join(name))?;
        messages.push(format!("log/{name} is kept as {aside}"));
    }
    for outlet in planned_outlets(&Plans::read(&RealDisk, &log)?) {
        let events = outlet.directory.join(outlets::EVENTS_FILE);
        if disk::if_found(RealDisk.remove(&directory.join(&events)))?.is_some() {
            messages.push(format!("{} is removed; the next start makes it from the logs", events.display()));
        }
    }
    let path = directory.join(COMMITS_FILE);
    if path.exists() {
        messages.extend(strike_orders(&path, &log)?);
    } else {
        messages.push(
            "there are no commits: a log may lack its end; copy the file `commits` before the folder `log`".into(),
        );
    }
    RealDisk.sync_folder(&log)?;
    Ok(messages)
}

/// Restores the ends of logs from the commits, then begins the commits anew without witnesses of orders.
fn strike_orders(path: &Path, log: &Path) -> io::Result<Vec<String>> {
    let (mut commits, fragments) = Commits::open(&RealDisk, path, COMMITS_SIZE)?;
    let messages = commits::restore(&RealDisk, log, &fragments)?;
    let is_of_order = |name: &str| name.split(' ').next().is_some_and(outlets::is_order_file);
    commits.witnesses().forget(is_of_order);
    commits.restart()?;
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal::chained::ChainedChecksum;
    use crate::journal::commits::Fragment;
    use crate::journal::witness::Witness;

    #[test]
    fn orders_leave_folder_and_commits() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("log")).unwrap();
        fs::create_dir_all(path("public")).unwrap();
        for name in ["log/events.order", "log/events-world.order", "public/events.ndjson"] {
            fs::write(path(name), "x").unwrap();
        }
        fs::write(path("log/a-1.log"), "head").unwrap();
        let (mut commits, _) = Commits::open(&RealDisk, &path("commits"), COMMITS_SIZE).unwrap();
        let witness = Witness { length: 5, checksum: ChainedChecksum(7) };
        for name in ["events.order 8f3c2a9be01d44c7", "events-world.order 8f3c2a9be01d44c8", "tournament.ndjson"] {
            commits.witnesses().set(name, witness);
        }
        let fragment = Fragment { log: "a-1.log".to_owned(), offset: 4, bytes: b" end".to_vec() };
        commits.commit(&[fragment]).unwrap();
        drop(commits);
        let messages = take_over(folder.path()).unwrap();
        assert_eq!(messages.len(), 4, "{messages:?}");
        assert_eq!(fs::read_to_string(path("log/a-1.log")).unwrap(), "head end");
        let left = commits::contents(&RealDisk, &path("commits")).unwrap();
        assert_eq!(
            (left.fragments.len(), left.witnesses.into_keys().collect::<Vec<_>>()),
            (0, vec!["tournament.ndjson".to_owned()])
        );
        assert!(!path("log/events.order").exists() && path("log/events-world.order.aside-1").exists());
        assert!(!path("public/events.ndjson").exists());
        assert_eq!(take_over(folder.path()).unwrap(), Vec::<String>::new());
        fs::remove_file(path("commits")).unwrap();
        assert!(take_over(folder.path()).unwrap()[0].contains("no commits"));
        assert_eq!(take_over(&path("public")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
