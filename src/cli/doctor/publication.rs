//! Checks the public file as lidraughts would read it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use damcast::outward::curl::{Fetch, FetchedAnswer};
use damcast::station::config::Config;
use draughts_pdn::problem::Level;
use draughts_pdn::profile::{self, ReaderProfile, polls};

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
/// Remedy for late answers.
const SLOW_REMEDY: &str = "use a web server that is nearer or faster; serve the file as it is";
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
    let before = report.faults.len();
    let Some(answer) = check_answer(place, report) else { return };
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

/// Fetches an address and checks the answer as lidraughts does. Returns `None` if there is no file.
pub fn check_answer(place: &str, report: &mut DoctorReport) -> Option<PublicContent> {
    let answer = match fetch(place) {
        Ok(answer) => answer,
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            let text =
                format!("{error}; lidraughts waits no longer, and after five such polls only asks once a minute");
            report.problem("public address", place, text, SLOW_REMEDY);
            return None;
        }
        Err(error) => {
            let remedy = "is the address right, and the web server running? Try it in a browser on another network";
            report.problem("public address", place, format!("nothing can be got from there: {error}"), remedy);
            return None;
        }
    };
    if answer.elapsed > SLOW_ANSWER {
        let message = format!("the answer took {} ms; lidraughts gives up after 4000", answer.elapsed.as_millis());
        report.problem("public address", place, message, SLOW_REMEDY);
    }
    if let Some((status, content_type)) = &answer.http {
        if *status != 200 {
            let remedy = "lidraughts takes nothing but 200, and follows no redirection: give the address where the file itself is";
            report.problem("public address", place, format!("the server answers {status}"), remedy);
            return None;
        }
        let names_utf_8 = content_type.to_ascii_lowercase().replace([' ', '"'], "").contains("charset=utf-8");
        if content_type.starts_with("text/") && !names_utf_8 {
            let message = format!(
                "it is sent as `{content_type}`: lidraughts reads that as ISO-8859-1, and names with accents become wrong"
            );
            report.problem(
                "public address",
                place,
                message,
                "let the server send `Content-Type: text/plain; charset=utf-8`",
            );
        }
    }
    check_content(ReaderProfile::Lidraughts, &answer.body, place, report);
    Some(answer)
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
    if let (ReaderProfile::Lidraughts, Some(excess)) = (profile, polls::count_excess_games(bytes)) {
        let max = profile.max_games().unwrap_or_default();
        let message = format!("{} games: lidraughts reads the first {max}, and shows no more", max + excess);
        report.problem(
            "public file",
            subject,
            message,
            "make a relay for each hall or section, with an outlet or an address of its own",
        );
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
pub struct PublicContent {
    /// Status code and content type; `None` for a file.
    http: Option<(u16, String)>,
    /// Bytes of the file.
    pub body: Vec<u8>,
    elapsed: Duration,
}

/// Fetches an address as the relay of lidraughts does.
fn fetch(place: &str) -> io::Result<PublicContent> {
    if place.starts_with("http://") || place.starts_with("https://") {
        let user_agent = concat!("damcast-doctor/", env!("CARGO_PKG_VERSION"));
        let FetchedAnswer { status, content_type, body, elapsed } =
            Fetch { address: place, user_agent, time_limit: READ_TIMEOUT, max_size: MAX_FILE_SIZE }.run()?;
        return Ok(PublicContent { http: Some((status, content_type)), body, elapsed });
    }
    let mut body = Vec::new();
    match place {
        "-" => io::stdin().take(MAX_FILE_SIZE).read_to_end(&mut body)?,
        _ => File::open(place)?.take(MAX_FILE_SIZE).read_to_end(&mut body)?,
    };
    Ok(PublicContent { http: None, body, elapsed: Duration::ZERO })
}
