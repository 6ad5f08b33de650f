//! Languages of the pages, and the form of their tables of texts. The tables of the viewers' pages are in `pages`, those of the desk in
//! `desk::texts`.

pub mod pages;
pub mod studio;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use serde::Serialize;
use serde_json::{Value, json};

pub use pages::PageTexts;

/// A language of the pages, in the order of the columns of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// English
    En,
    /// Dutch
    Nl,
    /// French
    Fr,
    /// Russian
    Ru,
}

/// Forms of a text: for 1 (French: also 0; Russian: also 21, 31, ...), for a few (Russian: 2 to 4, 22 to 24, ...), and for all other numbers.
/// Languages without a form for a few repeat the one for many.
pub type Plural = [&'static str; 3];

/// A text in one language.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum LocalizedText {
    /// One text.
    Text(&'static str),
    /// Forms for numbers; the first `{}` is the number.
    Plural(Plural),
}

/// A row of a table, in one language.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name of the text in code and scripts.
    pub key: &'static str,
    /// Comment for translators: where the text is shown, and the meaning of each `{}`.
    pub note: &'static str,
    /// Text of the row.
    pub text: LocalizedText,
}

/// Declares a table of texts: a struct with a field for each text, and the struct's value in each language.
///
/// A row has a comment for translators, a key, and the text in English, Dutch, French and Russian. Rows of `counts` have two forms in each
/// language, for one and for many; Russian has a form for a few between them. A row without its comment or a language does not compile.
macro_rules! texts {
    ($(#[$about:meta])* $table:ident
     texts { $($(#[doc = $note:literal])+ $text:ident: $en:literal, $nl:literal, $fr:literal, $ru:literal;)* }
     counts { $($(#[doc = $count_note:literal])+ $count:ident: $en_one:literal $en_many:literal, $nl_one:literal $nl_many:literal,
        $fr_one:literal $fr_many:literal, $ru_one:literal $ru_few:literal $ru_many:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $table {
            $($(#[doc = $note])+ pub $text: &'static str,)*
            $($(#[doc = $count_note])+ pub $count: $crate::web::texts::Plural,)*
        }

        impl $table {
            /// Returns the table in a language.
            pub fn in_language(language: $crate::web::texts::Language) -> &'static $table {
                const fn table(language: usize) -> $table {
                    $table {
                        $($text: [$en, $nl, $fr, $ru][language],)*
                        $($count: [
                            [$en_one, $en_many, $en_many], [$nl_one, $nl_many, $nl_many],
                            [$fr_one, $fr_many, $fr_many], [$ru_one, $ru_few, $ru_many],
                        ][language],)*
                    }
                }
                static TABLES: [$table; 4] = [table(0), table(1), table(2), table(3)];
                &TABLES[language as usize]
            }

            /// Returns all rows.
            #[allow(dead_code, reason = "the tests of every table read it")]
            pub fn entries(&self) -> Vec<$crate::web::texts::Entry> {
                use $crate::web::texts::{Entry, LocalizedText};
                vec![
                    $(Entry { key: stringify!($text), note: concat!($($note),+), text: LocalizedText::Text(self.$text) },)*
                    $(Entry { key: stringify!($count), note: concat!($($count_note),+), text: LocalizedText::Plural(self.$count) },)*
                ]
            }
        }

        #[cfg(test)]
        #[test]
        fn texts_agree_in_all_languages() {
            $crate::web::texts::assert_agreement(|language| $table::in_language(language).entries());
        }
    };
}
pub(crate) use texts;

/// Returns rows as a JSON object of texts by key, for a script.
pub fn to_json(entries: impl IntoIterator<Item = Entry>) -> Value {
    entries.into_iter().map(|entry| (entry.key.to_owned(), json!(entry.text))).collect()
}

impl Language {
    /// All languages, in the order of the links.
    pub const ALL: [Language; 4] = [Language::En, Language::Nl, Language::Fr, Language::Ru];

    /// Returns the code, as in `lang="nl"`.
    pub fn code(self) -> &'static str {
        ["en", "nl", "fr", "ru"][self as usize]
    }

    /// Chooses the language of the address, else the browser's preferred one, else English.
    pub fn negotiate(lang: Option<&str>, headers: &HeaderMap) -> Language {
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let preferred = || Language::preferred(accepted.unwrap_or_default());
        lang.and_then(Language::from_code).or_else(preferred).unwrap_or(Language::En)
    }

    /// Returns the name of the language, in the language.
    pub fn name(self) -> &'static str {
        ["English", "Nederlands", "Français", "Русский"][self as usize]
    }

    /// Returns the texts of the viewers' pages.
    pub fn words(self) -> &'static PageTexts {
        PageTexts::in_language(self)
    }

    /// Parses a code, with or without a country.
    pub fn from_code(code: &str) -> Option<Language> {
        let code = code.split(['-', '_']).next().unwrap_or_default();
        Language::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// Returns the preferred language of an `Accept-Language` header.
    pub fn preferred(header: &str) -> Option<Language> {
        let weighed = header.split(',').take(32).filter_map(|part| {
            let (code, rest) = part.split_once(';').unwrap_or((part, ""));
            let weight = rest.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>).ok()?;
            Some((Language::from_code(code.trim())?, weight)).filter(|(_, weight)| *weight > 0.0)
        });
        // The first of equally preferred languages wins.
        weighed.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(language, _)| language)
    }

    /// Returns the form of a text for a number, with the number in place of its first `{}`.
    pub fn count(self, plural: Plural, number: usize) -> String {
        let (ones, tens) = (number % 10, number % 100 / 10);
        let [one, few, many] = plural;
        let form = match self {
            Language::Ru if ones == 1 && tens != 1 => one,
            Language::Ru if (2..=4).contains(&ones) && tens != 1 => few,
            Language::Ru => many,
            Language::Fr if number == 0 => one,
            _ if number == 1 => one,
            _ => many,
        };
        fill(form, number)
    }
}

/// Replaces the first `{}` of a text.
pub fn fill(sentence: &str, with: impl std::fmt::Display) -> String {
    sentence.replacen("{}", &with.to_string(), 1)
}

/// Faults of a table in one language, each with its key: a poor comment, other places than in English, markup, straight quotes.
#[cfg(test)]
fn faults(entries: &[Entry], english: &[Entry]) -> Vec<String> {
    const PLACES: [&str; 5] = ["{}", "{side}", "{from}", "{to}", "{taken}"];
    let forms = |text: LocalizedText| match text {
        LocalizedText::Text(text) => vec![text],
        LocalizedText::Plural(forms) => forms.to_vec(),
    };
    let places = |text: &str| PLACES.map(|place| text.matches(place).count());
    let mut faults = Vec::new();
    for (entry, english) in entries.iter().zip(english) {
        let mut check = |is_right: bool, fault: &str| {
            if !is_right {
                faults.push(format!("{}: {fault}", entry.key));
            }
        };
        let expected = places(forms(english.text)[2.min(forms(english.text).len() - 1)]);
        let note = entry.note.trim();
        check(note.ends_with(['.', '`']) && note.contains(' '), "the comment says too little");
        check(
            PLACES.iter().zip(expected).all(|(place, count)| note.matches(&format!("`{place}`")).count() == count),
            "the comment does not explain each place",
        );
        for text in forms(entry.text) {
            check(places(text) == expected, "other places than in English");
            check(!text.trim().is_empty() && !text.contains(['<', '\n']), "empty, or with markup");
            check(!text.contains(['\'', '"']), "a straight quote or apostrophe");
            check(matches!(entry.text, LocalizedText::Text(_)) || text.contains("{}"), "no place for the number");
        }
    }
    faults
}

/// Asserts that a table has no faults in any language.
#[cfg(test)]
pub fn assert_agreement(table: impl Fn(Language) -> Vec<Entry>) {
    for language in Language::ALL {
        let faults = faults(&table(language), &table(Language::En));
        assert!(faults.is_empty(), "{language:?}: {faults:#?}");
    }
}

/// Returns the keys that a script reads, as `texts.KEY`.
pub fn keys_in(script: &str) -> std::collections::BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    let places = script.match_indices("texts.").filter(|(at, _)| {
        let before = &script[..*at];
        !before.ends_with(is_name) || before.ends_with("...")
    });
    let keys = places.map(|(at, sign)| &script[at + sign.len()..]);
    keys.map(|rest| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_plural_forms() {
        let over = |language: Language, number| language.count(language.words().stored_page, number);
        assert!(over(Language::En, 1).contains("1 minute old"));
        assert!(over(Language::En, 0).contains("0 minutes"));
        assert!(over(Language::Fr, 0).contains("0 minute"));
        let forms = "1 минута|21 минута|2 минуты|24 минуты|5 минут|11 минут|12 минут|111 минут|100 минут";
        for form in forms.split('|') {
            let number = form.split(' ').next().unwrap().parse().unwrap();
            assert!(over(Language::Ru, number).ends_with(form), "{form}");
        }
    }

    #[test]
    fn chooses_preferred_language() {
        for (header, expected) in [
            ("nl-BE,nl;q=0.9,en;q=0.8", Some(Language::Nl)),
            ("de, fr;q=0.5, ru;q=0.7", Some(Language::Ru)),
            ("de", None),
            ("", None),
            ("en;q=0, fr;q=0.1", Some(Language::Fr)),
            ("fr, nl", Some(Language::Fr)),
            ("*;q=x,;;;,nl;q=nan", None),
        ] {
            assert_eq!(Language::preferred(header), expected, "{header}");
        }
    }
}
