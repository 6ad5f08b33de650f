//! Operator requests to a table ([`OperatorCommand`]).
//!
//! An impossible request is refused with a reason and changes nothing. Requests are inputs like any other: the log records
//! them, and a replay executes them at the recorded time.

use draughts::ResultFormat;
use draughts::{Color, Position};
use draughts_pdn::{fen, tag_values};

use super::entry::EnteredGame;
use super::{Table, refusal};
use crate::game_tags;
use crate::millis::Millis;
use crate::recognition::Verdict;
use crate::session::request::{BoardPairing, OperatorCommand};
use crate::session::sensors::Orientation;
use crate::session::{Effect, notes};

/// Longest wait for the board's answer to a resync.
const RESYNC_TIMEOUT: Millis = Millis::seconds(3);

/// Operator's confirmation that the contents of the board are right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resync {
    requested_at: Millis,
    /// Side to move, if given.
    turn: Option<Color>,
    /// Whether the board has confirmed the known contents since the request.
    is_shown: bool,
}

impl Resync {
    /// Returns the time of the question to the board.
    pub(super) fn question_due(&self) -> Millis {
        self.requested_at
    }

    /// Returns the time at which the confirmation is applied.
    pub(super) fn due(&self) -> Millis {
        if self.is_shown { self.requested_at } else { self.requested_at + RESYNC_TIMEOUT }
    }
}

impl Table {
    /// Executes an operator's request. Requests to the line rather than the game have no effect here.
    pub fn request(&mut self, now: Millis, wish: &OperatorCommand) -> Vec<Effect> {
        match wish {
            OperatorCommand::Result(result) => self.result(now, result),
            OperatorCommand::Resign(loser) => self.resign(now, *loser),
            OperatorCommand::Start(None) => self.start_game(now, Position::start(self.settings.variant)),
            OperatorCommand::Start(Some(fen)) => match self.position_of(fen) {
                Ok(position) => self.start_game(now, position),
                Err(error) => refusal(error),
            },
            OperatorCommand::Continue(anyway) => self.continue_ended_game(now, *anyway),
            OperatorCommand::Setup(fen) => self.set_up_on_request(now, fen),
            OperatorCommand::Undo(count) => self.undo(now, *count),
            OperatorCommand::Resync(turn) => self.resync_on_request(now, *turn),
            OperatorCommand::Flip => self.flip(now),
            OperatorCommand::Names { white, black } => self.set_names(white, black),
            OperatorCommand::SetPairing(pairing) => self.set_pairing(pairing.clone()),
            OperatorCommand::Enter(entered) => self.enter(now, entered),
            OperatorCommand::TakeBack { game, ply } => self.take_back(now, *game, *ply),
            OperatorCommand::Claim { game, result } => self.claim(*game, result),
            OperatorCommand::AddMoves(added) => self.add_moves(now, added),
            OperatorCommand::SwitchEntry(true) => self.switch_entry_on(now),
            OperatorCommand::SwitchEntry(false) => self.switch_entry_off(now),
            OperatorCommand::StartFromMemory
            | OperatorCommand::HoldPublication
            | OperatorCommand::ReleasePublication
            | OperatorCommand::Rotate
            | OperatorCommand::GameLookup(_) => Vec::new(),
        }
    }

    /// Sets the result of the game.
    fn result(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let format = game_tags::result_format(self.settings.variant, &self.settings.tags);
        let Some(value) = tag_values::parse_result_words(format, text) else {
            let own = || format!("any text of up to {} plain characters", game_tags::MAX_RESULT_LEN);
            let known = format.map_or_else(own, ResultFormat::describe);
            return refusal(format!("`{text}` is not a result of this game; its results are {known}"));
        };
        let effects = self.publish_entered(now);
        match self.games.game_mut().filter(|game| game.file_number().is_some()) {
            Some(game) => {
                let taken = (value != text).then(|| Effect::Info(format!("{text} counts as {value}")));
                game.result = Some((value, now));
                effects.into_iter().chain(taken).collect()
            }
            None => refusal(format!("no game is going on that could end {value}")),
        }
    }

    /// Ends the game by resignation.
    fn resign(&mut self, now: Millis, loser: Color) -> Vec<Effect> {
        match game_tags::result_format(self.settings.variant, &self.settings.tags) {
            Some(format) => self.result(now, format.win(!loser)),
            None => refusal("this game has results of its own; give one of them with `result`".to_owned()),
        }
    }

