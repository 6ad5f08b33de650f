//! One board with its clock, and its consecutive games.
//!
//! ```text
//!   Waiting ──start position, or the operator──▸ Playing ──no move left, result──▸ Over
//!      ▴                                          │  ▴                              │
//!      └──────────────────────────────────────────┘  └─────── start position ───────┘
//!             pieces set up anew: the old game is closed
//! ```
//!
//! A table consists of eight values. Each owns its fields; a function that reads another value takes it as a parameter.
//!
//! | value | content | file |
//! |---|---|---|
//! | [`BoardModel`] | contents of the fields, orientation of the board, certainty of both | `board_model.rs` |
//! | [`TableClock`] | side whose time runs, assignment of presses to plies | `clock.rs` |
//! | [`GameSequence`] | running game, number of games | `game_sequence.rs` |
//! | [`NoticeTracker`] | notices sent to the operator | `status.rs`, with the state for people |
//! | [`LiveUpdateTracker`] | updates sent to event listeners | `live_updates.rs` |
//! | [`EnteredGame`] | plies that people enter on a board without electronics | `entry.rs` |
//! | [`Resync`] | operator's confirmation of the board | `requests.rs`, with all other requests |
//! | `LineSettings` | settings of the games | |
//!
//! `missing_moves.rs` adds moves that the board has missed.
//!
//! This file passes each report of the board to the values that it concerns, and to the recogniser. `start.rs` begins
//! games, and `ending.rs` ends them.

mod board_model;
mod clock;
mod ending;
mod entry;
mod game_sequence;
mod live_updates;
mod missing_moves;
mod requests;
mod start;
mod status;

use chrono::{DateTime, FixedOffset};
use draughts::Position;
use draughts_pdn::clock::Clocks;

use super::notes;
use super::sensors::Sensors;
use super::wait::{LineWait, earliest, with_name};
use super::{Effect, LineSettings, LiveUpdate};
use crate::bytelog::Mode;
use crate::calendar;
use crate::millis::Millis;
use crate::protocol::{ClockReport, Field, PieceCode};
use crate::recognition::{Recogniser, Verdict};
use board_model::BoardModel;
use clock::{ClockReportSource, TableClock};
use entry::EnteredGame;
use game_sequence::GameSequence;
use live_updates::LiveUpdateTracker;
use requests::Resync;
use status::NoticeTracker;

/// Board and its games.
#[derive(Clone, Debug)]
pub struct Table {
    settings: LineSettings,
    /// Tags of the games from the line's settings; tags of a pairing override them.
    line_tags: Vec<(String, String)>,
    board: BoardModel,
    clock: TableClock,
    games: GameSequence,
    notices: NoticeTracker,
    live_updates: LiveUpdateTracker,
    /// Operator's confirmation that the board is right, while the contents of the board are still being read.
    resync: Option<Resync>,
    /// Entered plies; `None` on a board that reports its moves itself, unless people enter those of this game.
    entered: Option<EnteredGame>,
}

/// State of the next unpublished ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PendingPly {
    /// No ply has begun.
    Nothing,
    /// A ply has begun, and the player does not pause within it. Its quiet time has passed; more quiet would make it look like
    /// a ply without a press.
    Ply,
    /// The ply has its press: the next event belongs to another ply, after the quiet time of this one.
    Pressed,
}

/// Activity of a board, which determines how often it is polled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Attention {
    /// No game is running.
    Idle,
    /// A game is running.
    Playing,
    /// Pieces are being moved.
    Touched,
    /// The board shows a complete ply, whose press is expected soon.
    PlyComplete,
}

impl Table {
    /// Creates the table of a board without any report yet.
    pub fn new(settings: LineSettings) -> Table {
        let is_entered = settings.mode == Mode::Entry;
        let mut board = BoardModel::new(&settings);
        if is_entered {
            // Without electronics there is no link that could be down.
            board.set_link_up(Millis::ZERO, true);
            board.end_gap();
        }
        Table {
            board,
            clock: TableClock::new(&settings),
            games: GameSequence::new(settings.games_before),
            notices: NoticeTracker::default(),
            live_updates: LiveUpdateTracker::default(),
            resync: None,
            entered: is_entered.then(EnteredGame::default),
            line_tags: settings.tags.clone(),
            settings,
        }
    }

