//! Formats of game results, as a table of the standard.
//!
//! | format | White won | Black won | drawn | lost for both | further values |
//! |---|---|---|---|---|---|
//! | the default | `1-0` | `0-1` | `1/2-1/2` | `0-0` | |
//! | International | `2-0` | `0-2` | `1-1` | `0-0` | |
//! | Plus draw | `2-0` | `0-2` | `1-1` | `0-0` | `1+ - 1-`, `1- - 1+`: a draw with the better of it |
//! | Delfts | `2-0` | `0-2` | `1-1` | `0-0` | `1 1/2 - 1/2`, `1/2 - 1 1/2` |
//! | Goes | `2-0` | `0-2` | `1-1` | `0-0` | two points divided to the hundredth: `1.01-0.99` |
//!
//! The first two follow from the game type; the tag `ResultFormat` announces the others. The first number is always White's, also where
//! Black moves first. `*`: unfinished or unknown, in every format.
//!
//! Source: PDN 3.0, chapter "PDN Tags", `Result` and `ResultFormat`; the format of each game type is in chapter "GameType tag".

use super::piece::Color;

/// Set of allowed results.
///
/// # Examples
///
/// ```
/// use draughts::{Color, ResultFormat, Variant};
///
/// let format = Variant::international().result_format;
/// assert_eq!((format.win(Color::White), format.draw()), ("2-0", "1-1"));
/// assert!(!format.allows("1-0"));
/// assert!(ResultFormat::Default.allows("1-0"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ResultFormat {
    /// `1-0 0-1 1/2-1/2 0-0 *`
    Default,
    /// `2-0 0-2 1-1 0-0 *`
    International,
    /// Draws may record an advantage for one side.
    PlusDraw,
    /// Draws may count one and a half points for one side.
    Delfts,
    /// Two points divided to the hundredth.
    Goes,
}

impl ResultFormat {
    /// Returns the values that can be listed: White won, Black won, drawn, lost for both, those of this format only, `*`.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            ResultFormat::Default => &["1-0", "0-1", "1/2-1/2", "0-0", "*"],
            ResultFormat::International | ResultFormat::Goes => &["2-0", "0-2", "1-1", "0-0", "*"],
            ResultFormat::PlusDraw => &["2-0", "0-2", "1-1", "0-0", "1+ - 1-", "1- - 1+", "*"],
            ResultFormat::Delfts => &["2-0", "0-2", "1-1", "0-0", "1 1/2 - 1/2", "1/2 - 1 1/2", "*"],
        }
    }

    /// Returns the length of the longest value, in bytes.
    pub const fn max_value_len(self) -> usize {
        match self {
            ResultFormat::Default => "1/2-1/2".len(),
            ResultFormat::International => "2-0".len(),
            ResultFormat::PlusDraw => "1+ - 1-".len(),
            ResultFormat::Delfts => "1 1/2 - 1/2".len(),
            ResultFormat::Goes => "1.01-0.99".len(),
        }
    }

    /// Returns all values as text for a message: `2-0, 0-2, 1-1, 0-0, *`.
    pub fn describe(self) -> String {
        let divided = if self == ResultFormat::Goes { ", two points divided as in 1.01-0.99" } else { "" };
        self.values().join(", ") + divided
    }

    /// Returns the value for a win of this colour.
    pub const fn win(self, winner: Color) -> &'static str {
        self.values()[winner.index()]
    }

    /// Returns the value for a draw.
    pub const fn draw(self) -> &'static str {
        self.values()[2]
    }

    /// Whether the `Result` tag may have this value.
    pub fn allows(self, value: &str) -> bool {
        self.values().contains(&value) || (self == ResultFormat::Goes && divides_two_points(value))
    }

    /// Returns the value of the tag `ResultFormat`; `None` for formats that follow from the game type and need no tag.
    pub const fn tag_value(self) -> Option<&'static str> {
        match self {
            ResultFormat::Default | ResultFormat::International => None,
            ResultFormat::PlusDraw => Some("Plus draw"),
            ResultFormat::Delfts => Some("Delfts"),
            ResultFormat::Goes => Some("Goes"),
        }
    }

    /// Returns the format that a tag `ResultFormat` announces; `None` if the standard does not list it.
    pub fn from_tag(value: &str) -> Option<ResultFormat> {
        let announced = [ResultFormat::PlusDraw, ResultFormat::Delfts, ResultFormat::Goes];
        announced
            .into_iter()
            .find(|format| format.tag_value().is_some_and(|tag| tag.eq_ignore_ascii_case(value.trim())))
    }
}

/// Whether the value has the form `1.02-0.98`: two numbers with two decimals each that sum to two points.
fn divides_two_points(value: &str) -> bool {
    let hundredths = |text: &str| match *text.as_bytes() {
        [one @ b'0'..=b'2', b'.', tenth @ b'0'..=b'9', hundredth @ b'0'..=b'9'] => {
            Some(100 * u32::from(one - b'0') + 10 * u32::from(tenth - b'0') + u32::from(hundredth - b'0'))
        }
        _ => None,
    };
    let points = value.split_once('-').and_then(|(white, black)| Some(hundredths(white)? + hundredths(black)?));
    points == Some(200)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ResultFormat::{Default, Delfts, Goes, International, PlusDraw};

    #[test]
    fn each_format_allows_distinct_values() {
        for (value, allowed_by) in [
            ("1-0", vec![Default]),
            ("1/2-1/2", vec![Default]),
            ("2-0", vec![International, PlusDraw, Delfts, Goes]),
            ("1-1", vec![International, PlusDraw, Delfts, Goes]),
            ("0-0", vec![Default, International, PlusDraw, Delfts, Goes]),
            ("*", vec![Default, International, PlusDraw, Delfts, Goes]),
            ("1+ - 1-", vec![PlusDraw]),
            ("1 1/2 - 1/2", vec![Delfts]),
            ("0.98-1.02", vec![Goes]),
            ("2.00-0.00", vec![Goes]),
            ("1.02-1.02", vec![]),
            ("3-0", vec![]),
            ("", vec![]),
        ] {
            for format in [Default, International, PlusDraw, Delfts, Goes] {
                assert_eq!(format.allows(value), allowed_by.contains(&format), "{value} in {format:?}");
            }
        }
    }

    #[test]
    fn max_len_covers_all_values() {
        for format in [Default, International, PlusDraw, Delfts, Goes] {
            let longest = format.values().iter().map(|value| value.len()).max().unwrap_or(0);
            assert_eq!(format.max_value_len(), if format == Goes { "2.00-0.00".len() } else { longest }, "{format:?}");
        }
    }

    #[test]
    fn wins_and_draws() {
        assert_eq!((Default.win(Color::White), Default.win(Color::Black), Default.draw()), ("1-0", "0-1", "1/2-1/2"));
        assert_eq!((Goes.win(Color::White), Goes.win(Color::Black), Goes.draw()), ("2-0", "0-2", "1-1"));
    }

    #[test]
    fn tags_announce_formats() {
        for format in [PlusDraw, Delfts, Goes] {
            assert_eq!(format.tag_value().and_then(ResultFormat::from_tag), Some(format));
        }
        assert_eq!(ResultFormat::from_tag("Chess"), None);
    }
}
