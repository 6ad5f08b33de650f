//! An open page is what a page loaded now would be: whatever happens in between, every page follows to the same visible tree.
//!
//! `scripts/open-pages` tries many more streams; both print their seed.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::{Browser, MOVES, Page};
use crate::generated_games::Dice;
use crate::serve::{OutletFixture, Server};

/// Returns the tree of a page, without what depends on the time of looking: ages, running clocks, turns and the names fitted for them, the hour;
/// attributes in one order.
const TREE: &str = r"(() => {
    const page = document.documentElement.cloneNode(true);
    for (const gone of page.querySelectorAll('#time, #banner, #say, #turn, script, link, meta')) gone.remove();
    for (const clock of page.querySelectorAll('.ck')) { clock.classList.remove('low', 'out'); clock.querySelector('time')?.remove(); }
    for (const age of page.querySelectorAll('[data-silent-since] .st, [data-until]')) age.textContent = '';
    for (const one of page.querySelectorAll('[data-turns] > *, .wall .grid > li')) one.removeAttribute('hidden');
    for (const name of page.querySelectorAll('.wall .nm1')) name.removeAttribute('style');
    for (const name of ['id', 'heard', 'stream']) delete page.querySelector('body').dataset[name];
    page.querySelector('body').removeAttribute('class');
    const text = (node) => node.nodeType === 3 ? node.data : '<' + node.localName + [...node.attributes].filter(({ name, value }) => name !== 'class' || value).map(({ name, value }) => ' ' + name + '=' + value).sort().join('') + '>' + [...node.childNodes].map(text).join('');
    return text(page).replaceAll(location.origin, '');
})()";

/// Makes the accessibility tree comparable: hides the elements that [`TREE`] leaves out, and includes boards outside the window.
const HIDE_AGES: &str = r"(() => {
    const style = new CSSStyleSheet();
    style.replaceSync('.ck, #time, #banner, #say, #turn, [data-silent-since] .st, [data-until], [data-turns] { display: none !important } .g { content-visibility: visible !important } .wall .grid > li { display: block !important }');
    document.adoptedStyleSheets = [style];
})()";

/// Number of boards of a random event.
const BOARDS: usize = 4;
/// Delay of the delayed outlets.
const DELAY: Duration = Duration::from_secs(900);

/// Kind of event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventKind {
    /// Single players; one of them has no opponent.
    Individual,
    /// Two teams that meet in each round.
    Teams,
    /// Two sections that both count their tables from 1.
    Sections,
}

/// A tournament whose events and files change at random.
struct Event {
    kind: EventKind,
    outlet: OutletFixture,
    dice: Dice,
    round: u32,
    /// Number of the current game of each board, of its plies, and whether it goes on; 0 without a game.
    games: Vec<(u32, usize, bool)>,
    results: usize,
    /// Number of the official result of those games: it may be corrected.
    official: usize,
    /// Whether a game of an earlier round waits at a board that plays in this one.
    has_postponed: bool,
    /// Facts of the event, whether the round is closed, and whether the pairings of the next one are published.
    facts: Value,
    is_closed: bool,
    is_next_published: bool,
}

impl Event {
    fn new(seed: u64, boards: usize) -> Event {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut event = Event {
            kind: [EventKind::Individual, EventKind::Teams, EventKind::Sections][dice.roll(3)],
            outlet: OutletFixture::new(),
            dice,
            round: 0,
            games: vec![(0, 0, false); boards],
            results: 0,
            official: 0,
            has_postponed: false,
            facts: json!({"name": "NK"}),
            is_closed: false,
            is_next_published: false,
        };
        event.open_round();
        event
    }

    /// Returns the number of players with an opponent.
    fn players(&self) -> u32 {
        2 * self.games.len() as u32
    }

    /// Returns the ids of the players of a board, from 1.
    fn pair(&self, round: u32, board: usize) -> [u32; 2] {
        [0, 1].map(|side| (board as u32 * 2 + side + round * 3) % self.players() + 1)
    }

    fn names(&self, board: usize) -> [String; 2] {
        self.pair(self.round, board).map(|id| format!("Player {id} \"<i>\""))
    }

