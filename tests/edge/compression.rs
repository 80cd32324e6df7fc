//! Compressed responses: for which clients, of which types, and with equal content.

use std::io::Read;

use bytes::Bytes;
use calendar_edge_core::settings::{OtherTraffic, Settings};
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, COOKIE, ETAG,
    IF_NONE_MATCH, RANGE, VARY,
};
use http::{HeaderMap, HeaderName, Method, StatusCode};

use super::support::{Edge, Origin, Reply};

const LIST: &str = "/wp-json/calendar/events/v1/events";

/// A response with its body as it was sent.
struct Received {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

// === impl Received ===

impl Received {
    async fn to(edge: &Edge, method: Method, target: &str, fields: &[(HeaderName, &str)]) -> Self {
        let mut request = edge.request(method, target);
        for (name, value) in fields {
            request = request.header(name, *value);
        }
        let response = request.send().await.expect("a response");
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.bytes().await.expect("a whole body"),
        }
    }

    async fn get(edge: &Edge, accepted: &str) -> Self {
        Self::to(edge, Method::GET, LIST, &[(ACCEPT_ENCODING, accepted)]).await
    }

    fn coding(&self) -> &str {
        let coding = self.headers.get(CONTENT_ENCODING);
        coding.map_or("", |coding| coding.to_str().expect("text"))
    }

    fn varies(&self) -> bool {
        let mut fields = self.headers.get_all(VARY).iter();
        fields.any(|field| field.to_str().expect("text").contains("Accept-Encoding"))
    }

    fn plain(&self) -> String {
        let mut text = String::new();
        let body: &[u8] = &self.body;
        let read = match self.coding() {
            "" => Ok(body.len()).inspect(|_| text = String::from_utf8_lossy(body).into_owned()),
            "gzip" => flate2::read::GzDecoder::new(body).read_to_string(&mut text),
            "br" => brotli::Decompressor::new(body, 4096).read_to_string(&mut text),
            "zstd" => zstd::stream::read::Decoder::new(body)
                .expect("a decoder")
                .read_to_string(&mut text),
            other => panic!("an unknown coding: {other}"),
        };
        read.expect("a whole body");
        text
    }
}

/// A list of so many events.
fn list(events: usize) -> String {
    let event = r#"{"id":50,"title":"Jazz \u0026 more","description":"<p>An evening with friends.<\/p>"}"#;
    format!(
        r#"{{"events":[{}],"total":{events}}}"#,
        vec![event; events].join(",")
    )
}

async fn edge_before(body: String, change: impl FnOnce(&mut Settings)) -> (Edge, Origin) {
    let origin = Origin::answering(move |_| Reply::json(200, &body).header("x-tec-total", "7")).await;
    let edge = Edge::builder().origin(&origin).settings(change).start().await;
    // The origin ends when it is dropped.
    (edge, origin)
}

#[tokio::test]
async fn a_list_leaves_in_the_form_that_its_client_likes_best() {
    let (edge, _origin) = edge_before(list(60), |_| {}).await;
    for (accepted, coding) in [
        ("gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate, br, zstd", "br"),
        ("zstd;q=1, br;q=0.9, gzip;q=0.8", "zstd"),
        ("br;q=0, *", "zstd"),
        ("identity", ""),
        ("deflate", ""),
        ("*;q=0", ""),
        ("gzip;q=0.2, identity;q=0.8", ""),
    ] {
        let answer = Received::get(&edge, accepted).await;
        assert_eq!(answer.status, StatusCode::OK, "{accepted}");
        assert_eq!(answer.coding(), coding, "{accepted}");
        assert_eq!(answer.plain(), list(60), "{accepted}");
        assert!(answer.varies(), "{accepted}");
        assert_eq!(answer.headers["x-tec-total"], "7", "{accepted}");
        assert!(
            coding.is_empty() || answer.body.len() < 1000,
            "{accepted}: {}",
            answer.body.len()
        );
        let length = answer
            .headers
            .get(CONTENT_LENGTH)
            .map(|length| length.to_str().expect("text"));
        assert!(
            length.is_none_or(|length| length == answer.body.len().to_string()),
            "{accepted}"
        );
    }
    let answer = Received::to(&edge, Method::GET, LIST, &[]).await;
    assert_eq!((answer.coding(), answer.varies()), ("", true));
}

