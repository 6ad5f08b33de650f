//! The whole folder of a round: days in virtual time leave what their logs describe, and changes are found.

use std::fs;
use std::path::{Path, PathBuf};

use damcast::engine::broadcast::Delay;
use damcast::simulation::day::{Day, DayReport};
use damcast::simulation::games::SourceGame;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::station::config::OutletConfig;
use damcast::station::disk::{Durability, Lock, RealDisk};
use damcast::station::folder::fsck::{self, Severity};
use damcast::station::folder::rebuild::rebuild;
use damcast::station::journal::commits::{Commits, Fragment};
use damcast::station::journal::logs;
use draughts_pdn::problem;
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::strict;
use hardware_sim::profile::NoiseProfile as Hands;

use crate::program::{assert_contains, run};

/// Returns games of the demonstration with at most this many plies.
fn game_pool(plies: usize) -> Vec<SourceGame> {
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(plies));
    pool
}

fn lazy() -> OutletConfig {
    OutletConfig { durability: Durability::Lazy, ..OutletConfig::default() }
}

/// Returns a noisy day: blitz hands, lost links, a station that is killed.
fn noisy_day(directory: &Path, boards: usize, games: usize, seed: u64) -> Day {
    Day {
        directory: directory.to_owned(),
        boards,
        games,
        profile: Hands::blitz(),
        control: "300+3".parse().ok(),
        seed,
        outage_every_ms: 300_000,
        kill_every_ms: 120_000,
        until_ms: 0,
        write_every_ms: 3_000,
        outlets: vec![lazy()],
    }
}

fn read(directory: &Path, name: &str) -> Vec<u8> {
    fs::read(directory.join(name)).unwrap_or_default()
}

/// A game with unrecorded first plies may start with Black to move; pydraughts then reads its first move twice, in every notation.
const STARTS_WITH_BLACK: &str = "with Black to move the first move is read twice";

/// Asserts that readers of the public files find no problems.
fn is_readable(directory: &Path, at: u64) {
    is_readable_except(directory, at, &[]);
}

/// Asserts that readers of the public files find only known problems.
fn is_readable_except(directory: &Path, at: u64, known: &[&str]) {
    for (name, profiles) in [
        ("public/games.pdn", &[ReaderProfile::Lidraughts][..]),
        ("public/started.pdn", &[ReaderProfile::Lidraughts, ReaderProfile::Pydraughts]),
    ] {
        for profile in profiles {
            let text = read(directory, name);
            let mut problems = profile::check(*profile, &text, None);
            problems
                .retain(|problem| problem.level == problem::Level::Error || !known.contains(&problem.message.as_str()));
            assert!(problems.is_empty(), "{at} ms: {name}: {problems:?}\n{}", String::from_utf8_lossy(&text));
        }
    }
}

/// Asserts that every prefix of a live file that ends with a line is strict PDN.
fn every_prefix_is_strict(directory: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(directory.join("live")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        for end in (1..=text.len()).filter(|&end| text[end - 1] == b'\n') {
            let problems = strict::check_bytes(&text[..end], None);
            assert!(problems.is_empty(), "{}: the first {end} bytes: {problems:?}", path.display());
            count += 1;
        }
    }
    count
}

/// Returns a quiet evening, for tests that change its files.
fn quiet_evening() -> (tempfile::TempDir, DayReport) {
    let folder = tempfile::tempdir().unwrap();
    let mut day = noisy_day(folder.path(), 2, 2, 3);
    (day.profile, day.outage_every_ms, day.kill_every_ms) = (Hands::ideal(), 0, 150_000);
    let recorded = day.record(&game_pool(10), |_| {}).unwrap();
    (folder, recorded)
}

/// Returns the findings of a level, each as `file: what`.
fn findings(directory: &Path, level: Severity) -> Vec<String> {
    let report = fsck::check(directory).unwrap();
    let of_level = report.findings.into_iter().filter(|finding| finding.severity == level);
    of_level.map(|finding| format!("{}: {}", finding.file.display(), finding.message)).collect()
}

#[track_caller]
fn is_found(directory: &Path, level: Severity, file: &str, message: &str) {
    let found = findings(directory, level);
    assert!(found.iter().any(|line| line.starts_with(file) && line.contains(message)), "{file}: {message}: {found:#?}");
}

