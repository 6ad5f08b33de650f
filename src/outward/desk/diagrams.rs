//! Pictures of the electronic board and of the published position, and of an empty board for set-up positions.

use draughts::Variant;
use draughts_pdn::fen;
use serde_json::{Value, json};

use crate::outward::web::diagram::{self, DiagramSpec};
use crate::outward::web::state::letters;
use crate::station::operate::overview::BoardView;

/// The board as an object: `width`, `height`, `names` of the fields row by row, `shown` and `published` as letters a field (`w`, `b`, `W`,
/// `B`, `.`) and as SVG, `parts` of which these are made, `turn` of what is published, the squares that are in `doubt`.
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
