//! Boards without electronics in a running station: the entry socket, its codes, and kills at any operation on the disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use damcast::control::entry::{EntryClient, EntryMessage, EntryReply, EntryRequest, EntryState, EntryTable};
use draughts::{Position, Variant};
use draughts_pdn::{fen, notation};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::boards::Process;
use crate::control::{Client, run_ctl, status};
use crate::daemon::{Station, StationFolder};
use crate::entry_kills;
use crate::hall::assert_clean;
use crate::kill_at_syscall::{FaultPoint, each, library};
use crate::program::{Run, assert_contains, damcast, run};
use crate::pty::{TIMEOUT, wait_until};

/// Returns a folder with these boards without electronics; their time runs this fast.
pub fn tables(names: &[&str], speed: u32) -> StationFolder {
    let place = StationFolder::new(&[]);
    let mut text = format!("[station]\ndirectory = {:?}\n", place.path("recordings"));
    for name in names {
        text += &format!("[[line]]\nname = {name:?}\nmode = \"entry\"\ngame-type = \"20\"\ntime-scale = {speed}\n");
    }
    fs::write(place.path("damcast.toml"), text).unwrap();
    place
}

pub fn started(place: &StationFolder) -> Station {
    let station = place.start();
    station.wait_for("the page of tables without electronic boards reaches this station");
    let is_open = |board: &Value| !board["entry"].is_null();
    wait_until("the tables", || status(place)["boards"].as_array().unwrap().iter().all(is_open));
    station
}

pub fn enter(place: &StationFolder, board: &str, moves: &[&str]) -> Run {
    run_ctl(place, &[&["ctl", "enter", board], moves].concat())
}

