//! Simple recorders on the same boards, as baselines for this program.
//!
//! | rule | publishes a ply | publishes a setup |
//! |---|---|---|
//! | [`BaselineRule::Naive`] | the moment the squares show a legal successor | when nothing has explained them for 3 s |
//! | [`BaselineRule::WaitAndDump`] | when a dump after 250 ms of quiet shows a legal successor | as above, from a dump |
//!
//! Neither uses the clock or the order of events, and neither looks more than one ply ahead, as in programs that commit moves live.
//! Without setups they would record nothing after the first irregularity.
//!
//! A start position after some plies ends the game, so that moves of a later game do not count against the rules.

use std::fmt;

use damcast_engine::livefile::{Entry, EntryKind};
use damcast_engine::millis::Millis;
use damcast_engine::protocol::{Command, DecodedItem, Decoder, Message, PieceCode};
use damcast_engine::recognition::{Occupancy, SensedPiece};
use damcast_engine::session::request::{OperatorCommand, Request};
use damcast_engine::session::{Effect, Input, Output};
use draughts::{Color, Geometry, Position, Setup, Square, Variant};
use draughts_pdn::fen;

use super::drive::RecorderDriver;

/// Quiet time after which [`BaselineRule::WaitAndDump`] requests a dump.
const QUIET_TIME: Millis = Millis(250);
/// Time without a legal explanation after which the squares become a setup.
const MAX_UNEXPLAINED: Millis = Millis(3_000);
/// Field numbers have seven bits; larger boards number their playing squares.
const MAX_FIELD_NUMBERS: usize = 128;

/// Condition under which a ply is published.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BaselineRule {
    /// Immediately.
    Naive,
    /// After a quarter of a second of quiet and a dump of the board.
    WaitAndDump,
}

impl BaselineRule {
    /// All rules.
    pub const ALL: [BaselineRule; 2] = [BaselineRule::Naive, BaselineRule::WaitAndDump];
}

impl fmt::Display for BaselineRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            BaselineRule::Naive => "naive",
            BaselineRule::WaitAndDump => "250 ms + dump",
        })
    }
}

/// Recorder with one of these rules.
#[derive(Debug)]
pub struct BaselineRecorder {
    rule: BaselineRule,
    variant: &'static Variant,
    decoder: Decoder,
    /// Position after the published entries; `None` before the first game and after the last.
    base: Option<Position>,
    plies: usize,
    occupancy: Occupancy,
    last_change: Millis,
    /// Whether a dump must be requested.
    dump_due: bool,
    /// Whether the squares may still become a setup.
    setup_due: bool,
}

impl BaselineRecorder {
    /// Creates a recorder without any input.
    pub fn new(variant: &'static Variant, rule: BaselineRule) -> BaselineRecorder {
        BaselineRecorder {
            rule,
            variant,
            decoder: Decoder::new(),
            base: None,
            plies: 0,
            occupancy: Occupancy::default(),
            last_change: Millis::ZERO,
            dump_due: false,
            setup_due: false,
        }
    }

    fn on_message(&mut self, now: Millis, message: &Message, outputs: &mut Vec<Output>) {
        match message {
            Message::FieldUpdate { field, piece } => {
                let Some(square) = self.square(usize::from(field.0)) else { return };
                self.observe(now, square, *piece);
                if self.rule == BaselineRule::Naive {
                    self.publish_plies(now, outputs);
                }
            }
            Message::BoardDump(codes) => {
                let before = self.occupancy;
                for (index, code) in codes.iter().enumerate() {
                    if let Some(square) = square_at(&self.variant.geometry, index) {
                        self.observe(now, square, *code);
                    }
                }
                self.begin_or_end();
                if self.rule == BaselineRule::Naive || before == self.occupancy {
                    self.publish_plies(now, outputs);
                }
            }
            _ => {}
        }
    }

    fn square(&self, number: usize) -> Option<Square> {
        let geometry = &self.variant.geometry;
        let fields = geometry.width() * geometry.height();
        let index = if fields > MAX_FIELD_NUMBERS {
            (0..fields).filter(|&index| square_at(geometry, index).is_some()).nth(number)?
        } else {
            number
        };
        square_at(geometry, index)
    }

