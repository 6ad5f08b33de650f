//! Knowledge about a board: contents of its fields, orientation, and the certainty of both.
//!
//! | source | confirmed |
//! |---|---|
//! | dump, or a message with a checksum that nothing has changed | yes |
//! | single reports since the last dump | after the next dump; at once, if the board never answers dump requests |
//! | none: link down, a gap, silence while a clock runs | after the next dump |

use draughts::{Position, Square, SquareSet, Variant};

use crate::millis::Millis;
use crate::protocol::{Field, PieceCode};
use crate::recognition::{Occupancy, SensedPiece};
use crate::session::sensors::{Orientation, Sensors};
use crate::session::{LineSettings, OrientationSetting};

/// Known state of one board.
#[derive(Clone, Debug)]
pub(super) struct BoardModel {
    variant: &'static Variant,
    /// Orientation by the operator's setting.
    orientation_setting: OrientationSetting,
    /// Quiet time before a dump is requested.
    settle_time: Millis,
    /// Wait for a dump after a gap.
    dump_wait: Millis,
    sensors: Sensors,
    /// Orientation if the board shows the start position; [`BoardModel::update_start`] keeps it in step with the sensors.
    start_orientation: Option<Orientation>,
    is_link_up: bool,
    is_confirmed: bool,
    last_change: Millis,
    heard_at: Millis,
    /// End of the wait for a dump after the link came up; `None` after the dump.
    gap_until: Option<Millis>,
    /// Whether reports count without a dump, for a board that never answers dump requests.
    trusts_reports: bool,
    /// Whether the first contents are an assumed start position that no dump has shown.
    is_assumed: bool,
    /// Whether the operator turned the board relative to the configuration.
    is_flipped: bool,
}

impl BoardModel {
    /// Creates a board without any report yet.
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

    /// Returns the variant of the game.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// Records that the link came up or went down.
    pub fn set_link_up(&mut self, now: Millis, up: bool) {
        self.is_link_up = up;
        self.gap_until = up.then(|| now + self.dump_wait);
        self.is_confirmed = false;
    }

    /// Resumes after an outage of a board that stored its reports.
    pub fn resume_from_memory(&mut self) {
        self.is_link_up = true;
        self.gap_until = None;
        self.is_confirmed = false;
    }

    /// Ends the gap, because a dump arrived or none will arrive. Returns whether there was one.
    pub fn end_gap(&mut self) -> bool {
        self.gap_until.take().is_some()
    }

    /// Returns the end of the wait for a dump after a gap.
    pub fn gap_until(&self) -> Option<Millis> {
        self.gap_until
    }

    /// Returns the wait for a dump after a gap.
    pub fn dump_wait(&self) -> Millis {
        self.dump_wait
    }

    /// Whether the link is up.
    pub fn is_link_up(&self) -> bool {
        self.is_link_up
    }

    /// Whether the board is in reach and has no open gap.
    pub fn is_heard(&self) -> bool {
        self.is_link_up && self.gap_until.is_none()
    }

    /// Records a message of the board.
    pub fn note_heard(&mut self, now: Millis) {
        self.heard_at = now;
    }

    /// Returns the time of the last message.
    pub fn heard_at(&self) -> Millis {
        self.heard_at
    }

    /// Marks the contents as unconfirmed, because changes may be missing.
    pub fn mark_unconfirmed(&mut self) {
        self.is_confirmed = false;
    }

    /// Whether a dump has confirmed the known contents.
    pub fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// Returns the time of the last change of the known contents.
    pub fn last_change(&self) -> Millis {
        self.last_change
    }

    /// Returns the known contents of the fields.
    pub fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// Returns the occupancy of the playing squares.
    pub fn occupancy(&self) -> Occupancy {
        self.sensors.occupancy()
    }

    /// Sets whether reports count without a dump, for a board that never answers dump requests.
    pub fn trust_reports(&mut self, trusts: bool) {
        self.trusts_reports = trusts;
    }

    /// Whether reports count without a dump.
    pub fn trusts_reports(&self) -> bool {
        self.trusts_reports
    }

    /// Whether the first contents were an assumed start position that no dump has shown.
    pub fn is_assumed(&self) -> bool {
        self.is_assumed
    }

    /// Returns the time at which a board without a game must be asked for a dump.
    pub fn wants_dump_at(&self) -> Option<Millis> {
        (!self.is_confirmed).then_some(self.last_change + self.settle_time)
    }

    /// Handles the report of one field. Returns its meaning for a square.
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

    /// Handles a dump. Returns whether it shows a change; `None` if its size does not fit this board.
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

    /// Handles a message with a checksum that nothing has changed since the last report.
    pub fn on_no_changes(&mut self) {
        self.is_confirmed = true;
    }

    /// Sets the contents from a source other than the board.
    pub fn assume_board(&mut self, position: &Position) {
        self.sensors.assume_placement(position.placement());
        self.update_start();
    }

    /// Assumes the start position before these reports, in the orientation that they imply.
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

    /// Returns a copy of the board with other contents.
    pub fn with_sensors(&self, sensors: Sensors) -> BoardModel {
        let mut board = BoardModel { sensors, ..self.clone() };
        board.update_start();
        board
    }

    /// Sets the orientation that was found.
    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.sensors.set_orientation(orientation);
    }

    /// Turns the board by the operator's request. Returns the new orientation.
    pub fn flip(&mut self, now: Millis) -> Orientation {
        self.is_flipped = !self.is_flipped;
        let orientation = self.sensors.orientation().other();
        self.sensors.set_orientation(orientation);
        self.update_start();
        self.last_change = now;
        self.is_confirmed = false;
        orientation
    }

    /// Whether the operator turned the board relative to the configuration.
    pub fn is_flipped(&self) -> bool {
        self.is_flipped
    }

    /// Returns the possible orientations by the operator's setting.
    pub fn orientations(&self) -> &'static [Orientation] {
        match (self.orientation_setting, self.is_flipped) {
            (OrientationSetting::Auto, _) => &[Orientation::Normal, Orientation::Turned],
            (OrientationSetting::Normal, false) | (OrientationSetting::Turned, true) => &[Orientation::Normal],
            (OrientationSetting::Turned, false) | (OrientationSetting::Normal, true) => &[Orientation::Turned],
        }
    }

    /// Returns the orientation if the board shows the start position.
    pub fn start_orientation(&self) -> Option<Orientation> {
        self.start_orientation
    }

    /// Returns the orientation if `sensors` show the start position.
    pub fn start_orientation_of(&self, sensors: &Sensors) -> Option<Orientation> {
        let start = self.start_position();
        let shows_start = |orientation: &Orientation| sensors.shows(start.placement(), *orientation);
        self.orientations().iter().copied().find(shows_start).filter(|_| sensors.is_known())
    }

    /// Returns the squares that differ from the start position in the closest orientation, and the occupancy in that
    /// orientation. The line calls this after every answer of a waiting board.
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

    /// Updates the start orientation. Checks all fields, so it must follow every change of their contents.
    fn update_start(&mut self) {
        self.start_orientation = self.start_orientation_of(&self.sensors);
    }
}
