//! What is known of a board: what stands on its fields, how it lies, and how sure that is.
//!
//! | it was | known for sure |
//! |---|---|
//! | shown by a dump, or said to be unchanged under a checksum | yes |
//! | reported field by field since the last dump | not before the next dump; at once, if the board never answers with one |
//! | not heard: no link, a gap after it, silence while a clock runs | not before the next dump |

use crate::engine::millis::Millis;
use crate::engine::protocol::{Field, PieceCode};
use crate::engine::recognition::{Seen, Sight};
use crate::engine::session::sensors::{Orientation, Sensors};
use crate::engine::session::{LineSettings, OrientationSetting};
use draughts::{Position, Square, SquareSet, Variant};

/// What is known of one board.
#[derive(Clone, Debug)]
pub(super) struct KnownBoard {
    variant: &'static Variant,
    /// How it lies, as the operator says.
    setting: OrientationSetting,
    /// How long it rests before a dump is wanted.
    settle: Millis,
    /// How long a dump is waited for after a gap.
    waits_for_dump: Millis,
    sensors: Sensors,
    /// How it lies if it shows the start position: [`KnownBoard::look_again`] keeps it with the sensors.
    start: Option<Orientation>,
    linked: bool,
    confirmed: bool,
    last_change: Millis,
    heard_at: Millis,
    /// The link is up again, but no dump has come since: until when one is waited for.
    gap_until: Option<Millis>,
    /// The board never says what stands on it: what it reports counts without a dump.
    trusts_reports: bool,
    /// What stood on it when it was first heard was never shown; the start position was taken for it.
    is_assumed: bool,
    /// The operator has turned the board round against what is configured.
    flipped: bool,
}

impl KnownBoard {
    /// A board of which nothing is known yet.
    pub fn new(settings: &LineSettings) -> KnownBoard {
        let orientation = match settings.orientation {
            OrientationSetting::Turned => Orientation::Turned,
            OrientationSetting::Auto | OrientationSetting::Normal => Orientation::Normal,
        };
        KnownBoard {
            variant: settings.variant,
            setting: settings.orientation,
            settle: Millis(settings.recognition_in_force().settle_ms),
            waits_for_dump: Millis(settings.recognition.unconfirmed_ms),
            sensors: Sensors::new(&settings.variant.geometry, settings.codes, orientation),
            start: None,
            linked: false,
            confirmed: true,
            last_change: Millis::ZERO,
            heard_at: Millis::ZERO,
            gap_until: None,
            trusts_reports: false,
            is_assumed: false,
            flipped: false,
        }
    }

    /// The game it is for.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// The link came up or went away.
    pub fn link(&mut self, now: Millis, up: bool) {
        self.linked = up;
        self.gap_until = up.then(|| now + self.waits_for_dump);
        self.confirmed = false;
    }

