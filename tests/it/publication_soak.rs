//! Boards are recorded while files of their record and publication are removed, cut, replaced and made unwritable at random, one at a time.
//! Each fault is reported, everything is whole after its repair, and in the end every game is complete.
//!
//! Boards, ports, processes and files are real; only the boards' time runs faster.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Signal, geteuid};
use serde_json::Value;

use crate::boards::recorded;
use crate::control::metrics;
use crate::daemon::Station;
use crate::hall::{self, assert_clean};
use crate::program::{damcast, run};
use crate::pty::wait_until;
use crate::simulated_lines::Boards;

/// The user who records if root runs the tests, because root may write everything.
const UNPRIVILEGED_USER: u32 = 65534;

/// Harm to a file or folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Harm {
    Deleted,
    Replaced,
    Cut,
    Unwritable,
}

struct Soak {
    folder: tempfile::TempDir,
    boards: Vec<(String, Vec<String>)>,
    truth: Boards,
    random: u64,
}

impl Soak {
    fn new(boards: usize, plies: usize, speed: u32, seed: u64) -> Soak {
        let folder = tempfile::tempdir().unwrap();
        let texts = [boards.to_string(), plies.to_string(), speed.to_string(), seed.to_string()];
        let ports = folder.path().display().to_string();
        let [count, plies, pace, number] = texts.each_ref().map(String::as_str);
        let arguments =
            ["--single", count, "--plies", plies, "--ports", &ports, "--speed", pace, "--seed", number, "--at-once"];
        let truth = Boards::serve(&arguments);
        let mut config = "[station]\ndirectory = \"recordings\"\n[alarm]\ndisk-low = 0\n\
            command = [\"/bin/sh\", \"-c\", \"cat >> alarms\"]\n[public]\nprofile = \"standard\"\n"
            .to_owned();
        let mut all = Vec::new();
        for _ in 0..boards {
            let (board, moves) = truth.next_board();
            let name = board["line"].as_str().unwrap().to_owned();
            all.push((name.clone(), moves));
            let port = folder.path().join(&name);
            wait_until("the port is there", || port.exists());
            if geteuid().is_root() {
                chown(fs::canonicalize(&port).unwrap(), Some(UNPRIVILEGED_USER), None).unwrap();
            }
            config +=
                &format!("[[line]]\nname = \"{name}\"\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {speed}\n");
        }
        fs::write(folder.path().join("damcast.toml"), config).unwrap();
        if geteuid().is_root() {
            chown(folder.path(), Some(UNPRIVILEGED_USER), Some(UNPRIVILEGED_USER)).unwrap();
        }
        Soak { folder, boards: all, truth, random: seed.wrapping_mul(2).wrapping_add(1) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn start(&self) -> Station {
        let mut command = damcast(&["run", "--config", "damcast.toml"]);
        command.current_dir(self.folder.path());
        if geteuid().is_root() {
            command.uid(UNPRIVILEGED_USER).gid(UNPRIVILEGED_USER);
        }
        Station::spawn(command)
    }

    fn below(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % most as u64) as usize
    }

    /// Chooses a file of the record or of the publication, and the harm to it.
    fn choose(&mut self) -> (String, Harm) {
        use Harm::{Cut, Deleted, Replaced, Unwritable};
        let of_files = [Deleted, Replaced, Cut];
        let all = [Deleted, Replaced, Cut, Unwritable];
        let index = self.below(self.boards.len());
        let board = &self.boards[index].0;
        // The file in which the game continues: a file changed by somebody stays theirs.
        let file = self.live(board);
        let live = format!("live/{}", file.file_name().unwrap().to_str().unwrap());
        let log = format!("log/{board}-1.log");
        let targets: [(&str, &[Harm]); 12] = [
            ("public", &[Deleted, Unwritable]),
            ("live", &[Deleted, Unwritable]),
            ("log", &[Deleted, Unwritable]),
            ("public/events.ndjson", &all),
            ("public/games.pdn", &of_files),
            ("public/started.pdn", &of_files),
            ("log/round-1.plan", &all),
            ("log/events.order", &all),
            ("commits", &all),
            // Listed twice: the log is the only complete record.
            (&log, &all),
            (&log, &all),
            (&live, &all),
        ];
        let (name, harms) = targets[self.below(targets.len())];
        let harm = harms[self.below(harms.len())];
        // The station does not write into the file of a finished game, so it would not notice.
        let is_over = || fs::read_to_string(&file).is_ok_and(|text| text.ends_with("\n*\n"));
        if name == live && harm == Unwritable && is_over() {
            println!("{name}: its game is over");
            return self.choose();
        }
        (name.to_owned(), harm)
    }

    fn status(&self) -> Value {
        let socket = self.path("control.sock");
        serde_json::from_str(&run(&["status", "--socket", socket.to_str().unwrap(), "--json"]).done()).unwrap()
    }

    fn calls(&self) -> usize {
        let alarm_text = fs::read_to_string(self.folder.path().join("alarms")).unwrap_or_default();
        alarm_text.lines().filter(|line| line.contains("\"raised\"") && is_of_files(line)).count()
    }

    /// Applies the harm, waits until it is reported everywhere, repairs it, and waits until no report remains. Returns both times.
    fn harm(&mut self, name: &str, harm: Harm) -> [Duration; 2] {
        let path = self.path(name);
        let (calls, begun) = (self.calls(), Instant::now());
        do_harm(&path, harm);
        let (mut seen, mut sick) = (false, false);
        wait_until(&format!("{name} {harm:?} is reported"), || {
            seen |= is_of_files(&self.status()["alarms"].to_string());
            sick |= !metrics(&self.folder.path().join("recordings")).1.is_empty();
            seen && sick && self.calls() > calls
        });
        let report_time = begun.elapsed();
        let begun = Instant::now();
        if harm == Harm::Unwritable {
            let mode = if path.is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        // A game that continues in another file is reported for as long as it does.
        let is_well = || {
            let alarms = self.status()["alarms"].as_array().unwrap().clone();
            alarms
                .iter()
                .all(|alarm| !is_of_files(&alarm.to_string()) || alarm["text"].to_string().contains(".recovered-"))
        };
        wait_until(&format!("{name} {harm:?} is over: {}", self.status()["alarms"]), is_well);
        for file in
            ["public/games.pdn", "public/started.pdn", "public/events.ndjson", "log/round-1.plan", "log/events.order"]
        {
            assert!(self.path(file).exists(), "{file}");
        }
        [report_time, begun.elapsed()]
    }

    /// Returns the file with the current game of a board.
    fn live(&self, board: &str) -> PathBuf {
        let recovered = (1..).map(|count| self.path(&format!("live/{board}-1.recovered-{count}.pdn")));
        recovered.take_while(|path| path.exists()).last().unwrap_or_else(|| self.path(&format!("live/{board}-1.pdn")))
    }
}

fn is_of_files(text: &str) -> bool {
    text.contains("\"publication\"") || text.contains("\"disk-fault\"")
}

fn do_harm(path: &Path, harm: Harm) {
    match harm {
        Harm::Deleted if path.is_dir() => {
            // The station may be writing into it.
            while fs::remove_dir_all(path).is_err() && path.exists() {}
        }
        Harm::Deleted => drop(fs::remove_file(path)),
        Harm::Replaced => hall::Harm::Replaced.apply(path),
        Harm::Cut => hall::Harm::Cut.apply(path),
        Harm::Unwritable => {
            let mode = if path.is_dir() { 0o555 } else { 0o444 };
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    }
}

/// Harms the publication of these boards for the span; each board is harmed a minimum number of times.
fn soak(boards: usize, plies: usize, speed: u32, span: Duration, seed: u64) {
    println!("seed {seed}");
    let started_at = Instant::now();
    let mut soak = Soak::new(boards, plies, speed, seed);
    let mut station = soak.start();
    for (board, _) in soak.boards.clone() {
        wait_until("the games have begun", || recorded(&soak.live(&board)).len() >= 2);
    }
    wait_until("they are public", || soak.path("public/events.ndjson").exists());
    let (mut count, mut longest) = (0, [Duration::ZERO; 2]);
    while started_at.elapsed() < span {
        let (name, harm) = soak.choose();
        let took = soak.harm(&name, harm);
        count += 1;
        longest = [0, 1].map(|index| longest[index].max(took[index]));
        println!(
            "{name} {harm:?}: reported after {:.1} s, over {:.1} s after it was mended",
            took[0].as_secs_f64(),
            took[1].as_secs_f64()
        );
    }
    let mut going_on = boards;
    while going_on > 0 {
        going_on -= usize::from(soak.truth.next("truth")["event"] == "game-over");
    }
    for (board, moves) in &soak.boards {
        wait_until(&format!("{board} is complete"), || recorded(&soak.live(board)).len() >= moves.len());
        assert_eq!(recorded(&soak.live(board)), *moves, "{board}");
    }
    let all: usize = soak.boards.iter().map(|(_, moves)| moves.len()).sum();
    let read_state = |soak: &Soak| {
        let text = fs::read_to_string(soak.path("public/events.ndjson")).unwrap();
        text.lines().filter(|line| line.contains("\"type\":\"move\"")).count()
    };
    wait_until("all moves are published", || read_state(&soak) == all);
    assert!(station.signal(Signal::TERM).success());
    assert_clean(&soak.path(""), &format!("seed {seed}"));
    println!(
        "seed {seed}: {boards} boards, {all} plies, {count} times harmed; reported after at most {:.1} s, over at most {:.1} s after it was mended",
        longest[0].as_secs_f64(),
        longest[1].as_secs_f64()
    );
}

#[test]
fn harmed_publication_is_reported_and_repaired() {
    soak(3, 30, 20, Duration::from_secs(40), 16);
}

/// One game after the other, each harmed for about as long as it is played.
///
/// DAMCAST_SOAK_SECONDS=3600 cargo test --test it publication_soak -- --ignored --nocapture
#[test]
#[ignore = "an hour of 16 boards, or as long as DAMCAST_SOAK_SECONDS says"]
fn hour_of_harm_costs_nothing() {
    let seconds = std::env::var("DAMCAST_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3600);
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let seed = std::env::var("DAMCAST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    let (started_at, span) = (Instant::now(), Duration::from_secs(seconds));
    for seed in seed.. {
        // About ten seconds of life per ply.
        soak(16, (seconds as usize * 2).min(200), 20, Duration::from_secs(100).min(span), seed);
        if started_at.elapsed() >= span {
            break;
        }
    }
}
