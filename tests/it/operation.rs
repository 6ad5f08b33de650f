//! A station as a service: its messages to the service manager, and its alarms.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::control::{run_ctl, status};
use crate::daemon::{SPEED, Station, StationFolder, bytes_from_board, moves, recording, truth};
use crate::hall::Hall;
use crate::program::{assert_contains, preload};
use crate::pty::{Board, Pty, wait_until};

/// A service manager that receives the notifications.
struct Manager {
    socket: UnixDatagram,
    received: Vec<String>,
}

impl Manager {
    /// Starts a station with this manager and a watchdog time.
    fn start(place: &StationFolder, watchdog: Duration) -> (Manager, Station) {
        Manager::start_with(place, watchdog, |_| {})
    }

    fn start_with(place: &StationFolder, watchdog: Duration, change: impl FnOnce(&mut Command)) -> (Manager, Station) {
        let path = place.path("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_nonblocking(true).unwrap();
        let station = place.start_with(|command| {
            command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", watchdog.as_micros().to_string());
            change(command);
        });
        (Manager { socket, received: Vec::new() }, station)
    }

    /// Reads all available notifications. Returns their number.
    fn listen(&mut self) -> usize {
        let mut message = [0; 4096];
        while let Ok(count) = self.socket.recv(&mut message) {
            let text = String::from_utf8(message[..count].to_vec()).unwrap();
            self.received.extend(text.lines().map(str::to_owned));
        }
        self.received.len()
    }

    #[track_caller]
    fn wait_for(&mut self, words: &str) {
        wait_until(&format!("{words:?}; heard: {:?}", self.received), || {
            self.listen();
            self.received.iter().any(|line| line.contains(words))
        });
    }

    /// Returns the number of watchdog notifications within a span.
    fn watchdog_count(&mut self, span: Duration) -> usize {
        self.listen();
        self.received.clear();
        // Not a wait for a condition: the span of the count.
        std::thread::sleep(span);
        self.listen();
        self.received.iter().filter(|line| *line == "WATCHDOG=1").count()
    }
}

#[test]
fn notifies_service_manager_of_state() {
    let place = StationFolder::new(&["a", "b"]);
    let (mut manager, mut station) = Manager::start(&place, Duration::from_secs(2));
    manager.wait_for("READY=1");
    manager.wait_for("STATUS=2 boards: 2 no-connection; 0 plies");
    manager.wait_for("WATCHDOG=1");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    manager.wait_for("1 no-connection; 2 plies");
    manager.received.clear();
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).code, 0);
    manager.wait_for("RELOADING=1");
    manager.wait_for("MONOTONIC_USEC=");
    manager.wait_for("READY=1");
    assert!(station.signal(Signal::TERM).success());
    manager.wait_for("STOPPING=1");
}

#[test]
fn stopped_process_does_not_feed_watchdog() {
    let place = StationFolder::new(&["a"]);
    let (mut manager, station) = Manager::start(&place, Duration::from_secs(1));
    manager.wait_for("WATCHDOG=1");
    assert!(manager.watchdog_count(Duration::from_secs(2)) >= 2);
    kill_process(Pid::from_child(&station.process), Signal::STOP).unwrap();
    manager.listen();
    assert_eq!(manager.watchdog_count(Duration::from_secs(2)), 0);
    kill_process(Pid::from_child(&station.process), Signal::CONT).unwrap();
    manager.wait_for("WATCHDOG=1");
}

/// The disk of one line stops answering: opening its next log does not return.
#[test]
fn one_hanging_line_triggers_watchdog() {
    let Some(library) = preload("hang") else {
        println!("no C compiler: a line that hangs is NOT tried");
        return;
    };
    let place = StationFolder::new(&["a", "b"]);
    let (mut manager, mut station) = Manager::start_with(&place, Duration::from_secs(1), |command| {
        command.env("LD_PRELOAD", library).env("DAMCAST_HANGS", "log/a-7.log");
    });
    manager.wait_for("WATCHDOG=1");
    let log = place.path("recordings/log/a-7.log");
    fs::write(&log, "").unwrap();
    // Other settings make the line open anew and read its logs.
    place.configure(&["a", "b"], 2.0 * SPEED, "");
    assert_eq!(run_ctl(&place, &["ctl", "reload"]).code, 0);
    station.wait_for("no progress for seconds: line a;");
    manager.listen();
    assert_eq!(manager.watchdog_count(Duration::from_secs(2)), 0, "the others go on, and that is not enough");
    // The other lines go on, and operators get answers; a request to the hanging line reports that it hangs.
    let mut pty = Pty::plug_in(&place.path("b"));
    pty.wait_for_the_station();
    assert_eq!(status(&place)["lines"][1]["link"], "open");
    // A manager would kill the station here; the disk answers again, and the station goes on.
    fs::remove_file(&log).unwrap();
    manager.wait_for("WATCHDOG=1");
    assert!(station.signal(Signal::TERM).success());
}