pub fn events(place: &StationFolder) -> Vec<Value> {
    let text = fs::read_to_string(place.path("recordings/public/events.ndjson")).unwrap_or_default();
    // A line without its line feed is not complete.
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn typed_game_is_recorded_like_any_other() {
    let place = tables(&["table-7"], 20);
    let mut station = started(&place);
    enter(&place, "table-7", &["32-28", "1923"]).prints("ply 2 of game 1 is 19-23");
    let view = &status(&place)["boards"][0];
    assert_eq!((&view["state"], &view["text"]), (&"playing".into(), &"playing, entered by hand".into()), "{view}");
    assert_eq!(
        (&view["entry"], &view["squares"]["game_type"]),
        (&json!({"game": 1, "ply": 3}), &"20".into()),
        "{view}"
    );
    assert_eq!(status(&place)["lines"][0]["mode"], "entry");
    // Time publishes the last ply.
    wait_until("the second ply", || place.live("table-7-1.pdn").contains("19-23"));
    enter(&place, "table-7", &["28x19", "32-28"]).fails(1, "table-7: ply 4 is Black's: 32-28 is not legal here");
    run_ctl(&place, &["ctl", "enter", "table-7", "--take-back"]).prints("is taken back");
    run_ctl(&place, &["ctl", "enter", "table-8", "32-28"]).fails(1, "there is no board `table-8`");
    enter(&place, "table-7", &["28x19", "14x23"]).done();
    run_ctl(&place, &["ctl", "flip", "table-7"]).fails(1, "no electronics");
    run_ctl(&place, &["ctl", "result", "table-7", "2-0"]).done();
    enter(&place, "table-7", &["33-29"]).prints("ply 1 of game 2 is 33-29");
    // A stop keeps the ply that was not published yet.
    assert!(station.signal(Signal::TERM).success());
    let mut station = started(&place);
    wait_until("the first ply of game 2", || place.live("table-7-2.pdn").contains("1. 33-29"));
    let first = place.live("table-7-1.pdn");
    assert_contains(&first, &["[Result \"2-0\"]", "1. 32-28\n19-23\n2. 28x19\n14x23\n*\n"]);
    wait_until("the events of game 2", || {
        events(&place).iter().any(|event| event["game"] == 2 && event["type"] == "move")
    });
    let games: Vec<Value> = events(&place).into_iter().filter(|event| event["type"] == "game").collect();
    assert!(games.len() == 2 && games.iter().all(|event| event["source"] == "entry"), "{games:?}");
    let provisional = json!({"type": "provisional", "moves": ["14x23"]});
    let is_shown = |event: &Value| event["type"] == provisional["type"] && event["moves"] == provisional["moves"];
    assert!(events(&place).iter().any(is_shown), "{:?}", events(&place));
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(place.replay(&["table-7-1.log", "table-7-2.log"]).matches("[GameType \"20\"]").count(), 2);
    assert_clean(&place.path("recordings"), "");
    fs::remove_dir_all(place.path("recordings/live")).unwrap();
    run(&["rebuild", &place.path("recordings").display().to_string()]).done();
    assert_eq!(place.live("table-7-1.pdn"), first);
    let requests = String::from_utf8_lossy(&fs::read(place.path("recordings/log/table-7-1.log")).unwrap()).into_owned();
    assert_eq!(requests.matches(" ! enter ").count(), 6, "one record for each ply, none for refusals: {requests}");
}

#[test]
fn first_ply_is_shown_at_once_and_empty_game_vanishes() {
    let place = tables(&["table-7"], 1);
    let mut station = started(&place);
    enter(&place, "table-7", &["32-28"]).done();
    let types = |place: &StationFolder| -> Vec<String> {
        let types = events(place).into_iter().map(|event| event["type"].as_str().unwrap().to_owned());
        types.filter(|kind| kind != "boards").collect()
    };
    // The ply itself is published after eight seconds.
    wait_until("the first ply", || types(&place) == ["game", "provisional"]);
    assert_eq!(entry_kills::moves(&place.live("table-7-1.pdn")), Vec::<String>::new());
    assert!(!station.signal(Signal::KILL).success());
    let mut station = started(&place);
    wait_until("the ply after a kill", || status(&place)["boards"][0]["entry"] == json!({"game": 1, "ply": 2}));
    run_ctl(&place, &["ctl", "enter", "table-7", "--take-back"]).prints("is taken back");
    assert_eq!(status(&place)["boards"][0]["entry"], json!({"game": 1, "ply": 1}));
    run_ctl(&place, &["ctl", "result", "table-7", "*"]).done();
    wait_until("the end", || types(&place) == ["game", "provisional", "provisional", "end"]);
    enter(&place, "table-7", &["31-27", "19-23"]).prints("ply 1 of game 2 is 31-27");
    run_ctl(&place, &["ctl", "result", "table-7", "1-1"]).done();
    wait_until("the archive", || place.path("recordings/public/archive/table-7-2.pdn").exists());
    assert!(station.signal(Signal::TERM).success());
    let public = |name: &str| fs::read_to_string(place.path("recordings/public").join(name)).unwrap();
    assert_contains(&public("games.pdn"), &["1. 31-27 19-23", "[Result \"1-1\"]"]);
    assert!(!place.path("recordings/public/archive/table-7-1.pdn").exists());
    assert_clean(&place.path("recordings"), "");
    let before = public("events.ndjson");
    for folder in ["live", "public"] {
        fs::remove_dir_all(place.path("recordings").join(folder)).unwrap();
    }
    run(&["rebuild", &place.path("recordings").display().to_string()]).done();
    assert_eq!(public("events.ndjson"), before);
    assert_eq!(place.live("table-7-1.pdn").lines().last(), Some("*"));
    assert!(!place.path("recordings/public/archive/table-7-1.pdn").exists());
}

#[test]
fn repeated_and_wrong_plies_leave_no_record() {
    let place = tables(&["table-7"], 1);
    let mut station = started(&place);
    let mut client = Client::connect(&place);
    let mut ask = |request: &str| {
        client.send(&format!("{}\n", json!({"do": "request", "board": "table-7", "request": request})));
        client.receive()
    };
    assert_eq!(ask("enter 1 1 32-28")["ok"], true);
    for _ in 0..3 {
        assert_eq!(ask("enter 1 1 3228")["messages"], json!(["ply 1 of game 1 is 32-28 already"]));
    }
    assert_contains(ask("enter 1 1 31-27")["error"].as_str().unwrap(), &["ply 1 of game 1 is 32-28"]);
    assert_contains(ask("enter 1 3 28x19")["error"].as_str().unwrap(), &["ply 2 of game 1 is missing"]);
    assert!(station.signal(Signal::TERM).success());
    let log = String::from_utf8_lossy(&fs::read(place.path("recordings/log/table-7-1.log")).unwrap()).into_owned();
    assert_eq!(log.matches(" ! ").count(), 1, "{log}");
}

/// Returns the code that `damcast ctl entry-code` prints.
pub fn code(place: &StationFolder, arguments: &[&str]) -> String {
    let printed = run_ctl(place, &[&["ctl", "entry-code"], arguments].concat()).done();
    printed.lines().find_map(|line| line.strip_prefix("code: ")).unwrap_or_else(|| panic!("{printed}")).to_owned()
}

/// A phone at the entry socket.
pub struct Phone(EntryClient);

impl Phone {
    pub fn connect(place: &StationFolder) -> Phone {
        Phone(EntryClient::connect(vec![place.path("recordings/entry.sock")]).unwrap())
    }

    pub fn ask(&mut self, code: &str, request: EntryRequest) -> EntryReply {
        let address = Some([10, 0, 0, 7].into());
        self.0.request(&EntryMessage { code: code.to_owned(), address, request }).unwrap()
    }

    pub fn enter(&mut self, code: &str, game: u32, ply: u32, notation: &str) -> EntryReply {
        self.ask(code, EntryRequest::Enter { game, ply, notation: notation.to_owned(), clock: None })
    }
}

#[test]
fn code_permits_one_table_alone() {
    let place = tables(&["table-7", "table-8"], 1);
    let mut station = started(&place);
    let socket = fs::metadata(place.path("recordings/entry.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o660);
    run_ctl(&place, &["ctl", "entry-code", "table-9"]).fails(1, "table-9 is no board whose moves are entered by hand");
    let (seventh, eighth) = (code(&place, &["table-7"]), code(&place, &["table-8"]));
    let mut phone = Phone::connect(&place);
    let seen = phone.ask(&seventh, EntryRequest::Look {}).table.unwrap();
    let expected = EntryTable { board: "table-7".into(), game: 1, gametype: "20".into(), ..EntryTable::default() };
    assert_eq!(EntryTable { fen: String::new(), ..seen.clone() }, expected, "{seen:?}");
    assert!(seen.fen.starts_with("W:W31"), "{seen:?}");
    let reply = phone.enter(&seventh, 1, 1, "32-28");
    let table = reply.table.unwrap();
    assert!(reply.ok && table.pending && table.state == EntryState::Playing, "{table:?}");
    assert_eq!((table.plies, &table.fen[..2]), (vec!["32-28".to_owned()], "B:"));
    let reply = phone.enter(&seventh, 1, 1, "31-27");
    assert!(!reply.ok && reply.error.unwrap().contains("ply 1 of game 1 is 32-28") && reply.table.is_some());
    assert!(phone.ask(&seventh, EntryRequest::Claim { game: 1, result: "1-1".into() }).ok);
    assert_eq!(status(&place)["boards"][0]["entry"]["claim"], "1-1");
    assert!(phone.ask(&seventh, EntryRequest::TakeBack { game: 1, ply: 1 }).table.unwrap().plies.is_empty());
    assert_eq!(phone.ask(&eighth, EntryRequest::Look {}).table.unwrap().board, "table-8");
    // Nothing else can be asked, and no text gets into another request.
    for wrong in ["32-28\nresult 2-0", "32-28 w=1:00:00", "", "32-28\u{202e}"] {
        assert!(!phone.enter(&seventh, 1, 1, wrong).ok, "{wrong}");
    }
    assert!(phone.ask(&seventh, EntryRequest::Look {}).table.unwrap().plies.is_empty());
    // Sheets survive a restart.
    assert!(station.signal(Signal::TERM).success());
    assert!(!place.path("recordings/entry.sock").exists());
    let _station = started(&place);
    let mut phone = Phone::connect(&place);
    let mut reply = EntryReply::default();
    wait_until("the table after a restart", || {
        reply = phone.ask(&seventh, EntryRequest::Look {});
        !reply.try_again
    });
    assert!(reply.ok, "{reply:?}");
    run_ctl(&place, &["ctl", "entry-code", "table-7", "--revoke"]).prints("table-7: 1 codes revoked");
    let reply = phone.enter(&seventh, 1, 1, "32-28");
    assert!(!reply.ok && reply.invalid_code && reply.table.is_none(), "{reply:?}");
    assert!(phone.ask(&eighth, EntryRequest::Look {}).ok, "that of another table is valid");
}

#[test]
fn code_ends_with_its_round() {
    let place = tables(&["table-1"], 1);
    let _station = started(&place);
    let free = code(&place, &["table-1"]);
    let round_1 = code(&place, &["table-1", "--round", "1"]);
    let mut phone = Phone::connect(&place);
    assert!(phone.ask(&free, EntryRequest::Look {}).ok && phone.ask(&round_1, EntryRequest::Look {}).invalid_code);
    let rounds = "Round;Board;White;Black;Result\n1;1;Ann;Ben;*\n2;1;Ben;Ann;*\n";
    let import = json!({"command": "import", "name": "rounds.csv", "text": rounds, "confirm": true});
    let mut client = Client::connect(&place);
    client.send(&format!("{}\n", json!({"do": "tournament", "request": import})));
    assert_eq!(client.receive()["ok"], true);
    run_ctl(&place, &["ctl", "round", "open", "1"]).done();
    let mut reply = EntryReply::default();
    wait_until("the round", || {
        reply = phone.ask(&round_1, EntryRequest::Look {});
        reply.ok && reply.table.as_ref().is_some_and(|table| table.white.is_some())
    });
    let table = reply.table.unwrap();
    assert_eq!((table.round, table.white.as_deref(), table.black.as_deref()), (Some(1), Some("Ann"), Some("Ben")));
    assert!(phone.ask(&free, EntryRequest::Look {}).invalid_code);
    assert!(phone.enter(&round_1, 1, 1, "32-28").ok);
    run_ctl(&place, &["ctl", "result", "table-1", "1-1"]).done();
    wait_until("the end of the game", || {
        let table = phone.ask(&round_1, EntryRequest::Look {}).table.unwrap();
        table.state == EntryState::Over && table.result.as_deref() == Some("1-1")
    });
    run_ctl(&place, &["ctl", "round", "close", "1"]).done();
    run_ctl(&place, &["ctl", "round", "open", "2"]).done();
    wait_until("the end of the code", || phone.ask(&round_1, EntryRequest::Look {}).invalid_code);
    let round_2 = code(&place, &["table-1"]);
    // The next players see the start position, not the game before.
    let mut look = || phone.ask(&round_2, EntryRequest::Look {}).table.unwrap();
    wait_until("the next players", || look().white.as_deref() == Some("Ben"));
    let table = look();
    assert_eq!((table.round, table.game, table.state, table.plies.len()), (Some(2), 2, EntryState::Ready, 0));
    assert_eq!((table.result, table.fen.starts_with("W:W31,32")), (None, true));
    // A game that was ended by mistake goes on at the phone.
    assert!(phone.enter(&round_2, 2, 1, "32-28").ok);
    run_ctl(&place, &["ctl", "result", "table-1", "2-0"]).done();
    run_ctl(&place, &["ctl", "continue", "table-1"]).done();
    let mut look = || phone.ask(&round_2, EntryRequest::Look {}).table.unwrap();
    wait_until("the game goes on", || look().state == EntryState::Playing);
    let table = look();
    assert_eq!(table.plies, ["32-28"]);
    assert!(phone.enter(&round_2, table.game, 2, "19-23").ok);
}

#[test]
fn station_without_such_tables_has_no_entry_socket() {
    let place = StationFolder::new(&["a"]);
    let station = place.start();
    station.wait_for("operators reach this station");
    assert!(!place.path("recordings/entry.sock").exists());
    run_ctl(&place, &["ctl", "enter", "a", "32-28"]).fails(1, "a reports its moves itself");
    // A reload adds a table, and its socket.
    let table = "[[line]]\nname = \"table-7\"\nmode = \"entry\"\ngame-type = \"20\"\n";
    fs::write(place.path("damcast.toml"), fs::read_to_string(place.path("damcast.toml")).unwrap() + table).unwrap();
    run_ctl(&place, &["ctl", "reload"]).prints("table-7: a new line");
    station.wait_for("the page of tables without electronic boards reaches this station");
    wait_until("the table", || enter(&place, "table-7", &["32-28"]).code == 0);
}

/// A request of the script, and the plies that stand after it.
struct Step {
    request: String,
    stands: (u32, Vec<String>),
}

/// Returns a script of two games with plies that are taken back, before and after others have published them.
fn script() -> Vec<Step> {
    let mut steps = Vec::new();
    for game in 1..=2 {
        let (mut position, mut plies) = (Position::start(Variant::international()), Vec::new());
        for ply in 1..=9 {
            let legal = position.legal_moves();
            let clear: Vec<_> = legal.iter().filter(|ply| !notation::is_ambiguous(ply, &legal)).collect();
            let text = |nth: usize| notation::write(position.variant(), clear[nth % clear.len()], &legal);
            let mut add =
                |request: String, plies: &[String]| steps.push(Step { request, stands: (game, plies.to_vec()) });
            if ply % 4 == 3 {
                let wrong = [plies.as_slice(), &[text(ply + 1)]].concat();
                add(format!("enter {game} {ply} {}", text(ply + 1)), &wrong);
                add(format!("enter-undo {game} {ply}"), &plies);
            }
            plies.push(text(ply));
            add(format!("enter {game} {ply} {}", text(ply)), &plies);
            position = position.play(clear[ply % clear.len()]);
        }
        if game == 1 {
            steps.extend(missed_moves(position, &mut plies));
        }
        steps.push(Step { request: "result 1-1".to_owned(), stands: (game, plies) });
    }
    steps
}

/// Returns the steps of an arbiter who sets up a position two plies later, and adds them afterwards.
fn missed_moves(position: Position, plies: &mut Vec<String>) -> [Step; 2] {
    let after = plies.len();
    let (mut end, mut texts) = (position, Vec::new());
    for _ in 0..2 {
        let legal = end.legal_moves();
        let ply = legal.iter().find(|ply| !notation::is_ambiguous(ply, &legal)).unwrap();
        texts.push(notation::write(end.variant(), ply, &legal));
        end = end.play(ply);
    }
    plies.extend(["?".to_owned(), "?".to_owned()]);
    let stands = (1, plies.clone());
    [
        Step { request: format!("setup {}", fen::write(end.variant(), &end.setup())), stands: stands.clone() },
        Step { request: format!("add-moves 1 {after} {}", texts.join(" ")), stands },
    ]
}

/// A station with one table, killed at one operation.
struct Session {
    place: StationFolder,
    output: PathBuf,
}

impl Session {
    fn start(&self, hit: Option<FaultPoint>) -> Process {
        let mut command = damcast(&["run", "--config", &self.place.config()]);
        command.env_remove("RUNTIME_DIRECTORY").env_remove("NOTIFY_SOCKET");
        let log = fs::OpenOptions::new().create(true).append(true).open(&self.output).unwrap();
        command.stdout(Stdio::null()).stderr(log);
        if let Some(hit) = hit {
            fs::create_dir_all(self.place.path("recordings")).unwrap();
            hit.set(&mut command, self.output.parent().unwrap());
        }
        Process(command.spawn().unwrap())
    }

    /// Sends a request until the station has answered; `None` if the station has ended.
    fn ask(&self, station: &mut Process, request: &Value) -> Option<Value> {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < TIMEOUT, "{request}: {}", fs::read_to_string(&self.output).unwrap());
            if station.0.try_wait().unwrap().is_some() {
                return None;
            }
            if let Some(reply) = exchange(&self.place.path("recordings/control.sock"), request)
                && reply["outcome_unknown"] != true
            {
                return Some(reply);
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }

    /// Returns a code of the table, from a station that is started again if it ends.
    fn code(&self, station: &mut Process) -> String {
        loop {
            match self.ask(station, &json!({"do": "entry-code", "board": "table-7"})) {
                None => *station = self.start(None),
                Some(reply) if reply["ok"] == true => return reply["code"].as_str().unwrap().to_owned(),
                // The line is being opened.
                Some(_) => {}
            }
        }
    }

    /// Returns game and plies of the table; `None` if the station has ended.
    fn state(&self, station: &mut Process, code: &str) -> Option<EntryTable> {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < TIMEOUT, "{}", fs::read_to_string(&self.output).unwrap());
            if station.0.try_wait().unwrap().is_some() {
                return None;
            }
            let message = EntryMessage { code: code.to_owned(), address: None, request: EntryRequest::Look {} };
            let client = EntryClient::connect(vec![self.place.path("recordings/entry.sock")]);
            let reply = client.ok().and_then(|mut client| client.request(&message).ok());
            if let Some(table) = reply.filter(|reply| reply.ok).and_then(|reply| reply.table) {
                return Some(table);
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}

fn exchange(socket: &Path, request: &Value) -> Option<Value> {
    use std::io::{BufRead, BufReader, Write};
    let stream = std::os::unix::net::UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(format!("{request}\n").as_bytes()).ok()?;
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

/// Plays the script on a station with a fault, which is started again whenever it ends. Returns the number of operations.
fn play(hit: FaultPoint) -> usize {
    let case = format!("{hit:?}");
    let place = tables(&["table-7"], 1);
    let output = place.path("said");
    let session = Session { place, output };
    let mut station = session.start(Some(hit));
    let code = session.code(&mut station);
    let mut acknowledged = (1, Vec::new());
    for step in script() {
        let request = json!({"do": "request", "board": "table-7", "request": step.request, "confirm": true});
        loop {
            let Some(reply) = session.ask(&mut station, &request) else {
                station = session.start(None);
                let table = session.state(&mut station, &code).unwrap();
                let stands = (table.game, table.plies);
                let is_over = table.state == EntryState::Over;
                let is_possible = stands == acknowledged || stands == step.stands;
                assert!(is_possible, "{case}: {stands:?} after {acknowledged:?} and {}", step.request);
                // A position would be set up a second time.
                let is_set_up = step.request.starts_with("setup") && stands == step.stands;
                if step.request.starts_with("result") && is_over || is_set_up {
                    break;
                }
                continue;
            };
            let why = reply["error"].as_str().unwrap_or_default();
            match reply["ok"] == true {
                true => break,
                // The line is being opened.
                false if why.contains("there is no board") || why.contains("starting") || why.contains("ended") => {}
                false => panic!("{case}: {}: {reply}", step.request),
            }
        }
        acknowledged = match step.request.starts_with("result") {
            true => (step.stands.0, step.stands.1),
            false => step.stands,
        };
    }
    end(&mut station);
    // The station may have been killed while it stopped.
    station = session.start(None);
    let table = session.state(&mut station, &code).unwrap();
    assert_eq!((table.game, &table.plies, table.state), (2, &acknowledged.1, EntryState::Over), "{case}");
    wait_until(&format!("{case}: the public files"), || event_count(&session.place, "result") == 2);
    assert_eq!(event_count(&session.place, "moves-inserted"), 1, "{case}");
    end(&mut station);
    assert_clean(&session.place.path("recordings"), &case);
    let games = ["table-7-1.pdn", "table-7-2.pdn"].map(|name| session.place.live(name));
    assert!(games.iter().all(|game| game.ends_with("\n*\n") && game.contains("[Result \"1-1\"]")), "{case}: {games:?}");
    fs::read_to_string(session.place.path("report")).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

fn event_count(place: &StationFolder, kind: &str) -> usize {
    events(place).iter().filter(|event| event["type"] == kind).count()
}

fn end(station: &mut Process) {
    if station.0.try_wait().unwrap().is_none() {
        kill_process(Pid::from_child(&station.0), Signal::TERM).unwrap();
        wait_until("the end of the station", || station.0.try_wait().unwrap().is_some());
    }
}

fn kill_each(step: usize) {
    if library().is_none() {
        println!("there is no `cc`: nobody was killed");
        return;
    }
    let operations = play(FaultPoint { at: usize::MAX >> 1, count: 1, errno: 0, is_partial_write: false });
    println!("a session has {operations} operations");
    let kills: Vec<(usize, bool)> = (0..operations).step_by(step).flat_map(|at| [(at, false), (at, true)]).collect();
    each(&kills, 4, |(at, is_partial_write)| {
        play(FaultPoint { at, count: 1, errno: 0, is_partial_write });
    });
    println!("{} kills: no acknowledged ply lost, none doubled", kills.len());
}

#[test]
fn sampled_kill_loses_and_doubles_no_ply() {
    kill_each(23);
}

#[test]
#[ignore = "minutes: every operation"]
fn kill_anywhere_loses_and_doubles_no_ply() {
    kill_each(1);
}
