//! The delay also applies to the pages. Two stations that differ only in the last fifteen minutes run side by side in virtual time. Each
//! has an outlet with a delay of fifteen minutes and one without. The answers of the delayed outlet are equal to the byte, including
//! headers and streams, until the difference is due.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, FixedOffset, TimeDelta};
use damcast::engine::broadcast::events::Generation;
use damcast::engine::bytelog::{self, Header};
use damcast::engine::millis::Millis;
use damcast::engine::session::{Input, Line, LineSettings};
use damcast::outward::web::{self, ServeOptions};
use damcast::station::config::Config;
use damcast::station::disk::RealDisk;
use damcast::station::outlets::{self, Outlets, Plan, Plans};
use damcast::station::tournament_log::TournamentLog;
use damcast::tournament::TournamentRecord;

use crate::program::run;
use crate::pty::wait_until;
use crate::serve::{GENERATION, HttpAnswer, http_get};

/// The delay, in ms.
const DELAY: i64 = 900_000;
/// Both stations receive equal input up to this time, in ms.
const COMMON_UNTIL: i64 = 400_000;
/// Interval between requests for everything, in ms.
const STEP: i64 = 50_000;
/// Recordings that are played; the last one starts only in the station that differs.
const BOARDS: [&str; 5] = ["club", "illegal-stands", "ideal", "no-clock", "taken-back"];
/// The outlets, with their folders.
const DELAYED_OUTLETS: (&str, &str) = ("public", "public");
const IMMEDIATE_OUTLET: (&str, &str) = ("hall", "public-hall");

/// Clock of the pages, in ms since 1970.
static NOW: AtomicI64 = AtomicI64::new(0);

fn base() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-11-21T10:00:00.000+01:00").unwrap()
}

/// A station without ports: logs are played into lines, whose effects go to the outlets.
struct Hall {
    folder: tempfile::TempDir,
    config: Config,
    outlets: Outlets,
    boards: Vec<Board>,
    /// Records of the tournament, with their times.
    tournament_records: Vec<(i64, TournamentRecord)>,
}

struct Board {
    name: &'static str,
    line: Line,
    /// Inputs with their times, the next one last.
    inputs: Vec<(i64, Input)>,
}

impl Hall {
    /// Creates a station; with `other`, events after [`COMMON_UNTIL`] differ.
    fn new(history: &[TournamentRecord], other: bool) -> Hall {
        let folder = tempfile::tempdir().unwrap();
        let lines = BOARDS.map(|name| {
            format!("[[line]]\nname = \"{name}\"\nport = \"/dev/{name}\"\ngame-type = \"20\"\ntags = {{ White = \"W {name}\", Event = \"Open\" }}\n")
        });
        let (directory, delay, outlet) = (folder.path(), DELAY / 1000, IMMEDIATE_OUTLET.0);
        let tables = format!("[station]\nname = \"hall\"\ndirectory = {directory:?}\n[public]\ndelay = {delay}\n")
            + &format!("[[outlet]]\nname = \"{outlet}\"\n{}", lines.concat());
        let config = Config::read("test", &tables).unwrap();
        fs::create_dir_all(folder.path().join("log")).unwrap();
        for outlet in [DELAYED_OUTLETS.0, IMMEDIATE_OUTLET.0] {
            let (id, station) = (GENERATION.to_owned(), "hall".to_owned());
            let (first, _) = outlets::first_record(&Generation { id, station, names: 0 });
            fs::write(folder.path().join("log").join(outlets::order_file(outlet)), first).unwrap();
        }
        // Empty event files that match the order files above: otherwise each outlet would start with a random generation.
        for (_, outlet) in [DELAYED_OUTLETS, IMMEDIATE_OUTLET] {
            fs::create_dir(folder.path().join(outlet)).unwrap();
            File::create(folder.path().join(outlet).join("events.ndjson")).unwrap();
        }
        // The list of boards has the time of the plan.
        let mut plans = Plans::default();
        plans.add(Plan::new(&config, base(), None));
        plans.save(&RealDisk, &folder.path().join("log")).unwrap();
        let mut outlets = Outlets::new(&config);
        let boards = BOARDS.map(|name| {
            let log = bytelog::read(&fs::read(format!("tests/data/replay/{name}.log")).unwrap()).unwrap();
            let header = Header { opened: Some(base()), ..log.header };
            outlets.opened(name, &header, Vec::new());
            let heard = log.records.iter().filter_map(|record| {
                Some((i64::try_from(record.at).unwrap(), Input::from_record(&record.kind).unwrap()?))
            });
            Board {
                name,
                line: Line::new(LineSettings::from_header(&header, None).unwrap().0),
                inputs: board_inputs(name, heard.collect(), other),
            }
        });
        let mut tournament_records: Vec<_> =
            history.iter().cloned().zip([0, COMMON_UNTIL + 60_000]).map(|(record, at)| (at, record)).collect();
        tournament_records.truncate(1 + usize::from(other));
        for (at, record) in &mut tournament_records {
            record.at = moment(*at).to_rfc3339_opts(chrono::SecondsFormat::Millis, false);
        }
        tournament_records.reverse();
        Hall { folder, config, outlets, boards: boards.into(), tournament_records }
    }

