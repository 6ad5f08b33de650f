//! A configuration that is read again during games: no game loses anything, and a mistake changes nothing.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::control::{run_ctl, status};
use crate::daemon::{SPEED, StationFolder, moves, recording, truth};
use crate::hall::Hall;
use crate::program::assert_contains;
use crate::pty::{Board, Pty, wait_until};

/// Writes a configuration with these lines; `tag`: White's name.
fn write(place: &StationFolder, lines: &[&str], tag: &str) {
    place.configure(lines, SPEED, &format!("[line.tags]\nWhite = {tag:?}\n"));
}

#[test]
fn twenty_reloads_during_eight_games_lose_nothing() {
    const BOARDS: usize = 8;
    const RELOADS: usize = 20;
    let names: Vec<String> = (0..BOARDS).map(|board| format!("b{board}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = StationFolder::new(&all);
    write(&place, &all, "White 0");
    let mut ptys: Vec<Pty> = all.iter().map(|name| Pty::plug_in(&place.path(name))).collect();
    let mut boards: Vec<Board> = all.iter().map(|_| Board::new(&recording(), SPEED)).collect();
    let mut station = place.start();
    ptys.iter_mut().for_each(Pty::wait_for_the_station);
    let plies = |name: &str| moves(&place.live(&format!("{name}-1.pdn"))).len();
    let mut play = |enough: &dyn Fn() -> bool| {
        let start = std::time::Instant::now();
        while !enough() {
            assert!(start.elapsed() < crate::pty::TIMEOUT * 4, "the games do not go on");
            for (pty, board) in ptys.iter_mut().zip(&mut boards) {
                board.run(pty);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    };
    play(&|| all.iter().all(|name| plies(name) >= 1));
    for reload in 1..=RELOADS {
        // Other names each time; every fourth time a line comes or goes; every fifth time the file has a mistake.
        let lines = if reload % 4 == 0 { [&all[..], &["more"]].concat() } else { all.clone() };
        write(&place, &lines, &format!("White {reload}"));
        if reload % 5 == 0 {
            fs::write(place.path("damcast.toml"), "[station]\ndirectory = 5\n").unwrap();
        }
        let done = if reload % 2 == 0 {
            let before = station.output().matches("SIGHUP: reload").count();
            kill_process(Pid::from_child(&station.process), Signal::HUP).unwrap();
            play(&|| station.output().matches("SIGHUP: reload").count() > before);
            true
        } else {
            let mut asked = std::process::Command::new(env!("CARGO_BIN_EXE_damcast"))
                .args(["ctl", "reload", "--socket"])
                .arg(place.path("recordings/control.sock"))
                .stderr(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let ended = std::cell::RefCell::new(None);
            let asked = std::cell::RefCell::new(&mut asked);
            play(&|| {
                let status = asked.borrow_mut().try_wait().unwrap();
                *ended.borrow_mut() = status;
                status.is_some()
            });
            ended.borrow().unwrap().success()
        };
        assert_eq!(done, reload % 2 == 0 || reload % 5 != 0, "reload {reload}: {}", station.output());
        let least = 1 + reload;
        play(&|| all.iter().all(|name| plies(name) >= least));
    }
    assert!(station.signal(Signal::TERM).success());
    for name in &all {
        let live = place.live(&format!("{name}-1.pdn"));
        let played = moves(&live);
        assert_eq!(played, truth()[..played.len()], "{name}: {live}");
        assert!(!live.contains("/FEN") && live.contains("[White \"White 0\"]"), "{name}: {live}");
        assert_eq!(place.replay(&[&format!("{name}-1.log")]), live, "{name}");
        assert!(!place.path(&format!("recordings/log/{name}-2.log")).exists(), "{name} was never interrupted");
    }
}

#[test]
fn wrong_configuration_keeps_old_one_and_reports_mistake() {
    let place = StationFolder::new(&["a"]);
    let station = place.start();
    station.wait_for("waiting for the port");
    fs::write(place.path("damcast.toml"), "[station]\ndirectory = \"x\"\nspeed = 3\n").unwrap();
    run_ctl(&place, &["ctl", "reload"]).fails(1, "damcast.toml:3:1: unknown key `speed`");
    station.wait_for("the new configuration is wrong, the old one stays");
    let seen = status(&place);
    assert_eq!((seen["reload"]["ok"].as_bool(), seen["boards"][0]["name"].as_str()), (Some(false), Some("a")));
    assert!(run_ctl(&place, &["status"]).out.contains("is wrong, the old one counts"));
    // Corrected, with another folder, which needs a restart.
    place.configure(&["a", "b"], SPEED, "");
    let mended = fs::read_to_string(place.path("damcast.toml")).unwrap().replace("recordings\"", "elsewhere\"");
    fs::write(place.path("damcast.toml"), mended).unwrap();
    assert_contains(&run_ctl(&place, &["ctl", "reload"]).done(), &["directory`: needs a restart", "b: a new line"]);
    wait_until("the new line", || place.path("recordings/log/b-1.log").exists());
    assert!(!place.path("elsewhere").exists());
    // Reading it again changes nothing except for the settings that need a restart; a removed line ends.
    place.configure(&["b"], SPEED, "");
    let output = run_ctl(&place, &["ctl", "reload"]);
    assert!(output.out.contains("a: ends"), "{}", output.out);
    wait_until("the end of the line", || status(&place)["boards"].as_array().unwrap().len() == 1);
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).out, "nothing has changed\n");
}

#[test]
fn removed_line_finishes_game_and_new_settings_follow() {
    let place = StationFolder::new(&["a", "b"]);
    write(&place, &["a", "b"], "Old");
    let mut ptys = [Pty::plug_in(&place.path("a")), Pty::plug_in(&place.path("b"))];
    let mut boards = [Board::new(&recording(), SPEED), Board::new(&recording(), SPEED)];
    let mut station = place.start();
    ptys.iter_mut().for_each(Pty::wait_for_the_station);
    for (name, (pty, board)) in ["a", "b"].iter().zip(ptys.iter_mut().zip(&mut boards)) {
        board.play(pty, 400_000, || moves(&place.live(&format!("{name}-1.pdn"))).len() >= 2);
    }
    write(&place, &["a"], "New");
    let output = run_ctl(&place, &["ctl", "reload"]);
    assert!(output.out.contains("a: new settings, from its next game on"), "{}", output.out);
    assert!(output.out.contains("b: ends when its game is over"), "{}", output.out);
    assert!(run_ctl(&place, &["status"]).out.contains("b: ends when its game is over"));
    for name in ["a", "b"] {
        assert_eq!(run_ctl(&place, &["ctl", "result", name, "1-1", "--confirm"]).code, 0);
    }
    wait_until("both games are over", || {
        for (pty, board) in ptys.iter_mut().zip(&mut boards) {
            board.answer(pty);
        }
        ["a", "b"].iter().all(|name| place.live(&format!("{name}-1.pdn")).ends_with("*\n"))
    });
    wait_until("the next chain of a", || place.path("recordings/log/a-2.log").exists());
    wait_until("the end of b", || status(&place)["boards"].as_array().unwrap().len() == 1);
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(place.log("a-2.log").header.tags, [("White".to_owned(), "New".to_owned())]);
    assert!(!place.path("recordings/log/b-2.log").exists());
}

/// An operator's names for a future game hold until the configuration itself changes them.
#[test]
fn operator_names_survive_reload() {
    for (white, expected) in [("Old", "Sijbrands, T."), ("New", "New")] {
        let mut hall = Hall::start("[line.tags]\nWhite = \"Old\"\n");
        hall.done(&["set-players", "a", "Sijbrands, T.", "Wiersma, H."]);
        hall.place.configure(&["a"], SPEED, &format!("[line.tags]\nWhite = {white:?}\nRound = 3\n"));
        assert!(hall.ctl(&["reload"]).out.contains("a: new settings"));
        wait_until("the next chain", || hall.file("log/a-2.log").exists());
        hall.play(2);
        hall.stop();
        let live = hall.live(1);
        assert_contains(&live, &[&format!("[White {expected:?}]"), "[Round \"3\"]"]);
        assert_eq!(hall.place.replay(&["a-1.log", "a-2.log"]), live);
    }
}

#[test]
fn delay_added_by_reload_hides_undelayed_files() {
    use std::os::unix::fs::PermissionsExt;
    let place = StationFolder::new(&["a"]);
    let folders = ["recordings/log", "recordings/live"].map(|name| place.path(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    folders.iter().for_each(|folder| fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap());
    let modes = || folders.clone().map(|folder| fs::metadata(folder).unwrap().permissions().mode() & 0o777);
    let station = place.start();
    station.wait_for("waiting for the port");
    assert_eq!(modes(), [0o755; 2]);
    place.configure(&["a"], SPEED, "[public]\ndelay-plies = 1\n");
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).done(), "outlet public: new settings\n");
    assert_eq!(modes(), [0o750; 2]);
}

/// A game has its pairing before its first move, and later names of the next round never reach it: not its live file, not the public files,
/// not after a restart, and not after a rebuild.
#[test]
fn names_of_next_round_reach_no_current_game() {
    let mut hall = Hall::start("[line.tags]\nWhite = \"Nobody\"\n");
    let given = hall.done(&["pairing", "a", "3.1", "White=Sijbrands, \"Ton\"", "Black=Wiersma, H.", "Round=3"]);
    assert_eq!(given, "this game is pairing 3.1: Sijbrands, \"Ton\" - Wiersma, H.\n");
    hall.play(2);
    let given = hall.done(&["pairing", "a", "4.1", "White=Gantwarg, A.", "Black=Clerc, R.", "Round=4"]);
    assert_eq!(given, "the next game is pairing 4.1: Gantwarg, A. - Clerc, R.\n");
    write(&hall.place, &["a"], "Somebody");
    hall.done(&["reload"]);
    let of_round_three = |text: &str| {
        let words = ["[White \"Sijbrands, \\\"Ton\\\"\"]", "[Round \"3\"]"];
        words.iter().all(|word| text.contains(word)) && !text.contains("Gantwarg")
    };
    let shown = moves(&hall.live(1)).len();
    hall.play(shown + 2);
    for name in ["games.pdn", "started.pdn"] {
        let last = moves(&hall.live(1))[shown + 1].clone();
        wait_until("a move after the reload", || hall.public(name).contains(&format!("{last} {{")));
        assert!(of_round_three(&hall.public(name)), "{name}: {}", hall.public(name));
    }
    hall.done(&["result", "a", "1-1", "--confirm"]);
    hall.wait("the game is over", |hall| hall.live(1).ends_with("*\n"));
    wait_until("the archive", || hall.public("archive/a-1.pdn").contains("1-1"));
    wait_until("the next chain", || hall.file("log/a-2.log").exists());
    let before = hall.public("archive/a-1.pdn");
    assert!(of_round_three(&before) && of_round_three(&hall.live(1)), "{before}");
    let events = hall.public("events.ndjson");
    let opened = events.lines().find(|line| line.contains("\"type\":\"game\"")).unwrap();
    assert_contains(opened, &["\"pairing\":\"3.1\"", "Sijbrands"]);
    // The next game plays the pairing that was set for it.
    let next = "! pairing 4.1 {[White \"Gantwarg, A.\"]";
    wait_until("the next pairing", || hall.read("log/a-2.log").contains(next));
    hall.stop();
    hall.start_again();
    hall.stop();
    assert_eq!(hall.public("archive/a-1.pdn"), before);
    hall.place.fsck().done();
    let events = hall.public("events.ndjson");
    hall.place.rebuild_public();
    assert_eq!(hall.public("archive/a-1.pdn"), before);
    assert_eq!(hall.public("events.ndjson"), events);
}

/// Without a tournament: a reload applies to future games. A game keeps the names with which it began.
#[test]
fn names_read_during_game_apply_to_next() {
    let mut hall = Hall::start("[line.tags]\nWhite = \"Sijbrands, Ton\"\n");
    hall.play(2);
    write(&hall.place, &["a"], "Gantwarg, A.");
    hall.done(&["reload"]);
    let shown = moves(&hall.live(1)).len();
    hall.play(shown + 2);
    let last = moves(&hall.live(1))[shown + 1].clone();
    wait_until("a move after the reload", || hall.public("games.pdn").contains(&last));
    assert!(hall.public("games.pdn").contains("[White \"Sijbrands, Ton\"]"), "{}", hall.public("games.pdn"));
    hall.done(&["result", "a", "1-1", "--confirm"]);
    hall.wait("the archive", |hall| hall.public("archive/a-1.pdn").contains("1-1"));
    let before = hall.public("archive/a-1.pdn");
    assert!(before.contains("[White \"Sijbrands, Ton\"]"), "{before}");
    hall.stop();
    hall.place.rebuild_public();
    assert_eq!(hall.public("archive/a-1.pdn"), before);
}
