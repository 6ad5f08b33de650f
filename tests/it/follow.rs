//! Following a file of events through all its changes, with inotify and without.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use damcast::outward::follow::{FollowEvent, Follower, MAX_LINE_LEN, Progress, RestartReason};

/// Maximum time that a test waits; every expected event takes less.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Time without an event that counts as silence.
const SILENCE_TIME: Duration = Duration::from_millis(30);

fn line(generation: &str, seq: u64, members: &str) -> String {
    format!("{{\"seq\":{seq},\"gen\":\"{generation}\",\"station\":\"hall\",\"type\":\"{members}\"}}\n")
}

fn lines(generation: &str, seqs: std::ops::RangeInclusive<u64>) -> String {
    seqs.map(|seq| line(generation, seq, "move")).collect()
}

struct FollowedFile {
    folder: tempfile::TempDir,
    polls: bool,
}

/// Runs a check with inotify and without.
fn with_and_without_inotify(check: impl Fn(&FollowedFile)) {
    for polls in [false, true] {
        check(&FollowedFile { folder: tempfile::tempdir().unwrap(), polls });
    }
}

impl FollowedFile {
    fn path(&self) -> PathBuf {
        self.folder.path().join("public/events.ndjson")
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        fs::write(self.path(), text).unwrap();
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).open(self.path()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn cut(&self, length: usize) {
        OpenOptions::new().write(true).open(self.path()).unwrap().set_len(length as u64).unwrap();
    }

    /// Replaces the file as a station does.
    fn replace(&self, text: &str) {
        let new = self.path().with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.path()).unwrap();
    }

    fn follow(&self, from: Progress) -> Follower {
        self.follow_path(&self.path(), from)
    }

    fn follow_path(&self, path: &Path, from: Progress) -> Follower {
        let follower = Follower::new(path, from);
        if self.polls { follower.polling(Duration::from_millis(5)) } else { follower }
    }
}

#[track_caller]
fn news(follower: &mut Follower) -> FollowEvent {
    follower.next(TIMEOUT).unwrap().expect("something to say")
}

#[track_caller]
fn assert_restarts(follower: &mut Follower, generation: &str, reason: RestartReason) {
    assert_eq!(news(follower), FollowEvent::Restarted { generation: Some(generation.to_owned()), reason });
}

/// Reads this many lines, checks their numbers, and returns their text.
#[track_caller]
fn read(follower: &mut Follower, count: u64) -> String {
    let first = follower.progress().seq + 1;
    let mut text = String::new();
    for seq in first..first + count {
        match news(follower) {
            FollowEvent::Line(line) if line.seq == seq => text += &line.text,
            other => panic!("line {seq}: {other:?}"),
        }
    }
    text
}

#[track_caller]
fn is_silent(follower: &mut Follower) {
    assert_eq!(follower.next(SILENCE_TIME).unwrap(), None);
}

#[test]
fn only_complete_lines_arrive_during_growth() {
    with_and_without_inotify(|place| {
        let mut follower = place.follow(Progress::default());
        assert_eq!(news(&mut follower), FollowEvent::FileMissing, "it is not there yet");
        is_silent(&mut follower);
        place.write("");
        follower.recheck();
        is_silent(&mut follower);
        place.write(&lines("a", 1..=3));
        assert_eq!(read(&mut follower, 3), lines("a", 1..=3));
        is_silent(&mut follower);
        let next = line("a", 4, "setup");
        let (begin, end) = next.split_at(20);
        place.append(begin);
        is_silent(&mut follower);
        // A partial line counts only once it is complete.
        place.cut(lines("a", 1..=3).len() + 5);
        is_silent(&mut follower);
        place.cut(lines("a", 1..=3).len());
        place.append(begin);
        place.append(end);
        let FollowEvent::Line(event) = news(&mut follower) else { panic!("a line") };
        assert_eq!((event.seq, event.text, event.station.as_deref()), (4, next, Some("hall")));
        assert_eq!(follower.progress().generation.as_deref(), Some("a"));
    });
}