#[test]
fn noisy_day_matches_logs() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let day = noisy_day(folder.path(), 4, 2, 11);
    let recorded = day.record(&game_pool(24), |at| is_readable(folder.path(), at)).unwrap();
    assert!(recorded.kills > 2 && recorded.outages > 2 && recorded.lines > 150, "{recorded:?}");
    let report = day.verify(other.path()).unwrap();
    assert!(report.games >= 8 && report.events > 150, "{report:?}");
    assert!(every_prefix_is_strict(folder.path()) > 150);
    let checked = run(&["fsck", folder.path().to_str().unwrap()]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    assert!(checked.out.ends_with(" events: clean\n"), "{}", checked.out);
}

/// The station is stopped while games go on.
#[test]
fn interrupted_day_matches_logs() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut day = noisy_day(folder.path(), 4, 1, 5);
    (day.profile, day.outage_every_ms, day.kill_every_ms) = (Hands::ideal(), 0, 0);
    (day.control, day.until_ms) = ("4800+60".parse().ok(), 90_000);
    let recorded = day.record(&game_pool(24), |_| {}).unwrap();
    assert!(recorded.lines > 20 && recorded.ms < 120_000, "{recorded:?}");
    let report = day.verify(other.path()).unwrap();
    assert_eq!(report.games, 4, "{report:?}");
}

#[test]
fn delayed_day_matches_logs() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut day = noisy_day(folder.path(), 2, 2, 12);
    let outlet = |name: &str, seconds, plies| OutletConfig {
        name: name.to_owned(),
        directory: format!("public-{name}").into(),
        delay: Delay { seconds, plies },
        ..lazy()
    };
    day.outlets[0].delay = Delay { seconds: 40, plies: 0 };
    day.outlets.extend([outlet("hall", 0, 3), outlet("world", 90, 2)]);
    let path = folder.path().to_owned();
    let folders = ["public", "public-hall", "public-world"];
    let mut before = folders.map(|_| String::new());
    day.record(&game_pool(16), |_| {
        for (folder, before) in folders.iter().zip(&mut before) {
            let events = String::from_utf8(read(&path, &format!("{folder}/events.ndjson"))).unwrap();
            let shared = events.bytes().zip(before.bytes()).take_while(|(now, then)| now == then).count();
            // A kill tears the end of the file; repeated events are identical.
            assert!(before.len().saturating_sub(shared) <= 900, "{folder}: {before}\n{events}");
            *before = events;
        }
    })
    .unwrap();
    assert!(before.iter().all(|events| events.lines().count() > 60), "{before:?}");
    for name in ["live", "log"] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o750)).unwrap();
    }
    day.verify(other.path()).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path.join("live"), mode).unwrap();
    is_found(&path, Severity::Error, "live", "everybody on this machine can read");
}

