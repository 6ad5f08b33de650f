//! Tests a page that changes while a viewer scrolls it, holds the focus in it, or has its moves read aloud.

use serde_json::{Value, json};

use crate::browser::{Browser, HAS_KEYS, LIVE};
use crate::serve::{OutletFixture, Server, tournament};

/// Opens the page of a board on which one move is played, live.
fn opened(outlet: &mut OutletFixture, path: &str) -> Option<(Browser, Server)> {
    let mut browser = Browser::open()?;
    tournament(outlet);
    outlet.play("board-2", 1);
    let server = outlet.serve();
    browser.visit(&format!("http://{}{path}", server.address));
    browser.wait(&format!("document.readyState + ' ' + {LIVE}"), &"complete Live".into());
    Some((browser, server))
}

/// Moves a finger over the board, by so many pixels right and down.
fn swipe(browser: &mut Browser, right: i32, down: i32) {
    let touch = |x: i32, y: i32| json!([{"x": x, "y": y}]);
    // The page may still scroll from the finger before, so the board is brought back into view.
    let box_of_board = "(() => { const board = document.querySelector('svg.bd.big'); board.scrollIntoView({ block: 'center', behavior: 'instant' }); \
        const box = board.getBoundingClientRect(); return [box.x, box.y]; })()";
    let place = browser.evaluate(box_of_board);
    let [x, y] = [0, 1].map(|at| place[at].as_f64().unwrap() as i32 + 150);
    for (kind, points) in [
        ("touchStart", touch(x, y)),
        ("touchMove", touch(x + right / 2, y + down / 2)),
        ("touchMove", touch(x + right, y + down)),
        ("touchEnd", json!([])),
    ] {
        browser.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}));
    }
}

const SAID: &str = "document.querySelector('#say').textContent";

