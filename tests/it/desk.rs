//! `damcast desk`: the page for operators and arbiters, with real processes over real sockets. Hostile requests must not reach the station.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::control::{metric_value, run_ctl};
use crate::daemon::{SPEED, Station, StationFolder, moves, recording};
use crate::program::{assert_contains, damcast, free_address, peak_memory, run, run_with_input};
use crate::pty::{Board, Pty, TIMEOUT, wait_until};
use crate::serve::{HttpAnswer, hold_connections, raw};

/// A running desk. Dropping it kills it.
pub struct DeskProcess {
    pub process: Child,
    pub address: String,
}

impl Drop for DeskProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Keys of a logged-in session.
pub struct SessionKeys {
    cookie: String,
    secret: String,
}

impl SessionKeys {
    fn headers(&self) -> [(&str, &str); 2] {
        [("Cookie", &self.cookie), ("X-Damcast-Desk", &self.secret)]
    }
}

impl DeskProcess {
    /// Starts a desk for the station of a folder, with these keys in its table.
    pub fn start(place: &StationFolder, keys: &str) -> DeskProcess {
        DeskProcess::start_for(&place.path("recordings"), keys)
    }

    /// Starts a desk for the station that records into this folder.
    pub fn start_for(directory: &Path, keys: &str) -> DeskProcess {
        DeskProcess::start_with(directory, keys, &[])
    }

