//! The hands: one ply becomes a row of physical actions with human times.
//!
//! ```text
//!  thinking ─▸ (adjust, hesitate) ─▸ lift ─▸ land ─▸ ... ─▸ land ─▸ take off, one by one ─▸ crown ─▸ press ─▸ (nudge)
//!     ▲                                                                                                │
//!     └────────────────────────────────── the opponent thinks from the press on ──────────────────────┘
//! ```
//!
//! One [`Hand`] moves for both players and knows the [`Table`]. It plans ahead: what it returns are [`Motion`]s in the future. Rates and
//! times come from the [`Profile`]; with `ideal` nothing but the line above happens.
//!
//! Invariants: a hand never touches a field that another action still needs; after every ply the table holds what the script says,
//! but for a piece forgotten on the board and kings that were not crowned; a field named by the script is in order before its
//! ply begins.

use crate::faults::Fault;
use crate::motion::{Deed, Motion};
use crate::profile::Profile;
use crate::random::{Rng, Span};
use crate::scanner::Contact;
use crate::script::{Player, Ply};
use crate::table::Table;
use crate::truth::{Event, PlyId};

/// How kings of this set look to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crown {
    /// A piece of its own with its own code.
    Piece,
    /// A second disc on top: still a man for the board.
    Stacked,
    /// A second disc on top that makes the king flicker.
    Flaky,
}

/// When a player may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// He thinks from here on.
    pub thinking_from_ms: u64,
    /// He touches nothing before.
    pub not_before_ms: u64,
    /// He is in such a hurry that his hand is there at this time.
    pub rush_ms: Option<u64>,
    /// His thinking, when the director fixes it.
    pub think_ms: Option<Span>,
}

impl Turn {
    /// Thinking starts at a time, as long as the profile says.
    pub fn at(ms: u64) -> Turn {
        Turn { thinking_from_ms: ms, not_before_ms: ms, rush_ms: None, think_ms: None }
    }
}

/// How a ply came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// First touch.
    pub touched_ms: u64,
    /// Last action that belongs to the ply.
    pub settled_ms: u64,
    /// The press, when there is one.
    pub pressed_ms: Option<u64>,
    /// The opponent's turn.
    pub next: Turn,
}

/// The hands of both players.
#[derive(Debug, Clone)]
pub struct Hand {
    profile: Profile,
    rng: Rng,
    table: Table,
    crown: Crown,
    presses: bool,
    forgotten: Vec<Leftover>,
    motions: Vec<Motion>,
}

/// A captured piece that nobody took off yet.
#[derive(Debug, Clone, Copy)]
struct Leftover {
    field: u8,
    after: PlyId,
    plies: u64,
}

/// What the moving itself came to.
struct Carried {
    touched_ms: u64,
    landed_ms: u64,
    settled_ms: u64,
    early_press: bool,
    overlap: bool,
}

impl Hand {
    /// Hands at a table. How the set's kings look is drawn here.
    pub fn new(profile: Profile, table: Table, mut rng: Rng) -> Hand {
        let draw = rng.unit();
        let stacked = profile.rate(Fault::CrownStacked);
        let crown = if draw < stacked {
            Crown::Stacked
        } else if draw < stacked + profile.rate(Fault::CrownFlaky) {
            Crown::Flaky
        } else {
            Crown::Piece
        };
        Hand { profile, rng, table, crown, presses: true, forgotten: Vec::new(), motions: Vec::new() }
    }

    /// The planned table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How kings look.
    pub fn crown(&self) -> Crown {
        self.crown
    }

    /// Whether there is a clock to press.
    pub fn set_presses(&mut self, presses: bool) {
        self.presses = presses;
    }

    /// Everything planned since the last call, in the order of planning, not of time.
    pub fn take_motions(&mut self) -> Vec<Motion> {
        std::mem::take(&mut self.motions)
    }

    /// Puts pieces on fields or takes them off (code 0), one after another, `gap_ms` apart; returns when done.
    pub fn arrange(&mut self, from_ms: u64, pieces: &[(u8, u8)], gap_ms: Span) -> u64 {
        let mut at = from_ms;
        for (field, code) in pieces {
            at = (at + self.rng.span(gap_ms)).max(self.table.ready_ms(*field));
            self.put(at, *field, *code, false);
        }
        at
    }