#[test]
fn follower_resumes_and_compares_known_part() {
    with_and_without_inotify(|place| {
        // The first lines are from a file without generations.
        let old = "{\"seq\":1}\n{\"seq\":2}\n";
        place.write(&format!("{old}{}", lines("a", 3..=9)));
        let mut follower = place.follow(Progress::default());
        read(&mut follower, 1);
        let early = follower.progress();
        assert_eq!(early.generation, None);
        read(&mut follower, 5);
        let kept = follower.progress();
        assert_eq!((kept.seq, kept.generation.as_deref()), (6, Some("a")));
        let mut again = place.follow(kept.clone());
        assert_eq!(read(&mut again, 3), lines("a", 7..=9));
        assert_eq!(read(&mut place.follow(early.clone()), 8), format!("{{\"seq\":2}}\n{}", lines("a", 3..=9)));
        let unknown = Progress { sha256: None, ..kept.clone() };
        assert_eq!(read(&mut place.follow(unknown.clone()), 3), lines("a", 7..=9));
        // A restored copy has numbered again: the same generation, other lines.
        place.replace(&format!(
            "{old}{}{}",
            lines("a", 3..=4),
            (5..=9).map(|seq| line("a", seq, "other")).collect::<String>()
        ));
        let mut other = place.follow(kept.clone());
        assert_restarts(&mut other, "a", RestartReason::OtherLines);
        assert_eq!(other.progress().seq, 0);
        assert!(read(&mut other, 9).contains("other"));
        // Without the hash the change cannot be detected.
        read(&mut place.follow(unknown), 3);
        assert_eq!(read(&mut place.follow(early), 8).matches("other").count(), 5);
        // Another generation is another file, whatever its length.
        place.replace(&lines("b", 1..=2));
        let mut other = place.follow(kept.clone());
        assert_restarts(&mut other, "b", RestartReason::OtherGeneration);
        assert_eq!(read(&mut other, 2), lines("b", 1..=2));
        // A file shorter than the part read may still be growing.
        place.replace(&format!("{old}{}", lines("a", 3..=4)));
        let mut early = place.follow(kept);
        assert_eq!(news(&mut early), FollowEvent::Truncated { lines: 4 });
        is_silent(&mut early);
        place.append(&lines("a", 5..=7));
        assert_eq!(news(&mut early), FollowEvent::Resumed);
        assert_eq!(read(&mut early, 1), lines("a", 7..=7));
    });
}

#[test]
fn follows_cut_and_completed_file() {
    with_and_without_inotify(|place| {
        place.write(&lines("a", 1..=5));
        let mut follower = place.follow(Progress::default());
        read(&mut follower, 5);
        for cut in [lines("a", 1..=3).len(), lines("a", 1..=3).len() + 7, 0] {
            place.cut(cut);
            assert_eq!(news(&mut follower), FollowEvent::Truncated { lines: if cut == 0 { 0 } else { 3 } });
            is_silent(&mut follower);
            // Reported once, however the rest arrives.
            let whole = lines("a", 1..=5);
            let some = lines("a", 1..=4).len() + 3;
            place.append(&whole[cut..some]);
            is_silent(&mut follower);
            place.append(&whole[some..]);
            assert_eq!(news(&mut follower), FollowEvent::Resumed);
            is_silent(&mut follower);
        }
        place.append(&lines("a", 6..=6));
        assert_eq!(read(&mut follower, 1), lines("a", 6..=6));
        // Completed differently: the lines read are no longer in the file.
        place.cut(lines("a", 1..=3).len());
        assert_eq!(news(&mut follower), FollowEvent::Truncated { lines: 3 });
        place.append(&(4..=7).map(|seq| line("a", seq, "other")).collect::<String>());
        assert_restarts(&mut follower, "a", RestartReason::OtherLines);
        assert_eq!(read(&mut follower, 7).matches("other").count(), 4);
    });
}

#[test]
fn compares_replaced_file() {
    with_and_without_inotify(|place| {
        place.write(&lines("a", 1..=4));
        let mut follower = place.follow(Progress::default());
        read(&mut follower, 4);
        place.replace(&lines("a", 1..=6));
        assert_eq!(news(&mut follower), FollowEvent::Resumed);
        assert_eq!(read(&mut follower, 2), lines("a", 5..=6));
        place.replace(&lines("b", 1..=1));
        assert_restarts(&mut follower, "b", RestartReason::OtherGeneration);
        assert_eq!(read(&mut follower, 1), lines("b", 1..=1));
        // An empty file starts anew once it names its generation.
        place.replace("");
        assert_eq!(news(&mut follower), FollowEvent::Truncated { lines: 0 });
        place.append(&lines("c", 1..=2));
        assert_restarts(&mut follower, "c", RestartReason::OtherGeneration);
        assert_eq!(read(&mut follower, 2), lines("c", 1..=2));
        // Overwritten in place, and longer: the next line is not the successor.
        let over: String = (1..=9).map(|seq| line("c", seq, "quite-another")).collect();
        place.write(&over);
        assert_restarts(&mut follower, "c", RestartReason::OtherLines);
        assert_eq!(read(&mut follower, 9), over);
        // Changed in place with equal length: a request for the line finds the change.
        place.write(&over.replacen("quite-another", "quite-anothex", 1));
        is_silent(&mut follower);
        follower.recheck();
        assert_restarts(&mut follower, "c", RestartReason::OtherLines);
    });
}

#[test]
fn follows_file_recreated_with_folder() {
    with_and_without_inotify(|place| {
        place.write(&lines("a", 1..=2));
        let mut follower = place.follow(Progress::default());
        read(&mut follower, 2);
        for with_folder in [false, true, true] {
            let folder = place.path().parent().unwrap().to_owned();
            if with_folder { fs::remove_dir_all(folder) } else { fs::remove_file(place.path()) }.unwrap();
            assert_eq!(news(&mut follower), FollowEvent::FileMissing);
            is_silent(&mut follower);
            place.write(&lines("a", 1..=2));
            assert_eq!(news(&mut follower), FollowEvent::Resumed);
        }
        place.append(&lines("a", 3..=3));
        assert_eq!(read(&mut follower, 1), lines("a", 3..=3));
        fs::remove_file(place.path()).unwrap();
        assert_eq!(news(&mut follower), FollowEvent::FileMissing);
        place.write(&lines("b", 1..=1));
        assert_restarts(&mut follower, "b", RestartReason::OtherGeneration);
        assert_eq!(read(&mut follower, 1), lines("b", 1..=1));
    });
}