    /// Starts a desk with more arguments.
    pub fn start_with(directory: &Path, keys: &str, arguments: &[&str]) -> DeskProcess {
        let config = directory.with_file_name("desk.toml");
        fs::write(&config, format!("[station]\ndirectory = {directory:?}\n[desk]\naddress = \"127.0.0.1:0\"\n{keys}"))
            .unwrap();
        let mut command = damcast(&["desk", "--config", config.to_str().unwrap()]);
        command.args(arguments).env_remove("NOTIFY_SOCKET").env_remove("RUNTIME_DIRECTORY");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut first_line).unwrap();
        let address = first_line.trim().strip_prefix("operator: http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.expect("an address").to_owned();
        DeskProcess { process, address }
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.address);
        }
        if method == "POST"
            && !headers.iter().any(|(name, _)| *name == "Content-Length" || *name == "Transfer-Encoding")
        {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        raw(&self.address, (text + "\r\n" + body).as_bytes()).unwrap()
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn post(&self, path: &str, keys: Option<&SessionKeys>, body: &Value) -> (u16, Value) {
        let origin = self.origin();
        let mut headers = vec![("Origin", origin.as_str()), JSON];
        if let Some(keys) = keys {
            headers.extend(keys.headers());
        }
        let answer = self.request("POST", path, &headers, &body.to_string());
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    pub fn get(&self, path: &str, keys: &SessionKeys) -> (u16, Value) {
        let answer = self.request("GET", path, &keys.headers(), "");
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    pub fn log_in(&self, credentials: &Value) -> SessionKeys {
        let body = credentials.to_string();
        let origin = self.origin();
        let answer = self.request("POST", "/api/login", &[("Origin", &origin), JSON], &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let set = answer.header("set-cookie").unwrap();
        assert_contains(set, &["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"]);
        let output: Value = serde_json::from_slice(&answer.body).unwrap();
        SessionKeys {
            cookie: set.split(';').next().unwrap().to_owned(),
            secret: output["secret"].as_str().unwrap().to_owned(),
        }
    }
}

/// Returns a login code of the station of a folder.
pub fn code(place: &StationFolder, role: &str, name: &str) -> String {
    let answer = run_ctl(place, &["ctl", "login", "--role", role, "--name", name, "--json"]).done();
    serde_json::from_str::<Value>(&answer).unwrap()["code"].as_str().unwrap().to_owned()
}

fn station() -> (StationFolder, Station, DeskProcess) {
    let place = StationFolder::new(&["a"]);
    let station = place.start();
    wait_until("the station", || run_ctl(&place, &["status"]).code == 0);
    let desk = DeskProcess::start(&place, "");
    (place, station, desk)
}

/// Returns the requests that the station has logged.
fn audit_log(desk: &DeskProcess, keys: &SessionKeys) -> Vec<Value> {
    let (status, reply) = desk.get("/api/log", keys);
    assert_eq!(status, 200, "{reply}");
    reply["audit_log"].as_array().unwrap().clone()
}

#[test]
fn login_lasts_until_logout() {
    let (place, station, desk) = station();
    let code = code(&place, "operator", "M. Bosma");
    let keys = desk.log_in(&json!({"code": code}));
    // A code is valid once.
    let (status, again) = desk.post("/api/login", None, &json!({"code": code}));
    assert!(status == 403 && again["error"].as_str().unwrap().contains("was used"), "{status} {again}");
    let (status, held) =
        desk.post("/api/request", Some(&keys), &json!({"do": "request", "board": "a", "request": "hold"}));
    assert_eq!((status, &held["ok"]), (200, &json!(true)), "{held}");
    wait_until("hold", || crate::control::status(&place)["boards"][0]["held"] == true);
    // The user's name is in the log of the line's messages, in the audit log, and in the station's answer.
    station.wait_for("M. Bosma (operator)");
    let last = audit_log(&desk, &keys).pop().unwrap();
    assert_eq!(
        (&last["by"], &last["what"], &last["ok"]),
        (&json!("M. Bosma (operator)"), &json!("a: hold"), &json!(true)),
        "{last}"
    );
    // States are pushed, and the page shows the other users.
    let mut stream = TcpStream::connect(&desk.address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let head = format!(
        "GET /api/states HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nX-Damcast-Desk: {}\r\n\r\n",
        desk.address, keys.cookie, keys.secret
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let state = lines.by_ref().find(|line| line.starts_with('{')).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["status"]["boards"][0]["name"], "a", "{state}");
    assert_eq!(state["here"], json!([{"name": "M. Bosma", "role": "operator"}]), "{state}");
    // The cookie without the secret, or the secret without the cookie, is refused.
    for headers in [
        vec![("Cookie", keys.cookie.as_str())],
        vec![("X-Damcast-Desk", keys.secret.as_str())],
        vec![("Cookie", keys.cookie.as_str()), ("X-Damcast-Desk", "0")],
        vec![("Cookie", "damcast-desk=0"), ("X-Damcast-Desk", keys.secret.as_str())],
        vec![],
    ] {
        assert_eq!(desk.request("GET", "/api/log", &headers, "").status, 401, "{headers:?}");
    }
    // Another server of this machine may have set a cookie with this name.
    let both = format!("{}=planted; {}", keys.cookie.split('=').next().unwrap(), keys.cookie);
    assert_eq!(desk.request("GET", "/api/log", &[("Cookie", &both), ("X-Damcast-Desk", &keys.secret)], "").status, 200);
    assert_eq!(desk.post("/api/logout", Some(&keys), &json!({})).0, 200);
    assert_eq!(desk.get("/api/log", &keys).0, 401);
    assert!(lines.find(|line| line == "0").is_some(), "the stream ends with the session");
}

#[test]
fn nothing_foreign_reaches_station() {
    let (place, _station, desk) = station();
    let keys = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    let before = audit_log(&desk, &keys).len();
    refuse_foreign_headers(&desk, &keys);
    refuse_foreign_bodies(&desk, &keys);
    refuse_long_requests(&desk, &keys);
    // Names that would deceive a reader of the log are refused; others are plain text.
    for (name, is_right) in [
        ("<script>alert(1)</script>", true),
        ("a\"]b", true),
        ("a\nb", false),
        ("a\u{202e}b", false),
        (&"x".repeat(10_000), false),
        (" ", false),
    ] {
        let login = json!({"do": "login", "name": name, "role": "arbiter"});
        let (_, reply) = desk.post("/api/request", Some(&keys), &login);
        assert_eq!(reply["ok"], is_right, "{name:?}: {reply}");
    }
    // The page is public and contains no data; no other site may frame it.
    let page = desk.request("GET", "/?code=123456", &[("Sec-Fetch-Site", "cross-site")], "");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(!page.text().contains("123456") && page.header("referrer-policy") == Some("no-referrer"));
    // The station knows only the valid requests.
    let after = audit_log(&desk, &keys);
    assert!(after[before..].iter().all(|entry| entry["what"].as_str().unwrap().starts_with("login of ")), "{after:?}");
    assert_eq!(crate::control::status(&place)["boards"][0]["held"], false);
}

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn refuse_foreign_headers(desk: &DeskProcess, keys: &SessionKeys) {
    let hold = json!({"do": "request", "board": "a", "request": "hold"}).to_string();
    let own = desk.origin();
    let evil = format!("{own}.evil.example");
    let name = format!("localhost.evil.example:{}", desk.address.rsplit(':').next().unwrap());
    for (description, headers, expected) in [
        ("no origin", vec![JSON], 403),
        ("origin null", vec![("Origin", "null"), JSON], 403),
        ("a foreign origin", vec![("Origin", "http://evil.example"), JSON], 403),
        ("our name as a prefix", vec![("Origin", &*evil), JSON], 403),
        ("another port", vec![("Origin", "http://127.0.0.1:1"), JSON], 403),
        ("no scheme", vec![("Origin", &*desk.address), JSON], 403),
        ("rubbish", vec![("Origin", "http://[::1"), JSON], 403),
        ("two origins", vec![("Origin", &*own), ("Origin", &*own), JSON], 403),
        ("a form", vec![("Origin", &*own), ("Content-Type", "application/x-www-form-urlencoded")], 415),
        ("plain text", vec![("Origin", &*own), ("Content-Type", "text/plain; x=application/json")], 415),
        ("no type", vec![("Origin", &*own)], 415),
        ("a page of another site", vec![("Origin", &*own), JSON, ("Sec-Fetch-Site", "cross-site")], 403),
        ("a page of another port", vec![("Origin", &*own), JSON, ("Sec-Fetch-Site", "same-site")], 403),
        ("rebinding", vec![("Host", "evil.example"), ("Origin", "http://evil.example"), JSON], 421),
        ("rebinding by prefix", vec![("Host", &*name), ("Origin", &*own), JSON], 421),
        ("a forwarded address of anyone", vec![("X-Forwarded-For", "127.0.0.1"), ("Origin", "null"), JSON], 403),
    ] {
        let answer = desk.request("POST", "/api/request", &[headers, keys.headers().into()].concat(), &hold);
        assert_eq!(answer.status, expected, "{description}: {}", answer.text());
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{description}");
    }
}

fn refuse_foreign_bodies(desk: &DeskProcess, keys: &SessionKeys) {
    let own = desk.origin();
    let headers = [vec![("Origin", &*own), JSON], keys.headers().into()].concat();
    let user = json!({"name": "x", "role": "operator"});
    for (description, body) in [
        ("no json", "hold".to_owned()),
        (
            "who is said by the desk alone",
            json!({"do": "request", "board": "a", "request": "hold", "user": user}).to_string(),
        ),
        ("redeem", json!({"do": "redeem", "code": "1", "address": "127.0.0.1"}).to_string()),
        ("status", json!({"do": "status"}).to_string()),
        ("deep", "[".repeat(60_000)),
    ] {
        assert_eq!(desk.request("POST", "/api/request", &headers, &body).status, 400, "{description}");
    }
    // Bodies that are too long or have no end are cut.
    let (long, endless) = ("x".repeat(70_000), format!("ffffff\r\n{}", "x".repeat(70_000)));
    for (header, body) in [(("Content-Length", "99999999"), long), (("Transfer-Encoding", "chunked"), endless)] {
        let headers = [&headers[..], &[header]].concat();
        assert_eq!(desk.request("POST", "/api/login", &headers, &body).status, 413, "{header:?}");
    }
}

fn refuse_long_requests(desk: &DeskProcess, keys: &SessionKeys) {
    let with_body = [&keys.headers()[..], &[("Content-Length", "5")]].concat();
    assert_eq!(desk.request("GET", "/api/log", &with_body, "").status, 413);
    assert_eq!(desk.request("DELETE", "/api/log", &keys.headers(), "").status, 405);
    assert_eq!(desk.request("GET", &format!("/?{}", "x".repeat(2000)), &[], "").status, 414);
    assert_eq!(desk.request("GET", "/", &[("X-Flood", "x"); 200], "").status, 431);
    for path in ["/../etc/passwd", "/assets/../../x", "/api/board/%2e%2e%2f", "/%00", "/api/nothing"] {
        assert!([404, 400, 401].contains(&desk.request("GET", path, &[], "").status), "{path}");
    }
}

/// 2,000 connections that never finish a request or a body do not disturb users, and nothing of them reaches the station.
#[test]
fn slow_requests_do_not_delay_users() {
    let (place, station, desk) = station();
    let keys = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    let origin = desk.origin();
    let begun = audit_log(&desk, &keys).len();
    let head = |index| match index % 3 {
        0 => "GET / HTTP/1.1\r\nX-Slow: ".to_owned(),
        1 => String::new(),
        _ => format!(
            "POST /api/login HTTP/1.1\r\nHost: {}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{{",
            desk.address
        ),
    };
    let _held = hold_connections(&desk.address, head, || assert_eq!(desk.get("/api/log", &keys).0, 200));
    assert_eq!(audit_log(&desk, &keys).len(), begun, "nothing was asked of the station");
    drop((station, place));
}

#[test]
fn guessing_is_delayed_and_arbiter_role_is_limited() {
    let (place, _station, desk) = station();
    let keys = desk.log_in(&json!({"code": code(&place, "arbiter", "R. Faber")}));
    for (request, is_his) in [
        (json!({"do": "request", "board": "a", "request": "hold"}), false),
        (json!({"do": "request", "board": "a", "request": "setup W:W31:B1"}), false),
        (json!({"do": "reload"}), false),
        (json!({"do": "alarm-test"}), false),
        (json!({"do": "log-level", "filter": "trace"}), false),
        (json!({"do": "login", "name": "x", "role": "operator"}), false),
        (json!({"do": "tournament", "request": {"command":"import", "name": "x.csv", "text": "Name\nA\n"}}), false),
        (json!({"do": "tournament", "request": {"command":"round-robin"}}), false),
        (json!({"do": "request", "board": "a", "request": "continue"}), false),
        (json!({"do": "tournament", "request": {"command":"add-moves", "board": "a", "name": "x", "text": ""}}), false),
        (json!({"do": "offer-moves", "board": "a"}), true),
        (json!({"do": "request", "board": "a", "request": "add-moves 1 2 32-28"}), true),
        (json!({"do": "request", "board": "a", "request": "names A / B"}), true),
        (json!({"do": "request", "board": "a", "request": "result 2-0"}), true),
        (json!({"do": "tournament", "request": {"command":"set-round-state", "round": 1, "to": "open"}}), true),
    ] {
        let (status, reply) = desk.post("/api/request", Some(&keys), &request);
        assert_eq!(status == 200, is_his, "{request}: {reply}");
        // The station itself enforces the role.
        let socket = place.path("recordings/control.sock");
        let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
        let mut line = request.clone();
        line["user"] = json!({"name": "R. Faber", "role": "arbiter"});
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut reply = String::new();
        BufReader::new(stream).read_line(&mut reply).unwrap();
        assert_eq!(reply.contains("may not ask this"), !is_his, "{line}: {reply}");
    }
    // After five wrong attempts even the right code is refused.
    let right = code(&place, "operator", "M. Bosma");
    for _ in 0..5 {
        let (status, reply) = desk.post("/api/login", None, &json!({"code": "x"}));
        assert!(status == 403 && reply["error"].as_str().unwrap().contains("does not count"), "{reply}");
    }
    let (status, reply) = desk.post("/api/login", None, &json!({"code": right}));
    assert!(status == 403 && reply["error"].as_str().unwrap().contains("too many wrong tries"), "{reply}");
    // Open sessions continue; ended sessions are out.
    let (_, sessions) = desk.get("/api/sessions", &keys);
    assert_eq!(sessions["name"], "R. Faber");
    let (status, _) = desk.post("/api/revoke", Some(&keys), &json!({"id": 999}));
    assert_eq!(status, 403, "an arbiter ends nobody's session");
    assert_eq!(desk.post("/api/revoke", Some(&keys), &json!({"id": sessions["own"]})).0, 200);
    assert_eq!(desk.get("/api/sessions", &keys).0, 401);
}

#[test]
fn passwords_need_file_and_old_views_are_refused() {
    let (place, mut station, _) = station();
    let made = run_with_input(&["desk", "hash-password", "M. Bosma"], b"correct horse\n");
    assert!(made.code == 0 && made.out.starts_with("M. Bosma:operator:$argon2id$"), "{} {}", made.out, made.err);
    assert_eq!(run_with_input(&["desk", "hash-password", "a:b"], b"correct horse\n").code, 1);
    fs::write(place.path("passwords"), &made.out).unwrap();
    let desk = DeskProcess::start(&place, "password-file = \"passwords\"\n");
    let (status, reply) = desk.post("/api/login", None, &json!({"name": "M. Bosma", "password": "wrong horse"}));
    assert!(status == 403 && reply["error"] == "the name or the password is wrong", "{reply}");
    let keys = desk.log_in(&json!({"name": "M. Bosma", "password": "correct horse"}));
    let other = desk.log_in(&json!({"code": code(&place, "operator", "Other")}));
    // Two people with one view: the second is refused with the reason.
    let import = |saw: u64, name: &str| json!({"do": "tournament", "request": {"command":"import", "name": "p.csv", "text": format!("No,Name,Rating\n1,\"{name}\",2000\n"), "if_version": saw, "confirm": true}});
    let (_, seen) = desk.get("/api/tournament", &other);
    assert_eq!(seen["version"], 0, "{seen}");
    let (_, reply) = desk.post("/api/request", Some(&keys), &import(0, "Sijbrands, T."));
    assert_eq!(reply["ok"], true, "{reply}");
    let (_, reply) = desk.post("/api/request", Some(&other), &import(0, "Wiersma, H."));
    assert_eq!(reply["ok"], false, "{reply}");
    let (_, seen) = desk.get("/api/tournament", &other);
    assert_eq!(seen["version"], 1, "{seen}");
    let history = &seen["history"][0];
    assert!(history["by"].as_str().unwrap().starts_with("M. Bosma (operator), uid "), "{history}");
    assert_eq!(seen["tournament"]["sections"][0]["players"][0]["name"], "Sijbrands, T.", "{seen}");
    // The check for a board.
    let hold = |plies: u32| json!({"do": "request", "board": "a", "request": "hold", "if_seen": {"plies": plies}});
    let (_, reply) = desk.post("/api/request", Some(&other), &hold(7));
    assert!(reply["error"].as_str().unwrap().contains("has changed since you looked"), "{reply}");
    assert_eq!(desk.post("/api/request", Some(&other), &hold(0)).1["ok"], true);
    // A stopped station is reported, and a request that it does not receive is not done.
    assert!(station.signal(Signal::TERM).success());
    let (_, reply) = desk.post("/api/request", Some(&keys), &hold(0));
    assert!(reply["error"].as_str().unwrap().contains("no station answers"), "{reply}");
}

#[test]
fn public_address_needs_shield() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("damcast.toml");
    fs::write(&config, "[desk]\naddress = \"0.0.0.0:0\"\n").unwrap();
    let refused = run(&["desk", "--config", config.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    assert_contains(&refused.err, &["password-file", "damcast.toml:2"]);
    assert_eq!(run(&["desk", "--config", config.with_extension("x").to_str().unwrap()]).code, 2);
}

/// Starts a station with metrics on a free port, and the desk that serves them there.
fn with_metrics(place: &StationFolder) -> (DeskProcess, String) {
    let address = free_address();
    (DeskProcess::start(place, &format!("metrics = {address:?}\n")), address)
}

fn get(address: &str, path: &str) -> HttpAnswer {
    crate::serve::http_get(address, "GET", path, &[]).unwrap()
}

#[test]
fn metrics_are_available_for_monitoring() {
    let place = StationFolder::new(&["a", "b"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    let (_desk, address) = with_metrics(&place);
    pty.wait_for_the_station();
    pty.send(&[1, 2, 3, 4, 5]);
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() >= 4);
    // The recognition delay of a ply is counted after the ply.
    let counted = "damcast_recognition_delay_seconds_count{line=\"a\"}";
    wait_until("all is counted", || metric_value(&get(&address, "/metrics").text(), counted) >= 4.0);
    let answer = get(&address, "/metrics");
    assert!(answer.status == 200 && answer.headers.contains("text/plain; version=0.0.4"), "{}", answer.headers);
    let text = answer.text();
    assert!(metric_value(&text, "damcast_noise_bytes_total{line=\"a\"}") >= 5.0);
    assert_eq!(metric_value(&text, "damcast_boards{state=\"no-connection\"}"), 1.0);
    let plies = metric_value(&text, "damcast_plies_total{line=\"a\"}");
    assert_eq!(metric_value(&text, "damcast_recognition_delay_seconds_count{line=\"a\"}"), plies);
    assert_eq!(metric_value(&text, "damcast_recognition_delay_seconds_bucket{line=\"a\",le=\"+Inf\"}"), plies);
    assert!(metric_value(&text, "damcast_publish_seconds_sum{line=\"a\"}") > 0.0);
    assert!(metric_value(&text, "damcast_received_bytes_total{line=\"a\"}") > 100.0);
    assert_eq!(metric_value(&text, "damcast_connects_total{line=\"a\"}"), 1.0);
    assert_eq!(metric_value(&text, "damcast_setups_total{line=\"b\"}"), 0.0);
    assert_eq!(metric_value(&text, "damcast_orders_waiting{line=\"a\"}"), 0.0);
    // Every row is a name, labels and a number, and every name has its header.
    for line in text.lines() {
        assert!(line.starts_with("# ") || line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
    }
    assert_eq!(get(&address, "/healthz").text(), "ok\n");
    assert_eq!(get(&address, "/").status, 404);
    assert_eq!(crate::serve::http_get(&address, "HEAD", "/healthz", &[]).unwrap().status, 200);
    assert_eq!(crate::serve::http_get(&address, "POST", "/metrics", &[]).unwrap().status, 405);
    assert!(!station.output().contains(&address), "the station itself listens nowhere");
}

/// A delivery that fails is in `/healthz`, without the words of other machines.
#[test]
fn health_includes_deliveries() {
    let place = StationFolder::new(&["a"]);
    let mut station = place.start();
    let (_desk, address) = with_metrics(&place);
    station.wait_for("operators reach this station");
    let mut pty = crate::pty::Pty::plug_in(&place.path("a"));
    pty.wait_for_the_station();
    let now = chrono::Utc::now().timestamp_millis();
    fs::create_dir_all(place.path("deliver")).unwrap();
    let write = |state: &str| {
        let report = serde_json::json!({"name": "club", "state": state, "since": now, "delivered": null, "waiting": 0, "words": "secret"});
        let text = serde_json::json!({"written": now, "deliveries": [report]}).to_string();
        fs::write(place.path("deliver/state.json"), text).unwrap();
        get(&address, "/healthz").text()
    };
    wait_until("a station that is well", || write("running") == "ok\n");
    let health = write("failing");
    assert!(
        health.starts_with("not well: ") && health.contains("delivery club fails") && !health.contains("secret"),
        "{health}"
    );
    assert!(station.signal(Signal::TERM).success());
}

/// Many clients that send nothing, as in a port scan: real requests are answered.
#[test]
fn slow_clients_do_not_delay_others() {
    let place = StationFolder::new(&["a"]);
    let station = place.start();
    let (_desk, address) = with_metrics(&place);
    station.wait_for("operators reach this station");
    let half = |_| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
        stream
    };
    let hanging: Vec<TcpStream> = (0..300).map(half).collect();
    assert!([200, 503].contains(&get(&address, "/healthz").status));
    drop(hanging);
}

#[test]
fn monitoring_learns_of_missing_station() {
    let (place, mut station, _) = station();
    let free = free_address();
    let _desk = DeskProcess::start(&place, &format!("metrics = \"{free}\"\n"));
    let get = |path: &str| crate::serve::http_get(&free, "GET", path, &[]).unwrap();
    assert_contains(&get("/metrics").text(), &["damcast_uptime_seconds", "damcast_plies_total{line=\"a\"}"]);
    assert!([200, 503].contains(&get("/healthz").status));
    assert_eq!(get("/api/log").status, 404);
    assert!(station.signal(Signal::TERM).success());
    for path in ["/metrics", "/healthz"] {
        wait_until("the desk notices that the station is gone", || {
            let gone = get(path);
            gone.status == 503 && gone.text().contains("no station answers")
        });
    }
    let foreign = crate::serve::http_get(&free, "GET", "/metrics", &[("Host", "evil.example")]).unwrap();
    assert_eq!(foreign.status, 421);
}

/// Forty guesses of passwords from forty addresses, four at a time: the memory is that of one.
#[test]
fn guesses_of_passwords_take_memory_of_one() {
    let (place, _station, _) = station();
    let made = run_with_input(&["desk", "hash-password", "M. Bosma"], b"correct horse\n").out;
    fs::write(place.path("passwords"), made).unwrap();
    let desk = DeskProcess::start(&place, "password-file = \"passwords\"\ntrusted-proxies = [\"127.0.0.1\"]\n");
    let guess = |address: u8, scheme: &str, password: &str| {
        let (origin, address) = (desk.origin(), format!("10.0.0.{address}"));
        let headers = [("Origin", &*origin), JSON, ("X-Forwarded-For", &address), ("X-Forwarded-Proto", scheme)];
        let body = json!({"name": "M. Bosma", "password": password}).to_string();
        desk.request("POST", "/api/login", &headers, &body)
    };
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                for index in 0..10 {
                    assert_eq!(guess(worker * 10 + index, "https", "wrong horse").status, 403);
                }
            });
        }
    });
    let peak = peak_memory(desk.process.id());
    assert!(peak < 80_000, "{peak} kB");
    assert_eq!(guess(99, "https", "correct horse").status, 200);
    // A password is not sent over a proxy that does not say https.
    let answer = guess(99, "http", "correct horse");
    assert_eq!(answer.status, 403);
    assert_contains(&answer.text(), &["https"]);
}

/// Guesses of codes from many addresses cost who guesses: members are served meanwhile, and an operator can log in.
#[test]
fn guesses_of_codes_do_not_delay_members() {
    let (place, _station, _) = station();
    let desk = DeskProcess::start(&place, "trusted-proxies = [\"127.0.0.1\"]\n");
    let keys = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    let guess = |address: u8| {
        let (origin, address) = (desk.origin(), format!("10.0.0.{address}"));
        let headers = [("Origin", &*origin), JSON, ("X-Forwarded-For", &address)];
        desk.request("POST", "/api/login", &headers, &json!({"code": "000000"}).to_string()).status
    };
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..16_u8 {
            let (guess, done) = (&guess, &done);
            scope.spawn(move || {
                for index in 0..=u8::MAX {
                    if done.load(std::sync::atomic::Ordering::Relaxed) {
                        break;
                    }
                    let status = guess(worker.wrapping_mul(16).wrapping_add(index));
                    assert!([403, 503].contains(&status), "{status}");
                }
            });
        }
        for _ in 0..6 {
            let (_, reply) = desk.post("/api/request", Some(&keys), &json!({"do": "log-level"}));
            assert_eq!(reply["ok"], true, "{reply}");
        }
        // An operator who logs in takes the place of a guesser, at once or when the page asks again: at first nobody has asked more.
        let login = json!({"code": code(&place, "operator", "W. van der Kloosterman")});
        let answer = std::iter::repeat_with(|| desk.post("/api/login", None, &login)).take(20).find(|(status, _)| {
            let is_busy = *status == 503;
            if is_busy {
                std::thread::sleep(std::time::Duration::from_secs(1));
            }
            !is_busy
        });
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        let (status, reply) = answer.unwrap_or((503, Value::Null));
        assert_eq!(status, 200, "{reply}");
    });
}

