//! Ground truth of simulated boards, as JSON lines to compare with the recording.
//!
//! | `kind` | contents |
//! |---|---|
//! | `line`, `board` | once at the start: the seed; the address of a board, its games with their moves |
//! | `port` | address of the line; `null` while it is unplugged |
//! | `truth` | actions of people: `event` is ready, clock-started, touched, settled, pressed, ..., game-over |
//! | `fault`, `incident` | fault of the line at a byte; incident of the line or a board |
//! | `over` | nothing more will happen |
//!
//! Times are milliseconds of simulated time; games and plies count from 0, boards from 1.

use draughts_pdn::{fen, notation};
use hardware_sim::bus::BusWorld;
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::line_faults::InjectedFault;
use hardware_sim::truth::{Event, PlyId, TruthEntry};
use serde_json::{Map, Value, json};

use super::games::SourceGame;
use super::scenario::ReadyLine;

/// Returns the initial reports of a line and its boards.
pub fn introduction(line: &ReadyLine, seed: u64, speed: f64) -> Vec<Value> {
    let mut reports = vec![json!({
        "kind": "line", "line": line.name, "boards": line.games.len(), "seed": seed, "speed": speed,
        "end_ms": line.world.end_ms(),
    })];
    for (index, (seat, played)) in line.world.seats().iter().zip(&line.games).enumerate() {
        let options = seat.board().options();
        let address = options.address();
        reports.push(json!({
            "kind": "board", "line": line.name, "board": index + 1,
            "serial": format!("{:05}", options.serial), "long_serial": format!("{:010}", options.long_serial),
            "address": address, "address_bytes": format!("{:02x} {:02x}", address >> 7, address & 0x7f),
            "version": format!("{}.{:02}", options.version.0, options.version.1),
            "rows": options.rows, "cols": options.cols, "turned": options.is_turned,
            "games": played.iter().map(game).collect::<Vec<_>>(),
        }));
    }
    reports
}

fn game(game: &SourceGame) -> Value {
    let mut position = game.start;
    let mut moves = Vec::new();
    for ply in &game.moves {
        moves.push(notation::write(position.variant(), ply, &position.legal_moves()));
        position = position.play(ply);
    }
    let start = fen::write(game.start.variant(), &game.start.setup());
    json!({ "name": game.name, "game_type": game.start.variant().game_type.number(), "start": start, "moves": moves })
}

/// Follows a world and reports new events.
#[derive(Debug)]
pub struct Reporter {
    line: String,
    seen: Vec<usize>,
    incidents: usize,
    strikes: [usize; 2],
    is_over: bool,
}

impl Reporter {
    /// Creates a reporter that has reported nothing of this line.
    pub fn new(line: &str) -> Reporter {
        Reporter { line: line.to_owned(), seen: Vec::new(), incidents: 0, strikes: [0; 2], is_over: false }
    }

    /// Reports the current address of the line.
    pub fn port(&self, world: &BusWorld, port: Option<String>) -> Value {
        json!({ "kind": "port", "line": self.line, "at_ms": world.now_ms(), "port": port })
    }

    /// Returns the events since the last call.
    pub fn take_reports(&mut self, world: &BusWorld) -> Vec<Value> {
        let mut reports = Vec::new();
        self.seen.resize(world.seats().len(), 0);
        for (index, seat) in world.seats().iter().enumerate() {
            for truth in &seat.truth()[self.seen[index]..] {
                reports.push(self.board_report(index, truth));
            }
            self.seen[index] = seat.truth().len();
        }
        for incident in &world.incidents()[self.incidents..] {
            reports.push(self.incident_report(incident));
        }
        self.incidents = world.incidents().len();
        let strikes = [world.to_host().injected_faults(), world.to_boards().injected_faults()];
        for (side, direction) in ["to-host", "to-boards"].into_iter().enumerate() {
            reports
                .extend(strikes[side][self.strikes[side]..].iter().map(|strike| self.fault_report(direction, strike)));
            self.strikes[side] = strikes[side].len();
        }
        if world.is_over() && !std::mem::replace(&mut self.is_over, true) {
            let (host_bytes, board_bytes) = world.traffic();
            reports.push(json!({
                "kind": "over", "line": self.line, "at_ms": world.now_ms(),
                "host_bytes": host_bytes, "board_bytes": board_bytes, "garbled": world.collided_bytes(),
            }));
        }
        reports
    }