#[test]
fn invalid_event_is_reported_once_and_reread_after_repair() {
    with_and_without_inotify(|place| {
        let good = lines("a", 1..=2);
        for bad in ["no event\n", "{\"seq\":4}\n", "{\"seq\":3\n", "{\"seq\":3,\"x\":\"\u{0}\"}\n"] {
            place.write(&format!("{good}{bad}"));
            let mut follower = place.follow(Progress::default());
            read(&mut follower, 2);
            let FollowEvent::Damaged { seq: 3, .. } = news(&mut follower) else { panic!("{bad}") };
            is_silent(&mut follower);
            place.append("more\n");
            is_silent(&mut follower);
            place.replace(&lines("a", 1..=4));
            assert_eq!(news(&mut follower), FollowEvent::Resumed, "{bad}");
            assert_eq!(read(&mut follower, 2), lines("a", 3..=4));
        }
        // A line without an end is damaged; at most the maximum length of it is buffered.
        place.write(&good);
        let mut follower = place.follow(Progress::default());
        read(&mut follower, 2);
        place.append(&"x".repeat(MAX_LINE_LEN + 100_000));
        let FollowEvent::Damaged { seq: 3, problem: damage } = news(&mut follower) else { panic!("too long") };
        assert!(damage.contains("longer than 1048576 bytes"), "{damage}");
        // The maximum length of a line.
        let long = line("a", 3, &"m".repeat(900_000));
        place.write(&format!("{good}{long}"));
        while !matches!(news(&mut follower), FollowEvent::Line(received) if received.text == long) {}
    });
}

#[test]
fn follows_link_and_refuses_non_file() {
    with_and_without_inotify(|place| {
        place.write(&lines("a", 1..=1));
        let link = place.folder.path().join("link.ndjson");
        symlink(place.path(), &link).unwrap();
        let mut follower = place.follow_path(&link, Progress::default());
        read(&mut follower, 1);
        place.append(&lines("a", 2..=2));
        assert_eq!(read(&mut follower, 1), lines("a", 2..=2));
        // A line of nearly the maximum length is valid.
        let other = place.folder.path().join("other");
        fs::write(&other, lines("a", 1..=3)).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&other, &link).unwrap();
        let event = news(&mut follower);
        // The absence of the file may be reported.
        assert!(
            event == FollowEvent::Resumed
                || event == FollowEvent::FileMissing && news(&mut follower) == FollowEvent::Resumed,
            "{event:?}"
        );
        read(&mut follower, 1);
        fs::remove_file(&link).unwrap();
        fs::create_dir(&link).unwrap();
        let error = loop {
            match follower.next(TIMEOUT) {
                Ok(Some(FollowEvent::FileMissing)) => {}
                Ok(other) => panic!("{other:?}"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("link.ndjson: it is no regular file"), "{error}");
    });
}

#[test]
fn reads_file_growing_during_read() {
    const LINES: u64 = 4_000;
    with_and_without_inotify(|place| {
        place.write("");
        let path = place.path();
        let writer = std::thread::spawn(move || {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            let whole = lines("a", 1..=LINES);
            // In pieces that end anywhere.
            for (index, piece) in whole.as_bytes().chunks(777).enumerate() {
                file.write_all(piece).unwrap();
                if index % 16 == 0 {
                    std::thread::yield_now();
                }
            }
        });
        let mut follower = place.follow(Progress::default());
        let read = read(&mut follower, LINES);
        writer.join().unwrap();
        assert_eq!(read, lines("a", 1..=LINES));
        let position = follower.progress();
        let again = {
            let mut follower = place.follow(position.clone());
            is_silent(&mut follower);
            follower.progress()
        };
        assert_eq!(again, position);
    });
}

#[test]
fn waiting_follower_sleeps_until_woken() {
    let place = FollowedFile { folder: tempfile::tempdir().unwrap(), polls: false };
    place.write(&lines("a", 1..=1));
    let mut follower = place.follow(Progress::default());
    read(&mut follower, 1);
    let used = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let before = used();
    assert_eq!(follower.next(Duration::from_millis(1500)).unwrap(), None);
    assert!(used() - before < Duration::from_millis(100), "{:?}", used() - before);
    // The follower wakes long before its own check once per second: this often in ten attempts is no accident.
    let mut soon = 0;
    for seq in 2..=11 {
        let path = place.path();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            let at = Instant::now();
            OpenOptions::new().append(true).open(path).unwrap().write_all(line("a", seq, "move").as_bytes()).unwrap();
            at
        });
        read(&mut follower, 1);
        soon += usize::from(writer.join().unwrap().elapsed() < Duration::from_millis(400));
    }
    assert!(soon >= 8, "{soon} of 10");
}
