//! Draft of a new configuration: the annotated reference, filled in for the detected boards.
//!
//! Invariant: the written file reads back as the draft, with the reference's default for every other key.

use super::reference;

/// Contents of a draft.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Draft {
    /// Folder of the recordings.
    pub directory: String,
    /// Tags of all games, in order.
    pub tags: Vec<(String, String)>,
    /// Lines, at least one.
    pub lines: Vec<DraftLine>,
}

/// Line of a draft.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DraftLine {
    /// Name.
    pub name: String,
    /// Port address.
    pub port: String,
    /// Game type.
    pub game_type: String,
    /// Serial number of the board, if the line is limited to it.
    pub board: Option<String>,
    /// Board addresses, if the line is a bus.
    pub bus: Option<Vec<u16>>,
    /// Meaning of the piece codes, if the board has no draughts set.
    pub codes: Option<String>,
    /// Speed of a simulated board as a multiple of real time.
    pub time_scale: Option<f64>,
    /// Description of the detected board.
    pub remark: String,
}

impl Draft {
    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let Some((first, rest)) = self.lines.split_first() else { return reference::REFERENCE_TEXT.to_owned() };
        let mut text = String::new();
        for line in reference::REFERENCE_TEXT.lines() {
            if line == "[[line]]" {
                text += &comment(&first.remark);
            }
            text += &self.set_values(line, first);
            text.push('\n');
            if line == "[station.tags]" {
                text +=
                    &self.tags.iter().map(|(name, value)| format!("{name} = {}\n", quoted(value))).collect::<String>();
            }
        }
        text += &boards(first);
        for line in rest {
            text += &format!("\n{}[[line]]\n", comment(&line.remark));
            for key in ["name", "mode", "port", "board", "game-type", "codes", "time-scale"] {
                text += &line.value(key).map_or(String::new(), |value| format!("{key} = {value}\n"));
            }
            text += &boards(line);
        }
        text
    }

    /// Replaces the value in a line of the reference.
    fn set_values(&self, text: &str, line: &DraftLine) -> String {
        let key = text.trim_start_matches("# ").split(" = ").next().unwrap_or_default();
        let is_comment = text.starts_with('#');
        let value = match key {
            "directory" if !is_comment => Some(quoted(&self.directory)),
            "directory" | "name" | "port" | "game-type" if is_comment => None,
            // Boards of a bus have their own `codes` in a later table.
            "codes" if !text.ends_with("\"draughts\"") => None,
            key => line.value(key),
        };
        value.map_or_else(|| text.to_owned(), |value| format!("{key} = {value}"))
    }
}

impl DraftLine {
    /// Returns the value of a key in TOML.
    fn value(&self, key: &str) -> Option<String> {
        match key {
            "name" => Some(quoted(&self.name)),
            "mode" => self.bus.as_ref().map(|_| quoted("bus")),
            "port" => Some(quoted(&self.port)),
            "board" => self.board.as_deref().map(quoted),
            "game-type" => Some(quoted(&self.game_type)),
            "codes" => self.codes.as_deref().map(quoted),
            "time-scale" => self.time_scale.map(|scale| scale.to_string()),
            _ => None,
        }
    }
}

fn boards(line: &DraftLine) -> String {
    let boards = line.bus.iter().flatten();
    boards.map(|address| format!("\n[[line.board]]\naddress = {address}\n# name = \"table-1\"\n")).collect()
}

fn comment(remark: &str) -> String {
    if remark.is_empty() { String::new() } else { format!("# Found: {}.\n", remark.replace(char::is_control, " ")) }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use damcast_engine::bytelog::Mode;

    #[test]
    fn draft_roundtrip() {
        let line = |name: &str, port: &str| DraftLine {
            name: name.into(),
            port: port.into(),
            game_type: "20".into(),
            ..DraftLine::default()
        };
        let known = DraftLine {
            time_scale: Some(20.0),
            board: Some("01025".into()),
            codes: Some("chess".into()),
            remark: "a board\nof DGT".into(),
            ..line("board-1", "any")
        };
        let bus = |name: &str, port: &str| DraftLine { bus: Some(vec![7, 1025]), ..line(name, port) };
        for lines in [
            vec![known.clone(), line("board-2", "tcp://127.0.0.1:4001")],
            vec![bus("hall", "/dev/ttyUSB0"), known.clone()],
            vec![known, bus("hall", "/dev/ttyUSB0")],
        ] {
            let tags = vec![("Event".to_owned(), "Cup \"of\" ü".to_owned())];
            let draft = Draft { directory: "/var/lib/x".into(), tags: tags.clone(), lines };
            let text = draft.to_text();
            let config = Config::read("draft", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(config.directory.to_str(), Some("/var/lib/x"));
            assert_eq!(config.lines.len(), draft.lines.len());
            for (read, meant) in config.lines.iter().zip(&draft.lines) {
                assert_eq!((&read.name, &read.game_type, &read.tags), (&meant.name, &meant.game_type, &tags));
                assert_eq!(read.port, Some(meant.port.parse().unwrap()));
                assert_eq!(read.time_scale, meant.time_scale.unwrap_or(1.0));
                assert_eq!(read.board(), meant.board.as_deref());
                let codes = read.settings.iter().find(|(key, _)| key == "codes").map(|(_, value)| value.clone());
                assert_eq!(codes, meant.codes);
                assert_eq!(read.mode == Mode::Bus, meant.bus.is_some());
                let addresses: Vec<u16> = read.boards.iter().map(|board| board.address.number()).collect();
                assert_eq!(addresses, meant.bus.clone().unwrap_or_default());
            }
        }
    }
}
