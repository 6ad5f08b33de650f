//! One board with its clock, and the games that are played on it one after the other.
//!
//! ```text
//!   Waiting ──start position, or the operator──▸ Playing ──no move left, result──▸ Over
//!      ▴                                          │  ▴                              │
//!      └──────────────────────────────────────────┘  └─────── start position ───────┘
//!             pieces set up anew: the old game is closed
//! ```

use std::collections::VecDeque;

use super::account;
use super::clock_truth::{ClockNotices, ClockTruth};
use super::game::Game;
use super::lever::ClockWatch;
use super::result_piece::ResultPieces;
use super::sensors::{Orientation, Sensors};
use super::{Effect, LineSettings, OrientationSetting, Status};
use crate::millis::Millis;
use crate::pdn::clock::ClockTime;
use crate::pdn::{fen, live, values};
use crate::protocol::{ClockReport, ClockTimes, Field, PieceCode};
use crate::recognition::{Clock, PressId, Recogniser, Sight, Verdict};
use crate::rules::{Color, Move, Placement, Position, ResultFormat, SquareSet};

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
    recognition: crate::recognition::Settings,
    sensors: Sensors,
    clock: ClockWatch,
    truth: ClockTruth,
    clock_notices: ClockNotices,
    clock_state: Clock,
    stage: Stage,
    games: u32,
    presses: u32,
    readings: VecDeque<(PressId, ClockTimes)>,
    last_change: Millis,
    confirmed: bool,
    /// How the board lies, if it shows the start position.
    start_seen: Option<Orientation>,
    told: Option<SquareSet>,
    told_foreign_dump: bool,
    told_doubt: bool,
    result_pieces: ResultPieces,
    /// The operator has turned the board round against what is configured.
    flipped: bool,
    /// The link is up again, but no dump has come since: until when one is waited for.
    gap_until: Option<Millis>,
    /// What was last told to be likely, and from what that text was made.
    provisional: Vec<String>,
    expected: Option<(Position, Vec<Move>)>,
    linked: bool,
    /// When the board was last heard.
    heard_at: Millis,
    /// How many games were begun, with a file or not yet.
    begun: u32,
}

/// How closely a board has to be watched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Attention {
    /// Nothing is being played on it.
    Idle,
    /// A game is going on.
    Playing,
    /// Pieces are being moved.
    Touched,
}

impl Table {
    /// A board of which nothing is known yet.
    pub fn new(settings: LineSettings) -> Table {
        let orientation = match settings.orientation {
            OrientationSetting::Turned => Orientation::Turned,
            OrientationSetting::Auto | OrientationSetting::Normal => Orientation::Normal,
        };
        Table {
            recognition: settings.recognition_in_force(),
            sensors: Sensors::new(&settings.variant.geometry, settings.codes, orientation),
            clock: ClockWatch::default(),
            truth: ClockTruth::new(settings.tags.iter().find(|(tag, _)| tag == "TimeControl").map(|(_, t)| t.as_str())),
            clock_notices: ClockNotices::default(),
            clock_state: Clock::None,
            stage: Stage::Waiting,
            games: settings.games_before,
            presses: 0,
            readings: VecDeque::new(),
            last_change: Millis::ZERO,
            confirmed: true,
            start_seen: None,
            told: None,
            told_foreign_dump: false,
            told_doubt: false,
            result_pieces: ResultPieces::default(),
            flipped: false,
            gap_until: None,
            provisional: Vec::new(),
            expected: None,
            linked: false,
            begun: 0,
            heard_at: Millis::ZERO,
            settings,
        }
    }

    /// Is a game going on that has a file?
    pub fn has_open_game(&self) -> bool {
        matches!(&self.stage, Stage::Playing(game) if game.number().is_some())
    }

