//! Settings of a line: the keys of `[[line]]` and `[recognition]` that the core uses.
//!
//! This module reads and checks them for all sources: the configuration, `--set key=value`, and the `# set-key: value`
//! lines of a log.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};
use draughts::{RuleChoices, Variant};
use draughts_pdn::time_control::{Period, TimeControl};

use super::codes::CodeMap;
use crate::bytelog::Mode;
use crate::calendar;
use crate::millis::Millis;
use crate::protocol::{BusAddress, Command};
use crate::recognition::{Pace, Settings as RecognitionSettings};

/// Everything that the record of a line depends on besides its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct LineSettings {
    /// Type of the line: a single board or a bus.
    pub mode: Mode,
    /// Name of its files; by default the name of the line, with the address on a bus.
    pub name: Option<String>,
    /// Variant of the game.
    pub variant: &'static Variant,
    /// Time at which the line was opened, for the dates of games. `None`: games have no Date tag.
    pub opened: Option<DateTime<FixedOffset>>,
    /// Earliest plausible date; an earlier machine clock is considered unset. `None`: every date is plausible.
    pub earliest_date: Option<DateTime<FixedOffset>>,
    /// Whether to search for an unrecorded game if a board does not show the start position at first.
    pub finds_late_start: bool,
    /// Header tags in the given order; the writer sorts them by the standard.
    pub tags: Vec<(String, String)>,
    /// Orientation of the board.
    pub orientation: OrientationSetting,
    /// Meanings of the piece codes.
    pub codes: CodeMap,
    /// Given times and limits of the recogniser; [`LineSettings::effective_recognition`] returns those that apply.
    pub recognition: RecognitionSettings,
    /// Serial number of the board of this line; `None`: any board.
    pub board: Option<String>,
    /// Questions on connecting, after the dump request; never a command that changes the board.
    pub connect_questions: Vec<Command>,
    /// Assumed pace of the games for the recogniser.
    pub preset: Preset,
    /// Keys of the recogniser's times that were given explicitly.
    pub explicit_keys: Vec<String>,
    /// Number of earlier games of this board; the first game of this log has the next number.
    pub games_before: u32,
    /// Settings of a bus.
    pub bus: BusSettings,
    /// Expected boards of a bus with their settings. Other boards are recorded with the settings of the line.
    pub boards: BTreeMap<BusAddress, LineSettings>,
}

/// Settings of a bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusSettings {
    /// Longest time until a board begins to answer, in milliseconds.
    pub answer_ms: u64,
    /// Pause after an answer, in milliseconds.
    pub gap_ms: u64,
    /// Minimum interval between polls of a board without particular cause, in milliseconds.
    pub poll_ms: u64,
    /// Treatment of unexpected boards.
    pub unknown_boards: UnknownBoards,
    /// Whether boards receive the command to mark the start of a game in their memory.
    pub start_tag: bool,
}

impl Default for BusSettings {
    fn default() -> BusSettings {
        // The protocol specifies 80 ms. A scan takes 200 to 250 ms, so faster polling yields nothing more.
        BusSettings { answer_ms: 80, gap_ms: 0, poll_ms: 80, unknown_boards: UnknownBoards::Record, start_tag: true }
    }
}

/// Treatment of unexpected boards on a bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownBoards {
    /// Record them with the settings of the line.
    #[default]
    Record,
    /// Notify the operator and ignore them.
    Ignore,
}

/// Orientation of the board, seen from White.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OrientationSetting {
    /// Derive the orientation from the start position of each game.
    #[default]
    Auto,
    /// The connector is on White's left: fields count from Black's left corner.
    Normal,
    /// The connector is on White's right: all fields are turned by 180 degrees.
    Turned,
}

/// Date tag of a game without a known date.
const UNKNOWN_DATE: &str = "????.??.??";

/// Maximum length of a serial number: five or ten digits.
const MAX_SERIAL_LEN: usize = 10;

