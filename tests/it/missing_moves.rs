//! Moves that are missing in a running game: added by a person, in place of setups or after the last entry.

use damcast::engine::livefile::EntryKind;
use damcast::engine::session::Effect;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::control::{run_ctl, status};
use crate::desk::{DeskProcess, code};
use crate::desk_in_browser::{assert_no_page_errors, dialog_text, picture_folder, press, save_screenshots};
use crate::entry::{Answer, Table};
use crate::entry_station::{enter, events, started, tables};
use crate::hall::assert_clean;
use crate::operator::BoardFixture;
use crate::program::{assert_contains, run};
use crate::pty::wait_until;
use crate::serve::serve;

/// Position after 32-28 19-23 28x19 14x23.
const SETUP: &str = "W:W31,33-50:B1-13,15-18,20,23";

/// Returns a table whose game has a setup after its second entry, and a move after that.
fn table_with_setup() -> Table {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done("enter 1 2 19-23");
    table.done(&format!("setup {SETUP}"));
    table.done("enter 1 5 37-32");
    table.wait(60_000);
    table
}

fn inserted(table: &Table) -> Vec<(u32, u32, usize)> {
    let inserted = |effect: &Effect| match effect {
        Effect::MovesInserted(moves) => Some((moves.after, moves.until, moves.plies.len())),
        _ => None,
    };
    table.outputs.iter().filter_map(|output| inserted(&output.effect)).collect()
}

#[test]
fn added_moves_fill_setup_once() {
    let mut table = table_with_setup();
    assert_eq!(table.line.status().missing_moves, [2]);
    table.refused("add-moves 2 2 28x19 14x23", "game 1 is going on, not game 2");
    table.refused("add-moves 1 1 28x19 14x23", "no move is missing after entry 1; moves are missing after 2");
    table.refused("add-moves 1 2 28x19", "the position from which the game goes on differs on 14, 19, 23");
    table.refused("add-moves 1 2 28x19 14x23 33-29", "differs on 29, 33; type all moves between entries 2 and 4");
    table.refused("add-moves 1 2 19-23", "19-23 is not legal");
    table.refused("add-moves 1 2 none", "differs on 14, 28");
    table.refused("add-moves 1 2 {nothing}", "has no moves");
    let lines = table.lines();
    table.done("add-moves 1 2 2. 28x19 14x23");
    assert_eq!(inserted(&table), [(2, 3, 2)]);
    assert_eq!(table.lines(), lines, "no line of the live file changes");
    assert!(table.line.status().missing_moves.is_empty());
    let (answer, message) = table.request("add-moves 1 2 28x19 14:23");
    assert_eq!((answer, message.as_str()), (Answer::AlreadyDone, "28x19 14x23 was added after entry 2 already"));
    table.refused("add-moves 1 2 none", "28x19 14x23 was added after entry 2 already, and stays");
    assert_eq!(inserted(&table).len(), 1);
    table.done("enter 1 6 10-14");
    table.done("result 1-1");
    table.refused("add-moves 1 2 none", "game 1 is over");
}

#[test]
fn wrong_setup_is_replaced_with_added_moves() {
    let mut table = Table::new();
    table.done("enter 1 1 32-28");
    table.done(&format!("setup {SETUP}"));
    // Black is to move, after another reply.
    table.done("add-moves 1 1 19-24 33-29");
    assert_eq!(inserted(&table), [(1, 3, 2)]);
    let last = table.lines().pop().unwrap();
    assert!(last.starts_with("/FEN \"B:W28,29,31,34,"), "{last}");
    table.refused("enter 1 4 37-32", "ply 4 is Black's");
    table.done("enter 1 4 24x22");
}