    /// Moves pieces without a press and without faults: analysis after the game. Returns when done. Motions that find no piece or no room are left out.
    pub fn shift(&mut self, from_ms: u64, ply: &Ply) -> u64 {
        if self.table.code(ply.from) == 0 || (ply.to != ply.from && self.table.code(ply.to) != 0) {
            return from_ms;
        }
        let ready = ply.fields().iter().map(|field| self.table.ready_ms(*field)).max().unwrap_or(0);
        self.carry(None, ply, from_ms.max(ready)).settled_ms
    }

    /// Plays one ply with everything that goes with it. `next` is the ply that follows: fields it needs are left alone.
    pub fn play(&mut self, id: PlyId, ply: &Ply, turn: Turn, next: Option<&Ply>) -> Played {
        let think = self.rng.span(turn.think_ms.unwrap_or(self.profile.think_ms));
        let mut at = turn.rush_ms.unwrap_or((turn.thinking_from_ms + think).max(turn.not_before_ms));
        let thinking = (turn.thinking_from_ms.max(turn.not_before_ms), at);
        at = self.clear_leftovers(id, ply, at);
        if turn.rush_ms.is_none() {
            at = self.adjust(id, at);
            at = self.press_by_mistake(id, ply.by, thinking, at);
        }
        let knock_before = self.rng.chance(0.5);
        let knocked = self.strikes(Fault::Knocked);
        if knocked && knock_before {
            at = self.knock(id, at) + self.rng.between(500, 2_000);
        }
        at = self.wait_for(&ply.fields(), at);
        if self.strikes(Fault::TakenBack)
            && let Some(wrong) = &ply.wrong_first
        {
            at = self.take_back(id, wrong, at);
        }
        if ply.illegal {
            self.note(at, Event::IllegalStands(id));
        }

        let carried = self.carry(Some(id), ply, at);
        let mut done = carried.settled_ms;
        self.note(carried.touched_ms, Event::Touched(id));
        done = self.remove_extra(id, ply, next, done);
        if knocked && !knock_before {
            done = self.knock(id, done + 100) + self.rng.between(300, 1_000);
        }

        let crown_late = self.strikes(Fault::CrownAfterPress) && self.presses;
        if !crown_late {
            done = self.crown_piece(id, ply, done);
        }
        let (pressed_ms, think_from) = self.press(id, ply.by, &carried, done);
        let after = pressed_ms.unwrap_or(done).max(done);
        let settled_ms = if crown_late { self.crown_piece(id, ply, after) } else { done };
        if ply.crown.is_some() && crown_late && settled_ms > after {
            self.irregular(after, Some(id), Fault::CrownAfterPress, Some(ply.to), settled_ms);
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
        let next = Turn { thinking_from_ms: think_from, not_before_ms: done + 50, rush_ms, think_ms: None };
        Played { touched_ms: carried.touched_ms, settled_ms, pressed_ms, next }
    }

    /// The move itself: lift, land, take off.
    fn carry(&mut self, id: Option<PlyId>, ply: &Ply, start_ms: u64) -> Carried {
        let plain = id.is_none();
        let mut at = start_ms;
        let captures = !ply.captured.is_empty();
        let (early_press, overlap) = self.draw_haste(captures && !plain);
        let order = self.draw_order(captures && !plain && !early_press);
        let mut waiting = ply.captured.clone();
        if self.strikes(Fault::RemovalReversed) && !plain && waiting.len() > 1 {
            waiting.reverse();
            self.irregular(at, id, Fault::RemovalReversed, None, at);
        }
        if captures && !plain && self.strikes(Fault::Forgotten) {
            self.forget_one(id, ply, &mut waiting, at);
        }

        let touched_ms = at;
        if order == Order::First {
            self.irregular(at, id, Fault::CapturedFirst, None, at);
            for (index, field) in std::mem::take(&mut waiting).into_iter().enumerate() {
                at += if index == 0 { 0 } else { self.hand_time(self.profile.remove_ms) };
                at = self.take_off(id, field, at, ply);
            }
            at += self.hand_time(self.profile.move_ms);
        }
        let piece = self.table.code(ply.from);
        let flaky = self.table.is_flaky(ply.from);
        self.put(at, ply.from, 0, false);
        at = self.hesitate(id, ply, piece, at);

        let path = ply.path();
        let last = path.len() - 2;
        for (leg, step) in path.windows(2).enumerate() {
            let &[a, b] = step else { continue };
            let travel = self.hand_time(self.profile.move_ms);
            self.slide(id, ply, (a, b), piece, (at, at + travel));
            at += travel;
            let rests = leg < last && (plain || !self.strikes(Fault::LandingMissed));
            if (rests || leg == last)
                && let Some(index) = waiting.iter().position(|field| *field == b)
            {
                // Where pieces leave the board one by one, a capture may come down where it took one before.
                let field = waiting.remove(index);
                at = self.take_off(id, field, at, ply) + self.hand_time(self.profile.remove_ms);
            }
            if rests {
                at = at.max(self.table.ready_ms(b));
                self.put(at, b, piece, false);
            }
            if leg == last {
                self.place(id, at, ply.to, piece, flaky);
            }
            let jumped = ply.captured.get(leg).copied();
            if order == Order::During
                && let Some(index) = waiting.iter().position(|field| Some(*field) == jumped)
            {
                let field = waiting.remove(index);
                at += self.hand_time(self.profile.remove_ms);
                at = self.take_off(id, field, at, ply);
                self.irregular(at, id, Fault::CapturedDuring, Some(field), at);
            }
            if leg < last {
                at += self.rng.span(self.profile.dwell_ms);
                if rests {
                    self.put(at, b, 0, false);
                } else {
                    self.irregular(at, id, Fault::LandingMissed, Some(b), at);
                }
            }
        }

        let landed_ms = at;
        for field in waiting {
            at += self.hand_time(self.profile.remove_ms);
            at = self.take_off(id, field, at, ply);
        }
        Carried { touched_ms, landed_ms, settled_ms: at, early_press, overlap }
    }

    /// Taking a captured piece away from the board; it may be seen elsewhere on its way.
    fn take_off(&mut self, id: Option<PlyId>, field: u8, at: u64, ply: &Ply) -> u64 {
        let code = self.table.code(field);
        self.put(at, field, 0, false);
        if id.is_none() {
            return at;
        }
        let (blinks, aside) = (self.strikes(Fault::Blink), self.strikes(Fault::PutAside));
        let mut room = self.table.room_around(at, field);
        room.retain(|near| !ply.fields().contains(near));
        let Some(near) = self.rng.pick(&room).copied() else { return at };
        if aside {
            let start = at + self.rng.between(60, 200);
            let end = start + self.rng.between(2_000, 20_000);
            self.visit(near, code, start, end);
            self.irregular(start, id, Fault::PutAside, Some(near), end);
        } else if blinks {
            let start = at + self.rng.between(40, 120);
            let end = start + self.rng.between(80, 350);
            self.visit(near, code, start, end);
            self.irregular(start, id, Fault::Blink, Some(near), end);
            return end;
        }
        at
    }

    fn slide(&mut self, id: Option<PlyId>, ply: &Ply, (a, b): (u8, u8), piece: u8, (from_ms, to_ms): (u64, u64)) {
        let mut fields = self.table.between(a, b);
        fields.retain(|field| {
            self.table.code(*field) == 0 && self.table.ready_ms(*field) <= from_ms && !ply.captured.contains(field)
        });
        if fields.is_empty() || !self.strikes(Fault::Slide) || id.is_none() {
            return;
        }
        let step = (to_ms - from_ms) / (fields.len() as u64 + 1);
        for (index, field) in fields.iter().enumerate() {
            let start = from_ms + step / 2 + step * index as u64;
            self.visit(*field, piece, start, start + step * 9 / 10);
        }
        self.irregular(from_ms, id, Fault::Slide, fields.first().copied(), to_ms);
    }

    fn hesitate(&mut self, id: Option<PlyId>, ply: &Ply, piece: u8, at: u64) -> u64 {
        let strikes = self.strikes(Fault::Hesitation);
        let room: Vec<u8> = ply
            .hesitate_on
            .iter()
            .copied()
            .filter(|field| self.table.code(*field) == 0 && self.table.ready_ms(*field) <= at && *field != ply.to)
            .collect();
        let Some(field) = self.rng.pick(&room).copied().filter(|_| strikes && id.is_some()) else { return at };
        let start = at + self.hand_time(self.profile.move_ms);
        let end = start + self.rng.between(300, 2_500);
        self.visit(field, piece, start, end);
        self.irregular(start, id, Fault::Hesitation, Some(field), end);
        end
    }

    /// Puts the moved piece down where it stays: well, or so badly that it flickers.
    fn place(&mut self, id: Option<PlyId>, at: u64, field: u8, code: u8, flaky: bool) {
        let badly = self.strikes(Fault::Flicker) && id.is_some();
        let percent = self.rng.between(10, 50) as u8;
        let until = at + self.rng.between(3_000, 60_000);
        if badly || (flaky && id.is_some()) {
            let contact = Contact { code, flicker_percent: percent, flicker_until_ms: until };
            self.motions.push(Motion { at_ms: at, deed: Deed::Put { field, contact } });
            self.table.set(at, field, code, flaky);
            let fault = if badly { Fault::Flicker } else { Fault::CrownFlaky };
            self.irregular(at, id, fault, Some(field), until);
        } else {
            self.put(at, field, code, flaky);
        }
    }

    fn crown_piece(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let never = self.strikes(Fault::CrownNever);
        let start = at + self.rng.span(self.profile.crown_ms);
        let Some(code) = ply.crown else { return at };
        if never {
            self.irregular(at, Some(id), Fault::CrownNever, Some(ply.to), at);
            return at;
        }
        match self.crown {
            Crown::Piece => {
                let end = start + self.rng.between(200, 500);
                self.put(start, ply.to, 0, false);
                self.put(end, ply.to, code, false);
                end
            }
            Crown::Stacked => {
                self.irregular(start, Some(id), Fault::CrownStacked, Some(ply.to), start);
                self.table.hold(ply.to, start);
                start
            }
            Crown::Flaky => {
                let man = self.table.code(ply.to);
                self.place(Some(id), start, ply.to, man, true);
                start
            }
        }
    }

    /// The press that ends a ply: when it happens, and from when the opponent thinks.
    fn press(&mut self, id: PlyId, by: Player, carried: &Carried, done: u64) -> (Option<u64>, u64) {
        let forgotten = self.strikes(Fault::PressForgotten);
        let late = self.rng.chance(0.5);
        let delay = self.hand_time(self.profile.press_ms);
        if !self.presses {
            return (None, done);
        }
        if forgotten && !late {
            self.irregular(done, Some(id), Fault::PressForgotten, None, done);
            return (None, done + self.rng.between(500, 1_500));
        }
        let pressed = if forgotten {
            let pressed = done + self.rng.between(2_000, 8_000);
            self.irregular(done, Some(id), Fault::PressForgotten, None, pressed);
            pressed
        } else if carried.early_press && carried.settled_ms > carried.landed_ms + 40 {
            let gap = (carried.settled_ms - carried.landed_ms) as u32;
            let pressed = (carried.landed_ms + delay / 2).min(carried.landed_ms + u64::from(gap / 2));
            self.irregular(pressed, Some(id), Fault::EarlyPress, None, carried.settled_ms);
            pressed
        } else {
            done + delay
        };
        self.motions.push(Motion { at_ms: pressed, deed: Deed::Press { by, ply: Some(id) } });
        (Some(pressed), pressed)
    }

    fn nudge(&mut self, id: PlyId, ply: &Ply, after: u64) {
        let strikes = self.strikes(Fault::Nudge);
        let start = after + self.rng.between(100, 800);
        let end = start + self.rng.between(100, 500);
        if strikes && self.table.code(ply.to) != 0 {
            self.lift_and_replace(ply.to, start, end);
            self.irregular(start, Some(id), Fault::Nudge, Some(ply.to), end);
        }
    }

    fn adjust(&mut self, id: PlyId, at: u64) -> u64 {
        let mut at = at;
        if !self.strikes(Fault::Adjust) {
            return at;
        }
        for _ in 0..self.rng.between(1, 3) {
            let pieces = self.table.occupied(at);
            let Some(field) = self.rng.pick(&pieces).copied() else { return at };
            let end = at + self.rng.between(100, 600);
            self.lift_and_replace(field, at, end);
            self.irregular(at, Some(id), Fault::Adjust, Some(field), end);
            at = end + self.rng.between(100, 400);
        }
        at
    }

    fn press_by_mistake(&mut self, id: PlyId, by: Player, (from, to): (u64, u64), at: u64) -> u64 {
        let strikes = self.strikes(Fault::PressMistaken);
        let start = from + self.rng.below(to.saturating_sub(from).max(1));
        let back = start + self.rng.between(800, 3_000);
        if !strikes || !self.presses {
            return at;
        }
        self.motions.push(Motion { at_ms: start, deed: Deed::Press { by, ply: None } });
        self.motions.push(Motion { at_ms: back, deed: Deed::Press { by: by.other(), ply: None } });
        self.irregular(start, Some(id), Fault::PressMistaken, None, back);
        at.max(back + 200)
    }

    /// Two to six pieces that stand near one another fall and are put back one by one.
    fn knock(&mut self, id: PlyId, at: u64) -> u64 {
        let mut pieces = self.table.occupied(at);
        let Some(centre) = self.rng.pick(&pieces).copied() else { return at };
        pieces.sort_by_key(|field| (self.table.distance(centre, *field), *field));
        pieces.truncate(self.rng.between(2, 6) as usize);
        let mut fallen: Vec<(u8, u8, bool)> =
            pieces.iter().map(|field| (*field, self.table.code(*field), self.table.is_flaky(*field))).collect();
        for (field, _, _) in &fallen {
            let when = at + self.rng.between(0, 150);
            self.put(when, *field, 0, false);
        }
        let end = at + self.rng.between(7_000, 20_000);
        self.rng.shuffle(&mut fallen);
        let gap = (end - at) / (fallen.len() as u64 + 1);
        let wrongly = self.strikes(Fault::KnockedWrongly);
        let mut last = end;
        for (index, (field, code, flaky)) in fallen.iter().enumerate() {
            let when = at + gap * (index as u64 + 2);
            let mut room = self.table.room_around(at, *field);
            room.retain(|near| !pieces.contains(near));
            let near = self.rng.pick(&room).copied();
            if let (0, true, Some(near)) = (index, wrongly, near) {
                let right = end + self.rng.between(1_000, 4_000);
                self.visit(near, *code, when, right - 300);
                self.put(right, *field, *code, *flaky);
                self.irregular(when, Some(id), Fault::KnockedWrongly, Some(near), right);
                last = right;
            } else {
                self.put(when, *field, *code, *flaky);
            }
        }
        self.irregular(at, Some(id), Fault::Knocked, Some(centre), last);
        last
    }

    fn remove_extra(&mut self, id: PlyId, ply: &Ply, next: Option<&Ply>, at: u64) -> u64 {
        if ply.captured.is_empty() || !self.strikes(Fault::ExtraRemoved) {
            return at;
        }
        let mut pieces = self.table.occupied(at);
        pieces.retain(|field| {
            !ply.fields().contains(field)
                && !next.is_some_and(|next| next.fields().contains(field))
                && self.forgotten.iter().all(|left| left.field != *field)
        });
        pieces
            .sort_by_key(|field| (ply.captured.iter().map(|taken| self.table.distance(*taken, *field)).min(), *field));
        let Some(field) = pieces.first().copied() else { return at };
        let start = at + self.hand_time(self.profile.remove_ms);
        let end = start + self.rng.between(1_500, 8_000);
        self.lift_and_replace(field, start, end);
        self.irregular(start, Some(id), Fault::ExtraRemoved, Some(field), end);
        start
    }

    /// Leaves one of the captured pieces standing, unless the moving piece lands there.
    fn forget_one(&mut self, id: Option<PlyId>, ply: &Ply, waiting: &mut Vec<u8>, at: u64) {
        let Some(id) = id else { return };
        let plies = self.rng.between(0, 4);
        let index = self.rng.below(waiting.len() as u64) as usize;
        if waiting.get(index).is_some_and(|field| !ply.path().contains(field)) {
            let field = waiting.remove(index);
            self.forgotten.push(Leftover { field, after: id, plies });
            self.irregular(at, Some(id), Fault::Forgotten, Some(field), at);
        }
    }

    /// Takes off what was forgotten long enough ago, or is in the way of this ply.
    fn clear_leftovers(&mut self, id: PlyId, ply: &Ply, at: u64) -> u64 {
        let mut at = at;
        let mut needed = ply.fields();
        needed.extend(&ply.hesitate_on);
        needed.extend(ply.wrong_first.iter().flat_map(|wrong| wrong.fields()));
        for step in ply.path().windows(2) {
            needed.extend(self.table.between(step[0], step[1]));
        }
        for left in std::mem::take(&mut self.forgotten) {
            let due = id.game != left.after.game || (id.ply - left.after.ply) as u64 > left.plies;
            if due || needed.contains(&left.field) {
                at = self.wait_for(&[left.field], at) + self.hand_time(self.profile.remove_ms);
                self.put(at, left.field, 0, false);
                self.note(at, Event::LeftoverRemoved { field: left.field });
                at += self.hand_time(self.profile.move_ms);
            } else {
                self.forgotten.push(left);
            }
        }
        at
    }

    /// Plays a wrong ply, presses, and puts everything back; returns when the right ply may begin.
    fn take_back(&mut self, id: PlyId, wrong: &Ply, at: u64) -> u64 {
        if self.table.code(wrong.from) == 0 {
            return at;
        }
        let at = self.wait_for(&wrong.fields(), at);
        let before: Vec<(u8, u8, bool)> = (wrong.fields().into_iter())
            .map(|field| (field, self.table.code(field), self.table.is_flaky(field)))
            .collect();
        let played = self.carry(None, wrong, at).settled_ms;
        let pressed = played + self.hand_time(self.profile.press_ms);
        let mut back = pressed + self.rng.between(1_000, 4_000);
        if self.presses {
            self.motions.push(Motion { at_ms: pressed, deed: Deed::Press { by: wrong.by, ply: None } });
        }
        self.note(pressed, Event::WrongPly(id));
        self.put(back, wrong.to, 0, false);
        for (field, code, flaky) in before {
            if self.table.code(field) != code {
                back += self.hand_time(self.profile.move_ms);
                self.put(back, field, code, flaky);
            }
        }
        self.note(back, Event::TakenBack(id));
        self.irregular(at, Some(id), Fault::TakenBack, Some(wrong.to), back);
        if self.presses {
            back += self.hand_time(self.profile.press_ms);
            self.motions.push(Motion { at_ms: back, deed: Deed::Press { by: wrong.by.other(), ply: None } });
        }
        back + self.rng.between(800, 5_000)
    }

    fn draw_order(&mut self, captures: bool) -> Order {
        let (first, during) = (self.profile.rate(Fault::CapturedFirst), self.profile.rate(Fault::CapturedDuring));
        let draw = self.rng.unit();
        match draw {
            _ if !captures => Order::After,
            _ if draw < first => Order::First,
            _ if draw < first + during => Order::During,
            _ => Order::After,
        }
    }

    /// Whether the lever is pressed before the captured pieces are off, and whether the opponent is there before that, too.
    fn draw_haste(&mut self, captures: bool) -> (bool, bool) {
        let draw = self.rng.unit();
        let overlap = self.profile.rate(Fault::Overlap);
        let early = self.profile.rate(Fault::EarlyPress).max(overlap);
        let possible = captures && self.presses;
        (possible && draw < early, possible && draw < overlap)
    }

    fn wait_for(&self, fields: &[u8], at: u64) -> u64 {
        fields
            .iter()
            .map(|field| self.table.ready_ms(*field))
            .fold(at, |at, ready| if ready > at { ready + 50 } else { at })
    }

    fn hand_time(&mut self, median_ms: u32) -> u64 {
        self.rng.log_normal(median_ms, self.profile.spread)
    }

    fn strikes(&mut self, fault: Fault) -> bool {
        self.rng.chance(self.profile.rate(fault))
    }

    fn put(&mut self, at_ms: u64, field: u8, code: u8, flaky: bool) {
        self.table.set(at_ms, field, code, flaky);
        self.motions.push(Motion { at_ms, deed: Deed::Put { field, contact: Contact::steady(code) } });
    }

    /// A piece that stands on an empty field for a while.
    fn visit(&mut self, field: u8, code: u8, from_ms: u64, to_ms: u64) {
        self.put(from_ms, field, code, false);
        self.put(to_ms, field, 0, false);
    }

    /// A piece that leaves its field for a while.
    fn lift_and_replace(&mut self, field: u8, from_ms: u64, to_ms: u64) {
        let (code, flaky) = (self.table.code(field), self.table.is_flaky(field));
        self.put(from_ms, field, 0, false);
        self.put(to_ms, field, code, flaky);
    }

    fn note(&mut self, at_ms: u64, event: Event) {
        self.motions.push(Motion { at_ms, deed: Deed::Note(event) });
    }

    fn irregular(&mut self, at_ms: u64, ply: Option<PlyId>, fault: Fault, field: Option<u8>, until_ms: u64) {
        self.note(at_ms, Event::Irregular { ply, fault, field, until_ms });
    }
}

/// When captured pieces leave the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    First,
    During,
    After,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: PlyId = PlyId { game: 0, ply: 0 };

