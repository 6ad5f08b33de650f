//! The pages, complete as HTML without a script. A page is a function of what the outlet has told, of its address and of the language: who
//! asks twice gets the same bytes until something happens, and nothing in a page tells more than the outlet does.
//!
//! Names of players and events come from outside: they stand as text, isolated from the direction of the text around them, and not
//! without end.

use std::borrow::Cow;

use draughts::{Color, Variant};
use maud::{DOCTYPE, Markup, html};
use serde_json::{Value, json};

use super::assets::Assets;
use super::diagram::{self, Drawing};
use super::plan::{PlannedRound, PlannedSection, ShownPlan};
use super::state::{PlayState, ShownBoard, ShownClock, ShownEntry, ShownGame, ShownHall};
use super::words::{Language, Words, fill};

/// No name is shown longer, in characters.
const LONGEST_NAME: usize = 80;
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

/// Where boards are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// With all that a page has.
    Page,
    /// Nothing but the boards, for a screen at the wall.
    Wall {
        /// Light instead of dark.
        is_light: bool,
    },
    /// One board in a page of somebody else.
    Embed,
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

    /// Boards with what is played on them now, in their order, and those whose game has not begun in their places.
    fn boards(&self) -> Markup {
        let waiting = self.waiting_games();
        let mut cards: Vec<(u64, Markup)> = waiting.iter().map(|one| (one.0, self.waiting_card(one))).collect();
        let current =
            self.current().into_iter().filter(|shown| waiting.iter().all(|(number, ..)| *number != shown.number));
        cards.extend(current.map(|shown| (shown.number, self.card(&shown, false))));
        cards.sort_by_key(|(number, _)| *number);
        html! {
            @if cards.is_empty() { p.q { (self.words().nothing_yet) } }
            ul.grid data-count=(cards.len().min(16)) { @for (_, card) in cards { li { (card) } } }
        }
    }

    /// A board whose game has not begun.
    fn waiting_card(&self, (number, before, game): &(u64, Option<&str>, &ShownGame)) -> Markup {
        let words = self.words();
        let label = format!("{}. {}", fill(words.board, number), words.waiting);
        let player = |color: Color, class: &str| {
            let (piece, side, word) =
                if color == Color::White { ("#w", "White", words.white) } else { ("#b", "Black", words.black) };
            html! { div class=(class) {
                svg.pc viewBox="-5 -5 10 10" aria-hidden="true" { use href=(piece) {} }
                span.nm1 { span.vh { (word) ": " } (name(Some(&game.tag(side).map_or(Cow::Borrowed(word), short)))) }
            } }
        };
        html! {
            article.g.s-wait data-waits=(before.unwrap_or_default()) {
                div.top { h2 { a href=(self.link(&format!("/board/{number}"))) { span.vh { (fill(words.board, "").trim()) " " } (number) } } p.st { (words.waiting) } }
                (player(Color::Black, "pl bk"))
                div.bwrap { @if game.start.is_some() { (self.drawing(game, 0, false, &label)) } }
                (player(Color::White, "pl wh"))
            }
        }
    }

    /// A board whose game has not begun, by itself; `None`: there is none of this number.
    pub fn waiting(&self, number: &str) -> Option<String> {
        let card = self.waiting_alone(number)?;
        let title = fill(self.words().board, number);
        Some(self.page("list", None, None, &self.current(), &title, html! { ul.grid { li { (card) } } }))
    }

    /// The same for a page of somebody else.
    pub fn waiting_embed(&self, number: &str) -> Option<String> {
        let card = self.waiting_alone(number)?;
        let title = fill(self.words().board, number);
        let body = html! {
            main #main .emb {
                (card)
                p.s { a href=(self.link(&format!("/board/{number}"))) target="_blank" rel="noopener" { (self.words().to_page) } }
            }
        };
        Some(self.framed(Frame::Embed, "list", None, None, &[], &title, body))
    }

    /// The card of a board whose game has not begun, which looks again by itself: its first move is told under a name that nobody knows yet.
    fn waiting_alone(&self, number: &str) -> Option<Markup> {
        let waiting = self.waiting_games();
        let one = waiting.iter().find(|(known, ..)| known.to_string() == number)?;
        Some(html! { meta http-equiv="refresh" content=(REFRESH); (self.waiting_card(one)) })
    }

    /// All boards, each with its current game.
    pub fn grid(&self) -> String {
        let shown = self.current();
        let body = html! { (self.men(&shown)) (self.boards()) };
        self.page("grid", None, None, &shown, self.words().boards, body)
    }

    /// The same for a screen at the wall. `code`: a QR code of the address.
    pub fn wall(&self, is_light: bool, code: Option<(String, Markup)>) -> String {
        let shown = self.current();
        let words = self.words();
        let count = |what: &str| shown.iter().filter(|shown| shown.game.word() == what).count();
        let body = html! {
            header.wh1 {
                h1 { (self.title(&shown)) }
                p { (words.playing) " " (shown.len() - count("over") - count("ended")) " · " (words.over) " " (count("over") + count("ended")) }
                p #turn .pg {}
                p.tm1 { time #time {} }
                @if let Some((address, code)) = code {
                    span.qr { (code) span.vh { (words.address) ": " (address) } }
                }
            }
            (self.boards())
        };
        self.framed(
            Frame::Wall { is_light },
            "wall",
            None,
            None,
            &shown,
            words.boards,
            html! { main #main .wl { (body) } },
        )
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
        is_there.then(|| self.page("grid", None, None, &shown, &fill(self.words().round, round), body))
    }

    /// Who plays whom in a round, with what is official.
    fn pairings(&self, section: &PlannedSection, round: &PlannedRound, shown: &[ShownOnPage<'_>]) -> Markup {
        let words = self.words();
        let title = format!("{} {}", section.name, fill(words.round, round.number));
        html! {
            div.hd { h2 { bdi { (title.trim()) } } }
            @if !section.matches(round).is_empty() { (self.matches(section, round)) }
            div.tb tabindex="0" role="region" aria-label=(title.trim()) { table.st1 {
                thead { tr { th scope="col" { (fill(words.board, "").trim()) } th scope="col" { (words.white) } th scope="col" { (words.black) } th scope="col" { (words.result) } } }
                tbody { @for pairing in &round.pairings {
                    @let game = shown.iter().find(|shown| pairing.table.is_some_and(|table| table == shown.number));
                    tr {
                        th scope="row" { @match (pairing.table, game) {
                            (Some(table), Some(shown)) => { a href=(self.link(&shown.game_address())) { (table) } }
                            (Some(table), None) => { (table) }
                            (None, _) => { "–" }
                        } }
                        td { (name(section.player(pairing.white).map(short).as_deref())) }
                        td { (name(section.player(pairing.black).map(short).as_deref())) }
                        td.nw { @match (&pairing.points, game) {
                            (Some([white, black]), _) => { (white) "–" (black) }
                            (None, Some(shown)) => { (shown.game.result.as_deref().map_or_else(|| self.status(shown.game), score)) }
                            (None, None) => { (words.waiting) }
                        } }
                    }
                } }
            } }
        }
    }

    /// The matches of teams in a round.
    fn matches(&self, section: &PlannedSection, round: &PlannedRound) -> Markup {
        html! {
            div.tb tabindex="0" role="region" aria-label=(self.words().results) { table.st1 { tbody {
                @for [home, away] in section.matches(round) {
                    tr { th scope="row" { (name(Some(&short(&home.0)))) } td { (name(Some(&short(&away.0)))) } td.nw.sc { (home.1) "–" (away.1) } }
                }
            } } }
        }
    }

    /// One game, after so many entries; all of them if that is left out.
    pub fn game(&self, shown: ShownOnPage<'a>, at: Option<usize>) -> String {
        let all = shown.game.entries.len();
        let at = at.unwrap_or(all).min(all);
        let body = self.one(&shown, at);
        let title = fill(self.words().board, shown.number);
        let follows = shown.is_current().then_some(&*shown.board.name);
        self.page("game", follows, Some(shown.game_address()), &[shown], &title, body)
    }

    /// The board by itself, for a page of somebody else.
    pub fn embed(&self, shown: ShownOnPage<'a>) -> String {
        let title = fill(self.words().board, shown.number);
        let body = html! {
            main #main .emb {
                (self.card(&shown, true))
                p.s { a href=(self.link(&shown.address())) target="_blank" rel="noopener" { (self.words().to_page) } }
            }
        };
        self.framed(Frame::Embed, "grid", Some(&shown.board.name), None, &[shown], &title, body)
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
            @if names.is_empty() { p { (words.none_over) } } @else {
                div.tb tabindex="0" role="region" aria-label=(words.games) { table.st1 {
                    thead { tr { th scope="col" { (fill(words.board, "").trim()) } th scope="col" { (words.white) } th scope="col" { (words.black) } th scope="col" { (words.result) } th scope="col" { "PDN" } } }
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
        self.page("list", None, None, &self.current(), words.games, body)
    }

    /// The results of all games, round by round; and the standings where the outlet has them.
    pub fn standings(&self, table: Option<&Value>) -> String {
        let words = self.words();
        let games = self.all_games();
        let open = games.iter().filter(|shown| shown.is_current() && shown.game.result.is_none()).count();
        let all_rounds = self.rounds();
        let mut rounds: Vec<Option<&str>> = all_rounds.iter().map(|round| Some(round.as_str())).collect();
        rounds.push(None);
        let body = html! {
            div.hd { h2 { (words.standings) } @if open > 0 { p { span.prov { b { (self.language.count(words.provisional, open)) } } } } }
            @match table.and_then(|table| table["sections"].as_array()) {
                Some(sections) => { @for section in sections {
                    @if let Some(name) = section["section"].as_str().filter(|name| !name.is_empty()) { h3 { (self::name(Some(&short(name)))) } }
                    @let planned = self.plan.sections.iter().find(|planned| section["section"] == planned.name.as_str());
                    @for kind in ["teams", "rows"] {
                        @let rows = standings_rows(&section[kind]);
                        @if !rows.is_empty() { (self.table(&rows, planned.filter(|_| kind == "rows"))) }
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
                        thead { tr { th scope="col" { (fill(words.board, "").trim()) } th scope="col" { (words.white) } th scope="col" { (words.black) } th scope="col" { (words.result) } } }
                        tbody { @for shown in of_round { tr {
                            th scope="row" { a href=(self.link(&shown.game_address())) { (shown.number) } }
                            (self.row_of(shown))
                        } } }
                    } }
                }
            }
        };
        self.page("list", None, None, &self.current(), words.standings, body)
    }

    /// There is no such page.
    pub fn not_found(&self) -> String {
        let words = self.words();
        let body =
            html! { div.hd { h2 { "404" } p { (words.not_found) } } p { a href=(self.link("/")) { (words.boards) } } };
        self.page("list", None, None, &self.current(), "404", body)
    }

    fn all_games(&self) -> Vec<ShownOnPage<'a>> {
        let all = self.hall.boards();
        let games =
            all.iter().flat_map(|(number, board)| board.games.iter().map(move |game| (*number, *board, &**game)));
        games.map(|(number, board, game)| ShownOnPage { number, board, game }).collect()
    }

    fn row_of(&self, shown: &ShownOnPage<'_>) -> Markup {
        html! {
            @for color in Color::BOTH { td { (name(shown.player(color).name.as_deref())) } }
            td.nw { (shown.game.result.as_deref().map_or_else(|| self.status(shown.game), score)) }
        }
    }

    /// Who stands where; of players also whom they met, round by round.
    fn table(&self, rows: &[StandingsRow], section: Option<&PlannedSection>) -> Markup {
        let words = self.words();
        let rounds: &[PlannedRound] = section.map_or(&[], |section| &section.rounds);
        let rank = |id: u64| rows.iter().find(|row| row.id == Some(id)).map_or("–", |row| row.texts[0].as_str());
        html! {
            div.tb tabindex="0" role="region" aria-label=(words.standings) { table.st1 {
                thead { tr {
                    th scope="col" { (words.rank) } th scope="col" { (words.name) } th scope="col" { (words.points) } th scope="col" { (words.played) }
                    @for round in rounds { th scope="col" { span.vh { (fill(words.round, "").trim()) " " } (round.number) } }
                } }
                tbody { @for row in rows {
                    @let [place, player, points, games] = &row.texts;
                    tr {
                        td.pl1 { (place) } th scope="row" { (name(Some(player))) } td.sc { (points) } td { (games) }
                        @for cell in section.zip(row.id).map(|(section, id)| section.course(id)).unwrap_or_default() {
                            td.nw { @match cell {
                                // 3□2: against the third, with White, two points.
                                Some(cell) => { (rank(cell.opponent)) @if cell.is_white { "□" span.vh { " " (words.white) " " } } @else { "■" span.vh { " " (words.black) " " } } (cell.points.unwrap_or("·")) }
                                None => { "–" }
                            } }
                        }
                    }
                } }
            } }
        }
    }

    // The parts of a page.

    /// The name of what is played, and its round.
    fn title(&self, shown: &[ShownOnPage<'_>]) -> Markup {
        let tag = |name| shown.iter().find_map(|shown| shown.game.tag(name)).map(short);
        let event = tag("Event").unwrap_or(Cow::Borrowed(self.words().untitled));
        html! { bdi { (event) } @if let Some(round) = tag("Round") { " " span { bdi { (fill(self.words().round, round)) } } } }
    }

    fn page(
        &self,
        kind: &str,
        follows: Option<&str>,
        game: Option<String>,
        shown: &[ShownOnPage<'_>],
        title: &str,
        body: Markup,
    ) -> String {
        let words = self.words();
        let rounds = self.rounds();
        let here = |address: &str| (self.path == address).then_some("page");
        let site = shown.iter().find_map(|shown| shown.game.tag("Site")).map(short);
        let body = html! {
            a.skip href="#main" { (words.skip) }
            header.wrap {
                div.mast {
                    div { h1 { (self.title(shown)) } @if let Some(site) = site { p.meta { bdi { (site) } } } }
                    p.live #live { span #state { (words.live) } " " time #time {} }
                }
                nav.nav aria-label=(words.pages) {
                    a href=(self.link("/")) aria-current=[here("/").or((kind == "game").then_some("page"))] { (words.boards) }
                    a href=(self.link("/standings")) aria-current=[here("/standings")] { (words.standings) }
                    @if rounds.len() > 1 { @for round in rounds.iter().take(30) {
                        @let address = format!("/round/{}", escaped(round));
                        a href=(self.link(&address)) aria-current=[here(&address)] { (fill(words.round, short(round))) }
                    } }
                    a href=(self.link("/archive")) aria-current=[here("/archive")] { (words.games) }
                    span.sp {}
                    @for language in Language::ALL {
                        a href=(format!("{}?lang={}", self.path, language.code())) lang=(language.code()) hreflang=(language.code())
                            aria-current=[(language == self.language).then_some("true")] { (language.code().to_uppercase()) }
                    }
                }
            }
            p #banner .banner role="status" hidden {}
            main #main .wrap { (body) }
            footer.wrap { div.foot { span { (words.files) ": " a href="/games.pdn" { "games.pdn" } " · " a href="/events.ndjson" { "events.ndjson" } } } }
        };
        self.framed(Frame::Page, kind, follows, game, shown, title, body)
    }

    #[allow(clippy::too_many_arguments)]
    fn framed(
        &self,
        frame: Frame,
        kind: &str,
        follows: Option<&str>,
        game: Option<String>,
        shown: &[ShownOnPage<'_>],
        title: &str,
        body: Markup,
    ) -> String {
        let words = self.words();
        let said = json!({
            "board": words.board, "white": words.white, "black": words.black, "men": words.men, "kings": words.kings, "none": words.none,
            "whiteToMove": words.white_to_move, "blackToMove": words.black_to_move, "start": words.start, "setup": words.setup,
            "likely": words.likely, "live": words.live, "copied": words.copied,
            "over": words.over, "overAfter": [words.over_after.one, words.over_after.few, words.over_after.many],
            "unclear": words.unclear, "unclearFirst": words.unclear_first, "stopped": words.stopped, "silent": words.silent,
            "silentFor": words.silent_for, "playing": words.playing, "waiting": words.waiting, "gone": words.gone, "again": words.again,
            "stored": [words.stored.one, words.stored.few, words.stored.many], "connecting": words.connecting,
            "sayMove": words.say_move, "sayCapture": words.say_capture,
        });
        let theme = match frame {
            Frame::Wall { is_light: false } => Some("dark"),
            Frame::Wall { is_light: true } => Some("light"),
            Frame::Page | Frame::Embed => None,
        };
        let class = match frame {
            Frame::Wall { .. } => Some("wall"),
            Frame::Embed => Some("embed"),
            Frame::Page => None,
        };
        let variants = shown.iter().filter_map(|shown| shown.game.variant);
        let page = html! {
            (DOCTYPE)
            html lang=(self.language.code()) data-theme=[theme] class=[class] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    title { (title) @if let Some(event) = shown.iter().find_map(|shown| shown.game.tag("Event")) { " · " (short(event)) } }
                    link rel="stylesheet" href=(self.assets.style());
                    link rel="icon" href="data:,";
                    script type="module" src=(self.assets.script()) {}
                    noscript { meta http-equiv="refresh" content=(REFRESH); }
                }
                body data-kind=(kind) data-id=(self.hall.id()) data-heard=(self.hall.heard) data-follows=[follows] data-game=[game]
                    data-words=(said.to_string()) {
                    (diagram::definitions(variants))
                    (body)
                }
            }
        };
        page.into_string()
    }

    /// All boards at a glance.
    fn men(&self, shown: &[ShownOnPage<'_>]) -> Markup {
        html! {
            @if shown.len() > 1 {
                nav.men aria-label=(self.words().boards) {
                    @for shown in shown {
                        a class=(state_class(shown.game)) href=(self.link(&shown.address())) data-board=(shown.board.name) {
                            b { (shown.number) } span.vh { " " (self.status(shown.game)) }
                        }
                    }
                }
            }
        }
    }

    fn cards(&self, shown: &[ShownOnPage<'_>]) -> Markup {
        html! {
            @if shown.is_empty() { p.q { (self.words().nothing_yet) } }
            ul.grid data-count=(shown.len().min(16)) { @for shown in shown { li { (self.card(shown, false)) } } }
        }
    }

    /// A board of the grid.
    fn card(&self, shown: &ShownOnPage<'_>, is_alone: bool) -> Markup {
        let words = self.words();
        let game = shown.game;
        let players = Color::BOTH.map(|color| shown.player(color));
        let named =
            |index: usize| players[index].name.clone().unwrap_or(Cow::Borrowed([words.white, words.black][index]));
        let label = format!("{}: {}, {}. {}", fill(words.board, shown.number), named(0), named(1), self.status(game));
        html! {
            article class=(format!("g {}", state_class(game))) data-board=(shown.board.name) data-game=(game.number)
                data-count=(game.entries.len()) data-current=[shown.is_current().then_some("1")] data-word=(game.word()) {
                div.top {
                    h2 { a href=(self.link(&shown.address())) { span.vh { (fill(words.board, "").trim()) " " } (shown.number) span.vh { ": " bdi { (named(0)) } ", " bdi { (named(1)) } } } }
                    p.st { (self.status(game)) }
                }
                (self.player(shown, Color::Black, "pl bk"))
                div.bwrap { (self.drawing(game, game.entries.len(), is_alone, &label)) }
                (self.player(shown, Color::White, "pl wh"))
            }
        }
    }

    fn player(&self, shown: &ShownOnPage<'_>, color: Color, class: &str) -> Markup {
        let words = self.words();
        let player = shown.player(color);
        let (piece, side, word) =
            if color == Color::White { ("#w", "white", words.white) } else { ("#b", "black", words.black) };
        html! {
            div class=(class) {
                svg.pc viewBox="-5 -5 10 10" aria-hidden="true" { use href=(piece) {} }
                span.nm1 { span.vh { (word) ": " } (name(Some(player.name.as_deref().unwrap_or(word)))) }
                span.mt { bdi { (player.meta.join(" ")) } }
                (self.clock(shown.game, color, side))
            }
        }
    }

    /// A clock as it was read; a script counts on. In its place, when the game is over, the points.
    fn clock(&self, game: &ShownGame, color: Color, side: &str) -> Markup {
        if let Some(result) = &game.result {
            let points = points(result, color);
            return html! { span.ck.pt.l[points == "0"] data-side=(side) { (points) } };
        }
        let is_running = game.clock.and_then(|clock| clock.running) == Some(color) && !game.is_ended;
        let seconds = game.clock.and_then(|clock| seconds(&clock, color));
        html! {
            span.ck.run[is_running && game.state == PlayState::Playing].old[game.state == PlayState::Silent].low[seconds.is_some_and(|seconds| seconds < 60)]
                data-side=(side) data-seconds=[seconds] data-running=[is_running.then_some("1")]
                data-heard=[game.clock.map(|clock| clock.heard)] { time { (time(seconds)) } }
        }
    }

    fn drawing(&self, game: &ShownGame, at: usize, is_large: bool, label: &str) -> Markup {
        let Some((variant, diagram)) = game.variant.zip(game.diagram(at)) else {
            return html! { p.q { (self.words().unclear_first) } };
        };
        let ply = at.checked_sub(1).and_then(|index| game.entries.get(index)?.ply.as_ref());
        let (path, captured) = ply.map_or((&[][..], &[][..]), |ply| (&ply.path, &ply.captured));
        diagram::draw(variant, &Drawing { pieces: &diagram.pieces, path, captured, is_large, label })
    }

    /// What happens on a board, in a few words.
    fn status(&self, game: &ShownGame) -> String {
        let words = self.words();
        let last = game.entries.iter().rev().find_map(|entry| entry.ply.as_ref()).map(|_| self.last(game));
        let moves = game.entries.iter().filter_map(|entry| entry.ply.as_ref()).map(|ply| ply.number).max().unwrap_or(0);
        match game.word() {
            "over" | "ended" if moves > 0 => self.language.count(words.over_after, moves as usize),
            "over" | "ended" => words.over.to_owned(),
            "unclear" => last.map_or_else(|| words.unclear_first.to_owned(), |last| fill(words.unclear, last)),
            "silent" => words.silent.to_owned(),
            "stopped" => words.stopped.to_owned(),
            _ => last.unwrap_or_else(|| words.playing.to_owned()),
        }
    }

    /// The last move with its number: `31. 34-29`, `30. … 25×34`.
    fn last(&self, game: &ShownGame) -> String {
        game.entries.last().map_or_else(String::new, |entry| self.entry_text(entry))
    }

    fn entry_text(&self, entry: &ShownEntry) -> String {
        match &entry.ply {
            None => self.words().setup.to_owned(),
            Some(ply) if ply.side == Color::White => format!("{}. {}", ply.number, with_sign(&ply.text)),
            Some(ply) => format!("{}. … {}", ply.number, with_sign(&ply.text)),
        }
    }

    /// A board by itself.
    fn one(&self, shown: &ShownOnPage<'_>, at: usize) -> Markup {
        let words = self.words();
        let game = shown.game;
        let label = format!("{}. {}", fill(words.board, shown.number), self.status(game));
        let said = at
            .checked_sub(1)
            .and_then(|index| game.entries.get(index))
            .map_or_else(|| words.start.to_owned(), |entry| self.entry_text(entry));
        let diagram = game.diagram(at);
        let step = |to: Option<usize>| {
            self.link(&to.map_or_else(|| shown.address(), |to| format!("{}?ply={to}", shown.address())))
        };
        let button = |id: &str, sign: &str, label: &str, to: Option<usize>| {
            html! { a.btn id=(id) href=(step(to)) aria-label=(label) title=(label) { span aria-hidden="true" { (sign) } } }
        };
        html! {
            div class=(format!("two {}", state_class(game))) data-board=(shown.board.name) data-game=(game.number) data-count=(game.entries.len())
                data-current=[shown.is_current().then_some("1")] data-word=(game.word()) data-at=(at) {
                section.brd #board tabindex="0" aria-label=(fill(words.board, shown.number)) {
                    h2.vh { (fill(words.board, shown.number)) }
                    div.top { span.no { (fill(words.board, shown.number)) } p.st { (self.status(game)) } }
                    (self.player(shown, Color::Black, "plb bk"))
                    div.bwrap { (self.drawing(game, at, true, &label)) }
                    (self.player(shown, Color::White, "plb wh"))
                    p.now { b #now { (said) } " " span #likely { @if at == game.entries.len() && !game.likely.is_empty() { (fill(words.likely, game.likely.join(" "))) } } }
                    p.vh #say aria-live="polite" {}
                    div.ctl {
                        (button("first", "|◀", words.first, Some(0)))
                        (button("back", "◀", words.back, Some(at.saturating_sub(1))))
                        (button("on", "▶", words.on, Some((at + 1).min(game.entries.len()))))
                        (button("last", "▶|", words.last, Some(game.entries.len())))
                        a.btn.lv #golive href=(step(None)) { (words.live) }
                    }
                }
                section.mvs aria-labelledby="mh" {
                    h2 #mh { (words.moves) }
                    div.scr tabindex="0" role="region" aria-label=(words.moves) { table.sheet #moves {
                        thead { tr { th { span.vh { (words.a_move) } } th scope="col" { (words.white) } th scope="col" { (words.black) } } }
                        tbody data-start=[game.start.as_ref().map(|start| &start.pieces)] data-turn=[game.start.as_ref().and_then(|start| start.turn).map(letter)] { (self.rows(shown, at)) }
                    } }
                }
                section.side {
                    div.txt { h3 { (words.position) } dl #text { (self.position_text(game, at)) }
                        p.q #tomove { (match diagram.and_then(|diagram| diagram.turn) { Some(Color::White) => words.white_to_move, Some(Color::Black) => words.black_to_move, None => "" }) } }
                    div.acts.noprint {
                        a.btn #pdn href=(format!("{}.pdn", shown.game_address())) { (words.copy_pdn) }
                        button.btn #fen type="button" hidden data-fen=[at.checked_sub(1).map(|index| game.entries[index].fen.as_str())] { (words.copy_fen) }
                        a.btn #link href=(step(Some(at))) { (words.link) }
                        button.btn #turnboard type="button" hidden { (words.turn) }
                    }
                    p.keys.noprint hidden { span { kbd { "←" } " " kbd { "→" } " " (words.key_move) } span { kbd { "Home" } " " kbd { "End" } " " (words.key_ends) } span { kbd { "L" } " " (words.live) } span { kbd { "F" } " " (words.turn) } }
                }
            }
        }
    }

    /// The rows of the list of moves.
    fn rows(&self, shown: &ShownOnPage<'_>, at: usize) -> Markup {
        let game = shown.game;
        let cell = |index: usize, entry: &ShownEntry| {
            let ply = entry.ply.as_ref();
            let list = |fields: &[usize]| fields.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let diagram = entry.after.as_ref();
            let clock = entry.clock.and_then(|clock| seconds(&clock, ply?.side));
            html! {
                a href=(self.link(&format!("{}?ply={index}", shown.address()))) data-at=(index) data-pieces=[diagram.map(|diagram| &diagram.pieces)]
                    data-turn=[diagram.and_then(|diagram| diagram.turn).map(letter)]
                    data-path=[ply.map(|ply| list(&ply.path))] data-captured=[ply.filter(|ply| !ply.captured.is_empty()).map(|ply| list(&ply.captured))]
                    data-fen=(entry.fen) data-said=(self.entry_text(entry)) aria-current=[(index == at).then_some("true")] {
                    (ply.map_or_else(|| self.words().setup.to_owned(), |ply| with_sign(&ply.text)))
                    @if entry.is_typed { small title=(self.words().typed) { "*" span.vh { " " (self.words().typed) } } }
                    @if let Some(clock) = clock { small { (time(Some(clock))) } }
                }
            }
        };
        let mut rows: Vec<(String, [Option<Markup>; 2], bool)> = Vec::new();
        for (entry, index) in game.entries.iter().zip(1..) {
            match &entry.ply {
                None => rows.push((String::new(), [Some(cell(index, entry)), None], true)),
                Some(ply) => {
                    let number = ply.number.to_string();
                    let side = ply.side.index();
                    match rows.last_mut() {
                        Some((same, cells, false)) if *same == number && cells[side].is_none() && (side == 1) => {
                            cells[side] = Some(cell(index, entry))
                        }
                        _ => {
                            let mut cells = [None, None];
                            cells[side] = Some(cell(index, entry));
                            rows.push((number, cells, false));
                        }
                    }
                }
            }
        }
        html! {
            @for (number, [white, black], is_setup) in rows {
                @if is_setup { tr.set { th {} td colspan="2" { (white.unwrap_or_default()) } } }
                @else { tr data-number=(number) { th scope="row" { (number) } td { @if let Some(cell) = white { (cell) } } td { @if let Some(cell) = black { (cell) } } } }
            }
        }
    }

    fn position_text(&self, game: &ShownGame, at: usize) -> Markup {
        let words = self.words();
        let Some((variant, diagram)) = game.variant.zip(game.diagram(at)) else { return html! {} };
        html! {
            @for (side, man, king) in [(words.white, b'w', b'W'), (words.black, b'b', b'B')] {
                dt { (side) }
                dd {
                    @let men = listed(variant, &diagram.pieces, man);
                    @let kings = listed(variant, &diagram.pieces, king);
                    @if men.is_empty() && kings.is_empty() { (words.none) }
                    @if !men.is_empty() { (words.men) " " (men) }
                    @if !men.is_empty() && !kings.is_empty() { "; " }
                    @if !kings.is_empty() { (words.kings) " " (kings) }
                }
            }
        }
    }
}

/// The names of the fields on which a kind of piece stands.
fn listed(variant: &Variant, pieces: &str, letter: u8) -> String {
    let names = diagram::names(variant);
    let there = names.iter().zip(pieces.bytes()).filter(|(_, piece)| *piece == letter);
    let mut there: Vec<&str> = there.map(|(name, _)| *name).collect();
    there.sort_by_key(|name| (name.parse::<u32>().unwrap_or(0), *name));
    there.join(", ")
}

/// A row of `standings.json`.
struct StandingsRow {
    id: Option<u64>,
    /// Rank, name, points, games.
    texts: [String; 4],
}

/// Rows of `standings.json`. None where there are none.
fn standings_rows(rows: &Value) -> Vec<StandingsRow> {
    let text = |row: &Value, keys: &[&str]| match keys.iter().find_map(|key| row.get(key)) {
        Some(Value::String(text)) => short(text).into_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let keys: [&[&str]; 4] = [&["rank"], &["name"], &["points", "match_points"], &["games", "played"]];
    let row = |row: &Value| StandingsRow { id: row["id"].as_u64(), texts: keys.map(|keys| text(row, keys)) };
    rows.as_array().into_iter().flatten().map(row).collect()
}

/// How a rule above a board is drawn.
fn state_class(game: &ShownGame) -> &'static str {
    match game.word() {
        "over" | "ended" => "s-over",
        "unclear" => "s-doubt",
        "silent" => "s-off",
        _ => "s-play",
    }
}

fn letter(color: Color) -> &'static str {
    if color == Color::White { "w" } else { "b" }
}

fn seconds(clock: &ShownClock, color: Color) -> Option<u32> {
    if color == Color::White { clock.white } else { clock.black }
}

/// Hours, minutes, seconds; a clock that is not known never shows zero.
fn time(seconds: Option<u32>) -> String {
    let text = |seconds: u32| format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    seconds.map_or_else(|| "–:––:––".to_owned(), text)
}

/// A move as it is shown: captures with the sign of multiplication.
fn with_sign(text: &str) -> String {
    text.replace(['x', ':'], "×")
}

/// A result as it is shown.
fn score(result: &str) -> String {
    result.replace('-', "–")
}

/// What one side has of a result.
fn points(result: &str, color: Color) -> String {
    let mut sides = result.split('-');
    let (white, black) = (sides.next().unwrap_or_default(), sides.next());
    match black {
        Some(black) => if color == Color::White { white } else { black }.to_owned(),
        None => result.to_owned(),
    }
}

fn name(name: Option<&str>) -> Markup {
    html! { bdi { (name.unwrap_or("–")) } }
}

/// Not without end.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// A part of a path, as it stands in an address.
pub fn escaped(part: &str) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
