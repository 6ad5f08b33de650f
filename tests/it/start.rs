//! `damcast start`: an evening from an empty folder, and what the desk sets in it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use damcast::control::client::Client;
use damcast::control::{ClientRequest, Reply, Role};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::desk_in_browser::{assert_no_page_errors, dialog_text, picture_folder, press, save_screenshots, shown};
use crate::program::{assert_contains, free_port};
use crate::pty::wait_until;
use crate::simulated::{Boards, Kind};

/// Running `damcast start`; it is killed when dropped.
pub struct Start {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    pub pages: String,
    pub desk: String,
    /// Address of the page for tables without boards.
    pub tables: String,
}

impl Start {
    pub fn begin(folder: &Path, arguments: &[&str]) -> Start {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
        command.current_dir(folder).arg("start").args(arguments).env_remove("NOTIFY_SOCKET").stdin(Stdio::null());
        // Another test does not take the port of a process that was killed.
        for (table, host) in [("SERVE", "0.0.0.0"), ("DESK", "127.0.0.1"), ("ENTRY", "0.0.0.0")] {
            command.env(format!("DAMCAST_{table}_ADDRESS"), format!("{host}:{}", free_port()));
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut address = |word: &str| {
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            line.trim().strip_prefix(&format!("{word} http://")).unwrap_or_else(|| panic!("{line}")).to_owned()
        };
        let [pages, desk, tables] = ["pages", "desk", "tables without boards"].map(&mut address);
        Start { child, lines, pages, desk, tables }
    }

    /// Reads lines until one contains these words.
    pub fn wait_for(&mut self, words: &str) -> String {
        let mut all = String::new();
        while !all.contains(words) {
            assert_ne!(self.lines.read_line(&mut all).unwrap(), 0, "{all}");
        }
        all
    }

    /// Kills one of its processes, by the command that it runs. Returns `false` if that does not run at the moment.
    pub fn kill(&self, command: &str) -> bool {
        let id = self.child.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        let runs = |id: &&str| {
            let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).nth(1) == Some(command.as_bytes())
        };
        let found = children.split_whitespace().find(runs).and_then(|id| Pid::from_raw(id.parse().unwrap()));
        found.is_some_and(|id| kill_process(id, Signal::KILL).is_ok())
    }

