//! `damcast entry`: the page of tables without electronic boards, over HTTP and in a browser.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;

use damcast::control::ClientRequest;
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

use crate::browser::Browser;
use crate::desk_in_browser::{assert_no_page_errors, picture_folder, save_screenshots};
use crate::pty::{TIMEOUT, wait_until};
use crate::start::{Start, ask, published};

const SETUP: &str = "[[line]]\nname = \"table-1\"\nmode = \"entry\"\ngame-type = \"20\"\n\
                     [[line]]\nname = \"table-2\"\nmode = \"entry\"\ngame-type = \"20\"\n";

/// Starts an evening with two tables without boards.
pub fn evening(folder: &Path) -> Start {
    evening_with(folder, SETUP)
}

/// Starts an evening with this `setup.toml`.
pub fn evening_with(folder: &Path, setup: &str) -> Start {
    fs::create_dir_all(folder.join("recordings")).unwrap();
    fs::write(folder.join("recordings/setup.toml"), setup).unwrap();
    let mut start = Start::begin(folder, &[]);
    start.wait_for("Ctrl-C ends");
    start
}

pub fn code(folder: &Path, board: &str) -> String {
    ask(folder, ClientRequest::EntryCode { board: board.to_owned(), round: None }).code.unwrap()
}

/// Client of the page with its cookies.
pub struct Phone {
    address: String,
    cookies: Vec<String>,
    /// Address of the phone itself.
    own: Ipv4Addr,
}

impl Phone {
    pub fn new(start: &Start) -> Phone {
        Phone::at(start, Ipv4Addr::UNSPECIFIED)
    }

    /// Creates a phone with an address of its own.
    pub fn at(start: &Start, own: Ipv4Addr) -> Phone {
        Phone { address: start.tables.clone(), cookies: Vec::new(), own }
    }

    /// Sends a request. Returns status, headers and body.
    fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
        self.try_to_send(method, path, headers, body).unwrap()
    }

    /// Sends a request, like [`Phone::send`]; `None` if no whole answer comes.
    fn try_to_send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Option<(u16, String, String)> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((self.own, 0)).into()).unwrap();
        socket.connect(&self.address.parse::<SocketAddr>().unwrap().into()).ok()?;
        let mut stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (host, cookies) = (&self.address, self.cookies.join("; "));
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        for line in head.lines() {
            if let Some(cookie) = line.strip_prefix("set-cookie: ") {
                assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
                self.cookies.push(cookie.split(';').next().unwrap().to_owned());
            }
        }
        Some((head.split(' ').nth(1)?.parse().unwrap(), head.to_owned(), body.to_owned()))
    }

    pub fn post(&mut self, path: &str, body: &Value) -> (u16, Value) {
        self.try_to_post(path, body).unwrap()
    }

    /// Posts JSON; `None` if no whole answer comes.
    pub fn try_to_post(&mut self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let headers = format!("Origin: http://{}\r\nContent-Type: application/json\r\n", self.address);
        let (status, _, body) = self.try_to_send("POST", path, &headers, &body.to_string())?;
        Some((status, serde_json::from_str(&body).unwrap_or(Value::Null)))
    }

    /// Posts a form, as a browser without scripts does. Returns status and the address that follows.
    fn form(&mut self, path: &str, body: &str) -> (u16, String) {
        let headers = format!("Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\n", self.address);
        let (status, head, _) = self.send("POST", path, &headers, body);
        let next = head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_default();
        (status, next.to_owned())
    }

    /// Opens a table with its code. Returns the path of the table.
    pub fn open(&mut self, code: &str) -> String {
        let (status, answer) = self.post("/open", &json!({ "code": code }));
        assert_eq!(status, 200, "{answer}");
        format!("/table/{}", answer["key"].as_str().unwrap())
    }
}

pub fn live(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("recordings/live").join(name)).unwrap_or_default()
}

