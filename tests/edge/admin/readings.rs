//! `/readings`: what the page shows of the minutes before it was opened, and `/runbook`, which it quotes.

use super::until;
use crate::support::{EVENTS, Edge, Origin, Reply};

/// An edge with its origin.
async fn edge() -> (Edge, Origin) {
    let origin = Origin::always(Reply::json(200, r#"{"events":[],"rest_url":"x"}"#)).await;
    (Edge::before(&origin).await, origin)
}

#[tokio::test]
async fn the_edge_keeps_readings_of_what_was_counted() {
    let (edge, _origin) = edge().await;
    edge.get(EVENTS).await;
    edge.get(&format!("{EVENTS}?page=x")).await;
    let document = until("a reading that counts both", async || {
        let document = edge.admin("/readings").await.json();
        let newest = document["readings"].as_array()?.last()?.clone();
        (newest["requests"]["total"] == 2).then_some(document)
    })
    .await;
    let status = edge.admin("/status").await.json();
    assert_eq!(document["interval_seconds"], 5);
    assert_eq!(document["started"], status["started"]);
    let readings = document["readings"].as_array().expect("a list");
    let (first, newest) = (&readings[0], readings.last().expect("one or more"));
    assert_eq!(
        first["requests"]["total"], 0,
        "the first one is taken at the start"
    );
    let seconds = |reading: &serde_json::Value| reading["uptime_seconds"].as_f64().expect("a number");
    let apart = seconds(newest) - seconds(first);
    assert!((4.9..30.0).contains(&apart), "{apart}");
    for member in ["requests", "latency", "refusals", "findings", "operations"] {
        assert_eq!(newest[member], status[member], "{member}");
    }
    assert_eq!(newest["backends"][0]["traffic"], status["backends"][0]["traffic"]);
}

#[tokio::test]
async fn the_runbook_is_at_hand() {
    let (edge, _origin) = edge().await;
    let runbook = edge.admin("/runbook").await;
    assert_eq!(
        runbook.header("content-type"),
        Some("text/markdown; charset=utf-8")
    );
    assert!(runbook.body.contains("\n## CalendarEdgeSlow\n"));
}
