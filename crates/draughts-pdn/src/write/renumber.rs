//! Renames the squares of a game: numbers for letters, or another corner for square 1.
//!
//! The two boards must have the same size and the same playing squares. A [`Square`](draughts::Square) is identical on both; only its name
//! changes, in moves, setups and the FEN tag.
//!
//! Source: PDN 3.0, chapter "GameType tag", attribute Notation.

use crate::fen;
use crate::game::{Entry, Game, MoveText};
use crate::problem::{Location, Problem, quote};
use crate::replay;
use draughts::Variant;

/// Returns the game on another board of the same kind; it must be in the standard's form. Parts that cannot be renamed remain unchanged and
/// are reported.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts_pdn::{reader, renumber::renumber};
///
/// let (games, _) = reader::read("[GameType \"25\"] 1. c3-d4 *");
/// let (game, _) = renumber(&games[0], Variant::from_tag("25,W,8,8,N2,0").unwrap());
/// assert_eq!(game.moves().next().unwrap().text, "22-18");
/// ```
pub fn renumber(game: &Game, to: &'static Variant) -> (Game, Vec<Problem>) {
    let tag = game.tags.get("GameType").unwrap_or_default();
    let from = match Variant::from_tag(tag) {
        Ok(from) => from,
        Err(error) => return (game.clone(), vec![Problem::error(Location::START, error.to_string())]),
    };
    let is_same_game = from.game_type.number() == to.game_type.number()
        && from.geometry.width() == to.geometry.width()
        && from.geometry.height() == to.geometry.height()
        && (0..from.geometry.height()).all(|row| {
            (0..from.geometry.width())
                .all(|column| from.geometry.square_at(row, column) == to.geometry.square_at(row, column))
        });
    if !is_same_game {
        let message = format!("{} and {} are not boards of one game", from.game_type, to.game_type);
        return (game.clone(), vec![Problem::error(Location::START, message).with_hint("this game is left as it is")]);
    }
    let mut renamed = game.clone();
    let mut problems = Vec::new();
    renamed.tags.set("GameType", to.game_type.tag_value());
    let fen_on = |text: &str, problems: &mut Vec<Problem>| match replay::null_move(text) {
        Some(_) => text.to_owned(),
        None => match replay::read_setup(from, text) {
            Ok((setup, _)) => {
                let fen = fen::write(to, &setup);
                // An unknown turn remains unknown.
                if text.starts_with('?') { format!("?{}", &fen[1..]) } else { fen }
            }
            Err(error) => match fen::read_any(from, text) {
                // Pieces of unknown colour also have squares to rename.
                Ok(fen) => fen::write_any(to, &fen),
                Err(_) => {
                    problems.push(Problem::warning(Location::START, error.to_string()));
                    text.to_owned()
                }
            },
        },
    };
    if let Some(text) = game.tags.get("FEN") {
        renamed.tags.set("FEN", fen_on(text, &mut problems));
    }
    for entry in &mut renamed.entries {
        match entry {
            Entry::Setup(text) => *text = fen_on(text, &mut problems),
            Entry::Move(ply) => match renumber_move(from, to, &ply.text) {
                Some(text) => {
                    ply.text = text;
                    ply.captured = ply.captured.as_deref().and_then(|captured| renumber_captured(from, to, captured));
                }
                None => {
                    let message = format!("{} names squares that the board does not have", quote(&ply.text));
                    problems.push(Problem::warning(Location::START, message));
                }
            },
            _ => {}
        }
    }
    (renamed, problems)
}

fn renumber_move(from: &Variant, to: &Variant, text: &str) -> Option<MoveText> {
    let mut renamed = String::new();
    for part in text.split_inclusive(['-', 'x', ':']) {
        let name = part.trim_end_matches(['-', 'x', ':']);
        renamed.push_str(to.geometry.name(from.geometry.square(name)?));
        renamed.push_str(&part[name.len()..]);
    }
    Some(renamed.into())
}

/// Renames the captured squares of the 3.1 proposal.
fn renumber_captured(from: &Variant, to: &Variant, list: &str) -> Option<MoveText> {
    let name = |name: &str| Some(to.geometry.name(from.geometry.square(name)?));
    Some(list.split(',').map(name).collect::<Option<Vec<_>>>()?.join(",").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{reader, strict, writer};

    #[test]
    fn renumbering_roundtrip_keeps_game() {
        let text = "[GameType \"25\"]\n[FEN \"W:Wc3,Ke1:Bb6,f6\"]\n\n1. c3-d4 /FEN \"B:Wd4:Bb6\"/ *\n";
        let game = &reader::read(text).0[0];
        let numbers = Variant::from_tag("25,W,8,8,N2,0").unwrap();
        let (renamed, problems) = renumber(game, numbers);
        assert_eq!(problems, []);
        let written = writer::write(std::slice::from_ref(&renamed), writer::Style::Compact);
        assert_eq!(
            written,
            "[GameType \"25,W,8,8,N2,0\"]\n[FEN \"W:W22,K31:B9,11\"]\n\n1. 22-18 /FEN \"B:W18:B9\"/ *\n"
        );
        assert_eq!(strict::check(&written, None), []);
        assert_eq!(&renumber(&renamed, Variant::from_tag("25").unwrap()).0, game);
    }

    #[test]
    fn refuses_boards_of_different_games() {
        let game = &reader::read("[GameType \"25\"] 1. c3-d4 *").0[0];
        let (same, problems) = renumber(game, Variant::international());
        assert_eq!((&same, problems.len()), (game, 1));
    }
}
