//! Texts of the desk, in each language of the pages. Those of the scripts are in files for translators, `texts/*.toml`; the page carries
//! them as JSON by key. The scripts have no texts of their own.
//!
//! Texts of the station (answers, alarms, states) are English, and the page marks them as English.

mod html;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::web::Language;
use crate::web::texts::{Entry, LocalizedText, to_json};
pub use html::HtmlTexts;

/// Texts of the first script by key, of each file.
static OF_SCRIPTS: LazyLock<Vec<BTreeMap<String, Row>>> =
    LazyLock::new(|| parse(&[include_str!("texts/core.toml"), include_str!("texts/boards.toml")]));

/// Texts of the script that the page loads after the first view.
static OF_OTHER_SCRIPT: LazyLock<Vec<BTreeMap<String, Row>>> = LazyLock::new(|| {
    parse(&[
        include_str!("texts/tournament.toml"),
        include_str!("texts/event.toml"),
        include_str!("texts/pairing.toml"),
        include_str!("texts/station.toml"),
        include_str!("texts/evening.toml"),
        include_str!("texts/missing.toml"),
        include_str!("texts/on_air.toml"),
    ])
});

fn parse(files: &[&str]) -> Vec<BTreeMap<String, Row>> {
    files.iter().map(|file| toml::from_str(file).expect("tests read these files")).collect()
}

/// A text in all languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Comment for translators.
    note: String,
    en: Forms,
    nl: Forms,
    fr: Forms,
    ru: Forms,
}

/// A text, or its forms for one and for many; Russian has a form for a few between them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Forms {
    Text(String),
    OneMany([String; 2]),
    OneFewMany([String; 3]),
}

impl Row {
    fn in_language(&'static self, language: Language) -> LocalizedText {
        let forms = match language {
            Language::En => &self.en,
            Language::Nl => &self.nl,
            Language::Fr => &self.fr,
            Language::Ru => &self.ru,
        };
        match forms {
            Forms::Text(text) => LocalizedText::Text(text),
            Forms::OneMany([one, many]) => LocalizedText::Plural([one, many, many]),
            Forms::OneFewMany([one, few, many]) => LocalizedText::Plural([one, few, many]),
        }
    }
}

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

/// Keys of the texts of the viewers' pages that only the script of the other views reads.
const FROM_PAGES_LATER: &[&str] = &["organiser", "regulations", "report", "schedule", "stream", "system", "website"];

/// Keys of the texts of the HTML that the scripts read.
const FROM_HTML: &[&str] = &["sound_off"];

/// Returns the rows of a script's files.
fn rows(files: &'static [BTreeMap<String, Row>], language: Language) -> impl Iterator<Item = Entry> {
    let rows = files.iter().flatten();
    rows.map(move |(key, row)| Entry { key, note: &row.note, text: row.in_language(language) })
}

/// Returns all rows of the first view.
fn entries(language: Language) -> Vec<Entry> {
    let mut entries = language.words().entries();
    entries.retain(|entry| FROM_PAGES.contains(&entry.key));
    let of_html = HtmlTexts::in_language(language).entries();
    entries.extend(of_html.into_iter().filter(|entry| FROM_HTML.contains(&entry.key)));
    entries.extend(rows(&OF_SCRIPTS, language));
    entries
}

/// Returns the rows of the other views.
fn other_entries(language: Language) -> impl Iterator<Item = Entry> {
    let of_pages = language.words().entries().into_iter().filter(|entry| FROM_PAGES_LATER.contains(&entry.key));
    rows(&OF_OTHER_SCRIPT, language).chain(of_pages)
}

/// Returns the texts of the other script as JSON.
pub fn for_other_script(language: Language) -> String {
    to_json(other_entries(language)).to_string()
}

/// Returns the texts of the first script as JSON that is safe inside HTML.
pub fn for_script(language: Language) -> String {
    to_json(entries(language)).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::desk::page::{OTHER_SCRIPT, SCRIPT};
    use crate::web::texts::{assert_agreement, keys_in};

    /// Whether the scripts complete a prefix to this key, as in `named('state', ..)` and `texts[..]`.
    fn is_completed(scripts: &str, key: &str) -> bool {
        let words = ["operator", "arbiter", "white_to_move", "black_to_move", "postponed", "adjourned"];
        let kinds = scripts.split("named('").skip(1).filter_map(|rest| rest.split_once('\''));
        words.contains(&key) || kinds.into_iter().any(|(kind, _)| key.starts_with(&format!("{kind}_")))
    }

    #[test]
    fn script_reads_each_text() {
        let keys = |entries: Vec<Entry>| -> BTreeSet<String> {
            let keys: BTreeSet<String> = entries.iter().map(|entry| entry.key.to_owned()).collect();
            assert_eq!(keys.len(), entries.len(), "a key is in two tables");
            keys
        };
        let first = keys(entries(Language::En));
        let all = keys(entries(Language::En).into_iter().chain(other_entries(Language::En)).collect());
        for (script, keys) in [(SCRIPT, &first), (OTHER_SCRIPT, &all)] {
            let read = keys_in(script);
            let missing: Vec<_> = read.difference(keys).collect();
            assert!(missing.is_empty(), "no table has {missing:?}");
        }
        let scripts = [SCRIPT, OTHER_SCRIPT].concat();
        let read = keys_in(&scripts);
        let idle: Vec<_> = all.difference(&read).filter(|key| !is_completed(&scripts, key)).collect();
        assert!(idle.is_empty(), "no script reads {idle:?}");
    }

    #[test]
    fn texts_agree_in_all_languages() {
        let all = |language| {
            let others = other_entries(language).collect();
            [entries(language), others].concat()
        };
        assert_agreement(all);
    }
}
