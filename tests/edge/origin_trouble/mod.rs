//! Failures of the origin become clean JSON errors in bounded time (T-60 to T-70, T-76).

mod content;
mod gone;
mod kept;
mod message;
mod size;
mod surplus;
mod time;

use crate::support::{Answer, EVENTS, Edge, Step, Wire};

/// An edge before a wire origin, without a breaker: each test breaks the origin as often as it likes.
async fn edge(wire: &Wire, change: impl FnOnce(&mut calendar_edge_core::settings::Settings)) -> Edge {
    let builder = Edge::builder().site(&wire.base()).settings(|settings| {
        settings.breaker.failures = 0;
        change(settings);
    });
    builder.start().await
}

/// A write that the edge forwards.
fn write(edge: &Edge) -> reqwest::RequestBuilder {
    edge.request(http::Method::POST, &format!("{EVENTS}/56"))
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json")
        .body(r#"{"title":"Gala"}"#)
}

/// Plays the steps for `/events/1` and valid responses for all other requests.
async fn troubled(steps: Vec<Step>) -> Wire {
    Wire::playing(move |head, number| {
        if head.contains("/events/1 ") {
            return steps.clone();
        }
        vec![Step::json(&format!(r#"{{"number":{number}}}"#))]
    })
    .await
}

fn assert_failed(answer: &Answer, status: u16, code: &str, error: &str) {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.body);
    assert_eq!(answer.code(), code);
    let proxy_status = answer.header("proxy-status").unwrap_or_default();
    assert!(
        proxy_status.starts_with(&format!("calendar-edge; error={error}")),
        "{proxy_status}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
