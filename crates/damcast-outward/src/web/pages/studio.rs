//! The studio: a page that lists the overlays for streams, with a preview and the address of each.

use maud::{Markup, html};

use super::address::{PageQuery, with_choices};
use super::overlay_look::{ClockSide, Overlay, OverlayKind, OverlayLook, WrongParameter};
use super::{PageBuilder, truncated};
use crate::web::plan;
use crate::web::texts::fill;

impl PageBuilder<'_> {
    /// Renders the studio. `site` is the address of the pages as the browser wrote it, `form` has the choices of the reader.
    pub(super) fn studio(&self, site: &str, form: &PageQuery) -> Markup {
        let texts = self.studio_texts();
        let (shown, wrong) = match overlay_of(form) {
            Ok(overlay) => (overlay, None),
            Err(wrong) => (Overlay { kind: OverlayKind::Board(None), look: OverlayLook::default() }, Some(wrong)),
        };
        let address = self.overlay_address(site, &shown);
        let size = (shown.look.width, shown.look.height);
        self.current_page("studio", texts.studio, || html! {
            div.hd { h2 { (texts.studio) } }
            p.q.purpose { (texts.purpose) }
            div.stu {
                (self.studio_form(form))
                div {
                    @if let Some(wrong) = &wrong { p.banner role="alert" { (self.mistake(wrong)) } }
                    div.adr {
                        label { (texts.address) input #address readonly value=(address); }
                        button.btn.noprint type="button" data-copied=(self.texts().copied) { (texts.copy) }
                    }
                    h3 { (texts.preview) }
                    div.pv tabindex="0" role="region" aria-label=(texts.preview) {
                        iframe src=(self.overlay_link(&shown)) title=(texts.preview) width=[size.0] height=[size.1] {}
                    }
                    h3 { (texts.all) }
                    (self.all_overlays(site))
                }
            }
        })
    }

    /// Describes a mistake in an address.
    pub(super) fn mistake(&self, WrongParameter { parameter, expected }: &WrongParameter) -> String {
        let texts = self.studio_texts();
        let shown = truncated(parameter);
        format!("{}. {}", fill(texts.wrong_parameter, shown), fill(texts.expected, expected))
    }

    /// Adds the language to the address of an overlay if the reader chose it.
    fn overlay_link(&self, overlay: &Overlay) -> String {
        with_choices(&overlay.address(), self.chosen_language(), false)
    }

    /// Returns the whole address of an overlay.
    fn overlay_address(&self, site: &str, overlay: &Overlay) -> String {
        format!("{}{}", site.trim_end_matches('/'), self.overlay_link(overlay))
    }

    /// Renders links to all overlays.
    fn all_overlays(&self, site: &str) -> Markup {
        let texts = self.studio_texts();
        let first = self.board_numbers().into_iter().next().unwrap_or_else(|| "1".to_owned());
        let all = [
            (texts.featured, OverlayKind::Board(None)),
            (texts.one_board, OverlayKind::Board(Some(first))),
            (texts.lower_third, OverlayKind::LowerThird(None)),
            (texts.ticker, OverlayKind::Ticker),
            (self.texts().standings, OverlayKind::Standings(None)),
        ];
        html! { ul.lk { @for (name, kind) in all {
            @let overlay = Overlay { kind, look: OverlayLook::default() };
            li { a href=(self.overlay_link(&overlay)) { (name) } code { (self.overlay_address(site, &overlay)) } }
        } } }
    }

    /// Renders the choices: overlay, board, size, colours, clocks.
    fn studio_form(&self, form: &PageQuery) -> Markup {
        let texts = self.studio_texts();
        let mut boards = vec![(String::new(), texts.featured.to_owned())];
        boards
            .extend(self.board_numbers().into_iter().map(|number| (number.clone(), fill(self.texts().board, number))));
        let overlays = [
            ("board", texts.one_board),
            ("lower-third", texts.lower_third),
            ("ticker", texts.ticker),
            ("standings", self.texts().standings),
        ];
        let sides = ClockSide::ALL.map(|(name, side)| {
            let word = match side {
                ClockSide::Right => texts.right,
                ClockSide::Left => texts.left,
                ClockSide::Off => texts.without,
            };
            (name, word)
        });
        let number = |name: &str, label: &str, least: u32, most: u32| {
            html! { label { (label) input type="number" name=(name) min=(least) max=(most) value=(form.get(name).unwrap_or_default()) placeholder=(texts.of_window); } }
        };
        let sections = self.view.plan.standings.iter().map(|section| (&section.name, plan::title(&section.name)));
        let sections: Vec<_> = sections.map(|(name, title)| (name, truncated(title.unwrap_or_default()))).collect();
        html! {
            form.noprint action="/studio" autocomplete="off" {
                (choice(texts.overlay, "overlay", &overlays, form))
                (choice(self.texts().board_heading, "board", &boards, form))
                @if sections.len() > 1 { (choice(texts.section, "section", &sections, form)) }
                (number("width", texts.width, 160, 7680))
                (number("height", texts.height, 40, 4320))
                (choice(texts.theme, "theme", &[("dark", texts.dark), ("light", texts.light)], form))
                label { (texts.accent) input name="accent" value=(form.get("accent").unwrap_or_default()) placeholder="1a7f37" maxlength="7" autocomplete="off"; }
                (choice(texts.clocks, "clock", &sides, form))
                @if self.address.is_language_chosen { input type="hidden" name="lang" value=(self.language().code()); }
                @if self.address.hides_results { input type="hidden" name="hide" value="results"; }
                button.btn.p type="submit" { (texts.show) }
            }
        }
    }

    /// Returns the numbers of all boards, also of those whose game has not begun.
    fn board_numbers(&self) -> Vec<String> {
        self.present_games().iter().map(|shown| self.view.hall.number_in_address(shown.number)).collect()
    }
}

fn choice(label: &str, name: &str, options: &[(impl AsRef<str>, impl AsRef<str>)], form: &PageQuery) -> Markup {
    let chosen = form.get(name).unwrap_or_default();
    html! { label { (label) select name=(name) { @for (value, word) in options {
        option value=(value.as_ref()) selected[value.as_ref() == chosen] { (word.as_ref()) }
    } } } }
}

/// Returns the overlay that a form describes. Empty fields count as absent, as browsers send them.
fn overlay_of(form: &PageQuery) -> Result<Overlay, WrongParameter> {
    let [kind, board] = ["overlay", "board"].map(|name| form.get(name).unwrap_or_default());
    let path = match (kind, board) {
        ("featured", _) | ("" | "board", "") => vec!["featured".to_owned()],
        ("", board) => vec!["board".to_owned(), board.to_owned()],
        (kind @ ("board" | "lower-third"), board) if !board.is_empty() => vec![kind.to_owned(), board.to_owned()],
        (kind, _) => vec![kind.to_owned()],
    };
    // The form has the section for standings alone.
    let is_look =
        |name: &str| !matches!(name, "overlay" | "board" | "hide") && (name != "section" || kind == "standings");
    let look: Vec<_> = form.0.iter().filter(|(name, value)| is_look(name) && !value.is_empty()).cloned().collect();
    Overlay::parse(&path, &look).unwrap_or_else(|| {
        let parameter = format!("overlay={kind}");
        Err(WrongParameter { parameter, expected: "overlay=featured, board, lower-third, ticker, standings" })
    })
}
