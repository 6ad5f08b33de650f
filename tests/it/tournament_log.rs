//! The record of a tournament on disk, and the verb that writes it: whole or not at all, after any fault.

use std::fs;
use std::path::{Path, PathBuf};

use damcast::station::disk::{Disk, Lock};
use damcast::station::tournament_log::{Conflict, TOURNAMENT_FILE, TournamentError, TournamentLog};
use damcast::tournament::{Tournament, TournamentRecord, difference};
use serde_json::Value;

use super::model_disk::{Fault, ModelDisk};
use super::tournament::import_over;
use crate::program::{Run, assert_contains, run};

const LOG: &str = "log";

/// Returns a round of two players, with this result.
fn round(result: &str) -> String {
    format!("Round;Board;White-number;White;Black-number;Black;Result\n1;1;1;Sijbrands;2;Wiersma;{result}\n")
}

fn record(log: &TournamentLog, request: &str, file: &str) -> (TournamentRecord, Tournament) {
    let after = import_over(log.tournament(), file.as_bytes()).unwrap().tournament;
    let record = TournamentRecord {
        version: log.version() + 1,
        at: "2027-07-10T09:30:00.000+02:00".to_owned(),
        by: "arbiter".to_owned(),
        request_id: request.to_owned(),
        command_crc: String::new(),
        action: format!("import {request}"),
        reason: "a \"quote\", a , and a }".to_owned(),
        undoes: None,
        events: difference(log.tournament(), &after),
    };
    (record, after)
}

fn write(disk: &ModelDisk, request: &str, file: &str) -> Result<Tournament, TournamentError> {
    let mut log = TournamentLog::read(disk, Path::new(LOG)).unwrap();
    let (record, after) = record(&log, request, file);
    log.write(disk, &record).map(|()| after)
}

fn read(disk: &ModelDisk) -> (u64, Tournament) {
    let log = TournamentLog::read(disk, Path::new(LOG)).unwrap();
    assert_eq!(log.damage(), None);
    (log.version(), log.tournament().clone())
}

fn disk() -> ModelDisk {
    let disk = ModelDisk::new();
    disk.make_folder(Path::new(LOG)).unwrap();
    disk
}

/// Returns a disk whose file has this content.
fn disk_with(content: &[u8]) -> ModelDisk {
    let disk = disk();
    let path = Path::new(LOG).join(TOURNAMENT_FILE);
    disk.create(&path).unwrap();
    disk.put(path.to_str().unwrap(), content.to_vec());
    disk
}

/// Returns the content of the file.
fn bytes(disk: &ModelDisk) -> Vec<u8> {
    disk.read(&Path::new(LOG).join(TOURNAMENT_FILE)).unwrap()
}

#[test]
fn request_is_whole_or_absent_over_any_failure() {
    let whole = disk();
    let first = write(&whole, "a", &round("*")).unwrap();
    let second = write(&whole, "b", &round("1-1")).unwrap();
    let operations = whole.model().count();
    let expected = [(0, Tournament::default()), (1, first), (2, second)];
    for number in 0..=operations {
        for errno in [28, 5] {
            let faulty = disk();
            faulty.set_fault(Some(Fault { operations: number..number + 1, errno }));
            let mut acknowledged = 0;
            for (request, result) in [("a", "*"), ("b", "1-1")] {
                let is_next = TournamentLog::read(&faulty, Path::new(LOG)).unwrap().version() == acknowledged;
                if is_next && write(&faulty, request, &round(result)).is_ok() {
                    acknowledged += 1;
                }
            }
            faulty.set_fault(None);
            let outstanding = faulty.model().outstanding();
            for lost in 0..1_u32 << outstanding.min(6) {
                let after = faulty.model().after_power_loss(|operation| lost >> operation & 1 == 1);
                if number == 0 {
                    continue;
                }
                let (version, tournament) = read(&after);
                assert!(version >= acknowledged, "operation {number}: {acknowledged} were done, {version} are there");
                assert!(tournament.sections.is_empty() || expected.iter().any(|(_, known)| *known == tournament));
                // The log continues from there.
                if after.make_folder(Path::new(LOG)).is_ok() {
                    write(&after, "z", &round("2-0")).unwrap();
                    let (next, tournament) = read(&after);
                    assert_eq!(next, version + 1);
                    assert_eq!(tournament.sections[0].pairings[0].result.unwrap().white.to_string(), "2");
                }
            }
        }
    }
}

