//! `damcast tournament pair` and the desk's button: Swiss rounds paired by a real program, and by scripts that misbehave.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::daemon::StationFolder;
use crate::desk::{DeskProcess, code};
use crate::program::{Run, run, run_with_input};
use crate::random::Random;

/// Returns the path of a real pairing program; `None`, with a message, if it is not installed. `scripts/pairing-engine` fetches it.
fn real_engine() -> Option<String> {
    let usual = concat!(env!("CARGO_MANIFEST_DIR"), "/target/py4swiss-0.3.1/engine");
    let file = std::env::var("DAMCAST_PAIRING_ENGINE").unwrap_or_else(|_| usual.to_owned());
    let is_there = fs::metadata(&file).is_ok();
    if !is_there {
        println!(
            "{file} is not there (scripts/pairing-engine fetches it): Swiss rounds are NOT paired by a real program"
        );
    }
    is_there.then_some(file)
}

/// A station without boards, and the commands of its arbiter.
pub struct ArbiterHall {
    pub place: StationFolder,
}

impl ArbiterHall {
    /// Creates a station whose configuration names a pairing program.
    fn with_engine(engine: &str) -> ArbiterHall {
        let place = StationFolder::new(&[]);
        let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
        fs::write(place.path("damcast.toml"), format!("{config}[tournament]\nengine = [{engine:?}]\n")).unwrap();
        ArbiterHall { place }
    }

    pub fn with_script(script: &str) -> ArbiterHall {
        let hall = ArbiterHall::with_engine("unset");
        let file = hall.place.path("engine.sh");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let config = fs::read_to_string(hall.place.path("damcast.toml")).unwrap();
        let config = config.replace("\"unset\"", &format!("{file:?}"));
        fs::write(hall.place.path("damcast.toml"), config).unwrap();
        hall
    }

    fn tournament(&self, arguments: &[&str]) -> Run {
        run(&[&["tournament", "--config", &self.place.config()], arguments].concat())
    }

    fn ctl(&self, arguments: &[&str]) -> Run {
        run(&[&["ctl", "--config", &self.place.config()], arguments].concat())
    }

    #[track_caller]
    pub fn import(&self, name: &str, text: &str) {
        fs::write(self.place.path(name), text).unwrap();
        self.tournament(&["import", self.place.path(name).to_str().unwrap(), "--confirm"]).done();
    }

    #[track_caller]
    fn section(&self) -> Value {
        let shown: Value = serde_json::from_str(&self.tournament(&["show", "--json"]).done()).unwrap();
        shown["sections"][0].clone()
    }

    /// Enters results of the open round: stronger players win more often. Skips boards that have one.
    #[track_caller]
    fn play(&self, round: &Value, random: &mut Random) {
        let mut text = String::new();
        for pairing in round["pairings"].as_array().unwrap().iter().filter(|pairing| pairing["points"].is_null()) {
            let (white, black) = (pairing["white"].as_u64().unwrap(), pairing["black"].as_u64().unwrap());
            let bias = (black as i64 - white as i64) / 4;
            let result = match random.below(20) as i64 + bias {
                ..=6 => "0-2",
                7..=12 => "1-1",
                _ => "2-0",
            };
            let _ = writeln!(text, "{};{result}", pairing["table"]);
        }
        let config = self.place.config();
        run_with_input(&["ctl", "--config", &config, "results", "-"], text.as_bytes()).done();
    }
}

pub fn list(count: usize) -> String {
    let player = |number: usize| format!("{number};Player {number:02};{}\n", 2400 - 10 * number);
    format!("Number;Name;Rating\n{}", (1..=count).map(player).collect::<String>())
}

/// Games of each player: round, opponent, whether White, whether played.
type Games = BTreeMap<u64, Vec<(u64, u64, bool, bool)>>;