    /// A white man on 63, black men on 54 and 34, a black man far away on 9, and a king of White on 90.
    fn table() -> Table {
        let mut codes = vec![0; 100];
        for (field, code) in [(63, 1), (54, 4), (34, 4), (9, 4), (90, 7)] {
            codes[field] = code;
        }
        Table::new(10, codes)
    }

    fn double() -> Ply {
        Ply::capture(Player::White, &[63, 45, 23], &[54, 34])
    }

    fn hand(profile: Profile, seed: u64) -> Hand {
        Hand::new(profile, table(), Rng::new(seed))
    }

    /// Everything done, in the order of time: (field, code), or (255, 0) for a press.
    fn deeds(hand: &mut Hand) -> Vec<(u8, u8)> {
        let mut motions = hand.take_motions();
        motions.sort_by_key(|motion| motion.at_ms);
        let seen = |motion: &Motion| match &motion.deed {
            Deed::Put { field, contact } => Some((*field, contact.code)),
            Deed::Press { .. } => Some((255, 0)),
            _ => None,
        };
        motions.iter().filter_map(seen).collect()
    }

    fn played(fault: Fault, ply: &Ply) -> Vec<(u8, u8)> {
        let mut hand = hand(Profile::only(fault, 1.0), 3);
        hand.play(ID, ply, Turn::at(0), None);
        deeds(&mut hand)
    }

