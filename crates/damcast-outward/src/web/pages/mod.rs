//! Pages, complete as HTML without a script. A page is a function of the outlet's state, its address and the language: its bytes
//! change only with the outlet, and reveal no more than the outlet.
//!
//! Names of players and events are untrusted: pages escape them, isolate their text direction, and limit their length.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | pages and their contents |
//! | `frame` | head, navigation and foot of all pages |
//! | `board` | boards in the grid and single boards, moves, clocks |
//! | `tables` | pairings, matches, standings |
//! | `text` | names, results, addresses |

mod board;
mod frame;
mod tables;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use draughts::Color;
use maud::{Markup, html};
use serde_json::Value;

use super::assets::Assets;
use super::plan::{self, ViewerPlan};
use super::state::{ViewerBoard, ViewerGame, ViewerHall, WholeGame};
use super::texts::{Language, PageTexts, fill};
use frame::{Frame, PageContent};
pub use text::percent_encoded;
use text::{name, truncated};

/// Interval between refreshes of a page without a script, in seconds.
const REFRESH_SECONDS: &str = "15";

/// Renderer of a page, with the data of the request.
pub struct PageBuilder<'a> {
    /// State of the outlet.
    pub hall: &'a ViewerHall,
    /// Pairings and unstarted games.
    pub plan: &'a ViewerPlan,
    /// Language of the page.
    pub language: Language,
    /// Whether the address has the language; links then retain it.
    pub is_language_chosen: bool,
    /// Path of the page.
    pub path: &'a str,
    /// Scripts and styles.
    pub assets: &'a Assets,
}

/// Game on a page, with its board.
#[derive(Clone, Copy)]
pub struct PageGame<'a> {
    /// Number of the board.
    pub number: u64,
    /// Board of the game.
    pub board: &'a ViewerBoard,
    /// State of the game.
    pub game: &'a ViewerGame,
}

impl<'a> PageGame<'a> {
    fn is_current(&self) -> bool {
        self.board.current().is_some_and(|current| current.number == self.game.number)
    }

    /// Returns the path of the game's page: that of the board for the current game.
    fn address(&self) -> String {
        if self.is_current() { format!("/board/{}", percent_encoded(&self.board.name)) } else { self.game_address() }
    }

    fn game_address(&self) -> String {
        format!("/game/{}-{}", percent_encoded(&self.board.name), self.game.number)
    }

    fn player_label(&self, color: Color) -> PlayerLabel<'a> {
        let side = if color == Color::White { "White" } else { "Black" };
        let tag = |suffix: &str| self.game.tag(&format!("{side}{suffix}"));
        PlayerLabel {
            name: tag("").map(truncated),
            details: ["Title", "Country", "Rating", "Team"]
                .iter()
                .filter_map(|suffix| tag(suffix))
                .map(truncated)
                .collect(),
            fmjd_id: tag("FmjdId").map(truncated),
        }
    }
}

struct PlayerLabel<'a> {
    name: Option<Cow<'a, str>>,
    details: Vec<Cow<'a, str>>,
    /// Number at the FMJD.
    fmjd_id: Option<Cow<'a, str>>,
}

