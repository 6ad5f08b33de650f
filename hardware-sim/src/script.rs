//! The script: the moves that the hands play, as motions on fields.
//!
//! The script knows no rules. A ply lists the moving piece's fields, its landings, and the pieces that are removed; the caller ensures that
//! they make sense. The caller also supplies faults that need knowledge of the rules: a square to hesitate on, a ply to take back, an
//! illegal ply that stands.
//!
//! Fields are numbered row by row from the top left, seen by White. Codes are the board's: 0 empty, 1 white man, 4 black man, 7 white king,
//! 10 black king (any other code works as well).

use crate::clock::{ClockSide, TimeControl};

/// The two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Player {
    /// Player of the white pieces.
    White,
    /// Player of the black pieces.
    Black,
}

impl Player {
    /// Returns the opponent.
    pub fn other(self) -> Player {
        match self {
            Player::White => Player::Black,
            Player::Black => Player::White,
        }
    }
}

/// One ply as a motion of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Player who moves and presses.
    pub player: Player,
    /// Start field of the moving piece.
    pub from: u8,
    /// Intermediate landings, in order.
    pub via: Vec<u8>,
    /// End field; may equal `from`.
    pub to: u8,
    /// Fields of the captured pieces, in the order of the jumps.
    pub captured: Vec<u8>,
    /// Code of the piece after its crowning, if it is crowned.
    pub crown: Option<u8>,
    /// Fields on which a hesitating player may put the piece down first.
    pub hesitate_on: Vec<u8>,
    /// A ply that may be played and pressed first, and then taken back.
    pub wrong_first: Option<Box<Ply>>,
    /// Contents of the board before the ply, if the arbiter stops the clock and goes back to an earlier position.
    pub corrected_to: Option<Vec<u8>>,
    /// Whether the rules forbid the ply; it stands, and only the truth records this.
    pub is_illegal: bool,
}

impl Ply {
    /// Creates a move without capture.
    pub fn quiet(by: Player, from: u8, to: u8) -> Ply {
        Ply::capture(by, &[from, to], &[])
    }

    /// Creates a capture along a path (from, landings, to).
    pub fn capture(player: Player, path: &[u8], captured: &[u8]) -> Ply {
        let (from, to) = (path.first().copied().unwrap_or(0), path.last().copied().unwrap_or(0));
        let via = path.iter().copied().skip(1).take(path.len().saturating_sub(2)).collect();
        Ply {
            player,
            from,
            via,
            to,
            captured: captured.to_vec(),
            crown: None,
            hesitate_on: Vec::new(),
            wrong_first: None,
            corrected_to: None,
            is_illegal: false,
        }
    }

    /// Returns from, landings and to.
    pub fn path(&self) -> Vec<u8> {
        let mut path = vec![self.from];
        path.extend(&self.via);
        path.push(self.to);
        path
    }

    /// Returns every field that the ply itself touches.
    pub fn fields(&self) -> Vec<u8> {
        let mut fields = self.path();
        fields.extend(&self.captured);
        fields
    }
}

/// Contents of the board before a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum InitialBoard {
    /// The start position.
    #[default]
    Ready,
    /// An empty board: the pieces are set up first.
    Empty,
    /// About half of the pieces; the rest is set up first.
    HalfSetUp,
    /// These codes; the board is brought to the start position first.
    Codes(Vec<u8>),
}

/// One game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Codes of the start position, field by field.
    pub start: Vec<u8>,
    /// Plies of the game.
    pub plies: Vec<Ply>,
    /// Whether the board's connector is on White's right.
    pub is_turned: bool,
    /// Side of the clock of White.
    pub white_side: ClockSide,
    /// Base time and increment; `None` disconnects the clock for this game.
    pub control: Option<TimeControl>,
    /// Contents of the board at first. Only used for the first game; later ones begin with the position that the previous game left.
    pub initial_board: InitialBoard,
    /// Pieces put on the board after the game, as (field, code): for example result pieces 13 "draw", 14 "white wins", 15 "black wins".
    pub result: Vec<(u8, u8)>,
    /// Pause between the complete start position and the start of the clock, in addition to the usual one of 1 to 2 s.
    pub pause_ms: u64,
    /// Motions of the analysis after the game; if empty, a random analysis.
    pub analysis: Vec<Ply>,
}

impl Game {
    /// Creates a game from a complete start position, board not turned, White on the left side of a clock (on the right after
    /// [`Game::rotated`] with `turned`).
    pub fn new(start: Vec<u8>, plies: Vec<Ply>, control: Option<TimeControl>) -> Game {
        Game {
            start,
            plies,
            is_turned: false,
            white_side: ClockSide::Left,
            control,
            initial_board: InitialBoard::Ready,
            result: Vec::new(),
            pause_ms: 0,
            analysis: Vec::new(),
        }
    }

