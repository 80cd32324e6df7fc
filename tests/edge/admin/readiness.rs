//! `/readyz`: its content, and the states that decide.

use std::time::Duration;

use calendar_edge_core::settings::Settings;

use super::until;
use crate::support::{EVENTS, Edge, Origin, Reply};

fn quick(settings: &mut Settings) {
    settings.breaker.failures = 1;
    settings.breaker.probe_interval = Duration::from_millis(50);
}

#[tokio::test]
async fn the_edge_alone_decides_unless_backends_are_asked_for() {
    let edge = Edge::before(&Origin::down()).await;
    let alone = edge.admin("/readyz").await;
    assert_eq!(alone.status, 200);
    let document = alone.json();
    assert_eq!(document["status"], "ready");
    assert_eq!(document["draining"], false);
    assert!(document["configuration_loaded"].is_string(), "{document}");
    assert_eq!(document["listening"][0], edge.address().to_string());
    assert_eq!(document["backends"][0]["breaker"], "closed");

    let whole = edge.admin("/readyz?backend=1").await;
    assert_eq!(whole.status, 503);
    assert_eq!(whole.json()["status"], "no backend responds");
    assert!(whole.json()["backends"][0]["last_failure"].is_string());
}

#[tokio::test]
async fn a_site_that_answers_errors_is_a_backend() {
    let origin = Origin::always(Reply::json(404, "{}")).await;
    let edge = Edge::before(&origin).await;
    assert_eq!(edge.admin("/readyz?backend=1").await.status, 200);
    let seen = origin.take_seen();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen[0].target, "/wp-json/?_fields=namespaces");
}

#[tokio::test]
async fn the_site_is_asked_at_most_once_a_second() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    for _ in 0..20 {
        assert_eq!(edge.admin("/readyz?backend=1").await.status, 200);
    }
    let asked = origin.take_seen().len();
    assert!((1..10).contains(&asked), "{asked}");
}

#[tokio::test]
async fn readiness_returns_without_other_traffic() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder().origin(&origin).settings(quick).start().await;
    let address = origin.kill().await;
    edge.get(EVENTS).await;
    assert_eq!(edge.admin("/readyz?backend=1").await.status, 503);
    let _origin = Origin::at(address, |_, _| Reply::json(200, "{}")).await;
    until("readiness", async || {
        let answer = edge.admin("/readyz?backend=1").await;
        (answer.status == 200).then_some(())
    })
    .await;
    let document = edge.admin("/readyz").await.json();
    assert_eq!(document["backends"][0]["breaker"], "closed");
}
