//! Points of a game, a match, a player: exact hundredths, never floating point.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Points in hundredths, from -10,000,000 to 10,000,000 points.
///
/// # Examples
///
/// ```
/// use draughts_tournament::Points;
///
/// let sum = Points::parse("1½").unwrap() + Points::whole(2);
/// assert_eq!(sum.to_string(), "3.5");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Points(i64);

impl Points {
    /// No points.
    pub const ZERO: Points = Points(0);
    /// Maximum number of digits before the decimal point.
    const DIGITS: usize = 7;

    /// Creates whole points.
    pub const fn whole(points: i32) -> Points {
        Points(points as i64 * 100)
    }

    /// Creates points from hundredths.
    pub const fn hundredths(hundredths: i64) -> Points {
        Points(hundredths)
    }

    /// Returns the points in hundredths.
    pub const fn in_hundredths(self) -> i64 {
        self.0
    }

    /// Parses `2`, `0.5`, `6,5`, `½`, `3½`, `-2.0`; accepts more than two decimals only if they are zero.
    pub fn parse(text: &str) -> Option<Points> {
        let (sign, text) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (text, half) = match text.strip_suffix('½') {
            Some(rest) => (rest, 50),
            None => (text, 0),
        };
        let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = whole.is_empty() && decimals.is_empty() && half == 0;
        if is_empty || !are_digits(whole) || !are_digits(decimals) || whole.len() > Points::DIGITS {
            return None;
        }
        let (kept, rest) = decimals.split_at(decimals.len().min(2));
        if rest.bytes().any(|byte| byte != b'0') || (half != 0 && !decimals.is_empty()) {
            return None;
        }
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let decimals: i64 = format!("{kept:0<2}").parse().ok()?;
        Some(Points(sign * (whole * 100 + decimals + half)))
    }
}

/// Formats as `2`, `0.5`, `12`, with no more decimals than needed.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Fraction { numerator: self.0, denominator: 100 }.fmt(f)
    }
}

impl Add for Points {
    type Output = Points;
    fn add(self, other: Points) -> Points {
        Points(self.0 + other.0)
    }
}

impl Sub for Points {
    type Output = Points;
    fn sub(self, other: Points) -> Points {
        Points(self.0 - other.0)
    }
}

impl Mul<i64> for Points {
    type Output = Points;
    fn mul(self, times: i64) -> Points {
        Points(self.0 * times)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        self.0 += other.0;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        points.fold(Points::ZERO, Add::add)
    }
}

/// An exact number: a tie-break can be a fraction, such as a part of an opponent's points.
#[derive(Clone, Copy, Debug)]
pub struct Fraction {
    /// Numerator.
    pub numerator: i64,
    /// Denominator, always positive.
    pub denominator: i64,
}

impl Fraction {
    /// Creates a whole number.
    pub fn whole(number: i64) -> Fraction {
        Fraction { numerator: number, denominator: 1 }
    }
}

impl From<Points> for Fraction {
    fn from(points: Points) -> Fraction {
        Fraction { numerator: points.0, denominator: 100 }
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> std::cmp::Ordering {
        let cross = |a: &Fraction, b: &Fraction| i128::from(a.numerator) * i128::from(b.denominator);
        cross(self, other).cmp(&cross(other, self))
    }
}

/// Formats as a decimal: exact with at most four decimals, else rounded to four (ranks use the exact number).
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SCALE: i128 = 10_000;
        let (numerator, denominator) = (i128::from(self.numerator), i128::from(self.denominator));
        let scaled = (numerator.abs() * SCALE * 2 + denominator) / (denominator * 2);
        let sign = if numerator < 0 && scaled > 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:04}", scaled / SCALE, scaled % SCALE);
        f.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl std::str::FromStr for Points {
    type Err = String;

    fn from_str(text: &str) -> Result<Points, String> {
        Points::parse(text).ok_or_else(|| format!("`{text}` is no number of points"))
    }
}

super::serde_as_text!(Points);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_roundtrip_exactly() {
        for (text, expected) in [
            ("2", "2"),
            ("0.5", "0.5"),
            (".5", "0.5"),
            ("6,5", "6.5"),
            ("½", "0.5"),
            ("3½", "3.5"),
            ("-2.0", "-2"),
            ("44,25", "44.25"),
            ("1.500", "1.5"),
        ] {
            assert_eq!(Points::parse(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "-", ".", "x", "1.234", "1e3", "+1", "1.5½", "99999999", "½½", "１"] {
            assert_eq!(Points::parse(text), None, "{text}");
        }
    }

    #[test]
    fn fractions_compare_exactly_and_display_rounded() {
        let third = Fraction { numerator: 1, denominator: 3 };
        assert_eq!(third.to_string(), "0.3333");
        assert!(third > Fraction { numerator: 3333, denominator: 10_000 });
        assert_eq!(Fraction { numerator: 3, denominator: 9 }, third);
        assert_eq!(Fraction { numerator: -1, denominator: 8 }.to_string(), "-0.125");
        assert_eq!(Fraction { numerator: -1, denominator: 80_000 }.to_string(), "0");
    }
}
