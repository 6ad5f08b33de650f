//! Checksum at the end of a record: ` ;` and the CRC-32C of all preceding text, as eight hexadecimal digits.
//!
//! Text may itself contain ` ;`, so only the exact form at the very end of a line counts as a checksum. The writer
//! always adds one, so text that looks like a checksum is not read as one.

use crc::{CRC_32_ISCSI, Crc, Table};

/// The large table is several times as fast as that of 1 kB: a start reads all records of a chain.
static CRC_32C: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);
const MARK: &str = " ;";
pub(super) const DIGIT_COUNT: usize = 8;

/// Returns the CRC-32C of a record's text.
pub(super) fn crc32c(text: &str) -> u32 {
    CRC_32C.checksum(text.as_bytes())
}

/// Appends the checksum of `record` to it.
pub(super) fn append(record: &mut String) {
    let checksum = crc32c(record);
    record.push_str(&format!("{MARK}{checksum:08x}"));
}

/// Splits a line into its text and its checksum, if present.
pub(super) fn split(line: &str) -> (&str, Option<u32>) {
    let parts = || {
        let (before, digits) = line.split_at_checked(line.len().checked_sub(DIGIT_COUNT)?)?;
        let text = before.strip_suffix(MARK)?;
        let add = |value: u32, digit: u8| Some(value << 4 | char::from(digit).to_digit(16)?);
        Some((text, digits.bytes().try_fold(0, add)?))
    };
    parts().map_or((line, None), |(text, checksum)| (text, Some(checksum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_crc_32c() {
        assert_eq!(crc32c("123456789"), 0xe306_9283, "the published check value");
        assert_eq!(crc32c("1040 < 8e00051f00"), 0x12ef_c721);
    }

    #[test]
    fn only_exact_form_at_end_is_checksum() {
        assert_eq!(split("1040 < 8e00051f00 ;12efc721"), ("1040 < 8e00051f00", Some(0x12ef_c721)));
        assert_eq!(split("5 ? a ;12345678 ;9ABCDEF0"), ("5 ? a ;12345678", Some(0x9abc_def0)));
        for line in [
            "",
            ";",
            " ;1234567",
            "a ;12345678 ",
            "a;12345678",
            "a ;1234567g",
            "a ;+1234567",
            "é",
            "ü ;éééé",
            "aé1234567",
        ] {
            assert_eq!(split(line), (line, None), "{line}");
        }
    }
}
