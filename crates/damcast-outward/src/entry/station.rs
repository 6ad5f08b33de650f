//! Connections to the entry socket of the station.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use damcast_control::entry::{EntryClient, EntryMessage, EntryReply};
use tokio::sync::Semaphore;

/// Largest number of parallel requests; the station takes more connections.
const MAX_CONCURRENT: usize = 16;

/// Client of the entry socket; keeps connections open between requests.
pub struct Station {
    sockets: Vec<PathBuf>,
    idle: Arc<Mutex<Vec<EntryClient>>>,
    slots: Semaphore,
}

impl Station {
    /// Creates a client of the first of these sockets at which a station answers.
    pub fn new(sockets: Vec<PathBuf>) -> Station {
        Station { sockets, idle: Arc::default(), slots: Semaphore::new(MAX_CONCURRENT) }
    }

    /// Sends a request. Without an answer the reply says to try again, which does no harm.
    pub async fn request(&self, message: EntryMessage) -> EntryReply {
        let Ok(_slot) = self.slots.acquire().await else { return EntryReply::try_again("the page is closing") };
        let (sockets, idle) = (self.sockets.clone(), Arc::clone(&self.idle));
        let asked = tokio::task::spawn_blocking(move || {
            let kept = lock(&idle).pop();
            // A kept connection may have ended with its station; a new one is tried then.
            if let Some(mut client) = kept
                && let Ok(reply) = client.request(&message)
            {
                lock(&idle).push(client);
                return Ok(reply);
            }
            let mut client = EntryClient::connect(sockets)?;
            let reply = client.request(&message)?;
            lock(&idle).push(client);
            Ok::<_, damcast_control::client::ClientError>(reply)
        });
        match asked.await {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the station does not answer");
                EntryReply::try_again("the station does not answer")
            }
            Err(_) => EntryReply::try_again("the page failed"),
        }
    }
}

fn lock(idle: &Mutex<Vec<EntryClient>>) -> std::sync::MutexGuard<'_, Vec<EntryClient>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