    /// Sends SIGINT, as Ctrl-C does, and returns the rest of what is printed.
    pub fn end(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success(), "{rest}");
        rest
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the number of processes that work in a folder. Their ports say less: another test may have them by now.
fn processes_in(folder: &Path) -> usize {
    let folder = fs::canonicalize(folder).unwrap();
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cwd"));
    all.filter(|cwd| fs::read_link(cwd).is_ok_and(|cwd| cwd == folder)).count()
}

fn get(address: &str, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

pub fn ask(folder: &Path, request: ClientRequest) -> Reply {
    let mut client = Client::connect(vec![folder.join("recordings/control.sock")]).unwrap();
    let patience = request.timeout();
    client.request(request, patience, |_| {}).unwrap()
}

pub fn published(folder: &Path) -> String {
    fs::read_to_string(folder.join("recordings/public/events.ndjson")).unwrap_or_default()
}

#[test]
fn empty_folder_records_boards() {
    let (folder, ports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let _boards = Boards::serve_at_speed(ports.path(), Kind::Single(2), 20);
    let pattern = ports.path().join("board-*").display().to_string();
    let mut start = Start::begin(folder.path(), &["--port", &pattern, "--time-scale", "20"]);
    let shown = start.wait_for("Ctrl-C ends");
    assert_contains(&shown, &["board-1: board 0", "board-2: board 0", "messages.log", "`damcast ctl login`"]);
    assert!(!shown.contains("?code="), "a login link is for a terminal alone: {shown}");
    wait_until("a published move of each board", || {
        let events = published(folder.path());
        ["board-1", "board-2"].iter().all(|board| {
            events.lines().any(|line| line.contains("\"type\":\"move\"") && line.contains(&format!("\"{board}\"")))
        })
    });
    assert!(get(&start.pages, "/").unwrap().contains("200 OK"));
    assert!(get(&start.desk, "/").unwrap().contains("200 OK"));

    // In this folder `ctl` finds the station, which knows the desk once that has found it.
    wait_until("a login link to the desk that runs", || {
        let mut ctl = Command::new(env!("CARGO_BIN_EXE_damcast"));
        let login = ctl.args(["ctl", "login"]).current_dir(folder.path()).output().unwrap();
        String::from_utf8(login.stdout).unwrap().contains(&format!("http://{}/?code=", start.desk))
    });
    // Only one at a time records into a folder.
    let again = Command::new(env!("CARGO_BIN_EXE_damcast")).arg("start").current_dir(folder.path()).output().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert_contains(&String::from_utf8(again.stderr).unwrap(), &["records into", "already"]);

    assert!(processes_in(folder.path()) >= 4);
    assert_contains(&start.end(), &["the games are in"]);
    assert_eq!(processes_in(folder.path()), 0);

    // Started again it goes on, with the boards it knows.
    let before = published(folder.path());
    let mut start = Start::begin(folder.path(), &[]);
    let shown = start.wait_for("Ctrl-C ends");
    assert!(!shown.contains("board-1:"), "{shown}");
    wait_until("more moves", || published(folder.path()).len() > before.len());
    assert!(published(folder.path()).starts_with(&before));
    start.end();
}

#[test]
fn processes_end_with_killed_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut start = Start::begin(folder.path(), &[]);
    start.wait_for("no board was found");
    start.wait_for("Ctrl-C ends");
    drop(start);
    wait_until("the end of all processes", || {
        processes_in(folder.path()) == 0
            && Client::connect(vec![folder.path().join("recordings/control.sock")]).is_err()
    });
}

#[test]
fn desk_sets_lines_and_event() {
    let (folder, ports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut start = Start::begin(folder.path(), &["--port", &ports.path().join("board-*").display().to_string()]);
    start.wait_for("Ctrl-C ends");
    let boards = Boards::serve(ports.path(), Kind::Single(2));
    let setup = ask(folder.path(), ClientRequest::ShowSetup {}).setup.unwrap();
    assert_eq!(setup.contents, json!({}));
    let found: Vec<&str> = setup.ports.iter().map(|port| port.port.as_str()).collect();
    let port = |name: &str| format!("serial:{}", boards.port(name));
    assert_eq!(found, [port("board-1"), port("board-2")]);

    let line = |name: &str, port: &str| json!({ "name": name, "port": port, "game-type": "20" });
    let set = |seen: &Value, contents: &Value| {
        let (seen, contents) = (seen.clone(), contents.clone());
        ask(folder.path(), ClientRequest::SetUp { seen, contents, dry_run: false, until: None })
    };
    let first = json!({ "line": [line("table-1", &port("board-1"))], "station": { "tags": { "Event": "Tuesday" } } });
    let done = set(&setup.contents, &first);
    assert!(done.ok && done.messages.iter().any(|message| message.contains("table-1: a new line")), "{done:?}");
    wait_until("the board", || {
        let status = ask(folder.path(), ClientRequest::Status {}).status.unwrap();
        status.boards.iter().any(|board| board.name == "table-1" && board.state != "no-connection")
    });
    let setup = ask(folder.path(), ClientRequest::ShowSetup {}).setup.unwrap();
    assert_eq!((&setup.contents, setup.ports[0].line.as_deref()), (&first, Some("table-1")));

    // What is refused changes nothing.
    for (seen, contents, why) in [
        (&json!({}), json!({ "line": [] }), "somebody has set something since"),
        (&first, json!({ "line": [line("x", "serial:/etc/passwd")] }), "has no port serial:/etc/passwd"),
        (&first, json!({ "line": [line("x", "tcp://10.0.0.7:1")] }), "one of this machine"),
        (&first, json!({ "alarm": { "command": ["sh"] } }), "may not set `alarm`"),
        (&first, json!({ "station": { "directory": "/tmp" } }), "may not set `directory`"),
        (&first, json!({ "line": [line("../x", &port("board-2"))] }), "becomes the name of files"),
        (&first, json!(5), "cannot be written"),
    ] {
        let refused = set(seen, &contents);
        assert!(!refused.ok && refused.error.as_deref().is_some_and(|error| error.contains(why)), "{refused:?}");
        assert_eq!(ask(folder.path(), ClientRequest::ShowSetup {}).setup.unwrap().contents, first);
    }
    start.end();
}

/// Fills in the field with this label.
pub fn fill_in(browser: &mut Browser, label: &str, text: &str) {
    let fill = format!(
        "(() => {{ const label = [...document.querySelectorAll('label')].find(one => one.textContent === {label:?}); \
         const input = document.getElementById(label.htmlFor); input.value = {text:?}; \
         input.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    );
    browser.evaluate(&fill);
}

#[test]
fn volunteer_sets_up_evening_in_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let pictures = picture_folder();
    let (folder, ports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut start = Start::begin(folder.path(), &["--port", &ports.path().join("board-*").display().to_string()]);
    start.wait_for("Ctrl-C ends");
    let _boards = Boards::serve(ports.path(), Kind::Single(2));
    let person = ClientRequest::Login { name: "M. Bosma".to_owned(), role: Role::Operator };
    let reply = ask(folder.path(), person);
    browser.visit(&format!("http://{}/?code={}", start.desk, reply.code.unwrap()));
    browser.wait("document.querySelector('#code')?.value.length", &6.into());
    press(&mut browser, "Log in");
    browser.wait("document.querySelector('#login').hidden", &true.into());
    browser.evaluate("location.hash = '#set_up'");
    shown(&mut browser, "No board yet");
    save_screenshots(&mut browser, &pictures, "set-up-empty");
    press(&mut browser, "Add as board-1");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &1.into());
    press(&mut browser, "Add as board-2");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &2.into());
    press(&mut browser, "Undo the last step");
    shown(&mut browser, "Add as board-2");
    fill_in(&mut browser, "Tables without electronic boards", "3");
    press(&mut browser, "Add tables");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &4.into());
    press(&mut browser, "Undo the last step");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &1.into());
    fill_in(&mut browser, "Name of the event", "Tuesday \"club\"");
    press(&mut browser, "Save");
    wait_until("the event in the file", || {
        fs::read_to_string(folder.path().join("recordings/setup.toml")).is_ok_and(|text| text.contains("Tuesday"))
    });
    fill_in(&mut browser, "Players, one a line", "Jansen, P.; Damlust; 1100\nBakker, K.\nDe Vries, A.\n");
    press(&mut browser, "Add players");
    dialog_text(&mut browser, "3 players");
    browser.evaluate("document.querySelector('#dialog form').requestSubmit()");
    shown(&mut browser, "Pair a round robin");
    save_screenshots(&mut browser, &pictures, "set-up");
    assert_no_page_errors(&browser, &[]);
    let contents = ask(folder.path(), ClientRequest::ShowSetup {}).setup.unwrap().contents;
    assert_eq!(contents["station"]["tags"]["Event"], "Tuesday \"club\"");
    assert_eq!(contents["line"].as_array().unwrap().len(), 1);
    let tournament = ask(folder.path(), ClientRequest::ShowTournament {}).tournament.unwrap();
    assert!(["Damlust", "De Vries, A."].iter().all(|word| tournament.tournament.contains(word)));
    start.end();
}

#[test]
fn wrong_setup_file_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("recordings")).unwrap();
    fs::write(folder.path().join("recordings/setup.toml"), "[[line]]\nname = 5\n").unwrap();
    let mut start = Start::begin(folder.path(), &[]);
    start.wait_for("Ctrl-C ends");
    let setup = ask(folder.path(), ClientRequest::ShowSetup {}).setup.unwrap();
    assert!(setup.mistake.is_some_and(|mistake| mistake.contains("setup.toml:2")));
    let status = ask(folder.path(), ClientRequest::Status {}).status.unwrap();
    assert!(status.reload.is_some_and(|reload| !reload.ok));
    start.end();
}
