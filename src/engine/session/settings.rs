//! What a line is told before it starts: the keys of `[[line]]` and `[recognition]` that the core obeys.
//!
//! One place reads and checks them, whether they come from the configuration, from `--set key=value`, or from the
//! `# set-key: value` lines of a log.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use super::codes::CodeMap;
use crate::engine::bytelog::Mode;
use crate::engine::calendar;
use crate::engine::millis::Millis;
use crate::engine::protocol::{BusAddress, Command};
use crate::engine::recognition::{Pace, Settings as RecognitionSettings};
use draughts::{RuleChoices, Variant};
use draughts_pdn::time_control::{Period, TimeControl};

/// Everything the record of a line depends on besides its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct LineSettings {
    /// One board on the line, or a bus with many.
    pub mode: Mode,
    /// What its files are called, if that is not the name of the line or, on a bus, that and the address.
    pub name: Option<String>,
    /// The game that is played.
    pub variant: &'static Variant,
    /// When the line was opened; gives the date of its games. Unknown: games have no Date tag.
    pub opened: Option<DateTime<FixedOffset>>,
    /// A clock that shows an earlier moment has plainly not been set: it tells no date. `None`: every moment is a date.
    pub earliest_date: Option<DateTime<FixedOffset>>,
    /// Whether a board that shows no start position at first is asked for a game that began while nobody listened.
    pub finds_late_start: bool,
    /// Tags of the header, in the order given; the writer puts them into the standard's order.
    pub tags: Vec<(String, String)>,
    /// How the board lies.
    pub orientation: OrientationSetting,
    /// What the piece codes mean.
    pub codes: CodeMap,
    /// The recogniser's times and limits, as they were told; [`LineSettings::effective_recognition`] has those that count.
    pub recognition: RecognitionSettings,
    /// The serial number of the board that belongs to this line; `None`: whichever is there.
    pub board: Option<String>,
    /// What a board is asked on connecting, after what stands on it: never anything that changes it.
    pub connect_questions: Vec<Command>,
    /// How fast the recogniser takes the games to be.
    pub preset: Preset,
    /// The keys of the recogniser's times that were told, and are not the defaults.
    pub explicit_keys: Vec<String>,
    /// Games of this board before its log begins; the first of this log is numbered one higher.
    pub games_before: u32,
    /// How a bus is used.
    pub bus: BusSettings,
    /// The boards that are expected on a bus, each with its own settings. A board that is not among them is recorded with
    /// those of the line.
    pub boards: BTreeMap<BusAddress, LineSettings>,
}

/// How a bus is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusSettings {
    /// How long a board may take until it begins to answer.
    pub answer_ms: u64,
    /// How long the line is left alone after an answer.
    pub gap_ms: u64,
    /// No board is asked for its changes more often than this without a reason.
    pub poll_ms: u64,
    /// What becomes of boards that are not expected.
    pub unknown_boards: UnknownBoards,
    /// Whether boards are told to note the start of a game in their memory.
    pub start_tag: bool,
}

impl Default for BusSettings {
    fn default() -> BusSettings {
        // 80 ms by the protocol; a scan of a board takes 200 to 250 ms, so asking more often than every 80 tells nothing more.
        BusSettings { answer_ms: 80, gap_ms: 0, poll_ms: 80, unknown_boards: UnknownBoards::Record, start_tag: true }
    }
}

/// What becomes of boards on a bus that are not expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownBoards {
    /// They are recorded with the settings of the line.
    #[default]
    Record,
    /// The operator is told, and they are left alone.
    Ignore,
}

/// How the board lies on the table, seen from White.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OrientationSetting {
    /// Found from the start position of each game.
    #[default]
    Auto,
    /// The connector is on White's left: fields count from Black's left corner.
    Normal,
    /// The connector is on White's right: everything arrives turned by 180 degrees.
    Turned,
}

/// What stands in the Date tag where no date is known.
const UNKNOWN_DATE: &str = "????.??.??";

