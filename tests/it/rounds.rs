//! Rounds of a tournament on a running station: who plays where, late or wrong results, late names. Real processes and ports.

use std::fs;

use damcast::engine::livefile;
use draughts_pdn::notation;
use rustix::process::Signal;
use serde_json::Value;

use crate::control::{Client, run_ctl, status};
use crate::daemon::{SPEED, Station, StationFolder, moves, recording};
use crate::folders;
use crate::program::{Run, run};
use crate::pty::{Board, Pty, wait_until};

/// Runs `damcast tournament` on the folder of a station.
pub fn tournament(place: &StationFolder, arguments: &[&str]) -> Run {
    let directory = place.path("recordings").display().to_string();
    run(&[&["tournament"], arguments, &["--directory", &directory]].concat())
}

#[track_caller]
pub fn done(run: Run) -> String {
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    run.out
}

pub fn import(place: &StationFolder, name: &str, text: &str) -> Run {
    let file = place.path(name);
    fs::write(&file, text).unwrap();
    tournament(place, &["import", file.to_str().unwrap()])
}

pub fn public(place: &StationFolder, name: &str) -> String {
    fs::read_to_string(place.path("recordings/public").join(name)).unwrap_or_default()
}

pub fn events(place: &StationFolder, kind: &str) -> Vec<Value> {
    let lines = public(place, "events.ndjson");
    let all = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|event| event["type"] == kind).collect()
}

fn points(place: &StationFolder) -> Vec<(String, String)> {
    let standings: Value = serde_json::from_str(&done(tournament(place, &["standings", "--json"]))).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    standings["rows"].as_array().unwrap().iter().map(|row| (text(&row["name"]), text(&row["points"]))).collect()
}

pub const ROUNDS: &str = "Round;Board;White;Black;Result\n3;1;Sijbrands, Ton;Wiersma, H.;*\n3;2;Clerc, Rob;Gantwarg, A.;*\n\
    4;1;Gantwarg, A.;Sijbrands, Ton;*\n4;2;Wiersma, H.;Clerc, Rob;*\n";

/// Imports and opens round 3, and plays four plies on board `a`.
pub fn begin_round(place: &StationFolder, board: &mut Board, pty: &mut Pty) {
    done(import(place, "pairings.csv", ROUNDS));
    done(run_ctl(place, &["ctl", "round", "open", "3"]));
    let log = || fs::read_to_string(place.path("recordings/log/a-1.log")).unwrap();
    wait_until("the board knows its pairing", || log().contains("! pairing 1 {"));
    board.play(pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 4);
}

/// Asserts that these public files are equal after a restart and after a rebuild, that the live files are unchanged, and that the folder is
/// valid.
#[track_caller]
fn assert_lasts(place: &StationFolder, pty: &mut Pty, mut station: Station, names: &[&str]) {
    assert!(station.signal(Signal::TERM).success());
    let files = || -> Vec<String> { names.iter().map(|name| public(place, name)).collect() };
    let live = || folders::read(&place.path("recordings/live"));
    let before = (files(), live());
    let assert_same = |when: &str| {
        for ((name, now), before) in names.iter().zip(files()).zip(&before.0) {
            assert!(now == *before, "{name} is another {when}: {now}");
        }
        assert!(live() == before.1, "live files are others {when}");
    };
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    assert!(station.signal(Signal::TERM).success());
    assert_same("after a restart");
    let directory = place.path("recordings").display().to_string();
    let fsck = run(&["fsck", &directory]);
    assert_eq!(fsck.code, 0, "{}{}", fsck.out, fsck.err);
    fs::remove_dir_all(place.path("recordings/public")).unwrap();
    let rebuilt = run(&["rebuild", &directory]);
    assert_eq!(rebuilt.code, 0, "{}{}", rebuilt.out, rebuilt.err);
    assert_same("made anew");
}

