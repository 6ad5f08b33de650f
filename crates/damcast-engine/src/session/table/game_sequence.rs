//! Games of a table: the running one and the number of games.

use std::sync::Arc;

use draughts_pdn::clock::Clocks;

use crate::recognition::{Recogniser, Verdict};
use crate::session::game::LiveGame;
use crate::session::request::BoardPairing;
use crate::session::{Effect, LineSettings};

#[derive(Clone, Debug, Default)]
pub(super) enum GamePhase {
    /// No game has been played yet.
    #[default]
    Waiting,
    /// A game is running.
    Playing(Box<LiveGame>),
    /// The last game is over.
    Over,
}

#[derive(Clone, Debug, Default)]
pub(super) struct GameSequence {
    phase: GamePhase,
    /// Last finished game with a file, until another game has a file.
    last_ended: Option<Box<LiveGame>>,
    file_count: u32,
    /// Number of games begun, with or without a file.
    begun_count: u32,
    /// Number of games with a file when the operator set the names.
    files_when_named: Option<u32>,
    /// Last pairing received.
    pairing: Option<Arc<BoardPairing>>,
    /// Pairing and number of the last game with a file and a pairing.
    last_paired_game: Option<(String, u32)>,
    /// Published verdict whose note and effect on the end of the game are still to come.
    pending_verdict: Option<Verdict>,
}

impl GameSequence {
    /// Creates a table without a game, numbered after `file_count` existing files.
    pub fn new(file_count: u32) -> GameSequence {
        GameSequence { file_count, ..GameSequence::default() }
    }

    /// Returns the phase.
    pub fn phase(&self) -> &GamePhase {
        &self.phase
    }

    /// Returns the running game.
    pub fn game(&self) -> Option<&LiveGame> {
        if let GamePhase::Playing(game) = &self.phase { Some(game) } else { None }
    }

    /// Returns mutable access to the running game.
    pub fn game_mut(&mut self) -> Option<&mut LiveGame> {
        if let GamePhase::Playing(game) = &mut self.phase { Some(game) } else { None }
    }

    /// Returns the running game, if it has a file.
    pub fn open_game(&self) -> Option<&LiveGame> {
        self.game().filter(|game| game.file_number().is_some())
    }

    /// Returns mutable access to the recogniser of the running game.
    pub fn recogniser(&mut self) -> Option<&mut Recogniser> {
        self.game_mut().map(|game| &mut game.recogniser)
    }

    /// Starts a game.
    pub fn start_game(&mut self, game: LiveGame) {
        self.begun_count += 1;
        self.set_phase(GamePhase::Playing(Box::new(game)));
    }

    /// Discards the running game, as if none had begun.
    pub fn reset(&mut self) {
        self.phase = GamePhase::Waiting;
    }

    /// Ends the running game.
    pub fn end_game(&mut self) {
        self.set_phase(GamePhase::Over);
    }

    fn set_phase(&mut self, stage: GamePhase) {
        let GamePhase::Playing(game) = std::mem::replace(&mut self.phase, stage) else { return };
        let Some(header) = game.header() else { return };
        if !game.is_void() {
            self.last_ended = Some(game);
            return;
        }
        // Its pairing still has no game, or the one that it was to continue.
        let is_its = |(_, number): &(String, u32)| *number == header.game;
        if self.last_paired_game.as_ref().is_some_and(is_its) {
            self.last_paired_game = header.pairing_id.clone().zip(header.continued_game);
        }
    }

    /// Returns the last finished game with a file, unless a later game has a file.
    pub fn last_ended(&self) -> Option<&LiveGame> {
        self.last_ended.as_deref()
    }

    /// Returns the number of games with a file.
    pub fn file_count(&self) -> u32 {
        self.file_count
    }

    /// Returns the number of games begun, with or without a file.
    pub fn begun_count(&self) -> u32 {
        self.begun_count
    }

    /// Records that the operator set the names.
    pub fn note_names_given(&mut self) {
        self.files_when_named = Some(self.file_count);
    }

    /// Whether the operator set the names for a game that has no file yet.
    pub fn is_next_named(&self) -> bool {
        self.files_when_named == Some(self.file_count)
    }

