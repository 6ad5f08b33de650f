//! The notation of a move.
//!
//! Writing follows PDN 3.0, restrictions 5 to 9: start and end square with the game's separator; where two legal moves
//! share both but take different pieces, every square of the path. Reading is liberal: any separator, leading zeros,
//! whole paths where none is needed; the legal moves decide what is meant.

use crate::rules::{Move, Position, Variant};

/// The move as PDN writes it in a position: short unless that is ambiguous. `legal` are the position's legal moves.
pub fn write(variant: &Variant, ply: &Move, legal: &[Move]) -> String {
    let same_ends = |other: &&Move| other.from() == ply.from() && other.to() == ply.to();
    if legal.iter().filter(same_ends).any(|other| other.captured() != ply.captured()) {
        return write_long(variant, ply);
    }
    let geometry = &variant.geometry;
    let separator = if ply.is_capture() { variant.capture_separator } else { '-' };
    format!("{}{separator}{}", geometry.name(ply.from()), geometry.name(ply.to()))
}

/// The move with every square of its path.
pub fn write_long(variant: &Variant, ply: &Move) -> String {
    let geometry = &variant.geometry;
    if !ply.is_capture() {
        return format!("{}-{}", geometry.name(ply.from()), geometry.name(ply.to()));
    }
    let mut text = geometry.name(ply.from()).to_owned();
    for jump in ply.jumps() {
        text.push(variant.capture_separator);
        text.push_str(geometry.name(jump.to));
    }
    text
}

/// Why a text is not one of the legal moves.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// Not squares with separators.
    #[error("`{0}` is not a move: expected squares such as 32-28 or 28x19")]
    Malformed(String),
    /// No legal move fits.
    #[error("{text} is not legal here; legal are {legal}")]
    Illegal {
        /// What was read.
        text: String,
        /// The legal moves, in PDN.
        legal: String,
    },
    /// More than one legal move fits.
    #[error("{text} is ambiguous here; it may mean {candidates}")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The moves that fit, in long notation.
        candidates: String,
    },
}

/// The legal move that a text means: two squares, or a whole path of squares, with `-`, `x`, `X` or `:` between them.
///
/// # Errors
///
/// When the text is no move, no legal move, or fits more than one.
pub fn read(position: &Position, text: &str) -> Result<Move, MoveError> {
    let variant = position.variant();
    let squares = text
        .split(['-', 'x', 'X', ':', '×'])
        .map(|name| variant.geometry.square(name.trim().trim_start_matches('0')))
        .collect::<Option<Vec<_>>>()
        .filter(|squares| squares.len() >= 2)
        .ok_or_else(|| MoveError::Malformed(text.to_owned()))?;
    let (from, to, via) = (squares[0], squares[squares.len() - 1], &squares[1..squares.len() - 1]);
    let legal = position.legal_moves();
    let mut fitting: Vec<&Move> = legal.iter().filter(|ply| ply.from() == from && ply.to() == to).collect();
    if fitting.len() > 1 && !via.is_empty() {
        let visits = |ply: &&Move| via.iter().all(|square| ply.jumps().iter().any(|jump| jump.to == *square));
        let visiting: Vec<&Move> = fitting.iter().copied().filter(visits).collect();
        if !visiting.is_empty() {
            fitting = visiting;
        }
    }
    match fitting[..] {
        [ply] => Ok(ply.clone()),
        [] => Err(MoveError::Illegal { text: text.to_owned(), legal: list(&legal, |ply| write(variant, ply, &legal)) }),
        _ => {
            let candidates = fitting.iter().map(|ply| write_long(variant, ply)).collect::<Vec<_>>().join(", ");
            Err(MoveError::Ambiguous { text: text.to_owned(), candidates })
        }
    }
}

fn list(moves: &[Move], text: impl Fn(&Move) -> String) -> String {
    if moves.is_empty() { "none".to_owned() } else { moves.iter().map(text).collect::<Vec<_>>().join(", ") }
}
