//! Rounds of a tournament on a running station: who plays where, late or wrong results, late names. Real processes and ports.

use std::fs;
use std::time::Duration;

use damcast::engine::livefile;
use draughts_pdn::notation;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::control::{Client, run_ctl, status};
use crate::daemon::{StationFolder, moves, recording};
use crate::desk::{DeskProcess, code};
use crate::folders;
use crate::hall::Hall;
use crate::program::{Run, assert_contains, run};
use crate::pty::wait_until;
use crate::random::Random;
use crate::recorded_session::env_step;

/// Runs `damcast tournament` on the folder of a station.
pub fn tournament(place: &StationFolder, arguments: &[&str]) -> Run {
    run(&[&["tournament"], arguments, &["--directory", &place.directory()]].concat())
}

pub fn import(place: &StationFolder, name: &str, text: &str) -> Run {
    let file = place.path(name);
    fs::write(&file, text).unwrap();
    tournament(place, &["import", file.to_str().unwrap()])
}

pub fn events(place: &StationFolder, kind: &str) -> Vec<Value> {
    let lines = place.public("events.ndjson");
    let all = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|event| event["type"] == kind).collect()
}

fn points(place: &StationFolder) -> Vec<(String, String)> {
    let standings: Value = serde_json::from_str(&tournament(place, &["standings", "--json"]).done()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    standings["rows"].as_array().unwrap().iter().map(|row| (text(&row["name"]), text(&row["points"]))).collect()
}

fn player_points(name: &str, points: &str) -> (String, String) {
    (name.to_owned(), points.to_owned())
}

pub const ROUNDS: &str = "Round;Board;White;Black;Result\n3;1;Sijbrands, Ton;Wiersma, H.;*\n3;2;Clerc, Rob;Gantwarg, A.;*\n\
    4;1;Gantwarg, A.;Sijbrands, Ton;*\n4;2;Wiersma, H.;Clerc, Rob;*\n";

impl Hall {
    /// Imports and opens round 3, and plays four plies on the board.
    pub fn begin_round(&mut self) {
        import(&self.place, "pairings.csv", ROUNDS).done();
        self.done(&["round", "open", "3"]);
        self.wait_for_pairing("1 {");
        self.play(4);
    }

    /// Waits until the board's last pairing starts with these words.
    #[track_caller]
    fn wait_for_pairing(&self, words: &str) {
        wait_until(words, || {
            let log = self.read("log/a-1.log");
            log.rsplit_once("! pairing ").is_some_and(|(_, pairing)| pairing.starts_with(words))
        });
    }

    #[track_caller]
    pub fn wait_for_official_results(&self, count: usize) {
        wait_until("the official results", || events(&self.place, "official-result").len() == count);
    }

    /// Writes a score sheet; returns its path.
    fn write_sheet(&self, text: &str) -> String {
        fs::write(self.place.path("sheet"), text).unwrap();
        self.place.path("sheet").display().to_string()
    }

    /// Asserts that these public files are equal after a restart and after a rebuild, that the live files are unchanged, and that the folder
    /// is valid.
    #[track_caller]
    pub fn assert_lasts(&mut self, names: &[&str]) {
        self.stop();
        let files = |hall: &Hall| -> Vec<String> { names.iter().map(|name| hall.public(name)).collect() };
        let (shown, live) = (files(self), folders::read(&self.file("live")));
        let assert_same = |hall: &Hall, when: &str| {
            for ((name, now), before) in names.iter().zip(files(hall)).zip(&shown) {
                assert!(now == *before, "{name} is another {when}: {now}");
            }
            assert!(folders::read(&hall.file("live")) == live, "live files are others {when}");
        };
        self.start_again();
        self.stop();
        assert_same(self, "after a restart");
        self.place.fsck().done();
        self.place.rebuild_public();
        assert_same(self, "made anew");
    }
}

#[test]
fn whole_round_harms_no_other_round() {
    let mut hall = Hall::start("[line.tags]\nWhite = \"Nobody\"\nTimeControl = \"5400\"\n");
    publish_one_of_two_rounds(&mut hall);
    play_while_next_round_opens(&mut hall);
    rename_player_during_game(&mut hall);
    end_game_by_agreement(&mut hall);
    correct_result(&mut hall);
    close_round_with_missing_result(&hall);
    let names =
        "archive/a-1.pdn round/3/games.pdn round/3/started.pdn events.ndjson games.pdn tournament.json standings.json";
    hall.assert_lasts(&names.split(' ').collect::<Vec<_>>());
}

/// A file is imported through the running station; only a published round is public.
fn publish_one_of_two_rounds(hall: &mut Hall) {
    let output = import(&hall.place, "pairings.csv", ROUNDS).done();
    assert_contains(&output, &["4 players, 4 pairings are new", "version 1 of"]);
    assert!(!hall.file("public/round").exists(), "prepared rounds are nobody's business");
    assert_eq!(hall.ctl(&["round", "publish", "7"]).code, 1);
    hall.done(&["round", "publish", "3"]);
    hall.wait_for_public("round/3/games.pdn", "Sijbrands");
    assert!(hall.public("round/3/games.pdn").contains("[Black \"Wiersma, H.\"]"));
    assert!(!hall.public("events.ndjson").contains("\"round\":4"), "round 4 is prepared");
    let states = |arguments: &[&str]| -> Vec<(u64, String)> {
        let shown = tournament(&hall.place, &[&["show", "--json"], arguments].concat()).done();
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let rounds = shown["sections"][0]["rounds"].as_array().unwrap().iter();
        rounds.map(|round| (round["round"].as_u64().unwrap(), round["state"].as_str().unwrap().to_owned())).collect()
    };
    let (third, fourth) = ((3, "published".to_owned()), (4, "prepared".to_owned()));
    assert!(states(&[]).ends_with(&[third, fourth.clone()]), "{:?}", states(&[]));
    assert_eq!(states(&["--round", "4"]), [fourth]);
    assert_eq!(events(&hall.place, "pairing").len(), 2);
}

fn play_while_next_round_opens(hall: &mut Hall) {
    hall.done(&["round", "open", "3"]);
    hall.wait_for_pairing("1 {");
    hall.ctl(&["set-players", "a", "X", "Y"]).fails(1, "has its names from there");
    hall.wait_for_public("games.pdn", "Wiersma, H.");
    hall.play(2);
    for tag in
        ["White \"Sijbrands, Ton\"", "Black \"Wiersma, H.\"", "Round \"3\"", "Board \"1\"", "TimeControl \"5400\""]
    {
        assert_contains(&hall.live(1), &[&format!("[{tag}]")]);
    }
    hall.ctl(&["round", "open", "4"])
        .fails(1, "round 3 is open: it stays so for games that go on; games that begin get the names of round 4");
    hall.done(&["round", "open", "4", "--confirm"]);
    hall.wait_for_pairing("3 {");
    let shown = moves(&hall.live(1)).len();
    hall.play(shown + 2);
    let last = moves(&hall.live(1))[shown + 1].clone();
    for name in ["games.pdn", "round/3/games.pdn", "round/3/started.pdn"] {
        wait_until("a move of round 3", || hall.public(name).contains(&last));
        let text = hall.public(name);
        assert!(text.contains("[Round \"3\"]") && !text.contains("Gantwarg, A.\"]\n[Black \"Sij"), "{name}: {text}");
    }
    assert_eq!(status(&hall.place)["boards"][0]["pairing"]["round"], 4);
}

/// A corrected name reaches the game without any change in its live file.
fn rename_player_during_game(hall: &mut Hall) {
    hall.done(&["rename-player", "Wiersma, H.", "Wiersma, Harm"]);
    for name in ["games.pdn", "round/3/games.pdn"] {
        hall.wait_for_public(name, "[Black \"Wiersma, Harm\"]");
    }
    assert!(hall.live(1).contains("[Black \"Wiersma, H.\"]"));
    assert_eq!(status(&hall.place)["boards"][0]["black"], "Wiersma, Harm");
    hall.ctl(&["set-players", "a", "X", "Y"]).fails(1, "damcast ctl rename-player");
    let corrected = events(&hall.place, "tag-correction")[0].clone();
    for (key, value) in [("field", "Black"), ("old", "Wiersma, H."), ("new", "Wiersma, Harm"), ("board", "a")] {
        assert_eq!(corrected[key], value, "{corrected}");
    }
    assert_eq!(corrected["game"], 1);
    // A name that some readers cannot parse suspends no file; files for other readers show it unchanged.
    hall.ctl(&["rename-player", "Wiersma, Harm", "Wiersma] \"H\""]).prints("PDN has `Wiersma) \"H\"` in place of");
    for name in ["games.pdn", "started.pdn", "round/3/games.pdn", "round/3/started.pdn"] {
        hall.wait_for_public(name, "[Black \"Wiersma) \\\"H\\\"\"]");
    }
    assert!(hall.public("tournament.json").contains("Wiersma] \\\"H\\\""));
    hall.done(&["rename-player", "Wiersma] \"H\"", "Wiersma, Harm"]);
}

fn assert_history_shows(hall: &Hall, words: &str) {
    tournament(&hall.place, &["show", "--history"]).prints(words);
}

/// A dry run describes the end of the running game. The result becomes official once the last move is there.
fn end_game_by_agreement(hall: &mut Hall) {
    let foretold = hall.done(&["result", "a", "1-1", "--confirm", "--dry-run"]);
    assert!(foretold.starts_with("a, game 1, ") && foretold.contains("this was a dry run"), "{foretold}");
    assert!(!hall.live(1).contains("1-1"), "nothing was done");
    hall.done(&["result", "a", "1-1", "--confirm", "--reason", "agreed at the board"]);
    hall.wait_for_public("archive/a-1.pdn", "[Result \"1-1\"]");
    hall.wait_for_official_results(1);
    assert_history_shows(hall, "agreed at the board");
    assert_eq!(points(&hall.place)[..2], [player_points("Sijbrands, Ton", "1"), player_points("Wiersma, Harm", "1")]);
}

/// A wrong result is corrected, withdrawn, and entered again.
fn correct_result(hall: &mut Hall) {
    let correction = ["result", "a", "2-0", "--game", "1", "--correct"];
    hall.ctl(&correction[..5]).fails(1, "--correct");
    hall.ctl(&[&correction[..], &["--dry-run"]].concat()).prints("dry run");
    let output = hall.done(&[&correction[..], &["--reason", "scoresheet"]].concat());
    assert_contains(&output, &["a, game 1, Sijbrands, Ton - Wiersma, Harm, ", "2-0 (was 1-1)"]);
    for name in ["round/3/games.pdn", "archive/a-1.pdn"] {
        hall.wait_for_public(name, "[Result \"2-0\"]");
    }
    hall.wait_for_official_results(2);
    let corrections = events(&hall.place, "tag-correction");
    assert!(corrections.iter().any(|event| event["field"] == "Result" && event["new"] == "2-0"));
    assert_eq!(points(&hall.place)[0], player_points("Sijbrands, Ton", "2"));
    hall.done(&["result", "a", "*", "--game", "1", "--correct"]);
    hall.wait_for_public("round/3/games.pdn", "[Result \"*\"]");
    hall.ctl(&["result", "a", "2-0"]).fails(1, "a ended with 1-1");
    hall.done(&["result", "a", "2-0", "--confirm", "--reason", "seen by two"]);
    assert_history_shows(hall, "seen by two");
    hall.wait_for_public("round/3/games.pdn", "[Result \"2-0\"]");
}

/// The result of a board without electronics is still missing, though the next round is open.
fn close_round_with_missing_result(hall: &Hall) {
    let waits =
        "board 2 of round 3, Clerc, Rob - Gantwarg, A. waits for a result: `damcast ctl result - RESULT --pairing 3.2`";
    assert_eq!(status(&hall.place)["results_awaited"][0]["board_number"], 2);
    run_ctl(&hall.place, &["status"]).prints(waits);
    hall.ctl(&["round", "close", "3"]).fails(1, "board 2: Clerc, Rob - Gantwarg, A.");
    hall.done(&["result", "-", "0-2", "--pairing", "3.2"]);
    hall.done(&["round", "close", "3"]);
    wait_until("it is closed", || events(&hall.place, "round").last().is_some_and(|event| event["state"] == "closed"));
}

/// Hidden names and entered results are lost: published files stay.
#[test]
fn damaged_record_retracts_no_published_entry() {
    let mut hall = Hall::start("");
    hall.begin_round();
    hall.done(&["rename-player", "Wiersma, H.", "N. N."]);
    hall.end_game(1, "2-0");
    wait_until("the standings", || points(&hall.place).contains(&player_points("Sijbrands, Ton", "2")));
    hall.stop();
    let before = folders::read(&hall.file("public"));
    let record = hall.file("log/tournament.ndjson");
    let whole = fs::read_to_string(&record).unwrap();
    fs::write(&record, whole.replacen("N. N.", "N. M.", 1)).unwrap();
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    hall.station.wait_for("is held back");
    wait_until("the message", || {
        run_ctl(&hall.place, &["status"]).out.contains("the record of the tournament is damaged")
    });
    hall.ctl(&["rename-player", "Sijbrands, Ton", "X"]).fails(1, "tournament.ndjson, line ");
    // The recording goes on.
    hall.board.restart(&recording());
    hall.play_game(2, 2);
    hall.stop();
    assert!(folders::read(&hall.file("public")) == before, "what is public stays as it is");
    let fsck = hall.place.fsck();
    assert!(fsck.code != 0 && !fsck.out.contains("no log knows of this file"), "{}", fsck.out);
    // A copy is restored.
    fs::write(&record, whole).unwrap();
    hall.station = hall.place.start();
    hall.wait_for_public("events.ndjson", "\"game\":2");
    assert!(!hall.public("games.pdn").contains("Wiersma"));
    hall.stop();
    hall.place.fsck().done();
}

#[test]
fn record_cut_at_line_freezes_public_files() {
    let mut hall = Hall::start("");
    hall.begin_round();
    hall.done(&["result", "a", "2-0", "--confirm"]);
    hall.done(&["rename-player", "Wiersma, H.", "N. N."]);
    hall.wait("another generation", |hall| !hall.public("events.ndjson").contains("Wiersma"));
    hall.stop();
    let before = folders::read(&hall.file("public"));
    let record = hall.file("log/tournament.ndjson");
    let whole = fs::read_to_string(&record).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    // Without its last line the record looks complete, and no name would be hidden.
    fs::write(&record, lines[..lines.len() - 1].concat()).unwrap();
    let fsck = hall.place.fsck();
    assert!(fsck.code == 1 && fsck.out.contains("tournament.ndjson: its end is missing"), "{}", fsck.out);
    let rebuild = run(&["rebuild", &hall.place.directory()]);
    assert!(rebuild.code != 0 && rebuild.err.contains("its end is missing"), "{}", rebuild.err);
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    hall.station.wait_for("is held back");
    wait_until("the alarm", || run_ctl(&hall.place, &["status"]).out.contains("a copy of at least"));
    hall.ctl(&["rename-player", "Sijbrands, Ton", "X"]).fails(1, "its end is missing");
    hall.stop();
    assert!(folders::read(&hall.file("public")) == before, "public files changed");
    fs::write(&record, &whole).unwrap();
    hall.start_again();
    hall.done(&["rename-player", "Sijbrands, Ton", "X"]);
    hall.stop();
    hall.place.fsck().done();
    // The witness survives every start.
    fs::write(&record, &whole).unwrap();
    assert_eq!(hall.place.fsck().code, 1);
}

/// An arbiter ends the wrong game and continues it: two live files, and one game for all readers.
#[test]
fn continued_game_stays_one_game() {
    let mut hall = Hall::start("");
    hall.begin_round();
    hall.end_game(1, "2-0");
    hall.wait_for_official_results(1);
    let first = moves_of(&hall.live(1));
    let ended = hall.live(1);
    // A dry run lists all effects and changes nothing.
    let mut client = Client::connect(&hall.place);
    client.send("{\"do\":\"request\",\"board\":\"a\",\"request\":\"continue\",\"confirm\":true,\"dry_run\":true}\n");
    let foretold = client.receive();
    let words = foretold["messages"].to_string();
    assert!(words.contains("game 1 goes on") && words.contains("(was 2-0)"), "{foretold}");
    assert_eq!(events(&hall.place, "official-result").len(), 1);
    // The board shows the moves played meanwhile.
    hall.ctl(&["continue", "a", "--confirm"]).prints("game 1 goes on");
    hall.wait_for_official_results(2);
    wait_until("nobody sees it any more", || !hall.public("round/3/games.pdn").contains("[Result \"2-0\"]"));
    let again = hall.ctl(&["continue", "b"]);
    assert_eq!(again.code, 1, "there is no such board");
    hall.play_game(2, 2);
    assert_eq!(hall.live(1), ended, "its live file stays as it ended");
    assert!(hall.live(2).contains("[FEN \"") && hall.live(2).contains("[White \"Sijbrands, Ton\"]"));
    hall.end_game(1, "1-1");
    let second = moves_of(&hall.live(2));
    let all = [first, second].concat();
    for name in ["games.pdn", "round/3/started.pdn", "archive/a-1.pdn"] {
        hall.wait_for_public(name, "[Result \"1-1\"]");
        let text = hall.public(name);
        let shown = text.split("[Event ").find(|game| game.contains("Sijbrands")).unwrap();
        assert_eq!(moves_of(shown), all, "{name}: {text}");
        assert!(!shown.contains("[FEN "), "{name}: {text}");
    }
    assert!(!hall.file("public/archive/a-2.pdn").exists());
    let begun = events(&hall.place, "game");
    assert_eq!((begun.len(), &begun[1]["game"], &begun[1]["continues"]), (2, &2.into(), &1.into()));
    assert_eq!(points(&hall.place)[0].1, "1");
    // The score sheet has all moves of the game, of both its files, and one that the board missed.
    let last =
        livefile::LiveFileContents::parse(2, &hall.live(2)).unwrap().entries.last().unwrap().kind.position_after();
    let legal = last.legal_moves();
    let missed = notation::write(last.variant(), &legal[0], &legal);
    let sheet = hall.write_sheet(&format!("{} {missed}\n", all.join(" ")));
    assert_contains(&hall.done(&["add-moves", "a", "--game", "2", &sheet]), &[&*missed, "are added"]);
    hall.wait_for_public("archive/a-1.pdn", "{from the score sheet}");
    let names = ["archive/a-1.pdn", "round/3/games.pdn", "events.ndjson", "games.pdn", "standings.json"];
    hall.assert_lasts(&names);
}

/// A pairing is played while another round is open, and replayed: its games belong to its own round, and one of them counts.
#[test]
fn postponed_and_replayed_pairing_stays_in_round() {
    let mut hall = Hall::start("");
    import(&hall.place, "pairings.csv", ROUNDS).done();
    hall.done(&["round", "open", "3"]);
    hall.wait_for_pairing("1 {");
    hall.ctl(&["postpone", "3.1", "--reason", "ill"]).prints("round 3, Sijbrands, Ton - Wiersma, H. is postponed");
    hall.wait_for_pairing("none");
    hall.done(&["result", "-", "2-0", "--pairing", "3.2"]);
    hall.ctl(&["round", "close", "3"]).prints("board 1: Sijbrands, Ton - Wiersma, H. is postponed");
    hall.done(&["round", "open", "4"]);
    hall.wait_for_pairing("3 {");
    hall.done(&["play-on", "3.1", "a"]);
    hall.wait_for_pairing("1 {");
    assert_eq!(status(&hall.place)["boards"][0]["pairing"]["round"], 3);
    hall.play(4);
    assert!(hall.live(1).contains("[Round \"3\"]"), "{}", hall.live(1));
    hall.end_game(1, "2-0");
    hall.wait_for_pairing("3 {");
    hall.wait_for_public("round/3/games.pdn", "[Result \"2-0\"]");
    assert!(points(&hall.place).contains(&player_points("Sijbrands, Ton", "2")));
    // The game does not count. Round 4 is open, so the request has to name the board of the replay.
    assert_contains(&hall.done(&["replay", "3.1"]), &["a, game 1", "damcast ctl play-on 3.1 BOARD"]);
    hall.wait_for_public("archive/a-1.pdn", "[Replayed \"yes\"]");
    assert!(hall.public("archive/a-1.pdn").contains("[Result \"*\"]"));
    hall.done(&["play-on", "3.1", "a"]);
    hall.wait_for_pairing("1 {");
    hall.board.restart(&recording());
    hall.play_game(2, 2);
    hall.end_game(2, "0-2");
    hall.wait_for_public("round/3/games.pdn", "[Result \"0-2\"]");
    assert!(!hall.public("round/3/games.pdn").contains("Replayed"));
    wait_until("the official result", || points(&hall.place).contains(&player_points("Wiersma, H.", "2")));
    assert!(points(&hall.place).contains(&player_points("Sijbrands, Ton", "0")));
    // A correction is that of the game that counts.
    let corrected = hall.done(&["result", "a", "1-1", "--correct"]);
    assert!(corrected.contains("a, game 2") && !corrected.contains("game 1"), "{corrected}");
    hall.wait_for_public("round/3/games.pdn", "[Result \"1-1\"]");
    let names = ["archive/a-1.pdn", "archive/a-2.pdn", "round/3/games.pdn", "events.ndjson", "tournament.json"];
    hall.assert_lasts(&names);
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
    let mut hall = Hall::start("[tournament]\nboards = [\"a\"]\nopen-when-set-up = true\n");
    import(&hall.place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n2;1;B;A\n").done();
    let is_open = |hall: &Hall, round: usize| {
        let events = events(&hall.place, "round");
        events.iter().any(|event| event["round"] == round && event["state"] == "open")
    };
    hall.wait("round 1 is open", |hall| is_open(hall, 1));
    hall.play(2);
    assert!(hall.live(1).contains("[Round \"1\"]"), "{}", hall.live(1));
    assert!(!is_open(&hall, 2), "round 1 has no result yet");
    hall.done(&["result", "a", "0-2", "--confirm"]);
    hall.wait("the result", |hall| !events(&hall.place, "official-result").is_empty());
    assert!(!is_open(&hall, 2), "the start position does not stand on the board");
    assert_eq!(points(&hall.place)[0].0, "B");
    // A request based on an older version gets the list of changes.
    let file = hall.place.path("late.csv");
    fs::write(&file, "Round;Board;White;Black;Result\n1;1;A;B;2-0\n").unwrap();
    let late = tournament(&hall.place, &["import", file.to_str().unwrap(), "--if-version", "1"]);
    assert_eq!(late.code, 1);
    assert_contains(&late.err, &["has changed since then", "round 1 of main: open", "A - B: "]);
    // The order of a published round stays.
    import(&hall.place, "other.csv", "Round;Board;White;Black\n1;2;A;B\n").fails(1, "keep their boards");
    hall.stop();
}

/// A round is closed before one of its games has begun: later games at that board are unofficial, also after a restart. A closed round can
/// be opened again.
#[test]
fn board_of_closed_round_plays_no_game_of_round() {
    let mut hall = Hall::start("");
    import(&hall.place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n").done();
    hall.done(&["round", "open", "1"]);
    // A start begins a log that continues the previous one.
    let count_lines = |hall: &Hall, needle: &str| {
        let logs = folders::read(&hall.file("log")).into_iter().filter(|(name, _)| name.ends_with(".log"));
        let texts = logs.map(|(_, bytes)| String::from_utf8(bytes).unwrap());
        texts.map(|text| text.lines().filter(|line| line.contains(needle)).count()).sum::<usize>()
    };
    wait_until("the board knows its pairing", || count_lines(&hall, "! pairing 1 {") == 1);
    hall.stop();
    hall.start_again();
    hall.done(&["round", "close", "1", "--confirm"]);
    wait_until("the board knows that it has none", || count_lines(&hall, "! pairing none") == 1);
    assert_eq!(count_lines(&hall, "! pairing 1 {"), 1, "the line receives its pairing once");
    hall.play(2);
    assert!(!hall.live(1).contains("[White \"A\"]"), "{}", hall.live(1));
    hall.done(&["round", "open", "1"]);
    wait_until("the next game is of the round", || count_lines(&hall, "! pairing 1 {") == 2);
    hall.stop();
}

/// The players set the pieces up again and analyse before the arbiter has entered the result: that game is of no pairing.
#[test]
fn second_game_on_board_is_of_no_pairing() {
    let mut hall = Hall::start("");
    import(&hall.place, "pairings.csv", ROUNDS).done();
    hall.done(&["round", "open", "3"]);
    hall.wait_for_pairing("1 {");
    hall.play(8);
    hall.board.restart(&recording());
    hall.play_game(2, 3);
    let first = moves_of(&hall.live(1));
    assert!(hall.live(1).contains("Sijbrands") && !hall.live(2).contains("Sijbrands"), "{}", hall.live(2));
    let waits = "board 1 of round 3, Sijbrands, Ton - Wiersma, H. waits for a result: `damcast ctl result - RESULT --pairing 3.1`";
    let asks =
        "a: its game is one of no pairing; if it is Sijbrands, Ton - Wiersma, H. of round 3: `damcast ctl adopt a`";
    wait_until("status", || {
        let status = run_ctl(&hall.place, &["status"]).done();
        status.contains(waits) && status.contains(asks)
    });
    // The clock of the second game does not matter.
    let answer = hall.done(&["result", "a", "2-0"]);
    assert_contains(
        &answer,
        &["a, game 1, Sijbrands, Ton - Wiersma, H.", "2-0 (was *)", "game 1; game 2 of no pairing goes on"],
    );
    wait_until("nothing is asked", || !run_ctl(&hall.place, &["status"]).done().contains("damcast ctl"));
    let files = ["round/3/games.pdn", "round/3/started.pdn", "games.pdn", "started.pdn"];
    for name in files {
        hall.wait_for_public(name, "[Result \"2-0\"]");
        let shown = hall.public(name);
        let shown = shown.split("[Event ").find(|game| game.contains("Sijbrands, Ton")).unwrap();
        assert_eq!(moves_of(shown), first, "{name}");
    }
    let opened = events(&hall.place, "game");
    assert_eq!((&opened[0]["pairing"], &opened[1]["pairing"]), (&Value::from("1"), &Value::Null), "{opened:?}");
    hall.done(&["round", "close", "3", "--confirm"]);
    // It was the game of the pairing: the first one was a false start.
    hall.done(&["adopt", "a", "--game", "2", "--pairing", "3.1"]);
    let second = moves_of(&hall.live(2));
    hall.wait("the adopted game", |hall| {
        let shown = hall.public("round/3/games.pdn");
        shown.split("[Event ").any(|game| game.contains("Sijbrands, Ton") && moves_of(game) == second)
    });
    hall.assert_lasts(&["round/3/games.pdn", "events.ndjson", "archive/a-1.pdn"]);
}

/// A micro-match: the long game is drawn, so the rapid one follows at that board, with colours exchanged, and decides.
#[test]
fn second_game_of_micro_match_follows_on_same_board() {
    let mut hall = Hall::start("");
    let stages = "Round;Board;White;Black;Stage;Result\n1;1;A;B;standard;*\n1;1;B;A;rapid;*\n";
    import(&hall.place, "pairings.csv", stages).done();
    hall.done(&["round", "open", "1"]);
    hall.wait_for_pairing("1.standard {");
    hall.play(2);
    assert!(hall.live(1).contains("[White \"A\"]"), "{}", hall.live(1));
    assert!(!hall.read("log/a-1.log").contains("1.rapid"), "nothing is decided yet");
    hall.done(&["result", "a", "1-1", "--confirm"]);
    hall.wait("the board knows its second game", |hall| hall.read("log/a-1.log").contains("! pairing 1.rapid {"));
    assert_eq!(points(&hall.place).iter().map(|(_, points)| points.as_str()).collect::<Vec<_>>(), ["0", "0"]);
    hall.board.restart(&recording());
    hall.play_game(2, 2);
    assert_contains(&hall.live(2), &["[White \"B\"]", "[Black \"A\"]"]);
    hall.done(&["result", "a", "2-0", "--confirm"]);
    hall.wait("the rapid game counts", |hall| points(&hall.place)[0] == player_points("B", "8"));
    assert_eq!(points(&hall.place)[1], player_points("A", "4"));
    wait_until("both games are kept", || {
        hall.public("archive/a-1.pdn").contains("[Result \"1-1\"]")
            && hall.public("archive/a-2.pdn").contains("[Result \"2-0\"]")
    });
    hall.stop();
    hall.place.fsck().done();
}

/// The cable was out at the end: the moves come from the score sheet, are in every file except the live file, and are marked.
#[test]
fn moves_missed_by_board_are_added_and_marked() {
    let mut hall = Hall::start("");
    import(&hall.place, "pairings.csv", ROUNDS).done();
    hall.done(&["round", "open", "3"]);
    hall.play(4);
    hall.ctl(&["add-moves", "a", &hall.write_sheet("32-28")]).fails(1, "goes on");
    hall.end_game(1, "2-0");
    let ended = hall.live(1);
    let contents = livefile::LiveFileContents::parse(1, &ended).unwrap();
    let last = contents.entries.last().unwrap().kind.position_after();
    let legal = last.legal_moves();
    let first = notation::write(last.variant(), &legal[0], &legal);
    let behind = last.play(&legal[0]);
    let replies = behind.legal_moves();
    let second = notation::write(last.variant(), &replies[0], &replies);
    // Invalid input is reported with its place, and changes nothing.
    hall.ctl(&["add-moves", "a", "--game", "1", &hall.write_sheet(&format!("{first}\n{second} 1-2"))])
        .fails(1, "sheet:2:");
    let typed = hall.write_sheet(&format!("{first} {second} 2-0\n"));
    assert_contains(&hall.done(&["add-moves", "a", &typed, "--dry-run"]), &["archive", "nothing was changed"]);
    assert!(!hall.public("games.pdn").contains("{from"));
    assert_contains(
        &hall.done(&["add-moves", "a", &typed, "--reason", "the cable was out"]),
        &[&*first, "its live file stays as it is"],
    );
    let mut all = moves_of(&ended);
    all.extend([first.clone(), second.clone()]);
    let names = ["games.pdn", "round/3/games.pdn", "round/3/started.pdn", "archive/a-1.pdn"];
    for name in names {
        hall.wait_for_public(name, "{from the score sheet}");
        let text = hall.public(name);
        let shown = text.split("[Event ").find(|game| game.contains("Sijbrands")).unwrap();
        assert_eq!(moves_of(shown), all, "{name}: {text}");
        assert!(shown.contains("[Result \"2-0\"]"), "{name}: {text}");
    }
    assert_eq!(hall.live(1), ended, "the live file stays as the board recorded it");
    wait_until("the event", || events(&hall.place, "tag-correction").iter().any(|event| event["field"] == "moves"));
    let amended = events(&hall.place, "tag-correction").into_iter().find(|event| event["field"] == "moves").unwrap();
    assert!(amended["old"] == "" && amended["new"].as_str().unwrap().contains(&second), "{amended}");
    hall.assert_lasts(&[&names[..], &["events.ndjson"]].concat());
    // A sheet without a move removes them.
    hall.station = hall.place.start();
    hall.station.wait_for("operators reach this station");
    hall.done(&["add-moves", "a", &hall.write_sheet("")]);
    wait_until("they are gone", || !hall.public("archive/a-1.pdn").contains("{from"));
    hall.ctl(&["add-moves", "a", &hall.write_sheet("")]).fails(1, "has no moves");
    hall.stop();
}

/// The operator opens the round after the first move: the board reports that, and one request assigns the game to the round.
#[test]
fn game_started_before_round_is_assigned() {
    // The event is in the configuration; the file of pairings does not mention it.
    let mut hall = Hall::start("[line.tags]\nEvent = \"Open\"\n");
    hall.play(2);
    let begun = hall.live(1);
    let first = moves(&begun)[0].clone();
    import(&hall.place, "pairings.csv", "Round;Board;White;Black\n1;1;A;B\n").done();
    hall.ctl(&["round", "open", "1"]).prints("a, game 1, began before: `damcast ctl adopt a`");
    hall.wait_for_public("round/1/games.pdn", "[White \"A\"]");
    assert!(!hall.public("round/1/games.pdn").contains(&first), "the game is nobody's");
    let named = "a: its game is one of no pairing; if it is A - B of round 1: `damcast ctl adopt a`";
    wait_until("status names it", || run_ctl(&hall.place, &["status"]).done().contains(named));
    hall.done(&["adopt", "a"]);
    wait_until("status names it no more", || !run_ctl(&hall.place, &["status"]).done().contains(named));
    let is_shown = |hall: &Hall, name: &str| {
        let words = ["[White \"A\"]", "[Round \"1\"]", "[Event \"Open\"]", &first];
        words.iter().all(|word| hall.public(name).contains(word))
    };
    for name in ["round/1/games.pdn", "round/1/started.pdn", "games.pdn"] {
        wait_until(name, || is_shown(&hall, name));
    }
    hall.done(&["result", "a", "2-0", "--confirm"]);
    hall.wait("the official result", |hall| points(&hall.place)[0] == player_points("A", "2"));
    wait_until("the archive", || is_shown(&hall, "archive/a-1.pdn"));
    assert!(hall.live(1).starts_with(begun.split("\n\n").next().unwrap().split("[Result").next().unwrap()));
    let names = ["archive/a-1.pdn", "round/1/games.pdn", "events.ndjson", "games.pdn"];
    hall.assert_lasts(&names);
}

/// Stops a station of many lines at random moments, again and again. The round keeps all its pairings, on their boards.
fn stop_at_random_moments(lines: usize, stops: u64, seed: u64) {
    println!("seed {seed}: {stops} stops with {lines} lines");
    let names: Vec<String> = (1..=lines).map(|number| format!("board-{number}")).collect();
    let place = StationFolder::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let pairing = |number: usize| format!("1;{number};White {number};Black {number};*\n");
    let pairings: String = (1..=lines).map(pairing).collect();
    import(&place, "pairings.csv", &format!("Round;Board;White;Black;Result\n{pairings}")).done();
    let mut station = place.start();
    wait_until("the station", || run_ctl(&place, &["ctl", "round", "open", "1"]).code == 0);
    let players = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("[White \"") || line.starts_with("[Black \""))
            .map(str::to_owned)
            .collect()
    };
    let expected: Vec<String> = (1..=lines)
        .flat_map(|number| [format!("[White \"White {number}\"]"), format!("[Black \"Black {number}\"]")])
        .collect();
    wait_until("the round", || players(&place.public("round/1/games.pdn")) == expected);
    let record = || fs::read_to_string(place.path("recordings/log/tournament.ndjson")).unwrap();
    let before = record();
    let mut random = Random(seed);
    for stop in 0..stops {
        std::thread::sleep(Duration::from_millis(random.below(1_500) as u64));
        assert!(station.signal(Signal::TERM).success(), "stop {stop}: {}", station.output());
        assert_eq!(players(&place.public("round/1/games.pdn")), expected, "stop {stop}");
        assert_eq!(record(), before, "stop {stop}");
        station = place.start();
        station.wait_for(": recording line=");
    }
    assert!(station.signal(Signal::TERM).success());
    place.fsck().done();
}

#[test]
fn stops_move_no_pairing() {
    stop_at_random_moments(12, 4, 1);
}

#[test]
#[ignore = "five minutes: 200 stops with 40 lines"]
fn many_stops_move_no_pairing() {
    stop_at_random_moments(40, 200, env_step() as u64);
}

/// An undo sets the game of its round free; the tournament lists it until it is adopted. The round has no files until it is open.
#[test]
fn undone_round_has_free_games_and_no_files() {
    let mut hall = Hall::start("");
    import(&hall.place, "pairings.csv", ROUNDS).done();
    hall.done(&["round", "open", "3"]);
    hall.wait_for_pairing("1 {");
    hall.play(8);
    let file = hall.place.path("recordings/public/round/3/games.pdn");
    wait_until("the round's files", || file.exists());
    hall.done(&["round", "undo"]);
    wait_until("no files", || !file.exists() && !file.with_file_name("started.pdn").exists());
    let desk = DeskProcess::start(&hall.place, "");
    let keys = desk.log_in(&json!({"code": code(&hall.place, "arbiter", "R. Faber")}));
    let free = || desk.get("/api/tournament", &keys).1["free_games"].clone();
    wait_until("the free game", || free()[0]["board"] == "a");
    let game = &free()[0];
    assert_eq!((&game["game"], &game["white"]), (&json!(1), &json!("Sijbrands, Ton")), "{game}");
    hall.done(&["adopt", "a", "--game", "1", "--pairing", "3.1", "--confirm"]);
    wait_until("no game is free", || free() == json!([]));
    hall.stop();
    hall.place.fsck().done();
}
