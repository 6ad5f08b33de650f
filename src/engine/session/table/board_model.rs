//! What is known of a board: what stands on its fields, how it lies, and how sure that is.
//!
//! | it was | known for sure |
//! |---|---|
//! | shown by a dump, or said to be unchanged under a checksum | yes |
//! | reported field by field since the last dump | not before the next dump; at once, if the board never answers with one |
//! | not heard: no link, a gap after it, silence while a clock runs | not before the next dump |

use crate::engine::millis::Millis;
use crate::engine::protocol::{Field, PieceCode};
use crate::engine::recognition::{Occupancy, SensedPiece};
use crate::engine::session::sensors::{Orientation, Sensors};
use crate::engine::session::{LineSettings, OrientationSetting};
use draughts::{Position, Square, SquareSet, Variant};

/// What is known of one board.
#[derive(Clone, Debug)]
pub(super) struct BoardModel {
    variant: &'static Variant,
    /// How it lies, as the operator says.
    orientation_setting: OrientationSetting,
    /// How long it rests before a dump is wanted.
    settle_time: Millis,
    /// How long a dump is waited for after a gap.
    dump_wait: Millis,
    sensors: Sensors,
    /// How it lies if it shows the start position: [`BoardModel::update_start`] keeps it with the sensors.
    start_orientation: Option<Orientation>,
    is_link_up: bool,
    is_confirmed: bool,
    last_change: Millis,
    heard_at: Millis,
    /// The link is up again, but no dump has come since: until when one is waited for.
    gap_until: Option<Millis>,
    /// The board never says what stands on it: what it reports counts without a dump.
    trusts_reports: bool,
    /// What stood on it when it was first heard was never shown; the start position was taken for it.
    is_assumed: bool,
    /// The operator has turned the board round against what is configured.
    is_flipped: bool,
}

impl BoardModel {
    /// A board of which nothing is known yet.
    pub fn new(settings: &LineSettings) -> BoardModel {
        let orientation = match settings.orientation {
            OrientationSetting::Turned => Orientation::Turned,
            OrientationSetting::Auto | OrientationSetting::Normal => Orientation::Normal,
        };
        BoardModel {
            variant: settings.variant,
            orientation_setting: settings.orientation,
            settle_time: Millis(settings.effective_recognition().settle_ms),
            dump_wait: Millis(settings.recognition.unconfirmed_ms),
            sensors: Sensors::new(&settings.variant.geometry, settings.codes, orientation),
            start_orientation: None,
            is_link_up: false,
            is_confirmed: true,
            last_change: Millis::ZERO,
            heard_at: Millis::ZERO,
            gap_until: None,
            trusts_reports: false,
            is_assumed: false,
            is_flipped: false,
        }
    }

