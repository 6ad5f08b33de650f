//! Boards in the grid, and single boards with the list of moves.

use std::borrow::Cow;
use std::sync::Arc;

use draughts::{Color, Variant};
use maud::{Markup, html};

use super::text::{name, points, truncated};
use super::{PageBuilder, PageGame};
use crate::web::diagram::{self, DiagramSpec};
use crate::web::state::{Diagram, PlayState, ViewerClock, ViewerEntry, ViewerGame, ViewerPly, WholeGame};
use crate::web::texts::fill;

impl<'a> PageBuilder<'a> {
    /// Renders all boards by number, each with its unstarted or current game.
    pub(super) fn boards(&self) -> Markup {
        let waiting = self.unstarted_games();
        let mut cards: Vec<(u64, Markup)> = waiting.iter().map(|one| (one.0, self.waiting_card(one))).collect();
        let current =
            self.current().into_iter().filter(|shown| waiting.iter().all(|(number, ..)| *number != shown.number));
        cards.extend(current.map(|shown| (shown.number, self.card(&shown, false))));
        cards.sort_by_key(|(number, _)| *number);
        html! {
            @if cards.is_empty() { p.q { (self.texts().no_game_started) } }
            ul.grid data-count=(cards.len().min(16)) { @for (_, card) in cards { li { (card) } } }
        }
    }

    /// Renders the card of a board with an unstarted game.
    pub(super) fn waiting_card(&self, (number, before, game): &(u64, Option<&str>, &ViewerGame)) -> Markup {
        let texts = self.texts();
        let label = format!("{}. {}", fill(texts.board, number), texts.not_started);
        let player = |color: Color, class: &str| {
            let (piece, side, word) =
                if color == Color::White { ("#w", "White", texts.white) } else { ("#b", "Black", texts.black) };
            html! { div class=(class) {
                svg.pc viewBox="-5 -5 10 10" aria-hidden="true" { use href=(piece) {} }
                span.nm1 { span.vh { (word) ": " } (name(Some(&game.tag(side).map_or(Cow::Borrowed(word), truncated)))) }
            } }
        };
        html! {
            article.g.s-wait data-waits=(before.unwrap_or_default()) {
                div.top { h2 { a href=(self.link(&format!("/board/{number}"))) { span.vh { (texts.board_heading) " " } (number) } } p.st { (texts.not_started) } }
                (player(Color::Black, "pl bk"))
                div.bwrap { @if game.start_position.is_some() { (self.drawing(game.variant, game.start_position.as_ref(), None, false, &label)) } }
                (player(Color::White, "pl wh"))
            }
        }
    }