    /// The link came up or went away. What stands on the board after a gap is judged when a dump has shown it: what was seen
    /// before may be a hand in the air, however long ago.
    pub fn link(&mut self, now: Millis, up: bool) {
        self.linked = up;
        self.gap_until = up.then(|| now + Millis(self.settings.recognition.unconfirmed_ms));
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.link(now, false);
        }
        self.confirmed = false;
    }

    /// The gap is over: a dump has come, or none comes.
    fn end_gap(&mut self, now: Millis) {
        if self.gap_until.take().is_some()
            && let Stage::Playing(game) = &mut self.stage
        {
            game.recogniser.link(now, true);
        }
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

    /// The board can be heard again, and kept its reports.
    pub fn link_to_memory(&mut self) {
        self.linked = true;
        self.gap_until = None;
        self.confirmed = false;
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.link_to_memory();
        }
    }

    /// A board that keeps its reports until it is asked has told everything up to a time: no silence before it is a gap.
    pub fn is_known_until(&mut self, now: Millis) {
        self.heard_at = self.heard_at.max(now);
    }

    /// Has a game begun that is not over?
    pub fn is_playing(&self) -> bool {
        matches!(self.stage, Stage::Playing(_))
    }

    /// Is a game with a file going on, its clock not stopped?
    pub fn is_running(&self) -> bool {
        self.has_open_game() && !self.is_stopped()
    }

    /// How many playing squares a dump shows otherwise than what is known.
    pub fn misses(&self, codes: &[PieceCode]) -> usize {
        let mut shown = self.sensors.clone();
        if shown.dump(codes).is_none() { 0 } else { shown.sight().differs_from(&self.sensors.sight()).len() }
    }

    /// What is known of the fields.
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// How long a dump is waited for after a gap.
    pub fn waits_for_dump(&self) -> Millis {
        Millis(self.settings.recognition.unconfirmed_ms)
    }

    /// From when on silence means that the board is not heard.
    pub fn deaf_at(&self) -> Option<Millis> {
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
        let reported = self.sensors.update(field, code);
        self.start_seen = self.look_for_start();
        self.last_change = now;
        self.confirmed = false;
        if let (Stage::Playing(game), Some((square, seen))) = (&mut self.stage, reported) {
            game.recogniser.see(now, square, seen);
        }
        Vec::new()
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
        self.end_gap(now);
        self.confirmed = !changed;
        if changed {
            self.last_change = now;
            self.start_seen = self.look_for_start();
        }
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
        Vec::new()
    }

    /// The board says, under a checksum, that nothing has changed since what it reported: as good as a dump of it.
    pub fn unchanged(&mut self, now: Millis) {
        if !self.sensors.is_known() {
            return;
        }
        self.confirmed = true;
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
    }

    /// What every field is known to hold; `None` before the first dump.
    pub fn fields(&self) -> Option<&[PieceCode]> {
        self.sensors.is_known().then(|| self.sensors.fields())
    }

    /// How many fields the board has, by its game.
    pub fn field_count(&self) -> usize {
        self.sensors.count()
    }

    /// Do the numbers of its reports count all fields, and not the playing squares alone?
    pub fn counts_all_fields(&self) -> bool {
        self.sensors.counts_all_fields()
    }

    /// How many games were begun, with a file or not yet.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// Has nothing legal explained what is seen for so long that no hand can be the reason?
    pub fn is_in_doubt(&self, now: Millis) -> bool {
        const HAND: Millis = Millis::seconds(2);
        let Stage::Playing(game) = &self.stage else { return false };
        game.recogniser.doubt().is_some_and(|doubt| now >= doubt.since.max(doubt.quiet_since) + HAND)
    }

    /// Would a board that shows this show the start position?
    pub fn is_start(&self, codes: &[PieceCode]) -> bool {
        let mut sensors = self.sensors.clone();
        sensors.dump(codes).is_some() && self.start_in(&sensors).is_some()
    }

    /// How many fields its reports can name.
    pub fn number_count(&self) -> usize {
        self.sensors.number_count()
    }

    /// How closely the board has to be watched.
    pub fn attention(&self) -> Attention {
        match &self.stage {
            Stage::Playing(game) if !game.recogniser.is_settled() => Attention::Touched,
            Stage::Playing(game) if self.clock_state == Clock::Running || game.number().is_some() => Attention::Playing,
            Stage::Playing(_) | Stage::Waiting | Stage::Over => Attention::Idle,
        }
    }

    /// The clock said something.
    pub fn clock(&mut self, now: Millis, report: &ClockReport) -> Vec<Effect> {
        let mut effects = Vec::new();
        match report {
            ClockReport::NoClock => {
                let had_one = self.clock_state != Clock::None;
                effects.extend(self.clock_notices.no_clock(had_one).map(Effect::Notice));
                self.truth.forget();
                self.clock_state = Clock::None;
            }
            ClockReport::Times(times) if !times.is_all_zero() => {
                let plies = if let Stage::Playing(game) = &self.stage { game.recogniser.plies() } else { 0 };
                let judged = self.truth.judge(now, *times, plies);
                if judged.afresh {
                    self.clock.forget_reading();
                }
                for times in judged.good {
                    effects.extend(self.clock_times(now, times));
                }
            }
            // All zero: right after a clock command. Acknowledgements and garbled readings tell no time.
            ClockReport::Times(_) | ClockReport::Ack(_) | ClockReport::Garbled(_) => {}
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.clock(self.clock_state);
        }
        effects
    }

    fn clock_times(&mut self, now: Millis, times: ClockTimes) -> Vec<Effect> {
        let news = self.clock.read(times);
        let ran = self.clock_state == Clock::Running;
        self.clock_state = match (times.running(), self.clock_state) {
            (true, _) => Clock::Running,
            (false, Clock::Running) => Clock::Stopped { since: Some(now) },
            (false, Clock::Stopped { since }) => Clock::Stopped { since },
            (false, Clock::None) => Clock::Stopped { since: None },
        };
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        let told = self.clock_notices.reading(&times, self.clock.right_player());
        let mut effects: Vec<Effect> = told.into_iter().map(Effect::Notice).collect();
        let recogniser = &mut game.recogniser;
        let opening = recogniser.plies() == 0;
        let untouched = !news.pressed && !recogniser.is_touched() && !recogniser.is_pressed_for();
        if times.running() && opening && (!ran || untouched) {
            self.clock.assume(recogniser.position().turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        // A press that starts the clock completes no ply.
        if news.pressed && (ran || !opening) {
            if let Some(mover) = recogniser.likely_presser(now)
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
                let settled = self.last_change + Millis(self.recognition.settle_ms);
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
        let pieces = self.result_pieces.tells_at(&self.sensors.result_pieces(), self.last_change);
        let over = self.ends_without_moves_at();
        let ends = [over, self.gap_until, verdict, result];
        [new_game, setting_up, self.doubts_at(), pieces].into_iter().chain(ends).flatten().min()
    }

    /// Everything that is due: to be called after every event and at the deadline.
    pub fn decide(&mut self, now: Millis) -> Vec<Effect> {
        if self.gap_until.is_some_and(|until| until <= now) {
            self.end_gap(now);
        }
        let mut effects = self.begin_new_game(now);
        effects.extend(self.tell_set_up(now));
        while let Some(verdict) = self.verdict(now) {
            effects.extend(self.publish(now, &verdict));
            effects.extend(self.news());
        }
        effects.extend(self.end_without_moves(now));
        effects.extend(self.apply_result(now));
        effects.extend(self.tell_doubt(now));
        effects.extend(self.tell_result_pieces(now));
        effects.extend(self.tell_provisional());
        effects
    }

    /// What is expected to be published next, when that has changed.
    fn tell_provisional(&mut self) -> Option<Effect> {
        let provisional = match &self.stage {
            Stage::Playing(game) if self.linked && game.result.is_none() => {
                let expected = (*game.recogniser.position(), game.recogniser.expected().to_vec());
                if self.expected.as_ref() == Some(&expected) {
                    return None;
                }
                let provisional = account::line_of_play(&expected.0, &expected.1);
                self.expected = Some(expected);
                provisional
            }
            Stage::Playing(_) | Stage::Waiting | Stage::Over => {
                self.expected = None;
                Vec::new()
            }
        };
        if provisional == self.provisional {
            return None;
        }
        self.provisional.clone_from(&provisional);
        Some(Effect::Provisional(provisional))
    }

    fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.deaf_at().is_some_and(|at| at < now) {
            // What is told late, after a gap, may have a deadline that has passed; it would be due for ever.
            if let Stage::Playing(game) = &mut self.stage {
                game.recogniser.rest();
            }
            return None;
        }
        match &mut self.stage {
            Stage::Playing(game) => game.recogniser.verdict(now),
            Stage::Waiting | Stage::Over => None,
        }
    }

    fn tell_result_pieces(&mut self, now: Millis) -> Option<Effect> {
        let lying = self.sensors.result_pieces();
        self.result_pieces.tells_at(&lying, self.last_change).filter(|&at| at <= now)?;
        let (format, is_playing) = (self.settings.variant.result_format, self.has_open_game());
        self.result_pieces.tell(lying, format, is_playing).map(Effect::Notice)
    }

    fn publish(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let (Verdict::Ply { press, .. } | Verdict::Setup { press, .. }) = verdict;
        let at_press = press.and_then(|press| self.readings.iter().find(|(id, _)| *id == press));
        let is_certain = self.clock_state != Clock::None && self.truth.is_certain(now);
        let latest = self.clock.last().filter(|_| is_certain);
        let reading = at_press.map(|(_, times)| times).or(latest).copied();
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        let mut effects = game.publish(verdict, reading.as_ref(), &self.clock, &self.settings, &mut self.games);
        let text = game.last().unwrap_or_default();
        let why = account::note(verdict, game.recogniser.grounds(), self.settings.variant);
        effects.insert(0, Effect::Note(format!("{text}: {why}")));
        if let Verdict::Setup { reason, .. } = verdict {
            let why = account::reason_for_people(*reason);
            effects.push(Effect::Notice(format!("the position had to be set up: {why}; game goes on with {text}")));
        }
        effects
    }

    /// When a game is over whose position has no move: the last one may still be taken back. Where only the limit on moves of
    /// one king is in the way, or the organiser has results of their own, that is for the arbiter.
    fn ends_without_moves_at(&self) -> Option<Millis> {
        let Stage::Playing(game) = &self.stage else { return None };
        let recogniser = &game.recogniser;
        let over = game.number().is_some() && recogniser.is_settled() && self.won_without_moves(game).is_some();
        over.then(|| recogniser.quiet_since() + LAST_MOVE_STANDS)
    }

    /// The side that has won because the other, to move, has no move; and that result.
    fn won_without_moves(&self, game: &Game) -> Option<(Color, &'static str)> {
        let position = game.recogniser.position();
        let format = live::result_format(self.settings.variant, &self.settings.tags)?;
        let winner = position.winner().filter(|_| position.exhausted_king().is_none())?;
        Some((winner, format.win(winner)))
    }

    /// A side that is to move and has no move has lost.
    fn end_without_moves(&mut self, now: Millis) -> Vec<Effect> {
        if self.ends_without_moves_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let position = *game.recogniser.position();
        let Some((winner, result)) = self.won_without_moves(game) else { return Vec::new() };
        let mut effects = self.close(game, Some(result));
        effects.push(Effect::Notice(format!("the game is over: {} has no move, {winner} wins", position.turn())));
        self.stage = Stage::Over;
        effects
    }

    /// What the operator is to know about draws and the like.
    fn news(&mut self) -> Vec<Effect> {
        match &mut self.stage {
            Stage::Playing(game) => game.news(),
            Stage::Waiting | Stage::Over => Vec::new(),
        }
    }

    fn apply_result(&mut self, now: Millis) -> Vec<Effect> {
        let Stage::Playing(game) = &self.stage else { return Vec::new() };
        let Some((result, given)) = &game.result else { return Vec::new() };
        if !game.recogniser.is_settled() && now < *given + RESULT_WAITS {
            return Vec::new();
        }
        let effects = self.close(game, Some(result));
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
            Some(doubt) => doubt.quiet_since,
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
            Some(doubt) if !self.is_stopped() => {
                let doubt = account::doubt(&doubt, self.settings.variant);
                let (squares, readings) = (doubt.squares.join(", "), doubt.readings.join("; or "));
                format!("no legal move explains the board; it differs on {squares}; closest: {readings}")
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
        account::names(geometry, squares).join(", ")
    }

    fn orientations(&self) -> &'static [Orientation] {
        match (self.settings.orientation, self.flipped) {
            (OrientationSetting::Auto, _) => &[Orientation::Normal, Orientation::Turned],
            (OrientationSetting::Normal, false) | (OrientationSetting::Turned, true) => &[Orientation::Normal],
            (OrientationSetting::Turned, false) | (OrientationSetting::Normal, true) => &[Orientation::Turned],
        }
    }

    /// How the board lies, if it shows the start position. To be asked again after every change: it looks at every field.
    fn look_for_start(&self) -> Option<Orientation> {
        self.start_in(&self.sensors)
    }

    fn start_in(&self, sensors: &Sensors) -> Option<Orientation> {
        let start = Position::start(self.settings.variant);
        let shows_start = |orientation: Orientation| {
            sensors.sight_from(orientation).differs_from_placement(start.placement()).is_empty()
        };
        self.orientations().iter().copied().find(|&orientation| sensors.is_known() && shows_start(orientation))
    }

    /// When the start position on the board will begin a new game.
    fn new_game_at(&self) -> Option<Millis> {
        if !self.linked {
            return None;
        }
        match &self.stage {
            Stage::Playing(game) if game.recogniser.plies() == 0 && game.number().is_none() => None,
            Stage::Playing(game) => {
                self.start_seen.filter(|_| self.confirmed)?;
                let few = game.recogniser.plies() < FEW_PLIES;
                if few && self.clock_state == Clock::Running {
                    return None;
                }
                Some(self.last_change + if few { NEW_GAME_EARLY } else { NEW_GAME })
            }
            Stage::Waiting | Stage::Over => self.start_seen.map(|_| Millis::ZERO),
        }
    }

    fn begin_new_game(&mut self, now: Millis) -> Vec<Effect> {
        let Some(orientation) = self.new_game_at().filter(|&at| at <= now).and(self.start_seen) else {
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
        let mut effects = match &self.stage {
            Stage::Playing(game) => self.close(game, self.won_without_moves(game).map(|(_, result)| result)),
            Stage::Waiting | Stage::Over => Vec::new(),
        };
        let clock = match self.clock_state {
            Clock::Stopped { .. } => Clock::Stopped { since: None },
            other => other,
        };
        self.clock_state = clock;
        self.clock.forget_sides();
        self.clock_notices.new_game();
        self.told = None;
        self.told_doubt = false;
        let sight = self.sensors.sight();
        let mut recogniser = Recogniser::new(position, 0, sight, clock, now, self.recognition);
        if clock == Clock::Running {
            self.clock.assume(position.turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        recogniser.link(now, self.linked && self.gap_until.is_none());
        self.begun += 1;
        self.stage = Stage::Playing(Box::new(Game::new(position, recogniser, now)));
        effects.extend(self.news());
        effects
    }

    /// The end of a game's file. What the clock shows then is kept for the archive.
    fn close(&self, game: &Game, result: Option<&str>) -> Vec<Effect> {
        let mut effects = game.close(result);
        let seconds = self.clock.last().and_then(|times| self.clock.seconds(times));
        if let Some([white, black]) = seconds.filter(|_| game.number().is_some() && self.clock_state != Clock::None) {
            let [white, black] = [white, black].map(ClockTime);
            effects.push(Effect::Note(format!("the clock at the end: White {white}, Black {black}")));
        }
        effects
    }

    /// When the operator is told what is missing for the start position.
    fn tells_at(&self) -> Option<Millis> {
        let waits = matches!(self.stage, Stage::Waiting | Stage::Over) && self.linked && self.sensors.is_known();
        if !waits {
            return None;
        }
        let (wrong, _) = self.wrong_for_start();
        (wrong.len() <= NEARLY_SET_UP && self.told != Some(wrong)).then(|| self.last_change + SETTING_UP)
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

    /// An operator's request.
    pub fn request(&mut self, now: Millis, request: &str) -> Vec<Effect> {
        let (verb, rest) = request.trim().split_once(' ').unwrap_or((request.trim(), ""));
        match verb {
            "result" => self.result(now, rest.trim()),
            "start" => self.start_on_request(now, rest.trim()),
            "setup" => self.set_up_on_request(now, rest.trim()),
            "flip" => self.flip(now),
            "names" => self.name_players(rest.trim()),
            "undo" => vec![Effect::Notice("`undo` is not built yet; `setup FEN` says where play goes on".to_owned())],
            _ => vec![Effect::Notice(format!(
                "request `{request}` is not known; known are result, start, setup, flip, names, hold and release"
            ))],
        }
    }

    /// The operator says how the game ended.
    fn result(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let format = live::result_format(self.settings.variant, &self.settings.tags);
        let Some(value) = values::result_in(format, text) else {
            let own = || format!("any text of up to {} plain characters", live::LONGEST_RESULT);
            let known = format.map_or_else(own, ResultFormat::in_words);
            return vec![Effect::Notice(format!("`{text}` is not a result of this game; its results are {known}"))];
        };
        match &mut self.stage {
            Stage::Playing(game) if game.number().is_some() => {
                game.result = Some((value, now));
                Vec::new()
            }
            _ => vec![Effect::Notice(format!("no game is going on that could end {value}"))],
        }
    }

    /// The operator starts a game, from the start position or from a FEN.
    fn start_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        if text.is_empty() {
            return self.start(now, Position::start(self.settings.variant));
        }
        match self.position_of(text) {
            Ok(position) => self.start(now, position),
            Err(notice) => vec![notice],
        }
    }

    /// The operator says what stands on the board.
    fn set_up_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let position = match self.position_of(text) {
            Ok(position) => position,
            Err(notice) => return vec![notice],
        };
        let Stage::Playing(game) = &mut self.stage else { return self.start(now, position) };
        let verdict = game.recogniser.set_up(position);
        let mut effects = self.publish(now, &verdict);
        effects.extend(self.news());
        effects
    }

    /// The operator says that the board lies the other way round.
    fn flip(&mut self, now: Millis) -> Vec<Effect> {
        self.flipped = !self.flipped;
        let orientation = self.sensors.orientation().other();
        self.sensors.turn(orientation);
        self.start_seen = self.look_for_start();
        self.last_change = now;
        self.confirmed = false;
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
        let side = if orientation == Orientation::Turned { "right" } else { "left" };
        vec![Effect::Notice(format!("the board is read with its connector on White's {side}"))]
    }

    /// The operator says who plays: `White's name / Black's name`.
    fn name_players(&mut self, text: &str) -> Vec<Effect> {
        let names = text.split_once(" / ").map(|(white, black)| [white.trim(), black.trim()]);
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_control);
        let Some([white, black]) = names.filter(|names| names.iter().all(|name| is_name(name))) else {
            return vec![Effect::Notice(
                "`names` needs both names, as in names Sijbrands, T. / Wiersma, H.".to_owned(),
            )];
        };
        for (tag, name) in [("White", white), ("Black", black)] {
            self.settings.tags.retain(|(known, _)| known != tag);
            self.settings.tags.push((tag.to_owned(), name.to_owned()));
        }
        let which = if self.has_open_game() { "the next game; this one's file has its names" } else { "this game" };
        vec![Effect::Notice(format!("{white} and {black} are the players of {which}"))]
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
                    Some(doubt) => format!("unexplained: {}", self.names(doubt.squares)),
                    None if game.number().is_none() => "ready".to_owned(),
                    None if self.is_stopped() => "clock stopped".to_owned(),
                    None => "playing".to_owned(),
                };
                let (plies, last) = (game.recogniser.plies(), game.last().map(str::to_owned));
                let doubt = game.recogniser.doubt().filter(|_| self.linked);
                let doubt = doubt.map(|doubt| account::doubt(&doubt, self.settings.variant));
                let provisional = self.provisional.clone();
                Status { state, game: game.number(), plies, last, clocks, provisional, doubt, ..Status::default() }
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
