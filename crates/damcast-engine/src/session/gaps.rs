//! Places of a game at which moves are missing: its setups, until a person adds the moves.
//!
//! ```text
//!   entry        1        2        3      4         5
//!                1. 32-28 /FEN 1/  /FEN 2/  2. 28x19  14x23
//!   gap          after=1  until=3: from the position after entry 1 to that of /FEN 2/
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use draughts::{Move, Position};

use crate::inserted_moves::InsertedMoves;
use crate::recognition::GapEvidence;

/// Maximum number of remembered gaps of a game; the oldest are forgotten.
const MAX_GAPS: usize = 32;
/// Number of earlier positions to which a setup can lead back.
const MAX_POSITIONS: usize = 64;

/// Position with the number of plies that lead to it, including hidden ones.
#[derive(Clone, Copy, Debug)]
pub struct PositionAtPly {
    /// Position.
    pub position: Position,
    /// Number of plies.
    pub plies: u32,
}

/// Missing moves of a game, and those that were added.
#[derive(Clone, Debug, Default)]
pub struct MissingMoves {
    /// Number of entries of the file.
    entries: u32,
    gaps: VecDeque<SetupGap>,
    /// Moves that were added after the last entry, with the number of entries and the position before them.
    appended: VecDeque<(u32, Position, Vec<Move>)>,
    /// Number of entries before each of the last positions, with the position.
    positions: VecDeque<(u32, PositionAtPly)>,
}

/// One or more setups without a ply in between.
#[derive(Clone, Debug)]
pub struct SetupGap {
    /// Number of entries before the setups.
    pub after: u32,
    /// Number of entries up to the last setup.
    pub until: u32,
    /// Position before the missing moves.
    pub start: PositionAtPly,
    /// Position of the last setup.
    pub end: PositionAtPly,
    /// Events between both, if known.
    pub evidence: Option<Arc<GapEvidence>>,
    /// Added moves; `None` if they are still missing.
    pub added: Option<Vec<Move>>,
}

impl MissingMoves {
    /// Returns the number of entries of the file.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Counts the setup of the start position of a file.
    pub fn on_start_entry(&mut self) {
        self.entries += 1;
    }

    /// Records a ply. `before`: position before it.
    pub fn on_ply(&mut self, before: PositionAtPly) {
        self.push_position(before);
        self.entries += 1;
    }

    /// Records a setup between two positions. `may_lead_back`: whether it may be one of an earlier position, so that moves are
    /// taken back instead of missing.
    pub fn on_setup(
        &mut self,
        before: PositionAtPly,
        end: PositionAtPly,
        may_lead_back: bool,
        mut evidence: Option<Arc<GapEvidence>>,
    ) {
        self.push_position(before);
        let is_end = |(_, known): &&(u32, PositionAtPly)| known.position.setup() == end.position.setup();
        let earlier = self.positions.iter().rev().filter(|_| may_lead_back).find(is_end).copied();
        let (mut after, mut start) = earlier.unwrap_or((self.entries, before));
        while let Some(gap) = self.gaps.back().filter(|gap| gap.added.is_none() && gap.until >= after) {
            if gap.after <= after {
                (after, start) = (gap.after, gap.start);
            }
            evidence.clone_from(&gap.evidence);
            self.gaps.pop_back();
        }
        self.entries += 1;
        if self.gaps.len() == MAX_GAPS {
            self.gaps.pop_front();
        }
        self.gaps.push_back(SetupGap { after, until: self.entries, start, end, evidence, added: None });
    }

    fn push_position(&mut self, before: PositionAtPly) {
        if self.positions.len() == MAX_POSITIONS {
            self.positions.pop_front();
        }
        self.positions.push_back((self.entries, before));
    }

    /// Returns the gaps whose moves are missing, oldest first.
    pub fn open_gaps(&self) -> impl Iterator<Item = &SetupGap> {
        self.gaps.iter().filter(|gap| gap.added.is_none())
    }

    /// Returns the gap after this number of entries.
    pub fn gap(&self, after: u32) -> Option<&SetupGap> {
        self.gaps.iter().find(|gap| gap.after == after)
    }

    /// Whether no entry follows a gap.
    pub fn is_last(&self, gap: &SetupGap) -> bool {
        gap.until == self.entries
    }

    /// Returns the moves that were added as the entries after this number of them, with the position before them.
    pub fn appended(&self, after: u32) -> Option<(&Position, &[Move])> {
        let (_, start, moves) = self.appended.iter().find(|(at, ..)| *at == after)?;
        Some((start, moves.as_slice()))
    }

    /// Records moves that follow the last entry, before they become entries.
    pub fn note_appended(&mut self, start: Position, moves: Vec<Move>) {
        if self.appended.len() == MAX_GAPS {
            self.appended.pop_front();
        }
        self.appended.push_back((self.entries, start, moves));
    }

    /// Fills the gap after this number of entries, together with the gaps up to the one that ends at `until`. Returns the
    /// insertion; `None` if there is no such gap.
    pub fn fill(&mut self, after: u32, until: u32, moves: Vec<Move>) -> Option<InsertedMoves> {
        let end = self.gaps.iter().find(|gap| gap.until == until)?.end;
        self.gaps.retain(|gap| gap.after <= after || gap.until > until);
        let recorded = self.entries;
        let gap = self.gaps.iter_mut().find(|gap| gap.after == after && gap.added.is_none())?;
        (gap.until, gap.end, gap.added) = (until, end, Some(moves.clone()));
        let (ply, counted) = (gap.start.plies, end.plies.saturating_sub(gap.start.plies));
        // A later setup cannot lead back to positions that no reader sees.
        self.positions.retain(|(entries, _)| *entries >= until);
        Some(InsertedMoves { recorded, after, until, ply, counted, plies: moves })
    }
}

/// Returns the position after moves from a position.
pub fn position_after(start: &Position, moves: &[Move]) -> Position {
    moves.iter().fold(*start, |position, ply| position.play(ply))
}
