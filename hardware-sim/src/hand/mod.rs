//! The hands: turn each ply into a sequence of physical actions with human times.
//!
//! ```text
//!  thinking ─▸ (adjust, hesitate) ─▸ lift ─▸ land ─▸ ... ─▸ land ─▸ take off, one by one ─▸ crown ─▸ press ─▸ (nudge)
//!     ▲                                                                                                │
//!     └────────────────────────────────── the opponent thinks from the press on ──────────────────────┘
//! ```
//!
//! One [`Hand`] moves for both players and knows the [`PlannedBoard`]. It plans ahead and returns [`Motion`]s in the future. Rates and
//! times come from the [`NoiseProfile`]; `ideal` produces only the line above.
//!
//! Invariants: a hand never touches a field that another action still needs; after every ply the table matches the script, except for
//! forgotten captured pieces and kings that were not crowned; a field named by the script is in order before its ply begins.
//!
//! | file | subject |
//! |---|---|
//! | this one | a ply from the first touch to the press, and shared actions of hands |
//! | `carry` | the move itself: lift, land, remove |
//! | `crowning` | detection of kings, and time of crowning |
//! | `press` | the lever |
//! | `hesitation` | hesitating, taking back |
//! | `slips` | pieces touched without need |
//! | `leftovers` | captured pieces that nobody removed |
//! | `unusual` | rare habits, which draw from their own generator |

mod carry;
mod crowning;
mod hesitation;
mod leftovers;
mod press;
mod slips;
mod unusual;

pub use crowning::Crown;

use crate::faults::Fault;
use crate::motion::{Action, Motion};
use crate::profile::NoiseProfile;
use crate::random::{Rng, Span};
use crate::scanner::SensorState;
use crate::script::Ply;
use crate::table::PlannedBoard;
use crate::truth::{Event, PlyId};
use leftovers::Leftover;

/// Constraints on the start of a player's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnTiming {
    /// Start of the player's thinking time.
    pub thinking_from_ms: u64,
    /// Earliest time of a touch.
    pub not_before_ms: u64,
    /// Time at which a hurrying player touches a piece, if they hurry.
    pub rush_ms: Option<u64>,
    /// Thinking time, if the planner fixes it.
    pub think_ms: Option<Span>,
    /// Earliest time of the press: the opponent presses first.
    pub press_after_ms: u64,
}

impl TurnTiming {
    /// Creates a turn whose thinking starts at `ms` and lasts as long as the profile says.
    pub fn at(ms: u64) -> TurnTiming {
        TurnTiming { thinking_from_ms: ms, not_before_ms: ms, rush_ms: None, think_ms: None, press_after_ms: 0 }
    }
}

/// Times of a finished ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlyTiming {
    /// Time of the first touch.
    pub touched_ms: u64,
    /// Time of the last action that belongs to the ply.
    pub settled_ms: u64,
    /// Time of the press, if there is one.
    pub pressed_ms: Option<u64>,
    /// Timing of the opponent's turn.
    pub next: TurnTiming,
}

/// The hands of both players.
#[derive(Debug, Clone)]
pub struct Hand {
    profile: NoiseProfile,
    rng: Rng,
    /// Draws of unusual hands; they never shift those of the others.
    unusual_rng: Rng,
    planned_board: PlannedBoard,
    crown: Crown,
    has_clock: bool,
    leftovers: Vec<Leftover>,
    motions: Vec<Motion>,
}

impl Hand {
    /// Creates hands at a table and draws the kind of the set's kings.
    pub fn new(profile: NoiseProfile, planned_board: PlannedBoard, mut rng: Rng) -> Hand {
        let unusual_rng = Rng::stream(rng.clone().next_u64(), "unusual");
        let crown = Crown::draw(&profile, &mut rng);
        Hand {
            profile,
            rng,
            unusual_rng,
            planned_board,
            crown,
            has_clock: true,
            leftovers: Vec::new(),
            motions: Vec::new(),
        }
    }

