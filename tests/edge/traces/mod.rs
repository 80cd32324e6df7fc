//! Spans of requests reach a collector, and a collector that fails costs only itself.

mod checked;
mod collector;
mod delivery;
mod ending;
mod facts;
mod sampling;

use calendar_edge_core::settings::Settings;
use std::time::Duration;

use self::collector::Collector;
use crate::support::{Edge, Origin, Reply};

/// The trace of clients under test.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The part of the client in it.
const PARENT: &str = "00f067aa0ba902b7";

/// `traceparent` of a client; the last bit of the flags shows if the trace is recorded.
fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

/// Sends spans to a collector at once.
fn to(collector: &Collector, settings: &mut Settings) {
    settings.traces.endpoint = Some(collector.base().parse().expect("a URL"));
    settings.traces.interval = Duration::from_millis(10);
}

/// An edge that sends the spans of its requests to a collector.
async fn traced(origin: &Origin, collector: &Collector) -> Edge {
    let builder = Edge::builder().origin(origin);
    builder.settings(|settings| to(collector, settings)).start().await
}

/// A site that responds to everything with a list of events.
async fn site() -> Origin {
    Origin::always(Reply::json(200, r#"{"events":[]}"#)).await
}

/// The counts of spans by what became of them.
async fn counted(edge: &Edge, outcome: &str) -> u64 {
    let series = format!("edge_trace_spans_total{{outcome=\"{outcome}\"}}");
    let value = edge.metric(&series).await.expect("a series");
    value.parse().expect("a number")
}

/// Waits for a count of spans.
async fn counts(edge: &Edge, outcome: &str, expected: u64) {
    for _ in 0..4000 {
        if counted(edge, outcome).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!(
        "{} spans are {outcome}, not {expected}",
        counted(edge, outcome).await
    );
}
