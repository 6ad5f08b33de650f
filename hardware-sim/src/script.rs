//! The script: what the hands are to play, as motions on fields.
//!
//! Nothing here knows a rule. A ply says which piece goes where, over which landings, and which pieces come off; whoever
//! writes the script knows why. What needs knowledge of the rules to go wrong (a square to hesitate on, a ply that is taken
//! back, an illegal ply that stands) is written into the script by the caller, too.
//!
//! Fields count row by row from the top left, seen by White; codes are the board's: 0 empty, 1 white man, 4 black man, 7 white king, 10
//! black king (any other code works as well).

use crate::clock::{ClockSide, TimeControl};

/// The two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Player {
    /// Who plays the white pieces.
    White,
    /// Who plays the black pieces.
    Black,
}

impl Player {
    /// The other one.
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
    /// Whose hand moves, and whose lever is pressed.
    pub player: Player,
    /// Where the moving piece stands.
    pub from: u8,
    /// Where it lands in between, in order.
    pub via: Vec<u8>,
    /// Where it ends; may be `from` again.
    pub to: u8,
    /// Fields of the pieces that come off, in the order in which they are jumped.
    pub captured: Vec<u8>,
    /// The code of the piece after it was crowned, when it is.
    pub crown: Option<u8>,
    /// Fields on which a hesitating player might put the piece down first.
    pub hesitate_on: Vec<u8>,
    /// A ply that might be played and pressed first, and then taken back.
    pub wrong_first: Option<Box<Ply>>,
    /// The rules forbid it, and it stands; only noted down in the truth.
    pub is_illegal: bool,
}

impl Ply {
    /// A move without capture.
    pub fn quiet(by: Player, from: u8, to: u8) -> Ply {
        Ply::capture(by, &[from, to], &[])
    }

    /// A capture along a path (from, landings, to).
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
            is_illegal: false,
        }
    }

    /// From, landings, to.
    pub fn path(&self) -> Vec<u8> {
        let mut path = vec![self.from];
        path.extend(&self.via);
        path.push(self.to);
        path
    }

    /// Every field that the ply itself touches.
    pub fn fields(&self) -> Vec<u8> {
        let mut fields = self.path();
        fields.extend(&self.captured);
        fields
    }
}

/// What stands on the board when a game is to begin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum InitialBoard {
    /// The start position.
    #[default]
    Ready,
    /// Nothing: the pieces are put up first.
    Empty,
    /// About half of the pieces, the rest is put up first.
    HalfSetUp,
    /// These codes: the board is brought to the start position first.
    Codes(Vec<u8>),
}

/// One game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Codes of the start position, field by field.
    pub start: Vec<u8>,
    /// What is played.
    pub plies: Vec<Ply>,
    /// The board lies with its connector on White's right.
    pub is_turned: bool,
    /// On which side of the clock White plays.
    pub white_side: ClockSide,
    /// Base time and increment; without, no clock is connected in this game.
    pub control: Option<TimeControl>,
    /// What stands on the board before; for the first game only, later ones find what the game before left behind.
    pub initial_board: InitialBoard,
    /// Pieces put on the board when the game is over, as (field, code): the result pieces 13 "draw", 14 "white wins", 15
    /// "black wins", say.
    pub result: Vec<(u8, u8)>,
    /// Motions of the analysis after the game; when empty, an analysis is random.
    pub analysis: Vec<Ply>,
}

impl Game {
    /// A game from a ready position, board not turned, White on the left side of a clock (on the right when `turned` is set later
    /// with [`Game::rotated`]).
    pub fn new(start: Vec<u8>, plies: Vec<Ply>, control: Option<TimeControl>) -> Game {
        Game {
            start,
            plies,
            is_turned: false,
            white_side: ClockSide::Left,
            control,
            initial_board: InitialBoard::Ready,
            result: Vec::new(),
            analysis: Vec::new(),
        }
    }

    /// The same game on a board lying the other way round, and with it the clock.
    pub fn rotated(self, turned: bool) -> Game {
        Game { is_turned: turned, white_side: if turned { ClockSide::Right } else { ClockSide::Left }, ..self }
    }
}

/// A script that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// Which game, from 0.
    pub game: usize,
    /// Which ply, from 0; none when the game itself is wrong.
    pub ply: Option<usize>,
    /// What is wrong with it.
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

/// Checks that every motion finds what it needs: a piece on its first field, room on its last, pieces to take off.
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
