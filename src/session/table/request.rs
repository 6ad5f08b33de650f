//! What an operator can ask of a table: a result, a start, a position, the other side of the board, the players' names.
//!
//! A request that cannot be met changes nothing and is answered with a notice that says why.

use super::{Stage, Table};
use crate::millis::Millis;
use crate::pdn::{fen, live, values};
use crate::rules::{Position, ResultFormat};
use crate::session::Effect;
use crate::session::sensors::Orientation;

impl Table {
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
}
