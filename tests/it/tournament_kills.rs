//! The service is killed at any operation, loses power there, or meets a failing disk: after the next start a request was done whole or not
//! at all, and repeating it under its name does it once.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use damcast::control::tournament::TournamentRequest;
use damcast::station::disk::Disk;
use damcast::station::tournament_log::{TOURNAMENT_FILE, TournamentError, TournamentLog};
use damcast::station::tournament_service::{ServiceError, StationBoard, TournamentService};
use damcast::tournament::TournamentCommand;
use damcast::tournament::{BoardGame, Tournament};
use draughts::ResultFormat;

use crate::kill_at_syscall::library;
use crate::model_disk::{Fault, ModelDisk};
use crate::office::{rename, result, round};
use crate::program::{assert_contains, damcast, run};

const LOG: &str = "/r/log";
const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// Two rounds of four players.
const ROUNDS: &str = "Round;Board;White;Black;Result\n1;1;Sijbrands, Ton;Wiersma, H.;*\n1;2;Clerc, Rob;Gantwarg, A.;*\n\
    2;1;Gantwarg, A.;Sijbrands, Ton;*\n2;2;Wiersma, H.;Clerc, Rob;*\n";

/// Returns the requests of a round from its import to its end, with a wrong result: each request has a name.
fn requests() -> Vec<TournamentRequest> {
    let import = TournamentCommand::import_of("rounds.csv", ROUNDS.to_owned());
    let matters = [
        import,
        round(1, "published"),
        round(1, "open"),
        TournamentCommand::result_of("a".to_owned(), "2-0".to_owned()),
        result("1.1", "0-2", None),
        rename("Wiersma, H.", "Wiersma, Harm"),
        result("1.2", "2-0", Some("forfeit")),
        round(1, "closed"),
        round(2, "open"),
    ];
    let named = |(matter, number): (TournamentCommand, u32)| TournamentRequest {
        request_id: Some(format!("request {number}")),
        // The board shows another result.
        confirm: true,
        ..matter.into()
    };
    matters.into_iter().zip(1..).map(named).collect()
}

/// Returns the service of a station with two boards; a game of the first pairing was played on one of them.
fn service(disk: &ModelDisk) -> TournamentService {
    let mut office = TournamentService::open(Arc::new(disk.clone()), Path::new(LOG)).unwrap();
    assert_eq!(office.log().damage(), None);
    office.set_boards(
        ["a", "b"]
            .map(|name| StationBoard { name: name.to_owned(), serial: None, is_connected: true, is_known: true })
            .into(),
    );
    let tags = [("Round", "1"), ("White", "Sijbrands, Ton"), ("Black", "Wiersma, H.")];
    office.games_mut().insert(BoardGame {
        board: "a".to_owned(),
        number: 1,
        continues: None,
        pairing: Some("1".to_owned()),
        tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        format: Some(ResultFormat::International),
        result: Some("1-1".to_owned()),
        is_result_given: false,
        is_over: true,
        entries: 40,
    });
    office
}

/// Returns the tournament after each number of requests.
fn stores() -> Vec<Tournament> {
    let mut office = service(&ModelDisk::new());
    let mut books = vec![office.tournament().clone()];
    for request in requests() {
        office.execute(&request, "arbiter").unwrap();
        books.push(office.tournament().clone());
    }
    assert_eq!(office.log().version(), books.len() as u64 - 1, "each of them is a record");
    books
}

/// Checks the next start on a disk on which `done` requests were confirmed, and repeats all requests.
#[track_caller]
fn check(disk: &ModelDisk, done: usize, books: &[Tournament], case: &str) {
    let mut office = service(disk);
    let version = office.log().version() as usize;
    assert!((done..=done + 1).contains(&version), "{case}: {done} were done, {version} are there");
    assert_eq!(office.tournament(), &books[version], "{case}");
    for request in requests() {
        office.execute(&request, "arbiter").unwrap_or_else(|refusal| panic!("{case}: {refusal}"));
    }
    assert_eq!(Some(office.tournament()), books.last(), "{case}");
    let read = TournamentLog::read(disk, Path::new(LOG)).unwrap();
    assert_eq!((read.damage(), Some(read.tournament())), (None, books.last()), "{case}");
}

#[test]
fn kill_anywhere_applies_requests_whole_or_not_at_all() {
    let books = stores();
    let disk = ModelDisk::new();
    disk.keep_history();
    let mut office = service(&disk);
    let mut ends = Vec::new();
    for request in requests() {
        office.execute(&request, "arbiter").unwrap();
        ends.push(disk.model().count());
    }
    for (operation, model) in disk.history().into_iter().enumerate() {
        let done = ends.iter().filter(|end| **end <= operation).count();
        check(&model.after_crash(), done, &books, &format!("killed before operation {operation}"));
        for lost in 0..1_u32 << model.outstanding().min(6) {
            let after = model.after_power_loss(|index| lost >> index & 1 == 1);
            check(&after, done, &books, &format!("no power before operation {operation}, {lost:b} lost"));
        }
    }
}