    #[test]
    fn ideal_hands_lift_land_take_and_press() {
        let mut hand = hand(Profile::ideal(), 1);
        let done = hand.play(ID, &double(), Turn::at(1_000), None);
        assert_eq!(deeds(&mut hand), [(63, 0), (45, 1), (45, 0), (23, 1), (54, 0), (34, 0), (255, 0)]);
        assert!((7_000..=17_000).contains(&done.touched_ms));
        assert_eq!(done.next.thinking_from_ms, done.pressed_ms.unwrap());
        assert!(done.settled_ms < done.pressed_ms.unwrap());
    }

    #[test]
    fn captured_pieces_leave_first_during_or_reversed() {
        assert_eq!(played(Fault::CapturedFirst, &double())[..3], [(54, 0), (34, 0), (63, 0)]);
        assert_eq!(
            played(Fault::CapturedDuring, &double()),
            [(63, 0), (45, 1), (54, 0), (45, 0), (23, 1), (34, 0), (255, 0)]
        );
        assert_eq!(played(Fault::RemovalReversed, &double())[4..6], [(34, 0), (54, 0)]);
    }

    #[test]
    fn a_capture_that_lands_where_it_took_a_piece_takes_it_off_before() {
        // A Turkish king goes up over 64, left over 43, down over 51, and right over 63 to where the first piece stood.
        let mut codes = vec![0; 100];
        for (field, code) in [(84, 7), (64, 4), (43, 4), (51, 4), (63, 4)] {
            codes[field] = code;
        }
        let round = Ply::capture(Player::White, &[84, 44, 41, 61, 64], &[64, 43, 51, 63]);
        for seed in 0..50 {
            for (name, profile) in [("ideal", Profile::ideal()), ("forgets", Profile::only(Fault::Forgotten, 1.0))] {
                let mut hand = Hand::new(profile, Table::new(10, codes.clone()), Rng::new(seed));
                hand.play(ID, &round, Turn::at(0), None);
                assert_eq!(
                    [84, 44, 41, 61, 64].map(|field| hand.table().code(field)),
                    [0, 0, 0, 0, 7],
                    "{name} {seed}"
                );
                let put: Vec<_> = deeds(&mut hand).into_iter().filter(|deed| deed.0 == 64).collect();
                assert_eq!(put, [(64, 0), (64, 7)], "{name} {seed}");
            }
        }
    }

