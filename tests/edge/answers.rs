//! Clients get the contract of the version that `answers` names, whatever the site has.

use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::PluginVersion;
use http::Method;
use serde_json::Value;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const SITE: &str = "/wp-json/tribe/events/v1";

/// Requests that both versions responded to with the same data.
fn pairs() -> Vec<Value> {
    let text = std::fs::read_to_string("fixtures/versions/pairs.jsonl");
    let text = text.expect("the records are in the repository");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect()
}

/// A site of 6.17.2 that gives the recorded responses.
async fn site() -> Origin {
    let pairs = pairs();
    Origin::answering(move |seen| {
        let method = if seen.method == Method::POST {
            "PUT"
        } else {
            seen.method.as_str()
        };
        let path = seen.target.split('?').next();
        let is_asked = |pair: &&Value| {
            let target = pair["target"].as_str().expect("a target");
            pair["method"] == method
                && target.split('?').next() == path
                && arguments(target) == arguments(&seen.target)
        };
        let Some(pair) = pairs.iter().find(is_asked) else {
            return Reply::json(
                200,
                r#"{"events":[{"id":7,"custom_fields":[],"json_ld":{}}],"total":1}"#,
            );
        };
        let response = &pair["6.17.2"];
        let status = response["status"]
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        Reply::json(
            status.expect("a status"),
            response["body"].as_str().expect("a body"),
        )
        .header("allow", "GET, DELETE, POST, PUT, PATCH")
    })
    .await
}

/// The arguments of a target in an order of their own, decoded.
fn arguments(target: &str) -> Vec<String> {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let mut arguments: Vec<String> = query
        .split('&')
        .map(|pair| pair.replace("%2C", ",").replace("%2c", ","))
        .collect();
    arguments.sort();
    arguments
}

fn wants(version: &str) -> PluginVersion {
    PluginVersion::chosen(version).expect("a version")
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).knowing(Some("6.17.2"));
    edge.settings(change).start().await
}

#[tokio::test]
async fn a_site_of_6_17_2_answers_as_6_10() {
    let origin = site().await;
    let edge = edge(&origin, |settings| settings.answers = Some(wants("spec"))).await;
    for pair in pairs() {
        let target = pair["target"].as_str().expect("a target");
        if target.contains("_jsonp") {
            continue;
        }
        let method: Method = pair["method"]
            .as_str()
            .expect("a method")
            .parse()
            .expect("a method");
        let has_body = method == Method::PUT;
        let mut request = edge.request(method, target);
        if pair["auth"] == "basic" {
            request = request.basic_auth("editor", Some("secret"));
        }
        if has_body {
            request = request
                .header("content-type", "application/json")
                .body(r#"{"title":"X"}"#);
        }
        let answer = Answer::to(request).await;
        let expected = &pair["6.10.0"];
        assert_eq!(
            Some(u64::from(answer.status.as_u16())),
            expected["status"].as_u64(),
            "{target}"
        );
        let body = expected["body"]
            .as_str()
            .expect("a body")
            .replace("origin.example", "x");
        assert_eq!(answer.body.replace("origin.example", "x"), body, "{target}");
    }
    let met = edge
        .metric(r#"edge_translated_total{difference="event_unknown"}"#)
        .await;
    assert!(met.is_some_and(|met| met != "0"));
    // 6.10 refuses this number without a look at its database, and so does the edge.
    origin.take_seen();
    let refused = edge.get(&format!("{EVENTS}/0")).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (400, "rest_invalid_param".to_owned())
    );
    assert!(origin.take_seen().is_empty());
}

#[tokio::test]
async fn a_stored_response_is_translated_once() {
    let origin = site().await;
    let builder = Edge::builder().origin(&origin).knowing(Some("6.17.2")).caching();
    let edge = builder
        .settings(|settings| settings.answers = Some(wants("6.10")))
        .start()
        .await;
    for _ in 0..3 {
        let list = edge.get(EVENTS).await;
        assert_eq!(list.body, r#"{"events":[{"id":7,"json_ld":{}}],"total":1}"#);
    }
    let series = r#"edge_translated_total{difference="custom_fields"}"#;
    assert_eq!(edge.metric(series).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn arguments_that_the_wanted_version_does_not_have_do_not_reach_the_site() {
    let origin = site().await;
    let edge = edge(&origin, |settings| settings.answers = Some(wants("5.12"))).await;
    origin.take_seen();
    let answer = edge
        .get(&format!("{EVENTS}?ticketed=maybe&starts_after=no&page=2"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(origin.only().target, format!("{SITE}/events?page=2"));
    // The requests that this version judges are judged.
    assert_eq!(edge.get(&format!("{EVENTS}?page=x")).await.status, 400);
}
