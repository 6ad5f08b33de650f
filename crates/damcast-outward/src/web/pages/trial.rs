//! "Try it": a viewer's own line from a position of a game.
//!
//! The server plays the line by the rules and lists the legal moves, so there is no second implementation of the rules in the browser. The
//! line stands in the address: it can be sent, and the page works without a script. The cost of a page has bounds.

use draughts::{Color, Move, Position, Variant};
use draughts_pdn::notation;
use maud::{Markup, html};

use super::address::percent_encoded;
use super::{PageBuilder, PageError, PageGame};
use crate::web::diagram::{self, DiagramSpec};
use crate::web::state::{WholeGame, fields_of_move, letters, natural_order};
use crate::web::stored_games::StoredGames;
use crate::web::texts::fill;

/// Longest line, in moves of both sides.
const MAX_LINE_LEN: usize = 100;
/// Largest number of jumps that one page tries: composed positions have captures without end.
const MAX_JUMPS: u32 = 50_000;

/// Own line of a viewer, played by the rules.
struct Trial {
    variant: &'static Variant,
    /// Moves of the line as text, each with the side that made it.
    moves: Vec<(Color, String)>,
    /// Last move.
    last: Option<Move>,
    /// Position after the line.
    position: Position,
    /// Moves that may follow.
    legal: Vec<Move>,
}

impl Trial {
    /// Plays `line` from a position; `None` if a move is not legal, or if the captures are too many to try.
    fn new(start: Position, line: &[String]) -> Option<Trial> {
        let (mut position, variant, mut jumps) = (start, start.variant(), MAX_JUMPS);
        let (mut moves, mut last) = (Vec::new(), None);
        for text in line {
            let legal = position.legal_moves_bounded(&mut jumps)?;
            let ply = notation::read_among(&position, &legal, text).ok()?;
            moves.push((position.turn(), notation::write(variant, &ply, &legal)));
            position = position.play(&ply);
            last = Some(ply);
        }
        let legal = position.legal_moves_bounded(&mut jumps)?;
        Some(Trial { variant, moves, last, position, legal })
    }

    /// Returns the moves that may follow as text, in the order of their squares, each with its path.
    fn legal_moves(&self) -> Vec<(String, Vec<usize>)> {
        let text = |ply| notation::write(self.variant, ply, &self.legal);
        let mut moves: Vec<_> = self.legal.iter().map(|ply| (text(ply), fields_of_move(self.variant, ply).0)).collect();
        moves.sort_by_cached_key(|(text, _)| natural_order(text));
        moves
    }
}

impl PageBuilder<'_> {
    /// Renders a viewer's own line from the position of a game after `at` entries.
    pub(super) fn trial(
        &self,
        shown: Option<PageGame<'_>>,
        at: usize,
        line: &[String],
        games: &StoredGames,
    ) -> Result<Markup, PageError> {
        let shown = shown.filter(|_| line.len() <= MAX_LINE_LEN).ok_or(PageError::NotFound)?;
        let found = games.with_whole(&shown.board, shown.game, |whole| {
            let trial = Trial::new(whole.position(at)?, line)?;
            let main = self.main("trial", "wrap", || self.trial_main(&shown, whole, at, &trial));
            let content = super::PageContent::new(std::slice::from_ref(&shown), self.texts().own_line, main);
            // A viewer's own line must not look like the game.
            Some(self.page(super::PageContent { picture: None, ..content }))
        });
        found.map_err(PageError::Unreadable)?.ok_or(PageError::NotFound)
    }

    fn trial_main(&self, shown: &PageGame<'_>, whole: WholeGame<'_>, at: usize, trial: &Trial) -> Markup {
        let texts = self.texts();
        let base_address = format!("{}/{at}", shown.game_address());
        let way_back = self.link(&if shown.game.is_on() { shown.address() } else { base_address.clone() });
        // The first `count` moves of the line, and perhaps another one.
        let address = |count: usize, next: Option<&str>| {
            let moves = trial.moves.iter().take(count).map(|(_, text)| text.as_str()).chain(next);
            let line: Vec<String> = moves.map(percent_encoded).collect();
            self.link(&format!("{}/{at}/try/{}", shown.game_address(), line.join("/")))
        };
        let count = trial.moves.len();
        let base = at.checked_sub(1).and_then(|index| whole.entries.get(index));
        let base = base.map_or_else(|| texts.game_start.to_owned(), |entry| self.entry_text(whole.game, entry));
        let (path, captured) = trial.last.as_ref().map(|ply| fields_of_move(trial.variant, ply)).unwrap_or_default();
        let pieces = letters(trial.variant, trial.position.placement());
        let turn = if trial.position.turn() == Color::White { texts.white_to_move } else { texts.black_to_move };
        let spec =
            DiagramSpec { pieces: &pieces, path: &path, captured: &captured, is_large: true, label: texts.own_line };
        html! { div.two.trial {
            (self.parts.part("section", "trial-board", || html! { section.brd #board tabindex="0" aria-label=(texts.own_line) {
                div.top { h2.no { (self.board_title(shown.number)) " · " (texts.own_line) } p.st { (texts.not_the_game) } }
                (self.player_line(shown, Color::Black, "plb bk", None))
                div.bwrap { (diagram::draw(trial.variant, &spec)) }
                (self.player_line(shown, Color::White, "plb wh", None))
                p.now { b { a href=(self.link(&base_address)) { (fill(texts.line_begins, &base)) } } " " span { (turn) } }
                p #say .vh role="status" { @if let Some((side, text)) = trial.moves.last() { (self.side(*side)) " " (super::board::with_capture_sign(text)) } }
                div.ctl {
                    a.btn #first href=(address(0, None)) aria-label=(texts.first_position) title=(texts.first_position) { span aria-hidden="true" { "|◀" } }
                    a.btn #back href=(address(count.saturating_sub(1), None)) aria-label=(texts.move_back) title=(texts.move_back) { span aria-hidden="true" { "◀" } }
                    a.btn.lv.p #golive href=(way_back) { (texts.back_to_game) }
                }
            } }))
            (self.parts.part("section", "trial-moves", || html! { section.mvs {
                @if count == 0 { p.now.noprint { (texts.choose_move) } } @else { h2 { (texts.own_line) } }
                ol.line { @for (index, (side, text)) in trial.moves.iter().enumerate() {
                    li { a href=(address(index + 1, None)) aria-current=[(index + 1 == count).then_some("true")] {
                        span.vh { (self.side(*side)) " " } (super::board::with_capture_sign(text))
                    } }
                } }
                h2.noprint { (texts.legal_moves) }
                @if trial.legal.is_empty() { p.q { (texts.no_legal_move) } }
                // A longer line has no page.
                ul.line.noprint #legal { @for (text, path) in trial.legal_moves().iter().filter(|_| count < MAX_LINE_LEN) {
                    li { a href=(address(count, Some(text))) data-path=(path.iter().map(usize::to_string).collect::<Vec<_>>().join(",")) { (super::board::with_capture_sign(text)) } }
                } }
                div.acts.noprint { button.btn.study #turnboard type="button" hidden { (texts.turn_board) } }
            } }))
        } }
    }
}
