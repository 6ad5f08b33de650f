//! What a line is told before it starts: the keys of `[[line]]` and `[recognition]` that the core obeys.
//!
//! One place reads and checks them, whether they come from the configuration, from `--set key=value`, or from the
//! `# set-key: value` lines of a log.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use crate::bytelog::Mode;
use crate::protocol::BusAddress;
use crate::recognition::Settings as RecognitionSettings;
use crate::rules::{RuleChoices, Variant};

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
    /// Tags of the header, in the order given; the writer puts them into the standard's order.
    pub tags: Vec<(String, String)>,
    /// How the board lies.
    pub orientation: OrientationSetting,
    /// What the piece codes mean.
    pub codes: CodeMap,
    /// The recogniser's times and limits.
    pub recognition: RecognitionSettings,
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

/// What the piece codes of this board mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CodeMap {
    /// Draughts sets: 1 white man, 4 black man, 7 white king, 10 black king.
    #[default]
    Draughts,
    /// Older draughts firmware: white king and black man are swapped.
    DraughtsOld,
    /// A chess set: pawns as men, queens as kings; other chess pieces count as men of their colour.
    Chess,
}

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
        expected: &'static str,
    },
}

impl LineSettings {
    /// The keys that [`LineSettings::set`] knows.
    pub const KEYS: [&'static str; 4] = ["orientation", "codes", "turkish-promotion", "thai-removal"];
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
            tags: Vec::new(),
            orientation: OrientationSetting::Auto,
            codes: CodeMap::Draughts,
            recognition: RecognitionSettings::default(),
            games_before: 0,
            bus: BusSettings::default(),
            boards: BTreeMap::new(),
        }
    }

    /// The settings of a board on this bus.
    pub fn of_board(&self, address: BusAddress) -> LineSettings {
        let of_line = || LineSettings { boards: BTreeMap::new(), ..self.clone() };
        self.boards.get(&address).cloned().unwrap_or_else(of_line)
    }

    /// The same without what differs from log to log: when it was opened, which games there were before, and boards of
    /// which nothing more is known than that they were once on the bus.
    pub fn without_history(&self) -> LineSettings {
        let plain = |settings: &LineSettings| LineSettings {
            opened: None,
            games_before: 0,
            boards: BTreeMap::new(),
            ..settings.clone()
        };
        let line = plain(self);
        let boards = self.boards.iter().map(|(&address, board)| (address, plain(board)));
        let boards = boards.filter(|(_, board)| *board != line).collect();
        LineSettings { boards, ..line }
    }

    /// Sets one key to a value given as text.
    ///
    /// # Errors
    ///
    /// When the key does not exist or cannot have this value; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        use crate::rules::variant::{PromotionInCapture, Removal};
        let wrong = |expected| SettingError::Value { key: key.to_owned(), value: value.to_owned(), expected };
        match key {
            "orientation" => {
                self.orientation = match value {
                    "auto" => OrientationSetting::Auto,
                    "normal" => OrientationSetting::Normal,
                    "turned" => OrientationSetting::Turned,
                    _ => return Err(wrong("auto, normal or turned")),
                }
            }
            "codes" => {
                self.codes = match value {
                    "draughts" => CodeMap::Draughts,
                    "draughts-old" => CodeMap::DraughtsOld,
                    "chess" => CodeMap::Chess,
                    _ => return Err(wrong("draughts, draughts-old or chess")),
                }
            }
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

/// The longest time that a setting of the bus can have: more would be a bus that does nothing.
const LONGEST_MS: u64 = 10_000;
const MILLISECONDS: &str = "a whole number of milliseconds from 0 to 10000";
const MILLISECONDS_FROM_1: &str = "a whole number of milliseconds from 1 to 10000";

fn milliseconds(value: &str, least: u64) -> Option<u64> {
    value.parse().ok().filter(|number| (least..=LONGEST_MS).contains(number))
}
