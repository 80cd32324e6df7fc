//! A call reaches the origin as the edge wrote it, and its response reaches the client.

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const ROOT: &str = "/wp-json/tribe/events/v1";

#[tokio::test]
async fn a_read_is_rebuilt_and_answered() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#).header("x-tec-total", "0")).await;
    let edge = Edge::before(&origin).await;

    let answer = edge.get(&format!("{EVENTS}?page=2&nonsense=1")).await;

    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, r#"{"events":[]}"#);
    assert_eq!(answer.header("x-tec-total"), Some("0"));
    let seen = origin.only();
    assert_eq!(seen.method, Method::GET);
    assert_eq!(seen.target, format!("{ROOT}/events?page=2"));
    assert_eq!(seen.header("host"), origin.base().strip_prefix("http://"));
    assert!(seen.body.is_empty());
}

#[tokio::test]
async fn only_listed_headers_cross() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let request = edge
        .request(Method::GET, EVENTS)
        .header("authorization", "Basic YWRtaW46c2VjcmV0")
        .header("user-agent", "campus-app/2.1")
        .header("cookie", "a=1; wordpress_logged_in_5f=x; b=2")
        .header("x-wp-nonce", "0123456789")
        .header("x-http-method-override", "DELETE")
        .header("x-forwarded-for", "203.0.113.9")
        .header("x-forwarded-host", "evil.example")
        .header("x-request-id", "chosen-by-a-stranger")
        .header("origin", "https://app.example")
        .header("accept-language", "de")
        .header("if-none-match", "\"x\"");

    let answer = Answer::to(request).await;

    let seen = origin.only();
    let mut names: Vec<&str> = seen.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    let expected = [
        "accept",
        "accept-encoding",
        "authorization",
        "cookie",
        "host",
        "traceparent",
        "user-agent",
        "x-calendar-edge-circle",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-request-id",
        "x-wp-nonce",
    ];
    assert_eq!(names, expected);
    assert_eq!(seen.header("accept"), Some("application/json"));
    assert_eq!(seen.header("accept-encoding"), Some("identity"));
    assert_eq!(seen.header("authorization"), Some("Basic YWRtaW46c2VjcmV0"));
    assert_eq!(seen.header("cookie"), Some("wordpress_logged_in_5f=x"));
    assert_eq!(seen.header("user-agent"), Some("campus-app/2.1"));
    assert_eq!(seen.header("x-forwarded-for"), Some("127.0.0.1"));
    assert_eq!(seen.header("x-forwarded-proto"), Some("http"));
    let address = edge.address().to_string();
    assert_eq!(seen.header("x-forwarded-host"), Some(address.as_str()));
    assert_ne!(seen.header("x-request-id"), Some("chosen-by-a-stranger"));
    assert_eq!(seen.header("x-request-id"), answer.header("x-request-id"));
}

#[tokio::test]
async fn a_parameter_travels_once() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let index = "/wp-json/calendar/events/v1";
    for (query, expected) in [
        ("context=embed&context=edit", "?context=edit"),
        ("_fields=id&_fields=url", "?_fields=url"),
    ] {
        assert_eq!(edge.get(&format!("{index}?{query}")).await.status, 200);
        let seen = origin.take_seen();
        assert_eq!(seen[0].target, format!("/wp-json/tribe/events/v1{expected}"));
    }
}

#[tokio::test]
async fn a_trusted_proxy_names_client_scheme_and_id() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()])
        .start()
        .await;
    let request = edge
        .request(Method::GET, EVENTS)
        .header("x-forwarded-for", "192.0.2.66, 198.51.100.7, 127.0.0.2")
        .header("x-forwarded-proto", "https")
        .header("x-request-id", "proxy-4711");

    let answer = Answer::to(request).await;

    let seen = origin.only();
    assert_eq!(seen.header("x-forwarded-for"), Some("198.51.100.7"));
    assert_eq!(seen.header("x-forwarded-proto"), Some("https"));
    assert_eq!(seen.header("x-request-id"), Some("proxy-4711"));
    assert_eq!(answer.header("x-request-id"), Some("proxy-4711"));
}

#[tokio::test]
async fn an_update_by_any_verb_is_a_json_post() {
    for method in [Method::POST, Method::PUT, Method::PATCH] {
        let origin = Origin::always(Reply::json(200, "{}")).await;
        let edge = Edge::before(&origin).await;
        let request = edge
            .request(method, &format!("{EVENTS}/56"))
            .header("authorization", "Basic YWRtaW46c2VjcmV0")
            .header("content-type", "application/json")
            .body(r#"{"title":"Gala"}"#);

        assert_eq!(Answer::to(request).await.status, 200);

        let seen = origin.only();
        assert_eq!(seen.method, Method::POST);
        assert_eq!(seen.target, format!("{ROOT}/events/56"));
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(&seen.body[..], br#"{"title":"Gala"}"#);
    }
}

#[tokio::test]
async fn a_delete_can_be_tunnelled() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.origin.tunnel_delete = true)
        .start()
        .await;
    let request = edge
        .request(Method::DELETE, &format!("{EVENTS}/56"))
        .header("authorization", "Basic YWRtaW46c2VjcmV0");

    assert_eq!(Answer::to(request).await.status, 200);

    let seen = origin.only();
    assert_eq!(seen.method, Method::POST);
    assert_eq!(seen.header("x-http-method-override"), Some("DELETE"));
}