    /// Sets the pairing of the games that begin later; its tags contain the names.
    pub fn set_pairing(&mut self, pairing: Option<BoardPairing>) {
        self.pairing = pairing.map(Arc::new);
        self.files_when_named = None;
    }

    /// Returns the last pairing received.
    pub fn pairing(&self) -> Option<&Arc<BoardPairing>> {
        self.pairing.as_ref()
    }

    /// Returns the pairing of the game that gets a file next.
    pub fn next_pairing(&self) -> Option<&Arc<BoardPairing>> {
        let is_due = |from: u32| from <= self.file_count + 1 && !self.is_pairing_used();
        self.pairing.as_ref().filter(|pairing| pairing.only_from.is_none_or(is_due))
    }

    /// Whether the only game of the pairing has begun.
    pub fn is_pairing_used(&self) -> bool {
        let only = self.pairing.as_ref().and_then(|pairing| Some((pairing.id.as_str(), pairing.only_from?)));
        let is_its = |(id, number): &(String, u32)| only.is_some_and(|(only, from)| id == only && from <= *number);
        self.last_paired_game.as_ref().is_some_and(is_its)
    }

    /// Whether the only game of the pairing has begun, and is not the running one.
    pub fn is_pairing_over(&self) -> bool {
        self.is_pairing_used() && !self.is_game_of_pairing()
    }

    /// Whether the running game has a file with the last pairing received.
    fn is_game_of_pairing(&self) -> bool {
        let id = self.pairing.as_ref().map(|pairing| pairing.id.as_str());
        self.game().and_then(LiveGame::header).is_some_and(|header| id.is_some() && header.pairing_id.as_deref() == id)
    }

    /// Returns the pairing of the running game, whose file is not published yet. A pairing with one game has no other game then.
    pub fn claim_pairing(&mut self) -> Option<String> {
        let pairing = Arc::clone(self.pairing.as_ref()?);
        let number = self.game().and_then(LiveGame::file_number);
        if pairing.only_from.is_some_and(|from| number.is_none_or(|number| number < from) || self.is_pairing_over()) {
            return None;
        }
        self.last_paired_game = number.map(|number| (pairing.id.clone(), number)).or(self.last_paired_game.take());
        Some(pairing.id.clone())
    }

    /// Opens the file of the running game, unless it has one.
    pub fn open_file(&mut self, settings: &LineSettings) -> Option<Effect> {
        let pairing = self.next_pairing().map(|pairing| pairing.id.clone());
        let GamePhase::Playing(game) = &mut self.phase else { return None };
        if game.file_number().is_some() {
            return None;
        }
        self.last_ended = None;
        self.file_count += 1;
        let effect = game.open_file(self.file_count, settings, pairing.as_deref());
        if let Some(id) = game.header().and_then(|header| header.pairing_id.clone()) {
            self.last_paired_game = Some((id, self.file_count));
        }
        Some(effect)
    }

    /// Converts a verdict to an entry of the file. Also returns whether the file existed already.
    pub fn publish(
        &mut self,
        verdict: &Verdict,
        clocks: Option<Clocks>,
        settings: &LineSettings,
    ) -> Option<(Vec<Effect>, bool)> {
        let opening = self.open_file(settings);
        let is_begun = opening.is_none();
        let GamePhase::Playing(game) = &mut self.phase else { return None };
        let effects = opening.into_iter().chain(game.entry_for(verdict, clocks)).collect();
        Some((effects, is_begun))
    }

    /// Stores a published verdict whose consequences are still to come.
    pub fn set_pending_verdict(&mut self, verdict: Verdict) {
        self.pending_verdict = Some(verdict);
    }

    /// Takes the published verdict whose consequences are still to come.
    pub fn take_pending_verdict(&mut self) -> Option<Verdict> {
        self.pending_verdict.take()
    }

    /// Takes the notices about draws and similar ends for the operator.
    pub fn take_notices(&mut self) -> Vec<Effect> {
        self.game_mut().map(LiveGame::take_notices).unwrap_or_default()
    }
}
