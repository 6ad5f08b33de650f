//! Supervision of publication: any harm to the public files of a running station is reported within seconds, and missing files are made
//! again from the record.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use damcast::station::file_problems::{DISK_FAULT_ALARM, PUBLICATION_ALARM};

use crate::control::{metric_value, metrics, run_ctl, status};
use crate::daemon::{SPEED, Station, StationFolder, moves, recording, truth};
use crate::hall::Harm;
use crate::outlets::event_moves;
use crate::program::{assert_contains, run};
use crate::pty::{Board, Pty, wait_until};

/// A station with an alarm command, and a board that has played some plies.
struct Hall {
    place: StationFolder,
    pty: Pty,
    board: Board,
    station: Station,
    /// Kind of the expected alarm.
    kind: &'static str,
}

impl Hall {
    fn playing(recording: &damcast::engine::bytelog::ByteLog, plies: usize) -> Hall {
        let place = StationFolder::new(&["a"]);
        let command = format!("cat >> {}", place.path("alarms").display());
        place.prepend_config(&format!("[alarm]\ndisk-low = 0\ncommand = [\"/bin/sh\", \"-c\", {command:?}]\n"));
        let mut pty = Pty::plug_in(&place.path("a"));
        let mut board = Board::new(recording, SPEED);
        let station = place.start();
        pty.wait_for_the_station();
        board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= plies);
        Hall { place, pty, board, station, kind: PUBLICATION_ALARM }
    }

    fn numbers(&self) -> (String, Vec<String>) {
        metrics(&self.place.path("recordings"))
    }

    fn public(&self, name: &str) -> String {
        self.place.public(name)
    }

    /// Returns the calls of the alarm command for this alarm: `raised` or `over`, and the text.
    fn alarm_calls(&self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.place.path("alarms")).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_it = events.filter(|event| event["kind"] == self.kind);
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        of_it.map(|event| (word(&event["event"]), word(&event["text"]))).collect()
    }

    /// Changes the files, and waits until the status, the alarm command and the log report this file.
    fn assert_reported(&mut self, file: &str, happens: impl FnOnce(&Path)) {
        let kind = self.kind;
        let raised = |called: Vec<(String, String)>| called.iter().filter(|(event, _)| event == "raised").count();
        let before = raised(self.alarm_calls());
        let (mut seen, mut sick, mut counted) = (false, false, false);
        happens(&self.place.path("recordings"));
        wait_until(&format!("{file} is reported: {}", self.station.output()), || {
            self.board.answer(&mut self.pty);
            let status = status(&self.place);
            let is_it = |alarm: &Value| alarm["kind"] == kind && alarm["text"].as_str().unwrap().contains(file);
            let alarms = status["alarms"].as_array().unwrap();
            seen |= alarms.iter().any(|alarm| is_it(alarm) && alarm["since"].is_string());
            let (counts, health_problems) = self.numbers();
            sick |= health_problems.iter().any(|ill| ill.contains(kind) && ill.contains(file));
            counted |= metric_value(&counts, &format!("damcast_alarms{{kind=\"{kind}\"}}")) >= 1.0;
            seen && sick && counted && raised(self.alarm_calls()) > before
        });
        assert!(self.alarm_calls().last().unwrap().1.contains(file), "{:?}", self.alarm_calls());
    }

    /// Asserts that no problem remains and that no alarm is called any more.
    fn assert_healthy(&mut self) {
        wait_until("the end of the alarm", || {
            self.board.answer(&mut self.pty);
            let is_over = self.alarm_calls().last().is_some_and(|(event, _)| event == "over");
            is_over && self.numbers().1.is_empty()
        });
        assert!(status(&self.place)["alarms"].as_array().unwrap().iter().all(|alarm| alarm["kind"] != self.kind));
    }

    /// Asserts that the whole live file is public.
    fn assert_complete(&mut self) {
        wait_until("the public files say what the live file says", || {
            self.board.answer(&mut self.pty);
            let moves = moves(&self.place.live("a-1.pdn"));
            let events = self.public("events.ndjson");
            let sent = event_moves(&events);
            let is_shown = |file: &str| moves.iter().all(|ply| self.public(file).contains(ply));
            moves.iter().all(|ply| sent.contains(ply)) && is_shown("games.pdn") && is_shown("started.pdn")
        });
    }

    /// Asserts that the board goes on and its moves are published.
    fn assert_publishing(&mut self, plies: usize) {
        let place = &self.place;
        self.board.play(&mut self.pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= plies);
        self.assert_complete();
    }

    /// Stops the station and asserts that its folder is valid.
    fn assert_clean_end(mut self) -> StationFolder {
        assert!(self.station.signal(Signal::TERM).success());
        self.place.assert_clean();
        self.place
    }
}