/// Questions allowed on connecting: keyword, command, and whether it is a default. Commands that write the board's memory
/// or change its scanning are excluded.
const CONNECT_QUESTIONS: [(&str, Command, bool); 7] = [
    ("clock", Command::SendClock, true),
    ("version", Command::SendVersion, true),
    ("serial-number", Command::ReturnSerialNumber, true),
    ("long-serial-number", Command::ReturnLongSerialNumber, true),
    ("trade-mark", Command::SendTrademark, true),
    ("bus-address", Command::ReturnBusAddress, true),
    ("battery", Command::SendBatteryStatus, false),
];

/// Default times of the recogniser.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// Times for the pace of the TimeControl tag; those of a standard game without one.
    #[default]
    Auto,
    /// Times of a pace.
    Pace(Pace),
}

/// Limit of the time for sixty moves, including increments, below which a game is blitz.
const BLITZ_SECONDS: u64 = 15 * 60;

/// Reason why a setting is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingError {
    /// Unknown key.
    #[error("there is no setting `{key}`; known are {known}",
        known = [&LineSettings::KEYS[..], &LineSettings::BUS_KEYS].concat().join(", "))]
    UnknownKey {
        /// Key as given.
        key: String,
    },
    /// Invalid value for the key.
    #[error("`{key} = {value}`: expected {expected}")]
    Value {
        /// Key.
        key: String,
        /// Value as given.
        value: String,
        /// Description of the valid values.
        expected: Cow<'static, str>,
    },
}

