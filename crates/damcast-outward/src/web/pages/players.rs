//! Pages of players, and links to them.

use std::borrow::Cow;
use std::collections::HashMap;

use draughts::Color;
use draughts_tournament::normalised;
use maud::{Markup, html};

use super::address::{PageKind, percent_encoded};
use super::frame::PageContent;
use super::text::{name, name_in_parts, truncated};
use super::{PageBuilder, PageGame};
use crate::web::plan::{
    PlannedPairing, PlannedPlayer, PlannedRound, PlannedSection, RoundCell, StandingsRow, ViewerDeferral, ViewerReason,
    title,
};
use crate::web::state::ViewerGame;
use crate::web::texts::fill;

/// Player with the section.
type SectionPlayer<'a> = (&'a PlannedSection, &'a PlannedPlayer);

impl<'a> PageBuilder<'a> {
    /// Returns the players of a game, White first: those of its pairing, else the only ones with these names.
    pub(super) fn planned_players(&self, game: &ViewerGame) -> [Option<SectionPlayer<'a>>; 2] {
        let named = |color: Color| game.tag(["White", "Black"][color.index()]);
        let Some((section, pairing)) = self.view.pairing_of(game) else {
            return Color::BOTH.map(|color| self.player_named(named(color)?));
        };
        let players = Color::BOTH.map(|color| section.player(pairing.player(color)));
        let [white, black] = players.map(|player| player.map(|player| player.name.as_str()));
        // The players of a micro-match change colours after a game.
        let is_swapped = white != black && [named(Color::White), named(Color::Black)] == [black, white];
        Color::BOTH.map(|color| Some((section, players[(if is_swapped { !color } else { color }).index()]?)))
    }

