//! A player with a hidden name: no byte of the public files contains any of the player's names, and the log keeps the truth.

use std::fs;

use damcast::outward::follow::{FollowEvent, Follower, Progress};
use serde_json::Value;

use crate::folders::{Files, read as files, write};
use crate::hall::Hall;
use crate::program::{assert_contains, run};
use crate::pty::wait_until;
use crate::rounds::{ROUNDS, import, tournament};

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

/// Returns the outlet files rebuilt from a folder with these files.
#[track_caller]
fn rebuilt(all: &Files, case: &str) -> Files {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), all);
    let directory = folder.path().to_str().unwrap();
    run(&["fsck", directory]).done();
    run(&["rebuild", directory]).done();
    assert!(run(&["fsck", directory]).done().trim_end().ends_with(": clean"), "{case}");
    let files = files(folder.path());
    assert_name_hidden(&files, case);
    outlet_files(&files)
}

#[track_caller]
fn assert_same(found: &Files, expected: &Files, case: &str) {
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
    let mut hall = Hall::start("[[outlet]]\nname = \"hall\"\nprofile = \"lidraughts\"\n");
    let before = record_named_game(&mut hall);
    let after = hide_name(&mut hall, &before);
    assert_events_lack_only_name(&before, &after);
    let shown = outlet_files(&after);
    hall.start_again();
    hall.stop();
    assert_same(&outlet_files(&files(&hall.file(""))), &shown, "started again");
    assert_kills_hide_name(&mut hall, &before, &after);
    // The name is shown again.
    hall.start_again();
    hall.done(&["rename-player", NAMES[1], NAMES[1]]);
    hall.wait_for_public("events.ndjson", "Wiersma");
    hall.wait_for_public("archive/a-1.pdn", "Wiersma");
    hall.ends_clean();
}

/// Plays and ends a game under both names, and publishes the next round. Returns all files.
fn record_named_game(hall: &mut Hall) -> Files {
    hall.begin_round();
    hall.done(&["rename-player", NAMES[0], NAMES[1]]);
    hall.end_game(1, "2-0");
    hall.wait_for_official_results(1);
    hall.done(&["round", "publish", "4"]);
    hall.wait_for_public("round/4/games.pdn", "Gantwarg");
    hall.stop();
    let all = files(&hall.file(""));
    for name in ["public/archive/a-1.pdn", "public/events.ndjson", "public-hall/events.ndjson", "public/games.pdn"] {
        assert!(contains(&all[name], "Wiersma"), "{name}");
    }
    all
}

/// Hides the name while a follower reads the events. Returns all files.
fn hide_name(hall: &mut Hall, before: &Files) -> Files {
    // Leftovers in public: files that were moved aside, and a partly written one.
    for (name, source) in [
        ("archive/a-1.pdn.aside-1", "archive/a-1.pdn"),
        ("events.ndjson.aside-1", "events.ndjson"),
        ("round/3/games.pdn.new", "round/3/games.pdn"),
    ] {
        fs::write(hall.file("public").join(name), &before[&format!("public/{source}")]).unwrap();
    }
    hall.start_again();
    let output = hall.done(&["rename-player", NAMES[1], "N. N.", "--dry-run"]);
    assert_contains(&output, &["begin anew", "nothing was changed"]);
    assert!(hall.public("events.ndjson").as_bytes() == before["public/events.ndjson"]);
    let mut follower = Follower::new(hall.file("public/events.ndjson"), Progress::default());
    let mut followed = String::new();
    follow(&mut follower, &mut followed);
    assert!(followed.contains("Wiersma"));
    hall.done(&["rename-player", NAMES[1], "N. N."]);
    wait_until("another generation", || !hall.public("events.ndjson").contains("Wiersma"));
    hall.wait_for_public("archive/a-1.pdn", "[Black \"N. N.\"]");
    // The pairing program does not know about the hiding.
    let named = ROUNDS.replace(NAMES[0], "\"Wiersma \"\"Harm\"\", H.\"").replacen('*', "2-0", 1);
    import(&hall.place, "pairings.csv", &named).prints("nothing is new");
    let standings = tournament(&hall.place, &["standings"]).done();
    assert!(!standings.contains("Wiersma"), "{standings}");
    hall.stop();
    let after = files(&hall.file(""));
    assert_eq!(follow(&mut follower, &mut followed), 1, "a follower starts again");
    assert!(followed.as_bytes() == after["public/events.ndjson"], "{followed}");
    assert_name_hidden(&after, "after it");
    hall.place.assert_clean();
    assert!(hall.live(1).contains(NAMES[0]) && contains(&after["log/tournament.ndjson"], "Wiersma"));
    after
}

/// Asserts that the events of the new generation are the old ones with another name, and more.
fn assert_events_lack_only_name(before: &Files, after: &Files) {
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
}

/// Asserts that a rebuild, and a restart after a kill anywhere, make the same files.
fn assert_kills_hide_name(hall: &mut Hall, before: &Files, after: &Files) {
    let shown = outlet_files(after);
    let part = |start: &str| {
        let chosen = after.iter().filter(|(name, _)| name.starts_with(start));
        chosen.map(|(name, bytes)| (name.clone(), bytes.clone())).collect::<Files>()
    };
    let logs_and_game = part("log/").into_iter().chain(part("live/a-1.pdn")).collect();
    assert_same(&rebuilt(&logs_and_game, "anew"), &shown, "anew");
    let mut killed = before.clone();
    killed.extend(part("log/"));
    assert_same(&rebuilt(&killed, "killed behind the record"), &shown, "killed behind the record");
    killed.extend(part("public-hall/"));
    assert_same(&rebuilt(&killed, "killed between two outlets"), &shown, "killed between two outlets");
    write(&hall.file(""), &killed);
    hall.start_again();
    wait_until("it is mended", || !hall.public("events.ndjson").contains("Wiersma"));
    hall.stop();
    assert_same(&outlet_files(&files(&hall.file(""))), &shown, "a station that was killed behind the record");
    // Killed before the events start anew, the station does so at the next start.
    let mut killed = before.clone();
    killed.extend(part("log/tournament.ndjson"));
    let made = rebuilt(&killed, "killed behind the request");
    assert_eq!(made["public/games.pdn"], shown["public/games.pdn"]);
}
