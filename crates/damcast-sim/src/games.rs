//! Games that boards play, from a PDN file or the built-in demonstration.

use draughts::{Move, Position, Variant};
use draughts_pdn::problem::Problem;
use draughts_pdn::reader;
use draughts_pdn::replay::Replay;

/// Eight real games of international draughts, bare moves.
pub const DEMONSTRATION: &str = include_str!("demo.pdn");

/// Game to play.
#[derive(Clone, Debug)]
pub struct SourceGame {
    /// Name in reports.
    pub name: String,
    /// Start position.
    pub start: Position,
    /// Moves of the game.
    pub moves: Vec<Move>,
}

/// Error for a PDN text without playable games.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// Text without a game.
    #[error("{file}: no game found{first}", first = first_problem(.file, .problems))]
    NoGame {
        /// File name.
        file: String,
        /// Problems of the reader.
        problems: Vec<Problem>,
    },
    /// Game number out of range.
    #[error("{file}: there is no game {wanted}; it has {count}")]
    NoSuchGame {
        /// File name.
        file: String,
        /// Requested number, from 1.
        wanted: usize,
        /// Number of games.
        count: usize,
    },
    /// Game with moves that cannot be played.
    #[error("{file}: game {game} cannot be played to its end{first}", first = first_problem(.file, .problems))]
    Unplayable {
        /// File name.
        file: String,
        /// Number of the game, from 1.
        game: usize,
        /// Problems of the game.
        problems: Vec<Problem>,
    },
}

fn first_problem(file: &str, problems: &[Problem]) -> String {
    problems.first().map_or(String::new(), |problem| format!("\n  {file}:{problem}"))
}

/// Returns game `wanted` of a PDN text (from 1), or all playable games.
///
/// # Errors
///
/// Returns an error with its place if the game does not exist or has illegal moves.
pub fn from_pdn(
    file: &str,
    text: &str,
    known_variant: Option<&'static Variant>,
    wanted: Option<usize>,
) -> Result<Vec<SourceGame>, GamesError> {
    let file = file.to_owned();
    let (games, problems) = reader::read_located(text);
    if games.is_empty() {
        return Err(GamesError::NoGame { file, problems });
    }
    let count = games.len();
    if let Some(wanted) = wanted.filter(|&wanted| wanted == 0 || wanted > count) {
        return Err(GamesError::NoSuchGame { file, wanted, count });
    }
    let mut played = Vec::new();
    for (index, located) in games.iter().enumerate() {
        let number = index + 1;
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let replay = Replay::infer(located, known_variant);
        let moves: Vec<_> = replay.moves().cloned().collect();
        let has_setups = moves.len() != replay.steps.len();
        if replay.is_complete && !has_setups && !moves.is_empty() {
            played.push(SourceGame { name: format!("{file} game {number}"), start: replay.start, moves });
        } else if wanted.is_some() {
            return Err(GamesError::Unplayable { file, game: number, problems: replay.problems });
        }
    }
    if played.is_empty() {
        return Err(GamesError::NoGame { file, problems });
    }
    Ok(played)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_has_eight_playable_games() {
        let games = from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
        assert_eq!(games.len(), 8);
    }

    #[test]
    fn illegal_move_is_named_with_place() {
        let text = "[GameType \"20\"]\n\n1. 32-28 19-23\n2. 28x18 *\n";
        let error = from_pdn("x.pdn", text, None, Some(1)).unwrap_err().to_string();
        assert!(error.contains("x.pdn:4:4"), "{error}");
    }
}
