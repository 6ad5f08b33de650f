//! Published position, and the evidence that counts for the plies after it.

use std::collections::VecDeque;

use draughts::{Color, Move, Piece, Position, Square, SquareSet};

use super::anomalies::{Anomalies, AnomalyKind};
use super::occupancy::Occupancy;
use super::squares::{Evidence, SeqNo};
use crate::millis::Millis;
use crate::recognition::tuning::counts;

/// Position, and the evidence that counts for the plies after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePosition {
    /// Position on the board.
    pub position: Position,
    /// Start of the evidence: later touches count, earlier ones belong to published entries.
    pub evidence_start: SeqNo,
    /// Squares passed by published plies since then.
    pub passed_squares: SquareSet,
}

/// Last published ply, while it may still be taken back.
#[derive(Clone, Debug)]
pub struct PreviousPly {
    /// Position before the ply.
    pub base: BasePosition,
    /// Published ply.
    pub ply: Move,
}

/// Square changed by a setup but not by a ply, with its previous piece.
#[derive(Clone, Copy, Debug)]
pub struct SetupDifference {
    /// Square changed by the setup.
    pub square: Square,
    /// Piece on the square before the setup.
    pub before: Option<Piece>,
}

/// Rest of an explanation of several plies, while the board is unchanged since its first ply was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemainingPlies {
    /// Number of remaining plies.
    pub plies: usize,
    /// Whether a press has confirmed the explanation: all its plies but the last are committed.
    pub is_given_up: bool,
    /// Whether one press confirmed three plies or more, so that it may belong to the first of them.
    pub shares_press: bool,
}

/// Published state of the game.
#[derive(Clone, Debug)]
pub struct PublishedState {
    base: BasePosition,
    winner: Option<Color>,
    plies: u32,
    is_start_assumed: bool,
    previous: Option<PreviousPly>,
    /// Earlier positions with their ply numbers, latest last.
    earlier: VecDeque<(Position, u32)>,
    anomalies: Anomalies,
    /// Pieces too many or too few that the last setup accepted, until plies pass over them.
    setup_differences: Vec<SetupDifference>,
    /// Rest of the explanation, after the generation of the evidence when the last ply was published.
    remaining_plies: Option<(u64, RemainingPlies)>,
}

impl PublishedState {
    /// Creates the state of a game at a position, `plies` plies after its start.
    pub fn new(position: Position, plies: u32, since: SeqNo) -> PublishedState {
        PublishedState {
            base: BasePosition { position, evidence_start: since, passed_squares: SquareSet::EMPTY },
            winner: position.winner(),
            plies,
            is_start_assumed: false,
            previous: None,
            earlier: VecDeque::new(),
            anomalies: Anomalies::default(),
            setup_differences: Vec::new(),
            remaining_plies: None,
        }
    }

    /// Returns the position, and the evidence that counts for the next ply.
    pub fn base(&self) -> &BasePosition {
        &self.base
    }

    /// Returns the position after the last entry.
    pub fn position(&self) -> &Position {
        &self.base.position
    }

    /// Returns the side to move in that position.
    pub fn turn(&self) -> Color {
        self.base.position.turn()
    }

    /// Returns the winner if the other side has no move in that position.
    pub fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// Returns the number of plies in the game so far, including hidden ones.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the last ply, while it may still be taken back.
    pub fn previous(&self) -> Option<&PreviousPly> {
        self.previous.as_ref()
    }

    /// Returns the latest earlier position with this side to move that the squares show, and its ply number.
    pub fn earlier_position(&self, sight: &Occupancy, turn: Color) -> Option<(Position, u32)> {
        let is_shown = |(position, _): &&(Position, u32)| {
            position.turn() == turn && sight.differs_from_placement(position.placement()).is_empty()
        };
        self.earlier.iter().rev().find(is_shown).copied()
    }

    /// Returns the squares that differ from the position for a known reason.
    pub fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    /// Returns the differences that the last setup accepted and no ply has passed over since.
    pub fn setup_differences(&self) -> &[SetupDifference] {
        &self.setup_differences
    }