/// Serial numbers have five digits, or ten.
const MAX_SERIAL_LEN: usize = 10;

/// What a board may be asked on connecting: the word for it, the command, and whether it is asked if nothing else is said.
/// Commands that write the board's memory or change how it scans are absent on purpose.
const CONNECT_QUESTIONS: [(&str, Command, bool); 7] = [
    ("clock", Command::SendClock, true),
    ("version", Command::SendVersion, true),
    ("serial-number", Command::ReturnSerialNumber, true),
    ("long-serial-number", Command::ReturnLongSerialNumber, true),
    ("trade-mark", Command::SendTrademark, true),
    ("bus-address", Command::ReturnBusAddress, true),
    ("battery", Command::SendBatteryStatus, false),
];

/// Which times the recogniser uses where none are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// Those of the pace that the tag TimeControl says; of a standard game if it says nothing.
    #[default]
    Auto,
    /// Those of a pace.
    Pace(Pace),
}

/// A game in which a player has less than this for sixty moves, increments included, is blitz.
const BLITZ_SECONDS: u64 = 15 * 60;

/// Why a setting cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingError {
    /// No such key.
    #[error("there is no setting `{key}`; known are {known}",
        known = [&LineSettings::KEYS[..], &LineSettings::BUS_KEYS].concat().join(", "))]
    UnknownKey {
        /// The key as given.
        key: String,
    },
    /// A value that the key cannot have.
    #[error("`{key} = {value}`: expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// What it may be.
        expected: Cow<'static, str>,
    },
}

impl LineSettings {
    /// The keys that [`LineSettings::set`] knows.
    pub const KEYS: [&'static str; 7] =
        ["board", "orientation", "codes", "connect", "turkish-promotion", "thai-removal", "thai-reversal"];
    /// The keys that it knows beyond those, for a bus as a whole.
    pub const BUS_KEYS: [&'static str; 5] =
        ["bus-answer-ms", "bus-gap-ms", "bus-poll-ms", "bus-unknown-boards", "bus-start-tag"];

    /// A line that plays this game, everything else as it is by default.
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
                .map(|(_, command, _)| command.clone())
                .collect(),
            preset: Preset::Auto,
            explicit_keys: Vec::new(),
            games_before: 0,
            bus: BusSettings::default(),
            boards: BTreeMap::new(),
        }
    }

    /// The settings of a board on this bus.
    pub fn for_board(&self, address: BusAddress) -> LineSettings {
        let of_line = || LineSettings { boards: BTreeMap::new(), ..self.clone() };
        self.boards.get(&address).cloned().unwrap_or_else(of_line)
    }

    /// The same without what differs from log to log: when it was opened, which games there were before, and boards of
    /// which nothing more is known than that they were once on the bus.
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

    /// The date of a time, as PDN has it; `????.??.??` while the clock of the machine has not been set. `None` where nothing says
    /// when the line was opened.
    pub fn date(&self, at: Millis) -> Option<String> {
        let moment = calendar::moment(self.opened?, at);
        let is_set = self.earliest_date.is_none_or(|from| moment >= from);
        Some(if is_set { moment.format("%Y.%m.%d").to_string() } else { UNKNOWN_DATE.to_owned() })
    }

