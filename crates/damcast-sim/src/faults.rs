//! Faults as written on a command line or in a scenario: names, rates, and single bytes.
//!
//! | written | means |
//! |---|---|
//! | `flip` | the line flips bits, at a rate that is common for a bad line |
//! | `flip=0.01` | one byte in a hundred |
//! | `to-boards:lose=0.01` | on the way from the host to the boards |
//! | `lose@120`, `flip@120:7` | at the byte of index 120, counted from 0; flip its bit 7 |
//! | `slide=0.4` | a fault of the hands, of a board's own cable or of a clock (`boardsim score --fault all` names them) |
//! | `line` | every fault of a line, each at its common rate |

use std::fmt;

use hardware_sim::faults::Fault;
use hardware_sim::line_faults::{LineFault, LineFaults};
use hardware_sim::profile::NoiseProfile;

/// Requested fault.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultSpec {
    /// Fault of the line at a rate.
    Line {
        /// Whether the fault affects bytes to the boards instead of bytes from them.
        to_boards: bool,
        /// Kind of fault.
        fault: LineFault,
        /// Rate per byte, answer or opening.
        rate: f64,
    },
    /// Fault of the line at one byte.
    Byte {
        /// Whether the fault affects bytes to the boards instead of bytes from them.
        to_boards: bool,
        /// Kind of fault.
        fault: LineFault,
        /// Index of the byte, from 0.
        index: u64,
        /// Affected bit, byte or number.
        detail: Option<u8>,
    },
    /// Fault of people and equipment at a rate.
    Hands(Fault, f64),
    /// Every fault of a line, at its common rate.
    WholeLine,
}

/// Error for a fault that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error(
    "fault {text:?}: {message}; write NAME, NAME=RATE (0 to 1) or NAME@BYTE, with to-boards: before it for the other direction"
)]
pub struct FaultError {
    text: String,
    message: String,
}

/// Default rate of a line fault: that of a bad line that still works.
pub fn common_rate(fault: LineFault) -> f64 {
    match fault {
        LineFault::Cut | LineFault::Delay => 0.0001,
        LineFault::WrongChecksum => 0.01,
        LineFault::GarbageAtOpen => 1.0,
        _ => 0.0005,
    }
}

/// Default rate of a fault of people and equipment: that of blitz, five times that for rare faults, and a fixed rate for faults that
/// blitz does not have.
pub fn usual_rate(fault: Fault) -> f64 {
    const COMMON_RATE: f64 = 0.05;
    const UNKNOWN_FAULT: f64 = 0.02;
    match NoiseProfile::blitz().rate(fault) {
        0.0 => UNKNOWN_FAULT,
        rate if rate > COMMON_RATE => rate,
        rate => 5.0 * rate,
    }
}

impl std::str::FromStr for FaultSpec {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<FaultSpec, FaultError> {
        let wrong = |problem: &dyn fmt::Display| FaultError { text: text.to_owned(), message: problem.to_string() };
        if text == "line" {
            return Ok(FaultSpec::WholeLine);
        }
        let (to_boards, rest) = text.strip_prefix("to-boards:").map_or((false, text), |rest| (true, rest));
        if let Some((name, place)) = rest.split_once('@') {
            let fault = name.parse().map_err(|error| wrong(&error))?;
            if fault >= LineFault::WrongChecksum {
                return Err(wrong(&"it cannot be put at a byte"));
            }
            let (index, detail) = place.split_once(':').map_or((place, None), |(index, detail)| (index, Some(detail)));
            let index = index.parse().map_err(|error| wrong(&error))?;
            let detail = detail.map(str::parse).transpose().map_err(|error| wrong(&error))?;
            return Ok(FaultSpec::Byte { to_boards, fault, index, detail });
        }
        let (name, rate) = rest.split_once('=').map_or((rest, None), |(name, rate)| (name, Some(rate)));
        let rate: Option<f64> = rate.map(str::parse).transpose().map_err(|error| wrong(&error))?;
        if rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
            return Err(wrong(&"the rate is not between 0 and 1"));
        }
        match (name.parse::<LineFault>(), name.parse::<Fault>()) {
            (Ok(fault), _) => {
                Ok(FaultSpec::Line { to_boards, fault, rate: rate.unwrap_or_else(|| common_rate(fault)) })
            }
            (_, Ok(fault)) if !to_boards => Ok(FaultSpec::Hands(fault, rate.unwrap_or_else(|| usual_rate(fault)))),
            (Err(error), _) => Err(wrong(&error)),
        }
    }
}

impl FaultSpec {
    /// Adds the fault to the line or to the hands.
    pub fn apply(&self, to_host: &mut LineFaults, to_boards: &mut LineFaults, hands: &mut NoiseProfile) {
        let mut set = |boards: bool, change: &dyn Fn(LineFaults) -> LineFaults| {
            let faults = if boards { &mut *to_boards } else { &mut *to_host };
            *faults = change(std::mem::take(faults));
        };
        match *self {
            FaultSpec::Line { to_boards, fault, rate } => set(to_boards, &|faults| faults.with_rate(fault, rate)),
            FaultSpec::Byte { to_boards, fault, index, detail } => {
                set(to_boards, &|faults| faults.with_scripted(index, fault, detail))
            }
            FaultSpec::Hands(fault, rate) => hands.set_rate(fault, rate),
            FaultSpec::WholeLine => {
                let all = |faults| {
                    LineFault::all().fold(faults, |sum: LineFaults, fault| sum.with_rate(fault, common_rate(fault)))
                };
                set(false, &all);
                set(true, &all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_faults() {
        let read = |text: &str| text.parse::<FaultSpec>().unwrap();
        assert_eq!(read("flip=0.25"), FaultSpec::Line { to_boards: false, fault: LineFault::Flip, rate: 0.25 });
        assert_eq!(read("to-boards:cut"), FaultSpec::Line { to_boards: true, fault: LineFault::Cut, rate: 0.0001 });
        let byte = FaultSpec::Byte { to_boards: false, fault: LineFault::Flip, index: 120, detail: Some(7) };
        assert_eq!(read("flip@120:7"), byte);
        assert_eq!(read("slide=0.4"), FaultSpec::Hands(Fault::Slide, 0.4));
        for wrong in ["rain", "flip=2", "flip=x", "flip@x", "wrong-checksum@3", "to-boards:slide"] {
            assert!(wrong.parse::<FaultSpec>().is_err(), "{wrong}");
        }
    }
}
