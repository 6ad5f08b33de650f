//! Tables of pairings, team matches and standings.

use std::collections::HashMap;

use draughts::Color;
use draughts_tournament::TieBreak;
use maud::{Markup, html};

use super::address::{PageKind, percent_encoded};
use super::players::{details_of, names_players};
use super::text::{name, score, truncated};
use super::{PageBuilder, PageGame};
use crate::web::plan::{
    self, PlannedPairing, PlannedRound, PlannedSection, RoundCell, StandingsRow, ViewerDeferral, ViewerReason, title,
};
use crate::web::state::ViewerGame;
use crate::web::texts::{PageTexts, fill};

impl<'a> PageBuilder<'a> {
    /// Renders the pairings of a round, with official points or the status of the game.
    pub(super) fn pairings(&self, section: &PlannedSection, round: &PlannedRound, shown: &[PageGame<'_>]) -> Markup {
        let texts = self.texts();
        let round_title = fill(texts.round, round.number);
        let title = title(&section.name).map_or(round_title.clone(), |section| format!("{section} · {round_title}"));
        let key = format!("{}-{}", percent_encoded(&section.name), round.number);
        let row = |index: usize, pairing: &PlannedPairing| {
            let game = self.game_of(pairing, shown);
            let players = Color::BOTH.map(|color| section.player(pairing.player(color)));
            let inputs = (pairing, players, game.map(|game| (self.digest(game), &game.board)));
            self.parts.leaf("tr", &format!("pairing-{key}-{index}"), inputs, || {
                html! { tr {
                    th.pl1 scope="row" { @match (pairing.table, game) {
                        (Some(table), Some(shown)) => { a href=(self.link(&shown.game_address())) { (table) } }
                        (Some(table), None) => { (table) }
                        (None, _) => { "–" }
                    } }
                    @for color in Color::BOTH { td { (self.planned_player(section, pairing.player(color))) } }
                    td.nw { (self.result_of_pairing(pairing, game)) }
                } }
            })
        };
        let is_link = !matches!(self.address.kind, PageKind::Round(_) | PageKind::EmbedRound(_));
        self.parts.part("div", &format!("pairings-{key}"), || html! { div {
            div.hd { h2 { @if is_link { a href=(self.link(&format!("/round/{}", round.number))) { bdi { (title) } } } @else { bdi { (title) } } } }
            @if !round.matches.is_empty() { (self.matches(section, round)) }
            div.tb tabindex="0" role="region" aria-label=(title) { table.st1 {
                thead { (self.headings_of_games()) }
                tbody { @for (index, pairing) in round.pairings.iter().enumerate() { (row(index, pairing)) } }
            } }
            @if !section.byes(round).is_empty() { p.bye { (texts.without_opponent) @for (index, player) in section.byes(round).into_iter().enumerate() {
                @if index > 0 { ", " } (self.player_link(section, player))
            } } }
        } })
    }

    /// Renders the headings of a table of games.
    pub(super) fn headings_of_games(&self) -> Markup {
        let texts = self.texts();
        html! { tr { th.pl1 scope="col" { (texts.board_heading) } @for text in [texts.white, texts.black] { th.gm scope="col" { (text) } } th scope="col" { (texts.result) } } }
    }

    /// Returns the official result of a pairing, else the result or the status of its game, else whether it is deferred.
    fn result_of_pairing(&self, pairing: &PlannedPairing, game: Option<&PageGame<'_>>) -> Markup {
        let texts = self.texts();
        match game.filter(|shown| pairing.points.is_none() && !shown.game.is_unstarted()) {
            Some(shown) => self.result_of_game(shown.game),
            None => html! { @match official_result(texts, pairing) {
                Some(result) if pairing.points.is_some() => { b { (result) } }
                later => { (later.as_deref().unwrap_or(texts.not_started)) }
            } },
        }
    }

    /// Renders the result of a game, else its status.
    fn result_of_game(&self, game: &ViewerGame) -> Markup {
        html! { @match self.result(game) {
            Some(result) => { b { (score(result)) } }
            // Browsers would break a move at its hyphen.
            None => { span.nw[game.state_str() == "playing"] { (self.status(game)) } }
        } }
    }

    /// Returns the number of pairings without official points whose game or micro-match is not over, and of those whose game is over but whose
    /// result is in no table; with a section, only of this section. If no round has begun, the games on the boards count.
    pub(super) fn open_pairings(&self, only: Option<&PlannedSection>) -> [usize; 2] {
        let games = self.games_by_pairing();
        let sections = self.view.plan.sections.iter();
        let sections = sections.filter(|section| only.is_none_or(|only| only.name == section.name));
        let begun: Vec<_> = sections.flat_map(|section| &section.rounds).filter(|round| round.has_begun()).collect();
        let mut counts = [0; 2];
        let mut count = |game: Option<&ViewerGame>, is_closed: bool| match game {
            // The next game of a micro-match may decide it.
            Some(game) if game.pairing.as_deref().is_some_and(plan::has_stage) => counts[0] += 1,
            // Its points are in the standings of the moment, until its round is closed.
            Some(game) if game.result.is_some() && !is_closed => {}
            Some(game) if game.has_ended() && !self.is_adjourned(game) => counts[1] += 1,
            _ => counts[0] += 1,
        };
        if begun.is_empty() && only.is_none() {
            let current = self.current();
            let games = current.iter().map(|shown| shown.game).filter(|game| self.is_of_event(game));
            games.for_each(|game| count(Some(game), false));
        }
        let is_open =
            |pairing: &&PlannedPairing| pairing.points.is_none() && pairing.white.is_some() && pairing.black.is_some();
        for round in begun {
            for pairing in round.pairings.iter().filter(is_open) {
                count(games.get(&*pairing.id).map(|shown| shown.game), round.is_closed());
            }
        }
        counts
    }

    /// Renders the team matches of a round: official scores, and those with the games that are over if they differ.
    pub(super) fn matches(&self, section: &PlannedSection, round: &PlannedRound) -> Markup {
        let texts = self.texts();
        let official = section.matches(round, &HashMap::new());
        let is_final = round.is_closed();
        let now = if is_final { official.clone() } else { section.matches(round, &self.unofficial_points(section)) };
        let differs = official != now;
        html! {
            div.tb tabindex="0" role="region" aria-label=(fill(texts.round, round.number)) { table.st1 {
                thead { tr {
                    th scope="colgroup" colspan="2" { (texts.team) } th.nw scope="col" { (texts.result) }
                    @if differs { th scope="col" { (texts.score_now) } }
                } }
                tbody { @for ([home, away], now) in official.iter().zip(&now) {
                    tr {
                        @for (team, _) in [home, away] { td { (name(Some(&truncated(team)))) } }
                        td.nw.sc[!differs] { @if round.has_begun() { (home.1) "–" (away.1) } @else { "–" } }
                        @if differs { td.nw.sc { (now[0].1) "–" (now[1].1) } }
                    }
                } }
            } }
        }
    }

    /// Renders the players of a game and the result of its pairing, or without a pairing its own, as cells of a table.
    pub(super) fn player_row(&self, shown: &PageGame<'_>, pairing: Option<&PlannedPairing>) -> Markup {
        let pages = self.player_pages(shown.game);
        html! {
            @for (color, page) in Color::BOTH.into_iter().zip(pages) {
                td { (self.linked_name(page.as_deref(), shown.player_tag(color, "").as_deref())) }
            }
            td.nw { @match pairing {
                Some(pairing) => { (self.result_of_pairing(pairing, Some(shown))) }
                None => { (self.result_of_game(shown.game)) }
            } }
        }
    }

    /// Finds the last game of a pairing: by its pairing, else by its number and players. Ignores games that are to be played again.
    pub(super) fn game_of<'g>(&self, pairing: &PlannedPairing, shown: &'g [PageGame<'a>]) -> Option<&'g PageGame<'a>> {
        let section = self.view.plan.pairing(&pairing.id).map(|(section, _)| section);
        let has_players = |game: &ViewerGame| section.is_some_and(|section| names_players(game, section, pairing));
        let of_number = |shown: &&PageGame<'_>| {
            shown.game.pairing.is_none() && pairing.table == Some(shown.number.number) && has_players(shown.game)
        };
        let id = |shown: &PageGame<'a>| Some(self.view.plan.id_of(shown.game.pairing.as_deref()?));
        let own = shown.iter().filter(|shown| shown.game.counts() && id(shown) == Some(&pairing.id));
        own.max_by_key(|shown| shown.game.first_line()).or_else(|| shown.iter().find(of_number))
    }

