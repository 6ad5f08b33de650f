//! What is played on a table: the game that is going on, and how many there were.

use std::sync::Arc;

use crate::engine::recognition::{Recogniser, Verdict};
use crate::engine::session::game::LiveGame;
use crate::engine::session::request::BoardPairing;
use crate::engine::session::{Effect, LineSettings};
use draughts_pdn::clock::Clocks;

/// What is going on.
#[derive(Clone, Debug)]
pub(super) enum GamePhase {
    /// No game was played yet.
    Waiting,
    /// One is going on.
    Playing(Box<LiveGame>),
    /// The last one is over.
    Over,
}

/// The games of one table.
#[derive(Clone, Debug)]
pub(super) struct GameSequence {
    phase: GamePhase,
    /// The last game that has a file and is over, until another one has a file.
    last_ended: Option<Box<LiveGame>>,
    /// How many have a file.
    file_count: u32,
    /// How many were begun, with a file or not yet.
    begun_count: u32,
    /// How many had a file when the operator said who plays.
    files_when_named: Option<u32>,
    /// What the games that begin from now on play.
    pairing: Option<Arc<BoardPairing>>,
    /// Its entry is published; what it means for the end of the game, and its note, are still to come.
    pending_verdict: Option<Verdict>,
}

impl GameSequence {
    /// None was played yet, but for so many of which files are there.
    pub fn new(file_count: u32) -> GameSequence {
        GameSequence {
            phase: GamePhase::Waiting,
            last_ended: None,
            file_count,
            begun_count: 0,
            files_when_named: None,
            pairing: None,
            pending_verdict: None,
        }
    }

    /// What is going on.
    pub fn phase(&self) -> &GamePhase {
        &self.phase
    }

    /// The game that is going on.
    pub fn game(&self) -> Option<&LiveGame> {
        if let GamePhase::Playing(game) = &self.phase { Some(game) } else { None }
    }

    /// The same, to change it.
    pub fn game_mut(&mut self) -> Option<&mut LiveGame> {
        if let GamePhase::Playing(game) = &mut self.phase { Some(game) } else { None }
    }

    /// The game that is going on, if it has a file.
    pub fn open_game(&self) -> Option<&LiveGame> {
        self.game().filter(|game| game.file_number().is_some())
    }

    /// Tells the recogniser of the game that is going on, if there is one.
    pub fn recogniser(&mut self) -> Option<&mut Recogniser> {
        self.game_mut().map(|game| &mut game.recogniser)
    }

    /// A game begins.
    pub fn start_game(&mut self, game: LiveGame) {
        self.begun_count += 1;
        self.set_phase(GamePhase::Playing(Box::new(game)));
    }

    /// No game is going on, as if none had begun.
    pub fn reset(&mut self) {
        self.phase = GamePhase::Waiting;
    }

    /// The game is over.
    pub fn end_game(&mut self) {
        self.set_phase(GamePhase::Over);
    }

    fn set_phase(&mut self, stage: GamePhase) {
        if let GamePhase::Playing(game) = std::mem::replace(&mut self.phase, stage)
            && game.file_number().is_some()
        {
            self.last_ended = Some(game);
        }
    }

    /// The last game that has a file and is over, if no other has one since.
    pub fn last_ended(&self) -> Option<&LiveGame> {
        self.last_ended.as_deref()
    }

    /// How many games have a file.
    pub fn file_count(&self) -> u32 {
        self.file_count
    }

    /// How many games were begun, with a file or not yet.
    pub fn begun_count(&self) -> u32 {
        self.begun_count
    }

    /// The operator says who plays.
    pub fn note_names_given(&mut self) {
        self.files_when_named = Some(self.file_count);
    }

    /// Did the operator say who plays a game that has no file yet?
    pub fn is_next_named(&self) -> bool {
        self.files_when_named == Some(self.file_count)
    }

    /// The games that begin from now on play this, by its own names.
    pub fn set_pairing(&mut self, pairing: Option<BoardPairing>) {
        self.pairing = pairing.map(Arc::new);
        self.files_when_named = None;
    }

    /// What the games that begin from now on play.
    pub fn pairing(&self) -> Option<&Arc<BoardPairing>> {
        self.pairing.as_ref()
    }

    /// A verdict as an entry of the file. Returns also whether the file was there before.
    pub fn publish(
        &mut self,
        verdict: &Verdict,
        clocks: Option<Clocks>,
        settings: &LineSettings,
    ) -> Option<(Vec<Effect>, bool)> {
        let GamePhase::Playing(game) = &mut self.phase else { return None };
        let is_begun = game.file_number().is_some();
        let pairing = self.pairing.as_ref().map(|pairing| pairing.id.as_str());
        self.last_ended = None;
        Some((game.entry_for(verdict, clocks, settings, pairing, &mut self.file_count), is_begun))
    }

    /// The verdict was published, and what follows from it is still to come.
    pub fn set_pending_verdict(&mut self, verdict: Verdict) {
        self.pending_verdict = Some(verdict);
    }

    /// The verdict that was published last, if what follows from it is still to come.
    pub fn take_pending_verdict(&mut self) -> Option<Verdict> {
        self.pending_verdict.take()
    }

    /// What the operator is to know about draws and the like.
    pub fn take_notices(&mut self) -> Vec<Effect> {
        self.game_mut().map(LiveGame::take_notices).unwrap_or_default()
    }
}