#[test]
fn changed_files_are_found_and_rebuilt() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    let whole: Vec<(PathBuf, Vec<u8>)> = [
        "live/board-1-1.pdn",
        "live/board-2-2.pdn",
        "public/games.pdn",
        "public/events.ndjson",
        "public/archive/board-2-1.pdn",
    ]
    .map(|name| (path.join(name), read(path, name)))
    .into();
    let edit = |name: &str, from: &str, to: &str| {
        let text = String::from_utf8(read(path, name)).unwrap();
        assert!(text.contains(from), "{name}: {text}");
        fs::write(path.join(name), text.replacen(from, to, 1)).unwrap();
    };
    edit("live/board-1-1.pdn", "1. ", "1. 1-2 ");
    edit("public/games.pdn", "[Event", "[Site \"x\"]\n[Event");
    edit("public/events.ndjson", "\"type\":\"move\"", "\"type\":\"gone\"");
    fs::remove_file(path.join("public/archive/board-2-1.pdn")).unwrap();
    let cut = read(path, "live/board-2-2.pdn");
    fs::write(path.join("live/board-2-2.pdn"), &cut[..cut.len() - 20]).unwrap();
    fs::write(path.join("live/Wiersma-1.pdn"), "?").unwrap();
    fs::write(path.join("public/games.pdn.new"), "?").unwrap();

    is_found(path, Severity::Error, "live/board-1-1.pdn", "it was changed outside damcast");
    is_found(path, Severity::SelfHealing, "public/games.pdn", "it is not what the logs say now");
    is_found(path, Severity::Error, "public/events.ndjson", "is not what the log of board-");
    is_found(path, Severity::Error, "live/Wiersma-1.pdn", "no log knows");
    is_found(path, Severity::SelfHealing, "public/archive/board-2-1.pdn", "not there");
    is_found(path, Severity::SelfHealing, "live/board-2-2.pdn", "lacks its last 20 bytes");
    is_found(path, Severity::SelfHealing, "public/games.pdn.new", "when the station was killed");
    let checked = run(&["fsck", "--json", path.to_str().unwrap()]);
    assert_eq!(checked.code, 1, "{}", checked.out);
    let lines: Vec<serde_json::Value> = checked.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.last().unwrap()["wrong"], 3, "{}", checked.out);

    run(&["rebuild", path.to_str().unwrap()])
        .prints("live/board-1-1.pdn: it is not what the logs say; put aside as board-1-1.pdn.aside-1");
    for (name, whole) in whole {
        assert_eq!(String::from_utf8(fs::read(&name).unwrap()), String::from_utf8(whole), "{}", name.display());
    }
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    assert_eq!(rebuild(path, None).unwrap(), [""; 0]);
}

/// As after `keep-days`: the logs of the first game are gone, the second begins a chain.
#[test]
fn rest_of_round_is_rebuilt_without_first_logs() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let second = run(&["log", "extract", path.to_str().unwrap(), "--line", "board-1", "--game", "2"]);
    for log in logs::list(&path.join("log")).unwrap().into_iter().filter(|log| log.line == "board-1") {
        fs::remove_file(log.path).unwrap();
    }
    fs::write(path.join("log/board-1-9.log"), second.out).unwrap();
    let other = tempfile::tempdir().unwrap();
    run(&["rebuild", path.to_str().unwrap(), "--into", other.path().to_str().unwrap()])
        .prints("there are no logs any more of 1 game;");
    assert_eq!(read(other.path(), "live/board-1-2.pdn"), read(path, "live/board-1-2.pdn"));
    let events = String::from_utf8(read(other.path(), "public/events.ndjson")).unwrap();
    assert!(
        events.contains("\"board\":\"board-1\",\"game\":2") && !events.contains("\"board-1\",\"game\":1"),
        "{events}"
    );
    // The files made from them stay.
    let before = ["live/board-1-1.pdn", "public/archive/board-1-1.pdn"].map(|name| read(path, name));
    assert_eq!(run(&["rebuild", path.to_str().unwrap()]).code, 0);
    assert_eq!(["live/board-1-1.pdn", "public/archive/board-1-1.pdn"].map(|name| read(path, name)), before);
}

#[test]
fn finds_damaged_logs() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let log = path.join("log/board-1-1.log");
    let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
    fs::write(&log, text.replacen("= up", "= down", 1)).unwrap();
    is_found(path, Severity::Error, "log/board-1-1.log", "checksum");
    fs::write(&log, &text).unwrap();
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    // A start that was killed before it wrote anything.
    let end = (2..).find(|number| !path.join(format!("log/board-2-{number}.log")).exists()).unwrap();
    let last = path.join(format!("log/board-2-{end}.log"));
    fs::rename(path.join(format!("log/board-2-{}.log", end - 1)), &last).unwrap();
    fs::write(path.join(format!("log/board-2-{}.log", end - 1)), "").unwrap();
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    fs::remove_file(path.join("log/board-2-1.log")).unwrap();
    is_found(path, Severity::Error, "log/board-2-2.log", "goes on from a log that is not there");
    assert_eq!(run(&["fsck", "/nowhere"]).code, 2);
}

