//! Bounds the logins that are being checked, so that guesses take neither the memory of the desk nor the places of others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Largest number of logins that are checked or wait for it.
const MAX_LOGINS: usize = 8;
/// Largest number of them from one address.
const MAX_LOGINS_PER_ADDRESS: usize = 2;

/// Logins under way, by address.
#[derive(Default)]
pub struct LoginQueue(Mutex<HashMap<IpAddr, usize>>);

/// Place of a login, released when dropped.
pub struct LoginPlace<'q> {
    queue: &'q LoginQueue,
    address: IpAddr,
}

impl LoginQueue {
    /// Takes a place; `None` if there is none for this address.
    pub fn enter(&self, address: IpAddr) -> Option<LoginPlace<'_>> {
        let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = under_way.get(&address).copied().unwrap_or_default();
        if under_way.values().sum::<usize>() >= MAX_LOGINS || of_address >= MAX_LOGINS_PER_ADDRESS {
            return None;
        }
        under_way.insert(address, of_address + 1);
        Some(LoginPlace { queue: self, address })
    }
}

impl Drop for LoginPlace<'_> {
    fn drop(&mut self) {
        let mut under_way = self.queue.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = under_way.get_mut(&self.address) {
            *count -= 1;
        }
        under_way.retain(|_, count| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_takes_two_places_and_all_take_eight() {
        let queue = LoginQueue::default();
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let mut places = vec![queue.enter(address(1)).unwrap(), queue.enter(address(1)).unwrap()];
        assert!(queue.enter(address(1)).is_none());
        places.extend((2..8).map(|last| queue.enter(address(last)).unwrap()));
        assert!(queue.enter(address(9)).is_none());
        places.pop();
        assert!(queue.enter(address(9)).is_some());
        drop(places);
        assert!(queue.0.lock().unwrap().is_empty());
    }
}
