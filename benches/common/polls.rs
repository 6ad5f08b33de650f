//! Viewers that poll: requests on open connections, and the cache of nginx in front of the pages.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Configuration of the cache.
const CACHE_EXAMPLE: &str = include_str!("../../config/examples/nginx-cache.conf");

/// nginx with the example of a cache in front of a server, with one worker. Dropping it stops it.
pub struct Cache {
    process: Child,
    folder: tempfile::TempDir,
    pub address: String,
}

impl Cache {
    /// Starts nginx; `None` if it is not installed.
    pub fn start(server: &str) -> Option<Cache> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].into_iter().find(|program| Path::new(program).exists())?;
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (at, address) = (folder.path().display(), TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
        let example = CACHE_EXAMPLE
            .replace("    listen [::]:80;\n", "")
            .replace("listen 80;", &format!("listen {address};"))
            .replace("http://127.0.0.1:8080", &format!("http://{server}"))
            .replace("/var/cache/nginx/damcast", &format!("{at}/cache"));
        let config = format!(
            "user root; daemon off; worker_processes 1; pid {at}/pid; error_log {at}/errors;\nevents {{ worker_connections 2000; }}\n\
             http {{ keepalive_requests 1000000; log_format behind '$upstream_response_time'; map $upstream_response_time $is_behind {{ '' 0; default 1; }}\n\
             access_log {at}/behind behind if=$is_behind; client_body_temp_path {at}/body; proxy_temp_path {at}/proxy;\n\
             fastcgi_temp_path {at}/fastcgi; uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n{example}\n}}\n"
        );
        fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).arg("-c").arg(folder.path().join("nginx.conf"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let cache = Cache { process, address: address.to_string(), folder };
        while TcpStream::connect(&cache.address).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(cache)
    }

    /// Returns the number of requests that reached the server behind the cache.
    pub fn behind(&self) -> usize {
        fs::read_to_string(self.folder.path().join("behind")).map_or(0, |text| text.lines().count())
    }

    /// Returns the process that answers.
    pub fn worker(&self) -> Vec<u32> {
        let master = self.process.id();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
        children.split_whitespace().take(1).map(|child| child.parse().unwrap()).collect()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.process),
            rustix::process::Signal::TERM,
        );
        let _ = self.process.wait();
    }
}

/// Answer to a poll.
pub struct PollAnswer {
    pub status: u16,
    pub tag: String,
    /// Size with its head, in bytes.
    pub size: usize,
}

/// Viewers with open connections, who ask all at once.
pub struct Pollers {
    connections: Vec<BufReader<TcpStream>>,
    request: Vec<u8>,
}

impl Pollers {
    /// Connects viewers who ask for a path; with a tag, only for another page than that of the tag.
    pub fn connect(address: &str, path: &str, tag: Option<&str>, count: usize) -> Pollers {
        let tag = tag.map_or(String::new(), |tag| format!("If-None-Match: {tag}\r\n"));
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n{tag}\r\n").into_bytes();
        let connect = || {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            BufReader::with_capacity(64 << 10, stream)
        };
        Pollers { connections: (0..count).map(|_| connect()).collect(), request }
    }

    /// Sends a request on each connection, and returns the last answer.
    pub fn poll(&mut self) -> PollAnswer {
        for connection in &mut self.connections {
            connection.get_mut().write_all(&self.request).unwrap();
        }
        self.connections.iter_mut().map(read_answer).last().unwrap()
    }

    /// Polls for a time. Returns the number of answers.
    pub fn poll_for(&mut self, duration: Duration) -> usize {
        let (began, mut count) = (Instant::now(), 0);
        while began.elapsed() < duration {
            self.poll();
            count += self.connections.len();
        }
        count
    }
}

fn read_answer(connection: &mut BufReader<TcpStream>) -> PollAnswer {
    let (mut answer, mut length, mut line) = (PollAnswer { status: 0, tag: String::new(), size: 0 }, 0, String::new());
    loop {
        line.clear();
        answer.size += connection.read_line(&mut line).unwrap();
        let (name, value) = line.trim_end().split_once(": ").unwrap_or((line.trim_end(), ""));
        match name.to_ascii_lowercase().as_str() {
            "" => break,
            "etag" => value.clone_into(&mut answer.tag),
            "content-length" => length = value.parse().unwrap(),
            "transfer-encoding" => panic!("an answer without a length"),
            status if status.starts_with("http/1.1 ") => answer.status = status[9..12].parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).unwrap();
    answer.size += length;
    answer
}