#[test]
fn vanished_public_files_are_reported_and_recreated() {
    let mut hall = Hall::playing(&recording(), 4);
    hall.assert_complete();
    let events = hall.public("events.ndjson");
    hall.assert_reported("public", |recordings| fs::remove_dir_all(recordings.join("public")).unwrap());
    hall.assert_healthy();
    assert!(hall.public("events.ndjson").starts_with(&events), "{}", hall.public("events.ndjson"));
    hall.assert_complete();
    hall.assert_publishing(6);
    for file in ["events.ndjson", "games.pdn", "started.pdn"] {
        let before = hall.public(file);
        hall.assert_reported(&format!("public/{file}"), |recordings| {
            fs::remove_file(recordings.join("public").join(file)).unwrap()
        });
        hall.assert_healthy();
        assert!(!before.is_empty() && (file != "events.ndjson" || hall.public(file).starts_with(&before)), "{file}");
        hall.assert_complete();
    }
    hall.assert_publishing(8);
    let log = ["log/round-1.plan", "log/events.order"];
    for file in log {
        let path = hall.place.path("recordings").join(file);
        let before = fs::read(&path).unwrap();
        hall.assert_reported(file, |_| fs::remove_file(&path).unwrap());
        hall.assert_healthy();
        assert!(fs::read(&path).unwrap().starts_with(&before), "{file}");
    }
    hall.assert_publishing(10);
    hall.assert_clean_end();
}

#[test]
fn replaced_or_cut_public_files_are_reported_and_recreated() {
    let mut hall = Hall::playing(&recording(), 4);
    hall.assert_complete();
    for file in ["events.ndjson", "games.pdn"] {
        let before = hall.public(file);
        hall.assert_reported(&format!("public/{file}"), |recordings| {
            Harm::Replaced.apply(&recordings.join("public").join(file));
        });
        hall.assert_healthy();
        let is_same = |now: String| file != "events.ndjson" || now.starts_with(&before);
        assert!(is_same(hall.public(file)), "{file}: {}", hall.public(file));
        hall.assert_complete();
        hall.assert_reported(&format!("public/{file}"), |recordings| {
            let path = recordings.join("public").join(file);
            fs::OpenOptions::new().write(true).open(path).unwrap().set_len(20).unwrap();
        });
        hall.assert_healthy();
        assert!(is_same(hall.public(file)), "{file}: {}", hall.public(file));
        hall.assert_complete();
    }
    // Foreign content is kept beside the file.
    assert_eq!(hall.public("events.ndjson.aside-1"), "something else\n");
    hall.assert_publishing(8);
    hall.assert_clean_end();
}

#[test]
fn folder_blocking_public_file_is_reported_until_removed() {
    let mut hall = Hall::playing(&recording(), 4);
    hall.assert_reported("games.pdn", |recordings| {
        let path = recordings.join("public/games.pdn");
        fs::remove_file(&path).unwrap();
        fs::create_dir(path).unwrap();
    });
    // The fault lasts, and the other files go on.
    let started = hall.public("started.pdn");
    let place = &hall.place;
    hall.board.play(&mut hall.pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 6);
    wait_until("the other files go on", || hall.public("started.pdn") != started);
    assert_eq!(status(&hall.place)["alarms"][0]["kind"], "publication");
    fs::remove_dir(hall.place.path("recordings/public/games.pdn")).unwrap();
    hall.assert_healthy();
    hall.assert_publishing(8);
    hall.assert_clean_end();
}

#[test]
fn game_held_by_profile_is_reported_with_reason() {
    let log = fs::read("tests/data/replay/illegal-stands.log").unwrap();
    let log = damcast::engine::bytelog::read(&log).unwrap();
    let mut hall = Hall::playing(&log, 2);
    let place = &hall.place;
    hall.board.play(&mut hall.pty, 4_000_000, || place.live("a-1.pdn").contains("\n/FEN"));
    assert!(place.live("a-1.pdn").contains("\n/FEN"), "{}", place.live("a-1.pdn"));
    hall.assert_reported("this game is shown up to a setup", |_| {});
    let seen = status(&hall.place);
    assert_contains(seen["boards"][0]["publication"].as_str().unwrap(), &["profile lidraughts", "public/games.pdn"]);
    let alarm = seen["alarms"].as_array().unwrap().iter().find(|alarm| alarm["kind"] == "publication").unwrap();
    assert_eq!(alarm["board"], "a");
    assert_contains(&run_ctl(&hall.place, &["status"]).out, &["\n  not shown: ", "ALARM a: publication since"]);
}

