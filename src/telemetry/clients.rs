//! Requests of the last minutes by client: who asks most, in bounded memory.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use ipnet::IpNet;
use parking_lot::Mutex;
use serde::{Serialize, Serializer};

use calendar_edge_core::settings::client_network;

/// The time after which counts begin anew.
const SLOT: Duration = Duration::from_mins(1);

/// The slots that are kept, the running one included.
const SLOTS: u64 = 5;

/// Maximum clients of a slot. One more takes the place of the client with the fewest requests, whose counts go to the
/// others.
const MOST: usize = 256;

/// The requests of the last five minutes of one edge; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct ClientSums(Arc<ClientSlots>);

#[derive(Debug)]
struct ClientSlots {
    began: Instant,
    /// The oldest first.
    slots: Mutex<VecDeque<ClientSlot>>,
}

/// The requests of one minute.
#[derive(Debug, Default)]
struct ClientSlot {
    /// Minutes since the start.
    number: u64,
    clients: HashMap<IpNet, AddressCounts, RandomState>,
    others: AddressCounts,
}

/// The requests of one client, or of all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct AddressCounts {
    /// All of them.
    requests: u64,
    /// Those that the edge answered with an error of its own.
    refused: u64,
}

/// The clients with most requests.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct BusiestClients {
    /// The time that is counted: up to five minutes, and less after a start.
    window_seconds: u64,
    /// Most requests first.
    clients: Vec<BusyClient>,
    /// The requests of all other clients with an address.
    others: AddressCounts,
}

#[derive(Debug, PartialEq, Serialize)]
struct BusyClient {
    /// The network that counts as one client.
    #[serde(serialize_with = "as_address")]
    address: IpNet,
    #[serde(flatten)]
    counts: AddressCounts,
}

// === impl ClientSums ===

impl Default for ClientSums {
    fn default() -> Self {
        Self(Arc::new(ClientSlots {
            began: Instant::now(),
            slots: Mutex::default(),
        }))
    }
}

impl ClientSums {
    /// Counts a request that ends now.
    pub(crate) fn count(&self, client: IpAddr, is_refused: bool, now: Instant) {
        let number = self.number(now);
        let counts = AddressCounts {
            requests: 1,
            refused: u64::from(is_refused),
        };
        let mut slots = self.0.slots.lock();
        if slots.back().is_none_or(|slot| slot.number < number) {
            slots.push_back(ClientSlot {
                number,
                ..ClientSlot::default()
            });
        }
        while slots.front().is_some_and(|slot| slot.number + SLOTS <= number) {
            slots.pop_front();
        }
        if let Some(slot) = slots.back_mut() {
            slot.add(client_network(client), counts);
        }
    }

    /// The ten clients with most requests.
    pub(crate) fn busiest_now(&self) -> BusiestClients {
        const SHOWN: usize = 10;
        self.busiest(SHOWN, Instant::now())
    }

    /// So many clients with most requests.
    fn busiest(&self, most: usize, now: Instant) -> BusiestClients {
        let number = self.number(now);
        let oldest = (number + 1).saturating_sub(SLOTS);
        let mut clients: HashMap<IpNet, AddressCounts> = HashMap::new();
        let mut others = AddressCounts::default();
        let slots = self.0.slots.lock();
        for slot in slots.iter().filter(|slot| slot.number >= oldest) {
            for (client, counts) in &slot.clients {
                clients.entry(*client).or_default().add(*counts);
            }
            others.add(slot.others);
        }
        drop(slots);
        let clients = clients.into_iter();
        let mut clients: Vec<_> = clients
            .map(|(address, counts)| BusyClient { address, counts })
            .collect();
        clients.sort_by_key(|client| (std::cmp::Reverse(client.counts.requests), client.address));
        for client in clients.iter().skip(most) {
            others.add(client.counts);
        }
        clients.truncate(most);
        let before = SLOT.saturating_mul(u32::try_from(oldest).unwrap_or(u32::MAX));
        let window = now.saturating_duration_since(self.0.began).saturating_sub(before);
        BusiestClients {
            window_seconds: window.as_secs(),
            clients,
            others,
        }
    }

    fn number(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.0.began).as_secs() / SLOT.as_secs()
    }
}

/// An address as such, and not as a network of one.
fn as_address<S: Serializer>(network: &IpNet, serializer: S) -> Result<S::Ok, S::Error> {
    if network.prefix_len() == network.max_prefix_len() {
        serializer.collect_str(&network.addr())
    } else {
        serializer.collect_str(network)
    }
}

// === impl ClientSlot ===

impl ClientSlot {
    fn add(&mut self, client: IpNet, counts: AddressCounts) {
        if self.clients.len() >= MOST && !self.clients.contains_key(&client) {
            let least = self.clients.iter().min_by_key(|(_, counts)| counts.requests);
            if let Some(dropped) = least.map(|(client, _)| *client) {
                self.others.add(self.clients.remove(&dropped).unwrap_or_default());
            }
        }
        self.clients.entry(client).or_default().add(counts);
    }
}

// === impl AddressCounts ===

impl AddressCounts {
    const fn add(&mut self, more: Self) {
        self.requests += more.requests;
        self.refused += more.refused;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    #[test]
    fn the_busiest_come_first_and_all_add_up() {
        let sums = ClientSums::default();
        let now = sums.0.began + Duration::from_secs(30);
        for (client, refused) in [
            ("192.0.2.1", false),
            ("2001:db8::1", true),
            ("2001:db8::2", false),
            ("192.0.2.3", false),
        ] {
            sums.count(client.parse().unwrap(), refused, now);
        }
        let counts = |requests, refused| AddressCounts { requests, refused };
        let client = |address, counts| BusyClient {
            address: network(address),
            counts,
        };
        let busiest = sums.busiest(2, now);
        assert_eq!(
            busiest.clients,
            [
                client("2001:db8::/64", counts(2, 1)),
                client("192.0.2.1/32", counts(1, 0)),
            ]
        );
        assert_eq!(busiest.others, counts(1, 0));
        assert_eq!(busiest.window_seconds, 30);
    }

    #[test]
    fn what_is_older_than_five_minutes_is_forgotten() {
        let sums = ClientSums::default();
        let at = |seconds| sums.0.began + Duration::from_secs(seconds);
        let client = "192.0.2.1".parse().unwrap();
        for seconds in [0, 59, 60, 299, 330] {
            sums.count(client, false, at(seconds));
        }
        let requests = |seconds| {
            let busiest = sums.busiest(1, at(seconds));
            let counted = busiest.clients.first().map_or(0, |client| client.counts.requests);
            (counted, busiest.window_seconds)
        };
        assert_eq!(requests(330), (3, 270));
        assert_eq!(requests(540), (1, 240));
        assert_eq!(requests(10_000), (0, 280));
    }

    #[test]
    fn a_flood_of_addresses_takes_no_memory_and_hides_nobody() {
        let sums = ClientSums::default();
        let now = sums.0.began;
        for number in 0..5_000_u32 {
            sums.count(IpAddr::from(number.to_be_bytes()), false, now);
            if number % 10 == 0 {
                sums.count("192.0.2.1".parse().unwrap(), false, now);
            }
        }
        assert_eq!(sums.0.slots.lock()[0].clients.len(), MOST);
        let busiest = sums.busiest(1, now);
        let BusyClient { address, counts } = busiest.clients[0];
        assert_eq!(address, network("192.0.2.1/32"));
        assert!(counts.requests > 490, "{counts:?}");
        assert_eq!(counts.requests + busiest.others.requests, 5_500);
    }
}