    #[test]
    fn a_landing_that_is_missed_is_not_seen() {
        assert_eq!(played(Fault::LandingMissed, &double()), [(63, 0), (23, 1), (54, 0), (34, 0), (255, 0)]);
    }

    #[test]
    fn a_slide_touches_the_fields_on_its_way_one_after_another() {
        // 90 81 72 63 54 45: men stand on 63 and 54, so only 81 and 72 are felt.
        let slide = Ply::quiet(Player::White, 90, 45);
        assert_eq!(played(Fault::Slide, &slide), [(90, 0), (81, 7), (81, 0), (72, 7), (72, 0), (45, 7), (255, 0)]);
    }

    #[test]
    fn early_presses_come_before_the_last_captured_piece_is_off() {
        let early = played(Fault::EarlyPress, &double());
        assert!(early.iter().position(|deed| *deed == (255, 0)) < early.iter().position(|deed| *deed == (34, 0)));
        let mut hand = hand(Profile::only(Fault::Overlap, 1.0), 3);
        let reply = Ply::quiet(Player::Black, 9, 18);
        let done = hand.play(ID, &double(), Turn::at(0), Some(&reply));
        let rush = done.next.rush_ms.unwrap();
        assert!(done.pressed_ms.unwrap() < rush && rush < done.settled_ms);
        let conflict = Ply::quiet(Player::Black, 9, 54);
        let mut hand = super::tests::hand(Profile::only(Fault::Overlap, 1.0), 3);
        assert_eq!(hand.play(ID, &double(), Turn::at(0), Some(&conflict)).next.rush_ms, None);
    }

