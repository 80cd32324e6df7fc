//! An origin in trouble never becomes trouble for the client: clean JSON, in bounded time.

use std::time::Duration;

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply};

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

#[tokio::test]
async fn nobody_listens() {
    let edge = Edge::before(&Origin::down().await).await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "connection_refused");
}

#[tokio::test]
async fn the_name_does_not_resolve() {
    let edge = Edge::builder()
        .settings(|settings| {
            settings.roots[0].origin_url = "http://no-such-host.invalid/wp-json".parse().unwrap();
        })
        .start()
        .await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "dns_error");
}

#[tokio::test]
async fn an_origin_without_tls_is_no_https_origin() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let secure = origin.base().replace("http:", "https:") + "/wp-json";
    let edge = Edge::builder()
        .settings(|settings| settings.roots[0].origin_url = secure.parse().unwrap())
        .start()
        .await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "tls_protocol_error");
}

#[tokio::test]
async fn it_never_begins_an_answer() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.origin_first_byte = Duration::from_millis(50))
        .start()
        .await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 504, "edge_origin_timeout", "http_response_timeout");
}

#[tokio::test]
async fn it_says_something_that_is_no_http() {
    let origin = Origin::sending(b"\x00\x01\x02 hello\r\n\r\n").await;
    let edge = Edge::before(&origin).await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "http_protocol_error");
}

#[tokio::test]
async fn it_hangs_up() {
    let origin = Origin::sending(b"").await;
    let edge = Edge::before(&origin).await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "http_response_incomplete");
}

#[tokio::test]
async fn it_is_full() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.origin.max_in_flight = 1)
        .start()
        .await;
    let first = tokio::spawn(Answer::to(edge.request(Method::GET, EVENTS)));
    gate.reached_by(1).await;

    let second = edge.get(EVENTS).await;
    gate.open();

    assert_failed(&second, 503, "edge_overloaded", "connection_limit_reached");
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!(first.await.unwrap().status, 200);
    assert_eq!(edge.get(EVENTS).await.status, 200);
}

#[tokio::test]
async fn a_read_survives_a_kept_connection_that_was_closed() {
    let origin =
        Origin::sending(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
            .await;
    let edge = Edge::before(&origin).await;
    for _ in 0..5 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
}

#[tokio::test]
async fn a_write_runs_on_when_its_client_leaves() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let request = edge
        .request(Method::POST, &format!("{EVENTS}/56"))
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json")
        .body(r#"{"title":"Gala"}"#);
    let client = tokio::spawn(Answer::to(request));
    gate.reached_by(1).await;
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());

    gate.open();

    // The drain waits for the write: it would be cut if it hung on its client.
    assert_eq!(edge.drain().await, calendar_edge::app::DrainOutcome::Finished);
    assert_eq!(origin.only().method, Method::POST);
}
