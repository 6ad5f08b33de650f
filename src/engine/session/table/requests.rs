//! What an operator may ask of a table ([`Wish`]).
//!
//! A request that cannot be done is refused with the reason and changes nothing. It is an input like any other: it stands in
//! the log, and a replay obeys it at the same moment.

use super::Table;
use crate::engine::millis::Millis;
use crate::engine::recognition::Verdict;
use crate::engine::roster;
use crate::engine::session::request::{Pairing, Wish};
use crate::engine::session::sensors::Orientation;
use crate::engine::session::{Effect, account};
use draughts::ResultFormat;
use draughts::{Color, Position};
use draughts_pdn::{fen, values};

/// How long the answer of a board is waited for that is to say what stands on it.
const RESYNC_WAITS: Millis = Millis::seconds(3);

/// The operator's word that what stands on the board is right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resync {
    given: Millis,
    /// Who is to move, if he said so.
    turn: Option<Color>,
    /// The board has shown since what was known of it.
    shown: bool,
}

impl Resync {
    /// When the board is to be asked.
    pub(super) fn asks_at(&self) -> Millis {
        self.given
    }

    /// When it is acted upon.
    pub(super) fn ends_at(&self) -> Millis {
        if self.shown { self.given } else { self.given + RESYNC_WAITS }
    }
}

impl Table {
    /// An operator's request. What is asked of the line rather than of a game changes nothing here.
    pub fn request(&mut self, now: Millis, wish: &Wish) -> Vec<Effect> {
        match wish {
            Wish::Result(result) => self.result(now, result),
            Wish::Resign(loser) => self.resign(now, *loser),
            Wish::Start(None) => self.start(now, Position::start(self.settings.variant)),
            Wish::Start(Some(fen)) => self.start_on_request(now, fen),
            Wish::Continue(anyway) => self.go_on(now, *anyway),
            Wish::Setup(fen) => self.set_up_on_request(now, fen),
            Wish::Undo(count) => self.undo(now, *count),
            Wish::Resync(turn) => self.resync_on_request(now, *turn),
            Wish::Flip => self.flip(now),
            Wish::Names { white, black } => self.name_players(white, black),
            Wish::Pairing(pairing) => self.pair(pairing.clone()),
            Wish::StartFromMemory | Wish::Hold | Wish::Release | Wish::Rotate | Wish::Remembered(_) => Vec::new(),
        }
    }

    /// The operator says how the game ended.
    fn result(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let format = roster::result_format(self.settings.variant, &self.settings.tags);
        let Some(value) = values::result_in(format, text) else {
            let own = || format!("any text of up to {} plain characters", roster::LONGEST_RESULT);
            let known = format.map_or_else(own, ResultFormat::in_words);
            return refuse(format!("`{text}` is not a result of this game; its results are {known}"));
        };
        match self.play.game_mut().filter(|game| game.number().is_some()) {
            Some(game) => {
                game.result = Some((value, now));
                Vec::new()
            }
            None => refuse(format!("no game is going on that could end {value}")),
        }
    }

    /// The operator says who gave up.
    fn resign(&mut self, now: Millis, loser: Color) -> Vec<Effect> {
        match roster::result_format(self.settings.variant, &self.settings.tags) {
            Some(format) => self.result(now, format.win(!loser)),
            None => refuse("this game has results of its own; give one of them with `result`".to_owned()),
        }
    }

