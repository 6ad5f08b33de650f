//! A viewer's own players in a real browser: marked, kept, shown first, found by a search.

use serde_json::json;

use crate::browser::{Browser, HAS_KEYS, LIVE};
use crate::serve::{OutletFixture, Server, tournament};

/// Boards of the cards that are shown, in their order.
const SHOWN: &str =
    "[...document.querySelectorAll('.grid>li:not([hidden]) [data-board]')].map(card => card.dataset.board).join()";

#[test]
fn marked_players_lead_and_are_found_again() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.begin_paired_game(
        "board-4",
        1,
        json!({"White": "Clerc, R.", "Black": "Gantwarg", "Round": "6", "Board": "4"}),
        Some(4),
    );
    outlet.write("games.pdn", "");
    let server = outlet.serve();
    server.wait_for(&outlet);
    let visit = |browser: &mut Browser, path: &str| {
        browser.visit(&format!("http://{}{path}", server.address));
        browser.wait(
            &format!(
                "location.pathname + location.search === '{path}' && document.readyState === 'complete' && {LIVE}"
            ),
            &"Live".into(),
        );
    };
    visit(&mut browser, "/");
    assert_eq!(browser.evaluate(SHOWN), "board-1,board-2,board-4");
    assert_eq!(browser.evaluate("document.querySelector('.lead [data-board]').dataset.board"), "board-1");
    assert_eq!(browser.evaluate("document.querySelector('#mine').hidden"), true, "no player is marked");
    // The key / leads to the search, which narrows while one types.
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}))");
    browser.wait("location.pathname + location.hash + document.activeElement?.id", &"/players#searchsearch".into());
    let names =
        "[...document.querySelectorAll('tr[data-name]:not([hidden]) .pn')].map(name => name.textContent).join(' ')";
    browser.wait(names, &"Jansen Ba Clerc, R. Gantwarg".into());
    browser.evaluate("document.querySelector('#search').value = 'ANT'; document.querySelector('#search').dispatchEvent(new Event('input', {bubbles: true}))");
    browser.wait(names, &"Gantwarg".into());
    // Words of a name are found in any order.
    browser.evaluate("document.querySelector('#search').value = 'r. clerc'; document.querySelector('#search').dispatchEvent(new Event('input', {bubbles: true}))");
    browser.wait(names, &"Clerc, R.".into());
    visit(&mut browser, "/players?search=R.+clerc");
    browser.wait(names, &"Clerc, R.".into());
    // The search also works from the results of an earlier one, and stays when the list changes.
    visit(&mut browser, "/players?search=jan");
    browser.wait(names, &"Jansen".into());
    browser.evaluate("document.querySelector('#search').value = 'ANT'; document.querySelector('#search').dispatchEvent(new Event('input', {bubbles: true}))");
    browser.wait(names, &"Gantwarg".into());
    let text = std::fs::read_to_string(outlet.path("tournament.json")).unwrap();
    let mut tournament: serde_json::Value = serde_json::from_str(&text).unwrap();
    tournament["sections"][0]["players"][3]["rating"] = 1998.into();
    outlet.write("tournament.json", &tournament.to_string());
    browser.wait("document.querySelector('main').textContent.includes('1998')", &true.into());
    browser.wait(names, &"Gantwarg".into());
    visit(&mut browser, "/player/Open-4");
    assert_eq!(browser.evaluate("document.querySelector('.star').hidden"), false);
    browser.evaluate("document.querySelector('.star').click()");
    browser.wait("document.querySelector('.star').getAttribute('aria-pressed')", &"true".into());
    // The leading board stays first, then come the viewer's; also after a change, and on the page that shows them alone.
    visit(&mut browser, "/");
    assert_eq!(browser.evaluate(SHOWN), "board-1,board-4,board-2");
    outlet.play("board-2", 1);
    browser.wait("document.querySelector('[data-board=board-2]').dataset.count", &"1".into());
    assert_eq!(browser.evaluate(SHOWN), "board-1,board-4,board-2");
    assert_eq!(browser.evaluate("document.querySelector('.pn.mine').textContent"), "Gantwarg");
    visit(&mut browser, "/?mine");
    browser.wait(SHOWN, &"board-4".into());
    assert_eq!(browser.evaluate("document.querySelector('#none-mine').hidden"), true);
    visit(&mut browser, "/player/Open-4");
    browser.evaluate("document.querySelector('.star').click()");
    visit(&mut browser, "/");
    assert_eq!(browser.evaluate(SHOWN), "board-1,board-2,board-4");
    visit(&mut browser, "/?mine");
    browser.wait(
        "document.querySelector('#none-mine:not([hidden])')?.textContent",
        &"No board fits this choice now.".into(),
    );
    // At another event another player has that page.
    visit(&mut browser, "/player/Open-4");
    let is_marked = "document.querySelector('.star').getAttribute('aria-pressed')";
    browser.evaluate("document.querySelector('.star').click()");
    browser.wait(is_marked, &"true".into());
    tournament["event"] = json!({"name": "Open Hijken"});
    outlet.write("tournament.json", &tournament.to_string());
    browser.wait(is_marked, &"false".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Serves a board with a game of this number of plies.
fn board(plies: usize) -> (OutletFixture, Server) {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba", "Round": "5"}));
    (1..=plies).for_each(|ply| outlet.play("board-1", ply));
    let server = outlet.serve();
    server.wait_for(&outlet);
    (outlet, server)
}

#[test]
fn viewer_moves_pieces_beside_game() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, server) = board(1);
    browser.visit(&format!("http://{}/board/1", server.address));
    browser.wait(&format!("document.readyState === 'complete' && {LIVE}"), &"Live".into());
    assert_eq!(browser.evaluate("document.querySelector('#try').pathname"), "/game/board-1-1/1/try/");
    browser.wait(HAS_KEYS, &true.into());
    browser.evaluate("document.querySelector('#turnboard').click()");
    browser.evaluate("document.querySelector('#try').click()");
    browser.wait("location.pathname + document.querySelectorAll('#legal a').length", &"/game/board-1-1/1/try/9".into());
    browser.wait(LIVE, &"Live".into());
    // The board of the line stands as that of the game, until the viewer turns it.
    let turned = "document.body.classList.contains('turned')";
    browser.wait(turned, &true.into());
    // Touch the piece on 19, then 23: fields 36 and 45. On a turned board they are at 63 and 54.
    let touch = |field: usize| {
        format!(
            "(() => {{ const board = document.querySelector('.trial svg.bd'), box = board.getBoundingClientRect(), size = box.width / 10; \
             board.dispatchEvent(new MouseEvent('click', {{bubbles: true, clientX: box.x + ({field} % 10 + .5) * size, clientY: box.y + (Math.floor({field} / 10) + .5) * size}})); \
             return document.querySelectorAll('.sf').length; }})()"
        )
    };
    assert_eq!(browser.evaluate(&touch(63)), 3, "the piece and the squares that it may go to");
    browser.evaluate(&touch(63));
    browser.evaluate("document.querySelector('#turnboard').click()");
    assert_eq!(browser.evaluate(turned), false);
    assert_eq!(browser.evaluate(&touch(36)), 3, "the same piece");
    browser.evaluate(&touch(45));
    browser.wait("location.pathname", &"/game/board-1-1/1/try/19-23".into());
    browser.wait("document.querySelector('#legal').textContent.trim()", &"28×19".into());
    // The game goes on: nothing moves the viewer away, and one key leads back.
    outlet.play("board-1", 2);
    outlet.play("board-1", 3);
    server.wait_for(&outlet);
    browser.evaluate("document.querySelector('#legal a').click()");
    browser.wait("location.pathname", &"/game/board-1-1/1/try/19-23/28x19".into());
    // The key works with the focus on the board, and with caps lock.
    browser.evaluate(
        "document.querySelector('#board').dispatchEvent(new KeyboardEvent('keydown', {key: 'L', bubbles: true}))",
    );
    browser.wait("location.pathname", &"/board/board-1".into());
    browser.wait(&format!("document.querySelector('#moves a') !== null && {HAS_KEYS} && {LIVE}"), &"Live".into());
    // So does an arrow after a click on a link.
    browser.evaluate("document.querySelector('#moves a').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))");
    browser.wait("location.pathname", &"/game/board-1-1/2".into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn hidden_results_stay_hidden_while_stepping() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, server) = board(2);
    browser.visit(&format!("http://{}/board/1?hide=results", server.address));
    browser.wait(&format!("document.readyState === 'complete' && {HAS_KEYS} && {LIVE}"), &"Live".into());
    let press = |key: &str| {
        format!(
            "document.querySelector('#board').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))"
        )
    };
    browser.evaluate(&press("ArrowLeft"));
    browser.wait("location.pathname + location.search", &"/game/board-1-1/1?hide=results".into());
    browser.wait(LIVE, &"Live".into());
    outlet.append_event("board-1", json!({"n": 4, "type": "result", "result": "2-0"}));
    let points = "[...document.querySelectorAll('.ck.pt')].map(points => points.textContent).join()";
    browser.wait(points, &"?,?".into());
    browser.evaluate(&press("L"));
    browser.wait("location.pathname + location.search", &"/board/board-1?hide=results".into());
    assert_eq!(browser.evaluate(points), "?,?");
    assert!(browser.page_errors().is_empty(), "{:?}", browser.page_errors());
}

