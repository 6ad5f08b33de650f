//! Detects draws, reached or claimable: the rules of each variant as data, and the counters for them.
//!
//! ```text
//! a ply ──▸ DrawHistory ──▸ counts: "16 moves each: 12"  ──▸ draws: rules reached, with their articles
//! ```
//!
//! Each [`Variant`] lists its [`DrawRule`]s. Where no reliable text exists, the variant names the question as left to the arbiter.
//! A count that reaches its limit ends nothing here: only the arbiter may end the game.
//!
//! A side without a legal move has lost, never drawn: see [`Position::winner`].

pub use super::draw_rules::{Claim, CountReset, DrawCondition, DrawRule, Ending, EndingArea, Material, MoveLimit};
use super::moves::Move;
use super::piece::Color;
use super::position::{Placement, Position, Setup};
use super::square::SquareSet;
use super::variant::Variant;

/// Progress of one draw count.
///
/// # Examples
///
/// ```
/// use draughts::{DrawHistory, Position, Variant};
///
/// let history = DrawHistory::new(Position::start(Variant::international()));
/// let repetition = history.counts()[0];
/// assert_eq!((repetition.current, repetition.limit), (1, 3));
/// assert!(!repetition.is_reached());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DrawCount {
    /// Rule that is counted.
    pub rule: &'static DrawRule,
    /// Occurrences of the position, or moves.
    pub current: u16,
    /// Number that makes a draw.
    pub limit: u16,
}

impl DrawCount {
    /// Whether the count has reached its limit.
    pub fn is_reached(&self) -> bool {
        self.current >= self.limit
    }
}

/// The part of a game that the draw rules look back on, extended ply by ply. Starts empty with each [`DrawHistory::new`], for example after
/// a setup: earlier moves are unknown and cannot be counted.
///
/// # Examples
///
/// ```
/// use draughts::{Color, DrawHistory, PieceKind, Piece, Placement, Position, Setup, Variant};
///
/// // Two lone kings that shuttle: drawn after five moves each, and before that by the third occurrence.
/// let variant = Variant::international();
/// let square = |name| variant.geometry.square(name).unwrap();
/// let mut placement = Placement::EMPTY;
/// placement.put(square("6"), Some(Piece { color: Color::White, kind: PieceKind::King }));
/// placement.put(square("50"), Some(Piece { color: Color::Black, kind: PieceKind::King }));
/// let position = Position::new(variant, Setup { placement, turn: Color::White }).unwrap();
/// let mut history = DrawHistory::new(position);
/// for (from, to) in [("6", "1"), ("50", "45"), ("1", "6"), ("45", "50")].into_iter().cycle().take(8) {
///     let ply = history.position().only_move(square(from), square(to)).unwrap();
///     history.play(&ply);
/// }
/// assert_eq!(history.draws()[0].text(), "the same position for the third time, the same side to move");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawHistory {
    position: Position,
    /// Positions since the last irreversible move, including the present one.
    repeatable: Vec<Setup>,
    kings_only: Tally,
    unchanged: Tally,
    /// For each ending rule of the variant: the weaker side, and the moves since the ending began.
    endings: Vec<Option<(Color, Tally)>>,
}

/// Number of moves made, by colour.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Tally([u16; 2]);

impl Tally {
    fn count(&mut self, mover: Color) {
        let made = &mut self.0[mover.index()];
        *made = made.saturating_add(1);
    }

    fn count_of(self, color: Color) -> u16 {
        self.0[color.index()]
    }

    fn min_of_both(self) -> u16 {
        self.0[0].min(self.0[1])
    }
}

impl DrawHistory {
    /// Creates the history of a game that begins at `position`.
    pub fn new(position: Position) -> DrawHistory {
        let begin = |rule: &DrawRule| match rule.when {
            DrawCondition::Ending(ending) => ending.weaker_side(&position).map(|weaker| (weaker, Tally::default())),
            _ => None,
        };
        DrawHistory {
            position,
            repeatable: vec![position.setup()],
            kings_only: Tally::default(),
            unchanged: Tally::default(),
            endings: position.variant().draws.iter().map(begin).collect(),
        }
    }

