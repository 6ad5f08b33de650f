//! Checks the public file as lidraughts would read it.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use damcast::station::config::Config;
use draughts_pdn::problem::Level;
use draughts_pdn::profile::{self, ReaderProfile};

use super::DoctorReport;
use super::machine::Machine;

/// Time that lidraughts waits for an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(4);
/// Duration from which an answer is late for pollers.
const SLOW_ANSWER: Duration = Duration::from_millis(1500);
/// Maximum size of a public file; no tournament has a larger one.
const MAX_FILE_SIZE: u64 = 16 << 20;
/// Age from which a copy is outdated rather than on its way.
const MAX_COPY_AGE: Duration = Duration::from_secs(60);
/// Number of errors listed per file.
const MAX_LISTED_ERRORS: usize = 5;
/// File of an outlet that programs poll.
const SNAPSHOT: &str = "games.pdn";

/// Checks the public file of each outlet of the station.
pub fn check_local(machine: &Machine, config: &Config, report: &mut DoctorReport) {
    for outlet in &config.outlets {
        let path = config.directory.join(&outlet.directory).join(SNAPSHOT);
        let Ok(bytes) = std::fs::read(machine.path(&path)) else { continue };
        let subject = path.display().to_string();
        if check_content(outlet.profile, &bytes, &subject, report) {
            report.ok("public file", format!("{subject} can be read by its readers"));
        }
    }
}

/// Checks the public file where spectators get it.
pub fn check_public(machine: &Machine, place: &str, config: &Config, report: &mut DoctorReport) {
    let began = Instant::now();
    let answer = match fetch(place) {
        Ok(answer) => answer,
        Err(error) => {
            let remedy = "is the address right, and the web server running? Try it in a browser on another network";
            report.problem("public address", place, format!("nothing can be got from there: {error}"), remedy);
            return;
        }
    };
    let before = report.faults.len();
    if began.elapsed() > SLOW_ANSWER && place.contains("://") {
        let message = format!("the answer took {} ms; lidraughts gives up after 4000", began.elapsed().as_millis());
        report.problem(
            "public address",
            place,
            message,
            "use a web server that is nearer or faster; serve the file as it is",
        );
    }
    if let Some(status) = answer.status.filter(|&status| status != 200) {
        let remedy =
            "lidraughts takes nothing but 200, and follows no redirection: give the address where the file itself is";
        report.problem("public address", place, format!("the server answers {status}"), remedy);
        return;
    }
    let is_utf_8 = answer.content_type.to_ascii_lowercase().replace(' ', "").contains("charset=utf-8");
    let is_text = answer.content_type.starts_with("text/");
    if answer.status.is_some() && is_text && !is_utf_8 && !answer.body.is_ascii() {
        report.problem(
            "public address",
            place,
            format!(
                "it is sent as `{}`: lidraughts reads that as ISO-8859-1, and names with accents become wrong",
                answer.content_type
            ),
            "let the server send `Content-Type: text/plain; charset=utf-8`",
        );
    }
    check_content(ReaderProfile::Lidraughts, &answer.body, place, report);
    let age = |path: &Path| SystemTime::now().duration_since(std::fs::metadata(path).ok()?.modified().ok()?).ok();
    let ours = config.outlets.iter().filter_map(|outlet| {
        let path = machine.path(config.directory.join(&outlet.directory).join(SNAPSHOT));
        Some((std::fs::read(&path).ok()?, age(&path)?))
    });
    let ours: Vec<(Vec<u8>, Duration)> = ours.collect();
    // Use the newest age: the address shows only one of several outlets.
    if let Some(age) = ours.iter().map(|(_, age)| *age).min()
        && ours.iter().all(|(text, _)| *text != answer.body)
        && age > MAX_COPY_AGE
    {
        report.problem(
            "public address",
            place,
            format!("it is not what the station wrote {} s ago", age.as_secs()),
            "see to the copying of public/ to the web server; is it another round's address?",
        );
    }
    if report.faults.len() == before {
        report.ok("public address", format!("{place} can be read by lidraughts"));
    }
}

/// Whether the readers of the profile can read the file; reports the first errors.
fn check_content(profile: ReaderProfile, bytes: &[u8], subject: &str, report: &mut DoctorReport) -> bool {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let remedy = "the station writes it when its first board is known: is it running? (damcast run, systemctl status damcast)";
        report.problem("public file", subject, "it is empty", remedy);
        return false;
    }
    if bytes.trim_ascii_start().starts_with(b"<") {
        let remedy = "give the address of the file itself, not of a page about it";
        report.problem("public file", subject, "it is a web page, and no PDN", remedy);
        return false;
    }
    let problems = profile::check(profile, bytes, None);
    let errors: Vec<_> = problems.iter().filter(|problem| problem.level == Level::Error).collect();
    for problem in errors.iter().take(MAX_LISTED_ERRORS) {
        let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        report.problem(
            "public file",
            &format!("{subject}:{}", problem.location),
            format!("{profile} cannot read it, and then reads no board: {}{hint}", problem.message),
            "one game that cannot be read stops all: correct it by hand at once, and keep this file for a report",
        );
    }
    errors.is_empty()
}

/// Answer of a web server, or contents of a file.
struct HttpResponse {
    /// Status code; `None` for a file.
    status: Option<u16>,
    content_type: String,
    body: Vec<u8>,
}

fn fetch(place: &str) -> io::Result<HttpResponse> {
    let whole = |body| HttpResponse { status: None, content_type: String::new(), body };
    if place == "-" {
        let mut body = Vec::new();
        io::stdin().take(MAX_FILE_SIZE).read_to_end(&mut body)?;
        return Ok(whole(body));
    }
    if let Some(rest) = place.strip_prefix("http://") {
        return http(rest);
    }
    if place.starts_with("https://") {
        return curl(place);
    }
    std::fs::read(place).map(whole)
}

/// Fetches an address by plain HTTP.
fn http(rest: &str) -> io::Result<HttpResponse> {
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let named = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = named.to_socket_addrs()?.next().ok_or_else(|| io::Error::other("the name has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, READ_TIMEOUT)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_write_timeout(Some(READ_TIMEOUT))?;
    let agent = concat!("damcast-doctor/", env!("CARGO_PKG_VERSION"));
    let request = format!("GET /{path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: {agent}\r\nAccept: */*\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.take(MAX_FILE_SIZE).read_to_end(&mut bytes)?;
    parse(&bytes)
}

/// Fetches an address by HTTPS, with curl.
fn curl(place: &str) -> io::Result<HttpResponse> {
    let output =
        Command::new("curl").args(["--silent", "--show-error", "--include", "--max-time", "4", "--", place]).output();
    let output = output
        .map_err(|error| io::Error::other(format!("curl, which gets https:// addresses, cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    parse(&output.stdout)
}

fn parse(bytes: &[u8]) -> io::Result<HttpResponse> {
    let no_answer = || io::Error::other("the answer is not that of a web server");
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").ok_or_else(no_answer)?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split_whitespace().nth(1).and_then(|word| word.parse().ok()).ok_or_else(no_answer)?;
    let mut content_type = head.lines().filter_map(|line| line.split_once(':'));
    let content_type = content_type.rfind(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.map_or(String::new(), |(_, value)| value.trim().to_owned());
    Ok(HttpResponse { status: Some(status), content_type, body: bytes[end + 4..].to_vec() })
}