/// Opens a line of one's own from a position of English draughts. Gives the page `paths`, the legal moves with their text, and `touch`.
fn open_own_line(browser: &mut Browser, fen: &str) -> (OutletFixture, Server) {
    let mut outlet = OutletFixture::new();
    let game = json!({"n": 1, "type": "game", "gametype": "21", "tags": {"SetUp": "1", "FEN": fen}, "fen": fen});
    outlet.append_event("board-1", game);
    let server = outlet.serve();
    browser.visit(&format!("http://{}/game/board-1-1/0/try/", server.address));
    browser.wait(LIVE, &"Live".into());
    browser.evaluate(
        "window.paths = [...document.querySelectorAll('#legal a')].map(({ dataset, pathname, textContent }) => ({ pathname, textContent, path: dataset.path.split(',').map(Number) })); \
         window.touch = (field) => { const board = document.querySelector('.trial svg.bd'), width = +board.dataset.w, box = board.getBoundingClientRect(), size = box.width / width; \
         board.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: box.x + (field % width + .5) * size, clientY: box.y + (Math.floor(field / width) + .5) * size })); }",
    );
    (outlet, server)
}

#[test]
fn square_on_the_way_tells_captures_apart() {
    let Some(mut browser) = Browser::open() else { return };
    // 22x13x6 and 22x15x6; the king has captures of its own.
    let _served = open_own_line(&mut browser, "W:W22,K7:B9,10,17,18");
    browser.evaluate("paths = paths.filter(({ textContent }) => textContent.startsWith('22')); 0");
    let ends = "paths.map(({ path }) => [path[0], path.at(-1)].join())";
    assert_eq!(browser.evaluate(&format!("[paths.length, new Set({ends}).size]")), json!([2, 1]));
    for index in [1, 0] {
        // The piece, and a square on each way; the script for it loads after the page.
        let touch = "touch(paths[0].path[0]), touch(paths[0].path.at(-1))";
        browser.wait(
            &format!("{touch}, location.pathname + document.querySelectorAll('.sf').length"),
            &"/game/board-1-1/0/try/4".into(),
        );
        browser.evaluate(&format!("touch(paths[{index}].path[1])"));
        browser.wait(
            &format!(
                "[location.pathname === paths[{index}].pathname, document.querySelectorAll('ol.line li').length].join()"
            ),
            &"true,1".into(),
        );
        browser.evaluate("document.querySelector('#back').click()");
        browser.wait(
            "location.pathname + document.querySelectorAll('#legal a').length",
            &"/game/board-1-1/0/try/5".into(),
        );
    }
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn several_squares_on_the_way_tell_captures_apart() {
    let Some(mut browser) = Browser::open() else { return };
    // 30x21x14x7, 30x23x14x7 and 30x23x16x7: the second shares each of its squares with another.
    let _served = open_own_line(&mut browser, "W:W30:B25,26,17,18,19,10,11,8");
    browser.evaluate(
        "window.shared = paths.find(({ path }) => path.slice(1, -1).every(field => paths.filter(other => other.path.includes(field)).length === 2)); 0",
    );
    assert_eq!(browser.evaluate("[paths.length, shared?.path.length]"), json!([3, 4]));
    browser.wait(
        "touch(shared.path[0]), touch(shared.path[1]), document.querySelectorAll('.sf').length > 3",
        &true.into(),
    );
    browser.evaluate("touch(shared.path[2])");
    browser.wait("location.pathname === shared.pathname", &true.into());
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn game_is_replayed_at_speed_of_its_clocks() {
    let Some(mut browser) = Browser::open() else { return };
    let (_outlet, server) = board(4);
    browser.visit(&format!("http://{}/game/board-1-1", server.address));
    browser.wait(
        "document.readyState === 'complete' && !document.querySelector('#replay')?.closest('[hidden]')",
        &true.into(),
    );
    // The test ends the waits of the script, and lists them.
    browser.evaluate(
        "window.waits = []; window.setTimeout = (next, wait) => { waits.push({ next, wait }); return waits.length; }; \
         document.querySelector('#speed').value = '4'; document.querySelector('#replay').click()",
    );
    let ply = "document.querySelector('#moves a[aria-current]')?.firstChild.textContent ?? ''";
    // White thought for ten seconds before the third ply; where the clock did not run, two seconds count.
    for (wait, shown) in [(500, "32-28"), (500, "19-23"), (2500, "28×19"), (500, "14×23")] {
        assert_eq!(browser.evaluate("waits.at(-1).wait"), wait, "before {shown}");
        browser.evaluate("waits.at(-1).next()");
        if shown == "14×23" {
            assert_eq!(browser.evaluate("document.querySelector('#replay').textContent"), "▶ Replay", "the last move");
        }
        browser.wait(ply, &shown.into());
        // Another speed counts at once.
        if shown == "19-23" {
            browser.evaluate("document.querySelector('#speed').value = '8'; document.querySelector('#speed').dispatchEvent(new Event('change', {bubbles: true}))");
            assert_eq!(browser.evaluate("waits.at(-1).wait"), 1250);
            browser.evaluate("document.querySelector('#speed').value = '4'; document.querySelector('#speed').dispatchEvent(new Event('change', {bubbles: true}))");
        }
    }
    assert_eq!(browser.evaluate("document.querySelector('#replay').textContent"), "▶ Replay", "the game is over");
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn moves_sound_once_viewer_wants_it() {
    let Some(mut browser) = Browser::open() else { return };
    let (mut outlet, server) = board(1);
    browser.visit(&format!("http://{}/board/1", server.address));
    browser.wait(&format!("document.readyState === 'complete' && {LIVE}"), &"Live".into());
    browser.wait("document.querySelector('#sound').hidden", &false.into());
    browser.evaluate(
        "window.tones = 0; const create = AudioContext.prototype.createOscillator; \
         AudioContext.prototype.createOscillator = function () { window.tones += 1; return create.call(this); }",
    );
    let shown = "document.querySelector('[data-board=board-1]').dataset.count";
    outlet.play("board-1", 2);
    browser.wait(shown, &"2".into());
    assert_eq!(browser.evaluate("window.tones"), 0, "sound is off at first");
    // Browsers let a page sound only after its viewer has done something.
    let click = json!({"expression": "document.querySelector('#sound').click()", "userGesture": true});
    browser.call("Runtime.evaluate", click.clone());
    assert_eq!(browser.evaluate("window.tones"), 1, "the viewer hears what he has switched on");
    outlet.play("board-1", 3);
    browser.wait("window.tones", &2.into());
    // The viewer reads another tab, and listens.
    browser.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true }), document.dispatchEvent(new Event('visibilitychange'))",
    );
    outlet.play("board-1", 4);
    browser.wait("window.tones", &3.into());
    browser.call("Runtime.evaluate", click);
    outlet.play("board-1", 5);
    browser.wait(shown, &"5".into());
    assert_eq!(browser.evaluate("window.tones"), 3);
    let complaints = browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn page_tries_again_to_load_rest_of_its_script() {
    let Some(mut browser) = Browser::open() else { return };
    let (_outlet, server) = board(1);
    // The server is away for a moment after the first view.
    browser.call("Network.enable", json!({}));
    browser.call("Network.setBlockedURLs", json!({"urls": ["*/assets/more-*"]}));
    browser.visit(&format!("http://{}/board/1", server.address));
    browser.wait(&format!("document.readyState === 'complete' && {LIVE}"), &"Live".into());
    browser.wait(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/more-'))",
        &true.into(),
    );
    assert_eq!(browser.evaluate("document.querySelector('#sound').hidden"), true);
    browser.call("Network.setBlockedURLs", json!({"urls": []}));
    browser.wait("document.querySelector('#sound').hidden", &false.into());
}

#[test]
fn page_without_its_script_stops_saying_live() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let address = format!("http://{}/?lang=en", server.address);
    let seen = "['#live', '#dead'].map(one => document.querySelector(one)).map(one => one && getComputedStyle(one).visibility).join()";
    browser.visit(&address);
    browser.wait(seen, &"visible,".into());
    browser.call("Network.enable", json!({}));
    browser.call("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    browser.call("Network.setBlockedURLs", json!({"urls": ["*/assets/page-*.js"]}));
    browser.visit(&address);
    browser.wait(seen, &"visible,hidden".into());
    browser.wait(seen, &"hidden,visible".into());
    assert_eq!(browser.evaluate("document.querySelector('#dead').innerText"), "Not live: load this page again.");
}
