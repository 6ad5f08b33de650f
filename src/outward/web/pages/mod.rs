//! The pages, complete as HTML without a script. A page is a function of what the outlet has told, of its address and of the language: who
//! asks twice gets the same bytes until something happens, and nothing in a page tells more than the outlet does.
//!
//! Names of players and events come from outside: they stand as text, isolated from the direction of the text around them, and not
//! without end.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | which pages there are, and what stands on each |
//! | `frame` | what all of them have around that |
//! | `board` | boards in the grid and by themselves, moves, clocks |
//! | `tables` | pairings, matches, standings |
//! | `text` | names, results, addresses |

mod board;
mod frame;
mod tables;
mod text;

use std::borrow::Cow;

use draughts::Color;
use maud::{Markup, html};
use serde_json::Value;

use super::assets::Assets;
use super::plan::{self, ShownPlan};
use super::state::{ShownBoard, ShownGame, ShownHall};
use super::words::{Language, Words, fill};
use frame::{Frame, PageContent};
pub use text::escaped;
use text::{name, short};

/// How often a page without a script asks again, in seconds.
const REFRESH: &str = "15";

/// What every page needs.
pub struct PageMaker<'a> {
    /// What may be shown.
    pub hall: &'a ShownHall,
    /// Who plays whom, also without a move.
    pub plan: &'a ShownPlan,
    /// In this language.
    pub language: Language,
    /// The language was asked for in the address: links keep it.
    pub is_chosen: bool,
    /// The address of the page, without its query.
    pub path: &'a str,
    /// Scripts and styles.
    pub assets: &'a Assets,
}

/// A game that is shown, with the number of its board.
#[derive(Clone, Copy)]
pub struct ShownOnPage<'a> {
    /// The number of its board.
    pub number: u64,
    /// Its board.
    pub board: &'a ShownBoard,
    /// The game.
    pub game: &'a ShownGame,
}

impl<'a> ShownOnPage<'a> {
    fn is_current(&self) -> bool {
        self.board.current().is_some_and(|current| current.number == self.game.number)
    }

    /// Its page: that of the board while nothing followed.
    fn address(&self) -> String {
        if self.is_current() { format!("/board/{}", escaped(&self.board.name)) } else { self.game_address() }
    }

    fn game_address(&self) -> String {
        format!("/game/{}-{}", escaped(&self.board.name), self.game.number)
    }

    fn player(&self, color: Color) -> Player<'a> {
        let side = if color == Color::White { "White" } else { "Black" };
        let tag = |what: &str| self.game.tag(&format!("{side}{what}"));
        Player {
            name: tag("").map(short),
            meta: ["Title", "Country", "Rating", "Team"].iter().filter_map(|what| tag(what)).map(short).collect(),
        }
    }
}

struct Player<'a> {
    name: Option<Cow<'a, str>>,
    meta: Vec<Cow<'a, str>>,
}

