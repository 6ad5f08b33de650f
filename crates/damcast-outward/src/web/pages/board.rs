//! Boards in the grid, and single boards with the list of moves.

use std::sync::Arc;

use draughts::{Color, Variant};
use maud::{Markup, html};

use super::address::{BoardFilter, PageKind, percent_encoded};
use super::text::points;
use super::{LiveMode, PageBuilder, PageGame};
use crate::web::diagram::{self, DiagramSpec};
use crate::web::state::{Diagram, PlayState, ViewerEntry, ViewerGame, ViewerPly, WholeGame};
use crate::web::texts::fill;

impl<'a> PageBuilder<'a> {
    /// Renders boards by number; with a lead, the featured board, or the first one, large and before them.
    pub(super) fn boards(&self, boards: &[PageGame<'_>], has_lead: bool) -> Markup {
        let begun = || boards.iter().filter(|shown| !shown.game.is_unstarted());
        let featured = self.view.featured.as_deref();
        let awaited = featured.and_then(|which| self.awaited_game(which)).map(|shown| shown.number);
        let is_featured = |shown: &&PageGame<'_>| {
            let names = [&*shown.board, &self.view.hall.number_in_address(shown.number)];
            awaited == Some(shown.number) || featured.is_some_and(|which| names.contains(&which))
        };
        // A board that is free in this round still shows its last game.
        let is_of_current_round = self.is_of_current_round();
        let first = || begun().find(|shown| is_of_current_round(shown.game)).or(begun().next());
        let lead = boards.iter().find(is_featured).or_else(first);
        // Two boards stand side by side.
        let lead = lead.filter(|_| has_lead && boards.len() != 2).map(|shown| shown.number);
        let halls = &self.view.hall.halls;
        let has_headings = halls.len() > 1 && !matches!(self.address.kind, PageKind::Wall { .. });
        let mut order: Vec<_> = boards.iter().map(|shown| (lead != Some(shown.number), shown)).collect();
        order.sort_by_key(|(is_behind, shown)| (*is_behind, shown.number));
        let (mut list, mut last) = (Vec::new(), None);
        for (is_behind, shown) in order {
            // If there are several halls, a heading stands before the boards of each.
            let hall = halls.get(shown.number.hall).filter(|_| is_behind && has_headings);
            list.extend(hall.filter(|hall| last != Some(*hall)).map(|hall| self.hall_heading(hall)));
            last = hall;
            list.push(self.card_in_list(shown, !is_behind));
        }
        self.list_of_cards(list)
    }