    /// Sets one key to a value given as text.
    ///
    /// # Errors
    ///
    /// When the key does not exist or cannot have this value; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        use draughts::ruleset::{PromotionInCapture, Removal};
        let refuse = |expected: Cow<'static, str>| SettingError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
        };
        let wrong = |expected: &'static str| refuse(expected.into());
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
                    |word: &str| CONNECT_QUESTIONS.iter().find(|(known, ..)| *known == word).map(|(_, c, _)| c.clone());
                let commands: Option<Vec<Command>> = value.split_whitespace().map(command).collect();
                self.connect_questions = commands.ok_or_else(|| {
                    wrong("words from: clock version serial-number long-serial-number trade-mark bus-address battery")
                })?;
            }
            "orientation" => {
                self.orientation = match value {
                    "auto" => OrientationSetting::Auto,
                    "normal" => OrientationSetting::Normal,
                    "turned" => OrientationSetting::Turned,
                    _ => return Err(wrong("auto, normal or turned")),
                }
            }
            "codes" => self.codes = value.parse().map_err(|why: String| refuse(why.into()))?,
            "turkish-promotion" => {
                let turkish_promotion = Some(match value {
                    "where-the-move-ends" => PromotionInCapture::AtMoveEnd,
                    "ends-the-move" => PromotionInCapture::EndsTheMove,
                    "goes-on-as-king" => PromotionInCapture::ContinuesAsKing,
                    _ => return Err(wrong("where-the-move-ends, ends-the-move or goes-on-as-king")),
                });
                self.choose(RuleChoices { turkish_promotion, ..self.variant.choices });
            }
            "thai-removal" => {
                let thai_removal = Some(match value {
                    "at-once" => Removal::Immediate,
                    "after-the-move" => Removal::AfterMove,
                    _ => return Err(wrong("at-once or after-the-move")),
                });
                self.choose(RuleChoices { thai_removal, ..self.variant.choices });
            }
            "bus-answer-ms" => self.bus.answer_ms = milliseconds(value, 1).ok_or_else(|| wrong(MILLISECONDS_FROM_1))?,
            "bus-gap-ms" => self.bus.gap_ms = milliseconds(value, 0).ok_or_else(|| wrong(MILLISECONDS))?,
            "bus-poll-ms" => self.bus.poll_ms = milliseconds(value, 1).ok_or_else(|| wrong(MILLISECONDS_FROM_1))?,
            "bus-unknown-boards" => {
                self.bus.unknown_boards = match value {
                    "record" => UnknownBoards::Record,
                    "ignore" => UnknownBoards::Ignore,
                    _ => return Err(wrong("record or ignore")),
                }
            }
            "bus-start-tag" => {
                self.bus.start_tag = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(wrong("true or false")),
                }
            }
            "thai-reversal" => {
                let thai_reversal = Some(match value {
                    "allowed" => true,
                    "forbidden" => false,
                    _ => return Err(wrong("allowed or forbidden")),
                });
                self.choose(RuleChoices { thai_reversal, ..self.variant.choices });
            }
            "preset" => {
                self.preset = match value {
                    "auto" => Preset::Auto,
                    "standard" => Preset::Pace(Pace::Standard),
                    "blitz" => Preset::Pace(Pace::Blitz),
                    _ => return Err(wrong("auto, standard or blitz")),
                }
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

    /// The recogniser's times: those that were told, the others as the preset has them.
    pub fn effective_recognition(&self) -> RecognitionSettings {
        let pace = match self.preset {
            Preset::Pace(pace) => pace,
            Preset::Auto => self.pace_from_tags(),
        };
        self.recognition.at_pace(pace, |key| self.explicit_keys.iter().any(|configured| configured == key))
    }

    /// The pace of the player who has less time.
    fn pace_from_tags(&self) -> Pace {
        let controls = self.tags.iter().filter(|(name, _)| name.starts_with("TimeControl"));
        let seconds = controls.filter_map(|(_, value)| game_seconds(&value.parse().ok()?)).min();
        if seconds.is_some_and(|seconds| seconds < BLITZ_SECONDS) { Pace::Blitz } else { Pace::Standard }
    }

    fn choose(&mut self, choices: RuleChoices) {
        self.variant = Variant::new(self.variant.game_type, choices);
    }
}

/// The longest time that a setting of the bus can have: more would be a bus that does nothing.
const MAX_MILLISECONDS: u64 = 10_000;
const MILLISECONDS: &str = "a whole number of milliseconds from 0 to 10000";
const MILLISECONDS_FROM_1: &str = "a whole number of milliseconds from 1 to 10000";

fn milliseconds(value: &str, least: u64) -> Option<u64> {
    value.parse().ok().filter(|number| (least..=MAX_MILLISECONDS).contains(number))
}

/// The time that a player has for a game of sixty moves; `None` where the control does not tell.
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
