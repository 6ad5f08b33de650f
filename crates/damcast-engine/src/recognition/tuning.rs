//! All times, weights and counts of recognition that are not configurable, each with its unit and its basis.
//! [`Settings`](super::Settings) has the configurable times.
//!
//! | word | basis of a value |
//! |---|---|
//! | board | property of boards and clocks: a scan takes 200 to 250 ms; a clock is read two or three times a second and reports a press 0.15 to 0.95 s late |
//! | hands | durations of hand movements, as simulated (`hardware_sim::profile`) |
//! | rules | rules of the game |
//! | score | selected with the tables of `boardsim score`, jointly with other values; none was tested alone |
//! | cost | limit on the computing time of an event (`cargo bench --bench recognition`) |
//! | taste | opinions only |

/// Durations.
pub mod times {
    use crate::millis::Millis;

    /// Board: two landings this close may be reported in scan order instead of their real order.
    pub const SCAN: Millis = Millis(300);
    /// Board: maximum delay of the report of a press.
    pub const PRESS_LAG: Millis = Millis(1_000);
    /// Board: a report this soon after a press may describe the board at the time of the press.
    pub const PRESS_EARLY: Millis = Millis(100);
    /// Board: a flickering piece shows in at least half of the scans; a square empty for this long has lost its piece.
    pub const MIN_GONE_TIME: Millis = Millis::seconds(2);
    /// Hands (a badly placed piece flickers for 3 to 60 s): a square with
    /// [`FLICKER_CHANGES`](super::counts::FLICKER_CHANGES) changes within this time holds a badly placed piece. It is
    /// trusted again after being quiet for as long.
    pub const FLICKER_SPAN: Millis = Millis::seconds(6);
    /// Hands: a ply ends on a square and is adjusted; a piece with
    /// [`RESTLESS_CHANGES`](super::counts::RESTLESS_CHANGES) changes within this time does not stand firmly.
    pub const RESTLESS_SPAN: Millis = Millis::seconds(20);
    /// Hands (adjusting 0.1 to 0.6 s, a piece removed by mistake 1.5 to 8 s): a piece that is adjusted, crowned or
    /// removed by mistake returns sooner. A piece absent for longer has been played.
    pub const MAX_PIECE_AWAY: Millis = Millis::seconds(8);
    /// Hands (intermediate squares show for 0.1 to 0.4 s): a piece on a square for this long rests there.
    pub const MIN_REST: Millis = Millis(600);
    /// Hands: a placement of shorter duration before a press is a moving hand.
    pub const MIN_STANDING_TIME: Millis = Millis(100);
    /// Board: a placement that covers less of the possible time of a press was probably not pressed for.
    pub const MIN_PRESS_OVERLAP: Millis = Millis(250);
    /// Hands (0.18 to 0.45 s per captured piece): longest pause while removing captured pieces.
    pub const MAX_REMOVAL_PAUSE: Millis = Millis(1_000);
    /// Hands (reverted in 0.8 to 3 s): reverted presses are dropped after this time.
    pub const PRESS_UNDO_WINDOW: Millis = Millis::seconds(3);
    /// Taste: interval of dump requests while the board is in doubt. A dump takes 55 to 107 ms of the line.
    pub const DUMP_RETRY: Millis = Millis::seconds(3);
    /// Hands: after a reply, blemishes of the previous ply matter less, but captured pieces may remain for this long.
    pub const CLEANUP_AFTER_REPLY_MS: u64 = 600;
    /// Hands: a flickering piece, or a hand in the air, may look like an unlikely ply for this long.
    pub const UNLIKELY_MS: u64 = 1_200;
    /// Hands (0.3 to 2.5 s): a piece stands on another square before it is put where it belongs.
    pub const HESITATION_MS: u64 = 2_500;
    /// Hands: wait after the removal of all captured pieces, because the player has decided on the move.
    pub const CLEARED_MS: u64 = 1_500;
    /// Score: a position of unknown origin that has a reply.
    pub const UNKNOWN_MS: u64 = 1_500;
    /// Hands: minimum duration of another move of the side that moved last.
    pub const REPLACED_MS: u64 = 1_500;
    /// Hands: minimum duration of the earlier position after a move is put back, as the piece may only be lifted again.
    pub const PUT_BACK_MS: u64 = 6_000;
    /// Score: play continues from an unexplained position.
    pub const RESUME_MS: u64 = 2_000;
    /// Hands (fallen pieces stand again after 7 to 20 s, the first sooner): play continues on a board in chaos.
    pub const CHAOS_RESUME_MS: u64 = 6_000;
    /// Hands: players who analyse while the clock runs make plies without presses; the third one waits for this long.
    pub const ANALYSIS_MS: u64 = 30_000;
    /// Rules: a square that stays wrong for this long, and through [`STALE_PLIES`](super::counts::STALE_PLIES), is
    /// real. Players do not leave a piece beside the board for a minute of play.
    pub const STALE_SPAN: Millis = Millis::seconds(60);
}

