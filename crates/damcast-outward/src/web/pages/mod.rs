//! Pages, complete as HTML without a script. A page is a function of the outlet's state, its address and the language: its bytes
//! change only with the outlet and the time, and reveal no more than the outlet.
//!
//! Names of players and events are untrusted: pages escape them, isolate their text direction, and limit their length.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | pages and their contents |
//! | [`address`] | which page an address names |
//! | [`parts`] | parts of a page, and which of them have changed |
//! | `frame` | head, navigation and foot of all pages |
//! | `board` | boards in the grid and single boards, moves, clocks |
//! | `event` | the event: before, during and after its games |
//! | [`file_names`] | names of the files that pages are without a server |
//! | `tables` | pairings, matches, standings |
//! | `overlay`, [`overlay_look`], `studio` | overlays for streams, their addresses, and the page that lists them |
//! | `players` | the page of a player, the list of players |
//! | `trial` | a viewer's own line from a position of a game |
//! | `text` | names, results, addresses |

pub mod address;
mod board;
mod event;
pub mod file_names;
mod frame;
mod overlay;
pub mod overlay_look;
pub mod parts;
mod players;
mod studio;
mod tables;
mod text;
mod trial;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use draughts::Color;
use maud::{Markup, PreEscaped, html};

use super::next_games::NextGame;
use super::plan::{self, PlannedRound, PlannedSection};
use super::state::{BoardNumber, ViewerBoard, ViewerGame, natural_order};
use super::stored_games::StoredGames;
use super::texts::{Language, PageTexts, fill};
use super::view::{View, ends_at};
use address::{BoardFilter, PageAddress, PageKind, percent_encoded};
use frame::PageContent;
use overlay_look::WrongParameter;
use parts::{PartCollector, hash_of};
pub(crate) use tables::official_result;
use text::{name, truncated};

/// Result of a game that is over, on a page without results.
const HIDDEN_RESULT: &str = "?-?";
/// Interval between refreshes of a page without a script, in seconds.
const REFRESH_SECONDS: &str = "15";

/// Renderer of a page, with the data of the request.
pub struct PageBuilder<'a> {
    /// View from which the page is made.
    pub view: &'a View,
    /// Address of the page.
    pub address: &'a PageAddress,
    /// Collects the parts of the page.
    pub parts: &'a PartCollector,
    /// How the open page gets what is new.
    pub live: LiveMode,
}

/// How an open page gets what is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveMode {
    /// By a stream.
    Stream,
    /// By asking the server again.
    Poll,
    /// By reading its own file again; there is no server that answers anything else.
    Files,
}

/// Reason why a page is not the one that was asked for.
#[derive(Debug)]
pub enum PageError {
    /// There is no such page.
    NotFound,
    /// A parameter of the address is wrong.
    WrongParameter(WrongParameter),
    /// The game cannot be read from the file of events.
    Unreadable(io::Error),
}

/// Game on a page, with its board.
#[derive(Clone)]
pub struct PageGame<'a> {
    /// Number of the board.
    pub number: BoardNumber,
    /// Name of the board in addresses; its number if the game has not begun.
    pub board: Cow<'a, str>,
    /// State of the game.
    pub game: &'a ViewerGame,
    /// Whether this is the game that pages show of the board.
    pub is_current: bool,
}

impl<'a> PageGame<'a> {
    fn new(view: &View, (number, board): (BoardNumber, &'a ViewerBoard), game: &'a ViewerGame) -> PageGame<'a> {
        let is_current = view.shown_game(board).is_some_and(|shown| shown.number == game.number);
        PageGame { number, board: Cow::Borrowed(&board.name), game, is_current }
    }

    fn is_same(&self, other: &PageGame<'_>) -> bool {
        self.board == other.board && self.game.number == other.game.number
    }

    /// Returns the path of the game's page; for the current game that of its board, which shows its next game too.
    fn address(&self) -> String {
        if self.is_current { format!("/board/{}", percent_encoded(&self.board)) } else { self.game_address() }
    }

