//! Output that cannot be written: a full disk, a closed reader, a closed descriptor. No verb panics.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::Signal;

use crate::control::run_ctl;
use crate::daemon::{Station, StationFolder};
use crate::program::run;
use crate::pty::wait_until;

/// A verb with output; `true` if it also prints on standard output when it succeeds.
struct PrintingCommand(Vec<String>, bool);

impl PrintingCommand {
    fn verb(&self) -> &str {
        &self.0[0]
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.0).stdin(Stdio::null());
        command
    }
}

/// Runs a command that must neither panic nor be killed.
#[track_caller]
fn assert_ends_well(mut command: Command, asked: &PrintingCommand, how: &str) -> (i32, String) {
    let Output { status, stderr, .. } = command.output().unwrap();
    let text = String::from_utf8_lossy(&stderr).into_owned();
    assert!(!text.contains("panicked"), "{:?} {how}: {text}", asked.0);
    let code = status.code().unwrap_or_else(|| panic!("{:?} {how}: {status}", asked.0));
    assert_ne!(code, 101, "{:?} {how}: {text}", asked.0);
    (code, text)
}

fn full_device() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// Returns a pipe whose reading end is closed.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn each_ends_well(program: &str, all: &[PrintingCommand]) {
    for asked in all {
        let mut command = asked.command(program);
        command.stdout(full_device()).stderr(Stdio::piped());
        let (code, output) = assert_ends_well(command, asked, "into a full disk");
        // A request to a station is done, even if the answer cannot be printed.
        let expected = i32::from(asked.verb() != "ctl");
        if asked.1 {
            assert!(output.contains("standard output: No space left on device"), "{:?}: {output}", asked.0);
            assert_eq!(code, expected, "{:?}: {output}", asked.0);
        }
        let mut command = asked.command(program);
        command.stdout(closed_pipe()).stderr(Stdio::piped());
        let (code, output) = assert_ends_well(command, asked, "without a reader");
        if asked.1 && asked.verb() != "ctl" {
            assert_eq!(code, 141, "{:?}: {output}", asked.0);
            assert!(!output.contains("roken pipe"), "{:?}: {output}", asked.0);
        }
        // Endless output ends only with an error, and a board without queries does not end either.
        if asked.0.iter().any(|word| word == "--watch" || word == "play") {
            continue;
        }
        let mut command = asked.command(program);
        command.stdout(Stdio::null()).stderr(full_device());
        assert_ends_well(command, asked, "with messages that cannot be written");
        let mut command = asked.command(program);
        command.stdout(full_device()).stderr(full_device());
        assert_ends_well(command, asked, "with nothing that can be written");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec \"$0\" \"$@\" >&- 2>&-", program]).args(&asked.0).stdin(Stdio::null());
        assert_ends_well(command, asked, "with closed descriptors");
    }
}