#[test]
fn whole_round_harms_no_other_round() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "[line.tags]\nWhite = \"Nobody\"\nTimeControl = \"5400\"\n");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    pty.wait_for_the_station();
    // A file is imported through the running station.
    let output = done(import(&place, "pairings.csv", ROUNDS));
    assert!(output.contains("4 players, 4 pairings are new") && output.contains("version 1 of"), "{output}");
    assert!(!place.path("recordings/public/round").exists(), "prepared rounds are nobody's business");
    assert_eq!(run_ctl(&place, &["ctl", "round", "publish", "7"]).code, 1);
    done(run_ctl(&place, &["ctl", "round", "publish", "3"]));
    wait_until("the files of the round", || public(&place, "round/3/games.pdn").contains("Sijbrands"));
    assert!(public(&place, "round/3/games.pdn").contains("[Black \"Wiersma, H.\"]"));
    assert!(!public(&place, "events.ndjson").contains("\"round\":4"), "round 4 is prepared");
    let states = |arguments: &[&str]| -> Vec<(u64, String)> {
        let shown = done(tournament(&place, &[&["show", "--json"], arguments].concat()));
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let rounds = shown["sections"][0]["rounds"].as_array().unwrap().iter();
        rounds.map(|round| (round["round"].as_u64().unwrap(), round["state"].as_str().unwrap().to_owned())).collect()
    };
    let (third, fourth) = ((3, "published".to_owned()), (4, "prepared".to_owned()));
    assert!(states(&[]).ends_with(&[third, fourth.clone()]), "{:?}", states(&[]));
    assert_eq!(states(&["--round", "4"]), [fourth]);
    assert_eq!(events(&place, "pairing").len(), 2);
    done(run_ctl(&place, &["ctl", "round", "open", "3"]));
    let log = || fs::read_to_string(place.path("recordings/log/a-1.log")).unwrap();
    wait_until("the board knows its pairing", || log().contains("! pairing 1 {"));
    let refused = run_ctl(&place, &["ctl", "set-players", "a", "X", "Y"]);
    assert!(refused.code == 1 && refused.err.contains("has its names from there"), "{}", refused.err);
    wait_until("who plays is shown before the first move", || public(&place, "games.pdn").contains("Wiersma, H."));
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    let tags = place.live("a-1.pdn");
    for tag in
        ["White \"Sijbrands, Ton\"", "Black \"Wiersma, H.\"", "Round \"3\"", "Board \"1\"", "TimeControl \"5400\""]
    {
        assert!(tags.contains(&format!("[{tag}]")), "{tag}: {tags}");
    }
    // The next round is opened while this one is played.
    done(run_ctl(&place, &["ctl", "round", "open", "4"]));
    wait_until("the next pairing", || log().contains("! pairing 3 {"));
    let shown = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= shown + 2);
    let last = moves(&place.live("a-1.pdn"))[shown + 1].clone();
    for name in ["games.pdn", "round/3/games.pdn", "round/3/started.pdn"] {
        wait_until("a move of round 3", || public(&place, name).contains(&last));
        let text = public(&place, name);
        assert!(text.contains("[Round \"3\"]") && !text.contains("Gantwarg, A.\"]\n[Black \"Sij"), "{name}: {text}");
    }
    assert_eq!(status(&place)["boards"][0]["pairing"]["round"], 4);
    // A corrected name reaches the game without any change in its live file.
    done(run_ctl(&place, &["ctl", "rename-player", "Wiersma, H.", "Wiersma, Harm"]));
    for name in ["games.pdn", "round/3/games.pdn"] {
        wait_until("the name", || public(&place, name).contains("[Black \"Wiersma, Harm\"]"));
    }
    assert!(place.live("a-1.pdn").contains("[Black \"Wiersma, H.\"]"));
    assert_eq!(status(&place)["boards"][0]["black"], "Wiersma, Harm");
    let refused = run_ctl(&place, &["ctl", "set-players", "a", "X", "Y"]);
    assert!(refused.code == 1 && refused.err.contains("damcast ctl rename-player"), "{}", refused.err);
    let amended = events(&place, "tag-correction");
    assert_eq!(
        (&amended[0]["field"], &amended[0]["old"], &amended[0]["new"]),
        (&"Black".into(), &"Wiersma, H.".into(), &"Wiersma, Harm".into())
    );
    assert_eq!((&amended[0]["board"], &amended[0]["game"]), (&"a".into(), &1.into()));
    // A name that some readers cannot parse suspends no file; files for other readers show it unchanged.
    let output = done(run_ctl(&place, &["ctl", "rename-player", "Wiersma, Harm", "Wiersma] \"H\""]));
    assert!(output.contains("stands as `Wiersma) "), "{output}");
    for name in ["games.pdn", "started.pdn", "round/3/games.pdn", "round/3/started.pdn"] {
        wait_until("the harmless name", || public(&place, name).contains("[Black \"Wiersma) \\\"H\\\"\"]"));
    }
    assert!(public(&place, "tournament.json").contains("Wiersma] \\\"H\\\""));
    done(run_ctl(&place, &["ctl", "rename-player", "Wiersma] \"H\"", "Wiersma, Harm"]));
    // The dry run describes the end of the running game.
    let foretold = done(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm", "--dry-run"]));
    assert!(foretold.starts_with("a, game 1, ") && foretold.contains("this was a dry run"), "{foretold}");
    assert!(!place.live("a-1.pdn").contains("1-1"), "nothing was done");
    // The arbiter's result becomes official once the last move is there.
    done(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm", "--reason", "agreed at the board"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"1-1\"]")
    });
    wait_until("the official result", || events(&place, "official-result").len() == 1);
    let history = || done(tournament(&place, &["show", "--history"]));
    assert!(history().contains("agreed at the board"), "{}", history());
    assert_eq!(
        points(&place)[..2],
        [("Sijbrands, Ton".to_owned(), "1".to_owned()), ("Wiersma, Harm".to_owned(), "1".to_owned())]
    );
    // The result was wrong.
    let unsure = run_ctl(&place, &["ctl", "result", "a", "2-0", "--game", "1"]);
    assert!(unsure.code == 1 && unsure.err.contains("--correct"), "{}", unsure.err);
    let dry = done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--game", "1", "--correct", "--dry-run"]));
    assert!(dry.contains("dry run"), "{dry}");
    let output =
        done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--game", "1", "--correct", "--reason", "scoresheet"]));
    assert!(
        output.contains("a, game 1, Sijbrands, Ton - Wiersma, Harm, ") && output.contains("2-0 (was 1-1)"),
        "{output}"
    );
    for name in ["round/3/games.pdn", "archive/a-1.pdn"] {
        wait_until("the correction", || public(&place, name).contains("[Result \"2-0\"]"));
    }
    wait_until("the event", || events(&place, "official-result").len() == 2);
    assert!(events(&place, "tag-correction").iter().any(|event| event["field"] == "Result" && event["new"] == "2-0"));
    assert_eq!(points(&place)[0], ("Sijbrands, Ton".to_owned(), "2".to_owned()));
    // The result is withdrawn and entered again.
    done(run_ctl(&place, &["ctl", "result", "a", "*", "--game", "1", "--correct"]));
    wait_until("nobody knows a result", || public(&place, "round/3/games.pdn").contains("[Result \"*\"]"));
    // The board ended with 1-1.
    let unsure = run_ctl(&place, &["ctl", "result", "a", "2-0"]);
    assert!(unsure.code == 1 && unsure.err.contains("a ended with 1-1"), "{}", unsure.err);
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm", "--reason", "seen by two"]));
    assert!(history().contains("seen by two"), "{}", history());
    wait_until("the result again", || public(&place, "round/3/games.pdn").contains("[Result \"2-0\"]"));
    // The result of a board without electronics is still missing, though the next round is open.
    let waits =
        "board 2 of round 3, Clerc, Rob - Gantwarg, A. waits for a result: `damcast ctl result - RESULT --pairing 3.2`";
    assert_eq!(status(&place)["results_awaited"][0]["board_number"], 2);
    let shown = done(run_ctl(&place, &["status"]));
    assert!(shown.contains(waits), "{shown}");
    let missing = run_ctl(&place, &["ctl", "round", "close", "3"]);
    assert!(missing.code == 1 && missing.err.contains("board 2: Clerc, Rob - Gantwarg, A."), "{}", missing.err);
    done(run_ctl(&place, &["ctl", "result", "-", "0-2", "--pairing", "3.2"]));
    done(run_ctl(&place, &["ctl", "round", "close", "3"]));
    wait_until("it is closed", || events(&place, "round").last().is_some_and(|event| event["state"] == "closed"));
    let names = [
        "archive/a-1.pdn",
        "round/3/games.pdn",
        "round/3/started.pdn",
        "events.ndjson",
        "games.pdn",
        "tournament.json",
        "standings.json",
    ];
    assert_lasts(&place, &mut pty, station, &names);
}

