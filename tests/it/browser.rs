//! The pages in a real browser (headless Chromium), driven by its debugging protocol over two pipes. `DAMCAST_BROWSER` names the browser;
//! the default is `chromium`. With `firefox` (also `firefox-esr`) or `WebKitWebDriver`, tests that need no more than addresses and expressions run in
//! Firefox or WebKit. Without a browser the tests print that they are skipped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::operator::start_code;
use crate::serve::{OutletFixture, tournament};
use crate::web_driver::WebDriver;

/// Maximum time that a test waits.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A page of a browser, in its own window.
#[derive(Clone)]
pub struct Page {
    target: String,
    session: String,
}

/// A browser. Commands go to the page selected last.
pub struct Browser {
    driver: Driver,
    /// Errors that the pages reported.
    pub errors: Vec<String>,
}

/// Connection to a browser, by which it gets its commands.
enum Driver {
    Chromium(Chromium),
    WebDriver(WebDriver),
}

/// Chromium with the pipes of its debugging protocol.
struct Chromium {
    process: Child,
    endpoint: ChildStdin,
    from: BufReader<ChildStdout>,
    last_id: u64,
    session: Option<String>,
    _profile: tempfile::TempDir,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Chromium {
    /// Starts a browser.
    fn start(program: &str) -> Chromium {
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from descriptor 3 and answers on descriptor 4.
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --remote-debugging-pipe --user-data-dir=\"$1\" about:blank \
                      3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", script, program, profile.path().to_str().unwrap()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Chromium { process, endpoint: to, from, last_id: 0, session: None, _profile: profile }
    }

    /// Returns the answer, or the error that the browser reports. Adds the errors of pages.
    fn command(&mut self, method: &str, params: Value, errors: &mut Vec<String>) -> Result<Value, Value> {
        self.last_id += 1;
        let mut order = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = &self.session {
            order["sessionId"] = session.as_str().into();
        }
        self.endpoint.write_all(format!("{order}\0").as_bytes()).unwrap();
        loop {
            let mut text = Vec::new();
            self.from.read_until(0, &mut text).unwrap();
            text.pop();
            let answer: Value = serde_json::from_slice(&text).expect("the browser has ended");
            if answer["id"] == self.last_id {
                let error = answer["error"].clone();
                return if error.is_null() { Ok(answer["result"].clone()) } else { Err(error) };
            }
            if answer["method"] == "Runtime.exceptionThrown" || answer["method"] == "Log.entryAdded" {
                errors.push(answer["params"].to_string());
            }
        }
    }
}

impl Browser {
    /// Starts the browser of all tests. Returns `None`, and prints that, if it is not installed.
    pub fn open() -> Option<Browser> {
        Browser::start(&std::env::var("DAMCAST_BROWSER").unwrap_or_else(|_| "chromium".to_owned()))
    }

    /// Starts a browser: `chromium`, `firefox`, `WebKitWebDriver`, or a file of such a name.
    pub fn start(program: &str) -> Option<Browser> {
        let is_missing = |program: &&str| {
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
        };
        // WebKit needs a screen.
        let screen: &[&str] = if program.contains("WebKit") { &["xvfb-run", "xauth"] } else { &[] };
        if let Some(missing) = [program].iter().chain(screen).copied().find(is_missing) {
            println!("{missing} is not installed: the pages are NOT tried in a browser");
            return None;
        }
        let is_chromium = !["firefox", "WebKit"].iter().any(|name| program.contains(name));
        let driver = if is_chromium {
            Driver::Chromium(Chromium::start(program))
        } else {
            Driver::WebDriver(WebDriver::open(program))
        };
        let mut browser = Browser { driver, errors: Vec::new() };
        browser.open_page();
        Some(browser)
    }

