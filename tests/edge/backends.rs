//! Origins with separate state, and the metrics of each.

use std::time::Duration;

use http::Method;
use tokio::time::timeout;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, Step, Wire, german_root};

/// Longer than any step of these tests.
const LONG: Duration = Duration::from_secs(5);

/// The value of a series of a backend, by its second label.
async fn value(edge: &Edge, name: &str, base: &str, label: &str) -> Option<String> {
    edge.metric(&format!(r#"{name}{{backend="{base}",{label}}}"#))
        .await
}

#[tokio::test]
async fn a_hanging_origin_holds_its_own_permits_only() {
    let gate = Gate::closed();
    let hanging = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.roots.push(german_root(&hanging.base()));
            settings.origin.max_in_flight = 1;
        })
        .start()
        .await;
    let held = tokio::spawn(Answer::to(edge.request(Method::GET, &format!("/de{EVENTS}"))));
    gate.reached_by(1).await;

    assert_eq!(edge.get(EVENTS).await.status, 200);

    let calls = r#"traffic="calls""#;
    for (base, in_use) in [(hanging.base(), "1"), (origin.base(), "0")] {
        let name = "edge_origin_permits_in_use";
        assert_eq!(value(&edge, name, &base, calls).await.as_deref(), Some(in_use));
    }
    gate.open();
    assert_eq!(held.await.expect("an answer").status, 200);
}

#[tokio::test]
async fn waiting_requests_are_shown_while_they_wait() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.origin.max_in_flight = 1)
        .start()
        .await;
    let waiting = async || {
        let label = r#"traffic="calls""#;
        let value = value(&edge, "edge_origin_waiting_requests", &origin.base(), label).await;
        value.expect("a gauge")
    };
    assert_eq!(waiting().await, "0");
    let first = tokio::spawn(Answer::to(edge.request(Method::GET, EVENTS)));
    gate.reached_by(1).await;
    let second = tokio::spawn(Answer::to(edge.request(Method::GET, EVENTS)));
    let shown = async { while waiting().await != "1" {} };
    timeout(LONG, shown).await.expect("a waiting request");

    gate.open();

    for answer in [first, second] {
        assert_eq!(answer.await.expect("an answer").status, 200);
    }
    assert_eq!(waiting().await, "0");
}

#[tokio::test]
async fn retries_are_counted_with_those_denied() {
    let wire = Wire::always(vec![Step::Close]).await;
    let edge = Edge::builder()
        .site(&wire.base())
        .settings(|settings| settings.breaker.failures = 0)
        .start()
        .await;
    for _ in 0..12 {
        assert_eq!(edge.get(EVENTS).await.status, 502);
    }
    for (result, count) in [("tried", "11"), ("denied", "1")] {
        let label = format!(r#"result="{result}""#);
        let value = value(&edge, "edge_origin_retries_total", &wire.base(), &label).await;
        assert_eq!(value.as_deref(), Some(count), "{result}");
    }
}

#[tokio::test]
async fn a_backend_that_is_removed_takes_its_series_along() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let gone = Origin::down().base();
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.roots.push(german_root(&gone)))
        .start()
        .await;
    assert!(edge.admin("/metrics").await.body.contains(&gone));

    let mut settings = edge.settings();
    settings.roots.pop();
    edge.reloader().apply(settings).expect("good settings");

    // Connections that have not used the new stack yet keep the old one.
    let removed = async { while edge.admin("/metrics").await.body.contains(&gone) {} };
    timeout(LONG, removed).await.expect("no more series");
    assert!(edge.admin("/metrics").await.body.contains(&origin.base()));
}
