//! Converts bytes to pairs of hexadecimal digits and back.

/// Appends the bytes to `text` as two lowercase digits each.
pub(super) fn append_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for nibble in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
}

/// Error in hexadecimal digits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HexError {
    /// Invalid digit, after its byte offset in the text.
    Character(usize, char),
    /// Odd number of digits.
    OddLength,
}

/// Decodes pairs of digits, lowercase or uppercase.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, HexError> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    for (at, character) in text.char_indices() {
        let digit = character.to_digit(16).ok_or(HexError::Character(at, character))? as u8;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    if high.is_some() { Err(HexError::OddLength) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_roundtrip() {
        let mut text = String::from("< ");
        append_hex(&mut text, &[0x00, 0x8e, 0xff]);
        assert_eq!(text, "< 008eff");
        assert_eq!(decode("008eFF"), Ok(vec![0x00, 0x8e, 0xff]));
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("8e0"), Err(HexError::OddLength));
        assert_eq!(decode("8e0x"), Err(HexError::Character(3, 'x')));
        assert_eq!(decode("8é"), Err(HexError::Character(1, 'é')));
    }
}
