//! Converts inputs to log records and back; the only place that defines the meaning of a record to a line.

use super::Input;
use super::request::RequestError;
use crate::bytelog::RecordKind;

impl Input {
    /// Returns the input of a record that holds a single one (see [`crate::bytelog::Record::expand`]). `None`: a replay
    /// skips the record.
    ///
    /// # Errors
    ///
    /// Returns the error of a request that cannot be parsed. A station refuses it before logging; in other logs it counts as a
    /// tick.
    pub fn from_record(kind: &RecordKind) -> Result<Option<Input>, RequestError> {
        Ok(match kind {
            RecordKind::FromBoard(bytes) => Some(Input::Bytes(bytes.clone())),
            RecordKind::LinkUp => Some(Input::LinkUp),
            RecordKind::LinkDown => Some(Input::LinkDown),
            RecordKind::Operator(request) => Some(Input::Request(request.parse()?)),
            RecordKind::Tick => Some(Input::Tick),
            RecordKind::ClockSet(shown) => Some(Input::ClockSet(*shown)),
            RecordKind::ToBoard(_) | RecordKind::Note(_) | RecordKind::IdleAnswers(_) | RecordKind::Other(..) => None,
        })
    }

    /// Returns the record of an input; [`Input::from_record`] reverses this.
    pub fn to_record(&self) -> RecordKind {
        match self {
            Input::Bytes(bytes) => RecordKind::FromBoard(bytes.clone()),
            Input::LinkUp => RecordKind::LinkUp,
            Input::LinkDown => RecordKind::LinkDown,
            Input::Request(request) => RecordKind::Operator(request.to_string()),
            Input::Tick => RecordKind::Tick,
            Input::ClockSet(shown) => RecordKind::ClockSet(*shown),
        }
    }
}
