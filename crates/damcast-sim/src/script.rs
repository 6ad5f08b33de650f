//! Translates a game into motions on fields.

use draughts::{Color, Move, PieceKind, Position, Square};
use hardware_sim::clock::{ClockSide, TimeControl};
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Rng;
use hardware_sim::script::{Game, Player, Ply};

use super::illegal_moves::{self, ScriptPly};

/// Code of a piece in a draughts set: 1 white man, 4 black man, 7 white king, 10 black king.
fn code(color: Color, kind: PieceKind) -> u8 {
    match (color, kind) {
        (Color::White, PieceKind::Man) => 1,
        (Color::Black, PieceKind::Man) => 4,
        (Color::White, PieceKind::King) => 7,
        (Color::Black, PieceKind::King) => 10,
    }
}

fn player(color: Color) -> Player {
    match color {
        Color::White => Player::White,
        Color::Black => Player::Black,
    }
}

/// Returns the field of a square, on a board that is not turned.
pub fn field(position: &Position, square: Square) -> u8 {
    let geometry = &position.variant().geometry;
    let (row, column) = geometry.row_and_column(square);
    (row * geometry.width() + column) as u8
}

/// Returns the piece codes of a position, field by field.
pub fn codes(position: &Position) -> Vec<u8> {
    let geometry = &position.variant().geometry;
    let mut codes = vec![0; geometry.width() * geometry.height()];
    for square in position.placement().occupied() {
        if let Some(piece) = position.placement().get(square) {
            codes[usize::from(field(position, square))] = code(piece.color, piece.kind);
        }
    }
    codes
}

/// Translates one move of a position into motions.
pub fn ply(position: &Position, ply: &Move) -> Ply {
    let by = player(position.turn());
    let field = |square| field(position, square);
    let mut motion = if ply.is_capture() {
        let landings = ply.jumps().iter().map(|jump| field(jump.to));
        let path: Vec<u8> = std::iter::once(field(ply.from())).chain(landings).collect();
        let captured: Vec<u8> = ply.jumps().iter().map(|jump| field(jump.over)).collect();
        Ply::capture(by, &path, &captured)
    } else {
        Ply::quiet(by, field(ply.from()), field(ply.to()))
    };
    motion.crown = ply.promotes().then(|| code(position.turn(), PieceKind::King));
    motion
}

/// Translates a whole game into motions. The script includes alternatives for a hesitant player: other squares to touch, and other moves
/// that may be pressed and taken back. The profile determines how often they are used.
pub fn game(start: &Position, moves: &[Move], control: Option<TimeControl>, profile: &NoiseProfile, seed: u64) -> Game {
    let mut position = *start;
    let mut steps = Vec::with_capacity(moves.len());
    for played in moves {
        steps.push((position, ScriptPly::Legal(played.clone())));
        position = position.play(played);
    }
    illegal_game(start, &steps, control, profile, seed)
}

/// Returns the games of a seat, the last of which is `game`. At the rate of the profile, another game precedes it on the board: its
/// first plies, with White on the other side of the clock. `is_from_start`: whether the game begins at the start of its variant;
/// otherwise an operator would have to begin each game.
pub fn with_swapped_seats(game: Game, is_from_start: bool, profile: &NoiseProfile, seed: u64) -> Vec<Game> {
    const PLIES: usize = 12;
    let mut rng = Rng::stream(seed, "seats");
    if !rng.chance(profile.rate(Fault::SeatsSwapped)) || !is_from_start {
        return vec![game];
    }
    let is_played = |ply: &&Ply| !ply.is_illegal && ply.corrected_to.is_none();
    let plies = game.plies.iter().take_while(is_played).take(PLIES).cloned().collect();
    let before = Game { plies, ..game.clone() };
    let game = Game { pause_ms: rng.between(5_000, 60_000), ..game };
    let swapped = if rng.chance(0.5) { game.rotated(true) } else { Game { white_side: ClockSide::Right, ..game } };
    vec![before, swapped]
}

/// Translates a game with illegal moves.
pub fn illegal_game(
    start: &Position,
    steps: &[(Position, ScriptPly)],
    control: Option<TimeControl>,
    profile: &NoiseProfile,
    seed: u64,
) -> Game {
    let mut rng = Rng::stream(seed, "wavering");
    let wavers = profile.rate(Fault::Hesitation) > 0.0 || profile.rate(Fault::TakenBack) > 0.0;
    let mut plies = Vec::with_capacity(steps.len());
    for (index, (position, step)) in steps.iter().enumerate() {
        let corrected_to = illegal_moves::is_taken_back(steps, index).then(|| codes(position));
        let played = match step {
            ScriptPly::Legal(played) => played,
            ScriptPly::Illegal { from, to, .. } => {
                let mut motion = Ply::quiet(player(position.turn()), field(position, *from), field(position, *to));
                motion.is_illegal = true;
                motion.corrected_to = corrected_to;
                plies.push(motion);
                continue;
            }
        };
        let mut motion = ply(position, played);
        motion.corrected_to = corrected_to;
        if wavers {
            let legal = position.legal_moves();
            let elsewhere =
                |other: &&Move| other.from() == played.from() && other.to() != played.to() && !other.is_capture();
            motion.hesitate_on = legal.iter().filter(elsewhere).map(|other| field(position, other.to())).collect();
            let others: Vec<&Move> = legal.iter().filter(|other| *other != played).collect();
            motion.wrong_first = rng.pick(&others).map(|wrong| Box::new(ply(position, wrong)));
        }
        plies.push(motion);
    }
    Game::new(codes(start), plies, control)
}
