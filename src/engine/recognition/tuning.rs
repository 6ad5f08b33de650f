//! All times, weights and counts of recognition that nobody configures, each with its unit and what speaks for it. Those that the
//! operator can set are beside them, in [`Settings`](super::Settings).
//!
//! | word | what speaks for a value |
//! |---|---|
//! | board | a fact of boards and clocks: a scan takes 200 to 250 ms, a clock is read two or three times a second and tells a press 0.15 to 0.95 s late |
//! | hands | how long hands take, as the simulated ones do (`hardware_sim::profile`) |
//! | rules | the rules of the game |
//! | score | chosen with the tables of `boardsim score`, together with the others; none was tried alone |
//! | cost | what bounds the time of an event (`cargo bench --bench recognition`) |
//! | taste | nothing but what people said of it |

/// Spans of time.
pub mod times {
    use crate::engine::millis::Millis;

    /// Board: two landings this close may be reported in the order of the scan, not of the hands.
    pub const SCAN: Millis = Millis(300);
    /// Board: a press is heard of this much later at the most.
    pub const PRESS_LAG: Millis = Millis(1_000);
    /// Board: a report that comes so soon behind a press may be of what stood when the lever was pressed.
    pub const PRESS_EARLY: Millis = Millis(100);
    /// Board: a piece that flickers shows in at least half of the scans; a square that is empty for so long has lost its piece.
    pub const MIN_GONE_TIME: Millis = Millis::seconds(2);
    /// Hands (a bad place flickers for 3 to 60 s): a square that changes [`FLICKER_CHANGES`](super::counts::FLICKER_CHANGES) times within
    /// this holds a badly placed piece; it is trusted again when it has been quiet for as long.
    pub const FLICKER_SPAN: Millis = Millis::seconds(6);
    /// Hands: a ply ends on a square and is adjusted; what changes [`RESTLESS_CHANGES`](super::counts::RESTLESS_CHANGES) times within this
    /// does not stand firmly.
    pub const RESTLESS_SPAN: Millis = Millis::seconds(20);
    /// Hands (adjusting 0.1 to 0.6 s, a piece taken off by mistake 1.5 to 8 s): a piece that is adjusted, crowned or taken off by
    /// mistake is back sooner; one that was away for longer has been played.
    pub const MAX_PIECE_AWAY: Millis = Millis::seconds(8);
    /// Hands (squares on the way are seen for 0.1 to 0.4 s): a piece that is seen on a square for so long rests there.
    pub const MIN_REST: Millis = Millis(600);
    /// Hands: what stood for less before a press was heard is a hand on its way.
    pub const MIN_STANDING_TIME: Millis = Millis(100);
    /// Board: what stood for less of the time in which a press may have come was hardly what was pressed for.
    pub const MIN_PRESS_OVERLAP: Millis = Millis(250);
    /// Hands (0.18 to 0.45 s a captured piece): who takes captured pieces off makes no longer pause.
    pub const MAX_REMOVAL_PAUSE: Millis = Millis(1_000);
    /// Hands (back in 0.8 to 3 s): presses that were taken back are forgotten after so long.
    pub const PRESS_UNDO_WINDOW: Millis = Millis::seconds(3);
    /// Taste: how often a board in doubt is asked what stands on it. A dump takes 55 to 107 ms of the line.
    pub const DUMP_RETRY: Millis = Millis::seconds(3);
    /// Hands: once the opponent has replied, blemishes of the ply before matter less, but captured pieces may stand for so long.
    pub const CLEANUP_AFTER_REPLY_MS: u64 = 600;
    /// Hands: a piece that flickers, or a hand in the air, may look like something unlikely for this long.
    pub const UNLIKELY_MS: u64 = 1_200;
    /// Hands: captured pieces are taken off by who has made up his mind.
    pub const CLEARED_MS: u64 = 1_500;
    /// Score: a position that came about in a way that nobody can tell, and was replied to.
    pub const UNKNOWN_MS: u64 = 1_500;
    /// Hands: another move of the side that moved last stands for so long.
    pub const REPLACED_MS: u64 = 1_500;
    /// Hands: a move that is put back stands as before for so long, or it was only lifted once more.
    pub const PUT_BACK_MS: u64 = 6_000;
    /// Score: play goes on from a position that nothing explains.
    pub const RESUME_MS: u64 = 2_000;
    /// Hands (fallen pieces stand again after 7 to 20 s, the first sooner): the same on a board in chaos.
    pub const CHAOS_RESUME_MS: u64 = 6_000;
    /// Hands: players who analyse while the clock runs make ply after ply without a press; so long the third waits.
    pub const ANALYSIS_MS: u64 = 30_000;
    /// Rules: a square that is wrong for so long, and through [`STALE_PLIES`](super::counts::STALE_PLIES), is real. Nobody leaves a
    /// piece beside the board for a minute of play.
    pub const STALE_SPAN: Millis = Millis::seconds(60);
}

