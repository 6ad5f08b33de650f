//! One board with its clock, and the games that are played on it one after the other.
//!
//! ```text
//!   Waiting ──start position, or the operator──▸ Playing ──no move left, result──▸ Over
//!      ▴                                          │  ▴                              │
//!      └──────────────────────────────────────────┘  └─────── start position ───────┘
//!             pieces set up anew: the old game is closed
//! ```
//!
//! A table is seven values. Each owns its fields, and a function that looks into one says so in its signature.
//!
//! | value | what it owns | file |
//! |---|---|---|
//! | [`BoardModel`] | what stands on the fields, how the board lies, how sure that is | `known_board.rs` |
//! | [`TableClock`] | whose time runs, which press belongs to which ply | `clock.rs` |
//! | [`GameSequence`] | the game that is going on, and how many there were | `play.rs` |
//! | [`NoticeTracker`] | what the operator was told | `telling.rs`, with the state for people |
//! | [`LiveUpdateTracker`] | what those who listen beside the file were told | `listeners.rs` |
//! | [`Resync`] | the operator's word that what stands is right | `requests.rs`, with all that he asks |
//! | `LineSettings` | what holds for the games | |
//!
//! Here is what the board says and what follows from it: each thing goes to the values that it is about, and to the recogniser.
//! How a game begins is in `start.rs`, how it ends in `ending.rs`.

mod board_model;
mod clock;
mod ending;
mod game_sequence;
mod live_updates;
mod requests;
mod start;
mod status;

use chrono::{DateTime, FixedOffset};

use super::notes;
use super::sensors::Sensors;
use super::wait::{LineWait, earliest, with_name};
use super::{Effect, LineSettings, LiveUpdate};
use crate::engine::calendar;
use crate::engine::millis::Millis;
use crate::engine::protocol::{ClockReport, Field, PieceCode};
use crate::engine::recognition::Verdict;
use board_model::BoardModel;
use clock::{ClockReportSource, TableClock};
use draughts::Position;
use game_sequence::GameSequence;
use live_updates::LiveUpdateTracker;
use requests::Resync;
use status::NoticeTracker;

/// A board and its games.
#[derive(Clone, Debug)]
pub struct Table {
    settings: LineSettings,
    /// The tags of its games, as the line was told: what a pairing says goes over them.
    line_tags: Vec<(String, String)>,
    board: BoardModel,
    clock: TableClock,
    games: GameSequence,
    notices: NoticeTracker,
    live_updates: LiveUpdateTracker,
    /// The operator says that what stands on the board is right, and the board has yet to say what that is.
    resync: Option<Resync>,
}

/// What is going on with the ply that is not published yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PendingPly {
    /// Nothing.
    Nothing,
    /// It was begun, and nobody waits in the middle of one. It has had its quiet: with more it would pass for one that nobody
    /// pressed for.
    Ply,
    /// It was pressed for: what comes next is another, and this one needs its quiet before that.
    Pressed,
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
    PlyComplete,
}

