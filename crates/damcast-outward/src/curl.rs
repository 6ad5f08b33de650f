//! Requests through a `curl` child process, which speaks HTTP and TLS and knows proxies. The options go through standard input: no address is
//! in a list of processes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest head of an answer, in bytes.
const MAX_HEAD_LEN: u64 = 64 << 10;
/// Time without a byte after which a request ends, in seconds.
const SILENCE: u32 = 40;
/// Largest file that is fetched, in bytes.
const MAX_FILE_SIZE: u64 = 32 << 20;
/// Exit code of `curl` when a file is larger than the limit.
const TOO_LARGE: u8 = 63;
/// Longest message of `curl` that is kept, in bytes.
const MAX_MESSAGE_LEN: u64 = 1000;
/// Exit code of `curl` when the time limit is over.
const TIMED_OUT: i32 = 28;
/// Name of the hub, sent as `User-Agent`.
const HUB_AGENT: &str = concat!("damcast-hub/", env!("CARGO_PKG_VERSION"));
/// Error of an answer that is not that of a web server.
const NO_HTTP: &str = "the answer is not HTTP";

/// Request for an address.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// Address: `http://…` or `https://…`.
    pub address: &'a str,
    /// Name of the program, sent as `User-Agent`.
    pub user_agent: &'a str,
    /// Longest time until the answer is complete.
    pub time_limit: Duration,
    /// Largest answer, in bytes.
    pub max_size: u64,
}

/// Answer of a web server. Redirections are not followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchedAnswer {
    /// Status code.
    pub status: u16,
    /// Content type; empty without one.
    pub content_type: String,
    /// Body.
    pub body: Vec<u8>,
    /// Time until the answer was complete.
    pub elapsed: Duration,
}

impl Fetch<'_> {
    /// Fetches the address.
    ///
    /// # Errors
    ///
    /// Returns an error with curl's own words if there is no complete answer, curl is missing, or the address has control characters.
    pub fn run(&self) -> io::Result<FetchedAnswer> {
        let mut options = CurlOptions::new(self.user_agent, None)?;
        options.add("url", self.address)?.add("max-time", &self.time_limit.as_secs_f32().to_string())?;
        let began = Instant::now();
        let (mut process, mut answer) = CurlProcess::start(&options)?;
        let head = AnswerHead::read(&mut answer);
        let mut body = Vec::new();
        answer.take(self.max_size.saturating_add(1)).read_to_end(&mut body)?;
        if body.len() as u64 > self.max_size {
            return Err(io::Error::other(format!("the answer is larger than {} bytes", self.max_size)));
        }
        match process.child.wait()?.code() {
            Some(0) => {}
            Some(TIMED_OUT) => {
                let text = format!("no complete answer within {} s", self.time_limit.as_secs_f32());
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            _ => return Err(io::Error::other(process.message())),
        }
        let head = head.map_err(|_| io::Error::other(NO_HTTP))?;
        let content_type = head.header("content-type").unwrap_or_default().to_owned();
        Ok(FetchedAnswer { status: head.status, content_type, body, elapsed: began.elapsed() })
    }
}

/// Head of an answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerHead {
    /// Status, as 200.
    pub status: u16,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
}

impl AnswerHead {
    /// Returns the value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Reads a head, past those of interim answers.
    fn read(from: &mut impl BufRead) -> io::Result<AnswerHead> {
        loop {
            let mut head = AnswerHead::default();
            let mut lines = from.take(MAX_HEAD_LEN);
            let mut line = Vec::new();
            loop {
                line.clear();
                if lines.read_until(b'\n', &mut line)? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end();
                if text.is_empty() {
                    break;
                }
                match text.split_once(':') {
                    _ if head.status == 0 => head.status = status(text).ok_or(io::ErrorKind::InvalidData)?,
                    Some((name, value)) => head.headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
                    None => return Err(io::ErrorKind::InvalidData.into()),
                }
            }
            if !(100..200).contains(&head.status) {
                return Ok(head);
            }
        }
    }
}

/// Parses `HTTP/1.1 200 OK`.
fn status(line: &str) -> Option<u16> {
    line.strip_prefix("HTTP/")?.split_whitespace().nth(1)?.parse().ok()
}

