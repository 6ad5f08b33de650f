//! Many viewers of one stream of events, watched by one thread that waits for all of them at once (epoll).

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Nothing that is waited for takes longer.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// It looks so often whether something has come, and does not wait for each byte: to wake a thread of the same machine for every
/// write would be work of the server that viewers elsewhere do not make.
const CHECK_INTERVAL: Duration = Duration::from_millis(4);
/// After so long without a byte nothing more is under way.
const QUIET: Duration = Duration::from_millis(400);

/// Streams that are open, all of the same address and path.
pub struct Watchers {
    waiting: OwnedFd,
    streams: Vec<TcpStream>,
    /// So many of them are never read.
    unread_count: usize,
    /// Nothing more had come when it was looked last.
    is_drained: bool,
}

impl Watchers {
    /// So many viewers ask for a path; the last `unread` of them never read what comes.
    pub fn connect(address: &str, path: &str, count: usize, unread_count: usize) -> Watchers {
        raise_open_file_limit();
        let waiting = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let mut streams = Vec::with_capacity(count);
        for index in 0..count {
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            if index + unread_count < count {
                let data = epoll::EventData::new_u64(index as u64);
                epoll::add(&waiting, &stream, data, epoll::EventFlags::IN).unwrap();
            }
            streams.push(stream);
        }
        Watchers { waiting, streams, unread_count, is_drained: true }
    }

    /// How many read.
    pub fn reader_count(&self) -> usize {
        self.streams.len() - self.unread_count
    }

    /// Reads until nothing has come for a while.
    pub fn read_until_quiet(&mut self) {
        let begun = Instant::now();
        let mut last = Instant::now();
        while last.elapsed() < QUIET {
            assert!(begun.elapsed() < MAX_WAIT, "the streams do not come to rest");
            if self.read(|_, _| ()) > 0 {
                last = Instant::now();
            }
        }
    }

    /// When each of the readers has read a whole board (not the greeting alone), and what the first of them has read.
    pub fn wait_for_all(&mut self) -> (Vec<Instant>, Vec<u8>) {
        let begun = Instant::now();
        let (mut done, mut first) = (vec![None; self.reader_count()], Vec::new());
        let mut missing = done.len();
        while missing > 0 {
            assert!(begun.elapsed() < MAX_WAIT, "{missing} viewers of {} were not told", done.len());
            self.read(|index, bytes| {
                if index == 0 {
                    first.extend_from_slice(bytes);
                }
                if done[index].is_none() && is_an_event(bytes) {
                    done[index] = Some(Instant::now());
                    missing -= 1;
                }
            });
        }
        (done.into_iter().flatten().collect(), first)
    }

    /// Reads what has come, now or in [`CHECK_INTERVAL`]; how many streams had something.
    pub fn read(&mut self, mut read: impl FnMut(usize, &[u8])) -> usize {
        let mut events =
            [const { epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) } }; 512];
        if self.is_drained {
            std::thread::sleep(CHECK_INTERVAL);
        }
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let count = match epoll::wait(&self.waiting, &mut events, Some(&at_once)) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR) => 0,
            Err(error) => panic!("{error}"),
        };
        self.is_drained = count < events.len();
        let mut buffer = [0; 64 << 10];
        for event in &events[..count] {
            let index = event.data.u64() as usize;
            match self.streams[index].read(&mut buffer) {
                Ok(0) => panic!("viewer {index}: the stream has ended"),
                Ok(length) => read(index, &buffer[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("viewer {index}: {error}"),
            }
        }
        count
    }
}

/// These bytes have the end of an event about a board.
fn is_an_event(bytes: &[u8]) -> bool {
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    has(b"\"board\":") && has(b"}\n\n")
}

fn raise_open_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}