impl Table {
    /// A board of which nothing is known yet.
    pub fn new(settings: LineSettings) -> Table {
        Table {
            board: BoardModel::new(&settings),
            clock: TableClock::new(&settings),
            games: GameSequence::new(settings.games_before),
            notices: NoticeTracker::default(),
            live_updates: LiveUpdateTracker::default(),
            resync: None,
            line_tags: settings.tags.clone(),
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
        self.clock.presses()
    }

    /// The tags with which the file of the game that is going on begins, by what is known now.
    pub fn game_tags(&self) -> Option<Vec<(String, String)>> {
        self.games.game().map(|game| game.tags(&self.settings))
    }

    /// The pairing that games play which begin from now on.
    pub fn pairing(&self) -> Option<&str> {
        self.games.pairing().map(|pairing| pairing.id.as_str())
    }

    /// Is a game going on that has a file?
    pub fn has_open_game(&self) -> bool {
        self.games.open_game().is_some()
    }

    /// The link came up or went away. What stands on the board after a gap is judged when a dump has shown it: what was seen
    /// before may be a hand in the air, however long ago.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.board.set_link_up(now, up);
        self.live_updates.set_link_up(now, up);
        self.resync = None;
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.set_link_up(now, false);
        }
    }

    /// The gap is over: a dump has come, or none comes.
    fn end_gap(&mut self, now: Millis) {
        if self.board.end_gap()
            && let Some(recogniser) = self.games.recogniser()
        {
            recogniser.set_link_up(now, true);
        }
    }

    /// The board said something. While a clock runs it speaks every second: a longer silence is a gap, whether the port
    /// noticed or not.
    pub fn note_heard(&mut self, now: Millis) {
        if self.silence_due().is_some_and(|at| at < now)
            && let Some(recogniser) = self.games.recogniser()
        {
            recogniser.note_outage(now);
            self.board.mark_unconfirmed();
        }
        self.board.note_heard(now);
    }

    /// The board can be heard again, and kept its reports.
    pub fn resume_from_memory(&mut self) {
        self.board.resume_from_memory();
        self.live_updates.set_link_up(Millis::ZERO, true);
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.resume_from_memory();
        }
    }

    /// A board that keeps its reports until it is asked has told everything up to a time: no silence before it is a gap.
    pub fn is_known_until(&mut self, now: Millis) {
        self.board.note_heard(self.board.heard_at().max(now));
    }

    /// Has a game begun that is not over?
    pub fn is_playing(&self) -> bool {
        self.games.game().is_some()
    }

    /// Has a dump shown what is known of the board?
    pub fn is_confirmed(&self) -> bool {
        self.board.is_link_up() && self.board.is_confirmed() && self.sensors().is_known()
    }

    /// When what is known of the board last changed.
    pub fn last_change(&self) -> Millis {
        self.board.last_change()
    }

    /// How many plies stand complete that are not published yet.
    pub fn complete_plies(&self) -> usize {
        self.games.game().map_or(0, |game| game.recogniser.expected().len())
    }

    /// Is a game with a file going on, its clock not stopped?
    pub fn is_running(&self) -> bool {
        self.has_open_game() && !self.clock.is_stopped()
    }

    /// How many playing squares a dump shows otherwise than what is known.
    pub fn count_missed(&self, codes: &[PieceCode]) -> usize {
        let mut shown = self.sensors().clone();
        if shown.dump(codes).is_none() { 0 } else { shown.occupancy().differs_from(&self.board.occupancy()).len() }
    }

    /// What is known of the fields.
    pub fn sensors(&self) -> &Sensors {
        self.board.sensors()
    }

    /// How long a dump is waited for after a gap.
    pub fn dump_wait(&self) -> Millis {
        self.board.dump_wait()
    }

    /// Does the board report what happens on it, and never answer what stands on it? Then its reports count without a dump.
    pub fn trust_reports(&mut self, now: Millis, trusts: bool) {
        self.board.trust_reports(trusts);
        if trusts {
            // No dump will end it.
            self.end_gap(now);
        }
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.trust_reports(trusts);
        }
    }

    /// This stands on the board, by the word of somebody else than the board.
    fn assume_board(&mut self, now: Millis, position: &Position) {
        self.board.assume_board(position);
        self.sync_recogniser(now);
    }

    /// The recogniser sees all that is known of the board.
    fn sync_recogniser(&mut self, now: Millis) {
        let sight = self.board.occupancy();
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.on_dump(now, &sight);
        }
    }

    /// The start position is taken to have stood on the board before these reports, lying as they tell; or the position of the
    /// game that the operator has begun.
    pub fn assume_start(&mut self, now: Millis, reports: &[(Field, PieceCode)]) {
        match self.games.game().map(|game| *game.recogniser.position()) {
            Some(position) => self.assume_board(now, &position),
            None => self.board.assume_start(reports),
        }
    }

    /// The board reported one field.
    pub fn on_field_update(&mut self, now: Millis, field: Field, code: PieceCode) -> Vec<Effect> {
        if !self.sensors().has(field) {
            return vec![Effect::Notice(format!(
                "the board reports field {}, but a board for this game has fields 0 to {}; check game-type",
                field.0,
                self.sensors().field_count() - 1
            ))];
        }
        let reported = self.board.on_field_update(now, field, code);
        if let (Some(recogniser), Some((square, seen))) = (self.games.recogniser(), reported) {
            recogniser.observe(now, square, seen);
        }
        Vec::new()
    }

    /// A dump of the whole board arrived.
    pub fn on_dump(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let Some(changed) = self.board.on_dump(now, codes) else {
            return self.notices.foreign_dump_notice(codes.len(), &self.board).into_iter().collect();
        };
        self.end_gap(now);
        self.on_board_shown(!changed);
        self.sync_recogniser(now);
        Vec::new()
    }

    /// The board says, under a checksum, that nothing has changed since what it reported: as good as a dump of it.
    pub fn on_no_changes(&mut self, now: Millis) {
        if !self.sensors().is_known() {
            return;
        }
        self.board.on_no_changes();
        self.on_board_shown(true);
        self.sync_recogniser(now);
    }

    /// This stands on the board, by the numbers of its fields, and what led to it nobody saw, not even the board.
    pub fn on_full_board(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let mut shown = self.sensors().clone();
        shown.set_by_number(codes);
        if shown.fields() == self.sensors().fields() {
            return Vec::new();
        }
        // Nor what its clock showed meanwhile: there is nothing to judge its next reading by.
        self.clock.reset_reading();
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.note_outage(now);
        }
        self.on_dump(now, shown.fields())
    }

    /// What every field is known to hold; `None` before the first dump.
    pub fn fields(&self) -> Option<&[PieceCode]> {
        self.sensors().is_known().then(|| self.sensors().fields())
    }

    /// How many fields the board has, by its game.
    pub fn field_count(&self) -> usize {
        self.sensors().field_count()
    }

    /// Do the numbers of its reports count all fields, and not the playing squares alone?
    pub fn counts_all_fields(&self) -> bool {
        self.sensors().counts_all_fields()
    }

    /// How many fields its reports can name.
    pub fn number_count(&self) -> usize {
        self.sensors().number_count()
    }

    /// How many games were begun, with a file or not yet.
    pub fn games_begun(&self) -> u32 {
        self.games.begun_count()
    }

    /// A new game has begun that was not heard: its clock was set and started, nobody knows how.
    pub fn reset_unseen_clock(&mut self) {
        self.clock.reset_unseen_game();
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.set_clock(self.clock.state());
        }
    }

    /// Are the times that are told from now on those of both sides?
    pub fn trust_clock(&mut self, is_sure: bool) {
        self.clock.trust(is_sure);
    }

    /// The clock said something.
    pub fn on_clock(&mut self, now: Millis, report: &ClockReport) -> Vec<Effect> {
        self.clock.on_report(now, report, ClockReportSource::Times, self.games.recogniser())
    }

    /// The board tells of a press that it noticed itself: it is not merely found that the lever was moved once.
    pub fn on_press(&mut self, now: Millis, reports: &[ClockReport]) -> Vec<Effect> {
        let tell = |report| self.clock.on_report(now, report, ClockReportSource::Press, self.games.recogniser());
        reports.iter().flat_map(tell).collect()
    }

    /// Is the time of a side running, as far as is known?
    pub fn is_clock_running(&self) -> bool {
        self.clock.is_running()
    }

    /// From when on silence means that the board is not heard.
    pub fn silence_due(&self) -> Option<Millis> {
        self.clock.silence_due(&self.board)
    }

    /// Has a ply been begun, in a game or outside of one? Before that a lever that moves completes none.
    pub fn is_begun(&self) -> bool {
        self.games.game().is_some_and(|game| game.recogniser.plies() > 0 || game.recogniser.is_touched())
    }

    /// Has nothing legal explained what is seen for so long that no hand can be the reason?
    pub fn is_unexplained(&self, now: Millis) -> bool {
        const MOVE_GRACE: Millis = Millis::seconds(2);
        let doubt = self.games.game().and_then(|game| game.recogniser.unexplained());
        doubt.is_some_and(|doubt| now >= doubt.since.max(doubt.quiet_since) + MOVE_GRACE)
    }

    /// How closely the board has to be watched.
    pub fn attention(&self) -> Attention {
        match self.games.game() {
            Some(game) if !game.recogniser.expected().is_empty() => Attention::PlyComplete,
            Some(game) if !game.recogniser.is_settled() => Attention::Touched,
            Some(game) if self.clock.is_running() || game.file_number().is_some() => Attention::Playing,
            Some(_) | None => Attention::Idle,
        }
    }

    /// What is going on with the ply that is not published yet.
    pub fn pending_ply(&self) -> PendingPly {
        match self.games.game() {
            Some(game) if game.recogniser.is_settled() => PendingPly::Nothing,
            Some(game) if game.recogniser.has_presses() => PendingPly::Pressed,
            Some(_) => PendingPly::Ply,
            None => PendingPly::Nothing,
        }
    }

    /// When a dump is wanted to confirm what is seen.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        if !self.board.is_link_up() {
            return None;
        }
        let Some(game) = self.games.game() else { return self.board.wants_dump_at() };
        let asks = self.resync.as_ref().map(Resync::question_due);
        game.recogniser.wants_dump_at().into_iter().chain(asks).min()
    }

    /// When [`Table::decide`] has something to do even if nothing happens, and what is waited for until then.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let game = self.games.game();
        let verdict = game.and_then(|game| game.recogniser.deadline());
        let verdict = verdict.filter(|&(at, _)| self.silence_due().is_none_or(|deaf| at <= deaf));
        let doubts = game.and_then(|game| self.notices.unexplained_due(&self.board, &self.clock, game));
        earliest([
            with_name(start::new_game_due(&self.board, &self.clock, &self.games), LineWait::Start),
            with_name(self.notices.start_notice_due(&self.board, &self.games), LineWait::SettingUp),
            with_name(doubts, LineWait::Unexplained),
            with_name(self.notices.result_notice_due(&self.board, &self.clock), LineWait::ResultSign),
            with_name(game.and_then(|game| ending::no_moves_due(game, &self.settings)), LineWait::NoMoveLeft),
            with_name(self.board.gap_until(), LineWait::DumpAfterGap),
            verdict.map(|(at, wait)| (at, LineWait::Recognition(wait))),
            with_name(game.and_then(ending::result_due), LineWait::Result),
            with_name(self.resync.as_ref().map(Resync::due), LineWait::Resync),
            with_name(self.live_updates.update_due(&self.games), LineWait::SignOfLife),
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
        let mut effects = match self.games.take_pending_verdict() {
            Some(verdict) => self.after_publication(&verdict),
            None => self.start_decisions(now),
        };
        if let Some(verdict) = self.verdict(now) {
            effects.extend(self.publish(now, &verdict));
            self.games.set_pending_verdict(verdict);
            return (effects, true);
        }
        effects.extend(self.end_resync(now));
        effects.extend(self.end_without_moves(now));
        effects.extend(self.apply_result(now));
        effects.extend(self.notices.unexplained_notice(now, &self.board, &self.clock, &self.games));
        effects.extend(self.notices.result_notice(now, &self.board, &self.clock, &self.games));
        let condition = self.condition();
        effects.extend(self.live_updates.updates(now, &self.board, &self.clock, &self.games, condition));
        (effects, false)
    }

    fn start_decisions(&mut self, now: Millis) -> Vec<Effect> {
        if self.board.gap_until().is_some_and(|until| until <= now) {
            self.end_gap(now);
        }
        let mut effects = self.start_new_game(now);
        effects.extend(self.notices.start_notice(now, &self.board, &self.games));
        effects
    }

    fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        let is_deaf = self.silence_due().is_some_and(|at| at < now);
        let recogniser = self.games.recogniser()?;
        if is_deaf {
            // What is told late, after a gap, may have a deadline that has passed; it would be due for ever.
            recogniser.suspend();
            return None;
        }
        recogniser.verdict(now)
    }

    fn publish(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let (Verdict::Ply { press, .. } | Verdict::Setup { press, .. }) = verdict;
        let clocks = self.clock.clocks_at_press(*press, now);
        if let Some(clocks) = clocks {
            self.live_updates.note_entry_clocks(now, clocks);
        }
        let Some((mut effects, is_begun)) = self.games.publish(verdict, clocks, &self.settings) else {
            return Vec::new();
        };
        if let Verdict::Setup { reason, .. } = verdict {
            effects.extend(is_begun.then(|| Effect::LiveUpdate(LiveUpdate::SetupReason(notes::reason_str(*reason)))));
        }
        effects
    }

    /// Why a verdict was given that has been published, and what follows from it.
    fn after_publication(&mut self, verdict: &Verdict) -> Vec<Effect> {
        let Some(game) = self.games.game_mut() else { return Vec::new() };
        game.after_publication(verdict);
        let text = game.last_line().unwrap_or_default();
        let why = notes::note(verdict, game.recogniser.rationale(), self.settings.variant);
        let mut effects = vec![Effect::Note(format!("{text}: {why}"))];
        if let Verdict::Setup { reason, .. } = verdict {
            let why = notes::describe_reason(*reason);
            effects.push(Effect::Notice(format!("the position had to be set up: {why}; game goes on with {text}")));
        }
        effects.extend(self.games.take_notices());
        effects
    }
}
