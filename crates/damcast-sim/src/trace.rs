//! Simulated game as a list of events that explains each entry of the recorder.
//!
//! ```text
//!    61.204 | 12-18 is touched                  true event
//!    61.310 < 12: empty                         message of the board
//!    61.902 < lever right, running
//!    62.105 > 6... 12-18: Pressed, 1 explained  entry of the recorder, and its reason
//! ```
//!
//! For a board on a bus the list includes its commands (`? SendClock`), except polls for changes and answers without changes.

use damcast_engine::millis::Millis;
use damcast_engine::protocol::changes::{self, MemoryEvent};
use damcast_engine::protocol::{
    BusAddress, BusAnswer, BusCommand, BusDecoder, BusItem, ClockReport, DecodedItem, Decoder, Message, PieceCode,
};
use damcast_engine::session::{Effect, Input, Output};
use draughts::{Geometry, Position, Square};
use draughts_pdn::notation;
use hardware_sim::truth::{Event, PlyId, TruthEntry};

use super::illegal_moves::ScriptPly;
use super::score::Case;

/// Game on one board, with its messages and outputs.
pub struct GameTrace<'a> {
    /// Moves with the positions before them.
    pub steps: &'a [(Position, ScriptPly)],
    /// Events of the simulated game.
    pub truth: &'a [TruthEntry],
    /// Messages of the board.
    pub utterances: Vec<(Millis, BoardUtterance)>,
    /// Outputs of the recorder.
    pub outputs: &'a [Output],
}

/// Message of a board, or command to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoardUtterance {
    /// New contents of one field.
    Field(usize, PieceCode),
    /// Contents of all fields.
    Fields(Vec<PieceCode>),
    /// Reading of the clock.
    Clock(ClockReport),
    /// Any other message, as text.
    Text(String),
    /// Command on a bus.
    Question(BusCommand),
}

/// Returns all events of a game on a board with its own line, line by line, in the order of time.
pub fn chronicle(case: &Case) -> Vec<String> {
    let said = single_board_utterances(&case.record.inputs);
    format_trace(&GameTrace {
        steps: &case.steps,
        truth: case.world.truth(),
        utterances: said,
        outputs: &case.record.outputs,
    })
}

