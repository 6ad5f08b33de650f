//! Two boards recorded onto a disk in memory, step by step in virtual time: a core, its log, its live files and the writer thread, whose
//! turns run one at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use damcast::engine::bytelog::{self, Record, RecordKind};
use damcast::engine::millis::Millis;
use damcast::engine::session::Input;
use damcast::station::config::{Config, LineConfig};
use damcast::station::disk::{Disk, Durability};
use damcast::station::file_problems::{DISK_FAULT_ALARM, FileProblems};
use damcast::station::line::Folders;
use damcast::station::line::opening::{self, OpenedLine, OpeningError};
use damcast::station::recorder::{Committer, Recorder, Writer, WriterReport};

use crate::model_disk::ModelDisk;

/// Small, so that it fills up within a session.
const COMMITS: u64 = 4 << 10;

/// Returns the step for long loops: the value of the environment, or its default.
pub fn env_step() -> usize {
    std::env::var("DAMCAST_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1)
}

/// Events of both lines, in the order of time.
pub type Script = Vec<(usize, Record)>;

/// Returns the opening of a recorded game on two lines; the first ends with a result.
pub fn script(plies_ms: u64) -> Script {
    let log = bytelog::read(&std::fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let mut script = Script::new();
    let mut last_clock = Vec::new();
    for record in log.records.into_iter().filter(|record| record.at < plies_ms) {
        let Some(_) = damcast::engine::session::Input::from_record(&record.kind).unwrap() else { continue };
        // Most clock readings contain only a new time; a session is shorter without them.
        if let RecordKind::FromBoard(bytes) = &record.kind
            && let [0x8d, .., status] = bytes.as_slice()
        {
            if last_clock == [*status] && record.at % 7000 > 1000 {
                continue;
            }
            last_clock = vec![*status];
        }
        for line in 0..2 {
            let record = Record { at: record.at + 130 * line as u64, ..record.clone() };
            script.push((line, record));
        }
    }
    let end = RecordKind::Operator("result 2-0".parse().unwrap());
    script.push((0, Record::new(plies_ms + 200, end)));
    script.sort_by_key(|(_, record)| record.at);
    script
}

/// A station with two lines.
pub struct Session {
    disk: ModelDisk,
    writer: Writer,
    committer: Committer,
    lines: Vec<LineSeat>,
    durability: Durability,
    /// Notices to the operator while opening.
    pub notices: Vec<String>,
}

struct LineSeat {
    config: LineConfig,
    recorder: Recorder,
    shift: Millis,
}

pub fn folders() -> Folders {
    Folders { log: "/r/log".into(), live: "/r/live".into() }
}

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-11-21T10:00:00+01:00").unwrap()
}

fn configs() -> Vec<LineConfig> {
    let line = |name: &str| format!("[[line]]\nname = \"{name}\"\nport = \"/dev/{name}\"\ngame-type = \"20\"\n");
    Config::read("test", &format!("[station]\ndirectory = \"/r\"\n{}{}", line("a"), line("b"))).unwrap().lines
}

impl Session {
    /// Starts a station on a disk. Returns an error if the disk fails.
    pub fn start(disk: &ModelDisk, durability: Durability) -> Result<Session, OpeningError> {
        let folders = folders();
        let failed = |error| OpeningError::Disk { action: "commits".into(), error };
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let watch = FileProblems::default().reporter(DISK_FAULT_ALARM, "log");
        let (committer, writer, notices) =
            Writer::open(&shared, Path::new("/r"), &folders.log, COMMITS, watch).map_err(failed)?;
        let mut session = Session { disk: disk.clone(), writer, committer, lines: Vec::new(), durability, notices };
        for config in configs() {
            let seat = session.open(config)?;
            session.lines.push(seat);
        }
        session.writer.run_once();
        Ok(session)
    }

    fn open(&mut self, config: LineConfig) -> Result<LineSeat, OpeningError> {
        let disk: Arc<dyn Disk> = Arc::new(self.disk.clone());
        let OpenedLine { line, shift, journal, files: line_files, notices, .. } =
            opening::open(&config, &folders(), &disk, None, now())?;
        self.notices.extend(notices);
        let tell = |_: WriterReport| {};
        let recorder =
            Recorder::new(line, shift, journal, line_files, self.durability, self.committer.clone(), tell).unwrap();
        Ok(LineSeat { config, recorder, shift })
    }

    /// Plays the script, including deadlines, from the present position on. `each` decides after each record whether to go on.
    pub fn play(&mut self, script: &[(usize, Record)], mut each: impl FnMut(&mut Writer) -> bool) {
        let start = script.first().map_or(0, |(_, record)| record.at);
        for (count, (line, record)) in script.iter().enumerate() {
            let at = record.at - start;
            let seat = &mut self.lines[*line];
            while let Some(deadline) = seat.recorder.line().deadline().filter(|due| *due <= seat.shift + Millis(at)) {
                let due = (deadline - seat.shift).0;
                seat.recorder.handle(due, Input::Tick).unwrap();
                self.writer.run_once();
            }
            let input = Input::from_record(&record.kind).unwrap();
            input.map(|input| seat.recorder.handle(at, input).unwrap());
            self.writer.run_once();
            // Unpublished data is committed from time to time, and the logs themselves are synced.
            match count % 16 {
                7 => self.writer.sync_idle(),
                15 => drop(self.writer.sync_all()),
                _ => {}
            }
            if !each(&mut self.writer) {
                return;
            }
        }
    }

    /// Ends all recordings after retries of failed disk work. Returns whether everything is done.
    pub fn finish(self) -> bool {
        self.end(|writer| {
            writer.retry_failed();
            writer.retry_failed();
        })
    }

    /// Ends all recordings in one turn of the thread, on a working disk. Returns whether everything is done.
    pub fn finish_in_one_turn(self) -> bool {
        self.end(Writer::run_once)
    }

    fn end(mut self, work: impl FnOnce(&mut Writer)) -> bool {
        let answers =
            self.lines.iter().map(|seat| self.committer.request_finish(&folders().log.join(&seat.config.name)));
        let answers: Vec<_> = answers.collect::<Result<_, _>>().unwrap();
        work(&mut self.writer);
        let is_done = |answer: &std::sync::mpsc::Receiver<()>| {
            answer.try_recv() == Err(std::sync::mpsc::TryRecvError::Disconnected)
        };
        answers.iter().all(is_done)
    }
}

/// Masks the Result tag's value and its reserve in live files: everything else in them never changes.
pub fn masked(files: BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, String> {
    files.into_iter().map(|(path, bytes)| (path, mask(&String::from_utf8(bytes).unwrap()))).collect()
}

/// Masks the reserve of fixed length: the Result line and the empty lines after it.
pub fn mask(text: &str) -> String {
    let Some(start) = text.find("[Result ") else { return text.to_owned() };
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let reserve = text[end..].bytes().take_while(|&byte| byte == b'\n').count();
    format!("{}{}{}", &text[..start], "#".repeat(end + reserve - start), &text[end + reserve..])
}

/// Whether `before` is a prefix of `after`, except for the Result tag.
pub fn is_beginning(before: &[u8], after: &[u8]) -> bool {
    let masked = |bytes: &[u8]| mask(&String::from_utf8_lossy(bytes));
    // A partly written tag or reserve is not a shorter mask.
    let whole = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    after.len() >= before.len() && (after.starts_with(before) || masked(after).starts_with(&masked(&before[..whole])))
}
