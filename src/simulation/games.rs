//! The games that boards play: from a PDN file, or the demonstration's own.

use super::score::SourceGame;
use draughts::Variant;
use draughts_pdn::problem::Problem;
use draughts_pdn::reader;
use draughts_pdn::replay::Replay;

/// Eight real games of international draughts, bare moves.
pub const DEMONSTRATION: &str = include_str!("demo.pdn");

/// Why a PDN text gives no game that can be played on a board.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// No game in it.
    #[error("{file}: no game found{first}", first = first_problem(.file, .problems))]
    NoGame {
        /// The name of the file.
        file: String,
        /// Error of the reader.
        problems: Vec<Problem>,
    },
    /// A game that does not exist.
    #[error("{file}: there is no game {wanted}; it has {count}")]
    NoSuchGame {
        /// The name of the file.
        file: String,
        /// The number that was asked for, from 1.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
    /// A game whose moves cannot all be played.
    #[error("{file}: game {game} cannot be played to its end{first}", first = first_problem(.file, .problems))]
    Unplayable {
        /// The name of the file.
        file: String,
        /// Its number, from 1.
        game: usize,
        /// What is wrong with it.
        problems: Vec<Problem>,
    },
}

fn first_problem(file: &str, problems: &[Problem]) -> String {
    problems.first().map_or(String::new(), |problem| format!("\n  {file}:{problem}"))
}

/// Game `wanted` of a PDN text (from 1), or all that can be played.
///
/// # Errors
///
/// When the text has no such game, or its moves are not legal; says where.
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
