//! What a board reports, and whether it can be relied on.
//!
//! The board's table lives by its answers: after each, it is known what happened until then, and nothing is known beyond.
//! So everything that is due is decided when an answer has come, never between two; quiet that nobody has looked at is no
//! quiet. An answer without changes is under a checksum, and says as much as a dump.
//!
//! Once the line was disturbed, that is not enough. Then the board is *in the dark*: its reports are kept and not believed
//! until a dump shows that they lead to what stands on it.
//!
//! | the dump shows | what is done |
//! |---|---|
//! | what the reports lead to | they are believed, each at its time, then the dump |
//! | something else, but the next report explains it | hands are moving: another dump |
//! | something else | reports were lost: the board's memory is asked for, where its start tag is ours |
//! | something else, and no memory helps | the dump alone counts, once a reading of the clock tells who is to move |

use super::BusBoard;
use crate::engine::millis::Millis;
use crate::engine::protocol::changes::{self, MemoryEvent};
use crate::engine::protocol::{BusCommand, ClockReport, Field, PieceCode};
use crate::engine::session::catchup::Lived;
use crate::engine::session::catchup::memory::{self, Known, Misfit};
use crate::engine::session::catchup::timeline::{Span, happened, timeline};
use crate::engine::session::happened::Happened;
use crate::engine::session::table::Begun;
use crate::engine::session::{BusSettings, Effect};

/// More reports than this are not kept: a memory does not hold more.
const MOST_KEPT: usize = changes::RING;
/// A memory takes a third of a second to be read, in which hands may move; between two plies they rest for longer.
const MOST_MEMORY_READS: u32 = 6;

/// The reports of a board.
#[derive(Clone, Debug)]
pub(super) struct Reports {
    /// The line was disturbed since the last dump.
    pub is_suspect: bool,
    /// A press may have been lost: a reading of the clock has to come first.
    pub is_clock_unsure: bool,
    /// When changes were asked for that got lost on the way.
    pub lost_at: Millis,
    /// Bytes that its reports since the last start tag take in its memory.
    pub remembered: usize,
    /// Until then an answer may come that was given up: the changes in it have been asked for again, and come twice.
    pub late_until: Millis,
    /// Up to when its changes are known.
    heard_at: Option<Millis>,
    last_changes: Vec<u8>,
    /// What was reported and is not believed yet, with its times on the table.
    kept: Vec<(Millis, Happened)>,
    /// A reading of the clock that shows a press which was not reported yet.
    overtaking: Option<ClockReport>,
    /// A dump that contradicts the reports, until further reports or the memory explain it.
    contradiction: Option<Vec<PieceCode>>,
    /// How often the memory has been asked for since the last dump that agreed with the reports.
    memory_reads: u32,
    /// Until then nothing was lost.
    sound_at: Millis,
}

impl Reports {
    pub fn new(now: Millis) -> Reports {
        Reports {
            is_suspect: false,
            is_clock_unsure: false,
            lost_at: now,
            remembered: 0,
            late_until: Millis::ZERO,
            heard_at: None,
            last_changes: Vec::new(),
            kept: Vec::new(),
            overtaking: None,
            contradiction: None,
            memory_reads: 0,
            sound_at: now,
        }
    }

    /// How long ago its changes were last known.
    pub fn age(&self, now: Millis) -> Millis {
        /// A board that has never been asked may have to tell of its power-up and all its pieces.
        const NEVER: Millis = Millis::seconds(30);
        self.heard_at.map_or(NEVER, |heard| now - heard)
    }

    pub fn are_unsure(&self) -> bool {
        self.is_suspect || self.is_clock_unsure || self.contradiction.is_some()
    }

    pub fn come(&mut self) {
        self.sound_at = self.heard_at.unwrap_or(self.sound_at);
    }

    pub fn leave(&mut self) {
        self.contradiction = None;
        self.overtaking = None;
    }
}

impl BusBoard {
    pub(super) fn hear_changes(
        &mut self,
        now: Millis,
        asked: Option<BusCommand>,
        data: &[u8],
        bus: &BusSettings,
        effects: &mut Vec<Effect>,
    ) {
        let is_repeated = asked == Some(BusCommand::RepeatChanges);
        // If it was the question that got lost and not the answer, the answer before comes once more. And if neither got lost but
        // the answer was late, it has been taken for the repeated one, which now follows.
        let may_come_twice = is_repeated || now < self.reports.late_until;
        let is_known = may_come_twice && !data.is_empty() && data == self.reports.last_changes;
        let changes = if is_known { Vec::new() } else { changes::decode(data) };
        self.reports.last_changes = data.to_vec();
        self.reports.remembered = self.reports.remembered.saturating_add(data.len());
        // What is repeated had happened when it was asked for first.
        let until = if is_repeated { self.reports.lost_at.min(now) } else { now };
        let from = self.reports.heard_at.unwrap_or(until);
        self.reports.heard_at = Some(until.max(from));
        if changes.iter().any(|change| matches!(change, MemoryEvent::Broken(_))) {
            self.reports.is_suspect = true;
        }
        self.remember_first(&changes);
        if self.games.table.fields().is_none() {
            return self.begin_with(now, &changes, effects);
        }
        self.keep(from, until, &changes);
        if let Some(dump) = self.reports.contradiction.take() {
            self.judge(now, dump, &changes, bus, effects);
        }
        if !self.is_in_the_dark() {
            // What is repeated says nothing of what has happened since.
            self.believe(if is_repeated { until.max(from) } else { now }, effects);
        }
        if let Some(report) = self.reports.overtaking.take().filter(|_| !self.is_in_the_dark()) {
            self.read_clock(now, report, effects);
        }
        if !self.is_in_the_dark() {
            self.look_for_late_game(now, changes.is_empty(), effects);
        }
    }

