//! A drill: which anonymous reads would have failed without the site.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::telemetry::CopyOutcome;

/// The reads of a while, by whether they needed the site.
#[derive(Debug)]
pub(super) struct Drill {
    begun: Instant,
    length: Duration,
    answered: u64,
    needed: BTreeMap<(String, String), u64>,
}

/// What a drill has found so far.
#[derive(Debug, Serialize)]
pub(super) struct DrillReport {
    /// The time that is left.
    left_seconds: u64,
    /// The reads that the copy answered.
    answered: u64,
    /// The reads that needed the site.
    needed_site: u64,
    /// The shapes that needed it most, and why.
    reads: Vec<NeededRead>,
}

/// Reads of one shape that needed the site for one reason.
#[derive(Debug, Serialize)]
struct NeededRead {
    shape: String,
    reason: String,
    reads: u64,
}

/// The most shapes and reasons that are told apart.
const MOST: usize = 500;

/// The most that a report shows.
const MOST_SHOWN: usize = 50;

// === impl Drill ===

impl Drill {
    pub(super) const fn new(length: Duration, now: Instant) -> Self {
        Self {
            begun: now,
            length,
            answered: 0,
            needed: BTreeMap::new(),
        }
    }

    /// Counts a read while the drill goes on.
    pub(super) fn read(&mut self, shape: &str, outcome: CopyOutcome, reason: &str, now: Instant) {
        if now.saturating_duration_since(self.begun) >= self.length {
            return;
        }
        if matches!(outcome, CopyOutcome::Answered | CopyOutcome::AnsweredAway) {
            self.answered += 1;
            return;
        }
        let key = (shape.to_owned(), reason.to_owned());
        if self.needed.len() < MOST || self.needed.contains_key(&key) {
            *self.needed.entry(key).or_default() += 1;
        } else {
            *self.needed.entry(Default::default()).or_default() += 1;
        }
    }

    pub(super) fn report(&self, now: Instant) -> DrillReport {
        let gone = now.saturating_duration_since(self.begun);
        let needed = self.needed.iter().map(|((shape, reason), reads)| NeededRead {
            shape: shape.clone(),
            reason: reason.clone(),
            reads: *reads,
        });
        let mut reads: Vec<NeededRead> = needed.collect();
        reads.sort_by_key(|read| std::cmp::Reverse(read.reads));
        reads.truncate(MOST_SHOWN);
        DrillReport {
            left_seconds: self.length.saturating_sub(gone).as_secs(),
            answered: self.answered,
            needed_site: self.needed.values().sum(),
            reads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_count_while_the_drill_goes_on() {
        let now = Instant::now();
        let mut drill = Drill::new(Duration::from_mins(1), now);
        let at = |seconds| now + Duration::from_secs(seconds);
        drill.read("events.list", CopyOutcome::Answered, "", at(1));
        drill.read("events.list", CopyOutcome::AnsweredAway, "", at(1));
        for (outcome, reason) in [
            (CopyOutcome::Asked, "second"),
            (CopyOutcome::Unproven, "unproven"),
        ] {
            drill.read("events.list include=n", outcome, reason, at(2));
        }
        drill.read("events.list", CopyOutcome::Unproven, "unproven", at(60));
        let report = drill.report(at(40));
        assert_eq!(
            (report.left_seconds, report.answered, report.needed_site),
            (20, 2, 2)
        );
        assert_eq!(report.reads.len(), 2);
        assert_eq!(drill.report(at(90)).left_seconds, 0);
    }
}