/// Formats a trace line by line, in the order of time.
pub fn format_trace(trace: &GameTrace) -> Vec<String> {
    let Some((start, _)) = trace.steps.first() else { return Vec::new() };
    let geometry = &start.variant().geometry;
    let mut lines: Vec<(Millis, String)> = Vec::new();
    for truth in trace.truth {
        lines.push((Millis(truth.at_ms), format!("| {}", event(trace.steps, geometry, &truth.event))));
    }
    lines.extend(describe_message(&trace.utterances, geometry));
    for output in trace.outputs {
        match &output.effect {
            Effect::Note(text) => lines.push((output.at, format!("> {text}"))),
            Effect::Notice(text) | Effect::Info(text) => lines.push((output.at, format!("> notice: {text}"))),
            _ => {}
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(at, line)| format!("{:9.3} {line}", at.0 as f64 / 1000.0)).collect()
}

fn event(steps: &[(Position, ScriptPly)], geometry: &Geometry, event: &Event) -> String {
    let field = |field: &u8| square(geometry, usize::from(*field));
    match event {
        Event::Touched(ply) => format!("{} is touched", name(steps, *ply)),
        Event::Settled(ply) => format!("{} is complete", name(steps, *ply)),
        Event::Pressed { ply, lever_moved, .. } => {
            let how = if *lever_moved { "is pressed" } else { "is pressed in vain" };
            format!("{} {how}", name(steps, *ply))
        }
        Event::WrongPly(ply) => format!("instead of {} another move is pressed", name(steps, *ply)),
        Event::TakenBack(ply) => format!("the move instead of {} is taken back", name(steps, *ply)),
        Event::IllegalStands(ply) => format!("{} is against the rules", name(steps, *ply)),
        Event::LeftoverRemoved { field: at } => format!("forgotten piece on {} removed", field(at)),
        Event::Irregular { ply, fault, field: at, until_ms } => {
            let ply = ply.map_or(String::new(), |ply| format!(" at {}", name(steps, ply)));
            let at = at.as_ref().map_or(String::new(), |at| format!(" on {}", field(at)));
            format!("! {fault}{ply}{at} until {:.3}", *until_ms as f64 / 1000.0)
        }
        other => format!("{other:?}"),
    }
}

fn name(steps: &[(Position, ScriptPly)], id: PlyId) -> String {
    let text = match steps.get(id.ply) {
        Some((position, ScriptPly::Legal(ply))) => notation::write(position.variant(), ply, &position.legal_moves()),
        Some((position, ScriptPly::Illegal { from, to, .. })) => {
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

/// Returns the messages of a board with its own line.
fn single_board_utterances(inputs: &[(Millis, Input)]) -> Vec<(Millis, BoardUtterance)> {
    let mut decoder = Decoder::new();
    let mut utterances = Vec::new();
    for (at, input) in inputs {
        let Input::Bytes(bytes) = input else { continue };
        for item in bytes.iter().filter_map(|&byte| decoder.push(byte)) {
            match item {
                DecodedItem::Message(Message::FieldUpdate { field, piece }) => {
                    utterances.push((*at, BoardUtterance::Field(usize::from(field.0), piece)));
                }
                DecodedItem::Message(Message::BoardDump(codes)) => {
                    utterances.push((*at, BoardUtterance::Fields(codes)))
                }
                DecodedItem::Message(Message::Clock(report)) => utterances.push((*at, BoardUtterance::Clock(report))),
                _ => {}
            }
        }
    }
    utterances
}

/// Records the commands to one board of a bus, and its messages.
pub struct BusTap {
    board: BusAddress,
    decoder: BusDecoder,
    utterances: Vec<(Millis, BoardUtterance)>,
}

impl BusTap {
    /// Creates an empty tap for a board.
    pub fn new(board: BusAddress) -> BusTap {
        BusTap { board, decoder: BusDecoder::new(), utterances: Vec::new() }
    }

    /// Receives bytes from the boards of the line.
    pub fn receive(&mut self, now: Millis, bytes: &[u8]) {
        for item in bytes.iter().filter_map(|&byte| self.decoder.push(byte)) {
            if let BusItem::Message(message) = item
                && message.from == self.board
            {
                self.utterances.extend(answer_texts(&message.answer).into_iter().map(|said| (now, said)));
            }
        }
    }

    /// Receives bytes to the boards.
    pub fn send(&mut self, now: Millis, bytes: &[u8]) {
        let command = bytes.try_into().ok().and_then(BusCommand::decode).filter(|(_, to)| *to == self.board);
        self.utterances.extend(command.map(|(command, _)| (now, BoardUtterance::Question(command))));
    }

    /// Returns all messages and commands.
    pub fn utterances(self) -> Vec<(Millis, BoardUtterance)> {
        self.utterances
    }
}

/// Splits an answer into its messages.
fn answer_texts(answer: &BusAnswer) -> Vec<BoardUtterance> {
    match answer {
        BusAnswer::Board(codes) | BusAnswer::Board50Black(codes) => vec![BoardUtterance::Fields(codes.clone())],
        BusAnswer::Clock(report) => vec![BoardUtterance::Clock(*report)],
        BusAnswer::Changes(data) if data.is_empty() => vec![BoardUtterance::Text("no changes".to_owned())],
        BusAnswer::Changes(data) => {
            let describe_event = |change: MemoryEvent| match change {
                MemoryEvent::Piece { field, piece, .. } => BoardUtterance::Field(usize::from(field.0), piece),
                MemoryEvent::Time { side, minutes, seconds, .. } => BoardUtterance::Text(
                    format!("pressed on the {side:?} side at {minutes}:{seconds:02}").to_lowercase(),
                ),
                other => BoardUtterance::Text(format!("{other:?}")),
            };
            changes::decode(data).into_iter().map(describe_event).collect()
        }
        other => vec![BoardUtterance::Text(format!("{other:?}"))],
    }
}

/// Describes the messages of the board: reports as they came, of dumps and clock readings only the changes.
fn describe_message(utterances: &[(Millis, BoardUtterance)], geometry: &Geometry) -> Vec<(Millis, String)> {
    let mut lines = Vec::new();
    let mut known: Vec<PieceCode> = Vec::new();
    let mut clock = String::new();
    for (at, utterances) in utterances {
        match utterances {
            BoardUtterance::Field(index, piece) => {
                if let Some(code) = known.get_mut(*index) {
                    *code = *piece;
                }
                lines.push((*at, format!("< {}: {}", square(geometry, *index), piece_name(*piece))));
            }
            BoardUtterance::Fields(codes) => {
                let changed = codes.iter().zip(&known).enumerate().filter(|(_, (new, old))| new != old);
                let news: Vec<String> = changed
                    .map(|(index, (new, _))| format!("{}: {}", square(geometry, index), piece_name(*new)))
                    .collect();
                lines.push((*at, format!("< dump {}", news.join(", "))));
                known.clone_from(codes);
            }
            BoardUtterance::Clock(report) => {
                let news = match report {
                    ClockReport::NoClock => "no clock".to_owned(),
                    ClockReport::Times(times) => {
                        format!("{:?}{}", times.lever(), if times.is_running() { "" } else { ", stopped" })
                    }
                    _ => continue,
                };
                if news != clock {
                    lines.push((*at, format!("< {news}")));
                    clock = news;
                }
            }
            BoardUtterance::Text(words) => lines.push((*at, format!("< {words}"))),
            BoardUtterance::Question(BusCommand::SendChanges) => {}
            BoardUtterance::Question(command) => lines.push((*at, format!("? {command:?}"))),
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
