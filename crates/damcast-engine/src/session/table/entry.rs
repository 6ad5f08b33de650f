//! Plies that people enter, on a board without electronics, or on one that was switched to entry for the rest of a game.
//!
//! ```text
//!   enter 3 14 ─▸ pending: shown as likely ──enter 3 15, the result, 8 s──▸ published
//!                     └──enter-undo 3 14──▸ gone                                └──enter-undo 3 14──▸ setup
//! ```
//!
//! Game and ply name the place of an entered ply, so a request that arrives twice changes nothing. The first ply opens the file, so
//! that viewers see it at once. If it is taken back, the game stays open and empty, for the next ply.

use draughts::{Color, Move, Position};
use draughts_pdn::clock::Clocks;
use draughts_pdn::{fen, notation, tag_values};

use super::{Table, refusal};
use crate::bytelog::Mode;
use crate::game_tags;
use crate::millis::Millis;
use crate::recognition::Occupancy;
use crate::session::request::EnteredPly;
use crate::session::{BoardSquares, Effect, EntryStatus};

/// Time for which the last entered ply can be taken back without a trace.
const PUBLICATION_DELAY: Millis = Millis::seconds(8);

/// Plies of the running or last game, as people entered them.
#[derive(Clone, Debug, Default)]
pub(super) struct EnteredGame {
    /// Plies; `None` for those that the board reported, or that a setup hides.
    plies: Vec<Option<EnteredMove>>,
    /// Last of the plies, while it is not published.
    pending: Option<PendingPly>,
    /// Result that the players claim.
    claim: Option<String>,
    /// Result with which the game ended.
    result: Option<String>,
    /// Last entered times.
    clocks: Option<Clocks>,
}

/// Entered ply.
#[derive(Clone, Debug)]
struct EnteredMove {
    /// Position before the ply.
    before: Position,
    ply: Move,
    /// Notation of the file.
    text: String,
}

/// Entered ply that is not published yet.
#[derive(Clone, Debug)]
struct PendingPly {
    ply: Move,
    clocks: Option<Clocks>,
    entered_at: Millis,
}

impl EnteredGame {
    /// Returns the time at which the last ply is published.
    pub fn publication_due(&self) -> Option<Millis> {
        self.pending.as_ref().map(|pending| pending.entered_at + PUBLICATION_DELAY)
    }

    /// Whether a ply is not published yet.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Returns the ply that is not published yet.
    pub fn likely_moves(&self) -> Vec<Move> {
        self.pending.iter().map(|pending| pending.ply.clone()).collect()
    }

    /// Returns the claimed result.
    pub fn claim(&self) -> Option<&str> {
        self.claim.as_deref()
    }

    /// Returns the last entered times of White and Black in seconds, if both are known.
    pub fn clock_seconds(&self) -> Option<[u32; 2]> {
        let clocks = self.clocks?;
        Some([clocks.white?.0, clocks.black?.0])
    }

    /// Stores the result with which the game ended; `None` if it continues. Ends a claim.
    pub fn set_result(&mut self, result: Option<String>) {
        self.result = result;
        self.claim = None;
    }

    /// Creates the plies of a game of which the board has reported `count`.
    pub fn after_board(count: u32) -> EnteredGame {
        EnteredGame { plies: vec![None; count as usize], ..EnteredGame::default() }
    }

    /// Removes the ply that is not published yet.
    pub fn drop_pending(&mut self) {
        if self.pending.take().is_some() {
            self.plies.pop();
        }
    }

    /// Fits the plies to a published position, which may be a setup, `count` plies after the start of the game.
    fn align(&mut self, count: u32) {
        self.plies.resize(count as usize, None);
    }

    fn count(&self) -> u32 {
        self.plies.len() as u32
    }

    fn texts(&self) -> Vec<String> {
        self.plies.iter().map(|ply| ply.as_ref().map_or("?", |ply| &ply.text).to_owned()).collect()
    }

    /// Returns the ply with this number, from 1, if there is one; `Some(None)` if it was not entered, or a setup hides it.
    fn ply(&self, number: u32) -> Option<Option<&EnteredMove>> {
        let index = (number as usize).checked_sub(1)?;
        self.plies.get(index).map(Option::as_ref)
    }
}

impl Table {
    /// Whether people enter the moves of all games.
    pub(super) fn is_always_entered(&self) -> bool {
        self.settings.mode == Mode::Entry
    }