#[test]
fn repeated_and_reordered_plies_are_entered_once() {
    let folder = tempfile::tempdir().unwrap();
    let start = evening(folder.path());
    let (mut phone, mut other) = (Phone::new(&start), Phone::new(&start));
    let secret = code(folder.path(), "table-1");
    let (table, same) = (phone.open(&secret), other.open(&secret.to_uppercase().replace('-', "")));
    let enter = |ply: u32, text: &str| json!({"act": "enter", "game": 1, "ply": ply, "move": text});
    let (status, answer) = phone.post(&table, &enter(1, "32-28"));
    assert_eq!((status, answer["ok"].as_bool()), (200, Some(true)), "{answer}");
    // The answer was lost, or a second phone sends the same.
    assert_eq!(phone.post(&table, &enter(1, "3228")).0, 200);
    assert_eq!(other.post(&same, &enter(1, "32-28")).0, 200);
    for (wrong, why) in [
        (enter(1, "31-27"), "32-28"),
        (enter(3, "31-27"), ""),
        (enter(2, "32-28"), ""),
        (enter(2, "17-28"), ""),
        (json!({"act": "enter", "game": 2, "ply": 1, "move": "32-28"}), ""),
    ] {
        let (status, answer) = phone.post(&table, &wrong);
        assert!(
            status == 409 && answer["error"].as_str().is_some_and(|error| error.contains(why)),
            "{wrong}: {answer}"
        );
    }
    let (_, answer) = other.post(&same, &enter(2, "17-22"));
    let view = &answer["table"];
    assert_eq!((&view["plies"], &view["next"]["ply"]), (&json!(["32-28", "17-22"]), &json!(3)));
    // One legal move: 28x17.
    assert_eq!(view["moves"], json!([{"text": "28x17", "path": ["28", "17"]}]), "{answer}");
    wait_until("both plies in the live file", || live(folder.path(), "table-1-1.pdn").contains("17-22"));
    let text = live(folder.path(), "table-1-1.pdn");
    assert_eq!((text.matches("32-28").count(), text.matches("17-22").count()), (1, 1), "{text}");
    assert!(published(folder.path()).contains("\"source\":\"entry\""));
    start.end();
}

#[test]
fn code_permits_its_table_alone() {
    let folder = tempfile::tempdir().unwrap();
    let start = evening(folder.path());
    let mut phone = Phone::new(&start);
    let table = phone.open(&code(folder.path(), "table-1"));
    // Another browser has no cookie; another site may not send, and other names are not served.
    let enter = json!({"act": "enter", "game": 1, "ply": 1, "move": "32-28"});
    assert_eq!(Phone::new(&start).post(&table, &enter).0, 401);
    for (headers, status) in [
        ("Content-Type: application/json\r\n".to_owned(), 403),
        ("Origin: http://evil.example\r\nContent-Type: application/json\r\n".to_owned(), 403),
        ("Origin: null\r\nContent-Type: application/x-www-form-urlencoded\r\n".to_owned(), 403),
    ] {
        assert_eq!(phone.send("POST", &table, &headers, &enter.to_string()).0, status, "{headers}");
    }
    for (path, body, status) in [
        (table.as_str(), json!({"act": "result", "game": 1}), 400),
        (table.as_str(), json!({"act": "enter", "game": 1, "ply": 1, "move": "32-28", "extra": 1}), 400),
        (table.as_str(), json!({"act": "enter", "game": 1, "ply": 1, "move": "32-28", "white": "1:99"}), 400),
        ("/open", json!({"code": "x".repeat(100)}), 400),
        ("/open", json!({"code": "aaaaa-aaaaa-aaaaa"}), 401),
    ] {
        assert_eq!(phone.post(path, &body).0, status, "{body}");
    }
    // A new code replaces the old one at once; so does its end.
    let renewed = code(folder.path(), "table-1");
    assert_eq!(phone.post(&table, &enter).0, 401);
    let table = phone.open(&renewed);
    assert!(ask(folder.path(), ClientRequest::RevokeEntryCode { board: "table-1".to_owned() }).ok);
    let (status, answer) = phone.post(&table, &enter);
    assert_eq!((status, answer["invalid_code"].as_bool()), (401, Some(true)), "{answer}");
    assert!(!published(folder.path()).contains("\"move\""), "nothing was entered");
    // The page says it once; then its place is free for the next round.
    let (_, head, page) = phone.send("GET", "/", "", "");
    assert!(head.contains("Max-Age=0") && page.contains("not valid"), "{head}{page}");
    start.end();
}

