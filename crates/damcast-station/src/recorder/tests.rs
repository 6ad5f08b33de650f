//! Tests of the writer thread with many lines.

use std::collections::BTreeMap;
use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use damcast_engine::bytelog::Header;
use damcast_engine::livefile::LiveFileContents;

use super::*;
use crate::disk::{Disk, RealDisk};
use crate::file_problems::{DISK_FAULT_ALARM, DISPLAY_TIME, FileProblems};

/// Number of boards that move at once.
const LINE_COUNT: usize = 40;

/// Returns a folder for logs and live files, and its writer.
fn open() -> (tempfile::TempDir, Committer, Writer) {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("log");
    fs::create_dir(&logs).unwrap();
    fs::create_dir(folder.path().join("live")).unwrap();
    let watch = FileProblems::default().reporter(DISK_FAULT_ALARM, "log");
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (committer, writer, _) = Writer::open(&disk, folder.path(), &logs, 1 << 20, watch).unwrap();
    (folder, committer, writer)
}

#[test]
fn simultaneous_lines_are_written_and_reported_in_order() {
    let (folder, committer, writer) = open();
    let (logs, live) = (folder.path().join("log"), folder.path().join("live"));
    let (sender, heard) = mpsc::channel();
    let (mut ids, mut journals) = (Vec::new(), Vec::new());
    for line in 0..LINE_COUNT {
        let journal = Journal::create(&RealDisk, &logs.join(format!("b{line}-1.log")), &Header::default()).unwrap();
        let journal = Arc::new(journal);
        let files = LineFiles::new(Arc::new(RealDisk), live.clone(), format!("b{line}"), BTreeMap::new());
        let sender = sender.clone();
        let tell = Box::new(move |report| sender.send((line, report)).unwrap());
        ids.push(committer.open(Arc::clone(&journal), Arc::new(Mutex::new(files)), tell).unwrap());
        journals.push(journal);
    }
    let publish = |line: usize, effect: Effect| {
        journals[line].write(&Record::new(1, RecordKind::Tick));
        let publications = vec![Output { at: Millis(1), board: None, effect }];
        committer.publish(ids[line], publications, journals[line].end(), Durability::Safe).unwrap();
    };
    let head = "[Result \"*\"]\n\n\n\n";
    let text = format!("{head}1. 32-28\n19-23\n");
    let game = LiveFileContents::parse(1, &text).unwrap();
    let entries = game.entries.into_iter().map(|entry| Effect::Entry { entry: Box::new(entry), reason: None });
    let effects: Vec<Effect> = std::iter::once(Effect::GameOpened(Box::new(game.header))).chain(entries).collect();
    let running = thread::spawn(move || writer.run(|| {}));
    for effect in &effects {
        (0..LINE_COUNT).for_each(|line| publish(line, effect.clone()));
    }
    let mut published = vec![Vec::new(); LINE_COUNT];
    while published.iter().any(|of_line| of_line.len() < effects.len()) {
        if let (line, WriterReport::Published(publications, _)) = heard.recv().unwrap() {
            published[line].extend(publications.into_iter().map(|publication| publication.effect));
        }
    }
    assert!(published.iter().all(|of_line| of_line[..] == effects), "{published:?}");
    for line in 0..LINE_COUNT {
        assert_eq!(fs::read_to_string(live.join(format!("b{line}-1.pdn"))).unwrap(), text);
    }
    drop(committer);
    running.join().unwrap();
    assert!(journals.iter().all(|journal| journal.is_synced()));
}

/// A reader that polls rarely must see the report.
#[test]
fn saved_log_is_reported_as_long_as_other_problems() {
    let (folder, committer, mut writer) = open();
    let live = folder.path().join("live");
    let (sender, heard) = mpsc::channel();
    let path = folder.path().join("log/a-1.log");
    let journal = Arc::new(Journal::create(&RealDisk, &path, &Header::default()).unwrap());
    let files = LineFiles::new(Arc::new(RealDisk), live, "a".to_owned(), BTreeMap::new());
    let tell = Box::new(move |report| sender.send((Instant::now(), report)).unwrap());
    committer.open(Arc::clone(&journal), Arc::new(Mutex::new(files)), tell).unwrap();
    journal.write(&Record::new(1, RecordKind::Tick));
    writer.run_once();
    fs::remove_file(&path).unwrap();
    writer.sync_idle();
    let (raised, report) = heard.recv().unwrap();
    assert!(matches!(&report, WriterReport::Fault(text) if text.contains("a-1.log")), "{report:?}");
    assert!(path.exists());
    let healed = loop {
        writer.retry_failed();
        writer.sync_idle();
        match heard.try_recv() {
            Ok((at, WriterReport::Recovered)) => break at,
            Ok((_, report)) => panic!("{report:?}"),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    };
    assert!(healed - raised >= DISPLAY_TIME, "{:?}", healed - raised);
}