/// Points of the comparison of readings: hundredths of the natural logarithm of odds. A reading that is 100 points better is
/// 2.7 times as likely. They follow from how often hands do what they weigh, in rates for each ply (`hardware_sim::profile`).
pub mod weights {
    /// With an exact explanation this good, longer ones are not looked for. Score.
    pub const GOOD_SCORE: i32 = -300;
    /// An explanation that is less likely explains nothing. Score.
    pub const MIN_SCORE: i32 = -900;
    /// Among the ways in which an illegal move may have come about, what is less likely is not considered. Score.
    pub const MIN_ORIGIN_SCORE: i32 = -1_300;
    /// Two first plies this close are ambiguous. Score.
    pub const AMBIGUOUS: i32 = 150;
    /// An explanation must be better than every other first ply by this much to be told as likely. Taste.
    pub const EXPECTED: i32 = 50;

    /// For each two presses too many or too few: one was forgotten and the next had no effect, or one was a mistake. Hands: 0.7 %
    /// forget it, 0.2 % press by mistake.
    pub const PRESSES: i32 = -400;
    /// The same when presses may have gone unheard.
    pub const PRESSES_MISSED: i32 = -50;
    /// The last ply has not been pressed for yet.
    pub const PRESS_PENDING: i32 = -80;
    /// For each captured piece that still stands, or has come down beside where it stood on its way off the board. Hands: 0.6 % of
    /// captures, more while it is being taken off.
    pub const LEFTOVER_CAPTURED: i32 = -280;
    /// For each square that is wrong. Hands: 0.3 % take off a piece too many, and more lost reports.
    pub const MISMATCHED_SQUARE: i32 = -450;
    /// The same for a piece too many: hands take away what does not belong, and rarely add it. One of a colour that was captured
    /// may be on its way off the board, and costs no more than a square that is empty.
    pub const ODD_PIECE: i32 = -750;
    /// For each move that nobody saw land because the next one captured it at once: it takes a lost report.
    pub const LANDED_UNSEEN: i32 = -600;
    /// The same of a capture: who is in a hurry takes the piece off while captured ones are still being taken away.
    pub const CAPTURED_IN_HASTE: i32 = -350;
    /// If all squares on which a capture came down in between were touched. Hands: 75 % of the squares in between are seen.
    pub const PATH_SEEN: i32 = 80;
    /// If the last ply ends on a square that flickers and shows nothing, and nobody saw a piece come down there.
    pub const FLICKERS_EMPTY: i32 = -250;
    /// For each square on which a piece rested while the opponent moved, if no ply ends there.
    pub const RESTED: i32 = -200;
    /// For each position in between that was never seen.
    pub const UNSEEN: i32 = -200;

    /// That a move is taken back, or was believed too early. Hands: 0.2 %.
    pub const TAKEN_BACK: i32 = -500;
    /// And that nobody has pressed for the move in its place.
    pub const PRESS_FORGOTTEN: i32 = -200;
    /// That a position that was set up is wrong: likelier than that the next ply is against the rules.
    pub const SETUP_WRONG: i32 = -300;
    /// That a move against the rules stands. Hands: 0.2 %.
    pub const ILLEGAL_STANDS: i32 = -500;
    /// That the next one stands, too: what was due may be due still.
    pub const NEXT_ILLEGAL_STANDS: i32 = -200;
    /// That a move against the rules came about in a way that nobody can tell.
    pub const UNKNOWN: i32 = -300;
    /// That its player forgot to press. Hands: 0.7 %.
    pub const UNPRESSED: i32 = -400;
    /// That a piece of the side that moved was lost in it.
    pub const LOST: i32 = -400;
    /// That the lever was pressed in the short time in which this stood.
    pub const PRESSED_BRIEFLY: i32 = -150;
}