#[test]
fn finger_that_scrolls_does_not_step() {
    let mut outlet = OutletFixture::new();
    let Some((mut browser, _server)) = opened(&mut outlet, "/board/board-2?lang=en") else { return };
    swipe(&mut browser, 45, -120);
    // A finger that goes sideways steps back, after the one that scrolled.
    swipe(&mut browser, 60, 10);
    browser.wait("location.pathname", &"/game/board-2-1/0".into());
    swipe(&mut browser, -60, 10);
    browser.wait("location.pathname", &"/board/board-2".into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

#[test]
fn live_moves_leave_focus_and_are_all_read_aloud() {
    let mut outlet = OutletFixture::new();
    let Some((mut browser, _server)) = opened(&mut outlet, "/board/board-2?lang=en") else { return };
    for (button, ply) in [("#fen", 2), ("#turnboard", 3)] {
        browser.evaluate(&format!("document.querySelector('{button}').focus()"));
        outlet.play("board-2", ply);
        browser.wait("document.querySelectorAll('#moves a[data-at]').length", &ply.into());
        assert_eq!(browser.evaluate(&format!("document.activeElement.matches('{button}')")), true, "{button}");
    }
    // A page in the background gets several moves at once when it returns.
    browser.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))");
    (4..=6).for_each(|ply| outlet.play("board-2", ply));
    browser.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    browser.wait("document.querySelectorAll('#moves a[data-at]').length", &6.into());
    browser.wait(
        SAID,
        &"Black 14 captures 19 and lands on 23. White 33 to 28. Black 23 captures 28 and lands on 32".into(),
    );
    // The way back to the last move is read aloud, too.
    browser.evaluate("document.querySelector('#back').click()");
    browser.wait(SAID, &"White 33 to 28".into());
    browser.evaluate("document.querySelector('#on').click()");
    browser.wait(SAID, &"Black 23 captures 28 and lands on 32".into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

#[test]
fn own_move_is_told_and_keeps_focus_on_page() {
    let mut outlet = OutletFixture::new();
    let Some((mut browser, _server)) = opened(&mut outlet, "/game/board-2-1/1/try/?lang=en") else { return };
    browser.wait("document.querySelectorAll('#legal a').length > 0", &true.into());
    // Without the second script a link loads its page.
    browser.wait("import(document.body.dataset.more + '?0').then(() => true)", &true.into());
    browser.evaluate("(() => { const move = document.querySelector('#legal a'); move.focus(); move.click(); })()");
    browser.wait(&format!("{SAID}.startsWith('Black ')"), &true.into());
    browser.wait("document.activeElement !== document.body", &true.into());
    // A touch beside the squares plays nothing.
    let before = browser.evaluate("location.pathname");
    let touch = "(() => { const board = document.querySelector('svg.bd.big'), box = board.getBoundingClientRect(); \
        board.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: box.left - 3, clientY: box.top + box.height / 2 })); })()";
    browser.evaluate(touch);
    assert_eq!(browser.evaluate("document.querySelectorAll('.sf').length"), Value::from(0));
    assert_eq!(browser.evaluate("location.pathname"), before);
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// The list of moves scrolls from its end, where moves come; a browser does not hold its rows by itself.
#[test]
fn studied_move_stays_in_place_and_hears_that_others_are_live() {
    let mut outlet = OutletFixture::new();
    let Some((mut browser, _server)) = opened(&mut outlet, "/board/board-2?lang=en") else { return };
    let fen = "W:W28,31,32:B17,18,19";
    let set_up = |outlet: &mut OutletFixture, count: usize| {
        for entry in 0..count {
            let fen = fen.replace("31", &(33 + entry).to_string());
            outlet.append_event("board-2", json!({"n": 3 + entry, "type": "setup", "fen": fen}));
        }
    };
    set_up(&mut outlet, 14);
    browser.wait("document.querySelectorAll('#moves a[data-at]').length", &15.into());
    browser.wait(HAS_KEYS, &true.into());
    browser.evaluate("document.querySelector('#moves a[data-at=\"4\"]').click()");
    browser.wait("location.pathname", &"/game/board-2-1/4".into());
    browser.wait(LIVE, &"Live".into());
    const PLACE: &str = "(() => { const link = document.querySelector('#moves a[aria-current]'), box = link.closest('.scr'); \
        return Math.round(link.getBoundingClientRect().top - box.getBoundingClientRect().top); })()";
    let before = browser.evaluate(PLACE);
    for ply in 0..4 {
        let fen = fen.replace("31", &(1 + ply).to_string());
        outlet.append_event("board-2", json!({"n": 17 + ply, "type": "setup", "fen": fen}));
        browser.wait("document.querySelectorAll('#moves a[data-at]').length", &(16 + ply).into());
        // Browsers scroll by whole pixels.
        let moved = browser.evaluate(PLACE).as_i64().unwrap() - before.as_i64().unwrap();
        assert!(moved.abs() <= 1, "{moved} pixels after {} more", ply + 1);
    }
    browser.wait(&format!("{SAID}.startsWith('Live: ')"), &true.into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// The focus was on a button of the game, which is gone when the board waits for the next one.
#[test]
fn focus_stays_in_content_while_board_waits() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba", "Round": "1"}));
    outlet.play("board-1", 1);
    let server = outlet.serve();
    browser.visit(&format!("http://{}/board/1?lang=en", server.address));
    browser.wait(&format!("document.readyState + ' ' + {LIVE}"), &"complete Live".into());
    browser.evaluate("document.querySelector('#turnboard').focus()");
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    outlet.append_event("board-1", json!({"n": 4, "type": "result", "result": "2-0"}));
    outlet.write("games.pdn", "[White \"Clerc\"]\n[Black \"Ba\"]\n[Round \"2\"]\n[Board \"1\"]\n[Result \"*\"]\n\n*\n");
    browser.wait("document.querySelector('#turnboard') === null", &true.into());
    browser.wait("document.activeElement.id", &"main".into());
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

#[test]
fn last_press_without_network_counts() {
    let mut outlet = OutletFixture::new();
    let Some((mut browser, _server)) = opened(&mut outlet, "/game/board-2-1/1/try/?lang=en") else { return };
    browser.wait(HAS_KEYS, &true.into());
    let network = |browser: &mut Browser, is_offline: bool| {
        let conditions = json!({"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        browser.call("Network.emulateNetworkConditions", conditions);
    };
    browser.call("Network.enable", json!({}));
    network(&mut browser, true);
    // Each press is tried again after the same time.
    browser.evaluate("Math.random = () => 0, 0");
    let press = |browser: &mut Browser, index: usize| {
        let press = format!(
            "(() => {{ const link = document.querySelectorAll('#legal a')[{index}]; link.click(); return link.pathname; }})()"
        );
        browser.evaluate(&press)
    };
    let first = press(&mut browser, 0);
    // Its answer is known to be missing before the next press.
    browser.wait("new Promise((resolve) => setTimeout(resolve, 500, true))", &true.into());
    assert_eq!(browser.evaluate("location.pathname"), "/game/board-2-1/1/try/");
    let second = press(&mut browser, 1);
    assert_ne!(first, second);
    network(&mut browser, false);
    browser.wait("location.pathname", &second);
    browser.wait("new Promise((resolve) => setTimeout(() => resolve(location.pathname), 7000))", &second);
}
