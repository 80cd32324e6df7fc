//! Floods of HTTP/2 frames end their connection and disturb no other (T-78).

use std::time::Duration;

use super::http2::{but, read, with};
use super::scene;
use crate::support::{Answer, EVENTS, Edge, Fate, FrameClient, Gate, Origin, Reply, fields};

const DATA: u8 = 0;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const UNKNOWN: u8 = 0xbe;

/// The flag of DATA with padding.
const PADDED: u8 = 8;

/// Waits for the end of a connection and ignores responses before it.
async fn end(client: &mut FrameClient) {
    let end = tokio::time::timeout(Duration::from_secs(20), client.fate(u32::MAX));
    assert_eq!(end.await.expect("the edge does not wait"), Fate::Ended);
}

/// A request over a connection of its own gets a response.
async fn others_are_served(edge: &Edge) {
    assert_eq!(edge.get(EVENTS).await.status, 200);
}

#[tokio::test]
async fn t78_frames_without_a_purpose_end_the_connection() {
    let (_origin, edge) = scene().await;
    let one = 1_u32.to_be_bytes();
    for (kind, stream, payload) in [
        (SETTINGS, 0, &[][..]),
        (SETTINGS, 0, &[0, 4, 0, 0, 0, 0]),
        (PING, 0, &[0; 8]),
        (PRIORITY, 101, &[0, 0, 0, 0, 1]),
        (WINDOW_UPDATE, 0, &one),
        (RST_STREAM, 1, &[0, 0, 0, 8]),
        (UNKNOWN, 0, &[]),
        (UNKNOWN, 7, &[0; 100]),
    ] {
        let mut client = edge.frames().await;
        let stream_1 = client.request(&read(), None).await;
        assert_eq!(client.fate(stream_1).await, Fate::Answered(200));
        for _ in 0..3000 {
            client.frame(kind, 0, stream, payload).await;
        }
        others_are_served(&edge).await;
        end(&mut client).await;
    }
}

#[tokio::test]
async fn t78_small_data_ends_the_connection() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.http2.frames = 1)
        .start()
        .await;
    let padded = [&[255, b'a'][..], &[0; 255]].concat();
    for (flags, payload) in [(0, &b"a"[..]), (PADDED, &padded)] {
        let mut client = edge.frames().await;
        let stream = client.open(&but(":method", "POST")).await;
        for _ in 0..2500 {
            client.frame(DATA, flags, stream, payload).await;
        }
        end(&mut client).await;
        others_are_served(&edge).await;
    }
    assert_eq!(origin.seen().len(), 2, "the others'");
}

#[tokio::test]
async fn t78_an_upload_in_small_pieces_is_read() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    let path = format!("{EVENTS}/56");
    let stream = client
        .open(&[
            (":method", "POST"),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", &path),
            ("authorization", "Basic YTpi"),
            ("content-type", "application/json"),
        ])
        .await;
    // As much as a client may send at first, in pieces of 20 bytes.
    let body = format!("{{\"title\":\"{}\"}}", "a".repeat(60_000));
    client.body_at_once(stream, body.as_bytes().chunks(20)).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(200));
    assert_eq!(origin.only().body, body);
}

#[tokio::test]
async fn t78_requests_taken_back_once_begun_end_the_connection() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.http2.frames = 4)
        .start()
        .await;
    let mut client = edge.frames().await;
    for begun in 1..=10 {
        let stream = client.request(&read(), None).await;
        gate.reached_by(begun).await;
        client.frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()).await;
    }
    let stream = client.request(&read(), None).await;
    client.frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()).await;
    client.frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()).await;
    end(&mut client).await;
    gate.open();
    others_are_served(&edge).await;
}

#[tokio::test]
async fn t78_windows_opened_byte_by_byte_end_the_connection() {
    let list = format!("[\"{}\"]", "a".repeat(5000));
    let origin = Origin::always(Reply::json(200, &list)).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.frames().await;
    client.frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]).await;
    let stream = client.request(&read(), None).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(200));
    for _ in 0..4000 {
        client.frame(WINDOW_UPDATE, 0, stream, &1_u32.to_be_bytes()).await;
    }
    end(&mut client).await;
}

#[tokio::test]
async fn t78_busy_honest_connections_go_on() {
    let (_origin, edge) = scene().await;
    let mut client = edge.frames().await;
    for _ in 0..500 {
        let stream = client.request(&read(), None).await;
        assert_eq!(client.fate(stream).await, Fate::Answered(200));
        // The frames of a client that acknowledges each response and measures the round-trip time.
        client.frame(WINDOW_UPDATE, 0, stream, &2_u32.to_be_bytes()).await;
        client.frame(WINDOW_UPDATE, 0, 0, &2_u32.to_be_bytes()).await;
        client.frame(PING, 0, 0, &[7; 8]).await;
    }
}

