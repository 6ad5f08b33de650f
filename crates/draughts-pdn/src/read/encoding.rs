//! Decodes bytes to text. PDN 3.0 is UTF-8; files of the last thirty years use the encodings of their machines.
//!
//! | bytes | text |
//! |---|---|
//! | UTF-8, with or without a byte order mark | unchanged |
//! | not UTF-8, no encoding specified | UTF-8 where valid, Windows-1252 byte by byte elsewhere; reported once, with the place |
//! | encoding specified | that encoding |
//!
//! The eight-bit code pages are tables of 128 characters. A byte that a page leaves undefined becomes U+FFFD, but in Windows-1252 the
//! control character of ISO-8859-1.
//!
//! Decodes streams: the text does not depend on how the bytes are split.
//!
//! Sources: PDN 3.0, chapter "Character encoding"; the tables of the Unicode consortium (MAPPINGS/VENDORS).

use std::fmt;
use std::str::FromStr;

/// Encoding of the bytes.
///
/// # Examples
///
/// ```
/// use draughts_pdn::Encoding;
/// use draughts_pdn::encoding::decode;
///
/// assert_eq!(decode(b"Kom\xeb", Encoding::Detect), ("Komë".to_owned(), Some(3)));
/// assert_eq!(decode(b"\xb8\xe0\xe8\xea\xe8", "windows-1251".parse().unwrap()).0, "ёаики");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, with Windows-1252 for invalid bytes.
    #[default]
    Detect,
    /// UTF-8; invalid bytes become U+FFFD.
    Utf8,
    /// ISO-8859-1, Western European.
    Latin1,
    /// Windows-1252, Western European.
    Windows1252,
    /// Windows-1250, Central European: Czech, Polish.
    Windows1250,
    /// Windows-1251, Cyrillic.
    Windows1251,
    /// DOS 866, Cyrillic.
    Dos866,
    /// KOI8-R, Cyrillic.
    Koi8R,
    /// DOS 850, Western European.
    Dos850,
}

impl Encoding {
    /// All encodings, with their names; the first name of each is the preferred one.
    const NAMES: &'static [(Encoding, &'static [&'static str])] = &[
        (Encoding::Detect, &["detect", "auto"]),
        (Encoding::Utf8, &["utf-8", "utf8"]),
        (Encoding::Latin1, &["iso-8859-1", "latin1", "latin-1"]),
        (Encoding::Windows1252, &["windows-1252", "cp1252"]),
        (Encoding::Windows1250, &["windows-1250", "cp1250"]),
        (Encoding::Windows1251, &["windows-1251", "cp1251"]),
        (Encoding::Dos866, &["cp866", "ibm866", "dos866"]),
        (Encoding::Koi8R, &["koi8-r", "koi8r"]),
        (Encoding::Dos850, &["cp850", "ibm850", "dos850"]),
    ];

    /// Returns the characters of the bytes from 0x80 on.
    fn page(self) -> Option<&'static str> {
        match self {
            Encoding::Detect | Encoding::Utf8 => None,
            Encoding::Latin1 => Some(LATIN1),
            Encoding::Windows1252 => Some(WINDOWS_1252),
            Encoding::Windows1250 => Some(WINDOWS_1250),
            Encoding::Windows1251 => Some(WINDOWS_1251),
            Encoding::Dos866 => Some(DOS_866),
            Encoding::Koi8R => Some(KOI8_R),
            Encoding::Dos850 => Some(DOS_850),
        }
    }
}

/// Returns the names of all encodings.
pub fn names() -> String {
    Encoding::NAMES.iter().map(|(_, names)| names[0]).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Encoding::NAMES.iter().find(|(encoding, _)| encoding == self);
        f.write_str(names.map_or("", |(_, names)| names[0]))
    }
}

/// An unknown name of an encoding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a known encoding; known are {known}", known = names())]
pub struct UnknownEncoding(pub String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Encoding, UnknownEncoding> {
        let lower = text.to_ascii_lowercase();
        let found = Encoding::NAMES.iter().find(|(_, names)| names.contains(&lower.as_str()));
        found.map(|(encoding, _)| *encoding).ok_or_else(|| UnknownEncoding(text.to_owned()))
    }
}

/// Decodes bytes. Returns the text, and the position in it of the first character that was not UTF-8 (for [`Encoding::Detect`] and
/// [`Encoding::Utf8`]).
pub fn decode(bytes: &[u8], encoding: Encoding) -> (String, Option<usize>) {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let mut decoder = TextDecoder::new(encoding);
    let first = decoder.push(bytes, &mut text);
    let last = decoder.finish(&mut text);
    (text, first.or(last))
}

/// Decodes a stream of bytes.
#[derive(Clone, Debug)]
pub struct TextDecoder {
    encoding: Encoding,
    /// Start of a character whose other bytes have not arrived yet.
    partial: Vec<u8>,
    at_start: bool,
}

impl TextDecoder {
    /// Creates a decoder at the start of a file.
    pub fn new(encoding: Encoding) -> TextDecoder {
        TextDecoder { encoding, partial: Vec::new(), at_start: true }
    }

    /// Creates a decoder of the same encoding within the file, where a byte order mark is a character.
    pub(super) fn within_file(&self) -> TextDecoder {
        TextDecoder { at_start: false, ..TextDecoder::new(self.encoding) }
    }

