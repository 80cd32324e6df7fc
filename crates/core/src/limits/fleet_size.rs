//! The number of edges, as far as this one has received it, and this edge's equal part of something.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of edges and the position of this one among them, in the order of their names; clones share it.
#[derive(Debug, Clone)]
pub struct FleetSize(Arc<AtomicU64>);

/// The mean time between two lines of the table that an edge reads.
const LINE_INTERVAL: Duration = Duration::from_millis(5);

// === impl FleetSize ===

impl FleetSize {
    /// So many edges, of which this is the last one.
    pub fn new(edges: usize) -> Self {
        let size = Self(Arc::default());
        size.set(edges, edges.saturating_sub(1));
        size
    }

    /// Notes so many edges, and the position of this one, counted from zero.
    pub fn set(&self, edges: usize, position: usize) {
        let packed = u64::from(narrow(edges.max(1))) << 32 | u64::from(narrow(position));
        self.0.store(packed, Ordering::Relaxed);
    }

    /// The number of edges.
    pub fn edges(&self) -> u32 {
        self.read().0
    }

    /// This edge's part of a total: the same for all, at least one. The first edges take what cannot be divided.
    pub fn equal_part(&self, total: usize) -> usize {
        let (edges, position) = self.read();
        let [edges, position] = [edges, position].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        (total / edges + usize::from(position < total % edges)).max(1)
    }

    /// The shortest time between two readings of the table of edges, so that an edge reads two hundred lines a second
    /// however many edges there are; at most a second. So often a few edges read it while a call waits for a permit: queues
    /// change within a few calls, and another edge may have one to give.
    pub fn meeting_interval(&self) -> Duration {
        LINE_INTERVAL
            .saturating_mul(self.edges())
            .min(Duration::from_secs(1))
    }

    fn read(&self) -> (u32, u32) {
        let packed = self.0.load(Ordering::Relaxed);
        let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        (half(packed >> 32).max(1), half(packed))
    }
}

impl Default for FleetSize {
    /// One edge.
    fn default() -> Self {
        Self::new(1)
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_sum_to_the_total() {
        for (total, edges, expected) in [(10, 3, vec![4, 3, 3]), (2, 3, vec![1, 1, 1]), (8, 1, vec![8])] {
            let size = FleetSize::default();
            let parts = (0..edges).map(|position| {
                size.set(edges, position);
                size.equal_part(total)
            });
            assert_eq!(parts.collect::<Vec<_>>(), expected);
        }
        assert_eq!(FleetSize::new(0).equal_part(8), 8);
        assert_eq!(FleetSize::new(3).equal_part(8), 2, "nothing of what is left over");
    }

    #[test]
    fn more_edges_read_the_table_less_often() {
        for (edges, millis) in [(1, 5), (3, 15), (10, 50), (60, 300), (200, 1000), (300, 1000)] {
            let interval = FleetSize::new(edges).meeting_interval();
            assert_eq!(interval, Duration::from_millis(millis), "{edges}");
        }
    }
}
