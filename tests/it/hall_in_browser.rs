//! A hall in a real browser: simulated boards of four game types at ports, the recorder, the pages, and viewers. Everything a page ever
//! shows is in the live files, each move once and in its place, even if the page was hidden or the server away.
//!
//! `scripts/browser` plays for longer and with more boards, and prints figures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use damcast::engine::livefile::{Entry, EntryKind, LiveFileContents};
use draughts::{Color, PieceKind, Position};
use rustix::process::Signal;
use serde_json::Value;

use crate::browser::{Browser, LIVE, Page};
use crate::playing_hall::Hall;

/// Script by which every page logs each change: boards with their games, moves, pieces and clocks.
const NOTES: &str = r"(() => {
    const drawn = (card) => {
        const board = card.querySelector('svg.bd'), width = +board.dataset.w, all = Array(width * board.dataset.h).fill('.');
        for (const use of board.querySelectorAll('.ps use'))
            all[Math.floor(use.getAttribute('y') / 10) * width + Math.floor(use.getAttribute('x') / 10)] = use.getAttribute('href').slice(1);
        return all.join('');
    };
    const note = (card) => ({
        board: card.dataset.board, game: +card.dataset.game, count: +card.dataset.count, pieces: drawn(card),
        moves: card.classList.contains('two') ? [...card.querySelectorAll('#moves a')].map(link => [link.firstChild.textContent, link.querySelector('small')?.textContent ?? null]) : null,
        clocks: ['white', 'black'].map(side => card.querySelector(`.ck[data-side=${side}]`)?.dataset.seconds ?? null),
    });
    const last = new Map();
    window.notes = [];
    window.longest = 0;
    window.look = () => {
        for (const card of document.querySelectorAll('#main [data-board][data-game]')) {
            if (!card.querySelector('svg.bd')) continue;
            const now = note(card), text = JSON.stringify(now);
            if (last.get(now.board) !== text) { last.set(now.board, text); window.notes.push(now); }
        }
    };
    new PerformanceObserver(list => list.getEntries().forEach(task => { window.longest = Math.max(window.longest, task.duration); })).observe({ type: 'longtask' });
    if (true) new MutationObserver(window.look).observe(document.body, { subtree: true, childList: true, attributes: true });
    window.look();
})()";

/// Seconds of White and Black.
type Seconds = [Option<u64>; 2];

/// A page's note about a board.
#[derive(serde::Deserialize)]
pub struct PageNote {
    board: String,
    game: u32,
    count: usize,
    pieces: String,
    moves: Option<Vec<(String, Option<String>)>>,
    clocks: [Option<String>; 2],
}

impl Hall {
    /// Returns the clocks in the events, by the number of entries of the game.
    fn clocks(&self) -> BTreeMap<(String, u32, usize), BTreeSet<Seconds>> {
        let mut all: BTreeMap<_, BTreeSet<Seconds>> = BTreeMap::new();
        let mut counts: BTreeMap<(String, u32), (usize, Seconds)> = BTreeMap::new();
        for line in self.read("public/events.ndjson").lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let (Some(board), Some(game)) = (event["board"].as_str(), event["game"].as_u64()) else { continue };
            let key = (board.to_owned(), game as u32);
            let now = counts.entry(key.clone()).or_default();
            now.0 += usize::from(["move", "setup"].contains(&event["type"].as_str().unwrap()));
            if event["clock"].is_object() {
                now.1 = ["white", "black"].map(|side| event["clock"][side].as_u64());
            }
            all.entry((key.0, key.1, now.0)).or_default().insert(now.1);
        }
        all
    }

    /// Returns the number of boards.
    fn board_count(&self) -> usize {
        let files = std::fs::read_dir(self.path("live")).unwrap().flatten();
        files.filter(|file| file.file_name().to_string_lossy().ends_with("-1.pdn")).count()
    }

    /// Returns the number of the last game of a board.
    fn last_game(&self, board: &str) -> u32 {
        (1..).take_while(|game| self.path(&format!("live/{board}-{game}.pdn")).exists()).last().expect("a game")
    }
}