    /// Advances to a time and writes everything that is visible then.
    fn advance_to(&mut self, now: i64) {
        while let Some((_, record)) = self.tournament_records.pop_if(|(at, _)| *at <= now) {
            self.outlets.recorded(&record);
        }
        for Board { name, line, inputs: hears } in &mut self.boards {
            let mut heard: Vec<_> = std::iter::from_fn(|| hears.pop_if(|(at, _)| *at <= now)).collect();
            heard.push((now, Input::Tick));
            for (at, input) in heard {
                for output in line.handle(Millis(at.try_into().unwrap()), input) {
                    let at = moment(i64::try_from(output.at.0).unwrap());
                    self.outlets.published(name, None, at, output.effect);
                }
            }
        }
        let files = [DELAYED_OUTLETS, IMMEDIATE_OUTLET].map(|(_, folder)| self.path(folder).join("events.ndjson"));
        let before = files.each_ref().map(|file| modified(file));
        self.outlets.write(moment(now));
        // Sets changed files to the virtual time; the machine's clock shows the time of the test.
        for (file, before) in files.iter().zip(before).filter(|(file, before)| modified(file) != *before) {
            assert!(before.is_none() || file.exists());
            let now =
                SystemTime::UNIX_EPOCH + Duration::from_millis(moment(now).timestamp_millis().try_into().unwrap());
            File::options().append(true).open(file).unwrap().set_modified(now).unwrap();
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pages(&self, runtime: &tokio::runtime::Runtime, outlet: (&'static str, &str)) -> Pages {
        assert!(self.config.outlets.iter().any(|found| found.name == outlet.0));
        let folder = self.path(outlet.1);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        listener.set_nonblocking(true).unwrap();
        let options = ServeOptions {
            outlet: folder.clone(),
            hosts: Vec::new(),
            machine: None,
            trusted_proxies: Vec::new(),
            connections: 400,
            state_file: None,
            is_polled: false,
            language: None,
            now: || NOW.load(Ordering::Relaxed),
        };
        let _inside = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        runtime.spawn(web::serve(listener, options, std::future::pending()));
        Pages { address, events: folder.join("events.ndjson"), last_event: String::new(), streams: Vec::new() }
    }
}

fn moment(at: i64) -> DateTime<FixedOffset> {
    base() + TimeDelta::milliseconds(at)
}

fn modified(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).ok().map(|there| there.modified().unwrap())
}

/// Returns the input of a board: the recording up to [`COMMON_UNTIL`], then the rest of it, or something `other`. The last board has not
/// started yet.
fn board_inputs(name: &str, mut recording: Vec<(i64, Input)>, other: bool) -> Vec<(i64, Input)> {
    let ask = |seconds: i64, text: &str| (COMMON_UNTIL + seconds * 1000, Input::Request(text.parse().unwrap()));
    let is_last = Some(&name) == BOARDS.last();
    if is_last {
        recording.iter_mut().for_each(|(at, _)| *at += COMMON_UNTIL + 5_000);
        recording.retain(|_| other);
    } else if other {
        let is_kept = name == "illegal-stands";
        recording.retain(|(at, _)| is_kept || *at <= COMMON_UNTIL);
        recording.push(match name {
            "club" => (COMMON_UNTIL + 10_000, Input::LinkDown),
            "illegal-stands" => ask(20, "hold"),
            "ideal" => ask(40, "resign white"),
            _ => ask(1, "names Somebody / Else"),
        });
        recording.sort_by_key(|(at, _)| *at);
    }
    recording.reverse();
    recording
}

/// Pages in this process, with the clock of the test.
struct Pages {
    address: String,
    events: PathBuf,
    /// Id of the last event of a stream.
    last_event: String,
    /// Streams that stay open.
    streams: Vec<TcpStream>,
}

impl Pages {
    /// Returns all answers, once the server knows the last line of its outlet.
    fn all_answers(&mut self) -> Vec<(String, HttpAnswer)> {
        let lines = fs::read_to_string(&self.events).unwrap_or_default().lines().count();
        let id = if lines == 0 { ".0".to_owned() } else { format!("{GENERATION}.{lines}") };
        let ask_for = |path: &str, more: &[(&str, &str)]| {
            http_get(&self.address, "GET", path, &[&[("Host", "localhost")], more].concat())
        };
        wait_until("the last event", || {
            let is_it = |tag: &str| tag.contains(&format!("\"{id}-"));
            ask_for("/", &[]).is_ok_and(|page| page.header("etag").is_some_and(is_it))
        });
        let fixed = "/ /?lang=ru /?wall /standings /archive /round/1 /round/2 /round/3 /games.pdn /started.pdn \
            /round/3/games.pdn /tournament.json /standings.json /events.ndjson /events /events?gen=x /nothing";
        let mut paths: Vec<String> = fixed.split(' ').map(str::to_owned).collect();
        for (board, number) in BOARDS.iter().zip(1..) {
            paths.extend([
                format!("/board/{number}"),
                format!("/board/{board}"),
                format!("/game/{board}-1/3"),
                format!("/embed/board/{number}"),
            ]);
            paths.extend(
                [1, 2]
                    .iter()
                    .flat_map(|game| [format!("/game/{board}-{game}.pdn"), format!("/archive/{board}-{game}.pdn")]),
            );
        }
        let mut all: Vec<(String, HttpAnswer)> =
            paths.into_iter().map(|path| (path.clone(), ask_for(&path, &[]).unwrap())).collect();
        all.push(("compressed".to_owned(), ask_for("/", &[("Accept-Encoding", "gzip")]).unwrap()));
        all.push(("a part".to_owned(), ask_for("/events.ndjson", &[("Range", "bytes=-300")]).unwrap()));
        all.push(("from".to_owned(), ask_for(&format!("/events?gen={GENERATION}&from={lines}"), &[]).unwrap()));
        for query in ["?board=club".to_owned(), format!("?after={}", self.last_event)] {
            let stream = self.first_of_stream(&query, &id);
            all.push((format!("/events{query}"), stream));
        }
        self.last_event = id;
        all
    }

    /// Returns the start of a stream: all events after the event `id`. The stream stays open, so that both servers count as many viewers.
    fn first_of_stream(&mut self, query: &str, id: &str) -> HttpAnswer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET /events{query} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0);
        }
        // A greeting, and any missed events: it ends with the last event.
        let last = format!("id: {id}\n");
        let mut body = String::new();
        while !body.ends_with("\n\n") || !body.contains(&last) && !query.ends_with(id) {
            assert_ne!(reader.read_line(&mut body).unwrap(), 0);
        }
        self.streams.push(stream);
        HttpAnswer { status: 200, headers: head, body: body.into_bytes() }
    }
}

