//! A machine whose clock is wrong and is set during a recording: effects on the dates of games and the times of events.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{Local, TimeDelta};
use damcast::engine::bytelog::{self, ByteLog, KEY_CLOCK, KEY_DATES_FROM, LogInput, Record, RecordKind};
use damcast::engine::playback::{self, PlayedGame, PublishedEvent};
use rustix::process::{Pid, Signal, kill_process};

use crate::boards::{Process, recorded};
use crate::program::{assert_contains, damcast, preload, run};
use crate::pty::{Board, Pty, wait_until};

const OPENED: &str = "2026-11-21T10:00:00.000+01:00";
const SET_AT: u64 = 1_003;
const CUT_AT: u64 = 840_000;
/// Time at `SET_AT` on a clock that was right when the log was opened.
const SET_TO: &str = "2026-11-21T10:00:01.003+01:00";

fn recording(name: &str) -> ByteLog {
    bytelog::read(&fs::read(format!("tests/data/replay/{name}.log")).unwrap()).unwrap()
}

/// Returns the recording as logged by a machine whose clock showed `opened` at first, and was set a second later.
fn with_clock(opened: &str, set_to: Option<&str>, dates_from: Option<&str>) -> ByteLog {
    let mut log = recording("ideal");
    log.header.set("opened", opened).unwrap();
    log.header.other.extend(dates_from.map(|from| (KEY_DATES_FROM.to_owned(), from.to_owned())));
    if let Some(shown) = set_to {
        let index = log.records.partition_point(|record| record.at <= SET_AT);
        let shown = chrono::DateTime::parse_from_rfc3339(shown).unwrap();
        log.records.insert(index, Record::new(SET_AT, RecordKind::ClockSet(shown)));
    }
    // As on a disk.
    bytelog::read(log.to_text().as_bytes()).unwrap()
}

fn games(logs: Vec<ByteLog>) -> Vec<PlayedGame> {
    let named =
        |(index, log): (usize, ByteLog)| LogInput::from_text(format!("a-{index}.log"), log.to_text().into_bytes());
    playback::play(logs.into_iter().enumerate().map(named).collect(), None).unwrap().games
}

fn date(game: &PlayedGame) -> String {
    let text = String::from_utf8(game.file.bytes()).unwrap();
    let value = |line: &str| Some(line.strip_prefix("[Date \"")?.strip_suffix("\"]")?.to_owned());
    text.lines().find_map(value).unwrap()
}

#[test]
fn game_has_date_of_corrected_clock() {
    const UNSET: &str = "1970-01-01T00:00:05.000+00:00";
    const BUILT_LIBRARY: Option<&str> = Some("2026-11-01T00:00:00.000Z");
    for (opened, set_to, dates_from, expected) in [
        (OPENED, None, BUILT_LIBRARY, "2026.11.21"),
        (UNSET, None, BUILT_LIBRARY, "????.??.??"),
        (UNSET, None, None, "1970.01.01"),
        (UNSET, Some(SET_TO), BUILT_LIBRARY, "2026.11.21"),
        (UNSET, Some(SET_TO), None, "2026.11.21"),
        (OPENED, Some("2027-01-01T00:00:02.000+01:00"), BUILT_LIBRARY, "2027.01.01"),
        (OPENED, Some("1980-01-01T00:00:00.000Z"), BUILT_LIBRARY, "????.??.??"),
    ] {
        let games = games(vec![with_clock(opened, set_to, dates_from)]);
        let dates: Vec<String> = games.iter().map(date).collect();
        assert_eq!(dates, [expected], "{opened} {set_to:?} {dates_from:?}");
    }
}

/// Returns two logs of one line, cut in the middle of the game, with half a minute between them.
fn cut(log: &ByteLog, next: impl FnOnce(&mut ByteLog, chrono::DateTime<chrono::FixedOffset>)) -> Vec<ByteLog> {
    let middle = log.records.partition_point(|record| record.at < CUT_AT);
    let mut first = log.clone();
    let rest = first.records.split_off(middle);
    let at = first.records.last().unwrap().at;
    let mut second = ByteLog { records: rest, ..log.clone() };
    for record in &mut second.records {
        record.at -= at;
    }
    second.records.insert(0, Record::new(0, RecordKind::LinkUp));
    second.header.other.push(("continues".to_owned(), "yes".to_owned()));
    let opened = chrono::DateTime::parse_from_rfc3339(OPENED).unwrap();
    next(&mut second, opened + TimeDelta::milliseconds(i64::try_from(at).unwrap()) + TimeDelta::seconds(30));
    vec![first, second]
}

#[test]
fn game_survives_restart_with_any_initial_clock() {
    let at_its_time = |log: &mut ByteLog, moment| log.header.opened = Some(moment);
    let right = games(cut(&with_clock(OPENED, None, None), at_its_time));
    let from_1970 = with_clock("1970-01-01T00:00:05.000+00:00", Some(SET_TO), None);
    let from_1970 = games(cut(&from_1970, at_its_time));
    let from_2031 = with_clock("2031-01-01T00:00:05.000+01:00", Some(SET_TO), None);
    // Logs stay in the order of their opening.
    let from_2031 = games(cut(&from_2031, |log, moment| {
        log.header.opened = Some(chrono::DateTime::parse_from_rfc3339("2031-01-01T00:00:05.001+01:00").unwrap());
        log.header.other.push((KEY_CLOCK.to_owned(), moment.to_rfc3339()));
    }));
    for (other, label) in [(from_1970, "from 1970"), (from_2031, "from 2031")] {
        assert_eq!(other.len(), right.len(), "{label}");
        for (other, right) in other.iter().zip(&right) {
            let text = |game: &PlayedGame| String::from_utf8(game.file.bytes()).unwrap();
            assert_eq!(text(other), text(right), "{label}");
            let history = |game: &PlayedGame| -> Vec<_> {
                let history = game.published_events().into_iter();
                history.map(|(at, label)| (at, matches!(label, PublishedEvent::Entry(_)))).collect()
            };
            assert_eq!(history(other), history(right), "{label}");
        }
    }
}