/// Hidden names and entered results are lost: published files stay.
#[test]
fn damaged_record_retracts_no_published_entry() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    begin_round(&place, &mut board, &mut pty);
    done(run_ctl(&place, &["ctl", "rename-player", "Wiersma, H.", "N. N."]));
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"2-0\"]")
    });
    wait_until("the standings", || points(&place).contains(&("Sijbrands, Ton".to_owned(), "2".to_owned())));
    assert!(station.signal(Signal::TERM).success());
    let files = || folders::read(&place.path("recordings/public"));
    let before = files();
    let record = place.path("recordings/log/tournament.ndjson");
    let whole = fs::read_to_string(&record).unwrap();
    fs::write(&record, whole.replacen("N. N.", "N. M.", 1)).unwrap();
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("is held back");
    wait_until("the message", || run_ctl(&place, &["status"]).out.contains("the record of the tournament is damaged"));
    let refused = run_ctl(&place, &["ctl", "rename-player", "Sijbrands, Ton", "X"]);
    assert!(refused.code == 1 && refused.err.contains("tournament.ndjson, line "), "{}", refused.err);
    // The recording goes on.
    board.restart(&recording());
    board.play(&mut pty, 400_000, || moves(&place.live("a-2.pdn")).len() >= 2);
    assert!(station.signal(Signal::TERM).success());
    assert!(files() == before, "what is public stays as it is");
    let directory = place.path("recordings").display().to_string();
    let fsck = run(&["fsck", &directory]);
    assert!(fsck.code != 0 && !fsck.out.contains("no log knows of this file"), "{}", fsck.out);
    // A copy is restored.
    fs::write(&record, whole).unwrap();
    let mut station = place.start();
    wait_until("the next game", || public(&place, "events.ndjson").contains("\"game\":2"));
    assert!(!public(&place, "games.pdn").contains("Wiersma"));
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(run(&["fsck", &directory]).code, 0);
}