#[tokio::test]
async fn http2_without_negotiation_is_understood() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let edge = Edge::before(&origin).await;
    let client = Edge::http2();

    let answers = tokio::join!(
        Answer::to(client.get(edge.url(EVENTS))),
        Answer::to(client.get(edge.url("/elsewhere"))),
        Answer::to(client.head(edge.url("/elsewhere"))),
    );

    assert_eq!(answers.0.body, r#"{"events":[]}"#);
    assert_eq!(answers.1.code(), "rest_no_route");
    assert_eq!((answers.2.status.as_u16(), answers.2.body.as_str()), (404, ""));
}

#[tokio::test]
async fn head_answers_have_the_headers_without_the_body() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#).header("x-tec-total", "0")).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;

    let relayed = client
        .send(format!("HEAD {EVENTS} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .await
        .head()
        .await;
    let refused = client
        .send("HEAD /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .head()
        .await;

    assert_eq!((relayed.status, refused.status), (200, 404));
    assert_eq!(relayed.header("x-tec-total"), Some("0"));
    assert_ne!(refused.header("content-length"), Some("0"));
    assert!(client.rest().await.is_empty());
    assert_eq!(origin.only().method, Method::HEAD);
}

#[tokio::test]
async fn what_a_nonce_is_worth_is_asked_before_a_call_is_refused() {
    let origin = Origin::always(Reply::json(403, r#"{"code":"rest_cookie_invalid_nonce"}"#)).await;
    let edge = Edge::before(&origin).await;
    let cases = [
        ("_wpnonce=x", ("accept", "*/*"), 403),
        ("", ("x-wp-nonce", "x"), 403),
        ("_wpnonce=x", ("authorization", "Basic YTpi"), 400),
        ("", ("cookie", "wordpress_logged_in_5f=x"), 400),
    ];
    for (query, (name, value), status) in cases {
        let request = edge.request(Method::GET, &format!("{EVENTS}?page=x&{query}"));
        let answer = Answer::to(request.header(name, value)).await;
        assert_eq!(answer.status, status, "{query} {name}");
    }
    let nonces: Vec<Option<String>> = origin
        .seen()
        .iter()
        .map(|seen| seen.header("x-wp-nonce").map(ToOwned::to_owned))
        .collect();
    assert_eq!(nonces, [Some("x".to_owned()), Some("x".to_owned())]);
}

#[tokio::test]
async fn a_long_list_is_not_written_longer_than_it_was_sent() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let edge = Edge::before(&origin).await;
    let ids: Vec<String> = (1000..2180).map(|id| id.to_string()).collect();
    let query = format!("include={}", ids.join(","));
    let answer = edge.get(&format!("{EVENTS}?{query}")).await;
    assert_eq!(answer.status, 200);
    let target = origin.only().target;
    assert!(target.ends_with(&format!("?{query}")), "{target}");
}

/// A body's `lang` in the query would store the record in another language.
#[tokio::test]
async fn parameters_that_work_on_every_route_stay_where_they_were_sent() {
    let origin = Origin::always(Reply::json(201, "{}")).await;
    let edge = Edge::before(&origin).await;
    let tags = "/wp-json/calendar/events/v1/tags";
    let form = "application/x-www-form-urlencoded";
    let json = "application/json";
    for (method, target, media_type, body) in [
        (Method::POST, tags.to_owned(), json, r#"{"name":"a","lang":"de"}"#),
        (
            Method::POST,
            tags.to_owned(),
            form,
            "name=a&lang=de&_fields=id&_embed=1",
        ),
        (
            Method::POST,
            format!("{tags}?lang=de&_fields=id"),
            json,
            r#"{"name":"a","lang":"en"}"#,
        ),
        (Method::DELETE, format!("{tags}/7"), form, "lang=de&_fields=id"),
        (Method::DELETE, format!("{tags}/7?lang=de"), form, ""),
    ] {
        let request = edge.request(method, &target);
        let request = request.header("authorization", "Basic YWRtaW46c2VjcmV0");
        Answer::to(request.header("content-type", media_type).body(body)).await;
    }
    let seen = origin.seen().into_iter().map(|seen| {
        let target = seen.target.strip_prefix(ROOT).unwrap_or_default().to_owned();
        (target, String::from_utf8(seen.body.to_vec()).expect("text"))
    });
    let expected = [
        ("/tags", r#"{"name":"a","lang":"de"}"#),
        ("/tags", r#"{"name":"a","_fields":"id","lang":"de"}"#),
        ("/tags?_fields=id&lang=de", r#"{"name":"a","lang":"en"}"#),
        ("/tags/7?_fields=id", ""),
        ("/tags/7?lang=de", ""),
    ];
    assert_eq!(
        seen.collect::<Vec<_>>(),
        expected.map(|(target, body)| (target.to_owned(), body.to_owned()))
    );
}