#[test]
fn undone_moves_need_no_moves() {
    let mut table = Table::new();
    for (ply, text) in (1..).zip(["32-28", "19-23", "28x19"]) {
        table.done(&format!("enter 1 {ply} {text}"));
    }
    table.wait(60_000);
    table.done("undo 2");
    assert_eq!(table.line.status().missing_moves, [1]);
    table.done("add-moves 1 1 none");
    assert_eq!(inserted(&table), [(1, 4, 0)]);
    // An undo does not reach behind moves that were added.
    table.done("enter 1 2 18-23");
    table.wait(60_000);
    table.done("undo");
    assert_eq!(table.line.status().missing_moves, [4]);
}

#[test]
fn electronic_board_gets_moves_it_shows() {
    let mut desk = BoardFixture::with_start(&[], false);
    // 32-28, then 19-23 before it is sure.
    desk.play(63, 54, 1);
    desk.update(36, 0);
    desk.update(45, 4);
    let entries = |desk: &BoardFixture| {
        let is_ply = |effect: &Effect| matches!(effect, Effect::Entry { entry, .. } if matches!(entry.kind, EntryKind::Ply { .. }));
        desk.outputs.iter().filter(|output| is_ply(&output.effect)).count()
    };
    assert_eq!(entries(&desk), 1);
    desk.request("add-moves 1 1 18-23");
    assert_eq!(desk.replies("after these moves the board differs on 18, 19"), 1, "{:?}", desk.notices());
    desk.request("add-moves 1 1 none");
    assert_eq!(desk.replies("no setup follows the last entry"), 1, "{:?}", desk.notices());
    desk.request("add-moves 1 1 19-23");
    assert_eq!((entries(&desk), desk.replies("1... 19-23 added")), (2, 1), "{:?}", desk.notices());
    desk.request("add-moves 1 1 18-23");
    assert_eq!(desk.replies("19-23 was added after entry 1 already, and stays"), 1, "{:?}", desk.notices());
    // The board goes on from there.
    desk.update(45, 0);
    desk.play(54, 36, 1);
    assert_eq!(entries(&desk), 3, "{:?}", desk.file());
    assert!(desk.file().iter().all(|line| !line.starts_with("/FEN")), "{:?}", desk.file());
}

#[test]
fn readers_get_whole_game() {
    let place = tables(&["table-7"], 20);
    let outlet = "[[outlet]]\nname = \"whole\"\nprofile = \"standard\"\n";
    let config = std::fs::read_to_string(place.path("damcast.toml")).unwrap();
    std::fs::write(place.path("damcast.toml"), config + outlet).unwrap();
    let mut station = started(&place);
    let games = |outlet: &str| {
        let path = place.path(&format!("recordings/{outlet}/games.pdn"));
        std::fs::read_to_string(path).unwrap_or_default()
    };
    enter(&place, "table-7", &["32-28", "19-23"]).done();
    run_ctl(&place, &["ctl", "add-moves", "table-7", "28x19"]).fails(1, "table-7: no move is missing");
    run_ctl(&place, &["ctl", "add-moves", "table-7"]).prints("no move is missing");
    run_ctl(&place, &["ctl", "setup", "table-7", SETUP]).done();
    enter(&place, "table-7", &["37-32"]).done();
    wait_until("the setup", || games("public-whole").contains("37-32"));
    assert_contains(&games("public-whole"), &["/FEN"]);
    assert!(!games("public").contains("37-32"), "{}", games("public"));
    assert_eq!(status(&place)["boards"][0]["missing_moves"], json!([2]));
    run_ctl(&place, &["ctl", "add-moves", "table-7", "28x19", "--dry-run"]).fails(1, "differs on 14, 19, 23");
    run_ctl(&place, &["ctl", "add-moves", "table-7"]).prints("game 1, after entry 2 (--after 2):\n  1  28x19 14x23\n");
    run_ctl(&place, &["ctl", "add-moves", "table-7", "9"]).fails(1, "there is no offer 9");
    run_ctl(&place, &["ctl", "add-moves", "table-7", "1"]).prints("2. 28x19 14x23 added");
    run_ctl(&place, &["ctl", "add-moves", "table-7", "28x19", "14x23", "--after", "2"])
        .prints("was added after entry 2 already");
    run_ctl(&place, &["ctl", "add-moves", "table-7", "14x23"]).fails(1, "no move is missing");
    let whole = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32";
    for outlet in ["public", "public-whole"] {
        wait_until("the whole game", || games(outlet).contains(&format!("{whole} *")));
    }
    enter(&place, "table-7", &["10-14"]).done();
    run_ctl(&place, &["ctl", "result", "table-7", "1-1"]).done();
    let archived =
        || std::fs::read_to_string(place.path("recordings/public/archive/table-7-1.pdn")).unwrap_or_default();
    wait_until("the archive", || archived().contains(&format!("{whole} 10-14 *")));
    let of_game: Vec<Value> = events(&place).into_iter().filter(|event| !event["n"].is_null()).collect();
    let types: Vec<&str> = of_game.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["game", "move", "move", "setup", "move", "moves-inserted", "move", "end", "result"]);
    assert_eq!((&of_game[5]["after"], &of_game[5]["until"]), (&3.into(), &4.into()));
    assert_eq!((&of_game[6]["number"], &of_game[6]["ply"]), (&3.into(), &6.into()));
    assert_contains(&place.live("table-7-1.pdn"), &["19-23\n/FEN \"W:W31,33,"]);
    // A restart and a rebuild make the same files.
    let before = (archived(), events(&place));
    assert!(station.signal(rustix::process::Signal::TERM).success());
    assert_clean(&place.path("recordings"), "");
    std::fs::remove_dir_all(place.path("recordings/public/archive")).unwrap();
    run(&["rebuild", &place.path("recordings").display().to_string()]).done();
    assert_eq!((archived(), events(&place)), before);
}