/// Asserts that all notes are in the live files and that no page went back. `halls`: each hall with the prefix of its boards' names on the
/// page. Returns the number of comparisons.
pub fn check_notes(halls: &[(&str, &Hall)], notes: &[PageNote], page: &str) -> usize {
    let clocks: Vec<_> = halls.iter().map(|(_, hall)| hall.clocks()).collect();
    let mut files: BTreeMap<(&str, u32), (LiveFileContents, Vec<String>)> = BTreeMap::new();
    let mut before: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
    for note in notes {
        let (hall, board) = find_board(halls, &note.board);
        let (contents, pieces) = files.entry((&note.board, note.game)).or_insert_with(|| {
            let contents = halls[hall].1.live(board, note.game);
            let positions = std::iter::once(contents.header.start())
                .chain(contents.entries.iter().map(|entry| entry.kind.position_after()));
            let pieces = positions.map(|position| field_letters(&position)).collect();
            (contents, pieces)
        });
        let place = format!("{page}: {}-{} after {}", note.board, note.game, note.count);
        assert!(note.count <= contents.entries.len(), "{place}: the live file has {}", contents.entries.len());
        assert_eq!(note.pieces, pieces[note.count], "{place}");
        let now = (note.game, note.count);
        assert!(before.insert(&note.board, now).is_none_or(|before| before <= now), "{place}: it went back");
        if let Some(moves) = &note.moves {
            let shown = contents.entries[..note.count].iter().map(shown);
            assert_eq!(*moves, shown.collect::<Vec<_>>(), "{place}");
        }
        let seconds = note.clocks.each_ref().map(|clock| clock.as_ref().and_then(|clock| clock.parse::<u64>().ok()));
        let expected_clocks = clocks[hall].get(&(board.to_owned(), note.game, note.count));
        // Finished games show points in place of clocks.
        let is_told =
            seconds == [None; 2] || expected_clocks.is_some_and(|expected_clocks| expected_clocks.contains(&seconds));
        assert!(is_told, "{place}: clocks {seconds:?}, expected {expected_clocks:?}");
    }
    notes.len()
}

/// Returns the index of a board's hall, and the name of the board there.
fn find_board<'n>(halls: &[(&str, &Hall)], name: &'n str) -> (usize, &'n str) {
    let found = halls.iter().zip(0..).find_map(|((prefix, _), index)| Some((index, name.strip_prefix(prefix)?)));
    found.unwrap_or_else(|| panic!("a board of no hall: {name}"))
}

/// Returns an entry as the list of moves shows it: the move, and the clock of its player. A machine that is busy with other tests may read
/// a board so late that the recorder sets a position up.
fn shown(entry: &Entry) -> (String, Option<String>) {
    let EntryKind::Ply { position: before, .. } = &entry.kind else {
        return ("Position as it stood".to_owned(), None);
    };
    let clock = entry.clocks.and_then(|clocks| if before.turn() == Color::White { clocks.white } else { clocks.black });
    (entry.kind.text().replace(['x', ':'], "×"), clock.map(|clock| clock.to_string()))
}

/// Returns a letter for each field, row by row.
fn field_letters(position: &Position) -> String {
    let geometry = &position.variant().geometry;
    let fields = (0..geometry.height()).flat_map(|row| (0..geometry.width()).map(move |column| (row, column)));
    let piece = |(row, column)| geometry.square_at(row, column).and_then(|square| position.placement().get(square));
    fields
        .map(|field| match piece(field).map(|piece| (piece.color, piece.kind)) {
            None => '.',
            Some((Color::White, PieceKind::Man)) => 'w',
            Some((Color::White, PieceKind::King)) => 'W',
            Some((Color::Black, PieceKind::Man)) => 'b',
            Some((Color::Black, PieceKind::King)) => 'B',
        })
        .collect()
}

/// Pages that note everything they show.
pub struct Viewers {
    pub browser: Browser,
    pages: Vec<(String, Page)>,
    /// Notes of each page, by its path.
    pub notes: BTreeMap<String, Vec<PageNote>>,
}

impl Viewers {
    pub fn open(mut browser: Browser, address: &str, paths: &[String]) -> Viewers {
        let mut pages = Vec::new();
        for path in paths {
            let page = browser.open_page();
            browser.visit(&format!("http://{address}{path}"));
            browser.wait(
                &format!("location.pathname === '{path}' && document.readyState === 'complete' && {LIVE}"),
                &"Live".into(),
            );
            browser.evaluate(NOTES);
            pages.push((path.clone(), page));
        }
        Viewers { browser, pages, notes: BTreeMap::new() }
    }

    /// Collects the notes of the pages.
    pub fn collect_notes(&mut self) {
        for (path, page) in &self.pages {
            self.browser.select_page(page);
            let notes =
                serde_json::from_value::<Vec<PageNote>>(self.browser.evaluate("window.notes.splice(0)")).unwrap();
            self.notes.entry(path.clone()).or_default().extend(notes);
        }
    }

    /// Waits until each page shows all moves of the last games of its boards.
    pub fn wait_for_all_moves(&mut self, halls: &[(&str, &Hall)]) {
        for (path, page) in &self.pages {
            self.browser.select_page(page);
            let cards = "[...document.querySelectorAll('#main [data-count][data-board]')]";
            let all = if path == "/" { halls.iter().map(|(_, hall)| hall.board_count()).sum() } else { 1 };
            self.browser.wait(&format!("{cards}.length"), &all.into());
            let boards = self.browser.evaluate(&format!("{cards}.map(card => card.dataset.board)"));
            for name in boards.as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
                let (hall, board) = find_board(halls, name);
                let game = halls[hall].1.last_game(board);
                let all = format!("{game} {}", halls[hall].1.live(board, game).entries.len());
                let card = format!("document.querySelector('#main [data-count][data-board=\"{name}\"]').dataset");
                self.browser.wait(&format!("(card => `${{card.game}} ${{card.count}}`)({card})"), &all.into());
            }
        }
    }

    fn hide(&mut self, is_hidden: bool) {
        for (_, page) in &self.pages {
            self.browser.hide(page, is_hidden);
        }
    }

    fn wait(&mut self, seconds: u64) {
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            std::thread::sleep(Duration::from_secs(1));
            self.collect_notes();
        }
    }
}

