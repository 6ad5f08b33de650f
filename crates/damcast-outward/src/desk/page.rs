//! HTML of the desk: one page per language, which the script fills. The page has no data of the station before the login. Texts of
//! the script are embedded as JSON, which browsers do not execute.

use maud::{DOCTYPE, PreEscaped, html};

use super::texts::{HtmlTexts, for_other_script, for_script};
use crate::web::Language;
use crate::web::assets::{Asset, CSS, JS, STYLE, joined, minify};

/// Page of the desk with its assets.
pub struct Page {
    /// HTML in each language; their paths are unused.
    texts: Vec<(Language, Asset)>,
    /// Style and script.
    pub assets: Vec<Asset>,
}

/// Script of the first view, the boards; `core.js` comes first, because the others use it.
pub(super) const SCRIPT: &str =
    concat!("'use strict';\n", include_str!("assets/core.js"), include_str!("assets/boards.js"), "start();\n");

/// Script of the other views, which the page loads after the first view.
pub(super) const OTHER_SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("assets/setup.js"),
    include_str!("assets/tournament.js"),
    include_str!("assets/event.js"),
    include_str!("assets/pairing.js"),
    include_str!("assets/paper.js"),
    include_str!("assets/results.js"),
    include_str!("assets/station.js"),
    include_str!("assets/evening.js"),
    include_str!("assets/missing.js"),
    include_str!("assets/on_air.js"),
);

impl Page {
    /// Builds the page, with a form for passwords if `has_passwords`.
    pub fn new(has_passwords: bool) -> Page {
        // One style saves a request.
        let style = Asset::new("desk", "css", CSS, joined(&[STYLE, include_str!("assets/desk.css")]));
        let script = Asset::new("desk", "js", JS, minify(SCRIPT));
        let paper = Asset::new("paper", "css", CSS, joined(&[crate::paper::STYLE]));
        let (mut texts, mut assets) = (Vec::new(), Vec::new());
        for language in Language::ALL {
            let other_texts = format!("Object.assign(texts, {});\n", for_other_script(language));
            let other_script = Asset::new("views", "js", JS, minify(OTHER_SCRIPT) + &other_texts);
            let paths = [&*style.path, &script.path, &other_script.path, &paper.path];
            let text = html(language, has_passwords, paths);
            texts.push((language, Asset::new("desk", "html", "text/html; charset=utf-8", text)));
            assets.push(other_script);
        }
        assets.splice(..0, [style, script]);
        assets.push(paper);
        Page { texts, assets }
    }

    /// Returns the HTML in a language.
    pub fn text(&self, language: Language) -> Option<&Asset> {
        self.texts.iter().find(|(known, _)| *known == language).map(|(_, text)| text)
    }
}

fn html(language: Language, has_passwords: bool, [style, script, other_script, paper]: [&str; 4]) -> String {
    let (t, of_pages) = (HtmlTexts::in_language(language), language.words());
    let page = html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="robots" content="noindex";
                title { "damcast desk" }
                link rel="stylesheet" href=(style);
                link rel="icon" href="data:,";
                script #texts type="application/json" { (PreEscaped(for_script(language))) }
                script defer src=(script) {}
            }
            body data-views=(other_script) data-paper=(paper) {
                a.skip href="#main" { (t.skip) }
                header.dm {
                    div.wrap {
                        h1 { (t.desk) " " span #event {} }
                        nav #views aria-label=(t.desk) hidden {}
                        div.who #who hidden {
                            span #me {}
                            button.btn #sound type="button" aria-pressed="false" { (t.sound_off) }
                            button.btn #leave type="button" { (t.log_out) }
                        }
                        nav #languages aria-label=(of_pages.language) {
                            @for other in Language::ALL {
                                a href=(format!("?lang={}", other.code())) lang=(other.code()) hreflang=(other.code()) title=(other.name())
                                    aria-current=[(other == language).then_some("true")] { (other.code().to_uppercase()) }
                            }
                        }
                    }
                }
                p.banner #banner role="status" hidden {}
                main #main .wrap tabindex="-1" {
                    section #login .login aria-labelledby="login-title" hidden {
                        h2 #login-title { (t.log_in) }
                        form #code-form autocomplete="off" {
                            label for="code" { (t.code) }
                            input #code name="code" inputmode="numeric" autocomplete="one-time-code" required
                                maxlength="12" aria-describedby="code-hint";
                            p.q.s #code-hint { (t.code_hint) }
                            button.btn.p type="submit" { (t.log_in) }
                        }
                        @if has_passwords {
                            form #password-form {
                                label for="name" { (of_pages.name) }
                                input #name name="name" autocomplete="username" required maxlength="64";
                                label for="password" { (t.password) }
                                input #password type="password" autocomplete="current-password" required maxlength="256";
                                button.btn.p type="submit" { (t.log_in) }
                            }
                        }
                        p #login-error role="alert" {}
                    }
                    noscript { p { (t.no_script) } }
                    div #view {}
                }
                dialog #dialog aria-labelledby="dialog-title" {}
                p #say .vh role="status" aria-live="polite" {}
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Safari 15, the last one of many tablets and phones, has neither; a script with the first is not read at all.
    #[test]
    fn scripts_are_for_old_tablets_too() {
        for script in [SCRIPT, OTHER_SCRIPT, crate::entry::page::SCRIPT] {
            for unknown in ["(?<=", "(?<!", "AbortSignal.timeout("] {
                assert!(!script.contains(unknown), "{unknown}");
            }
        }
    }

    #[test]
    fn nothing_is_inline_and_first_view_is_small() {
        let page = Page::new(true);
        let first = &page.assets[..2];
        assert!(first.iter().all(|asset| asset.path.starts_with("/assets/desk-")), "with the page three requests");
        let packed: usize = first.iter().map(|asset| asset.compressed.len()).sum();
        for language in Language::ALL {
            let text = page.text(language).unwrap();
            let html = String::from_utf8(text.bytes.to_vec()).unwrap();
            assert!(html.contains("password-form") && html.contains(&format!("<html lang=\"{}\">", language.code())));
            for inline in ["<style", " style=", " onclick=", "javascript:", "<script>"] {
                assert!(!html.contains(inline), "{inline}");
            }
            assert_eq!(html.matches("<script").count(), 2, "the words, and the address of the script");
            let first = packed + text.compressed.len();
            assert!(first <= 30 << 10, "{language:?}: {first}");
        }
        let without = Page::new(false);
        let english = without.text(Language::En).unwrap();
        assert!(!english.bytes.windows(13).any(|part| part == b"password-form"));
        let script = first.iter().find(|asset| asset.kind == JS).map(|asset| asset.compressed.len());
        assert!(script.is_some_and(|length| length <= 20_000), "{script:?}");
    }

    #[test]
    fn script_texts_stay_on_one_line() {
        for line in SCRIPT.lines().chain(OTHER_SCRIPT.lines()) {
            assert!(line.matches('`').count() % 2 == 0, "{line}");
        }
    }
}