    /// Opens another page and selects it.
    pub fn open_page(&mut self) -> Page {
        let chromium = match &mut self.driver {
            Driver::WebDriver(driver) => {
                return Page { target: driver.open_window(), session: String::new() };
            }
            Driver::Chromium(chromium) => chromium,
        };
        chromium.session = None;
        // In separate windows: a window hides all of its pages except one.
        let target = self.call("Target.createTarget", json!({"url": "about:blank", "newWindow": true}));
        let attached = self.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let page = Page { target: text(&target["targetId"]), session: text(&attached["sessionId"]) };
        self.select_page(&page);
        for part in ["Page", "Runtime", "Log", "Accessibility"] {
            self.call(&format!("{part}.enable"), json!({}));
        }
        page
    }

    /// Selects the page for all further commands.
    pub fn select_page(&mut self, page: &Page) {
        match &mut self.driver {
            Driver::WebDriver(driver) => driver.select(&page.target),
            Driver::Chromium(chromium) => chromium.session = Some(page.session.clone()),
        }
    }

    /// Hides a page from its viewer, or shows it again.
    pub fn hide(&mut self, page: &Page, is_hidden: bool) {
        if let Driver::Chromium(chromium) = &mut self.driver {
            chromium.session = None;
        }
        let window = self.call("Browser.getWindowForTarget", json!({"targetId": page.target}))["windowId"].clone();
        let state = if is_hidden { "minimized" } else { "normal" };
        self.call("Browser.setWindowBounds", json!({"windowId": window, "bounds": {"windowState": state}}));
        self.select_page(page);
        self.wait("document.hidden", &is_hidden.into());
    }

