//! The published position, and what counts as evidence for the plies that follow it.

use super::anomalies::{Anomalies, AnomalyKind};
use super::occupancy::Occupancy;
use super::squares::{Evidence, SeqNo};
use crate::engine::millis::Millis;
use crate::engine::recognition::tuning::counts;
use draughts::{Color, Move, Piece, Position, Square, SquareSet};

/// A position, and what counts as evidence for the plies that follow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePosition {
    /// The position.
    pub position: Position,
    /// Touches after this moment count, those before belong to what is published.
    pub evidence_start: SeqNo,
    /// Squares that published plies have passed since then.
    pub passed_squares: SquareSet,
}

/// The last published ply, while it may still be taken back.
#[derive(Clone, Debug)]
pub struct PreviousPly {
    /// Where it was played.
    pub base: BasePosition,
    /// The ply.
    pub ply: Move,
}

/// A square that a setup changed though no ply did, and what was there before.
#[derive(Clone, Copy, Debug)]
pub struct SetupDifference {
    /// The square.
    pub square: Square,
    /// The piece that was there.
    pub before: Option<Piece>,
}

/// The rest of an explanation of several plies, while nothing has moved since its first ply was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemainingPlies {
    /// How many plies are left.
    pub plies: usize,
    /// A press has confirmed the explanation: the players of all its plies but the last have given them up.
    pub is_given_up: bool,
}

/// What is published.
#[derive(Clone, Debug)]
pub struct PublishedState {
    base: BasePosition,
    winner: Option<Color>,
    plies: u32,
    is_start_assumed: bool,
    previous: Option<PreviousPly>,
    anomalies: Anomalies,
    /// The pieces too many or too few that the last setup took for real, until plies have passed over them.
    setup_differences: Vec<SetupDifference>,
    /// With the generation of the evidence when the last ply was published.
    remaining_plies: Option<(u64, RemainingPlies)>,
}

impl PublishedState {
    /// A game that stands at a position, so many plies after its start.
    pub fn new(position: Position, plies: u32, since: SeqNo) -> PublishedState {
        PublishedState {
            base: BasePosition { position, evidence_start: since, passed_squares: SquareSet::EMPTY },
            winner: position.winner(),
            plies,
            is_start_assumed: false,
            previous: None,
            anomalies: Anomalies::default(),
            setup_differences: Vec::new(),
            remaining_plies: None,
        }
    }

    /// The position, and what counts as evidence for the next ply.
    pub fn base(&self) -> &BasePosition {
        &self.base
    }

    /// The position after the last entry.
    pub fn position(&self) -> &Position {
        &self.base.position
    }

    /// Who is to move in it.
    pub fn turn(&self) -> Color {
        self.base.position.turn()
    }

    /// Who has won because the other side has no move in it.
    pub fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// Plies of the game so far, hidden ones included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The last ply, while it may still be taken back.
    pub fn previous(&self) -> Option<&PreviousPly> {
        self.previous.as_ref()
    }

    /// The squares that differ from the position for a known reason.
    pub fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    /// What the last setup took for real, and plies have not passed over since.
    pub fn setup_differences(&self) -> &[SetupDifference] {
        &self.setup_differences
    }

    /// The rest of the explanation of the last ply, if nothing has moved since.
    pub fn remaining_plies(&self, evidence: &Evidence) -> Option<RemainingPlies> {
        self.remaining_plies.filter(|(generation, _)| *generation == evidence.generation()).map(|(_, rest)| rest)
    }

    /// Is the position one that the board has not shown?
    pub fn is_assumed(&self) -> bool {
        self.is_start_assumed && self.plies == 0
    }

    /// The squares that contradict the position and are not known anomalies.
    pub fn wrong(&self, evidence: &Evidence) -> SquareSet {
        evidence.contradictions(self.position().placement()) - self.anomalies.squares()
    }

    /// The squares on which hands were seen since then.
    pub fn touched(&self, evidence: &Evidence) -> SquareSet {
        evidence.touched_since(self.base.evidence_start)
    }

    /// Has a colour more pieces on the board than in the position?
    pub fn has_gained(&self, sight: &Occupancy) -> bool {
        Color::BOTH
            .into_iter()
            .any(|color| sight.squares_of(color).len() > self.position().placement().pieces_of(color).len())
    }

    /// Pieces knocked over or being set up anew: a colour has more pieces than it can have, or much is wrong.
    pub fn is_chaos(&self, evidence: &Evidence) -> bool {
        let wrong = self.wrong(evidence);
        let missing = (wrong & self.position().placement().occupied()).len();
        let moved = wrong.len() - missing;
        self.has_gained(evidence.occupancy())
            || wrong.len() > counts::CHAOS_SQUARES
            || missing > moved + counts::MAX_LOST_PIECES
    }

    /// The position of the start is one that the board has not shown.
    pub fn assume_start(&mut self) {
        self.is_start_assumed = true;
    }

    /// A square has changed.
    pub fn change(&mut self, square: Square, moment: SeqNo) {
        self.anomalies.change(square, moment);
    }

    /// The board shows the position: forgets anomalies that are over, and touches of hands that adjusted; `gap`: there may have been
    /// touches that nobody heard of.
    pub fn clear_anomalies(&mut self, evidence: &Evidence, gap: bool) {
        self.anomalies.retain(evidence.contradictions(self.position().placement()));
        if gap || !self.touched(evidence).is_empty() {
            self.set_evidence_start(evidence.next_seq_no(), SquareSet::EMPTY);
        }
    }

    /// Touches count from this moment on.
    pub fn set_evidence_start(&mut self, since: SeqNo, passed: SquareSet) {
        (self.base.evidence_start, self.base.passed_squares) = (since, passed);
    }

    /// A ply is published, the first of an explanation of which this is the rest; these captured pieces and odd squares are wrong
    /// after it.
    pub fn apply_ply(
        &mut self,
        now: Millis,
        ply: Move,
        left: SquareSet,
        odd: SquareSet,
        rest: RemainingPlies,
        evidence: &Evidence,
    ) {
        self.plies += 1;
        self.setup_differences.retain(|doubtful| !ply.squares().contains(doubtful.square));
        for square in left | odd {
            let excuse = if left.contains(square) { AnomalyKind::Leftover } else { AnomalyKind::Mismatch };
            self.anomalies.add(now, square, excuse, self.plies);
        }
        self.remaining_plies = Some((evidence.generation(), rest));
        let base = self.base;
        self.base.passed_squares |= ply.squares();
        self.set_position(base.position.play(&ply));
        self.previous = Some(PreviousPly { base, ply });
    }

    /// Play goes on from another position, so many plies after the start of the game.
    pub fn set_up(&mut self, position: Position, plies: u32, evidence: &Evidence) {
        self.set_position(position);
        self.plies = plies;
        self.previous = None;
        self.set_evidence_start(evidence.next_seq_no(), SquareSet::EMPTY);
        self.setup_differences.clear();
        self.anomalies.set_up(evidence.contradictions(position.placement()));
        self.remaining_plies = None;
    }

    /// The setup took these pieces too many or too few for real.
    pub fn set_setup_differences(&mut self, doubtful: Vec<SetupDifference>) {
        self.setup_differences = doubtful;
    }

    /// What stands on this square does not count, and the players know it.
    pub fn add_anomaly(&mut self, now: Millis, square: Square) {
        self.anomalies.forget(square);
        self.anomalies.add(now, square, AnomalyKind::Leftover, self.plies);
    }

    fn set_position(&mut self, position: Position) {
        self.base.position = position;
        self.winner = position.winner();
    }
}
