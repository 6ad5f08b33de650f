//! Logs and live files cut anywhere, or with any of their last bits flipped: the next start recovers or reports, and no file has a move
//! that was not played.

use std::path::Path;

use damcast::station::disk::Durability;

use crate::model_disk::{Model, ModelDisk};
use crate::recorded_session::{Session, env_step, mask, script};

/// Time of the recorded game.
const SPAN_MS: u64 = 75_000;
/// Length of the end of a file that is damaged bit by bit.
const TAIL_LEN: usize = 4 << 10;

const LOG: &str = "/r/log/a-1.log";
const LIVE: &str = "/r/live/a-1.pdn";

/// Returns a disk after a session.
fn recorded() -> Model {
    let disk = ModelDisk::new();
    let mut session = Session::start(&disk, Durability::Safe).unwrap();
    session.play(&script(SPAN_MS), |_| true);
    assert!(session.finish());
    disk.model().clone()
}

fn content(model: &Model, path: &str) -> Vec<u8> {
    model.files(path).remove(Path::new(path)).unwrap()
}

/// Starts a station on the disk with one file damaged; `has_commits`: whether the latest commits are available.
#[track_caller]
fn check(model: &Model, path: &str, damaged: Vec<u8>, has_commits: bool, case: &str) {
    let disk = model.after_crash();
    disk.put(path, damaged.clone());
    if !has_commits {
        disk.put("/r/commits", Vec::new());
    }
    let truth = mask(std::str::from_utf8(&content(model, LIVE)).unwrap());
    let session = Session::start(&disk, Durability::Safe).unwrap_or_else(|error| panic!("{case}: {error}"));
    let files = disk.model().files("/r/live/a-");
    let mut is_whole = false;
    for (file, bytes) in
        disk.model().files("/r/live").into_iter().filter(|(file, _)| file.to_str().unwrap().contains("/a-"))
    {
        // The damaged file itself may stay as it is.
        if bytes == damaged {
            continue;
        }
        let text = mask(&String::from_utf8(bytes).unwrap_or_else(|_| panic!("{case}: {} is no text", file.display())));
        // The reserve of a game without a result may be longer; both lines include it.
        assert!(truth.starts_with(&text), "{case}: {} says\n{text}\nand played was\n{truth}", file.display());
        is_whole |= text == truth;
    }
    let is_told = !session.notices.is_empty();
    assert!(is_whole || is_told, "{case}: nothing is reported; {files:?}");
    // The recovered files are valid at the next start.
    Session::start(&disk, Durability::Safe).unwrap_or_else(|error| panic!("{case}, once more: {error}"));
}

/// Cuts each file at every `step`th byte, and flips every `step`th of its last bits.
fn damage(step: usize) {
    let model = recorded();
    let mut cases = 0;
    for path in [LOG, LIVE] {
        let whole = content(&model, path);
        for cut in (0..whole.len()).step_by(step) {
            for has_commits in [false, true] {
                check(&model, path, whole[..cut].to_vec(), has_commits, &format!("{path} cut at {cut}"));
                cases += 1;
            }
        }
        for bit in (8 * whole.len().saturating_sub(TAIL_LEN)..8 * whole.len()).step_by(step) {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            check(&model, path, flipped, bit % 2 == 0, &format!("{path}, bit {bit} flipped"));
            cases += 1;
        }
    }
    println!("{cases} damaged files, nothing false");
}

#[test]
fn damaged_file_shows_only_played_moves() {
    damage(61);
}

#[test]
#[ignore = "minutes: every byte, every bit"]
fn file_damaged_anywhere_shows_only_played_moves() {
    damage(env_step());
}