#[tokio::test]
async fn t78_streams_beyond_the_limit_are_refused() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.http2.max_concurrent_streams = 3)
        .start()
        .await;
    let mut client = edge.frames().await;
    for _ in 0..3 {
        client.request(&read(), None).await;
    }
    gate.reached_by(3).await;
    let fourth = client.request(&read(), None).await;
    assert_eq!(client.fate(fourth).await, Fate::Reset);
    gate.open();
}

#[tokio::test]
async fn t78_heads_beyond_their_limits_are_refused_in_json() {
    let (origin, edge) = scene().await;
    // The library's own limit lies well above these.
    for (fields, bytes) in [(100, 1), (1, 17 * 1024), (3, 13 * 1024)] {
        let request = Edge::http2().get(edge.url(EVENTS));
        let request = (0..fields).fold(request, |request, n| {
            request.header(format!("x-{n}"), "a".repeat(bytes))
        });
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, 431, "{fields} of {bytes}");
        assert_eq!(answer.code(), "edge_headers_too_large");
    }
    let target = format!("{EVENTS}?search={}", "a".repeat(9000));
    let answer = Answer::to(Edge::http2().get(edge.url(&target))).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (414, "edge_target_too_long")
    );
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t78_a_header_list_beyond_the_limit_is_refused_and_far_beyond_ends_the_connection() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.http2.header_list_bytes = 4096)
        .start()
        .await;
    // Each field counts 73 bytes.
    let field = ("x", "0123456789012345678901234567890123456789");
    let mut client = edge.frames().await;
    let beyond = client.request(&with(&vec![field; 60]), None).await;
    assert_eq!(client.fate(beyond).await, Fate::Answered(431));
    let far_beyond = client.request(&with(&vec![field; 300]), None).await;
    assert_eq!(client.fate(far_beyond).await, Fate::Ended);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t78_a_bomb_of_references_ends_the_connection_and_its_pieces_are_refused() {
    let (origin, edge) = scene().await;
    // A field of 4033 bytes that the table keeps (RFC 7541 6.2.1); from then on one byte means it (6.1).
    let field = [b"\x40\x01x\x7f\xa1\x1e".as_slice(), &[b'a'; 4000]].concat();
    for (references, expected) in [
        (20, Fate::Answered(431)),
        (80, Fate::Ended),
        (12_000, Fate::Ended),
    ] {
        let mut client = edge.frames().await;
        let block = [fields(&read()), field.clone(), vec![0xbe; references]].concat();
        client.frame(1, 5, 1, &block).await;
        assert_eq!(client.fate(1).await, expected, "{references}");
        others_are_served(&edge).await;
    }
    assert_eq!(origin.seen().len(), 3, "the others'");
}

#[tokio::test]
async fn t78_streams_reset_at_once_end_the_connection() {
    let (_origin, edge) = scene().await;
    let mut client = edge.frames().await;
    let mut last = 0;
    for _ in 0..2000 {
        last = client.request(&read(), None).await;
        client.frame(3, 0, last, &8_u32.to_be_bytes()).await;
    }
    let fate = tokio::time::timeout(Duration::from_secs(10), client.fate(last)).await;
    assert_eq!(fate.expect("the edge does not wait"), Fate::Ended);
}

#[tokio::test]
async fn t78_provoked_resets_end_the_connection() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    let mut last = 0;
    for _ in 0..200 {
        last = client.request(&with(&[("connection", "close")]), None).await;
    }
    let fate = tokio::time::timeout(Duration::from_secs(10), client.fate(last)).await;
    assert_eq!(fate.expect("the edge does not wait"), Fate::Ended);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t78_endless_continuations_end_the_connection() {
    let (_origin, edge) = scene().await;
    let mut client = edge.frames().await;
    client.frame(1, 0, 1, &[]).await;
    for _ in 0..50 {
        client.frame(9, 0, 1, &[]).await;
    }
    let fate = tokio::time::timeout(Duration::from_secs(10), client.fate(1)).await;
    assert_eq!(fate.expect("the edge does not wait"), Fate::Ended);
}

#[tokio::test]
async fn t78_empty_data_ends_the_connection() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    let stream = client.open(&but(":method", "POST")).await;
    for _ in 0..2000 {
        client.frame(0, 0, stream, &[]).await;
    }
    let fate = tokio::time::timeout(Duration::from_secs(10), client.fate(stream)).await;
    assert_eq!(fate.expect("the edge does not wait"), Fate::Ended);
    assert!(origin.seen().is_empty());
}
