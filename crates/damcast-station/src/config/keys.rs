//! Table of the configuration keys, source of the JSON Schema, the effective configuration and the names of environment variables.
//!
//! Purpose and default of a key are only in the reference `config/damcast.toml` ([`super::reference`]). Tests compare the three: every row
//! is in the reference and every key of the reference has a row; the reader accepts the limits of a row and refuses values just beyond.
//!
//! To add a key: add a row here, its lines in `config/damcast.toml`, and a `take` in the reader of its table.

use std::fmt;

/// Table of the configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// `[station]`
    Station,
    /// `[public]`
    Public,
    /// `[[outlet]]`
    Outlet,
    /// `[log]`
    Log,
    /// `[control]`
    Control,
    /// `[tournament]`
    Tournament,
    /// `[serve]`
    Serve,
    /// `[desk]`
    Desk,
    /// `[entry]`
    Entry,
    /// `[hub]`
    Hub,
    /// `[[hub.hall]]`
    Hall,
    /// `[[deliver]]`
    Deliver,
    /// `[alarm]`
    Alarm,
    /// `[recognition]`
    Recognition,
    /// `[[line]]`
    Line,
    /// `[[line.board]]`
    Board,
}

/// Type of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueKind {
    /// Quoted text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any of these words, separated by spaces, in one text.
    WordList(&'static [&'static str]),
    /// Integer.
    Integer {
        /// Minimum.
        min: u64,
        /// Maximum.
        max: u64,
        /// Unit.
        unit: &'static str,
    },
    /// Number above 0.
    Number {
        /// Maximum.
        most: f64,
    },
    /// `true` or `false`.
    Bool,
    /// List of texts.
    Strings,
    /// List of host addresses.
    Addresses,
}

/// Behaviour if a key is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingKey {
    /// The key is required.
    Refused,
    /// The default applies, which the reference shows.
    Default,
    /// The key has no default; the reference shows an example.
    Unset,
}

/// Configuration key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Key {
    /// Table that contains it.
    pub section: Section,
    /// Name.
    pub name: &'static str,
    /// Type of its value.
    pub kind: ValueKind,
    /// Behaviour without it.
    pub if_missing: MissingKey,
}

use MissingKey::{Default, Refused, Unset};
use Section::{
    Alarm, Board, Control, Deliver, Desk, Entry, Hall, Hub, Line, Log, Outlet, Public, Recognition, Serve, Station,
    Tournament,
};
use ValueKind::{Addresses, Bool, Choice, Integer, Number, Strings, Text, WordList};

const fn key(section: Section, name: &'static str, kind: ValueKind, absent: MissingKey) -> Key {
    Key { section, name, kind, if_missing: absent }
}

/// Duration of quiet on a board.
const QUIET_SPAN: ValueKind = Integer { min: 50, max: 600_000, unit: "ms" };
/// Duration of a condition before its alarm, or of a command.
const SECONDS: ValueKind = Integer { min: 1, max: 86_400, unit: "s" };
/// Duration on a bus.
const BUS_SPAN: ValueKind = Integer { min: 1, max: 10_000, unit: "ms" };

/// Publication delay: at most a day, or more plies than a game has.
const DELAY: ValueKind = Integer { min: 0, max: 86_400, unit: "s" };
const PLIES: ValueKind = Integer { min: 0, max: 1000, unit: "plies" };
const DURABILITY: ValueKind = Choice(&["safe", "lazy"]);
const PROFILE: ValueKind = Choice(&["lidraughts", "pydraughts", "standard"]);
const ORIENTATION: ValueKind = Choice(&["auto", "normal", "turned"]);
const TURKISH_PROMOTION: ValueKind = Choice(&["where-the-move-ends", "ends-the-move", "goes-on-as-king"]);
const THAI_REMOVAL: ValueKind = Choice(&["at-once", "after-the-move"]);
const THAI_REVERSAL: ValueKind = Choice(&["allowed", "forbidden"]);
const QUESTIONS: ValueKind =
    WordList(&["clock", "version", "serial-number", "long-serial-number", "trade-mark", "bus-address", "battery"]);

