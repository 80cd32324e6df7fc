//! Requests that are too large, ambiguous or for another host are refused before a body is read or a request forwarded.

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

async fn small_edge(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.limits.body_bytes = 64)
        .start()
        .await
}

#[tokio::test]
async fn a_declared_large_body_is_refused_unread() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let mut client = edge.raw().await;

    // No byte of the body is sent, and no 100 Continue requests it.
    let answer = client
        .send(format!(
            "POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\nContent-Length: 65\r\n\
             Expect: 100-continue\r\n\r\n"
        ))
        .await
        .answer()
        .await;

    assert_eq!(answer.status, 413);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(answer.body.contains("edge_body_too_large"), "{}", answer.body);
    assert!(client.rest().await.is_empty());
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_growing_body_is_refused_at_the_limit() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let mut client = edge.raw().await;

    let answer = client
        .send(format!(
            "POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\nTransfer-Encoding: chunked\r\n\r\n"
        ))
        .await
        .send(format!("41\r\n{}\r\n", "a".repeat(65)))
        .await
        .answer()
        .await;

    assert_eq!(answer.status, 413);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_body_is_asked_for_once_the_head_is_good() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;

    let interim = client
        .send(format!(
            "POST {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\nContent-Type: application/json\r\n\
             Content-Length: 16\r\nExpect: 100-continue\r\n\r\n"
        ))
        .await
        .head()
        .await;
    assert_eq!(interim.status, 100);
    let answer = client.send(r#"{"title":"Gala"}"#).await.answer().await;

    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_slow_body_ends_with_its_deadline() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.timeouts.client_body = std::time::Duration::from_millis(50))
        .start()
        .await;
    let mut client = edge.raw().await;

    let answer = client
        .send(format!(
            "POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\nContent-Length: 10\r\n\r\n{{"
        ))
        .await
        .answer()
        .await;

    assert_eq!(answer.status, 408);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(answer.body.contains("edge_request_timeout"));
}

#[tokio::test]
async fn a_body_on_a_read_is_dropped() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;

    let small = client
        .send(format!(
            "GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{\"id\":30}}"
        ))
        .await
        .answer()
        .await;
    let large = client
        .send(format!(
            "GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
        ))
        .await
        .answer()
        .await;

    assert_eq!((small.status, small.header("connection")), (200, None));
    assert_eq!((large.status, large.header("connection")), (200, Some("close")));
    assert!(origin.seen().iter().all(|seen| seen.body.is_empty()));
}

#[tokio::test]
async fn heads_beyond_their_limits_are_refused_in_json() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let long_target = format!("{EVENTS}?search={}", "a".repeat(9000));
    let many: String = (0..120).fold(String::new(), |many, n| many + &format!("X-{n}: 1\r\n"));
    let large = format!("X-Large: {}\r\n", "a".repeat(20_000));
    for (target, headers, status, code) in [
        (long_target.as_str(), "", 414, "edge_target_too_long"),
        (EVENTS, many.as_str(), 431, "edge_headers_too_large"),
        (EVENTS, large.as_str(), 431, "edge_headers_too_large"),
        ("*", "", 400, "edge_bad_target"),
    ] {
        let answer = edge
            .raw()
            .await
            .send(format!(
                "GET {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
            ))
            .await
            .answer()
            .await;
        assert_eq!(answer.status, status);
        assert!(answer.body.contains(code), "{}", answer.body);
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_request_names_one_valid_host() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    for hosts in [
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a b\r\n",
        "Host: a@b\r\n",
        "Host:\r\n",
    ] {
        let answer = edge
            .raw()
            .await
            .send(format!("GET {EVENTS} HTTP/1.1\r\n{hosts}\r\n"))
            .await
            .answer()
            .await;
        assert_eq!(answer.status, 400, "{hosts}");
        assert!(answer.body.contains("edge_bad_host"), "{}", answer.body);
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn other_hosts_are_misdirected_where_hosts_are_listed() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.hosts = vec!["events.example".to_owned()])
        .start()
        .await;
    let asking = |host| edge.request(Method::GET, EVENTS).header("host", host);

    assert_eq!(Answer::to(asking("events.example")).await.status, 200);
    let answer = Answer::to(asking("other.example")).await;

    assert_eq!(answer.status, 421);
    assert_eq!(answer.code(), "edge_misdirected");
}

#[tokio::test]
async fn an_edge_answer_says_who_made_it() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;

    let answer = edge.get("/wp-json/wp/v2/users").await;

    assert_eq!(answer.status, 404);
    assert_eq!(
        answer.body,
        r#"{"code":"rest_no_route","message":"No route was found matching the URL and request method.","data":{"status":404}}"#
    );
    for (name, value) in [
        ("content-type", "application/json; charset=UTF-8"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("x-robots-tag", "noindex"),
        ("proxy-status", "calendar-edge; error=http_request_error"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(answer.header("x-request-id").is_some());

    // WordPress has nothing to describe there, which is no fault of the edge either.
    let described = edge.request(Method::OPTIONS, "/wp-json/calendar/events/v1/nope");
    let described = Answer::to(described).await;
    assert_eq!((described.status.as_u16(), described.body.as_str()), (200, "[]"));
    assert_eq!(
        described.header("proxy-status"),
        Some("calendar-edge; error=http_request_error")
    );
    assert!(origin.seen().is_empty());
}
