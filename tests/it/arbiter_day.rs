//! An arbiter's day at the desk: two electronic boards, six tables whose moves volunteers enter on the real page, three rounds, and
//! what goes wrong on such a day. Nothing but the desk is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use damcast::control::{ClientRequest, Role};
use draughts::{Position, Variant};
use draughts_pdn::notation;
use serde_json::{Value, json};

use crate::browser::{Browser, Page, axe};
use crate::daemon::{SPEED, moves, recording, truth};
use crate::desk_in_browser::{choose, picture_folder, press, save_screenshots, shown, write};
use crate::entry_kills::moves as typed_moves;
use crate::hall::assert_clean;
use crate::pty::{Board, Pty, wait_until};
use crate::start::{Start, ask, fill_in};

const TABLES: usize = 6;
/// Round in which the second board fails.
const FAILURE: usize = 2;
/// Plies of a typed game; games of electronic boards are as long.
const PLIES: usize = 8;
const PLAYERS: [&str; 16] = [
    "Alder, A.",
    "Birch, B.",
    "Cedar, C.",
    "Dunlin, D.",
    "Elder, E.",
    "Finch, F.",
    "Gannet, G.",
    "Hazel, H.",
    "Ibis, I.",
    "Juniper, J.",
    "Kestrel, K.",
    "Linden, L.",
    "Maple, M.",
    "Nuthatch, N.",
    "Olive, O.",
    "Plover, P.",
];

/// Electronic board. A thread answers the station's questions between the games.
struct Electronic {
    /// Port, while it is plugged in, and board.
    seat: Arc<Mutex<(Option<Pty>, Board)>>,
    port: PathBuf,
    name: &'static str,
    games: u32,
}