    /// Describes the event: its days, its schedule and its report are there or not, before or after now.
    fn describe(&mut self) {
        let year = [2001, 2199][self.dice.roll(2)];
        let end = ["", "2001-07-12", "2199-07-12"][self.dice.roll(3)];
        let moment = |at: &str| json!({"at": at, "name": "Round <b>\"1\"</b>"});
        let schedule = [moment("2001-07-10T14:00:00+02:00"), moment("2199-07-10T23:30:00-03:30"), moment("never")];
        let schedule = &schedule[..self.dice.roll(4)];
        let report = ["", "", "All went <i>well</i>.\n\nSee you."][self.dice.roll(3)];
        let name = ["NK", "NK <b>\"2027\"</b>"][self.dice.roll(2)];
        let site = ["", "Huissen"][self.dice.roll(2)];
        let website = ["", "https://example.org/"][self.dice.roll(2)];
        let start = format!("{year}-07-10");
        self.facts = json!({"name": name, "site": site, "start": start, "end": end, "schedule": schedule, "report": report, "website": website});
        self.is_closed = self.dice.roll(2) == 0;
        self.is_next_published = self.dice.roll(2) == 0;
    }

    /// Opens the next round: all its games are unstarted.
    fn open_round(&mut self) {
        self.round += 1;
        self.games.iter_mut().for_each(|(_, plies, is_on)| (*plies, *is_on) = (0, false));
        self.write_files();
        let event = json!({"t": self.round, "type": "round", "section": "Open", "round": self.round, "state": "open"});
        self.outlet.append_line(event);
    }

    /// Writes the files beside the events.
    fn write_files(&mut self) {
        // The tournament says who plays at a board.
        let count = self.games.len();
        let boards = (1..=count)
            .map(|board| json!({"board": format!("board-{board}"), "gametype": "20", "tags": {"Event": "NK"}}));
        let tags = json!({"White": "Late", "Black": "Early", "Round": "1", "Board": "2"});
        let postponed = self.has_postponed.then(|| json!({"board": "spare", "gametype": "20", "tags": tags}));
        let list: Vec<Value> = boards.chain(postponed).collect();
        self.outlet.append_line(json!({"b": 1, "type": "boards", "list": list}));
        let sections = match self.kind {
            EventKind::Sections => vec![self.section(1, 0..count / 2), self.section(2, count / 2..count)],
            _ => vec![self.section(1, 0..count)],
        };
        self.outlet.write("tournament.json", &json!({"event": self.facts, "sections": sections}).to_string());
    }

    /// Returns a section as the document of the tournament has it. Its games are on these boards.
    fn section(&self, id: u32, boards: Range<usize>) -> Value {
        let is_teams = self.kind == EventKind::Teams;
        let team = |player: u32| is_teams.then_some(1 + player % 2);
        let waits = (self.kind == EventKind::Individual).then_some(self.players() + 1);
        let players: Vec<Value> = (1..=self.players())
            .chain(waits)
            .map(|id| json!({"id": id, "name": format!("Player {id} \"<i>\""), "team": team(id)}))
            .collect();
        let official = [["2", "0"], ["1", "1"], ["0", "2"]][self.official % 3];
        let points = |round: u32, table: usize| (round < self.round || table < self.results).then_some(official);
        let deferral = [Value::Null, "adjourned".into(), "postponed".into()][self.official % 3].clone();
        let later =
            |round: u32, table: usize| if round == self.round && table == 3 { deferral.clone() } else { Value::Null };
        let reason = if self.official > 2 { "forfeit" } else { "played" };
        let rounds: Vec<Value> = (1..=self.round + u32::from(self.is_next_published))
            .map(|round| {
                let pairing = |(board, table): (usize, u32)| {
                    let [white, black] = self.pair(round, board);
                    json!({"id": round as usize * 1000 + board + 1, "table": table, "board": format!("board-{}", board + 1), "white": white, "black": black,
                        "match": is_teams.then_some(1), "points": points(round, board), "reason": reason, "later": later(round, board)})
                };
                let pairings: Vec<Value> = boards.clone().zip(1..).map(pairing).collect();
                let is_closed = round < self.round || self.is_closed;
                let state = if round > self.round { "published" } else if is_closed { "closed" } else { "open" };
                let matches: Vec<Value> = is_teams.then(|| json!({"id": 1, "home": 1, "away": 2})).into_iter().collect();
                let byes: Vec<Value> = waits.map(|player| json!({"player": player, "why": "bye", "points": "2"})).into_iter().collect();
                json!({"round": round, "state": state, "matches": matches, "byes": byes, "pairings": pairings})
            })
            .collect();
        let open = (!self.is_closed).then_some(self.round);
        let names = ["Huissen", "Hijken <b>"].iter().zip(1..).filter(|_| is_teams);
        let teams: Vec<Value> = names.map(|(name, id)| json!({"id": id, "number": id, "name": name})).collect();
        let name = ["Open", "Youth"][id as usize - 1];
        json!({"id": id, "name": name, "planned_rounds": 3, "open_round": open, "players": players, "teams": teams, "rounds": rounds})
    }

