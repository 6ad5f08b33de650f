//! Client of the control socket: sends requests as `damcast ctl` does, and watches the state.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use damcast_control::client::Client;
use damcast_control::overview::Overview;
use damcast_control::{ClientMessage, ClientRequest, DeskUser, Reply};
use tokio::sync::{Semaphore, watch};

/// Delay before the next attempt to reach the station.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Shortest interval between states of the station, in ms.
const MIN_INTERVAL_MS: u64 = 400;
/// Largest number of parallel requests. The socket allows six connections per user; the watch and logins need one each.
const MAX_CONCURRENT: usize = 4;

/// Last state of the station.
#[derive(Clone, Default, Debug)]
pub struct StationState {
    /// State; `None` before the first.
    pub state: Option<Arc<Overview>>,
    /// Reason why the station does not answer; the state is old then.
    pub error: Option<String>,
}

/// Client of the station's control socket.
pub struct StationClient {
    sockets: Vec<PathBuf>,
    slots: Semaphore,
    /// Place of a login, so that guesses of codes take no place of members.
    login_slot: Semaphore,
    state: watch::Receiver<StationState>,
}

impl StationClient {
    /// Starts the thread that watches the station, and tells it the address of the desk.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread cannot be started.
    pub fn spawn(sockets: Vec<PathBuf>, address: String) -> io::Result<Arc<StationClient>> {
        let (sender, state) = watch::channel(StationState::default());
        let of_thread = sockets.clone();
        std::thread::Builder::new()
            .name("station".to_owned())
            .spawn(move || watch_station(&of_thread, &address, &sender))?;
        Ok(Arc::new(StationClient {
            sockets,
            slots: Semaphore::new(MAX_CONCURRENT),
            login_slot: Semaphore::new(1),
            state,
        }))
    }

    /// Returns a receiver of the last and all further states.
    pub fn state(&self) -> watch::Receiver<StationState> {
        self.state.clone()
    }

    /// Sends a request for a user. Without an answer, the reply reports an unknown outcome.
    pub async fn request(&self, desk_user: Option<DeskUser>, request: ClientRequest) -> Reply {
        let is_login = matches!(request, ClientRequest::Redeem { .. });
        let slots = if is_login { &self.login_slot } else { &self.slots };
        let Ok(_place) = slots.acquire().await else { return Reply::error("the desk is closing") };
        let sockets = self.sockets.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let patience = request.timeout();
            let mut client = match Client::connect(sockets) {
                Ok(client) => client,
                Err(error) => return Reply::error(error.to_string()),
            };
            client.request(ClientMessage { user: desk_user, request }, patience, |_| {}).unwrap_or_else(|error| {
                Reply::unknown(format!("{error}; it is not known whether this was done, and it will not be done later"))
            })
        });
        asked
            .await
            .unwrap_or_else(|_| Reply::unknown("the desk failed while it asked; the log says whether it was done"))
    }
}

/// Reply of the station, cached for all who need it: the station accepts about one request a second of a user. One asks, others wait.
#[derive(Default)]
pub struct CachedReply(tokio::sync::Mutex<Option<(Instant, Arc<Reply>)>>);

/// Lifetime of a cached reply.
const CACHE_TIME: Duration = Duration::from_secs(3);

impl CachedReply {
    /// Returns the cached reply, or asks the station.
    pub async fn answer(&self, station: &StationClient, question: ClientRequest) -> Arc<Reply> {
        let mut known = self.0.lock().await;
        if let Some((at, reply)) = &*known
            && at.elapsed() < CACHE_TIME
        {
            return reply.clone();
        }
        let reply = Arc::new(station.request(None, question).await);
        *known = reply.ok.then(|| (Instant::now(), reply.clone()));
        reply
    }

    /// Forgets the reply.
    pub async fn clear(&self) {
        *self.0.lock().await = None;
    }
}

/// Watches the station until all receivers are dropped.
fn watch_station(sockets: &[PathBuf], address: &str, state: &watch::Sender<StationState>) {
    while !state.is_closed() {
        let trouble = match watch_once(sockets, address, state) {
            Ok(()) => return,
            Err(trouble) => trouble,
        };
        state.send_if_modified(|state| {
            let is_new = state.error.as_ref() != Some(&trouble);
            state.error = Some(trouble);
            is_new
        });
        std::thread::sleep(RETRY_INTERVAL);
    }
}

fn watch_once(sockets: &[PathBuf], address: &str, station_state: &watch::Sender<StationState>) -> Result<(), String> {
    let mut client = Client::connect(sockets.to_vec()).map_err(|error| error.to_string())?;
    let request = ClientRequest::Watch { interval_ms: Some(MIN_INTERVAL_MS), desk: Some(address.to_owned()) };
    let mut reply = client.request(request.clone(), request.timeout(), |_| {}).map_err(|error| error.to_string())?;
    loop {
        let state = match reply {
            Reply { status: Some(state), .. } => Arc::from(state),
            Reply { error, .. } => return Err(error.unwrap_or_else(|| "the station tells no state".to_owned())),
        };
        station_state.send_replace(StationState { state: Some(state), error: None });
        if station_state.is_closed() {
            return Ok(());
        }
        reply = client.next_reply().map_err(|error| error.to_string())?;
    }
}