    /// Whether people enter moves now, so that reports of the board make none.
    pub fn is_entry_on(&self) -> bool {
        self.is_always_entered() || self.is_switched_on()
    }

    /// Whether people enter the moves of a running game that a board was to report.
    pub(super) fn is_switched_on(&self) -> bool {
        !self.is_always_entered() && self.entered.is_some() && self.is_playing()
    }

    /// Lets people enter the moves of the running game from its last position on, in place of its board.
    pub(super) fn switch_entry_on(&mut self, now: Millis) -> Vec<Effect> {
        if self.is_always_entered() {
            return refusal("the moves of this board are always entered by hand".to_owned());
        }
        if self.is_switched_on() {
            return vec![Effect::AlreadyDone("the moves of this game are entered by hand already".to_owned())];
        }
        let Some(recogniser) = self.games.recogniser() else {
            return refusal("no game is going on; `start` begins one, whose moves can then be entered".to_owned());
        };
        recogniser.leave_board(now);
        self.entered = Some(EnteredGame::after_board(recogniser.plies()));
        self.resync = None;
        vec![Effect::Notice(
            "people enter the moves of this game from here on; what its board reports makes no moves".to_owned(),
        )]
    }

    /// Lets the board report the moves of the running game again. Its contents count as after an outage.
    pub(super) fn switch_entry_off(&mut self, now: Millis) -> Vec<Effect> {
        if self.is_always_entered() {
            return refusal("this board has no electronics: its moves are entered by hand".to_owned());
        }
        if !self.is_switched_on() {
            return vec![Effect::AlreadyDone("this board reports its moves itself".to_owned())];
        }
        if !self.board.is_heard() || !self.board.sensors().is_known() {
            return refusal(
                "the board is not heard, so it cannot report moves; connect it first, or enter the moves to the end"
                    .to_owned(),
            );
        }
        let mut effects = self.publish_entered(now);
        let Some((position, plies)) =
            self.games.game().map(|game| (*game.recogniser.position(), game.recogniser.plies()))
        else {
            return effects;
        };
        // The published position stands first, so that all that differs from it counts as changed since.
        let mut recogniser = self.new_recogniser(now, position, plies);
        recogniser.set_lever_turn(self.clock.turn());
        recogniser.note_outage(now);
        recogniser.on_dump(now, &self.board.occupancy());
        self.entered = None;
        self.board.mark_unconfirmed();
        let is_settled = recogniser.is_settled();
        if let Some(game) = self.games.game_mut() {
            game.recogniser = recogniser;
        }
        let shows = if is_settled { "it shows their position" } else { "it shows another position than they lead to" };
        effects.push(Effect::Notice(format!("the board reports the moves of this game again; {shows}")));
        effects
    }

    /// Enters a ply. Publishes the one before it.
    pub(super) fn enter(&mut self, now: Millis, entered: &EnteredPly) -> Vec<Effect> {
        let (game, number) = (entered.game, entered.ply);
        if self.may_begin(game) {
            return self.enter_first(now, entered);
        }
        let Some(typed) = self.entered_game(game) else { return self.refuse_game(game) };
        let stands = typed.count();
        if let Some(known) = typed.ply(number) {
            return compare(entered, known);
        }
        if !self.is_playing() {
            return refusal(format!("game {game} is over, after {stands} plies"));
        }
        if number != stands + 1 {
            return refusal(format!("ply {} of game {game} is missing: {stands} plies were entered", stands + 1));
        }
        let Some(position) = self.entered_position() else { return self.refuse_game(game) };
        let ply = match notation::read(&position, &entered.notation) {
            Ok(ply) => ply,
            Err(error) => return refusal(format!("ply {number} is {}'s: {error}", side(position.turn()))),
        };
        let mut effects = self.publish_entered(now);
        effects.extend(self.add_pending(now, position, ply, entered));
        effects.extend(self.shown(number, game));
        effects
    }

    /// Enters the first ply of a game, which begins the game.
    fn enter_first(&mut self, now: Millis, entered: &EnteredPly) -> Vec<Effect> {
        let EnteredPly { game, ply: number, notation: text, .. } = entered;
        if *number != 1 {
            return refusal(format!("ply 1 of game {game} is missing: none was entered"));
        }
        let position = Position::start(self.settings.variant);
        let ply = match notation::read(&position, text) {
            Ok(ply) => ply,
            Err(error) => return refusal(format!("ply 1 is {}'s: {error}", side(position.turn()))),
        };
        let mut effects = self.start_game(now, position);
        effects.extend(self.add_pending(now, position, ply, entered));
        effects.extend(self.shown(1, *game));
        effects
    }