/// Returns the library that shifts a program's clock; `None` without a compiler.
fn library() -> Option<&'static std::path::PathBuf> {
    static LIBRARY: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| preload("wall_clock")).as_ref();
    if library.is_none() {
        println!("there is no `cc`: no clock was set");
    }
    library
}

/// Returns the seconds since 1970 by the machine's clock.
fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

#[test]
fn doctor_reports_unset_clock() {
    let Some(library) = library() else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let wall = folder.path().join("wall");
    let clock_findings = |offset: i64| {
        fs::write(&wall, offset.to_ne_bytes()).unwrap();
        let mut command = damcast(&["doctor", "--json", "--config", "nowhere.toml"]);
        command.current_dir(folder.path()).env("LD_PRELOAD", library).env("DAMCAST_WALL", &wall);
        let clock_findings: serde_json::Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let faults = clock_findings["faults"].as_array().unwrap().iter().filter(|fault| fault["check"] == "clock");
        faults.map(|fault| format!("{}: {}", fault["what"], fault["remedy"])).collect::<Vec<_>>().join("\n")
    };
    assert_contains(&clock_findings(5 - now()), &["it was never set: it shows 19", "sudo date -s"]);
    // Whether the clock is synchronised is a separate finding.
    assert!(!clock_findings(0).contains("it shows"));
}

/// Starts with a clock that shows 1970 and is set while boards are played: real processes and ports.
#[test]
fn station_reports_dates_of_clock_set_during_recording() {
    const SPEED: f64 = 100.0;
    let Some(library) = library() else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut config = "[station]\ndirectory = \"recordings\"\n".to_owned();
    let mut boards: Vec<(Pty, Board)> = Vec::new();
    for (line, name) in [("a", "ideal"), ("b", "calm")] {
        let port = path(line);
        boards.push((Pty::plug_in(&port), Board::new(&recording(name), SPEED)));
        config += &format!("[[line]]\nname = {line:?}\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {SPEED}\n");
    }
    fs::write(path("damcast.toml"), config).unwrap();
    fs::write(path("wall"), (5 - now()).to_ne_bytes()).unwrap();
    let log_file = fs::File::create(path("said")).unwrap();
    let mut command = damcast(&["run", "--config", "damcast.toml"]);
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(log_file);
    command.env("LD_PRELOAD", library).env("DAMCAST_WALL", path("wall"));
    let mut station = Process(command.spawn().unwrap());
    boards.iter_mut().for_each(|(pty, _)| pty.wait_for_the_station());

    let live = |line: &str| path("recordings/live").join(format!("{line}-1.pdn"));
    let [(pty_a, a), (pty_b, b)] = boards.as_mut_slice() else { unreachable!() };
    a.play(pty_a, u64::MAX, || recorded(&live("a")).len() >= 3);
    let today = Local::now();
    fs::File::options().write(true).open(path("wall")).unwrap().write_all_at(&0_i64.to_ne_bytes(), 0).unwrap();
    let log = |line: &str| fs::read_to_string(path("recordings/log").join(format!("{line}-1.log"))).unwrap();
    wait_until("both logs say that the clock was set", || {
        a.answer(pty_a);
        b.answer(pty_b);
        ["a", "b"].into_iter().all(|line| log(line).contains(" @ 20"))
    });
    a.play(pty_a, u64::MAX, || recorded(&live("a")).len() >= 6);
    b.play(pty_b, u64::MAX, || recorded(&live("b")).len() >= 3);

    let date = |line: &str| {
        let text = fs::read_to_string(live(line)).unwrap();
        text.lines().find(|line| line.starts_with("[Date")).unwrap().to_owned()
    };
    assert_eq!(date("a"), "[Date \"????.??.??\"]", "it was published before the clock was set");
    let days = [today, today + TimeDelta::days(1)].map(|day| format!("[Date \"{}\"]", day.format("%Y.%m.%d")));
    assert!(days.contains(&date("b")), "{} is not of {days:?}", date("b"));
    assert_eq!(log("b").matches(" @ ").count(), 1, "{}", log("b"));
    assert!(fs::read_to_string(path("said")).unwrap().contains("the clock of this machine was set from 1970-01-01"));

    kill_process(Pid::from_child(&station.0), Signal::TERM).unwrap();
    wait_until("the end of the station", || station.0.try_wait().unwrap().is_some());
    for line in ["a", "b"] {
        let replayed = run(&["replay", path("recordings/log").join(format!("{line}-1.log")).to_str().unwrap()]);
        assert_eq!(replayed.out, fs::read_to_string(live(line)).unwrap());
    }
    let events = fs::read_to_string(path("recordings/public/events.ndjson")).unwrap();
    let moments: Vec<&str> = events.lines().filter_map(|event| event.split("\"at\":\"").nth(1)).collect();
    let (before, after): (Vec<&str>, Vec<&str>) = moments.iter().partition(|at| at.starts_with("1970-01-0"));
    assert!(before.len() >= 3 && after.len() >= 6, "{moments:?}");
    assert!(after.iter().all(|at| at.starts_with("20")), "{moments:?}");
    run(&["fsck", path("recordings").to_str().unwrap()]).done();
}
