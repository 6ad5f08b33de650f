//! A pseudo-terminal with a simple board at its other end.
//!
//! The board plays a recording and answers a query for the position with the position; a station needs no more. The terminal is raw before
//! its name appears, so none of the board's bytes are echoed.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Time limit of every wait: machines can be slow.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(condition: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "waited {TIMEOUT:?} in vain: {condition}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A pseudo-terminal whose name is a link. Dropping it unplugs the board.
pub struct Pty {
    master: File,
    /// Kept open: without it the other end reads errors while no process has opened it.
    _slave: OwnedFd,
    link: PathBuf,
    /// All bytes from the station.
    pub received: Vec<u8>,
}

/// Opens a terminal: the end of the observer, the end of a program, and its name.
pub fn pair() -> (File, OwnedFd, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = rustix::fs::open(name.as_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, 0.into()).unwrap();
    (master.into(), slave, name)
}

impl Pty {
    /// Plugs in a board under this name.
    pub fn plug_in(link: &Path) -> Pty {
        let (master, slave, name) = pair();
        let mut raw = tcgetattr(&slave).unwrap();
        raw.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &raw).unwrap();
        fcntl_setfl(&master, OFlags::NONBLOCK).unwrap();
        let _ = std::fs::remove_file(link);
        symlink(name, link).unwrap();
        Pty { master, _slave: slave, link: link.to_owned(), received: Vec::new() }
    }

    /// Sends bytes to the station.
    pub fn send(&mut self, mut bytes: &[u8]) {
        let start = Instant::now();
        while !bytes.is_empty() {
            match self.master.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    assert!(start.elapsed() < TIMEOUT, "nobody reads what the board says");
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => panic!("the board cannot speak: {error}"),
            }
        }
    }

    /// Reads all available bytes from the station; returns the new part.
    pub fn receive(&mut self) -> Vec<u8> {
        let mut new = vec![0; 4096];
        let count = self.master.read(&mut new).unwrap_or(0);
        new.truncate(count);
        self.received.extend_from_slice(&new);
        new
    }

    /// Waits for the first bytes from the station, which show that the port is open.
    pub fn wait_for_the_station(&mut self) {
        wait_until("bytes from the station", || !self.receive().is_empty());
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.link);
    }
}

/// Maximum real time of a step: when this process gets no processor, hands pause instead of playing several moves at once.
const MAX_STEP: Duration = Duration::from_millis(20);
/// Time to put back one piece, in milliseconds.
const PLACING_MS: u64 = 400;
const SEND_POSITION: u8 = 0x42;
const POSITION: u8 = 0x86;
const FIELD_UPDATE: u8 = 0x8e;

/// A board that plays a recording.
#[derive(Clone)]
pub struct Board {
    /// Messages with their times in milliseconds.
    script: std::vec::IntoIter<(u64, Vec<u8>)>,
    next: Option<(u64, Vec<u8>)>,
    position: Vec<u8>,
    /// All bytes sent.
    pub sent: Vec<u8>,
    /// Milliseconds of the recording that have been played.
    now: u64,
    speed: f64,
    /// Real time of the last step, while it is played.
    last_step: Option<Instant>,
}

impl Board {
    /// Creates a board that plays these records `speed` times as fast.
    pub fn new(log: &damcast::engine::bytelog::ByteLog, speed: f64) -> Board {
        let mut script = Vec::new();
        for record in &log.records {
            let damcast::engine::bytelog::RecordKind::FromBoard(bytes) = &record.kind else { continue };
            let mut rest = bytes.as_slice();
            while let [_, high, low, ..] = *rest {
                let (message, after) = rest.split_at(usize::from(high) << 7 | usize::from(low));
                script.push((record.at, message.to_vec()));
                rest = after;
            }
        }
        let position = script.iter().find(|(_, message)| message[0] == POSITION).unwrap().1.clone();
        script.retain(|(_, message)| message[0] != POSITION);
        let mut script = script.into_iter();
        Board { next: script.next(), script, position, sent: Vec::new(), now: 0, speed, last_step: None }
    }

    /// Plays up to a time of the recording, or until `enough` holds. Time passes only here.
    pub fn play(&mut self, pty: &mut Pty, until_ms: u64, mut enough: impl FnMut() -> bool) {
        self.last_step = None;
        while self.now < until_ms && !enough() {
            self.run(pty);
            std::thread::sleep(Duration::from_millis(1));
        }
        self.last_step = None;
    }

    /// Plays everything due. Time passes from the first call on, for boards that are played together.
    pub fn run(&mut self, pty: &mut Pty) {
        let now = Instant::now();
        let step = now.duration_since(self.last_step.replace(now).unwrap_or(now)).min(MAX_STEP);
        self.advance(pty, self.now + (step.as_secs_f64() * 1000.0 * self.speed) as u64);
    }

    /// Sends all messages up to a time of the recording.
    pub fn advance(&mut self, pty: &mut Pty, now_ms: u64) {
        self.now = now_ms;
        self.answer(pty);
        while let Some((_, message)) = self.next.take_if(|(at, _)| *at <= now_ms) {
            if let [FIELD_UPDATE, _, _, field, piece] = *message {
                self.position[3 + usize::from(field)] = piece;
            }
            self.send(pty, &message);
            self.next = self.script.next();
        }
    }

    /// Returns the contents of the fields.
    pub fn fields(&self) -> &[u8] {
        &self.position[3..]
    }

    /// Whether the whole recording has been sent.
    pub fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// Puts the pieces back, one after the other, and then plays these records; its time starts anew.
    pub fn restart(&mut self, log: &damcast::engine::bytelog::ByteLog) {
        let wanted = Board::new(log, self.speed);
        let placed = self.position.iter().zip(&wanted.position).zip(0_u8..).skip(3);
        let placed = placed.filter(|((stands, wanted), _)| stands != wanted);
        let message = |((_, &piece), index): ((&u8, &u8), u8)| vec![FIELD_UPDATE, 0, 5, index - 3, piece];
        let mut script: Vec<(u64, Vec<u8>)> = (1..).map(|count| count * PLACING_MS).zip(placed.map(message)).collect();
        let begin = script.last().map_or(0, |(at, _)| at + PLACING_MS);
        script.extend(wanted.next.into_iter().chain(wanted.script).map(|(at, message)| (begin + at, message)));
        self.script = script.into_iter();
        (self.next, self.now) = (self.script.next(), 0);
    }

    /// Answers the station's queries.
    pub fn answer(&mut self, pty: &mut Pty) {
        for _ in pty.receive().iter().filter(|&&byte| byte == SEND_POSITION) {
            let position = self.position.clone();
            self.send(pty, &position);
        }
    }

    fn send(&mut self, pty: &mut Pty, message: &[u8]) {
        self.sent.extend_from_slice(message);
        pty.send(message);
    }
}
