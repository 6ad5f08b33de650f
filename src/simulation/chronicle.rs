//! One simulated game as a list of what happened: for whoever wants to know why the recorder wrote what it wrote.
//!
//! ```text
//!    61.204 | 12-18 is touched                  what truly happened
//!    61.310 < 12: empty                         what the board said
//!    61.902 < lever right, running
//!    62.105 > 6... 12-18: Pressed, 1 explained  what the recorder wrote, and why
//! ```

use hardware_sim::truth::{Event, PlyId};

use super::misplay::Step;
use super::score::Case;
use crate::millis::Millis;
use crate::pdn::notation;
use crate::protocol::{ClockReport, Decoder, Item, Message, PieceCode};
use crate::rules::{Geometry, Square};
use crate::session::{Effect, Input};

/// Everything that happened in a case, line by line, in the order of time.
pub fn chronicle(case: &Case) -> Vec<String> {
    let Some((start, _)) = case.steps.first() else { return Vec::new() };
    let geometry = &start.variant().geometry;
    let mut lines: Vec<(Millis, String)> = Vec::new();
    for truth in case.world.truth() {
        lines.push((Millis(truth.at_ms), format!("| {}", event(case, geometry, &truth.event))));
    }
    lines.extend(heard(case, geometry));
    for output in &case.record.outputs {
        match &output.effect {
            Effect::Note(text) => lines.push((output.at, format!("> {text}"))),
            Effect::Notice(text) => lines.push((output.at, format!("> notice: {text}"))),
            _ => {}
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(at, line)| format!("{:9.3} {line}", at.0 as f64 / 1000.0)).collect()
}

fn event(case: &Case, geometry: &Geometry, event: &Event) -> String {
    let field = |field: &u8| square(geometry, usize::from(*field));
    match event {
        Event::Touched(ply) => format!("{} is touched", name(case, *ply)),
        Event::Settled(ply) => format!("{} is complete", name(case, *ply)),
        Event::Pressed { ply, lever_moved, .. } => {
            let how = if *lever_moved { "is pressed" } else { "is pressed in vain" };
            format!("{} {how}", name(case, *ply))
        }
        Event::WrongPly(ply) => format!("instead of {} another move is pressed", name(case, *ply)),
        Event::TakenBack(ply) => format!("the move instead of {} is taken back", name(case, *ply)),
        Event::IllegalStands(ply) => format!("{} is against the rules", name(case, *ply)),
        Event::LeftoverRemoved { field: at } => format!("forgotten piece on {} removed", field(at)),
        Event::Irregular { ply, fault, field: at, until_ms } => {
            let ply = ply.map_or(String::new(), |ply| format!(" at {}", name(case, ply)));
            let at = at.as_ref().map_or(String::new(), |at| format!(" on {}", field(at)));
            format!("! {fault}{ply}{at} until {:.3}", *until_ms as f64 / 1000.0)
        }
        other => format!("{other:?}"),
    }
}

fn name(case: &Case, id: PlyId) -> String {
    let text = match case.steps.get(id.ply) {
        Some((position, Step::Legal(ply))) => notation::write(position.variant(), ply, &position.legal_moves()),
        Some((position, Step::Illegal { from, to, .. })) => {
            let geometry = &position.variant().geometry;
            format!("{}-{}", geometry.name(*from), geometry.name(*to))
        }
        None => "?".to_owned(),
    };
    format!("ply {} {text}", id.ply)
}

fn square(geometry: &Geometry, field: usize) -> String {
    let square: Option<Square> = geometry.square_at(field / geometry.width(), field % geometry.width());
    square.map_or_else(|| format!("field {field}"), |square| geometry.name(square).to_owned())
}

/// What the board said: reports as they came, of dumps and clock readings only the news.
fn heard(case: &Case, geometry: &Geometry) -> Vec<(Millis, String)> {
    let mut lines = Vec::new();
    let mut decoder = Decoder::new();
    let mut known: Vec<PieceCode> = Vec::new();
    let mut clock = String::new();
    for (at, input) in &case.record.inputs {
        let Input::Bytes(bytes) = input else { continue };
        for item in bytes.iter().filter_map(|&byte| decoder.push(byte)) {
            match item {
                Item::Message(Message::FieldUpdate { field, piece }) => {
                    let index = usize::from(field.0);
                    if let Some(code) = known.get_mut(index) {
                        *code = piece;
                    }
                    lines.push((*at, format!("< {}: {}", square(geometry, index), piece_name(piece))));
                }
                Item::Message(Message::BoardDump(codes)) => {
                    let changed = codes.iter().zip(&known).enumerate().filter(|(_, (new, old))| new != old);
                    let news: Vec<String> = changed
                        .map(|(index, (new, _))| format!("{}: {}", square(geometry, index), piece_name(*new)))
                        .collect();
                    lines.push((*at, format!("< dump {}", news.join(", "))));
                    known = codes;
                }
                Item::Message(Message::Clock(report)) => {
                    let news = match report {
                        ClockReport::NoClock => "no clock".to_owned(),
                        ClockReport::Times(times) => {
                            format!("{:?}{}", times.lever(), if times.running() { "" } else { ", stopped" })
                        }
                        _ => continue,
                    };
                    if news != clock {
                        lines.push((*at, format!("< {news}")));
                        clock = news;
                    }
                }
                _ => {}
            }
        }
    }
    lines
}

fn piece_name(code: PieceCode) -> String {
    match code.0 {
        0 => "empty".to_owned(),
        1 => "white".to_owned(),
        4 => "black".to_owned(),
        7 => "white king".to_owned(),
        10 => "black king".to_owned(),
        other => format!("code {other}"),
    }
}