    /// Adds a ply to the running game, whose file it may open.
    fn add_pending(&mut self, now: Millis, position: Position, ply: Move, entered: &EnteredPly) -> Option<Effect> {
        let typed = self.entered.as_mut()?;
        let [white, black] = entered.clocks;
        let clocks = Clocks { white, black, running: None };
        let clocks = Some(clocks).filter(|_| white.or(black).is_some());
        let text = notation::write(position.variant(), &ply, &position.legal_moves());
        typed.plies.push(Some(EnteredMove { before: position, ply: ply.clone(), text }));
        typed.pending = Some(PendingPly { ply, clocks, entered_at: now });
        typed.claim = None;
        typed.clocks = clocks.or(typed.clocks);
        // A board opens its file with an entry.
        if self.is_always_entered() { self.games.open_file(&self.settings) } else { None }
    }

    /// Returns the message about an entered ply.
    fn shown(&self, number: u32, game: u32) -> Option<Effect> {
        let last = self.entered.as_ref()?.ply(number)??;
        Some(Effect::Info(format!("ply {number} of game {game} is {}", last.text)))
    }

    /// Takes back the last entered ply: without a trace if it is not published, else by a setup.
    pub(super) fn take_back(&mut self, now: Millis, game: u32, number: u32) -> Vec<Effect> {
        let Some(typed) = self.entered_game(game) else { return self.refuse_game(game) };
        let stands = typed.count();
        if number > stands {
            return vec![Effect::AlreadyDone(format!(
                "ply {number} of game {game} is taken back already: {stands} are left"
            ))];
        }
        if !self.is_playing() {
            return refusal(format!("game {game} is over, after {stands} plies"));
        }
        if number < stands {
            return refusal(format!(
                "only the last ply can be taken back, which is ply {stands}; an arbiter can undo more"
            ));
        }
        if typed.ply(number).flatten().is_none() {
            return refuse_hidden(game, number);
        }
        self.undo(now, 1)
    }

    /// Stores the result that the players claim.
    pub(super) fn claim(&mut self, game: u32, text: &str) -> Vec<Effect> {
        let format = game_tags::result_format(self.settings.variant, &self.settings.tags);
        let Some(value) = tag_values::parse_result_words(format, text).filter(|value| value != "*") else {
            return refusal(format!("`{text}` is not a result of this game"));
        };
        let is_playing = self.is_playing();
        let Some(typed) = self.entered_game(game).filter(|typed| typed.count() > 0) else {
            return self.refuse_game(game);
        };
        if !is_playing {
            return refusal(format!("game {game} is over already"));
        }
        if typed.claim.as_ref() == Some(&value) {
            return vec![Effect::AlreadyDone(format!("{value} is claimed already"))];
        }
        if let Some(typed) = &mut self.entered {
            typed.claim = Some(value.clone());
        }
        vec![Effect::Notice(format!("the players claim {value}; `result` writes it"))]
    }

    /// Publishes the entered ply that waits.
    pub(super) fn publish_entered(&mut self, now: Millis) -> Vec<Effect> {
        let pending = self.entered.as_mut().and_then(|typed| typed.pending.take());
        let Some((pending, recogniser)) = pending.zip(self.games.recogniser()) else { return Vec::new() };
        let verdict = recogniser.play(now, pending.ply);
        let mut effects = self.publish_at(now, &verdict, pending.clocks);
        effects.extend(self.after_publication(&verdict));
        effects
    }

    /// Publishes the entered ply that waits, if its time has come.
    pub(super) fn publish_entered_if_due(&mut self, now: Millis) -> Vec<Effect> {
        let due = self.entered.as_ref().and_then(EnteredGame::publication_due);
        if due.is_some_and(|at| at <= now) { self.publish_entered(now) } else { Vec::new() }
    }

    /// Fits the entered plies and the contents of the squares to the position after a setup.
    pub(super) fn align_entered(&mut self, now: Millis) {
        let Some(typed) = &mut self.entered else { return };
        let Some(recogniser) = self.games.recogniser() else { return };
        typed.align(recogniser.plies());
        let sight = Occupancy::from(recogniser.position().placement());
        recogniser.on_dump(now, &sight);
    }

