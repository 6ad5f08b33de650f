//! A player with a hidden name: no byte of the public files contains any of the player's names, and the log keeps the truth.

use std::fs;
use std::path::Path;

use damcast::outward::follow::{FollowEvent, Follower, Progress};
use rustix::process::Signal;
use serde_json::Value;

use crate::control::run_ctl;
use crate::daemon::{SPEED, StationFolder, recording};
use crate::folders::{Files, read as files, write};
use crate::program::run;
use crate::pty::{Board, Pty, wait_until};
use crate::rounds::{ROUNDS, begin_round, done, events, import, public, tournament};

/// The player's names: at first, and after a correction. The second needs escaping in files.
const NAMES: [&str; 2] = ["Wiersma, H.", "Wiersma \"Harm\", H."];
const OUTLETS: [&str; 2] = ["public", "public-hall"];

/// Returns the public files.
fn outlet_files(files: &Files) -> Files {
    let is_shown = |name: &&String| OUTLETS.iter().any(|outlet| name.starts_with(&format!("{outlet}/")));
    let shown = files.iter().filter(|(name, _)| is_shown(name));
    shown.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|found| found == part.as_bytes())
}

/// Both names start like this, however a file writes the rest.
#[track_caller]
fn assert_name_hidden(files: &Files, case: &str) {
    for (name, bytes) in outlet_files(files) {
        assert!(!contains(&bytes, "Wiersma"), "{case}: {name}: {}", String::from_utf8_lossy(&bytes));
    }
}

#[track_caller]
fn is_clean(folder: &Path, case: &str) {
    let fsck = run(&["fsck", folder.to_str().unwrap()]);
    assert!(fsck.code == 0 && fsck.out.trim_end().ends_with(": clean"), "{case}: {}{}", fsck.out, fsck.err);
}

/// Returns the outlet files rebuilt from a folder with these files.
#[track_caller]
fn rebuilt(all: &Files, case: &str) -> Files {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), all);
    let fsck = run(&["fsck", folder.path().to_str().unwrap()]);
    assert_eq!(fsck.code, 0, "{case}: {}{}", fsck.out, fsck.err);
    let rebuild = run(&["rebuild", folder.path().to_str().unwrap()]);
    assert_eq!(rebuild.code, 0, "{case}: {}{}", rebuild.out, rebuild.err);
    is_clean(folder.path(), case);
    let files = files(folder.path());
    assert_name_hidden(&files, case);
    outlet_files(&files)
}

#[track_caller]
fn is_same(found: &Files, expected: &Files, case: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{case}");
    for (name, bytes) in found {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(*bytes == expected[name], "{case}: {name}\n{}\n{}", text(bytes), text(&expected[name]));
    }
}

/// Returns how often the file started anew; `lines` are the lines that a follower has.
fn follow(follower: &mut Follower, lines: &mut String) -> usize {
    let mut anew = 0;
    while let Some(news) = follower.poll().unwrap() {
        match news {
            FollowEvent::Line(line) => lines.push_str(&line.text),
            FollowEvent::Restarted { .. } => {
                lines.clear();
                anew += 1;
            }
            _ => {}
        }
    }
    anew
}

