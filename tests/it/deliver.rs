//! `damcast deliver`: runs the commands of deliveries when files have changed.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Run, assert_contains, run};
use crate::pty::wait_until;
use crate::serve::OutletFixture;

pub mod hooks;

/// Command that makes its target equal to the outlet, file by file.
const COPY: &str = r#"while IFS= read -r name; do
  if [ -e "$DAMCAST_FOLDER/$name" ]; then mkdir -p "$(dirname "$1/$name")"; cp "$DAMCAST_FOLDER/$name" "$1/$name"
  else rm -f "$1/$name"; fi
  echo "$name" >>"$1.names"
done"#;

/// Outlet, target and configuration in a folder.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.path("recordings/public/archive")).unwrap();
        fs::create_dir(place.path("target")).unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file of the outlet, as a new file in place of the old one.
    pub fn publish(&self, name: &str, content: impl AsRef<[u8]>) {
        let new = self.path("new");
        fs::write(&new, content).unwrap();
        fs::rename(new, self.path("recordings/public").join(name)).unwrap();
    }

    /// Adds a delivery to the configuration.
    pub fn add(&self, name: &str, command: &[&str], settings: &str) {
        let config = fs::read_to_string(self.path("damcast.toml")).unwrap_or_default();
        // Strings of JSON are strings of TOML.
        let command = serde_json::to_string(command).unwrap();
        let table = format!("[[deliver]]\nname = {name:?}\ncommand = {command}\nevery = 1\n{settings}");
        fs::write(self.path("damcast.toml"), config + &table).unwrap();
    }

    /// Adds a delivery by a script with one argument.
    fn add_script(&self, name: &str, script: &str, settings: &str) {
        self.add(name, &["sh", "-c", script, "sh", self.path("target").to_str().unwrap()], settings);
    }

    fn config(&self) -> String {
        self.path("damcast.toml").display().to_string()
    }

    pub fn once(&self, name: &str) -> Run {
        run(&["deliver", "--config", &self.config(), "--once", name])
    }

    fn start(&self) -> DeliverProcess<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damcast"));
        command.args(["deliver", "--config", &self.config()]).stdout(Stdio::null()).stderr(Stdio::null());
        DeliverProcess { place: self, process: command.spawn().unwrap() }
    }

    fn target(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path("target").join(name)).ok()
    }
}

/// Running `damcast deliver`.
struct DeliverProcess<'p> {
    place: &'p Place,
    process: Child,
}