    /// Whether ply 1 of this game begins it: no game is running, or the running one belongs to another pairing than the last received.
    fn may_begin(&self, game: u32) -> bool {
        let received = self.games.pairing().map(|pairing| pairing.id.as_str());
        let is_next = match self.games.game() {
            Some(running) => running.file_number().is_some() && received.is_some() && running.pairing() != received,
            None => true,
        };
        self.is_always_entered() && is_next && game == self.games.file_count() + 1
    }

    /// Returns the plies of the running or last game, if it has this number.
    fn entered_game(&self, game: u32) -> Option<&EnteredGame> {
        self.entered.as_ref().filter(|_| self.game_number() == Some(game))
    }

    /// Returns the number of the running or last game; `None` before the first one.
    fn game_number(&self) -> Option<u32> {
        let files = self.games.file_count();
        match self.games.game() {
            Some(game) => Some(game.file_number().unwrap_or(files + 1)),
            None => (files > 0).then_some(files),
        }
    }

    fn refuse_game(&self, game: u32) -> Vec<Effect> {
        if !self.is_entry_on() {
            return refusal("this board reports its moves itself; nothing can be entered".to_owned());
        }
        let next = self.games.file_count() + 1;
        refusal(match self.game_number() {
            Some(number) if self.is_playing() => match number < game {
                true => format!("game {number} is still going on: its result ends it"),
                false => format!("game {game} is over; game {number} is going on"),
            },
            Some(number) if number >= game => format!("game {game} is over; the next is game {next}"),
            _ => format!("game {game} cannot begin; the next is game {next}"),
        })
    }

    /// Returns the position after the last entered ply of the running game.
    fn entered_position(&self) -> Option<Position> {
        let position = *self.games.game()?.recogniser.position();
        let pending = self.entered.as_ref()?.pending.as_ref();
        Some(pending.map_or(position, |pending| position.play(&pending.ply)))
    }

    /// Returns the contents that the recogniser of a game at a position begins with.
    pub(super) fn occupancy_at(&self, position: &Position) -> Occupancy {
        if self.entered.is_some() { Occupancy::from(position.placement()) } else { self.board.occupancy() }
    }

    /// Returns the state of the entered game; `None` on a board that reports its moves itself.
    pub(super) fn entry_status(&self) -> Option<EntryStatus> {
        let typed = self.entered.as_ref()?;
        let game = self.game_number().filter(|_| self.is_playing() || typed.count() > 0);
        let last = || typed.plies.last()?.as_ref().map(|last| last.before.play(&last.ply));
        let start = || Position::start(self.settings.variant);
        let position = self.entered_position().or_else(last).unwrap_or_else(start);
        Some(EntryStatus {
            is_on: self.is_entry_on(),
            game_type: self.settings.variant.game_type.tag_value(),
            game: game.unwrap_or(self.games.file_count() + 1),
            plies: typed.texts(),
            is_pending: typed.is_pending(),
            fen: fen::write(self.settings.variant, &position.setup()),
            claim: typed.claim.clone().filter(|_| self.is_playing()),
            result: typed.result.clone(),
        })
    }

    /// Returns the entered position, for the display of the board.
    pub(super) fn entered_squares(&self) -> Option<BoardSquares> {
        let position = self.entered_position().filter(|_| self.entered.is_some())?;
        let published = self.games.open_game().map(|game| game.recogniser.position().setup());
        Some(BoardSquares { variant: self.settings.variant, sensed: *position.placement(), published })
    }
}

/// Answers a request for a ply that is known already.
fn compare(entered: &EnteredPly, known: Option<&EnteredMove>) -> Vec<Effect> {
    let EnteredPly { game, ply: number, notation: text, .. } = entered;
    let Some(known) = known else { return refuse_hidden(*game, *number) };
    let stands = &known.text;
    match notation::read(&known.before, text) {
        Ok(ply) if ply == known.ply => {
            vec![Effect::AlreadyDone(format!("ply {number} of game {game} is {stands} already"))]
        }
        Err(error @ notation::MoveError::Ambiguous { .. }) => refusal(error.to_string()),
        Ok(_) | Err(_) => refusal(format!("ply {number} of game {game} is {stands}; take that back first")),
    }
}

fn refuse_hidden(game: u32, number: u32) -> Vec<Effect> {
    refusal(format!("ply {number} of game {game} was not entered, or an arbiter has set up a position after it"))
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}
