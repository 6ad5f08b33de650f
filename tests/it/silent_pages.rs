//! Open pages of every kind show a banner while no data arrives, and lose it when data arrives again.

use rustix::process::Signal;

use crate::browser::{Browser, Page};
use crate::serve::{OutletFixture, Server, tournament};

/// Addresses of one page of each kind.
const PATHS: [&str; 10] = [
    "/",
    "/?wall",
    "/board/board-2",
    "/round/6",
    "/standings",
    "/player/Open-1",
    "/embed/board/board-2",
    "/embed/round/6",
    "/overlay/board/board-2",
    "/overlay/ticker",
];
/// Returns the text of the banner; an empty text if the viewer does not see it.
const BANNER: &str =
    "(line => getComputedStyle(line).display === 'none' ? '' : line.textContent)(document.querySelector('#banner'))";

/// Open pages of all kinds.
struct Pages {
    browser: Browser,
    open: Vec<Page>,
}

impl Pages {
    fn open(mut browser: Browser, server: &Server) -> Pages {
        let mut open = Vec::new();
        for (path, index) in PATHS.iter().zip(0..) {
            // A browser has six connections to a host.
            let host = if index % 2 == 0 { "127.0.0.1" } else { "localhost" };
            open.push(browser.open_page());
            browser.visit(
                &format!("http://{}{path}?lang=en", server.address.replace("127.0.0.1", host))
                    .replacen("?wall?", "?wall&", 1),
            );
            // Wait until the script runs and the stream has sent the time. Overlays and embedded pages show no time.
            let is_ready = "document.readyState === 'complete' && location.pathname !== 'blank' && \
                            !document.querySelector('#dead') && document.querySelector('#time')?.textContent !== ''";
            browser.wait(is_ready, &true.into());
        }
        Pages { browser, open }
    }

    /// Waits until a condition holds on each page.
    fn wait(&mut self, condition: &str) {
        let state = format!("({condition}) || [location.pathname, {BANNER}, document.body.className].join(' ')");
        for page in &self.open {
            self.browser.select_page(page);
            self.browser.wait(&state, &true.into());
        }
    }

    /// Waits until the banner of each page begins with this sentence, and its clocks stand.
    fn wait_for_silence(&mut self, sentence: &str) {
        self.wait(&format!("{BANNER}.startsWith({sentence:?}) && document.body.classList.contains('quiet')"));
    }

    /// Waits until no page has an alarm, and each page with boards shows this move.
    fn wait_for_life(&mut self, text: &str) {
        let is_right = format!(
            "!document.body.classList.contains('quiet') && ['', 'Live again'].includes({BANNER}) && \
             (!document.querySelector('main .st') || document.body.textContent.includes({text:?}))"
        );
        self.wait(&is_right);
    }
}

#[test]
fn every_page_shows_banner_during_silence() {
    let Some(browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.play("board-2", 1);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let mut pages = Pages::open(browser, &server);
    // The server stands still; its connections stay open.
    server.signal(Signal::STOP);
    pages.wait_for_silence("No data from the server for ");
    outlet.play("board-2", 2);
    server.signal(Signal::CONT);
    pages.wait_for_life("19-23");
    // The server is killed.
    let address = server.address.clone();
    drop(server);
    pages.wait_for_silence("No data from the server for ");
    outlet.play("board-2", 3);
    let _server = outlet.serve_at(&address);
    pages.wait_for_life("28×19");
    // The recorder gives no sign of life after this one.
    outlet.write("alive.json", "{\"at\":1}\n");
    pages.wait_for_silence("No word from the recorder since ");
    outlet.write("alive.json", "{\"at\":2}\n");
    outlet.play("board-2", 4);
    pages.wait_for_life("14×23");
    assert!(pages.browser.page_errors().is_empty(), "{:?}", pages.browser.page_errors());
}
