//! The control socket: asked as `damcast ctl` asks it, and watched.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use crate::station::operate::control::client::Client;
use crate::station::operate::control::{ClientMessage, ClientRequest, DeskUser, Reply};
use crate::station::operate::overview::Overview;

/// A station that does not answer is looked for again after this.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// How often it tells its state at most.
const MIN_INTERVAL_MS: u64 = 400;
/// One user has six places at the socket; one of them watches.
const MAX_CONCURRENT: usize = 4;

/// What the station told last.
#[derive(Clone, Default, Debug)]
pub struct StationState {
    /// Its state; `None`: it has told none.
    pub state: Option<Arc<Overview>>,
    /// Why it does not answer; what it told last is old then.
    pub error: Option<String>,
}

/// The station.
pub struct StationClient {
    sockets: Vec<PathBuf>,
    slots: Semaphore,
    told: watch::Receiver<StationState>,
}

impl StationClient {
    /// Begins to watch it.
    ///
    /// # Errors
    ///
    /// When there can be no thread.
    pub fn spawn(sockets: Vec<PathBuf>) -> io::Result<Arc<StationClient>> {
        let (sender, told) = watch::channel(StationState::default());
        let of_thread = sockets.clone();
        std::thread::Builder::new().name("station".to_owned()).spawn(move || watch_station(&of_thread, &sender))?;
        Ok(Arc::new(StationClient { sockets, slots: Semaphore::new(MAX_CONCURRENT), told }))
    }

    /// What it told last, and what it tells from now on.
    pub fn state(&self) -> watch::Receiver<StationState> {
        self.told.clone()
    }

    /// Asks it for somebody. Without an answer the reply says that it is not known what became of it.
    pub async fn request(&self, who: Option<DeskUser>, request: ClientRequest) -> Reply {
        let Ok(_place) = self.slots.acquire().await else { return Reply::error("the desk is closing") };
        let sockets = self.sockets.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let patience = request.timeout();
            let mut client = match Client::connect(sockets) {
                Ok(client) => client,
                Err(error) => return Reply::error(error.to_string()),
            };
            client.request(ClientMessage { user: who, request }, patience, |_| {}).unwrap_or_else(|error| {
                Reply::unknown(format!("{error}; it is not known whether this was done, and it will not be done later"))
            })
        });
        asked
            .await
            .unwrap_or_else(|_| Reply::unknown("the desk failed while it asked; the log says whether it was done"))
    }
}

/// Ends when nobody looks any more.
fn watch_station(sockets: &[PathBuf], told: &watch::Sender<StationState>) {
    while !told.is_closed() {
        let trouble = match watch_once(sockets, told) {
            Ok(()) => return,
            Err(trouble) => trouble,
        };
        told.send_if_modified(|told| {
            let is_new = told.error.as_ref() != Some(&trouble);
            told.error = Some(trouble);
            is_new
        });
        std::thread::sleep(RETRY_INTERVAL);
    }
}

fn watch_once(sockets: &[PathBuf], told: &watch::Sender<StationState>) -> Result<(), String> {
    let mut client = Client::connect(sockets.to_vec()).map_err(|error| error.to_string())?;
    let request = ClientRequest::Watch { interval_ms: Some(MIN_INTERVAL_MS) };
    let mut reply = client.request(request.clone(), request.timeout(), |_| {}).map_err(|error| error.to_string())?;
    loop {
        let state = match reply {
            Reply { status: Some(state), .. } => Arc::from(state),
            Reply { error, .. } => return Err(error.unwrap_or_else(|| "the station tells no state".to_owned())),
        };
        told.send_replace(StationState { state: Some(state), error: None });
        if told.is_closed() {
            return Ok(());
        }
        reply = client.next_reply().map_err(|error| error.to_string())?;
    }
}
