//! The disk fails at any operation, once or for a while, with each of its errors. Recording goes on, and after the fault nothing is
//! missing.

use damcast::engine::bytelog::{self, RecordKind};
use damcast::station::disk::{Disk, Durability};

use crate::model_disk::{Fault, ModelDisk};
use crate::power_loss;
use crate::recorded_session::{Script, Session, env_step, folders, masked, script};

/// Time of the recorded game.
const SPAN_MS: u64 = 75_000;

const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const EROFS: i32 = 30;
const EDQUOT: i32 = 122;
const EMFILE: i32 = 24;
const ERRORS: [i32; 5] = [ENOSPC, EIO, EROFS, EDQUOT, EMFILE];

/// Results of a session: live files, and the events of each line by its logs.
#[derive(PartialEq, Debug)]
pub struct SessionFiles {
    pub live: Vec<(String, String)>,
    inputs: [Vec<RecordKind>; 2],
}

pub fn session_files(disk: &ModelDisk) -> SessionFiles {
    let live = disk.model().files("/r/live").into_iter();
    let live = live.map(|(path, bytes)| (path.display().to_string(), String::from_utf8(bytes).unwrap())).collect();
    let happened = ["a", "b"].map(|line| {
        let mut names = disk.list(&folders().log).unwrap();
        names.retain(|name| name.starts_with(line) && name.ends_with(".log"));
        names.sort();
        let logs =
            names.iter().map(|name| bytelog::read_valid_prefix(&disk.read(&folders().log.join(name)).unwrap()).0);
        let kinds = logs.flat_map(|log| log.records).map(|record| record.kind);
        kinds.filter(|kind| !matches!(kind, RecordKind::Note(_))).collect()
    });
    SessionFiles { live, inputs: happened }
}

/// Plays a session on a disk that fails at some operations.
#[track_caller]
fn play(disk: &ModelDisk, script: &Script, fault: Option<Fault>, case: &str) {
    disk.set_fault(fault);
    let mut tries = 0;
    let mut session = loop {
        match Session::start(disk, Durability::Safe) {
            Ok(session) => break session,
            Err(_) if tries < 2_000 => tries += 1,
            Err(error) => panic!("{case}: {error}"),
        }
    };
    let mut records = 0;
    session.play(script, |writer| {
        records += 1;
        if records % 8 == 0 {
            writer.retry_failed();
        }
        if records % 37 == 0 {
            let model = disk.model().clone();
            power_loss::check(&model, &model.after_power_loss(|_| true), &format!("{case}, power lost at {records}"));
        }
        true
    });
    disk.set_fault(None);
    assert!(session.finish(), "{case}: it does not come to its end");
}

/// Operations of a start.
const START_OPERATIONS: usize = 14;

/// Fails every operation of the start and every `step`th of the others, with each error, for each number of operations in `lengths`.
fn fail(step: usize, errors: &[i32], lengths: &[usize]) {
    let script = script(SPAN_MS);
    let disk = ModelDisk::new();
    play(&disk, &script, None, "no fault");
    let undisturbed = session_files(&disk);
    let operations = disk.model().count();
    assert!(undisturbed.live.iter().all(|(_, text)| text.contains("1. 32-28")), "{undisturbed:?}");
    let mut cases = 0;
    // The operations of a start happen once; all others repeat.
    for first in (0..operations).filter(|first| *first < START_OPERATIONS || first % step == 0) {
        for (&errno, &length) in errors.iter().flat_map(|errno| lengths.iter().map(move |length| (errno, length))) {
            let case = format!("error {errno} in operations {first} to {}", first + length);
            let disk = ModelDisk::new();
            play(&disk, &script, Some(Fault { operations: first..first + length, errno }), &case);
            assert_eq!(session_files(&disk), undisturbed, "{case}");
            let model = disk.model().clone();
            let after = model.after_power_loss(|_| true);
            power_loss::check(&model, &after, &case);
            assert_eq!(masked(after.model().files("/r/live")), masked(model.files("/r/live")), "{case}");
            cases += 1;
        }
    }
    println!("{operations} operations, {cases} faults, nothing missing");
}

#[test]
fn disk_fault_costs_nothing() {
    fail(7, &[ENOSPC, EIO], &[1, 6, 150]);
}

/// The disk fails just before the end and works again at the end.
#[test]
fn refused_bytes_follow_before_line_ends() {
    let script = script(SPAN_MS);
    let disk = ModelDisk::new();
    let mut session = Session::start(&disk, Durability::Safe).unwrap();
    session.play(&script, |_| true);
    let operations = disk.model().count();
    assert!(session.finish());
    let undisturbed = session_files(&disk);
    for first in operations - 40..operations {
        let disk = ModelDisk::new();
        let mut session = Session::start(&disk, Durability::Safe).unwrap();
        disk.set_fault(Some(Fault { operations: first..operations, errno: EIO }));
        session.play(&script, |_| true);
        disk.set_fault(None);
        assert!(session.finish_in_one_turn(), "{first}: it does not come to its end");
        assert_eq!(session_files(&disk), undisturbed, "{first}");
    }
}

#[test]
#[ignore = "minutes: every operation, every error"]
fn any_disk_fault_costs_nothing() {
    fail(env_step(), &ERRORS, &[1, 2, 6, 40, 150, 1000]);
}
