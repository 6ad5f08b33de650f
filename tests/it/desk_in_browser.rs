//! The operator's day at the desk in a real browser: log in, import, open a round, correct a name, enter, correct and withdraw a result,
//! set up a position, be logged out. Screenshots of each state are kept in the folder that is printed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::Browser;
use crate::control::{playing, run_ctl};
use crate::daemon::moves;
use crate::desk::{DeskProcess, code};
use crate::pty::wait_until;
use crate::rounds::import;

/// Presses the button with this text, in the dialog if there is one.
pub fn press(browser: &mut Browser, words: &str) {
    let script = format!(
        "(() => {{ const place = document.querySelector('dialog[open]') ?? document; \
         const button = [...place.querySelectorAll('button')].find(button => !button.disabled && button.ariaDisabled !== 'true' && button.firstChild?.textContent === {words:?}); \
         button?.click(); return Boolean(button); }})()"
    );
    browser.wait(&script, &true.into());
}

/// Types a text into a field.
pub fn write(browser: &mut Browser, label: &str, text: &str) {
    let script = format!(
        "(() => {{ const label = [...document.querySelectorAll('dialog label')].find(label => label.textContent === {label:?}); \
         const field = label && document.getElementById(label.htmlFor); if (!field) return false; field.value = {text:?}; \
         field.dispatchEvent(new Event('input', {{bubbles: true}})); return true; }})()"
    );
    browser.wait(&script, &true.into());
}

/// Chooses or ticks the input with this label.
pub fn choose(browser: &mut Browser, words: &str) {
    let script = format!(
        "(() => {{ const label = [...document.querySelectorAll('dialog label')].find(label => label.textContent === {words:?}); \
         label?.click(); return Boolean(label); }})()"
    );
    browser.wait(&script, &true.into());
}

/// Waits until the dialog announces these effects.
pub fn dialog_text(browser: &mut Browser, words: &str) {
    let script = format!("document.querySelector('dialog[open] .dry')?.textContent.includes({words:?})");
    browser.wait(&script, &true.into());
}

pub fn shown(browser: &mut Browser, words: &str) {
    let script = format!(
        "!document.querySelector('dialog').open && document.querySelector('#view').textContent.includes({words:?})"
    );
    browser.wait(&script, &true.into());
}

/// Saves screenshots at three widths and in dark mode; no page is wider than its window.
pub fn save_screenshots(browser: &mut Browser, folder: &Path, name: &str) {
    for (width, scheme) in [(360, "light"), (768, "light"), (1280, "light"), (1280, "dark")] {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.call("Emulation.setEmulatedMedia", media);
        browser.wait("innerWidth", &width.into());
        let wide = browser.evaluate("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= width, "{name} is {wide} wide at {width}");
        let picture = browser.call("Page.captureScreenshot", json!({}));
        let bytes = decoded(picture["data"].as_str().unwrap());
        fs::write(folder.join(format!("{name}-{width}-{scheme}.png")), bytes).unwrap();
    }
}

/// Decodes Base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.bytes().filter_map(value).map(u32::from).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = (0..4).fold(0, |bits, at| bits << 6 | four.get(at).copied().unwrap_or(0));
        bits.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}

/// Label of the box to tick for correcting a result.
const REPLACES_RESULT: &str = "Replace the recorded result";

pub const FILE: &str = "No,Name,Rating\n1,\"Sijbrands, T.\",2400\n2,\"<b>Wiersma\",2390\n";

/// Creates the folder of the screenshots.
pub fn picture_folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("desk");
    fs::create_dir_all(&folder).unwrap();
    println!("pictures: {}", folder.display());
    folder
}

/// Opens the desk with a login code, which the page fills in.
pub fn open_with_code(browser: &mut Browser, desk: &DeskProcess, query: &str, code: &str) {
    browser.visit(&format!("http://{}/?{query}code={code}", desk.address));
    browser.wait("document.querySelector('#code')?.value", &code.into());
}