    /// Returns the name of the hall of a board, if there are several.
    pub(super) fn hall_of(&self, shown: &PageGame<'_>) -> Option<&'a str> {
        self.view.hall.hall_name(shown.number).filter(|_| self.view.hall.halls.len() > 1)
    }

    /// Returns the time since which nothing is heard of a hall, in ms since 1970, unless the event is over.
    pub(super) fn away_since(&self, hall: &str) -> Option<i64> {
        self.view.hall.away_since(&format!("{hall}.")).filter(|_| !self.is_over())
    }

    /// Renders the name of a hall, and since when nothing is heard of it.
    fn hall_heading(&self, hall: &str) -> Markup {
        let (texts, name) = (self.texts(), percent_encoded(hall));
        let link = self.link(&format!("/?hall={name}"));
        let away_since = self.away_since(hall);
        self.parts.leaf("li", &format!("hall-{name}"), away_since, || {
            html! { li.hall data-silent-since=[away_since] {
                h2 { a href=(link) { bdi { (hall) } } }
                @if away_since.is_some() { p.st { (texts.board_silent) } }
                p.noprint { a href=(format!("/hall/{name}/games.pdn")) { "games.pdn" } }
            } }
        })
    }

    /// Whether a filter shows the game of a board.
    pub(super) fn is_wanted(&self, filter: &BoardFilter, shown: &PageGame<'_>) -> bool {
        match filter {
            BoardFilter::All => true,
            BoardFilter::Playing => self.is_being_played(shown.game) && self.is_of_event(shown.game),
            BoardFilter::Hall(hall) => self.view.hall.hall_name(shown.number) == Some(hall),
            BoardFilter::Section(wanted) => {
                let published = Color::BOTH.map(|color| self.published_player(shown, color));
                let mut players = self.planned_players(shown.game).into_iter().chain(published).flatten();
                players.next().is_some_and(|(section, _)| section.name == *wanted)
            }
        }
    }

    pub(super) fn list_of_cards(&self, cards: Vec<Markup>) -> Markup {
        // More boards are smaller, so that a screen shows as many of them.
        let size = match cards.len() {
            0..=12 => None,
            13..=80 => Some("many"),
            _ => Some("most"),
        };
        let list =
            || html! { ul.grid data-count=(cards.len().min(16)) data-size=[size] { @for card in &cards { (card) } } };
        html! {
            @if cards.is_empty() { p.none { (match &self.address.kind {
                PageKind::Boards(BoardFilter::Playing | BoardFilter::Hall(_) | BoardFilter::Section(_)) => self.texts().no_such_board,
                _ => self.texts().no_game_started,
            }) } (self.suggested_links()) }
            // The script shows this line if none of the boards is of a player whom the viewer has marked.
            @else if self.address.kind == PageKind::Boards(BoardFilter::All) { p.none #none-mine hidden { (self.texts().no_such_board) } }
            (self.parts.part("ul", "boards", list))
        }
    }

    /// Renders a link with the state for each board, if there are several, after the name of their hall.
    pub(super) fn overview(&self, boards: &[PageGame<'_>]) -> Markup {
        let link = |shown: &PageGame<'_>| {
            let key = format!("man-{}", self.key_of(shown));
            let inputs = (self.digest(shown), &shown.board, shown.game.number, shown.number, shown.is_current);
            self.parts.leaf("a", &key, inputs, || {
                html! {
                    a class=(self.state_class(shown.game)) href=(self.link(&shown.address())) {
                        b { (shown.number) } span.vh { " " (self.status(shown.game)) }
                    }
                }
            })
        };
        let hall = |of: &[PageGame<'_>]| {
            let name = self.hall_of(of.first()?)?;
            let key = format!("men-{}", percent_encoded(name));
            Some(self.parts.leaf("span", &key, name, || html! { span { bdi { (name) } } }))
        };
        let halls = || boards.chunk_by(|one, other| self.hall_of(one) == self.hall_of(other));
        let all = || html! { nav.men aria-label=(self.texts().boards) { @for of_hall in halls() { @if let Some(name) = hall(of_hall) { (name) } @for shown in of_hall { (link(shown)) } } } };
        html! { @if boards.len() > 1 { (self.parts.part("nav", "overview", all)) } }
    }

    /// Returns what identifies a board in a list. On the page of the boards it has one game, and the focus stays when the next one begins.
    fn key_of(&self, shown: &PageGame<'_>) -> String {
        match self.address.kind {
            PageKind::Boards(_) => percent_encoded(&self.view.hall.number_in_address(shown.number)).to_string(),
            _ => format!("{}-{}", percent_encoded(&shown.board), shown.game.number),
        }
    }

    /// Renders the card of a board as an item of a list.
    pub(super) fn card_in_list(&self, shown: &PageGame<'_>, is_leading: bool) -> Markup {
        let key = format!("card-{}", self.key_of(shown));
        let players = self.player_pages(shown.game);
        // A board without names shows the players of the published round.
        let published = Color::BOTH
            .map(|color| self.published_player(shown, color).map(|(section, player)| (&section.name, player)));
        // The card of a stored game shows no moves: memory does not have them.
        let has_moves = is_leading && shown.game.whole().is_some();
        let game = (&shown.board, shown.game.number, shown.number, shown.is_current);
        let inputs = (self.digest(shown), game, players, published, is_leading, has_moves);
        self.parts.leaf("li", &key, inputs, || html! { li.lead[is_leading] { (self.card(shown, is_leading)) } })
    }

    /// Renders the card of a board; with a large diagram and the last moves if `is_large`.
    pub(super) fn card(&self, shown: &PageGame<'_>, is_large: bool) -> Markup {
        let texts = self.texts();
        let game = shown.game;
        let [white, black] = Color::BOTH.map(|color| self.player_name(shown, color).unwrap_or(self.side(color).into()));
        let has_begun = !game.is_unstarted();
        let label = format!("{}: {white}, {black}. {}", self.board_title(shown.number), self.status(game));
        // Elsewhere the hall is the heading of its boards.
        let is_apart = is_large || matches!(self.address.kind, PageKind::Wall { .. });
        let hall = self.hall_of(shown).filter(|_| is_apart);
        html! {
            article class=(format!("g {}", self.state_class(game))) data-board=[has_begun.then_some(&shown.board)] data-game=[has_begun.then_some(game.number)]
                data-count=[has_begun.then_some(game.summary.count)] data-word=(game.state_str()) data-silent-since=[self.silent_since(game)] {
                div.top {
                    h2 { a href=(self.link(&shown.address())) { span.vh { (texts.board_heading) " " } (shown.number) @if let Some(hall) = hall { " " bdi { (hall) } } span.vh { ": " bdi { (white) } ", " bdi { (black) } } } }
                    p.st { (self.status(game)) }
                }
                (self.player_line(shown, Color::Black, "pl bk", None))
                div.bwrap { @if has_begun || game.start_position.is_some() { (self.drawing(game.variant, game.diagram(), game.summary.last_ply(), is_large, &label)) } }
                @if let Some(whole) = game.whole().filter(|_| is_large && has_begun) { (self.last_moves(game, whole.entries)) }
                (self.player_line(shown, Color::White, "pl wh", None))
            }
        }
    }

    /// Renders the last moves of a game on one line, oldest first.
    fn last_moves(&self, game: &ViewerGame, entries: &[Arc<ViewerEntry>]) -> Markup {
        let last = &entries[entries.len().saturating_sub(8)..];
        let text = |index: usize| {
            let number = |entry: &ViewerEntry| entry.ply.as_ref().map(|ply| ply.number);
            // The second move of a pair stands behind the first, which has the number.
            let is_pair = index.checked_sub(1).is_some_and(|before| number(&last[before]) == number(&last[index]));
            match &last[index].ply {
                Some(ply) if is_pair => with_capture_sign(&ply.text),
                _ => self.entry_text(game, &last[index]),
            }
        };
        html! { p.rec { @for index in 0..last.len() { span { (text(index)) } " " } } }
    }

    /// Renders a player with the clock. `before`: the entries before an earlier position; the clock after the last of them takes the place of
    /// the present one.
    pub(super) fn player_line(
        &self,
        shown: &PageGame<'_>,
        color: Color,
        class: &str,
        before: Option<&[Arc<ViewerEntry>]>,
    ) -> Markup {
        let (player, word) = (shown.player_tag(color, ""), self.side(color));
        let page = &self.player_pages(shown.game)[color.index()];
        // A card has no room for it.
        let fmjd_id = shown.player_tag(color, "FmjdId").filter(|_| class.starts_with("plb"));
        let details = self.player_details(shown, color).join(" ");
        html! {
            div class=(class) {
                (piece(color))
                span.nm1 { span.vh { (word) ": " } @match self.published_player(shown, color) {
                    Some((section, player)) => { (self.player_link(section, player)) }
                    None => { (self.linked_name(page.as_deref(), Some(player.as_deref().unwrap_or(word)))) }
                } }
                @if fmjd_id.is_some() || !details.is_empty() { span.mt { bdi { (details) } @if let Some(id) = fmjd_id { " FMJD " (id) } } }
                (self.clock(shown.game, color, before.is_some()))
                @if let Some(entries) = before {
                    span.ck.then { time { (time(entries.last().and_then(|entry| entry.clock?.seconds(color)))) } }
                }
            }
        }
    }

    /// Renders the last reading of a clock, from which the script counts; the points if the game has a result; nothing before the game begins.
    pub(super) fn clock(&self, game: &ViewerGame, color: Color, is_hidden: bool) -> Markup {
        // The page of a viewer's own line shows no clocks.
        if matches!(self.address.kind, PageKind::Trial { .. }) {
            return html! {};
        }
        let side = ["white", "black"][color.index()];
        if let Some(result) = self.result(game) {
            let points = points(result, color);
            return html! { span.ck.pt.l[points == "0"] data-side=(side) hidden[is_hidden] { (points) } };
        }
        if game.is_unstarted() {
            return html! {};
        }
        let is_running = game.clock.and_then(|clock| clock.running) == Some(color) && !game.is_ended;
        let seconds = game.clock_seconds(color);
        let is_silent = game.silent_since().is_some();
        html! {
            span.ck.run[is_running && game.state != PlayState::ClockStopped && !is_silent].old[is_silent].low[seconds.is_some_and(|seconds| seconds < 60)]
                data-side=(side) hidden[is_hidden] data-seconds=[seconds] data-running=[is_running.then_some("1")]
                data-heard=[game.clock.map(|clock| clock.heard)] { time { (time(seconds)) } }
        }
    }

    /// Draws a position after a move, if there was one.
    pub(super) fn drawing(
        &self,
        variant: Option<&Variant>,
        diagram: Option<&Diagram>,
        ply: Option<&ViewerPly>,
        is_large: bool,
        label: &str,
    ) -> Markup {
        let Some((variant, diagram)) = variant.zip(diagram) else {
            return html! { p.q { (self.texts().unclear_at_start) } };
        };
        let (path, captured) = ply.map_or((&[][..], &[][..]), |ply| (&ply.path, &ply.captured));
        diagram::draw(variant, &DiagramSpec { pieces: &diagram.pieces, path, captured, is_large, label })
    }

    /// Whether the arbiter still has to enter the result of a game that has ended. In a tournament, games of no pairing have none.
    fn awaits_result(&self, game: &ViewerGame) -> bool {
        !self.view.has_tournament() || self.view.pairing_of(game).is_some_and(|(_, pairing)| pairing.points.is_none())
    }

    /// Whether a game was interrupted, and continues on another day.
    pub(super) fn is_adjourned(&self, game: &ViewerGame) -> bool {
        self.view.plan.is_adjourned(game, &self.view.hall)
    }

    /// Returns the time since which nothing is heard of the board of a game, in ms since 1970; `None` for an adjourned game.
    pub(super) fn silent_since(&self, game: &ViewerGame) -> Option<i64> {
        game.silent_since().filter(|_| !self.is_adjourned(game))
    }

    /// Returns the CSS class of a game's state.
    pub(super) fn state_class(&self, game: &ViewerGame) -> &'static str {
        match game.state_str() {
            "waiting" => "s-wait",
            "over" => "s-over",
            "ended" if !self.is_adjourned(game) => "s-end",
            "unclear" => "s-doubt",
            "silent" if !self.is_adjourned(game) => "s-off",
            _ => "s-play",
        }
    }

    /// Whether a game goes on today.
    pub(super) fn is_being_played(&self, game: &ViewerGame) -> bool {
        game.is_on() && !self.is_adjourned(game)
    }

    /// Returns a short status text.
    pub(super) fn status(&self, game: &ViewerGame) -> String {
        let texts = self.texts();
        let last = game.summary.last.as_ref().filter(|_| game.summary.last_number.is_some());
        let last = last.map(|entry| self.entry_text(game, entry));
        let moves = game.summary.highest_number;
        match game.state_str() {
            "over" | "ended" if game.tag("Replayed").is_some() => texts.replayed.to_owned(),
            "waiting" => texts.not_started.to_owned(),
            "ended" if self.is_adjourned(game) => texts.adjourned.to_owned(),
            "ended" if self.awaits_result(game) => texts.waits_for_result.to_owned(),
            "over" | "ended" if moves > 0 => self.language().count(texts.over_after, moves as usize),
            "over" | "ended" => texts.over.to_owned(),
            _ if self.is_adjourned(game) => texts.adjourned.to_owned(),
            "unclear" => last.map_or_else(|| texts.unclear_at_start.to_owned(), |last| fill(texts.unclear, last)),
            "silent" => texts.board_silent.to_owned(),
            "stopped" => texts.clocks_stopped.to_owned(),
            _ => last.unwrap_or_else(|| texts.playing.to_owned()),
        }
    }

    /// Returns an entry with its number: `31. 34-29`, `30. … 25×34`.
    pub(super) fn entry_text(&self, game: &ViewerGame, entry: &ViewerEntry) -> String {
        match &entry.ply {
            None => self.texts().set_up.to_owned(),
            Some(ply) if ply.side == game.starter() => format!("{}. {}", ply.number, with_capture_sign(&ply.text)),
            Some(ply) => format!("{}. … {}", ply.number, with_capture_sign(&ply.text)),
        }
    }

    /// Renders a single board after the first `at` entries, with the list of moves.
    pub(super) fn single_board(&self, shown: &PageGame<'_>, whole: WholeGame<'_>, at: usize) -> Markup {
        let texts = self.texts();
        let WholeGame { game, entries, .. } = whole;
        let diagram = whole.diagram(at);
        let step = |to: usize| self.link(&format!("{}/{to}", shown.game_address()));
        let turn = diagram.and_then(|diagram| diagram.turn);
        html! {
            div class=(format!("two {}", self.state_class(game))) data-board=(shown.board) data-game=(game.number) data-count=(entries.len())
                data-word=(game.state_str()) data-result=[self.result(game)] data-address=(shown.game_address()) data-live=(self.link(&shown.address())) data-silent-since=[self.silent_since(game)] {
                (self.parts.part("section", "board", || self.board_section(shown, whole, at)))
                (self.parts.part("section", "moves", || html! { section.mvs aria-labelledby="mh" {
                    h2 #mh { (texts.moves) }
                    div.scr tabindex="0" role="region" aria-label=(texts.moves) { table.sheet #moves {
                        thead { tr { th { span.vh { (texts.move_column) } } @for color in [game.starter(), !game.starter()] { th scope="col" { (self.side(color)) } } } }
                        (self.parts.part("tbody", "rows", || html! {
                            tbody data-start=[game.start_position.as_ref().map(|start| &start.pieces)] data-fen=[whole.fen(0)] data-turn=[game.start_position.as_ref().and_then(|start| start.turn).map(|turn| turn.letter().to_ascii_lowercase())] { (self.rows(shown, game, entries, at)) }
                        }))
                    } }
                } }))
                (self.parts.part("section", "side", || html! { section.side {
                    (self.parts.part("div", "actions", || html! { div.acts.noprint {
                        // The file has the result.
                        @if !self.address.hides_results { a.btn #pdn href=(format!("{}.pdn", shown.game_address())) { (texts.copy_pdn) } }
                        button.btn #fen type="button" hidden data-fen=[whole.fen(at)] { (texts.copy_fen) }
                        a.btn #link href=(step(at)) { (texts.link_to_move) }
                        @if self.live != LiveMode::Files { a.btn.study #try hidden rel="nofollow" href=(self.link(&format!("{}/{at}/try/", shown.game_address()))) { (texts.try_it) } }
                        button.btn #turnboard type="button" hidden { (texts.turn_board) }
                        button.btn.study #sound type="button" hidden aria-pressed="false" { (texts.sound) }
                        span.play.study hidden {
                            button.btn #replay type="button" data-text=(texts.replay) { "▶ " (texts.replay) }
                            label.vh for="speed" { (texts.speed) }
                            select #speed { @for speed in [1, 2, 4, 8] { option value=(speed) { (speed) "×" } } }
                        }
                    } }))
                    p.keys.noprint hidden { span { kbd { "←" } " " kbd { "→" } " " (texts.move_key_hint) } span { kbd { "Home" } " " kbd { "End" } " " (texts.ends_key_hint) } span { kbd { "L" } " " (texts.live) } span { kbd { "F" } " " (texts.turn_board) } }
                    (self.parts.part("div", "text", || html! { div.txt {
                        h3 { (texts.position) } dl #text { (self.position_text(game.variant, diagram)) }
                        p.q #tomove { (match turn { Some(Color::White) => texts.white_to_move, Some(Color::Black) => texts.black_to_move, None => "" }) }
                    } }))
                } }))
            }
        }
    }

    /// Renders the board of a game after the first `at` entries, with its players and the buttons below.
    fn board_section(&self, shown: &PageGame<'_>, whole: WholeGame<'_>, at: usize) -> Markup {
        let texts = self.texts();
        let WholeGame { game, entries, .. } = whole;
        let entry = at.checked_sub(1).and_then(|index| entries.get(index));
        let said = entry.map_or_else(|| texts.game_start.to_owned(), |entry| self.entry_text(game, entry));
        let ply = entry.and_then(|entry| entry.ply.as_ref());
        let title = self.board_title(shown.number);
        let label = if at < entries.len() { said.clone() } else { format!("{title}. {}", self.status(game)) };
        let before = (at < entries.len()).then(|| &entries[..at]);
        let is_live = game.state_str() == "playing" && !self.is_adjourned(game) && !self.is_recorder_silent();
        // The board may play its next game.
        let live = format!("/board/{}", percent_encoded(&shown.board));
        let step = |to: usize| self.link(&format!("{}/{to}", shown.game_address()));
        let button = |id: &str, sign: &str, label: &str, to: usize| {
            html! { a.btn id=(id) href=(step(to)) aria-label=(label) title=(label) { span aria-hidden="true" { (sign) } } }
        };
        let likely = || html! { span #likely { @if at == entries.len() && !game.likely_moves.is_empty() { (fill(texts.likely, game.likely_moves.join(" "))) } } };
        html! {
            section.brd #board tabindex="0" aria-label=(title) {
                h2.vh { (title) }
                (self.parts.part("div", "status", || html! { div.top { span.no { (title) } p.st data-now=[is_live.then_some(texts.live_now)] { (self.status(game)) } } }))
                (self.parts.part("div", "black", || self.player_line(shown, Color::Black, "plb bk", before)))
                (self.parts.part("div", "position", || html! { div.bwrap { (self.drawing(game.variant, whole.diagram(at), ply, true, &label)) } }))
                (self.parts.part("div", "white", || self.player_line(shown, Color::White, "plb wh", before)))
                p.now { (self.parts.part("b", "said", || html! { b #now { (said) } })) " " (self.parts.part("span", "likely", likely)) }
                p.vh #say aria-live="polite" {}
                (self.parts.part("div", "controls", || html! { div.ctl {
                    (button("first", "|◀", texts.first_position, 0))
                    (button("back", "◀", texts.move_back, at.saturating_sub(1)))
                    (button("on", "▶", texts.move_forward, (at + 1).min(entries.len())))
                    (button("last", "▶|", texts.last_move, entries.len()))
                    a.btn.lv #golive href=(self.link(&live)) { (texts.live) }
                } }))
            }
        }
    }

    /// Renders the rows of the list of moves.
    fn rows(&self, shown: &PageGame<'_>, game: &ViewerGame, entries: &[Arc<ViewerEntry>], at: usize) -> Markup {
        let cell = |index: usize, entry: &ViewerEntry| {
            let ply = entry.ply.as_ref();
            let list = |fields: &[usize]| fields.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let diagram = entry.position_after.as_ref();
            let clock = entry.clock.and_then(|clock| clock.seconds(ply?.side));
            let clocks = entry.clock.map(|clock| {
                Color::BOTH
                    .map(|color| clock.seconds(color).map(|seconds| seconds.to_string()).unwrap_or_default())
                    .join(",")
            });
            html! {
                a href=(self.link(&format!("{}/{index}", shown.game_address()))) data-at=(index) data-pieces=[diagram.map(|diagram| &diagram.pieces)]
                    data-turn=[diagram.and_then(|diagram| diagram.turn).map(|turn| turn.letter().to_ascii_lowercase())]
                    data-path=[ply.map(|ply| list(&ply.path))] data-captured=[ply.filter(|ply| !ply.captured.is_empty()).map(|ply| list(&ply.captured))]
                    data-clocks=[clocks] data-fen=(entry.fen) data-said=(self.entry_text(game, entry)) aria-current=[(index == at).then_some("true")] {
                    (ply.map_or_else(|| self.texts().set_up.to_owned(), |ply| with_capture_sign(&ply.text)))
                    @if entry.is_typed { small title=(self.texts().from_score_sheet) { "*" span.vh { " " (self.texts().from_score_sheet) } } }
                    @if let Some(clock) = clock { small { (time(Some(clock))) } }
                }
            }
        };
        let all: Vec<(&ViewerEntry, usize)> = entries.iter().map(|entry| &**entry).zip(1..).collect();
        // The second move of a pair stands behind the first.
        let is_pair = |(one, _): &(&ViewerEntry, usize), (other, _): &(&ViewerEntry, usize)| {
            let plies = one.ply.as_ref().zip(other.ply.as_ref());
            plies.is_some_and(|(one, other)| {
                one.number == other.number && one.side == game.starter() && one.side != other.side
            })
        };
        html! {
            @for (pair, row) in all.chunk_by(is_pair).zip(1..) { (self.parts.part("tr", &format!("row-{row}"), || html! {
                @if let Some(ViewerPly { number, .. }) = pair[0].0.ply { tr { th scope="row" { (number) } @for side in [game.starter(), !game.starter()] {
                    td { @for (entry, index) in pair.iter().filter(|(entry, _)| entry.ply.as_ref().is_some_and(|ply| ply.side == side)) { (cell(*index, entry)) } }
                } } } @else { tr.set { th {} td colspan="2" { (cell(pair[0].1, pair[0].0)) } } }
            })) }
        }
    }

    fn position_text(&self, variant: Option<&Variant>, diagram: Option<&Diagram>) -> Markup {
        let texts = self.texts();
        let Some((variant, diagram)) = variant.zip(diagram) else { return html! {} };
        html! {
            @for (side, man, king) in [(texts.white, b'w', b'W'), (texts.black, b'b', b'B')] {
                dt { (side) }
                dd {
                    @let kinds = [(texts.men, man), (texts.kings, king)];
                    @let kinds = kinds.map(|(word, letter)| (word, list_fields(variant, &diagram.pieces, letter)));
                    @let there: Vec<String> = kinds.iter().filter(|(_, at)| !at.is_empty()).map(|(word, at)| format!("{word} {at}")).collect();
                    @if there.is_empty() { (texts.no_pieces) } @else { (there.join("; ")) }
                }
            }
        }
    }
}

/// Returns the names of the squares with pieces of one kind.
fn list_fields(variant: &Variant, pieces: &str, letter: u8) -> String {
    let names = diagram::names(variant);
    let there = names.iter().zip(pieces.bytes()).filter(|(_, piece)| *piece == letter);
    let mut there: Vec<&str> = there.map(|(name, _)| *name).collect();
    there.sort_by_key(|name| (name.parse::<u32>().unwrap_or(0), *name));
    there.join(", ")
}

/// Draws a man beside the name of a player.
pub(super) fn piece(color: Color) -> Markup {
    html! { svg.pc viewBox="-5 -5 10 10" aria-hidden="true" { use href=(["#w", "#b"][color.index()]) {} } }
}

/// Formats hours, minutes and seconds; dashes for an unknown time.
pub(super) fn time(seconds: Option<u32>) -> String {
    let text = |seconds: u32| format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    seconds.map_or_else(|| "–:––:––".to_owned(), text)
}

/// Replaces the sign of a capture, `x` or `:`, by `×`.
pub(super) fn with_capture_sign(text: &str) -> String {
    text.replace(['x', ':'], "×")
}
