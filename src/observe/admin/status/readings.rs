//! Counts of now, and of every five seconds in the last five minutes: a page that is opened in an incident shows what
//! came before.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::backend_status::backends;
use super::facts::EdgeFacts;
use crate::observe::admin::parts::AdminParts;
use crate::server::joined;
use crate::telemetry::{Metrics, moment, unix_time};
use calendar_edge_core::concerns::Lately;

/// The time between two readings.
const PAUSE: Duration = Duration::from_secs(5);

/// The readings that are kept: five minutes from the first to the last one.
const MOST: usize = 61;

/// The time that the sums of the last requests are about.
const LATELY: Duration = Duration::from_mins(1);

/// The readings of one edge as JSON with their sums, the oldest first; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings(Arc<Mutex<VecDeque<KeptReading>>>);

/// A reading as JSON, and its sums.
type KeptReading = (Arc<str>, Lately);

// === impl Readings ===

impl Readings {
    /// Takes a reading every five seconds, as long as it is polled.
    pub(in crate::observe::admin) async fn take(&self, parts: &AdminParts) {
        let mut ticks = interval(PAUSE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let reading = reading(&parts.facts, &parts.metrics).to_string().into();
            let mut readings = self.0.lock();
            readings.push_back((reading, parts.sums()));
            while readings.len() > MOST {
                readings.pop_front();
            }
        }
    }

    /// The growth of these sums in the last minute, or since the first reading.
    pub(in crate::observe::admin) fn lately(&self, now: &Lately) -> Lately {
        let readings = self.0.lock();
        let is_past = |past: &&Lately| now.span.saturating_sub(past.span) >= LATELY;
        let past = || readings.iter().map(|(_, past)| past);
        let past = past().rev().find(is_past).or_else(|| past().next());
        past.map_or_else(|| now.clone(), |past| now.since(past))
    }

    /// The document at `/readings`.
    pub(in crate::observe::admin) fn document(&self, facts: &EdgeFacts) -> String {
        let readings = self.0.lock();
        let readings: Vec<_> = readings.iter().map(|(reading, _)| Arc::clone(reading)).collect();
        let readings = readings.join(",");
        let (started, seconds) = (moment(facts.started), PAUSE.as_secs());
        format!(r#"{{"started":"{started}","interval_seconds":{seconds},"readings":[{readings}]}}"#)
    }
}

/// The counts now, as the status shows them.
pub(in crate::observe::admin) fn reading(facts: &EdgeFacts, metrics: &Metrics) -> Value {
    joined([
        json!({"now": moment(unix_time()), "uptime_seconds": facts.uptime().as_secs_f64()}),
        metrics.requests().sums(),
        json!({"operations": metrics.requests().by_operation(), "backends": backends(metrics)}),
    ])
}
