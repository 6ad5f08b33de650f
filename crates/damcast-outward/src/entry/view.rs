//! A table as the page needs it: its position as a picture, the legal moves with their squares, and the moves so far.

use damcast_control::entry::{EntryState, EntryTable};
use draughts::{Color, Position, Variant};
use draughts_pdn::{fen, notation};
use maud::Markup;
use serde::Serialize;

use crate::web::diagram::{self, DiagramSpec};
use crate::web::state::{fields_of_move, letters};

/// A table.
#[derive(Serialize)]
pub struct TableView {
    /// State as the station reports it.
    #[serde(flatten)]
    pub table: EntryTable,
    /// Number of the next ply, and the game that it belongs to.
    pub next: NextPly,
    /// Side to move: `white` or `black`.
    pub turn: &'static str,
    /// Legal moves.
    pub moves: Vec<LegalMove>,
    /// Width and height in fields.
    pub size: [usize; 2],
    /// Name of each field, row by row; empty for unused fields.
    pub names: Vec<&'static str>,
    /// Letter of each field, row by row: `w`, `b`, `W`, `B` or `.`.
    pub pieces: String,
    /// Letters of the start position, for the next game.
    pub start: String,
    /// Results of a win of White, of a draw, of a win of Black.
    pub results: [&'static str; 3],
    #[serde(skip)]
    variant: &'static Variant,
}

/// Place of the next ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct NextPly {
    /// Number of the game.
    pub game: u32,
    /// Number of the ply in the game, from 1.
    pub ply: u32,
}

/// A legal move.
#[derive(PartialEq, Eq, Debug, Serialize)]
pub struct LegalMove {
    /// Notation, which no other legal move has.
    pub text: String,
    /// Names of the squares: the start, each landing square, the end.
    pub path: Vec<&'static str>,
}

impl TableView {
    /// Makes the view of a table.
    ///
    /// # Errors
    ///
    /// Returns an error if the station reports a game or a position that is none.
    pub fn new(table: EntryTable) -> Result<TableView, String> {
        let variant = Variant::from_tag(&table.gametype).map_err(|error| error.to_string())?;
        let next = match table.state {
            EntryState::Over => NextPly { game: table.game + 1, ply: 1 },
            _ => NextPly { game: table.game, ply: table.plies.len() as u32 + 1 },
        };
        let position = match table.state {
            EntryState::Ready | EntryState::Playing => {
                let setup = fen::read(variant, &table.fen).map_err(|error| error.to_string())?;
                Position::new(variant, setup).map_err(|error| error.to_string())?
            }
            EntryState::Over => Position::start(variant),
        };
        // The end position stays visible until the next game begins.
        let shown = fen::read_any(variant, &table.fen).map_err(|error| error.to_string())?;
        let legal = position.legal_moves();
        let names = diagram::names(variant);
        let moves = legal.iter().map(|ply| {
            let path = fields_of_move(variant, ply).0.into_iter().map(|field| names[field]).collect();
            LegalMove { text: notation::write(variant, ply, &legal), path }
        });
        let format = variant.result_format;
        Ok(TableView {
            next,
            turn: if position.turn() == Color::White { "white" } else { "black" },
            moves: moves.collect(),
            size: [variant.geometry.width(), variant.geometry.height()],
            names,
            pieces: letters(variant, &shown.placement),
            start: letters(variant, Position::start(variant).placement()),
            results: [format.win(Color::White), format.draw(), format.win(Color::Black)],
            variant,
            table,
        })
    }

    /// Draws the position.
    pub fn picture(&self, label: &str) -> Markup {
        let spec = DiagramSpec { pieces: &self.pieces, path: &[], captured: &[], is_large: true, label };
        diagram::draw(self.variant, &spec)
    }

    /// Returns the shapes that the pictures of these tables share.
    pub fn shapes<'v>(tables: impl Iterator<Item = &'v TableView>) -> Markup {
        diagram::definitions(tables.map(|table| table.variant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(state: EntryState, plies: &[&str], fen: &str) -> EntryTable {
        EntryTable {
            board: "table-7".into(),
            game: 3,
            plies: plies.iter().map(|ply| (*ply).to_owned()).collect(),
            fen: fen.into(),
            gametype: "20".into(),
            state,
            ..EntryTable::default()
        }
    }

    const START: &str = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";

    #[test]
    fn next_ply_follows_last_or_begins_game() {
        let view = TableView::new(table(EntryState::Ready, &[], START)).unwrap();
        assert_eq!((view.next, view.turn, view.moves.len()), (NextPly { game: 3, ply: 1 }, "white", 9));
        let playing = table(EntryState::Playing, &["32-28"], &START.replace("W:W31,32", "B:W28,31"));
        let view = TableView::new(playing).unwrap();
        assert_eq!((view.next, view.turn), (NextPly { game: 3, ply: 2 }, "black"));
        let view = TableView::new(table(EntryState::Over, &["32-28"], "W:W28:B1")).unwrap();
        assert_eq!((view.next, view.moves.len()), (NextPly { game: 4, ply: 1 }, 9));
        assert_eq!(view.pieces.matches(['w', 'b']).count(), 2, "the end position stays visible");
        assert_eq!(view.results, ["2-0", "1-1", "0-2"]);
    }

    #[test]
    fn ambiguous_captures_have_their_squares() {
        // The man on 48 takes two pieces on either of two ways to 28.
        let view = TableView::new(table(EntryState::Playing, &["?"], "W:WK46:B41,32,19,30")).unwrap();
        let texts: Vec<&str> = view.moves.iter().map(|ply| ply.text.as_str()).collect();
        let mut unique = texts.clone();
        unique.dedup();
        assert_eq!(texts, unique);
        assert!(view.moves.iter().all(|ply| ply.path.len() > 1 && ply.path[0] == "46"), "{:?}", view.moves);
    }

    #[test]
    fn what_is_no_game_is_error() {
        let mut wrong = table(EntryState::Playing, &[], "nonsense");
        assert!(TableView::new(wrong.clone()).is_err());
        wrong.gametype = "99".into();
        assert!(TableView::new(wrong).is_err());
    }
}
