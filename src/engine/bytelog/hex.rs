//! Bytes as pairs of hexadecimal digits, and back.

/// Adds the bytes to `text`, two small digits each.
pub(super) fn append_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for nibble in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
}

/// What is wrong with digits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HexError {
    /// This character, at this byte of the text, is no digit.
    Character(usize, char),
    /// The last byte has only one digit.
    OddLength,
}

/// Reads pairs of digits, small or capital.
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