    /// Returns the planned table.
    pub fn planned_board(&self) -> &PlannedBoard {
        &self.planned_board
    }

    /// Returns the kind of kings.
    pub fn crown(&self) -> Crown {
        self.crown
    }

    /// Sets whether there is a clock to press.
    pub fn set_has_clock(&mut self, presses: bool) {
        self.has_clock = presses;
    }

    /// Returns all motions planned since the last call, in the order of planning, not of time.
    pub fn take_motions(&mut self) -> Vec<Motion> {
        std::mem::take(&mut self.motions)
    }

    /// Puts pieces on fields or removes them (code 0), one after another, `gap_ms` apart. Returns the time at which this is done.
    pub fn arrange(&mut self, from_ms: u64, pieces: &[(u8, u8)], gap_ms: Span) -> u64 {
        let mut at = from_ms;
        for (field, code) in pieces {
            at = (at + self.rng.span(gap_ms)).max(self.planned_board.ready_ms(*field));
            self.put(at, *field, *code, false);
        }
        at
    }

    /// Moves pieces without a press and without faults, for analysis after the game. Skips motions without a piece or without room. Returns
    /// the time at which this is done.
    pub fn shift(&mut self, from_ms: u64, ply: &Ply) -> u64 {
        if self.planned_board.code(ply.from) == 0 || (ply.to != ply.from && self.planned_board.code(ply.to) != 0) {
            return from_ms;
        }
        let ready = ply.fields().iter().map(|field| self.planned_board.ready_ms(*field)).max().unwrap_or(0);
        self.carry(None, ply, from_ms.max(ready)).settled_ms
    }

    /// Plays one ply with all its faults. `next` is the following ply, whose fields are left alone.
    pub fn play(&mut self, id: PlyId, ply: &Ply, turn: TurnTiming, next: Option<&Ply>) -> PlyTiming {
        let think = self.rng.span(turn.think_ms.unwrap_or(self.profile.think_ms));
        let mut at = turn.rush_ms.unwrap_or((turn.thinking_from_ms + think).max(turn.not_before_ms));
        let thinking = (turn.thinking_from_ms.max(turn.not_before_ms), at);
        at = self.clear_leftovers(id, ply, at);
        if turn.rush_ms.is_none() {
            at = self.adjust(id, at);
            at = self.adjust_many(id, at);
            at = self.fidget(id, ply, at);
            at = self.push_about(id, ply, at);
            at = self.press_by_mistake(id, ply.player, thinking, at);
        }
        let knock_before = self.rng.chance(0.5);
        let knocked = self.draw_fault(Fault::Knocked);
        if knocked && knock_before {
            at = self.knock(id, at) + self.rng.between(500, 2_000);
        }
        at = self.wait_for(&ply.fields(), at);
        if self.draw_fault(Fault::TakenBack)
            && let Some(wrong) = &ply.wrong_first
        {
            at = self.take_back(id, wrong, at);
        }
        if ply.is_illegal {
            self.note(at, Event::IllegalStands(id));
        }

        let carried = self.carry(Some(id), ply, at);
        let mut done = carried.settled_ms;
        self.note(carried.touched_ms, Event::Touched(id));
        done = self.remove_extra(id, ply, next, done);
        if knocked && !knock_before {
            done = self.knock(id, done + 100) + self.rng.between(300, 1_000);
        }

        let much_later = self.delay_crowning(ply);
        let crown_late = (self.draw_fault(Fault::CrownAfterPress) && self.has_clock) || much_later.is_some();
        if !crown_late {
            done = self.crown_piece(id, ply, done);
        }
        let delay = self.delay_press(next.is_some());
        let (pressed_ms, think_from) = self.press(id, ply.player, &carried, (done, turn.press_after_ms), delay);
        let after = pressed_ms.unwrap_or(done).max(done);
        self.scatter(id, ply, next, (done, after));
        let settled_ms = if crown_late { self.crown_piece(id, ply, after + much_later.unwrap_or(0)) } else { done };
        if ply.crown.is_some() && crown_late && settled_ms > after {
            let fault = if much_later.is_some() { Fault::CrownLate } else { Fault::CrownAfterPress };
            self.irregular(after, Some(id), fault, Some(ply.to), settled_ms);
        }
        self.nudge(id, ply, settled_ms.max(after));
        self.note(settled_ms, Event::Settled(id));

        let rush_ms =
            pressed_ms.filter(|pressed| carried.overlap && *pressed < carried.settled_ms).and_then(|pressed| {
                let free = next.is_some_and(|next| next.fields().iter().all(|field| !ply.captured.contains(field)));
                let gap = carried.settled_ms.saturating_sub(pressed) as u32;
                (free && !knocked && gap > 40).then(|| pressed + self.rng.between(20, gap - 20))
            });
        if let Some(rush) = rush_ms {
            self.irregular(rush, Some(id), Fault::Overlap, None, carried.settled_ms);
        }
        let early_reply_ms =
            pressed_ms.filter(|_| delay.is_some()).and_then(|pressed| self.early_reply(delay, (done, pressed)));
        let next = TurnTiming {
            thinking_from_ms: think_from,
            not_before_ms: done + 50,
            rush_ms: early_reply_ms.or(rush_ms),
            think_ms: None,
            press_after_ms: early_reply_ms.and(pressed_ms).map_or(0, |pressed| pressed + 200),
        };
        PlyTiming { touched_ms: carried.touched_ms, settled_ms, pressed_ms, next }
    }

