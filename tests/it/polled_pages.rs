//! Pages that poll (`live = "poll"`): answers for caches, the shipped cache of nginx, and open pages in Chromium.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::browser::{Browser, LIVE};
use crate::nginx::Nginx;
use crate::program::assert_contains;
use crate::pty::wait_until;
use crate::serve::{OutletFixture, Server};

const POLL: &str = "live = \"poll\"\nlanguage = \"nl\"\n";
const STATES: &str = "[...document.querySelectorAll('.g .st')].map(state => state.textContent).join('; ')";
const MOVES: &str = "[...document.querySelectorAll('#moves a')].map(link => link.firstChild.textContent).join(' ')";
const BANNER: &str = "document.querySelector('#banner').hidden ? '' : document.querySelector('#banner').textContent";
/// Whether the page has asked for a stream.
const HAS_STREAM: &str = "performance.getEntriesByType('resource').some(one => one.name.includes('/events'))";

/// Returns an outlet with two games.
fn hall() -> OutletFixture {
    let mut outlet = OutletFixture::new();
    for board in ["board-1", "board-2"] {
        outlet.begin(board, json!({"White": "Jansen", "Black": "Ba", "Event": "Open"}));
        outlet.play(board, 1);
    }
    outlet.write("games.pdn", "[White \"Jansen\"]\n[Result \"*\"]\n\n1. 32-28 *\n");
    outlet
}

