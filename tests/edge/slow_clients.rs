//! Time limits for slow clients.

use std::time::Duration;

use crate::support::{EVENTS, Edge, Origin, Reply, raw_get};

const SHORT: Duration = Duration::from_millis(60);

/// An idle connection is parked by then.
const PARKED: Duration = Duration::from_secs(6);

#[tokio::test]
async fn silent_and_dripping_connections_are_closed() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_head = SHORT)
        .start()
        .await;
    for beginning in ["", "G", "GET / HTTP/1.1\r\nHost: loc", "PRI * HTTP/2.0\r\n\r\nSM"] {
        let mut client = edge.raw().await;
        assert!(
            client.send(beginning).await.rest().await.is_empty(),
            "{beginning}"
        );
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_kept_connection_is_closed_when_it_stays_idle() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_idle = SHORT)
        .start()
        .await;
    let mut client = edge.raw().await;
    let request = raw_get(EVENTS);

    assert_eq!(client.send(&request).await.answer().await.status, 200);
    assert_eq!(client.send(&request).await.answer().await.status, 200);

    assert!(client.rest().await.is_empty());
    assert_eq!(origin.seen().len(), 2);
}

/// An idle connection is parked after five seconds. Its client does not notice.
#[tokio::test]
async fn a_connection_goes_on_after_a_pause() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let request = raw_get(EVENTS);
    let (begin, rest) = request.split_at(7);
    let (mut at_once, mut slow, mut pipelining) = tokio::join!(edge.raw(), edge.raw(), edge.raw());
    for client in [&mut at_once, &mut slow, &mut pipelining] {
        assert_eq!(client.send(&request).await.answer().await.status, 200);
    }
    tokio::time::sleep(PARKED).await;
    slow.send(begin).await;
    assert_eq!(at_once.send(&request).await.answer().await.status, 200);
    assert_eq!(slow.send(rest).await.answer().await.status, 200);
    pipelining.send(request.repeat(3)).await;
    for _ in 0..3 {
        assert_eq!(pipelining.answer().await.status, 200);
    }
    assert_eq!(origin.seen().len(), 8);
    // A request that is refused for its bytes is still the connection's last.
    let refused = at_once
        .send("GET / HTTP/1.1\r\nHost : a\r\n\r\n")
        .await
        .answer()
        .await;
    assert_eq!(
        (refused.status, refused.header("connection")),
        (400, Some("close"))
    );
    assert!(at_once.rest().await.is_empty());
}

#[tokio::test]
async fn a_parked_connection_is_closed_by_its_limit_and_by_the_drain() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let request = raw_get(EVENTS);
    let limited = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_idle = PARKED)
        .start()
        .await;
    let drained = Edge::before(&origin).await;
    let (mut idle, mut last) = tokio::join!(limited.raw(), drained.raw());
    for client in [&mut idle, &mut last] {
        assert_eq!(client.send(&request).await.answer().await.status, 200);
    }
    assert!(idle.rest().await.is_empty());
    assert!(drained.drain().await);
    assert!(last.rest().await.is_empty());
}

#[tokio::test]
async fn a_second_head_must_come_as_fast_as_the_first() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_head = SHORT)
        .start()
        .await;
    let mut client = edge.raw().await;
    let request = raw_get(EVENTS);
    assert_eq!(client.send(&request).await.answer().await.status, 200);

    assert!(client.send("GET / HT").await.rest().await.is_empty());
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let origin = Origin::answering(|seen| {
        let page = seen.target.rsplit('=').next().unwrap_or_default();
        Reply::json(200, &format!("[{page}]"))
    })
    .await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;
    let requests: String = (1..=3).fold(String::new(), |requests, page| {
        requests + &raw_get(&format!("{EVENTS}?page={page}"))
    });
    client.send(requests).await;
    for expected in ["[1]", "[2]", "[3]"] {
        assert_eq!(client.answer().await.body, expected);
    }
}