#[test]
fn forms_work_without_script() {
    let folder = tempfile::tempdir().unwrap();
    let start = evening(folder.path());
    let mut phone = Phone::new(&start);
    let (status, next) = phone.form("/open", &format!("code={}", code(folder.path(), "table-2")));
    assert!(status == 303 && next.starts_with("/#table-"), "{status} {next}");
    let key = next.strip_prefix("/#table-").unwrap().to_owned();
    let page = |phone: &mut Phone| phone.send("GET", "/?lang=nl", "", "").2;
    let first = page(&mut phone);
    for words in ["table-2", "Voer de eerste zet in", &format!("action=\"/table/{key}\""), "svg", "name=\"move\""] {
        assert!(first.contains(words), "{words}: {first}");
    }
    let enter = "act=enter&game=1&ply=1&move=32-28&white=1%3A20%3A11&black=";
    let (status, next) = phone.form(&format!("/table/{key}"), enter);
    assert_eq!((status, next), (303, format!("/#table-{key}")));
    assert!(page(&mut phone).contains("Neem 32-28 terug"));
    // What is refused comes back with the reason, as text.
    let (_, next) = phone.form(&format!("/table/{key}"), "act=enter&game=1&ply=2&move=%3Cb%3E");
    let refused = phone.send("GET", &next, "", "").2;
    assert!(next.starts_with("/?why=") && !refused.contains("<b>"), "{next}");
    assert_eq!(phone.form(&format!("/table/{key}"), "act=take-back&game=1&ply=1").0, 303);
    assert_eq!(phone.form(&format!("/table/{key}"), "act=enter&game=1&ply=1&move=31%E2%80%9327").0, 303);
    assert_eq!(phone.form(&format!("/table/{key}"), "act=claim&game=1&ply=0&result=1-1").0, 303);
    let status = ask(folder.path(), ClientRequest::Status {}).status.unwrap();
    let board = status.boards.iter().find(|board| board.name == "table-2").unwrap();
    assert!(board.entry.as_ref().is_some_and(|entry| entry.claim.as_deref() == Some("1-1")), "{board:?}");
    start.end();
}

/// Taps a field of the board.
fn tap(browser: &mut Browser, square: &str) {
    let tap = format!(
        "document.querySelector('.hit[data-square=\"{square}\"]')?.dispatchEvent(new MouseEvent('click', {{bubbles: true}})) ?? false"
    );
    browser.wait(&tap, &true.into());
}

/// Types a move and presses Enter.
fn type_move(browser: &mut Browser, text: &str) {
    let type_move = format!(
        "(() => {{ const form = document.querySelector('form.enter'); form.elements.move.value = {text:?}; form.requestSubmit(); }})()"
    );
    browser.evaluate(&type_move);
}

const MOVES: &str = "[...document.querySelectorAll('.moves span')].map(one => one.textContent).join(' ')";
const WAITING: &str = "document.querySelectorAll('.moves .waiting').length";

