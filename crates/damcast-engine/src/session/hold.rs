//! Operator requests about a line rather than a game: holding publication and starting new logs.

use super::Effect;

/// Effects that wait for the release of the hold; `None` without a hold.
#[derive(Clone, Debug, Default)]
pub struct PublicationHold(Option<Vec<Effect>>);

/// Request for a new chain of logs. It is part of the log, so a restart restores it; the new chain starts without it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationRequest(bool);

impl RotationRequest {
    /// Records the request.
    pub fn set(&mut self) -> Effect {
        self.0 = true;
        Effect::Info("new logs are begun as soon as nothing of a game can be lost".to_owned())
    }

    /// Whether the request is pending.
    pub fn is_pending(self) -> bool {
        self.0
    }
}

impl PublicationHold {
    /// Holds publication and buffers its effects.
    pub fn begin(&mut self) -> Vec<Effect> {
        self.0.get_or_insert_default();
        vec![Effect::Info("nothing is published until `release`".to_owned())]
    }

    /// Ends the hold and returns the buffered effects.
    pub fn release(&mut self) -> Vec<Effect> {
        let Some(held) = self.0.take() else {
            return vec![Effect::Info("nothing is held back".to_owned())];
        };
        let lines: usize = held.iter().map(|effect| effect.lines().len()).sum();
        let mut effects = vec![Effect::Info(format!("published again; lines held back until now: {lines}"))];
        effects.extend(held);
        effects
    }

    /// Whether publication is on hold.
    pub fn is_holding(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the effects that may pass; buffers publications while the hold lasts.
    pub fn filter(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let Some(held) = &mut self.0 else { return effects };
        let (publications, others): (Vec<_>, Vec<_>) = effects.into_iter().partition(Effect::is_publication);
        held.extend(publications);
        others
    }
}
