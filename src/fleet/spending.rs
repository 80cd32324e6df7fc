//! The costs that clients spent of their rate limits: sent to the store, and the levels of all edges taken over.

use std::sync::Arc;

use std::time::{Duration, Instant};

use super::fleet::Fleet;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use calendar_edge_core::limits::rates::Settlement;

/// Settles the buckets that were touched since the last exchange.
pub(super) struct Spending {
    fleet: Arc<Fleet>,
    /// The settlements of the last commands, until the store replies.
    sent: Vec<Settlement>,
}

/// The most buckets of one exchange. The others follow in the next one.
const MOST: usize = 512;

/// The most buckets of one script, which the store runs without a pause.
const BATCH: usize = 64;

// === impl Spending ===

impl Spending {
    pub(super) fn new(fleet: &Arc<Fleet>) -> Self {
        Self {
            fleet: fleet.clone(),
            sent: Vec::new(),
        }
    }

    fn keep(&self, unsettled: &[Settlement]) {
        let buckets = self.fleet.limits.buckets.load();
        for settlement in unsettled {
            buckets.store.keep_unsettled(*settlement);
        }
    }
}

impl FleetSubject for Spending {
    fn add_commands(&mut self, commands: &mut Commands, _: ExchangeTurn) {
        self.sent = self
            .fleet
            .limits
            .buckets
            .load()
            .store
            .take_unsettled(MOST, Instant::now());
        for batch in self.sent.chunks(BATCH) {
            commands.spend(batch);
        }
    }

    fn take_replies(&mut self, replies: &mut Replies, _: ExchangeTurn) {
        let asked = std::mem::take(&mut self.sent);
        let buckets = self.fleet.limits.buckets.load();
        for batch in asked.chunks(BATCH) {
            match replies.next::<Vec<u64>>() {
                Some(levels) => {
                    let now = Instant::now();
                    for (settlement, level) in batch.iter().zip(levels) {
                        buckets
                            .store
                            .adopt(*settlement, Duration::from_micros(level), now);
                    }
                    self.fleet.metrics.settled(batch.len());
                    self.fleet.limits.settled();
                }
                None => self.keep(batch),
            }
        }
    }

    fn lose(&mut self) {
        let asked = std::mem::take(&mut self.sent);
        self.keep(&asked);
    }
}