#[test]
fn record_cut_anywhere_is_absent_and_next_follows() {
    let whole = disk();
    let first = write(&whole, "a", &round("*")).unwrap();
    let before = bytes(&whole).len();
    write(&whole, "b", &round("1-1")).unwrap();
    let all = bytes(&whole);
    for length in before..all.len() - 1 {
        let cut = disk_with(&all[..length]);
        assert_eq!(read(&cut), (1, first.clone()), "{length}");
        write(&cut, "c", &round("0-2")).unwrap();
        let (version, tournament) = read(&cut);
        assert_eq!(
            (version, tournament.sections[0].pairings[0].result.unwrap().black.to_string()),
            (2, "2".to_owned())
        );
    }
    // A flipped bit in a record is damage: nothing is written after it.
    for at in (0..all.len() - 1).step_by(7).filter(|at| all[*at] != b'\n') {
        let mut flipped = all.clone();
        flipped[at] ^= 1;
        let damaged = disk_with(&flipped);
        let mut log = TournamentLog::read(&damaged, Path::new(LOG)).unwrap();
        // If the last member of the last line is damaged, the record counts as cut.
        if log.damage().is_none() {
            assert!(log.version() == 1 && at > all.len() - 22, "{at}");
            continue;
        }
        let (record, _) = record(&log, "c", &round("0-2"));
        assert!(matches!(log.write(&damaged, &record), Err(TournamentError::Damaged(_))), "{at}");
    }
}

#[test]
fn last_member_of_line_is_checksum() {
    let disk = disk();
    write(&disk, "a", &round("*")).unwrap();
    let text = String::from_utf8(bytes(&disk)).unwrap();
    let (before, rest) = text.split_once(",\"crc\":\"").unwrap();
    let checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(format!("00000000{before}").as_bytes());
    assert_eq!(rest, format!("{checksum:08x}\"}}\n"));
    let line: Value = serde_json::from_str(&text).unwrap();
    for (key, value) in [("version", Value::from(1)), ("by", "arbiter".into()), ("request_id", "a".into())] {
        assert_eq!(line[key], value);
    }
    assert_eq!(line["events"][0]["section-ruled"]["name"], "main");
}

#[test]
fn second_of_two_corrections_sees_first() {
    let disk = disk();
    write(&disk, "a", &round("*")).unwrap();
    let log = || TournamentLog::read(&disk, Path::new(LOG)).unwrap();
    let (mut one, mut other) = (log(), log());
    let (first, _) = record(&one, "b", &round("1-1"));
    let (second, _) = record(&other, "c", &round("2-0"));
    one.write(&disk, &first).unwrap();
    let now = log();
    assert_contains(&now.check_request("c", 1).unwrap_err().to_string(), &["version 2: import b"]);
    // A repeated request under its name is already done.
    assert_eq!(now.check_request("b", 1), Err(Conflict::Duplicate(2)));
    drop(other.write(&disk, &second));
}

/// A club without a station: its files, and the verb `damcast tournament`.
struct Club {
    home: tempfile::TempDir,
    folder: PathBuf,
}

impl Club {
    fn new() -> Club {
        let home = tempfile::tempdir().unwrap();
        Club { folder: home.path().join("club"), home }
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&[&["tournament"], arguments, &["--directory", self.folder.to_str().unwrap()]].concat())
    }

    fn import(&self, text: &str, more: &[&str]) -> Run {
        let file = self.home.path().join("round.csv");
        fs::write(&file, text).unwrap();
        self.run(&[&["import", file.to_str().unwrap()], more].concat())
    }

    fn export(&self, format: &str) -> String {
        self.run(&["export", "--format", format]).done()
    }

    fn fsck(&self) -> Run {
        run(&["fsck", self.folder.to_str().unwrap()])
    }
}