    /// Returns the rest of the last explanation, if the board is unchanged since.
    pub fn remaining_plies(&self, evidence: &Evidence) -> Option<RemainingPlies> {
        self.remaining_plies.filter(|(generation, _)| *generation == evidence.generation()).map(|(_, rest)| rest)
    }

    /// Whether the position is assumed because the board has not shown it.
    pub fn is_assumed(&self) -> bool {
        self.is_start_assumed && self.plies == 0
    }

    /// Returns the squares that contradict the position and are not known anomalies.
    pub fn wrong(&self, evidence: &Evidence) -> SquareSet {
        evidence.contradictions(self.position().placement()) - self.anomalies.squares()
    }

    /// Returns the squares touched since the start of the evidence.
    pub fn touched(&self, evidence: &Evidence) -> SquareSet {
        evidence.touched_since(self.base.evidence_start)
    }

    /// Whether a colour has more pieces on the board than in the position.
    pub fn has_gained(&self, sight: &Occupancy) -> bool {
        Color::BOTH
            .into_iter()
            .any(|color| sight.squares_of(color).len() > self.position().placement().pieces_of(color).len())
    }

    /// Whether pieces were knocked over or are being set up: a colour has too many pieces, or many squares are wrong.
    pub fn is_chaos(&self, evidence: &Evidence) -> bool {
        let wrong = self.wrong(evidence);
        let missing = (wrong & self.position().placement().occupied()).len();
        let moved = wrong.len() - missing;
        self.has_gained(evidence.occupancy())
            || wrong.len() > counts::CHAOS_SQUARES
            || missing > moved + counts::MAX_LOST_PIECES
    }

    /// Marks the start position as assumed, because the board has not shown it.
    pub fn assume_start(&mut self) {
        self.is_start_assumed = true;
    }

    /// Handles the change of a square.
    pub fn change(&mut self, square: Square, moment: SeqNo) {
        self.anomalies.change(square, moment);
    }

    /// Handles a board that shows the position: drops past anomalies and touches by adjusting hands. `gap`: whether
    /// touches may have been missed.
    pub fn clear_anomalies(&mut self, evidence: &Evidence, gap: bool) {
        self.anomalies.retain(evidence.contradictions(self.position().placement()));
        if gap || !self.touched(evidence).is_empty() {
            self.set_evidence_start(evidence.next_seq_no(), SquareSet::EMPTY);
        }
    }

    /// Sets the start of the evidence, and the squares passed since then.
    pub fn set_evidence_start(&mut self, since: SeqNo, passed: SquareSet) {
        (self.base.evidence_start, self.base.passed_squares) = (since, passed);
    }

    /// Publishes a ply. `left` and `odd`: squares with captured pieces and unexplained differences after it; `rest`:
    /// remaining plies of its explanation.
    pub fn apply_ply(
        &mut self,
        now: Millis,
        ply: Move,
        left: SquareSet,
        odd: SquareSet,
        rest: RemainingPlies,
        evidence: &Evidence,
    ) {
        if self.earlier.len() == counts::EARLIER_POSITIONS {
            self.earlier.pop_front();
        }
        self.earlier.push_back((self.base.position, self.plies));
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

    /// Continues from another position at ply number `plies`.
    pub fn set_up(&mut self, position: Position, plies: u32, evidence: &Evidence) {
        self.set_position(position);
        self.plies = plies;
        self.previous = None;
        self.set_evidence_start(evidence.next_seq_no(), SquareSet::EMPTY);
        self.setup_differences.clear();
        self.anomalies.set_up(evidence.contradictions(position.placement()));
        self.remaining_plies = None;
    }

    /// Stores the differences that the setup accepted.
    pub fn set_setup_differences(&mut self, doubtful: Vec<SetupDifference>) {
        self.setup_differences = doubtful;
    }

    /// Marks a square whose piece does not count, as the players know.
    pub fn add_anomaly(&mut self, now: Millis, square: Square) {
        self.anomalies.forget(square);
        self.anomalies.add(now, square, AnomalyKind::Leftover, self.plies);
    }

    fn set_position(&mut self, position: Position) {
        self.base.position = position;
        self.winner = position.winner();
    }
}