#[test]
fn disk_failure_keeps_past_and_later_requests() {
    let books = stores();
    let operations = {
        let disk = ModelDisk::new();
        let mut office = service(&disk);
        requests().iter().for_each(|request| drop(office.execute(request, "arbiter").unwrap()));
        disk.model().count()
    };
    for (at, count, errno) in
        (0..operations).flat_map(|at| [(at, 1, EIO), (at, 1, ENOSPC), (at, 4, EIO), (at, 9, ENOSPC)])
    {
        let case = format!("error {errno} in operations {at} to {}", at + count);
        let disk = ModelDisk::new();
        disk.set_fault(Some(Fault { operations: at..at + count, errno }));
        let mut office = service(&disk);
        let mut written = Vec::new();
        for (done, request) in requests().iter().enumerate() {
            // The arbiter repeats the request until it is done.
            let record = (0..20).find_map(|_| match office.execute(request, "arbiter") {
                Ok(done) => Some(done.record),
                Err(ServiceError::Record(TournamentError::Disk { .. } | TournamentError::OutcomeUnknown { .. })) => {
                    // Readers of the folder see no half request, then or after a loss of power.
                    check(&disk.model().after_crash(), done, &books, &case);
                    check(&disk.model().after_power_loss(|_| true), done, &books, &case);
                    None
                }
                Err(refusal) => panic!("{case}: {refusal}"),
            });
            // The records for the public files contain each one once.
            written.extend(record.unwrap_or_else(|| panic!("{case}: request {done} is never done")));
            check(&disk.model().after_crash(), done + 1, &books, &case);
            check(&disk.model().after_power_loss(|_| true), done + 1, &books, &case);
        }
        assert_eq!(written, office.log().records(), "{case}");
    }
}

/// Runs `damcast tournament` on a folder; kills it at operation number `at`, halfway through it or before it.
fn killed(folder: &Path, arguments: &[&str], at: usize, half: bool) -> Output {
    let mut command = damcast(&[]);
    command.arg("tournament").args(arguments).arg("--directory").arg(folder);
    let under = fs::canonicalize(folder.parent().unwrap()).unwrap();
    command.env("LD_PRELOAD", library().unwrap()).env("DAMCAST_UNDER", under);
    command.env("DAMCAST_AT", at.to_string()).env("DAMCAST_COUNT", "1").env("DAMCAST_ERRNO", "0");
    command.env("DAMCAST_HALF", u8::from(half).to_string()).env("DAMCAST_REPORT", folder.with_extension("report"));
    command.output().unwrap()
}

#[test]
fn killed_import_is_applied_once_by_retry() {
    if library().is_none() {
        println!("there is no `cc`: nobody was killed");
        return;
    }
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let first = home.path().join("rounds.csv");
    let second = home.path().join("results.csv");
    fs::write(&first, ROUNDS).unwrap();
    fs::write(&second, ROUNDS.replacen('*', "2-0", 1)).unwrap();
    let steps = [("one", &first), ("two", &second)];
    let mut kills = 0;
    for half in [false, true] {
        for at in 0.. {
            let folder = home.path().join(format!("club-{half}-{at}"));
            let mut is_killed = false;
            for (name, file) in steps {
                let arguments = ["import", file.to_str().unwrap(), "--request-id", name];
                let output = killed(&folder, &arguments, at, half);
                is_killed |= output.status.code().is_none();
                if output.status.code().is_none() {
                    let read = run(&["fsck", folder.to_str().unwrap()]);
                    assert!(!folder.exists() || read.code == 0, "{at} {half}: {}{}", read.out, read.err);
                    let again =
                        run(&[&["tournament"], &arguments[..], &["--directory", folder.to_str().unwrap()]].concat());
                    assert_eq!(again.code, 0, "{at} {half}: {}{}", again.out, again.err);
                    kills += 1;
                }
            }
            let text = fs::read_to_string(folder.join("log").join(TOURNAMENT_FILE)).unwrap();
            let records = text.lines().filter(|line| line.contains("\"crc\"")).count();
            assert_eq!(records, 2, "{at} {half}: {text}");
            let shown = run(&["tournament", "show", "--directory", folder.to_str().unwrap()]);
            assert_contains(&shown.done(), &["4 players", "version 2"]);
            if !is_killed {
                break;
            }
        }
    }
    assert!(kills > 6, "{kills}");
}

