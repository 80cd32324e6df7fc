//! What is counted, now and every five seconds of the last five minutes: a page that is opened in an incident shows what
//! came before.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde::{Serialize, Serializer};
use tokio::time::{MissedTickBehavior, interval};

use super::backend_status::BackendStatus;
use super::facts::EdgeFacts;
use crate::telemetry::{Metrics, OperationSums, TrafficSums, moment, unix_time};

/// The time between two readings.
const PAUSE: Duration = Duration::from_secs(5);

/// The readings that are kept: five minutes from the first to the last one.
const MOST: usize = 61;

/// The readings of one edge; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings(Arc<Mutex<VecDeque<CountReading>>>);

/// The document at `/readings`.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct ReadingDocument<'a> {
    started: String,
    interval_seconds: u64,
    /// The oldest first.
    #[serde(serialize_with = "all")]
    readings: MutexGuard<'a, VecDeque<CountReading>>,
}

/// The counts of one moment, as the status shows them.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct CountReading {
    now: String,
    uptime_seconds: f64,
    #[serde(flatten)]
    traffic: TrafficSums,
    operations: Vec<OperationSums>,
    backends: Vec<BackendStatus>,
}

// === impl Readings ===

impl Readings {
    /// Takes a reading every five seconds, as long as it is polled.
    pub(in crate::observe::admin) async fn take(&self, facts: &EdgeFacts, metrics: &Metrics) {
        let mut ticks = interval(PAUSE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let reading = CountReading::of(facts, metrics);
            let mut readings = self.0.lock();
            readings.push_back(reading);
            while readings.len() > MOST {
                readings.pop_front();
            }
        }
    }

    /// The document; while it lives, no reading is taken.
    pub(in crate::observe::admin) fn document(&self, facts: &EdgeFacts) -> ReadingDocument<'_> {
        ReadingDocument {
            started: moment(facts.started),
            interval_seconds: PAUSE.as_secs(),
            readings: self.0.lock(),
        }
    }
}

fn all<S: Serializer>(
    readings: &MutexGuard<'_, VecDeque<CountReading>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(readings.iter())
}

// === impl CountReading ===

impl CountReading {
    /// The counts now.
    pub(in crate::observe::admin) fn of(facts: &EdgeFacts, metrics: &Metrics) -> Self {
        Self {
            now: moment(unix_time()),
            uptime_seconds: facts.uptime().as_secs_f64(),
            traffic: metrics.requests().sums(),
            operations: metrics.requests().by_operation(),
            backends: BackendStatus::all(metrics),
        }
    }
}