    /// Sends a command of the debugging protocol. WebDriver has none of it, except for the size of a page.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        match &mut self.driver {
            Driver::Chromium(chromium) => {
                chromium.command(method, params, &mut self.errors).unwrap_or_else(|error| panic!("{method}: {error}"))
            }
            Driver::WebDriver(driver) if method == "Emulation.setDeviceMetricsOverride" => {
                driver.resize(params["width"].as_i64().unwrap(), params["height"].as_i64().unwrap());
                Value::Null
            }
            Driver::WebDriver(_) => panic!("{method} is a command of Chromium"),
        }
    }

    /// Returns the nodes of the accessibility tree; none with WebDriver.
    pub fn accessibility_nodes(&mut self) -> Vec<Value> {
        match &self.driver {
            Driver::WebDriver(_) => Vec::new(),
            Driver::Chromium(_) => {
                let mut tree = self.call("Accessibility.getFullAXTree", json!({}));
                serde_json::from_value(tree["nodes"].take()).unwrap()
            }
        }
    }

    pub fn visit(&mut self, address: &str) {
        match &mut self.driver {
            Driver::WebDriver(driver) => driver.visit(address),
            Driver::Chromium(_) => {
                self.call("Page.navigate", json!({"url": address}));
            }
        }
    }

    /// Returns the value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.try_evaluate(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Returns the value of an expression; an error if another page loads meanwhile.
    fn try_evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        match &mut self.driver {
            Driver::WebDriver(driver) => driver.evaluate(expression),
            Driver::Chromium(chromium) => {
                Ok(chromium.command("Runtime.evaluate", params, &mut self.errors)?["result"]["value"].clone())
            }
        }
    }

    /// Returns the errors that the pages reported, except for an absent server.
    pub fn page_errors(&self) -> Vec<String> {
        // A proxy answers 502 and 504 for the server.
        let absent = [
            "ERR_CONNECTION",
            "ERR_EMPTY_RESPONSE",
            "ERR_SOCKET_NOT_CONNECTED",
            "ERR_INCOMPLETE",
            "status of 502",
            "status of 504",
        ];
        let is_of_the_page = |error: &&String| !absent.iter().any(|words| error.contains(words));
        let errors = match &self.driver {
            Driver::Chromium(_) => &self.errors,
            Driver::WebDriver(driver) => &driver.errors,
        };
        errors.iter().filter(is_of_the_page).cloned().collect()
    }

    /// Returns the serious violations that axe-core finds in the page, once the page has loaded it.
    pub fn accessibility_violations(&mut self) -> Value {
        let rules = "{runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}, resultTypes: ['violations']}";
        let found = format!(
            "axe.run(document, {rules}).then(found => found.violations.filter(one => ['serious', 'critical'].includes(one.impact))\
             .map(one => [one.id, one.help, one.nodes[0].html, one.nodes[0].failureSummary]))"
        );
        self.evaluate(&found)
    }

    #[track_caller]
    pub fn wait(&mut self, expression: &str, expected: &Value) {
        let end = Instant::now() + TIMEOUT;
        loop {
            // A page that is being replaced has no result yet.
            let found = self.try_evaluate(expression).unwrap_or_else(|error| error);
            if found == *expected {
                return;
            }
            assert!(Instant::now() < end, "{expression} is {found} and not {expected}; {:?}", self.errors);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The pieces of a board as drawn, field by field.
const DRAWN_PIECES: &str = "(() => { const board = document.querySelector('svg.bd'), all = Array(100).fill('.'); \
    for (const use of board.querySelectorAll('.ps use')) all[Math.floor(use.getAttribute('y') / 10) * 10 + Math.floor(use.getAttribute('x') / 10)] = \
    use.getAttribute('href').slice(1); return all.join(''); })()";
pub const MOVES: &str = "[...document.querySelectorAll('#moves a')].map(link => link.firstChild.textContent).join(' ')";
pub const LIVE: &str = "document.querySelector('#state').textContent";
/// Whether the page of a game has its second script, with the keys.
pub const HAS_KEYS: &str = "document.querySelector('.study')?.hidden === false";

fn played(moves: &[(usize, usize, Option<usize>)]) -> Value {
    let letter = |field| match start_code(field) {
        1 => 'w',
        4 => 'b',
        _ => '.',
    };
    let mut all: Vec<char> = (0..100).map(letter).collect();
    for (from, to, taken) in moves {
        all.swap(*from, *to);
        taken.iter().for_each(|taken| all[*taken] = '.');
    }
    all.into_iter().collect::<String>().into()
}

/// Fields of 1. 32-28 19-23 2. 28x19 14x23.
const PLAYED_FIELDS: [(usize, usize, Option<usize>); 4] =
    [(63, 54, None), (36, 45, None), (54, 36, Some(45)), (27, 45, Some(36))];

#[test]
fn board_follows_play_and_navigation_after_reconnect() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "<b>Ba</b>", "Event": "Open"}));
    outlet.play("board-1", 1);
    let server = outlet.serve();
    browser.visit(&format!("http://{}/board/1", server.address));
    browser.wait(LIVE, &"Live".into());
    browser.wait(DRAWN_PIECES, &played(&PLAYED_FIELDS[..1]));
    // A move arrives: board, list, clocks, and the text for screen readers.
    outlet.play("board-1", 2);
    browser.wait(MOVES, &"32-28 19-23".into());
    browser.wait(DRAWN_PIECES, &played(&PLAYED_FIELDS[..2]));
    browser.wait("document.querySelector('#say').textContent", &"Black 19 to 23".into());
    browser.wait("document.querySelector('.ck.run').dataset.side", &"white".into());
    browser.wait("document.querySelector('.plb.bk bdi').textContent", &"<b>Ba</b>".into());
    // A clock counts down by itself.
    let seconds = "(([h, m, s]) => h * 3600 + m * 60 + s)(document.querySelector('.ck.run time').textContent.split(':').map(Number))";
    let before = browser.evaluate(seconds).as_i64().unwrap();
    browser.wait(&format!("{seconds} <= {} && {seconds} >= {}", before - 2, before - 20), &true.into());
    browser.wait(HAS_KEYS, &true.into());
    // Back, by key; the game goes on meanwhile and the viewer stays at the chosen move.
    browser.evaluate("document.querySelector('#board').focus(); document.querySelector('#board').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))");
    browser.wait(DRAWN_PIECES, &played(&PLAYED_FIELDS[..1]));
    browser.wait("location.pathname", &"/game/board-1-1/1".into());
    outlet.play("board-1", 3);
    browser.wait(MOVES, &"32-28 19-23 28×19".into());
    assert_eq!(browser.evaluate(DRAWN_PIECES), played(&PLAYED_FIELDS[..1]));
    browser.evaluate("document.querySelector('#golive').click()");
    browser.wait(DRAWN_PIECES, &played(&PLAYED_FIELDS[..3]));
    browser.wait("location.pathname", &"/board/board-1".into());
    // Turned: Black's first row is below, and White's player above the board.
    let turned = "['.ps [href=\"#b\"]', '.ps [href=\"#w\"]', '.plb.wh', '.plb.bk'].map(one => document.querySelector('.brd ' + one).getBoundingClientRect().top)\
        .every((top, index, all) => index === 0 || all[0] > all[1] && all[2] < all[3])";
    browser.wait(turned, &false.into());
    browser.evaluate("document.querySelector('#turnboard').click()");
    browser.wait("document.body.className", &"turned".into());
    browser.wait(turned, &true.into());
    browser.evaluate("document.querySelector('#turnboard').click()");
    // The server stops, a move is played, and another server starts at the same address: nothing is missing or repeated.
    let address = server.address.clone();
    drop(server);
    outlet.play("board-1", 4);
    let server = outlet.serve_at(&address);
    browser.wait(MOVES, &"32-28 19-23 28×19 14×23".into());
    browser.wait(DRAWN_PIECES, &played(&PLAYED_FIELDS));
    // The end of the game.
    outlet.append_event("board-1", json!({"n": 6, "type": "end"}));
    outlet.append_event("board-1", json!({"n": 7, "type": "result", "result": "2-0"}));
    browser.wait("[...document.querySelectorAll('.ck')].map(clock => clock.textContent).join()", &"0,2".into());
    browser.wait("document.querySelector('.st').textContent", &"Over after 2 moves".into());
    // The page equals one that is loaded anew.
    let after = browser.evaluate(DRAWN_PIECES);
    browser.visit(&format!("http://{}/board/1?lang=ru", server.address));
    browser.wait("document.documentElement.lang", &"ru".into());
    browser.wait(DRAWN_PIECES, &after);
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn grid_follows_all_boards_and_reads_aloud() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    for board in ["board-1", "board-2"] {
        outlet.begin(board, json!({"White": "Jansen", "Black": "Ba", "Event": "Open"}));
    }
    let server = outlet.serve();
    browser.visit(&format!("http://{}/", server.address));
    browser.wait(LIVE, &"Live".into());
    outlet.play("board-2", 1);
    browser.wait(
        "[...document.querySelectorAll('.g .st')].map(status => status.textContent).join('; ')",
        &"Playing; 1. 32-28".into(),
    );
    outlet.append_event("board-1", json!({"p": 1, "type": "state", "state": "unexplained"}));
    browser.wait("document.querySelector('.g').className", &"g s-doubt".into());
    // One more board.
    outlet.begin("board-3", json!({"White": "New"}));
    browser.wait("document.querySelectorAll('.g').length", &3.into());
    // The page fits a phone in every language.
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": true}),
    );
    for language in ["en", "nl", "fr", "ru"] {
        for page in ["", "board/2", "standings", "archive"] {
            browser.visit(&format!("http://{}/{page}?lang={language}", server.address));
            browser.wait("document.readyState === 'complete' && document.documentElement.lang", &language.into());
            assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), 360, "{page} {language}");
        }
    }
    // The text for screen readers.
    browser.visit(&format!("http://{}/board/2?lang=en", server.address));
    browser.wait("document.documentElement.lang", &"en".into());
    browser.wait(LIVE, &"Live".into());
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes: Vec<(String, String)> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| ["role", "name"].map(|part| node[part]["value"].as_str().unwrap_or_default().to_owned()).into())
        .collect();
    for (role, name) in [
        ("navigation", "Pages"),
        ("heading", "Moves"),
        ("heading", "Position as text"),
        ("button", "Turn the board"),
        ("link", "One move back"),
        ("region", "Moves"),
    ] {
        assert!(nodes.iter().any(|node| node.0 == role && node.1 == name), "{role} {name}: {nodes:?}");
    }
    assert!(
        nodes.iter().any(|(role, name)| ["image", "img"].contains(&role.as_str()) && name.starts_with("Board 2")),
        "{nodes:?}"
    );
    assert!(nodes.iter().filter(|(role, _)| role == "main").count() == 1);
    assert_eq!(
        browser.evaluate("document.querySelectorAll('[aria-live] .ck, .ck [aria-live]').length"),
        0,
        "no clock is read aloud"
    );
}