/// No write and no sync returns, longer than a watchdog period: operators get answers, the service manager does not end the station, and
/// what the boards said meanwhile is published afterwards.
#[test]
fn disk_that_stalls_loses_nothing() {
    let Some(library) = preload("hang") else {
        println!("no C compiler: a disk that stalls is NOT tried");
        return;
    };
    const SPEED: f64 = 10.0;
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let place = StationFolder::new(&NAMES);
    place.configure(&NAMES, SPEED, "");
    let stalls = place.path("stalls");
    let (mut manager, mut station) = Manager::start_with(&place, Duration::from_secs(4), |command| {
        command.env("LD_PRELOAD", library).env("DAMCAST_STALLS", &stalls);
    });
    let mut boards = NAMES.map(|name| {
        let mut pty = Pty::plug_in(&place.path(name));
        pty.wait_for_the_station();
        (pty, Board::new(&recording(), SPEED))
    });
    let mut play_until = |condition: &str, is_so: &mut dyn FnMut() -> bool| -> [Vec<u8>; 4] {
        wait_until(condition, || {
            boards.iter_mut().for_each(|(pty, board)| board.run(pty));
            is_so()
        });
        std::array::from_fn(|index| boards[index].1.sent.clone())
    };
    let published = |name: &str| moves(&place.live(&format!("{name}-1.pdn")));
    play_until("moves", &mut || NAMES.iter().all(|name| !published(name).is_empty()));
    fs::write(&stalls, "").unwrap();
    let sent = play_until("an alarm, and boards that go on", &mut || {
        let seen = status(&place);
        let is_of_writer = |alarm: &serde_json::Value| {
            alarm["text"].as_str().unwrap().starts_with("the thread that writes the logs has not gone on for")
        };
        seen["alarms"].as_array().unwrap().iter().any(is_of_writer)
            && seen["boards"].as_array().unwrap().iter().all(|board| board["plies"].as_u64().unwrap() >= 4)
    });
    assert!(manager.watchdog_count(Duration::from_secs(2)) > 0, "{:?}", manager.received);
    assert!(NAMES.iter().all(|name| published(name).len() < 4), "nothing is written");
    fs::remove_file(&stalls).unwrap();
    play_until("the moves of the stall, and more", &mut || NAMES.iter().all(|name| published(name).len() >= 5));
    assert!(station.signal(Signal::TERM).success());
    for (name, sent) in NAMES.iter().zip(sent) {
        let log = bytes_from_board(&place.log(&format!("{name}-1.log")));
        assert!(log.starts_with(&sent), "{name}");
        assert!(truth().starts_with(&published(name)), "{name}: {:?}", published(name));
    }
}

/// The station was killed again and again before its public files were written: boards are recorded first.
#[test]
fn unfinished_starts_delay_public_files_only() {
    let place = StationFolder::new(&["a"]);
    let count = place.path("recordings/unfinished-starts");
    fs::create_dir_all(place.path("recordings")).unwrap();
    fs::write(&count, "9\n").unwrap();
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut station = place.start();
    pty.wait_for_the_station();
    let mut board = Board::new(&recording(), SPEED);
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 2);
    wait_until("the alarm", || status(&place)["alarms"][0]["text"].is_string());
    let alarm = status(&place)["alarms"][0].clone();
    assert_contains(alarm["text"].as_str().unwrap(), &["the last 9 starts ended before", "boards are recorded"]);
    assert!(!place.path("recordings/public/games.pdn").exists());
    assert_eq!(fs::read_to_string(&count).unwrap(), "10\n");
    assert!(station.signal(Signal::TERM).success());
    assert!(!count.exists(), "a station that is stopped was not killed");
    let mut station = place.start();
    let public = || fs::read_to_string(place.path("recordings/public/games.pdn")).unwrap_or_default();
    wait_until("the public files", || public().contains("32-28") && !count.exists());
    assert!(station.signal(Signal::TERM).success());
}