/// A file of the record is removed in the middle of a game, in several ways, and each time the process is killed a little later: everything
/// is reported, and every ply of the game is recorded in the end.
fn check_lost_file(file: &str, of_run: impl Fn(usize) -> String) {
    let mut hall = Hall::playing(&recording(), 4);
    hall.kind = DISK_FAULT_ALARM;
    for (run, how) in (1..).zip(Harm::ALL) {
        let path = hall.place.path("recordings").join(of_run(run));
        let before = fs::read(&path).unwrap();
        hall.assert_reported(file, |_| how.apply(&path));
        hall.assert_healthy();
        let now = fs::read(&path).unwrap();
        assert!(!file.starts_with("log") || now.starts_with(&before), "{how:?}: nothing is lost");
        let aside = fs::read(path.with_file_name(format!("{}.aside-1", of_run(run).trim_start_matches("log/"))));
        assert!(how != Harm::Replaced || aside.is_ok_and(|aside| aside == b"something else\n"), "{how:?}");
        let plies = moves(&hall.place.live("a-1.pdn")).len();
        hall.assert_publishing(plies + 2);
        hall.station.process.kill().unwrap();
        hall.station.wait();
        hall.station = hall.place.start();
        hall.pty.wait_for_the_station();
    }
    let plies = moves(&hall.place.live("a-1.pdn")).len();
    hall.assert_publishing(plies + 2);
    let recorded = moves(&hall.place.live("a-1.pdn"));
    assert!(recorded.len() >= 14 && truth().starts_with(&recorded), "{recorded:?}");
    let place = hall.assert_clean_end();
    let folder = place.path("recordings/log");
    run(&["log", "verify", folder.to_str().unwrap()]).done();
    assert_eq!(place.replay(&["a-1.log", "a-2.log", "a-3.log", "a-4.log", "a-5.log"]), place.live("a-1.pdn"));
}

#[test]
fn vanished_log_is_reported_and_game_complete_after_restart() {
    check_lost_file("log/a-", |run| format!("log/a-{run}.log"));
}

#[test]
fn vanished_commits_are_reported_and_game_complete_later() {
    check_lost_file("commits", |_| "commits".to_owned());
}

#[test]
fn start_keeps_differing_archived_game_in_second_file() {
    let mut hall = Hall::playing(&recording(), 4);
    assert_eq!(run_ctl(&hall.place, &["ctl", "result", "a", "1-1", "--confirm"]).code, 0);
    wait_until("the archived game", || {
        hall.board.answer(&mut hall.pty);
        hall.public("archive/a-1.pdn").contains("[Result \"1-1\"]")
    });
    let whole = hall.public("archive/a-1.pdn");
    let place = hall.assert_clean_end();
    let path = place.path("recordings/public/archive/a-1.pdn");
    let aside = |count: u32| path.with_file_name(format!("a-1.pdn.aside-{count}"));
    let written_again = || wait_until("it is written again", || fs::read_to_string(&path).unwrap_or_default() == whole);
    // The content differs from the logs: one of them was changed.
    let other = whole.replace("[Result", "[Annotator \"somebody\"]\n[Result");
    fs::write(&path, &other).unwrap();
    let mut station = place.start();
    station.wait_for("archive/a-1.pdn: it is not what the logs say (it is kept as a-1.pdn.aside-1)");
    written_again();
    assert_eq!(fs::read_to_string(aside(1)).unwrap(), other);
    wait_until("the alarm", || status(&place)["alarms"].to_string().contains("archive/a-1.pdn"));
    assert!(station.signal(Signal::TERM).success());
    // A station that was killed before it wrote the result: no copy is needed.
    let before = whole.replace("\"1-1\"", "\"*\"").replace("\"normal\"", "\"unterminated\"");
    assert_ne!(before, whole);
    fs::write(&path, before).unwrap();
    let mut station = place.start();
    written_again();
    assert!(station.signal(Signal::TERM).success());
    assert!(!aside(2).exists());
}
