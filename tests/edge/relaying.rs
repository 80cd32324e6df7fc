//! Answers of the origin arrive clean, under the public address, or not at all.

use std::time::Duration;

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

#[tokio::test]
async fn links_lead_back_to_the_edge() {
    let origin = Origin::answering(|seen| {
        let root = format!("http://{}/wp-json", seen.header("host").unwrap_or_default());
        let next = format!("{root}/tribe/events/v1/events?page=2").replace('/', "\\/");
        Reply::json(200, &format!(r#"{{"events":[],"next_rest_url":"{next}"}}"#))
    })
    .await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.public_url = Some("https://events.example".parse().unwrap()))
        .start()
        .await;

    let answer = edge.get(EVENTS).await;

    assert_eq!(
        answer.json()["next_rest_url"],
        "https://events.example/wp-json/calendar/events/v1/events?page=2"
    );
}

#[tokio::test]
async fn what_is_no_json_becomes_a_clean_error() {
    for reply in [
        Reply::of_type(200, "text/html; charset=UTF-8", "<html>Hacked by 10.0.0.5</html>"),
        Reply::of_type(
            500,
            "text/html",
            "<p>There has been a critical error on this website.</p>",
        ),
        Reply::json(200, ""),
        Reply::json(200, "<b>Warning</b>: in /var/www/x.php {}"),
        Reply::json(301, "{}").header("location", "http://10.0.0.5/"),
    ] {
        let origin = Origin::always(reply).await;
        let edge = Edge::before(&origin).await;

        let answer = edge.get(EVENTS).await;

        assert_eq!(answer.status, 502);
        assert_eq!(answer.code(), "edge_origin_failed");
        assert!(!answer.body.contains("10.0.0.5") && !answer.body.contains("/var/www"));
        assert!(answer.header("proxy-status").is_some() && answer.header("location").is_none());
    }
}

#[tokio::test]
async fn errors_of_wordpress_pass_as_they_are() {
    let body = r#"{"code":"rest_forbidden","message":"Nein.","data":{"status":403}}"#;
    let origin = Origin::always(Reply::json(403, body)).await;
    let edge = Edge::before(&origin).await;

    let answer = edge.get(EVENTS).await;

    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (403, body));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("proxy-status"), None);
}

#[tokio::test]
async fn an_answer_that_stops_midway_is_a_timeout() {
    let origin = Origin::stalling(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"events\":",
    )
    .await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.origin_read = Duration::from_millis(200))
        .start()
        .await;

    let answer = edge.get(EVENTS).await;

    assert_eq!(answer.status, 504);
    assert_eq!(answer.code(), "edge_origin_timeout");
}

#[tokio::test]
async fn an_answer_that_is_cut_short_is_a_failure() {
    let origin = Origin::sending(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"events\":",
    )
    .await;
    let edge = Edge::before(&origin).await;

    let answer = edge.get(EVENTS).await;

    assert_eq!(answer.status, 502);
    assert_eq!(
        answer.header("proxy-status"),
        Some("calendar-edge; error=http_response_incomplete")
    );
}

#[tokio::test]
async fn an_endless_answer_is_cut_at_its_limit() {
    let body = format!("[{}]", "1,".repeat(5000) + "1");
    let origin = Origin::always(Reply::json(200, &body)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.limits.answer_bytes = 4096)
        .start()
        .await;

    let answer = edge.get(EVENTS).await;

    assert_eq!(answer.status, 502);
    assert_eq!(
        answer.header("proxy-status"),
        Some("calendar-edge; error=http_response_body_size")
    );
}

#[tokio::test]
async fn a_large_answer_streams_whole() {
    let body = format!("[{}]", "1,".repeat(600_000) + "1");
    let origin = Origin::always(Reply::json(200, &body)).await;
    let edge = Edge::before(&origin).await;
    for client in [Edge::client(), Edge::http2()] {
        assert_eq!(Answer::to(client.get(edge.url(EVENTS))).await.body, body);
    }
}

#[tokio::test]
async fn pages_may_read_refusals_and_public_answers() {
    let origin =
        Origin::always(Reply::json(200, "{}").header("access-control-allow-origin", "https://a.example"))
            .await;
    let edge = Edge::before(&origin).await;
    for target in [EVENTS, "/elsewhere", "/wp-json/calendar/events/v1/nope"] {
        let request = edge
            .request(Method::GET, target)
            .header("origin", "https://a.example");
        let answer = Answer::to(request).await;
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{target}"
        );
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
}

#[tokio::test]
async fn preflights_are_answered_by_the_edge() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let asking = |wanted| {
        edge.request(Method::OPTIONS, EVENTS)
            .header("origin", "https://a.example")
            .header("access-control-request-method", wanted)
    };

    let read = Answer::to(asking("GET")).await;
    let write = Answer::to(asking("DELETE")).await;

    assert_eq!((read.status.as_u16(), write.status.as_u16()), (204, 204));
    assert_eq!(read.header("access-control-allow-origin"), Some("*"));
    assert_eq!(write.header("access-control-allow-origin"), None);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn other_options_are_relayed() {
    let origin = Origin::always(Reply::json(200, r#"{"namespace":"tribe\/events\/v1"}"#)).await;
    let edge = Edge::before(&origin).await;

    let known = Answer::to(edge.request(Method::OPTIONS, EVENTS)).await;
    let unknown = Answer::to(edge.request(Method::OPTIONS, "/wp-json/calendar/events/v1/nope")).await;

    assert_eq!(known.json()["namespace"], "calendar/events/v1");
    assert_eq!((unknown.status.as_u16(), unknown.body.as_str()), (200, "[]"));
    assert_eq!(origin.only().method, Method::OPTIONS);
}

#[tokio::test]
async fn a_refusal_never_reaches_the_origin() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;

    let invalid = edge.get(&format!("{EVENTS}?page=none")).await;
    let anonymous = Answer::to(edge.request(Method::DELETE, &format!("{EVENTS}/56"))).await;

    assert_eq!(
        (invalid.status.as_u16(), invalid.code().as_str()),
        (400, "rest_invalid_param")
    );
    assert_eq!(
        (anonymous.status.as_u16(), anonymous.code().as_str()),
        (401, "rest_forbidden")
    );
    assert!(origin.seen().is_empty());
    let metrics = edge.admin("/metrics").await.body;
    let finding = r#"edge_validation_findings_total{operation="events.list","#;
    assert!(metrics.contains(finding), "{metrics}");
    let count = r#"edge_http_requests_total{operation="events.delete",method="DELETE",code_class="4xx",source="edge"} 1"#;
    assert!(metrics.contains(count), "{metrics}");
}
