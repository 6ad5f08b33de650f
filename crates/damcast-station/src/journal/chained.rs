//! Lines with chained checksums: each includes that of the previous line, so the last one covers all lines.
//!
//! ```text
//!   checksum of a line = CRC-32C of the eight digits of the line before it (zeros for the first), and of its own text
//! ```

use std::fmt;

use crc::{CRC_32_ISCSI, Crc, Table};

/// Checksum CRC-32C.
pub static CHECKSUM: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);
/// Start of the last member of a line of JSON.
pub const MARK: &str = ",\"crc\":\"";
/// End of a line of JSON.
pub const END: &str = "\"}";
/// Number of digits of a checksum.
pub const DIGITS: usize = 8;

/// Checksum of all lines up to one of them; the default is that of no line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ChainedChecksum(pub u32);

/// Reason why a line of JSON is not the next one of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SealError {
    /// The line has no checksum at its end.
    #[error("its checksum is none")]
    Missing,
    /// The line was changed, or a line before it was changed or removed.
    #[error("its checksum is another")]
    Different,
}

impl ChainedChecksum {
    /// Returns the checksum of the next line.
    #[must_use]
    pub fn next(self, text: &[u8]) -> ChainedChecksum {
        let mut digest = CHECKSUM.digest();
        digest.update(&self.digits());
        digest.update(text);
        ChainedChecksum(digest.finalize())
    }

    /// Returns its eight digits, as `Display` shows them.
    fn digits(self) -> [u8; DIGITS] {
        let mut digits = [0; DIGITS];
        for (at, digit) in (0..DIGITS as u32).rev().zip(&mut digits) {
            // A number below 16 has a digit.
            *digit = char::from_digit(self.0 >> (4 * at) & 15, 16).unwrap_or_default() as u8;
        }
        digits
    }

    /// Parses the eight digits of a checksum.
    pub fn parse(digits: &str) -> Option<ChainedChecksum> {
        let is_plain = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_plain).map(ChainedChecksum)
    }

    /// Returns a JSON object as the next line of a file, with its checksum as last member and its LF; and that checksum.
    pub fn seal(self, object: &str) -> (String, ChainedChecksum) {
        let text = object.strip_suffix('}').unwrap_or(object);
        let next = self.next(text.as_bytes());
        (format!("{text}{MARK}{next}{END}\n"), next)
    }

    /// Returns the JSON object of the next line of a file, given without its LF, and its checksum.
    ///
    /// # Errors
    ///
    /// Returns [`SealError`] if the line is not the next one.
    pub fn unseal(self, line: &str) -> Result<(String, ChainedChecksum), SealError> {
        let split = || {
            let (text, digits) =
                line.strip_suffix(END)?.split_at_checked(line.len().checked_sub(END.len() + DIGITS)?)?;
            Some((text.strip_suffix(MARK)?, ChainedChecksum::parse(digits)?))
        };
        let (text, found) = split().ok_or(SealError::Missing)?;
        let next = self.next(text.as_bytes());
        if found == next { Ok((format!("{text}}}"), next)) } else { Err(SealError::Different) }
    }
}

impl fmt::Display for ChainedChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_lines_are_read_in_their_order_only() {
        let start = ChainedChecksum::default();
        let (first, after_first) = start.seal("{\"a\":1}");
        let (second, _) = after_first.seal("{\"a\":2}");
        let [first, second] = [&first, &second].map(|line| line.trim_end());
        assert_eq!(start.unseal(first), Ok(("{\"a\":1}".to_owned(), after_first)));
        assert_eq!(after_first.unseal(second).unwrap().0, "{\"a\":2}");
        assert_eq!(start.unseal(second), Err(SealError::Different));
        assert_eq!(start.unseal(&first.replace('1', "7")), Err(SealError::Different));
        for other in ["", "{}", "{\"a\":1}", &first[1..first.len() - 1], "é\"}"] {
            assert_eq!(start.unseal(other), Err(SealError::Missing), "{other}");
        }
    }
}