impl<'a> PageBuilder<'a> {
    fn texts(&self) -> &'static PageTexts {
        self.language.words()
    }

    /// Adds the language to an address if the request has it.
    fn link(&self, address: &str) -> String {
        match self.is_language_chosen {
            true => format!("{address}{}lang={}", if address.contains('?') { '&' } else { '?' }, self.language.code()),
            false => address.to_owned(),
        }
    }

    /// Returns all boards with their current games.
    pub fn current(&self) -> Vec<PageGame<'a>> {
        let all = self.hall.boards().into_iter();
        all.filter_map(|(number, board)| Some(PageGame { number, board, game: board.current()? })).collect()
    }

    /// Returns all games of a round, by the number of the board in the round.
    fn round_games(&self, round: &str) -> Vec<PageGame<'a>> {
        let all = self.hall.boards();
        let games =
            all.iter().flat_map(|(number, board)| board.games.iter().map(move |game| (*number, *board, &**game)));
        let mut shown: Vec<PageGame<'a>> = games
            .map(|(number, board, game)| PageGame { number, board, game })
            .filter(|shown| shown.game.tag("Round") == Some(round))
            .collect();
        for shown in &mut shown {
            shown.number = shown.game.tag("Board").and_then(|board| board.parse().ok()).unwrap_or(shown.number);
        }
        shown.sort_by_key(|shown| shown.number);
        shown
    }

    /// Returns the rounds of all games and of the tournament, in order.
    fn rounds(&self) -> Vec<String> {
        let boards = self.hall.boards();
        let played = boards.iter().flat_map(|(_, board)| board.games.iter()).filter_map(|game| game.tag("Round"));
        let distinct: BTreeSet<&str> = played.collect();
        let mut rounds: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
        let planned = self.plan.sections.iter().flat_map(|section| &section.rounds);
        rounds.extend(planned.map(|round| round.number.to_string()));
        rounds.sort_by_cached_key(|round| (round.parse::<u64>().unwrap_or(u64::MAX), round.clone()));
        rounds.dedup();
        rounds
    }

    /// Returns the unstarted games, each with the number of its board and, if the board has earlier games, its name.
    fn unstarted_games(&self) -> Vec<(u64, Option<&'a str>, &'a ViewerGame)> {
        let current = self.current();
        let waits = |(game, index): (&'a ViewerGame, u64)| {
            let number = game.tag("Board").and_then(|number| number.parse().ok());
            // Boards without a number follow those with a game.
            let number = number.unwrap_or(current.len() as u64 + index);
            let before = current.iter().find(|shown| shown.number == number);
            (number, before.map(|shown| &*shown.board.name), game)
        };
        self.plan.unstarted.iter().zip(1..).map(waits).collect()
    }

    /// Renders a single board with an unstarted game; `None` if no board has this number.
    pub fn unstarted_game(&self, number: &str) -> Option<String> {
        let card = self.unstarted_game_card(number)?;
        let title = fill(self.texts().board, number);
        Some(self.current_page("grid", &self.current(), &title, html! { ul.grid { li { (card) } } }))
    }

    /// Renders a board with an unstarted game for embedding; `None` if no board has this number.
    pub fn unstarted_game_embed(&self, number: &str) -> Option<String> {
        let card = self.unstarted_game_card(number)?;
        let title = fill(self.texts().board, number);
        let body = html! {
            main #main .emb {
                (card)
                p.s { a href=(self.link(&format!("/board/{number}"))) target="_blank" rel="noopener" { (self.texts().full_page) } }
            }
        };
        Some(self.html_document(Frame::Embed, PageContent::new("grid", &[], &title, body)))
    }

    /// Returns the card of a board with an unstarted game. The script reloads the page at the first moves of any game, because
    /// the name of the board may be unknown until then.
    fn unstarted_game_card(&self, number: &str) -> Option<Markup> {
        let waiting = self.unstarted_games();
        let one = waiting.iter().find(|(known, ..)| known.to_string() == number)?;
        Some(self.waiting_card(one))
    }

    /// Renders all boards, each with its current game.
    pub fn grid(&self) -> String {
        let shown = self.current();
        let body = html! { (self.overview(&shown)) (self.boards()) };
        self.current_page("grid", &shown, self.texts().boards, body)
    }

    /// Renders all boards for a screen at the wall. `code` is an address with its QR code.
    pub fn wall(&self, is_light: bool, code: Option<(String, Markup)>) -> String {
        let shown = self.current();
        let texts = self.texts();
        let count = |wanted_state: &str| shown.iter().filter(|shown| shown.game.state_str() == wanted_state).count();
        let body = html! {
            header.wh1 {
                h1 { (self.title(&shown, self.current_round().as_deref())) }
                p { (texts.playing) " " (shown.len() - count("over") - count("ended")) " · " (texts.over) " " (count("over") + count("ended")) }
                p #turn .pg {}
                p.tm1 { time #time {} }
                @if let Some((address, code)) = code {
                    span.qr { (code) span.vh { (texts.page_address) ": " (address) } }
                }
            }
            (self.boards())
        };
        let body = html! { main #main .wl { (body) } };
        self.html_document(Frame::Wall { is_light }, PageContent::new("wall", &shown, texts.boards, body))
    }

    /// Renders the boards and pairings of a round; `None` if there is no such round.
    pub fn round(&self, round: &str) -> Option<String> {
        let shown = self.round_games(round);
        let planned: Vec<_> = self
            .plan
            .sections
            .iter()
            .filter_map(|section| {
                Some((section, section.rounds.iter().find(|planned| planned.number.to_string() == round)?))
            })
            .collect();
        let body = html! {
            (self.overview(&shown))
            @if !shown.is_empty() || planned.is_empty() { (self.cards(&shown)) }
            @for (section, planned) in &planned { (self.pairings(section, planned, &shown)) }
        };
        let is_there = !shown.is_empty() || !planned.is_empty();
        let title = fill(self.texts().round, round);
        let content = PageContent { round: Some(round.to_owned()), ..PageContent::new("grid", &shown, &title, body) };
        is_there.then(|| self.page(content))
    }

    /// Renders a page of the current round.
    fn current_page(&self, kind: &str, shown: &[PageGame<'_>], title: &str, body: Markup) -> String {
        self.page(PageContent { round: self.current_round(), ..PageContent::new(kind, shown, title, body) })
    }

    /// Renders a game after the first `at` entries, by default after all.
    pub fn game(&self, shown: PageGame<'_>, whole: WholeGame<'_>, at: Option<usize>) -> String {
        let all = whole.entries.len();
        let at = at.unwrap_or(all).min(all);
        let body = self.single_board(&shown, whole, at);
        let title = fill(self.texts().board, shown.number);
        let follows = shown.is_current().then_some(&*shown.board.name);
        let game = Some(shown.game_address());
        self.page(PageContent { followed_board: follows, game, ..PageContent::new("game", &[shown], &title, body) })
    }

    /// Renders a board for embedding.
    pub fn embed(&self, shown: PageGame<'a>) -> String {
        let title = fill(self.texts().board, shown.number);
        let body = html! {
            main #main .emb {
                (self.card(&shown, true))
                p.s { a href=(self.link(&shown.address())) target="_blank" rel="noopener" { (self.texts().full_page) } }
            }
        };
        let follows = Some(&*shown.board.name);
        self.html_document(
            Frame::Embed,
            PageContent { followed_board: follows, ..PageContent::new("grid", &[shown], &title, body) },
        )
    }

    /// Renders the list of archived games from the names of their files.
    pub fn archive(&self, names: &[String]) -> String {
        let texts = self.texts();
        let file_name = |shown: &PageGame<'_>| format!("{}-{}.pdn", shown.board.name, shown.game.number);
        let by_file: HashMap<String, PageGame<'a>> =
            self.all_games().into_iter().map(|shown| (file_name(&shown), shown)).collect();
        let body = html! {
            div.hd { h2 { (texts.games) } p { a href="/games.pdn" { "games.pdn" } " · " a href="/started.pdn" { "started.pdn" } " · " a href="/events.ndjson" { "events.ndjson" } } }
            @if names.is_empty() { p { (texts.no_game_over) } } @else {
                div.tb tabindex="0" role="region" aria-label=(texts.games) { table.st1 {
                    thead { tr { th scope="col" { (texts.board_heading) } th scope="col" { (texts.white) } th scope="col" { (texts.black) } th scope="col" { (texts.result) } th scope="col" { "PDN" } } }
                    tbody { @for name in names {
                        @let game = by_file.get(name);
                        tr {
                            @if let Some(shown) = game {
                                th scope="row" { a href=(self.link(&shown.game_address())) { (shown.board.name) " · " (shown.game.number) } }
                                (self.player_row(shown))
                            } @else { th scope="row" { (name) } td {} td {} td {} }
                            td { a href=(format!("/archive/{name}")) { (name) } }
                        }
                    } }
                } }
            }
        };
        self.current_page("list", &self.current(), texts.games, body)
    }

    /// Renders the standings, if the outlet has them, and the results of all games by round.
    pub fn standings(&self, table: Option<&Value>) -> String {
        let texts = self.texts();
        let games = self.all_games();
        let open = |is_ended: bool| {
            let is_it = |game: &ViewerGame| game.result.is_none() && game.is_ended == is_ended;
            games.iter().filter(|shown| shown.is_current() && is_it(shown.game)).count()
        };
        let (going_on, missing) = (open(false), open(true));
        let mut by_round: BTreeMap<Option<&str>, Vec<&PageGame<'_>>> = BTreeMap::new();
        for shown in &games {
            by_round.entry(shown.game.tag("Round")).or_default().push(shown);
        }
        let all_rounds = self.rounds();
        let mut rounds: Vec<Option<&str>> = all_rounds.iter().map(|round| Some(round.as_str())).collect();
        rounds.push(None);
        let body = html! {
            div.hd { h2 { (texts.standings) }
                @for (count, sentence) in [(going_on, texts.provisional), (missing, texts.results_missing)] {
                    @if count > 0 { p { span.prov { b { (self.language.count(sentence, count)) } } } }
                }
            }
            @match table.and_then(|table| table["sections"].as_array()) {
                Some(sections) => { @for section in sections {
                    @if let Some(title) = section["section"].as_str().and_then(plan::title) { h3 { (name(Some(&truncated(title)))) } }
                    @let planned = self.plan.sections.iter().find(|planned| section["section"] == planned.name.as_str());
                    @for kind in ["teams", "rows"] {
                        @if let Some(table) = self.table(&section[kind], planned.filter(|_| kind == "rows")) { (table) }
                    }
                    @if let Some((planned, round)) = planned.and_then(|planned| Some((planned, planned.rounds.iter().rev().find(|round| !planned.matches(round).is_empty())?))) {
                        h3 { (fill(texts.round, round.number)) }
                        (self.matches(planned, round))
                    }
                } }
                None => { p.q { (texts.no_tournament) } }
            }
            @for round in rounds {
                @if let Some(of_round) = by_round.get(&round) {
                    div.hd { h2 { @match round {
                        Some(round) => { a href=(self.link(&format!("/round/{}", percent_encoded(round)))) { (fill(texts.round, truncated(round))) } }
                        None => { (texts.all_games) }
                    } } }
                    div.tb tabindex="0" role="region" aria-label=(texts.results) { table.st1 {
                        thead { tr { th scope="col" { (texts.board_heading) } th scope="col" { (texts.white) } th scope="col" { (texts.black) } th scope="col" { (texts.result) } } }
                        tbody { @for shown in of_round { tr {
                            th scope="row" { a href=(self.link(&shown.game_address())) { (shown.number) } }
                            (self.player_row(shown))
                        } } }
                    } }
                }
            }
        };
        self.current_page("list", &self.current(), texts.standings, body)
    }

    /// Renders the answer to a wrong address.
    pub fn not_found(&self) -> String {
        self.refusal("404", self.texts().not_found)
    }

    /// Renders the answer for a game that cannot be read from its file.
    pub fn unreadable(&self) -> String {
        self.refusal("503", self.texts().unreadable)
    }

    fn refusal(&self, code: &str, reason: &str) -> String {
        let boards = self.texts().boards;
        let body = html! { div.hd { h2 { (code) } p { (reason) } } p { a href=(self.link("/")) { (boards) } } };
        self.current_page("list", &self.current(), code, body)
    }

    fn all_games(&self) -> Vec<PageGame<'a>> {
        let all = self.hall.boards();
        let games =
            all.iter().flat_map(|(number, board)| board.games.iter().map(move |game| (*number, *board, &**game)));
        games.map(|(number, board, game)| PageGame { number, board, game }).collect()
    }
}