    /// Does one thing that happens at a tournament.
    fn step(&mut self) {
        let board = self.dice.roll(self.games.len());
        let name = format!("board-{}", board + 1);
        let (game, plies, is_on) = self.games[board];
        match self.dice.roll(29) {
            28 => {
                (self.official, self.has_postponed) = (self.dice.roll(6), self.dice.roll(2) == 0);
                self.write_files();
            }
            24 => {
                self.describe();
                self.write_files();
            }
            25 | 26 => {
                let board = if self.dice.roll(2) == 0 { name } else { (board + 1).to_string() };
                let (mode, boards) =
                    [("board", vec![board]), ("most-moves", vec![]), ("off", vec![])][self.dice.roll(3)].clone();
                self.outlet.append_line(json!({"t": 8, "type": "featured", "mode": mode, "boards": boards}));
            }
            // A name is withheld.
            27 => self.outlet.begin_anew(|text| text.replace("Late ", "Hidden ")),
            0 if self.round < 4 => self.open_round(),
            1 => {
                self.results = self.dice.roll(self.games.len() + 1);
                self.write_files();
            }
            2 if game > 0 => {
                let state = ["playing", "clock-stopped", "unexplained", "no-connection"][self.dice.roll(4)];
                self.outlet.append_event(&name, json!({"p": 1, "type": "state", "state": state}));
            }
            3 if game > 0 => {
                let new = format!("Late {}", self.dice.roll(100));
                self.outlet.append_event(
                    &name,
                    json!({"t": 9, "type": "tag-correction", "field": "White", "old": "", "new": new}),
                );
            }
            4 if is_on => {
                self.games[board].2 = false;
                self.outlet.append_event(&name, json!({"n": 90, "type": "end"}));
            }
            5 if game > 0 && !is_on => {
                self.outlet.append_event(&name, json!({"n": 91, "type": "result", "result": "2-0"}));
            }
            6 if is_on => {
                let clock = json!({"white": 500 + self.dice.roll(900), "black": 700, "running": "white"});
                self.outlet.append_event(&name, json!({"p": 2, "type": "clock", "clock": clock}));
            }
            7 if is_on => {
                self.outlet.append_event(&name, json!({"p": 3, "type": "provisional", "moves": ["31-27"]}));
            }
            9 if is_on && plies > 0 => {
                self.outlet.append_event(&name, json!({"n": 80, "type": "setup", "fen": "W:W28,33,38:B3,8,K12"}));
                if self.dice.roll(2) == 0 {
                    self.outlet.append_event(&name, json!({"n": 81, "type": "correction", "reason": "taken-back"}));
                }
            }
            _ if is_on && plies < 4 => {
                self.games[board].1 += 1;
                self.outlet.play(&name, plies + 1);
            }
            _ if !is_on => {
                // Some boards play beside the tournament.
                let is_paired = self.dice.roll(4) > 0;
                self.begin_game(board, is_paired);
                // The file follows, sooner or later.
                if self.dice.roll(2) == 0 {
                    self.write_files();
                }
            }
            _ => {}
        }
    }

    /// Returns the table of a board in its section.
    fn table(&self, board: usize) -> usize {
        let count = self.games.len();
        let of_section = if self.kind == EventKind::Sections { count / 2 } else { count };
        board % of_section + 1
    }