impl<'a> PageMaker<'a> {
    fn words(&self) -> &'static Words {
        self.language.words()
    }

    /// An address with the language, if it was chosen.
    fn link(&self, address: &str) -> String {
        match self.is_chosen {
            true => format!("{address}{}lang={}", if address.contains('?') { '&' } else { '?' }, self.language.code()),
            false => address.to_owned(),
        }
    }

    /// All boards with their current games.
    pub fn current(&self) -> Vec<ShownOnPage<'a>> {
        let all = self.hall.boards().into_iter();
        all.filter_map(|(number, board)| Some(ShownOnPage { number, board, game: board.current()? })).collect()
    }

    /// All games of a round.
    fn of_round(&self, round: &str) -> Vec<ShownOnPage<'a>> {
        let all = self.hall.boards();
        let games =
            all.iter().flat_map(|(number, board)| board.games.iter().map(move |game| (*number, *board, &**game)));
        let mut shown: Vec<ShownOnPage<'a>> = games
            .map(|(number, board, game)| ShownOnPage { number, board, game })
            .filter(|shown| shown.game.tag("Round") == Some(round))
            .collect();
        for shown in &mut shown {
            shown.number = shown.game.tag("Board").and_then(|board| board.parse().ok()).unwrap_or(shown.number);
        }
        shown.sort_by_key(|shown| shown.number);
        shown
    }

    /// The rounds that the games and the tournament name, in their order.
    fn rounds(&self) -> Vec<String> {
        let boards = self.hall.boards();
        let played = boards.iter().flat_map(|(_, board)| board.games.iter()).filter_map(|game| game.tag("Round"));
        let mut rounds: Vec<String> = played.map(str::to_owned).collect();
        let planned = self.plan.sections.iter().flat_map(|section| &section.rounds);
        rounds.extend(planned.map(|round| round.number.to_string()));
        rounds.sort_by_cached_key(|round| (round.parse::<u64>().unwrap_or(u64::MAX), round.clone()));
        rounds.dedup();
        rounds
    }

    /// Games that have not begun, each with the number of its board and, if it played before, its name.
    fn waiting_games(&self) -> Vec<(u64, Option<&'a str>, &'a ShownGame)> {
        let current = self.current();
        let waits = |(game, index): (&'a ShownGame, u64)| {
            let number = game.tag("Board").and_then(|number| number.parse().ok());
            // Boards without a number come behind those that have begun.
            let number = number.unwrap_or(current.len() as u64 + index);
            let before = current.iter().find(|shown| shown.number == number);
            (number, before.map(|shown| &*shown.board.name), game)
        };
        self.plan.waiting.iter().zip(1..).map(waits).collect()
    }

    /// A board whose game has not begun, by itself; `None`: there is none of this number.
    pub fn waiting(&self, number: &str) -> Option<String> {
        let card = self.waiting_alone(number)?;
        let title = fill(self.words().board, number);
        Some(self.page_of_now("grid", &self.current(), &title, html! { ul.grid { li { (card) } } }))
    }

    /// The same for a page of somebody else.
    pub fn waiting_embed(&self, number: &str) -> Option<String> {
        let card = self.waiting_alone(number)?;
        let title = fill(self.words().board, number);
        let body = html! {
            main #main .emb {
                (card)
                p.s { a href=(self.link(&format!("/board/{number}"))) target="_blank" rel="noopener" { (self.words().full_page) } }
            }
        };
        Some(self.framed(Frame::Embed, PageContent::new("grid", &[], &title, body)))
    }

    /// The card of a board whose game has not begun, which looks again by itself: its first move is told under a name that nobody knows yet.
    fn waiting_alone(&self, number: &str) -> Option<Markup> {
        let waiting = self.waiting_games();
        let one = waiting.iter().find(|(known, ..)| known.to_string() == number)?;
        Some(self.waiting_card(one))
    }

    /// All boards, each with its current game.
    pub fn grid(&self) -> String {
        let shown = self.current();
        let body = html! { (self.men(&shown)) (self.boards()) };
        self.page_of_now("grid", &shown, self.words().boards, body)
    }

    /// The same for a screen at the wall. `code`: a QR code of the address.
    pub fn wall(&self, is_light: bool, code: Option<(String, Markup)>) -> String {
        let shown = self.current();
        let words = self.words();
        let count = |what: &str| shown.iter().filter(|shown| shown.game.word() == what).count();
        let body = html! {
            header.wh1 {
                h1 { (self.title(&shown, self.round_now().as_deref())) }
                p { (words.playing) " " (shown.len() - count("over") - count("ended")) " · " (words.over) " " (count("over") + count("ended")) }
                p #turn .pg {}
                p.tm1 { time #time {} }
                @if let Some((address, code)) = code {
                    span.qr { (code) span.vh { (words.page_address) ": " (address) } }
                }
            }
            (self.boards())
        };
        let body = html! { main #main .wl { (body) } };
        self.framed(Frame::Wall { is_light }, PageContent::new("wall", &shown, words.boards, body))
    }

    /// The boards of a round; `None`: there is none of that name.
    pub fn round(&self, round: &str) -> Option<String> {
        let shown = self.of_round(round);
        let planned: Vec<_> = self
            .plan
            .sections
            .iter()
            .filter_map(|section| {
                Some((section, section.rounds.iter().find(|planned| planned.number.to_string() == round)?))
            })
            .collect();
        let body = html! {
            (self.men(&shown))
            @if !shown.is_empty() || planned.is_empty() { (self.cards(&shown)) }
            @for (section, planned) in &planned { (self.pairings(section, planned, &shown)) }
        };
        let is_there = !shown.is_empty() || !planned.is_empty();
        let title = fill(self.words().round, round);
        let content = PageContent { round: Some(round.to_owned()), ..PageContent::new("grid", &shown, &title, body) };
        is_there.then(|| self.page(content))
    }

    /// A page of what is played now.
    fn page_of_now(&self, kind: &str, shown: &[ShownOnPage<'_>], title: &str, body: Markup) -> String {
        self.page(PageContent { round: self.round_now(), ..PageContent::new(kind, shown, title, body) })
    }

    /// One game, after so many entries; all of them if that is left out.
    pub fn game(&self, shown: ShownOnPage<'a>, at: Option<usize>) -> String {
        let all = shown.game.entries.len();
        let at = at.unwrap_or(all).min(all);
        let body = self.one(&shown, at);
        let title = fill(self.words().board, shown.number);
        let follows = shown.is_current().then_some(&*shown.board.name);
        let game = Some(shown.game_address());
        self.page(PageContent { follows, game, ..PageContent::new("game", &[shown], &title, body) })
    }

    /// The board by itself, for a page of somebody else.
    pub fn embed(&self, shown: ShownOnPage<'a>) -> String {
        let title = fill(self.words().board, shown.number);
        let body = html! {
            main #main .emb {
                (self.card(&shown, true))
                p.s { a href=(self.link(&shown.address())) target="_blank" rel="noopener" { (self.words().full_page) } }
            }
        };
        let follows = Some(&*shown.board.name);
        self.framed(Frame::Embed, PageContent { follows, ..PageContent::new("grid", &[shown], &title, body) })
    }

    /// The archived games, by the names of their files.
    pub fn archive(&self, names: &[String]) -> String {
        let words = self.words();
        let all: Vec<ShownOnPage<'a>> = self.all_games();
        let find = |file: &str| {
            let (board, game) = file.strip_suffix(".pdn")?.rsplit_once('-')?;
            all.iter().find(|shown| shown.board.name == board && shown.game.number.to_string() == game)
        };
        let body = html! {
            div.hd { h2 { (words.games) } p { a href="/games.pdn" { "games.pdn" } " · " a href="/started.pdn" { "started.pdn" } " · " a href="/events.ndjson" { "events.ndjson" } } }
            @if names.is_empty() { p { (words.no_game_over) } } @else {
                div.tb tabindex="0" role="region" aria-label=(words.games) { table.st1 {
                    thead { tr { th scope="col" { (words.board_heading) } th scope="col" { (words.white) } th scope="col" { (words.black) } th scope="col" { (words.result) } th scope="col" { "PDN" } } }
                    tbody { @for name in names {
                        @let game = find(name);
                        tr {
                            @if let Some(shown) = game {
                                th scope="row" { a href=(self.link(&shown.game_address())) { (shown.board.name) " · " (shown.game.number) } }
                                (self.row_of(shown))
                            } @else { th scope="row" { (name) } td {} td {} td {} }
                            td { a href=(format!("/archive/{name}")) { (name) } }
                        }
                    } }
                } }
            }
        };
        self.page_of_now("list", &self.current(), words.games, body)
    }

    /// The results of all games, round by round; and the standings where the outlet has them.
    pub fn standings(&self, table: Option<&Value>) -> String {
        let words = self.words();
        let games = self.all_games();
        let open = |is_ended: bool| {
            let is_it = |game: &ShownGame| game.result.is_none() && game.is_ended == is_ended;
            games.iter().filter(|shown| shown.is_current() && is_it(shown.game)).count()
        };
        let (going_on, missing) = (open(false), open(true));
        let all_rounds = self.rounds();
        let mut rounds: Vec<Option<&str>> = all_rounds.iter().map(|round| Some(round.as_str())).collect();
        rounds.push(None);
        let body = html! {
            div.hd { h2 { (words.standings) }
                @for (count, sentence) in [(going_on, words.provisional), (missing, words.results_missing)] {
                    @if count > 0 { p { span.prov { b { (self.language.count(sentence, count)) } } } }
                }
            }
            @match table.and_then(|table| table["sections"].as_array()) {
                Some(sections) => { @for section in sections {
                    @if let Some(title) = section["section"].as_str().and_then(plan::title) { h3 { (name(Some(&short(title)))) } }
                    @let planned = self.plan.sections.iter().find(|planned| section["section"] == planned.name.as_str());
                    @for kind in ["teams", "rows"] {
                        @if let Some(table) = self.table(&section[kind], planned.filter(|_| kind == "rows")) { (table) }
                    }
                    @if let Some((planned, round)) = planned.and_then(|planned| Some((planned, planned.rounds.iter().rev().find(|round| !planned.matches(round).is_empty())?))) {
                        h3 { (fill(words.round, round.number)) }
                        (self.matches(planned, round))
                    }
                } }
                None => { p.q { (words.no_tournament) } }
            }
            @for round in rounds {
                @let of_round: Vec<&ShownOnPage<'_>> = games.iter().filter(|shown| shown.game.tag("Round") == round).collect();
                @if !of_round.is_empty() {
                    div.hd { h2 { @match round {
                        Some(round) => { a href=(self.link(&format!("/round/{}", escaped(round)))) { (fill(words.round, short(round))) } }
                        None => { (words.all_games) }
                    } } }
                    div.tb tabindex="0" role="region" aria-label=(words.results) { table.st1 {
                        thead { tr { th scope="col" { (words.board_heading) } th scope="col" { (words.white) } th scope="col" { (words.black) } th scope="col" { (words.result) } } }
                        tbody { @for shown in of_round { tr {
                            th scope="row" { a href=(self.link(&shown.game_address())) { (shown.number) } }
                            (self.row_of(shown))
                        } } }
                    } }
                }
            }
        };
        self.page_of_now("list", &self.current(), words.standings, body)
    }

    /// There is no such page.
    pub fn not_found(&self) -> String {
        let words = self.words();
        let body =
            html! { div.hd { h2 { "404" } p { (words.not_found) } } p { a href=(self.link("/")) { (words.boards) } } };
        self.page_of_now("list", &self.current(), "404", body)
    }

    fn all_games(&self) -> Vec<ShownOnPage<'a>> {
        let all = self.hall.boards();
        let games =
            all.iter().flat_map(|(number, board)| board.games.iter().map(move |game| (*number, *board, &**game)));
        games.map(|(number, board, game)| ShownOnPage { number, board, game }).collect()
    }
}
