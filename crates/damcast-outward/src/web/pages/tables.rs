//! Tables of pairings, team matches and standings.

use draughts::Color;
use maud::{Markup, html};

use super::text::{name, score, truncated};
use super::{PageBuilder, PageGame};
use crate::web::plan::{PlannedRound, PlannedSection, RoundCell, StandingsRow, ViewerDeferral, title};
use crate::web::texts::fill;

impl<'a> PageBuilder<'a> {
    /// Renders the pairings of a round, with official points or the status of the game.
    pub(super) fn pairings(&self, section: &PlannedSection, round: &PlannedRound, shown: &[PageGame<'_>]) -> Markup {
        let texts = self.texts();
        let title = format!("{} {}", title(&section.name).unwrap_or_default(), fill(texts.round, round.number));
        html! {
            div.hd { h2 { bdi { (title.trim()) } } }
            @if !section.matches(round).is_empty() { (self.matches(section, round)) }
            div.tb tabindex="0" role="region" aria-label=(title.trim()) { table.st1 {
                thead { tr { th scope="col" { (texts.board_heading) } th scope="col" { (texts.white) } th scope="col" { (texts.black) } th scope="col" { (texts.result) } } }
                tbody { @for pairing in &round.pairings {
                    @let game = shown.iter().find(|shown| shown.game.pairing.as_ref() == Some(&pairing.id))
                        .or_else(|| shown.iter().find(|shown| shown.game.pairing.is_none() && pairing.table == Some(shown.number.number)));
                    tr {
                        th scope="row" { @match (pairing.table, game) {
                            (Some(table), Some(shown)) => { a href=(self.link(&shown.game_address())) { (table) } }
                            (Some(table), None) => { (table) }
                            (None, _) => { "–" }
                        } }
                        @for color in Color::BOTH { td { (self.planned_player(section, pairing.player(color))) } }
                        td.nw { @match (&pairing.points, pairing.later, game) {
                            (Some([white, black]), ..) => { (white) "–" (black) }
                            (None, ViewerDeferral::Postponed, _) => { (texts.postponed) }
                            (None, ViewerDeferral::Adjourned, _) => { (texts.adjourned) }
                            (None, ViewerDeferral::No, Some(shown)) => { (self.result(shown.game).map_or_else(|| self.status(shown.game), score)) }
                            (None, ViewerDeferral::No, None) => { (texts.not_started) }
                        } }
                    }
                } }
            } }
            @if !section.byes(round).is_empty() { p.bye { (texts.without_opponent) @for (index, player) in section.byes(round).into_iter().enumerate() {
                @if index > 0 { ", " } (self.player_link(section, player))
            } } }
        }
    }

    /// Renders the team matches of a round.
    pub(super) fn matches(&self, section: &PlannedSection, round: &PlannedRound) -> Markup {
        html! {
            div.tb tabindex="0" role="region" aria-label=(self.texts().results) { table.st1 { tbody {
                @for [home, away] in section.matches(round) {
                    tr { th scope="row" { (name(Some(&truncated(&home.0)))) } td { (name(Some(&truncated(&away.0)))) } td.nw.sc { (home.1) "–" (away.1) } }
                }
            } } }
        }
    }

    pub(super) fn player_row(&self, shown: &PageGame<'_>) -> Markup {
        let pages = self.player_pages(shown.game);
        html! {
            @for (color, page) in Color::BOTH.into_iter().zip(pages) {
                td { (self.linked_name(page.as_deref(), shown.player_label(color).name.as_deref())) }
            }
            td.nw { (self.result(shown.game).map_or_else(|| self.status(shown.game), score)) }
        }
    }

    /// Renders rows of standings, if there are some; with a section, also the games of each player by round.
    pub(super) fn table(&self, rows: &[StandingsRow], section: Option<&PlannedSection>) -> Markup {
        if rows.is_empty() {
            return html! {};
        }
        let texts = self.texts();
        let rounds: &[PlannedRound] = section.map_or(&[], |section| &section.rounds);
        let number = |id: u64| rows.iter().position(|row| row.id == Some(id)).map(|at| at + 1);
        let games = self.games_by_pairing();
        // If ranks are shared, a column shows the row numbers that identify opponents.
        let is_shared = section.is_some() && rows.iter().zip(1_usize..).any(|(row, at)| row.rank != at.to_string());
        html! {
            div.tb tabindex="0" role="region" aria-label=(texts.standings) { table.st1 {
                thead { tr {
                    @if is_shared { th scope="col" { "№" } }
                    th scope="col" { (texts.rank) } th scope="col" { (texts.name) } th scope="col" { (texts.points) } th scope="col" { (texts.played) }
                    @for round in rounds { th.x scope="col" { span.vh { (texts.round_heading) " " } (round.number) } }
                } }
                tbody { @for (row, at) in rows.iter().zip(1..) {
                    tr {
                        @if is_shared { td.pl1 { (at) } }
                        td.pl1 { (row.rank) }
                        th scope="row" { @match section.and_then(|section| Some((section, section.player(row.id)?))) {
                            Some((section, player)) => { (self.player_link(section, player)) }
                            None => { (name(Some(&truncated(&row.name)))) }
                        } }
                        td.sc { (row.points) } td { (row.games) }
                        @for cell in section.zip(row.id).map(|(section, id)| section.player_rounds(id)).unwrap_or_default() {
                            td.x { @match cell {
                                Some(cell) => { (self.crosstable_cell(&cell, number(cell.opponent), games.get(cell.pairing))) }
                                None => { span { "–" } }
                            } }
                        }
                    }
                } }
            } }
        }
    }

    /// Renders a game in the row of a player: the row of the opponent, the colour, the points; a link to the game if it was recorded.
    fn crosstable_cell(&self, cell: &RoundCell<'_>, opponent: Option<usize>, game: Option<&PageGame<'a>>) -> Markup {
        let texts = self.texts();
        let (class, word) = if cell.is_white { ("dw", texts.white) } else { ("db", texts.black) };
        let content = html! {
            @match opponent { Some(number) => { (number) } None => { "–" } }
            i class=(class) {} span.vh { " " (word) " " }
            b { (cell.points.unwrap_or("·")) }
        };
        html! { @match game {
            Some(game) => { a href=(self.link(&game.game_address())) { (content) } }
            None => { span { (content) } }
        } }
    }
}