/// Asserts that the page reported no errors but requests refused with these statuses.
pub fn assert_no_page_errors(browser: &Browser, refusals: &[&str]) {
    let mut complaints = browser.page_errors();
    complaints.retain(|complaint| !refusals.iter().any(|status| complaint.contains(status)));
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// The view of the station lists deliveries; one that fails shows its last words as text.
#[test]
fn deliveries_are_listed_in_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let (place, _pty, _board, _station) = playing(2);
    let desk = DeskProcess::start(&place, "");
    let now = || chrono::Utc::now().timestamp_millis();
    let report = |name: &str, state: &str, waiting: u32, words: &str| json!({"name": name, "state": state, "since": now() - 90_000, "delivered": now(), "waiting": waiting, "words": words});
    let write = |written: i64| {
        let reports = [
            report(
                "club-site",
                "failing",
                12,
                "it ended with exit status: 1: <b>Login failed: 530 Login incorrect.</b>",
            ),
            report("world", "fresh", 0, ""),
            report("archive", "running", 3, "sent"),
        ];
        fs::create_dir_all(place.path("deliver")).unwrap();
        fs::write(place.path("deliver/state.json"), json!({"written": written, "deliveries": reports}).to_string())
            .unwrap();
    };
    write(now() + 600_000);
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    browser.wait("document.querySelector('#login').hidden", &true.into());
    browser.evaluate("location.hash = '#station'");
    let rows = "[...document.querySelectorAll('#deliveries tbody tr')].map(row => row.cells[0].textContent + ': ' + row.cells[1].textContent).join()";
    browser.wait(rows, &"club-site: failing,world: up to date,archive: running".into());
    let words = browser.evaluate("document.querySelector('#deliveries tbody tr').textContent");
    assert!(words.as_str().unwrap().contains("<b>Login failed"), "{words}");
    browser.evaluate("document.querySelector('#deliveries').scrollIntoView()");
    save_screenshots(&mut browser, &folder, "deliveries");
    write(now() - 60_000);
    browser.wait("document.querySelector('#deliveries').textContent.includes('has not reported for')", &true.into());
    fs::remove_file(place.path("deliver/state.json")).unwrap();
    browser.wait("document.querySelector('#deliveries').textContent", &"".into());
    assert_no_page_errors(&browser, &["401"]);
}

#[test]
fn operator_day_works_in_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let (place, _pty, _board, _station) = playing(4);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    assert_eq!(browser.evaluate("location.search"), "", "a code does not stay in the address");
    assert_eq!(browser.evaluate("document.querySelector('#view').textContent"), "", "nothing is shown before a login");
    save_screenshots(&mut browser, &folder, "login");
    press(&mut browser, "Log in");
    browser.wait("document.querySelectorAll('#detail svg.bd').length", &2.into());
    save_screenshots(&mut browser, &folder, "boards");
    import_and_pair(&mut browser, &folder);
    open_round(&mut browser, &folder);
    correct_name(&mut browser);
    put_on_air(&mut browser, &folder);
    enter_results(&mut browser, &folder);
    set_up_position(&mut browser, &folder);
    wait_until("the setup in the file", || place.live("a-1.pdn").contains("/FEN \"B:W"));
    shown(&mut browser, "Different squares:");
    save_screenshots(&mut browser, &folder, "differs");
    for view in ["standings", "log", "station"] {
        browser.evaluate(&format!("location.hash = '#{view}'"));
        browser.wait("Boolean(document.querySelector('#view table'))", &true.into());
        if view != "standings" {
            shown(&mut browser, "Times of this device: ");
        }
        let commands = "/`damcast|--[a-z]|[0-9] [AP]M/.test(document.querySelector('#view').textContent)";
        assert_eq!(browser.evaluate(commands), false, "{view}: no command, and one form of times");
        save_screenshots(&mut browser, &folder, view);
    }
    // When an operator ends a session, its page ends as well.
    press(&mut browser, "Log out");
    browser.wait("document.querySelector('#login').hidden", &false.into());
    assert_eq!(browser.evaluate("document.querySelector('#view').textContent"), "");
    assert_no_page_errors(&browser, &["401", "403"]);
}

