//! Meanings of the piece codes of a board: number on the wire, man or king in the game.
//!
//! ```text
//! setting      codes                 for
//! draughts     1=w 4=b 7=W 10=B      draughts sets
//! draughts-old 1=w 7=b 4=W 10=B      older draughts firmware: white king and black man swapped
//! chess        1=w ... 5=w 6=W       a chess set: pawns are men, queens kings; a rook, knight, bishop or king is a man of
//!              7=b ... 11=b 12=B     its colour, so that a set which is short of pawns can be filled up
//! ```
//!
//! Other sets are described code by code in the same form: `w` a white man, `W` a white king, `b` and `B` for Black. Codes
//! without a description are no pieces. 0 is an empty field; 13 to 15 are result pieces in every set.

use std::str::FromStr;

use draughts::Color;

use crate::protocol::PieceCode;
use crate::recognition::SensedPiece;

/// Number of codes below the result pieces.
const COUNT: usize = 13;

/// Meaning of each piece code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeMap([Option<SensedPiece>; COUNT]);

impl Default for CodeMap {
    fn default() -> CodeMap {
        CodeMap::from_codes(&[(1, WHITE_MAN), (4, BLACK_MAN), (7, WHITE_KING), (10, BLACK_KING)])
    }
}

impl CodeMap {
    /// Description of the valid settings, for messages.
    pub const EXPECTED: &str = "draughts, draughts-old or chess, or the meaning of each code as in `1=w 4=b 7=W 10=B` (men w and b, kings W and B)";

    fn from_codes(codes: &[(usize, SensedPiece)]) -> CodeMap {
        let mut map = [None; COUNT];
        for &(code, piece) in codes {
            map[code] = Some(piece);
        }
        CodeMap(map)
    }

    fn draughts_old() -> CodeMap {
        CodeMap::from_codes(&[(1, WHITE_MAN), (7, BLACK_MAN), (4, WHITE_KING), (10, BLACK_KING)])
    }

    fn chess() -> CodeMap {
        let men = (1..=5).map(|code| (code, WHITE_MAN)).chain((7..=11).map(|code| (code, BLACK_MAN)));
        CodeMap::from_codes(&men.chain([(6, WHITE_KING), (12, BLACK_KING)]).collect::<Vec<_>>())
    }

    /// Returns the piece of a code, if any.
    pub fn piece(&self, code: PieceCode) -> Option<SensedPiece> {
        self.0.get(usize::from(code.0)).copied().flatten()
    }

    /// Returns a code of a piece; that of a man for a king without a code.
    pub fn code(&self, piece: SensedPiece) -> PieceCode {
        let find = |wanted: SensedPiece| self.0.iter().position(|known| *known == Some(wanted));
        let index = find(piece).or_else(|| find(SensedPiece { is_king: false, ..piece }));
        // Every map has a man of each colour.
        PieceCode(index.unwrap_or_default() as u8)
    }
}

const WHITE_MAN: SensedPiece = SensedPiece { color: Color::White, is_king: false };
const WHITE_KING: SensedPiece = SensedPiece { color: Color::White, is_king: true };
const BLACK_MAN: SensedPiece = SensedPiece { color: Color::Black, is_king: false };
const BLACK_KING: SensedPiece = SensedPiece { color: Color::Black, is_king: true };

impl FromStr for CodeMap {
    type Err = String;

    /// Parses a name, or codes with their meanings, separated by blanks or commas.
    fn from_str(text: &str) -> Result<CodeMap, String> {
        match text {
            "draughts" => return Ok(CodeMap::default()),
            "draughts-old" => return Ok(CodeMap::draughts_old()),
            "chess" => return Ok(CodeMap::chess()),
            _ => {}
        }
        let mut map = [None; COUNT];
        for item in text.split([' ', ',', '\t']).filter(|item| !item.is_empty()) {
            let Some((code, letter)) = item.split_once('=') else {
                return Err(format!("{}; `{item}` is none of these", CodeMap::EXPECTED));
            };
            let is_number = !code.is_empty() && code.len() <= 2 && code.bytes().all(|byte| byte.is_ascii_digit());
            let code = match code.parse::<usize>().ok().filter(|_| is_number) {
                Some(code @ 1..COUNT) => code,
                Some(0) => return Err("codes from 1 to 12; 0 is an empty field".to_owned()),
                Some(13..=15) => return Err(format!("codes from 1 to 12; {code} is a result piece in every set")),
                _ => return Err(format!("codes from 1 to 12, not `{code}`")),
            };
            let piece = match letter {
                "w" => WHITE_MAN,
                "W" => WHITE_KING,
                "b" => BLACK_MAN,
                "B" => BLACK_KING,
                _ => return Err(format!("w, W, b or B as the meaning of code {code}, not `{letter}`")),
            };
            if map[code].replace(piece).is_some() {
                return Err(format!("one meaning for each code; {code} has two"));
            }
        }
        for (piece, letter) in [(WHITE_MAN, "w"), (BLACK_MAN, "b")] {
            if !map.contains(&Some(piece)) {
                return Err(format!("{}; no code means a man `{letter}`", CodeMap::EXPECTED));
            }
        }
        Ok(CodeMap(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(map: CodeMap) -> String {
        let letter = |code: u8| match map.piece(PieceCode(code)) {
            None => '.',
            Some(WHITE_MAN) => 'w',
            Some(WHITE_KING) => 'W',
            Some(BLACK_MAN) => 'b',
            Some(BLACK_KING) => 'B',
        };
        (0..16).map(letter).collect()
    }

    #[test]
    fn parses_names_and_lists_of_codes() {
        for (text, expected) in [
            ("draughts", ".w..b..W..B....."),
            ("draughts-old", ".w..W..b..B....."),
            ("chess", ".wwwwwWbbbbbB..."),
            ("1=w 4=b 7=W 10=B", ".w..b..W..B....."),
            ("10=B,7=W,4=b,1=w", ".w..b..W..B....."),
            (" 1=w,  07=b ", ".w.....b........"),
            ("1=w 2=w 6=W 7=b 8=b 12=B", ".ww...Wbb...B..."),
        ] {
            assert_eq!(text.parse().map(letters).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_invalid_sets_with_reason() {
        for (text, reason) in [
            ("", "no code means a man `w`"),
            ("wood", "`wood` is none of these"),
            ("Chess", "`Chess` is none of these"),
            ("1=w 4", "`4` is none of these"),
            ("1=w 10=B", "no code means a man `b`"),
            ("1=w 0=b", "0 is an empty field"),
            ("1=w 13=b", "13 is a result piece"),
            ("1=w 16=b", "not `16`"),
            ("1=w -4=b", "not `-4`"),
            ("1=w +4=b", "not `+4`"),
            ("1=w =b", "not ``"),
            ("1=w 4=k", "not `k`"),
            ("1=w 4=b=B", "not `b=B`"),
            ("1=w 4=b 1=W", "1 has two"),
        ] {
            let error = text.parse::<CodeMap>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