#[test]
fn hidden_player_is_named_in_no_file() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "[[outlet]]\nname = \"hall\"\nprofile = \"lidraughts\"\n");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    begin_round(&place, &mut board, &mut pty);
    done(run_ctl(&place, &["ctl", "rename-player", NAMES[0], NAMES[1]]));
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"2-0\"]")
    });
    wait_until("the official result", || events(&place, "official-result").len() == 1);
    done(run_ctl(&place, &["ctl", "round", "publish", "4"]));
    wait_until("the next round", || public(&place, "round/4/games.pdn").contains("Gantwarg"));
    assert!(station.signal(Signal::TERM).success());
    let directory = place.path("recordings");
    let before = files(&directory);
    for name in ["public/archive/a-1.pdn", "public/events.ndjson", "public-hall/events.ndjson", "public/games.pdn"] {
        assert!(contains(&before[name], "Wiersma"), "{name}");
    }
    // Leftovers in public: a file that was moved aside, and a partly written one.
    write(
        &directory,
        &Files::from([
            ("public/archive/a-1.pdn.aside-1".to_owned(), before["public/archive/a-1.pdn"].clone()),
            ("public/events.ndjson.aside-1".to_owned(), before["public/events.ndjson"].clone()),
            ("public/round/3/games.pdn.new".to_owned(), before["public/round/3/games.pdn"].clone()),
        ]),
    );
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    let output = done(run_ctl(&place, &["ctl", "rename-player", NAMES[1], "N. N.", "--dry-run"]));
    assert!(output.contains("begin anew") && output.contains("nothing was changed"), "{output}");
    assert!(public(&place, "events.ndjson").as_bytes() == before["public/events.ndjson"]);
    let mut follower = Follower::new(place.path("recordings/public/events.ndjson"), Progress::default());
    let mut followed = String::new();
    follow(&mut follower, &mut followed);
    assert!(followed.contains("Wiersma"));
    done(run_ctl(&place, &["ctl", "rename-player", NAMES[1], "N. N."]));
    wait_until("another generation", || !public(&place, "events.ndjson").contains("Wiersma"));
    wait_until("the archive", || public(&place, "archive/a-1.pdn").contains("[Black \"N. N.\"]"));
    // The pairing program does not know about the hiding.
    let named = ROUNDS.replace(NAMES[0], "\"Wiersma \"\"Harm\"\", H.\"").replacen('*', "2-0", 1);
    let again = done(import(&place, "pairings.csv", &named));
    assert!(again.contains("nothing is new"), "{again}");
    let shown = done(tournament(&place, &["standings"]));
    assert!(!shown.contains("Wiersma"), "{shown}");
    assert!(station.signal(Signal::TERM).success());
    let after = files(&directory);
    assert_eq!(follow(&mut follower, &mut followed), 1, "a follower starts again");
    assert!(followed.as_bytes() == after["public/events.ndjson"], "{followed}");
    assert_name_hidden(&after, "after it");
    is_clean(&directory, "after it");
    assert!(place.live("a-1.pdn").contains(NAMES[0]) && contains(&after["log/tournament.ndjson"], "Wiersma"));
    let lines = |bytes: &[u8]| -> Vec<Value> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for outlet in OUTLETS {
        let name = format!("{outlet}/events.ndjson");
        let (old, new) = (lines(&before[&name]), lines(&after[&name]));
        assert_ne!(old[0]["gen"], new[0]["gen"]);
        assert!(new.len() > old.len() && new.iter().all(|line| line["gen"] == new[0]["gen"]), "{name}");
        for ((old, new), seq) in old.iter().zip(&new).zip(1..) {
            assert_eq!((&new["seq"], &new["type"], &new["at"]), (&seq.into(), &old["type"], &old["at"]));
        }
        let game = new.iter().find(|line| line["type"] == "game").unwrap();
        assert_eq!((&game["tags"]["White"], &game["tags"]["Black"]), (&"Sijbrands, Ton".into(), &"N. N.".into()));
    }
    // Equal after a restart, a rebuild, and a kill anywhere.
    let shown = outlet_files(&after);
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    assert!(station.signal(Signal::TERM).success());
    is_same(&outlet_files(&files(&directory)), &shown, "started again");
    let of_log = |name: &&String| name.starts_with("log/");
    let log = || after.iter().filter(|(name, _)| of_log(name)).map(|(name, bytes)| (name.clone(), bytes.clone()));
    is_same(
        &rebuilt(&log().chain([("live/a-1.pdn".to_owned(), after["live/a-1.pdn"].clone())]).collect(), "anew"),
        &shown,
        "anew",
    );
    let mut killed = before.clone();
    killed.extend(log());
    is_same(&rebuilt(&killed, "killed behind the record"), &shown, "killed behind the record");
    killed.extend(
        after
            .iter()
            .filter(|(name, _)| name.starts_with("public-hall/"))
            .map(|(name, bytes)| (name.clone(), bytes.clone())),
    );
    is_same(&rebuilt(&killed, "killed between two outlets"), &shown, "killed between two outlets");
    for (name, bytes) in &killed {
        fs::write(directory.join(name), bytes).unwrap();
    }
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    wait_until("it is mended", || !public(&place, "events.ndjson").contains("Wiersma"));
    assert!(station.signal(Signal::TERM).success());
    is_same(&outlet_files(&files(&directory)), &shown, "a station that was killed behind the record");
    // Killed before the events start anew, the station does so at the next start.
    let mut killed = before.clone();
    killed.insert("log/tournament.ndjson".to_owned(), after["log/tournament.ndjson"].clone());
    let made = rebuilt(&killed, "killed behind the request");
    assert_eq!(made["public/games.pdn"], shown["public/games.pdn"]);
    // The name is shown again.
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    done(run_ctl(&place, &["ctl", "rename-player", NAMES[1], NAMES[1]]));
    wait_until("he is named again", || public(&place, "events.ndjson").contains("Wiersma"));
    wait_until("the archive", || public(&place, "archive/a-1.pdn").contains("Wiersma"));
    assert!(station.signal(Signal::TERM).success());
    is_clean(&directory, "named again");
}
