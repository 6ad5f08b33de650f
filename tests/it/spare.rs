//! A second machine: copies of a playing hall are right at any moment, and a takeover continues every game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::generated_games::Dice;
use crate::playing_hall::Hall;
use crate::program::{assert_contains, run};
use crate::pty::wait_until;

const BOARDS: usize = 4;

/// Runs the commands of the example unit; without rsync copies files one by one, in the same order.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let unit = fs::read_to_string("config/examples/damcast-spare.service").unwrap();
    let commands: Vec<Vec<String>> = unit
        .lines()
        .filter_map(|line| line.strip_prefix("ExecStart="))
        .map(|line| line.split(' ').map(|word| word.replace("${SPARE}", to.to_str().unwrap())).collect())
        .collect();
    assert_eq!(commands.len(), 3, "{unit}");
    if Path::new(&commands[0][0]).exists() {
        for command in commands {
            let status = Command::new(&command[0]).args(&command[1..]).current_dir(from).status().unwrap();
            // 24: a file vanished while it was copied.
            assert!(matches!(status.code(), Some(0 | 24)), "{command:?}: {status}");
        }
        return;
    }
    println!("no rsync: files are copied one by one");
    fs::copy(from.join("commits"), to.join("commits")).unwrap();
    fs::create_dir_all(to.join("log")).unwrap();
    for entry in fs::read_dir(from.join("log")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !(name.starts_with("events") && name.ends_with(".order")) {
            let _ = fs::copy(entry.path(), to.join("log").join(name));
        }
    }
}

/// Events of games by board, game and number, without the members that depend on the generation.
type GameEvents = BTreeMap<(String, u64, u64), Value>;

/// Returns the generation of a file of events and its events of games.
fn read_events(text: &str) -> (Option<String>, GameEvents) {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut generation = None;
    let mut events = GameEvents::new();
    for line in whole.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        generation = event["gen"].as_str().map(str::to_owned);
        let (board, game, n) = (event["board"].as_str(), event["game"].as_u64(), event["n"].as_u64());
        let (Some(board), Some(game), Some(n)) = (board, game, n) else { continue };
        let key = (board.to_owned(), game, n);
        for member in ["gen", "seq"] {
            event.as_object_mut().unwrap().remove(member);
        }
        events.insert(key, event);
    }
    (generation, events)
}

fn pause(dice: &mut Dice, most_ms: usize) {
    std::thread::sleep(Duration::from_millis(dice.roll(most_ms) as u64));
}

fn check_copies(count: usize, seed: u64) {
    println!("seed {seed}");
    let hall = Hall::begin(BOARDS);
    let mut dice = Dice(seed);
    for number in 0..count {
        pause(&mut dice, 400);
        // Every third copy is one of its own; the others update one copy, as a timer does.
        let name = if number % 3 == 0 { format!("copy-{number}") } else { "copy".to_owned() };
        let copied = hall.path("..").join(name);
        copy(&hall.path(""), &copied);
        let checked = run(&["fsck", copied.to_str().unwrap()]);
        assert_eq!(checked.code, 0, "copy {number}, seed {seed}: {}{}", checked.out, checked.err);
    }
    let copied = hall.path("../copy");
    assert!(copied.join("alive.json").exists() && !copied.join("log/events.order").exists());
    run(&["doctor", "--spare", copied.to_str().unwrap()]).prints("4 lines and 4 games are right");
}

fn take_over_often(count: usize, seed: u64) {
    println!("seed {seed}");
    let mut hall = Hall::begin(BOARDS);
    let mut dice = Dice(seed);
    let mut directory = "recordings".to_owned();
    let mut generations = BTreeSet::new();
    let read = |hall: &Hall, directory: &str| {
        let file = hall.path("..").join(directory).join("public/events.ndjson");
        read_events(&fs::read_to_string(file).unwrap_or_default())
    };
    for number in 0..count {
        pause(&mut dice, 1_500);
        let next = format!("spare-{number}");
        let (generation, published) = read(&hall, &directory);
        assert!(generations.insert(generation.unwrap()), "a generation twice, seed {seed}");
        copy(&hall.path("..").join(&directory), &hall.path("..").join(&next));
        // The copy is older than the last lines of the station.
        pause(&mut dice, 500);
        hall.station.signal(Signal::KILL);
        let copied = hall.path("..").join(&next);
        run(&["takeover", copied.to_str().unwrap()]).prints("taken over, 4 lines, 4 games");
        hall.station = hall.start_in(&next);
        directory = next;
        wait_until("new moves of the games", || read(&hall, &directory).1.len() > published.len() + BOARDS);
        let (generation, continued) = read(&hall, &directory);
        assert!(!generations.contains(&generation.unwrap()), "the generation goes on, seed {seed}");
        for (key, event) in &published {
            assert_eq!(continued.get(key), Some(event), "takeover {number}, seed {seed}: {key:?} differs");
        }
    }
    for board in 1..=BOARDS {
        let live =
            fs::read_to_string(hall.path("..").join(&directory).join(format!("live/board-{board}-1.pdn"))).unwrap();
        let recorded = crate::daemon::moves(&live);
        let played = hall.played(board);
        assert!(recorded.len() > 2 && played.starts_with(&recorded), "board {board}, seed {seed}: {live}");
        assert!(!live.contains("/FEN"), "board {board} has a setup, seed {seed}: {live}");
    }
    assert!(hall.station.signal(Signal::TERM).success());
    run(&["fsck", hall.path("..").join(&directory).to_str().unwrap()]).done();
}

#[test]
fn copies_of_playing_hall_are_clean() {
    check_copies(6, 11);
}

#[test]
fn takeovers_continue_every_game() {
    take_over_often(2, 12);
}

#[test]
#[ignore = "takes minutes"]
fn many_copies_and_takeovers() {
    check_copies(50, 21);
    take_over_often(20, 22);
}

#[test]
fn takeover_needs_stopped_station_and_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    run(&["takeover", path]).fails(1, "there is no log/ here");
    let station = crate::daemon::StationFolder::new(&["a"]);
    let _running = station.start();
    wait_until("an answer", || crate::control::run_ctl(&station, &["status"]).code == 0);
    run(&["takeover", station.path("recordings").to_str().unwrap()]).fails(1, "records into this directory; stop it");
}

#[test]
fn doctor_reports_old_and_missing_copies() {
    let folder = tempfile::tempdir().unwrap();
    let spare = folder.path().join("spare");
    let doctor = || run(&["doctor", "--spare", spare.to_str().unwrap()]);
    let found = doctor();
    assert_eq!(found.code, 1);
    assert_contains(&found.out, &["it cannot be read: No such file", "docs/spare.md"]);
    fs::create_dir_all(spare.join("log")).unwrap();
    assert_contains(&doctor().out, &["nothing was copied yet"]);
    let log = fs::File::create(spare.join("log/a-1.log")).unwrap();
    log.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
    let found = doctor().out;
    assert_contains(&found, &["the copy is 36", " s old", "damcast-spare.timer", "commits is missing"]);
    assert!(!found.contains("port"), "no other check: {found}");
}
