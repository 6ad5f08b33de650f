//! A round on the viewers' pages with the keyboard alone, and what a screen reader reads there.

use serde_json::{Value, json};

use crate::browser::{Browser, HAS_KEYS, LIVE};
use crate::serve::{OutletFixture, tournament};

/// A viewer who uses a keyboard and a screen reader.
struct Viewer(Browser);

impl Viewer {
    /// Presses a key: its name, or a letter.
    fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Backspace" => 8,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            letter => letter.bytes().next().map_or(0, |byte| byte.to_ascii_uppercase().into()),
        };
        let mut event = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        match key {
            "Enter" => event["text"] = "\r".into(),
            letter if letter.len() == 1 => event["text"] = letter.into(),
            _ => {}
        }
        self.0.call("Input.dispatchKeyEvent", event);
        self.0.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}));
    }

    /// Presses Tab until `wanted`, an expression on `focused`, is true. Asserts that each element on the way shows its focus.
    fn tab_to(&mut self, wanted: &str) {
        for _ in 0..80 {
            self.press("Tab");
            let is_there = self.0.evaluate(&format!("((focused) => Boolean({wanted}))(document.activeElement)"));
            // A card shows the focus of its link.
            let look = "((focused) => { const shown = [focused, focused.closest('.g')].filter(Boolean), box = focused.getBoundingClientRect(); \
                 return focused === document.body || (box.width > 0 && shown.some(one => getComputedStyle(one).outlineStyle !== 'none')) \
                     || focused.outerHTML; })(document.activeElement)";
            assert_eq!(self.0.evaluate(look), true, "the focus is not seen");
            if is_there == true {
                return;
            }
        }
        panic!("Tab does not lead to {wanted}: {}", self.0.evaluate("document.body.outerHTML"));
    }

    /// Waits until the page of this path is there and live.
    fn wait_for_page(&mut self, path: &str) {
        self.0.wait(
            &format!("document.readyState + ' ' + location.pathname + ' ' + {LIVE}"),
            &format!("complete {path} Live").into(),
        );
    }

    /// Waits until a screen reader finds an element with this role whose name begins so.
    fn hear(&mut self, role: &str, name: &str) {
        let mut nodes = Vec::new();
        for _ in 0..200 {
            let tree = self.0.call("Accessibility.getFullAXTree", json!({}));
            let text = |node: &Value, part: &str| node[part]["value"].as_str().unwrap_or_default().to_owned();
            let heard = tree["nodes"].as_array().unwrap().iter().filter(|node| node["ignored"] != true);
            nodes = heard.map(|node| (text(node, "role"), text(node, "name"))).collect();
            if nodes.iter().any(|(known, text)| known == role && text.starts_with(name)) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{role} `{name}` is not heard: {nodes:?}");
    }
}

#[test]
fn round_is_followed_by_keyboard_and_screen_reader() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.play("board-2", 1);
    let server = outlet.serve();
    browser.visit(&format!("http://{}/?lang=en", server.address));
    let mut viewer = Viewer(browser);
    viewer.wait_for_page("/");
    viewer.hear("heading", "Open");
    // To the second board.
    viewer.tab_to("focused.matches('main a') && new URL(focused.href).pathname === '/board/board-2'");
    viewer.press("Enter");
    viewer.wait_for_page("/board/board-2");
    for (role, name) in
        [("heading", "Board 2"), ("heading", "Moves"), ("table", ""), ("link", "32-28"), ("image", "Board 2")]
    {
        viewer.hear(role, name);
    }
    // A move is read aloud, once, in words.
    outlet.play("board-2", 2);
    viewer.0.wait("document.querySelector('#say').textContent", &"Black 19 to 23".into());
    viewer.hear("link", "19-23");
    viewer.0.wait(HAS_KEYS, &true.into());
    // With a Russian keyboard layout the key F has another letter.
    viewer
        .0
        .evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'а', code: 'KeyF', bubbles: true}))");
    assert_eq!(viewer.0.evaluate("document.body.className"), "turned");
    viewer.press("f");
    // Step back and forward. When a new move comes, the page stays at the old one.
    viewer.press("ArrowLeft");
    viewer.0.wait("location.pathname", &"/game/board-2-1/1".into());
    viewer.0.wait("document.querySelector('#say').textContent", &"White 32 to 28".into());
    outlet.play("board-2", 3);
    viewer.hear("link", "28×19");
    assert_eq!(viewer.0.evaluate("location.pathname"), "/game/board-2-1/1");
    viewer.press("ArrowRight");
    viewer.0.wait("location.pathname", &"/game/board-2-1/2".into());
    viewer.press("l");
    viewer.wait_for_page("/board/board-2");
    // The end of the game and its result.
    outlet.append_event("board-2", json!({"n": 90, "type": "end"}));
    outlet.append_event("board-2", json!({"n": 91, "type": "result", "result": "2-0"}));
    viewer
        .0
        .wait("document.querySelector('#say').textContent", &"Over after 2 moves. Black: Ba 0. White: Jansen 2".into());
    // Standings and the crosstable, by the menu.
    viewer.tab_to("focused.matches('nav a') && new URL(focused.href).pathname === '/standings'");
    viewer.press("Enter");
    viewer.wait_for_page("/standings");
    for (role, name) in [("columnheader", "Points"), ("row", ""), ("link", "Jansen")] {
        viewer.hear(role, name);
    }
    // A player, by the key of the search.
    viewer.press("/");
    viewer.wait_for_page("/players");
    viewer.0.wait("document.activeElement.id", &"search".into());
    "gantx".chars().for_each(|letter| viewer.press(&letter.to_string()));
    viewer.0.wait("document.querySelector('#no-hit:not([hidden])')?.textContent", &"No player has such a name.".into());
    viewer.press("Backspace");
    viewer.0.wait("document.querySelector('#no-hit').hidden", &true.into());
    viewer.tab_to("focused.matches('main a[href*=\"/player/\"]')");
    viewer.press("Enter");
    viewer.wait_for_page("/player/Open-4");
    viewer.hear("heading", "Gantwarg");
    assert!(viewer.0.page_errors().is_empty(), "{:?}", viewer.0.page_errors());
}

/// Speech input types letters that are no commands.
#[test]
fn letter_keys_can_be_switched_off() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.play("board-2", 1);
    let server = outlet.serve();
    browser.visit(&format!("http://{}/board/board-2", server.address));
    let mut viewer = Viewer(browser);
    viewer.0.wait(HAS_KEYS, &true.into());
    viewer.tab_to("focused.id === 'letters'");
    viewer.0.evaluate("document.activeElement.click()");
    viewer.tab_to("focused === document.body");
    for key in ["f", "/"] {
        viewer.press(key);
    }
    viewer.press("ArrowLeft");
    viewer.0.wait("location.pathname", &"/game/board-2-1/0".into());
    assert_eq!(viewer.0.evaluate("document.body.className"), "");
    // The browser keeps the choice.
    viewer.0.visit(&format!("http://{}/board/board-2", server.address));
    viewer.0.wait(HAS_KEYS, &true.into());
    assert_eq!(viewer.0.evaluate("document.querySelector('#letters').checked"), false);
    viewer.press("f");
    viewer.tab_to("focused.id === 'letters'");
    viewer.0.evaluate("document.activeElement.click()");
    assert_eq!(viewer.0.evaluate("document.body.className"), "");
    viewer.press("f");
    assert_eq!(viewer.0.evaluate("document.body.className"), "turned");
}
