//! The power fails after any operation on the disk and takes any of the outstanding data; the next start recovers.
//!
//! Checks after each loss: the station starts, every live file equals its log, no file counts as changed outside damcast, and everything that
//! was visible is still there, except for the Result tag.

use damcast::engine::bytelog::LogInput;
use damcast::engine::playback;
use damcast::station::disk::{Disk, Durability};

use crate::model_disk::{Model, ModelDisk};
use crate::recorded_session::{Session, env_step, folders, masked, script};

/// Time of the recorded game.
const SPAN_MS: u64 = 75_000;

/// Returns the disk states of a session, before and after each operation.
fn history(durability: Durability) -> Vec<Model> {
    let disk = ModelDisk::new();
    disk.keep_history();
    let mut session = Session::start(&disk, durability).unwrap();
    session.play(&script(SPAN_MS), |_| true);
    assert!(session.finish());
    disk.history()
}

/// Returns the live files, with their paths, that a replay of a disk's logs makes.
fn replayed(disk: &ModelDisk) -> Vec<(std::path::PathBuf, String)> {
    let mut files = Vec::new();
    for line in ["a", "b"] {
        let names = disk.list(&folders().log).unwrap();
        let logs = names
            .iter()
            .filter(|name| name.starts_with(&format!("{line}-")) && name.ends_with(".log"))
            .map(|name| LogInput::from_text(name.clone(), disk.read(&folders().log.join(name)).unwrap()));
        // A log whose header was lost has no content.
        let logs = logs.filter(|log| log.header.opened.is_some()).collect();
        for game in playback::play(logs, None).unwrap().games {
            let path = folders().live.join(format!("{line}-{}.pdn", game.number()));
            files.push((path, String::from_utf8(game.file.bytes()).unwrap()));
        }
    }
    files
}

/// Starts a station on a disk after a power loss, and compares it with the visible state before.
#[track_caller]
pub fn check(seen: &Model, disk: &ModelDisk, case: &str) {
    let session = Session::start(disk, Durability::Safe).unwrap_or_else(|error| panic!("{case}: {error}"));
    let live = disk.model().files("/r/live");
    for (path, text) in replayed(disk) {
        let file = live.get(&path).unwrap_or_else(|| panic!("{case}: {} is missing", path.display()));
        assert_eq!(String::from_utf8_lossy(file), text, "{case}: {}", path.display());
    }
    assert!(
        !session.notices.iter().any(|notice| notice.contains("changed outside damcast")),
        "{case}: {:?}",
        session.notices
    );
    assert!(!live.keys().any(|path| path.to_str().unwrap().contains("recovered")), "{case}: {:?}", live.keys());
    let live = masked(live);
    for (path, before) in masked(seen.files("/r/live")) {
        let after = live.get(&path).unwrap_or_else(|| panic!("{case}: {} is gone", path.display()));
        assert!(after.starts_with(&before), "{case}: {} was\n{before}\nand is\n{after}", path.display());
    }
}

/// Returns every subset of at most `most` of the last `window` of `count` numbers.
fn subsets(count: usize, window: usize, most: usize) -> Vec<Vec<usize>> {
    let mut subsets = vec![Vec::new()];
    for index in count.saturating_sub(window)..count {
        let with: Vec<Vec<usize>> = subsets.iter().filter(|subset| subset.len() < most).cloned().collect();
        subsets.extend(with.into_iter().map(|mut subset| {
            subset.push(index);
            subset
        }));
    }
    subsets
}

/// Loses the power before every `step`th operation; of the last `window` outstanding operations at most three are lost and the others kept,
/// or at most three are kept and the others lost.
fn lose_power(step: usize, window: usize) {
    let history = history(Durability::Safe);
    let mut states = 0;
    for (at, model) in history.iter().enumerate().step_by(step) {
        for subset in subsets(model.outstanding(), window, 3) {
            let case = |how: &str| format!("operation {at}, {how} {subset:?} of {}", model.outstanding());
            check(model, &model.after_power_loss(|index| subset.contains(&index)), &case("lost"));
            check(model, &model.after_power_loss(|index| !subset.contains(&index)), &case("kept"));
            states += 2;
        }
    }
    println!("{} operations, {states} losses of power, nothing lost", history.len());
    assert!(states > history.len() / step);
}

#[test]
fn power_loss_takes_no_published_entry() {
    lose_power(3, 3);
}

#[test]
#[ignore = "minutes: every operation, every subset of at most three of twelve"]
fn power_loss_takes_no_published_entry_for_any_disk_state() {
    lose_power(env_step(), 12);
}

/// The process is killed, a new one continues from the files, and then the power fails.
fn kill_and_lose_power(kill_step: usize, loss_step: usize) {
    let script = script(SPAN_MS);
    let (mut kills, mut states) = (0, 0);
    for killed in (1..script.len()).step_by(kill_step) {
        let disk = ModelDisk::new();
        let mut session = Session::start(&disk, Durability::Safe).unwrap();
        session.play(&script[..killed], |_| true);
        drop(session);
        let disk = disk.model().after_crash();
        disk.keep_history();
        let mut session = Session::start(&disk, Durability::Safe).unwrap();
        session.play(&script[killed..], |_| true);
        kills += 1;
        for (at, model) in disk.history().iter().enumerate().step_by(loss_step) {
            check(model, &model.after_power_loss(|_| true), &format!("killed at {killed}, power lost at {at}"));
            states += 1;
        }
    }
    println!("{kills} kills, {states} losses of power after them, nothing lost");
}

#[test]
fn power_loss_keeps_result_of_unsynced_log() {
    kill_and_lose_power(13, 5);
}

#[test]
#[ignore = "minutes: every record, every operation"]
fn power_loss_keeps_result_of_any_unsynced_log() {
    kill_and_lose_power(env_step(), env_step());
}

#[test]
fn unpublished_bytes_are_durable_within_seconds() {
    let disk = ModelDisk::new();
    let mut session = Session::start(&disk, Durability::Safe).unwrap();
    session.play(&script(SPAN_MS), |writer| {
        writer.sync_idle();
        let logs = disk.model().files("/r/log");
        let after = disk.model().after_power_loss(|_| true);
        Session::start(&after, Durability::Safe).unwrap();
        let found = after.model().files("/r/log");
        for (path, log) in logs {
            assert_eq!(String::from_utf8_lossy(&found[&path]), String::from_utf8_lossy(&log), "{}", path.display());
        }
        true
    });
    assert!(session.finish());
}

#[test]
fn detects_early_publication() {
    // With writes visible before they are durable, some loss takes back a visible move.
    let history = history(Durability::Lazy);
    let is_taken_back = |model: &Model| {
        let disk = model.after_power_loss(|_| true);
        Session::start(&disk, Durability::Safe).unwrap();
        let after = masked(disk.model().files("/r/live"));
        masked(model.files("/r/live"))
            .into_iter()
            .any(|(path, before)| !after.get(&path).is_some_and(|after| after.starts_with(&before)))
    };
    assert!(history.iter().any(is_taken_back));
    assert!(history.last().unwrap().files("/r/live").len() == 2);
    assert_eq!(subsets(4, 3, 2).len(), 1 + 3 + 3);
}