/// Checks the rules that every Swiss obeys. Returns the games, and the rounds of each player without an opponent.
#[track_caller]
fn check_swiss(section: &Value, rounds: usize) -> (Games, BTreeMap<u64, Vec<(u64, String)>>) {
    let (mut games, mut byes) = (Games::new(), BTreeMap::<u64, Vec<(u64, String)>>::new());
    let mut met = BTreeSet::new();
    assert_eq!(section["rounds"].as_array().unwrap().len(), rounds);
    for round in section["rounds"].as_array().unwrap() {
        let number = round["round"].as_u64().unwrap();
        let mut seen = BTreeSet::new();
        for pairing in round["pairings"].as_array().unwrap() {
            let [white, black] = ["white", "black"].map(|side| pairing[side].as_u64().unwrap());
            let is_played = pairing["reason"] != "forfeit";
            assert!(!is_played || met.insert((white.min(black), white.max(black))), "{white} and {black} meet twice");
            for (one, other, is_white) in [(white, black, true), (black, white, false)] {
                assert!(seen.insert(one), "{one} plays twice in round {number}");
                games.entry(one).or_default().push((number, other, is_white, is_played));
            }
        }
        for bye in round["byes"].as_array().unwrap() {
            let player = bye["player"].as_u64().unwrap();
            assert!(seen.insert(player), "{player} plays and has a bye in round {number}");
            byes.entry(player).or_default().push((number, bye["why"].as_str().unwrap().to_owned()));
        }
        assert_eq!(seen.len(), section["players"].as_array().unwrap().len(), "round {number}");
    }
    for (player, games) in &games {
        let played: Vec<bool> = games.iter().filter(|game| game.3).map(|game| game.2).collect();
        let whites = played.iter().filter(|is_white| **is_white).count() as i64;
        let difference = 2 * whites - played.len() as i64;
        assert!(difference.abs() <= 2, "{player} has White {whites} times of {}", played.len());
        // In the last round, leaders may have a colour a third time.
        let before_last = &played[..played.len().min(rounds - 1)];
        let is_third = |three: &[bool]| three[0] == three[1] && three[1] == three[2];
        assert!(!before_last.windows(3).any(is_third), "{player} has a colour three times in a row");
    }
    for (player, byes) in &byes {
        assert!(byes.iter().filter(|(_, why)| why == "bye").count() <= 1, "{player} has two byes: {byes:?}");
    }
    (games, byes)
}

#[test]
fn real_engine_pairs_nine_rounds_of_32() {
    let Some(engine) = real_engine() else { return };
    let hall = ArbiterHall::with_engine(&engine);
    let station = hall.place.start();
    station.wait_for("operators reach this station");
    hall.import("players.csv", &list(32));
    hall.tournament(&["pair", "--confirm"]).fails(1, "the number of rounds is not known");
    let seed = 20_261_125;
    println!("seed {seed}");
    let mut random = Random(seed);
    for round in 1..=9u64 {
        let choice: &[&str] = match round {
            1 => &["--rounds", "9"],
            3 => &["--absent", "Player 12"],
            4 => &["--present", "12"],
            // Withdrawn: a player who was absent stays absent.
            5 => &["--absent", "7"],
            _ => &[],
        };
        let preview = hall.tournament(&[&["pair"], choice].concat());
        assert_eq!(preview.code, 1, "{}", preview.err);
        let paired = hall.tournament(&[&["pair", "--confirm"], choice].concat()).done();
        let boards = |text: &str| text.lines().filter(|line| line.starts_with("board ")).map(str::to_owned).collect();
        let [shown, done]: [Vec<String>; 2] = [boards(&preview.out), boards(&paired)];
        assert!(shown == done && !shown.is_empty(), "{shown:?} {done:?}");
        if round < 9 {
            let missing = format!("round {} is paired once all results", round + 1);
            hall.tournament(&["pair", "--confirm"]).fails(1, &missing);
        }
        hall.ctl(&["round", "next"]).done();
        if round == 2 {
            hall.ctl(&["result", "-", "2-0", "--pairing", "2.5", "--kind", "forfeit"]).done();
        }
        let section = hall.section();
        hall.play(&section["rounds"][round as usize - 1], &mut random);
    }
    hall.tournament(&["pair", "--confirm"]).fails(1, "all 9 rounds are paired");
    let (games, byes) = check_swiss(&hall.section(), 9);
    let rounds_of = |player: u64| games[&player].iter().map(|game| game.0).collect::<Vec<_>>();
    assert_eq!(rounds_of(7), [1, 2, 3, 4], "who has withdrawn is gone");
    assert!(byes[&7].iter().all(|(_, why)| why == "absent"), "{:?}", byes[&7]);
    assert!(!rounds_of(12).contains(&3) && rounds_of(12).contains(&4), "{:?}", rounds_of(12));
    // With an odd number of players one has no opponent.
    let alone = |round: u64| byes.values().flatten().filter(|(of, why)| *of == round && why == "bye").count();
    assert_eq!((1..=9).map(alone).collect::<Vec<_>>(), [0, 0, 1, 0, 1, 1, 1, 1, 1]);
    // The pairing is undone as any other action.
    hall.ctl(&["round", "undo"]).done();
}

