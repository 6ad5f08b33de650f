//! A second machine: copies of a playing hall are right at any moment, and a takeover continues every game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::browser::{Browser, LIVE, MOVES};
use crate::deliver::Place;
use crate::deliver::hooks::{SshServer, has_programs};
use crate::generated_games::Dice;
use crate::playing_hall::Hall;
use crate::program::{assert_contains, run};
use crate::pty::wait_until;
use crate::serve::hub::{HubFixture, wait_long};
use crate::serve::serve;

const BOARDS: usize = 4;

/// Returns the commands of the example unit, with this target.
fn copy_commands(target: &str) -> Vec<Vec<String>> {
    let unit = fs::read_to_string("config/examples/damcast-spare.service").unwrap();
    let lines = unit.lines().filter_map(|line| line.strip_prefix("ExecStart="));
    let commands = lines.map(|line| line.split(' ').map(|word| word.replace("${SPARE}", target)).collect());
    let commands: Vec<Vec<String>> = commands.collect();
    assert_eq!(commands.len(), 3, "{unit}");
    commands
}

/// Runs the commands of the example unit; without rsync copies files one by one, in the same order.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let commands = copy_commands(to.to_str().unwrap());
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

/// Returns the number of plies of a board in the joined file.
fn joined_plies(hub: &HubFixture, board: &str) -> usize {
    hub.joined().iter().filter(|(_, _, line)| line["type"] == "move" && line["board"] == board).count()
}

/// A hub copies the hall; viewers see the boards of the second machine without doing anything.
#[test]
fn page_of_hub_follows_takeover() {
    let mut hall = Hall::begin(BOARDS);
    let hub = HubFixture::new(&[("a", &format!("url = \"http://{}\"", hall.address))]);
    let config = hub.path("").with_file_name("pages.toml");
    fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {:?}\n", hub.path(""))).unwrap();
    wait_long("joined lines", || joined_plies(&hub, "a.board-1") > 0);
    let pages = serve(&config);
    let mut browser = Browser::open();
    if let Some(browser) = &mut browser {
        browser.visit(&format!("http://{}/board/a.board-1", pages.address));
        browser.wait(LIVE, &"Live".into());
    }
    let (generation, copied) = (hub.generation(), hall.path("../spare"));
    copy(&hall.path(""), &copied);
    hall.station.signal(Signal::KILL);
    hall.server = None;
    let plies = joined_plies(&hub, "a.board-1");
    run(&["takeover", copied.to_str().unwrap()]).prints("taken over, 4 lines, 4 games");
    hall.station = hall.start_in("spare");
    hall.server = Some(serve(&hall.path("../spare.toml")));
    wait_long("another generation", || hub.generation() != generation);
    wait_long("moves of the second machine", || joined_plies(&hub, "a.board-1") > plies + 2);
    let events = fs::read_to_string(copied.join("public/events.ndjson")).unwrap();
    wait_long("the copy", || hub.read("hall/a/events.ndjson").starts_with(&events));
    if let Some(browser) = &mut browser {
        browser.wait(&format!("({MOVES}).split(' ').length > {}", plies + 2), &true.into());
        browser.wait(LIVE, &"Live".into());
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_copies_and_takeovers() {
    check_copies(50, 21);
    take_over_often(20, 22);
}

/// The key of docs/spare.md permits copies into one folder, and nothing else.
#[test]
fn key_of_copies_writes_into_one_folder() {
    if !has_programs(&["rsync", "rrsync", "ssh", "sshd"]) {
        return;
    }
    let page = fs::read_to_string("docs/spare.md").unwrap();
    let line = page.lines().find(|line| line.starts_with("restrict,command=")).unwrap();
    let options = line.split_once("ssh-ed25519").unwrap().0;
    let place = Place::new();
    fs::create_dir_all(place.path("spare")).unwrap();
    let server =
        SshServer::start(&place, &options.replace("/srv/damcast-spare", place.path("spare").to_str().unwrap()));
    let ssh = server.options(&place, "key").join(" ");
    let account = format!("{}@127.0.0.1:", server.user);
    fs::create_dir_all(place.path("recordings/log")).unwrap();
    for name in ["commits", "log/a-1.log", "log/events.order", "public/alive.json"] {
        fs::write(place.path("recordings").join(name), name).unwrap();
    }
    let rsync = |arguments: &[&str]| {
        let mut command = Command::new("rsync");
        command.env("RSYNC_RSH", format!("ssh {ssh}")).current_dir(place.path("recordings"));
        command.args(arguments).output().unwrap().status.success()
    };
    for command in copy_commands(&account) {
        assert!(rsync(&command.iter().skip(1).map(String::as_str).collect::<Vec<_>>()), "{command:?}");
    }
    let found = |name: &str| fs::read_to_string(place.path("spare").join(name)).ok();
    assert_eq!((found("commits").as_deref(), found("log/a-1.log").as_deref()), (Some("commits"), Some("log/a-1.log")));
    assert!(found("alive.json").is_some() && found("log/events.order").is_none());
    // Reading, another folder and a shell are refused.
    let stolen = place.path("stolen").display().to_string();
    assert!(!rsync(&["-a", &format!("{account}commits"), &stolen]) && !Path::new(&stolen).exists());
    let other = place.path("other").display().to_string();
    rsync(&["-a", "commits", &format!("{account}{other}")]);
    assert!(!Path::new(&other).exists(), "a copy outside of the folder");
    let mut shell = Command::new("ssh");
    shell.args(ssh.split(' ')).args([account.trim_end_matches(':'), "echo", "inside"]);
    assert!(!String::from_utf8_lossy(&shell.output().unwrap().stdout).contains("inside"));
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
