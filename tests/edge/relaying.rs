//! Responses of the origin arrive clean and with public URLs, or not at all.

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
async fn t22_two_origins_are_none() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.cors.credentialed_origins = vec!["https://a.example".parse().unwrap()])
        .start()
        .await;
    for (target, second, expected) in [
        (EVENTS, None, "https://a.example"),
        ("/elsewhere", None, "https://a.example"),
        (EVENTS, Some("https://b.example"), "*"),
        ("/elsewhere", Some("https://b.example"), "*"),
    ] {
        let request = edge
            .request(Method::GET, target)
            .header("origin", "https://a.example");
        let request = match second {
            Some(second) => request.header("origin", second),
            None => request,
        };
        let answer = Answer::to(request).await;
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some(expected),
            "{target}"
        );
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
    let count =
        r#"edge_http_requests_total{operation="events.delete",root="/wp-json",source="edge",status="401"} 1"#;
    assert!(metrics.contains(count), "{metrics}");
}

#[tokio::test]
async fn a_byte_order_mark_before_the_document_stays_behind() {
    for marks in ["\u{feff}", "\u{feff}\n\u{feff} "] {
        for document in [
            r#"{"events":[]}"#.to_owned(),
            format!("[{}1]", "1,".repeat(600_000)),
        ] {
            let origin = Origin::always(Reply::json(200, &format!("{marks}{document}"))).await;
            let edge = Edge::before(&origin).await;
            let answer = edge.get(EVENTS).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert!(
                answer.body.trim_start() == document,
                "{} bytes",
                answer.body.len()
            );
        }
    }
}

#[tokio::test]
async fn a_head_of_too_many_fields_is_named() {
    for (count, expected) in [(90, 200), (120, 502)] {
        let reply = Reply::json(200, "{}");
        let reply = (0..count).fold(reply, |reply, number| {
            reply.header("x-number", &number.to_string())
        });
        let answer = Edge::before(&Origin::always(reply).await).await.get(EVENTS).await;
        assert_eq!(answer.status, expected, "{count}");
        let status = answer.header("proxy-status").unwrap_or_default();
        let is_named = status.contains("error=http_response_header_section_size");
        assert_eq!(is_named, expected == 502, "{status}");
    }
}