#[test]
fn second_of_two_arbiters_sees_change_of_first() {
    let disk = ModelDisk::new();
    let mut office = service(&disk);
    for request in requests().iter().take(4) {
        office.execute(request, "jan").unwrap();
    }
    let seen = office.log().version();
    let correct = |to: &str, name: &str| TournamentRequest {
        request_id: Some(name.to_owned()),
        if_version: Some(seen),
        ..result("1.1", to, None).into()
    };
    office.execute(&correct("1-1", "jan 1"), "jan").unwrap();
    let before = disk.model().files(LOG);
    assert_contains(
        &office.execute(&correct("0-2", "piet 1"), "piet").unwrap_err().to_string(),
        &["changed since", "version 5: result of pairing 1.1: 1-1"],
    );
    assert_eq!(disk.model().files(LOG), before, "nothing is written");
    // The first request is repeated because its answer was lost: it is already done, even for a version that is outdated.
    let again = office.execute(&correct("1-1", "jan 1"), "jan").unwrap();
    assert!(again.record.is_none() && again.messages[0].contains("done already, as version 5"), "{:?}", again.messages);
    let pairing = |office: &TournamentService| office.tournament().sections[0].pairings[0].result.unwrap();
    assert_eq!(pairing(&office).white.to_string(), "1");
}

/// A cut removes only requests that were never done, and every flipped bit is detected: the state read is always an earlier state.
#[test]
fn damaged_record_shows_only_past_changes() {
    let books = stores();
    let disk = ModelDisk::new();
    let mut office = service(&disk);
    requests().iter().for_each(|request| drop(office.execute(request, "arbiter").unwrap()));
    let path = format!("{LOG}/{TOURNAMENT_FILE}");
    let whole = disk.read(Path::new(&path)).unwrap();
    let read = |bytes: Vec<u8>| {
        disk.put(&path, bytes);
        TournamentLog::read(&disk, Path::new(LOG)).unwrap()
    };
    for at in 0..whole.len() {
        if at % 5 == 0 {
            let cut = read(whole[..at].to_vec());
            assert_eq!(cut.tournament(), &books[cut.version() as usize], "cut at {at}");
            assert_eq!(cut.damage(), None, "cut at {at}");
        }
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        let log = read(flipped);
        assert_eq!(log.tournament(), &books[log.version() as usize], "bit {} of byte {at}", at % 8);
        // A hexadecimal digit of a checksum may change its case without any loss.
        let is_silent = log.damage().is_none();
        assert!(!is_silent || Some(log.tournament()) == books.last(), "bit {} of byte {at} is not reported", at % 8);
    }
}

/// `fsck` reports a damaged record with its line, and recognises a cut one.
#[test]
fn fsck_reports_damaged_record_and_service_stops_writing() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("rounds.csv");
    let folder = home.path().join("club");
    let on = folder.to_str().unwrap().to_owned();
    let import = |text: &str| {
        fs::write(&file, text).unwrap();
        run(&["tournament", "import", file.to_str().unwrap(), "--directory", &on])
    };
    for text in [ROUNDS.to_owned(), ROUNDS.replacen('*', "2-0", 1), ROUNDS.replacen('*', "1-1", 1)] {
        assert_eq!(import(&text).code, 0);
    }
    let log = folder.join("log").join(TOURNAMENT_FILE);
    let whole = fs::read(&log).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
    for (line, at) in [(1, ends[0] / 2), (2, (ends[0] + ends[1]) / 2), (3, (ends[1] + ends[2]) / 2)] {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        fs::write(&log, &flipped).unwrap();
        let check = run(&["fsck", &on]);
        let expected_place = format!("{TOURNAMENT_FILE}, line {line}");
        assert!(check.code != 0 && check.out.contains(&expected_place), "line {line}: {}", check.out);
        let refused = import(&ROUNDS.replacen('*', "0-2", 1));
        assert!(refused.code == 1 && refused.err.contains(&expected_place), "line {line}: {}", refused.err);
        assert_eq!(fs::read(&log).unwrap(), flipped, "nothing is written behind it");
    }
    fs::write(&log, &whole[..(ends[1] + ends[2]) / 2]).unwrap();
    run(&["fsck", &on]).done();
    assert_eq!(import(&ROUNDS.replacen('*', "0-2", 1)).code, 0);
    run(&["tournament", "show", "--history", "--directory", &on]).done();
    assert_eq!(run(&["fsck", &on]).code, 0);
}

#[test]
fn opening_64_board_round_syncs_once() {
    let disk = ModelDisk::new();
    let mut service = TournamentService::open(Arc::new(disk.clone()), Path::new(LOG)).unwrap();
    let board =
        |number| StationBoard { name: format!("board-{number}"), serial: None, is_connected: true, is_known: true };
    service.set_boards((1..=64).map(board).collect());
    let rows = (1..=64).map(|number| format!("1;{number};White {number};Black {number}\n"));
    let text = format!("Round;Board;White;Black\n{}", rows.collect::<String>());
    let import = TournamentCommand::import_of("round.csv", text);
    service.execute(&TournamentRequest { confirm: true, ..import.into() }, "arbiter").unwrap();
    let before = disk.model().count();
    let open = TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None };
    service.execute(&open.into(), "arbiter").unwrap();
    // One record with the assignments of all boards: one write and one sync.
    assert_eq!(disk.model().count() - before, 2);
    assert_eq!(disk.model().outstanding(), 0);
    assert_eq!(service.tournament().board_assignments().len(), 64);
    assert_eq!(service.apply_board_results(&Default::default()).unwrap().record, None);
}
