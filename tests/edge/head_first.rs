//! A request that its head decides gets its response without a byte of its body.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::{Mode, Profile, Settings, Writes};
use futures_util::future::join_all;

use crate::support::{EVENTS, Edge, Fate, Origin, RawAnswer, Reply};

const JSON: &str = "Content-Type: application/json\r\n";
const LOGIN: &str = "Authorization: Basic YTpi\r\n";

/// Far below every timeout of a body.
const AT_ONCE: Duration = Duration::from_secs(4);

async fn edge(origin: &Origin, settings: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder().origin(origin).settings(settings).start().await
}

/// The response to a head alone.
async fn told(edge: &Edge, target: &str, fields: &str) -> RawAnswer {
    let head = format!("POST {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n");
    let mut client = edge.raw().await;
    let answer = tokio::time::timeout(AT_ONCE, client.send(head).await.answer());
    answer
        .await
        .unwrap_or_else(|_| panic!("no answer to {target} {fields}"))
}

async fn refused(edge: &Edge, target: &str, fields: &str, expected: (u16, &str)) {
    let lengths = [
        "Content-Length: 8\r\n",
        "Content-Length: 1000000\r\n",
        "Transfer-Encoding: chunked\r\n",
    ];
    // At once, as each connection lingers before it is closed.
    join_all(lengths.map(async |length| {
        let fields = format!("{fields}{length}");
        let answer = told(edge, target, &fields).await;
        assert_eq!(answer.status, expected.0, "{target} {fields}: {}", answer.body);
        assert!(answer.body.contains(expected.1), "{fields}: {}", answer.body);
        assert_eq!(answer.header("connection"), Some("close"), "{fields}");
    }))
    .await;
}

#[tokio::test]
async fn missing_credentials_are_told_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |_| {}).await;
    let event = format!("{EVENTS}/56");
    for fields in [
        "",
        JSON,
        "Cookie: a=b\r\n",
        "Content-Type: multipart/form-data; boundary=x\r\n",
    ] {
        refused(&edge, &event, fields, (401, "rest_forbidden")).await;
    }
    refused(
        &edge,
        &format!("{event}?_envelope=1"),
        JSON,
        (200, "\"status\":401"),
    )
    .await;
    let started = Instant::now();
    let fields = format!("{JSON}Content-Length: 8\r\nExpect: 100-continue\r\n");
    assert_eq!(told(&edge, &event, &fields).await.status, 401);
    assert!(
        started.elapsed() < Duration::from_secs(1),
        "nobody waits for a body that is not sent"
    );
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_short_body_without_credentials_still_chooses_the_words() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |_| {}).await;
    let broken = format!("{EVENTS}/56");
    for (body, status, code) in [
        ("{", 400, "rest_invalid_json"),
        (r#"{"title":"x"}"#, 401, "rest_forbidden"),
    ] {
        let answer = told(
            &edge,
            &broken,
            &format!("{JSON}Content-Length: {}\r\n\r\n{body}", body.len()),
        )
        .await;
        assert_eq!((answer.status, answer.header("connection")), (status, None));
        assert!(answer.body.contains(code), "{}", answer.body);
    }
}

#[tokio::test]
async fn unlisted_writers_are_told_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    for (mode, writes, fields) in [
        (Mode::Enforce, Writes::Credentials, LOGIN),
        (Mode::Report, Writes::Credentials, LOGIN),
        (Mode::Off, Writes::Credentials, ""),
        (Mode::Enforce, Writes::Forward, ""),
    ] {
        let edge = edge(&origin, |settings| {
            settings.mode = mode;
            settings.writes = writes;
            settings.writers = vec!["editor".to_owned()];
        })
        .await;
        let fields = format!("{fields}{JSON}");
        refused(
            &edge,
            &format!("{EVENTS}/56"),
            &fields,
            (403, "edge_writer_denied"),
        )
        .await;
    }
    let edge = edge(&origin, |settings| settings.writers = vec!["editor".to_owned()]).await;
    refused(&edge, EVENTS, JSON, (401, "rest_forbidden")).await;
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn addresses_are_refused_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.write_addresses = vec!["10.0.0.0/8".parse().expect("a network")];
    })
    .await;
    refused(&edge, EVENTS, LOGIN, (403, "edge_address_denied")).await;
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn what_is_not_offered_is_refused_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.read_only = true).await;
    refused(&edge, EVENTS, LOGIN, (403, "edge_read_only")).await;
    refused(&edge, &format!("{EVENTS}/by-slug"), LOGIN, (404, "rest_no_route")).await;
    refused(
        &edge,
        &format!("{EVENTS}?_jsonp=a-b"),
        LOGIN,
        (400, "rest_callback_invalid"),
    )
    .await;
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn strict_refuses_media_and_sizes_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.profile = Profile::Strict).await;
    let image = format!("{LOGIN}Content-Type: image/png\r\n");
    refused(&edge, EVENTS, &image, (415, "edge_unsupported_media_type")).await;
    let large = format!("{LOGIN}{JSON}Content-Length: 1048577\r\n");
    let answer = told(&edge, EVENTS, &large).await;
    assert_eq!(answer.status, 413);
    assert!(answer.body.contains("edge_body_too_large"), "{}", answer.body);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_stream_of_http2_is_answered_by_its_head() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.profile = Profile::Strict).await;
    let mut client = edge.frames().await;
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", "/wp-json/calendar/events/v1/events?start=%00"),
        ("authorization", "Basic"),
    ];
    let stream = client.open(&fields).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(400));
    assert!(origin.seen().is_empty());
}