#[test]
fn names_stay_in_cards_on_wall() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    let long = "Maximilian Willem van der Hoogenberg-Xhu";
    assert_eq!(long.len(), 40);
    for board in 1..=14 {
        let event = "Open Championship of the Province of Huissen and Surroundings";
        let tags = json!({"White": long, "Black": if board == 1 { "Li" } else { long }, "Event": event, "Round": "12"});
        outlet.begin(&format!("board-{board}"), tags);
        outlet.play(&format!("board-{board}"), 1);
    }
    let server = outlet.serve();
    let outside = "[...document.querySelectorAll('.g .nm1, .g .ck')].filter(name => { const box = name.getBoundingClientRect(), \
        card = name.closest('li').getBoundingClientRect(), board = name.closest('.g').querySelector('svg.bd').getBoundingClientRect(); \
        return box.width === 0 || box.left < board.right || box.right > card.right + 0.5 || box.top < card.top || box.bottom > card.bottom + 0.5; }).length";
    let size =
        |of: &str| format!("parseFloat(document.querySelector('.g .pl.{of} .nm1').style.getPropertyValue('--f'))");
    for (width, height) in [(1920, 1080), (1280, 720)] {
        let screen = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", screen);
        browser.visit(&format!("http://{}/?wall", server.address));
        browser.wait("document.readyState === 'complete' && document.querySelectorAll('.wall .g').length", &14.into());
        // The script fits the names.
        browser.wait("document.querySelector('.g .nm1').style.letterSpacing !== ''", &true.into());
        assert_eq!(browser.evaluate(outside), 0, "{width}x{height}");
        // A long name of an event takes one line, and no row of boards is below the screen.
        let lines = "document.querySelector('.wh1').clientHeight / parseFloat(getComputedStyle(document.querySelector('.wh1 h1')).fontSize)";
        assert!(browser.evaluate(lines).as_f64().unwrap() < 2.0, "{width}x{height}");
        let is_seen = "document.querySelector('.wh1 h1 span').getBoundingClientRect().right < innerWidth \
            && [...document.querySelectorAll('.wall .g')].every(card => card.getBoundingClientRect().bottom <= innerHeight + 1)";
        assert_eq!(browser.evaluate(is_seen), true, "{width}x{height}");
        // Boards that fit stay large; others shrink before they are cut off.
        assert_eq!(browser.evaluate(&size("bk")), 1.95, "{width}x{height}");
        assert_eq!(browser.evaluate(&size("wh")), 1.32, "{width}x{height}");
    }
}

