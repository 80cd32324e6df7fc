//! Whole calls, judged: what is forwarded of them, and in which words they are refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

use http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};

use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{ForwardableCall, Judge, Outcome, RawCall};
use calendar_edge_judge::contract::strict;
use calendar_edge_judge::policy::{Policy, Profile};
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;

/// The outcome of a call below the namespace, whose body is JSON.
fn outcome(profile: Profile, method: &Method, target: &str, body: &str) -> Outcome {
    let policy = Policy {
        profile,
        ..Policy::default()
    };
    let (roots, judge) = (Roots::new(&policy), Judge::new(policy));
    let (path, query) = target
        .split_once('?')
        .map_or((target, None), |(path, query)| (path, Some(query)));
    let path = format!("/wp-json/tribe/events/v1/{path}");
    let Target::Calendar(target) = roots.locate(method, &path, query) else {
        panic!("{path} is no route of the calendar");
    };
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("authorization", HeaderValue::from_static("Bearer abc"));
    let call = RawCall {
        method,
        target: &target,
        credentials: &Credentials::read(&headers, Profile::Compatible).unwrap(),
        content: ContentHeaders::of(&headers),
        body: body.as_bytes(),
    };
    judge.judge(&call).outcome
}

fn forwarded(profile: Profile, method: &Method, target: &str, body: &str) -> ForwardableCall {
    match outcome(profile, method, target, body) {
        Outcome::Forward(call) => *call,
        Outcome::Refuse(refusal) => panic!("{method} {target} {body}: {:?}", refusal.body()),
    }
}

fn refused(profile: Profile, method: &Method, target: &str, body: &str) -> Refusal {
    match outcome(profile, method, target, body) {
        Outcome::Refuse(refusal) => refusal,
        Outcome::Forward(_) => panic!("{method} {target} {body} is forwarded"),
    }
}

const EVENT: &str = r#""title":"a","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00""#;

#[test]
fn a_body_is_read_and_written_with_what_wordpress_reads_there() {
    let call = forwarded(
        Profile::Compatible,
        &Method::POST,
        "events",
        &format!(r#"{{{EVENT},"_fields":"id"}}"#),
    );
    let body: Value = serde_json::from_slice(call.request().body.as_deref().unwrap()).unwrap();
    assert_eq!((&body["title"], &body["_fields"]), (&json!("a"), &json!("id")));
}

#[test]
fn a_refusal_names_only_the_values_of_a_wrong_type() {
    let body = format!(r#"{{{EVENT},"featured":"maybe","sticky":true,"_pretty":1}}"#);
    let refusal = refused(Profile::Compatible, &Method::POST, "events", &body);
    let text = std::str::from_utf8(refusal.body()).unwrap();
    assert!(
        text.contains("\n    \"code\""),
        "pretty, as the body asks: {text}"
    );
    let said: Value = serde_json::from_str(text).unwrap();
    let params = said["data"]["params"].as_object().unwrap();
    assert_eq!(params.keys().collect::<Vec<_>>(), ["featured"], "{text}");
}

#[test]
fn options_are_described_by_the_site() {
    let call = forwarded(Profile::Compatible, &Method::OPTIONS, "events", "");
    assert!(call.operation().is_none());
    let refusal = refused(Profile::Compatible, &Method::PATCH, "events", "");
    assert_eq!(refusal.status(), 404);
}

#[test]
fn pages_follow_a_read_alone() {
    let list = forwarded(Profile::Compatible, &Method::GET, "events?_fields=id", "");
    let page = list.page_of_read(2).unwrap();
    let query = page.request().query("tribe/events/v1").unwrap();
    assert!(
        query.starts_with("page=2&per_page=50") && !query.contains("_fields"),
        "{query}"
    );
    let enveloped = forwarded(Profile::Compatible, &Method::GET, "events?_envelope=1", "");
    assert!(enveloped.page_of_read(2).is_none());
    let write = forwarded(
        Profile::Compatible,
        &Method::POST,
        "events",
        &format!("{{{EVENT}}}"),
    );
    assert!(write.page_of_read(2).is_none());
}

#[test]
fn the_strict_profile_takes_one_spelling() {
    let id = refused(Profile::Strict, &Method::GET, "events/07", "");
    assert_eq!(id.status(), 404, "a path of its own");
    let strict = |method: &Method, target: &str, body: &str| outcome(Profile::Strict, method, target, body);
    let takes = |found: Outcome| matches!(found, Outcome::Forward(_));
    let many: Vec<String> = (0..=strict::OBJECT_MEMBERS)
        .map(|n| format!("\"a{n}\":1"))
        .collect();
    let long = vec!["1"; strict::JSON_ELEMENTS + 1].join(",");
    for (target, expected) in [
        ("events?per_page=5", true),
        ("events?per_page=05", false),
        ("events?per_page=5.5", false),
        ("events?per_page=99999", false),
        ("events/7", true),
        ("events/07", false),
        ("events/12345678901234567890123", false),
    ] {
        assert_eq!(takes(strict(&Method::GET, target, "")), expected, "{target}");
    }
    for (body, expected) in [
        (format!("{{{EVENT}}}"), true),
        (format!(r#"{{{EVENT},"categories":[1,2]}}"#), true),
        (format!(r#"{{{EVENT},"categories":[{long}]}}"#), false),
        (format!(r#"{{{EVENT},"title":"b"}}"#), false),
        (format!(r#"{{{EVENT},"venue":{{{}}}}}"#, many.join(",")), false),
    ] {
        assert_eq!(takes(strict(&Method::POST, "events", &body)), expected, "{body}");
    }
}