    /// Continues the last finished game; later moves go to another file. `anyway`: also if the board shows another position.
    fn continue_ended_game(&mut self, now: Millis, anyway: bool) -> Vec<Effect> {
        if self.has_open_game() {
            return refusal("a game is going on; `undo` takes back what does not count of it".to_owned());
        }
        let Some((position, plies, number)) = self
            .games
            .last_ended()
            .and_then(|game| Some((*game.recogniser.position(), game.recogniser.plies(), game.file_number()?)))
        else {
            return refusal(
                "no game can go on: none has ended here, or its log was closed since; `start FEN` begins one from a position".to_owned(),
            );
        };
        let recogniser = self.new_recogniser(now, position, plies);
        let shown = fen::write(self.settings.variant, &position.setup());
        let stands_there = self.entered.is_some() || self.board.is_link_up() && recogniser.is_settled();
        if !anyway && !stands_there {
            return refusal(format!(
                "the board does not show the position in which game {number} ended, {shown}; set it up, or ask with --confirm: then what \
                 stands on the board is taken as played since"
            ));
        }
        let Some(game) = self.games.last_ended().map(|game| game.continue_from(recogniser)) else { return Vec::new() };
        self.notices.begin_game();
        self.games.start_game(game);
        self.entered.iter_mut().for_each(|typed| typed.set_result(None));
        let next = self.games.file_count() + 1;
        vec![Effect::Info(format!("game {number} goes on; its next move begins the file of game {next}"))]
    }

    /// Sets up a position from a FEN.
    fn set_up_on_request(&mut self, now: Millis, text: &str) -> Vec<Effect> {
        let position = match self.position_of(text) {
            Ok(position) => position,
            Err(error) => return refusal(error),
        };
        let mut effects = self.publish_entered(now);
        let Some(recogniser) = self.games.recogniser() else { return self.start_game(now, position) };
        let verdict = recogniser.set_up(position);
        if self.board.trusts_reports() {
            // No dump will show the position.
            self.assume_board(now, &position);
        }
        effects.extend(self.record(now, &verdict));
        effects
    }

    /// Discards the last entries by a setup of the position before them: PDN has no other means that readers of live files
    /// understand.
    pub(super) fn undo(&mut self, now: Millis, count: usize) -> Vec<Effect> {
        let pending = usize::from(self.has_pending_entry());
        let Some(game) = self.games.game_mut() else {
            return refusal("no game is going on; what a closed file says stays".to_owned());
        };
        if count == pending {
            self.entered.iter_mut().for_each(EnteredGame::drop_pending);
            return vec![Effect::Info("the last move is taken back; it was not published".to_owned())];
        }
        let Some(before) = game.position_before(count - pending) else {
            let max_undo = game.can_take_back() + pending;
            return refusal(format!(
                "there are not {count} entries to take back, only {max_undo}; `setup FEN` says where play goes on"
            ));
        };
        let verdict = game.recogniser.go_back(before.position, before.plies);
        self.entered.iter_mut().for_each(EnteredGame::drop_pending);
        let effects = self.record(now, &verdict);
        if let Some(game) = self.games.game_mut() {
            game.on_undo(count - pending);
        }
        effects
    }

    fn resync_on_request(&mut self, now: Millis, turn: Option<Color>) -> Vec<Effect> {
        let is_playing = self.is_playing();
        if !is_playing && !self.settings.finds_late_start {
            return refusal("no game is going on; `start` begins one".to_owned());
        }
        if self.is_entry_on() {
            return refusal("people enter the moves of this game; `entry off` returns it to the board".to_owned());
        }
        if !self.board.is_link_up() {
            return refusal(
                "the board is not connected, so nobody knows what stands on it; `setup FEN` says it".to_owned(),
            );
        }
        if !is_playing {
            return self.start_from_board(now, turn);
        }
        self.resync = Some(Resync { requested_at: now, turn, is_shown: false });
        Vec::new()
    }

    /// Starts a game from the contents of the board.
    fn start_from_board(&mut self, now: Millis, turn: Option<Color>) -> Vec<Effect> {
        let Some(turn) = turn else {
            return refusal(
                "no game is going on; `resync white` or `resync black`, for the side to move, starts one from the position on the \
                 board, `start` one from the start position"
                    .to_owned(),
            );
        };
        let Some((table, mut effects)) = self.games_from_board(now, turn).into_iter().next() else {
            return refusal("what stands on the board is no position from which a game can go on".to_owned());
        };
        *self = table;
        let position = self.games.game().map(|game| game.recogniser.position().setup());
        let position = position.map(|setup| fen::write(self.settings.variant, &setup)).unwrap_or_default();
        effects.push(Effect::Info(format!("a game begins from what stands on the board: {position}")));
        effects
    }

    /// Records that the board has shown its contents. `as_known`: they match the known contents, which ends the wait.
    pub(super) fn on_board_shown(&mut self, as_known: bool) {
        if let Some(resync) = &mut self.resync {
            resync.is_shown = as_known;
        }
    }