#[test]
fn answers_name_their_lifetimes() {
    let mut outlet = hall();
    let server = outlet.serve_with(POLL);
    let lifetime = "public, max-age=1, s-maxage=2, stale-while-revalidate=10, stale-if-error=60";
    for path in ["/", "/board/2", "/board/77", "/games.pdn", "/started.pdn", "/standings"] {
        let answer = server.get(path);
        let is_file_missing = path == "/started.pdn";
        assert_eq!(answer.header("cache-control").is_none_or(|found| found != lifetime), is_file_missing, "{path}");
        assert!(answer.header("vary").is_none_or(|names| !names.contains("language")), "{path}");
    }
    for path in ["/events.ndjson", "/events?from=1"] {
        assert_eq!(server.get(path).header("cache-control"), Some("no-cache"), "{path}");
    }
    // The configured language counts, and not that of the browser; the address counts before it.
    let page = crate::serve::http_get(&server.address, "GET", "/", &[("Accept-Language", "ru")]).unwrap().text();
    assert_contains(&page, &["<html lang=\"nl\"", "data-live=\"poll\""]);
    assert_contains(&server.get("/?lang=fr").text(), &["<html lang=\"fr\""]);
    // A board without news keeps its page, whatever happens on others.
    let tag = |path: &str| server.get(path).header("etag").unwrap().to_owned();
    let (quiet, other) = (tag("/board/2"), tag("/board/1"));
    outlet.play("board-1", 2);
    wait_until("the move", || tag("/board/1") != other);
    let again = crate::serve::http_get(&server.address, "GET", "/board/2", &[("If-None-Match", &quiet)]).unwrap();
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn streamed_pages_keep_their_headers() {
    let outlet = hall();
    let page = outlet.serve().get("/");
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    assert_eq!(page.header("vary"), Some("accept-encoding, accept-language"));
    assert!(!page.text().contains("data-live"));
    let fixed = outlet.serve_with("language = \"ru\"\n");
    assert_contains(&fixed.get("/").text(), &["<html lang=\"ru\""]);
}

#[test]
fn cache_asks_once_in_two_seconds() {
    let mut outlet = hall();
    let server = outlet.serve_with(POLL);
    let Some(nginx) = Nginx::cache_of(&server.address) else { return };
    let (asked, began) = (AtomicUsize::new(0), Instant::now());
    const DURATION: Duration = Duration::from_secs(7);
    std::thread::scope(|scope| {
        for reader in 0..8 {
            let (nginx, asked) = (&nginx, &asked);
            scope.spawn(move || {
                // Browsers differ in what they accept.
                let accepted = ["gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8", "identity"][reader % 4];
                while began.elapsed() < DURATION {
                    let answer = nginx.get("/", &[("Accept-Encoding", accepted), ("Accept-Language", "fr")]);
                    assert_eq!(answer.status, 200);
                    assert_eq!(answer.header("content-encoding") == Some("gzip"), accepted != "identity");
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            for ply in 2..=4 {
                std::thread::sleep(Duration::from_millis(1500));
                outlet.play("board-1", ply);
            }
        });
    });
    let most = began.elapsed().as_secs() as usize / 2 + 2;
    let reached =
        |nginx: &Nginx| nginx.log().iter().filter(|line| line.starts_with("/ ") && !line.ends_with(" -")).count();
    assert!(reached(&nginx) <= most, "{} requests of {} reached the server", reached(&nginx), asked.into_inner());
    assert!(reached(&nginx) >= 3, "the cache is renewed");
    wait_until("the newest move", || {
        nginx.get("/", &[]).text().contains("14x23") || nginx.get("/", &[]).text().contains("14×23")
    });
    let tag = nginx.get("/board/2", &[]).header("etag").unwrap().to_owned();
    assert_eq!(nginx.get("/board/2", &[("If-None-Match", &tag)]).status, 304);
    // The cache answers for a while without the server, and says so.
    drop(server);
    wait_until("an old answer", || nginx.get("/", &[]).header("x-cache-status") == Some("STALE"));
    assert_eq!(nginx.get("/", &[]).status, 200);
}

/// Waits until the grid has both boards at these moves.
fn wait_for_grid(browser: &mut Browser, server: &Server, states: &str) {
    browser.visit(&format!("http://{}/?lang=en", server.address));
    browser.wait(LIVE, &"Live".into());
    browser.wait(STATES, &states.into());
}

#[test]
fn open_page_follows_by_polling() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve_with(POLL);
    wait_for_grid(&mut browser, &server, "1. 32-28; 1. 32-28");
    outlet.play("board-2", 2);
    browser.wait(STATES, &"1. 32-28; 1. … 19-23".into());
    // The page of a board: moves, and clocks that run by the server's time.
    browser.visit(&format!("http://{}/board/2?lang=en", server.address));
    browser.wait(LIVE, &"Live".into());
    let seconds = "(([h, m, s]) => h * 3600 + m * 60 + s)(document.querySelector('.ck.run time').textContent.split(':').map(Number))";
    let before = browser.evaluate(seconds).as_i64().unwrap();
    browser.wait(&format!("{seconds} <= {} && {seconds} >= {}", before - 2, before - 20), &true.into());
    outlet.play("board-2", 3);
    browser.wait(MOVES, &"32-28 19-23 28×19".into());
    // A viewer who looks at an earlier move stays there.
    browser.evaluate("document.querySelector('#back').click()");
    browser.wait("location.pathname", &"/game/board-2-1/2".into());
    outlet.play("board-2", 4);
    browser.wait(MOVES, &"32-28 19-23 28×19 14×23".into());
    assert_eq!(browser.evaluate("location.pathname"), "/game/board-2-1/2");
    assert_eq!(browser.evaluate(HAS_STREAM), false);
    // Without the server the page says for how long, and recovers.
    let address = server.address.clone();
    drop(server);
    browser.wait(&format!("/^No data from the server for \\d+ sec$/.test({BANNER})"), &true.into());
    browser.wait("document.body.classList.contains('quiet')", &true.into());
    let config = outlet.path("../serve.toml");
    let text = std::fs::read_to_string(&config).unwrap().replace("127.0.0.1:0", &address);
    std::fs::write(&config, text).unwrap();
    let _server = crate::serve::serve(&config);
    browser.wait(LIVE, &"Live".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn open_page_notices_that_cache_lost_server() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve_with(POLL);
    let Some(nginx) = Nginx::cache_of(&server.address) else { return };
    browser.visit(&format!("http://{}/?lang=en", nginx.address));
    browser.wait(LIVE, &"Live".into());
    outlet.play("board-2", 2);
    browser.wait(STATES, &"1. 32-28; 1. … 19-23".into());
    drop(server);
    browser.wait(&format!("/^No data from the server for \\d+ sec$/.test({BANNER})"), &true.into());
    assert!(nginx.log().iter().any(|line| line.contains(" STALE ")), "the cache answered meanwhile");
}

#[test]
fn page_without_stream_polls() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve();
    let upstream = server.address.clone();
    // A proxy that lets no stream through.
    let nginx = Nginx::start(|address, _| {
        format!(
            "server {{ listen {address}; location / {{ proxy_pass http://{upstream}; proxy_set_header Host $host; }}\n\
             location = /events {{ return 403; }} }}"
        )
    });
    let Some(nginx) = nginx else { return };
    browser.visit(&format!("http://{}/board/2?lang=en", nginx.address));
    browser.wait("document.readyState", &"complete".into());
    outlet.play("board-2", 2);
    browser.wait(MOVES, &"32-28 19-23".into());
    browser.wait(LIVE, &"Live".into());
    outlet.play("board-2", 3);
    browser.wait(MOVES, &"32-28 19-23 28×19".into());
    assert_eq!(browser.evaluate(HAS_STREAM), true);
    // It does not ask for the stream all the time.
    let asked = nginx.log().iter().filter(|line| line.starts_with("/events")).count();
    assert!((1..=8).contains(&asked), "{asked}: {:?}", nginx.log());
}

/// A page that polls beside its stream, because the stream was silent for long, may get an answer that is older than the stream.
#[test]
fn late_poll_changes_nothing_that_stream_has_brought() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve();
    browser.visit(&format!("http://{}/board/2?lang=en", server.address));
    browser.wait(LIVE, &"Live".into());
    // Answers wait until they are released. A leap of the clock makes the page believe that its stream is dead.
    browser.evaluate(
        "{ const ask = fetch, clock = Date.now; window.leap = 0; Date.now = () => clock() + window.leap; window.fetch = async (...asked) => {
         const answer = await ask(...asked), text = await answer.text();
         await new Promise((release) => { window.release = release; }); return new Response(text, answer); }; 0 }",
    );
    wait_until("a poll", || {
        browser.evaluate("window.leap += 13000, 0");
        std::thread::sleep(Duration::from_millis(1500));
        browser.evaluate("typeof window.release") == "function"
    });
    (2..=4).for_each(|ply| outlet.play("board-2", ply));
    const ALL: &str = "32-28 19-23 28×19 14×23";
    browser.wait(MOVES, &ALL.into());
    browser.evaluate("window.release(), 0");
    // The next part of the page has no moves.
    outlet.append_event("board-2", json!({"p": 1, "type": "clock", "clock": {"white": 1234, "black": 1800}}));
    browser.wait("document.querySelector('.plb.wh .ck time').textContent", &"0:20:34".into());
    assert_eq!(browser.evaluate(MOVES), ALL);
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// A proxy that collects an answer before it passes it on brings no stream to an end. The page polls, and at once when it is in view again.
#[test]
fn page_behind_buffering_proxy_is_right_when_it_returns() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall();
    let server = outlet.serve();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, target) = (proxy.local_addr().unwrap(), server.address.clone());
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for client in proxy.incoming().flatten() {
            let mut begin = [0; 11];
            if client.peek(&mut begin).is_ok() && begin == *b"GET /events" {
                held.push(client);
                continue;
            }
            let target = target.clone();
            std::thread::spawn(move || forward(client, &target, false));
        }
    });
    browser.visit(&format!("http://{address}/board/2?lang=en"));
    // The first answer says what time it is.
    browser.wait("document.querySelector('#time').textContent !== ''", &true.into());
    browser.evaluate("dispatchEvent(new PageTransitionEvent('pagehide')), 0");
    outlet.play("board-2", 2);
    server.wait_for(&outlet);
    // No alarm comes before the answer.
    browser.evaluate(&format!(
        "window.alarms = []; setInterval(() => {{ const text = {BANNER}; if (text) alarms.push(text); }}, 50); 0"
    ));
    browser.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })), 0");
    let asked = std::time::Instant::now();
    browser.wait(MOVES, &"32-28 19-23".into());
    browser.wait(LIVE, &"Live".into());
    println!("right after {:?}", asked.elapsed());
    assert_eq!(browser.evaluate("alarms"), json!([]));
}

