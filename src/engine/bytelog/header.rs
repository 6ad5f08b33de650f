//! The head of a log: where it comes from, and everything that the live file depends on besides the bytes.
//!
//! Keys that are not known are kept, in their order: a log can carry what its maker wants to say.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, SecondsFormat};

use super::record::printable;

/// The format that is written and read.
pub const FORMAT_VERSION: u32 = 1;

/// The key of a log's head that says whether its line goes on from the log before: `yes` or `no`.
pub const KEY_CONTINUES: &str = "continues";
/// The key of a log's head that says how many games its line had before it.
pub const KEY_GAMES_BEFORE: &str = "games-before";
/// The key of a log's head that says what the clock of the machine showed when it was opened, where that is not `opened`.
pub const KEY_CLOCK: &str = "clock";
/// The key of a log's head that says before which moment a clock has plainly not been set.
pub const KEY_DATES_FROM: &str = "dates-from";
/// The key of a log's head that says `yes` where a board is asked for a game that began while nobody listened.
pub const KEY_LATE_START: &str = "late-start";
/// What stands before the first record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `line`: the name of the line.
    pub line: Option<String>,
    /// `opened`: when the line was opened; the times of the records count from here.
    pub opened: Option<DateTime<FixedOffset>>,
    /// `game-type`: the PDN game type, as in the configuration.
    pub game_type: Option<String>,
    /// `mode`: one board, or a bus.
    pub mode: Option<Mode>,
    /// `tag-NAME`: tags of the games, in order. A tag without a value is left out.
    pub tags: Vec<(String, String)>,
    /// `set-KEY`: settings that differ from their defaults, in order.
    pub settings: Vec<(String, String)>,
    /// `board-ADDRESS-KEY`: what holds for one board of a bus alone, by its address.
    pub boards: BTreeMap<u16, BoardHeader>,
    /// Everything else, in order.
    pub other: Vec<(String, String)>,
}

/// What a head says of one board of a bus, where that differs from the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardHeader {
    /// `board-ADDRESS-name`: what its files are called.
    pub name: Option<String>,
    /// `board-ADDRESS-game-type`: the PDN game type.
    pub game_type: Option<String>,
    /// `board-ADDRESS-tag-NAME`: tags of its games, in order, beyond those of the line or instead of them. An empty value
    /// takes the tag of the line away.
    pub tags: Vec<(String, String)>,
    /// `board-ADDRESS-set-KEY`: settings, in order, that differ from those of the line.
    pub settings: Vec<(String, String)>,
    /// Everything else, in order.
    pub other: Vec<(String, String)>,
}

/// Who is on the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// One board.
    #[default]
    Single,
    /// Many boards with addresses.
    Bus,
}

impl Mode {
    /// The word of the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Single => "single",
            Mode::Bus => "bus",
        }
    }

    /// The mode with this name.
    pub fn parse(name: &str) -> Option<Mode> {
        [Mode::Single, Mode::Bus].into_iter().find(|mode| mode.as_str() == name)
    }
}

/// A value that its key does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Not a time with its offset.
    #[error("\"{0}\" is no moment; write date, time and offset, as in \"# opened: 2026-11-21T09:30:00.000+01:00\"")]
    Opened(String),
    /// Neither of the two modes.
    #[error("\"{0}\" is no mode; write \"# mode: single\" or \"# mode: bus\"")]
    Mode(String),
}