    fn wait_for(&self, fields: &[u8], at: u64) -> u64 {
        fields
            .iter()
            .map(|field| self.planned_board.ready_ms(*field))
            .fold(at, |at, ready| if ready > at { ready + 50 } else { at })
    }

    fn hand_time(&mut self, median_ms: u32) -> u64 {
        self.rng.log_normal(median_ms, self.profile.spread)
    }

    fn draw_fault(&mut self, fault: Fault) -> bool {
        self.rng.chance(self.profile.rate(fault))
    }

    fn put(&mut self, at_ms: u64, field: u8, code: u8, flaky: bool) {
        self.planned_board.set(at_ms, field, code, flaky);
        self.motions.push(Motion { at_ms, action: Action::Put { field, sensor_state: SensorState::steady(code) } });
    }

    /// Puts a piece on an empty field for a while.
    fn visit(&mut self, field: u8, code: u8, from_ms: u64, to_ms: u64) {
        self.put(from_ms, field, code, false);
        self.put(to_ms, field, 0, false);
    }

    /// Lifts a piece from its field for a while.
    fn lift_and_replace(&mut self, field: u8, from_ms: u64, to_ms: u64) {
        let (code, flaky) = (self.planned_board.code(field), self.planned_board.is_flaky(field));
        self.put(from_ms, field, 0, false);
        self.put(to_ms, field, code, flaky);
    }

    fn note(&mut self, at_ms: u64, event: Event) {
        self.motions.push(Motion { at_ms, action: Action::Note(event) });
    }

    fn irregular(&mut self, at_ms: u64, ply: Option<PlyId>, fault: Fault, field: Option<u8>, until_ms: u64) {
        self.note(at_ms, Event::Irregular { ply, fault, field, until_ms });
    }
}

/// Table and hands for the tests of this module.
#[cfg(test)]
mod stage {
    use super::*;
    use crate::script::Player;

    pub const ID: PlyId = PlyId { game: 0, ply: 0 };

    /// Creates a table with a white man on 63, black men on 54 and 34, a distant black man on 9, and a white king on 90.
    pub fn table() -> PlannedBoard {
        let mut codes = vec![0; 100];
        for (field, code) in [(63, 1), (54, 4), (34, 4), (9, 4), (90, 7)] {
            codes[field] = code;
        }
        PlannedBoard::new(10, codes)
    }

