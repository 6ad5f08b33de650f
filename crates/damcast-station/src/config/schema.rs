//! JSON Schema of the configuration, for editors: `damcast config schema > damcast.schema.json`.
//!
//! Made from the rows of [`super::keys`] and the text of [`super::reference`]; it checks single values only. `damcast config check` also
//! checks that no two lines share a port.

use serde_json::{Map, Value, json};

use super::keys::{Key, MissingKey, Section, ValueKind};
use super::reference;

/// Returns the schema, in the draft supported by TOML editors.
pub fn schema() -> Value {
    let mut board = table(Section::Board);
    board["properties"]["tags"] = tags("Tags of the games of this board; an empty one takes that of the line away.");
    let mut line = table(Section::Line);
    line["properties"]["tags"] = tags("Tags of the games of this line; an empty one takes that of the station away.");
    // `board` is the serial number on a line with one board, the list of boards on a bus.
    let number = line["properties"]["board"].take();
    line["properties"]["board"] = json!({ "oneOf": [number, { "type": "array", "items": board }] });
    // A table whose moves are entered by hand has no port.
    let required = line["required"].as_array_mut().into_iter().flatten();
    let required: Vec<Value> = required.filter(|key| *key != "port").map(|key| key.take()).collect();
    line["required"] = required.into();
    line["if"] = json!({ "properties": { "mode": { "const": "entry" } }, "required": ["mode"] });
    line["then"] = json!({ "properties": { "port": false } });
    line["else"] = json!({ "required": ["port"] });
    let mut station = table(Section::Station);
    station["properties"]["tags"] = tags("Tags of all games.");
    let mut properties = Map::new();
    for section in Section::ALL {
        let value = match section {
            Section::Station => station.clone(),
            Section::Line => json!({ "type": "array", "minItems": 1, "items": line }),
            Section::Outlet | Section::Deliver => json!({ "type": "array", "items": table(section) }),
            Section::Hub => {
                let mut hub = table(Section::Hub);
                hub["properties"]["hall"] = json!({ "type": "array", "minItems": 1, "items": table(Section::Hall) });
                hub
            }
            Section::Board | Section::Hall => continue,
            other => table(other),
        };
        properties.insert(section.as_str().to_owned(), value);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "damcast",
        "type": "object",
        "additionalProperties": false,
        "required": ["station", "line"],
        "properties": properties,
    })
}

fn table(section: Section) -> Value {
    let properties: Map<String, Value> = section.keys().map(|key| (key.name.to_owned(), value(key))).collect();
    let required: Vec<&str> =
        section.keys().filter(|key| key.if_missing == MissingKey::Refused).map(|key| key.name).collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

fn value(key: &Key) -> Value {
    let mut value = match key.kind {
        ValueKind::Text => json!({ "type": "string" }),
        ValueKind::Choice(words) => json!({ "type": "string", "enum": words }),
        ValueKind::WordList(words) => {
            let word = words.join("|");
            json!({ "type": "string", "pattern": format!("^\\s*(({word})(\\s+({word}))*)?\\s*$") })
        }
        ValueKind::Integer { min: least, max: most, .. } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        ValueKind::Number { most } => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most }),
        ValueKind::Bool => json!({ "type": "boolean" }),
        ValueKind::Strings | ValueKind::Addresses => json!({ "type": "array", "items": { "type": "string" } }),
    };
    let Some(entry) = reference::entry(key) else { return value };
    let unit = match key.kind {
        ValueKind::Integer { unit, .. } => format!(" [{unit}]"),
        _ => String::new(),
    };
    value["description"] = format!("{}{unit}", entry.description).into();
    let shown = format!("value = {}", entry.value).parse::<toml::Table>().ok();
    if let Some(shown) = shown.and_then(|table| serde_json::to_value(&table["value"]).ok()) {
        if key.if_missing == MissingKey::Default {
            value["default"] = shown;
        } else {
            value["examples"] = json!([shown]);
        }
    }
    value
}

fn tags(description: &str) -> Value {
    json!({
        "type": "object",
        "description": description,
        "propertyNames": { "pattern": "^[A-Za-z][A-Za-z0-9_]*$" },
        "additionalProperties": { "type": ["string", "number", "boolean"] },
    })
}
