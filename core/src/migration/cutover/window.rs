//! What happened in the last minutes, in slots that are forgotten one by one.

use std::collections::HashMap;
use std::time::Duration;

use ipnet::IpNet;

use super::latency::Latencies;
use crate::unix_time::UnixTime;

/// The slots of a window: what is older than the window by a tenth is forgotten.
const SLOTS: u32 = 10;

/// The calls of a rule in the last while.
#[derive(Debug, Clone)]
pub(super) struct Window {
    width: Duration,
    slots: Vec<WindowSlot>,
}

/// The counts of a part of the window.
#[derive(Debug, Clone, Default)]
struct WindowSlot {
    number: u128,
    counts: WindowCounts,
    own: Latencies,
    primary: Latencies,
    clients: HashMap<Option<IpNet>, ClientCounts>,
}

/// The clients that a slot tells apart. Where there are more, none of them decides anything.
const MOST_CLIENTS: usize = 1024;

/// The part of one client in what a guard counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ClientCounts {
    /// Its calls that failed.
    pub(super) failed: u64,
    /// Its calls whose answers differ.
    pub(super) different: u64,
    /// Its durations.
    pub(super) timed: u64,
}

/// Counts of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowCounts {
    /// Calls at the backend of the rule.
    pub calls: u64,
    /// Those that failed there.
    pub failed: u64,
    /// Calls whose answers were compared.
    pub compared: u64,
    /// Those that differ.
    pub different: u64,
}

/// Durations until the heads of answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct WindowLatencies {
    /// Of the backend of the rule.
    pub(super) own: Latencies,
    /// Of the site.
    pub(super) primary: Latencies,
}

// === impl Window ===

impl Window {
    /// An empty window of this length.
    pub(super) fn new(length: Duration) -> Self {
        Self {
            width: (length / SLOTS).max(Duration::from_millis(1)),
            slots: (0..SLOTS).map(|_| WindowSlot::default()).collect(),
        }
    }

    /// Counts something. A clock that was set back counts in the slot that is there.
    pub(super) fn counts(&mut self, now: UnixTime) -> &mut WindowCounts {
        &mut self.slot(now).counts
    }

    /// The counts of one client; none beyond the clients that are told apart.
    pub(super) fn client(&mut self, client: Option<IpNet>, now: UnixTime) -> Option<&mut ClientCounts> {
        let clients = &mut self.slot(now).clients;
        if clients.len() >= MOST_CLIENTS {
            return clients.get_mut(&client);
        }
        Some(clients.entry(client).or_default())
    }

    /// The counts of one client in all slots that are not older than the window.
    pub(super) fn sums_of(&self, client: Option<IpNet>, now: UnixTime) -> ClientCounts {
        let counts = self.recent(now).filter_map(|slot| slot.clients.get(&client));
        counts.fold(ClientCounts::default(), ClientCounts::with)
    }

    /// The largest counts that any one client has in them.
    pub(super) fn largest(&self, now: UnixTime) -> ClientCounts {
        let mut clients: HashMap<Option<IpNet>, ClientCounts> = HashMap::new();
        for (client, counts) in self.recent(now).flat_map(|slot| &slot.clients) {
            let sums = clients.entry(*client).or_default();
            *sums = sums.with(counts);
        }
        let most = |count: fn(&ClientCounts) -> u64| clients.values().map(count).max().unwrap_or(0);
        ClientCounts {
            failed: most(|counts| counts.failed),
            different: most(|counts| counts.different),
            timed: most(|counts| counts.timed),
        }
    }

    /// Counts a duration of the backend.
    pub(super) fn own_took(&mut self, duration: Duration, now: UnixTime) {
        self.slot(now).own.add(duration);
    }

    /// Counts a duration of the site.
    pub(super) fn owner_took(&mut self, duration: Duration, now: UnixTime) {
        self.slot(now).primary.add(duration);
    }

    /// The sums of all slots that are not older than the window.
    pub(super) fn sums(&self, now: UnixTime) -> WindowCounts {
        let mut sums = WindowCounts::default();
        for WindowSlot { counts, .. } in self.recent(now) {
            sums.calls += counts.calls;
            sums.failed += counts.failed;
            sums.compared += counts.compared;
            sums.different += counts.different;
        }
        sums
    }

    /// The durations of all slots that are not older than the window.
    pub(super) fn latencies(&self, now: UnixTime) -> WindowLatencies {
        let mut all = WindowLatencies::default();
        for slot in self.recent(now) {
            all.own.add_all(&slot.own);
            all.primary.add_all(&slot.primary);
        }
        all
    }

    fn number(&self, now: UnixTime) -> u128 {
        now.since_epoch().as_nanos() / self.width.as_nanos()
    }

    fn recent(&self, now: UnixTime) -> impl Iterator<Item = &WindowSlot> {
        let oldest = self.number(now).saturating_sub(u128::from(SLOTS) - 1);
        self.slots.iter().filter(move |slot| slot.number >= oldest)
    }

    #[expect(clippy::indexing_slicing, reason = "the remainder is within the slots")]
    fn slot(&mut self, now: UnixTime) -> &mut WindowSlot {
        let number = self.number(now);
        let place = usize::try_from(number % u128::from(SLOTS)).unwrap_or(0);
        let slot = &mut self.slots[place];
        if slot.number < number {
            slot.number = number;
            slot.counts = WindowCounts::default();
            slot.own.clear();
            slot.primary.clear();
            slot.clients.clear();
        }
        slot
    }
}

// === impl ClientCounts ===

impl ClientCounts {
    fn with(self, other: &Self) -> Self {
        Self {
            failed: self.failed + other.failed,
            different: self.different + other.different,
            timed: self.timed + other.timed,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LENGTH: Duration = Duration::from_secs(100);

    proptest! {
        /// A window holds everything of the last nine tenths of its length, and nothing older than its length.
        #[test]
        fn a_window_holds_what_is_recent(pauses in prop::collection::vec(0_u64..60_000, 1..200)) {
            let mut window = Window::new(LENGTH);
            let mut now = UnixTime::from_secs(1_000_000);
            let mut times = Vec::new();
            for pause in pauses {
                now = now.saturating_add(Duration::from_millis(pause));
                window.counts(now).calls += 1;
                times.push(now);
                let within = |length: Duration| times.iter().filter(|&&at| now.saturating_since(at) < length).count() as u64;
                let held = window.sums(now).calls;
                prop_assert!(held >= within(LENGTH * 9 / 10) && held <= within(LENGTH));
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_loses_nothing_recent() {
        let mut window = Window::new(LENGTH);
        let now = UnixTime::from_secs(1_000_000);
        window.counts(now).calls += 1;
        let before = now.saturating_sub(Duration::from_secs(500));
        window.counts(before).calls += 1;
        assert_eq!(window.sums(before).calls, 2);
    }
}