    /// Applies the operator's confirmation of the board.
    pub(super) fn end_resync(&mut self, now: Millis) -> Vec<Effect> {
        let Some(resync) = self.resync.take_if(|resync| resync.due() <= now) else { return Vec::new() };
        let Some(recogniser) = self.games.recogniser() else { return Vec::new() };
        if recogniser.is_settled() && resync.turn.is_none_or(|turn| turn == recogniser.position().turn()) {
            return vec![Effect::Info("the board shows the position that is published".to_owned())];
        }
        let expected = recogniser.expected();
        if recogniser.unexplained().is_none() && resync.turn.is_none() && !expected.is_empty() {
            let moves = notes::line_of_play(recogniser.position(), expected).join(" ");
            return vec![Effect::Info(format!("the board shows {moves}, which is published as soon as it is sure"))];
        }
        match recogniser.set_up_from_sensors(resync.turn) {
            Some(verdict) => self.record(now, &verdict),
            None => refusal("what stands on the board is no position of this game".to_owned()),
        }
    }

    /// Turns the board round.
    fn flip(&mut self, now: Millis) -> Vec<Effect> {
        let orientation = self.board.flip(now);
        self.sync_recogniser(now);
        let side = if orientation == Orientation::Turned { "right" } else { "left" };
        vec![Effect::Info(format!("the board is read with its connector on White's {side}"))]
    }

    fn set_names(&mut self, white: &str, black: &str) -> Vec<Effect> {
        self.set_name_tags([white, black]);
        self.games.note_names_given();
        let which = if self.has_open_game() { "the next game; this one's file has its names" } else { "this game" };
        vec![Effect::Info(format!("{white} and {black} are the players of {which}"))]
    }

    /// Sets the pairing for the next game, or for a running game without entries.
    fn set_pairing(&mut self, pairing: Option<BoardPairing>) -> Vec<Effect> {
        let description = match &pairing {
            Some(pairing) => format!("pairing {}", pairing.id),
            None => "no pairing".to_owned(),
        };
        self.games.set_pairing(pairing);
        if self.games.is_pairing_over() {
            self.settings.tags.clone_from(&self.line_tags);
            return vec![Effect::Info(format!("{description} has its game; the next one is no game of it"))];
        }
        self.settings.tags = self.pairing_tags();
        let players = game_tags::player_names(&self.settings.tags).map(|name| name.unwrap_or_else(|| "?".to_owned()));
        let which = if self.has_open_game() { "the next game" } else { "this game" };
        vec![Effect::Info(format!("{which} is {description}: {} - {}", players[0], players[1]))]
    }

    /// Returns the tags of the line, overridden by those of the pairing.
    fn pairing_tags(&self) -> Vec<(String, String)> {
        let mut tags = self.line_tags.clone();
        for (name, value) in self.games.pairing().into_iter().flat_map(|pairing| &pairing.tags) {
            tags.retain(|(known, _)| known != name);
            tags.push((name.clone(), value.clone()));
        }
        tags
    }

    /// Removes the tags of a pairing whose only game has begun: a game begins that is none of its. Names for this game stay.
    pub(super) fn remove_tags_of_used_pairing(&mut self) {
        if self.games.is_pairing_used() {
            let names = self.given_names();
            self.settings.tags.clone_from(&self.line_tags);
            if let Some([white, black]) = names {
                self.set_name_tags([&white, &black]);
            }
        }
    }

    /// Returns the names that the operator set for a game that has no file yet.
    fn given_names(&self) -> Option<[String; 2]> {
        let player = |side: &str| self.settings.tags.iter().find(|(tag, _)| tag == side).map(|(_, name)| name.clone());
        Some([player("White")?, player("Black")?]).filter(|_| self.games.is_next_named())
    }

    fn set_name_tags(&mut self, names: [&str; 2]) {
        for (tag, name) in ["White", "Black"].into_iter().zip(names) {
            self.settings.tags.retain(|(known, _)| known != tag);
            self.settings.tags.push((tag.to_owned(), name.to_owned()));
        }
    }

    /// Returns the requests that still apply to future games; a replacement of this table needs them again.
    pub fn standing_requests(&self) -> Vec<OperatorCommand> {
        let names = self.given_names().map(|[white, black]| OperatorCommand::Names { white, black });
        let pairing =
            self.games.next_pairing().map(|pairing| OperatorCommand::SetPairing(Some(BoardPairing::clone(pairing))));
        pairing.into_iter().chain(names).chain(self.board.is_flipped().then_some(OperatorCommand::Flip)).collect()
    }

    pub(super) fn record(&mut self, now: Millis, verdict: &Verdict) -> Vec<Effect> {
        let mut effects = self.publish(now, verdict);
        effects.extend(self.after_publication(verdict));
        self.align_entered(now);
        effects
    }

    fn position_of(&self, text: &str) -> Result<Position, String> {
        let variant = self.settings.variant;
        let setup = fen::read(variant, text).map_err(|error| error.to_string())?;
        Position::new(variant, setup).map_err(|error| format!("FEN `{text}`: {error}"))
    }
}
