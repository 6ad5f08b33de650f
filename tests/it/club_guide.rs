//! `docs/club.md`, done literally: from an empty folder to the first published move, and to the first round.

use std::fs;
use std::path::Path;
use std::time::Instant;

use damcast::control::ClientRequest;

use crate::browser::Browser;
use crate::desk_in_browser::{assert_no_page_errors, dialog_text, picture_folder, press, save_screenshots, shown};
use crate::pty::wait_until;
use crate::simulated::{Boards, Kind};
use crate::start::{ask, fill_in, published};
use crate::terminal::Terminal;

/// Returns the command in the guide, without its program.
fn command_of_guide() -> Vec<String> {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/club.md")).unwrap();
    let block = guide.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let mut words = block.split_whitespace().map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some("damcast"));
    words.collect()
}

/// Returns the address after these words on the screen.
fn address(terminal: &Terminal, words: &str) -> String {
    let mut found = None;
    wait_until(words, || {
        let rows = terminal.rows();
        found = rows.iter().find_map(|row| row.strip_prefix(words)?.split_whitespace().next().map(str::to_owned));
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn club_guide_leads_to_first_round() {
    let Some(mut browser) = Browser::open() else { return };
    let pictures = picture_folder();
    let (folder, ports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let _boards = Boards::serve_at_speed(ports.path(), Kind::Single(2), 20);
    let begin = Instant::now();
    // The simulated boards are not where real ones are, and play faster.
    let pattern = ports.path().join("board-*").display().to_string();
    let words = [command_of_guide(), ["--port", &pattern, "--time-scale", "20"].map(str::to_owned).to_vec()].concat();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::open_in(folder.path(), 120, 60, &words);
    let (pages, login) = (address(&terminal, "pages "), address(&terminal, "log in at "));
    browser.visit(&login);
    browser.wait("document.querySelector('#code')?.value.length", &6.into());
    press(&mut browser, "Log in");
    browser.wait("document.querySelector('#login').hidden", &true.into());
    wait_until("a published move", || published(folder.path()).contains("\"type\":\"move\""));
    println!("the first move is published {:.1} s after the command", begin.elapsed().as_secs_f64());
    // Boards were found; the page does the rest.
    browser.evaluate("location.hash = '#set_up'");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &2.into());
    fill_in(&mut browser, "Name of the event", "Tuesday");
    press(&mut browser, "Save");
    fill_in(&mut browser, "Tables without electronic boards", "1");
    press(&mut browser, "Add tables");
    browser.wait("document.querySelectorAll('#set-up-lines a').length", &3.into());
    let players = "Jansen, P.; Damlust; 1100\nBakker, K.\nDe Vries, A.\nSmit, J.\nVisser, L.\nMeijer, D.\n";
    fill_in(&mut browser, "Players, one a line", players);
    press(&mut browser, "Add players");
    dialog_text(&mut browser, "6 players");
    browser.evaluate("document.querySelector('#dialog form').requestSubmit()");
    shown(&mut browser, "Pair a round robin");
    press(&mut browser, "Pair a round robin");
    dialog_text(&mut browser, "round");
    browser.evaluate("document.querySelector('#dialog form').requestSubmit()");
    browser.evaluate("location.hash = '#tournament'");
    press(&mut browser, "Next round");
    browser.wait("document.querySelector('#dialog').open", &true.into());
    save_screenshots(&mut browser, &pictures, "club-next-round");
    dialog_text(&mut browser, "round 1: open");
    browser.evaluate("document.querySelector('#dialog form').requestSubmit()");
    wait_until("the round", || {
        let status = ask(folder.path(), ClientRequest::Status {}).status.unwrap();
        status.boards.iter().any(|board| board.name == "table-1" && board.pairing.is_some())
    });
    assert_no_page_errors(&browser, &[]);
    browser.visit(&pages);
    browser.wait("document.body.textContent.includes('Jansen, P.')", &true.into());
    println!("the first round is open {:.1} s after the command", begin.elapsed().as_secs_f64());
    terminal.press(3);
    assert!(terminal.ended().success());
}