    /// Begins the next game of a board, with its first move.
    fn begin_game(&mut self, board: usize, is_paired: bool) {
        let name = format!("board-{}", board + 1);
        let game = self.games[board].0 + 1;
        let [white, black] = self.names(board);
        let tags = json!({"Event": "NK", "White": white, "Black": black, "Round": self.round.to_string(), "Board": self.table(board).to_string()});
        self.games[board] = (game, 1, true);
        let pairing = is_paired.then(|| self.round as usize * 1000 + board + 1);
        self.outlet.begin_paired_game(&name, game, tags, pairing);
        self.outlet.play(&name, 1);
    }

    /// Starts all games of a round with these pauses between them. The file follows each, as the station writes it.
    fn start_round(&mut self, pause: Duration) {
        for board in 0..self.games.len() {
            self.begin_game(board, true);
            self.write_files();
            std::thread::sleep(pause);
        }
    }

    /// Ends all games of the round.
    fn end_round(&mut self) {
        for board in 0..self.games.len() {
            self.games[board].2 = false;
            let name = format!("board-{}", board + 1);
            self.outlet.append_event(&name, json!({"n": 90, "type": "end"}));
            self.outlet.append_event(&name, json!({"n": 91, "type": "result", "result": "2-0"}));
        }
    }
}

/// Pages that are open, and a page that is loaded anew.
struct Pages {
    browser: Browser,
    open: Vec<Page>,
    fresh: Page,
}

impl Pages {
    fn new(mut browser: Browser, count: usize) -> Pages {
        let open = (0..count).map(|_| browser.open_page()).collect();
        let fresh = browser.open_page();
        Pages { browser, open, fresh }
    }

    /// Opens an address in a page. Chromium loses a request for the script now and then while servers come and go; the page says so then.
    fn open(&mut self, page: &Page, address: &str) {
        self.browser.select_page(page);
        for _ in 0..5 {
            self.browser.visit(address);
            self.browser.wait("document.readyState", &"complete".into());
            if self.browser.evaluate("document.querySelector('#dead') === null") == true {
                return;
            }
        }
        panic!("{address}: its script never ran; {:?}", self.browser.page_errors());
    }