/// A file of 4 MiB is imported at the desk; an arbiter's long body is refused before it is read.
#[test]
fn desk_imports_large_files() {
    let (place, _station, desk) = station();
    let keys = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    let text = format!("No,Name\n1,\"Sijbrands, T.\"\n{}", "\n".repeat((4 << 20) - 64));
    let import =
        |text: &str| json!({"do": "tournament", "request": {"command": "import", "name": "p.csv", "text": text}});
    let (_, reply) = desk.post("/api/request", Some(&keys), &import(&text));
    assert_eq!(reply["ok"], true, "{reply}");
    let keys = desk.log_in(&json!({"code": code(&place, "arbiter", "R. Faber")}));
    assert_eq!(desk.post("/api/request", Some(&keys), &import(&text[..100_000])).0, 413);
}

/// The desk offers every tournament request that the socket's documentation lists.
#[test]
fn desk_offers_every_tournament_request() {
    let documented = fs::read_to_string("docs/socket.md").unwrap();
    let table = documented.split("A request of `tournament` has a `command`").nth(1).unwrap();
    let rows =
        table.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with("| "));
    let commands: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    assert!(commands.len() > 10, "{commands:?}");
    let scripts = ["tournament", "event", "pairing", "results", "boards", "station", "core", "missing", "on_air"]
        .map(|name| fs::read_to_string(format!("crates/damcast-outward/src/desk/assets/{name}.js")).unwrap())
        .concat();
    for command in commands {
        // The desk sends names to the board, which forwards them to the tournament if its game has begun.
        let request = if command == "set-players" { "`names ${".to_owned() } else { format!("command: '{command}'") };
        assert!(scripts.contains(&request), "{command}");
    }
}

