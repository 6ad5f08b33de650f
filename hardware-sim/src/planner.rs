//! The planner: turns a script into one long list of motions, before anything moves.
//!
//! ```text
//!  set up ─▸ start the clock ─▸ ply ─▸ ply ─▸ ... ─▸ over ─▸ stop the clock ─▸ analyse ─▸ reset the pieces ─▸ next game
//! ```
//!
//! Nothing that a host sends changes what people do, so everything is drawn at the start and the world only carries it out. The plan can be
//! printed before the first byte.

use crate::clock::ClockSide;
use crate::faults::Fault;
use crate::hand::{Crown, Hand, TurnTiming};
use crate::motion::{Action, Motion};
use crate::profile::NoiseProfile;
use crate::random::{Rng, Span};
use crate::script::{Game, InitialBoard, Player, Ply};
use crate::table::PlannedBoard;
use crate::truth::{Event, PlyId};

/// A period without a link; bytes sent in it are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// First millisecond without a link.
    pub from_ms: u64,
    /// First millisecond with the link again.
    pub to_ms: u64,
}

impl Outage {
    /// Whether the link is dead at this time.
    pub fn covers(&self, ms: u64) -> bool {
        (self.from_ms..self.to_ms).contains(&ms)
    }
}

/// All actions of people, in the order of time.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Contents of the board when it is powered on.
    pub initial_codes: Vec<u8>,
    /// Motions, by time.
    pub motions: Vec<Motion>,
    /// Periods without a link.
    pub outages: Vec<Outage>,
    /// Time after which nothing is planned.
    pub end_ms: u64,
    /// Kind of kings.
    pub crown: Crown,
    /// Side that is high before the first start.
    pub first_high: ClockSide,
}

/// Plans all games on a board with `cols` columns.
pub fn plan(cols: u8, games: &[Game], profile: &NoiseProfile, seed: u64) -> Plan {
    let standing = games.first().map(standing).unwrap_or_default();
    let table = PlannedBoard::new(cols, standing.clone());
    let mut director = Planner {
        hand: Hand::new(profile.clone(), table, Rng::stream(seed, "hand")),
        rng: Rng::stream(seed, "director"),
        arbiter_rng: Rng::stream(seed, "arbiter"),
        profile,
        motions: Vec::new(),
        outages: Vec::new(),
    };
    let mut now = 0;
    for (index, game) in games.iter().enumerate() {
        now = director.game(index, game, games.get(index + 1), now);
    }
    let crown = director.hand.crown();
    let mut motions = director.hand.take_motions();
    motions.append(&mut director.motions);
    motions.sort_by_key(|motion| motion.at_ms);
    let end_ms = motions.last().map_or(now, |last| last.at_ms.max(now)) + 3_000;
    let mut outages = director.outages;
    outages.sort_by_key(|outage| outage.from_ms);
    let first_high = games.first().map_or(ClockSide::Left, |game| side_of(game, starter(game)));
    Plan { initial_codes: standing, motions, outages, end_ms, crown, first_high }
}

/// Returns a player's side of the clock in this game.
pub fn side_of(game: &Game, player: Player) -> ClockSide {
    match player {
        Player::White => game.white_side,
        Player::Black => game.white_side.other(),
    }
}

fn starter(game: &Game) -> Player {
    game.plies.first().map_or(Player::White, |ply| ply.player)
}

fn standing(game: &Game) -> Vec<u8> {
    match &game.initial_board {
        InitialBoard::Ready => game.start.clone(),
        InitialBoard::Empty => vec![0; game.start.len()],
        InitialBoard::HalfSetUp => {
            // Every other piece is already on the board.
            let mut pieces = 0;
            let mut keep = |code: &u8| {
                pieces += usize::from(*code != 0);
                if pieces % 2 == 1 { *code } else { 0 }
            };
            game.start.iter().map(&mut keep).collect()
        }
        InitialBoard::Codes(codes) => codes.clone(),
    }
}

struct Planner<'a> {
    hand: Hand,
    rng: Rng,
    /// Draws of the arbiter; they never shift those of the others.
    arbiter_rng: Rng,
    profile: &'a NoiseProfile,
    motions: Vec<Motion>,
    outages: Vec<Outage>,
}

