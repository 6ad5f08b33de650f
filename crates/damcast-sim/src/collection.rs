//! Collections of games as JSON lines, one game per line: its start, and each ply as the squares of its path with the captured pieces.
//!
//! ```text
//! {"id":"int-0047","gametype":20,"fen":null,"moves":[[32,28],[17,22],[28,17]],"captures":[[],[],[22]]}
//! ```
//!
//! Squares are numbers, or text in variants that name them so. Other keys are ignored. A game with an illegal ply is an error: the
//! benchmark would count the mistake against the recorder.

use draughts::{Move, Position, Square, SquareSet, Variant};
use draughts_pdn::fen;
use draughts_pdn::problem::{Location, Problem};
use serde::Deserialize;

use super::games::GamesError;
use super::games::SourceGame;

#[derive(Deserialize)]
struct GameJson {
    id: String,
    gametype: GameType,
    fen: Option<String>,
    moves: Vec<Vec<Name>>,
    captures: Vec<Vec<Name>>,
    #[serde(default)]
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GameType {
    Number(u8),
    Text(String),
}

/// Name of a square.
#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Number(u16),
    Text(String),
}

impl Name {
    fn square(&self, variant: &Variant) -> Option<Square> {
        match self {
            Name::Number(number) => variant.geometry.square(&number.to_string()),
            Name::Text(text) => variant.geometry.square(text),
        }
    }
}

/// Parses the games of a collection; `kind` selects games of one kind, such as `real`.
///
/// # Errors
///
/// Names the first line that is not a game, or that has an illegal ply.
pub fn from_json_lines(file: &str, text: &str, kind: Option<&str>) -> Result<Vec<SourceGame>, GamesError> {
    let mut games = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |message: String| GamesError::Unplayable {
            file: file.to_owned(),
            game: index + 1,
            problems: vec![Problem::error(Location { line: index as u64 + 1, column: 1 }, message)],
        };
        let line: GameJson = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if kind.is_none() || line.kind.as_deref() == kind {
            let game = play(&line).map_err(wrong)?;
            if !game.moves.is_empty() {
                games.push(game);
            }
        }
    }
    if games.is_empty() {
        return Err(GamesError::NoGame { file: file.to_owned(), problems: Vec::new() });
    }
    Ok(games)
}

fn play(line: &GameJson) -> Result<SourceGame, String> {
    let tag = match &line.gametype {
        GameType::Number(number) => number.to_string(),
        GameType::Text(text) => text.clone(),
    };
    let variant = Variant::from_tag(&tag).map_err(|error| error.to_string())?;
    let start = match &line.fen {
        None => Position::start(variant),
        Some(text) => {
            let setup = fen::read(variant, text).map_err(|error| error.to_string())?;
            Position::new(variant, setup).map_err(|error| error.to_string())?
        }
    };
    let mut position = start;
    let mut moves: Vec<Move> = Vec::with_capacity(line.moves.len());
    for (index, path) in line.moves.iter().enumerate() {
        let squares = |names: &[Name]| names.iter().map(|name| name.square(variant)).collect::<Option<Vec<_>>>();
        let unknown = || format!("ply {}: a square that this game does not have", index + 1);
        let path = squares(path).ok_or_else(unknown)?;
        let captured = line.captures.get(index).map_or(&[][..], Vec::as_slice);
        let captured: SquareSet = squares(captured).ok_or_else(unknown)?.into_iter().collect();
        let fits = |ply: &Move| {
            Some(&ply.from()) == path.first() && Some(&ply.to()) == path.last() && ply.captured() == captured
        };
        let ply = position.legal_moves().into_iter().find(fits);
        let ply = ply.ok_or_else(|| format!("ply {} is not legal", index + 1))?;
        position = position.play(&ply);
        moves.push(ply);
    }
    Ok(SourceGame { name: line.id.clone(), start, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = r#"{"id":"a","kind":"real","gametype":20,"fen":null,"moves":[[32,28],[17,22],[28,17]],"captures":[[],[],[22]],"result":"*"}"#;

    #[test]
    fn reads_game_with_captures() {
        let games = from_json_lines("x", GAME, None).unwrap();
        assert_eq!((games.len(), games[0].moves.len()), (1, 3));
        assert!(games[0].moves[2].is_capture());
        assert!(from_json_lines("x", GAME, Some("generated")).is_err());
    }

    #[test]
    fn illegal_ply_is_named_with_line() {
        let text = format!("{GAME}\n{}", GAME.replace("[17,22],", "[17,23],"));
        let error = from_json_lines("x.jsonl", &text, None).unwrap_err().to_string();
        assert!(error.contains("x.jsonl:2:1") && error.contains("ply 2"), "{error}");
    }
}
