//! Requests of the last minutes by client: who asks most, in bounded memory.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use ipnet::IpNet;
use parking_lot::Mutex;
use serde_json::{Value, json};

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
#[derive(Debug, Clone, Copy, Default)]
struct AddressCounts {
    /// All of them.
    requests: u64,
    /// Those that the edge answered with an error of its own.
    refused: u64,
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
    pub(crate) fn busiest_now(&self) -> Value {
        const SHOWN: usize = 10;
        self.busiest(SHOWN, Instant::now())
    }

    /// So many clients with most requests, those of the others together, and the time that is counted: up to five
    /// minutes, and less after a start.
    fn busiest(&self, most: usize, now: Instant) -> Value {
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
        let mut clients: Vec<_> = clients.into_iter().collect();
        clients.sort_by_key(|(address, counts)| (std::cmp::Reverse(counts.requests), *address));
        for (_, counts) in clients.iter().skip(most) {
            others.add(*counts);
        }
        let shown = clients.iter().take(most).map(|(address, counts)| {
            json!({"address": as_address(address), "requests": counts.requests, "refused": counts.refused})
        });
        let before = SLOT.saturating_mul(u32::try_from(oldest).unwrap_or(u32::MAX));
        let window = now.saturating_duration_since(self.0.began).saturating_sub(before);
        json!({
            "window_seconds": window.as_secs(),
            "clients": shown.collect::<Value>(),
            "others": {"requests": others.requests, "refused": others.refused},
        })
    }

    fn number(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.0.began).as_secs() / SLOT.as_secs()
    }
}

/// An address as such, and not as a network of one.
fn as_address(network: &IpNet) -> String {
    if network.prefix_len() == network.max_prefix_len() {
        network.addr().to_string()
    } else {
        network.to_string()
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
        assert_eq!(
            sums.busiest(2, now),
            json!({
                "window_seconds": 30,
                "clients": [
                    {"address": "2001:db8::/64", "requests": 2, "refused": 1},
                    {"address": "192.0.2.1", "requests": 1, "refused": 0},
                ],
                "others": {"requests": 1, "refused": 0},
            })
        );
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
            let counted = busiest["clients"][0]["requests"].as_u64().unwrap_or_default();
            (counted, busiest["window_seconds"].as_u64().unwrap())
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
        let busy = &busiest["clients"][0];
        assert_eq!(busy["address"], "192.0.2.1");
        let requests = |counts: &Value| counts["requests"].as_u64().unwrap();
        assert!(requests(busy) > 490, "{busy}");
        assert_eq!(requests(busy) + requests(&busiest["others"]), 5_500);
    }
}
