//! How a game begins on a table: by the start position on the board, however the board lies, or because the operator says so.
//!
//! A start position that appears where a game is going on is a new game only when it has stood for a while: longer when few
//! plies have been played, since then it may be a correction of the opening, and never while the clock runs.

use super::Table;
use super::board_model::BoardModel;
use super::clock::TableClock;
use super::game_sequence::{GamePhase, GameSequence};
use crate::engine::millis::Millis;
use crate::engine::protocol::PieceCode;
use crate::engine::protocol::changes::MemoryEvent;
use crate::engine::recognition::{Occupancy, Recogniser};
use crate::engine::session::Effect;
use crate::engine::session::delayed_event::DelayedEvent;
use crate::engine::session::game::LiveGame;
use crate::engine::session::sensors::{Orientation, Sensors};
use draughts::{Color, Piece, PieceKind, Placement, Position, Setup, SquareSet};

/// How long the start position must stand, in the middle of a game, to begin a new one.
const NEW_GAME_DELAY: Millis = Millis::seconds(1);
/// The same when few plies have been played: it may be a correction of the opening.
const NEW_GAME_DELAY_EARLY: Millis = Millis::seconds(3);
/// Plies after which the start position can only be a new game.
const MAX_EARLY_PLIES: u32 = 6;

impl Table {
    /// Those of these things with which a start position came to stand on the board.
    pub fn start_position_events(&self, reported: &[DelayedEvent]) -> Vec<usize> {
        start_position_events(&self.board, self.board.sensors().clone(), reported)
    }

    /// A table that waits, as it would be if the board showed a start position now: the last that these things make, with the things
    /// after it. They lead to what is shown; of what a field held before the first of them that names it nothing is known.
    pub fn at_last_start(&self, reported: &[DelayedEvent]) -> Option<(Table, Vec<DelayedEvent>)> {
        let mut sensors = self.board.sensors().clone();
        let mut fields = sensors.by_number();
        for reported in reported {
            if let DelayedEvent::Memory(MemoryEvent::Piece { field, .. }) = reported
                && let Some(code) = fields.get_mut(usize::from(field.0))
            {
                *code = PieceCode::EMPTY;
            }
        }
        sensors.set_by_number(&fields);
        let last = *start_position_events(&self.board, sensors.clone(), reported).last()?;
        let (until, after) = reported.split_at_checked(last + 1)?;
        for reported in until {
            apply_event(&mut sensors, reported);
        }
        Some((Table { board: self.board.with_sensors(sensors), ..self.clone() }, after.to_vec()))
    }

    /// Tables on which a game begins now from what stands on this one, with who is to move: one for each way in which the board may lie,
    /// the likeliest first, with what they have to say. None where that is no position from which the game can go on.
    pub fn games_from_board(&self, now: Millis, turn: Color) -> Vec<(Table, Vec<Effect>)> {
        let begin = |orientation| {
            let mut table = self.clone();
            table.board.set_orientation(orientation);
            let position = position_on_board(&table.board, turn).filter(|position| position.winner().is_none())?;
            table.games.reset();
            let effects = table.start_game(now, position);
            Some((table, effects))
        };
        let lies = |&orientation: &Orientation| {
            white_is_nearer(&self.board, orientation) < white_is_nearer(&self.board, orientation.other())
        };
        let mut ways = self.board.orientations().to_vec();
        ways.sort_by_key(lies);
        ways.into_iter().filter_map(begin).collect()
    }

    /// Would a board that shows this show the start position?
    pub fn is_start(&self, codes: &[PieceCode]) -> bool {
        let mut sensors = self.board.sensors().clone();
        sensors.dump(codes).is_some() && self.board.start_orientation_of(&sensors).is_some()
    }

    pub(super) fn start_new_game(&mut self, now: Millis) -> Vec<Effect> {
        let due = new_game_due(&self.board, &self.clock, &self.games).filter(|&at| at <= now);
        let Some(orientation) = due.and(self.board.start_orientation()) else { return Vec::new() };
        self.board.set_orientation(orientation);
        let mut effects = self.start_game(now, Position::start(self.settings.variant));
        effects.push(Effect::Info(match orientation {
            Orientation::Normal => "the start position is set up: ready".to_owned(),
            Orientation::Turned => "the start position is set up, the board lies turned round: ready".to_owned(),
        }));
        effects
    }

    /// An eye for a game that stands at a position, so many plies after its start.
    pub(super) fn new_recogniser(&self, now: Millis, position: Position, plies: u32) -> Recogniser {
        let settings = self.settings.effective_recognition();
        let mut recogniser =
            Recogniser::new(position, plies, self.board.occupancy(), self.clock.state(), now, settings);
        recogniser.trust_reports(self.board.trusts_reports());
        recogniser.set_link_up(now, self.board.is_heard());
        recogniser
    }

