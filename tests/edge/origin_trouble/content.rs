//! Responses that are valid HTTP but not of WordPress's REST API (T-66 to T-68).

use http::Method;

use super::{assert_failed, write};
use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

/// A text that must never reach a client.
const SECRET: &str = "/var/www/wp-config.php on 10.0.0.5";

async fn edge(origin: &Origin) -> Edge {
    let builder = Edge::builder().origin(origin);
    builder
        .settings(|settings| settings.breaker.failures = 0)
        .start()
        .await
}

#[tokio::test]
async fn t66_what_is_no_json_becomes_a_json_error() {
    let page = format!("<html><b>Warning</b>: {SECRET}</html>");
    let before = format!("<b>Warning</b>: {SECRET}\n{{\"events\":[]}}");
    let after = format!("{{\"events\":[]}}{SECRET}");
    let mut replies: Vec<Reply> = [200, 201, 202, 400, 401, 403, 404, 500, 502, 503, 504]
        .map(|status| Reply::of_type(status, "text/html; charset=UTF-8", &page))
        .into();
    replies.extend([
        Reply::json(200, ""),
        Reply::json(201, "   "),
        Reply::json(500, ""),
        Reply::json(200, &before),
        Reply::json(200, &after),
        Reply::json(200, "\u{feff}"),
        Reply::json(200, &page),
        Reply::json(200, r#"{"events":["#),
        Reply::of_type(200, "text/plain", r#"{"events":[]}"#),
        Reply::of_type(200, "application/octet-stream", r#"{"events":[]}"#),
    ]);
    for reply in replies {
        let shown = format!("{reply:?}");
        let origin = Origin::always(reply).await;
        let edge = edge(&origin).await;
        for answer in [edge.get(EVENTS).await, Answer::to(write(&edge)).await] {
            assert_eq!(
                (answer.status.as_u16(), answer.code().as_str()),
                (502, "edge_origin_failed"),
                "{shown}"
            );
            assert!(
                !answer.body.contains("10.0.0.5") && !answer.body.contains("/var/www"),
                "{shown}"
            );
            assert_eq!(
                answer.header("content-type"),
                Some("application/json; charset=UTF-8")
            );
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        }
    }
}

#[tokio::test]
async fn t66_json_errors_pass_with_status_code_and_message() {
    for status in [400, 401, 403, 404, 409, 410, 500, 501, 503] {
        let body = format!(r#"{{"code":"some-code","message":"Nein.","data":{{"status":{status}}}}}"#);
        let origin = Origin::always(Reply::json(status, &body)).await;
        let edge = edge(&origin).await;
        let answer = edge.get(EVENTS).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.as_str()),
            (status, body.as_str())
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn t67_redirects_are_neither_followed_nor_passed_on() {
    let within = "/wp-json/tribe/events/v1/events/2";
    for (status, location) in [
        (300, within),
        (301, "http://10.0.0.5/wp-json/tribe/events/v1/events/2"),
        (302, "/wp-login.php"),
        (302, "/wp-json/tribe/events/v1/events/"),
        (303, within),
        (305, within),
        (307, "//elsewhere.example/wp-json/tribe/events/v1/events/2"),
        (308, "/wp-json/wp/v2/posts"),
    ] {
        for body in ["", "{}"] {
            let origin =
                Origin::answering(move |_| Reply::json(status, body).header("location", location)).await;
            let edge = edge(&origin).await;
            for method in [Method::GET, Method::HEAD] {
                let answer = Answer::to(edge.request(method, EVENTS)).await;
                assert_eq!(answer.status, 502, "{status}");
                assert_eq!(answer.header("location"), None);
                assert_eq!(origin.take_seen().len(), 1, "{status}");
            }
        }
    }
}

/// A translation plugin that has the language in a parameter leads away from the default language's.
#[tokio::test]
async fn t67_a_read_is_led_to_another_address_of_the_calendar() {
    for status in [301, 302, 307, 308] {
        let origin = Origin::answering_with(move |seen, base| {
            if !seen.target.contains("lang=en") {
                return Reply::json(200, r#"{"events":[]}"#);
            }
            let location = format!("{base}{}", seen.target.replace("lang=en", "")).leak();
            Reply::of_type(status, "text/html", "<a>moved</a>").header("location", location)
        })
        .await;
        let edge = edge(&origin).await;

        let moved = edge.get(&format!("{EVENTS}?per_page=2&lang=en")).await;

        let location = edge.url(&format!("{EVENTS}?per_page=2&"));
        assert_eq!(moved.header("location"), Some(location.as_str()));
        assert_eq!((moved.status.as_u16(), moved.body.as_str()), (status, ""));
        assert_eq!(moved.header("content-type"), None);
        assert_eq!(moved.header("cache-control"), Some("no-store"));
        let followed = edge.get(&format!("{EVENTS}?per_page=2&")).await;
        assert_eq!(followed.body, r#"{"events":[]}"#);
        // A write is not sent a second time.
        let written = edge.request(Method::POST, &format!("{EVENTS}/56?lang=en"));
        let written = written.header("authorization", "Basic YTpi").body("title=Gala");
        let written = written.header("content-type", "application/x-www-form-urlencoded");
        assert_eq!(Answer::to(written).await.code(), "edge_origin_failed");
    }
}

#[tokio::test]
async fn t68_headers_pass_by_list_only() {
    let origin = Origin::answering(|_| {
        Reply::json(200, r#"{"events":[]}"#)
            .header("x-tec-total", "3")
            .header("retry-after", "5")
            .header("server", "nginx/1.2")
            .header("x-powered-by", "PHP/8.2")
            .header("set-cookie", "a=b")
            .header("x-internal", "10.0.0.5")
            .header("connection", "x-internal")
            .header("access-control-allow-credentials", "true")
    })
    .await;
    let edge = edge(&origin).await;
    let answer = edge.get(EVENTS).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("x-tec-total")),
        (200, Some("3"))
    );
    for name in [
        "server",
        "x-powered-by",
        "set-cookie",
        "x-internal",
        "access-control-allow-credentials",
    ] {
        assert_eq!(answer.header(name), None, "{name}");
    }
}

#[tokio::test]
async fn t66_a_known_failure_names_its_kind_to_operators_only() {
    let origin = Origin::always(Reply::of_type(
        500,
        "text/html",
        "Error establishing a database connection",
    ))
    .await;
    let edge = edge(&origin).await;
    assert_failed(
        &edge.get(EVENTS).await,
        502,
        "edge_origin_failed",
        "destination_unavailable",
    );
}

#[tokio::test]
async fn limits_of_the_sites_web_server_are_told_as_they_are() {
    for (status, code) in [
        (413, "edge_body_too_large"),
        (414, "edge_target_too_long"),
        (431, "edge_headers_too_large"),
    ] {
        let html = format!("<h1>{status} Too Large</h1><address>{SECRET}</address>");
        for reply in [
            Reply::of_type(status, "text/html", &html),
            Reply::json(status, ""),
            Reply::of_type(status, "text/plain", SECRET),
        ] {
            let origin = Origin::always(reply).await;
            let edge = edge(&origin).await;
            for answer in [edge.get(EVENTS).await, Answer::to(write(&edge)).await] {
                assert_failed(
                    &answer,
                    status,
                    code,
                    &format!("http_request_error; received-status={status}"),
                );
                assert!(!answer.body.contains("/var/www"), "{}", answer.body);
                assert_eq!(answer.json()["data"]["status"], status);
            }
        }
    }
}