    /// The board can be heard again, and kept its reports.
    pub fn link_to_memory(&mut self) {
        self.linked = true;
        self.gap_until = None;
        self.confirmed = false;
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
    pub fn waits_for_dump(&self) -> Millis {
        self.waits_for_dump
    }

    /// Is the link up?
    pub fn is_linked(&self) -> bool {
        self.linked
    }

    /// Is it heard, with no gap before now?
    pub fn is_heard(&self) -> bool {
        self.linked && self.gap_until.is_none()
    }

    /// The board was heard.
    pub fn hear(&mut self, now: Millis) {
        self.heard_at = now;
    }

    /// When it was last heard.
    pub fn heard_at(&self) -> Millis {
        self.heard_at
    }

    /// Something happened that nobody heard: what stands there is to be shown.
    pub fn doubt(&mut self) {
        self.confirmed = false;
    }

    /// Has a dump shown what is known?
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
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
    pub fn sight(&self) -> Sight {
        self.sensors.sight()
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
        (!self.confirmed).then_some(self.last_change + self.settle)
    }

    /// It reported one field. Returns what that means for a square.
    pub fn field_update(&mut self, now: Millis, field: Field, code: PieceCode) -> Option<(Square, Option<Seen>)> {
        let seen = self.sensors.update(field, code);
        self.look_again();
        self.last_change = now;
        self.confirmed = false;
        seen
    }

    /// A dump of all of it arrived. Returns whether it shows anything new; `None`: it is not of this board.
    pub fn dump(&mut self, now: Millis, codes: &[PieceCode]) -> Option<bool> {
        let changed = self.sensors.dump(codes)?;
        self.is_assumed = false;
        self.confirmed = !changed;
        if changed {
            self.last_change = now;
            self.look_again();
        }
        Some(changed)
    }

    /// It says, under a checksum, that nothing has changed since what it reported.
    pub fn unchanged(&mut self) {
        self.confirmed = true;
    }

    /// This stands on it, by the word of somebody else than the board.
    pub fn assume(&mut self, position: &Position) {
        self.sensors.assume(position.placement());
        self.look_again();
    }

    /// The start position is taken to have stood on it before these reports, lying as they tell.
    pub fn assume_start(&mut self, reports: &[(Field, PieceCode)]) {
        let shown = |orientation: Orientation| {
            let mut sensors = self.sensors.clone();
            sensors.turn(orientation);
            sensors.assume(self.start_position().placement());
            sensors
        };
        let all = self.orientations();
        let fits = all.iter().map(|&orientation| shown(orientation)).find(|sensors| sensors.may_have_led_to(reports));
        self.sensors = fits.unwrap_or_else(|| shown(all[0]));
        self.look_again();
        self.is_assumed = true;
    }

    /// The same board, its fields holding this.
    pub fn with(&self, sensors: Sensors) -> KnownBoard {
        let mut board = KnownBoard { sensors, ..self.clone() };
        board.look_again();
        board
    }

    /// It is found to lie so.
    pub fn turn(&mut self, orientation: Orientation) {
        self.sensors.turn(orientation);
    }

    /// The operator says that it lies the other way round. Returns how.
    pub fn flip(&mut self, now: Millis) -> Orientation {
        self.flipped = !self.flipped;
        let orientation = self.sensors.orientation().other();
        self.sensors.turn(orientation);
        self.look_again();
        self.last_change = now;
        self.confirmed = false;
        orientation
    }

    /// Has the operator turned it round against what is configured?
    pub fn is_flipped(&self) -> bool {
        self.flipped
    }

    /// The ways in which it may lie, as far as the operator has said.
    pub fn orientations(&self) -> &'static [Orientation] {
        match (self.setting, self.flipped) {
            (OrientationSetting::Auto, _) => &[Orientation::Normal, Orientation::Turned],
            (OrientationSetting::Normal, false) | (OrientationSetting::Turned, true) => &[Orientation::Normal],
            (OrientationSetting::Turned, false) | (OrientationSetting::Normal, true) => &[Orientation::Turned],
        }
    }

    /// How it lies, if it shows the start position.
    pub fn start(&self) -> Option<Orientation> {
        self.start
    }

    /// How it would lie, if its fields held this, and that were the start position.
    pub fn start_in(&self, sensors: &Sensors) -> Option<Orientation> {
        let start = self.start_position();
        let shows_start = |orientation: Orientation| {
            sensors.sight_from(orientation).differs_from_placement(start.placement()).is_empty()
        };
        self.orientations().iter().copied().find(|&orientation| sensors.is_known() && shows_start(orientation))
    }

    /// The squares that differ from the start position, as the board lies nearest to it, and what is seen as it lies then. To be
    /// asked after every answer of a board that waits.
    pub fn nearest_to_start(&self) -> (SquareSet, Sight) {
        let start = self.start_position();
        let wrong = |&orientation: &Orientation| {
            let sight = self.sensors.sight_from(orientation);
            (sight.differs_from_placement(start.placement()), sight)
        };
        self.orientations().iter().map(wrong).min_by_key(|(wrong, _)| wrong.len()).unwrap_or_default()
    }

    fn start_position(&self) -> Position {
        Position::start(self.variant)
    }

    /// After every change of what the fields hold: it looks at all of them.
    fn look_again(&mut self) {
        self.start = self.start_in(&self.sensors);
    }
}
