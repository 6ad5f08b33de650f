//! What the operator asks of a line rather than of a game: to hold publication back for as long as he wants; to begin new logs.

use super::Effect;

/// What would have been published since he asked for it.
#[derive(Clone, Debug, Default)]
pub struct PublicationHold(Option<Vec<Effect>>);

/// The wish for a new chain of logs. It is in the log, so a restart knows it too; the new chain does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationRequest(bool);

impl RotationRequest {
    /// He asks for it.
    pub fn set(&mut self) -> Effect {
        self.0 = true;
        Effect::Info("new logs are begun as soon as nothing of a game can be lost".to_owned())
    }

    /// Has he?
    pub fn is_pending(self) -> bool {
        self.0
    }
}

impl PublicationHold {
    /// From now on nothing is published; what would be waits.
    pub fn begin(&mut self) -> Vec<Effect> {
        self.0.get_or_insert_default();
        vec![Effect::Info("nothing is published until `release`".to_owned())]
    }

    /// What was held back is published, and everything from now on.
    pub fn release(&mut self) -> Vec<Effect> {
        let Some(held) = self.0.take() else {
            return vec![Effect::Info("nothing is held back".to_owned())];
        };
        let lines: usize = held.iter().map(|effect| effect.lines().len()).sum();
        let mut effects = vec![Effect::Info(format!("published again; {lines} lines were held back"))];
        effects.extend(held);
        effects
    }

    /// Is anything held back?
    pub fn is_holding(&self) -> bool {
        self.0.is_some()
    }

    /// What of this is not held back.
    pub fn filter(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let Some(held) = &mut self.0 else { return effects };
        let (publications, others): (Vec<_>, Vec<_>) = effects.into_iter().partition(Effect::is_publication);
        held.extend(publications);
        others
    }
}
