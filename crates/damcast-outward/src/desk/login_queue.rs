//! Bounds the logins that are being checked, so that guesses take neither the memory of the desk nor the places of others.
//!
//! When all places are taken, a new login takes the place of a waiting one: of the address with the most logins in the last minute, if that
//! address has more of them than the new login's. So an operator who logs in once gets through a flood of guesses from many addresses.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Largest number of logins that are checked or wait for it.
const MAX_LOGINS: usize = 8;
/// Largest number of them from one address.
const MAX_LOGINS_PER_ADDRESS: usize = 2;
/// Time after which an address counts as one that never asked.
const MEMORY: Duration = Duration::from_secs(60);
/// Largest number of addresses whose logins are counted; beyond it the counts of those that asked longest ago are forgotten.
const MAX_ADDRESSES: usize = 10_000;

/// Logins under way.
#[derive(Default)]
pub struct LoginQueue(Mutex<QueueState>);

#[derive(Default)]
struct QueueState {
    under_way: Vec<Login>,
    /// Number of logins of each address, and the time of its last.
    asked: HashMap<IpAddr, (u32, Instant)>,
    last_id: u64,
}

struct Login {
    id: u64,
    address: IpAddr,
    /// Whether it is being checked: it is not displaced then, because its pause protects against guesses.
    is_checked: bool,
    displaced: Arc<Notify>,
}

/// Place of a login, released when dropped.
pub struct LoginPlace<'q> {
    queue: &'q LoginQueue,
    id: u64,
    displaced: Arc<Notify>,
}

impl LoginQueue {
    /// Takes a place; `None` if there is none for this address.
    pub fn enter(&self, address: IpAddr, now: Instant) -> Option<LoginPlace<'_>> {
        let mut state = self.state();
        let asked = state.count(address, now);
        if state.under_way.iter().filter(|login| login.address == address).count() >= MAX_LOGINS_PER_ADDRESS {
            return None;
        }
        if state.under_way.len() >= MAX_LOGINS {
            let waiting = state.under_way.iter().enumerate().filter(|(_, login)| !login.is_checked);
            let count = |login: &Login| state.asked.get(&login.address).map_or(0, |(count, _)| *count);
            let (index, most) = waiting.map(|(index, login)| (index, count(login))).max_by_key(|(_, count)| *count)?;
            if most <= asked {
                return None;
            }
            state.under_way.remove(index).displaced.notify_one();
        }
        state.last_id += 1;
        let (id, displaced) = (state.last_id, Arc::new(Notify::new()));
        state.under_way.push(Login { id, address, is_checked: false, displaced: Arc::clone(&displaced) });
        Some(LoginPlace { queue: self, id, displaced })
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Counts a login of an address. Returns how many there were in the last minute.
    fn count(&mut self, address: IpAddr, now: Instant) -> u32 {
        if self.asked.len() >= MAX_ADDRESSES && !self.asked.contains_key(&address) {
            self.asked.retain(|_, (_, last)| now.saturating_duration_since(*last) < MEMORY);
            if self.asked.len() >= MAX_ADDRESSES {
                self.asked.clear();
            }
        }
        let (count, last) = self.asked.entry(address).or_insert((0, now));
        if now.saturating_duration_since(*last) >= MEMORY {
            *count = 0;
        }
        (*count, *last) = (count.saturating_add(1), now);
        *count
    }
}

impl LoginPlace<'_> {
    /// Marks the login as being checked: it keeps its place from now on. Returns `false` if the place was taken before.
    pub fn begin(&self) -> bool {
        let mut state = self.queue.state();
        let own = state.under_way.iter_mut().find(|login| login.id == self.id);
        own.map(|login| login.is_checked = true).is_some()
    }

    /// Completes when another login has taken the place.
    pub async fn displaced(&self) {
        self.displaced.notified().await;
    }
}

impl Drop for LoginPlace<'_> {
    fn drop(&mut self) {
        self.queue.state().under_way.retain(|login| login.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn address_takes_two_places_and_all_take_eight() {
        let (queue, now) = (LoginQueue::default(), Instant::now());
        let mut places = vec![queue.enter(address(1), now).unwrap(), queue.enter(address(1), now).unwrap()];
        assert!(queue.enter(address(1), now).is_none());
        places.extend((2..8).map(|last| queue.enter(address(last), now).unwrap()));
        places.iter().for_each(|place| assert!(place.begin()));
        assert!(queue.enter(address(9), now).is_none(), "logins that are checked keep their places");
        places.pop();
        assert!(queue.enter(address(9), now).is_some());
        drop(places);
        assert!(queue.state().under_way.is_empty());
    }

    #[test]
    fn address_with_fewest_logins_takes_place() {
        let (queue, now) = (LoginQueue::default(), Instant::now());
        let ask = |last: u8, now| queue.enter(address(last), now);
        // Strangers who were refused, or wrong, before.
        (1..=8).for_each(|last| drop(ask(last, now)));
        let waiting: Vec<_> = (1..=8).map(|last| ask(last, now).unwrap()).collect();
        assert!(waiting[0].begin());
        let operator = ask(99, now).unwrap();
        assert!(!waiting[7].begin() && waiting[6].begin() && operator.begin());
        assert!(ask(3, now).is_none(), "an address with more logins takes no place");
        drop((waiting, operator));
        let later = now + MEMORY;
        let waiting: Vec<_> = (1..=8).map(|last| ask(last, later).unwrap()).collect();
        assert!(ask(100, later).is_none() && waiting.iter().all(LoginPlace::begin), "all asked once in this minute");
    }
}