    fn observe(&mut self, now: Millis, square: Square, code: PieceCode) {
        let seen = match code.0 {
            1 => Some(SensedPiece { color: Color::White, is_king: false }),
            4 => Some(SensedPiece { color: Color::Black, is_king: false }),
            7 => Some(SensedPiece { color: Color::White, is_king: true }),
            10 => Some(SensedPiece { color: Color::Black, is_king: true }),
            _ => None,
        };
        if self.occupancy.get(square) != seen {
            self.occupancy.put(square, seen);
            self.last_change = now;
            self.dump_due = self.rule == BaselineRule::WaitAndDump;
            self.setup_due = true;
        }
    }

    fn begin_or_end(&mut self) {
        let start = Position::start(self.variant);
        if self.occupancy.differs_from_placement(start.placement()).is_empty() {
            // A start position after some plies ends the game.
            self.base = (self.plies == 0).then_some(start);
        }
    }

    /// Publishes the plies that the squares show.
    fn publish_plies(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        while let Some(base) = self.base {
            if self.occupancy.differs_from_placement(base.placement()).is_empty() {
                self.setup_due = false;
                return;
            }
            let legal = base.legal_moves();
            let shows =
                |ply: &&draughts::Move| self.occupancy.differs_from_placement(base.play(ply).placement()).is_empty();
            let Some(ply) = legal.iter().find(shows) else { return };
            outputs.push(published(now, EntryKind::Ply { position: base, ply: ply.clone() }));
            self.base = Some(base.play(ply));
            self.plies += 1;
        }
    }

    fn set_up(&mut self, now: Millis, outputs: &mut Vec<Output>) {
        self.setup_due = false;
        let Some(base) = self.base.filter(|_| self.plies > 0) else { return };
        let arrived = |color: Color| (self.occupancy.squares_of(color) - base.placement().pieces_of(color)).len();
        let turn = match arrived(Color::White).cmp(&arrived(Color::Black)) {
            std::cmp::Ordering::Greater => Color::Black,
            std::cmp::Ordering::Less => Color::White,
            std::cmp::Ordering::Equal => !base.turn(),
        };
        let placement = self.occupancy.placement(|color| {
            let known_kings = base.placement().pieces_of(color) & base.placement().kings();
            known_kings | self.variant.geometry.home_row(!color)
        });
        let Ok(position) = Position::new(self.variant, Setup { placement, turn }) else { return };
        outputs.push(published(now, EntryKind::Setup(position)));
        self.base = Some(position);
    }

    fn setup_due_at(&self) -> Option<Millis> {
        (self.setup_due && self.base.is_some()).then(|| self.last_change + MAX_UNEXPLAINED)
    }

    fn dump_due_at(&self) -> Option<Millis> {
        self.dump_due.then(|| self.last_change + QUIET_TIME)
    }
}

impl RecorderDriver for BaselineRecorder {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        let ask = |command: Command| Output { at: now, board: None, effect: Effect::Send(command.encode()) };
        match input {
            Input::LinkUp => outputs.extend([Command::SendUpdateNice, Command::SendBoard].map(ask)),
            Input::LinkDown => self.decoder = Decoder::new(),
            Input::Request(Request { command: OperatorCommand::Start(Some(text)), .. }) => {
                let position =
                    fen::read(self.variant, &text).ok().and_then(|setup| Position::new(self.variant, setup).ok());
                self.base = position.or(self.base);
            }
            Input::Bytes(bytes) => {
                for item in self.decoder.feed(&bytes) {
                    if let DecodedItem::Message(message) = item {
                        self.on_message(now, &message, &mut outputs);
                    }
                }
            }
            Input::Request(_) | Input::Tick | Input::ClockSet(_) => {}
        }
        if self.dump_due_at().is_some_and(|at| at <= now) {
            self.dump_due = false;
            outputs.push(ask(Command::SendBoard));
        }
        if self.setup_due_at().is_some_and(|at| at <= now) {
            self.set_up(now, &mut outputs);
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        [self.dump_due_at(), self.setup_due_at()].into_iter().flatten().min()
    }
}

/// Returns the square of a field, on a board that is not turned.
fn square_at(geometry: &Geometry, index: usize) -> Option<Square> {
    let (row, column) = (index / geometry.width(), index % geometry.width());
    (row < geometry.height()).then(|| geometry.square_at(row, column)).flatten()
}
fn published(at: Millis, step: EntryKind) -> Output {
    Output { at, board: None, effect: Effect::Entry { entry: Box::new(Entry::new(step)), reason: None } }
}