/// Scores for comparing interpretations, in hundredths of the natural logarithm of odds: 100 more points mean 2.7 times
/// as likely. The scores follow from how often hands make the weighed mistakes, per ply (`hardware_sim::profile`).
pub mod weights {
    /// Score of an exact explanation that ends the search for longer ones. Score.
    pub const GOOD_SCORE: i32 = -300;
    /// Minimum score of an explanation. Score.
    pub const MIN_SCORE: i32 = -900;
    /// Minimum score of an origin of an illegal move. Score.
    pub const MIN_ORIGIN_SCORE: i32 = -1_300;
    /// Maximum difference between ambiguous first plies. Score.
    pub const AMBIGUOUS: i32 = 150;
    /// Minimum lead over every other first ply for an explanation to be announced as likely. Taste.
    pub const EXPECTED: i32 = 50;

    /// Per two presses too many or too few: one was forgotten and the next had no effect, or one was a mistake. Hands:
    /// 0.7 % are forgotten, 0.2 % are mistakes.
    pub const PRESSES: i32 = -400;
    /// Per two presses too many or too few, if presses may have been missed.
    pub const PRESSES_MISSED: i32 = -50;
    /// The last ply has no press yet.
    pub const PRESS_PENDING: i32 = -80;
    /// Per captured piece that is still on the board, or was put down next to its square during removal. Hands: 0.6 %
    /// of captures, more during the removal.
    pub const LEFTOVER_CAPTURED: i32 = -280;
    /// Per wrong square. Hands: 0.3 % remove a piece too many; lost reports add to that.
    pub const MISMATCHED_SQUARE: i32 = -450;
    /// Per square with a piece too many: hands remove wrong pieces, but rarely add one. If the colour was captured, the
    /// piece may be on its way off the board and costs no more than an empty square.
    pub const ODD_PIECE: i32 = -750;
    /// Per move that was captured at once, so its landing was not seen: requires a lost report.
    pub const LANDED_UNSEEN: i32 = -600;
    /// Per capture that was captured at once: a hurried player removes the piece during the removal of the captured
    /// ones.
    pub const CAPTURED_IN_HASTE: i32 = -350;
    /// All intermediate landing squares of a capture were touched. Hands: 75 % of the intermediate squares are seen.
    pub const PATH_SEEN: i32 = 80;
    /// The last ply ends on a flickering square that shows nothing, and no landing was seen there.
    pub const FLICKERS_EMPTY: i32 = -250;
    /// Per square on which a piece rested while the opponent moved, if no ply ends there.
    pub const RESTED: i32 = -200;
    /// Per intermediate position that was never seen.
    pub const UNSEEN: i32 = -200;

    /// A move is taken back, or was published too early. Hands: 0.2 %.
    pub const TAKEN_BACK: i32 = -500;
    /// No press for the move that replaces one taken back.
    pub const PRESS_FORGOTTEN: i32 = -200;
    /// A setup is wrong: likelier than an illegal next ply.
    pub const SETUP_WRONG: i32 = -300;
    /// An illegal move stands. Hands: 0.2 %.
    pub const ILLEGAL_STANDS: i32 = -500;
    /// A second illegal move stands: a ply that was due may still be due.
    pub const NEXT_ILLEGAL_STANDS: i32 = -200;
    /// An illegal move has an unknown origin.
    pub const UNKNOWN: i32 = -300;
    /// The player of an illegal move forgot to press. Hands: 0.7 %.
    pub const UNPRESSED: i32 = -400;
    /// A piece of the moving side was lost in an illegal move.
    pub const LOST: i32 = -400;
    /// The lever was pressed within the short duration of this placement.
    pub const PRESSED_BRIEFLY: i32 = -150;
}

/// Scores for comparing offers of missing moves, as [`weights`]. Basis: 95 of 100 right sequences among the first three.
pub mod offers {
    /// Per ply: the shortest sequence is the likeliest.
    pub const PLY: i32 = -100;
    /// Per press too many or too few.
    pub const PRESS_DIFFERS: i32 = -150;
    /// Maximum number of counted presses too many or too few.
    pub const MAX_PRESSES_OFF: i32 = 4;
    /// Per ply that landed before its predecessor.
    pub const WRONG_ORDER: i32 = -400;
    /// Per square of a ply that no hand has touched.
    pub const UNTOUCHED: i32 = -300;
    /// Per man that a ply gives away.
    pub const GIVEN_AWAY: i32 = -40;
    /// Maximum number of counted men.
    pub const MAX_GIVEN_AWAY: i32 = 3;
}

