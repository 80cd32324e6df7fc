//! The counts of the last while, in slots that are forgotten one by one.

use std::collections::HashSet;
use std::time::Duration;

use super::place::ClientId;
use super::tally::{CallCounts, Tally};
use crate::unix_time::UnixTime;

/// The slots of a window: what is older than the window by a tenth is forgotten.
const SLOTS: u32 = 10;

/// The calls of a rule in the last while.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The length of a slot.
    pub(super) width: Duration,
    slots: Vec<WindowSlot>,
}

/// A part of the window.
#[derive(Debug, Clone, Default)]
struct WindowSlot {
    number: u128,
    tally: Tally,
    /// The counts of other edges at the same time.
    others: Tally,
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

    /// The tally of this moment. A clock that was set back counts in the slot that is there.
    pub(super) fn tally(&mut self, now: UnixTime) -> &mut Tally {
        &mut self.numbered(self.number(now)).tally
    }

    /// The counts of this edge in a slot; none once that is forgotten.
    pub(super) fn own(&self, number: u128) -> Option<&Tally> {
        let slot = self.slots.iter().find(|slot| slot.number == number);
        slot.map(|slot| &slot.tally)
    }

    /// Takes what other edges counted in a slot, in place of what they had counted before.
    pub(super) fn take_counts(&mut self, number: u128, others: Tally) {
        let slot = self.numbered(number);
        if slot.number == number {
            slot.others = others;
        }
    }

    /// The sum of all slots that are not older than the window.
    pub(super) fn sum(&self, now: UnixTime) -> Tally {
        let mut sum = Tally::default();
        self.recent(now)
            .flat_map(WindowSlot::tallies)
            .for_each(|tally| sum.add_all(tally));
        sum
    }

    /// The counts of all clients in it.
    pub(super) fn counts(&self, now: UnixTime) -> CallCounts {
        let mut counts = CallCounts::default();
        let tallies = self.recent(now).flat_map(WindowSlot::tallies);
        tallies.for_each(|tally| counts.add_all(&tally.total));
        counts
    }

    /// The clients in it.
    pub(super) fn clients(&self, now: UnixTime) -> HashSet<ClientId> {
        let tallies = self.recent(now).flat_map(WindowSlot::tallies);
        let clients = tallies.flat_map(|tally| tally.clients.keys());
        clients.copied().collect()
    }

    /// The number of the slot of a moment.
    pub(super) fn number(&self, now: UnixTime) -> u128 {
        now.since_epoch().as_nanos() / self.width.as_nanos()
    }

    fn recent(&self, now: UnixTime) -> impl Iterator<Item = &WindowSlot> {
        let oldest = self.number(now).saturating_sub(u128::from(SLOTS) - 1);
        self.slots.iter().filter(move |slot| slot.number >= oldest)
    }

    #[expect(clippy::indexing_slicing, reason = "the remainder is within the slots")]
    fn numbered(&mut self, number: u128) -> &mut WindowSlot {
        let place = usize::try_from(number % u128::from(SLOTS)).unwrap_or(0);
        let slot = &mut self.slots[place];
        if slot.number < number {
            slot.number = number;
            slot.tally.clear();
            slot.others.clear();
        }
        slot
    }
}

// === impl WindowSlot ===

impl WindowSlot {
    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        [&self.tally, &self.others].into_iter()
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
                window.tally(now).total.calls += 1;
                times.push(now);
                let within = |length: Duration| times.iter().filter(|&&at| now.saturating_since(at) < length).count() as u64;
                let held = window.counts(now).calls;
                prop_assert!(held >= within(LENGTH * 9 / 10) && held <= within(LENGTH));
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_loses_nothing_recent() {
        let mut window = Window::new(LENGTH);
        let now = UnixTime::from_secs(1_000_000);
        window.tally(now).total.calls += 1;
        let before = now.saturating_sub(Duration::from_secs(500));
        window.tally(before).total.calls += 1;
        assert_eq!(window.counts(before).calls, 2);
    }
}