#[test]
fn demo_admits_viewer() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    let mut process = damcast(&["demo", "--boards", "1", "--speed", "50", "--dir", place.to_str().unwrap()])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The program ends when its output is closed, so its output stays open.
    let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
    let lines: Vec<String> = output.by_ref().take(2).map(Result::unwrap).collect();
    assert!(lines[0].starts_with("viewers: http://127.0.0.1:"), "{lines:?}");
    let (address, code) = lines[1].strip_prefix("operator: http://").unwrap().split_once("/?code=").unwrap();
    let desk = DeskProcess { process, address: address.to_owned() };
    let body = json!({"code": code});
    let mut state = Value::Null;
    wait_until("the station of the demonstration", || {
        state = desk.post("/api/login", None, &body).1;
        !state["error"].as_str().is_some_and(|error| error.contains("no station answers"))
    });
    assert_eq!(state["role"], "operator", "{state}");
    drop(output);
}

#[test]
fn demo_ends_on_signal_after_its_last_round() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    let mut process = damcast(&["demo", "--boards", "2", "--speed", "1000", "--dir", place.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Nobody plays in the seventh round, which is open.
    let is_over = || {
        let text = std::fs::read_to_string(place.join("public/tournament.json")).unwrap_or_default();
        let all: Value = serde_json::from_str(&text).unwrap_or_default();
        all["sections"][0]["rounds"].as_array().is_some_and(|rounds| rounds.len() == 7)
    };
    wait_until("the end of the last round", is_over);
    rustix::process::kill_process(rustix::process::Pid::from_child(&process), rustix::process::Signal::TERM).unwrap();
    wait_until("the end of the demonstration", || process.try_wait().unwrap().is_some());
}