    fn game_address(&self) -> String {
        format!("/game/{}-{}", percent_encoded(&self.board), self.game.number)
    }

    /// Returns the path of a picture of the position after so many entries.
    fn picture_address(&self, entries: usize) -> String {
        format!("/picture/{}-{}/{entries}.png", percent_encoded(&self.board), self.game.number)
    }

    /// Returns the tag of a player with this suffix, such as `Title`; the tag with an empty suffix is the name of the player.
    fn player_tag(&self, color: Color, tag: &str) -> Option<Cow<'a, str>> {
        self.game.tag(&format!("{}{tag}", ["White", "Black"][color.index()])).map(truncated)
    }
}

impl<'a> PageBuilder<'a> {
    fn texts(&self) -> &'static PageTexts {
        self.language().words()
    }

    fn language(&self) -> Language {
        self.address.language
    }

    fn chosen_language(&self) -> Option<Language> {
        self.address.is_language_chosen.then_some(self.address.language)
    }

    /// Returns the word for a side.
    fn side(&self, color: Color) -> &'static str {
        if color == Color::White { self.texts().white } else { self.texts().black }
    }

    /// Adds to an address what the reader has chosen: the language, and whether results are hidden.
    fn link(&self, address: &str) -> String {
        self.address.link(address)
    }

    /// Returns the result of a game as this page shows it.
    fn result<'g>(&self, game: &'g ViewerGame) -> Option<&'g str> {
        game.result.as_deref().map(|result| if self.address.hides_results { HIDDEN_RESULT } else { result })
    }

    /// Returns a key that changes with everything that pages show of a game, also with its status, which depends on the tournament.
    pub fn digest(&self, shown: &PageGame<'_>) -> (u64, Option<i64>, String) {
        let game = shown.game;
        // A game that has not begun has no lines.
        let lines = if game.is_unstarted() { hash_of(&game.tags) } else { game.lines.digest };
        (hash_of(&(lines, &game.result)), game.away_since, self.status(game))
    }

    /// Returns all boards with their current games.
    pub fn current(&self) -> Vec<PageGame<'a>> {
        let all = self.view.hall.boards().into_iter();
        all.filter_map(|board| Some(PageGame::new(self.view, board, self.view.shown_game(board.1)?))).collect()
    }

    /// Returns all games of a round, by the number of the board in the round.
    fn round_games(&self, round: &str) -> Vec<PageGame<'a>> {
        let mut shown = self.all_games();
        shown.retain(|shown| shown.game.tag("Round") == Some(round) && !shown.game.is_void());
        // Sections that number their boards from 1 would have each number twice.
        let planned = self.planned_rounds(round);
        let pairings = planned.iter().flat_map(|(_, planned)| &planned.pairings);
        let tables = pairings.filter_map(|one| Some((one.id.rsplit_once('/').map(|(hall, _)| hall), one.table?)));
        let mut known = BTreeSet::new();
        let are_distinct = planned.len() < 2 || tables.into_iter().all(|table| known.insert(table));
        for shown in shown.iter_mut().filter(|_| are_distinct) {
            if let Some(number) = shown.game.tag("Board").and_then(|board| board.parse().ok()) {
                shown.number.number = number;
            }
        }
        shown.sort_by_key(|shown| shown.number);
        shown
    }

    /// Returns the unstarted games, without those that have begun by the events.
    fn unstarted_games(&self) -> Vec<PageGame<'a>> {
        let current = self.current();
        let mut taken: BTreeSet<BoardNumber> = current.iter().map(|shown| shown.number).collect();
        let awaited = &self.view.awaited;
        taken.extend(awaited.iter().filter_map(|next| next.tagged_number()));
        // A board has the number of its place, unless another board has it.
        let mut free = |hall: usize, place: u64| {
            let of_hall = || taken.iter().filter(|number| number.hall == hall).map(|number| number.number);
            let number = if of_hall().any(|number| number == place) { of_hall().max().unwrap_or(0) + 1 } else { place };
            taken.insert(BoardNumber { hall, number });
            number
        };
        // Another board keeps its number while a game of a pairing goes on there, or has been played in the open round or in another section:
        // two sections may number their boards from 1, and a postponed game has the number of its own round.
        let is_used = |number: &BoardNumber, next: &NextGame| {
            let mut games = current.iter().filter(|shown| shown.number == *number && *shown.board != *next.board);
            let is_other = |id: &str| self.keeps_number(id, next);
            games.any(|shown| shown.game.pairing.as_deref().is_some_and(|id| shown.game.is_on() || is_other(id)))
        };
        let mut given = BTreeSet::new();
        let numbered = |next: &'a Arc<NextGame>| {
            let (hall, game) = (next.hall, &next.game);
            let last = current.iter().find(|shown| *shown.board == *next.board).map(|shown| shown.number);
            let tagged = next.tagged_number().filter(|number| !is_used(number, next) && given.insert(*number));
            let own = tagged.or_else(|| last.filter(|number| given.insert(*number)));
            let number = own.unwrap_or_else(|| BoardNumber { hall, number: free(hall, next.place) });
            let board = Cow::Owned(self.view.hall.number_in_address(number));
            PageGame { number, board, game, is_current: true }
        };
        awaited.iter().map(numbered).collect()
    }

    /// Whether the board of a pairing keeps its number when `next` is to be played: the pairing is another one, of an open round or of another
    /// section.
    fn keeps_number(&self, id: &str, next: &NextGame) -> bool {
        let plan = &self.view.plan;
        let own = next.game.pairing.as_deref();
        let section = |id: &str| plan.pairing(id).map(|(section, _)| &section.name);
        let is_of_other_section = || own.is_some_and(|own| section(own) != section(id));
        own.map(|own| plan.id_of(own)) != Some(plan.id_of(id)) && (plan.is_in_open_round(id) || is_of_other_section())
    }

    /// Returns the unstarted game of a board, by its number in an address; before the first game of the board also by its name.
    fn unstarted_game(&self, which: &str) -> Option<PageGame<'a>> {
        let all = self.unstarted_games();
        let of_number = all.iter().find(|shown| shown.board == which);
        let found = of_number.or_else(|| all.iter().find(|shown| shown.number.to_string() == which));
        let is_new = self.view.hall.find(which).is_none();
        found.cloned().or_else(|| self.awaited_game(which).filter(|_| is_new))
    }

    /// Returns the unstarted game of a board by its name.
    fn awaited_game(&self, board: &str) -> Option<PageGame<'a>> {
        let all = self.view.awaited.iter().zip(self.unstarted_games());
        all.into_iter().find(|(next, _)| next.board == board).map(|(_, shown)| shown)
    }

    /// Returns all boards, each with its unstarted game, else with its current one.
    fn present_games(&self) -> Vec<PageGame<'a>> {
        let mut games = self.unstarted_games();
        let unstarted: BTreeSet<BoardNumber> = games.iter().map(|shown| shown.number).collect();
        games.extend(self.current().into_iter().filter(|shown| !unstarted.contains(&shown.number)));
        games.sort_by_key(|shown| shown.number);
        games
    }

    /// Returns the words for a board: its number, and its hall in a joined outlet.
    fn board_title(&self, number: BoardNumber) -> String {
        let title = fill(self.texts().board, number);
        self.view.hall.hall_name(number).map_or_else(|| title.clone(), |hall| format!("{title} · {hall}"))
    }

    /// Returns the current game of a board, by its name or number.
    fn current_game(&self, which: &str) -> Option<PageGame<'a>> {
        let board = self.view.hall.board(which)?;
        Some(PageGame::new(self.view, board, self.view.shown_game(board.1)?))
    }

    /// Returns a board of an address with its hall: a number alone is that of the first hall that has it, whether it plays or waits.
    fn board_in_hall<'w>(&self, which: &'w str) -> Cow<'w, str> {
        if self.view.hall.halls.is_empty() || which.parse::<u64>().is_err() {
            return which.into();
        }
        let numbers = self.present_games().into_iter().map(|shown| shown.number);
        let first = numbers.filter(|number| number.to_string() == which).min();
        first.map_or(which.into(), |number| self.view.hall.number_in_address(number).into())
    }

    /// Renders the page of the address, or an error page. `games` reads the moves of earlier games.
    pub fn render(&self, games: &StoredGames) -> (Markup, Option<PageError>) {
        let error = match self.find_page(games) {
            Ok(page) => return (page, None),
            Err(error) => error,
        };
        let page = match (&error, &self.address.kind) {
            (_, PageKind::Overlay(overlay)) => self.overlay_refusal(overlay),
            (PageError::NotFound, _) => self.refusal("404", self.texts().not_found),
            (PageError::Unreadable(_), _) => self.refusal("503", self.texts().unreadable),
            (PageError::WrongParameter(wrong), _) => self.refusal("400", &self.mistake(wrong)),
        };
        (page, Some(error))
    }

    fn find_page(&self, games: &StoredGames) -> Result<Markup, PageError> {
        match &self.address.kind {
            PageKind::Boards(filter) => Ok(self.grid(filter)),
            PageKind::Wall { site, .. } => Ok(self.wall(site.as_deref())),
            // A number is that of the current round: an unstarted game precedes the last game of the board.
            PageKind::Board(which) => {
                let which = self.board_in_hall(which);
                match self.unstarted_game(&which) {
                    Some(shown) => Ok(self.unstarted_board(&shown)),
                    None => self.game(self.current_game(&which), None, games),
                }
            }
            PageKind::Embed(which) => self.embed(which).ok_or(PageError::NotFound),
            PageKind::Overlay(overlay) => self.overlay(overlay),
            PageKind::WrongOverlay(wrong) => Err(PageError::WrongParameter(wrong.clone())),
            PageKind::Studio { site, form } => Ok(self.studio(site, form)),
            PageKind::Game { which, ply } => self.game(find_game(self.view, which), *ply, games),
            PageKind::Trial { which, ply, line } => self.trial(find_game(self.view, which), *ply, line, games),
            PageKind::Round(round) | PageKind::EmbedRound(round) => self.round(round).ok_or(PageError::NotFound),
            PageKind::Standings(section) => {
                let named = |name: &String| self.view.plan.section(name).ok_or(PageError::NotFound);
                Ok(self.standings(section.as_ref().map(named).transpose()?))
            }
            PageKind::Players(search) => Ok(self.players(search)),
            PageKind::Player { section, id } => self.player(section, *id).ok_or(PageError::NotFound),
            PageKind::Event => self.event_page().ok_or(PageError::NotFound),
            PageKind::Archive => Ok(self.archive()),
            PageKind::Unknown => Err(PageError::NotFound),
        }
    }

    /// Makes the element `main` of a page. The script reads its kind (`grid`, `wall`, `game` or `list`), and whether the event is over: it then
    /// raises no alarm about a silent recorder or server. Pages without a server say when the last day is over.
    fn main(&self, kind: &str, class: &str, content: impl FnOnce() -> Markup) -> Markup {
        let ends = ends_at(&self.view.plan).filter(|_| self.live == LiveMode::Files);
        self.parts.part(
            "main",
            "main",
            || html! { main #main class=(class) tabindex="-1" data-kind=(kind) data-over[self.is_over()] data-ends=[ends] { (content()) } },
        )
    }

    /// Renders a single board with an unstarted game.
    fn unstarted_board(&self, shown: &PageGame<'_>) -> Markup {
        let main = self.main("grid", "wrap", || html! { ul.grid { (self.card_in_list(shown, true)) } });
        let (title, shown) = (self.board_title(shown.number), [shown.clone()]);
        self.page(PageContent { round: self.current_round(), ..PageContent::new(&shown, &title, main) })
    }

    /// Renders links that select boards. The script shows that of the viewer's own players.
    fn filters(&self, filter: &BoardFilter) -> Markup {
        let texts = self.texts();
        let sections = self.view.plan.sections.iter().filter(|section| !section.players.is_empty());
        let sections: Vec<&str> = sections.map(|section| section.name.as_str()).collect();
        let chosen = |is_it: bool| is_it.then_some("true");
        let link = |query: &str| self.link(&format!("/?{query}"));
        self.parts.part("p", "filters", || html! { p.flt {
            a href=(self.link("/")) aria-current=[chosen(*filter == BoardFilter::All)] { (texts.all_boards) }
            a href=(link("playing")) aria-current=[chosen(*filter == BoardFilter::Playing)] { (texts.games_going_on) }
            a #mine href=(link("mine")) hidden { "★ " (texts.my_players) }
            @if self.view.hall.halls.len() > 1 { @for hall in self.view.hall.halls.iter() {
                a href=(link(&format!("hall={}", percent_encoded(hall)))) aria-current=[chosen(*filter == BoardFilter::Hall(hall.clone()))] { bdi { (hall) } }
            } }
            @if sections.len() > 1 { @for section in sections {
                a href=(link(&format!("section={}", percent_encoded(section)))) aria-current=[chosen(*filter == BoardFilter::Section(section.to_owned()))] { (name(Some(&truncated(section)))) }
            } }
        } })
    }

    /// Renders all boards for a screen at the wall. `site` is the address of the pages, for a QR code.
    fn wall(&self, site: Option<&str>) -> Markup {
        let (shown, boards) = (self.current(), self.present_games());
        let texts = self.texts();
        let code = site.and_then(code);
        let [on, over] = self.count_games(&boards);
        let main = self.main("wall", "wl", || {
            let head = || html! { h1 { (self.title(&shown, self.current_round().as_deref())) } };
            let counts = || html! { p { @if !shown.is_empty() { (self.language().count(texts.games_on, on)) " · " (self.language().count(texts.games_over, over)) } @for delay in self.delays() { " · " (delay) } } };
            html! {
                header.wh1 {
                    (self.parts.part("h1", "head", head))
                    (self.parts.part("p", "counts", counts))
                    p #turn .pg {}
                    p.tm1 { time #time {} }
                    @if let Some((address, code)) = code {
                        span.qr { (code) span.vh { (texts.page_address) ": " (address) } }
                    }
                }
                (self.boards(&boards, false))
            }
        });
        self.page(PageContent::new(&shown, texts.boards, main))
    }

    /// Renders the boards and pairings of a round; `None` if there is no such round.
    fn round(&self, round: &str) -> Option<Markup> {
        let (shown, planned) = (self.round_games(round), self.planned_rounds(round));
        let mut boards = self.unstarted_games();
        let plan = &self.view.plan;
        let is_same =
            |one: &PageGame<'_>, other: &PageGame<'_>| match [one, other].map(|one| one.game.pairing.as_deref()) {
                [Some(one), Some(other)] => plan.key_of(one) == plan.key_of(other),
                pairings => pairings == [None, None] && one.number == other.number,
            };
        let has_begun = |one: &PageGame<'_>| shown.iter().any(|shown| shown.game.counts() && is_same(shown, one));
        boards.retain(|one| one.game.tag("Round") == Some(round) && !has_begun(one));
        boards.extend_from_slice(&shown);
        boards.sort_by_key(|shown| shown.number);
        if boards.is_empty() && planned.is_empty() {
            return None;
        }
        let main = self.main("grid", "wrap", || {
            html! {
                (self.overview(&boards))
                @if !boards.is_empty() { (self.boards(&boards, false)) }
                @for (section, planned) in &planned { (self.pairings(section, planned, &shown)) }
                @if matches!(self.address.kind, PageKind::EmbedRound(_)) { p.s { a href=(self.link(&format!("/round/{}", percent_encoded(round)))) { (self.texts().full_page) } } }
            }
        });
        let title = fill(self.texts().round, truncated(round));
        Some(self.page(PageContent { round: Some(round.to_owned()), ..PageContent::new(&shown, &title, main) }))
    }

    /// Returns the round of each section with its section.
    fn planned_rounds(&self, round: &str) -> Vec<(&'a PlannedSection, &'a PlannedRound)> {
        let of_section = |section: &'a PlannedSection| {
            Some((section, section.rounds.iter().find(|planned| planned.number.to_string() == round)?))
        };
        self.view.plan.sections.iter().filter_map(of_section).collect()
    }

    /// Renders a page of the current round.
    fn current_page(&self, kind: &str, title: &str, content: impl FnOnce() -> Markup) -> Markup {
        let main = self.main(kind, "wrap", content);
        self.page(PageContent { round: self.current_round(), ..PageContent::new(&self.current(), title, main) })
    }

    /// Renders a game after the first `at` entries, by default after all.
    fn game(&self, shown: Option<PageGame<'_>>, at: Option<usize>, games: &StoredGames) -> Result<Markup, PageError> {
        let shown = shown.ok_or(PageError::NotFound)?;
        let made = games.with_whole(&shown.board, shown.game, |whole| {
            let shown = PageGame { game: whole.game, ..shown.clone() };
            let all = whole.entries.len();
            let main = self.main("game", "wrap", || self.single_board(&shown, whole, at.unwrap_or(all).min(all)));
            // A viewer who steps back on the page of a board is at the address of the game.
            let title = self.players_of(&shown).unwrap_or_else(|| self.board_title(shown.number));
            let picture = Some(shown.picture_address(at.unwrap_or(all).min(all)));
            self.page(PageContent { picture, ..PageContent::new(&[shown], &title, main) })
        });
        made.map_err(PageError::Unreadable)
    }

    /// Renders the current game of a board for embedding; `None` if there is no such board.
    fn embed(&self, which: &str) -> Option<Markup> {
        let which = self.board_in_hall(which);
        let shown = self.unstarted_game(&which).or_else(|| self.current_game(&which))?;
        let main = self.main("grid", "emb", || {
            html! {
                (self.card(&shown, true))
                p.s { a href=(self.link(&shown.address())) { (self.texts().full_page) } }
            }
        });
        let title = fill(self.texts().board, shown.number);
        Some(self.page(PageContent::new(&[shown], &title, main)))
    }

    /// Renders the list of games that are over, by round, with links to their PDN.
    fn archive(&self) -> Markup {
        let texts = self.texts();
        let mut games = self.all_games();
        games.retain(|shown| shown.game.has_ended() && !shown.game.is_void());
        let round = |game: &'a ViewerGame| game.tag("Round").unwrap_or_default();
        // Games of no round come last.
        games.sort_by_cached_key(|shown| {
            let round = round(shown.game);
            (round.is_empty(), natural_order(round), shown.number.number, shown.game.number)
        });
        let last = self.games_by_pairing();
        let row = |shown: &PageGame<'a>| {
            let name = format!("{}-{}.pdn", shown.board, shown.game.number);
            let pairing = self.decided_pairing(shown, &last);
            let inputs = (shown.number, self.digest(shown), self.player_pages(shown.game), pairing);
            self.parts.leaf("tr", &format!("file-{}", percent_encoded(&name)), inputs, || {
                html! { tr {
                    th.pl1 scope="row" { a href=(self.link(&shown.game_address())) { (shown.number) } }
                    (self.player_row(shown, pairing))
                    td.fn.noprint { a href=(format!("{}.pdn", shown.game_address())) { (name) } }
                } }
            })
        };
        let heading = |round: &str| {
            let link = || html! { a href=(self.link(&format!("/round/{}", percent_encoded(round)))) { bdi { (fill(texts.round, truncated(round))) } } };
            let row =
                || html! { tr { th colspan="5" scope="colgroup" { @if round.is_empty() { "–" } @else { (link()) } } } };
            self.parts.leaf("tr", &format!("files-{}", percent_encoded(round)), (), row)
        };
        let has_rounds = games.first().is_some_and(|shown| !round(shown.game).is_empty());
        self.current_page("list", texts.games, || html! {
            div.hd { h2 { (texts.games) } p.noprint { a href="/games.pdn" { "games.pdn" } " · " a href="/started.pdn" { "started.pdn" }
                @if self.live != LiveMode::Files { " · " a href="/events.ndjson" { "events.ndjson" } } } }
            @if games.is_empty() { p.none { (texts.no_game_over) } (self.suggested_links()) } @else {
                div.tb tabindex="0" role="region" aria-label=(texts.games) { table.st1 {
                    thead { tr {
                        th.pl1 scope="col" { (texts.board_heading) }
                        @for heading in [texts.white, texts.black, texts.result] { th scope="col" { (heading) } } th.fn.noprint scope="col" { "PDN" }
                    } }
                    (self.parts.part("tbody", "files", || html! { tbody { @for of_round in games.chunk_by(|one, other| round(one.game) == round(other.game)) {
                        @if has_rounds { (heading(round(of_round[0].game))) } @for shown in of_round { (row(shown)) }
                    } } }))
                } }
            }
        })
    }

    /// Renders the standings, if the outlet has them, and all pairings and results by round; with a section, those of the section.
    fn standings(&self, section: Option<&PlannedSection>) -> Markup {
        let games = self.all_games();
        let rounds = self.view.rounds().iter().map(|round| Some(round.as_str())).chain([None]);
        self.current_page("list", self.texts().standings, || {
            html! {
                (self.parts.part("div", "standings", || self.official_standings(&games, section)))
                @for round in rounds { (self.results_of_round(round, section, &games)) }
            }
        })
    }

    /// Renders how many games are open or lack a result.
    pub(super) fn open_results(&self, only: Option<&PlannedSection>) -> Markup {
        let (texts, [open, missing]) = (self.texts(), self.open_pairings(only));
        html! { @for (count, sentence) in [(open, texts.provisional), (missing, texts.results_missing)] {
            @if count > 0 { p { span.prov { b { (self.language().count(sentence, count)) } } } }
        } }
    }

    /// Renders the tables of `standings.json`, and how many of the games are open.
    fn official_standings(&self, games: &[PageGame<'_>], only: Option<&PlannedSection>) -> Markup {
        let texts = self.texts();
        html! { div {
            div.hd { h2 { (texts.standings) } (self.open_results(only)) }
            @if games.is_empty() && !self.view.has_tournament() { p.none { (texts.no_game_over) } (self.suggested_links()) }
            @else if !self.view.has_tournament() { p.none { (texts.no_tournament) } }
            @for section in self.view.plan.standings.iter().filter(|section| only.is_none_or(|only| section.name == only.name)) {
                @if let Some(title) = plan::title(&section.name) { h3 {
                    a href=(self.link(&format!("/standings/{}", percent_encoded(title)))) { (name(Some(&truncated(title)))) }
                } }
                @let planned = self.view.plan.section(&section.name);
                (self.table(("teams", &section.name), &section.teams, None, false))
                (self.table(("players", &section.name), &section.rows, planned, true))
                @if let Some(planned) = planned {
                    (self.standings_now(planned, &section.rows))
                }
            }
        } }
    }

    /// Renders the pairings of a round, and without a section also its games that have none. `None` is for games without a round.
    fn results_of_round(&self, round: Option<&str>, only: Option<&PlannedSection>, games: &[PageGame<'_>]) -> Markup {
        let of_round = round.map(|round| self.round_games(round)).unwrap_or_default();
        let mut planned = round.map(|round| self.planned_rounds(round)).unwrap_or_default();
        planned.retain(|(section, planned)| planned.has_begun() && only.is_none_or(|only| only.name == section.name));
        let pairings = planned.iter().flat_map(|(_, planned)| &planned.pairings);
        let paired: Vec<_> = pairings.filter_map(|pairing| self.game_of(pairing, &of_round)).collect();
        let is_paired = |shown: &PageGame<'_>| paired.iter().any(|game| game.is_same(shown));
        let is_other = |shown: &&PageGame<'_>| {
            let is_of_round = shown.game.tag("Round") == round && self.is_of_event(shown.game);
            only.is_none() && is_of_round && !shown.game.is_void() && !is_paired(shown)
        };
        let others: Vec<_> = games.iter().filter(is_other).collect();
        html! {
            @for (section, planned) in &planned { (self.pairings(section, planned, &of_round)) }
            @if !others.is_empty() { (self.games_without_pairing(round, &others)) }
        }
    }

    fn games_without_pairing(&self, round: Option<&str>, games: &[&PageGame<'_>]) -> Markup {
        let texts = self.texts();
        let last = self.games_by_pairing();
        let row = |shown: &PageGame<'_>| {
            let key = format!("game-{}-{}", percent_encoded(&shown.board), shown.game.number);
            let pairing = self.decided_pairing(shown, &last);
            let inputs = (shown.number, self.digest(shown), self.player_pages(shown.game), pairing);
            self.parts.leaf("tr", &key, inputs, || {
                html! { tr { th.pl1 scope="row" { a href=(self.link(&shown.game_address())) { (shown.number) } } (self.player_row(shown, pairing)) } }
            })
        };
        html! {
            div.hd { h2 { @match round {
                Some(round) => { a href=(self.link(&format!("/round/{}", percent_encoded(round)))) { (fill(texts.round, truncated(round))) } }
                None => { (texts.all_games) }
            } } }
            div.tb tabindex="0" role="region" aria-label=(texts.results) { table.st1 {
                thead { (self.headings_of_games()) }
                (self.parts.part("tbody", &format!("results-{}", percent_encoded(round.unwrap_or_default())), || html! { tbody { @for shown in games { (row(shown)) } } }))
            } }
        }
    }

    /// Renders links for a page that has nothing to show.
    pub(super) fn suggested_links(&self) -> Markup {
        let texts = self.texts();
        let has_games = !self.view.hall.boards().is_empty();
        let is_here = |address: &str| {
            self.address.path == address
                && matches!(self.address.kind, PageKind::Boards(BoardFilter::All) | PageKind::Archive)
        };
        html! { p.do {
            @if !is_here("/") { a.btn href=(self.link("/")) { (texts.all_boards) } }
            @if has_games && !is_here("/archive") { a.btn href=(self.link("/archive")) { (texts.all_games) } }
            @if self.view.plan.event.is_described() { a.btn href=(self.link("/event")) { (texts.about_event) } }
            @if self.live != LiveMode::Files { a.btn href=(self.link("/?wall")) { (texts.hall_screen) } }
        } }
    }

    fn refusal(&self, code: &str, reason: &str) -> Markup {
        self.current_page(
            "list",
            code,
            || html! { div.hd { h2 { (code) } } p.none { (reason) } (self.suggested_links()) },
        )
    }

    fn all_games(&self) -> Vec<PageGame<'a>> {
        let all = self.view.hall.boards().into_iter();
        let of =
            |board: (_, &'a ViewerBoard)| board.1.games.iter().map(move |game| PageGame::new(self.view, board, game));
        all.flat_map(of).collect()
    }
}

/// Finds a game by `BOARD-GAME`.
pub fn find_game<'a>(view: &'a View, which: &str) -> Option<PageGame<'a>> {
    let (name, game) = which.rsplit_once('-')?;
    let board = view.hall.boards().into_iter().find(|(_, board)| board.name == name)?;
    Some(PageGame::new(view, board, board.1.game(game.parse().ok()?)?))
}

/// Draws the QR code of an address, and returns both; `None` if the address is too long.
pub(crate) fn code(address: &str) -> Option<(String, Markup)> {
    let code = qrcodegen::QrCode::encode_text(address, qrcodegen::QrCodeEcc::Low).ok()?;
    let dark = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let path: String =
        dark.filter(|(x, y)| code.get_module(*x, *y)).map(|(x, y)| format!("M{x} {y}h1v1h-1z")).collect();
    let view = format!("-2 -2 {0} {0}", code.size() + 4);
    let drawn = html! {
        svg viewBox=(view) aria-hidden="true" { rect x="-2" y="-2" width="100%" height="100%" fill="#fff" {} (PreEscaped(format!("<path d=\"{path}\"/>"))) }
    };
    Some((address.to_owned(), drawn))
}