    /// Returns the pairing whose result a game decides; `None` if the pairing was played again later. `last`: the last game of each pairing.
    pub(super) fn decided_pairing(
        &self,
        shown: &PageGame<'_>,
        last: &HashMap<&str, PageGame<'_>>,
    ) -> Option<&'a PlannedPairing> {
        let (_, pairing) = self.view.pairing_of(shown.game)?;
        last.get(pairing.id.as_str()).is_some_and(|last| last.is_same(shown)).then_some(pairing)
    }

    /// Renders rows of standings, if there are some: those of the players of a section, or of teams; with rounds, also the games of each
    /// player. Each row is a part: a result changes few of them. `kind`: one word for the rows, with the name of their section.
    pub(super) fn table(
        &self,
        (kind, of): (&str, &str),
        rows: &[StandingsRow],
        section: Option<&PlannedSection>,
        has_rounds: bool,
    ) -> Markup {
        if rows.is_empty() {
            return html! {};
        }
        let texts = self.texts();
        let rounds: &[PlannedRound] = section.filter(|_| has_rounds).map_or(&[], |section| &section.rounds);
        let number = |id: u64| rows.iter().position(|row| row.id == Some(id)).map(|at| at + 1);
        let games = self.games_by_pairing();
        // If ranks are shared, a column shows the row numbers that identify opponents.
        let is_shared = has_rounds && rows.iter().zip(1_usize..).any(|(row, at)| row.rank != at.to_string());
        let has_board_points = rows.iter().any(|row| !row.board_points.is_empty());
        let ties: Vec<&str> = rows[0].tie_breaks.iter().map(|(name, _)| name.as_str()).collect();
        let key = format!("{kind}-{}", percent_encoded(of));
        let line = |row: &StandingsRow, at: usize| {
            let key = format!("row-{key}-{}", row.id.map_or_else(|| format!("n{at}"), |id| id.to_string()));
            let player = section.and_then(|section| Some((section, section.player(row.id)?)));
            let cells = section.zip(row.id).filter(|_| has_rounds).map(|(section, id)| section.player_rounds(id));
            self.parts.part("tr", &key, || html! { tr {
                @if is_shared { td.pl1 { (at) } }
                td.pl1 { (row.rank) }
                th scope="row" { @match player {
                    Some((section, player)) => {
                        (self.player_link(section, player))
                        @let details = details_of(section, player).join(" ");
                        @if !details.is_empty() { " " span.by.s { bdi { (details) } } }
                    }
                    None => { (name(Some(&truncated(&row.name)))) }
                } }
                td.sc { (row.points) }
                @if has_board_points { td { (row.board_points) } }
                td { (row.games) }
                @for (_, value) in &row.tie_breaks { td.rt { (value) } }
                @for cell in cells.unwrap_or_default() {
                    td.x { @match cell {
                        Some(cell) => { (self.crosstable_cell(&cell, cell.opponent.and_then(number), games.get(cell.pairing))) }
                        None => { span { "–" } }
                    } }
                }
            } })
        };
        self.parts.part("div", &format!("table-{key}"), || html! {
            div.tb tabindex="0" role="region" aria-label=(texts.standings) { table.st1 {
                thead { tr {
                    @if is_shared { th.pl1 scope="col" { "№" } }
                    th.pl1 scope="col" { (texts.rank) } th scope="col" { (texts.name) } th scope="col" { (texts.points) }
                    @if has_board_points { th scope="col" { (texts.board_points) } }
                    th scope="col" { (texts.played) }
                    @for tie in &ties { th.rt scope="col" { (TieBreak::from_name(tie).map_or("", TieBreak::heading)) } }
                    @for round in rounds { th.x scope="col" { span.vh { (texts.round_heading) " " } (round.number) } }
                } }
                tbody { @for (row, at) in rows.iter().zip(1..) { (line(row, at)) } }
            } }
        })
    }

    /// Renders a game in the row of a player: the row of the opponent, the colour, the points; a link to the game if it was recorded.
    fn crosstable_cell(&self, cell: &RoundCell<'_>, opponent: Option<usize>, game: Option<&PageGame<'a>>) -> Markup {
        let texts = self.texts();
        let (class, word) = if cell.is_white { ("dw", texts.white) } else { ("db", texts.black) };
        let content = html! {
            @if cell.reason == ViewerReason::Bye { (texts.bye) } @else {
                @match opponent { Some(number) => { (number) } None => { "–" } }
                i class=(class) {} span.vh { " " (word) " " }
            }
            b { (cell.points.unwrap_or("·")) }
            @match cell.reason {
                ViewerReason::Forfeit => { abbr title=(texts.forfeit) { "f" } }
                ViewerReason::NotPlayed => { abbr title=(texts.not_played) { "n" } }
                _ => {}
            }
        };
        html! { @match game {
            Some(game) => { a href=(self.link(&game.game_address())) { (content) } }
            None => { span { (content) } }
        } }
    }
}

/// Returns the words for the official result of a pairing, or for its deferral; `None` if it has neither.
pub(crate) fn official_result(texts: &PageTexts, pairing: &PlannedPairing) -> Option<String> {
    match (&pairing.points, pairing.later) {
        (Some([white, black]), _) => Some(match (pairing.reason, pairing.white, pairing.black) {
            (ViewerReason::Forfeit, ..) => format!("{white}–{black} ({})", texts.forfeit),
            (_, Some(_), None) => format!("{} {white}", texts.bye),
            (_, None, Some(_)) => format!("{} {black}", texts.bye),
            (ViewerReason::NotPlayed, ..) => format!("{white}–{black} ({})", texts.not_played),
            (ViewerReason::Played | ViewerReason::Bye, ..) => format!("{white}–{black}"),
        }),
        (None, ViewerDeferral::Postponed) => Some(texts.postponed.to_owned()),
        (None, ViewerDeferral::Adjourned) => Some(texts.adjourned.to_owned()),
        (None, ViewerDeferral::No) => None,
    }
}
