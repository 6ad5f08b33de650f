//! Shapes of the whole position that the board detects and records in its memory.

/// A position with a mark of its own in the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoardShape {
    /// 8x8: the four outer rows full. 10x10: all rows except the two in the middle occupied.
    Start,
    /// No pieces.
    Empty,
    /// Start position of chess, White at the bottom.
    ChessStart,
    /// Start position of chess, White at the top.
    ChessStartRotated,
    /// Any other position.
    Other,
}

/// Codes of the pieces on the first rank of chess, from a to h: P 1, R 2, N 3, B 4, K 5, Q 6, six more for Black.
const BACK_RANK: [u8; 8] = [2, 3, 4, 6, 5, 4, 3, 2];

/// Returns the shape of an image, given row by row; the draughts start counts the squares of one colour.
pub(super) fn shape(image: &[u8], cols: usize) -> BoardShape {
    if image.iter().all(|code| *code == 0) {
        return BoardShape::Empty;
    }
    if cols == 8 && image.len() == 64 {
        if is_chess_start(image.iter()) {
            return BoardShape::ChessStart;
        }
        if is_chess_start(image.iter().rev()) {
            return BoardShape::ChessStartRotated;
        }
    }
    let rows: Vec<usize> = image.chunks(cols).map(|row| row.iter().filter(|code| **code != 0).count()).collect();
    let start = match rows.as_slice() {
        [8, 8, 0, 0, 0, 0, 8, 8] => true,
        [top @ .., 0, 0, _, _, _, _] if cols == 10 && rows.len() == 10 => {
            top.iter().chain(&rows[6..]).all(|count| *count == 5)
        }
        _ => false,
    };
    if start { BoardShape::Start } else { BoardShape::Other }
}

fn is_chess_start<'a>(mut image: impl Iterator<Item = &'a u8>) -> bool {
    let black = BACK_RANK.map(|code| code + 6);
    let expected = black.into_iter().chain([7; 8]).chain([0; 32]).chain([1; 8]).chain(BACK_RANK);
    expected.eq(image.by_ref().copied())
}
