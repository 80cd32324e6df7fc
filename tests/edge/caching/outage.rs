//! The site may be down: requests that came before are served still, and their responses show that.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::support::Gate;
use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

/// Responses go stale at once, and are requested again.
fn short(settings: &mut Settings) {
    settings.cache.fresh = Duration::ZERO;
    settings.cache.stale_while_revalidate = Duration::ZERO;
}

#[tokio::test]
async fn a_site_that_is_gone_is_stood_in_for() {
    let origin = counting().await;
    let edge = edge(&origin, short).await;
    let first = edge.get(EVENT).await;
    origin.kill().await;
    // The breaker opens on the way.
    for _ in 0..30 {
        let answer = edge.get(EVENT).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &first.body));
        assert_eq!(cache_status(&answer), "hit; ttl=0; detail=origin-failed");
    }
    let unknown = edge.get(&format!("{API}/events/57")).await;
    assert!(unknown.status.is_server_error());
}

#[tokio::test]
async fn a_site_that_answers_with_errors_is_stood_in_for() {
    for reply in [
        Reply::json(
            500,
            r#"{"code":"internal_server_error","message":"x","data":{"status":500}}"#,
        ),
        Reply::json(200, r#"{"id":56"#),
        Reply::of_type(
            503,
            "text/html",
            "<p>Briefly unavailable for scheduled maintenance.</p>",
        ),
    ] {
        let count = AtomicU64::new(0);
        let origin = Origin::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
            0 => numbered(1),
            _ => reply.clone(),
        })
        .await;
        let edge = edge(&origin, short).await;
        edge.get(EVENT).await;
        let answer = edge.get(EVENT).await;
        assert_eq!(answer.json()["title"], "1");
        assert_eq!(cache_status(&answer), "hit; ttl=0; detail=origin-failed");
    }
}

#[tokio::test]
async fn a_site_that_is_too_slow_is_stood_in_for() {
    let gate = Gate::closed();
    let behind = gate.clone();
    let count = AtomicU64::new(0);
    let origin = Origin::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => numbered(1),
        _ => numbered(2).behind(&behind),
    })
    .await;
    let edge = edge(&origin, |settings| {
        short(settings);
        settings.timeouts.origin_first_byte = Duration::from_millis(200);
        settings.timeouts.origin_read = Duration::from_millis(200);
    })
    .await;
    edge.get(EVENT).await;
    let answer = edge.get(EVENT).await;
    assert_eq!(answer.json()["title"], "1");
    gate.open();
}

#[tokio::test]
async fn an_answer_that_the_site_refuses_now_is_not_brought_back() {
    let count = AtomicU64::new(0);
    let origin = Origin::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => numbered(1),
        1 => Reply::json(
            403,
            r#"{"code":"event-not-accessible","message":"x","data":{"status":403}}"#,
        ),
        _ => Reply::json(500, r#"{"code":"x","message":"x","data":null}"#),
    })
    .await;
    let edge = edge(&origin, short).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(edge.get(EVENT).await.status.as_u16());
    }
    assert_eq!(statuses, [200, 403, 500]);
}

#[tokio::test]
async fn an_outage_has_an_end_for_answers_too() {
    let origin = counting().await;
    let edge = edge(&origin, |settings| {
        short(settings);
        settings.cache.stale_on_error = Duration::ZERO;
    })
    .await;
    edge.get(EVENT).await;
    origin.kill().await;
    assert!(edge.get(EVENT).await.status.is_server_error());
}

/// The recorded reads of anonymous callers to which WordPress responded with a success.
fn recorded() -> BTreeMap<String, String> {
    let corpus = include_str!("../../../fixtures/corpus/corpus.jsonl");
    let records = corpus
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut reads = BTreeMap::new();
    for record in records {
        let request = &record["request"];
        let is_read = request["method"] == "GET"
            && record["auth"] == "none"
            && request["body"].is_null()
            && request["headers"].as_array().is_some_and(Vec::is_empty)
            && record["response"]["status"] == 200;
        let (Some(path), Some(body)) = (request["path"].as_str(), record["response"]["body"].as_str()) else {
            continue;
        };
        let is_plain =
            path.starts_with("/wp-json/tribe/events/v1/") && record["response"]["body_truncated"] != true;
        if is_read && is_plain {
            let query = request["query"]
                .as_str()
                .map_or_else(String::new, |query| format!("?{query}"));
            reads.insert(format!("{path}{query}"), body.to_owned());
        }
    }
    reads
}

#[tokio::test]
async fn a_recorded_working_set_is_answered_without_the_site() {
    let reads = recorded();
    let bodies: Vec<String> = reads.values().cloned().collect();
    let next = AtomicU64::new(0);
    // It does not matter here which recorded body belongs to which request.
    let origin = Origin::answering(move |_| {
        let turn = usize::try_from(next.fetch_add(1, Ordering::SeqCst)).expect("a small number");
        Reply::json(200, &bodies[turn % bodies.len()])
    })
    .await;
    let edge = edge(&origin, |settings| {
        short(settings);
        settings.namespaces.push("tribe/events/v1".to_owned());
    })
    .await;
    let mut kept = Vec::new();
    for target in reads.keys() {
        let raw = format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let answer = edge.raw().await.send(&raw).await.answer().await;
        let status = answer.header("cache-status").map(ToOwned::to_owned);
        if answer.status == 200 && status.is_some_and(|status| !status.contains("bypass")) {
            kept.push(raw);
        }
    }
    assert!(kept.len() > 100, "{} of {}", kept.len(), reads.len());
    origin.kill().await;
    for raw in kept {
        let answer = edge.raw().await.send(&raw).await.answer().await;
        assert_eq!(answer.status, 200, "{raw}");
        let status = answer.header("cache-status").expect("Cache-Status");
        assert!(status.ends_with("detail=origin-failed"), "{raw} {status}");
    }
}
