//! How a game begins on a table: by the start position on the board, however the board lies, or because the operator says so.
//!
//! A start position that appears where a game is going on is a new game only when it has stood for a while: longer when few
//! plies have been played, since then it may be a correction of the opening, and never while the clock runs.

use super::telling::ToldDoubt;
use super::{Stage, Table};
use crate::engine::millis::Millis;
use crate::engine::protocol::PieceCode;
use crate::engine::protocol::changes::Change;
use crate::engine::recognition::{Clock, Recogniser, Sight};
use crate::engine::session::catchup::timeline::Told;
use crate::engine::session::game::Game;
use crate::engine::session::sensors::{Orientation, Sensors};
use crate::engine::session::{Effect, OrientationSetting};
use draughts::{Color, Kind, Piece, Placement, Position, Setup, SquareSet};

/// How long the start position must stand, in the middle of a game, to begin a new one.
const NEW_GAME: Millis = Millis::seconds(1);
/// The same when few plies have been played: it may be a correction of the opening.
const NEW_GAME_EARLY: Millis = Millis::seconds(3);
/// Plies after which the start position can only be a new game.
const FEW_PLIES: u32 = 6;
/// How long a board that is being set up must be quiet before the operator is told what is wrong.
const SETTING_UP: Millis = Millis::seconds(5);
/// Boards of which more is wrong than this are not being set up for a game.
const NEARLY_SET_UP: usize = 8;

impl Table {
    /// Those of these things with which a start position came to stand on the board.
    pub fn starts(&self, told: &[Told]) -> Vec<usize> {
        let mut sensors = self.sensors.clone();
        let mut starts = Vec::new();
        for (index, told) in told.iter().enumerate() {
            match told {
                Told::Change(Change::Piece { field, piece, .. }) => drop(sensors.update(*field, *piece)),
                Told::Change(_) => continue,
                Told::Standing(codes) => sensors.set_by_number(codes),
            }
            if self.start_in(&sensors).is_some() {
                starts.push(index);
            }
        }
        starts
    }

    /// A table that waits, as it would be if the board showed a start position now: the last that these things make, with the things
    /// after it. They lead to what is shown; of what a field held before the first of them that names it nothing is known.
    pub fn at_last_start(&self, told: &[Told]) -> Option<(Table, Vec<Told>)> {
        let mut sensors = self.sensors.clone();
        let mut fields = sensors.by_number();
        for told in told {
            if let Told::Change(Change::Piece { field, .. }) = told
                && let Some(code) = fields.get_mut(usize::from(field.0))
            {
                *code = PieceCode::EMPTY;
            }
        }
        sensors.set_by_number(&fields);
        let before = Table { sensors, ..self.clone() };
        let last = *before.starts(told).last()?;
        let (until, after) = told.split_at_checked(last + 1)?;
        let mut table = before;
        for told in until {
            match told {
                Told::Change(Change::Piece { field, piece, .. }) => drop(table.sensors.update(*field, *piece)),
                Told::Change(_) => {}
                Told::Standing(codes) => table.sensors.set_by_number(codes),
            }
        }
        table.start_seen = table.look_for_start();
        Some((table, after.to_vec()))
    }

    /// Tables on which a game begins now from what stands on this one, with who is to move: one for each way in which the board may lie,
    /// the likeliest first, with what they have to say. None where that is no position from which the game can go on.
    pub fn games_from_what_stands(&self, now: Millis, turn: Color) -> Vec<(Table, Vec<Effect>)> {
        let begin = |orientation| {
            let mut table = self.clone();
            table.sensors.turn(orientation);
            let position = table.standing(turn).filter(|position| position.winner().is_none())?;
            table.stage = Stage::Waiting;
            let effects = table.start(now, position);
            Some((table, effects))
        };
        let lies =
            |&orientation: &Orientation| self.white_is_nearer(orientation) < self.white_is_nearer(orientation.other());
        let mut ways = self.orientations().to_vec();
        ways.sort_by_key(lies);
        ways.into_iter().filter_map(begin).collect()
    }

    /// The position that stands on the board.
    fn standing(&self, turn: Color) -> Option<Position> {
        let sight = self.sensors.sight();
        let mut placement = Placement::EMPTY;
        for color in Color::BOTH {
            let crowned = sight.crowned() | self.settings.variant.geometry.home_row(!color);
            for square in sight.of(color) {
                let kind = if crowned.contains(square) { Kind::King } else { Kind::Man };
                placement.put(square, Some(Piece { color, kind }));
            }
        }
        Position::new(self.settings.variant, Setup { placement, turn }).ok().filter(|_| self.sensors.is_known())
    }

    /// By how much White's pieces are nearer to White's side than Black's are, if the board lies so.
    fn white_is_nearer(&self, orientation: Orientation) -> i64 {
        let geometry = &self.settings.variant.geometry;
        let sight = self.sensors.sight_from(orientation);
        let rows =
            |color| sight.of(color).into_iter().map(|square| geometry.row_and_column(square).0 as i64).sum::<i64>();
        let count = |color| sight.of(color).len() as i64;
        rows(Color::White) * count(Color::Black) - rows(Color::Black) * count(Color::White)
    }

