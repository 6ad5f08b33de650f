//! Limits clients of the socket and requests per user, so that a faulty client neither blocks others nor fills the disk.
//!
//! | subject | limit |
//! |---|---|
//! | clients | [`MAX_CLIENTS`], [`RESERVED_SLOTS`] of them for root and the user of the station |
//! | clients of one other user | [`MAX_CLIENTS_PER_USER`] |
//! | requests of one user, root included | [`BURST`], and one more per [`REQUEST_INTERVAL`] |
//! | login codes that one user tries | the same, counted apart: guesses take nothing of what members of the desk may ask |
//!
//! Requests beyond this wait for a moment; if the wait becomes too long, they are refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use damcast_control::ClientRequest;

use super::peer::Peer;

use crate::locks::lock;

/// Maximum number of clients; another one is refused with a reason.
pub const MAX_CLIENTS: usize = 16;
/// Slots reserved for root and the user of the station.
pub const RESERVED_SLOTS: usize = 4;
/// Maximum number of clients of any other user.
pub const MAX_CLIENTS_PER_USER: usize = 6;
/// Requests accepted without a wait: one for each board of a hall.
pub const BURST: u32 = 128;
/// Interval of further requests after a burst.
pub const REQUEST_INTERVAL: Duration = Duration::from_secs(1);
/// Longest wait of a request; beyond it the request is refused at once.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// All slots of a socket.
#[derive(Clone, Default)]
pub struct ClientSlots(Arc<Mutex<BTreeMap<u32, Usage>>>);

/// Usage by one user.
#[derive(Default)]
struct Usage {
    clients: usize,
    is_reserved: bool,
    /// Time at which the budget of requests is full again.
    used_until: Option<Instant>,
    /// Time at which the budget of login codes is full again.
    logins_until: Option<Instant>,
}

/// Slot of one client, released when dropped.
pub struct ClientSlot {
    places: ClientSlots,
    user: u32,
}

impl ClientSlots {
    /// Acquires a slot for a client.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if no slot is left.
    pub fn acquire(&self, peer: &Peer) -> Result<ClientSlot, &'static str> {
        let mut usages = lock(&self.0);
        let now = Instant::now();
        usages.retain(|_, usage| {
            let spent = [usage.used_until, usage.logins_until];
            usage.clients > 0 || spent.into_iter().flatten().any(|until| until > now)
        });
        let all: usize = usages.values().map(|usage| usage.clients).sum();
        let others: usize = usages.values().filter(|usage| !usage.is_reserved).map(|usage| usage.clients).sum();
        let is_kept = peer.is_trusted();
        let usage = usages.entry(peer.user()).or_default();
        if all >= MAX_CLIENTS || !is_kept && others >= MAX_CLIENTS - RESERVED_SLOTS {
            return Err("too many clients are connected; try again in a minute");
        }
        if !is_kept && usage.clients >= MAX_CLIENTS_PER_USER {
            return Err("too many clients of this user are connected; end one of them");
        }
        usage.is_reserved = is_kept;
        usage.clients += 1;
        Ok(ClientSlot { places: self.clone(), user: peer.user() })
    }
}

impl ClientSlot {
    /// Returns how long a new request must wait; `None` if it is refused.
    pub fn wait_time(&self, request: &ClientRequest, now: Instant) -> Option<Duration> {
        let mut usages = lock(&self.places.0);
        let usage = usages.entry(self.user).or_default();
        let budget = match request {
            ClientRequest::Redeem { .. } => &mut usage.logins_until,
            _ => &mut usage.used_until,
        };
        let used_until = budget.map_or(now, |until| until.max(now)) + REQUEST_INTERVAL;
        let wait = used_until.saturating_duration_since(now + REQUEST_INTERVAL * BURST);
        if wait > MAX_WAIT {
            return None;
        }
        *budget = Some(used_until);
        Some(wait)
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        if let Some(usage) = lock(&self.places.0).get_mut(&self.user) {
            usage.clients -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: u32) -> Peer {
        Peer::with_user(number)
    }

    const RELOAD: ClientRequest = ClientRequest::Reload { until: None };

    /// Users other than root and the one who runs the tests.
    const JAN: u32 = 4_000_000_001;
    const EVA: u32 = 4_000_000_002;

    #[test]
    fn clients_cannot_take_places_of_others_or_root() {
        let places = ClientSlots::default();
        let take_all = |number: u32| {
            let mut taken = Vec::new();
            while let Ok(place) = places.acquire(&user(number)) {
                taken.push(place);
            }
            taken
        };
        let of_jan = take_all(JAN);
        assert_eq!(of_jan.len(), MAX_CLIENTS_PER_USER);
        assert!(places.acquire(&user(JAN)).is_err_and(|why| why.contains("of this user")));
        let (of_eva, of_ida) = (take_all(EVA), take_all(EVA + 1));
        assert_eq!(of_jan.len() + of_eva.len() + of_ida.len(), MAX_CLIENTS - RESERVED_SLOTS);
        assert!(places.acquire(&user(EVA + 2)).is_err_and(|why| why.contains("too many clients are connected")));
        let of_root = take_all(0);
        assert_eq!(of_root.len(), RESERVED_SLOTS, "root and the user of the station have theirs");
        drop(of_jan);
        assert!(places.acquire(&user(EVA + 2)).is_ok());
        drop((of_eva, of_ida, of_root));
        assert_eq!(take_all(0).len(), MAX_CLIENTS);
        assert!(lock(&places.0).values().all(|usage| usage.clients == 0));
    }

    #[test]
    fn user_may_request_in_short_bursts() {
        let places = ClientSlots::default();
        let (first, second) = (places.acquire(&user(JAN)).unwrap(), places.acquire(&user(JAN)).unwrap());
        let eva = places.acquire(&user(EVA)).unwrap();
        let start = Instant::now();
        let mut taken = 0;
        for request in 0..1000 {
            let place = if request % 2 == 0 { &first } else { &second };
            taken += u32::from(place.wait_time(&RELOAD, start).is_some_and(|wait| wait.is_zero()));
        }
        assert_eq!(taken, BURST, "whatever number of clients he has");
        assert_eq!(first.wait_time(&RELOAD, start), None);
        let login = ClientRequest::Redeem { code: "000000".to_owned(), address: [10, 0, 0, 1].into() };
        assert_eq!(first.wait_time(&login, start), Some(Duration::ZERO), "logins are counted apart");
        assert_eq!(eva.wait_time(&RELOAD, start), Some(Duration::ZERO), "others are not kept waiting");
        // From here at most one request per second is accepted, after a short wait.
        drop((first, second));
        let again = places.acquire(&user(JAN)).unwrap();
        let mut taken = 0;
        for tenth in 0..1000 {
            let turn = again.wait_time(&RELOAD, start + Duration::from_millis(100 * tenth));
            assert!(turn.is_none_or(|wait| wait <= MAX_WAIT));
            taken += usize::from(turn.is_some());
        }
        assert!((95..=105).contains(&taken), "{taken} in 100 s");
        // After a rest the whole burst is available again.
        let later = start + Duration::from_secs(1000);
        assert!((0..BURST).all(|_| again.wait_time(&RELOAD, later) == Some(Duration::ZERO)));
    }
}