#[tokio::test]
async fn short_answers_and_switched_off_ones_have_one_form() {
    let (short, _origin) = edge_before(list(2), |_| {}).await;
    let (off, _other) = edge_before(list(60), |settings| settings.compression.enabled = false).await;
    for edge in [&short, &off] {
        let answer = Received::get(edge, "gzip, br").await;
        assert_eq!((answer.coding(), answer.varies()), ("", false));
    }
}

#[tokio::test]
async fn answers_beside_a_secret_are_not_compressed() {
    let (edge, _origin) = edge_before(list(60), |_| {}).await;
    let login = "wordpress_logged_in_0123456789abcdef0123456789abcdef=x%7C1%7Cy%7Cz";
    let secrets = [(AUTHORIZATION, "Basic dXNlcjpwYXNz"), (COOKIE, login)];
    for secret in secrets {
        let fields = [(ACCEPT_ENCODING, "gzip"), secret];
        let answer = Received::to(&edge, Method::GET, LIST, &fields).await;
        assert_eq!((answer.coding(), answer.plain()), ("", list(60)));
    }
}

#[tokio::test]
async fn the_rest_of_the_site_leaves_as_the_site_sent_it() {
    let page = "<p>A page.</p>".repeat(500);
    let sent = page.clone();
    let origin = Origin::answering(move |seen| match seen.target.as_str() {
        "/packed" => Reply::of_type(200, "text/html", "packed").header("content-encoding", "gzip"),
        _ => Reply::of_type(200, "text/html", &sent),
    })
    .await;
    let forward = |settings: &mut Settings| settings.other = OtherTraffic::Forward;
    let edge = Edge::builder().origin(&origin).settings(forward).start().await;
    let fields = [(ACCEPT_ENCODING, "gzip")];
    let answer = Received::to(&edge, Method::GET, "/page", &fields).await;
    assert_eq!(
        (answer.coding(), answer.varies(), answer.plain()),
        ("", false, page)
    );
    let answer = Received::to(&edge, Method::GET, "/packed", &fields).await;
    assert_eq!(
        (answer.coding(), &answer.body[..]),
        ("gzip", b"packed".as_slice())
    );
}

#[tokio::test]
async fn a_streamed_list_is_compressed_while_it_passes() {
    let (edge, _origin) = edge_before(list(40_000), |_| {}).await;
    for (accepted, most) in [("gzip", 60_000), ("br", 40_000), ("zstd", 40_000)] {
        let answer = Received::get(&edge, accepted).await;
        assert_eq!(answer.coding(), accepted);
        assert!(answer.body.len() < most, "{accepted}: {}", answer.body.len());
        assert!(answer.plain() == list(40_000), "{accepted} says something else");
    }
}

#[tokio::test]
async fn head_promises_nothing_that_get_does_not_keep() {
    let (edge, _origin) = edge_before(list(60), |_| {}).await;
    let fields = [(ACCEPT_ENCODING, "gzip")];
    let get = Received::to(&edge, Method::GET, LIST, &fields).await;
    let head = Received::to(&edge, Method::HEAD, LIST, &fields).await;
    assert!(head.body.is_empty());
    for (name, value) in &head.headers {
        let differs = ["date", "x-request-id", "age", "cache-status"].contains(&name.as_str());
        assert!(
            differs || get.headers.get_all(name).iter().any(|other| other == value),
            "{name}"
        );
    }
    let refused = Received::to(
        &edge,
        Method::HEAD,
        "/wp-json/calendar/events/v1/events?page=x",
        &fields,
    )
    .await;
    assert_eq!((refused.status, refused.coding()), (StatusCode::BAD_REQUEST, ""));
}

