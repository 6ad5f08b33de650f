//! Starts of games on a table: by the start position on the board, in any orientation, or by the operator's request.
//!
//! During a game, a start position begins a new game only after it has stood for a while. After few plies the players may
//! be correcting the opening: then the wait is longer, and a running clock rules a new game out.

use draughts::{Color, Position, Setup, SquareSet};

use super::Table;
use super::board_model::BoardModel;
use super::clock::TableClock;
use super::entry::EnteredGame;
use super::game_sequence::{GamePhase, GameSequence};
use crate::millis::Millis;
use crate::protocol::PieceCode;
use crate::protocol::changes::MemoryEvent;
use crate::recognition::{Occupancy, Recogniser};
use crate::session::Effect;
use crate::session::delayed_event::DelayedEvent;
use crate::session::game::LiveGame;
use crate::session::sensors::{Orientation, Sensors};

/// Time for which the start position must stand during a game.
const NEW_GAME_DELAY: Millis = Millis::seconds(1);
/// Time for which it must stand after few plies, when players may be correcting the opening.
const NEW_GAME_DELAY_EARLY: Millis = Millis::seconds(3);
/// Plies after which the start position always means a new game.
const MAX_EARLY_PLIES: u32 = 6;

impl Table {
    /// Returns the indexes of the events that completed a start position.
    pub fn start_position_events(&self, reported: &[DelayedEvent]) -> Vec<usize> {
        start_position_events(&self.board, self.board.sensors().clone(), reported)
    }

    /// Returns a waiting table at the last start position among these events, with the events after it. The events lead to the
    /// current contents; the contents of a field before its first event are unknown.
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

    /// Returns tables with a game that starts from the current contents, and their effects: one table per possible orientation,
    /// the likeliest first. Empty if the contents allow no game.
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

    /// Whether a board with these contents shows the start position.
    pub fn is_start(&self, codes: &[PieceCode]) -> bool {
        let mut sensors = self.board.sensors().clone();
        sensors.dump(codes).is_some() && self.board.start_orientation_of(&sensors).is_some()
    }

    /// Returns the time at which the start position on the board begins a new game; `None` while people enter the moves.
    pub(super) fn new_game_due(&self) -> Option<Millis> {
        new_game_due(&self.board, &self.clock, &self.games).filter(|_| !self.is_entry_on())
    }

    pub(super) fn start_new_game(&mut self, now: Millis) -> Vec<Effect> {
        let due = self.new_game_due().filter(|&at| at <= now);
        let Some(orientation) = due.and(self.board.start_orientation()) else { return Vec::new() };
        self.board.set_orientation(orientation);
        let mut effects = self.start_game(now, Position::start(self.settings.variant));
        effects.push(Effect::Info(match orientation {
            Orientation::Normal => "the start position is set up: ready".to_owned(),
            Orientation::Turned => "the start position is set up, the board lies turned round: ready".to_owned(),
        }));
        effects
    }

    /// Creates a recogniser for a game at a position, `plies` after its start.
    pub(super) fn new_recogniser(&self, now: Millis, position: Position, plies: u32) -> Recogniser {
        let settings = self.settings.effective_recognition();
        let mut recogniser =
            Recogniser::new(position, plies, self.occupancy_at(&position), self.clock.state(), now, settings);
        recogniser.trust_reports(self.board.trusts_reports());
        recogniser.set_link_up(now, self.board.is_heard());
        recogniser
    }

    /// Closes the running game, if any, and starts one from a position.
    pub(super) fn start_game(&mut self, now: Millis, position: Position) -> Vec<Effect> {
        let mut effects = self.publish_entered(now);
        effects.extend(self.close_for_next());
        // The switch of a board to entry ends with its game.
        self.entered = self.entered.take().filter(|_| self.is_always_entered()).map(|_| EnteredGame::default());
        self.remove_tags_of_used_pairing();
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

/// Returns the time at which the start position on the board begins a new game.
fn new_game_due(board: &BoardModel, clock: &TableClock, play: &GameSequence) -> Option<Millis> {
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

/// Returns the squares that differ from the start position in the closest orientation, and their description.
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

/// Returns the indexes of the events that completed a start position on a board with the earlier contents `sensors`.
fn start_position_events(board: &BoardModel, mut sensors: Sensors, reported: &[DelayedEvent]) -> Vec<usize> {
    let mut starts = Vec::new();
    for (index, reported) in reported.iter().enumerate() {
        if apply_event(&mut sensors, reported) && board.start_orientation_of(&sensors).is_some() {
            starts.push(index);
        }
    }
    starts
}

/// Applies an event to the fields. Returns whether it concerns them.
fn apply_event(sensors: &mut Sensors, reported: &DelayedEvent) -> bool {
    match reported {
        DelayedEvent::Memory(MemoryEvent::Piece { field, piece, .. }) => drop(sensors.update(*field, *piece)),
        DelayedEvent::Memory(_) => return false,
        DelayedEvent::FullBoard(codes) => sensors.set_by_number(codes),
    }
    true
}

fn position_on_board(board: &BoardModel, turn: Color) -> Option<Position> {
    let placement = board.occupancy().placement(|color| board.variant().geometry.home_row(!color));
    let position = Position::new(board.variant(), Setup { placement, turn });
    position.ok().filter(|_| board.sensors().is_known())
}

/// Returns how much closer White's pieces are to White's side than Black's pieces are, in this orientation.
fn white_is_nearer(board: &BoardModel, orientation: Orientation) -> i64 {
    let geometry = &board.variant().geometry;
    let sight = board.sensors().occupancy_from(orientation);
    let rows =
        |color| sight.squares_of(color).into_iter().map(|square| geometry.row_and_column(square).0 as i64).sum::<i64>();
    let count = |color| sight.squares_of(color).len() as i64;
    rows(Color::White) * count(Color::Black) - rows(Color::Black) * count(Color::White)
}
