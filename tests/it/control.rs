//! An operator's control of a running station: the control socket, `damcast status` and `damcast ctl`, with real processes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use damcast::engine::bytelog::RecordKind;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::daemon::{StationFolder, kinds, moves};
use crate::hall::Hall;
use crate::program::{Run, assert_contains, run};
use crate::pty::{Board, Pty, wait_until};

/// Runs `damcast` against the station of a folder.
pub fn run_ctl(place: &StationFolder, arguments: &[&str]) -> Run {
    let socket = place.path("recordings/control.sock");
    run(&[&arguments[..1], &["--socket", socket.to_str().unwrap()], &arguments[1..]].concat())
}

pub fn status(place: &StationFolder) -> Value {
    let answer = run_ctl(place, &["status", "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap()
}

/// Returns the metrics of the station of a folder in the text format of Prometheus, and its alarms.
pub fn metrics(folder: &Path) -> (String, Vec<String>) {
    let mut client = Client(BufReader::new(UnixStream::connect(folder.join("control.sock")).unwrap()));
    client.send("{\"do\":\"metrics\"}\n");
    let answer = client.receive();
    let health_problems =
        answer["messages"].as_array().into_iter().flatten().map(|ill| ill.as_str().unwrap().to_owned());
    (answer["metrics"].as_str().unwrap_or_default().to_owned(), health_problems.collect())
}

/// Returns the value of a row.
pub fn metric_value(text: &str, row: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(row)).unwrap_or_else(|| panic!("{row} in {text}"));
    line.trim().parse().unwrap()
}

/// A client of the socket without the program.
pub struct Client(BufReader<UnixStream>);

impl Client {
    pub fn connect(place: &StationFolder) -> Client {
        let path = place.path("recordings/control.sock");
        let mut stream = None;
        wait_until("the socket", || {
            stream = UnixStream::connect(&path).ok();
            stream.is_some()
        });
        let stream = stream.unwrap();
        stream.set_read_timeout(Some(crate::pty::TIMEOUT)).unwrap();
        Client(BufReader::new(stream))
    }

    pub fn send(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}

/// Starts a station and records some plies of a game.
pub fn playing(plies: usize) -> (StationFolder, Pty, Board, crate::daemon::Station) {
    let mut hall = Hall::start("");
    hall.play(plies);
    let Hall { place, pty, board, station } = hall;
    (place, pty, board, station)
}

/// Starts a station whose board is not plugged in.
fn idle_station() -> (StationFolder, crate::daemon::Station) {
    let place = StationFolder::new(&["a"]);
    let station = place.start();
    station.wait_for("operators reach this station");
    station.wait_for("waiting for the port");
    (place, station)
}

/// Returns the requests of operators in the log of board `a`.
fn logged_requests(place: &StationFolder) -> Vec<String> {
    let records = place.log("a-1.log").records.into_iter();
    let request = |kind| if let RecordKind::Operator(text) = kind { Some(text.to_string()) } else { None };
    records.filter_map(|record| request(record.kind)).collect()
}

#[test]
fn status_shows_boards() {
    let (place, _pty, _board, mut station) = playing(4);
    let seen = status(&place);
    let board = &seen["boards"][0];
    assert_eq!((&board["name"], &board["line"], &board["game"]), (&"a".into(), &"a".into(), &1.into()));
    assert!(board["plies"].as_u64().unwrap() >= 4 && board["is_ongoing"] == true, "{board}");
    assert!(board["clocks"]["white"].as_u64().unwrap() > 0, "{board}");
    assert!(board["file"].as_str().unwrap().ends_with("live/a-1.pdn"), "{board}");
    assert!(seen["lines"][0]["bytes_in"].as_u64().unwrap() > 100, "{seen}");
    assert!(seen["disk"]["free_bytes"].as_u64().unwrap() > 0, "{seen}");
    assert_eq!(seen["pid"].as_u64(), Some(u64::from(station.process.id())));
    let table = run_ctl(&place, &["status"]);
    assert!(table.out.starts_with("board"), "{}", table.out);
    assert_contains(&table.out, &["\na  ", "GB free"]);
    assert!(station.signal(Signal::TERM).success());
    assert!(!place.path("recordings/control.sock").exists(), "the socket goes with the station");
    let no_station = run_ctl(&place, &["status"]);
    assert_eq!(no_station.code, 3);
    assert_contains(&no_station.err, &["no station answers at", "damcast run"]);
}

#[test]
fn operator_requests_are_logged_and_replayed() {
    let (place, mut pty, mut board, mut station) = playing(4);
    let before = moves(&place.live("a-1.pdn"));
    run_ctl(&place, &["ctl", "undo", "a"]).prints("written: /FEN \"");
    board.answer(&mut pty);
    let names = run_ctl(&place, &["ctl", "set-players", "a", "Sijbrands, T.", "Wiersma, H.", "--json"]);
    let answer: Value = serde_json::from_str(&names.out).unwrap();
    assert_eq!(answer["ok"], true);
    // Late names still apply to the running game.
    let messages = answer["messages"].to_string();
    assert!(messages.contains("Sijbrands, T. and Wiersma, H. are the players of a, game 1"), "{answer}");
    wait_until("the names", || {
        let games = fs::read_to_string(place.path("recordings/public/games.pdn")).unwrap_or_default();
        games.contains("[White \"Sijbrands, T.\"]") && games.contains("[Black \"Wiersma, H.\"]")
    });
    for (arguments, code, words) in [
        (&["ctl", "result", "a", "3-0", "--confirm"][..], 1, "`3-0` is not a result of this game; its results are 2-0"),
        (&["ctl", "result", "b", "2-0"], 1, "there is no board `b`; there are a"),
        (&["ctl", "setup", "a", "W:W99"], 1, "W:W99"),
        (&["ctl", "resign", "a", "nobody"], 2, "[possible values: white, black]"),
        (&["ctl", "adjourn", "a"], 2, "adjourn"),
    ] {
        let refused = run_ctl(&place, arguments);
        assert_eq!(refused.code, code, "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains(words), "{arguments:?}: {}", refused.err);
    }
    // A result ends a game for good: while its clock runs, the request needs a confirmation.
    let unsure = run_ctl(&place, &["ctl", "result", "a", "2-0"]);
    assert_eq!(unsure.code, 1, "{}", unsure.out);
    assert_contains(&unsure.err, &["a, game 1, ", "its clock runs"]);
    assert!(unsure.err.contains("`--confirm`"), "{}", unsure.err);
    let result = run_ctl(&place, &["ctl", "result", "a", "2-0", "--confirm"]);
    assert_eq!(result.code, 0, "{}", result.err);
    assert!(result.out.starts_with("a, game 1, ") && result.out.contains(" plies: 2-0"), "{}", result.out);
    wait_until("the end of the game", || {
        board.answer(&mut pty);
        place.live("a-1.pdn").ends_with("*\n")
    });
    assert!(station.signal(Signal::TERM).success());
    let live = place.live("a-1.pdn");
    assert!(live.contains("[Result \"2-0\"]") && moves(&live)[..before.len()] == before[..], "{live}");
    assert_eq!(place.replay(&["a-1.log"]), live);
    let log = place.log("a-1.log");
    let asked = logged_requests(&place);
    assert_eq!((asked[0].as_str(), asked[asked.len() - 1].as_str()), ("undo 1", "result 2-0"));
    let uid = rustix::process::getuid().as_raw();
    let note_prefix = format!("request of uid {uid}");
    let notes = kinds(&log)
        .iter()
        .filter(|kind| matches!(kind, RecordKind::Note(note) if note.starts_with(&note_prefix) && !note.contains("--confirm")))
        .count();
    assert_eq!(notes, asked.len(), "who asked stands beside each request");
    assert!(station.output().contains(&note_prefix), "{}", station.output());
}

/// A dry run shows the effects of the real request and leaves no trace.
#[test]
fn effects_of_request_are_shown_before_confirmation() {
    let (place, mut pty, mut board, mut station) = playing(4);
    let mut client = Client::connect(&place);
    let mut asked = |request: &str, more: &str| {
        client.send(&format!("{{\"do\":\"request\",\"board\":\"a\",\"request\":{request:?}{more}}}\n"));
        client.receive()
    };
    let trial = ",\"dry_run\":true";
    let before = (place.live("a-1.pdn"), status(&place)["boards"][0]["plies"].clone());
    let is_untouched = || {
        let now = (place.live("a-1.pdn"), status(&place)["boards"][0]["plies"].clone());
        now == before && logged_requests(&place).is_empty()
    };
    for (request, message, written) in [
        ("undo 1", "", "/FEN \\\"B:W"),
        ("setup W:W31:B1", "", "/FEN \\\"W:W31:B1"),
        ("hold", "nothing is published until `release`", ""),
        ("flip", "connector on White's", ""),
        ("names Jansen / Ba", "Jansen and Ba are the players of", ""),
        ("rotate", "new logs are begun", ""),
    ] {
        let answer = asked(request, trial);
        assert_eq!(answer["ok"], true, "{request}: {answer}");
        assert!(answer["messages"].to_string().contains(message), "{request}: {answer}");
        assert!(answer["lines"].to_string().contains(written), "{request}: {answer}");
    }
    for (request, why) in [
        ("undo 60", "there are not 60 entries to take back"),
        ("result 2-0", "its clock runs"),
        ("result 3-0", "its clock runs"),
        ("continue", "a game is going on"),
        ("setup W:W99", "W:W99"),
    ] {
        let answer = asked(request, trial);
        assert!(answer["ok"] == false && answer["error"].to_string().contains(why), "{request}: {answer}");
    }
    assert!(is_untouched());
    // The real request has the same answer.
    let sure = ",\"confirm\":true";
    // Clocks depend on the time of the request.
    let without_clocks = |answer: Value| {
        let written = answer["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().split(" {").next());
        (answer["messages"].to_string(), written.map(|line| line.unwrap().to_owned()).collect::<Vec<_>>())
    };
    let foretold = without_clocks(asked("undo 1", trial));
    assert_eq!(foretold, without_clocks(asked("undo 1", "")), "the dry run shows what the request does");
    board.answer(&mut pty);
    let foretold = asked("result 2-0", &format!("{sure}{trial}"));
    assert!(foretold["messages"].to_string().contains("a, game 1, "), "{foretold}");
    assert_eq!(foretold, asked("result 2-0", sure));
    wait_until("the end of the game", || {
        board.answer(&mut pty);
        place.live("a-1.pdn").ends_with("*\n")
    });
    // The messages tell what changes in the public files.
    let games = place.path("recordings/public/games.pdn");
    wait_until("the result in public", || fs::read_to_string(&games).is_ok_and(|text| text.contains("\"2-0\"")));
    let foretold = asked("continue", &format!("{sure}{trial}"));
    assert!(foretold["messages"].to_string().contains("game 1 goes on"), "{foretold}");
    let done = asked("continue", sure);
    let message = |answer: &Value| answer["messages"].as_array().unwrap().clone();
    assert!(message(&foretold).starts_with(&message(&done)), "{foretold}, {done}");
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(logged_requests(&place), ["undo 1", "result 2-0", "continue anyway"]);
}

#[test]
fn socket_is_private_and_replaces_dead_one() {
    let (place, mut station) = idle_station();
    let path = place.path("recordings/control.sock");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o660);
    station.process.kill().unwrap();
    station.wait();
    assert!(path.exists(), "a killed station leaves its socket");
    let next = place.start();
    next.wait_for("operators reach this station");
    assert_eq!(status(&place)["pid"].as_u64(), Some(u64::from(next.process.id())));
    // Another station with the same socket in another folder: the running one keeps the socket, the other still records.
    let other = StationFolder::new(&["b"]);
    other.prepend_config(&format!("[control]\nsocket = {path:?}\n"));
    let other_station = other.start();
    other_station.wait_for("another station answers at this socket");
    other_station.wait_for("waiting for the port");
    assert_eq!(status(&place)["pid"].as_u64(), Some(u64::from(next.process.id())));
}

#[test]
fn misbehaving_clients_cost_nothing() {
    let (place, _station) = idle_station();
    let mut client = Client::connect(&place);
    for rubbish in
        ["\n", "{}\n", "status\n", "{\"do\":\"fly\"}\n", "{\"do\":\"status\",\"more\":1}\n", "[1,2\n", "\u{0}\n"]
    {
        client.send(rubbish);
        let answer = client.receive();
        assert_eq!(answer["ok"], false, "{rubbish:?}: {answer}");
    }
    client.send("{\"do\":\"status\"}\n{\"do\":\"status\"}\n");
    assert!(client.receive()["ok"] == true && client.receive()["ok"] == true, "two at once are answered one by one");
    let mut long = Client::connect(&place);
    long.send(&"x".repeat(64 << 10));
    assert!(long.receive()["error"].as_str().unwrap().contains("too long"));
    let mut gone = Vec::new();
    assert_eq!(long.0.read_to_end(&mut gone).unwrap_or(0), 0, "and the connection ends");
    // Hanging clients occupy all places; one more gets an error, and finds a place once they leave.
    drop(client);
    let mut hanging = Vec::new();
    let mut last_reply = None;
    while last_reply.is_none() && hanging.len() < 64 {
        let mut client = Client::connect(&place);
        client.0.get_ref().set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut line = String::new();
        if client.0.read_line(&mut line).is_ok() {
            last_reply = Some(line);
        } else {
            client.send("{\"do\":\"sta");
            hanging.push(client);
        }
    }
    assert!(hanging.len() <= 16, "{last_reply:?}");
    assert_contains(&last_reply.unwrap(), &["too many clients"]);
    drop(hanging);
    wait_until("room again", || run_ctl(&place, &["status"]).code == 0);
}

#[test]
fn watchers_see_changes_at_once() {
    let (place, _station) = idle_station();
    let mut client = Client::connect(&place);
    client.send("{\"do\":\"watch\",\"interval_ms\":50}\n");
    assert_eq!(client.receive()["status"]["boards"][0]["state"], "no-connection");
    let mut pty = Pty::plug_in(&place.path("a"));
    pty.wait_for_the_station();
    let start = std::time::Instant::now();
    while client.receive()["status"]["lines"][0]["link"] != "open" {
        assert!(start.elapsed() < crate::pty::TIMEOUT);
    }
    // A watching client that does not read is dropped, and nothing waits for it.
    let mut deaf = Client::connect(&place);
    deaf.send("{\"do\":\"watch\"}\n");
    assert_eq!(run_ctl(&place, &["status"]).code, 0);
}

#[test]
fn messages_are_filtered_by_level_at_run_time() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let station = place.start_with(|command| {
        command.env("RUST_LOG", "info");
    });
    pty.wait_for_the_station();
    assert_eq!(run_ctl(&place, &["ctl", "log-level"]).out, "info\n");
    run_ctl(&place, &["ctl", "log-level", "dbug"]).fails(1, "expected a level (error, warn, info");
    run_ctl(&place, &["ctl", "log-level", "damcast=loud"]).fails(1, "MODULE=LEVEL");
    let level = run_ctl(&place, &["ctl", "log-level", "damcast_station::line=off"]);
    assert_eq!(level.out, "info,damcast_station::line=off\n");
    station.wait_for("log-level damcast_station::line=off");
    let count = |station: &crate::daemon::Station| station.output().matches("request of").count();
    let before = count(&station);
    assert_eq!(run_ctl(&place, &["ctl", "hold", "a"]).code, 0);
    assert_eq!(count(&station), before, "{}", station.output());
    assert_eq!(run_ctl(&place, &["ctl", "log-level", "reset"]).out, "info\n");
    assert_eq!(run_ctl(&place, &["ctl", "release", "a"]).code, 0);
    station.wait_for("published again");
}

#[test]
fn unanswered_request_is_not_run_later() {
    let (place, mut pty, mut board, mut station) = playing(4);
    let pid = Pid::from_child(&station.process);
    kill_process(pid, Signal::STOP).unwrap();
    let asked = run_ctl(&place, &["ctl", "--wait", "3", "result", "a", "2-0"]);
    assert_eq!(asked.code, 5, "{}", asked.err);
    assert!(asked.err.contains("no answer yet from the station at"), "{}", asked.err);
    assert!(asked.err.contains("not known whether this was done"), "{}", asked.err);
    kill_process(pid, Signal::CONT).unwrap();
    station.wait_for("result 2-0: not done: it was wanted until");
    // Requests in time are done.
    board.answer(&mut pty);
    run_ctl(&place, &["ctl", "set-players", "a", "Sijbrands, T.", "Wiersma, H."]).done();
    assert!(station.signal(Signal::TERM).success());
    assert!(place.live("a-1.pdn").contains("[Result \"*\"]"), "{}", place.live("a-1.pdn"));
    let log = place.log("a-1.log");
    let kinds = kinds(&log);
    assert!(!kinds.iter().any(|kind| matches!(kind, RecordKind::Operator(text) if text.starts_with("result"))));
    let dropped = "result 2-0: not done: it was wanted";
    let count = kinds.iter().filter(|kind| matches!(kind, RecordKind::Note(note) if note.contains(dropped))).count();
    assert_eq!(count, 1, "what was dropped stands in the log");
}

/// Requests that no station understands are refused before they reach a log.
#[test]
fn unreadable_request_reaches_no_log() {
    let place = StationFolder::new(&["a"]);
    let mut station = place.start();
    station.wait_for(": recording line=");
    for (request, message) in [
        ("adjourn", "request `adjourn` is not known; known are result"),
        ("resign nobody", "white or black"),
        ("undo none", "how many plies"),
        ("remembered new", "what the station says"),
    ] {
        let mut client = Client::connect(&place);
        client.send(&format!("{{\"do\":\"request\",\"board\":\"a\",\"request\":\"{request}\"}}\n"));
        let reply = client.receive();
        assert!(reply["ok"] == false && reply["error"].as_str().unwrap().contains(message), "{request}: {reply}");
    }
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(logged_requests(&place), [""; 0]);
}

#[test]
fn refuses_names_with_direction_marks() {
    let (place, mut station) = idle_station();
    for name in ["A\u{202e}B", "A\u{2028}B", "A\u{2066}B", "A\u{1b}[2JB"] {
        let refused = run_ctl(&place, &["ctl", "set-players", "a", name, "C"]);
        assert_eq!(refused.code, 1, "{name:?}: {}", refused.err);
        assert!(refused.err.contains("marks that turn the order of writing"), "{name:?}: {}", refused.err);
    }
    assert_eq!(run_ctl(&place, &["ctl", "set-players", "a", "Вирный, Ш.", "한국"]).code, 0);
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(logged_requests(&place).len(), 1);
}

#[test]
fn endless_requests_are_slowed_and_fill_no_log() {
    let (place, mut station) = idle_station();
    // One client alone waits for its turn; five at once are too many.
    let mut clients: Vec<Client> = (0..5).map(|_| Client::connect(&place)).collect();
    let (mut taken, mut refused) = (0, 0);
    while refused == 0 && taken < 2_000 {
        clients
            .iter_mut()
            .for_each(|client| client.send("{\"do\":\"request\",\"board\":\"a\",\"request\":\"hold\"}\n"));
        for client in &mut clients {
            let answer = client.receive();
            if answer["ok"] == true {
                taken += 1;
                continue;
            }
            assert!(answer["error"].as_str().unwrap().contains("too many requests of this user"), "{answer}");
            refused += 1;
        }
    }
    assert!((128..1_000).contains(&taken) && refused > 0, "{taken} taken, {refused} refused");
    // Status requests do not wait.
    assert_eq!(status(&place)["boards"][0]["held"], true);
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(logged_requests(&place).len(), taken);
}

#[test]
fn request_expires_at_deadline() {
    let (place, _station) = idle_station();
    let uptime: f64 = fs::read_to_string("/proc/uptime").unwrap().split(' ').next().unwrap().parse().unwrap();
    let later = (uptime * 1000.0) as u64 + 60_000;
    let mut client = Client::connect(&place);
    for request in [
        "\"do\":\"request\",\"board\":\"a\",\"request\":\"hold\"",
        "\"do\":\"reload\"",
        "\"do\":\"log-level\",\"filter\":\"info\"",
    ] {
        client.send(&format!("{{{request},\"until_ms\":1}}\n"));
        let late = client.receive();
        assert_eq!((&late["ok"], &late["outcome_unknown"]), (&false.into(), &Value::Null), "{request}: {late}");
        assert!(late["error"].as_str().unwrap().starts_with("not done: it was wanted until "), "{request}: {late}");
        client.send(&format!("{{{request},\"until_ms\":{later}}}\n"));
        let done = client.receive();
        assert_eq!(done["ok"], true, "{request}: {done}");
    }
    assert_eq!(status(&place)["boards"][0]["held"], true);
}

/// Needs root to act as another user; prints that it is skipped otherwise.
#[test]
fn strangers_are_refused_with_reason() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        println!("not run by root: nobody else can be tried out");
        return;
    }
    let place = StationFolder::new(&["a"]);
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o711)).unwrap();
    let socket = place.path("control.sock");
    place.prepend_config(&format!("[control]\nsocket = {socket:?}\n"));
    let station = place.start();
    station.wait_for("operators reach this station");
    // A copy that every user may run, independent of the build folder.
    let program = place.path("damcast");
    fs::copy(env!("CARGO_BIN_EXE_damcast"), &program).unwrap();
    let ask = || {
        let mut command = std::process::Command::new(&program);
        command.args(["status", "--socket"]).arg(&socket).uid(65_533).gid(65_533).current_dir("/");
        command.output().unwrap()
    };
    let refused = ask();
    assert_eq!(refused.status.code(), Some(4), "{}", String::from_utf8_lossy(&refused.stderr));
    let reason = String::from_utf8_lossy(&refused.stderr);
    assert_contains(&reason, &["only root, the user of the station and the group of the socket may"]);
    // The socket was opened to all by hand: users outside the group are still refused.
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let refused = ask();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("you may not speak with this station"));
    station.wait_for("refused uid 65533");
}

