//! Requests to other stations through `curl`, which speaks HTTP and TLS. The options go through standard input: no address stands in a list of
//! processes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use crate::curl::quoted;

/// Longest head of an answer, in bytes.
const MAX_HEAD_LEN: u64 = 64 << 10;
/// Time without a byte after which a request ends, in seconds.
const SILENCE: u32 = 40;
/// Largest file that is fetched, in bytes.
const MAX_FILE_SIZE: u64 = 32 << 20;
/// Longest message of `curl` that is kept, in bytes.
const MAX_MESSAGE_LEN: u64 = 1000;

/// Head of an answer.
#[derive(Debug, Default)]
pub(super) struct AnswerHead {
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

/// Options of `curl` for requests, one a line.
#[derive(Debug)]
struct CurlOptions(String);

impl CurlOptions {
    /// Begins the options of a request; `ca` is a file with the certificates to trust.
    fn new(ca: Option<&Path>) -> io::Result<CurlOptions> {
        let mut options = CurlOptions(String::new());
        for switch in ["globoff", "silent", "show-error", "suppress-connect-headers", "no-buffer"] {
            options.0 += &format!("{switch}\n");
        }
        options.add("proto", "=http,https")?.add("connect-timeout", "10")?;
        options.add("speed-limit", "1")?.add("speed-time", &SILENCE.to_string())?;
        options.add("user-agent", concat!("damcast-hub/", env!("CARGO_PKG_VERSION")))?;
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
pub(super) struct CurlProcess {
    child: Child,
    messages: Option<ChildStderr>,
}

impl CurlProcess {
    fn start(options: &CurlOptions) -> io::Result<(CurlProcess, BufReader<ChildStdout>)> {
        let mut child = Command::new("curl")
            .args(["-q", "--config", "-", "--no-buffer"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("curl cannot be started: {error}; install it")))?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(options.0.as_bytes())?;
        }
        let (output, messages) = (child.stdout.take(), child.stderr.take());
        let output = output.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((CurlProcess { child, messages }, BufReader::new(output)))
    }

    /// Waits for the end of a process whose output has ended.
    fn finish(mut self) -> io::Result<()> {
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(self.message())) }
    }

    /// Returns what the process said; call it when the process has ended.
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
pub(super) struct LineAnswer {
    /// Head of the answer.
    pub head: AnswerHead,
    /// The lines.
    pub lines: BufReader<ChildStdout>,
    process: CurlProcess,
}

impl LineAnswer {
    /// Sends a request and reads the head of the answer. `ca` is a file with the certificates to trust.
    pub fn open(url: &str, ca: Option<&Path>) -> io::Result<LineAnswer> {
        let mut options = CurlOptions::new(ca)?;
        options.0 += "include\n";
        options.add("url", url)?;
        let (mut process, mut lines) = CurlProcess::start(&options)?;
        match AnswerHead::read(&mut lines) {
            Ok(head) => Ok(LineAnswer { head, lines, process }),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(io::Error::other(process.message())),
            Err(_) => Err(io::Error::other("the answer is not HTTP")),
        }
    }

    /// Returns the reason for the end of the answer.
    pub fn reason(mut self) -> String {
        let ended = self.process.child.wait().is_ok_and(|status| status.success());
        if ended { "the connection has ended".to_owned() } else { self.process.message() }
    }
}

/// Fetches a document; `None` if `known`, the entity tag of an earlier answer, is still that of the document. Returns also its entity tag.
pub(super) fn get(url: &str, ca: Option<&Path>, known: Option<&str>) -> io::Result<Option<(Vec<u8>, String)>> {
    let mut options = CurlOptions::new(ca)?;
    options.0 += "include\n";
    options.add("url", url)?.add("max-time", "60")?.add("max-filesize", &MAX_FILE_SIZE.to_string())?;
    if let Some(known) = known {
        options.add("header", &format!("If-None-Match: {known}"))?;
    }
    let (mut process, mut output) = CurlProcess::start(&options)?;
    let head = match AnswerHead::read(&mut output) {
        Ok(head) => head,
        Err(_) => return Err(io::Error::other(process.message())),
    };
    let mut body = Vec::new();
    output.take(MAX_FILE_SIZE + 1).read_to_end(&mut body)?;
    if body.len() as u64 > MAX_FILE_SIZE {
        return Err(io::Error::other("the answer is too large"));
    }
    process.finish()?;
    match head.status {
        200 => Ok(Some((body, head.header("etag").unwrap_or_default().to_owned()))),
        304 if known.is_some() => Ok(None),
        status => Err(io::Error::other(format!("the answer has the status {status}"))),
    }
}

/// Fetches files into a folder, in one process, under the names `0`, `1`, …; those that cannot be fetched are missing there.
pub(super) fn get_files(urls: &[String], ca: Option<&Path>, folder: &Path) -> io::Result<()> {
    let mut options = CurlOptions::new(ca)?;
    options.0 += "fail\n";
    options.add("max-filesize", &MAX_FILE_SIZE.to_string())?;
    for (url, index) in urls.iter().zip(0_u32..) {
        options.add("url", url)?.add("output", &folder.join(index.to_string()).to_string_lossy())?;
    }
    let (mut process, mut output) = CurlProcess::start(&options)?;
    io::copy(&mut output, &mut io::sink())?;
    // The file that failed is missing; the others are right.
    process.child.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_add_options() {
        let mut options = CurlOptions(String::new());
        assert_eq!(options.add("url", "a\"b\\c -o FILE").unwrap().0, "url = \"a\\\"b\\\\c -o FILE\"\n");
        for wrong in ["a\nurl = x", "a\r", "\0"] {
            assert!(options.add("url", wrong).is_err(), "{wrong:?}");
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