/// Passes a request on. A stream ends at once, or after its first event.
fn forward(mut client: TcpStream, server: &str, has_event: bool) -> io::Result<()> {
    let (mut request, mut head) = (BufReader::new(client.try_clone()?), Vec::new());
    while !head.ends_with(b"\r\n\r\n") {
        if request.read_until(b'\n', &mut head)? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head).replace("keep-alive", "close");
    if head.starts_with("GET /events") && !has_event {
        return Ok(());
    }
    let mut upstream = TcpStream::connect(server)?;
    upstream.write_all(head.as_bytes())?;
    if !head.starts_with("GET /events") {
        return io::copy(&mut upstream, &mut client).map(drop);
    }
    let (mut answer, mut first) = (BufReader::new(upstream), Vec::new());
    while !first.ends_with(b"\n\n") && answer.read_until(b'\n', &mut first)? > 0 {}
    client.write_all(&first)
}

/// Starts a proxy that ends each stream at once, or after its first event, and returns its address.
fn proxy_without_streams(server: &Server, has_event: bool) -> SocketAddr {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, target) = (proxy.local_addr().unwrap(), server.address.clone());
    std::thread::spawn(move || {
        for client in proxy.incoming().flatten() {
            let target = target.clone();
            std::thread::spawn(move || forward(client, &target, has_event));
        }
    });
    address
}