impl Header {
    /// Takes one `# key: value` line. A key that comes twice keeps its place and takes the later value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), HeaderError> {
        match key {
            "line" => self.line = Some(value.to_owned()),
            "opened" => {
                let opened = DateTime::parse_from_rfc3339(value).map_err(|_| HeaderError::Opened(value.to_owned()))?;
                self.opened = Some(opened);
            }
            "game-type" => self.game_type = Some(value.to_owned()),
            "mode" => self.mode = Some(Mode::parse(value).ok_or_else(|| HeaderError::Mode(value.to_owned()))?),
            _ => match (key.strip_prefix(TAG_PREFIX), key.strip_prefix(SETTING_PREFIX), parse_board_key(key)) {
                (Some(_), _, _) if value.is_empty() => {}
                (Some(name), _, _) => put(&mut self.tags, name, value),
                (_, Some(name), _) => put(&mut self.settings, name, value),
                (_, _, Some((address, key))) => self.boards.entry(address).or_default().set(key, value),
                _ => put(&mut self.other, key, value),
            },
        }
        Ok(())
    }

    /// The value of a key that has no field of its own.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.other.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Does the line go on from the log before it? `None`: the head does not say.
    pub fn continues(&self) -> Option<bool> {
        match self.get(KEY_CONTINUES)? {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    /// What the clock of the machine showed when the log was opened.
    pub fn machine_clock(&self) -> Option<DateTime<FixedOffset>> {
        self.moment(KEY_CLOCK).or(self.opened)
    }

    /// Can this moment be a date? Those before [`KEY_DATES_FROM`] are shown by a clock that was not set.
    pub fn is_plausible_date(&self, moment: DateTime<FixedOffset>) -> bool {
        self.moment(KEY_DATES_FROM).is_none_or(|from| moment >= from)
    }

    /// The moment under a key that has no field of its own.
    pub fn moment(&self, key: &str) -> Option<DateTime<FixedOffset>> {
        self.get(key).and_then(|text| DateTime::parse_from_rfc3339(text).ok())
    }

    /// Whether a key changes what a replay makes of the records. Such a key may not come after the first of them.
    pub fn affects_replay(key: &str) -> bool {
        matches!(key, "line" | "opened" | "game-type" | "mode")
            || key.starts_with(TAG_PREFIX)
            || key.starts_with(SETTING_PREFIX)
            || parse_board_key(key).is_some()
    }

    /// The head as text, the line with the format first. Control characters become spaces.
    pub fn to_text(&self) -> String {
        let mut text = format!("# {TITLE_PREFIX}{FORMAT_VERSION}\n");
        let mut add = |prefix: &str, key: &str, value: &str| {
            text.push_str("# ");
            text.push_str(prefix);
            text.extend(printable(key));
            text.push_str(": ");
            text.extend(printable(value));
            text.push('\n');
        };
        if let Some(line) = &self.line {
            add("", "line", line);
        }
        if let Some(opened) = self.opened {
            add("", "opened", &opened.to_rfc3339_opts(SecondsFormat::Millis, false));
        }
        if let Some(game_type) = &self.game_type {
            add("", "game-type", game_type);
        }
        if let Some(mode) = self.mode {
            add("", "mode", mode.as_str());
        }
        for (name, value) in self.tags.iter().filter(|(_, value)| !value.is_empty()) {
            add(TAG_PREFIX, name, value);
        }
        for (key, value) in &self.settings {
            add(SETTING_PREFIX, key, value);
        }
        for (address, board) in &self.boards {
            let mut add =
                |prefix: &str, key: &str, value: &str| add(&format!("{BOARD_PREFIX}{address}-{prefix}"), key, value);
            if let Some(name) = &board.name {
                add("", "name", name);
            }
            if let Some(game_type) = &board.game_type {
                add("", "game-type", game_type);
            }
            for (name, value) in &board.tags {
                add(TAG_PREFIX, name, value);
            }
            for (key, value) in &board.settings {
                add(SETTING_PREFIX, key, value);
            }
            for (key, value) in &board.other {
                add("", key, value);
            }
        }
        for (key, value) in &self.other {
            add("", key, value);
        }
        text
    }
}

impl BoardHeader {
    fn set(&mut self, key: &str, value: &str) {
        match (key, key.strip_prefix(TAG_PREFIX), key.strip_prefix(SETTING_PREFIX)) {
            ("name", ..) => self.name = Some(value.to_owned()),
            ("game-type", ..) => self.game_type = Some(value.to_owned()),
            (_, Some(name), _) => put(&mut self.tags, name, value),
            (_, _, Some(name)) => put(&mut self.settings, name, value),
            _ => put(&mut self.other, key, value),
        }
    }
}

/// The board that a key is about, and what it says of it. Addresses have 14 bits, and 0 is all boards.
fn parse_board_key(key: &str) -> Option<(u16, &str)> {
    let (address, key) = key.strip_prefix(BOARD_PREFIX)?.split_once('-')?;
    let is_plain = address.bytes().all(|byte| byte.is_ascii_digit()) && !address.starts_with('0') && !key.is_empty();
    let address = address.parse().ok().filter(|&address| is_plain && address < 1 << 14)?;
    Some((address, key))
}

/// What the first line says before the number of the format.
pub(super) const TITLE_PREFIX: &str = "damcast byte log ";
const TAG_PREFIX: &str = "tag-";
const SETTING_PREFIX: &str = "set-";
const BOARD_PREFIX: &str = "board-";

fn put(pairs: &mut Vec<(String, String)>, key: &str, value: &str) {
    match pairs.iter_mut().find(|(known, _)| known == key) {
        Some((_, old)) => *old = value.to_owned(),
        None => pairs.push((key.to_owned(), value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_values_in_order() {
        let mut header = Header::default();
        for (key, value) in [
            ("about", "a test"),
            ("mode", "bus"),
            ("set-settle", "600"),
            ("tag-White", "Sijbrands, T."),
            ("tag-Black", ""),
            ("game-type", "20"),
            ("opened", "2026-11-21T09:30:00+01:00"),
            ("line", "hall-a\nbus"),
            ("tag-Event", "Heerhugowaard: \"open\""),
            ("tag-White", "Sijbrands, Ton"),
        ] {
            header.set(key, value).unwrap();
        }
        assert_eq!(
            header.to_text(),
            "# damcast byte log 1\n\
             # line: hall-a bus\n\
             # opened: 2026-11-21T09:30:00.000+01:00\n\
             # game-type: 20\n\
             # mode: bus\n\
             # tag-White: Sijbrands, Ton\n\
             # tag-Event: Heerhugowaard: \"open\"\n\
             # set-settle: 600\n\
             # about: a test\n"
        );
    }

    #[test]
    fn board_values_stand_under_address() {
        let mut header = Header::default();
        for (key, value) in [
            ("board-1025-tag-White", "Sijbrands, T."),
            ("board-1025-tag-Event", ""),
            ("board-7-set-orientation", "turned"),
            ("board-7-games-before", "3"),
            ("board-1025-name", "table-1"),
            ("board-1025-game-type", "25"),
            ("board-0-name", "all"),
            ("board-16384-name", "too large"),
            ("board-x-name", "no address"),
            ("board-7", "no key"),
        ] {
            header.set(key, value).unwrap();
        }
        assert_eq!(header.boards.keys().copied().collect::<Vec<_>>(), [7, 1025]);
        assert_eq!(
            header.to_text(),
            "# damcast byte log 1\n\
             # board-7-set-orientation: turned\n\
             # board-7-games-before: 3\n\
             # board-1025-name: table-1\n\
             # board-1025-game-type: 25\n\
             # board-1025-tag-White: Sijbrands, T.\n\
             # board-1025-tag-Event: \n\
             # board-0-name: all\n\
             # board-16384-name: too large\n\
             # board-x-name: no address\n\
             # board-7: no key\n"
        );
        assert!(Header::affects_replay("board-7-name") && !Header::affects_replay("board-x-name"));
    }

    #[test]
    fn refuses_impossible_values() {
        let error = |key, value| Header::default().set(key, value).unwrap_err().to_string();
        assert_eq!(error("mode", "both"), "\"both\" is no mode; write \"# mode: single\" or \"# mode: bus\"");
        assert!(error("opened", "yesterday").starts_with("\"yesterday\" is no moment; write date, time and offset"));
        assert!(Header::default().set("opened", "2026-11-21T09:30:00").is_err(), "an offset is needed");
    }
}
