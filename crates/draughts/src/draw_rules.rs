//! When a game is drawn, as data: the questions that the rows answer. What has come about in a game, [`super::draws`] counts.

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
    /// What must have come about.
    pub when: DrawCondition,
    /// Does it end the game, or does it need a claim?
    pub claim: Claim,
    /// Where it stands, a colon, and in which words.
    pub article: &'static str,
}

impl DrawRule {
    /// Where it stands: `FMJD 6`.
    pub fn source(&self) -> &'static str {
        self.article.split_once(": ").map_or("", |(source, _)| source)
    }

    /// What it says.
    pub fn text(&self) -> &'static str {
        self.article.split_once(": ").map_or(self.article, |(_, words)| words)
    }
}

/// Who ends the game.
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
    /// A player or the arbiter; until one does, the game goes on. Also where a text leaves this open.
    Needed,
    /// The position is a draw by itself.
    AtOnce,
}

/// What makes a draw.
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
    /// The same position has come about this many times with the same side to move.
    Repeated(u16),
    /// Each side has made this many moves in a row, and none of them was a capture or a man's move.
    OnlyKingsMove(u16),
    /// Both sides have a king, this many pieces (from, to) stand on the board, and each side has made this many moves since
    /// a piece was last taken or crowned.
    MaterialUnchanged {
        /// The fewest and the most pieces, both colours together.
        pieces: (u8, u8),
        /// Moves of each side.
        moves: u16,
    },
    /// An ending that is not won in time is not won.
    Ending(Ending),
}

/// A weaker side against a stronger one, and how long the stronger has to win.
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
    /// What the weaker side has: one of these.
    pub weaker: &'static [Material],
    /// What the stronger side has: one of these.
    pub stronger: &'static [Material],
    /// Where the weaker side must stand.
    pub area: EndingArea,
    /// How long the ending lasts for the count.
    pub reset: CountReset,
    /// When it is drawn.
    pub limit: MoveLimit,
}

/// What a side has.
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
    /// Its men.
    pub men: u8,
    /// Its kings.
    pub kings: u8,
}

/// Where the pieces of the weaker side stand.
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
    /// Anywhere.
    Anywhere,
    /// On the long diagonal from White's left corner, a1-h8.
    MainRoad,
}

/// What interrupts the count of an ending.
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
    /// Anything that makes it another ending.
    WhenMaterialChanges,
    /// Nothing, as long as the weaker side has what it had: a loss of the stronger side may begin another count but does
    /// not stop this one.
    WhenWeakerSideChanges,
}

/// The time to win an ending.
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
    /// None: it is drawn as soon as it stands, unless a capture is due.
    Immediate,
    /// This many of each side.
    EachSide(u16),
    /// This many of the stronger side.
    StrongerSide(u16),
    /// This many of the weaker side.
    WeakerSide(u16),
}

impl Material {
    /// Men and kings.
    pub const fn new(men: u8, kings: u8) -> Material {
        Material { men, kings }
    }
}
