//! The end of the edge: the last spans are sent, and a collector that is away delays nothing for long.

use std::time::{Duration, Instant};

use super::collector::Collector;
use super::{site, to, traced};
use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Program, Reply};

#[tokio::test]
async fn the_last_spans_are_sent() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        settings.traces.interval = Duration::from_mins(1);
    });
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    edge.get(EVENTS).await;
    assert!(collector.requests().is_empty());
    assert!(edge.drain().await);
    assert_eq!(collector.spans().len(), 4);
}

/// A collector that does not respond, one that is busy, and none at all.
#[tokio::test]
async fn a_collector_that_is_away_does_not_hold_the_edge() {
    let gate = Gate::closed();
    let held = gate.clone();
    let silent = Collector::answering(move |_| Reply::json(200, "").behind(&held)).await;
    let busy = Collector::answering(|_| Reply::json(503, "").header("retry-after", "200")).await;
    let down = Origin::down().base();
    for base in [silent.base(), busy.base(), down] {
        let edge = Edge::builder().origin(&site().await).settings(|settings| {
            settings.traces.endpoint = Some(base.parse().expect("a URL"));
            settings.traces.interval = Duration::from_millis(10);
            settings.traces.batch = 1;
        });
        let edge = edge.start().await;
        for _ in 0..20 {
            edge.get("/elsewhere").await;
        }
        let started = Instant::now();
        assert!(edge.drain().await);
        // Two seconds for the spans, and what else a drain takes.
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{:?}",
            started.elapsed()
        );
    }
}

/// Requests that end while the edge drains are traced as well.
#[tokio::test]
async fn a_request_that_ends_in_the_drain_is_traced() {
    let (gate, collector) = (Gate::closed(), Collector::taking_all().await);
    let held = gate.clone();
    let origin = Origin::answering(move |_| Reply::json(200, r#"{"events":[]}"#).behind(&held)).await;
    let edge = traced(&origin, &collector).await;
    let client = Edge::client();
    let read = tokio::spawn(client.get(edge.url(EVENTS)).send());
    gate.reached_by(1).await;
    let drained = tokio::spawn(edge.drain());
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.open();
    assert_eq!(read.await.unwrap().unwrap().status(), 200);
    assert!(drained.await.unwrap());
    assert_eq!(collector.spans().len(), 2);
}

#[tokio::test]
async fn the_log_says_how_many_spans_are_lost() {
    let (origin, down) = (site().await, Origin::down());
    let directory = Directory::new("lost-spans");
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\nread_index = false\n\
         [admin]\nlisten = \"127.0.0.1:0\"\n[traces]\nendpoint = \"{}\"\n",
        origin.base(),
        down.base()
    );
    let mut program = Program::serve(&directory.write("edge.toml", &config)).await;
    for _ in 0..5 {
        Answer::to(Edge::client().get(program.url("/elsewhere"))).await;
    }
    program.logged("the collector does not take spans now").await;
    program.signal("TERM");
    let line = program
        .logged("spans are lost: the collector did not take them")
        .await;
    assert_eq!(line["spans"], 5);
    let error = line["error"].as_str().unwrap();
    assert!(error.contains("Connection refused"), "{error}");
    assert!(program.ended().await.success());
}
