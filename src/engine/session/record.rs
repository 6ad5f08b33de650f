//! Inputs as records of a log, and back: the one place that says what a record means to a line.

use super::Input;
use super::request::RequestError;
use crate::engine::bytelog::RecordKind;

impl Input {
    /// The input that a record is, if nothing is packed into it ([`crate::engine::bytelog::Record::expand`]). `None`: a replay passes
    /// over it.
    ///
    /// # Errors
    ///
    /// A request that cannot be read. A station refuses it before it logs it; in other logs it counts as nothing but time.
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

    /// The record of an input, from which [`Input::from_record`] makes it again.
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