/// Quotes a value for the options of curl.
///
/// # Errors
///
/// Returns an error if the value has control characters, which could begin another option.
fn quoted(value: &str) -> io::Result<String> {
    match value.chars().any(char::is_control) {
        true => Err(io::Error::other(format!("invalid address {value:?}: expected no control characters"))),
        false => Ok(format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))),
    }
}

/// Options of `curl` for requests, one a line.
#[derive(Debug)]
struct CurlOptions(String);

impl CurlOptions {
    /// Begins the options of a request for an answer with its head. `user_agent` names the program, `ca` is a file with the certificates to
    /// trust.
    fn new(user_agent: &str, ca: Option<&Path>) -> io::Result<CurlOptions> {
        let mut options = CurlOptions(String::new());
        for switch in ["globoff", "silent", "show-error", "suppress-connect-headers", "include", "no-buffer"] {
            options.0 += &format!("{switch}\n");
        }
        options.add("proto", "=http,https")?.add("connect-timeout", "10")?;
        options.add("speed-limit", "1")?.add("speed-time", &SILENCE.to_string())?;
        options.add("user-agent", user_agent)?;
        if let Some(ca) = ca {
            options.add("cacert", &ca.to_string_lossy())?;
        }
        Ok(options)
    }

    fn add(&mut self, name: &str, value: &str) -> io::Result<&mut CurlOptions> {
        self.0 += &format!("{name} = {}\n", quoted(value)?);
        Ok(self)
    }
}

/// Running `curl`; dropping it ends the process.
#[derive(Debug)]
pub(crate) struct CurlProcess {
    child: Child,
    messages: Option<ChildStderr>,
}

impl CurlProcess {
    fn start(options: &CurlOptions) -> io::Result<(CurlProcess, BufReader<ChildStdout>)> {
        let mut child = Command::new("curl")
            .args(["-q", "--config", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("curl cannot be started: {error}; install it")))?;
        // A curl that ends early says why on standard error.
        let _ = child.stdin.take().map(|mut input| input.write_all(options.0.as_bytes()));
        let (output, messages) = (child.stdout.take(), child.stderr.take());
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((CurlProcess { child, messages }, BufReader::new(output)))
    }

    /// Returns the message of the process; call it when the process has ended.
    fn message(&mut self) -> String {
        let mut text = Vec::new();
        let _ = self.messages.take().map(|messages| messages.take(MAX_MESSAGE_LEN).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).trim().replace('\n', "; ");
        if text.is_empty() { "curl ended without an answer".to_owned() } else { text }
    }
}

impl Drop for CurlProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answer that stays open, read line by line.
#[derive(Debug)]
pub(crate) struct LineAnswer {
    /// Head of the answer.
    pub head: AnswerHead,
    /// The lines.
    pub lines: BufReader<ChildStdout>,
    process: CurlProcess,
}

impl LineAnswer {
    /// Sends a request and reads the head of the answer. `ca` is a file with the certificates to trust.
    pub fn open(url: &str, ca: Option<&Path>) -> io::Result<LineAnswer> {
        let mut options = CurlOptions::new(HUB_AGENT, ca)?;
        // These replace the values of other requests: a server writes a line every five seconds.
        options.add("speed-time", "12")?.add("connect-timeout", "8")?.add("url", url)?;
        let (mut process, mut lines) = CurlProcess::start(&options)?;
        match AnswerHead::read(&mut lines) {
            Ok(head) => Ok(LineAnswer { head, lines, process }),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(io::Error::other(process.message())),
            Err(_) => Err(io::Error::other(NO_HTTP)),
        }
    }

    /// Returns the reason for the end of the answer.
    pub fn reason(mut self) -> String {
        let ended = self.process.child.wait().is_ok_and(|status| status.success());
        if ended { "the connection has ended".to_owned() } else { self.process.message() }
    }
}

/// Request for a file.
#[derive(Debug)]
pub(crate) struct FileRequest {
    /// Address.
    pub url: String,
    /// Entity tag of the file that is known already.
    pub known: Option<String>,
}