    /// Appends the text of more bytes. Returns the position in `text` of the first of its characters that was not UTF-8, if any.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) -> Option<usize> {
        if let Some(page) = self.encoding.page() {
            extend(text, bytes, page);
            return None;
        }
        if self.partial.is_empty() {
            return self.utf8(bytes, text, false);
        }
        let mut joined = std::mem::take(&mut self.partial);
        joined.extend_from_slice(bytes);
        self.utf8(&joined, text, false)
    }

    /// Ends the file: decodes the bytes of an incomplete character one by one.
    pub fn finish(&mut self, text: &mut String) -> Option<usize> {
        let partial = std::mem::take(&mut self.partial);
        self.utf8(&partial, text, true)
    }

    fn utf8(&mut self, mut bytes: &[u8], text: &mut String, is_end: bool) -> Option<usize> {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        if self.at_start {
            if !is_end && bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
                self.partial = bytes.to_vec();
                return None;
            }
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
            self.at_start = false;
        }
        let mut first = None;
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(valid) => {
                    text.push_str(valid);
                    return first;
                }
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            // Valid, as just said.
            text.push_str(&String::from_utf8_lossy(valid));
            let wrong = match error.error_len() {
                Some(length) => length,
                None if is_end => rest.len(),
                None => {
                    self.partial = rest.to_vec();
                    return first;
                }
            };
            first = first.or(Some(text.len()));
            match self.encoding {
                Encoding::Utf8 => text.push(char::REPLACEMENT_CHARACTER),
                _ => extend(text, &rest[..wrong], WINDOWS_1252),
            }
            bytes = &rest[wrong..];
        }
    }
}

fn extend(text: &mut String, bytes: &[u8], page: &str) {
    text.extend(bytes.iter().map(|&byte| match byte {
        0..0x80 => byte as char,
        _ => page.chars().nth(byte as usize - 0x80).unwrap_or(char::REPLACEMENT_CHARACTER),
    }));
}

/// Encodes a text in ISO-8859-1. Returns the bytes and the missing characters, each once; `?` replaces them.
pub fn to_latin1(text: &str) -> (Vec<u8>, Vec<char>) {
    let mut missing = Vec::new();
    let bytes = text.chars().map(|c| match u8::try_from(u32::from(c)) {
        Ok(byte) => byte,
        Err(_) => {
            if !missing.contains(&c) {
                missing.push(c);
            }
            b'?'
        }
    });
    (bytes.collect(), missing)
}

/// ISO-8859-1, 0x80 to 0xFF.
const LATIN1: &str = "\
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\
    \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
    àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

/// Windows-1252, 0x80 to 0xFF.
const WINDOWS_1252: &str = "\
    €\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ\
    \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
    àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

/// Windows-1250, 0x80 to 0xFF.
const WINDOWS_1250: &str = "\
    €\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\u{fffd}‘’“”•–—\u{fffd}™š›śťžź\
    \u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż\
    ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
    ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";

/// Windows-1251, 0x80 to 0xFF.
const WINDOWS_1251: &str = "\
    ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ\
    \u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї\
    АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
    абвгдежзийклмнопрстуфхцчшщъыьэюя";

/// DOS code page 866, 0x80 to 0xFF.
const DOS_866: &str = "\
    АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
    абвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{a0}";

/// KOI8-R, 0x80 to 0xFF.
const KOI8_R: &str = "\
    ─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷\
    ═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©\
    юабцдефгхийклмнопярстужвьызшэщчъ\
    ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ";

/// DOS code page 850, 0x80 to 0xFF.
const DOS_850: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_pages_have_128_characters_and_readable_name() {
        for (encoding, names) in Encoding::NAMES {
            assert!(encoding.page().is_none_or(|page| page.chars().count() == 128), "{encoding}");
            assert!(names.iter().all(|name| name.parse() == Ok(*encoding)));
        }
        assert!("ebcdic".parse::<Encoding>().is_err());
    }

    #[test]
    fn known_words_in_every_page() {
        for (encoding, bytes, text) in [
            (Encoding::Latin1, &b"Ren\xe9"[..], "René"),
            (Encoding::Windows1252, b"\x80 Ren\xe9", "€ René"),
            (Encoding::Windows1250, b"\xc8esk\xe1 d\xe1ma", "Česká dáma"),
            (Encoding::Windows1251, b"\xd4\xe0\xe4\xe5\xe5\xe2", "Фадеев"),
            (Encoding::Dos866, b"\x94\xa0\xa4\xa5\xa5\xa2", "Фадеев"),
            (Encoding::Koi8R, b"\xe6\xc1\xc4\xc5\xc5\xd7", "Фадеев"),
            (Encoding::Dos850, b"Ren\x82", "René"),
            (Encoding::Detect, b"Ren\xe9 \xc3\xa9", "René é"),
            (Encoding::Detect, b"\xef\xbb\xbfx\xc3", "xÃ"),
            (Encoding::Utf8, b"Ren\xe9!", "Ren\u{fffd}!"),
        ] {
            assert_eq!(decode(bytes, encoding).0, text);
            let mut decoder = TextDecoder::new(encoding);
            let mut piecemeal = String::new();
            for byte in bytes {
                decoder.push(&[*byte], &mut piecemeal);
            }
            decoder.finish(&mut piecemeal);
            assert_eq!(piecemeal, text, "byte by byte");
        }
    }

    #[test]
    fn reports_first_invalid_utf8_byte() {
        assert_eq!(decode(b"ab\xe9c\xe9", Encoding::Detect), ("abécé".to_owned(), Some(2)));
        assert_eq!(decode("abé".as_bytes(), Encoding::Detect).1, None);
        assert_eq!(decode(b"ab\xe9", Encoding::Detect).1, Some(2));
    }

    #[test]
    fn latin1_reports_unsupported_characters() {
        assert_eq!(to_latin1("é€Ф€"), (b"\xe9???".to_vec(), vec!['€', 'Ф']));
    }
}