/// Imports players by drag and drop, and pairs them.
fn import_and_pair(browser: &mut Browser, folder: &Path) {
    browser.evaluate("location.hash = '#tournament'");
    browser.wait("Boolean(document.querySelector('.drop'))", &true.into());
    let drop = format!(
        "(() => {{ const data = new DataTransfer(); data.items.add(new File([{FILE:?}], 'players.csv')); \
         document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {{dataTransfer: data, bubbles: true, cancelable: true}})); }})()"
    );
    browser.evaluate(&drop);
    dialog_text(browser, "2 players");
    save_screenshots(browser, folder, "import");
    press(browser, "Import");
    shown(browser, "<b>Wiersma");
    press(browser, "Pair a round robin");
    dialog_text(browser, "pairing");
    press(browser, "Make the pairings");
    shown(browser, "Round 1 is prepared");
}

fn open_round(browser: &mut Browser, folder: &Path) {
    press(browser, "Open round");
    dialog_text(browser, "round 1");
    save_screenshots(browser, folder, "open");
    press(browser, "Open round");
    shown(browser, "Round 1 is open");
    save_screenshots(browser, folder, "round");
}

/// Features the board, the busiest board, and none.
fn put_on_air(browser: &mut Browser, folder: &Path) {
    browser.evaluate("location.hash = '#on_air'");
    for (key, words) in [("feature a", "Now: board "), ("most-moves", "most moves"), ("off", "Now: no board")] {
        let button = format!("document.querySelector('[data-key={key:?}]')");
        browser.wait(&format!("Boolean({button})"), &true.into());
        browser.evaluate(&format!("{button}.click()"));
        browser.wait(&format!("{button}.getAttribute('aria-pressed')"), &"true".into());
        shown(browser, words);
        save_screenshots(browser, folder, &format!("on-air-{}", key.replace(' ', "-")));
    }
    // One board takes no turns.
    browser.evaluate("document.querySelector('[data-key=\"in-turn\"]').click()");
    browser.wait("document.body.textContent.includes('Tick at least two boards.')", &true.into());
    browser.evaluate("location.hash = '#tournament'");
}

fn correct_name(browser: &mut Browser) {
    press(browser, "Correct the name");
    write(browser, "Name", "Sijbrands, Ton");
    dialog_text(browser, "Sijbrands, Ton");
    press(browser, "Correct the name");
    shown(browser, "Sijbrands, Ton");
}

/// Enters, corrects and withdraws a result.
fn enter_results(browser: &mut Browser, folder: &Path) {
    for (button, choice, consent, verb, after) in [
        // The board has a game of its own that began before the round.
        ("Result", "White wins, 2–0", "Confirm", "Enter the result", "2–0"),
        ("Correct", "Draw, 1–1", REPLACES_RESULT, "Correct the result", "1–1"),
        ("Correct", "No result: remove it", REPLACES_RESULT, "Correct the result", "1 result is missing"),
    ] {
        let is_correction = consent == REPLACES_RESULT;
        press(browser, button);
        choose(browser, choice);
        dialog_text(
            browser,
            if is_correction { "The station would refuse this" } else { "this needs to be confirmed" },
        );
        choose(browser, consent);
        dialog_text(browser, "(was ");
        // Another result needs its own consent.
        choose(browser, if choice.starts_with("Draw") { "White wins, 2–0" } else { "Draw, 1–1" });
        let is_ticked = "Boolean(document.querySelector('dialog .confirmed input')?.checked)";
        browser.wait(is_ticked, &false.into());
        choose(browser, choice);
        choose(browser, consent);
        dialog_text(browser, "(was ");
        save_screenshots(browser, folder, &format!("result-{after}").replace(' ', "-"));
        press(browser, verb);
        shown(browser, after);
    }
}

