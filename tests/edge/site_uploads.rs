//! Uploads to the rest of the site: slow ones hold no place that others need.

use calendar_edge_core::settings::OtherTraffic;
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Fate, Origin, RawClient, Reply};

async fn edge_before(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.origin.site_in_flight = Some(2);
        })
        .start()
        .await
}

/// An upload of which one byte has come.
async fn slow_upload(edge: &Edge) -> RawClient {
    let mut client = edge.raw().await;
    client
        .send("PUT /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\nx")
        .await;
    client
}

async fn upload(edge: &Edge) -> u16 {
    let request = edge
        .request(Method::PUT, "/upload")
        .header("content-type", "image/png");
    Answer::to(request.body(vec![b'x'; 5000])).await.status.as_u16()
}

const UPLOADS: &str = r#"edge_origin_permits_in_use{backend="BASE",traffic="uploads"}"#;

#[tokio::test]
async fn slow_uploads_give_way_and_hold_no_place_of_pages_and_calls() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    let mut slow = [slow_upload(&edge).await, slow_upload(&edge).await];
    let series = UPLOADS.replace("BASE", &origin.base());
    while edge.metric(&series).await.as_deref() != Some("2") {
        tokio::task::yield_now().await;
    }

    for target in ["/", "/wp-json/wp/v2/posts", EVENTS] {
        assert_eq!(edge.get(target).await.status, 200, "{target}");
    }
    assert_eq!(
        edge.metric(&series).await.as_deref(),
        Some("2"),
        "nobody waited for them"
    );
    assert_eq!(upload(&edge).await, 200);
    assert_eq!(upload(&edge).await, 200);

    // One of them made room.
    let [first, second] = &mut slow;
    let answer = tokio::select! {
        answer = first.answer() => answer,
        answer = second.answer() => answer,
    };
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(answer.body.contains("edge_overloaded"), "{}", answer.body);
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn the_cookies_of_http2_leave_as_one_field() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    let mut client = edge.frames().await;
    for (path, expected) in [
        ("/", "wordpress_logged_in_a=x; b=2; wp-postpass_c=3"),
        (EVENTS, "wordpress_logged_in_a=x; wp-postpass_c=3"),
    ] {
        let fields = [
            (":method", "GET"),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", path),
            ("cookie", "wordpress_logged_in_a=x; b=2"),
            ("cookie", "wp-postpass_c=3"),
        ];
        let stream = client.request(&fields, None).await;
        assert_eq!(client.fate(stream).await, Fate::Answered(200), "{path}");
        let seen = origin.take_seen().remove(0);
        assert_eq!(seen.header("cookie"), Some(expected), "{path}");
    }
}