#[test]
fn record_cut_at_line_freezes_public_files() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    begin_round(&place, &mut board, &mut pty);
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    done(run_ctl(&place, &["ctl", "rename-player", "Wiersma, H.", "N. N."]));
    wait_until("another generation", || {
        board.answer(&mut pty);
        !public(&place, "events.ndjson").contains("Wiersma")
    });
    assert!(station.signal(Signal::TERM).success());
    let files = || folders::read(&place.path("recordings/public"));
    let before = files();
    let record = place.path("recordings/log/tournament.ndjson");
    let whole = fs::read_to_string(&record).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    // Without its last line the record looks complete, and no name would be hidden.
    fs::write(&record, lines[..lines.len() - 1].concat()).unwrap();
    let directory = place.path("recordings").display().to_string();
    let fsck = run(&["fsck", &directory]);
    assert!(fsck.code == 1 && fsck.out.contains("tournament.ndjson: its end is missing"), "{}", fsck.out);
    let rebuild = run(&["rebuild", &directory]);
    assert!(rebuild.code != 0 && rebuild.err.contains("its end is missing"), "{}", rebuild.err);
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("is held back");
    wait_until("the alarm", || run_ctl(&place, &["status"]).out.contains("a copy of at least"));
    let refused = run_ctl(&place, &["ctl", "rename-player", "Sijbrands, Ton", "X"]);
    assert!(refused.code == 1 && refused.err.contains("its end is missing"), "{}", refused.err);
    assert!(station.signal(Signal::TERM).success());
    assert!(files() == before, "public files changed");
    fs::write(&record, &whole).unwrap();
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    done(run_ctl(&place, &["ctl", "rename-player", "Sijbrands, Ton", "X"]));
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(run(&["fsck", &directory]).code, 0);
    // The witness survives every start.
    fs::write(&record, &whole).unwrap();
    assert_eq!(run(&["fsck", &directory]).code, 1);
}