/// Limits and numbers.
pub mod counts {
    /// Maximum number of plies explained at once; beyond that only the board's memory helps. Cost.
    pub const MAX_PLIES: usize = 6;
    /// Maximum length of a credible reply to an illegal move; longer ones may be accidents. Score.
    pub const MAX_REPLY_PLIES: usize = 3;
    /// Maximum number of plies accepted after a gap; longer play that passes some squares twice would explain the board
    /// as well. Score.
    pub const MAX_HIDDEN_PLIES: usize = 3;
    /// Number of plies without a press published when the clock stops: the last one, and its predecessor.
    pub const PLIES_BEFORE_STOP: usize = 2;
    /// Number of presses missing after a forgotten one, because the opponent then has nothing to press.
    pub const FORGOTTEN_PRESSES: usize = 2;
    /// Number of changes seen only in a dump that indicates an outage instead of lost reports.
    pub const MISSED_CHANGES_OF_OUTAGE: usize = 3;
    /// Number of pieces that a hand plays, adjusts or removes by mistake at a time; more missing pieces have fallen.
    /// Hands.
    pub const MAX_DISPLACED_PIECES: usize = 1;
    /// Maximum number of pieces lost by a move, unless it captures many. Hands.
    pub const MAX_LOST_PIECES: usize = 2;
    /// Maximum number of wrong squares after a move or two; more are a board in chaos. Hands.
    pub const CHAOS_SQUARES: usize = 8;
    /// Maximum number of wrong squares after one odd move; more without a press are analysis. Hands.
    pub const UNPRESSED_SQUARES: usize = 4;
    /// Number of pieces put down in a ply and its reply; more without a press are analysis. Hands.
    pub const PUT_DOWN: usize = 2;
    /// Number of presses after which an unexplained board is decided quickly: play continues, so no explanation will
    /// appear. Score.
    pub const MANY_PRESSES: usize = 4;
    /// Number of plies after which a piece too many or too few is real. Score.
    pub const STALE_PLIES: u32 = 4;
    /// Maximum number of squares changed by a setup that may be wrong by one; more changes are another position.
    pub const MAX_SETUP_DIFFERENCES: usize = 8;
    /// Number of changes within [`FLICKER_SPAN`](super::times::FLICKER_SPAN) that indicate a badly placed piece. Hands.
    pub const FLICKER_CHANGES: usize = 5;
    /// Number of changes within [`RESTLESS_SPAN`](super::times::RESTLESS_SPAN) that indicate a piece without a firm
    /// place. Hands.
    pub const RESTLESS_CHANGES: usize = 3;
    /// Number of earlier positions to which an arbiter may go back.
    pub const EARLIER_POSITIONS: usize = 8;
    /// Maximum number of settled placements retained in case a legal reply follows.
    pub const MAX_SETTLED_POSITIONS: usize = 4;
    /// Maximum number of presses, the latest ones, whose preceding placements are examined.
    pub const MAX_EXAMINED_PRESSES: usize = 4;
    /// Maximum number of placements examined per press.
    pub const OCCUPANCIES_PER_PRESS: usize = 3;
    /// Maximum number of placements without a press that are examined.
    pub const UNPRESSED_OCCUPANCIES: usize = 12;
    /// Maximum number of presses retained while the board is unexplained.
    pub const MAX_PRESSES: usize = 64;
    /// Maximum number of changes retained in order. A ply makes two to six.
    pub const MAX_CHANGES: usize = 200;
    /// Maximum number of positions compared with an unexplained board.
    pub const MAX_COMPARED_POSITIONS: usize = 500;
    /// Maximum number of interpretations shown, including the setup. Taste: three lines on a screen.
    pub const MAX_INTERPRETATIONS: usize = 3;
    /// Maximum number of wrong squares in an interpretation.
    pub const MAX_INTERPRETATION_MISMATCHES: usize = 4;
    /// Taste: maximum number of offered sequences of missing moves.
    pub const MAX_OFFERS: usize = 9;
    /// Maximum number of plies of an offer. Basis: cost; boards are noticed within a few plies.
    pub const MAX_OFFERED_PLIES: usize = 4;
    /// Maximum number of sequences that are compared. Basis: cost.
    pub const MAX_FOUND_OFFERS: usize = 3_000;
    /// Maximum number of captures of an exchange. Basis: cost.
    pub const MAX_EXCHANGE: usize = 8;
}

/// Search limits in moves and jumps. Never in time, so that a log replays to the same file on any machine. Basis: cost.
pub mod work {
    /// Limit of one search, for adversarial boards.
    pub const MAX_SEARCH: u32 = 4_000;
    /// Minimum cost of generating the moves of a position.
    pub const MIN_POSITION_COST: u32 = 8;
    /// Work after which no new search starts in the same millisecond.
    pub const NEW_SEARCH_LIMIT: u32 = MAX_SEARCH / 4;
    /// Limit of a search for anything but legal plies.
    pub const FALLBACK_SEARCH: u32 = MAX_SEARCH / 4;
    /// Limit for generating the plies that may precede an illegal move.
    pub const PRIOR_PLIES: u32 = MAX_SEARCH / 4;
    /// Limit of the search for a reply to one position.
    pub const ONE_REPLY: u32 = MAX_SEARCH / 16;
    /// Limit of the search for replies to all positions.
    pub const ALL_REPLIES: u32 = MAX_SEARCH / 2;
    /// Maximum cost of the interpretations of a board.
    pub const INTERPRETATIONS: u32 = 1_000;
    /// Number of capture jumps tried for interpretations.
    pub const INTERPRETATION_JUMPS: u32 = 2_000;
    /// Limit of the search for missing moves, which runs beside the recording.
    pub const OFFERS: u32 = 2_000_000;
    /// Limit of the search for an exchange after a ply of an offer.
    pub const OFFERED_EXCHANGE: u32 = 400;
}
