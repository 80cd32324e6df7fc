//! Clients that do not read their responses do not block others.

use std::time::{Duration, Instant};

use crate::support::{EVENTS, Edge, Fate, Origin, RawAnswer, RawClient, Reply};

/// More than the kernel buffers for a connection whose client does not read.
const LARGE: usize = 24 << 20;

/// The end of a complete response.
const END: &[u8] = b"\r\n0\r\n\r\n";

/// Responds with a large document if the search requests one.
async fn origin() -> Origin {
    let filler = "x".repeat(LARGE);
    let large = Reply::json(200, &format!("{{\"events\":[],\"filler\":\"{filler}\"}}"));
    Origin::answering(move |seen| {
        if seen.target.contains("large") {
            large.clone()
        } else {
            Reply::json(200, "{}")
        }
    })
    .await
}

/// An edge with this number of permits toward the site.
async fn edge_with(places: usize, origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.origin.max_in_flight = places)
        .start()
        .await
}

/// Requests the large document, and reads only the head of the response.
async fn slow_reader(edge: &Edge) -> RawClient {
    reader_and_head(edge).await.0
}

async fn reader_and_head(edge: &Edge) -> (RawClient, RawAnswer) {
    let mut client = edge.raw().await;
    client
        .send(format!(
            "GET {EVENTS}?search=large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        ))
        .await;
    let head = client.head().await;
    assert_eq!(head.status, 200);
    (client, head)
}

#[tokio::test]
async fn t71_slow_readers_give_way_when_others_wait() {
    let origin = origin().await;
    let edge = edge_with(2, &origin).await;
    let mut readers = [slow_reader(&edge).await, slow_reader(&edge).await];

    for _ in 0..3 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }

    let [first, second] = &mut readers;
    let cut = first.rest().await;
    assert!(cut.len() < LARGE && !cut.ends_with(END), "no clean end");
    // One permit was enough, and the first response had the longest pause.
    assert!(second.rest().await.ends_with(END));
    let base = origin.base();
    let revoked = format!(r#"edge_origin_revoked_permits_total{{backend="{base}",traffic="calls"}}"#);
    assert_eq!(edge.metric(&revoked).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn t71_a_slow_reader_gets_all_of_its_answer_while_there_is_room() {
    let origin = origin().await;
    let edge = edge_with(2, &origin).await;
    let mut reader = slow_reader(&edge).await;
    for _ in 0..3 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    assert!(reader.rest().await.ends_with(END));
}

#[tokio::test]
async fn t71_a_crowd_of_slow_readers_gives_way_at_once() {
    let origin = origin().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.origin.max_in_flight = 2;
            settings.limits.response_buffer_bytes = 64 << 10;
            settings.timeouts.origin_queue = Duration::from_secs(30);
        })
        .start()
        .await;
    let mut crowd = Vec::new();
    for number in 0..40 {
        let mut client = edge.raw().await;
        client
            .send(format!(
                "GET {EVENTS}?search=large{number} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            ))
            .await;
        crowd.push(client);
    }

    let started = Instant::now();
    assert_eq!(edge.get(EVENTS).await.status, 200);
    // Half a second for the crowd, and the time to send their responses. Half a second each would be ten.
    assert!(
        started.elapsed() < Duration::from_millis(9_500),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn t74_what_waits_for_slow_clients_is_bounded_together() {
    let origin = origin().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.limits.response_buffer_bytes = 2 * LARGE;
            settings.limits.response_buffer_total = LARGE / 2;
        })
        .start()
        .await;
    let is_held = |head: &RawAnswer| head.header("content-length").is_some();

    let (mut first, head) = reader_and_head(&edge).await;
    assert!(is_held(&head), "there is room");
    let (mut second, head) = reader_and_head(&edge).await;
    assert!(!is_held(&head), "it streams");
    assert_eq!(
        edge.get(EVENTS).await.body,
        "{}",
        "small answers always find room"
    );

    assert!(first.rest().await.len() > LARGE);
    assert!(second.rest().await.ends_with(END));
    let (_third, head) = reader_and_head(&edge).await;
    assert!(is_held(&head), "there is room again");
}

#[tokio::test]
async fn t74_a_client_that_takes_nothing_is_cut() {
    let origin = origin().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.timeouts.client_write = Duration::from_millis(60);
            settings.limits.connections = 1;
        })
        .start()
        .await;
    let mut reader = slow_reader(&edge).await;

    // The limit is one connection: the second is accepted once the first is closed.
    assert_eq!(edge.get(EVENTS).await.status, 200);

    assert!(reader.rest().await.len() < LARGE);
}

#[tokio::test]
async fn t74_a_stream_that_is_not_taken_is_reset() {
    let origin = origin().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_write = Duration::from_millis(60))
        .start()
        .await;
    let mut client = edge.frames().await;
    // SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 6.5.2) is 0: no response may send body bytes.
    client.frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]).await;
    let large = format!("{EVENTS}?search=large");
    for target in [EVENTS, &large, EVENTS] {
        let stream = client
            .request(
                &[
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":authority", "localhost"),
                    (":path", target),
                ],
                None,
            )
            .await;
        assert_eq!(client.fate(stream).await, Fate::Answered(200), "{target}");
        assert_eq!(client.fate(stream).await, Fate::Reset, "{target}");
    }
}

#[tokio::test]
async fn a_large_answer_comes_whole_over_http2() {
    let origin = origin().await;
    let edge = Edge::before(&origin).await;
    let answer = Edge::http2()
        .get(edge.url(&format!("{EVENTS}?search=large")))
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.version(), http::Version::HTTP_2);
    let body = answer.bytes().await.expect("a whole body");
    assert!(body.len() > LARGE && body.ends_with(b"x\"}"));
}