/// Sets up a position, with the keys and as a FEN.
fn set_up_position(browser: &mut Browser, folder: &Path) {
    browser.evaluate("location.hash = '#boards/a'");
    press(browser, "Set up a position");
    browser.wait("Boolean(document.querySelector('dialog[open] .fields button'))", &true.into());
    press(browser, "Empty board");
    browser.evaluate(
        "(() => { const cell = [...document.querySelectorAll('.fields button')].find(cell => cell.getAttribute('aria-label') === '28, empty'); \
         cell.focus(); cell.dispatchEvent(new KeyboardEvent('keydown', {key: '2', bubbles: true, cancelable: true})); })()",
    );
    browser.wait("document.querySelector('.fields [aria-label=\"28, white king\"]') !== null", &true.into());
    write(browser, "FEN", "B:WK28,31:B1,2");
    dialog_text(browser, "B:WK28,31:B1,2");
    save_screenshots(browser, folder, "setup");
    press(browser, "Publish this position");
}

#[test]
fn phone_shows_chosen_board_in_place_of_list() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, _pty, _board, _station) = playing(4);
    let desk = DeskProcess::start(&place, "");
    let screen = json!({"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": true});
    browser.call("Emulation.setDeviceMetricsOverride", screen);
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    let seen = "['#list', '#detail', '.back'].map(name => (document.querySelector(name)?.getClientRects().length ?? 0) > 0).join()";
    browser.wait(seen, &"true,false,false".into());
    browser.evaluate("document.querySelector('#list [data-key]').click()");
    browser.wait(seen, &"false,true,true".into());
    // The head of the board is in view.
    let top = browser.evaluate("document.querySelector('#board-title').getBoundingClientRect().top").as_f64().unwrap();
    assert!((0.0..400.0).contains(&top), "{top}");
    browser.evaluate("document.querySelector('.back').click()");
    browser.wait(seen, &"true,false,false".into());
}

#[test]
fn session_ended_elsewhere_ends_in_page() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, _pty, _board, _station) = playing(2);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "arbiter", "R. Faber"));
    press(&mut browser, "Log in");
    browser.wait("Boolean(document.querySelector('#detail'))", &true.into());
    // An address that is no valid encoding shows the boards.
    browser.evaluate("location.hash = '#%'");
    browser.wait("Boolean(document.querySelector('#detail'))", &true.into());
    // An arbiter sees only the buttons allowed to the role. On a busy machine the game may lack moves.
    let offered = "[...document.querySelectorAll('#detail button')].map(button => button.textContent)\
        .filter(words => words !== 'Missing moves').join()";
    browser.wait(offered, &"Result,Names,Enter moves by hand".into());
    let operator = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    let (_, sessions) = desk.get("/api/sessions", &operator);
    let his = sessions["sessions"].as_array().unwrap().iter().find(|session| session["role"] == "arbiter").unwrap();
    assert_eq!(desk.post("/api/revoke", Some(&operator), &json!({"id": his["id"]})).0, 200);
    browser.wait("document.querySelector('#login').hidden", &false.into());
    browser.wait("document.querySelector('#login-error').textContent", &"Your session has ended. Log in again.".into());
}

/// Opens the dialog of a button by its key, and waits until it shows the effects.
pub fn open(browser: &mut Browser, key: &str) {
    let button = format!("document.querySelector('#view [data-key={key:?}]')");
    browser.wait(&format!("Boolean({button})"), &true.into());
    browser.evaluate(&format!("{button}.click()"));
    browser.wait("Boolean(document.querySelector('dialog[open] .dry p'))", &true.into());
}

pub fn close(browser: &mut Browser) {
    browser.evaluate("document.querySelector('dialog').close()");
}

