//! Checks the layout of pages in Chromium. No control is below the first screen, and no name is cut. Each state looks different, also in
//! forced colours and in print. `scripts/pictures` takes pictures of all pages for people to look at.

use serde_json::{Value, json};

use crate::browser::{Browser, LIVE};
use crate::serve::{OutletFixture, Server, tournament};

const ARABIC: &str = "محمد الأمين بن عبد الله محمد الأمين بن عبد الله";
const LONG: &str = "van der Wonderland-Grootebroek, Maximiliaan";

fn set_screen(browser: &mut Browser, width: u32, height: u32) {
    let screen = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 800});
    browser.call("Emulation.setDeviceMetricsOverride", screen);
}

fn set_media(browser: &mut Browser, media: &str, forced: &str) {
    let features = json!([{"name": "forced-colors", "value": forced}]);
    browser.call("Emulation.setEmulatedMedia", json!({"media": media, "features": features}));
}

fn open(browser: &mut Browser, server: &Server, path: &str) {
    browser.visit(&format!("http://{}{path}", server.address));
    browser.wait("document.readyState === 'complete' && location.pathname + location.search", &path.into());
    browser.wait("document.body.classList.contains('quiet')", &false.into());
}

/// Returns a hall with one board in each state.
fn hall(boards: usize) -> OutletFixture {
    let mut outlet = OutletFixture::new();
    for board in 1..=boards {
        let name = format!("board-{board}");
        let white = if board % 2 == 0 { LONG } else { ARABIC };
        outlet.begin(&name, json!({"White": white, "Black": "Schwarzman, Alexander", "Event": "Open", "Round": "6", "Board": board.to_string()}));
        (1..=5).for_each(|ply| outlet.play(&name, ply));
    }
    outlet.append_event("board-2", json!({"n": 7, "type": "end"}));
    outlet.append_event("board-2", json!({"n": 8, "type": "result", "result": "2-0"}));
    outlet.append_event("board-3", json!({"p": 1, "type": "state", "state": "unexplained"}));
    outlet
}

#[test]
fn controls_of_board_are_in_view() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall(3).serve();
    for (width, height) in [(360, 640), (360, 740), (740, 360), (768, 1024), (1280, 800), (1920, 1080)] {
        set_screen(&mut browser, width, height);
        // Board 2 has a long name.
        for path in ["/board/1", "/board/2"] {
            open(&mut browser, &server, path);
            browser.wait(LIVE, &"Live".into());
            browser
                .wait("document.querySelector('#golive').getBoundingClientRect().bottom <= innerHeight", &true.into());
            // Nothing covers the buttons.
            let covered = "[...document.querySelectorAll('.ctl a')].filter(link => { const { left, top, width, height } = link.getBoundingClientRect(); \
                return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('a') !== link; }).length";
            assert_eq!(browser.evaluate(covered), 0, "{width}x{height} {path}");
            assert_eq!(
                browser.evaluate("document.documentElement.scrollWidth <= innerWidth"),
                true,
                "{width}x{height}"
            );
            // On all screens but the smallest the buttons cover neither a player nor a clock.
            if height > 640 || width > 640 {
                let top = "document.querySelector('.brd .ctl').getBoundingClientRect().top";
                let hidden = format!(
                    "[...document.querySelectorAll('.plb :is(b, .nm1, .ck)')].filter(one => one.getBoundingClientRect().bottom > {top} + 1).length"
                );
                assert_eq!(browser.evaluate(&hidden), 0, "{width}x{height} {path}");
            }
        }
    }
}

#[test]
fn tab_of_late_round_is_in_view_on_phone() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    for round in 1..=9 {
        outlet.begin(&format!("board-{round}"), json!({"White": "A", "Black": "B", "Round": round.to_string()}));
    }
    let server = outlet.serve();
    set_screen(&mut browser, 360, 740);
    open(&mut browser, &server, "/round/9");
    let ends = "[document.querySelector('.nav [aria-current]').getBoundingClientRect()].map(({ left, right }) => left >= 0 && right <= innerWidth)[0]";
    browser.wait(ends, &true.into());
    assert_eq!(browser.evaluate("scrollX"), 0);
    // A script that comes late leaves the page where the viewer has scrolled it.
    browser.evaluate("document.body.style.paddingBottom = '2000px', scrollTo(0, 900), 0");
    let late = "import(document.querySelector('script[type=module]').src + '?late').then(() => scrollY)";
    browser.wait(late, &900.into());
}

