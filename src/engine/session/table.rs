//! One board with its clock, and the games that are played on it one after the other.
//!
//! ```text
//!   Waiting ──start position, or the operator──▸ Playing ──no move left, result──▸ Over
//!      ▴                                          │  ▴                              │
//!      └──────────────────────────────────────────┘  └─────── start position ───────┘
//!             pieces set up anew: the old game is closed
//! ```
//!
//! Here is what the board says and what follows from it: the state, its changes, its deadline and its verdicts. Its other
//! subjects have files of their own, all of the one [`Table`]:
//!
//! | file | subject |
//! |---|---|
//! | `clock.rs` | whose time runs, and which press belongs to which ply |
//! | `start.rs` | how a game begins |
//! | `ending.rs` | how it ends |
//! | `requests.rs` | what the operator asks |
//! | `telling.rs` | what people are told |
//! | `listeners.rs` | what listeners are told beside the file |

mod clock;
mod ending;
mod listeners;
mod requests;
mod start;
mod telling;

use std::collections::VecDeque;

use chrono::{DateTime, FixedOffset};

use super::account;
use super::catchup::timeline::Begun;
use super::clock_truth::{ClockNotices, ClockTruth};
use super::game::Game;
use super::lever::ClockWatch;
use super::result_piece::ResultPieces;
use super::sensors::{Orientation, Sensors};
use super::wait::{Wait, earliest, named};
use super::{Aside, Effect, LineSettings, OrientationSetting};
use crate::engine::calendar;
use crate::engine::millis::Millis;
use crate::engine::protocol::{ClockTimes, Field, PieceCode};
use crate::engine::recognition::{Clock, PressId, Verdict};
use draughts::{Position, SquareSet};
use listeners::Listeners;
use requests::Resync;
use telling::ToldDoubt;

#[derive(Clone, Debug)]
enum Stage {
    Waiting,
    Playing(Box<Game>),
    Over,
}