/// An arbiter ends the wrong game and continues it: two live files, and one game for all readers.
#[test]
fn continued_game_stays_one_game() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    pty.wait_for_the_station();
    begin_round(&place, &mut board, &mut pty);
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"2-0\"]")
    });
    wait_until("the official result", || events(&place, "official-result").len() == 1);
    let first = moves_of(&place.live("a-1.pdn"));
    let ended = place.live("a-1.pdn");
    // A dry run lists all effects and changes nothing.
    let mut client = Client::connect(&place);
    client.send("{\"do\":\"request\",\"board\":\"a\",\"request\":\"continue\",\"confirm\":true,\"dry_run\":true}\n");
    let foretold = client.receive();
    let words = foretold["messages"].to_string();
    assert!(words.contains("game 1 goes on") && words.contains("(was 2-0)"), "{foretold}");
    assert_eq!(events(&place, "official-result").len(), 1);
    // The board shows the moves played meanwhile.
    let output = done(run_ctl(&place, &["ctl", "continue", "a", "--confirm"]));
    assert!(output.contains("game 1 goes on"), "{output}");
    wait_until("its result is taken back", || events(&place, "official-result").len() == 2);
    wait_until("nobody sees it any more", || !public(&place, "round/3/games.pdn").contains("[Result \"2-0\"]"));
    let again = run_ctl(&place, &["ctl", "continue", "b"]);
    assert_eq!(again.code, 1, "there is no such board");
    board.play(&mut pty, 400_000, || moves(&place.live("a-2.pdn")).len() >= 2);
    assert_eq!(place.live("a-1.pdn"), ended, "its live file stays as it ended");
    assert!(place.live("a-2.pdn").contains("[FEN \"") && place.live("a-2.pdn").contains("[White \"Sijbrands, Ton\"]"));
    done(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"1-1\"]")
    });
    let second = moves_of(&place.live("a-2.pdn"));
    let all = [first, second].concat();
    for name in ["games.pdn", "round/3/started.pdn", "archive/a-1.pdn"] {
        wait_until("all its moves", || public(&place, name).contains("[Result \"1-1\"]"));
        let text = public(&place, name);
        let shown = text.split("[Event ").find(|game| game.contains("Sijbrands")).unwrap();
        assert_eq!(moves_of(shown), all, "{name}: {text}");
        assert!(!shown.contains("[FEN "), "{name}: {text}");
    }
    assert!(!place.path("recordings/public/archive/a-2.pdn").exists());
    let begun = events(&place, "game");
    assert_eq!((begun.len(), &begun[1]["game"], &begun[1]["continues"]), (2, &2.into(), &1.into()));
    assert_eq!(points(&place)[0].1, "1");
    // The score sheet has all moves of the game, of both its files, and one that the board missed.
    let last = livefile::LiveFileContents::parse(2, &place.live("a-2.pdn"))
        .unwrap()
        .entries
        .last()
        .unwrap()
        .kind
        .position_after();
    let legal = last.legal_moves();
    let missed = notation::write(last.variant(), &legal[0], &legal);
    fs::write(place.path("sheet"), format!("{} {missed}\n", all.join(" "))).unwrap();
    let sheet = place.path("sheet").display().to_string();
    let output = done(run_ctl(&place, &["ctl", "add-moves", "a", "--game", "2", &sheet]));
    assert!(output.contains(&missed) && output.contains("are added"), "{output}");
    wait_until("the missing move", || {
        public(&place, "archive/a-1.pdn").replace('\n', " ").contains("{from the score sheet}")
    });
    let names = ["archive/a-1.pdn", "round/3/games.pdn", "events.ndjson", "games.pdn", "standings.json"];
    assert_lasts(&place, &mut pty, station, &names);
}

/// A pairing is played while another round is open, and replayed: its games belong to its own round, and one of them counts.
#[test]
fn postponed_and_replayed_pairing_stays_in_round() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    pty.wait_for_the_station();
    done(import(&place, "pairings.csv", ROUNDS));
    let log = || fs::read_to_string(place.path("recordings/log/a-1.log")).unwrap();
    let is_told = |words: &str| {
        wait_until(words, || {
            log().rsplit_once("! pairing ").is_some_and(|(_, last_pairing)| last_pairing.starts_with(words))
        });
    };
    done(run_ctl(&place, &["ctl", "round", "open", "3"]));
    is_told("1 {");
    let last_pairing = done(run_ctl(&place, &["ctl", "postpone", "3.1", "--reason", "ill"]));
    assert!(last_pairing.contains("round 3, Sijbrands, Ton - Wiersma, H. is postponed"), "{last_pairing}");
    is_told("none");
    done(run_ctl(&place, &["ctl", "result", "-", "2-0", "--pairing", "3.2"]));
    let closed = done(run_ctl(&place, &["ctl", "round", "close", "3"]));
    assert!(closed.contains("board 1: Sijbrands, Ton - Wiersma, H. is postponed"), "{closed}");
    done(run_ctl(&place, &["ctl", "round", "open", "4"]));
    is_told("3 {");
    done(run_ctl(&place, &["ctl", "play-on", "3.1", "a"]));
    is_told("1 {");
    assert_eq!(status(&place)["boards"][0]["pairing"]["round"], 3);
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 4);
    assert!(place.live("a-1.pdn").contains("[Round \"3\"]"), "{}", place.live("a-1.pdn"));
    let finish = |board: &mut Board, pty: &mut Pty, game: u32, result: &str| {
        done(run_ctl(&place, &["ctl", "result", "a", result, "--confirm"]));
        let name = format!("archive/a-{game}.pdn");
        wait_until("the archive", || {
            board.answer(pty);
            public(&place, &name).contains(&format!("[Result \"{result}\"]"))
        });
    };
    finish(&mut board, &mut pty, 1, "2-0");
    is_told("3 {");
    wait_until("its place in its round", || public(&place, "round/3/games.pdn").contains("[Result \"2-0\"]"));
    assert!(points(&place).contains(&("Sijbrands, Ton".to_owned(), "2".to_owned())));
    // The game does not count. Round 4 is open, so the request has to name the board of the replay.
    let last_pairing = done(run_ctl(&place, &["ctl", "replay", "3.1"]));
    assert!(
        last_pairing.contains("a, game 1") && last_pairing.contains("damcast ctl play-on 3.1 BOARD"),
        "{last_pairing}"
    );
    wait_until("it is marked", || public(&place, "archive/a-1.pdn").contains("[Replayed \"yes\"]"));
    assert!(public(&place, "archive/a-1.pdn").contains("[Result \"*\"]"));
    done(run_ctl(&place, &["ctl", "play-on", "3.1", "a"]));
    is_told("1 {");
    board.restart(&recording());
    board.play(&mut pty, 800_000, || moves(&place.live("a-2.pdn")).len() >= 2);
    finish(&mut board, &mut pty, 2, "0-2");
    wait_until("the new game", || public(&place, "round/3/games.pdn").contains("[Result \"0-2\"]"));
    assert!(!public(&place, "round/3/games.pdn").contains("Replayed"));
    wait_until("the official result", || points(&place).contains(&("Wiersma, H.".to_owned(), "2".to_owned())));
    assert!(points(&place).contains(&("Sijbrands, Ton".to_owned(), "0".to_owned())));
    let names = ["archive/a-1.pdn", "archive/a-2.pdn", "round/3/games.pdn", "events.ndjson", "tournament.json"];
    assert_lasts(&place, &mut pty, station, &names);
}

