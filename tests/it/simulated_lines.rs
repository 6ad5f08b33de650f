//! `boardsim serve` from outside: a host that opens its ports and exchanges bytes.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use damcast::simulation::scenario::Scenario;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::pty::{TIMEOUT, wait_until};

/// The program, and the truth that it prints.
pub struct Boards {
    child: Child,
    reports: Receiver<Value>,
}

impl Boards {
    /// Starts boards at their ports.
    pub fn serve(arguments: &[&str]) -> Boards {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boardsim"));
        let mut child = command.arg("serve").args(arguments).stdout(Stdio::piped()).spawn().expect("boardsim starts");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, reports) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let value = serde_json::from_str(&line).expect("a line of JSON");
                if tell.send(value).is_err() {
                    return;
                }
            }
        });
        Boards { child, reports }
    }

    /// Returns the next report of this kind.
    #[track_caller]
    pub fn next(&self, kind: &str) -> Value {
        loop {
            let value = self.reports.recv_timeout(TIMEOUT).expect("the boards go on telling");
            if value["kind"] == kind {
                return value;
            }
        }
    }

    /// Returns the next reported board, and the moves of its first game.
    pub fn next_board(&self) -> (Value, Vec<String>) {
        let board = self.next("board");
        let moves = board["games"][0]["moves"].as_array().unwrap().iter();
        let moves = moves.map(|text| text.as_str().unwrap().to_owned()).collect();
        (board, moves)
    }

    /// Sends a signal, to stop the program or let it go on.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns all reports that have not been read yet.
    pub fn so_far(&self) -> Vec<Value> {
        self.reports.try_iter().collect()
    }

    /// Returns the addresses of the first boards reported.
    fn addresses(&self, count: usize) -> Vec<[u8; 2]> {
        let address = |board: Value| {
            let address = board["address"].as_u64().unwrap();
            [(address >> 7) as u8, (address & 0x7f) as u8]
        };
        (0..count).map(|_| address(self.next("board"))).collect()
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn open(port: &Path) -> File {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
    rustix::fs::open(port, flags, Mode::empty()).expect("the port opens").into()
}

fn bus_command(code: u8, [high, low]: [u8; 2]) -> [u8; 4] {
    [code, high, low, code.wrapping_add(high).wrapping_add(low) & 0x7f]
}

/// Sends bytes and reads until the expected number arrives. Returns them and the time taken.
#[track_caller]
fn request(port: &mut (impl Read + Write), bytes: &[u8], expected: usize) -> (Vec<u8>, Duration) {
    port.write_all(bytes).unwrap();
    let (start, mut answer, mut buffer) = (Instant::now(), Vec::new(), [0; 512]);
    while answer.len() < expected {
        assert!(start.elapsed() < TIMEOUT, "{bytes:02x?} was answered by {answer:02x?} only");
        match port.read(&mut buffer) {
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
    }
    (answer, start.elapsed())
}

fn is_ping_to([high, low]: [u8; 2], answer: &[u8]) -> bool {
    answer == [0x87, 0x00, 0x06, high, low, 0x0d_u8.wrapping_add(high).wrapping_add(low) & 0x7f]
}

#[test]
fn bus_boards_answer_on_pty_at_line_pace() {
    let folder = tempfile::tempdir().unwrap();
    let boards = Boards::serve(&["--bus", "3", "--ports", &folder.path().display().to_string()]);
    let addresses = boards.addresses(3);
    boards.next("port");
    let mut port = open(&folder.path().join("bus"));
    for address in &addresses {
        let (answer, took) = request(&mut port, &bus_command(0x87, *address), 6);
        assert!(is_ping_to(*address, &answer), "{answer:02x?}");
        assert!(took >= Duration::from_millis(10), "four bytes there and six back take 10.4 ms, not {took:?}");
    }
    let (dump, took) = request(&mut port, &bus_command(0x82, addresses[2]), 106);
    assert_eq!((dump.len(), &dump[..3]), (106, [0x83, 0x00, 0x6a].as_slice()));
    assert!(took >= Duration::from_millis(114), "110 bytes in {took:?}");
    assert_eq!(dump[5..105].iter().filter(|code| [1, 4].contains(*code)).count(), 40, "the start position");
    let (all, _) = request(&mut port, &[0x87, 0x00, 0x00, 0x07], 12);
    assert!(all.starts_with(&[0x87, 0x00, 0x06]), "{all:02x?}");
    assert!(boards.next("truth")["event"] == "ready");
}

#[test]
fn equal_bytes_pass_over_tcp_for_one_host_after_another() {
    let boards = Boards::serve(&["--single", "1", "--tcp", "0"]);
    let [address] = boards.addresses(1)[..] else { panic!("one board") };
    let port = boards.next("port");
    let place = port["port"].as_str().unwrap().strip_prefix("tcp://").unwrap().to_owned();
    for _ in 0..2 {
        let mut host = TcpStream::connect(&place).unwrap();
        host.set_nonblocking(true).unwrap();
        assert!(is_ping_to(address, &request(&mut host, &bus_command(0x87, address), 6).0));
        // Single mode of the board: its serial number, and back to the bus.
        let (serial, _) = request(&mut host, &[0x45], 8);
        assert_eq!(serial[..3], [0x91, 0x00, 0x08]);
        host.write_all(&[0x4a]).unwrap();
    }
}

#[test]
fn port_disappears_and_returns_under_other_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let scenario = "[[line]]\nname = \"first\"\nboard = [{}]\n\
                    incident = [{ at = 2, what = \"unplug\", for = 3, as = \"second\" }]\n";
    std::fs::write(path("scenario.toml"), scenario).unwrap();
    let scenario = path("scenario.toml").display().to_string();
    let ports = folder.path().display().to_string();
    let boards = Boards::serve(&["--scenario", &scenario, "--ports", &ports, "--speed", "4"]);
    let address = boards.addresses(1)[0];
    boards.next("port");
    let before = std::fs::read_link(path("first")).unwrap();
    let mut port = open(&path("first"));
    assert!(is_ping_to(address, &request(&mut port, &bus_command(0x87, address), 6).0));
    assert_eq!(boards.next("port")["port"], Value::Null);
    wait_until("the port is gone", || port.write(&[0x41]).is_err());
    assert!(!path("first").exists());
    assert_eq!(boards.next("port")["port"], path("second").display().to_string());
    assert_ne!(std::fs::read_link(path("second")).unwrap(), before, "another number, too");
    let mut port = open(&path("second"));
    assert!(is_ping_to(address, &request(&mut port, &bus_command(0x87, address), 6).0), "the board lives on");
}

#[test]
fn line_faults_are_reported_beside_effect() {
    let folder = tempfile::tempdir().unwrap();
    let ports = folder.path().display().to_string();
    let boards = Boards::serve(&["--bus", "1", "--ports", &ports, "--faults", "flip@5:0", "--speed", "10"]);
    let address = boards.addresses(1)[0];
    boards.next("port");
    let mut port = open(&folder.path().join("bus"));
    let (mut answer, _) = request(&mut port, &bus_command(0x87, address), 6);
    assert!(!is_ping_to(address, &answer));
    answer[5] ^= 1;
    assert!(is_ping_to(address, &answer), "one bit of the checksum was wrong");
    let fault = boards.next("fault");
    assert_eq!((fault["fault"].as_str(), fault["byte"].as_u64()), (Some("flip"), Some(5)));
    assert!(is_ping_to(address, &request(&mut port, &bus_command(0x87, address), 6).0));
}

#[test]
fn example_scenario_is_available() {
    let file = "config/boardsim/evening.toml";
    let text = std::fs::read_to_string(file).unwrap();
    let scenario = Scenario::from_toml(file, &text).unwrap();
    let lines = scenario.lines(Path::new("config/boardsim")).unwrap();
    assert_eq!(lines.iter().map(|line| line.world.seats().len()).collect::<Vec<_>>(), [4, 1]);
}

#[test]
fn refuses_unservable_scenario_with_reason() {
    for (arguments, reason) in [
        (vec![], "--bus"),
        (vec!["--bus", "1", "--faults", "rain"], "rain"),
        (vec!["--bus", "1", "--speed", "0"], "speed 0"),
        (vec!["--scenario", "/nowhere.toml"], "/nowhere.toml"),
        (vec!["--bus", "1", "--ports", "/dev/null"], "/dev/null"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_boardsim")).arg("serve").args(&arguments).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && complaint.contains(reason), "{arguments:?}: {complaint}");
    }
}

/// If the truth goes to a file, the program still prints the ports of the boards.
#[test]
fn addresses_are_printed_when_truth_goes_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let arguments = ["serve", "--single", "2", "--ports", &path("ports"), "--truth", &path("truth")];
    let mut boards = Command::new(env!("CARGO_BIN_EXE_boardsim"));
    let mut boards = boards.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(boards.stdout.take().unwrap()).lines();
    let output: Vec<String> = lines.map_while(Result::ok).take(3).collect();
    boards.kill().unwrap();
    boards.wait().unwrap();
    assert_eq!(output[0], format!("board-1: 1 board at {}", path("ports/board-1")));
    assert_eq!(output[1], format!("board-2: 1 board at {}", path("ports/board-2")));
    assert_eq!(output[2], format!("the truth about them goes to {}; Ctrl-C ends it", path("truth")));
}
