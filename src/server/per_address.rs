//! The limit on connections per client address, so that one client cannot take all of them (T-75).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;

use super::peer::Peer;
use calendar_edge_core::settings::client_network;

/// The connections of each address, and their limit; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PerAddressLimit(Arc<Mutex<OpenConnections>>);

#[derive(Debug, Default)]
struct OpenConnections {
    /// The most connections of one address; 0: no limit.
    limit: usize,
    /// Proxies, which connect for many clients.
    exempt: Vec<IpNet>,
    open: HashMap<IpNet, usize>,
}

/// The right of one address to one connection, released when dropped.
#[derive(Debug)]
pub(super) struct AddressPermit {
    per_address: PerAddressLimit,
    network: Option<IpNet>,
}

// === impl PerAddressLimit ===

impl PerAddressLimit {
    /// Changes the limit and the exempt networks. Connections beyond a lower limit stay open until they end.
    pub(crate) fn limit(&self, limit: usize, exempt: &[IpNet]) {
        let mut inner = self.lock();
        inner.limit = limit;
        inner.exempt = exempt.to_vec();
    }

    /// Returns a permit, or `None` if the peer's address holds too many connections.
    pub(super) fn acquire(&self, peer: Peer) -> Option<AddressPermit> {
        let mut inner = self.lock();
        // Counted even without a limit, because one may be set while the connection is open.
        let network = peer.address().map(client_network);
        if let Some(network) = network {
            let limit = if peer.is_in(&inner.exempt) { 0 } else { inner.limit };
            let open = inner.open.entry(network).or_default();
            if limit > 0 && *open >= limit {
                return None;
            }
            *open += 1;
        }
        let per_address = self.clone();
        Some(AddressPermit { per_address, network })
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        // No code panics between two steps of a change, so the counts are right even if the lock is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let Some(network) = self.network else { return };
        if let Entry::Occupied(mut open) = self.per_address.lock().open.entry(network) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> Peer {
        Peer {
            remote: Some(address.parse().unwrap()),
            ..Peer::default()
        }
    }

    #[test]
    fn an_address_holds_no_more_than_its_share() {
        let per_address = PerAddressLimit::default();
        per_address.limit(2, &["10.0.0.0/8".parse().unwrap()]);
        let first = per_address.acquire(peer("192.0.2.1:1")).unwrap();
        let _second = per_address.acquire(peer("192.0.2.1:2")).unwrap();

        assert!(per_address.acquire(peer("192.0.2.1:3")).is_none());
        assert!(per_address.acquire(peer("192.0.2.2:1")).is_some());
        let proxied: Vec<_> = (1..9)
            .map(|port| per_address.acquire(peer(&format!("10.0.0.1:{port}"))))
            .collect();
        assert!(proxied.iter().all(Option::is_some));
        assert!(per_address.acquire(Peer::default()).is_some());

        drop(first);
        assert!(per_address.acquire(peer("192.0.2.1:4")).is_some());
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let per_address = PerAddressLimit::default();
        per_address.limit(1, &[]);
        let _first = per_address.acquire(peer("[2001:db8::1]:1")).unwrap();
        assert!(per_address.acquire(peer("[2001:db8::2]:1")).is_none());
        assert!(per_address.acquire(peer("[2001:db8:0:1::1]:1")).is_some());
    }

    #[test]
    fn an_address_without_connections_is_forgotten() {
        let per_address = PerAddressLimit::default();
        for port in 1..100 {
            drop(per_address.acquire(peer(&format!("192.0.2.{port}:1"))));
        }
        assert!(per_address.lock().open.is_empty());
        let open = per_address.acquire(peer("192.0.2.1:1"));
        per_address.limit(1, &[]);
        assert!(per_address.acquire(peer("192.0.2.1:2")).is_none());
        drop(open);
    }
}
