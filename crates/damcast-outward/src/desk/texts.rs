//! Texts of the desk, in each language of the pages: a table for the HTML, and one for each script. The page carries the texts of the
//! scripts as JSON by key; the scripts have no texts of their own.
//!
//! Texts of the station (answers, alarms, states) are English, and the page marks them as English.

mod boards;
mod core;
mod html;
mod station;
mod tournament;

use core::CoreTexts;

use crate::web::Language;
use crate::web::texts::{Entry, to_json};
use boards::BoardTexts;
pub use html::HtmlTexts;
use station::StationTexts;
use tournament::TournamentTexts;

/// Keys of the texts of the viewers' pages that the scripts of the desk read.
const FROM_PAGES: &[&str] = &[
    "adjourned",
    "black",
    "black_to_move",
    "board",
    "board_heading",
    "boards",
    "moves",
    "name",
    "played",
    "points",
    "postponed",
    "rank",
    "result",
    "round",
    "standings",
    "white",
    "white_to_move",
    "without_opponent",
];

/// Keys of the texts of the HTML that the scripts read.
const FROM_HTML: &[&str] = &["sound_off"];

/// Returns all rows that the scripts read.
fn entries(language: Language) -> Vec<Entry> {
    let mut entries = language.words().entries();
    entries.retain(|entry| FROM_PAGES.contains(&entry.key));
    let of_html = HtmlTexts::in_language(language).entries();
    entries.extend(of_html.into_iter().filter(|entry| FROM_HTML.contains(&entry.key)));
    entries.extend(CoreTexts::in_language(language).entries());
    entries.extend(BoardTexts::in_language(language).entries());
    entries.extend(TournamentTexts::in_language(language).entries());
    entries.extend(StationTexts::in_language(language).entries());
    entries
}

/// Returns the texts of the scripts as JSON that is safe inside HTML.
pub fn for_script(language: Language) -> String {
    to_json(entries(language)).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::desk::page::SCRIPT;
    use crate::web::texts::{faults, keys_in};

    /// Whether the scripts complete a prefix to this key, as in `named('state', ..)` and `texts[..]`.
    fn is_completed(key: &str) -> bool {
        let words = ["operator", "arbiter", "white_to_move", "black_to_move", "postponed", "adjourned"];
        let kinds = SCRIPT.split("named('").skip(1).filter_map(|rest| rest.split_once('\''));
        words.contains(&key) || kinds.into_iter().any(|(kind, _)| key.starts_with(&format!("{kind}_")))
    }

    #[test]
    fn script_reads_each_text() {
        let entries = entries(Language::En);
        let keys: BTreeSet<String> = entries.iter().map(|entry| entry.key.to_owned()).collect();
        assert_eq!(keys.len(), entries.len(), "a key is in two tables");
        let read = keys_in(SCRIPT);
        let missing: Vec<_> = read.difference(&keys).collect();
        assert!(missing.is_empty(), "no table has {missing:?}");
        let idle: Vec<_> = keys.difference(&read).filter(|key| !is_completed(key)).collect();
        assert!(idle.is_empty(), "no script reads {idle:?}");
    }

    #[test]
    fn texts_agree_in_all_languages() {
        let all = |language| [HtmlTexts::in_language(language).entries(), entries(language)].concat();
        for language in Language::ALL {
            let faults = faults(&all(language), &all(Language::En));
            assert!(faults.is_empty(), "{language:?}: {faults:#?}");
        }
    }
}
