//! Configuration keys: the table, the reference file and the reader agree.

use damcast::station::config::keys::{KEYS, Key, MissingKey, Section, ValueKind};
use damcast::station::config::{Config, reference, schema};
use serde_json::Value;

/// Returns a configuration with one pair in one table, on a bus if the table needs one, and the line of the pair.
fn with(section: Section, pair: &str) -> (String, usize) {
    let name = pair.split(" = ").next().unwrap();
    let (mut text, mut at) = (String::new(), 0);
    use Section::{
        Alarm, Board, Control, Deliver, Desk, Entry, Hall, Hub, Line, Log, Outlet, Public, Recognition, Serve, Station,
        Tournament,
    };
    let required = |table: Section| -> String {
        let keys: &[(&str, &str)] = match table {
            Station => &[("directory", "\"r\"")],
            Outlet => &[("name", "\"w\"")],
            Deliver => &[("name", "\"d\""), ("command", "[\"x\"]")],
            Line => &[("name", "\"a\""), ("port", "\"/dev/a\""), ("game-type", "\"20\"")],
            Board => &[("address", "7")],
            // A hall has one place: an address or a folder.
            Hall if section == Hall && ["url", "folder"].contains(&name) => &[("name", "\"h\"")],
            Hall => &[("name", "\"h\""), ("url", "\"http://h\"")],
            _ => &[],
        };
        // A table whose moves are entered by hand has no port.
        let has_port = pair != "mode = \"entry\"";
        let needed = keys.iter().filter(|(key, _)| (table != section || *key != name) && (has_port || *key != "port"));
        needed.map(|(key, value)| format!("{key} = {value}\n")).collect()
    };
    let tables = [
        Station,
        Public,
        Outlet,
        Control,
        Tournament,
        Serve,
        Desk,
        Entry,
        Hub,
        Hall,
        Deliver,
        Alarm,
        Log,
        Recognition,
        Line,
        Board,
    ];
    let is_written = |table: &Section| match table {
        Board => section == Board,
        Hub | Hall => [Hub, Hall].contains(&section),
        _ => true,
    };
    for table in tables.into_iter().filter(is_written) {
        text += &format!("{}\n{}", table.title(), required(table));
        if table == Line && section == Board {
            text += "mode = \"bus\"\n";
        }
        if table == section {
            text += &format!("{pair}\n");
            at = text.lines().count();
        }
    }
    (text, at)
}

#[track_caller]
fn accept(key: &Key, value: &str) -> Config {
    let (text, _) = with(key.section, &format!("{} = {value}", key.name));
    Config::read("x.toml", &text).unwrap_or_else(|error| panic!("{} {}: {error}", key.section, key.name))
}

/// Asserts that the value is refused at its place and that the message names the key.
#[track_caller]
fn refuse(key: &Key, value: &str) {
    let (text, line) = with(key.section, &format!("{} = {value}", key.name));
    let errors = Config::read("x.toml", &text).expect_err(&text).0;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].location.as_ref().map(|place| place.line), Some(line), "{text}{}", errors[0]);
    assert!(errors[0].message.contains(key.name), "{}", errors[0]);
}

#[test]
fn table_of_keys_matches_reference() {
    assert_eq!(reference::differences(), Vec::<String>::new());
    for key in KEYS {
        let entry = reference::entry(key).unwrap();
        assert!(entry.description.len() > 20, "{} `{}` is not explained in config/damcast.toml", key.section, key.name);
    }
}

#[test]
fn reader_accepts_exactly_values_of_row() {
    for key in KEYS {
        let entry = reference::entry(key).unwrap();
        let shown = accept(key, &entry.value);
        if key.if_missing == MissingKey::Default {
            let (without, _) = with(key.section, "");
            let without = Config::read("x.toml", &without).unwrap();
            assert_eq!(shown, without, "{} `{}`: the reference does not show the default", key.section, key.name);
        }
        match key.kind {
            ValueKind::Text => refuse(key, "[1]"),
            ValueKind::Choice(words) => {
                for word in words {
                    accept(key, &format!("\"{word}\""));
                }
                refuse(key, &format!("\"{}x\"", words[0]));
                refuse(key, "[]");
            }
            ValueKind::WordList(words) => {
                accept(key, &format!("\"{}\"", words.join(" ")));
                refuse(key, &format!("\"{} x\"", words[0]));
            }
            ValueKind::Integer { min: least, max: most, .. } => {
                accept(key, &least.to_string());
                accept(key, &most.to_string());
                refuse(key, &(i128::from(least) - 1).to_string());
                refuse(key, &(most + 1).to_string());
                refuse(key, &format!("{least}.5"));
                refuse(key, "\"many\"");
            }
            ValueKind::Number { most } => {
                accept(key, &most.to_string());
                refuse(key, "0");
                refuse(key, &(most + 1.0).to_string());
                refuse(key, "true");
            }
            ValueKind::Strings => {
                accept(key, "[\"a\", \"b\"]");
                refuse(key, "[\"a\", 5]");
                refuse(key, "\"a\"");
            }
            ValueKind::Addresses => {
                accept(key, "[\"127.0.0.1\", \"::1\"]");
                refuse(key, "[\"a\"]");
                refuse(key, "\"127.0.0.1\"");
            }
            ValueKind::Bool => {
                accept(key, "true");
                accept(key, "false");
                refuse(key, "2");
            }
        }
    }
}

#[test]
fn missing_required_key_is_reported() {
    for key in KEYS.iter().filter(|key| key.if_missing == MissingKey::Refused) {
        let (text, _) = with(key.section, &format!("{} = ", key.name));
        let text = text.replace(&format!("{} = \n", key.name), "");
        let error = Config::read("x.toml", &text).expect_err(&text).to_string();
        assert!(error.contains(&format!("{} needs the key `{}`", key.section.title(), key.name)), "{error}");
    }
}

#[test]
fn schema_has_every_key_with_type_limits_and_default() {
    let schema = schema::schema();
    let properties = |section: Section| -> Value {
        let top = &schema["properties"];
        match section {
            Section::Outlet | Section::Deliver => top[section.as_str()]["items"]["properties"].clone(),
            Section::Hall => top["hub"]["properties"]["hall"]["items"]["properties"].clone(),
            Section::Line => top["line"]["items"]["properties"].clone(),
            Section::Board => top["line"]["items"]["properties"]["board"]["oneOf"][1]["items"]["properties"].clone(),
            other => top[other.as_str()]["properties"].clone(),
        }
    };
    for section in Section::ALL {
        let properties = properties(section);
        let mut known: Vec<&str> = section.keys().map(|key| key.name).collect();
        known.extend(section.tags_title().map(|_| "tags"));
        known.extend((section == Section::Hub).then_some("hall"));
        known.sort_unstable();
        let mut found: Vec<&String> = properties.as_object().unwrap().keys().collect();
        found.sort_unstable();
        assert_eq!(found, known);
        for key in section.keys().filter(|key| (key.section, key.name) != (Section::Line, "board")) {
            let value = &properties[key.name];
            assert!(value["description"].as_str().is_some_and(|about| !about.is_empty()), "{}", key.name);
            assert_eq!(value.get("default").is_some(), key.if_missing == MissingKey::Default, "{}", key.name);
        }
    }
    let delay = &properties(Section::Public)["delay"];
    assert_eq!((&delay["type"], &delay["maximum"], &delay["default"]), (&"integer".into(), &86_400.into(), &0.into()));
    assert_eq!(properties(Section::Line)["bus-start-tag"]["default"], true);
}