#[test]
fn pages_match_live_files_at_every_event() {
    let Some(browser) = Browser::open() else { return };
    let mut hall = Hall::begin(16);
    let mut paths = vec!["/".to_owned()];
    paths.extend((1..=4).map(|board| format!("/board/{board}")));
    let mut viewers = Viewers::open(browser, &hall.address, &paths);
    viewers.wait(25);
    // All pages are hidden for a while.
    viewers.hide(true);
    viewers.wait(10);
    viewers.hide(false);
    viewers.wait(20);
    // The server is killed, and comes back after a while.
    hall.server = None;
    viewers.wait(6);
    hall.serve();
    viewers.wait(25);
    // Both at once.
    viewers.hide(true);
    hall.server = None;
    std::thread::sleep(Duration::from_secs(4));
    hall.serve();
    viewers.hide(false);
    viewers.wait(20);
    // The boards stop: everything on its way arrives, and every page has all of it.
    hall.boards.signal(Signal::STOP);
    std::thread::sleep(Duration::from_secs(2));
    viewers.wait_for_all_moves(&[("", &hall)]);
    viewers.collect_notes();
    for (path, notes) in &viewers.notes {
        let compared = check_notes(&[("", &hall)], notes, path);
        let last = notes.iter().map(|note| note.count).max().unwrap();
        println!("{path}: {compared} states compared, {last} moves");
        assert!(compared > 30 && last > 15, "{path}: {compared} states, {last} moves");
    }
    // The clocks in the events equal those in the live files.
    let clocks = hall.clocks();
    for board in (1..=16).map(|board| format!("board-{board}")) {
        for (entry, count) in hall.live(&board, 1).entries.iter().zip(1..) {
            let Some(written) = entry.clocks else { continue };
            let written = [written.white, written.black].map(|clock| clock.map(|clock| u64::from(clock.0)));
            assert!(clocks[&(board.clone(), 1, count)].contains(&written), "{board} after {count}: {written:?}");
        }
    }
    hall.boards.signal(Signal::CONT);
    assert!(hall.station.signal(Signal::TERM).success());
    // The recorder has stopped: no page calls itself live.
    for (_, page) in viewers.pages.clone() {
        viewers.browser.select_page(&page);
        viewers.browser.wait(LIVE, &"Not live".into());
    }
    let complaints = viewers.browser.page_errors();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Run by `scripts/browser`: `DAMCAST_MINUTES` (10) minutes of `DAMCAST_BOARDS` (200) boards in the grid. Prints figures.
#[test]
#[ignore = "takes ten minutes; scripts/browser runs it"]
fn large_hall_never_blocks_page() {
    let Some(browser) = Browser::open() else { panic!("there is no browser") };
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (minutes, boards) = (number("DAMCAST_MINUTES", 10), number("DAMCAST_BOARDS", 200));
    let mut hall = Hall::begin(boards as usize);
    let mut viewers = Viewers::open(browser, &hall.address, &[]);
    let page = viewers.browser.open_page();
    viewers.pages.push(("/".to_owned(), page));
    viewers.browser.visit(&format!("http://{}/", hall.address));
    let whole = "document.readyState === 'complete' && document.querySelectorAll('.g').length";
    viewers.browser.wait(whole, &boards.into());
    // Notes are taken only every ten seconds here: noting each change of so many boards would itself block the page.
    viewers.browser.evaluate(&NOTES.replace("if (true)", "if (false)"));
    let (mut compared, started_at) = (0, Instant::now());
    while started_at.elapsed() < Duration::from_secs(60 * minutes) {
        std::thread::sleep(Duration::from_secs(10));
        let longest = viewers.browser.evaluate("window.longest").as_f64().unwrap();
        viewers.browser.evaluate("window.look()");
        viewers.collect_notes();
        // Excludes the cost of the measurement; the browser reports it a little later.
        std::thread::sleep(Duration::from_secs(1));
        viewers.browser.evaluate(&format!("window.longest = {longest}"));
        let notes = viewers.notes.remove("/").unwrap_or_default();
        compared += check_notes(&[("", &hall)], &notes, "/");
    }
    let longest = viewers.browser.evaluate("window.longest").as_f64().unwrap();
    let moves = hall.read("public/events.ndjson").matches("\"type\":\"move\"").count();
    let events = hall.read("public/events.ndjson").lines().count();
    println!(
        "{boards} boards, {minutes} min: {events} events, {moves} moves, {compared} states of boards compared; longest task of the page {longest} ms (0: none of 50 ms)"
    );
    assert!(viewers.browser.page_errors().is_empty());
    assert!(longest < 100.0, "a task of the page took {longest} ms");
    assert!(hall.station.signal(Signal::TERM).success());
}