    /// Would a board that shows this show the start position?
    pub fn is_start(&self, codes: &[PieceCode]) -> bool {
        let mut sensors = self.sensors.clone();
        sensors.dump(codes).is_some() && self.start_in(&sensors).is_some()
    }

    /// When the start position on the board will begin a new game.
    pub(super) fn new_game_at(&self) -> Option<Millis> {
        if !self.linked {
            return None;
        }
        match &self.stage {
            Stage::Playing(game) if game.recogniser.plies() == 0 && game.number().is_none() => None,
            Stage::Playing(game) => {
                self.start_seen.filter(|_| self.confirmed || self.trusts_reports)?;
                let few = game.recogniser.plies() < FEW_PLIES;
                if few && self.clock_state == Clock::Running {
                    return None;
                }
                Some(self.last_change + if few { NEW_GAME_EARLY } else { NEW_GAME })
            }
            Stage::Waiting | Stage::Over => self.start_seen.map(|_| Millis::ZERO),
        }
    }

    pub(super) fn begin_new_game(&mut self, now: Millis) -> Vec<Effect> {
        let Some(orientation) = self.new_game_at().filter(|&at| at <= now).and(self.start_seen) else {
            return Vec::new();
        };
        self.sensors.turn(orientation);
        let mut effects = self.start(now, Position::start(self.settings.variant));
        effects.push(Effect::News(match orientation {
            Orientation::Normal => "the start position is set up: ready".to_owned(),
            Orientation::Turned => "the start position is set up, the board lies turned round: ready".to_owned(),
        }));
        effects
    }

    /// Closes the game that is going on, if any, and begins one from a position.
    pub(super) fn start(&mut self, now: Millis, position: Position) -> Vec<Effect> {
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
        self.told_doubt = ToldDoubt::Nothing;
        if self.trusts_reports && !self.sensors.is_known() {
            self.sensors.assume(position.placement());
        }
        let sight = self.sensors.sight();
        let mut recogniser = Recogniser::new(position, 0, sight, clock, now, self.recognition);
        if clock == Clock::Running {
            self.clock.assume(position.turn());
            recogniser.lever_means(self.clock.turn_now());
        }
        recogniser.trust_reports(self.trusts_reports);
        if self.is_assumed {
            recogniser.assume_start();
        }
        recogniser.link(now, self.linked && self.gap_until.is_none());
        self.begun += 1;
        self.stage = Stage::Playing(Box::new(Game::new(position, recogniser, now)));
        effects.extend(self.news());
        effects
    }

    /// How the board lies, if it shows the start position. To be asked again after every change: it looks at every field.
    pub(super) fn look_for_start(&self) -> Option<Orientation> {
        self.start_in(&self.sensors)
    }

    fn start_in(&self, sensors: &Sensors) -> Option<Orientation> {
        let start = Position::start(self.settings.variant);
        let shows_start = |orientation: Orientation| {
            sensors.sight_from(orientation).differs_from_placement(start.placement()).is_empty()
        };
        self.orientations().iter().copied().find(|&orientation| sensors.is_known() && shows_start(orientation))
    }

    pub(super) fn orientations(&self) -> &'static [Orientation] {
        match (self.settings.orientation, self.flipped) {
            (OrientationSetting::Auto, _) => &[Orientation::Normal, Orientation::Turned],
            (OrientationSetting::Normal, false) | (OrientationSetting::Turned, true) => &[Orientation::Normal],
            (OrientationSetting::Turned, false) | (OrientationSetting::Normal, true) => &[Orientation::Turned],
        }
    }

    /// When the operator is told what is missing for the start position.
    pub(super) fn tells_at(&self) -> Option<Millis> {
        let waits = matches!(self.stage, Stage::Waiting | Stage::Over) && self.linked && self.sensors.is_known();
        if !waits {
            return None;
        }
        let (wrong, _) = self.nearest_to_start();
        (wrong.len() <= NEARLY_SET_UP && self.told != Some(wrong)).then(|| self.last_change + SETTING_UP)
    }

    pub(super) fn tell_set_up(&mut self, now: Millis) -> Vec<Effect> {
        if self.tells_at().is_none_or(|at| at > now) {
            return Vec::new();
        }
        let (wrong, words) = self.wrong_for_start();
        self.told = Some(wrong);
        vec![Effect::Notice(format!("the start position is not complete: {words}"))]
    }

    /// The squares that differ from the start position, as the board lies nearest to it, and the same in words.
    pub(super) fn wrong_for_start(&self) -> (SquareSet, String) {
        let (wrong, sight) = self.nearest_to_start();
        (wrong, self.wrong_in_words(wrong, &sight, Position::start(self.settings.variant).placement()))
    }

    /// The same squares, and what is seen as the board lies then. To be asked after every answer of a board that waits.
    fn nearest_to_start(&self) -> (SquareSet, Sight) {
        let start = Position::start(self.settings.variant);
        let wrong = |&orientation: &Orientation| {
            let sight = self.sensors.sight_from(orientation);
            (sight.differs_from_placement(start.placement()), sight)
        };
        self.orientations().iter().map(wrong).min_by_key(|(wrong, _)| wrong.len()).unwrap_or_default()
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
}