    /// What stands on the board is not known yet. A board that was switched on not long ago tells it among its changes.
    fn begin_with(&mut self, now: Millis, changes: &[MemoryEvent], effects: &mut Vec<Effect>) {
        /// More plies since then are a game of its own, or several, and not the beginning of this one.
        const MOST_PLIES: usize = 8;
        let Some((fields, after)) = memory::standing(changes, self.games.table.number_count()) else { return };
        let presses = after.iter().filter(|change| matches!(change, MemoryEvent::Time { .. })).count();
        if presses > MOST_PLIES || self.reports.is_suspect || !self.games.table.is_start(&fields) {
            return;
        }
        self.questions.retain(|question| *question != BusCommand::SendBoard);
        let at = self.games.live(now);
        effects.extend(self.games.table.dump(at, &fields));
        self.decide(now, effects);
        self.keep(now, now, after);
        self.believe(now, effects);
    }

    /// Keeps changes that happened after `from` and until `until`.
    fn keep(&mut self, from: Millis, until: Millis, changes: &[MemoryEvent]) {
        let reported = happened(changes, self.games.table.number_count());
        self.keep_happened(from, until, reported);
    }

    /// The same of things as they are told.
    pub(super) fn keep_happened(&mut self, from: Millis, until: Millis, reported: Vec<Happened>) {
        let from = self.games.table_time(from).max(self.games.lived());
        let from = self.reports.kept.last().map_or(from, |(at, _)| from.max(*at));
        let is_next = self.reports.kept.is_empty();
        let sides = self.games.clock.sides(from).filter(|_| is_next);
        let begun = match self.reports.kept.last() {
            None => self.games.late.tables().next().unwrap_or(&self.games.table).begun_ply(),
            Some((_, Happened::Change(MemoryEvent::Piece { .. }))) => Begun::Ply,
            Some(_) => Begun::Nothing,
        };
        let starts = self.games.table.starts(&reported);
        let to = self.games.table_time(until).max(from);
        let before = self.last_report();
        let timed = timeline(Span { from, to, sides, begun, before }, reported, &starts);
        let room = MOST_KEPT.saturating_sub(self.reports.kept.len());
        self.reports.kept.extend(timed.into_iter().take(room));
    }

    /// The field that was reported last, and when.
    fn last_report(&self) -> Option<(Millis, Field)> {
        match self.reports.kept.last() {
            Some((at, Happened::Change(MemoryEvent::Piece { field, .. }))) => Some((*at, *field)),
            Some(_) => None,
            None => self.games.last_report(),
        }
    }

    /// Lives through everything that was kept, each at its time, and up to the moment until which all is known.
    pub(super) fn believe(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let kept = std::mem::take(&mut self.reports.kept);
        if let Some((last, _)) = kept.last() {
            self.games.is_ahead(now, (*last).max(self.games.table_time(now)));
        }
        let lived = self.games.live_through(kept, effects);
        self.note(lived);
        self.games.live_until(self.games.table_time(now), effects);
        self.decide(now, effects);
    }

    /// On a board that was switched on presses and pieces may have been missed.
    fn note(&mut self, lived: Lived) {
        self.reports.is_suspect |= lived.was_switched_on;
        self.reports.is_clock_unsure |= lived.was_switched_on;
    }

    pub(super) fn hear_board(&mut self, now: Millis, codes: &[PieceCode], effects: &mut Vec<Effect>) {
        self.dumped_at = Some(now);
        self.given_up = 0;
        let is_comparable = codes.len() == self.games.table.field_count() && self.games.table.counts_all_fields();
        let predicted = self.predicted().filter(|_| is_comparable);
        let is_watched = self.games.table.has_open_game() || !self.reports.kept.is_empty();
        if std::mem::take(&mut self.is_new) && predicted.as_deref().is_some_and(|predicted| predicted != codes) {
            self.look_for_lost_start();
        }
        if is_watched && predicted.is_some_and(|predicted| predicted != codes) {
            // What has changed since the last report comes with the next; then it shows whether any was lost.
            self.reports.contradiction = Some(codes.to_vec());
            self.questions.push_front(BusCommand::SendChanges);
            return;
        }
        self.reports.is_suspect = false;
        self.reports.memory_reads = 0;
        self.reports.sound_at = now;
        if self.is_in_the_dark() {
            return;
        }
        self.believe(now, effects);
        let at = self.games.table_time(now);
        self.games.reach(effects, |table, effects| effects.extend(table.dump(at, codes)));
        self.decide(now, effects);
    }