#[test]
fn board_that_waits_is_large() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let server = outlet.serve();
    for (width, least) in [(360, 320), (1280, 400)] {
        set_screen(&mut browser, width, 800);
        open(&mut browser, &server, "/board/3");
        browser.wait("document.querySelector('main .st').textContent", &"Not started".into());
        let board = browser.evaluate("document.querySelector('main svg.bd').getBoundingClientRect().width");
        assert!(board.as_f64().unwrap() >= f64::from(least), "{width}: {board}");
    }
}

#[test]
fn tables_show_results_on_phone() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = hall(3);
    tournament(&mut outlet);
    let known = std::fs::read_to_string(outlet.path("tournament.json")).unwrap();
    let named = known.replace("Clerc, R.", LONG).replace("Gantwarg", "Тансыккужина, Тамара");
    let named = named.replace("\"name\":\"Ba\"", "\"federation\":\"SEN\",\"name\":\"Ba\"");
    let mut document: Value = serde_json::from_str(&named).unwrap();
    let section = &mut document["sections"][0];
    let bye = json!({"id": 5, "name": "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, X"});
    section["players"].as_array_mut().unwrap().push(bye);
    section["rounds"][1]["byes"] = json!([{"player": 5}]);
    outlet.write("tournament.json", &document.to_string());
    let server = outlet.serve();
    set_screen(&mut browser, 360, 740);
    for path in ["/round/6", "/archive", "/standings", "/players", "/player/Open-2", "/player/Open-3"] {
        open(&mut browser, &server, path);
        let outside = "[...document.querySelectorAll('.tb')].filter(table => table.scrollWidth > table.clientWidth && !table.querySelector('.x')).length";
        assert_eq!(browser.evaluate(outside), 0, "{path}");
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth"), 360, "{path}");
        // The end of no name is missing.
        let cut = "[...document.querySelectorAll('.st1 :is(td, th)')].filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)";
        assert_eq!(browser.evaluate(cut), json!([]), "{path}");
    }
}

#[test]
fn wall_of_many_boards_cuts_nothing() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall(70).serve();
    for (width, height) in [(1920, 1080), (1280, 720)] {
        set_screen(&mut browser, width, height);
        open(&mut browser, &server, "/?wall");
        browser.wait("document.querySelector('.grid').dataset.count", &"24".into());
        let outside = "[...document.querySelectorAll('.grid > li:not([hidden]) :is(.nm1, .ck, .bwrap, .st)')].filter(one => { \
            const box = one.getBoundingClientRect(), card = one.closest('li').getBoundingClientRect(); \
            return box.bottom > card.bottom + 1 || box.right > card.right + 1; }).length";
        assert_eq!(browser.evaluate(outside), 0, "{width}x{height}");
        // Names are set smaller, and given names are left out, before anything is cut.
        let cut = "[...document.querySelectorAll('.grid > li:not([hidden]) .bk .nm1 bdi')].filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)";
        assert_eq!(browser.evaluate(cut), json!([]), "{width}x{height}");
        // An Arabic name keeps its beginning, which is at the right.
        let arabic = "(name => [getComputedStyle(name).direction, name.scrollWidth > name.clientWidth])(document.querySelector('.wh .nm1 bdi'))";
        assert_eq!(browser.evaluate(arabic), json!(["rtl", true]));
    }
}

#[test]
fn states_are_seen_in_forced_colours() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall(3).serve();
    set_screen(&mut browser, 1280, 800);
    set_media(&mut browser, "", "active");
    open(&mut browser, &server, "/");
    let look = "(of => { const { backgroundColor, backgroundImage, borderBottomColor } = getComputedStyle(document.querySelector(of)); return [backgroundColor, backgroundImage, borderBottomColor].join(); })";
    let mut looks: Vec<Value> = [".men a:nth-child(1)", ".men a:nth-child(2)", ".men a:nth-child(3)"]
        .map(|link| browser.evaluate(&format!("{look}({link:?})")))
        .into();
    looks.dedup();
    assert_eq!(looks.len(), 3, "{looks:?}");
    for (here, other) in [(".nav a[aria-current]", ".nav a:not([aria-current])"), (".ck.run", ".wh .ck:not(.run)")] {
        assert_ne!(
            browser.evaluate(&format!("{look}({here:?})")),
            browser.evaluate(&format!("{look}({other:?})")),
            "{here}"
        );
    }
}

