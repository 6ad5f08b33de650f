//! A board without electronics: people enter its moves, so it has no port and receives requests alone.

use chrono::{DateTime, FixedOffset};

use super::hold::{PublicationHold, RotationRequest};
use super::request::{OperatorCommand, Request, Target};
use super::table::{Attention, Table};
use super::wait::LineWait;
use super::{Effect, LineSettings, Output, Status};
use crate::millis::Millis;

/// Board without electronics.
#[derive(Clone, Debug)]
pub struct EntryBoard {
    table: Table,
    hold: PublicationHold,
    rotation_request: RotationRequest,
}

impl EntryBoard {
    /// Creates a board without a game.
    pub fn new(settings: LineSettings) -> EntryBoard {
        let (hold, rotation_request) = (PublicationHold::default(), RotationRequest::default());
        EntryBoard { table: Table::new(settings), hold, rotation_request }
    }

    /// Returns the games.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Whether a game is running whose file is incomplete or yet to be opened.
    pub fn has_open_game(&self) -> bool {
        self.table.has_open_game() || self.table.has_pending_entry()
    }

    /// Whether the operator requested new logs.
    pub fn rotation_requested(&self) -> bool {
        self.rotation_request.is_pending()
    }

    /// Whether the line can restart without losing any part of a game.
    pub fn can_restart(&self) -> bool {
        self.table.attention() == Attention::Idle && !self.hold.is_holding()
    }

    /// Returns the state for people.
    pub fn status(&self) -> Status {
        let status = Status { is_admitted: true, is_held: self.hold.is_holding(), ..self.table.status() };
        let state = if status.is_held { format!("held back: {}", status.state) } else { status.state };
        Status { state, ..status }
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.table.set_clock(at, shown);
    }

    /// Handles an operator's request.
    pub fn request(&mut self, now: Millis, request: &Request, outputs: &mut Vec<Output>) {
        let effects = match &request.command {
            _ if request.target != Target::OnlyBoard => {
                vec![Effect::Refused(format!("request `{request}`: this line has one board; leave the address away"))]
            }
            OperatorCommand::Rotate => vec![self.rotation_request.set()],
            OperatorCommand::HoldPublication => self.hold.begin(),
            OperatorCommand::ReleasePublication => self.hold.release(),
            OperatorCommand::StartFromMemory
            | OperatorCommand::GameLookup(_)
            | OperatorCommand::Resync(_)
            | OperatorCommand::Flip => {
                vec![Effect::Refused("this board has no electronics: its moves are entered by hand".to_owned())]
            }
            wish => self.table.request(now, wish),
        };
        self.push_effects(now, effects, outputs);
    }

    /// Returns the time of the next [`EntryBoard::decide`] and the reason.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        self.table.deadline()
    }

    /// Runs due decisions.
    pub fn decide(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        let effects = self.table.decide(now);
        self.push_effects(now, effects, outputs);
    }

    fn push_effects(&mut self, at: Millis, effects: Vec<Effect>, outputs: &mut Vec<Output>) {
        outputs.extend(self.hold.filter(effects).into_iter().map(|effect| Output { at, board: None, effect }));
    }
}