impl LineSettings {
    /// Keys that [`LineSettings::set`] knows for every line.
    pub const KEYS: [&'static str; 7] =
        ["board", "orientation", "codes", "connect", "turkish-promotion", "thai-removal", "thai-reversal"];
    /// Additional keys for a bus as a whole.
    pub const BUS_KEYS: [&'static str; 5] =
        ["bus-answer-ms", "bus-gap-ms", "bus-poll-ms", "bus-unknown-boards", "bus-start-tag"];

    /// Creates the default settings for a variant.
    pub fn new(variant: &'static Variant) -> LineSettings {
        LineSettings {
            mode: Mode::Single,
            name: None,
            variant,
            opened: None,
            earliest_date: None,
            finds_late_start: false,
            tags: Vec::new(),
            orientation: OrientationSetting::Auto,
            codes: CodeMap::default(),
            recognition: RecognitionSettings::default(),
            board: None,
            connect_questions: CONNECT_QUESTIONS
                .iter()
                .filter(|(_, _, usual)| *usual)
                .map(|(_, command, _)| *command)
                .collect(),
            preset: Preset::Auto,
            explicit_keys: Vec::new(),
            games_before: 0,
            bus: BusSettings::default(),
            boards: BTreeMap::new(),
        }
    }

    /// Returns the settings of a board on this bus.
    pub fn for_board(&self, address: BusAddress) -> LineSettings {
        let of_line = || LineSettings { boards: BTreeMap::new(), ..self.clone() };
        self.boards.get(&address).cloned().unwrap_or_else(of_line)
    }

    /// Returns the settings without the parts that differ from log to log: the opening time, the number of earlier games, and
    /// boards that are only known to have been on the bus.
    pub fn without_history(&self) -> LineSettings {
        let plain = |settings: &LineSettings| LineSettings {
            opened: None,
            earliest_date: None,
            finds_late_start: false,
            games_before: 0,
            boards: BTreeMap::new(),
            ..settings.clone()
        };
        let line = plain(self);
        let boards = self.boards.iter().map(|(&address, board)| (address, plain(board)));
        let boards = boards.filter(|(_, board)| *board != line).collect();
        LineSettings { boards, ..line }
    }

    /// Returns the date of a time in PDN form; `????.??.??` while the machine clock is not set. `None` if the opening time is
    /// unknown.
    pub fn date(&self, at: Millis) -> Option<String> {
        let moment = calendar::moment(self.opened?, at);
        let is_set = self.earliest_date.is_none_or(|from| moment >= from);
        Some(if is_set { moment.format("%Y.%m.%d").to_string() } else { UNKNOWN_DATE.to_owned() })
    }

    /// Sets a key to a value given as text.
    ///
    /// # Errors
    ///
    /// Returns an error if the key does not exist or the value is invalid; nothing is changed.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        use draughts::ruleset::{PromotionInCapture, Removal};
        let refuse = |expected: Cow<'static, str>| SettingError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
        };
        let wrong = |expected: &'static str| refuse(expected.into());
        let mistaken = |expected: String| refuse(expected.into());
        match key {
            "board" => {
                let is_number =
                    (1..=MAX_SERIAL_LEN).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
                if !is_number {
                    return Err(wrong("the serial number of the board, up to ten digits in quotes, as in \"01025\""));
                }
                self.board = Some(value.to_owned());
            }
            "connect" => {
                let command =
                    |word: &str| CONNECT_QUESTIONS.iter().find(|(known, ..)| *known == word).map(|(_, c, _)| *c);
                let commands: Option<Vec<Command>> = value.split_whitespace().map(command).collect();
                self.connect_questions = commands.ok_or_else(|| {
                    wrong("words from: clock version serial-number long-serial-number trade-mark bus-address battery")
                })?;
            }
            "orientation" => {
                let auto = ("auto", OrientationSetting::Auto);
                let choices = [auto, ("normal", OrientationSetting::Normal), ("turned", OrientationSetting::Turned)];
                self.orientation = one_of(value, &choices).map_err(mistaken)?;
            }
            "codes" => self.codes = value.parse().map_err(mistaken)?,
            "turkish-promotion" => {
                let choices = [
                    ("where-the-move-ends", PromotionInCapture::AtMoveEnd),
                    ("ends-the-move", PromotionInCapture::EndsTheMove),
                    ("goes-on-as-king", PromotionInCapture::ContinuesAsKing),
                ];
                let turkish_promotion = Some(one_of(value, &choices).map_err(mistaken)?);
                self.choose(RuleChoices { turkish_promotion, ..self.variant.choices });
            }
            "thai-removal" => {
                let choices = [("at-once", Removal::Immediate), ("after-the-move", Removal::AfterMove)];
                let thai_removal = Some(one_of(value, &choices).map_err(mistaken)?);
                self.choose(RuleChoices { thai_removal, ..self.variant.choices });
            }
            "bus-answer-ms" => self.bus.answer_ms = milliseconds(value, 1).ok_or_else(|| wrong(MILLISECONDS_FROM_1))?,
            "bus-gap-ms" => self.bus.gap_ms = milliseconds(value, 0).ok_or_else(|| wrong(MILLISECONDS))?,
            "bus-poll-ms" => self.bus.poll_ms = milliseconds(value, 1).ok_or_else(|| wrong(MILLISECONDS_FROM_1))?,
            "bus-unknown-boards" => {
                let choices = [("record", UnknownBoards::Record), ("ignore", UnknownBoards::Ignore)];
                self.bus.unknown_boards = one_of(value, &choices).map_err(mistaken)?;
            }
            "bus-start-tag" => {
                self.bus.start_tag = one_of(value, &[("true", true), ("false", false)]).map_err(mistaken)?;
            }
            "thai-reversal" => {
                let choices = [("allowed", true), ("forbidden", false)];
                let thai_reversal = Some(one_of(value, &choices).map_err(mistaken)?);
                self.choose(RuleChoices { thai_reversal, ..self.variant.choices });
            }
            "preset" => {
                let (standard, blitz) = (Preset::Pace(Pace::Standard), Preset::Pace(Pace::Blitz));
                let choices = [("auto", Preset::Auto), ("standard", standard), ("blitz", blitz)];
                self.preset = one_of(value, &choices).map_err(mistaken)?;
            }
            _ if self.recognition.keys().any(|known| known == key) => {
                let before = self.recognition;
                self.recognition.set(key, value).map_err(wrong)?;
                if self.recognition != before {
                    self.explicit_keys.push(key.to_owned());
                }
            }
            _ => return Err(SettingError::UnknownKey { key: key.to_owned() }),
        }
        Ok(())
    }

