//! One board with its clock, and the games that are played on it one after the other.
//!
//! ```text
//!   Waiting ──start position, or the operator──▸ Playing ──no move left, result──▸ Over
//!      ▴                                          │  ▴                              │
//!      └──────────────────────────────────────────┘  └─────── start position ───────┘
//!             pieces set up anew: the old game is closed
//! ```

use std::collections::VecDeque;

use super::game::Game;
use super::lever::ClockWatch;
use super::sensors::{Orientation, Sensors};
use super::{Effect, LineSettings, OrientationSetting, Status};
use crate::millis::Millis;
use crate::pdn::fen;
use crate::protocol::{ClockReport, ClockTimes, Field, PieceCode};
use crate::recognition::{Clock, PressId, Recogniser, Sight, Verdict};
use crate::rules::{Color, Placement, Position, SquareSet};

/// Clock readings that are kept for plies that are recognised late.
const MOST_READINGS: usize = 64;
/// How long the start position must stand, in the middle of a game, to begin a new one.
const NEW_GAME: Millis = Millis::seconds(1);
/// The same when few plies have been played: it may be a correction of the opening.
const NEW_GAME_EARLY: Millis = Millis::seconds(3);
/// Plies after which the start position can only be a new game.
const FEW_PLIES: u32 = 6;
/// How long a given result waits for the last plies to be recognised.
const RESULT_WAITS: Millis = Millis::seconds(10);
/// How long a board that is being set up must be quiet before the operator is told what is wrong.
const SETTING_UP: Millis = Millis::seconds(5);
/// How long a board must have been quiet in doubt before the operator is told.
const DOUBT: Millis = Millis::seconds(5);
/// How long a position without a move must stand before the game is over: a move may be taken back.
const LAST_MOVE_STANDS: Millis = Millis::seconds(6);
/// A running clock is heard every second.
const DEAF: Millis = Millis(2_500);
/// Boards of which more is wrong than this are not being set up for a game.
const NEARLY_SET_UP: usize = 8;

#[derive(Debug)]
enum Stage {
    Waiting,
    Playing(Box<Game>),
    Over,
}

/// A board and its games.
#[derive(Debug)]
pub struct Table {
    settings: LineSettings,
    sensors: Sensors,
    clock: ClockWatch,
    clock_state: Clock,
    stage: Stage,
    games: u32,
    presses: u32,
    readings: VecDeque<(PressId, ClockTimes)>,
    last_change: Millis,
    confirmed: bool,
    told: Option<SquareSet>,
    told_foreign_dump: bool,
    told_doubt: bool,
    linked: bool,
    /// When the board was last heard.
    heard_at: Millis,
}

impl Table {
    /// A board of which nothing is known yet.
    pub fn new(settings: LineSettings) -> Table {
        let orientation = match settings.orientation {
            OrientationSetting::Turned => Orientation::Turned,
            OrientationSetting::Auto | OrientationSetting::Normal => Orientation::Normal,
        };
        Table {
            sensors: Sensors::new(&settings.variant.geometry, settings.codes, orientation),
            clock: ClockWatch::default(),
            clock_state: Clock::None,
            stage: Stage::Waiting,
            games: settings.games_before,
            presses: 0,
            readings: VecDeque::new(),
            last_change: Millis::ZERO,
            confirmed: true,
            told: None,
            told_foreign_dump: false,
            told_doubt: false,
            linked: false,
            heard_at: Millis::ZERO,
            settings,
        }
    }

    /// Games that have a file so far.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Is a game going on that has a file?
    pub fn has_open_game(&self) -> bool {
        matches!(&self.stage, Stage::Playing(game) if game.number().is_some())
    }