/// Returns the verbs that `PROGRAM help` lists.
fn verbs(program: &str) -> Vec<String> {
    let help = Command::new(program).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    list.filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Runs commands, separated by `|`, that print to standard output and others; they try every verb. `@` is the folder.
fn try_each_verb(program: &str, printing: &str, silent: &str, folder: &Path) {
    let folder = folder.to_str().unwrap();
    let words = |text: &str| text.split(' ').map(|word| word.replace('@', folder)).collect();
    let printing = printing.split('|').map(|text| PrintingCommand(words(text), true));
    let all: Vec<_> = printing.chain(silent.split('|').map(|text| PrintingCommand(words(text), false))).collect();
    let is_tried = |verb: &String| all.iter().any(|asked| asked.verb() == verb);
    let missing: Vec<String> = verbs(program).into_iter().filter(|verb| !is_tried(verb)).collect();
    assert!(missing.is_empty(), "verbs that this test does not try: {missing:?}");
    each_ends_well(program, &all);
}

#[test]
fn no_verb_panics_on_closed_output() {
    let place = StationFolder::new(&["a"]);
    let mut station = place.start();
    station.wait_for("waiting for the port");
    wait_until("an answer", || run_ctl(&place, &["status"]).code == 0);
    fs::write(place.path("games.pdn"), "[GameType \"20\"]\n\n1. 32-28 19-23 2. 1-2 *\n").unwrap();
    fs::write(place.path("wrong.toml"), "[station]\ndirectroy = \"x\"\n").unwrap();
    fs::write(place.path("wrong-serve.toml"), "[serve]\naddress = 5\n").unwrap();
    fs::write(place.path("wrong-desk.toml"), "[desk]\naddress = 5\n").unwrap();
    fs::write(place.path("wrong-entry.toml"), "[entry]\naddress = 5\n").unwrap();
    fs::write(place.path("wrong-hub.toml"), "[hub]\ndirectory = 5\n").unwrap();
    fs::write(place.path("wrong-deliver.toml"), "[[deliver]]\nname = 5\n").unwrap();
    let once = "[[deliver]]\nname = \"a\"\noutlet = \"./recordings\"\ncommand = [\"cat\"]\n";
    fs::write(place.path("deliver.toml"), once).unwrap();
    fs::create_dir(place.path("wrong")).unwrap();
    fs::write(place.path("wrong/damcast.toml"), "[station]\ndirectroy = \"x\"\n").unwrap();
    let log = "tests/data/replay/standard-live-example.log";
    let config = place.path("damcast.toml");
    let folder = config.parent().unwrap();
    let printing = "help|help status|--version|ctl --config @/damcast.toml login|status --config @/damcast.toml|\
        status --json --config @/damcast.toml|status --watch --config @/damcast.toml|\
        ctl --config @/damcast.toml log-level|ctl --json --config @/damcast.toml log-level|\
        ctl --config @/damcast.toml reload|demo --boards 1 --speed 1000 --exit-when-done --dir @/demo|\
        init --force --yes --port @/no-board --config @/new.toml --directory @/r|\
        config check --config @/damcast.toml|config show --config @/damcast.toml|config schema|\
        doctor --config @/damcast.toml|doctor --json --config @/damcast.toml|test-board --seconds 1 @/no-board|\
        replay {log}|log list @/recordings|log verify {log}|fsck @/recordings|fsck --json @/recordings|\
        pages --once --config @/damcast.toml --into @/pages|rebuild @/recordings --into @/copy|doctor --spare @/copy|takeover @/copy|tournament show --directory @/recordings|perft 2|perft --divide 2|\
        moves|deliver --config @/deliver.toml --once a|check @/games.pdn|check --json @/games.pdn|convert @/games.pdn|show @/games.pdn";
    let silent = "--nonsense|run --config @/wrong.toml|run --config @/damcast.toml|serve --config @/wrong-serve.toml|\
        desk --config @/wrong-desk.toml|entry --config @/wrong-entry.toml|hub --config @/wrong-hub.toml|deliver --config @/wrong-deliver.toml|start --directory @/wrong|status --socket @/nowhere|init --config @/damcast.toml|\
        config check --config @/wrong.toml|ports|log extract @/recordings --from 00:00|log list @/nothing|line";
    try_each_verb(env!("CARGO_BIN_EXE_damcast"), &printing.replace("{log}", log), silent, folder);
    assert!(station.signal(Signal::TERM).success());
}

#[test]
fn no_boardsim_verb_panics_on_closed_output() {
    let folder = tempfile::tempdir().unwrap();
    let printing = "help|play --pdn crates/damcast-sim/src/demo.pdn --link @/p --speed 10000 --exit-when-done|\
        score --hands ideal --goals|soak --games 2";
    let silent = "serve --single 1 --ports @/ports --speed 10000 --at-once --exit-when-done --plies 4|\
        day --dir @/day --boards 1 --games 1|day --dir @/day --boards 1 --games 1 --nonsense";
    try_each_verb(env!("CARGO_BIN_EXE_boardsim"), printing, silent, folder.path());
}

/// The messages of a station go to a full disk: it still records, and ends in good order.
#[test]
fn station_records_despite_unwritable_messages() {
    let place = StationFolder::new(&["a"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
    command.args(["run", "--config", &place.config()]).stdout(full_device()).stderr(full_device());
    let mut station = Station::silent(command);
    wait_until("an answer", || run_ctl(&place, &["status"]).code == 0);
    let mut pty = crate::pty::Pty::plug_in(&place.path("a"));
    let mut board = crate::pty::Board::new(&crate::daemon::recording(), crate::daemon::SPEED);
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || crate::daemon::moves(&place.live("a-1.pdn")).len() >= 2);
    assert_eq!(crate::daemon::moves(&place.live("a-1.pdn"))[..2], crate::daemon::truth()[..2]);
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(run(&["fsck", place.path("recordings").to_str().unwrap()]).code, 0);
}