#[test]
fn paper_has_games_and_no_controls() {
    let Some(mut browser) = Browser::open() else { return };
    let mut past = OutletFixture::new();
    tournament(&mut past);
    let known = std::fs::read_to_string(past.path("tournament.json")).unwrap();
    past.write(
        "tournament.json",
        &known.replace("\"event\":{}", "\"event\":{\"start\":\"2026-07-10\",\"end\":\"2026-07-10\"}"),
    );
    for board in ["board-1", "board-2"] {
        past.append_event(board, json!({"n": 2, "type": "result", "result": "2-0"}));
    }
    let (server, past) = (hall(3).serve(), past.serve());
    set_screen(&mut browser, 1280, 800);
    set_media(&mut browser, "print", "none");
    open(&mut browser, &past, "/");
    assert_eq!(browser.evaluate("document.querySelectorAll('.ev-final, .ev-links').length"), 3);
    let shown = "[...document.querySelectorAll('.tools a, #state, .nav, .ctl, .acts, .foot, .lg, .men, .flt, .btn')].filter(one => one.getClientRects().length).length";
    assert_eq!(browser.evaluate(shown), 0);
    open(&mut browser, &server, "/board/1");
    assert_eq!(browser.evaluate(shown), 0);
    assert_eq!(
        browser.evaluate("getComputedStyle(document.querySelector('.sheet a[aria-current]')).backgroundColor"),
        "rgba(0, 0, 0, 0)"
    );
    open(&mut browser, &server, "/");
    assert_eq!(browser.evaluate(shown), 0);
    // The leading board is as large as the others.
    let widths = "[...new Set([...document.querySelectorAll('.grid svg.bd')].map(board => Math.round(board.getBoundingClientRect().width)))].length";
    assert!(browser.evaluate(widths).as_u64().unwrap() <= 2, "a board that is not clear has a frame");
}

#[test]
fn pages_without_content_lead_on() {
    let Some(mut browser) = Browser::open() else { return };
    let server = OutletFixture::new().serve();
    for path in ["/", "/players", "/archive", "/standings"] {
        open(&mut browser, &server, path);
        assert_ne!(browser.evaluate("document.querySelectorAll('main .do a').length"), 0, "{path}");
    }
}

#[test]
fn last_moves_have_number_once_a_pair() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall(3).serve();
    open(&mut browser, &server, "/");
    let text = "document.querySelector('.lead .rec').textContent.trim().replace(/\\s+/g, ' ')";
    assert_eq!(browser.evaluate(text), "1. 32-28 19-23 2. 28×19 14×23 3. 33-28");
}

/// The state beside an earlier move is that of the game now.
#[test]
fn earlier_move_has_last_one_named_live() {
    let Some(mut browser) = Browser::open() else { return };
    let server = hall(3).serve();
    let before = "getComputedStyle(document.querySelector('#board .st'), '::before').content";
    let turn = "document.querySelector('#tomove').getClientRects().length";
    open(&mut browser, &server, "/board/1");
    assert_eq!((browser.evaluate(before), browser.evaluate(turn)), ("none".into(), 1.into()));
    browser.evaluate("document.querySelector('#back').click(), 0");
    browser.wait("location.pathname", &"/game/board-1-1/4".into());
    assert_eq!((browser.evaluate(before), browser.evaluate(turn)), ("\"Live: \"".into(), 1.into()));
    open(&mut browser, &server, "/game/board-1-1/2");
    assert_eq!(browser.evaluate(before), "\"Live: \"");
    // After the end of a game, it is the turn of neither side.
    open(&mut browser, &server, "/board/2");
    assert_eq!((browser.evaluate(before), browser.evaluate(turn)), ("none".into(), 0.into()));
    browser.evaluate("document.querySelector('#back').click(), 0");
    browser.wait(turn, &1.into());
    assert_eq!(browser.evaluate(before), "none");
}