#[test]
fn real_engine_pairs_odd_section_with_requested_byes() {
    let Some(engine) = real_engine() else { return };
    let hall = ArbiterHall::with_engine(&engine);
    hall.import("players.csv", &list(9));
    hall.import("byes.csv", "Round;White;Black;Result;Reason\n1;Player 03;;1;half bye\n2;Player 01;;1;half bye\n");
    let mut random = Random(7);
    for round in 1..=5 {
        hall.tournament(&["pair", "--rounds", "5", "--confirm", "--first-colour", "black"]).done();
        let section = hall.section();
        let mut text = "Round;Board;White-number;Black-number;Result\n".to_owned();
        for pairing in section["rounds"][round - 1]["pairings"].as_array().unwrap() {
            let result = ["2-0", "1-1", "0-2"][random.below(3)];
            let _ = writeln!(text, "{round};{};{};{};{result}", pairing["table"], pairing["white"], pairing["black"]);
        }
        hall.import("results.csv", &text);
    }
    let (games, byes) = check_swiss(&hall.section(), 5);
    assert!(!games[&1].iter().any(|game| game.0 == 2) && !games[&3].iter().any(|game| game.0 == 1), "{games:?}");
    assert_eq!(games[&1][0], (1, games[&1][0].1, false, true), "the first player has Black, as drawn by lot");
    assert_eq!(byes.values().flatten().filter(|(_, why)| why == "bye").count(), 3, "{byes:?}");
}

#[test]
fn pairs_are_shown_first_and_failures_change_nothing() {
    let hall = ArbiterHall::with_script(r#"printf '2\n1 3\n4 2\n' >"$4""#);
    hall.import("players.csv", &list(4));
    let run = hall.tournament(&["pair", "--rounds", "3"]);
    run.fails(1, "nothing was changed; repeat with --confirm to import round 1");
    let dry = hall.tournament(&["pair", "--rounds", "3", "--dry-run"]).done();
    assert!(dry.starts_with("board 1: Player 01 - Player 03\nboard 2: Player 04 - Player 02\n"), "{dry}");
    assert_eq!(hall.section()["rounds"], json!([]));
    let failing = hall.place.path("failing.sh");
    fs::write(&failing, "echo 'no pairing is possible' >&2; exit 1").unwrap();
    let command = format!("sh {}", failing.display());
    hall.tournament(&["pair", "--rounds", "3", "--engine", &command]).fails(1, "no pairing is possible");
    hall.tournament(&["pair", "--rounds", "3", "--engine", "/nonexistent"]).fails(1, "cannot be started");
    hall.tournament(&["pair", "--rounds", "3", "--absent", "Nobody"]).fails(1, "there is no player Nobody");
    assert_eq!(hall.section()["rounds"], json!([]));
    hall.tournament(&["pair", "--rounds", "3", "--confirm"]).done();
    assert_eq!(hall.section()["rounds"][0]["pairings"][1]["white"], 4);
    let directory = hall.place.path("recordings");
    let arguments = ["tournament", "--directory", directory.to_str().unwrap(), "pair", "--rounds", "3"];
    crate::program::run(&arguments).fails(1, "no pairing program is named");
}

#[test]
fn desk_runs_engine_and_sends_ordinary_request() {
    let hall = ArbiterHall::with_script(r#"printf '2\n1 3\n4 2\n' >"$4""#);
    let station = hall.place.start();
    station.wait_for("operators reach this station");
    hall.import("players.csv", &list(5));
    let engine = hall.place.path("engine.sh");
    let desk = DeskProcess::start(&hall.place, &format!("[tournament]\nengine = [{engine:?}]\n"));
    let keys = desk.log_in(&json!({"code": code(&hall.place, "arbiter", "An Arbiter")}));
    let choices = json!({"choices": {"absent": ["Player 05"], "rounds": 3}});
    assert_eq!(desk.post("/api/pair", None, &choices).0, 401);
    let (status, paired) = desk.post("/api/pair", Some(&keys), &choices);
    assert_eq!((status, &paired["round"]), (200, &json!(1)), "{paired}");
    assert_eq!(paired["notes"], json!(["not paired in round 1: Player 05"]));
    assert_eq!(hall.section()["rounds"], json!([]), "the pairings are to be confirmed");
    let request = json!({"do": "tournament", "request": paired["request"]});
    let (_, reply) = desk.post("/api/request", Some(&keys), &request);
    assert_eq!(reply["ok"], true, "{reply}");
    assert_eq!(hall.section()["rounds"][0]["pairings"].as_array().unwrap().len(), 2);
    let (status, late) = desk.post("/api/pair", Some(&keys), &json!({"choices": {}}));
    assert!(status == 200 && late["error"].as_str().unwrap().contains("once all results are known"), "{late}");
    drop(desk);
    let without = DeskProcess::start(&hall.place, "");
    let keys = without.log_in(&json!({"code": code(&hall.place, "arbiter", "An Arbiter")}));
    let (status, answer) = without.post("/api/pair", Some(&keys), &choices);
    assert!(status == 409 && answer["error"].as_str().unwrap().contains("no pairing program"), "{answer}");
}