    /// Returns the settings of the games.
    pub fn settings(&self) -> &LineSettings {
        &self.settings
    }

    /// Sets the machine clock at a time of the line.
    pub fn set_clock(&mut self, at: Millis, shown: DateTime<FixedOffset>) {
        self.settings.opened = Some(calendar::epoch(at, shown));
    }

    /// Returns the number of presses of the clock.
    pub fn presses(&self) -> u32 {
        self.clock.presses()
    }

    /// Returns the tags for the file of the running game, as currently known.
    pub fn game_tags(&self) -> Option<Vec<(String, String)>> {
        self.games.game().map(|game| game.tags(&self.settings))
    }

    /// Returns the pairing of the running game, whose file is not published yet.
    pub fn claim_pairing(&mut self) -> Option<String> {
        self.games.claim_pairing()
    }

    /// Whether an entered ply is not published yet.
    pub fn has_pending_entry(&self) -> bool {
        self.entered.as_ref().is_some_and(EnteredGame::is_pending)
    }

    /// Whether a running game has a file.
    pub fn has_open_game(&self) -> bool {
        self.games.open_game().is_some()
    }

    /// Records that the link came up or went down. After a gap only a dump allows decisions about the board, because the
    /// earlier contents may show a lifted piece, however long ago.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.board.set_link_up(now, up);
        self.live_updates.set_link_up(now, up);
        self.resync = None;
        if let Some(recogniser) = self.recogniser_of_board() {
            recogniser.set_link_up(now, false);
        }
    }

    /// Ends the gap, because a dump arrived or none will arrive.
    fn end_gap(&mut self, now: Millis) {
        if self.board.end_gap()
            && let Some(recogniser) = self.recogniser_of_board()
        {
            recogniser.set_link_up(now, true);
        }
    }

    /// Records a message of the board. A running clock reports every second, so a longer silence is a gap even if the port
    /// noticed nothing.
    pub fn note_heard(&mut self, now: Millis) {
        if self.silence_due().is_some_and(|at| at < now)
            && let Some(recogniser) = self.recogniser_of_board()
        {
            recogniser.note_outage(now);
            self.board.mark_unconfirmed();
        }
        self.board.note_heard(now);
    }

    /// Resumes after an outage of a board that stored its reports.
    pub fn resume_from_memory(&mut self) {
        self.board.resume_from_memory();
        self.live_updates.set_link_up(Millis::ZERO, true);
        if let Some(recogniser) = self.recogniser_of_board() {
            recogniser.resume_from_memory();
        }
    }

    /// Returns the time of the last report, in table time.
    pub fn heard_at(&self) -> Millis {
        self.board.heard_at()
    }

    /// Records that a polled board has reported everything up to `now`, so that no silence before it is a gap.
    pub fn note_known_until(&mut self, now: Millis) {
        self.board.note_heard(self.board.heard_at().max(now));
    }

    /// Whether a game has begun and is not over.
    pub fn is_playing(&self) -> bool {
        self.games.game().is_some()
    }

    /// Whether a dump has confirmed the known contents of the board.
    pub fn is_confirmed(&self) -> bool {
        self.board.is_link_up() && self.board.is_confirmed() && self.sensors().is_known()
    }

    /// Returns the time of the last change of the known contents.
    pub fn last_change(&self) -> Millis {
        self.board.last_change()
    }

    /// Returns the number of complete but unpublished plies.
    pub fn complete_plies(&self) -> usize {
        self.games.game().map_or(0, |game| game.recogniser.expected().len())
    }

    /// Whether a game with a file is running and its clock is not stopped.
    pub fn is_running(&self) -> bool {
        self.has_open_game() && !self.clock.is_stopped()
    }

    /// Returns the number of playing squares on which a dump differs from the known contents.
    pub fn count_missed(&self, codes: &[PieceCode]) -> usize {
        self.sensors().count_changes(codes)
    }

    /// Returns the known contents of the fields.
    pub fn sensors(&self) -> &Sensors {
        self.board.sensors()
    }

    /// Returns the wait for a dump after a gap.
    pub fn dump_wait(&self) -> Millis {
        self.board.dump_wait()
    }

    /// Sets whether reports count without a dump, for a board that reports changes but never answers a dump request.
    pub fn trust_reports(&mut self, now: Millis, trusts: bool) {
        self.board.trust_reports(trusts);
        if trusts {
            self.end_gap(now);
        }
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.trust_reports(trusts);
        }
    }

    /// Returns the recogniser of a running game whose moves the board reports.
    fn recogniser_of_board(&mut self) -> Option<&mut Recogniser> {
        self.games.recogniser().filter(|_| self.entered.is_none())
    }

    /// Sets the contents of the board from a source other than the board.
    fn assume_board(&mut self, now: Millis, position: &Position) {
        self.board.assume_board(position);
        self.sync_recogniser(now);
    }

    /// Passes the known contents of the board to the recogniser.
    fn sync_recogniser(&mut self, now: Millis) {
        let sight = self.board.occupancy();
        if let Some(recogniser) = self.recogniser_of_board() {
            recogniser.on_dump(now, &sight);
        }
    }

    /// Assumes the contents before these reports: the position of the running game, or the start position in the orientation
    /// that the reports imply.
    pub fn assume_start(&mut self, now: Millis, reports: &[(Field, PieceCode)]) {
        match self.games.game().map(|game| *game.recogniser.position()) {
            Some(position) => self.assume_board(now, &position),
            None => self.board.assume_start(reports),
        }
    }

    /// Handles the report of one field.
    pub fn on_field_update(&mut self, now: Millis, field: Field, code: PieceCode) -> Vec<Effect> {
        if !self.sensors().has(field) {
            return vec![Effect::Notice(format!(
                "the board reports field {}, but a board for this game has fields 0 to {}; check game-type",
                field.0,
                self.sensors().field_count() - 1
            ))];
        }
        let reported = self.board.on_field_update(now, field, code);
        if let (Some(recogniser), Some((square, seen))) = (self.recogniser_of_board(), reported) {
            recogniser.observe(now, square, seen);
        }
        Vec::new()
    }

    /// Handles a dump of the whole board.
    pub fn on_dump(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let Some(changed) = self.board.on_dump(now, codes) else {
            return self.notices.foreign_dump_notice(codes.len(), &self.board).into_iter().collect();
        };
        self.end_gap(now);
        self.on_board_shown(!changed);
        self.sync_recogniser(now);
        Vec::new()
    }

    /// Handles a message with a checksum that nothing has changed since the last report, which proves as much as a dump.
    pub fn on_no_changes(&mut self, now: Millis) {
        if !self.sensors().is_known() {
            return;
        }
        self.board.on_no_changes();
        self.on_board_shown(true);
        self.sync_recogniser(now);
    }

    /// Handles the contents of all fields by number after a power-up; the board itself does not know the moves that led there.
    pub fn on_full_board(&mut self, now: Millis, codes: &[PieceCode]) -> Vec<Effect> {
        let mut shown = self.sensors().clone();
        shown.set_by_number(codes);
        if shown.fields() == self.sensors().fields() {
            return Vec::new();
        }
        // The clock readings in between are missing as well, so the next reading has no reference.
        self.clock.reset_reading();
        if let Some(recogniser) = self.recogniser_of_board() {
            recogniser.note_outage(now);
        }
        self.on_dump(now, shown.fields())
    }

    /// Returns the known contents of all fields; `None` before the first dump.
    pub fn fields(&self) -> Option<&[PieceCode]> {
        self.sensors().is_known().then(|| self.sensors().fields())
    }

    /// Returns the number of fields of a board for this variant.
    pub fn field_count(&self) -> usize {
        self.sensors().field_count()
    }

    /// Whether field numbers in reports count all fields rather than only the playing squares.
    pub fn counts_all_fields(&self) -> bool {
        self.sensors().counts_all_fields()
    }

    /// Returns the number of fields that reports can name.
    pub fn number_count(&self) -> usize {
        self.sensors().number_count()
    }

    /// Returns the number of games begun, with or without a file.
    pub fn games_begun(&self) -> u32 {
        self.games.begun_count()
    }

    /// Resets the clock for a game whose start was not observed: the clock was set and started in an unknown way.
    pub fn reset_unseen_clock(&mut self) {
        self.clock.reset_unseen_game();
        if let Some(recogniser) = self.games.recogniser() {
            recogniser.set_clock(self.clock.state());
        }
    }

    /// Sets whether the times reported from here on are reliable for both sides.
    pub fn trust_clock(&mut self, is_sure: bool) {
        self.clock.trust(is_sure);
    }

    /// Handles a report of the clock.
    pub fn on_clock(&mut self, now: Millis, report: &ClockReport) -> Vec<Effect> {
        let recogniser = self.games.recogniser().filter(|_| self.entered.is_none());
        self.clock.on_report(now, report, ClockReportSource::Times, recogniser)
    }

    /// Handles a press that the board itself noticed, as opposed to a changed lever between two readings.
    pub fn on_press(&mut self, now: Millis, reports: &[ClockReport]) -> Vec<Effect> {
        let handle = |report| {
            let recogniser = self.games.recogniser().filter(|_| self.entered.is_none());
            self.clock.on_report(now, report, ClockReportSource::Press, recogniser)
        };
        reports.iter().flat_map(handle).collect()
    }

    /// Whether the clock is running, as far as known.
    pub fn is_clock_running(&self) -> bool {
        self.clock.is_running()
    }

    /// Returns the time from which silence means that the board is out of reach.
    pub fn silence_due(&self) -> Option<Millis> {
        self.clock.silence_due(&self.board)
    }

    /// Whether a ply has begun, in a game or outside. Before the first one a lever movement completes no ply.
    pub fn is_begun(&self) -> bool {
        self.games.game().is_some_and(|game| game.recogniser.plies() > 0 || game.recogniser.is_touched())
    }

    /// Whether the board has been unexplained for so long that a moving hand cannot be the cause.
    pub fn is_unexplained(&self, now: Millis) -> bool {
        const MOVE_GRACE: Millis = Millis::seconds(2);
        let doubt = self.games.game().and_then(|game| game.recogniser.unexplained());
        doubt.is_some_and(|doubt| now >= doubt.since.max(doubt.quiet_since) + MOVE_GRACE)
    }

    /// Returns the activity of the board.
    pub fn attention(&self) -> Attention {
        match self.games.game() {
            Some(_) if self.has_pending_entry() => Attention::Playing,
            Some(game) if !game.recogniser.expected().is_empty() => Attention::PlyComplete,
            Some(game) if !game.recogniser.is_settled() => Attention::Touched,
            Some(game) if self.clock.is_running() || game.file_number().is_some() => Attention::Playing,
            Some(_) | None => Attention::Idle,
        }
    }

    /// Returns the state of the next unpublished ply.
    pub fn pending_ply(&self) -> PendingPly {
        match self.games.game() {
            Some(game) if game.recogniser.is_settled() => PendingPly::Nothing,
            Some(game) if game.recogniser.has_presses() => PendingPly::Pressed,
            Some(_) => PendingPly::Ply,
            None => PendingPly::Nothing,
        }
    }

    /// Returns the time at which a dump is needed to confirm the board.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        if !self.board.is_link_up() {
            return None;
        }
        // While people enter the moves, a dump keeps the known contents right for the time after that.
        let Some(game) = self.games.game().filter(|_| !self.is_entry_on()) else { return self.board.wants_dump_at() };
        let asks = self.resync.as_ref().map(Resync::question_due);
        game.recogniser.wants_dump_at().into_iter().chain(asks).min()
    }

    /// Returns the time of the next [`Table::decide`] without an event, and the reason.
    pub fn deadline(&self) -> Option<(Millis, LineWait)> {
        let game = self.games.game();
        let verdict = game.and_then(|game| game.recogniser.deadline());
        let verdict = verdict.filter(|&(at, _)| self.silence_due().is_none_or(|deaf| at <= deaf));
        let doubts = game.and_then(|game| self.notices.unexplained_due(&self.board, &self.clock, game));
        earliest([
            with_name(self.new_game_due(), LineWait::Start),
            with_name(self.notices.start_notice_due(&self.board, &self.games), LineWait::SettingUp),
            with_name(doubts, LineWait::Unexplained),
            with_name(self.result_notice_due(), LineWait::ResultSign),
            with_name(
                game.and_then(|game| ending::no_moves_due(game, &self.settings, &self.clock)),
                LineWait::NoMoveLeft,
            ),
            with_name(self.board.gap_until(), LineWait::DumpAfterGap),
            with_name(self.entered.as_ref().and_then(EnteredGame::publication_due), LineWait::TakeBack),
            verdict.map(|(at, wait)| (at, LineWait::Recognition(wait))),
            with_name(game.and_then(ending::result_due), LineWait::Result),
            with_name(self.resync.as_ref().map(Resync::due), LineWait::Resync),
            with_name(self.live_updates.update_due(&self.games).filter(|_| !self.is_entry_on()), LineWait::SignOfLife),
        ])
    }

    /// Runs all due decisions; must be called after every event and at the deadline.
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

    /// Runs due decisions up to the next published verdict. Returns whether there is one; then the next call returns the
    /// consequences and must come before any other event of the table.
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
        effects.extend(self.publish_entered_if_due(now));
        effects.extend(self.end_resync(now));
        effects.extend(self.end_without_moves(now));
        effects.extend(self.apply_result(now));
        effects.extend(self.notices.unexplained_notice(now, &self.board, &self.clock, &self.games));
        if self.result_notice_due().is_some() {
            effects.extend(self.notices.result_notice(now, &self.board, &self.clock, &self.games));
        }
        let condition = self.condition();
        let entered = self.entered.as_ref().filter(|_| self.is_entry_on()).map(EnteredGame::likely_moves);
        effects.extend(self.live_updates.updates(now, &self.board, &self.clock, &self.games, condition, entered));
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

    /// Returns the time of the notice about result signs; `None` while people enter the moves.
    fn result_notice_due(&self) -> Option<Millis> {
        self.notices.result_notice_due(&self.board, &self.clock).filter(|_| !self.is_entry_on())
    }

    fn verdict(&mut self, now: Millis) -> Option<Verdict> {
        if self.entered.is_some() {
            return None;
        }
        let is_deaf = self.silence_due().is_some_and(|at| at < now);
        let recogniser = self.games.recogniser()?;
        if is_deaf {
            // An event reported after a gap may have a deadline in the past, which would stay due forever.
            recogniser.suspend();
            return None;
        }
        recogniser.verdict(now)
    }

    fn publish(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let (Verdict::Ply { press, .. } | Verdict::Setup { press, .. }) = verdict;
        let clocks = self.clock.clocks_at_press(*press, now);
        self.publish_at(now, verdict, clocks)
    }

    /// Publishes a verdict with these clocks.
    fn publish_at(&mut self, now: Millis, verdict: &Verdict, clocks: Option<Clocks>) -> Vec<Effect> {
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

    /// Returns the note of a published verdict, and its consequences.
    fn after_publication(&mut self, verdict: &Verdict) -> Vec<Effect> {
        let Some(game) = self.games.game_mut() else { return Vec::new() };
        game.after_publication(verdict);
        let text = game.last_line().unwrap_or_default();
        let note_text = notes::note(verdict, game.recogniser.rationale(), self.settings.variant);
        let mut effects = vec![Effect::Note(format!("{text}: {note_text}"))];
        if let Verdict::Setup { reason, .. } = verdict {
            let note_text = notes::describe_reason(*reason);
            effects
                .push(Effect::Notice(format!("the position had to be set up: {note_text}; game goes on with {text}")));
        }
        effects.extend(self.games.take_notices());
        effects
    }
}

fn refusal(reason: String) -> Vec<Effect> {
    vec![Effect::Refused(reason)]
}