impl Electronic {
    fn plug_in(ports: &Path, name: &'static str) -> Electronic {
        let port = ports.join(name);
        let seat = Arc::new(Mutex::new((Some(Pty::plug_in(&port)), Board::new(&recording(), SPEED))));
        let weak = Arc::downgrade(&seat);
        std::thread::spawn(move || {
            while let Some(seat) = weak.upgrade() {
                let mut seat = seat.lock().unwrap();
                if let (Some(pty), board) = &mut *seat {
                    board.answer(pty);
                }
                drop(seat);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Electronic { seat, port, name, games: 0 }
    }

    fn unplug(&mut self) {
        self.seat.lock().unwrap().0 = None;
    }

    fn plug_in_again(&mut self) {
        self.seat.lock().unwrap().0 = Some(Pty::plug_in(&self.port));
    }

    /// Plays the next game up to a number of plies.
    fn play(&mut self, folder: &Path, plies: usize) {
        self.games += 1;
        if self.games > 1 {
            self.seat.lock().unwrap().1.restart(&recording());
        }
        self.go_on(folder, plies);
    }

    /// Returns the live file of the last game.
    fn file(&self) -> String {
        format!("live/{}-{}.pdn", self.name, self.games)
    }

    /// Plays on up to a number of plies.
    fn go_on(&mut self, folder: &Path, plies: usize) {
        let file = folder.join("recordings").join(self.file());
        let count = || moves(&fs::read_to_string(&file).unwrap_or_default()).len();
        let mut seat = self.seat.lock().unwrap();
        let (Some(pty), board) = &mut *seat else { panic!("{} is not plugged in", self.name) };
        board.play(pty, 3_000_000, || count() >= plies);
        let last = || fs::read_to_string(file.with_file_name(format!("{}-{}.pdn", self.name, self.games - 1)));
        assert!(count() >= plies, "{}, after {}", file.display(), last().unwrap_or_default());
    }
}

/// Everything of the day.
struct Day {
    folder: tempfile::TempDir,
    start: Start,
    browser: Browser,
    desk: Page,
    /// Pages of the volunteers: one has five tables, the other one table.
    phones: [Page; 2],
    boards: [Electronic; 2],
    round: usize,
    /// Plies of each table, by round.
    typed: BTreeMap<(usize, usize), Vec<String>>,
}

impl Day {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("recordings").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn desk(&mut self, view: &str) -> &mut Browser {
        self.browser.select_page(&self.desk);
        self.browser.evaluate(&format!("location.hash = '#{view}'"));
        &mut self.browser
    }

    /// Sends the open dialog once it shows these effects, and no refusal.
    fn send_dialog(&mut self, words: &str) {
        let ready = format!(
            "(() => {{ const shown = document.querySelector('dialog[open] .dry'); return Boolean(shown?.querySelector('p')) && \
             !shown.textContent.includes('would refuse') && shown.textContent.includes({words:?}); }})()"
        );
        self.browser.wait("Boolean(document.querySelector('dialog[open] .dry p'))", &true.into());
        // If the board has changed since, the dialog shows its effect anew.
        let send = format!(
            "{ready} && document.querySelector('#dialog form').requestSubmit(), document.querySelector('#dialog').open && document.querySelector('#dialog').innerText"
        );
        self.browser.wait(&send, &false.into());
    }

    /// Ticks this box of the next dialog.
    fn confirm(&mut self, words: &str) {
        self.browser.wait("document.querySelector('#dialog').open", &true.into());
        choose(&mut self.browser, words);
    }

    /// Asserts that the open dialog is accessible, and saves its pictures.
    fn check_dialog(&mut self, name: &str) {
        self.browser.wait("document.querySelector('#dialog').open", &true.into());
        save_screenshots(&mut self.browser, &picture_folder(), &format!("day-{name}"));
        let Some(axe) = axe() else { return };
        if self.browser.evaluate("typeof axe") != "object" {
            self.browser.evaluate(&axe);
        }
        assert_eq!(self.browser.accessibility_violations(), json!([]), "{name}");
    }

    fn next_round(&mut self, round: usize) {
        self.round = round;
        press(self.desk("tournament"), "Next round");
        self.send_dialog(&format!("round {round}: open"));
        self.desk("set_up");
        press(&mut self.browser, "Codes for the tables");
        press(&mut self.browser, "Make new codes");
        let sheets = "document.querySelectorAll('#dialog .sheet').length";
        self.browser.wait(sheets, &TABLES.into());
        let text = "[...document.querySelectorAll('#dialog .sheet')].map(sheet => sheet.textContent.match(/[a-z0-9]{5}-[a-z0-9]{5}-[a-z0-9]{5}/)[0]).join()";
        let codes = self.browser.evaluate(text).as_str().unwrap().to_owned();
        press(&mut self.browser, "Close");
        for (index, code) in codes.split(',').enumerate() {
            self.browser.select_page(&self.phones[usize::from(index + 1 == TABLES)]);
            // Another address first, so that the page reads the code.
            self.browser.visit("about:blank");
            self.browser.visit(&format!("http://{}/#{code}", self.start.tables));
            self.browser.wait(&format!("{}?.dataset.key !== undefined", self.card(index + 1)), &true.into());
        }
    }

    /// Returns the script that finds the card of a table in this round.
    fn card(&self, table: usize) -> String {
        let heading = format!("table-{table}, round {}", self.round);
        format!(
            "[...document.querySelectorAll('.card')].find(card => card.querySelector('h2')?.textContent === {heading:?})"
        )
    }

    /// Asserts that the file of a round has each pairing once, with all of its moves and this result, by number of the board. The
    /// electronic boards have these live files.
    fn check_round(&self, round: usize, electronic: &[String; 2], results: [&str; 8]) -> Vec<PlayedGame> {
        let file = format!("public/round/{round}/games.pdn");
        let all = |games: &[PlayedGame]| games.iter().all(|(_, _, result, _)| result != "*");
        wait_until(&format!("all results in {file}"), || all(&games(&self.read(&file))));
        let shown = games(&self.read(&file));
        let players: BTreeSet<&String> = shown.iter().flat_map(|(white, black, ..)| [white, black]).collect();
        assert_eq!((shown.len(), players.len()), (8, 16), "{shown:#?}");
        for (index, (game, result)) in shown.iter().zip(results).enumerate() {
            let expected = match electronic.get(index) {
                Some(live) => plain_moves(&self.read(live)),
                None => self.typed[&(round, index - 1)].clone(),
            };
            assert_eq!((&*game.2, &game.3), (result, &expected), "{file}: {game:?}");
        }
        shown
    }

    /// Presses the first button whose key begins so.
    fn press_key(&mut self, key: &str) {
        let button = format!("document.querySelector('#view [data-key^={key:?}]')");
        self.browser.wait(&format!("Boolean({button}) && !{button}.disabled"), &true.into());
        self.browser.evaluate(&format!("{button}.click()"));
    }

    /// Plays a round in which nothing happens, but for what the boards have played already.
    fn play_tables(&mut self, round: usize, results: [&str; 8]) {
        for table in 1..=TABLES {
            self.enter(round, table, 0..PLIES, true);
        }
        for (number, result) in (1..).zip(results) {
            self.wait_for_last_move(round, number);
            self.result(number, result);
            if number <= 2 && !(round == FAILURE && number == 2) {
                // The clock of the board runs: the desk asks.
                self.confirm("Confirm");
                self.send_dialog(result);
            }
            self.shows_result(number, result);
        }
    }

    /// Waits until the page of results shows the last move of a table.
    fn wait_for_last_move(&mut self, round: usize, number: usize) {
        let Some(texts) = number.checked_sub(2).and_then(|table| self.typed.get(&(round, table))) else { return };
        let last = texts[PLIES - 1].replace('x', "×");
        self.desk("results");
        press(&mut self.browser, "All boards");
        let row =
            format!("document.querySelector('ol.res li[data-key$=\" {number}\"]')?.textContent.includes({last:?})");
        self.browser.wait(&row, &true.into());
    }

    /// Ends the day. Nothing is wrong with what was recorded.
    fn end(self) {
        self.start.end();
        assert_clean(&self.folder.path().join("recordings"), "");
    }

    /// Enters plies at a table from its `from`th on; waits until they are sent, if the phone has a connection.
    fn enter(&mut self, round: usize, table: usize, plies: std::ops::Range<usize>, is_online: bool) {
        let card = self.card(table);
        self.browser.select_page(&self.phones[usize::from(table == TABLES)]);
        let texts = self.typed[&(round, table)].clone();
        for text in &texts[plies.clone()] {
            let form = format!("{card}.querySelector('form.enter')");
            self.browser.evaluate(&format!(
                "(() => {{ const form = {form}; form.elements.move.value = {text:?}; form.requestSubmit(); }})()"
            ));
        }
        let count = format!("{card}.querySelectorAll('.moves span').length");
        self.browser.wait(&count, &plies.end.into());
        if is_online {
            self.browser.wait(&format!("{card}.querySelectorAll('.moves .waiting').length"), &0.into());
        }
    }

    fn set_offline(&mut self, is_offline: bool) {
        self.browser.select_page(&self.phones[1]);
        self.browser.call("Network.enable", json!({}));
        let network = json!({"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.browser.call("Network.emulateNetworkConditions", network);
    }

    /// Claims a result at a table.
    fn claim(&mut self, table: usize, result: &str) {
        self.browser.select_page(&self.phones[usize::from(table == TABLES)]);
        let card = self.card(table);
        self.browser.evaluate(&format!("{card}.querySelector('.claim button[value={result:?}]').click()"));
        let said = format!("{card}.querySelector('.turn').textContent.startsWith('Reported')");
        self.browser.wait(&said, &true.into());
    }

    /// Enters a result on the page of results: `number` is that of the board in the round.
    fn result(&mut self, number: usize, result: &str) {
        self.desk("results");
        press(&mut self.browser, "All boards");
        let index = ["2-0", "1-1", "0-2"].iter().position(|one| *one == result).unwrap();
        let button = format!("document.querySelector('ol.res button[data-key$=\" {number} {index}\"]')");
        // The page ignores a click just after its rows have moved.
        let rests = "!views.results.isEntering && Date.now() - views.results.moved > 600";
        self.browser.wait(&format!("Boolean({button}) && !{button}.disabled && {rests}"), &true.into());
        self.browser.evaluate(&format!("{button}.click()"));
    }

    /// Waits until the page of results shows this result.
    fn shows_result(&mut self, number: usize, result: &str) {
        self.desk("results");
        let row = format!("document.querySelector('ol.res li[data-key$=\" {number}\"] .p')?.textContent");
        self.browser.wait(&row, &result.into());
    }
}

/// Returns the texts of a game for each table and round: different games, so that a mixture shows.
fn texts() -> BTreeMap<(usize, usize), Vec<String>> {
    let mut typed = BTreeMap::new();
    for round in 1..=3 {
        for table in 1..=TABLES {
            let (mut position, mut texts) = (Position::start(Variant::international()), Vec::new());
            for ply in 0..PLIES {
                let legal = position.legal_moves();
                let clear: Vec<_> = legal.iter().filter(|one| !notation::is_ambiguous(one, &legal)).collect();
                let played = clear[(7 * round + 3 * table + ply) % clear.len()];
                texts.push(notation::write(position.variant(), played, &legal));
                position = position.play(played);
            }
            typed.insert((round, table), texts);
        }
    }
    typed
}

/// Begins the day: boards found, tables added, players typed, a round robin paired.
fn begin() -> Option<(Day, tempfile::TempDir)> {
    let mut browser = Browser::open()?;
    let (folder, ports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let boards = ["board-1", "board-2"].map(|name| Electronic::plug_in(ports.path(), name));
    let pattern = ports.path().join("board-*").display().to_string();
    let mut start = Start::begin(folder.path(), &["--port", &pattern, "--time-scale", &SPEED.to_string()]);
    start.wait_for("Ctrl-C ends");
    let login = ask(folder.path(), ClientRequest::Login { name: "M. Bosma".to_owned(), role: Role::Operator });
    let desk = browser.open_page();
    browser.visit(&format!("http://{}/?code={}", start.desk, login.code.unwrap()));
    browser.wait("document.querySelector('#code')?.value.length", &6.into());
    press(&mut browser, "Log in");
    browser.wait("document.querySelector('#login').hidden", &true.into());
    let phones = [browser.open_page(), browser.open_page()];
    let mut day = Day { folder, start, browser, desk, phones, boards, round: 0, typed: texts() };
    day.desk("set_up");
    day.browser.wait("document.querySelectorAll('#set-up-lines a').length", &2.into());
    fill_in(&mut day.browser, "Name of the event", "Open of Utrecht");
    press(&mut day.browser, "Save");
    fill_in(&mut day.browser, "Tables without electronic boards", &TABLES.to_string());
    press(&mut day.browser, "Add tables");
    day.browser.wait("document.querySelectorAll('#set-up-lines a').length", &(2 + TABLES).into());
    fill_in(&mut day.browser, "Players, one a line", &PLAYERS.join("\n"));
    press(&mut day.browser, "Add players");
    day.send_dialog("16 players");
    shown(&mut day.browser, "Pair a round robin");
    press(&mut day.browser, "Pair a round robin");
    day.send_dialog("round");
    Some((day, ports))
}

/// A pairing of a round's file: players, result, moves.
type PlayedGame = (String, String, String, Vec<String>);

/// Returns the games in a file.
fn games(text: &str) -> Vec<PlayedGame> {
    let tag = |game: &str, name: &str| {
        let line = game.lines().find_map(|line| line.strip_prefix(&format!("[{name} \"")));
        line.and_then(|line| line.strip_suffix("\"]")).unwrap_or_default().to_owned()
    };
    let each = text.split("[Event ").skip(1).map(|game| format!("[Event {game}"));
    each.map(|game| (tag(&game, "White"), tag(&game, "Black"), tag(&game, "Result"), plain_moves(&game))).collect()
}

/// Returns the moves of a game, without comments and result.
fn plain_moves(game: &str) -> Vec<String> {
    let plain: String = game.split(['{', '}']).step_by(2).collect();
    let mut moves = typed_moves(&plain);
    moves.retain(|word| !["2-0", "1-1", "0-2"].contains(&word.as_str()));
    moves
}

/// Round 1: results before, at and after the end, and one wrong; analysis on a board; a phone without connection.
fn first_round(day: &mut Day) -> Vec<PlayedGame> {
    let folder = day.folder.path().to_owned();
    day.next_round(1);
    day.boards[0].play(&folder, PLIES);
    day.boards[1].play(&folder, PLIES);
    for table in 1..TABLES {
        day.enter(1, table, 0..PLIES, true);
    }
    day.enter(1, TABLES, 0..2, true);
    day.set_offline(true);
    day.enter(1, TABLES, 2..PLIES, false);
    // The clock of the first board runs: the desk asks.
    day.result(1, "2-0");
    day.confirm("Confirm");
    day.send_dialog("2-0");
    day.shows_result(1, "2-0");
    // The next game on the second board is analysis: its result is that of the game that waits.
    day.boards[1].play(&folder, PLIES);
    day.result(2, "1-1");
    day.shows_result(2, "1-1");
    for (table, result) in [(1, "2-0"), (2, "0-2"), (3, "1-1")] {
        day.claim(table, result);
    }
    day.desk("results");
    // The button enters what the desk shows at that moment.
    for number in 3..=5 {
        let proposal = format!(
            "document.querySelector('ol.res li[data-key$=\" {number}\"]')?.textContent.includes('Result proposed')"
        );
        day.browser.wait(&proposal, &true.into());
    }
    press(&mut day.browser, "Confirm all proposals");
    for (number, result) in [(3, "2-0"), (4, "0-2"), (5, "1-1")] {
        day.shows_result(number, result);
    }
    day.result(6, "2-0");
    day.shows_result(6, "2-0");
    // It was a draw.
    day.result(6, "1-1");
    day.confirm("Replace the recorded result");
    day.send_dialog("1-1");
    day.shows_result(6, "1-1");
    day.result(7, "0-2");
    day.shows_result(7, "0-2");
    // The phone is back; its plies arrive, and then the result.
    day.set_offline(false);
    day.enter(1, TABLES, PLIES..PLIES, true);
    day.wait_for_last_move(1, 8);
    day.result(8, "2-0");
    day.shows_result(8, "2-0");
    let first = ["2-0", "1-1", "2-0", "0-2", "1-1", "1-1", "0-2", "2-0"];
    day.check_round(1, &["live/board-1-1.pdn", "live/board-2-1.pdn"].map(str::to_owned), first)
}

/// The second board fails after some moves; the arbiter types the others at the desk.
fn type_game_of_failed_board(day: &mut Day) {
    let folder = day.folder.path().to_owned();
    day.boards[1].play(&folder, 3);
    day.boards[1].unplug();
    day.desk("boards/board-2");
    let failed = "known.status.boards.find(board => board.name === 'board-2')";
    day.browser.wait(&format!("{failed}.state"), &"no-connection".into());
    day.press_key("entry");
    day.check_dialog("hand");
    day.send_dialog("makes no moves");
    day.browser.wait(&format!("Boolean({failed}.entry)"), &true.into());
    day.press_key("code");
    day.check_dialog("new-code");
    press(&mut day.browser, "Make new codes");
    day.browser.wait("document.querySelectorAll('#dialog .sheet').length", &1.into());
    day.check_dialog("code");
    press(&mut day.browser, "Close");
    let next = day.browser.evaluate(&format!("{failed}.entry.ply")).as_u64().unwrap() as usize;
    for (ply, text) in (next..=PLIES).zip(&truth()[next - 1..]) {
        day.browser.wait(&format!("{failed}.entry?.ply"), &ply.into());
        day.press_key("enter");
        write(&mut day.browser, &format!("Half-move {ply}"), text);
        if ply == PLIES {
            day.check_dialog("enter");
        }
        day.send_dialog(text);
    }
}

/// Round 2: a player has another name, the first board begins before the round is open, and the second one fails.
fn second_round(day: &mut Day) -> Vec<PlayedGame> {
    let folder = day.folder.path().to_owned();
    let rename = format!("document.querySelector('#view [aria-label=\"Correct the name: {}\"]')", PLAYERS[2]);
    day.desk("tournament");
    day.browser.wait(&format!("Boolean({rename})"), &true.into());
    day.browser.evaluate(&format!("{rename}.click()"));
    write(&mut day.browser, "Name", "Cedar, Caroline");
    day.send_dialog("Cedar, Caroline");
    day.boards[0].play(&folder, 3);
    day.next_round(2);
    day.desk("boards/board-1");
    day.press_key("adopt");
    day.send_dialog("board-1");
    day.boards[0].go_on(&folder, PLIES);
    type_game_of_failed_board(day);
    let electronic = day.boards.each_ref().map(Electronic::file);
    let second = ["1-1", "0-2", "0-2", "2-0", "1-1", "2-0", "1-1", "0-2"];
    day.play_tables(FAILURE, second);
    day.boards[1].plug_in_again();
    let played = day.check_round(FAILURE, &electronic, second);
    assert_eq!(played[1].3, truth()[..PLIES]);
    played
}

/// Round 4 is opened by mistake, and that is undone.
fn open_wrong_round(day: &mut Day) {
    let section = "encodeURIComponent(sections()[0].name)";
    day.desk("tournament");
    day.browser.evaluate(&format!("location.hash = '#tournament/' + {section} + '/4'"));
    day.press_key("to open");
    day.confirm("Confirm");
    day.send_dialog("round 4");
    shown(&mut day.browser, "Round 4 is open");
    day.press_key("undo ");
    day.send_dialog("round 4");
    shown(&mut day.browser, "Round 4 is prepared");
}

/// Round 3, and the end of it.
fn third_round(day: &mut Day) -> Vec<PlayedGame> {
    let folder = day.folder.path().to_owned();
    day.next_round(3);
    day.boards.iter_mut().for_each(|board| board.play(&folder, PLIES));
    let electronic = day.boards.each_ref().map(Electronic::file);
    let third = ["2-0", "2-0", "1-1", "0-2", "2-0", "1-1", "2-0", "1-1"];
    day.play_tables(3, third);
    let played = day.check_round(3, &electronic, third);
    press(day.desk("tournament"), "Close round");
    day.send_dialog("round 3");
    played
}

/// Asserts that the standings are those that a person adds up from the games.
fn check_standings(day: &Day, all: &[PlayedGame]) {
    let mut points: BTreeMap<String, u32> = BTreeMap::new();
    for (white, black, result, _) in all {
        let [of_white, of_black] = match &**result {
            "2-0" => [2, 0],
            "0-2" => [0, 2],
            _ => [1, 1],
        };
        *points.entry(white.replace("Cedar, C.", "Cedar, Caroline")).or_default() += of_white;
        *points.entry(black.replace("Cedar, C.", "Cedar, Caroline")).or_default() += of_black;
    }
    let standings = || {
        let document: Value = serde_json::from_str(&day.read("public/standings.json")).unwrap_or_default();
        let section = &document["sections"][0];
        let rows = section["rows"].as_array().into_iter().flatten();
        let of_row = |row: &Value| Some((row["name"].as_str()?.to_owned(), row["points"].as_str()?.parse().ok()?));
        (section["after_round"] == 3).then(|| rows.filter_map(of_row).collect::<BTreeMap<String, u32>>())
    };
    // The file of the standings follows the round's file a moment later.
    wait_until("the standings that a person adds up", || standings().as_ref() == Some(&points));
}

#[test]
fn arbiter_runs_day_from_desk_alone() {
    let Some((mut day, _ports)) = begin() else { return };
    let mut all = first_round(&mut day);
    all.extend(second_round(&mut day));
    open_wrong_round(&mut day);
    all.extend(third_round(&mut day));
    check_standings(&day, &all);
    day.end();
}
