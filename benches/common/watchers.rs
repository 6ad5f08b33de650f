//! Viewers of one stream of events, all served by one thread with epoll.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Time limit for every wait.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Interval between reads. Waking a thread of this machine for every write would cost the server work that remote viewers do not cause.
const CHECK_INTERVAL: Duration = Duration::from_millis(4);
/// Time without a byte after which nothing more is expected.
const QUIET: Duration = Duration::from_millis(400);

/// Open streams, all of the same address and path.
pub struct Watchers {
    waiting: OwnedFd,
    streams: Vec<TcpStream>,
    /// Number of streams that are never read.
    unread_count: usize,
    /// Whether the last check found nothing to read.
    is_drained: bool,
}

impl Watchers {
    /// Connects `count` viewers to a path; the last `unread_count` of them never read.
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

    /// Returns the number of streams that are read.
    pub fn reader_count(&self) -> usize {
        self.streams.len() - self.unread_count
    }

    /// Reads until nothing arrives for [`QUIET`].
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

    /// Returns the time at which each reader had received a whole board (not only the greeting), and the bytes of the first reader.
    pub fn wait_for_all(&mut self) -> (Vec<Instant>, Vec<u8>) {
        let begun = Instant::now();
        let (mut done, mut first) = (vec![None; self.reader_count()], Vec::new());
        let mut missing = done.len();
        while missing > 0 {
            assert!(begun.elapsed() < MAX_WAIT, "{missing} of {} viewers received nothing", done.len());
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

    /// Reads what is available within [`CHECK_INTERVAL`]; returns the number of streams with bytes.
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

/// Whether the bytes contain the end of an event about a board.
fn is_an_event(bytes: &[u8]) -> bool {
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    has(b"\"board\":") && has(b"}\n\n")
}

fn raise_open_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}