impl DeliverProcess<'_> {
    fn report(&self, name: &str) -> Option<Value> {
        let state: Value = serde_json::from_slice(&fs::read(self.place.path("deliver/state.json")).ok()?).unwrap();
        state["deliveries"].as_array()?.iter().find(|report| report["name"] == name).cloned()
    }

    fn wait_for(&self, name: &str, state: &str) -> Value {
        wait_until(&format!("{name} {state}"), || self.report(name).is_some_and(|report| report["state"] == state));
        self.report(name).unwrap()
    }

    fn stop(&mut self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for DeliverProcess<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn target_follows_outlet() {
    let place = Place::new();
    place.add_script("club", COPY, "");
    place.publish("games.pdn", "1");
    place.publish("archive/a-1.pdn", "old");
    let mut deliveries = place.start();
    wait_until("all files", || place.target("archive/a-1.pdn").is_some());
    place.publish("games.pdn", "2");
    wait_until("the new file", || place.target("games.pdn").as_deref() == Some("2"));
    let mut grown = fs::OpenOptions::new().append(true).open(place.path("recordings/public/games.pdn")).unwrap();
    std::io::Write::write_all(&mut grown, b"3").unwrap();
    wait_until("the grown file", || place.target("games.pdn").as_deref() == Some("23"));
    fs::remove_file(place.path("recordings/public/archive/a-1.pdn")).unwrap();
    wait_until("the removal", || place.target("archive/a-1.pdn").is_none());
    assert_eq!(deliveries.wait_for("club", "fresh")["waiting"], 0);
    deliveries.stop();
    assert!(!place.path("deliver/state.json").exists());
    // Nothing was passed that had not changed.
    let names = fs::read_to_string(place.path("target.names")).unwrap();
    assert_eq!(names.lines().filter(|name| *name == "archive/a-1.pdn").count(), 2, "{names}");
}

/// With `pages = true` the target gets the pages as files, in the language of `[serve]`.
#[test]
fn pages_are_written_and_delivered() {
    let place = Place::new();
    let mut outlet = OutletFixture::new();
    place.add_script("club", COPY, &format!("pages = true\noutlet = {:?}\n", outlet.path("")));
    let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
    fs::write(place.path("damcast.toml"), config + "[serve]\nlanguage = \"nl\"\n").unwrap();
    let mut deliveries = place.start();
    let first_page = || place.target("index.html").unwrap_or_default();
    wait_until("the first page", || first_page().contains("<html lang=\"nl\""));
    outlet.begin("board-1", serde_json::json!({"White": "Sijbrands, T.", "Black": "Ba"}));
    outlet.play("board-1", 1);
    wait_until("the game", || first_page().contains("Sijbrands, T."));
    assert!(place.target("events.ndjson").is_none(), "the pages alone are delivered");
    deliveries.stop();
    assert_contains(&place.once("club").done(), &["club: delivered, "]);
    // A folder with files of others is not touched.
    fs::remove_file(place.path("deliver/club.pages/.damcast-pages")).unwrap();
    place.once("club").fails(1, "the pages cannot be written: ");
    let mut deliveries = place.start();
    let report = deliveries.wait_for("club", "failing");
    assert_contains(report["words"].as_str().unwrap(), &["the pages cannot be written: ", "has files of others"]);
    deliveries.stop();
}

/// A file that is removed while nothing delivers may have been withdrawn: it leaves the target after the next start.
#[test]
fn file_removed_between_runs_leaves_target() {
    let place = Place::new();
    place.add_script("club", COPY, "");
    place.publish("games.pdn", "1");
    place.publish("archive/a-1.pdn", "name");
    place.once("club").done();
    fs::remove_file(place.path("recordings/public/archive/a-1.pdn")).unwrap();
    let _deliveries = place.start();
    wait_until("the removal", || place.target("archive/a-1.pdn").is_none());
}

#[test]
fn outlet_that_is_away_empties_no_target() {
    let place = Place::new();
    place.add_script("club", COPY, "");
    place.publish("games.pdn", "1");
    let deliveries = place.start();
    wait_until("the file", || place.target("games.pdn").is_some());
    fs::rename(place.path("recordings"), place.path("away")).unwrap();
    let report = deliveries.wait_for("club", "failing");
    assert_contains(report["words"].as_str().unwrap(), &["recordings/public: No such file", "nothing is delivered"]);
    fs::create_dir_all(place.path("recordings/public")).unwrap();
    wait_until("an empty outlet", || {
        deliveries.report("club").is_some_and(|report| report["words"].as_str().unwrap().contains("nothing is removed"))
    });
    assert_eq!(place.target("games.pdn").as_deref(), Some("1"));
    fs::remove_dir_all(place.path("recordings")).unwrap();
    fs::rename(place.path("away"), place.path("recordings")).unwrap();
    deliveries.wait_for("club", "fresh");
}

/// Commands that hang, fork, fail and flood: each is reported, and another delivery does not wait for them.
#[test]
fn bad_commands_delay_no_other() {
    let place = Place::new();
    place.publish("games.pdn", "1");
    place.add("hangs", &["sleep", "1000"], "time-limit = 1\n");
    place.add("forks", &["sh", "-c", "sleep 1000 & sleep 1000 & wait"], "time-limit = 1\n");
    place.add("fails", &["sh", "-c", "echo 'wrong \x1b[2Jpassword' >&2; exit 7"], "");
    place.add("floods", &["sh", "-c", "head -c 100000000 /dev/zero; echo; echo done; exit 1"], "");
    place.add("absent", &["/nonexistent/hook"], "");
    place.add_script("club", COPY, "");
    let mut deliveries = place.start();
    for (name, words) in [
        ("hangs", "took longer than 1 s and was killed"),
        ("forks", "took longer than 1 s and was killed"),
        ("fails", "exit status: 7: wrong \\u{1b}[2Jpassword"),
        ("floods", "exit status: 1: done"),
        ("absent", "No such file"),
    ] {
        let report = deliveries.wait_for(name, "failing");
        assert_contains(report["words"].as_str().unwrap(), &[words]);
    }
    for version in ["2", "3"] {
        place.publish("games.pdn", version);
        wait_until("the other delivery", || place.target("games.pdn").as_deref() == Some(version));
    }
    deliveries.stop();
}

/// Two calls of a command never overlap, also if an operator starts one with `--once`.
#[test]
fn command_never_runs_twice_at_once() {
    let place = Place::new();
    place.publish("games.pdn", "1");
    let script =
        "mkdir \"$1/running\" || exit 3; echo x >>\"$1/runs\"; cat >\"$1/names\"; sleep 0.3; rmdir \"$1/running\"";
    place.add_script("club", script, "");
    let deliveries = place.start();
    for round in 0..4 {
        place.publish("games.pdn", round.to_string());
        place.once("club").done();
        assert_ne!(deliveries.report("club").unwrap()["state"], "failing");
    }
    assert!(place.target("runs").unwrap().lines().count() >= 4);
}

/// The end of the program ends the command and its child processes.
#[test]
fn stop_kills_command() {
    let place = Place::new();
    place.publish("games.pdn", "1");
    place.add_script("club", "mkfifo \"$1/fifo\"; (exec 3<>\"$1/fifo\"; : >\"$1/ready\"; sleep 1000) & wait", "");
    let mut deliveries = place.start();
    wait_until("the command", || place.path("target/ready").exists());
    assert_eq!(deliveries.wait_for("club", "running")["waiting"], 1);
    deliveries.stop();
    let open = || {
        let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
        rustix::fs::open(place.path("target/fifo"), flags, rustix::fs::Mode::empty())
    };
    wait_until("the end of the child process", || open().is_err());
}

#[test]
fn once_reports_its_outcome() {
    let place = Place::new();
    place.publish("games.pdn", "1");
    place.add("good", &["sh", "-c", "cat; echo sent"], "");
    place.add("bad", &["sh", "-c", "echo no route; exit 1"], "");
    let good = place.once("good").done();
    assert_contains(&good, &["good: 1 files: sent", "good: delivered, 1 files in all"]);
    place.once("bad").fails(1, "delivery bad: it ended with exit status: 1: no route");
    place.once("other").fails(2, "no delivery \"other\"; the configuration has good, bad");
    fs::write(place.path("damcast.toml"), "[station]\n").unwrap();
    run(&["deliver", "--config", &place.config()]).fails(2, "no [[deliver]] in the configuration");
}

#[test]
fn mistake_in_table_stops_only_deliveries() {
    let place = Place::new();
    let station =
        "[station]\ndirectory = \"r\"\n[[line]]\nname = \"a\"\nport = \"serial:/nowhere\"\ngame-type = \"20\"\n";
    fs::write(place.path("damcast.toml"), format!("{station}[[deliver]]\nname = \"x\"\nnonsense = 1\n")).unwrap();
    run(&["deliver", "--config", &place.config()]).fails(2, "damcast.toml:7");
    let checked = run(&["config", "check", "--config", &place.config()]);
    assert!(checked.code != 0 && (checked.out + &checked.err).contains("unknown key `nonsense`"));
    let config = damcast::station::config::Config::load_for_recording(&place.path("damcast.toml"));
    assert!(config.is_ok(), "the station records all the same");
}

/// `status` shows a delivery that fails, and one that does not.
#[test]
fn status_shows_deliveries() {
    let station = crate::daemon::StationFolder::new(&["a"]);
    let running = station.start();
    running.wait_for("waiting for the port");
    let status = |options: &[&str]| {
        let config = station.config();
        let arguments: Vec<&str> = ["status", "--config", &config].into_iter().chain(options.iter().copied()).collect();
        run(&arguments).done()
    };
    wait_until("an answer", || crate::control::run_ctl(&station, &["status"]).code == 0);
    assert!(!status(&["--json"]).contains("deliveries"));
    let now = chrono::Utc::now().timestamp_millis();
    let report = |name: &str, state: &str| serde_json::json!({"name": name, "state": state, "since": now, "delivered": null, "waiting": 1, "words": "no route"});
    let state =
        serde_json::json!({"written": now, "deliveries": [report("club", "failing"), report("world", "fresh")]});
    fs::create_dir_all(station.path("deliver")).unwrap();
    fs::write(station.path("deliver/state.json"), state.to_string()).unwrap();
    let shown = status(&[]);
    assert_contains(&shown, &["delivery club: failing since ", ": no route\n", "delivery world fresh"]);
    let json: Value = serde_json::from_str(&status(&["--json"])).unwrap();
    assert_eq!(json["deliveries"][1]["state"], "fresh");
    fs::write(station.path("deliver/state.json"), "{\"written\":1,\"deliveries\":[]}").unwrap();
    assert_contains(&status(&[]), &["deliveries: no report for "]);
}
