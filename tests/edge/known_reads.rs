//! Reads with the same target: judged once, with the responses of a first read.

use calendar_edge_core::settings::{Mode, OtherTraffic, UndeclaredParameters};
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply, Seen};

const BASIC: &str = "Basic YWRtaW46c2VjcmV0";

fn request(edge: &Edge, target: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let request = edge.request(Method::GET, target);
    fields
        .iter()
        .fold(request, |request, (name, value)| request.header(*name, *value))
}

/// The request at the origin, without the parts that differ between two requests of one client.
fn same_in_all(seen: &Seen) -> (String, Vec<(String, String)>) {
    let mut fields: Vec<_> = seen
        .headers
        .iter()
        .filter(|(name, _)| !["x-request-id", "traceparent"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), format!("{value:?}")))
        .collect();
    fields.sort();
    (seen.target.clone(), fields)
}

#[tokio::test]
async fn each_is_forwarded_like_the_first() {
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let edge = Edge::before(&origin).await;
    let target = format!("{EVENTS}?page=2&nonsense=1&search=caf%C3%A9");
    for _ in 0..4 {
        assert_eq!(edge.get(&target).await.status, 200);
    }
    let seen = origin.take_seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|one| same_in_all(one) == same_in_all(&seen[0])));
    let ids: std::collections::HashSet<_> = seen.iter().map(|one| one.header("x-request-id")).collect();
    assert_eq!(ids.len(), 4, "each has an id of its own");
}

#[tokio::test]
async fn credentials_are_never_those_of_another() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let target = format!("{EVENTS}?page=2");
    let sent: [&[(&str, &str)]; 6] = [
        &[],
        &[("authorization", BASIC)],
        &[],
        &[("cookie", "wordpress_logged_in_5f=x")],
        &[("x-wp-nonce", "0123456789")],
        &[],
    ];
    for fields in sent {
        Answer::to(request(&edge, &target, fields)).await;
    }
    let seen = origin.take_seen();
    assert_eq!(seen.len(), sent.len());
    for (seen, fields) in seen.iter().zip(sent) {
        for name in ["authorization", "cookie", "x-wp-nonce"] {
            let was_sent = fields.iter().any(|(sent, _)| *sent == name);
            assert_eq!(seen.header(name).is_some(), was_sent, "{name} of {fields:?}");
        }
    }
}

#[tokio::test]
async fn refusals_and_other_methods_are_judged_each_time() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    for _ in 0..2 {
        assert_eq!(edge.get(&format!("{EVENTS}?page=2")).await.status, 200);
        assert_eq!(edge.get(&format!("{EVENTS}?page=none")).await.status, 400);
        let delete = edge.request(Method::DELETE, &format!("{EVENTS}?page=2"));
        assert_eq!(Answer::to(delete).await.status, 404);
    }
    assert_eq!(origin.take_seen().len(), 2);
}

#[tokio::test]
async fn nothing_outlives_the_settings_that_decided() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let target = format!("{EVENTS}?nonsense=1");
    let statuses = async || [edge.get(&target).await.status, edge.get(&target).await.status];
    assert_eq!(statuses().await, [200, 200]);
    let mut next = edge.settings();
    next.undeclared = Some(UndeclaredParameters::Refuse);
    edge.reloader().apply(next.clone()).unwrap();
    assert_eq!(statuses().await, [400, 400]);
    next.mode = Mode::Report;
    edge.reloader().apply(next).unwrap();
    assert_eq!(statuses().await, [200, 200]);
}

#[tokio::test]
async fn a_form_to_a_page_teaches_nothing_about_the_page() {
    let origin =
        Origin::answering(|seen| Reply::json(200, &format!(r#"{{"method":"{}"}}"#, seen.method))).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.other = OtherTraffic::Forward)
        .start()
        .await;
    let form = "rest_route=/tribe/events/v1/events&page=2";
    for _ in 0..2 {
        let hidden = edge
            .request(Method::POST, "/about")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        Answer::to(hidden).await;
        let page = Answer::to(request(&edge, "/about", &[("content-type", "text/plain")])).await;
        assert_eq!(page.status, 200);
    }
    let pages = origin.take_seen();
    let pages = pages.iter().filter(|seen| seen.method == Method::GET);
    assert!(pages.clone().count() == 2 && pages.into_iter().all(|page| page.target == "/about"));
}
