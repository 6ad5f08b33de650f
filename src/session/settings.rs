//! What a line is told before it starts: the keys of `[[line]]` and `[recognition]` that the core obeys.
//!
//! One place reads and checks them, whether they come from the configuration, from `--set key=value`, or from the
//! `# set-key: value` lines of a log.

use chrono::{DateTime, FixedOffset};

use crate::pdn::time_control::{Period, TimeControl};
use crate::recognition::{Pace, Settings as RecognitionSettings};
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
    /// The recogniser's times and limits, as they were told; [`LineSettings::recognition_in_force`] has those that count.
    pub recognition: RecognitionSettings,
    /// How fast the recogniser takes the games to be.
    pub preset: Preset,
    /// The keys of the recogniser's times that were told, and are not the defaults.
    pub told: Vec<String>,
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

/// Which times the recogniser uses where none are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// Those of the pace that the tag TimeControl says; of a standard game if it says nothing.
    #[default]
    Auto,
    /// Those of a pace.
    Of(Pace),
}

/// A game in which a player has less than this for sixty moves, increments included, is blitz.
const BLITZ_SECONDS: u64 = 15 * 60;

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
        expected: &'static str,
    },
}

impl LineSettings {
    /// The keys that [`LineSettings::set`] knows.
    pub const KEYS: [&'static str; 4] = ["orientation", "codes", "turkish-promotion", "thai-removal"];

    /// A line that plays this game, everything else as it is by default.
    pub fn new(variant: &'static Variant) -> LineSettings {
        LineSettings {
            variant,
            opened: None,
            tags: Vec::new(),
            orientation: OrientationSetting::Auto,
            codes: CodeMap::Draughts,
            recognition: RecognitionSettings::default(),
            preset: Preset::Auto,
            told: Vec::new(),
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
            "preset" => {
                self.preset = match value {
                    "auto" => Preset::Auto,
                    "standard" => Preset::Of(Pace::Standard),
                    "blitz" => Preset::Of(Pace::Blitz),
                    _ => return Err(wrong("auto, standard or blitz")),
                }
            }
            _ if self.recognition.keys().any(|known| known == key) => {
                let before = self.recognition;
                self.recognition.set(key, value).map_err(wrong)?;
                if self.recognition != before {
                    self.told.push(key.to_owned());
                }
            }
            _ => return Err(SettingError::UnknownKey { key: key.to_owned() }),
        }
        Ok(())
    }

    /// The recogniser's times: those that were told, the others as the preset has them.
    pub fn recognition_in_force(&self) -> RecognitionSettings {
        let pace = match self.preset {
            Preset::Of(pace) => pace,
            Preset::Auto => self.pace_of_tags(),
        };
        self.recognition.at_pace(pace, |key| self.told.iter().any(|told| told == key))
    }

    /// The pace of the player who has less time.
    fn pace_of_tags(&self) -> Pace {
        let controls = self.tags.iter().filter(|(name, _)| name.starts_with("TimeControl"));
        let seconds = controls.filter_map(|(_, value)| seconds_of_a_game(&value.parse().ok()?)).min();
        if seconds.is_some_and(|seconds| seconds < BLITZ_SECONDS) { Pace::Blitz } else { Pace::Standard }
    }

    fn choose(&mut self, choices: RuleChoices) {
        self.variant = Variant::new(self.variant.game_type, choices);
    }
}

/// The time that a player has for a game of sixty moves; `None` where the control does not tell.
fn seconds_of_a_game(control: &TimeControl) -> Option<u64> {
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
        line.recognition_in_force().unpressed_ms
    }

    #[test]
    fn the_pace_is_that_of_the_time_control_unless_told() {
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