    /// Asserts that an open page becomes what a page loaded now is.
    fn check(&mut self, index: usize, server: &Server) {
        let page = self.open[index].clone();
        self.browser.select_page(&page);
        let address = self.browser.evaluate("location.pathname + location.search");
        let fresh = self.fresh.clone();
        self.browser.select_page(&fresh);
        // A browser has six connections to a host: under another name the open pages leave it some.
        let other_name = server.address.replace("127.0.0.1", "localhost");
        self.browser.visit(&format!("http://{other_name}{}", address.as_str().unwrap()));
        self.browser.wait("document.readyState === 'complete' && location.pathname + location.search", &address);
        // The script of the page has run.
        self.browser.wait("document.querySelector('#time')?.textContent !== ''", &true.into());
        let end = Instant::now() + Duration::from_secs(40);
        loop {
            let loaded = self.tree(&fresh);
            let open = self.tree(&page);
            let heard = (open == loaded).then(|| [self.heard(&fresh), self.heard(&page)]);
            if heard.as_ref().is_some_and(|[fresh, page]| fresh == page) {
                return;
            }
            let same = open.chars().zip(loaded.chars()).take_while(|(one, other)| one == other).count();
            let place = |text: &str| text.chars().skip(same.saturating_sub(150)).take(500).collect::<String>();
            assert!(
                Instant::now() < end,
                "{address}: open\n{}\nloaded\n{}\nheard {heard:?}\n{:?}",
                place(&open),
                place(&loaded),
                self.browser.page_errors()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns roles and names of the accessibility tree, without ages.
    fn heard(&mut self, page: &Page) -> Vec<[String; 2]> {
        self.browser.select_page(page);
        self.browser.evaluate(HIDE_AGES);
        let text = |node: &Value, part: &str| {
            node[part]["value"].as_str().unwrap_or_default().replace("localhost", "127.0.0.1")
        };
        let nodes = self.browser.accessibility_nodes();
        let nodes = nodes.iter().filter(|node| node["ignored"] != true);
        let heard = nodes.map(|node| ["role", "name"].map(|part| text(node, part)));
        // Lines and blanks follow from the layout.
        heard
            .filter(|[role, name]| role != "InlineTextBox" && (role != "StaticText" || !name.trim().is_empty()))
            .collect()
    }

    fn tree(&mut self, page: &Page) -> String {
        self.browser.select_page(page);
        self.browser.evaluate(TREE).as_str().unwrap_or_default().to_owned()
    }
}

/// Tries random streams: every page at N, after the events up to M, is the page at M.
pub fn open_pages_follow(browser: Option<Browser>, streams: u64, seed: u64) -> usize {
    println!("seed {seed}");
    let Some(browser) = browser else { return 0 };
    let paths = [
        "/",
        "/?wall",
        "/board/1",
        "/board/board-2",
        "/embed/board/1",
        "/game/board-1-1",
        "/game/board-1-1/1",
        "/round/1",
        "/standings",
        "/standings/Open",
        "/standings/Youth",
        "/players",
        "/game/board-1-1/2/try/28x19",
        "/players?search=player%203",
        "/player/Open-1",
        "/player/Youth-2",
        "/standings?hide=results",
        "/board/1?hide=results",
        "/round/1?hide=results",
        "/archive?lang=ru",
        "/?section=Open",
        "/event?lang=nl",
        "/game/board-2-1/2?lang=fr",
        "/overlay/featured",
        "/overlay/board/3?theme=light&clock=left",
        "/overlay/lower-third?lang=nl",
        "/overlay/ticker",
        "/overlay/standings?width=600",
        "/embed/round/2",
        "/studio",
    ];
    let mut pages = Pages::new(browser, 4);
    // Each page is opened before one is opened again.
    let mut rest = Vec::new();
    let mut compared = 0;
    for stream in 0..streams {
        let mut event = Event::new(seed + stream, BOARDS);
        if event.dice.roll(3) == 0 {
            event.outlet.set_delay(DELAY);
        }
        for _ in 0..event.dice.roll(60) {
            event.step();
        }
        let mut server = event.outlet.serve();
        server.wait_for(&event.outlet);
        for page in pages.open.clone() {
            if rest.is_empty() {
                rest = paths.to_vec();
                (1..rest.len()).for_each(|at| rest.swap(at, event.dice.roll(at + 1)));
            }
            let path = rest.pop().unwrap();
            pages.open(&page, &format!("http://{}{path}", server.address));
            // Somebody looks at the first move of a game.
            if event.dice.roll(2) == 0 {
                pages.browser.evaluate("document.querySelector('#moves a')?.click()");
            }
        }
        for _ in 0..3 {
            for _ in 0..event.dice.roll(20) {
                event.step();
            }
            if event.dice.roll(4) == 0 {
                server = restarted(server, &mut event);
            }
            event.write_files();
            server.wait_for(&event.outlet);
            for index in 0..pages.open.len() {
                pages.check(index, &server);
                compared += 1;
            }
        }
        if stream % 50 == 49 {
            println!("{} streams, {compared} pages compared", stream + 1);
        }
    }
    // A board may have no game yet when its page is opened, and a new file of events replaces the one from which a game is read.
    let complaints = pages.browser.page_errors();
    let is_expected =
        |complaint: &str| ["status of 404", "status of 503"].iter().any(|status| complaint.contains(status));
    let complaints: Vec<_> = complaints.iter().filter(|complaint| !is_expected(complaint)).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    compared
}

/// Kills the server; events come while it is away, and at once when it is back.
fn restarted(server: Server, event: &mut Event) -> Server {
    let address = server.address.clone();
    drop(server);
    (0..event.dice.roll(20)).for_each(|_| event.step());
    let server = event.outlet.serve_at(&address);
    (0..event.dice.roll(20)).for_each(|_| event.step());
    server
}

#[test]
fn open_page_is_what_loaded_page_would_be() {
    println!("{} pages compared", open_pages_follow(Browser::open(), 19, 1));
}

/// Opens rounds of a hall whose boards start with these pauses between them, in ms. Asserts that open pages show what newly loaded pages show.
fn rounds_start_on_open_pages(boards: usize, pauses: &[u64]) {
    let Some(browser) = Browser::open() else { return };
    let mut pages = Pages::new(browser, 4);
    for paths in [
        ["/", "/?wall", "/board/1", "/standings"],
        ["/embed/round/1", "/overlay/ticker", "/overlay/featured", "/round/1"],
    ] {
        let mut event = Event::new(0, boards);
        event.outlet.append_line(json!({"t": 8, "type": "featured", "mode": "board", "boards": ["2"]}));
        let server = event.outlet.serve();
        server.wait_for(&event.outlet);
        for (page, path) in pages.open.clone().iter().zip(paths) {
            pages.browser.select_page(page);
            pages.browser.visit(&format!("http://{}{path}", server.address));
        }
        for (index, pause) in pauses.iter().enumerate() {
            if index > 0 {
                // The points as they stand appear.
                event.end_round();
                server.wait_for(&event.outlet);
                (0..pages.open.len()).for_each(|index| pages.check(index, &server));
                event.open_round();
            }
            event.start_round(Duration::from_millis(*pause));
            server.wait_for(&event.outlet);
            for index in 0..pages.open.len() {
                pages.check(index, &server);
            }
        }
    }
    assert!(pages.browser.page_errors().is_empty(), "{:?}", pages.browser.page_errors());
}

#[test]
fn rounds_start_together_or_apart_on_open_pages() {
    rounds_start_on_open_pages(BOARDS, &[0, 600]);
}

#[test]
fn rounds_of_large_halls_start_on_open_pages() {
    for boards in [8, 32] {
        rounds_start_on_open_pages(boards, &[0, 20]);
    }
}

#[test]
#[ignore = "a minute of pauses, or as many boards as DAMCAST_BOARDS says with pauses of 0, 0.6, 1.5 and 4 s; scripts/open-pages runs it"]
fn rounds_start_far_apart_on_open_pages() {
    let boards = std::env::var("DAMCAST_BOARDS").ok().and_then(|boards| boards.parse().ok());
    if let Some(boards) = boards {
        return rounds_start_on_open_pages(boards, &[0, 600, 1_500, 4_000]);
    }
    rounds_start_on_open_pages(BOARDS, &[1_500, 4_000]);
    rounds_start_on_open_pages(200, &[0, 20]);
}

/// A server that does not know the view of a page tells it to load again. Until the page is loaded it must ignore the stream, which has
/// changes for a newer page.
#[test]
fn page_that_must_load_again_takes_no_changes() {
    let Some(mut browser) = Browser::open() else { return };
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", json!({"White": "Jansen", "Black": "Ba"}));
    let server = outlet.serve();
    let page = browser.open_page();
    let address = server.address.clone();
    browser.visit(&format!("http://{address}/board/1"));
    // The stream tells the time.
    browser.wait("document.querySelector('#time').textContent !== ''", &true.into());
    // Make the page wait the longest time before it loads. Record each list of moves, and whether the next stream says `again`.
    browser.evaluate(&format!(
        "Math.random = () => 1; window.lists = []; window.isTold = false; \
         new MutationObserver(() => window.lists.push({MOVES})).observe(document.body, {{ subtree: true, childList: true }}); \
         window.EventSource = class extends EventSource {{ constructor(address) {{ \
             super(address); this.addEventListener('again', () => {{ window.isTold = true; }}); }} }}"
    ));
    browser.hide(&page, true);
    drop(server);
    (1..=4).for_each(|ply| outlet.play("board-1", ply));
    let server = outlet.serve_at(&address);
    // Another viewer opens the page, so the server knows its parts.
    browser.open_page();
    server.wait_for(&outlet);
    browser.visit(&format!("http://{address}/board/1"));
    browser.wait(MOVES, &"32-28 19-23 28×19 14×23".into());
    browser.select_page(&page);
    browser.hide(&page, false);
    browser.wait("window.isTold", &true.into());
    outlet.play("board-1", 5);
    outlet.play("board-1", 6);
    let all = "32-28 19-23 28×19 14×23 33-28 23×32";
    browser.wait(MOVES, &all.into());
    let lists = browser.evaluate("[...new Set(window.lists)]");
    let whole = |list: &&Value| all.starts_with(list.as_str().unwrap());
    assert_eq!(lists.as_array().unwrap().iter().find(|list| !whole(list)), None, "{lists}");
}

/// Run by `scripts/open-pages`: `DAMCAST_STREAMS` (840) streams from `DAMCAST_SEED` (1).
#[test]
#[ignore = "takes hours; scripts/open-pages runs it"]
fn open_pages_follow_many_streams() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let compared = open_pages_follow(Browser::open(), number("DAMCAST_STREAMS", 840), number("DAMCAST_SEED", 1));
    assert!(compared > 0, "there is no browser");
    println!("{compared} pages compared");
}
