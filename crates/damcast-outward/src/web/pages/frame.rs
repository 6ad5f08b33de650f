//! Frame of all pages: head, navigation, foot, and texts for the script.

use std::borrow::Cow;
use std::collections::BTreeSet;

use draughts::Color;
use maud::{DOCTYPE, Markup, html};

use super::address::{PageKind, percent_encoded, with_choices};
use super::file_names::{SIGN_FILE, page_name};
use super::overlay_look::OverlayKind;
use super::text::{isolated, truncated};
use super::{LiveMode, PageBuilder, PageGame, REFRESH_SECONDS};
use crate::web::assets::{ASSETS, BUILD_ID, ICON};
use crate::web::diagram;
use crate::web::plan::PlannedSection;
use crate::web::state::ViewerGame;
use crate::web::texts::pages::SCRIPT_KEYS;
use crate::web::texts::{Language, fill, to_json};

/// Largest number of rounds in the navigation: the last ones.
const MAX_LINKED_ROUNDS: usize = 30;

/// Content of a page, with data for the script.
pub(super) struct PageContent<'a> {
    /// Round in the title; by default that of the games.
    pub round: Option<String>,
    /// Games that give event, site and board definitions of the page.
    pub visible_games: &'a [PageGame<'a>],
    /// Title of the document.
    pub title: &'a str,
    /// Path of a picture of the page; by default the position of the first game, if it has begun.
    pub picture: Option<String>,
    /// The element `main` of the page.
    pub main: Markup,
}

impl<'a> PageContent<'a> {
    /// Creates the content of a page.
    pub(super) fn new(visible_games: &'a [PageGame<'a>], title: &'a str, main: Markup) -> PageContent<'a> {
        let first = visible_games.first().filter(|shown| !shown.game.is_unstarted());
        let picture = first.map(|shown| shown.picture_address(shown.game.summary.count));
        PageContent { round: None, visible_games, title, picture, main }
    }
}

