//! Inputs as records of a log, and back: the one place that says what a record means to a line.

use super::Input;
use super::request::RequestError;
use crate::engine::bytelog::Kind;

impl Input {
    /// The input that a record is, if nothing is packed into it ([`crate::engine::bytelog::Record::unpacked`]). `None`: a replay passes
    /// over it.
    ///
    /// # Errors
    ///
    /// A request that cannot be read. A station refuses it before it logs it; in other logs it counts as nothing but time.
    pub fn from_record(kind: &Kind) -> Result<Option<Input>, RequestError> {
        Ok(match kind {
            Kind::FromBoard(bytes) => Some(Input::Bytes(bytes.clone())),
            Kind::LinkUp => Some(Input::LinkUp),
            Kind::LinkDown => Some(Input::LinkDown),
            Kind::Operator(request) => Some(Input::Request(request.parse()?)),
            Kind::Tick => Some(Input::Tick),
            Kind::ClockSet(shown) => Some(Input::ClockSet(*shown)),
            Kind::ToBoard(_) | Kind::Note(_) | Kind::Unchanged(_) | Kind::Other(..) => None,
        })
    }

    /// The record of an input, from which [`Input::from_record`] makes it again.
    pub fn to_record(&self) -> Kind {
        match self {
            Input::Bytes(bytes) => Kind::FromBoard(bytes.clone()),
            Input::LinkUp => Kind::LinkUp,
            Input::LinkDown => Kind::LinkDown,
            Input::Request(request) => Kind::Operator(request.to_string()),
            Input::Tick => Kind::Tick,
            Input::ClockSet(shown) => Kind::ClockSet(*shown),
        }
    }
}
