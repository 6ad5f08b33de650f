//! Logs and commits are removed, moved, replaced, cut or overwritten while the station records: everything is saved from the open file,
//! from memory and from the commits.

use std::path::Path;

use damcast::station::disk::{Disk, Durability};

use crate::disk_faults::session_files;
use crate::model_disk::ModelDisk;
use crate::power_loss;
use crate::recorded_session::{Session, env_step, script};

/// Time of the recorded game.
const SPAN_MS: u64 = 75_000;

const LOG: &str = "/r/log/a-1.log";
const COMMITS: &str = "/r/commits";

/// A change to a file by another program.
#[derive(Clone, Copy, Debug)]
enum FileChange {
    Removes,
    Moves,
    Replaces,
    Cuts,
    Empties,
    Adds,
}

const FILE_CHANGES: [FileChange; 6] = [
    FileChange::Removes,
    FileChange::Moves,
    FileChange::Replaces,
    FileChange::Cuts,
    FileChange::Empties,
    FileChange::Adds,
];

impl FileChange {
    fn apply(self, disk: &ModelDisk, path: &str) {
        let file = Path::new(path);
        let content = disk.read(file).unwrap();
        match self {
            FileChange::Removes => disk.remove(file).unwrap(),
            FileChange::Moves => disk.rename(file, &file.with_extension("old")).unwrap(),
            FileChange::Replaces => {
                disk.remove(file).unwrap();
                disk.create(file).unwrap().append(b"what is this?").unwrap();
            }
            FileChange::Cuts => disk.put(path, content[..content.len() - content.len() / 3].to_vec()),
            FileChange::Empties => disk.put(path, Vec::new()),
            FileChange::Adds => disk.put(path, [&content[..], b"a remark of mine\n"].concat()),
        }
    }
}

/// Plays a session with one change to a file after a number of records.
fn play(reach: Option<(FileChange, &str, usize)>) -> ModelDisk {
    let case = format!("{reach:?}");
    let script = script(SPAN_MS);
    let disk = ModelDisk::new();
    let mut session = Session::start(&disk, Durability::Safe).unwrap();
    let mut records = 0;
    session.play(&script, |writer| {
        records += 1;
        match reach {
            Some((hand, path, at)) if at == records => hand.apply(&disk, path),
            // Within seconds, and after at least one more record.
            Some((_, _, at)) if at + 3 == records => {
                writer.sync_idle();
                let model = disk.model().clone();
                power_loss::check(&model, &model.after_power_loss(|_| true), &case);
            }
            _ => {}
        }
        true
    });
    assert!(session.finish(), "{case}: it does not come to its end");
    disk
}

/// Applies each change to the file at every `step`th record.
fn check(path: &str, step: usize) {
    let undisturbed = play(None);
    let records = script(SPAN_MS).len();
    let mut cases = 0;
    for at in (2..records - 4).step_by(step) {
        for hand in FILE_CHANGES {
            let disk = play(Some((hand, path, at)));
            let case = format!("{hand:?} {path} after {at} records");
            let log = |disk: &ModelDisk| disk.read(Path::new(LOG)).unwrap();
            assert!(log(&disk) == log(&undisturbed), "{case}: the log is another");
            let (found, whole) = (session_files(&disk), session_files(&undisturbed));
            cases += 1;
            assert_eq!(found, whole, "{case}");
            // A station starts on the remaining files and finds nothing changed.
            let session = Session::start(&disk, Durability::Safe).unwrap();
            let notices = session.notices.iter().filter(|notice| !notice.starts_with("no space could be reserved"));
            assert_eq!(notices.collect::<Vec<_>>(), Vec::<&String>::new(), "{case}");
        }
    }
    println!("{cases} hands, nothing lost");
}

#[test]
fn vanished_or_changed_log_is_saved() {
    check(LOG, 29);
}

#[test]
fn vanished_or_changed_commits_restart() {
    check(COMMITS, 29);
}

#[test]
#[ignore = "minutes: at every record"]
fn any_file_vanishing_at_any_time_is_saved() {
    check(LOG, env_step());
    check(COMMITS, env_step());
}