#[tokio::test]
async fn head_varies_as_get_does_although_it_has_no_length() {
    let (edge, _origin) = edge_before(list(60), |_| {}).await;
    for accepted in ["gzip", "identity"] {
        let fields = [(ACCEPT_ENCODING, accepted)];
        let get = Received::to(&edge, Method::GET, LIST, &fields).await;
        let head = Received::to(&edge, Method::HEAD, LIST, &fields).await;
        assert!(!head.headers.contains_key(CONTENT_LENGTH), "{accepted}");
        assert_eq!((get.varies(), head.varies()), (true, true), "{accepted}");
    }
}

#[tokio::test]
async fn a_304_has_the_fields_of_the_form_in_whose_place_it_stands() {
    let kept = |settings: &mut Settings| settings.cache.enabled = true;
    for (events, accepted) in [(60, "gzip"), (60, "identity"), (2, "gzip"), (2, "identity")] {
        let (edge, _origin) = edge_before(list(events), kept).await;
        let whole = Received::get(&edge, accepted).await;
        let fields = [(ACCEPT_ENCODING, accepted), (IF_NONE_MATCH, "*")];
        for method in [Method::GET, Method::HEAD] {
            let unchanged = Received::to(&edge, method, LIST, &fields).await;
            assert_eq!(unchanged.status, StatusCode::NOT_MODIFIED, "{events} {accepted}");
            assert_eq!(
                (unchanged.headers.get(ETAG), unchanged.varies()),
                (whole.headers.get(ETAG), whole.varies()),
                "{events} {accepted}"
            );
        }
    }
}

#[tokio::test]
async fn a_range_is_answered_whole_and_other_methods_as_well() {
    let (edge, _origin) = edge_before(list(60), |_| {}).await;
    let fields = [(ACCEPT_ENCODING, "gzip"), (RANGE, "bytes=0-9")];
    let answer = Received::to(&edge, Method::GET, LIST, &fields).await;
    assert_eq!((answer.status, answer.plain()), (StatusCode::OK, list(60)));
    let fields = [(ACCEPT_ENCODING, "gzip")];
    let answer = Received::to(&edge, Method::OPTIONS, LIST, &fields).await;
    assert_eq!(answer.plain(), list(60));
}

#[tokio::test]
async fn what_nobody_may_change_is_not_changed() {
    for is_kept in [false, true] {
        let body = list(60);
        let forbidden = "max-age=60, No-Transform";
        let origin =
            Origin::answering(move |_| Reply::json(200, &body).header("cache-control", forbidden)).await;
        let kept = |settings: &mut Settings| settings.cache.enabled = is_kept;
        let edge = Edge::builder().origin(&origin).settings(kept).start().await;
        for _ in 0..2 {
            let answer = Received::get(&edge, "gzip").await;
            assert_eq!((answer.coding(), answer.varies()), ("", false));
            let told = answer.headers[CACHE_CONTROL].to_str().expect("text");
            assert!(told.to_lowercase().contains("no-transform"), "{told}");
        }
    }
}

#[tokio::test]
async fn one_field_says_what_an_answer_varies_by() {
    for (site, expected) in [
        (None, "Accept-Encoding"),
        (Some("Origin"), "Origin, Accept-Encoding"),
        (Some("accept-encoding"), "accept-encoding"),
    ] {
        let origin = Origin::answering(move |_| {
            let reply = Reply::json(200, &list(60));
            match site {
                Some(names) => reply.header("vary", names),
                None => reply,
            }
        })
        .await;
        let edge = Edge::builder().origin(&origin).start().await;
        for _asked in 0..2 {
            let answer = Received::get(&edge, "gzip").await;
            let fields: Vec<_> = answer.headers.get_all(VARY).iter().collect();
            assert_eq!(fields, [expected], "{site:?}");
        }
    }
}
