//! Header of a log: its origin, and all inputs of the live file except the recorded bytes.
//!
//! Unknown keys are preserved in order, so a log can carry additional information.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, SecondsFormat};

use super::checksum;
use super::record::printable;

/// Format version that is read and written.
pub const FORMAT_VERSION: u32 = 1;

/// Header key: `yes` if the line continues from the previous log, else `no`.
pub const KEY_CONTINUES: &str = "continues";
/// Header key: number of games on the line before this log.
pub const KEY_GAMES_BEFORE: &str = "games-before";
/// Header key: machine clock when the log was opened, if it differs from `opened`.
pub const KEY_CLOCK: &str = "clock";
/// Header key: earliest plausible date; a clock that shows less was never set.
pub const KEY_DATES_FROM: &str = "dates-from";
/// Header key: `yes` if the station requests games from the board that began without a listener.
pub const KEY_LATE_START: &str = "late-start";
/// Lines before the first record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `line`: name of the line.
    pub line: Option<String>,
    /// `opened`: opening time of the line, time 0 of the records.
    pub opened: Option<DateTime<FixedOffset>>,
    /// `game-type`: PDN game type, as in the configuration.
    pub game_type: Option<String>,
    /// `mode`: single board, bus, or a board without electronics.
    pub mode: Option<Mode>,
    /// `tag-NAME`: tags of the games, in order. Empty values are omitted.
    pub tags: Vec<(String, String)>,
    /// `set-KEY`: settings that differ from their defaults, in order.
    pub settings: Vec<(String, String)>,
    /// `board-ADDRESS-KEY`: values that differ for one board of a bus, by address.
    pub boards: BTreeMap<u16, BoardHeader>,
    /// Other keys, in order.
    pub other: Vec<(String, String)>,
    /// Whether the text of the header differs from its checksum. Not part of the text.
    pub is_changed: bool,
}

/// Header values for one board of a bus that differ from those of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardHeader {
    /// `board-ADDRESS-name`: name used for the board's files.
    pub name: Option<String>,
    /// `board-ADDRESS-game-type`: PDN game type.
    pub game_type: Option<String>,
    /// `board-ADDRESS-tag-NAME`: tags of the board's games, in order, which extend or replace those of the line. An
    /// empty value removes the tag of the line.
    pub tags: Vec<(String, String)>,
    /// `board-ADDRESS-set-KEY`: settings that differ from those of the line, in order.
    pub settings: Vec<(String, String)>,
    /// Other keys, in order.
    pub other: Vec<(String, String)>,
}

/// Kind of line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Single board.
    #[default]
    Single,
    /// Several boards with addresses.
    Bus,
    /// A board without electronics, whose moves people enter.
    Entry,
}

impl Mode {
    /// Returns the word used in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Single => "single",
            Mode::Bus => "bus",
            Mode::Entry => "entry",
        }
    }

    /// Parses the word used in the log.
    pub fn parse(name: &str) -> Option<Mode> {
        [Mode::Single, Mode::Bus, Mode::Entry].into_iter().find(|mode| mode.as_str() == name)
    }
}

/// Invalid value of a header key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Not an RFC 3339 time with its offset.
    #[error("\"{0}\" is no moment; write date, time and offset, as in \"# opened: 2026-11-21T09:30:00.000+01:00\"")]
    Opened(String),
    /// No known mode.
    #[error("\"{0}\" is no mode; write \"# mode: single\", \"# mode: bus\" or \"# mode: entry\"")]
    Mode(String),
}

impl Header {
    /// Sets a key from a `# key: value` line. A repeated key keeps its position and takes the later value.
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

    /// Returns the value of a key without a field of its own.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.other.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Whether the line continues from the previous log; `None` if the header does not specify it.
    pub fn continues(&self) -> Option<bool> {
        match self.get(KEY_CONTINUES)? {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    /// Returns the machine clock at the opening of the log.
    pub fn machine_clock(&self) -> Option<DateTime<FixedOffset>> {
        self.moment(KEY_CLOCK).or(self.opened)
    }

    /// Whether the time is a plausible date. A time before [`KEY_DATES_FROM`] comes from a clock that was not set.
    pub fn is_plausible_date(&self, moment: DateTime<FixedOffset>) -> bool {
        self.moment(KEY_DATES_FROM).is_none_or(|from| moment >= from)
    }

    /// Returns the time under a key without a field of its own; `None` if missing or invalid.
    pub fn moment(&self, key: &str) -> Option<DateTime<FixedOffset>> {
        self.get(key).and_then(|text| DateTime::parse_from_rfc3339(text).ok())
    }

    /// Whether a key affects a replay of the records. Such a key must not follow the first record.
    pub fn affects_replay(key: &str) -> bool {
        matches!(key, "line" | "opened" | "game-type" | "mode")
            || key.starts_with(TAG_PREFIX)
            || key.starts_with(SETTING_PREFIX)
            || parse_board_key(key).is_some()
    }

    /// Returns the header as text, for a log. The second line has the checksum of the others.
    pub fn to_sealed_text(&self) -> String {
        let text = self.to_text();
        let mut seal = format!("{SEAL_MARK}{:08x}", checksum::crc32c(&text));
        checksum::append(&mut seal);
        let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
        format!("{title}\n{seal}\n{rest}")
    }

    /// Returns the header as text, starting with the format version. Control characters become spaces.
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

/// Checksum of a header, as its second line has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// CRC-32C of the other lines of the header.
    Whole(u32),
    /// The line was damaged.
    Damaged,
}

impl Seal {
    /// Parses the second line of a log, without its end; `None` if it is another line.
    pub(super) fn parse(line: &str) -> Option<Seal> {
        let (text, own) = checksum::split(line);
        let sum = text.strip_prefix(SEAL_MARK).filter(|digits| digits.len() == checksum::DIGIT_COUNT);
        let sum = sum.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match sum {
            Some(sum) if own == Some(checksum::crc32c(text)) => Some(Seal::Whole(sum)),
            _ if line.starts_with(SEAL_MARK) => Some(Seal::Damaged),
            _ => (line.starts_with('#') && line.len() == SEAL_LEN && own.is_some()).then_some(Seal::Damaged),
        }
    }
}

/// Splits a key into board address and board key. Addresses have 14 bits; 0 addresses all boards.
fn parse_board_key(key: &str) -> Option<(u16, &str)> {
    let (address, key) = key.strip_prefix(BOARD_PREFIX)?.split_once('-')?;
    let is_plain = address.bytes().all(|byte| byte.is_ascii_digit()) && !address.starts_with('0') && !key.is_empty();
    let address = address.parse().ok().filter(|&address| is_plain && address < 1 << 14)?;
    Some((address, key))
}

/// Prefix of the first line, before the format version.
pub(super) const TITLE_PREFIX: &str = "damcast byte log ";
/// Mark before the checksum of a header.
const SEAL_MARK: &str = "# head ";
/// The mark without its `# `, as a header key begins.
pub(super) const SEAL_KEY: &str = "head ";
/// Length of the line with the checksum of a header.
const SEAL_LEN: usize = SEAL_MARK.len() + 2 * checksum::DIGIT_COUNT + 2;
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
        assert_eq!(
            error("mode", "both"),
            "\"both\" is no mode; write \"# mode: single\", \"# mode: bus\" or \"# mode: entry\""
        );
        assert!(error("opened", "yesterday").starts_with("\"yesterday\" is no moment; write date, time and offset"));
        assert!(Header::default().set("opened", "2026-11-21T09:30:00").is_err(), "an offset is needed");
    }
}
