//! What the operator asks of a line rather than of a game: to hold publication back for as long as he wants; to begin new logs.

use super::Effect;

/// What would have been published since he asked for it.
#[derive(Clone, Debug, Default)]
pub struct Held(Option<Vec<Effect>>);

/// The wish for a new chain of logs. It is in the log, so a restart knows it too; the new chain does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rotation(bool);

impl Rotation {
    /// He asks for it.
    pub fn ask(&mut self) -> Effect {
        self.0 = true;
        Effect::News("new logs are begun as soon as nothing of a game can be lost".to_owned())
    }

    /// Has he?
    pub fn is_wanted(self) -> bool {
        self.0
    }
}

impl Held {
    /// From now on nothing is published; what would be waits.
    pub fn hold(&mut self) -> Vec<Effect> {
        self.0.get_or_insert_default();
        vec![Effect::News("nothing is published until `release`".to_owned())]
    }

    /// What was held back is published, and everything from now on.
    pub fn release(&mut self) -> Vec<Effect> {
        let Some(held) = self.0.take() else {
            return vec![Effect::News("nothing is held back".to_owned())];
        };
        let lines: usize = held.iter().map(|effect| effect.lines().len()).sum();
        let mut effects = vec![Effect::News(format!("published again; {lines} lines were held back"))];
        effects.extend(held);
        effects
    }

    /// Is anything held back?
    pub fn is_holding(&self) -> bool {
        self.0.is_some()
    }

    /// What of this is not held back.
    pub fn pass(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let Some(held) = &mut self.0 else { return effects };
        let (publications, others): (Vec<_>, Vec<_>) = effects.into_iter().partition(Effect::is_publication);
        held.extend(publications);
        others
    }
}
