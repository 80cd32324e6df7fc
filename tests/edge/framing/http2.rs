//! The same care over HTTP/2, and the limits of one connection (T-32, T-78).

use std::time::Duration;

use super::scene;
use crate::support::{Answer, EVENTS, Edge, Fate, Gate, Origin, Reply};

/// The pseudo-fields of a good read.
fn read() -> Vec<(&'static str, &'static str)> {
    vec![
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", EVENTS),
    ]
}

/// A good read with further fields.
fn with(fields: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [read(), fields.to_vec()].concat()
}

/// A good read with one field of another value.
fn but(name: &str, value: &'static str) -> Vec<(&'static str, &'static str)> {
    let replaced = |(known, old)| (known, if known == name { value } else { old });
    read().into_iter().map(replaced).collect()
}

/// A good read without one field.
fn without(name: &str) -> Vec<(&'static str, &'static str)> {
    read().into_iter().filter(|(known, _)| *known != name).collect()
}

#[tokio::test]
async fn t32_a_good_request_is_answered() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    for fields in [
        read(),
        with(&[("host", "localhost"), ("te", "trailers")]),
        with(&[("x", "")]),
        but(":scheme", "https"),
    ] {
        let stream = client.request(&fields, None).await;
        assert_eq!(client.fate(stream).await, Fate::Answered(200), "{fields:?}");
        assert_eq!(origin.take_seen().len(), 1);
    }
}

#[tokio::test]
async fn t32_what_breaks_the_protocol_ends_its_stream_at_least() {
    let (origin, edge) = scene().await;
    for fields in [
        with(&[("connection", "close")]),
        with(&[("keep-alive", "5")]),
        with(&[("proxy-connection", "close")]),
        with(&[("transfer-encoding", "chunked")]),
        with(&[("upgrade", "h2c")]),
        with(&[("te", "gzip")]),
        with(&[("X-Upper", "a")]),
        with(&[("x", "a\r\nb")]),
        with(&[("x", "a\0b")]),
        with(&[(":path", EVENTS)]),
        with(&[("x", "a"), (":method", "GET")]),
        with(&[(":odd", "a")]),
        with(&[(":status", "200")]),
        with(&[("content-length", "a")]),
        with(&[("content-length", "1")]),
        but(":path", ""),
        but(":path", "/a b"),
        but(":path", "/a\tb"),
        but(":authority", "a b"),
        but(":method", "G T"),
        without(":method"),
        without(":scheme"),
        without(":path"),
    ] {
        let mut client = edge.frames().await;
        let stream = client.request(&fields, None).await;
        let fate = client.fate(stream).await;
        assert!(matches!(fate, Fate::Reset | Fate::Ended), "{fate:?} {fields:?}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t32_what_the_library_lets_pass_is_refused() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    for fields in [
        with(&[("content-length", "0"), ("content-length", "0")]),
        with(&[("content-length", "")]),
        with(&[("content_length", "0")]),
        with(&[("transfer_encoding", "chunked")]),
        with(&[("x", " a")]),
        with(&[("x", "a ")]),
        with(&[("host", "other.example")]),
        with(&[("host", "localhost"), ("host", "localhost")]),
        but(":authority", "user@localhost"),
        but(":scheme", "ftp"),
        but(":path", "*"),
        but(":path", "?rest_route=/"),
        without(":authority"),
        vec![(":method", "CONNECT"), (":authority", "localhost:80")],
    ] {
        let stream = client.request(&fields, None).await;
        assert_eq!(client.fate(stream).await, Fate::Answered(400), "{fields:?}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t32_a_length_that_is_not_the_sum_of_the_data_forwards_nothing() {
    let (origin, edge) = scene().await;
    for (length, body) in [("2", "{\"a\":1}"), ("20", "{\"a\":1}")] {
        let mut client = edge.frames().await;
        let mut fields = but(":method", "POST");
        fields.extend([
            ("authorization", "Basic YTpi"),
            ("content-type", "application/json"),
            ("content-length", length),
        ]);
        let stream = client.request(&fields, Some(body.as_bytes())).await;
        let fate = client.fate(stream).await;
        assert!(matches!(fate, Fate::Reset | Fate::Ended), "{fate:?}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t78_streams_beyond_the_limit_are_refused() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.http2.streams = 3)
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
async fn t78_more_fields_than_allowed_are_refused_in_json() {
    let (origin, edge) = scene().await;
    let request = Edge::http2().get(edge.url(EVENTS));
    let request = (0..100).fold(request, |request, n| request.header(format!("x-{n}"), "a"));
    let answer = Answer::to(request).await;
    assert_eq!(answer.status, 431);
    assert_eq!(answer.code(), "edge_headers_too_large");
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

#[tokio::test]
async fn t78_frames_that_say_nothing_do_no_harm() {
    let (_origin, edge) = scene().await;
    let mut client = edge.frames().await;
    for _ in 0..5000 {
        // PRIORITY of a stream that does not exist, and a window that grows by one byte.
        client.frame(2, 0, 101, &[0, 0, 0, 0, 1]).await;
        client.frame(8, 0, 0, &1_u32.to_be_bytes()).await;
    }
    let stream = client.request(&read(), None).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(200));
}