    #[test]
    fn forgotten_pieces_are_taken_off_when_they_are_in_the_way() {
        let mut hand = hand(Profile::only(Fault::Forgotten, 1.0), 3);
        let done = hand.play(ID, &double(), Turn::at(0), None);
        let left: Vec<u8> = [54, 34].into_iter().filter(|field| hand.table().code(*field) != 0).collect();
        assert_eq!(left.len(), 1);
        let through = Ply::quiet(Player::Black, 9, left[0]);
        let id = PlyId { ply: 1, ..ID };
        hand.play(id, &through, done.next, None);
        assert_eq!(hand.table().code(left[0]), 4, "the black man stands there now");
        let put: Vec<_> = deeds(&mut hand).into_iter().filter(|deed| deed.0 == left[0]).collect();
        assert_eq!(put, [(left[0], 0), (left[0], 4)]);
    }

    #[test]
    fn kings_look_as_their_set_makes_them() {
        let crowning = Ply { crown: Some(7), ..Ply::quiet(Player::White, 63, 5) };
        assert_eq!(played(Fault::PutAside, &crowning), [(63, 0), (5, 1), (5, 0), (5, 7), (255, 0)]);
        assert_eq!(played(Fault::CrownStacked, &crowning), [(63, 0), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownFlaky, &crowning), [(63, 0), (5, 1), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownNever, &crowning), [(63, 0), (5, 1), (255, 0)]);
        assert_eq!(played(Fault::CrownAfterPress, &crowning), [(63, 0), (5, 1), (255, 0), (5, 0), (5, 7)]);
    }

