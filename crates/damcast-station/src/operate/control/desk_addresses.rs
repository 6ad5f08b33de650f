//! Addresses of the desks that watch the station, each while its connection lasts.

use std::sync::{Arc, Mutex};

use crate::locks::lock;

/// Addresses of desks, shared by all connections.
#[derive(Clone, Default)]
pub struct DeskAddresses(Arc<Mutex<Vec<String>>>);

/// Address that counts until this is dropped.
pub struct ShownAddress {
    all: DeskAddresses,
    address: String,
}

impl DeskAddresses {
    /// Adds the address of a desk that has begun to watch.
    #[must_use]
    pub fn add(&self, address: String) -> ShownAddress {
        lock(&self.0).push(address.clone());
        ShownAddress { all: self.clone(), address }
    }

    /// Returns the address of the desk that began last.
    pub fn last(&self) -> Option<String> {
        lock(&self.0).last().cloned()
    }
}

impl Drop for ShownAddress {
    fn drop(&mut self) {
        let mut addresses = lock(&self.all.0);
        if let Some(at) = addresses.iter().position(|address| *address == self.address) {
            addresses.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_counts_while_desk_watches() {
        let addresses = DeskAddresses::default();
        let first = addresses.add("http://127.0.0.1:8081/".to_owned());
        let second = addresses.add("http://127.0.0.1:8082/".to_owned());
        assert_eq!(addresses.last().as_deref(), Some("http://127.0.0.1:8082/"));
        drop(second);
        assert_eq!(addresses.last().as_deref(), Some("http://127.0.0.1:8081/"));
        drop(first);
        assert_eq!(addresses.last(), None);
    }
}
