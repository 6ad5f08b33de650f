//! The desk in four languages, light and dark: each view and each dialog is translated, and has no serious finding of axe.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::browser::{Browser, axe};
use crate::control::playing;
use crate::desk::{DeskProcess, code};
use crate::desk_in_browser::{
    FILE, assert_no_page_errors, close, open, open_with_code, picture_folder, press, save_screenshots,
};

/// A view of the desk, and its buttons that open dialogs.
const DIALOG_BUTTONS: [(&str, &[&str]); 8] = [
    (
        "boards",
        &["result", "names", "adopt", "undo", "setup", "resync", "flip", "hold", "start", "pairing", "rotate", "entry"],
    ),
    ("results", &[]),
    ("tournament", &["to closed", "result 0", "substitute 0", "player 1", "round-robin", "next-round"]),
    ("set_up", &["add-players"]),
    ("standings", &[]),
    ("on_air", &[]),
    ("log", &[]),
    ("station", &["reload", "alarm-test", "log-level", "login"]),
];

#[test]
fn desk_is_translated_and_accessible() {
    let Some(browser) = Browser::open() else { return };
    let folder = picture_folder();
    let (place, _pty, _board, _station) = playing(4);
    let desk = DeskProcess::start(&place, "viewers = \"https://live.example.org/\"\n");
    let keys = desk.log_in(&json!({"code": code(&place, "operator", "M. Bosma")}));
    for matter in [
        json!({"command":"import", "name": "players.csv", "text": FILE}),
        json!({"command":"round-robin"}),
        json!({"command":"set-round-state", "round": 1, "to": "open"}),
    ] {
        let (_, answer) = desk.post("/api/request", Some(&keys), &json!({"do": "tournament", "request": matter}));
        assert_eq!(answer["ok"], true, "{answer}");
    }
    let mut tour = Tour { browser, axe: axe(), folder, language: "", scheme: "" };
    let mut first = Vec::new();
    for (language, scheme, words) in [
        ("en", "light", ["Log in", "Boards", "Take back a move"]),
        ("nl", "dark", ["Inloggen", "Borden", "Zet terugnemen"]),
        ("fr", "light", ["Se connecter", "Damiers", "Retirer un coup"]),
        ("ru", "dark", ["Войти", "Доски", "Взять ход назад"]),
    ] {
        (tour.language, tour.scheme) = (language, scheme);
        tour.log_in(&desk, &code(&place, "operator", "M. Bosma"), words);
        tour.check_views();
        first.push(tour.change_language_and_leave());
    }
    assert!(first.iter().all(|views| *views == first[0]), "{first:?}");
    assert_no_page_errors(&tour.browser, &["401"]);
}

/// A visit of all pages of the desk in a language and a colour scheme.
struct Tour {
    browser: Browser,
    /// The script that finds hurdles for people with disabilities, if it is installed.
    axe: Option<String>,
    folder: PathBuf,
    language: &'static str,
    scheme: &'static str,
}

impl Tour {
    /// Opens the desk and logs in; `words`: the button, the first view and an action.
    fn log_in(&mut self, desk: &DeskProcess, code: &str, words: [&str; 3]) {
        let language = self.language;
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": self.scheme}]});
        self.browser.call("Emulation.setEmulatedMedia", media);
        let size = json!({"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.browser.call("Emulation.setDeviceMetricsOverride", size);
        self.browser.visit("about:blank");
        open_with_code(&mut self.browser, desk, &format!("lang={language}&"), code);
        let address = self.browser.evaluate("location.search");
        assert_eq!(address, format!("?lang={language}"), "the language stays in the address");
        assert_eq!(self.browser.evaluate("document.documentElement.lang"), language);
        self.check_page("login");
        if language != "en" {
            save_screenshots(&mut self.browser, &self.folder, &format!("{language}-login"));
        }
        press(&mut self.browser, words[0]);
        self.browser.wait("document.querySelectorAll('#detail svg.bd').length", &2.into());
        self.browser.wait("document.querySelector('#views a').textContent", &words[1].into());
        self.browser.wait("document.querySelector('[data-key=undo]').textContent", &words[2].into());
    }

    /// Asserts that the page is accessible and shows no leftovers of its script.
    fn check_page(&mut self, page_name: &str) {
        let (language, scheme) = (self.language, self.scheme);
        if let Some(axe) = &self.axe {
            if self.browser.evaluate("typeof axe") != "object" {
                self.browser.evaluate(axe);
            }
            assert_eq!(self.browser.accessibility_violations(), json!([]), "{page_name} in {language}, {scheme}");
        }
        for rubbish in ["undefined", "[object", "{}", "NaN"] {
            let found = self.browser.evaluate(&format!("document.body.innerText.includes({rubbish:?})"));
            assert_eq!(found, false, "{page_name} in {language} says {rubbish}");
        }
    }

    /// Checks each view and each of its dialogs.
    fn check_views(&mut self) {
        let language = self.language;
        for (view, dialogs) in DIALOG_BUTTONS {
            self.browser.evaluate(&format!("location.hash = '#{view}'"));
            let key = dialogs.first().map_or("#view h2".to_owned(), |key| format!("#view [data-key={key:?}]"));
            self.browser.wait(&format!("Boolean(document.querySelector({key:?}))"), &true.into());
            if view == "station" {
                let link = "document.querySelector('.code svg path') && document.querySelector('.code a').textContent";
                self.browser.wait(link, &"https://live.example.org/".into());
            }
            self.check_page(view);
            save_screenshots(&mut self.browser, &self.folder, &format!("{language}-{view}"));
            for key in dialogs {
                open(&mut self.browser, key);
                self.check_page(key);
                if ["en", "ru"].contains(&language) {
                    let name = format!("{language}-{view}-{key}").replace(' ', "-");
                    save_screenshots(&mut self.browser, &self.folder, &name);
                }
                close(&mut self.browser);
            }
        }
    }

    /// A change of language keeps the view and the session. Returns the names of the views in Dutch.
    fn change_language_and_leave(&mut self) -> Value {
        let browser = &mut self.browser;
        browser.evaluate("document.querySelector('#languages a[lang=nl]').click()");
        browser.wait("document.readyState === 'complete' && document.documentElement.lang", &"nl".into());
        browser.wait("location.hash", &"#station".into());
        browser.wait("Boolean(document.querySelector('[data-key=reload]'))", &true.into());
        let views = browser.evaluate("document.querySelector('#views').textContent");
        browser.evaluate("document.querySelector('#leave').click()");
        browser.wait("document.querySelector('#login').hidden", &false.into());
        views
    }
}