    /// Renders a link with the state for each board, if there are several.
    pub(super) fn overview(&self, shown: &[PageGame<'_>]) -> Markup {
        html! {
            @if shown.len() > 1 {
                nav.men aria-label=(self.texts().boards) {
                    @for shown in shown {
                        a class=(state_class(shown.game)) href=(self.link(&shown.address())) data-board=(shown.board.name) {
                            b { (shown.number) } span.vh { " " (self.status(shown.game)) }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn cards(&self, shown: &[PageGame<'_>]) -> Markup {
        html! {
            @if shown.is_empty() { p.q { (self.texts().no_game_started) } }
            ul.grid data-count=(shown.len().min(16)) { @for shown in shown { li { (self.card(shown, false)) } } }
        }
    }

    /// Renders the card of a board; a large diagram if `is_alone`.
    pub(super) fn card(&self, shown: &PageGame<'_>, is_alone: bool) -> Markup {
        let texts = self.texts();
        let game = shown.game;
        let players = Color::BOTH.map(|color| shown.player_label(color));
        let named =
            |index: usize| players[index].name.clone().unwrap_or(Cow::Borrowed([texts.white, texts.black][index]));
        let label = format!("{}: {}, {}. {}", fill(texts.board, shown.number), named(0), named(1), self.status(game));
        html! {
            article class=(format!("g {}", state_class(game))) data-board=(shown.board.name) data-game=(game.number)
                data-count=(game.summary.count) data-current=[shown.is_current().then_some("1")] data-word=(game.state_str()) {
                div.top {
                    h2 { a href=(self.link(&shown.address())) { span.vh { (texts.board_heading) " " } (shown.number) span.vh { ": " bdi { (named(0)) } ", " bdi { (named(1)) } } } }
                    p.st { (self.status(game)) }
                }
                (self.player_line(shown, Color::Black, "pl bk"))
                div.bwrap { (self.drawing(game.variant, game.diagram(), game.summary.last_ply(), is_alone, &label)) }
                (self.player_line(shown, Color::White, "pl wh"))
            }
        }
    }

    pub(super) fn player_line(&self, shown: &PageGame<'_>, color: Color, class: &str) -> Markup {
        let texts = self.texts();
        let player = shown.player_label(color);
        // A card has no room for it.
        let fmjd_id = player.fmjd_id.as_deref().filter(|_| class.starts_with("plb"));
        let (piece, side, word) =
            if color == Color::White { ("#w", "white", texts.white) } else { ("#b", "black", texts.black) };
        html! {
            div class=(class) {
                svg.pc viewBox="-5 -5 10 10" aria-hidden="true" { use href=(piece) {} }
                span.nm1 { span.vh { (word) ": " } (name(Some(player.name.as_deref().unwrap_or(word)))) }
                span.mt { bdi { (player.details.join(" ")) } @if let Some(id) = fmjd_id { " FMJD " (id) } }
                (self.clock(shown.game, color, side))
            }
        }
    }

    /// Renders the last reading of a clock, from which the script counts; the points if the game has a result.
    fn clock(&self, game: &ViewerGame, color: Color, side: &str) -> Markup {
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

    /// Draws a position after a move, if there was one.
    fn drawing(
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

    /// Returns a short status text.
    pub(super) fn status(&self, game: &ViewerGame) -> String {
        let texts = self.texts();
        let last = game.summary.last_number.map(|_| self.last_move(game));
        let moves = game.summary.highest_number;
        match game.state_str() {
            "over" | "ended" if moves > 0 => self.language.count(texts.over_after, moves as usize),
            "over" | "ended" => texts.over.to_owned(),
            "unclear" => last.map_or_else(|| texts.unclear_at_start.to_owned(), |last| fill(texts.unclear, last)),
            "silent" => texts.board_silent.to_owned(),
            "stopped" => texts.clocks_stopped.to_owned(),
            _ => last.unwrap_or_else(|| texts.playing.to_owned()),
        }
    }

    /// Returns the last entry with its number: `31. 34-29`, `30. … 25×34`.
    fn last_move(&self, game: &ViewerGame) -> String {
        game.summary.last.as_ref().map_or_else(String::new, |entry| self.entry_text(entry))
    }

    fn entry_text(&self, entry: &ViewerEntry) -> String {
        match &entry.ply {
            None => self.texts().set_up.to_owned(),
            Some(ply) if ply.side == Color::White => format!("{}. {}", ply.number, with_capture_sign(&ply.text)),
            Some(ply) => format!("{}. … {}", ply.number, with_capture_sign(&ply.text)),
        }
    }

    /// Renders a single board after the first `at` entries, with the list of moves.
    pub(super) fn single_board(&self, shown: &PageGame<'_>, whole: WholeGame<'_>, at: usize) -> Markup {
        let texts = self.texts();
        let WholeGame { game, entries, .. } = whole;
        let label = format!("{}. {}", fill(texts.board, shown.number), self.status(game));
        let entry = at.checked_sub(1).and_then(|index| entries.get(index));
        let said = entry.map_or_else(|| texts.game_start.to_owned(), |entry| self.entry_text(entry));
        let diagram = whole.diagram(at);
        let ply = entry.and_then(|entry| entry.ply.as_ref());
        let step = |to: Option<usize>| {
            self.link(&to.map_or_else(|| shown.address(), |to| format!("{}?ply={to}", shown.address())))
        };
        let button = |id: &str, sign: &str, label: &str, to: Option<usize>| {
            html! { a.btn id=(id) href=(step(to)) aria-label=(label) title=(label) { span aria-hidden="true" { (sign) } } }
        };
        html! {
            div class=(format!("two {}", state_class(game))) data-board=(shown.board.name) data-game=(game.number) data-count=(entries.len())
                data-current=[shown.is_current().then_some("1")] data-word=(game.state_str()) data-at=(at) {
                section.brd #board tabindex="0" aria-label=(fill(texts.board, shown.number)) {
                    h2.vh { (fill(texts.board, shown.number)) }
                    div.top { span.no { (fill(texts.board, shown.number)) } p.st { (self.status(game)) } }
                    (self.player_line(shown, Color::Black, "plb bk"))
                    div.bwrap { (self.drawing(game.variant, diagram, ply, true, &label)) }
                    (self.player_line(shown, Color::White, "plb wh"))
                    p.now { b #now { (said) } " " span #likely { @if at == entries.len() && !game.likely_moves.is_empty() { (fill(texts.likely, game.likely_moves.join(" "))) } } }
                    p.vh #say aria-live="polite" {}
                    div.ctl {
                        (button("first", "|◀", texts.first_position, Some(0)))
                        (button("back", "◀", texts.move_back, Some(at.saturating_sub(1))))
                        (button("on", "▶", texts.move_forward, Some((at + 1).min(entries.len()))))
                        (button("last", "▶|", texts.last_move, Some(entries.len())))
                        a.btn.lv #golive href=(step(None)) { (texts.live) }
                    }
                }
                section.mvs aria-labelledby="mh" {
                    h2 #mh { (texts.moves) }
                    div.scr tabindex="0" role="region" aria-label=(texts.moves) { table.sheet #moves {
                        thead { tr { th { span.vh { (texts.move_column) } } th scope="col" { (texts.white) } th scope="col" { (texts.black) } } }
                        tbody data-start=[game.start_position.as_ref().map(|start| &start.pieces)] data-turn=[game.start_position.as_ref().and_then(|start| start.turn).map(letter)] { (self.rows(shown, entries, at)) }
                    } }
                }
                section.side {
                    div.txt { h3 { (texts.position) } dl #text { (self.position_text(game.variant, diagram)) }
                        p.q #tomove { (match diagram.and_then(|diagram| diagram.turn) { Some(Color::White) => texts.white_to_move, Some(Color::Black) => texts.black_to_move, None => "" }) } }
                    div.acts.noprint {
                        a.btn #pdn href=(format!("{}.pdn", shown.game_address())) { (texts.copy_pdn) }
                        button.btn #fen type="button" hidden data-fen=[entry.map(|entry| entry.fen.as_str())] { (texts.copy_fen) }
                        a.btn #link href=(step(Some(at))) { (texts.link_to_move) }
                        button.btn #turnboard type="button" hidden { (texts.turn_board) }
                    }
                    p.keys.noprint hidden { span { kbd { "←" } " " kbd { "→" } " " (texts.move_key_hint) } span { kbd { "Home" } " " kbd { "End" } " " (texts.ends_key_hint) } span { kbd { "L" } " " (texts.live) } span { kbd { "F" } " " (texts.turn_board) } }
                }
            }
        }
    }

    /// Renders the rows of the list of moves.
    fn rows(&self, shown: &PageGame<'_>, entries: &[Arc<ViewerEntry>], at: usize) -> Markup {
        let cell = |index: usize, entry: &ViewerEntry| {
            let ply = entry.ply.as_ref();
            let list = |fields: &[usize]| fields.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let diagram = entry.position_after.as_ref();
            let clock = entry.clock.and_then(|clock| seconds(&clock, ply?.side));
            html! {
                a href=(self.link(&format!("{}?ply={index}", shown.address()))) data-at=(index) data-pieces=[diagram.map(|diagram| &diagram.pieces)]
                    data-turn=[diagram.and_then(|diagram| diagram.turn).map(letter)]
                    data-path=[ply.map(|ply| list(&ply.path))] data-captured=[ply.filter(|ply| !ply.captured.is_empty()).map(|ply| list(&ply.captured))]
                    data-fen=(entry.fen) data-said=(self.entry_text(entry)) aria-current=[(index == at).then_some("true")] {
                    (ply.map_or_else(|| self.texts().set_up.to_owned(), |ply| with_capture_sign(&ply.text)))
                    @if entry.is_typed { small title=(self.texts().from_score_sheet) { "*" span.vh { " " (self.texts().from_score_sheet) } } }
                    @if let Some(clock) = clock { small { (time(Some(clock))) } }
                }
            }
        };
        let mut rows: Vec<(String, [Option<Markup>; 2], bool)> = Vec::new();
        for (entry, index) in entries.iter().zip(1..) {
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

    fn position_text(&self, variant: Option<&Variant>, diagram: Option<&Diagram>) -> Markup {
        let texts = self.texts();
        let Some((variant, diagram)) = variant.zip(diagram) else { return html! {} };
        html! {
            @for (side, man, king) in [(texts.white, b'w', b'W'), (texts.black, b'b', b'B')] {
                dt { (side) }
                dd {
                    @let men = list_fields(variant, &diagram.pieces, man);
                    @let kings = list_fields(variant, &diagram.pieces, king);
                    @if men.is_empty() && kings.is_empty() { (texts.no_pieces) }
                    @if !men.is_empty() { (texts.men) " " (men) }
                    @if !men.is_empty() && !kings.is_empty() { "; " }
                    @if !kings.is_empty() { (texts.kings) " " (kings) }
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

/// Returns the CSS class of a game's state.
fn state_class(game: &ViewerGame) -> &'static str {
    match game.state_str() {
        "over" | "ended" => "s-over",
        "unclear" => "s-doubt",
        "silent" => "s-off",
        _ => "s-play",
    }
}

fn letter(color: Color) -> &'static str {
    if color == Color::White { "w" } else { "b" }
}

pub(super) fn seconds(clock: &ViewerClock, color: Color) -> Option<u32> {
    if color == Color::White { clock.white } else { clock.black }
}

/// Formats hours, minutes and seconds; dashes for an unknown time.
pub(super) fn time(seconds: Option<u32>) -> String {
    let text = |seconds: u32| format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    seconds.map_or_else(|| "–:––:––".to_owned(), text)
}

/// Replaces the sign of a capture, `x` or `:`, by `×`.
fn with_capture_sign(text: &str) -> String {
    text.replace(['x', ':'], "×")
}