    /// What should stand on the board by all reports.
    fn predicted(&self) -> Option<Vec<PieceCode>> {
        let mut fields = self.games.table.fields()?.to_vec();
        for (_, reported) in &self.reports.kept {
            match reported {
                Happened::Change(MemoryEvent::Piece { field, piece, .. }) => {
                    if let Some(code) = fields.get_mut(usize::from(field.0)) {
                        *code = *piece;
                    }
                }
                Happened::Change(_) => {}
                Happened::Standing(codes) => fields.clone_from(codes),
            }
        }
        Some(fields)
    }

    /// A dump contradicted the reports. Here are the reports that came after it: do they explain it?
    fn judge(
        &mut self,
        now: Millis,
        dump: Vec<PieceCode>,
        changes: &[MemoryEvent],
        bus: &BusSettings,
        effects: &mut Vec<Effect>,
    ) {
        let Some(fields) = self.predicted() else { return };
        let touched = |number: usize| {
            let is_it = |change: &MemoryEvent| matches!(change, MemoryEvent::Piece { field, .. } if usize::from(field.0) == number);
            changes.iter().any(is_it)
        };
        let is_explained = fields.iter().zip(&dump).enumerate().all(|(number, (a, b))| a == b || touched(number));
        if is_explained {
            self.questions.push_front(BusCommand::SendBoard);
            return;
        }
        self.reports.is_suspect = true;
        self.reports.contradiction = Some(dump);
        if bus.start_tag && self.tagged > 0 && self.reports.memory_reads < MOST_MEMORY_READS {
            self.reports.memory_reads += 1;
            effects.push(Effect::Note("reports were lost; the board is asked for its memory".to_owned()));
            self.questions.push_front(BusCommand::SendFromStart);
        } else {
            self.give_up(now, effects);
        }
    }

    pub(super) fn hear_memory(&mut self, now: Millis, data: &[u8], effects: &mut Vec<Effect>) {
        let memory = changes::decode(data);
        let Some(dump) = self.reports.contradiction.clone() else {
            return self.hear_late_memory(now, &memory, effects);
        };
        self.games.late.miss_memory();
        let Some(fields) = self.games.table.fields() else { return };
        let recent = self.games.recent();
        match memory::unseen(Known { fields, recent, pressed: self.games.clock.pressed() }, &dump, &memory) {
            Ok(unseen) => {
                effects
                    .push(Effect::Note(format!("the board's memory has {} events that were not known", unseen.len())));
                self.reports.contradiction = None;
                self.reports.kept.clear();
                self.keep(self.reports.sound_at, now, &unseen);
                self.questions.extend([BusCommand::SendChanges, BusCommand::SendBoard]);
            }
            // Hands have moved since the dump: another dump, and the memory once more.
            Err(Misfit::OtherEnd) if self.reports.memory_reads < MOST_MEMORY_READS => {
                self.reports.contradiction = None;
                self.questions.push_front(BusCommand::SendBoard);
            }
            Err(misfit) => {
                let notice = format!("reports of the board were lost, and its memory does not help: {misfit}");
                effects.push(Effect::Notice(notice));
                self.give_up(now, effects);
            }
        }
    }

    /// Reports were lost for good: the dump alone tells what stands on the board, and the clock who is to move.
    pub(super) fn give_up(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let Some(dump) = self.reports.contradiction.take() else { return };
        self.reports.is_suspect = true;
        self.reports.is_clock_unsure = true;
        for (at, reported) in std::mem::take(&mut self.reports.kept) {
            let at = at.min(self.games.table_time(now));
            self.games.take(at, reported, &mut Lived::default(), effects);
        }
        let at = self.games.live(now);
        self.games.reach(effects, |table, effects| effects.extend(table.dump(at, &dump)));
        self.questions.extend([BusCommand::SendClock, BusCommand::SendChanges, BusCommand::SendBoard]);
    }

    /// A reading that shows the lever elsewhere has overtaken the report of a press: what the board reports comes first, in its
    /// order and on its squares.
    pub(super) fn hear_clock(&mut self, now: Millis, report: ClockReport, effects: &mut Vec<Effect>) {
        if !self.is_in_the_dark() && self.games.clock.is_elsewhere(report) {
            self.reports.overtaking = Some(report);
            self.questions.push_front(BusCommand::SendChanges);
            return;
        }
        self.read_clock(now, report, effects);
    }

    fn read_clock(&mut self, now: Millis, report: ClockReport, effects: &mut Vec<Effect>) {
        let times = matches!(report, ClockReport::Times(times) if !times.is_all_zero());
        let news = self.games.clock.reading(self.games.table_time(now), report);
        // Times that tell nothing are out of date, and come again; whatever else it says, it will not say more.
        self.reports.is_clock_unsure &= times && news.is_none();
        if let Some((at, report)) = news {
            self.games.reach(effects, |table, effects| {
                table.trust_clock(true);
                effects.extend(table.clock(at, &report));
            });
        }
        if !self.is_in_the_dark() {
            self.believe(now, effects);
        }
    }
}