/// Returns the moves of a game in a file, without their clocks.
fn moves_of(game: &str) -> Vec<String> {
    let movetext: String = game.lines().filter(|line| !line.starts_with('[')).map(|line| format!("{line} ")).collect();
    let plain = movetext.split('{').map(|part| part.rsplit('}').next().unwrap()).collect::<String>();
    let is_move = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(['-', 'x']);
    plain.split_whitespace().filter(is_move).map(str::to_owned).collect()
}

/// Nine rounds of blitz in an evening: the start position on all boards opens the next round once the previous one has all its results. A
/// game that does not end for lack of legal moves waits for the arbiter.
#[test]
fn prepared_round_opens_when_all_boards_are_set_up() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "[tournament]\nboards = [\"a\"]\nopen-when-set-up = true\n");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    done(import(&place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n2;1;B;A\n"));
    let state = |round: usize| {
        let events = events(&place, "round");
        events.iter().any(|event| event["round"] == round && event["state"] == "open")
    };
    wait_until("round 1 is open", || {
        board.answer(&mut pty);
        state(1)
    });
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    assert!(place.live("a-1.pdn").contains("[Round \"1\"]"), "{}", place.live("a-1.pdn"));
    assert!(!state(2), "round 1 has no result yet");
    done(run_ctl(&place, &["ctl", "result", "a", "0-2", "--confirm"]));
    wait_until("the result", || {
        board.answer(&mut pty);
        !events(&place, "official-result").is_empty()
    });
    assert!(!state(2), "the start position does not stand on the board");
    assert_eq!(points(&place)[0].0, "B");
    // A request based on an older version gets the list of changes.
    let file = place.path("late.csv");
    fs::write(&file, "Round;Board;White;Black;Result\n1;1;A;B;2-0\n").unwrap();
    let late = tournament(&place, &["import", file.to_str().unwrap(), "--if-version", "1"]);
    assert!(
        late.code == 1
            && late.err.contains("has changed since then")
            && late.err.contains("round 1 of main: open")
            && late.err.contains("A - B: "),
        "{}",
        late.err
    );
    // The order of a published round stays.
    let other = import(&place, "other.csv", "Round;Board;White;Black\n1;2;A;B\n");
    assert!(other.code == 1 && other.err.contains("keep their boards"), "{}{}", other.out, other.err);
    assert!(station.signal(Signal::TERM).success());
}

/// A round is closed before one of its games has begun: later games at that board are unofficial, also after a restart. A closed round can
/// be opened again.
#[test]
fn board_of_closed_round_plays_no_game_of_round() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    done(import(&place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n"));
    done(run_ctl(&place, &["ctl", "round", "open", "1"]));
    // A start begins a log that continues the previous one.
    let log = || {
        let logs = fs::read_dir(place.path("recordings/log")).unwrap().map(|entry| entry.unwrap().path());
        let logs = logs.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        logs.map(|path| fs::read_to_string(path).unwrap()).collect::<String>()
    };
    let count_lines = |needle: &str| log().lines().filter(|line| line.contains(needle)).count();
    wait_until("the board knows its pairing", || count_lines("! pairing 1 {") == 1);
    assert!(station.signal(Signal::TERM).success());
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    done(run_ctl(&place, &["ctl", "round", "close", "1", "--confirm"]));
    wait_until("the board knows that it has none", || count_lines("! pairing none") == 1);
    assert_eq!(count_lines("! pairing 1 {"), 1, "what the line knows is not said again: {}", log());
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    assert!(!place.live("a-1.pdn").contains("[White \"A\"]"), "{}", place.live("a-1.pdn"));
    done(run_ctl(&place, &["ctl", "round", "open", "1"]));
    wait_until("the next game is of the round", || count_lines("! pairing 1 {") == 2);
    assert!(station.signal(Signal::TERM).success());
}

/// A micro-match: the long game is drawn, so the rapid one follows at that board, with colours exchanged, and decides.
#[test]
fn second_game_of_micro_match_follows_on_same_board() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    let stages = "Round;Board;White;Black;Stage;Result\n1;1;A;B;standard;*\n1;1;B;A;rapid;*\n";
    done(import(&place, "pairings.csv", stages));
    done(run_ctl(&place, &["ctl", "round", "open", "1"]));
    let log = || fs::read_to_string(place.path("recordings/log/a-1.log")).unwrap();
    wait_until("the board knows its game", || log().contains("! pairing 1.standard {"));
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    assert!(place.live("a-1.pdn").contains("[White \"A\"]"), "{}", place.live("a-1.pdn"));
    assert!(!log().contains("1.rapid"), "nothing is decided yet");
    done(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]));
    wait_until("the board knows its second game", || {
        board.answer(&mut pty);
        log().contains("! pairing 1.rapid {")
    });
    assert_eq!(points(&place).iter().map(|(_, points)| points.as_str()).collect::<Vec<_>>(), ["0", "0"]);
    board.restart(&recording());
    board.play(&mut pty, 900_000, || {
        place.path("recordings/live/a-2.pdn").exists() && moves(&place.live("a-2.pdn")).len() >= 2
    });
    let second = place.live("a-2.pdn");
    assert!(second.contains("[White \"B\"]") && second.contains("[Black \"A\"]"), "{second}");
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the rapid game counts", || {
        board.answer(&mut pty);
        points(&place)[0] == ("B".to_owned(), "8".to_owned())
    });
    assert_eq!(points(&place)[1], ("A".to_owned(), "4".to_owned()));
    wait_until("both games are kept", || {
        public(&place, "archive/a-1.pdn").contains("[Result \"1-1\"]")
            && public(&place, "archive/a-2.pdn").contains("[Result \"2-0\"]")
    });
    assert!(station.signal(Signal::TERM).success());
    let fsck = run(&["fsck", &place.path("recordings").display().to_string()]);
    assert_eq!(fsck.code, 0, "{}{}", fsck.out, fsck.err);
}

