//! Chains of logs that end while the station runs: by age, or at the operator's request; never within a game.

use std::fs;

use chrono::{Local, TimeDelta};
use damcast::engine::bytelog::{Header, KEY_CONTINUES, KEY_GAMES_BEFORE, Record, RecordKind};

use crate::daemon::{StationFolder, moves};
use crate::hall::Hall;
use crate::program::assert_contains;
use crate::pty::wait_until;

fn key(header: &Header, name: &str) -> String {
    header.get(name).unwrap_or_default().to_owned()
}

#[test]
fn new_logs_start_on_request_after_game() {
    let mut hall = Hall::start("");
    hall.play(2);
    hall.ctl(&["rotate", "a"]).prints("as soon as nothing of a game can be lost");
    let entries = moves(&hall.live(1)).len();
    hall.play(entries + 1);
    assert!(!hall.file("log/a-2.log").exists(), "a game is going on");
    hall.done(&["result", "a", "1-1", "--confirm"]);
    hall.wait("new logs", |hall| hall.file("log/a-2.log").exists());
    let header = hall.place.log("a-2.log").header;
    assert_eq!((key(&header, KEY_CONTINUES), key(&header, KEY_GAMES_BEFORE)), ("no".to_owned(), "1".to_owned()));
    // The new round has its own games.
    hall.wait("the new round", |hall| hall.public("games.pdn").ends_with("[Result \"*\"]\n\n*\n"));
    assert_contains(&hall.public("archive/a-1.pdn"), &["[Result \"1-1\"]"]);
}

#[test]
fn request_for_new_logs_survives_restart() {
    let mut hall = Hall::start("");
    hall.play(2);
    hall.done(&["rotate", "a"]);
    hall.station.process.kill().unwrap();
    hall.station.wait();
    hall.pty.received.clear();
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    wait_until("a log that goes on", || hall.file("log/a-2.log").exists());
    assert_eq!(key(&hall.place.log("a-2.log").header, KEY_CONTINUES), "yes");
    wait_until("an answer", || hall.ctl(&["result", "a", "1-1", "--confirm"]).code == 0);
    hall.wait("new logs", |hall| hall.file("log/a-3.log").exists());
    assert_eq!(key(&hall.place.log("a-3.log").header, KEY_CONTINUES), "no");
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
    station.wait_for(": recording line=");
    wait_until("a log that goes on", || !place.log("a-2.log").header.other.is_empty());
    assert_eq!(key(&place.log("a-2.log").header, KEY_CONTINUES), "yes");
    wait_until("new logs", || place.path("recordings/log/a-3.log").exists());
    wait_until("their head", || key(&place.log("a-3.log").header, KEY_CONTINUES) == "no");
}