#[test]
fn records_found_only_in_commits_count() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let log = path.join("log/board-1-1.log");
    let whole = fs::read(&log).unwrap();
    let (there, end) = whole.split_at(whole.len() / 2);
    fs::write(&log, there).unwrap();
    is_found(path, Severity::Error, "log/board-1-5.log", "lost a part of live/board-1-");
    let (mut commits, _) = Commits::open(&RealDisk, &path.join("commits"), 1 << 20).unwrap();
    commits
        .commit(&[Fragment { log: "board-1-1.log".into(), offset: there.len() as u64, bytes: end.to_vec() }])
        .unwrap();
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    let other = tempfile::tempdir().unwrap();
    rebuild(path, Some(other.path())).unwrap();
    assert_eq!(read(other.path(), "live/board-1-2.pdn"), read(path, "live/board-1-2.pdn"));
}

#[test]
fn logs_are_listed_verified_and_extracted() {
    let (folder, _) = quiet_evening();
    let path = folder.path().to_str().unwrap();
    let listed = run(&["log", "list", path]);
    assert_contains(&listed.out, &["board-1: 2 games, ", "    game 2  2026-11-21 "]);
    let listed = run(&["log", "list", "--json", path]);
    let lines: Vec<serde_json::Value> = listed.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["line"], "board-2");
    assert_eq!(lines[1]["games"][1]["game"], 2);
    assert_eq!(lines[1]["games"][1]["entries"], 10, "{}", lines[1]);
    assert!(lines[1]["logs"].as_array().unwrap().len() > 1);

    for game in ["1", "2"] {
        let part = run(&["log", "extract", path, "--line", "board-2", "--game", game]);
        assert_eq!(part.code, 0, "{}", part.err);
        let file = folder.path().join("part.log");
        fs::write(&file, &part.out).unwrap();
        let replayed = run(&["replay", file.to_str().unwrap()]);
        let live = read(folder.path(), &format!("live/board-2-{game}.pdn"));
        assert_eq!(replayed.out, String::from_utf8(live).unwrap(), "{}", part.out);
        assert_eq!(run(&["log", "verify", file.to_str().unwrap()]).code, 0);
    }
    let span = run(&["log", "extract", path, "--line", "board-1", "--from", "09:31", "--to", "09:32:30"]);
    let records = span.out.lines().filter(|line| !line.starts_with('#'));
    let times: Vec<u64> = records.map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(times.first().is_some_and(|&first| first >= 60_000) && times.last().is_some_and(|&last| last <= 150_000));
    assert!(span.out.lines().find(|line| !line.starts_with('#')).unwrap().contains("= up"), "{}", span.out);
    assert!(run(&["log", "extract", path, "--line", "x"]).err.contains("one of board-1, board-2"));
    assert!(run(&["log", "extract", path, "--line", "board-1", "--from", "noon"]).err.contains("is no time"));

    assert_eq!(run(&["log", "verify", path]).code, 0);
    let log = folder.path().join("log/board-1-1.log");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("= up", "= down", 1)).unwrap();
    let verified = run(&["log", "verify", path, "--json"]);
    assert_eq!(verified.code, 1);
    assert!(verified.out.contains("\"damage\":\"line "), "{}", verified.out);
    assert_eq!(run(&["log", "verify", "/nowhere.log"]).code, 2);
}

#[test]
fn reads_compressed_logs_like_plain_ones() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let all = || run(&["log", "extract", path.to_str().unwrap(), "--line", "board-1"]).out;
    let before = all();
    for log in logs::list(&path.join("log")).unwrap().into_iter().filter(|log| log.line == "board-1") {
        logs::compress(&log.path).unwrap();
    }
    assert!(path.join("log/board-1-1.log.gz").exists() && !path.join("log/board-1-1.log").exists());
    assert_eq!(all(), before);
    assert_eq!(findings(path, Severity::Error), [""; 0]);
    run(&["log", "verify", path.to_str().unwrap()]).prints("board-1-1.log.gz: whole");
    let logs: Vec<String> =
        logs::list(&path.join("log")).unwrap().into_iter().map(|log| log.path.display().to_string()).collect();
    let of_line = logs.iter().filter(|log| log.contains("board-1")).map(String::as_str);
    let replayed = run(&["replay"].into_iter().chain(of_line).collect::<Vec<_>>());
    assert!(replayed.out.as_bytes().starts_with(&read(path, "live/board-1-1.pdn")), "{}", replayed.err);
    let damaged = path.join("log/board-1-1.log.gz");
    let bytes = fs::read(&damaged).unwrap();
    fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    is_found(path, Severity::Error, "log/board-1-1.log.gz", "the compressed log is damaged");
}

