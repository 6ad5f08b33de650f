//! The pages as a separate process: its user can read one outlet only, and no fault of it affects the recording.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::daemon::moves;
use crate::desk::DeskProcess;
use crate::generated_games::Dice;
use crate::hall::Hall;
use crate::outlets::groups;
use crate::playing_hall;
use crate::program::run;
use crate::serve::{Server, http_get, serve_by};

/// An unused user id.
const USER: &str = "64321";

/// Returns a command of that user, in a group.
fn as_user(group: &str, program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", USER, "--regid", group, "--clear-groups", "--no-new-privs", "--", program])
        .current_dir("/");
    command
}

#[test]
fn page_server_can_read_one_outlet_only() {
    if !rustix::process::geteuid().is_root() || as_user("1", "true").status().is_err() {
        println!("this needs root and setpriv: that the user of the pages can read nothing else is NOT tried");
        return;
    }
    let others = groups().into_iter().filter(|(_, id)| *id != 0).take(2).collect::<Vec<_>>();
    let [(late, late_id), (hall_name, _)] = &others[..] else { panic!("two groups") };
    let late_id = late_id.to_string();
    let mut hall = Hall::begin(&format!(
        "[public]\ndelay = 1\ngroup = {late:?}\n[[outlet]]\nname = \"hall\"\ngroup = {hall_name:?}\n"
    ));
    hall.play(6);
    hall.shows_all("public-hall");
    hall.shows_all("public");
    // As in an installed station: everybody may pass through the upper folders.
    let recordings = hall.file("");
    let above = recordings.parent().unwrap();
    for folder in [above, &recordings] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o751)).unwrap();
    }
    let reads = |path: &Path| {
        let program = if path.is_dir() { "ls" } else { "cat" };
        let output = as_user(&late_id, program).arg(path).stderr(Stdio::null()).output().unwrap();
        output.status.success()
    };
    for name in ["public", "public/events.ndjson", "public/games.pdn", "public/archive"] {
        assert!(reads(&hall.file(name)), "{name} is what the pages are made of");
    }
    let mut tried = 0;
    for folder in ["", "live", "log", "public-hall", "public-hall/archive"] {
        assert!(!reads(&hall.file(folder)), "{folder}");
        for entry in fs::read_dir(hall.file(folder)).unwrap() {
            let path = entry.unwrap().path();
            // The lock file is empty.
            if path.is_file() && !path.ends_with("damcast.lock") {
                assert!(!reads(&path), "{}", path.display());
                tried += 1;
            }
        }
    }
    assert!(tried >= 6, "{tried} files");
    let program = env!("CARGO_BIN_EXE_damcast");
    let socket = hall.file("control.sock");
    let asked = as_user(&late_id, program).args(["status", "--socket", socket.to_str().unwrap()]).output().unwrap();
    assert_eq!(asked.status.code(), Some(4), "{}", String::from_utf8_lossy(&asked.stderr));
    // The server as that user shows the one outlet, and nothing of the other, even if it is configured to show it.
    for (outlet, is_shown) in [("public", true), ("public-hall", false)] {
        let config = above.join(format!("{outlet}.toml"));
        fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {:?}\n", hall.file(outlet))).unwrap();
        fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
        let server = serve_by(as_user(&late_id, program), &config);
        let last = moves(&hall.place.live("a-1.pdn")).pop().unwrap();
        for path in ["/board/1", "/games.pdn", "/events.ndjson"] {
            let page = server.get(path);
            assert_eq!(page.status == 200 && page.text().contains(&*last), is_shown, "{outlet}{path}: {}", page.status);
        }
    }
    hall.ends_clean();
}

/// Boards play at twenty times life for some seconds, while the page server and the desk are killed, stopped and starved at random. The
/// recording is unaffected: the published moves are those played, and the logs agree.
fn load_pages(time: Duration, seed: u64) {
    println!("seed {seed}");
    let mut dice = Dice(seed);
    let mut hall = playing_hall::Hall::begin(8);
    let mut desk = Some(DeskProcess::start_for(&hall.path(""), ""));
    let (started_at, mut counts) = (Instant::now(), [[0; 3]; 2]);
    let mut viewers: Vec<TcpStream> = Vec::new();
    while started_at.elapsed() < time {
        // Viewers that never read.
        if let Ok(mut viewer) = TcpStream::connect(&hall.address) {
            let head = "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
            let _ = viewer.write_all(head.as_bytes());
            viewers.push(viewer);
            viewers.truncate(200);
        }
        let (target, request_kind) = (dice.roll(2), dice.roll(3));
        counts[target][request_kind] += 1;
        let process = [&hall.server.as_ref().unwrap().process, &desk.as_ref().unwrap().process][target];
        let send = |signal: Signal| kill_process(Pid::from_child(process), signal).unwrap();
        match request_kind {
            0 => {
                send(Signal::KILL);
                std::thread::sleep(Duration::from_millis(dice.roll(300) as u64));
                // The rest of the old process goes before another one starts.
                if target == 0 {
                    hall.server = None;
                    hall.serve();
                } else {
                    drop(desk.take());
                    desk = Some(DeskProcess::start_for(&hall.path(""), ""));
                }
            }
            1 => {
                send(Signal::STOP);
                std::thread::sleep(Duration::from_millis(dice.roll(1500) as u64));
                send(Signal::CONT);
            }
            // The process gets a twentieth of the time that it wants.
            _ => {
                for _ in 0..20 {
                    send(Signal::STOP);
                    std::thread::sleep(Duration::from_millis(38));
                    send(Signal::CONT);
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        }
    }
    for (name, [killed, stopped, starved]) in ["the pages were", "the desk was"].iter().zip(counts) {
        println!("{name} killed {killed} times, stopped {stopped} times, starved {starved} times");
        assert!(killed + stopped + starved > 0);
    }
    assert!(hall.station.signal(Signal::TERM).success(), "{}", hall.station.output());
    let folder = hall.path("");
    let check = run(&["fsck", folder.to_str().unwrap()]);
    if check.code != 0 || !check.out.trim_end().ends_with(": clean") {
        let said = hall.station.output();
        panic!("{}{said}\nkept: {}", check.out, hall.save_folder().display());
    }
    for (board, played) in (1..=8).map(|board| (format!("board-{board}"), hall.played(board))) {
        let live = hall.live(&board, 1);
        let published: Vec<String> = live.entries.iter().map(|entry| entry.kind.text()).collect();
        assert!(published.len() > 5, "{board}: {published:?}");
        assert_eq!(published, played[..published.len()], "{board}");
    }
    // Both servers answer at the end.
    let server: &Server = hall.server.as_ref().unwrap();
    for address in [&server.address, &desk.as_ref().unwrap().address] {
        assert_eq!(http_get(address, "GET", "/", &[]).unwrap().status, 200);
    }
}

#[test]
fn harmed_pages_change_no_byte_of_recording() {
    load_pages(Duration::from_secs(20), 5);
}

/// Runs for `DAMCAST_MINUTES` (60), each time from another seed: `scripts/pages-storm`.
#[test]
#[ignore = "takes an hour; scripts/pages-storm runs it"]
fn broken_pages_do_not_affect_recording() {
    let minutes = std::env::var("DAMCAST_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    // A hall plays for some minutes.
    (0..minutes / 2).for_each(|round| load_pages(Duration::from_secs(120), now + round));
}