/// Sends a dialog only once the effect of its present fields is shown.
#[test]
fn dialog_sends_only_what_it_has_shown() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, _pty, _board, _station) = playing(4);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    // Trials wait until they are released.
    browser.evaluate(
        "{ const ask = fetch; window.held = []; window.fetch = async (...all) => {
         if (String(all[1]?.body).includes('dry_run')) await new Promise((release) => held.push(release)); return ask(...all); }; 0 }",
    );
    let undo = "document.querySelector('#view [data-key=undo]')";
    browser.wait(&format!("Boolean({undo})"), &true.into());
    browser.evaluate(&format!("{undo}.click(), window.openedAt = Date.now()"));
    let state = "[document.querySelector('dialog .btn.p').ariaDisabled, Boolean(document.querySelector('dialog .dry p'))].join()";
    browser.wait("held.length", &1.into());
    assert_eq!(browser.evaluate(state), "true,false");
    // A change of a field begins anew; the answer to the trial before does not count.
    browser.evaluate("document.querySelector('dialog input').dispatchEvent(new Event('input', {bubbles: true}))");
    browser.wait("held.length", &2.into());
    browser.evaluate("held.shift()(), 0");
    // Presses of the button meanwhile do not ask again: each would delay the answer.
    browser.evaluate("[1, 2, 3].forEach(() => document.querySelector('dialog form').requestSubmit())");
    assert_eq!(browser.evaluate("held.length"), 1);
    assert_eq!(browser.evaluate(state), "true,false");
    assert!(!place.live("a-1.pdn").contains("/FEN"), "{}", place.live("a-1.pdn"));
    browser.evaluate("held.splice(0).forEach((release) => release())");
    browser.wait(state, &"false,true".into());
    // A key that is held was meant for the button before.
    browser.wait("Date.now() - openedAt > 600", &true.into());
    for (is_held, does_press) in [(true, false), (false, true)] {
        let key = json!({"key": "Enter", "repeat": is_held, "bubbles": true, "cancelable": true});
        let press =
            format!("document.querySelector('dialog input').dispatchEvent(new KeyboardEvent('keydown', {key}))");
        assert_eq!(browser.evaluate(&press), does_press);
    }
    close(&mut browser);
    // Without a field the button has the focus from the start.
    browser.evaluate("document.querySelector('#view [data-key=hold]').click()");
    assert_eq!(browser.evaluate("document.activeElement.matches('dialog .btn.p[aria-disabled=true]')"), true);
    browser.wait("held.length", &1.into());
    browser.evaluate("held.pop()(), 0");
    browser.wait(state, &"false,true".into());
    close(&mut browser);
    // The answer is lost: the desk does not say that nothing was done, and its button does not do it twice.
    browser.evaluate(
        "{ const ask = fetch; window.fetch = async (...all) => { const answer = await ask(...all), body = String(all[1]?.body);
         if (body.includes('undo') && !body.includes('dry_run')) throw new TypeError('lost'); return answer; }; 0 }",
    );
    browser.evaluate(&format!("{undo}.click()"));
    browser.wait("held.length", &1.into());
    browser.evaluate("held.pop()(), 0");
    browser.wait(state, &"false,true".into());
    browser.evaluate("document.querySelector('dialog form').requestSubmit()");
    browser.wait("document.querySelector('#banner').textContent.startsWith('The desk does not answer.')", &true.into());
    assert_eq!(browser.evaluate("document.querySelector('dialog').open"), false);
    assert_no_page_errors(&browser, &[]);
}

/// Replaces terminal commands in the station's messages by words of the desk.
#[test]
fn messages_name_no_command() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, _pty, _board, _station) = playing(2);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "lang=nl&", "1234-5678");
    press(&mut browser, "Inloggen");
    browser.wait("document.querySelector('#login-error').textContent.startsWith('Deze code geldt niet')", &true.into());
    for (words, plain) in [
        (
            "no station answers at x; start one with `damcast run --config FILE` or `systemctl start damcast`",
            "no station answers at x",
        ),
        (
            "the number of rounds is not known, and a pairing program needs it: repeat with --rounds",
            "the number of rounds is not known, and a pairing program needs it: fill in the number of rounds",
        ),
        (
            "there are several sections: say with --section which, a, b",
            "there are several sections: say which section, a, b",
        ),
        ("set it up, or ask with --confirm: then x", "set it up, or confirm it below: then x"),
        ("the line ended; see `damcast status`", "the line ended"),
        ("a goes on: `damcast ctl result a 2-0` ends it", "a goes on: the button for it ends it"),
        ("in use, perhaps a station; `sudo fuser -v /dev/x` tells by which", "in use, perhaps a station"),
        ("there is no group g on this machine: `sudo groupadd --system g`", "there is no group g on this machine"),
        (
            "put the user into it, as in `sudo usermod -aG g damcast`, and start the station again",
            "put the user into it, and start the station again",
        ),
        ("it cannot be written: full; `damcast doctor` says what to do", "it cannot be written: full"),
        ("see whether the relay runs, and try `damcast doctor --relay` with its address", "see whether the relay runs"),
        (
            "1: \u{645}\u{62d} \u{639} - \u{639}, 4",
            "1: \u{2068}\u{645}\u{62d} \u{639}\u{2069} - \u{2068}\u{639}\u{2069}, 4",
        ),
    ] {
        assert_eq!(browser.evaluate(&format!("plain({words:?})")), plain);
    }
    // Names in another writing direction keep White before Black.
    let versus = browser.evaluate("versus('משה', 'Ba') === '\\u2068משה\\u2069 – Ba' && versus('A', 'B') === 'A – B'");
    assert_eq!(versus, true);
}