/// At the desk the right moves are offered, and pages of viewers follow without a reload.
#[test]
fn desk_offers_moves_and_open_pages_follow() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = picture_folder();
    let place = tables(&["table-7"], 20);
    let _station = started(&place);
    enter(&place, "table-7", &["32-28", "19-23"]).done();
    run_ctl(&place, &["ctl", "setup", "table-7", SETUP]).done();
    enter(&place, "table-7", &["37-32"]).done();
    wait_until("the last move", || events(&place).iter().any(|event| event["move"] == "37-32"));
    let config = place.path("serve.toml");
    let outlet = place.path("recordings/public");
    std::fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {outlet:?}\n")).unwrap();
    let pages = serve(&config);
    let viewer = browser.open_page();
    browser.visit(&format!("http://{}/board/table-7", pages.address));
    let moves = "document.querySelectorAll('#moves a[data-captured]').length";
    browser.evaluate("window.isSame = true");
    browser.wait("document.querySelectorAll('#moves a[data-at]').length", &4.into());
    assert_eq!(browser.evaluate(moves), 0);
    let page = browser.open_page();
    let desk = DeskProcess::start(&place, "");
    browser.visit(&format!("http://{}/?code={}", desk.address, code(&place, "arbiter", "R. Faber")));
    browser.wait("Boolean(document.querySelector('#code')?.value)", &true.into());
    press(&mut browser, "Log in");
    press(&mut browser, "Missing moves");
    let choice =
        "[...document.querySelectorAll('dialog[open] label')].find(label => label.textContent === '28x19 14x23')";
    browser.wait(&format!("{choice}?.click(), Boolean({choice})"), &true.into());
    dialog_text(&mut browser, "2. 28x19 14x23 added");
    save_screenshots(&mut browser, &folder, "missing-moves");
    press(&mut browser, "Add the moves");
    browser.wait("!document.querySelector('dialog').open", &true.into());
    browser.select_page(&viewer);
    browser.wait(moves, &2.into());
    assert_eq!(browser.evaluate("window.isSame"), true, "the page was not loaded again");
    save_screenshots(&mut browser, &folder, "added-moves");
    // Nothing is missing any longer, so the button is gone.
    browser.select_page(&page);
    let is_there = "[...document.querySelectorAll('button')].some(button => button.textContent === 'Missing moves')";
    browser.wait(is_there, &false.into());
    assert_no_page_errors(&browser, &[]);
}
