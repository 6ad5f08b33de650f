//! The pages in the browsers of other makers: Firefox and WebKit, which Safari shows pages with. They differ from Chromium where a page asks for
//! its own size, leaves out what is out of view, and in what a script may do.

use serde_json::json;

use crate::browser::{Browser, LIVE};
use crate::open_pages::open_pages_follow;
use crate::pty::wait_until;
use crate::serve::{OutletFixture, Server};

/// Programs of the browsers.
const ALL: [&str; 3] = ["chromium", "firefox-esr", "WebKitWebDriver"];

/// Starts each browser that is installed, one after the other. Returns it with its program.
fn browsers() -> impl Iterator<Item = (&'static str, Browser)> {
    ALL.into_iter().filter_map(|program| Some((program, Browser::start(program)?)))
}

/// Serves a hall in which each board has played a move.
fn hall(boards: u32) -> (OutletFixture, Server) {
    let mut outlet = OutletFixture::new();
    for board in 1..=boards {
        let name = format!("board-{board}");
        outlet.begin(&name, json!({"White": "Jogging, Peggy", "Black": "Ba", "Event": "Open", "Round": "1"}));
        outlet.play(&name, 1);
    }
    let server = outlet.serve();
    (outlet, server)
}

#[test]
fn open_pages_follow_in_other_browsers() {
    for program in &ALL[1..] {
        println!("{} pages compared in {program}", open_pages_follow(Browser::start(program), 3, 7));
    }
}

/// Without this, a test that finds no errors of pages says nothing.
#[test]
fn errors_of_pages_are_seen_in_each_browser() {
    let (_outlet, server) = hall(1);
    for (program, mut browser) in browsers() {
        browser.visit(&format!("http://{}/", server.address));
        browser.wait(LIVE, &"Live".into());
        assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
        // The script of the page misses it.
        browser.evaluate("document.querySelector('#main').remove()");
        wait_until(program, || {
            browser.evaluate("1 + 1");
            browser.page_errors().iter().any(|error| error.contains("TypeError"))
        });
    }
}

/// Cards out of view are not drawn, but they are as high as others: the page does not jump while a viewer scrolls.
#[test]
fn cards_out_of_view_have_their_height() {
    let (_outlet, server) = hall(64);
    for (program, mut browser) in browsers() {
        browser.visit(&format!("http://{}/", server.address));
        browser.wait(LIVE, &"Live".into());
        for top in [0, 1500, 4000, 99_999, 1500, 0] {
            let is_flat = "[...document.querySelectorAll('.grid > li')].filter(card => card.getBoundingClientRect().height < 150).length";
            browser.evaluate(&format!("scrollTo(0, {top}), 0"));
            // Two frames later the browser has left out other cards.
            browser.evaluate("window.isDrawn = false; requestAnimationFrame(() => requestAnimationFrame(() => { window.isDrawn = true; })) > 0");
            browser.wait("window.isDrawn", &true.into());
            assert_eq!(browser.evaluate(is_flat), 0, "{program} at {top}");
        }
    }
}

/// Few boards have larger text on the wall.
#[test]
fn names_and_clocks_on_wall_do_not_overlap() {
    for boards in [1, 4, 9, 14, 80] {
        let (_outlet, server) = hall(boards);
        for (program, mut browser) in browsers() {
            let screen = json!({"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": false});
            browser.call("Emulation.setDeviceMetricsOverride", screen);
            browser.visit(&format!("http://{}/?wall", server.address));
            // A window may get its size late.
            browser.wait("innerWidth", &1280.into());
            browser.wait("document.querySelector('.g .nm1').style.letterSpacing !== ''", &true.into());
            // A line is as high as its letters, and the clock is above or below it.
            let faults = "[...document.querySelectorAll('.wall li:not([hidden]) .pl')].filter(one => { const name = one.querySelector('.nm1'), box = name.getBoundingClientRect(), \
                clock = one.querySelector('.ck').getBoundingClientRect(), size = parseFloat(getComputedStyle(name).fontSize); \
                return box.height < 0.9 * size || box.bottom > clock.top + 1 && box.top < clock.bottom - 1; }).length";
            assert_eq!(browser.evaluate(faults), 0, "{boards} boards in {program}");
        }
    }
}
