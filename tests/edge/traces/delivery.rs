//! A collector's response decides if spans are sent again, and everything is counted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::collector::{Collector, partial_success};
use super::{counted, counts, site, to, traced};
use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Program, Reply};

#[tokio::test]
async fn a_busy_collector_gets_the_same_again_after_the_time_that_it_names() {
    let attempts = AtomicUsize::new(0);
    let collector = Collector::answering(move |_| match attempts.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::json(503, "").header("retry-after", "1"),
        1 => Reply::json(429, "").header("retry-after", "0"),
        _ => Reply::json(200, ""),
    });
    let (origin, collector) = (site().await, collector.await);
    let edge = traced(&origin, &collector).await;
    edge.get("/elsewhere").await;
    collector.requests_of(1).await;
    let refused = Instant::now();
    let requests = collector.requests_of(3).await;
    // The wait may have begun a moment before it was seen here.
    assert!(
        refused.elapsed() > Duration::from_millis(900),
        "{:?}",
        refused.elapsed()
    );
    assert_eq!(requests[0].body, requests[2].body);
    counts(&edge, "exported", 1).await;
    assert_eq!(counted(&edge, "failed").await, 0);
}

#[tokio::test]
async fn what_a_collector_refuses_is_not_sent_again() {
    for reply in [
        Reply::json(400, ""),
        Reply::json(401, ""),
        Reply::json(500, ""),
        Reply::json(307, "").header("location", "/elsewhere"),
    ] {
        let collector = Collector::answering(move |_| reply.clone()).await;
        let edge = traced(&site().await, &collector).await;
        edge.get("/elsewhere").await;
        counts(&edge, "failed", 1).await;
        assert_eq!(collector.requests().len(), 1);
        assert_eq!(counted(&edge, "exported").await, 0);
    }
}

#[tokio::test]
async fn spans_that_a_collector_rejects_are_counted_apart() {
    let collector = Collector::answering(|_| partial_success(1, "too old")).await;
    let (origin, directory) = (site().await, Directory::new("partial-success"));
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\nread_index = false\n\
         [admin]\nlisten = \"127.0.0.1:0\"\n[traces]\nendpoint = \"{}\"\n",
        origin.base(),
        collector.base()
    );
    let mut program = Program::serve(&directory.write("edge.toml", &config)).await;
    Answer::to(Edge::client().get(program.url(EVENTS))).await;
    let line = program.logged("the collector warns or rejects spans").await;
    assert_eq!((&line["spans"], &line["rejected"]), (&2.into(), &1.into()));
    assert_eq!(line["told"], "too old");
    for (outcome, expected) in [("exported", 1.0), ("rejected", 1.0), ("failed", 0.0)] {
        let series = format!("edge_trace_spans_total{{outcome=\"{outcome}\"}}");
        assert!(
            (program.metric(&series).await - expected).abs() < 0.1,
            "{outcome}"
        );
    }
}

#[tokio::test]
async fn as_many_spans_wait_as_the_settings_say() {
    let gate = Gate::closed();
    let held = gate.clone();
    let collector = Collector::answering(move |_| Reply::json(200, "").behind(&held)).await;
    let edge = Edge::builder().origin(&site().await).settings(|settings| {
        to(&collector, settings);
        settings.traces.queue = 3;
        settings.traces.batch = 1;
    });
    let edge = edge.start().await;
    edge.get("/elsewhere").await;
    gate.reached_by(1).await;
    for _ in 0..10 {
        edge.get("/elsewhere").await;
    }
    counts(&edge, "dropped", 7).await;
    gate.open();
    counts(&edge, "exported", 4).await;
    assert_eq!(collector.spans().len(), 4);
    assert_eq!(counted(&edge, "dropped").await, 7);
}

#[tokio::test]
async fn a_batch_is_one_request() {
    let collector = Collector::taking_all().await;
    let edge = Edge::builder().origin(&site().await).settings(|settings| {
        to(&collector, settings);
        settings.traces.batch = 5;
        settings.traces.interval = Duration::from_mins(1);
    });
    let edge = edge.start().await;
    for _ in 0..5 {
        edge.get("/elsewhere").await;
    }
    assert_eq!(collector.spans_of(5).await.len(), 5);
    let requests = collector.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("content-encoding"), None);
}