    /// The operator starts a game from a FEN.
    fn start_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        match self.position_of(text) {
            Ok(position) => self.start(now, position),
            Err(why) => refuse(why),
        }
    }

    /// The game that ended last goes on: what is played from now on stands in another file. `anyway`: also where the board shows another
    /// position.
    fn go_on(&mut self, now: Millis, anyway: bool) -> Vec<Effect> {
        if self.has_open_game() {
            return refuse("a game is going on; `undo` takes back what does not count of it".to_owned());
        }
        let Some((position, plies, number)) = self
            .play
            .ended()
            .and_then(|game| Some((*game.recogniser.position(), game.recogniser.plies(), game.number()?)))
        else {
            return refuse(
                "no game can go on: none has ended here, or its log was closed since; `start FEN` begins one from a position".to_owned(),
            );
        };
        let recogniser = self.watch(now, position, plies);
        let shown = fen::write(self.settings.variant, &position.setup());
        let stands_there = self.board.is_linked() && recogniser.is_settled();
        if !anyway && !stands_there {
            return refuse(format!(
                "the board does not show the position in which game {number} ended, {shown}; set it up, or ask with --sure: then what \
                 stands on the board is taken as played since"
            ));
        }
        let Some(game) = self.play.ended().map(|game| game.go_on(recogniser)) else { return Vec::new() };
        self.notified.begin_game();
        self.play.begin(game);
        let next = self.play.files() + 1;
        vec![Effect::News(format!("game {number} goes on; its next move begins the file of game {next}"))]
    }

    /// The operator says what stands on the board.
    fn set_up_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let position = match self.position_of(text) {
            Ok(position) => position,
            Err(why) => return refuse(why),
        };
        let Some(recogniser) = self.play.recogniser() else { return self.start(now, position) };
        let verdict = recogniser.set_up(position);
        if self.board.trusts_reports() {
            // Nobody else will say what stands there.
            self.assume(now, &position);
        }
        self.record(now, &verdict)
    }

    /// The operator says that the last entries do not count. PDN has no word for that which readers of a live file know but
    /// the position before them.
    fn undo(&mut self, now: Millis, count: usize) -> Vec<Effect> {
        let Some(game) = self.play.game_mut() else {
            return refuse("no game is going on; what a closed file says stays".to_owned());
        };
        let Some(before) = game.before(count) else {
            let most = game.can_take_back();
            return refuse(format!(
                "there are not {count} entries to take back, only {most}; `setup FEN` says where play goes on"
            ));
        };
        let verdict = game.recogniser.go_back(before.position, before.plies);
        let effects = self.record(now, &verdict);
        if let Some(game) = self.play.game_mut() {
            game.has_taken_back(count);
        }
        effects
    }

    /// The operator says that what stands on the board is right.
    fn resync_on_request(&mut self, now: Millis, turn: Option<Color>) -> Vec<Effect> {
        let is_playing = self.is_playing();
        if !is_playing && !self.settings.late_start {
            return refuse("no game is going on; `start` begins one".to_owned());
        }
        if !self.board.is_linked() {
            return refuse(
                "the board is not connected, so nobody knows what stands on it; `setup FEN` says it".to_owned(),
            );
        }
        if !is_playing {
            return self.begin_from_what_stands(now, turn);
        }
        self.resync = Some(Resync { given: now, turn, shown: false });
        Vec::new()
    }

    /// The operator says that a game goes on from what stands on the board, and who is to move.
    fn begin_from_what_stands(&mut self, now: Millis, turn: Option<Color>) -> Vec<Effect> {
        let Some(turn) = turn else {
            return refuse(
                "no game is going on; `resync white` or `resync black`, whoever is to move, begins one from what stands on the \
                 board, `start` one from the start position"
                    .to_owned(),
            );
        };
        let Some((table, mut effects)) = self.games_from_what_stands(now, turn).into_iter().next() else {
            return refuse("what stands on the board is no position from which a game can go on".to_owned());
        };
        *self = table;
        let position = self.play.game().map(|game| game.recogniser.position().setup());
        let position = position.map(|setup| fen::write(self.settings.variant, &setup)).unwrap_or_default();
        effects.push(Effect::News(format!("a game begins from what stands on the board: {position}")));
        effects
    }

    /// The board has said what stands on it; `as_known`: nothing else than what was known.
    pub(super) fn is_shown(&mut self, as_known: bool) {
        if let Some(resync) = &mut self.resync {
            resync.shown = as_known;
        }
    }

    /// Acts upon the operator's word that what stands on the board is right.
    pub(super) fn end_resync(&mut self, now: Millis) -> Vec<Effect> {
        let Some(resync) = self.resync.take_if(|resync| resync.ends_at() <= now) else { return Vec::new() };
        let Some(recogniser) = self.play.recogniser() else { return Vec::new() };
        if recogniser.is_settled() && resync.turn.is_none_or(|turn| turn == recogniser.position().turn()) {
            return vec![Effect::News("the board shows the position that is published".to_owned())];
        }
        let expected = recogniser.expected();
        if recogniser.doubt().is_none() && resync.turn.is_none() && !expected.is_empty() {
            let moves = account::line_of_play(recogniser.position(), expected).join(" ");
            return vec![Effect::News(format!("the board shows {moves}, which is published as soon as it is sure"))];
        }
        match recogniser.set_up_seen(resync.turn) {
            Some(verdict) => self.record(now, &verdict),
            None => refuse("what stands on the board is no position of this game".to_owned()),
        }
    }

    /// The operator says that the board lies the other way round.
    fn flip(&mut self, now: Millis) -> Vec<Effect> {
        let orientation = self.board.flip(now);
        if let Some(recogniser) = self.play.recogniser() {
            recogniser.dump(now, &self.board.sight());
        }
        let side = if orientation == Orientation::Turned { "right" } else { "left" };
        vec![Effect::News(format!("the board is read with its connector on White's {side}"))]
    }

    /// The operator says who plays.
    fn name_players(&mut self, white: &str, black: &str) -> Vec<Effect> {
        for (tag, name) in [("White", white), ("Black", black)] {
            self.settings.tags.retain(|(known, _)| known != tag);
            self.settings.tags.push((tag.to_owned(), name.to_owned()));
        }
        self.play.named();
        let which = if self.has_open_game() { "the next game; this one's file has its names" } else { "this game" };
        vec![Effect::News(format!("{white} and {black} are the players of {which}"))]
    }

    /// The board plays this pairing from the next game on, or from the one on that has no entry yet.
    fn pair(&mut self, pairing: Option<Pairing>) -> Vec<Effect> {
        self.settings.tags.clone_from(&self.tags_of_line);
        let (tags, what) = match &pairing {
            Some(pairing) => (pairing.tags.as_slice(), format!("pairing {}", pairing.id)),
            None => (&[][..], "no pairing".to_owned()),
        };
        for (name, value) in tags {
            self.settings.tags.retain(|(known, _)| known != name);
            self.settings.tags.push((name.clone(), value.clone()));
        }
        self.play.pair(pairing);
        let players = roster::players(&self.settings.tags).map(|name| name.unwrap_or_else(|| "?".to_owned()));
        let which = if self.has_open_game() { "the next game" } else { "this game" };
        vec![Effect::News(format!("{which} is {what}: {} - {}", players[0], players[1]))]
    }

    /// The requests that still matter to a game that is to come: a table that takes the place of this one has to hear them.
    pub fn standing_requests(&self) -> Vec<Wish> {
        let player = |side: &str| self.settings.tags.iter().find(|(tag, _)| tag == side).map(|(_, name)| name.clone());
        let names = player("White").zip(player("Black")).filter(|_| self.play.is_next_named());
        let names = names.map(|(white, black)| Wish::Names { white, black });
        let pairing = self.play.pairing().map(|pairing| Wish::Pairing(Some(Pairing::clone(pairing))));
        pairing.into_iter().chain(names).chain(self.board.is_flipped().then_some(Wish::Flip)).collect()
    }

    fn record(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let mut effects = self.publish(now, verdict);
        effects.extend(self.look_back_at(verdict));
        effects
    }

    fn position_of(&self, text: &str) -> Result<Position, String> {
        let variant = self.settings.variant;
        let setup = fen::read(variant, text).map_err(|error| error.to_string())?;
        Position::new(variant, setup).map_err(|error| format!("FEN `{text}`: {error}"))
    }
}

fn refuse(why: String) -> Vec<Effect> {
    vec![Effect::Refused(why)]
}
