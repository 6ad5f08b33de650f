//! The live file of a game: written line by line while others read it.
//!
//! ```text
//! [Date "2026.11.21"]
//! [GameType "20"]
//! [Result "*"]            last tag; the newlines behind it are a reserve
//!                         so that the longest result of the game can be written over `*` at equal length
//!
//!
//! 1. 32-28 {[%clock w1:29:49 B1:30:00]}
//! 19-23 {[%clock W1:29:49 b1:29:53]}
//! *
//! ```
//!
//! A line once written stays; the Result tag alone is overwritten, once, when the game has ended. The file is valid PDN 3.0
//! after every line.

use super::tag;
use crate::rules::{ResultFormat, Variant};

/// The tags that the live file writes by itself: the game is known, the result is not.
const OWN: [&str; 2] = ["GameType", "Result"];

/// The order of the standard's tags, as its chapter "PDN Tags" has them; others follow in the order they were given.
const ORDER: [&str; 30] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "WhiteTitle",
    "BlackTitle",
    "WhiteRating",
    "BlackRating",
    "WhiteFmjdId",
    "BlackFmjdId",
    "WhiteNA",
    "BlackNA",
    "WhiteType",
    "BlackType",
    "GameType",
    "TimeControl",
    "TimeControlWhite",
    "TimeControlBlack",
    "EventDate",
    "EventSponsor",
    "Section",
    "Stage",
    "Board",
    "Time",
    "UTCDate",
    "UTCTime",
    "Annotator",
    "FEN",
];

/// The tag that holds the result, before the result is known.
const RESULT_TAG: &str = "[Result \"*\"]";

/// The lines of a new file, without their LF: the tags, Result last, its reserve, and the empty line before the moves.
///
/// The reserve are the newlines that the longest result overwrites: one for each byte that it is longer than `*`.
pub fn header(variant: &Variant, tags: &[(String, String)]) -> Vec<String> {
    let mut lines: Vec<String> =
        self::tags(variant, tags).iter().map(|(name, value)| tag::write(name, value)).collect();
    lines.push(RESULT_TAG.to_owned());
    let longest = result_format(variant, tags).map_or(LONGEST_RESULT, ResultFormat::longest);
    lines.extend(std::iter::repeat_n(String::new(), longest));
    lines
}

/// The tags of a game in the order of the standard, GameType among them, without its result. What cannot be written, or
/// has no value, is left out.
pub fn tags(variant: &Variant, given: &[(String, String)]) -> Vec<(String, String)> {
    let game_type = ("GameType".to_owned(), variant.game_type.tag_value());
    let given = given
        .iter()
        .filter(|(name, value)| tag::is_identifier(name) && !value.is_empty() && !OWN.contains(&name.as_str()));
    let mut tags: Vec<&(String, String)> = given.chain([&game_type]).collect();
    tags.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    tags.into_iter().map(|(name, value)| (name.clone(), harmless(value))).collect()
}

/// The longest result of a format that the standard does not list, in bytes: as long as the longest that it lists.
pub const LONGEST_RESULT: usize = ResultFormat::Delfts.longest();

/// Who has White and who Black by the tags of a game; `None`: they do not say, or `?`.
pub fn players(tags: &[(String, String)]) -> [Option<String>; 2] {
    ["White", "Black"].map(|side| {
        let name = tags.iter().find(|(tag, _)| tag == side).map(|(_, name)| name.trim())?;
        Some(name).filter(|name| !name.is_empty() && *name != "?").map(str::to_owned)
    })
}

/// The results that a game with these tags may have: as its tag `ResultFormat` says, else those of the game type. `None`:
/// a format that the standard does not list.
pub fn result_format(variant: &Variant, tags: &[(String, String)]) -> Option<ResultFormat> {
    match tags.iter().find(|(name, value)| name == "ResultFormat" && !value.is_empty()) {
        Some((_, format)) => ResultFormat::from_tag(format),
        None => Some(variant.result_format),
    }
}

/// A value that no reader stumbles over: one that splits games or tags at brackets loses every later tag to a `]`.
fn harmless(value: &str) -> String {
    let replace = |c: char| match c {
        ']' => ')',
        '[' => '(',
        c if c.is_control() => ' ',
        c => c,
    };
    value.chars().map(replace).collect()
}