/// A proxy that ends streams must not make a page look live that gets nothing.
#[test]
fn page_polls_if_each_stream_ends_at_once() {
    for has_event in [true, false] {
        let Some(mut browser) = Browser::open() else { return };
        let mut outlet = hall();
        let server = outlet.serve();
        let address = proxy_without_streams(&server, has_event);
        browser.visit(&format!("http://{address}/board/1?lang=en"));
        browser.wait(MOVES, &"32-28".into());
        outlet.play("board-1", 2);
        wait_until("the move", || browser.evaluate(MOVES) == "32-28 19-23");
        browser.wait(LIVE, &"Live".into());
        // The page stays live while it polls, although each stream is refused.
        browser.evaluate(&format!("window.states = []; setInterval(() => states.push({LIVE}), 50); 0"));
        browser.wait("states.length > 300", &true.into());
        assert_eq!(browser.evaluate("states.filter(state => state !== 'Live')"), json!([]));
    }
}

/// The page of a finished event polls every ten minutes. A game that is played nevertheless is followed as any other.
#[test]
fn page_of_finished_event_follows_game_that_begins() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.write("tournament.json", r#"{"event":{"start":"2020-01-01","end":"2020-01-02"},"sections":[]}"#);
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.append_event("board-1", json!({"n": 2, "type": "end"}));
    outlet.append_event("board-1", json!({"n": 3, "type": "result", "result": "2-0"}));
    let server = outlet.serve_with(POLL);
    browser.visit(&format!("http://{}/?lang=en", server.address));
    browser
        .wait("document.readyState === 'complete' && 'over' in document.querySelector('#main').dataset", &true.into());
    outlet.begin_game("board-1", 2, json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("board-1", 1);
    wait_until("the game", || server.get("/").text().contains("32-28"));
    // A page that returns to view polls at once.
    browser.evaluate(
        "dispatchEvent(new Event('pagehide')), dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
    );
    browser.wait(STATES, &"1. 32-28".into());
    outlet.play("board-1", 2);
    browser.wait(STATES, &"1. … 19-23".into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}
