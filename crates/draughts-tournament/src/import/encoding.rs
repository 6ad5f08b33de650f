//! Conversion of bytes to text: UTF-8 and UTF-16 with or without their marks; otherwise Windows-1251 if the words are Russian, else
//! Windows-1252. Every end of a line becomes LF, so lines and columns of problems are those of an editor.

use draughts_pdn::encoding::decode;
use draughts_pdn::{Encoding, Location};

use super::import_file::{ImportDiagnostics, is_invisible};

/// Returns the text of a file, with LF at the end of lines. Control, invisible and undecodable characters are errors.
pub(super) fn text_of(bytes: &[u8], complaints: &mut ImportDiagnostics) -> String {
    let wide = |bytes: &[u8], from: fn([u8; 2]) -> u16| -> String {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let is_marked = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let unmarked = if is_marked { None } else { detect_utf16(bytes) };
    let is_wide = is_marked || unmarked.is_some();
    let is_russian = !is_wide && std::str::from_utf8(bytes).is_err() && is_windows_1251(bytes);
    let (text, first) = match bytes {
        [0xff, 0xfe, rest @ ..] => (wide(rest, u16::from_le_bytes), None),
        [0xfe, 0xff, rest @ ..] => (wide(rest, u16::from_be_bytes), None),
        _ if is_russian => (bytes.iter().map(|&byte| in_windows_1251(byte)).collect(), None),
        _ => match unmarked {
            Some(from) => (wide(bytes, from), None),
            None => decode(bytes, Encoding::Detect),
        },
    };
    let windows = first.filter(|_| std::str::from_utf8(bytes).is_err());
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_mixed = windows.is_some() && {
        // Elsewhere the text is UTF-8, so it cannot be Windows-1252: these bytes are damaged.
        let (strict, _) = decode(bytes, Encoding::Utf8);
        strict.chars().any(|c| !c.is_ascii() && c != char::REPLACEMENT_CHARACTER)
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut place = Location::START;
    let mut reported = 0;
    for c in text.chars() {
        let is_odd = c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c) || c == char::REPLACEMENT_CHARACTER;
        // Report at most a hundred.
        if is_odd && reported < 100 {
            reported += 1;
            let code = u32::from(c);
            let why = if is_invisible(c) {
                "cannot be seen, and may make two names of one: take it out"
            } else {
                "is none of a text: is the file damaged, or in an encoding other than UTF-8, UTF-16, Windows-1252 and Windows-1251?"
            };
            complaints.error(place, format!("the character U+{code:04X} {why}"));
        }
        place = match c {
            '\n' => Location { line: place.line + 1, column: 1 },
            _ => Location { column: place.column + 1, ..place },
        };
    }
    if unmarked.is_some() {
        complaints.note(Location::START, "read as UTF-16, though its mark is missing");
    }
    if is_russian {
        complaints.note(first_not_ascii(&text), "read as Windows-1251, for its words are in Russian letters");
    }
    if windows.is_some() {
        let place = first_not_ascii(&text);
        let what = if is_mixed {
            "partly UTF-8, partly not: the rest is read as Windows-1252"
        } else {
            "read as Windows-1252"
        };
        if is_mixed { complaints.warn(place, what) } else { complaints.note(place, what) }
    }
    text
}

/// Returns the byte order of UTF-16 without its mark: in text other than Russian every other byte is zero, and none in between.
fn detect_utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    // A single zero is damage.
    let is_often = |count: usize| count > 1 && count * 20 >= bytes.len();
    match (zeros(0), zeros(1)) {
        (0, odd) if is_often(odd) => Some(u16::from_le_bytes),
        (even, 0) if is_often(even) => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Whether the text is Russian in Windows-1251: in other languages, letters with accents stand among ASCII letters.
fn is_windows_1251(bytes: &[u8]) -> bool {
    let is_high = |byte: &u8| matches!(byte, 0xc0..=0xff | 0xa8 | 0xb8);
    let words = || bytes.split(|byte| !byte.is_ascii_alphabetic() && !is_high(byte));
    let is_capital = |byte: &u8| matches!(byte, 0xc0..=0xdf | 0xa8);
    let russian = words().filter(|word| word.len() > 2 && word.iter().all(is_high));
    // Capitals inside words of small letters: other encodings of Russian have the cases reversed.
    let (mut right, mut wrong) = (0, 0);
    for word in russian {
        let is_turned = !is_capital(&word[0]) && word[1..].iter().all(is_capital);
        *if is_turned { &mut wrong } else { &mut right } += 1;
    }
    let others = words().filter(|word| word.iter().any(is_high) && word.iter().any(u8::is_ascii_alphabetic)).count();
    right > others + wrong
}

fn in_windows_1251(byte: u8) -> char {
    match byte {
        0..=0x7f => char::from(byte),
        0x80..=0xbf => WINDOWS_1251.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from_u32(u32::from('А') + u32::from(byte - 0xc0)).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

fn first_not_ascii(text: &str) -> Location {
    let found = text.lines().zip(1..).find_map(|(line, number)| {
        line.chars().position(|c| !c.is_ascii()).map(|at| Location { line: number, column: at as u64 + 1 })
    });
    found.unwrap_or(Location::START)
}

/// Characters 0x80 to 0xBF of Windows-1251; those after them are the alphabet.
const WINDOWS_1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї";