/// Answer to a request for a file: its content and entity tag; `None` if the known one is still right.
pub(crate) type FileAnswer = io::Result<Option<(Vec<u8>, String)>>;

/// Fetches files one after the other, in one process and over one connection. A failed connection ends the list of answers.
pub(crate) fn get_files(requests: &[FileRequest], ca: Option<&Path>) -> io::Result<Vec<FileAnswer>> {
    let folder = tempfile::tempdir()?;
    let file = |index: usize| folder.path().join(index.to_string());
    let mut options = CurlOptions(String::new());
    for (request, index) in requests.iter().zip(0..) {
        options.0 += if index > 0 { "next\n" } else { "" };
        options.0 += &CurlOptions::new(HUB_AGENT, ca)?.0;
        options.add("url", &request.url)?.add("output", &file(index).to_string_lossy())?;
        // `curl` cannot limit an answer that does not give its size, but the time and the rate.
        options.add("max-filesize", &MAX_FILE_SIZE.to_string())?.add("max-time", "60")?.add("limit-rate", "8M")?;
        // Standard error has no buffer: the line comes when the file is whole.
        options.add("write-out", "%{stderr}%{exitcode}\\n")?;
        if let Some(known) = &request.known {
            options.add("header", &format!("If-None-Match: {known}"))?;
        }
    }
    let (mut process, _) = CurlProcess::start(&options)?;
    let outcomes = process.messages.take().ok_or(io::ErrorKind::BrokenPipe)?.take(MAX_HEAD_LEN);
    let (mut answers, mut message) = (Vec::new(), String::new());
    for line in BufReader::new(outcomes).lines() {
        let (line, index) = (line?, answers.len());
        let Some(request) = requests.get(index) else { break };
        match line.parse::<u8>() {
            Ok(0) => answers.push(read_answer(&file(index), request)),
            Ok(code) => {
                answers.push(Err(io::Error::other(std::mem::take(&mut message))));
                if code != TOO_LARGE {
                    break;
                }
            }
            Err(_) => message = line,
        }
    }
    // Not even the first outcome: `curl` could not begin.
    if answers.is_empty() && !message.is_empty() { Err(io::Error::other(message)) } else { Ok(answers) }
}

