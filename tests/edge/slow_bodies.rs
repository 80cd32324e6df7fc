//! The minimum rate of request bodies, over both versions of HTTP, for the calendar and the rest of the site.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::OtherTraffic;

use crate::support::{EVENTS, Edge, Fate, Origin, RawClient, Reply};

const GRACE: Duration = Duration::from_millis(100);

/// Far beyond the grace: a request that ends earlier was ended by the minimum rate.
const WHOLE: Duration = Duration::from_mins(1);

/// A minimum rate of 1 KiB per second after a short grace.
async fn paced(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| {
            settings.limits.min_body_rate = 1024;
            settings.timeouts.client_body_grace = GRACE;
            settings.timeouts.client_body = WHOLE;
            settings.other = OtherTraffic::Forward;
        })
        .start()
        .await
}

async fn begin(edge: &Edge, target: &str, media_type: &str) -> RawClient {
    let mut client = edge.raw().await;
    client
        .send(format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\
             Content-Type: {media_type}\r\nContent-Length: 5000\r\n\r\n{{"
        ))
        .await;
    client
}

#[tokio::test]
async fn t74_a_body_below_the_pace_is_refused_before_its_deadline() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = paced(&origin).await;
    for (target, media_type) in [
        (EVENTS, "application/json"),
        // The rest of the site: a form is read first, anything else streams.
        ("/wp-comments-post.php", "application/x-www-form-urlencoded"),
        ("/upload", "image/png"),
    ] {
        let started = Instant::now();
        let mut client = begin(&edge, target, media_type).await;
        let answer = client.answer().await;

        assert_eq!(answer.status, 408, "{target}");
        assert!(answer.body.contains("edge_request_timeout"), "{}", answer.body);
        assert_eq!(answer.header("connection"), Some("close"), "{target}");
        assert!(client.rest().await.is_empty());
        assert!(started.elapsed() < WHOLE / 2);
    }
    assert!(origin.seen().iter().all(|seen| seen.body.len() < 5000));
}

#[tokio::test]
async fn t74_the_pace_holds_for_streams_of_http2() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = paced(&origin).await;
    let mut client = edge.frames().await;
    let started = Instant::now();
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", EVENTS),
        ("authorization", "Basic YTpi"),
        ("content-type", "application/json"),
    ];

    let stream = client.open(&fields).await;
    client.frame(0, 0, stream, b"{").await;

    assert_eq!(client.fate(stream).await, Fate::Answered(408));
    assert!(started.elapsed() < WHOLE / 2);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t74_a_slow_upload_that_keeps_the_pace_passes() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = paced(&origin).await;
    let started = Instant::now();
    let mut client = begin(&edge, &format!("{EVENTS}/56"), "application/json").await;
    // More than 10 KiB a second, for far longer than the grace.
    let mut clock = tokio::time::interval(GRACE / 2);
    for _ in 0..8 {
        clock.tick().await;
        client.send(" ".repeat(600)).await;
    }
    let rest = "\"title\":\"Gala\"}";
    clock.tick().await;
    client
        .send(format!("{}{rest}", " ".repeat(5000 - 1 - 8 * 600 - rest.len())))
        .await;

    assert_eq!(client.answer().await.status, 200);
    assert!(started.elapsed() > 3 * GRACE);
    assert_eq!(origin.only().body, r#"{"title":"Gala"}"#);
}