/// The cable was out at the end: the moves come from the score sheet, are in every file except the live file, and are marked.
#[test]
fn moves_missed_by_board_are_added_and_marked() {
    let place = StationFolder::new(&["a"]);
    place.configure(&["a"], SPEED, "");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    pty.wait_for_the_station();
    done(import(&place, "pairings.csv", ROUNDS));
    done(run_ctl(&place, &["ctl", "round", "open", "3"]));
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 4);
    let sheet = |text: &str| {
        fs::write(place.path("sheet"), text).unwrap();
        place.path("sheet").display().to_string()
    };
    let early = run_ctl(&place, &["ctl", "add-moves", "a", &sheet("32-28")]);
    assert!(early.code == 1 && early.err.contains("goes on"), "{}{}", early.out, early.err);
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the archive", || {
        board.answer(&mut pty);
        public(&place, "archive/a-1.pdn").contains("[Result \"2-0\"]")
    });
    let ended = place.live("a-1.pdn");
    let contents = livefile::LiveFileContents::parse(1, &ended).unwrap();
    let last = contents.entries.last().unwrap().kind.position_after();
    let legal = last.legal_moves();
    let first = notation::write(last.variant(), &legal[0], &legal);
    let behind = last.play(&legal[0]);
    let replies = behind.legal_moves();
    let second = notation::write(last.variant(), &replies[0], &replies);
    // Invalid input is reported with its place, and changes nothing.
    let wrong = run_ctl(&place, &["ctl", "add-moves", "a", "--game", "1", &sheet(&format!("{first}\n{second} 1-2"))]);
    assert!(wrong.code == 1 && wrong.err.contains("sheet:2:"), "{}{}", wrong.out, wrong.err);
    let typed = sheet(&format!("{first} {second} 2-0\n"));
    let dry = done(run_ctl(&place, &["ctl", "add-moves", "a", &typed, "--dry-run"]));
    assert!(dry.contains("archive") && dry.contains("nothing was changed"), "{dry}");
    assert!(!public(&place, "games.pdn").contains("{from"));
    let output = done(run_ctl(&place, &["ctl", "add-moves", "a", &typed, "--reason", "the cable was out"]));
    assert!(output.contains(&first) && output.contains("its live file stays as it is"), "{output}");
    let mut all = moves_of(&ended);
    all.extend([first.clone(), second.clone()]);
    let names = ["games.pdn", "round/3/games.pdn", "round/3/started.pdn", "archive/a-1.pdn"];
    for name in names {
        // A comment may be wrapped.
        wait_until(name, || public(&place, name).replace('\n', " ").contains("{from the score sheet}"));
        let text = public(&place, name);
        let shown = text.split("[Event ").find(|game| game.contains("Sijbrands")).unwrap();
        assert_eq!(moves_of(shown), all, "{name}: {text}");
        assert!(shown.contains("[Result \"2-0\"]"), "{name}: {text}");
    }
    assert_eq!(place.live("a-1.pdn"), ended, "the live file stays as the board recorded it");
    wait_until("the event", || events(&place, "tag-correction").iter().any(|event| event["field"] == "moves"));
    let amended = events(&place, "tag-correction").into_iter().find(|event| event["field"] == "moves").unwrap();
    assert!(amended["old"] == "" && amended["new"].as_str().unwrap().contains(&second), "{amended}");
    assert_lasts(&place, &mut pty, station, &[&names[..], &["events.ndjson"]].concat());
    // A sheet without a move removes them.
    let mut station = place.start();
    station.wait_for("operators reach this station");
    done(run_ctl(&place, &["ctl", "add-moves", "a", &sheet("")]));
    wait_until("they are gone", || !public(&place, "archive/a-1.pdn").contains("{from"));
    let again = run_ctl(&place, &["ctl", "add-moves", "a", &sheet("")]);
    assert!(again.code == 1 && again.err.contains("has no moves"), "{}{}", again.out, again.err);
    assert!(station.signal(Signal::TERM).success());
}