    /// The link came up or went away.
    pub fn link(&mut self, now: Millis, up: bool) {
        self.linked = up;
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.link(now, up);
        }
        self.confirmed = false;
    }

    /// The board said something. While a clock runs it speaks every second: a longer silence is a gap, whether the port
    /// noticed or not.
    pub fn hear(&mut self, now: Millis) {
        if self.deaf_at().is_some_and(|at| at < now)
            && let Stage::Playing(game) = &mut self.stage
        {
            game.recogniser.was_deaf(now);
            self.confirmed = false;
        }
        self.heard_at = now;
    }

    /// From when on silence means that the board is not heard.
    fn deaf_at(&self) -> Option<Millis> {
        (self.clock_state == Clock::Running).then_some(self.heard_at + DEAF)
    }

    /// The board reported one field.
    pub fn field_update(&mut self, now: Millis, field: Field, code: PieceCode) -> Vec<Effect> {
        if !self.sensors.has(field) {
            return vec![Effect::Notice(format!(
                "the board reports field {}, but a board for this game has fields 0 to {}; check game-type",
                field.0,
                self.sensors.count() - 1
            ))];
        }
        let mut effects = Vec::new();
        if (13..=15).contains(&code.0) {
            let meaning = ["draw", "White wins", "Black wins"][usize::from(code.0 - 13)];
            effects.push(Effect::Notice(format!(
                "a result piece was put on the board: {meaning}; give the result if it stands"
            )));
        }
        let reported = self.sensors.update(field, code);
        self.last_change = now;
        self.confirmed = false;
        if let (Stage::Playing(game), Some((square, seen))) = (&mut self.stage, reported) {
            game.recogniser.see(now, square, seen);
        }
        effects
    }

    /// A dump of the whole board arrived.
    pub fn dump(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let Some(changed) = self.sensors.dump(codes) else {
            if std::mem::replace(&mut self.told_foreign_dump, true) {
                return Vec::new();
            }
            return vec![Effect::Notice(format!(
                "the board has {} fields, but this game needs {}; check game-type and the board",
                codes.len(),
                self.sensors.count()
            ))];
        };
        self.confirmed = !changed;
        if changed {
            self.last_change = now;
        }
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
        Vec::new()
    }

    /// The clock said something.
    pub fn clock(&mut self, now: Millis, report: &ClockReport) -> Vec<Effect> {
        let mut effects = Vec::new();
        match report {
            ClockReport::NoClock => self.clock_state = Clock::None,
            ClockReport::Times(times) if !times.is_all_zero() => effects = self.clock_times(now, *times),
            // All zero: right after a clock command. Acknowledgements and garbled readings tell no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Garbled(_) => {}
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.clock(self.clock_state);
        }
        effects
    }

    fn clock_times(&mut self, now: Millis, times: ClockTimes) -> Vec<Effect> {
        let mut effects = Vec::new();
        let news = self.clock.read(times);
        let ran = self.clock_state == Clock::Running;
        self.clock_state = match (times.running(), self.clock_state) {
            (true, _) => Clock::Running,
            (false, Clock::Running) => Clock::Stopped { since: Some(now) },
            (false, Clock::Stopped { since }) => Clock::Stopped { since },
            (false, Clock::None) => Clock::Stopped { since: None },
        };
        let Stage::Playing(game) = &mut self.stage else { return effects };
        let recogniser = &mut game.recogniser;
        let opening = recogniser.plies() == 0;
        let untouched = !news.pressed && !recogniser.is_touched() && !recogniser.is_pressed_for();
        if times.running() && opening && (!ran || untouched) {
            self.clock.assume(recogniser.position().turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        // A press that starts the clock completes no ply.
        if news.pressed && (ran || !opening) {
            if let Some(mover) = recogniser.likely_presser()
                && self.clock.learn(mover)
            {
                effects.push(Effect::Notice(
                    "the clock's sides are not as they were learned; are White and Black at the right sides?"
                        .to_owned(),
                ));
            }
            self.presses += 1;
            let id = PressId(self.presses);
            if self.readings.len() == MOST_READINGS {
                self.readings.pop_front();
            }
            self.readings.push_back((id, times));
            recogniser.press(now, id, self.clock.turn_now());
        }
        effects
    }

    /// When a dump is wanted to confirm what is seen.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        if !self.linked {
            return None;
        }
        match &self.stage {
            Stage::Playing(game) => game.recogniser.wants_dump_at(),
            Stage::Waiting | Stage::Over => {
                let settled = self.last_change + Millis(self.settings.recognition.settle_ms);
                (!self.confirmed).then_some(settled)
            }
        }
    }

    /// When [`Table::decide`] has something to do even if nothing happens.
    pub fn deadline(&self) -> Option<Millis> {
        let new_game = self.new_game_at();
        let setting_up = self.tells_at();
        let (verdict, result) = match &self.stage {
            Stage::Playing(game) => {
                let verdict = game.recogniser.deadline().filter(|&at| self.deaf_at().is_none_or(|deaf| at <= deaf));
                (verdict, game.result.as_ref().map(|(_, at)| *at + RESULT_WAITS))
            }
            Stage::Waiting | Stage::Over => (None, None),
        };
        [new_game, setting_up, self.doubts_at(), self.ends_without_moves_at(), verdict, result]
            .into_iter()
            .flatten()
            .min()
    }

    /// Everything that is due: to be called after every event and at the deadline.
    pub fn decide(&mut self, now: Millis) -> Vec<Effect> {
        let mut effects = self.begin_new_game(now);
        effects.extend(self.tell_set_up(now));
        while let Some(verdict) = self.verdict(now) {
            effects.extend(self.publish(&verdict));
        }
        effects.extend(self.end_without_moves(now));
        effects.extend(self.apply_result(now));
        effects.extend(self.tell_doubt(now));
        effects
    }

    fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.deaf_at().is_some_and(|at| at < now) {
            return None;
        }
        match &mut self.stage {
            Stage::Playing(game) => game.recogniser.verdict(now),
            Stage::Waiting | Stage::Over => None,
        }
    }

    fn publish(&mut self, verdict: &Verdict) -> Vec<Effect> {
        let (press, why) = match verdict {
            Verdict::Ply { press, rule, explained, .. } => (*press, format!("{rule:?}, {explained} explained")),
            Verdict::Setup { press, reason, .. } => (*press, format!("{reason:?}")),
        };
        let at_press = press.and_then(|press| self.readings.iter().find(|(id, _)| *id == press));
        let has_clock = self.clock_state != Clock::None;
        let reading = at_press.map(|(_, times)| times).or(self.clock.last()).filter(|_| has_clock).copied();
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        let mut effects = game.publish(verdict, reading.as_ref(), &self.clock, &self.settings, &mut self.games);
        let text = game.last().unwrap_or_default();
        effects.insert(0, Effect::Note(format!("{text}: {why}")));
        if let Verdict::Setup { .. } = verdict {
            effects.push(Effect::Notice(format!("the position had to be set up: {why}; game goes on with {text}")));
        }
        effects
    }

    /// When a game is over whose position has no move: the last one may still be taken back.
    fn ends_without_moves_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        let recogniser = &game.recogniser;
        let over = game.number().is_some() && recogniser.is_settled() && recogniser.position().legal_moves().is_empty();
        over.then(|| recogniser.quiet_since() + LAST_MOVE_STANDS)
    }

    /// A side that is to move and has no move has lost.
    fn end_without_moves(&mut self, now: Millis) -> Vec<Effect> {
        if self.ends_without_moves_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let position = *game.recogniser.position();
        let winner = !position.turn();
        let mut effects = game.close(Some(self.settings.variant.result_format.win(winner)));
        effects.push(Effect::Notice(format!("the game is over: {} has no move, {winner} wins", position.turn())));
        self.stage = Stage::Over;
        effects
    }

    fn apply_result(&mut self, now: Millis) -> Vec<Effect> {
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let Some((result, given)) = &game.result else { return Vec::new() };
        if !game.recogniser.is_settled() && now < *given + RESULT_WAITS {
            return Vec::new();
        }
        let effects = game.close(Some(result));
        self.stage = Stage::Over;
        effects
    }

    /// When the operator is told that nothing explains the board, or that moves are made with the clock stopped.
    fn doubts_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        if self.told_doubt || !self.linked || game.recogniser.is_settled() {
            return None;
        }
        let since = match game.recogniser.doubt() {
            Some((since, _)) => since,
            None if self.is_stopped() => self.last_change,
            None => return None,
        };
        Some(since + DOUBT)
    }

    fn tell_doubt(&mut self, now: Millis) -> Vec<Effect> {
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        if game.recogniser.is_settled() {
            self.told_doubt = false;
        }
        if self.doubts_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let notice = match game.recogniser.doubt() {
            Some((_, squares)) if !self.is_stopped() => {
                format!("no legal move explains the board; it differs on {}", self.names(squares))
            }
            _ => "pieces are moved while the clock stands; nothing is recorded until it runs".to_owned(),
        };
        self.told_doubt = true;
        vec![Effect::Notice(notice)]
    }

    fn is_stopped(&self) -> bool {
        matches!(self.clock_state, Clock::Stopped { .. })
    }

    fn names(&self, squares: SquareSet) -> String {
        let geometry = &self.settings.variant.geometry;
        geometry.in_name_order(squares).iter().map(|&square| geometry.name(square)).collect::<Vec<_>>().join(", ")
    }

    fn orientations(&self) -> &'static [Orientation] {
        match self.settings.orientation {
            OrientationSetting::Auto => &[Orientation::Normal, Orientation::Turned],
            OrientationSetting::Normal => &[Orientation::Normal],
            OrientationSetting::Turned => &[Orientation::Turned],
        }
    }

    /// How the board lies, if it shows the start position.
    fn start_seen(&self) -> Option<Orientation> {
        let start = Position::start(self.settings.variant);
        let shows_start = |orientation: Orientation| {
            self.sensors.sight_from(orientation).differs_from_placement(start.placement()).is_empty()
        };
        self.orientations().iter().copied().find(|&orientation| self.sensors.is_known() && shows_start(orientation))
    }

    /// When the start position on the board will begin a new game.
    fn new_game_at(&self) -> Option<Millis> {
        if !self.linked {
            return None;
        }
        match &self.stage {
            Stage::Playing(game) if game.recogniser.plies() == 0 && game.number().is_none() => None,
            Stage::Playing(game) => {
                self.start_seen().filter(|_| self.confirmed)?;
                let few = game.recogniser.plies() < FEW_PLIES;
                if few && self.clock_state == Clock::Running {
                    return None;
                }
                Some(self.last_change + if few { NEW_GAME_EARLY } else { NEW_GAME })
            }
            Stage::Waiting | Stage::Over => self.start_seen().map(|_| Millis::ZERO),
        }
    }

    fn begin_new_game(&mut self, now: Millis) -> Vec<Effect> {
        let Some(orientation) = self.new_game_at().filter(|&at| at <= now).and_then(|_| self.start_seen()) else {
            return Vec::new();
        };
        self.sensors.turn(orientation);
        let mut effects = self.start(now, Position::start(self.settings.variant));
        effects.push(Effect::Notice(match orientation {
            Orientation::Normal => "the start position is set up: ready".to_owned(),
            Orientation::Turned => "the start position is set up, the board lies turned round: ready".to_owned(),
        }));
        effects
    }

    /// Closes the game that is going on, if any, and begins one from a position.
    fn start(&mut self, now: Millis, position: Position) -> Vec<Effect> {
        let effects = match &self.stage {
            Stage::Playing(game) => {
                let position = game.recogniser.position();
                let won = position.legal_moves().is_empty().then_some(!position.turn());
                game.close(won.map(|winner| self.settings.variant.result_format.win(winner)))
            }
            Stage::Waiting | Stage::Over => Vec::new(),
        };
        let clock = match self.clock_state {
            Clock::Stopped { .. } => Clock::Stopped { since: None },
            other => other,
        };
        self.clock_state = clock;
        self.clock.forget_sides();
        self.told = None;
        self.told_doubt = false;
        let sight = self.sensors.sight();
        let mut recogniser = Recogniser::new(position, 0, sight, clock, now, self.settings.recognition);
        if clock == Clock::Running {
            self.clock.assume(position.turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        recogniser.link(now, self.linked);
        self.stage = Stage::Playing(Box::new(Game::new(position, recogniser, now)));
        effects
    }

    /// When the operator is told what is missing for the start position.
    fn tells_at(&self) -> Option<Millis> {
        let waits = matches!(self.stage, Stage::Waiting | Stage::Over) && self.linked && self.sensors.is_known();
        let (wrong, _) = self.wrong_for_start();
        (waits && wrong.len() <= NEARLY_SET_UP && self.told != Some(wrong)).then(|| self.last_change + SETTING_UP)
    }

    fn tell_set_up(&mut self, now: Millis) -> Vec<Effect> {
        if self.tells_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let (wrong, words) = self.wrong_for_start();
        self.told = Some(wrong);
        vec![Effect::Notice(format!("the start position is not complete: {words}"))]
    }

    /// The squares that differ from the start position, as the board lies nearest to it, and the same in words.
    fn wrong_for_start(&self) -> (SquareSet, String) {
        let start = Position::start(self.settings.variant);
        let wrong = |&orientation: &Orientation| {
            let sight = self.sensors.sight_from(orientation);
            (sight.differs_from_placement(start.placement()), sight)
        };
        let nearest = self.orientations().iter().map(wrong).min_by_key(|(wrong, _)| wrong.len());
        let (wrong, sight) = nearest.unwrap_or_default();
        (wrong, self.wrong_in_words(wrong, &sight, start.placement()))
    }

    fn wrong_in_words(&self, wrong: SquareSet, sight: &Sight, expected: &Placement) -> String {
        let geometry = &self.settings.variant.geometry;
        let mut words = Vec::new();
        for square in geometry.in_name_order(wrong) {
            let name = geometry.name(square);
            words.push(match (expected.color(square), sight.color(square)) {
                (Some(color), None) => format!("{color} man missing on {name}"),
                (Some(_), Some(seen)) => format!("{seen} piece instead on {name}"),
                (None, _) => format!("piece too many on {name}"),
            });
        }
        words.join(", ")
    }

    /// The operator says how the game ended.
    pub fn result(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let format = self.settings.variant.result_format;
        let value = match text {
            "1-0" | "2-0" => format.win(Color::White),
            "0-1" | "0-2" => format.win(Color::Black),
            "1/2-1/2" | "1-1" | "½-½" => format.draw(),
            "0-0" => "0-0",
            "*" => "*",
            _ => {
                let known = format.values().join(" ");
                return vec![Effect::Notice(format!("`{text}` is not a result of this game; known are {known}"))];
            }
        };
        match &mut self.stage {
            Stage::Playing(game) if game.number().is_some() => {
                game.result = Some((value.to_owned(), now));
                Vec::new()
            }
            _ => vec![Effect::Notice(format!("no game is going on that could end {value}"))],
        }
    }

    /// The operator starts a game, from the start position or from a FEN.
    pub fn start_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        if text.is_empty() {
            return self.start(now, Position::start(self.settings.variant));
        }
        match self.position_of(text) {
            Ok(position) => self.start(now, position),
            Err(notice) => vec![notice],
        }
    }

    /// The operator says what stands on the board.
    pub fn set_up_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let position = match self.position_of(text) {
            Ok(position) => position,
            Err(notice) => return vec![notice],
        };
        let Stage::Playing(game) = &mut self.stage else { return self.start(now, position) };
        let verdict = game.recogniser.set_up(position);
        self.publish(&verdict)
    }

    fn position_of(&self, text: &str) -> Result<Position, Effect> {
        let variant = self.settings.variant;
        let setup = fen::read(variant, text).map_err(|error| Effect::Notice(error.to_string()))?;
        Position::new(variant, setup).map_err(|error| Effect::Notice(format!("FEN `{text}`: {error}")))
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let clocks = self.clock.last().and_then(|times| self.clock.seconds(times));
        let clocks = clocks.filter(|_| self.clock_state != Clock::None);
        match &self.stage {
            Stage::Playing(game) => {
                let state = match game.recogniser.doubt() {
                    _ if !self.linked => "no connection".to_owned(),
                    Some((_, squares)) => format!("unexplained: {}", self.names(squares)),
                    None if game.number().is_none() => "ready".to_owned(),
                    None if self.is_stopped() => "clock stopped".to_owned(),
                    None => "playing".to_owned(),
                };
                let (plies, last) = (game.recogniser.plies(), game.last().map(str::to_owned));
                Status { state, game: game.number(), plies, last, clocks }
            }
            Stage::Waiting | Stage::Over => {
                let over = matches!(self.stage, Stage::Over);
                let state = match (self.linked, over) {
                    (false, _) => "no connection",
                    (true, true) => "over",
                    (true, false) => "waiting for the start position",
                };
                let game = over.then_some(self.games);
                Status { state: state.to_owned(), game, clocks, ..Status::default() }
            }
        }
    }
}
