//! An origin that is down (T-70) or busy (T-71), retries (T-69), and clients that disconnect (T-76).

use std::time::{Duration, Instant};

use http::Method;

use super::{assert_failed, edge, write};
use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, Step, Wire, raw_get};

#[tokio::test]
async fn t70_nobody_listens() {
    let edge = Edge::before(&Origin::down()).await;
    let answer = edge.get(EVENTS).await;
    assert_failed(&answer, 502, "edge_origin_failed", "connection_refused");
}

#[tokio::test]
async fn t70_the_name_does_not_resolve() {
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
async fn t70_an_origin_without_tls_is_no_https_origin() {
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
async fn t71_it_is_full() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.origin.max_in_flight = 1;
            settings.timeouts.origin_queue = Duration::from_millis(100);
        })
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
async fn t69_a_read_survives_a_kept_connection_that_was_closed() {
    let origin =
        Origin::sending(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
            .await;
    let edge = Edge::before(&origin).await;
    for _ in 0..5 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
}

/// The first read of a target, and one that was judged before.
#[tokio::test]
async fn t69_the_second_try_is_the_same_request() {
    let wire = Wire::playing(|_, number| match number % 2 {
        0 => vec![Step::Close],
        _ => vec![Step::json("{}"), Step::Close],
    });
    let wire = wire.await;
    let edge = Edge::builder().site(&wire.base()).start().await;
    for _ in 0..2 {
        let read = edge.request(Method::GET, &format!("{EVENTS}?page=2&per_page=3"));
        let read = read
            .header("user-agent", "calendar/1")
            .header("authorization", "Basic YTpi");
        assert_eq!(Answer::to(read).await.status, 200);
        assert_eq!(edge.get(&format!("{EVENTS}?page=2&per_page=3")).await.status, 200);
    }
    let requests = wire.requests();
    assert_eq!(requests.len(), 8);
    for tries in requests.chunks(2) {
        assert!(
            tries[0].contains("/events?page=2&per_page=3 HTTP/1.1"),
            "{tries:?}"
        );
        assert_eq!(tries[0], tries[1]);
    }
}

#[tokio::test]
async fn t76_a_write_runs_on_when_its_client_leaves() {
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

    // The drain waits for the write, which would be cancelled if it depended on its client.
    assert!(edge.drain().await);
    assert_eq!(origin.only().method, Method::POST);
}

#[tokio::test]
async fn t70_errors_come_within_three_seconds() {
    let down = Origin::down();
    for base in [
        down.base(),
        "http://no-such-host.invalid".to_owned(),
        down.base().replace("http:", "https:"),
    ] {
        let edge = Edge::builder().site(&base).start().await;
        let started = Instant::now();
        assert_eq!(edge.get(EVENTS).await.status, 502, "{base}");
        assert!(started.elapsed() < Duration::from_secs(3), "{base}");
    }
}

#[tokio::test]
async fn t69_a_read_is_tried_twice_at_most() {
    let wire = Wire::always(vec![Step::Close]).await;
    let edge = edge(&wire, |_| {}).await;
    for reads in 1..=3 {
        assert_eq!(edge.get(EVENTS).await.status, 502);
        assert!(wire.requests().len() <= 2 * reads);
    }
}

#[tokio::test]
async fn t69_a_read_is_not_tried_again_behind_an_answer_or_a_deadline() {
    let late = vec![Step::Hang];
    let bad = vec![Step::send("HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n")];
    let short = vec![
        Step::send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"),
        Step::Close,
    ];
    for steps in [late, bad, short] {
        let wire = Wire::always(steps).await;
        let edge = edge(&wire, |settings| {
            settings.timeouts.origin_first_byte = Duration::from_millis(100);
        })
        .await;
        assert!(edge.get(EVENTS).await.status.is_server_error());
        assert_eq!(wire.requests().len(), 1);
    }
}

#[tokio::test]
async fn t69_a_write_is_sent_once() {
    for ending in [Step::Close, Step::Reset] {
        // The first response leaves a pooled connection, which the origin then closes.
        let wire = Wire::playing(move |head, _| {
            let answer = Step::json("{}");
            if head.starts_with("GET") {
                vec![answer, ending.clone()]
            } else {
                vec![ending.clone()]
            }
        })
        .await;
        let edge = edge(&wire, |_| {}).await;
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert_eq!(edge.get(EVENTS).await.status, 200);
            let before = wire.requests().len();
            let request = edge
                .request(method.clone(), &format!("{EVENTS}/56"))
                .header("authorization", "Basic YTpi")
                .header("content-type", "application/json")
                .body("{}");
            assert_eq!(Answer::to(request).await.status, 502, "{method}");
            assert_eq!(wire.requests().len(), before + 1, "{method}");
        }
    }
}

#[tokio::test]
async fn t76_a_read_is_given_up_with_its_client() {
    let wire = Wire::always(vec![Step::Hang]).await;
    let edge = edge(&wire, |_| {}).await;
    let mut client = edge.raw().await;
    client.send(raw_get(EVENTS)).await;
    wire.hanging(1).await;

    drop(client);

    tokio::time::timeout(Duration::from_secs(3), wire.ended(1))
        .await
        .expect("the exchange ends");
}

#[tokio::test]
async fn t76_a_write_is_not_repeated_when_its_client_leaves() {
    let wire = Wire::always(vec![Step::Hang]).await;
    let edge = edge(&wire, |settings| {
        settings.timeouts.origin_write = Duration::from_millis(300);
    })
    .await;
    let client = tokio::spawn(Answer::to(write(&edge)));
    wire.hanging(1).await;

    client.abort();

    wire.ended(1).await;
    assert_eq!(wire.requests().len(), 1);
}