#[test]
fn alert_command_runs_at_start_and_end_of_problem() {
    let place = StationFolder::new(&["a"]);
    // At normal speed: a busy machine answers in time.
    place.configure(&["a"], 1.0, "");
    let heard = place.path("alarms");
    let command = format!("cat >> {}; sleep 100", heard.display());
    let limits = "silent = 1\ntime-limit = 1\ndisk-low = 0";
    place.prepend_config(&format!("[alarm]\n{limits}\ncommand = [\"/bin/sh\", \"-c\", {command:?}]\n"));
    let station = place.start();
    let received = || fs::read_to_string(&heard).unwrap_or_default();
    wait_until("the alarm", || received().lines().count() == 1);
    station.wait_for("it took longer than 1 s and was killed");
    assert!(run_ctl(&place, &["status"]).out.contains("ALARM a: silent since"));
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), 1.0);
    pty.wait_for_the_station();
    wait_until("the end of the alarm", || {
        board.answer(&mut pty);
        received().lines().count() >= 2
    });
    // The command hangs again, and the board is still recorded.
    let heard_before = bytes_from_board(&place.log("a-1.log")).len();
    pty.send(&[0x93, 0x00, 0x05, 0x01, 0x0b]);
    wait_until("a record", || bytes_from_board(&place.log("a-1.log")).len() > heard_before);
    let events: Vec<serde_json::Value> = received().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words = |event: &serde_json::Value| {
        [&event["event"], &event["kind"], &event["board"]].map(|word| word.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(words(&events[0]), ["raised", "silent", "a"]);
    assert_eq!(words(&events[1]), ["over", "silent", "a"]);
    assert!(events[0]["text"].as_str().unwrap().contains("there is no such port"), "{}", events[0]);
}

#[test]
fn raises_file_limit_to_need_of_boards() {
    let place = StationFolder::new(&["a"]);
    for (limit, words) in [("-Sn", None), ("-n", Some("LimitNOFILE=164"))] {
        let mut command = std::process::Command::new("/bin/sh");
        let script = format!("ulimit {limit} 60 && exec \"$0\" run --config \"$1\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_damcast"), &place.config()]);
        let station = Station::spawn(command);
        station.wait_for("waiting for the port");
        let limits = fs::read_to_string(format!("/proc/{}/limits", station.process.id())).unwrap();
        let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let soft: u64 = files.split_whitespace().nth(3).unwrap().parse().unwrap();
        match words {
            None => assert!(soft >= 164, "{files}"),
            Some(words) => station.wait_for(words),
        }
    }
}

#[test]
fn alert_command_can_be_tested() {
    let place = StationFolder::new(&["a"]);
    let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
    let station = place.start();
    station.wait_for("waiting for the port");
    run_ctl(&place, &["ctl", "alarm-test"]).fails(1, "no alarm command is configured");
    let heard = place.path("heard");
    for (script, code, message) in [
        (format!("cat > {}", heard.display()), 0, "was run and ended well"),
        ("exit 3".to_owned(), 1, "it ended with exit status: 3"),
    ] {
        let alarm = format!("[alarm]\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n");
        fs::write(place.path("damcast.toml"), alarm + &config).unwrap();
        assert_eq!(run_ctl(&place, &["ctl", "reload"]).code, 0);
        let tried = run_ctl(&place, &["ctl", "alarm-test"]);
        assert!(tried.code == code && (tried.out + &tried.err).contains(message), "{script}");
    }
    let event: serde_json::Value = serde_json::from_str(&fs::read_to_string(&heard).unwrap()).unwrap();
    assert_eq!((&event["event"], &event["kind"]), (&"test".into(), &"test".into()));
    station.wait_for("alarm-test");
}

#[test]
fn ready_board_is_no_warning() {
    let mut hall = Hall::start("");
    hall.wait("the start position", |hall| hall.station.output().contains("is set up: ready"));
    let text = hall.station.output();
    assert_contains(text.lines().find(|line| line.contains("is set up: ready")).unwrap(), &[" INFO "]);
}

/// The disk refuses all writes and the station is stopped: it reports the lost bytes and ends with an error.
#[test]
fn bytes_refused_by_full_disk_are_reported_at_end() {
    use rustix::process::{Resource, Rlimit, prlimit};
    let place = StationFolder::new(&["a"]);
    let config = place.path("damcast.toml");
    let mut command = std::process::Command::new("/bin/sh");
    // The system kills a process at the file size limit unless it ignores the signal.
    command.args(["-c", "trap '' XFSZ; exec \"$0\" run --config \"$1\"", env!("CARGO_BIN_EXE_damcast")]);
    command.arg(&config).env_remove("NOTIFY_SOCKET").env_remove("RUNTIME_DIRECTORY");
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut station = Station::spawn(command);
    pty.wait_for_the_station();
    pty.send(&[0x93, 0x00, 0x05, 0x01, 0x0b]);
    wait_until("a record", || !bytes_from_board(&place.log("a-1.log")).is_empty());
    let nothing = Rlimit { current: Some(0), maximum: Some(0) };
    prlimit(Some(Pid::from_child(&station.process)), Resource::Fsize, nothing).unwrap();
    pty.send(&[0x93, 0x00, 0x05, 0x02, 0x0c]);
    station.wait_for("the log cannot be written");
    let ended = station.signal(Signal::TERM);
    assert_eq!(ended.code(), Some(1));
    station.wait_for("the disk did not take all that was recorded; lost: the last ");
    assert_contains(&station.output(), &[" bytes of a-1.log, recorded in "]);
}