/// How many.
pub mod counts {
    /// The most plies that are explained at once: with more unseen plies only the board's memory can tell. Cost.
    pub const MAX_PLIES: usize = 6;
    /// A reply of more plies than this to a move against the rules may be an accident. Score.
    pub const MAX_REPLY_PLIES: usize = 3;
    /// More plies than this are not believed because they would explain what nobody saw: longer play that passes some squares twice
    /// explains it as well. Score.
    pub const MAX_HIDDEN_PLIES: usize = 3;
    /// So many plies nobody pressed for are published when the clock stops: the last one, and the one before it.
    pub const PLIES_BEFORE_STOP: usize = 2;
    /// One player forgot to press, and so had the other nothing to press.
    pub const FORGOTTEN_PRESSES: usize = 2;
    /// So many changes that only a dump shows are more than lost reports: the board was not heard.
    pub const MISSED_CHANGES_OF_OUTAGE: usize = 3;
    /// A hand plays, adjusts and takes off by mistake one piece at a time: where more are away, pieces have fallen. Hands.
    pub const MAX_DISPLACED_PIECES: usize = 1;
    /// More pieces than this are not lost by a move, unless it takes many. Hands.
    pub const MAX_LOST_PIECES: usize = 2;
    /// More wrong squares than this are a board in chaos, not a move; nor were they left by a ply or two. Hands.
    pub const CHAOS_SQUARES: usize = 8;
    /// More wrong squares than one odd move leaves, and nobody presses: analysis, not play. Hands.
    pub const UNPRESSED_SQUARES: usize = 4;
    /// Pieces put down more often than in a ply and its reply, without any press, are analysis. Hands.
    pub const PUT_DOWN: usize = 2;
    /// Presses after which an unexplained board is judged quickly: play goes on, so it will not explain itself. Score.
    pub const MANY_PRESSES: usize = 4;
    /// A piece too many or too few that has stood so through so many plies is real. Score.
    pub const STALE_PLIES: u32 = 4;
    /// A setup that changed more squares than this is another position, and not wrong by one.
    pub const MAX_SETUP_DIFFERENCES: usize = 8;
    /// A square that changes so often within [`FLICKER_SPAN`](super::times::FLICKER_SPAN) holds a badly placed piece, not a game. Hands.
    pub const FLICKER_CHANGES: usize = 5;
    /// One that changes so often within [`RESTLESS_SPAN`](super::times::RESTLESS_SPAN) does not stand firmly. Hands.
    pub const RESTLESS_CHANGES: usize = 3;
    /// Placements that were settled and are remembered in case a legal reply follows.
    pub const MAX_SETTLED_POSITIONS: usize = 4;
    /// The presses before which it is asked what stood, the last ones, and how many sights of each.
    pub const MAX_EXAMINED_PRESSES: usize = 4;
    /// See [`MAX_EXAMINED_PRESSES`].
    pub const OCCUPANCIES_PER_PRESS: usize = 3;
    /// How many sights that nobody pressed for are looked at.
    pub const UNPRESSED_OCCUPANCIES: usize = 12;
    /// Presses that are remembered while nothing explains the board.
    pub const MAX_PRESSES: usize = 64;
    /// Changes that are remembered in their order. A ply makes two to six of them.
    pub const MAX_CHANGES: usize = 200;
    /// How many positions are compared with a board that nothing explains.
    pub const MAX_COMPARED_POSITIONS: usize = 500;
    /// How many readings of it are told, the setup included. Taste: three lines on a screen.
    pub const MAX_INTERPRETATIONS: usize = 3;
    /// A reading that leaves more squares wrong than this explains nothing.
    pub const MAX_INTERPRETATION_MISMATCHES: usize = 4;
}

/// How much is looked at, in moves and jumps. Never in time: a log replays to the same file on any machine. Cost, all of them.
pub mod work {
    /// Of one search: bounds its cost on adversarial boards.
    pub const MAX_SEARCH: u32 = 4_000;
    /// Of generating the moves of a position, at least.
    pub const MIN_POSITION_COST: u32 = 8;
    /// With so much done, nothing new is begun in the same millisecond.
    pub const NEW_SEARCH_LIMIT: u32 = MAX_SEARCH / 4;
    /// Of one of the searches that look for something else than legal plies.
    pub const FALLBACK_SEARCH: u32 = MAX_SEARCH / 4;
    /// Of generating the plies that may have come before a move against the rules.
    pub const PRIOR_PLIES: u32 = MAX_SEARCH / 4;
    /// Of looking for a reply to one position.
    pub const ONE_REPLY: u32 = MAX_SEARCH / 16;
    /// And to all of them.
    pub const ALL_REPLIES: u32 = MAX_SEARCH / 2;
    /// What the readings of a board cost at most.
    pub const INTERPRETATIONS: u32 = 1_000;
    /// How many jumps of captures they try.
    pub const INTERPRETATION_JUMPS: u32 = 2_000;
}
