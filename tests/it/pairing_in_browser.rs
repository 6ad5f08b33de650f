//! Pairings at the desk in a real browser: by the pairing program, by taps, typed; and sheets for the printer.

use serde_json::json;

use crate::browser::Browser;
use crate::desk::{DeskProcess, code};
use crate::desk_in_browser::{
    assert_no_page_errors, dialog_text, open_with_code, picture_folder, press, save_screenshots, shown,
};
use crate::pairing_engine::{ArbiterHall, list};

/// Presses the button with this key.
fn press_key(browser: &mut Browser, key: &str) {
    let script = format!(
        "(() => {{ const button = document.querySelector('dialog[open] [data-key=\"{key}\"]') ?? document.querySelector('[data-key=\"{key}\"]'); \
         button?.click(); return Boolean(button); }})()"
    );
    browser.wait(&script, &true.into());
}

/// Sets a field of the dialog, as a person who then leaves it.
fn enter(browser: &mut Browser, selector: &str, value: &str) {
    let script = format!(
        "(() => {{ const field = document.querySelector({selector:?}); if (!field) return false; field.value = {value:?}; \
         for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{bubbles: true}})); \
         field.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', bubbles: true, cancelable: true}})); return true; }})()"
    );
    browser.wait(&script, &true.into());
}

#[test]
fn rounds_are_paired_and_printed_in_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let hall = ArbiterHall::with_script(r#"printf '2\n1 3\n4 2\n' >"$4""#);
    let station = hall.place.start();
    station.wait_for("operators reach this station");
    hall.import("players.csv", &list(5));
    let engine = hall.place.path("engine.sh");
    let desk = DeskProcess::start(
        &hall.place,
        &format!("viewers = \"https://live.example.org/\"\n[tournament]\nengine = [{engine:?}]\n"),
    );
    open_with_code(&mut browser, &desk, "", &code(&hall.place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    browser.evaluate("location.hash = '#tournament'");
    press_key(&mut browser, "pair-by-engine");
    let refusal = "document.querySelector('dialog[open] [role=status]')?.textContent.includes('the number of rounds is not known')";
    browser.wait(refusal, &true.into());
    enter(&mut browser, "dialog[open] input[type=number]", "3");
    // The program of this test knows four players: the fifth is absent.
    browser.wait(
        "document.querySelector('dialog[open] [role=status]')?.textContent.includes('Player 05 is missing')",
        &true.into(),
    );
    browser.evaluate("[...document.querySelectorAll('dialog[open] .checks input')].at(-1).click()");
    dialog_text(&mut browser, "board 1: Player 01 - Player 03");
    dialog_text(&mut browser, "absent: Player 05");
    save_screenshots(&mut browser, &folder, "pair-by-engine");
    press(&mut browser, "Make the pairings");
    shown(&mut browser, "Round 1 is prepared");
    press_key(&mut browser, "pair-by-hand");
    press_key(&mut browser, "part 1");
    press_key(&mut browser, "player 5");
    press_key(&mut browser, "player 2");
    enter(&mut browser, "dialog[open] input[placeholder]", "4 nobody");
    browser.wait(
        "document.querySelector('dialog[open] .no').textContent",
        &"“nobody” is not exactly one free player.".into(),
    );
    press_key(&mut browser, "swap 0");
    dialog_text(&mut browser, "board 1: Player 03 - Player 01");
    dialog_text(&mut browser, "board 2: Player 05 - Player 02");
    save_screenshots(&mut browser, &folder, "pair-by-hand");
    browser.evaluate("document.querySelector('dialog[open] [data-key=confirm]').click()");
    press(&mut browser, "Make the pairings");
    shown(&mut browser, "Player 05");
    save_screenshots(&mut browser, &folder, "paired");
    browser.evaluate("window.print = () => { window.sheets = document.querySelector('#paper').textContent; }");
    press_key(&mut browser, "print pairings");
    browser.wait("window.sheets?.includes('Player 05') && window.sheets.includes('live.example.org')", &true.into());
    let sheet = browser.call("Page.printToPDF", json!({"preferCSSPageSize": true}));
    assert!(sheet["data"].as_str().is_some_and(|pdf| pdf.starts_with("JVBERi0")), "a PDF");
    browser.evaluate("window.dispatchEvent(new Event('pointerdown'))");
    assert_eq!(browser.evaluate("document.querySelector('#paper')"), json!(null));
    press_key(&mut browser, "print crosstable");
    browser.wait("document.querySelector('#banner').textContent", &"There is nothing to print yet.".into());
    assert_no_page_errors(&browser, &["409"]);
}