    pub fn double() -> Ply {
        Ply::capture(Player::White, &[63, 45, 23], &[54, 34])
    }

    pub fn hand(profile: NoiseProfile, seed: u64) -> Hand {
        Hand::new(profile, table(), Rng::new(seed))
    }

    /// Returns all actions in the order of time: (field, code), or (255, 0) for a press.
    pub fn deeds(hand: &mut Hand) -> Vec<(u8, u8)> {
        let mut motions = hand.take_motions();
        motions.sort_by_key(|motion| motion.at_ms);
        let seen = |motion: &Motion| match &motion.action {
            Action::Put { field, sensor_state: contact } => Some((*field, contact.code)),
            Action::Press { .. } => Some((255, 0)),
            _ => None,
        };
        motions.iter().filter_map(seen).collect()
    }

    pub fn played(fault: Fault, ply: &Ply) -> Vec<(u8, u8)> {
        let mut hand = hand(NoiseProfile::only(fault, 1.0), 3);
        hand.play(ID, ply, TurnTiming::at(0), None);
        deeds(&mut hand)
    }
}

#[cfg(test)]
mod tests {
    use super::stage::*;
    use super::*;
    use crate::script::Player;

    #[test]
    fn ideal_hands_lift_land_take_and_press() {
        let mut hand = hand(NoiseProfile::ideal(), 1);
        let done = hand.play(ID, &double(), TurnTiming::at(1_000), None);
        assert_eq!(deeds(&mut hand), [(63, 0), (45, 1), (45, 0), (23, 1), (54, 0), (34, 0), (255, 0)]);
        assert!((7_000..=17_000).contains(&done.touched_ms));
        assert_eq!(done.next.thinking_from_ms, done.pressed_ms.unwrap());
        assert!(done.settled_ms < done.pressed_ms.unwrap());
    }

    #[test]
    fn no_press_without_clock() {
        let mut hand = hand(NoiseProfile::ideal(), 1);
        hand.set_has_clock(false);
        let done = hand.play(ID, &double(), TurnTiming::at(0), None);
        assert_eq!((done.pressed_ms, done.next.thinking_from_ms), (None, done.settled_ms));
    }

    /// Documents quote figures with their seeds, and failures are reproduced by seed: a seed must always produce the same motions.
    #[test]
    fn seed_keeps_same_motions() {
        let wrong = Ply::quiet(Player::White, 63, 52);
        let plies = [
            Ply { wrong_first: Some(Box::new(wrong)), hesitate_on: vec![52], ..double() },
            Ply { crown: Some(10), ..Ply::quiet(Player::Black, 9, 18) },
            Ply { hesitate_on: vec![81], ..Ply::quiet(Player::White, 90, 45) },
            Ply::quiet(Player::Black, 18, 27),
        ];
        let digest = |name: &str| {
            let mut sum = 0xcbf2_9ce4_8422_2325_u64;
            for seed in 0..200 {
                let mut hand = hand(name.parse().unwrap(), seed);
                let mut turn = TurnTiming::at(0);
                for (index, ply) in plies.iter().enumerate() {
                    turn = hand.play(PlyId { ply: index, ..ID }, ply, turn, plies.get(index + 1)).next;
                }
                for Motion { at_ms, action: deed } in hand.take_motions() {
                    let action_key = match deed {
                        Action::Put { field, sensor_state: contact } => {
                            [at_ms, u64::from(field), u64::from(contact.code)]
                        }
                        Action::Press { player: by, .. } => [at_ms, 255, by as u64],
                        _ => continue,
                    };
                    sum = action_key.iter().fold(sum, |sum, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3));
                }
            }
            sum
        };
        assert_eq!(
            ["ideal", "calm", "club", "blitz"].map(digest),
            [3718104981243006274, 1197795698601383376, 13897679191757737202, 696598344319142908]
        );
    }
}