/// Returns the records of an import, and of one more with a result.
fn tournament_records() -> Vec<TournamentRecord> {
    let folder = tempfile::tempdir().unwrap();
    let rounds = "Round;Board;White;Black;Result\n3;1;Sijbrands, Ton;Wiersma, H.;*\n3;2;Clerc, Rob;Gantwarg, A.;*\n";
    for text in [rounds.to_owned(), rounds.replace("Wiersma, H.;*", "Wiersma, H.;2-0")] {
        let file = folder.path().join("rounds.csv");
        fs::write(&file, text).unwrap();
        run(&["tournament", "import", file.to_str().unwrap(), "--directory", folder.path().to_str().unwrap()]).done();
    }
    let log = TournamentLog::read(&RealDisk, &folder.path().join("log")).unwrap();
    assert_eq!(log.records().len(), 2);
    log.records().to_vec()
}

#[test]
fn pages_reveal_nothing_before_delay() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let history = tournament_records();
    let mut halls = [false, true].map(|other| Hall::new(&history, other));
    let set = |now: i64| NOW.store(moment(now).timestamp_millis(), Ordering::Relaxed);
    set(0);
    halls.iter_mut().for_each(|hall| hall.advance_to(0));
    let mut late = halls.each_ref().map(|hall| hall.pages(&runtime, DELAYED_OUTLETS));
    let mut at_once = halls.each_ref().map(|hall| hall.pages(&runtime, IMMEDIATE_OUTLET));
    let (mut begun, mut revealed) = (false, Vec::new());
    for now in (0..=COMMON_UNTIL + DELAY).step_by(STEP as usize) {
        set(now);
        halls.iter_mut().for_each(|hall| hall.advance_to(now));
        if now == COMMON_UNTIL + DELAY / 2 || now == COMMON_UNTIL + DELAY {
            // A new server estimates the times of existing events from the age of the file.
            late = halls.each_ref().map(|hall| hall.pages(&runtime, DELAYED_OUTLETS));
        }
        let [one, other] = late.each_mut().map(Pages::all_answers);
        for ((path, one), (_, other)) in one.iter().zip(&other) {
            assert_eq!(
                (&one.headers, one.text_if_any()),
                (&other.headers, other.text_if_any()),
                "{path} after {now} ms"
            );
            assert_eq!(one.body, other.body, "{path} after {now} ms");
        }
        begun |= one.iter().any(|(path, answer)| path == "/board/1" && answer.text().contains("-1/3\""));
        let [one, other] = at_once.each_mut().map(Pages::all_answers);
        assert!(now > COMMON_UNTIL || one == other, "both hear the same after {now} ms");
        if now > COMMON_UNTIL {
            revealed.extend(one.into_iter().zip(other).filter(|(one, other)| one != other).map(|((path, _), _)| path));
        }
    }
    assert!(begun, "the pages have shown moves");
    // Without a delay the difference was visible everywhere.
    let paths = "/ /?wall /standings /archive /round/3 /games.pdn /tournament.json /standings.json /events.ndjson \
        /events /board/1 /board/5 compressed";
    for path in paths.split(' ') {
        assert!(revealed.iter().any(|revealed| revealed == path), "{path} is the same in both: {revealed:?}");
    }
    // The difference is shown when it is due.
    let now = COMMON_UNTIL + DELAY + 120_000;
    set(now);
    halls.iter_mut().for_each(|hall| hall.advance_to(now));
    let [one, other] = late.each_mut().map(Pages::all_answers);
    for path in ["/", "/board/1", "/board/5", "/events", "/tournament.json"] {
        let find = |all: &[(String, HttpAnswer)]| {
            all.iter().find(|(found, _)| found == path).map(|(_, answer)| answer.clone())
        };
        assert_ne!(find(&one), find(&other), "{path}");
    }
}
