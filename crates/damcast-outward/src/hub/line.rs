//! Lines of a hall, and the lines that the hub makes of them. Pure.

use std::borrow::Cow;
use std::fmt;

use draughts_tournament::HIDDEN_NAME;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::joined_sections::JoinedSections;

/// Members of a JSON object in their order, with their values as written.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<MemberName<'de>>()? {
                    members.push((name.0, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[derive(Deserialize)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

/// Place of a joined line: its number in the joined file, and its origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinePlace<'a> {
    /// Generation of the joined file.
    pub generation: &'a str,
    /// Number in the joined file.
    pub seq: u64,
    /// Name of the hall.
    pub hall: &'a str,
    /// Number in the hall's file.
    pub hall_seq: u64,
}

/// Makes the joined line of a hall's line: its members in their order, with the place in front. Names of boards and ids of pairings get the hall's
/// name; names of hidden players become that of all hidden players. A line that is no object counts as one without members.
pub(super) fn joined(line: &str, place: &LinePlace<'_>, sections: &JoinedSections) -> String {
    let LinePlace { generation, seq, hall, hall_seq } = *place;
    let members = serde_json::from_str::<Members<'_>>(line).map(|members| members.0).unwrap_or_default();
    let text_of = |name: &str| {
        let found = members.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| serde_json::from_str::<Cow<'_, str>>(value.get()).ok())
    };
    // A hall may be a hub itself.
    let inner = text_of("hall").map(|inner| format!("{hall}/{inner}"));
    let is_of_inner = || text_of("type").is_some_and(|kind| ["hall", "tournament", "boards"].contains(&&*kind));
    let shown_hall = inner.as_deref().filter(|_| is_of_inner()).unwrap_or(hall);
    let mut text =
        format!("{{\"seq\":{seq},\"gen\":{},\"hall\":{},\"hall_seq\":{hall_seq}", json!(generation), json!(shown_hall));
    let is_pairing_correction = text_of("field").is_some_and(|field| field == "pairing");
    let is_number_correction = text_of("field").is_some_and(|field| field.ends_with("FmjdId"));
    for (name, value) in &members {
        let raw = value.get();
        let as_text = || serde_json::from_str::<String>(raw).ok();
        let changed = match &**name {
            "seq" | "gen" | "hall" | "hall_seq" => continue,
            "board" => as_text().map(|board| json!(format!("{hall}.{board}"))),
            "boards" => serde_json::from_str::<Vec<String>>(raw)
                .ok()
                .map(|boards| boards.iter().map(|board| format!("{hall}.{board}")).collect::<Value>()),
            "halls" => serde_json::from_str::<Vec<String>>(raw)
                .ok()
                .map(|halls| halls.iter().map(|inner| format!("{hall}/{inner}")).collect::<Value>()),
            "pairing" => as_text().map(|id| json!(sections.pairing(hall, &id))),
            "old" | "new" if is_pairing_correction => {
                as_text().filter(|id| !matches!(&**id, "" | "none")).map(|id| json!(sections.pairing(hall, &id)))
            }
            // A number at the FMJD names the player.
            "old" | "new" if is_number_correction && sections.hides_names(hall) => Some(json!("")),
            "white" | "black" | "old" | "new" => as_text().map(|name| json!(sections.shown_name(hall, &name))),
            "parts" | "list" if sections.hides_names(hall) => {
                serde_json::from_str::<Value>(raw).ok().map(|value| sections.masked(hall, value))
            }
            "tags" if sections.hides_names(hall) => serde_json::from_str::<Value>(raw).ok().map(|mut tags| {
                for side in ["White", "Black"] {
                    let Some(shown) = tags[side].as_str().map(|name| sections.shown_name(hall, name).to_owned()) else {
                        continue;
                    };
                    if shown == HIDDEN_NAME
                        && let Some(tags) = tags.as_object_mut()
                    {
                        tags.remove(&format!("{side}FmjdId"));
                    }
                    tags[side] = shown.into();
                }
                tags
            }),
            _ => None,
        };
        text += &format!(",{}:", json!(name));
        match changed {
            Some(value) => text += &value.to_string(),
            None => text += raw,
        }
    }
    text + "}\n"
}

/// Member names that place a line.
#[derive(Deserialize, Debug)]
pub(super) struct PlacedLine {
    /// Number in its file.
    pub seq: u64,
    /// Generation of its file.
    pub r#gen: String,
    /// Hall, also with the halls inside it.
    pub hall: Option<String>,
    /// Number in the hall's file; `None` for a line of the hub itself.
    pub hall_seq: Option<u64>,
    /// Type of the event.
    pub r#type: Option<String>,
    /// State of a hall.
    pub state: Option<String>,
    /// Generation of a hall's file.
    pub generation: Option<String>,
    /// Delay of a hall, in seconds.
    #[serde(default)]
    pub delay_s: u32,
    /// Delay of a hall, in plies.
    #[serde(default)]
    pub delay_plies: u32,
    /// Names of the halls.
    pub halls: Option<Vec<String>>,
    /// Digest of the hidden players.
    pub hidden: Option<String>,
}
