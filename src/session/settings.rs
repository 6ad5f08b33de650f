//! What a line is told before it starts: the keys of `[[line]]` and `[recognition]` that the core obeys.
//!
//! One place reads and checks them, whether they come from the configuration, from `--set key=value`, or from the
//! `# set-key: value` lines of a log.

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset};

use super::codes::CodeMap;
use crate::protocol::Command;
use crate::recognition::Settings as RecognitionSettings;
use crate::rules::{RuleChoices, Variant};

/// Everything the record of a line depends on besides its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct LineSettings {
    /// The game that is played.
    pub variant: &'static Variant,
    /// When the line was opened; gives the date of its games. Unknown: games have no Date tag.
    pub opened: Option<DateTime<FixedOffset>>,
    /// Tags of the header, in the order given; the writer puts them into the standard's order.
    pub tags: Vec<(String, String)>,
    /// How the board lies.
    pub orientation: OrientationSetting,
    /// What the piece codes mean.
    pub codes: CodeMap,
    /// The recogniser's times and limits.
    pub recognition: RecognitionSettings,
    /// The serial number of the board that belongs to this line; `None`: whichever is there.
    pub board: Option<String>,
    /// What a board is asked on connecting, after what stands on it: never anything that changes it.
    pub connect: Vec<Command>,
    /// Games of this line before its log begins; the first of this log is numbered one higher.
    pub games_before: u32,
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

/// Serial numbers have five digits, or ten.
const LONGEST_SERIAL: usize = 10;

/// What a board may be asked on connecting: the word for it, the command, and whether it is asked if nothing else is said.
/// Commands that write the board's memory or change how it scans are absent on purpose.
const OPENING: [(&str, Command, bool); 7] = [
    ("clock", Command::SendClock, true),
    ("version", Command::SendVersion, true),
    ("serial-number", Command::ReturnSerialNumber, true),
    ("long-serial-number", Command::ReturnLongSerialNumber, true),
    ("trade-mark", Command::SendTrademark, true),
    ("bus-address", Command::ReturnBusAddress, true),
    ("battery", Command::SendBatteryStatus, false),
];

/// Why a setting cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingError {
    /// No such key.
    #[error("there is no setting `{key}`; known are {known}", known = LineSettings::KEYS.join(", "))]
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

    /// A line that plays this game, everything else as it is by default.
    pub fn new(variant: &'static Variant) -> LineSettings {
        LineSettings {
            variant,
            opened: None,
            tags: Vec::new(),
            orientation: OrientationSetting::Auto,
            codes: CodeMap::default(),
            recognition: RecognitionSettings::default(),
            board: None,
            connect: OPENING.iter().filter(|(_, _, usual)| *usual).map(|(_, command, _)| command.clone()).collect(),
            games_before: 0,
        }
    }

    /// Sets one key to a value given as text.
    ///
    /// # Errors
    ///
    /// When the key does not exist or cannot have this value; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        use crate::rules::variant::{PromotionInCapture, Removal};
        let refuse = |expected: Cow<'static, str>| SettingError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
        };
        let wrong = |expected: &'static str| refuse(expected.into());
        match key {
            "board" => {
                let is_number =
                    (1..=LONGEST_SERIAL).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
                if !is_number {
                    return Err(wrong("the serial number of the board, up to ten digits in quotes, as in \"01025\""));
                }
                self.board = Some(value.to_owned());
            }
            "connect" => {
                let command = |word: &str| OPENING.iter().find(|(known, ..)| *known == word).map(|(_, c, _)| c.clone());
                let commands: Option<Vec<Command>> = value.split_whitespace().map(command).collect();
                self.connect = commands.ok_or_else(|| {
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
                    "where-the-move-ends" => PromotionInCapture::WhereTheMoveEnds,
                    "ends-the-move" => PromotionInCapture::EndsTheMove,
                    "goes-on-as-king" => PromotionInCapture::GoesOnAsKing,
                    _ => return Err(wrong("where-the-move-ends, ends-the-move or goes-on-as-king")),
                });
                self.choose(RuleChoices { turkish_promotion, ..self.variant.choices });
            }
            "thai-removal" => {
                let thai_removal = Some(match value {
                    "at-once" => Removal::AtOnce,
                    "after-the-move" => Removal::AfterTheMove,
                    _ => return Err(wrong("at-once or after-the-move")),
                });
                self.choose(RuleChoices { thai_removal, ..self.variant.choices });
            }
            "thai-reversal" => {
                let thai_reversal = Some(match value {
                    "allowed" => true,
                    "forbidden" => false,
                    _ => return Err(wrong("allowed or forbidden")),
                });
                self.choose(RuleChoices { thai_reversal, ..self.variant.choices });
            }
            _ if self.recognition.keys().any(|known| known == key) => {
                self.recognition.set(key, value).map_err(wrong)?;
            }
            _ => return Err(SettingError::UnknownKey { key: key.to_owned() }),
        }
        Ok(())
    }

    fn choose(&mut self, choices: RuleChoices) {
        self.variant = Variant::new(self.variant.game_type, choices);
    }
}