    /// Returns the game with the board, and with it the clock, turned by 180 degrees.
    pub fn rotated(self, turned: bool) -> Game {
        Game { is_turned: turned, white_side: if turned { ClockSide::Right } else { ClockSide::Left }, ..self }
    }
}

/// Error for a script that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// Index of the game, from 0.
    pub game: usize,
    /// Index of the ply, from 0; `None` if the game itself is invalid.
    pub ply: Option<usize>,
    /// Description of the error.
    pub message: String,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.ply {
            Some(ply) => write!(f, "game {}, ply {}: {}", self.game, ply, self.message),
            None => write!(f, "game {}: {}", self.game, self.message),
        }
    }
}

impl std::error::Error for ScriptError {}

/// Checks that every motion is possible: a piece on its first field, room on its last, pieces to remove.
pub fn check(fields: usize, games: &[Game]) -> Result<(), ScriptError> {
    for (index, game) in games.iter().enumerate() {
        let wrong = |ply, what: &str| Err(ScriptError { game: index, ply, message: what.to_string() });
        if game.start.len() != fields {
            return wrong(None, "the start position is not as large as the board");
        }
        if matches!(&game.initial_board, InitialBoard::Codes(codes) if codes.len() != fields) {
            return wrong(None, "what stands before is not as large as the board");
        }
        if game.result.iter().any(|(field, _)| usize::from(*field) >= fields) {
            return wrong(None, "a result piece is put outside the board");
        }
        let mut codes = game.start.clone();
        for (number, ply) in game.plies.iter().enumerate() {
            if let Some(corrected) = &ply.corrected_to {
                if corrected.len() != fields {
                    return wrong(Some(number), "the corrected position is not as large as the board");
                }
                codes.clone_from(corrected);
            }
            if let Some(first) = &ply.wrong_first {
                apply(&mut codes.clone(), first).or_else(|what| wrong(Some(number), &format!("taken back: {what}")))?;
            }
            if ply.hesitate_on.iter().any(|field| usize::from(*field) >= fields) {
                return wrong(Some(number), "hesitates outside the board");
            }
            apply(&mut codes, ply).or_else(|what| wrong(Some(number), &what))?;
        }
    }
    Ok(())
}

/// Plays a ply on bare codes.
pub(crate) fn apply(codes: &mut [u8], ply: &Ply) -> Result<(), String> {
    if let Some(outside) = ply.fields().iter().find(|field| usize::from(**field) >= codes.len()) {
        return Err(format!("field {outside} is outside the board"));
    }
    let at = usize::from;
    let piece = codes[at(ply.from)];
    if piece == 0 {
        return Err(format!("no piece on field {}", ply.from));
    }
    codes[at(ply.from)] = 0;
    for field in &ply.captured {
        if codes[at(*field)] == 0 {
            return Err(format!("no piece to take on field {field}"));
        }
        codes[at(*field)] = 0;
    }
    if codes[at(ply.to)] != 0 {
        return Err(format!("field {} is occupied", ply.to));
    }
    codes[at(ply.to)] = ply.crown.unwrap_or(piece);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_place_of_unplayable_ply() {
        let mut start = vec![0; 64];
        start[40] = 1;
        start[33] = 4;
        let good = Ply::capture(Player::White, &[40, 26], &[33]);
        assert_eq!(check(64, &[Game::new(start.clone(), vec![good.clone()], None)]), Ok(()));
        let cases = [
            (Ply::quiet(Player::White, 41, 32), "no piece on field 41"),
            (Ply::quiet(Player::White, 40, 33), "field 33 is occupied"),
            (Ply::quiet(Player::White, 40, 64), "field 64 is outside the board"),
            (Ply::capture(Player::White, &[40, 26], &[34]), "no piece to take on field 34"),
        ];
        for (ply, what) in cases {
            let error = check(64, &[Game::new(start.clone(), vec![ply], None)]).unwrap_err();
            assert_eq!((error.ply, error.message.as_str()), (Some(0), what));
        }
        assert!(check(100, &[Game::new(start, vec![good], None)]).is_err());
    }

    #[test]
    fn circular_capture_ends_at_start() {
        let mut codes = vec![0; 100];
        for field in [22, 24, 42, 44] {
            codes[field] = 4;
        }
        codes[33] = 7;
        let ply = Ply::capture(Player::White, &[33, 11, 15, 33], &[22, 24]);
        assert_eq!(ply.via, [11, 15]);
        assert_eq!(apply(&mut codes, &ply), Ok(()));
        assert_eq!(codes[33], 7);
    }
}
