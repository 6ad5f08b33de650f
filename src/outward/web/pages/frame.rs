//! What all pages have around their body: head, navigation, words for the script.

use maud::{DOCTYPE, Markup, html};
use serde_json::json;

use super::text::{percent_encoded, truncated};
use super::{PageBuilder, PageGame, REFRESH_SECONDS};
use crate::outward::web::diagram;
use crate::outward::web::texts::{Language, fill};

/// Where boards are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
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

/// What stands on a page, and what the script does with it.
pub(super) struct PageContent<'a> {
    /// `grid`, `game` or `wall` are kept up to date by the script; `list` is not.
    pub kind: &'a str,
    /// The board that it follows.
    pub followed_board: Option<&'a str>,
    /// The address of the game that it shows.
    pub game: Option<String>,
    /// The round that it is of; `None`: that of its games.
    pub round: Option<String>,
    /// The games whose event, site and boards it has.
    pub visible_games: &'a [PageGame<'a>],
    /// Its title.
    pub title: &'a str,
    /// What stands on it.
    pub body: Markup,
}

impl<'a> PageContent<'a> {
    /// Of a page that follows no board and is that of no game.
    pub(super) fn new(
        kind: &'a str,
        visible_games: &'a [PageGame<'a>],
        title: &'a str,
        body: Markup,
    ) -> PageContent<'a> {
        PageContent { kind, followed_board: None, game: None, round: None, visible_games, title, body }
    }
}

impl PageBuilder<'_> {
    // The parts of a page.

    /// The name of what is played, and its round.
    pub(super) fn title(&self, shown: &[PageGame<'_>], round: Option<&str>) -> Markup {
        let event = self.event(shown).unwrap_or_else(|| self.texts().untitled.to_owned());
        let round = round.or_else(|| shown.iter().find_map(|shown| shown.game.tag("Round"))).map(truncated);
        html! { bdi { (event) } @if let Some(round) = round { " " span { bdi { (fill(self.texts().round, round)) } } } }
    }

    /// What is played: as these games say, else those of now, those that have not begun, or the tournament.
    fn event(&self, shown: &[PageGame<'_>]) -> Option<String> {
        let current = self.current();
        let games = shown.iter().chain(&current).map(|shown| shown.game).chain(&self.plan.unstarted);
        let event = games.into_iter().find_map(|game| game.tag("Event")).or(self.plan.event.as_deref());
        event.map(|event| truncated(event).into_owned())
    }

    /// The round that is played now: that of games which have not begun, if there are any; else the games say it.
    pub(super) fn current_round(&self) -> Option<String> {
        self.plan.unstarted.iter().find_map(|game| game.tag("Round")).map(str::to_owned)
    }

    /// A page with head, navigation and foot.
    pub(super) fn page(&self, content: PageContent<'_>) -> String {
        let PageContent { kind, visible_games: shown, body, ref round, .. } = content;
        let words = self.texts();
        let rounds = self.rounds();
        let here = |address: &str| (self.path == address).then_some("page");
        let site = shown.iter().find_map(|shown| shown.game.tag("Site")).map(truncated);
        let body = html! {
            a.skip href="#main" { (words.skip) }
            header.wrap {
                div.mast {
                    div { h1 { (self.title(shown, round.as_deref())) } @if let Some(site) = site { p.meta { bdi { (site) } } } }
                    p.live #live { span #state { (words.live) } " " time #time {} }
                }
                nav.nav aria-label=(words.pages) {
                    p {
                        a href=(self.link("/")) aria-current=[here("/").or((kind == "game").then_some("page"))] { (words.boards) }
                        a href=(self.link("/standings")) aria-current=[here("/standings")] { (words.standings) }
                        @if rounds.len() > 1 { @for round in rounds.iter().take(30) {
                            @let address = format!("/round/{}", percent_encoded(round));
                            a href=(self.link(&address)) aria-current=[here(&address)] { (fill(words.round, truncated(round))) }
                        } }
                        a href=(self.link("/archive")) aria-current=[here("/archive")] { (words.games) }
                    }
                    p.lg {
                        @for language in Language::ALL {
                            a href=(format!("{}?lang={}", self.path, language.code())) lang=(language.code()) hreflang=(language.code())
                                aria-current=[(language == self.language).then_some("true")] { (language.code().to_uppercase()) }
                        }
                    }
                }
            }
            p #banner .banner role="status" hidden {}
            main #main .wrap { (body) }
            footer.wrap { div.foot { span { (words.files) ": " a href="/games.pdn" { "games.pdn" } " · " a href="/events.ndjson" { "events.ndjson" } } } }
        };
        self.html_document(Frame::Page, PageContent { body, ..content })
    }

    /// A document: what it says of itself to the browser and to the script, and its body.
    pub(super) fn html_document(&self, frame: Frame, content: PageContent<'_>) -> String {
        let PageContent { kind, followed_board: follows, game, visible_games: shown, title, body, .. } = content;
        let words = self.texts();
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
                    title { (title) @if let Some(event) = self.event(shown) { " · " (event) } }
                    link rel="stylesheet" href=(self.assets.style());
                    link rel="icon" href="data:,";
                    script type="module" src=(self.assets.script()) {}
                    noscript { meta http-equiv="refresh" content=(REFRESH_SECONDS); }
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
}
