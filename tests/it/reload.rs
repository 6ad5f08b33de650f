//! A configuration that is read again during games: no game loses anything, and a mistake changes nothing.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::control::{run_ctl, status};
use crate::daemon::{SPEED, StationFolder, moves, recording, truth};
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
        let file = place.path("damcast.toml");
        assert!(file.exists());
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
    let refused = run_ctl(&place, &["ctl", "reload"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("damcast.toml:3:1: unknown key `speed`"), "{}", refused.err);
    station.wait_for("the new configuration is wrong, the old one stays");
    let seen = status(&place);
    assert_eq!((seen["reload"]["ok"].as_bool(), seen["boards"][0]["name"].as_str()), (Some(false), Some("a")));
    assert!(run_ctl(&place, &["status"]).out.contains("is wrong, the old one counts"));
    // Corrected, with another folder, which needs a restart.
    place.configure(&["a", "b"], SPEED, "");
    let mended = fs::read_to_string(place.path("damcast.toml")).unwrap().replace("recordings\"", "elsewhere\"");
    fs::write(place.path("damcast.toml"), mended).unwrap();
    let output = run_ctl(&place, &["ctl", "reload"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(
        output.out.contains("directory`: needs a restart") && output.out.contains("b: a new line"),
        "{}",
        output.out
    );
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
        let place = StationFolder::new(&["a"]);
        write(&place, &["a"], "Old");
        let mut pty = Pty::plug_in(&place.path("a"));
        let mut board = Board::new(&recording(), SPEED);
        let mut station = place.start();
        pty.wait_for_the_station();
        assert_eq!(run_ctl(&place, &["ctl", "set-players", "a", "Sijbrands, T.", "Wiersma, H."]).code, 0);
        place.configure(&["a"], SPEED, &format!("[line.tags]\nWhite = {white:?}\nRound = 3\n"));
        assert!(run_ctl(&place, &["ctl", "reload"]).out.contains("a: new settings"));
        wait_until("the next chain", || place.path("recordings/log/a-2.log").exists());
        board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
        assert!(station.signal(Signal::TERM).success());
        let live = place.live("a-1.pdn");
        assert!(live.contains(&format!("[White {expected:?}]")) && live.contains("[Round \"3\"]"), "{live}");
        assert_eq!(place.replay(&["a-1.log", "a-2.log"]), live);
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
    let output = run_ctl(&place, &["ctl", "reload"]);
    assert_eq!((output.code, output.out.as_str()), (0, "outlet public: new settings\n"), "{}", output.err);
    assert_eq!(modes(), [0o750; 2]);
}

/// A game has its pairing before its first move, and later names of the next round never reach it: not its live file, not the public files,
/// not after a restart, and not after a rebuild.
#[test]
fn names_of_next_round_reach_no_current_game() {
    let place = StationFolder::new(&["a"]);
    write(&place, &["a"], "Nobody");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    let pair = |id: &str, white: &str, black: &str| {
        let tags = [format!("White={white}"), format!("Black={black}"), format!("Round={}", &id[..1])];
        run_ctl(&place, &["ctl", "pairing", "a", id, &tags[0], &tags[1], &tags[2]])
    };
    let given = pair("3.1", "Sijbrands, \"Ton\"", "Wiersma, H.");
    assert_eq!((given.code, given.out.as_str()), (0, "this game is pairing 3.1: Sijbrands, \"Ton\" - Wiersma, H.\n"));
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    let given = pair("4.1", "Gantwarg, A.", "Clerc, R.");
    assert_eq!(given.out, "the next game is pairing 4.1: Gantwarg, A. - Clerc, R.\n");
    write(&place, &["a"], "Somebody");
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).code, 0);
    let public = |name: &str| fs::read_to_string(place.path("recordings/public").join(name)).unwrap_or_default();
    let of_round_three = |text: &str| {
        text.contains("[White \"Sijbrands, \\\"Ton\\\"\"]")
            && text.contains("[Round \"3\"]")
            && !text.contains("Gantwarg")
    };
    let shown = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= shown + 2);
    for name in ["games.pdn", "started.pdn"] {
        let last = moves(&place.live("a-1.pdn"))[shown + 1].clone();
        wait_until("a move after the reload", || public(name).contains(&format!("{last} {{")));
        assert!(of_round_three(&public(name)), "{name}: {}", public(name));
    }
    assert_eq!(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]).code, 0);
    wait_until("the game is over", || {
        board.answer(&mut pty);
        place.live("a-1.pdn").ends_with("*\n")
    });
    wait_until("the archive", || public("archive/a-1.pdn").contains("1-1"));
    wait_until("the next chain", || place.path("recordings/log/a-2.log").exists());
    let before = public("archive/a-1.pdn");
    assert!(of_round_three(&before) && of_round_three(&place.live("a-1.pdn")), "{before}");
    let opened = public("events.ndjson").lines().next().unwrap().to_owned();
    assert!(opened.contains("\"pairing\":\"3.1\"") && opened.contains("Sijbrands"), "{opened}");
    // The next game plays the pairing that was set for it.
    let next = fs::read_to_string(place.path("recordings/log/a-2.log")).unwrap();
    assert!(next.contains("! pairing 4.1 {[White \"Gantwarg, A.\"]"), "{next}");
    assert!(station.signal(Signal::TERM).success());
    let mut station = place.start();
    pty.wait_for_the_station();
    station.wait_for("recording");
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(public("archive/a-1.pdn"), before);
    let directory = place.path("recordings").display().to_string();
    let fsck = crate::program::run(&["fsck", &directory]);
    assert_eq!(fsck.code, 0, "{}{}", fsck.out, fsck.err);
    let events = public("events.ndjson");
    fs::remove_dir_all(place.path("recordings/public")).unwrap();
    let rebuilt = crate::program::run(&["rebuild", &directory]);
    assert_eq!(rebuilt.code, 0, "{}{}", rebuilt.out, rebuilt.err);
    assert_eq!(public("archive/a-1.pdn"), before);
    assert_eq!(public("events.ndjson"), events);
}

/// Without a tournament: a reload applies to future games. A game keeps the names with which it began.
#[test]
fn names_read_during_game_apply_to_next() {
    let place = StationFolder::new(&["a"]);
    write(&place, &["a"], "Sijbrands, Ton");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let mut station = place.start();
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    write(&place, &["a"], "Gantwarg, A.");
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).code, 0);
    let public = |name: &str| fs::read_to_string(place.path("recordings/public").join(name)).unwrap_or_default();
    let shown = moves(&place.live("a-1.pdn")).len();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= shown + 2);
    let last = moves(&place.live("a-1.pdn"))[shown + 1].clone();
    wait_until("a move after the reload", || public("games.pdn").contains(&last));
    assert!(public("games.pdn").contains("[White \"Sijbrands, Ton\"]"), "{}", public("games.pdn"));
    assert_eq!(run_ctl(&place, &["ctl", "result", "a", "1-1", "--confirm"]).code, 0);
    wait_until("the archive", || {
        board.answer(&mut pty);
        public("archive/a-1.pdn").contains("1-1")
    });
    let before = public("archive/a-1.pdn");
    assert!(before.contains("[White \"Sijbrands, Ton\"]"), "{before}");
    assert!(station.signal(Signal::TERM).success());
    let directory = place.path("recordings").display().to_string();
    fs::remove_dir_all(place.path("recordings/public")).unwrap();
    let rebuilt = crate::program::run(&["rebuild", &directory]);
    assert_eq!(rebuilt.code, 0, "{}{}", rebuilt.out, rebuilt.err);
    assert_eq!(public("archive/a-1.pdn"), before);
}