/// The operator opens the round after the first move: the board reports that, and one request assigns the game to the round.
#[test]
fn game_started_before_round_is_assigned() {
    let place = StationFolder::new(&["a"]);
    // The event is in the configuration; the file of pairings does not mention it.
    place.configure(&["a"], SPEED, "[line.tags]\nEvent = \"Open\"\n");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    let begun = place.live("a-1.pdn");
    let first = moves(&begun)[0].clone();
    done(import(&place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n"));
    let output = done(run_ctl(&place, &["ctl", "round", "open", "1"]));
    assert!(output.contains("a, game 1, began before: `damcast ctl adopt a`"), "{output}");
    wait_until("the file of the round", || public(&place, "round/1/games.pdn").contains("[White \"A\"]"));
    assert!(!public(&place, "round/1/games.pdn").contains(&first), "the game is nobody's");
    let named = "a: its game is one of no pairing; if it is A - B of round 1: `damcast ctl adopt a`";
    wait_until("status names it", || done(run_ctl(&place, &["status"])).contains(named));
    done(run_ctl(&place, &["ctl", "adopt", "a"]));
    wait_until("status names it no more", || !done(run_ctl(&place, &["status"])).contains(named));
    let is_shown = |name: &str| {
        let text = public(&place, name);
        text.contains("[White \"A\"]")
            && text.contains("[Round \"1\"]")
            && text.contains("[Event \"Open\"]")
            && text.contains(&first)
    };
    for name in ["round/1/games.pdn", "round/1/started.pdn", "games.pdn"] {
        wait_until(name, || is_shown(name));
    }
    done(run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]));
    wait_until("the official result", || {
        board.answer(&mut pty);
        points(&place)[0] == ("A".to_owned(), "2".to_owned())
    });
    wait_until("the archive", || is_shown("archive/a-1.pdn"));
    assert!(place.live("a-1.pdn").starts_with(begun.split("\n\n").next().unwrap().split("[Result").next().unwrap()));
    let names = ["archive/a-1.pdn", "round/1/games.pdn", "events.ndjson", "games.pdn"];
    assert!(station.signal(Signal::TERM).success());
    let before = names.map(|name| public(&place, name));
    let directory = place.path("recordings").display().to_string();
    let fsck = run(&["fsck", &directory]);
    assert_eq!(fsck.code, 0, "{}{}", fsck.out, fsck.err);
    fs::remove_dir_all(place.path("recordings/public")).unwrap();
    assert_eq!(run(&["rebuild", &directory]).code, 0);
    for (name, before) in names.iter().zip(&before) {
        assert!(public(&place, name) == *before, "{name} is made otherwise: {}", public(&place, name));
    }
}
