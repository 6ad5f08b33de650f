//! Chains of logs that end while the station runs: by age, or at the operator's request; never within a game.

use std::fs;

use chrono::{Local, TimeDelta};
use damcast::engine::bytelog::{Header, KEY_CONTINUES, KEY_GAMES_BEFORE, Record, RecordKind};

use crate::control::run_ctl;
use crate::daemon::{SPEED, StationFolder, moves, recording};
use crate::pty::{Board, Pty, wait_until};

fn key(header: &Header, name: &str) -> String {
    header.get(name).unwrap_or_default().to_owned()
}

#[test]
fn new_logs_start_on_request_after_game() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let _station = place.start();
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    let output = run_ctl(&place, &["ctl", "rotate", "a"]);
    assert_eq!(
        (output.code, output.out.contains("as soon as nothing of a game can be lost")),
        (0, true),
        "{}",
        output.err
    );
    let entries = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 800_000, || moves(&place.live("a-1.pdn")).len() > entries);
    assert!(!place.path("recordings/log/a-2.log").exists(), "a game is going on");
    assert_eq!(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]).code, 0);
    wait_until("new logs", || {
        board.answer(&mut pty);
        place.path("recordings/log/a-2.log").exists()
    });
    let header = place.log("a-2.log").header;
    assert_eq!((key(&header, KEY_CONTINUES), key(&header, KEY_GAMES_BEFORE)), ("no".to_owned(), "1".to_owned()));
    // The new round has its own games.
    let games = place.path("recordings/public/games.pdn");
    wait_until("the new round", || {
        board.answer(&mut pty);
        fs::read_to_string(&games).is_ok_and(|text| text.ends_with("[Result \"*\"]\n\n*\n"))
    });
    let archived = fs::read_to_string(place.path("recordings/public/archive/a-1.pdn")).unwrap();
    assert!(archived.contains("[Result \"1-1\"]"), "{archived}");
}

#[test]
fn request_for_new_logs_survives_restart() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    assert_eq!(run_ctl(&place, &["ctl", "rotate", "a"]).code, 0);
    station.process.kill().unwrap();
    station.wait();
    pty.received.clear();
    let _station = place.start();
    pty.wait_for_the_station();
    wait_until("a log that goes on", || place.path("recordings/log/a-2.log").exists());
    assert_eq!(key(&place.log("a-2.log").header, KEY_CONTINUES), "yes");
    wait_until("an answer", || run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]).code == 0);
    wait_until("new logs", || {
        board.answer(&mut pty);
        place.path("recordings/log/a-3.log").exists()
    });
    assert_eq!(key(&place.log("a-3.log").header, KEY_CONTINUES), "no");
}

#[test]
fn chain_age_starts_new_logs_during_run() {
    // A station opens much faster than that.
    const LEFT: TimeDelta = TimeDelta::seconds(5);
    let place = StationFolder::new(&["a"]);
    let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
    fs::write(place.path("damcast.toml"), format!("{config}[log]\nrotate-hours = 1\n")).unwrap();
    fs::create_dir_all(place.path("recordings/log")).unwrap();
    // The log of a station that was started nearly an hour ago.
    let mut header = damcast::station::config::Config::read("test", &config).unwrap().lines[0].header();
    header.opened = Some(Local::now().fixed_offset() - TimeDelta::hours(1) + LEFT);
    header.other.push((KEY_CONTINUES.to_owned(), "no".to_owned()));
    let up = Record::new(0, RecordKind::LinkUp).to_line() + &Record::new(9, RecordKind::LinkDown).to_line();
    fs::write(place.path("recordings/log/a-1.log"), header.to_text() + &up).unwrap();
    let station = place.start();
    station.wait_for("recording");
    wait_until("a log that goes on", || !place.log("a-2.log").header.other.is_empty());
    assert_eq!(key(&place.log("a-2.log").header, KEY_CONTINUES), "yes");
    wait_until("new logs", || place.path("recordings/log/a-3.log").exists());
    wait_until("their head", || key(&place.log("a-3.log").header, KEY_CONTINUES) == "no");
}