/// A board and its games.
#[derive(Clone, Debug)]
pub struct Table {
    settings: LineSettings,
    recognition: crate::engine::recognition::Settings,
    sensors: Sensors,
    clock: ClockWatch,
    truth: ClockTruth,
    clock_notices: ClockNotices,
    clock_state: Clock,
    /// The times of the clock are those of both sides in this game.
    is_clock_sure: bool,
    /// What the clock is heard to say is told of a press.
    is_press_told: bool,
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
    told_doubt: ToldDoubt,
    result_pieces: ResultPieces,
    /// The operator has turned the board round against what is configured.
    flipped: bool,
    /// How many games had a file when the operator said who plays.
    named_after: Option<u32>,
    /// The operator says that what stands on the board is right, and the board has yet to say what that is.
    resync: Option<Resync>,
    /// A clock has told its time.
    had_clock: bool,
    /// The link is up again, but no dump has come since: until when one is waited for.
    gap_until: Option<Millis>,
    listeners: Listeners,
    /// It is published, and what follows from it was not thought about yet.
    published: Option<Verdict>,
    linked: bool,
    /// The board never says what stands on it: what it reports counts without a dump.
    trusts_reports: bool,
    /// What stood on it when it was first heard was never shown; the start position was taken for it.
    is_assumed: bool,
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
    /// A ply stands complete: it will be pressed for in a moment, and that decides.
    Landed,
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
            is_clock_sure: true,
            is_press_told: false,
            stage: Stage::Waiting,
            games: settings.games_before,
            presses: 0,
            readings: VecDeque::new(),
            last_change: Millis::ZERO,
            confirmed: true,
            start_seen: None,
            told: None,
            told_foreign_dump: false,
            told_doubt: ToldDoubt::Nothing,
            result_pieces: ResultPieces::default(),
            flipped: false,
            named_after: None,
            resync: None,
            had_clock: false,
            gap_until: None,
            listeners: Listeners::default(),
            published: None,
            linked: false,
            trusts_reports: false,
            is_assumed: false,
            begun: 0,
            heard_at: Millis::ZERO,
            settings,
        }
    }

    /// What holds for its games.
    pub fn settings(&self) -> &LineSettings {
        &self.settings
    }

    /// From a time on the clock of the machine shows this.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.settings.opened = Some(calendar::epoch(at, shown));
    }

    /// How often its clock was pressed.
    pub fn presses(&self) -> u32 {
        self.presses
    }

    /// The tags with which the file of the game that is going on begins, by what is known now.
    pub fn tags_of_game(&self) -> Option<Vec<(String, String)>> {
        if let Stage::Playing(game) = &self.stage { Some(game.tags(&self.settings)) } else { None }
    }

    /// Is a game going on that has a file?
    pub fn has_open_game(&self) -> bool {
        matches!(&self.stage, Stage::Playing(game) if game.number().is_some())
    }

    /// The link came up or went away. What stands on the board after a gap is judged when a dump has shown it: what was seen
    /// before may be a hand in the air, however long ago.
    pub fn link(&mut self, now: Millis, up: bool) {
        self.linked = up;
        self.listeners.link(now, up);
        self.resync = None;
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
        self.listeners.link(Millis::ZERO, true);
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

    /// Has a dump shown what is known of the board?
    pub fn is_confirmed(&self) -> bool {
        self.linked && self.confirmed && self.sensors.is_known()
    }

    /// When what is known of the board last changed.
    pub fn last_change(&self) -> Millis {
        self.last_change
    }

    /// How many plies stand complete that are not published yet.
    pub fn expected(&self) -> usize {
        if let Stage::Playing(game) = &self.stage { game.recogniser.expected().len() } else { 0 }
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

    /// Does the board report what happens on it, and never answer what stands on it? Then its reports count without a dump.
    pub fn trust_reports(&mut self, now: Millis, trusts: bool) {
        self.trusts_reports = trusts;
        if trusts {
            // No dump will end it.
            self.end_gap(now);
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.trust_reports(trusts);
        }
    }

    /// This stands on the board, by the word of somebody else than the board.
    fn assume(&mut self, now: Millis, position: &Position) {
        self.sensors.assume(position.placement());
        self.start_seen = self.look_for_start();
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
    }

    /// The start position is taken to have stood on the board before these reports, lying as they tell; or the position of the
    /// game that the operator has begun.
    pub fn assume_start(&mut self, now: Millis, reports: &[(Field, PieceCode)]) {
        if let Stage::Playing(game) = &self.stage {
            let position = *game.recogniser.position();
            return self.assume(now, &position);
        }
        let start = Position::start(self.settings.variant);
        let shown = |orientation: Orientation| {
            let mut sensors = self.sensors.clone();
            sensors.turn(orientation);
            sensors.assume(start.placement());
            sensors
        };
        let all = self.orientations();
        let fits = all.iter().map(|&orientation| shown(orientation)).find(|sensors| sensors.may_have_led_to(reports));
        self.sensors = fits.unwrap_or_else(|| shown(all[0]));
        self.start_seen = self.look_for_start();
        self.is_assumed = true;
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
        self.is_assumed = false;
        self.confirmed = !changed;
        self.is_shown(!changed);
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
        self.is_shown(true);
        let sight = self.sensors.sight();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.dump(now, &sight);
        }
    }

    /// This stands on the board, by the numbers of its fields, and what led to it nobody saw, not even the board.
    pub fn stands(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let mut shown = self.sensors.clone();
        shown.set_by_number(codes);
        if shown.fields() == self.sensors.fields() {
            return Vec::new();
        }
        // Nor what its clock showed meanwhile: there is nothing to judge its next reading by.
        self.truth.forget();
        if let Stage::Playing(game) = &mut self.stage {
            game.recogniser.was_deaf(now);
        }
        self.dump(now, shown.fields())
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

    /// How many fields its reports can name.
    pub fn number_count(&self) -> usize {
        self.sensors.number_count()
    }

    /// How closely the board has to be watched.
    pub fn attention(&self) -> Attention {
        match &self.stage {
            Stage::Playing(game) if !game.recogniser.expected().is_empty() => Attention::Landed,
            Stage::Playing(game) if !game.recogniser.is_settled() => Attention::Touched,
            Stage::Playing(game) if self.clock_state == Clock::Running || game.number().is_some() => Attention::Playing,
            Stage::Playing(_) | Stage::Waiting | Stage::Over => Attention::Idle,
        }
    }

    /// What is going on with the ply that is not published yet.
    pub fn begun_ply(&self) -> Begun {
        match &self.stage {
            Stage::Playing(game) if game.recogniser.is_settled() => Begun::Nothing,
            Stage::Playing(game) if game.recogniser.is_pressed_for() => Begun::Pressed,
            Stage::Playing(_) => Begun::Ply,
            Stage::Waiting | Stage::Over => Begun::Nothing,
        }
    }

    /// When a dump is wanted to confirm what is seen.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        if !self.linked {
            return None;
        }
        match &self.stage {
            Stage::Playing(game) => {
                let asks = self.resync.as_ref().map(Resync::asks_at);
                game.recogniser.wants_dump_at().into_iter().chain(asks).min()
            }
            Stage::Waiting | Stage::Over => {
                let settled = self.last_change + Millis(self.recognition.settle_ms);
                (!self.confirmed).then_some(settled)
            }
        }
    }

    /// When [`Table::decide`] has something to do even if nothing happens, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, Wait)> {
        let (verdict, result) = match &self.stage {
            Stage::Playing(game) => {
                let verdict = game.recogniser.deadline();
                let verdict = verdict.filter(|&(at, _)| self.deaf_at().is_none_or(|deaf| at <= deaf));
                (verdict, game.result.as_ref().map(|(_, at)| *at + ending::RESULT_WAITS))
            }
            Stage::Waiting | Stage::Over => (None, None),
        };
        let pieces = self.result_pieces.tells_at(self.sensors.result_pieces(), self.last_change);
        earliest([
            named(self.new_game_at(), Wait::Start),
            named(self.tells_at(), Wait::SettingUp),
            named(self.doubts_at(), Wait::Doubt),
            named(pieces, Wait::ResultPiece),
            named(self.ends_without_moves_at(), Wait::NoMoveLeft),
            named(self.gap_until, Wait::DumpAfterGap),
            verdict.map(|(at, wait)| (at, Wait::Recognition(wait))),
            named(result, Wait::Result),
            named(self.resync.as_ref().map(Resync::ends_at), Wait::Resync),
            named(self.listeners_at(), Wait::Sign),
        ])
    }

    /// Everything that is due: to be called after every event and at the deadline.
    pub fn decide(&mut self, now: Millis) -> Vec<Effect> {
        let mut all = Vec::new();
        loop {
            let (effects, has_published) = self.decide_next(now);
            all.extend(effects);
            if !has_published {
                return all;
            }
        }
    }

    /// The same up to the lines of the next verdict. Returns whether there is one: then what follows from it is told by the
    /// next call, which has to come before anything else happens on the table.
    pub fn decide_next(&mut self, now: Millis) -> (Vec<Effect>, bool) {
        let mut effects = match self.published.take() {
            Some(verdict) => self.look_back_at(&verdict),
            None => self.begin_to_decide(now),
        };
        if let Some(verdict) = self.verdict(now) {
            effects.extend(self.publish(now, &verdict));
            self.published = Some(verdict);
            return (effects, true);
        }
        effects.extend(self.end_resync(now));
        effects.extend(self.end_without_moves(now));
        effects.extend(self.apply_result(now));
        effects.extend(self.tell_doubt(now));
        effects.extend(self.tell_result_pieces(now));
        effects.extend(self.tell_listeners(now));
        (effects, false)
    }

    fn begin_to_decide(&mut self, now: Millis) -> Vec<Effect> {
        if self.gap_until.is_some_and(|until| until <= now) {
            self.end_gap(now);
        }
        let mut effects = self.begin_new_game(now);
        effects.extend(self.tell_set_up(now));
        effects
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

    fn publish(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let (Verdict::Ply { press, .. } | Verdict::Setup { press, .. }) = verdict;
        let at_press = press.and_then(|press| self.readings.iter().find(|(id, _)| *id == press));
        let reading = at_press.map(|(_, times)| times).or(self.certain_reading(now)).copied();
        let clocks = reading.and_then(|reading| self.clock.clocks(&reading));
        if let Some(clocks) = clocks {
            self.listeners.have_read(now, clocks);
        }
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        let is_begun = game.number().is_some();
        let mut effects = game.publish(verdict, clocks, &self.settings, &mut self.games);
        if let Verdict::Setup { reason, .. } = verdict {
            effects.extend(is_begun.then(|| Effect::Aside(Aside::Correction(account::reason_word(*reason)))));
        }
        effects
    }

    /// Why a verdict was given that has been published, and what follows from it.
    fn look_back_at(&mut self, verdict: &Verdict) -> Vec<Effect> {
        let Stage::Playing(game) = &mut self.stage else { return Vec::new() };
        game.follow(verdict);
        let text = game.last().unwrap_or_default();
        let why = account::note(verdict, game.recogniser.grounds(), self.settings.variant);
        let mut effects = vec![Effect::Note(format!("{text}: {why}"))];
        if let Verdict::Setup { reason, .. } = verdict {
            let why = account::reason_for_people(*reason);
            effects.push(Effect::Notice(format!("the position had to be set up: {why}; game goes on with {text}")));
        }
        effects.extend(self.news());
        effects
    }
}