/// Keeps the typed players of *Set up* while another view is shown.
#[test]
fn set_up_keeps_typed_players() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, _pty, _board, _station) = playing(2);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    browser.wait("Boolean(document.querySelector('#detail'))", &true.into());
    browser.evaluate("location.hash = '#set_up'");
    let names = "document.querySelector('textarea[data-key=names]')";
    browser.wait(&format!("Boolean({names})"), &true.into());
    browser.evaluate(&format!(
        "{names}.value = 'Sijbrands, T.', {names}.dispatchEvent(new Event('input', {{bubbles: true}}))"
    ));
    browser.evaluate("location.hash = '#station'");
    browser.wait("Boolean(document.querySelector('#alarms'))", &true.into());
    browser.evaluate("location.hash = '#set_up'");
    browser.wait(&format!("{names}?.value"), &"Sijbrands, T.".into());
    assert_no_page_errors(&browser, &[]);
}

#[test]
fn confirmed_action_matches_display() {
    let Some(mut browser) = Browser::open() else { return };
    let (place, mut pty, mut board, _station) = playing(4);
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    let game = "document.querySelector('#detail header p').textContent";
    let plies = moves(&place.live("a-1.pdn")).len();
    browser.wait(&format!("{game}.includes('{plies} plies')"), &true.into());
    open(&mut browser, "undo");
    dialog_text(&mut browser, "/FEN");
    let shown = browser.evaluate("document.querySelector('.dry').textContent");
    // The game goes on while the dialog is open.
    board.play(&mut pty, 400_000, || moves(&place.live("a-1.pdn")).len() > plies);
    browser.wait(&format!("{game}.includes('{plies} plies')"), &false.into());
    assert_eq!(browser.evaluate("document.querySelector('.dry').textContent"), shown);
    press(&mut browser, "Take back");
    let refusal = "document.querySelector('dialog[open] .no').textContent.includes('a has changed since you looked')";
    browser.wait(refusal, &true.into());
    assert!(!place.live("a-1.pdn").contains("/FEN"), "{}", place.live("a-1.pdn"));
    // The new effects are shown first, and applied at the second request.
    browser.wait(&format!("document.querySelector('.dry').textContent !== {shown}"), &true.into());
    dialog_text(&mut browser, "/FEN");
    press(&mut browser, "Take back");
    wait_until("what was taken back", || place.live("a-1.pdn").contains("/FEN"));
}