#[test]
fn writes_nothing_beside_running_station() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let lock = Lock::acquire(path).unwrap();
    // A station that is writing: the log is ahead.
    let live = read(path, "live/board-1-1.pdn");
    fs::write(path.join("live/board-1-1.pdn"), &live[..live.len() - 5]).unwrap();
    run(&["fsck", path.to_str().unwrap()])
        .prints(&format!("clean; a station (process {}) records here", std::process::id()));
    run(&["rebuild", path.to_str().unwrap()]).fails(1, "records into this directory");
    let other = tempfile::tempdir().unwrap();
    assert_eq!(run(&["rebuild", path.to_str().unwrap(), "--into", other.path().to_str().unwrap()]).code, 0);
    assert_eq!(read(other.path(), "live/board-1-1.pdn"), live);
    drop(lock);
}

/// The day of a hall: 64 boards, eight hours, each board with one game after the other until closing. `boardsim day` does this with other
/// numbers.
/// The order is damaged from its middle on, and a line of the events stands twice: what follows that line is in no order.
#[test]
fn fsck_counts_events_up_to_repeated_line_only() {
    let (folder, _) = quiet_evening();
    let path = folder.path();
    let [order, events] = ["log/events.order", "public/events.ndjson"].map(|name| path.join(name));
    let text = fs::read_to_string(&order).unwrap();
    fs::write(&order, &text[..text.len() / 2]).unwrap();
    let mut lines: Vec<String> =
        fs::read_to_string(&events).unwrap().split_inclusive('\n').map(str::to_owned).collect();
    let last = lines.len() - 4;
    lines.insert(last, lines[last - 1].clone());
    fs::write(&events, lines.concat()).unwrap();
    let report = fsck::check(path).unwrap();
    assert_eq!(report.events, last);
    let known = text[..text.len() / 2].lines().count() - 2;
    is_found(path, Severity::SelfHealing, "log/events.order", &format!("it lacks {} events", last - known));
    let what = format!("line {} and what follows it are in no log", last + 1);
    is_found(path, Severity::Error, "public/events.ndjson", &what);
}

#[test]
#[ignore = "a quarter of an hour; `cargo test --profile proof --test it -- --ignored --nocapture day_of_64`"]
fn day_of_64_boards_matches_logs() {
    const HOURS: u64 = 3_600_000;
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    // More games than a board can play.
    let mut day = noisy_day(folder.path(), 64, 100, 1);
    (day.profile, day.control, day.until_ms) = (Hands::club(), "4800+60".parse().ok(), 8 * HOURS);
    (day.outage_every_ms, day.kill_every_ms, day.write_every_ms) = (2 * HOURS, HOURS, 20_000);
    let readable = |at| is_readable_except(folder.path(), at, &[STARTS_WITH_BLACK]);
    let recorded = day.record(&game_pool(200), readable).unwrap();
    let report = day.verify(other.path()).unwrap();
    println!("{recorded:?}\n{} games, {} events, {} MB of logs", report.games, report.events, report.bytes >> 20);
    println!("{} prefixes of live files are strict", every_prefix_is_strict(folder.path()));
    assert!(recorded.ms >= 8 * HOURS - 60_000 && recorded.outages >= 64 && recorded.kills >= 2, "{recorded:?}");
    assert!(report.games >= 1_000, "{report:?}");
}

#[test]
fn foreign_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("passwd"), "").unwrap();
    let shown = folder.path().to_str().unwrap();
    let checked = run(&["fsck", shown]);
    assert_eq!((checked.code, checked.out.as_str()), (2, ""), "{}", checked.err);
    assert_contains(&checked.err, &["there is no folder log/ in it; is this the directory of a station?"]);
    // As documented in the help of these verbs.
    let nowhere = folder.path().join("nowhere").display().to_string();
    for arguments in [&["log", "list", &nowhere][..], &["log", "verify", &nowhere], &["log", "extract", &nowhere]] {
        let asked = run(arguments);
        assert_eq!((asked.code, asked.out.as_str()), (2, ""), "{arguments:?}: {}", asked.err);
    }
}