#[test]
fn phone_enters_moves_also_while_offline() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pictures = picture_folder();
    let start = evening(folder.path());
    browser.visit(&format!("http://{}/#{}", start.tables, code(folder.path(), "table-1")));
    browser.wait("document.querySelector('.card h2')?.textContent", &"table-1".into());
    assert!(!browser.evaluate("location.href").as_str().unwrap().contains("-w"), "the code leaves the address");
    tap(&mut browser, "32");
    browser.wait("document.querySelectorAll('.can').length", &2.into());
    tap(&mut browser, "28");
    browser.wait(MOVES, &"32-28".into());
    browser.wait(WAITING, &0.into());
    type_move(&mut browser, "1722");
    browser.wait(MOVES, &"32-28 17-22".into());
    save_screenshots(&mut browser, &pictures, "entry");
    let network =
        |offline: bool| json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    browser.call("Network.enable", json!({}));
    browser.call("Network.emulateNetworkConditions", network(true));
    tap(&mut browser, "28");
    tap(&mut browser, "17");
    browser.wait(WAITING, &1.into());
    type_move(&mut browser, "12x21");
    browser.wait(WAITING, &2.into());
    browser.wait("document.querySelector('.queue').textContent.includes('28x17 12x21')", &true.into());
    // A wrong move that waits is taken back on the phone; a second tap of a double tap takes back no other one.
    type_move(&mut browser, "40-34");
    browser.wait(WAITING, &3.into());
    browser.wait("document.querySelector('.back button').textContent", &"Take back 40-34".into());
    browser.evaluate("{ const back = document.querySelector('.back button'); back.click(); back.click(); 0 }");
    browser.wait(WAITING, &2.into());
    // A reload of the page keeps what waits; the phone is back after that.
    browser.call("Network.emulateNetworkConditions", network(false));
    browser.wait(WAITING, &0.into());
    browser.wait("document.querySelector('.back button').textContent", &"Take back 12x21".into());
    wait_until("all plies in the live file", || live(folder.path(), "table-1-1.pdn").contains("12x21"));
    let text = live(folder.path(), "table-1-1.pdn");
    for ply in ["32-28", "17-22", "28x17", "12x21"] {
        assert_eq!(text.matches(ply).count(), 1, "{text}");
    }
    browser.evaluate("document.querySelector('.claim button[value=\"1-1\"]').click()");
    browser.wait("document.querySelector('.turn').textContent", &"Reported: 1-1. The arbiter confirms it.".into());
    // A take-back that failed, or whose button is tapped twice, stops no later move and takes back no other one.
    browser.wait("document.querySelector('.back button').disabled", &false.into());
    browser.call("Network.emulateNetworkConditions", network(true));
    browser.evaluate("document.querySelector('.back button').click()");
    browser.wait(
        "document.querySelector('.queue').textContent",
        &"No answer. Look whether it was done before you repeat it.".into(),
    );
    browser.call("Network.emulateNetworkConditions", network(false));
    type_move(&mut browser, "31-27");
    browser.wait(WAITING, &0.into());
    browser.wait("document.querySelector('.queue').textContent", &"".into());
    browser.wait("document.querySelector('.back button').disabled", &false.into());
    browser.evaluate("{ const back = document.querySelector('.back button'); back.click(); back.click(); 0 }");
    browser.wait(MOVES, &"32-28 17-22 28x17 12x21".into());
    browser.wait("document.querySelector('.back button').disabled", &false.into());
    assert_eq!(browser.evaluate(MOVES), "32-28 17-22 28x17 12x21");
    // A tapped move has the times that were filled in.
    browser.evaluate("document.querySelector('[name=white]').value = '1:02:03', 0");
    tap(&mut browser, "31");
    tap(&mut browser, "27");
    wait_until("the times", || live(folder.path(), "table-1-1.pdn").contains("1:02:03"));
    browser.wait("document.querySelector('[name=white]').value", &"".into());
    // A refused move says why, and can be dropped.
    type_move(&mut browser, "1-50");
    browser.wait("document.querySelector('.queue button')?.textContent", &"Drop what was not sent".into());
    browser.evaluate("document.querySelector('.queue button').click()");
    browser.wait(WAITING, &0.into());
    // The button that closes the table sends a form, as all buttons do without a script.
    browser.evaluate("document.querySelector('[value=leave]').form.requestSubmit()");
    browser.wait("document.readyState + document.querySelectorAll('.card').length", &"complete0".into());
    assert_eq!(browser.evaluate("document.querySelectorAll('form.code').length"), 1, "the table is closed");
    assert_no_page_errors(&browser, &["409", "ERR_INTERNET_DISCONNECTED"]);
    start.end();
}
