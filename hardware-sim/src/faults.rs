//! Deviations of hands, boards, clocks and cables from an ideal game: one name per row of the noise model.
//!
//! A [`Fault`] is only a name. Its rate is in a [`NoiseProfile`](crate::profile::NoiseProfile), its effect in the hand, the planner or the
//! cable. Each fault can be enabled alone, at any rate, to measure its cost.
//!
//! Sources: measured recordings of real board-and-clock games, the official rules on irregularities (FMJD annex 4 and 5), and guesses where
//! neither applies; profile.rs marks the source of each.

named_faults! {
    /// A deviation from an ideal game.
    pub enum Fault {
        /// Per capture: the captured pieces are removed before the capturing piece is touched.
        CapturedFirst = "captured-first",
        /// Per capture: each captured piece is removed while the capturing piece is still moving.
        CapturedDuring = "captured-during",
        /// Per capture of several: the captured pieces are removed in descending order.
        RemovalReversed = "removal-reversed",
        /// Per intermediate landing: the piece is not put down there.
        LandingMissed = "landing-missed",
        /// Per step over empty fields: the piece slides and touches them.
        Slide = "slide",
        /// Per captured piece: seen for a moment on an adjacent field during its removal.
        Blink = "blink",
        /// Per captured piece: put down on an adjacent field for 2 to 20 s.
        PutAside = "put-aside",
        /// Per capture: the lever is pressed before the captured pieces are removed.
        EarlyPress = "early-press",
        /// Per capture: pressed early, and the opponent touches a piece before the captured pieces are removed.
        Overlap = "overlap",
        /// Per ply: one to three pieces are adjusted before the move.
        Adjust = "adjust",
        /// Per ply with a square to hesitate on: the piece is first put down there.
        Hesitation = "hesitation",
        /// Per ply: the moved piece is touched again after the press.
        Nudge = "nudge",
        /// Per ply with an alternative: the alternative is played, pressed and taken back.
        TakenBack = "taken-back",
        /// An illegal ply that stands. Only the caller can write one into the script; the profile only stores the rate for the caller.
        IllegalStands = "illegal-stands",
        /// Per capture: one captured piece stays on the board for up to four plies.
        Forgotten = "forgotten",
        /// Per capture: a piece that was not captured is removed and put back 1.5 to 8 s later.
        ExtraRemoved = "extra-removed",
        /// Per ply: four to seven pieces are knocked over and put back within 10 to 20 s, without a press in between.
        Knocked = "knocked",
        /// Per knock: one piece is first put back on an adjacent field and corrected 4 to 15 s after the others.
        KnockedWrongly = "knocked-wrongly",
        /// Per placing: the piece is badly placed and flickers for 3 to 60 s.
        Flicker = "flicker",
        /// Per ply: the lifted piece stays in the hand for 4 to 25 s.
        HeldPiece = "held-piece",
        /// Per ply: the opponent replies before the player presses; the opponent presses after the player.
        ReplyBeforePress = "reply-before-press",
        /// Per ply: four to twelve pieces are adjusted before the move, some of them two at a time.
        AdjustMany = "adjust-many",
        /// Per crowning: happens 3 to 15 s after the press, while the opponent may be moving.
        CrownLate = "crown-late",
        /// Per capture: the second hand removes captured pieces while the first one puts the moved piece down.
        BothHands = "both-hands",
        /// Per ply: a draw is offered with the hand on the clock, and the press follows 4 to 15 s after the move.
        DrawOffer = "draw-offer",
        /// Per ply: a child lifts and replaces its piece and others several times before the move.
        Fidget = "fidget",
        /// Per ply: a child pushes its piece or others to adjacent squares, puts them back, and moves 1 to 8 s later.
        PushedAbout = "pushed-about",
        /// Per ply: the hand that moves and presses scatters two to five pieces nearby, which are put back up to 4 s after the press, while
        /// the opponent may be moving.
        PiecesScattered = "pieces-scattered",
        /// Per game: the game before it on the board was played with White on the other side of the clock, half of the time also of the
        /// board. Only the caller can write one into the script; the profile only stores the rate for the caller.
        SeatsSwapped = "seats-swapped",
        /// Per ply: the arbiter stops the clock, corrects the times and restarts it.
        ClockCorrected = "clock-corrected",
        /// Per ply: the arbiter stops the clock, goes back one to four plies, corrects the times and restarts it. Only the caller can write
        /// one into the script; the profile only stores the rate for the caller.
        PliesTakenBack = "plies-taken-back",
        /// Per set: a king is a second disc on top; the board still detects a man.
        CrownStacked = "crown-stacked",
        /// Per set: a king is a second disc on top and flickers on every field.
        CrownFlaky = "crown-flaky",
        /// Per crowning: happens only after the press.
        CrownAfterPress = "crown-after-press",
        /// Per crowning: never happens.
        CrownNever = "crown-never",
        /// Per ply: the press is forgotten; half of these presses follow 2 to 8 s later.
        PressForgotten = "press-forgotten",
        /// Per ply: the lever is pressed by mistake and pressed back 0.8 to 3 s later.
        PressMistaken = "press-mistaken",
        /// Per game: the last ply is not pressed.
        LastPressMissing = "last-press-missing",
        /// Per game: the opponent of the starting side starts the clock by pressing, instead of the arbiter.
        OpponentStarts = "opponent-starts",
        /// Per game: the clock is not stopped at the end.
        ClockLeftRunning = "clock-left-running",
        /// Per game: the players analyse on the board after the game.
        PostMortem = "post-mortem",
        /// Per game: the pieces are put back to the start position.
        Reset = "reset",
        /// Per message: lost.
        MessageLost = "message-lost",
        /// Per message: sent twice.
        MessageDoubled = "message-doubled",
        /// Per message: its end is missing.
        MessageCut = "message-cut",
        /// Per message: one bit is wrong.
        MessageFlipped = "message-flipped",
        /// Per message: up to twenty foreign bytes precede it.
        Garbage = "garbage",
        /// Per message: it arrives in several reads.
        SplitRead = "split-read",
        /// Per ply: the link is dead for 3 to 15 s.
        Outage = "outage",
        /// Per ply: the board loses its power for 1 to 5 s and restarts in bus mode.
        PowerCut = "power-cut",
        /// Per ply: the clock's cable is out for 5 to 60 s.
        ClockUnplugged = "clock-unplugged",
        /// Per clock command: an all-zero time follows.
        ZeroTime = "zero-time",
        /// Per ply: a button of the clock is pressed, which sends an unsolicited ack.
        ClockButton = "clock-button",
    }

    /// An unknown name of a fault.
    pub struct UnknownFault("no fault");
}
