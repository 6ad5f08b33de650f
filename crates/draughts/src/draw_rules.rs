//! Draw rules as data: the questions that the table of games answers. [`super::draws`] does the counting.

/// One way in which a game is drawn.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
///
/// let repetition = &Variant::international().draws[0];
/// assert_eq!(repetition.source(), "FMJD 6");
/// assert_eq!(repetition.text(), "the same position for the third time, the same side to move");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DrawRule {
    /// Condition that must be met.
    pub when: DrawCondition,
    /// Whether the draw ends the game by itself or needs a claim.
    pub claim: Claim,
    /// Source, a colon, and the text of the rule.
    pub article: &'static str,
}

impl DrawRule {
    /// Returns the source: `FMJD 6`.
    pub fn source(&self) -> &'static str {
        self.article.split_once(": ").map_or("", |(source, _)| source)
    }

    /// Returns the text of the rule.
    pub fn text(&self) -> &'static str {
        self.article.split_once(": ").map_or(self.article, |(_, words)| words)
    }
}

/// How a draw takes effect.
///
/// # Examples
///
/// ```
/// use draughts::{Claim, Variant};
///
/// assert!(Variant::international().draws.iter().all(|rule| rule.claim == Claim::Needed));
/// assert!(Variant::from_tag("40").unwrap().draws.iter().any(|rule| rule.claim == Claim::AtOnce)); // Frisian
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A player or the arbiter; the game continues until one does. Also used where a text leaves this open.
    Needed,
    /// The position is a draw by itself.
    AtOnce,
}

/// Condition for a draw.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::draws::DrawCondition;
///
/// assert_eq!(Variant::international().draws[0].when, DrawCondition::Repeated(3));
/// assert_eq!(Variant::international().draws[1].when, DrawCondition::OnlyKingsMove(25));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DrawCondition {
    /// The position has occurred this many times with the same side to move.
    Repeated(u16),
    /// Each side has made this many consecutive moves without a capture or a man's move.
    OnlyKingsMove(u16),
    /// Both sides have a king, the number of pieces is in a range, and each side has made this many moves since the last capture or
    /// crowning.
    MaterialUnchanged {
        /// Minimum and maximum number of pieces, both colours together.
        pieces: (u8, u8),
        /// Moves of each side.
        moves: u16,
    },
    /// An ending not won within its limit.
    Ending(Ending),
}

/// A weaker side against a stronger one, and the moves within which the stronger side must win.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::draws::{Material, DrawCondition};
///
/// let DrawCondition::Ending(ending) = Variant::international().draws[2].when else { panic!("another rule") };
/// assert_eq!(ending.weaker, [Material::new(0, 1)]);
/// assert!(ending.stronger.contains(&Material::new(1, 2))); // a man and two kings
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ending {
    /// Material of the weaker side: one of these.
    pub weaker: &'static [Material],
    /// Material of the stronger side: one of these.
    pub stronger: &'static [Material],
    /// Squares to which the weaker side must be confined.
    pub area: EndingArea,
    /// Event that restarts the count.
    pub reset: CountReset,
    /// Number of moves until the draw.
    pub limit: MoveLimit,
}

/// Material of one side.
///
/// # Examples
///
/// ```
/// use draughts::draws::Material;
///
/// assert_eq!(Material::new(1, 2), Material { men: 1, kings: 2 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Material {
    /// Number of men.
    pub men: u8,
    /// Number of kings.
    pub kings: u8,
}

/// Squares to which the pieces of the weaker side are confined.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::draws::{Ending, EndingArea, DrawCondition};
///
/// let on_main_road = |when| matches!(when, DrawCondition::Ending(Ending { area: EndingArea::MainRoad, .. }));
/// let russian = Variant::from_tag("25").unwrap();
/// assert_eq!(russian.draws.iter().filter(|rule| on_main_road(rule.when)).count(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EndingArea {
    /// Any square.
    Anywhere,
    /// On the long diagonal from White's left corner, a1-h8.
    MainRoad,
}

/// Event that interrupts the count of an ending.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::draws::{Ending, CountReset, DrawCondition};
///
/// let DrawCondition::Ending(Ending { reset, .. }) = Variant::international().draws[2].when else { panic!("another rule") };
/// assert_eq!(reset, CountReset::WhenWeakerSideChanges);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CountReset {
    /// Any change that makes it another ending.
    WhenMaterialChanges,
    /// Only a change of the weaker side's material: if the stronger side loses pieces, another count may begin, but this one continues.
    WhenWeakerSideChanges,
}

/// Number of moves to win an ending.
///
/// # Examples
///
/// ```
/// use draughts::Variant;
/// use draughts::draws::{Ending, MoveLimit, DrawCondition};
///
/// let DrawCondition::Ending(Ending { limit, .. }) = Variant::international().draws[2].when else { panic!("another rule") };
/// assert_eq!(limit, MoveLimit::EachSide(16));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveLimit {
    /// None: drawn as soon as the ending is reached, unless a capture is due.
    Immediate,
    /// This many moves of each side.
    EachSide(u16),
    /// This many moves of the stronger side.
    StrongerSide(u16),
    /// This many moves of the weaker side.
    WeakerSide(u16),
}

impl Material {
    /// Creates material from numbers of men and kings.
    pub const fn new(men: u8, kings: u8) -> Material {
        Material { men, kings }
    }
}