    #[test]
    fn a_ply_taken_back_leaves_nothing_behind() {
        let wrong = Ply { crown: Some(7), ..double() };
        let right = Ply { wrong_first: Some(Box::new(wrong)), ..Ply::quiet(Player::White, 90, 81) };
        let deeds = played(Fault::TakenBack, &right);
        assert_eq!(deeds.iter().filter(|deed| deed.0 == 255).count(), 3);
        assert_eq!(deeds[deeds.len() - 3..], [(90, 0), (81, 7), (255, 0)]);
        let mut hand = hand(Profile::only(Fault::TakenBack, 1.0), 3);
        hand.play(ID, &right, Turn::at(0), None);
        assert_eq!([63, 54, 34, 23, 81].map(|field| hand.table().code(field)), [1, 4, 4, 0, 7]);
    }

    #[test]
    fn presses_are_forgotten_late_or_for_good_and_made_by_mistake() {
        let quiet = Ply::quiet(Player::White, 90, 81);
        let late: Vec<Option<u64>> = (0..40)
            .map(|seed| {
                let done = hand(Profile::only(Fault::PressForgotten, 1.0), seed).play(ID, &quiet, Turn::at(0), None);
                done.pressed_ms.map(|pressed| pressed - done.settled_ms)
            })
            .collect();
        assert!(late.contains(&None) && late.iter().flatten().all(|delay| (2_000..=8_000).contains(delay)));
        assert_eq!(played(Fault::PressMistaken, &quiet), [(255, 0), (255, 0), (90, 0), (81, 7), (255, 0)]);
    }

