//! Diagrams of an electronic board and of its published position, for the page and its dialog of set-up positions.

use damcast_control::overview::BoardView;
use draughts::Variant;
use draughts_pdn::fen;
use serde_json::{Value, json};

use crate::web::diagram::{self, DiagramSpec};
use crate::web::state::letters;

/// Returns a board as an object.
///
/// | member | |
/// |---|---|
/// | `board`, `gametype` | name of the board, and the game type |
/// | `width`, `height`, `names` | size in fields, and the name of each field row by row, empty for unused fields |
/// | `shown`, `published` | position on the board, and published position or `null` |
/// | `parts` | SVG with the shapes that the diagrams share |
/// | `doubt` | squares that differ from the published position, if no legal move explains them |
/// | `start` | start position as FEN |
///
/// A position has `pieces` (a letter per field: `w`, `b`, `W`, `B`, `.`), `turn` (side to move, if known), `svg` and `fen`.
///
/// # Errors
///
/// Returns a text if the squares of the board are unknown.
pub fn position_json(board: &BoardView) -> Result<Value, String> {
    let Some(squares) = &board.squares else {
        return Err(format!("{} has not reported its position yet", board.name));
    };
    let variant = Variant::from_tag(&squares.game_type).map_err(|error| error.to_string())?;
    let doubt = board.unexplained.as_ref().map_or(&[][..], |doubt| &doubt.squares);
    let picture = |text: &str, error_text: &str| {
        let read = fen::read_any(variant, text).map_err(|error| error.to_string())?;
        let pieces = letters(variant, &read.placement);
        let label = match (error_text, doubt) {
            ("shown", [_, ..]) => {
                format!("What {} shows. It differs from what is published on {}", board.name, doubt.join(", "))
            }
            ("shown", []) => format!("What {} shows", board.name),
            _ => format!("What is published of {}", board.name),
        };
        let drawing = DiagramSpec { pieces: &pieces, path: &[], captured: &[], is_large: true, label: &label };
        let svg = diagram::draw(variant, &drawing).into_string();
        Ok::<_, String>(
            json!({"pieces": pieces, "turn": read.turn.map(|turn| turn.to_string()), "svg": svg, "fen": text}),
        )
    };
    let published = squares.published.as_deref().map(|text| picture(text, "published")).transpose()?;
    Ok(json!({
        "board": board.name,
        "gametype": squares.game_type,
        "parts": diagram::definitions(std::iter::once(variant)).into_string(),
        "width": variant.geometry.width(),
        "height": variant.geometry.height(),
        "names": diagram::names(variant),
        "shown": picture(&squares.shown, "shown")?,
        "published": published,
        "doubt": doubt,
        "start": fen::write(variant, &draughts::Position::start(variant).setup()),
    }))
}