    /// Returns the current position of the game.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Adds a ply that was generated for [`DrawHistory::position`].
    pub fn play(&mut self, ply: &Move) {
        let before = self.position;
        let mover = before.turn();
        let after = before.play(ply);
        let by_man = before.placement().men_of(mover).contains(ply.from());
        self.position = after;

        // Men of some games may step sideways and back again: only a change of rows is irreversible.
        let row = |square| before.variant().geometry.row_and_column(square).0;
        if ply.is_capture() || (by_man && row(ply.from()) != row(ply.to())) {
            self.repeatable.clear();
        }
        self.repeatable.push(after.setup());

        self.kings_only.count(mover);
        if ply.is_capture() || by_man {
            self.kings_only = Tally::default();
        }
        self.unchanged.count(mover);
        if ply.is_capture() || ply.promotes() {
            self.unchanged = Tally::default();
        }
        for (rule, running) in before.variant().draws.iter().zip(&mut self.endings) {
            let DrawCondition::Ending(ending) = rule.when else { continue };
            let goes_on = running.filter(|(weaker, _)| match ending.reset {
                CountReset::WhenMaterialChanges => ending.applies_to(&after, *weaker),
                CountReset::WhenWeakerSideChanges => ending.weaker.contains(&material_of(after.placement(), *weaker)),
            });
            *running = match goes_on {
                Some((weaker, mut tally)) => {
                    tally.count(mover);
                    Some((weaker, tally))
                }
                None => ending.weaker_side(&after).map(|weaker| (weaker, Tally::default())),
            };
        }
    }

    /// Returns all counts that have begun, in the order of the variant's rules.
    pub fn counts(&self) -> Vec<DrawCount> {
        let rules = self.position.variant().draws.iter().zip(&self.endings);
        rules.filter_map(|(rule, ending)| self.count(rule, *ending)).collect()
    }

    /// Returns the rules by which the game is drawn, or may be claimed to be drawn, in the current position.
    pub fn draws(&self) -> Vec<&'static DrawRule> {
        self.counts().into_iter().filter(DrawCount::is_reached).map(|count| count.rule).collect()
    }

    fn count(&self, rule: &'static DrawRule, ending: Option<(Color, Tally)>) -> Option<DrawCount> {
        let (done, of) = match rule.when {
            DrawCondition::Repeated(times) => {
                let now = self.position.setup();
                let occurred = self.repeatable.iter().filter(|setup| **setup == now).count();
                (u16::try_from(occurred).unwrap_or(u16::MAX), times)
            }
            DrawCondition::OnlyKingsMove(moves) => (self.kings_only.min_of_both(), moves),
            DrawCondition::MaterialUnchanged { pieces: (fewest, max_pieces), moves } => {
                let placement = self.position.placement();
                let pieces = placement.occupied().len();
                let fits = (usize::from(fewest)..=usize::from(max_pieces)).contains(&pieces)
                    && Color::BOTH.iter().all(|&color| !placement.kings_of(color).is_empty());
                if !fits {
                    return None;
                }
                (self.unchanged.min_of_both(), moves)
            }
            DrawCondition::Ending(Ending { limit: moves, .. }) => {
                let (weaker, tally) = ending?;
                match moves {
                    MoveLimit::Immediate if self.position.must_capture() => return None,
                    MoveLimit::Immediate => (0, 0),
                    MoveLimit::EachSide(moves) => (tally.min_of_both(), moves),
                    MoveLimit::StrongerSide(moves) => (tally.count_of(!weaker), moves),
                    MoveLimit::WeakerSide(moves) => (tally.count_of(weaker), moves),
                }
            }
        };
        Some(DrawCount { rule, current: done, limit: of })
    }
}

impl Ending {
    fn weaker_side(&self, position: &Position) -> Option<Color> {
        Color::BOTH.into_iter().find(|&weaker| self.applies_to(position, weaker))
    }

    fn applies_to(&self, position: &Position, weaker: Color) -> bool {
        let placement = position.placement();
        let on_its_ground = match self.area {
            EndingArea::Anywhere => true,
            EndingArea::MainRoad => placement.pieces_of(weaker).is_subset(main_road(position.variant())),
        };
        on_its_ground
            && self.weaker.contains(&material_of(placement, weaker))
            && self.stronger.contains(&material_of(placement, !weaker))
    }
}

fn main_road(variant: &Variant) -> SquareSet {
    let geometry = &variant.geometry;
    let from_the_bottom_left = |row: usize| geometry.square_at(row, geometry.height() - 1 - row);
    (0..geometry.height()).filter_map(from_the_bottom_left).collect()
}

fn material_of(placement: &Placement, color: Color) -> Material {
    // A board has at most 72 squares.
    Material { men: placement.men_of(color).len() as u8, kings: placement.kings_of(color).len() as u8 }
}
