//! Positions in the text of a game: FENs with an unknown turn, null moves, squares in the other notation.

use crate::fen;
use draughts::{Color, Notation, NotationKind, Setup, Variant};

/// Reason why another position is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PositionDoubt {
    /// The FEN does not name the side to move.
    TurnUnknown,
    /// The side to move in the FEN, or by the rules of the game, may be wrong.
    Turn,
    /// The variation may continue the line instead of replacing its last move.
    Continuation,
}

/// Returns the turn of a null move, if it names one; `None` if the FEN is not a null move.
pub(crate) fn null_move(text: &str) -> Option<Option<Color>> {
    let (turn, rest) = text.trim().split_once(':')?;
    if rest.is_empty() || !rest.chars().all(|c| c == ':') {
        return None;
    }
    match turn {
        "W" | "w" => Some(Some(Color::White)),
        "B" | "b" => Some(Some(Color::Black)),
        "?" => Some(None),
        _ => None,
    }
}

/// Parses a FEN whose turn may be unknown, and whose squares may use the other notation: numbers from the top left on a board with letters
/// (old Russian and Brazilian files), or letters on a board with numbers.
pub(crate) fn read_setup(variant: &Variant, text: &str) -> Result<(Setup, PositionDoubt), fen::FenError> {
    let text = text.trim();
    let (text, doubt) = match text.strip_prefix('?') {
        None => (text.to_owned(), PositionDoubt::Turn),
        Some(rest) => (format!("{}{rest}", variant.game_type.starter().letter()), PositionDoubt::TurnUnknown),
    };
    let read = fen::read(variant, &text).or_else(|error| fen::read(other_numbering(variant), &text).map_err(|_| error));
    read.map(|setup| (setup, doubt))
}

/// Whether the text is a FEN with pieces of unknown colour.
pub(super) fn has_unknown_pieces(variant: &Variant, text: &str) -> bool {
    fen::read_any(variant, text).is_ok_and(|fen| !fen.unknown.is_empty())
}

/// Returns a FEN as the standard writes it; unknown parts remain unknown. `None` if it cannot be read.
pub(crate) fn canonical_fen(variant: &Variant, text: &str) -> Option<String> {
    if let Some(turn) = null_move(text) {
        return Some(format!("{}::", turn.map_or('?', Color::letter)));
    }
    if let Ok(fen) = fen::read_any(variant, text)
        && !fen.unknown.is_empty()
    {
        return Some(fen::write_any(variant, &fen));
    }
    let (setup, doubt) = read_setup(variant, text).ok()?;
    let fen = fen::write(variant, &setup);
    Some(if doubt == PositionDoubt::TurnUnknown { format!("?{}", &fen[1..]) } else { fen })
}

/// Returns the same board with the other notation. The squares themselves are identical.
pub(crate) fn other_numbering(variant: &Variant) -> &'static Variant {
    let game_type = variant.game_type;
    let kind = match game_type.notation().kind {
        NotationKind::Algebraic => NotationKind::Numeric,
        NotationKind::Numeric => NotationKind::Algebraic,
    };
    // Letters start at the bottom left, numbers at the top left, for White.
    let from_left = game_type.starter() == Color::White;
    let from_bottom = (kind == NotationKind::Algebraic) == from_left;
    Variant::new(game_type.with_notation(Notation { kind, from_bottom, from_left }), variant.choices)
}
