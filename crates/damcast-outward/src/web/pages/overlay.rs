//! Overlays for streams: boards, players, results and standings on a transparent background. Their addresses are in [`super::overlay_look`].

use draughts::Color;
use maud::{Markup, html};

use super::board::piece;
use super::frame::PageContent;
use super::overlay_look::{ClockSide, Overlay, OverlayKind};
use super::text::{name, score, truncated};
use super::{PageBuilder, PageError, PageGame, percent_encoded};
use crate::web::plan::{StandingsRow, title};
use crate::web::texts::fill;
use crate::web::texts::studio::StudioTexts;

/// Number of boards that the ticker shows at a time.
const TICKER_BOARDS: usize = 3;
/// Number of rows of the standings that are shown at a time.
const STANDINGS_ROWS: usize = 10;

impl<'a> PageBuilder<'a> {
    pub(super) fn studio_texts(&self) -> &'static StudioTexts {
        StudioTexts::in_language(self.language())
    }

    /// Renders an overlay.
    ///
    /// # Errors
    ///
    /// Returns [`PageError::NotFound`] if the outlet has no such board or section.
    pub(super) fn overlay(&self, overlay: &Overlay) -> Result<Markup, PageError> {
        let featured = || self.view.featured.as_deref();
        Ok(match &overlay.kind {
            OverlayKind::Board(which) | OverlayKind::LowerThird(which) => match which.as_deref().or_else(featured) {
                Some(which) => self.overlay_of_game(overlay, which)?,
                // Nothing is visible.
                None => self.overlay_document(overlay, &[], || html! { p.vh { (self.studio_texts().none_featured) } }),
            },
            OverlayKind::Ticker => self.overlay_document(overlay, &[], || self.ticker()),
            OverlayKind::Standings(section) => {
                let section = self.section_rows(section.as_deref()).ok_or(PageError::NotFound)?;
                self.overlay_document(overlay, &[], || self.standings_panel(section))
            }
        })
    }

    /// Renders the reason why the overlay cannot be shown. The overlay appears as soon as the outlet has the board or the section.
    pub(super) fn overlay_refusal(&self, overlay: &Overlay) -> Markup {
        let texts = self.studio_texts();
        let reason = match &overlay.kind {
            OverlayKind::Board(Some(board)) | OverlayKind::LowerThird(Some(board)) => {
                fill(texts.no_board, truncated(board))
            }
            OverlayKind::Standings(Some(section)) => fill(texts.no_section, truncated(section)),
            OverlayKind::Standings(None) => texts.no_standings.to_owned(),
            OverlayKind::Board(None) | OverlayKind::LowerThird(None) | OverlayKind::Ticker => {
                self.texts().not_found.to_owned()
            }
        };
        self.overlay_document(overlay, &[], || html! { p.ow { bdi { (reason) } } })
    }

    fn overlay_document(&self, overlay: &Overlay, shown: &[PageGame<'_>], content: impl FnOnce() -> Markup) -> Markup {
        let main = self.main("overlay", clock_class(overlay.look.clock), content);
        self.page(PageContent::new(shown, self.studio_texts().overlay, main))
    }

    /// Renders an overlay of the game that a board plays, or plays next.
    fn overlay_of_game(&self, overlay: &Overlay, which: &str) -> Result<Markup, PageError> {
        let (hall, which) = (&self.view.hall, &*self.board_in_hall(which));
        let number = hall.board(which).map_or_else(|| which.to_owned(), |(number, _)| hall.number_in_address(number));
        let unstarted = || self.awaited_game(which).or_else(|| self.unstarted_game(&number));
        let shown = unstarted().or_else(|| self.current_game(which)).ok_or(PageError::NotFound)?;
        Ok(self.overlay_document(overlay, std::slice::from_ref(&shown), || match overlay.kind {
            OverlayKind::Board(_) => self.board_panel(&shown),
            _ => self.lower_third(&shown),
        }))
    }

    /// Renders a board with its players.
    fn board_panel(&self, shown: &PageGame<'_>) -> Markup {
        let game = shown.game;
        let label = format!("{}. {}", self.board_title(shown.number), self.status(game));
        html! {
            article class=(format!("ov {}", self.state_class(game))) data-silent-since=[self.silent_since(game)] {
                div.bwrap { (self.drawing(game.variant, game.diagram(), game.summary.last_ply(), true, &label)) }
                div.pan {
                    (self.overlay_heading(shown))
                    (self.overlay_player(shown, Color::Black))
                    p.st { (self.status(game)) }
                    (self.overlay_player(shown, Color::White))
                }
            }
        }
    }

    /// Renders the players of a board in a strip.
    fn lower_third(&self, shown: &PageGame<'_>) -> Markup {
        let game = shown.game;
        html! {
            article class=(format!("lt {}", self.state_class(game))) data-silent-since=[self.silent_since(game)] {
                (self.overlay_player(shown, Color::White))
                div.mid {
                    (self.overlay_heading(shown))
                    @if let Some(result) = &game.result { p.res { (score(result)) } }
                    p.st { (self.status(game)) }
                }
                (self.overlay_player(shown, Color::Black))
            }
        }
    }

    fn overlay_heading(&self, shown: &PageGame<'_>) -> Markup {
        let round = shown.game.tag("Round").map(truncated);
        html! { h1 { (self.board_title(shown.number)) @if let Some(round) = round { " " span { bdi { (fill(self.texts().round, round)) } } } } }
    }

    fn overlay_player(&self, shown: &PageGame<'_>, color: Color) -> Markup {
        let details = self.player_details(shown, color);
        let called = self.player_name(shown, color);
        let word = self.side(color);
        html! {
            div class=(["op wh", "op bk"][color.index()]) {
                (piece(color))
                div.who {
                    p.nm1 { span.vh { (word) ": " } (name(Some(called.as_deref().unwrap_or(word)))) }
                    @if !details.is_empty() { p.mt { bdi { (details.join(" · ")) } } }
                }
                (self.clock(shown.game, color, false))
            }
        }
    }

    /// Renders results and last moves of all boards, some of them at a time.
    fn ticker(&self) -> Markup {
        let shown = self.present_games();
        let item = |shown: &PageGame<'_>| {
            let key = format!("tick-{}-{}", percent_encoded(&shown.board), shown.game.number);
            let players = Color::BOTH.map(|color| self.player_name(shown, color));
            let inputs = (self.digest(shown), shown.number, players.clone());
            self.parts.leaf("li", &key, inputs, || {
                html! { li class=(self.state_class(shown.game)) {
                    b { span.vh { (self.texts().board_heading) " " } (shown.number) @if let Some(hall) = self.hall_of(shown) { " " bdi { (hall) } } }
                    p.nm1 { (name(players[0].as_deref())) " – " (name(players[1].as_deref())) }
                    p.st { (shown.game.result.as_deref().map_or_else(|| self.status(shown.game), score)) }
                } }
            })
        };
        let head = || html! { h1 { (self.title(&shown, self.current_round().as_deref())) } };
        let list = || html! { ul.tk data-turns=(TICKER_BOARDS) { @for shown in &shown { (item(shown)) } } };
        html! { div.tick {
            (self.parts.part("h1", "head", head))
            @if shown.is_empty() { p.st { (self.texts().not_started) } }
            (self.parts.part("ul", "ticker", list))
        } }
    }

    /// Returns the name and the rows of a section of the standings, by default of the first one with rows.
    fn section_rows(&self, wanted: Option<&str>) -> Option<(&'a str, &'a [StandingsRow])> {
        let sections = self.view.plan.standings.iter();
        let mut named = sections.map(|section| {
            let rows = if section.teams.is_empty() { &section.rows } else { &section.teams };
            (section.name.as_str(), rows.as_slice())
        });
        named.find(|(name, rows)| wanted.map_or(!rows.is_empty(), |wanted| *name == wanted))
    }

    /// Renders the standings of a section, some rows at a time.
    fn standings_panel(&self, (section, rows): (&str, &[StandingsRow])) -> Markup {
        let texts = self.texts();
        let [open, missing] = self.open_pairings(self.view.plan.section(section));
        html! { div.ost {
            h1 { (texts.standings) @if let Some(title) = title(section) { " " span { (name(Some(&truncated(title)))) } } }
            table {
                thead.vh { tr { th scope="col" { (texts.rank) } th scope="col" { (texts.name) } th scope="col" { (texts.points) } } }
                tbody data-turns=(STANDINGS_ROWS) { @for row in rows {
                    tr { td { (row.rank) } th scope="row" { (name(Some(&truncated(&row.name)))) } td { (row.points) } }
                } }
            }
            // The panel has room for one line.
            @let (count, sentence) = if open > 0 { (open, texts.provisional) } else { (missing, texts.results_missing) };
            @if count > 0 { p.st { span.prov { b { (self.language().count(sentence, count)) } } } }
        } }
    }
}

/// Returns the class of an overlay for the side of its clocks.
fn clock_class(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Right => "o",
        ClockSide::Left => "o cl",
        ClockSide::Off => "o co0",
    }
}