/// The results of 64 boards are on one screen: one tap or key enters one, and one button undoes it.
#[test]
fn results_of_64_boards_fit_tablet() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let (place, _pty, _board, _station) = playing(4);
    let pairing = |number: usize| format!("1;{number};Oosterwijk-van der Kolk, J. {number};Mitsjoerin, A. {number}\n");
    let pairings: String = (1..=64).map(pairing).collect();
    import(&place, "pairings.csv", &format!("Round;Board;White;Black\n{pairings}")).done();
    run_ctl(&place, &["ctl", "round", "open", "1"]).done();
    let desk = DeskProcess::start(&place, "");
    open_with_code(&mut browser, &desk, "", &code(&place, "arbiter", "R. Faber"));
    press(&mut browser, "Log in");
    browser.wait("document.querySelectorAll('#detail svg.bd').length", &2.into());
    browser.evaluate("location.hash = '#results'");
    let rows =
        |browser: &mut Browser, count: u64| browser.wait("document.querySelectorAll('.res li').length", &count.into());
    rows(&mut browser, 64);
    // Each row shows both names, White's above Black's.
    let names = "[...document.querySelectorAll('.res li')].filter(row => { const [white, black] = [...row.querySelectorAll('.sides bdi')]\
        .map(name => name.getBoundingClientRect()); return white.width > 100 && black.width > 100 && white.bottom <= black.top + 1; }).length";
    assert_eq!(browser.evaluate(names), 64);
    save_screenshots(&mut browser, &folder, "results");
    let row = |number: usize| format!("document.querySelector('.res li[data-key=\"row main 1 {number}\"]')");
    browser.evaluate(&format!("{}.querySelector('[data-points=\"2\"]').click()", row(2)));
    rows(&mut browser, 63);
    let rest = "Date.now() - views.results.moved > 600";
    browser.wait(rest, &true.into());
    let key = "new KeyboardEvent('keydown', {key: '1', bubbles: true})";
    browser.evaluate(&format!("{0}.focus(); {0}.dispatchEvent({key})", row(3)));
    rows(&mut browser, 62);
    // The next row has the focus, so that its result follows by key.
    browser.wait("document.activeElement.dataset.key ?? ''", &"row main 1 4".into());
    // The second tap of a double tap, and a key that is held, enter nothing for the row that has moved up.
    let tap = |number: usize| {
        format!(
            "{}.querySelector('[data-points=\"2\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true, detail: 1}}))",
            row(number)
        )
    };
    let list = "document.querySelector('.res').closest('#view')";
    browser.evaluate(&format!(
        "new MutationObserver((_, seen) => {{ if (!{}) {{ seen.disconnect(); {}; }} }}).observe({list}, {{subtree: true, childList: true}}), 0",
        row(5),
        tap(6)
    ));
    browser.wait(rest, &true.into());
    browser.evaluate(&tap(5));
    rows(&mut browser, 61);
    browser.wait(rest, &true.into());
    let held = "new KeyboardEvent('keydown', {key: '2', bubbles: true, repeat: true})";
    browser.evaluate(&format!("{0}.focus(); {0}.dispatchEvent({held})", row(7)));
    browser.evaluate(&format!("{0}.focus(); {0}.dispatchEvent({key})", row(8)));
    rows(&mut browser, 60);
    assert_eq!(browser.evaluate(&format!("Boolean({} && {} && !{})", row(6), row(7), row(8))), true);
    // A view that has not changed is there again after another one.
    for view in ["station", "results"] {
        browser.evaluate(&format!("location.hash = '#{view}'"));
        browser.wait(
            ["document.querySelectorAll('.res li').length === 60", "Boolean(document.querySelector('#alarms'))"]
                [usize::from(view == "station")],
            &true.into(),
        );
    }
    press(&mut browser, "All boards");
    rows(&mut browser, 64);
    let shown = |number: usize| format!("{}.querySelector('.p').textContent", row(number));
    assert_eq!(browser.evaluate(&shown(2)), "2-0");
    browser.wait(&shown(3), &"1-1".into());
    save_screenshots(&mut browser, &folder, "results-entered");
    press(&mut browser, "Undo: result of pairing 1.8: 1-1");
    dialog_text(&mut browser, "undone: ");
    press(&mut browser, "Undo");
    browser.wait(&shown(8), &"".into());
    // Board 1 has a game of its own: the station asks first.
    browser.wait(rest, &true.into());
    browser.evaluate(&format!("{}.querySelector('[data-points=\"0\"]').click()", row(1)));
    dialog_text(&mut browser, "this needs to be confirmed");
    choose(&mut browser, "Confirm");
    press(&mut browser, "Enter the result");
    browser.wait(&shown(1), &"0-2".into());
    assert_no_page_errors(&browser, &[]);
}
