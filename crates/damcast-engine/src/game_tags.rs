//! Tags at the start of a game recorded by the station, in the order of the standard.
//!
//! Source: PDN 3.0, chapter "PDN Tags".

use draughts::{ResultFormat, Variant};
use draughts_pdn::tag;
pub use draughts_pdn::tag_values::MAX_RESULT_LEN;

/// Tags ignored in the input: the variant supplies the game type, and the result is still unknown.
const RESERVED_TAGS: [&str; 2] = ["GameType", "Result"];

/// Tag order of the standard, chapter "PDN Tags". Other tags follow in input order.
const TAG_ORDER: [&str; 30] = [
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

/// Returns the tags of a game in the order of the standard, with GameType and without Result. Omits empty values and
/// names that are not PDN identifiers.
pub fn ordered_tags(variant: &Variant, input_tags: &[(String, String)]) -> Vec<(String, String)> {
    let game_type = ("GameType".to_owned(), variant.game_type.tag_value());
    let input_tags = input_tags.iter().filter(|(name, value)| {
        tag::is_identifier(name) && !value.is_empty() && !RESERVED_TAGS.contains(&name.as_str())
    });
    let mut tags: Vec<&(String, String)> = input_tags.chain([&game_type]).collect();
    tags.sort_by_key(|(name, _)| TAG_ORDER.iter().position(|known| known == name).unwrap_or(TAG_ORDER.len()));
    tags.into_iter().map(|(name, value)| (name.clone(), tag::reader_safe(value))).collect()
}

/// Returns the names of White and Black from the tags; `None` if missing, empty or `?`.
pub fn player_names(tags: &[(String, String)]) -> [Option<String>; 2] {
    ["White", "Black"].map(|side| {
        let name = tags.iter().find(|(tag, _)| tag == side).map(|(_, name)| name.trim())?;
        Some(name).filter(|name| !name.is_empty() && *name != "?").map(str::to_owned)
    })
}

/// Returns the permitted results: those of the tag `ResultFormat`, else those of the game type. `None` if the standard
/// does not list the format.
pub fn result_format(variant: &Variant, tags: &[(String, String)]) -> Option<ResultFormat> {
    match tags.iter().find(|(name, value)| name == "ResultFormat" && !value.is_empty()) {
        Some((_, format)) => ResultFormat::from_tag(format),
        None => Some(variant.result_format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_tags_by_standard_and_escapes_values() {
        let input_tags = [
            ("Board", "7"),
            ("Club", "Ons Genoegen"),
            ("Black", "Boomstra, \"Roel\" [2]"),
            ("Event", "NK\n2026"),
            ("Round", ""),
            ("Result", "2-0"),
            ("GameType", "25"),
        ];
        let input_tags = input_tags.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let expected = [
            ("Event", "NK 2026"),
            ("Black", "Boomstra, \"Roel\" (2)"),
            ("GameType", "20"),
            ("Board", "7"),
            ("Club", "Ons Genoegen"),
        ];
        let tags = ordered_tags(Variant::international(), &input_tags);
        assert_eq!(tags, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
