//! Parses and writes the value of the PDN tag `GameType`: a bare number means the default board of its game.
//!
//! Source: PDN 3.0, chapter "GameType tag".

use std::str::FromStr;

use super::game_type::{GameType, Notation, NotationKind};
use super::piece::Color;
use super::square::Square;
use super::variant_table;

/// Reason why a text is not the game type of a playable game.
///
/// # Examples
///
/// ```
/// use draughts::{GameTypeError, Variant};
///
/// assert_eq!(Variant::from_tag("1"), Err(GameTypeError::UnknownNumber(1))); // chess
/// assert!(Variant::from_tag("draughts").unwrap_err().to_string().contains("expected a number such as `20`"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameTypeError {
    /// Text that does not have the form of the standard.
    #[error("`{0}` is not a GameType: expected a number such as `20`, or all attributes such as `20,W,10,10,N2,0`")]
    Malformed(String),
    /// Number outside the table, or of a game that is not draughts.
    #[error("game type {0} is not a draughts game of the PDN standard; known are {known}", known = variant_table::known_numbers())]
    UnknownNumber(u32),
    /// Short-form notation (`S`), which belongs to chess.
    #[error("`{0}`: notation S (short algebraic) does not exist for draughts; use A or N")]
    ShortAlgebraic(String),
    /// Board size that no draughts game uses.
    #[error("a board of {0} columns and {1} rows: expected even sizes from 4 to 12 with at most {max} playing squares", max = Square::MAX_COUNT)]
    Size(u32, u32),
}

impl FromStr for GameType {
    type Err = GameTypeError;

    /// Parses the value of a tag. A bare number expands to the default of the standard's table.
    fn from_str(text: &str) -> Result<GameType, GameTypeError> {
        let malformed = || GameTypeError::Malformed(text.to_owned());
        let mut parts = text.trim().split(',').map(str::trim);
        let number: u32 = parts.next().and_then(parse_number).ok_or_else(malformed)?;
        let default = u8::try_from(number)
            .ok()
            .and_then(variant_table::default_game_type)
            .ok_or(GameTypeError::UnknownNumber(number))?;
        let Some(starter) = parts.next() else { return Ok(default) };
        let starter = match starter {
            "W" => Color::White,
            "B" => Color::Black,
            _ => return Err(malformed()),
        };
        let width = parts.next().and_then(parse_number).ok_or_else(malformed)?;
        let height = parts.next().and_then(parse_number).ok_or_else(malformed)?;
        let notation = match parts.next().ok_or_else(malformed)?.as_bytes() {
            [b'S', b'0'..=b'3'] => return Err(GameTypeError::ShortAlgebraic(text.to_owned())),
            [kind @ (b'A' | b'N'), corner @ b'0'..=b'3'] => Notation {
                kind: if *kind == b'A' { NotationKind::Algebraic } else { NotationKind::Numeric },
                from_bottom: matches!(corner, b'0' | b'1'),
                from_left: matches!(corner, b'0' | b'2'),
            },
            _ => return Err(malformed()),
        };
        let inverted = match parts.next() {
            None | Some("0") => false,
            Some("1") => true,
            Some(_) => return Err(malformed()),
        };
        if parts.next().is_some() {
            return Err(malformed());
        }
        let fits = |size: u32| (4..=12).contains(&size) && size.is_multiple_of(2);
        let playing_squares =
            if variant_table::plays_all_squares(default.number) { width * height } else { width * height / 2 };
        if !fits(width) || !fits(height) || playing_squares > Square::MAX_COUNT as u32 {
            return Err(GameTypeError::Size(width, height));
        }
        Ok(GameType { number: default.number, starter, width: width as u8, height: height as u8, notation, inverted })
    }
}

/// Parses a plain decimal number: no sign, at most four digits.
fn parse_number(text: &str) -> Option<u32> {
    let plain = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

impl GameType {
    /// Returns the game type that a bare number in a tag expands to; `None` if the number is not a draughts game.
    pub fn from_number(number: u8) -> Option<GameType> {
        variant_table::default_game_type(number)
    }

    /// Returns the value for a tag: the bare number if it expands to this very type, otherwise all attributes.
    pub fn tag_value(&self) -> String {
        if variant_table::default_game_type(self.number) == Some(*self) {
            self.number.to_string()
        } else {
            self.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_number_means_default_and_is_written_bare() {
        for (bare, full) in [("20", "20,W,10,10,N2,0"), ("23", "23,B,8,8,N1,0"), ("41", "41,W,10,8,A0,0")] {
            let game_type: GameType = bare.parse().unwrap();
            assert_eq!(game_type.to_string(), full);
            assert_eq!(full.parse(), Ok(game_type));
            assert_eq!(game_type.tag_value(), bare);
        }
    }

    #[test]
    fn writes_other_boards_in_full() {
        for full in ["20,W,10,10,N1,0", "23,W,8,8,A0,0", "23,B,8,8,A1,1"] {
            assert_eq!(full.parse::<GameType>().unwrap().tag_value(), full);
        }
    }

    #[test]
    fn reports_why_game_is_unsupported() {
        for (text, word) in [
            ("", "not a GameType"),
            ("0", "not a draughts game"),
            ("99", "not a draughts game"),
            ("99999", "not a GameType"),
            ("20,X,10,10,N2,0", "not a GameType"),
            ("20,W,10,10,S2,0", "short algebraic"),
            ("20,W,100,100,N2,0", "a board of"),
            ("20,W,12,0,N2,0", "a board of"),
            ("30,W,12,12,A0,0", "a board of"),
            ("20,W,10,10,N2,0,1", "not a GameType"),
        ] {
            let error = text.parse::<GameType>().unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
