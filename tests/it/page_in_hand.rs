//! Tests a page that changes while a viewer scrolls it, holds the focus in it, or has its moves read aloud.

use serde_json::{Value, json};

use crate::browser::{Browser, LIVE};
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