#[test]
fn page_is_live_only_with_server_and_shows_age() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    let server = outlet.serve();
    let page = browser.open_page();
    browser.call("Network.enable", json!({}));
    let cut = |browser: &mut Browser, is_cut: bool| {
        let network = json!({"offline": is_cut, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        browser.call("Network.emulateNetworkConditions", network);
    };
    let banner_text = "(line => line.hidden ? '' : line.textContent)(document.querySelector('#banner'))";
    let assert_age = |browser: &mut Browser, since: Instant| {
        let seconds = format!("+(/^No data from the server for (\\d+) sec$/.exec({banner_text})?.[1] ?? 0)");
        browser.wait(&format!("{banner_text} !== ''"), &true.into());
        let banner_text = browser.evaluate(&seconds).as_u64().unwrap();
        assert!(banner_text + 2 >= since.elapsed().as_secs(), "{banner_text} s, and not {:?}", since.elapsed());
    };
    browser.visit(&format!("http://{}/board/1", server.address));
    browser.wait("!!document.querySelector('#time')?.textContent", &true.into());
    browser.wait(LIVE, &"Live".into());
    // Away, and back without a network: the age counts from the last message.
    let since = Instant::now();
    browser.hide(&page, true);
    std::thread::sleep(Duration::from_secs(8));
    cut(&mut browser, true);
    browser.hide(&page, false);
    assert_eq!(browser.evaluate(LIVE), "Connecting");
    assert_age(&mut browser, since);
    cut(&mut browser, false);
    browser.wait(LIVE, &"Live".into());
    assert_eq!(browser.evaluate(banner_text), "Live again");
    // The age of a page to which the viewer goes back.
    let since = Instant::now();
    browser.evaluate("location.href = '/standings'; 1");
    browser.wait("location.pathname + document.readyState", &"/standingscomplete".into());
    std::thread::sleep(Duration::from_secs(8));
    cut(&mut browser, true);
    browser.evaluate("history.back()");
    browser.wait("location.pathname", &"/board/1".into());
    browser.wait(LIVE, &"Connecting".into());
    assert_age(&mut browser, since);
    cut(&mut browser, false);
    browser.wait(LIVE, &"Live".into());
    // The server ends: the page shows it within seconds.
    drop(server);
    let end = Instant::now();
    browser.wait(LIVE, &"Connecting".into());
    assert!(end.elapsed() < Duration::from_secs(10), "{:?}", end.elapsed());
    browser.wait(&format!("{banner_text}.startsWith('No data from the server')"), &true.into());
    // A screen reader reads it aloud once, and not each second.
    browser.wait("document.querySelector('#banner').ariaLive", &"off".into());
}

#[test]
fn page_is_live_only_with_recorder() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    outlet.write("alive.json", "{\"alive\":1795651982000}\n");
    let server = outlet.serve();
    let clock = "document.querySelector('.ck.run time').textContent";
    let banner = "document.querySelector('#banner').hidden";
    for path in ["", "?wall", "embed/board/1", "board/1"] {
        browser.visit(&format!("http://{}/{path}", server.address));
        browser.wait(banner, &true.into());
    }
    browser.wait(LIVE, &"Live".into());
    // The recorder gives no more signs: the page says so, also when it is loaded anew, and its clocks stand.
    browser.wait(LIVE, &"Not live".into());
    let text = "document.querySelector('#banner').textContent";
    browser.wait(&format!("/No word from the recorder since [0-9]+:[0-9]+/.test({text})"), &true.into());
    let before = browser.evaluate(clock);
    for path in ["", "?wall", "embed/board/1", "standings", "board/1"] {
        browser.visit(&format!("http://{}/{path}", server.address));
        browser.wait(&format!("/No word from the recorder since [0-9]+:[0-9]+/.test({text})"), &true.into());
    }
    assert!(browser.evaluate(clock).as_str() >= before.as_str(), "it counts on");
    // A page without a script says it too.
    assert!(server.get("/?lang=en").text().contains("<span id=\"state\">Not live</span>"));
    // It is back.
    outlet.write("alive.json", "{\"alive\":1795651999000}\n");
    browser.wait(LIVE, &"Live".into());
    browser.wait(banner, &true.into());
    // A server that never saw a sign says so too.
    let never = OutletFixture::new();
    never.stop_recorder();
    let never = never.serve();
    browser.visit(&format!("http://{}/", never.address));
    browser.wait(LIVE, &"Not live".into());
    browser.visit(&format!("http://{}/board/1", server.address));
    // The page says so too when the file with the signs of life is gone.
    std::fs::remove_file(outlet.path("alive.json")).unwrap();
    browser.wait(LIVE, &"Not live".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn phone_shows_field_numbers_and_all_languages() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    for (board, game_type) in
        [("board-1", "20,W,10,10,N2,0"), ("board-2", "27,W,12,12,N2,0"), ("board-3", "22,W,8,8,N1,0")]
    {
        outlet.append_event(
            board,
            json!({"n": 1, "type": "game", "gametype": game_type, "tags": {"White": "Jansen"}, "fen": "W:W32:B12"}),
        );
    }
    let server = outlet.serve();
    let numbers = "[...document.querySelectorAll('svg.big .nm text')].filter(number => number.getBoundingClientRect().width > 0).length";
    for (width, counts) in [(1280, [50, 72, 32]), (360, [48, 70, 32]), (230, [0, 0, 30])] {
        let screen = json!({"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": true});
        browser.call("Emulation.setDeviceMetricsOverride", screen);
        for (board, count) in (1..).zip(counts) {
            browser.visit(&format!("http://{}/board/{board}", server.address));
            browser.wait(
                &format!("document.readyState === 'complete' && location.pathname === '/board/{board}' && {LIVE}"),
                &"Live".into(),
            );
            browser.wait(numbers, &count.into());
            let languages = "[...document.querySelectorAll('.lg a[hreflang]')].filter(link => { const box = link.getBoundingClientRect(); \
                return box.left >= 0 && box.right <= innerWidth; }).length";
            assert_eq!(browser.evaluate(languages), 4, "{width}");
        }
    }
}

/// Returns the source of axe-core, a checker of accessibility; `None`, with a message, if it is not installed. `scripts/axe` fetches it.
pub fn axe() -> Option<String> {
    let usual = concat!(env!("CARGO_MANIFEST_DIR"), "/target/axe-core-4.14.1/package/axe.min.js");
    let file = std::env::var("DAMCAST_AXE").unwrap_or_else(|_| usual.to_owned());
    let axe = std::fs::read_to_string(&file).ok();
    if axe.is_none() {
        println!("{file} is not there (scripts/axe fetches it): the pages are NOT tried with axe-core");
    }
    axe
}

#[test]
fn pages_have_no_serious_accessibility_problem() {
    let Some(axe) = axe() else { return };
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    let tags = |white: &str| json!({"White": white, "Black": "Ba", "Event": "Open", "Round": "5", "WhiteRating": "2200", "BlackTitle": "MI", "WhiteTeam": "Hoogeveen"});
    for (board, name) in (1..=4).map(|board| (format!("board-{board}"), format!("Jansen {board}"))) {
        outlet.begin(&board, tags(&name));
        (1..=4).for_each(|ply| outlet.play(&board, ply));
    }
    outlet.append_event("board-2", json!({"p": 1, "type": "state", "state": "unexplained"}));
    outlet.append_event("board-3", json!({"p": 1, "type": "state", "state": "no-connection"}));
    outlet.append_event("board-4", json!({"n": 6, "type": "end"}));
    outlet.append_event("board-4", json!({"n": 7, "type": "result", "result": "2-0"}));
    tournament(&mut outlet);
    let server = outlet.serve();
    let mut tried = 0;
    for (language, scheme) in [("en", "light"), ("en", "dark"), ("nl", "light"), ("fr", "dark"), ("ru", "light")] {
        browser.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        let pages = "/ /board/1 /board/2 /game/board-4-1 /round/5 /round/6 /board/3 /standings /archive /embed/board/3 \
            /?wall /?wall=light /nothing";
        let others =
            "/players /player/Open-1 /game/board-4-1/2/try/ /standings/Open /standings?hide=results /embed/round/6";
        let others = others.split(' ').filter(|_| language == "en");
        for page in pages.split(' ').chain(others) {
            let sign = if page.contains('?') { '&' } else { '?' };
            browser.visit(&format!("http://{}{page}{sign}lang={language}", server.address));
            browser.wait("document.readyState === 'complete' && document.documentElement.lang", &language.into());
            browser.evaluate(&axe);
            assert_eq!(browser.accessibility_violations(), json!([]), "{page} in {language}, {scheme}");
            tried += 1;
        }
    }
    println!("{tried} pages are usable for everybody, as far as axe-core knows");
}