impl PageBuilder<'_> {
    /// Renders the name of the event and its round; after the event, only pages of a round or a game have one.
    pub(super) fn title(&self, shown: &[PageGame<'_>], round: Option<&str>) -> Markup {
        let event = self.event(shown).unwrap_or_else(|| self.texts().untitled.to_owned());
        let round = round.or_else(|| self.round_of(shown.iter().map(|shown| shown.game))).map(truncated);
        let round = round.filter(|_| self.has_round());
        html! { bdi { (event) } @if let Some(round) = round { " " span { bdi { (fill(self.texts().round, round)) } } } }
    }

    fn has_round(&self) -> bool {
        self.is_page_of_game() || matches!(self.address.kind, PageKind::Round(_)) || !self.is_over()
    }

    fn is_page_of_game(&self) -> bool {
        matches!(self.address.kind, PageKind::Board(_) | PageKind::Game { .. } | PageKind::Trial { .. })
    }

    /// Returns the name of the event from the tournament, else from these games, current games or unstarted games.
    fn event(&self, shown: &[PageGame<'_>]) -> Option<String> {
        let current = self.current();
        let games = shown.iter().chain(&current).map(|shown| shown.game).chain(self.view.awaited_games());
        let of_games = || games.into_iter().find_map(|game| game.tag("Event"));
        let event = self.view.plan.event.name().or_else(of_games);
        event.map(|event| truncated(event).into_owned())
    }

    /// Returns the place of the event from the tournament, else from these games.
    fn site<'g>(&'g self, shown: &'g [PageGame<'_>]) -> Option<&'g str> {
        self.view.plan.event.site().or_else(|| shown.iter().find_map(|shown| shown.game.tag("Site")))
    }

    /// Returns the open rounds of the sections, or if none is open their last begun ones, without repetitions: sections may play different
    /// rounds.
    fn rounds_of_sections(&self) -> BTreeSet<u64> {
        let sections = &self.view.plan.sections;
        let open: BTreeSet<u64> = sections.iter().filter_map(|section| section.open_round).collect();
        let begun = |section: &PlannedSection| {
            section.rounds.iter().rev().find(|round| round.has_begun()).map(|round| round.number)
        };
        if open.is_empty() { sections.iter().filter_map(begun).collect() } else { open }
    }

    /// Returns the round that is played, else that of the unstarted games, else the last one of all sections; `None` leaves the round to the
    /// games of the page.
    pub(super) fn current_round(&self) -> Option<String> {
        let rounds = self.rounds_of_sections();
        let only = rounds.first().filter(|_| rounds.len() == 1).map(u64::to_string);
        if self.view.plan.sections.iter().any(|section| section.open_round.is_some()) {
            return only;
        }
        let on = self.current();
        let is_on = |game: &&ViewerGame| self.is_being_played(game) && game.silent_since().is_none();
        let on = on.iter().map(|shown| shown.game).filter(is_on);
        let next = || self.round_of(self.view.awaited_games());
        self.round_of(on).or_else(next).map(str::to_owned).or(only)
    }

    /// Returns whether a game is of the round that is played, or goes on.
    pub(super) fn is_of_current_round(&self) -> impl Fn(&ViewerGame) -> bool {
        let (round, plan) = (self.current_round(), &self.view.plan);
        let has_open_round = plan.sections.iter().any(|section| section.open_round.is_some());
        move |game| {
            let is_of = |round: &String| game.tag("Round").is_none_or(|own| own == round);
            // Another section may have played its round of this number.
            let planned = game.pairing.as_deref().filter(|id| has_open_round && plan.pairing(id).is_some());
            let of_tag = || round.as_ref().is_none_or(is_of);
            game.is_on() || planned.map_or_else(of_tag, |id| plan.is_in_open_round(id))
        }
    }

    /// Returns how many of the games go on, and how many of the round that is played are over.
    pub(super) fn count_games(&self, shown: &[PageGame<'_>]) -> [usize; 2] {
        let is_of_current_round = self.is_of_current_round();
        let games = || shown.iter().map(|shown| shown.game).filter(|game| self.is_of_event(game));
        let on = games().filter(|game| self.is_being_played(game)).count();
        [on, games().filter(|game| game.has_ended() && is_of_current_round(game)).count()]
    }

    /// Returns the round of the first of these games; if sections play different rounds, or last played different ones, only a round that all
    /// of them have.
    pub(super) fn round_of<'g>(&self, games: impl Iterator<Item = &'g ViewerGame>) -> Option<&'g str> {
        let mut rounds = games.filter_map(|game| game.tag("Round"));
        let first = rounds.next()?;
        (self.rounds_of_sections().len() < 2 || rounds.all(|other| other == first)).then_some(first)
    }

    /// Renders a page, with head, navigation and foot unless it is a wall, an embed or an overlay.
    pub(super) fn page(&self, content: PageContent<'_>) -> Markup {
        if self.address.kind.is_bare() {
            return self.html_document(content);
        }
        let PageContent { visible_games: shown, main, ref round, .. } = content;
        let texts = self.texts();
        let site = self.site(shown).map(truncated);
        let head = self.parts.part("div", "head", || {
            let away = self.view.hall.halls.iter().filter_map(|hall| Some((hall, self.away_since(hall)?)));
            html! { div {
                h1 { (self.title(shown, round.as_deref())) }
                @if let Some(site) = site { p.meta.at { bdi { (site) } } }
                @for delay in self.delays() { p.meta { (delay) } }
                @for (hall, since) in away { p.meta data-silent-since=(since) { bdi { (hall) } ": " span.st { (texts.board_silent) } } }
            } }
        });
        // Without a server only the script knows whether the pages are renewed.
        let state = match self.live {
            LiveMode::Files => "",
            _ if self.is_recorder_silent() => texts.not_live,
            _ => texts.live,
        };
        let language = self.chosen_language();
        let toggle = html! {
            a #spoil href=(with_choices(&self.address.own_address(), language, !self.address.hides_results)) { (if self.address.hides_results { texts.show_results } else { texts.hide_results }) }
        };
        let main = html! {
            a.skip href="#main" { (texts.skip) }
            header.wrap {
                div.mast {
                    (head)
                    div.tools {
                        p.live #live hidden[self.is_over()] { span #state { (state) } " " time #time {} }
                        @if self.live != LiveMode::Files { nav.lg aria-label=(texts.language) {
                            @for language in Language::ALL {
                                a href=(with_choices(&self.address.own_address(), Some(language), self.address.hides_results)) lang=(language.code()) hreflang=(language.code())
                                    aria-current=[(language == self.language()).then_some("true")] { (language.code().to_uppercase()) }
                            }
                        } }
                    }
                }
                nav.nav aria-label=(texts.pages) { (self.navigation()) }
            }
            (self.banner())
            @if self.address.hides_results { p.wrap.spoil { (texts.results_hidden) " " span.noprint { (toggle) } } }
            (main)
            footer.wrap { div.foot {
                @if self.live == LiveMode::Files { span { (texts.files) " " a href="/games.pdn" { "games.pdn" } } } @else {
                    @if !self.address.hides_results { (toggle) }
                    span { (texts.files) " " a href="/games.pdn" { "games.pdn" } " · " a href="/events.ndjson" { "events.ndjson" } }
                    a href=(self.link("/studio")) { (self.studio_texts().studio) }
                }
                label.study.s hidden { input #letters type="checkbox" checked autocomplete="off"; " " (texts.letter_keys) }
            } }
        };
        self.html_document(PageContent { main, ..content })
    }

    /// Returns how much later than the boards the page shows moves, unless the event is over.
    pub(super) fn delays(&self) -> Vec<String> {
        let (texts, delay) = (self.texts(), self.view.delay);
        let [minutes, seconds] = [delay.seconds / 60, delay.seconds % 60];
        let time = if seconds == 0 { (texts.delay_minutes, minutes) } else { (texts.delay_seconds, delay.seconds) };
        let delays = [time, (texts.delay_moves, delay.plies)].into_iter().filter(|(_, number)| *number > 0);
        let of_event = delays.filter(|_| !self.is_over());
        of_event.map(|(text, number)| self.language().count(text, number as usize)).collect()
    }

    /// Whether the page shows the alarm of a silent recorder.
    pub(super) fn is_recorder_silent(&self) -> bool {
        self.view.silent_since.is_some() && !self.is_over()
    }

    /// Renders the line that says whether the page follows the games, and one that the style shows if no script removes it in time.
    fn banner(&self) -> Markup {
        let (is_silent, texts) = (self.is_recorder_silent(), self.texts());
        // Browsers do not run module scripts of pages on disk, so no script would remove the line of a finished event.
        let is_alive = !(self.is_over() && self.live == LiveMode::Files);
        html! {
            p #banner .banner role="status" hidden[!is_silent] { @if is_silent { (texts.recorder_silent) } }
            @if is_alive { p #dead .banner { (texts.load_again) } }
        }
    }

    /// Renders the links to the other pages.
    fn navigation(&self) -> Markup {
        let texts = self.texts();
        let rounds = self.view.rounds();
        let numbered = rounds.partition_point(|round| round.parse::<u64>().is_ok());
        let here = |address: &str| (self.address.path == address).then_some("page");
        let is_player = matches!(self.address.kind, PageKind::Player { .. });
        self.parts.part("p", "nav", || {
            html! { p data-event=[self.view.plan.event.name()] {
                a href=(self.link("/")) aria-current=[here("/").or(self.is_page_of_game().then_some("page"))] { (texts.boards) }
                a href=(self.link("/standings")) aria-current=[here("/standings")] { (texts.standings) }
                @if self.view.plan.sections.iter().any(|section| !section.players.is_empty()) {
                    a href=(self.link("/players")) aria-current=[here("/players").or(is_player.then_some("page"))] { (texts.players) }
                }
                @if rounds.len() > 1 { @for round in rounds[numbered.saturating_sub(MAX_LINKED_ROUNDS)..].iter().take(MAX_LINKED_ROUNDS) {
                    @let address = format!("/round/{}", percent_encoded(round));
                    a href=(self.link(&address)) aria-current=[here(&address)] { (fill(texts.round, truncated(round))) }
                } }
                @if self.view.plan.event.is_described() { a href=(self.link("/event")) aria-current=[here("/event")] { (texts.about_event) } }
                a href=(self.link("/archive")) aria-current=[here("/archive")] { (texts.games) }
            } }
        })
    }

    /// Renders the preview of a link for messengers and search engines: title, description, and a picture if the reader came by a configured
    /// name.
    fn link_preview(&self, content: &PageContent<'_>) -> Markup {
        let PageContent { title, visible_games: shown, ref picture, ref round, .. } = *content;
        let event = self.event(shown).unwrap_or_else(|| self.texts().untitled.to_owned());
        let is_of_game = matches!(self.address.kind, PageKind::Board(_) | PageKind::Game { .. });
        // The status tells the last move, but the picture shows an earlier position.
        let is_at_ply = matches!(self.address.kind, PageKind::Game { ply: Some(_), .. });
        let (title, description) = match shown {
            [one] if is_of_game => {
                let round = one.game.tag("Round").map(|round| fill(self.texts().round, truncated(round)));
                let status = (!is_at_ply).then(|| self.status(one.game));
                let (players, board) = (self.players_of(one), self.board_title(one.number));
                let facts = [Some(event), round, players.is_some().then(|| board.clone()), status];
                (players.unwrap_or(board), facts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
            }
            _ => {
                let site = self.site(shown);
                let round = round.as_ref().map(|round| fill(self.texts().round, truncated(round)));
                let round = round.filter(|round| round != title && self.has_round());
                let facts = |title: &str| {
                    let facts = [Some(title.into()), round.as_deref().map(Cow::Borrowed), site.map(truncated)];
                    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
                };
                // A player is found by name.
                match self.address.kind {
                    PageKind::Player { .. } => (title.to_owned(), facts(&event)),
                    _ => (event.clone(), facts(title)),
                }
            }
        };
        html! {
            meta name="description" content=(description);
            meta property="og:type" content="website";
            meta property="og:title" content=(title);
            meta property="og:description" content=(description);
            @if let Some(site) = self.address.public_site.as_deref().map(|site| site.trim_end_matches('/')) {
                meta property="og:url" content=(format!("{site}{}", self.address.shared_address()));
                @if let Some(picture) = picture {
                    meta property="og:image" content=(format!("{site}{picture}"));
                    meta name="twitter:card" content="summary";
                }
            }
        }
    }

    /// Returns the names of White and Black in plain text; `None` without names.
    pub(super) fn players_of(&self, shown: &PageGame<'_>) -> Option<String> {
        let names = Color::BOTH.map(|color| self.player_name(shown, color));
        let is_named = names.iter().any(Option::is_some);
        is_named.then(|| names.map(|name| name.map_or("–".to_owned(), |name| isolated(&name))).join(" – "))
    }

    /// Renders a document: metadata for the browser and the script, and the body.
    fn html_document(&self, content: PageContent<'_>) -> Markup {
        let (kind, assets) = (&self.address.kind, &*ASSETS);
        let PageContent { visible_games: shown, title, ref main, .. } = content;
        let texts = self.texts().entries().into_iter().filter(|entry| SCRIPT_KEYS.contains(entry.key));
        let (wall, overlays) = (Some(&assets.wall_style), Some(&assets.overlay_style));
        let (class, is_light, style, later) = match kind {
            PageKind::Wall { is_light, .. } => (Some("wall"), Some(*is_light), wall, Some(&assets.wall_script)),
            PageKind::Embed(_) | PageKind::EmbedRound(_) => (Some("embed"), self.address.is_light, wall, None),
            PageKind::Overlay(overlay) => {
                let class = Some(overlay_class(&overlay.kind));
                (class, Some(overlay.look.is_light), overlays, Some(&assets.wall_script))
            }
            PageKind::Studio { .. } => (None, None, overlays, Some(&assets.more)),
            _ => (None, None, None, Some(&assets.more)),
        };
        let look = if let PageKind::Overlay(overlay) = kind { overlay.look.style_address() } else { None };
        let theme = is_light.map(|is_light| if is_light { "light" } else { "dark" });
        let planned = self.view.awaited_games().filter_map(|game| game.variant);
        let variants = shown.iter().filter_map(|shown| shown.game.variant).chain(planned);
        let document_title = self.parts.part("title", "title", || {
            html! { title { (title) @if let Some(event) = self.event(shown) { " · " (event) } } }
        });
        let (is_streamed, build) = (self.live == LiveMode::Stream, &*BUILD_ID);
        let (sign, stream) = match self.live {
            LiveMode::Stream | LiveMode::Poll => (None, format!("{}&build={build}", self.address.stream_query())),
            LiveMode::Files => {
                let file = page_name(&self.address.kind).unwrap_or_default();
                (Some(format!("./{SIGN_FILE}")), format!("page={}", percent_encoded(&format!("./{file}"))))
            }
        };
        let shapes = self.parts.part("svg", "shapes", || diagram::definitions(variants));
        html! {
            (DOCTYPE)
            html lang=(self.language().code()) data-theme=[theme] class=[class] {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    (document_title)
                    link rel="stylesheet" href=(assets.style.path);
                    @if let Some(style) = style { link rel="stylesheet" href=(style.path); }
                    @if let Some(style) = look { link rel="stylesheet" href=(style); }
                    @if !kind.is_bare() { (self.link_preview(&content)) }
                    // Lines of viewers have no end; a position is a part of its game.
                    @if matches!(kind, PageKind::Trial { .. } | PageKind::Game { ply: Some(_), .. }) { meta name="robots" content="noindex,nofollow"; }
                    // Links open outside the frame.
                    @if class == Some("embed") { base target="_blank"; }
                    link rel="icon" type="image/svg+xml" href=(ICON);
                    script type="module" src=(assets.script.path) {}
                    @if matches!(kind, PageKind::Studio { .. }) { script type="module" src=(assets.studio_script.path) {} }
                    noscript { meta http-equiv="refresh" content=(REFRESH_SECONDS); }
                }
                body data-silent=[self.view.silent_since] data-id=[is_streamed.then(|| self.view.id())] data-heard=[is_streamed.then_some(self.view.hall.heard)] data-live=[(!is_streamed).then_some("poll")] data-sign=[sign] data-stream=(stream) data-more=[later.map(|asset| &asset.path)] data-build=(build)
                    data-texts=(to_json(texts).to_string()) {
                    (shapes)
                    @if kind.is_bare() { (self.banner()) }
                    (main)
                }
            }
        }
    }
}

/// Returns the class of an overlay's document: its size depends on it.
fn overlay_class(kind: &OverlayKind) -> &'static str {
    match kind {
        OverlayKind::Board(_) => "overlay o-board",
        OverlayKind::LowerThird(_) => "overlay o-lower",
        OverlayKind::Ticker => "overlay o-ticker",
        OverlayKind::Standings(_) => "overlay o-standings",
    }
}