impl Planner<'_> {
    fn game(&mut self, index: usize, game: &Game, next: Option<&Game>, start_ms: u64) -> u64 {
        let mut now = start_ms;
        self.add_action(now, Action::Turn(game.is_turned));
        self.hand.set_has_clock(game.control.is_some());
        if index > 0 {
            self.hand.forget_leftovers();
        }
        let ready = if self.hand.planned_board().codes() == game.start {
            now
        } else {
            let pause = self.rng.between(1_000, 3_000);
            self.set_up(&game.start, now + pause)
        };
        self.note(ready, Event::Ready { game: index });
        now = ready + game.pause_ms + self.rng.between(1_000, 2_000);
        now = self.start_clock(index, game, ready, now);

        let mut turn = TurnTiming::at(now);
        let mut over = now;
        for (number, ply) in game.plies.iter().enumerate() {
            let id = PlyId { game: index, ply: number };
            let following = game.plies.get(number + 1);
            let last_unpressed = following.is_none() && self.draw_fault(Fault::LastPressMissing);
            if last_unpressed {
                self.hand.set_has_clock(false);
            }
            let begin = turn.thinking_from_ms;
            let played = self.hand.play(id, ply, turn, following);
            over = played.settled_ms.max(played.pressed_ms.unwrap_or(0));
            if last_unpressed && game.control.is_some() {
                self.irregular(over, Some(id), Fault::LastPressMissing, over);
            }
            self.add_incidents(id, (begin, over), game.control.is_some());
            turn = played.next;
            if let Some(restarted) = following.and_then(|following| self.arbiter(id, game, following, over)) {
                turn = TurnTiming::at(restarted);
            }
        }
        over = over.max(turn.not_before_ms);
        self.note(over, Event::GameOver { game: index });
        self.after(index, game, next, over)
    }

    /// Removes pieces that do not belong, then adds missing ones.
    fn set_up(&mut self, start: &[u8], from_ms: u64) -> u64 {
        let differing = |wanted: bool, table: &PlannedBoard| -> Vec<(u8, u8)> {
            (start.iter().enumerate())
                .map(|(field, code)| (field as u8, *code))
                .filter(|(field, code)| table.code(*field) != *code && (*code != 0) == wanted)
                .collect()
        };
        let off = differing(false, self.hand.planned_board());
        let swapped: Vec<(u8, u8)> = (differing(true, self.hand.planned_board()).into_iter())
            .filter(|(field, _)| self.hand.planned_board().code(*field) != 0)
            .map(|(field, _)| (field, 0))
            .collect();
        let now = self.hand.arrange(from_ms, &[off, swapped].concat(), Span::new(150, 350));
        let mut on = differing(true, self.hand.planned_board());
        self.rng.shuffle(&mut on);
        self.hand.arrange(now, &on, Span::new(200, 600))
    }

    fn start_clock(&mut self, index: usize, game: &Game, ready: u64, now: u64) -> u64 {
        let first = starter(game);
        let by_opponent = self.draw_fault(Fault::OpponentStarts);
        if game.control.is_none() {
            self.add_action(ready, Action::SetClock { control: None, to_move: first, white_side: game.white_side });
            return now;
        }
        // The lever has the position of the last game, half of the time the wrong one.
        let wrong = by_opponent && self.rng.chance(0.5);
        let high = if wrong { first.other() } else { first };
        self.add_action(ready, Action::SetClock { control: game.control, to_move: high, white_side: game.white_side });
        if by_opponent {
            self.add_action(now, Action::Press { player: first.other(), ply: None });
            self.irregular(now, None, Fault::OpponentStarts, now);
        }
        self.add_action(now, Action::StartClock);
        self.note(now, Event::ClockStarted { game: index });
        now
    }

    /// Draws a visit of the arbiter after a ply: the clock is stopped, the position of the next ply is put up if the script demands it,
    /// and the clock restarts with other times. Returns the time of the restart.
    fn arbiter(&mut self, id: PlyId, game: &Game, following: &Ply, over: u64) -> Option<u64> {
        let is_drawn = self.arbiter_rng.chance(self.profile.rate(Fault::ClockCorrected)) && game.control.is_some();
        if !is_drawn && following.corrected_to.is_none() {
            return None;
        }
        let stopped = over + self.arbiter_rng.between(500, 4_000);
        let mut now = stopped;
        if game.control.is_some() {
            self.add_action(stopped, Action::StopClock);
        }
        if let Some(codes) = &following.corrected_to {
            self.hand.forget_leftovers();
            let codes = self.as_pieces(codes);
            let pause = self.arbiter_rng.between(1_000, 4_000);
            now = self.set_up(&codes, now + pause);
        }
        now += self.arbiter_rng.between(1_500, 6_000);
        if game.control.is_some() {
            self.add_action(now, Action::AddTime(120));
            // The lever shows the player to move; this moves it only if it does not.
            self.add_action(now, Action::Press { player: following.player.other(), ply: None });
            now += self.arbiter_rng.between(1_000, 4_000);
            self.add_action(now, Action::StartClock);
        }
        let fault = if following.corrected_to.is_some() { Fault::PliesTakenBack } else { Fault::ClockCorrected };
        self.irregular(stopped, Some(id), fault, now);
        Some(now)
    }

    /// Returns the codes that this set shows for a position. Pieces that stand already keep their code: a king may be two discs.
    fn as_pieces(&self, codes: &[u8]) -> Vec<u8> {
        let is_white = |code: u8| matches!(code, 1 | 7);
        let shown = |(field, &code): (usize, &u8)| {
            let stands = self.hand.planned_board().code(field as u8);
            match code {
                0 => 0,
                _ if stands != 0 && is_white(stands) == is_white(code) => stands,
                _ if self.hand.crown() == Crown::Piece => code,
                _ if is_white(code) => 1,
                _ => 4,
            }
        };
        codes.iter().enumerate().map(shown).collect()
    }

    /// Draws incidents of the hardware during a ply.
    fn add_incidents(&mut self, id: PlyId, (from, to): (u64, u64), clock: bool) {
        let somewhere = from + self.rng.below(to.saturating_sub(from).max(1));
        let lasting = |rng: &mut Rng, min, max| somewhere + rng.between(min, max);
        let outage = lasting(&mut self.rng, 3_000, 15_000);
        if self.draw_fault(Fault::Outage) {
            self.outages.push(Outage { from_ms: somewhere, to_ms: outage });
            self.irregular(somewhere, Some(id), Fault::Outage, outage);
        }
        let dark = lasting(&mut self.rng, 1_000, 5_000);
        if self.draw_fault(Fault::PowerCut) {
            self.add_action(somewhere, Action::Power(false));
            self.add_action(dark, Action::Power(true));
            self.irregular(somewhere, Some(id), Fault::PowerCut, dark);
        }
        let unplugged = lasting(&mut self.rng, 5_000, 60_000);
        if self.draw_fault(Fault::ClockUnplugged) && clock {
            self.add_action(somewhere, Action::PlugClock(false));
            self.add_action(unplugged, Action::PlugClock(true));
            self.irregular(somewhere, Some(id), Fault::ClockUnplugged, unplugged);
        }
        let button = [0x31, 0x32, 0x33, 0x34, 0x35][self.rng.below(5) as usize];
        if self.draw_fault(Fault::ClockButton) && clock {
            self.add_action(somewhere, Action::ClockButton([0x10, 0x88, 0, button]));
            self.irregular(somewhere, Some(id), Fault::ClockButton, somewhere);
        }
    }

    fn after(&mut self, index: usize, game: &Game, next: Option<&Game>, over: u64) -> u64 {
        let mut now = over + self.rng.between(1_000, 5_000);
        let running_on = self.draw_fault(Fault::ClockLeftRunning);
        if game.control.is_some() {
            if running_on {
                self.irregular(now, None, Fault::ClockLeftRunning, now);
            } else {
                self.add_action(now, Action::StopClock);
                self.note(now, Event::ClockStopped { game: index });
            }
        }
        if !game.result.is_empty() {
            now = self.hand.arrange(now, &game.result, Span::new(500, 2_000));
        }
        let analyses = self.draw_fault(Fault::PostMortem);
        for ply in &game.analysis {
            now = self.hand.shift(now + self.rng.between(800, 5_000), ply);
        }
        if analyses && game.analysis.is_empty() {
            self.irregular(now, None, Fault::PostMortem, now);
            now = self.analyse(game, now);
        }
        let resets = self.draw_fault(Fault::Reset);
        let start = next.map_or(&game.start, |next| &next.start);
        if resets || next.is_some() {
            let pause = self.rng.between(2_000, 10_000);
            now = self.set_up(start, now + pause);
            self.note(now, Event::PiecesReset { game: index });
        }
        now
    }

    /// Moves pieces randomly over squares of the colour that the game uses.
    fn analyse(&mut self, game: &Game, from_ms: u64) -> u64 {
        let mut now = from_ms;
        for _ in 0..self.rng.between(5, 20) {
            now += self.rng.between(800, 5_000);
            let table = self.hand.planned_board();
            let pieces = table.occupied(now);
            let room: Vec<u8> = (0..game.start.len() as u8)
                .filter(|field| table.code(*field) == 0 && table.ready_ms(*field) <= now && table.is_played_on(*field))
                .collect();
            let (Some(from), Some(to)) = (self.rng.pick(&pieces).copied(), self.rng.pick(&room).copied()) else {
                break;
            };
            if self.rng.chance(0.2) {
                now = self.hand.arrange(now, &[(from, 0)], Span::new(200, 500));
            } else {
                now = self.hand.shift(now, &Ply::quiet(Player::White, from, to));
            }
        }
        now
    }

    fn draw_fault(&mut self, fault: Fault) -> bool {
        self.rng.chance(self.profile.rate(fault))
    }

    fn add_action(&mut self, at_ms: u64, deed: Action) {
        self.motions.push(Motion { at_ms, action: deed });
    }

    fn note(&mut self, at_ms: u64, event: Event) {
        self.add_action(at_ms, Action::Note(event));
    }

    fn irregular(&mut self, at_ms: u64, ply: Option<PlyId>, fault: Fault, until_ms: u64) {
        self.note(at_ms, Event::Irregular { ply, fault, field: None, until_ms });
    }
}