    /// Closes the game that is going on, if any, and begins one from a position.
    pub(super) fn start_game(&mut self, now: Millis, position: Position) -> Vec<Effect> {
        let mut effects = self.close_for_next();
        self.clock.begin_game();
        self.notices.begin_game();
        if self.board.trusts_reports() && !self.board.sensors().is_known() {
            self.board.assume_board(&position);
        }
        let mut recogniser = self.new_recogniser(now, position, 0);
        if self.clock.is_running() {
            recogniser.set_lever_turn(self.clock.assume(position.turn()));
        }
        if self.board.is_assumed() {
            recogniser.assume_start();
        }
        self.games.start_game(LiveGame::new(position, recogniser, now));
        effects.extend(self.games.take_notices());
        effects
    }
}

/// When the start position on the board will begin a new game.
pub(super) fn new_game_due(board: &BoardModel, clock: &TableClock, play: &GameSequence) -> Option<Millis> {
    if !board.is_link_up() {
        return None;
    }
    match play.phase() {
        GamePhase::Playing(game) if game.recogniser.plies() == 0 && game.file_number().is_none() => None,
        GamePhase::Playing(game) => {
            board.start_orientation().filter(|_| board.is_confirmed() || board.trusts_reports())?;
            let few = game.recogniser.plies() < MAX_EARLY_PLIES;
            if few && clock.is_running() {
                return None;
            }
            Some(board.last_change() + if few { NEW_GAME_DELAY_EARLY } else { NEW_GAME_DELAY })
        }
        GamePhase::Waiting | GamePhase::Over => board.start_orientation().map(|_| Millis::ZERO),
    }
}

/// The squares of a board that differ from the start position, as it lies nearest to it, and the same in words.
pub(super) fn start_differences(board: &BoardModel) -> (SquareSet, String) {
    let (wrong, sight) = board.nearest_to_start();
    (wrong, describe_differences(board, wrong, &sight))
}

fn describe_differences(board: &BoardModel, wrong: SquareSet, sight: &Occupancy) -> String {
    let geometry = &board.variant().geometry;
    let start = Position::start(board.variant());
    let mut words = Vec::new();
    for square in geometry.sorted_by_name(wrong) {
        let name = geometry.name(square);
        words.push(match (start.placement().color(square), sight.color(square)) {
            (Some(color), None) => format!("{color} man missing on {name}"),
            (Some(_), Some(seen)) => format!("{seen} piece instead on {name}"),
            (None, _) => format!("piece too many on {name}"),
        });
    }
    words.join(", ")
}

/// Those of these things with which a start position came to stand on a board whose fields held this before.
fn start_position_events(board: &BoardModel, mut sensors: Sensors, reported: &[DelayedEvent]) -> Vec<usize> {
    let mut starts = Vec::new();
    for (index, reported) in reported.iter().enumerate() {
        if apply_event(&mut sensors, reported) && board.start_orientation_of(&sensors).is_some() {
            starts.push(index);
        }
    }
    starts
}

/// Lets a thing happen on the fields. Returns whether it is about them.
fn apply_event(sensors: &mut Sensors, reported: &DelayedEvent) -> bool {
    match reported {
        DelayedEvent::Memory(MemoryEvent::Piece { field, piece, .. }) => drop(sensors.update(*field, *piece)),
        DelayedEvent::Memory(_) => return false,
        DelayedEvent::FullBoard(codes) => sensors.set_by_number(codes),
    }
    true
}

/// The position that stands on a board.
fn position_on_board(board: &BoardModel, turn: Color) -> Option<Position> {
    let sight = board.occupancy();
    let mut placement = Placement::EMPTY;
    for color in Color::BOTH {
        let crowned = sight.kings() | board.variant().geometry.home_row(!color);
        for square in sight.squares_of(color) {
            let kind = if crowned.contains(square) { PieceKind::King } else { PieceKind::Man };
            placement.put(square, Some(Piece { color, kind }));
        }
    }
    let position = Position::new(board.variant(), Setup { placement, turn });
    position.ok().filter(|_| board.sensors().is_known())
}

/// By how much White's pieces are nearer to White's side than Black's are, if the board lies so.
fn white_is_nearer(board: &BoardModel, orientation: Orientation) -> i64 {
    let geometry = &board.variant().geometry;
    let sight = board.sensors().occupancy_from(orientation);
    let rows =
        |color| sight.squares_of(color).into_iter().map(|square| geometry.row_and_column(square).0 as i64).sum::<i64>();
    let count = |color| sight.squares_of(color).len() as i64;
    rows(Color::White) * count(Color::Black) - rows(Color::Black) * count(Color::White)
}
