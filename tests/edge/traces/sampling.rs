//! The traces that are recorded, and that every other recorder gets the same flag.

use calendar_edge_core::settings::Percentage;
use http::Method;

use super::collector::Collector;
use super::{TRACE, counted, counts, site, to, traced, traceparent};
use crate::support::{Answer, EVENTS, Edge};

#[tokio::test]
async fn an_unrecorded_parent_has_no_spans() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = traced(&origin, &collector).await;
    for flags in ["00", "02"] {
        let read = edge.request(Method::GET, EVENTS);
        Answer::to(read.header("traceparent", traceparent(flags))).await;
    }
    for seen in origin.seen() {
        let parent = seen.header("traceparent").unwrap();
        assert!(
            parent.starts_with(&format!("00-{TRACE}-")) && parent.ends_with("-00"),
            "{parent}"
        );
    }
    // A later one arrives, so that those before would have.
    edge.get("/elsewhere").await;
    counts(&edge, "exported", 1).await;
    assert_eq!(collector.spans().len(), 1);
    assert_eq!(counted(&edge, "dropped").await, 0);
}

#[tokio::test]
async fn new_traces_are_sampled_and_others_follow_their_parent() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        settings.traces.sample = Percentage::NONE;
    });
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    let parent = origin.only().header("traceparent").unwrap().to_owned();
    assert!(parent.ends_with("-00"), "{parent}");
    let read = edge.request(Method::GET, EVENTS);
    Answer::to(read.header("traceparent", traceparent("01"))).await;
    counts(&edge, "exported", 2).await;
    let seen = origin.seen();
    let parent = seen[1].header("traceparent").unwrap();
    assert!(parent.ends_with("-01"), "{parent}");
    let spans = collector.spans();
    assert!(spans.iter().any(|span| span.traceparent() == parent), "{spans:?}");
    assert_eq!(spans.len(), 2);
}

#[tokio::test]
async fn settings_change_while_the_edge_runs() {
    let (origin, first) = (site().await, Collector::taking_all().await);
    let second = Collector::taking_all().await;
    let edge = Edge::before(&origin).await;
    edge.get(EVENTS).await;
    for collector in [&first, &second] {
        let mut settings = edge.settings();
        to(collector, &mut settings);
        assert!(edge.reloader().apply(settings).unwrap().is_empty());
        edge.get(EVENTS).await;
        collector.spans_of(2).await;
    }
    edge.reloader().apply(edge.settings()).unwrap();
    edge.get(EVENTS).await;
    counts(&edge, "exported", 4).await;
    assert_eq!((first.spans().len(), second.spans().len()), (2, 2));
}
