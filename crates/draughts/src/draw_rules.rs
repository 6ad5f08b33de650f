//! When a game is drawn, as data: the questions that the rows answer. What has come about in a game, [`super::draws`] counts.

/// One way in which a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// What must have come about.
    pub when: When,
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
    pub fn words(&self) -> &'static str {
        self.article.split_once(": ").map_or(self.article, |(_, words)| words)
    }
}

/// Who ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A player or the arbiter; until one does, the game goes on. Also where a text leaves this open.
    Needed,
    /// The position is a draw by itself.
    AtOnce,
}

/// What makes a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// What the weaker side has: one of these.
    pub weaker: &'static [Army],
    /// What the stronger side has: one of these.
    pub stronger: &'static [Army],
    /// Where the weaker side must stand.
    pub ground: Ground,
    /// How long the ending lasts for the count.
    pub lasts: Lasts,
    /// When it is drawn.
    pub moves: Moves,
}

/// What a side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Army {
    /// Its men.
    pub men: u8,
    /// Its kings.
    pub kings: u8,
}

/// Where the pieces of the weaker side stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// Anywhere.
    Anywhere,
    /// On the long diagonal from White's left corner, a1-h8.
    MainRoad,
}

/// What interrupts the count of an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lasts {
    /// Anything that makes it another ending.
    WhileItStands,
    /// Nothing, as long as the weaker side has what it had: a loss of the stronger side may begin another count but does
    /// not stop this one.
    OnceBegun,
}

/// The time to win an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moves {
    /// None: it is drawn as soon as it stands, unless a capture is due.
    AtOnce,
    /// This many of each side.
    Each(u16),
    /// This many of the stronger side.
    OfTheStronger(u16),
    /// This many of the weaker side.
    OfTheWeaker(u16),
}

impl Army {
    /// Men and kings.
    pub const fn new(men: u8, kings: u8) -> Army {
        Army { men, kings }
    }
}