    #[test]
    fn without_a_clock_there_is_no_press() {
        let mut hand = hand(Profile::ideal(), 1);
        hand.set_presses(false);
        let done = hand.play(ID, &double(), Turn::at(0), None);
        assert_eq!((done.pressed_ms, done.next.thinking_from_ms), (None, done.settled_ms));
    }

    /// Figures are quoted with their seeds, and failures are told by them: a seed must go on to mean the same motions.
    #[test]
    fn a_seed_goes_on_to_mean_the_same_motions() {
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
                let mut turn = Turn::at(0);
                for (index, ply) in plies.iter().enumerate() {
                    turn = hand.play(PlyId { ply: index, ..ID }, ply, turn, plies.get(index + 1)).next;
                }
                for Motion { at_ms, deed } in hand.take_motions() {
                    let what = match deed {
                        Deed::Put { field, contact } => [at_ms, u64::from(field), u64::from(contact.code)],
                        Deed::Press { by, .. } => [at_ms, 255, by as u64],
                        _ => continue,
                    };
                    sum = what.iter().fold(sum, |sum, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3));
                }
            }
            sum
        };
        assert_eq!(["ideal", "calm", "club", "blitz"].map(digest), [3718104981243006274, 1197795698601383376, 13897679191757737202, 5559729310062524232]);
    }
}
