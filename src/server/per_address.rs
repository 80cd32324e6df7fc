//! The connections of each client address: their limit, and which one makes room when there is none left (T-75, T-88).

use std::collections::HashMap;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::activity::Activity;
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
    open: HashMap<IpNet, AddressConnections>,
    last: u64,
}

/// The open connections of one address, each by its number.
#[derive(Debug, Default)]
struct AddressConnections {
    is_exempt: bool,
    open: HashMap<u64, Arc<Activity>>,
}

/// The right of one address to one connection, released when dropped.
#[derive(Debug)]
pub(super) struct AddressPermit {
    per_address: PerAddressLimit,
    place: Option<(IpNet, u64)>,
    /// The phase of the connection that has the permit.
    pub(super) activity: Arc<Activity>,
}

// === impl PerAddressLimit ===

impl PerAddressLimit {
    /// Changes the limit and the exempt networks. Connections beyond a lower limit stay open until they end.
    pub(crate) fn limit(&self, limit: usize, exempt: &[IpNet]) {
        let mut inner = self.0.lock();
        inner.limit = limit;
        inner.exempt = exempt.to_vec();
    }

    /// Returns a permit, or `None` if the peer's address holds too many connections.
    pub(super) fn acquire(&self, peer: Peer) -> Option<AddressPermit> {
        self.acquire_for(peer, Activity::new())
    }

    fn acquire_for(&self, peer: Peer, activity: Arc<Activity>) -> Option<AddressPermit> {
        let mut inner = self.0.lock();
        let place = match peer.address().map(client_network) {
            Some(network) => Some((network, inner.open(network, peer, &activity)?)),
            None => None,
        };
        let per_address = self.clone();
        Some(AddressPermit {
            per_address,
            place,
            activity,
        })
    }

    /// Lets the connection go that has waited longest for a request, of the address that holds most.
    pub(super) fn make_room(&self) {
        if let Some(activity) = self.0.lock().longest_waiting() {
            activity.make_room();
        }
    }
}

// === impl OpenConnections ===

impl OpenConnections {
    /// Adds a connection and returns its number, unless its address holds too many.
    ///
    /// Connections are counted without a limit as well, because one may be set while they are open.
    fn open(&mut self, network: IpNet, peer: Peer, activity: &Arc<Activity>) -> Option<u64> {
        let is_exempt = peer.is_in(&self.exempt);
        let of_address = self.open.entry(network).or_default();
        of_address.is_exempt = is_exempt;
        if !is_exempt && self.limit > 0 && of_address.open.len() >= self.limit {
            return None;
        }
        self.last += 1;
        of_address.open.insert(self.last, activity.clone());
        Some(self.last)
    }

    /// Of the address with the most connections, the one that has waited longest for a request. Proxies come last: they
    /// connect for many clients.
    fn longest_waiting(&self) -> Option<Arc<Activity>> {
        let waiting = |of_address: &&AddressConnections| of_address.longest_waiting().is_some();
        let most = self.open.values().max_by_key(|of_address| of_address.rank());
        let chosen = most.filter(waiting).or_else(|| {
            let mut others: Vec<_> = self.open.values().collect();
            others.sort_by_key(|of_address| std::cmp::Reverse(of_address.rank()));
            others.into_iter().find(waiting)
        });
        chosen?.longest_waiting().map(|(_, activity)| activity.clone())
    }
}

// === impl AddressConnections ===

impl AddressConnections {
    /// Grows with the right of others to the connections of this address.
    fn rank(&self) -> (bool, usize) {
        (!self.is_exempt, self.open.len())
    }

    fn longest_waiting(&self) -> Option<(Instant, &Arc<Activity>)> {
        let waiting = self
            .open
            .values()
            .filter_map(|activity| Some((activity.waiting_since()?, activity)));
        waiting.min_by_key(|(since, _)| *since)
    }
}

// === impl AddressPermit ===

impl AddressPermit {
    /// A permit of another address for the same connection, which a proxy opened for it.
    pub(super) fn of_client(self, peer: Peer) -> Option<Self> {
        self.per_address.acquire_for(peer, self.activity.clone())
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let Some((network, number)) = self.place else {
            return;
        };
        let mut inner = self.per_address.0.lock();
        if let Some(of_address) = inner.open.get_mut(&network) {
            of_address.open.remove(&number);
            if of_address.open.is_empty() {
                inner.open.remove(&network);
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

    fn open(per_address: &PerAddressLimit, address: &str) -> Option<AddressPermit> {
        per_address.acquire(peer(address))
    }

    #[test]
    fn an_address_holds_no_more_than_its_share() {
        let per_address = PerAddressLimit::default();
        per_address.limit(2, &["10.0.0.0/8".parse().unwrap()]);
        let first = open(&per_address, "192.0.2.1:1").unwrap();
        let _second = open(&per_address, "192.0.2.1:2").unwrap();

        assert!(open(&per_address, "192.0.2.1:3").is_none());
        assert!(open(&per_address, "192.0.2.2:1").is_some());
        let proxied: Vec<_> = (1..9)
            .map(|port| open(&per_address, &format!("10.0.0.1:{port}")))
            .collect();
        assert!(proxied.iter().all(Option::is_some));
        assert!(per_address.acquire(Peer::default()).is_some());

        drop(first);
        assert!(open(&per_address, "192.0.2.1:4").is_some());
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let per_address = PerAddressLimit::default();
        per_address.limit(1, &[]);
        let _first = open(&per_address, "[2001:db8::1]:1").unwrap();
        assert!(open(&per_address, "[2001:db8::2]:1").is_none());
        assert!(open(&per_address, "[2001:db8:0:1::1]:1").is_some());
    }

    #[test]
    fn an_address_without_connections_is_forgotten() {
        let per_address = PerAddressLimit::default();
        for port in 1..100 {
            drop(open(&per_address, &format!("192.0.2.{port}:1")));
        }
        assert!(per_address.0.lock().open.is_empty());
        let held = open(&per_address, "192.0.2.1:1");
        per_address.limit(1, &[]);
        assert!(open(&per_address, "192.0.2.1:2").is_none());
        drop(held);
    }

    /// Holds so many connections of an address, all of them between two requests.
    fn waiting(per_address: &PerAddressLimit, address: &str, count: usize) -> Vec<AddressPermit> {
        (0..count).map(|_| open(per_address, address).unwrap()).collect()
    }

    fn notified(held: &[AddressPermit]) -> Vec<usize> {
        let places = held.iter().enumerate();
        places
            .filter(|(_, permit)| permit.activity.waiting_since().is_none())
            .map(|(place, _)| place)
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_of_the_address_with_most_makes_room() {
        let per_address = PerAddressLimit::default();
        per_address.limit(0, &["10.0.0.0/8".parse().unwrap()]);
        let proxied = waiting(&per_address, "10.0.0.1:1", 9);
        let other = waiting(&per_address, "192.0.2.2:1", 1);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let many = waiting(&per_address, "192.0.2.1:1", 3);
        let running = many[0].activity.begin();
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        drop(many[1].activity.begin());
        per_address.make_room();
        assert_eq!(
            notified(&many),
            [0, 2],
            "the first one is busy, the second one was idle for a shorter time"
        );
        per_address.make_room();
        assert_eq!(notified(&many), [0, 1, 2]);
        assert_eq!((notified(&other).len(), notified(&proxied).len()), (0, 0));
        per_address.make_room();
        assert_eq!((notified(&other).len(), notified(&proxied).len()), (1, 0));
        per_address.make_room();
        assert_eq!(notified(&proxied).len(), 1);
        drop(running);
    }
}
