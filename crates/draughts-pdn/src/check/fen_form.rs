//! FENs of a game: the standard's form, and squares of the board.

use draughts::{Square, SquareSet, Variant};
use nom::branch::alt;
use nom::bytes::complete::take_while_m_n;
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt, recognize};
use nom::multi::{many0_count, separated_list0};
use nom::{IResult, Parser};

use super::replay;
use crate::fen;
use crate::problem::{Location, Problem, Problems, quote};

/// Checks the writing grammar of a FEN, including empty sides and null moves.
pub(super) fn check_fen(fen: &str, place: Location, problems: &mut Problems) {
    if !is_fen(fen) {
        let hint = match fen {
            _ if fen.ends_with('.') => "no dot at the end",
            _ if fen.contains(char::is_whitespace) => "no blanks in a FEN",
            _ => "such as W:W31,32,K40:B1,2",
        };
        problems.push(Problem::error(place, format!("the FEN {} is not the standard's", quote(fen))).with_hint(hint));
    }
}

/// Checks parts of a FEN that depend on the board: its squares must exist, and each occurs once.
pub(super) fn check_squares(variant: &'static Variant, fen: &str, place: Location, problems: &mut Problems) {
    if !is_fen(fen) || replay::read_setup(variant, fen).is_ok() {
        return;
    }
    if let Err(error) = fen::read_any(variant, fen) {
        let hint = format!("{} has the squares {}", variant.name, square_names(variant));
        problems.push(Problem::error(place, error.to_string()).with_hint(hint));
    }
}

/// Returns `1 to 50`, `a1 to h8`.
pub(super) fn square_names(variant: &Variant) -> String {
    let names = variant.geometry.sorted_by_name(SquareSet::first(variant.geometry.count()));
    let name = |square: Option<&Square>| square.map_or("", |square| variant.geometry.name(*square));
    format!("{} to {}", name(names.first()), name(names.last()))
}

/// Whether the text has the form `W:W31-50:BK1,2`, `B:Wa1:B`, `B::`.
pub(crate) fn is_fen(text: &str) -> bool {
    let color = |text| one_of("WB?").parse(text);
    let number = |text| {
        let rest = take_while_m_n(0, 2, |c: char| c.is_ascii_digit());
        recognize((one_of("123456789"), rest)).parse(text)
    };
    let letter = |text| {
        let rank = alt((recognize((char('1'), one_of("012"))), recognize(one_of("123456789"))));
        recognize((one_of("abcdefghijkl"), rank)).parse(text)
    };
    let piece = |text| {
        let range = recognize((number, opt((char('-'), number))));
        recognize((opt(char('K')), alt((range, letter)))).parse(text)
    };
    let side = |text| recognize((char(':'), color, separated_list0(char(','), piece))).parse(text);
    let null = recognize((color, char(':'), char(':')));
    let parsed: IResult<&str, &str> =
        all_consuming(alt((all_consuming(null), recognize((color, side, many0_count(side)))))).parse(text);
    parsed.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_fens_of_standard_and_corrections() {
        for fen in [
            "W:W31-50:B1-20",
            "B:W18,24,K10:BK22,K25",
            "?:W29:B4",
            "W:W:B1,2",
            "B::",
            "W:Wa3,Kc3:Bb8,j8",
            "B:B1-16,18-21:W26,28,33-50",
        ] {
            assert!(is_fen(fen), "{fen}");
        }
        for fen in ["", "W", "W:W1,2.", "W: W1:B2", "W:W1K2:B3", "w:W1:B2", "W:W0:B1", "W:W1,:B2", "X:W1:B2"] {
            assert!(!is_fen(fen), "{fen}");
        }
    }
}