    fn board_report(&self, index: usize, truth: &TruthEntry) -> Value {
        let mut value = json!({ "kind": "truth", "line": self.line, "board": index + 1, "at_ms": truth.at_ms });
        if let Some(fields) = value.as_object_mut() {
            describe(&truth.event, fields);
        }
        value
    }

    fn fault_report(&self, direction: &str, strike: &InjectedFault) -> Value {
        json!({
            "kind": "fault", "line": self.line, "at_ms": strike.at_us / 1000, "direction": direction,
            "byte": strike.index, "fault": strike.fault.as_str(),
        })
    }

    fn incident_report(&self, incident: &Incident) -> Value {
        let (what, board) = match incident.kind {
            IncidentKind::Unplug => ("unplug", None),
            IncidentKind::Plug => ("plug", None),
            IncidentKind::LinkDead => ("silence", None),
            IncidentKind::LinkRestored => ("sound", None),
            IncidentKind::PowerOff(board) => ("power-off", Some(board)),
            IncidentKind::PowerOn(board) => ("power-on", Some(board)),
            IncidentKind::BoardDisconnected(board) => ("away", Some(board)),
            IncidentKind::BoardConnected(board) => ("back", Some(board)),
            IncidentKind::Watchdog(board) => ("watchdog", Some(board)),
            IncidentKind::NoiseBurst(_) => ("babble", None),
            IncidentKind::LineHeldLow => ("hold", None),
            IncidentKind::LineReleased => ("release", None),
            IncidentKind::HostBlocked => ("deafen", None),
            IncidentKind::HostUnblocked => ("hear", None),
        };
        let board = board.map(|board| board + 1);
        json!({ "kind": "incident", "line": self.line, "at_ms": incident.at_ms, "what": what, "board": board })
    }
}

fn describe(event: &Event, fields: &mut Map<String, Value>) {
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    let mut of = |event: &str, game: Option<usize>, ply: Option<PlyId>| {
        put("event", event.into());
        if let Some(game) = game.or(ply.map(|ply| ply.game)) {
            put("game", game.into());
        }
        if let Some(ply) = ply {
            put("ply", ply.ply.into());
        }
    };
    match *event {
        Event::Ready { game } => of("ready", Some(game), None),
        Event::ClockStarted { game } => of("clock-started", Some(game), None),
        Event::Touched(ply) => of("touched", None, Some(ply)),
        Event::Settled(ply) => of("settled", None, Some(ply)),
        Event::Pressed { ply, clocks, lever_moved } => {
            of("pressed", None, Some(ply));
            put("lever_moved", lever_moved.into());
            if let Some(clocks) = clocks {
                put("white_ms", clocks.white_ms.into());
                put("black_ms", clocks.black_ms.into());
            }
        }
        Event::WrongPly(ply) => of("wrong-ply", None, Some(ply)),
        Event::TakenBack(ply) => of("taken-back", None, Some(ply)),
        Event::IllegalStands(ply) => of("illegal-stands", None, Some(ply)),
        Event::LeftoverRemoved { field } => {
            of("leftover-removed", None, None);
            put("field", field.into());
        }
        Event::Irregular { ply, fault, field, until_ms } => {
            of("irregular", None, ply);
            put("fault", fault.as_str().into());
            put("field", field.into());
            put("until_ms", until_ms.into());
        }
        Event::GameOver { game } => of("game-over", Some(game), None),
        Event::ClockStopped { game } => of("clock-stopped", Some(game), None),
        Event::PiecesReset { game } => of("pieces-reset", Some(game), None),
    }
}
