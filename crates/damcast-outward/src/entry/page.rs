//! HTML of the page: a card for each table of the browser. Its forms work without a script; with one, squares answer to taps and moves
//! wait while there is no connection.

use damcast_control::entry::EntryState;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::texts::EntryTexts;
use super::view::TableView;
use crate::web::Language;
use crate::web::assets::{Asset, CSS, JS, STYLE, joined, minify};
use crate::web::texts::to_json;

/// The script.
pub(crate) const SCRIPT: &str = include_str!("assets/entry.js");

/// Page with its assets.
pub struct EntryPage {
    /// Style and script.
    pub assets: [Asset; 2],
}

/// Table with its key: the reason why it cannot be shown, and its view.
type ShownTable = (String, Option<String>, Option<Result<TableView, String>>);

impl EntryPage {
    /// Builds the assets.
    pub fn new() -> EntryPage {
        let style = Asset::new("entry", "css", CSS, joined(&[STYLE, include_str!("assets/entry.css")]));
        EntryPage { assets: [style, Asset::new("entry", "js", JS, minify(SCRIPT))] }
    }

    /// Returns the HTML with these tables. `why`: reason why the last form was refused.
    pub fn html(&self, language: Language, tables: &[ShownTable], why: Option<&str>) -> String {
        let texts = EntryTexts::in_language(language);
        let json = to_json(texts.entries()).to_string().replace('<', "\\u003c");
        let [style, script] = [&*self.assets[0].path, &self.assets[1].path];
        let views = tables.iter().filter_map(|(_, _, view)| view.as_ref()?.as_ref().ok());
        let page = html! {
            (DOCTYPE)
            html lang=(language.code()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="robots" content="noindex";
                    title { (texts.title) }
                    link rel="stylesheet" href=(style);
                    link rel="icon" href="data:,";
                    script #texts type="application/json" { (PreEscaped(json)) }
                    script type="module" src=(script) {}
                }
                body.entry {
                    (TableView::shapes(views))
                    header.mast.wrap {
                        h1 { (texts.title) }
                        p.meta {
                            @for other in Language::ALL {
                                a href=(format!("?lang={}", other.code())) lang=(other.code()) hreflang=(other.code()) title=(other.name())
                                    aria-current=[(other == language).then_some("true")] { (other.code().to_uppercase()) } " "
                            }
                        }
                    }
                    main.wrap {
                        p #why role="alert" { (why.unwrap_or_default()) }
                        div.tables {
                            @for (key, error, view) in tables {
                                (card(texts, key, error.as_deref(), view.as_ref()))
                            }
                        }
                        form.code #open method="post" action="/open" autocomplete="off" {
                            label for="code" { (texts.code) }
                            input #code name="code" required maxlength="64" autocapitalize="off" spellcheck="false" aria-describedby="code-hint";
                            button type="submit" { (texts.open) }
                            p.q.s #code-hint { (texts.code_hint) }
                        }
                        p.q.s #private hidden { (texts.private) }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn card(texts: &EntryTexts, key: &str, error: Option<&str>, view: Option<&Result<TableView, String>>) -> Markup {
    let view = match view {
        Some(Ok(view)) => Ok(view),
        Some(Err(why)) => Err(why.as_str()),
        None => Err(error.unwrap_or_default()),
    };
    html! {
        section.card id=(format!("table-{key}")) data-key=(key) {
            @match view {
                Ok(view) => (table(texts, key, view)),
                Err(why) => p.why { (why) },
            }
            form method="post" action=(format!("/table/{key}")) {
                input type="hidden" name="act" value="leave";
                button.plain type="submit" data-act="leave" { (texts.leave) }
            }
        }
    }
}

fn table(texts: &EntryTexts, key: &str, view: &TableView) -> Markup {
    let (table, action) = (&view.table, format!("/table/{key}"));
    let is_playing = table.state == EntryState::Playing;
    let name = |name: &Option<String>, other: &str| name.clone().unwrap_or_else(|| other.to_owned());
    let hidden = |act: &str, game: u32, ply: u32| {
        html! {
            input type="hidden" name="act" value=(act);
            input type="hidden" name="game" value=(game);
            input type="hidden" name="ply" value=(ply);
        }
    };
    html! {
        h2 {
            bdi { (table.board) }
            @if let Some(round) = table.round { small { ", " (texts.round.replace("{}", &round.to_string())) } }
        }
        p.players { bdi { (name(&table.white, texts.white)) } " – " bdi { (name(&table.black, texts.black)) } }
        p.turn role="status" { (state_text(texts, view)) }
        div.bwrap.big { (view.picture(&texts.board_label.replace("{}", &table.board))) }
        p.choices role="group" aria-label=(texts.which) hidden {}
        form.enter method="post" action=(action) autocomplete="off" {
            (hidden("enter", view.next.game, view.next.ply))
            label for=(format!("move-{key}")) { (texts.the_move) }
            input id=(format!("move-{key}")) name="move" required maxlength="60" autocapitalize="off" spellcheck="false";
            button type="submit" { (texts.enter) }
            details {
                summary { (texts.clocks) }
                label { (texts.white) input name="white" maxlength="10" placeholder="1:20:11"; }
                label { (texts.black) input name="black" maxlength="10" placeholder="1:18:02"; }
            }
        }
        p.queue role="alert" {}
        form.back method="post" action=(action) hidden[!is_playing || table.plies.is_empty()] {
            (hidden("take-back", table.game, table.plies.len() as u32))
            button type="submit" { (texts.take_back.replace("{}", table.plies.last().map_or("", String::as_str))) }
        }
        h3 { (texts.moves) }
        ol.moves { @for pair in table.plies.chunks(2) { li { (pair.join(" ")) } } }
        details.claim hidden[!is_playing] {
            summary { (texts.result) }
            form method="post" action=(action) {
                (hidden("claim", table.game, 0))
                @for result in view.results { button type="submit" name="result" value=(result) { (result) } " " }
            }
            p.q.s { (texts.result_hint) }
        }
    }
}

/// Describes the state of the game.
fn state_text(texts: &EntryTexts, view: &TableView) -> String {
    let table = &view.table;
    match (table.state, &table.claim) {
        (EntryState::Over, _) => texts.over.replace("{}", table.result.as_deref().unwrap_or("–")),
        (EntryState::Ready, _) => texts.ready.to_owned(),
        (EntryState::Playing, Some(claim)) => texts.claimed.replace("{}", claim),
        (EntryState::Playing, None) if view.turn == "white" => texts.white_to_move.to_owned(),
        (EntryState::Playing, None) => texts.black_to_move.to_owned(),
    }
}