/// Reads the answer that `curl` has written into a file.
fn read_answer(file: &Path, request: &FileRequest) -> FileAnswer {
    let mut answer = BufReader::new(File::open(file)?);
    let head = AnswerHead::read(&mut answer)?;
    match head.status {
        200 => {
            let mut body = Vec::new();
            answer.take(MAX_FILE_SIZE + 1).read_to_end(&mut body)?;
            if body.len() as u64 > MAX_FILE_SIZE {
                return Err(io::Error::other("the answer is too large"));
            }
            Ok(Some((body, head.header("etag").unwrap_or_default().to_owned())))
        }
        304 if request.known.is_some() => Ok(None),
        status => Err(io::Error::other(format!("the answer has the status {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn fetch(address: &str, time_limit: Duration) -> io::Result<FetchedAnswer> {
        Fetch { address, user_agent: "test \"1\"", time_limit, max_size: 1000 }.run()
    }

    /// Serves one answer, and returns the address with the request that comes.
    fn serve_once(answer: Vec<u8>) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/a", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            // A reader of a large answer leaves early.
            let _ = stream.write_all(&answer);
            String::from_utf8(request).unwrap()
        });
        (address, serving)
    }

    #[test]
    fn returns_status_type_and_exact_body() {
        for body in [&b"a\n\xff\n\n"[..], b"", b"\n200 x"] {
            let head =
                format!("HTTP/1.1 404 No\r\nContent-Type: text/x; a=b\r\nContent-Length: {}\r\n\r\n", body.len());
            let (address, serving) = serve_once([head.as_bytes(), body].concat());
            let answer = fetch(&format!("{address}?q=\"\\[1-2]{{x}}"), Duration::from_secs(30)).unwrap();
            assert_eq!((answer.status, answer.content_type.as_str(), &*answer.body), (404, "text/x; a=b", body));
            let request = serving.join().unwrap();
            assert!(request.contains("\r\nUser-Agent: test \"1\"\r\n"), "{request}");
        }
    }

    #[test]
    fn refuses_bad_addresses_and_answers() {
        let error = |address: &str| fetch(address, Duration::from_secs(30)).unwrap_err().to_string();
        assert!(error("http://127.0.0.1/\noutput = \"/tmp/x\"").contains("no control characters"));
        assert!(error("file:///etc/passwd").contains("curl: (1)"), "{}", error("file:///etc/passwd"));
        assert!(error("http://127.0.0.1:1/").contains("curl: (7)"));
        let (address, _) = serve_once(b"HTTP/1.1 200 OK\r\n\r\n".iter().copied().chain([b'x'; 100_000]).collect());
        assert!(error(&address).contains("larger than 1000 bytes"));
        // Nobody accepts the connection: the kernel does, and no answer comes.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let late = fetch(&format!("http://{}/", silent.local_addr().unwrap()), Duration::from_millis(200)).unwrap_err();
        assert_eq!(
            (late.kind(), late.to_string().as_str()),
            (io::ErrorKind::TimedOut, "no complete answer within 0.2 s")
        );
    }

    #[test]
    fn values_cannot_add_options() {
        let mut options = CurlOptions(String::new());
        assert_eq!(options.add("url", "a\"b\\c -o FILE").unwrap().0, "url = \"a\\\"b\\\\c -o FILE\"\n");
        for wrong in ["a\nurl = x", "a\r", "\0"] {
            assert!(options.add("url", wrong).is_err(), "{wrong:?}");
        }
    }

    /// Answers requests by their paths, one for each connection; returns the address.
    fn serve() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (mut request, mut lines) = (String::new(), BufReader::new(stream.try_clone().unwrap()).lines());
                while let Some(Ok(line)) = lines.next().filter(|line| line.as_ref().is_ok_and(|line| !line.is_empty()))
                {
                    request += &line;
                }
                let path = request.split(' ').nth(1).unwrap_or_default();
                let (status, length) = match path {
                    "/same" if request.contains("If-None-Match: \"1\"") => ("304 Not Modified", "ETag: \"1\""),
                    "/missing" => ("404 Not Found", "Content-Length: 3"),
                    "/large" => ("200 OK", "Content-Length: 99999999"),
                    "/cut" => ("200 OK", "Content-Length: 100"),
                    _ => ("200 OK", "ETag: \"1\"\r\nContent-Length: 3"),
                };
                let body = if status.starts_with("304") { "" } else { "abc" };
                let _ = stream
                    .write_all(format!("HTTP/1.1 {status}\r\n{length}\r\nConnection: close\r\n\r\n{body}").as_bytes());
            }
        });
        address
    }

    #[test]
    fn missing_large_and_cut_files_are_errors() {
        let address = serve();
        let known = |path: &str| Some("\"1\"".to_owned()).filter(|_| path == "same");
        let request = |path: &str| FileRequest { url: format!("{address}/{path}"), known: known(path) };
        let fetch =
            |paths: &[&str]| get_files(&paths.iter().map(|path| request(path)).collect::<Vec<_>>(), None).unwrap();
        let answers = fetch(&["whole", "same", "missing", "large", "whole", "cut", "whole"]);
        let right = Some((b"abc".to_vec(), "\"1\"".to_owned()));
        assert_eq!(answers.len(), 6, "the cut answer is the last: {answers:?}");
        let (errors, files): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_err);
        assert_eq!(files.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [right.clone(), None, right]);
        let errors: Vec<String> = errors.into_iter().map(|error| error.unwrap_err().to_string()).collect();
        for (error, words) in errors.iter().zip(["the status 404", "Maximum file size", "bytes remaining"]) {
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn heads_are_read_past_interim_answers() {
        let read = |text: &str| AnswerHead::read(&mut BufReader::new(text.as_bytes()));
        let head = read("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/2 200 \r\nETag: \"a:b\"\r\n\r\nbody").unwrap();
        assert_eq!((head.status, head.header("etag")), (200, Some("\"a:b\"")));
        for wrong in
            ["", "HTTP/1.1 200 OK\r\n", "<html>\r\n\r\n", "HTTP/1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "x".repeat(70_000))).is_err());
    }
}
