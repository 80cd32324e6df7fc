//! The same rules over HTTP/2 (T-32).

use super::scene;
use crate::support::{EVENTS, Fate};

/// The pseudo-fields of a good read.
pub(super) fn read() -> Vec<(&'static str, &'static str)> {
    vec![
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", EVENTS),
    ]
}

/// A good read with further fields.
pub(super) fn with(fields: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [read(), fields.to_vec()].concat()
}

/// A good read with one field of another value.
pub(super) fn but(name: &str, value: &'static str) -> Vec<(&'static str, &'static str)> {
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

/// The fields of a good read before its path.
fn before_path() -> Vec<u8> {
    let mut fields = read();
    fields.retain(|(name, _)| *name != ":path");
    crate::support::fields(&fields)
}

#[tokio::test]
async fn t32_a_fragment_is_cut_and_never_reaches_the_origin() {
    let (origin, edge) = scene().await;
    let plain = format!("{EVENTS}?page=2#&page=3");
    let length = u8::try_from(plain.len()).unwrap();
    for (path, says) in [
        (
            [&[0x44, length][..], plain.as_bytes()].concat(),
            "an entry of the table",
        ),
        ([&[0x04, length][..], plain.as_bytes()].concat(), "no entry"),
        (crate::support::fields(&[(":path", &plain)]), "a name as text"),
    ] {
        let mut client = edge.frames().await;
        let stream = client.block(&[before_path(), path].concat()).await;
        assert_eq!(client.fate(stream).await, Fate::Answered(200), "{says}");
        let seen = origin.take_seen();
        assert!(seen[0].target.contains("page=2"), "{says}: {}", seen[0].target);
        assert!(!seen[0].target.contains(['#', '3']), "{says}: {}", seen[0].target);
    }
    for path in ["/#", "/a?b=c#d"] {
        let mut client = edge.frames().await;
        let path = crate::support::fields(&[(":path", path)]);
        let stream = client.block(&[before_path(), path].concat()).await;
        assert_eq!(
            client.fate(stream).await,
            Fate::Answered(404),
            "judged without the fragment"
        );
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t32_number_signs_elsewhere_pass() {
    let (origin, edge) = scene().await;
    let mut client = edge.frames().await;
    let agent = "reader/1 (#7)";
    let fields = with(&[("user-agent", agent), ("x", "a#b")]);
    let stream = client.request(&fields, None).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(200));
    let seen = origin.take_seen();
    assert_eq!(seen[0].header("user-agent"), Some(agent));
}

#[tokio::test]
async fn t32_fields_that_cannot_be_decoded_are_no_request() {
    let (origin, edge) = scene().await;
    let block = crate::support::fields(&read());
    let (end_headers, end_stream, priority) = (4, 1, 32);
    let on_itself = [&[0, 0, 0, 1, 9], block.as_slice()].concat();
    for (kind, flags, payload) in [
        (1, end_headers | end_stream | priority, on_itself),
        (1, end_headers | end_stream, [&[0x80][..], &block].concat()),
        (1, end_headers | end_stream, block[..block.len() - 1].to_vec()),
        (5, end_headers, [&[0, 0, 0, 2], block.as_slice()].concat()),
        (9, end_headers, block),
    ] {
        let mut client = edge.frames().await;
        client.frame(kind, flags, 1, &payload).await;
        let fate = client.fate(1).await;
        assert!(
            matches!(fate, Fate::Ended | Fate::Reset),
            "{kind} {flags}: {fate:?}"
        );
    }
    assert!(origin.seen().is_empty());
}
