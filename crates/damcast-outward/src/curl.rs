//! Fetches addresses with a `curl` child process, which brings TLS and proxies.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Exit code of curl when the time limit is over.
const TIMED_OUT: i32 = 28;

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
        let config = self.curl_config()?;
        let began = Instant::now();
        let mut curl = Command::new("curl")
            .args(["-q", "--config", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| io::Error::other(format!("curl cannot be run: {error}; install it")))?;
        // A curl that ends early says why on standard error.
        let _ = curl.stdin.take().map(|mut input| input.write_all(config.as_bytes()));
        let mut output = Vec::new();
        let limit = self.max_size.saturating_add(1024);
        let read = curl.stdout.take().map_or(Ok(0), |stdout| stdout.take(limit).read_to_end(&mut output));
        if output.len() as u64 >= limit || read.is_err() {
            curl.kill()?;
        }
        let mut words = String::new();
        let _ = curl.stderr.take().map(|stderr| stderr.take(4096).read_to_string(&mut words));
        let status = curl.wait()?;
        read?;
        if output.len() as u64 >= limit {
            return Err(io::Error::other(format!("the answer is larger than {} bytes", self.max_size)));
        }
        match status.code() {
            Some(0) => {}
            Some(TIMED_OUT) => {
                let text = format!("no complete answer within {} s", self.time_limit.as_secs_f32());
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            _ => return Err(io::Error::other(words.trim().to_owned())),
        }
        parse(output, began.elapsed()).ok_or_else(|| io::Error::other("the answer is not that of a web server"))
    }

    /// Returns the options of curl, which reads them from its standard input: they may hold passwords.
    fn curl_config(&self) -> io::Result<String> {
        Ok(format!(
            "url = {}\nproto = \"=http,https\"\ngloboff\nsilent\nshow-error\nmax-time = {}\nuser-agent = {}\n\
             write-out = \"\\n%{{http_code}} %{{content_type}}\"\n",
            quoted(self.address)?,
            self.time_limit.as_secs_f32(),
            quoted(self.user_agent)?
        ))
    }
}

/// Quotes a value for the options of curl.
///
/// # Errors
///
/// Returns an error if the value has control characters, which could begin another option.
pub(crate) fn quoted(value: &str) -> io::Result<String> {
    match value.chars().any(char::is_control) {
        true => Err(io::Error::other(format!("invalid address {value:?}: expected no control characters"))),
        false => Ok(format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))),
    }
}

/// Splits the output of curl into the body and the line of the status behind it.
fn parse(mut output: Vec<u8>, elapsed: Duration) -> Option<FetchedAnswer> {
    let end = output.iter().rposition(|byte| *byte == b'\n')?;
    let line = String::from_utf8_lossy(&output[end + 1..]).into_owned();
    let (status, content_type) = line.split_once(' ').unwrap_or((&line, ""));
    let status = status.parse().ok().filter(|status| *status != 0)?;
    output.truncate(end);
    Some(FetchedAnswer { status, content_type: content_type.trim().to_owned(), body: output, elapsed })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn fetch(address: &str, time_limit: Duration) -> io::Result<FetchedAnswer> {
        Fetch { address, user_agent: "test \"1\"", time_limit, max_size: 1000 }.run()
    }

    /// Serves one answer, and returns the address with the request that comes.
    fn serve(answer: Vec<u8>) -> (String, std::thread::JoinHandle<String>) {
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
            let (address, serving) = serve([head.as_bytes(), body].concat());
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
        let (address, _) = serve(b"HTTP/1.1 200 OK\r\n\r\n".iter().copied().chain([b'x'; 100_000]).collect());
        assert!(error(&address).contains("larger than 1000 bytes"));
        // Nobody accepts the connection: the kernel does, and no answer comes.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let late = fetch(&format!("http://{}/", silent.local_addr().unwrap()), Duration::from_millis(200)).unwrap_err();
        assert_eq!(
            (late.kind(), late.to_string().as_str()),
            (io::ErrorKind::TimedOut, "no complete answer within 0.2 s")
        );
    }
}