#[test]
fn verb_imports_each_request_once() {
    let club = Club::new();
    // A dry run creates nothing, not even the folder.
    club.import(&round("2-0"), &["--dry-run"]).prints("2 players, 1 pairing are new");
    assert!(!club.folder.exists());
    club.import(&round("2-0"), &["--request-id", "r1"]).prints("done as version 1");
    club.import(&round("2-0"), &["--request-id", "r1"]).prints("done already, as version 1");
    // Another file under a known key is refused.
    club.import(&round("0-2"), &["--request-id", "r1"]).fails(1, "the request r1 was another one");
    club.import(&round("2-0"), &[]).prints("nothing is new");
    let corrected = club.import(&round("1-1"), &["--reason", "scoresheet"]);
    corrected.prints("round 1, board 1, Sijbrands - Wiersma: result 1-1 (was 2-0)");
    club.run(&["show", "--history"]).prints("import round.csv: scoresheet");
    // A request based on an older version gets the list of changes.
    club.import(&round("2-0"), &["--if-version", "1"]).fails(1, "version 2: import round.csv");
    // An invalid file: its name, line and column, and no change.
    club.import(&round("2-2x"), &[]).fails(1, "round.csv:2:27: error: `2-2x` is no result");
    club.import(&round("1-1"), &[]).prints("nothing is new");
}

#[test]
fn verb_ranks_and_exports() {
    let club = Club::new();
    club.import(&round("1-1"), &[]).done();
    let ties = "solkoff,full-truncated-solkoff,direct";
    let standings: Value =
        serde_json::from_str(&club.run(&["standings", "--json", "--tiebreaks", ties]).done()).unwrap();
    let row = |id: u32, name: &str| {
        let ties = serde_json::json!({"solkoff": "1", "full-truncated-solkoff": [], "direct": null});
        serde_json::json!({"rank": 1, "id": id, "number": id, "name": name, "points": "1", "games": 1, "tiebreaks": ties})
    };
    let rows = [row(1, "Sijbrands"), row(2, "Wiersma")];
    assert_eq!(standings, serde_json::json!({"section": "main", "after_round": 1, "results": [1, 1], "rows": rows}));
    club.run(&["standings"]).prints("Sijbrands");
    assert_eq!(club.run(&["standings", "--tiebreaks", "sollkoff"]).code, 2);
    for format in ["trf", "csv"] {
        let text = club.export(format);
        club.import(&text, &[]).prints("nothing is new");
        let other = Club::new();
        other.import(&text, &[]).done();
        assert_eq!(other.export(format), text);
    }
    for (format, words) in [("pdn", "[Result \"1-1\"]"), ("crosstable", "2w1"), ("html", "<bdi>Sijbrands</bdi>")] {
        assert_contains(&club.export(format), &[words]);
    }
    club.fsck().done();
}

#[test]
fn locked_or_damaged_record_is_read_not_written() {
    let club = Club::new();
    club.import(&round("1-1"), &[]).done();
    // Beside a station that does not answer nothing is written, and everything can be read.
    let lock = Lock::acquire(&club.folder).unwrap();
    let beside = club.import(&round("2-0"), &[]);
    assert!(beside.code != 0 && beside.err.contains("no station answers at"), "{}", beside.err);
    club.import(&round("2-0"), &["--dry-run"]).prints("this was a dry run");
    club.run(&["standings"]).done();
    drop(lock);
    let path = club.folder.join("log").join(TOURNAMENT_FILE);
    let damaged = fs::read_to_string(&path).unwrap().replacen("Sijbrands", "Sijbrandz", 1);
    fs::write(&path, damaged).unwrap();
    let wrong = club.fsck();
    assert!(wrong.code != 0 && wrong.out.contains("line 1: its checksum is another"), "{}", wrong.out);
    assert_ne!(club.import(&round("2-0"), &[]).code, 0);
    // A rebuild needs the missing part of the record.
    let rebuild = run(&["rebuild", club.folder.to_str().unwrap()]);
    assert!(rebuild.code != 0 && rebuild.err.contains("put a copy of the file there first"), "{}", rebuild.err);
}

#[test]
fn club_round_robin_is_paired_once() {
    let club = Club::new();
    club.import("No;Name\n1;A\n2;B\n3;C\n", &[]).done();
    club.run(&["round-robin", "--double"]).prints("6 pairings, 6 byes are new");
    let round = club.run(&["show", "--round", "4"]).done();
    assert!(round.contains("1  C  B") || round.contains("1  B  C") || round.contains("1  A"), "{round}");
    assert_contains(&club.run(&["round-robin"]).err, &["has pairings already"]);
}
