//! What is counted, now and every five seconds of the last five minutes: a page that is opened in an incident shows what
//! came before.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::backend_status::BackendStatus;
use super::traffic::TrafficStatus;
use crate::observe::admin::explained::moment;
use crate::observe::admin::service::AdminParts;
use crate::telemetry::{OperationSums, unix_time};

/// The time between two readings.
const PAUSE: Duration = Duration::from_secs(5);

/// The readings that are kept: five minutes from the first to the last one.
const MOST: usize = 61;

/// The readings of one edge; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings(Arc<Mutex<VecDeque<CountReading>>>);

/// The counts of one moment, as the status shows them.
#[derive(Debug, Serialize)]
pub(super) struct CountReading {
    now: String,
    uptime_seconds: f64,
    #[serde(flatten)]
    traffic: TrafficStatus,
    operations: Vec<OperationSums>,
    backends: Vec<BackendStatus>,
}

// === impl Readings ===

impl Readings {
    /// Takes a reading every five seconds, as long as it is polled.
    pub(in crate::observe::admin) async fn take(&self, parts: &AdminParts) {
        let mut ticks = interval(PAUSE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let reading = CountReading::of(parts);
            let mut readings = self.0.lock();
            readings.push_back(reading);
            while readings.len() > MOST {
                readings.pop_front();
            }
        }
    }

    /// The document, the oldest reading first.
    pub(in crate::observe::admin) fn to_json(&self, parts: &AdminParts) -> Value {
        json!({
            "started": moment(parts.facts.started),
            "interval_seconds": PAUSE.as_secs(),
            "readings": *self.0.lock(),
        })
    }
}

// === impl CountReading ===

impl CountReading {
    /// The counts now.
    pub(super) fn of(parts: &AdminParts) -> Self {
        let metrics = &parts.metrics;
        Self {
            now: moment(unix_time()),
            uptime_seconds: parts.facts.uptime().as_secs_f64(),
            traffic: TrafficStatus::of(metrics),
            operations: metrics.requests().by_operation(),
            backends: BackendStatus::all(metrics),
        }
    }
}