/// All keys, in the order of the reference.
pub const KEYS: &[Key] = &[
    key(Station, "directory", Text, Refused),
    key(Station, "name", Text, Unset),
    key(Station, "sync", DURABILITY, Default),
    key(Station, "ports", Strings, Unset),
    key(Public, "profile", PROFILE, Default),
    key(Public, "delay", DELAY, Default),
    key(Public, "delay-plies", PLIES, Default),
    key(Public, "sync", DURABILITY, Default),
    key(Public, "group", Text, Unset),
    key(Outlet, "name", Text, Refused),
    key(Outlet, "directory", Text, Unset),
    key(Outlet, "profile", PROFILE, Default),
    key(Outlet, "delay", DELAY, Default),
    key(Outlet, "delay-plies", PLIES, Default),
    key(Outlet, "sync", DURABILITY, Default),
    key(Outlet, "group", Text, Unset),
    key(Log, "rotate-hours", Integer { min: 0, max: 8760, unit: "h" }, Default),
    key(Log, "compress", Bool, Default),
    key(Log, "keep-days", Integer { min: 0, max: 36_500, unit: "days" }, Default),
    key(Control, "socket", Text, Unset),
    key(Tournament, "boards", Strings, Unset),
    key(Tournament, "first-board", Integer { min: 1, max: 9999, unit: "the number of the board" }, Default),
    key(Tournament, "open-when-set-up", Bool, Default),
    key(Tournament, "engine", Strings, Unset),
    key(Serve, "address", Text, Default),
    key(Serve, "outlet", Text, Default),
    key(Serve, "hosts", Strings, Unset),
    key(Serve, "trusted-proxies", Addresses, Unset),
    key(Serve, "live", Choice(&["stream", "poll"]), Default),
    key(Serve, "language", Choice(&["en", "nl", "fr", "ru"]), Unset),
    key(Desk, "address", Text, Default),
    key(Desk, "password-file", Text, Unset),
    key(Desk, "hosts", Strings, Unset),
    key(Desk, "trusted-proxies", Addresses, Unset),
    key(Desk, "metrics", Text, Unset),
    key(Desk, "viewers", Text, Unset),
    key(Desk, "entry", Text, Unset),
    key(Entry, "address", Text, Default),
    key(Entry, "hosts", Strings, Unset),
    key(Entry, "trusted-proxies", Addresses, Unset),
    key(Entry, "socket", Text, Unset),
    key(Entry, "group", Text, Unset),
    key(Hub, "directory", Text, Default),
    key(Hub, "profile", PROFILE, Default),
    key(Hall, "name", Text, Refused),
    key(Hall, "url", Text, Unset),
    key(Hall, "ca-file", Text, Unset),
    key(Hall, "folder", Text, Unset),
    key(Deliver, "name", Text, Refused),
    key(Deliver, "outlet", Text, Default),
    key(Deliver, "command", Strings, Refused),
    key(Deliver, "every", SECONDS, Default),
    key(Deliver, "time-limit", SECONDS, Default),
    key(Deliver, "pages", Bool, Default),
    key(Alarm, "command", Strings, Unset),
    key(Alarm, "time-limit", SECONDS, Default),
    key(Alarm, "silent", SECONDS, Default),
    key(Alarm, "unexplained", SECONDS, Default),
    key(Alarm, "wrong-start", SECONDS, Default),
    key(Alarm, "clock-missing", SECONDS, Default),
    key(Alarm, "disk-low", Integer { min: 0, max: 1_000_000_000, unit: "MB" }, Default),
    key(Recognition, "preset", Choice(&["auto", "standard", "blitz"]), Default),
    key(Recognition, "settle-ms", QUIET_SPAN, Default),
    key(Recognition, "replied-ms", QUIET_SPAN, Default),
    key(Recognition, "unpressed-ms", QUIET_SPAN, Default),
    key(Recognition, "out-of-step-ms", QUIET_SPAN, Default),
    key(Recognition, "no-clock-ms", QUIET_SPAN, Default),
    key(Recognition, "no-clock-replied-ms", QUIET_SPAN, Default),
    key(Recognition, "leftover-ms", QUIET_SPAN, Default),
    key(Recognition, "mismatch-ms", QUIET_SPAN, Default),
    key(Recognition, "ambiguous-ms", QUIET_SPAN, Default),
    key(Recognition, "stopped-ms", QUIET_SPAN, Default),
    key(Recognition, "unexplained-ms", QUIET_SPAN, Default),
    key(Recognition, "unexplained-unpressed-ms", QUIET_SPAN, Default),
    key(Recognition, "unexplained-no-clock-ms", QUIET_SPAN, Default),
    key(Recognition, "chaos-ms", QUIET_SPAN, Default),
    key(Recognition, "unconfirmed-ms", QUIET_SPAN, Default),
    key(Line, "name", Text, Refused),
    key(Line, "mode", Choice(&["single", "bus", "entry"]), Default),
    key(Line, "port", Text, Refused),
    key(Line, "board", Text, Unset),
    key(Line, "connect", QUESTIONS, Default),
    key(Line, "game-type", Text, Refused),
    key(Line, "orientation", ORIENTATION, Default),
    key(Line, "codes", Text, Default),
    key(Line, "turkish-promotion", TURKISH_PROMOTION, Unset),
    key(Line, "thai-removal", THAI_REMOVAL, Unset),
    key(Line, "thai-reversal", THAI_REVERSAL, Unset),
    key(Line, "bus-answer-ms", BUS_SPAN, Default),
    key(Line, "bus-gap-ms", Integer { min: 0, max: 10_000, unit: "ms" }, Default),
    key(Line, "bus-poll-ms", BUS_SPAN, Default),
    key(Line, "bus-unknown-boards", Choice(&["record", "ignore"]), Default),
    key(Line, "bus-start-tag", Bool, Default),
    key(Line, "time-scale", Number { most: 10_000.0 }, Default),
    key(Board, "address", Integer { min: 1, max: 16_383, unit: "the number of the board" }, Refused),
    key(Board, "name", Text, Unset),
    key(Board, "game-type", Text, Unset),
    key(Board, "orientation", ORIENTATION, Unset),
    key(Board, "codes", Text, Unset),
    key(Board, "turkish-promotion", TURKISH_PROMOTION, Unset),
    key(Board, "thai-removal", THAI_REMOVAL, Unset),
    key(Board, "thai-reversal", THAI_REVERSAL, Unset),
];