    /// Returns the recogniser's times: the explicit ones, and the preset for the rest.
    pub fn effective_recognition(&self) -> RecognitionSettings {
        let pace = match self.preset {
            Preset::Pace(pace) => pace,
            Preset::Auto => self.pace_from_tags(),
        };
        self.recognition.at_pace(pace, |key| self.explicit_keys.iter().any(|configured| configured == key))
    }

    /// Returns the pace of the player with less time.
    fn pace_from_tags(&self) -> Pace {
        let controls = self.tags.iter().filter(|(name, _)| name.starts_with("TimeControl"));
        let seconds = controls.filter_map(|(_, value)| game_seconds(&value.parse().ok()?)).min();
        if seconds.is_some_and(|seconds| seconds < BLITZ_SECONDS) { Pace::Blitz } else { Pace::Standard }
    }

    fn choose(&mut self, choices: RuleChoices) {
        self.variant = Variant::new(self.variant.game_type, choices);
    }
}

/// Limit of the times of a bus; with longer ones it would be idle.
const MAX_MILLISECONDS: u64 = 10_000;
const MILLISECONDS: &str = "a whole number of milliseconds from 0 to 10000";
const MILLISECONDS_FROM_1: &str = "a whole number of milliseconds from 1 to 10000";

/// Returns what the word of a value stands for.
///
/// # Errors
///
/// Returns the possible words.
fn one_of<T: Copy>(value: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    let chosen = choices.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
    chosen.ok_or_else(|| match words.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    })
}

fn milliseconds(value: &str, least: u64) -> Option<u64> {
    value.parse().ok().filter(|number| (least..=MAX_MILLISECONDS).contains(number))
}

/// Returns a player's time for sixty moves in seconds; `None` if the time control does not determine it.
fn game_seconds(control: &TimeControl) -> Option<u64> {
    const MOVES: u64 = 60;
    let TimeControl::Periods(periods) = control else { return None };
    let seconds = |period: &Period| match *period {
        Period::Moves { seconds, .. } | Period::SuddenDeath { seconds } | Period::Hourglass { seconds } => {
            u64::from(seconds)
        }
        Period::Increment { seconds, increment } => u64::from(seconds) + MOVES * u64::from(increment),
    };
    Some(periods.iter().map(seconds).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpressed(settings: &[(&str, &str)], tags: &[(&str, &str)]) -> u64 {
        let mut line = LineSettings::new(Variant::from_tag("20").unwrap());
        for (key, value) in settings {
            line.set(key, value).unwrap();
        }
        line.tags = tags.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        line.effective_recognition().unpressed_ms
    }

    #[test]
    fn pace_follows_time_control_by_default() {
        let standard = RecognitionSettings::default().unpressed_ms;
        let blitz = RecognitionSettings::default().at_pace(Pace::Blitz, |_| false).unpressed_ms;
        assert!(blitz < standard);
        for (settings, tags, expected) in [
            (&[][..], &[][..], standard),
            (&[], &[("TimeControl", "300+3")], blitz),
            (&[], &[("TimeControl", "4800+60")], standard),
            (&[], &[("TimeControl", "40/7200:3600")], standard),
            (&[], &[("TimeControl", "600+10")], standard),
            (&[], &[("TimeControlWhite", "900"), ("TimeControlBlack", "180")], blitz),
            (&[], &[("TimeControl", "five minutes")], standard),
            (&[("preset", "blitz")], &[], blitz),
            (&[("preset", "standard")], &[("TimeControl", "300")], standard),
            (&[("preset", "blitz"), ("unpressed-ms", "7000")], &[], 7000),
            (&[("unpressed-ms", "8000"), ("preset", "blitz")], &[], blitz),
        ] {
            assert_eq!(unpressed(settings, tags), expected, "{settings:?} {tags:?}");
        }
        assert!(LineSettings::new(Variant::from_tag("20").unwrap()).set("preset", "bullet").is_err());
    }
}