    /// Returns the player with a name, if there is only one.
    fn player_named(&self, name: &str) -> Option<SectionPlayer<'a>> {
        let sections = self.view.plan.sections.iter();
        let all = sections.flat_map(|section| section.players.iter().map(move |player| (section, player)));
        let mut named = all.filter(|(_, player)| player.name == name);
        named.next().filter(|_| named.next().is_none())
    }

    /// Returns the player of the only pairing of the board in a published round, if its unstarted game has no names. A section has no such round
    /// while another one of it is open.
    pub(super) fn published_player(&self, shown: &PageGame<'_>, color: Color) -> Option<SectionPlayer<'a>> {
        if !shown.game.is_unstarted() || ["White", "Black"].iter().any(|tag| shown.game.tag(tag).is_some()) {
            return None;
        }
        let board = &self.view.awaited.iter().find(|next| std::ptr::eq(&next.game, shown.game))?.board;
        let mut found = self.view.plan.sections.iter().filter_map(|section| {
            let next = section.rounds.iter().find(|round| !round.has_begun() && section.open_round.is_none())?;
            Some((section, next.pairings.iter().find(|pairing| pairing.board.as_ref() == Some(board))?))
        });
        let (section, pairing) = found.next().filter(|_| found.next().is_none())?;
        Some((section, section.player(pairing.player(color))?))
    }

    /// Returns title, federation, rating and team of a player: those of the game, else those of the published pairing of the board.
    pub(super) fn player_details(&self, shown: &PageGame<'a>, color: Color) -> Vec<Cow<'a, str>> {
        let published = || self.published_player(shown, color).map(|(section, player)| details_of(section, player));
        let tags = ["Title", "Country", "Rating", "Team"].into_iter();
        let details: Vec<_> = tags.filter_map(|tag| shown.player_tag(color, tag)).collect();
        if details.is_empty() { published().unwrap_or_default() } else { details }
    }

    /// Returns the name of a player: that of the game, else that of the published pairing of the board.
    pub(super) fn player_name(&self, shown: &PageGame<'a>, color: Color) -> Option<Cow<'a, str>> {
        let published = || Some(truncated(&self.published_player(shown, color)?.1.name));
        shown.player_tag(color, "").or_else(published)
    }

    /// Returns the addresses of the players' pages, White first; `None` for a player without one, and where a page has no room for links.
    pub fn player_pages(&self, game: &ViewerGame) -> [Option<String>; 2] {
        if self.address.kind.is_bare() {
            return [None, None];
        }
        self.planned_players(game).map(|player| player.and_then(|(section, player)| player_address(section, player)))
    }

    /// Renders a name as a link to the page of the player, if there is one. The screen at the wall leaves out given names without room.
    pub(super) fn linked_name(&self, page: Option<&str>, text: Option<&str>) -> Markup {
        let shown = match text {
            Some(text) if matches!(self.address.kind, PageKind::Wall { .. }) => name_in_parts(text),
            text => name(text),
        };
        html! { @match page {
            Some(page) => { a.pn href=(self.link(page)) { (shown) } }
            None => { (shown) }
        } }
    }

    /// Renders the name of a player as a link to the page of the player.
    pub(super) fn player_link(&self, section: &PlannedSection, player: &PlannedPlayer) -> Markup {
        self.linked_name(player_address(section, player).as_deref(), Some(&truncated(&player.name)))
    }

    /// Renders the button that marks a player as one of the viewer's. Only the script shows it: the browser keeps the players.
    fn star(&self, section: &PlannedSection, player: &PlannedPlayer) -> Markup {
        let label = self.texts().follow_player;
        html! { @if let Some(page) = player_address(section, player) {
            button.star type="button" hidden data-player=(page) aria-label=(fill(label, truncated(&player.name))) title=(fill(label, truncated(&player.name))) { "☆" }
        } }
    }

    /// Renders the player of a pairing.
    pub(super) fn planned_player(&self, section: &PlannedSection, id: Option<u64>) -> Markup {
        section.player(id).map_or_else(|| name(None), |player| self.player_link(section, player))
    }

    /// Returns the last game of each pairing, by the id of the pairing; none for a pairing that is to be played again.
    pub(super) fn games_by_pairing(&self) -> HashMap<&'a str, PageGame<'a>> {
        let mut all = self.all_games();
        all.sort_by_key(|shown| shown.game.first_line());
        all.into_iter()
            .filter(|shown| shown.game.counts())
            .filter_map(|shown| Some((self.view.plan.id_of(shown.game.pairing.as_deref()?), shown)))
            .collect()
    }

    /// Renders the list of players. `search` is a lower-case text in the names; empty for all.
    pub(super) fn players(&self, search: &str) -> Markup {
        let texts = self.texts();
        let form = || {
            html! { form.find role="search" action="/players" {
                label for="search" { (texts.search_players) }
                @if self.address.hides_results { input type="hidden" name="hide" value="results"; }
                @if self.address.is_language_chosen { input type="hidden" name="lang" value=(self.language().code()); }
                input #search type="search" name="search" value=(search) maxlength="80" autocomplete="off";
                button.btn { (texts.search) }
            } }
        };
        let sections = self.view.plan.sections.iter().filter(|section| !section.players.is_empty());
        let has_hit =
            search.is_empty() || self.view.plan.sections.iter().any(|section| found(section, search).next().is_some());
        self.current_page("list", texts.players, || {
            html! {
                @let has_players = !self.view.plan.sections.is_empty();
                div.hd { h2 { (texts.players) } @if has_players { (form()) } }
                @if !has_players { p.none { (texts.no_players) } (self.suggested_links()) }
                @for section in sections { (self.players_of_section(section, search)) }
                @if has_players { p.none #no-hit role="status" hidden[has_hit] { (texts.no_such_player) } }
            }
        })
    }

    fn players_of_section(&self, section: &PlannedSection, search: &str) -> Markup {
        let texts = self.texts();
        let rows = self.standings_of(section);
        let has_teams = section.players.iter().any(|player| section.team_of(player).is_some());
        let key = format!("players-{}", percent_encoded(&section.name));
        let row = |player: &PlannedPlayer| {
            let standing = rows.iter().find(|row| row.id == Some(player.id));
            self.parts.part("tr", &format!("player-{}-{}", percent_encoded(&section.name), player.id), || {
                html! { tr data-name=(normalised(&player.name)) {
                    th scope="row" { (self.star(section, player)) (self.player_link(section, player)) }
                    td.tt { (player.title.as_deref().unwrap_or_default()) }
                    td { (player.federation.as_deref().unwrap_or_default()) }
                    td.rt { @if let Some(rating) = player.rating { (rating) } }
                    @if has_teams { td.fn { bdi { (section.team_of(player).unwrap_or_default()) } } }
                    td.pl1 { @if let Some(row) = standing { (row.rank) } }
                    td.sc { @if let Some(row) = standing { (row.points) } }
                } }
            })
        };
        let label = title(&section.name).unwrap_or(texts.players);
        html! {
            @if let Some(title) = title(&section.name) { h3 { (name(Some(&truncated(title)))) } }
            (self.parts.part("div", &key, || html! { div.tb tabindex="0" role="region" aria-label=(label) { table.st1 {
                thead { tr {
                    th scope="col" { (texts.name) } th.tt scope="col" { (texts.player_title) } th scope="col" { (texts.player_federation) } th.rt scope="col" { (texts.rating) }
                    @if has_teams { th.fn scope="col" { (texts.team) } } th.pl1 scope="col" { (texts.rank) } th scope="col" { (texts.points) }
                } }
                tbody { @for player in found(section, search) { (row(player)) } }
            } } }))
        }
    }

    /// Returns the rows of the standings of a section.
    fn standings_of(&self, section: &PlannedSection) -> &'a [StandingsRow] {
        let found = self.view.plan.standings.iter().find(|one| one.name == section.name);
        found.map_or(&[], |found| &found.rows)
    }

    /// Renders the page of a player: standing, next game, the game now, all games. `None` if there is no such player, or if the player wants
    /// to stay anonymous.
    pub(super) fn player(&self, section: &str, id: u64) -> Option<Markup> {
        let section = self.view.plan.section(section)?;
        let player = section.player(Some(id)).filter(|player| !player.is_hidden())?;
        let games = self.games_by_pairing();
        let cells: Vec<RoundCell<'_>> = section.player_rounds(id).into_iter().flatten().collect();
        let last = cells.iter().filter_map(|cell| games.get(cell.pairing)).max_by_key(|shown| shown.game.first_line());
        let now = last.filter(|shown| shown.is_current);
        let title = truncated(&player.name).into_owned();
        let main = self.main("list", "wrap", || html! { div.duo {
            (self.parts.part("div", "player", || self.player_head(section, player, &games)))
            (self.parts.part("div", "current", || html! { div { @if let Some(shown) = now { (self.list_of_cards(vec![self.card_in_list(shown, false)])) } } }))
            (self.parts.part("div", "games", || self.games_of_player(section, &cells, &games)))
        } });
        let picture = last.map(|shown| shown.picture_address(shown.game.summary.count));
        let visible_games = &self.current();
        Some(self.page(PageContent { round: self.current_round(), visible_games, title: &title, picture, main }))
    }

    fn player_head(
        &self,
        section: &PlannedSection,
        player: &PlannedPlayer,
        games: &HashMap<&str, PageGame<'_>>,
    ) -> Markup {
        let texts = self.texts();
        let standing = self.standings_of(section).iter().find(|row| row.id == Some(player.id));
        let next = next_pairing(section, player.id, games).filter(|_| !self.is_over());
        html! { div {
            div.hd { div {
                h2 { (name(Some(&truncated(&player.name)))) " " (self.star(section, player)) }
                p { bdi { (details_of(section, player).join(" · ")) } @if let Some(id) = &player.fmjd_id { " · FMJD " (truncated(id)) } }
            } }
            dl.sum {
                @if let Some(StandingsRow { rank, points, games: played, .. }) = standing {
                    @for (word, value) in [(texts.rank, rank), (texts.points, points), (texts.played, played)] { div { dt { (word) } dd { (value) } } }
                }
                @if let Some((round, pairing)) = next {
                    @let is_white = pairing.white == Some(player.id);
                    div.wide { dt { (texts.next_game) " · " (fill(texts.round, round.number)) } dd {
                        (if is_white { texts.white } else { texts.black }) " – " (self.planned_player(section, if is_white { pairing.black } else { pairing.white }))
                        @if let Some(table) = pairing.table { " · " (fill(texts.board, table)) }
                    } }
                }
            }
            p.noprint { a href=(self.link(&format!("/standings/{}", percent_encoded(&section.name)))) { (texts.standings) @if let Some(title) = title(&section.name) { " · " bdi { (truncated(title)) } } } }
        } }
    }

    fn games_of_player(
        &self,
        section: &PlannedSection,
        cells: &[RoundCell<'_>],
        games: &HashMap<&str, PageGame<'_>>,
    ) -> Markup {
        let texts = self.texts();
        html! { div {
            div.hd { h2 { (texts.games) } }
            @if cells.is_empty() { p.none { (texts.no_games_of_player) } } @else {
                div.tb tabindex="0" role="region" aria-label=(texts.games) { table.st1 {
                    thead { tr { th scope="col" { (texts.round_heading) } th scope="col" { (texts.colour) } th scope="col" { (texts.opponent) } th scope="col" { (texts.points) } th scope="col" { (texts.game) } } }
                    tbody { @for cell in cells { tr {
                        td { a href=(self.link(&format!("/round/{}", cell.round))) { (cell.round) } }
                        td.nw { @if cell.opponent.is_some() { span.cl { i class=(if cell.is_white { "dw" } else { "db" }) {} " " (if cell.is_white { texts.white } else { texts.black }) } } }
                        th scope="row" { @if cell.reason == ViewerReason::Bye { (texts.bye) } @else { (self.planned_player(section, cell.opponent)) } }
                        td.sc { (cell.points.unwrap_or("·")) @match cell.reason {
                            ViewerReason::Forfeit => { " (" (texts.forfeit) ")" }
                            ViewerReason::NotPlayed => { " (" (texts.not_played) ")" }
                            _ => {}
                        } }
                        td { @if let Some(shown) = games.get(cell.pairing) { a href=(self.link(&shown.game_address())) { (self.status(shown.game)) } } }
                    } } }
                } }
            }
        } }
    }
}

/// Returns what is known of title, federation, rating and team of a player.
pub(super) fn details_of<'a>(section: &'a PlannedSection, player: &'a PlannedPlayer) -> Vec<Cow<'a, str>> {
    let rating = player.rating.map(|rating| Cow::Owned(rating.to_string()));
    let [title, federation] = [&player.title, &player.federation].map(|fact| fact.as_deref().map(Cow::Borrowed));
    [title, federation, rating, section.team_of(player).map(truncated)].into_iter().flatten().collect()
}

/// Whether a game names the players of a pairing.
pub(super) fn names_players(game: &ViewerGame, section: &PlannedSection, pairing: &PlannedPairing) -> bool {
    Color::BOTH.into_iter().all(|color| {
        let player = section.player(pairing.player(color));
        player.is_some_and(|player| game.tag(["White", "Black"][color.index()]) == Some(&player.name))
    })
}

/// Returns the address of a player's page; `None` for a player who wants to stay anonymous.
fn player_address(section: &PlannedSection, player: &PlannedPlayer) -> Option<String> {
    (!player.is_hidden()).then(|| format!("/player/{}-{}", percent_encoded(&section.name), player.id))
}

/// Returns the players of a section whose names have all words of a text, with or without its accents.
fn found<'a>(section: &'a PlannedSection, search: &str) -> impl Iterator<Item = &'a PlannedPlayer> {
    let wanted = normalised(search);
    section.players.iter().filter(move |player| {
        let name = normalised(&player.name);
        wanted.split(' ').all(|word| name.contains(word))
    })
}

/// Returns the first pairing of a player without a result or a game; a postponed one, or one of a closed round, only if there is no other.
fn next_pairing<'a>(
    section: &'a PlannedSection,
    player: u64,
    games: &HashMap<&str, PageGame<'_>>,
) -> Option<(&'a PlannedRound, &'a PlannedPairing)> {
    let all = section.rounds.iter().flat_map(|round| round.pairings.iter().map(move |pairing| (round, pairing)));
    all.filter(|(_, pairing)| [pairing.white, pairing.black].contains(&Some(player)))
        .filter(|(_, pairing)| pairing.points.is_none() && !games.contains_key(pairing.id.as_str()))
        .min_by_key(|(round, pairing)| round.is_closed() || pairing.later != ViewerDeferral::No)
}