    /// The game it is for.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The link came up or went away.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.is_link_up = up;
        self.gap_until = up.then(|| now + self.dump_wait);
        self.is_confirmed = false;
    }

    /// The board can be heard again, and kept its reports.
    pub fn resume_from_memory(&mut self) {
        self.is_link_up = true;
        self.gap_until = None;
        self.is_confirmed = false;
    }

    /// The gap is over: a dump has come, or none comes. Returns whether there was one.
    pub fn end_gap(&mut self) -> bool {
        self.gap_until.take().is_some()
    }

    /// Until when a dump is waited for after a gap.
    pub fn gap_until(&self) -> Option<Millis> {
        self.gap_until
    }

    /// How long a dump is waited for after a gap.
    pub fn dump_wait(&self) -> Millis {
        self.dump_wait
    }

    /// Is the link up?
    pub fn is_link_up(&self) -> bool {
        self.is_link_up
    }

    /// Is it heard, with no gap before now?
    pub fn is_heard(&self) -> bool {
        self.is_link_up && self.gap_until.is_none()
    }

    /// The board was heard.
    pub fn note_heard(&mut self, now: Millis) {
        self.heard_at = now;
    }

    /// When it was last heard.
    pub fn heard_at(&self) -> Millis {
        self.heard_at
    }

    /// Something happened that nobody heard: what stands there is to be shown.
    pub fn mark_unconfirmed(&mut self) {
        self.is_confirmed = false;
    }

    /// Has a dump shown what is known?
    pub fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// When what is known last changed.
    pub fn last_change(&self) -> Millis {
        self.last_change
    }

    /// What its fields hold, as far as is known.
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// What the playing squares show.
    pub fn occupancy(&self) -> Occupancy {
        self.sensors.occupancy()
    }

    /// It reports what happens on it, and never answers what stands on it: its reports count without a dump.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.trusts_reports = trusts;
    }

    /// Do its reports count without a dump?
    pub fn trusts_reports(&self) -> bool {
        self.trusts_reports
    }

    /// Was what stood on it at first taken for the start position, and not shown?
    pub fn is_assumed(&self) -> bool {
        self.is_assumed
    }

    /// When a board on which nothing is played is to be asked for a dump.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        (!self.is_confirmed).then_some(self.last_change + self.settle_time)
    }

    /// It reported one field. Returns what that means for a square.
    pub fn on_field_update(
        &mut self,
        now: Millis,
        field: Field,
        code: PieceCode,
    ) -> Option<(Square, Option<SensedPiece>)> {
        let seen = self.sensors.update(field, code);
        self.update_start();
        self.last_change = now;
        self.is_confirmed = false;
        seen
    }

    /// A dump of all of it arrived. Returns whether it shows anything new; `None`: it is not of this board.
    pub fn on_dump(&mut self, now: Millis, codes: &[PieceCode]) -> Option<bool> {
        let changed = self.sensors.dump(codes)?;
        self.is_assumed = false;
        self.is_confirmed = !changed;
        if changed {
            self.last_change = now;
            self.update_start();
        }
        Some(changed)
    }

    /// It says, under a checksum, that nothing has changed since what it reported.
    pub fn on_no_changes(&mut self) {
        self.is_confirmed = true;
    }

    /// This stands on it, by the word of somebody else than the board.
    pub fn assume_board(&mut self, position: &Position) {
        self.sensors.assume_placement(position.placement());
        self.update_start();
    }

    /// The start position is taken to have stood on it before these reports, lying as they tell.
    pub fn assume_start(&mut self, reports: &[(Field, PieceCode)]) {
        let shown = |orientation: Orientation| {
            let mut sensors = self.sensors.clone();
            sensors.set_orientation(orientation);
            sensors.assume_placement(self.start_position().placement());
            sensors
        };
        let all = self.orientations();
        let fits = all.iter().map(|&orientation| shown(orientation)).find(|sensors| sensors.accepts_reports(reports));
        self.sensors = fits.unwrap_or_else(|| shown(all[0]));
        self.update_start();
        self.is_assumed = true;
    }

    /// The same board, its fields holding this.
    pub fn with_sensors(&self, sensors: Sensors) -> BoardModel {
        let mut board = BoardModel { sensors, ..self.clone() };
        board.update_start();
        board
    }

    /// It is found to lie so.
    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.sensors.set_orientation(orientation);
    }

    /// The operator says that it lies the other way round. Returns how.
    pub fn flip(&mut self, now: Millis) -> Orientation {
        self.is_flipped = !self.is_flipped;
        let orientation = self.sensors.orientation().other();
        self.sensors.set_orientation(orientation);
        self.update_start();
        self.last_change = now;
        self.is_confirmed = false;
        orientation
    }

    /// Has the operator turned it round against what is configured?
    pub fn is_flipped(&self) -> bool {
        self.is_flipped
    }

    /// The ways in which it may lie, as far as the operator has said.
    pub fn orientations(&self) -> &'static [Orientation] {
        match (self.orientation_setting, self.is_flipped) {
            (OrientationSetting::Auto, _) => &[Orientation::Normal, Orientation::Turned],
            (OrientationSetting::Normal, false) | (OrientationSetting::Turned, true) => &[Orientation::Normal],
            (OrientationSetting::Turned, false) | (OrientationSetting::Normal, true) => &[Orientation::Turned],
        }
    }

    /// How it lies, if it shows the start position.
    pub fn start_orientation(&self) -> Option<Orientation> {
        self.start_orientation
    }

    /// How it would lie, if its fields held this, and that were the start position.
    pub fn start_orientation_of(&self, sensors: &Sensors) -> Option<Orientation> {
        let start = self.start_position();
        let shows_start = |orientation: Orientation| {
            sensors.occupancy_from(orientation).differs_from_placement(start.placement()).is_empty()
        };
        self.orientations().iter().copied().find(|&orientation| sensors.is_known() && shows_start(orientation))
    }

    /// The squares that differ from the start position, as the board lies nearest to it, and what is seen as it lies then. To be
    /// asked after every answer of a board that waits.
    pub fn nearest_to_start(&self) -> (SquareSet, Occupancy) {
        let start = self.start_position();
        let wrong = |&orientation: &Orientation| {
            let sight = self.sensors.occupancy_from(orientation);
            (sight.differs_from_placement(start.placement()), sight)
        };
        self.orientations().iter().map(wrong).min_by_key(|(wrong, _)| wrong.len()).unwrap_or_default()
    }

    fn start_position(&self) -> Position {
        Position::start(self.variant)
    }

    /// After every change of what the fields hold: it looks at all of them.
    fn update_start(&mut self) {
        self.start_orientation = self.start_orientation_of(&self.sensors);
    }
}
