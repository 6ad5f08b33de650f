//! What is played on a table: the game that is going on, and how many there were.

use std::sync::Arc;

use crate::engine::recognition::{Recogniser, Verdict};
use crate::engine::session::game::LiveGame;
use crate::engine::session::request::Pairing;
use crate::engine::session::{Effect, LineSettings};
use draughts_pdn::clock::Clocks;

/// What is going on.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// No game was played yet.
    Waiting,
    /// One is going on.
    Playing(Box<LiveGame>),
    /// The last one is over.
    Over,
}

/// The games of one table.
#[derive(Clone, Debug)]
pub(super) struct Play {
    stage: Stage,
    /// The last game that has a file and is over, until another one has a file.
    ended: Option<Box<LiveGame>>,
    /// How many have a file.
    files: u32,
    /// How many were begun, with a file or not yet.
    begun: u32,
    /// How many had a file when the operator said who plays.
    named_after: Option<u32>,
    /// What the games that begin from now on play.
    pairing: Option<Arc<Pairing>>,
    /// Its entry is published; what it means for the end of the game, and its note, are still to come.
    published: Option<Verdict>,
}

impl Play {
    /// None was played yet, but for so many of which files are there.
    pub fn new(files: u32) -> Play {
        Play { stage: Stage::Waiting, ended: None, files, begun: 0, named_after: None, pairing: None, published: None }
    }

    /// What is going on.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The game that is going on.
    pub fn game(&self) -> Option<&LiveGame> {
        if let Stage::Playing(game) = &self.stage { Some(game) } else { None }
    }

    /// The same, to change it.
    pub fn game_mut(&mut self) -> Option<&mut LiveGame> {
        if let Stage::Playing(game) = &mut self.stage { Some(game) } else { None }
    }

    /// The game that is going on, if it has a file.
    pub fn open_game(&self) -> Option<&LiveGame> {
        self.game().filter(|game| game.number().is_some())
    }

    /// Tells the recogniser of the game that is going on, if there is one.
    pub fn recogniser(&mut self) -> Option<&mut Recogniser> {
        self.game_mut().map(|game| &mut game.recogniser)
    }

    /// A game begins.
    pub fn begin(&mut self, game: LiveGame) {
        self.begun += 1;
        self.turn(Stage::Playing(Box::new(game)));
    }

    /// No game is going on, as if none had begun.
    pub fn wait(&mut self) {
        self.stage = Stage::Waiting;
    }

    /// The game is over.
    pub fn end(&mut self) {
        self.turn(Stage::Over);
    }

    fn turn(&mut self, stage: Stage) {
        if let Stage::Playing(game) = std::mem::replace(&mut self.stage, stage)
            && game.number().is_some()
        {
            self.ended = Some(game);
        }
    }

    /// The last game that has a file and is over, if no other has one since.
    pub fn ended(&self) -> Option<&LiveGame> {
        self.ended.as_deref()
    }

    /// How many games have a file.
    pub fn files(&self) -> u32 {
        self.files
    }

    /// How many games were begun, with a file or not yet.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// The operator says who plays.
    pub fn named(&mut self) {
        self.named_after = Some(self.files);
    }

    /// Did the operator say who plays a game that has no file yet?
    pub fn is_next_named(&self) -> bool {
        self.named_after == Some(self.files)
    }

    /// The games that begin from now on play this, by its own names.
    pub fn pair(&mut self, pairing: Option<Pairing>) {
        self.pairing = pairing.map(Arc::new);
        self.named_after = None;
    }

    /// What the games that begin from now on play.
    pub fn pairing(&self) -> Option<&Arc<Pairing>> {
        self.pairing.as_ref()
    }

    /// A verdict as an entry of the file. Returns also whether the file was there before.
    pub fn publish(
        &mut self,
        verdict: &Verdict,
        clocks: Option<Clocks>,
        settings: &LineSettings,
    ) -> Option<(Vec<Effect>, bool)> {
        let Stage::Playing(game) = &mut self.stage else { return None };
        let is_begun = game.number().is_some();
        let pairing = self.pairing.as_ref().map(|pairing| pairing.id.as_str());
        self.ended = None;
        Some((game.publish(verdict, clocks, settings, pairing, &mut self.files), is_begun))
    }

    /// The verdict was published, and what follows from it is still to come.
    pub fn has_published(&mut self, verdict: Verdict) {
        self.published = Some(verdict);
    }

    /// The verdict that was published last, if what follows from it is still to come.
    pub fn take_published(&mut self) -> Option<Verdict> {
        self.published.take()
    }

    /// What the operator is to know about draws and the like.
    pub fn news(&mut self) -> Vec<Effect> {
        self.game_mut().map(LiveGame::news).unwrap_or_default()
    }
}
