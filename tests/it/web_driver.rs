//! Browsers that are driven by WebDriver (W3C Recommendation): Firefox by itself, because its protocol Marionette has the same commands over a
//! socket, and WebKit by its program `WebKitWebDriver` on a screen of Xvfb.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::pty::wait_until;
use crate::serve::raw;

/// Session with a browser. Commands go to the window selected last.
pub struct WebDriver {
    protocol: Protocol,
    /// Errors that pages reported after they were loaded.
    pub errors: Vec<String>,
    _processes: Processes,
    _profile: tempfile::TempDir,
}

/// Process group of a driver or a browser; all of its processes end with it.
struct Processes(Child);

impl Drop for Processes {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

enum Protocol {
    /// Address of the driver, and path of the session there.
    Http {
        address: String,
        session: String,
    },
    Marionette(BufReader<TcpStream>),
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        // A driver does not end the browser if it is killed.
        let _ = self.command(&DELETE_SESSION, &json!({}));
    }
}

/// Longest time for the answer to a command; a page may load for five minutes.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(330);

/// Method, path and name of a command.
type Order = [&'static str; 3];
const NEW_SESSION: Order = ["POST", "/session", "WebDriver:NewSession"];
const DELETE_SESSION: Order = ["DELETE", "", "WebDriver:DeleteSession"];
const NEW_WINDOW: Order = ["POST", "/window/new", "WebDriver:NewWindow"];
const SELECT_WINDOW: Order = ["POST", "/window", "WebDriver:SwitchToWindow"];
const RESIZE_WINDOW: Order = ["POST", "/window/rect", "WebDriver:SetWindowRect"];
const VISIT: Order = ["POST", "/url", "WebDriver:Navigate"];
/// Collects the errors of a page.
const LISTEN: &str = "window.pageErrors = []; addEventListener('error', (event) => pageErrors.push(event.message)); \
                      addEventListener('unhandledrejection', ({ reason }) => pageErrors.push(String(reason)))";
const RUN_SCRIPT: Order = ["POST", "/execute/sync", "WebDriver:ExecuteScript"];

impl WebDriver {
    /// Starts Firefox, or the driver of WebKit and its browser.
    pub fn open(program: &str) -> WebDriver {
        let profile = tempfile::tempdir().unwrap();
        let start = |program: &str, arguments: &[&str]| {
            // Firefox refuses the home of another user.
            let folders = [("TMPDIR", profile.path()), ("HOME", profile.path())];
            let mut command = Command::new(program);
            command.args(arguments).envs(folders).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
            Processes(command.spawn().unwrap())
        };
        let (processes, protocol, wanted) = if program.contains("firefox") {
            std::fs::write(profile.path().join("user.js"), "user_pref('marionette.port', 0);\n").unwrap();
            let folder = profile.path().to_str().unwrap();
            let processes = start(program, &["--headless", "--marionette", "--profile", folder]);
            let port = || std::fs::read_to_string(profile.path().join("MarionetteActivePort")).unwrap_or_default();
            wait_until("a port of Firefox", || !port().is_empty());
            let stream = TcpStream::connect(format!("127.0.0.1:{}", port().trim())).unwrap();
            stream.set_read_timeout(Some(ANSWER_TIMEOUT)).unwrap();
            let mut stream = BufReader::new(stream);
            read_message(&mut stream).unwrap();
            (processes, Protocol::Marionette(stream), json!({}))
        } else {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let address = format!("127.0.0.1:{port}");
            let screen = "--server-args=-screen 0 2000x1200x24";
            let processes = start("xvfb-run", &["--auto-servernum", screen, program, &format!("--port={port}")]);
            wait_until("a driver of WebKit", || TcpStream::connect(&address).is_ok());
            (processes, Protocol::Http { address, session: String::new() }, json!({"capabilities": {}}))
        };
        let mut browser = WebDriver { protocol, errors: Vec::new(), _processes: processes, _profile: profile };
        let begun = browser.order(&NEW_SESSION, &wanted);
        if let Protocol::Http { session, .. } = &mut browser.protocol {
            *session = format!("/session/{}", begun["sessionId"].as_str().unwrap());
        }
        browser
    }

    /// Returns the result of a command, or the error that the browser reports.
    fn command(&mut self, [method, path, name]: &Order, params: &Value) -> Result<Value, String> {
        let mut answer = match &mut self.protocol {
            Protocol::Http { address, session } => {
                // A driver that has ended takes no connection.
                drop(TcpStream::connect(&*address).map_err(|error| error.to_string())?);
                let body = params.to_string();
                let head = format!("{method} {session}{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
                let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
                let answer = raw(address, (head + &kind + &body).as_bytes()).map_err(|error| error.to_string())?;
                serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?
            }
            Protocol::Marionette(stream) => {
                let message = json!([0, 1, name, params]).to_string();
                write!(stream.get_mut(), "{}:{message}", message.len()).map_err(|error| error.to_string())?;
                let [_, _, error, mut result] = serde_json::from_value::<[Value; 4]>(read_message(stream)?).unwrap();
                if error.is_null() && result.get("value").is_none() {
                    result = json!({"value": result});
                }
                if error.is_null() { result } else { json!({"value": error}) }
            }
        };
        let value = answer["value"].take();
        if value["error"].is_string() { Err(value.to_string()) } else { Ok(value) }
    }

    fn order(&mut self, order: &Order, params: &Value) -> Value {
        self.command(order, params).unwrap_or_else(|error| panic!("{order:?} {params}: {error}"))
    }

    /// Opens another window, selects it, and returns its name.
    pub fn open_window(&mut self) -> String {
        let window = self.order(&NEW_WINDOW, &json!({"type": "window"}));
        let window = window["handle"].as_str().unwrap();
        self.select(window);
        window.to_owned()
    }

    pub fn select(&mut self, window: &str) {
        self.order(&SELECT_WINDOW, &json!({"handle": window}));
    }

    pub fn visit(&mut self, address: &str) {
        self.order(&VISIT, &json!({"url": address}));
        self.order(&RUN_SCRIPT, &json!({"script": LISTEN, "args": []}));
    }

    /// Gives the page this size in pixels, or the smallest one that the browser has. The page may have its old size for some time.
    pub fn resize(&mut self, width: i64, height: i64) {
        // Measure first: during a change the page may have its old size and the window its new one.
        let frame = self.evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]").unwrap();
        let [more, higher] = [0, 1].map(|index| frame[index].as_i64().unwrap());
        self.order(&RESIZE_WINDOW, &json!({"width": width + more, "height": height + higher}));
    }

    /// Returns the value of an expression, also if statements come before it.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let expression = expression.trim_end_matches(';');
        let (statements, last) = expression.rsplit_once("; ").unwrap_or(("", expression));
        // A script is the body of a function.
        for (statements, value) in [("", expression), (statements, last), (expression, "undefined")] {
            let script = format!("{statements}; return [({value}), window.pageErrors?.splice(0) ?? []]");
            match self.command(&RUN_SCRIPT, &json!({"script": script, "args": []})) {
                Err(error) if error.contains("SyntaxError") || error.contains("Unexpected") => {}
                Err(error) => return Err(error.into()),
                Ok(found) => {
                    let (value, errors) = serde_json::from_value::<(Value, Vec<String>)>(found).unwrap();
                    self.errors.extend(errors);
                    return Ok(value);
                }
            }
        }
        Err(format!("{expression} is no script").into())
    }
}

/// Reads a message of Marionette: its length, a colon, and JSON.
fn read_message(stream: &mut BufReader<TcpStream>) -> Result<Value, String> {
    let mut length = Vec::new();
    stream.read_until(b':', &mut length).map_err(|error| error.to_string())?;
    length.pop();
    let length = String::from_utf8_lossy(&length).parse().map_err(|_| "the browser has ended".to_owned())?;
    let mut message = vec![0; length];
    stream.read_exact(&mut message).map_err(|error| error.to_string())?;
    serde_json::from_slice(&message).map_err(|error| error.to_string())
}