/// Where and with what a live file is overwritten when its result is known: the offset of the first byte, and the bytes.
/// `None` when the file has no unwritten Result tag, or its reserve is too small.
pub fn overwrite_result(file: &[u8], result: &str) -> Option<(usize, Vec<u8>)> {
    let line = format!("{RESULT_TAG}\n");
    let begins_line = |&start: &usize| start == 0 || file[start - 1] == b'\n';
    let mut matches = (0..file.len()).filter(|&start| file[start..].starts_with(line.as_bytes()));
    let start = matches.find(begins_line)?;
    let newlines = file[start + RESULT_TAG.len()..].iter().take_while(|&&byte| byte == b'\n').count();
    let grows_by = result.len().checked_sub(1)?;
    if newlines < grows_by + 2 {
        return None;
    }
    let mut bytes = format!("[Result \"{result}\"]").into_bytes();
    bytes.resize(RESULT_TAG.len() + newlines, b'\n');
    Some((start, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(tags: &[(&str, &str)]) -> Vec<(String, String)> {
        tags.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn file(tag: &str, given: &[(&str, &str)]) -> String {
        let lines = header(Variant::from_tag(tag).unwrap(), &tags(given));
        lines.iter().flat_map(|line| [line, "\n"]).collect()
    }

    #[test]
    fn tags_stand_in_the_order_of_the_standard_and_harm_nobody() {
        let given = [
            ("Board", "7"),
            ("Club", "Ons Genoegen"),
            ("Black", "Boomstra, \"Roel\" [2]"),
            ("Event", "NK\n2026"),
            ("Round", ""),
            ("Result", "2-0"),
            ("GameType", "25"),
        ];
        let expected = "[Event \"NK 2026\"]\n[Black \"Boomstra, \\\"Roel\\\" (2)\"]\n[GameType \"20\"]\n[Board \"7\"]\n\
                        [Club \"Ons Genoegen\"]\n[Result \"*\"]\n\n\n\n";
        assert_eq!(file("20", &given), expected);
    }

    #[test]
    fn the_longest_result_of_every_game_fits_into_the_reserve() {
        for variant in Variant::all() {
            for result in variant.result_format.values() {
                let before = file(&variant.game_type.to_string(), &[]) + "1. a\n";
                let (offset, bytes) = overwrite_result(before.as_bytes(), result).unwrap();
                let mut after = before.clone().into_bytes();
                after[offset..offset + bytes.len()].copy_from_slice(&bytes);
                let after = String::from_utf8(after).unwrap();
                assert_eq!(after.len(), before.len());
                assert!(after.contains(&format!("[Result \"{result}\"]\n\n")), "{after}");
                assert!(after.ends_with("\n\n1. a\n"), "{after}");
            }
        }
    }

    #[test]
    fn the_results_of_a_format_of_its_own_fit_as_well() {
        for (format, results) in [
            ("Plus draw", &["2-0", "1+ - 1-", "*"][..]),
            ("Delfts", &["1 1/2 - 1/2", "1/2 - 1 1/2"]),
            ("Goes", &["1.01-0.99", "0-2"]),
            ("Points of our club", &["12345678901"]),
        ] {
            let given = tags(&[("ResultFormat", format)]);
            for result in results {
                assert!(result_format(Variant::international(), &given).is_none_or(|format| format.allows(result)));
                let before = file("20", &[("ResultFormat", format)]) + "1. a\n";
                let (offset, bytes) = overwrite_result(before.as_bytes(), result).unwrap();
                let after = [&before.as_bytes()[..offset], &bytes, &before.as_bytes()[offset + bytes.len()..]].concat();
                assert!(String::from_utf8(after).unwrap().ends_with("\n\n1. a\n"), "{format} {result}");
            }
        }
    }

    #[test]
    fn a_result_is_written_once() {
        let before = file("20", &[]);
        let (offset, bytes) = overwrite_result(before.as_bytes(), "2-0").unwrap();
        let mut after = before.into_bytes();
        after[offset..offset + bytes.len()].copy_from_slice(&bytes);
        assert_eq!(overwrite_result(&after, "0-2"), None);
    }
}