/// With an invalid configuration the programs still find the station and report the mistake.
#[test]
fn configuration_mistake_locks_no_user_out() {
    let (place, _station) = idle_station();
    let config = &place.config();
    let right = fs::read_to_string(config).unwrap();
    for (wrong, message) in [
        (right.replace("game-type", "gametype"), "unknown key `gametype`"),
        (right.replace("[[line]]", "[[line"), "damcast.toml:3:"),
        (right.clone() + "[control]\nsocet = 1\n", "unknown key `socet`"),
    ] {
        fs::write(config, wrong).unwrap();
        let shown = run(&["status", "--config", config]);
        assert!(shown.code == 0 && shown.out.contains("damcast 0."), "{message}: {}", shown.err);
        assert!(shown.err.contains(message) && shown.err.contains("keeps the old one"), "{message}: {}", shown.err);
        assert_eq!(run(&["ctl", "--config", config, "log-level"]).out, "info\n");
    }
    // A mistake in an outlet suspends only that outlet.
    fs::write(config, right + "[public]\ngames-delay = \"15m\"\n").unwrap();
    let shown = run(&["status", "--config", config]);
    assert!(shown.code == 0 && shown.err.contains("a station that reads it records"), "{}", shown.err);
    assert!(!shown.err.contains("keeps the old one"), "{}", shown.err);
    // An explicit socket is used despite other mistakes.
    let socket = place.path("recordings/control.sock");
    fs::write(config, format!("[control]\nsocket = {socket:?}\n[station]\ndirectroy = 7\n")).unwrap();
    assert_eq!(run(&["status", "--config", config]).code, 0);
}
