//! The HTML of the desk: one page, in which the script shows everything. Nothing of a station stands in it before somebody has logged in.

use axum::body::Bytes;
use draughts::Variant;
use maud::{DOCTYPE, html};

use crate::outward::web::assets::{Asset, CSS, JS};
use crate::outward::web::diagram;

/// The page and what it needs.
pub struct Page {
    /// As HTML.
    pub text: Bytes,
    /// Its files.
    pub assets: Vec<Asset>,
}

/// All of the script, in one file: it begins with what the rest uses.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("assets/core.js"),
    include_str!("assets/boards.js"),
    include_str!("assets/setup.js"),
    include_str!("assets/tournament.js"),
    include_str!("assets/station.js"),
    "start();\n",
);

impl Page {
    /// With a form for passwords, if there are some.
    pub fn new(has_passwords: bool) -> Page {
        let style = Asset::of_pages();
        let own = Asset::new("desk", "css", CSS, include_str!("assets/desk.css"));
        let script = Asset::new("desk", "js", JS, SCRIPT);
        let text = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="robots" content="noindex";
                    title { "damcast desk" }
                    link rel="stylesheet" href=(style.path());
                    link rel="stylesheet" href=(own.path());
                    link rel="icon" href="data:,";
                    script type="module" src=(script.path()) {}
                }
                body {
                    (diagram::definitions(Variant::all()))
                    a.skip href="#main" { "To the boards" }
                    header.dm {
                        div.wrap {
                            h1 { "Desk " span #event {} }
                            nav #views aria-label="Desk" hidden {}
                            div.who #who hidden {
                                span #me {}
                                button.btn #sound type="button" aria-pressed="false" { "Sound off" }
                                button.btn #leave type="button" { "Log out" }
                            }
                        }
                    }
                    p.banner #banner role="status" hidden {}
                    main #main .wrap tabindex="-1" {
                        section #login .login aria-labelledby="login-title" hidden {
                            h2 #login-title { "Log in" }
                            form #code-form autocomplete="off" {
                                label for="code" { "Code" }
                                input #code name="code" inputmode="numeric" autocomplete="one-time-code" required
                                    maxlength="12" aria-describedby="code-hint";
                                p.q.s #code-hint { "Six digits, for a minute. " code { "damcast ctl login" } " on the station makes one." }
                                button.btn.p type="submit" { "Log in" }
                            }
                            @if has_passwords {
                                form #password-form {
                                    label for="name" { "Name" }
                                    input #name name="name" autocomplete="username" required maxlength="64";
                                    label for="password" { "Password" }
                                    input #password type="password" autocomplete="current-password" required maxlength="256";
                                    button.btn.p type="submit" { "Log in" }
                                }
                            }
                            p #login-error role="alert" {}
                        }
                        noscript { p { "The desk needs JavaScript. `damcast ctl` and `damcast status` do the same without." } }
                        div #view {}
                    }
                    dialog #dialog aria-labelledby="dialog-title" {}
                    p #say .vh role="status" aria-live="polite" {}
                }
            }
        };
        Page { text: text.into_string().into(), assets: vec![style, own, script] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_inline_and_the_first_view_is_small() {
        let page = Page::new(true);
        let text = String::from_utf8(page.text.to_vec()).unwrap();
        assert!(text.contains("password-form"));
        for inline in ["<style", " style=", " onclick=", "javascript:", "<script>"] {
            assert!(!text.contains(inline), "{inline}");
        }
        assert!(!Page::new(false).text.windows(13).any(|part| part == b"password-form"));
        let packed: usize = page.assets.iter().map(|asset| asset.packed.len()).sum();
        assert!(packed + crate::outward::web::pack(&page.text).len() <= 30 << 10, "{packed}");
        let script = page.assets.iter().find(|asset| asset.kind == JS).map(|asset| asset.packed.len());
        assert!(script.is_some_and(|length| length <= 20_000), "{script:?}");
    }
}