impl Section {
    /// All tables, in the order of the reference.
    pub const ALL: [Section; 16] = [
        Station,
        Public,
        Outlet,
        Log,
        Control,
        Tournament,
        Serve,
        Desk,
        Entry,
        Hub,
        Hall,
        Deliver,
        Alarm,
        Recognition,
        Line,
        Board,
    ];

    /// Returns the key in the parent table.
    pub fn as_str(self) -> &'static str {
        let path = self.title().trim_matches(['[', ']']);
        path.rsplit_once('.').map_or(path, |(_, name)| name)
    }

    /// Returns the title, as written in a file.
    pub fn title(self) -> &'static str {
        match self {
            Station => "[station]",
            Public => "[public]",
            Outlet => "[[outlet]]",
            Log => "[log]",
            Control => "[control]",
            Tournament => "[tournament]",
            Serve => "[serve]",
            Desk => "[desk]",
            Entry => "[entry]",
            Hub => "[hub]",
            Hall => "[[hub.hall]]",
            Deliver => "[[deliver]]",
            Alarm => "[alarm]",
            Recognition => "[recognition]",
            Line => "[[line]]",
            Board => "[[line.board]]",
        }
    }

    /// Returns the title of its table of tags, if it has one.
    pub fn tags_title(self) -> Option<&'static str> {
        match self {
            Station => Some("[station.tags]"),
            Line => Some("[line.tags]"),
            Board => Some("[line.board.tags]"),
            Public | Outlet | Log | Control | Tournament | Serve | Desk | Entry | Hub | Hall | Deliver | Alarm
            | Recognition => None,
        }
    }

    /// Returns the table in which it lies; `None` if it is an outermost one.
    pub fn parent(self) -> Option<Section> {
        match self {
            Board => Some(Line),
            Hall => Some(Hub),
            _ => None,
        }
    }

    /// Whether there may be several.
    pub fn is_array(self) -> bool {
        self.title().starts_with("[[")
    }

    /// Returns its keys.
    pub fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.section == self)
    }

    /// Returns the type of a key's value.
    pub fn kind(self, name: &str) -> Option<ValueKind> {
        self.keys().find(|key| key.name == name).map(|key| key.kind)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl ValueKind {
    /// Converts a bare text, such as an environment variable, to TOML.
    pub fn to_toml(self, text: &str) -> String {
        if matches!(self, Strings | Addresses) {
            let words = text.split_whitespace().map(|word| toml::Value::String(word.to_owned()));
            return toml::Value::Array(words.collect()).to_string();
        }
        let is_bare = match self {
            Text | Choice(_) | WordList(_) | Strings | Addresses => false,
            Integer { .. } | Number { .. } => text.parse::<f64>().is_ok(),
            Bool => matches!(text, "true" | "false"),
        };
        if is_bare { text.to_owned() } else { toml::Value::String(text.to_owned()).to_string() }
    }
}
